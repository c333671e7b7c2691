"""The scenarios of docs/rules/atlantis.md, section 17: starts as positions, and a runner for any engine.

`run` knows an engine only through its two callables and the position that they return, so that the same scenarios hold
the slow reference and the fast game to the same account. What the expectations speak of is read off the JSON position;
gaps and unseen cards are worked out here from it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from helpers.scenarios import Engine, Position
from helpers.support import ROOT

TEXT = (ROOT / "docs" / "rules" / "atlantis.md").read_text(encoding="utf-8")
OBJECTS = ["ring", "amphora", "olive", "helmet", "flag", "statue", "crown"]
DEFAULTS: dict[str, Any] = {
    "first_player": "seat0",
    "start_hand": [4, 5, 6, 7],
    "tile_set": "reconstructed",
    "sells_per_turn": 1,
    "sell_ones": True,
    "bought_cards_pay": False,
    "overpay": "exact_first",
    "paid_cards": "box",
    "bridge_after_move": True,
    "reshuffle": "at once",
    "pass_bonus": False,
    "settlement": "items",
    "settlement_pawns": "path",
}
BRETTSPIELWELT = {"settlement": "subtract", "settlement_pawns": "all", "overpay": "any"}
NEW_TURN: dict[str, Any] = {
    "sold": 0,
    "bridged": False,
    "bought": {},
    "pawn": None,
    "x": None,
    "due": 0,
    "last": None,
    "space": None,
    "draws": 0,
    "then": None,
}


@dataclass(frozen=True)
class Scenario:
    """One scenario, its three parts cut into items."""

    id: str
    title: str
    start: tuple[str, ...]
    play: tuple[str, ...]
    end: tuple[str, ...]


# ---- reading the rules file


def _blocks(text: str) -> list[str]:
    """The fenced blocks that name no language, continuations joined to their lines."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [re.sub(r"\n  +", " ", block) for language, block in fenced if not language]


def load(text: str = TEXT) -> list[Scenario]:
    """All scenarios, in the order of the file."""
    lines = [line for block in _blocks(text) for line in block.splitlines() if re.match(r"T-\d+ ", line)]
    return [_scenario(line) for line in lines]


def _scenario(line: str) -> Scenario:
    name, rest = line.split(" ", 1)
    title, rest = rest.split(" : ", 1)
    start, rest = rest.split(" > ", 1)
    play, end = rest.split(" = ", 1)
    starts, ends = ([item.strip() for item in part.split(";") if item.strip()] for part in (start, end))
    return Scenario(name, title, tuple(starts), tuple(_listed(play)), tuple(ends))


def _boards() -> dict[str, str]:
    """The named boards of 17.2."""
    [block] = [block for block in _blocks(TEXT) if block.startswith("EX1 ")]
    return {name: board for name, board in (line.split(maxsplit=1) for line in block.splitlines())}


def _samples() -> dict[str, list[str]]:
    """The layouts of 2.6 as outcomes."""
    found = re.findall(r"(SAMPLE-[AB]) \(spaces [-0-9]*\): (.*?)\.(?=\s)", re.sub(r"\n *", " ", TEXT))
    return {name: [f"top {tile}" for tile in tiles.split(", ")] for name, tiles in found}


BOARDS = _boards()
SAMPLES = _samples()


def _listed(text: str) -> list[str]:
    """`a, b` as a list; `-` as none."""
    return [] if text.strip() == "-" else [item.strip() for item in text.split(",")]


def _heap(text: str) -> dict[str, int]:
    """`ring:2,flag` or `2:2,5` as name -> count."""
    heap: dict[str, int] = {}
    for item in _listed(text):
        name, _, number = item.partition(":")
        heap[name] = int(number or 1)
    return heap


def _tile(text: str) -> str:
    """`ring4+` as `ring 4+`."""
    match = re.fullmatch(r"([a-z]+)(\d\+?)", text)
    assert match, text
    return f"{match[1]} {match[2]}"


def _place(text: str) -> int:
    return {"A": -1, "M": 53}.get(text) if text in "AM" else int(text)  # type: ignore[return-value]


def _seat_facts(text: str) -> tuple[int, dict[str, Any]]:
    """`S0 @0,A,M hand ring:2 tiles 2:2,5 known - nobridge` as seat number and facts."""
    words = text.split()
    facts: dict[str, Any] = {}
    index = 1
    while index < len(words):
        word = words[index]
        if word.startswith("@"):
            facts["pawns"] = [_place(place) for place in word[1:].split(",")]
        elif word == "nobridge":
            facts["bridge"] = False
        elif word in ("hand", "tiles", "known"):
            index += 1
            facts[word] = _heap(words[index])
        else:
            raise ValueError(f"{text!r}: {word!r} is not known")
        index += 1
    return int(words[0][1:]), facts


# ---- the start (17.1)


def options_of(scenario: Scenario) -> tuple[int, dict[str, Any]]:
    """Seats, and the options that a scenario names."""
    players, options = 2, {}
    for item in scenario.start:
        if re.fullmatch(r"n\d", item):
            players = int(item[1:])
        elif item.startswith("opt "):
            name, value = item[4:].split("=")
            options[name] = json.loads(value) if re.match(r"[\d\[tf]", value) else value
    return players, options


def effective(options: dict[str, Any]) -> dict[str, Any]:
    """All options but the preset, as in a position."""
    own = {name: value for name, value in options.items() if name != "preset"}
    return {**DEFAULTS, **(BRETTSPIELWELT if options.get("preset") == "brettspielwelt" else {}), **own}


def _lay_board(text: str, path: list[str | None], bridges: list[int]) -> None:
    space = 0
    for word in text.split():
        if word.startswith("@"):
            space = int(word[1:])
            continue
        if word == "#":
            bridges.append(space)
        elif word != "~":
            path[space] = _tile(word)
        space += 1


def start_position(scenario: Scenario) -> dict[str, Any]:
    """The start of a scenario as the JSON of section 16."""
    players, options = options_of(scenario)
    path: list[str | None] = [None] * 53
    bridges: list[int] = []
    heaps: dict[str, dict[str, int]] = {"discard": {}, "box": {}}
    bag: dict[str, dict[str, int]] = {"A": {}, "B": {}}
    seats = [{"pawns": [-1, -1, -1], "hand": {}, "tiles": {}, "bridge": True, "known": {}} for _ in range(players)]
    turn, idle = 0, 0
    for item in scenario.start:
        word, _, rest = item.partition(" ")
        if re.fullmatch(r"n\d", word) or word == "opt":
            continue
        if word in BOARDS:
            _lay_board(BOARDS[word], path, bridges)
        elif word == "board":
            _lay_board(rest, path, bridges)
        elif re.fullmatch(r"S\d", word):
            number, facts = _seat_facts(item)
            seats[number].update(facts)
        elif word == "bag":
            which, tiles = rest.split(" ", 1)
            bag[which] = {_tile(name): count for name, count in _heap(tiles).items()}
        elif word in ("pile", "discard", "box"):
            heaps[word] = _heap(rest)
        elif word == "idle":
            idle = int(rest)
        elif word == "turn":
            turn = int(rest[1:])
        else:
            raise ValueError(f"{scenario.id}: start item {item!r} is not known")
    named = Counter[str]()
    for heap in [*heaps.values(), *(seat["hand"] for seat in seats)]:
        named.update(heap)
    rest_of_cards = {thing: 15 - named[thing] for thing in OBJECTS if named[thing] < 15}
    if "pile" in heaps:
        heaps["box"] = dict(Counter(heaps["box"]) + Counter(rest_of_cards))
    else:
        heaps["pile"] = rest_of_cards
    return {
        "game": "atlantis",
        "options": effective(options),
        "players": players,
        "phase": "turn",
        "first": 0,
        "seat": turn,
        "path": path,
        "bag": bag,
        "bridges": bridges,
        **heaps,
        "seats": seats,
        "turn": dict(NEW_TURN),
        "idle": idle,
        "scores": None,
    }


# ---- play and end


def run(scenario: Scenario, engine: Engine) -> None:
    """Play a scenario on an engine; AssertionError says in which scenario, where, and what differed."""
    new = "NEW" in scenario.start
    position = engine.initial(*options_of(scenario)) if new else engine.from_json(start_position(scenario))
    for move in _moves(scenario.play):
        offered = [*position.legal_actions(), *position.chance_outcomes()]
        assert move in offered, f"{scenario.id}: {move!r} should be offered, offered are {offered}"
        position.apply(move)
    for item in scenario.end:
        expected, actual = _compare(position, item)
        assert expected == actual, f"{scenario.id}: {item!r} should hold, is {actual}"


def _moves(items: Iterable[str]) -> Iterable[str]:
    for item in items:
        if item in SAMPLES:
            yield from SAMPLES[item]
        elif " *" in item:
            text, number = item.split(" *")
            yield from [text] * int(number)
        else:
            yield item


def _compare(position: Position, item: str) -> tuple[Any, Any]:
    """An expectation and what is so, in the same form."""
    data = position.to_json()
    word, _, rest = item.partition(" ")
    if word in ("turn", "play", "pay", "after", "draw", "uncover", "lay", "deal", "first", "over"):
        return item, _node_text(position, data)
    if re.fullmatch(r"S\d", word):
        number, facts = _seat_facts(item)
        return facts, {key: data["seats"][number][key] for key in facts}
    if word in ("legal", "has", "not"):
        named, legal = set(_listed(rest.strip("{}"))), set(position.legal_actions())
        return (named, legal) if word == "legal" else (named if word == "has" else set(), named & legal)
    if word in ("out", "noout", "outcomes", "weight"):
        return _compare_outcomes(position.chance_outcomes(), word, rest)
    readers: dict[str, Callable[[], tuple[Any, Any]]] = {
        "gaps": lambda: (_heap(rest), _gaps(data)),
        "path": lambda: _compare_path(data, rest),
        "bridges": lambda: ([int(space) for space in _listed(rest)], data["bridges"]),
        "pile": lambda: (int(rest), sum(data["pile"].values())),
        "discard": lambda: (_heap(rest), data["discard"]),
        "box": lambda: (_heap(rest), data["box"]),
        "unseen": lambda: (_heap(rest[3:]), _unseen(data, int(rest[1]))),
        "scores": lambda: ([int(score) for score in _listed(rest)], _scores(position, data)),
        "returns": lambda: ([Fraction(share) for share in _listed(rest)], _fractions(position.returns())),
        "idle": lambda: (int(rest), data["idle"]),
    }
    return readers[word]()


def _node_text(position: Position, data: dict[str, Any]) -> str:
    """The node in the words of 17.1."""
    phase, seat, turn = data["phase"], data["seat"], data["turn"]
    decision = phase in ("turn", "play", "pay", "after")
    kind = "decision" if decision else "over" if phase == "over" else "chance"
    if position.node != kind or position.seat != (seat if decision else None):
        return f"{phase}, reported as {position.node} of {position.seat}"
    details = {
        "pay": f" S{seat} due {turn['due']}",
        "draw": f" S{seat} {turn['draws']}",
        "deal": f" S{seat} {turn['draws']}",
        "uncover": f" {turn['space']}",
        "lay": f" {turn['space']}",
        "first": "",
        "over": "",
    }
    return str(phase + details.get(phase, f" S{seat}"))


def _compare_outcomes(outcomes: dict[str, int], word: str, rest: str) -> tuple[Any, Any]:
    if word == "outcomes":
        return int(rest), len(outcomes)
    if word == "weight":
        return int(rest), sum(outcomes.values())
    named = _heap(rest) if word == "out" else dict.fromkeys(_listed(rest), 0)
    return named, {name: outcomes.get(name, 0) for name in named}


def _compare_path(data: dict[str, Any], rest: str) -> tuple[Any, Any]:
    space, text = rest.split()
    return None if text == "~" else _tile(text), data["path"][int(space)]


def _gaps(data: dict[str, Any]) -> dict[str, int]:
    """All gaps of a JSON position: first space -> price (6.1, 6.2)."""
    tiles = [(space, int(text.rstrip("+")[-1])) for space, text in enumerate(data["path"]) if text]
    gaps = {}
    for (before, low), (behind, high) in pairwise(tiles):
        if behind > before + 1:
            free = any(before < bridge < behind for bridge in data["bridges"])
            gaps[str(before + 1)] = 0 if free else min(low, high)
    return gaps


def _unseen(data: dict[str, Any], p: int) -> dict[str, int]:
    """U of 11.4."""
    seen = Counter(data["seats"][p]["hand"]) + Counter(data["discard"]) + Counter(data["box"])
    for q, seat in enumerate(data["seats"]):
        if q != p:
            seen += Counter(seat["known"])
    return {thing: 15 - seen[thing] for thing in OBJECTS if seen[thing] < 15}


def _scores(position: Position, data: dict[str, Any]) -> Any:
    scores = list(position.scores())
    return scores if data["scores"] == scores else (scores, data["scores"])


def _fractions(returns: Iterable[float]) -> list[Fraction]:
    return [Fraction(share).limit_denominator(100) for share in returns]
