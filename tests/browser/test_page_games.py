"""Whole games at the page: on the board alone by mouse, by keys, and by taps on a telephone."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from helpers.driving import is_over, move_by_keys, move_by_touch, move_on_board, opened
from helpers.served import page_session, served
from helpers.support import FULL

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytest.importorskip("starlette")

# Unless somebody has the time: a round of Atlantis Rising, and the last part of other games.
OPTIONS: dict[str, dict[str, int]] = {"atlantis_rising": {} if FULL else {"round_limit": 1}}
STARTS = {} if FULL else {"atlandice": 140, "atlantis": 190}  # events


@pytest.fixture
def telephone(chromium: Browser) -> Iterator[Page]:
    """An empty page on a telephone, closed after the test."""
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    ("name", "move"),
    [
        ("atlantis_rising", move_on_board),
        ("atlantis_rising", move_by_keys),
        pytest.param("atlantis", move_on_board, marks=pytest.mark.full),
        pytest.param("atlandice", move_on_board, marks=pytest.mark.full),
    ],
)
def test_four_play_on_one_screen(page: Page, name: str, move: Callable[[Page, random.Random], None]) -> None:
    dice, moves = random.Random(1), 0
    page.set_viewport_size({"width": 1366, "height": 768})
    with served(page_session(name, ["human", *["heuristic"] * 3], 3, **OPTIONS.get(name, {}))) as at:
        faults = opened(page, at)
        while not is_over(page):
            move(page, dice)
            moves += 1
        assert at.page_session.session.position.node == "over" and moves > 7 and faults == []
        assert page.evaluate("[scrollX, scrollY, document.documentElement.scrollHeight]") == [0, 0, 768]


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
def test_a_game_is_played_to_its_end_on_a_telephone(telephone: Page, name: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    dice, moves = random.Random(2), 0
    who = ["human", "heuristic"]
    with served(page_session(name, who, 3, STARTS.get(name, 0), **OPTIONS.get(name, {}))) as at:
        faults = opened(telephone, at)
        while not is_over(telephone):
            assert telephone.evaluate("document.documentElement.scrollWidth") == 390
            move_by_touch(telephone, dice)
            moves += 1
            if moves == 3:
                found = axe.Axe().run(telephone).response["violations"]
                assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []
        assert telephone.locator("#result li").count() == 2 and moves >= 3 and faults == []
