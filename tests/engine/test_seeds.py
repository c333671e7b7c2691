"""A seed for every lane of a batch: it plays the games of a single environment with that seed."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from helpers.support import word

import atlantis_envs
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.single import Single
from atlantis_envs.seats.batch import SeatBatch

SEEDS = [5, 2**64 - 1, 5, 0]
GAME = atlantis_envs.game("atlandice", players=2)


def legal(mask: Any, *address: object) -> int:
    choices = np.flatnonzero(mask)
    return int(choices[word(*address) % len(choices)])


def play(batch: Batch, steps: int) -> int:
    """Legal play in every lane, a function of seed, game and ply; how many games ended."""
    ends = 0
    for _ in range(steps):
        lanes = zip(batch.action_masks, batch.seeds.tolist(), batch.games.tolist(), batch.plies.tolist(), strict=True)
        _, over = batch.step([legal(mask, *address) for mask, *address in lanes])
        ends += int(over.sum())
    return ends


def test_a_lane_plays_games_0_1_2_of_its_own_seed() -> None:
    batch = GAME.batch(4, seed=9)
    batch.reset(seed=SEEDS)
    assert batch.stride == 1 and batch.seeds.tolist() == SEEDS and batch.games.tolist() == [0] * 4
    assert play(batch, 300) > 3
    for lane, seed in enumerate(SEEDS):
        single = Single(GAME)
        for number in range(int(batch.games[lane]) + 1):
            single.start(seed, number)
            ply = 0
            last = number == batch.games[lane]
            while single.seat >= 0 and not (last and ply == batch.plies[lane]):
                single.step(legal(single.mask, seed, number, ply))
                ply += 1
        assert single.position() == batch.position(lane)
    assert batch.states[0] == batch.states[2] and (batch.noise(None) == batch.noise(5))[[0, 2]].all()
    assert batch.noise(None)[1] == batch.noise(SEEDS[1])[1] != batch.noise(5)[1]


def test_copies_keep_the_seeds() -> None:
    batch = GAME.batch(4)
    batch.reset(seed=SEEDS)
    play(batch, 70)
    restored = GAME.batch(4)
    restored.from_arrays(batch.to_arrays(), batch.seeds)
    for twin in (batch.clone(), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch)), restored):
        assert twin.stride == 1 and twin.seeds.tolist() == SEEDS
        other = batch.clone()
        play(twin, 150)
        play(other, 150)
        assert twin.states.tobytes() == other.states.tobytes() and twin.games.tolist() == other.games.tolist()


def test_a_lane_may_begin_with_another_seed() -> None:
    batch = GAME.batch(4)
    with pytest.raises(ValueError, match=r"seeds: .*allowed: after a reset with a seed for every lane"):
        batch.abandon([1], seeds=[3])
    batch.reset(seed=SEEDS)
    play(batch, 20)
    before = batch.states.copy()
    for seeds in ([3, 4], [], [-1], [2**64], [1.0], 3):
        with pytest.raises(ValueError, match="seed"):
            batch.abandon([1], seeds=seeds)
    assert batch.states.tobytes() == before.tobytes() and batch.seeds.tolist() == SEEDS
    batch.abandon([3, 1], seeds=[5, 6])
    assert batch.seeds.tolist() == [5, 6, 5, 5] and batch.games.tolist() == [0] * 4
    fresh = GAME.batch(4)
    fresh.reset(seed=[5, 6, 5, 5])
    assert batch.states[[1, 3]].tobytes() == fresh.states[[1, 3]].tobytes()
    batch.abandon([0])
    assert batch.games.tolist() == [1, 0, 0, 0]
    batch.reset(seed=7)
    assert batch.stride == 4 and batch.games.tolist() == [0, 1, 2, 3] and batch.seeds.tolist() == [7] * 4


@pytest.mark.parametrize("seed", [[1, 2, 3], [1, 2, 3, -1], [[1, 2, 3, 4]], "1234", [1, 2, 3, True], [1, 2, 3, None]])
def test_bad_seeds_change_nothing(seed: Any) -> None:
    batch = GAME.batch(4, seed=1)
    play(batch, 5)
    before = batch.states.tobytes(), batch.games.tolist(), batch.seeds.tolist(), batch.stride
    with pytest.raises(ValueError, match=r"^seed: "):
        batch.reset(seed=seed)
    assert (batch.states.tobytes(), batch.games.tolist(), batch.seeds.tolist(), batch.stride) == before


def test_a_learners_view_is_saved_with_the_seeds() -> None:
    seats, other = SeatBatch(GAME, 4, 0), SeatBatch(GAME, 4, 0)
    seats.reset([4, 3, 2, 1])
    other.reset([1, 2, 3, 4])
    other.from_arrays(seats.to_arrays())
    for step in range(120):
        actions = [legal(mask, step) for mask in seats.masks]
        one, two = seats.step(actions), other.step(actions)
        assert (one.observations == two.observations).all() and (one.rewards == two.rewards).all()
    seats.reset(3)
    with pytest.raises(ValueError, match="seed"):
        other.from_arrays(seats.to_arrays())


@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_events_that_count_as_drawn_are_other_luck_in_their_stream_alone(name: str) -> None:
    game = atlantis_envs.game(name)
    streams = {stream: number for number, stream in enumerate(game.definition.streams)}
    stream, field, apart = {
        "atlandice": ("reveal inn", "tile", "dice"), "atlantis": ("cards, seat 1", "hand", "kind")
    }[name]  # fmt: skip
    plain, other = game.batch(4, 3), game.batch(4, 3)
    other.reset(drawn=[0] * len(streams))
    assert plain.states.tobytes() == other.states.tobytes() and (plain.observations == other.observations).all()
    other.reset(drawn=[7 * (number == streams[stream]) for number in streams.values()])
    assert (plain.states[field] != other.states[field]).any() and (plain.states[apart] == other.states[apart]).all()
    before = other.states.tobytes()
    with pytest.raises(ValueError, match=rf"drawn: .*; allowed: {len(streams)} integers"):
        other.reset(seed=4, drawn=[-1] * len(streams))
    assert other.states.tobytes() == before and other.seed == 3
