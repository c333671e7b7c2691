"""Atlantis in text: the path space by space, and each seat's pawns, tiles and cards. Hands are hidden (11.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.look import WIDE, Board
from atlantis_envs.drawing.text import fitted_lines, glued
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.view import view

FULL_NAMES = 95  # lines at least as long have the full names of objects in the path
CELL, SHORT_CELL = 19, 13
OUTSIDE = {"first": "Setup", "lay": "Setup", "deal": "Setup", "over": "The game is over"}  # phases without a turn
SHORT = {
    "ring": "ring", "amphora": "amph", "olive": "oliv", "helmet": "helm", "flag": "flag", "statue": "stat",
    "crown": "crwn",
}  # fmt: skip


def text(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write what the seat may know."""
    seen = view(position, seat)
    doc = seen["place"]
    lines = [_head(doc), "", *_path(doc, width), *_tolls(seen["gaps"]), ""]
    lines += [*_people(position, doc, names), "", *_heaps(doc)]
    return "\n".join(fitted_lines(lines, width)) + "\n"


def _head(doc: Mapping[str, Any]) -> str:
    if doc["phase"] in OUTSIDE:
        return OUTSIDE[doc["phase"]]
    turn = doc["turn"]
    head = f"Turn of seat {doc['seat']}"
    if turn["pawn"] is not None:
        head += f", pawn {turn['pawn']}"
    if turn["due"]:
        head += f", {turn['due']} still to pay"
    return head


def _path(doc: Mapping[str, Any], width: int) -> list[str]:
    """Write the path to the mainland; + another tile lies below, ~ water, = bridge, @ a seat's pawn."""
    pawns: dict[int, list[str]] = {}
    for seat, person in enumerate(doc["seats"]):
        for where in person["pawns"]:
            pawns.setdefault(where, []).append(f"@{seat}")  # on a space there is one at most (5.4)
    full = width >= FULL_NAMES
    cell = CELL if full else SHORT_CELL
    cells = []
    for space, tile in enumerate(doc["path"]):
        shown = tile if tile is not None else "=" if space in doc["bridges"] else "~"
        cells.append(f"{space:>2} {shown if full else _short(shown)} {' '.join(pawns.get(space, ()))}".ljust(cell))
    per_line = width // cell
    lines = ["".join(cells[start : start + per_line]).rstrip() for start in range(0, len(cells), per_line)]
    ends = [
        f"{name}: {_counts(Counter(pawns.get(where, ())))}"
        for name, where in (("Atlantis", data.ATLANTIS), ("mainland", data.MAINLAND))
    ]
    return [ends[0], *lines, ends[1], "+ another tile below   ~ water   = bridge   @0 a pawn of seat 0"]


def _short(tile: str) -> str:
    """Return a tile in few characters: amph7+."""
    thing, _, value = tile.partition(" ")
    return f"{SHORT.get(thing, thing)}{value}"


def _tolls(gaps: Sequence[tuple[int, int, int]]) -> list[str]:
    """Tell what every gap costs."""
    messages = [glued(f"{low if low == high else f'{low} to {high}'} {toll or 'free'}") for low, high, toll in gaps]
    return [f"tolls of gaps: {', '.join(messages)}"] if messages else []


def _people(position: Position, doc: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    lines = []
    scores = position.scores()
    for seat, person in enumerate(doc["seats"]):
        mark = ">" if seat == position.seat else " "
        pawns = ", ".join(
            "home" if where == data.MAINLAND else "start" if where == data.ATLANTIS else str(where)
            for where in person["pawns"]
        )
        tiles = _counts({f"value {value}": count for value, count in person["tiles"].items()})
        hand = f"{person['hand']} cards" if isinstance(person["hand"], int) else _counts(person["hand"])
        known = f" (known: {_counts(person['known'])})" if person["known"] and isinstance(person["hand"], int) else ""
        bridge = "bridge left" if person["bridge"] else "no bridge"
        lines.append(f"{mark} seat {seat}, {names[seat]:.30}: score {scores[seat]}, pawns {pawns}, {bridge}")
        lines.append(f"    hand: {hand}{known}")
        lines += [f"    tiles: {tiles}"] if person["tiles"] else []
    return lines


def _heaps(doc: Mapping[str, Any]) -> list[str]:
    pile = doc["pile"] if isinstance(doc["pile"], int) else _counts(doc["pile"])
    return [f"pile: {pile}   discard: {_counts(doc['discard'])}"]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(glued(f"{name} x{count}" if count > 1 else name) for name, count in counts.items()) or "-"


BOARD = Board(is_open=lambda game: False, text=text)
