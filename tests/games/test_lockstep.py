"""Each game and its slow reference side by side: everything that they say is compared at every node.

Neither side draws: the driver chooses actions and outcomes, often whatever it has chosen least. Games begin at the
root, at positions made by hand, and wherever random games happen to be, so that late rules are met as often as early
ones.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from helpers import atlandice_random, atlantis_random
from helpers import atlantis_rising_starts as rising
from helpers.support import FEW_TEAMS, scaled
from oracles import atlandice, atlantis

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError
from atlantis_envs.games.atlantis_rising.state import NODES

BRIEF = {"atlandice": 250, "atlantis": 250, "atlantis_rising": 100}  # nodes compared per test
LONG = {
    "atlandice": scaled(1_200, 300_000),
    "atlantis": scaled(600, 300_000),
    "atlantis_rising": scaled(200, 60_000),  # whose reference is slow
}
RELOAD_EVERY = 17  # the fast side forgets all and goes on from the slow side's document
GAMES = {name: atlantis_envs.game(name) for name in ("atlandice", "atlantis", "atlantis_rising")}
Pair = tuple[Position, Any]
Start = Callable[[int, random.Random], Pair]


def compare(fast: Position, slow: Any) -> None:
    """Everything both sides say about the position."""
    assert (fast.node, fast.seat) == (slow.node, slow.seat)
    assert fast.legal_actions() == slow.legal_actions()
    assert list(fast.chance_outcomes().items()) == list(slow.chance_outcomes().items())
    assert fast.to_json() == slow.to_json()
    assert fast.scores() == slow.scores()
    assert fast.truncated == getattr(slow, "truncated", False)
    assert fast.check() == 0, fast.faults()
    if slow.node == "over":
        assert fast.returns() == pytest.approx(slow.returns(), abs=1e-12)


def refuse(fast: Position, dice: random.Random) -> None:
    """An action that is not offered is refused, by id and by text, and leaves no trace."""
    actions = fast.game.actions
    number = dice.randrange(len(actions))
    before = fast.state.tobytes()
    if fast.node == "decision" and actions[number] not in fast.legal_actions():
        for move in (number, actions[number]):
            with pytest.raises(IllegalActionError):
                fast.apply(move)
        assert fast.state.tobytes() == before


class Driver:
    """Plays both sides until enough nodes have been compared, and counts what has been seen."""

    def __init__(self, seed: str) -> None:
        self.dice = random.Random(seed)
        self.nodes: Counter[Any] = Counter()
        self.moves: Counter[str] = Counter()
        self.compared = self.games = self.offered = 0

    def choose(self, offered: list[str]) -> str:
        """Uniform, what has been played least, or something that does something."""
        way = self.dice.random()
        if way < 0.4:
            return min(offered, key=lambda text: self.moves[text])
        busy = [text for text in offered if text not in rising.IDLE and not text.startswith("lift")]
        return self.dice.choice(busy if way < 0.8 and busy else offered)

    def run(self, fast: Position, slow: Any, limit: int) -> None:
        """One game, to its end or the limit."""
        game = GAMES[fast.game.name]
        compare(fast, slow)
        while slow.node != "over" and limit > 0:
            limit -= 1
            offered = slow.legal_actions() or list(slow.chance_outcomes())
            refuse(fast, self.dice)
            self.see(fast, slow)
            self.compared += 1
            self.offered += len(offered)
            if self.compared % RELOAD_EVERY == 0:
                fast = game.from_json(slow.to_json())
                compare(fast, slow)
            text = self.choose(offered)
            self.moves[text] += 1
            fast.apply(text)
            slow.apply(text)
            compare(fast, slow)
        self.games += slow.node == "over"
        self.see(fast, slow)

    def see(self, fast: Position, slow: Any) -> None:
        """Count the node by its name."""
        rises = fast.game.name == "atlantis_rising"
        self.nodes[NODES[int(fast.state.node[0])] if rises else getattr(slow, "step", None)] += 1

    def run_all(self, nodes: int, start: Callable[[], Pair], most: int) -> None:
        """Games from these starts until enough nodes have been compared."""
        while self.compared < nodes:
            self.run(*start(), limit=most)


# ---- where games begin


def both(name: str, oracle: Any, document: dict[str, Any]) -> Pair:
    return GAMES[name].from_json(document), oracle.OraclePosition.from_json(document)


def from_play(fast: Position, oracle: Any, dice: random.Random) -> Pair:
    """Wherever a random fast game happens to be."""
    for _ in range(dice.randrange(300)):
        offered = fast.legal_actions() or list(fast.chance_outcomes())
        if not offered:
            break
        fast.apply(dice.choice(offered))
    return both(fast.game.name, oracle, fast.to_json())


def atlandice_root(players: int, dice: random.Random) -> Pair:
    options = atlandice_random.random_options(players, dice)
    return atlantis_envs.game("atlandice", **options).initial_position(), atlandice.OraclePosition.initial(options)


def atlandice_sparse(players: int, dice: random.Random) -> Pair:
    slow = atlandice_random.sparse_table(atlandice_root(players, dice)[1], dice)
    return GAMES["atlandice"].from_json(slow.to_json()), slow


def atlantis_root(players: int, dice: random.Random) -> Pair:
    options = atlantis_random.random_options(dice, players) if dice.random() < 0.75 else {}
    fast = atlantis_envs.game("atlantis", players=players, **options).initial_position()
    return fast, atlantis.OraclePosition.initial(players, options)


def atlantis_middle(players: int, dice: random.Random) -> Pair:
    options = atlantis_random.random_options(dice, players)
    return both("atlantis", atlantis, atlantis_random.random_position(dice, players, options))


STARTS: dict[tuple[str, str], Start] = {
    ("atlandice", "from_the_root"): atlandice_root,
    ("atlandice", "from_a_sparse_table"): atlandice_sparse,
    ("atlandice", "from_the_middle"): lambda players, dice: both(
        "atlandice", atlandice, atlandice_random.random_document(players, dice)
    ),
    ("atlandice", "from_a_game_in_play"): lambda players, dice: from_play(
        atlandice_root(players, dice)[0], atlandice, dice
    ),
    ("atlantis", "from_the_root"): atlantis_root,
    ("atlantis", "from_the_middle"): atlantis_middle,
    ("atlantis", "from_a_game_in_play"): lambda players, dice: from_play(
        atlantis_root(players, dice)[0], atlantis, dice
    ),
    ("atlantis_rising", "from_the_root"): rising.from_the_root,
    ("atlantis_rising", "from_the_middle"): rising.from_the_middle,
    ("atlantis_rising", "from_the_gate"): rising.from_the_gate,
    ("atlantis_rising", "from_a_game_in_play"): rising.from_a_game_in_play,
}
TABLES = [
    (name, start, players)
    for name, start in STARTS
    for players in range(GAMES[name].definition.min_players, GAMES[name].definition.max_players + 1)
]


def driven(name: str, start: str, players: int, nodes: int, most: int) -> Driver:
    """Games from one kind of start, none longer than ``most`` nodes."""
    driver = Driver(f"{start} {players}")
    driver.run_all(nodes, lambda: STARTS[name, start](players, driver.dice), most)
    assert driver.offered > 2 * driver.compared, "hardly anything was ever offered"
    return driver


@pytest.mark.parametrize(("name", "start", "players"), TABLES)
def test_both_sides_agree_at_some_nodes(name: str, start: str, players: int) -> None:
    driven(name, start, players, BRIEF[name], BRIEF[name])


@pytest.mark.parametrize(
    ("name", "start", "players"),
    [
        pytest.param(name, *rest, marks=() if name != "atlantis_rising" or rest[-1] in FEW_TEAMS else pytest.mark.full)
        for name, *rest in TABLES
    ],
)
def test_both_sides_agree_in_whole_games(name: str, start: str, players: int) -> None:
    whole = start == "from_the_root" or name != "atlantis_rising"
    driver = driven(name, start, players, LONG[name], 5_000 if whole else 300)
    assert driver.games >= whole


@pytest.mark.parametrize(("name", "start"), [key for key in STARTS if key[1] == "from_the_root"])
def test_the_comparison_sees_a_difference(name: str, start: str) -> None:
    """Two positions one move apart differ in at least one thing that is compared."""
    dice = random.Random(1)
    fast, slow = STARTS[name, start](3, dice)
    for _ in range(100):
        if slow.node == "over":
            break
        text = dice.choice(slow.legal_actions() or list(slow.chance_outcomes()))
        slow.apply(text)
        with pytest.raises(AssertionError):
            compare(fast, slow)
        fast.apply(text)


@pytest.mark.parametrize("name", ["atlandice", pytest.param("atlantis_rising", marks=pytest.mark.full)])
def test_together_the_starts_reach_every_node_and_every_action(name: str) -> None:
    """Uniform play alone would miss a few: this is what the choice of the least played is for."""
    driver = Driver("reach")
    starts = [make for (game, _), make in STARTS.items() if game == name]
    players = [2, 2, 3, 4] if name == "atlandice" else range(1, 8)
    nodes = scaled(7_500, 900_000) if name == "atlandice" else 400_000
    driver.run_all(nodes, lambda: driver.dice.choice(starts)(driver.dice.choice(players), driver.dice), 600)
    expected = {*atlandice.CHANCE_NODES, *atlandice.OFFERS, "over"} if name == "atlandice" else set(NODES)
    assert set(driver.nodes) == expected
    assert set(GAMES[name].actions) <= set(driver.moves)


LETTER: list[dict[str, Any]] = [
    {"reshuffle": "at once"},
    {"reshuffle": "when wanted"},
    {"reshuffle": "at once", "paid_cards": "discard", "sells_per_turn": "any", "overpay": "any"},
    {"reshuffle": "when wanted", "paid_cards": "discard", "overpay": "irredundant"},
    {"sell_ones": False, "settlement_pawns": "all"},
    {"preset": "brettspielwelt"},
]


@pytest.mark.parametrize("options", LETTER, ids=str)
def test_atlantis_options_that_leave_the_letter(options: dict[str, Any]) -> None:
    """Each value by name, with few cards in the pile, so that it is used up again and again (7.7)."""
    rebuilt = 0
    for number in range(12):
        dice = random.Random(f"{options} {number}")
        document = atlantis_random.random_position(dice, dice.choice([2, 3, 4]), options)
        for thing, count in list(document["pile"].items()):
            kept = min(count, dice.choice([0, 0, 1]))
            document["box"][thing] = document["box"].get(thing, 0) + count - kept
            document["pile"][thing] = kept
        document["pile"] = {thing: count for thing, count in document["pile"].items() if count} or document["discard"]
        document["discard"] = {} if document["pile"] is document["discard"] else document["discard"]
        fast, slow = both("atlantis", atlantis, document)
        driver, before = Driver(f"{options} {number}"), slow.discard.total()
        while slow.node != "over" and driver.compared < 120:
            driver.run(fast, slow, 10)
            fast = GAMES["atlantis"].from_json(slow.to_json())
            rebuilt += slow.discard.total() < before
            before = slow.discard.total()
    assert rebuilt > 3
