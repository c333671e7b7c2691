"""README.md: short, its strengths are those of the cards, and its training snippet shows how far it is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.support import ROOT, run_python

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
BUILD = "import os, sys; os.environ.pop('ATLANTIS_ENVS_WHEEL_KERNELS', 0); from hatchling.build import build_wheel; "
MOST_LINES = 130


def test_it_is_short_and_begins_with_a_picture() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= MOST_LINES and lines[2].startswith("![")


def test_its_strengths_are_those_of_the_cards() -> None:
    from atlantis_training.shipping.cards import all_cards

    cards, game, checked = all_cards(), "", 0
    for row in re.findall(r"^\| (.*) \|$", TEXT.partition("## Games")[2].partition("## Where")[0], re.MULTILINE):
        name, _, players, *shares = (part.strip() for part in row.split("|"))
        game = found[1] if (found := re.search(r"games/(\w+)\.md", name)) else game
        if not (game and players.isdigit()):
            continue
        told = dict(zip(("heuristic", "network", "champion"), shares, strict=False))
        for agent, share in told.items():
            if number := re.search(r"0\.\d{3}", share) if agent != "heuristic" or "heuristic" in share else None:
                values = [
                    cell["value"]
                    for card in cards
                    for cell in card["cells"]
                    if (card["game"], cell["players"], cell["agent"]) == (game, int(players), agent)
                    and cell["against"] in ("", "heuristic")
                    and cell["options"].get("level", 3) == 3
                ]
                assert float(number[0]) in [round(value, 3) for value in values], (game, players, agent)
                checked += 1
    assert checked > 12


def test_the_size_of_the_wheel_is_that_of_the_build(tmp_path: Path) -> None:
    code = f"{BUILD}build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    (size,) = re.findall(r"without kernels ([\d.]+) MB", INSTALL)
    assert wheel.stat().st_size / 1e6 == pytest.approx(float(size), rel=0.05)


def test_the_training_snippet_shows_its_progress() -> None:
    pytest.importorskip("sb3_contrib")
    (snippet,) = [code for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if "MaskablePPO" in code]
    fewer = re.sub(r"learn\([\d_]+\)", "learn(1)", snippet)
    assert fewer != snippet
    made = 'import atlantis_envs\ngame = atlantis_envs.game("atlandice")\n'
    assert "total_timesteps" in run_python("-c", made + fewer).stdout
