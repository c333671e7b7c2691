"""The public names, types, shapes and promises that others build on: they change with a version or not at all."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import json
import random
from typing import Any

import numpy as np
import parity
import pytest
from helpers.support import noise_actions, play, run_python, scattered, snapshot, to_decision

import atlantis_envs
from atlantis_envs import atlandice_v1, errors
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position

OBSERVATION_BUDGET = 512


# ---- the package


def test_the_package_lists_its_games() -> None:
    assert "atlandice" in atlantis_envs.game_names() and atlantis_envs.game("atlandice").players == 3
    assert isinstance(atlantis_envs.__version__, str)
    functions = {"__version__", "analyse", "animate", "game", "game_names", "make_agent", "replay_html"}
    assert set(atlantis_envs.__all__) == functions | {"Batch", "Game", "Position", "SeatBatch"}
    assert set(atlantis_envs.__all__) < set(dir(atlantis_envs))
    assert all(getattr(atlantis_envs, name) is not None for name in dir(atlantis_envs))


def test_authors_of_games_need_one_import() -> None:
    from atlantis_envs import authoring

    assert dir(authoring) == sorted(authoring.__all__) and len(set(authoring.__all__)) == len(authoring.__all__)
    assert {"Definition", "Field", "Layout", "Texts", "kernel", "option", "packed", "Vocabulary"} <= set(dir(authoring))
    assert all(getattr(authoring, name) is not None for name in dir(authoring))
    assert atlantis_envs.authoring is authoring


def test_importing_the_package_loads_no_compiler_no_learner_and_no_agents() -> None:
    code = "import sys, atlantis_envs; dir(atlantis_envs); print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = set(run_python("-c", code).stdout.split())
    heavy = {"numba", "torch", "stable_baselines3", "sb3_contrib", "atlantis_agents", "atlantis_training"}
    assert "atlantis_envs" in loaded and not loaded & heavy


def test_a_game_shows_its_public_names_alone() -> None:
    names = dir(atlantis_envs.game("atlandice"))
    assert {"batch", "from_json", "describe", "actions", "players"} <= set(names)
    assert not {"loops", "calls", "for_batches", "plain_rules", "root"} & set(names)


def test_a_position_is_read_from_json_text() -> None:
    game = atlantis_envs.game("atlandice")
    position = game.initial_position()
    text = json.dumps(position.to_json())
    for given in (text, text.encode(), bytearray(text.encode())):
        assert game.from_json(given) == position
    for broken in ("", "{", '{"a": 1, "a": 2}', "NaN", b"\xff", "[" * 100_000, " " * (16 * 2**20 + 1)):
        with pytest.raises(errors.PositionError, match="JSON"):
            game.from_json(broken)


@pytest.mark.parametrize("name", ["env", "raw_env", "parallel_env"])
def test_help_says_the_arguments(name: str) -> None:
    said = inspect.getdoc(getattr(atlandice_v1, name)) or ""
    parameters = {*atlandice_v1.Keywords.__annotations__, "players"}
    assert all(f"    {parameter} (" in said for parameter in parameters)
    assert said.count("Default:") == len(parameters) and "number of seats, 2..4. Default: 3." in said


def test_the_signature_of_game_and_batch() -> None:
    assert list(inspect.signature(atlantis_envs.game).parameters) == ["name", "players", "data", "options"]
    parameters = inspect.signature(Game.batch).parameters
    assert list(parameters) == ["self", "num_games", "seed", "threads"]
    assert (parameters["seed"].default, parameters["threads"].default) == (0, 1)
    assert list(inspect.signature(Batch.step).parameters) == ["self", "actions", "lanes", "copy"]
    assert list(inspect.signature(Batch.reset).parameters) == ["self", "seed", "games", "drawn"]


# ---- Game


def test_what_a_game_offers(game: Game, players: int) -> None:
    assert game.players == players and type(game.players) is int
    assert type(game.actions) is tuple and all(type(text) is str for text in game.actions)
    assert len(game.actions) == game.num_actions == 72 == len(set(game.actions))
    assert len(game.outcomes) == len(set(game.outcomes)) == 15 + 4 + 6 + 6
    assert game.observation_high.dtype == np.uint8
    assert game.observation_high.shape == (game.observation_size,)
    assert 0 < game.observation_size <= OBSERVATION_BUDGET
    assert not game.observation_high.flags.writeable and game.observation_high.min() >= 1
    assert game.name == "atlandice"


def test_action_ids_are_those_of_10_3(game: Game) -> None:
    """Dense, in the order of the table, the same for every number of players."""
    ids = {"visit jeweler": 0, "visit market": 5, "visit jeweler for neutral": 6, "take gem": 12, "raid jeweler": 17}
    ids |= {"raid forge": 20, "swap out gem": 21, "swap with library": 26, "swap in weapon": 34, "move gem": 35}
    ids |= {"move to forge": 44, "die from market": 50, "die to jeweler": 51, "submarine to market": 62, "pay gem": 63}
    ids |= {"stop paying": 68, "use effect": 69, "decline effect": 70, "decline bonus": 71}
    assert {text: game.actions.index(text) for text in ids} == ids


def test_a_description_is_plain_data(game: Game, players: int) -> None:
    described = game.describe()
    assert dataclasses.is_dataclass(described)
    assert json.loads(json.dumps(described.to_json()))["players"] == players
    assert described.title == "Atlandice" and described.utility == "zero-sum"
    assert described.player_range == (2, 4)
    assert described.node_bound == {2: 5544, 3: 5547, 4: 7366}[players]
    assert described.options == {**game.initial_position().to_json()["options"], "handicap": []}  # left out where none
    assert (described.num_actions, described.num_outcomes) == (len(game.actions), len(game.outcomes))
    stops = [start + size for _, start, size, _, _ in described.observation]
    assert [start for _, start, _, _, _ in described.observation] == [0, *stops[:-1]]
    assert stops[-1] == described.observation_size == game.observation_size
    assert {entry.source for entry in described.provenance if entry.datum in described.reconstructed} == {"2.5", "2.7"}
    with pytest.raises(dataclasses.FrozenInstanceError):
        described.players = 1  # type: ignore[misc]


def test_equal_games_are_interchangeable(game: Game, players: int) -> None:
    again = atlantis_envs.game("atlandice", players=players, clock="A20", needles={"M1": 1})
    other = atlantis_envs.game("atlandice", players=players, needles={"M1": 2})
    assert game == again and hash(game) == hash(again) and game != other and game != "atlandice"
    assert eval(repr(other), {"game": atlantis_envs.game}) == other
    assert not game.rules.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        game.rules.players[0] = 9


# ---- Position


def test_what_a_position_offers_at_each_kind_of_node(game: Game, players: int) -> None:
    kinds = set()
    for position in [game.initial_position(), *scattered(game, 600, seed=1)]:
        kinds.add(position.node)
        assert position.node in ("decision", "chance", "over")
        check_shapes(position, players)
        {"decision": check_decision, "chance": check_chance, "over": check_over}[position.node](position)
    assert kinds == {"decision", "chance", "over"}


def check_shapes(position: Position, players: int) -> None:
    """What holds at every node."""
    assert position.check() == 0 and position.faults() == []
    assert [type(score) for score in position.scores()] == [int] * players
    assert type(position.key()) is bytes and type(position.log) is list
    high = position.game.observation_high
    for seat in range(players):
        observation, mask = position.observation(seat), position.action_mask(seat)
        assert (observation.dtype, observation.shape) == (np.uint8, high.shape)
        assert (mask.dtype, mask.shape) == (np.int8, (len(position.game.actions),))
        assert (observation <= high).all()
        assert set(mask.tolist()) <= {0, 1}
        assert mask.any() == (seat == position.seat)


def check_decision(position: Position) -> None:
    legal = position.legal_actions()
    assert type(position.seat) is int and 0 <= position.seat < position.game.players
    assert legal and all(type(text) is str for text in legal)
    mask = position.action_mask(position.seat)
    assert [position.game.actions[index] for index in np.flatnonzero(mask)] == legal
    assert position.legal_action_ids() == np.flatnonzero(mask).tolist() and position.chance_outcome_ids() == {}
    assert all(type(index) is int for index in position.legal_action_ids())
    assert position.chance_outcomes() == {}
    with pytest.raises(ValueError, match="returns"):
        position.returns()


def check_chance(position: Position) -> None:
    outcomes = position.chance_outcomes()
    assert position.seat is None and position.legal_actions() == [] == position.legal_action_ids()
    by_id = position.chance_outcome_ids()
    assert [(position.game.outcomes[index], weight) for index, weight in by_id.items()] == list(outcomes.items())
    for index, text in zip(by_id, outcomes, strict=True):
        one, other = position.clone(), position.clone()
        one.apply(np.int64(index))
        other.apply(text)
        assert one == other and one.log == other.log
    assert len(outcomes) > 1, "a single outcome is no node (11.1)"
    assert all(type(text) is str and type(weight) is int and weight > 0 for text, weight in outcomes.items())
    assert position.sample_chance(7) in outcomes and position.sample_chance() in outcomes


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_a_key_is_short_and_tells_positions_and_games_apart(name: str) -> None:
    game = atlantis_envs.game(name)
    positions = [game.initial_position(), *scattered(game, 300, seed=1)]
    for position in positions:
        assert len(position.key()) < 17 + position.state.nbytes * 9 // 8
        assert position.clone().key() == position.key() == game.from_json(position.to_json()).key()
    documents = {position.key(): str(position.to_json()) for position in positions}
    assert len(documents) == len(set(documents.values())) == len({str(p.to_json()) for p in positions}) > 100
    for first, second in itertools.pairwise(positions):
        assert (first.key() == second.key()) == (first == second)
    known = {position.key() for position in positions}
    for other in [option_game for option_game in other_games(name) if option_game != game]:
        assert not known & {position.key() for position in [other.initial_position(), *scattered(other, 50, seed=1)]}


def other_games(name: str) -> list[Game]:
    """The game with other options and numbers of players, and another game."""
    least, most = (atlantis_envs.game(name).definition.min_players, atlantis_envs.game(name).definition.max_players)
    another = "atlantis" if name == "atlandice" else "atlandice"
    sizes = [atlantis_envs.game(name, players=players) for players in range(least, most + 1)]
    return [*sizes, atlantis_envs.game(another)]


def test_the_text_of_a_position_is_its_board() -> None:
    for name in atlantis_envs.game_names():
        position = atlantis_envs.game(name, players=2).initial_position()
        texts = {str(position)}
        while position.node != "over" and len(position.log) < 25:
            chance = position.node == "chance"
            position.apply(next(iter(position.chance_outcome_ids() if chance else position.legal_action_ids())))
            assert f"{position}".rstrip().endswith(
                f"to decide: seat {position.seat}" if position.seat is not None else f"node: {position.node}"
            )
            texts.add(str(position))
        assert len(texts) > 3


def check_over(position: Position) -> None:
    returns = position.returns()
    assert position.seat is None and position.legal_actions() == [] and position.chance_outcomes() == {}
    assert [type(share) for share in returns] == [float] * position.game.players
    assert abs(sum(returns)) < 1e-9
    best = max(position.scores())
    winners = [score == best for score in position.scores()]
    assert [share == max(returns) for share in returns] == winners


def test_looking_changes_nothing(game: Game) -> None:
    for position in scattered(game, 60, seed=2):
        first = snapshot(position)
        assert snapshot(position) == first
        position.observation(0)[:] = 7
        position.action_mask(0)[:] = 7
        position.legal_actions().append("x")
        position.chance_outcomes()["x"] = 1
        position.to_json()["sectors"].clear()
        position.log.append("x")
        assert snapshot(position) == first


def test_positions_compare_and_do_not_hash(game: Game) -> None:
    one, two = game.initial_position(), game.initial_position()
    assert one == two and (one != two) is False and one.key() == two.key()
    two.apply("reveal J1")
    assert one != two and one.key() != two.key() and one != "root" and one != None  # noqa: E711
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_keys_and_equality_never_depend_on_left_over_memory(game: Game) -> None:
    """NumPy does not fill the padding of a copied record; dirty memory must not tell two equal positions apart."""
    position = play(game.initial_position(), 60, random.Random(2))
    for _ in range(300):
        dirt = [np.full(size, 0xFF, np.uint8) for size in (64, 128, 192, 256)]
        del dirt
        assert position.clone() == position and position.clone().key() == position.key()
        assert game.initial_position() == game.initial_position()


def test_copied_states_have_equal_bytes(game: Game) -> None:
    """A batch of states is copied, hashed and compared as an array."""
    batch = game.batch(16)
    for _ in range(300):
        dirt = np.full(batch.states.nbytes, 0xFF, np.uint8)
        del dirt
        assert batch.states.copy().tobytes() == batch.states.tobytes()


def test_sampling_chance_is_reproducible_and_plays_nothing(game: Game) -> None:
    position = game.initial_position()
    assert position.sample_chance(3) == position.sample_chance(3)
    assert {position.sample_chance(seed) for seed in range(50)} == set(position.chance_outcomes())
    assert len({position.sample_chance() for _ in range(60)}) == 3, "without a seed it is fresh entropy"
    assert position == game.initial_position() and position.log == []


def test_12_3_resampling_leaves_a_position_of_open_information_as_it_is(game: Game, players: int) -> None:
    position = play(game.initial_position(), 70, random.Random(3))
    before = snapshot(position)
    for seat in range(players):
        other = position.resample(seat, seed=seat)
        assert other == position and other is not position and other.log == []
    assert snapshot(position) == before


def test_resampling_forgets_the_dice_to_come(game: Game) -> None:
    """A clone of a lane's position rolls what the lane will roll; no seat may know that."""
    position = parity.root(game, 0)
    assert len({position.clone().sample_chance() for _ in range(60)}) == 1
    assert len({position.resample(0, 1).sample_chance() for _ in range(60)}) == 3


def turned(data: dict[str, Any], players: int) -> dict[str, Any]:
    """The same position with every seat one place further; neutral, if any, stays last."""
    other = copy.deepcopy(data)
    seats = data["participants"][:players]
    other["participants"] = [*seats[-1:], *seats[:-1], *data["participants"][players:]]
    other["given"] = [*data["given"][-1:], *data["given"][:-1]]
    other["blocked"] = sorted((seat + 1) % players for seat in data["blocked"])
    for key in ("first", "actor"):
        other[key] = None if data[key] is None else (data[key] + 1) % players
    if data["context"] and data["context"]["for"] != "neutral":
        other["context"]["for"] = (data["context"]["for"] + 1) % players
    return other


def test_observations_are_egocentric(players: int) -> None:
    """Turning the seats of a position turns what they see and may do, and nothing else does."""
    game = atlantis_envs.game("atlandice", players=players, machinery_block="round", optional_effects=True)
    for position in scattered(game, 120, seed=4):
        other = game.from_json(turned(position.to_json(), players))
        for seat in range(players):
            neighbour = (seat + 1) % players
            assert np.array_equal(position.observation(seat), other.observation(neighbour))
            assert np.array_equal(position.action_mask(seat), other.action_mask(neighbour))


def test_observations_differ_where_positions_differ(game: Game) -> None:
    """All is open to all (12.1): two positions that look alike to a seat are one, unless a cap hides it."""
    seen: dict[bytes, Position] = {}
    for position in scattered(game, 1_500, seed=5):
        same = seen.setdefault(position.observation(0).tobytes(), position)
        assert same == position
    assert len(seen) > 1_000


# ---- Batch

ARRAYS = {
    "games": (np.int64, ()),
    "plies": (np.int64, ()),
    "seats": (np.int8, ()),
    "observations": (np.uint8, ("features",)),
    "action_masks": (np.int8, ("actions",)),
    "rewards": (np.float32, ("players",)),
    "over": (np.bool_, ()),
    "final_observations": (np.uint8, ("features",)),
    "final_scores": (np.int64, ("players",)),
}


def test_the_arrays_of_a_batch(game: Game, players: int) -> None:
    batch = game.batch(5, seed=1)
    sizes = {"features": game.observation_size, "actions": 72, "players": players}
    for name, (dtype, shape) in ARRAYS.items():
        array = getattr(batch, name)
        assert array.dtype == dtype, name
        assert array.shape == (5, *(sizes[key] for key in shape)), name
        assert not array.flags.writeable, name
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert len(batch) == 5 and batch.games.tolist() == [0, 1, 2, 3, 4]


def test_the_states_of_a_batch_are_records_by_name_and_read_only(game: Game) -> None:
    batch = game.batch(5, seed=1)
    for states in (batch.states, batch.final_states):
        assert isinstance(states, np.recarray) and states.shape == (5,)
        assert states.dtype == game.definition.state_dtype.newbyteorder("=") or states.dtype.names
        with pytest.raises(ValueError, match="read-only"):
            states.points[0] = 1
        with pytest.raises(ValueError, match="read-only"):
            states[0] = states[1]
    assert batch.states.points.max(axis=1).shape == (5,)


def test_seats_masks_and_observations_belong_together(game: Game) -> None:
    batch = game.batch(16, seed=2)
    for _ in range(30):
        batch.step(noise_actions(batch.action_masks, batch.noise(0)))
    for lane in range(16):
        position = batch.position(lane)
        seat = int(batch.seats[lane])
        assert position.node == "decision" and position.seat == seat
        assert np.array_equal(batch.observations[lane], position.observation(seat))
        assert np.array_equal(batch.action_masks[lane], position.action_mask(seat))


def test_a_step_returns_rewards_and_over(game: Game, players: int) -> None:
    batch = game.batch(8, seed=3)
    rewards, over = batch.step(batch.action_masks.argmax(axis=1))
    assert (rewards.dtype, rewards.shape) == (np.float32, (8, players))
    assert (over.dtype, over.shape) == (np.bool_, (8,))
    assert np.shares_memory(rewards, batch.rewards) and np.shares_memory(over, batch.over)
    assert not rewards.flags.writeable and not over.flags.writeable
    assert not rewards.any() and not over.any()


def test_with_copy_a_step_returns_arrays_of_their_own(game: Game) -> None:
    batch = game.batch(8, seed=3)
    rewards, over = batch.step(batch.action_masks.argmax(axis=1), copy=True)
    assert not np.shares_memory(rewards, batch.rewards) and not np.shares_memory(over, batch.over)
    assert rewards.flags.writeable and over.flags.writeable


def test_a_finished_game_pays_once_and_the_lane_goes_on_in_the_same_step(game: Game, players: int) -> None:
    batch, ended = game.batch(7, seed=4), 0
    first = batch.clone()
    while ended < 12:
        numbers, movers, plies = batch.games.copy(), batch.seats.copy(), batch.plies.copy()
        rewards, over = batch.step(noise_actions(batch.action_masks, batch.noise(1)))
        assert not rewards[~over].any()
        assert np.array_equal(batch.games, numbers + 7 * over)
        assert np.array_equal(batch.plies, np.where(over, 0, plies + 1))
        assert (batch.seats >= 0).all() and batch.action_masks.any(axis=1).all()
        for lane in map(int, np.flatnonzero(over)):
            ended += 1
            final = batch.final_position(lane)
            assert final.node == "over"
            assert np.allclose(final.returns(), rewards[lane]) and rewards[lane].any() == any(final.returns())
            assert final.scores() == batch.final_scores[lane].tolist()
            assert np.array_equal(final.observation(int(movers[lane])), batch.final_observations[lane])
            fresh = game.batch(1, seed=4)
            fresh.reset(games=[int(batch.games[lane])])
            assert fresh.position(0) == batch.position(lane)
    assert first.games.tolist() == list(range(7))


def test_what_a_step_returned_is_overwritten_by_the_next(game: Game) -> None:
    """The promise is a view; who keeps it, copies it."""
    batch = game.batch(3, seed=1)
    observations = batch.observations
    before = observations.copy()
    batch.step(batch.action_masks.argmax(axis=1))
    assert not np.array_equal(observations, before) and observations is batch.observations


def test_reset_takes_a_seed_and_game_numbers(game: Game) -> None:
    batch = game.batch(3, seed=5)
    first = batch.states.tobytes()
    batch.step(batch.action_masks.argmax(axis=1))
    batch.reset()
    assert batch.states.tobytes() == first and batch.seed == 5
    batch.reset(games=[2, 1, 0])
    assert batch.states[::-1].tobytes() == first and batch.games.tolist() == [2, 1, 0]
    batch.reset(seed=6)
    assert batch.states.tobytes() != first and batch.games.tolist() == [0, 1, 2]
    batch.reset(seed=5)
    assert batch.states.tobytes() == first


def test_a_batch_is_made_from_positions(game: Game) -> None:
    dice = random.Random(6)
    positions = [to_decision(play(game.initial_position(), 30 * n, dice), dice) for n in range(4)]
    batch = Batch.from_positions(positions)
    assert [batch.position(lane) for lane in range(4)] == positions
    assert game.batch(4).from_positions(positions).states.tobytes() == batch.states.tobytes()


def test_noise_is_a_function_of_seed_game_and_ply(game: Game) -> None:
    batch = game.batch(4, seed=1)
    noise = batch.noise(9)
    assert noise.dtype == np.uint64 and len(set(noise.tolist())) == 4
    assert np.array_equal(noise, batch.noise(9)) and not np.array_equal(noise, batch.noise(10))
    assert np.array_equal(batch.noise(9, lanes=[2, 0]), noise[[2, 0]])
    batch.step(batch.action_masks.argmax(axis=1))
    assert not (batch.noise(9) == noise).any()


def test_every_public_thing_says_what_it_is() -> None:
    for owner in (Game, Position, Batch):
        assert inspect.getdoc(owner)
        for name, member in inspect.getmembers(owner):
            if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                assert inspect.getdoc(inspect.getattr_static(owner, name)), f"{owner.__name__}.{name}"


def annotations_of(function: Any) -> list[str]:
    """Parameters without a type."""
    signature = inspect.signature(function)
    return [name for name, p in signature.parameters.items() if p.annotation is p.empty and name != "self"]


@pytest.mark.parametrize("owner", [Game, Position, Batch])
def test_every_public_method_is_typed(owner: type) -> None:
    for name, member in inspect.getmembers(owner, inspect.isfunction):
        if not name.startswith("_"):
            assert annotations_of(member) == [], name
            assert inspect.signature(member).return_annotation is not inspect.Signature.empty, name


def test_what_is_nearly_right_is_taken_or_named() -> None:
    assert atlantis_envs.game("atlandice", players=np.int64(2)).players == 2
    with pytest.raises(errors.PositionError, match=r"^position: "):
        atlantis_envs.game("atlandice").from_json(None)
    env = atlandice_v1.env(players=2)
    for look in (env.action_space, env.observation_space):
        with pytest.raises(ValueError, match="agent: 'nobody'; allowed: "):
            look("nobody")
