"""What ``render`` of the environments shows: the whole position, hidden parts included, or what one seat may know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from atlantis_envs.base.arguments import choice, is_integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
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


def checked_mode(mode: Any, modes: tuple[str, ...], name: str) -> str | None:
    """Return the render mode, if an environment of the game ``name`` has it.

    Raises:
        OptionError: it has not. Where "human" is none, the answer names what shows a game in a window.
    """
    try:
        allowed: str | None = choice("render_mode", mode, (None, *modes))
    except OptionError as fault:
        if mode != "human":
            raise
        raise OptionError(f"{fault}. To watch or to play in a window: atlantis play {name} --browser") from None
    return allowed


def checked_render_seat(seat: Any, players: int) -> int | None:
    """Return the seat whose knowledge is shown; None: everything.

    Raises:
        OptionError: no such seat.
    """
    if seat is None:
        return None
    if not is_integer(seat) or not 0 <= seat < players:
        raise OptionError(f"render_seat: {repr_short(seat)}; allowed: None, or a seat 0..{players - 1}")
    return int(seat)


def rendered(position: Position, mode: str, seat: int | None = None) -> Any:
    """Return a position as text ("ansi"), or as an array of pixels ("rgb_array"), uint8 (height, width, 3).

    "human" prints the text and gives None.

    Args:
        position: what is shown.
        mode: "human", "ansi" or "rgb_array".
        seat: whose knowledge is shown; None: everything.

    Raises:
        MissingPackageError: an array is asked for, and resvg-py is not installed.
    """
    look = position.game.definition.look()
    if mode == "ansi":
        return look.text(position, seat)
    if mode == HUMAN:
        print(look.text(position, seat), flush=True)
        return None
    return look.pixels(position, seat)
