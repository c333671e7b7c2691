"""A file of measured games that grows while they are played, a JSON line per part: nothing is played twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import shown
from atlantis_envs.errors import OptionError
from atlantis_training.lab.code import code_print
from atlantis_training.lab.lines import add_line, whole_lines

BEGINS = '{"cell":'  # every line


@dataclass(frozen=True)
class Part:
    """Consecutive games of one cell.

    Attributes:
        cell: what is measured, complete: game, players, options, rules, hero, against, seed; and sha256, by the
            directory of a policy, where one is named.
        seat: where the hero sat; 0 for a team.
        first: number of the first game.
        shares: what the hero won of each.
        seconds: CPU time of its decisions that were not forced (of all where strength.py cannot tell, and where it was
            measured before strength.py told, with what loading took); decisions: how many were not forced.
        simulations: imagined games in them, imagined: decisions in these.
        code: fingerprint of the code that played.
    """

    cell: dict[str, Any]
    seat: int
    first: int
    shares: list[float]
    seconds: float
    decisions: int
    simulations: int
    imagined: int
    code: str


class Results:
    """The parts in a file, or, without one, in memory.

    Args:
        path: JSON lines; None: nothing is kept.

    Raises:
        OptionError: a line, other than a last one cut off while it was written, is none of ours; the file stays as it
            is.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Read what is there."""
        self.path = path
        self.parts: list[Part] = []
        if path is not None:
            self.parts = [_parse(path, number, line) for number, line in enumerate(whole_lines(path, BEGINS), 1)]

    def add(self, part: Part) -> None:
        """Keep a part."""
        self.parts.append(part)
        if self.path is not None:
            add_line(self.path, asdict(part), BEGINS)

    def of(self, cell: dict[str, Any]) -> list[Part]:
        """The parts of a cell; says so on stderr if other code played some of them."""
        found = [part for part in self.parts if part.cell == cell]
        foreign = sum(len(part.shares) for part in found if part.code != code_print())
        if foreign:
            print(f"Note: other code than the present played {foreign} of the games kept.", file=sys.stderr)
        return found

    def cells(self) -> list[dict[str, Any]]:
        """All cells, in the order they were begun."""
        seen = {json.dumps(part.cell, sort_keys=True): part.cell for part in self.parts}
        return list(seen.values())


def _parse(path: Path, number: int, line: bytes) -> Part:
    try:
        return Part(**parse_json(line.decode()))
    except (ValueError, TypeError) as error:
        raise OptionError(f"{path}, line {number}: {shown(line)}; allowed: what benchmarks strength wrote") from error


def missing(parts: Iterable[Part], seat: int, games: int, size: int) -> list[range]:
    """Games 0..games-1 that a seat has still to play, in runs of at most ``size``."""
    done = {part.first + number for part in parts if part.seat == seat for number in range(len(part.shares))}
    runs: list[range] = []
    for number in sorted(set(range(games)) - done):
        if runs and runs[-1].stop == number and len(runs[-1]) < size:
            runs[-1] = range(runs[-1].start, number + 1)
        else:
            runs.append(range(number, number + 1))
    return runs
