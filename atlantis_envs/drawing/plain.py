"""The board of a game that has none of its own.

An onlooker is shown the whole position. A seat is shown its own observation, piece by piece: that is what it may know,
whatever the game hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from atlantis_envs.drawing.board import Board
from atlantis_envs.drawing.text import position_text
from atlantis_envs.engine.position import Position


def plain_document(position: Position, seat: int | None) -> dict[str, Any]:
    """The position, or what the seat observes."""
    if seat is None:
        return position.to_json()
    pieces = position.game.definition.observation.view(position.observation(seat))
    return {name: values.tolist() for name, values in pieces.items()}


def plain_text(position: Position, seat: int | None, names: Sequence[str]) -> str:
    """The document in lines; of an observation, what is not zero."""
    if seat is None:
        return position_text(position)
    game = position.game
    about = {piece.name: piece.about for piece in game.definition.observation}
    lines = [
        f"{game.definition.title}, {game.players} players, as seat {seat} sees it",
        f"scores: {position.scores()}",
        "",
    ]
    for name, values in plain_document(position, seat).items():
        if any(values):
            lines.append(f"{name:<14} {_shown(values):<40} {about[name]}")
    return "\n".join(lines) + "\n"


def _shown(values: Sequence[int]) -> str:
    """A value, or "place:value" of what is not zero."""
    if len(values) == 1:
        return str(values[0])
    return " ".join(f"{index}:{value}" if value != 1 else str(index) for index, value in enumerate(values) if value)


BOARD = Board(is_open=lambda game: False, text=plain_text, document=plain_document, explain=lambda position, text: "")
