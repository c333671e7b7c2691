"""Boards in text: the module that a game names as its ``look`` has a ``BOARD``; other games are shown by ``plain``.

A board shows what a seat may know, never more: the document it is drawn from is already cut down to that. ``seat`` None
means an onlooker who may see everything, as in a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from atlantis_envs.drawing.look import PLAIN
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.setup import Setup

WIDE = 110  # characters of a line where nobody says how many there are


class Text(Protocol):
    """How a board becomes text."""

    def __call__(self, position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
        """The board as a seat may know it, in lines of at most ``width`` characters, at least 78."""


@dataclass(frozen=True)
class Board:
    """How a game is shown in a terminal.

    Attributes:
        is_open: (game) -> whether every seat knows everything.
        text: (position, seat, names of the seats, width) -> the board, in lines of at most ``width`` characters.
        document: (position, seat) -> what the seat may know, as plain values.
    """

    is_open: Callable[[Setup], bool]
    text: Text
    document: Callable[[Position, int | None], dict[str, Any]]


def find_board(definition: Definition) -> Board:
    """The board of a game, or the plain one."""
    found: Board = import_module(definition.look or PLAIN).BOARD
    return found


def board_text(position: Position, seat: int | None = None) -> str:
    """What ``render`` shows: the board as ``seat`` sees it (None: hidden parts included), and who is to decide."""
    board = find_board(position.game.definition)
    names = ["player"] * position.game.players
    who = f"to decide: seat {position.seat}" if position.seat is not None else f"node: {position.node}"
    return f"{board.text(position, seat, names).rstrip()}\n\n{who}\n"
