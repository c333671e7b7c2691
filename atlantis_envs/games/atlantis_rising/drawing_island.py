"""The island of Atlantis Rising as a picture: six arms of six tiles around the centre, sinking from their tips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import cos, pi, sin
from typing import Any

from atlantis_envs.drawing.look import View
from atlantis_envs.drawing.pen import Icon, circle, placed, polygon, rect, wave
from atlantis_envs.drawing.pen import words as say
from atlantis_envs.drawing.shapes import Group, Shape
from atlantis_envs.games.atlantis_rising.data import PENINSULAS, TILES_PER_PENINSULA
from atlantis_envs.games.atlantis_rising.icons import GOODS, SHIELD, piece

MIDDLE = (282.0, 345.0)
TIP, DEPTH, HALF = 268.0, 36.0, 44.0  # radius of the tip, depth and half of the width of a tile
CENTRE = 51.0
TURNS = {"mountains": 0, "hills": 1, "forests": 2, "cities": 3, "libraries": 4, "forges": 5}  # sixths, clockwise
GIVES = {
    "mountains": "ore", "hills": "gold", "forests": "crystal",
    "cities": "recruits", "libraries": "cards", "forges": "atlantium",
}  # fmt: skip
SYMBOLS = ("2", "1↓", "1")  # cards kept in the libraries; ↓: the other goes under the deck
NAMES = {  # where the name of an arm stands: x, y, anchor, place of the shield
    "mountains": (MIDDLE[0] - 8, 66, "end", 70),
    "hills": (556, 132, "end", -66),
    "forests": (556, 556, "end", -66),
    "cities": (MIDDLE[0] - 8, 636, "end", 70),
    "libraries": (10, 556, "start", 92),
    "forges": (10, 132, "start", 92),
}
MOST_ON_TILE, MOST_IN_CENTRE = 4, 12
Pieces = Mapping[str, Sequence[tuple[str, int, bool]]]  # place -> kind, seat, done of every piece


def pieces_by_place(place: Mapping[str, Any]) -> dict[str, list[tuple[str, int, bool]]]:
    """Every piece on the board, ready ones first at each place."""
    found: dict[str, list[tuple[str, int, bool]]] = {}
    for entry in place["placed"]:
        each = [(entry["kind"], entry["seat"], False)] * entry["ready"] + [
            (entry["kind"], entry["seat"], True)
        ] * entry["done"]
        found.setdefault(entry["at"], []).extend(each)
    return {at: sorted(pieces, key=lambda piece: piece[2]) for at, pieces in found.items()}


def told_pieces(pieces: Sequence[tuple[str, int, bool]]) -> str:
    """Pieces in words."""
    each = [f"{kind} of seat {seat}{' that has acted' if done else ''}" for kind, seat, done in pieces]
    return ", ".join(each) or "empty"


@cache
def island_ground() -> Group:
    """The shallows under the island."""
    x, y = MIDDLE
    return Group("shallows", "", (circle(x, y, 276, "shallow"), circle(x, y, 190, "deeper")))


def island(view: View) -> list[Group]:
    """Tiles, names of the arms, centre."""
    pieces = pieces_by_place(view["place"])
    tiles = [_tile(view, name, row, pieces) for name in PENINSULAS for row in range(1, TILES_PER_PENINSULA + 1)]
    return [island_ground(), *tiles, *(_name(view, name) for name in PENINSULAS), _centre(view, pieces)]


def _at(turn: float, radius: float, along: float) -> tuple[float, float]:
    """A point of an arm: its distance from the middle, and how far along the tile it lies."""
    angle = 2 * pi * turn / 6
    return (
        MIDDLE[0] + radius * sin(angle) + along * cos(angle),
        MIDDLE[1] - radius * cos(angle) + along * sin(angle),
    )


def _tile(view: View, name: str, row: int, pieces: Pieces) -> Group:
    key = f"{name} {row}"
    turn = TURNS[name]
    outer = TIP - DEPTH * (row - 1) - 1
    inner = outer - DEPTH + 2
    narrow = HALF if row < TILES_PER_PENINSULA else inner * 0.5774 - 2.5
    corners = [_at(turn, r, a) for r, a in ((outer, -HALF), (outer, HALF), (inner, narrow), (inner, -narrow))]
    wet = row <= view["place"]["flooded"][name]
    outline = polygon(corners, "under" if wet else f"l.{name}", "under.edge" if wet else "tile.edge", 1.2, dash=wet)
    there = pieces.get(key, ())
    shapes: list[Shape] = [outline]
    middle = (inner + outer) / 2 + (2.5 if row == TILES_PER_PENINSULA else 0)
    if wet and not there:
        shapes += wave(*_at(turn, middle, 0), 0.75)
    if not wet:
        x, y = _at(turn, middle, -28 if row < TILES_PER_PENINSULA else -21)
        shapes.append(say(x, y + 4, _value(view, name, key), 11.5, "ink", "middle", True))
    shapes += _on_tile(turn, middle, there, 0 if wet else view["capacity"][key], row == TILES_PER_PENINSULA)
    label = f"{key}: {'under water' if wet else _told_value(view, name, key)}; {told_pieces(there)}"
    return Group(f"at.{key}", label, tuple(shapes), area=polygon(corners, None))


def _value(view: View, name: str, key: str) -> str:
    value = view["values"][key]
    if name == "libraries":
        return SYMBOLS[value]
    return f"×{value}" if name == "forges" else f"{value}+"


def _told_value(view: View, name: str, key: str) -> str:
    value = view["values"][key]
    if name == "libraries":
        return ("keep 2 cards", "keep 1 card, the other goes under the deck", "keep 1 card, discard the other")[value]
    return f"{value} atlantium for 1 ore" if name == "forges" else f"roll {value} or more"


def _on_tile(turn: float, radius: float, there: Sequence[tuple[str, int, bool]], capacity: int, narrow: bool) -> Icon:
    """Pieces along the tile, then rings for those that fit beside them; what does not fit is a number."""
    shown = list(there) if len(there) <= MOST_ON_TILE else list(there)[: MOST_ON_TILE - 1]
    count = min(MOST_ON_TILE, max(capacity, len(there)))
    start, stop = (-1.0, 28.0) if narrow else (-6.0, 35.0)
    if count == MOST_ON_TILE:
        start -= 6.0
    pitch = min(17.0, (stop - start) / max(1, count - 1))
    shapes: list[Shape] = []
    for number in range(count):
        x, y = _at(turn, radius, start + pitch * number)
        if number < len(shown):
            kind, seat, done = shown[number]
            shapes += piece(kind, seat, x, y, done, 0.92)
        elif number >= len(there):
            shapes.append(circle(x, y, 6.2, None, "slot", 1.0, dash=True))
        else:
            shapes.append(say(x, y + 4, f"+{len(there) - len(shown)}", 11.5, "ink", "middle", True))
    return tuple(shapes)


def _name(view: View, name: str) -> Group:
    """Name, what is got there, and the barrier; here floods, barriers and drains are chosen."""
    x, y, anchor, shield = NAMES[name]
    place = view["place"]
    barred = name in place["barriers"]
    if name in ("mountains", "cities"):
        shapes = [say(x, y, name, 13.5, "ink", "end", True), say(x + 8, y, GIVES[name], 12, "mute")]
        where = rect(x - 88, y - 16, 172, 22, None, None, 8)
    else:
        shapes = [say(x, y, name, 13.5, "ink", anchor, True), say(x, y + 15, GIVES[name], 12, "mute", anchor)]
        where = rect(x - 80 if anchor == "end" else x - 6, y - 16, 110 if anchor == "start" else 84, 38, None, None, 8)
    if barred:
        shapes += placed(
            SHIELD, x + shield, y - 5 if name in ("mountains", "cities") else y + (11 if anchor == "end" else -4)
        )
    closed = name in place["effects"]["closed"]
    if closed:
        beside = name in ("mountains", "cities")  # below it there are people
        where_to = (x + 90, y, "start") if beside else (x, y + 30, anchor)
        shapes.append(say(where_to[0], where_to[1], "closed", 11.5, "changed", where_to[2], True))
    label = f"{name}: {GIVES[name]}; {place['flooded'][name]} of {TILES_PER_PENINSULA} tiles under water"
    label += f"{', a barrier' if barred else ''}{', closed' if closed else ''}"
    return Group(f"peninsula.{name}", label, tuple(shapes), area=where)


def _centre(view: View, pieces: Pieces) -> Group:
    there = list(pieces.get("centre", ()))
    x, y = MIDDLE
    shapes: list[Shape] = [circle(x, y, CENTRE, "panel", "tile.edge", 1.4)]
    shapes += placed(GOODS["energy"], x - 27, y - 32, 0.8)
    closed = "centre" in view["place"]["effects"]["closed"]
    shapes.append(say(x + 5, y - 28, "closed" if closed else "centre", 12, "changed" if closed else "ink", "middle"))
    counted = list(dict.fromkeys(there))
    crowded = len(there) > MOST_IN_CENTRE
    each = [(one, there.count(one)) for one in counted] if crowded else [(one, 1) for one in there]
    shapes += _rows(each, x, y)
    return Group("at.centre", f"centre: {told_pieces(there)}", tuple(shapes), area=circle(x, y, CENTRE, None))


def _rows(each: Sequence[tuple[tuple[str, int, bool], int]], x: float, y: float) -> list[Shape]:
    """Pieces in rows of four; equal ones as a number where there are too many."""
    shapes: list[Shape] = []
    shown = each[:MOST_IN_CENTRE] if len(each) <= MOST_IN_CENTRE else each[: MOST_IN_CENTRE - 1]
    rows = [shown[start : start + 4] for start in range(0, len(shown), 4)]
    for number, row in enumerate(rows):
        for column, ((kind, seat, done), count) in enumerate(row):
            left = x + (column - (len(row) - 1) / 2) * 20
            down = y - 10 + 19 * number
            shapes += piece(kind, seat, left, down, done, 0.92)
            if count > 1:
                shapes.append(say(left + 6, down - 3, str(count), 10.5, "ink", bold=True))
    if len(each) > len(shown):
        shapes.append(say(x, y + 45, f"+{sum(count for _, count in each[len(shown) :])}", 11, "ink", "middle", True))
    return shapes
