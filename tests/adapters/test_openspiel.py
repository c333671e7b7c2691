"""The OpenSpiel adapter against the real library: the same tree as ours, and its own tests and algorithms."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError, PositionError, UnknownOptionError
from atlantis_envs.registry import GAMES

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: extra openspiel")
from atlantis_envs.adapters import openspiel  # noqa: E402

SMALL: dict[str, dict[str, Any]] = {
    "atlandice": {"players": 2},
    "atlantis": {"players": 3, "start_hand": [4, 5, 6]},
    "atlantis_rising": {"players": 2, "round_limit": 2, "hands_open": False},
}


def moves(state: Any) -> list[int]:
    """What may happen next."""
    return [move for move, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()


def walk(state: Any, seed: int, most: int = 5_000) -> Iterator[int]:
    """Random moves, applied after each was given out."""
    rng = np.random.default_rng(seed)
    for _ in range(most):
        if state.is_terminal():
            return
        move = int(rng.choice(moves(state)))
        yield move
        state.apply_action(move)


def same(state: Any, position: Position) -> None:
    """The node as both see it."""
    spiel = pyspiel.PlayerId
    numbers = {"chance": spiel.CHANCE, "over": spiel.TERMINAL}
    assert state.current_player() == numbers.get(position.node, position.seat)
    if position.node == "chance":
        weights = position.chance_outcome_ids()
        total = sum(weights.values())
        assert state.chance_outcomes() == [(move, weight / total) for move, weight in weights.items()]
    elif position.node == "over":
        assert state.returns() == position.returns()
        return
    else:
        assert state.legal_actions() == position.legal_action_ids()
        assert state.legal_actions((position.seat + 1) % position.game.players) == []
        assert [state.action_to_string(move) for move in state.legal_actions()] == position.legal_actions()
    assert state.returns() == [0.0] * position.game.players


@pytest.mark.parametrize("name", GAMES)
def test_every_node_is_that_of_our_position(name: str) -> None:
    position = atlantis_envs.game(name, **SMALL[name]).initial_position()
    game = openspiel.load(name, **SMALL[name])
    state = game.new_initial_state()
    high = position.game.observation_high
    nodes = 0
    for move in walk(state, 3):
        same(state, position)
        if nodes % 20 == 0:
            for seat in range(position.game.players):
                tensor = np.array(state.observation_tensor(seat), np.float32)
                seats, seen = tensor[: position.game.players], tensor[position.game.players :]
                assert seats.tolist() == [float(seat == other) for other in range(position.game.players)]
                assert (np.rint(seen * high) == position.observation(seat)).all()
        position.apply(move)
        nodes += 1
    assert state.is_terminal() and nodes > 100
    same(state, position)
    assert state.position == position


@pytest.mark.parametrize("name", GAMES)
def test_passes_the_random_simulation_test(name: str) -> None:
    pyspiel.random_sim_test(openspiel.load(name, **SMALL[name]), num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("name", GAMES)
def test_loads_by_its_name_alone(name: str) -> None:
    game = pyspiel.load_game(f"{name}(players=2)")
    assert game.num_players() == 2
    assert game.get_type().short_name == name
    assert pyspiel.load_game(name).num_players() == atlantis_envs.game(name).players
    openspiel.register()  # a second time
    shared = name == "atlantis_rising"
    utility = pyspiel.GameType.Utility
    assert game.get_type().utility == (utility.IDENTICAL if shared else utility.ZERO_SUM)


def test_clones_are_independent_and_states_travel() -> None:
    game = openspiel.load("atlantis", **SMALL["atlantis"])
    state = game.new_initial_state()
    for _ in walk(state, 5, 120):
        pass
    told = state.information_state_string(1)
    twin = state.clone()
    assert twin.position == state.position and twin.information_state_string(1) == told
    twin.apply_action(moves(twin)[0])
    assert twin.position != state.position and state.information_state_string(1) == told
    _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert read.position == state.position and read.position.game == state.position.game
    assert read.information_state_string(1) == told
    assert pickle.loads(pickle.dumps(state)).position == state.position


def twins(state: Any, blind: int) -> tuple[Any, Any] | None:
    """Two futures of a chance node that ``blind`` cannot tell apart, if there are."""
    seen: dict[bytes, Any] = {}
    for move in moves(state):
        twin = state.child(move)
        other = seen.setdefault(twin.position.observation(blind).tobytes(), twin)
        if other is not twin:
            return other, twin
    return None


def test_a_hidden_draw_is_known_to_the_seat_that_drew_alone() -> None:
    state = openspiel.load("atlantis", **SMALL["atlantis"]).new_initial_state()
    pairs = 0
    for _ in walk(state, 7, 200):
        pair = twins(state, 0) if state.is_chance_node() else None
        if pair is not None:
            pairs += 1
            one, other = pair
            assert one.information_state_string(0) == other.information_state_string(0)
            assert one.information_state_tensor(0) == other.information_state_tensor(0)
            owners = [
                seat for seat in (1, 2) if one.information_state_string(seat) != other.information_state_string(seat)
            ]
            assert len(owners) == 1
            assert one.information_state_tensor(owners[0]) != other.information_state_tensor(owners[0])
    assert pairs > 10


def test_recall_is_perfect() -> None:
    """Two cards of the own hand in either order: the same position, but not to the seat that remembers."""
    state = openspiel.load("atlantis", **SMALL["atlantis"]).new_initial_state()
    hand = state.position.game.definition.observation["hand"]
    while state.position.observation(0)[hand : hand + 7].sum() == 0:
        before = state.clone()
        state.apply_action(moves(state)[0])
    ring, amphora = moves(before)[:2]
    one, other = before.child(ring).child(amphora), before.child(amphora).child(ring)
    steps = 0
    for move in walk(one, 1):
        assert one.position == other.position and one.observation_string(0) == other.observation_string(0)
        assert one.information_state_string(0) != other.information_state_string(0)
        assert one.information_state_tensor(0) != other.information_state_tensor(0)
        assert one.information_state_string(1) == other.information_state_string(1)
        other.apply_action(move)
        steps += 1
    assert steps > 50


def test_the_own_actions_are_in_the_information_state() -> None:
    state = openspiel.load("atlantis", **SMALL["atlantis"]).new_initial_state()
    done: list[list[str]] = [[], [], []]
    for move in walk(state, 2, 150):
        if not state.is_chance_node():
            done[state.current_player()].append(state.action_to_string(move))
    assert all(done)
    for seat, own in enumerate(done):
        assert state.information_state_string(seat).endswith(f"did: {', '.join(own)}")


def test_bad_values_are_refused() -> None:
    with pytest.raises(UnknownOptionError, match="tiles"):
        openspiel.load("atlantis", tiles=3)
    with pytest.raises(OptionError, match="players"):
        openspiel.load("atlantis", players=9)
    with pytest.raises(OptionError, match="name"):
        openspiel.load("chess")
    with pytest.raises(OptionError, match="options: 'level=2'"):
        openspiel._unpacked("level=2")
    game = openspiel.load("atlantis", players=2)
    with pytest.raises(ValueError, match="params"):
        game.make_py_observer(None, {"depth": 1})
    public = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    with pytest.raises(ValueError, match="iig_obs_type"):
        game.make_py_observer(public)


def test_runs_in_the_reinforcement_learning_environment() -> None:
    from open_spiel.python import rl_environment
    from open_spiel.python.algorithms import random_agent

    game = openspiel.load("atlandice", players=2)
    env = rl_environment.Environment(game, chance_event_sampler=rl_environment.ChanceEventSampler(seed=4))
    agents = [random_agent.RandomAgent(seat, game.num_distinct_actions()) for seat in range(2)]
    step, decisions = env.reset(), 0
    assert len(step.observations["info_state"][0]) == game.information_state_tensor_size()
    while not step.last():
        step = env.step([agents[step.observations["current_player"]].step(step).action])
        decisions += 1
    assert decisions > 20
    assert step.rewards == env.get_state.returns() and sum(step.rewards) == pytest.approx(0)


def test_monte_carlo_tree_search_plays_a_game() -> None:
    from open_spiel.python.algorithms import mcts

    game = openspiel.load("atlandice", players=2)
    rng = np.random.RandomState(3)
    bot = mcts.MCTSBot(game, 1.4, 4, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    state, searched = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.current_player() == 0 and searched < 6:
            move, searched = bot.step(state), searched + 1
        else:
            move = int(rng.choice(moves(state)))
        assert move in moves(state)
        state.apply_action(move)
    assert searched == 6 and sum(state.returns()) == pytest.approx(0)


# ---- structs, from OpenSpiel 2 on

structs = pytest.mark.skipif(not hasattr(pyspiel, "StateStruct"), reason="OpenSpiel 1 has no structs")


@structs
@pytest.mark.parametrize("name", GAMES)
def test_structs_are_documents_views_and_texts(name: str) -> None:
    game = openspiel.load(name, **SMALL[name])
    state = game.new_initial_state()
    for number, _ in enumerate(walk(state, 3, 90)):
        if number % 9 == 0:
            position = state.position
            assert json.loads(state.to_json()) == state.to_dict() == json.loads(json.dumps(position.to_json()))
            for seat in range(game.num_players()):
                view = position.game.definition.look().view(position, seat)
                assert state.to_observation_struct(seat).to_dict() == json.loads(json.dumps(view))
            again = game.new_initial_state(state.to_struct())
            assert again.position == position and moves(again) == moves(state)
            one = moves(state)[-1]
            said = state.action_to_struct(one)
            assert said.to_dict() == {"action": state.action_to_string(one)}
            assert state.struct_to_actions(said) == [one]


@structs
def test_a_state_that_began_at_a_document_remembers_from_there() -> None:
    game = openspiel.load("atlantis", **SMALL["atlantis"])
    state = game.new_initial_state()
    for _ in walk(state, 1, 150):
        pass
    assert not state.is_terminal()
    begun = game.new_initial_state(state.to_dict())
    before = begun.information_state_string(0)
    for _ in walk(begun, 2, 3):
        pass
    copy = begun.clone()
    assert copy.position == begun.position and copy.information_state_string(0) == begun.information_state_string(0)
    assert begun.information_state_string(0) != before and state.position != begun.position


@structs
def test_what_is_no_document_of_this_game_is_refused() -> None:
    game = openspiel.load("atlandice", players=2)
    other = openspiel.load("atlandice", players=3).new_initial_state()
    with pytest.raises(OptionError, match="allowed: of game"):
        game.new_initial_state(other.to_dict())
    with pytest.raises(PositionError):
        game.new_initial_state({"game": "atlandice"})
