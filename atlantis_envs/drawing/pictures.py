"""Pictures of positions: what ``Position.svg``, ``Position.png`` and the environments' ``render`` show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import choice, integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.drawing.look import Look, View, find_look
from atlantis_envs.drawing.png import to_array, to_png
from atlantis_envs.drawing.shapes import WIDTH, Drawing
from atlantis_envs.drawing.svg import delta, group_marks, to_svg
from atlantis_envs.drawing.theme import THEMES, palette
from atlantis_envs.engine.position import Position

MOST_PIXELS = 8_000


def names_of(position: Position, names: Sequence[str] | None) -> list[str]:
    """The names of the seats, or "seat 0" and so on.

    Raises:
        ValueError: not one text for every seat.
    """
    players = position.game.players
    if names is None:
        return [f"seat {seat}" for seat in range(players)]
    if isinstance(names, str) or len(names) != players or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names: {repr_short(names)}; allowed: None, or {players} texts")
    return list(names)


def moves_by_area(look: Look, view: View, position: Position) -> dict[str, list[int]]:
    """Key of an area -> ids of the legal actions that a click there may mean."""
    ids = position.game.definition.actions.ids
    found: dict[str, list[int]] = {}
    for action in view["legal"]:
        key = look.area(view, action)
        if key is not None:
            found.setdefault(key, []).append(ids[action])
    return found


def draw(position: Position, seat: int | None = None, names: Sequence[str] | None = None) -> Drawing:
    """The drawing of a position as a seat sees it; None: everything."""
    look = find_look(position.game.definition)
    return look.draw(look.view(position, checked_viewer(position, seat)), names_of(position, names))


def checked_viewer(position: Position, seat: Any) -> int | None:
    """The seat that looks.

    Raises:
        ValueError: no such seat.
    """
    return None if seat is None else integer("seat", seat, 0, position.game.players - 1)


def svg(
    position: Position,
    seat: int | None = None,
    theme: str = "light",
    last: Position | None = None,
    legal: bool = False,
    names: Sequence[str] | None = None,
) -> str:
    """See ``Position.svg``."""
    choice("theme", theme, THEMES)
    look = find_look(position.game.definition)
    viewer, called = checked_viewer(position, seat), names_of(position, names)
    view = look.view(position, viewer)
    drawing = look.draw(view, called)
    colours = palette(look.roles, theme)
    moves = moves_by_area(look, view, position) if legal else {}
    changed: dict[str, None] = {}
    if last is not None:
        if not isinstance(last, Position) or last.game != position.game:
            raise ValueError(f"last: {repr_short(last)}; allowed: None, or a position of the same game")
        changed = dict.fromkeys(changed_keys(look.draw(look.view(last, viewer), called), drawing, colours))
    return to_svg(drawing, colours, moves, changed)


def changed_keys(old: Drawing, new: Drawing, colours: Mapping[str, str]) -> frozenset[str]:
    """Keys of the areas in which something else is to be seen."""

    def marks(drawing: Drawing) -> dict[str, str]:
        parts = [part for group in drawing.groups for part in (*group.children, group)]
        return group_marks(Drawing(drawing.width, drawing.height, "", "", tuple(parts)), colours)

    return frozenset(delta(marks(old), marks(new)))


def png(position: Position, width: int = WIDTH, **shown_as: Any) -> bytes:
    """See ``Position.png``."""
    return to_png(svg(position, **shown_as), integer("width", width, 100, MOST_PIXELS))


def pixels(position: Position, seat: int | None = None) -> NDArray[np.uint8]:
    """A position as ``seat`` sees it (None: whole), uint8 (height, width, 3); ``render`` in mode "rgb_array"."""
    return to_array(png(position, seat=seat))
