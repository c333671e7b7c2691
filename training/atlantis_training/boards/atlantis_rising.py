"""Atlantis Rising in text: the whole position while hands are open (15.1), else what the seat observes (15.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.text import position_text
from atlantis_training.boards import Board
from atlantis_training.boards.plain import plain_document, plain_text


def is_open(game: Game) -> bool:
    """Option ``hands_open``."""
    return bool(game.options.to_json()["hands_open"])


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """What the seat may know."""
    return position.to_json() if is_open(position.game) else plain_document(position, seat)


def text(position: Position, seat: int | None, names: Sequence[str]) -> str:
    """The document in lines."""
    return position_text(position) if is_open(position.game) else plain_text(position, seat, names)


BOARD = Board(is_open=is_open, text=text, document=document, explain=lambda position, action: "")
