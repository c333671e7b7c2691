"""Each game keeps every scenario of its rules file: the fast one, and the slow one that it is compared with.

Of the fast one every position on the way is sound and survives JSON.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from helpers import atlandice_scenarios, atlantis_rising_scenarios, atlantis_scenarios
from helpers.atlandice_checks import check_position
from helpers.scenarios import Engine
from oracles import atlandice, atlantis, atlantis_rising

import atlantis_envs
from atlantis_envs.engine.position import Position

RULES: dict[str, Any] = {
    "atlandice": atlandice_scenarios,
    "atlantis": atlantis_scenarios,
    "atlantis_rising": atlantis_rising_scenarios,
}
ORACLES: dict[str, Any] = {"atlandice": atlandice, "atlantis": atlantis, "atlantis_rising": atlantis_rising}
SCENARIOS = {name: rules.load() for name, rules in RULES.items()}
SCENARIOS["atlandice"] += atlandice_scenarios.load_further()
IDS = {
    "atlandice": [f"T{number:03}" for number in range(1, 130)] + [f"X{number:03}" for number in range(1, 13)],
    "atlantis": [f"T-{number:02}" for number in range(1, 144)],
    "atlantis_rising": [f"T{number:02}" for number in range(1, 213)],
}
every_game = pytest.mark.parametrize("name", RULES)
both_sides = pytest.mark.parametrize("side", ["fast", "slow"])


class Checked:
    """A position that checks itself after every move."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.check()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.position, name)

    def check(self) -> None:
        assert self.position.faults() == []
        assert self.position.game.from_json(json.loads(json.dumps(self.position.to_json()))) == self.position

    def apply(self, move: str) -> None:
        self.position.apply(move)
        self.check()


def engine_of(name: str, side: str) -> Engine:
    """What plays the scenarios of a game: the game, every position checked, or its reference."""
    if side == "slow":
        return Engine(ORACLES[name].OraclePosition.from_json, ORACLES[name].OraclePosition.initial)
    game = atlantis_envs.game(name)

    def initial(*given: Any) -> Checked:
        players, options = given if len(given) == 2 else (given[0]["players"], given[0])
        return Checked(atlantis_envs.game(name, **{**options, "players": players}).initial_position())

    return Engine(lambda document: Checked(game.from_json(document)), initial)


def scenario_of(name: str, key: str) -> Any:
    [found] = [scenario for scenario in SCENARIOS[name] if scenario.id == key]
    return found


def printed(name: str) -> dict[str, Any]:
    """The position that the rules file prints."""
    [block] = re.findall(r"^```json\n(.*?)^```", RULES[name].TEXT, re.DOTALL | re.MULTILINE)
    data: dict[str, Any] = json.loads(block)
    return data


@every_game
def test_every_scenario_is_here(name: str) -> None:
    rows = dict.fromkeys(re.sub(r"[a-z]$", "", scenario.id) for scenario in SCENARIOS[name])
    assert list(rows) == IDS[name] and (name != "atlantis_rising" or list(RULES[name].rows()) == IDS[name])


@both_sides
@pytest.mark.parametrize(
    ("name", "scenario"),
    [(name, scenario) for name, scenarios in SCENARIOS.items() for scenario in scenarios],
    ids=lambda part: getattr(part, "id", part),
)
def test_scenario(name: str, scenario: Any, side: str) -> None:
    RULES[name].run(scenario, engine_of(name, side))


def test_every_start_of_atlandice_is_valid() -> None:
    for scenario in SCENARIOS["atlandice"]:
        if "root" not in scenario.start:
            position = atlandice.OraclePosition.from_json(atlandice_scenarios.start_position(scenario))
            check_position(position.to_json())


def test_every_start_of_atlantis_rising_survives() -> None:
    for scenario in SCENARIOS["atlantis_rising"]:
        if scenario.phase != "root":
            data = atlantis_rising_scenarios.start_position(scenario.phase, scenario.start)
            assert json.dumps(atlantis_rising.OraclePosition.from_json(data).to_json()) == json.dumps(data), scenario.id


@pytest.mark.parametrize(
    ("name", "key", "old", "new"),
    [
        ("atlandice", "T001", "hand 3", "hand 4"),
        ("atlandice", "T001", "node donate", "node visit"),
        ("atlandice", "T001", "actor 0", "actor 1"),
        ("atlandice", "T001", "F{W4}", "F{W5}"),
        ("atlandice", "T001", "s0{W2,G1}", "s0{W2}"),
        ("atlandice", "T001", "dice F0 M1", "dice F0 M2"),
        ("atlandice", "T001", "take gem", "take book"),
        ("atlandice", "T001", "roll 6", "[chance roll 6]"),
        ("atlantis", "T-01", "turn S1", "turn S0"),
        ("atlantis", "T-01", "S0 @4,7,A hand crown tiles 4", "S0 @4,7,A hand crown tiles 5"),
        ("atlantis", "T-01", "path 6 ~", "path 6 olive4"),
        ("atlantis", "T-01", "gaps 6:1", "gaps 6:2"),
        ("atlantis", "T-01", "discard flag", "discard crown"),
        ("atlantis", "T-01", "play flag", "play ring"),
        ("atlantis_rising", "T06", "E1=0", "E1=1"),
        ("atlantis_rising", "T06", "*: die 3", "*: die 7"),
        ("atlantis_rising", "T06", "home F1", "home F1 x2"),
        ("atlantis_rising", "T06", "0: seat 1", "0: seat 2"),
        ("atlantis_rising", "T06", "[1 mask decline, contribute 1]", "[1 mask contribute 1]"),
        ("atlantis_rising", "T27", "[0 lacks at hills 1, at hills 2]", "[0 offers at hills 1]"),
        ("atlantis_rising", "T70", "[0 lacks resolve]", "[0 offers resolve]"),
        ("atlantis_rising", "T69b", "[chance library augury]", "[chance library augury 2]"),
        ("atlantis_rising", "T90", "win core", "loss sunk"),
        ("atlantis_rising", "T38", "fl forests=3", "fl forests=2"),
        ("atlantis_rising", "T124", "[top hills+hills]", "[top hills]"),
        ("atlantis_rising", "T19", "[draws 1+2+0+1]", "[draws 0+1+2+0]"),
        ("atlantis_rising", "T47", "[seat 2]", "[seat 1]"),
    ],
)
def test_a_scenario_that_is_wrong_fails(name: str, key: str, old: str, new: str) -> None:
    """The runner sees a difference in any part."""
    right = scenario_of(name, key)
    play, end = (tuple(new if item == old else item for item in part) for part in (right.play, right.end))
    assert (play, end) != (right.play, right.end)
    with pytest.raises(AssertionError, match=key):
        RULES[name].run(replace(right, play=play, end=end), engine_of(name, "slow"))


# ---- what the rules files print


@pytest.mark.parametrize(
    ("name", "legal", "moves"),
    [
        ("atlandice", ["take gem", "take book"], ["take book", "take gem", "take book"]),
        ("atlantis", ["pay tile 1", "pay card ring", "pay card olive", "pay card flag"], []),
        ("atlantis_rising", ["decline", "contribute 2"], ["contribute 2"]),
    ],
)
@both_sides
def test_the_printed_position_goes_on_as_its_caption_says(
    name: str, legal: list[str], moves: list[str], side: str
) -> None:
    data = printed(name)
    position = engine_of(name, side).from_json(data)
    assert position.to_json() == data
    assert position.legal_actions() == legal
    nodes = []
    for move in moves:
        nodes.append((position.to_json().get("node"), position.legal_actions()))
        position.apply(move)
    if name == "atlandice":
        assert nodes == [("take", legal), ("bonus", legal), ("extra", ["take book"])]
    if name == "atlantis_rising":
        document = position.to_json()
        assert document["built"] == ["spirit seal"] and [seat["home"]["leader"] for seat in document["seats"]] == [
            1,
            1,
            0,
        ]
        for text in ("pass", "resolve", "at forests 3", "die 2", "pass", "pass", "pass"):
            position.apply(text)
        document = position.to_json()
        assert (document["phase"], document["floods"], document["seats"][2]["home"]["volunteer"]) == ("wrath", 1, 1)


def test_atlandice_10_5_the_worked_visit_leaves_its_log() -> None:
    start = atlandice_scenarios.start_position(scenario_of("atlandice", "T001"))
    position = atlantis_envs.game("atlandice").from_json(start)
    visit = ["visit forge", "take weapon", "take gem", "roll 6", "take weapon"]
    for text in visit:
        position.apply(text)
    assert position.log == visit


@pytest.mark.parametrize(
    ("moves", "end"),
    [
        (
            2,
            "turn S0; S0 hand ring,olive,flag tiles 4,5; legal {bridge 3, bridge 8, bridge 11, pawn 0, pawn 1, pawn 2}",
        ),
        (4, "pay S0 due 8; legal {pay tile 5}"),
        (5, "pay S0 due 3; legal {pay tile 4}"),
        (6, "after S0; S0 @16,9,A tiles 3; legal {bridge 3, bridge 8, done}; path 13 ~; gaps 3:1, 8:4, 11:0"),
        (8, "turn S1; S0 hand olive,flag,crown tiles 3"),
    ],
)
@both_sides
def test_atlantis_16_4_a_turn_in_full(moves: int, end: str, side: str) -> None:
    """The transcript of 16.4, stopped after so many moves."""
    play = ["sell 3", "card olive", "pawn 0", "play ring", "pay tile 5", "pay tile 4", "done", "card crown"]
    start = "n3; EX2; S0 @0,9,A hand ring,flag tiles 5,4,3; S1 @1,4,15; S2 @2,7,A"
    [scenario] = atlantis_scenarios.load(f"```\nT-0 16.4 : {start} > {', '.join(play[:moves])} = {end}\n```\n")
    atlantis_scenarios.run(scenario, engine_of("atlantis", side))


WORKED_START = """n=3; round 3; seat 0 artificer; seat 1 priest; seat 2 orator; gold0=2; crystal0=1; E0=2; atlantium1=2;
E1=4; E2=1; Wrath index 2; fl forests=1; L0,L1@gate 1; L2@forests 3; F0,F1,F2@centre x2; home F0, F1, F2;
discarded calm seas x5, panic, sealed archives, cold furnaces"""


@both_sides
def test_atlantis_rising_21_the_worked_log_reaches_the_example_of_20(side: str) -> None:
    """The events are read from the log; before its last contribution of 2 the position is the printed one."""
    text = atlantis_rising_scenarios.TEXT
    log = text[text.index("## 21") : text.index("## 22")]
    cells = re.findall(r"^\| (`.*?) \|", log, re.MULTILINE)
    play = [text for cell in cells for text in re.findall(r"`(.*?)`", cell)]
    place = len(play) - 1 - play[::-1].index("1: contribute 2")
    start = atlantis_rising_scenarios._start_items(WORKED_START.replace("\n", " "))
    end = ("gold0=1", "E0=1", "crystal2=1", "home V2", "E1=0", "gold1=crystal1=atlantium1=0", "built spirit seal")
    engine = engine_of("atlantis_rising", side)
    for steps, facts in ((play[:place], ()), (play, end)):
        case = atlantis_rising_scenarios.Scenario("log", "deploy", start, tuple(steps), facts, ())
        reached: list[Any] = []

        def start_here(data: dict[str, Any], kept: list[Any] = reached) -> Any:
            kept.append(engine.from_json(data))
            return kept[0]

        atlantis_rising_scenarios.run(case, Engine(start_here, engine.initial))
        assert facts or reached[0].to_json() == printed("atlantis_rising")


# ---- the cases of Atlantis Rising, whose rows are prose


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


def test_cases_of_atlantis_rising_hold_what_their_row_prints() -> None:
    """Every action that a row quotes, but for "no `...`", and every number that it expects is in one of its cases."""
    for row, printed_row in atlantis_rising_scenarios.rows().items():
        cases = [case for case in SCENARIOS["atlantis_rising"] if case.id.rstrip("abcdefgh") == row]
        items = [item for case in cases for item in (*case.start, *case.play, *case.end)]
        _, steps, expected = (re.sub(r"no `.*?`", "", cell) for cell in printed_row)
        quoted = [text for text in re.findall(r"`(.*?)`", f"{steps} {expected}") if "..." not in text]
        atoms = [atom for text in quoted for atom in re.sub(r"^\d: ", "", text).split(" > ")]
        assert [atom for atom in atoms if atom not in "; ".join(items)] == [], row
        assert printed_facts(expected) - said_facts(items) == set(), row
