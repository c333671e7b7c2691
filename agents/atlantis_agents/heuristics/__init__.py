"""Rules of thumb, one module per game, each with a ``HEURISTIC``.

A heuristic sees what a learner sees, an observation and a mask row, and is written as kernels. Its numbers are data:
a record of named weights, so that variants can be played against each other without compiling anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Heuristic:
    """The heuristic of one game.

    Attributes:
        decide: kernel ``(weights, work, observation, mask, noise) -> action id``, NO_ACTION if none is legal;
            ``noise`` breaks ties only.
        weights: array of one record.
        work_dtype: dtype of the records ``decide`` may write to as it likes.
        work_records: how many of them it gets.
        deep: weights of a slower, stronger player; None if there is none.
    """

    decide: Callable[..., Any]
    weights: Any
    work_dtype: np.dtype[Any]
    work_records: int = 1
    deep: Any = None
