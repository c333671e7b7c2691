"""What is handed in wrongly is refused by its own kind of error, which says what is allowed; nothing has changed."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import atlandice_scenarios
from helpers.faults import Unprintable, endless, exchange
from helpers.support import play, to_decision

import atlantis_envs
from atlantis_envs.base.files import MAX_FILE_BYTES
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import (
    AtlantisError,
    IllegalActionError,
    IllegalChanceError,
    OptionError,
    PositionError,
    ReplayError,
)

GAME = atlantis_envs.game("atlandice", players=3)
HUGE = 10**5_000  # more digits than Python is willing to write


# ---- moves of one position

NO_INTEGERS: list[Any] = [
    True,
    False,
    np.True_,
    1.0,
    12.0,
    float("nan"),
    float("inf"),
    np.float64(12),
    None,
    b"visit inn",
    [],
    [12],
    (12,),
    {},
    {12: 12},
    {12},
    np.array(12),
    np.array([12]),
    np.array([12, 13]),
    1 + 0j,
    object(),
    int,
    Unprintable(),
    endless(),
]
NO_IDS: list[Any] = [-1, -72, 72, 73, 2**31, 2**32 + 12, 2**63, -(2**63), 2**64, HUGE, -HUGE, np.int64(-1)]
NO_TEXTS: list[Any] = ["", "visit", "Visit inn", "visit inn ", "take gold", "12", "roll 1", "reveal J1", "\0", "é"]


def at_decision(number: int = 1) -> Position:
    dice = random.Random(number)
    return to_decision(play(GAME.initial_position(), 40, dice), dice)


def at_chance() -> Position:
    position = play(GAME.initial_position(), 8, random.Random(3))
    assert position.node == "chance"
    return position


def at_end() -> Position:
    return play(GAME.initial_position(), 100_000, random.Random(5))


def unchanged(position: Position, action: Callable[[], Any]) -> str:
    """Run what must fail; the position keeps its bytes, its log and its later chance. Returns the message."""
    before = position.key(), list(position.log), position.sample_chance(1) if position.node == "chance" else None
    with pytest.raises((AtlantisError, ValueError)) as caught:
        action()
    after = position.key(), list(position.log), position.sample_chance(1) if position.node == "chance" else None
    assert before == after
    return str(caught.value)


def named(values: list[Any]) -> list[Any]:
    """Parameters with ids that can be printed."""
    return [pytest.param(value, id=f"{number}-{type(value).__name__}") for number, value in enumerate(values)]


@pytest.mark.parametrize("move", named([*NO_INTEGERS, *NO_IDS, *NO_TEXTS]))
def test_no_junk_is_an_action(move: Any) -> None:
    position = at_decision()
    with pytest.raises(IllegalActionError):
        position.apply(move)
    message = unchanged(position, lambda: position.apply(move))
    assert "allowed" in message and len(message) < 2_000


def test_a_legal_action_is_taken_in_every_form() -> None:
    """The form does not matter: text, int, and NumPy's integers."""
    position = at_decision()
    text = position.legal_actions()[0]
    index = GAME.actions.index(text)
    ends = []
    for move in (text, np.str_(text), index, np.int8(index), np.uint64(index), np.int64(index)):
        twin = position.clone()
        twin.apply(move)
        ends.append(twin.key())
        assert twin.log == [*position.log, text]
    assert len(set(ends)) == 1


@pytest.mark.parametrize("move", named([*NO_INTEGERS, *NO_IDS, "", "die 7", "die 0", "roll 1", "visit inn"]))
def test_no_junk_is_an_outcome(move: Any) -> None:
    """At a chance node the text or the id of an outcome counts that can happen there, and nothing else."""
    position = at_chance()
    with pytest.raises(IllegalChanceError):
        position.apply(move)
    message = unchanged(position, lambda: position.apply(move))
    assert "allowed: die 1, die 2, die 3, die 4, die 5, die 6" in message


@pytest.mark.parametrize("move", named([0, "visit inn", "die 1", None, True, 68, "stop paying", HUGE, endless()]))
def test_nothing_is_played_after_the_end(move: Any) -> None:
    position = at_end()
    with pytest.raises(IllegalActionError):
        position.apply(move)
    assert "over" in unchanged(position, lambda: position.apply(move))


def test_an_outcome_that_cannot_happen_here_is_refused() -> None:
    """A tile that is visible already is no outcome."""
    position = GAME.initial_position()
    position.apply("reveal J2")
    ids = position.game.definition.outcomes.ids
    for text in ("reveal J1", "reveal J2", "reveal M1", "first player 0"):
        for move in (text, ids[text], np.int64(ids[text])):
            with pytest.raises(IllegalChanceError, match="allowed: reveal L1, reveal L2, reveal L3, or the id of one"):
                position.apply(move)


@pytest.mark.parametrize("seat", named([*NO_INTEGERS, -1, 3, 2**63, HUGE, "0", "neutral"]))
@pytest.mark.parametrize("method", ["observation", "action_mask"])
def test_no_junk_is_a_seat(method: str, seat: Any) -> None:
    position = at_decision()
    message = unchanged(position, lambda: getattr(position, method)(seat))
    assert message.startswith("seat: ") and "allowed: an integer 0..2" in message
    message = unchanged(position, lambda: position.resample(seat, 1))
    assert message.startswith("seat: ")


@pytest.mark.parametrize("seed", named([*NO_INTEGERS, -1, 2**64, HUGE, "0"]))
def test_no_junk_is_a_seed(seed: Any) -> None:
    chance, decision = at_chance(), at_decision()
    if seed is not None:
        assert unchanged(chance, lambda: chance.sample_chance(seed)).startswith("seed: ")
        assert unchanged(chance, lambda: GAME.batch(1, seed=seed)).startswith("seed: ")
    assert unchanged(decision, lambda: decision.resample(0, seed)).startswith("seed: ")


def test_what_needs_another_node_says_so() -> None:
    decision, end = at_decision(), at_end()
    assert "only when the game is over" in unchanged(decision, decision.returns)
    assert "only at a chance node" in unchanged(decision, lambda: decision.sample_chance(1))
    assert "only at a chance node" in unchanged(end, lambda: end.sample_chance(1))
    assert decision.chance_outcomes() == {} == end.chance_outcomes()
    assert end.legal_actions() == [] == at_chance().legal_actions()


# ---- batches


def new_batch() -> Batch:
    batch = GAME.batch(4, seed=2)
    for _ in range(3):
        batch.step(batch.action_masks.argmax(axis=1))
    return batch


def legal_ids(batch: Batch) -> list[int]:
    return [int(action) for action in batch.action_masks.argmax(axis=1)]


def everything(batch: Batch) -> list[bytes]:
    lanes = batch._lanes
    arrays = [array for array in vars(lanes).values() if isinstance(array, np.ndarray)]
    return [array.tobytes() for array in arrays] + [str(batch.seed).encode()]


def batch_unchanged(batch: Batch, action: Callable[[], Any], error: type[Exception]) -> str:
    before = everything(batch)
    with pytest.raises(error) as caught:
        action()
    assert everything(batch) == before
    return str(caught.value)


def rows(value: Any) -> list[Any]:
    """Four actions of which the third is at fault; the others are legal."""
    own = legal_ids(new_batch())
    return [own[0], own[1], value, own[3]]


WRONG_BATCHES: dict[str, Any] = {
    "floats": [1.0, 2.0, 3.0, 4.0],
    "not numbers": np.full(4, np.nan),
    "booleans": [True, True, True, True],
    "boolean array": np.ones(4, np.bool_),
    "texts": ["visit inn"] * 4,
    "nothing": None,
    "a number": 1,
    "too few": [1, 1, 1],
    "too many": [1] * 5,
    "two dimensions": np.ones((4, 1), int),
    "objects": np.array([1, 1, 1, 1], object),
    "complex": np.ones(4, complex),
    "masked": np.ma.masked_array([1, 1, 1, 1], mask=[0, 0, 1, 0]),
    "dates": np.array([1, 1, 1, 1], "m8[s]"),
    "a mapping": {0: 1},
    "a set": {1, 2, 3, 4},
    "empty": [],
    "beyond 64 bits": [1, 1, 1, HUGE],
}


@pytest.mark.parametrize("actions", WRONG_BATCHES.values(), ids=WRONG_BATCHES.keys())
def test_no_junk_is_a_row_of_actions(actions: Any) -> None:
    batch = new_batch()
    message = batch_unchanged(batch, lambda: batch.step(actions), IllegalActionError)
    assert message.startswith("actions: ") and "allowed" in message


RAGGED = [[1], [1, 2], [1], [1]]


@pytest.mark.parametrize(
    "actions",
    [RAGGED, endless(), True, np.True_],
    ids=["ragged", "deep", "one bool", "one NumPy bool"],
)
def test_no_junk_hides_in_a_row_of_actions(actions: Any) -> None:
    batch = new_batch()
    actions = actions if isinstance(actions, list) else rows(actions)
    message = batch_unchanged(batch, lambda: batch.step(actions), IllegalActionError)
    assert message.startswith("actions: ")


@pytest.mark.parametrize("value", [-1, 72, 2**31, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 71, 63])
def test_one_bad_action_stops_all_lanes(value: int) -> None:
    """Nobody moves, and the message names the row and what that lane may do."""
    batch = new_batch()
    actions = np.array(rows(value), np.uint64 if value >= 2**63 else np.int64)
    message = batch_unchanged(batch, lambda: batch.step(actions), IllegalActionError)
    allowed = [GAME.actions[index] for index in np.flatnonzero(batch.action_masks[2])]
    assert message.startswith("actions[2]: ") and all(text in message for text in allowed)


def test_every_illegal_id_in_every_lane_is_refused() -> None:
    batch = new_batch()
    own = legal_ids(batch)
    for lane in range(4):
        for action in np.flatnonzero(batch.action_masks[lane] == 0):
            bad = [*own[:lane], int(action), *own[lane + 1 :]]
            message = batch_unchanged(batch, lambda bad=bad: batch.step(bad), IllegalActionError)
            assert message.startswith(f"actions[{lane}]: ")
            message = batch_unchanged(batch, lambda a=action, k=lane: batch.step([a], lanes=[k]), IllegalActionError)
            assert message.startswith("actions[0]: ")


WRONG_LANES: dict[str, Any] = {
    "outside": [4],
    "negative": [-1],
    "wrapping": [2**63],
    "twice": [1, 1],
    "floats": [1.0],
    "booleans": [True],
    "mask": np.array([True, False, True, False]),
    "a number": 1,
    "texts": ["1"],
    "two dimensions": [[1]],
    "huge": [HUGE],
}


@pytest.mark.parametrize("lanes", WRONG_LANES.values(), ids=WRONG_LANES.keys())
def test_no_junk_is_a_choice_of_lanes(lanes: Any) -> None:
    batch = new_batch()
    actions = legal_ids(batch)[: np.size(lanes)]
    message = batch_unchanged(batch, lambda: batch.step(actions, lanes=lanes), ValueError)
    assert message.startswith("lanes: ")
    assert batch_unchanged(batch, lambda: batch.noise(1, lanes=lanes), ValueError).startswith("lanes: ")


def test_actions_and_lanes_must_match() -> None:
    batch = new_batch()
    for actions, lanes in (([1, 1], [0]), ([1], [0, 1]), ([1, 1, 1], [0, 1]), ([1] * 5, [0]), (1, [0])):
        message = batch_unchanged(batch, lambda a=actions, k=lanes: batch.step(a, lanes=k), IllegalActionError)
        assert "one action per lane" in message


def test_no_lanes_may_step() -> None:
    batch = new_batch()
    states = batch.states.tobytes()
    rewards, over = batch.step(np.array([], int), lanes=[])
    assert batch.states.tobytes() == states and not rewards.any() and not over.any()


def test_actions_of_any_integer_type_and_layout_are_taken() -> None:
    """Narrow, unsigned, of the other byte order, strided, read-only, or a list: one result."""
    results = set()
    ids = legal_ids(new_batch())
    frozen = np.array(ids)
    frozen.flags.writeable = False
    strided = np.repeat(ids, 3)[::3]
    for actions in (ids, tuple(ids), np.array(ids, np.int8), np.array(ids, ">u8"), frozen, strided):
        batch = new_batch()
        batch.step(actions)
        results.add(batch.states.tobytes())
    assert len(results) == 1


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("num_games", lambda value: GAME.batch(value)),
        ("threads", lambda value: GAME.batch(1, threads=value)),
        ("seed", lambda value: GAME.batch(1, seed=-1 if value is None else value)),
        ("lane", lambda value: new_batch().position(value)),
        ("lane", lambda value: new_batch().final_position(value)),
        ("seed", lambda value: new_batch().noise(-1 if value is None else value)),
    ],
)
@pytest.mark.parametrize("value", named([*NO_INTEGERS, -1, 2**65, HUGE, "1"]))
def test_no_junk_is_a_number_of_a_batch(name: str, call: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name}: .*allowed: an integer"):
        call(value)


@pytest.mark.parametrize(
    "games",
    [[1, 2, 3], [1.0] * 4, [-1, 0, 0, 0], [2**62 + 1, 0, 0, 0], [2**63, 0, 0, 0], None, [[1] * 4], "abcd", True],
)
def test_no_junk_is_a_row_of_game_numbers(games: Any) -> None:
    batch = new_batch()
    if games is not None:
        message = batch_unchanged(batch, lambda: batch.reset(games=games), ValueError)
        assert message.startswith("games: ")
    message = batch_unchanged(batch, lambda: batch.reset(seed=-1, games=[1] * 4), ValueError)
    assert message.startswith("seed: ")


def test_positions_that_do_not_fit_are_not_loaded() -> None:
    batch = new_batch()
    own = [at_decision(number) for number in range(4)]
    other = atlantis_envs.game("atlandice", players=4).initial_position()
    for positions, word in (
        (own[:3], "allowed: 4, one per lane"),
        ([*own[:3], other], r"positions\[3\]"),
        ([own[0], at_end(), *own[2:]], r"positions\[1\]: the game is over"),
    ):
        message = batch_unchanged(batch, lambda p=positions: batch.load(p), ValueError)
        assert word.replace("\\", "") in message


def test_a_game_that_chance_is_about_to_end_is_not_loaded() -> None:
    """The last roll of the last visit, with the hand on the last space already."""
    position = about_to_end()
    batch = position.game.batch(1)
    message = batch_unchanged(batch, lambda: batch.load([position]), ValueError)
    assert "positions[0]" in message and "ends by chance" in message


def about_to_end() -> Position:
    """T048 of the rules file, two visits later: I1 rolls, and whatever it shows the game ends."""
    [scenario] = [s for s in atlandice_scenarios.load() if s.id == "T048"]
    document = atlandice_scenarios.start_position(scenario) | {"visit": 5, "hand": 19, "actor": 2}
    document["sectors"]["market"]["dice"] = 1
    position = GAME.from_json(document)
    position.apply("visit inn")
    position.apply("take provision")
    return position


# ---- games and options

WRONG_OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({"players": 1}, ["players", "2..4"]),
    ({"players": 5}, ["players", "2..4"]),
    ({"players": 3.0}, ["players", "2..4"]),
    ({"players": True}, ["players"]),
    ({"players": "3"}, ["players"]),
    ({"players": HUGE}, ["players"]),
    ({"colour": 1}, ["colour", "unknown", "chain_cap"]),
    ({"Players": 1}, ["Players", "unknown"]),
    ({"clock": "A21"}, ["clock", "'A20'", "'B24'", "'C16'"]),
    ({"clock": []}, ["clock"]),
    ({"clock": ["start"]}, ["clock"]),
    ({"clock": ["start", "none"]}, ["clock[1]", "'end'"]),
    ({"clock": ["none", "end"]}, ["clock[0]", "'start'"]),
    ({"clock": ["start", "end", "end"]}, ["clock[1]", "'donation'", "'total'"]),
    ({"clock": ["start", "start", "end"]}, ["clock[1]"]),
    ({"clock": ["start", "gold", "end"]}, ["clock[1]", "'gold'"]),
    ({"clock": ["start", 3, None, "end"]}, ["clock[1]", "clock[2]"]),
    ({"clock": ["start", *["none"] * 1_023, "end"]}, ["clock", "1024"]),
    ({"clock": {"start": 1}}, ["clock"]),
    ({"clock": 20}, ["clock"]),
    ({"clock": [[], endless()]}, ["clock[0]", "clock[1]"]),
    ({"needles": {"J1": 0}}, ["needles.J1", "1..3"]),
    ({"needles": {"J1": 4, "market": 9}}, ["needles.J1", "needles.market"]),
    ({"needles": {"J4": 1}}, ["needles.J4", "unknown"]),
    ({"needles": {1: 1}}, ["needles.1", "unknown"]),
    ({"needles": {"J1": True}}, ["needles.J1"]),
    ({"needles": {"J1": 1.0}}, ["needles.J1"]),
    ({"needles": [1] * 16}, ["needles"]),
    ({"needles": None}, ["needles"]),
    ({"optional_effects": 1}, ["optional_effects", "true, false"]),
    ({"optional_effects": "true"}, ["optional_effects"]),
    ({"optional_effects": None}, ["optional_effects"]),
    ({"min_to_rank": 2}, ["min_to_rank", "0..1"]),
    ({"min_to_rank": True}, ["min_to_rank"]),
    ({"min_to_rank": float("nan")}, ["min_to_rank"]),
    ({"orphan_dice": "leave"}, ["orphan_dice", "'market'", "'stay'"]),
    ({"orphan_dice": ["stay"]}, ["orphan_dice"]),
    ({"same_type_exchange": 0}, ["same_type_exchange"]),
    ({"machinery_block": "turn"}, ["machinery_block", "'visit'", "'round'"]),
    ({"l3_counts": None}, ["l3_counts", "'seat'", "'beneficiary'"]),
    ({"neutral_ranked": "final"}, ["neutral_ranked"]),
    ({"neutral_ranked": ["final", "district"]}, ["neutral_ranked", "in order"]),
    ({"neutral_ranked": ["final", "final"]}, ["neutral_ranked"]),
    ({"neutral_ranked": ["all"]}, ["neutral_ranked"]),
    ({"neutral_ranked": [[]]}, ["neutral_ranked"]),
    ({"neutral_ranked": [np.array([1, 2])]}, ["neutral_ranked"]),
    ({"neutral_ranked": None}, ["neutral_ranked"]),
    ({"bare_districts": "kept"}, ["bare_districts", "'scored'", "'spared'"]),
    ({"chain_cap": 0}, ["chain_cap", "1..10"]),
    ({"chain_cap": 11}, ["chain_cap", "1..10"]),
    ({"chain_cap": endless()}, ["chain_cap"]),
    ({"chain_cap": Unprintable()}, ["chain_cap"]),
    ({"chain_cap": 0, "players": 9, "clock": "x", "tint": 1}, ["chain_cap", "players", "clock", "tint"]),
]


@pytest.mark.parametrize(("options", "words"), WRONG_OPTIONS, ids=[str(n) for n in range(len(WRONG_OPTIONS))])
def test_no_junk_is_an_option(options: dict[str, Any], words: list[str]) -> None:
    """All faults at once, each with the name of its option and what it allows."""
    with pytest.raises(OptionError) as caught:
        atlantis_envs.game("atlandice", **options)
    message = str(caught.value)
    assert all(word in message for word in words) and "allowed" in message


@pytest.mark.parametrize("name", ["", "Atlandice", "atlantis2", "../atlandice", 3, None, b"atlandice", ("atlandice",)])
def test_no_junk_is_a_game(name: Any) -> None:
    with pytest.raises(OptionError, match=r"name: .*allowed: 'atlandice'"):
        atlantis_envs.game(name)


@pytest.mark.parametrize("name", [[], {}, np.array([1])], ids=["list", "dict", "array"])
def test_no_junk_without_a_hash_is_a_game(name: Any) -> None:
    with pytest.raises(OptionError, match="name: "):
        atlantis_envs.game(name)


# ---- data tables and their files

WRONG_TABLES: list[tuple[Any, list[str]]] = [
    ({"tint": 1}, ["data.tint", "unknown"]),
    ({"game": "atlantis"}, ["data.game", "'atlandice'"]),
    ({"clock": "Z9"}, ["data.clock", "'A20'"]),
    ({"clock": ["start", "x", "end"]}, ["data.clock[1]"]),
    ({"clocks": {"mine": ["start"]}}, ["data.clocks.mine"]),
    ({"clocks": ["start", "end"]}, ["data.clocks"]),
    ({"needles": {"M4": 1}}, ["data.needles.M4"]),
    ({"needles": {"M1": 7}}, ["data.needles.M1", "1..3"]),
    ({"needles": 3}, ["data.needles"]),
    (3, ["data"]),
    (["clock"], ["data"]),
    (b"{}", ["data"]),
    (True, ["data"]),
]


@pytest.mark.parametrize(("tables", "words"), WRONG_TABLES, ids=[str(n) for n in range(len(WRONG_TABLES))])
def test_no_junk_is_a_table(tables: Any, words: list[str]) -> None:
    with pytest.raises(OptionError) as caught:
        atlantis_envs.game("atlandice", data=tables)
    assert all(word in str(caught.value) for word in words)


WRONG_FILES: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "Expecting value"),
    "not JSON": (b"clock: A20", "Expecting value"),
    "cut off": (b'{"clock": "A20"', "Expecting"),
    "two documents": (b"{} {}", "Extra data"),
    "not an object": (b'["A20"]', "allowed: an object"),
    "not a number": (b'{"needles": {"M1": NaN}}', "NaN is not allowed"),
    "infinity": (b'{"needles": {"M1": -Infinity}}', "-Infinity is not allowed"),
    "duplicate key": (b'{"needles": {"M1": 1, "M1": 3}}', "duplicate key"),
    "duplicate key above": (b'{"clock": "A20", "clock": "B24"}', "duplicate key"),
    "endless nesting": (b"[" * 200_000, "nested too deeply"),
    "deep nesting": (b'{"clock": ' + b"[" * 900 + b"]" * 900 + b"}", "clock"),
    "long integer": (b'{"needles": {"M1": ' + b"1" * 5_000 + b"}}", "integer"),
    "large number": (b'{"needles": {"M1": 1e999}}', "data.needles.M1"),
    "fraction": (b'{"needles": {"M1": 1.0}}', "data.needles.M1"),
    "not UTF-8": (b'{"clock": "\xff"}', "utf-8"),
    "UTF-16": ('{"clock": "A20"}'.encode("utf-16"), "utf-8"),
    "byte order mark": (b'\xef\xbb\xbf{"clock": "A20"}', "BOM"),
    "lone surrogate": (b'{"clock": "\\ud800"}', "clock"),
    "zip": (b"PK\x03\x04" + b"\0" * 100, "Expecting value"),
    "pickle": (b"\x80\x04cos\nsystem\n", "utf-8"),
    "unknown key": (b'{"tint": 1}', "data.tint"),
    "wrong type": (b'{"clocks": 3}', "data.clocks"),
}


@pytest.mark.parametrize("kind", WRONG_FILES)
def test_a_broken_file_is_named_with_its_fault(kind: str, tmp_path: Path) -> None:
    content, word = WRONG_FILES[kind]
    path = tmp_path / "tables.json"
    path.write_bytes(content)
    for form in (path, str(path)):
        with pytest.raises(OptionError) as caught:
            atlantis_envs.game("atlandice", data=form)
        assert word in str(caught.value)
        assert len(str(caught.value)) < 3_000


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.json", tmp_path, Path("\0")):
        with pytest.raises(OptionError, match="data: "):
            atlantis_envs.game("atlandice", data=path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.seek(MAX_FILE_BYTES)
        stream.write(b" ")
    with pytest.raises(OptionError, match="larger than"):
        atlantis_envs.game("atlandice", data=path)


def test_tables_replace_the_shipped_ones_and_options_win(tmp_path: Path) -> None:
    tables = {"clocks": {"mine": ["start", "gem", "end"]}, "clock": "mine", "needles": {"M1": 3}}
    path = tmp_path / "tables.json"
    path.write_text(json.dumps(tables))
    for data in (tables, path, str(path)):
        options = atlantis_envs.game("atlandice", data=data).options.to_json()
        assert options["clock"] == ["start", "gem", "end"]
        assert (options["needles"]["M1"], options["needles"]["M2"]) == (3, 2)
    options = atlantis_envs.game("atlandice", data=tables, clock="C16", needles={"M1": 2}).options.to_json()
    assert (options["clock"], options["needles"]["M1"]) == ("C16", 2)
    own = atlantis_envs.game("atlandice", data=tables)
    assert atlantis_envs.game("atlandice").from_json(own.initial_position().to_json()).game == own


# ---- documents of positions


def faults_of(broken: Any) -> list[str]:
    """The JSON paths at fault; the game object that was asked is as it was."""
    with pytest.raises(PositionError) as caught:
        atlantis_envs.game("atlandice", players=2).from_json(broken)
    return [path for path, _ in caught.value.faults]


def test_all_faults_of_a_document_are_listed_at_once() -> None:
    broken = copy.deepcopy(exchange())
    broken["hand"] = -1
    broken["sectors"]["inn"]["resources"]["gold"] = 1
    broken["participants"][1]["points"] = True
    broken["given"] = [0]
    broken["context"]["chain"] = 99
    assert set(faults_of(broken)) >= {
        "hand",
        "sectors.inn.resources.gold",
        "participants[1].points",
        "given",
        "context.chain",
    }


def lift(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """Set a place, written as `sectors.inn.dice`, of a document."""

    def change(data: dict[str, Any]) -> None:
        *above, last = path.split(".")
        holder: Any = data
        for key in above:
            holder = holder[int(key)] if isinstance(holder, list) else holder[key]
        holder[int(last) if isinstance(holder, list) else last] = value

    return change


def visit_document(scenario: str = "T101") -> dict[str, Any]:
    [found] = [s for s in atlandice_scenarios.load() if s.id == scenario]
    return atlandice_scenarios.start_position(found)


def inside(node: str, sector: str, whose: Any = 0) -> list[tuple[str, Any]]:
    """The changes that put T101 inside its first visit, at a node and a Sector."""
    context = {"sector": sector, "for": whose, "chain": 0, "choice": {}}
    return [("node", node), ("sectors.market.dice", 5), ("context", context)]


STEP_3 = [("visit", 6), ("sectors.market.dice", 0)]
REVEAL = [("node", "reveal"), ("actor", None), ("sectors.market.dice", 5), ("sectors.inn.tile", None)]

# Each breaks one sentence of the rules file in a position that is right: T101, two players at `visit` 0.
BROKEN_TOGETHER: list[tuple[str, str, list[tuple[str, Any]]]] = [
    ("17.2 no tile, yet unrevealed ones", "sectors", [("sectors.inn.tile", None)]),
    ("17.2 visible and unrevealed", "sectors", [("sectors.inn.hidden", ["I1", "I2"])]),
    ("17.3 visible and owned", "sectors", [("participants.0.tiles", ["I1"])]),
    ("17.3 owned twice", "participants", [(f"participants.{who}.tiles", ["F3"]) for who in (0, 2)]),
    ("17.3 thirteen of a type", "sectors", [("sectors.inn.resources", {"gem": 9})]),
    ("17.4 one die too few", "sectors", [("sectors.market.dice", 5)]),
    ("17.4 one die too many", "sectors", [("sectors.market.dice", 7)]),
    ("17.4 bare with pieces", "bare", [("bare", ["inn"])]),
    ("17.4 bare outside a stock check", "bare", [("sectors.inn.resources", {}), ("bare", ["inn"])]),
    ("17.4 empty and not bare", "bare", [("options.bare_districts", "spared"), ("sectors.inn.resources", {})]),
    ("17.4 another seat", "actor", [("actor", 1)]),
    ("17.4 nobody decides", "actor", [("actor", None)]),
    ("17.4 too poor to donate", "actor", [("node", "donate"), ("hand", 3), *STEP_3]),
    ("17.1 no round", "node", [("round", 0)]),
    ("17.1 no first player", "node", [("first", None)]),
    ("17.1 a visit too late", "node", [("visit", 6)]),
    ("17.5 over before the end", "node", [("node", "over"), ("actor", None), *STEP_3]),
    ("17.5 donate on a plain space", "node", [("node", "donate"), ("hand", 2), *STEP_3]),
    ("17.1 context away from a visit", "context", inside("visit", "inn")[2:]),
    ("17.1 no context in a visit", "context", inside("take", "inn")[:2]),
    ("9.2 given before the opening", "given", [("node", "die"), ("actor", None), ("given", [True, False])]),
    ("14.2 blocked without the option", "given", [("blocked", [0])]),
    ("17.1 the choice belongs to the node", "context.choice.type", inside("swap_with", "jeweler")),
    ("17.1 for neutral, nothing given", "context", inside("take", "inn", "neutral")),
    ("17.1 for the other seat", "context", inside("take", "inn", 1)),
    ("10.1 nothing to take", "context", [*inside("take", "market"), ("sectors.market.resources", {})]),
    ("10.1 no bonus without submarine", "context", inside("bonus", "inn")),
    ("6.12 no I3, no die to change", "context", inside("die_from", "inn")),
    ("6.6 no roll without a tile", "context", [*inside("roll", "market"), ("actor", None)]),
    ("D4 no choice of effects by default", "context", inside("effect", "inn")),
    ("7.7 a single tile is revealed silently", "sectors", [*REVEAL, ("sectors.inn.hidden", ["I2"])]),
    ("7.7 two reveals at once", "sectors", [*REVEAL, ("sectors.jeweler.tile", None)]),
]


@pytest.mark.parametrize(
    ("path", "changes"), [row[1:] for row in BROKEN_TOGETHER], ids=[row[0] for row in BROKEN_TOGETHER]
)
def test_facts_that_do_not_fit_together_are_refused(path: str, changes: list[tuple[str, Any]]) -> None:
    right = visit_document()
    atlantis_envs.game("atlandice").from_json(right)
    for place, value in changes:
        lift(place, value)(right)
    assert any(found.startswith(path) for found in faults_of(right)), faults_of(right)


def test_7_7_every_reveal_of_a_setup_has_a_choice() -> None:
    """A later District with a single tile would come to a node of one outcome."""
    data = GAME.initial_position().to_json()
    data["sectors"]["forge"]["hidden"] = ["F2"]
    assert faults_of(data) == ["sectors"]


def test_17_4_nothing_lies_on_an_exhausted_district() -> None:
    for place, value in (
        ("sectors.jeweler.dice", 1),
        ("sectors.jeweler.resources", {"book": 1}),
        ("sectors.market.resources", {"gem": 1}),
        ("participants.1.stock", {"gem": 1}),
    ):
        data = visit_document()
        lift("sectors.jeweler", {"tile": None, "hidden": [], "resources": {}, "dice": 0})(data)
        lift("sectors.market.resources", {})(data)
        lift("sectors.market.dice", 7)(data)
        atlantis_envs.game("atlandice").from_json(data)
        lift(place, value)(data)
        lift("sectors.market.dice", 6 if place.endswith("dice") else 7)(data)
        assert faults_of(data) == ["sectors"]


def test_the_error_survives_a_process_boundary() -> None:
    with pytest.raises(PositionError) as caught:
        GAME.from_json({})
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.faults == caught.value.faults and str(again) == str(caught.value)


def test_every_error_is_a_value_error_of_the_library() -> None:
    for error in (IllegalActionError, IllegalChanceError, OptionError, PositionError, ReplayError):
        assert issubclass(error, AtlantisError) and issubclass(error, ValueError)


def test_from_json_does_not_keep_the_document(game: Game) -> None:
    """Changing the document afterwards changes no position, and the other way round."""
    data = game.initial_position().to_json()
    position = game.from_json(data)
    before = position.key()
    data["sectors"]["inn"]["resources"]["provision"] = 0
    data["options"]["needles"]["M1"] = 3
    assert position.key() == before
    written = position.to_json()
    written["options"]["needles"].clear()
    written["participants"].clear()
    assert position.to_json() != written and position.key() == before
