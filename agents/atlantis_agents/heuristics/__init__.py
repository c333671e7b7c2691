"""Rules of thumb, one module per game, each with a ``HEURISTIC``, and what they are made with.

A heuristic sees what a learner sees, an observation and a mask row, and is written as kernels. Its numbers are data:
a record of named weights, so that variants can be played against each other without compiling anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from atlantis_envs.engine.bits import ALL_BYTES, lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.records import records
from atlantis_envs.kernels.copying import eight
from atlantis_envs.kernels.kernel import kernel

WORD = 8  # bytes of a mask that are looked at together, since nearly all of them are 0
LEAST = -np.inf  # the score of what is not legal
UNSEEN = -2  # what ``fast_decide`` answers where it needs an observation


@dataclass(frozen=True, eq=False)
class Heuristic:
    """The heuristic of one game.

    Attributes:
        decide: kernel ``(weights, scratch, observation, mask, noise) -> action id``, NO_ACTION if none is legal;
            ``noise`` breaks ties only.
        weights: array of one record, or of one for every number of players, from 1 on.
        scratch_dtype: dtype of the records ``decide`` may write to as it likes.
        scratch_records: how many of them it gets.
        score_actions: kernel ``(weights, scratch, observation, mask, noise, out) -> the action that decide gives``;
            writes the score of every legal action into float64 ``out``, none above that of the choice, and LEAST for
            the others.
        value: kernel ``(weights, scratch, observation, out)``: into float64 ``out`` the win share that each seat may
            hope for, own seat first; None if the heuristic estimates none.
        rollout_weights: as ``weights``, what a search ranks actions by and plays rollouts with; None: ``weights``.
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
    rollout_weights: Any = None
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

    def weights_for(self, players: int) -> Any:
        """Return the record, as an array of one, that is played with so many players."""
        return self.weights if len(self.weights) == 1 else self.weights[players - 1 : players]

    def rollout_weights_for(self, players: int) -> Any:
        """Return the record, as an array of one, that a search plays rollouts with."""
        weights = self.weights if self.rollout_weights is None else self.rollout_weights
        return weights if len(weights) == 1 else weights[players - 1 : players]


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


class Weight(NamedTuple):
    """One number of a heuristic, or a row of them."""

    name: str
    value: float | tuple[float, ...]
    about: str


def record_of(weights: Sequence[Weight]) -> np.dtype[Any]:
    """Return a record with a float64, or a row of them, for each of them, under its name."""
    return np.dtype([(weight.name, np.float64, np.shape(weight.value)) for weight in weights])


def values_of(weights: Sequence[Weight], changes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return their values by name, some of them changed."""
    return {weight.name: weight.value for weight in weights} | dict(changes or {})


def filled(dtype: np.dtype[Any], values: Mapping[str, Any]) -> Any:
    """Return an array of one record with these values, still to be written to."""
    made = records(1, dtype)
    for name, value in values.items():
        made[name] = value
    return made


@kernel
def marks(word: int) -> int:
    """Return the lowest bit of every byte that is not 0."""
    if word == 0:
        return 0
    word |= word >> 4
    word |= word >> 2
    word |= word >> 1
    return word & ALL_BYTES


@kernel
def list_legal(scratch: Record, mask: Row, score: float) -> int:
    """Write the legal actions into ``legal`` in rising order and give each the same ``score``; how many there are."""
    return list_among(scratch, mask, score, 0, len(mask))


@kernel
def list_among(scratch: Record, mask: Row, score: float, start: int, end: int) -> int:
    """Return the same for the actions from ``start`` to before ``end`` alone."""
    legal = 0
    stop = end - (end - start) % WORD
    for before in range(start, stop, WORD):
        left = marks(eight(mask, before))
        while left != 0:
            action = before + (lowest(left) >> 3)
            scratch.legal[legal] = action
            scratch.score[action] = score
            legal += 1
            left &= left - 1
    for action in range(stop, end):
        if mask[action] != 0:
            scratch.legal[legal] = action
            scratch.score[action] = score
            legal += 1
    return legal


@kernel
def some(row: Row, start: int, stop: int) -> bool:
    """Return whether any of these bytes is not 0."""
    found = 0
    for place in range(start, stop):
        found |= int(row[place])
    return found != 0


@kernel
def which(observation: Row, start: int, size: int) -> int:
    """Return the place of the 1 in a one-hot piece; -1 if it is empty. Adding up guesses no branch wrongly."""
    found = 0
    for place in range(size):
        found += place + 1 if observation[start + place] != 0 else 0
    return found - 1
