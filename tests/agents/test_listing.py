"""Legal actions read eight at a time are those read one by one; choices at a glance are those of an observation."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers.support import noise_actions, scaled

import atlantis_envs
from atlantis_agents.heuristic import find_heuristic, heuristic_names
from atlantis_agents.heuristics import UNSEEN, Heuristic, list_legal, marks, some
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.records import packed, records
from atlantis_envs.kernels.copying import eight
from atlantis_envs.kernels.kernel import entry

SEED, LANES, MOST, LIKED = 5, 24, 40, 2.5
WORK = packed([("legal", np.int64, (MOST,)), ("score", np.float64, (MOST,))])
WITH_FAST_DECIDE = [name for name in heuristic_names() if find_heuristic(name).fast_decide is not None]


@entry
def listed(work, mask):  # type: ignore[no-untyped-def]
    """Reach ``list_legal`` from Python."""
    return list_legal(work[0], mask, LIKED)


@entry
def looked_at(row, at):  # type: ignore[no-untyped-def]
    """Reach ``eight``, ``marks`` and ``some`` from Python."""
    word = eight(row, at)
    return word, marks(word), some(row, at, at + 8)


@pytest.mark.parametrize("length", [3, 8, 13, 40])
@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_the_legal_actions_are_those_that_are_not_0(length: int, share: float) -> None:
    generator = np.random.default_rng(length)
    for _ in range(scaled(20, 200)):
        mask = generator.integers(-128, 128, length).astype(np.int8) * (generator.random(length) < share)
        work = records(1, WORK)
        wanted = np.flatnonzero(mask)
        assert listed(work, mask.astype(np.int8)) == len(wanted)
        assert work.legal[0, : len(wanted)].tolist() == wanted.tolist()
        scored = np.zeros(MOST)
        scored[wanted] = LIKED
        assert np.array_equal(work.score[0], scored)


def test_eight_bytes_are_one_number() -> None:
    generator = np.random.default_rng(SEED)
    for kind in (np.int8, np.uint8):
        row = (generator.integers(0, 256, 30) * (generator.random(30) < 0.4)).astype(np.uint8).view(kind)
        for at in range(23):
            word, marked, found = looked_at(row, at)
            taken = row[at : at + 8].view(np.uint8)
            assert word == int.from_bytes(taken.tobytes(), "little", signed=True)
            assert marked == sum(1 << 8 * place for place in range(8) if taken[place] != 0)
            assert found == bool(taken.any())


@cache
def make_both(game: Game, heuristic: Heuristic) -> Any:
    """Every row twice: by a glance and, where that is not enough, an observation; and by the observation."""
    observe, decide, fast_decide = game.definition.observe, heuristic.decide, heuristic.fast_decide
    decide_rest: Any = heuristic.decide_rest

    @entry
    def both_loop(rules, states, seats, weights, work, other, observation, masks, noise, ids):  # type: ignore[no-untyped-def]
        unseen = 0
        for row in range(len(noise)):
            observation[:] = 255  # a glance has none
            ids[0, row] = fast_decide(rules[0], states[row], work, masks[row], noise[row])
            if ids[0, row] == UNSEEN:
                unseen += 1
                observe(rules[0], states[row], seats[row], observation)
                ids[0, row] = decide_rest(weights[0], work, observation, masks[row], noise[row])
            observe(rules[0], states[row], seats[row], observation)
            ids[1, row] = decide(weights[0], other, observation, masks[row], noise[row])
        return unseen

    return both_loop


@pytest.mark.parametrize("name", WITH_FAST_DECIDE)
@pytest.mark.parametrize("players", [1, 2, 4])
@pytest.mark.parametrize("lanes", [1, LANES])
def test_a_glance_gives_what_an_observation_does(name: str, players: int, lanes: int) -> None:
    """A game alone, as in a rollout, where one decision may use what the last one found out, and many in turn."""
    if players == 1 and name != "atlantis_rising":
        pytest.skip("nobody plays it alone")
    game, heuristic = atlantis_envs.game(name, players=players), find_heuristic(name)
    batch, steps, unseen = Batch(game, lanes, seed=SEED), scaled(1500 // lanes, 6000 // lanes), 0
    work, other = (records(heuristic.scratch_records, heuristic.scratch_dtype) for _ in range(2))
    weights = heuristic.weights_for(players)
    for step in range(steps):
        noise, ids = batch.noise(SEED), np.zeros((2, lanes), np.int64)
        observation, masks = np.zeros(game.observation_size, np.uint8), batch.action_masks
        unseen += make_both(game, heuristic)(
            game.plain_rules, batch.states, batch.seats, weights, work, other, observation, masks, noise, ids
        )
        assert np.array_equal(ids[0], ids[1])
        batch.step(ids[0] if step % 7 else noise_actions(masks, noise))
    assert 0.1 < unseen / (steps * lanes) < 0.99
