"""Defaults for the optional fields of a declaration: the simplest kernels, and documents made from the dtype."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.engine.records import UNUSED, records
from atlantis_envs.errors import OptionError, PositionError
from atlantis_envs.kernels.kernel import kernel

KEYS = ("game", "options", "state")
WHOLE, LOGICAL = "iu", "b"  # kinds of dtype that a document can hold


@kernel
def no_scores(rules, state, out):
    """Score every seat 0: the game declares no scores."""
    out[:] = 0


@kernel
def no_faults(rules, state):
    """Find no fault: the game declares no check."""
    return 0


@kernel
def no_resample(rules, state, seat, rng):
    """Return False: the game does not say how to sample what a seat cannot know."""
    return False


def stored_fields(name: str, dtype: np.dtype[Any]) -> list[str]:
    """Return names of the fields of a state that a document holds.

    Raises:
        ValueError: a field that is not a whole number, bool or array of them: such a game writes its own documents.
    """
    fields = [field for field in dtype.names or () if field != UNUSED]
    for field in fields:
        kind = dtype[field].base
        if kind.kind not in WHOLE + LOGICAL:
            raise ValueError(f"{name}: state.{field}: {kind}; allowed without to_json and from_json: integers, bool")
    return fields


def write_state(name: str, dtype: np.dtype[Any], options: Any, state: Any) -> dict[str, Any]:
    """Return a position as a document: every field of the state under its name."""
    fields = {field: np.asarray(state[field]).tolist() for field in stored_fields(name, dtype)}
    return {"game": name, "options": options.to_json(), "state": fields}


def read_state(name: str, dtype: np.dtype[Any], parse_options: Callable[..., Any], document: Any) -> tuple[Any, Any]:
    """Return options and an array of one state out of what ``write_state`` has written.

    Raises:
        PositionError: every fault with its JSON path.
    """
    reader = Reader()
    given = reader.mapping("", document, KEYS, required=KEYS)
    reader.choice("game", given.get("game", name), (name,))
    options = _options(reader, given.get("options", {}), parse_options)
    fields = stored_fields(name, dtype)
    values = reader.mapping("state", given["state"], fields, required=fields) if "state" in given else {}
    read = {field: _value(reader, f"state.{field}", values[field], dtype[field]) for field in values}
    if reader.faults:
        raise PositionError(reader.faults)
    states = records(1, dtype)
    for field, value in read.items():
        states[field][0] = value
    return options, states


def _options(reader: Reader, given: Any, parse_options: Callable[..., Any]) -> Any:
    if not isinstance(given, Mapping) or not all(isinstance(key, str) for key in given):
        reader.fault("options", f"{repr_short(given)}; allowed: an object")
        return None
    try:
        return parse_options(given.get("players"), None, {key: given[key] for key in given if key != "players"})
    except (OptionError, TypeError) as error:
        reader.fault("options", str(error))
        return None


def _value(reader: Reader, path: str, value: Any, dtype: np.dtype[Any]) -> Any:
    """Read a value, or nested lists of values, of the dtype of a field."""
    if dtype.shape:
        items = reader.sequence(path, value, dtype.shape[0], dtype.shape[0])
        inner = np.dtype((dtype.base, dtype.shape[1:]))
        return [_value(reader, f"{path}[{index}]", item, inner) for index, item in enumerate(items)]
    if dtype.kind in LOGICAL:
        return reader.boolean(path, value)
    limits = np.iinfo(dtype)
    return reader.integer(path, value, int(limits.min), int(limits.max))
