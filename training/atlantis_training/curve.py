"""The learning curve of a self-play run as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from atlantis_training.seats_report import PAPER, STYLES

EQUAL = "0.5"


def draw_curve(rows: Sequence[dict[str, Any]], path: Path, equal: float | None = None) -> None:
    """Win share of the learner, as it plays while it learns, over its steps.

    Args:
        rows: of ``curve.json``: "steps" and "share", the share of the last 2,000 games.
        path: a PNG or SVG file.
        equal: share of an equal, drawn as a line; None: no line.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    played = [row for row in rows if row["steps"] > 0]
    with plt.rc_context({**PAPER, "svg.hashsalt": "curve"}):
        figure, axis = plt.subplots(figsize=(4.4, 2.7), constrained_layout=True)
        axis.plot([row["steps"] / 1e6 for row in played], [row["share"] for row in played], color=STYLES[0][0])
        if equal is not None:
            axis.axhline(equal, color=EQUAL, linewidth=0.8, linestyle="--", zorder=0)
        axis.set(xlabel="steps of the learner (millions)", ylabel="win share of the last 2,000 games", ylim=(0, None))
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="0.9", linewidth=0.6)
        figure.savefig(path, dpi=300, metadata={"Date": None} if path.suffix == ".svg" else {})
        plt.close(figure)
