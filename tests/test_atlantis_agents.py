"""The heuristic of Atlantis: legal everywhere, a function of each row alone, and far above random play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import noise_actions, scaled

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent, find_heuristic
from atlantis_agents.random import RandomAgent
from atlantis_envs.errors import OptionError
from atlantis_training.evaluate import evaluate_by_seat

SEED = 7
LANES = 64
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"preset": "brettspielwelt", "first_player": "random"},
    {"sells_per_turn": "any", "bought_cards_pay": True, "paid_cards": "discard", "start_hand": [0, 0, 0, 0]},
    {"bridge_after_move": False, "pass_bonus": True, "tile_set": "uniform", "start_hand": [26, 26, 26, 26]},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_always_legal(players: int, options: dict[str, Any]) -> None:
    """At every decision of random games and of its own."""
    game = atlantis_envs.game("atlantis", players=players, **options)
    agent = HeuristicAgent(game, SEED)
    for own in (True, False):
        batch = game.batch(LANES, seed=SEED)
        for _ in range(scaled(150, 1500)):
            noise = batch.noise(SEED)
            actions = agent.act(batch.observations, batch.action_masks, noise)
            assert batch.action_masks[np.arange(LANES), actions].all()
            batch.step(actions if own else noise_actions(batch.action_masks, noise))


def test_an_answer_depends_on_its_row_alone(players: int) -> None:
    game = atlantis_envs.game("atlantis", players=players)
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
    game = atlantis_envs.game("atlantis", players=4)
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
    game = atlantis_envs.game("atlantis", players=players)
    table = evaluate_by_seat(game, HeuristicAgent(game, SEED), RandomAgent(game, SEED), 1000, seed=SEED)
    assert len(table.seats) == players
    assert min(share.low for share in table.seats) > 0.9


def test_a_game_without_heuristic_is_refused() -> None:
    with pytest.raises(OptionError, match="atlantis"):
        find_heuristic("atlantis_2")
    with pytest.raises(ValueError, match="observations"):
        game = atlantis_envs.game("atlantis", players=2)
        other = atlantis_envs.game("atlandice", players=2).batch(1, seed=SEED)
        HeuristicAgent(game, SEED).act(other.observations, other.action_masks)
