"""Every notebook runs from its first cell to its last, with fewer games and steps than it prints."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import run_notebooks
from helpers.support import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "tutorials").glob("*.ipynb"))
FEWER = {
    "500_000": "16_384",
    "10_000": "200",
    "5_000": "100",
    "games_per_seat=500": "games_per_seat=20",
    ", 200, ": ", 10, ",
}


def code_of(path: Path) -> list[str]:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def test_there_are_notebooks_and_all_that_is_made_smaller_is_there() -> None:
    text = "\n".join(line for path in NOTEBOOKS for line in code_of(path))
    assert [number for number in FEWER if number not in text] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in ("sb3_contrib", "matplotlib"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {}
    for number, code in enumerate(code_of(path)):
        for printed, fewer in FEWER.items():
            code = code.replace(printed, fewer)
        exec(compile(code, f"{path.name}, cell {number}", "exec"), names)
    assert "win share against two random players" in capsys.readouterr().out


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_it_ran(path: Path) -> None:
    """Executed from the top in one go, without errors, and with what it printed."""
    cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert "error" not in [output["output_type"] for output in outputs] and all(cell["outputs"] for cell in cells)


def test_the_notebook_shows_a_picture_of_every_game() -> None:
    """As `_repr_svg_` gives it, and small."""
    (path,) = [path for path in NOTEBOOKS if path.stem == "first_look"]
    cells = json.loads(path.read_text("utf-8"))["cells"]
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    pictures = ["".join(each["image/svg+xml"]) for each in data if "image/svg+xml" in each]
    titles = [ElementTree.fromstring(picture)[0].text for picture in pictures]
    assert titles == ["Atlandice", "Atlantis", "Atlantis Rising"]
    assert all(len(picture) < 80_000 for picture in pictures)


LEARNS = "model.learn("  # a minute, and other numbers where torch sums in another order


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_what_the_cells_print(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells but the one that trains, with as many games as a reader plays; tests/run_notebooks.py renews them."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {}
    cells = [cell for cell in run_notebooks.code_cells(path) if LEARNS not in "".join(cell["source"])]
    assert len(cells) >= 10
    for cell in cells:
        printed, _ = run_notebooks.run_cell("".join(cell["source"]), names)
        assert run_notebooks.differences(run_notebooks.stored_text(cell), printed) == []


@pytest.mark.parametrize(
    ("stored", "printed", "differs"),
    [
        ("96% of 200", "94% of 200", True),
        ("0.361 [0.352, 0.370]", "0.361 [0.352, 0.371]", False),
        ("won 3", "lost 3", True),
        ("3 of 4", "3", True),
    ],
)
def test_a_difference_is_another_word_or_a_number_far_off(stored: str, printed: str, differs: bool) -> None:
    assert bool(run_notebooks.differences(stored, printed)) == differs
