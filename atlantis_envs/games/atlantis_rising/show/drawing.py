"""Atlantis Rising as a picture: the island, what lies beside it, the councilors and their cards.

The island is six arms of six tiles around the centre, sinking from their tips. Beside it lie Wrath, gates, the
blueprint, decks, and what this round is like; below it what can be done without a place, and the cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import cos, pi, sin
from typing import Any

from atlantis_envs.drawing.letters import broken, fitted, text_width
from atlantis_envs.drawing.look import Look, View
from atlantis_envs.drawing.pen import (
    DO,
    Icon,
    badge,
    buttons,
    circle,
    heading,
    moved,
    panel,
    path,
    placed,
    polygon,
    rect,
    star,
    wave,
    words,
)
from atlantis_envs.drawing.pen import words as say
from atlantis_envs.drawing.phrases import counted
from atlantis_envs.drawing.shapes import NARROW, Drawing, Group, Shape
from atlantis_envs.drawing.theme import Roles
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.show import phrases
from atlantis_envs.games.atlantis_rising.show.phrases import BOARD, explain, news
from atlantis_envs.games.atlantis_rising.show.refusals import refusal
from atlantis_envs.games.atlantis_rising.view import view

AREAS = {  # by the first word of an action; {} is the seat to decide
    **dict.fromkeys(("barrier", "drain", "flood", "chart"), "peninsula"),
    **dict.fromkeys(("give", "take"), "good.{}"),
    **{"at": "at", "build": "component", "seat": "seat", "place": "home.{}"},
}


@dataclass(frozen=True)
class Plan:
    """Where things lie: left and top, in units; ``people`` and ``gates`` go on by their pitch, in so many columns."""

    width: int
    height: int
    island: tuple[float, float, float]  # middle, scale
    lettering: float  # size of the numbers on tiles, before the scale
    wrath: tuple[float, float]
    gates: tuple[float, float, float]  # and width of all
    blueprint: tuple[float, float]
    notes: tuple[float, float, float]  # and bottom
    people: tuple[float, float, int]  # and columns
    buttons: tuple[float, float, float]  # and width
    cards: tuple[float, float, float]  # and width


PANEL, PITCH = (188.0, 90.0), (194.0, 94.0)
WIDE = Plan(
    990, 704, (280, 318, 1), 12, (12, 42), (562, 44, 226), (562, 94), (562, 382, 594), (796, 42, 1), (8, 602, 780),
    (8, 658, 780),
)  # fmt: skip


def tall(players: int) -> Plan:
    """Return where things lie on a telephone: below each other, 390 units wide."""
    people = 866
    bottom = people + PITCH[1] * ((players + 1) // 2)
    return Plan(
        NARROW, int(bottom), (195, 247, 0.675), 15.6, (8, 42), (236, 580, 150), (4, 580), (236, 632, 858),
        (4, people, 2), (6, 446, 378), (6, 506, 378),
    )  # fmt: skip


def draw(planned: Callable[[int], Plan], view: View, names: Sequence[str]) -> Drawing:
    """Draw the table, for a screen (WIDE) or a telephone (``tall``)."""
    plan = planned(view["players"])
    place, seat = view["place"], view["to_decide"]
    status = "setup" if place["phase"] == "setup" else f"round {place['round']} · {place['phase']}"
    name = "" if seat is None else names[seat]
    asked = phrases.headline(view)
    groups = [
        heading("Atlantis Rising", status, seat, name, asked, plan.width),
        *island(view, plan),
        *side(view, plan),
        *(_person(view, seat, names, plan) for seat in range(view["players"])),
        buttons(view, area, *plan.buttons),
        _cards(view, names, plan),
    ]
    sunk = sum(place["flooded"].values())
    about = f"Round {place['round']}: {len(place['built'])} components built, {sunk} of 36 tiles under water."
    return Drawing(plan.width, plan.height, "Atlantis Rising", about, tuple(groups))


def area(view: View, action: str) -> str:
    """Return where a click means the action: a place, a peninsula, a component, a seat, pieces at home, goods,
    cards, or a button.
    """
    word, _, rest = action.partition(" ")
    seat = view["to_decide"]
    if word in AREAS:
        return f"{AREAS[word].format(seat)}.{rest}"
    if word in ("play", "discard") and _strip_seat(view) == seat:
        return f"card.{rest}"
    return f"offer.{rest}" if word == "keep" and rest in _offered(view["place"]) else f"{DO}{action}"


# ------------------------------------------------------------------------------------------------------------- people


def _person(view: View, seat: int, names: Sequence[str], plan: Plan) -> Group:
    place, (width, height) = view["place"], PANEL
    person = place["seats"][seat]
    left, top, columns = plan.people
    x, y = left + PITCH[0] * (seat % columns), top + PITCH[1] * (seat // columns)
    shapes: list[Shape] = [panel(0, 0, width, height, view["to_decide"] == seat), *badge(17, 16, seat, 10.5)]
    councilor = person["councilor"] or ""
    first = place["first"] == seat and place["phase"] != "setup"
    room = width - 42 - text_width(councilor, 11.5) - (22 if first else 4)
    name = fitted(names[seat], room, 13.5, True)
    shapes += [say(33, 21, name, 13.5, bold=True), say(width - 8, 20.5, councilor, 11.5, "mute", "end")]
    if first:
        shapes.append(star(33 + text_width(name, 13.5, True) + 11, 16, 8.5, "star", "seat.edge"))
    groups = [_good(person, seat, number, good) for number, good in enumerate(data.GOODS)]
    groups += _home(person, seat)
    shapes.append(say(9, 66, "home", 11, "mute"))
    shapes.append(say(9, 83, _holding(person), 11, "mute", room=width - 18))
    goods = ", ".join(f"{person[good]} {good}" for good in data.GOODS)
    home = ", ".join(f"{count} {kind}" for kind, count in person["home"].items() if count) or "nobody"
    label = f"{names[seat]}, {councilor or 'no councilor yet'}: {goods}; at home {home}; {_holding(person)}"
    return Group(f"seat.{seat}", label, tuple(shapes), tuple(groups), (x, y), rect(0, 0, width, height, None, None, 9))


def _good(person: Mapping[str, Any], seat: int, number: int, good: str) -> Group:
    count, x = person[good], 9 + 35 * number
    marks = placed(GOODS[good], x + 7, 42, 0.85, faded=not count)
    digits = say(x + 17, 46.5, str(count), 12.5, "ink" if count else "mute", bold=bool(count))
    return Group(
        f"good.{seat}.{good}", f"{count} {good}", (*marks, digits), area=rect(x - 3, 32, 34, 20, None, None, 5)
    )


def _home(person: Mapping[str, Any], seat: int) -> list[Group]:
    """Draw the pieces at home, which can be placed."""
    x, groups = 57.0, []
    gap = 8.0 if sum(1 for count in person["home"].values() if count) < 4 else 3.0
    for kind in data.KINDS:
        count = person["home"][kind]
        if not count:
            continue
        shapes = list(piece(kind, seat, x, 62, scale=0.9))
        wide = 18.0
        if count > 1:
            shapes.append(say(x + 10, 66, f"×{count}", 11, "ink"))
            wide += text_width(f"×{count}", 11) + 2
        groups.append(
            Group(
                f"home.{seat}.{kind}",
                f"{count} {kind} at home",
                tuple(shapes),
                area=rect(x - 11, 52, wide + 4, 21, None, None, 6),
            )
        )
        x += wide + gap
    return groups


def _holding(person: Mapping[str, Any]) -> str:
    """Return cards, artifacts and reserve in words."""
    cards = person["hand"] if isinstance(person["hand"], int) else sum(person["hand"].values())
    parts = [counted(cards, "card"), counted(len(_artifacts(person)), "artifact"), f"reserve {person['reserve']}"]
    return " · ".join(parts) + (" · barred" if person["barred"] else "")


def _artifacts(person: Mapping[str, Any]) -> list[str]:
    return [*person["artifacts"], *([person["scholar_artifact"]] if person["scholar_artifact"] else [])]


# -------------------------------------------------------------------------------------------------------------- cards


def _strip_seat(view: View) -> int | None:
    """Return whose cards are shown by name: those of who looks; an onlooker sees those of the seat to decide."""
    place = view["place"]
    if view["seat"] is not None:
        return int(view["seat"])
    return view["to_decide"] if view["to_decide"] is not None else place["turn"]


def _offered(place: Mapping[str, Any]) -> list[str]:
    """Return the cards drawn by the action in progress, where they may be known."""
    frame = place["pending"][-1] if place["pending"] else {}
    offered = frame.get("drawn", frame.get("seen", []))
    return [] if isinstance(offered, int) else [card for card in offered if card]


def _cards(view: View, names: Sequence[str], plan: Plan) -> Group:
    place, seat = view["place"], _strip_seat(view)
    person = place["seats"][seat] if seat is not None else None
    if person is None or isinstance(person["hand"], int):
        return Group("cards", "no cards to be seen")
    title = "your cards" if view["seat"] is not None else f"cards of {names[seat or 0]}"
    chips = [(f"card.{name}", name, count, "") for name, count in person["hand"].items()]
    chips += [(f"card.{name}", name, 1, "used" if name in person["used"] else "in play") for name in _artifacts(person)]
    offered = _offered(place)
    chips += [(f"offer.{name}", name, offered.count(name), "drawn") for name in dict.fromkeys(offered)]
    left, top, width = plan.cards
    x, y = left + 4 + text_width(title, 11.5, True) + 8, top + 2
    shapes = [say(left + 4, top + 15.5, title, 11.5, "mute", bold=True, room=300)]
    if not chips:
        shapes.append(say(x, top + 15.5, "none", 11.5, "mute"))
    groups = []
    for key, name, count, mark in chips:
        message = f"{name}{f' ×{count}' if count > 1 else ''}{f' ({mark})' if mark else ''}"
        wide = text_width(message, 11.5) + 16
        if x + wide > left + width:
            x, y = left, y + 22
        groups.append(_chip(key, name, message, x, y, wide))
        x += wide + 6
    return Group("cards", f"{title}: {', '.join(chip[1] for chip in chips) or 'none'}", tuple(shapes), tuple(groups))


def _chip(key: str, name: str, message: str, x: float, y: float, wide: float) -> Group:
    box = rect(x, y, wide, 19, "chip", "chip.edge", 5)
    what = {**phrases.CARDS, **phrases.ARTIFACTS}.get(name, "")
    return Group(key, f"{message}: {what}" if what else message, (box, say(x + 8, y + 13.5, message, 11.5)), area=box)


# ----------------------------------------------------------------------------------------------------------- the island


TIP, DEPTH, HALF = 268.0, 36.0, 44.0  # radius of the tip, depth and half of the width of a tile
CENTRE = 51.0
TURNS = {"mountains": 0, "hills": 1, "forests": 2, "cities": 3, "libraries": 4, "forges": 5}  # sixths, clockwise
GIVES = {
    "mountains": "ore", "hills": "gold", "forests": "crystal",
    "cities": "recruits", "libraries": "cards", "forges": "atlantium",
}  # fmt: skip
SYMBOLS = ("2", "1↓", "1")  # cards kept in the libraries; ↓: the other goes under the deck
NAMES = {  # where the name of an arm stands, from the middle: x, y, anchor
    "mountains": (54, -256, "start"),
    "hills": (274, -208, "end"),
    "forests": (274, 210, "end"),
    "cities": (-54, 248, "end"),
    "libraries": (-272, 210, "start"),
    "forges": (-272, -208, "start"),
}
MOST_ON_TILE, MOST_IN_CENTRE = 4, 8
Pieces = Mapping[str, Sequence[tuple[str, int, bool]]]  # place -> kind, seat, done of every piece


def pieces_by_place(place: Mapping[str, Any]) -> dict[str, list[tuple[str, int, bool]]]:
    """Return every piece on the board, ready ones first at each place."""
    found: dict[str, list[tuple[str, int, bool]]] = {}
    for entry in place["placed"]:
        each = [(entry["kind"], entry["seat"], False)] * entry["ready"] + [
            (entry["kind"], entry["seat"], True)
        ] * entry["done"]
        found.setdefault(entry["at"], []).extend(each)
    return {at: sorted(pieces, key=lambda piece: piece[2]) for at, pieces in found.items()}


def pieces_text(pieces: Sequence[tuple[str, int, bool]]) -> str:
    """Return pieces in words."""
    each = [f"{kind} of seat {seat}{' that has acted' if done else ''}" for kind, seat, done in pieces]
    return ", ".join(each) or "empty"


def island(view: View, plan: Plan) -> list[Group]:
    """Draw shallows, tiles, names of the arms, centre, around (0, 0), and bring them to their place."""
    pieces, size = pieces_by_place(view["place"]), plan.lettering
    shallows = Group("shallows", "", (circle(0, 0, 276, "shallow"), circle(0, 0, 190, "deeper")))
    tiles = [
        _tile(view, name, row, pieces, size)
        for name in data.PENINSULAS
        for row in range(1, data.TILES_PER_PENINSULA + 1)
    ]
    around = [shallows, *tiles, *(_name(view, name, size) for name in data.PENINSULAS), _centre(view, pieces, size)]
    return [moved(group, *plan.island) for group in around]


def _at(turn: float, radius: float, along: float) -> tuple[float, float]:
    """Return a point of an arm: its distance from the middle, and how far along the tile it lies."""
    angle = 2 * pi * turn / 6
    return radius * sin(angle) + along * cos(angle), -radius * cos(angle) + along * sin(angle)


def _tile(view: View, name: str, row: int, pieces: Pieces, size: float) -> Group:
    key = f"{name} {row}"
    turn = TURNS[name]
    outer = TIP - DEPTH * (row - 1) - 1
    inner = outer - DEPTH + 2
    narrow = HALF if row < data.TILES_PER_PENINSULA else inner * 0.5774 - 2.5
    corners = [_at(turn, r, a) for r, a in ((outer, -HALF), (outer, HALF), (inner, narrow), (inner, -narrow))]
    wet = row <= view["place"]["flooded"][name]
    outline = polygon(corners, "under" if wet else f"l.{name}", "under.edge" if wet else "tile.edge", 1.2, dash=wet)
    there = pieces.get(key, ())
    shapes: list[Shape] = [outline]
    middle = (inner + outer) / 2 + (2.5 if row == data.TILES_PER_PENINSULA else 0)
    if wet and not there:
        shapes += wave(*_at(turn, middle, 0), 0.75)
    if not wet:
        x, y = _at(turn, middle, -28 if row < data.TILES_PER_PENINSULA else -21)
        shapes.append(say(x, y + size * 0.36, _value(view, name, key), size, "ink", "middle", True))
    room = 0 if wet else view["capacity"][key]
    shapes += _on_tile(turn, middle, there, room, row == data.TILES_PER_PENINSULA, size)
    label = f"{key}: {'under water' if wet else _value_text(view, name, key)}; {pieces_text(there)}"
    return Group(f"at.{key}", label, tuple(shapes), area=polygon(corners, None))


def _value(view: View, name: str, key: str) -> str:
    value = view["values"][key]
    if name == "libraries":
        return SYMBOLS[value]
    return f"×{value}" if name == "forges" else f"{value}+"


def _value_text(view: View, name: str, key: str) -> str:
    value = view["values"][key]
    if name == "libraries":
        return ("keep 2 cards", "keep 1 card, the other goes under the deck", "keep 1 card, discard the other")[value]
    return f"{value} atlantium for 1 ore" if name == "forges" else f"roll {value} or more"


def _on_tile(
    turn: float, radius: float, there: Sequence[tuple[str, int, bool]], capacity: int, narrow: bool, size: float
) -> Icon:  # fmt: skip
    """Draw pieces along the tile, then rings for those that fit beside them; what does not fit is a number."""
    shown = list(there) if len(there) <= MOST_ON_TILE else list(there)[: MOST_ON_TILE - 1]
    count = min(MOST_ON_TILE, max(capacity, len(there)))
    start, stop = (-1.0, 28.0) if narrow else (-6.0 + 0.6 * (size - 12), 35.0)
    if count == MOST_ON_TILE:
        start -= 6.0
    pitch = min(size * 1.42, (stop - start) / max(1, count - 1))
    shapes: list[Shape] = []
    for number in range(count):
        x, y = _at(turn, radius, start + pitch * number)
        if number < len(shown):
            kind, seat, done = shown[number]
            shapes += piece(kind, seat, x, y, done, size / 13, _digits(size, 0.9))
        elif number >= len(there):
            shapes.append(circle(x, y, size * 0.52, None, "slot", 1.0, dash=True))
        else:
            shapes.append(say(x, y + 4, f"+{len(there) - len(shown)}", size, "ink", "middle", True))
    return tuple(shapes)


def _name(view: View, name: str, size: float) -> Group:
    """Draw the name, what is got there, and the barrier; here floods, barriers and drains are chosen."""
    x, y, anchor = NAMES[name]
    wide, side = text_width(name, size + 1.5, True), 1 if anchor == "start" else -1
    place = view["place"]
    barred, closed = name in place["barriers"], name in place["effects"]["closed"]
    under, role = ("closed", "changed") if closed else (GIVES[name], "mute")
    shapes = [
        say(x, y, name, size + 1.5, "ink", anchor, True),
        say(x, y + size + 3, under, size, role, anchor, closed),
    ]
    reach = wide + 31
    where = rect(x - 5 if side > 0 else x - reach + 5, y - size - 8, reach, 2 * size + 17, None, None, 8)
    if barred:
        shapes += placed(SHIELD, x + side * (wide + 13), y - 4)
    label = f"{name}: {GIVES[name]}; {place['flooded'][name]} of {data.TILES_PER_PENINSULA} tiles under water"
    label += f"{', a barrier' if barred else ''}{', closed' if closed else ''}"
    return Group(f"peninsula.{name}", label, tuple(shapes), area=where)


def _centre(view: View, pieces: Pieces, size: float) -> Group:
    there = list(pieces.get("centre", ()))
    shapes: list[Shape] = [circle(0, 0, CENTRE, "panel", "tile.edge", 1.4)]
    shapes += placed(GOODS["energy"], -27, -32, 0.8)
    closed = "centre" in view["place"]["effects"]["closed"]
    shapes.append(say(5, -28, "closed" if closed else "centre", size, "changed" if closed else "ink", "middle"))
    shapes += _by_seat(there, size) if len(there) > MOST_IN_CENTRE else _rows(there, size)
    return Group("at.centre", f"centre: {pieces_text(there)}", tuple(shapes), area=circle(0, 0, CENTRE, None))


def _digits(size: float, part: float) -> float:
    """Return the size of digits on pieces: a part of that on tiles, but nothing less on a telephone."""
    return part * size if size <= WIDE.lettering else size


def _rows(there: Sequence[tuple[str, int, bool]], size: float) -> list[Shape]:
    """Draw pieces in rows of four."""
    shapes: list[Shape] = []
    for number, (kind, seat, done) in enumerate(there):
        wide = min(4, len(there) - number // 4 * 4)
        left = (number % 4 - (wide - 1) / 2) * 20
        shapes += piece(kind, seat, left, -6 + 22 * (number // 4), done, size / 13, _digits(size, 0.9))
    return shapes


def _by_seat(there: Sequence[tuple[str, int, bool]], size: float) -> list[Shape]:
    """Draw many pieces by seat: how many are ready, and of how many; a seat is hollow when none is."""
    shapes: list[Shape] = []
    seats = sorted({seat for _, seat, _ in there})
    for number, seat in enumerate(seats):
        alone = number == len(seats) - 1 and number % 2 == 0
        x, y = (-17 if alone else (-35, 3)[number % 2]), -15 + 15.5 * (number // 2)
        done = [done for _, other, done in there if other == seat]
        ready = done.count(False)
        message = str(ready) if ready == len(done) else f"{ready}/{len(done)}"
        shapes += piece("follower", seat, x, y, not ready, size / 15, _digits(size, 0.88))
        shapes.append(say(x + size * 0.7, y + size * 0.33, message, _digits(size, 0.92), "ink", bold=True))
    return shapes


# ---------------------------------------------------------------------------------------------------- beside the island


ROW = 26.0  # of the blueprint
BREADTH = 226.0
MOST_AT_GATE = 4
LEGEND = ("leader", "hologram", "follower", "volunteer", "automaton")
INITIALS = {"mountains": "mo", "hills": "hi", "forests": "fo", "cities": "ci", "libraries": "li", "forges": "fg"}


def side(view: View, plan: Plan) -> list[Group]:
    """Draw everything beside the island."""
    pieces = pieces_by_place(view["place"])
    gates = [_gate(number, view["gates"], pieces, plan) for number in range(1, view["gates"] + 1)]
    return [_wrath(view, plan), *gates, moved(_blueprint(view, pieces), *plan.blueprint), _notes(view, plan)]


def _wrath(view: View, plan: Plan) -> Group:
    """Draw the track: how many floods a round ends with."""
    now, (left, top) = view["place"]["wrath"], plan.wrath
    shapes: list[Shape] = [say(left, top + 12, "wrath: floods each round", 11.5, "mute")]
    for number, value in enumerate(view["wrath"]):
        x, y = left + 25 * (number % 6), top + 18 + 25 * (number // 6)
        edge, stroke = ("ink", 2.6) if number == now else ("panel.edge", 1)
        shapes.append(rect(x, y, 22, 22, "deep" if number <= now else "panel", edge, 5, stroke))
        shapes.append(say(x + 11, y + 15.5, str(value), 12.5, "ink", "middle", True))
    label = f"wrath: {view['wrath'][now]} floods at the end of this round, space {now + 1} of {len(view['wrath'])}"
    return Group("wrath", label, tuple(shapes))


def _gate(number: int, count: int, pieces: Pieces, plan: Plan) -> Group:
    left, top, breadth = plan.gates
    width = (breadth - 5 * (count - 1)) / count
    x, there = left + (width + 5) * (number - 1), list(pieces.get(f"gate {number}", ()))
    shapes: list[Shape] = [panel(x, top, width, 44), *placed(GATE, x + 14, top + 24, 0.9)]
    shapes.append(
        say(x + width / 2 + 12, top + 15, f"gate {number}" if width > 60 else str(number), 11, "mute", "middle")
    )
    fits = max(1, min(MOST_AT_GATE, int((width - 28) // 18)))
    shown = there if len(there) <= fits else there[: fits - 1]
    for place, (kind, seat, done) in enumerate(shown):
        shapes += piece(kind, seat, x + 36 + 18 * place, top + 30, done, 0.92)
    if len(there) > len(shown):
        shapes.append(say(x + 28 + 18 * len(shown), top + 34, f"+{len(there) - len(shown)}", 11, "ink", bold=True))
    where = rect(x, top, width, 44, None, None, 9)
    return Group(f"at.gate {number}", f"gate {number}: {pieces_text(there)}", tuple(shapes), area=where)


# ---------------------------------------------------------------------------------------------------------- blueprint


def _blueprint(view: View, pieces: Pieces) -> Group:
    place = view["place"]
    built, rest = place["built"], place["blueprint"]
    known = f"built {len(built)} of {len(built) + len(rest)}" if built or rest else "not yet known"
    title = f"Cosmic Gate: {known}"
    rows = [_component(view, name, number, True, pieces) for number, name in enumerate(built)]
    rows += [_component(view, name, len(built) + number, False, pieces) for number, name in enumerate(rest)]
    label = f"{title}; {', '.join(built) or 'nothing'} built"
    return Group("blueprint", label, (say(2, 12, title, 12, "mute", bold=True),), tuple(rows))


def _component(view: View, name: str, number: int, built: bool, pieces: Pieces) -> Group:
    y, width, last = 18 + ROW * number, BREADTH, name == "power core"
    edge, stroke = ("ink", 2.0) if last else ("panel.edge", 1.0)
    shapes: list[Shape] = [rect(0, y, width, ROW - 3, "quiet" if built else "panel", edge, 6, stroke)]
    if built:
        shapes += placed(TICK, 14, y + 12)
    shapes.append(say(27 if built else 9, y + 17, name, 12, "ink", bold=last, room=126))
    where = rect(0, y, width, ROW - 3, None, None, 6)
    if built:
        label, places = f"{name}: built; {phrases.COMPONENTS[name]}", _places(view, name, pieces.get(name, ()), y)
        return Group(f"component.{name}", label, tuple(shapes), places, area=where)
    price, x = view["prices"][name], BREADTH - 9
    for good, count in reversed(price.items()):
        shapes += [*placed(GOODS[good], x - 6, y + 12.5, 0.72), say(x - 14, y + 17, str(count), 12, "ink", "end", True)]
        x -= 28
    costs = ", ".join(f"{count} {good}" for good, count in price.items())
    return Group(f"component.{name}", f"{name}: costs {costs}; {phrases.COMPONENTS[name]}", tuple(shapes), area=where)


def _places(view: View, name: str, there: Sequence[tuple[str, int, bool]], y: float) -> tuple[Group, ...]:
    """Draw the places of a component that is built."""
    capacity = view["capacity"].get(name, 0)
    if not capacity:
        return ()
    shapes: list[Shape] = []
    shown = list(there)[:4]
    for number in range(max(capacity, len(shown))):
        x = BREADTH - 15 - 18 * number
        if number < len(shown):
            kind, seat, done = shown[number]
            shapes += piece(kind, seat, x, y + 12.5, done, 0.9)
        else:
            shapes.append(rect(x - 6.5, y + 6, 13, 13, None, "slot", 6.5, 1.0, dash=True))
    wide = 18 * max(capacity, len(shown)) + 4
    where = rect(BREADTH - wide - 2, y + 1, wide, ROW - 5, None, None, 6)
    return (Group(f"at.{name}", f"{name}: {pieces_text(there)}", tuple(shapes), area=where),)


# -------------------------------------------------------------------------------------------------------------- notes


def _notes(view: View, plan: Plan) -> Group:
    """Draw decks, volunteers and what is special now."""
    place = view["place"]
    left, top, bottom = plan.notes
    breadth = min(BREADTH, plan.width - left - 6)
    shapes: list[Shape] = [panel(left, top, breadth, bottom - top, fill="quiet")]
    cards = place["misfortunes"]
    y = top + 16
    total = sum(cards["deck"].values()) + len(cards["top"])
    shapes.append(say(left + 9, y, f"misfortunes: {total} left", 11.5, "mute"))
    shapes += _deck(cards["deck"], left + 6, y + 6, (breadth - 12) / len(data.PENINSULAS))
    other = sum(count for kind, count in cards["deck"].items() if kind not in data.PENINSULAS)
    shapes.append(say(left + 9, y + 54, f"by peninsula; {other} others", 11, "mute"))
    y += 70
    legend = 20 * ((len(LEGEND) + 2) // 3) if breadth == BREADTH else 0
    for message, bold in _lines(view):
        for line in broken(message, breadth - 18, 11.5, 3, bold):
            if y > bottom - legend - 4:
                break
            shapes.append(say(left + 9, y, line, 11.5, "ink" if bold else "mute", bold=bold))
            y += 14.5
        y += 2
    shapes += _legend(left, bottom - legend + 10, breadth) if legend else ()
    label = "; ".join(message for message, _ in _lines(view))
    return Group("notes", label, tuple(shapes))


def _legend(left: float, y: float, breadth: float) -> list[Shape]:
    """Show which shape is which piece."""
    shapes: list[Shape] = []
    for number, kind in enumerate(LEGEND):
        x, down = left + 13 + (breadth - 6) / 3 * (number % 3), y + 18 * (number // 3)
        shapes += [*piece(kind, -1, x, down, scale=0.72), say(x + 9, down + 4, kind, 10.5, "mute")]
    return shapes


def _deck(deck: Mapping[str, int], left: float, y: float, pitch: float) -> list[Shape]:
    """Draw how many misfortunes of each peninsula are left, with its initials."""
    shapes: list[Shape] = []
    for number, name in enumerate(data.PENINSULAS):
        x = left + pitch * number
        middle = x + (pitch - 3) / 2
        shapes += [
            rect(x, y, pitch - 3, 34, f"l.{name}", "tile.edge", 5),
            say(middle, y + 13, INITIALS[name], 10.5, "ink", "middle"),
        ]
        shapes.append(say(middle, y + 29, str(deck.get(name, 0)), 13, "ink", "middle", True))
    return shapes


def _lines(view: View) -> list[tuple[str, bool]]:
    """Return what is special now in bold, then the decks."""
    place, held = view["place"], view["place"]["hologram"]
    now = phrases.doing(place)
    special = [now if now.startswith("drawn") or not now else f"now: {now}", *_effects(place)]
    if place["misfortunes"]["top"]:
        special.append(f"next misfortunes: {', '.join(place['misfortunes']['top'])}")
    library = place["library"]
    under = library["bottom"] if isinstance(library["bottom"], int) else len(library["bottom"])
    beneath = f", {under} under the deck" if under else ""
    unseen, discarded = sum(library["deck"].values()), sum(library["discard"].values())
    decks = [f"library: {unseen} unseen{beneath}, {discarded} discarded"]
    decks.append(f"volunteers: {place['volunteers']} left; level {view['level']}")
    decks.append("hollow pieces have acted this round")
    if held:
        artifact = f", {held['artifact']}" if held["artifact"] else ""
        decks.append(f"hologram: {held['councilor'] or 'to be chosen'}{artifact}")
    return [*((line, True) for line in special if line), *((line, False) for line in decks)]


def _effects(place: Mapping[str, Any]) -> list[str]:
    """Return what this round is like, the closed places apart, which say so themselves."""
    effects = place["effects"]
    found = [f"earthquake: targets +{effects['earthquake']}"] if effects["earthquake"] else []
    found += [f"{name}: targets -{2 * count}" for name, count in effects["atlas"].items() if count]
    found += ["only one component this round"] if effects["build_limit"] else []
    found += [f"{counted(effects['extra_floods'], 'more flood')} at the end"] if effects["extra_floods"] else []
    found += [f"floods to choose now: {place['floods']}"] if place["floods"] else []
    return found


# --------------------------------------------------------------------------------------------------------------- icons


ROLES: Roles = {
    "shallow": ("#B5D8EA", "#1A4156"),
    "deeper": ("#A6CCE2", "#1F4A61"),
    "tile.edge": ("#5C6B60", "#0B161C"),
    "under": ("#B5D8EA", "#1D4A66"),
    "under.edge": ("#3F7FA3", "#5FA8CC"),
    "slot": ("#5C5A52", "#C9D3D8"),
    "hollow": ("#FFFFFF", "#F2F6F8"),
    "on.hollow": ("#14222B", "#14222B"),
    "l.mountains": ("#D9D3CB", "#57534D"),
    "l.hills": ("#F2DFA2", "#645321"),
    "l.forests": ("#CDE0B0", "#405427"),
    "l.cities": ("#F4CDB4", "#6B4330"),
    "l.libraries": ("#DDD2EE", "#4C4066"),
    "l.forges": ("#F2C2BC", "#6E3431"),
    "ore": ("#57524D", "#CFC9C2"),
    "gold": ("#A87900", "#F2C230"),
    "crystal": ("#0F6E9E", "#6FC3EE"),
    "atlantium": ("#A8321F", "#FF9079"),
    "energy": ("#6A2FB8", "#CDA4FF"),
    "cut": ("#FFFFFF", "#14222B"),
    "shield": ("#007A70", "#35B8AE"),
    "done": ("#00693B", "#5BDBA0"),
    "star": ("#C99700", "#E8B93A"),
    "chip": ("#FFF8E6", "#2C3B44"),
    "chip.edge": ("#A98644", "#9C8250"),
    "volunteer": ("#5B6B75", "#A9B8C0"),
}
GOODS: dict[str, Icon] = {
    "ore": (polygon([(-7, 5), (-6, -1), (-1, -6), (5, -4), (7, 2), (6, 5)], "ore"),),
    "gold": (
        polygon([(-7.5, 5), (-4, -4.5), (4, -4.5), (7.5, 5)], "gold"),
        path("M -3.5 -1 L 3.5 -1", None, "cut", 1.1),
    ),
    "crystal": (
        polygon([(0, -8), (4.5, -3), (4.5, 4), (0, 8), (-4.5, 4), (-4.5, -3)], "crystal"),
        path("M 0 -6 L 0 6", None, "cut", 1.1),
    ),
    "atlantium": (
        polygon(
            [
                ((7.6 if n % 2 else 5.9) * sin(pi * n / 8), -(7.6 if n % 2 else 5.9) * cos(pi * n / 8))
                for n in range(16)
            ],
            "atlantium",
        ),
        circle(0, 0, 2.3, "cut"),
    ),
    "energy": (polygon([(2, -8.5), (-5.5, 1.2), (-0.8, 1.2), (-2.2, 8.5), (5.5, -1.6), (0.8, -1.6)], "energy"),),
}
HOUSE = [(-8.0, 8.0), (-8.0, -1.5), (0.0, -9.5), (8.0, -1.5), (8.0, 8.0)]
HEXAGON = [(9.2 * cos(pi * n / 3), 9.2 * sin(pi * n / 3)) for n in range(6)]
DIAMOND = [(0.0, -9.8), (9.8, 0.0), (0.0, 9.8), (-9.8, 0.0)]
OUTLINES = {"leader": HOUSE, "hologram": HEXAGON, "volunteer": DIAMOND}
SHIELD: Icon = (
    path("M 0 -9 L 8 -6.5 L 8 0 C 8 5 4 8 0 9.5 C -4 8 -8 5 -8 0 L -8 -6.5 Z", "shield", "halo", 1.4),
    path("M -3.6 0 L -0.8 3 L 4 -3", None, "cut", 1.9),
)
GATE: Icon = (
    path("M -10 16 L -10 -4 C -10 -17 10 -17 10 -4 L 10 16", None, "ink", 2.2),
    path("M -5.5 16 L -5.5 -3 C -5.5 -10.5 5.5 -10.5 5.5 -3 L 5.5 16", None, "ink", 2.2),
)
TICK: Icon = (path("M -6 0 L -2 4.5 L 6.5 -5.5", None, "done", 2.6),)


def piece(kind: str, seat: int, x: float, y: float, done: bool = False, scale: float = 1.0, size: float = 10.5) -> Icon:
    """Draw a piece with its seat's number, each kind with a shape of its own.

    One that has acted is hollow. Seat -1 is nobody: the shape alone.
    """
    if seat < 0:
        return placed((_body(kind, "hollow", "volunteer", 1.4),), x, y, scale)
    digits = words(x, y + size * 0.37, str(seat), size, "on.hollow" if done else f"on.seat{seat}", "middle", True)
    if not done:
        return (*placed((_body(kind, f"seat{seat}", "seat.edge", 1.2),), x, y, scale), digits)
    rim = _body(kind, "hollow", "seat.edge", 4.2)  # a yellow edge alone would not be seen on white
    return (*placed((rim, _body(kind, "hollow", f"seat{seat}", 2.8)), x, y, scale), digits)


def _body(kind: str, fill: str, edge: str, width: float) -> Shape:
    """Draw the shape of a kind of piece."""
    if kind in OUTLINES:
        return polygon(OUTLINES[kind], fill, edge, width)
    if kind == "automaton":
        return rect(-7.5, -7.5, 15, 15, fill, edge, 1.5, width)
    return circle(0, 0, 8.2, fill, edge, width)


def legend() -> tuple[tuple[Icon, str], ...]:
    """Return what the signs on the board mean."""

    def sign(text: str) -> Icon:
        return (words(0, 5, text, 14, "ink", "middle", True),)

    ring = circle(0, 0, 8, None, "slot", 1.2, dash=True)
    return (
        (piece("leader", 0, 0, 0, False, 1.3), "your leader"),
        (piece("hologram", 0, 0, 0, False, 1.3), "your hologram"),
        (piece("follower", 0, 0, 0, False, 1.3), "a follower"),
        (piece("leader", 0, 0, 0, True, 1.3), "a hollow piece has acted this round"),
        ((ring,), "a dashed ring: room for a piece; all of a tile may be needed to act"),
        (sign("4+"), "the die has to show so much, or more, for the good of the peninsula"),
        (sign("\u00d72"), "forges: so much atlantium for 1 ore"),
        (sign("2"), "libraries: you draw two cards and keep both"),
        (sign("1\u2193"), "libraries: you draw two cards, keep one, and the other goes under the deck"),
        (sign("1"), "libraries: you draw two cards, keep one and discard the other"),
        (
            sign("mo 6"),
            "so many misfortunes that flood these are left: mo mountains, hi hills, fo forests, ci cities, "
            "li libraries, fg forges",
        ),
    )


LOOK = Look(
    view=view,
    draw=partial(draw, lambda players: WIDE),
    area=area,
    roles=ROLES,
    goal=phrases.goal,
    question=phrases.question,
    clauses=phrases.clauses,
    explain=explain,
    refusal=refusal,
    news=news,
    board=BOARD,
    ending=phrases.ending,
    legend=legend,
    draw_narrow=partial(draw, tall),
    leading=("place", "lift", "resolve"),
)
