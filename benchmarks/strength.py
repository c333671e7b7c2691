"""How strong agents are and what they cost: one hero against equal opponents, in every seat, with intervals."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.search.agent import SearchAgent
from atlantis_agents.search.settings import HEURISTIC, usual_settings
from atlantis_envs.base.arguments import MAX_SEED
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_envs.registry import definition
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.compiled import compiled_form
from atlantis_envs.seats.positions import PositionAgent, Positions
from atlantis_training.cli.common import chosen_options
from atlantis_training.lab.matches import play_games
from atlantis_training.lab.pages import sums_of_own
from atlantis_training.lab.statistics import win_share
from atlantis_training.lab.workers import tried_agents
from benchmarks.cells import Part, Results, code_print, missing

Rows = NDArray[np.bool_]
Words = NDArray[np.uint64] | None  # random words, one per row
PART = 10  # games of each seat between two looks at the clock, and between two lines of the file
INTERRUPTED, MISTAKEN = 130, 2
HEAD = (
    "| game | hero | against | games | share | Wilson 95 % | by seat | CPU ms | simulations | decisions each |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


class Timed:
    """An agent with a stop watch, for decisions with a choice.

    An agent whose answers do not depend on what else it is asked at the same time is not asked where only one action is
    legal. A policy is asked everywhere, and the time of forced rows counts: its matrix products may round otherwise
    among fewer rows, and the games would be others.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent, self.seconds, self.decisions, self.simulations, self.imagined = agent, 0.0, 0, 0, 0
        self.by_row = compiled_form(agent) is not None

    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8], noise: Words = None) -> NDArray[np.int64]:
        return self._timed(masks, lambda rows: self.agent.act(observations[rows], masks[rows], _part_of(noise, rows)))

    def _timed(self, masks: NDArray[np.int8], answer: Callable[[Rows], NDArray[np.int64]]) -> NDArray[np.int64]:
        """What is chosen in every row; the watch runs while ``answer`` looks at those it is asked for."""
        chosen, free = np.asarray(masks.argmax(axis=1), np.int64), masks.sum(axis=1) > 1
        rows = free if self.by_row else np.ones_like(free)
        if rows.any():
            started = time.process_time()
            chosen[rows] = answer(rows)
            self.seconds += time.process_time() - started
        self.decisions += int(free.sum())
        return chosen


class TimedAtPositions(Timed):
    """The same for an agent that sees positions."""

    agent: PositionAgent

    def act_positions(self, positions: Positions, noise: Words = None) -> NDArray[np.int64]:
        return self._timed(positions.masks, lambda rows: self.answers(_some(positions, rows), _part_of(noise, rows)))

    def answers(self, positions: Positions, noise: Words = None) -> NDArray[np.int64]:
        return self.agent.act_positions(positions, noise)


class TimedSearch(TimedAtPositions):
    """The same for a search, whose imagined games are counted."""

    agent: SearchAgent

    def __init__(self, agent: SearchAgent) -> None:
        super().__init__(agent)
        self.by_row = agent.settings.guide == HEURISTIC  # a policy that guides is asked for all rows together

    def answers(self, positions: Positions, noise: Words = None) -> NDArray[np.int64]:
        found = self.agent.study(positions, noise)
        self.simulations += int(found.counts.sum())
        self.imagined += int(found.decisions.sum())
        return found.choices


def _part_of(noise: Words, rows: Rows) -> Words:
    return None if noise is None else noise[rows]


def _some(whole: Positions, rows: Rows) -> Positions:
    parts = (whole.states, whole.seats, whole.observations, whole.masks)
    return Positions(whole.game, *(part[rows] for part in parts))


def timed(agent: Agent) -> Timed:
    """The agent with the stop watch that fits it."""
    if isinstance(agent, SearchAgent):
        return TimedSearch(agent)
    return TimedAtPositions(agent) if callable(getattr(agent, "act_positions", None)) else Timed(agent)


@dataclass
class Cell:
    """One line of the table."""

    game: Game
    hero: str
    against: str
    seed: int

    def __post_init__(self) -> None:
        """Make the agents and let each answer once: what compiling and loading take is not theirs.

        Raises:
            OptionError: an agent is unknown or does not fit the game.
        """
        self.together = self.game.definition.utility == IDENTICAL
        agents = tried_agents(self.game, [self.hero] if self.together else [self.hero, self.against])
        self.agent, self.other = agents[self.hero], agents[self.hero if self.together else self.against]
        self.seats = 1 if self.together else self.game.players  # in a team everybody is the hero

    @property
    def key(self) -> dict[str, Any]:
        """What is measured, complete: two cells with the same key would give the same games.

        What comes with the library is known by its name, and by the fingerprint of the code in every part.
        """
        sums = sums_of_own([self.hero] if self.together else [self.hero, self.against], self.game)
        return {
            "game": self.game.name,
            "players": self.game.players,
            "options": self.game.options.to_json(),
            "rules": self.game.definition.versions.rules,
            "hero": _full(self.agent, self.hero),
            "against": None if self.together else _full(self.other, self.against),
            "seed": self.seed,
        } | ({"sha256": sums} if sums else {})

    def play(self, results: Results, games: int, seconds: float, part: int = PART) -> None:
        """Play what is missing to so many games, all seats together, fewer if the time is over; seats take turns."""
        each, began, kept = -(-games // self.seats), time.perf_counter(), results.of(self.key)
        todo = [(run.start, seat, run) for seat in range(self.seats) for run in missing(kept, seat, each, part)]
        for first, seat, run in sorted(todo, key=lambda turn: turn[:2]):
            if seat == 0 and time.perf_counter() - began >= seconds:
                return
            results.add(self._part(first, seat, len(run)))

    def _part(self, first: int, seat: int, count: int) -> Part:
        watch = timed(self.agent)
        table = [watch if self.together or place == seat else self.other for place in range(self.game.players)]
        result = play_games(self.game, table, count, self.seed, first=first)
        won = (result.returns[:, 0] > 0).astype(float) if self.together else result.win_shares[:, seat]
        return Part(
            self.key, seat, first, won.tolist(), watch.seconds, watch.decisions, watch.simulations, watch.imagined,
            code_print(),
        )  # fmt: skip


def _full(agent: Agent, name: str) -> str:
    """An agent's name with all settings."""
    return f"search:{agent.settings.text}" if isinstance(agent, SearchAgent) else name


def _short(cell: dict[str, Any], name: str) -> str:
    """A search's name without settings that are as the game declares."""
    if not name.startswith("search:"):
        return name
    budget, *others = name.split(",")
    usual = f"search:{usual_settings(definition(cell['game']), cell['players']).text}".split(",")
    return ",".join([budget, *(part for part in others if part not in usual)])


def line(cell: dict[str, Any], parts: list[Part]) -> str:
    """A line of the table."""
    columns = [[share for part in parts if part.seat == seat for share in part.shares]
               for seat in sorted({part.seat for part in parts})]  # fmt: skip
    pooled = win_share(np.concatenate([np.array(column) for column in columns]))
    decisions, simulations = sum(part.decisions for part in parts), sum(part.simulations for part in parts)
    level = {name: value for name, value in cell["options"].items() if name == "level"}  # others are by level
    usual = atlantis_envs.game(cell["game"], players=cell["players"], **level).options.to_json() | {"level": None}
    changed = [f"{name}={value}" for name, value in cell["options"].items() if usual[name] != value]
    hero, against = (_short(cell, name) for name in (cell["hero"], cell["against"] or "-"))
    cells = (
        " ".join([cell["game"], f"{cell['players']} players", *changed]), hero, against,
        pooled.games, f"{pooled.value:.3f}", f"{pooled.low:.3f}..{pooled.high:.3f}",
        " ".join(f"{np.mean(column):.2f}" for column in columns),
        f"{1000 * sum(part.seconds for part in parts) / max(1, decisions):.3g}",
        f"{simulations / max(1, decisions):.1f}",
        f"{sum(part.imagined for part in parts) / max(1, simulations):.1f}",
    )  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def main(arguments: list[str]) -> int:
    """Measure and print; after Ctrl-C what there is, with exit status 130, and after a mistake a line, with 2."""
    given = _given(arguments)
    try:
        results = Results(given.out)
        cells = _cells(given)
        print("\n".join(HEAD), flush=True)
        if given.game is None:
            for known in results.cells():
                print(line(known, results.of(known)))
        return _measure(cells, results, given)
    except (AtlantisError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return MISTAKEN


def _given(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks strength", description=__doc__)
    parser.add_argument("game", nargs="?", help="without one, the table of the file alone")
    parser.add_argument("heroes", nargs="*", help="agents, one line each")
    parser.add_argument("--players", "-n", type=int, default=None)
    parser.add_argument("--against", "-a", default="heuristic", help="the agent in all other seats")
    parser.add_argument("--games", "-g", type=int, default=2000, help="of each hero, all seats together")
    parser.add_argument("--part", type=int, default=PART, help="games between two lines of the file")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no more games after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--option", "-o", action="append", help="KEY=VALUE of the game")
    parser.add_argument("--out", type=Path, help="JSON lines to keep games in, and to go on from")
    given = parser.parse_args(arguments)
    if given.part < 1 or given.games < 1:
        parser.error("--part and --games; allowed: integers from 1")
    return given


def _cells(given: argparse.Namespace) -> list[Cell]:
    """All that is to be measured, its agents made, so that a mistake shows before anything is played.

    Raises:
        OptionError: a game, an option, an agent or the seed is not allowed.
    """
    if given.game is None:
        return []
    if not 0 <= given.seed <= MAX_SEED:
        raise OptionError(f"seed: {given.seed}; allowed: an integer 0..2**64-1")
    game = atlantis_envs.game(given.game, players=given.players, **chosen_options(given.option))
    return [Cell(game, hero, given.against, given.seed) for hero in given.heroes]


def _measure(cells: list[Cell], results: Results, given: argparse.Namespace) -> int:
    for cell in cells:
        stopped = False
        try:
            cell.play(results, given.games, given.seconds, given.part)
        except KeyboardInterrupt:
            stopped = True
        parts = results.of(cell.key)
        if parts:
            print(line(cell.key, parts), flush=True)
        if stopped:
            print("Stopped; the same command with the same --out goes on from here.", file=sys.stderr)
            return INTERRUPTED
    return 0
