"""How strong agents are and what they cost: one hero against equal opponents, in every seat, with intervals."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.search.agent import SearchAgent
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.positions import Positions
from atlantis_training.cli.common import chosen_options
from atlantis_training.lab.matches import play_games
from atlantis_training.lab.statistics import win_share

PART = 20  # games of each seat between two looks at the clock
HEAD = (
    "| game | hero | against | games | share | Wilson 95 % | by seat | CPU ms | simulations | decisions each |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


class Timed:
    """An agent with a stop watch; forced moves are not counted as decisions."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.seconds, self.decisions, self.simulations, self.imagined = agent, 0.0, 0, 0, 0

    def act(
        self, observations: NDArray[np.uint8], masks: NDArray[np.int8], noise: NDArray[np.uint64] | None = None
    ) -> NDArray[np.int64]:
        started = time.process_time()
        chosen = self.agent.act(observations, masks, noise)
        self.seconds += time.process_time() - started
        self.decisions += int((masks.sum(axis=1) > 1).sum())
        return chosen


class TimedSearch(Timed):
    """The same for a search."""

    agent: SearchAgent

    def act_positions(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        started = time.process_time()
        found = self.agent.study(positions, noise)
        self.seconds += time.process_time() - started
        self.decisions += int((positions.masks.sum(axis=1) > 1).sum())
        self.simulations += int(found.counts.sum())
        self.imagined += int(found.decisions.sum())
        return found.choices


@dataclass
class Cell:
    """One line of the table."""

    game: Game
    hero: str
    against: str
    shares: list[list[float]] = field(default_factory=list)

    def play(self, games: int, seconds: float, seed: int) -> Timed:
        """Play about so many games, fewer if the time is over."""
        players = self.game.players
        together = self.game.definition.utility == IDENTICAL
        agent = make_agent(self.hero, self.game)
        watch = TimedSearch(agent) if isinstance(agent, SearchAgent) else Timed(agent)
        other = make_agent(self.against, self.game)
        seats = 1 if together else players  # in a team everybody is the hero
        self.shares = [[] for _ in range(seats)]
        each, first, began = -(-games // seats), 0, time.perf_counter()
        while first < each and (first == 0 or time.perf_counter() - began < seconds):
            count = min(PART, each - first)
            for seat in range(seats):
                table = [watch if together or place == seat else other for place in range(players)]
                result = play_games(self.game, table, count, seed, first=first)
                won = (result.returns[:, 0] > 0).astype(float) if together else result.win_shares[:, seat]
                self.shares[seat].extend(won.tolist())
            first += count
        return watch

    def line(self, watch: Timed) -> str:
        """The line."""
        pooled = win_share(np.concatenate([np.array(column) for column in self.shares]))
        seats = " ".join(f"{np.mean(column):.2f}" for column in self.shares)
        options = [f"{key}={value}" for key, value in _changed(self.game).items()]
        cost = 1000 * watch.seconds / max(1, watch.decisions)
        simulations = watch.simulations / max(1, watch.decisions)
        length = watch.imagined / max(1, watch.simulations)
        games = sum(len(column) for column in self.shares)
        name = " ".join([self.game.name, f"{self.game.players} players", *options])
        cells = (
            name, self.hero, "-" if self.game.definition.utility == IDENTICAL else self.against, games,
            f"{pooled.value:.3f}", f"{pooled.low:.3f}..{pooled.high:.3f}", seats, f"{cost:.3g}",
            f"{simulations:.1f}", f"{length:.1f}",
        )  # fmt: skip
        return f"| {' | '.join(str(cell) for cell in cells)} |"


def _changed(game: Game) -> dict[str, Any]:
    """The options that are not as usual."""
    usual = game.definition.parse_options(game.players, None, {}).to_json()
    return {key: value for key, value in game.options.to_json().items() if usual[key] != value and key == "level"}


def main(arguments: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks strength", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("heroes", nargs="+", help="agents, one line each")
    parser.add_argument("--players", "-n", type=int, default=None)
    parser.add_argument("--against", "-a", default="heuristic", help="the agent in all other seats")
    parser.add_argument("--games", "-g", type=int, default=2000, help="of each hero, all seats together")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no more games after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--option", "-o", action="append", help="KEY=VALUE of the game")
    given = parser.parse_args(arguments)
    game = atlantis_envs.game(given.game, players=given.players, **chosen_options(given.option))
    print("\n".join(HEAD), flush=True)
    for hero in given.heroes:
        cell = Cell(game, hero, given.against)
        watch = cell.play(given.games, given.seconds, given.seed)
        print(cell.line(watch), flush=True)
