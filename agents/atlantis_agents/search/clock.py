"""The budget of a search in milliseconds, shared out among the rounds of halving."""

from __future__ import annotations

import time
from typing import Any

from atlantis_agents.search.memory import ENDS_ALL, ENDS_ROUND


class Clock:
    """Says to a search when a round of it has to end, and when all of it.

    Args:
        started: by ``time.perf_counter``.
        ms: the budget; 0: there is none, and nothing is ever said.
        rounds: among which it is shared out.
    """

    def __init__(self, started: float, ms: float, rounds: int) -> None:
        """Remember."""
        self.started, self.seconds, self.rounds, self.over = started, ms / 1000, max(1, rounds), 0

    def press(self, study: Any) -> None:
        """Write to the study what ends with the pass in hand: a pass is never left half done."""
        if not self.seconds:
            return
        spent = time.perf_counter() - self.started
        if spent > self.seconds:
            study["hurry"] = ENDS_ALL
        elif spent > (self.over + 1) * self.seconds / self.rounds:
            self.over += 1
            study["hurry"] = ENDS_ROUND
