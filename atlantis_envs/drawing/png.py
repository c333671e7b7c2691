"""A drawing as a PNG file or an array of pixels, by resvg (``pip install atlantis-envs[look]``).

A frame takes a tenth to half of a second: enough for pictures and short videos, not for learning from pixels.
"""

from __future__ import annotations

import struct
import zlib
from contextlib import ExitStack
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.drawing.letters import FAMILY, font_file
from atlantis_envs.drawing.pixels import unfilter
from atlantis_envs.errors import MissingPackageError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {2: 3, 6: 4}  # colour type of a PNG -> bytes of a pixel
SCALES = (0.25, 8.0)


def _renderer() -> Any:
    try:
        import resvg_py
    except ImportError:
        told = "pictures as PNG or arrays need resvg-py, which is not installed: pip install 'atlantis-envs[look]'"
        raise MissingPackageError(told) from None
    return resvg_py


def to_png(svg: str, width: int) -> bytes:
    """A picture of given width, from markup with plain colours; the same bytes every time, wherever it is made.

    Raises:
        MissingPackageError: resvg-py is not installed.
    """
    renderer = _renderer()
    with ExitStack() as files:
        fonts = [str(files.enter_context(resources.as_file(font_file(bold)))) for bold in (False, True)]
        # Without the fonts of the package a text would be missing, or look different on every machine.
        return bytes(
            renderer.svg_to_bytes(
                svg_string=svg, width=width, skip_system_fonts=True, font_files=fonts, font_family=FAMILY,
                sans_serif_family=FAMILY,
            )
        )  # fmt: skip


def to_array(png: bytes) -> NDArray[np.uint8]:
    """The pixels of a PNG that ``to_png`` made, uint8 (height, width, 3)."""
    width, height, depth, kind = struct.unpack_from(">IIBB", png, 16)
    assert png.startswith(SIGNATURE) and depth == 8 and kind in CHANNELS
    size = CHANNELS[kind]
    rows = np.frombuffer(zlib.decompress(_data(png)), np.uint8).reshape(height, 1 + width * size)
    pixels = np.zeros((height, width * size), np.uint8)
    unfilter(rows, size, pixels)
    return np.ascontiguousarray(pixels.reshape(height, width, size)[:, :, :3])


def _data(png: bytes) -> bytes:
    """The compressed rows: all IDAT chunks after each other."""
    found, place = [], len(SIGNATURE)
    while place < len(png):
        length, kind = struct.unpack_from(">I4s", png, place)
        if kind == b"IDAT":
            found.append(png[place + 8 : place + 8 + length])
        place += 12 + length
    return b"".join(found)
