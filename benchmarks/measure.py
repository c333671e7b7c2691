"""Repeated measurements on pinned cores."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Rate:
    """How often something happens in a second.

    Attributes:
        median: over the runs.
        low: slowest run.
        high: fastest run.
    """

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        """As "6.20M (6.01M-6.33M)"."""
        return f"{short(self.median)} ({short(self.low)}-{short(self.high)})"


def short(value: float) -> str:
    """A number with three digits and a letter."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def rate(work: Callable[[], int], seconds: float = 1.0, runs: int = 5) -> Rate:
    """Call ``work``, which returns how many things it did, for ``seconds`` in each of several runs after a warm-up."""
    work()
    rates = []
    for _ in range(runs):
        done, started = 0, time.perf_counter()
        while time.perf_counter() - started < seconds:
            done += work()
        rates.append(done / (time.perf_counter() - started))
    return Rate(statistics.median(rates), min(rates), max(rates))


@contextmanager
def pinned(cores: int) -> Iterator[None]:
    """Run on the first ``cores`` allowed cores only, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(allowed)[:cores]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def process_seconds(code: str, runs: int = 5, environment: dict[str, str] | None = None) -> float:
    """Median seconds that ``code`` prints, in fresh processes."""
    times = []
    for _ in range(runs):
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, capture_output=True, text=True, check=True, env={**os.environ, **(environment or {})}
        )
        times.append(float(done.stdout))
    return statistics.median(times)


class ProcessError(Exception):
    """In one line, why a process cannot be measured."""


class Process:
    """A process that says "ready" when it is, then answers every line with numbers."""

    def __init__(
        self, command: list[str], called: str, folder: Path | None = None, variables: dict[str, str] | None = None
    ) -> None:
        """Start it and wait until it is ready; where it is not, say why."""
        self._called = called
        try:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **(variables or {})},
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        except OSError as problem:
            raise ProcessError(f"{called}: {problem.strerror}") from None
        said = self._read()
        if said != "ready":
            self._process.kill()
            self.stop()
            raise ProcessError(f"{called}: {said or 'ended before it was ready'}")

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def play(self, line: str = "") -> list[float]:
        """The numbers that it answers to a line."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            said = self._read()
        except BrokenPipeError:
            said = ""
        if not said:
            raise ProcessError(f"{self._called}: ended without an answer")
        return [float(word) for word in said.split()]

    def stop(self) -> None:
        """End it."""
        self._process.communicate()
