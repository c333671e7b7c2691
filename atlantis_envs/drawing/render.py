"""What ``render`` of the environments shows: the whole position, hidden parts included."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from atlantis_envs.drawing.board import board_text
from atlantis_envs.engine.position import Position

HUMAN = "human"
FRAME_MODES = ("ansi", "rgb_array")  # those that give something to keep
RENDER_MODES = (HUMAN, *FRAME_MODES)
FRAMES_PER_SECOND = 2
Frame = str | NDArray[np.uint8]


def warn_no_mode() -> None:
    """Say why nothing is shown."""
    modes = " or ".join(f"render_mode={mode!r}" for mode in FRAME_MODES)
    logger.warn(f"render() without a render_mode: make the environment with {modes}.")


def rendered(position: Position, mode: str) -> Any:
    """A position as text ("ansi"), or as an array of pixels ("rgb_array"), uint8 (height, width, 3).

    "human" prints the text and gives None.

    Raises:
        MissingPackageError: an array is asked for, and resvg-py is not installed.
    """
    if mode == "ansi":
        return board_text(position)
    if mode == HUMAN:
        print(board_text(position), flush=True)
        return None
    from atlantis_envs.drawing.pictures import pixels  # nothing of it is loaded unless somebody wants a picture

    return pixels(position)
