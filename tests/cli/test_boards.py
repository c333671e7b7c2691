"""The board in the terminal: what a seat is shown, what it is not, and the words for every node."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from helpers.toy_game import TOY

import atlantis_envs
from atlantis_envs.drawing import plain
from atlantis_envs.games.atlandice.data import TILES
from atlantis_envs.games.atlandice.show import phrases
from atlantis_envs.games.atlandice.state import NODES
from atlantis_envs.play.game_session import Event, GameSession, visible_text
from atlantis_envs.play.terminal import Terminal
from atlantis_envs.registry import definition
from atlantis_envs.seats.agents import make_agent

# ------------------------------------------------------------------------------------------------- hidden information


def walk(name, players, seed):
    """A random game: every position on its way, with what happens next."""
    dice = random.Random(seed)
    position = atlantis_envs.game(name, players=players).initial_position()
    while position.node != "over":
        text = dice.choice(position.legal_actions() or list(position.chance_outcomes()))
        yield position, text
        position.apply(text)


@pytest.mark.parametrize("look", [definition("atlantis").look(), plain.LOOK], ids=["atlantis", "plain"])
def test_a_seat_is_shown_nothing_it_cannot_know(look):
    names, changed = ["x"] * 3, 0
    for number, (position, _) in enumerate(walk("atlantis", 3, 8)):
        seat = position.seat
        if seat is None or number % 7:
            continue
        twin = position.resample(seat, number)
        changed += twin != position
        assert look.board.text(twin, seat, names) == look.board.text(position, seat, names)
        assert look.view(twin, seat) == look.view(position, seat)
    assert changed > 5


def test_cards_drawn_by_others_are_not_named():
    seen = {"own": set(), "other": set(), "open": set()}
    for position, text in walk("atlantis", 2, 4):
        event = Event(position.clone(), text)
        output = visible_text(event, 0)
        if not text.startswith("card "):
            seen["open"].add(output == text)
        elif text in position.chance_outcomes() and len(position.chance_outcomes()) > 1:
            hand = position.to_json()["seat"]
            seen["own" if hand == 0 else "other"].add(output.endswith("?"))
        assert visible_text(event, None) == text
    assert seen == {"own": {False}, "other": {True}, "open": {True}}


def test_undo_is_for_the_seat_that_asks():
    game = atlantis_envs.game("atlandice", players=2)
    session = GameSession(game, [None, None], 1)
    while len({event.before.seat for event in session.events if event.chosen}) < 2 or session.person != 0:
        if session.person is None:
            session.advance()
        else:
            session.play(session.position.legal_actions()[0])
    assert session.undo(0) and session.position.seat == 0
    assert not any(event.chosen and event.before.seat == 0 for event in session.events) or session.undo(0)


# -------------------------------------------------------------------------------------------------------------- boards


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_atlandice_board_shows_every_node(players):
    names = [f"name{seat}" for seat in range(players)]
    for position, _ in walk("atlandice", players, players):
        text = phrases.text(position, 0, names)
        assert all(name in text for name in names) and "market" in text
        assert all(len(line) <= 120 for line in text.splitlines())
    assert "[END]" in phrases.text(position, None, names) or position.node == "over"


def test_every_tile_and_every_decision_of_atlandice_has_words():
    assert set(phrases.EFFECTS) == set(TILES)
    decisions = NODES[: NODES.index("reveal")]
    assert set(phrases.NODES) == set(decisions)


def test_the_plain_board_serves_games_without_one():
    position = atlantis_envs.game("atlandice").initial_position()
    assert TOY.look().board is plain.BOARD
    assert "as seat 1 sees it" in plain.plain_text(position, 1, ["a", "b", "c"])
    assert "sectors" in plain.plain_text(position, None, ["a", "b", "c"])


def test_an_explanation_says_what_changes():
    game = atlantis_envs.game("atlandice")
    session = GameSession(game, [None, *[make_agent("random", game)] * 2], 5)
    while session.person is None:
        session.advance()
    terminal = Terminal(session, ["a", "b", "c"], print, input, Path("x"))
    lines = list(terminal.explanation(session.position.legal_actions()[0]))
    assert lines[0].startswith("visit ") and "You take the die" in lines[0]
    assert lines[-1] == "  Then you are asked again: take a piece of the visited sector."
    assert not any("->" in line or "{" in line for line in lines)


def test_the_atlantis_board_asks_for_what_can_be_done():
    board, look = definition("atlantis").look().board, definition("atlantis").look()
    asked = {}
    for seed in range(3):
        for position, _ in walk("atlantis", 3, seed):
            for action in position.legal_actions():
                view = look.view(position, position.seat)
                output = f"{look.question(view)} {' '.join(look.clauses(view))}"
                asked.setdefault(action.split()[0], set()).add(output)
            assert "@0@" not in board.text(position, None, ["a", "b", "c"])
    for word, output in (("sell", "4.3"), ("bridge", "6.9"), ("play", "5.4"), ("pay", "still to pay"), ("pawn", "5.1")):
        assert asked[word] and all(output in text for text in asked[word]), word
