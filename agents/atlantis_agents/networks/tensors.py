"""Arrays in files from anywhere: safetensors, read only after size and SHA-256 have been compared with a manifest.

Nothing is unpickled and no name inside a file is used as a path. Links, devices and pipes are not followed: a file that
never ends or a path that leads elsewhere is refused like a damaged one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from atlantis_envs.base.files import MAX_FILE_BYTES, read_file, write_atomically
from atlantis_envs.base.values import one_line, repr_short

# What a file may hold, for those who write it and those who read it: nothing is written that cannot be read back.
MAX_MANIFEST_BYTES = MAX_FILE_BYTES  # JSON beside the arrays
MAX_ARRAY_BYTES = 1 << 30  # of a checkpoint
MAX_WEIGHT_BYTES = 256 * 1024 * 1024  # of a policy
MAX_LAYERS = 16  # hidden ones
MAX_WIDTH = 1 << 16  # of a hidden layer
MAX_ENTRIES = 1 << 16  # opponents in the pool of a checkpoint
TENSOR_BYTES = 256  # what a tensor takes beside its numbers: name, type, shape, place

Arrays = dict[str, NDArray[Any]]


class TensorFileError(ValueError):
    """A file that is not what its manifest says; one line."""


def write_tensors(path: Path, arrays: Arrays, limit: int = MAX_ARRAY_BYTES) -> str:
    """Write the arrays atomically and return the SHA-256 of the file.

    Raises:
        TensorFileError: it would be larger than what is read back; nothing is written.
        OSError: naming the file; what was there is as it was.
    """
    raw = tensor_bytes(path, arrays, limit)
    write_atomically(path, raw)
    return hashlib.sha256(raw).hexdigest()


def tensor_bytes(path: Path, arrays: Arrays, limit: int = MAX_ARRAY_BYTES) -> bytes:
    """Return what a file of these arrays holds.

    Raises:
        TensorFileError: it would be larger than what is read back from ``path``.
    """
    size = sum(array.nbytes for array in arrays.values())
    if size > limit:  # before the copies are made
        raise TensorFileError(f"{repr_short(path)}: {size} bytes; allowed: {limit}, which is what can be read back")
    # A plain ascontiguousarray would give an array without dimensions one.
    raw: bytes = save({name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()})
    if len(raw) > limit:
        raise TensorFileError(f"{repr_short(path)}: {len(raw)} bytes; allowed: {limit}, which is what can be read back")
    return raw


def read_tensors(path: Path, sha256: Any, limit: int = MAX_ARRAY_BYTES) -> Arrays:
    """Read the arrays of a file with this SHA-256.

    Raises:
        TensorFileError: it cannot be read, is too large, differs from its checksum, or is no safetensors file.
    """
    raw = _read(path, limit)
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise TensorFileError(f"{repr_short(path)}: SHA-256 differs from the manifest's; the file is damaged")
    try:
        arrays: Arrays = load(raw)
    except (SafetensorError, KeyError, TypeError, ValueError, OverflowError) as error:
        first = one_line((str(error).splitlines() or [type(error).__name__])[0])
        raise TensorFileError(f"{repr_short(path)}: not a safetensors file of plain arrays ({first})") from None
    return arrays


def _read(path: Path, limit: int) -> bytes:
    """Read the bytes of a regular file of at most ``limit`` bytes; no link is followed to it."""
    try:
        return read_file(path, limit, links=False)
    except ValueError as error:
        raise TensorFileError(str(error)) from None
