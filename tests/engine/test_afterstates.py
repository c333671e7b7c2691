"""What a seat sees after each legal action: right, and nothing that it cannot know."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.support import scaled

import atlantis_envs
from atlantis_agents.networks.policy import AFTERSTATES, NetworkAgent, PolicyAgent, save_policy
from atlantis_envs.engine.batch import afterstates
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.positions import ask, determinize

GAMES = [("atlandice", 3), ("atlantis", 2), ("atlantis", 4), ("atlantis_rising", 1), ("atlantis_rising", 4)]


def some_batch(name, players, lanes=24, plies=60, seed=5):
    """Games that random players have brought some way, each lane another number of plies."""
    batch = atlantis_envs.game(name, players=players).batch(lanes, seed)
    generator = np.random.default_rng(seed)
    for ply in range(plies):
        going = np.flatnonzero(np.arange(lanes) * plies >= ply * lanes)
        masks = batch.action_masks[going]
        batch.step((masks * generator.random(masks.shape)).argmax(axis=1), going)
    return batch


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_an_afterstate_is_what_the_mover_sees_once_the_action_is_played(name, players):
    batch = some_batch(name, players)
    before = batch.states.tobytes()
    lanes = np.arange(0, 24, 3)
    found = batch.afterstates(lanes)
    assert np.array_equal(found.rows, np.repeat(np.arange(len(lanes)), batch.action_masks[lanes].sum(axis=1)))
    for row, action, seen in zip(found.rows, found.actions, found.observations, strict=True):
        position = Position(batch.game, batch.states[lanes[row] : lanes[row] + 1])
        seat = position.seat
        position.apply(int(action))
        assert np.array_equal(position.observation(seat), seen)
    assert batch.states.tobytes() == before


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_an_afterstate_has_the_potential_that_the_game_declares(name, players):
    """Of the state before chance, as a batch that stands there tells it; a game that declares none has 0 everywhere."""
    batch = some_batch(name, players, plies=400)
    found = batch.afterstates()
    if batch.game.definition.potential is None:
        assert not found.potentials.any()
        return
    trial = atlantis_envs.game(name, players=players).batch(1, 0)
    for row, action, potential in zip(found.rows, found.actions, found.potentials, strict=True):
        position = Position(batch.game, batch.states[row : row + 1])
        position.apply(int(action))
        trial._lanes.states[:] = position.state
        assert potential == trial.potentials(np.zeros(1, np.int8))[0]
    assert len(set(found.potentials.tolist())) > 5


@pytest.mark.parametrize(("name", "players"), GAMES)
def test_redrawn_hidden_cards_change_no_byte_of_an_afterstate(name, players):
    """Nothing leaks; that the cards differ is checked too, where a game hides any."""
    game, others = atlantis_envs.game(name, players=players), 0
    for seed in range(scaled(6, 60)):
        batch = some_batch(name, players, seed=seed)
        shown = (batch.seats, batch.observations, batch.action_masks)
        try:
            drawn = determinize(game, batch.states, *shown, batch.noise(seed))
        except OptionError:  # a position at which the game has no law
            continue
        others += int(drawn.states.tobytes() != batch.states.tobytes())
        own = afterstates(game, batch.states, batch.seats, batch.action_masks)
        assert np.array_equal(own.observations, afterstates(game, drawn.states, *shown[::2]).observations)
    assert others or name != "atlantis"


def test_a_policy_of_afterstates_plays_what_it_scores_highest(tmp_path):
    game = atlantis_envs.game("atlantis", players=3)
    batch = some_batch("atlantis", 3)
    weights = np.random.default_rng(0).normal(size=(1, game.observation_size)).astype(np.float32)
    layers = [(weights, np.zeros(1, np.float32))]
    agent = PolicyAgent(game, save_policy(tmp_path / "p", game, layers, inputs=AFTERSTATES))
    lanes = np.arange(24)
    chosen = ask(agent, batch, lanes, batch.noise(1))
    after = batch.afterstates()
    for row in lanes:
        own = after.rows == row
        scores = agent.logits(after.observations[own])[:, 0]
        assert chosen[row] == after.actions[own][scores.argmax()]
    sampled = NetworkAgent(game, layers, greedy=False, inputs=AFTERSTATES)
    assert (batch.action_masks[lanes, ask(sampled, batch, lanes, batch.noise(2))] == 1).all()
    with pytest.raises(OptionError, match="sees positions"):
        agent.act(batch.observations, batch.action_masks)
    with pytest.raises(OptionError, match="advice: with afterstates"):
        save_policy(tmp_path / "q", game, layers, advice="heuristic", inputs=AFTERSTATES)


def test_gains_are_compared_with_the_potential_that_an_action_brings(tmp_path):
    """A network that expects the same gains everywhere plays for the most progress at once."""
    game = atlantis_envs.game("atlantis_rising", players=4)
    batch, lanes, differ = some_batch("atlantis_rising", 4), np.arange(24), 0
    layers = [(np.zeros((1, game.observation_size), np.float32), np.zeros(1, np.float32))]
    agent = PolicyAgent(game, save_policy(tmp_path / "p", game, layers, inputs=AFTERSTATES, potential=5.0))
    for _ in range(100):
        chosen, after = ask(agent, batch, lanes, batch.noise(1)), batch.afterstates()
        for row in lanes:
            own = after.rows == row
            potentials = after.potentials[own]
            assert potentials[after.actions[own] == chosen[row]] == potentials.max()
            differ += int(potentials.max() > potentials.min())
        batch.step(chosen)
    assert differ > 10


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("atlantis_rising", {"potential": -1.0}, "potential: -1.0; allowed: 0..1e[+]06$"),
        ("atlantis_rising", {"potential": float("nan")}, "potential: nan; allowed: 0..1e[+]06$"),
        ("atlantis_rising", {"potential": True}, "potential: True; allowed: 0..1e[+]06$"),
        ("atlantis_rising", {"potential": 1.0, "value": "win share"}, "potential: 1; allowed: 0, or inputs 'after"),
        ("atlantis", {"potential": 1.0}, "potential: 1; allowed: 0, or inputs 'afterstates' without a value, of a"),
    ],
)
def test_a_potential_that_has_no_use_is_refused(tmp_path, name, changes, message):
    game = atlantis_envs.game(name, players=4)
    layers = [(np.zeros((1, game.observation_size), np.float32), np.zeros(1, np.float32))]
    with pytest.raises(OptionError, match=message):
        save_policy(tmp_path / "p", game, layers, inputs=AFTERSTATES, **changes)
    assert not (tmp_path / "p").exists()


def test_a_manifest_is_not_trusted_with_a_potential(tmp_path):
    game = atlantis_envs.game("atlantis_rising", players=4)
    layers = [(np.zeros((1, game.observation_size), np.float32), np.zeros(1, np.float32))]
    saved = save_policy(tmp_path / "p", game, layers, inputs=AFTERSTATES, potential=5.0)
    manifest = saved / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"potential": 5.0', '"potential": "much"'))
    with pytest.raises(OptionError, match=r"manifest.json.*potential: 'much'; allowed: 0..1e[+]06$"):
        PolicyAgent(game, saved)
