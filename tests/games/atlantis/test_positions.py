"""Positions and options of Atlantis from outside; long random play; the same with and without the compiler."""

from __future__ import annotations

import json
import random
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import soak
from helpers import atlantis_scenarios
from helpers.atlantis_random import random_options, random_tile_set
from helpers.support import moves, scaled

import atlantis_envs
from atlantis_envs.errors import OptionError, PositionError

NODES = scaled(1_000_000, 100_000_000)  # per number of players and preset
GAME = atlantis_envs.game("atlantis", players=3)
[_BLOCK] = re.findall(r"^```json\n(.*?)^```", atlantis_scenarios.TEXT, re.DOTALL | re.MULTILINE)
EXAMPLE: dict[str, Any] = json.loads(_BLOCK)


# ---- long random play (15)


@pytest.mark.parametrize("preset", ["amigo", "brettspielwelt"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_play_is_sound_ends_and_reaches_everything(players: int, preset: str) -> None:
    game = atlantis_envs.game("atlantis", players=players, preset=preset)
    report = soak.soak(game, NODES, seed=players)
    assert report.fault == ""
    assert report.nodes == NODES
    assert report.games > NODES // 2_000
    assert 0 < report.longest <= report.bound
    texts = (*game.actions, *game.outcomes)
    never = {text for text, n in zip(texts, [*report.used, *report.drawn], strict=True) if not n}
    assert {text for text in never if not text.startswith("bridge")} == {f"seat {seat}" for seat in range(4)}
    assert len(never) < 30


def test_15_bounds() -> None:
    """The numbers of 15.2 for four seats lie inside the bound."""
    assert 37_345 < atlantis_envs.game("atlantis").describe().node_bound < 10**6


def test_random_options_play_soundly() -> None:
    for number in range(12):
        dice = random.Random(number)
        players = dice.choice([2, 3, 4])
        game = atlantis_envs.game("atlantis", players=players, **random_options(dice, players))
        assert soak.soak(game, 50_000, seed=number).fault == ""


# ---- the same everywhere


# ---- reading positions (16)


def changed(path: str, value: Any) -> dict[str, Any]:
    """The example of 16.3 with one value replaced; `...` removes it."""
    document = deepcopy(EXAMPLE)
    *way, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    target: Any = document
    for step in way:
        target = target[step]
    if value is ...:
        del target[last]
    else:
        target[last] = value
    return document


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("game", "atlandice", "game"),
        ("players", 5, "players"),
        ("players", True, "players"),
        ("phase", "pause", "phase"),
        ("phase", ..., "phase"),
        ("extra", 1, "extra"),
        ("first", 3, "first"),
        ("seat", "0", "seat"),
        ("idle", 4, "idle"),
        ("idle", -1, "idle"),
        ("options/preset", "amigo", "options.preset"),
        ("options/overpay", "maybe", "options.overpay"),
        ("options/pass_bonus", 1, "options.pass_bonus"),
        ("options/start_hand", [4, 5], "options.start_hand"),
        ("options/start_hand", [4, 5, 27], "options.start_hand[2]"),
        ("options/tile_set", {"A": {"ring 1": 42}, "B": {"ring 1": 41}}, "options.tile_set.B"),
        ("path", [], "path"),
        ("path/1", "ring 8", "path[1]"),
        ("path/1", "ring 4++", "path[1]"),
        ("path/1", "?", "path[1]"),
        ("path/1", 4, "path[1]"),
        ("path/26", "ring 4", "path"),
        ("path/5", "ring 2+", "bag"),
        ("path/16", "ring 1+", "path"),
        ("bag/A/ring 9", 1, "bag.A.ring 9"),
        ("bag/A/ring 1", 0, "bag.A.ring 1"),
        ("bag/A/ring 1", 1, "bag"),
        ("bag/B", ..., "bag.B"),
        ("bridges", [26, 8, 12], "bridges"),
        ("bridges", [53], "bridges[0]"),
        ("bridges", [52], "bridges"),
        ("bridges", [2], "bridges"),
        ("pile/ring", 16, "pile.ring"),
        ("pile/ring", 2, "pile"),
        ("discard", [], "discard"),
        ("seats", [], "seats"),
        ("seats/0/pawns/0", 54, "seats[0].pawns[0]"),
        ("seats/0/pawns/0", 1, "seats"),
        ("seats/0/pawns/0", 21, "seats"),
        ("seats/0/known/ring", 2, "seats"),
        ("seats/0/known/ring", 1.0, "seats[0].known.ring"),
        ("seats/0/bridge", None, "seats[0].bridge"),
        ("seats/0/tiles/8", 1, "seats[0].tiles.8"),
        ("seats/2/hand", ..., "seats[2].hand"),
        ("turn/bought/crown", 2, "seats"),
        ("turn/sold", 2, "phase"),
        ("turn/sold", 0, "seats"),
        ("turn/pawn", 0, "turn"),
        ("turn/pawn", None, "turn"),
        ("turn/x", 42, "turn"),
        ("turn/x", 45, "turn"),
        ("turn/due", 0, "turn"),
        ("turn/due", 3, "turn"),
        ("turn/due", 5.0, "turn.due"),
        ("turn/last", "tile 8", "turn.last"),
        ("turn/last", None, "turn"),
        ("turn/space", 3, "turn"),
        ("turn/draws", 1, "turn"),
        ("turn/then", "next", "turn"),
        ("turn/then", "later", "turn.then"),
        ("scores", [1, 2, 3], "scores"),
        ("seat", None, "phase"),
        ("first", None, "phase"),
        ("first", 1, "phase"),
    ],
)
def test_16_faults_are_found_with_their_place(path: str, value: Any, fault: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.from_json(changed(path, value))
    assert fault in [place for place, _ in caught.value.faults]


def test_16_every_fault_is_reported() -> None:
    document = changed("path/1", "ring 8")
    document["seats"][1]["hand"]["ring"] = -1
    document["turn"]["due"] = 1000
    with pytest.raises(PositionError) as caught:
        GAME.from_json(document)
    assert {place for place, _ in caught.value.faults} == {"path[1]", "seats[1].hand.ring", "turn.due"}


def test_8_wrong_final_scores_are_found() -> None:
    position = GAME.from_json({**EXAMPLE, "idle": 0})
    dice = random.Random(2)
    while position.node != "over":
        position.apply(dice.choice(moves(position)))
    document = position.to_json()
    document["scores"][1] += 1
    with pytest.raises(PositionError, match="scores"):
        GAME.from_json(document)


def test_7_7_an_empty_pile_beside_a_discard_waits_only_by_option() -> None:
    document = changed("turn/sold", 1)
    for thing, count in document["pile"].items():
        document["box"][thing] = document["box"].get(thing, 0) + count
    document["pile"] = {}
    with pytest.raises(PositionError) as caught:
        GAME.from_json(document)
    assert [place for place, _ in caught.value.faults] == ["pile"]
    document["options"]["reshuffle"] = "when wanted"
    assert GAME.from_json(document).faults() == []
    document["options"]["reshuffle"] = "at once"
    for thing, count in document["discard"].items():
        document["box"][thing] = document["box"].get(thing, 0) + count
    document["discard"] = {}
    assert GAME.from_json(document).faults() == []


def test_9_2_a_paid_toll_waits_only_by_option() -> None:
    """Nothing due: only after an item, with one left to give, and where overpaying is free."""
    document = changed("turn/due", 0)
    for overpay in ("exact_first", "irredundant"):
        document["options"]["overpay"] = overpay
        with pytest.raises(PositionError, match="turn"):
            GAME.from_json(document)
    document["options"]["overpay"] = "any"
    assert GAME.from_json(document).legal_actions()[0] == "done"
    for last in (None, "card crown"):
        document["turn"]["last"] = last
        with pytest.raises(PositionError, match="turn"):
            GAME.from_json(document)


# ---- options (13)


def test_13_1_presets() -> None:
    amigo = atlantis_envs.game("atlantis").options.to_json()
    page = atlantis_envs.game("atlantis", preset="brettspielwelt").options.to_json()
    assert amigo == atlantis_envs.game("atlantis", preset="amigo").options.to_json()
    assert {name for name in amigo if amigo[name] != page[name]} == {"settlement", "settlement_pawns", "overpay"}
    own = atlantis_envs.game("atlantis", preset="brettspielwelt", overpay="exact_first").options.to_json()
    assert own == {**amigo, "settlement": "subtract", "settlement_pawns": "all"}
    assert atlantis_envs.game("atlantis").players == 4


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "house"},
        {"players": 1},
        {"players": 5},
        {"players": 2.0},
        {"first_player": 0},
        {"start_hand": [4, 5, 6]},
        {"start_hand": [4, 5, 6, 27]},
        {"start_hand": 4},
        {"tile_set": "printed"},
        {"tile_set": {"A": {"ring 1": 42}}},
        {"tile_set": {"A": {"ring 1": 42}, "B": {"ring 0": 42}}},
        {"sells_per_turn": 2},
        {"sells_per_turn": True},
        {"bought_cards_pay": "on"},
        {"paid_cards": None},
        {"reshuffle": "never"},
        {"overpay": "all"},
        {"sell_ones": 1},
        {"settlement_pawns": "none"},
        {"speed": 3},
    ],
)
def test_13_options_outside_their_values(options: dict[str, Any]) -> None:
    name = next(iter(options))
    with pytest.raises(OptionError, match=name):
        atlantis_envs.game("atlantis", **options)


def test_2_tile_sets() -> None:
    """Totals of 2.3 and 2.4; a custom set; a data file in the form of the shipped one."""
    for name, totals in (("reconstructed", (150, 151)), ("uniform", (168, 168))):
        bag = atlantis_envs.game("atlantis", tile_set=name).initial_position().to_json()["bag"]
        points = {side: sum(int(tile[-1]) * n for tile, n in tiles.items()) for side, tiles in bag.items()}
        assert (points["A"], points["B"]) == totals
        assert [sum(tiles.values()) for tiles in bag.values()] == [42, 42]
    own = random_tile_set(random.Random(4))
    for game in (
        atlantis_envs.game("atlantis", tile_set=own),
        atlantis_envs.game("atlantis", data={"game": "atlantis", "tile_set": own}),
    ):
        assert game.initial_position().to_json()["bag"] == own
        assert game.from_json(game.initial_position().to_json()).game == game
    shipped = Path(atlantis_envs.__file__).parent / "games" / "atlantis" / "reconstructed.json"
    assert atlantis_envs.game("atlantis", data=shipped) == atlantis_envs.game("atlantis")
    with pytest.raises(OptionError, match=r"data\.tile_set\.A"):
        atlantis_envs.game("atlantis", data={"tile_set": {"A": {}, "B": {"ring 1": 42}}})


def test_hands_longer_than_the_players_are_kept() -> None:
    game = atlantis_envs.game("atlantis", players=2, start_hand=[1, 2, 26])
    assert game.options.to_json()["start_hand"] == [1, 2, 26]
    assert game.from_json(game.initial_position().to_json()).game == game
