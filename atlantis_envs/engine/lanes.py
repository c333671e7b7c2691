"""The arrays of many games side by side, as the compiled loops take them, and the seeds of these games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.base.arguments import checked_seed, integer_array
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.records import as_records, with_records

MAX_GAME = 2**62
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
        scratch: work memory of one thread.
    """

    def __init__(self, definition: Definition, players: int, count: int) -> None:
        """Allocate zeroed arrays."""
        features, actions = definition.observation.size, len(definition.actions.texts)
        states, final_states = np.zeros((2, count), with_records(definition.state_dtype))
        self.states, self.final_states = as_records(states), as_records(final_states)
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
        self.final_observations = np.zeros((count, features), np.uint8)
        self.final_scores = np.zeros((count, players), np.int64)
        self.of_games = (states, self.counters, self.turns)
        shown_turns = (self.shown_games, self.shown_plies, self.shown_seats)
        self.of_views = (self.turns, self.masks, *shown_turns, self.observations, self.shown_masks)
        ends = (final_states, self.final_observations, self.final_scores)
        self.of_steps = (*self.of_games, *self.of_views[1:], self.rewards, self.over, self.truncated, *ends)
        seats = np.zeros(definition.max_players, np.float64)
        self.scratch = Scratch(np.zeros(len(definition.outcomes.texts), np.int64), seats, seats.astype(np.int64))

    def show(self) -> None:
        """Bring what is shown of turns and masks up to date, where no loop has done it."""
        self.shown_games[:], self.shown_plies[:], self.shown_seats[:] = self.turns
        self.shown_masks[:] = self.masks

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays that make up the games and the last step, by name, records as bytes."""
        arrays = {name: getattr(self, name) for name in SAVED}
        copies = {name: array.view(np.uint8) if array.dtype.names else array for name, array in arrays.items()}
        return {name: np.array(array) for name, array in copies.items()} | {"seats": self.seats.astype(np.int8)}


@dataclass(eq=False)
class Seeds:
    """Which games the lanes play: those of one seed, dealt out in turn, or each lane those of its own seed.

    Attributes:
        keys: uint64 (N,), the seed of each lane's chance.
        stride: by how much a lane's game index grows: N with one seed for all, so that no two lanes play the same
            game; 1 with a seed for every lane.
    """

    keys: NDArray[np.uint64]
    stride: int

    def set(self, seed: Any, games: Any = None) -> NDArray[np.int64]:
        """Take one seed for all lanes, or a sequence with one for every lane; None leaves them.

        Returns:
            The numbers of the first games, int64 (N,): ``games``, or if that is None 0..N-1, or 0 of every lane's seed.

        Raises:
            ValueError: not 0..2**64-1, or the wrong number of them; not N games 0..2**62; nothing has changed.
        """
        count = len(self.keys)
        first = np.arange(count) if games is None else integer_array(games)
        if first is None or first.shape != (count,) or first.min() < 0 or first.max() > MAX_GAME:
            raise ValueError(f"games: {repr_short(games)}; allowed: {count} integers 0..2**62")
        if np.ndim(seed) > 0:
            self.keys[:], self.stride = checked_seeds(seed, count), 1
        elif seed is not None:
            self.keys[:], self.stride = checked_seed(seed), count
        return first * (self.stride == count) if games is None else first

    def next_games(self, games: NDArray[np.int64], lanes: NDArray[np.int64], seeds: Any) -> NDArray[np.int64]:
        """Return what these lanes play after ``games``, int64: the next, or game 0 of ``seeds``, which they now have.

        Raises:
            ValueError: seeds of the wrong number or range, or while one seed holds for all; nothing has changed.
        """
        if seeds is None:
            return games + self.stride
        keys = checked_seeds(seeds, len(lanes))
        if self.stride != 1:
            raise ValueError(f"seeds: {repr_short(seeds)}; allowed: after a reset with a seed for every lane")
        self.keys[lanes] = keys
        return np.zeros_like(games)

    def plain(self) -> int | NDArray[np.uint64]:
        """Return what ``set`` takes to come to the same."""
        return int(self.keys[0]) if self.stride == len(self.keys) else self.keys.copy()


def checked_seeds(seeds: Any, count: int) -> NDArray[np.uint64]:
    """Return seeds of their own for ``count`` lanes, uint64 (count,).

    Raises:
        ValueError: not ``count`` integers 0..2**64-1.
    """
    if np.shape(seeds) != (count,):
        raise ValueError(f"seed: {repr_short(seeds)}; allowed: one seed, or {count}, one per lane")
    return np.array([checked_seed(seed) for seed in seeds], np.uint64)


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
