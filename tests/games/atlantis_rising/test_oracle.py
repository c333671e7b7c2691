"""The slow Atlantis Rising keeps every scenario of its rules file; its random games obey sections 19, 20 and 23."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from helpers import atlantis_rising_scenarios
from helpers.atlantis_rising_random import random_options
from helpers.atlantis_rising_scenarios import Scenario
from oracles.atlantis_rising import ACTIONS, OraclePosition
from oracles.atlantis_rising_parts import tables as t

SCENARIOS = atlantis_rising_scenarios.load()
ROWS = atlantis_rising_scenarios.rows()
TEXT = atlantis_rising_scenarios.TEXT


# ---- scenarios (section 23)


def test_the_rules_file_has_212_rows() -> None:
    assert list(ROWS) == [f"T{number:02}" for number in range(1, 213)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario) -> None:
    atlantis_rising_scenarios.run(scenario, OraclePosition.from_json, OraclePosition.initial)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario_start_survives(scenario: Scenario) -> None:
    if scenario.phase != "root":
        data = atlantis_rising_scenarios.start_position(scenario.phase, scenario.start)
        assert json.dumps(OraclePosition.from_json(data).to_json()) == json.dumps(data)


def printed_facts(cells: str) -> set[str]:
    """What a row says in the notation of its start: `E0=0`, `fl hills=2`, `index 4`."""
    facts = set(re.findall(r"\b(?:E|ore|gold|crystal|atlantium|reserve|removed|lifts)\d=\d+", cells))
    return facts | set(re.findall(r"\bfl \w+=\d|\bindex \d", cells))


def said_facts(items: list[str]) -> set[str]:
    """The same in the cases of a row, `E0=E1=0` taken apart."""
    facts: set[str] = set()
    for item in (item.strip("[]") for item in items):
        *names, number = item.split("=")
        facts |= {f"{name}={number}" for name in names} | {item}
    return facts


@pytest.mark.parametrize("row", ROWS)
def test_cases_hold_what_their_row_prints(row: str) -> None:
    """Every action that a row quotes, but for "no `...`", and every number that it expects is in one of its cases."""
    cases = [case for case in SCENARIOS if case.id.rstrip("abcdefgh") == row]
    items = [item for case in cases for item in (*case.start, *case.play, *case.end)]
    _, steps, expected = (re.sub(r"no `.*?`", "", cell) for cell in ROWS[row])
    quoted = [text for text in re.findall(r"`(.*?)`", f"{steps} {expected}") if "..." not in text]
    atoms = [atom for text in quoted for atom in re.sub(r"^\d: ", "", text).split(" > ")]
    assert [atom for atom in atoms if atom not in "; ".join(items)] == []
    assert printed_facts(expected) - said_facts(items) == set()


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("T06", "E1=0", "E1=1"),
        ("T06", "*: die 3", "*: die 7"),
        ("T06", "home F1", "home F1 x2"),
        ("T06", "0: seat 0", "0: seat 2"),
        ("T06", "[1 mask decline, contribute 1]", "[1 mask contribute 1]"),
        ("T27", "[0 lacks at hills 1, at hills 2]", "[0 offers at hills 1]"),
        ("T70", "[0 lacks resolve]", "[0 offers resolve]"),
        ("T69b", "[chance library augury]", "[chance library augury 2]"),
        ("T90", "win core", "loss sunk"),
        ("T38", "fl forests=3", "fl forests=2"),
        ("T124", "[top hills+hills]", "[top hills]"),
        ("T19", "[draws 1+2+0+1]", "[draws 0+1+2+0]"),
        ("T47", "[seat 2]", "[seat 1]"),
    ],
)
def test_a_scenario_that_is_wrong_fails(name: str, old: str, new: str) -> None:
    [right] = [case for case in SCENARIOS if case.id == name]
    play, end = (tuple(new if item == old else item for item in part) for part in (right.play, right.end))
    assert (play, end) != (right.play, right.end) or old == "0: seat 0"
    if old == "0: seat 0":
        play = tuple(new if item == "0: seat 1" else item for item in right.play)
    wrong = Scenario(right.id, right.phase, right.start, play, end, right.row)
    with pytest.raises(AssertionError, match=name):
        atlantis_rising_scenarios.run(wrong, OraclePosition.from_json, OraclePosition.initial)


WORKED_START = """n=3; round 3; seat 0 artificer; seat 1 priest; seat 2 orator; gold0=2; crystal0=1; E0=2; atlantium1=2;
E1=4; E2=1; Wrath index 2; fl forests=1; L0,L1@gate 1; L2@forests 3; F0,F1,F2@centre x2; home F0, F1, F2;
discarded calm seas x5, panic, sealed archives, cold furnaces"""


def test_worked_log_of_21_reaches_the_example_of_20() -> None:
    """The events are read from the log; before its last contribution of 2 the position is the printed one."""
    log = TEXT[TEXT.index("## 21") : TEXT.index("## 22")]
    cells = re.findall(r"^\| (`.*?) \|", log, re.MULTILINE)
    play = [text for cell in cells for text in re.findall(r"`(.*?)`", cell)]
    place = len(play) - 1 - play[::-1].index("1: contribute 2")
    start = atlantis_rising_scenarios._start_items(WORKED_START.replace("\n", " "))
    end = ("gold0=1", "E0=1", "crystal2=1", "home V2", "E1=0", "gold1=crystal1=atlantium1=0", "built spirit seal")
    for steps, facts in ((play[:place], ()), (play, end)):
        case = Scenario("log", "deploy", start, tuple(steps), facts, ())
        reached: list[OraclePosition] = []

        def start_here(data: dict[str, Any], kept: list[OraclePosition] = reached) -> OraclePosition:
            kept.append(OraclePosition.from_json(data))
            return kept[0]

        atlantis_rising_scenarios.run(case, start_here, OraclePosition.initial)
        if not facts:
            assert reached[0].to_json() == example_position()
            assert reached[0].legal_actions() == ["decline", "contribute 2"]


def example_position() -> dict[str, Any]:
    """The JSON printed in section 20."""
    [block] = re.findall(r"^```json\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    data: dict[str, Any] = json.loads(block)
    return data


def test_example_position_of_20_survives() -> None:
    printed = example_position()
    assert json.dumps(OraclePosition.from_json(printed).to_json()) == json.dumps(printed)


def test_action_table() -> None:
    """231 ids; where the rows of the table in section 13 begin, read from its ranges."""
    rows = re.findall(r"^\| ([\d, -]+) \| (.*) \|$", TEXT[TEXT.index("### Action ids") :], re.MULTILINE)
    ranges = [pair for cell, _ in rows for pair in re.findall(r"(\d+)-(\d+)", cell)]
    assert [int(first) for first, _ in ranges] == [0, *[int(last) + 1 for _, last in ranges[:-1]]]
    assert int(ranges[-1][1]) == 230 and len(set(ACTIONS)) == len(ACTIONS) == 231
    beginnings = [ACTIONS[int(first)] for first, _ in ranges]
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
def test_options_that_do_not_exist(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"known|first_player|councilors|blueprint"):
        OraclePosition.initial(options)


# ---- random games (sections 19, 20, 23)


def set_up(options: dict[str, Any], dice: random.Random, seen: Counter[str]) -> OraclePosition:
    """The first deployment of a game."""
    position = OraclePosition.initial(options)
    while position.to_json()["phase"] in ("setup", "start"):
        data = position.to_json()
        check_position(data)
        seen.update(what_happens(data, step(position, dice)))
    return position


def rich_table(data: dict[str, Any], dice: random.Random) -> OraclePosition:
    """The same deployment late in the game: goods, cards, components, water and wrath at random, all consistent."""
    seats = data["seats"]
    for seat in seats:
        for good in t.HOLDINGS:
            seat[good] = dice.choice([0, 0, 2, 3, 4, 12 if good == "energy" else 4])
    if dice.random() < 0.8:  # with little energy few turns are asked for between the cards
        for seat in seats:
            seat["energy"] = min(seat["energy"], 2)
    deal(data, dice)
    known = dice.randrange(4)
    deck = [name for name, number in data["misfortunes"]["deck"].items() for _ in range(number)]
    dice.shuffle(deck)
    cut = dice.choice([len(deck), len(deck), dice.randrange(8)])
    data["misfortunes"] = {
        "deck": tally(deck[known:cut]),
        "top": deck[:known],
        "discard": tally(deck[max(cut, known) :]),
    }
    data["wrath"] = dice.randrange(6)
    high = dice.choice([2, 4, 7, 7])
    data["flooded"] = {p: dice.randrange(high) for p in t.PENINSULAS}
    data["barriers"] = [p for p in t.PENINSULAS if data["flooded"][p] < 6 and dice.random() < 0.3]
    finished = dice.choice([0, 4, 7, 9])
    for seat in seats if finished == 9 else []:
        seat |= dict.fromkeys(t.HOLDINGS, 2)
    data["built"] = dice.sample(data["blueprint"][:-1], finished)
    data["blueprint"] = [name for name in data["blueprint"] if name not in data["built"]]
    for seat in seats:
        volunteers = min(dice.randrange(3), data["volunteers"])
        data["volunteers"] -= volunteers
        seat["home"]["volunteer"] = volunteers
    return OraclePosition.from_json(data)


def deal(data: dict[str, Any], dice: random.Random) -> None:
    """Library cards into hands, into play, under the deck and into the discard."""
    cards = [name for name, number in data["library"]["deck"].items() for _ in range(number)]
    dice.shuffle(cards)
    for seat in data["seats"]:
        for _ in range(dice.randrange(5 - (seat["scholar_artifact"] is not None))):
            card = cards.pop() if cards else None
            if card in t.ARTIFACTS:
                seat["artifacts"].append(card)
            elif card:
                seat["hand"][card] = seat["hand"].get(card, 0) + 1
    bottom, discard = cards[: dice.randrange(3)], cards[3 : 3 + dice.randrange(12)]
    if dice.random() < 0.2:
        discard = cards[3:]
    left = Counter(cards) - Counter(bottom) - Counter(discard)
    data["library"] = {"deck": tally(left.elements()), "bottom": bottom, "discard": tally(discard)}


def tally(names: Any) -> dict[str, int]:
    """A list as a multiset."""
    return dict(Counter(names))


WEIGHTS = {"resolve": 12, "place": 12, "ready": 15, "pass": 1, "decline": 1, "contribute": 9, "pay": 4, "yield": 0.3}
WEIGHTS |= {"lift": 0.5, "drain": 1, "barrier": 1, "build": 6, "play": 2, "at": 3}


def choose(position: OraclePosition, dice: random.Random) -> str:
    """A random outcome, or a random action with some will to get on."""
    outcomes = position.chance_outcomes()
    if outcomes:
        return dice.choices(list(outcomes), list(outcomes.values()))[0]
    legal = position.legal_actions()
    return dice.choices(legal, [weight(position, text) for text in legal])[0]


def weight(position: OraclePosition, text: str) -> float:
    """How much an action is liked: pieces meet in pairs, and leaders at a gate when only the core is missing."""
    verb, _, name = text.partition(" ")
    if verb == "at" and t.is_double(name):
        return 5 + 30 * (position.count(name) == 1)
    leader = bool(position.pending) and position.pending[-1].get("kind") == "leader" and len(position.built) == 9
    if name == "gate 1" and verb == "at":
        return 1200 if leader else 40
    return WEIGHTS.get(verb, 2)


def step(position: OraclePosition, dice: random.Random) -> str:
    """One random action or outcome; exactly one kind of thing is offered, and it agrees with the node."""
    legal, outcomes = position.legal_actions(), position.chance_outcomes()
    assert (position.node == "decision") == bool(legal) == (position.seat is not None)
    assert (position.node == "chance") == bool(outcomes)
    assert legal == sorted(set(legal), key=ACTIONS.index)
    assert all(isinstance(weight, int) and weight > 0 for weight in outcomes.values())
    text = choose(position, dice)
    position.apply(text)
    return text


def check_faces(position: OraclePosition, data: dict[str, Any], dice: random.Random) -> None:
    """JSON and clones are the same position, and a refused move leaves no trace."""
    again, copied = OraclePosition.from_json(json.loads(json.dumps(data))), position.clone()
    assert json.dumps(again.to_json()) == json.dumps(data)
    refused = dice.choice(ACTIONS)
    if refused not in position.legal_actions():
        with pytest.raises(ValueError, match="not offered"):
            position.apply(refused)
    if position.node != "over":
        seed = dice.random()
        step(again, random.Random(seed))
        step(copied, random.Random(seed))
        assert again.to_json() == copied.to_json()
    assert position.to_json() == data


def check_position(data: dict[str, Any]) -> None:
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


def play_on(position: OraclePosition, dice: random.Random, seen: Counter[str], limit: int) -> None:
    """A game to its end, or to a number of nodes, looked at from all sides; what happens is counted."""
    counts = Counts(position.n)
    for nodes in range(limit):
        data = position.to_json()
        check_position(data)
        if nodes % 11 == 0:
            check_faces(position, data, dice)
        if position.node == "over":
            check_end(position)
            seen[f"end {data['result']['reason']}"] += 1
            break
        decides = position.node == "decision"
        text = step(position, dice)
        seen.update(what_happens(data, text))
        counts.see(data, decides, text)
    counts.check(position.to_json()["options"])


def what_happens(data: dict[str, Any], text: str) -> set[str]:
    """What the counter counts: what was chosen or drawn, what is pending, and whose abilities are in force."""
    happens = named(text) | {f"frame {frame['do']}" for frame in data["pending"]}
    happens |= {f"in play {name}" for seat in data["seats"] for name in seat["artifacts"]}
    return happens | {sign for sign, shows in SIGNS.items() if shows(data)}


def named(text: str) -> set[str]:
    """An action or outcome, without the name where any will do."""
    verb, _, name = text.partition(" ")
    short = verb in ("contribute", "discard", "remove", "keep", "artifact", "component", "board", "councilor", "look")
    artifact = verb in ("discard", "keep", "library") and name in t.ARTIFACTS
    return {verb if short else text} | ({f"{verb} artifact"} if artifact else set())


def stands(data: dict[str, Any], councilor: str) -> list[dict[str, Any]]:
    """The entries of a councilor's piece on the board."""
    kinds = [("leader", number) for number, seat in enumerate(data["seats"]) if seat["councilor"] == councilor]
    if data["hologram"] and data["hologram"]["councilor"] == councilor:
        kinds.append(("hologram", data["first"]))
    return [entry for entry in data["placed"] if (entry["kind"], entry["seat"]) in kinds]


def is_under_water(data: dict[str, Any], entry: dict[str, Any]) -> bool:
    """The entry stands on a flooded tile."""
    peninsula, _, position = entry["at"].rpartition(" ")
    return peninsula in t.PENINSULAS and int(position) <= data["flooded"][peninsula]


def crowd(data: dict[str, Any], at: str) -> int:
    """Pieces at a location."""
    return sum(entry["ready"] + entry["done"] for entry in data["placed"] if entry["at"] == at)


def top_frame(data: dict[str, Any], do: str, **wanted: Any) -> bool:
    """The frame on top is of a kind and says something."""
    frame = data["pending"][-1] if data["pending"] else {"do": None}
    return frame["do"] == do and all(frame[key] == value for key, value in wanted.items())


SIGNS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "diver under water": lambda d: any(is_under_water(d, x) for c in ("navigator", "aquanaut") for x in stands(d, c)),
    "champion under water": lambda d: any(is_under_water(d, x) for x in stands(d, "champion")),
    "emissary has company": lambda d: any(
        crowd(d, x["at"]) > (t.capacity_printed(x["at"]) or 99) for x in stands(d, "emissary") if x["at"] in t.TILES
    ),
    "orator": lambda d: d["phase"] == "actions" and any(x["done"] for x in stands(d, "orator")),
    "explorer": lambda d: any(x["at"] == f["at"] for f in frames(d, "wild") for x in stands(d, "explorer")),
    "priest in the wild": lambda d: top_frame(d, "wild", stage="priest"),
    "priest in cities": lambda d: top_frame(d, "city", stage="priest"),
    "knuckle or pay": lambda d: top_frame(d, "wild", stage="roller"),
    "recruit to choose": lambda d: top_frame(d, "city", stage="recruit"),
    "more cards": lambda d: top_frame(d, "library", stage="more"),
    "held": lambda d: d["held"] is not None,
    "held with companion": lambda d: d["held"] is not None and d["held"]["companion"] is not None,
    "scholar artifact": lambda d: any(seat["scholar_artifact"] for seat in d["seats"]),
    "hologram artifact": lambda d: bool(d["hologram"] and d["hologram"]["artifact"]),
    "barred": lambda d: any(seat["barred"] for seat in d["seats"]),
    "removed": lambda d: any(seat["removed"] for seat in d["seats"]),
    "spent volunteers": lambda d: any(seat["spent_volunteers"] for seat in d["seats"]),
    "shown card": lambda d: any(seat.get("shown") for seat in d["seats"]),
    "window": lambda d: d["window"],
    "known top": lambda d: bool(d["misfortunes"]["top"]),
    "known bottom": lambda d: bool(d["library"]["bottom"]),
    "library empty": lambda d: d["phase"] == "actions" and not d["library"]["deck"] and not d["library"]["bottom"],
    "overflow": lambda d: d["phase"] == "actions" and d["pending"] == [] and any(over(seat) for seat in d["seats"]),
    "cities payment": lambda d: bool(top_frame(d, "share", **{"for": "cities"})),
    "drain payment": lambda d: bool(top_frame(d, "share", **{"for": "drain"})),
    "barrier payment": lambda d: bool(top_frame(d, "share", **{"for": "barrier"})),
    "core payment": lambda d: any(f["component"] == "power core" for f in frames(d, "build")) and d["players"] > 1,
    "storm surge, second flood": lambda d: top_frame(d, "misfortune", card="storm surge", left=1),
    "plague, second follower": lambda d: top_frame(d, "misfortune", card="plague", left=1),
    "automaton on a double space": lambda d: any(
        x["kind"] == "automaton" and t.is_double(x["at"]) for x in d["placed"]
    ),
    "call": lambda d: d.get("call", False),
    "more passes than seats": lambda d: d["passes"] > d["players"],
    "decline used up": lambda d: d["options"].get("decline_budget", 3) and any(s["declines"] == 0 for s in d["seats"]),
    "diver above water": lambda d: any(
        x["at"] in t.TILES and not is_under_water(d, x) for c in ("navigator", "aquanaut") for x in stands(d, c)
    ),
    "extra flood": lambda d: d["phase"] == "wrath" and d["effects"]["extra_floods"] > 0,
}


def over(seat: dict[str, Any]) -> bool:
    """More than four library cards."""
    cards = sum(seat["hand"].values()) + len(seat["artifacts"]) + bool(seat["scholar_artifact"])
    return cards > (6 if "bottomless satchel" in seat["artifacts"] else 4)


def check_end(position: OraclePosition) -> None:
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


@pytest.mark.parametrize("level", range(1, 6))
@pytest.mark.parametrize("players", range(1, 8))
def test_random_game(players: int, level: int) -> None:
    dice = random.Random(f"{players} {level}")
    options = random_options(players, level, dice)
    seen: Counter[str] = Counter()
    play_on(set_up(options, dice, seen), dice, seen, 100_000)


def printed_frames() -> list[str]:
    """The frames of the table in section 20."""
    table = TEXT[TEXT.index("| frame `do`") : TEXT.index("Example: the worked log")]
    return [name for cell in re.findall(r"^\| ([a-z, ]+) \|", table, re.MULTILINE) for name in cell.split(", ")]


def everything() -> set[str]:
    """What the counter is to see: actions, cards, dice, frames, signs, ends."""
    wanted = {sign for text in ACTIONS for sign in named(text)}
    wanted |= {f"misfortune {card}" for card in t.MISFORTUNES} | {f"library {card}" for card in t.CARDS}
    wanted |= {f"in play {card}" for card in t.ARTIFACTS} | {f"die {face}" for face in range(1, 7)}
    wanted |= {f"frame {name}" for name in printed_frames()} | set(SIGNS) | {"end core", "end sunk", "end round limit"}
    wanted.add("end truncated")
    return wanted | {"library artifact", "artifact", "component", "board", "look", "first 0", "artificer 0"}


def test_everything_happens() -> None:
    """In enough games from rich tables every action and card, frame, sign and end occurs."""
    seen: Counter[str] = Counter()
    dice = random.Random("ore")
    for number in range(400):
        players, level = 1 + number % 7, dice.choice([1, 2, 3, 4, 5, 5])
        options = random_options(players, level, dice)
        position = set_up(options, dice, seen)
        play_on(rich_table(position.to_json(), dice), dice, seen, 180)
        if all(seen[sign] for sign in everything()):
            return
    assert sorted(sign for sign in everything() if not seen[sign]) == []
