"""Pictures for a page or a paper, all in one style. matplotlib is loaded when the first one is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from atlantis_envs.base.files import write_atomically
from atlantis_training.lab.statistics import Share

STYLE: Any = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "savefig.dpi": 300,
}
# Distinguishable with and without colour vision (Okabe and Ito), and in print by their marks.
SERIES = (
    ("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#E69F00", "v"), ("#56B4E9", "P"),
    ("#000000", "X"),
)  # fmt: skip
COLOUR = SERIES[0][0]  # of what is alone in its picture


@contextmanager
def figure(*paths: Path, size: tuple[float, float], panels: int = 1) -> Iterator[tuple[Any, Any]]:
    """A figure of ``panels`` axes side by side, ``size`` in inches; written to PNG and SVG ``paths`` at the end.

    Yields the figure and a sequence of its axes. The same content gives the same bytes under the same name.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with plt.rc_context({**STYLE, "svg.hashsalt": paths[0].stem}):
        drawn, axes = plt.subplots(1, panels, figsize=size, constrained_layout=True, squeeze=False)
        try:
            yield drawn, axes[0]
            for path in paths:
                content = BytesIO()
                metadata = {"Date": None} if path.suffix == ".svg" else {}
                drawn.savefig(content, format=path.suffix[1:], metadata=metadata)
                write_atomically(path, content.getvalue())
        finally:
            plt.close(drawn)


def look(number: int = 0) -> dict[str, Any]:
    """How a series of this number looks in ``errorbar``."""
    colour, mark = SERIES[number % len(SERIES)]
    return {"color": colour, "marker": mark, "markersize": 4, "capsize": 2.5, "linewidth": 1}


def whiskers(shares: Sequence[Share], scale: float = 1.0) -> list[list[float]]:
    """The intervals of shares as ``errorbar`` takes them; rounding may put an end on the wrong side of its value."""
    below = [scale * max(0.0, share.value - share.low) for share in shares]
    return [below, [scale * max(0.0, share.high - share.value) for share in shares]]
