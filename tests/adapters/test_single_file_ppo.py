"""The PPO in one file: short, and it learns."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.support import ROOT

pytest.importorskip("torch", reason="torch is not installed: extra train")
import torch

from atlantis_training.examples import ppo

SOURCE = ROOT / "training" / "atlantis_training" / "examples" / "ppo.py"


def test_it_is_short() -> None:
    assert len(SOURCE.read_text(encoding="utf-8").splitlines()) < 250


def test_some_updates_beat_random(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ppo.Settings(updates=10, lanes=32, steps=64, hidden=64, minibatches=4, seed=1)
    _, curve = ppo.train(chosen)
    assert curve.shape == (10,) and np.isfinite(curve).all()
    assert curve[-3:].mean() > curve[:3].mean() + 0.05
    assert "20,480 decisions" in capsys.readouterr().out


def test_the_command_measures_every_seat(capsys: pytest.CaptureFixture[str]) -> None:
    ppo.main(["--game", "atlantis", "--players", "2", "--updates", "1", "--lanes", "4", "--measured-games", "10"])
    told = [line.split(":")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("seat")]
    assert told == ["seat 0", "seat 1"]


def test_advantages_stop_at_the_end_of_a_game() -> None:
    """Two steps of one lane worked out by hand: TD(lambda) with values 1 and 2, paid 5, then a new game of value 9."""
    blank = torch.zeros(2, 1)
    over = torch.tensor([[False], [True]])
    values, paid = torch.tensor([[1.0], [2.0]]), torch.tensor([[0.0], [5.0]])
    rollout = ppo.Rollout(blank, blank, blank, blank, values, paid, over, blank)
    gains = ppo.advantages(rollout, torch.tensor([9.0]), 1.0, 0.5)
    assert gains[:, 0].tolist() == [2 - 1 + 0.5 * (5 - 2), 5 - 2]
    cut = ppo.Rollout(blank, blank, blank, blank, values, paid, over, torch.tensor([[0.0], [4.0]]))
    assert ppo.advantages(cut, torch.tensor([9.0]), 1.0, 0.5)[1, 0] == 5 + 4 - 2
