"""``--resume`` of every measurement: what was played is kept, and the rest comes to the same bytes, wherever."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from helpers.support import sampled
from typer.testing import CliRunner

from atlantis_training.cli.app import app
from atlantis_training.evaluation import compensate, profile
from atlantis_training.evaluation import measure as measuring
from atlantis_training.evaluation.workers import work_through

pytest.importorskip("statsmodels")

COMMANDS = {
    "evaluation": ["evaluate", "atlandice", "heuristic", "random", "-n", "2", "--blocks", "32"],
    "seats": ["seats", "atlandice", "random", "--players", "2,3", "--games", "160"],
    "levels": ["levels", "atlantis_rising", "random", "--levels", "1,5", "--players", "2", "--games", "100"],
    "compensation": ["compensate", "atlandice", "-n", "2", "--at", "random", "--by", "ties", "--games", "100"],
    "luck": ["luck", "atlandice", "-n", "2", "--population", "random,heuristic", "--games", "64", "--streams"],
    "profile": ["profile", "atlandice", "random", "-n", "2", "--games", "10", "--playouts", "2", "--every", "8"],
}
TASKS = {"seats": 20, "profile": 12}  # before an interruption; 5 of others
every_command = pytest.mark.parametrize("name", COMMANDS)
# All commands keep and read their games the same way: a plain run shows the rest with three of them.
some_commands = pytest.mark.parametrize("name", sampled(COMMANDS, {"evaluation", "seats", "profile"}.__contains__))


needs_ray = pytest.mark.skipif(
    find_spec("ray") is None or sys.platform == "win32",
    reason="ray is not installed: pip install 'atlantis-envs[cluster]'",
)


@pytest.fixture(autouse=True)
def short_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compensate, "LAST_RUNG", compensate.FIRST_RUNG)


def run(name: str, out: Path, *more: str, where: tuple[str, ...] = ("--workers", "1")) -> Result:
    return CliRunner().invoke(app, [*COMMANDS[name], "--seed", "3", *where, "--out", str(out), *more])


def interrupt_after(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let Ctrl-C come after some tasks, of however many measurements."""
    taken: list[int] = []

    def through(work: Any, left: Any, workers: Any, take: Any) -> bool:
        def counted(index: int, results: Any) -> bool:
            enough = bool(take(index, results))
            taken.append(index)
            if len(taken) == TASKS.get(name, 5):
                raise KeyboardInterrupt
            return enough

        return work_through(work, left, workers, counted)

    for module in (measuring, profile):
        monkeypatch.setattr(module, "work_through", through)


@every_command
def test_an_interrupted_measurement_goes_on_to_the_same_bytes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(name, whole).exit_code == 0
    with monkeypatch.context() as patched:
        interrupt_after(patched, name)
        done = run(name, parts)
    assert done.exit_code == 130 and done.stderr.endswith("; --resume goes on.\n"), done.output
    kept = parts / f"{name}.jsonl"
    assert 1 < len(kept.read_bytes().splitlines()) < len((whole / kept.name).read_bytes().splitlines())
    with kept.open("ab") as file:
        file.write(b'{"what":{"ga')  # the line that was being written
    assert run(name, parts, "--resume").exit_code == 0
    files = {path.name: path.read_bytes() for path in whole.iterdir()}
    assert {path.name: path.read_bytes() for path in parts.iterdir()} == files and kept.name in files


@some_commands
@pytest.mark.parametrize(
    "where",
    [("--workers", "2"), pytest.param(("--ray", "local"), marks=[needs_ray, pytest.mark.full])],
    ids=["processes", "cluster"],
)
def test_whoever_goes_on_comes_to_the_same_bytes(
    name: str, where: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(name, whole).exit_code == 0
    with monkeypatch.context() as patched:
        interrupt_after(patched, name)
        assert run(name, parts).exit_code == 130
    done = run(name, parts, "--resume", where=where)
    assert done.exit_code == 0, done.output
    one, other = ({path.name: path.read_bytes() for path in each.iterdir()} for each in (whole, parts))
    for files in (one, other):
        files.pop(f"{name}.jsonl")  # in the order in which games were finished
    assert one == other and f"{name}.json" in one


@some_commands
def test_what_is_finished_is_not_played_again(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(name, tmp_path).exit_code == 0
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with monkeypatch.context() as patched:
        patched.setattr(measuring, "play_games", lambda *_: pytest.fail("a game was played"))
        assert run(name, tmp_path, "--resume").exit_code == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    assert run(name, tmp_path).exit_code == 0  # begins anew
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files


@some_commands
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
