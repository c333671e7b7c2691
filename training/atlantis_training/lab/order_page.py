"""A seat study as Markdown, as JSON, and as a picture for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from atlantis_training.lab.order import SeatStudy
from atlantis_training.lab.pages import PLACES, markdown, provenance, truncated_lines, write_page
from atlantis_training.lab.pictures import figure, look, whiskers


def write_seats(studies: Sequence[SeatStudy], out: Path) -> list[Path]:
    """Write ``seats.md``, ``seats.json``, ``seats.png`` and ``seats.svg``; returns their paths."""
    page = seats_markdown(studies, "seats.png")
    return write_page(out, "seats", page, seats_json(studies), lambda paths: draw_seats(studies, paths))


# ------------------------------------------------------------------------------------------------------------- Markdown


def seats_markdown(studies: Sequence[SeatStudy], picture: str | None = None) -> str:
    """Write a page with one table per number of players."""
    title = studies[0].game.definition.title
    lines = [
        f"# {title}: who profits from the order of play",
        "",
        f"The same agent, {markdown(studies[0].agent)}, in every seat; seed {studies[0].seed}. Order of play counts "
        "from the seat that decides first. "
        "Shared victories are split. 95 % intervals: Wilson for shares, normal for means.",
        "",
    ]
    if picture:
        lines += [f"![win share and score by order of play]({picture})", ""]
    for entry in studies:
        lines += [f"## {entry.game.players} players", "", *study_rows(entry), ""]
    return "\n".join(lines)


def study_rows(entry: SeatStudy) -> list[str]:
    """What was planned, what came out, and the table."""
    table, fair = entry.table, 1 / entry.game.players
    played = f"{table.games:,} games" + (f" of {entry.requested:,}, interrupted" if entry.interrupted else "")
    corrected = "" if entry.corrected_p == entry.exact_p else f", {_p(entry.corrected_p)} after Holm's correction"
    values = [row.share.value for row in table.rows]
    rows = [
        f"{played}, {table.mean_plies:.0f} decisions a game, {table.ties:.1%} shared victories. "
        f"An equal share is {fair:.4f}; largest less smallest: {max(values) - min(values):.4f}.",
        f"No difference between the places: {_p(entry.exact_p)} (exact randomisation test){corrected}; "
        f"chi-square {_p(table.p_value)}.",
        plan_text(entry),
        *truncated_lines(table.truncated, table.games),
        "",
        "| plays | win share | 95 % interval | against an equal share | mean score | lead over the best opponent |",
        "|---|---|---|---|---|---|",
    ]
    for place, row in enumerate(table.rows):
        share = row.share
        rows.append(
            f"| {PLACES[place]} | {share.value:.4f} | {share.low:.4f} - {share.high:.4f} | "
            f"{100 * (share.value - fair):+.2f} points | {row.score:.2f} ± {row.score_error:.2f} | "
            f"{row.margin:+.2f} ± {row.margin_error:.2f} |"
        )
    return rows


def plan_text(entry: SeatStudy) -> str:
    """Describe the estimate made beforehand in one sentence."""
    plan = entry.plan
    return (
        f"Estimated beforehand from {plan.pilot:,} other games: {plan.needed:,} games for intervals of "
        f"± {plan.precision:g}, {plan.to_see:,} to see a lead of {plan.advantage:g} four times in five."
    )


def _p(value: float) -> str:
    """A p-value as text, never 0."""
    return "p < 0.0001" if value < 1e-4 else f"p = {value:.4f}" if value < 0.1 else f"p = {value:.2f}"


# ----------------------------------------------------------------------------------------------------------------- JSON


def seats_json(studies: Sequence[SeatStudy]) -> dict[str, Any]:
    """The studies as plain values, the same whatever the number of processes."""
    return {"format": "atlantis-envs seats 1", "studies": [_study_json(entry) for entry in studies]}


def _study_json(entry: SeatStudy) -> dict[str, Any]:
    return {
        **provenance(entry.game, [entry.agent], entry.seed),
        "plan": asdict(entry.plan),
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


# -------------------------------------------------------------------------------------------------------------- picture


def draw_seats(studies: Sequence[SeatStudy], paths: Sequence[Path]) -> None:
    """Win share and score by order of play, one series per number of players."""
    with figure(*paths, size=(6.8, 2.7), panels=2) as (whole, (left, right)):
        for number, entry in enumerate(studies):
            _draw_series(left, right, entry, number, len(studies))
        places = max(entry.game.players for entry in studies)
        for axis in (left, right):
            axis.axhline(0, color="0.4", linewidth=0.8, zorder=0)
            axis.set_xticks(range(places), PLACES[:places])
            axis.set(xlabel="order of play", xlim=(-0.5, places - 0.5))
        left.set(ylabel="win share less an equal share\n(percentage points)")
        right.set(ylabel="score less the table's mean")
        whole.legend(loc="outside upper center", ncols=len(studies), handletextpad=0.3)


def _draw_series(left: Any, right: Any, entry: SeatStudy, number: int, count: int) -> None:
    rows, fair = entry.table.rows, 1 / entry.game.players
    where = [place + 0.12 * (number - (count - 1) / 2) for place in range(len(rows))]
    marks = {**look(number), "linestyle": "none"}
    errors = whiskers([row.share for row in rows], 100)
    shares = [100 * (row.share.value - fair) for row in rows]
    left.errorbar(where, shares, yerr=errors, label=f"{entry.game.players} players", **marks)
    mean = sum(row.score for row in rows) / len(rows)
    right.errorbar(where, [row.score - mean for row in rows], yerr=[row.score_error for row in rows], **marks)
