"""The table of a ladder: who wins how much against whom, ratings, and what the order of play is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from atlantis_training.lab.ladder.outcomes import Outcomes
from atlantis_training.lab.ladder.plan import LEAST_BLOCKS, Ladder
from atlantis_training.lab.ratings import Ratings, fit_ratings, fit_teams
from atlantis_training.lab.statistics import Mean, Share, block_means, wilson

Values = NDArray[np.float64]


@dataclass(frozen=True)
class LadderTable:
    """What came of a ladder.

    Attributes:
        payoffs: row by agent, column by opponent: the share of wins of one hero among opponents of that kind, over all
            seats, with its interval. The diagonal is what equals share, 1 / players, and is not played. In a
            cooperative game one column: games won by the team of that agent.
        means: per agent, the mean of its row without the diagonal; of teams the row itself. ``games`` counts those
            against all opponents together.
        ratings: with effects of the order of play; None where there are too few blocks for errors.
        ties: share of games with several winners; 0 for teams.
        unwon: games that nobody won, cut off by a safety bound; 0 for teams.
    """

    payoffs: tuple[tuple[Share, ...], ...]
    means: tuple[Share, ...]
    ratings: Ratings | None
    ties: float
    unwon: int


def make_table(ladder: Ladder, outcomes: Outcomes) -> LadderTable:
    """The table of blocks that are all whole, at least one."""
    cells = hero_shares(ladder, outcomes)
    blocks, agents, columns = cells.shape
    means = cells[:, :, 0] if ladder.cooperative else cells.sum(axis=2) / (agents - 1)
    everything = np.concatenate([cells.reshape(blocks, -1), means], axis=1)
    a_cell, others = (1, 1) if ladder.cooperative else (ladder.game.players, agents - 1)
    games = [a_cell] * (agents * columns) + [a_cell * others] * agents  # of a block
    shares = _intervals(everything, games, ladder.seed)
    rows = [tuple(shares[row * columns : (row + 1) * columns]) for row in range(agents)]
    if not ladder.cooperative:
        equal = 1 / ladder.game.players
        own = Share(equal, equal, equal, 0)
        rows = [(*row[:place], own, *row[place + 1 :]) for place, row in enumerate(rows)]
    several = 0 if ladder.cooperative else (seat_shares(ladder, outcomes).max(axis=3) < 1) & (outcomes.winners > 0)
    unwon = 0 if ladder.cooperative else int((outcomes.winners == 0).sum())
    ratings = _rate(ladder, outcomes, cells) if blocks >= LEAST_BLOCKS else None
    return LadderTable(tuple(rows), tuple(shares[agents * columns :]), ratings, float(np.mean(several)), unwon)


def _intervals(values: Values, games: Sequence[int], seed: int) -> list[Share]:
    """Means of the columns of float64 (blocks, K) with bootstrap intervals over blocks; ``games`` of each per block.

    Where all blocks are alike the bootstrap sees no spread; there it is the Wilson interval of as many games as blocks.
    """
    blocks, means = len(values), block_means(values, seed)
    return [_interval(mean, blocks, count) for mean, count in zip(means, games, strict=True)]


def _interval(mean: Mean, blocks: int, games: int) -> Share:
    low, high = (mean.low, mean.high) if mean.low < mean.high else wilson(mean.value, blocks)
    return Share(mean.value, low, high, blocks * games)


# ------------------------------------------------------------------------------------------------------ per block


def seat_shares(ladder: Ladder, outcomes: Outcomes) -> Values:
    """Share of wins by seat, float64 (matchups, tables, blocks, seats), ties split."""
    seats = np.arange(ladder.game.players, dtype=np.int16)
    bits = (outcomes.winners[..., None] >> seats) & 1
    return np.asarray(bits / np.maximum(1, bits.sum(axis=3, keepdims=True)))


def hero_shares(ladder: Ladder, outcomes: Outcomes) -> Values:
    """Share of wins of a hero over all its seats, float64 (blocks, agents, opponents); 0 on the diagonal.

    For teams float64 (blocks, agents, 1), 1 where the game was won.
    """
    if ladder.cooperative:
        return np.asarray(outcomes.winners[:, 0, :].T[:, :, None] > 0, dtype=np.float64)
    agents, seats = len(ladder.agents), range(ladder.game.players)
    shares = seat_shares(ladder, outcomes)
    cells = np.zeros((outcomes.winners.shape[2], agents, agents))
    number = {pair: place for place, pair in enumerate(combinations(range(agents), 2))}
    for hero, rest in permutations(range(agents), 2):
        matchup = number[min(hero, rest), max(hero, rest)]
        tables = ladder.matchups[matchup]
        sitting = [tables.index(ladder.hero_table(ladder.agents[hero], ladder.agents[rest], seat)) for seat in seats]
        cells[:, hero, rest] = np.mean([shares[matchup, sitting[seat], :, seat] for seat in seats], axis=0)
    return cells


def lead(ladder: Ladder, outcomes: Outcomes, one: str, other: str) -> Values:
    """How much more ``other`` won than ``one``, per block, float64 (blocks,) in -1..1; 0 is expected of equals.

    The hero's share at tables of the other one, less the other one's at tables of its own; for teams, the difference
    of games won.
    """
    cells = hero_shares(ladder, outcomes)
    first, second = ladder.agents.index(one), ladder.agents.index(other)
    if ladder.cooperative:
        return np.asarray(cells[:, second, 0] - cells[:, first, 0])
    return np.asarray(cells[:, second, first] - cells[:, first, second])


# -------------------------------------------------------------------------------------------------------- ratings


def _rate(ladder: Ladder, outcomes: Outcomes, cells: Values) -> Ratings:
    if ladder.cooperative:
        return fit_teams(cells[:, :, 0])
    tables, shares = by_order(ladder, outcomes)
    return fit_ratings(tables, shares, len(ladder.agents))


def by_order(ladder: Ladder, outcomes: Outcomes) -> tuple[list[tuple[int, ...]], Values]:
    """Tables by order of play instead of by seat.

    Returns:
        Who sits in which place, the seat that decides first being place 0, and what each place won of each table in
        each block, float64 (blocks, tables, places).
    """
    players, blocks = ladder.game.players, outcomes.winners.shape[2]
    shares = seat_shares(ladder, outcomes)
    turned: dict[tuple[int, ...], Values] = {}
    for matchup, tables in enumerate(ladder.matchups):
        for number, line_up in enumerate(tables):
            seats = tuple(ladder.agents.index(agent) for agent in line_up)
            for starter in range(players):
                played = outcomes.starters[matchup, number] == starter
                if played.any():
                    table = _turn(seats, starter)
                    column = turned.setdefault(table, np.zeros((blocks, players)))
                    column[played] += np.roll(shares[matchup, number, played], -starter, axis=1)
    tables_in_order = sorted(turned)
    return tables_in_order, np.stack([turned[table] for table in tables_in_order], axis=1)


def _turn(seats: Sequence[int], starter: int) -> tuple[int, ...]:
    return (*seats[starter:], *seats[:starter])
