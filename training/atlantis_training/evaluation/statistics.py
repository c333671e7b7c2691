"""Intervals, tests and sample sizes for shares of wins and other means; intervals that hold at all times together.

An ordinary interval, looked at again and again until it excludes zero, excludes it in the end whatever the truth is. A
confidence sequence covers the mean at all numbers of blocks at once with the probability stated, so one may look after
every block and stop when one likes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054  # two-sided 95 %
RESAMPLES = 2000
MOST_GROUPS = 4096  # of blocks that the bootstrap draws from
TEST_DRAWS = 99_999
MOST_SKEWED = 1e10  # condition number of a covariance: what is beyond is singular but for rounding
RIDGE = 1e-6  # of a mean variance
LEVEL, POWER = 0.05, 0.8
FEW_TIES = 0.01  # share of games with several winners, below which shares are those of wins and losses


@dataclass(frozen=True)
class Mean:
    """A mean with its 95 % interval: of a block bootstrap, or for a share that of Wilson.

    Attributes:
        value: the mean.
        low: lower end.
        high: upper end.
    """

    value: float
    low: float
    high: float
    digits: ClassVar[int] = 2  # that are shown

    def __str__(self) -> str:
        """Return it as "12.31 [12.05, 12.58]"."""
        return f"{self.value:.{self.digits}f} [{self.low:.{self.digits}f}, {self.high:.{self.digits}f}]"


@dataclass(frozen=True)
class Share(Mean):
    """A share of wins, ties split, with its interval.

    Attributes:
        games: how many games it rests on.
    """

    games: int
    digits: ClassVar[int] = 3


def wilson(share: float, games: int, z: float = Z95) -> tuple[float, float]:
    """Return the Wilson score interval of a share (Wilson 1927).

    With split ties the outcomes lie between 0 and 1, so their variance is at most that of wins and losses and the
    interval errs on the wide side.
    """
    if games == 0:
        return 0.0, 1.0
    centre = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return max(0.0, centre - half), min(1.0, centre + half)


def win_share(shares: NDArray[np.float64]) -> Share:
    """Return the mean of win shares, float64 (G,), with its interval."""
    value = float(shares.mean()) if len(shares) else 0.0
    return Share(value, *wilson(value, len(shares)), games=len(shares))


def split_shares(shares: NDArray[np.float64]) -> list[Share]:
    """Return the mean of every column of win shares, float64 (G, P), with its interval; at least two games.

    Student's t, since a split victory varies less than a whole one; that of Wilson where fewer than ``FEW_TIES`` of the
    games were shared, or where all games are alike.
    """
    from scipy.stats import t

    games, means, spreads = len(shares), shares.mean(axis=0), shares.std(axis=0, ddof=1)
    shared = (np.count_nonzero(shares, axis=1) > 1).mean()
    halves = t.isf(0.025, games - 1) * spreads / math.sqrt(games)
    return [
        Share(
            mean,
            *(wilson(mean, games) if shared < FEW_TIES or not half else (max(0.0, mean - half), min(1.0, mean + half))),
            games,
        )
        for mean, half in zip(map(float, means), map(float, halves), strict=True)
    ]


def shares_of_wins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return win shares out of returns or scores, (G, P) -> float64 (G, P): the highest win, ties split."""
    best = scores == scores.max(axis=1, keepdims=True)
    return np.asarray(best / best.sum(axis=1, keepdims=True))


def equality_p_value(shares: NDArray[np.float64]) -> float:
    """Return the p-value of "all columns have the same expected share", float64 (G, P).

    Hotelling-type chi-square test on the mean shares with their sample covariance (rows are games and independent,
    columns within a row are not); exact enough from a few hundred games on. Where the games are too alike for it, or a
    column never wins, the randomisation test answers.
    """
    from scipy.stats import chi2

    count, columns = shares.shape
    contrasts = shares[:, :-1] - shares[:, -1:]
    mean = contrasts.mean(axis=0)
    covariance = np.atleast_2d(np.cov(contrasts, rowvar=False)) / count
    if not np.linalg.cond(covariance) < MOST_SKEWED:  # beyond it, or not a number
        return exact_equality_p_value(shares)
    return float(chi2.sf(mean @ np.linalg.solve(covariance, mean), columns - 1))


# ----------------------------------------------------------------------------------------------------- block bootstrap


def block_means(values: NDArray[np.float64], seed: int = 0) -> list[Mean]:
    """Return means of the columns of float64 (blocks, K), each with its percentile bootstrap interval over blocks.

    Games of a block share their luck and are not independent; blocks are. More than ``MOST_GROUPS`` blocks are drawn in
    groups of equal size, which changes nothing but the time it takes.
    """
    blocks, columns = values.shape
    if blocks == 0:
        return [Mean(math.nan, math.nan, math.nan)] * columns
    size = -(-blocks // MOST_GROUPS)
    whole = blocks // size * size
    groups = values[:whole].reshape(-1, size, columns).mean(axis=1)
    generator = np.random.default_rng(seed)
    drawn = np.stack([groups[generator.integers(0, len(groups), len(groups))].mean(axis=0) for _ in range(RESAMPLES)])
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    return [Mean(float(values[:, k].mean()), float(low[k]), float(high[k])) for k in range(columns)]


# ------------------------------------------------------------------------------------------------------------ testing


def exact_equality_p_value(shares: NDArray[np.float64], seed: int = 0, draws: int = TEST_DRAWS) -> float:
    """Return the p-value of "every order of the columns is equally likely", float64 (G, P): exact for any G.

    A randomisation test. Under the hypothesis the winners of a game with k winners are any k columns, all alike, so the
    number of games each set of k columns won is multinomial. The statistic is the spread of the column sums; the answer
    is never below 1 / (draws + 1). Games that everybody wins say nothing.
    """
    count, columns = shares.shape
    generator = np.random.default_rng(seed)
    sums = np.zeros((draws, columns))
    for winners in range(1, columns):
        games = int((np.count_nonzero(shares, axis=1) == winners).sum())
        sets = np.array(
            [[column in chosen for column in range(columns)] for chosen in combinations(range(columns), winners)]
        )
        sums += generator.multinomial(games, np.full(len(sets), 1 / len(sets)), draws) @ (sets / winners)
    mean = (count - (np.count_nonzero(shares, axis=1) == columns).sum()) / columns
    drawn = ((sums - mean) ** 2).sum(axis=1)
    own = shares[np.count_nonzero(shares, axis=1) < columns].sum(axis=0)
    reached = (drawn >= ((own - mean) ** 2).sum() * (1 - 1e-12)).sum()
    return float((1 + reached) / (draws + 1))


def difference_p_value(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the p-value of "both have the same expected shares", float64 (G, P) and (H, P).

    A chi-square test of P - 1 contrasts, with the correction of Hotelling (1931) for few games. Row g of both is the
    same game, with the same luck, which is taken into account; where one has more games, the rest is independent.
    """
    from scipy.stats import f

    contrasts = [shares[:, :-1] - shares[:, -1:] for shares in (one, other)]
    first, second = contrasts
    difference = first.mean(axis=0) - second.mean(axis=0)
    cross = _covariance(first, second)
    _, size = _wald(difference, _covariance(first, first) + _covariance(second, second) - cross - cross.T)
    columns, games = len(difference), max(len(difference) + 1, min(len(one), len(other)))
    return float(f.sf(size * (games - columns) / (games - 1), columns, games - columns))


def _covariance(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the covariance of two vectors of means, (K, L), of rows (G, K) and (H, L); row g of both is a game."""
    both = min(len(one), len(other))
    if both < 2:
        return np.zeros((one.shape[1], other.shape[1]))
    centred = one[:both] - one[:both].mean(axis=0)
    return np.asarray(centred.T @ other[:both] / (both - 1) * (both / (len(one) * len(other))))


def _wald(values: NDArray[np.float64], covariance: NDArray[np.float64], scale: float = 1.0) -> tuple[float, float]:
    """Return the p-value of "all values are 0", and the statistic a degree of freedom; what never varies is no news."""
    from scipy.stats import chi2

    lengths, axes = np.linalg.eigh(covariance)
    some = lengths > max(lengths.max(), 0.0) / MOST_SKEWED
    free = int(some.sum())
    if not free:
        return 1.0, 0.0
    size = float((((values @ axes)[some]) ** 2 / lengths[some]).sum()) / scale
    return float(chi2.sf(size, free)), size / free


@dataclass(frozen=True)
class Trend:
    """How the odds of the first place against the last one change with strength.

    Attributes:
        slope: change of the log-odds a unit of strength.
        error: its standard error.
        p_value: of "no place's odds change with strength".
        misfit: squared distance from straight lines, over what chance explains; above 1 errors are widened by it.
    """

    slope: float
    error: float
    p_value: float
    misfit: float


def trend(shares: Sequence[NDArray[np.float64]], strengths: Sequence[float]) -> Trend | None:
    """Fit straight lines to the log-odds of every place against the last one, over strength.

    Generalised least squares: players have played the same games, row g of each being game g. Where straight lines do
    not fit, errors are widened by the root of the misfit (Birge 1932).

    Args:
        shares: of each player, float64 (G, P), G differs.
        strengths: of each player; errors of theirs are not taken into account.

    Returns:
        None for fewer than three players of whom every place has won a game.
    """
    players = [(rows, float(strength)) for rows, strength in zip(shares, strengths, strict=True) if rows.mean(0).all()]
    if len(players) < 3 or len({strength for _, strength in players}) < 2:
        return None
    means = [rows.mean(axis=0) for rows, _ in players]
    logs = [rows / mean for (rows, _), mean in zip(players, means, strict=True)]  # moves of the logarithms
    moves = [values[:, :-1] - values[:, -1:] for values in logs]
    found = np.concatenate([np.log(mean[:-1] / mean[-1]) for mean in means])
    covariance = np.block([[_covariance(one, other) for other in moves] for one in moves])
    columns = moves[0].shape[1]
    places = np.tile(np.eye(columns), (len(players), 1))
    lines = np.hstack([places, places * np.repeat([strength for _, strength in players], columns)[:, None]])
    alike = RIDGE * np.trace(covariance) / len(covariance)  # keeps players that are the same in every game apart
    weights = np.linalg.inv(covariance + alike * np.eye(len(covariance)))
    bread = np.linalg.inv(lines.T @ weights @ lines)
    fitted = bread @ lines.T @ weights @ found
    left, free = found - lines @ fitted, len(found) - len(fitted)
    misfit = float(left @ weights @ left) / free
    scale = max(1.0, misfit)
    p_value, _ = _wald(fitted[columns:], bread[columns:, columns:], scale)
    return Trend(float(fitted[columns]), math.sqrt(bread[columns, columns] * scale), p_value, misfit)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for asking several questions (Holm 1979), in the given order."""
    # Not by statsmodels, whose correction collects all garbage at every call: a fifth of a second.
    order = np.argsort(p_values)
    scaled = np.asarray(p_values, np.float64)[order] * np.arange(len(p_values), 0, -1)
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return corrected.tolist()


# ------------------------------------------------------------------------------------------------------- sample sizes


def games_for_precision(deviation: float, half_width: float) -> int:
    """Return the games until the 95 % interval of a mean is ``half_width`` to each side."""
    return math.ceil((Z95 * deviation / half_width) ** 2)


def games_for_advantage(shares: NDArray[np.float64], advantage: float) -> int:
    """Return the games until the test of equality (5 %) sees, 4 times in 5, that a column wins ``advantage`` more.

    ``shares``, float64 (G, P), are those of a pilot; the others are taken to lose the same each.
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2, ncx2

    columns = shares.shape[1]
    covariance = np.atleast_2d(np.cov(shares[:, :-1] - shares[:, -1:], rowvar=False))
    shift = np.full(columns, -advantage / (columns - 1))
    shift[0] = advantage
    contrast = shift[:-1] - shift[-1]
    per_game = float(contrast @ np.linalg.pinv(covariance) @ contrast)
    if per_game <= 0:  # every game of the pilot ended alike
        return 1
    bound = chi2.isf(LEVEL, columns - 1)
    needed = brentq(lambda size: ncx2.sf(bound, columns - 1, size) - POWER, 1e-6, 1e4)
    return math.ceil(float(needed) / per_game)


# ---------------------------------------------------------------------------------------- asked again after every block


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


def anytime_p_value(shares: NDArray[np.float64]) -> float:
    """Return a p-value of "every column has an equal share", float64 (G, P), that holds whenever one stops.

    One over what the richest bet on any column has won at its best, times the number of bets.
    """
    columns = shares.shape[1]
    bets = [log_capital(values - 1 / columns, np.zeros(1)) for values in shares.T]
    richest = max(float(capital.max(initial=0.0)) for pair in bets for capital in pair)
    return float(min(1.0, 2 * columns * math.exp(-richest)))


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
