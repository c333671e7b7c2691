"""Rules of thumb, one module per game, each with a ``HEURISTIC``.

A heuristic sees what a learner sees, an observation and a mask row, and is written as kernels. Its numbers are data:
a record of named weights, so that variants can be played against each other without compiling anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from atlantis_envs.engine.definition import Row
from atlantis_envs.kernels.kernel import kernel

LEAST = -np.inf  # the score of what is not legal
UNSEEN = -2  # what ``fast_decide`` answers where it needs an observation


@dataclass(frozen=True, eq=False)
class Heuristic:
    """The heuristic of one game.

    Attributes:
        decide: kernel ``(weights, scratch, observation, mask, noise) -> action id``, NO_ACTION if none is legal;
            ``noise`` breaks ties only.
        weights: array of one record.
        scratch_dtype: dtype of the records ``decide`` may write to as it likes.
        scratch_records: how many of them it gets.
        score_actions: kernel ``(weights, scratch, observation, mask, noise, out) -> the action that decide gives``;
            writes the score of every legal action into float64 ``out``, none above that of the choice, and LEAST for
            the others.
        value: kernel ``(weights, scratch, observation, out)``: into float64 ``out`` the win share that each seat may
            hope for, own seat first; None if the heuristic estimates none.
        deep: weights of a slower, stronger player; None if there is none.
        fast_decide: kernel ``(rules, state, scratch, mask, noise)``: what ``decide`` gives, where the mask and the node
            of the game tell it, or UNSEEN, so that rollouts need write no observation; None if there is no such short
            way.
        decide_rest: kernel ``(weights, scratch, observation, mask, noise)``: what ``decide`` gives, called after a
            ``fast_decide`` with the same scratch, mask and noise that answered UNSEEN; None without ``fast_decide``.
    """

    decide: Callable[..., Any]
    weights: Any
    scratch_dtype: np.dtype[Any]
    score_actions: Callable[..., Any]
    scratch_records: int = 1
    value: Callable[..., Any] | None = None
    deep: Any = None
    fast_decide: Callable[..., Any] | None = None
    decide_rest: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        """Refuse fields that mean something else where kernels run uncompiled.

        Raises:
            ValueError: naming them.
        """
        names = {*(self.scratch_dtype.names or ()), *(self.weights.dtype.names or ())}
        clash = sorted(names & (set(dir(np.recarray)) | set(dir(np.record))))
        if clash:
            raise ValueError(f"heuristic: field names {clash} are attributes of NumPy's records; rename them")


@kernel
def copy_scores(scores: Row, mask: Row, choice: int, out: Row) -> None:
    """Copy the scores of the legal actions, that of the choice raised to the highest; 0 where it is the only one."""
    best, legal = LEAST, 0
    for action in range(len(mask)):
        out[action] = LEAST
        if mask[action] != 0:
            legal += 1
            out[action] = scores[action]
            best = max(best, scores[action])
    if choice >= 0:
        out[choice] = best if legal > 1 else 0.0
