"""Shorthand for those who draw: shapes by their numbers, icons that are moved and scaled, and marks all games share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from math import cos, pi, sin
from typing import Any

from atlantis_envs.drawing.letters import fitted, text_width
from atlantis_envs.drawing.shapes import NARROW, STEPS, Group, Shape

Path = tuple[tuple[str | float, ...], ...]
Icon = tuple[Shape, ...]
ROUND = 0.5523  # length of the handles with which a Bézier curve is a quarter of a circle
SEATS = 7
DO = "do."  # keys of buttons begin so


def rect(
    x: float, y: float, width: float, height: float, fill: str | None, line: str | None = None, radius: float = 0.0,
    stroke: float = 1.0, dash: bool = False, faded: bool = False,
) -> Shape:  # fmt: skip
    """Draw a rectangle with round corners."""
    return Shape("rect", (x, y, width, height, radius), fill, line, stroke, dash=dash, faded=faded)


def circle(
    x: float, y: float, radius: float, fill: str | None, line: str | None = None, stroke: float = 1.0,
    dash: bool = False, faded: bool = False,
) -> Shape:  # fmt: skip
    """Draw a circle."""
    return Shape("circle", (x, y, radius), fill, line, stroke, dash=dash, faded=faded)


def line(x1: float, y1: float, x2: float, y2: float, role: str, stroke: float = 1.0, dash: bool = False) -> Shape:
    """Draw a straight line."""
    return Shape("line", (x1, y1, x2, y2), None, role, stroke, dash=dash)


def path(
    data: str | Path, fill: str | None, line: str | None = None, stroke: float = 1.0, dash: bool = False,
    faded: bool = False,
) -> Shape:  # fmt: skip
    """Draw straight and curved lines, as steps or as a text such as "M 0 0 L 1 0 Z"."""
    return Shape("path", steps(data) if isinstance(data, str) else data, fill, line, stroke, dash=dash, faded=faded)


def polygon(
    points: Iterable[tuple[float, float]], fill: str | None, line: str | None = None, stroke: float = 1.0,
    dash: bool = False, faded: bool = False,
) -> Shape:  # fmt: skip
    """Draw a closed line through points."""
    data = tuple(("M" if index == 0 else "L", x, y) for index, (x, y) in enumerate(points))
    return path((*data, ("Z",)), fill, line, stroke, dash, faded)


def words(
    x: float, y: float, text: str, size: float = 12.0, role: str = "ink", anchor: str = "start", bold: bool = False,
    room: float | None = None, faded: bool = False,
) -> Shape:  # fmt: skip
    """Draw a line of text, cut where it has no more ``room``."""
    shown = text if room is None else fitted(text, room, size, bold)
    return Shape("text", (x, y), role, None, text=shown, size=size, anchor=anchor, bold=bold, faded=faded)


@cache
def steps(data: str) -> Path:
    """Return the steps of a path from its text: absolute M, L, C and Z."""
    found: list[tuple[str | float, ...]] = []
    parts = data.replace(",", " ").split()
    index = 0
    while index < len(parts):
        letter, count = parts[index], STEPS[parts[index]]
        found.append((letter, *(float(index) for index in parts[index + 1 : index + 1 + count])))
        index += 1 + count
    return tuple(found)


@cache
def ring_part(x: float, y: float, inner: float, outer: float, start: float, stop: float) -> Path:
    """Return a part of a ring, angles in turns, clockwise from the top; less than a quarter of a turn."""
    found: list[tuple[str | float, ...]] = []
    for radius, begin, end in ((outer, start, stop), (inner, stop, start)):
        a, b = 2 * pi * begin, 2 * pi * end
        reach = radius * 4 / 3 * (1 - cos(pi * (end - begin))) / sin(pi * (end - begin))
        x1, y1, x2, y2 = x + radius * sin(a), y - radius * cos(a), x + radius * sin(b), y - radius * cos(b)
        found.append(("L" if found else "M", x1, y1))
        curve = x1 + reach * cos(a), y1 + reach * sin(a), x2 - reach * cos(b), y2 - reach * sin(b), x2, y2
        found.append(("C", *curve))
    return (*found, ("Z",))


def placed(icon: Sequence[Shape], x: float, y: float, scale: float = 1.0, faded: bool = False) -> Icon:
    """Draw an icon moved to a place; icons are drawn around (0, 0)."""
    found = []
    for shape in icon:
        numbers: tuple[Any, ...] = shape.geometry
        if shape.kind == "path":
            moved = [(step[0], *[n * scale + (x, y)[i % 2] for i, n in enumerate(step[1:])]) for step in numbers]
        else:
            count = 4 if shape.kind == "line" else 2  # coordinates, and then lengths
            moved = [n * scale + (x, y)[i % 2] if i < count else n * scale for i, n in enumerate(numbers)]
        found.append(
            Shape(
                shape.kind, tuple(moved), shape.fill, shape.line, shape.width * scale, shape.text, shape.size * scale,
                shape.anchor, shape.bold, shape.dash, faded or shape.faded,
            )
        )  # fmt: skip
    return tuple(found)


# --------------------------------------------------------------------------------------------------- marks of all games

WAVE = steps("M -14 0 C -11 -5 -7 -5 -5 0 C -3 5 1 5 4 0 C 6 -4 10 -4 13 0")
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (-1, 1), (1, 1)],
    5: [(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
    6: [(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
}


@lru_cache(maxsize=5_000)
def wave(x: float, y: float, scale: float = 1.0, role: str = "wave") -> Icon:
    """Draw water."""
    one = path(WAVE, None, role, 1.6)
    return (*placed((one,), x, y - 3.5 * scale, scale), *placed((one,), x, y + 3.5 * scale, scale))


@lru_cache(maxsize=5_000)
def die(x: float, y: float, face: int, size: float = 20.0) -> Icon:
    """Draw a die with its top left corner at a place."""
    middle, reach, dot = size / 2, size * 0.25, size * 0.085
    pips = [circle(x + middle + reach * dx, y + middle + reach * dy, dot, "die.pip") for dx, dy in PIPS[face]]
    return rect(x, y, size, size, "die", "die.edge", size * 0.2, 1.2), *pips


@lru_cache(maxsize=5_000)
def badge(x: float, y: float, seat: int, radius: float = 11.0, faded: bool = False) -> Icon:
    """Draw the mark of a seat: its colour and, for those who cannot tell colours, its number."""
    size = max(radius * 1.12, 10.5)
    return (
        circle(x, y, radius, f"seat{seat}", "seat.edge", 1.0, faded=faded),
        words(x, y + size * 0.36, str(seat), size, f"on.seat{seat}", "middle", True),
    )


def star(x: float, y: float, radius: float, role: str, line: str | None = None) -> Shape:
    """Draw a star with five points."""
    turns = [(index / 10, radius if index % 2 == 0 else radius * 0.45) for index in range(10)]
    return polygon([(x + r * sin(2 * pi * t), y - r * cos(2 * pi * t)) for t, r in turns], role, line)


def panel(x: float, y: float, width: float, height: float, active: bool = False, fill: str = "panel") -> Shape:
    """Draw the ground of what is read; with a heavy outline for who or what is at it now."""
    return rect(x, y, width, height, fill, "ink" if active else "panel.edge", 9.0, 2.2 if active else 1.0)


def buttons(
    view: Mapping[str, Any], area: Callable[[Any, str], str], x: float, y: float, width: float, rows: int = 2
) -> Group:
    """Draw what the seat that looks can do now and that has no other place on the board, as buttons in rows."""
    own = view["seat"] in (None, view["to_decide"])
    texts = [text for text in view["legal"] if own and area(view, text).startswith(DO)]
    most = width if len(texts) <= rows else (rows - 0.5) * width / len(texts)  # rather cut than too many rows
    made, left, top = [], x, y
    for text in texts:
        shown = fitted(text, max(most - 24, 30), 12.5, True)
        wide = text_width(shown, 12.5, True) + 18
        if left + wide > x + width:
            left, top = x, top + 27
        box = rect(left, top, wide, 23, "panel", "mute", 7, 1.2)
        mark = words(left + wide / 2, top + 16, shown, 12.5, "ink", "middle", True)
        made.append(Group(f"{DO}{text}", text, (box, mark), area=box))
        left += wide + 7
    return Group("do", f"you may also: {', '.join(texts)}" if texts else "", (), tuple(made))


def moved(group: Group, x: float, y: float, scale: float = 1.0) -> Group:
    """Return a group with everything in it moved and scaled."""
    left, top = group.at
    return replace(
        group,
        shapes=placed(group.shapes, 0, 0, scale),
        children=tuple(moved(child, 0, 0, scale) for child in group.children),
        at=(x + left * scale, y + top * scale),
        area=group.area and placed((group.area,), 0, 0, scale)[0],
    )


def heading(title: str, status: str, seat: int | None, name: str, asked: str, width: float) -> Group:
    """Draw the line above a board: the game, where it stands, who is to decide and what."""
    narrow = width <= NARROW  # the page asks beside it
    left, letters = (6, 16) if narrow else (14, 19)
    shapes = [words(left, 27, title, letters, bold=True)]
    x = left + text_width(title, letters, True) + 10
    status = fitted(status, width - x - 32, 14)
    shapes.append(words(x, 27, status, 14, "mute"))
    x += text_width(status, 14) + (14 if status else 0)
    label = f"{title}, {status}"
    if seat is not None:
        shapes += badge(x + 11, 21.5, seat)
        x += 27
        label += f"; seat {seat}, {name}: {asked}"
    elif asked:
        label += f"; {asked}"
    if asked and not narrow:  # rather smaller than cut, and rather the name cut than the question
        who, room = "" if seat is None else f"{name}: ", width - x - 14
        size = next((size for size in (13.0, 12.0, 11.0) if text_width(who + asked, size, True) <= room), None)
        if who and size is None:
            who = f"{fitted(name, max(0.0, room - text_width(f': {asked}', 11, True)), 11, True)}: "
        shapes.append(words(x, 26.5, who + asked, size or 11.0, bold=True, room=room))
    return Group("heading", label, tuple(shapes))
