"""One name for two ways: a class makes a new batch of positions, a batch takes them into its lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from atlantis_envs.engine.position import Position, checked_positions


class FromPositions:
    """``Batch.from_positions(list)`` makes a batch; on a batch, ``from_positions(list)`` fills its lanes."""

    def __get__(self, batch: Any, owner: Any) -> Callable[..., Any]:
        """The way that fits what it was asked of."""
        if batch is not None:
            load: Callable[..., Any] = batch.load
            return load

        def make(positions: Iterable[Position], seed: int = 0, threads: int = 1) -> Any:
            given = checked_positions(positions)
            return owner(given[0].game, len(given), seed, threads).load(given)

        return make
