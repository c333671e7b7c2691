"""How hard a cooperative game is: games won by number of seats and level, the same agent in every seat."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from atlantis_envs.engine.contract import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.replay import write_atomically
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation_report import evaluation_json
from atlantis_training.seats_report import PAPER, STYLES
from atlantis_training.statistics import Share
from atlantis_training.strength import Evaluation

LEVEL = "level"


def level_of(game: Game) -> int:
    """The level a game is played at.

    Raises:
        OptionError: it has none, or its seats compete.
    """
    level = game.options.to_json().get(LEVEL)
    if level is None or game.definition.utility != IDENTICAL:
        raise OptionError(f"game: {game.name!r} is no cooperative game with levels; allowed: 'atlantis_rising'")
    return int(level)


def _won(cell: Evaluation) -> Share:
    if cell.team is None:
        raise OptionError("levels: the seats of this game compete; allowed: a cooperative game")
    return cell.team.share


def levels_markdown(cells: Sequence[Evaluation], picture: str | None = None) -> str:
    """A page: one row per number of seats, one column per level, Wilson intervals."""
    levels = sorted({level_of(cell.game) for cell in cells})
    first = cells[0]
    fewest = min(cell.blocks for cell in cells)
    lines = [
        f"# {first.game.definition.title}: games won by number of players and level",
        "",
        f"{first.line_up[0]} in every seat, {fewest:,} games a cell, seed {first.seed}; 95 % Wilson intervals.",
        "",
        *([f"![games won by level]({picture})", ""] if picture else []),
        "| players | " + " | ".join(f"level {level}" for level in levels) + " |",
        "|---|" + "---|" * len(levels),
    ]
    for players in sorted({cell.game.players for cell in cells}):
        row = {level_of(cell.game): _won(cell) for cell in cells if cell.game.players == players}
        shown = [_text(row[level]) if level in row else "" for level in levels]
        lines.append(f"| {players} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def _text(share: Share) -> str:
    return f"{share.value:.4f} [{share.low:.4f}, {share.high:.4f}]"


def write_levels(cells: Sequence[Evaluation], out: Path) -> list[Path]:
    """Write ``levels.md``, ``levels.json``, ``levels.png`` and ``levels.svg``; returns their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"levels.{ending}" for ending in ("md", "json", "png", "svg")]
    write_atomically(paths[0], levels_markdown(cells, paths[2].name))
    document: dict[str, Any] = {
        "format": "atlantis-envs levels 1",
        "cells": [{LEVEL: level_of(cell.game), **evaluation_json(cell)} for cell in cells],
    }
    write_atomically(paths[1], json.dumps(document, indent=1) + "\n")
    draw_levels(cells, paths[2:])
    return paths


def draw_levels(cells: Sequence[Evaluation], paths: Sequence[Path]) -> None:
    """Games won by level, one line per number of seats."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    looks = (*STYLES, ("#000000", "X"))
    with plt.rc_context({**PAPER, "svg.hashsalt": "levels"}):
        figure, axis = plt.subplots(figsize=(4.4, 2.9), constrained_layout=True)
        for number, players in enumerate(sorted({cell.game.players for cell in cells})):
            row = sorted((level_of(cell.game), _won(cell)) for cell in cells if cell.game.players == players)
            colour, mark = looks[number % len(looks)]
            shares = [share for _, share in row]
            values = [share.value for share in shares]
            # Rounding may put an end of an interval on the wrong side of 0 or 1.
            errors = [[max(0.0, s.value - s.low) for s in shares], [max(0.0, s.high - s.value) for s in shares]]
            look: Any = {"color": colour, "marker": mark, "markersize": 4, "capsize": 2.5, "linewidth": 1}
            axis.errorbar([level for level, _ in row], values, yerr=errors, label=str(players), **look)
        axis.set(xlabel="level", ylabel="games won", ylim=(-0.02, 1.02))
        axis.set_xticks(sorted({level_of(cell.game) for cell in cells}))
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="0.9", linewidth=0.6)
        figure.legend(loc="outside right center", title="players", frameon=False)
        for path in paths:
            figure.savefig(path, dpi=300, metadata={"Date": None} if path.suffix == ".svg" else {})
        plt.close(figure)
