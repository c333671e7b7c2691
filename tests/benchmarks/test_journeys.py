"""What a call passes is counted, and counting changes nothing."""

from __future__ import annotations

import sys

import pytest

from benchmarks import journeys
from benchmarks.journeys import Journey, follow, vec_env_step


def test_stops_are_functions_of_ours_in_order_and_once() -> None:
    step, profile = vec_env_step(), sys.getprofile()
    found = follow(step)
    assert sys.getprofile() is profile
    core = [
        "atlantis_envs/adapters/sb3_vecenv.py: SeatVecEnv.step_async",
        "atlantis_envs/seats/batch.py: SeatBatch.step",
        "atlantis_envs/engine/batch.py: Batch.step",
    ]
    assert [stop for stop in found.stops if stop in core] == core
    assert not [stop for stop in found.stops if not stop.startswith("atlantis_")]
    assert Journey(("a.py: f", "b.py: g", "a.py: h")).files == ("a.py", "b.py")


def test_a_fault_on_the_way_ends_the_counting() -> None:
    profile = sys.getprofile()
    calls: list[None] = []

    def fails_later() -> None:
        calls.append(None)
        if len(calls) > 1:
            raise KeyError

    with pytest.raises(KeyError):
        follow(fails_later)
    assert sys.getprofile() is profile


def test_the_table_has_a_line_for_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert journeys.main([]) == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) == 3
    for row in rows:
        stops, files = (int(cell) for cell in row.split("|")[2:4])
        assert stops >= files > 1
