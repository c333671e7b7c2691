"""Atlantis in words: what a decision is about, what a move is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What a decision is about, by phase.
PHASES = {
    "turn": "choose a pawn to move (5.1)",
    "play": "play a card: the pawn goes to the next tile that shows its object (5.4)",
    "pay": "pay the toll of the gaps on the way, item by item (6.4)",
    "after": "may bridge a gap before the turn ends (6.9)",
}
PASSING = "pass, because no pawn can move, and draw cards (4.5)"
BEFORE = {"sell": "sell a tile for cards (4.3)", "bridge": "bridge a gap (6.9)"}
# What chance decides, by phase.
CHANCE = {
    "first": "the first player is drawn",
    "lay": "the tiles are laid out",
    "deal": "cards are dealt",
    "uncover": "the tile below is turned up",
    "draw": "a card is drawn",
}


def question(view: Mapping[str, Any]) -> str:
    """What the seat to decide is to do, with its clause; "" where nobody decides."""
    place = view["place"]
    if place["phase"] not in PHASES:
        return ""
    asked = PHASES[place["phase"]]
    if place["phase"] == "turn":
        words = {action.split()[0] for action in view["legal"]}
        asked = PASSING if "pass" in words else asked
        before = [told for word, told in BEFORE.items() if word in words]
        asked += f"; before that you may {' or '.join(before)}" if before else ""
    if place["phase"] == "pay":
        asked += f"; {place['turn']['due']} still to pay"
    return asked


def headline(view: Mapping[str, Any]) -> str:
    """What is going on, in a few words: what is asked, what chance decides, or who has won."""
    place = view["place"]
    if view["node"] == "over":
        best = max(view["returns"])
        won = [seat for seat, value in enumerate(view["returns"]) if value == best]
        return f"seat {won[0]} has won" if len(won) == 1 else f"seats {' and '.join(map(str, won))} have won"
    if view["node"] == "chance":
        return CHANCE[place["phase"]]
    if place["phase"] == "pay":
        return f"pay the toll, {place['turn']['due']} still due"
    if "pass" in view["legal"]:
        return "no pawn can move: pass"
    return {"turn": "choose a pawn", "play": "play a card", "after": "may bridge a gap"}[place["phase"]]


def explain(view: Mapping[str, Any], action: str) -> str:
    """What the phase is about."""
    asked = question(view)
    return f"Phase {view['place']['phase']}: you {asked}." if asked else ""
