"""What a measurement has played so far, in a file: an hour of games is not lost with an interruption."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Shares = NDArray[np.float64]


def kept_in(target: Path) -> Kept:
    """What was played for the agent of a directory, which need not be there: in a file beside it."""
    return Kept(target.with_name(f"{target.name}.measured.jsonl"))


class Kept:
    """JSON lines, one for every stretch of games; ``drop`` it once the card is written.

    Args:
        path: of the file; it need not be there.

    Attributes:
        path: the same.
    """

    def __init__(self, path: Path) -> None:
        """Read what is there, but for a last line that was cut off while it was written."""
        self.path = path
        self._parts: list[dict[str, Any]] = []
        if path.exists():
            raw = path.read_bytes()
            whole = raw.rfind(b"\n") + 1
            self._parts = [json.loads(line) for line in raw[:whole].splitlines()]
            if whole < len(raw):
                with path.open("r+b") as file:
                    file.truncate(whole)

    def of(self, what: dict[str, Any]) -> dict[int, Shares]:
        """Number of the first game of a stretch -> what the agent won there, float64 (tables, games)."""
        return {part["first"]: np.array(part["shares"]) for part in self._parts if part["what"] == what}

    def add(self, what: dict[str, Any], first: int, shares: Shares) -> None:
        """Keep a stretch: on disk before this returns."""
        part = {"what": what, "first": first, "shares": shares.tolist()}
        self._parts.append(part)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(part, separators=(",", ":")).encode() + b"\n")
            os.fsync(file.fileno())

    def drop(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
