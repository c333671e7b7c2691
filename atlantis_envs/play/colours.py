"""Colour in a terminal: tiles, water and seats as in the pictures, what is asked and the numbers of moves in bold."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec

from atlantis_envs.drawing.look import Look
from atlantis_envs.drawing.theme import palette

SEAT = r"\bseat {seat}\b|@{seat}"
COMMON = {r"^\| ": "bold red", r"^Seat \d+, .*": "bold", r"(?:^ {0,2}|  )\d+(?=  [a-z])": "bold"}


def painted(look: Look, write: Callable[[str], None]) -> Callable[[str], None]:
    """Return what writes in colour where that can be seen: in a terminal without NO_COLOR; else ``write`` itself."""
    if (
        os.environ.get("NO_COLOR")
        or os.environ.get("TERM") == "dumb"
        or not sys.stdout.isatty()
        or not find_spec("rich")
    ):
        return write
    from rich.console import Console
    from rich.text import Text

    colours = palette(look.roles, "light")
    behind = {re.compile(pattern): _behind(colours, role) for pattern, role in look.board.tints.items()}
    seats = range(sum(role.startswith("seat") and role[4:].isdecimal() for role in colours))
    behind |= {re.compile(SEAT.format(seat=seat)): _behind(colours, f"seat{seat}") for seat in seats}
    behind |= {re.compile(pattern, re.MULTILINE): style for pattern, style in COMMON.items()}
    console = Console(highlight=False, markup=False, emoji=False)

    def paint(line: str) -> None:
        text = Text(line)
        for pattern, style in behind.items():
            text.highlight_regex(pattern, style)
        console.print(text, soft_wrap=True)

    return paint


def _behind(colours: dict[str, str], role: str) -> str:
    """Return black or white, whatever is read better, on the colour of a role."""
    red, green, blue = (int(colours[role][start : start + 2], 16) for start in (1, 3, 5))
    return f"{'#000000' if 299 * red + 587 * green + 114 * blue > 140_000 else '#FFFFFF'} on {colours[role]}"
