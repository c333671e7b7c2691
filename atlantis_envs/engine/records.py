"""Arrays of records with attribute access, compiled or not."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

UNUSED = "unused"  # the field that ``packed`` fills a record up with


def packed(fields: list[Any]) -> np.dtype[Any]:
    """Return an aligned structured dtype without padding, which NumPy would leave undefined in copies.

    >>> import numpy as np
    >>> from atlantis_envs.authoring import packed
    >>> packed([("turn", np.int16), ("cards", np.int8, (2,))]).itemsize
    4

    Fields come in order of falling alignment; what is missing at the end becomes a field ``unused``, always zero.

    Args:
        fields: ``(name, type)`` or ``(name, type, shape)``, as for ``np.dtype``.

    Raises:
        ValueError: a gap between two fields; reorder them. Or a field that is called ``unused``.
    """
    if any(field[0] == UNUSED for field in fields):
        raise ValueError(f"a field is called {UNUSED!r}; allowed: any other name")
    dtype = np.dtype(fields, align=True)
    missing = dtype.itemsize - sum(dtype[name].itemsize for name in dtype.names or ())
    if missing:
        dtype = np.dtype([*fields, (UNUSED, np.uint8, (missing,))], align=True)
    if has_padding(dtype):
        raise ValueError("fields are not in order of falling alignment")
    return dtype


def has_padding(dtype: np.dtype[Any]) -> bool:
    """Return whether some bytes of a record belong to no field."""
    return dtype.itemsize != sum(dtype[name].itemsize for name in dtype.names or ())


def records(count: int, dtype: np.dtype[Any]) -> Any:
    """Return ``count`` records of a dtype as a recarray, every byte 0.

    >>> import numpy as np
    >>> from atlantis_envs.authoring import packed, records
    >>> states = records(3, packed([("turn", np.int16), ("cards", np.int8, (2,))]))
    >>> states.cards.shape, int(states[0].turn)
    ((3, 2), 0)
    """
    return np.zeros(count, dtype).view(np.recarray)


def plain_records(count: int, dtype: np.dtype[Any]) -> Any:
    """Return ``plain(records(count, dtype))`` in a fifth of the time."""
    return np.ndarray(count, with_records(dtype), bytearray(count * dtype.itemsize))


@cache
def with_records(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same dtype, with records that have attributes: what ``plain(records(...))`` has."""
    return np.dtype((np.record, dtype))


def as_records(array: Any) -> Any:
    """Return the same memory as a recarray."""
    return array.view(np.recarray)


def read_only(array: Any) -> Any:
    """Return the same memory, C-contiguous, as an array that NumPy refuses to make writable, as do all views of it.

    ``array.flags.writeable = False`` is undone by whoever sets it to True, as long as the memory's owner is writable.

    Raises:
        ValueError: the array is not C-contiguous.
    """
    if not array.flags.c_contiguous:
        raise ValueError(f"array: strides {array.strides}; allowed: C-contiguous")
    address = array.__array_interface__["data"][0]
    interface = {"version": 3, "shape": (array.nbytes,), "typestr": "|u1", "data": (address, True)}
    # A base without a buffer of its own, which nobody can ask to be writable; it holds the memory that must outlive it.
    window = SimpleNamespace(__array_interface__=interface, memory=array)
    seen = np.asarray(window) if array.nbytes else np.frombuffer(b"", np.uint8)
    return seen.view(array.dtype).reshape(array.shape).view(type(array))


def plain(array: Any) -> Any:
    """Return the same memory for a compiled loop: its records keep attribute access, and the call costs less.

    A loop called with recarrays takes 5 microseconds longer, since numba looks up their type through Python.
    """
    return array.view(np.ndarray)


def compact(raw: bytes | bytearray) -> bytes:
    """Return bytes without their zeros: a bit for every byte, then those that are not 0.

    Bytes of one length have equal results only if they are equal.
    """
    content = np.frombuffer(raw, np.uint8)
    there = content != 0
    return bytes(np.packbits(there).tobytes() + content[there].tobytes())
