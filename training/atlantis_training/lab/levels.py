"""How hard a cooperative game is: games won by number of seats and level, the same agent in every seat."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.lab.evaluation import Evaluation
from atlantis_training.lab.evaluation_page import evaluation_json
from atlantis_training.lab.pages import markdown, truncated_lines, write_page
from atlantis_training.lab.pictures import figure, look, whiskers
from atlantis_training.lab.statistics import Share

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
    """Write a page: one row per number of players, one column per level, Wilson intervals."""
    levels = sorted({level_of(cell.game) for cell in cells})
    first = cells[0]
    fewest = min(cell.blocks for cell in cells)
    lines = [
        f"# {first.game.definition.title}: games won by number of players and level",
        "",
        f"{markdown(first.line_up[0])} in every seat, {fewest:,} games a cell, seed {first.seed}; 95 % Wilson "
        "intervals.",
        "",
        *truncated_lines(sum(cell.truncated for cell in cells), sum(cell.blocks for cell in cells)),
        *([f"![games won by level]({picture})", ""] if picture else []),
        "| players | " + " | ".join(f"level {level}" for level in levels) + " |",
        "|---|" + "---|" * len(levels),
    ]
    for players in sorted({cell.game.players for cell in cells}):
        row = {level_of(cell.game): _won(cell) for cell in cells if cell.game.players == players}
        shown = {level: f"{share.value:.4f} [{share.low:.4f}, {share.high:.4f}]" for level, share in row.items()}
        lines.append(f"| {players} | " + " | ".join(shown.get(level, "") for level in levels) + " |")
    return "\n".join(lines) + "\n"


def write_levels(cells: Sequence[Evaluation], out: Path) -> list[Path]:
    """Write ``levels.md``, ``levels.json``, ``levels.png`` and ``levels.svg``; returns their paths."""
    document: dict[str, Any] = {
        "format": "atlantis-envs levels 1",
        "cells": [{LEVEL: level_of(cell.game), **evaluation_json(cell)} for cell in cells],
    }
    page = levels_markdown(cells, "levels.png")
    return write_page(out, "levels", page, document, lambda paths: draw_levels(cells, paths))


def draw_levels(cells: Sequence[Evaluation], paths: Sequence[Path]) -> None:
    """Games won by level, one line per number of seats."""
    with figure(*paths, size=(4.4, 2.9)) as (whole, (axis,)):
        for number, players in enumerate(sorted({cell.game.players for cell in cells})):
            row = sorted((level_of(cell.game), _won(cell)) for cell in cells if cell.game.players == players)
            levels, shares = [level for level, _ in row], [share for _, share in row]
            values, ends = [share.value for share in shares], whiskers(shares)
            axis.errorbar(levels, values, yerr=ends, label=str(players), **look(number))
        axis.set(xlabel="level", ylabel="games won", ylim=(-0.02, 1.02))
        axis.set_xticks(sorted({level_of(cell.game) for cell in cells}))
        whole.legend(loc="outside right center", title="players")
