"""What all agents require of their arguments, and the random words they draw when none are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import MAX_SEED, is_integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.threads import Parts
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

MOST_THREADS = 1024
NO_ACTION = -1  # what a loop writes for a row without a legal action

BYTE, MARK, WORD = np.dtype(np.uint8), np.dtype(np.int8), np.dtype(np.uint64)
Bytes = NDArray[np.uint8]  # (N, F) observations
Masks = NDArray[np.int8]  # (N, A), 1 = legal
Words = NDArray[np.uint64]  # (N,), the only randomness
Ids = NDArray[np.int64]  # (N,), what is chosen


class RowAgent:
    """An agent that answers row by row: checks the rows, draws missing noise, and lets ``_fill`` write the ids.

    Args:
        game: the game it plays.
        seed: 0..2**64-1, of its own generator, for calls without noise; None: fresh entropy.
        threads: 1..1024, among which many rows are shared out; choices do not depend on it.

    Attributes:
        entries: the entry points that ``act`` calls (atlantis_envs.seats.compiled.compiling_for).

    Pickles as ``(game, seed, threads)``: a copy starts its own generator anew.
    """

    entries: Sequence[Any] = ()

    def __init__(self, game: Game, seed: int | None = None, threads: int = 1) -> None:
        """Check the arguments."""
        if seed is not None and not (is_integer(seed) and 0 <= seed <= MAX_SEED):
            raise OptionError(f"seed: {repr_short(seed)}; allowed: an integer 0..2**64-1, or None for fresh entropy")
        self.game = game
        self.seed = None if seed is None else int(seed)
        self._generator = np.random.default_rng(self.seed)
        if not is_integer(threads) or not 1 <= threads <= MOST_THREADS:
            raise OptionError(f"threads: {repr_short(threads)}; allowed: an integer 1..{MOST_THREADS}")
        self.threads = int(threads)
        self._parts = Parts(self.threads) if self.threads > 1 else None

    def act(self, observations: Bytes, masks: Masks, noise: Words | None = None) -> Ids:
        """Choose one legal action per row; see Agent. Without noise it is drawn from the agent's own generator.

        Raises:
            ValueError: an array of another shape or dtype, or a row without a legal action; names what is allowed.
        """
        observations = checked_rows("observations", observations, BYTE, self.game.observation_size)
        masks = checked_rows("masks", masks, MARK, self.game.num_actions, len(observations))
        if noise is None:
            noise = self._generator.integers(0, MAX_SEED, len(masks), np.uint64, endpoint=True)
        noise = checked_rows("noise", noise, WORD, None, len(masks))
        ids = np.full(len(masks), NO_ACTION, np.int64)
        if self._parts is None:
            self._fill(observations, masks, noise, ids)
        else:

            def work(part: int, start: int, stop: int) -> None:
                rows = slice(start, stop)
                self._fill(observations[rows], masks[rows], noise[rows], ids[rows])

            self._parts.run(work, len(ids))
        if len(ids) and ids.min() == NO_ACTION:
            check_some_legal(masks)
        return ids

    def _fill(self, observations: Bytes, masks: Masks, noise: Words, ids: Ids) -> None:
        raise NotImplementedError

    def _is_plain(self, author: type[RowAgent]) -> bool:
        """Return whether this agent chooses as ``author`` does: a subclass may have its own ``act`` or ``_fill``."""
        own = type(self)
        return own.act is RowAgent.act and own._fill is author._fill

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as game, seed and threads; compiled code is never pickled."""
        return type(self), (self.game, self.seed, self.threads)


def check_some_legal(masks: NDArray[Any]) -> None:
    """Refuse a row without a legal action.

    Raises:
        ValueError: naming the first one.
    """
    some = masks.any(axis=1)
    if not some.all():
        raise ValueError(f"masks[{int(some.argmin())}]: no legal action; allowed: at least one 1 in every row")


def checked_rows(
    name: str, array: Any, dtype: np.dtype[Any], width: int | None, count: int | None = None
) -> NDArray[Any]:
    """Return rows contiguous and writable, as lanes are, so that one loop serves every caller.

    Args:
        name: of the argument.
        array: (N, width), or (N,) where ``width`` is None.
        dtype: its only type.
        width: of a row.
        count: N, where it is known.

    Raises:
        ValueError: another shape or dtype; names what is allowed.
    """
    right = isinstance(array, np.ndarray) and array.dtype == dtype and array.ndim == (1 if width is None else 2)
    if not right or width not in (None, array.shape[-1]) or count not in (None, len(array)):
        rows = "N" if count is None else str(count)
        allowed = f"{dtype.name} of shape ({rows},{'' if width is None else f' {width}'})"
        if not isinstance(array, np.ndarray):
            raise ValueError(f"{name}: {repr_short(array)}; allowed: an array, {allowed}")
        single = width is not None and array.shape == (width,)
        hint = f"; a single one needs a batch axis: {name}[None]" if single else ""
        raise ValueError(f"{name}: {array.dtype} of shape {array.shape}; allowed: {allowed}{hint}")
    flags = array.flags  # looked at first, as np.require takes a microsecond to find that all is well
    if type(array) is np.ndarray and flags.carray:
        return array
    return np.require(array, requirements=["C", "W", "A"])  # a copy of what is read-only
