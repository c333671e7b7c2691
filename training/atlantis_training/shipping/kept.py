"""What a measurement has played so far, in a file: an hour of games is not lost with an interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import shown
from atlantis_envs.errors import OptionError
from atlantis_training.lab.lines import add_line, whole_lines

Shares = NDArray[np.float64]
BEGINS = '{"what":'  # every line


def kept_in(target: Path) -> Kept:
    """What was played for the agent of a directory, which need not be there: in a file beside it."""
    return Kept(target.with_name(f"{target.name}.measured.jsonl"))


class Kept:
    """JSON lines, one for every stretch of games; ``drop`` it once the card is written.

    Args:
        path: of the file; it need not be there.

    Attributes:
        path: the same.

    Raises:
        OptionError: a line, other than a last one cut off while it was written, is none of ours; the file stays as it
            is.
    """

    def __init__(self, path: Path) -> None:
        """Read what is there."""
        self.path = path
        self._parts = [self._parsed(number, line) for number, line in enumerate(whole_lines(path, BEGINS), 1)]

    def _parsed(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            part = parse_json(line.decode())
            return {
                "what": part["what"],
                "first": int(part["first"]),
                "shares": np.array(part["shares"], float).tolist(),
            }
        except (ValueError, TypeError, KeyError) as error:
            allowed = "what a measurement wrote, or no such file"
            raise OptionError(f"{shown(self.path)}, line {number}: {shown(line)}; allowed: {allowed}") from error

    def of(self, what: dict[str, Any]) -> dict[int, Shares]:
        """Number of the first game of a stretch -> what the agent won there, float64 (tables, games)."""
        return {part["first"]: np.array(part["shares"]) for part in self._parts if part["what"] == what}

    def add(self, what: dict[str, Any], first: int, shares: Shares) -> None:
        """Keep a stretch: on disk before this returns."""
        part = {"what": what, "first": first, "shares": shares.tolist()}
        self._parts.append(part)
        add_line(self.path, part, BEGINS)

    def drop(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
