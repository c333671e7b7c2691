"""What a seat of Atlantis may know: the pile and the cards of others are numbers (11.1)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from atlantis_envs.engine.position import Position


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """The position, without the pile and the cards that others hold (11.1)."""
    place = position.to_json()
    if seat is None:
        return place
    place["pile"] = sum(place["pile"].values())
    for other, person in enumerate(place["seats"]):
        if other != seat:
            person["hand"] = sum(person["hand"].values())
    if place["seat"] != seat:
        del place["turn"]["bought"]
    return place


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """The document of a seat, and what else words and pictures are made of.

    ``legal`` has the texts of what can be done now, for those who may know the hand it follows from; ``gaps`` the first
    and the last space and the price of every gap, 0 where a bridge lies.
    """
    place = document(position, seat)
    over = position.node == "over"
    return {
        "seat": seat,
        "players": position.game.players,
        "node": position.node,
        "to_decide": position.seat,
        "legal": position.legal_actions() if seat in (None, position.seat) else [],
        "scores": position.scores(),
        "returns": position.returns() if over else None,
        "place": place,
        "gaps": _gaps(position, place["path"]),
    }


def _gaps(position: Position, path: list[str | None]) -> list[tuple[int, int, int]]:
    """The runs of spaces without tiles that lie between tiles (6.1), with their prices (6.2)."""
    toll = position.state.toll[0]
    tiles = [space for space, tile in enumerate(path) if tile is not None]
    pairs = pairwise(tiles)
    return [(low + 1, high - 1, int(toll[high + 1]) - int(toll[low + 1])) for low, high in pairs if high > low + 1]
