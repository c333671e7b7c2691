"""Fitting the numbers of a heuristic: points around them, and what a candidate is worth."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from atlantis_agents.heuristics.atlantis_rising.weights import make_weights, weights_of
from benchmarks.experiments import weights

CELLS = ["1:1:20:1", "2:1:10:0.5"]


def test_a_point_moves_every_number_and_its_middle_none() -> None:
    first = weights_of(4)
    size = sum(np.size(value) for value in first.values())
    assert make_weights(weights.changed(first, np.zeros(size))) == make_weights(first)
    moved = weights.changed(first, np.full(size, 0.5))
    assert all(np.all(np.not_equal(moved[name], value)) for name, value in first.items())
    assert all(moved[name] > 0 for name, value in first.items() if np.ndim(value) == 0 and value > 0)


def test_candidates_play_the_same_games_and_the_better_one_is_worth_more() -> None:
    score = weights.Score([weights.Cell.read("4:1:60:1")])
    good, idle = weights_of(4), {**weights_of(4), "gate": -100.0}  # builds nothing that it can help
    assert score(good, 1) == score(good, 1)
    assert score(good, 1)[0] > score(idle, 1)[0]


def test_what_was_found_is_written_and_gone_on_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cma")
    out = tmp_path / "weights.json"
    weights.main([*CELLS, "--minutes", "0.0001", "--population", "4", "--out", str(out)])
    found = json.loads(out.read_text("utf-8"))["weights"]
    assert set(found) == set(weights_of(1)) and found != weights_of(1)
    weights.main([*CELLS, "--minutes", "0", "--start", str(out), "--out", str(tmp_path / "next.json")])
    assert capsys.readouterr().out.count("before:") == 2
