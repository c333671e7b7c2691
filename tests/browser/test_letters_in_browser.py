"""Pictures in a browser: no text lies over another, and letters are as wide as those who draw believe."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from helpers.pictures import BASE, CAPITAL, TABLES, sampled
from helpers.support import FULL

from atlantis_envs.drawing.letters import FAMILY, font_file, text_width
from atlantis_envs.engine.position import Position

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHOWN = 4  # pictures of a table in a plain run
# What the browser itself says of each text: what it says, its size, whether it is bold, and its box in the picture's
# units; from its height only what capitals take counts.
MEASURED = f"""() => [...document.querySelectorAll("svg text")].map((text) => {{
  const size = Number(text.getAttribute("font-size"));
  const width = text.getComputedTextLength();
  const anchor = text.getAttribute("text-anchor") || "start";
  const place = text.getCTM();
  const left = Number(text.getAttribute("x")) - {{ start: 0, middle: width / 2, end: width }}[anchor] + place.e;
  const base = Number(text.getAttribute("y")) + place.f;
  return {{ text: text.textContent, size, bold: text.getAttribute("font-weight") === "bold", width, scale: place.a,
    box: [left, base - {CAPITAL} * size, left + width, base + {BASE} * size] }};
}})"""


def fonts() -> str:
    rules = []
    for bold, weight in ((False, "normal"), (True, "bold")):
        data = base64.b64encode(font_file(bold).read_bytes()).decode()
        rules.append(f'@font-face {{ font-family: "{FAMILY}"; font-weight: {weight}; src: url(data:;base64,{data}) }}')
    return "".join(rules)


def measured(page: Page, position: Position) -> list[dict[str, Any]]:
    names = ["a seat with a long name", *["heuristic"] * (position.game.players - 1)]
    page.evaluate("(markup) => { document.body.innerHTML = markup; }", position.svg(names=names, legal=True))
    found: list[dict[str, Any]] = page.evaluate(MEASURED)
    return [text for text in found if text["text"].strip()]


def overlapping(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    pairs = []
    ordered = sorted(found, key=lambda text: text["box"][0])
    for number, one in enumerate(ordered):
        _, top, right, bottom = one["box"]
        for other in ordered[number + 1 :]:
            left, upper, _, lower = other["box"]
            if left >= right:
                break
            if upper < bottom and lower > top:
                pairs.append((one["text"], other["text"]))
    return pairs


@pytest.fixture
def lettered(page: Page) -> Page:
    page.set_content(f"<style>{fonts()} body {{ margin: 0 }}</style><body>")
    page.evaluate(
        f"Promise.all([document.fonts.load('12px \"{FAMILY}\"'), document.fonts.load('bold 12px \"{FAMILY}\"')])"
    )
    return page


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_no_text_lies_over_another_in_a_browser(lettered: Page, name: str, players: int) -> None:
    positions = list(sampled(name, players, players + 50))
    step = 1 if FULL else max(1, len(positions) // SHOWN)
    for position in positions[::-step]:
        found = measured(lettered, position)
        assert len(found) > 30 and overlapping(found) == []
        for text in found:
            believed = text_width(text["text"], text["size"], text["bold"])
            assert text["scale"] == 1 and abs(text["width"] - believed) <= 0.02 * believed + 0.3, text


def test_texts_that_overlap_are_found(lettered: Page) -> None:
    lettered.evaluate(
        "(markup) => { document.body.innerHTML = markup; }",
        '<svg><text x="10" y="20" font-size="12">one word</text><g transform="translate(20 0)">'
        '<text x="10" y="24" font-size="12">another</text></g><text x="10" y="40" font-size="12">below</text></svg>',
    )
    assert overlapping(lettered.evaluate(MEASURED)) == [("one word", "another")]
