"""How strong agents are against each other: every block is played in all rotations of the seats, with the same luck.

A block is a game number. Its chance is the same whoever sits where, so what luck gives to a seat it gives to everybody
in turn, and blocks, not games, are what intervals are made from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_training.evaluation import report
from atlantis_training.evaluation.measure import LineUp, Measured, Progress, Results, measure, rotations
from atlantis_training.evaluation.statistics import Mean, Share, block_means, win_share
from atlantis_training.evaluation.store import Store
from atlantis_training.evaluation.workers import Workers

Values = NDArray[np.float64]
LABEL = 0.09  # of the height of a picture, between names at lines


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
        order: share of wins by turn order, the seat that decides first first.
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
        forfeits: games that an agent gave up, by its text, of those that gave up any; they count as lost.
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
    forfeits: Mapping[str, int]
    agents: tuple[AgentRow, ...]
    team: TeamRow | None
    results: tuple[Results, ...] = field(default=(), repr=False, compare=False)

    @property
    def interrupted(self) -> bool:
        """Return whether it ended before all blocks were played."""
        return self.blocks < self.requested

    def report(self) -> report.Report:
        """Return it as a report: ``markdown`` is its text, ``write`` makes files.

        >>> from atlantis_training.evaluation.evaluate import evaluate
        >>> game = atlantis_envs.game("atlandice", players=2)
        >>> report = evaluate(game, ["heuristic", "random"], blocks=4, seed=1).report()
        >>> report.parts[0]
        '# Atlandice, 2 players: heuristic, random'
        """
        game, count, tables = self.game, self.blocks, len(self.tables)
        agents = ", ".join(map(report.markdown, self.line_up))
        played = f"{count:,} blocks" + (f" of {self.requested:,}, interrupted" if self.interrupted else "")
        parts = (
            f"# {game.definition.title}, {report.seats_text(game.players)}: {agents}",
            f"{played}, each played in {tables} rotation{'s' * (tables > 1)} of the seats with the same luck: "
            f"{count * tables:,} games, {self.mean_plies:.0f} decisions each; seed {self.seed}.",
            report.cautions(self.truncated, count * tables, count),
            report.forfeits(self.forfeits, count * tables),
            *([_team_table(self.team)] if self.team else _agent_parts(self)),
            *([report.Figure("final scores", partial(draw_team, self))] if self.team and count else []),
            *([] if self.team else [report.Figure("win shares", partial(draw_evaluation, self))]),
        )
        return report.Report("evaluation", parts, partial(evaluation_json, self))

    def _repr_markdown_(self) -> str:
        return self.report()._repr_markdown_()


evaluation_report = Evaluation.report  # by itself


def evaluate(
    game: Game,
    line_up: Sequence[str],
    blocks: int,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    *,
    agents: Mapping[str, Agent] | None = None,
    store: Store | None = None,
) -> Evaluation:
    """Play ``blocks`` games in every rotation of a line-up, with the same luck in all rotations.

    >>> game = atlantis_envs.game("atlandice", players=2)
    >>> evaluate(game, ["heuristic", "random"], blocks=4, seed=1).agents[0].share.games
    8

    Args:
        game: the game.
        line_up: who sits where in the first rotation.
        blocks: games of each rotation, with numbers 0..blocks-1.
        seed: of chance and agents, 0..2**64-1.
        workers: processes, or a cluster; the result does not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.
        agents: agent objects by their text in ``line_up``; None: texts are looked up.
        store: keeps finished games; None keeps nothing.

    Raises:
        OptionError: no blocks, or agents that do not fit.
    """
    if blocks < 1:
        raise OptionError(f"blocks: {blocks}; allowed: 1 or more")
    tables = rotations(tuple(line_up))
    return tabulate(measure(game, tables, blocks, seed, workers, progress, agents=agents, store=store))


def tabulate(measured: Measured) -> Evaluation:
    """Return win rates by agent and seat, of games that all rotations of a line-up have played.

    >>> from atlantis_training.evaluation.evaluate import tabulate
    >>> from atlantis_training.evaluation.measure import measure, rotations
    >>> game = atlantis_envs.game("atlandice", players=2)
    >>> found = tabulate(measure(game, rotations(("heuristic", "random")), games=4, seed=1))
    >>> [(row.agent, row.share.value) for row in found.agents]
    [('heuristic', 1.0), ('random', 0.0)]
    """
    game, tables, results, seed = measured.game, measured.line_ups, measured.results, measured.seed
    together, team, blocks = Results.join(results), game.cooperative, len(results[0].numbers)
    return Evaluation(
        game=game,
        line_up=tables[0],
        tables=tables,
        seed=seed,
        requested=measured.requested,
        blocks=blocks,
        ties=together.ties,
        mean_plies=float(together.plies.mean()) if blocks else 0.0,
        truncated=int(together.truncated.sum()),
        forfeits=measured.forfeits,
        agents=() if team else tuple(_row(name, tables, results, seed) for name in dict.fromkeys(tables[0])),
        team=_team(results, seed) if team else None,
        results=results,
    )


def _row(agent: str, tables: Sequence[LineUp], results: Sequence[Results], seed: int) -> AgentRow:
    """Gather one agent's columns from the tables: over all, by seat, and by turn order."""
    held = [np.array([spec == agent for spec in table]) for table in tables]
    copies = int(held[0].sum())
    shares = [result.win_shares for result in results]
    measures = [[won, found.places, found.scores, found.margins] for won, found in zip(shares, results, strict=True)]
    columns = [
        np.mean([values[k][:, own].mean(axis=1) for values, own in zip(measures, held, strict=True)], axis=0)
        for k in range(4)
    ]
    share, place, score, margin = block_means(np.stack(columns, axis=1), seed)
    pooled = np.concatenate([won[:, own].ravel() for won, own in zip(shares, held, strict=True)])
    seats: list[list[Values]] = [[] for _ in tables[0]]
    order: list[list[Values]] = [[] for _ in tables[0]]
    for result, won, own in zip(results, shares, held, strict=True):
        sitting = result.by_order(np.broadcast_to(own, won.shape))
        turned = result.by_order(won)
        for seat in range(len(own)):
            seats[seat] += [won[:, seat]] if own[seat] else []
            order[seat].append(turned[sitting[:, seat], seat])
    by_seat, by_order = (tuple(win_share(np.concatenate(column)) for column in columns) for columns in (seats, order))
    return AgentRow(agent, copies, win_share(pooled), share, place, score, margin, by_seat, by_order)


def _team(results: Sequence[Results], seed: int) -> TeamRow:
    """Return the row of a team: all seats share one result, so the first column says it all."""
    won = [(result.returns[:, 0] > 0).astype(np.float64) for result in results]
    measures = (won, [result.returns[:, 0] for result in results], [result.scores[:, 0] for result in results])
    share, returns, score = block_means(np.stack([np.mean(measure, axis=0) for measure in measures], axis=1), seed)
    lost = np.concatenate([(result.returns[:, 0] < 0) & ~result.truncated for result in results]).astype(np.float64)
    return TeamRow(win_share(np.concatenate(won)), share, win_share(lost), returns, score)


def block_worth(evaluation: Evaluation, agent: str) -> float:
    """Return how many independent games say as much as a block about an agent's share of wins.

    Variance of a game over that of a block's mean: as many as there are rotations where luck in common changes nothing,
    more where it cancels, fewer where it adds up. NaN where all blocks are alike.
    """
    held = [np.array([spec == agent for spec in table]) for table in evaluation.tables]
    shares = np.stack([
        found.win_shares[:, own].mean(axis=1) for found, own in zip(evaluation.results, held, strict=True)
    ])  # fmt: skip
    spread = shares.mean(axis=0).var(ddof=1)
    return float(shares.var(axis=1, ddof=1).mean() / spread) if spread else math.nan


# ------------------------------------------------------------------------------------------------- one agent by seat


@dataclass(frozen=True)
class SeatTable:
    """How one agent does in every seat against the same others; in a cooperative game beside them.

    Attributes:
        seats: a Share per seat: of wins, ties split; in a cooperative game of games won.
        overall: over all seats.
        fair: 1 / players, what an equal player would win; NaN in a cooperative game, where nobody wins a part.
    """

    seats: tuple[Share, ...]
    overall: Share
    fair: float


def hero_shares(measured: Measured) -> Values:
    """Return what the agent in seat s of line-up number s won, float64 (line-ups, games): shares, or a team's games."""
    team = measured.game.cooperative
    columns = [(found.won if team else found.win_shares)[:, seat] for seat, found in enumerate(measured.results)]
    return np.stack(columns)


def hero_line_ups(hero: str, others: str, players: int) -> tuple[LineUp, ...]:
    """Return a line-up per seat: ``hero`` in it, ``others`` in the rest."""
    seats = range(players)
    return tuple(tuple(hero if other == seat else others for other in seats) for seat in seats)


def evaluate_by_seat(
    game: Game, agent: Agent, opponent: Agent, games_per_seat: int, seed: int = 0, progress: Progress | None = None
) -> SeatTable:
    """Play ``agent`` in each seat in turn, ``opponent`` in all others, the same games for every seat.

    >>> from atlantis_training.evaluation.evaluate import evaluate_by_seat
    >>> game = atlantis_envs.game("atlandice", players=2)
    >>> heuristic = atlantis_envs.make_agent("heuristic", game)
    >>> other = atlantis_envs.make_agent("random", game)
    >>> found = evaluate_by_seat(game, heuristic, other, games_per_seat=4, seed=1)
    >>> [seat.value for seat in found.seats]
    [1.0, 1.0]

    Args:
        game: the game.
        agent: the agent to measure.
        opponent: the agent in all other seats.
        games_per_seat: games for each seat of ``agent``.
        seed: of chance and agents, 0..2**64-1.
        progress: called with the number of games finished since the last call.

    Returns:
        A SeatTable: win shares by seat and in all, with 95 % intervals. In a cooperative game all win or all lose, so
        there the shares are of games won.

    Raises:
        OptionError: an agent does not fit the game.
    """
    line_ups, agents = hero_line_ups("agent", "opponent", game.players), {"agent": agent, "opponent": opponent}
    columns = hero_shares(measure(game, line_ups, games_per_seat, seed, 1, progress, agents=agents))
    fair = math.nan if game.cooperative else 1 / game.players
    return SeatTable(tuple(map(win_share, columns)), win_share(columns.ravel()), fair)


def evaluate_team(game: Game, agent: Agent, num_games: int, seed: int = 0, progress: Progress | None = None) -> Share:
    """Return the share of games of a cooperative game that are won with ``agent`` in every seat."""
    line_up = ("agent",) * game.players
    return win_share(hero_shares(measure(game, [line_up], num_games, seed, 1, progress, agents={"agent": agent}))[0])


# -------------------------------------------------------------------------------------------------------------- report


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluation as plain values, the same whatever the number of processes."""
    return {
        "format": "atlantis-envs evaluation 1",
        **report.provenance(evaluation.game, evaluation.line_up, evaluation.seed),
        "tables": [list(table) for table in evaluation.tables],
        "blocks_asked": evaluation.requested,
        "blocks": evaluation.blocks,
        "ties": evaluation.ties,
        "mean_plies": evaluation.mean_plies,
        "truncated": evaluation.truncated,
        "forfeits": dict(evaluation.forfeits),
        "rows": [asdict(row) for row in evaluation.agents],
        "team": None if evaluation.team is None else asdict(evaluation.team),
    }


def _team_table(team: TeamRow) -> report.Table:
    columns = ("games won", "Wilson interval", "over blocks", "games lost", "mean return", "mean score")
    intervals = [f"{one.low:.4f} - {one.high:.4f}" for one in (team.share, team.blocks)]
    cells = (f"{team.share.value:.4f}", *intervals, f"{team.lost.value:.4f}", team.returns, team.score)
    return report.Table(columns, [cells])


def _agent_parts(evaluation: Evaluation) -> Iterator[str | report.Table]:
    players, rows = evaluation.game.players, evaluation.agents
    fair = 1 / players
    yield (
        f"An equal share is {fair:.4f}. Shared victories ({evaluation.ties:.1%} of the games) are split. "
        "All intervals are 95 %: Wilson takes games as independent, the other is a bootstrap over blocks."
    )
    columns = ("agent", "win share", "Wilson interval", "over blocks", "mean place", "mean score")
    cells = []
    for row in rows:
        name = report.markdown(row.agent) + (f" ({row.copies} seats)" if row.copies > 1 else "")
        intervals = [f"{one.low:.4f} - {one.high:.4f}" for one in (row.share, row.blocks)]
        cells.append((name, f"{row.share.value:.4f}", *intervals, row.place, row.score, row.margin))
    yield report.Table((*columns, "lead over the best opponent"), cells)
    rivals = [row for row in rows if row.copies < players]
    verdicts = []
    for row in rivals:
        found = " wins more than" if row.blocks.low > fair else " wins less than" if row.blocks.high < fair else ""
        verdicts.append(f"- {report.markdown(row.agent)}{found or ': not distinguishable from'} an equal share.")
    yield "\n".join(verdicts)
    if rivals and evaluation.blocks >= report.ENOUGH_BLOCKS:
        worth = ", ".join(f"{block_worth(evaluation, row.agent):.1f} ({report.markdown(row.agent)})" for row in rivals)
        yield f"A block has {len(evaluation.tables)} games and says as much as so many independent ones: {worth}."
    yield "Win share by seat:"
    yield report.Table(("agent", *range(players)), [(report.markdown(row.agent), *row.seats) for row in rows])
    yield "Win share by turn order:"
    yield report.Table(("agent", *report.PLACES[:players]), [(report.markdown(row.agent), *row.order) for row in rows])


def draw_evaluation(evaluation: Evaluation, paths: Sequence[Path]) -> None:
    """Draw win shares with their intervals over blocks, best first, and beside them those by turn order."""
    rows = sorted(evaluation.agents, key=lambda row: -row.share.value)
    names = [report.pictured(row.agent) for row in rows]
    players = evaluation.game.players
    with report.figure(*paths, size=(6.8, 1.5 + 0.3 * max(2, len(rows))), panels=2) as (whole, (left, right)):
        whole.suptitle(f"{evaluation.game.definition.title}, {report.seats_text(players)}", fontsize=9)
        blocks = [replace(row.share, low=row.blocks.low, high=row.blocks.high) for row in rows]
        values, bars = [share.value for share in blocks], report.whiskers(blocks)
        left.errorbar(values, range(len(rows)), xerr=bars, linestyle="none", clip_on=False, **report.look(0))
        left.set_yticks(range(len(rows)), names)
        left.set_ylim(len(rows) - 0.5, -0.5)
        left.grid(axis="x")
        left.axvline(1 / players, color="0.4", linewidth=0.8, zorder=0)
        left.set(xlabel="win share, 95 % interval over blocks", xlim=(0, None))
        orders = [[share.value for share in row.order] for row in rows]
        for number, order in enumerate(orders):
            right.errorbar(range(players), order, clip_on=False, **report.look(number))
        right.axhline(1 / players, color="0.4", linewidth=0.8, zorder=0)
        right.set_xticks(range(players), report.PLACES[:players])
        right.set(xlabel="place in turn order", ylabel="win share", ylim=(0, None))
        heights = report.apart([order[-1] for order in orders], LABEL * right.get_ylim()[1])
        for number, (name, height) in enumerate(zip(names, heights, strict=True)):
            label = {"va": "center", "fontsize": 7.5, "color": report.look(number)["color"]}
            right.annotate(name, (players - 1, height), (8, 0), textcoords="offset points", **label)


def draw_team(evaluation: Evaluation, paths: Sequence[Path]) -> None:
    """Draw how many games of a team ended with which score, and which of them were won."""
    games = Results.join(evaluation.results)
    scores, won = games.scores[:, 0], games.won[:, 0] > 0
    parts = {"won": won, "lost": ~won & ~games.truncated, "cut off": games.truncated}
    shown = {name: scores[which] for name, which in parts.items() if which.any()}
    bins = np.arange(scores.min(), scores.max() + 2) - 0.5
    share = f"{won.mean() * 100:.0f} % of {len(scores):,} games won"
    with report.figure(*paths, size=(4.2, 2.4)) as (whole, (axis,)):
        whole.suptitle(f"{evaluation.game.definition.title}, {report.seats_text(evaluation.game.players)}", fontsize=9)
        colours = [report.SERIES[list(parts).index(name)][0] for name in shown]
        axis.hist(list(shown.values()), bins, stacked=True, rwidth=0.85, color=colours, label=list(shown))
        axis.set(xlabel="final score", ylabel="games", title=share)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.yaxis.get_major_locator().set_params(integer=True)
        axis.legend()


# --------------------------------------------------------------------------------- games of an evaluation that are kept

# Nothing is recorded while agents are measured. A game is a function of its number, its seed and who sits where, so
# those that are wanted are played once more, one by one, and compared with what was counted. Where an agent is no
# function of what it sees, such as a search by the clock, they may come out otherwise; then there is nothing to keep.


@dataclass(frozen=True)
class Wanted:
    """A game to keep.

    Attributes:
        why: "best" or "last".
        place: 1 is the best, or the last.
        rotation: which rotation.
        row: where its results stand.
        number: game number.
    """

    why: str
    place: int
    rotation: int
    row: int
    number: int

    @property
    def name(self) -> str:
        """Return the name of its file."""
        return f"{self.why}-{self.place:02d}-table-{self.rotation}-game-{self.number}.jsonl"


def wanted(evaluation: Evaluation, count: int) -> list[Wanted]:
    """Return which games to keep: half the best for the first agent, half the last ones; fewer if there are fewer.

    Best is the share of the win, then the lead, the score, and the shorter game; of equals the earlier one.
    """
    games = [(rotation, row) for row in range(evaluation.blocks) for rotation in range(len(evaluation.tables))]
    if not games:
        return []
    ranks = [_ranks(evaluation, rotation) for rotation in range(len(evaluation.tables))]
    ordered = sorted(games, key=lambda game: tuple(-value for value in ranks[game[0]][game[1]]))
    best = ordered[: (count + 1) // 2]
    last = [game for game in reversed(games) if game not in best][: count - len(best)]
    chosen = [("best", place, *game) for place, game in enumerate(best, 1)]
    chosen += [("last", place, *game) for place, game in enumerate(last, 1)]
    return [Wanted(*game, int(evaluation.results[game[2]].numbers[game[3]])) for game in chosen]


def _ranks(evaluation: Evaluation, rotation: int) -> list[tuple[float, ...]]:
    """Return what makes every game of a rotation good for the first agent, most important first."""
    results, first = evaluation.results[rotation], evaluation.line_up[0]
    own = np.array([text == first for text in evaluation.tables[rotation]])
    columns = [values[:, own].mean(axis=1) for values in (results.win_shares, results.margins, results.scores)]
    return [tuple(map(float, row)) for row in np.stack([*columns, -results.plies], axis=1)]


def play_again(game: Game, seated: Sequence[Agent], seed: int, number: int) -> Position:
    """Return the end of a game of an evaluation, with everything that happened in its log."""
    from atlantis_envs.play.game_session import GameSession

    session = GameSession(game, seated, seed, game_index=number)
    while session.position.node != "over":
        session.advance()
    return session.position


def save_games(evaluation: Evaluation, agents: Mapping[str, Agent], count: int, directory: Path) -> list[Path]:
    """Write the replays of ``count`` games, or of all if there are fewer; return the files, best first.

    Games that came out otherwise than when they were measured are left out.

    Raises:
        OSError: the directory cannot be written to.
    """
    from atlantis_envs.play.replay import players_of, save_replay

    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for game in wanted(evaluation, count):
        seated = [agents[text] for text in evaluation.tables[game.rotation]]
        end = play_again(evaluation.game, seated, evaluation.seed, game.number)
        if end.scores() == evaluation.results[game.rotation].scores[game.row].tolist():
            paths.append(directory / game.name)
            save_replay(paths[-1], end, players=players_of(evaluation.tables[game.rotation]))
    return paths
