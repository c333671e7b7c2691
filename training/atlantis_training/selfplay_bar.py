"""The progress bar of a self-play run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column

if TYPE_CHECKING:
    from atlantis_training.selfplay import Report


BAR_WIDTH = 8  # what is left of 80 columns belongs to the text


class Bar:
    """Shows the reports of a run: what it does, how far it is, how fast, how long it will take, how well it plays."""

    def __init__(self, console: Console | None = None) -> None:
        """Set up; used as a context."""
        narrow = Column(no_wrap=True, min_width=BAR_WIDTH)
        bar = (TextColumn("{task.fields[phase]}"), BarColumn(BAR_WIDTH), TextColumn("{task.percentage:>3.0f}%"))
        left = (TextColumn("left"), TimeRemainingColumn(table_column=narrow))
        told = TextColumn("{task.description}", table_column=Column(no_wrap=True))
        self._bars = Progress(*bar, *left, told, console=console or Console(stderr=True))
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
            self._tasks[phase] = self._bars.add_task("", total=1.0, phase=phase)
        if report.imitating:
            text = f"agrees {report.figures['agreement']:.0%}"
        else:
            opponents = ", ".join(f"{name} {share:.0%}" for name, share in report.against.items())
            text = f"{_short(report.steps)} steps, {_short(report.rate)}/s, wins {report.share:.1%}"
            text += f" ({opponents})" if opponents else ""
        self._bars.update(self._tasks[phase], completed=report.done, description=text)


def _short(value: float) -> str:
    """A number in few characters."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
