"""Random and heuristic agents of Atlandice: legal everywhere, a function of each row alone, far above random play."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from support import noise_actions, scaled

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent, PlannerAgent
from atlantis_agents.random import RandomAgent
from atlantis_envs.engine.agents import make_agent
from atlantis_envs.errors import OptionError
from atlantis_training.evaluate import evaluate_by_seat

SEED = 7
LANES = 64
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"optional_effects": True, "clock": "C16"},
    {"orphan_dice": "stay", "machinery_block": "round", "l3_counts": "beneficiary"},
    {"same_type_exchange": False, "min_to_rank": 0, "neutral_ranked": [], "chain_cap": 1},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_always_legal(players: int, options: dict[str, Any]) -> None:
    """At every decision of random games and of its own."""
    game = atlantis_envs.game("atlandice", players=players, **options)
    agent = HeuristicAgent(game, SEED)
    for own in (True, False):
        batch = game.batch(LANES, seed=SEED)
        for _ in range(scaled(150, 1500)):
            noise = batch.noise(SEED)
            actions = agent.act(batch.observations, batch.action_masks, noise)
            assert batch.action_masks[np.arange(LANES), actions].all()
            batch.step(actions if own else noise_actions(batch.action_masks, noise))


def test_an_answer_depends_on_its_row_alone(players: int) -> None:
    game = atlantis_envs.game("atlandice", players=players)
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(LANES, seed=SEED)
    for _ in range(60):
        rows, masks, noise = batch.observations.copy(), batch.action_masks.copy(), batch.noise(SEED)
        together = agent.act(rows, masks, noise)
        order = np.arange(LANES)[::-1]
        assert (agent.act(rows[order], masks[order], noise[order])[order] == together).all()
        for lane in range(0, LANES, 16):
            alone = slice(lane, lane + 1)
            assert agent.act(rows[alone], masks[alone], noise[alone])[0] == together[lane]
        assert (rows == batch.observations).all() and (masks == batch.action_masks).all()
        batch.step(together)


def test_noise_breaks_ties_only() -> None:
    """Most decisions have one best action, whatever the noise."""
    game = atlantis_envs.game("atlandice", players=4)
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(LANES, seed=SEED)
    same = total = 0
    for ply in range(100):
        answers = [
            agent.act(batch.observations, batch.action_masks, np.full(LANES, word * 977 + ply, np.uint64))
            for word in range(4)
        ]
        same += int((np.ptp(answers, axis=0) == 0).sum())
        total += LANES
        batch.step(answers[0])
    assert same > 0.9 * total


def test_beats_random_in_every_seat(players: int) -> None:
    game = atlantis_envs.game("atlandice", players=players)
    table = evaluate_by_seat(game, HeuristicAgent(game, SEED), RandomAgent(game, SEED), 1000, seed=SEED)
    assert len(table.seats) == players
    assert min(share.low for share in table.seats) > 0.9


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


def test_unknown_names_and_foreign_rows_are_refused() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    with pytest.raises(OptionError, match="'heuristic', 'planner', 'random'"):
        make_agent("oracle", game)
    with pytest.raises(OptionError, match="object with act"):
        make_agent(3, game)  # type: ignore[arg-type]
    batch = atlantis_envs.game("atlantis", players=2).batch(1, seed=SEED)
    for agent in (HeuristicAgent(game, SEED), RandomAgent(game, SEED)):
        with pytest.raises(ValueError, match="observations"):
            agent.act(batch.observations, batch.action_masks)
