"""The heuristic team of Atlantis Rising: an answer at every node, and a team that wins."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers import atlantis_rising_scenarios as scenarios
from helpers.atlantis_rising_starts import from_the_gate, from_the_middle
from helpers.support import noise_actions, scaled

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent, find_heuristic
from atlantis_agents.heuristics.atlantis_rising.weights import RULES_2, make_weights
from atlantis_agents.random import RandomAgent
from atlantis_envs.engine.batch import Batch
from atlantis_envs.errors import OptionError
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Basic
from atlantis_envs.games.atlantis_rising.state import NODES, Node
from atlantis_training.evaluation.measure import play_games

SEED = 7


def test_an_answer_at_nearly_every_node() -> None:
    """From positions with much built, flooded and dealt out, under options of every kind."""
    dice = random.Random(SEED)
    seen = np.zeros(len(NODES), np.int64)
    for number in range(scaled(70, 1000)):
        start = from_the_gate if number % 2 else from_the_middle
        position = start(1 + number % 7, dice)[0]
        agent = HeuristicAgent(position.game, SEED)
        batch = Batch.from_positions([position], seed=number)
        for _ in range(100):
            seen[int(batch.states.node[0])] += 1
            noise = batch.noise(SEED)
            action = agent.act(batch.observations, batch.action_masks, noise)
            assert batch.action_masks[0, action[0]]
            batch.step(action if dice.random() < 0.5 else noise_actions(batch.action_masks, noise))
    missed = [NODES[node] for node in range(Node.C1_FIRST) if seen[node] == 0]
    assert len(missed) <= 4, missed


@pytest.mark.parametrize(
    ("seats", "level", "least"), [(4, 1, 0.9), (4, 5, 0.7), (2, 1, 0.9), (7, 1, 0.8), (7, 5, 0.4), (1, 3, 0.15)]
)
def test_the_team_wins_where_random_play_never_does(seats: int, level: int, least: float) -> None:
    game = atlantis_envs.game("atlantis_rising", players=seats, level=level)
    team = play_games(game, [HeuristicAgent(game, SEED)] * seats, 200, seed=SEED)
    assert (team.returns[:, 0] > 0).mean() > least
    strangers = play_games(game, [RandomAgent(game, SEED)] * seats, 50, seed=SEED)
    assert (strangers.returns[:, 0] < 0).all()


def test_numbers_may_be_others_and_must_be_its_own() -> None:
    game = atlantis_envs.game("atlantis_rising", players=4, level=1)
    usual, other = HeuristicAgent(game, SEED), HeuristicAgent(game, SEED, weights=make_weights({"gate": -100.0}))
    built = [play_games(game, [agent] * 4, 50, seed=SEED).scores[:, 0].mean() for agent in (usual, other)]
    assert built[0] > built[1] + 1
    for wrong in (np.zeros(1), make_weights()[:0], {"gate": 1.0}, 3):
        with pytest.raises(OptionError, match="allowed: what make_weights of the heuristic returns"):
            HeuristicAgent(game, weights=wrong)


def test_one_player_alone_weighs_otherwise_than_a_team() -> None:
    heuristic = find_heuristic("atlantis_rising")
    assert [heuristic.weights_for(players)["raw"][0] for players in (1, 2, 7)] == [
        make_weights(players=players)["raw"][0] for players in (1, 2, 7)
    ]
    assert make_weights(players=1) != make_weights(players=2) and make_weights(players=2) == make_weights()
    assert (
        heuristic.rollout_weights_for(1) == make_weights(RULES_2, 1)
        and heuristic.rollout_weights_for(2) == make_weights()
    )


def test_archive_recovery_is_kept_for_a_full_discard() -> None:
    """Once played it leaves the game (12.4): a team that spends it on a few cards loses half of its level 5."""
    game = atlantis_envs.game("atlantis_rising", players=4, level=5)
    agent, batch = HeuristicAgent(game, SEED), game.batch(64, seed=SEED)
    least = make_weights()["recovery"][0]
    found = []
    for _ in range(600):
        actions = agent.act(batch.observations, batch.action_masks, batch.noise(SEED))
        playing = (actions == Act.PLAY + Basic.ARCHIVE_RECOVERY) & (batch.states.node == Node.DEPLOY)
        found += batch.states.library_discard[playing].sum(axis=1).tolist()
        batch.step(actions)
    assert len(found) > 20 and min(found) >= least > 2


@pytest.mark.parametrize(
    ("start", "wanted"),
    [
        ("E0=9; E1=9; fl hills=5", ("barrier hills", "drain hills")),
        ("E0=9; E1=9; fl hills=5; bar mountains, hills, forests, cities, libraries, forges", ("drain hills",)),
        ("E0=5; E1=2; fl hills=5", ("barrier hills",)),
        ("E0=2; E1=2; fl hills=5", ("ready",)),
        ("E0=9; E1=9", ("barrier",)),
    ],
)
def test_energy_to_spare_keeps_the_water_out(start: str, wanted: tuple[str, ...]) -> None:
    """When everybody stands; what a seat may need for dice is kept (9.1, 9.3)."""
    items = scenarios._start_items(f"n=2; L0,F0,L1,F1@centre; {start}")
    position = atlantis_envs.game("atlantis_rising").from_json(scenarios.start_position("deploy", items))
    batch = Batch.from_positions([position], seed=1)
    [told] = HeuristicAgent(position.game, SEED).act(batch.observations, batch.action_masks, batch.noise(SEED))
    assert position.game.actions[told].startswith(wanted), position.game.actions[told]
