"""Draws from a row ``[seed, draws so far]`` (uint64), for what is not a chance event of the game: resampling.

The row is advanced by every draw, so one seed gives one sequence, whatever is drawn in between.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.definition import Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.philox import draw_below

SAMPLING_STREAM = 0xFFFE  # apart from every chance stream of a game
ONE = np.uint64(1)


@kernel
def sample_below(rng: Row, bound: int) -> int:
    """An exactly uniform integer in [0, bound), 0 < bound < 2**32; advances the row."""
    value = draw_below(rng[0], 0, np.int64(rng[1]), SAMPLING_STREAM, bound)
    rng[1] += ONE
    return value


@kernel
def sample_kind(rng: Row, counts: Row, total: int) -> int:
    """The kind of one piece drawn from a multiset of ``total`` pieces; it is taken out of ``counts``.

    A total that is not that of ``counts`` gives the last kind, never one that does not exist.
    """
    left = sample_below(rng, total)
    kind = 0
    while kind < len(counts) - 1 and left >= int(counts[kind]):
        left -= int(counts[kind])
        kind += 1
    counts[kind] -= 1
    return kind
