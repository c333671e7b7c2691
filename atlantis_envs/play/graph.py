"""Win shares in the course of a game, as a picture beside a replay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from atlantis_envs.drawing.pen import badge, line, panel, path, polygon, words
from atlantis_envs.drawing.shapes import Drawing, Group, Shape
from atlantis_envs.drawing.svg import page_colours, to_svg
from atlantis_envs.drawing.theme import COMMON

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 220, 46, 388, 14, 184  # narrow: it stands beside a board
TICKS = 5  # at most, of the events
HEAD, NAME = 4.0, 14.0  # half the width of the arrow at a mistake; room of its name
CASING = 4.5  # under a line, so that a pale one can be seen on white


@dataclass(frozen=True)
class Mistake:
    """A decision that gave something away.

    Attributes:
        event: how many events went before it.
        seat: whose it was.
        name: its number in a list of them.
        played: win share of what was played, 0..1.
        best: win share of what would have been best.
        text: what it was and what would have been better, in words.
        moves: the texts of what was played and what would have been best.
    """

    event: int
    seat: int
    name: str
    played: float
    best: float
    text: str
    moves: tuple[str, str] = ("", "")

    @property
    def number(self) -> int:
        """Return which event it is, 1 the first: as pages and commands count."""
        return self.event + 1


@dataclass(frozen=True)
class Evaluation:
    """Win shares on the way.

    Attributes:
        events: after how many events each was taken, rising.
        shares: for each of them the win share of every seat, 0..1; NaN for seats whose share was not taken there.
        margins: for each of them half of the 95 % interval of every seat.
        caption: how they were taken.
        together: all seats win or lose together, and there is one share for all.
        mistakes: to be marked: an arrow from what was played up to what would have been best.
        luck: sentences about what was luck and what was skill.
    """

    events: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    margins: tuple[tuple[float, ...], ...]
    caption: str
    together: bool = False
    mistakes: tuple[Mistake, ...] = ()
    luck: tuple[str, ...] = ()


def graph_of(evaluation: Evaluation, last: int) -> dict[str, Any]:
    """Return the graph as the page takes it; ``last`` is the number of events."""
    drawing = _draw(evaluation, last)
    return {
        "picture": to_svg(drawing, page_colours(list(COMMON))),
        "caption": evaluation.caption,
        "left": LEFT,
        "width": RIGHT - LEFT,
        "whole": WIDTH,
        "bottom": BOTTOM,
    }


def _draw(evaluation: Evaluation, last: int) -> Drawing:
    ground: list[Shape] = [panel(4, 2, WIDTH - 8, HEIGHT - 4)]
    for share in (0.0, 0.5, 1.0):
        y = _height(share)
        ground += [line(LEFT, y, RIGHT, y, "panel.edge"), words(LEFT - 6, y + 4, f"{share:.0%}", 11.5, "mute", "end")]
    for event in _ticks(last):
        x = _across(event, last)
        ground += [line(x, BOTTOM, x, BOTTOM + 4, "mute"), words(x, BOTTOM + 17, str(event), 11.5, "mute", "middle")]
    ground.append(words((LEFT + RIGHT) / 2, HEIGHT - 6, "event", 11.5, "mute", "middle"))
    seats = range(len(evaluation.shares[0])) if evaluation.shares else range(0)
    lines = [_line(evaluation, seat, last) for seat in seats]
    marks = _marks(evaluation.mistakes, last)
    about = "win share of each seat after each event"
    return Drawing(WIDTH, HEIGHT, "win shares", about, (Group("ground", about, tuple(ground)), *lines, *marks))


def _ticks(last: int) -> range:
    """Return round numbers of events along the axis."""
    size = 10 ** max(0, len(str(max(1, last // TICKS))) - 1)
    step = next(size * factor for factor in (1, 2, 5, 10) if last <= TICKS * size * factor)
    return range(0, last + 1, step)


def _height(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * min(1.0, max(0.0, share))


def _across(event: int, last: int) -> float:
    return LEFT + (RIGHT - LEFT) * event / max(1, last)


def _marks(mistakes: Sequence[Mistake], last: int) -> list[Group]:
    """Draw arrows; a name that would stand on an earlier one's is left out."""
    marks: list[Group] = []
    named: list[tuple[float, float]] = []
    for mistake in mistakes:
        x, low, high = _across(mistake.number, last), _height(mistake.played), _height(mistake.best)
        spot = x, max(high - 3, TOP + 8)
        head = polygon([(x, high), (x - HEAD, high + 2 * HEAD), (x + HEAD, high + 2 * HEAD)], "ink")
        shapes = [line(x, low, x, high, "ink", 1.5), head]
        if all(abs(x - other) > NAME or abs(spot[1] - y) > NAME for other, y in named):
            named.append(spot)
            shapes.append(words(*spot, mistake.name, 11, "ink", "middle", True))
        marks.append(Group(f"mistake.{mistake.number}", mistake.text, tuple(shapes)))
    return marks


def _line(evaluation: Evaluation, seat: int, last: int) -> Group:
    taken = [index for index, each in enumerate(evaluation.shares) if not math.isnan(each[seat])]
    if not taken:
        return Group(f"line.{seat}", f"seat {seat}: nothing to show")
    xs = [_across(evaluation.events[index], last) for index in taken]
    shares = [evaluation.shares[index][seat] for index in taken]
    margins = [evaluation.margins[index][seat] for index in taken]
    upper = [(x, _height(share + margin)) for x, share, margin in zip(xs, shares, margins, strict=True)]
    lower = [(x, _height(share - margin)) for x, share, margin in zip(xs, shares, margins, strict=True)]
    middle = [(x, _height(share)) for x, share in zip(xs, shares, strict=True)]
    band = path((*_through([*upper, *lower[::-1]]), ("Z",)), f"seat{seat}", faded=True)
    casing = path(_through(middle), None, "ink", CASING)
    own = path(_through(middle), None, f"seat{seat}", CASING - 2)
    x, y = middle[-1]
    mark = () if evaluation.together else badge(min(x + 12, WIDTH - 16), y, seat, 8.5)
    label = f"{'all' if evaluation.together else f'seat {seat}'}: {', '.join(f'{share:.0%}' for share in shares)}"
    return Group(f"line.{seat}", label, (band, casing, own, *mark))


def _through(points: Sequence[tuple[float, float]]) -> tuple[tuple[str | float, ...], ...]:
    return tuple(("M" if index == 0 else "L", x, y) for index, (x, y) in enumerate(points))
