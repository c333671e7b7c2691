"""What `make coverage` demands: of lines and branches together, and of branches alone."""

from __future__ import annotations

import json

import branches
import durations
import pytest
from helpers.support import ROOT


@pytest.mark.parametrize(
    ("covered_branches", "good", "shown"),
    [(920, True, "92.0 % (920 of 1,000)"), (919, False, "91.9 % (919 of 1,000)"), (1_000, True, "100.0 %")],
)
def test_branches_alone_must_reach_the_bound(covered_branches: int, good: bool, shown: str) -> None:
    """However well lines do: they are three of four here, and all covered."""
    totals = {"covered_lines": 3_000, "num_statements": 3_000, "num_branches": 1_000}
    text, found = branches.verdict({**totals, "covered_branches": covered_branches}, 92)
    assert found is good and f"branches alone:     {shown}" in text and text.endswith("at least 92 % each")


def test_lines_and_branches_together_must_reach_it_too() -> None:
    totals = {"covered_lines": 2_700, "num_statements": 3_000, "covered_branches": 950, "num_branches": 1_000}
    text, found = branches.verdict(totals, 92)
    assert not found and "lines and branches: 91.2 % (3,650 of 4,000)" in text


def test_every_stage_names_what_is_there() -> None:
    """A file that was moved would count as covered by nothing."""
    words = [word for several in branches.stages() for _, given in several for word in given]
    named = [word.partition("::")[::2] for word in words if word.startswith("tests")]
    assert len(named) > 10 and all((ROOT / file).exists() for file, _ in named)
    assert all(f"def {test}(" in (ROOT / file).read_text("utf-8") for file, test in named if test)
    left_out = [word.partition("=")[2] for word in words if word.startswith("--deselect=")]
    record = json.loads(durations.RECORD.read_text("utf-8"))
    assert left_out and min(record[node] for node in left_out) > branches.LONGEST


def test_what_reads_kernels_from_the_cache_comes_after_what_fills_it() -> None:
    [compiled] = [several for several in branches.stages() if not several[0][0]]
    assert compiled[0][1] == ("-m", "atlantis_envs.warm") and not any(variables for variables, _ in compiled)
