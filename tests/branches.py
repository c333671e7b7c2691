"""Branch coverage as a number: ``python tests/branches.py``, or ``make coverage``; below ``fail_under`` it fails.

Compiled code cannot be traced. So the quick tests run once as they are, with the shorter ones of the slow tests, which
covers what is Python; and games, searches and some tests run uncompiled, which covers the kernels. Other processes that
a test starts count too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import durations

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "build" / "coverage"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m")
QUICK, SLOW = (*PYTEST, "not slow"), (*PYTEST, "slow")
SLOW_ROOMS = ("agents", "cli", "evaluation", "play", "seats", "selfplay")  # much of them runs in slow tests only
LONGEST = 6.0  # seconds of a slow test that runs
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
GAMES = ("atlandice", "atlantis", "atlantis_rising")
Stage = tuple[Mapping[str, str], tuple[str, ...]]


def stages() -> list[Stage]:
    """Return what runs: variables and words."""
    record = json.loads(durations.RECORD.read_text("utf-8"))
    long = [f"--deselect={node}" for node, seconds in record.items() if seconds > LONGEST]
    return [
        (PLAIN, (*QUICK, "tests/games/test_scenarios.py", "tests/games/test_lockstep.py")),
        *((PLAIN, ("tests/opinions.py", "--sample", game)) for game in GAMES),
        *((PLAIN, ("tests/uncompiled.py", game)) for game in GAMES),
        (PLAIN, ("tests/search_trail.py",)),
        ({}, ("-m", "atlantis_envs.warm")),
        ({}, (*QUICK, "tests")),
        ({}, (*SLOW, *(f"tests/{room}" for room in SLOW_ROOMS), *long)),
    ]


def run(*words: str, variables: Mapping[str, str] = {}) -> int:
    """Run coverage with these words; its exit status."""
    paths = os.pathsep.join(str(ROOT / part) for part in ("", "agents", "training"))
    own = {"COVERAGE_FILE": str(DATA / "data"), "PYTHONPATH": paths}
    return subprocess.run(
        [sys.executable, "-m", "coverage", *words], cwd=ROOT, env={**os.environ, **own, **variables}
    ).returncode


def main() -> int:
    """Run all stages, combine what they found, and report it."""
    DATA.mkdir(parents=True, exist_ok=True)
    for old in DATA.iterdir():
        old.unlink()
    failed = [" ".join(words) for variables, words in stages() if run("run", *words, variables=variables)]
    run("combine", "--quiet")
    status = run("report", "--skip-covered", "--sort=miss")
    for words in failed:
        print(f"failed: {words}", file=sys.stderr)
    return status or bool(failed)


if __name__ == "__main__":
    sys.exit(main())
