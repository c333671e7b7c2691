"""Runs the notebooks from top to bottom and stores what they print: ``python tests/run_notebooks.py``.

Cells run in this interpreter, with everything a reader would see kept: text, pictures of positions, figures. A test
compares what is stored with what the cells print (tests/docs/test_notebooks.py), ``STORED`` says how closely.
"""

from __future__ import annotations

import ast
import base64
import io
import json
import os
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
STORED = 0.005  # of a number: games are exact, the last digit of a mean may be rounded otherwise elsewhere


def code_cells(path: Path) -> list[dict[str, Any]]:
    """Return the cells of code, as they are stored."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def run_cell(code: str, names: dict[str, Any]) -> tuple[str, Any]:
    """Run a cell; return what it prints, and the value of its last line, None where that is no expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None
    return printed.getvalue(), value


def stored_text(cell: dict[str, Any]) -> str:
    """Return what a cell printed when it was stored."""
    streams = [output for output in cell["outputs"] if output["output_type"] == "stream"]
    return "".join("".join(output["text"]) for output in streams)


def differences(stored: str, printed: str, least: float = 0.0) -> list[str]:
    """Return where two texts differ: words must be the same, numbers within ``STORED`` or ``least`` of each other."""
    if NUMBER.sub("#", stored) != NUMBER.sub("#", printed):
        return [f"stored {stored!r}, printed {printed!r}"]
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(printed), strict=True)
    return [f"stored {one}, printed {other}" for one, other in pairs if not _close(float(one), float(other), least)]


def _close(one: float, other: float, least: float) -> bool:
    return abs(one - other) <= max(STORED * max(abs(one), abs(other)), least)


def _outputs(printed: str, value: Any, number: int) -> list[dict[str, Any]]:
    """Return the outputs of a cell as a notebook stores them."""
    found: list[dict[str, Any]] = []
    if printed:
        found.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": [repr(value)]}
        for kind, name in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
            if hasattr(value, name):
                data = {kind: getattr(value, name)().splitlines(keepends=True), **data}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found + _figures()


def _figures() -> list[dict[str, Any]]:
    """Return the figures that are open, and close them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    found = []
    for number in pyplot.get_fignums() if pyplot else ():
        figure, content = pyplot.figure(number), io.BytesIO()
        figure.savefig(content, format="png", dpi=100, bbox_inches="tight")
        data = {"image/png": base64.b64encode(content.getvalue()).decode(), "text/plain": [repr(figure)]}
        found.append({"data": data, "metadata": {}, "output_type": "display_data"})
        pyplot.close(figure)
    return found


def renew(path: Path) -> None:
    """Run a notebook and store its outputs."""
    document, names, number = json.loads(path.read_text("utf-8")), {}, 0
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            printed, value = run_cell("".join(cell["source"]), names)
            cell["outputs"], cell["execution_count"] = _outputs(printed, value, number), number
            print(f"{path.name}, cell {number}: {printed.strip()}", flush=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Renew all notebooks."""
    os.environ["MPLBACKEND"] = "Agg"
    with tempfile.TemporaryDirectory() as directory, chdir(directory):
        for path in NOTEBOOKS:
            renew(path)


if __name__ == "__main__":
    main()
