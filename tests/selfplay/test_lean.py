"""The learner's own collecting and learning, against those of the libraries it stands in for."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import atlantis_envs

torch = pytest.importorskip("torch")
sb3_contrib = pytest.importorskip("sb3_contrib")
from gymnasium.spaces import Box  # noqa: E402
from stable_baselines3.common.logger import configure  # noqa: E402

from atlantis_agents.networks.policy import PolicyAgent  # noqa: E402
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv  # noqa: E402
from atlantis_envs.errors import OptionError  # noqa: E402
from atlantis_envs.seats.opponents import FixedSeating  # noqa: E402
from atlantis_training.selfplay.learner import Learner, SelfPlayVecEnv  # noqa: E402
from atlantis_training.selfplay.network import Trunk, export_policy  # noqa: E402
from atlantis_training.selfplay.ppo import PPO, NoProbabilitiesError, RolloutBuffer, padded  # noqa: E402
from atlantis_training.selfplay.settings import SelfPlaySettings  # noqa: E402

SETTINGS = SelfPlaySettings(
    num_envs=8, num_steps=32, batch_size=256, num_epochs=1, hidden=(16,), imitate=0, entropy=0.01, gae_lambda=0.9
)


def learner_of(settings: SelfPlaySettings = SETTINGS) -> Learner:
    game = atlantis_envs.game("atlandice", players=3)
    learner = Learner(game, settings, SelfPlayVecEnv(game, settings, FixedSeating(game, "random")))
    learner.model.env.begin()
    learner.model.fast = False
    return learner


def collected(learner: Learner) -> RolloutBuffer:
    model = learner.model
    model.policy.features_extractor.measure(
        np.random.default_rng(0).integers(0, 9, (99, learner.game.observation_size))
    )
    model.collect(model.env, model.rollout_buffer)
    return model.rollout_buffer


def the_library_beside(learner: Learner) -> Any:
    """sb3-contrib's own learner with the same weights and the same round in its buffer."""
    model, own = learner.model, learner.model.rollout_buffer
    policy = {**model.policy_kwargs, "optimizer_kwargs": {"eps": 1e-5}}
    other = sb3_contrib.MaskablePPO(
        "MlpPolicy", model.env, learning_rate=4e-4, n_steps=SETTINGS.num_steps, batch_size=256, n_epochs=1, gamma=1.0,
        gae_lambda=0.9, clip_range=0.2, ent_coef=0.01, policy_kwargs=policy, device="cpu",
    )  # fmt: skip
    other.set_logger(configure(format_strings=[]))
    other.policy.load_state_dict(model.policy.state_dict())
    buffer, starts = other.rollout_buffer, np.zeros(SETTINGS.num_envs, np.bool_)
    scale = model.policy.features_extractor.scale.numpy()
    for step in range(SETTINGS.num_steps):
        values, logs = torch.from_numpy(own.values[step]), torch.from_numpy(own.logprobs[step])
        seen, actions = own.obs[step] * scale, own.actions[step][:, None]
        buffer.add(seen, actions, own.rewards[step], starts, values, logs, action_masks=own.masks[step])
        starts = own.dones[step]
    last = torch.from_numpy(model.values_of(model.env.obs().copy()))
    buffer.compute_returns_and_advantage(last_values=last, dones=starts)
    return other


def test_advantages_and_returns_are_those_of_the_library() -> None:
    learner = learner_of()
    own = collected(learner)
    assert own.dones.any()
    buffer = the_library_beside(learner).rollout_buffer
    assert np.allclose(own.advantages, buffer.advantages, atol=1e-5)
    assert np.allclose(own.returns, buffer.returns, atol=1e-5)


def test_a_step_of_learning_is_that_of_the_library() -> None:
    learner = learner_of()
    collected(learner)
    other = the_library_beside(learner)
    before = {name: value.clone() for name, value in learner.model.policy.named_parameters()}
    learner.model.train()
    other.train()
    names = ("entropy_loss", "policy_gradient_loss", "value_loss", "approx_kl", "clip_fraction", "explained_variance")
    for name in names:
        figures = [float(model.logger.name_to_value[f"train/{name}"]) for model in (learner.model, other)]
        assert figures[0] == pytest.approx(figures[1], abs=1e-4), name
    moved = 0.0
    for (name, mine), theirs in zip(learner.model.policy.named_parameters(), other.policy.parameters(), strict=True):
        assert torch.allclose(mine, theirs, atol=2e-6), name
        moved = max(moved, float((mine - before[name]).abs().max().detach()))
    assert moved > 1e-4


def test_choices_are_legal_and_follow_the_odds_of_the_policy() -> None:
    learner = learner_of()
    own = collected(learner)
    steps, games = np.indices(own.actions.shape)
    assert own.masks[steps, games, own.actions].all() and (own.masks.sum(axis=2) > 1).all()
    many = 20_000
    seen, masks = own.obs[0, :1].repeat(many, axis=0), own.masks[0, :1].repeat(many, axis=0)
    actions, logs, _ = learner.model.sample(seen, masks)
    found = np.bincount(actions, minlength=masks.shape[1]) / many
    with torch.no_grad():
        distribution = learner.model.policy.get_distribution(
            torch.from_numpy(seen[:1] * learner.model.policy.features_extractor.scale.numpy()), masks[:1]
        )
        odds = distribution.distribution.probs[0].numpy()
    assert np.abs(found - odds).max() < 0.02
    assert np.allclose(np.exp(logs), odds[actions], atol=1e-5)


def test_a_policy_without_numbers_has_no_choice() -> None:
    learner = learner_of()
    own = collected(learner)
    for parameter in learner.model.policy.parameters():
        parameter.data.fill_(np.nan)
    with pytest.raises(NoProbabilitiesError):
        learner.model.sample(own.obs[0], own.masks[0])


def test_a_game_that_was_cut_off_is_worth_what_the_network_expected_there() -> None:
    learner = learner_of()
    own = collected(learner)
    environment = learner.model.env
    played = environment.played._replace(truncated=np.arange(8) < 2, over=np.arange(8) < 3)
    environment.played = played
    own.rewards[0] = 0
    learner.model._bootstrap_truncated(environment, own, 0)
    expected = learner.model.values_of(played.final_observations[:2])
    assert np.allclose(own.rewards[0, :2], expected) and np.abs(expected).min() > 0
    assert not own.rewards[0, 2:].any()


def test_inputs_have_mean_0_and_deviation_1_but_for_those_that_hardly_change() -> None:
    rows = np.random.default_rng(1).integers(0, 5, (4000, 6)).astype(np.uint8)
    rows[:, 4], rows[:, 5] = 7, np.arange(4000) == 0
    high = np.array([4, 255, 4, 127, 255, 1], np.uint8)
    trunk = Trunk(Box(0, 1, (6,), np.float32), high, ())
    trunk.measure(rows)
    features = trunk.of_bytes(torch.from_numpy(rows)).numpy()
    assert np.allclose(features.mean(axis=0), 0, atol=1e-3)
    assert np.allclose(features.std(axis=0)[:4], 1, atol=1e-3)
    assert features[:, 4].std() == pytest.approx(0, abs=1e-3) and features[:, 5].std() < 0.2
    same = trunk(torch.from_numpy(rows / high.astype(np.float32)))
    assert np.allclose(same.numpy(), features, atol=1e-3)


@pytest.mark.parametrize("between", [torch.nn.Tanh, torch.nn.ReLU])
def test_a_model_of_the_library_alone_leaves_as_a_policy(between: Any, tmp_path: Any) -> None:
    game = atlantis_envs.game("atlandice", players=3)
    kind = {"net_arch": [16, 8], "activation_fn": between}
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", SeatVecEnv(game, 4, "random"), n_steps=8, batch_size=32, policy_kwargs=kind, seed=1, device="cpu"
    )
    agent = PolicyAgent(game, export_policy(model, game, tmp_path / "p"))
    batch = game.batch(64, seed=5)
    scaled = (batch.observations / game.observation_high.astype(np.float32)).astype(np.float32)
    played, _ = model.predict(scaled, deterministic=True, action_masks=batch.action_masks)
    assert np.array_equal(agent.act(batch.observations, batch.action_masks), played)
    assert agent.activation == between.__name__.lower()


def test_a_model_with_another_function_between_its_layers_is_refused(tmp_path: Any) -> None:
    game = atlantis_envs.game("atlandice", players=3)
    kind = {"activation_fn": torch.nn.GELU}
    model = sb3_contrib.MaskablePPO("MlpPolicy", SeatVecEnv(game, 4, "random"), policy_kwargs=kind, device="cpu")
    with pytest.raises(OptionError, match="activation: 'gelu'; allowed: 'tanh', 'relu'"):
        export_policy(model, game, tmp_path / "p")


def test_the_library_finds_nothing_missing_in_a_lean_learner() -> None:
    learner = learner_of()
    assert isinstance(learner.model, sb3_contrib.MaskablePPO) and isinstance(learner.model, PPO)
    learner.model.learn(2 * SETTINGS.num_envs * SETTINGS.num_steps)
    assert learner.model.num_timesteps == 2 * SETTINGS.num_envs * SETTINGS.num_steps


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 31, 1300, 14_001])
def test_rows_are_evened_with_zeros_behind_them(count: int) -> None:
    rows = torch.randint(1, 255, (count, 3), dtype=torch.uint8)
    found = padded(rows)
    assert torch.equal(found[:count], rows) and not found[count:].any() and found.dtype == torch.uint8
    assert count <= len(found) <= max(count, count * 17 / 16)


def test_few_numbers_of_rows_are_left() -> None:
    sizes = [len(padded(torch.zeros((count, 1)))) for count in range(8000, 16_001)]
    assert len(set(sizes)) <= 18 and sizes == sorted(sizes)


def test_afterstates_are_scored_alike_in_few_sizes() -> None:
    """With bfloat16, where rows of zeros are added, as without."""
    settings = dataclasses.replace(SETTINGS, game="atlantis", players=3, afterstates=True, num_envs=61, batch_size=61)
    game = atlantis_envs.game("atlantis", players=3)
    learner = Learner(game, settings, SelfPlayVecEnv(game, settings, FixedSeating(game, "random")))
    learner.model.env.begin()
    model, env = learner.model, learner.model.env
    masks, after = torch.from_numpy(env.action_masks()), torch.from_numpy(env.afterstates())
    assert len(padded(after)) > len(after) > 61
    exact, quick = [], []
    for fast, found in ((False, exact), (True, quick)):
        model.fast = fast
        with torch.no_grad():
            found += model.logprobs_and_values(torch.from_numpy(env.obs()), masks, after)
    for one, other in zip(exact, quick, strict=True):
        assert one.shape == other.shape and torch.allclose(one, other, atol=0.05, rtol=0.02)
    assert torch.equal(exact[0] < -1e8, quick[0] < -1e8)
