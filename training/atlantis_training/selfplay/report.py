"""Report how a run stands after a round, to TensorBoard too, what it came to, and its learning curve as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atlantis_training.evaluation.report import COLOUR, figure

PLAY, IMITATE, DATASET = "play", "imitate", "dataset"  # the phases of a run


@dataclass
class Report:
    """How a run stands, after every round.

    Attributes:
        phase: PLAY, or IMITATE a teacher that plays, or recorded decisions of a DATASET.
        done: share of the phase done, 0..1.
        steps: the learner's decisions so far.
        rate: decisions a second, of late.
        share: the learner's recent win share against everybody it plays; None before a game has ended.
        against: the same, two at a time, by name of opponent; nobody in a cooperative game, where nobody is beaten.
        figures: of the learning algorithm, by name.
    """

    phase: str
    done: float
    steps: int
    rate: float
    share: float | None
    against: dict[str, float]
    figures: dict[str, float]

    @property
    def imitating(self) -> bool:
        """Return whether it is still imitating."""
        return self.phase != PLAY

    @property
    def brief(self) -> str:
        """Return how well it plays, in a few words."""
        if self.imitating:
            return f"agrees {self.figures['agreement']:.0%}"
        return "no game has ended" if self.share is None else f"wins {self.share:.1%}"

    @property
    def text(self) -> str:
        """Return how fast the run is and how well it plays, in a line."""
        if self.imitating:
            return self.brief
        opponents = ", ".join(f"{name} {share:.0%}" for name, share in self.against.items())
        text = f"{_short(self.steps)} steps, {_short(self.rate)}/s, {self.brief}"
        return text + (f" ({opponents})" if opponents else "")


def _short(value: float) -> str:
    """Return a number in few characters."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


@dataclass
class Outcome:
    """What a run came to.

    Attributes:
        steps: the learner's decisions.
        seconds: wall-clock time of this call.
        policy: the policy directory.
        interrupted: whether Ctrl-C ended it.
        environment: share of the time of playing rounds spent in the environment with all its opponents.
        networks: the part of that share taken by opponents that are networks.
        rate: steps a second over the whole call.
        warnings: checkpoints that were passed over as damaged.
        nothing_left: why there was nothing to do; empty if there was something.
    """

    steps: int
    seconds: float
    policy: Path
    interrupted: bool = False
    environment: float = 0.0
    networks: float = 0.0
    rate: float = 0.0
    warnings: list[str] = field(default_factory=list)
    nothing_left: str = ""


IMITATION = "imitation"  # a directory of its own: another count goes on there


class Writers:
    """One log for what is imitated, one for what is played, each begun with its first round.

    Args:
        directory: of both.
    """

    def __init__(self, directory: Path) -> None:
        """Remember; nothing is written yet."""
        self.directory = directory
        self._open: dict[bool, Any] = {}

    def log(self, report: Report, steps: int) -> None:
        """Add what a round came to.

        Args:
            report: of the round.
            steps: decisions so far, of those that the round is one of: imitated ones, or the learner's own.
        """
        writer = self._writer(report.imitating, steps)
        for name, value in report.figures.items():
            writer.add_scalar(f"{report.phase}/{name}", value, steps)
        if report.imitating:
            return
        writer.add_scalar("speed/steps_per_second", report.rate, steps)
        shares = {**({} if report.share is None else {"all": report.share}), **report.against}
        for name, value in shares.items():
            writer.add_scalar(f"win_share/{name}", value, steps)

    def _writer(self, imitating: bool, steps: int) -> Any:
        """Return the log of a phase; what an earlier call wrote there from this step on has not happened."""
        if imitating not in self._open:
            from torch.utils.tensorboard import SummaryWriter

            directory = self.directory / IMITATION if imitating else self.directory
            self._open[imitating] = SummaryWriter(str(directory), purge_step=steps)
        return self._open[imitating]

    def close(self) -> None:
        """Flush and close."""
        for writer in self._open.values():
            writer.close()


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
