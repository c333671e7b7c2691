"""What a seat of Atlandice may know: everything, since nothing is hidden (12.1)."""

from __future__ import annotations

from typing import Any, cast

from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice.options import AtlandiceOptions


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the position as a document, and what else words and pictures are made of.

    ``legal`` has the texts of what can be done now.
    """
    options = cast(AtlandiceOptions, position.game.options)
    over = position.node == "over"
    return {
        "seat": seat,
        "players": position.game.players,
        "node": position.node,
        "to_decide": position.seat,
        "legal": position.legal_actions(),
        "scores": position.scores(),
        "returns": position.returns() if over else None,
        "place": position.to_json(),
        "visits": options.visits,
        "spaces": list(options.spaces),
    }


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the position: nothing is hidden."""
    return position.to_json()
