"""Atlandice in text: the districts with their tiles in words, the clock, who owns what. Everything is open (12.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from atlantis_envs.drawing.board import Board
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice.data import SECTORS, TILE_POINTS, TYPES
from atlantis_envs.games.atlandice.options import AtlandiceOptions

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
SPACES = {
    "start": "start", "none": "·", "donation": "don", "total": "all", "end": "END",
    "gem": "gem", "book": "book", "provision": "prov", "tool": "tool", "weapon": "weap",
}  # fmt: skip
SHORT_TYPES = tuple(SPACES[kind] for kind in TYPES)
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


def text(position: Position, seat: int | None, names: Sequence[str]) -> str:
    """The whole table."""
    place = position.to_json()
    lines = [_head(position, place), _clock(place, _options(position).spaces)]
    lines += ["", *_sectors(place), "", *_people(position, place, names)]
    if position.seat not in (None, seat):  # who is to decide is asked, below the board
        lines += ["", f"Seat {position.seat}: {question(position)}"]
    return "\n".join(lines) + "\n"


def question(position: Position) -> str:
    """What the seat to decide is to do."""
    return NODES[position.to_json()["node"]]


def _head(position: Position, place: dict[str, Any]) -> str:
    if place["round"] == 0:
        return "Setup"
    head = f"Round {place['round']}"
    if position.seat is not None and place["visit"] < _options(position).visits:
        head += f", visit {place['visit'] + 1} of {_options(position).visits}"
    if place["context"] is not None:
        who = place["context"]["for"]
        head += f", visiting the {place['context']['sector']}{' for neutral' if who == 'neutral' else ''}"
    if place["first"] is not None:
        head += f", seat {place['first']} is first player"
    return head


def _options(position: Position) -> AtlandiceOptions:
    return cast(AtlandiceOptions, position.game.options)


def _clock(place: dict[str, Any], spaces: Sequence[str]) -> str:
    shown = [f"[{SPACES[space]}]" if n == place["hand"] else SPACES[space] for n, space in enumerate(spaces)]
    return f"Clock {place['hand']}/{len(spaces) - 1}: {' '.join(shown)}"


def _sectors(place: dict[str, Any]) -> list[str]:
    options = place["options"]
    kinds = "".join(f"{kind:>5}" for kind in SHORT_TYPES)
    lines = [f"die {'sector':<11}{'dice':<4}{kinds}  {'needles':<8}tile: effect"]
    for number, name in enumerate(SECTORS, 1):
        sector = place["sectors"][name]
        tile = sector.get("tile")
        mark = "*" if place["submarine"] == name else ""
        pieces = "".join(f"{sector['resources'].get(kind) or '-':>5}" for kind in TYPES)
        needles = options["needles"]["market" if name == "market" else tile] if tile or name == "market" else "-"
        dice = sector["dice"] or "-"
        lines.append(f"{number:>3} {name + mark:<11}{dice:<4}{pieces}  {needles!s:<8}{_tile(name, sector, place)}")
    return [*lines, "* the submarine: a visitor takes a second piece"]


def _tile(name: str, sector: dict[str, Any], place: dict[str, Any]) -> str:
    if name == "market":
        return "no effect"
    if sector["tile"] is None:
        return "drawing a tile" if sector["hidden"] else "exhausted"
    later = f"; then {', '.join(sector['hidden'])}" if sector["hidden"] else "; the last tile"
    return f"{sector['tile']}: {EFFECTS[sector['tile']][0]}{later}"


def _people(position: Position, place: dict[str, Any], names: Sequence[str]) -> list[str]:
    lines = [
        f"{'':<22}{'total':>6}{'points':>8}  {''.join(f'{kind:>6}' for kind in SHORT_TYPES)}   tiles (3 points each)"
    ]
    for number, person in enumerate(place["participants"]):
        name = f"seat {number}, {names[number]}" if number < position.game.players else "neutral"
        mark = "> " if number == position.seat else "  "
        total = person["points"] + TILE_POINTS * len(person["tiles"])
        stock = "".join(f"{person['stock'].get(kind, 0) or '-':>6}" for kind in TYPES)
        lines.append(
            f"{mark}{name:<20.20}{total:>6}{person['points']:>8}  {stock}   {' '.join(person['tiles']) or '-'}"
        )
    return lines


# ----------------------------------------------------------------------------------------------------------- explaining


def explain(position: Position, action: str) -> str:
    """What the decision is about, and what a visit brings."""
    place = position.to_json()
    lines = [f"Node {place['node']}: you {NODES[place['node']]}."]
    if action.startswith("visit "):
        lines.append(_visit(place, action.split()[1], _options(position).visits))
        if action.endswith("for neutral"):
            lines.append("What is taken goes to neutral; you give it one of your dice each round (9.2).")
    elif action in {"decline effect", "decline bonus", "stop paying"}:
        lines.append("Nothing more happens here.")
    context = place["context"]
    if context is not None and action.startswith("take ") and context["for"] != place["actor"]:
        lines.append(f"The piece goes to {context['for']}.")
    return " ".join(lines)


def _visit(place: dict[str, Any], name: str, visits: int) -> str:
    sector = place["sectors"][name]
    parts = ["You take the die, then a piece" if sector["resources"] else "You take the die; there is no piece"]
    if place["submarine"] == name and sector["resources"]:
        parts.append("and one more for the submarine if one is left")
    tile = sector.get("tile")
    effect = f"Then {tile}: {EFFECTS[tile][0]} ({EFFECTS[tile][1]})." if tile else "No effect follows."
    last = place["visit"] == visits - 1
    clock = " The die that is left then moves the hand by the needles of its sector (8.1)." if last else ""
    return f"{' '.join(parts)}. {effect}{clock}"


def document(position: Position, seat: int | None) -> dict[str, Any]:
    """The position: nothing is hidden."""
    return position.to_json()


BOARD = Board(is_open=lambda game: True, text=text, document=document, explain=explain, question=question)
