"""A drawing as a PNG file or an array of pixels, by resvg and Pillow (``pip install atlantis-envs[look]``).

A frame takes a tenth to half of a second: enough for pictures and short videos, not for learning from pixels.
"""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module, resources
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.drawing.letters import FAMILY, font_file
from atlantis_envs.errors import MissingPackageError


def _imported(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        message = f"pictures as PNG or arrays need {package}, which is not installed: pip install 'atlantis-envs[look]'"
        raise MissingPackageError(message) from None


def to_png(svg: str, width: int) -> bytes:
    """Draw a picture of given width, from markup with plain colours; the same bytes every time, wherever it is made.

    Raises:
        MissingPackageError: resvg-py is not installed.
    """
    renderer = _imported("resvg_py", "resvg-py")
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
    """Return the pixels of a PNG file, uint8 (height, width, 3).

    Raises:
        MissingPackageError: Pillow is not installed.
    """
    with _imported("PIL.Image", "Pillow").open(BytesIO(png)) as image:
        return np.array(image.convert("RGB"))
