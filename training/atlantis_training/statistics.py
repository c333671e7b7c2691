"""Intervals and tests for shares of wins."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054  # two-sided 95 %


@dataclass(frozen=True)
class Share:
    """A share of wins with its interval.

    Attributes:
        value: mean win share, ties split.
        low: lower end of the 95 % Wilson interval.
        high: upper end.
        games: how many games it rests on.
    """

    value: float
    low: float
    high: float
    games: int

    def __str__(self) -> str:
        """As "0.333 [0.330, 0.336]"."""
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def wilson(share: float, games: int, z: float = Z95) -> tuple[float, float]:
    """Wilson score interval of a share (Wilson 1927).

    With split ties the outcomes lie between 0 and 1, so their variance is at most that of wins and losses and the
    interval errs on the wide side.
    """
    if games == 0:
        return 0.0, 1.0
    centre = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return max(0.0, centre - half), min(1.0, centre + half)


def win_share(shares: NDArray[np.float64]) -> Share:
    """Mean of win shares, float64 (G,), with its interval."""
    value = float(shares.mean()) if len(shares) else 0.0
    return Share(value, *wilson(value, len(shares)), games=len(shares))


def shares_of_wins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Win shares out of returns or scores, (G, P) -> float64 (G, P): the highest win, ties split."""
    best = scores == scores.max(axis=1, keepdims=True)
    return best / best.sum(axis=1, keepdims=True)


def equality_p_value(shares: NDArray[np.float64]) -> float:
    """p-value of "all columns have the same expected share", float64 (G, P).

    Hotelling-type chi-square test on the mean shares with their sample covariance (rows are games and independent,
    columns within a row are not); exact enough from a few hundred games on.
    """
    from scipy.stats import chi2

    count, columns = shares.shape
    contrasts = shares[:, :-1] - shares[:, -1:]
    mean = contrasts.mean(axis=0)
    covariance = np.atleast_2d(np.cov(contrasts, rowvar=False)) / count
    return float(chi2.sf(mean @ np.linalg.solve(covariance, mean), columns - 1))
