"""Threads of a batch's own, or of an agent's, among which work on many rows is shared out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

LEAST_ROWS = 2048  # per thread; with fewer, threads cost more than they give
TURNS = 4  # slices of each thread


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
        """Call ``work(part, start, stop)`` for slices of ``count`` rows; ``part`` numbers the threads that pay.

        Slices are smaller than a thread's share and taken by turns: whoever wakes up late does less.
        """
        parts = min(self.threads, max(1, count // LEAST_ROWS))
        if parts == 1:
            work(0, 0, count)
            return
        size = max(LEAST_ROWS, -(-count // (parts * TURNS)))
        starts = iter(range(0, count, size))

        def take_turns(part: int) -> None:
            for start in starts:
                work(part, start, min(start + size, count))

        waiting = [self.others().submit(take_turns, part) for part in range(1, parts)]
        try:
            take_turns(0)
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
    for future in waiting:
        while not future.done():
            try:
                future.exception()  # waits
            except KeyboardInterrupt as error:
                interrupted = error
    if interrupted is not None:
        raise interrupted
