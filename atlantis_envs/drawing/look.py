"""How a game looks: the functions that every game's ``drawing`` module puts together as ``LOOK``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from atlantis_envs.drawing.shapes import Drawing
from atlantis_envs.drawing.theme import Roles
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.position import Position

View = Mapping[str, Any]
PLAIN = "atlantis_envs.drawing.plain"


@dataclass(frozen=True)
class Look:
    """What a game has to say about its pictures.

    Attributes:
        view: (position, seat) -> what that seat may know, as plain values; seat None: everything.
        draw: (view, names of the seats) -> the picture. It sees nothing but these.
        area: (view, action text) -> key of the group where a click means the action; None: it has no place there.
        roles: colours beside those that all games share.
    """

    view: Callable[[Position, int | None], dict[str, Any]]
    draw: Callable[[View, Sequence[str]], Drawing]
    area: Callable[[View, str], str | None]
    roles: Roles


def find_look(definition: Definition) -> Look:
    """How a game looks; one that says nothing about it is shown as text."""
    found: Look = import_module(definition.look or PLAIN).LOOK
    return found
