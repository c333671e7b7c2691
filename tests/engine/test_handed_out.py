"""Nobody is believed who writes into arrays that were handed out: a step believes what it keeps to itself.

In every face everything handed out is written over, through NumPy and through torch, which asks nobody. After that
illegal actions are refused as before, and legal ones lead to the same bytes as in a twin that nobody touched.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from helpers.support import noise_actions

import atlantis_envs
from atlantis_envs.adapters.functional import FunctionalBatch
from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.adapters.pettingzoo_env import make_env
from atlantis_envs.engine.records import read_only, records
from atlantis_envs.engine.single import Single
from atlantis_envs.errors import IllegalActionError
from atlantis_envs.seats.batch import SeatBatch

GAMES = ("atlandice", "atlantis", "atlantis_rising")
LANES, STEPS = 3, 40
PUBLIC = (
    "games", "plies", "seats", "observations", "action_masks", "rewards", "over", "truncated", "final_observations",
    "final_scores",
)  # fmt: skip


def with_numpy(array: np.ndarray[Any, Any]) -> None:
    """Write ones, where NumPy lets itself be asked to: into the array, or whatever it is a view of."""
    while isinstance(array, np.ndarray):
        try:
            array.flags.writeable = True
            array[...] = 1
        except ValueError:
            pass
        array = array.base  # type: ignore[assignment]


def with_torch(array: np.ndarray[Any, Any]) -> None:
    """Write ones through a tensor over the same memory."""
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.from_numpy(array).fill_(1)


WAYS = pytest.mark.parametrize("write", [with_numpy, with_torch], ids=["numpy", "torch"])
Write = Callable[[Any], None]


def arrays_in(told: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Every array of numbers in what a call returned."""
    if isinstance(told, np.ndarray):
        if told.dtype == object:
            for item in told.ravel():
                yield from arrays_in(item)
        elif told.dtype.names is None and told.size and told.ndim:
            yield told
    elif isinstance(told, dict):
        for item in told.values():
            yield from arrays_in(item)
    elif isinstance(told, (list, tuple)):
        for item in told:
            yield from arrays_in(item)


def scribbled(write: Write, *told: Any) -> None:
    for array in arrays_in(told):
        write(array)


def illegal_in(mask: np.ndarray[Any, Any]) -> int:
    return int((np.asarray(mask) == 0).argmax())


@WAYS
@pytest.mark.parametrize("name", GAMES)
def test_a_batch(name: str, write: Write) -> None:
    game = atlantis_envs.game(name)
    batch, twin = (game.batch(LANES, seed=8) for _ in range(2))
    for step in range(STEPS):
        actions, bad = noise_actions(twin.action_masks, twin.noise(0)), illegal_in(twin.action_masks[1])
        scribbled(write, [getattr(batch, name) for name in PUBLIC], batch.seeds, batch.to_arrays())
        assert np.array_equal(batch.noise(0), twin.noise(0))
        assert np.array_equal(batch.random_words(np.arange(LANES), [3]), twin.random_words(np.arange(LANES), [3]))
        for key, array in batch.to_arrays().items():
            if key not in ("rewards", "over", "truncated", "final_observations", "final_scores"):
                assert np.array_equal(array, twin.to_arrays()[key]), key
        with pytest.raises(IllegalActionError, match=r"actions\[1\]"):
            batch.step([actions[0], bad, actions[2]])
        if step % 10 == 5:
            scribbled(write, [getattr(batch, name) for name in PUBLIC])
            batch.abandon([2]), twin.abandon([2])
            continue
        batch.step(actions), twin.step(actions)
        for key, array in twin.to_arrays().items():
            if not key.startswith("final") and key != "truncated":
                assert np.array_equal(batch.to_arrays()[key], array), key
        for key in ("games", "plies", "seats", "observations", "action_masks"):
            if key != "games":
                assert np.array_equal(getattr(batch, key), getattr(twin, key)), key
        assert all(batch.position(lane).check() == 0 for lane in range(LANES))
    again = batch.clone()
    assert np.array_equal(again.noise(0), twin.noise(0)) and np.array_equal(again.action_masks, twin.action_masks)


@pytest.mark.parametrize("name", GAMES)
def test_numpy_does_not_write_to_what_kernels_trust(name: str) -> None:
    game = atlantis_envs.game(name)
    batch, position = game.batch(2, seed=1), game.batch(1, seed=1).position(0)
    state = FunctionalBatch(game).init([1, 2])
    for handed in (batch.states, batch.final_states, position.state, state.records, game.rules, game.root,
                   batch.action_masks, batch.seats, game.observation_high):  # fmt: skip
        before = handed.tobytes()
        views = [handed, handed.view(np.ndarray), np.asarray(handed), handed[:1], handed.view(np.uint8)]
        base = handed.base
        while isinstance(base, np.ndarray):
            views.append(base)
            base = base.base
        for view in views:
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                view.flags.writeable = True
        with pytest.raises((BufferError, TypeError)):
            memoryview(base).cast("B")[0] = 1  # type: ignore[arg-type]
        assert handed.tobytes() == before


def test_a_read_only_array_sees_what_its_owner_writes_and_outlives_it() -> None:
    own = records(3, np.dtype([("a", np.int64), ("b", np.int8, (8,))]))
    seen = read_only(own)
    own.b[1] = 7
    assert seen.b[1].tolist() == [7] * 8 and seen.dtype == own.dtype and isinstance(seen, np.recarray)
    del own
    assert seen.b[1].tolist() == [7] * 8 and seen.copy().flags.writeable
    assert read_only(np.zeros((0, 4))).shape == (0, 4)
    with pytest.raises(ValueError, match=r"array: strides .*allowed: C-contiguous"):
        read_only(np.zeros((4, 4))[:, ::2])


@WAYS
@pytest.mark.parametrize("name", GAMES)
def test_games_seen_from_one_seat(name: str, write: Write) -> None:
    game = atlantis_envs.game(name)
    seats, twin = (SeatBatch(game, LANES, opponents="heuristic") for _ in range(2))
    told: Any = (seats.reset(5), twin.reset(5))
    for _ in range(STEPS):
        actions, bad = noise_actions(twin.masks, twin.batch.noise(0)), illegal_in(twin.masks[0])
        public = [getattr(seats.batch, name) for name in PUBLIC]
        scribbled(write, seats.seats, seats.sitting, seats.lengths, seats.masks, seats.observations, told, public)
        scribbled(write, seats.to_arrays())
        with pytest.raises(IllegalActionError):
            seats.step([bad, *actions[1:]])
        told, wanted = seats.step(actions), twin.step(actions)
        for array, other in zip(told, wanted, strict=True):
            assert np.array_equal(array, other)
        assert np.array_equal(seats.sitting, twin.sitting) and np.array_equal(seats.lengths, twin.lengths)
        told = [np.array(array) for array in told]


@WAYS
@pytest.mark.parametrize("mode", ["SAME_STEP", "NEXT_STEP"])
def test_gymnasium_vector(mode: str, write: Write) -> None:
    env, twin = (
        SeatVectorEnv(LANES, game="atlandice", illegal="raise", autoreset_mode=mode, opponents="heuristic")
        for _ in range(2)
    )
    told, (_, infos) = env.reset(seed=3), twin.reset(seed=3)
    for step in range(STEPS):
        mask = infos["action_mask"].copy()
        resting = ~mask.any(axis=1)
        actions = [int(row.argmax()) if step % 2 else int(len(row) - 1 - row[::-1].argmax()) for row in mask]
        scribbled(write, told, env.action_masks())
        if not resting[0]:
            with pytest.raises(IllegalActionError):
                env.step([illegal_in(mask[0]), *actions[1:]])
        told, wanted = env.step(actions), twin.step(actions)
        infos = wanted[4]
        for array, other in zip(arrays_in(told), arrays_in(wanted), strict=True):
            assert np.array_equal(array, other)


@WAYS
def test_gymnasium(write: Write) -> None:
    env, twin = (SeatEnv("atlantis", illegal="raise", opponents="heuristic") for _ in range(2))
    told, wanted = env.reset(seed=3), twin.reset(seed=3)
    for _ in range(STEPS):
        mask = wanted[-1]["action_mask"].copy()
        if not mask.any():
            told, wanted = env.reset(), twin.reset()
            continue
        scribbled(write, told, env.action_masks())
        with pytest.raises(IllegalActionError):
            env.step(illegal_in(mask))
        told, wanted = env.step(int(mask.argmax())), twin.step(int(mask.argmax()))  # type: ignore[assignment]
        for array, other in zip(arrays_in(told), arrays_in(wanted), strict=True):
            assert np.array_equal(array, other)


@WAYS
def test_stable_baselines3(write: Write) -> None:
    pytest.importorskip("stable_baselines3")
    from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv

    env, twin = (SeatVecEnv(atlantis_envs.game("atlantis"), LANES, opponents="heuristic") for _ in range(2))
    told, wanted = env.reset(), twin.reset()
    for _ in range(STEPS):
        mask = twin.action_masks()
        scribbled(write, told, env.action_masks(), env.env_method("action_masks"), env.core.seats, env.core.sitting)
        with pytest.raises(IllegalActionError):
            env.step(np.array([illegal_in(mask[0]), *mask[1:].argmax(axis=1)]))
        told, wanted = env.step(mask.argmax(axis=1)), twin.step(mask.argmax(axis=1))  # type: ignore[assignment]
        assert all(np.array_equal(a, b) for a, b in zip(arrays_in(told), arrays_in(wanted), strict=True))
        scribbled(write, tuple(env.played))


@WAYS
@pytest.mark.parametrize("name", GAMES)
def test_pettingzoo(name: str, write: Write) -> None:
    env, twin = (make_env(name, 0, illegal="raise") for _ in range(2))
    env.reset(seed=4), twin.reset(seed=4)
    for _ in range(STEPS):
        agent = twin.agent_selection
        mask = twin.observe(agent)["action_mask"].copy()
        if not mask.any():
            break
        scribbled(write, env.last(), [env.observe(each) for each in env.agents], env.infos, env.state())
        with pytest.raises(IllegalActionError):
            env.step(illegal_in(mask))
        env.step(int(mask.argmax())), twin.step(int(mask.argmax()))
        assert env.position() == twin.position() and env.agent_selection == twin.agent_selection
        assert env.position().check() == 0


@WAYS
def test_one_game(write: Write) -> None:
    single, twin = (Single(atlantis_envs.game("atlantis")) for _ in range(2))
    single.start(1, 0), twin.start(1, 0)
    for _ in range(STEPS):
        mask = twin.mask
        write(single.mask), write(single.observation)
        assert single.step(illegal_in(mask)) < -2
        assert single.step(int(mask.argmax())) == twin.step(int(mask.argmax()))
        assert np.array_equal(single.mask, twin.mask) and np.array_equal(single.observation, twin.observation)


@WAYS
def test_pure_functions(write: Write) -> None:
    env = FunctionalBatch(atlantis_envs.game("atlandice"))
    state, twin = env.init([1, 2, 3]), env.init([1, 2, 3])
    for _ in range(STEPS):
        mask = twin.legal_action_mask.copy()
        if twin.over.any():
            break
        write(state.legal_action_mask), write(state.current_player), write(state.observation)
        with pytest.raises(IllegalActionError):
            env.step(state, [illegal_in(mask[0]), *mask[1:].argmax(axis=1)])
        state, twin = env.step(state, mask.argmax(axis=1)), env.step(twin, mask.argmax(axis=1))
        for array, other in zip(state, twin, strict=True):
            assert np.array_equal(array, other)


@pytest.mark.parametrize("seats", [[0, 3, 0], [-1, 0, 0], [0, 0]])
def test_seats_that_do_not_exist_are_refused(seats: list[int]) -> None:
    batch = atlantis_envs.game("atlandice", players=3).batch(LANES, seed=1)
    for call in (lambda: batch.potentials(np.array(seats)), lambda: batch.observe_final(np.array(seats), [0])):
        with pytest.raises(ValueError, match=r"seats: .*allowed: 3 integers 0\.\.2"):
            call()
    with pytest.raises(ValueError, match=r"lanes: .*allowed: distinct integers 0\.\.2"):
        batch.observe_final(np.zeros(LANES, np.int8), np.array([5]))


# ------------------------------------------------------------------------------------------------------- games


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
def test_a_game_never_changes(name: str) -> None:
    """One game is handed to everybody who asks for it with the same options."""
    game = atlantis_envs.game(name)
    before = dict(game.__dict__)
    for change in ("players", "options", "rules", "loops", "something_new"):
        with pytest.raises(AttributeError, match=f"{change}: a game never changes"):
            setattr(game, change, 7)
    with pytest.raises(AttributeError, match="players: a game never changes"):
        del game.players
    with pytest.raises(FrozenInstanceError):
        game.options.players = 7
    again = atlantis_envs.game(name)
    assert again.players == before["players"] and again.options == before["options"]
    assert pickle.loads(pickle.dumps(game)) == game and game.observation_high is game.observation_high
