"""Ratings of agents and what turn order is worth, with standard errors, out of who won how much of which games.

The model is the choice model of Luce (Individual Choice Behavior, 1959), which with two players is that of Bradley and
Terry (Biometrika 39, 1952): at a table the agent in place k of the turn order wins with a probability in proportion
to exp(rating + effect of place k). It is fitted as the Poisson regression with one constant per table that has the same
maximum (Baker, The Statistician 43, 1994), by ``statsmodels``; a shared victory is split among its winners.

Games of a block share their luck, so standard errors are robust to any dependence within blocks (Liang and Zeger,
Biometrika 73, 1986), and never below those that independent games would have, which matters where an agent hardly
ever wins; between teams that holds for the error of every difference too. One drawn game per pair of agents, or per
team, keeps ratings finite where an agent never wins (Davidson and Solomon, Biometrika 60, 1973).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

ELO = 400 / math.log(10)  # points per unit of log-odds: a lead of 400 is odds of ten to one
ROUNDING = 1e-12  # of the longest axis of a covariance: what is shorter is none
DRAWN = 1.0  # games of each pair, or each team, shared by both sides, added to what was played

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A fitted number in Elo points.

    Attributes:
        value: the estimate; 0 for what the others are compared with.
        error: its standard error.
    """

    value: float
    error: float

    def __str__(self) -> str:
        """Return it as "-123 ± 14"."""
        return f"{round(self.value):+d} ± {self.error:.0f}" if self.error else f"{self.value:.0f}"


@dataclass(frozen=True)
class Ratings:
    """Ratings and effects of turn order.

    Attributes:
        agents: one per agent; the first is 0.
        places: one per place in the turn order; the first is 0. Empty for teams.
        covariance: of the ratings in Elo points squared, (A, A): that of a difference can be had from it.
        misfit: the largest difference between a share of wins in the model and the one that was seen, by table.
    """

    agents: tuple[Estimate, ...]
    places: tuple[Estimate, ...]
    covariance: tuple[tuple[float, ...], ...]
    misfit: float


@dataclass(frozen=True)
class _Design:
    """The regression: its columns, and which row belongs to which table.

    Attributes:
        structure: float64 (tables * places, parameters), agents without the first, places without the first.
        constants: float64 (tables * places, tables).
    """

    structure: Values
    constants: Values


def fit_ratings(tables: Sequence[tuple[int, ...]], shares: Values, agents: int) -> Ratings:
    """Fit ratings out of tables of competitors.

    Args:
        tables: the agents' numbers by place in the turn order, one tuple per table.
        shares: float64 (blocks, tables, places): what each place won in each block, ties split; a block may have
            played a table several times, or not at all.
        agents: how many agents there are; each sits at some table with another one.
    """
    design = _design(tables, agents)
    places = shares.shape[2]
    seen = shares.sum(axis=0)
    drawn = DRAWN * math.comb(agents, 2) / len(tables)
    fitted = _fitted("Poisson", (seen + drawn / places).ravel(), np.hstack([design.structure, design.constants]))
    inner = design.structure.shape[1]
    expected = np.asarray(fitted.mu).reshape(-1, places)
    chances = expected / expected.sum(axis=1, keepdims=True)
    residuals = shares - shares.sum(axis=2, keepdims=True) * chances
    scores = residuals.reshape(len(shares), -1) @ design.structure
    bread = np.asarray(fitted.normalized_cov_params)[:inner, :inner]
    covariance = _raised(_robust(bread, scores), bread)
    games = np.maximum(seen.sum(axis=1, keepdims=True), 1)
    misfit = float(np.abs(seen / games - chances)[seen.sum(axis=1) > 0].max(initial=0.0))
    return _ratings(np.asarray(fitted.params)[:inner], covariance, agents, misfit)


def fit_teams(won: Values) -> Ratings:
    """Fit ratings of teams that each play alone, out of float64 (blocks, agents), 1 for a game won.

    A rating is the difference of log-odds of winning from the first team's (logistic regression on the agent). No error
    of a difference of two teams is below that of independent games.
    """
    blocks, agents = won.shape
    columns = np.eye(agents)
    columns[:, 0] = 1.0  # the first column is the first team's own log-odds
    counts = np.stack([won.sum(axis=0), blocks - won.sum(axis=0)], axis=1) + DRAWN / 2
    fitted = _fitted("Binomial", counts, columns)
    scores = (won - np.asarray(fitted.mu)) @ columns
    bread = np.asarray(fitted.normalized_cov_params)
    covariance = _floored(_robust(bread, scores)[1:, 1:], bread[1:, 1:])
    return _ratings(np.asarray(fitted.params)[1:], covariance, agents, 0.0)


def _fitted(family: str, outcomes: Values, columns: Values) -> Any:
    """Fit a generalised linear model with its natural link; an exact fit, as that of teams must be, is no news."""
    with warnings.catch_warnings():
        from statsmodels.genmod import families
        from statsmodels.genmod.generalized_linear_model import GLM

        warnings.simplefilter("ignore")  # after the import, which sets filters of its own
        return GLM(outcomes, columns, family=getattr(families, family)()).fit(tol=1e-12, maxiter=200)


def _design(tables: Sequence[tuple[int, ...]], agents: int) -> _Design:
    places = len(tables[0])
    sitting = np.array(tables).ravel()
    place = np.tile(np.arange(places), len(tables))
    structure = np.hstack([np.eye(agents)[sitting][:, 1:], np.eye(places)[place][:, 1:]])
    return _Design(structure, np.repeat(np.eye(len(tables)), places, axis=0))


def _robust(bread: Values, scores: Values) -> Values:
    """Return the sandwich over blocks, float64 (blocks, K) of scores; a matrix by itself, so no sign is lost."""
    blocks = len(scores)
    half = bread @ scores.T * np.sqrt(blocks / (blocks - 1))
    return np.asarray(half @ half.T)


def _raised(robust: Values, bread: Values) -> Values:
    """Return the sandwich; where a variance of ``bread`` is larger, with what it lacks, correlated as ``bread`` is.

    Where all blocks are alike the sandwich is nothing but rounding, and ``bread`` alone is left.
    """
    lacking = np.sqrt(np.maximum(0.0, np.diag(bread) - np.diag(robust)) / np.diag(bread))
    return np.asarray(robust + lacking[:, None] * bread * lacking)


def _floored(robust: Values, bread: Values) -> Values:
    """Return the least covariance by which no sum or difference is surer than by either of these two.

    Least along the axes that both have in common, so it does not matter which team is named first.
    """
    lengths, axes = np.linalg.eigh(bread)
    some = lengths > lengths.max() * ROUNDING
    root, inverse = axes[:, some] * np.sqrt(lengths[some]), axes[:, some] / np.sqrt(lengths[some])
    ratios, common = np.linalg.eigh(inverse.T @ robust @ inverse)
    wide = root @ common * np.sqrt(np.maximum(1.0, ratios))
    return np.asarray(wide @ wide.T)


def _ratings(parameters: Values, covariance: Values, agents: int, misfit: float) -> Ratings:
    errors = np.sqrt(np.diag(covariance))
    estimates = [
        Estimate(float(ELO * value), float(ELO * error)) for value, error in zip(parameters, errors, strict=True)
    ]
    still = Estimate(0.0, 0.0)
    places = (still, *estimates[agents - 1 :]) if len(estimates) >= agents else ()
    whole = np.zeros((agents, agents))
    whole[1:, 1:] = covariance[: agents - 1, : agents - 1] * ELO**2
    rows = tuple(tuple(map(float, row)) for row in whole)
    return Ratings((still, *estimates[: agents - 1]), places, rows, misfit)
