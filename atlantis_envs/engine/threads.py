"""Threads: an object that one call is changing refuses every other call, and work on many rows is shared out.

The compiled loops release Python's lock, so two threads that step the same games would write into the same records at
once. An object in use carries ``PROCESS.token``; a call that finds the token raises instead of waiting. Every
process has a token of its own, so a call in progress that a fork or a pickle carries along means nothing there.

The pattern, written out where a call is short (elsewhere ``exclusive`` and ``shared`` do it)::

    token = PROCESS.token
    if self._held is token:
        raise in_use(self, "step")
    try:
        self._held = token
        ...
    finally:
        self._held = None

Between the test and the assignment there is no point at which CPython changes threads or delivers a signal, and none
between a call that fails and the ``finally``: so two threads never both pass, and Ctrl-C never leaves the token behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from atlantis_envs.errors import InUseError

Arguments = ParamSpec("Arguments")
Owner = TypeVar("Owner", bound=Any)
Result = TypeVar("Result")
Method = Callable[Concatenate[Owner, Arguments], Result]


class _Here:
    """The token of this process, which a fork renews."""

    __slots__ = ("token",)

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Take a new token, which frees every object that carried the old one."""
        self.token = object()


PROCESS = _Here()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=PROCESS.renew)


def in_use(owner: object, call: str) -> InUseError:
    """Make the error of a call that came while another one was at work."""
    kind = type(owner).__name__
    return InUseError(f"{call}: another call is at work on this {kind}; allowed: one thread at a time for a {kind}")


def exclusive(method: Method[Owner, Arguments, Result]) -> Method[Owner, Arguments, Result]:
    """Guard a method that changes its object: it is refused while another is at work there, and refuses others."""

    @wraps(method)
    def guarded(self: Owner, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        token = PROCESS.token
        if self._held is token:
            raise in_use(self, method.__name__)
        try:
            self._held = token
            return method(self, *args, **kwargs)
        finally:
            self._held = None

    return cast("Method[Owner, Arguments, Result]", guarded)


def shared(method: Method[Owner, Arguments, Result]) -> Method[Owner, Arguments, Result]:
    """Guard a method that reads its object: refused while a call changes the object; reads may overlap."""

    @wraps(method)
    def guarded(self: Owner, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        if self._held is PROCESS.token:
            raise in_use(self, method.__name__)
        result = method(self, *args, **kwargs)
        if self._held is PROCESS.token:  # a change began meanwhile: what was read may be half old, half new
            raise in_use(self, method.__name__)
        return result

    return cast("Method[Owner, Arguments, Result]", guarded)


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
        """Return the threads besides the caller's."""
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
