"""The examples of docs/masks.md run: those of other libraries where the library is installed."""

from __future__ import annotations

import re
import warnings
from importlib.util import find_spec

import pytest
from helpers.support import ROOT

pytest.importorskip("sb3_contrib")

PAGE = (ROOT / "docs" / "masks.md").read_text(encoding="utf-8")
LIBRARIES = {"RLlib": "tree", "Tianshou": "tianshou", "TorchRL": "torchrl"}
# RLlib comes with dm-tree ("tree"); ray alone has no learners.
EXAMPLES = [
    (title.split(" (")[0], code)
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
]


def test_every_library_on_the_page_has_an_example():
    titles = [title for title, _ in EXAMPLES]
    assert titles.count("stable-baselines3") == titles.count("TorchRL") == 2 and len(titles) == 9
    assert set(LIBRARIES) <= set(titles) and len(set(titles)) == 7


@pytest.mark.parametrize(("title", "code"), EXAMPLES, ids=[title for title, _ in EXAMPLES])
def test_the_example_runs(title, code):
    library = LIBRARIES.get(title)
    if library and find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    made = {"__name__": "example"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if library else "error")
        exec(compile(code, "masks.md", "exec"), made)
    assert "env" in made or "envs" in made or "batch" in made or "algorithm" in made
