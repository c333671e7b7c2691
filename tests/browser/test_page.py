"""The page to play in, in a browser: what is clicked is what is played, by mouse and by keys, and nothing is hidden."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from helpers.driving import (
    MIDDLES,
    PATIENCE,
    TEXTS,
    focus_of,
    is_over,
    move_by_keys,
    move_by_mouse,
    opened,
)
from helpers.served import page_session, served
from helpers.support import scaled

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("starlette")

GAMES = {"atlandice": 3, "atlantis": 3, "atlantis_rising": 4}
FAR = {"atlandice": 260, "atlantis": 280, "atlantis_rising": 900}  # events within which positions are looked at
WIDTHS = 420, 800, 1200
LEAST_TEXT = 10.5
UNNAMED = """() => [...document.querySelectorAll("#board [data-moves], button, select, input, a")]
  .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim() || (each.labels || []).length))
  .map((each) => each.outerHTML)"""


def seats(name: str, players: int | None = None) -> list[str]:
    """One person, then heuristics."""
    return ["human", *["heuristic"] * ((players or GAMES[name]) - 1)]


@pytest.mark.parametrize("name", GAMES)
def test_the_middle_of_every_area_is_that_area(page: Page, name: str) -> None:
    many, seen = scaled(4, 30), 0
    for number in range(many):
        with served(page_session(name, seats(name), number, FAR[name] * number // many, ask_forced=True)) as at:
            faults = opened(page, at)
            middles = page.evaluate(MIDDLES)
            assert [wanted for wanted, _ in middles] == [found for _, found in middles]
            seen += len(middles)
            assert faults == []
    assert seen > many


@pytest.mark.parametrize(
    "name", ["atlandice", *(pytest.param(each, marks=pytest.mark.full) for each in list(GAMES)[1:])]
)
def test_a_game_is_played_to_its_end_by_mouse_alone(page: Page, name: str) -> None:
    dice = random.Random(1)
    start = scaled(150, 0) if name == "atlandice" else 0
    with served(page_session(name, seats(name, 2), 3, start)) as at:
        faults = opened(page, at)
        while not is_over(page):
            move_by_mouse(page, dice)
            assert focus_of(page) != "body"
        assert at.page_session.session.position.node == "over" and faults == []
        assert page.locator("#result li").count() == 2


@pytest.mark.parametrize(
    "name", ["atlantis", *(pytest.param(each, marks=pytest.mark.full) for each in ("atlandice", "atlantis_rising"))]
)
def test_a_game_is_played_to_its_end_by_keys_alone(page: Page, name: str) -> None:
    dice = random.Random(2)
    start = 0 if name != "atlantis" else scaled(250, 0)
    with served(page_session(name, seats(name, 2), 4, start)) as at:
        faults = opened(page, at)
        while not is_over(page):
            move_by_keys(page, dice)
            assert focus_of(page) != "body"
        assert at.page_session.session.position.node == "over" and faults == []


@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_too_wide_or_too_small(page: Page, name: str) -> None:
    with served(page_session(name, seats(name, 7 if name == "atlantis_rising" else 4), 1, FAR[name] // 3)) as at:
        opened(page, at)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_selector("body[data-busy='false'].narrow" if width < 600 else "body:not(.narrow)")
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            texts = page.evaluate(TEXTS)
            assert len(texts) > 40
            assert [text for text in texts if text[1] < LEAST_TEXT - 0.01] == []


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("atlandice", 2),
        ("atlandice", 4),
        ("atlantis", 2),
        ("atlantis", 4),
        ("atlantis_rising", 1),
        ("atlantis_rising", 7),
    ],
)
def test_a_laptop_shows_the_whole_table_without_scrolling(page: Page, name: str, players: int) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    with served(page_session(name, seats(name, players), 1, 60)) as at:
        opened(page, at)
        page.keyboard.press("h")
        page.locator("#hint", has_text="The heuristic would play").wait_for(timeout=PATIENCE)
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        for part in ("#board svg", "#moves", "#do-hint", "#scroll"):
            page.locator(part).scroll_into_view_if_needed()
            box = page.locator(part).bounding_box()
            assert box is not None and box["height"] > 20 and 0 <= box["y"] <= box["y"] + box["height"] <= 768, part


@pytest.mark.parametrize(
    ("name", "theme"),
    [
        ("atlandice", "light"),
        ("atlantis", "dark"),
        pytest.param("atlantis_rising", "light", marks=pytest.mark.full),
        pytest.param("atlandice", "dark", marks=pytest.mark.full),
        pytest.param("atlantis", "light", marks=pytest.mark.full),
        ("atlantis_rising", "dark"),
    ],
)
def test_axe_finds_no_serious_fault(page: Page, name: str, theme: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with served(page_session(name, seats(name), 1, FAR[name] // 2)) as at:
        page.emulate_media(color_scheme=theme)
        opened(page, at)
        found = axe.Axe().run(page)
        serious = [each for each in found.response["violations"] if each["impact"] in ("serious", "critical")]
        output = [(each["id"], [node["html"][:200] for node in each["nodes"][:3]]) for each in serious]
        assert found.response["passes"] and output == []
        unnamed = page.evaluate(UNNAMED)
        assert unnamed == []
        assert page.locator("#board [data-moves]").count() == page.locator("#board [role=button][tabindex='0']").count()
