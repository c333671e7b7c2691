"""What a second worker of a cluster adds: the arithmetic of a turn, from tasks whose times are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from atlantis_training.evaluation.measure import Task
from benchmarks.experiments import cluster
from benchmarks.experiments.cluster import Turn, allowed, cells, medians, pairs


class Crew:
    """Two workers, 11 and 12; what a task takes is told by its first game."""

    spent: ClassVar = {
        0: (11, 100, 2.0, 10.0, 14.0),
        100: (12, 100, 2.0, 10.0, 15.0),
        200: (11, 100, 2.0, 15.0, 19.0),
        300: (12, 100, 2.0, 16.0, 21.0),
    }

    def __init__(self) -> None:
        """Nothing was handed out yet."""
        self.together: list[int] = []

    def work(self, tasks: list[Task]) -> Iterator[tuple[int, Any]]:
        """Answer them all."""
        self.together.append(len(tasks))
        yield from ((number, self.spent[task.games.start]) for number, task in enumerate(tasks))


def test_a_turn_counts_what_the_workers_got() -> None:
    crew: Any = Crew()
    tasks = [Task((("random",) * 2,), range(first, first + 100)) for first in (0, 100, 200, 300)]
    found = cluster.turn(crew, 2, tasks)
    # From 10 to 20, the mean of 19 and 21: 400 games, 8 seconds of processor time, 18 of 20 seconds with games in hand.
    assert found[:4] == pytest.approx((40.0, 0.8, 50.0, 0.9))
    cluster.turn(crew, 1, tasks)
    assert crew.together == [4, 1, 1, 1, 1]  # both at once, or one after the other


def test_where_cores_allow_two_are_twice_one_but_for_what_is_lost() -> None:
    one, two = Turn(90, 0.3, 300, 1.0, 0.01), Turn(100, 0.4, 270, 0.9, 0.01)
    assert allowed(one, two) == pytest.approx(2 * 0.9 * 0.9)
    assert pairs([one, one], [one, two]) == pytest.approx([1.62, 2.0])
    assert medians([one, two, two]) == two
    assert cells(2, two) == "| 2 | 100 | 0.40 | 270 | 90.0% | 10.0 ms |"
