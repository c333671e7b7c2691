"""Files from outside are read with limits; files of ours are complete or were never there."""

from __future__ import annotations

import json
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from atlantis_envs.base.values import shown

MAX_FILE_BYTES = 16 * 1024 * 1024
SHORT_NAME = 40  # characters of a file's name that its temporary one begins with


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write to a temporary file beside ``path``, flush it to disk, and put it in place.

    Text is written as UTF-8; half of a surrogate pair, which UTF-8 cannot hold, is written as its number. An existing
    file keeps its permissions, and the umask sets those of a new one, as with ``open``.
    """
    temporary = path.with_name(f".{path.name[:SHORT_NAME]}.{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o666), "wb") as stream:
            with suppress(OSError, AttributeError):  # no file yet; a system without such bits
                os.fchmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode))
            stream.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def read_json(path: str | Path) -> Any:
    """A JSON file, with limits: at most 16 MiB, no NaN, no duplicate keys, no endless nesting.

    Raises:
        ValueError: naming the file and what is wrong.
    """
    file = Path(path)
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ValueError(f"{file}: cannot be read ({error.strerror or error})") from None
    if len(raw) > MAX_FILE_BYTES:
        raise ValueError(f"{file}: larger than {MAX_FILE_BYTES} bytes")
    try:
        return parse_json(raw.decode("utf-8"))
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def parse_json(text: str) -> Any:
    """JSON text, strictly: ValueError on NaN, infinities, duplicate keys, over-long integers and deep nesting."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError(f"duplicate key in {shown([key for key, _ in pairs])}")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not allowed")
