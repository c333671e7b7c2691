"""Which games the lanes of a batch play: those of one seed, dealt out in turn, or each lane those of its own seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import checked_seed, integer_array
from atlantis_envs.base.values import repr_short

MAX_GAME = 2**62


class Seeds:
    """The seeds of ``count`` lanes.

    Attributes:
        keys: uint64 (N,), the seed of each lane's chance.
        stride: by how much a lane's game index grows: N with one seed for all, so that no two lanes play the same
            game; 1 with a seed for every lane.
    """

    def __init__(self, count: int) -> None:
        """Start with seed 0 for all."""
        self.keys = np.zeros(count, np.uint64)
        self.stride = count

    @property
    def first(self) -> int:
        """Return the seed of lane 0: that of all lanes, if they have one in common."""
        return int(self.keys[0])

    def set(self, seed: Any, games: Any = None) -> NDArray[np.int64]:
        """Take one seed for all lanes, or a sequence with one for every lane; None leaves them.

        Returns:
            The numbers of the first games, int64 (N,): ``games``, or if that is None 0..N-1, or 0 of every lane's seed.

        Raises:
            ValueError: not 0..2**64-1, or the wrong number of them; not N games 0..2**62; nothing has changed.
        """
        count = len(self.keys)
        first = None if games is None else checked_games(games, count)
        if np.ndim(seed) > 0:
            self.keys[:], self.stride = checked_seeds(seed, count), 1
        elif seed is not None:
            self.keys[:], self.stride = checked_seed(seed), count
        return np.arange(count) * (self.stride == count) if first is None else first

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

    def copy_from(self, other: Seeds) -> None:
        """Become equal to the seeds of as many lanes."""
        self.keys[:], self.stride = other.keys, other.stride

    def plain(self) -> int | NDArray[np.uint64]:
        """Return what ``set`` takes to come to the same."""
        return self.first if self.stride == len(self.keys) else self.keys.copy()


def checked_games(games: Any, count: int) -> NDArray[np.int64]:
    """Return game indices, int64 (count,).

    Raises:
        ValueError: not ``count`` integers 0..2**62.
    """
    numbers = integer_array(games)
    if numbers is None or numbers.shape != (count,) or numbers.min() < 0 or numbers.max() > MAX_GAME:
        raise ValueError(f"games: {repr_short(games)}; allowed: {count} integers 0..2**62")
    return numbers


def checked_seeds(seeds: Any, count: int) -> NDArray[np.uint64]:
    """Return seeds of their own for ``count`` lanes, uint64 (count,).

    Raises:
        ValueError: not ``count`` integers 0..2**64-1.
    """
    if np.shape(seeds) != (count,):
        raise ValueError(f"seed: {repr_short(seeds)}; allowed: one seed, or {count}, one per lane")
    return np.array([checked_seed(seed) for seed in seeds], np.uint64)
