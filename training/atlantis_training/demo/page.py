"""The demo's report: one page of Markdown with one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from atlantis_envs.base.files import write_atomically
from atlantis_training.demo.result import DemoResult, Duels, Teams
from atlantis_training.lab.matches import SeatTable
from atlantis_training.lab.order import OrderTable
from atlantis_training.lab.pages import PLACES, shell_word
from atlantis_training.lab.pictures import COLOUR, figure, look, whiskers

PICTURE = "demo.png"


def write_report(result: DemoResult, out: Path) -> Path:
    """Write ``report.md`` and its picture; returns the report's path."""
    out.mkdir(parents=True, exist_ok=True)
    draw(result, out / PICTURE)
    path = out / "report.md"
    write_atomically(path, _text(result))
    return path


def _text(result: DemoResult) -> str:
    game, outcome, measured = result.game, result.outcome, result.measured
    lines = [
        f"# {game.definition.title}, {game.players} players",
        "",
        f"A network imitated {result.imitated:,} choices of {result.settings.teacher}, then learned by PPO from "
        f"{outcome.steps:,} choices of its own: {outcome.seconds:.0f} s in all"
        + (", interrupted early." if outcome.interrupted else "."),
        *(_duel_lines(measured, game.players) if isinstance(measured, Duels) else _team_lines(measured)),
    ]
    reconstructed = "; ".join(game.describe().reconstructed) or "none"
    lines += [
        f"Policy: `{outcome.policy.name}/` (safetensors and manifest). Reconstructed data: {reconstructed}.",
        f"Whole run: {result.seconds:.0f} s on {result.machine}.",
        "",
        "Play against it, or let it learn on:" if isinstance(measured, Duels) else "Play with it, or let it learn on:",
        "",
        *(f"    {command}" for command in commands(result, outcome.policy.parent)),
        "",
    ]
    return "\n".join(lines)


def _duel_lines(measured: Duels, players: int) -> list[str]:
    fair = f"An equal player would win {1 / players:.3f}. Intervals are 95 % Wilson intervals; ties are split."
    lines = [fair, ""]
    for name, table in measured.against.items():
        lines += [f"## The agent against {name} opponents", "", *_seat_rows(table), ""]
    lines += ["## Who profits from going first", "", *_order_rows(measured.order), ""]
    return [*lines, f"![learning curve and order of play]({PICTURE})", ""]


def _team_lines(measured: Teams) -> list[str]:
    """A game that all win or all lose: nobody has a part of a victory, and nobody goes first to win it."""
    lines = ["All win together or nobody does. Intervals are 95 % Wilson intervals.", "", "## Games won by teams", ""]
    lines += ["| in every seat | games won | 95 % interval | games |", "|---|---|---|---|"]
    for name, share in measured.won.items():
        lines.append(f"| {name} | {share.value:.3f} | {share.low:.3f} - {share.high:.3f} | {share.games:,} |")
    return [*lines, "", f"![learning curve and games won by teams]({PICTURE})", ""]


def commands(result: DemoResult, run: Path) -> tuple[str, str]:
    """How to play against the agent, and how to go on with its training."""
    game = result.game
    place = shell_word(run)
    others = f" --seat {place}" * (game.players - 1)
    later = 5 * result.settings.seconds
    return (
        f"atlantis play {game.name} --players {game.players} --seat human{others}",
        f"atlantis train --out {place} --resume --seconds {later:g}",
    )


def _seat_rows(table: SeatTable) -> list[str]:
    rows = ["| seat | win share | 95 % interval | games |", "|---|---|---|---|"]
    for label, share in [*enumerate(table.seats), ("all", table.overall)]:
        rows.append(f"| {label} | {share.value:.3f} | {share.low:.3f} - {share.high:.3f} | {share.games:,} |")
    return rows


def _order_rows(table: OrderTable) -> list[str]:
    rows = [
        f"The same heuristic in every seat, {table.games:,} games, {table.mean_plies:.0f} decisions a game, "
        f"{table.ties:.1%} shared victories; p = {table.p_value:.2g} for no difference.",
        "",
        "| plays | win share | 95 % interval | mean score |",
        "|---|---|---|---|",
    ]
    for place, row in enumerate(table.rows):
        interval = f"{row.share.low:.4f} - {row.share.high:.4f}"
        rows.append(
            f"| {PLACES[place]} | {row.share.value:.4f} | {interval} | {row.score:.2f} +- {row.score_error:.2f} |"
        )
    return rows


def draw(result: DemoResult, path: Path) -> None:
    """Learning curve beside win shares by order of play, or beside games won by teams."""
    measured = result.measured
    with figure(path, size=(6.8, 2.7), panels=2) as (_, (left, right)):
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
        axis.plot([row["seconds"] for row in rows], [row[name] for row in rows], line, color=COLOUR, label=label)
    axis.set(xlabel="seconds", ylabel="share", ylim=(0, 1))
    axis.legend()
    axis.set_title(title)


def _draw_order(axis: Any, order: OrderTable) -> None:
    fair, rows = 1 / len(order.rows), order.rows
    places, values = range(len(rows)), [row.share.value for row in rows]
    axis.errorbar(places, values, yerr=whiskers([row.share for row in rows]), **{**look(), "linestyle": "none"})
    axis.set_xticks(places, PLACES[: len(rows)])
    spread = max(abs(value - fair) for value in values) * 1.6 + 0.01
    axis.set(ylabel="win share", ylim=(fair - spread, fair + spread), xlim=(-0.5, len(rows) - 0.5))
    axis.set_title(f"Order of play, {order.games:,} games of equals")


def _draw_teams(axis: Any, teams: Teams) -> None:
    shares = list(teams.won.values())
    places, values = range(len(shares)), [share.value for share in shares]
    axis.errorbar(places, values, yerr=whiskers(shares), **{**look(), "linestyle": "none"})
    axis.set_xticks(places, list(teams.won))
    axis.set(ylabel="games won", ylim=(-0.02, 1.02), xlim=(-0.5, len(shares) - 0.5))
    axis.set_title(f"Teams of one agent, {shares[0].games:,} games each")
