"""How wide a text is, by the widths of the letters in the fonts that pictures are drawn with.

``python tests/font_widths.py`` writes ``fonts/widths.json`` out of the fonts.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

FAMILY = "DejaVu Sans"
FILES = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
UNKNOWN = 1.0  # width of a letter the font lacks, in sizes; a browser takes it from elsewhere
ELLIPSIS = "…"


def font_file(bold: bool) -> Traversable:
    """Return the font file of a face."""
    return resources.files(__package__).joinpath("fonts", FILES[bold])


@cache
def _widths(bold: bool) -> dict[int, float]:
    """Return the width of every letter of a font by its code point, in sizes."""
    table = json.loads(resources.files(__package__).joinpath("fonts", "widths.json").read_text("utf-8"))[FILES[bold]]
    return {int(code): width / table["units_per_em"] for code, width in table["widths"].items()}


@lru_cache(maxsize=20_000)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Return how wide a text is, in units."""
    widths = _widths(bold)
    return size * sum(widths.get(ord(letter), UNKNOWN) for letter in text)


def fitted(text: str, room: float, size: float, bold: bool = False) -> str:
    """Return the text, or as much of it as there is room for, with an ellipsis."""
    if text_width(text, size, bold) <= room:
        return text
    while text and text_width(text + ELLIPSIS, size, bold) > room:
        text = text[:-1].rstrip()
    return text + ELLIPSIS


def broken(text: str, room: float, size: float, most: int, bold: bool = False) -> list[str]:
    """Break the text into lines that fit, ``most`` at most; what is left over is cut with an ellipsis."""
    lines: list[str] = []
    rest = text.split()
    while rest and len(lines) < most:
        count = 1
        while count < len(rest) and text_width(" ".join(rest[: count + 1]), size, bold) <= room:
            count += 1
        if len(lines) == most - 1:
            count = len(rest)
        lines.append(fitted(" ".join(rest[:count]), room, size, bold))
        rest = rest[count:]
    return lines
