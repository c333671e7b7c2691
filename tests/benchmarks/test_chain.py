"""The table of layers: what a row says."""

from __future__ import annotations

import pytest

from benchmarks import chain
from benchmarks.chain import Layer, cells


def layer(name: str, nanoseconds: list[float]) -> Layer:
    return Layer(name, "", lambda: 1.0, nanoseconds)


def test_a_row_says_what_share_a_layer_adds() -> None:
    below = layer("loop", [90.0, 100.0, 300.0])
    assert below.median == 100.0
    assert cells("toy", "batch", 400.0, below) == "| toy | batch | 400 | 75% over loop |"
    assert cells("toy", "loop", 1234.5, None) == "| toy | loop | 1,234 |  |"


def test_a_turn_divides_processor_time_by_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 1.0, 2.0, 2.0])  # begun; two rounds of work; too late for a third; the end
    monkeypatch.setattr(chain.time, "process_time", lambda: next(clock))
    worked = Layer("loop", "", lambda: 4.0)
    worked.run(2.0)
    assert worked.nanoseconds == [1e9 * 2.0 / 8.0]


def test_libraries_that_are_missing_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object) -> None:
        raise ImportError

    monkeypatch.setattr(chain.peers, "open_spiel_backgammon", missing)
    monkeypatch.setattr(chain.peers, "pettingzoo_connect_four", missing)
    assert chain.peer_rows() == []
    assert "OpenSpiel, PettingZoo" in capsys.readouterr().err
