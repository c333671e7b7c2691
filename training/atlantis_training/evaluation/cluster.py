"""A Ray cluster that goes through a list of tasks, as ``WorkerPool`` does with processes of one machine.

A worker or a machine that is lost costs a retry of its task elsewhere. The first worker of a machine compiles the
kernels, or finds them in the machine's cache; those beside it begin when it is ready. Ray is imported only here, and
only when a cluster is joined.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from atlantis_envs.base.values import one_line, repr_short
from atlantis_envs.errors import OptionError
from atlantis_training import THREAD_VARIABLES
from atlantis_training.evaluation.store import code_hash
from atlantis_training.evaluation.worker_pool import POLL_SECONDS, Notes, portable, say
from atlantis_training.signals import ENDING, Stop, ignore

Task = TypeVar("Task")
Result = TypeVar("Result")

HERE = "auto"  # the cluster that this machine belongs to
LOCAL = "local"  # a cluster of this machine alone, for as long as the command runs
ADDRESS = re.compile(r"[\w.-]+:\d{1,5}|\[[0-9a-fA-F:]+\]:\d{1,5}|" + f"{HERE}|{LOCAL}")
TRIES = 3  # of a task whose worker is lost, and for each worker, of beginning it
DIAL_SECONDS = 5.0  # seconds until a machine that does not answer is told to be none
WAITING_SECONDS = 30.0  # seconds without anybody at work before that is said
WAITING = "Waiting for the cluster to begin a worker (for want of a free CPU?)."
LOST = "A worker on {} was lost with the games it had in hand."
GAVE_UP = "Workers were lost three times at the same games (for want of memory?): finishing those in hand."


@dataclass(frozen=True)
class Cluster:
    """A cluster that was joined.

    Attributes:
        count: workers to begin; more than it has CPUs wait until one is free.
    """

    count: int


@contextmanager
def joined(address: str = HERE, workers: int | None = None) -> Iterator[Cluster]:
    """Join a cluster for a while.

    Args:
        address: HOST:PORT of the head of a cluster to which this machine belongs too; "auto": of that which runs here,
            or which RAY_ADDRESS names; "local": one of this machine alone.
        workers: how many; None: one per CPU of the cluster.

    Raises:
        OptionError: there is none, or ray is not installed.
    """
    if not ADDRESS.fullmatch(address):
        raise OptionError(f"ray: {repr_short(address)}; allowed: HOST:PORT, {HERE!r}, {LOCAL!r}")
    try:
        import ray
    except ImportError:
        raise OptionError("ray not installed: pip install 'atlantis-envs[cluster]'") from None
    ours = not ray.is_initialized()
    if ours:
        _join(ray, address)
    try:
        with _quiet():
            yield Cluster(workers or max(1, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        if ours:
            ray.shutdown()


def _join(ray: Any, address: str) -> None:
    """Connect, quietly, and leave the signals as they were."""
    if ":" in address:
        _dial(address)
    threads = {name: os.environ.get(name) or "1" for name in THREAD_VARIABLES}
    further = {"include_dashboard": False} if address == LOCAL else {}
    if address == LOCAL:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    main = threading.current_thread() is threading.main_thread()
    before = {sign: signal.getsignal(sign) for sign in ENDING}
    try:
        ray.init(
            address=address,
            runtime_env={"env_vars": threads},
            log_to_driver=False,
            logging_level="error",
            **further,
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise OptionError(
            f"ray: no cluster at {address!r} that this machine belongs to ({one_line(reason)}); "
            f"allowed: one begun with `ray start --head` and joined with `ray start --address`, or {LOCAL!r}"
        ) from None
    finally:
        for sign, handler in before.items():
            if main and handler is not None:
                signal.signal(sign, handler)


def _dial(address: str) -> None:
    """Refuse an address where nobody listens; Ray would try for a minute and then end this process."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), DIAL_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise OptionError(
            f"ray: nobody answers at {address} ({one_line(error)}); allowed: the head of a cluster"
        ) from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray from printing on stdout, among the tables, the logs of a machine that is lost; no option does that."""
    from ray._private import worker

    printing = getattr(worker, "print_to_stdstream", None)
    if printing is not None:
        worker.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        if printing is not None:
            worker.print_to_stdstream = printing


# ------------------------------------------------------------------------------------------------------------- the pool


@dataclass(eq=False)
class _Worker:
    """A worker, the answer it owes us, and how far it is: asked about, preparing, ready, with a task in hand."""

    handle: Any
    owed: Any
    node: str = ""
    host: str = ""
    preparing: bool = False
    ready: bool = False
    task: int | None = None


class RayPool(Generic[Task, Result]):
    """Workers of a cluster, each of which makes its way of working with ``make(*arguments)`` and works on tasks.

    Attributes:
        count: workers at the most.
        stop: the requests to stop.
    """

    def __init__(
        self,
        cluster: Cluster,
        make: Callable[..., Callable[[Task], Result]],
        arguments: Sequence[Any],
        stop: Stop,
        notes: Notes,
        stay: bool = False,
    ) -> None:
        """Prepare; no worker begins before ``work``. Those that ``stay`` work on in its next call, until ``close``."""
        import ray

        self.count, self.stop, self._notes, self._stay = cluster.count, stop, notes, stay
        self._ray, self._workers = ray, list[_Worker]()
        self._plan = ray.put((make, tuple(arguments)))  # sent once to each node
        self._why = ""  # the last worker was lost
        self._warm: set[str] = set()  # nodes with the kernels in their caches
        self._failed = 0  # workers that were lost before they were ready, since one was
        self._remote = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(RayWorker)

    def work(self, tasks: Sequence[Task], common: Any = None) -> Iterator[tuple[int, Result]]:
        """Yield numbers of tasks and their results as they come in; fewer than there are tasks if it ended early.

        Args:
            tasks: what there is to do.
            common: what workers are given beside every task, unless it is None; sent once to each node.

        Raises:
            Exception: what a task raised.
            OptionError: no worker could begin, or its machine has other code.
        """
        waiting, tries, announced = deque(range(len(tasks))), Counter[int](), False
        beside = [] if common is None else [self._ray.put(common)]
        try:
            for _ in range(min(self.count, len(tasks)) - len(self._workers)):
                self._begin()
            busy = time.monotonic()
            while (waiting or self._in_hand()) and not self.stop.now:
                if self.stop.requests and not announced:
                    announced = True
                    waiting.clear()
                    say(self._notes.stopping)
                self._feed(tasks, waiting, beside)
                busy = self._watched(busy)
                for worker in self._answering():
                    number = worker.task
                    answer = self._answer(worker)
                    if answer is None:
                        self._replace(number, tries, waiting)
                    elif number is not None:
                        yield number, answer
        finally:
            if not self._stay:
                self.close()

    def _in_hand(self) -> bool:
        return any(worker.task is not None for worker in self._workers)

    def _begin(self) -> None:
        handle = self._remote.remote()
        self._workers.append(_Worker(handle, handle.about.remote()))

    def _feed(self, tasks: Sequence[Task], waiting: deque[int], beside: Sequence[Any]) -> None:
        """Give everybody who waits something to do: a task, or to prepare, the first of a machine before the others."""
        for worker in self._workers:
            if worker.owed is not None or not waiting:
                continue
            if worker.ready:
                worker.task = waiting.popleft()
                worker.owed = worker.handle.work.remote(tasks[worker.task], *beside)
            elif worker.node in self._warm or not any(
                other.preparing for other in self._workers if other.node == worker.node
            ):
                worker.preparing = True
                worker.owed = worker.handle.prepare.remote(self._plan)

    def _answering(self) -> list[_Worker]:
        """Return who has an answer, or never will; after a while, nobody."""
        owing = {worker.owed: worker for worker in self._workers if worker.owed is not None}
        if not owing:
            time.sleep(POLL_SECONDS)
            return []
        done, _ = self._ray.wait(list(owing), num_returns=1, timeout=POLL_SECONDS, fetch_local=False)
        return [owing[reference] for reference in done]

    def _answer(self, worker: _Worker) -> Any:
        """Return what a worker answers: the results of a task, True for a step on the way to it, None if it is lost."""
        try:
            answer = self._ray.get(worker.owed)
        except self._ray.exceptions.RayError as error:
            self._why = str(error).strip()
            self._workers.remove(worker)
            if worker.task is not None:
                say(LOST.format(worker.host))
            with suppress(Exception):
                self._ray.kill(worker.handle)
            return None
        worker.owed = None
        if not worker.node:
            worker.node, worker.host, _, code = answer
            if code != code_digest():
                raise OptionError(
                    f"ray: atlantis-envs on {worker.host} is not the same as here; allowed: the same files"
                )
            return True
        good, value = answer
        if not good:
            raise value
        if not worker.ready:
            worker.ready, worker.preparing, self._failed = True, False, 0
            self._warm.add(worker.node)
            return True
        worker.task = None
        return value

    def _replace(self, number: int | None, tries: Counter[int], waiting: deque[int]) -> None:
        """Replace a lost worker by another one, which waits for a free CPU, and try the task again."""
        if self.stop.requests:
            return
        if number is None:
            self._failed += 1
        else:
            tries[number] += 1
            if tries[number] >= TRIES:
                waiting.clear()
                say(self._notes.gave_up)
                return
            waiting.appendleft(number)
        if self._failed < TRIES * self.count:
            self._begin()
        if not self._workers:
            reason = self._why.rpartition("\n")[2]
            raise OptionError(
                f"ray: no worker could begin ({one_line(reason)}); allowed: machines with atlantis-envs installed"
            )

    def _watched(self, busy: float) -> float:
        """Return when somebody was last seen at work; says so once where nobody has been for long."""
        now = time.monotonic()
        if any(worker.node and worker.owed is not None for worker in self._workers):
            return now
        if now - busy > WAITING_SECONDS:
            say(WAITING)
            return float("inf")
        return busy

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            with suppress(Exception):
                self._ray.kill(worker.handle)
        self._workers.clear()


# ---------------------------------------------------------------------- in a worker of the cluster, on whatever machine


PACKAGES = ("atlantis_envs", "atlantis_agents", "atlantis_training")


class RayWorker:
    """Work on tasks in a worker: nothing heavy happens before ``prepare``."""

    def __init__(self) -> None:
        """Leave the signals to whoever began the work."""
        ignore()
        self._work: Callable[..., Any] | None = None

    def about(self) -> tuple[str, str, int, str]:
        """Return the node's number in Ray, the machine's name, the number of this process, and which code it has."""
        import ray

        return ray.get_runtime_context().get_node_id(), socket.gethostname(), os.getpid(), code_digest()

    def prepare(self, plan: tuple[Callable[..., Callable[[Any], Any]], Sequence[Any]]) -> tuple[bool, Any]:
        """Make the way of working; it finds or compiles the kernels. (True, None), or (False, what was raised)."""

        def begin() -> None:
            make, arguments = plan
            self._work = make(*arguments)

        return _tried(begin)

    def work(self, task: Any, *common: Any) -> tuple[bool, Any]:
        """Return (True, what a task gives), with what is common to several of them, or (False, what it raised)."""
        assert self._work is not None
        work = self._work
        return _tried(lambda: work(task, *common))


def _tried(call: Callable[[], Any]) -> tuple[bool, Any]:
    try:
        return True, call()
    except MemoryError:  # as if it had been killed for it
        os._exit(1)
    except Exception as error:
        return False, portable(error)


def code_digest() -> str:
    """Return a digest of all modules of this project, as they are installed here."""
    return code_hash(PACKAGES, (".py",))
