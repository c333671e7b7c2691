"""The autoreset modes of the vector environment: equal to Gymnasium's SyncVectorEnv of single environments."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from helpers.gymnasium_lanes import SEED, choose, same_infos
from helpers.support import FULL

from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.registry import GAMES

ENV = "atlantis_envs/Atlandice-v1"
COUNT = 3
MODES = tuple(AutoresetMode)
SETTINGS: dict[str, dict[str, Any]] = {
    "atlandice": {"players": 3},
    "atlantis": {"players": 2, "opponents": "heuristic"},
    "atlantis_rising": {"players": 2, "learner_seat": "all", "shaping": 0.5, "discount": 0.9},
}


def pair(mode: AutoresetMode, **settings: Any) -> tuple[SeatVectorEnv, SyncVectorEnv]:
    """Ours, and Gymnasium's of single environments."""
    makers = [lambda: SeatEnv(**settings)] * COUNT
    return SeatVectorEnv(COUNT, autoreset_mode=mode, **settings), SyncVectorEnv(makers, autoreset_mode=mode)


def same(mine: Any, theirs: Any) -> None:
    """What ``reset`` and ``step`` gave."""
    for own, other in zip(mine[:-1], theirs[:-1], strict=True):
        assert own.shape == other.shape and np.allclose(own, other, rtol=1e-6), (own, other)
    assert mine[0].dtype == theirs[0].dtype and same_infos(mine[-1], theirs[-1])


def actions_of(envs: SeatVectorEnv, step: int, mistakes: bool = False) -> np.ndarray[Any, Any]:
    """A legal action where there is one, anything elsewhere; now and then an illegal one."""
    masks = envs.action_masks()
    actions = np.array([choose(mask, step, lane) if mask.any() else 0 for lane, mask in enumerate(masks)])
    if mistakes and step % 50 == 49:
        lane = step // 50 % COUNT
        actions[lane] = int(np.flatnonzero(~masks[lane])[0])
    return actions


def played(
    envs: SeatVectorEnv, sync: SyncVectorEnv, steps: int, mistakes: bool = False
) -> Iterator[tuple[Any, Any, np.ndarray[Any, Any]]]:
    """Steps of both, compared on the way."""
    for step in range(steps):
        masks = envs.action_masks()
        actions = actions_of(envs, step, mistakes)
        mine, theirs = envs.step(actions), sync.step(actions)
        same(mine, theirs)
        yield mine, theirs, masks


@pytest.mark.parametrize("mistakes", [False, True])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP])
def test_same_as_sync_vector_env(mode: AutoresetMode, name: str, mistakes: bool) -> None:
    envs, sync = pair(mode, game=name, **SETTINGS[name])
    same(envs.reset(seed=SEED), sync.reset(seed=SEED))
    ends = before = np.zeros(COUNT, np.int64)
    for mine, _, masks in played(envs, sync, 700, mistakes):
        over = mine[2]
        if mode is AutoresetMode.NEXT_STEP:
            # The end is shown once; the step after it is no decision, is paid nothing, and begins the next game.
            assert not (over & before).any() and not mine[1][before != 0].any()
            assert (masks.any(axis=1) == (before == 0)).all() and not envs.action_masks()[over].any()
        ends, before = ends + over, over
        if ends.min() > 1:
            break
    assert ends.min() > 0
    same(envs.reset(), sync.reset())
    assert len(list(played(envs, sync, 20))) == 20


@pytest.mark.parametrize("mistakes", [False, True])
@pytest.mark.parametrize("name", GAMES)
def test_disabled_same_as_sync_vector_env(name: str, mistakes: bool) -> None:
    envs, sync = pair(AutoresetMode.DISABLED, game=name, **SETTINGS[name])
    same(envs.reset(seed=SEED), sync.reset(seed=SEED))
    resets, ends = 0, np.zeros(COUNT, np.int64)
    for number, (mine, _, _) in enumerate(played(envs, sync, 700, mistakes)):
        over = mine[2].copy()
        ends += over
        if over.any() or number == 59:
            assert not envs.action_masks()[over].any()
            over[0] |= number == 59  # a game that is not over is given up
            same(envs.reset(options={"reset_mask": over}), sync.reset(options={"reset_mask": over.copy()}))
            resets += 1
        if ends.min() > 1:
            break
    assert ends.min() > 0 and resets > 2
    same(envs.reset(), sync.reset())
    same(envs.reset(seed=SEED), sync.reset(seed=SEED))


SEEDS: tuple[Any, ...] = ([7, 7, 2**64 - 1], 2**64 - COUNT, [9, None, 7], None, [None, None, None])


@pytest.mark.parametrize(
    ("name", "seed"),
    [(name, seed) for name in GAMES for seed in SEEDS if FULL or name == "atlandice" or seed == [9, None, 7]],
)
@pytest.mark.parametrize("mode", MODES)
def test_seeds_of_lanes_as_in_sync_vector_env(mode: AutoresetMode, name: str, seed: Any) -> None:
    """Every way to seed, at the start and later, of all lanes and of some, through ends of games."""
    envs, sync = pair(mode, game=name, **SETTINGS[name] | {"flat": True})
    assert envs.single_observation_space == sync.single_observation_space
    same(envs.reset(seed=[3, 1, 3]), sync.reset(seed=[3, 1, 3]))
    mask, ends = np.array([True, True, False]), 0
    for number in range(3):
        for mine, _, _ in played(envs, sync, 300, mistakes=True):
            ends += int(mine[2].sum())
            if mode is AutoresetMode.DISABLED and mine[2].any():
                break
        some = {"reset_mask": mask if number == 1 else mask | True}
        same(
            envs.reset(seed=seed, options=some),
            sync.reset(seed=seed, options={"reset_mask": some["reset_mask"].copy()}),
        )
        if not envs.action_masks().any(axis=1).all():  # the lane left out shows the end of its game
            same(envs.reset(seed=seed), sync.reset(seed=seed))
    assert ends > 2
    same(envs.reset(), sync.reset())
    assert len(list(played(envs, sync, 20))) == 20


def test_equal_seeds_are_equal_games_and_no_seed_is_entropy() -> None:
    envs = SeatVectorEnv(3, game="atlandice", learner_seat=0)
    seen, _ = envs.reset(seed=[8, 9, 8])
    assert (seen[0] == seen[2]).all() and (seen[0] != seen[1]).any()
    one, _ = SeatEnv("atlandice", learner_seat=0).reset(seed=9)
    assert (seen[1] == one).all()
    twin = SeatVectorEnv(3, game="atlandice", learner_seat=0)
    drawn = {twin.reset(seed=None if number else [None] * 3)[0].tobytes() for number in range(3)}
    assert len(drawn) == 3 and len(set(twin._seats.batch.seeds.tolist())) == 3


@pytest.mark.parametrize("mode", MODES)
def test_some_lanes_may_begin_anew_in_every_mode(mode: AutoresetMode) -> None:
    envs, sync = pair(mode, game="atlandice", players=2)
    same(envs.reset(seed=SEED), sync.reset(seed=SEED))
    mask = np.array([True, False, True])
    for _ in range(3):
        assert len(list(played(envs, sync, 4))) == 4
        before = envs.position(1)
        told = envs.reset(options={"reset_mask": mask})
        same(told, sync.reset(options={"reset_mask": mask.copy()}))
        assert envs.position(1) == before and told[1]["_action_mask"].tolist() == mask.tolist()
        assert (told[1]["action_mask"] == envs.action_masks()).all()


def test_an_end_is_shown_until_its_lane_is_reset() -> None:
    envs = SeatVectorEnv(COUNT, game="atlandice", players=2, autoreset_mode="Disabled", render_mode="ansi")
    envs.reset(seed=SEED)
    told: Any = None
    for step in range(400):
        told = envs.step(actions_of(envs, step))
        if told[2].any():
            break
    (over,) = np.nonzero(told[2])
    with pytest.raises(ResetNeeded, match=rf"over in lanes {over[0]}; call reset\(options={{'reset_mask'"):
        envs.step(np.zeros(COUNT, np.int64))
    assert envs.position(int(over[0])).node == "over" and "over" in envs.render()[over[0]]
    elsewhere = ~told[2]
    again, infos = envs.reset(options={"reset_mask": elsewhere})
    assert (again[over] == told[0][over]).all() and not infos["action_mask"][over].any()
    with pytest.raises(ResetNeeded, match="over in lanes"):
        envs.step(np.zeros(COUNT, np.int64))
    envs.reset(options={"reset_mask": told[2]})
    assert envs.position(int(over[0])).node != "over"
    envs.step(actions_of(envs, 0))


@pytest.mark.parametrize("mode", MODES)
def test_make_vec_passes_the_mode_and_no_array_changes_later(mode: AutoresetMode) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs: Any = gymnasium.make_vec(ENV, num_envs=2, players=2, autoreset_mode=mode)
    assert isinstance(envs, SeatVectorEnv) and envs.metadata["autoreset_mode"] is mode
    envs.reset(seed=SEED)
    kept = []
    for step in range(150):
        told = envs.step(actions_of(envs, step))
        arrays = [*told[:4], told[4]["action_mask"], told[4]["learner_seat"]]
        kept += [(array, array.tobytes()) for array in arrays]
        if mode is AutoresetMode.DISABLED and told[2].any():
            again, infos = envs.reset(options={"reset_mask": told[2]})
            kept += [(array, array.tobytes()) for array in (again, infos["action_mask"])]
    assert len(kept) >= 900 and all(array.tobytes() == content for array, content in kept)


def test_what_is_no_mask_is_refused_and_moves_nothing() -> None:
    envs = SeatVectorEnv(2, game="atlandice", autoreset_mode=AutoresetMode.DISABLED)
    first = np.array([True, False])
    with pytest.raises(ResetNeeded, match="allowed: all lanes, the first time"):
        envs.reset(options={"reset_mask": first})
    told = envs.reset(seed=SEED, options={"reset_mask": ~first | first})
    assert data_equivalence(envs.reset(seed=SEED, options={"other": 1}), told)
    bad: list[tuple[type[Exception], Any]] = [
        (TypeError, [True, False]), (TypeError, None), (TypeError, np.array([1, 0])),
        (ValueError, np.array([True])), (ValueError, np.zeros(2, np.bool_)),
    ]  # fmt: skip
    for error, mask in bad:
        with pytest.raises(error, match=r"^options\['reset_mask'\]: .*; allowed: a NumPy array of bool, shape \(2,\)"):
            envs.reset(options={"reset_mask": mask})
    top = 2**64 - 1
    for seed in ([1], [1, 2, 3], [], -1, top, [1, -1], [1, top + 1], [True, 2], 0.5, "12", [None]):
        with pytest.raises(ValueError, match=r"^seed: .*; allowed: "):
            envs.reset(seed=seed)
        with pytest.raises(ValueError, match=r"^seed: .*; allowed: "):
            envs.reset(seed=seed, options={"reset_mask": first})
    with pytest.raises(IllegalActionError):
        envs.step([0.5, 1])
    assert (envs.action_masks() == told[1]["action_mask"]).all()
    for mode in ("nextstep", "next_step", 3, None):
        with pytest.raises(OptionError, match=r"autoreset_mode: .*; allowed: 'NEXT_STEP', 'NextStep', 'SAME_STEP'"):
            SeatVectorEnv(2, game="atlandice", autoreset_mode=mode)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_mode_may_be_given_by_name_or_value(mode: AutoresetMode) -> None:
    for given in (mode, mode.name, mode.value):
        envs = SeatVectorEnv(1, game="atlandice", autoreset_mode=given)
        assert envs.metadata["autoreset_mode"] is mode
