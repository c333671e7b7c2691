"""Atlantis in text: the path space by space, and each seat's pawns, tiles and cards. Hands are hidden (11.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.board import Board
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis.data import ATLANTIS, MAINLAND

CELLS_PER_LINE = 6
CELL = 19
# What a decision is about, by phase.
PHASES = {
    "turn": "choose a pawn to move (5.1)",
    "play": "play a card: the pawn goes to the next tile that shows its object (5.4)",
    "pay": "pay the toll of the gaps on the way, item by item (6.4)",
    "after": "may bridge a gap before the turn ends (6.9)",
}
PASSING = "pass, because no pawn can move, and draw cards (4.5)"
BEFORE = {"sell": "sell a tile for cards (4.3)", "bridge": "bridge a gap (6.9)"}


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


def text(position: Position, seat: int | None, names: Sequence[str]) -> str:
    """What the seat may know."""
    place = document(position, seat)
    lines = [_head(place), "", *_path(place), "", *_people(position, place, names), "", *_heaps(place)]
    return "\n".join(lines) + "\n"


def question(position: Position) -> str:
    """What the seat to decide is to do."""
    place = position.to_json()
    if place["phase"] not in PHASES:
        return ""
    asked = PHASES[place["phase"]]
    if place["phase"] == "turn":
        words = {action.split()[0] for action in position.legal_actions()}
        asked = PASSING if "pass" in words else asked
        before = [told for word, told in BEFORE.items() if word in words]
        asked += f"; before that you may {' or '.join(before)}" if before else ""
    if place["phase"] == "pay":
        asked += f"; {place['turn']['due']} still to pay"
    return asked


def _head(place: Mapping[str, Any]) -> str:
    turn = place["turn"]
    head = f"Phase {place['phase']}"
    if turn["pawn"] is not None:
        head += f", pawn {turn['pawn']}"
    if turn["due"]:
        head += f", {turn['due']} still to pay"
    return head


def _path(place: Mapping[str, Any]) -> list[str]:
    """From Atlantis to the mainland; + another tile lies below, ~ water, = bridge, @ a seat's pawn."""
    pawns: dict[int, list[str]] = {}
    for seat, person in enumerate(place["seats"]):
        for where in person["pawns"]:
            pawns.setdefault(where, []).append(f"@{seat}")  # on a space there is one at most (5.4)
    cells = []
    for space, tile in enumerate(place["path"]):
        shown = tile if tile is not None else "=" if space in place["bridges"] else "~"
        cells.append(f"{space:>2} {shown} {' '.join(pawns.get(space, ()))}".ljust(CELL))
    lines = ["".join(cells[start : start + CELLS_PER_LINE]).rstrip() for start in range(0, len(cells), CELLS_PER_LINE)]
    ends = [
        f"{name}: {_counts(Counter(pawns.get(where, ())))}"
        for name, where in (("Atlantis", ATLANTIS), ("mainland", MAINLAND))
    ]
    return [ends[0], *lines, ends[1], "+ another tile below   ~ water   = bridge   @0 a pawn of seat 0"]


def _people(position: Position, place: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    lines = []
    scores = position.scores()
    for seat, person in enumerate(place["seats"]):
        mark = ">" if seat == position.seat else " "
        pawns = ", ".join(
            "home" if where == MAINLAND else "start" if where == ATLANTIS else str(where) for where in person["pawns"]
        )
        tiles = _counts(person["tiles"])
        hand = f"{person['hand']} cards" if isinstance(person["hand"], int) else _counts(person["hand"])
        known = f" (known: {_counts(person['known'])})" if person["known"] and isinstance(person["hand"], int) else ""
        bridge = "bridge left" if person["bridge"] else "no bridge"
        lines.append(f"{mark} seat {seat}, {names[seat]}: score {scores[seat]}, pawns {pawns}, {bridge}")
        lines.append(f"    hand: {hand}{known}   tiles, by value: {tiles}")
    return lines


def _heaps(place: Mapping[str, Any]) -> list[str]:
    pile = place["pile"] if isinstance(place["pile"], int) else _counts(place["pile"])
    return [f"pile: {pile}   discard: {_counts(place['discard'])}"]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} x{count}" if count > 1 else name for name, count in counts.items()) or "-"


def explain(position: Position, action: str) -> str:
    """What the phase is about."""
    asked = question(position)
    return f"Phase {position.to_json()['phase']}: you {asked}." if asked else ""


BOARD = Board(is_open=lambda game: False, text=text, document=document, explain=explain, question=question)
