"""While kernels compile: the line on stderr, and signals that are held back and delivered between two kernels."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

Plan = Callable[[], Mapping[Any, float]]  # kernels that are to be compiled, with the seconds each takes somewhere
SLOWER = 1.5  # by the clock than in processor time: from then on both are said
ELSEWHERE = " (another process compiles the same)"
ENOUGH = 0.1  # of the work is done: from then on this machine's own pace is known
WIDTH = 100  # of the line on a terminal; a shorter text wipes out what stood there
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class _OfThread(threading.local):
    silent = False  # whether this thread is to say nothing
    depth = 0  # how deep it is in compiling
    stop: threading.Event | None = None  # set where it is to stop compiling


class Progress:
    """One line on stderr for all that a command compiles, so that a first use never looks like a hang.

    It says what is compiled, how many kernels and for about how long. What is to come is asked for only when something
    is compiled: where all kernels are found, nothing is counted and nothing is said. Times are processor time of this
    process, which other work on the machine does not change much; where the clock shows far more, that is said too.
    """

    def __init__(self) -> None:
        """Start silent."""
        self._title = ""
        self._plans: list[Plan] = []
        self._left: dict[Any, float] = {}
        self._done: dict[Any, float] = {}
        self._started = 0.0  # processor time
        self._clock = 0.0
        self._announced = False
        self._elsewhere = False  # whether it was said that another process compiles the same
        self._own = _OfThread()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Say nothing about what this thread compiles."""
        self._own.silent = True
        try:
            yield
        finally:
            self._own.silent = False

    @contextmanager
    def expect(self, title: str, plan: Plan) -> Iterator[None]:
        """Report all that is compiled inside as one line; within another ``expect``, as part of that one's line."""
        if self._own.silent:
            yield
            return
        outermost, self._title = not self._plans, self._title or title
        self._plans.append(plan)
        if self._announced:
            self._count(plan)
        try:
            yield
        finally:
            if outermost:
                self._plans, self._title = [], ""
                self.finish()

    @property
    def expecting(self) -> bool:
        """Return whether more may come that belongs to the line."""
        return bool(self._plans)

    def _count(self, plan: Plan) -> None:
        self._left.update({kernel: weight for kernel, weight in plan().items() if kernel not in self._done})

    def begin(self, kernel: Any, name: str, plan: Plan) -> None:
        """Report that a kernel is being compiled; ``plan`` is what it needs itself."""
        if self._own.silent:
            return
        if not self._announced:
            self._announced, self._elsewhere = True, False
            self._started, self._clock = time.process_time(), time.perf_counter()
            for expected in self._plans or [plan]:
                self._count(expected)
            self._left.setdefault(kernel, 0.0)
            self._title = self._title or name
            count = f"{len(self._left)} kernel{'s' * (len(self._left) > 1)}, about {self._seconds_left():.0f} s"
            self._write(f"atlantis-envs: compiling {self._title} (first use only, then cached): {count} ...")
        elif kernel not in self._done:
            self._left.setdefault(kernel, 0.0)

    @property
    def status(self) -> str:
        """Return what is being compiled and how long it still takes; "" where nothing is, or nothing is said."""
        if not self._announced:
            return ""
        done, left = len(self._done), len(self._left)
        return f"compiling {self._title}: {done} of {done + left} kernels, {self._seconds_left():.0f} s left"

    def compiled_elsewhere(self) -> None:
        """Report, once a line, that another process compiles the same kernel."""
        if self._own.silent or not self._announced or self._elsewhere:
            return
        self._elsewhere = True
        self._write(f"{ELSEWHERE} ...")

    def end(self, kernel: Any) -> None:
        """Report that the kernel has been compiled."""
        if self._own.silent or not self._announced:
            return
        self._done[kernel] = self._left.pop(kernel, 0.0)
        if sys.stderr is not None and sys.stderr.isatty():
            share = f"{len(self._done)}/{len(self._done) + len(self._left)} kernels"
            text = f"compiling {self._title} (first use only, then cached): {share}, {self._seconds_left():.0f} s left"
            text += ELSEWHERE if self._elsewhere else ""
            self._write(f"\ratlantis-envs: {text:{WIDTH}}")

    def _seconds_left(self) -> float:
        left, done = sum(self._left.values()), sum(self._done.values())
        pace = (time.process_time() - self._started) / done if done > ENOUGH * (left + done) else 1.0
        return pace * left

    def finish(self) -> None:
        """End the line with the seconds it took, once all are compiled."""
        if self._own.silent:
            return
        if self._announced:
            spent, waited = time.process_time() - self._started, time.perf_counter() - self._clock
            busy = waited > SLOWER * spent and waited > 1
            more = (
                f" of processor time, {waited:.1f} s by the clock: other work keeps this machine busy" if busy else ""
            )
            self._write(f" {spent:.1f} s{more}\n")
        self._announced = False
        self._left, self._done = {}, {}
        if not self._plans:
            self._title = ""

    @staticmethod
    def _write(text: str) -> None:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()


class DeferredSignals:
    """Holds signals back while code is made or loaded, and delivers them between two kernels.

    An exception in the middle of LLVM's work leaves half-built objects, which crash the process later. Between two
    kernels it is as harmless as numba's own errors.
    """

    def __init__(self, progress: Progress) -> None:
        """Hold nothing back yet; ``progress`` ends its line when the outermost kernel is done."""
        self._progress = progress
        self._own = _OfThread()
        self._handlers: dict[int, Any] = {}
        self._came: list[int] = []

    def __enter__(self) -> None:
        self._own.depth += 1
        if self._own.depth == 1 and threading.current_thread() is threading.main_thread():
            for sign in SIGNALS:
                if callable(signal.getsignal(sign)):
                    self._handlers[sign] = signal.signal(sign, self._hold)

    def _hold(self, sign: int, _: Any) -> None:
        self._came.append(sign)

    def safe_point(self) -> None:
        """Deliver the signals that came; a handler may raise. So does this where the background is to stop."""
        if self._own.stop is not None and self._own.stop.is_set():
            raise KeyboardInterrupt
        if self._came and threading.current_thread() is threading.main_thread():
            sign = self._came.pop(0)
            self._handlers[sign](sign, None)

    def __exit__(self, *_: Any) -> None:
        self._own.depth -= 1
        if self._own.depth:
            return
        if not self._progress.expecting:
            self._progress.finish()
        if threading.current_thread() is threading.main_thread():
            while self._handlers:
                signal.signal(*self._handlers.popitem())
            while self._came:
                signal.raise_signal(self._came.pop(0))

    @contextmanager
    def in_background(self, stop: threading.Event, silent: bool = True) -> Iterator[None]:
        """Compile in this thread; raise KeyboardInterrupt between two kernels once ``stop`` is set."""
        self._own.stop = stop
        try:
            with self._progress.silent() if silent else nullcontext():
                yield
        finally:
            self._own.stop = None
