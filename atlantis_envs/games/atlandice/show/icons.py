"""What things of Atlandice look like: colours and icons around (0, 0), about 16 units wide."""

from __future__ import annotations

from functools import cache

from atlantis_envs.drawing.pen import Icon, circle, path, polygon, rect, wave, words
from atlantis_envs.drawing.theme import Roles

ROLES: Roles = {
    "land": ("#F7EEDC", "#3B342B"),
    "land.edge": ("#A98644", "#9C8250"),
    "note": ("#FFFDF6", "#22323B"),
    "note.edge": ("#C9B588", "#4A5A62"),
    "clock.ahead": ("#FBF2DF", "#4A3F2E"),
    "clock.edge": ("#A98644", "#9C8250"),
    "cut": ("#FFFFFF", "#14222B"),  # lines inside an icon
    "neutral": ("#8A97A0", "#8A97A0"),
    "gem": ("#0F7FA8", "#4FB7E8"),
    "book": ("#7A3B12", "#FF7433"),
    "provision": ("#9A7010", "#F4D33C"),
    "tool": ("#2C3A55", "#C9DDE6"),
    "weapon": ("#9B1B30", "#F58598"),
}

HEXAGON = [(-8.0, 0.0), (-4.0, -6.9), (4.0, -6.9), (8.0, 0.0), (4.0, 6.9), (-4.0, 6.9)]
TYPE_ICONS: dict[str, Icon] = {
    "gem": (
        polygon([(-8, -2.5), (-4.5, -7), (4.5, -7), (8, -2.5), (0, 8)], "gem"),
        path("M -8 -2.5 L 8 -2.5 M -3.5 -2.5 L 0 7 L 3.5 -2.5 M -3.5 -2.5 L 0 -7 L 3.5 -2.5", None, "cut", 0.9),
    ),
    "book": (
        rect(-6, -7.5, 12.5, 15, "book", None, 1.5),
        path("M -3.2 -7.5 L -3.2 7.5 M -0.6 -3.8 L 4 -3.8", None, "cut", 1.2),
    ),
    "provision": (
        path("M -8.5 5 C -9.5 -3 -5 -6.5 0 -6.5 C 5 -6.5 9.5 -3 8.5 5 Z", "provision"),
        path("M -4.5 -3.5 L -3 2 M -0.5 -4.5 L 1 1 M 3.5 -4 L 5 1.5", None, "cut", 1.2),
    ),
    "tool": (polygon(HEXAGON, "tool"), circle(0, 0, 3.1, "cut")),
    "weapon": (
        path("M 0 -8 L 7 -6 L 7 -0.5 C 7 4 3.5 6.8 0 8.2 C -3.5 6.8 -7 4 -7 -0.5 L -7 -6 Z", "weapon"),
        path("M 0 -4.5 L 0 4.5 M -3.6 -1.4 L 3.6 -1.4", None, "cut", 1.4),
    ),
}
NEEDLE: Icon = (
    path("M 0 -7.5 C 3.2 -1 3.6 1.8 1.5 3.6 L 1.1 7.5 L -1.1 7.5 L -1.5 3.6 C -3.6 1.8 -3.2 -1 0 -7.5 Z", "ink"),
)
SUBMARINE: Icon = (
    path("M -12 1 C -12 -4.5 -6 -6 1 -6 C 10 -6 16 -3 16 1 C 16 5 10 8 1 8 C -6 8 -12 6 -12 1 Z", "ink"),
    polygon([(-13, 1), (-17, -4), (-17, 6)], "ink"),
    path("M -3 -6 L -2 -10.5 L 5 -10.5 L 6 -6 Z M 2 -10.5 L 2 -14 L 7 -14", "ink", "ink", 1.5),
    *(circle(x, 1, 2.0, "land") for x in (-4.0, 2.5, 9.0)),
)  # fmt: skip
TURN = "M -5 0 L 4 0 M 0.5 -3.6 L 4.4 0 L 0.5 3.6"


@cache
def space_icon(space: str) -> Icon:
    """Return the mark of a clock space."""
    if space in TYPE_ICONS:
        return TYPE_ICONS[space]
    if space == "total":
        return (words(0, 6, "Σ", 17, "ink", "middle", True),)
    if space == "donation":
        return (circle(0, 0, 10, "note", "ink", 1.2), words(0, 4.2, "+1", 11.6, "ink", "middle", True))
    if space == "start":
        return (path(TURN, None, "ink", 1.8),)
    if space == "end":
        return wave(0, 0, 0.85, "ink")
    return (circle(0, 0, 1.8, "ink"),)
