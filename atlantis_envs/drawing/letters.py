"""How wide a text is: the widths of the letters, read from the fonts that pictures are drawn with."""

from __future__ import annotations

import struct
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable

FAMILY = "DejaVu Sans"
FILES = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
UNKNOWN = 1.0  # width of a letter the font lacks, in sizes; a browser takes it from elsewhere
ASCENT, DESCENT = 0.76, 0.24  # of capitals and of g, in sizes
ELLIPSIS = "…"


def font_file(bold: bool) -> Traversable:
    """The file of a face."""
    return resources.files(__package__).joinpath("fonts", FILES[bold])


@cache
def _widths(bold: bool) -> dict[int, float]:
    """Code point -> width in sizes, out of the tables cmap (format 4) and hmtx of the font."""
    raw = font_file(bold).read_bytes()
    count = struct.unpack_from(">H", raw, 4)[0]
    tables = {}
    for number in range(count):
        tag, _, start, _ = struct.unpack_from(">4sIII", raw, 12 + 16 * number)
        tables[tag] = start
    per_size = struct.unpack_from(">H", raw, tables[b"head"] + 18)[0]
    metrics = struct.unpack_from(">H", raw, tables[b"hhea"] + 34)[0]
    advance = [struct.unpack_from(">H", raw, tables[b"hmtx"] + 4 * number)[0] for number in range(metrics)]
    glyphs = _glyphs(raw, tables[b"cmap"])
    return {code: advance[min(glyph, metrics - 1)] / per_size for code, glyph in glyphs.items()}


def _glyphs(raw: bytes, start: int) -> dict[int, int]:
    """Code point -> number of its glyph."""
    found: dict[int, int] = {}
    for number in range(struct.unpack_from(">H", raw, start + 2)[0]):
        at = start + struct.unpack_from(">I", raw, start + 8 + 8 * number)[0]
        if struct.unpack_from(">H", raw, at)[0] != 4:
            continue
        twice = struct.unpack_from(">H", raw, at + 6)[0]
        columns = [at + 14, at + 16 + twice, at + 16 + 2 * twice, at + 16 + 3 * twice]
        for place in range(0, twice, 2):
            last, first, delta, offset = (struct.unpack_from(">H", raw, column + place)[0] for column in columns)
            for code in range(first, min(last, 0xFFFE) + 1):
                glyph = code
                if offset:
                    glyph = struct.unpack_from(">H", raw, columns[3] + place + offset + 2 * (code - first))[0]
                found[code] = (glyph + delta) & 0xFFFF
    return found


@lru_cache(maxsize=20_000)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is, in units."""
    widths = _widths(bold)
    return size * sum(widths.get(ord(letter), UNKNOWN) for letter in text)


def fitted(text: str, room: float, size: float, bold: bool = False) -> str:
    """The text, or as much of it as there is room for, with an ellipsis."""
    if text_width(text, size, bold) <= room:
        return text
    while text and text_width(text + ELLIPSIS, size, bold) > room:
        text = text[:-1].rstrip()
    return text + ELLIPSIS


def broken(text: str, room: float, size: float, most: int, bold: bool = False) -> list[str]:
    """The text in lines that fit, ``most`` at most; what is left over is cut with an ellipsis."""
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
