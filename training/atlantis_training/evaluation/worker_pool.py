"""Worker processes of this machine that go through a list of tasks and are gone when they should be.

A process that is killed, for want of memory for instance, costs a retry of what was in hand, in new processes. Whatever
happens to the parent, no process stays behind: it kills them when it is done, asked to stop twice, or fails; and they
end by themselves when it is gone.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from multiprocessing import parent_process, util
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from atlantis_training import THREAD_VARIABLES
from atlantis_training.signals import Stop, held_back, ignore

Task = TypeVar("Task")
Result = TypeVar("Result")
Make = Callable[..., Callable[[Task], Result]]

POLL_SECONDS = 0.1  # between two looks at whether a stop was requested
TRIES = 2  # of a task whose process is killed
FIRST = 100  # before multiprocessing waits for children at the end of the interpreter


@dataclass(frozen=True)
class Notes:
    """What is reported on stderr, in a line each.

    Attributes:
        stopping: after the first request to stop.
        gave_up: after processes were killed ``TRIES`` times at the same task.
    """

    stopping: str
    gave_up: str


class _Context(SpawnContext):
    """Begins processes as "spawn" does, and remembers them and the pipe of their results, so that all can be ended."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[BaseProcess] = []
        self._results: list[Any] = []

    def Process(self, *given: Any, **named: Any) -> Any:  # type: ignore[override]
        self.processes.append(SpawnContext.Process(*given, **named))
        return self.processes[-1]

    def SimpleQueue(self) -> Any:
        self._results.append(super().SimpleQueue())
        return self._results[-1]

    @property
    def dead(self) -> bool:
        """Return whether a process has ended."""
        return any(process.pid is not None and process.exitcode is not None for process in self.processes)

    def kill(self) -> None:
        """Kill all processes; also called in the handler of a signal, so a second call does no harm.

        One that is killed in mid-answer leaves the executor reading for the rest; with our own end of the pipe closed
        too, it reads the end of the file instead.
        """
        begun = [process for process in self.processes if process.pid is not None]
        for process in begun:
            process.kill()
        for process in begun:
            process.join()
        for queue in self._results:
            queue._writer.close()


class WorkerPool(Generic[Task, Result]):
    """``count`` processes, each of which calls ``make(*arguments)`` and then what that returns, once a task.

    Attributes:
        stop: the requests to stop.
    """

    def __init__(
        self, count: int, make: Make[Task, Result], arguments: Sequence[Any], stop: Stop, notes: Notes
    ) -> None:
        """Prepare; no process begins before ``work``."""
        self._count, self._plan, self._notes, self.stop = count, (make, tuple(arguments)), notes, stop
        self._context = _Context()
        self._in_hand: dict[Future[Any], int] = {}

    def work(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result]]:
        """Yield numbers of tasks and their results as they come in; fewer than there are tasks if it ended early.

        Raises:
            Exception: what a task raised.
        """
        waiting, tries, announced = deque(range(len(tasks))), Counter[int](), False
        self.stop.at_once = self._context.kill
        # Where not even the lines below are reached, the end of the interpreter does it.
        last = util.Finalize(self, self._context.kill, exitpriority=FIRST)
        executor = self._executor(len(tasks))
        try:
            while (waiting or self._in_hand) and not self.stop.now:
                if self.stop.requests and not announced:
                    announced = True
                    waiting.clear()
                    say(self._notes.stopping)
                done, lost = self._answers(self._hand_out(executor, tasks, waiting))
                for number, (good, answer) in done:
                    if not good:
                        raise answer
                    yield number, answer
                if lost is None:
                    continue
                executor.shutdown()
                executor = self._executor(len(tasks))
                tries.update(lost)
                if self.stop.requests:
                    continue
                again = sorted(number for number in lost if tries[number] < TRIES)
                if len(again) < len(lost):
                    waiting.clear()
                    if not announced:
                        announced = True
                        say(self._notes.gave_up)
                waiting.extendleft(reversed(again))
        finally:
            self.stop.at_once = lambda: None
            self._context.kill()
            executor.shutdown(cancel_futures=True)
            last.cancel()

    def _executor(self, tasks: int) -> ProcessPoolExecutor:
        self._context.processes.clear()
        count = max(1, min(self._count, tasks))
        return ProcessPoolExecutor(count, self._context, initializer=_begin, initargs=self._plan)

    def _hand_out(self, executor: ProcessPoolExecutor, tasks: Sequence[Task], waiting: deque[int]) -> bool:
        """Hand out tasks, one a process; return whether the executor takes none any more, since a process is dead."""
        try:
            while waiting and len(self._in_hand) < self._count:
                with _plain_children(), held_back():
                    if self.stop.now:  # asked here, where no signal can come between: what is killed takes no task
                        break
                    future = executor.submit(_work, tasks[waiting[0]])
                self._in_hand[future] = waiting.popleft()
        except BrokenProcessPool:
            return True
        return False

    def _answers(self, broken: bool) -> tuple[list[tuple[int, tuple[bool, Any]]], list[int] | None]:
        """Wait a while.

        Returns:
            Numbers of tasks with their answers; and where a process was killed, the tasks that are lost with it, else
            None. A dead process takes the others of its executor with it.
        """
        wait(self._in_hand, POLL_SECONDS, FIRST_COMPLETED)
        ended = [future for future in self._in_hand if future.done()]
        broken = broken or self._context.dead or any(isinstance(one.exception(), BrokenProcessPool) for one in ended)
        if broken:
            self._context.kill()
            wait(self._in_hand)
        done, lost = list[tuple[int, tuple[bool, Any]]](), list[int]()
        for future in [future for future in self._in_hand if future.done()]:
            number = self._in_hand.pop(future)
            try:
                done.append((number, future.result()))
            except BrokenProcessPool:
                lost.append(number)
        return done, lost if broken else None


def say(line: str) -> None:
    """Print a line on stderr, where there is one."""
    if sys.stderr is not None:
        print(line, file=sys.stderr, flush=True)


@contextmanager
def _plain_children() -> Iterator[None]:
    """Let children begun here use one thread each, unless the environment says otherwise."""
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # else it begins with the first child, and lets signals in
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update({name: value or "1" for name, value in before.items()})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


# --------------------------------------------------------------------------------------------------- in another process

_plan: tuple[Make[Any, Any], tuple[Any, ...]]
_worker: Callable[[Any], Any] | None = None


def _begin(make: Make[Any, Any], arguments: tuple[Any, ...]) -> None:
    """Leave signals to the parent and end with it; what ``make`` raises is for the first task to answer."""
    global _plan
    ignore()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _plan = make, arguments


def _work(task: Any) -> tuple[bool, Any]:
    """Return (True, the result of a task), or (False, what it raised)."""
    global _worker
    try:
        if _worker is None:
            make, arguments = _plan
            _worker = make(*arguments)
        return True, _worker(task)
    except MemoryError:  # as if it had been killed for it
        os._exit(1)
    except Exception as error:
        return False, portable(error)


def portable(error: Exception) -> Exception:
    """Return the error, with where it came from, if it can be sent; else its text."""
    trace = traceback.format_exc()
    sent: Exception
    try:
        sent = deepcopy(error)  # rebuilt from its parts, as at the other end
        pickle.dumps(sent)
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    with suppress(TypeError):
        sent.add_note(trace)
    return sent


def _end_with_parent() -> None:
    """Exit when the parent is gone: killed, it cannot say so, and its children would wait for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
