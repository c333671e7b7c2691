"""PettingZoo's whole test suite, sampled; ``python -m benchmarks conventions`` runs all of it."""

from __future__ import annotations

import itertools
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.support import FULL

from atlantis_envs.errors import IllegalActionError
from atlantis_envs.registry import GAMES
from benchmarks.experiments import conventions
from benchmarks.experiments.conventions import CHECKS, Face, counts_of, face_of, outcome

ELSEWHERE = {"render_test", "performance_benchmark", "max_cycles_test"}
PLAIN = [check for check in CHECKS if check not in ELSEWHERE]
DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}  # PettingZoo exempts its own games with masks from these two by name
CASES = [(name, players) for name in GAMES for players in counts_of(name) if FULL or players == counts_of(name)[-1]]


@pytest.mark.parametrize(("name", "players"), CASES)
def test_the_suite_passes_with_default_settings(name: str, players: int) -> None:
    face = face_of(name, players)
    for check in PLAIN:
        found = outcome(CHECKS[check], face)
        assert found.passed and set(found.warned) <= DICT_WARNINGS, (check, found)


@pytest.mark.parametrize(("name", "players"), CASES if FULL else CASES[:1])
def test_the_suite_passes_without_a_warning_on_flat_observations(name: str, players: int) -> None:
    face = face_of(name, players, flat=True)
    for check in PLAIN:
        found = outcome(CHECKS[check], face)
        assert found.passed and not found.warned, (check, found)


def test_render() -> None:
    pytest.importorskip("resvg_py")
    found = outcome(CHECKS["render_test"], face_of("atlandice", 2))
    assert found.passed and "to decide" in found.printed, found  # printed in the mode "human"


@pytest.mark.parametrize("name", GAMES)
def test_the_performance_benchmark_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count(0.0, 0.05)
    performance = import_module("pettingzoo.test.performance_benchmark")  # the package has a function of that name
    monkeypatch.setattr(performance, "time", SimpleNamespace(time=lambda: next(ticks)))
    found = outcome(CHECKS["performance_benchmark"], face_of(name, counts_of(name)[0]))
    assert found.passed and len(found.rates) == 1 and found.rates[0] > 0


def test_what_no_masked_turn_based_game_can_pass() -> None:
    """It plays actions that are not legal, and wants as many parallel steps as an agent has turns."""
    found = outcome(CHECKS["max_cycles_test"], face_of("atlandice", 2))
    assert not found.passed and "at `assert max_cycles == pstep`" in found.error
    pytest.importorskip("pygame")
    peer = outcome(CHECKS["max_cycles_test"], conventions.peer_face())
    assert not peer.passed and "at `assert max_cycles == pstep`" in peer.error


def test_the_command_reports_failures(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Environments that raise on illegal moves fail what plays unmasked actions."""
    sound = face_of("atlandice", 2)

    def strict(name: str, players: int, flat: bool = False) -> Face:
        def env(**settings: Any) -> Any:
            return sound.env(illegal="raise", **settings)

        return Face(env, sound.raw_env, sound.parallel_env)

    arguments = ["atlandice", "--only", "state_test", "--only", "seed_test"]
    assert conventions.main(arguments) == 0
    passed = capsys.readouterr().out
    assert "| `state_test` | 3 of 3 pass |" in passed and "| `seed_test` | 3 of 3 pass |" in passed
    monkeypatch.setattr(conventions, "face_of", strict)
    monkeypatch.setattr(conventions, "peer_face", lambda: (_ for _ in ()).throw(ModuleNotFoundError("pygame")))
    assert conventions.main(arguments) == 1
    failed = capsys.readouterr().out
    assert (
        f"| `state_test` | 3 of 3 fail: {IllegalActionError.__name__}: " in failed
        and "seed_test` | 3 of 3 pass" in failed
    )
