"""Pictures of our pages in a browser, to be looked at: ``python tests/look_page.py [FOLDER]`` (default: ``look``).

The start page, and of every game a decision, the end with what cost most, and the replay page: light and dark, on a
notebook, on a large screen and on a phone. ``--docs`` renews ``docs/images/page.png`` instead; ``--times`` measures how
long a new player waits, from ``atlantis play`` on.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from helpers.driving import is_over, ply_of, settled
from helpers.served import page_session, served
from helpers.support import ROOT
from PIL import Image
from playwright.sync_api import sync_playwright

from atlantis_envs.play.lobby import Lobby
from atlantis_training.cli.play import agents_of, costly_decisions

if TYPE_CHECKING:
    from PIL import Image
from playwright.sync_api import Browser, Page

CHROMIUM = "/usr/bin/chromium"
SIZES = {"notebook": (1366, 768), "screen": (1920, 1080), "phone": (390, 844)}
THEMES = ("light", "dark")
EVENTS = {"atlandice": 140, "atlantis": 120, "atlantis_rising": 560}  # into the game
END = 10_000
ASKED = "#moves button"  # the others have played
COLOURS = 256  # of the picture in docs/
Take = Callable[[str, str, str], None]  # (address, what to wait for, name of the picture)


def taker(browser: Browser, folder: Path) -> Take:
    """What takes a page in every size and theme."""

    def take(address: str, wanted: str, name: str) -> None:
        for size, (width, height) in SIZES.items():
            for theme in THEMES:
                options: Any = {"viewport": {"width": width, "height": height}, "color_scheme": theme}
                context = browser.new_context(**options, has_touch=size == "phone", is_mobile=size == "phone")
                shoot(context.new_page(), address, wanted, folder / f"{name}-{size}-{theme}.png")
                context.close()

    return take


def shoot(page: Page, address: str, wanted: str, file: Path) -> None:
    """Take one page, and say what its console has to complain about."""
    page.on("console", lambda said: print(f"{file.name}: {said.text}") if said.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: print(f"{file.name}: {error}"))
    page.goto(address)
    page.wait_for_selector(wanted)
    page.wait_for_timeout(800)
    page.screenshot(path=str(file))


def looked_through(lobby: Lobby) -> None:
    """Wait for what cost most."""
    while lobby.review()["stage"] == "busy":
        time.sleep(0.2)


def take_all(browser: Browser, folder: Path) -> None:
    """The start page, and all pages of all games."""
    folder.mkdir(parents=True, exist_ok=True)
    take = taker(browser, folder)
    with served(Lobby(None, agents_of)) as at:
        take(at.url, "body[data-ready=true]", "start")
    for name, events in EVENTS.items():
        who = ["human", "heuristic", "heuristic"]
        with served(page_session(name, who, 7, events)) as at:
            take(at.url, ASKED, f"{name}-play")
        over = Lobby(page_session(name, who, 7, END), agents_of, review=costly_decisions)
        looked_through(over)
        with served(over) as at:
            take(at.url, "#worst p", f"{name}-end")
            replay = folder / f"{name}.html"
            replay.write_text(over.look_through(), "utf-8")
        take(replay.absolute().as_uri(), "svg", f"{name}-replay")
        print(name)


def take_docs(browser: Browser) -> None:
    """The picture of ``docs/start/browser.md``."""
    with served(page_session("atlandice", ["human", "heuristic", "heuristic"], 7, 60)) as at:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        file = ROOT / "docs" / "images" / "page.png"
        shoot(page, at.url, ASKED, file)
        Image.open(file).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(file, optimize=True)


MOVES = 15  # that are timed
PAINTED = """() => new Promise((told) => new PerformanceObserver((seen) => {
  for (const one of seen.getEntriesByName("first-contentful-paint")) told(one.startTime);
}).observe({ type: "paint", buffered: true }))"""
ANSWERED = """() => performance.getEntriesByType("resource").filter((one) => one.name.endsWith("/api/move"))
  .map((one) => one.duration)"""


def painted(page: Page) -> float:
    """Return after how many milliseconds the page was painted, which may be a moment after it was loaded."""
    return float(page.evaluate(PAINTED))


def print_times(browser: Browser) -> None:
    """Print how long a new player waits: for the start page, for the first question, for answers to moves."""
    command = [sys.executable, "-m", "atlantis_training.cli.command", "play", "--no-open"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            page = browser.new_context(viewport={"width": 1366, "height": 768}, reduced_motion="reduce").new_page()
            page.goto(address)
            print(f"address after {time.perf_counter() - began:.1f} s, painted {painted(page):.0f} ms later")
            for title in ("Atlandice", "Atlantis", "Atlantis Rising"):
                page.goto(f"{address.split('?')[0]}start")
                start = painted(page)
                clicked = time.perf_counter()
                page.get_by_role("button", name=f"Play {title}", exact=True).click()
                settled(page)
                first, waits = time.perf_counter() - clicked, []
                while len(waits) < MOVES and not is_over(page):
                    ply, clicked = ply_of(page), time.perf_counter()
                    page.locator("#moves button").first.click()
                    settled(page, ply)
                    waits.append(time.perf_counter() - clicked)
                answer, all_of_it = median(page.evaluate(ANSWERED)), 1000 * median(waits)
                print(f"{title}: start page painted after {start:.0f} ms, the table {painted(page):.0f} ms;")
                print(f"  first question {first:.1f} s after the click;")
                print(f"  of {len(waits)} moves the median answer came after {answer:.0f} ms,")
                print(f"  and all that followed it after {all_of_it:.0f} ms")
        finally:
            server.terminate()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("look"))
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--times", action="store_true")
    given = parser.parse_args()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        if given.times:
            print_times(chromium)
        else:
            take_docs(chromium) if given.docs else take_all(chromium, given.folder)
        chromium.close()
