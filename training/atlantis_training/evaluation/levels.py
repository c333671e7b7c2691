"""How hard a cooperative game is: games won by number of seats and level, the same agent in every seat."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation.evaluate import Evaluation, evaluation_json
from atlantis_training.evaluation.measure import is_team
from atlantis_training.evaluation.report import Figure, Report, Table, cautions, figure, look, markdown, whiskers
from atlantis_training.evaluation.statistics import Share

LEVEL = "level"


def level_of(game: Game) -> int:
    """Return the level a game is played at.

    Raises:
        OptionError: it has none, or its seats compete.
    """
    level = game.options.to_json().get(LEVEL)
    if level is None or not is_team(game):
        raise OptionError(f"game: {game.name!r} is no cooperative game with levels; allowed: 'atlantis_rising'")
    return int(level)


def _won(cell: Evaluation) -> Share:
    if cell.team is None:
        raise OptionError("levels: the seats of this game compete; allowed: a cooperative game")
    return cell.team.share


def levels_report(cells: Sequence[Evaluation]) -> Report:
    """Return a report: one row per number of players, one column per level, Wilson intervals."""
    levels = sorted({level_of(cell.game) for cell in cells})
    first, fewest = cells[0], min(cell.blocks for cell in cells)
    rows = []
    for players in sorted({cell.game.players for cell in cells}):
        won = {level_of(cell.game): _won(cell) for cell in cells if cell.game.players == players}
        shown = {level: f"{share.value:.4f} [{share.low:.4f}, {share.high:.4f}]" for level, share in won.items()}
        rows.append((players, *(shown.get(level, "") for level in levels)))
    parts = (
        f"# {first.game.definition.title}: games won by number of players and level",
        f"{markdown(first.line_up[0])} in every seat, {fewest:,} games a cell, seed {first.seed}; "
        "95 % Wilson intervals.",
        cautions(sum(cell.truncated for cell in cells), sum(cell.blocks for cell in cells)),
        Figure("games won by level", partial(draw_levels, cells)),
        Table(("players", *(f"level {level}" for level in levels)), rows),
    )
    return Report("levels", parts, partial(levels_json, cells))


def levels_json(cells: Sequence[Evaluation]) -> dict[str, Any]:
    """Return the cells as plain values."""
    documents = [{LEVEL: level_of(cell.game), **evaluation_json(cell)} for cell in cells]
    return {"format": "atlantis-envs levels 1", "cells": documents}


def draw_levels(cells: Sequence[Evaluation], paths: Sequence[Path]) -> None:
    """Draw games won by level, one line per number of seats."""
    with figure(*paths, size=(4.4, 2.9)) as (whole, (axis,)):
        for number, players in enumerate(sorted({cell.game.players for cell in cells})):
            row = sorted((level_of(cell.game), _won(cell)) for cell in cells if cell.game.players == players)
            levels, shares = [level for level, _ in row], [share for _, share in row]
            values, ends = [share.value for share in shares], whiskers(shares)
            axis.errorbar(levels, values, yerr=ends, label=str(players), **look(number))
        axis.set(xlabel="level", ylabel="games won", ylim=(-0.02, 1.02))
        axis.set_xticks(sorted({level_of(cell.game) for cell in cells}))
        whole.legend(loc="outside right center", title="players")
