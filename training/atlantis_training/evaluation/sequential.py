"""Is one mean above another, asked again after every block: intervals that hold at all times together.

An ordinary interval, looked at again and again until it excludes zero, excludes it in the end whatever the truth is. A
confidence sequence covers the mean at all numbers of blocks at once with the probability stated, so one may look after
every block and stop when one likes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.05
CUT = 0.5  # of the largest bet that cannot lose everything
GRID = 2001  # means that are tried: the ends of the sequence are exact to 0.001
DIGITS = 6  # of what the grid gives
BETTER, WORSE, OPEN = "better", "worse", "open"
AT_ONCE = 64  # means of the grid: what is kept in memory for long sequences

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """What a sequential test found.

    Attributes:
        answer: "better", "worse", or "open" where neither could be said.
        block: how many blocks it took, or how many there were.
        mean: mean difference over these blocks.
        low: lower end of the confidence sequence there.
        high: upper end.
        level: probability of a false answer, at most, at all times together.
    """

    answer: str
    block: int
    mean: float
    low: float
    high: float
    level: float = LEVEL


def log_capital(differences: Values, means: Values, level: float = LEVEL) -> tuple[Values, Values]:
    """Return logarithms of what bets on "the mean is above m" and on "it is below m" have won after every block.

    The bets are those of Waudby-Smith and Ramdas (Estimating means of bounded random variables by betting, Journal of
    the Royal Statistical Society B 86, 2024, section 4): predictable plug-ins, cut off at half of what could lose
    everything. If the mean is m, either capital is a non-negative martingale that begins at 1, so it reaches 1 / p with
    a probability of at most p, ever (Ville 1939).

    Args:
        differences: float64 (blocks,), independent, each in -1..1.
        means: float64 (M,), in -1..1, the m to bet against.
        level: that the bets are aimed at; validity does not depend on it.

    Returns:
        Two float64 (blocks, M).

    Raises:
        ValueError: a difference outside -1..1.
    """
    if len(differences) and not (np.abs(differences) <= 1).all():
        raise ValueError("differences: outside -1..1; allowed: differences of shares")
    values, against = (differences + 1) / 2, (means + 1) / 2
    count = np.arange(1, len(values) + 1)
    estimates = (0.5 + np.cumsum(values)) / (count + 1)
    variances = (0.25 + np.cumsum((values - estimates) ** 2)) / (count + 1)
    before = np.concatenate([[0.25], variances])[: len(values)]  # a bet knows the blocks before it only
    bets = np.sqrt(2 * np.log(2 / level) / (before * count * np.log1p(count)))[:, None]
    gains = values[:, None] - against
    with np.errstate(divide="ignore"):
        most_up, most_down = CUT / against, CUT / (1 - against)
    up = np.cumsum(np.log1p(np.minimum(bets, most_up) * gains), axis=0)
    down = np.cumsum(np.log1p(-np.minimum(bets, most_down) * gains), axis=0)
    return up, down


def first_answer(differences: Values, level: float = LEVEL) -> tuple[str, int]:
    """Find the first block after which the mean is known to be above or below zero; "open" and their number if none.

    Each side may err with half of ``level``.
    """
    up, down = (capital[:, 0] for capital in log_capital(differences, np.zeros(1), level))
    bound = np.log(2 / level)
    for block, (above, below) in enumerate(zip(up >= bound, down >= bound, strict=True), 1):
        if above or below:
            return BETTER if above else WORSE, block
    return OPEN, len(differences)


def confidence_sequence(differences: Values, level: float = LEVEL) -> tuple[Values, Values]:
    """Return lower and upper ends after every block, float64 (blocks,) each, running: they never widen.

    The means that neither bet has been rich enough to rule out; ``level`` is shared equally by the two sides.
    """
    means = np.linspace(-1, 1, GRID)
    bound = np.log(2 / level)
    below, above = np.zeros(len(differences), np.int64), np.zeros(len(differences), np.int64)
    for start in range(0, GRID, AT_ONCE):
        up, down = log_capital(differences, means[start : start + AT_ONCE], level)
        below += np.maximum.accumulate(up >= bound, axis=0).sum(axis=1)  # so many means are too low
        above += np.maximum.accumulate(down >= bound, axis=0).sum(axis=1)
    ends = np.round(means, DIGITS)
    return ends[np.maximum(below - 1, 0)], ends[np.minimum(GRID - above, GRID - 1)]  # the last ones ruled out


def judge(differences: Values, level: float = LEVEL) -> Verdict:
    """Go through the blocks in their order and stop at the first answer."""
    answer, block = first_answer(differences, level)
    if not block:
        return Verdict(answer, 0, 0.0, -1.0, 1.0, level)
    seen = differences[:block]
    low, high = confidence_sequence(seen, level)
    return Verdict(answer, block, float(seen.mean()), float(low[-1]), float(high[-1]), level)
