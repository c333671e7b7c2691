"""Strength is measured in parts that are kept: what was interrupted goes on, and gives what an unbroken run would."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest

import atlantis_envs
from benchmarks.cells import Results, missing
from benchmarks.strength import INTERRUPTED, Cell, line, main

KEYS = ("search:2,horizon=2", "random", 7)


def cell() -> Cell:
    return Cell(atlantis_envs.game("atlandice", players=2), *KEYS)


def shares(results: Results) -> dict[tuple[int, int], float]:
    return {
        (part.seat, part.first + number): share
        for part in results.of(cell().key)
        for number, share in enumerate(part.shares)
    }


def test_a_measurement_that_was_broken_off_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    cell().play(Results(file), 4, float("inf"), part=2)
    with file.open("ab") as torn:
        torn.write(b'{"cell":{"game"')
    before = file.read_bytes().splitlines()[:-1]
    cell().play(Results(file), 12, float("inf"), part=3)
    assert file.read_bytes().splitlines()[: len(before)] == before
    whole = Results()
    cell().play(whole, 12, float("inf"), part=6)
    assert shares(Results(file)) == shares(whole) and len(shares(whole)) == 12
    assert line(cell().key, whole.of(cell().key)).split("|")[2:5] == [" search:2,horizon=2 ", " random ", " 12 "]


def test_nothing_is_played_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["atlandice", "random", "-n", "2", "-a", "random", "-g", "6", "--out", str(tmp_path / "cells.jsonl")]
    assert main(call) == 0
    kept = (tmp_path / "cells.jsonl").read_bytes()
    assert main(call) == 0 and main(["--out", str(tmp_path / "cells.jsonl")]) == 0
    assert (tmp_path / "cells.jsonl").read_bytes() == kept
    tables = capsys.readouterr().out.split("| game |")[1:]
    assert len(tables) == 3 and len(set(tables)) == 1 and "| 6 |" in tables[0]


def test_other_settings_are_another_cell() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    keys = [Cell(game, hero, "random", 7).key for hero in ("search:2", "search:2,gate=0", "search:2,gate=1")]
    assert keys[0] == keys[1] != keys[2]


def test_runs_leave_out_what_is_done() -> None:
    results = Results()
    cell().play(results, 4, float("inf"), part=2)
    assert missing(results.of(cell().key), 0, 7, 3) == [range(2, 5), range(5, 7)]
    assert missing(results.of(cell().key), 1, 2, 3) == []


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cells.jsonl"
    file.write_text("hello\n", encoding="utf-8")
    with pytest.raises(ValueError, match="line 1: b'hello'; allowed: what benchmarks strength wrote"):
        Results(file)
    assert file.read_text(encoding="utf-8") == "hello\n"


def test_ctrl_c_ends_it_within_a_second_and_keeps_what_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, told = tmp_path / "cells.jsonl", []

    def tell() -> None:
        while not file.exists():
            time.sleep(0.01)
        time.sleep(0.1)
        told.append(time.perf_counter())
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        status = main(["atlandice", "search:8", "-n", "2", "-g", "100000", "--part", "1", "--out", str(file)])
        assert time.perf_counter() - told[0] < 1.0
    finally:
        signal.signal(signal.SIGINT, before)
    captured = capsys.readouterr()
    assert status == INTERRUPTED and "goes on from here" in captured.err
    games = sum(len(part.shares) for part in Results(file).parts)
    assert games > 0 and f"| {games} |" in captured.out
