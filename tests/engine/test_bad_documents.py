"""Faulty documents and moves, for the games without a file of their own for that: refused, or sound and playable."""

from __future__ import annotations

import copy
import pickle
import random
from functools import cache
from typing import Any

import pytest
from helpers.faults import JSON, PLACES, mutated, paths, play_out, text_of, value_at
from helpers.support import moves, play, scaled, scattered, word
from hypothesis import given, settings
from hypothesis import strategies as st

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import AtlantisError, IllegalActionError, IllegalChanceError, PositionError

NAMES = ("atlantis", "atlantis_rising")
PLAYERS = {"atlantis": (2, 3, 4), "atlantis_rising": (1, 2, 4, 7)}


@cache
def documents(name: str) -> tuple[dict[str, Any], ...]:
    """Positions of every number of players, spread over random games."""
    found: list[dict[str, Any]] = []
    for players in PLAYERS[name]:
        game = atlantis_envs.game(name, players=players)
        found += [position.to_json() for position in scattered(game, 40, seed=players)]
    return tuple(found)


def faults_of(name: str, broken: Any) -> list[str]:
    """The JSON paths at fault; the document stays as it is."""
    before = copy.deepcopy(broken)
    with pytest.raises(PositionError) as caught:
        atlantis_envs.game(name).from_json(broken)
    assert pickle.dumps(broken) == pickle.dumps(before)
    assert caught.value.faults and "\n" not in str(caught.value)
    return [path for path, _ in caught.value.faults]


def one_of(name: str, number: int) -> dict[str, Any]:
    found = documents(name)
    return copy.deepcopy(found[number % len(found)])


# ---- one thing wrong


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_key_is_named_wherever_it_stands(name: str) -> None:
    for number, path in enumerate(paths(documents(name)[0])):
        broken = one_of(name, 0)
        holder = value_at(path, broken)
        if isinstance(holder, dict) and path[:1] != ("options",):
            holder["Tint"] = 0
            assert text_of((*path, "Tint")) in faults_of(name, broken), number


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_key_of_the_document_is_named(name: str) -> None:
    for key in documents(name)[0]:
        if key not in ("log", "data"):
            broken = one_of(name, 0)
            del broken[key]
            assert key in faults_of(name, broken)


WRONG_VALUES: list[Any] = [2.5, float("nan"), -2, 10**9, 10**5_000, "Tint", b"x", [["x"]], {"x": {"x": 1}}, (1,)]


@pytest.mark.parametrize("name", NAMES)
def test_a_value_that_belongs_nowhere_is_named(name: str) -> None:
    """At places drawn from all documents, every value that no place allows."""
    for number in range(scaled(60, 4_000)):
        document = one_of(name, word(name, number))
        found = [path for path in paths(document) if path and path[0] != "log"]
        path = found[word(name, number, "place") % len(found)]
        for value in WRONG_VALUES:
            broken = copy.deepcopy(document)
            value_at(path[:-1], broken)[path[-1]] = value
            named = faults_of(name, broken)
            assert any(place.startswith(text_of(path[:1])) for place in named), (path, value, named)


# ---- faults at random


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.sampled_from([0.0, 2.5, -(2**31), 2**31, 2**63, "", "ring", "ring 3", "ring 3+", "box", "over", "play", "pay"]),
    st.sampled_from(["deploy", "actions", "floods", "hills", "forges", "artificer", "leader", "gold", "draw", "build"]),
    st.lists(st.sampled_from(["ring", "crown 2", "hills", 0, 1, True, None]), max_size=3),
    st.dictionaries(st.sampled_from(["ring", "gold", "seat", "leader"]), st.integers(0, 13), max_size=2),
)


@pytest.mark.parametrize("name", NAMES)
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


@pytest.mark.parametrize("name", NAMES)
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
            assert offered[0] in str(caught.value)
    assert (position.key(), position.log) == before


@pytest.mark.parametrize("name", NAMES)
def test_every_move_that_cannot_happen_is_refused(name: str) -> None:
    for players in PLAYERS[name]:
        game = atlantis_envs.game(name, players=players)
        for number in range(scaled(4, 200)):
            position = play(game.initial_position(), word(name, players, number) % 300, random.Random(number))
            if position.node != "over":
                refuse_all_others(game, position)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("move", [True, 1.0, None, b"x", [], {}, -1, 10**30, "", "Tint"])
def test_no_junk_is_a_move(name: str, move: Any) -> None:
    position = play(atlantis_envs.game(name).initial_position(), 60, random.Random(2))
    for _ in range(40):
        before = position.key()
        with pytest.raises(AtlantisError, match="allowed: "):
            position.apply(move)
        assert position.key() == before
        play(position, 1, random.Random(before))
