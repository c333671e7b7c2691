"""What happened at a table of Atlandice that no event says, from two views of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from atlantis_envs.drawing.wording import counted, score_news, seats_listed, winners
from atlantis_envs.games.atlandice.data import DISTRICTS, TYPES

View = Mapping[str, Any]
AT_SPACE = {
    "none": "nothing happens there",
    "donation": "a donation",
    "total": "an inventory of all pieces",
    "start": "the start",
    "end": "the end of the game",
}


def news(before: View, text: str, after: View) -> tuple[str, ...]:
    """Tiles won and turned up, pieces given back, the hand, and every change of a score."""
    old, new = before["place"], after["place"]
    lines: list[str] = []
    for district, kind in zip(DISTRICTS, TYPES, strict=True):
        lines += _scored(old, new, text, district, kind)
    lines += _hand(old, new, after["spaces"])
    lines += score_news(before, after, "point")
    lines += _neutral(old, new, after["players"])
    if after["node"] == "over" and before["node"] != "over":
        lines.append(f"the game is over: {seats_listed(winners(after))} won")
    return tuple(lines)


def _who(number: int, players: int) -> str:
    return f"seat {number}" if number < players else "neutral"


def _scored(old: View, new: View, text: str, district: str, kind: str) -> Iterator[str]:
    """A district that ran empty: whose tile, who gave back what, and which tile is seen now."""
    gone, shown = old["sectors"][district]["tile"], new["sectors"][district]["tile"]
    if gone == shown:
        return
    if gone is not None:
        yield from _won(old, new, district, kind, gone)
    if shown is not None and f"reveal {shown}" not in text:
        yield f"the {district} shows {shown} now"
    elif shown is None and not new["sectors"][district]["hidden"]:
        yield f"the {district} is exhausted: no {kind} is left in the game"


def _won(old: View, new: View, district: str, kind: str, tile: str) -> Iterator[str]:
    players = old["options"]["players"]
    people = list(enumerate(zip(old["participants"], new["participants"], strict=True)))
    owners = [number for number, (was, now) in people if tile in now["tiles"] and tile not in was["tiles"]]
    if owners:
        yield f"the {district} is empty: {_who(owners[0], players)}, first in {kind}s, wins its tile {tile}"
    else:
        yield f"the {district} is empty: nobody has a {kind}, and its tile {tile} leaves the game"
    for number, (was, now) in people:
        given = was["stock"].get(kind, 0) - now["stock"].get(kind, 0)
        if given > 0:
            yield f"{_who(number, players)} gives back {counted(given, kind)}"


def _hand(old: View, new: View, spaces: list[str]) -> Iterator[str]:
    moved = new["hand"] - old["hand"]
    if moved > 0:
        space = spaces[new["hand"]]
        there = AT_SPACE.get(space, f"an inventory of {space}s")
        yield f"the hand moves {counted(moved, 'space')} to {new['hand']} of {len(spaces) - 1}: {there}"


def _neutral(old: View, new: View, players: int) -> Iterator[str]:
    """Neutral has points, but no seat."""
    for was, now in zip(old["participants"][players:], new["participants"][players:], strict=True):
        gained = now["points"] - was["points"]
        if gained:
            yield f"neutral: {counted(gained, 'point', sign=True)} beside its tiles"
