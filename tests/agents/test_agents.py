"""Random player, planner, and agents by name."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent, PlannerAgent
from atlantis_agents.random import RandomAgent
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.lab.matches import evaluate_by_seat

SEED = 7
LANES = 64


def test_a_planner_is_stronger() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    table = evaluate_by_seat(game, PlannerAgent(game, SEED), HeuristicAgent(game, SEED), 200, seed=SEED)
    assert table.overall.low > 1 / 3


def test_random_is_uniform_over_the_legal_actions() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    batch = game.batch(1, seed=SEED)
    rows, masks = batch.observations.repeat(30_000, axis=0), batch.action_masks.repeat(30_000, axis=0)
    drawn = np.bincount(RandomAgent(game, SEED).act(rows, masks), minlength=game.num_actions)
    legal = masks[0] != 0
    expected = 30_000 / legal.sum()
    assert drawn[~legal].sum() == 0
    statistic = ((drawn[legal] - expected) ** 2 / expected).sum()
    assert statistic < legal.sum() - 1 + 5 * (2 * legal.sum()) ** 0.5


@pytest.mark.parametrize("name", ["random", "heuristic", "planner"])
def test_agents_by_name_survive_pickling_and_repeat_themselves(name: str) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    batch = game.batch(LANES, seed=SEED)
    first, second = make_agent(name, game, seed=3), make_agent(name, game, seed=3)
    twin = pickle.loads(pickle.dumps(first))
    noise = batch.noise(SEED)
    answers = [agent.act(batch.observations, batch.action_masks, noise) for agent in (first, second, twin)]
    assert (answers[0] == answers[1]).all() and (answers[0] == answers[2]).all()
    free = [agent.act(batch.observations, batch.action_masks) for agent in (first, second)]
    assert (free[0] == free[1]).all()


def test_unknown_names_are_refused() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    with pytest.raises(OptionError, match="heuristic, network, planner, random, search, or the directory"):
        make_agent("oracle", game)
    with pytest.raises(OptionError, match="object with act"):
        make_agent(3, game)  # type: ignore[arg-type]
