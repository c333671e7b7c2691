"""Signals while code is made: held back, and delivered between two kernels."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from atlantis_envs.kernels.progress import Progress

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class DeferredSignals:
    """Holds signals back while code is made or loaded, and delivers them between two kernels.

    An exception in the middle of LLVM's work leaves half-built objects, which crash the process later. Between two
    kernels it is as harmless as numba's own errors.
    """

    def __init__(self, progress: Progress) -> None:
        """Hold nothing back yet; ``progress`` ends its line when the outermost kernel is done."""
        self._progress = progress
        self._own = threading.local()  # how deep each thread is in compiling; only the main one is interrupted
        self._handlers: dict[int, Any] = {}
        self._came: list[int] = []

    def __enter__(self) -> None:
        self._own.depth = getattr(self._own, "depth", 0) + 1
        if self._own.depth == 1 and threading.current_thread() is threading.main_thread():
            for sign in SIGNALS:
                if callable(signal.getsignal(sign)):
                    self._handlers[sign] = signal.signal(sign, self._hold)

    def _hold(self, sign: int, _: Any) -> None:
        self._came.append(sign)

    def safe_point(self) -> None:
        """Deliver the signals that came; a handler may raise. So does this where the background is to stop."""
        stop = getattr(self._own, "stop", None)
        if stop is not None and stop.is_set():
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
    def in_background(self, stop: threading.Event) -> Iterator[None]:
        """Compile silently in this thread; raise KeyboardInterrupt between two kernels once ``stop`` is set."""
        self._own.stop = stop
        try:
            with self._progress.silent():
                yield
        finally:
            self._own.stop = None
