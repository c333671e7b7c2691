"""What a picture is made of: shapes in groups, without a colour and without a word of SVG.

A game draws a position as a ``Drawing``; files, notebooks, replays and pages are made from that. Units are those of a
picture 800 wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

KINDS = ("rect", "circle", "line", "path", "text")
ANCHORS = ("start", "middle", "end")
STEPS = {"M": 2, "L": 2, "C": 6, "Z": 0}  # letter of a path -> numbers that follow it
WIDTH = 800
SMALLEST_TEXT = 10.5  # legible where the picture is 800 pixels wide


@dataclass(frozen=True)
class Shape:
    """One mark.

    Attributes:
        kind: one of KINDS.
        geometry: rect (x, y, width, height, radius); circle (x, y, radius); line (x1, y1, x2, y2); text (x, y of the
            base line); path: steps such as ("M", x, y), absolute, letters of STEPS.
        fill: role of the inside, None: open. A role is a name such as "land"; the theme knows its colour.
        line: role of the outline, None: none.
        width: of the outline.
        text: what is written.
        size: of the letters.
        anchor: where x lies in the text.
        bold: in the bold face.
        dash: broken outline.
        faded: paler, for what is used up or absent.
    """

    kind: str
    geometry: tuple[Any, ...]
    fill: str | None = None
    line: str | None = None
    width: float = 1.0
    text: str = ""
    size: float = 12.0
    anchor: str = "start"
    bold: bool = False
    dash: bool = False
    faded: bool = False


@dataclass(frozen=True)
class Group:
    """Marks that are one thing: a tile, a pawn, a seat's panel.

    Attributes:
        key: unique in the drawing and the same for the same thing all through a game, as "sector.inn".
        label: one sentence that says what is to be seen, for those who do not see it.
        shapes: drawn first.
        children: drawn above them.
        at: where its origin lies in the group around it.
        area: where a click counts and what is outlined, a closed shape; None: nothing can be done here.
    """

    key: str
    label: str = ""
    shapes: tuple[Shape, ...] = ()
    children: tuple[Group, ...] = ()
    at: tuple[float, float] = (0.0, 0.0)
    area: Shape | None = None


@dataclass(frozen=True)
class Drawing:
    """A picture.

    Attributes:
        width: in units.
        height: in units.
        title: a few words.
        about: the position in a sentence or two.
        groups: from back to front. Their keys are the same at every position of a game; what is absent is empty.
    """

    width: int
    height: int
    title: str
    about: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Placed:
    """A shape with the place its group lies at.

    Attributes:
        key: of its group.
        shape: the shape.
        x: to be added to its coordinates.
        y: to be added to its coordinates.
    """

    key: str
    shape: Shape
    x: float
    y: float


def all_groups(inside: Drawing | Group, x: float = 0.0, y: float = 0.0) -> Iterator[tuple[Group, float, float]]:
    """Yield every group with where its origin lies, from back to front; ``x, y`` is where those inside begin."""
    for group in inside.groups if isinstance(inside, Drawing) else inside.children:
        yield group, x + group.at[0], y + group.at[1]
        yield from all_groups(group, x + group.at[0], y + group.at[1])


def all_shapes(drawing: Drawing) -> Iterator[Placed]:
    """Yield every shape that is seen, from back to front."""
    for group, x, y in all_groups(drawing):
        for shape in group.shapes:
            yield Placed(group.key, shape, x, y)


def extent(shape: Shape) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a shape that is no text, its outline left out."""
    numbers: list[float] = [n for n in shape.geometry if shape.kind != "path"]
    if shape.kind == "rect":
        x, y, width, height, _ = numbers
        return x, y, x + width, y + height
    if shape.kind == "circle":
        x, y, radius = numbers
        return x - radius, y - radius, x + radius, y + radius
    numbers += [n for step in shape.geometry if shape.kind == "path" for n in step[1:]]
    return min(numbers[0::2]), min(numbers[1::2]), max(numbers[0::2]), max(numbers[1::2])


def faults(drawing: Drawing, roles: set[str]) -> list[str]:
    """Return what breaks the contract, in sentences; [] where nothing does.

    Args:
        drawing: what is looked at.
        roles: the roles that have a colour.
    """
    found: list[str] = []
    keys: set[str] = set()
    for group, x, y in all_groups(drawing):
        if group.key in keys:
            found.append(f"{group.key}: the key occurs twice")
        keys.add(group.key)
        marks = [*group.shapes, *([group.area] if group.area is not None else [])]
        found += [f"{group.key}: {fault}" for shape in marks for fault in _shape_faults(shape, x, y, drawing, roles)]
        if group.area is not None and not group.label:
            found.append(f"{group.key}: an area without a label")
    return found


def _shape_faults(shape: Shape, x: float, y: float, drawing: Drawing, roles: set[str]) -> Iterator[str]:
    if shape.kind not in KINDS:
        yield f"no such kind of shape: {shape.kind!r}"
        return
    yield from (
        f"no such role: {role!r}" for role in (shape.fill, shape.line) if role is not None and role not in roles
    )
    if shape.kind == "text":
        if shape.size < SMALLEST_TEXT:
            yield f"{shape.text!r} is written in {shape.size:g}; allowed: {SMALLEST_TEXT:g} or more"
        if shape.anchor not in ANCHORS:
            yield f"no such anchor: {shape.anchor!r}"
        return
    if shape.kind == "path" and not all(len(step) - 1 == STEPS.get(str(step[0]), -1) for step in shape.geometry):
        yield "a step of a path is malformed"
        return
    left, top, right, bottom = extent(shape)
    if left + x < -0.01 or top + y < -0.01 or right + x > drawing.width + 0.01 or bottom + y > drawing.height + 0.01:
        yield f"a {shape.kind} leaves the drawing"
