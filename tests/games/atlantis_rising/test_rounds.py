"""A round of Atlantis Rising ends whoever plays whatever: library cards leave hands so often and no more (19)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from helpers import atlantis_rising_scenarios
from helpers.atlantis_rising_starts import from_the_gate
from helpers.support import scaled

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.game import DECISIONS_PER_CARD, DECISIONS_PER_ROUND, most_cards

GAME = atlantis_envs.game("atlantis_rising")
ARCHIVE, REPEAT = "archive recovery", "cryptographic expertise"
MOST_CARDS = 106  # 19: the 26 cards of the library before and after three reshuffles, and two taken from the discard
MOST_IN_A_ROUND = 21_600  # 19
LOOP = 2_000  # decisions: the search for the loop goes on no longer


def seeker(start: str) -> Position:
    """Seat 0 has its leader on a libraries tile, nearly all other cards of the library lie in hands."""
    items = atlantis_rising_scenarios._start_items(start)
    document = atlantis_rising_scenarios.start_position("act", items)
    deck, seats = document["library"]["deck"], document["seats"]
    rest = [card for card, count in deck.items() for _ in range(count)]
    for number, card in enumerate(rest):
        seat = seats[1 + number % (len(seats) - 1)]
        if card in data.ARTIFACTS:
            seat["artifacts"].append(card)
        else:
            seat["hand"][card] = seat["hand"].get(card, 0) + 1
    deck.clear()
    for seat in seats:
        seat["artifacts"].sort(key=data.ARTIFACTS.index)
        seat["hand"] = {card: seat["hand"][card] for card in data.BASIC_CARDS if card in seat["hand"]}
    return GAME.from_json(document)


def circling(position: Position) -> str:
    """What leads back to where one was, if anything does: ready again, into the deck, out of it, and so on."""
    legal = position.legal_actions()
    if position.seat == 0:
        for wish in (f"keep {REPEAT}", f"play {REPEAT}", f"play {ARCHIVE}", "resolve", "at libraries 1"):
            if wish in legal:
                return wish
    plays = [move for move in legal if move.startswith("discard")]
    return next(move for move in ("pass", "decline", *plays, *legal) if move in legal)


def test_the_loop_of_two_archives_and_a_repeat_is_none() -> None:
    """Two archives shuffle each other into the deck, from which a repeated leader draws them: each comes once."""
    position = seeker(f"n=7; L0@libraries 1; hand0 {ARCHIVE} x2; hand0 {REPEAT}; hand1 augury; discard mystic font")
    played = Counter[str]()
    for _ in range(LOOP):
        if position.to_json()["phase"] != "actions":
            break
        move = circling(position) if position.node == "decision" else next(iter(position.chance_outcomes()))
        played[move] += 1
        position.apply(move)
    assert position.to_json()["phase"] != "actions", played.most_common(5)
    assert played[f"play {ARCHIVE}"] == 2 and played[f"play {REPEAT}"] == 1 and played["resolve"] == 1
    assert ARCHIVE not in str(position.to_json()["library"]) and not position.check()


def eager(position: Position, dice: random.Random) -> str:
    """Mostly cards: play, keep and draw what there is, make ready again, and never pass while anything else can be."""
    legal = position.legal_actions()
    liked = [move for move in legal if move.startswith(("play", "keep", "resolve", "at libraries", "at memory"))]
    other = [move for move in legal if move not in ("pass", "ready", "decline")]
    return dice.choice(liked or other or legal)


@pytest.mark.parametrize("players", [1, 2, 4, 7])
def test_cards_leave_hands_no_oftener_than_the_rules_file_says(players: int) -> None:
    dice = random.Random(players)
    most = 0
    for _ in range(scaled(6, 200)):
        position, _ = from_the_gate(players, dice)
        game = position.game
        assert most_cards(game.options) == MOST_CARDS
        assert DECISIONS_PER_ROUND + DECISIONS_PER_CARD * MOST_CARDS == MOST_IN_A_ROUND
        left = decisions = 0
        began = position.to_json()["round"]
        while position.node != "over" and position.to_json()["round"] == began:
            if position.node == "chance":
                position.apply(dice.choice(list(position.chance_outcomes())))
                continue
            move = eager(position, dice)
            left += move.startswith(("play", "discard"))
            decisions += 1
            position.apply(move)
        assert left <= MOST_CARDS and decisions < MOST_IN_A_ROUND
        most = max(most, left)
    assert most > 0


@pytest.mark.parametrize(("copies", "cards"), [(0, 24 * 2), (1, 25 * 3 + 1), (2, 26 * 4 + 2), (9, 33 * 11 + 9)])
def test_the_bound_counts_the_copies_of_the_data(copies: int, cards: int) -> None:
    tables: dict[str, Any] = {"library": [{"id": ARCHIVE, "copies": copies}]}
    game = atlantis_envs.game("atlantis_rising", data=tables)
    assert most_cards(game.options) == cards
    rounds = 2 * 100 * DECISIONS_PER_ROUND
    assert game.describe().node_bound == rounds + 2 * DECISIONS_PER_CARD * cards
