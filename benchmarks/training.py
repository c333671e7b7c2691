"""Where the time of training goes: ``python -m benchmarks training``.

Rounds of self-play with the default settings, on one core, after two that warm up and a snapshot of the learner, so
that all kinds of opponents take part. Wall time of whole rounds is divided into

- environment alone: stepping, masks, observations, their copies and scaling, and the Python around them;
- opponents: the time they take to choose;
- network forward: the learner choosing its actions;
- bookkeeping: what the learning library does beside that while it collects (buffers, advantages, logs);
- learning: gradient steps.

All but the border between the first two is read from clocks around the calls. Opponents that are kernels choose
inside the compiled loop that also steps the games, where no clock can be. So some calls of that loop are kept with the
games as they stood, and played twice on copies: once as they were, and once with a player that only reads the same
actions from a list. Both give the same games, which is checked; the difference is the choosing, and its share of the
loop is applied to the loop's measured time. What the loop does for the opponents' turns beside choosing (observations,
masks, noise) therefore counts as environment.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.batch import Batch
from atlantis_envs.kernels.kernel import kernel
from atlantis_envs.seats.agents import Agent, Capabilities, Compiled
from atlantis_envs.seats.compiled import CHOOSING, Advance
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import SelfPlaySettings, settings_from
from benchmarks.measure import pinned, short

KEEP_EVERY = 16  # calls of the loop
REPEATS = 5
WARM_UP = 2


@dataclass
class Call:
    """One call of the compiled loop: the games before it, who sits where, and the lanes it is about."""

    batch: Batch
    codes: NDArray[np.int8]
    lanes: NDArray[np.int64]


class Watch:
    """Calls a function and remembers how long that took; keeps some calls of the compiled loop."""

    def __init__(self, work: Callable[..., Any], batch: Batch | None = None) -> None:
        self.work, self.batch = work, batch
        self.seconds, self.calls, self.rows = 0.0, 0, 0
        self.kept: list[Call] = []
        self.keeping = 0.0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        if self.batch is not None and self.calls % KEEP_EVERY == 0:
            before = time.perf_counter()
            self.kept.append(Call(self.batch.clone(), arguments[0].copy(), arguments[1].copy()))
            self.keeping += time.perf_counter() - before
        self.calls += 1
        self.rows += len(arguments[0])
        started = time.perf_counter()
        result = self.work(*arguments, **named)
        self.seconds += time.perf_counter() - started
        return result


@dataclass
class Shares:
    """Seconds by purpose, and what was done in them."""

    steps: int
    plies: int
    total: float
    parts: dict[str, float]


@kernel
def read_on(params, work, observation, mask, noise):  # type: ignore[no-untyped-def]
    """Return a player that reads its next action from a list."""
    place = int(work[0])
    work[0] = place + 1
    return int(params[place])


def actions_of(call: Call, agents: Sequence[Agent]) -> NDArray[np.int64]:
    """Return what the kernel players play in this call, lane after lane, found by calling them as agents."""
    batch = call.batch.clone()
    played: dict[int, list[int]] = {int(lane): [] for lane in call.lanes}
    lanes = call.lanes
    while True:
        codes = call.codes[lanes, batch.seats[lanes]]
        forced = batch.action_masks[lanes].sum(axis=1) == 1
        still = (codes >= 0) | ((codes == CHOOSING) & forced)
        lanes, codes = lanes[still], codes[still]
        if not lanes.size:
            return np.array([action for lane in call.lanes for action in played[int(lane)]], np.int64)
        actions, noise = batch.action_masks[lanes].argmax(axis=1), batch.noise(batch.seed, lanes)
        for code in np.unique(codes[codes >= 0]):
            rows = np.flatnonzero(codes == code)
            seen = batch.observations[lanes[rows]], batch.action_masks[lanes[rows]]
            actions[rows] = agents[code].act(*seen, noise[rows])
        for lane, action in zip(lanes[codes >= 0], actions[codes >= 0], strict=True):
            played[int(lane)].append(int(action))
        _, over = batch.step(actions, lanes)
        lanes = lanes[~over[lanes]]


def choosing_share(calls: list[Call], agents: Sequence[Agent]) -> float:
    """Share of the compiled loop's time in which its players choose."""
    forms = [form for agent in agents if (form := Capabilities(agent).compiled) is not None]
    with_choice = without = 0.0
    for call in calls:
        actions, place = actions_of(call, agents), np.zeros(1, np.int64)
        twin = call.batch.clone()
        both = (Advance(twin, forms), Advance(twin, [Compiled(read_on, actions, place)] * len(forms)))
        times: tuple[list[float], list[float]] = ([], [])
        ends = []
        for _ in range(REPEATS):
            for advance, taken in zip(both, times, strict=True):
                twin.from_arrays(call.batch.to_arrays(), call.batch.seed)
                place[0] = 0
                started = time.perf_counter()
                advance.play(call.codes, call.lanes)
                taken.append(time.perf_counter() - started)
                ends.append(twin.states.tobytes())
        if len(set(ends)) != 1:
            raise RuntimeError("the recorded actions gave other games")
        with_choice += statistics.median(times[0])
        without += statistics.median(times[1])
    return max(0.0, 1 - without / with_choice)


def measure(settings: SelfPlaySettings, rounds: int) -> Shares:
    """Play and learn for some rounds, and divide the time."""
    with tempfile.TemporaryDirectory() as directory:
        run = Run.begin(Path(directory) / "run", settings)
        learner, environment = run.learner, run.environment
        for _ in range(WARM_UP):
            learner.play_round()
        run._snapshot()
        seats = environment.core
        loop, forward = Watch(seats.advance.play, seats.batch), Watch(learner.model.sample)
        seats.advance.play, learner.model.sample = loop, forward  # type: ignore[method-assign]
        stepping, networks, steps = environment.seconds, environment.thinking, learner.steps
        kernels, others = int(seats.advance.decisions.sum()), seats.decisions
        started, figures = time.perf_counter(), [learner.play_round() for _ in range(rounds)]
        total = time.perf_counter() - started - loop.keeping
        collecting = sum(figure["collect_seconds"] for figure in figures) - loop.keeping
        stepping = environment.seconds - stepping - loop.keeping
        networks = environment.thinking - networks
        choosing = loop.seconds * choosing_share(loop.kept, seats.compiled)
        parts = {
            "environment alone": stepping - choosing - networks,
            "opponents: random and heuristic": choosing,
            "opponents: networks": networks,
            "network forward": forward.seconds,
            "bookkeeping": collecting - stepping - forward.seconds,
            "learning": sum(figure["learn_seconds"] for figure in figures),
        }
        steps = learner.steps - steps
        kernels, others = int(seats.advance.decisions.sum()) - kernels, seats.decisions - others
        return Shares(steps, steps + kernels + others, total, parts)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks training", description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="atlandice")
    parser.add_argument("--players", type=int, default=0, help="default: the game's usual number")
    parser.add_argument("--rounds", type=int, default=6, help="rounds to measure (default: 6)")
    given = parser.parse_args(arguments)
    settings = settings_from({"game": given.game, "players": given.players, "share_snapshots": 0.5})
    with pinned(1):
        shares = measure(settings, given.rounds)
    show(given.game, settings, shares)


def show(game: str, settings: SelfPlaySettings, shares: Shares) -> None:
    """Print the table."""
    steps, plies = short(shares.steps / shares.total), short(shares.plies / shares.total)
    print(f"Self-play on {game}, default settings, rounds of {settings.num_envs} games x {settings.num_steps} steps")
    print(f"  {steps} decisions of the learner a second, {plies} plies a second")
    for name, seconds in shares.parts.items():
        print(f"  {name:<34} {seconds / shares.total:6.1%} {1e6 * seconds / shares.steps:8.2f} microseconds a decision")
