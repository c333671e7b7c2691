"""How strong agents are against each other: every block is played in all rotations of the seats, with the same luck.

A block is a game number. Its chance is the same whoever sits where, so what luck gives to a seat it gives to everybody
in turn, and blocks, not games, are what intervals are made from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.lab.matches import Progress, Results
from atlantis_training.lab.statistics import Mean, Share, block_means, win_share
from atlantis_training.lab.workers import LineUp, Players, cut, rotations, run_tasks

Values = NDArray[np.float64]


@dataclass(frozen=True)
class AgentRow:
    """One agent at the table, over all its seats.

    Attributes:
        agent: its text.
        copies: seats it holds.
        share: share of wins of one copy, ties split, with its Wilson interval.
        blocks: the same share with its block-bootstrap interval.
        place: mean place, 1 is best, equals share.
        score: mean final score.
        margin: mean lead over the best opponent.
        seats: share of wins by seat.
        order: share of wins by order of play, the seat that decides first first.
    """

    agent: str
    copies: int
    share: Share
    blocks: Mean
    place: Mean
    score: Mean
    margin: Mean
    seats: tuple[Share, ...]
    order: tuple[Share, ...]


@dataclass(frozen=True)
class TeamRow:
    """A table of a cooperative game.

    Attributes:
        share: share of games won, with its Wilson interval.
        blocks: the same share with its block-bootstrap interval.
        lost: share of games lost, with its Wilson interval; what is neither won nor lost was cut off by a safety bound.
        returns: mean return.
        score: mean final score.
    """

    share: Share
    blocks: Mean
    lost: Share
    returns: Mean
    score: Mean


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found.

    Attributes:
        game: the game.
        line_up: who sat where in the first rotation.
        tables: the different rotations that were played.
        seed: of chance and agents.
        requested: blocks requested.
        blocks: blocks finished.
        ties: share of games with several winners.
        mean_plies: decisions a game.
        truncated: games that a safety bound cut off; they count as neither won nor lost.
        agents: one row per different agent; none in a cooperative game.
        team: the one row of a cooperative game.
        results: the finished games of each of the tables.
    """

    game: Game
    line_up: LineUp
    tables: tuple[LineUp, ...]
    seed: int
    requested: int
    blocks: int
    ties: float
    mean_plies: float
    truncated: int
    agents: tuple[AgentRow, ...]
    team: TeamRow | None
    results: tuple[Results, ...] = field(default=(), repr=False, compare=False)

    @property
    def interrupted(self) -> bool:
        """Whether it ended before all blocks were played."""
        return self.blocks < self.requested


def fill_line_up(agents: Sequence[str], players: int) -> LineUp:
    """A line-up of ``players`` agents: the last one named takes the seats that are left.

    Raises:
        OptionError: none or too many.
    """
    if not 1 <= len(agents) <= players:
        raise OptionError(f"agents: {len(agents)}; allowed: 1..{players}, the last one takes the seats that are left")
    return tuple(agents) + (agents[-1],) * (players - len(agents))


def evaluate(
    players: Players,
    blocks: int,
    seed: int = 0,
    workers: int | None = 1,
    progress: Progress | None = None,
) -> Evaluation:
    """Play ``blocks`` blocks of all rotations of a table.

    Args:
        players: the game and who sits where in the first rotation.
        blocks: game numbers 0..blocks-1.
        seed: of chance and agents.
        workers: processes; the result does not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.

    Raises:
        OptionError: no blocks.
    """
    game, line_up = players.game, players.line_up
    if blocks < 1:
        raise OptionError(f"blocks: {blocks}; allowed: 1 or more")
    tables = rotations(line_up)
    finished = run_tasks(players, cut(tables, blocks), seed, workers, progress)
    results = finished.results
    together = Results.join(results)
    cooperative = game.definition.utility == IDENTICAL
    rows = () if cooperative else tuple(_row(name, tables, results, seed) for name in dict.fromkeys(line_up))
    return Evaluation(
        game=game,
        line_up=line_up,
        tables=tables,
        seed=seed,
        requested=blocks,
        blocks=finished.count,
        ties=together.ties,
        mean_plies=float(together.plies.mean()) if finished.count else 0.0,
        truncated=int(together.truncated.sum()),
        agents=rows,
        team=_team(results, seed) if cooperative else None,
        results=tuple(results),
    )


def _row(agent: str, tables: Sequence[LineUp], results: Sequence[Results], seed: int) -> AgentRow:
    """Gather one agent's columns from the tables."""
    held = [np.array([spec == agent for spec in table]) for table in tables]
    copies = int(held[0].sum())
    measures = [[result.win_shares, result.places, result.scores, result.margins] for result in results]
    columns = [
        np.mean([values[k][:, own].mean(axis=1) for values, own in zip(measures, held, strict=True)], axis=0)
        for k in range(4)
    ]
    share, place, score, margin = block_means(np.stack(columns, axis=1), seed)
    wins = [result.win_shares[:, own] for result, own in zip(results, held, strict=True)]
    pooled = np.concatenate([own.ravel() for own in wins])
    return AgentRow(agent, copies, win_share(pooled), share, place, score, margin, *_by_seat(results, held))


def _by_seat(results: Sequence[Results], held: Sequence[NDArray[np.bool_]]) -> tuple[tuple[Share, ...], ...]:
    """An agent's shares by seat, and by order of play."""
    players = len(held[0])
    shares = [result.win_shares for result in results]
    seats = [
        [values[:, seat] for values, own in zip(shares, held, strict=True) if own[seat]] for seat in range(players)
    ]
    order: list[list[Values]] = [[] for _ in range(players)]
    for result, values, own in zip(results, shares, held, strict=True):
        sitting = result.by_order(np.broadcast_to(own, values.shape).astype(np.float64)) != 0
        turned = result.by_order(values)
        for place in range(players):
            order[place].append(turned[sitting[:, place], place])
    return tuple(tuple(win_share(np.concatenate(column)) for column in columns) for columns in (seats, order))


def _team(results: Sequence[Results], seed: int) -> TeamRow:
    """All seats share one result: the first column says it all."""
    won = [(result.returns[:, 0] > 0).astype(np.float64) for result in results]
    measures = (won, [result.returns[:, 0] for result in results], [result.scores[:, 0] for result in results])
    share, returns, score = block_means(np.stack([np.mean(measure, axis=0) for measure in measures], axis=1), seed)
    lost = np.concatenate([(result.returns[:, 0] < 0) & ~result.truncated for result in results]).astype(np.float64)
    return TeamRow(win_share(np.concatenate(won)), share, win_share(lost), returns, score)
