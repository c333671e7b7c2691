"""What lies where in Atlantis, as plain values: documents, phrases and pictures are made of it.

The pile and the cards of others are numbers to a seat (11.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.layout import At
from atlantis_envs.games.atlantis.options import AtlantisOptions
from atlantis_envs.games.atlantis.state import ITEMS, NONE, NOWHERE, PHASES, THEN, Phase

VALUES = tuple(str(value) for value in range(1, data.NUM_VALUES + 1))
TURNED = "?"  # the tile being turned up
COVERED = "+"


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what a seat may know.

    ``place`` says what lies where, in the words of the JSON document; ``legal`` has the texts of what can be done now,
    for those who may know the hand it follows from; ``gaps`` the first and the last space and the price of every gap, 0
    where a bridge lies.
    """
    options, state = cast(AtlantisOptions, position.game.options), position.state[0]
    over = position.node == "over"
    place = contents(options.players, state)
    if seat is not None:
        place["pile"] = sum(place["pile"].values())
        del place["bag"]
        for other, person in enumerate(place["seats"]):
            if other != seat:
                person["hand"] = sum(person["hand"].values())
        if seat != state.seat:
            del place["turn"]["bought"]
    return {
        "seat": seat,
        "players": options.players,
        "node": position.node,
        "to_decide": position.seat,
        "legal": position.legal_actions() if seat in (None, position.seat) else [],
        "scores": position.scores(),
        "returns": position.returns() if over else None,
        "truncated": over and position.truncated,
        "place": place,
        "gaps": _gaps(state.toll, place["path"]),
        "half_points": position.observation(0)[At.HANDICAP : At.HANDICAP + options.players].tolist(),
        "sell_ones": options.sell_ones,
        "overpay": options.overpay,
    }


def contents(players: int, state: Record) -> dict[str, Any]:
    """Return what a record holds, hidden cards included, keys in the order of 16.1."""
    tops = zip(state.kind.tolist(), state.worth.tolist(), state.covered.tolist(), strict=True)
    path = [f"{data.OBJECTS[kind - 1]} {worth}{COVERED * covered}" if kind else None for kind, worth, covered in tops]
    if state.phase == Phase.UNCOVER:
        path[int(state.space)] = TURNED
    return {
        "phase": PHASES[state.phase],
        "first": _or_none(state.first),
        "seat": _or_none(state.seat),
        "path": path,
        "bag": {side: _counts(data.TILES, state.bag[index]) for index, side in enumerate(data.SIDES)},
        "bridges": [space for space in range(data.NUM_SPACES) if int(state.bridges) >> space & 1],
        "pile": _counts(data.OBJECTS, state.pile),
        "discard": _counts(data.OBJECTS, state.discard),
        "box": _counts(data.OBJECTS, state.box),
        "seats": [
            {
                "pawns": state.pawns[seat].tolist(),
                "hand": _counts(data.OBJECTS, state.hand[seat]),
                "tiles": _counts(VALUES, state.tiles[seat]),
                "bridge": bool(state.bridge[seat]),
                "known": _counts(data.OBJECTS, state.known[seat]),
            }
            for seat in range(players)
        ],
        "turn": {
            "sold": int(state.sold),
            "bridged": bool(state.bridged),
            "bought": _counts(data.OBJECTS, state.bought),
            "pawn": _or_none(state.pawn),
            "x": _or_none(state.x, NOWHERE),
            "due": int(state.due),
            "last": None if state.last == NONE else ITEMS[state.last],
            "space": _or_none(state.space),
            "draws": int(state.draws),
            "then": None if state.then == NONE else THEN[state.then],
        },
        "idle": int(state.idle),
        "scores": state.final[:players].tolist() if state.phase == Phase.OVER else None,
    }


def _or_none(value: Any, none: int = NONE) -> int | None:
    return None if value == none else int(value)


def _counts(names: Sequence[str], row: Any) -> dict[str, int]:
    return {name: count for name, count in zip(names, row.tolist(), strict=True) if count}


def _gaps(toll: Any, path: list[str | None]) -> list[tuple[int, int, int]]:
    """Return the runs of spaces without tiles that lie between tiles (6.1), with their prices (6.2)."""
    tiles = [space for space, tile in enumerate(path) if tile is not None]
    return [
        (low + 1, high - 1, int(toll[high + 1]) - int(toll[low + 1])) for low, high in pairwise(tiles) if high > low + 1
    ]
