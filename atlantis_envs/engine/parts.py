"""Threads of a batch's own, or of an agent's, among which work on many rows is shared out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

LEAST_ROWS = 2048  # per thread; with fewer, threads cost more than they give


class Parts:
    """Threads that start when first needed, and again after a fork, which threads do not survive.

    Attributes:
        threads: at most so many work at once, the caller's included.
        pool: the others, None before they are needed.
    """

    def __init__(self, threads: int) -> None:
        """Remember how many threads there may be; none starts yet."""
        self.threads = threads
        self.pool: ThreadPoolExecutor | None = None
        self._owner = 0

    def run(self, work: Callable[[int, int, int], None], count: int) -> None:
        """Call ``work(part, start, stop)`` for slices of ``count`` rows, one for each thread that pays."""
        parts = min(self.threads, max(1, count // LEAST_ROWS))
        if parts == 1:
            work(0, 0, count)
            return
        bounds = [count * part // parts for part in range(parts + 1)]
        waiting = [self.others().submit(work, part, bounds[part], bounds[part + 1]) for part in range(1, parts)]
        try:
            work(0, 0, bounds[1])
        finally:
            _finish(waiting)
        for future in waiting:
            future.result()

    def others(self) -> ThreadPoolExecutor:
        """The threads besides the caller's."""
        if self.pool is None or self._owner != os.getpid():
            self.pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="atlantis-envs")
            self._owner = os.getpid()
        return self.pool


def _finish(waiting: Sequence[Future[None]]) -> None:
    """Wait whatever happens, Ctrl-C included: the batch is not free before the last thread has let go of it."""
    interrupted: KeyboardInterrupt | None = None
    while not all(future.done() for future in waiting):
        try:
            wait(waiting)
        except KeyboardInterrupt as error:
            interrupted = error
    if interrupted is not None:
        raise interrupted
