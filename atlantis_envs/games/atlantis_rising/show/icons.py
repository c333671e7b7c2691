"""What things of Atlantis Rising look like: colours, goods, pieces; icons around (0, 0), about 14 units wide."""

from __future__ import annotations

from math import cos, pi, sin

from atlantis_envs.drawing.pen import Icon, circle, path, placed, polygon, rect, words
from atlantis_envs.drawing.shapes import Shape
from atlantis_envs.drawing.theme import Roles

ROLES: Roles = {
    "shallow": ("#B5D8EA", "#1A4156"),
    "deeper": ("#A6CCE2", "#1F4A61"),
    "tile.edge": ("#5C6B60", "#0B161C"),
    "under": ("#B5D8EA", "#1D4A66"),
    "under.edge": ("#3F7FA3", "#5FA8CC"),
    "slot": ("#5C5A52", "#C9D3D8"),
    "hollow": ("#FFFFFF", "#F2F6F8"),
    "on.hollow": ("#14222B", "#14222B"),
    "l.mountains": ("#D9D3CB", "#57534D"),
    "l.hills": ("#F2DFA2", "#645321"),
    "l.forests": ("#CDE0B0", "#405427"),
    "l.cities": ("#F4CDB4", "#6B4330"),
    "l.libraries": ("#DDD2EE", "#4C4066"),
    "l.forges": ("#F2C2BC", "#6E3431"),
    "ore": ("#57524D", "#CFC9C2"),
    "gold": ("#A87900", "#F2C230"),
    "crystal": ("#0F6E9E", "#6FC3EE"),
    "atlantium": ("#A8321F", "#FF9079"),
    "energy": ("#6A2FB8", "#CDA4FF"),
    "cut": ("#FFFFFF", "#14222B"),
    "shield": ("#007A70", "#35B8AE"),
    "done": ("#00693B", "#5BDBA0"),
    "star": ("#C99700", "#E8B93A"),
    "chip": ("#FFF8E6", "#2C3B44"),
    "chip.edge": ("#A98644", "#9C8250"),
    "volunteer": ("#5B6B75", "#A9B8C0"),
}
GOODS: dict[str, Icon] = {
    "ore": (polygon([(-7, 5), (-6, -1), (-1, -6), (5, -4), (7, 2), (6, 5)], "ore"),),
    "gold": (
        polygon([(-7.5, 5), (-4, -4.5), (4, -4.5), (7.5, 5)], "gold"),
        path("M -3.5 -1 L 3.5 -1", None, "cut", 1.1),
    ),
    "crystal": (
        polygon([(0, -8), (4.5, -3), (4.5, 4), (0, 8), (-4.5, 4), (-4.5, -3)], "crystal"),
        path("M 0 -6 L 0 6", None, "cut", 1.1),
    ),
    "atlantium": (
        polygon(
            [
                ((7.6 if n % 2 else 5.9) * sin(pi * n / 8), -(7.6 if n % 2 else 5.9) * cos(pi * n / 8))
                for n in range(16)
            ],
            "atlantium",
        ),
        circle(0, 0, 2.3, "cut"),
    ),
    "energy": (polygon([(2, -8.5), (-5.5, 1.2), (-0.8, 1.2), (-2.2, 8.5), (5.5, -1.6), (0.8, -1.6)], "energy"),),
}
HOUSE = [(-8.0, 8.0), (-8.0, -1.5), (0.0, -9.5), (8.0, -1.5), (8.0, 8.0)]
HEXAGON = [(9.2 * cos(pi * n / 3), 9.2 * sin(pi * n / 3)) for n in range(6)]
DIAMOND = [(0.0, -9.8), (9.8, 0.0), (0.0, 9.8), (-9.8, 0.0)]
OUTLINES = {"leader": HOUSE, "hologram": HEXAGON, "volunteer": DIAMOND}
SHIELD: Icon = (
    path("M 0 -9 L 8 -6.5 L 8 0 C 8 5 4 8 0 9.5 C -4 8 -8 5 -8 0 L -8 -6.5 Z", "shield", "halo", 1.4),
    path("M -3.6 0 L -0.8 3 L 4 -3", None, "cut", 1.9),
)
GATE: Icon = (
    path("M -10 16 L -10 -4 C -10 -17 10 -17 10 -4 L 10 16", None, "ink", 2.2),
    path("M -5.5 16 L -5.5 -3 C -5.5 -10.5 5.5 -10.5 5.5 -3 L 5.5 16", None, "ink", 2.2),
)
TICK: Icon = (path("M -6 0 L -2 4.5 L 6.5 -5.5", None, "done", 2.6),)


def piece(kind: str, seat: int, x: float, y: float, done: bool = False, scale: float = 1.0) -> Icon:
    """Draw a piece with its seat's number, each kind with a shape of its own.

    One that has acted is hollow. Seat -1 is nobody: the shape alone.
    """
    if seat < 0:
        return placed((_body(kind, "hollow", "volunteer", 1.4),), x, y, scale)
    told = words(x, y + 3.9, str(seat), 10.5, "on.hollow" if done else f"on.seat{seat}", "middle", True)
    if not done:
        return (*placed((_body(kind, f"seat{seat}", "seat.edge", 1.2),), x, y, scale), told)
    rim = _body(kind, "hollow", "seat.edge", 4.2)  # a yellow edge alone would not be seen on white
    return (*placed((rim, _body(kind, "hollow", f"seat{seat}", 2.8)), x, y, scale), told)


def _body(kind: str, fill: str, edge: str, width: float) -> Shape:
    """Draw the shape of a kind of piece."""
    if kind in OUTLINES:
        return polygon(OUTLINES[kind], fill, edge, width)
    if kind == "automaton":
        return rect(-7.5, -7.5, 15, 15, fill, edge, 1.5, width)
    return circle(0, 0, 8.2, fill, edge, width)
