"""The slow games: their actions are those that their rules files number, and their random games obey these."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from helpers import atlantis_rising_scenarios
from helpers.atlandice_checks import check_position, node_bound, pieces_on_table
from helpers.atlandice_random import random_options, sparse_table
from helpers.atlantis_rising_starts import from_the_gate, from_the_middle
from helpers.atlantis_rising_starts import random_options as rising_options
from helpers.support import TEAMS, scaled
from oracles import atlandice, atlantis, atlantis_rising
from oracles.atlantis_rising_parts import tables as t

TEXTS = {
    "atlandice": [text for text, _, _ in atlandice.ACTIONS],
    "atlantis": list(atlantis.ACTIONS),
    "atlantis_rising": list(atlantis_rising.ACTIONS),
}
ROWS = {
    "atlandice": """
        0 visit jeweler, 11 visit market for neutral, 12 take gem, 17 raid jeweler, 18 raid inn, 20 raid forge,
        21 swap out gem, 26 swap with library, 30 swap in gem, 35 move gem, 40 move to jeweler, 45 die from jeweler,
        51 die to jeweler, 57 submarine to jeweler, 62 submarine to market, 63 pay gem, 68 stop paying, 69 use effect,
        70 decline effect, 71 decline bonus""",
    "atlantis": "0 pass, 2 sell 2, 8 pawn 0, 11 play ring, 18 pay tile 1, 25 pay card ring, 32 bridge 1, 82 bridge 51",
    "atlantis_rising": "0 ready, 230 take crystal",
}


@pytest.mark.parametrize(("name", "count"), [("atlandice", 72), ("atlantis", 84), ("atlantis_rising", 231)])
def test_actions_have_the_ids_of_the_rules_file(name: str, count: int) -> None:
    """Where rows of its table begin and end."""
    texts = TEXTS[name]
    assert len(texts) == len(set(texts)) == count
    for row in ROWS[name].split(","):
        number, _, text = row.strip().partition(" ")
        assert texts[int(number)] == text
    assert name != "atlantis" or len(atlantis.OUTCOMES) == 60


def test_atlantis_rising_13_the_ranges_are_those_of_the_table() -> None:
    text = atlantis_rising_scenarios.TEXT
    rows = re.findall(r"^\| ([\d, -]+) \| (.*) \|$", text[text.index("### Action ids") :], re.MULTILINE)
    ranges = [pair for cell, _ in rows for pair in re.findall(r"(\d+)-(\d+)", cell)]
    assert [int(first) for first, _ in ranges] == [0, *[int(last) + 1 for _, last in ranges[:-1]]]
    beginnings = [TEXTS["atlantis_rising"][int(first)] for first, _ in ranges]
    words = "ready place lift play at at at barrier drain flood chart build discount contribute seat keep discard"
    assert [text.split()[0] for text in beginnings] == [*words.split(), "remove", "councilor", "give", "take"]


@pytest.mark.parametrize(
    "options",
    [
        {"players": 0},
        {"players": 8},
        {"players": 4, "level": 6},
        {"players": 2, "first_player": 2},
        {"players": 2, "councilors": ["priest", "priest"]},
        {"players": 2, "councilors": ["priest"]},
        {"players": 2, "blueprint": ["solar matrix"]},
        {"players": 2, "speed": 3},
    ],
)
def test_options_of_atlantis_rising_that_do_not_exist(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"known|first_player|councilors|blueprint"):
        atlantis_rising.OraclePosition.initial(options)


# ---- random games


def step(position: Any, dice: random.Random) -> str:
    """One random action or outcome; exactly one kind of thing is offered, and it agrees with the node."""
    legal, outcomes = position.legal_actions(), position.chance_outcomes()
    assert (position.node == "decision") == bool(legal) == (position.seat is not None)
    assert (position.node == "chance") == bool(outcomes)
    assert len(set(legal)) == len(legal)
    assert all(isinstance(weight, int) and weight > 0 for weight in outcomes.values())
    text = choose(position, legal, outcomes, dice)
    position.apply(text)
    return text


WEIGHTS = {"resolve": 12, "place": 12, "ready": 15, "pass": 1, "decline": 1, "contribute": 9, "pay": 4, "yield": 0.3}
WEIGHTS |= {"lift": 0.5, "drain": 1, "barrier": 1, "build": 6, "play": 2, "at": 3}


def choose(position: Any, legal: list[str], outcomes: dict[str, int], dice: random.Random) -> str:
    """A random outcome, or a random action, in Atlantis Rising with some will to get on."""
    if outcomes:
        return dice.choices(list(outcomes), list(outcomes.values()))[0]
    if not isinstance(position, atlantis_rising.OraclePosition):
        return dice.choice(legal)
    assert legal == sorted(legal, key=atlantis_rising.ACTIONS.index)
    return dice.choices(legal, [weight(position, text) for text in legal])[0]


def weight(position: atlantis_rising.OraclePosition, text: str) -> float:
    """How much an action is liked: pieces meet in pairs, and leaders at a gate when only the core is missing."""
    verb, _, name = text.partition(" ")
    if verb == "at" and t.is_double(name):
        return 5 + 30 * (position.count(name) == 1)
    leader = bool(position.pending) and position.pending[-1].get("kind") == "leader" and len(position.built) == 9
    if name == "gate 1" and verb == "at":
        return 1200 if leader else 40
    return WEIGHTS.get(verb, 2)


def check_faces(position: Any, actions: list[str], dice: random.Random) -> None:
    """JSON and clones are the same position, and a refused move leaves no trace."""
    data = position.to_json()
    again = type(position).from_json(json.loads(json.dumps(data)))
    copied = position.clone() if hasattr(position, "clone") else type(position).from_json(data)
    assert json.dumps(again.to_json()) == json.dumps(data)
    refused = dice.choice(actions)
    if refused not in position.legal_actions():
        with pytest.raises(ValueError, match="not offered"):
            position.apply(refused)
    if position.node != "over":
        seed = dice.random()
        step(again, random.Random(seed))
        step(copied, random.Random(seed))
        assert again.to_json() == copied.to_json() != data
    assert position.to_json() == data


@pytest.mark.parametrize("sparse", [False, True], ids=["full", "sparse"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_of_atlandice(players: int, sparse: bool) -> None:
    for number in range(30):
        dice = random.Random(f"{players} {sparse} {number}")
        position = atlandice.OraclePosition.initial(random_options(players, dice))
        assert set(pieces_on_table(position.to_json()).values()) == {12 if players == 4 else 10}
        if sparse:
            position = sparse_table(position, dice)
        in_play = pieces_on_table(position.to_json())
        bound = node_bound(position.to_json())
        nodes = 0
        while position.node != "over":
            check_position(position.to_json(), in_play)
            if nodes % 7 == 0:
                check_faces(position, TEXTS["atlandice"], dice)
            step(position, dice)
            nodes += 1
            assert nodes <= bound
        check_end_of_atlandice(position)


def check_end_of_atlandice(position: atlandice.OraclePosition) -> None:
    """The end lies on the last space and pays out nothing in sum (8.2, 13.4)."""
    data = position.to_json()
    check_position(data)
    assert data["hand"] == len(position.spaces) - 1 >= data["round"]
    assert position.legal_actions() == [] and position.chance_outcomes() == {}
    assert sum(position.returns()) == pytest.approx(0)
    best = max(position.ranks())
    for gain, rank in zip(position.returns(), position.ranks(), strict=True):
        assert gain == 0 or (gain > 0) == (rank == best)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_of_atlantis(players: int) -> None:
    dice = random.Random(players)
    position = atlantis.OraclePosition.initial(players, {"first_player": "random"})
    while position.node != "over":
        data = position.to_json()
        assert atlantis.OraclePosition.from_json(json.loads(json.dumps(data))).to_json() == data
        assert sum(sum(seat["hand"].values()) for seat in data["seats"]) <= 105
        step(position, dice)
    assert sum(position.returns()) == pytest.approx(0)


# ---- Atlantis Rising (sections 19, 20, 23)


def check_rising(data: dict[str, Any]) -> None:
    """The property checks at the end of section 23, and what section 20 says of every position."""
    check_cards(data)
    check_boards(data)
    check_pieces(data)
    check_board(data)
    check_turns(data)


def frames(data: dict[str, Any], do: str) -> list[dict[str, Any]]:
    """The pending frames of a kind."""
    return [frame for frame in data["pending"] if frame["do"] == do]


def check_cards(data: dict[str, Any]) -> None:
    """Cards of both decks are constant; artifacts are in the library, with a scholar, or unused (23)."""
    misfortunes = data["misfortunes"]
    kept = Counter(misfortunes["deck"]) + Counter(misfortunes["top"]) + Counter(misfortunes["discard"])
    kept += Counter(frame["card"] for frame in frames(data, "misfortune"))
    assert kept == Counter(t.copies(data["level"]))
    library = data["library"]
    held = Counter(library["deck"]) + Counter(library["bottom"]) + Counter(library["discard"])
    for seat in data["seats"]:
        held += Counter(seat["hand"]) + Counter(seat["artifacts"])
        assert not Counter(seat.get("shown", {})) - Counter(seat["hand"])
    held += Counter(frame["card"] for frame in frames(data, "card"))
    held += Counter(card for frame in frames(data, "library") for card in frame["drawn"])
    gone = 2 - held["archive recovery"]  # copies that were played have left the game (12.4)
    assert 0 <= gone <= (0 if data["phase"] == "setup" else 2)
    assert {card: held[card] for card in t.CARDS} == {**dict.fromkeys(t.CARDS, 2), "archive recovery": 2 - gone}
    if data["phase"] != "setup":
        assert sum(held.values()) == 26 - gone
    scholars = [seat["scholar_artifact"] for seat in data["seats"] if seat["scholar_artifact"]]
    scholars += [data["hologram"]["artifact"]] if data["hologram"] and data["hologram"]["artifact"] else []
    artifacts = [card for card in held.elements() if card in t.ARTIFACTS] + scholars + data["unused_artifacts"]
    assert sorted(artifacts) == sorted(t.ARTIFACTS)


def check_boards(data: dict[str, Any]) -> None:
    """Ten councilor boards, ten components (2.10, 3i)."""
    assert (data["councilors"] is None) == (data["hologram"] is None) == (data["players"] > 2)
    if data["phase"] == "setup":
        return
    boards = [seat["councilor"] for seat in data["seats"]]
    if data["councilors"]:
        boards += data["councilors"]["stack"] + data["councilors"]["discard"]
        boards += [data["hologram"]["councilor"]] if data["hologram"]["councilor"] else []
        boards += [board for frame in frames(data, "board") for board in frame["seen"]]
        assert sorted(boards) == sorted(t.COUNCILORS)
    assert len(set(boards)) == len(boards)
    components = data["blueprint"] + data["built"]
    assert len(set(components)) == len(components) == 10
    letters = Counter(t.COMPONENTS[name]["letter"] for name in components)
    assert {letter: letters[letter] for letter in "ABCD"} == t.level_row(data["level"])["components"]


def check_pieces(data: dict[str, Any]) -> None:
    """Pieces of every kind are constant (23); the hologram is with the first player while it has a board."""
    row = t.seats_row(data["players"])
    volunteers = data["volunteers"]
    for number, seat in enumerate(data["seats"]):
        mine = Counter(seat["home"])
        for entry in data["placed"]:
            if entry["seat"] == number:
                mine[entry["kind"]] += entry["ready"] + entry["done"]
        assert min(seat["home"].values()) >= 0
        assert mine["follower"] + seat["reserve"] + seat["removed"] == row["followers"] + row["reserve"]
        assert mine["leader"] == 1 and mine["automaton"] == row["automaton"]
        bearer = bool(data["hologram"] and data["hologram"]["councilor"]) and number == data["first"]
        assert mine["hologram"] == bearer
        volunteers += mine["volunteer"] + seat["spent_volunteers"]
        counted = [*t.HOLDINGS, "reserve", "removed", "spent_volunteers", "lifts", "yields"]
        assert min(seat[name] for name in counted) >= 0
    assert volunteers == 8


def check_board(data: dict[str, Any]) -> None:
    """Water, barriers, and how pieces stand (5.2, 5.3, 23)."""
    assert all(0 <= number <= 6 for number in data["flooded"].values())
    assert all(data["flooded"][p] < 6 for p in data["barriers"])
    order = [(t.LOCATIONS.index(x["at"]), x["seat"], t.KINDS.index(x["kind"])) for x in data["placed"]]
    assert order == sorted(set(order))
    for at in {entry["at"] for entry in data["placed"]}:
        here = [entry for entry in data["placed"] if entry["at"] == at]
        assert any(entry["kind"] != "automaton" for entry in here) or at == "soul terraformer"
        room = t.capacity_printed(at)
        total = sum(entry["ready"] + entry["done"] for entry in here)
        assert room is None or total <= room + (at in t.TILES)
        assert all(entry["ready"] + entry["done"] >= 1 for entry in here)
        assert all((entry["ready"], entry["done"]) == (1, 0) for entry in here if entry["kind"] == "automaton")
        if data["phase"] == "deploy":
            assert not any(entry["done"] for entry in here)


def check_turns(data: dict[str, Any]) -> None:
    """When somebody is in turn, and what may be pending (20)."""
    turns = data["phase"] in ("deploy", "actions") or data["window"]
    if data["phase"] != "over":
        assert turns or (data["turn"], data["passes"]) == (data["first"], 0)
        assert turns or not frames(data, "turn")
        assert data["phase"] == "wrath" or data["floods"] == 0
    duty = data["options"].get("must_act") and data["phase"] == "actions"
    assert data["passes"] < data["players"] * (2 if duty else 1)
    if data.get("call"):
        assert data["phase"] in ("deploy", "actions") and (data["turn"], data["passes"]) == (data["first"], 0)
    assert data["phase"] == "misfortune" or not data["draws"] or data["phase"] == "over"
    assert all(frame["do"] != "turn" for frame in data["pending"][1:])
    if data["result"] is not None:
        assert data["phase"] == "over" and data["pending"] == []


class Counts:
    """Decisions of a round and turns of a phase, against the bounds of section 19."""

    def __init__(self, players: int) -> None:
        row = t.seats_row(players)
        self.players = players
        self.pieces = players * (1 + row["followers"] + row["reserve"]) + 8 + 2
        self.decisions: Counter[int] = Counter()
        self.turns: Counter[tuple[int, str]] = Counter()

    def see(self, data: dict[str, Any], decides: bool, text: str) -> None:
        """One choice made at a position."""
        self.decisions[data["round"]] += decides
        started = decides and data["pending"] == [] and text not in ("ready", "pass")
        self.turns[data["round"], data["phase"]] += started

    def check(self, options: dict[str, Any]) -> None:
        """12,000 decisions a round; turns of deployment and actions as their own terms say."""
        n, lifts, yields = self.players, options.get("lift_budget", 3), options.get("yield_budget", 2)
        bounds = {
            "deploy": self.pieces + 2 * lifts * n + yields * n + n + n + 6 + 36 + 24,
            "actions": self.pieces + 6 + 3 + 50 + 6 + 36 + n,
        }
        assert max(self.decisions.values()) < 12_000 and sum(self.decisions.values()) < 360_000
        for (_, phase), number in self.turns.items():
            assert number <= bounds.get(phase, number)


def play_on(position: atlantis_rising.OraclePosition, dice: random.Random, limit: int) -> None:
    """A game to its end, or to a number of nodes, looked at from all sides."""
    counts = Counts(position.n)
    for nodes in range(limit):
        data = position.to_json()
        check_rising(data)
        if nodes % 11 == 0:
            check_faces(position, TEXTS["atlantis_rising"], dice)
        if position.node == "over":
            check_end(position)
            break
        counts.see(data, position.node == "decision", step(position, dice))
    counts.check(position.to_json()["options"])


def check_end(position: atlantis_rising.OraclePosition) -> None:
    """Everybody has won or lost together (16)."""
    data = position.to_json()
    win, reason = data["result"]["win"], data["result"]["reason"]
    assert position.legal_actions() == [] and position.chance_outcomes() == {} and position.seat is None
    assert position.truncated == (reason == "truncated")
    assert position.returns() == [1.0 if win else 0.0 if reason == "truncated" else -1.0] * position.n
    assert position.scores() == [len(data["built"])] * position.n
    assert win == (reason == "core") == (data["blueprint"] == [])
    if reason == "sunk":
        assert set(data["flooded"].values()) == {6}
    if reason == "round limit":
        assert data["round"] == data["options"]["round_limit"]
    if reason == "truncated":
        assert data["round"] == data["options"].get("truncation", 100)


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("players", range(1, 8))
def test_random_games_of_atlantis_rising(players: int, number: int) -> None:
    dice = random.Random(f"{players} {number}")
    options = rising_options(players, dice) | {"round_limit": 3}
    play_on(atlantis_rising.OraclePosition.initial(options), dice, 100_000)


@pytest.mark.parametrize("players", TEAMS)
@pytest.mark.parametrize("start", [from_the_middle, from_the_gate], ids=lambda start: start.__name__)
def test_late_rounds_of_atlantis_rising(start: Any, players: int) -> None:
    for number in range(scaled(4, 10)):
        dice = random.Random(f"{players} {number}")
        _, slow = start(max(players, 1 + (start is from_the_gate)), dice)  # alone, the gate leaves the automaton out
        play_on(slow, dice, 150)
