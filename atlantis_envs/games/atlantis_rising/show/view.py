"""What a seat of Atlantis Rising may know.

While hands are open everybody sees everything (15.1); else what others hold, draw and put under the deck is a number
(15.2).
"""

from __future__ import annotations

from typing import Any

from atlantis_envs.engine.position import Position
from atlantis_envs.engine.setup import Setup
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.state import NODES


def is_open(game: Setup) -> bool:
    """Tell whether hands are open (option ``hands_open``)."""
    return bool(game.options.to_json()["hands_open"])


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the position; with closed hands without what ``seat`` may not know."""
    place = position.to_json()
    if seat is None or is_open(position.game):
        return place
    for other, person in enumerate(place["seats"]):
        if other != seat:
            person["hand"] = sum(person["hand"].values())
    unseen = position.game.definition.observation.view(position.observation(seat))["deck"]
    place["library"]["deck"] = {card: int(unseen[number]) for number, card in enumerate(data.CARDS) if unseen[number]}
    place["library"]["bottom"] = len(place["library"]["bottom"])
    for frame in place["pending"]:
        if frame["do"] == "library" and frame["seat"] != seat:
            frame["drawn"] = len(frame["drawn"])
    return place


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the document of a seat, and what else words and pictures are made of.

    ``legal`` has the texts of what can be done now, for those who may know the hand it follows from; ``values`` the
    target, symbol or rate of every place, ``capacity`` how many pieces fit there, ``prices`` what components cost.
    """
    rules, node = position.game.rules[0], position.node
    open_to = is_open(position.game) or seat in (None, position.seat)
    return {
        "seat": seat,
        "players": position.game.players,
        "node": node,
        "name": NODES[int(position.state.node[0])],
        "to_decide": position.seat,
        "legal": position.legal_actions() if open_to else [],
        "scores": position.scores(),
        "returns": position.returns() if node == "over" else None,
        "truncated": position.truncated,
        "place": document(position, seat),
        "values": {name: int(rules.tile_value[number]) for number, name in enumerate(data.LOCATIONS)},
        "capacity": {name: int(rules.capacity[number]) for number, name in enumerate(data.LOCATIONS)},
        "prices": {name: _price(rules.price[number]) for number, name in enumerate(data.COMPONENTS)},
        "wrath": [int(value) for value in rules.wrath_values[: int(rules.wrath_last) + 1]],
        "gates": int(rules.gates),
    }


def _price(row: Any) -> dict[str, int]:
    return {name: int(count) for name, count in zip(data.PRICE_TYPES, row, strict=True) if count}
