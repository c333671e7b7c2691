"""What TensorBoard shows of a run: imitation over the decisions imitated, playing over the learner's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from atlantis_training.selfplay.report import Report

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
        """The log of a phase; what an earlier call wrote there from this step on has not happened."""
        if imitating not in self._open:
            from torch.utils.tensorboard import SummaryWriter

            directory = self.directory / IMITATION if imitating else self.directory
            self._open[imitating] = SummaryWriter(str(directory), purge_step=steps)
        return self._open[imitating]

    def close(self) -> None:
        """Flush and close."""
        for writer in self._open.values():
            writer.close()
