"""The line on stderr while kernels compile."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Progress:
    """One line on stderr while kernels compile, so that a first use never looks like a hang."""

    def __init__(self) -> None:
        """Start silent; ``title`` and ``total`` (kernels) may be set before the first begins."""
        self.title = ""
        self.total = 0
        self.done = 0
        self.started = 0.0
        self.announced = False
        self._own = threading.local()  # whether this thread is to be silent

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Say nothing about what this thread compiles."""
        self._own.silent = True
        try:
            yield
        finally:
            self._own.silent = False

    def _is_silent(self) -> bool:
        return getattr(self._own, "silent", False)

    def begin(self, name: str) -> None:
        """Report that a kernel is being compiled."""
        if not self.announced and not self._is_silent():
            self.announced = True
            self.started = time.perf_counter()
            self._write(f"atlantis-envs: compiling {self.title or name} (first use only, then cached) ...")

    def end(self) -> None:
        """Report that the kernel has been compiled."""
        self.done += 1
        if self.announced and not self._is_silent() and sys.stderr.isatty():
            share = f"{self.done}/{self.total}" if self.total else f"{self.done}"
            self._write(f"\ratlantis-envs: compiling {self.title} (first use only, then cached): {share} kernels ")

    def finish(self) -> None:
        """End the line with the seconds it took, once all are compiled."""
        if self._is_silent():
            return
        if self.announced:
            self._write(f" {time.perf_counter() - self.started:.1f} s\n")
        self.announced, self.done = False, 0

    @staticmethod
    def _write(text: str) -> None:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
