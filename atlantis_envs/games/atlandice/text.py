"""Atlandice in text: the districts with their tiles in words, the clock, who owns what. Everything is open (12.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from atlantis_envs.drawing.board import Board
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice import words
from atlantis_envs.games.atlandice.data import SECTORS, TILE_POINTS, TYPES
from atlantis_envs.games.atlandice.options import AtlandiceOptions
from atlantis_envs.games.atlandice.view import document, view

SPACES = {
    "start": "start", "none": "·", "donation": "don", "total": "all", "end": "END",
    "gem": "gem", "book": "book", "provision": "prov", "tool": "tool", "weapon": "weap",
}  # fmt: skip
SHORT_TYPES = tuple(SPACES[kind] for kind in TYPES)


def text(position: Position, seat: int | None, names: Sequence[str]) -> str:
    """The whole table."""
    place = position.to_json()
    lines = [_head(position, place), _clock(place, _options(position).spaces)]
    lines += ["", *_sectors(place), "", *_people(position, place, names)]
    if position.seat not in (None, seat):  # who is to decide is asked, below the board
        lines += ["", f"Seat {position.seat}: {question(position)}"]
    return "\n".join(lines) + "\n"


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
    return f"{sector['tile']}: {words.EFFECTS[sector['tile']][0]}{later}"


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


def question(position: Position) -> str:
    """What the seat to decide is to do."""
    return words.question(view(position, position.seat))


BOARD = Board(is_open=lambda game: True, text=text, document=document, explain=words.explain, question=question)
