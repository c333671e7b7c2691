"""The scenarios of docs/rules/atlandice.md, section 18: starts as positions, and a runner for any engine.

`run` knows an engine only through its two callables and the position that they return, so that the same
scenarios hold the slow reference and the fast game to the same account.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from helpers.scenarios import Engine, Position, Scenario, split_scenarios
from helpers.support import ROOT

TEXT = (ROOT / "docs" / "rules" / "atlandice.md").read_text(encoding="utf-8")

TYPES = {"G": "gem", "K": "book", "V": "provision", "T": "tool", "W": "weapon"}
DISTRICTS = {"J": "jeweler", "L": "library", "I": "inn", "M": "machinery", "F": "forge"}
SECTORS = {**DISTRICTS, "B": "market"}
LINKED = dict(zip(DISTRICTS, TYPES, strict=True))
TILES = [f"{letter}{number}" for letter in DISTRICTS for number in (1, 2, 3)]
CHANCE_NODES = {"reveal", "first_player", "die", "roll", "reroll"}

Facts = dict[tuple[str, str], Any]


def load() -> list[Scenario]:
    """All scenarios of the rules file, in its order."""
    return split_scenarios(TEXT)


FURTHER = """
```
Options that section 18 leaves open, and conditions that it shows on one tile only
X001 min_to_rank 0: the Inventory of a dead type (8.4, 14.4) :: 4p; opt min_to_rank=0; visit 7; hand 3; J=-;
  dice L1 :: visit market; take book :: hand 4; p0=0; p1=0; p2=0; p3=0; round 2
X002 min_to_rank 0: the Inventory of a type nobody holds (14.4) :: 4p; opt min_to_rank=0; visit 7; hand 12;
  dice J1 :: visit market; take gem :: hand 13; p0=1; p1=1; p2=1; p3=1; round 2
X003 min_to_rank 0: four live types, all tied at the end (13.1, 14.4) :: 3p; opt min_to_rank=0; visit 5;
  hand 18; B{}; L=- :: visit market :: node over; totals 12,12,12; returns 0,0,0
X004 neutral not in the Inventory (9.5) :: 2p; opt neutral_ranked=district+final; visit 5; given 0 1; hand
  12; n{T3}; s0{T2}; dice J1 :: visit market; take gem :: hand 13; pn=0; p0=1; p1=0
X005 neutral not in the final scoring (9.5) :: 2p; opt neutral_ranked=district+inventory; visit 5; given 0
  1; hand 18; B{}; n{G3}; s0{G2}; s1{G1} :: visit market :: totals 3,1,0; returns 1,-1
X006 a die that stays beside a dead District may be changed, but not into another dead number (14.1) :: 4p;
  opt orphan_dice=stay; I=I3; J=-; L=-; dice J2 I1 :: visit inn; take provision; [legal die from jeweler,
  die from market]; die from jeweler; [legal die to inn, die to machinery, die to forge, die to market]; die
  to market :: dice J1 I0 B7; node visit
X007 machinery_block round: in a visit for neutral too (14.2) :: 2p; opt machinery_block=round; sub L; dice
  M2 :: visit machinery; take tool; submarine to machinery; visit market; take gem; visit machinery for
  neutral; take tool; [node submarine]; submarine to inn :: s0{T1}; n{T1}; M{T2}; sub I
X008 machinery_block round: only the seat that moved it (14.2) :: 2p; opt machinery_block=round; sub L; dice
  M2 :: visit machinery; take tool; submarine to machinery; visit machinery; take tool; [node bonus]; [actor
  1]; take tool; submarine to inn :: s0{T1}; s1{T2}; M{T1}; sub I
X009 F2 with the forge alone live (6.15) :: 4p; F=F2; J=-; L=-; I=-; M=-; dice F1 :: visit forge; take
  weapon :: s0{W1}; F{W3}; node visit; actor 1
X010 optional effects: a chained visit asks for its own (10.4) :: 4p; opt optional_effects=true; J=J3; dice
  J1 :: visit jeweler; take gem; use effect; roll 6; roll 4; take tool; [legal take tool, decline bonus];
  decline bonus; [legal use effect, decline effect]; decline effect :: s0{G1,T1}; sub M; node visit; actor 1
X011 optional effects: a used-up chain is not asked for (10.4) :: 4p; opt optional_effects=true; opt
  chain_cap=1; J=J3; dice J1 :: visit jeweler; take gem; use effect; roll 6; roll 1; take gem :: s0{G2};
  node visit; actor 1
X012 optional effects: a roll that can gain nothing is asked for (6.2, 10.4) :: 4p; opt
  optional_effects=true; J{G1}; s1{G3}; dice J1 :: visit jeweler; take gem; [legal use effect, decline
  effect]; decline effect; reveal J2 :: t1=J1; p0=1
```
"""


def load_further() -> list[Scenario]:
    """Scenarios of our own in the same form, each with the clauses it follows from."""
    return split_scenarios(FURTHER)


# ---- items: the same words in a start and in an end (18.2, 18.4)


def _pieces(text: str) -> dict[str, int]:
    """`G3,K1` as a resource object of 17.1."""
    counts = {item[0]: int(item[1:]) for item in text.split(",") if item}
    return {name: counts[letter] for letter, name in TYPES.items() if counts.get(letter)}


def _listed(text: str) -> list[str]:
    """`F1+L2` as a list; `-` or nothing as the empty one."""
    return [] if text in ("", "-") else text.split("+")


def _visible(text: str) -> tuple[str | None, list[str] | None]:
    """`J2/J1+J3` as the visible tile and the unrevealed ones, None where not said; `-` is exhausted."""
    if text == "-":
        return None, []
    tile, slash, hidden = text.partition("/")
    return tile, sorted(_listed(hidden)) if slash else None


def _seats(text: str) -> list[int]:
    """`0 1` as a list of seats; `-` as the empty one."""
    return [] if text == "-" else [int(seat) for seat in text.split()]


def _dice(text: str) -> dict[str, int]:
    """`J2 F1` as letter -> number."""
    return {item[0]: int(item[1:]) for item in text.split()}


def _setting(text: str) -> Any:
    """An option's value: a number, a truth value, a name, or a list joined with +."""
    if text in ("true", "false"):
        return text == "true"
    if "+" in text:
        return text.split("+")
    return int(text) if text.isdigit() else text


def _districts(text: str) -> list[str]:
    """`LIMF` as District names; `-` as none."""
    return [] if text == "-" else [DISTRICTS[letter] for letter in text]


PATTERNS: list[tuple[str, str, Callable[[str], Any]]] = [
    ("players", r"()([234])p", int),
    ("holds", r"([JLIMFB])\{(.*)\}", _pieces),
    ("stock", r"s(\d)\{(.*)\}", _pieces),
    ("stock", r"(n)\{(.*)\}", _pieces),
    ("points", r"p([\dn])=(\d+)", int),
    ("tiles", r"t([\dn])=(.*)", _listed),
    ("visible", r"([JLIMF])=(.*)", _visible),
    ("opt", r"opt (\S+?)=(.*)", _setting),
    ("dice", r"()dice (.*)", _dice),
    ("given", r"()given (.*)", _seats),
    ("bare", r"()bare (.*)", _districts),
    ("sub", r"()sub ([JLIMFB])", SECTORS.__getitem__),
    ("node", r"()node (\w+)", str),
    *((word, rf"(){word} (\d+)", int) for word in ("first", "visit", "hand", "actor", "round")),
    ("totals", r"()totals (.*)", lambda text: [int(total) for total in text.split(",")]),
    ("returns", r"()returns (.*)", lambda text: [Fraction(share) for share in text.split(",")]),
    ("root", r"()(root)", str),
    ("opening", r"()(opening)", str),
]


def _parse(items: Iterable[str]) -> Facts:
    """Items as facts: (kind, what it is about) -> value."""
    facts: Facts = {}
    for item in items:
        for kind, pattern, read in PATTERNS:
            match = re.fullmatch(pattern, item)
            if match:
                facts[kind, match[1]] = read(match[2])
                break
        else:
            raise ValueError(f"item {item!r} is not known")
    return facts


# ---- the start (18.2)


def options_of(scenario: Scenario) -> dict[str, Any]:
    """The options of a scenario: the number of players and those that differ from their default."""
    facts = _parse(scenario.start)
    options: dict[str, Any] = {"players": facts["players", ""]}
    for (kind, name), value in facts.items():
        if kind == "opt":
            name, dot, key = name.partition(".")
            listed = name == "neutral_ranked" and isinstance(value, str)
            options[name] = {key: value} if dot else _listed(value) if listed else value
    return options


def start_position(scenario: Scenario) -> dict[str, Any]:
    """The start of a scenario as the JSON of section 17; options that have their default are left out."""
    facts = _parse(scenario.start)
    n = facts["players", ""]
    opening = ("opening", "") in facts
    first, visit = facts.get(("first", ""), 0), facts.get(("visit", ""), 0)
    spared = options_of(scenario).get("bare_districts") == "spared"
    sectors = _sectors(facts, 0 if opening else (9 if n == 4 else 7) - visit)
    return {
        "game": "atlandice",
        "options": options_of(scenario),
        "round": 1,
        "first": first,
        "visit": visit,
        "node": "die" if opening else "visit",
        "actor": None if opening else (first + visit) % n,
        "context": None,
        "hand": facts.get(("hand", ""), 0),
        "submarine": facts.get(("sub", ""), "machinery"),
        "sectors": sectors,
        "bare": [name for name in DISTRICTS.values() if spared and _live_empty(sectors[name])],
        "participants": _participants(facts, n),
        "given": [seat in facts.get(("given", ""), []) for seat in range(2)] if n == 2 else [],
        "blocked": [],
    }


def _live_empty(sector: dict[str, Any]) -> bool:
    """A District that is bare outside a visit if it is spared (17.4)."""
    return sector["tile"] is not None and not sector["resources"]


def _sectors(facts: Facts, dice_due: int) -> dict[str, Any]:
    """The six Sectors: tiles, pieces, and the dice, all those not placed beside the market."""
    owned = {tile for (kind, _), tiles in facts.items() if kind == "tiles" for tile in tiles}
    dice = facts.get(("dice", ""), {})
    dice = {**dice, "B": dice_due - sum(number for letter, number in dice.items() if letter != "B")}
    sectors: dict[str, Any] = {}
    live = []
    for letter, name in DISTRICTS.items():
        tile, hidden = facts.get(("visible", letter), (f"{letter}1", None))
        if hidden is None:
            hidden = [other for other in TILES if other[0] == letter and other != tile and other not in owned]
        live += [letter] if tile else []
        pieces = facts.get(("holds", letter), _pieces(f"{LINKED[letter]}4") if tile else {})
        sectors[name] = {"tile": tile, "hidden": hidden, "resources": pieces, "dice": dice.get(letter, 0)}
    stocked = facts.get(("holds", "B"), _pieces(",".join(f"{LINKED[letter]}2" for letter in live)))
    sectors["market"] = {"resources": stocked, "dice": dice["B"]}
    return sectors


def _participants(facts: Facts, n: int) -> list[dict[str, Any]]:
    """The seats, and neutral with two of them."""
    return [
        {
            "stock": facts.get(("stock", who), {}),
            "points": facts.get(("points", who), 0),
            "tiles": sorted(facts.get(("tiles", who), []), key=TILES.index),
        }
        for who in [str(seat) for seat in range(n)] + ["n"] * (n == 2)
    ]


# ---- play and end (18.3, 18.4)


def run(scenario: Scenario, engine: Engine) -> None:
    """Play a scenario on an engine; AssertionError says in which scenario, where, and what differed."""
    if ("root", "") in _parse(scenario.start):
        position = engine.initial(options_of(scenario))
    else:
        position = engine.from_json(start_position(scenario))
    for number, item in enumerate(scenario.play, start=1):
        where = f"{scenario.id}, item {number} of play, {item!r}"
        if item.startswith("["):
            _check_bracket(where, position, item.strip("[]"))
        else:
            offered = [*position.legal_actions(), *position.chance_outcomes()]
            _same(where, "offered", True, item in offered, f"; offered are {offered}")
            position.apply(item)
    for (kind, key), expected in _parse(scenario.end).items():
        actual = _observed(position, kind, key, expected)
        _same(f"{scenario.id}, end", f"{kind} {key}".strip(), expected, actual)


def _same(where: str, what: str, expected: object, actual: object, more: str = "") -> None:
    """Fail with a message that can be read without a debugger."""
    if expected != actual:
        raise AssertionError(f"{where}: {what} should be {expected}, is {actual}{more}")


def _check_bracket(where: str, position: Position, check: str) -> None:
    """One check between two moves (18.3)."""
    word, _, rest = check.partition(" ")
    if word == "legal":
        _same(where, "legal", sorted(rest.split(", ")), sorted(position.legal_actions()))
    elif word == "chance":
        _same(where, "chance", dict.fromkeys(rest.split(", "), 1), dict(position.chance_outcomes()))
    elif word in ("node", "actor"):
        expected = _parse([check])[word, ""]
        _same(where, word, expected, _observed(position, word, "", expected))
    else:
        raise ValueError(f"{where}: bracket is not known")


def _observed(position: Position, kind: str, key: str, expected: Any) -> Any:
    """What an item of a scenario says about the position as it is, in the form of the expectation."""
    data = position.to_json()
    if kind in ("first", "visit", "hand", "round"):
        return data[kind]
    if kind in ("holds", "visible", "dice"):
        return _observed_sector(data, kind, key, expected)
    if kind in ("stock", "points", "tiles"):
        value = data["participants"][2 if key == "n" else int(key)][kind]
        return sorted(value, key=expected.index) if kind == "tiles" and set(value) == set(expected) else value
    if kind == "returns":
        return _observed_returns(position, expected)
    observe: dict[str, Callable[[], Any]] = {
        "node": lambda: _observed_node(position, data),
        "actor": lambda: data["actor"] if data["actor"] == position.seat else ("seat", position.seat),
        "sub": lambda: data["submarine"],
        "bare": lambda: data["bare"],
        "given": lambda: [seat for seat, given in enumerate(data["given"]) if given],
        "totals": lambda: [side["points"] + 3 * len(side["tiles"]) for side in data["participants"]],
    }
    return observe[kind]()


def _observed_sector(data: dict[str, Any], kind: str, key: str, expected: Any) -> Any:
    """What lies on a Sector, its tiles, or the dice beside the Sectors that the item names."""
    if kind == "holds":
        return data["sectors"][SECTORS[key]]["resources"]
    if kind == "dice":
        return {letter: data["sectors"][SECTORS[letter]]["dice"] for letter in expected}
    district = data["sectors"][DISTRICTS[key]]
    return district["tile"], None if expected[1] is None else sorted(district["hidden"])


def _observed_node(position: Position, data: dict[str, Any]) -> str:
    """The node of the position, which must agree with the kind of node it reports."""
    name = str(data["node"])
    kind = "over" if name == "over" else "chance" if name in CHANCE_NODES else "decision"
    return name if position.node == kind else f"{name}, reported as {position.node}"


def _observed_returns(position: Position, expected: list[Fraction]) -> list[Any]:
    """The returns, each as the expected fraction where it is as near as a float can be."""
    actual = list(position.returns())
    near = len(actual) == len(expected) and all(
        abs(float(share) - float(wish)) < 1e-12 for share, wish in zip(actual, expected, strict=True)
    )
    return expected if near else actual
