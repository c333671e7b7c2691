"""Why something cannot be done in Atlantis, with its clause. What can be done is asked of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_envs.drawing.phrases import Clauses, Reason, a, refuse
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.show.phrases import at, clauses, question
from atlantis_envs.games.atlantis.view import view

CLAUSES = Clauses(actions="9.5", chance="10.2", over="8.1")
# The word an action begins with, and the phases in which it can be played.
PHASES = {
    "pass": {"turn"},
    "sell": {"turn"},
    "pawn": {"turn"},
    "play": {"play"},
    "pay": {"pay"},
    "bridge": {"turn", "after"},
    "done": {"pay", "after"},
}
View = Mapping[str, Any]


def refusal(position: Position, action: str) -> str:
    """Tell why an action cannot be played now; "" if it can."""
    return refuse(position, action, CLAUSES, _reason)


def _reason(position: Position, action: str) -> Reason:
    seen = view(position, position.seat)
    word, _, rest = action.partition(" ")
    if seen["place"]["phase"] not in PHASES[word]:
        return f"not now: you are to {question(seen)}", clauses(seen)[0]
    if word == "pass":
        return "one of your pawns can move, so you cannot pass", "4.5"
    if word == "done":
        return f"{seen['place']['turn']['due']} are still to pay", "6.4"
    if word == "play" and not _own(seen)["hand"].get(rest):
        return f"you hold no {rest} card", "5.4"
    if word == "play":
        return f"{a(rest)} card leads to no free place whose toll you can pay", "5.5"
    return {"sell": _sell, "bridge": _bridge, "pawn": _pawn, "pay": _pay}[word](seen, rest)


def _own(seen: View) -> Mapping[str, Any]:
    own: Mapping[str, Any] = seen["place"]["seats"][seen["seat"]]
    return own


def _sell(seen: View, rest: str) -> Reason:
    turn = seen["place"]["turn"]
    if not _own(seen)["tiles"].get(rest):
        return f"you have no tile of value {rest}", "4.3"
    if rest == "1" and not seen["sell_ones"]:
        return "a tile of value 1 brings no card and cannot be sold", "4.3"
    if turn["bridged"]:
        return "you have built a bridge in this turn, and a sale comes before it", "4.3"
    return "you have sold a tile in this turn", "4.3"


def _bridge(seen: View, rest: str) -> Reason:
    if not _own(seen)["bridge"]:
        return "you have no bridge left", "6.9"
    inside = [(low, high, toll) for low, high, toll in seen["gaps"] if low <= int(rest) <= high]
    if not inside:
        return f"there is no gap at space {rest}", "6.1"
    low, _, toll = inside[0]
    if toll == 0:
        return f"a bridge makes the gap at {low} free already", "6.9"
    return f"space {rest} lies in the gap that begins at {low}, and a bridge is named by the first space", "6.9"


def _pawn(seen: View, rest: str) -> Reason:
    pawns = _own(seen)["pawns"]
    space = pawns[int(rest)]
    if space == data.MAINLAND:
        return f"pawn {rest} is at home", "5.1"
    if space in pawns[: int(rest)]:
        return f"pawn {pawns.index(space)} stands {at(space)} too, and the lowest number moves first", "5.1"
    return f"no card of yours takes pawn {rest} to a free place whose toll you can pay", "5.5"


def _pay(seen: View, rest: str) -> Reason:
    kind, _, name = rest.partition(" ")
    turn, own = seen["place"]["turn"], _own(seen)
    if not own["tiles" if kind == "tile" else "hand"].get(name):
        return (f"you have no tile of value {name}" if kind == "tile" else f"you hold no {name} card"), "6.5"
    if kind == "card" and own["hand"][name] <= turn["bought"].get(name, 0):
        return f"the {name} card was bought in this turn and cannot pay", "6.6"
    if turn["last"] is not None and _rank(rest) < _rank(turn["last"]):
        return f"{turn['last']} was given last, and items are given in order, large tiles first, cards last", "9.2"
    value = int(name) if kind == "tile" else 1
    if seen["overpay"] == "exact_first" and value > turn["due"]:
        return f"the {turn['due']} due can be paid exactly", "6.7"
    return f"after this the {turn['due']} due could not be paid any more as they should", "9.2"


def _rank(item: str) -> tuple[int, int]:
    """Tell where an item stands in the order of payment (9.2)."""
    kind, _, name = item.partition(" ")
    order = data.OBJECTS
    return (0, -int(name)) if kind == "tile" else (1, order.index(name))
