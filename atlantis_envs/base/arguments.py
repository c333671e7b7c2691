"""Arguments of the public interface, checked once, where they come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import IllegalActionError, OptionError

MAX_SEED = 2**64 - 1
INT64 = np.dtype(np.int64)


def choice(name: str, value: Any, allowed: tuple[str | None, ...]) -> Any:
    """Return ``value``, if it is allowed.

    Raises:
        OptionError: naming the argument.
    """
    if isinstance(value, (str, type(None))) and value in allowed:
        return value
    raise OptionError(f"{name}: {repr_short(value)}; allowed: {', '.join(map(repr_short, allowed))}")


def number(name: str, value: Any, low: float, high: float) -> float:
    """Return ``value`` as a float, if it is an int or float in ``low``..``high``.

    Raises:
        OptionError: naming the argument.
    """
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if real and low <= value <= high:
        return float(value)
    raise OptionError(f"{name}: {repr_short(value)}; allowed: a number {low:g}..{high:g}")


def action_id(action: Any) -> int:
    """Return an action id from a Python or NumPy integer, or an integer array without dimensions.

    Raises:
        IllegalActionError: anything else; bool and float are never ids.
    """
    number = action
    if isinstance(action, np.ndarray) and action.ndim == 0 and not isinstance(action, np.ma.MaskedArray):
        number = action[()]
    if is_integer(number):
        return int(number)
    raise IllegalActionError(f"action: {repr_short(action)} is {type(action).__name__}; allowed: an integer action id")


def is_integer(value: Any) -> bool:
    """Return whether a value is a Python or NumPy integer; a bool is not one."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def integer(name: str, value: Any, low: int, high: int) -> int:
    """Return ``value`` as an int, if it is a Python or NumPy integer in ``low``..``high``.

    Raises:
        ValueError: naming the argument.
    """
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name}: {repr_short(value)}; allowed: an integer {low}..{high}")
    return int(value)


def checked_seed(seed: Any) -> int:
    """Return the seed as an int.

    Raises:
        ValueError: not an integer 0..2**64-1.
    """
    return integer("seed", seed, 0, MAX_SEED)


def fresh_seed() -> int:
    """Return a seed from the operating system's entropy."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def check_arrays(given: Mapping[str, NDArray[Any]], wanted: Mapping[str, NDArray[Any]]) -> None:
    """Refuse saved arrays that do not have the shapes and dtypes of those that are wanted.

    Raises:
        ValueError: naming the first array at fault.
    """
    for name, array in wanted.items():
        found = given.get(name)
        if found is None or found.shape != array.shape or found.dtype != array.dtype:
            has = None if found is None else f"{found.dtype} {found.shape}"
            raise ValueError(f"{name} is {has}; allowed: {array.dtype} {array.shape}")


def integer_array(values: Any) -> NDArray[np.int64] | None:
    """Convert integers of any kind to an int64 array, aligned and C-contiguous as machine code takes it.

    None for anything else, even a single bool.
    """
    if type(values) is np.ndarray and values.dtype is INT64 and values.flags.c_contiguous and values.flags.aligned:
        return values  # as they mostly come: no more to look at
    if isinstance(values, (list, tuple)) and any(isinstance(value, (bool, np.bool_)) for value in values):
        return None
    try:
        numbers = np.asarray(values)
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
    if isinstance(values, np.ma.MaskedArray) or (numbers.size and numbers.dtype.kind not in "iu"):
        return None
    if numbers.dtype == np.uint64:
        numbers = np.minimum(numbers, np.uint64(2**63 - 1))
    return numbers.astype(np.int64, order="C", copy=not numbers.flags.aligned)
