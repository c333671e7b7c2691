"""Legal actions that are functions of an address, and how the infos of vector environments are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from helpers.support import word

SEED = 5


def choose(mask: Any, *address: object) -> int:
    legal = np.flatnonzero(mask)
    return int(legal[word(*address) % len(legal)])


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
