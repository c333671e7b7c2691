"""Atlantis through PettingZoo and the soak."""

from __future__ import annotations

import numpy as np
import pytest
import soak
from helpers.support import scaled

import atlantis_envs
from atlantis_envs import atlantis_v0

SEED = 20_240_611
PRESETS = ("amigo", "brettspielwelt")


def test_rewards_are_the_returns_and_hidden_cards_stay_hidden(players: int) -> None:
    env = atlantis_v0.env(players=players)
    env.reset(seed=SEED)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    at_hand = env.game.definition.observation["hand"]
    for ply, agent in enumerate(env.agent_iter()):
        view, reward, terminated, _, info = env.last()
        assert view is not None
        paid[agent] += reward
        own = env.position().to_json()["seats"][env.possible_agents.index(agent)]["hand"]
        assert view["observation"][at_hand : at_hand + 7].sum() == sum(own.values())
        legal = np.flatnonzero(info["action_mask"])
        env.step(None if terminated else int(legal[ply % len(legal)]))
    assert list(paid.values()) == env.position().returns()


@pytest.mark.parametrize("preset", PRESETS)
def test_random_play_breaks_nothing(players: int, preset: str) -> None:
    nodes = scaled(100_000, 1_000_000)
    game = atlantis_envs.game("atlantis", players=players, preset=preset)
    report = soak.soak(game, nodes, SEED)
    assert report.fault == ""
    assert report.nodes == nodes and report.games > nodes // 3_000
    assert 0 < report.longest <= report.bound
