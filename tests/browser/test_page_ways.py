"""What the page does beside moves: it says what a click would do and why not, looks back, takes back, hands over."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from helpers.driving import MIDDLE, PATIENCE, focus_of, is_over, move_by_mouse, opened, ply_of, settled
from helpers.served import Served, page_session, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("starlette")

CARDS = "() => [...document.querySelectorAll('#board [data-key^=\"card.\"]')].map((each) => each.textContent).join('|')"
COUNTS = (
    "() => [...document.querySelectorAll('#board [data-moves]')].map((each) => each.dataset.moves.split(' ').length)"
)
# Where numbers of seats lie at what they changed, whether each is in the way of a click, and the key of what is below.
NUMBERS = """() => [...document.querySelectorAll("#board circle[r='8.5']")].map((mark) => {
  const box = mark.getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const there = document.elementFromPoint(x, y);
  const hidden = there === mark || there.previousElementSibling === mark;
  return { x, y, hidden, key: there.closest("[data-moves]")?.dataset.key ?? null };
})"""
SAID = """() => { window.said = [];
  const question = document.getElementById("question");
  new MutationObserver(() => said.push(question.textContent)).observe(question, { childList: true }); }"""
MARKUP = "() => document.querySelector('#board svg').innerHTML"


def test_before_the_click_the_page_says_what_it_would_do(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic", "heuristic"], 5, 90)) as at:
        faults = opened(page, at)
        ply = ply_of(page)
        x, y = page.evaluate(MIDDLE, 0)
        page.mouse.move(x, y)
        page.locator("#about p").first.wait_for()
        key = page.locator("#board [data-moves]").first.get_attribute("data-key")
        text = next(move["text"] for move in at.page_session.state()["moves"] if move["key"] == key)
        lines = page.locator("#about p").all_inner_texts()
        assert lines[0].startswith(f"{text}: ") and lines[1:] == at.page_session.preview(text)["lines"][1:]
        assert page.locator("#board .shadow").count() == 1
        page.mouse.move(5, 5)
        page.keyboard.press("Tab")
        page.locator("#moves button").last.focus()
        last = at.page_session.state()["moves"][-1]["text"]
        page.locator("#about p", has_text=f"{last}:").wait_for()
        assert ply_of(page) == ply and faults == []


def test_the_number_of_who_changed_a_place_lets_a_click_through(page: Page) -> None:
    with served(page_session("atlantis", ["human", "heuristic", "heuristic"], 7, 120)) as at:
        faults = opened(page, at)
        numbers = page.evaluate(NUMBERS)
        assert len(numbers) > 3 and not any(number["hidden"] for number in numbers)
        number = next(number for number in numbers if number["key"])
        ply, moves = ply_of(page), {move["key"]: move["text"] for move in at.page_session.state()["moves"]}
        page.mouse.click(number["x"], number["y"])
        settled(page, ply)
        chosen = [event.text for event in at.page_session.session.events if event.chosen]
        assert chosen == [moves[number["key"]]] and faults == []


def test_a_click_elsewhere_is_answered_with_the_clause(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic"], 5, 60)) as at:
        faults = opened(page, at)
        areas = {move["key"] for move in at.page_session.state()["moves"]}
        other = next(key for key in ("jeweler", "library", "inn", "machinery", "forge") if f"sector.{key}" not in areas)
        page.locator(f"#board [data-key='sector.{other}'] text").first.click()
        page.locator("#about", has_text="Not here: ").wait_for()
        output = page.locator("#about p").all_inner_texts()
        assert re.search(r"\(\d+\.\d+", output[0]) and output[1].startswith("You: ")
        assert faults == []


def test_several_moves_at_a_place_are_offered_beside_it(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic"], 5)) as at:
        faults = opened(page, at)
        dice, several = random.Random(1), []
        while not several:
            move_by_mouse(page, dice)
            several = [n for n, count in enumerate(page.evaluate(COUNTS)) if count > 1]
        x, y = page.evaluate(MIDDLE, several[0])
        page.mouse.click(x, y)
        offered = page.locator("#offer button").all_inner_texts()
        assert len(offered) == 2 and focus_of(page) != "body"
        page.keyboard.press("Escape")
        assert not page.locator("#offer").is_visible() and focus_of(page).startswith("sector.")
        page.keyboard.press("Enter")
        ply = ply_of(page)
        page.locator("#offer button").nth(1).click()
        settled(page, ply)
        assert offered[1] in [event.text for event in at.page_session.session.events[-40:]] and faults == []


def test_a_preview_that_comes_after_the_move_is_no_fault(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic"], 5)) as at:
        faults, held = opened(page, at), []
        page.route("**/api/preview*", lambda route: held.append(route))
        with page.expect_request("**/api/preview*"):
            page.locator("#moves button").first.hover()
        ply = ply_of(page)
        page.locator("#moves button").first.click()
        settled(page, ply)
        said = page.locator("#about").inner_text()
        with page.expect_response("**/api/preview*") as answer:
            held[0].continue_()
        assert answer.value.json() == {"overtaken": True}
        assert faults == [] and page.locator("#about").inner_text() == said


def test_looking_back_changes_nothing(page: Page) -> None:
    with served(page_session("atlantis", ["human", "heuristic"], 5, 130)) as at:
        faults = opened(page, at)
        present, ply = page.evaluate(MARKUP), ply_of(page)
        for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "Home"):
            page.keyboard.press(key)
            page.wait_for_timeout(200)
        page.locator("body[data-at='0']").wait_for()
        assert "Looking at event 0" in page.locator("#banner").inner_text()
        assert page.evaluate(MARKUP) != present and page.locator("#board [data-moves]").count() == 0
        page.keyboard.press("End")
        assert page.evaluate(MARKUP) == present and ply_of(page) == ply
        assert not page.locator("#banner").is_visible() and at.page_session.state()["ply"] == int(ply)
        assert faults == []


def test_the_history_stays_and_leads_to_every_moment(page: Page) -> None:
    with served(page_session("atlantis", ["human", "heuristic"], 5, 60)) as at:
        faults = opened(page, at)
        move_by_mouse(page, random.Random(1))
        told = [step["stop"] for step in at.page_session.history(61)]
        lines = page.locator("#log [data-stop]")
        assert [int(line.get_attribute("data-stop") or "0") for line in lines.all()][-len(told) :] == told
        lines.nth(-2).click()
        page.locator(f"body[data-at='{told[-2]}']").wait_for()
        page.locator("#scrub").fill("20")
        page.locator("body[data-at='20']").wait_for()
        page.keyboard.press("End")
        assert page.locator("#scrub").input_value() == str(len(at.page_session.session.events)) and faults == []


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
def test_signs_are_told_on_the_first_visit_and_clauses_on_a_click(page: Page, name: str) -> None:
    with served(page_session(name, ["human", "heuristic"], 5, 60)) as at:
        faults = opened(page, at)
        signs = at.page_session.look.legend()
        assert page.locator("#legend[open] li svg").count() == len(signs) > 5
        page.locator(".clause").first.click()
        page.locator("#clause[open]").wait_for()
        clause = at.page_session.state()["question"]["clauses"][0]
        assert page.locator("#clause-text").inner_text().startswith(f"{clause} ")
        page.keyboard.press("Escape")
        page.reload()
        settled(page)
        assert page.locator("#legend[open]").count() == 0
        page.keyboard.press("l")
        assert page.locator("#legend[open]").count() == 1 and faults == []


def test_digits_are_collected_while_another_may_follow(page: Page) -> None:
    def many(at: Served) -> bool:
        return len(at.page_session.state()["moves"]) > 20

    with served(page_session("atlantis_rising", ["human", "heuristic"], 5)) as at:
        faults, dice = opened(page, at), random.Random(3)
        while not many(at):
            move_by_mouse(page, dice)
        moves = [move["text"] for move in at.page_session.state()["moves"]]
        for keys, wanted in ((["1", "2"], 11), (["2", "Enter"], 1), (["1"], 0)):
            ply = ply_of(page)
            for key in keys:
                page.keyboard.press(key)
            settled(page, ply)
            chosen = [event.text for event in at.page_session.session.events if event.chosen]
            assert chosen[-1] == moves[wanted]
            page.keyboard.press("u")
            page.locator("#moves button").nth(20).wait_for()
            settled(page)
        assert faults == []


def test_who_watches_may_pause_step_and_look_as_a_seat(page: Page) -> None:
    watched = page_session("atlantis", ["heuristic"] * 3, 5)
    with served(watched) as at:
        page.emulate_media(reduced_motion="no-preference")
        page.goto(at.url)
        page.locator("#pause").click()
        settled(page)
        ply = ply_of(page)
        before = len([event for event in watched.session.events if event.before.seat is not None])
        page.keyboard.press(".")
        settled(page, ply)
        after = len([event for event in watched.session.events if event.before.seat is not None])
        assert after == before + 1
        page.locator("#follow").select_option("1")
        page.wait_for_selector("body[data-viewer='1']")
        state = watched.state()
        assert state["viewer"] == 1 and state["saves"] == "page" and not state["over"]


def test_chances_are_shown_where_they_are_asked_for(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic"], 5, 60)) as at:
        faults = opened(page, at)
        assert not page.locator("#bar").is_visible()
        page.keyboard.press("w")
        page.locator("#bar span").first.wait_for()
        shares = at.page_session.standing()["shares"]
        assert page.locator("#bar").get_attribute("aria-label") == (
            f"chances to win: you {100 * shares[0]:.0f} %, heuristic {100 * shares[1]:.0f} %"
        )
        assert abs(sum(shares) - 1) < 1e-6 and faults == []


def test_undo_comes_back_to_the_same_question(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic"], 5, 60)) as at:
        faults = opened(page, at)
        key, moves = at.page_session.session.position.key(), page.locator("#moves button").all_inner_texts()
        assert page.locator("#do-undo").is_disabled()
        move_by_mouse(page, random.Random(1))
        assert at.page_session.session.position.key() != key
        ply = ply_of(page)
        page.keyboard.press("u")
        settled(page, ply)
        assert (
            at.page_session.session.position.key() == key and page.locator("#moves button").all_inner_texts() == moves
        )
        assert focus_of(page) != "body" and faults == []


def test_what_others_did_is_told_and_outlined_until_the_next_choice(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic", "heuristic"], 5, 90)) as at:
        faults = opened(page, at)
        dice, dotted = random.Random(2), 0
        for _ in range(4):
            move_by_mouse(page, dice)
            output = at.page_session.state()["steps"]
            lines = page.locator("#log li").all_inner_texts()
            assert len(lines) > len(output)  # what came before stays
            told = [line for line in lines if not line.startswith("Round ")]
            for line, step in zip(told[-len(output) :], output, strict=True):
                assert all(text in line for text in [*step["texts"], *step["news"]])
            dotted += page.locator("#board [stroke-dasharray='2 5']").count()
        assert dotted > 0 and faults == []


def test_one_place_says_what_is_asked_and_while_others_move_that_they_do(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic", "heuristic"], 5, 90)) as at:
        faults, dice = opened(page, at), random.Random(2)
        page.emulate_media(reduced_motion="no-preference")
        page.evaluate(SAID)
        for _ in range(3):
            move_by_mouse(page, dice)
        assert "The others are playing" in page.evaluate("said")
        assert page.locator("#question").inner_text().startswith("You: ")
        asked = page.locator("#board [data-key='heading'] text").last
        assert "you: " in (asked.text_content() or "") and not asked.is_visible()
        page.locator("#board svg").click(position={"x": 2, "y": 2})  # nothing lies there, and nothing is framed
        assert page.locator("#board").evaluate("(board) => getComputedStyle(board).outlineStyle") == "none"
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("body.past")
        assert page.locator("#board [data-key='heading'] text").last.is_visible() and faults == []


def test_hands_are_handed_over_covered(page: Page) -> None:
    dice = random.Random(4)
    with served(page_session("atlantis", ["human", "human"], 3)) as at:
        faults = opened(page, at)
        seen: dict[int, str] = {}
        for _ in range(2):
            assert page.locator("#cover").is_visible() and page.locator("#board *").count() == 0
            hidden = page.evaluate("document.body.textContent.split('\"use strict\"')[0]")
            seat = at.page_session.session.person
            assert seat is not None and focus_of(page) == "uncover" and "play ring" not in hidden
            ply = ply_of(page)
            page.keyboard.press("Enter")
            page.locator("#cover").wait_for(state="hidden")
            settled(page)
            assert ply_of(page) == ply
            seen[seat] = page.evaluate(CARDS)
            while page.locator("#hide").count() == 0:
                move_by_mouse(page, dice)
                assert not is_over(page)
            page.locator("#hide").click()
            page.locator("#cover").wait_for()
            settled(page)
        assert set(seen) == {0, 1} and faults == []


def test_a_hint_grows_and_is_stopped(page: Page) -> None:
    with served(page_session("atlandice", ["human", "heuristic"], 5, 60)) as at:
        faults = opened(page, at)
        page.keyboard.press("h")
        page.locator("#hint", has_text="The heuristic would play").wait_for(timeout=PATIENCE)
        page.locator("body[data-hint='complete']").wait_for(timeout=PATIENCE)
        moves = {move["text"]: move["key"] for move in at.page_session.state()["moves"]}
        assert not page.locator("#hint", has_text=" % ± ").locator("details p").first.is_visible()
        page.locator("#hint summary").click()
        output = page.locator("#hint").inner_text().split("\n")
        best = [line.split(":")[0] for line in output if " % ± " in line]
        assert set(best) == set(moves)
        shares = page.locator("#moves .share").all_inner_texts()
        assert len(shares) == min(5, len(moves)) and any(share.startswith(("1st ", "= ")) for share in shares)
        tinted = page.locator("#board .hinted")
        assert {area.get_attribute("data-key") for area in tinted.all()} == {moves[text] for text in best[:5]}
        assert page.locator("#board .hints > g").count() == tinted.count()
        page.keyboard.press("Escape")
        assert tinted.count() == page.locator("#board .hints").count() == page.locator("#moves .share").count() == 0
        page.keyboard.press("h")
        page.keyboard.press("Escape")
        page.locator("#hint", has_text="The hint was stopped.").wait_for()
        assert faults == []


def test_typing_finds_a_move_and_dialogs_open_by_keys(page: Page) -> None:
    with served(page_session("atlantis_rising", ["human", "heuristic"], 5, 150)) as at:
        opened(page, at)
        if page.locator("#filter").is_visible():
            page.keyboard.press("/")
            page.keyboard.type("zzz")
            assert page.locator("#moves button:visible").count() == 0
            page.keyboard.press("Escape")
            assert page.locator("#moves button:visible").count() == len(at.page_session.state()["moves"])
        for key, dialog in (("r", "#rules"), ("?", "#keys"), ("t", "#text")):
            page.keyboard.press(key)
            page.locator(f"{dialog}[open]").wait_for()
            page.keyboard.press("Escape")
            page.locator(f"{dialog}[open]").wait_for(state="detached")
        assert page.locator("#told").inner_text() == at.page_session.text()
        assert page.locator("#rules li").count() == len(at.page_session.look.goal())


def test_names_are_text_and_never_markup(page: Page) -> None:
    evil = '<img src=x onerror="document.title=1">&'
    at_table = page_session("atlandice", ["human", "heuristic"], 5, 60)
    at_table.names[:] = ["you", evil]
    with served(at_table) as at:
        faults = opened(page, at)
        move_by_mouse(page, random.Random(1))
        assert page.locator("img").count() == 0 and page.title() == "Atlandice" and faults == []
