"""The scenarios of docs/rules/atlantis_rising.md, section 23: starts as positions, and a runner for any engine.

The tables of section 23 are read from the rules file. Their starts are a notation, and where a start there is `=` it
is the cell of that row itself; their steps and expectations are prose, and stand once more in
atlantis_rising_cases.txt, as items that a program can follow. A row may need several cases: `T56a`, `T56b`. `run` knows
an engine only through its two callables and the position that they return, so that the same scenarios hold the slow
reference and the fast game to the same account.

A case is `id phase :: start :: play :: end`. The phase is where the start stands: `root` (before setup, through
`initial`), `deploy`, `draw` (before the first misfortune) or `act`. Items of play:

    0: place follower > at hills 6   decisions of seat 0; the seats before it in turn pass, are ready, or yield
    *: die 4                         a chance event; `x3` after an item repeats it
    all ready, all pass              until the phase is over or something else is asked
    deploy centre                    everybody places everything at the centre and is ready
    next; auto board                 the first thing offered; the same until something on offer begins with `board`
    idle                             the round is played out without doing anything
    [0 offers a, b] [0 lacks a] [0 mask a, b]   what seat 0 (none named: whoever decides) is offered; `drain *` is all
                                                six, `mask` is complete and in the order of the ids
    [chance die 1 2, die 2] [outcomes 5] [chance never component]   outcomes with weights, 1 unless said
    [seat 2] [node chance]           who decides; what kind of node it is
    [fact]                           any item of an end
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from helpers.scenarios import Engine, Position
from helpers.support import ROOT, TESTS

RULES = ROOT / "docs" / "rules"
TEXT = (RULES / "atlantis_rising.md").read_text(encoding="utf-8")
DATA: dict[str, Any] = json.loads((RULES / "atlantis_rising_data.json").read_text(encoding="utf-8"))

PENINSULAS: list[str] = DATA["order"]["peninsulas"]
GOODS: list[str] = DATA["order"]["resources"]
KINDS: list[str] = DATA["order"]["kinds"]
LETTERS = dict(zip("LHFVA", KINDS, strict=True))
CARDS: list[str] = [card["id"] for card in DATA["library"]]
ARTIFACTS: list[str] = [card["id"] for card in DATA["artifacts"]]
MISFORTUNES: list[str] = [card["id"] for card in DATA["misfortunes"]]
COMPONENTS = {item["id"]: item for item in DATA["components"]}
COUNCILORS: list[str] = [board["id"] for board in DATA["councilors"]]
LOCATIONS = [tile["id"] for tile in DATA["tiles"]] + DATA["gates"]["ids"] + list(COMPONENTS)
# Dealt in this order to seats (and the hologram) of which a case says nothing: the first have the least to say.
HARMLESS = ["scholar", "champion", "navigator", "aquanaut", "astrologer", "emissary", "priest", "explorer"]
HARMLESS += ["artificer", "orator"]
IN_LIBRARY = ["golden sieve", "fate knuckle", "mystic conduit", "index of ages"]


@dataclass(frozen=True)
class Scenario:
    """One case of a row of section 23, its parts cut into items; row is the row as it is printed."""

    id: str
    phase: str
    start: tuple[str, ...]
    play: tuple[str, ...]
    end: tuple[str, ...]
    row: tuple[str, ...]


CASES = (TESTS / "helpers" / "atlantis_rising_cases.txt").read_text(encoding="utf-8")


# ---- reading


def rows() -> dict[str, tuple[str, ...]]:
    """The rows of the tables of section 23: id -> start, steps, expected."""
    lines = re.findall(r"^\| (T\d+)\*? \| (.*) \|$", TEXT, re.MULTILINE)
    return {name: tuple(cell.strip() for cell in re.split(r" \| ", rest)) for name, rest in lines}


def load() -> list[Scenario]:
    """All cases in the order of the rules file; each row has one or more, and each case a row."""
    printed = rows()
    cases = [_case(line, printed) for line in re.sub(r"\n  +", " ", CASES).splitlines() if line]
    named = list(dict.fromkeys(_row_of(case.id) for case in cases))
    if named != list(printed):
        raise ValueError(f"rows without a case, or cases without a row: {sorted({*named} ^ {*printed})}")
    return cases


def _row_of(name: str) -> str:
    """The row that a case belongs to: `T56` for `T56b`."""
    return name.rstrip("abcdefgh")


def _case(line: str, printed: dict[str, tuple[str, ...]]) -> Scenario:
    """One case from its joined line."""
    head, start, play, end = (part.strip() for part in re.split(r" ::(?= |$)", line))
    name, phase = head.split()
    row = printed[_row_of(name)]
    items = _start_items(row[0] if start == "=" else start)
    return Scenario(name, phase, items, tuple(_cut(play)), tuple(_cut(end)), row)


def _cut(text: str) -> Iterator[str]:
    """Items between semicolons, repetitions written out."""
    for item in (part.strip() for part in text.split(";")):
        repeated = re.fullmatch(r"([0-9*]: .*) x(\d+)", item)
        if repeated:
            yield from [repeated[1]] * int(repeated[2])
        elif item:
            yield item


def _start_items(text: str) -> tuple[str, ...]:
    """The items of a start cell, each complete in itself: lists after `home`, `hand0`, ... are taken apart."""
    items: list[str] = []
    held: list[str] = []  # pieces whose place follows: F0,F1@cities 2
    prefix = ""
    for part in (part.strip() for part in re.split(r"[;,]", re.sub(r"\(.*?\)", "", text))):
        word = re.match(r"(home|hand\d|art\d|bar|built|bottom|discarded|discard|others|fl all \d but) (.*)", part)
        if part.endswith(" there"):
            part = f"{part[:-6]}@there"
        part = re.sub(r"^(\w+) there( x\d+)$", r"\1@there\2", part)
        if word and word[1] != "others":
            prefix = f"{word[1]} "
        elif re.fullmatch(r"[LHFVA]\d?( x\d+)?", part):
            part = f"{prefix}{part}" if prefix == "home " else part
        elif prefix and re.sub(r" x\d+$| \d+$", "", part) in [*CARDS, *ARTIFACTS, *MISFORTUNES, *COMPONENTS]:
            part = prefix + part
        else:
            prefix = ""
        if re.fullmatch(r"[LHFVA]\d?", part):
            held.append(part)
        elif "@" in part:
            items += [f"{piece}{part[part.index('@') :]}" for piece in held] + [part]
            held = []
        elif part not in ("", "-"):
            items.append(part)
    if held:
        raise ValueError(f"nothing says where {held} stand: {text!r}")
    return tuple(items)


# ---- the start


@dataclass
class Setting:
    """What the items of a start say."""

    n: int = 4
    level: int = 1
    first: int = 0
    round: int = 1
    wrath: int = 0
    supply: int = 8
    options: dict[str, Any] = field(default_factory=dict)
    councilors: dict[int, str] = field(default_factory=dict)
    seats: dict[int, dict[str, Any]] = field(default_factory=dict)
    pieces: dict[tuple[str, int, str], int] = field(default_factory=dict)
    flooded: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PENINSULAS, 0))
    barriers: list[str] = field(default_factory=list)
    built: list[str] = field(default_factory=list)
    plan: list[str] = field(default_factory=list)
    built_count: int = 0
    effects: dict[str, Any] = field(default_factory=lambda: {"earthquake": 0, "atlas": {}})
    library: dict[str, int] | None = None
    bottom: list[str] = field(default_factory=list)
    discard: list[str] = field(default_factory=list)
    misfortunes: dict[str, int] | None = None
    discarded: list[str] = field(default_factory=list)
    hologram: tuple[str, str] | None = None
    stack_empty: bool = False
    in_library: list[str] = field(default_factory=lambda: list(IN_LIBRARY))
    fails: bool = False

    def seat(self, number: str | int) -> dict[str, Any]:
        """What is said of one seat."""
        empty = {"home": {}, "hand": [], "artifacts": []}
        return self.seats.setdefault(int(number), empty)


def _counted(text: str) -> list[str]:
    """`augury x2` as two cards; `-` as none."""
    name, _, number = text.partition(" x")
    return [] if name == "-" else [name] * int(number or 1)


def _option(text: str) -> Any:
    """An option's value: a number, a truth value, a name, or a list joined with +."""
    if text in ("true", "false"):
        return text == "true"
    if "+" in text:
        return [part.strip() for part in text.split("+")]
    return int(text) if text.isdigit() else text


def _read_piece(s: Setting, letter: str, seat: str, at: str, number: str) -> None:
    """A piece on the board; `there` is the component built last."""
    key = (s.built[-1] if at == "there" else at, int(seat or 0), LETTERS[letter])
    s.pieces[key] = s.pieces.get(key, 0) + int(number or 1)
    if letter == "V":
        s.supply = min(s.supply, 7)


def _read_home(s: Setting, letter: str, seat: str, number: str) -> None:
    """A piece at home."""
    s.seat(seat or 0)["home"][LETTERS[letter]] = int(number or 1)
    if letter == "V":
        s.supply = min(s.supply, 8 - int(number or 1))


def _read_leaders(s: Setting, which: str, at: str) -> None:
    """`all L on gate 1`, `L0-L2 on gate 1`."""
    for seat in range(s.n if which == "all L" else int(which[-1]) + 1):
        s.pieces[at, seat, "leader"] = 1


def _read_holding(s: Setting, names: str, number: str) -> None:
    """`gold0=gold1=1`: the same number of each."""
    for name in names.rstrip("=").split("="):
        s.seat(name[-1])[{"E": "energy"}.get(name[:-1], name[:-1])] = int(number)


def _read_floods(s: Setting, number: str, exceptions: str) -> None:
    """`all 2 but hills 1`, a comma more and it is `fl all 2 but cities 1` again; `others 6`."""
    name, _, other = exceptions.rpartition(" ")
    for peninsula in PENINSULAS:
        if s.flooded[peninsula] == 0:
            s.flooded[peninsula] = int(number)
    if name:
        s.flooded[name] = int(other)


def _read_library(s: Setting, text: str) -> None:
    """The unknown part of the library deck."""
    s.library = dict.fromkeys(_counted(text), 1)


START: list[tuple[str, Callable[..., object]]] = [
    (r"n=(\d)", lambda s, n: setattr(s, "n", int(n))),
    (r"level (\d)", lambda s, n: setattr(s, "level", int(n))),
    (r"first=(\d)", lambda s, n: setattr(s, "first", int(n))),
    (r"round (\d+)", lambda s, n: setattr(s, "round", int(n))),
    (r"(?:Wrath )?index (\d) *", lambda s, n: setattr(s, "wrath", int(n))),
    (r"supply (\d)", lambda s, n: setattr(s, "supply", int(n))),
    (r"opt (\w+)=(.*)", lambda s, name, value: s.options.update({name: _option(value)})),
    (r"error", lambda s: setattr(s, "fails", True)),
    (r"seat (\d) barred", lambda s, seat: s.seat(seat).update(barred=True)),
    (r"seat (\d) (\w+)", lambda s, seat, name: s.councilors.update({int(seat): name})),
    (r"scholar(\d) (.*)", lambda s, seat, name: s.seat(seat).update(scholar_artifact=name)),
    (r"([LHFVA])(\d?)@(.*?)(?: x(\d+))?", _read_piece),
    (r"home ([LHFVA])(\d?)(?: x(\d+))?", _read_home),
    (r"(all L|L0-L\d) on (.*)", _read_leaders),
    (r"reserves (\d)", lambda s, k: [s.seat(seat).update(reserve=int(k)) for seat in range(s.n)]),
    (r"((?:(?:ore|gold|crystal|atlantium|E|reserve|lifts|yields)\d=)+)(\d)", _read_holding),
    (r"fl (\w+)=(\d)", lambda s, p, k: s.flooded.update({p: int(k)})),
    (r"fl all (\d) but (.*)", _read_floods),
    (r"others (\d)()", _read_floods),
    (r"all 36 flooded", lambda s: s.flooded.update(dict.fromkeys(PENINSULAS, 6))),
    (r"bar (.*)", lambda s, p: s.barriers.append(p)),
    (r"hand(\d) (.*)", lambda s, seat, text: s.seat(seat)["hand"].extend(_counted(text))),
    (r"art(\d) (.*)", lambda s, seat, name: s.seat(seat)["artifacts"].append(name)),
    (r"plan (.*)", lambda s, name: s.plan.append(name)),
    (r"([89]) built", lambda s, k: setattr(s, "built_count", int(k))),
    (r"built (.*)", lambda s, name: s.built.append(name)),
    (r"earthquake (\d) *", lambda s, k: s.effects.update(earthquake=int(k))),
    (r"atlas (\w+) (\d)", lambda s, p, k: s.effects["atlas"].update({p: int(k)})),
    (r"library deck (.*)", _read_library),
    (r"bottom (.*)", lambda s, name: s.bottom.append(name)),
    (r"discard (.*)", lambda s, text: s.discard.extend(_counted(text))),
    (r"misfortune deck -", lambda s: setattr(s, "misfortunes", {})),
    (r"discarded (.*)", lambda s, text: s.discarded.extend(_counted(text))),
    (r"hologram (\w+)/(.*)", lambda s, name, artifact: setattr(s, "hologram", (name, artifact))),
    (r"stack -", lambda s: setattr(s, "stack_empty", True)),
    (r"in library (.*)", lambda s, text: setattr(s, "in_library", text.split("+"))),
]


def _setting(items: Iterable[str]) -> Setting:
    """All items of a start, read."""
    setting = Setting()
    for item in items:
        for pattern, read in START:
            match = re.fullmatch(pattern, item)
            if match:
                read(setting, *match.groups())
                break
        else:
            raise ValueError(f"item {item!r} of a start is not known")
    return setting


def root_options(items: Iterable[str]) -> dict[str, Any]:
    """The options of a start that stands before setup."""
    setting = _setting(items)
    return {"players": setting.n, "level": setting.level, **setting.options}


def start_position(phase: str, items: Iterable[str]) -> dict[str, Any]:
    """A start in the middle of a game as the JSON of section 20."""
    s = _setting(items)
    boards = _boards(s)
    s.level, nine = _plan(s)
    for item in [*s.built, *nine[: s.built_count]]:
        if item not in s.built:
            s.built.append(item)
    artifacts = _artifacts(s)
    return {
        "game": "atlantis_rising",
        "players": s.n,
        "level": s.level,
        "options": _options(s, boards, nine),
        "phase": {"deploy": "deploy", "draw": "misfortune", "act": "actions"}[phase],
        "round": s.round,
        "first": s.first,
        "turn": s.first,
        "passes": 0,
        "flooded": s.flooded,
        "barriers": sorted(s.barriers, key=PENINSULAS.index),
        "wrath": s.wrath,
        "track_energy_taken": min(s.round, 6) if s.n == 1 else 0,
        "blueprint": [name for name in [*nine, "power core"] if name not in s.built],
        "built": s.built,
        "built_this_round": 0,
        "seats": [_seat(s, seat, boards[seat]) for seat in range(s.n)],
        "placed": _placed(s),
        "volunteers": s.supply,
        "library": _library(s, artifacts),
        "unused_artifacts": [a for a in ARTIFACTS if a not in artifacts and a not in _scholars(s)],
        "misfortunes": _misfortunes(s),
        **_councilors(s, boards),
        "effects": {
            "earthquake": s.effects["earthquake"],
            "atlas": {p: s.effects["atlas"].get(p, 0) for p in PENINSULAS[:3]},
            "closed": [],
            "build_limit": None,
            "extra_floods": 0,
        },
        "draws": _draws(s) if phase == "draw" else [],
        "window": False,
        **({"call": phase != "draw" and s.n > 1} if s.options.get("casting_vote") else {}),
        "held": None,
        "floods": 0,
        "pending": [],
        "result": None,
    }


def _boards(s: Setting) -> list[str]:
    """The councilors of the seats: those named, the others out of the way."""
    taken = [*s.councilors.values(), s.hologram[0] if s.hologram else ""]
    free = iter([name for name in HARMLESS if name not in taken])
    return [s.councilors.get(seat) or next(free) for seat in range(s.n)]


def _plan(s: Setting) -> tuple[int, list[str]]:
    """The lowest level, and nine components of it, with all those that the case speaks of."""
    needed = [*s.built, *s.plan]
    for level in DATA["levels"]:
        nine: list[str] = list(level["fixed"] or [])
        for letter, number in level["components"].items() if not nine else []:
            mine = [name for name, item in COMPONENTS.items() if item["letter"] == letter]
            nine += sorted(mine, key=lambda name: name not in needed)[:number]
        if set(needed) <= set(nine) and level["level"] >= s.level:
            return level["level"], [name for name in COMPONENTS if name in nine]
    raise ValueError(f"no level has all of {needed}")


def _options(s: Setting, boards: list[str], nine: list[str]) -> dict[str, Any]:
    """The options of the game in which this could be; those at their default are left out."""
    opened = (s.first - (s.round - 1)) % s.n
    options: dict[str, Any] = {"councilors": boards, **s.options}
    options |= {"first_player": opened} if opened else {}
    return options | ({"blueprint": nine} if s.level > 1 else {})


def _seat(s: Setting, number: int, councilor: str) -> dict[str, Any]:
    """One seat with what is said of it."""
    said = s.seat(number)
    shape = DATA["players"][s.n - 1]
    own = said["home"].get("follower", 0)
    own += sum(count for (_, seat, kind), count in s.pieces.items() if (seat, kind) == (number, "follower"))
    reserve = min(shape["reserve"], max(0, shape["followers"] + shape["reserve"] - own))
    return {
        "councilor": councilor,
        **{good: said.get(good, 0) for good in [*GOODS, "energy"]},
        "hand": _heap(said["hand"]),
        "artifacts": said["artifacts"],
        "scholar_artifact": said.get("scholar_artifact"),
        "home": {kind: said["home"].get(kind, 0) for kind in KINDS},
        "spent_volunteers": 0,
        "reserve": said.get("reserve", reserve),
        "removed": 0,
        "lifts": said.get("lifts", 3),
        "yields": said.get("yields", 2),
        "declines": s.options.get("decline_budget", 3),
        "barred": said.get("barred", False),
        "used": [],
    }


def _heap(names: Iterable[str]) -> dict[str, int]:
    """A list as a multiset."""
    names = list(names)
    return {name: names.count(name) for name in [*CARDS, *ARTIFACTS, *MISFORTUNES] if name in names}


def _placed(s: Setting) -> list[dict[str, Any]]:
    """The pieces on the board in canonical order, all ready."""
    order = sorted(s.pieces, key=lambda key: (LOCATIONS.index(key[0]), key[1], KINDS.index(key[2])))
    keys = ("at", "seat", "kind")
    return [dict(zip(keys, key, strict=True)) | {"ready": s.pieces[key], "done": 0} for key in order]


def _scholars(s: Setting) -> list[str]:
    """Artifacts that a scholar has."""
    return [seat["scholar_artifact"] for seat in s.seats.values() if seat.get("scholar_artifact")] + (
        [s.hologram[1]] if s.hologram else []
    )


def _artifacts(s: Setting) -> list[str]:
    """The four artifacts of the library: those that the case speaks of, and others."""
    named = [name for seat in s.seats.values() for name in seat["artifacts"]]
    named += [name for name in [*(s.library or []), *s.bottom, *s.discard] if name in ARTIFACTS]
    others = [name for name in [*s.in_library, *ARTIFACTS] if name not in [*named, *_scholars(s)]]
    return (named + list(dict.fromkeys(others)))[:4]


def _library(s: Setting, artifacts: list[str]) -> dict[str, Any]:
    """The library; where its deck is given, what the case leaves over lies in the discard."""
    elsewhere = [card for seat in s.seats.values() for card in [*seat["hand"], *seat["artifacts"]]]
    left = [*CARDS, *CARDS, *artifacts]
    for card in [*elsewhere, *s.bottom, *s.discard, *(s.library or [])]:
        left.remove(card)
    if s.library is None:
        return {"deck": _heap(left), "bottom": s.bottom, "discard": _heap(s.discard)}
    return {"deck": s.library, "bottom": s.bottom, "discard": _heap([*s.discard, *left])}


def _misfortunes(s: Setting) -> dict[str, Any]:
    """The misfortune cards of the level."""
    level = DATA["levels"][s.level - 1]
    copies = {card["id"]: card["copies"] for card in DATA["misfortunes"]}
    copies |= {"calm seas": level["calm_seas"], "controlled flooding": level["controlled_flooding"]}
    rest = {name: number - s.discarded.count(name) for name, number in copies.items()}
    rest = {name: number for name, number in rest.items() if number}
    if s.misfortunes is None:
        return {"deck": rest, "top": [], "discard": _heap(s.discarded)}
    return {"deck": {}, "top": [], "discard": {name: number for name, number in copies.items() if number}}


def _councilors(s: Setting, boards: list[str]) -> dict[str, Any]:
    """The stack of boards and the hologram, with one or two seats."""
    if s.n > 2:
        return {"councilors": None, "hologram": None}
    free = [name for name in HARMLESS if name not in boards]
    name, artifact = s.hologram or (free[0], None)
    free.remove(name)
    rest = sorted(free, key=COUNCILORS.index)
    piles = {"stack": [], "discard": rest} if s.stack_empty else {"stack": rest, "discard": []}
    return {"councilors": piles, "hologram": {"councilor": name, "artifact": artifact}}


def _draws(s: Setting) -> list[int]:
    """The drawing seats of a round (2.2)."""
    if s.n <= 2:
        return [s.first, s.first, (s.first + 1) % s.n, (s.first + 1) % s.n]
    return [(s.first + k) % s.n for k in range(max(s.n, 4))]


# ---- play


def run(scenario: Scenario, engine: Engine) -> None:
    """Play a scenario on an engine; AssertionError says in which scenario, where, and what differed."""
    if "error" in scenario.start:
        _check_refused(scenario, engine)
        return
    if scenario.phase == "root":
        position = engine.initial(root_options(scenario.start))
    else:
        position = engine.from_json(start_position(scenario.phase, scenario.start))
    for number, item in enumerate(scenario.play, start=1):
        where = f"{scenario.id}, item {number} of play, {item!r}"
        if item.startswith("["):
            _check_bracket(where, position, item[1:-1])
        else:
            _do(where, position, item)
    for item in scenario.end:
        _check_fact(f"{scenario.id}, end", position, item)


def _check_refused(scenario: Scenario, engine: Engine) -> None:
    """The game is not set up (clause 3e)."""
    try:
        engine.initial(root_options(scenario.start))
    except ValueError:
        return
    raise AssertionError(f"{scenario.id}: the options are not refused")


def _same(where: str, what: str, expected: object, actual: object, more: str = "") -> None:
    """Fail with a message that can be read without a debugger."""
    if expected != actual:
        raise AssertionError(f"{where}: {what} should be {expected}, is {actual}{more}")


def _offered(position: Position) -> list[str]:
    """Everything that may happen now."""
    return [*position.legal_actions(), *position.chance_outcomes()]


def _apply(where: str, position: Position, text: str) -> None:
    """One action or event, which must be on offer."""
    offered = _offered(position)
    _same(where, f"{text!r} offered", True, text in offered, f"; offered are {offered}")
    position.apply(text)


def _do(where: str, position: Position, item: str) -> None:
    """One item of play that moves the game."""
    who, colon, rest = item.partition(": ")
    if colon:
        _wait_for(position, None if who == "*" else int(who))
        for text in rest.split(" > "):
            _same(where, "seat", None if who == "*" else int(who), position.seat)
            _apply(where, position, text)
    elif item.startswith("auto "):
        _auto(where, position, item[5:])
    else:
        HELPERS[item](where, position)


def _wait_for(position: Position, seat: int | None) -> None:
    """The seats before the one that is to act pass, are ready, or yield."""
    for _ in range(len(position.to_json()["seats"])):
        idle = [text for text in ("pass", "ready", "yield") if text in position.legal_actions()]
        if position.seat == seat or not idle:
            return
        position.apply(idle[0])


def _auto(where: str, position: Position, word: str) -> None:
    """The first thing offered, until something on offer begins with the word."""
    for _ in range(200):
        offered = _offered(position)
        if any(text.startswith(word) for text in offered):
            return
        _same(where, "something offered", True, bool(offered))
        position.apply(offered[0])
    raise AssertionError(f"{where}: never comes")


def _next(where: str, position: Position) -> None:
    """The first thing offered."""
    _apply(where, position, _offered(position)[0])


def _all_idle(word: str) -> Callable[[str, Position], None]:
    """Everybody says the word until the phase is over or something else is asked."""

    def say(where: str, position: Position) -> None:
        _same(where, f"{word!r} offered", True, word in position.legal_actions())
        phase = position.to_json()["phase"]
        while word in position.legal_actions() and position.to_json()["phase"] == phase:
            position.apply(word)

    return say


def _deploy_centre(where: str, position: Position) -> None:
    """Everything is placed at the centre."""
    while position.to_json()["phase"] == "deploy":
        offered = position.legal_actions()
        placing = [text for text in offered if text.startswith("place ")]
        if placing:
            position.apply(placing[0])
            _apply(where, position, "at centre")
        else:
            _apply(where, position, "ready")


def _idle(where: str, position: Position) -> None:
    """The rest of the round without any effort."""
    this_round = position.to_json()["round"]
    _deploy_centre(where, position)
    while position.to_json()["round"] == this_round:
        offered = _offered(position)
        mild = [text for text in ("pass", "ready", "misfortune calm seas") if text in offered]
        position.apply((mild or offered)[0])


HELPERS: dict[str, Callable[[str, Position], None]] = {
    "all pass": _all_idle("pass"),
    "all ready": _all_idle("ready"),
    "deploy centre": _deploy_centre,
    "idle": _idle,
    "next": _next,
}


# ---- checks


def _listed(text: str) -> list[str]:
    """Texts between commas; `drain *` is all six."""
    listed: list[str] = []
    for item in (part.strip() for part in text.split(",")):
        listed += [item[:-1] + p for p in PENINSULAS] if item.endswith(" *") else [item]
    return listed


def _check_bracket(where: str, position: Position, check: str) -> None:
    """One check between two moves."""
    mask = re.fullmatch(r"(?:(\d) )?(mask|offers|lacks) (.*)", check)
    if mask:
        if mask[1] is not None:
            _wait_for(position, int(mask[1]))
            _same(where, "seat", int(mask[1]), position.seat)
        _check_mask(where, position.legal_actions(), mask[2], _listed(mask[3]))
    elif check.startswith("seat "):
        _same(where, "seat", int(check[5:]), position.seat)
    elif check.startswith("node "):
        _same(where, "node", check[5:], position.node)
    elif check.startswith("outcomes "):
        _same(where, "number of outcomes", int(check[9:]), len(position.chance_outcomes()))
    elif check.startswith("chance never "):
        hits = [text for text in position.chance_outcomes() if text.startswith(check[13:])]
        _same(where, "chance node without it", (True, []), (position.node == "chance", hits))
    elif check.startswith("chance "):
        pairs = [re.fullmatch(r"(\D+?)(?: (\d+))?", item) for item in _listed(check[7:])]
        expected = {pair[1]: int(pair[2] or 1) for pair in pairs if pair}
        _same(where, "chance", expected, dict(position.chance_outcomes()))
    else:
        _check_fact(where, position, check)


def _check_mask(where: str, legal: list[str], word: str, listed: list[str]) -> None:
    """What is offered: exactly this, at least this, or none of this."""
    if word == "mask":
        _same(where, "mask", listed, legal)
    elif word == "offers":
        _same(where, "missing from the mask", [], [text for text in listed if text not in legal], f"; it is {legal}")
    else:
        _same(where, "wrongly in the mask", [], [text for text in listed if text in legal], f"; it is {legal}")


Data = dict[str, Any]


def _plus(names: Iterable[str]) -> str:
    """Names joined as an end writes them."""
    return "+".join(names) or "-"


def _spread(heap: dict[str, int], order: list[str]) -> str:
    """A multiset as an end writes it."""
    return _plus(name for name in order for _ in range(heap.get(name, 0)))


def _holding(data: Data, name: str) -> int:
    """`E0`, `gold1`, `reserve0`, `spent0`."""
    key = {"E": "energy", "spent": "spent_volunteers"}.get(name[:-1], name[:-1])
    return int(data["seats"][int(name[-1])][key])


def _at_home(data: Data, letter: str, seat: str) -> int:
    """Pieces of a kind at home."""
    return int(data["seats"][int(seat or 0)]["home"][LETTERS[letter]])


def _on_board(data: Data, state: str, letter: str, seat: str, at: str) -> int:
    """Pieces of a kind on the board, in a state or in any."""
    states = [state.strip()] if state else ["ready", "done"]
    wanted = (at, int(seat or 0), LETTERS[letter])
    found = [entry for entry in data["placed"] if (entry["at"], entry["seat"], entry["kind"]) == wanted]
    return sum(int(entry[key]) for entry in found for key in states)


def _floods(data: Data, where: str) -> Any:
    """Flooded tiles of one peninsula; of all, if they are the same everywhere."""
    counts = data["flooded"]
    if where != "all":
        return counts[where]
    return counts["hills"] if len(set(counts.values())) == 1 else counts


def _end(data: Data) -> str:
    """Say how the game ended."""
    if data["result"] is None:
        return "running"
    return f"{'win' if data['result']['win'] else 'loss'} {data['result']['reason']}"


def _stack(data: Data) -> str:
    """Boards in the stack, counted."""
    return str(len(data["councilors"]["stack"])) if data["councilors"] else "none"


ALL_CARDS = [*CARDS, *ARTIFACTS]
# pattern of what is asked, reader, how the expectation is written; the reader gets the JSON and the groups but the last
FACTS: list[tuple[str, Callable[..., Any], Callable[[str], Any]]] = [
    (r"(E\d|[a-z]+\d)=(\d+)", _holding, int),
    (r"home ([LHFVA])(\d?)(?: x(\d+))?", _at_home, int),
    (r"(ready |done )?([LHFVA])(\d?)@(.*?)(?: x(\d+))?", _on_board, int),
    (r"fl (\w+)=(\d)", _floods, int),
    (r"bars (.*)", lambda data: _plus(data["barriers"]), str),
    (r"hand(\d) (.*)", lambda data, seat: _spread(data["seats"][int(seat)]["hand"], CARDS), str),
    (r"art(\d) (.*)", lambda data, seat: _plus(data["seats"][int(seat)]["artifacts"]), str),
    (r"scholar(\d) (.*)", lambda data, seat: data["seats"][int(seat)]["scholar_artifact"] or "-", str),
    (r"free(\d)()", lambda data, seat: data["seats"][int(seat)]["barred"], lambda _: False),
    (r"barred(\d)()", lambda data, seat: data["seats"][int(seat)]["barred"], lambda _: True),
    (r"built (.*)()", lambda data, name: (name in data["built"], name in data["blueprint"]), lambda _: (True, False)),
    (r"unbuilt (.*)()", lambda data, name: (name in data["built"], name in data["blueprint"]), lambda _: (False, True)),
    (r"supply (\d)", lambda data: data["volunteers"], int),
    (r"index (\d)", lambda data: data["wrath"], int),
    (r"round (\d+)", lambda data: data["round"], int),
    (r"first (\d)", lambda data: data["first"], int),
    (r"phase (\w+)", lambda data: data["phase"], str),
    (r"taken (\d)", lambda data: data["track_energy_taken"], int),
    (r"blueprint (\d+)", lambda data: len(data["blueprint"]), int),
    (r"unused (\d+)", lambda data: len(data["unused_artifacts"]), int),
    (r"stack (\w+)", _stack, str),
    (r"boards (.*)", lambda data: _plus(data["councilors"]["discard"]), str),
    (r"hologram (.*)", lambda data: "{councilor}/{artifact}".format(**data["hologram"]), str),
    (r"misfortunes (\d+)", lambda data: sum(data["misfortunes"]["deck"].values()), int),
    (r"library (\d+)", lambda data: sum(data["library"]["deck"].values()), int),
    (r"top (.*)", lambda data: _plus(data["misfortunes"]["top"]), str),
    (r"misdiscard (.*)", lambda data: _spread(data["misfortunes"]["discard"], MISFORTUNES), str),
    (r"bottom (.*)", lambda data: _plus(data["library"]["bottom"]), str),
    (r"libdiscard (.*)", lambda data: _spread(data["library"]["discard"], ALL_CARDS), str),
    (r"libdeck (.*?)(?: x(\d+))?", lambda data, name: data["library"]["deck"].get(name, 0), int),
    (r"draws (.*)", lambda data: _plus(map(str, data["draws"])), str),
    (r"closed (.*)", lambda data: _plus(data["effects"]["closed"]), str),
    (r"(win .*|loss .*|running)", _end, str),
]


def _check_fact(where: str, position: Position, item: str) -> None:
    """One item of an end."""
    if item.startswith("returns "):
        _same(where, item, {float(item[8:])}, set(position.returns()))
        return
    if item == "truncated":
        _same(where, item, True, position.truncated)
        return
    data = position.to_json()
    *names, number = item.split("=")
    if len(names) > 1:
        for name in names:
            _check_fact(where, position, f"{name}={number}")
        return
    for pattern, read, expect in FACTS:
        match = re.fullmatch(pattern, item)
        if match:
            *asked, expected = match.groups()
            actual = read(data, *asked)
            _same(where, item, expect(expected) if expected is not None else 1, actual)
            _same(where, "node is over", data["result"] is not None, position.node == "over")
            return
    raise ValueError(f"{where}: item {item!r} of an end is not known")
