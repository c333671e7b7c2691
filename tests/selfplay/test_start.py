"""A run that begins with the network of another."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
from atlantis_training.selfplay.checkpoint import CheckpointError
from atlantis_training.selfplay.network import policy_layers
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import settings_from

TINY = {"num_envs": 8, "num_steps": 16, "batch_size": 64, "num_epochs": 1, "hidden": (16,), "steps": 256}


def numbers(run):
    values = [run.learner.model.policy.value_net.weight.detach().numpy().copy()]
    return values + [array.copy() for pair in policy_layers(run.learner.model) for array in pair]


@pytest.fixture
def first(tmp_path):
    run = Run.begin(tmp_path / "first", settings_from({**TINY, "imitate": 2000}))
    run.go()
    return run


def test_a_run_begins_with_network_and_statistics_of_another_whatever_the_players(tmp_path, first):
    values = {**TINY, "players": 2, "imitate": 0, "seed": 5, "start": str(tmp_path / "first"), "warmup": 1}
    run = Run.begin(tmp_path / "second", settings_from(values))
    assert run.game.players == 2 and run.learner.model.policy.features_extractor.measured
    assert all(np.array_equal(one, other) for one, other in zip(numbers(first), numbers(run), strict=True))
    run._round()  # in which only the value learns
    assert all(np.array_equal(one, other) for one, other in zip(numbers(first)[1:], numbers(run)[1:], strict=True))
    run._round()
    assert not any(np.array_equal(one, other) for one, other in zip(numbers(first), numbers(run), strict=True))
    run.save()
    again = Run.resume(tmp_path / "second")
    assert all(np.array_equal(one, other) for one, other in zip(numbers(run), numbers(again), strict=True))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"hidden": (8,)}, r"start: .*allowed: \(8, 221\), the same hidden, advice and afterstates"),
        ({"game": "atlantis"}, "game is 'atlandice'; here it is 'atlantis'"),
    ],
)
def test_a_network_of_another_shape_or_game_is_refused_and_nothing_is_written(tmp_path, first, values, told):
    settings = settings_from({**TINY, "imitate": 0, "start": str(tmp_path / "first"), **values})
    with pytest.raises(CheckpointError, match=told):
        Run.begin(tmp_path / "second", settings)
    assert not (tmp_path / "second").exists()


def test_a_start_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        Run.begin(tmp_path / "second", settings_from({**TINY, "imitate": 0, "start": str(tmp_path / "nowhere")}))
