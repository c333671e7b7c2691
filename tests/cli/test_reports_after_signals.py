"""A signal after the last game: what was played is reported whole, and a second one is obeyed at once."""

from __future__ import annotations

import importlib
import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from atlantis_training.cli.app import app
from atlantis_training.signals import Stop, reporting

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
LEVELS = ["levels", "atlantis_rising", "random", "--players", "1", "--levels", "1", "--games", "100"]
CASES = {
    "evaluate": (["evaluate", "atlandice", "heuristic", "random", "--blocks", "40"], "evaluation.evaluate.block_means"),
    "seats": (["seats", "atlandice", "random", "--games", "100"], "evaluation.statistics.exact_equality_p_value"),
    "levels": (LEVELS, "evaluation.evaluate.block_means"),
    "ladder": (["ladder", "atlandice", "heuristic", "random", "--blocks", "40"], "evaluation.ladder.block_means"),
}


def interrupted(monkeypatch: pytest.MonkeyPatch, place: str, sign: signal.Signals, times: int) -> None:
    """Let so many signals come in while a function makes the table."""
    module, name = f"atlantis_training.{place}".rsplit(".", 1)
    real = getattr(importlib.import_module(module), name)
    left = [sign] * times

    def working(*arguments: Any, **named: Any) -> Any:
        while left:
            signal.raise_signal(left.pop())
        return real(*arguments, **named)

    monkeypatch.setattr(f"{module}.{name}", working)


def run(arguments: list[str], out: Path) -> Any:
    given = [*arguments, "--workers", "1", "--out", str(out)]
    return CliRunner().invoke(app, given, prog_name="atlantis", terminal_width=200)


@pytest.fixture
def sigterm_like_ctrl_c() -> Any:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("sigterm_like_ctrl_c")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
@pytest.mark.parametrize("command", CASES)
def test_finished_games_are_reported(
    command: str, sign: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, place = CASES[command]
    interrupted(monkeypatch, place, sign, 1)
    result = run(arguments, tmp_path)
    assert result.exit_code == 130 and result.stderr.splitlines()[-1].startswith("Interrupted: "), result.output
    (page,) = tmp_path.glob("*.md")
    json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert "interrupted" not in page.read_text("utf-8")  # the page itself is whole
    assert page.read_text("utf-8").splitlines()[0] in result.stdout


def test_the_second_signal_is_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(monkeypatch, CASES["evaluate"][1], signal.SIGINT, 2)
    result = run(CASES["evaluate"][0], tmp_path)
    assert result.exit_code == 130 and [path.name for path in tmp_path.iterdir()] == ["evaluation.jsonl"]


def test_an_inner_stop_tells_the_outer_one_and_begins_as_it_stands() -> None:
    with reporting() as outer:
        with Stop().heard():
            signal.raise_signal(signal.SIGINT)
        assert outer.asked and outer.requests == 0
        with Stop().heard() as later:
            assert later.requests == 1
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT), signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_only_what_may_be_given_up_is_broken_off() -> None:
    with reporting() as stop:
        with pytest.raises(KeyboardInterrupt), stop.breaking():
            signal.raise_signal(signal.SIGINT)
        assert not stop.asked
        signal.raise_signal(signal.SIGINT)
        assert stop.asked


@pytest.mark.parametrize("command", ["evaluate", "ladder"])
def test_promised_pictures_are_drawn(command: str, tmp_path: Path) -> None:
    promised = CliRunner().invoke(app, [command, "--help"], prog_name="atlantis", terminal_width=200).stdout
    assert "pictures" in " ".join(promised.split())
    assert run(CASES[command][0], tmp_path).exit_code == 0 and list(tmp_path.glob("*.png"))


@pytest.mark.parametrize(("blocks", "warned"), [("29", True), ("30", False)])
@pytest.mark.parametrize("command", ["evaluate", "ladder"])
def test_few_blocks_bring_a_warning(command: str, blocks: str, warned: bool, tmp_path: Path) -> None:
    arguments = CASES[command][0]
    text = run([*arguments[:-1], blocks], tmp_path).stdout
    assert ("intervals and errors over blocks are too narrow" in text) == warned
    if command == "ladder":
        assert "worth in mixed tables" in text and "not the advantage of a seat among equals" in text
