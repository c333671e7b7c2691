"""What is imagined in a second is counted, also where there is nothing to compare with."""

from __future__ import annotations

import sys

import pytest

from benchmarks import search


def test_without_openspiel_a_sentence_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setattr(search, "RUNS", 1)
    monkeypatch.setattr(search, "SIMULATIONS", 20)
    assert search.main(["atlandice", "--seconds", "0.01"]) == 0
    printed = capsys.readouterr()
    assert "OpenSpiel is not installed (pip install open_spiel)" in printed.err
    rows = [row.split("|") for row in printed.out.splitlines()[2:]]
    assert len(rows) == 9 and all(row[-3:-1] == [" - ", " - "] for row in rows)
    assert all(float(row[4]) >= 1 for row in rows) and "NET" in printed.out
