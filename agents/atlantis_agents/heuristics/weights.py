"""The numbers behind a heuristic as data: named, explained, and made a record that kernels read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from atlantis_envs.engine.records import records


class Weight(NamedTuple):
    """One number of a heuristic."""

    name: str
    value: float
    about: str


def record_of(weights: Sequence[Weight]) -> np.dtype[Any]:
    """Return a record with a float64 for each of them, under its name."""
    return np.dtype([(weight.name, np.float64) for weight in weights])


def values_of(weights: Sequence[Weight], changes: Mapping[str, float] | None) -> dict[str, float]:
    """Return their values by name, some of them changed."""
    return {weight.name: weight.value for weight in weights} | dict(changes or {})


def filled(dtype: np.dtype[Any], values: Mapping[str, float]) -> Any:
    """Return an array of one record with these values, still to be written to."""
    made = records(1, dtype)
    for name, value in values.items():
        made[name] = value
    return made
