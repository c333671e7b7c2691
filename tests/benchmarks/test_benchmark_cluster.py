"""What a second worker of a cluster adds: the arithmetic of a turn, from tasks whose times are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from atlantis_training.lab.workers import cut
from benchmarks import cluster
from benchmarks.cluster import Turn, allowed, cells, medians


class Crew:
    """Two workers, 11 and 12; each plays two tasks of 100 games, with a second lost between them."""

    spent = (
        (11, 100, 2.0, 10.0, 14.0),
        (12, 100, 2.0, 10.0, 15.0),
        (11, 100, 2.0, 15.0, 19.0),
        (12, 100, 2.0, 16.0, 21.0),
    )
    closed = False

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take what a crew takes."""

    def work(self, tasks: Any) -> Iterator[tuple[int, Any]]:
        """The same whatever is asked."""
        yield from enumerate(self.spent)

    def close(self) -> None:
        """Remember it."""
        Crew.closed = True


def test_a_turn_counts_what_the_workers_got(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "RayCrew", Crew)
    found = cluster.turn("atlandice", ("random",) * 2, 2, cut([("random",) * 2], 400))
    # From 10 to 20, the mean of 19 and 21: 400 games, 8 seconds of processor time, 18 of 20 seconds with games in hand.
    assert found[:4] == pytest.approx((40.0, 0.8, 50.0, 0.9)) and Crew.closed


def test_where_cores_allow_two_are_twice_one_but_for_what_is_lost() -> None:
    one, two = Turn(90, 0.3, 300, 1.0, 0.01), Turn(100, 0.4, 270, 0.9, 0.01)
    assert allowed(one, two) == pytest.approx(2 * 0.9 * 0.9)
    assert medians([one, two, two]) == two
    assert cells(2, two) == "| 2 | 100 | 0.40 | 270 | 90.0% | 10.0 ms |"
