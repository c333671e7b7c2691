"""Atlantis through PettingZoo, Gymnasium and the soak."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import soak
from gymnasium.utils.env_checker import check_env
from helpers.support import scaled
from pettingzoo.test import api_test, seed_test

import atlantis_envs
from atlantis_envs import atlantis_v0
from atlantis_envs.adapters.pettingzoo_aec import BoardGameEnv

ENV = "atlantis_envs/Atlantis-v0"
SEED = 20_240_611
DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}  # PettingZoo exempts its own games with masks from these two by name
PRESETS = ("amigo", "brettspielwelt")


@pytest.mark.parametrize("factory", [atlantis_v0.env, atlantis_v0.raw_env])
def test_api(factory: Callable[..., BoardGameEnv], players: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(factory(players=players), num_cycles=scaled(200, 2000))
    assert {str(warning.message) for warning in caught} == DICT_WARNINGS


def test_seeds(players: int) -> None:
    seed_test(lambda: atlantis_v0.env(players=players), num_cycles=scaled(200, 2000))


@pytest.mark.parametrize("rule", [0, "random", "rotate"])
def test_check_env(players: int, rule: Any) -> None:
    env = gymnasium.make(ENV, players=players, learner_seat=rule, render_mode="ansi").unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    assert [str(warning.message) for warning in caught] == []


def test_the_documentation_names_every_piece_and_action() -> None:
    text = inspect.getdoc(atlantis_v0) or ""
    definition = atlantis_envs.game("atlantis").definition
    for piece in definition.observation:
        assert f"{piece.name} ({piece.size})" in text
    for span in definition.actions.starts:
        assert span in text
    assert f"Discrete({len(definition.actions)})" in text
    assert f"uint8 ({definition.observation.size},)" in text


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
