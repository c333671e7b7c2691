"""What `make coverage` demands: of lines and branches together, and of branches alone."""

from __future__ import annotations

import json
from pathlib import Path

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
    words = [word for _, given in branches.stages() for word in given]
    named = [word.partition("::")[::2] for word in words if word.startswith("tests")]
    assert len(named) > 10 and all((ROOT / file).exists() for file, _ in named)
    assert all(f"def {test}(" in (ROOT / file).read_text("utf-8") for file, test in named if test)
    left_out = [word.partition("=")[2] for word in words if word.startswith("--deselect=")]
    record = json.loads(durations.RECORD.read_text("utf-8"))
    assert left_out and min(record[node] for node in left_out) > branches.LONGEST


@pytest.mark.parametrize("failing", ["", "tests/uncompiled.py", "-m atlantis_envs.warm"])
def test_a_stage_that_fails_makes_the_whole_red(
    failing: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However much is covered; kernels are compiled before any other stage begins."""
    begun: list[str] = []

    def run(*words: str, variables: dict[str, str] | None = None, **more: object) -> int:
        text = " ".join(words)
        begun.append(text)
        if words[0] == "json":
            full = dict.fromkeys(("covered_branches", "num_branches", "covered_lines", "num_statements"), 9)
            Path(words[-1]).write_text(json.dumps({"totals": full}), "utf-8")
        return int(bool(failing) and text.startswith(f"run {failing}"))

    monkeypatch.setattr(branches, "run", run)
    monkeypatch.setattr(branches, "DATA", tmp_path)
    assert branches.main() == int(bool(failing))
    assert begun[0] == "run -m atlantis_envs.warm" and len(begun) == 1 + len(branches.stages()) + 3
    shown = capsys.readouterr()
    assert "branches alone:     100.0 % (9 of 9)" in shown.out
    assert (f"failed: {failing}" in shown.err) == bool(failing)
