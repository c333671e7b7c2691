"""Single Gymnasium environments that play the games of one lane each, and how their infos are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from atlantis_envs.adapters.gymnasium_env import SeatEnv
from helpers.support import word

SEED = 5


def choose(mask: Any, *address: object) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[word(*address) % len(legal)])


class LaneEnv(SeatEnv):
    """Lane ``lane`` of ``count``: after game g comes game g + count."""

    def __init__(self, lane: int, count: int, **settings: Any) -> None:
        super().__init__(**settings)
        self.lane, self.count = lane, count

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        """Skip the games of the other lanes."""
        told = super().reset(seed=SEED if seed is not None else None)
        for _ in range(self.lane if seed is not None else self.count - 1):
            told = super().reset()
        return told


def same_infos(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Equal where they are said to hold."""
    assert mine.keys() == theirs.keys(), (mine.keys(), theirs.keys())
    for key, value in mine.items():
        if key.startswith("_"):
            assert (value == theirs[key]).all(), key
        elif isinstance(value, dict):
            assert same_infos(value, theirs[key])
        else:
            valid = mine[f"_{key}"]
            assert value.shape == theirs[key].shape and value.dtype == theirs[key].dtype, key
            assert all(np.array_equal(value[lane], theirs[key][lane]) for lane in np.flatnonzero(valid)), key
    return True
