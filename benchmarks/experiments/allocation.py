"""What searches gain by their choices at equal positions, as many more simulations of the same kind tell.

    python -m benchmarks allocation atlantis_rising champion@5 champion -n 1 -o level=5 --games 40

Games are played by the first agent, and some of their decisions are kept. There every legal action is simulated many
times with luck of its own. How much better a choice does than the one that was ranked first is what the search gains.
Rollouts and leaf are those of the last agent, so what they get wrong is not seen. Few decisions matter much, so many
of them with few simulations tell more than few with many.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.search.agent import SearchAgent
from atlantis_agents.search.settings import parse_argument
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Positions, make_agent
from atlantis_envs.seats.positions import determinize
from atlantis_training.cli.common import chosen_options

RESET = {"spread": "even", "tree": "none"}  # settings of who judges


@dataclass(frozen=True)
class Kept:
    """Decisions that were kept.

    Attributes:
        positions: N of them.
        decisions: how many a game has that are not forced, float.
    """

    positions: Positions
    decisions: float


@dataclass(frozen=True)
class Gain:
    """What a search does at these decisions.

    Attributes:
        simulations: mean number.
        departs: share of choices that are not the first-ranked action.
        each: float64 (N,), gains by decision, in win shares.
    """

    simulations: float
    departs: float
    each: NDArray[np.float64]


def keep_decisions(agent: SearchAgent, games: int, share: float, seed: int) -> Kept:
    """Let an agent play games, and keep a share of the decisions that are not forced."""
    game, generator = agent.game, np.random.default_rng(seed)
    batch, lanes, total = game.batch(games, seed), np.arange(games), 0
    kept: list[tuple[Any, ...]] = []
    while len(lanes):
        noise, masks = batch.noise(seed, lanes), batch.action_masks[lanes]
        seen = batch.states[lanes], batch.seats[lanes], batch.observations[lanes], masks
        free = masks.sum(axis=1) > 1
        total += int(free.sum())
        rows = np.flatnonzero(free & (generator.random(len(lanes)) < share))
        kept.append(tuple(np.array(part[rows]) for part in seen))
        _, over = batch.step(agent.act_positions(determinize(game, *seen, noise), noise), lanes)
        lanes = lanes[~over[lanes]]
    parts = [np.concatenate(part) for part in zip(*kept, strict=True)]
    if not len(parts[0]):
        raise OptionError(f"share: {share}; allowed: enough to keep a decision of {games} games")
    return Kept(Positions(game, *parts), total / games)


def judge(agent: SearchAgent, kept: Kept, simulations: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Return the mean win share of every legal action, float64 (N, A), by as many simulations of each."""
    given = {**parse_argument(agent.settings.text), **RESET, "simulations": simulations}
    given.pop("ms", None)
    judging = SearchAgent(agent.game, 0, **given)
    return judging.study(kept.positions, _words(len(kept.positions), generator)).means


def gain_of(
    agent: SearchAgent, kept: Kept, truth: NDArray[np.float64], repeats: int, generator: np.random.Generator
) -> Gain:
    """Ask an agent about the decisions, several times with other luck."""
    rows, gains, counts, departs = np.arange(len(truth)), [], [], []
    for _ in range(repeats):
        found = agent.study(kept.positions, _words(len(truth), generator))
        gains.append(truth[rows, found.choices] - truth[rows, found.prior_choices])
        counts.append(found.counts.sum(axis=1).mean())
        departs.append((found.choices != found.prior_choices).mean())
    return Gain(float(np.mean(counts)), float(np.mean(departs)), np.mean(gains, axis=0))


def with_error(each: NDArray[np.float64], times: float) -> str:
    """Return the mean and its standard error, both so many times, as text."""
    return f"{times * each.mean():.3f} ± {times * each.std(ddof=1) / np.sqrt(len(each)):.3f}"


def _words(count: int, generator: np.random.Generator) -> NDArray[np.uint64]:
    return generator.integers(0, 2**64, count, np.uint64)


def _search(text: str, game: Game) -> SearchAgent:
    agent = make_agent(text, game)
    if not isinstance(agent, SearchAgent):
        raise OptionError(f"agents: {text!r}; allowed: searches, by their settings or by name")
    return agent


def main(arguments: list[str]) -> None:
    """Play, simulate and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks allocation", description=__doc__)
    parser.add_argument("game", help="its name")
    parser.add_argument("agents", nargs="+", help="searches")
    parser.add_argument("-n", "--players", type=int, help="number of players")
    parser.add_argument("-o", "--option", action="append", help="KEY=VALUE of the game")
    parser.add_argument("--games", type=int, default=40, help="that the first agent plays")
    parser.add_argument("--share", type=float, default=0.5, help="of the decisions that are kept")
    parser.add_argument("--simulations", type=int, default=96, help="that tell what actions are worth")
    parser.add_argument("--repeats", type=int, default=1, help="how often an agent is asked")
    parser.add_argument("--seed", type=int, default=12, help="of all luck")
    given = parser.parse_args(arguments)
    players = {} if given.players is None else {"players": given.players}
    game = atlantis_envs.game(given.game, **players, **chosen_options(given.option))
    agents = {text: _search(text, game) for text in given.agents}
    kept = keep_decisions(agents[given.agents[0]], given.games, given.share, given.seed)
    generator = np.random.default_rng(given.seed + 1)
    truth = judge(agents[given.agents[-1]], kept, given.simulations, generator)
    print(
        f"{len(truth)} decisions of {given.games} games, {kept.decisions:.0f} in a game; gains in win shares a game\n"
    )
    print(
        "| agent | simulations | departs | gain ± standard error | more than the first agent |\n|---|---|---|---|---|"
    )
    standard: NDArray[np.float64] | None = None
    for text, agent in agents.items():
        gain = gain_of(agent, kept, truth, given.repeats, generator)
        standard = gain.each if standard is None else standard
        more = with_error(gain.each - standard, kept.decisions)
        shown = f"{gain.simulations:.1f} | {gain.departs:.3f} | {with_error(gain.each, kept.decisions)} | {more}"
        print(f"| `{text}` | {shown} |", flush=True)
