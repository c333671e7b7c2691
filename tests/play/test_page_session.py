"""What a page is told of a table: the whole of it in pieces, nothing that the seat may not know, and no stale moves."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from helpers.served import page_session
from helpers.support import scaled

from atlantis_envs.drawing.shapes import all_groups
from atlantis_envs.play.page_session import PageSession, RefusedError, StaleError, preview

GAMES = ("atlandice", "atlantis", "atlantis_rising")


def settled(at: PageSession, state: dict[str, Any]) -> dict[str, Any]:
    """Let others play until somebody is asked."""
    while state["busy"]:
        state = at.go(state["ply"])
    return state


def patched(shown: dict[str, str], state: dict[str, Any]) -> dict[str, str]:
    """What a page shows after a document."""
    marks = {} if state["base"] is None else dict(shown)
    for step in state["steps"]:
        marks |= step.get("groups", {})
    return marks | state["groups"]


@pytest.mark.parametrize("name", GAMES)
def test_the_pieces_that_are_sent_make_the_whole_picture(name: str) -> None:
    dice = random.Random(5)
    at = page_session(name, ["human", "heuristic", "heuristic"], 2)
    shown: dict[str, str] = {}
    state = at.state()
    small = 0
    for _ in range(scaled(12, 200)):
        shown = patched(shown, state)
        whole = at.state()
        assert whole["base"] is None and whole["groups"] == shown
        assert list(shown) == list(whole["groups"])
        again = at.state(whole["ply"])
        assert again["base"] == whole["ply"] and again["groups"] == {} and again["frame"] is None
        if state["over"]:
            break
        moves = [move["text"] for move in state["moves"]]
        state = at.go(state["ply"]) if state["busy"] else at.move(state["ply"], dice.choice(moves))
        small += sum(len(marks) for marks in state["groups"].values()) < sum(map(len, shown.values())) / 2
    assert small > 3


def test_a_covered_screen_knows_nothing() -> None:
    at = page_session("atlantis", ["human", "human"], 3)
    state = settled(at, at.state())
    assert state["covered"] and not {"groups", "steps", "moves", "trail", "frame", "about", "question"} & set(state)
    first = state["person"]
    for asked in (at.text, at.replay, lambda: at.at(3), lambda: at.preview("pass"), lambda: at.why(["card.ring"])):
        with pytest.raises(StaleError):
            asked()
    for nobody in (1 - first, 5):
        with pytest.raises(RefusedError):
            at.uncover(state["ply"], nobody)
    with pytest.raises(StaleError):
        at.move(state["ply"], "pawn 0")
    with pytest.raises(RefusedError):
        at.undo(state["ply"])
    state = at.uncover(state["ply"], first)
    assert state["viewer"] == first and state["moves"] and not state["covered"]


def test_people_at_one_screen_see_their_own_cards_only() -> None:
    dice = random.Random(1)
    at = page_session("atlantis", ["human", "human", "heuristic"], 3)
    state = settled(at, at.state())
    handed = 0
    for _ in range(scaled(30, 300)):
        if state["over"]:
            break
        if state["covered"]:
            state = at.uncover(state["ply"], state["person"])
        elif not state["moves"]:
            handed += 1
            with pytest.raises(StaleError):
                at.move(state["ply"], "pass")
            with pytest.raises(RefusedError):
                at.uncover(state["ply"], state["viewer"])
            state = at.uncover(state["ply"], None)
            assert state["covered"]
            continue
        viewer = state["viewer"]
        look = at.look
        drawn = look.draw(look.view(at.session.position, viewer), at.names)
        labels = {group.key: group.label for group, _, _ in all_groups(drawn)}
        assert all(labels[key] in text.replace("&amp;", "&") for key, text in at.at(10**6)["groups"].items())
        other = look.view(at.session.position, viewer)["place"]["seats"]
        assert [isinstance(person["hand"], int) for person in other] == [seat != viewer for seat in range(3)]
        if state["moves"]:
            state = settled(at, at.move(state["ply"], dice.choice(state["moves"])["text"]))
    assert handed > 1


def test_several_people_at_an_open_table_need_no_cover() -> None:
    at = page_session("atlandice", ["human", "human"], 3)
    state = settled(at, at.state())
    for _ in range(20):
        assert not state["covered"] and state["viewer"] == state["person"] and state["moves"]
        state = settled(at, at.move(state["ply"], state["moves"][0]["text"]))


def test_undo_goes_back_to_the_last_own_choice_and_the_ply_never_does() -> None:
    at = page_session("atlandice", ["human", "heuristic"], 4)
    state = settled(at, at.state())
    with pytest.raises(RefusedError):
        at.undo(state["ply"])
    plies, before = [state["ply"]], []
    for _ in range(4):
        before.append((at.session.position.key(), [move["text"] for move in state["moves"]]))
        state = settled(at, at.move(state["ply"], state["moves"][-1]["text"]))
        plies.append(state["ply"])
    for key, texts in reversed(before):
        state = at.undo(state["ply"])
        assert at.session.position.key() == key and [move["text"] for move in state["moves"]] == texts
        plies.append(state["ply"])
    assert plies == sorted(set(plies)) and not state["can_undo"]
    with pytest.raises(StaleError):
        at.move(plies[0], state["moves"][0]["text"])


@pytest.mark.parametrize("name", GAMES)
def test_a_preview_says_what_a_move_does_and_changes_nothing(name: str) -> None:
    dice = random.Random(2)
    at = page_session(name, ["human", "heuristic"], 6)
    state = settled(at, at.state())
    chances = 0
    for _ in range(scaled(8, 60)):
        key = at.session.position.key()
        for move in state["moves"][:6]:
            output = at.preview(move["text"])
            assert output["lines"] and all(output["lines"])
            chances += any(re.search(r"\(\d of 6\)", line) is not None for line in output["lines"])
        assert at.session.position.key() == key and at.state()["ply"] == state["ply"]
        state = settled(at, at.move(state["ply"], dice.choice(state["moves"])["text"]))
    assert chances or name != "atlandice"


def test_a_preview_tells_nothing_that_is_hidden() -> None:
    dice = random.Random(1)
    at = page_session("atlantis", ["human", "heuristic", "heuristic"], 2, 60)
    state = settled(at, at.state())
    differ, hidden = 0, 0
    for _ in range(scaled(10, 60)):
        position = at.session.position
        for world in range(2):
            twin = position.resample(0, world)
            differ += twin.key() != position.key()
            for action in position.legal_actions():
                one, other = (preview(at.look, each, 0, action) for each in (position, twin))
                assert one[0] == other[0]
                assert at.look.view(one[1], 0) == at.look.view(other[1], 0)
                hidden += "then chance decides" in one[0]
        state = settled(at, at.move(state["ply"], dice.choice(state["moves"])["text"]))
        if state["over"]:
            break
    assert differ > 5 and hidden > 0  # cards are drawn from a pile whose weights would tell what others hold


@pytest.mark.parametrize("name", GAMES)
def test_every_other_click_has_a_reason(name: str) -> None:
    at = page_session(name, ["human", "heuristic"], 7, 120)
    state = settled(at, at.state())
    areas = {move["key"] for move in [*state["moves"], *state["ways"]]}
    drawing = at.look.draw(at.look.view(at.session.position, state["viewer"]), at.names)
    reasons = 0
    for group, _, _ in all_groups(drawing):
        why = at.why([group.key])
        assert bool(why) != (group.key in areas)
        reasons += "(" in why
    assert reasons > 3 and at.why(["nothing", "at all"]) == "nothing can be done there"
    assert at.why([], "take everything") and at.why([], state["moves"][0]["text"]) == ""


def test_a_place_may_be_chosen_before_the_piece() -> None:
    at = page_session("atlantis_rising", ["human", "heuristic"], 3)
    state, done, dice = settled(at, at.state()), set(), random.Random(1)
    while done != {"place", "lift", "resolve"}:
        before = at.session.position.key()
        for way in dice.sample(state["ways"], min(2, len(state["ways"]))):
            first, second = way["text"].split(", ")
            assert way["key"] == second.replace("at ", "at.") and at.preview(way["text"])["lines"]
            state = at.move(state["ply"], way["text"])
            assert [event.text for event in at.session.events if event.chosen][-2:] == [first, second]
            done.add(first.split()[0])
            state = at.undo(settled(at, state)["ply"])
            assert at.session.position.key() == before
        clicked = {way["key"] for way in state["ways"]}
        for key in ("at.hills 1", "at.gate 2", "at.entropy drive"):
            assert not clicked or key in clicked or not at.why([key]).startswith("not now")
        for wrong in ("place automaton, at gate 3", "yield, place leader", "resolve, at hills 1, at hills 2"):
            with pytest.raises(RefusedError):
                at.move(state["ply"], wrong)
        state = settled(at, at.move(state["ply"], dice.choice([*state["moves"], *state["ways"]])["text"]))


def test_at_the_end_everything_is_shown_and_may_be_taken_back() -> None:
    dice = random.Random(3)
    at = page_session("atlantis", ["human", "heuristic"], 2, 150)
    state = settled(at, at.state())
    assert not state["over"]
    while not state["over"]:
        state = settled(at, at.move(state["ply"], dice.choice(state["moves"])["text"]))
    result = state["result"]
    assert [seat["score"] for seat in result["seats"]] == at.session.position.scores()
    returns = at.session.position.returns()
    assert [seat["won"] for seat in result["seats"]] == [each == max(returns) for each in returns]
    assert state["viewer"] is None and not state["moves"] and state["can_undo"]
    assert at.undo(state["ply"])["moves"]


def test_looking_back_shows_what_was() -> None:
    at = page_session("atlandice", ["human", "heuristic"], 7, 60)
    settled(at, at.state())
    events = at.session.events
    for event in (0, 1, 30, len(events)):
        output = at.at(event)
        assert (output["event"], output["of"]) == (event, len(events))
        position = events[event].before if event < len(events) else at.session.position
        at_once = at.look.draw(at.look.view(position, 0), at.names)
        assert [group.key for group in at_once.groups] == list(output["groups"])
        assert output["told"] == ("the beginning" if event == 0 else at._event_text(event - 1, 0))
    assert at.at(10**9)["event"] == len(events)


def test_moves_without_an_alternative_are_asked_only_on_request() -> None:
    for ask_forced, fewest in ((False, 2), (True, 1)):
        at = page_session("atlandice", ["human", "heuristic"], 7, ask_forced=ask_forced)
        state = settled(at, at.state())
        counts = []
        for _ in range(12):
            counts.append(len(state["moves"]))
            state = settled(at, at.move(state["ply"], state["moves"][0]["text"]))
        assert min(counts) == fewest
