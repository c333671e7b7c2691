"""What lies where in Atlandice, as plain values: documents, phrases and pictures are made of it.

Every seat may know all of it, since nothing is hidden (12.1).
"""

from __future__ import annotations

from typing import Any, cast

from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.layout import At
from atlantis_envs.games.atlandice.options import AtlandiceOptions
from atlantis_envs.games.atlandice.state import NODES, NONE, Node

# Which parts of a choice have been named at a node, in the order of 17.1.
CHOICE_KEYS: dict[int, tuple[str, ...]] = {
    Node.RAID_TAKE: ("district",),
    Node.SWAP_WITH: ("type",),
    Node.SWAP_IN: ("type", "district"),
    Node.MOVE_TO: ("type",),
    Node.DIE_TO: ("sector",),
}


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what a seat may know.

    ``place`` says what lies where, in the words of the JSON document; ``legal`` has the texts of what can be done now.
    """
    options, over = cast(AtlandiceOptions, position.game.options), position.node == "over"
    place = contents(options, position.state[0])
    return {
        "seat": seat,
        "players": options.players,
        "node": position.node,
        "to_decide": position.seat,
        "legal": position.legal_actions(),
        "scores": position.scores(),
        "returns": position.returns() if over else None,
        "truncated": over and position.truncated,
        "place": place,
        "here": None if place["context"] is None else place["context"]["sector"],
        "visits": options.visits,
        "half_points": position.observation(0)[At.HANDICAP : At.HANDICAP + options.players].tolist(),
        "spaces": list(options.spaces),
        "needles": dict(zip(data.NEEDLE_KEYS, options.needles, strict=True)),
        "optional_effects": options.optional_effects,
    }


def contents(options: AtlandiceOptions, state: Record) -> dict[str, Any]:
    """Return what a record holds, keys in the order of 17.1."""
    players, owners = options.players, state.owner.tolist()
    people = zip(range(options.participants), state.stock.tolist(), state.points.tolist(), strict=False)
    sector, who = data.SECTORS[state.choice_sector], int(state.beneficiary)
    named = {"type": data.TYPES[state.choice_type], "district": sector, "sector": sector}
    context = {
        "sector": data.SECTORS[state.here],
        "for": "neutral" if who == players else who,
        "chain": int(state.chain),
        "choice": {key: named[key] for key in CHOICE_KEYS.get(int(state.node), ())},
    }
    first, actor = (None if value == NONE else int(value) for value in (state.first, state.actor))
    return {
        "round": int(state.round_number),
        "first": first,
        "visit": int(state.visit),
        "node": NODES[state.node],
        "actor": actor,
        "context": None if state.here == NONE else context,
        "hand": int(state.hand),
        "submarine": data.SECTORS[state.submarine],
        "sectors": _sectors(state),
        "bare": [name for name, bare in zip(data.DISTRICTS, state.bare.tolist(), strict=True) if bare],
        "participants": [
            {
                "stock": {kind: count for kind, count in zip(data.TYPES, stock, strict=True) if count},
                "points": points,
                "tiles": [tile for tile, owner in zip(data.TILES, owners, strict=True) if owner == participant],
            }
            for participant, stock, points in people
        ],
        "given": [bool(given) for given in state.given[:players]] if players == 2 else [],
        "blocked": [seat for seat in range(players) if state.blocked[seat]],
    }


def _sectors(state: Record) -> dict[str, dict[str, Any]]:
    """Return for every sector its pieces and dice, for a district before them its tile and those below it."""
    found: dict[str, dict[str, Any]] = {}
    for sector, (name, pieces) in enumerate(zip(data.SECTORS, state.resources.tolist(), strict=True)):
        found[name] = {}
        if sector != data.Sector.MARKET:
            tiles = data.TILES[data.TILES_PER_DISTRICT * sector :][: data.TILES_PER_DISTRICT]
            number, hidden = int(state.tile[sector]), int(state.hidden[sector])
            found[name]["tile"] = tiles[number - 1] if number else None
            found[name]["hidden"] = [tile for bit, tile in enumerate(tiles) if hidden >> bit & 1]
        found[name]["resources"] = {kind: count for kind, count in zip(data.TYPES, pieces, strict=True) if count}
        found[name]["dice"] = int(state.dice[sector])
    return found
