"""One process at a time in the directory of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

try:
    import fcntl
except ImportError:  # Windows, where nothing keeps two processes apart
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """Keep every other process out of a directory; the system releases it when this one dies, however it dies.

    Raises:
        OptionError: another one is in it.
    """
    if fcntl is None or not directory.is_dir():
        yield
        return
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)  # a pipe of that name is not waited for
        stream = os.fdopen(os.open(directory / LOCK, flags, 0o666), "rb")
    except OSError:  # whoever cannot write here cannot get in anybody's way
        yield
        return
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(
                f"out: {repr_short(directory)} is in use by another process; allowed: another directory"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield
