"""What a network may look at beside the observation: consequences that rules and arithmetic give, worked out for it.

One module per game, each with ``EDITIONS``, the newest last: a policy goes on seeing what it learned from. They are
computed from the observation alone, so they tell nothing that it does not: where a card would lead, say, is a search
along the path that a small network cannot do. They name no action as the best one; that would be advice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.layout import Layout
from atlantis_envs.engine.records import plain, plain_records
from atlantis_envs.errors import OptionError
from atlantis_envs.kernels.kernel import compiling, entry, kernel

if TYPE_CHECKING:
    from atlantis_envs.engine.setup import Setup


MOST = 255  # of a byte
NEWEST = 0  # of editions, which count from 1 on


@kernel
def byte(number: float) -> int:
    """Return a number as a byte: cut off where it does not fit."""
    return int(min(float(MOST), max(0.0, number)))


@dataclass(frozen=True, eq=False)
class Features:
    """One edition of the features of a game.

    Attributes:
        layout: what their bytes mean.
        describe: kernel ``(weights, scratch, observation, out)``; writes them to ``out``, all of it. It gets
            all records of ``weights``, since an observation says how many players there are.
        weights: array of one record, or of one for every number of players, from 1 on.
        scratch_dtype: dtype of the record that ``describe`` may write to as it likes.
        edition: from 1 on.
    """

    layout: Layout
    describe: Callable[..., Any]
    weights: Any
    scratch_dtype: np.dtype[Any]
    edition: int = 1

    def fingerprint(self) -> str:
        """Return what tells them from others: that of the layout, and behind it the edition from the second on."""
        layout = self.layout.fingerprint()
        return layout if self.edition == 1 else f"{layout}-{self.edition}"


_prepared: set[Features] = set()


def feature_names() -> tuple[str, ...]:
    """Return names of the games that have features."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


@cache
def feature_editions(name: str) -> tuple[Features, ...]:
    """Return all editions of the features of a game, the newest last.

    Raises:
        OptionError: it has none.
    """
    if name not in feature_names():
        raise OptionError(f"features: {name!r} has none; allowed: {', '.join(map(repr, feature_names()))}")
    found: tuple[Features, ...] = import_module(f"{__name__}.{name}").EDITIONS
    return found


def find_features(name: str, edition: int = NEWEST) -> Features:
    """Return the features of a game, of the newest edition if none is named.

    Raises:
        OptionError: it has none, or there is no such edition.
    """
    editions = feature_editions(name)
    if not 0 <= edition <= len(editions):
        raise OptionError(f"features_edition: {edition}; allowed: 1..{len(editions)}, or 0: the newest")
    return editions[edition - 1]


@cache
def _make_loop(features: Features) -> Callable[..., Any]:
    describe = features.describe

    @entry
    def features_loop(weights, scratch, observations, out):  # type: ignore[no-untyped-def]
        """Describe every row behind itself."""
        size = observations.shape[1]
        for row in range(len(observations)):
            for place in range(size):
                out[row, place] = observations[row, place]
            describe(weights, scratch[0], observations[row], out[row, size:])

    return features_loop


def with_features(game: Setup, observations: NDArray[np.uint8], edition: int = NEWEST) -> NDArray[np.uint8]:
    """Return observations and, behind them, what follows from each.

    Args:
        game: whose; OptionError if it has no features.
        observations: uint8 (N, F).
        edition: of the features; 0: the newest. OptionError if there is no such one.

    Returns:
        uint8 (N, F + D), D the size of the features' layout.
    """
    features = find_features(game.name, edition)
    rows = np.ascontiguousarray(observations)
    out = np.empty((len(rows), rows.shape[1] + features.layout.size), np.uint8)
    loop, call = _make_loop(features), (plain(features.weights), plain_records(1, features.scratch_dtype))
    if features not in _prepared:
        with compiling(f"{game.definition.title}, features", [loop]):
            loop(*call, rows[:0], out[:0])
        _prepared.add(features)
    loop(*call, rows, out)
    return out


def features_of(game: Setup, observations: NDArray[np.uint8], edition: int = NEWEST) -> NDArray[np.uint8]:
    """Return the features alone, uint8 (N, D): what an exported policy takes as its input ``features``.

    Args:
        game: whose; OptionError if it has no features.
        observations: uint8 (N, F).
        edition: that of the policy; 0: the newest. OptionError if there is no such one.
    """
    return np.ascontiguousarray(with_features(game, observations, edition)[:, np.shape(observations)[1] :])
