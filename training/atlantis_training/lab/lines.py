"""Files of JSON lines that grow while something is measured: a line is on disk whole, or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from atlantis_envs.base.files import MAX_LOG_BYTES, append_whole, read_file
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
    if not os.path.lexists(path):
        return []
    *whole, torn = read_log(path).split(b"\n")
    check_torn(path, torn, begins)
    return whole


def read_log(path: Path) -> bytes:
    """Return all bytes of a file of lines.

    Raises:
        OptionError: it is no regular file, or larger than any of ours; both are named.
    """
    try:
        return read_file(path, MAX_LOG_BYTES)
    except ValueError as error:
        raise OptionError(str(error)) from None


def check_torn(path: Path, torn: bytes, begins: str) -> None:
    """Refuse to cut off what can be no line that was torn while it was written.

    Raises:
        OptionError: it does not begin with ``begins``, as far as it goes.
    """
    wanted = begins.encode()
    if torn[: len(wanted)] != wanted[: len(torn)]:
        allowed = f"lines that begin with {begins}, or no such file"
        raise OptionError(f"{shown(path)}, last line: {shown(torn)}; allowed: {allowed}")


def add_line(path: Path, document: Any, begins: str) -> None:
    """Add a line: on disk before this returns, in one write, so that a reader sees all of it or nothing.

    A last line that was torn while it was written is cut away first.

    Args:
        path: of the file; it need not be there, nor its directory.
        document: to write.
        begins: what every line begins with.

    Raises:
        OptionError: see whole_lines; the file stays as it is.
        OSError: it cannot be written, and is as long as it was; it is named.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path) and not path.is_file():
        raise OptionError(f"{shown(path)}: not a regular file; allowed: a file of lines, or no such file")
    with path.open("a+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read(1) not in (b"", b"\n"):
            *_, torn = read_log(path).rpartition(b"\n")
            check_torn(path, torn, begins)
            file.truncate(size - len(torn))
        append_whole(file, path, json.dumps(document, separators=(",", ":")).encode() + b"\n")
