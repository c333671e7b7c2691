"""Arguments of the environments, checked once at the face."""

from __future__ import annotations

from typing import Any

import numpy as np

from atlantis_envs.engine.values import shown
from atlantis_envs.errors import IllegalActionError, OptionError

MAX_SEED = 2**64 - 1


def choice(name: str, value: Any, allowed: tuple[str | None, ...]) -> Any:
    """``value``, if it is allowed.

    Raises:
        OptionError: naming the argument.
    """
    if isinstance(value, (str, type(None))) and value in allowed:
        return value
    raise OptionError(f"{name}: {shown(value)}; allowed: {', '.join(map(repr, allowed))}")


def number(name: str, value: Any, low: float, high: float) -> float:
    """``value`` as a float, if it is an int or float in ``low``..``high``.

    Raises:
        OptionError: naming the argument.
    """
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if real and low <= value <= high:
        return float(value)
    raise OptionError(f"{name}: {shown(value)}; allowed: a number {low:g}..{high:g}")


def action_id(action: Any) -> int:
    """An action id from a Python or NumPy integer, or an integer array without dimensions.

    Raises:
        IllegalActionError: anything else; bool and float are never ids.
    """
    number = action
    if isinstance(action, np.ndarray) and action.ndim == 0 and not isinstance(action, np.ma.MaskedArray):
        number = action[()]
    if isinstance(number, (int, np.integer)) and not isinstance(number, bool):
        return int(number)
    raise IllegalActionError(f"action: {shown(action)} is {type(action).__name__}; allowed: an integer action id")


def checked_seed(seed: Any) -> int:
    """A seed.

    Raises:
        ValueError: not an integer 0..2**64-1.
    """
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)) or not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed: {shown(seed)}; allowed: an integer 0..{MAX_SEED}")
    return int(seed)


def fresh_seed() -> int:
    """A seed from the operating system's entropy."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
