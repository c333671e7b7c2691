"""The demo's report: one page of Markdown with one picture."""

from __future__ import annotations

from pathlib import Path

from atlantis_envs.base.files import write_atomically
from atlantis_training.demo.result import DemoResult
from atlantis_training.lab.matches import SeatTable
from atlantis_training.lab.order import OrderTable
from atlantis_training.lab.pages import PLACES
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
    game, outcome = result.game, result.outcome
    share = 1 / game.players
    lines = [
        f"# {game.definition.title}, {game.players} players",
        "",
        f"A network imitated {result.imitated:,} choices of {result.settings.teacher}, then learned by PPO from "
        f"{outcome.steps:,} choices of its own: {outcome.seconds:.0f} s in all"
        + (", interrupted early." if outcome.interrupted else "."),
        f"An equal player would win {share:.3f}. Intervals are 95 % Wilson intervals; ties are split.",
        "",
    ]
    for name, table in result.against.items():
        lines += [f"## The agent against {name} opponents", "", *_seat_rows(table), ""]
    lines += ["## Who profits from going first", "", *_order_rows(result.order), ""]
    lines += [f"![learning curve and order of play]({PICTURE})", ""]
    reconstructed = "; ".join(game.describe().reconstructed) or "none"
    lines += [
        f"Policy: `{outcome.policy.name}/` (safetensors and manifest). Reconstructed data: {reconstructed}.",
        f"Whole run: {result.seconds:.0f} s on {result.machine}.",
        "",
        "Play against it, or let it learn on:",
        "",
        *(f"    {command}" for command in commands(result, outcome.policy.parent)),
        "",
    ]
    return "\n".join(lines)


def commands(result: DemoResult, run: Path) -> tuple[str, str]:
    """How to play against the agent, and how to go on with its training."""
    game = result.game
    others = f" --seat {run}" * (game.players - 1)
    later = 5 * result.settings.seconds
    return (
        f"atlantis play {game.name} --players {game.players} --seat human{others}",
        f"atlantis train --out {run} --resume --seconds {later:g}",
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
    """Learning curve beside win shares by order of play."""
    fair, rows = 1 / result.game.players, result.order.rows
    with figure(path, size=(6.8, 2.7), panels=2) as (_, (left, right)):
        for name, label, line in (("agreement", "agrees with its teacher", "--"), ("share", "wins", "-")):
            rows_of = [row for row in result.curve if name in row]
            left.plot(
                [row["seconds"] for row in rows_of], [row[name] for row in rows_of], line, color=COLOUR, label=label
            )
        left.set(xlabel="seconds", ylabel="share", ylim=(0, 1))
        left.legend()
        left.set_title("Imitating, then playing against heuristics")
        places, values = range(len(rows)), [row.share.value for row in rows]
        right.errorbar(places, values, yerr=whiskers([row.share for row in rows]), **{**look(), "linestyle": "none"})
        right.set_xticks(places, PLACES[: len(rows)])
        spread = max(abs(value - fair) for value in values) * 1.6 + 0.01
        right.set(ylabel="win share", ylim=(fair - spread, fair + spread), xlim=(-0.5, len(rows) - 0.5))
        right.set_title(f"Order of play, {result.order.games:,} games of equals")
        for axis in (left, right):
            axis.axhline(fair, color="0.5", linewidth=0.8, linestyle="--", zorder=0)
