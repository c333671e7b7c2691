"""How observations are handed to learners: as bytes, or as a flat vector of float32 in 0..1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game


def observation_space(game: Game, flat: bool = False, views: int = 1) -> Box[Any]:
    """Return the space of the observations of ``views`` seats in a row: bytes, or with ``flat`` float32 in 0..1."""
    if flat:
        return Box(0.0, 1.0, (game.observation_size * views,), np.float32)
    high = np.tile(game.observation_high, views)
    return Box(np.zeros_like(high), high, dtype=np.uint8)


def unit_scale(game: Game) -> NDArray[np.float32]:
    """Return float32 (F,): what bytes are multiplied with to lie in 0..1; one divided by their largest values."""
    return np.float32(1) / game.observation_high.astype(np.float32)


def scale_of(game: Game, flat: Any) -> NDArray[np.float32] | None:
    """Return ``unit_scale`` if observations are to be flat, else None.

    Raises:
        OptionError: ``flat`` is not a bool.
    """
    if not isinstance(flat, bool):
        raise OptionError(f"flat: {repr_short(flat)}; allowed: True, False")
    return unit_scale(game) if flat else None


def handed_out(observations: NDArray[np.uint8], scale: NDArray[np.float32] | None) -> NDArray[Any]:
    """Return the bytes themselves, or scaled: float32 of the same shape, a new array."""
    return observations if scale is None else observations * scale
