"""The heuristic team of Atlantis Rising: legal at every node, a function of each row alone, and a team that wins."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from support import noise_actions, scaled
from test_atlantis_rising_lockstep import from_the_gate, from_the_middle

import atlantis_envs
from atlantis_agents import heuristic
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.random import RandomAgent
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.records import plain, records
from atlantis_envs.games.atlantis_rising.state import CHANCE_FIRST, NODES
from atlantis_training.evaluate import play_games

SEED = 7
LANES = 32
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"councilors": "draft", "first_player": "random", "hands_open": False},
    {"force_artificer": False, "lift_budget": 0, "yield_budget": 0, "round_limit": 3},
)


@pytest.fixture(params=range(1, 8), ids=lambda players: f"{players}p")
def players(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@pytest.mark.parametrize("level", range(1, 6))
def test_always_legal(players: int, level: int) -> None:
    """At every decision of random games and of its own."""
    options = OPTIONS[(players + level) % len(OPTIONS)]
    game = atlantis_envs.game("atlantis_rising", players=players, level=level, **options)
    agent = HeuristicAgent(game, SEED)
    for own in (True, False):
        batch = game.batch(LANES, seed=SEED)
        for _ in range(scaled(120, 3000)):
            noise = batch.noise(SEED)
            actions = agent.act(batch.observations, batch.action_masks, noise)
            assert batch.action_masks[np.arange(LANES), actions].all()
            batch.step(actions if own else noise_actions(batch.action_masks, noise))


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
    missed = [NODES[node] for node in range(CHANCE_FIRST) if seen[node] == 0]
    assert len(missed) <= 4, missed


def test_an_answer_depends_on_its_row_alone(players: int) -> None:
    game = atlantis_envs.game("atlantis_rising", players=players, level=3)
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(LANES, seed=SEED)
    order = np.arange(LANES)[::-1]
    for _ in range(60):
        rows, masks, noise = batch.observations.copy(), batch.action_masks.copy(), batch.noise(SEED)
        together = agent.act(rows, masks, noise)
        assert (agent.act(rows[order], masks[order], noise[order])[order] == together).all()
        for lane in range(0, LANES, 8):
            alone = slice(lane, lane + 1)
            assert agent.act(rows[alone], masks[alone], noise[alone])[0] == together[lane]
        assert (rows == batch.observations).all() and (masks == batch.action_masks).all()
        batch.step(together)


@pytest.mark.parametrize("seats", [1, 4])
def test_nothing_is_remembered(seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the work record held before does not matter."""

    def scribbled(count: int, dtype: Any) -> Any:
        work = records(count, dtype)
        plain(work).view(np.uint8)[:] = 0x5A
        return work

    game = atlantis_envs.game("atlantis_rising", players=seats, level=2)
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(1, seed=SEED)
    for _ in range(1500):
        rows, masks, noise = batch.observations, batch.action_masks, batch.noise(SEED)
        clean = agent.act(rows, masks, noise)
        with monkeypatch.context() as patch:
            patch.setattr(heuristic, "records", scribbled)
            assert agent.act(rows, masks, noise) == clean
        batch.step(clean)


def test_noise_breaks_ties_only() -> None:
    """Most decisions have one best action, whatever the noise."""
    game = atlantis_envs.game("atlantis_rising", players=4)
    agent = HeuristicAgent(game, SEED)
    batch = game.batch(LANES, seed=SEED)
    same = total = 0
    for ply in range(200):
        answers = [
            agent.act(batch.observations, batch.action_masks, np.full(LANES, word * 977 + ply, np.uint64))
            for word in range(4)
        ]
        same += int((np.ptp(answers, axis=0) == 0).sum())
        total += LANES
        batch.step(answers[0])
    assert same > 0.8 * total


@pytest.mark.parametrize(("seats", "level", "least"), [(4, 1, 0.9), (4, 5, 0.5), (2, 1, 0.8), (7, 1, 0.5)])
def test_the_team_wins_where_random_play_never_does(seats: int, level: int, least: float) -> None:
    game = atlantis_envs.game("atlantis_rising", players=seats, level=level)
    team = play_games(game, [HeuristicAgent(game, SEED)] * seats, 200, seed=SEED)
    assert (team.returns[:, 0] > 0).mean() > least
    strangers = play_games(game, [RandomAgent(game, SEED)] * seats, 50, seed=SEED)
    assert (strangers.returns[:, 0] < 0).all()
