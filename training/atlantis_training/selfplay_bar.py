"""The progress bar of a self-play run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from atlantis_training.selfplay import Report


class Bar:
    """Shows the reports of a run: what it does, how far it is, how fast, how long it will take, how well it plays."""

    def __init__(self, console: Console | None = None) -> None:
        """Set up; used as a context."""
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
        times = (TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
        self._bars = Progress(*columns, *times, console=console or Console(stderr=True))
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Bar:
        """Start showing."""
        self._bars.start()
        return self

    def __exit__(self, *_: Any) -> None:
        """Leave the last state on the screen."""
        self._bars.stop()

    def __call__(self, report: Report) -> None:
        """Show a report."""
        phase = "imitate" if report.imitating else "play"
        if phase not in self._tasks:
            self._tasks[phase] = self._bars.add_task(phase, total=1.0)
        if report.imitating:
            text = f"imitate: agrees {report.figures['agreement']:.0%}"
        else:
            opponents = ", ".join(f"{name} {share:.0%}" for name, share in report.against.items())
            text = f"play: {report.steps:,} steps, {report.rate:,.0f}/s, wins {report.share:.1%} (against {opponents})"
        self._bars.update(self._tasks[phase], completed=report.done, description=text)
