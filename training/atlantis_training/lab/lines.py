"""Files of JSON lines that grow while something is measured: a line is on disk whole, or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from atlantis_envs.base.values import shown
from atlantis_envs.errors import OptionError


def whole_lines(path: Path, begins: str) -> list[bytes]:
    """The lines of a file, none if it is not there; without a last one that was torn while it was written.

    The file stays as it is: it may turn out to be somebody else's when its lines are read.

    Args:
        path: of the file.
        begins: what every line begins with.

    Raises:
        OptionError: what stands behind the last line is no beginning of one.
    """
    if not path.exists():
        return []
    *whole, torn = path.read_bytes().split(b"\n")
    check_torn(path, torn, begins)
    return whole


def check_torn(path: Path, torn: bytes, begins: str) -> None:
    """Refuse to cut off what can be no line that was torn while it was written.

    Raises:
        OptionError: it does not begin with ``begins``, as far as it goes.
    """
    wanted = begins.encode()
    if torn[: len(wanted)] != wanted[: len(torn)]:
        allowed = f"lines that begin with {begins}, or no such file"
        raise OptionError(f"{path}, last line: {shown(torn)}; allowed: {allowed}")


def add_line(path: Path, document: Any, begins: str) -> None:
    """Add a line: on disk before this returns, in one write, so that a reader sees all of it or nothing.

    A last line that was torn while it was written is cut away first.

    Args:
        path: of the file; it need not be there, nor its directory.
        document: to write.
        begins: what every line begins with.

    Raises:
        OptionError: see whole_lines; the file stays as it is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read(1) not in (b"", b"\n"):
            *_, torn = path.read_bytes().rpartition(b"\n")
            check_torn(path, torn, begins)
            file.truncate(size - len(torn))
        file.write(json.dumps(document, separators=(",", ":")).encode() + b"\n")
        os.fsync(file.fileno())
