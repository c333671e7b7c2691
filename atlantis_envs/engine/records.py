"""Arrays of records with attribute access, compiled or not."""

from __future__ import annotations

from typing import Any

import numpy as np


def records(count: int, dtype: np.dtype[Any]) -> Any:
    """``count`` zeroed records as a recarray (padding bytes included, so equal positions have equal bytes)."""
    return np.zeros(count, dtype).view(np.recarray)


def as_records(array: Any) -> Any:
    """The same memory as a recarray."""
    return array.view(np.recarray)
