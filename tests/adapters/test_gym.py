"""The Gymnasium environments: Gymnasium's own check, and agreement with each other and with SeatBatch."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from helpers.gymnasium_lanes import SEED, choose, same_infos
from helpers.toy_game import toy_game

import atlantis_envs
from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.registry import gymnasium_id
from atlantis_envs.seats.batch import SeatBatch

ENV = "atlantis_envs/Atlandice-v1"


def seat_env(players: int = 3, **settings: Any) -> SeatEnv:
    return SeatEnv("atlandice", players, **settings)


def episode(env: gymnasium.Env[Any, Any], seed: int | None = None) -> list[tuple[Any, ...]]:
    """One game; everything the environment said."""
    observation, info = env.reset(seed=seed)
    told: list[tuple[Any, ...]] = [(observation, info)]
    while True:
        told.append(env.step(choose(info["action_mask"], len(told))))
        info = told[-1][4]
        if told[-1][2]:
            return told


# ---- Gymnasium's own check


TABLES = [*(("atlandice", n) for n in (2, 3, 4)), *(("atlantis", n) for n in (2, 3, 4))]
TABLES += [("atlantis_rising", n) for n in range(1, 8)]


@pytest.mark.parametrize(("name", "players"), TABLES)
@pytest.mark.parametrize("rule", [0, "random", "rotate"])
def test_check_env(name: str, players: int, rule: Any) -> None:
    env = gymnasium.make(gymnasium_id(name), players=players, learner_seat=rule, render_mode="ansi").unwrapped
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    assert [str(warning.message) for warning in caught] == []


def test_a_learner_meets_every_number_of_seats_through_one_space() -> None:
    spaces = set()
    for name, players in TABLES[6:]:
        env = gymnasium.make_vec(
            gymnasium_id(name), num_envs=2, vectorization_mode="vector_entry_point", players=players
        )
        observations, infos = env.reset(seed=SEED)
        assert (infos["learner_seat"] < players).all() and env.observation_space.contains(observations)
        spaces.add(str(env.single_observation_space) + str(env.single_action_space))
    assert len(spaces) == 1


def test_make_plays_without_a_warning() -> None:
    env = gymnasium.make(ENV, players=2)
    assert isinstance(env.unwrapped, SeatEnv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = episode(env, SEED)
    assert told[-1][1] in {-1.0, 0.0, 1.0}
    assert gymnasium.make("atlantis_envs:" + ENV).unwrapped.game.players == 3


# ---- one environment


def test_seeds_matter() -> None:
    env = seat_env()
    told = [episode(env, SEED), episode(env), episode(env)]
    assert not data_equivalence(told[0][0], told[1][0]) and not data_equivalence(told[1][0], told[2][0])
    again = seat_env()
    assert all(data_equivalence(old, episode(again, SEED if n == 0 else None)) for n, old in enumerate(told))
    assert not data_equivalence(episode(again, SEED + 1)[0], told[0][0])
    assert not data_equivalence(seat_env().reset(), seat_env().reset())
    again.reset(seed=SEED)
    again.step(choose(again.action_masks(), 0))
    again.reset()  # given up: the next game all the same
    again.reset()
    assert data_equivalence(episode(again), episode(seat_env_at(3)))
    for seed in (-1, 2**64, True, 1.5):
        with pytest.raises(ValueError, match="seed"):
            again.reset(seed=seed)  # type: ignore[arg-type]


def seat_env_at(number: int) -> SeatEnv:
    """An environment whose next game has this number."""
    env = seat_env()
    for game in range(number):
        env.reset(seed=SEED if game == 0 else None)
    return env


def test_same_as_a_seat_batch(players: int) -> None:
    env = seat_env(players)
    seats = SeatBatch(atlantis_envs.game("atlandice", players=players), 1)
    seats.reset(SEED)
    for number in range(3):
        observation, info = env.reset(seed=SEED if number == 0 else None)
        over = False
        while not over:
            assert observation.tobytes() == seats.observations[0].tobytes()
            assert info["action_mask"].tobytes() == seats.masks[0].tobytes()
            assert info["learner_seat"] == seats.seats[0]
            assert (env.action_masks() == info["action_mask"]).all() and env.action_masks().dtype == np.bool_
            action = choose(info["action_mask"], number)
            result = seats.step([action])
            observation, reward, over, truncated, info = env.step(np.int64(action))
            assert (reward, over, truncated) == (result.rewards[0], result.over[0], False)
            assert type(reward) is float and type(over) is bool
        assert observation.tobytes() == result.final_observations[0].tobytes()
        assert list(info["scores"]) == list(result.final_scores[0]) == env.position().scores()
        assert info["returns"][info["learner_seat"]] == reward
        assert not info["action_mask"].any() and not env.action_masks().any()


def test_no_step_without_a_game() -> None:
    env = seat_env(render_mode="ansi")
    for call in (lambda: env.step(0), env.position, env.render):
        with pytest.raises(ResetNeeded):
            call()
    episode(env, SEED)
    with pytest.raises(ResetNeeded):
        env.step(0)
    assert "node: over" in str(env.render())
    env.reset()
    assert "to decide" in str(env.render())
    with pytest.warns(UserWarning, match="render_mode"):
        assert seat_env().render() is None
    env.close()
    env.close()


@pytest.mark.parametrize("number", [-1, 72, 2**63, -(2**70), None])
def test_illegal_terminates_and_leaves_the_next_game_alone(number: int | None) -> None:
    env = seat_env()
    _, info = env.reset(seed=SEED)
    observation, _, _, _, info = env.step(choose(info["action_mask"], 0))
    position = env.position()
    bad = int(np.flatnonzero(info["action_mask"] == 0)[0]) if number is None else number
    last, reward, terminated, truncated, info = env.step(bad)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, True)
    assert last.tobytes() == observation.tobytes() and env.position() == position
    assert not info["action_mask"].any()
    told = episode(env)
    assert "illegal_action" not in told[-1][4]
    assert data_equivalence(told, episode(seat_env_at(1)))


def test_illegal_raises_if_asked_to() -> None:
    env = seat_env(illegal="raise")
    _, info = env.reset(seed=SEED)
    position = env.position()
    for action in (int(np.flatnonzero(info["action_mask"] == 0)[0]), -1, 72, 2**70):
        with pytest.raises(IllegalActionError):
            env.step(action)
    assert env.position() == position
    env.step(choose(info["action_mask"], 0))


@pytest.mark.parametrize("illegal", ["raise", "terminate"])
@pytest.mark.parametrize("action", [True, 0.0, float("nan"), "0", None, [0], np.array([0]), np.bool_(True)])
def test_what_is_no_action_is_always_refused(illegal: str, action: Any) -> None:
    env = seat_env(illegal=illegal)
    _, info = env.reset(seed=SEED)
    position = env.position()
    with pytest.raises(IllegalActionError):
        env.step(action)
    assert env.position() == position
    env.step(np.array(choose(info["action_mask"], 0)))


def test_arrays_handed_out_never_change() -> None:
    env = seat_env(2)
    kept: list[tuple[Any, bytes]] = []
    for _ in range(2):
        for told in episode(env):
            info = told[-1]
            arrays = [told[0], *(value for value in info.values() if isinstance(value, np.ndarray))]
            kept += [(array, array.tobytes()) for array in arrays]
    assert all(array.tobytes() == content for array, content in kept)


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alike(twin_of: Callable[[Any], Any]) -> None:
    env = seat_env()
    _, info = env.reset(seed=SEED)
    for ply in range(10):
        info = env.step(choose(info["action_mask"], ply))[4]
    twin = twin_of(env)
    for ply in range(400):
        action = choose(info["action_mask"], ply)
        told, twin_told = env.step(action), twin.step(action)
        assert data_equivalence(told, twin_told)
        info = told[4]
        if told[2]:
            info = env.reset()[1]
            twin.reset()


def test_arguments() -> None:
    game = atlantis_envs.game("atlandice", players=2, chain_cap=2)
    assert seat_env(2, chain_cap=2).game == SeatEnv(game).game == game
    assert seat_env(2, data={"needles": {"market": 3}}).game != game
    for settings in ({"players": 2}, {"chain_cap": 2}, {"data": {}}):
        with pytest.raises(OptionError, match="Game object"):
            SeatEnv(game, **settings)
    for settings in (
        {"nonsense": 1},
        {"render_mode": "window"},
        {"flat": 1},
        {"illegal": "?"},
        {"learner_seat": 3},
        {"players": 9},
    ):
        with pytest.raises(OptionError, match=next(iter(settings))):
            SeatEnv("atlandice", **settings)


# ---- many


def test_make_vec() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        envs = gymnasium.make_vec(ENV, num_envs=3, players=2, render_mode="ansi")
    assert isinstance(envs, SeatVectorEnv) and envs.num_envs == 3
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(RuntimeError, match="reset"):
        envs.step([0, 0, 0])
    observations, infos = envs.reset(seed=SEED)
    assert envs.observation_space.contains(observations)
    assert envs.action_space.contains(np.array([choose(mask, 0) for mask in infos["action_mask"]]))
    assert (envs.action_masks() == infos["action_mask"]).all()
    texts = envs.render()
    assert texts is not None and len(texts) == 3
    assert not data_equivalence(envs.reset(seed=SEED + 1)[0], observations)
    assert data_equivalence(envs.reset(seed=SEED), (observations, infos))
    envs.close()
    with pytest.warns(UserWarning, match="render_mode"):
        assert SeatVectorEnv(1, game="atlandice").render() is None


@pytest.mark.parametrize("mistakes", [False, True])
def test_same_as_gymnasiums_own_vector_env(mistakes: bool) -> None:
    """Values, dtypes and info keys of SyncVectorEnv in the same mode, staggered ends and illegal actions included."""
    count = 3
    settings: dict[str, Any] = {"game": "atlandice", "players": 3}
    envs = SeatVectorEnv(count, **settings)
    makers = [lambda: SeatEnv(**settings)] * count
    sync = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.SAME_STEP)
    told, reference = envs.reset(seed=SEED), sync.reset(seed=SEED)
    assert data_equivalence(told[0], reference[0]) and data_equivalence(told[1], reference[1])
    ends = []
    masks = told[1]["action_mask"]
    for step in range(250):
        actions = np.array([choose(mask, step, lane) for lane, mask in enumerate(masks)])
        if mistakes and step % 40 == 39:
            actions[step % count] = 72 if step % 80 == 79 else int(np.flatnonzero(masks[step % count] == 0)[0])
        seen, wanted = envs.step(actions), sync.step(actions)
        assert data_equivalence(seen[0], wanted[0])
        assert (seen[1] == wanted[1]).all() and (seen[2] == wanted[2]).all() and not seen[3].any()
        assert same_infos(seen[4], wanted[4]), (step, seen[4], wanted[4])
        masks = seen[4]["action_mask"]
        ends.append(int(seen[2].sum()))
    assert sum(ends) > count and max(ends) < count


def test_vector_arrays_never_change() -> None:
    envs = SeatVectorEnv(2, game=toy_game(), opponents="random")
    kept: list[tuple[Any, bytes]] = []
    observations, infos = envs.reset(seed=SEED)
    for step in range(40):
        kept += [(observations, observations.tobytes()), (infos["action_mask"], infos["action_mask"].tobytes())]
        actions = [choose(mask, step, lane) for lane, mask in enumerate(infos["action_mask"])]
        observations, rewards, over, truncated, infos = envs.step(actions)
        kept += [(array, array.tobytes()) for array in (rewards, over, truncated)]
        if over.any():
            finals = infos["final_info"]["returns"]
            kept += [(finals, finals.tobytes())]
            kept += [(final, final.tobytes()) for final in infos["final_obs"][over]]
    assert all(array.tobytes() == content for array, content in kept)


def test_vector_illegal_raises_if_asked_to() -> None:
    envs = SeatVectorEnv(2, game="atlandice", players=2, illegal="raise", learner_seat=1)
    _, infos = envs.reset(seed=SEED)
    positions = [envs.position(lane) for lane in range(2)]
    good = [choose(mask, 0) for mask in infos["action_mask"]]
    for actions in ([good[0], -1], np.array(good, float), [True, True], [good[0]]):
        with pytest.raises(IllegalActionError):
            envs.step(actions)
    assert [envs.position(lane) for lane in range(2)] == positions
    envs.step(good)
