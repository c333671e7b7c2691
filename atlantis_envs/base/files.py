"""Files from outside are read with limits; files of ours are complete or were never there."""

from __future__ import annotations

import io
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from atlantis_envs.base.values import one_line, repr_short

MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_LOG_BYTES = 256 * 1024 * 1024  # of a file that grows while something is measured
SHORT_NAME = 40  # characters of a file's name that its temporary one begins with


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write to a temporary file beside ``path``, flush it to disk, and put it in place.

    Text is written as UTF-8; half of a surrogate pair, which UTF-8 cannot hold, is written as its number. An existing
    file keeps its permissions, and the umask sets those of a new one, as with ``open``.

    Raises:
        OSError: naming ``path``; there is no temporary file left, and what was at ``path`` is as it was.
    """
    write_together({path: content})


def write_together(contents: Mapping[Path, str | bytes]) -> None:
    """Write files that belong together as ``write_atomically`` does; none is put in place before all are whole.

    Raises:
        OSError: naming the file; there is no temporary file left.
    """
    temporary: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            temporary[path] = path.with_name(f".{path.name[:SHORT_NAME]}.{secrets.token_hex(8)}")
            with naming(path):
                _write(temporary[path], path, content)
        for path, written in temporary.items():
            with naming(path):
                os.replace(written, path)
    except BaseException:
        for written in temporary.values():
            with suppress(OSError):
                written.unlink()
        raise


def _write(temporary: Path, path: Path, content: str | bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(temporary, flags, 0o666), "wb") as stream:
        with suppress(OSError, AttributeError):  # no file yet; a system without such bits
            os.fchmod(stream.fileno(), stat.S_IMODE(path.stat().st_mode))
        stream.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let every OSError name this file: a full disk names none, and a temporary file says nothing to anybody."""
    try:
        yield
    except OSError as error:
        if error.errno is not None:
            error.filename, error.filename2 = str(path), None
        raise


def append_whole(stream: io.FileIO, path: Path, content: bytes) -> None:
    """Add to the end of an unbuffered file, flushed to disk; after a failure the file is as long as it was.

    Raises:
        OSError: naming the file.
    """
    with naming(path):
        size = os.fstat(stream.fileno()).st_size
        try:
            left = memoryview(content)
            while left:  # a disk that fills up takes a part and says so
                left = left[stream.write(left) :]
            os.fsync(stream.fileno())
        except BaseException:
            with suppress(OSError):
                stream.truncate(size)
            raise


# ----------------------------------------------------------------------------------------------------------- reading


def exists(path: str | Path) -> bool:
    """Return whether there is such a file or directory; False for what cannot be a name, or cannot be looked at."""
    try:
        os.stat(path)
    except (OSError, ValueError):  # too long; a zero byte, half of a surrogate pair
        return False
    return True


def is_directory(path: str | Path) -> bool:
    """Return whether there is such a directory; see ``exists``."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def read_file(path: str | Path, limit: int = MAX_FILE_BYTES, links: bool = True) -> bytes:
    """Return the bytes of a regular file.

    A pipe is not waited for, and a device is not read.

    Args:
        path: of the file.
        limit: bytes that it may have.
        links: whether the last part of the path may be a link.

    Raises:
        ValueError: naming the file, what is wrong and what is allowed.
    """
    name = repr_short(Path(path))
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    allowed = f"allowed: a regular file of at most {limit} bytes"
    try:
        if not stat.S_ISREG((os.stat if links else os.lstat)(path).st_mode):  # opening some devices does something
            raise ValueError(f"{name}: not a regular file; {allowed}")
        with os.fdopen(os.open(path, flags if links else flags | getattr(os, "O_NOFOLLOW", 0)), "rb") as stream:
            facts = os.fstat(stream.fileno())
            if not stat.S_ISREG(facts.st_mode):
                raise ValueError(f"{name}: not a regular file; {allowed}")
            raw = b"" if facts.st_size > limit else stream.read(limit + 1)
    except OSError as error:
        raise ValueError(f"{name}: cannot be read ({error.strerror or error}); {allowed}") from None
    except ValueError as error:
        fault = str(error) if str(error).startswith(f"{name}: not a") else f"{name}: not the name of a file; {allowed}"
        raise ValueError(fault) from None
    if facts.st_size > limit or len(raw) > limit:
        raise ValueError(f"{name}: larger than {limit} bytes; {allowed}")
    return raw


def read_json(path: str | Path) -> Any:
    """Return a JSON file, with limits: at most 16 MiB, no NaN, no duplicate keys, no endless nesting.

    Raises:
        ValueError: naming the file and what is wrong.
    """
    raw = read_file(path)
    try:
        return parse_json(raw.decode("utf-8"))
    except ValueError as error:
        raise ValueError(f"{repr_short(Path(path))}: {one_line(error)}") from None


def parse_json(text: str) -> Any:
    """Parse JSON text strictly: ValueError on NaN, infinities, duplicate keys, over-long integers and deep nesting."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError(f"duplicate key in {repr_short([key for key, _ in pairs])}")
    return result


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not allowed")
