"""Who profits from turn order, and does skill change it: the same agent in every seat, wins counted by turn order.

Every agent plays the same game numbers, at every number of players. How strong agents are comes from tables of
neighbours in their list, which have the same luck too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.catalogue import HEURISTIC, find_agent
from atlantis_agents.shipped import meant
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training import LEAST_PRECISION
from atlantis_training.evaluation import report, statistics
from atlantis_training.evaluation.extent import FEWEST_GAMES, PLAN, Play, SeatsTable
from atlantis_training.evaluation.measure import (
    Bar,
    Measured,
    Results,
    identity,
    open_store,
    silent_bar,
)
from atlantis_training.evaluation.ratings import Estimate, Ratings, fit_ratings
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

# From chance to the best that comes with the library; those that do not play a game are left out.
SKILLS = (
    "random", "eps:0.5:heuristic", "eps:0.2:heuristic", "heuristic", "planner", "network", "search:16", "search:64",
    "champion",
)  # fmt: skip
PRECISION = 0.02
ADVANTAGE = 0.01  # what "games to see an advantage" asks for
RATING_BLOCKS = 100
Values = NDArray[np.float64]


# --------------------------------------------------------------------------------------------------------------- tables


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
        p_value: of "turn order makes no difference", by chi-square.
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
    scores = _means(results.by_order(results.scores.astype(np.float64)))
    margins = _means(results.by_order(results.margins.astype(np.float64)))
    rows = zip(statistics.split_shares(shares), scores, margins, strict=True)
    return OrderTable(
        rows=tuple(OrderRow(share, *score, *margin) for share, score, margin in rows),
        games=len(shares),
        ties=results.ties,
        p_value=statistics.equality_p_value(shares),
        mean_plies=float(results.plies.mean()),
        truncated=int(results.truncated.sum()),
    )


def _means(values: Values) -> Iterator[tuple[float, float]]:
    """Yield means of the columns and the half-widths of their 95 % intervals."""
    halves = statistics.Z95 * values.std(axis=0, ddof=1) / np.sqrt(len(values))
    yield from zip(map(float, values.mean(axis=0)), map(float, halves), strict=True)


@dataclass(frozen=True)
class AgentSeats:
    """The seats of one agent.

    Attributes:
        agent: its text.
        requested: games requested.
        results: of the games that count, from number 0 on without a gap.
        table: what came out.
        sequences: of each place, the ends of its share that hold at all times together; None without ``decide``.
    """

    agent: str
    requested: int
    results: Results = field(repr=False)
    table: OrderTable
    sequences: tuple[tuple[float, float], ...] | None = None

    @property
    def shares(self) -> Values:
        """Return win shares by turn order, float64 (G, P)."""
        return self.results.by_order(self.results.win_shares)

    @property
    def winners(self) -> dict[str, int]:
        """Return the number of games by who won them, in turn order: "first", "first+third", "nobody"."""
        won = Counter(
            "+".join(report.PLACES[place] for place in np.flatnonzero(row)) or "nobody" for row in self.shares
        )
        return dict(sorted(won.items()))


@dataclass(frozen=True)
class PlayersSeats:
    """The seats of all agents at one number of players.

    Attributes:
        game: the game.
        agents: in the order they were named; those that have finished two games.
        reference: the agent that the others are compared with, rated 0.
        ratings: one per agent, from tables of neighbours; None where none were played.
        rating_blocks: blocks of each pair of neighbours.
        trend: of the odds of places over rating; None without ratings, or with fewer than three agents.
    """

    game: Game
    agents: tuple[AgentSeats, ...]
    reference: str
    ratings: tuple[Estimate, ...] | None = None
    rating_blocks: tuple[int, ...] = ()
    trend: statistics.Trend | None = None

    def of(self, agent: str) -> AgentSeats:
        """Return the seats of an agent."""
        return next(entry for entry in self.agents if entry.agent == agent)


PLACES_TEST, AGENTS_TEST, TREND_TEST = "places", "agents", "trend"


@dataclass(frozen=True)
class Test:
    """A question that was asked, and how likely what was seen is where the answer is no.

    Attributes:
        question: "places" (do they differ for this agent), "agents" (do its shares differ from the reference's), or
            "trend" (do shares change with strength).
        players: at this number of players.
        agent: of whom; "" for a trend.
        p: p-value.
        corrected: the same after Holm's correction over all tests of the run.
    """

    question: str
    players: int
    agent: str
    p: float
    corrected: float


@dataclass(frozen=True)
class Seats:
    """Who profits from turn order.

    Attributes:
        tables: by number of players.
        tests: all that were made.
        seed: of chance and agents.
        minutes: that were given; None without.
        interrupted: whether it ended before all games were played.
    """

    tables: tuple[PlayersSeats, ...]
    tests: tuple[Test, ...]
    seed: int
    minutes: float | None = None
    interrupted: bool = False

    def test(self, question: str, players: int, agent: str = "") -> Test:
        """Return a test that was made."""
        wanted = (question, players, agent)
        return next(one for one in self.tests if (one.question, one.players, one.agent) == wanted)

    def report(self) -> report.Report:
        """Return it as a report, a section per number of players, with raw games."""
        first = self.tables[0]
        names = ", ".join(report.markdown(entry.agent) for entry in first.agents)
        games = [entry.table.games for table in self.tables for entry in table.agents]
        parts: list[str | report.Table | report.Figure] = [
            f"# {first.game.definition.title}: who profits from turn order",
            f"The same agent in every seat ({names}); seed {self.seed}. Turn order counts from the seat that decides "
            "first. Shared victories are split. 95 % intervals: Student's t for shares, that of Wilson where fewer "
            "than 1 % of the games are shared; normal for means.",
            _extent(self),
            report.Figure("who profits from turn order", partial(draw_seats, self)),
        ]
        for table in self.tables:
            parts += _players_parts(self, table)
        truncated = sum(entry.table.truncated for table in self.tables for entry in table.agents)
        parts += [
            f"{len(self.tests)} tests; p after Holm's correction over all of them.",
            report.cautions(truncated, sum(games), min(games)),
        ]
        return report.Report("seats", parts, partial(seats_json, self), partial(seats_arrays, self))

    def _repr_markdown_(self) -> str:
        return self.report()._repr_markdown_()


def skills(game: Game) -> tuple[str, ...]:
    """Return the agents of ``SKILLS`` that play a game, each of them once."""
    found: dict[str, str] = {}
    for text in SKILLS:
        try:
            find_agent(text, game)
            found.setdefault(meant(game, text), text)
        except OptionError:
            continue
    return tuple(found.values())


def check_question(game: Game, precision: float = PRECISION) -> None:
    """Refuse a question that has no answer.

    Raises:
        OptionError: the game has no winners by seat; no such precision.
    """
    if game.cooperative or game.players < 2:
        raise OptionError(f"game: {game!r} has one result for all seats; allowed: games with opponents")
    if not LEAST_PRECISION <= precision < 1:
        raise OptionError(f"precision: {repr_short(precision)}; allowed: {LEAST_PRECISION:g} or more, and less than 1")


# ----------------------------------------------------------------------------------------------------------------- play


def seats(
    tables: Game | Sequence[Game],
    agents: Sequence[str] | None = (HEURISTIC,),
    *,
    games: int | None = None,
    precision: float = PRECISION,
    minutes: float | None = None,
    decide: bool = False,
    rating_blocks: int = RATING_BLOCKS,
    seed: int = 0,
    workers: Workers = 1,
    out: Path | None = None,
    resume: bool = False,
    bar: Bar = silent_bar,
) -> Seats:
    """Play each agent against itself in all seats, and its neighbours in the list for ratings.

    Args:
        tables: the game, or the same game at several numbers of players.
        agents: texts; None: those of ``skills`` that play the game.
        games: games of each agent at each number of players; None: as ``precision`` or ``minutes`` say.
        precision: wanted half-width of the 95 % intervals of win shares.
        minutes: to be shared out among agents; what they cost is measured first.
        decide: end an agent's games as soon as it is known that its places differ, at ``games`` or ``precision``.
        rating_blocks: games of every table of neighbours, at most; 0: no ratings.
        seed: of chance and agents.
        workers: processes, or a cluster; the result does not depend on it. None: a sensible number.
        out: directory that keeps games as they are played; None: none. It is there already.
        resume: go on with the games that are kept.
        bar: shows progress: text, total and unit; its context is the function that advances it.

    Raises:
        OptionError: fewer than 100 games; several of ``games`` and ``minutes``; see also check_question, open_store.
        KeyboardInterrupt: before any agent had two games to show.
    """
    several = (tables,) if isinstance(tables, Game) else tuple(tables)
    for game in several:
        check_question(game, precision)
    if games is not None and games < FEWEST_GAMES:
        raise OptionError(f"games: {games}; allowed: {FEWEST_GAMES} or more")
    if minutes is not None and (games is not None or decide):
        raise OptionError("minutes: given with games or decide; allowed: one of them")
    if minutes is not None and not 0 < minutes < 1e6:
        raise OptionError(f"minutes: {repr_short(minutes)}; allowed: more than 0")
    played = [SeatsTable(game, skills(game) if agents is None else agents, seed) for game in several]
    if not rating_blocks:
        for table in played:
            table.pairs.clear()
    cells = [cell for table in played for cell in (*table.seats, *table.pairs)]
    store, plan = Store(), None
    if out is not None:
        plan = out / PLAN
        if not resume:
            plan.unlink(missing_ok=True)
        what = [identity(cell.game, line_up, seed) for cell in cells for line_up in cell.line_ups]
        store = open_store(out / "seats.jsonl", what, resume)
    play = Play(played, seed, workers, store, bar)
    if minutes is not None:
        play.for_minutes(minutes, rating_blocks, plan)
    elif decide:
        play.until_decided(precision, games, rating_blocks)
    elif games is not None:
        play.to([min(games, rating_blocks) if pair else games for pair in play.is_pair()], "seats")
    else:
        play.to_precision(precision, rating_blocks)
    return _tabulated(played, play, seed, minutes, decide)


def _tabulated(played: Sequence[SeatsTable], play: Play, seed: int, minutes: float | None, decide: bool) -> Seats:
    measured = iter(play.measured)
    found = [([next(measured) for _ in table.seats], [next(measured) for _ in table.pairs]) for table in played]
    tables = [
        table
        for one, (own, pairs) in zip(played, found, strict=True)
        if (table := _players_seats(one, own, pairs, decide)).agents
    ]
    if not tables:
        raise KeyboardInterrupt
    tests = [test for table in tables for test in _tests(table, seed, decide)]
    corrected = statistics.holm([test.p for test in tests])
    tests = [replace(test, corrected=value) for test, value in zip(tests, corrected, strict=True)]
    return Seats(tuple(tables), tuple(tests), seed, minutes, play.interrupted)


def _players_seats(
    table: SeatsTable, measured: Sequence[Measured], pairs: Sequence[Measured], decide: bool
) -> PlayersSeats:
    entries = []
    for agent, one in zip(table.agents, measured, strict=True):
        whole = one.whole()
        if whole.games >= 2:
            results = whole.results[0]
            sequences = _sequences(results) if decide else None
            entries.append(AgentSeats(agent, one.requested, results, tabulate(results), sequences))
    names = [entry.agent for entry in entries]
    reference = HEURISTIC if HEURISTIC in names else names[0] if names else ""
    blocks = [one.whole() for one in pairs]
    ratings = rate_neighbours(table.agents, reference, blocks) if len(names) == len(table.agents) else None
    estimates = None if ratings is None else ratings.agents
    found = (
        statistics.trend([entry.shares for entry in entries], [one.value for one in estimates or ()])
        if estimates
        else None
    )
    return PlayersSeats(table.game, tuple(entries), reference, estimates, tuple(one.games for one in blocks), found)


def _sequences(results: Results) -> tuple[tuple[float, float], ...]:
    shares, level = results.by_order(results.win_shares), statistics.LEVEL / results.returns.shape[1]
    ends = [statistics.confidence_sequence(column, level) for column in shares.T]
    return tuple((float(low[-1]), float(high[-1])) for low, high in ends)


def _tests(table: PlayersSeats, seed: int, decide: bool) -> Iterator[Test]:
    players = table.game.players
    for entry in table.agents:
        shares = entry.shares
        alone = statistics.anytime_p_value(shares) if decide else statistics.exact_equality_p_value(shares, seed)
        yield Test(PLACES_TEST, players, entry.agent, alone, alone)
    if decide:
        return  # whoever stopped at an answer is no sample that another test may be made of
    for entry in table.agents:
        if entry.agent != table.reference:
            p = statistics.difference_p_value(entry.shares, table.of(table.reference).shares)
            yield Test(AGENTS_TEST, players, entry.agent, p, p)
    if table.trend:
        yield Test(TREND_TEST, players, "", table.trend.p_value, table.trend.p_value)


def rate_neighbours(agents: Sequence[str], reference: str, pairs: Sequence[Measured]) -> Ratings | None:
    """Rate agents out of tables of neighbours in their list.

    Args:
        agents: all of them.
        reference: the one that is rated 0.
        pairs: of every two neighbours, blocks from number 0 on.

    Returns:
        Ratings in the order of ``agents``; None where a pair has fewer than two blocks, or there is none.
    """
    if not pairs or min(one.games for one in pairs) < 2:
        return None
    order = [reference, *(agent for agent in agents if agent != reference)]
    blocks, players = max(one.games for one in pairs), pairs[0].game.players
    turned: dict[tuple[int, ...], Values] = {}
    for one in pairs:
        for line_up, results in zip(one.line_ups, one.results, strict=True):
            sitting = np.broadcast_to([order.index(agent) for agent in line_up], results.returns.shape)
            sitting, shares = results.by_order(sitting), results.by_order(results.win_shares)
            for table in np.unique(sitting, axis=0):
                rows = np.flatnonzero((sitting == table).all(axis=1))
                column = turned.setdefault(tuple(map(int, table)), np.zeros((blocks, players)))
                column[rows] += shares[rows]
    ratings = fit_ratings(list(turned), np.stack(list(turned.values()), axis=1), len(order))
    return replace(ratings, agents=tuple(ratings.agents[order.index(agent)] for agent in agents))


# --------------------------------------------------------------------------------------------------------------- report


def _extent(found: Seats) -> str:
    """Say what was left out, and how long it took where that was given."""
    entries = [entry for table in found.tables for entry in table.agents]
    short = [entry for entry in entries if entry.table.games < entry.requested]
    minutes = "" if found.minutes is None else f"{found.minutes:g} minutes were shared out. "
    if not short:
        return minutes
    ended = "Interrupted" if found.interrupted else "The minutes were over"
    missing = sum(entry.requested - entry.table.games for entry in short)
    return f"{minutes}{ended}: {missing:,} of {sum(entry.requested for entry in entries):,} games were not played."


def _players_parts(found: Seats, table: PlayersSeats) -> Iterator[str | report.Table]:
    players, agents = table.game.players, table.agents
    yield f"## {report.seats_text(players)}"
    yield f"An equal share is {1 / players:.4f}."
    yield _shares_table(found, table)
    if len(agents) == 1:
        yield _scores_table(agents[0].table)
        return
    tests = {(test.question, test.agent): test for test in found.tests if test.players == players}
    if (AGENTS_TEST, agents[0].agent) in tests or (AGENTS_TEST, agents[-1].agent) in tests:
        yield (
            f"Against {report.markdown(table.reference)}, difference of shares in points; a chi-square test of "
            f"{players - 1} contrast{'s' * (players > 2)}, paired where game numbers agree:"
        )
        yield _differences_table(table, tests)
    if table.trend:
        test, trend = tests[TREND_TEST, ""], table.trend
        yield (
            f"Trend: for 100 points of rating the log-odds of the first place against the last one change by "
            f"{100 * trend.slope:+.3f} ± {100 * statistics.Z95 * trend.error:.3f}; no place's odds change: "
            f"{report.p_text(test.p)}, {report.p_text(test.corrected)} after Holm. Misfit of straight lines: "
            f"{trend.misfit:.1f}" + (", by which errors are widened." if trend.misfit > 1 else ".")
        )
    if table.ratings:
        yield (
            "Ratings in Elo points ± standard error, from tables of neighbours in this list, "
            f"{_range(table.rating_blocks)} blocks of each pair."
        )


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _shares_table(found: Seats, table: PlayersSeats) -> report.Table:
    """Return a row per agent, a column per place."""
    places = report.PLACES[: table.game.players]
    rows = []
    for number, entry in enumerate(table.agents):
        test = found.test(PLACES_TEST, table.game.players, entry.agent)
        shares = [row.share for row in entry.table.rows]
        ends = entry.sequences or [(share.low, share.high) for share in shares]
        to_see = statistics.games_for_advantage(entry.shares, ADVANTAGE) if entry.table.games >= FEWEST_GAMES else None
        rows.append((
            report.markdown(entry.agent), *([table.ratings[number]] if table.ratings else []), f"{entry.table.games:,}",
            *(f"{share.value:.4f} [{low:.4f}, {high:.4f}]" for share, (low, high) in zip(shares, ends, strict=True)),
            f"{entry.table.ties:.1%}", report.p_text(test.p), report.p_text(test.corrected),
            "" if to_see is None else f"{to_see:,}",
        ))  # fmt: skip
    rating = ["rating"] if table.ratings else []
    kind = "p at any time" if table.agents[0].sequences else "p (exact)"
    ahead = f"games to see {ADVANTAGE:g}"
    return report.Table(("agent", *rating, "games", *places, "shared", kind, "p (Holm)", ahead), rows)


def _scores_table(table: OrderTable) -> report.Table:
    """Return score and lead by turn order."""
    rows = [
        (place, f"{row.score:.2f} ± {row.score_error:.2f}", f"{row.margin:+.2f} ± {row.margin_error:.2f}")
        for place, row in zip(report.PLACES, table.rows, strict=False)
    ]
    return report.Table(("plays", "mean score", "lead over the best opponent"), rows)


def _differences_table(table: PlayersSeats, tests: Mapping[tuple[str, str], Test]) -> report.Table:
    base = [row.share.value for row in table.of(table.reference).table.rows]
    rows = []
    for entry in table.agents:
        test = tests.get((AGENTS_TEST, entry.agent))
        if test is not None:
            moved = [100 * (row.share.value - own) for row, own in zip(entry.table.rows, base, strict=True)]
            rows.append(
                (
                    report.markdown(entry.agent),
                    *(f"{one:+.2f}" for one in moved),
                    report.p_text(test.p),
                    report.p_text(test.corrected),
                )
            )
    return report.Table(("agent", *report.PLACES[: table.game.players], "p", "p (Holm)"), rows)


def seats_json(found: Seats) -> dict[str, Any]:
    """Return the seats as plain values, the same whatever the number of processes."""
    return {
        "format": "atlantis-envs seats 2",
        "tables": [_table_json(table, found.seed) for table in found.tables],
        "tests": [asdict(test) for test in found.tests],
    }


def _table_json(table: PlayersSeats, seed: int) -> dict[str, Any]:
    return {
        **report.provenance(table.game, [entry.agent for entry in table.agents], seed),
        "reference": table.reference,
        "ratings": None if table.ratings is None else [asdict(estimate) for estimate in table.ratings],
        "rating_blocks": list(table.rating_blocks),
        "trend": None if table.trend is None else asdict(table.trend),
        "seats": [
            {
                "agent": entry.agent,
                "games_asked": entry.requested,
                "winners": entry.winners,
                "sequences": entry.sequences,
                **asdict(entry.table),
            }
            for entry in table.agents
        ],
    }


def seats_arrays(found: Seats) -> dict[str, NDArray[Any]]:
    """Return the games as arrays: ``games``, one row each, and ``agents``, the texts that its column ``agent`` numbers.

    Columns by seat are as wide as the largest table; what smaller ones lack is NaN in returns, 0 in scores.
    """
    most = max(table.game.players for table in found.tables)
    texts = list(dict.fromkeys(entry.agent for table in found.tables for entry in table.agents))
    parts = [
        game_rows(entry.results, most, texts.index(entry.agent)) for table in found.tables for entry in table.agents
    ]
    return {"games": np.concatenate(parts), "agents": np.array(texts)}


def game_rows(results: Results, width: int, agent: int = 0) -> NDArray[Any]:
    """Return games as records, one row each, with so many columns by seat."""
    players = results.returns.shape[1]
    kinds = [
        ("players", "i1"), ("agent", "i2"), ("number", "i8"), ("starter", "i1"), ("plies", "i4"), ("truncated", "?"),
        ("returns", "f8", (width,)), ("scores", "i8", (width,)),
    ]  # fmt: skip
    rows = np.zeros(len(results.numbers), np.dtype(kinds))
    rows["players"], rows["agent"], rows["number"] = players, agent, results.numbers
    rows["starter"], rows["plies"], rows["truncated"] = results.starters, results.plies, results.truncated
    rows["returns"], rows["returns"][:, :players] = np.nan, results.returns
    rows["scores"][:, :players] = results.scores
    return rows


# ------------------------------------------------------------------------------------------------------------- pictures


def draw_seats(found: Seats, paths: Sequence[Path]) -> None:
    """Draw share less an equal one: over strength, one line a place; of a single agent by turn order, with scores."""
    if len(found.tables[0].agents) == 1:
        _draw_one(found, paths)
        return
    panels = len(found.tables)
    with report.figure(*paths, size=(1.2 + 2.6 * panels, 3.4), panels=panels) as (_, axes):
        ends = [_draw_players(axis, table) for axis, table in zip(axes, found.tables, strict=True)]
        axes[0].set(ylabel="win share less an equal share\n(percentage points)")
        lows, highs = zip(*(axis.get_ylim() for axis in axes), strict=True)
        for axis, (at, last) in zip(axes, ends, strict=True):
            axis.set_ylim(min(lows), max(highs))
            _name_places(axis, at, last)


def _draw_players(axis: Any, table: PlayersSeats) -> tuple[float, list[float]]:
    """Draw one line a place, the agents' names above; return where names of places belong: at x, and the ends."""
    players, agents = table.game.players, table.agents
    rated = table.ratings is not None
    strengths = [one.value for one in table.ratings] if table.ratings else list(range(len(agents)))
    order = sorted(range(len(agents)), key=strengths.__getitem__)
    where = [strengths[number] for number in order]
    width = (where[-1] - where[0]) or 1
    last = []
    for place in range(players):
        shares = [agents[number].table.rows[place].share for number in order]
        values = [100 * (share.value - 1 / players) for share in shares]
        shifted = [at + width * 0.008 * (place - (players - 1) / 2) for at in where]
        axis.errorbar(shifted, values, yerr=report.whiskers(shares, 100), **report.look(place))
        last.append(values[-1])
    axis.axhline(0, color="0.4", linewidth=0.8, zorder=0)
    axis.set_xlim(where[0] - 0.05 * width, where[-1] + 0.27 * width)
    names = axis.secondary_xaxis("top")
    names.set_xticks(report.apart(where, 0.055 * width), [report.pictured(agents[number].agent) for number in order])
    names.tick_params(axis="x", labelrotation=90, labelsize=5.5, length=0)
    if not rated:
        axis.set_xticks([])
    reference = report.pictured(table.reference)
    axis.set(xlabel=f"{report.seats_text(players)}" + (f": Elo, {reference} is 0" if rated else ": agents as named"))
    return where[-1] + 0.04 * width, last


def _name_places(axis: Any, at: float, last: Sequence[float]) -> None:
    """Write the name of each place at the end of its line, once the ends of the axis are known."""
    low, high = axis.get_ylim()
    for place, height in enumerate(report.apart(last, 0.05 * (high - low))):
        colour = report.look(place)["color"]
        axis.text(at, height, report.PLACES[place], color=colour, va="center", fontsize=7)


def _draw_one(found: Seats, paths: Sequence[Path]) -> None:
    with report.figure(*paths, size=(6.8, 2.7), panels=2) as (whole, (left, right)):
        for number, table in enumerate(found.tables):
            _draw_series(left, right, table, number, len(found.tables))
        places = max(table.game.players for table in found.tables)
        for axis in (left, right):
            axis.axhline(0, color="0.4", linewidth=0.8, zorder=0)
            axis.set_xticks(range(places), report.PLACES[:places])
            axis.set(xlabel="turn order", xlim=(-0.5, places - 0.5))
        left.set(ylabel="win share less an equal share\n(percentage points)")
        right.set(ylabel="score less the table's mean")
        whole.legend(loc="outside upper center", ncols=len(found.tables), handletextpad=0.3)


def _draw_series(left: Any, right: Any, table: PlayersSeats, number: int, count: int) -> None:
    players = table.game.players
    rows, fair = table.agents[0].table.rows, 1 / players
    where = [place + 0.12 * (number - (count - 1) / 2) for place in range(len(rows))]
    marks = {**report.look(number), "linestyle": "none"}
    errors = report.whiskers([row.share for row in rows], 100)
    shares = [100 * (row.share.value - fair) for row in rows]
    left.errorbar(where, shares, yerr=errors, label=report.seats_text(players), **marks)
    mean = sum(row.score for row in rows) / len(rows)
    right.errorbar(where, [row.score - mean for row in rows], yerr=[row.score_error for row in rows], **marks)
