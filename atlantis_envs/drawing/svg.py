"""A drawing as SVG: plain markup that can stand in any page, many to a page.

It has no ids, no style sheet and nothing from elsewhere, since in a notebook many pictures share one page. Colours are
plain, or ``var(--role)`` for a page that brings both palettes.

As a PNG file or an array of pixels it is drawn by resvg and Pillow (``pip install atlantis-envs[look]``). A frame takes
a tenth to half of a second: enough for pictures and short videos, not for learning from pixels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, resources
from io import BytesIO
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.drawing.letters import FAMILY, font_file
from atlantis_envs.drawing.pen import badge
from atlantis_envs.drawing.shapes import Drawing, Group, Shape, all_groups, extent
from atlantis_envs.errors import MissingPackageError

FADED = "0.42"
DASHES = "3.5 3"
STACK = f"{FAMILY},Verdana,sans-serif"
Colours = Mapping[str, str]  # role -> what stands in the markup
Changed = Mapping[str, int | None]  # key of a group -> the seat that changed it
NOTHING: Changed = {}
BROKEN = 'stroke-dasharray="2 5" stroke-linecap="round"'
SMALL = 30  # units across
BADGE = 8.5  # radius of the number of a seat at an outline


def page_colours(roles: Sequence[str]) -> dict[str, str]:
    """Return role -> ``var(--role)``, for a page that defines them."""
    return {role: f"var(--{css_name(role)})" for role in roles}


def css_name(role: str) -> str:
    """Return a role as a custom property is called."""
    return role.replace(".", "-")


def to_svg(
    drawing: Drawing, colours: Colours, moves: Mapping[str, Sequence[int]] | None = None, changed: Changed = NOTHING
) -> str:
    """Return the whole picture.

    Args:
        drawing: what is drawn.
        colours: role -> colour.
        moves: key of an area -> ids of the actions that a click there may mean. Such areas are outlined.
        changed: keys of groups that get a broken outline, with the seat that changed them: the outline has its colour
            and its number. None: of no seat.
    """
    size = f'viewBox="0 0 {drawing.width} {drawing.height}" width="{drawing.width}" height="{drawing.height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="group" font-family={quoteattr(STACK)}>'
    ground = f'<rect width="{drawing.width}" height="{drawing.height}" fill="{colours["sea"]}"/>'
    marks = group_marks(drawing, colours, moves, changed)
    title = f"<title>{escaped(drawing.title)}</title><desc>{escaped(drawing.about)}</desc>"
    return "".join([head, title, ground, *marks.values(), "</svg>"])


def group_marks(
    drawing: Drawing, colours: Colours, moves: Mapping[str, Sequence[int]] | None = None, changed: Changed = NOTHING
) -> dict[str, str]:
    """Return key of a group of the first level -> its markup, in drawing order."""
    pen = _Pen(colours, moves or {}, changed)
    return {group.key: pen.group(group) for group in drawing.groups}


def outlines(drawing: Drawing, colours: Colours, changed: Changed) -> str:
    """Return only the broken outlines, each where its group lies."""
    pen = _Pen(colours, {}, changed)
    marks = []
    for group, x, y in all_groups(drawing):
        if group.key in changed and group.area is not None:
            marks.append(f'<g transform="translate({_number(x)} {_number(y)})">{pen.outlines(group)}</g>')
    return "".join(marks)


def delta(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Return the groups of the first level whose markup is another one."""
    return {key: marks for key, marks in new.items() if old.get(key) != marks}


def escaped(text: str) -> str:
    """Return text for markup, letters that XML does not know left out."""
    if text.isalnum():
        return text
    known = text if text.isprintable() else "".join(letter for letter in text if letter.isprintable())
    return known.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@lru_cache(maxsize=20_000)
def _number(value: float) -> str:
    """Return two decimals, written as shortly as possible."""
    rounded = round(value, 2)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def _tells(group: Group, seat: int) -> bool:
    """Return whether the number of a seat stands in its colours in a group, as on a piece."""
    coloured = any(f"seat{seat}" in (shape.fill, shape.line) for shape in group.shapes)
    return coloured and any(shape.text == str(seat) for shape in group.shapes)


def _badge_at(area: Shape) -> tuple[float, float]:
    """Return where the number of a seat hides little of an area and of what is around it."""
    left, top, right, bottom = extent(area)
    if area.kind == "circle":
        inwards = (right - left) / 2 * (1 - math.sqrt(0.5))
        return right - inwards, top + inwards
    small = min(right - left, bottom - top) < SMALL  # below it, so that what is in it can be read
    return (right, bottom + 4) if small else (right - BADGE, top + 2)


@dataclass(frozen=True)
class _Pen:
    """Writes groups with given colours."""

    colours: Colours
    moves: Mapping[str, Sequence[int]]
    changed: Changed

    def group(self, group: Group) -> str:
        key = escaped(group.key).replace('"', "&quot;")
        attributes = [f'data-key="{key}"']
        if group.at != (0.0, 0.0):
            attributes.append(f'transform="translate({_number(group.at[0])} {_number(group.at[1])})"')
        if group.label and not group.children:  # an image has no parts of its own for those who do not see it
            attributes.append('role="img"')
        moves = self.moves.get(group.key, ())
        if moves:
            attributes.append(f'data-moves="{" ".join(map(str, moves))}"')
        inside = [self.shape(shape) for shape in group.shapes] + [self.group(child) for child in group.children]
        label = f"<title>{escaped(group.label)}</title>" if group.label else ""
        return f"<g {' '.join(attributes)}>{label}{''.join(inside)}{self.outlines(group)}</g>"

    def outlines(self, group: Group) -> str:
        if group.area is None:
            return ""
        marks, badges = [], []
        shape, numbers = _geometry(group.area)
        if group.key in self.changed:
            seat = self.changed[group.key]
            lines = (("changed", 3.0),) if seat is None else (("ink", 4.5), (f"seat{seat}", 3.0))
            for role, width in lines:
                attributes = f'fill="none" {BROKEN} stroke="{self.colours[role]}" stroke-width="{_number(width)}"'
                marks.append(f"<{shape} {numbers} {attributes}/>")
            if seat is not None and not _tells(group, seat):
                number = "".join(self.shape(part) for part in badge(*_badge_at(group.area), seat, BADGE))
                badges = [f'<g pointer-events="none">{number}</g>']  # what lies below can be clicked
        if self.moves.get(group.key):
            for role, width in (("halo", 6), ("accent", 3)):
                marks.append(f'<{shape} {numbers} fill="none" stroke="{self.colours[role]}" stroke-width="{width}"/>')
            return "".join([*marks, *badges, f'<{shape} {numbers} class="hit" fill="#fff" fill-opacity="0"/>'])
        return "".join([*marks, *badges])

    def shape(self, shape: Shape) -> str:
        if shape.kind == "text":
            x, y = map(_number, shape.geometry)
            attributes = f'x="{x}" y="{y}" font-size="{_number(shape.size)}"'
            if shape.anchor != "start":
                attributes += f' text-anchor="{shape.anchor}"'
            if shape.bold:
                attributes += ' font-weight="bold"'
            if shape.faded:
                attributes += ' fill-opacity="0.75"'
            return f'<text {attributes} fill="{self.colours[shape.fill or "ink"]}">{escaped(shape.text)}</text>'
        name, numbers = _geometry(shape)
        fill = f'fill="{self.colours[shape.fill]}"' if shape.fill is not None else 'fill="none"'
        if shape.faded and shape.fill is not None:
            fill += f' fill-opacity="{FADED}"'
        if shape.line is None:
            return f"<{name} {numbers} {fill}/>"
        edge = f'stroke="{self.colours[shape.line]}"'
        if shape.width != 1:
            edge += f' stroke-width="{_number(shape.width)}"'
        if shape.faded:
            edge += f' stroke-opacity="{FADED}"'
        if shape.dash:
            edge += f' stroke-dasharray="{DASHES}"'
        return f"<{name} {numbers} {fill} {edge}/>"


def _geometry(shape: Shape) -> tuple[str, str]:
    """Return name of the element and its numbers."""
    if shape.kind == "path":
        attributes = "".join([step[0] + " ".join(map(_number, step[1:])) for step in shape.geometry])
        return "path", f'd="{attributes}"'
    numbers = list(map(_number, shape.geometry))
    if shape.kind == "rect":
        x, y, width, height, radius = numbers
        return "rect", f'x="{x}" y="{y}" width="{width}" height="{height}"' + (
            f' rx="{radius}"' if radius != "0" else ""
        )
    if shape.kind == "circle":
        return "circle", 'cx="{}" cy="{}" r="{}"'.format(*numbers)
    return "line", 'x1="{}" y1="{}" x2="{}" y2="{}"'.format(*numbers)


# ----------------------------------------------------------------------------------------------------------------- png


def imported(module: str, package: str) -> Any:
    """Return a module that the extra ``look`` brings.

    Raises:
        MissingPackageError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        message = f"pictures as PNG or arrays need {package}, which is not installed: pip install 'atlantis-envs[look]'"
        raise MissingPackageError(message) from None


def to_png(svg: str, width: int | None = None) -> bytes:
    """Draw a picture of given width (None: its own), from markup with plain colours; the same bytes every time.

    Raises:
        MissingPackageError: resvg-py is not installed.
    """
    renderer = imported("resvg_py", "resvg-py")
    with ExitStack() as files:
        fonts = [str(files.enter_context(resources.as_file(font_file(bold)))) for bold in (False, True)]
        # Without the fonts of the package a text would be missing, or look different on every machine.
        return bytes(
            renderer.svg_to_bytes(
                svg_string=svg, width=width, skip_system_fonts=True, font_files=fonts, font_family=FAMILY,
                sans_serif_family=FAMILY,
            )
        )  # fmt: skip


def to_array(png: bytes) -> NDArray[np.uint8]:
    """Return the pixels of a PNG file, uint8 (height, width, 3).

    Raises:
        MissingPackageError: Pillow is not installed.
    """
    with imported("PIL.Image", "Pillow").open(BytesIO(png)) as image:
        return np.array(image.convert("RGB"))
