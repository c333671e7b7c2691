"""What a call passes is counted, and counting changes nothing."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile

import pytest
from helpers.support import ROOT

from benchmarks import journeys
from benchmarks.journeys import (
    NEW_ROOMS,
    ROOMS,
    Journey,
    follow,
    lines_by_room,
    search_decision,
    training_round,
    vec_env_step,
)

MOST_STOPS = (104, 4, 18, 35, 20, 100)  # of the rows of the table; a way that grows longer is noticed


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


def test_a_round_of_training_is_short() -> None:
    """The learner steps the games themselves: nothing is scaled, and nothing is written down for a library."""
    found = follow(training_round())
    assert len(found.stops) <= 35
    assert any(stop.endswith("SeatBatch.step") for stop in found.stops)
    assert not [stop for stop in found.stops if stop.endswith((".step_wait", ".scaled", ".scaled_obs"))]


def test_a_search_prepares_before_its_first_decision_alone() -> None:
    """So a later one only redraws, searches and writes."""
    found = follow(search_decision())
    assert len(found.stops) <= 20
    here = [stop for stop in found.stops if stop.startswith("atlantis_agents/search/")]
    assert any(stop.endswith("flat_loop") for stop in here)
    assert not [stop for stop in here if "make_memory" in stop or "Searcher.compile" in stop]


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
    for row, most in zip(rows, MOST_STOPS, strict=True):
        stops, files = (int(cell) for cell in row.split("|")[2:4])
        assert most >= stops >= files > 1, row


def git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="lines are counted in a checkout")
def test_every_line_outside_the_tests_is_in_one_room() -> None:
    files = [path for path in git("ls-files", "*.py").decode().split() if not path.startswith("tests/")]
    there = [ROOT / path for path in files if (ROOT / path).exists()]
    lines = lines_by_room()
    assert sum(lines.values()) == sum(len(path.read_bytes().splitlines()) for path in there)
    assert set(NEW_ROOMS) < set(ROOMS) and min(lines.values()) > 0


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="lines are counted in a checkout")
def test_lines_are_those_of_the_revision(capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD", "training"))) as archive:
        files = [entry for entry in archive if entry.name.endswith(".py")]
        count = sum(archive.extractfile(entry).read().count(b"\n") for entry in files)
    told = lines_by_room("HEAD")
    assert told["training"] < count <= sum(told.values())
    assert journeys.main(["--lines", "--since", "HEAD"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == len(ROOMS) + 4 and rows[-2].endswith(f"| {sum(told.values()):,} |")
    with pytest.raises(subprocess.CalledProcessError):
        lines_by_room("no such revision")
