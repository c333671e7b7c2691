"""The demo's report: how strong its agent is, as one page of Markdown with one picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.progress import Progress

from atlantis_envs.engine.game import Game
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_training.evaluation import report
from atlantis_training.evaluation.evaluate import SeatTable, evaluate_by_seat, evaluate_team
from atlantis_training.evaluation.measure import measure as play
from atlantis_training.evaluation.seats import OrderTable, tabulate
from atlantis_training.evaluation.statistics import Share
from atlantis_training.selfplay.report import Outcome
from atlantis_training.selfplay.settings import SelfPlaySettings

ORDER_GAMES = 100_000
GAMES_PER_SEAT = 4_000
EVALUATION_SEED = 1  # training uses seed 0: never measured on the games it learned from
TEAM = "the agent"
FEWEST_GAMES = 2  # that have a spread


@dataclass(frozen=True)
class Duels:
    """How the agent does against others, and what turn order is worth.

    Attributes:
        against: by name of the opponents.
        order: of equal heuristics; None: it was interrupted before there were two games.
        interrupted: whether some games were not played.
    """

    against: dict[str, SeatTable]
    order: OrderTable | None
    interrupted: bool = False


@dataclass(frozen=True)
class Teams:
    """How teams of one agent in every seat do in a cooperative game.

    Attributes:
        won: games won, by what sits in every seat; the learned agent first.
        interrupted: whether some games were not played.
    """

    won: dict[str, Share]
    interrupted: bool = False


Measured = Duels | Teams


@dataclass(frozen=True)
class Games:
    """How many games are played to measure.

    Attributes:
        per_seat: of the agent in each seat, against each kind of opponents; of each team in a cooperative game.
        order: of equal heuristics.
    """

    per_seat: int = GAMES_PER_SEAT
    order: int = ORDER_GAMES


USUAL = Games()


def measure(game: Game, agent: Agent, games: Games, bars: Progress) -> Measured:
    """Measure what the agent is worth, a progress bar for each part; a part without a finished game is left out."""
    return (_teams if game.cooperative else _duels)(game, agent, games, bars)


def _duels(game: Game, agent: Agent, games: Games, bars: Progress) -> Duels:
    against: dict[str, SeatTable] = {}
    for name in ("random", "heuristic"):
        task = bars.add_task(f"evaluate against {name}", total=games.per_seat * game.players)
        opponent = make_agent(name, game, seed=EVALUATION_SEED)
        advance = partial(bars.advance, task)
        table = evaluate_by_seat(game, agent, opponent, games.per_seat, EVALUATION_SEED, advance)
        against |= {name: table} if table.overall.games else {}
    task = bars.add_task("who profits from going first", total=games.order)
    line_up = ("heuristic",) * game.players
    equals = play(game, [line_up], games.order, EVALUATION_SEED, 1, partial(bars.advance, task))
    order = tabulate(equals.results[0]) if equals.games >= FEWEST_GAMES else None
    return Duels(against, order, equals.interrupted)


def _teams(game: Game, agent: Agent, games: Games, bars: Progress) -> Teams:
    teams = {TEAM: agent} | {name: make_agent(name, game, seed=EVALUATION_SEED) for name in ("heuristic", "random")}
    won: dict[str, Share] = {}
    played = 0
    for name, member in teams.items():
        task = bars.add_task(f"evaluate a team of {name}", total=games.per_seat)
        share = evaluate_team(game, member, games.per_seat, EVALUATION_SEED, partial(bars.advance, task))
        played += share.games
        won |= {name: share} if share.games else {}
    return Teams(won, played < games.per_seat * len(teams))


# ------------------------------------------------------------------------------------------------------------- the page


PICTURE = "demo"


@dataclass(frozen=True)
class DemoResult:
    """Everything the report is made of.

    Attributes:
        game: what was learned.
        settings: of the run.
        outcome: what the run came to.
        imitated: choices of the teacher that were imitated.
        curve: of the run.
        measured: how strong the agent is.
        seconds: wall-clock time of everything.
        machine: what it ran on.
    """

    game: Game
    settings: SelfPlaySettings
    outcome: Outcome
    imitated: int
    curve: list[dict[str, Any]]
    measured: Measured
    seconds: float
    machine: str


def write_report(result: DemoResult, out: Path) -> Path:
    """Write ``report.md`` and its picture; return the report's path."""
    return demo_report(result).write(out, PICTURE, ("png",))[0]


def demo_report(result: DemoResult) -> report.Report:
    """Return the demo as a report."""
    game, outcome, measured = result.game, result.outcome, result.measured
    duels = isinstance(measured, Duels)
    beside = "turn order" if duels else "games won by teams"
    learned = f"{outcome.seconds:.0f} s in all" + (", interrupted early." if outcome.interrupted else ".")
    reconstructed = "; ".join(game.describe().reconstructed) or "none"
    parts = (
        f"# {game.definition.title}, {game.players} players",
        f"A network imitated {result.imitated:,} choices of {report.markdown(result.settings.teacher)}, then learned "
        f"by PPO from {outcome.steps:,} choices of its own: {learned}",
        "Interrupted: fewer games were played to measure it than were to be." if measured.interrupted else "",
        *(_duel_parts(measured, game.players) if isinstance(measured, Duels) else _team_parts(measured)),
        report.Figure(f"learning curve and {beside}", partial(draw, result)),
        f"Policy: `{outcome.policy.name}/` (safetensors and manifest). Reconstructed data: {reconstructed}.\n"
        f"Whole run: {result.seconds:.0f} s on {result.machine}.",
        f"Play {'against' if duels else 'with'} it, or let it learn on:",
        "\n".join(f"    {command}" for command in commands(result, outcome.policy.parent)),
    )
    return report.Report("report", parts)


def _duel_parts(measured: Duels, players: int) -> Iterator[str | report.Table]:
    yield f"An equal player would win {1 / players:.3f}. Intervals are 95 % Wilson intervals; ties are split."
    for name, table in measured.against.items():
        yield f"## The agent against {name} opponents"
        rows = [(label, *_cells(share)) for label, share in (*enumerate(table.seats), ("all", table.overall))]
        yield report.Table(("seat", "win share", "95 % interval", "games"), rows)
    order = measured.order
    if order is None:
        return
    yield "## Who profits from going first"
    yield (
        f"The same heuristic in every seat, {order.games:,} games, {order.mean_plies:.0f} decisions a game, "
        f"{order.ties:.1%} shared victories; p = {order.p_value:.2g} for no difference."
    )
    rows = [
        (place, f"{row.share.value:.4f}", f"{row.share.low:.4f} - {row.share.high:.4f}",
         f"{row.score:.2f} +- {row.score_error:.2f}")
        for place, row in zip(report.PLACES, order.rows, strict=False)
    ]  # fmt: skip
    yield report.Table(("plays", "win share", "95 % interval", "mean score"), rows)


def _team_parts(measured: Teams) -> list[str | report.Table]:
    """Return the parts about a game that all win or all lose: nobody goes first to win it."""
    rows = [(name, *_cells(share)) for name, share in measured.won.items()]
    return [
        "All win together or nobody does. Intervals are 95 % Wilson intervals.",
        "## Games won by teams",
        report.Table(("in every seat", "games won", "95 % interval", "games"), rows),
    ]


def _cells(share: Share) -> tuple[str, str, str]:
    return f"{share.value:.3f}", f"{share.low:.3f} - {share.high:.3f}", f"{share.games:,}"


def commands(result: DemoResult, run: Path) -> tuple[str, str]:
    """Return how to play against the agent, and how to go on with its training."""
    game = result.game
    place = report.shell_word(run)
    others = f" --seat {place}" * (game.players - 1)
    later = 5 * result.settings.seconds
    return (
        f"atlantis play {game.name} --players {game.players} --seat human{others}",
        f"atlantis train --out {place} --resume --seconds {later:g}",
    )


def draw(result: DemoResult, paths: Sequence[Path]) -> None:
    """Draw the learning curve beside win shares by turn order, or beside games won by teams."""
    measured = result.measured
    with report.figure(*paths, size=(6.8, 2.7), panels=2) as (_, (left, right)):
        if isinstance(measured, Duels):
            _draw_curve(left, result.curve, "wins", "Imitating, then playing against heuristics")
            _draw_order(right, measured.order)
            for axis in (left, right):
                axis.axhline(1 / result.game.players, color="0.5", linewidth=0.8, linestyle="--", zorder=0)
        else:
            _draw_curve(left, result.curve, "games won", "Imitating, then playing as a team")
            _draw_teams(right, measured)


def _draw_curve(axis: Any, curve: list[dict[str, Any]], won: str, title: str) -> None:
    for name, label, line in (("agreement", "agrees with its teacher", "--"), ("share", won, "-")):
        rows = [row for row in curve if name in row]
        axis.plot([row["seconds"] for row in rows], [row[name] for row in rows], line, color=report.COLOUR, label=label)
    axis.set(xlabel="seconds", ylabel="share", ylim=(0, 1))
    axis.legend()
    axis.set_title(title)


def _draw_order(axis: Any, order: OrderTable | None) -> None:
    if order is None:
        axis.set_axis_off()
        return
    fair, rows = 1 / len(order.rows), order.rows
    places, values = range(len(rows)), [row.share.value for row in rows]
    errors = report.whiskers([row.share for row in rows])
    axis.errorbar(places, values, yerr=errors, **{**report.look(), "linestyle": "none"})
    axis.set_xticks(places, report.PLACES[: len(rows)])
    spread = max(abs(value - fair) for value in values) * 1.6 + 0.01
    axis.set(ylabel="win share", ylim=(fair - spread, fair + spread), xlim=(-0.5, len(rows) - 0.5))
    axis.set_title(f"Turn order, {order.games:,} games of equals")


def _draw_teams(axis: Any, teams: Teams) -> None:
    shares = list(teams.won.values())
    places, values = range(len(shares)), [share.value for share in shares]
    axis.errorbar(places, values, yerr=report.whiskers(shares), **{**report.look(), "linestyle": "none"})
    axis.set_xticks(places, list(teams.won))
    axis.set(ylabel="games won", ylim=(-0.02, 1.02), xlim=(-0.5, len(shares) - 0.5))
    axis.set_title(f"Teams of one agent, {max((share.games for share in shares), default=0):,} games each")
