"""The learning curve of a self-play run as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from atlantis_training.evaluation.report import COLOUR, figure


def draw_curve(rows: Sequence[dict[str, Any]], path: Path, equal: float | None = None) -> None:
    """Win share of the learner, as it plays while it learns, over its steps.

    Args:
        rows: of ``curve.json``: "steps" and "share", the share of the last 2,000 games.
        path: a PNG or SVG file.
        equal: share of an equal player, drawn as a line; None: no line.
    """
    played = [row for row in rows if "share" in row]
    with figure(path, size=(4.4, 2.7)) as (_, (axis,)):
        axis.plot([row["steps"] / 1e6 for row in played], [row["share"] for row in played], color=COLOUR)
        if equal is not None:
            axis.axhline(equal, color="0.5", linewidth=0.8, linestyle="--", zorder=0)
        axis.set(xlabel="steps of the learner (millions)", ylabel="win share of the last 2,000 games", ylim=(0, None))
