"""Atlantis in text: the path space by space, and each seat's pawns, tiles and cards. Hands are hidden (11.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.board import Board
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis import words
from atlantis_envs.games.atlantis.data import ATLANTIS, MAINLAND
from atlantis_envs.games.atlantis.view import document, view

CELLS_PER_LINE = 6
CELL = 19


def text(position: Position, seat: int | None, names: Sequence[str]) -> str:
    """What the seat may know."""
    place = document(position, seat)
    lines = [_head(place), "", *_path(place), "", *_people(position, place, names), "", *_heaps(place)]
    return "\n".join(lines) + "\n"


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


def question(position: Position) -> str:
    """What the seat to decide is to do."""
    return words.question(view(position, position.seat))


BOARD = Board(is_open=lambda game: False, text=text, document=document, explain=words.explain, question=question)
