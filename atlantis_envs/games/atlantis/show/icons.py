"""What things of Atlantis look like: colours and icons around (0, 0), about 18 units wide."""

from __future__ import annotations

from atlantis_envs.drawing.pen import Icon, circle, line, path, placed, polygon, rect, words
from atlantis_envs.drawing.theme import Roles

ROLES: Roles = {
    "way": ("#A6CCE2", "#1F4E66"),
    "chevron": ("#5F9CBF", "#6FA9C8"),
    "tile.edge": ("#46545C", "#0B161C"),
    "tile.under": ("#DCE4E8", "#4B5A63"),
    "shore": ("#F7EEDC", "#4A4030"),
    "shore.edge": ("#A98644", "#B79A5E"),
    "plank": ("#8A5A2B", "#A87741"),
    "plank.edge": ("#4A2E12", "#3A240E"),
    "coin": ("#FFF6D6", "#F6E3A1"),
    "coin.edge": ("#7A5A00", "#4A3600"),
    "on.coin": ("#14222B", "#14222B"),
    "card.back": ("#2B4A5C", "#3F6579"),
    "card.back.mark": ("#CDE5F1", "#CDE5F1"),
    "pill": ("#F7EEDC", "#3B342B"),
    "pill.edge": ("#A98644", "#9C8250"),
    "t.ring": ("#BFD8F5", "#27466B"),
    "t.amphora": ("#E3BE97", "#6B4526"),
    "t.olive": ("#BCD98A", "#44591F"),
    "t.helmet": ("#C5CACF", "#4B545C"),
    "t.flag": ("#F5BBD6", "#6E2C4C"),
    "t.statue": ("#FFFFFF", "#1E2A31"),
    "t.crown": ("#F6DF7E", "#5C4C12"),
    "o.ring": ("#0B4EA2", "#9CC7FF"),
    "o.amphora": ("#6B3510", "#F2B98A"),
    "o.olive": ("#3B5A0E", "#C9EC8C"),
    "o.helmet": ("#3A444C", "#E3EAEF"),
    "o.flag": ("#93004F", "#FFA8D2"),
    "o.statue": ("#2A3136", "#FFFFFF"),
    "o.crown": ("#6A5200", "#FFE27A"),
}
ICONS: dict[str, Icon] = {
    "ring": (
        circle(0, 2.5, 6.2, None, "o.ring", 2.8),
        polygon([(-3.6, -8.5), (3.6, -8.5), (5, -6), (0, -2), (-5, -6)], "o.ring"),
    ),
    "amphora": (
        path(
            "M -3.2 -8.5 L 3.2 -8.5 L 2.4 -4.5 C 7.5 -2 6.5 4.5 2.4 8.5 L -2.4 8.5 C -6.5 4.5 -7.5 -2 -2.4 -4.5 Z",
            "o.amphora",
        ),
        path("M -3 -7 C -8 -7 -8.5 -2 -5 -1 M 3 -7 C 8 -7 8.5 -2 5 -1", None, "o.amphora", 1.6),
    ),
    "olive": (
        path("M -6.5 8.5 C -3 2 2 -3 7 -8.5", None, "o.olive", 1.6),
        path("M -1.5 0.5 C -7.5 1 -8.5 -3.5 -8 -6 C -4 -6 -1.5 -4 -1.5 0.5 Z", "o.olive"),
        path("M 3 -4.5 C -1 -5.5 -1.5 -8 -0.5 -9.5 C 2.5 -9.5 4 -7.5 3 -4.5 Z", "o.olive"),
        path("M -1.8 2.5 C 4.5 4.5 7.5 1 8 -1.2 C 4.5 -2.6 0.5 -1.2 -1.8 2.5 Z", "o.olive"),
        circle(1.5, 6.5, 2.3, "o.olive"),
    ),
    "helmet": (
        path(
            "M -7 8 L -7 -1 C -7 -9.5 7 -9.5 7 -1 L 7 8 L 3 8 L 3 2 L 1 2 L 1 -1.5 L -1 -1.5 L -1 2 L -3 2 L -3 8 Z",
            "o.helmet",
        ),
        path("M -8.5 -4 C -6 -12 6 -12 8.5 -4", None, "o.helmet", 2.0),
    ),
    "flag": (
        path("M -6 -9 L -6 9", None, "o.flag", 2.0),
        path("M -5 -8 C -1 -10.5 2 -5.5 8 -8 L 8 1 C 2 3.5 -1 -1.5 -5 1 Z", "o.flag"),
    ),
    "statue": (
        circle(0, -5.5, 3.3, "o.statue"),
        path("M -5 4 C -5.5 -2.5 5.5 -2.5 5 4 Z", "o.statue"),
        rect(-7, 5.2, 14, 3.6, "o.statue"),
    ),
    "crown": (polygon([(-8.5, -6), (-4, -0.5), (0, -8), (4, -0.5), (8.5, -6), (7, 7), (-7, 7)], "o.crown"),),
}
PAWN = "M -8.5 12 C -8.5 4 -4.5 2.5 -5 -1 C -9 -4.5 -6 -12 0 -12 C 6 -12 9 -4.5 5 -1 C 4.5 2.5 8.5 4 8.5 12 Z"
CHEVRON = "M -3 -4.5 L 2 0 L -3 4.5"


def pawn(seat: int, x: float, y: float, ghost: bool = False) -> Icon:
    """Return a pawn with its seat's number, 17 wide and 24 high; a ghost shows where it is on its way."""
    shape = path(PAWN, f"seat{seat}", "ink" if ghost else "seat.edge", 1.4 if ghost else 1.0, dash=ghost, faded=ghost)
    role = "ink" if ghost else f"on.seat{seat}"
    return *placed((shape,), x, y), words(x, y + 9.5, str(seat), 10.5, role, "middle", True)


def bridge(x: float, y: float, width: float, height: float) -> Icon:
    """Return planks over the water, with their top left corner at a place."""
    count = max(4, round(width / 8))
    step = width / count
    cuts = [line(x + step * n, y, x + step * n, y + height, "plank.edge", 1.0) for n in range(1, count)]
    return rect(x, y, width, height, "plank", "plank.edge", 2, 1.2), *cuts


CASTLE: Icon = (
    path(
        "M -32 27 L -32 -2 L -24 -2 L -24 -26 L -17 -26 L -17 -20 L -10 -20 L -10 -26 L -3 -26 L -3 -20 "
        "L 3 -20 L 3 -26 L 10 -26 L 10 -20 L 17 -20 L 17 -26 L 24 -26 L 24 -2 L 32 -2 L 32 27 Z",
        "shore", "shore.edge", 1.5,
    ),
)  # fmt: skip
SHORE: Icon = (path("M -32 27 C -32 -12 -18 -27 2 -27 C 22 -27 32 -8 32 27 Z", "shore", "shore.edge", 1.5),)
