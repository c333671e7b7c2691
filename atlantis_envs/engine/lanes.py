"""The arrays of many games side by side, as the compiled loops take them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.base.arguments import integer_array
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.records import plain, read_only, records

GAME, PLY, SEAT = 0, 1, 2  # rows of ``Lanes.turns``
SAVED = (
    "states", "counters", "games", "plies", "seats", "observations", "masks", "rewards", "over", "truncated",
    "final_states", "final_observations", "final_scores",
)  # fmt: skip


class Scratch(NamedTuple):
    """Work memory of one thread."""

    weights: NDArray[np.int64]
    pay: NDArray[np.float64]
    points: NDArray[np.int64]


class Lanes:
    """The arrays of ``count`` lanes.

    What a step believes is private: ``states``, ``counters``, ``turns`` and ``masks``. Callers are shown copies of the
    last two, which the loops write beside them, so whoever writes into what was handed out fools nobody else. States
    alone are shared: copying them would cost more than a step.

    Attributes:
        turns: int64 (3, N): the game each lane plays, the plies played in it, the seat to decide; ``games``, ``plies``
            and ``seats`` are its rows.
        masks: int8 (N, A), what that seat may do.
        of_games: what makes up the games themselves.
        of_views: what the seat to decide is shown.
        of_steps: everything a step reads and writes, in the order of the step loop.
    """

    def __init__(self, definition: Definition, players: int, count: int) -> None:
        """Allocate zeroed arrays."""
        self.definition = definition
        features, actions = definition.observation.size, len(definition.actions.texts)
        self.states = records(count, definition.state_dtype)
        self.counters = np.zeros((count, len(definition.streams)), np.uint32)
        self.turns = np.zeros((3, count), np.int64)
        self.games, self.plies, self.seats = self.turns
        self.masks = np.zeros((count, actions), np.int8)
        self.shown_games = np.zeros(count, np.int64)
        self.shown_plies = np.zeros(count, np.int64)
        self.shown_seats = np.zeros(count, np.int8)
        self.shown_masks = np.zeros((count, actions), np.int8)
        self.observations = np.zeros((count, features), np.uint8)
        self.rewards = np.zeros((count, players), np.float32)
        self.over = np.zeros(count, np.bool_)
        self.truncated = np.zeros(count, np.bool_)
        self.final_states = records(count, definition.state_dtype)
        self.final_observations = np.zeros((count, features), np.uint8)
        self.final_scores = np.zeros((count, players), np.int64)
        self.of_games = (plain(self.states), self.counters, self.turns)
        shown_turns = (self.shown_games, self.shown_plies, self.shown_seats)
        self.of_views = (self.turns, self.masks, *shown_turns, self.observations, self.shown_masks)
        ends = (plain(self.final_states), self.final_observations, self.final_scores)
        self.of_steps = (*self.of_games, *self.of_views[1:], self.rewards, self.over, self.truncated, *ends)

    def clear_results(self) -> None:
        """Forget what the last step paid and ended."""
        self.over.fill(False)
        self.rewards.fill(0)

    def views(self) -> dict[str, NDArray[Any]]:
        """Return read-only views of what a batch shows, by its attributes' names."""
        arrays = {name: getattr(self, name) for name in SAVED if name not in ("counters", "masks")}
        arrays |= {"games": self.shown_games, "plies": self.shown_plies, "seats": self.shown_seats}
        return {name: read_only(array) for name, array in (arrays | {"action_masks": self.shown_masks}).items()}

    def show(self) -> None:
        """Bring what is shown of turns and masks up to date, where no loop has done it."""
        self.shown_games[:], self.shown_plies[:], self.shown_seats[:] = self.turns
        self.shown_masks[:] = self.masks

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays that make up the games and the last step, by name, records as bytes."""
        arrays = {name: getattr(self, name) for name in SAVED}
        copies = {name: array.view(np.uint8) if array.dtype.names else array for name, array in arrays.items()}
        return {name: np.array(array) for name, array in copies.items()} | {"seats": self.seats.astype(np.int8)}

    def scratch(self) -> Scratch:
        """Return work memory for one thread."""
        return Scratch(
            np.zeros(len(self.definition.outcomes), np.int64),
            np.zeros(self.definition.max_players, np.float64),
            np.zeros(self.definition.max_players, np.int64),
        )


def lane_indices(lanes: ArrayLike, count: int) -> NDArray[np.int64]:
    """Return lane numbers, int64.

    Raises:
        ValueError: not distinct integers 0..count-1.
    """
    numbers = integer_array(lanes)
    allowed = f"allowed: distinct integers 0..{count - 1}"
    if numbers is None or numbers.ndim != 1:
        raise ValueError(f"lanes: {repr_short(lanes)}; {allowed}")
    if numbers.size and numbers[0] >= 0 and numbers[-1] < count and (numbers[1:] > numbers[:-1]).all():
        return numbers  # rising, as lanes mostly are: no more to look at
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        raise ValueError(f"lanes: {repr_short(lanes)}; {allowed}")
    if np.bincount(numbers, minlength=1).max() > 1:
        raise ValueError(f"lanes: {repr_short(lanes)} names a lane twice; {allowed}")
    return numbers
