"""Replays in a browser: from a file, without a request, the same picture on every way to it."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from helpers.pictures import walk
from helpers.support import FULL, scaled

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.graph import Evaluation, Mistake
from atlantis_envs.play.replay_page import replay_html
from atlantis_envs.seats.agents import make_agent

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("atlandice", "atlantis", "atlantis_rising")
BAD_NAME = "<img src=x onerror=alert(1)>&\"'</script>"
BOARD = "document.querySelector('#board').innerHTML"


class Watched:
    """A page, with all it asks for and complains of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda output: self.complaints.append(f"{output.type}: {output.text}"))

    def open(self, file: Path, event: int | None = None) -> None:
        self.page.goto("about:blank")
        self.page.goto(file.as_uri() + ("" if event is None else f"#{event}"))
        self.page.wait_for_selector(f"body[data-event='{event or 0}']")

    @property
    def event(self) -> int:
        output: int = self.page.evaluate("Number(document.body.dataset.event)")
        return output

    def board(self) -> str:
        markup: str = self.page.evaluate(BOARD)
        return markup


@pytest.fixture
def watched(page: Page) -> Watched:
    return Watched(page)


def evaluation(events: int) -> Evaluation:
    points = tuple(range(0, events, 20))
    return Evaluation(points, ((0.4, 0.6),) * len(points), ((0.1, 0.1),) * len(points), "how it was found")


def written(folder: Path, end: Position, **settings: Any) -> Path:
    file = folder / "replay.html"
    file.write_text(replay_html(end, **settings), "utf-8")
    return file


@pytest.fixture(scope="module", params=NAMES)
def replay(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A file, and how many events it has."""
    end = list(walk(request.param, 2, 1, scaled(130, 600)))[-1]
    graph = evaluation(len(end.log)) if request.param == "atlandice" else None
    return written(tmp_path_factory.mktemp("replay"), end, evaluation=graph), len(end.log)


def test_a_replay_asks_for_nothing_but_itself_and_complains_of_nothing(
    watched: Watched, replay: tuple[Path, int]
) -> None:
    file, last = replay
    watched.open(file)
    page = watched.page
    assert page.locator("#board svg").count() == 1 and page.locator("#count").inner_text() == f"0 / {last}"
    for name in ("next", "last", "back", "first", "play"):
        page.locator(f"#{name}").click()
    for way in ("decision", "turn", "round", "event"):
        page.select_option("#by", way)
        page.locator("#next").click()
    assert {url for url in watched.requests if not url.startswith("data:")} == {file.as_uri()}
    assert watched.complaints == []
    assert page.evaluate("[...document.fonts].map((font) => font.status)") == ["loaded", "loaded"]


def test_a_watcher_sees_requests_and_complaints(watched: Watched, tmp_path: Path) -> None:
    """The check above can fail."""
    (tmp_path / "bad.html").write_text("<body data-event=0><img src='none.png'><script>nothing.here</script>", "utf-8")
    watched.open(tmp_path / "bad.html")
    assert (tmp_path / "none.png").as_uri() in watched.requests
    assert any("nothing is not defined" in output for output in watched.complaints)


def test_stepping_to_an_event_equals_jumping_there(watched: Watched, replay: tuple[Path, int]) -> None:
    file, last = replay
    wanted = sorted(random.Random(1).sample(range(1, last), 20))
    watched.open(file)
    forth, back, jumped = {}, {}, {}
    for event in range(wanted[-1] + 1):
        assert watched.event == event
        if event in wanted:
            forth[event] = watched.board()
        watched.page.keyboard.press("ArrowRight")
    for event in range(wanted[-1] + 1, 0, -1):
        if event in wanted:
            back[event] = watched.board()
        watched.page.keyboard.press("ArrowLeft")
    for event in random.Random(2).sample(wanted, len(wanted)):
        watched.page.evaluate(f"location.hash = '{event}'")
        watched.page.wait_for_selector(f"body[data-event='{event}']")
        jumped[event] = watched.board()
    assert forth == back == jumped and len(set(forth.values())) > 10
    watched.open(file, wanted[10])
    assert watched.board() == forth[wanted[10]]
    assert watched.complaints == []


def test_the_keyboard_does_what_the_buttons_do(watched: Watched, replay: tuple[Path, int]) -> None:
    file, last = replay
    watched.open(file)
    press = watched.page.keyboard.press
    press("End")
    assert watched.event == last
    press("ArrowRight")
    assert watched.event == last
    press("ArrowLeft")
    assert watched.event == last - 1
    press("Home")
    assert watched.event == 0
    watched.page.select_option("#speed", "200")
    watched.page.locator("#board").focus()
    press(" ")
    watched.page.wait_for_selector("body:not([data-event='0'])")
    press(" ")
    stopped = watched.event
    watched.page.wait_for_timeout(500)
    assert watched.event == stopped and watched.page.locator("#play").inner_text() == "play"
    watched.page.locator("#next").focus()
    press("Enter")
    assert watched.event == stopped + 1
    watched.page.locator("#place").focus()
    press("ArrowRight")
    assert watched.event == stopped + 2  # once, not twice: the slider leaves the arrows to the page
    reached = set()
    for _ in range(14):
        press("Tab")
        reached.add(watched.page.evaluate("document.activeElement.id"))
    assert {"first", "back", "play", "next", "last", "place", "by", "speed"} <= reached


def test_a_click_in_the_graph_jumps(watched: Watched, tmp_path: Path) -> None:
    end = list(walk("atlandice", 2, 1, 61))[-1]
    watched.open(written(tmp_path, end, evaluation=evaluation(60)))
    watched.page.locator("#graph svg").click()  # its middle, once the page stands still
    assert 25 < watched.event < 35
    assert watched.page.locator("#caption").text_content() == "how it was found"


def test_mistakes_lead_to_the_board_with_arrows(watched: Watched, tmp_path: Path) -> None:
    positions = list(walk("atlandice", 2, 1, 61))
    event = next(n for n, at in enumerate(positions[:-1]) if at.seat is not None and len(at.legal_actions()) > 1)
    played, best = positions[event + 1].log[-1], positions[event].legal_actions()[-1]
    wrong = Mistake(event, 0, "1", 0.2, 0.6, "gave away 40 %", (played, best))
    told = replace(evaluation(60), mistakes=(wrong,), luck=("Luck gave 12 % ± 4. " * 12,) * 6)
    watched.open(written(tmp_path, positions[-1], evaluation=told))
    page = watched.page
    page.set_viewport_size({"width": 1366, "height": 768})
    assert page.evaluate("document.documentElement.scrollHeight") <= 768  # one screen
    assert page.evaluate("document.querySelector('#worst').clientHeight") > 40  # much text leaves room for mistakes
    page.locator("#mistakes button").click()
    assert watched.event == event and page.locator("#event").inner_text().startswith(f"next, event {event + 1}: ")
    assert page.locator(".advice text").all_text_contents() == ["played", "best"][: 1 + (played != best)]
    page.locator("#log li").nth(4).click()
    assert watched.event == 5 and page.locator(".advice").count() == 0
    assert "%" in page.locator("#bar").inner_text() and watched.complaints == []


def test_a_telephone_has_its_own_layout(watched: Watched, tmp_path: Path) -> None:
    shown, page = evaluation(60), watched.page
    only = replace(shown, shares=((0.4, math.nan),) * len(shown.events))  # the decisions of seat 0 alone
    page.set_viewport_size({"width": 390, "height": 844})
    watched.open(written(tmp_path, list(walk("atlandice", 2, 1, 61))[-1], evaluation=only), 30)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("document.querySelector('#board svg').viewBox.baseVal.width") == 390
    assert page.locator("#bar").get_attribute("aria-label") == "chances to win: seat 0 40 %"
    page.set_viewport_size({"width": 1200, "height": 900})
    page.wait_for_selector("body:not(.narrow)[data-event='30']")
    wide = watched.board()
    page.reload()
    page.wait_for_selector("body[data-event='30']")
    assert watched.board() == wide and watched.complaints == []


def test_names_stay_text(watched: Watched, tmp_path: Path) -> None:
    end = list(walk("atlandice", 2, 1, 40))[-1]
    watched.open(written(tmp_path, end, names=[BAD_NAME, "b"]))
    watched.page.keyboard.press("End")
    assert watched.page.locator("img").count() == 0 and watched.complaints == []
    assert BAD_NAME in watched.page.locator("p").first.inner_text()
    output = watched.page.evaluate("[...document.querySelectorAll('#board title')].map((each) => each.textContent)")
    assert any(BAD_NAME in each for each in output)


def test_nothing_runs_but_the_script_of_the_page(watched: Watched, tmp_path: Path) -> None:
    file = written(tmp_path, list(walk("atlandice", 2, 1, 10))[-1])
    watched.open(file)
    watched.page.evaluate(
        "const extra = document.createElement('script'); extra.textContent = 'ran = 1'; document.body.append(extra)"
    )
    assert watched.page.evaluate("window.ran") is None
    assert any("Content Security Policy" in output for output in watched.complaints)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_follows_the_theme(chromium: Browser, tmp_path: Path, theme: Any) -> None:
    file = written(tmp_path, list(walk("atlantis", 2, 1, 10))[-1])
    context = chromium.new_context(color_scheme=theme)
    page = context.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-event='0']")
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    context.close()
    assert colour == {"light": "rgb(205, 229, 241)", "dark": "rgb(20, 52, 68)"}[theme]


def test_a_long_game_of_atlantis_rising_is_a_small_file() -> None:
    """At most 1 MB for 2,000 events; a plain run looks at the beginning, of which the first frames are a part."""
    wanted, most = (2_000, 1_000_000) if FULL else (300, 260_000)  # 100 kB of them hold the page and the first frames
    game = atlantis_envs.game("atlantis_rising", players=7)
    session = GameSession(game, [make_agent("heuristic", game)] * 7, 7)
    while session.position.node != "over" and len(session.position.log) < wanted:
        session.advance()
    assert len(session.position.log) == wanted
    assert 50_000 < len(replay_html(session.position).encode()) <= most
