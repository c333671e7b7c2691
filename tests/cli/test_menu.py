"""``atlantis`` alone: questions to a person, and the command that the answers come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from atlantis_training.cli import menu


@pytest.mark.parametrize(
    ("answers", "browser", "wanted"),
    [
        ([""], True, ["play"]),
        (["1", "2"], False, ["play", "atlantis"]),
        (["2", "x", "3"], True, ["play", "atlantis_rising", "--seat", "heuristic", "--browser"]),
        (["3", "1"], True, ["analyse", "mine.jsonl", "--html", "mine.html"]),
        (["9", "4", "1"], True, ["train", "atlandice", "--out", "runs/atlandice", "--seconds", "600"]),
        (["5"], True, ["--help"]),
        ([], True, ["--help"]),
    ],
)
def test_answers_come_to_a_command(
    answers: list[str], browser: bool, wanted: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(menu, "_in_browser", lambda: browser)
    Path("mine.jsonl").touch()
    told: list[str] = []
    left = list(answers)

    def ask(prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    assert menu.chosen_words(ask, told.append) == wanted and not left
    assert told[0].startswith("What would you like") and (not answers or told[-1].endswith(" ".join(wanted)))
