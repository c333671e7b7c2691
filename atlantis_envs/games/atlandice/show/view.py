"""What a seat of Atlandice may know: everything, since nothing is hidden (12.1). It is read from the record."""

from __future__ import annotations

from typing import Any, cast

from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.options import AtlandiceOptions
from atlantis_envs.games.atlandice.state import NODES, NONE


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what a seat may know, as phrases and pictures are made of.

    ``place`` says what lies where, in the words of the JSON document; ``legal`` has the texts of what can be done now.
    """
    options, doc = cast(AtlandiceOptions, position.game.options), document(position, seat)
    return {
        "seat": seat,
        "players": options.players,
        "node": position.node,
        "to_decide": position.seat,
        "legal": position.legal_actions(),
        "scores": position.scores(),
        "returns": position.returns() if position.node == "over" else None,
        "place": doc,
        "here": None if doc["context"] is None else doc["context"]["sector"],
        "visits": options.visits,
        "spaces": list(options.spaces),
        "needles": dict(zip(data.NEEDLE_KEYS, options.needles, strict=True)),
        "optional_effects": options.optional_effects,
    }


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what lies where: nothing is hidden."""
    state, options = position.state[0], cast(AtlandiceOptions, position.game.options)
    first, actor = (None if value == NONE else int(value) for value in (state.first, state.actor))
    return {
        "players": options.players,
        "round": int(state.round_number),
        "first": first,
        "visit": int(state.visit),
        "node": NODES[state.node],
        "actor": actor,
        "context": None if state.here == NONE else _context(state, options.players),
        "hand": int(state.hand),
        "submarine": data.SECTORS[state.submarine],
        "sectors": _sectors(state),
        "participants": [
            {
                "stock": {kind: count for kind, count in zip(data.TYPES, stock, strict=True) if count},
                "points": points,
                "tiles": [name for name, owner in zip(data.TILES, state.owner, strict=True) if owner == participant],
            }
            for participant, (stock, points) in enumerate(zip(state.stock.tolist(), state.points.tolist(), strict=True))
            if participant < options.participants
        ],
    }


def _context(state: Any, players: int) -> dict[str, Any]:
    """Return the visit that is going on, with what has been named so far."""
    choice = {}
    if state.choice_type != NONE:
        choice["type"] = data.TYPES[state.choice_type]
    if state.choice_sector != NONE:
        choice["district"] = data.SECTORS[state.choice_sector]
    who = int(state.beneficiary)
    return {"sector": data.SECTORS[state.here], "for": "neutral" if who == players else who, "choice": choice}


def _sectors(state: Any) -> dict[str, dict[str, Any]]:
    """Return for every sector its pieces and dice, for a district its tile and those below it."""
    found: dict[str, dict[str, Any]] = {}
    for sector, (name, pieces) in enumerate(zip(data.SECTORS, state.resources.tolist(), strict=True)):
        found[name] = {
            "resources": {kind: count for kind, count in zip(data.TYPES, pieces, strict=True) if count},
            "dice": int(state.dice[sector]),
        }
        if sector != data.Sector.MARKET:
            tiles = data.TILES[data.TILES_PER_DISTRICT * sector :][: data.TILES_PER_DISTRICT]
            number = int(state.tile[sector])
            found[name]["tile"] = tiles[number - 1] if number else None
            found[name]["hidden"] = [tile for bit, tile in enumerate(tiles) if int(state.hidden[sector]) >> bit & 1]
    return found
