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
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import AtlantisError, OptionError
from atlantis_envs.registry import definition
from atlantis_envs.seats.agents import Agent, Capabilities, PositionAgent, Positions
from atlantis_training.cli.common import chosen_options
from atlantis_training.evaluation.evaluate import hero_line_ups
from atlantis_training.evaluation.measure import measure, part_of, results_of, tried_agents
from atlantis_training.evaluation.report import Table, sums_of_own
from atlantis_training.evaluation.statistics import win_share
from atlantis_training.evaluation.store import Part, Store, code_hash

Rows = NDArray[np.bool_]
Words = NDArray[np.uint64] | None  # random words, one per row
PART = 10  # games of each seat between two looks at the clock, and between two lines of the file
INTERRUPTED, MISTAKEN = 130, 2
COLUMNS = (
    "game", "hero", "against", "games", "share", "Wilson 95 %", "by seat", "CPU ms", "simulations", "decisions each",
)  # fmt: skip


class Timed:
    """An agent with a stop watch, for decisions with a choice.

    An agent whose answers do not depend on what else it is asked at the same time is not asked where only one action is
    legal. A policy is asked everywhere, and the time of forced rows counts: its matrix products may round otherwise
    among fewer rows, and the games would be others.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent, self.seconds, self.decisions, self.simulations, self.imagined = agent, 0.0, 0, 0, 0
        self.by_row = Capabilities(agent).compiled is not None

    def act(self, observations: NDArray[np.uint8], masks: NDArray[np.int8], noise: Words = None) -> NDArray[np.int64]:
        return self._timed(masks, lambda rows: self.agent.act(observations[rows], masks[rows], _part_of(noise, rows)))

    def _timed(self, masks: NDArray[np.int8], answer: Callable[[Rows], NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return what is chosen in every row; the watch runs while ``answer`` looks at those it is asked for."""
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
    """The same for a search, whose simulated games are counted."""

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
    """Return the agent with the stop watch that fits it."""
    if isinstance(agent, SearchAgent):
        return TimedSearch(agent)
    return Timed(agent) if Capabilities(agent).act_positions is None else TimedAtPositions(agent)  # type: ignore[arg-type]


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
        self.together = self.game.cooperative
        agents = tried_agents(self.game, [self.hero] if self.together else [self.hero, self.against])
        self.agent, self.other = agents[self.hero], agents[self.hero if self.together else self.against]
        self.seats = 1 if self.together else self.game.players  # in a team everybody is the hero

    @property
    def key(self) -> dict[str, Any]:
        """Return what is measured, complete: two cells with the same key would give the same games.

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

    def play(self, store: Store, games: int, seconds: float, part: int = PART) -> None:
        """Play what is missing to so many games, all seats together, fewer if the time is over; seats take turns."""
        each, began, known = -(-games // self.seats), time.perf_counter(), parts_of(store, self.key)
        todo = [(run.start, seat, run) for seat in range(self.seats) for run in missing(known, seat, each, part)]
        for _, seat, run in sorted(todo, key=lambda turn: turn[:2]):
            if seat == 0 and time.perf_counter() - began >= seconds:
                return
            store.add(self.key, self._part(run, seat))

    def _part(self, games: range, seat: int) -> Part:
        watch, players = timed(self.agent), self.game.players
        line_up = ("hero",) * players if self.together else hero_line_ups("hero", "other", players)[seat]
        agents = {"hero": watch, "other": self.other}
        measured = measure(self.game, [line_up], games, self.seed, agents=agents, step=len(games))
        if measured.interrupted:
            raise KeyboardInterrupt
        return {
            "seat": seat, **part_of(measured.results[0]), "seconds": watch.seconds, "decisions": watch.decisions,
            "simulations": watch.simulations, "imagined": watch.imagined, "code": code_hash(),
        }  # fmt: skip


def parts_of(store: Store, cell: Part) -> list[Part]:
    """Return the parts of a cell; say so on stderr if other code played some of them.

    Each holds the number of its ``first`` game, the ``seat`` of the hero, 0 for a team, and all results, or, where it
    is older, ``shares``, what the hero won. ``seconds`` is the CPU time of its ``decisions`` that were not forced,
    ``simulations`` the simulated games in them, ``imagined`` the decisions in these, ``code`` a digest of what played.

    Raises:
        OptionError: a part is not what this command writes.
    """
    found = store.of(cell)
    foreign = sum(len(shares_of(part)) for part in found if part["code"] != code_hash())
    if foreign:
        print(f"Note: other code than the present played {foreign} of the games kept.", file=sys.stderr)
    return found


def shares_of(part: Part) -> list[float]:
    """Return what the hero won of each game of a part."""
    if "shares" in part:
        return list(part["shares"])
    cell = part["what"]
    results = results_of(part, cell["players"])
    won = results.won[:, 0] if cell["against"] is None else results.win_shares[:, part["seat"]]
    return [float(share) for share in won]


def missing(parts: list[Part], seat: int, games: int, size: int) -> list[range]:
    """Return games 0..games-1 that a seat has still to play, in runs of at most ``size``."""
    known = [part for part in parts if part["seat"] == seat]
    done = {part["first"] + index for part in known for index in range(len(shares_of(part)))}
    runs: list[range] = []
    for number in sorted(set(range(games)) - done):
        if runs and runs[-1].stop == number and len(runs[-1]) < size:
            runs[-1] = range(runs[-1].start, number + 1)
        else:
            runs.append(range(number, number + 1))
    return runs


def _full(agent: Agent, name: str) -> str:
    """Return an agent's name with all settings."""
    return f"search:{agent.settings.text}" if isinstance(agent, SearchAgent) else name


def _short(cell: dict[str, Any], name: str) -> str:
    """Return a search's name without settings that are as the game declares."""
    if not name.startswith("search:"):
        return name
    budget, *others = name.split(",")
    usual = f"search:{usual_settings(definition(cell['game'])).text}".split(",")
    return ",".join([budget, *(part for part in others if part not in usual)])


def row(cell: Part, parts: list[Part]) -> tuple[Any, ...]:
    """Return a row of the table; it names the version of the rules where that is not the present one."""
    columns = [
        np.concatenate([shares_of(part) for part in parts if part["seat"] == seat])
        for seat in sorted({part["seat"] for part in parts})
    ]
    pooled = win_share(np.concatenate(columns))
    sums = {name: sum(part[name] for part in parts) for name in ("seconds", "decisions", "simulations", "imagined")}
    level = {name: value for name, value in cell["options"].items() if name == "level"}  # others are by level
    usual = atlantis_envs.game(cell["game"], players=cell["players"], **level).options.to_json() | {"level": None}
    changed = [f"{name}={value}" for name, value in cell["options"].items() if usual[name] != value]
    if cell["rules"] != definition(cell["game"]).versions.rules:
        changed.append(f"rules {cell['rules']}")
    return (
        " ".join([cell["game"], f"{cell['players']} players", *changed]),
        *(_short(cell, name) for name in (cell["hero"], cell["against"] or "-")),
        pooled.games, f"{pooled.value:.3f}", f"{pooled.low:.3f}..{pooled.high:.3f}",
        " ".join(f"{column.mean():.2f}" for column in columns),
        f"{1000 * sums['seconds'] / max(1, sums['decisions']):.3g}",
        f"{sums['simulations'] / max(1, sums['decisions']):.1f}",
        f"{sums['imagined'] / max(1, sums['simulations']):.1f}",
    )  # fmt: skip


def line(cells: tuple[Any, ...]) -> str:
    """Return a row as a line, which is printed when it is known."""
    return str(Table(cells, ())).partition("\n")[0]


def main(arguments: list[str]) -> int:
    """Measure and print; after Ctrl-C what there is, with exit status 130, and after a mistake a line, with 2."""
    given = _given(arguments)
    try:
        store = Store(given.out)
        cells = _cells(given)
        print(Table(COLUMNS, ()), flush=True)
        if given.game is None:
            for known in store.whats():
                print(line(row(known, parts_of(store, known))))
        return _measure(cells, store, given)
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
    """Yield all that is to be measured, its agents made, so that a mistake shows before anything is played.

    Raises:
        OptionError: a game, an option, an agent or the seed is not allowed.
    """
    if given.game is None:
        return []
    if not 0 <= given.seed <= MAX_SEED:
        raise OptionError(f"seed: {given.seed}; allowed: an integer 0..2**64-1")
    game = atlantis_envs.game(given.game, players=given.players, **chosen_options(given.option))
    return [Cell(game, hero, given.against, given.seed) for hero in given.heroes]


def _measure(cells: list[Cell], store: Store, given: argparse.Namespace) -> int:
    for cell in cells:
        stopped = False
        try:
            cell.play(store, given.games, given.seconds, given.part)
        except KeyboardInterrupt:
            stopped = True
        parts = parts_of(store, cell.key)
        if parts:
            print(line(row(cell.key, parts)), flush=True)
        if stopped:
            print("Stopped; the same command with the same --out goes on from here.", file=sys.stderr)
            return INTERRUPTED
    return 0
