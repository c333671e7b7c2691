"""The table of layers: what a row says, and how other libraries take their turns."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import chain, foreign, peers
from benchmarks.chain import Layer, cells


def layer(name: str, nanoseconds: list[float]) -> Layer:
    return Layer(name, "", lambda seconds: 1.0, nanoseconds)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No layer of ours and nothing installed beside us."""
    monkeypatch.setattr(chain, "layers", lambda name, searched: [])
    monkeypatch.setattr(chain, "installed", list)


def fake(tmp_path: Path, code: str) -> str:
    """An interpreter that runs this code whatever it is told to run."""
    path = tmp_path / "python"
    path.write_text(f"#!{sys.executable}\nimport sys\n{code}\n")
    path.chmod(0o755)
    return str(path)


def measure(*options: str) -> int:
    return chain.main(["atlandice", "--turns", "3", "--seconds", "0.25", "--no-training", *options])


def test_a_row_says_what_share_a_layer_adds() -> None:
    below = layer("loop", [90.0, 100.0, 300.0])
    assert below.median == 100.0
    assert cells("toy", "batch", 400.0, below) == "| toy | batch | 400 | 75% over loop |"
    assert cells("toy", "loop", 1234.5, None) == "| toy | loop | 1,234 |  |"


def test_a_turn_divides_processor_time_by_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 1.0, 2.0, 2.0])  # begun; two rounds of work; too late for a third; the end
    monkeypatch.setattr(foreign.time, "process_time", lambda: next(clock))
    assert foreign.nanoseconds(lambda: 4.0, 2.0) == 1e9 * 2.0 / 8.0


def test_libraries_that_are_missing_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(*_: object) -> None:
        raise ImportError

    monkeypatch.setattr(chain.peers, "open_spiel_work", missing)
    monkeypatch.setattr(chain.peers, "pettingzoo_work", missing)
    assert chain.installed() == []
    assert "OpenSpiel, PettingZoo" in capsys.readouterr().err


@pytest.mark.usefixtures("alone")
def test_another_interpreter_takes_its_turns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One answer to warm up, which does not count, and three that do: their median is printed."""
    log = tmp_path / "log"
    code = f"""
log = open({str(log)!r}, "a")
print("ready", flush=True)
for answer, line in zip((9000, 2600, 1500, 1700), sys.stdin):
    print(*sys.argv[1:], line.strip(), file=log, flush=True)
    print(answer, flush=True)
"""
    assert measure("--envpool", fake(tmp_path, code)) == 0
    printed = capsys.readouterr()
    rows = [line.split("|")[2:4] for line in printed.out.splitlines()[2:]]
    assert rows == [[f" {name} ", " 1,700 "] for name in peers.ELSEWHERE["envpool"][1]]
    script = f"-I {foreign.__file__} envpool"
    games = ("Backgammon-v1", "CartPole-v1", "Blackjack-v1")
    assert log.read_text().splitlines() == [f"{script} {game} 0.25" for game in games] * 4
    assert "pgx" in printed.err and "EnvPool" not in printed.err  # how to get what was not asked for


@pytest.mark.usefixtures("alone")
def test_without_interpreters_one_line_says_how_to_get_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert measure() == 0
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert "pgx, EnvPool" in line and "pgx==" in line and "--pgx ../peers/bin/python --envpool" in line
    assert len(printed.out.splitlines()) == 2
    assert measure("--no-peers") == 0
    assert not capsys.readouterr().err


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        (None, "No such file or directory"),
        ("print('ImportError: no pgx')", "ImportError: no pgx"),
        ("while True: print('y')", "y"),
        ("", "ended before it was ready"),
        ("print('ready', flush=True); sys.stdin.readline()", "ended without an answer"),
    ],
)
def test_a_wrong_interpreter_is_an_error_of_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], code: str | None, said: str
) -> None:
    python = str(tmp_path / "none") if code is None else fake(tmp_path, code)
    with pytest.raises(SystemExit) as stopped:
        measure("--pgx", python, "--envpool", python)
    assert stopped.value.code == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line == f"python -m benchmarks chain: error: --pgx {python}: {said}"


class Dice:
    """Stands for EnvPool where it tells legal actions: every third environment has ended."""

    def __init__(self, actions: int) -> None:
        self.action_space = type("Space", (), {"n": actions})()
        self.masks = np.zeros((foreign.LANES, actions), bool)
        self.played: list[NDArray[np.int32]] = []

    def _told(self) -> dict[str, Any]:
        self.masks[:] = np.random.default_rng(len(self.played)).random(self.masks.shape) < 0.1
        self.masks[:, 5] = True
        self.masks[::3] = True
        ended = np.where(np.arange(foreign.LANES) % 3 == 0, 0, 7)
        return {"legal_action_mask": self.masks.copy(), "elapsed_step": ended}

    def reset(self) -> tuple[Any, dict[str, Any]]:
        return None, self._told()

    def step(self, actions: NDArray[np.int32]) -> tuple[Any, ...]:
        assert self.masks[np.arange(foreign.LANES), actions].all(), "illegal"
        self.played.append(actions)
        return None, None, None, None, self._told()


def test_envpool_plays_legal_actions_where_it_tells_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, about equally often; the step that begins an episode is no decision."""
    env = Dice(8)
    monkeypatch.setitem(sys.modules, "envpool", SimpleNamespace(make=lambda *_, **__: env))
    work = foreign.envpool_work("Backgammon-v1")
    assert [work() for _ in range(20)] == [foreign.LANES - len(range(0, foreign.LANES, 3))] * 20
    counts = np.bincount(np.concatenate([actions[::3] for actions in env.played]), minlength=8)
    assert (abs(counts / counts.sum() - 1 / 8) < 0.02).all()


def test_the_script_answers_seconds_and_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def work() -> float:
        print("a library's chatter")
        return 2.0

    clock = iter([0.0, 0.0, 0.5, 0.5, 10.0, 10.0, 11.0, 11.0])
    monkeypatch.setattr(foreign.time, "process_time", lambda: next(clock))
    monkeypatch.setitem(foreign.LIBRARIES, "toy", lambda size: work)
    assert foreign.main(["0.5\n", "1\n"], "toy", "3") == 0
    assert capsys.readouterr().out.split() == ["ready", str(1e9 * 0.5 / 2), str(1e9 * 1.0 / 2)]
    monkeypatch.setitem(sys.modules, "envpool", None)
    assert foreign.main([], "envpool", "CartPole-v1") == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("ModuleNotFoundError") and "envpool" in line
