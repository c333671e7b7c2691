"""The Tianshou adapter against the real library: the same games as ours, and its learners keep to the masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from atlantis_envs import atlandice_v1
from atlantis_envs.adapters.gymnasium_env import SeatEnv
from atlantis_envs.errors import IllegalActionError, OptionError

pytest.importorskip("tianshou", reason="Tianshou is not installed: extra tianshou")
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.utils.torch_utils import policy_within_training_step

from atlantis_envs.adapters.tianshou import LearnerEnv, SeatsEnv


class Net(torch.nn.Module):
    """Values of actions from the observation."""

    def __init__(self, env: Any) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(221, int(env.action_space.n))

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        seen = obs.obs if hasattr(obs, "obs") else obs
        return self.layer(torch.as_tensor(seen, dtype=torch.float32)), state


def learner(env: Any) -> DQN[Any]:
    """A small Q-learner."""
    policy = DiscreteQLearningPolicy(model=Net(env), action_space=env.action_space, eps_training=0.3)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=50)


def test_one_seat_is_the_environment_of_gymnasium() -> None:
    env, plain = LearnerEnv("atlandice", 3), SeatEnv(game="atlandice", players=3, flat=True)
    rng = np.random.default_rng(4)
    for seed in (1, None):
        seen, _ = env.reset(seed=seed)
        own, info = plain.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space["obs"].contains(seen["obs"])
            assert (seen["obs"] == own).all() and (seen["mask"] == (info["action_mask"] != 0)).all()
            action = int(rng.choice(np.flatnonzero(seen["mask"])))
            seen, *result, _ = env.step(action)
            own, *expected, info = plain.step(action)
            assert result == expected
            over = result[1] or result[2]
        assert seen["mask"].all() and result[0] != 0


def test_a_q_learner_collects_and_learns_within_the_masks() -> None:
    torch.manual_seed(1)
    lanes = DummyVectorEnv([lambda: LearnerEnv("atlandice", 3) for _ in range(2)])
    env = LearnerEnv("atlandice", 3)
    algorithm = learner(env)
    buffer = VectorReplayBuffer(2_000, 2)
    collector = Collector[CollectStats](algorithm, lanes, buffer, exploration_noise=True)
    stats = collector.collect(n_step=300, reset_before_collect=True)  # an illegal action would raise
    assert stats.n_collected_steps == 300 and stats.n_collected_episodes > 2
    taken, _ = buffer.sample(0)
    assert taken.obs.mask[np.arange(len(taken)), taken.act].all()
    before = algorithm.policy.model.layer.weight.detach().clone()
    with policy_within_training_step(algorithm.policy):
        algorithm.update(buffer=buffer, sample_size=64)
    assert not torch.equal(before, algorithm.policy.model.layer.weight)


def test_every_seat_plays_as_in_the_pettingzoo_environment() -> None:
    env, table = SeatsEnv("atlandice", 3), atlandice_v1.env(players=3)
    rng = np.random.default_rng(4)
    seen, _ = env.reset(seed=6)
    table.reset(seed=6)
    handed: list[list[float]] = []
    over = False
    while not over:
        own = table.observe(table.agent_selection)
        assert seen["agent_id"] == table.agent_selection
        assert (np.rint(seen["obs"] * table.game.observation_high) == own["observation"]).all()
        assert (seen["mask"] == (own["action_mask"] != 0)).all()
        action = int(rng.choice(np.flatnonzero(seen["mask"])))
        seen, rewards, terminated, truncated, _ = env.step(action)
        table.step(action)
        handed.append(rewards)
        over = terminated or truncated
    assert handed[-1] == [table.rewards[agent] for agent in table.possible_agents]
    assert any(handed[-1]) and not any(any(rewards) for rewards in handed[:-1])


def test_several_learners_share_a_table() -> None:
    torch.manual_seed(1)
    env = SeatsEnv("atlandice", 3)
    seats: list[Any] = [learner(env)]
    seats += [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in range(2)]
    together = MultiAgentOffPolicyAlgorithm(algorithms=seats, env=env)
    lanes = DummyVectorEnv([lambda: SeatsEnv("atlandice", 3)])
    collector = Collector[CollectStats](together, lanes, VectorReplayBuffer(2_000, 1), exploration_noise=True)
    stats = collector.collect(n_episode=2, reset_before_collect=True)
    assert stats.n_collected_episodes == 2
    assert np.allclose(stats.returns.sum(-1), 0) and (stats.returns != 0).any()


def test_bad_values_are_refused() -> None:
    with pytest.raises(OptionError, match="players"):
        LearnerEnv("atlandice", 9)
    with pytest.raises(OptionError, match="tiles"):
        SeatsEnv("atlantis", tiles=2)
    env = LearnerEnv("atlandice", 3)
    seen, _ = env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="not legal"):
        env.step(int(np.flatnonzero(~seen["mask"])[0]))
