"""What the house promises about itself."""

from __future__ import annotations

import pytest
from helpers.support import ROOT

PACKAGES = ("atlantis_envs", "agents/atlantis_agents", "training/atlantis_training")
MOST_LINES = 450
SAME_IN_EVERY_GAME = (
    "game", "data", "options", "state", "actions", "layout", "rules", "legal", "observation", "scoring", "knowledge",
    "position", "check", "view", "words", "text", "icons", "drawing",
)  # fmt: skip


def test_files_are_short() -> None:
    lengths = {
        path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines())
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
    }
    assert len(lengths) > 150
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


@pytest.mark.parametrize("game", ["atlandice", "atlantis", "atlantis_rising"])
def test_every_game_has_files_of_the_same_names(game: str) -> None:
    there = {path.stem for path in (ROOT / "atlantis_envs" / "games" / game).glob("*.py")}
    assert set(SAME_IN_EVERY_GAME) <= there
