"""Coverage as two numbers: ``python tests/branches.py``, or ``make coverage``; one below ``fail_under`` is a failure.

Compiled code cannot be traced. So the quick tests run once as they are, with the shorter ones of the slow tests, which
covers what is Python; and games, searches and some tests run uncompiled, which covers the kernels. Other processes that
a test starts count too. Two stages go on side by side, where there are processors.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import durations

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "build" / "coverage"
TOTALS = "totals.json"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m")
QUICK, SLOW = (*PYTEST, "not slow"), (*PYTEST, "slow")
SLOW_ROOMS = ("agents", "cli", "evaluation", "play", "seats", "selfplay")  # much of them runs in slow tests only
LONGEST = 6.0  # seconds of a slow test that runs
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
GAMES = ("atlantis_rising", "atlandice", "atlantis")  # the longest first
RISING = "tests/games/atlantis_rising"
SMALL = (  # mostly positions that are not sound: most of a check is what it finds
    "tests/agents/test_heuristic_atlantis_rising.py::test_energy_to_spare_keeps_the_water_out",
    "tests/games/test_ranges.py",
    "tests/games/atlantis/test_positions.py::test_16_faults_are_found_with_their_place",
    f"{RISING}/test_safety.py::test_20_what_cannot_be_played_is_refused_with_its_place",
    f"{RISING}/test_safety.py::test_3_a_game_in_setup_has_only_what_setup_deals",
    f"{RISING}/test_safety.py::test_11_7_a_scholar_draws_two_different_artifacts_with_the_symbol",
    f"{RISING}/test_safety.py::test_15_2_what_a_seat_draws_is_redrawn_for_all_others",
    f"{RISING}/test_safety.py::test_6_5_whoever_is_asked_for_a_swift_evacuation_is_known_to_have_one",
    f"{RISING}/test_safety.py::test_4_4_boards_are_turned_up_only_before_there_is_a_hologram",
    f"{RISING}/test_refusals.py::test_20_what_the_options_exclude_is_refused",
)
Stage = tuple[Mapping[str, str], tuple[str, ...]]


WARM: Stage = ({}, ("-m", "atlantis_envs.warm"))  # before all others, so that no two compile the same


def stages() -> list[Stage]:
    """Return what runs after that, variables and words; two may go on side by side, so the longest are first."""
    record = json.loads(durations.RECORD.read_text("utf-8"))
    long = [f"--deselect={node}" for node, seconds in record.items() if seconds > LONGEST]
    return [
        ({}, (*QUICK, "tests")),
        ({}, (*SLOW, *(f"tests/{room}" for room in SLOW_ROOMS), *long)),
        (PLAIN, (*QUICK, "tests/games/test_scenarios.py", "tests/games/test_lockstep.py")),
        (PLAIN, (*PYTEST, "not full", *SMALL)),
        *((PLAIN, ("tests/uncompiled.py", game)) for game in GAMES),
        *((PLAIN, ("tests/opinions.py", "--sample", game)) for game in GAMES),
        (PLAIN, ("tests/search_trail.py",)),
    ]


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(*words: str, variables: Mapping[str, str] = {}, **more: Any) -> int:
    """Run coverage with these words; its exit status."""
    paths = os.pathsep.join(str(ROOT / part) for part in ("", "agents", "training"))
    own = {"COVERAGE_FILE": str(DATA / "data"), "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, "-m", "coverage", *words], cwd=ROOT, env={**os.environ, **own, **variables}, **more
    ).returncode


def run_stage(stage: Stage) -> str:
    """Run a stage and say what it took; its words if it failed, else "". What it prints is shown only then."""
    variables, words = stage
    started, text = time.perf_counter(), " ".join(word for word in words if not word.startswith("--deselect"))
    with tempfile.TemporaryFile() as output:
        status = run("run", *words, variables=variables, stdout=output, stderr=subprocess.STDOUT)
        how = "uncompiled" if variables else "compiled"
        print(f"{time.perf_counter() - started:4.0f} s {how}: {text}", flush=True)
        if status == 0:
            return ""
        output.seek(0)
        print(output.read().decode(errors="replace"), file=sys.stderr, flush=True)
    return text


def verdict(totals: Mapping[str, int], least: float) -> tuple[str, bool]:
    """Say what was covered, in the words of the report, and whether both numbers are at least so many per cent."""
    branches, lines = totals["covered_branches"], totals["covered_lines"]
    of_branches, of_lines = totals["num_branches"], totals["num_statements"]
    both, alone = 100 * (lines + branches) / (of_lines + of_branches), 100 * branches / of_branches
    text = (
        f"lines and branches: {both:.1f} % ({lines + branches:,} of {of_lines + of_branches:,})\n"
        f"branches alone:     {alone:.1f} % ({branches:,} of {of_branches:,})\n"
        f"allowed:            at least {least:g} % each"
    )
    return text, min(both, alone) >= least


def main() -> int:
    """Run all stages, combine what they found, and report it."""
    DATA.mkdir(parents=True, exist_ok=True)
    for old in DATA.iterdir():
        old.unlink()
    failed = [run_stage(WARM)]
    with ThreadPoolExecutor(min(2, processors())) as pool:
        failed += pool.map(run_stage, stages())
    run("combine", "--quiet")
    run("report", "--skip-covered", "--sort=miss", "--fail-under=0")
    run("json", "--quiet", "--fail-under=0", "-o", str(DATA / TOTALS))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]["report"]
    text, good = verdict(json.loads((DATA / TOTALS).read_text("utf-8"))["totals"], settings["fail_under"])
    for words in filter(None, failed):
        print(f"failed: {words}", file=sys.stderr)
    print(text)
    return 0 if good and not any(failed) else 1


if __name__ == "__main__":
    sys.exit(main())
