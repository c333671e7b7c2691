"""An evaluation as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from atlantis_agents.policy import MANIFEST
from atlantis_envs import __version__
from atlantis_envs.engine.agents import agent_names
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.replay import write_atomically
from atlantis_envs.engine.values import read_json
from atlantis_training.report import PLACES
from atlantis_training.statistics import Mean, Share
from atlantis_training.strength import AgentRow, Evaluation
from atlantis_training.workers import policy_directory


def write_evaluation(evaluation: Evaluation, out: Path) -> list[Path]:
    """Write ``evaluation.md`` and ``evaluation.json``; returns their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "evaluation.md", out / "evaluation.json"]
    write_atomically(paths[0], evaluation_markdown(evaluation))
    write_atomically(paths[1], json.dumps(evaluation_json(evaluation), indent=1) + "\n")
    return paths


# ----------------------------------------------------------------------------------------------------------------- JSON


def provenance(game: Game, agents: Sequence[str], seed: int) -> dict[str, Any]:
    """What a reader must know to get the same numbers again."""
    return {
        "game": game.name,
        "players": game.players,
        "options": game.options.to_json(),
        "versions": asdict(game.definition.versions),
        "library": __version__,
        "numpy": np.__version__,
        "seed": seed,
        "agents": [agent_json(agent) for agent in dict.fromkeys(agents)],
    }


def agent_json(agent: str) -> dict[str, Any]:
    """An agent's text, and what its weights are if it has any."""
    policy = None if agent in agent_names() else policy_directory(agent)
    return {"agent": agent} | ({"sha256": read_json(policy / MANIFEST)["sha256"]} if policy else {})


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """Plain values; the same command gives the same document whatever the number of processes."""
    return {
        "format": "atlantis-envs evaluation 1",
        **provenance(evaluation.game, evaluation.line_up, evaluation.seed),
        "tables": [list(table) for table in evaluation.tables],
        "blocks_asked": evaluation.asked,
        "blocks": evaluation.blocks,
        "ties": evaluation.ties,
        "mean_plies": evaluation.mean_plies,
        "rows": [asdict(row) for row in evaluation.agents],
        "team": None if evaluation.team is None else asdict(evaluation.team),
    }


# ------------------------------------------------------------------------------------------------------------- Markdown


def evaluation_markdown(evaluation: Evaluation) -> str:
    """A page of tables."""
    game, count = evaluation.game, evaluation.blocks
    tables = len(evaluation.tables)
    played = f"{count:,} blocks" + (f" of {evaluation.asked:,}, interrupted" if evaluation.interrupted else "")
    lines = [
        f"# {game.definition.title}, {game.players} player{'s' * (game.players > 1)}: {', '.join(evaluation.line_up)}",
        "",
        f"{played}, each played in {tables} rotation{'s' * (tables > 1)} of the seats with the same luck: "
        f"{count * tables:,} games, {evaluation.mean_plies:.0f} decisions each; seed {evaluation.seed}.",
        "",
    ]
    lines += _team_lines(evaluation) if evaluation.team else _agent_lines(evaluation)
    return "\n".join([*lines, ""])


def _team_lines(evaluation: Evaluation) -> list[str]:
    team = evaluation.team
    assert team is not None
    return [
        "| games won | Wilson interval | over blocks | mean return | mean score |",
        "|---|---|---|---|---|",
        f"| {team.share.value:.4f} | {_interval(team.share)} | {_interval(team.blocks)} | {team.returns} | "
        f"{team.score} |",
    ]


def _agent_lines(evaluation: Evaluation) -> list[str]:
    lines = [
        f"An equal share is {evaluation.fair:.4f}. Shared victories ({evaluation.ties:.1%} of the games) are split. "
        "All intervals are 95 %: Wilson takes games as independent, the other is a bootstrap over blocks.",
        "",
        "| agent | win share | Wilson interval | over blocks | mean place | mean score | lead over the best opponent |",
        "|---|---|---|---|---|---|---|",
        *(_agent_row(row) for row in evaluation.agents),
        "",
        *(verdict(row, evaluation.fair) for row in evaluation.agents if row.copies < evaluation.game.players),
    ]
    players = evaluation.game.players
    for title, kind in (("seat", "seats"), ("order of play", "order")):
        labels = [str(seat) for seat in range(players)] if kind == "seats" else PLACES[:players]
        lines += ["", f"Win share by {title}:", "", f"| agent | {' | '.join(labels)} |", "|---" * (players + 1) + "|"]
        for row in evaluation.agents:
            lines.append(f"| {row.agent} | {' | '.join(map(str, getattr(row, kind)))} |")
    return lines


def _agent_row(row: AgentRow) -> str:
    name = row.agent + (f" ({row.copies} seats)" if row.copies > 1 else "")
    cells = (f"{row.share.value:.4f}", _interval(row.share), _interval(row.blocks), row.place, row.score, row.margin)
    return f"| {name} | {' | '.join(map(str, cells))} |"


def _interval(value: Share | Mean) -> str:
    return f"{value.low:.4f} - {value.high:.4f}"


def verdict(row: AgentRow, fair: float) -> str:
    """What the interval over blocks says about an equal share, in words."""
    if row.blocks.low > fair:
        return f"- {row.agent} wins more than an equal share."
    if row.blocks.high < fair:
        return f"- {row.agent} wins less than an equal share."
    return f"- {row.agent}: not distinguishable from an equal share."
