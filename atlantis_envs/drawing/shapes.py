"""What a picture is made of: shapes in groups, without a colour and without a word of SVG.

A game draws a position as a ``Drawing``; files, notebooks, replays and pages are made from that. Units are those of a
picture 800 wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

STEPS = {"M": 2, "L": 2, "C": 6, "Z": 0}  # letter of a path -> numbers that follow it
WIDTH, NARROW = 800, 390


@dataclass(frozen=True)
class Shape:
    """One mark.

    Attributes:
        kind: "rect", "circle", "line", "path" or "text".
        geometry: rect (x, y, width, height, radius); circle (x, y, radius); line (x1, y1, x2, y2); text (x, y of the
            base line); path: steps such as ("M", x, y), absolute, letters of STEPS.
        fill: role of the inside, None: open. A role is a name such as "land"; the theme knows its colour.
        line: role of the outline, None: none.
        width: of the outline.
        text: what is written.
        size: of the letters.
        anchor: where x lies in the text: "start", "middle" or "end".
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


def all_groups(inside: Drawing | Group, x: float = 0.0, y: float = 0.0) -> Iterator[tuple[Group, float, float]]:
    """Yield every group with where its origin lies, from back to front; ``x, y`` is where those inside begin."""
    for group in inside.groups if isinstance(inside, Drawing) else inside.children:
        yield group, x + group.at[0], y + group.at[1]
        yield from all_groups(group, x + group.at[0], y + group.at[1])


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
