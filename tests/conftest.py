"""What all tests share: games to play, one hypothesis profile, and the markers of slow tests and of long runs.

``slow`` marks the tests that took long in the recorded run (durations.json): ``make test`` runs the others, and
``make slow`` these.

``ATLANTIS_TESTS=full`` turns every sampled test into its long form (`support.scaled`) and runs the tests marked
``full``, which a plain run skips: those that say so, and further cases of tests of which it tries enough.
"""

from __future__ import annotations

import signal
import threading

import pytest
from durations import slow_tests, spare_tests
from helpers.support import FULL
from hypothesis import HealthCheck, settings

import atlantis_envs
from atlantis_envs.engine.game import Game

settings.register_profile(
    "atlantis",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("atlantis")


def pytest_configure() -> None:
    # A shell that starts the tests in the background has them ignore Ctrl-C, and so would what they start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before -m selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests; skip long runs unless they are asked for."""
    slow = slow_tests(item.nodeid for item in items)
    spare = spare_tests(item.nodeid for item in items if not item.get_closest_marker("full"))
    for item in items:
        if item.nodeid in spare:
            item.add_marker("full")
        if item.nodeid in slow or item.get_closest_marker("full"):
            item.add_marker("slow")
        if not FULL and item.get_closest_marker("full"):
            item.add_marker(pytest.mark.skip(reason="runs only with ATLANTIS_TESTS=full"))


@pytest.fixture(params=[2, 3, 4], ids=lambda players: f"{players}p")
def players(request: pytest.FixtureRequest) -> int:
    """Every number of players of Atlandice."""
    number: int = request.param
    return number


@pytest.fixture
def game(players: int) -> Game:
    """Atlandice with default options."""
    return atlantis_envs.game("atlandice", players=players)
