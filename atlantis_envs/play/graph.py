"""Win shares in the course of a game, as a picture below a replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from atlantis_envs.drawing.pen import badge, line, panel, path, words
from atlantis_envs.drawing.shapes import WIDTH, Drawing, Group, Shape
from atlantis_envs.drawing.svg import page_colours, to_svg
from atlantis_envs.drawing.theme import COMMON

HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 150, 48, 768, 12, 132
CASING = 4.5  # under a line, so that a pale one can be seen on white


@dataclass(frozen=True)
class Evaluation:
    """Win shares on the way.

    Attributes:
        events: after how many events each was taken, rising.
        shares: for each of them the win share of every seat, 0..1.
        margins: for each of them half of the 95 % interval of every seat.
        caption: how they were taken.
        together: all seats win or lose together, and there is one share for all.
    """

    events: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    margins: tuple[tuple[float, ...], ...]
    caption: str
    together: bool = False


def graph_of(evaluation: Evaluation, last: int) -> dict[str, Any]:
    """The graph as the page takes it; ``last`` is the number of events."""
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
        ground += [line(LEFT, y, RIGHT, y, "panel.edge"), words(LEFT - 6, y + 4, f"{share:.0%}", 11, "mute", "end")]
    seats = range(len(evaluation.shares[0])) if evaluation.shares else range(0)
    lines = [_line(evaluation, seat, last) for seat in seats]
    about = "win share of each seat after each event"
    return Drawing(WIDTH, HEIGHT, "win shares", about, (Group("ground", about, tuple(ground)), *lines))


def _height(share: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * min(1.0, max(0.0, share))


def _line(evaluation: Evaluation, seat: int, last: int) -> Group:
    xs = [LEFT + (RIGHT - LEFT) * event / max(1, last) for event in evaluation.events]
    shares = [each[seat] for each in evaluation.shares]
    margins = [each[seat] for each in evaluation.margins]
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
    return tuple(("M" if number == 0 else "L", x, y) for number, (x, y) in enumerate(points))
