"""Branch coverage as a number: ``python tests/branches.py``, or ``make coverage``; below ``fail_under`` it fails.

Compiled code cannot be traced. So the quick tests run once as they are, which covers what is Python, and a part of them
runs uncompiled, which covers the kernels. Other processes that a test starts count too.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "build" / "coverage"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow")
PLAIN = {"NUMBA_DISABLE_JIT": "1"}
STAGES: tuple[tuple[Mapping[str, str], tuple[str, ...]], ...] = (
    (PLAIN, (*PYTEST, "tests/games/test_scenarios.py", "tests/games/test_lockstep.py")),
    *((PLAIN, ("tests/opinions.py", "--sample", game)) for game in ("atlandice", "atlantis", "atlantis_rising")),
    (PLAIN, ("tests/search_trail.py",)),
    ({}, (*PYTEST, "tests")),
)


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
    failed = [" ".join(words) for variables, words in STAGES if run("run", *words, variables=variables)]
    run("combine", "--quiet")
    status = run("report", "--skip-covered", "--sort=miss")
    for words in failed:
        print(f"failed: {words}", file=sys.stderr)
    return status or bool(failed)


if __name__ == "__main__":
    sys.exit(main())
