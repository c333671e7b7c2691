"""Files of JSON lines that grow while something is measured: a line is on disk whole, or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a file, none if it is not there; a last one that was torn while it was written is cut away."""
    if not path.exists():
        return []
    *whole, torn = path.read_bytes().split(b"\n")
    if torn:
        with path.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in whole))
    return whole


def add_line(path: Path, document: Any) -> None:
    """Add a line: on disk before this returns, in one write, so that a reader sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        file.write(json.dumps(document, separators=(",", ":")).encode() + b"\n")
        os.fsync(file.fileno())
