"""The batch as pure functions: the games of the batch, and nothing that comes in is changed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.adapters.functional import FunctionalBatch, State
from atlantis_envs.errors import IllegalActionError, OptionError

GAMES = [("atlandice", 3), ("atlantis", 2), ("atlantis_rising", 3)]
KEYS = np.array([0, 7, 2**64 - 1, 7, 12], np.uint64)


def drawn(state: State, rng: np.random.Generator) -> Any:
    """A legal action for every game, and any at all where it is over."""
    return (rng.random(state.legal_action_mask.shape) * state.legal_action_mask).argmax(1)


def equal(one: State, other: State) -> bool:
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("name, players", GAMES)
def test_it_plays_the_games_of_the_batch(name: str, players: int) -> None:
    game = atlantis_envs.game(name, players)
    env, batch, rng = FunctionalBatch(game), game.batch(len(KEYS)), np.random.default_rng(3)
    batch.reset(seed=KEYS)
    state = env.init(KEYS)
    lasting = np.ones(len(KEYS), bool)  # whose first game the batch still plays
    while not state.over.all():
        assert np.array_equal(state.over, ~lasting)
        for ours, theirs in (
            (state.current_player, batch.seats), (state.observation, batch.observations),
            (state.legal_action_mask, batch.action_masks), (state.step_count, batch.plies),
            (state.records, batch.states),
        ):  # fmt: skip
            assert np.array_equal(ours[lasting], theirs[lasting])
        actions, before = drawn(state, rng), state
        batch.step(actions, lanes=np.flatnonzero(lasting))
        state = env.step(state, actions)
        ended = np.flatnonzero(batch.over)
        assert np.array_equal(state.rewards, batch.rewards) and not state.rewards[~lasting].any()
        assert np.array_equal(state.scores[ended], batch.final_scores[ended])
        assert np.array_equal(state.observation[ended], batch.final_observations[ended])
        assert np.array_equal(state.records[ended], batch.final_states[ended])
        assert np.array_equal(state.truncated[ended], batch.truncated[ended])
        assert np.array_equal(state.current_player[ended], before.current_player[ended])
        assert np.array_equal(state.step_count, before.step_count + lasting)
        lasting[ended] = False
    assert state.legal_action_mask.all() and state.rewards.shape == (len(KEYS), players)


@pytest.mark.parametrize("name, players", GAMES)
def test_nothing_that_comes_in_is_changed_and_the_same_gives_the_same(name: str, players: int) -> None:
    env, rng = FunctionalBatch(atlantis_envs.game(name, players)), np.random.default_rng(4)
    state = env.init(KEYS)
    for _ in range(60):
        actions = drawn(state, rng)
        kept, given = pickle.loads(pickle.dumps(state)), actions.copy()
        after = env.step(state, actions)
        assert equal(state, kept) and np.array_equal(actions, given)
        assert equal(after, env.step(state, actions)) and equal(after, env.step(kept, actions))
        assert not any(np.shares_memory(a, b) for a in after for b in state)
        assert not any(array.flags.writeable for array in after)
        state = after


def test_games_that_are_over_stay_as_they_are_and_pay_nothing_more() -> None:
    env, rng = FunctionalBatch(atlantis_envs.game("atlandice", 2)), np.random.default_rng(5)
    state, paid = env.init(KEYS), np.zeros((len(KEYS), 2))
    for _ in range(400):
        state = env.step(state, drawn(state, rng))
        paid += state.rewards
    assert state.over.all() and np.abs(paid).max() == 1 and state.scores.any()
    again = env.step(state, np.full(len(KEYS), -5))
    assert not again.rewards.any() and equal(again, state._replace(rewards=again.rewards))


def test_one_state_branches_into_every_legal_action() -> None:
    env, rng = FunctionalBatch(atlantis_envs.game("atlantis", 3)), np.random.default_rng(6)
    state = env.init(KEYS)
    for _ in range(9):
        state = env.step(state, drawn(state, rng))
    row, action = np.nonzero(state.legal_action_mask)
    fan = env.step(state.rows(row), action)
    assert len(fan.keys) == len(row) > len(KEYS)
    for which in range(0, len(row), 5):
        alone = env.step(state.rows([row[which]]), [action[which]])
        assert equal(alone, fan.rows([which]))
    assert equal(fan.rows(slice(None, None, 3)), fan.rows(np.arange(0, len(row), 3)))
    actions = drawn(state, rng)[::2]  # of arrays that are not contiguous
    assert equal(env.step(state.rows(slice(None, None, 2)), actions), env.step(state.rows([0, 2, 4]), actions))


def test_finished_games_give_way_to_new_ones() -> None:
    env, rng = FunctionalBatch(atlantis_envs.game("atlandice", 2)), np.random.default_rng(7)
    state = env.init(np.arange(30))
    while state.over.sum() < 2 or not state.over[0]:
        state = env.step(state, drawn(state, rng))
    illegal = np.where(state.over, -1, state.legal_action_mask.argmin(1))
    with pytest.raises(IllegalActionError, match=rf"actions\[{state.over.argmin()}\]"):
        env.step(state, illegal)  # the first game that is not over
    over, fresh = state.over, np.arange(100, 100 + state.over.sum())
    renewed = env.renewed(state, fresh)
    assert equal(renewed.rows(over), env.init(fresh)) and equal(renewed.rows(~over), state.rows(~over))
    assert not renewed.over.any() and equal(env.renewed(renewed, []), renewed)
    with pytest.raises(ValueError, match="allowed: 0 seeds, one for each game that is over"):
        env.renewed(renewed, [1])


def test_what_is_wrong_is_named() -> None:
    env = FunctionalBatch(atlantis_envs.game("atlandice", 3))
    with pytest.raises(OptionError, match="game: 'atlandice'; allowed: a Game"):
        FunctionalBatch("atlandice")  # type: ignore[arg-type]
    for keys in (3, [], [[1, 2]]):
        with pytest.raises(ValueError, match=r"keys: .*; allowed: a row of seeds"):
            env.init(keys)
    with pytest.raises(ValueError, match="allowed: an integer 0"):
        env.init([1, -1])
    state = env.init(KEYS)
    illegal = int(np.flatnonzero(~state.legal_action_mask[2])[0])
    legal = drawn(state, np.random.default_rng(8))
    for action in (illegal, -1, 10**6):
        with pytest.raises(IllegalActionError, match=r"actions\[2\]: .*allowed: .*visit inn"):
            env.step(state, [*legal[:2], action, *legal[3:]])
    for actions in (legal[:3], legal * 1.0, None):
        with pytest.raises(IllegalActionError, match="allowed: 5 integer action ids"):
            env.step(state, actions)
    assert equal(state, env.init(KEYS))
    for other in (atlantis_envs.game("atlandice", 2), atlantis_envs.game("atlantis", 3)):
        with pytest.raises(ValueError, match=r"^\w+ is .*; allowed: "):
            env.step(FunctionalBatch(other).init(KEYS), legal)
    with pytest.raises(ValueError, match=r"over is bool \(6,\); allowed: bool \(5,\)"):
        env.step(state._replace(terminated=np.zeros(6, bool), truncated=np.zeros(6, bool)), legal)
    with pytest.raises(ValueError, match=r"plies is int64 \(2,\); allowed: int64 \(5,\)"):
        env.step(state._replace(step_count=state.step_count[:2]), legal)
