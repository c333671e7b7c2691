"""The fast Atlandice and the slow one side by side: everything they say is compared at every node.

Neither side rolls: the driver chooses actions and outcomes, half of the time whatever it has chosen least.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.atlandice_random import random_document, random_options, sparse_table
from helpers.support import scaled
from oracles.atlandice import ACTIONS, CHANCE_NODES, OFFERS, OraclePosition

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError

NODES = scaled(2_500, 300_000)  # per test
FEW = 250  # of each kind of start, in a test that is quick
RELOAD_EVERY = 17  # the fast side forgets all and goes on from the slow side's document
GAME = atlantis_envs.game("atlandice")


def compare(fast: Position, slow: OraclePosition) -> None:
    """Everything both sides say about the position."""
    assert fast.node == slow.node
    assert fast.seat == slow.seat
    assert fast.legal_actions() == slow.legal_actions()
    assert list(fast.chance_outcomes().items()) == list(slow.chance_outcomes().items())
    assert fast.to_json() == slow.to_json()
    assert fast.scores() == slow.scores()
    assert fast.check() == 0, fast.faults()
    if slow.node == "over":
        assert fast.returns() == pytest.approx(slow.returns(), abs=1e-12)


def refuse(fast: Position, dice: random.Random) -> None:
    """An action that is not offered is refused, by id and by text, and leaves no trace."""
    number = dice.randrange(len(ACTIONS))
    before = fast.state.tobytes()
    if fast.node == "decision" and ACTIONS[number][0] not in fast.legal_actions():
        for move in (number, ACTIONS[number][0]):
            with pytest.raises(IllegalActionError):
                fast.apply(move)
        assert fast.state.tobytes() == before


class Driver:
    """Plays both sides until enough nodes have been compared, and counts what has been seen."""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)
        self.nodes: Counter[str] = Counter()
        self.moves: Counter[str] = Counter()
        self.widths: list[int] = []
        self.games = 0

    def choose(self, offered: list[str]) -> str:
        """Uniform, or what has been played least so far."""
        if self.dice.random() < 0.5:
            return self.dice.choice(offered)
        return min(offered, key=lambda text: self.moves[text])

    def run(self, fast: Position, slow: OraclePosition) -> None:
        """One game to its end."""
        compare(fast, slow)
        while slow.node != "over":
            offered = slow.legal_actions() or list(slow.chance_outcomes())
            refuse(fast, self.dice)
            self.nodes[slow.step] += 1
            self.widths.append(len(offered))
            if len(self.widths) % RELOAD_EVERY == 0:
                fast = GAME.from_json(slow.to_json())
            text = self.choose(offered)
            self.moves[text] += 1
            fast.apply(text)
            slow.apply(text)
            compare(fast, slow)
        self.games += 1
        self.nodes["over"] += 1

    def run_all(self, nodes: int, starts: Iterator[tuple[Position, OraclePosition]]) -> None:
        """Games from these starts until enough nodes have been compared."""
        while len(self.widths) < nodes:
            self.run(*next(starts))


def from_the_root(players: int, dice: random.Random) -> tuple[Position, OraclePosition]:
    options = random_options(players, dice)
    fast = atlantis_envs.game("atlandice", **options).initial_position()
    return fast, OraclePosition.initial(options)


def from_a_sparse_table(players: int, dice: random.Random) -> tuple[Position, OraclePosition]:
    slow = sparse_table(OraclePosition.initial(random_options(players, dice)), dice)
    return GAME.from_json(slow.to_json()), slow


def from_the_middle(players: int, dice: random.Random) -> tuple[Position, OraclePosition]:
    document = random_document(players, dice)
    return GAME.from_json(document), OraclePosition.from_json(document)


def from_a_game_in_play(players: int, dice: random.Random) -> tuple[Position, OraclePosition]:
    fast, _ = from_the_root(players, dice)
    for _ in range(dice.randrange(300)):
        offered = fast.legal_actions() or list(fast.chance_outcomes())
        if not offered:
            break
        fast.apply(dice.choice(offered))
    return fast, OraclePosition.from_json(fast.to_json())


STARTS = [from_the_root, from_a_sparse_table, from_the_middle, from_a_game_in_play]
ALWAYS_SEEN = {*CHANCE_NODES, *OFFERS, "over"} - {"first_player", "effect", "reroll", "swap_in"}


def driven(start: Any, players: int, nodes: int) -> Driver:
    """Games from one kind of start."""
    driver = Driver(f"{start.__name__} {players}")

    def starts() -> Iterator[tuple[Position, OraclePosition]]:
        while True:
            yield start(players, driver.dice)

    driver.run_all(nodes, starts())
    return driver


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.__name__)
def test_both_sides_agree_for_a_game_or_two(start: Any, players: int) -> None:
    assert driven(start, players, FEW).games > 0


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.__name__)
def test_both_sides_agree_at_every_node(start: Any, players: int) -> None:
    driver = driven(start, players, NODES)
    assert sum(driver.widths) / len(driver.widths) > 2, "hardly anything was ever offered"
    assert driver.games > 3
    if start is from_the_root:
        assert set(driver.nodes) >= ALWAYS_SEEN


def test_the_comparison_sees_a_difference() -> None:
    """Two positions one move apart differ in at least one thing that is compared."""
    dice = random.Random(1)
    fast, slow = from_the_root(3, dice)
    while slow.node != "over":
        text = dice.choice(slow.legal_actions() or list(slow.chance_outcomes()))
        slow.apply(text)
        with pytest.raises(AssertionError):
            compare(fast, slow)
        fast.apply(text)


def test_together_the_starts_reach_every_node_and_every_action() -> None:
    """Uniform play alone would miss a few: this is what the choice of the least played is for."""
    driver = Driver("reach")

    def starts() -> Iterator[tuple[Position, OraclePosition]]:
        while True:
            yield driver.dice.choice(STARTS)(driver.dice.choice([2, 2, 3, 4]), driver.dice)

    driver.run_all(3 * NODES, starts())
    assert set(driver.nodes) == {*CHANCE_NODES, *OFFERS, "over"}
    assert {text for text, _, _ in ACTIONS} <= set(driver.moves)
