"""What a progress bar says about the time that is left."""

from __future__ import annotations

from datetime import timedelta

from rich.progress import ProgressColumn, Task
from rich.text import Text


class TimeLeft(ProgressColumn):
    """Time so far, times what remains, over what is done.

    The column that rich brings looks at the last steps only: where several processes deliver together, it takes the
    moment between them for the time that games need.
    """

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        """As 0:01:30, or a dash before anything is done."""
        if not task.completed or task.total is None or task.elapsed is None:
            return Text("-:--:--", style="progress.remaining")
        remaining = 0 if task.finished else max(0.0, task.total - task.completed)
        seconds = (task.elapsed or 0.0) * remaining / task.completed
        return Text(str(timedelta(seconds=round(seconds))), style="progress.remaining")
