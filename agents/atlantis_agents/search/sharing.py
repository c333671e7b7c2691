"""Threads that work through lanes, and let go of them soon when somebody interrupts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator


def share_out(work: Callable[[Iterator[int]], None], count: int, threads: int, halt: threading.Event) -> None:
    """Let threads, the caller's among them, work through lanes 0..count-1.

    Args:
        work: takes lanes out of the iterator until there are none, and returns soon once ``halt`` is set.
        count: lanes.
        threads: at most so many.
        halt: set if one of them fails or the caller is interrupted.

    Raises:
        BaseException: the first one that was raised in any of them; all have ended before.
    """
    lanes = _Lanes(count)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work(lanes)
        except BaseException as error:
            failed.append(error)
            halt.set()

    others = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, count) - 1)]
    for other in others:
        other.start()
    run()
    for other in others:
        while other.is_alive():
            try:
                other.join()
            except KeyboardInterrupt as error:
                failed.append(error)
                halt.set()
    if failed:
        raise failed[0]


class _Lanes:
    """The numbers 0..count-1, each given to one thread only."""

    def __init__(self, count: int) -> None:
        self._next, self._count, self._lock = 0, count, threading.Lock()

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        with self._lock:
            if self._next == self._count:
                raise StopIteration
            self._next += 1
            return self._next - 1
