"""A run that begins with the network of another, its value included."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.network import policy_layers
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import settings_from

TINY = {"num_envs": 8, "num_steps": 16, "batch_size": 64, "num_epochs": 1, "hidden": (16,), "steps": 256}


def value(run):
    return run.learner.model.policy.value_net.weight.detach().numpy().copy()


def policy(run):
    return [array.copy() for pair in policy_layers(run.learner.model) for array in pair]


def same(one, other):
    return [np.array_equal(left, right) for left, right in zip(one, other, strict=True)]


@pytest.fixture
def first(tmp_path):
    run = Run.begin(tmp_path / "first", settings_from({**TINY, "imitate": 2000}))
    run.go()
    return run


def second(tmp_path, **changes):
    values = {**TINY, "players": 2, "seed": 5, "start": str(tmp_path / "first"), "warmup": 1, **changes}
    return Run.begin(tmp_path / "second", settings_from(values))


def test_a_run_begins_with_policy_value_and_statistics_of_another_whatever_the_players(tmp_path, first):
    run = second(tmp_path)
    assert run.game.players == 2 and run.learner.model.policy.features_extractor.measured
    assert all(same(policy(first), policy(run))) and np.array_equal(value(first), value(run))
    run._round()  # in which only the value learns
    assert all(same(policy(first), policy(run))) and not np.array_equal(value(first), value(run))
    run._round()
    assert not any(same(policy(first), policy(run)))
    run.save()
    again = Run.resume(tmp_path / "second")
    assert all(same(policy(run), policy(again))) and np.array_equal(value(run), value(again))


def test_without_a_checkpoint_there_is_the_policy_alone(tmp_path, first):
    shutil.rmtree(tmp_path / "first" / "checkpoints")
    run = second(tmp_path)
    assert all(np.allclose(left, right, atol=1e-5) for left, right in zip(policy(first), policy(run), strict=True))
    assert not np.array_equal(value(first), value(run))


def test_a_checkpoint_of_another_shape_is_passed_over(tmp_path, first):
    Run.begin(tmp_path / "other", settings_from({**TINY, "hidden": (8,), "imitate": 0}))
    shutil.rmtree(tmp_path / "first" / "checkpoints")
    shutil.copytree(tmp_path / "other" / "checkpoints", tmp_path / "first" / "checkpoints")
    run = second(tmp_path)
    assert [array.shape for array in policy(run)] == [array.shape for array in policy(first)]
    assert not np.array_equal(value(first), value(run))


def test_the_policy_of_start_may_begin_colder(tmp_path, first):
    run = second(tmp_path, start_temperature=0.25)
    *below, weight, bias = policy(first)
    *others, colder, shifted = policy(run)
    assert all(same(below, others)) and np.array_equal(value(first), value(run))
    assert np.allclose(colder, 4 * weight) and np.allclose(shifted, 4 * bias)
    run.save()
    assert all(same(policy(run), policy(Run.resume(tmp_path / "second"))))  # it is not cooled once more


def test_a_temperature_without_a_policy_to_begin_with_is_refused():
    with pytest.raises(OptionError, match=r"start_temperature: 0\.5; allowed: 1 without start"):
        settings_from({**TINY, "start_temperature": 0.5})
