"""One name for two ways: a class makes a new batch of positions, a batch takes them into its lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from atlantis_envs.engine.position import Position, checked_positions

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch


class FromPositions:
    """``Batch.from_positions(list)`` makes a batch; on a batch, ``from_positions(list)`` fills its lanes."""

    def __get__(self, batch: Batch | None, owner: type[Batch]) -> Callable[..., Batch]:
        """The way that fits what it was asked of."""
        if batch is not None:
            return batch.load

        def make(positions: Iterable[Position], seed: int = 0, threads: int = 1) -> Batch:
            given = checked_positions(positions)
            return owner(given[0].game, len(given), seed, threads).load(given)

        return make
