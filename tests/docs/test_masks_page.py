"""The examples of docs/guide/masks.md run."""

from __future__ import annotations

import re
import warnings

import pytest
from helpers.support import ROOT

pytest.importorskip("sb3_contrib")

PAGE = (ROOT / "docs" / "guide" / "masks.md").read_text(encoding="utf-8")
EXAMPLES = [
    (title.split(" (")[0], code)
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
]


def test_every_part_of_the_page_has_its_examples():
    titles = [title for title, _ in EXAMPLES]
    assert titles == [
        "stable-baselines3",
        "stable-baselines3",
        "Plain PyTorch",
        "PettingZoo",
        "Gymnasium: loops in the style of CleanRL",
    ]


@pytest.mark.parametrize(("title", "code"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_the_example_runs(title, code):
    made = {"__name__": "example"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(code, "masks.md", "exec"), made)
    assert "env" in made or "envs" in made or "batch" in made
