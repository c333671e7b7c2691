"""Files of results that grow: a line is there whole or not at all, and a foreign file stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation.measure import Measured, identity, measure, part_of
from atlantis_training.evaluation.store import Store

GAME = atlantis_envs.game("atlandice", players=2)
LINE_UPS = (("heuristic", "random"), ("random", "heuristic"))
WHAT = {"a": 1}


def same(one: Measured, other: Measured) -> bool:
    pairs = [(vars(a), vars(b)) for a, b in zip(one.results, other.results, strict=True)]
    return all(np.array_equal(a[name], b[name]) and a[name].dtype == b[name].dtype for a, b in pairs for name in a)


def test_lines_are_added_and_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "games.jsonl")
    store.add(WHAT, {"first": 0, "x": [1]})
    store.add({"b": 2}, {"first": 3, "x": [0.1]})
    again = Store(tmp_path / "new" / "games.jsonl")
    assert again.parts == store.parts and again.whats() == [WHAT, {"b": 2}]
    assert again.of(WHAT) == [{"what": WHAT, "first": 0, "x": [1]}]
    again.drop()
    assert list((tmp_path / "new").iterdir()) == []


def test_what_was_torn_is_cut_away_when_a_line_is_added(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    whole = b'{"what":{"a":1},"first":0}\n'
    file.write_bytes(whole + b'{"what":{"a"')
    store = Store(file)
    assert len(store.parts) == 1 and file.read_bytes().endswith(b'{"a"')
    store.add(WHAT, {"first": 1})
    assert file.read_bytes() == whole + b'{"what":{"a":1},"first":1}\n'


@pytest.mark.parametrize(
    "content", [b"my diary", b'{"what":{"a":1},"first":0}\nmy diary', b'{"diary": 1}', b"{\n", b"[]\n",
                b'{"what":1,"first":0}\n', b'{"what":{},"first":-1}\n', b'{"what":{},"first":true}\n', b'{"what":{}}\n']
)  # fmt: skip
def test_a_file_of_somebody_else_is_refused_and_stays_as_it_is(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(content)
    with pytest.raises(OptionError, match=r"games.jsonl, (last )?line.*; allowed: "):
        Store(file)
    assert file.read_bytes() == content


def test_no_line_is_added_behind_what_somebody_else_wrote_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    store = Store(file)
    file.write_bytes(b"my diary")
    with pytest.raises(OptionError, match="allowed: lines that begin with"):
        store.add(WHAT, {"first": 0})
    assert file.read_bytes() == b"my diary" and store.parts == []


@pytest.mark.parametrize("workers", [1, 2])
def test_games_read_back_are_those_that_were_played_whoever_played_them(workers: int, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    played = measure(GAME, LINE_UPS, 40, 3, workers, store=Store(path))
    told: list[int] = []
    again = measure(GAME, LINE_UPS, 40, 3, 1, told.append, store=Store(path))
    assert told == [80] and same(again, played) and same(played, measure(GAME, LINE_UPS, 40, 3))
    assert again.results[0].numbers.tolist() == list(range(40))


def test_an_interrupted_measurement_goes_on_and_more_may_be_asked_for(tmp_path: Path) -> None:
    path, told = tmp_path / "games.jsonl", list[int]()

    def interrupting(games: int) -> None:
        told.append(games)
        if len(told) == 4:  # the first one is what was there before
            raise KeyboardInterrupt

    broken = measure(GAME, LINE_UPS, 32, 3, 1, interrupting, store=Store(path))
    assert broken.interrupted and broken.games == 8
    with path.open("ab") as torn:
        torn.write(b'{"what":{"game":"atl')
    further = (*LINE_UPS, ("random", "random"))
    whole = measure(GAME, further, range(2, 50), 3, store=Store(path))
    assert same(whole, measure(GAME, further, range(2, 50), 3)) and whole.games == 48
    numbers = [
        part["first"] + row
        for part in Store(path).of(identity(GAME, LINE_UPS[0], 3))
        for row in range(len(part["plies"]))
    ]
    assert sorted(numbers) == sorted(set(numbers)), "nothing twice"


def test_other_seeds_options_agents_and_code_are_other_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line_up, option = LINE_UPS[0], atlantis_envs.game("atlandice", players=2, optional_effects=True)
    whats = [identity(GAME, line_up, 3), identity(GAME, line_up, 4), identity(option, line_up, 3),
             identity(GAME, line_up[::-1], 3), identity(GAME, line_up, 3, {"heuristic": "sum"})]  # fmt: skip
    monkeypatch.setattr("atlantis_training.evaluation.measure.code_hash", lambda: "other")
    whats.append(identity(GAME, line_up, 3))
    assert len({json.dumps(what) for what in whats}) == len(whats)


CHANGES: dict[str, Any] = {
    "returns": [[0.5, float("nan")]], "scores": [[1, 2, 3]], "starters": [2], "plies": [0], "truncated": [0],
}  # fmt: skip


@pytest.mark.parametrize("column", CHANGES)
def test_damaged_columns_are_refused(column: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    part = part_of(measure(GAME, LINE_UPS[:1], 1, 3).results[0]) | {column: CHANGES[column]}
    line = json.dumps({"what": identity(GAME, LINE_UPS[0], 3), **part}, separators=(",", ":")) + "\n"
    path.write_text(line)
    with pytest.raises(OptionError, match=r"games.jsonl.*; allowed: "):
        measure(GAME, LINE_UPS[:1], 4, 3, store=Store(path))
    assert path.read_text() == line


def test_who_sits_the_same_plays_once_and_counts_twice() -> None:
    told: list[int] = []
    measured = measure(GAME, [("random", "random")] * 2, 8, 3, 1, told.append)
    assert sum(told) == 16 and len(measured.results) == 2 and measured.games == 8
