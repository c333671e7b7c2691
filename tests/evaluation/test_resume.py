"""``--resume`` of evaluate, seats and levels: what was played is kept, and the rest comes to the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from atlantis_training.cli.app import app
from atlantis_training.evaluation import measure as measuring
from atlantis_training.evaluation.workers import work_through

pytest.importorskip("statsmodels")

COMMANDS = {
    "evaluation": ["evaluate", "atlandice", "heuristic", "random", "-n", "2", "--blocks", "32"],
    "seats": ["seats", "atlandice", "random", "--players", "2,3", "--games", "160"],
    "levels": ["levels", "atlantis_rising", "random", "--levels", "1,5", "--players", "2", "--games", "100"],
}
every_command = pytest.mark.parametrize("name", COMMANDS)


def run(name: str, out: Path, *more: str) -> Result:
    return CliRunner().invoke(app, [*COMMANDS[name], "--seed", "3", "--workers", "1", "--out", str(out), *more])


def interrupt_after(monkeypatch: pytest.MonkeyPatch, tasks: int) -> None:
    """Let Ctrl-C come after so many tasks, of however many measurements."""
    taken: list[int] = []

    def through(work: Any, left: Any, workers: Any, take: Any) -> bool:
        def counted(index: int, results: Any) -> bool:
            enough = bool(take(index, results))
            taken.append(index)
            if len(taken) == tasks:
                raise KeyboardInterrupt
            return enough

        return work_through(work, left, workers, counted)

    monkeypatch.setattr(measuring, "work_through", through)


@every_command
def test_an_interrupted_measurement_goes_on_to_the_same_bytes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(name, whole).exit_code == 0
    with monkeypatch.context() as patched:
        interrupt_after(patched, 20 if name == "seats" else 5)
        done = run(name, parts)
    assert done.exit_code == 130 and done.stderr.endswith("; --resume goes on.\n"), done.output
    kept = parts / f"{name}.jsonl"
    assert 1 < len(kept.read_bytes().splitlines()) < len((whole / kept.name).read_bytes().splitlines())
    with kept.open("ab") as file:
        file.write(b'{"what":{"ga')  # the line that was being written
    assert run(name, parts, "--resume").exit_code == 0
    files = {path.name: path.read_bytes() for path in whole.iterdir()}
    assert {path.name: path.read_bytes() for path in parts.iterdir()} == files and kept.name in files


@every_command
def test_what_is_finished_is_not_played_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(name, tmp_path).exit_code == 0
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with monkeypatch.context() as patched:
        patched.setattr(measuring, "play_games", lambda *_: pytest.fail("a game was played"))
        assert run(name, tmp_path, "--resume").exit_code == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    assert run(name, tmp_path).exit_code == 0  # begins anew
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files


@every_command
def test_games_of_something_else_are_refused_and_stay(name: str, tmp_path: Path) -> None:
    assert run(name, tmp_path / "new", "--resume").stderr.endswith("there is no such file; allowed: without --resume\n")
    without = CliRunner().invoke(app, [*COMMANDS[name], "--resume"])
    assert without.exit_code == 2 and "--resume: goes with --out DIR" in without.stderr
    assert run(name, tmp_path).exit_code == 0
    kept = (tmp_path / f"{name}.jsonl").read_bytes()
    other = run(name, tmp_path, "--resume", "--seed", "4")
    assert other.exit_code == 2 and "was played with seed 3; allowed: the same as now, 4" in other.stderr
    assert (tmp_path / f"{name}.jsonl").read_bytes() == kept


def test_more_blocks_are_those_of_one_run(tmp_path: Path) -> None:
    assert run("evaluation", tmp_path / "whole", "--blocks", "48").exit_code == 0
    assert run("evaluation", tmp_path / "parts").exit_code == 0
    assert run("evaluation", tmp_path / "parts", "--blocks", "48", "--resume").exit_code == 0
    for ending in (".md", ".json"):
        same = [(tmp_path / part / f"evaluation{ending}").read_bytes() for part in ("whole", "parts")]
        assert same[0] == same[1]
