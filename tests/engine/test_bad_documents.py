"""Faulty documents and moves of every game: refused, or sound and playable."""

from __future__ import annotations

import copy
import pickle
import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers.atlandice_random import random_document
from helpers.faults import JSON, PLACES, Unprintable, endless, exchange, mutated, paths, play_out, text_of, value_at
from helpers.support import moves, play, scaled, scattered, word
from hypothesis import given, settings
from hypothesis import strategies as st

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import MOST_FAULTS, AtlantisError, IllegalActionError, IllegalChanceError, PositionError

PLAYERS = {"atlandice": (2, 3, 4), "atlantis": (2, 3, 4), "atlantis_rising": (1, 2, 4, 7)}
every_game = pytest.mark.parametrize("name", PLAYERS)


@cache
def documents(name: str) -> tuple[dict[str, Any], ...]:
    """Positions of every number of players, spread over random games; of Atlandice the first is inside an exchange."""
    found: list[dict[str, Any]] = []
    for players in PLAYERS[name]:
        game = atlantis_envs.game(name, players=players)
        found += [position.to_json() for position in scattered(game, 40, seed=players)]
        if name == "atlandice":
            found += [random_document(players, random.Random(number)) for number in range(40)]
    return (exchange(), *found) if name == "atlandice" else tuple(found)


def faults_of(name: str, broken: Any, frozen: bool = True) -> list[str]:
    """The JSON paths at fault; the document stays as it is."""
    before = pickle.dumps(broken) if frozen else b""
    with pytest.raises(PositionError) as caught:
        atlantis_envs.game(name).from_json(broken)
    error = caught.value
    assert not frozen or pickle.dumps(broken) == before
    assert error.faults and "\n" not in str(error)
    told = "; ".join(f"{path or 'position'}: {text}" for path, text in error.faults[:MOST_FAULTS])
    assert str(error).startswith(told) and (str(error) == told or len(error.faults) > MOST_FAULTS)
    return [path for path, _ in error.faults]


def one_of(name: str, number: int) -> dict[str, Any]:
    found = documents(name)
    return copy.deepcopy(found[number % len(found)])


# ---- one thing wrong


@every_game
def test_an_unknown_key_is_named_wherever_it_stands(name: str) -> None:
    for number, path in enumerate(paths(documents(name)[0])):
        for key in ("Tint", "", "game ") if name == "atlandice" else ("Tint",):
            broken = one_of(name, 0)
            holder = value_at(path, broken)
            if isinstance(holder, dict) and (name == "atlandice" or path[:1] != ("options",)):
                holder[key] = 0
                assert text_of((*path, key)) in faults_of(name, broken), number


def may_be_left_out(name: str, path: tuple[Any, ...]) -> bool:
    """Options have defaults, and what is not held is not listed; of other games the first level is looked at."""
    if name != "atlandice":
        return len(path) > 1 or path[0] in ("log", "data")
    optional = path[0] == "options" and path[1:2] not in ((), ("players",))
    return optional or "resources" in path[:-1] or "stock" in path[:-1]


@every_game
def test_a_missing_key_is_named(name: str) -> None:
    for path in paths(documents(name)[0]):
        if path and isinstance(path[-1], str) and not may_be_left_out(name, path):
            broken = one_of(name, 0)
            value_at(path[:-1], broken).pop(path[-1])
            assert text_of(path) in faults_of(name, broken)


WRONG_VALUES: list[Any] = [2.5, float("nan"), float("inf"), -2, 10**9, 10**5_000, "", "Tint", b"x", [["x"]], (1.5,)]
WRONG_VALUES += [{"x": {"x": 1}}, object(), np.int64(1), np.array([1, 2]), Unprintable(), endless()]


@every_game
def test_a_value_that_belongs_nowhere_is_named(name: str) -> None:
    """Every value that no place allows, at every place of a document of Atlandice, and at places drawn from others."""
    if name == "atlandice":
        places = [(one_of(name, 0), path) for path in paths(documents(name)[0]) if path]
    else:
        drawn = [(one_of(name, word(name, number)), word(name, number, "place")) for number in range(scaled(60, 4_000))]
        found = [(data, [path for path in paths(data) if path and path[0] != "log"], at) for data, at in drawn]
        places = [(data, own[at % len(own)]) for data, own, at in found]
    for document, path in places:
        exact = name == "atlandice" and "neutral_ranked" not in path  # a list that is judged as a whole
        for value in WRONG_VALUES:
            holder = value_at(path[:-1], document)
            right, holder[path[-1]] = holder[path[-1]], value
            named = faults_of(name, document, frozen=False)
            holder[path[-1]] = right
            expected = text_of(path if exact else path[: 2 if name == "atlandice" else 1])
            assert any(place.startswith(expected) for place in named), (path, named)


def test_bool_is_no_integer_and_integer_no_bool() -> None:
    for path in paths(exchange()):
        value = value_at(path, exchange())
        if isinstance(value, (bool, int)):
            broken = one_of("atlandice", 0)
            value_at(path[:-1], broken)[path[-1]] = int(value) if isinstance(value, bool) else value == 1
            assert text_of(path) in faults_of("atlandice", broken)


@every_game
def test_no_junk_is_a_document(name: str) -> None:
    for value in (None, 3, name, [], [one_of(name, 0)], True, {}, endless(), b"{}"):
        faults_of(name, value, frozen=False)


# ---- faults at random


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.sampled_from([0.0, 2.5, -(2**31), 2**31, 2**63, "", "ring", "ring 3", "ring 3+", "box", "over", "play", "pay"]),
    st.sampled_from(
        ["gem", "inn", "market", "neutral", "J1", "visit", "take", "donate", "roll", "die", "reveal", "extra"]
    ),
    st.sampled_from(["deploy", "actions", "floods", "hills", "forges", "artificer", "leader", "gold", "draw", "build"]),
    st.lists(st.sampled_from(["ring", "crown 2", "hills", 0, 1, True, None]), max_size=3),
    st.dictionaries(st.sampled_from(["ring", "gold", "gem", "seat", "leader", "type"]), st.integers(0, 13), max_size=2),
)


@every_game
@settings(max_examples=scaled(150, 5_000), deadline=None)
@given(
    start=st.integers(0, 10_000),
    changes=st.lists(st.tuples(PLACES, st.integers(0, 5), VALUES), min_size=1, max_size=3),
)
def test_a_document_with_random_faults_is_refused_or_can_be_played(
    name: str, start: int, changes: list[tuple[int, int, Any]]
) -> None:
    data = one_of(name, start)
    for change in changes:
        mutated(data, *change)
    before = repr(data)
    try:
        position = atlantis_envs.game(name).from_json(data)
    except PositionError as error:
        assert error.faults and all(isinstance(path, str) and text for path, text in error.faults)
        assert repr(data) == before, "the document was changed"
        return
    assert position.game.from_json(position.to_json()) == position
    play_out(position, random.Random(start))


@every_game
@settings(max_examples=scaled(150, 5_000), deadline=None)
@given(number=st.integers(0, 10_000), place=PLACES, value=JSON)
def test_any_json_at_any_place_is_refused_as_a_position_error_or_sound(
    name: str, number: int, place: int, value: Any
) -> None:
    data: Any = one_of(name, number)
    found = paths(data)
    path = found[place % len(found)]
    if path:
        value_at(path[:-1], data)[path[-1]] = value
    else:
        data = value
    try:
        position = atlantis_envs.game(name).from_json(data)
    except PositionError:
        return
    assert position.check() == 0


# ---- moves


def refuse_all_others(game: Game, position: Position) -> None:
    """Everything that cannot happen here, by id and by text; the message says what can, and nothing has changed."""
    offered = moves(position)
    chance = position.node == "chance"
    before = position.key(), list(position.log)
    for index, text in enumerate(game.outcomes if chance else game.actions):
        if text in offered:
            continue
        for move in (index, text):
            with pytest.raises(IllegalChanceError if chance else IllegalActionError, match="allowed: ") as caught:
                position.apply(move)
            assert offered[0] in str(caught.value) and (chance or text in str(caught.value))
    assert (position.key(), position.log) == before


@every_game
def test_every_move_that_cannot_happen_is_refused(name: str) -> None:
    for players in PLAYERS[name]:
        game = atlantis_envs.game(name, players=players)
        for number in range(scaled(4, 200)):
            position = play(game.initial_position(), word(name, players, number) % 300, random.Random(number))
            if position.node != "over":
                refuse_all_others(game, position)


@every_game
@pytest.mark.parametrize("move", [True, 1.0, None, b"x", [], {}, -1, 10**30, "", "Tint"])
def test_no_junk_is_a_move(name: str, move: Any) -> None:
    position = play(atlantis_envs.game(name).initial_position(), 60, random.Random(2))
    for _ in range(40):
        before = position.key()
        with pytest.raises(AtlantisError, match="allowed: "):
            position.apply(move)
        assert position.key() == before
        play(position, 1, random.Random(before))
