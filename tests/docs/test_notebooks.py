"""Every notebook runs from its first cell to its last and prints what is stored, numbers within a stated tolerance."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import run_notebooks
from helpers.support import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TRAINS = ("model.learn(", "optimizer.step()", "evaluate(game, [policy")  # torch sums in another order elsewhere
PLAYS = ("session.position", "mistake_text")  # a game of such a policy, which may be another one
TRAINED = 0.15  # of a win rate or return, after training


def code_of(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in run_notebooks.code_cells(path)]


def test_there_is_one_for_every_use() -> None:
    names = {path.stem for path in NOTEBOOKS}
    assert names >= {"first_look", "import", "train", "seats", "search", "cooperative"}
    index = (ROOT / "docs" / "tutorials" / "index.md").read_text("utf-8")
    assert [name for name in names if f"\n{name}\n" not in index] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_what_is_stored_is_what_the_cells_print(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/run_notebooks.py renews them."""
    for module in ("sb3_contrib", "matplotlib", "torch"):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {}
    for cell in run_notebooks.code_cells(path):
        code = "".join(cell["source"])
        printed, _ = run_notebooks.run_cell(code, names)
        if not any(word in code for word in PLAYS):
            least = TRAINED if any(word in code for word in TRAINS) else 0.0
            assert run_notebooks.differences(run_notebooks.stored_text(cell), printed, least) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_as_it_ran(path: Path) -> None:
    """Executed from the top in one go, without errors, with what it printed, and naming no machine's folders."""
    cells = run_notebooks.code_cells(path)
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert outputs and "error" not in [output["output_type"] for output in outputs]
    assert "/tmp/" not in json.dumps(outputs) and "/home/" not in json.dumps(outputs)


def test_the_first_shows_a_picture_of_every_game() -> None:
    """As `_repr_svg_` gives it, and small."""
    (path,) = [path for path in NOTEBOOKS if path.stem == "first_look"]
    data = [output.get("data", {}) for cell in run_notebooks.code_cells(path) for output in cell["outputs"]]
    pictures = ["".join(each["image/svg+xml"]) for each in data if "image/svg+xml" in each]
    titles = [ElementTree.fromstring(picture)[0].text for picture in pictures]
    assert titles == ["Atlandice", "Atlantis", "Atlantis Rising"]
    assert all(len(picture) < 80_000 for picture in pictures)


@pytest.mark.parametrize(
    ("stored", "printed", "least", "differs"),
    [
        ("96% of 200", "94% of 200", 0.0, True),
        ("0.361 [0.352, 0.370]", "0.361 [0.352, 0.371]", 0.0, False),
        ("won 3", "lost 3", 0.0, True),
        ("3 of 4", "3", 0.0, True),
        ("0.36", "0.46", 0.15, False),
        ("0.36", "0.56", 0.15, True),
    ],
)
def test_a_difference_is_another_word_or_a_number_far_off(
    stored: str, printed: str, least: float, differs: bool
) -> None:
    assert bool(run_notebooks.differences(stored, printed, least)) == differs
