"""Every agent as hero in every seat against tables of every other agent: pay-offs, ratings, and early stops.

A block is a game number, which every table plays with the same luck. Finished games are kept in a store, so that a
ladder goes on where it was interrupted, or to more blocks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.search.settings import parse_argument
from atlantis_envs import __version__
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game, checked_game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_training import GAMES_LIMIT
from atlantis_training.evaluation import measure, report
from atlantis_training.evaluation.ratings import Ratings, fit_ratings, fit_teams
from atlantis_training.evaluation.statistics import (
    OPEN,
    Z95,
    Share,
    Verdict,
    block_means,
    first_answer,
    judge,
    wilson,
)
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

LOG = "ladder.jsonl"
MOST_AGENTS = 32
LEAST_BLOCKS = 2  # spread is seen between blocks
STEP = 25  # blocks of a task; a task is what an interruption may lose
LEAST_BUDGETS = 3  # of one search, for a curve
LABEL = 18  # characters of an agent's name in the picture
FAR = 3.0  # times the spread of the others: so far below, an agent is drawn at the edge

Numbers = NDArray[np.int16]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Ladder:
    """A ladder: its games are a function of these.

    Attributes:
        game: the game.
        agents: different texts, one per agent; the first is the one that ratings are compared with.
        seed: of chance and agents.
    """

    game: Game
    agents: tuple[str, ...]
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the agents.

        Raises:
            OptionError: too few, too many, or the same twice.
        """
        checked_game(self.game)
        twice = [agent for agent in self.agents if self.agents.count(agent) > 1]
        if twice:
            raise OptionError(f"agents: {repr_short(twice[0])} is named twice; allowed: different agents")
        if not 2 <= len(self.agents) <= MOST_AGENTS:
            raise OptionError(f"agents: {len(self.agents)}; allowed: 2..{MOST_AGENTS}")

    @property
    def cooperative(self) -> bool:
        """Return whether the seats win and lose together: then a team of each agent plays by itself."""
        return self.game.cooperative

    @cached_property
    def matchups(self) -> tuple[tuple[measure.LineUp, ...], ...]:
        """Return the tables of every pair of agents, or the one table of every team; equally many each."""
        if self.cooperative:
            return tuple(((agent,) * self.game.players,) for agent in self.agents)
        return tuple(self._tables(one, other) for one, other in combinations(self.agents, 2))

    @property
    def identities(self) -> list[dict[str, Any]]:
        """Return what tells the games of each table from all others."""
        return [measure.identity(self.game, table, self.seed) for tables in self.matchups for table in tables]

    def _tables(self, one: str, other: str) -> tuple[measure.LineUp, ...]:
        """Return the tables with either agent as hero in every seat; with two players these are the same tables."""
        seats = range(self.game.players)
        heroes = [self.hero_table(hero, rest, seat) for hero, rest in ((one, other), (other, one)) for seat in seats]
        return tuple(dict.fromkeys(heroes))

    def hero_table(self, hero: str, rest: str, seat: int) -> measure.LineUp:
        """Return the table with ``hero`` in ``seat``, ``rest`` in all others."""
        return tuple(hero if place == seat else rest for place in range(self.game.players))

    @property
    def games_a_block(self) -> int:
        """Return the games of one block: every table of every matchup once, all with the same luck."""
        return sum(len(tables) for tables in self.matchups)


def check_blocks(ladder: Ladder, blocks: int) -> None:
    """Check a number of blocks.

    Raises:
        OptionError: too few for intervals, or more games than can be kept.
    """
    most = GAMES_LIMIT // ladder.games_a_block
    if not LEAST_BLOCKS <= blocks <= most:
        raise OptionError(f"blocks: {repr_short(blocks)}; allowed: {LEAST_BLOCKS}..{most}")


def two_named(text: str, agents: Sequence[str]) -> tuple[str, str]:
    """Read "A:B" where names may hold colons themselves: both are among the agents, which are these two.

    Raises:
        OptionError: they are not.
    """
    parts = text.split(":")
    splits = [(":".join(parts[:cut]), ":".join(parts[cut:])) for cut in range(1, len(parts))]
    fitting = [pair for pair in splits if set(pair) == set(agents) and pair[0] != pair[1]]
    if len(fitting) != 1 or len(agents) != 2:
        named = ", ".join(map(repr_short, agents))
        raise OptionError(f"better: {repr_short(text)} with agents {named}; allowed: A:B, with A and B the agents")
    return fitting[0]


# ------------------------------------------------------------------------------------------------------------ outcomes


@dataclass(frozen=True)
class Outcomes:
    """Who won which game.

    Attributes:
        winners: int16 (matchups, tables, blocks), a bit per seat that won, bit 0 for a team; 0 where nobody did, which
            a safety bound that cuts a game off brings about.
        starters: int16, the same shape: the seat that decided first.
    """

    winners: Numbers
    starters: Numbers

    @classmethod
    def of(cls, ladder: Ladder, measured: measure.Measured) -> Outcomes:
        """Return the outcomes of the blocks that are whole, from the first one on without a gap."""
        whole = measured.whole()
        found = dict(zip(whole.line_ups, whole.results, strict=True))
        tables = [[found[table] for table in tables] for tables in ladder.matchups]
        winners = [[_winners(result, ladder.cooperative) for result in row] for row in tables]
        starters = [[result.starters for result in row] for row in tables]
        return cls(np.array(winners, np.int16), np.array(starters, np.int16))

    @property
    def blocks(self) -> int:
        """Return the number of blocks."""
        return int(self.winners.shape[2])

    def first(self, blocks: int) -> Outcomes:
        """Return the first so many blocks."""
        return Outcomes(self.winners[:, :, :blocks], self.starters[:, :, :blocks])


def _winners(result: measure.Results, cooperative: bool) -> NDArray[np.int64]:
    seats = 1 if cooperative else result.returns.shape[1]
    won = result.returns > 0 if cooperative else result.win_shares > 0
    return np.asarray(won[:, :seats] @ (1 << np.arange(seats)))


# ---------------------------------------------------------------------------------------------------------------- play


def ladder_store(directory: Path, ladder: Ladder, resume: bool) -> Store:
    """Return the store of a ladder in a directory, which exists.

    Args:
        directory: where it is.
        ladder: what is played.
        resume: go on with the file that is there; else there is none.

    Raises:
        OptionError: there is a file, or none, or it is another ladder's, or it is damaged.
    """
    path = directory / LOG
    if not resume and os.path.lexists(path):
        there = "there is a ladder already; allowed: --resume, or another directory"
        raise OptionError(f"out: {repr_short(path)}: {there}")
    return measure.open_store(path, ladder.identities, resume)


@dataclass(frozen=True)
class Played:
    """What was played of a ladder.

    Attributes:
        ladder: of which.
        outcomes: of the blocks that count, all of them whole.
        requested: blocks requested.
        better: the two agents of the sequential test, "is the second better than the first"; None without one.
        verdict: its answer; None without a test or without a block.
    """

    ladder: Ladder
    outcomes: Outcomes
    requested: int
    better: tuple[str, str] | None = None
    verdict: Verdict | None = None

    @property
    def blocks(self) -> int:
        """Return the number of blocks that count."""
        return self.outcomes.blocks

    @property
    def decided(self) -> bool:
        """Return whether a sequential test came to an answer."""
        return self.verdict is not None and self.verdict.answer != OPEN

    @property
    def interrupted(self) -> bool:
        """Return whether it ended before all blocks were played and for no other reason."""
        return self.blocks < self.requested and not self.decided

    def report(self) -> report.Report:
        """Return it as a report; of no block there is none."""
        table = make_table(self.ladder, self.outcomes)
        ladder, game, count = self.ladder, self.ladder.game, self.blocks
        versions = ", ".join(f"{name} {value}" for name, value in asdict(game.definition.versions).items())
        asked = f" of {self.requested:,}" + (", interrupted" if self.interrupted else "")
        games = count * ladder.games_a_block
        parts = (
            f"# {game.definition.title}, {report.seats_text(game.players)}: ladder",
            f"{count:,} blocks{asked if count < self.requested else ''} of {ladder.games_a_block} games with the same "
            f"luck: {games:,} games; seed {ladder.seed}; atlantis-envs {__version__} ({versions}). Intervals are 95 %, "
            "by a bootstrap over blocks.",
            report.cautions(table.unwon, games, count),
            report.Figure("pay-offs and ratings", partial(draw_ladder, self, table)),
            _verdict_text(self),
            *(_team_parts(self, table) if ladder.cooperative else _payoff_parts(self, table)),
            *_rating_parts(ladder.agents, table.ratings),
        )
        return report.Report("ladder", parts, partial(ladder_json, self, table))

    def _repr_markdown_(self) -> str:
        return self.report()._repr_markdown_() if self.blocks else f"No block of {self.requested:,} was played.\n"


def play_ladder(
    ladder: Ladder,
    blocks: int,
    store: Store | None = None,
    workers: Workers = 1,
    progress: measure.Progress | None = None,
    better: tuple[str, str] | None = None,
    agents: Mapping[str, Agent] | None = None,
) -> Played:
    """Play what is missing of the first ``blocks`` blocks.

    Args:
        ladder: who plays whom.
        blocks: game numbers 0..blocks-1 of every table.
        store: where finished games are kept, with those that are there already; None keeps nothing.
        workers: processes, or a cluster; the outcomes do not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.
        better: stop as soon as it is known whether the second of these agents is better than the first. The blocks that
            count are those up to the answer, in their order, whatever else was played meanwhile.
        agents: by text, found before.

    Raises:
        OptionError: a number of blocks that is not allowed, or an agent that does not fit.
    """
    check_blocks(ladder, blocks)
    line_ups = [table for tables in ladder.matchups for table in tables]

    def answered(measured: measure.Measured) -> bool:
        """Return whether the whole blocks answer the question of the sequential test."""
        assert better is not None
        whole = Outcomes.of(ladder, measured)
        return bool(whole.blocks) and first_answer(lead(ladder, whole, *better))[0] != OPEN

    measured = measure.measure(
        ladder.game, line_ups, blocks, ladder.seed, workers, progress,
        agents=agents, store=store, group=len(ladder.matchups[0]), step=STEP, enough=answered if better else None,
    )  # fmt: skip
    whole = Outcomes.of(ladder, measured)
    verdict = judge(lead(ladder, whole, *better)) if better and whole.blocks else None
    return Played(ladder, whole.first(verdict.block) if verdict else whole, blocks, better, verdict)


# --------------------------------------------------------------------------------------------------------------- table


@dataclass(frozen=True)
class LadderTable:
    """What came of a ladder.

    Attributes:
        payoffs: row by agent, column by opponent: the share of wins of one hero among opponents of that kind, over all
            seats, with its interval. The diagonal is what equals share, 1 / players, and is not played. In a
            cooperative game one column: games won by the team of that agent.
        means: per agent, the mean of its row without the diagonal; of teams the row itself. ``games`` counts those
            against all opponents together.
        ratings: with effects of turn order; None where there are too few blocks for errors.
        ties: share of games with several winners; 0 for teams.
        unwon: games that nobody won, cut off by a safety bound; 0 for teams.
    """

    payoffs: tuple[tuple[Share, ...], ...]
    means: tuple[Share, ...]
    ratings: Ratings | None
    ties: float
    unwon: int


def make_table(ladder: Ladder, outcomes: Outcomes) -> LadderTable:
    """Return the table of blocks that are all whole, at least one."""
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
    """Return means of the columns of float64 (blocks, K), intervals from a bootstrap over blocks; ``games`` of each.

    Where all blocks are alike the bootstrap sees no spread; there it is the Wilson interval of as many games as blocks.
    """
    blocks, shares = len(values), list[Share]()
    for mean, count in zip(block_means(values, seed), games, strict=True):
        low, high = (mean.low, mean.high) if mean.low < mean.high else wilson(mean.value, blocks)
        shares.append(Share(mean.value, low, high, blocks * count))
    return shares


# ------------------------------------------------------------------------------------------------------ per block


def seat_shares(ladder: Ladder, outcomes: Outcomes) -> Values:
    """Return the share of wins by seat, float64 (matchups, tables, blocks, seats), ties split."""
    seats = np.arange(ladder.game.players, dtype=np.int16)
    bits = (outcomes.winners[..., None] >> seats) & 1
    return np.asarray(bits / np.maximum(1, bits.sum(axis=3, keepdims=True)))


def hero_shares(ladder: Ladder, outcomes: Outcomes) -> Values:
    """Return the share of wins of a hero over all its seats, float64 (blocks, agents, opponents); 0 on the diagonal.

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
    """Return how much more ``other`` won than ``one``, per block, float64 (blocks,) in -1..1; 0 is expected of equals.

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
    """Return tables by turn order instead of by seat.

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


# -------------------------------------------------------------------------------------------------------------- report


def ladder_json(played: Played, table: LadderTable) -> dict[str, Any]:
    """Return the ladder as plain values, the same whatever the number of processes."""
    ladder = played.ladder
    verdict = played.verdict
    return {
        "format": "atlantis-envs ladder 1",
        **report.provenance(ladder.game, ladder.agents, ladder.seed),
        "cooperative": ladder.cooperative,
        "blocks_asked": played.requested,
        "blocks": played.blocks,
        "games": played.blocks * ladder.games_a_block,
        **asdict(table),
        "better": None if verdict is None else {"agents": list(played.better or ()), **asdict(verdict)},
    }


def _verdict_text(played: Played) -> str:
    verdict = played.verdict
    if verdict is None or played.better is None:
        return ""
    one, other = map(report.markdown, played.better)
    found = f"not known after {verdict.block:,} blocks"
    if verdict.answer != OPEN:
        found = f"{other} is {verdict.answer} than {one}, known after {verdict.block:,} blocks"
    return (
        f"Is {other} better than {one}? {found[0].upper()}{found[1:]}. Lead {verdict.mean:+.3f} a block, "
        f"{1 - verdict.level:.0%} confidence sequence [{verdict.low:+.3f}, {verdict.high:+.3f}], valid whenever one "
        "stops; the intervals below are not, once a test has stopped."
    )


def _payoff_parts(played: Played, table: LadderTable) -> list[str | report.Table]:
    names = list(map(report.markdown, played.ladder.agents))
    text = (
        f"Share of wins of one agent (row) among opponents of one kind (column), over all its seats; an equal share is "
        f"{1 / played.ladder.game.players:.3f}. Shared victories ({table.ties:.1%} of the games) are split."
    )
    rows: list[tuple[Any, ...]] = []
    for place, (name, row, mean) in enumerate(zip(names, table.payoffs, table.means, strict=True)):
        cells = [f"{share.value:.3f}" if other == place else share for other, share in enumerate(row)]
        rows.append((name, *cells, mean))
    return [text, report.Table(("agent", *names, "mean"), rows)]


def _team_parts(played: Played, table: LadderTable) -> list[str | report.Table]:
    rows = zip(played.ladder.agents, table.payoffs, strict=True)
    return [report.Table(("team of", "games won"), [(report.markdown(agent), row[0]) for agent, row in rows])]


def _rating_parts(agents: Sequence[str], ratings: Ratings | None) -> list[str | report.Table]:
    if ratings is None:
        return []
    rows = [(report.markdown(agent), estimate) for agent, estimate in zip(agents, ratings.agents, strict=True)]
    worth = ", ".join(f"{place} {estimate}" for place, estimate in zip(report.PLACES, ratings.places, strict=False))
    return [
        f"Ratings in Elo points ± standard error; {report.markdown(agents[0])} is 0.",
        report.Table(("agent", "rating"), rows),
        f"What turn order is worth in mixed tables, in the same points: {worth}. That is not the advantage of a "
        "seat among equals, who play no table here; `atlantis seats` measures it. Largest difference between model and "
        f"games, in a share of wins at one table: {ratings.misfit:.3f}." if ratings.places else "",
    ]  # fmt: skip


def draw_ladder(played: Played, table: LadderTable, paths: Sequence[Path]) -> None:
    """Draw pay-offs as a map, or games won by teams; beside it the ratings with 95 % intervals.

    Where one search plays with several budgets, a third panel shows its rating against simulations.
    """
    budgets = budgets_of(played.ladder.agents) if table.ratings else {}
    names = [report.pictured(name) for name in short_names(played.ladder.agents)]
    order = _best_first(table)
    height = 1.6 + 0.32 * len(names)
    width, panels = (10.2, 3) if budgets else (6.8, 2)
    with report.figure(*paths, size=(width, height), panels=panels) as (whole, (left, right, *more)):
        whole.suptitle(f"{report.pictured(played.ladder.game.definition.title)}: best first", fontsize=9)
        (_draw_teams if played.ladder.cooperative else _draw_payoffs)(left, names, table, order)
        for axis in (left, right):
            axis.set_yticks(range(len(names)), [names[index] for index in order])
            axis.set_ylim(len(names) - 0.5, -0.5)
        right.grid(axis="x")
        right.set(xlabel=f"rating in Elo points ({names[0]} is 0)", title="rating, 95 % interval")
        if table.ratings:
            values = [estimate.value for estimate in table.ratings.agents]
            errors = [Z95 * estimate.error for estimate in table.ratings.agents]
            _draw_ratings(right, [values[index] for index in order], [errors[index] for index in order])
            for axis in more:
                _draw_budgets(axis, names, budgets, values, errors)


def short_names(agents: Sequence[str]) -> list[str]:
    """Return names of at most LABEL characters: searches by their beginnings, if these differ, else by their ends.

    The end of a path says more than its beginning.

    >>> short_names(["search:16,root=gumbel,gate=0", "search:64,root=gumbel,gate=0", "runs/the/first/policy"])
    ['search:16,root=gu…', 'search:64,root=gu…', '…/the/first/policy']
    """
    ends = [agent if len(agent) <= LABEL else f"…{agent[1 - LABEL :]}" for agent in agents]
    mixed = [
        f"{agent[: LABEL - 1]}…" if len(agent) > LABEL and agent.startswith("search:") else end
        for agent, end in zip(agents, ends, strict=True)
    ]
    return mixed if len(set(mixed)) == len(mixed) else ends


def _best_first(table: LadderTable) -> list[int]:
    """Return indices of the agents by rating, by what they win where there are no ratings."""
    worth = [each.value for each in table.ratings.agents] if table.ratings else [
        sum(share.value for share in row) for row in table.payoffs
    ]  # fmt: skip
    return sorted(range(len(worth)), key=lambda index: -worth[index])


def _draw_ratings(axis: Any, values: Sequence[float], errors: Sequence[float]) -> None:
    """Draw ratings with their numbers; one far below the others, such as random play, stands at the edge.

    So it does not flatten the differences of the others.
    """
    floor = min(values)
    if len(values) > 2 and values[-2] - values[-1] > FAR * max(1.0, values[0] - values[-2]):
        floor = values[-2] - FAR / 2 * max(1.0, values[0] - values[-2])
    if floor <= 0:
        axis.axvline(0, color="0.4", linewidth=0.8, zorder=0)
    shown = [max(value, floor) for value in values]
    inside = [error if value >= floor else 0.0 for value, error in zip(values, errors, strict=True)]
    axis.errorbar(shown, range(len(values)), xerr=inside, linestyle="none", **report.look(0))
    for row, (value, spot, error) in enumerate(zip(values, shown, inside, strict=True)):
        mark = f"{value:+.0f}" if value >= floor else f"\N{LEFTWARDS ARROW} {value:+.0f}"
        axis.annotate(mark, (spot + error, row), (5, 0), textcoords="offset points", va="center", fontsize=7)
    axis.margins(x=0.25)


def budgets_of(agents: Sequence[str]) -> dict[int, int]:
    """Return the agents that are one search with several budgets: index by simulations; fewer than three are none."""
    series: dict[tuple[Any, ...], dict[int, int]] = {}
    for index, agent in enumerate(agents):
        name, _, argument = agent.partition(":")
        if name == "search" and argument:
            settings = parse_argument(argument)
            simulations = settings.pop("simulations", None)
            if isinstance(simulations, int):
                series.setdefault(tuple(sorted(settings.items())), {})[simulations] = index
    most = max(series.values(), key=len, default={})
    return dict(sorted(most.items())) if len(most) >= LEAST_BUDGETS else {}


def _draw_budgets(
    axis: Any, names: Sequence[str], budgets: Mapping[int, int], values: Sequence[float], errors: Sequence[float]
) -> None:
    """Draw the rating of a search against its simulations, on a log axis; other agents are lines across."""
    where = list(budgets.values())
    axis.errorbar(list(budgets), [values[index] for index in where], yerr=[errors[index] for index in where],
                  **report.look(0))  # fmt: skip
    for index, name in enumerate(names):
        if index not in where:
            axis.axhline(values[index], color="0.4", linewidth=0.8, linestyle="--", zorder=0)
            axis.annotate(name, (min(budgets), values[index]), fontsize=7, va="bottom")
    axis.set_xscale("log", base=2)
    axis.set_xticks(list(budgets), list(map(str, budgets)))
    axis.set(xlabel="simulations", ylabel="rating in Elo points")


def _draw_payoffs(axis: Any, names: Sequence[str], table: LadderTable, order: Sequence[int]) -> None:
    values = [[table.payoffs[row][column].value for column in order] for row in order]
    axis.imshow(values, vmin=0, vmax=1, cmap="cividis", aspect="auto")
    for row, column in ((row, column) for row in range(len(names)) for column in range(len(names))):
        value = values[row][column]
        ink = "black" if value > 0.5 else "white"
        axis.text(column, row, f"{value:.2f}", ha="center", va="center", fontsize=7, color=ink)
    axis.grid(visible=False)
    axis.set_xticks(range(len(names)), [names[index] for index in order], rotation=30, ha="right")
    axis.set(xlabel="against", title="share of wins")


def _draw_teams(axis: Any, names: Sequence[str], table: LadderTable, order: Sequence[int]) -> None:
    shares: list[Share] = [table.payoffs[index][0] for index in order]
    values = [share.value for share in shares]
    axis.errorbar(values, range(len(names)), xerr=report.whiskers(shares), linestyle="none", **report.look(0))
    axis.grid(axis="x")
    axis.set(xlabel="games won", xlim=(-0.03, 1.03))
