"""Atlandice in text: the districts with their tiles in words, the clock, who owns what. Everything is open (12.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from atlantis_envs.drawing.look import WIDE, Board
from atlantis_envs.drawing.text import fitted_lines
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.show import phrases
from atlantis_envs.games.atlandice.view import view

SPACES = {
    "start": "start", "none": "·", "donation": "don", "total": "all", "end": "END",
    "gem": "gem", "book": "book", "provision": "prov", "tool": "tool", "weapon": "weap",
}  # fmt: skip
SHORT_TYPES = tuple(SPACES[kind] for kind in data.TYPES)


NARROW = 112  # lines shorter than this have the effects of tiles below the table
NAME = 19


def text(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Write the whole table."""
    seen = view(position, seat)
    doc = seen["place"]
    lines = [_head(seen), _clock(doc, seen["spaces"])]
    lines += ["", *_sectors(seen, width), "", *_people(position, doc, names, width)]
    if position.seat not in (None, seat):  # who is to decide is asked, below the board
        lines += ["", f"Seat {position.seat}: {phrases.question(seen)}"]
    return "\n".join(fitted_lines(lines, width)) + "\n"


def _head(seen: Mapping[str, Any]) -> str:
    doc = seen["place"]
    if doc["round"] == 0:
        return "Setup"
    head = f"Round {doc['round']}"
    if seen["to_decide"] is not None and doc["visit"] < seen["visits"]:
        head += f", visit {doc['visit'] + 1} of {seen['visits']}"
    if doc["context"] is not None:
        who = doc["context"]["for"]
        head += f", visiting the {doc['context']['sector']}{' for neutral' if who == 'neutral' else ''}"
    if doc["first"] is not None:
        head += f", seat {doc['first']} is first player"
    return head


def _clock(doc: dict[str, Any], spaces: Sequence[str]) -> str:
    shown = [f"[{SPACES[space]}]" if n == doc["hand"] else SPACES[space] for n, space in enumerate(spaces)]
    return f"Clock {doc['hand']}/{len(spaces) - 1}: {' '.join(shown)}"


def _sectors(seen: Mapping[str, Any], width: int) -> list[str]:
    """Write a row for every sector; where there is no room, what the tiles do stands below."""
    doc, wide = seen["place"], width >= NARROW
    kinds = "".join(f"{kind:>5}" for kind in SHORT_TYPES)
    lines = [f"{'sector':<11}{'die':<5}{'dice':<5}{kinds}  {'needles':<9}tile{': effect' if wide else ''}"]
    effects = []
    for face, name in enumerate(data.SECTORS, 1):
        sector = doc["sectors"][name]
        tile = sector.get("tile")
        mark = "*" if doc["submarine"] == name else ""
        pieces = "".join(f"{sector['resources'].get(kind) or '-':>5}" for kind in data.TYPES)
        needles = seen["needles"]["market" if name == "market" else tile] if tile or name == "market" else "-"
        head = f"{name + mark:<11}{face:<5}{sector['dice'] or '-':<5}{pieces}  {needles!s:<9}"
        message, later = _tile(name, sector, doc)
        lines.append(f"{head}{message}{later}" if wide or not later else f"{head}{tile}")
        effects += [f"{message}{later}"] if later and not wide else []
    return [*lines, *effects, "die: the face that lies there; * the submarine: a visitor takes a second piece"]


def _tile(name: str, sector: dict[str, Any], doc: dict[str, Any]) -> tuple[str, str]:
    """Return the tile with its effect, and what comes after it."""
    if name == "market":
        return "no effect", ""
    if sector["tile"] is None:
        return "drawing a tile" if sector["hidden"] else "exhausted", ""
    later = f"; then {', '.join(sector['hidden'])}" if sector["hidden"] else "; the last tile"
    return f"{sector['tile']}: {phrases.EFFECTS[sector['tile']][0]}", later


def _people(position: Position, doc: dict[str, Any], names: Sequence[str], width: int) -> list[str]:
    lines = [f"{'':<{NAME + 2}}{'total':>6}{'points':>8}  {''.join(f'{kind:>5}' for kind in SHORT_TYPES)}   tiles"]
    for participant, person in enumerate(doc["participants"]):
        name = f"seat {participant}, {names[participant]}" if participant < position.game.players else "neutral"
        mark = "> " if participant == position.seat else "  "
        total = person["points"] + data.TILE_POINTS * len(person["tiles"])
        stock = "".join(f"{person['stock'].get(kind, 0) or '-':>5}" for kind in data.TYPES)
        head = f"{mark}{name:<{NAME}.{NAME}}{total:>6}{person['points']:>8}  {stock}   "
        lines += fitted_lines([head + (" ".join(person["tiles"]) or "-")], width, " " * len(head))
    return lines


BOARD = Board(is_open=lambda game: True, text=text)
