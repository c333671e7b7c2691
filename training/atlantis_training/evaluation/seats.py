"""First-player advantage: the same agent in every seat, wins counted by turn order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_training import LEAST_PRECISION
from atlantis_training.evaluation import report, statistics
from atlantis_training.evaluation.measure import Progress, Results, measure, tried_agents
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

PILOT_GAMES = 2000  # the first ones of a study say how many it needs
FEWEST_GAMES = 100  # below that no interval means much
PRECISION = 0.005
ADVANTAGE = 0.01  # what "games to see an advantage" asks for


@dataclass(frozen=True)
class OrderRow:
    """One place in the turn order.

    Attributes:
        share: share of wins.
        score: mean final score.
        score_error: half-width of its 95 % interval.
        margin: mean lead over the best opponent.
        margin_error: half-width of its 95 % interval.
    """

    share: statistics.Share
    score: float
    score_error: float
    margin: float
    margin_error: float


@dataclass(frozen=True)
class OrderTable:
    """Who profits from going first.

    Attributes:
        rows: by turn order; rows[0] is the seat that decides first.
        games: games played.
        ties: share of games with more than one winner.
        p_value: of "turn order makes no difference".
        mean_plies: decisions a game.
        truncated: games that a safety bound cut off; nobody has won them.
    """

    rows: tuple[OrderRow, ...]
    games: int
    ties: float
    p_value: float
    mean_plies: float
    truncated: int = 0


def tabulate(results: Results) -> OrderTable:
    """Return the table of finished games; at least two."""
    shares = results.by_order(results.win_shares)
    scores, score_errors = _means(results.by_order(results.scores.astype(np.float64)))
    margins, margin_errors = _means(results.by_order(results.margins.astype(np.float64)))
    rows = tuple(
        OrderRow(
            statistics.win_share(shares[:, place]),
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
        p_value=statistics.equality_p_value(shares),
        mean_plies=float(results.plies.mean()),
        truncated=int(results.truncated.sum()),
    )


def _means(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means of the columns and the half-widths of their 95 % intervals."""
    return values.mean(axis=0), statistics.Z95 * values.std(axis=0, ddof=1) / np.sqrt(len(values))


# -------------------------------------------------------------------------------------------------------------- studies


@dataclass(frozen=True)
class Plan:
    """How many games a study needs, estimated from its first games, or from all where their number was given.

    Attributes:
        pilot: games it was estimated from, the first ones of the study.
        deviation: standard deviation of one game's win share in these, of the worst place.
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
        plan: the estimate of how many games are needed; None from fewer than 100 games.
        requested: games requested.
        table: what came out.
        exact_p: p-value of the randomisation test of "turn order makes no difference".
        corrected_p: the same after Holm's correction over all studies of the run.
    """

    game: Game
    agent: str
    seed: int
    plan: Plan | None
    requested: int
    table: OrderTable
    exact_p: float
    corrected_p: float

    @property
    def interrupted(self) -> bool:
        """Return whether it ended before all games were played."""
        return self.table.games < self.requested


def plan_games(results: Results, precision: float) -> Plan:
    """Return the plan that games suggest."""
    shares = results.by_order(results.win_shares)
    deviation = float(shares.std(axis=0, ddof=1).max())
    return Plan(
        pilot=len(shares),
        deviation=deviation,
        precision=precision,
        needed=statistics.games_for_precision(deviation, precision),
        advantage=ADVANTAGE,
        to_see=statistics.games_for_advantage(shares, ADVANTAGE),
    )


def check_question(game: Game, precision: float) -> None:
    """Refuse a question that has no answer.

    Raises:
        OptionError: the game has no winners by seat; no such precision.
    """
    if game.cooperative or game.players < 2:
        raise OptionError(f"game: {game!r} has one result for all seats; allowed: games with opponents")
    if not LEAST_PRECISION <= precision < 1:
        raise OptionError(f"precision: {repr_short(precision)}; allowed: {LEAST_PRECISION:g} or more, and less than 1")


def study(
    game: Game,
    agent: str,
    games: int | None = None,
    precision: float = PRECISION,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    *,
    planned: Callable[[Plan, int], Progress | None] = lambda *_: None,
    agents: Mapping[str, Agent] | None = None,
    store: Store | None = None,
) -> SeatStudy:
    """Play the same agent in every seat.

    Args:
        game: the game.
        agent: its text.
        games: how many games; None: as many as ``precision`` needs, ``PILOT_GAMES`` or more, which the first ones say.
        precision: wanted half-width of the 95 % intervals of win shares.
        seed: of chance and agents.
        workers: processes, or a cluster; the result does not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.
        planned: called with what the first games say and how many are to follow, if any; returns their ``progress``.
        agents: by text, found before.
        store: keeps finished games.

    Raises:
        OptionError: fewer than 100 games; see also check_question.
        KeyboardInterrupt: before there were two games to show.
    """
    check_question(game, precision)
    if games is not None and games < FEWEST_GAMES:
        raise OptionError(f"games: {games}; allowed: {FEWEST_GAMES} or more")
    line_ups, found = [(agent,) * game.players], tried_agents(game, [agent]) if agents is None else agents
    first = PILOT_GAMES if games is None else games
    measured, plan = measure(game, line_ups, first, seed, workers, progress, agents=found, store=store), None
    if games is None and not measured.interrupted:
        plan = plan_games(measured.results[0], precision)
        if plan.needed > first:
            advance = planned(plan, plan.needed - first)
            rest = range(first, plan.needed)
            further = measure(game, line_ups, rest, seed, workers, advance, agents=found, store=store)
            measured = measured.then(further)
    results = measured.results[0]
    if measured.games < 2:
        raise KeyboardInterrupt
    if plan is None and measured.games >= FEWEST_GAMES:
        plan = plan_games(results, precision)
    exact = statistics.exact_equality_p_value(results.by_order(results.win_shares), seed)
    return SeatStudy(game, agent, seed, plan, measured.requested, tabulate(results), exact, exact)


def correct(studies: Sequence[SeatStudy]) -> list[SeatStudy]:
    """Return the studies with their p-values corrected for asking as many questions as there are studies."""
    corrected = statistics.holm([entry.exact_p for entry in studies])
    return [replace(entry, corrected_p=value) for entry, value in zip(studies, corrected, strict=True)]


# -------------------------------------------------------------------------------------------------------------- report


def seats_report(studies: Sequence[SeatStudy]) -> report.Report:
    """Return the studies as a report, with one table per number of players."""
    first = studies[0]
    parts: list[str | report.Table | report.Figure] = [
        f"# {first.game.definition.title}: who profits from turn order",
        f"The same agent, {report.markdown(first.agent)}, in every seat; seed {first.seed}. Turn order counts from "
        "the seat that decides first. Shared victories are split. 95 % intervals: Wilson for shares, normal for means.",
        report.Figure("win share and score by turn order", partial(draw_seats, studies)),
    ]
    for entry in studies:
        parts += [f"## {entry.game.players} players", study_text(entry), study_table(entry)]
    return report.Report("seats", parts, partial(seats_json, studies))


def study_text(entry: SeatStudy) -> str:
    """Say what came out and how many games show what."""
    table, fair = entry.table, 1 / entry.game.players
    played = f"{table.games:,} games" + (f" of {entry.requested:,}, interrupted" if entry.interrupted else "")
    corrected = "" if entry.corrected_p == entry.exact_p else f", {_p(entry.corrected_p)} after Holm's correction"
    values = [row.share.value for row in table.rows]
    lines = (
        f"{played}, {table.mean_plies:.0f} decisions a game, {table.ties:.1%} shared victories. "
        f"An equal share is {fair:.4f}; largest less smallest: {max(values) - min(values):.4f}.",
        f"No difference between the places: {_p(entry.exact_p)} (exact randomisation test){corrected}; "
        f"chi-square {_p(table.p_value)}.",
        plan_text(entry.plan, table.games) if entry.plan else "",
        report.cautions(table.truncated, table.games),
    )
    return "\n".join(filter(None, lines))


def study_table(entry: SeatStudy) -> report.Table:
    """Return win share, score and lead by turn order."""
    columns = ("plays", "win share", "95 % interval", "against an equal share", "mean score")
    cells, fair = [], 1 / entry.game.players
    for place, row in zip(report.PLACES, entry.table.rows, strict=False):
        share, low, high = row.share.value, row.share.low, row.share.high
        cells.append((
            place, f"{share:.4f}", f"{low:.4f} - {high:.4f}", f"{100 * (share - fair):+.2f} points",
            f"{row.score:.2f} ± {row.score_error:.2f}", f"{row.margin:+.2f} ± {row.margin_error:.2f}",
        ))  # fmt: skip
    return report.Table((*columns, "lead over the best opponent"), cells)


def plan_text(plan: Plan, games: int) -> str:
    """Describe in one sentence how many games are needed for what, and which of ``games`` say so."""
    source = "these games" if plan.pilot == games else f"the first {plan.pilot:,} of them"
    return (
        f"Estimated from {source}: {plan.needed:,} games for intervals of "
        f"± {plan.precision:g}, {plan.to_see:,} to see a lead of {plan.advantage:g} four times in five."
    )


def _p(value: float) -> str:
    """Return a p-value as text, never 0."""
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.4f}" if value < 0.1 else f"p = {value:.2f}"


def seats_json(studies: Sequence[SeatStudy]) -> dict[str, Any]:
    """Return the studies as plain values, the same whatever the number of processes."""
    return {"format": "atlantis-envs seats 1", "studies": [_study_json(entry) for entry in studies]}


def _study_json(entry: SeatStudy) -> dict[str, Any]:
    return {
        **report.provenance(entry.game, [entry.agent], entry.seed),
        "plan": asdict(entry.plan) if entry.plan else None,
        "games_asked": entry.requested,
        "games": entry.table.games,
        "ties": entry.table.ties,
        "mean_plies": entry.table.mean_plies,
        "truncated": entry.table.truncated,
        "p_exact": entry.exact_p,
        "p_holm": entry.corrected_p,
        "p_chi_square": entry.table.p_value,
        "order": [asdict(row) for row in entry.table.rows],
    }


def draw_seats(studies: Sequence[SeatStudy], paths: Sequence[Path]) -> None:
    """Draw win share and score by turn order, one series per number of players."""
    with report.figure(*paths, size=(6.8, 2.7), panels=2) as (whole, (left, right)):
        for number, entry in enumerate(studies):
            _draw_series(left, right, entry, number, len(studies))
        places = max(entry.game.players for entry in studies)
        for axis in (left, right):
            axis.axhline(0, color="0.4", linewidth=0.8, zorder=0)
            axis.set_xticks(range(places), report.PLACES[:places])
            axis.set(xlabel="turn order", xlim=(-0.5, places - 0.5))
        left.set(ylabel="win share less an equal share\n(percentage points)")
        right.set(ylabel="score less the table's mean")
        whole.legend(loc="outside upper center", ncols=len(studies), handletextpad=0.3)


def _draw_series(left: Any, right: Any, entry: SeatStudy, number: int, count: int) -> None:
    rows, fair = entry.table.rows, 1 / entry.game.players
    where = [place + 0.12 * (number - (count - 1) / 2) for place in range(len(rows))]
    marks = {**report.look(number), "linestyle": "none"}
    errors = report.whiskers([row.share for row in rows], 100)
    shares = [100 * (row.share.value - fair) for row in rows]
    left.errorbar(where, shares, yerr=errors, label=f"{entry.game.players} players", **marks)
    mean = sum(row.score for row in rows) / len(rows)
    right.errorbar(where, [row.score - mean for row in rows], yerr=[row.score_error for row in rows], **marks)
