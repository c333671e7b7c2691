"""Long random play: nothing is ever broken, nothing appears or vanishes, every effect is reached, games end in time."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.atlantis_rising_starts import from_the_gate, from_the_middle, random_options
from helpers.support import Walk, moves, play, scaled, to_decision

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError, PositionError
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising import state as s
from atlantis_envs.games.atlantis_rising.layout import LAYOUT
from atlantis_envs.games.atlantis_rising.state import NODES

NODES_EACH = scaled(60_000, 20_000_000)  # per number of players
GAME = atlantis_envs.game("atlantis_rising")
SOLO = ("hologram", "automaton")


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


def on_water(state: Any, councilor: int) -> bool:
    at = int(state.special_at[councilor])
    return 0 <= at < data.NUM_TILES and at % 6 < state.flooded[at // 6]


def rolling(state: Any, frame: Any, artifact: int) -> bool:
    """A wild roll of a seat that has the artifact of this peninsula in play."""
    at_work = (
        frame[s.Column.DO] == s.Frame.WILD and frame[s.Column.PLACE_AT] // 6 == artifact and frame[s.Column.BONUS] > 0
    )
    return bool(at_work and state.artifacts[frame[s.Column.SEAT]] >> artifact & 1)


def voices(state: Any, frame: Any) -> bool:
    """A cities roll with mask of voices."""
    here = frame[s.Column.DO] == s.Frame.CITY
    return here and any(
        state.artifacts[seat] >> data.Artifact.MASK_OF_VOICES & 1 and state.pieces[frame[s.Column.PLACE_AT], seat]
        for seat in range(data.MAX_PLAYERS)
    )


def spoken(state: Any) -> bool:
    """The orator's leader has acted and its owner has a volunteer at home."""
    at, keeper = int(state.special_at[data.Councilor.ORATOR]), int(state.keeper[data.Councilor.ORATOR])
    acted = (
        0 <= keeper < data.MAX_PLAYERS and at >= 0 and state.pieces[at, keeper] >> s.DONE_SHIFT[data.Kind.LEADER] & 1
    )
    return bool(acted and state.home[keeper, data.Kind.VOLUNTEER])


# What a position shows while the effect of a councilor or an artifact is at work (2.5, 2.7).
AT_WORK: dict[str, Callable[[Any, Any, Any], Any]] = {
    "artificer": lambda state, frame, rules: state.node == s.Node.DISCOUNT,
    "explorer": lambda state, frame, rules: (
        frame[s.Column.DO] == s.Frame.WILD and state.special_at[data.Councilor.EXPLORER] == frame[s.Column.PLACE_AT]
    ),
    "priest": lambda state, frame, rules: state.node == s.Node.REROLL,
    "emissary": lambda state, frame, rules: (state.crowd > rules.capacity).any(),
    "navigator": lambda state, frame, rules: on_water(state, data.Councilor.NAVIGATOR),
    "aquanaut": lambda state, frame, rules: on_water(state, data.Councilor.AQUANAUT),
    "scholar": lambda state, frame, rules: state.node == s.Node.SCHOLAR,
    "champion": lambda state, frame, rules: on_water(state, data.Councilor.CHAMPION),
    "astrologer": lambda state, frame, rules: state.node == s.Node.LATE,
    "orator": lambda state, frame, rules: spoken(state),
    "miner idol": lambda state, frame, rules: rolling(state, frame, data.Artifact.MINER_IDOL),
    "golden sieve": lambda state, frame, rules: rolling(state, frame, data.Artifact.GOLDEN_SIEVE),
    "singing shard": lambda state, frame, rules: rolling(state, frame, data.Artifact.SINGING_SHARD),
    "mask of voices": lambda state, frame, rules: voices(state, frame),
    "fate knuckle": lambda state, frame, rules: (state.used & data.Used.FATE_KNUCKLE).any(),
    "tidewatch glass": lambda state, frame, rules: (state.used & data.Used.TIDEWATCH_GLASS).any(),
    "everburning bellows": lambda state, frame, rules: (state.used & data.Used.EVERBURNING_BELLOWS).any(),
    "mystic conduit": lambda state, frame, rules: (state.artifacts >> data.Artifact.MYSTIC_CONDUIT & 1).any(),
    "keystone of wards": lambda state, frame, rules: (
        frame[s.Column.DO] == s.Frame.SHARE
        and frame[s.Column.PURPOSE] == s.Purpose.BARRIER
        and frame[s.Column.REST] + np.maximum(frame[s.Column.GIVES :], 0).sum() == data.KEYSTONE_COST
    ),
    "bottomless satchel": lambda state, frame, rules: (
        state.node == s.Node.ACT
        and (state.hand.sum(axis=1) > 3)[(state.artifacts >> data.Artifact.BOTTOMLESS_SATCHEL & 1) > 0].any()
    ),
    "index of ages": lambda state, frame, rules: (
        frame[s.Column.DO] == s.Frame.LIBRARY
        and frame[s.Column.TO_DRAW] + (frame[s.Column.DRAWN : s.Column.DRAWN + 3] >= 0).sum() == 3
    ),
}


def test_every_councilor_and_artifact_has_been_at_work() -> None:
    assert list(AT_WORK) == [*data.COUNCILORS, *data.ARTIFACTS]
    counts = Counter[str]()
    dice = random.Random(8)
    for number in range(scaled(260, 4_000)):
        position = position_in(1 + number % 7, number, dice.choice([from_the_middle, from_the_gate]))
        walk = Walk(position.game, number)
        walk.place(position.state)
        for _ in range(250):
            assert walk.advance(1) == 0
            state = walk.states[0]
            frame = state.frames[max(0, int(state.num_frames) - 1)]
            counts.update(name for name, shows in AT_WORK.items() if shows(state, frame, position.game.rules[0]))
    assert set(counts) == set(AT_WORK), set(AT_WORK) - set(counts)


@pytest.mark.parametrize("players", range(1, 8))
def test_json_round_trip(players: int) -> None:
    for number, make in enumerate((from_the_middle, from_the_gate) * scaled(6, 100)):
        dice = random.Random(number)
        position = play(position_in(players, number, make), dice.randrange(120), dice)
        text = json.dumps(position.to_json())
        again = GAME.from_json(json.loads(text))
        assert again == position and again.key() == position.key()
        assert json.dumps(again.to_json()) == text
        assert moves(again) == moves(position)


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


def test_15_2_closed_hands_are_redrawn_and_never_seen() -> None:
    changed = 0
    for number in range(scaled(60, 2_000)):
        dice = random.Random(number)
        players = dice.randint(2, 7)
        start = position_in(players, number, dice.choice([from_the_middle, from_the_gate])).to_json()
        start["options"]["hands_open"] = False
        for own in start["seats"]:
            own["shown"] = {card: 1 for card in own["hand"] if dice.random() < 0.2}
        position = play(GAME.from_json(start), dice.randrange(150), dice)
        seat = dice.randrange(players)
        other = position.resample(seat, number)
        assert other.check() == 0
        assert other.observation(seat).tobytes() == position.observation(seat).tobytes()
        assert other.action_mask(seat).tobytes() == position.action_mask(seat).tobytes()
        before, after = position.to_json(), other.to_json()
        changed += before != after
        assert totals(before)["library"] == totals(after)["library"]
        assert before["seats"][seat] == after["seats"][seat]
        for one, two in zip(before["seats"], after["seats"], strict=True):
            assert sum(one["hand"].values()) == sum(two["hand"].values())
            assert one["artifacts"] == two["artifacts"]
    assert changed > 30


def test_observations_stay_in_their_layout() -> None:
    high = GAME.observation_high
    assert GAME.observation_size == LAYOUT.size == len(high)
    for number in range(60):
        position = play(position_in(1 + number % 7, number, from_the_gate), number, random.Random(number))
        for seat in range(position.game.players):
            assert (position.observation(seat) <= high).all()


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
