"""What a user writes, with types; test_types.py has mypy look at it against the installed packages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_envs import atlandice_v1, atlantis_rising_v2, atlantis_v1
from atlantis_envs.adapters.gymnasium_env import SeatEnv
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation.measure import play_games
from atlantis_training.selfplay.settings import SelfPlaySettings


def first_actions(game: Game) -> list[str]:
    position: Position = game.initial_position()
    while position.node == "chance":
        position.sample_chance(seed=1)
    return position.legal_actions()


def environments() -> list[str]:
    dice = atlandice_v1.env(players=3, clock="C16", needles={"M1": 2}, neutral_ranked=["final"], chain_cap=3)
    paper = atlantis_v1.raw_env(4, preset="amigo", sells_per_turn="any", start_hand=(4, 5, 6, 7), render_mode="ansi")
    atlantis_rising_v2.parallel_env(players=2, level=3, first_player="random", illegal="terminate", round_limit=None)
    return [*dice.possible_agents, *paper.possible_agents]


def play(number: int) -> NDArray[np.float32]:
    game = atlantis_v1.game(players=3, data=None, overpay="any")
    same: Game = atlantis_envs.game("atlantis", players=3, overpay="any")
    batch = game.batch(number, seed=1)
    rewards, over = batch.step(np.zeros(number, np.int64))
    agent = find_agent("heuristic", same)
    agent.act(batch.observations, batch.action_masks)
    return rewards[over]


def at_top_level(game: atlantis_envs.Game) -> list[str]:
    agent = atlantis_envs.make_agent("heuristic", game)
    batch: atlantis_envs.Batch = game.batch(2)
    agent.act(batch.observations, batch.action_masks)
    position: atlantis_envs.Position = game.from_json("{}")
    return [*position.legal_actions(), *atlantis_envs.atlandice_v1.env().possible_agents]


def learn() -> int:
    settings = SelfPlaySettings(game="atlandice", steps=1000)
    env = SeatEnv("atlandice", players=3, opponents="random")
    observation, _ = env.reset(seed=1)
    assert observation.shape == env.observation_space.shape
    try:
        atlandice_v1.env(players=9)
    except OptionError as error:
        print(error)
    assert callable(play_games)
    return settings.steps
