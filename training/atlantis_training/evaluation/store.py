"""Results that grow in a file while they are measured: JSON lines, each of them on disk whole, or not at all.

Every line is an object that begins with ``what`` was measured, complete: two lines with the same ``what`` are of one
measurement. ``first`` is the number of the first game of a line; the rest are columns with an entry for each game.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from atlantis_envs.base.files import MAX_LOG_BYTES, append_whole, parse_json, read_file
from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

BEGINS = '{"what":'  # every line
PACKAGES = ("atlantis_envs", "atlantis_agents")
DIGITS = 12  # of a digest: enough to tell versions apart
Part = dict[str, Any]  # a line


class Store:
    """A file of results, or, without a path, results in memory. Games that are there are not played again.

    >>> from atlantis_training.evaluation.store import Store
    >>> store = Store()
    >>> store.add({"game": "atlandice", "seed": 1}, {"first": 0, "won": [True, False]})
    >>> store.of({"game": "atlandice", "seed": 1})[0]["won"]
    [True, False]

    Args:
        path: of the file, one JSON object a line; neither it nor its directory need exist. None: nothing is written.

    Attributes:
        path: the same.
        parts: what was read and added, in the order of the file.

    Raises:
        OptionError: a line is not a result. A last line that was cut off while it was written is no fault. The file
            stays as it is.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        """Read what is there."""
        self.path = None if path is None else Path(path)
        self.parts: list[Part] = []
        self._by_what: dict[str, list[Part]] = {}
        if self.path is not None and os.path.lexists(self.path):
            *lines, torn = _read(self.path).split(b"\n")
            _check_torn(self.path, torn)
            for number, line in enumerate(lines, 1):
                self._keep(_part(self.path, number, line))

    def of(self, what: Part) -> list[Part]:
        """Return the parts of a measurement."""
        return self._by_what.get(_key(what), [])

    def whats(self) -> list[Part]:
        """Return what was measured, each once, in the order they were begun."""
        return [parts[0]["what"] for parts in self._by_what.values()]

    def add(self, what: Part, part: Part) -> None:
        """Add a part: on disk before this returns, in one write, so that a reader sees all of it or nothing.

        A last line that was torn while it was written is cut away first.

        Raises:
            OptionError: what stands behind the last line is no beginning of one; the file stays as it is.
            OSError: it cannot be written, and is as long as it was; it is named.
        """
        line = json.dumps({"what": what, **part}, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        if self.path is not None:
            _append(self.path, line)
        self._keep({"what": what, **part})

    def _keep(self, part: Part) -> None:
        self.parts.append(part)
        self._by_what.setdefault(_key(part["what"]), []).append(part)

    def drop(self) -> None:
        """Remove the file."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _key(what: Part) -> str:
    return json.dumps(what, sort_keys=True)


def _part(path: Path, number: int, line: bytes) -> Part:
    try:
        part = parse_json(line.decode())
        if not isinstance(part, dict) or not isinstance(part.get("what"), dict):
            raise ValueError("no result")
        if type(part["first"]) is not int or part["first"] < 0:
            raise ValueError(f"first {repr_short(part['first'])}; allowed: 0 or more")
        return part
    except (ValueError, KeyError) as error:
        allowed = "what a measurement wrote, or no such file"
        raise OptionError(f"{repr_short(path)}, line {number}: {repr_short(line)}; allowed: {allowed}") from error


def _read(path: Path) -> bytes:
    """Return all bytes of a file of lines.

    Raises:
        OptionError: it is no regular file, or larger than any of ours; both are named.
    """
    try:
        return read_file(path, MAX_LOG_BYTES)
    except ValueError as error:
        raise OptionError(str(error)) from None


def _check_torn(path: Path, torn: bytes) -> None:
    """Refuse to cut off what can be no line that was torn while it was written."""
    begins = BEGINS.encode()
    if torn[: len(begins)] != begins[: len(torn)]:
        allowed = f"lines that begin with {BEGINS}, or no such file"
        raise OptionError(f"{repr_short(path)}, last line: {repr_short(torn)}; allowed: {allowed}")


def _append(path: Path, line: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path) and not path.is_file():
        raise OptionError(f"{repr_short(path)}: not a regular file; allowed: a file of lines, or no such file")
    with path.open("a+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        if file.read(1) not in (b"", b"\n"):
            *_, torn = _read(path).rpartition(b"\n")
            _check_torn(path, torn)
            file.truncate(size - len(torn))
        append_whole(file, path, line)


@cache
def code_hash(packages: Iterable[str] = PACKAGES, endings: tuple[str, ...] = (".py", ".json")) -> str:
    """Return a digest of the code and data of packages: results of other code are not mixed with those of this."""
    found = hashlib.sha256()
    for name in packages:
        root = Path(str(__import__(name).__file__)).parent
        for path in sorted(path for path in root.rglob("*") if path.suffix in endings):
            found.update(f"{name}/{path.relative_to(root).as_posix()}\0".encode())
            found.update(path.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return found.hexdigest()[:DIGITS]
