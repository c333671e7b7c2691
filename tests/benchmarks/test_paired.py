"""The comparison of two versions by turns: medians of pairs, and what is slower than the limit allows."""

from __future__ import annotations

import pytest

from benchmarks import paired


def test_half_as_long_again_is_found_whatever_one_turn_was_disturbed_by(capsys: pytest.CaptureFixture[str]) -> None:
    slower = paired.Slower(1.4)
    slower.judge("steps", [(100.0, 150.0), (200.0, 300.0), (900.0, 150.0)])
    slower.judge("choices", [(100.0, 130.0), (200.0, 260.0), (100.0, 900.0)])
    assert slower.report() == 1
    assert capsys.readouterr().out == "slower than 1.4 times the other version: steps: x 1.50\n"


def test_nothing_is_found_without_a_limit_or_where_the_other_version_has_no_such_face() -> None:
    unlimited, limited = paired.Slower(None), paired.Slower(1.4)
    unlimited.judge("steps", [(1.0, 9.0)])
    limited.judge("a new face", [(0.0, 9.0)])
    assert unlimited.report() == limited.report() == 0


def test_rows_give_medians_and_the_ratio_by_pairs() -> None:
    assert paired.ratio_cells([(100.0, 50.0), (200.0, 100.0), (150.0, 300.0)]).startswith("150 -> 100 | x 2.000 (")
    rows = paired.face_rows("atlantis", {paired.VECENV: [(3.0, 2.0)], paired.FLAT: [(9.0, 1.0)]})
    assert rows[0].startswith("| atlantis | VecEnv | 3 -> 2 | x 1.500")
    assert rows[1].startswith("| atlantis | VecEnv -> Gymnasium vector, flat, this version | 2 -> 1 | x 2.000")


def test_a_version_that_takes_three_times_as_long_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fixed:
        def __init__(self, tree: object, *rest: object) -> None:
            self.times = [30.0, 30.0] if tree == paired.HERE else [10.0, 10.0]

        def play(self, line: str = "") -> list[float]:
            return self.times

        def stop(self) -> None:
            pass

    monkeypatch.setattr(paired, "Worker", Fixed)
    assert paired.main(["..", "atlandice", "--pairs", "3", "--limit", "1.4"]) == 1
    assert paired.faces_main(["..", "atlandice", "--face", "batch", "--turns", "3", "--limit", "1.4"]) == 1
    assert paired.main(["..", "atlandice", "--pairs", "3"]) == 0
