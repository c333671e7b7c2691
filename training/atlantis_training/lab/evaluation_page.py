"""An evaluation as Markdown and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from atlantis_training.lab.evaluation import AgentRow, Evaluation
from atlantis_training.lab.pages import PLACES, markdown, provenance, truncated_lines, write_page
from atlantis_training.lab.statistics import Mean, Share


def write_evaluation(evaluation: Evaluation, out: Path) -> list[Path]:
    """Write ``evaluation.md`` and ``evaluation.json``; returns their paths."""
    return write_page(out, "evaluation", evaluation_markdown(evaluation), evaluation_json(evaluation))


# ----------------------------------------------------------------------------------------------------------------- JSON


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """The evaluation as plain values, the same whatever the number of processes."""
    return {
        "format": "atlantis-envs evaluation 1",
        **provenance(evaluation.game, evaluation.line_up, evaluation.seed),
        "tables": [list(table) for table in evaluation.tables],
        "blocks_asked": evaluation.requested,
        "blocks": evaluation.blocks,
        "ties": evaluation.ties,
        "mean_plies": evaluation.mean_plies,
        "truncated": evaluation.truncated,
        "rows": [asdict(row) for row in evaluation.agents],
        "team": None if evaluation.team is None else asdict(evaluation.team),
    }


# ------------------------------------------------------------------------------------------------------------- Markdown


def evaluation_markdown(evaluation: Evaluation) -> str:
    """Write the evaluation as a page of tables."""
    game, count = evaluation.game, evaluation.blocks
    tables = len(evaluation.tables)
    played = f"{count:,} blocks" + (f" of {evaluation.requested:,}, interrupted" if evaluation.interrupted else "")
    names = ", ".join(map(markdown, evaluation.line_up))
    lines = [
        f"# {game.definition.title}, {game.players} player{'s' * (game.players > 1)}: {names}",
        "",
        f"{played}, each played in {tables} rotation{'s' * (tables > 1)} of the seats with the same luck: "
        f"{count * tables:,} games, {evaluation.mean_plies:.0f} decisions each; seed {evaluation.seed}.",
        "",
        *truncated_lines(evaluation.truncated, count * tables),
    ]
    lines += _team_lines(evaluation) if evaluation.team else _agent_lines(evaluation)
    return "\n".join([*lines, ""])


def _team_lines(evaluation: Evaluation) -> list[str]:
    team = evaluation.team
    assert team is not None
    return [
        "| games won | Wilson interval | over blocks | games lost | mean return | mean score |",
        "|---|---|---|---|---|---|",
        f"| {team.share.value:.4f} | {_interval(team.share)} | {_interval(team.blocks)} | {team.lost.value:.4f} | "
        f"{team.returns} | {team.score} |",
    ]


def _agent_lines(evaluation: Evaluation) -> list[str]:
    players = evaluation.game.players
    fair = 1 / players
    lines = [
        f"An equal share is {fair:.4f}. Shared victories ({evaluation.ties:.1%} of the games) are split. "
        "All intervals are 95 %: Wilson takes games as independent, the other is a bootstrap over blocks.",
        "",
        "| agent | win share | Wilson interval | over blocks | mean place | mean score | lead over the best opponent |",
        "|---|---|---|---|---|---|---|",
    ]
    verdicts = [verdict(row, fair) for row in evaluation.agents if row.copies < players]
    for row in evaluation.agents:
        name = markdown(row.agent) + (f" ({row.copies} seats)" if row.copies > 1 else "")
        shares = (f"{row.share.value:.4f}", _interval(row.share), _interval(row.blocks))
        lines.append(f"| {' | '.join(map(str, (name, *shares, row.place, row.score, row.margin)))} |")
    lines += ["", *verdicts]
    for title, kind in (("seat", "seats"), ("order of play", "order")):
        labels = [str(seat) for seat in range(players)] if kind == "seats" else PLACES[:players]
        lines += ["", f"Win share by {title}:", "", f"| agent | {' | '.join(labels)} |", "|---" * (players + 1) + "|"]
        for row in evaluation.agents:
            lines.append(f"| {markdown(row.agent)} | {' | '.join(map(str, getattr(row, kind)))} |")
    return lines


def _interval(value: Share | Mean) -> str:
    return f"{value.low:.4f} - {value.high:.4f}"


def verdict(row: AgentRow, fair: float) -> str:
    """Say what the interval over blocks means beside an equal share."""
    if row.blocks.low > fair:
        return f"- {markdown(row.agent)} wins more than an equal share."
    if row.blocks.high < fair:
        return f"- {markdown(row.agent)} wins less than an equal share."
    return f"- {markdown(row.agent)}: not distinguishable from an equal share."
