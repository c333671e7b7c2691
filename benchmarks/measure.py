"""Repeated measurements on pinned cores, and the rates of this library."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import atlantis_envs
from atlantis_envs.registry import environment_name
from atlantis_envs.seats.agents import make_agent

STEPS_PER_CALL = 50
CLONES_PER_CALL = 100_000


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
        """Return it as "6.20M (6.01M-6.33M)"."""
        return f"{short(self.median)} ({short(self.low)}-{short(self.high)})"


def short(value: float) -> str:
    """Return a number with three digits and a letter."""
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
    """Return the median seconds that ``code`` prints, in fresh processes."""
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
        """Return the numbers that it answers to a line."""
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


# --------------------------------------------------------------------------------------------------------- this library


def stepping(name: str, players: int, lanes: int, threads: int = 1, agent: str = "random") -> tuple[Rate, Rate]:
    """Return decisions/s and games/s of a batch: observation, mask and the agent's choice included."""
    game = atlantis_envs.game(name, players=players)
    chooser = make_agent(agent, game, threads=threads)
    batch = game.batch(lanes, seed=1, threads=threads)
    finished = 0

    def work() -> int:
        nonlocal finished
        for _ in range(STEPS_PER_CALL):
            _, over = batch.step(chooser.act(batch.observations, batch.action_masks, batch.noise(2)))
            finished += int(over.sum())
        return STEPS_PER_CALL * lanes

    work()
    with pinned(threads):
        started, finished = time.perf_counter(), 0
        decisions = rate(work)
        games = finished / (time.perf_counter() - started)
    return decisions, Rate(games, games, games)


def step_milliseconds(name: str, players: int, lanes: int, threads: int, steps: int = 80) -> float:
    """Return the median milliseconds of one ``Batch.step`` of all lanes, the choice of actions left out."""
    game = atlantis_envs.game(name, players=players)
    chooser = make_agent("random", game)
    batch = game.batch(lanes, seed=1, threads=threads)
    times = []
    with pinned(threads):
        for _ in range(steps):
            actions = chooser.act(batch.observations, batch.action_masks, batch.noise(2))
            started = time.perf_counter()
            batch.step(actions)
            times.append(time.perf_counter() - started)
    return 1000 * statistics.median(times)


def aec(name: str, players: int, wrapped: bool) -> Rate:
    """Return steps/s of the PettingZoo environment in the usual loop, a random legal action each."""
    module = getattr(atlantis_envs, environment_name(name))
    environment = (module.env if wrapped else module.raw_env)(players=players)
    with pinned(1):
        return rate(aec_loop(environment))


def aec_loop(environment: object, steps: int = 2000) -> Callable[[], int]:
    """Return the loop of ``last`` and ``step`` with a uniform legal action, for any PettingZoo environment."""
    env: object = environment
    words = np.random.default_rng(0).random(steps)
    env.reset(seed=0)  # type: ignore[attr-defined]

    def work() -> int:
        for word in words:
            observation, _, terminated, truncated, _ = env.last()  # type: ignore[attr-defined]
            if terminated or truncated:
                env.reset()  # type: ignore[attr-defined]
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(word * len(legal))]))  # type: ignore[attr-defined]
        return steps

    return work


def bulk_clone_nanoseconds(name: str) -> float:
    """Return nanoseconds to copy one position among many."""
    batch = atlantis_envs.game(name).batch(1024, seed=1)
    lanes = np.arange(CLONES_PER_CALL) % 1024
    with pinned(1):
        return 1e9 / rate(lambda: len(batch.states[lanes])).median


def position_clone_nanoseconds(name: str) -> float:
    """Return nanoseconds of ``Position.clone``."""
    position = atlantis_envs.game(name).initial_position()

    def work() -> int:
        for _ in range(1000):
            position.clone()
        return 1000

    with pinned(1):
        return 1e9 / rate(work).median


IMPORT = "import time; t = time.perf_counter(); import atlantis_envs; print(time.perf_counter() - t)"
FIRST_STEP = (
    "import time; t = time.perf_counter(); import atlantis_envs; b = atlantis_envs.game({name!r}).batch(1); "
    "b.step(b.action_masks.argmax(axis=1)); print(time.perf_counter() - t)"
)


def import_seconds() -> float:
    """Return seconds to import the library in a fresh process."""
    return process_seconds(IMPORT)


def first_step_seconds(name: str) -> tuple[float, float]:
    """Return seconds from a fresh process to the first step: with an empty cache, and with a warm one."""
    code = FIRST_STEP.format(name=name)
    with tempfile.TemporaryDirectory() as cache:
        variables = {"ATLANTIS_ENVS_CACHE": cache, "ATLANTIS_ENVS_PREBUILT": "0"}
        cold = process_seconds(code, 1, variables)
        warm = process_seconds(code, 5, variables)
    return cold, warm
