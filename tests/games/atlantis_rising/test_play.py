"""Long random play: nothing is ever broken, nothing appears or vanishes, every effect is reached, games end in time."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from helpers.atlantis_rising_starts import from_the_gate, from_the_middle, random_options
from helpers.support import Walk, play, scaled, to_decision

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError, PositionError
from atlantis_envs.games.atlantis_rising.state import NODES

NODES_EACH = scaled(60_000, 20_000_000)  # per number of players
GAME = atlantis_envs.game("atlantis_rising")


def position_in(players: int, number: int, make: Any = from_the_middle) -> Position:
    position: Position = make(players, random.Random(f"{players} {number}"))[0]
    return position


def totals(document: dict[str, Any]) -> dict[str, Any]:
    """What never changes during play (properties of section 23)."""
    library, cards = document["library"], document["misfortunes"]
    frames = document["pending"]
    played = [frame["card"] for frame in frames if frame["do"] == "card"]
    drawn = [card for frame in frames if frame["do"] == "library" for card in frame["drawn"]]
    turned = [frame["card"] for frame in frames if frame["do"] == "misfortune"]
    found: dict[str, Any] = {"library": {}, "misfortunes": {}, "followers": [], "volunteers": document["volunteers"]}

    def count(table: str, heap: Any) -> None:
        for name in heap:
            number = heap[name] if isinstance(heap, dict) else 1
            found[table][name] = found[table].get(name, 0) + number

    parts = [library["deck"], library["bottom"], library["discard"], document["unused_artifacts"], played, drawn]
    for part in (*parts, *(seat[key] for seat in document["seats"] for key in ("hand", "artifacts"))):
        count("library", part)
    own = [seat["scholar_artifact"] for seat in document["seats"]]
    count("library", [name for name in (*own, (document["hologram"] or {}).get("artifact")) if name])
    for part in (cards["deck"], cards["top"], cards["discard"], turned):
        count("misfortunes", part)
    for number, seat in enumerate(document["seats"]):
        on_board = {"follower": 0, "volunteer": 0}
        for entry in document["placed"]:
            if entry["seat"] == number and entry["kind"] in on_board:
                on_board[entry["kind"]] += entry["ready"] + entry["done"]
        found["followers"].append(seat["home"]["follower"] + on_board["follower"] + seat["reserve"] + seat["removed"])
        found["volunteers"] += seat["home"]["volunteer"] + seat["spent_volunteers"] + on_board["volunteer"]
    return found


@pytest.mark.parametrize("players", range(1, 8))
def test_random_play_is_sound_and_ends_in_time(players: int) -> None:
    finished = 0
    for level in range(1, 6):
        game = atlantis_envs.game("atlantis_rising", players=players, level=level)
        walk = Walk(game, level)
        assert walk.advance(NODES_EACH // 5) == 0
        finished += walk.finished
        assert walk.longest < 12_000 * 30
    assert finished > NODES_EACH // 8_000


@pytest.mark.parametrize("players", range(1, 8))
def test_nothing_appears_or_vanishes(players: int) -> None:
    dice = random.Random(players)
    for number in range(scaled(3, 60)):
        options = random_options(players, dice)
        position = play(atlantis_envs.game("atlantis_rising", **options).initial_position(), 40, dice)
        kept = totals(position.to_json())
        assert sum(kept["library"].values()) == 22 + 11
        assert kept["volunteers"] == 8 and len(set(kept["followers"])) == 1
        for _ in range(30):
            play(position, 1 + number + dice.randrange(12), dice)
            document = position.to_json()
            found, archive = (
                totals(document),
                "archive recovery",
            )  # the card leaves the game when it is over (12.4)
            running = any(frame.get("card") == archive for frame in document["pending"])
            gone = position.log.count(f"play {archive}") - running
            found["library"][archive] = found["library"].get(archive, 0) + gone
            assert found == kept
            dry = [name for name in document["barriers"] if document["flooded"][name] == 6]
            assert not dry
            if position.node == "over":
                break


def test_together_everything_is_reached() -> None:
    """Every node, card, councilor, component and misfortune is met; what is left over could only be listed here."""
    used = np.zeros(len(GAME.actions), np.int64)
    drawn = np.zeros(len(GAME.outcomes), np.int64)
    nodes = np.zeros(len(NODES), np.int64)
    dice = random.Random(7)
    for number in range(scaled(250, 4_000)):
        players = 1 + number % 7
        position = position_in(players, number, dice.choice([from_the_middle, from_the_gate]))
        walk = Walk(position.game, number)
        walk.place(position.state)
        for _ in range(200):
            nodes[walk.states.node[0]] += 1
            assert walk.advance(1) == 0
        for _ in range(3):
            assert walk.advance(150) == 0
        used += walk.used
        drawn += walk.drawn
    unused = {GAME.actions[number] for number in np.flatnonzero(used == 0)}
    undrawn = {GAME.outcomes[number] for number in np.flatnonzero(drawn == 0)}
    assert not {text for text in undrawn if not text.startswith(("first", "artificer"))}
    assert not {text for text in unused if not text.startswith(("contribute", "discard", "remove", "reroll"))}
    assert len(unused) < 25
    setup = {"over", "C1 first", "C2 artifact", "C3 component", "C4 artificer", "C5 councilor", "draft"}
    assert {NODES[number] for number in np.flatnonzero(nodes == 0)} <= {*setup, "scholar", "C6 scholar"}


# What a position shows while the effect of a councilor or an artifact is at work (2.5, 2.7).


def spoil(document: dict[str, Any], path: str, value: Any) -> None:
    *inner, last = path.split(".")
    for key in inner:
        document = document[int(key) if key.isdigit() else key]
    if value is KeyError:
        del document[last]
    else:
        document[last] = value


SPOILED: list[tuple[str, Any, str]] = [
    ("round", KeyError, "round"),
    ("extra", 1, "extra"),
    ("players", 8, "players"),
    ("level", True, "level"),
    ("options", {"level": 2}, "options.level"),
    ("options", {"hands_open": 1}, "options.hands_open"),
    ("phase", "lunch", "phase"),
    ("turn", 1.0, "turn"),
    ("flooded.hills", 7, "flooded.hills"),
    ("flooded.hills", KeyError, "flooded.hills"),
    ("barriers", ["hills", "hills"], "barriers"),
    ("built", ["power core", "power core"], "built[0]"),
    ("seats", [], "seats"),
    ("seats.0.energy", -1, "seats[0].energy"),
    ("seats.1.councilor", "baker", "seats[1].councilor"),
    ("seats.1.used", ["miner idol"], "seats[1].used[0]"),
    ("seats.1.home.leader", True, "seats[1].home.leader"),
    ("seats.2.hand", {"miner idol": 1}, "seats[2].hand.miner idol"),
    ("placed", [{"at": "hills 1", "seat": 0, "kind": "leader", "ready": 0, "done": 0}], "placed[0]"),
    ("library.bottom", ["seaweed"], "library.bottom[0]"),
    ("misfortunes.top", ["hills"] * 5, "misfortunes.top"),
    ("councilors", {}, "councilors"),
    ("effects.build_limit", 2, "effects.build_limit"),
    ("held", {"seat": 0, "kind": "follower", "companion": None}, "held.kind"),
    ("pending", [{"do": "dance"}], "pending[0].do"),
    ("pending", [{"do": "turn"}, {"do": "place", "seat": 0}], "pending[1].kind"),
    ("result", {"win": True, "reason": "sunk"}, "result.win"),
    ("wrath", 6, "wrath"),
]


@pytest.mark.parametrize(("path", "value", "fault"), SPOILED, ids=lambda part: str(part)[:30])
def test_a_faulty_document_is_refused_with_its_place(path: str, value: Any, fault: str) -> None:
    document = to_decision(GAME.initial_position(), random.Random(1)).to_json()
    spoil(document, path, value)
    with pytest.raises(PositionError) as raised:
        GAME.from_json(document)
    assert fault in [place for place, _ in raised.value.faults]


IMPOSSIBLE: list[tuple[dict[str, Any], str]] = [
    ({"passes": 2, "phase": "wrath"}, "phase"),
    ({"floods": 1}, "phase"),
    ({"draws": [0]}, "phase"),
    ({"window": True}, "phase"),
    ({"round": 0}, "phase"),
    ({"flooded.hills": 6, "barriers": ["hills"]}, "barriers"),
    ({"placed": [{"at": "gate 3", "seat": 0, "kind": "follower", "ready": 1, "done": 0}]}, "placed"),
    ({"placed": [{"at": "hills 1", "seat": 0, "kind": "follower", "ready": 3, "done": 0}]}, "placed"),
    ({"placed": [{"at": "hills 6", "seat": 0, "kind": "leader", "ready": 1, "done": 0}]}, "placed"),
    ({"placed": [{"at": "prism lens", "seat": 0, "kind": "follower", "ready": 1, "done": 0}]}, "placed"),
    ({"seats.0.hand": {"augury": 1}}, "seats"),
    ({"misfortunes.discard": {"panic": 1}}, "misfortunes"),
    ({"seats.0.councilor": None}, "councilors"),
    ({"blueprint": ["power core"]}, "blueprint"),
    ({"pending": [{"do": "place", "seat": 0, "kind": "follower"}]}, "pending"),
    ({"pending": [{"do": "turn"}, {"do": "place", "seat": 0, "kind": "volunteer"}]}, "pending"),
    ({"pending": [{"do": "turn"}, {"do": "lift", "seat": 0, "kind": "follower"}]}, "pending"),
    ({"pending": [{"do": "turn"}, {"do": "resolve", "seat": 0}]}, "pending"),
    ({"pending": [{"do": "board", "seen": []}]}, "pending"),
]


@pytest.mark.parametrize(("changes", "fault"), IMPOSSIBLE, ids=lambda part: str(part)[:40])
def test_an_impossible_position_is_refused(changes: dict[str, Any], fault: str) -> None:
    document = to_decision(GAME.initial_position(), random.Random(1)).to_json()
    for path, value in changes.items():
        spoil(document, path, value)
    with pytest.raises(PositionError) as raised:
        GAME.from_json(document)
    assert fault in [place for place, _ in raised.value.faults]


# ---- information (15)


def test_15_1_open_hands_leave_nothing_to_resample() -> None:
    for number in range(20):
        document = position_in(4, number).to_json()
        if not document["options"].pop("hands_open", True):
            for own in document["seats"]:
                del own["shown"]
        position = play(GAME.from_json(document), 60, random.Random(number))
        assert position.resample(number % 4, number) == position


@pytest.mark.parametrize("players", range(2, 8))
def test_15_2_closed_hands_are_redrawn_and_never_seen(players: int) -> None:
    """A redrawn position looks the same to its seat; cards only change places between what it cannot see."""
    changed = 0
    for number in range(scaled(6, 200)):
        dice = random.Random(f"closed {players} {number}")
        start = position_in(players, number, (from_the_middle, from_the_gate)[number % 2]).to_json()
        start["options"]["hands_open"] = False
        for own in start["seats"]:
            own["shown"] = {card: 1 for card in own["hand"] if dice.random() < 0.2}
        position = GAME.from_json(start)
        for _ in range(25):
            play(position, 1 + dice.randrange(6), dice)
            for seat in range(players):
                twin = position.resample(seat, number)
                assert twin.faults() == [] and (twin.node, twin.seat) == (position.node, position.seat)
                assert twin.observation(seat).tobytes() == position.observation(seat).tobytes()
                assert twin.action_mask(seat).tobytes() == position.action_mask(seat).tobytes()
                assert seat != position.seat or twin.legal_actions() == position.legal_actions()
                assert position.resample(seat, number) == twin
                changed += twin != position
        before, after = position.to_json(), twin.to_json()
        assert totals(before)["library"] == totals(after)["library"]
        assert before["seats"][seat] == after["seats"][seat]
        for one, two in zip(before["seats"], after["seats"], strict=True):
            assert sum(one["hand"].values()) == sum(two["hand"].values())
            assert one["artifacts"] == two["artifacts"]
    assert changed > 25 * players


# ---- data and options (2, 17)


def test_the_shipped_tables_are_the_defaults() -> None:
    assert GAME.players == 4
    assert GAME.describe().options["data"] == {}
    assert len(GAME.actions) == 231
    assert "levels" in " ".join(entry.replaceable for entry in GAME.describe().provenance)


def test_tables_are_replaced_and_written_with_the_position(tmp_path: Any) -> None:
    tables = {
        "tiles": [{"id": "hills 1", "target": 6, "spaces": 2}],
        "wrath": {"values": [0, 2]},
        "constants": {"barrier_cost": 2, "lift_budget": 5},
    }
    (tmp_path / "tables.json").write_text(json.dumps(tables), encoding="utf-8")
    game = atlantis_envs.game("atlantis_rising", data=tmp_path / "tables.json", round_limit=7)
    assert game == atlantis_envs.game("atlantis_rising", data=tables, round_limit=7) != GAME
    position = play(game.initial_position(), 50, random.Random(3))
    document = position.to_json()
    assert document["options"]["round_limit"] == 7
    assert document["options"]["data"]["tiles"] == [{"id": "hills 1", "spaces": 2, "target": 6}]
    again = GAME.from_json(document)
    assert again == position and again.game == game
    assert atlantis_envs.game("atlantis_rising", data={"game": "atlantis_rising"}) == GAME


@pytest.mark.parametrize(
    ("tables", "place"),
    [
        ({"tile": []}, "data.tile"),
        ({"tiles": [{"id": "hills 7"}]}, "data.tiles[0].id"),
        ({"tiles": [{"id": "hills 1", "target": 13}]}, "data.tiles[0].target"),
        ({"components": [{"id": "spirit seal", "price": {"gold": 1}}]}, "data.components[0].price.crystal"),
        ({"levels": [{"level": 2, "components": {"A": 9, "B": 0, "C": 0, "D": 0}}]}, "data.levels"),
        ({"wrath": {"values": []}}, "data.wrath.values"),
        ({"constants": {"barriers": 7}}, "data.constants.barriers"),
        ({"artifacts": [{"id": "miner idol", "scholar_symbol": False}]}, "data.artifacts"),
    ],
)
def test_faulty_tables_are_refused_with_their_place(tables: dict[str, Any], place: str) -> None:
    with pytest.raises(OptionError, match=place.replace("[", r"\[").replace("]", r"\]")):
        atlantis_envs.game("atlantis_rising", data=tables)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"level": 6}, "level"),
        ({"first_player": 4}, "first_player"),
        ({"first_player": True}, "first_player"),
        ({"councilors": ["priest"]}, "councilors"),
        ({"councilors": ["priest"] * 4}, "councilors"),
        ({"blueprint": ["solar matrix"] * 9, "level": 2}, "blueprint"),
        ({"round_limit": 0}, "round_limit"),
        ({"solo_energy": "never"}, "solo_energy"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_faulty_options_are_refused_by_name(options: dict[str, Any], place: str) -> None:
    with pytest.raises(OptionError, match=place):
        atlantis_envs.game("atlantis_rising", **options)


def test_a_cooperative_game_pays_everybody_the_same() -> None:
    batch = atlantis_envs.game("atlantis_rising", players=3, round_limit=1).batch(32, seed=1)
    ended = 0
    for _ in range(600):
        first = batch.action_masks.argmax(axis=1)
        rewards, over = batch.step(first)
        ended += int(over.sum())
        assert (rewards == rewards[:, :1]).all()
        assert (batch.final_scores[over] == batch.final_scores[over][:, :1]).all()
    assert ended > 0
