"""Atlantis Rising through PettingZoo, Gymnasium, JSON, copies and batches; what is hidden; what is refused."""

from __future__ import annotations

import copy
import json
import pickle
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from helpers import fingerprint
from helpers.atlantis_rising_starts import from_the_gate, from_the_middle, from_the_root
from helpers.support import Walk, moves, noise_actions, play, run_python, scaled, word
from pettingzoo.test import api_test, seed_test

import atlantis_envs
from atlantis_envs import atlantis_rising_v0
from atlantis_envs.adapters.pettingzoo_env import BoardGameEnv
from atlantis_envs.engine.position import Position
from atlantis_envs.play.replay import load_replay, save_replay

ENV = "atlantis_envs/AtlantisRising-v0"
SEED = 20_191_019
FUTURE = 50  # nodes played on from every copy
GAME = atlantis_envs.game("atlantis_rising")
TABLES = range(1, 8)
DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}  # PettingZoo exempts its own games with masks from these two by name


# ---- PettingZoo and Gymnasium


@pytest.mark.parametrize("players", TABLES)
@pytest.mark.parametrize("factory", [atlantis_rising_v0.env, atlantis_rising_v0.raw_env])
def test_api(factory: Callable[..., BoardGameEnv], players: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(factory(players=players, level=1 + players % 5), num_cycles=scaled(150, 2000))
    assert {str(warning.message) for warning in caught} == DICT_WARNINGS


@pytest.mark.parametrize("players", TABLES)
def test_seeds(players: int) -> None:
    seed_test(lambda: atlantis_rising_v0.env(players=players, level=1 + players % 5), num_cycles=scaled(150, 2000))


@pytest.mark.parametrize("players", TABLES)
@pytest.mark.parametrize("rule", [0, "random", "rotate"])
def test_check_env(players: int, rule: Any) -> None:
    env = gymnasium.make(ENV, players=players, learner_seat=rule, render_mode="ansi").unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    assert [str(warning.message) for warning in caught] == []


@pytest.mark.parametrize("players", TABLES)
def test_16_3_everybody_is_paid_the_same_and_only_at_the_end(players: int) -> None:
    env = atlantis_rising_v0.env(players=players, round_limit=2)
    env.reset(seed=SEED)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for ply, agent in enumerate(env.agent_iter()):
        _, reward, terminated, _, info = env.last()
        paid[agent] += reward
        legal = np.flatnonzero(info["action_mask"])
        env.step(None if terminated else int(legal[word(players, ply) % len(legal)]))
    assert list(paid.values()) == env.position().returns() == [-1.0] * players


def test_a_learner_meets_every_number_of_seats_through_one_space() -> None:
    spaces = set()
    for players in TABLES:
        env = gymnasium.make_vec(ENV, num_envs=2, vectorization_mode="vector_entry_point", players=players)
        observations, infos = env.reset(seed=SEED)
        assert (infos["learner_seat"] < players).all() and observations.shape == (2, GAME.observation_size)
        spaces.add(str(env.single_observation_space) + str(env.single_action_space))
    assert len(spaces) == 1


# ---- positions through JSON, copies, batches and replays


def through_json_text(position: Position) -> Position:
    """Read by a game with other options, so that nothing but the text can carry them."""
    return GAME.from_json(json.loads(json.dumps(position.to_json(), sort_keys=True)))


def through_pickle(position: Position) -> Position:
    restored: Position = pickle.loads(pickle.dumps(position))
    return restored


def through_a_batch(position: Position) -> Position:
    return position.game.batch_from_positions([position, position]).position(1)


COPIERS: list[Callable[[Position], Position]] = [
    through_json_text,
    through_pickle,
    Position.clone,
    copy.deepcopy,
    through_a_batch,
]


def scattered(players: int, count: int) -> list[Position]:
    """Positions of random games, some from the root and some from late rounds, at nodes of every kind."""
    found: list[Position] = []
    for number in range(count // 20):
        dice = random.Random(f"{players} {number}")
        make = (from_the_root, from_the_middle, from_the_gate)[number % 3]
        walk = Walk((start := make(players, dice)[0]).game, number)
        walk.place(start.state)
        for _ in range(20):
            assert walk.advance(1 + dice.randrange(25)) == 0
            found.append(walk.position())
    return found


def future(position: Position, number: int) -> bytes:
    """What compiled play makes of a position."""
    walk = Walk(position.game, number)
    walk.place(position.state)
    assert walk.advance(FUTURE) == 0
    return walk.trail()


@pytest.mark.parametrize("players", TABLES)
@pytest.mark.parametrize("copier", COPIERS, ids=lambda copier: copier.__name__)
def test_a_position_returns_with_equal_bytes_and_an_equal_future(
    copier: Callable[[Position], Position], players: int
) -> None:
    for number, position in enumerate(scattered(players, scaled(120, 10_000))):
        before = position.key()
        if copier is through_a_batch and position.node != "decision":
            continue
        again = copier(position)
        assert again == position and again.key() == before and again.game == position.game
        assert future(again, number) == future(position, number)
        assert moves(again) == moves(position)
        if moves(again):
            again.apply(moves(again)[0])
            assert again.key() != before
        assert position.key() == before


@pytest.mark.parametrize("players", TABLES)
def test_a_batch_plays_what_single_positions_play(players: int) -> None:
    game = atlantis_envs.game("atlantis_rising", players=players, level=1 + players % 5)
    batch = game.batch(3, seed=SEED)
    single = game.initial_position()
    single.attach_chance(SEED, 1, np.zeros(len(game.definition.streams), np.uint32))
    for _ in range(scaled(120, 3_000)):
        while single.node == "chance":
            single.apply(single.sample_chance())
        if single.node == "over" or batch.games[1] != 1:
            break
        assert batch.position(1).key() == single.key()
        actions = noise_actions(batch.action_masks, batch.noise(SEED))
        single.apply(game.actions[int(actions[1])])
        batch.step(actions)
    assert len(single.log) > 100


@pytest.mark.parametrize("players", TABLES)
def test_a_replay_plays_the_same_game_again(players: int, tmp_path: Path) -> None:
    game = atlantis_envs.game("atlantis_rising", players=players, hands_open=players % 2 == 0, round_limit=2)
    position = play(game.initial_position(), scaled(250, 100_000), random.Random(players))
    save_replay(tmp_path / "game.jsonl", position)
    again = load_replay(tmp_path / "game.jsonl")
    assert again == position and again.log == position.log
    assert future(again, players) == future(position, players)


# ---- hidden hands (15.2)


@pytest.mark.parametrize("players", range(2, 8))
def test_15_2_a_resampled_position_looks_the_same_to_its_seat(players: int) -> None:
    changed = 0
    for number in range(scaled(6, 200)):
        dice = random.Random(f"closed {players} {number}")
        document = (from_the_middle, from_the_gate)[number % 2](players, dice)[0].to_json()
        document["options"]["hands_open"] = False
        for own in document["seats"]:
            own["shown"] = {card: 1 for card in own["hand"] if dice.random() < 0.2}
        position = GAME.from_json(document)
        for _ in range(25):
            play(position, 1 + dice.randrange(6), dice)
            for seat in range(players):
                twin = position.resample(seat, number)
                assert twin.faults() == [] and (twin.node, twin.seat) == (position.node, position.seat)
                assert twin.observation(seat).tobytes() == position.observation(seat).tobytes()
                assert twin.action_mask(seat).tobytes() == position.action_mask(seat).tobytes()
                assert seat != position.seat or twin.legal_actions() == position.legal_actions()
                assert position.resample(seat, number) == twin
                changed += twin != position
    assert changed > 40 * players


@pytest.mark.parametrize("players", [2, 4, 7])
def test_15_2_no_face_shows_a_seat_what_it_may_not_know(players: int) -> None:
    """Hands, counted from what the PettingZoo face shows: own cards by name, of others their number and shown ones."""
    env = atlantis_rising_v0.env(players=players, hands_open=False)
    env.reset(seed=SEED)
    piece = env.game.definition.observation["hand"]
    width, others_hold = 11, 0
    for ply, agent in enumerate(env.agent_iter(max_iter=scaled(1_200, 20_000))):
        view, _, terminated, _, info = env.last()
        assert view is not None
        if terminated:
            break
        seat = env.possible_agents.index(agent)
        hands = view["observation"][piece : piece + players * width].reshape(players, width)
        for step in range(players):
            held = env.position().to_json()["seats"][(seat + step) % players]
            known = held["hand"] if step == 0 else held["shown"]
            assert hands[step].sum() == sum(known.values())
            others_hold += bool(step and held["hand"])
        legal = np.flatnonzero(info["action_mask"])
        env.step(int(legal[word(players, ply) % len(legal)]))
    assert others_hold > 0


# ---- the same without the compiler


@pytest.mark.parametrize("variable", ["NUMBA_DISABLE_JIT", pytest.param("NUMBA_BOUNDSCHECK", marks=pytest.mark.full)])
def test_the_same_without_the_compiler_and_with_bounds_checked(variable: str) -> None:
    program = "from helpers.fingerprint import atlantis_rising; print(atlantis_rising())"
    done = run_python("-c", program, **{variable: "1"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == fingerprint.atlantis_rising()


def test_the_documentation_says_what_the_spaces_are() -> None:
    text = atlantis_rising_v0.__doc__ or ""
    assert f"uint8 ({GAME.observation_size},)" in text and f"Discrete({GAME.num_actions})" in text
