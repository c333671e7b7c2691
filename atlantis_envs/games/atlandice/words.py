"""Atlandice in words: what tiles do, what a decision is about, what a move is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_envs.games.atlandice.data import (
    DONATION_PRICE,
    FINAL_FIRST_POINTS,
    FINAL_SECOND_POINTS,
    TILE_POINTS,
)

# What the tile of a district does, in words, and its clause.
EFFECTS = {
    "J1": ("roll 1, 3, 5: one more piece from here", "6.4"),
    "J2": ("swap a piece with another district", "6.5"),
    "J3": ("roll 6: roll again, visit that sector too", "6.6"),
    "L1": ("roll 5, 6: a piece from another district", "6.7"),
    "L2": ("one piece goes to the market", "6.8"),
    "L3": ("your second die: one more piece from here", "6.9"),
    "I1": ("roll 1-4: the hand moves one space, no event", "6.10"),
    "I2": ("one market piece goes to another district", "6.11"),
    "I3": ("move one die to another sector", "6.12"),
    "M1": ("the submarine moves to another sector", "6.13"),
    "M2": ("the submarine moves to another sector", "6.13"),
    "M3": ("the submarine moves to another sector", "6.13"),
    "F1": ("roll 2, 4, 6: one more piece from here", "6.14"),
    "F2": ("one piece goes to another district", "6.15"),
    "F3": ("roll 6: a piece from the market", "6.16"),
}
# What a decision is about, by node.
NODES = {
    "visit": "choose the sector whose die to take (5.3)",
    "take": "take a piece of the visited sector (5.4)",
    "bonus": "take a second piece, because the submarine is here (5.5)",
    "effect": "may use the effect of the tile (5.2)",
    "extra": "take a piece by the effect of the tile (6)",
    "raid": "name the district to take a piece from (6.7)",
    "raid_take": "take a piece from the named district (6.7)",
    "swap_out": "name the piece that leaves the jeweler (6.5)",
    "swap_with": "name the district to swap with (6.5)",
    "swap_in": "name the piece that comes to the jeweler (6.5)",
    "move_type": "name the piece to move (6)",
    "move_to": "name the district the piece goes to (6)",
    "die_from": "name where the die to move lies (6.12)",
    "die_to": "name where the die goes (6.12)",
    "submarine": "name where the submarine goes (6.13)",
    "donate": "may pay two pieces for one point (8.5)",
    "donate_more": "pay the second piece (8.5)",
}
# What is asked in a picture, where there is no room for clauses.
CHANCE = {
    "reveal": "a tile is turned up",
    "first_player": "the first player is drawn",
    "die": "the dice are rolled",
    "roll": "a die is rolled for the effect",
    "reroll": "the die of the jeweler is rolled again",
}
# What brings points: the mark of a clock space or a word, and what happens there (8, 7, 13).
ON_THE_CLOCK = (
    ("total", "most pieces in all: 1 point"),
    ("gem", "most of that type: 1 point"),
    ("donation", f"{DONATION_PRICE} pieces buy 1 point"),
    ("end", "the game ends"),
)
OTHERWISE = (
    f"A district without pieces: most of its type win its tile ({TILE_POINTS} points), the next 1 point.",
    f"At the end, for each type: most {FINAL_FIRST_POINTS} points, next {FINAL_SECOND_POINTS}.",
    "The submarine: a second piece.",
)


def question(view: Mapping[str, Any]) -> str:
    """What the seat to decide is to do, with its clause."""
    return NODES[view["place"]["node"]]


def headline(view: Mapping[str, Any]) -> str:
    """What is going on, in a few words: what is asked, what chance decides, or who has won."""
    if view["node"] == "over":
        best = max(view["returns"])
        won = [seat for seat, value in enumerate(view["returns"]) if value == best]
        shared = f"seats {' and '.join(map(str, won))} share the victory"
        return f"seat {won[0]} has won" if len(won) == 1 else shared
    node = view["place"]["node"]
    if view["node"] == "chance":
        return CHANCE[node]
    return NODES[node].rpartition(" (")[0]


def explain(view: Mapping[str, Any], action: str) -> str:
    """What the decision is about, and what a visit brings."""
    place = view["place"]
    lines = [f"Node {place['node']}: you {NODES[place['node']]}."]
    if action.startswith("visit "):
        lines.append(_visit(place, action.split()[1], view["visits"]))
        if action.endswith("for neutral"):
            lines.append("What is taken goes to neutral; you give it one of your dice each round (9.2).")
    elif action in {"decline effect", "decline bonus", "stop paying"}:
        lines.append("Nothing more happens here.")
    context = place["context"]
    if context is not None and action.startswith("take ") and context["for"] != place["actor"]:
        lines.append(f"The piece goes to {context['for']}.")
    return " ".join(lines)


def _visit(place: Mapping[str, Any], name: str, visits: int) -> str:
    sector = place["sectors"][name]
    parts = ["You take the die, then a piece" if sector["resources"] else "You take the die; there is no piece"]
    if place["submarine"] == name and sector["resources"]:
        parts.append("and one more for the submarine if one is left")
    tile = sector.get("tile")
    effect = f"Then {tile}: {EFFECTS[tile][0]} ({EFFECTS[tile][1]})." if tile else "No effect follows."
    last = place["visit"] == visits - 1
    clock = " The die that is left then moves the hand by the needles of its sector (8.1)." if last else ""
    return f"{' '.join(parts)}. {effect}{clock}"
