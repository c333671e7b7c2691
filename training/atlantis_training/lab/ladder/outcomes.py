"""What was played of a ladder, and the file that keeps it: a line of JSON for every finished task.

A line is written whole and flushed to disk before the next task counts; what an interruption tore off is cut away when
the next line is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.files import append_whole, parse_json
from atlantis_envs.base.values import one_line, shown
from atlantis_envs.errors import OptionError
from atlantis_training.lab.ladder.plan import Ladder
from atlantis_training.lab.lines import check_torn, read_log
from atlantis_training.lab.matches import Results
from atlantis_training.lab.pages import provenance

LOG = "ladder.jsonl"
FORMAT = "atlantis-envs ladder log 1"
HEAD_BEGINS, BEGINS = f'{{"format": "{FORMAT}"', '{"matchup":'  # the first line, every other one
MISSING = -1

Numbers = NDArray[np.int16]


@dataclass(frozen=True)
class Outcomes:
    """Who won which game.

    Attributes:
        winners: int16 (matchups, tables, blocks), a bit per seat that won, bit 0 for a team; 0 where nobody did, which
            a safety bound that cuts a game off brings about; -1 where it was not played.
        starters: int16, the same shape: the seat that decided first.
    """

    winners: Numbers
    starters: Numbers

    @classmethod
    def none(cls, ladder: Ladder, blocks: int) -> Outcomes:
        """Nothing played yet."""
        shape = (len(ladder.matchups), len(ladder.matchups[0]), blocks)
        return cls(np.full(shape, MISSING, np.int16), np.full(shape, MISSING, np.int16))

    @property
    def finished(self) -> int:
        """Blocks that are whole, counted from the first one without a gap."""
        whole = (self.winners != MISSING).all(axis=(0, 1))
        return int(np.argmin(whole)) if not whole.all() else len(whole)

    def first(self, blocks: int) -> Outcomes:
        """The first so many blocks."""
        return Outcomes(self.winners[:, :, :blocks], self.starters[:, :, :blocks])

    def put(self, entry: Entry) -> None:
        """Add what an entry holds, as far as there is room for it."""
        there = slice(entry.first, entry.first + entry.winners.shape[1])
        room = max(0, self.winners.shape[2] - entry.first)
        self.winners[entry.matchup, :, there] = entry.winners[:, :room]
        self.starters[entry.matchup, :, there] = entry.starters[:, :room]


@dataclass(frozen=True)
class Entry:
    """A finished task: one matchup's tables over consecutive blocks.

    Attributes:
        matchup: which one.
        first: the first block.
        winners: int16 (tables, blocks) as in ``Outcomes``.
        starters: int16 (tables, blocks).
    """

    matchup: int
    first: int
    winners: Numbers
    starters: Numbers

    @classmethod
    def of(cls, matchup: int, first: int, results: Sequence[Results], cooperative: bool) -> Entry:
        """The entry for the results of a task, one per table."""
        masks = [_team(result) if cooperative else _winners(result) for result in results]
        starters = np.stack([result.starters for result in results])
        return cls(matchup, first, np.stack(masks).astype(np.int16), starters.astype(np.int16))

    def line(self) -> str:
        """The entry as a line of JSON."""
        document = {
            "matchup": self.matchup,
            "first": self.first,
            "winners": self.winners.tolist(),
            "starters": self.starters.tolist(),
        }
        return json.dumps(document, separators=(",", ":")) + "\n"


def _winners(result: Results) -> NDArray[np.int64]:
    bits: NDArray[np.int64] = 1 << np.arange(result.returns.shape[1])
    return np.asarray((result.win_shares > 0) @ bits)


def _team(result: Results) -> NDArray[np.int64]:
    return (result.returns[:, 0] > 0).astype(np.int64)


# --------------------------------------------------------------------------------------------------------- the file


class Log:
    """The file of a ladder in a directory, open for more.

    Args:
        directory: it exists.
        ladder: what is played.
        resume: go on with the file that is there; else there is none.

    Attributes:
        path: of the file.
        entries: what it held.

    Raises:
        OptionError: there is a file, or none, or it is another ladder's, or it is damaged.
    """

    def __init__(self, directory: Path, ladder: Ladder, resume: bool) -> None:
        """Read what is there, or begin with the first line."""
        self.path = directory / LOG
        self.entries: list[Entry] = []
        head = json.dumps({"format": FORMAT, **provenance(ladder.game, ladder.agents, ladder.seed)}) + "\n"
        if os.path.lexists(self.path) != resume:
            there = "there is no such file" if resume else "there is a ladder already"
            allowed = "without --resume" if resume else "--resume, or another directory"
            raise OptionError(f"{'resume' if resume else 'out'}: {shown(self.path)}: {there}; allowed: {allowed}")
        self._whole, self._torn = self._read(ladder, head) if resume else (0, False)
        self._stream = self.path.open("ab", buffering=0)
        if not self._whole:
            self._append(head)

    def _read(self, ladder: Ladder, head: str) -> tuple[int, bool]:
        """Read the entries; how many bytes of the file are whole lines, and whether a torn one follows."""
        *lines, torn = read_log(self.path).split(b"\n")
        if lines:
            _check_head(self.path, lines[0], head)
        check_torn(self.path, torn, BEGINS if lines else HEAD_BEGINS)
        for number, line in enumerate(lines[1:], 2):
            try:
                self.entries.append(_entry(parse_json(line.decode("utf-8")), ladder))
            except (ValueError, KeyError, TypeError, OverflowError) as error:
                raise OptionError(
                    f"{shown(self.path)}, line {number}: {one_line(error)}; allowed: lines this command wrote"
                ) from None
        return sum(len(line) + 1 for line in lines), bool(torn)

    def add(self, entry: Entry) -> None:
        """Write an entry; it is on disk when this returns."""
        self._append(entry.line())

    def _append(self, line: str) -> None:
        if self._torn:
            self._stream.truncate(self._whole)
            self._torn = False
        append_whole(self._stream, self.path, line.encode())

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _check_head(path: Path, line: bytes, head: str) -> None:
    """The first line must say that this is the same ladder."""
    wanted = json.loads(head)
    try:
        found = parse_json(line.decode("utf-8"))
    except ValueError as error:
        raise OptionError(f"{shown(path)}, line 1: {one_line(error)}; allowed: lines this command wrote") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise OptionError(f"{shown(path)}, line 1: no {FORMAT!r}; allowed: lines this command wrote")
    for key, value in wanted.items():
        if found.get(key) != value:
            was = shown(found.get(key))
            raise OptionError(
                f"resume: {shown(path)} was played with {key} {was}; allowed: the same as now, {shown(value)}"
            )


def _entry(document: Any, ladder: Ladder) -> Entry:
    """Read an entry and check that it can be one of this ladder."""
    matchup, first = document["matchup"], document["first"]
    tables, seats = len(ladder.matchups[0]), ladder.game.players
    if type(matchup) is not int or not 0 <= matchup < len(ladder.matchups):
        raise ValueError(f"matchup {shown(matchup)}; allowed: 0..{len(ladder.matchups) - 1}")
    if type(first) is not int or first < 0:
        raise ValueError(f"first {shown(first)}; allowed: 0 or more")
    most = {"winners": 1 if ladder.cooperative else 2**seats - 1, "starters": seats - 1}
    winners, starters = (_numbers(document[key], key, tables, top) for key, top in most.items())
    if winners.shape != starters.shape:
        raise ValueError(f"starters: of {starters.shape[1]} blocks; allowed: of {winners.shape[1]}, as winners")
    return Entry(matchup, first, winners, starters)


def _numbers(rows: Any, key: str, tables: int, most: int) -> Numbers:
    numbers = np.array(rows)
    if numbers.dtype.kind != "i" or numbers.ndim != 2 or len(numbers) != tables or not numbers.size:
        raise ValueError(f"{key}: allowed: {tables} rows of whole numbers, equally long")
    if numbers.min() < 0 or numbers.max() > most:
        raise ValueError(f"{key}: outside 0..{most}")
    return numbers.astype(np.int16)
