"""A learner whose network sees features too: it imitates, plays, stops, goes on, and leaves a policy that sees them."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
import torch

from atlantis_agents.features import feature_editions, find_features
from atlantis_agents.networks.policy import PolicyAgent
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.positions import ask
from atlantis_training.selfplay.network import policy_layers
from atlantis_training.selfplay.run import Run, saved_settings
from atlantis_training.selfplay.settings import settings_from

TINY = {"num_envs": 8, "num_steps": 16, "batch_size": 64, "num_epochs": 1, "hidden": (16,), "steps": 1024}
KINDS = [
    {"game": "atlandice"},
    {"game": "atlantis", "afterstates": True},
    {"game": "atlandice", "advice": True},
]


@pytest.fixture(autouse=True)
def few_games(monkeypatch):
    """Rounds of imitation are short."""
    monkeypatch.setattr("atlantis_training.selfplay.learner.IMITATION_GAMES", 16)


def begun(path, **changes):
    return Run.begin(path, settings_from({**TINY, "features": True, "imitate": 500, "warmup": 0, **changes}))


def rounds(run, number):
    while run.learner.phase != "play":
        run._round()
    for _ in range(number):
        run._round()


def layers_of(run):
    return [array for pair in policy_layers(run.learner.model) for array in pair]


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_with_features_goes_on_as_if_nothing_had_happened(tmp_path, kind):
    whole = begun(tmp_path / "whole", **kind)
    advised = whole.game.num_actions if kind.get("advice") else 0
    wide = whole.game.observation_size + find_features(kind["game"]).layout.size + advised
    assert whole.learner.model.observation_space.shape == (wide,)
    assert whole.learner.model.env.scaled_obs().shape == (8, wide)
    rounds(whole, 3)
    cut = begun(tmp_path / "cut", **kind)
    rounds(cut, 1)
    cut.save()
    again = Run.resume(tmp_path / "cut")
    rounds(again, 2)
    assert all(np.array_equal(one, other) for one, other in zip(layers_of(whole), layers_of(again), strict=True))


def test_the_policy_that_is_left_plays_as_the_learner_does(tmp_path):
    run = begun(tmp_path / "run", game="atlantis", afterstates=True)
    rounds(run, 1)
    run.save()
    agent = PolicyAgent(run.game, run.export())
    assert agent.features
    batch = run.game.batch(16, 3)
    own = run.learner.agent(greedy=True)
    for _ in range(40):
        noise = batch.noise(1)
        told = ask(own, batch, np.arange(16), noise)
        assert np.array_equal(told, ask(agent, batch, np.arange(16), noise))
        batch.step(told)
    model, env = run.learner.model, run.environment
    model.fast = False
    after, masks = torch.from_numpy(env.afterstates()), torch.from_numpy(env.action_masks())
    logs = model.logprobs_and_values(torch.from_numpy(env.obs()), masks, after)[0]
    lanes = np.flatnonzero(masks.numpy().sum(axis=1) > 1)
    assert np.array_equal(logs.argmax(dim=1)[lanes], ask(own, env.core.batch, lanes, env.core.batch.noise(1)[lanes]))


def test_a_run_begins_with_a_policy_that_sees_features(tmp_path):
    first = begun(tmp_path / "first")
    rounds(first, 1)
    first.save()
    first.export()
    second = Run.begin(tmp_path / "second", settings_from({**TINY, "start": str(tmp_path / "first")}))
    assert second.settings.features
    assert all(np.array_equal(one, other) for one, other in zip(layers_of(first), layers_of(second), strict=True))


def test_a_game_of_ones_own_has_no_features(tmp_path, monkeypatch):
    monkeypatch.setattr("atlantis_agents.features.feature_names", tuple)
    feature_editions.cache_clear()
    with pytest.raises(OptionError, match="features: 'atlandice' has none"):
        begun(tmp_path / "run")
    assert not (tmp_path / "run" / "checkpoints").exists()
    feature_editions.cache_clear()


def test_a_run_names_the_edition_that_it_sees(tmp_path):
    run = begun(tmp_path / "run", game="atlantis_rising", imitate=0, learner_seat="all")
    newest = find_features("atlantis_rising")
    assert run.settings.features_edition == newest.edition == 2
    old = begun(tmp_path / "old", game="atlantis_rising", imitate=0, learner_seat="all", features_edition=1)
    for begun_run, features in ((run, newest), (old, find_features("atlantis_rising", 1))):
        begun_run.save()
        assert PolicyAgent(run.game, begun_run.out / "policy").features is features
        assert Run.resume(begun_run.out, features_edition=0).learner.model.env.described is features


def test_a_run_saved_before_there_were_editions_sees_the_first(tmp_path):
    settings = begun(tmp_path / "run", game="atlantis_rising", imitate=0, features_edition=1).settings.to_json()
    del settings["features_edition"]
    saved = saved_settings(tmp_path, {"state": {"extra": {"settings": settings}}})
    assert saved.features_edition == 1


def test_what_begins_with_a_policy_sees_its_edition(tmp_path):
    first = begun(tmp_path / "first", game="atlantis_rising", imitate=0, features_edition=1)
    first.save()
    start = {**TINY, "game": "atlantis_rising", "start": str(tmp_path / "first")}
    assert Run.begin(tmp_path / "second", settings_from(start)).settings.features_edition == 1
    with pytest.raises(OptionError, match="features_edition: 2; allowed: 1, that of start, or 0"):
        Run.begin(tmp_path / "third", settings_from({**start, "features_edition": 2}))


def test_an_edition_without_features_is_refused(tmp_path):
    with pytest.raises(OptionError, match="features_edition: 1; allowed: 0 without features"):
        begun(tmp_path / "run", features=False, features_edition=1)
