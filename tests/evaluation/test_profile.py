"""Profiles: figures of planted games, decisions as they are played, and runs that go on."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_training.cli.app import app
from atlantis_training.evaluation.profile import (
    FIGURES,
    _by_tenth,
    decision_dtype,
    game_figures,
    lag,
    lead_changes,
    profile,
)


def test_leads_of_a_planted_game() -> None:
    scores = np.array([[0, 0], [2, 0], [2, 2], [3, 2], [3, 4], [3, 3], [5, 3]])
    assert lead_changes(scores) == 2  # first, second, first; ties change nothing


def test_noise_is_no_drama() -> None:
    dice = np.random.default_rng(1)
    lags = [lag(*dice.binomial(8, 0.5, (2, 60, 1)).repeat(2, 2) * [1, -1] / 8 + [0, 1], 0) for _ in range(400)]
    behind, lowest = np.mean(lags, axis=0)
    assert abs(behind) < 0.01 and abs(lowest - 0.5) < 0.03  # the lowest of 60 estimates is about 0.1


def test_figures_of_a_planted_game() -> None:
    rows = np.zeros(3, decision_dtype(2, 2))
    rows["seat"], rows["options"], rows["scores"] = [0, 1, 0], [1, 3, 5], [[0, 0], [1, 0], [1, 2]]
    rows["one"] = rows["other"] = [[math.nan] * 2, [0.05, 0.95], [0.5, 0.5]]
    rows["random"] = [[math.nan] * 2, [0.25, 0.75], [0.4, 0.6]]
    rows["cost"], rows["moved"] = [[math.nan] * 2, [-1, 2], [1, 0]], [[math.nan] * 2, [1, 2], [2, 1]]
    found = dict(zip(FIGURES, game_figures(rows, np.array([1.0, 0.0]), np.array([5, 2])), strict=True))
    wanted = {
        "decisions": 3, "forced": 1 / 3, "options": 4, "ties": 0, "margin": 3, "lead changes": 2, "drama": 0.45,
        "lowest": 0.05, "comebacks": 1, "importance": 0.15, "own cost": 1.5, "others' cost": -0.5, "interaction": 0.5,
    }  # fmt: skip
    assert found == pytest.approx(wanted)


def test_tenths_of_planted_games() -> None:
    rows = np.zeros(40, decision_dtype(2, 2))  # two games of 20 decisions, two a tenth
    rows["number"], rows["ply"] = np.divmod(np.arange(40), 20)
    rows["seat"], rows["options"] = rows["ply"] % 2, 1 + 2 * (rows["ply"] % 2)  # one forced, one with a choice
    rows["one"], rows["other"] = 0.5, 0.7
    rows["random"] = (0.6 - 0.01 * (rows["ply"] // 2))[:, None]
    found = _by_tenth(rows, np.arange(2), 1)
    assert [options.value for options, _ in found] == pytest.approx([3.0] * 10)
    assert [cost.value for _, cost in found] == pytest.approx([0.01 * tenth for tenth in range(10)])


def test_files_hold_every_decision(tmp_path: Path) -> None:
    numbers = ["--games", "10", "--playouts", "2", "--every", "8", "--workers", "1", "--seed", "5"]
    words = ["profile", "atlandice", "random", "-n", "2", *numbers, "--out"]
    assert CliRunner().invoke(app, [*words, str(tmp_path)]).exit_code == 0
    found = np.load(tmp_path / "profile.npz")
    assert len(found["games"]) == 10
    assert (np.bincount(found["decisions"]["number"]) == found["games"]["plies"]).all()
    assert json.loads((tmp_path / "profile.json").read_text())["figures"]["options"]["value"] > 1


def test_players_that_win_together_have_no_drama() -> None:
    game = atlantis_envs.game("atlantis_rising", players=1)
    found = profile(game, "random", 10, 3, 1, playouts=2, every=20)
    assert "drama" not in found.figures and len(found.decisions) == found.measured.results[0].plies.sum()


@pytest.mark.parametrize(
    ("words", "named"),
    [("--playouts 3", "playouts: 3"), ("--value random", "value: 'random'"), ("--games 5", "--games")],
)
def test_questions_without_an_answer_are_refused(words: str, named: str) -> None:
    result = CliRunner().invoke(app, ["profile", "atlandice", "random", *words.split()])
    assert result.exit_code == 2 and named in result.output
