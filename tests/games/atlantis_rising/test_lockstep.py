"""The fast Atlantis Rising and the slow one side by side: everything they say is compared at every node.

Neither side draws: the driver chooses actions and outcomes, often whatever it has chosen least. Games from the middle
start with components built, tiles flooded, cards and goods in hand, so that late rules are met as often as early ones.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from helpers.atlantis_rising_starts import (
    GAME,
    IDLE,
    from_a_game_in_play,
    from_the_gate,
    from_the_middle,
    from_the_root,
)
from helpers.support import scaled
from oracles.atlantis_rising import OraclePosition

from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError
from atlantis_envs.games.atlantis_rising.state import NODES

NODES_EACH = scaled(300, 60_000)  # compared per test
RELOAD_EVERY = 17  # the fast side forgets all and goes on from the slow side's document


def compare(fast: Position, slow: OraclePosition) -> None:
    """Everything both sides say about the position."""
    assert fast.node == slow.node
    assert fast.seat == slow.seat
    assert fast.legal_actions() == slow.legal_actions()
    assert list(fast.chance_outcomes().items()) == list(slow.chance_outcomes().items())
    assert fast.to_json() == slow.to_json()
    assert fast.scores() == slow.scores()
    assert fast.truncated == slow.truncated
    assert fast.check() == 0, fast.faults()
    if slow.node == "over":
        assert fast.returns() == slow.returns()


def refuse(fast: Position, dice: random.Random) -> None:
    """An action that is not offered is refused, by id and by text, and leaves no trace."""
    number = dice.randrange(len(GAME.actions))
    before = fast.state.tobytes()
    if fast.node == "decision" and GAME.actions[number] not in fast.legal_actions():
        for move in (number, GAME.actions[number]):
            with pytest.raises(IllegalActionError):
                fast.apply(move)
        assert fast.state.tobytes() == before


class Driver:
    """Plays both sides until enough nodes have been compared, and counts what has been seen."""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)
        self.nodes: Counter[str] = Counter()
        self.moves: Counter[str] = Counter()
        self.compared = 0
        self.games = 0

    def choose(self, offered: list[str]) -> str:
        """Uniform, what has been played least, or something that does something."""
        way = self.dice.random()
        if way < 0.4:
            return min(offered, key=lambda text: self.moves[text])
        busy = [text for text in offered if text not in IDLE and not text.startswith("lift")]
        return self.dice.choice(busy if way < 0.8 and busy else offered)

    def run(self, fast: Position, slow: OraclePosition, limit: int) -> None:
        """One game, to its end or the limit."""
        compare(fast, slow)
        while slow.node != "over" and limit > 0:
            limit -= 1
            offered = slow.legal_actions() or list(slow.chance_outcomes())
            refuse(fast, self.dice)
            self.nodes[NODES[int(fast.state.node[0])]] += 1
            self.compared += 1
            if self.compared % RELOAD_EVERY == 0:
                fast = GAME.from_json(slow.to_json())
                compare(fast, slow)
            text = self.choose(offered)
            self.moves[text] += 1
            fast.apply(text)
            slow.apply(text)
            compare(fast, slow)
        self.games += slow.node == "over"


STARTS = [from_the_root, from_the_middle, from_the_gate, from_a_game_in_play]


@pytest.mark.parametrize("players", range(1, 8))
@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.__name__)
def test_both_sides_agree_at_every_node(start: Any, players: int) -> None:
    driver = Driver(f"{start.__name__} {players}")
    while driver.compared < NODES_EACH:
        driver.run(*start(players, driver.dice), limit=4_000 if start is from_the_root else 300)
    if start is from_the_root:
        assert driver.games >= 1


def test_the_comparison_sees_a_difference() -> None:
    """Two positions one move apart differ in at least one thing that is compared."""
    dice = random.Random(1)
    fast, slow = from_the_root(3, dice)
    for _ in range(100):
        text = dice.choice(slow.legal_actions() or list(slow.chance_outcomes()))
        slow.apply(text)
        with pytest.raises(AssertionError):
            compare(fast, slow)
        fast.apply(text)


@pytest.mark.full
def test_together_the_starts_reach_every_node_and_action() -> None:
    driver = Driver("reach")
    while driver.compared < 400_000:
        driver.run(*driver.dice.choice(STARTS)(driver.dice.randint(1, 7), driver.dice), limit=600)
    assert set(NODES) - {"over"} <= set(driver.nodes)
    assert set(GAME.actions) <= set(driver.moves)
