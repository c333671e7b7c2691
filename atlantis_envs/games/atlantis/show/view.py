"""What a seat of Atlantis may know: the pile and the cards of others are numbers (11.1)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from atlantis_envs.engine.position import Position


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the position, without the pile and the cards that others hold (11.1)."""
    doc = position.to_json()
    if seat is None:
        return doc
    doc["pile"] = sum(doc["pile"].values())
    for other, person in enumerate(doc["seats"]):
        if other != seat:
            person["hand"] = sum(person["hand"].values())
    if doc["seat"] != seat:
        del doc["turn"]["bought"]
    return doc


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the document of a seat, and what else words and pictures are made of.

    ``legal`` has the texts of what can be done now, for those who may know the hand it follows from; ``gaps`` the first
    and the last space and the price of every gap, 0 where a bridge lies.
    """
    doc = document(position, seat)
    over = position.node == "over"
    return {
        "seat": seat,
        "players": position.game.players,
        "node": position.node,
        "to_decide": position.seat,
        "legal": position.legal_actions() if seat in (None, position.seat) else [],
        "scores": position.scores(),
        "returns": position.returns() if over else None,
        "place": doc,
        "gaps": _gaps(position, doc["path"]),
    }


def _gaps(position: Position, path: list[str | None]) -> list[tuple[int, int, int]]:
    """Return the runs of spaces without tiles that lie between tiles (6.1), with their prices (6.2)."""
    toll = position.state.toll[0]
    tiles = [space for space, tile in enumerate(path) if tile is not None]
    pairs = pairwise(tiles)
    return [(low + 1, high - 1, int(toll[high + 1]) - int(toll[low + 1])) for low, high in pairs if high > low + 1]
