"""Arrays in files from anywhere: safetensors, read only after size and SHA-256 have been compared with a manifest.

Nothing is unpickled and no name inside a file is used as a path. Links, devices and pipes are not followed: a file that
never ends or a path that leads elsewhere is refused like a damaged one.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from atlantis_agents.networks.limits import MAX_ARRAY_BYTES

Arrays = dict[str, NDArray[Any]]


class TensorFileError(ValueError):
    """A file that is not what its manifest says; one line."""


def write_tensors(path: Path, arrays: Arrays, limit: int = MAX_ARRAY_BYTES) -> str:
    """Write the arrays, flush them to disk and return the SHA-256. Not atomic: write beside, then rename.

    Raises:
        TensorFileError: it would be larger than what is read back; nothing is written.
    """
    size = sum(array.nbytes for array in arrays.values())
    if size > limit:  # before the copies are made
        raise TensorFileError(f"{path}: {size} bytes; allowed: {limit}, which is what can be read back")
    # A plain ascontiguousarray would give an array without dimensions one.
    raw = save({name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()})
    if len(raw) > limit:
        raise TensorFileError(f"{path}: {len(raw)} bytes; allowed: {limit}, which is what can be read back")
    with path.open("wb") as stream:
        stream.write(raw)
        stream.flush()
        os.fsync(stream.fileno())
    return hashlib.sha256(raw).hexdigest()


def read_tensors(path: Path, sha256: Any, limit: int = MAX_ARRAY_BYTES) -> Arrays:
    """Read the arrays of a file with this SHA-256.

    Raises:
        TensorFileError: it cannot be read, is too large, differs from its checksum, or is no safetensors file.
    """
    raw = _read(path, limit)
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise TensorFileError(f"{path}: SHA-256 differs from the manifest's; the file is damaged")
    try:
        arrays: Arrays = load(raw)
    except (SafetensorError, KeyError, TypeError, ValueError, OverflowError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise TensorFileError(f"{path}: not a safetensors file of plain arrays ({first})") from None
    return arrays


def _read(path: Path, limit: int) -> bytes:
    """Read the bytes of a regular file of at most ``limit`` bytes."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
        with os.fdopen(handle, "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise TensorFileError(f"{path}: not a regular file")
            raw = stream.read(limit + 1)
    except OSError as error:
        raise TensorFileError(f"{path}: cannot be read ({error.strerror or error})") from None
    if len(raw) > limit:
        raise TensorFileError(f"{path}: larger than {limit} bytes")
    return raw
