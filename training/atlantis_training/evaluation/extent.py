"""How many games are played: a number, as many as intervals need, until an answer is known, or what minutes buy.

Cells are an agent in all seats of a game, and pairs of neighbours in the list of agents, which are played for ratings.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from time import monotonic, process_time

import numpy as np

from atlantis_envs.base.files import read_json, write_atomically
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_training.evaluation import statistics
from atlantis_training.evaluation.cluster import Cluster
from atlantis_training.evaluation.ladder import Ladder
from atlantis_training.evaluation.measure import MOST_GAMES, Bar, Cell, Measured, identity, measure_cells, tried_agents
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

FEWEST_GAMES = 100  # below that no interval means much
FINEST = 0.005  # half-width below which minutes are better spent on other agents
RATING_WEIGHT = 0.15  # of a block of ratings beside a game, when minutes are shared out
USED = 0.9  # of the minutes that are planned; the rest is for starting, ending, and estimates that were too low
# What an agent costs is known when games have taken so much processor time, and four times as many so much more; or
# when they have taken much, or at so many.
TIMED_SECONDS, TIMED_GROWTH, MUCH_SECONDS, TIMED_GAMES = 0.3, 2.5, 1.5, 2048
TASK_SECONDS = 2.0  # of a task, where it is known what a game costs
FIRST_LOOK = 200  # games before the first look whether places differ
PLAN = "plan.json"


class SeatsTable:
    """What is played at one number of players: a cell per agent, and one per pair of neighbours in their list."""

    def __init__(self, game: Game, agents: Sequence[str], seed: int) -> None:
        twice = [agent for agent in agents if list(agents).count(agent) > 1]
        if not agents or twice:
            raise OptionError(
                f"agents: {', '.join(map(repr_short, twice or agents))}; allowed: different ones, 1 or more"
            )
        self.game, self.agents = game, tuple(agents)
        self.found = tried_agents(game, agents)
        self.seats = [Cell(game, ((agent,) * game.players,), range(0)) for agent in agents]
        pairs = (Ladder(game, pair, seed).matchups[0] for pair in pairwise(agents))
        self.pairs = [Cell(game, line_ups, range(0)) for line_ups in pairs]


@dataclass(eq=False)
class Play:
    """Cells of all tables, seats before pairs in each, and how far they are.

    Attributes:
        tables: what is played.
        seed: of chance and agents.
        workers: processes, or a cluster.
        store: holds the games.
        bar: shows how far it is.
        deadline: moment at which the games at hand are the last ones.
        interrupted: whether it was stopped, other than by the deadline.
    """

    tables: Sequence[SeatsTable]
    seed: int
    workers: Workers
    store: Store
    bar: Bar
    deadline: float = math.inf
    interrupted: bool = False
    measured: list[Measured] = field(default_factory=list)

    @property
    def cells(self) -> list[Cell]:
        """Return all cells."""
        return [cell for table in self.tables for cell in (*table.seats, *table.pairs)]

    def is_pair(self) -> list[bool]:
        """Return of each cell whether it is played for ratings."""
        return [pair for table in self.tables for pair in [False] * len(table.seats) + [True] * len(table.pairs)]

    def to(self, counts: Sequence[int], text: str, seconds: Sequence[float] | None = None) -> list[Measured]:
        """Play every cell up to so many games of each line-up; ``seconds`` are what one game of each costs."""
        weights = seconds or [1.0] * len(self.cells)
        steps = [max(1, min(MOST_GAMES, int(TASK_SECONDS / cost))) if seconds else None for cost in weights]
        rows = zip(self.cells, counts, steps, strict=True)
        cells = [replace(cell, games=range(count), step=step) for cell, count, step in rows]
        total = sum(len(one.games) * len(one.line_ups) * weight for one, weight in zip(cells, weights, strict=True))
        found = [table.found for table in self.tables for _ in (*table.seats, *table.pairs)]
        with self.bar(text, math.ceil(total), "seconds of work" if seconds else "games") as advance:
            self.measured = measure_cells(
                cells, self.seed, self.workers, lambda number, games: advance(games * weights[number]),
                agents=found, store=self.store, enough=lambda _: monotonic() > self.deadline,
            )  # fmt: skip
        self.interrupted = any(one.interrupted for one in self.measured) and monotonic() <= self.deadline
        return self.measured

    def spread(self) -> list[float]:
        """Return the standard deviation of one game's win share in every cell of seats, of the worst place."""
        found = []
        for one in self.measured:
            shares = one.results[0].win_shares
            equal = math.sqrt(one.game.players - 1) / one.game.players
            spread = float(shares.std(axis=0, ddof=1).max()) if len(shares) >= FEWEST_GAMES else equal
            found.append(spread or equal)
        return found

    def to_precision(self, precision: float, rating_blocks: int) -> None:
        """Play until intervals are so narrow, as the spread of the first quarter of the games says."""
        equal = [math.sqrt(cell.game.players - 1) / cell.game.players for cell in self.cells]
        first = [max(FEWEST_GAMES, statistics.games_for_precision(one, precision) // 4) for one in equal]
        blocks = [rating_blocks if pair else 0 for pair in self.is_pair()]
        self.to([count or games for count, games in zip(blocks, first, strict=True)], "the first games")
        if not self.interrupted:
            needed = [statistics.games_for_precision(one, precision) for one in self.spread()]
            counts = [
                count if pair else max(begun, games)
                for pair, count, begun, games in zip(self.is_pair(), blocks, first, needed, strict=True)
            ]
            self.to(counts, "the rest")

    def until_decided(self, precision: float, games: int | None, rating_blocks: int) -> None:
        """Play on, at twice as many games a look, where it is not known that places differ."""
        pairs = self.is_pair()
        spread = [math.sqrt(cell.game.players - 1) / cell.game.players for cell in self.cells]
        most = [games or statistics.games_for_precision(one, precision) for one in spread]
        level = statistics.LEVEL / (len(pairs) - sum(pairs))
        counts = [rating_blocks if pair else min(FIRST_LOOK, top) for pair, top in zip(pairs, most, strict=True)]
        while True:
            self.to(counts, f"{max(counts):,} games")
            further = [
                min(2 * count, top) if not pair and anytime(one) > level else count
                for pair, count, top, one in zip(pairs, counts, most, self.measured, strict=True)
            ]
            if self.interrupted or further == counts:
                return
            counts = further

    def for_minutes(self, minutes: float, rating_blocks: int, plan: Path | None) -> None:
        """Share out the minutes, by the spread of an agent's games over the root of what one costs."""
        began = monotonic()
        self.deadline = began + 60 * minutes
        known = None if plan is None else _read_plan(plan, minutes, self.cells)
        if known is None:
            busy = process_time()
            seconds = self._seconds()
            self._take_kept()
            if self.interrupted:
                return
            own = min(1.0, (process_time() - busy) / (monotonic() - began))  # share of a processor that a process gets
            workers = self.workers.count if isinstance(self.workers, Cluster) else self.workers or os.cpu_count() or 1
            left = USED * (self.deadline - monotonic()) * workers * own
            known = [[float(count) for count in self._shared_out(seconds, left, rating_blocks)], seconds]
            if plan is not None:
                names = [[list(line_up) for line_up in cell.line_ups] for cell in self.cells]
                document = {"minutes": minutes, "cells": names, "games": known[0], "seconds": seconds}
                write_atomically(plan, json.dumps(document) + "\n")
        self.to([int(count) for count in known[0]], "seats", known[1])

    def _seconds(self) -> list[float]:
        """Return the processor time of a game in every cell, from games that count; a pair's from its agents'."""
        with self.bar("what a game costs", sum(len(table.seats) for table in self.tables), "agents") as advance:
            seconds = []
            for table in self.tables:
                own = []
                for cell in table.seats:
                    own.append(self._timed(cell, table.found))
                    if self.interrupted:
                        return []
                    advance(1)
                seconds += own + [(one + other) / 2 for one, other in pairwise(own)]
        return seconds

    def _timed(self, cell: Cell, found: Mapping[str, Agent]) -> float:
        games, begun, before = 2, self._kept(cell), 0.0
        while True:
            some = replace(cell, games=range(begun, begun + games))
            began = process_time()
            (measured,) = measure_cells([some], self.seed, 1, agents=[found], store=self.store)
            took = process_time() - began
            self.interrupted |= measured.interrupted
            settled = took > MUCH_SECONDS or (took > TIMED_SECONDS and took > TIMED_GROWTH * before > 0)
            if settled or games >= TIMED_GAMES or self.interrupted:
                return took / games
            begun, games, before = begun + games, 4 * games, took

    def _kept(self, cell: Cell) -> int:
        """Return how many games of the first line-up there are already."""
        what = identity(cell.game, cell.line_ups[0], self.seed)
        return sum(len(part["plies"]) for part in self.store.of(what))

    def _take_kept(self) -> None:
        """Let what there is already be what was measured."""
        self.measured = measure_cells(
            [replace(cell, games=range(self._kept(cell))) for cell in self.cells], self.seed, 1,
            agents=[table.found for table in self.tables for _ in (*table.seats, *table.pairs)],
            store=self.store, enough=lambda _: True,
        )  # fmt: skip

    def _shared_out(self, seconds: Sequence[float], budget: float, rating_blocks: int) -> list[int]:
        costs, weights, least, most = [], [], [], []
        rows = zip(self.cells, self.is_pair(), seconds, self.spread(), self.measured, strict=True)
        for cell, pair, cost, spread, measured in rows:
            costs.append(cost * len(cell.line_ups))
            weights.append(spread * (RATING_WEIGHT if pair else 1))
            least.append(max(measured.games, 2))
            needed = rating_blocks if pair else statistics.games_for_precision(spread, FINEST)
            most.append(max(measured.games, needed))
        return share_out(costs, weights, least, most, budget)


def share_out(
    costs: Sequence[float], weights: Sequence[float], least: Sequence[int], most: Sequence[int], budget: float
) -> list[int]:
    """Return how many games of each kind a budget buys, in proportion to weight / sqrt(cost), within bounds.

    With the spread of a game as its weight that makes the sum of the variances of all means the least.
    """
    cost, low, high = np.array(costs), np.array(least), np.maximum(least, most)
    rate = np.array(weights) / np.sqrt(cost)
    few, many = 0.0, float((high / rate).max())
    for _ in range(100):
        middle = (few + many) / 2
        affordable = (np.clip(middle * rate, low, high) * cost).sum() <= budget
        few, many = (middle, many) if affordable else (few, middle)
    return [int(count) for count in np.clip(few * rate, low, high)]


def _read_plan(path: Path, minutes: float, cells: Sequence[Cell]) -> list[list[float]] | None:
    """Return games and seconds by cell of an interrupted run with as many minutes; None where there is no such plan."""
    if not path.exists():
        return None
    document = read_json(path)
    names = [[list(line_up) for line_up in cell.line_ups] for cell in cells]
    if document.get("minutes") != minutes or document.get("cells") != names:
        return None
    columns = [document.get(key) for key in ("games", "seconds")]
    for column in columns:
        if not isinstance(column, list) or len(column) != len(cells) or not all(_is_amount(one) for one in column):
            raise OptionError(f"resume: {repr_short(path)}: damaged; allowed: what a run wrote, or no such file")
    return columns


def _is_amount(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12


def anytime(measured: Measured) -> float:
    """Return the p-value of "places do not differ" that holds whenever one stops."""
    results = measured.whole().results[0]
    return statistics.anytime_p_value(results.by_order(results.win_shares))
