"""First-player advantage: the same agent in every seat, wins counted by order of play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import shown
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_training.lab.limits import LEAST_PRECISION
from atlantis_training.lab.matches import Progress, Results, play_games
from atlantis_training.lab.statistics import (
    Z95,
    Share,
    equality_p_value,
    exact_equality_p_value,
    games_for_advantage,
    games_for_precision,
    holm,
    win_share,
)
from atlantis_training.lab.workers import Finished, Players, Workers, cut, run_tasks

PILOT_GAMES = 2000
FIRST_PILOT = 2**40  # game numbers of the pilot: never those of the study
FEWEST_GAMES = 100  # below that no interval means much
ADVANTAGE = 0.01  # what "games to see an advantage" asks for


@dataclass(frozen=True)
class OrderRow:
    """One place in the order of play.

    Attributes:
        share: share of wins.
        score: mean final score.
        score_error: half-width of its 95 % interval.
        margin: mean lead over the best opponent.
        margin_error: half-width of its 95 % interval.
    """

    share: Share
    score: float
    score_error: float
    margin: float
    margin_error: float


@dataclass(frozen=True)
class OrderTable:
    """Who profits from going first.

    Attributes:
        rows: by order of play; rows[0] is the seat that decides first.
        games: games played.
        ties: share of games with more than one winner.
        p_value: of "the order of play makes no difference".
        mean_plies: decisions a game.
        truncated: games that a safety bound cut off; nobody has won them.
    """

    rows: tuple[OrderRow, ...]
    games: int
    ties: float
    p_value: float
    mean_plies: float
    truncated: int = 0


def order_table(
    game: Game, agent: Agent, num_games: int, seed: int = 0, progress: Progress | None = None
) -> OrderTable:
    """Play ``num_games`` games of ``agent`` against itself and tabulate by order of play."""
    return tabulate(play_games(game, [agent] * game.players, num_games, seed, progress))


def tabulate(results: Results) -> OrderTable:
    """The table of finished games; at least two."""
    shares = results.by_order(results.win_shares)
    scores, score_errors = _means(results.by_order(results.scores.astype(np.float64)))
    margins, margin_errors = _means(results.by_order(results.margins.astype(np.float64)))
    rows = tuple(
        OrderRow(
            win_share(shares[:, place]),
            float(scores[place]),
            float(score_errors[place]),
            float(margins[place]),
            float(margin_errors[place]),
        )
        for place in range(shares.shape[1])
    )
    return OrderTable(
        rows=rows,
        games=len(shares),
        ties=results.ties,
        p_value=equality_p_value(shares),
        mean_plies=float(results.plies.mean()),
        truncated=int(results.truncated.sum()),
    )


def _means(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of the columns and the half-widths of their 95 % intervals."""
    return values.mean(axis=0), Z95 * values.std(axis=0, ddof=1) / np.sqrt(len(values))


# -------------------------------------------------------------------------------------------------------------- studies


@dataclass(frozen=True)
class Plan:
    """How many games a study needs, estimated beforehand from a pilot whose games are not counted.

    Attributes:
        pilot: games of the pilot.
        deviation: standard deviation of one game's win share in it, of the worst place.
        precision: wanted half-width of the intervals of win shares.
        needed: games for that.
        advantage: a lead of one place over an equal share ...
        to_see: ... and the games until the test of equality (5 %) sees it 4 times in 5.
    """

    pilot: int
    deviation: float
    precision: float
    needed: int
    advantage: float
    to_see: int


@dataclass(frozen=True)
class SeatStudy:
    """The seats of one game at one number of players.

    Attributes:
        game: the game.
        agent: who sat everywhere.
        seed: of chance and agents.
        plan: the estimate made beforehand.
        requested: games requested.
        table: what came out.
        exact_p: p-value of the randomisation test of "the order of play makes no difference".
        corrected_p: the same after Holm's correction over all studies of the run.
    """

    game: Game
    agent: str
    seed: int
    plan: Plan
    requested: int
    table: OrderTable
    exact_p: float
    corrected_p: float

    @property
    def interrupted(self) -> bool:
        """Whether it ended before all games were played."""
        return self.table.games < self.requested


def plan_games(results: Results, precision: float) -> Plan:
    """The plan that a pilot suggests."""
    shares = results.by_order(results.win_shares)
    deviation = float(shares.std(axis=0, ddof=1).max())
    return Plan(
        pilot=len(shares),
        deviation=deviation,
        precision=precision,
        needed=games_for_precision(deviation, precision),
        advantage=ADVANTAGE,
        to_see=games_for_advantage(shares, ADVANTAGE),
    )


def check_question(game: Game, precision: float) -> None:
    """Refuse a question that has no answer.

    Raises:
        OptionError: the game has no winners by seat; no such precision.
    """
    if game.definition.utility == IDENTICAL or game.players < 2:
        raise OptionError(f"game: {game!r} has one result for all seats; allowed: games with opponents")
    if not LEAST_PRECISION <= precision < 1:
        raise OptionError(f"precision: {shown(precision)}; allowed: {LEAST_PRECISION:g} or more, and less than 1")


def make_plan(
    players: Players,
    precision: float,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Plan:
    """Play a pilot and plan.

    Raises:
        OptionError: not the same agent in every seat; see also check_question.
        KeyboardInterrupt: during the pilot.
    """
    check_question(players.game, precision)
    finished = _play(players, PILOT_GAMES, FIRST_PILOT, seed, workers, progress)
    if finished.interrupted:
        raise KeyboardInterrupt
    return plan_games(finished.results[0], precision)


def study(
    players: Players,
    plan: Plan,
    games: int | None = None,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> SeatStudy:
    """Play ``games`` games, as many as planned by default, of ``agent`` in every seat.

    Raises:
        OptionError: fewer than 100 games, or not the same agent in every seat.
        KeyboardInterrupt: before there were two games to show.
    """
    requested = max(plan.needed, FEWEST_GAMES) if games is None else games
    if requested < FEWEST_GAMES:
        raise OptionError(f"games: {requested}; allowed: {FEWEST_GAMES} or more")
    finished = _play(players, requested, 0, seed, workers, progress)
    if finished.count < 2:
        raise KeyboardInterrupt
    results = finished.results[0]
    exact = exact_equality_p_value(results.by_order(results.win_shares), seed)
    return SeatStudy(players.game, players.line_up[0], seed, plan, requested, tabulate(results), exact, exact)


def _play(players: Players, games: int, first: int, seed: int, workers: Workers, progress: Progress | None) -> Finished:
    if len(players.agents) > 1:
        raise OptionError(f"agents: {', '.join(players.line_up)}; allowed: the same in every seat")
    return run_tasks(players, cut([players.line_up], games, first), seed, workers, progress)


def correct(studies: Sequence[SeatStudy]) -> list[SeatStudy]:
    """The studies with their p-values corrected for asking as many questions as there are studies."""
    corrected = holm([entry.exact_p for entry in studies])
    return [replace(entry, corrected_p=value) for entry, value in zip(studies, corrected, strict=True)]
