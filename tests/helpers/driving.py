"""A person at the page: opening a table, waiting, looking where areas are, clicking."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from helpers.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 300_000  # ms: the first game and the first hint of a kind compile

# The middle of every area, brought into the window first, and the key of the area that lies there.
MIDDLES = """() => [...document.querySelectorAll("#board [data-moves]")].map((area) => {
  const hit = area.querySelector(":scope > .hit");
  hit.scrollIntoView({ block: "center", inline: "center" });
  const box = hit.getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const there = document.elementFromPoint(x, y);
  const found = there && there.closest("[data-moves]");
  return [area.dataset.key, found ? found.dataset.key : String(there && there.tagName)];
})"""
# Where the middle of the n-th area lies in the window.
MIDDLE = """(n) => {
  const hit = document.querySelectorAll("#board [data-moves]")[n].querySelector(":scope > .hit");
  hit.scrollIntoView({ block: "nearest", inline: "center" });
  const box = hit.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}"""
FOCUS = """() => { const at = document.activeElement;
  return at === document.body ? "body" : at.dataset.key || at.dataset.action || at.id; }"""
# Texts that are seen, each with the size it has on the screen.
TEXTS = """() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = [];
  while (walk.nextNode()) {
    const text = walk.currentNode, at = text.parentElement;
    if (!text.data.trim() || at.closest("script, style, title, desc, dialog:not([open]), [hidden], noscript")) continue;
    if (!at.getClientRects().length) continue;
    const scale = at.ownerSVGElement ? at.getScreenCTM().a ** 2 + at.getScreenCTM().b ** 2 : 1;
    found.push([text.data, parseFloat(getComputedStyle(at).fontSize) * Math.sqrt(scale)]);
  }
  return found;
}"""


def opened(page: Page, at: Served) -> list[str]:
    """Open a table and wait until it asks; what the page complains about is put into the list."""
    faults = watched(page, at)
    page.emulate_media(reduced_motion="reduce")
    page.goto(at.url)
    settled(page)
    return faults


def watched(page: Page, at: Served) -> list[str]:
    """A list into which is put what the page complains about, and asks for elsewhere."""
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda asked: faults.append(asked.url) if f":{at.port}/" not in asked.url else None)
    return faults


def settled(page: Page, ply: str | None = None) -> None:
    """Wait until the page has nothing under way, and shows another ply than this one."""
    other = "" if ply is None else f":not([data-ply='{ply}'])"
    page.wait_for_selector(f"body[data-busy='false']{other}", timeout=PATIENCE)


def ply_of(page: Page) -> str:
    return page.get_attribute("body", "data-ply") or ""


def is_over(page: Page) -> bool:
    return page.get_attribute("body", "data-over") == "true"


def move_by_mouse(page: Page, dice: random.Random) -> None:
    """Some move: a click in the middle of an area where there is one, else in the list."""
    ply = ply_of(page)
    areas = page.locator("#board [data-moves]").count()
    listed = page.locator("#moves button").count()
    if areas and (dice.random() < 0.8 or not listed):
        x, y = page.evaluate(MIDDLE, dice.randrange(areas))
        page.mouse.click(x, y)
        if page.locator("#offer").is_visible():
            offered = page.locator("#offer button")
            offered.nth(dice.randrange(offered.count())).click()
    else:
        page.locator("#moves button").nth(dice.randrange(listed)).click()
    settled(page, ply)


def move_by_keys(page: Page, dice: random.Random) -> None:
    """Some move: a number, an area reached by Tab, or a name typed."""
    ply = ply_of(page)
    texts = [text.split("\n")[-1] for text in page.locator("#moves button").all_inner_texts()]
    way = dice.choice(["number", "area", "name"])
    if way == "area" and page.locator("#board [data-moves]").count():
        page.keyboard.press("b")
        for _ in range(1 + dice.randrange(min(5, page.locator("#board [data-moves]").count()))):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        if page.locator("#offer").is_visible():
            page.keyboard.press("Enter")
    elif way == "name" and page.locator("#filter").is_visible():
        name = dice.choice(texts)
        page.keyboard.press("/")
        page.keyboard.type(name)
        if sum(name.lower() in text.lower() for text in texts) == 1:
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("Escape")
            page.keyboard.press("1")
    else:
        page.keyboard.press(str(1 + dice.randrange(min(9, len(texts)))))
    settled(page, ply)


def move_on_board(page: Page, dice: random.Random) -> None:
    """Some move by a click on the board, never in the list."""
    ply = ply_of(page)
    x, y = page.evaluate(MIDDLE, dice.randrange(page.locator("#board [data-moves]").count()))
    page.mouse.click(x, y)
    offered = page.locator("#offer button")
    if offered.count():
        offered.nth(dice.randrange(offered.count())).click()
    settled(page, ply)


def move_by_touch(page: Page, dice: random.Random) -> None:
    """Some move by two taps: the first one tells what it does and changes nothing."""
    ply = ply_of(page)
    x, y = page.evaluate(MIDDLE, dice.randrange(page.locator("#board [data-moves]").count()))
    page.touchscreen.tap(x, y)
    offered = page.locator("#offer button")
    chosen = offered.nth(dice.randrange(offered.count()))
    if offered.count() > 1:
        chosen.tap()
    page.locator("#about p", has_text=f"{chosen.get_attribute('data-action')}: ").wait_for()
    assert ply_of(page) == ply
    chosen.tap()
    settled(page, ply)


def focus_of(page: Page) -> Any:
    return page.evaluate(FOCUS)
