"""The fast Atlantis and the slow one, node by node: same node, same choices, same weights, same position."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helpers.atlantis_random import random_options, random_position
from oracles.atlantis import OraclePosition

import atlantis_envs
from atlantis_envs.engine.position import Position


def assert_same(fast: Position, slow: OraclePosition, deep: bool) -> None:
    """Everything the two can be asked."""
    assert (fast.node, fast.seat) == (slow.node, slow.seat)
    assert fast.legal_actions() == slow.legal_actions()
    assert fast.chance_outcomes() == slow.chance_outcomes()
    assert fast.scores() == slow.scores()
    if deep or fast.node == "over":
        assert fast.faults() == []
        assert fast.to_json() == slow.to_json()
        assert fast.game.from_json(slow.to_json()) == fast
    if fast.node == "over":
        assert fast.returns() == pytest.approx(slow.returns())


def play_both(fast: Position, slow: OraclePosition, dice: random.Random, most: int = 10**6) -> int:
    """Random play to the end or through ``most`` nodes; how many nodes were compared."""
    for number in range(most):
        assert_same(fast, slow, deep=number % 5 == 0)
        if slow.node == "over":
            return number + 1
        outcomes = slow.chance_outcomes()
        move = dice.choice(list(outcomes) or slow.legal_actions())
        fast.apply(move)
        slow.apply(move)
    return most


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games(players: int, number: int) -> None:
    dice = random.Random(f"{players} {number}")
    options = random_options(dice, players) if number else {}
    fast = atlantis_envs.game("atlantis", players=players, **options).initial_position()
    play_both(fast, OraclePosition.initial(players, options), dice)


@pytest.mark.parametrize("number", range(60))
def test_random_positions(number: int) -> None:
    """From any position in the middle of a game."""
    dice = random.Random(number)
    players = dice.choice([2, 3, 4])
    options = random_options(dice, players)
    document: dict[str, Any] = random_position(dice, players, options)
    fast = atlantis_envs.game("atlantis").from_json(document)
    play_both(fast, OraclePosition.from_json(document), dice, most=60)


LETTER: list[dict[str, Any]] = [
    {"reshuffle": "at once"},
    {"reshuffle": "when wanted"},
    {"reshuffle": "at once", "paid_cards": "discard", "sells_per_turn": "any", "overpay": "any"},
    {"reshuffle": "when wanted", "paid_cards": "discard", "overpay": "irredundant"},
    {"sell_ones": False, "settlement_pawns": "all"},
    {"preset": "brettspielwelt"},
]


@pytest.mark.parametrize("options", LETTER, ids=str)
def test_options_that_leave_the_letter(options: dict[str, Any]) -> None:
    """Each value by name, with few cards in the pile, so that it is used up again and again (7.7)."""
    rebuilt = 0
    for number in range(12):
        dice = random.Random(f"{options} {number}")
        document: dict[str, Any] = random_position(dice, dice.choice([2, 3, 4]), options)
        for thing, count in list(document["pile"].items()):
            kept = min(count, dice.choice([0, 0, 1]))
            document["box"][thing] = document["box"].get(thing, 0) + count - kept
            document["pile"][thing] = kept
        document["pile"] = {thing: count for thing, count in document["pile"].items() if count} or document["discard"]
        document["discard"] = {} if document["pile"] is document["discard"] else document["discard"]
        slow = OraclePosition.from_json(document)
        fast = atlantis_envs.game("atlantis").from_json(document)
        before = slow.discard.total()
        for _ in range(12):
            play_both(fast, slow, dice, most=10)
            if slow.node == "over":
                break
            rebuilt += slow.discard.total() < before
            before = slow.discard.total()
    assert rebuilt > 3
