"""What a seat of Atlantis may know, read from the record: the pile and the cards of others are numbers (11.1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, cast

from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.options import AtlantisOptions
from atlantis_envs.games.atlantis.state import ITEMS, NONE, NOWHERE, PHASES, Phase

VALUES = tuple(str(value) for value in range(1, data.NUM_VALUES + 1))
TURNED = "?"  # a tile that is being turned up
COVERED = "+"


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what a seat may know, as phrases and pictures are made of.

    ``place`` says what lies where, in the words of the JSON document; ``legal`` has the texts of what can be done now,
    for those who may know the hand it follows from; ``gaps`` the first and the last space and the price of every gap, 0
    where a bridge lies.
    """
    doc, options = document(position, seat), cast(AtlantisOptions, position.game.options)
    return {
        "seat": seat,
        "players": options.players,
        "node": position.node,
        "to_decide": position.seat,
        "legal": position.legal_actions() if seat in (None, position.seat) else [],
        "scores": position.scores(),
        "returns": position.returns() if position.node == "over" else None,
        "place": doc,
        "gaps": _gaps(position.state[0].toll, doc["path"]),
        "sell_ones": options.sell_ones,
        "overpay": options.overpay,
    }


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what lies where, without the pile and the cards that others hold (11.1)."""
    state, players = position.state[0], position.game.players
    return {
        "phase": PHASES[state.phase],
        "seat": None if state.seat == NONE else int(state.seat),
        "path": _path(state),
        "bridges": [space for space in range(data.NUM_SPACES) if int(state.bridges) >> space & 1],
        "pile": _counts(data.OBJECTS, state.pile) if seat is None else int(state.pile.sum()),
        "discard": _counts(data.OBJECTS, state.discard),
        "box": _counts(data.OBJECTS, state.box),
        "seats": [_person(state, other, seat in (None, other)) for other in range(players)],
        "turn": _turn(state, seat in (None, state.seat)),
    }


def _counts(names: Sequence[str], row: Any) -> dict[str, int]:
    return {name: count for name, count in zip(names, row.tolist(), strict=True) if count}


def _path(state: Any) -> list[str | None]:
    tops = zip(state.kind.tolist(), state.worth.tolist(), state.covered.tolist(), strict=True)
    path = [f"{data.OBJECTS[kind - 1]} {worth}{COVERED * covered}" if kind else None for kind, worth, covered in tops]
    if state.phase == Phase.UNCOVER:
        path[int(state.space)] = TURNED
    return path


def _person(state: Any, seat: int, is_open: bool) -> dict[str, Any]:
    return {
        "pawns": state.pawns[seat].tolist(),
        "hand": _counts(data.OBJECTS, state.hand[seat]) if is_open else int(state.hand[seat].sum()),
        "tiles": _counts(VALUES, state.tiles[seat]),
        "bridge": bool(state.bridge[seat]),
        "known": _counts(data.OBJECTS, state.known[seat]),
    }


def _turn(state: Any, is_open: bool) -> dict[str, Any]:
    """Return the turn that is going on; the cards bought in it are known to those who know the hand."""
    turn = {
        "bridged": bool(state.bridged),
        "pawn": None if state.pawn == NONE else int(state.pawn),
        "x": None if state.x == NOWHERE else int(state.x),
        "due": int(state.due),
        "last": None if state.last == NONE else ITEMS[state.last],
        "draws": int(state.draws),
    }
    return {**turn, "bought": _counts(data.OBJECTS, state.bought)} if is_open else turn


def _gaps(toll: Any, path: list[str | None]) -> list[tuple[int, int, int]]:
    """Return the runs of spaces without tiles that lie between tiles (6.1), with their prices (6.2)."""
    tiles = [space for space, tile in enumerate(path) if tile is not None]
    pairs = pairwise(tiles)
    return [(low + 1, high - 1, int(toll[high + 1]) - int(toll[low + 1])) for low, high in pairs if high > low + 1]
