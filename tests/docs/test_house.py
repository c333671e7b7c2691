"""What the house promises about itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from helpers.support import ROOT

PACKAGES = ("atlantis_envs", "agents/atlantis_agents", "training/atlantis_training")
GAMES = ROOT / "atlantis_envs" / "games"
LONG = 800  # lines from which on a file says why
FILES = {"__init__", "actions", "check", "data", "document", "game", "layout", "options", "state", "view"}
ROOMS = {  # room -> files that it has in every game; a game may add its own
    "rules": ("observation", "play"),
    "show": ("drawing", "phrases", "refusals"),
}


def says_why(text: str) -> bool:
    return "long because" in " ".join((ast.get_docstring(ast.parse(text)) or "").lower().split())


def unexplained(files: list[Path]) -> list[Path]:
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    return [path for path, text in texts.items() if len(text.splitlines()) > LONG and not says_why(text)]


def test_a_very_long_file_says_why_in_its_docstring() -> None:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    assert len(files) > 150 and unexplained(files) == []


@pytest.mark.parametrize(
    ("docstring", "lines", "allowed"),
    [
        ("The rules. Long because every clause is here.", LONG + 1, True),
        ("The rules.", LONG + 1, False),
        ("The rules.", LONG, True),
    ],
)
def test_the_length_of_files_is_seen(tmp_path: Path, docstring: str, lines: int, allowed: bool) -> None:
    file = tmp_path / "file.py"
    file.write_text(f'"""{docstring}"""\n' + "#\n" * (lines - 1))
    assert unexplained([file]) == ([] if allowed else [file])


@pytest.mark.parametrize("game", ("atlandice", "atlantis", "atlantis_rising"))
def test_every_game_has_the_same_rooms(game: str) -> None:
    assert {path.stem for path in (GAMES / game).glob("*.py")} >= FILES
    assert {path.parent.name for path in (GAMES / game).glob("*/*.py")} == set(ROOMS)
    for room, names in ROOMS.items():
        assert {"__init__", *names} <= {path.stem for path in (GAMES / game / room).glob("*.py")}
