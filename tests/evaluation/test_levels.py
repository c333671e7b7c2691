"""Difficulty curves: every cell is the evaluation it says it is, whatever the number of processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation.evaluate import Evaluation, evaluate, level_of, levels_report

GAMES = 40


def cell(players: int, level: int, workers: int = 1) -> Evaluation:
    game = atlantis_envs.game("atlantis_rising", players=players, level=level)
    return evaluate(game, ("heuristic",) * players, GAMES, 3, workers)


def test_a_table_has_a_cell_for_every_number_of_players_and_level(tmp_path: Path) -> None:
    cells = [cell(players, level) for players in (1, 2) for level in (1, 4)]
    rows = [
        line.split(" | ") for line in levels_report(cells).markdown().splitlines() if line.startswith(("| 1", "| 2"))
    ]
    assert [len(row) for row in rows] == [3, 3]
    shown = [value for row in rows for value in row[1:]]
    for text, found in zip(shown, cells, strict=True):
        assert found.team is not None and text.startswith(f"{found.team.share.value:.4f} [")
    document = json.loads(levels_report(cells).write(tmp_path)[1].read_text("utf-8"))
    assert [(entry["players"], entry["level"]) for entry in document["cells"]] == [(1, 1), (1, 4), (2, 1), (2, 4)]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".md", ".pdf", ".png", ".svg"]


def test_the_number_of_processes_changes_nothing() -> None:
    one, two = cell(1, 3), cell(1, 3, workers=2)
    assert one.team == two.team and levels_report([one]).markdown() == levels_report([two]).markdown()


def test_games_without_levels_are_refused() -> None:
    with pytest.raises(OptionError, match="'atlandice' is no cooperative game with levels"):
        level_of(atlantis_envs.game("atlandice"))
