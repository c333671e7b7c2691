"""Random player, planner, and agents by name."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.catalogue import agent_names
from atlantis_agents.heuristic import HeuristicAgent, PlannerAgent
from atlantis_agents.random import RandomAgent
from atlantis_envs.engine.threads import LEAST_ROWS
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation.evaluate import evaluate_by_seat

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


@pytest.mark.parametrize("name", ["random", "heuristic", "planner"])
def test_threads_share_rows_and_change_no_choice(name: str) -> None:
    game = atlantis_envs.game("atlandice")
    rows = 3 * LEAST_ROWS + 5
    batch = game.batch(rows, seed=2)
    alone, several = (make_agent(name, game, threads=threads) for threads in (1, 3))
    used: set[int] = set()
    fill = several._fill  # type: ignore[attr-defined]

    def noted(*arrays: Any) -> None:
        used.add(threading.get_ident())
        fill(*arrays)

    several._fill = noted  # type: ignore[attr-defined]
    for _ in range(3):
        seen = batch.observations, batch.action_masks, batch.noise(2)
        np.testing.assert_array_equal(alone.act(*seen), several.act(*seen))
        batch.step(alone.act(*seen))
    assert len(used) > 1
    copy = pickle.loads(pickle.dumps(make_agent(name, game, threads=3)))
    assert copy.threads == 3
    for bad in (0, 1025, True, 2.0):
        with pytest.raises(OptionError, match=r"^threads: .*allowed: an integer 1\.\.1024"):
            make_agent(name, game, threads=bad)


def test_unknown_names_are_refused() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    with pytest.raises(OptionError, match=rf"allowed: {', '.join(agent_names())}, .*, or the directory"):
        make_agent("oracle", game)
    with pytest.raises(OptionError, match="object with act"):
        make_agent(3, game)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["random", "heuristic", "planner", "network@1"])
def test_rows_of_another_shape_or_type_are_named(name: str) -> None:
    game = atlantis_envs.game("atlandice")
    batch, agent = game.batch(2, seed=1), make_agent(name, game)
    seen, masks = batch.observations, batch.action_masks
    with pytest.raises(ValueError, match=r"observations: .*needs a batch axis: observations\[None\]"):
        agent.act(seen[0], masks[0])
    with pytest.raises(ValueError, match=r"observations: float32.*; allowed: uint8 of shape \(N, 225\)"):
        agent.act(seen.astype(np.float32), masks)
    with pytest.raises(ValueError, match=r"masks: .*; allowed: int8 of shape \(2, 72\)"):
        agent.act(seen, masks[:, 1:])
    with pytest.raises(ValueError, match=r"masks\[0\]: no legal action"):
        agent.act(seen, np.zeros_like(masks))
