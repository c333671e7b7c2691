"""Progress bars on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from atlantis_envs.base.values import visible

NARROW = 8  # characters of a bar with much text: what is left of 80 columns belongs to that


class TimeLeft(ProgressColumn):
    """Time so far, times what remains, over what is done.

    The column that rich brings looks at the last steps only: where several processes deliver together, it takes the
    moment between them for the time that games need.
    """

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """Return the time as 0:01:30, or a dash before anything is done."""
        if not task.completed or task.total is None or task.elapsed is None:
            return Text("-:--:--", style="progress.remaining")
        remaining = 0 if task.finished else max(0.0, task.total - task.completed)
        seconds = (task.elapsed or 0.0) * remaining / task.completed
        return Text(str(timedelta(seconds=round(seconds))), style="progress.remaining")


@contextmanager
def games_bar(text: str, total: int, unit: str = "games") -> Iterator[Callable[[float], None]]:
    """Show a bar on stderr that counts games, or another unit; yield the function that advances it."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TextColumn(unit))
    times = (TimeElapsedColumn(), TextColumn("left"), TimeLeft())
    with Progress(*columns, *times, console=Console(stderr=True)) as bars:
        yield partial(bars.advance, bars.add_task(text, total=total))


@contextmanager
def phase_bars() -> Iterator[Callable[[str, float, str], None]]:
    """Show a bar on stderr for each phase of a long piece of work.

    Yields the function that shows a phase, how far it is, 0..1, and a text that may be long.
    """
    narrow = Column(no_wrap=True, min_width=NARROW)
    bar = (TextColumn("{task.fields[phase]}"), BarColumn(NARROW), TextColumn("{task.percentage:>3.0f}%"))
    left = (TextColumn("left"), TimeRemainingColumn(table_column=narrow))
    description = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True))
    tasks: dict[str, TaskID] = {}
    with Progress(*bar, *left, description, console=Console(stderr=True)) as bars:

        def show(phase: str, done: float, text: str) -> None:
            if phase not in tasks:
                tasks[phase] = bars.add_task("", total=1.0, phase=phase)
            bars.update(tasks[phase], completed=done, description=visible(text))

        yield show
