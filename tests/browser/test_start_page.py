"""From nothing to the first move, and from the end to the next game: the start page and the end, in a browser."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers.driving import PATIENCE, is_over, move_by_mouse, opened, ply_of, settled, watched
from helpers.served import page_session, served

from atlantis_envs.play.lobby import Lobby
from atlantis_envs.play.replay import players_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("starlette")


def lobby(page: Any = None) -> Lobby:
    return Lobby(page, lambda game: {"heuristic": "at once", "random": "anything"})


@pytest.mark.parametrize("title", ["Atlandice", "Atlantis", "Atlantis Rising"])
def test_two_clicks_lead_to_the_first_move(page: Page, title: str) -> None:
    with served(lobby()) as at:
        faults = watched(page, at)
        page.goto(at.url)
        page.get_by_role("button", name=f"Play {title}", exact=True).click()
        settled(page)
        assert page.title() == title
        ply = ply_of(page)
        page.locator("#moves button").first.click()
        settled(page, ply)
        assert any(event.chosen for event in at.lobby.table.session.events) and faults == []


def test_who_sits_where_is_chosen_and_named(page: Page) -> None:
    with served(lobby()) as at:
        faults = watched(page, at)
        page.goto(at.url)
        page.get_by_role("button", name="Atlantis Rising: choose who sits where").click()
        page.get_by_label("players").select_option("2")
        page.locator("#level").select_option("3")
        page.get_by_label("seed").fill("12")
        page.get_by_label("name of seat 0").fill("Ada")
        page.get_by_label("who sits in seat 1").select_option("random")
        page.locator("#go").click()
        settled(page)
        session = at.lobby.table.session
        assert session.seats == (("Ada", None), ("random", "random")) and session.seed == 12
        assert session.game.options.to_json()["level"] == 3 and "Ada" in page.locator("#board").inner_text()
        assert faults == []


@pytest.mark.parametrize("width", [390, 1366])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_fault_on_the_start_page(page: Page, width: int, theme: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with served(lobby()) as at:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(at.url)
        page.wait_for_selector("body[data-ready='true']")
        found = axe.Axe().run(page)
        assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found.response["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_file_is_opened_to_go_on_or_to_look_through(page: Page, tmp_path: Path) -> None:
    half, over = tmp_path / "half.jsonl", tmp_path / "over.jsonl"
    for path, events in ((half, 60), (over, 10_000)):
        session = page_session("atlandice", ["human", "heuristic"], 5, events).session
        session.seats = players_of([None, "heuristic"], ["Ada"])
        session.save(path)
    with served(lobby()) as at:
        faults = watched(page, at)
        page.goto(at.url)
        page.wait_for_selector("body[data-ready='true']")
        page.get_by_label("file").set_input_files(over)
        page.locator("#opened", has_text="Ada, heuristic").wait_for()
        assert not page.locator("#on").is_visible()
        page.locator("#look").click()
        page.wait_for_selector("body[data-event='0']", timeout=PATIENCE)
        assert "Ada" in page.locator("#board").inner_text()
        page.go_back()
        page.wait_for_selector("body[data-ready='true']")
        page.get_by_label("file").set_input_files(half)
        page.locator("#on").click()
        settled(page)
        assert at.lobby.table.names == ["Ada", "heuristic"] and len(at.lobby.table.session.events) >= 60
        assert faults == []


def test_a_wrong_file_is_said_to_be_wrong(page: Page, tmp_path: Path) -> None:
    (tmp_path / "wrong.jsonl").write_text("no replay\n", "utf-8")
    with served(lobby()) as at:
        page.goto(at.url)
        page.wait_for_selector("body[data-ready='true']")
        page.get_by_label("file").set_input_files(tmp_path / "wrong.jsonl")
        page.locator("#fault", has_text="line 1").wait_for()


def test_the_end_says_who_won_why_and_leads_to_the_next_game(page: Page) -> None:
    ended = page_session("atlantis", ["human", "heuristic", "heuristic"], 4, 250)
    ended.session.seats = players_of([None, "heuristic", "heuristic"])
    with served(lobby(ended)) as at:
        faults = opened(page, at)
        dice = random.Random(1)
        while not is_over(page):
            move_by_mouse(page, dice)
        result = ended.state()["result"]
        assert page.locator("#question").inner_text() == result["title"]
        for number, seat in enumerate(result["seats"]):
            line = page.locator("#result li").nth(number).inner_text()
            assert str(seat["score"]) in line and all(reason in line for reason, _ in seat["points"])
        with page.expect_navigation():
            page.get_by_role("button", name="Rematch, seats changed").click()
        settled(page)
        assert at.lobby.table is not ended and at.lobby.table.names == ["heuristic", "you", "heuristic"]
        assert faults == []
