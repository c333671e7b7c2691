"""The rows of a PNG as pixels: the five filters of its standard (PNG, third edition, section 9), undone."""

from __future__ import annotations

from typing import Any

from atlantis_envs.kernels.kernel import entry, kernel


@kernel
def paeth(left: int, above: int, corner: int) -> int:
    """The neighbour that is nearest to left + above - corner (9.4)."""
    guess = left + above - corner
    to_left, to_above, to_corner = abs(guess - left), abs(guess - above), abs(guess - corner)
    if to_left <= to_above and to_left <= to_corner:
        return left
    if to_above <= to_corner:
        return above
    return corner


@kernel
def prediction(kind: int, left: int, above: int, corner: int) -> int:
    """What was taken from a byte before it was stored, by the kind of filter of its row (9.2)."""
    if kind == 1:
        return left
    if kind == 2:
        return above
    if kind == 3:
        return (left + above) // 2
    if kind == 4:
        return paeth(left, above, corner)
    return 0


@entry
def unfilter(rows: Any, size: int, pixels: Any) -> None:
    """Write pixels.

    Args:
        rows: uint8 (height, 1 + width * size), the first byte of each row is its kind of filter.
        size: bytes of a pixel.
        pixels: uint8 (height, width * size), written.
    """
    for number in range(rows.shape[0]):
        kind = int(rows[number, 0])
        for place in range(pixels.shape[1]):
            left = int(pixels[number, place - size]) if place >= size else 0
            above = int(pixels[number - 1, place]) if number > 0 else 0
            corner = int(pixels[number - 1, place - size]) if number > 0 and place >= size else 0
            value = int(rows[number, place + 1]) + prediction(kind, left, above, corner)
            pixels[number, place] = value & 255
