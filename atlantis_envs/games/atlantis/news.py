"""What happened in a game of Atlantis that no event says, from two views of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from atlantis_envs.drawing.wording import listed, score_news, seats_listed, winners
from atlantis_envs.games.atlantis.words import at, towards

View = Mapping[str, Any]
TURNED = "?"  # a tile that is being turned up


def news(before: View, text: str, after: View) -> tuple[str, ...]:
    """Pawns that moved, tiles won, what is water now, tolls, hands shown, and every change of a score."""
    old, new = before["place"], after["place"]
    lines: list[str] = []
    for seat, (was, now) in enumerate(zip(old["seats"], new["seats"], strict=True)):
        lines += _moved(seat, was, now)
        lines += _tiles(seat, was, now)
        lines += _shown(seat, was, now, text)
    lines += _path(old, new)
    lines += _gaps(before, after) if old["phase"] not in {"first", "lay"} else []
    lines += _pile(old, new)
    lines += score_news(before, after, "point")
    if after["node"] == "over" and before["node"] != "over":
        lines.append(f"the game is over, tolls to the mainland are paid: {seats_listed(winners(after))} won")
    return tuple(lines)


def _moved(seat: int, was: View, now: View) -> Iterator[str]:
    for number, (start, end) in enumerate(zip(was["pawns"], now["pawns"], strict=True)):
        if start != end:
            yield f"pawn {number} of seat {seat}, so far {at(start)}, moves {towards(end)}"


def _tiles(seat: int, was: View, now: View) -> Iterator[str]:
    """Tiles by value: won, or paid and sold."""
    values = sorted({*was["tiles"], *now["tiles"]})
    changes = {value: now["tiles"].get(value, 0) - was["tiles"].get(value, 0) for value in values}
    won = [value for value in values for _ in range(changes[value])]
    lost = [value for value in values for _ in range(-changes[value])]
    if won:
        yield f"seat {seat} wins {_valued(won)}"
    if lost:
        yield f"seat {seat} gives up {_valued(lost)}"


def _valued(values: list[str]) -> str:
    return f"{'a tile' if len(values) == 1 else 'tiles'} of value {' and '.join(values)}"


def _shown(seat: int, was: View, now: View, text: str) -> Iterator[str]:
    """The hand that a passing seat has to show (4.5, 11.3)."""
    if "pass" in text.split(", ") and now["known"] and now["known"] != was["known"]:
        yield f"seat {seat} shows its hand: {listed(now['known'])}"


def _path(old: View, new: View) -> Iterator[str]:
    for space, (was, now) in enumerate(zip(old["path"], new["path"], strict=True)):
        if was not in (None, TURNED) and now is None:
            yield f"{was} is taken from space {space}, which is water now"
        elif was not in (None, TURNED) and now != was:
            below = "the tile below is turned up" if now == TURNED else f"below it lies {now}"
            yield f"{was.rstrip('+')} is taken from space {space}, {below}"
    start, end = _ends(old["path"]), _ends(new["path"])
    if start and end and start[0] != end[0]:
        yield f"Atlantis now borders on space {end[0]}"
    if start and end and start[1] != end[1]:
        yield f"the mainland now borders on space {end[1]}"


def _ends(path: list[str | None]) -> tuple[int, int] | None:
    """The lowest and the highest space with a tile; None where no tile is left or laid."""
    spaces = [space for space, tile in enumerate(path) if tile is not None]
    return (spaces[0], spaces[-1]) if spaces else None


def _gaps(before: View, after: View) -> Iterator[str]:
    """New tolls. They are not known while a tile is being turned up; then those beside it are told."""
    if TURNED in after["place"]["path"]:
        return
    known = {(low, high): toll for low, high, toll in before["gaps"]}
    turning = [space for space, tile in enumerate(before["place"]["path"]) if tile == TURNED]
    for low, high, toll in after["gaps"]:
        if turning and not {low - 1, high + 1} & set(turning):
            continue
        if turning or known.get((low, high)) != toll:
            where = f"{low}" if low == high else f"{low} to {high}"
            yield f"the gap at {where} {f'costs {toll}' if toll else 'is free'} now"


def _pile(old: View, new: View) -> Iterator[str]:
    """A pile that has grown is the former discard (7.7)."""
    was, now = (
        place["pile"] if isinstance(place["pile"], int) else sum(place["pile"].values()) for place in (old, new)
    )
    if now > was and old["phase"] != "deal":
        yield f"the discard is the new pile, {now} cards"


def _number(pile: Any) -> int:
    """The cards of the pile, of which a seat knows the number alone."""
    return int(pile) if isinstance(pile, int) else sum(pile.values())
