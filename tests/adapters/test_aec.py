"""The PettingZoo environment: PettingZoo's own tests, and what they do not look at."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from helpers.support import noise_actions, run_python, scaled, word
from pettingzoo.test import api_test, seed_test

import atlantis_envs
from atlantis_envs import atlandice_v1, atlantis_rising_v2, atlantis_v1
from atlantis_envs.adapters.pettingzoo_env import BoardGameEnv
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import IllegalActionError, OptionError

DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}  # PettingZoo exempts its own games with masks from these two by name
SEED = 20_240_611
FACTORIES = [atlandice_v1.env, atlandice_v1.raw_env]
MODULES = {"atlandice": atlandice_v1, "atlantis": atlantis_v1, "atlantis_rising": atlantis_rising_v2}
TABLES = [
    (name, players)
    for name, least, most in (("atlandice", 2, 4), ("atlantis", 2, 4), ("atlantis_rising", 1, 7))
    for players in range(least, most + 1)
]
every_table = pytest.mark.parametrize(("name", "players"), TABLES)


def table(name: str, players: int, kind: str = "env", **settings: Any) -> BoardGameEnv:
    """An environment of a game, of Atlantis Rising at every level in turn."""
    level = {"level": 1 + players % 5} if name == "atlantis_rising" else {}
    env: BoardGameEnv = getattr(MODULES[name], kind)(players=players, **level, **settings)
    return env


def choose(mask: Any, *address: object) -> int:
    """A legal action that is a function of the address."""
    legal = np.flatnonzero(mask)
    return int(legal[word(*address) % len(legal)])


def started(players: int = 3, plies: int = 0, seed: int = SEED, **settings: Any) -> BoardGameEnv:
    """An environment some decisions into game 0 of a seed; it raises what is illegal, unless asked not to."""
    env = atlandice_v1.env(players=players, **{"illegal": "raise"} | settings)
    env.reset(seed=seed)
    advance(env, plies)
    return env


def advance(env: BoardGameEnv, plies: int) -> None:
    for ply in range(plies):
        env.step(choose(env.infos[env.agent_selection]["action_mask"], env.game_index, ply))


def finish(env: BoardGameEnv) -> list[tuple[Any, ...]]:
    """Play the game to its last None; everything ``last`` said."""
    story = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert observation is not None
        story.append(
            (agent, observation["observation"].tobytes(), info["action_mask"].tobytes(), reward, terminated, truncated)
        )
        env.step(None if terminated else choose(info["action_mask"], env.game_index, len(story)))
    return story


def whole(env: BoardGameEnv) -> tuple[Any, ...]:
    """Everything an environment shows, as plain values."""
    views = {agent: env.observe(agent) for agent in env.possible_agents}
    return (
        env.agents[:],
        env.agent_selection,
        [(view["observation"].tobytes(), view["action_mask"].tobytes()) for view in views.values()],
        dict(env.rewards),
        dict(env._cumulative_rewards),
        dict(env.terminations),
        dict(env.truncations),
        {agent: (sorted(info), info["action_mask"].tobytes()) for agent, info in env.infos.items()},
        env.state().tobytes(),
        env.position().key(),
        env.game_seed,
        env.game_index,
    )


# ---- PettingZoo's own tests


@pytest.mark.parametrize("kind", ["env", "raw_env"])
@every_table
def test_api(name: str, players: int, kind: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(table(name, players, kind), num_cycles=scaled(200, 2000))
    assert {str(warning.message) for warning in caught} == DICT_WARNINGS


@every_table
def test_seeds(name: str, players: int) -> None:
    seed_test(lambda: table(name, players), num_cycles=scaled(200, 2000))


# ---- seeds and games


def test_seeds_and_game_numbers_matter() -> None:
    env = started()
    stories = [finish(env)]
    for _ in range(3):
        env.reset()
        stories.append(finish(env))
    env.reset(seed=SEED + 1)
    stories.append(finish(env))
    assert len({repr(story) for story in stories}) == len(stories)
    env.reset(seed=SEED)
    assert finish(env) == stories[0]
    env.reset()
    advance(env, 5)
    env.reset()  # given up after five decisions: the next number all the same
    assert env.game_index == 2
    assert finish(env) == stories[2]


def test_never_seeded_is_fresh_entropy() -> None:
    seeds = set()
    for _ in range(3):
        env = atlandice_v1.env()
        env.reset()
        assert env.game_index == 0
        first = env.game_seed
        env.reset()
        assert (env.game_seed, env.game_index) == (first, 1)
        seeds.add(first)
    assert len(seeds) == 3


@pytest.mark.parametrize("seed", [True, -1, 2**64, 1.0, "1", np.bool_(True)])
def test_bad_seed_changes_nothing(seed: Any) -> None:
    env = started(plies=7)
    before = whole(env)
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=seed)
    assert whole(env) == before


def test_large_and_numpy_seeds() -> None:
    env = atlandice_v1.env()
    for seed in (2**64 - 1, np.uint64(2**64 - 1), np.int32(5)):
        env.reset(seed=seed)
        assert env.game_seed == int(seed)


def test_same_bytes_as_a_batch(players: int, game: Game) -> None:
    """Game g of a seed is lane g of a batch of that seed: observations, masks, seats, rewards, scores."""
    lanes = 3
    batch = game.batch(lanes, seed=SEED)
    env = atlandice_v1.raw_env(players=players)
    ended = 0
    for lane in range(lanes):
        env.reset(seed=SEED) if lane == 0 else env.reset()
        while True:
            agent = env.agent_selection
            view, _, terminated, _, _ = env.last()
            assert view is not None
            assert env.possible_agents.index(agent) == batch.seats[lane]
            assert view["observation"].tobytes() == batch.observations[lane].tobytes()
            assert view["action_mask"].tobytes() == batch.action_masks[lane].tobytes()
            assert env.position() == batch.position(lane)
            assert not terminated
            action = noise_actions(batch.action_masks[[lane]], batch.noise(1, [lane]))
            rewards, over = batch.step(action, lanes=[lane])
            env.step(int(action[0]))
            assert [np.float32(env.rewards[name]) for name in env.agents] == list(rewards[lane])
            assert all(flag == over[lane] for flag in env.terminations.values())
            if over[lane]:
                mover = env.observe(agent)["observation"]
                assert mover.tobytes() == batch.final_observations[lane].tobytes()
                assert env.position() == batch.final_position(lane)
                assert env.position().scores() == list(batch.final_scores[lane])
                ended += 1
                break
    assert ended == lanes


def test_position_goes_on_with_the_same_chance() -> None:
    env = started(plies=20)
    position = env.position()
    for ply in range(30):
        action = choose(env.infos[env.agent_selection]["action_mask"], ply)
        env.step(action)
        position.apply(action)
        while position.node == "chance":
            position.apply(position.sample_chance())
        assert env.position() == position


# ---- rewards and the end


@pytest.mark.parametrize("kind", ["env", "raw_env"])
@every_table
def test_rewards_are_paid_once(name: str, players: int, kind: str) -> None:
    env = table(name, players, kind, **({"round_limit": 2} if name == "atlantis_rising" else {}))
    for game in range(3 if name == "atlandice" else 1):
        env.reset(seed=SEED + game)
        received = dict.fromkeys(env.possible_agents, 0.0)
        stepped = dict.fromkeys(env.possible_agents, 0.0)
        nones = []
        for ply, agent in enumerate(env.agent_iter()):
            _, reward, terminated, truncated, info = env.last(observe=False)
            assert type(reward) is float and type(terminated) is bool and truncated is False
            received[agent] += reward
            if terminated:
                nones.append(agent)
                env.step(None)
                assert not any(env.rewards.values())
                continue
            assert reward == 0.0
            env.step(choose(info["action_mask"], ply))
            for other, paid in env.rewards.items():
                stepped[other] += paid
        returns = env.position().returns()
        assert list(received.values()) == list(stepped.values()) == returns
        assert any(returns) or sum(returns) == 0.0
        assert name != "atlantis_rising" or returns == [-1.0] * players
        assert nones == env.possible_agents
        assert env.agents == [] == list(env.infos) == list(env.rewards)


def test_nothing_but_none_after_the_end() -> None:
    env = started()
    while not any(env.terminations.values()):
        advance(env, 1)
    before = whole(env)
    for action in (0, False, "x", 0.0):
        with pytest.raises(IllegalActionError, match="None"):
            env.step(action)
    assert whole(env) == before
    for _ in env.possible_agents:
        env.step(None)
    assert env.agents == []
    env.step(None)  # as PettingZoo's order enforcing: a logged warning
    assert env.agents == []
    raw = atlandice_v1.raw_env()
    raw.reset(seed=SEED)
    finish(raw)
    with pytest.raises(IllegalActionError, match="over"):
        raw.step(None)
    env.reset()
    assert env.agents == env.possible_agents


def test_masks_are_zero_for_everybody_else() -> None:
    env = started()
    while env.agents:
        terminated = env.terminations[env.agent_selection]
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            if agent in env.infos:
                assert env.infos[agent]["action_mask"] is mask
            assert mask.any() == (agent == env.agent_selection and not terminated)
            assert mask.dtype == np.int8
        view, _, _, _, info = env.last()
        assert view is not None and view["action_mask"] is info["action_mask"]
        env.step(None if terminated else choose(info["action_mask"], 1))


def test_observe_and_state_are_the_position_any_time() -> None:
    env = started()
    for _ in range(40):
        position = env.position()
        seen = [position.observation(seat) for seat in range(3)]
        for seat, agent in enumerate(env.possible_agents):
            view = env.observe(agent)
            assert view["observation"].tobytes() == seen[seat].tobytes()
            assert env.observation_space(agent).contains(view)
        assert env.state().tobytes() == np.concatenate(seen).tobytes()
        assert env.state_space.contains(env.state())
        advance(env, 1)
    finish(env)
    assert env.observe("player_1")["observation"].tobytes() == env.position().observation(1).tobytes()
    assert env.state_space.contains(env.state())
    with pytest.raises(ValueError, match="player_0, player_1, player_2"):
        env.observe("player_3")


@pytest.mark.parametrize("factory", FACTORIES)
def test_arrays_handed_out_never_change(factory: Callable[..., BoardGameEnv]) -> None:
    env = factory(players=2)
    kept: list[tuple[Any, bytes]] = []
    for _ in range(2):
        env.reset(seed=SEED)
        for agent in env.agent_iter():
            view, _, terminated, _, info = env.last()
            assert view is not None
            others = [env.observe(name) for name in env.possible_agents]
            for array in (info["action_mask"], env.state(), *view.values(), *(v["observation"] for v in others)):
                kept.append((array, array.tobytes()))
            assert env.observe(agent)["observation"] is not view["observation"]
            env.step(None if terminated else choose(info["action_mask"], len(kept)))
    assert all(array.tobytes() == content for array, content in kept)


def test_writing_into_what_was_handed_out_harms_nobody() -> None:
    env, twin = started(), started()
    for ply in range(50):
        view, _, _, _, info = env.last()
        assert view is not None
        action = choose(info["action_mask"], ply)
        for other in env.possible_agents:
            env.observe(other)["observation"][:] = 255
        view["observation"][:] = 255
        view["action_mask"][:] = 1
        illegal = int(np.flatnonzero(twin.infos[twin.agent_selection]["action_mask"] == 0)[0])
        with pytest.raises(IllegalActionError):
            env.step(illegal)
        env.step(action)
        twin.step(action)
        assert env.position() == twin.position()
    env.reset()
    twin.reset()
    assert whole(env) == whole(twin)


# ---- illegal input


def illegal_inputs(mask: Any) -> list[Any]:
    bad = int(np.flatnonzero(mask == 0)[0])
    good = int(np.flatnonzero(mask)[0])
    return [
        bad,
        np.int64(bad),
        np.array(bad),
        -1,
        len(mask),
        2**63,
        2**70,
        -(2**70),
        np.uint64(2**64 - 1),
        True,
        np.bool_(True),
        np.array(True),
        float(good),
        np.float32(good),
        np.array(float(good)),
        float("nan"),
        float("inf"),
        "0",
        str(good),
        b"0",
        None,
        [good],
        (good,),
        np.array([good]),
        np.ma.masked_array(good, mask=True),
        complex(good),
        np.datetime64("2020-01-01"),
        {},
        object(),
    ]


@pytest.mark.parametrize("factory", FACTORIES)
def test_illegal_input_is_refused_and_changes_nothing(factory: Callable[..., BoardGameEnv]) -> None:
    env = factory(illegal="raise")
    env.reset(seed=SEED)
    advance(env, 11)
    mask = env.infos[env.agent_selection]["action_mask"]
    before = whole(env)
    for action in illegal_inputs(mask):
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert whole(env) == before, action
    untouched = started(plies=11)
    advance(env, 5)
    advance(untouched, 5)
    assert whole(env) == whole(untouched)


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int32, np.int64, np.uint64, np.array])
def test_integers_of_every_kind_are_actions(kind: Callable[[int], Any]) -> None:
    env, twin = started(), started()
    for ply in range(15):
        action = choose(env.infos[env.agent_selection]["action_mask"], ply)
        env.step(kind(action))
        twin.step(action)
    assert whole(env) == whole(twin)


@pytest.mark.parametrize("factory", FACTORIES)
def test_illegal_terminate(factory: Callable[..., BoardGameEnv], players: int) -> None:
    env = factory(players=players, illegal="terminate")
    fresh = factory(players=players)
    fresh.reset(seed=SEED)
    fresh.reset()
    for number in (-1, env.game.num_actions, None):
        env.reset(seed=SEED)
        advance(env, 9)
        position, offender = env.position(), env.agent_selection
        mask = env.infos[offender]["action_mask"]
        env.step(int(np.flatnonzero(mask == 0)[0]) if number is None else number)
        assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
        assert all(env.terminations.values()) and not any(env.truncations.values())
        assert [agent for agent, info in env.infos.items() if info.get("illegal_action")] == [offender]
        assert not any(info["action_mask"].any() for info in env.infos.values())
        assert env.position() == position
        paid = {}
        for agent in env.agent_iter():
            paid[agent] = env.last()[1]
            env.step(None)
        assert paid == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
        env.reset()
        assert whole(env) == whole(fresh)
    fresh_story = finish(fresh)
    assert finish(env) == fresh_story


def test_env_ends_the_game_and_raw_env_raises_unless_told_otherwise() -> None:
    illegal = 70
    for factory, settings, raises in (
        (atlandice_v1.env, {}, False),
        (atlandice_v1.raw_env, {}, True),
        (atlandice_v1.env, {"illegal": "raise"}, True),
        (atlandice_v1.raw_env, {"illegal": "terminate"}, False),
        (atlandice_v1.parallel_env, {}, False),
        (atlandice_v1.parallel_env, {"illegal": "raise"}, True),
    ):
        env: Any = factory(**settings)
        env.reset(seed=SEED)
        aec = getattr(env, "aec_env", env)
        mover = aec.agent_selection
        assert not aec.infos[mover]["action_mask"][illegal]
        before = env.position()
        action = {mover: illegal} if aec is not env else illegal
        if raises:
            with pytest.raises(IllegalActionError, match="is not legal"):
                env.step(action)
            assert aec.agent_selection == mover and not any(aec.terminations.values())
        elif aec is env:
            env.step(action)
            assert env.rewards[mover] == -1.0 and all(env.terminations.values())
        else:
            _, rewards, terminations, truncations, infos = env.step(action)
            assert rewards == {name: -1.0 if name == mover else 0.0 for name in env.possible_agents}
            assert all(terminations.values()) and not any(truncations.values()) and infos[mover]["illegal_action"]
        assert env.position() == before


def test_illegal_terminate_still_refuses_what_is_no_action() -> None:
    env = started(illegal="terminate")
    before = whole(env)
    for action in (None, "0", 0.0, True, float("nan"), [0]):
        with pytest.raises(IllegalActionError):
            env.step(action)
        assert whole(env) == before


# ---- copies

COPIES: list[Callable[[Any], Any]] = [copy.deepcopy, copy.copy, lambda env: pickle.loads(pickle.dumps(env))]


@pytest.mark.parametrize("twin_of", COPIES)
def test_copies_keep_game_and_chance(twin_of: Callable[[Any], Any], players: int) -> None:
    for plies in (0, 30):
        env = started(players, plies)
        env.action_space("player_0").seed(3)
        twin = twin_of(env)
        before = whole(twin)
        assert whole(env) == before
        story = finish(env)
        assert whole(twin) == before  # nothing is shared
        assert finish(twin) == story
        assert whole(twin) == whole(env)
        env.reset()
        twin.reset()
        assert finish(twin) == finish(env)
        assert twin.action_space("player_0").sample() == env.action_space("player_0").sample()


@pytest.mark.parametrize("twin_of", COPIES)
def test_copies_of_the_first_and_the_last_moment(twin_of: Callable[[Any], Any]) -> None:
    twin = twin_of(atlandice_v1.env(players=2))
    with pytest.raises(AssertionError, match="reset"):
        twin.step(0)
    twin.reset(seed=SEED)
    while not any(twin.terminations.values()):
        advance(twin, 1)
    late = twin_of(twin)
    assert whole(late) == whole(twin)
    assert finish(late) == finish(twin)


def test_pickle_holds_no_kernels() -> None:
    assert b"numba" not in pickle.dumps(started(plies=5))


# ---- order of calls


@pytest.mark.parametrize("factory", FACTORIES)
def test_before_reset(factory: Callable[..., BoardGameEnv]) -> None:
    env = factory(render_mode="ansi")
    calls: dict[str, Callable[[], Any]] = {
        "step": lambda: env.step(0),
        "observe": lambda: env.observe("player_0"),
        "last": env.last,
        "agent_iter": env.agent_iter,
        "state": env.state,
        "render": env.render,
        "position": env.position,
    }
    for name, call in calls.items():
        with pytest.raises(AssertionError, match=rf"reset\(\) needs to be called before {name}"):
            call()
    for name in ("agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
        with pytest.raises(AttributeError, match="before reset"):
            getattr(env, name)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = env.nonsense
    assert env.max_num_agents == 3


def test_agent_iter_wants_steps() -> None:
    env = started()
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter(9):
            pass
    env.reset()
    assert len([env.step(choose(env.last()[4]["action_mask"], 0)) for _ in env.agent_iter(5)]) == 5
    raw = atlandice_v1.raw_env()
    raw.reset()
    assert list(raw.agent_iter(4)) == [raw.agent_selection] * 4


# ---- set up


def test_spaces_are_the_same_objects_and_fit(players: int) -> None:
    env = started(players)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == env.game.num_actions
        space = env.observation_space(agent)
        assert (space["observation"].dtype, space["action_mask"].dtype) == (np.uint8, np.int8)
        assert np.array_equal(space["observation"].high, env.game.observation_high)
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]


def test_arguments() -> None:
    env = atlandice_v1.env(players=2, clock="C16", chain_cap=3)
    assert env.game == atlantis_envs.game("atlandice", players=2, clock="C16", chain_cap=3)
    for settings in (
        {"players": 5},
        {"nonsense": 1},
        {"illegal": "ignore"},
        {"render_mode": "window"},
        {"illegal": None},
        {"chain_cap": 0},
        {"data": 3},
        {"max_cycles": 0},
        {"max_cycles": 2.0},
        {"max_cycles": True},
        {"flat": 1},
        {"flat": None},
    ):
        with pytest.raises(OptionError, match=next(iter(settings))):
            atlandice_v1.env(**settings)
    env.reset(seed=1, options={"options": 1, "unknown": None})
    assert env.game_index == 0


def test_metadata_names_versions_and_reconstructed_data() -> None:
    env = atlandice_v1.env()
    description = env.game.describe()
    assert str(env) == env.metadata["name"] == "atlandice_v1"
    assert env.metadata["render_modes"] == ["human", "ansi", "rgb_array"] and env.metadata["is_parallelizable"] is False
    assert env.metadata["reconstructed"] == list(description.reconstructed) != []
    assert env.metadata["versions"]["rules"] == description.versions.rules
    assert "atlandice" in repr(env)


@pytest.mark.parametrize("name", MODULES)
def test_the_documentation_names_the_spaces_and_every_piece_and_action(name: str) -> None:
    text = inspect.getdoc(MODULES[name]) or ""
    definition = MODULES[name].env().game.definition
    if name != "atlantis_rising":  # which has a page for them
        assert all(f"{piece.name} ({piece.size})" in text for piece in definition.observation)
        assert all(span in text for span in definition.actions.starts)
    assert f"Discrete({len(definition.actions)})" in text
    assert f"uint8 ({definition.observation.size},)" in text


def test_render() -> None:
    env = started(render_mode="ansi", plies=5)
    text = env.render()
    assert text is not None
    assert f"to decide: seat {env.possible_agents.index(env.agent_selection)}" in text
    assert "jeweler" in text and max(map(len, text.splitlines())) < 160
    finish(env)
    assert "node: over" in str(env.render())
    env.close()
    env.close()
    with pytest.warns(UserWarning, match="render_mode"):
        assert started().render() is None


# ---- other doors


@pytest.mark.parametrize("factory", FACTORIES)
def test_max_cycles_truncates_after_so_many_decisions_a_seat(
    factory: Callable[..., BoardGameEnv], players: int
) -> None:
    env, free = factory(players=players, max_cycles=4), factory(players=players)
    for number in range(2):
        env.reset(seed=SEED) if number == 0 else env.reset()
        free.reset(seed=SEED) if number == 0 else free.reset()
        for ply in range(4 * players):
            assert not any(env.truncations.values())
            advance(env, 1)
            advance(free, 1)
            assert env.position() == free.position(), ply
        assert all(env.truncations.values()) and not any(env.terminations.values())
        assert not any(env.rewards.values()) and not any(info["action_mask"].any() for info in env.infos.values())
        nones = []
        for agent in env.agent_iter():
            _, reward, terminated, truncated, _ = env.last()
            assert (reward, terminated, truncated) == (0.0, False, True)
            nones.append(agent)
            env.step(None)
        assert nones == env.possible_agents


def test_a_game_that_ends_in_time_is_not_truncated() -> None:
    even = paid = 0
    for seed in range(SEED, SEED + 12):
        free, plies = started(2, seed=seed), 0
        while not any(free.terminations.values()):
            advance(free, 1)
            plies += 1
        if plies % 2 == 0:  # the limit is reached with the decision that ends the game
            exact = started(2, seed=seed, max_cycles=plies // 2)
            for _ in range(plies):
                assert not any(exact.terminations.values()) and not any(exact.truncations.values())
                advance(exact, 1)
            assert all(exact.terminations.values()) and exact.rewards == free.rewards
            even, paid = even + 1, paid + any(free.rewards.values())
    assert even > 1 and paid > 0


@pytest.mark.parametrize("factory", FACTORIES)
def test_flat_observations_are_scaled_bytes(factory: Callable[..., BoardGameEnv], players: int) -> None:
    env, twin = factory(players=players, flat=True), factory(players=players)
    high = env.game.observation_high.astype(np.float32)
    env.reset(seed=SEED)
    twin.reset(seed=SEED)
    for agent in twin.possible_agents:
        space = env.observation_space(agent)
        assert (space.shape, space.dtype) == ((env.game.observation_size,), np.float32) and space.high.max() == 1
    while twin.agents:
        for agent in twin.possible_agents:
            seen, wanted = env.observe(agent), twin.observe(agent)["observation"]
            assert seen.dtype == np.float32 and env.observation_space(agent).contains(seen)
            assert (np.rint(seen * high) == wanted).all()
        assert env.state_space.contains(env.state()) and env.state().dtype == np.float32
        seen, reward, terminated, truncated, info = env.last()
        assert (reward, terminated, truncated) == twin.last()[1:4]
        assert info["action_mask"].tobytes() == twin.last()[4]["action_mask"].tobytes()
        action = None if terminated else choose(info["action_mask"], 3)
        env.step(action)
        twin.step(action)


def test_human_prints_the_board_after_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    env = started(render_mode="human")
    shown = [capsys.readouterr().out]
    for _ in range(3):
        advance(env, 1)
        shown.append(capsys.readouterr().out)
    assert all("to decide: seat" in text for text in shown) and len(set(shown)) > 1
    assert env.render() is None and capsys.readouterr().out == shown[-1]


def test_parallel_env_ends_and_can_be_asked_again() -> None:
    env = atlandice_v1.parallel_env(players=2, max_cycles=3)
    with pytest.raises(AssertionError, match="reset"):
        env.step({"player_0": 0})
    observations, infos = env.reset(seed=SEED)
    assert set(observations) == set(infos) == {"player_0", "player_1"}
    told: Any = None
    for ply in range(6):
        assert env.agents == env.possible_agents
        mover = infos["player_0"]["active_agent"]
        assert infos[mover]["action_mask"].any()
        with pytest.raises(IllegalActionError, match="who is to move"):
            env.step({"nobody": 0})
        told = env.step({mover: choose(infos[mover]["action_mask"], ply)})
        infos = told[4]
    assert env.agents == [] and all(told[3].values()) and not any(told[2].values())
    again = env.step({})
    assert again[1] == {"player_0": 0.0, "player_1": 0.0} and again[2:4] == told[2:4]
    assert again[0]["player_0"]["observation"].tobytes() == told[0]["player_0"]["observation"].tobytes()
    with pytest.raises(IllegalActionError, match="over"):
        env.step({"player_0": 0})
    env.reset()
    assert env.agents == env.possible_agents and env.aec_env.game_index == 1
    twin = pickle.loads(pickle.dumps(env))
    assert twin.position() == env.position()


def test_parallel_env() -> None:
    env = atlandice_v1.parallel_env(players=2)
    observations, _ = env.reset(seed=SEED)
    aec = started(2)
    total = dict.fromkeys(env.possible_agents, 0.0)
    ply = 0
    while env.agents:
        agent = aec.agent_selection
        action = choose(observations[agent]["action_mask"], ply)
        observations, rewards, terminations, _, _ = env.step(dict.fromkeys(env.agents, action))
        aec.step(action)
        for name, view in observations.items():
            assert view["observation"].tobytes() == aec.observe(name)["observation"].tobytes()
        for name, reward in rewards.items():
            total[name] += reward
        ply += 1
    assert all(terminations.values())
    assert list(total.values()) == aec.position().returns()


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 has no registry")
def test_pettingzoo_make() -> None:
    env = pettingzoo.make("aec", "atlantis_envs/atlandice-v1", players=2, illegal="terminate")
    assert isinstance(env, BoardGameEnv) and env.game.players == 2
    assert pettingzoo.spec("aec", "atlantis_envs/atlandice").id == "atlantis_envs/atlandice-v1"
    together = pettingzoo.make("parallel", "atlantis_envs/atlandice-v1", players=2, flat=True)
    assert together.game.players == 2 and together.observation_space("player_0").dtype == np.float32


def test_registering_twice_is_quiet() -> None:
    from atlantis_envs.adapters import register_environments

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_environments()


def test_import_is_light() -> None:
    """It loads no compiler and no learner; every import below is done with warnings as errors."""
    found = run_python(
        "-c",
        "import sys, atlantis_envs, gymnasium; assert 'atlantis_envs/Atlandice-v1' in gymnasium.registry;"
        "print([name for name in ('numba', 'torch', 'atlantis_agents', 'pygame', 'scipy') if name in sys.modules])",
    )
    assert (found.stdout.strip(), found.returncode) == ("[]", 0), found.stderr
