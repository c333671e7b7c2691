"""Processes that work through a list of tasks and are gone when they should be.

A process that is killed, for want of memory for instance, costs a retry of its task in a new one. Whatever happens to
the parent, no process stays behind: it kills them when it is done, told to stop twice, or fails; and they end by
themselves when it is gone.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from multiprocessing import get_context, parent_process, util
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from atlantis_training.lab.limits import THREAD_VARIABLES
from atlantis_training.signals import Stop, held_back, ignore

Task = TypeVar("Task")
Result = TypeVar("Result")
Work = Callable[[Task], Result]

GLANCE = 0.1  # seconds between two looks at whether a stop was requested
TRIES = 2  # of a task whose process is killed
FIRST = 100  # before multiprocessing waits for children at the end of the interpreter
LOST = (EOFError, OSError, pickle.UnpicklingError)  # of a pipe whose other end was killed, even in mid-answer


@dataclass(eq=False)
class _Worker:
    """A process, our end of the pipe to it, and the number of the task it has in hand."""

    process: BaseProcess
    pipe: Connection
    task: int | None = None


class Crew(Generic[Task, Result]):
    """``count`` processes, each of which makes its way of working with ``make(*arguments)`` and then works on tasks.

    Attributes:
        stop: the requests to stop.
    """

    def __init__(
        self, count: int, make: Callable[..., Work[Task, Result]], arguments: Sequence[Any], stop: Stop, notes: Notes
    ) -> None:
        """Prepare; no process begins before ``work``."""
        self._count, self._make, self._arguments = count, make, tuple(arguments)
        self.stop, self._notes = stop, notes
        self._workers: list[_Worker] = []
        self._context = get_context("spawn")

    def work(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result]]:
        """Numbers of tasks and their results as they come in; fewer than there are tasks if it ended early.

        Raises:
            Exception: what a task raised.
        """
        waiting, tries, announced = deque(range(len(tasks))), Counter[int](), False
        self.stop.at_once = self._kill
        # Where not even the lines below are reached, the end of the interpreter does it.
        last = util.Finalize(self, _kill_all, args=(self._workers,), exitpriority=FIRST)
        try:
            for _ in range(min(self._count, len(tasks))):
                self._begin(tasks, waiting)
            while any(worker.task is not None for worker in self._workers) and not self.stop.now:
                if self.stop.requests and not announced:
                    announced = True
                    waiting.clear()
                    _say(self._notes.stopping)
                for worker in self._answering():
                    number, worker.task = worker.task, None
                    assert number is not None
                    try:
                        good, answer = worker.pipe.recv()
                    except LOST:
                        self._bury(worker)
                        tries[number] += 1
                        if tries[number] < TRIES and not self.stop.requests:
                            waiting.appendleft(number)
                            self._begin(tasks, waiting)
                        elif not self.stop.requests:
                            waiting.clear()
                            _say(self._notes.gave_up)
                        continue
                    if not good:
                        raise answer
                    self._hand(worker, tasks, waiting)
                    yield number, answer
        finally:
            self.stop.at_once = lambda: None
            self._kill()
            last.cancel()

    def _begin(self, tasks: Sequence[Task], waiting: deque[int]) -> None:
        """Start one more process, with a task."""
        if self.stop.now or not waiting:
            return
        with _plain_children():
            ours, theirs = self._context.Pipe()
            arguments = (theirs, self._make, self._arguments)
            process = self._context.Process(target=_serve, args=arguments, daemon=True)
            with held_back():
                process.start()
                worker = _Worker(process, ours)
                self._workers.append(worker)
            theirs.close()
        if self.stop.now:  # requested while the signals were held back, or just before
            self._kill()
            return
        self._hand(worker, tasks, waiting)

    def _hand(self, worker: _Worker, tasks: Sequence[Task], waiting: deque[int]) -> None:
        """Give a process the next task. If it is dead, that shows when its answer is read."""
        if waiting:
            worker.task = waiting.popleft()
            with suppress(OSError):
                worker.pipe.send(tasks[worker.task])

    def _answering(self) -> list[_Worker]:
        """The processes that have an answer, or never will; after a while, none."""
        busy = {worker.pipe: worker for worker in self._workers if worker.task is not None}
        return [busy[pipe] for pipe in wait(list(busy), GLANCE) if isinstance(pipe, Connection)]

    def _bury(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        worker.pipe.close()
        worker.process.kill()
        worker.process.join()

    def _kill(self) -> None:
        _kill_all(self._workers)


@dataclass(frozen=True)
class Notes:
    """What is reported on stderr, in a line each.

    Attributes:
        stopping: after the first request to stop.
        gave_up: after ``TRIES`` processes were killed at the same task.
    """

    stopping: str
    gave_up: str


def _kill_all(workers: list[_Worker]) -> None:
    """Kill all processes; also called in the handler of a signal, so a second call does no harm."""
    for worker in list(workers):
        worker.process.kill()
    for worker in list(workers):
        worker.process.join()


def _say(line: str) -> None:
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


def _serve(pipe: Connection, make: Callable[..., Work[Any, Any]], arguments: tuple[Any, ...]) -> None:
    ignore()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        work = make(*arguments)
        while True:
            task = pipe.recv()
            pipe.send((True, work(task)))
    except (EOFError, BrokenPipeError):  # nobody wants anything any more
        return
    except MemoryError:  # as if it had been killed for it
        os._exit(1)
    except Exception as error:
        with suppress(OSError):
            try:
                pipe.send((False, _portable(error)))
            except (TypeError, AttributeError, pickle.PicklingError):
                pipe.send((False, RuntimeError(traceback.format_exc())))


def _portable(error: Exception) -> Exception:
    """The error, with where it came from, if it can be sent; else its text."""
    trace = traceback.format_exc()
    try:
        sent = deepcopy(error)  # rebuilt from its parts, as at the other end
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(trace)
    portable: Exception = sent
    return portable


def _end_with_parent() -> None:
    """Exit when the parent is gone: killed, it cannot say so, and its children would wait for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
