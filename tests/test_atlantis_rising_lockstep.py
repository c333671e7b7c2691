"""The fast Atlantis Rising and the slow one side by side: everything they say is compared at every node.

Neither side draws: the driver chooses actions and outcomes, often whatever it has chosen least. Games from the middle
start with components built, tiles flooded, cards and goods in hand, so that late rules are met as often as early ones.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from oracles.atlantis_rising import OraclePosition
from support import FULL, scaled

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.state import NODES

NODES_EACH = scaled(300, 60_000)  # compared per test
RELOAD_EVERY = 17  # the fast side forgets all and goes on from the slow side's document
IDLE = ("ready", "pass", "yield", "decline")
GAME = atlantis_envs.game("atlantis_rising")


def random_options(players: int, dice: random.Random) -> dict[str, Any]:
    """Options of every kind, each at its default half of the time."""
    level = dice.randint(1, 5)
    options: dict[str, Any] = {"players": players, "level": level}
    choices: dict[str, Callable[[], Any]] = {
        "first_player": lambda: dice.choice([*range(players), "random"]),
        "councilors": lambda: dice.choice(["draft", dice.sample(data.COUNCILORS, players)]),
        "blueprint": lambda: random_blueprint(level, dice),
        "force_artificer": lambda: dice.random() < 0.5,
        "hands_open": lambda: dice.random() < 0.5,
        "lift_budget": lambda: dice.randint(0, 5),
        "yield_budget": lambda: dice.randint(0, 3),
        "round_limit": lambda: dice.randint(1, 9),
        "solo_energy": lambda: "every round",
        "solo_prices": lambda: "printed",
    }
    return options | {name: choose() for name, choose in choices.items() if dice.random() < 0.5}


def random_blueprint(level: int, dice: random.Random) -> list[str]:
    """Nine components with the letters of the level (2.10)."""
    letters = {2: (4, 3, 2, 0), 3: (3, 3, 2, 1), 4: (2, 3, 2, 2), 5: (1, 2, 3, 3)}
    if level == 1:
        ids = (0, 1, 2, 3, 4, 5, 6, 10, 11)
        return dice.sample([data.COMPONENTS[number] for number in ids], 9)
    return [
        name
        for letter, count in enumerate(letters[level])
        for name in dice.sample(data.COMPONENTS[5 * letter : 5 * letter + 5], count)
    ]


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


Pair = tuple[Position, OraclePosition]


def from_the_root(players: int, dice: random.Random) -> Pair:
    options = random_options(players, dice)
    fast = atlantis_envs.game("atlantis_rising", **options).initial_position()
    return fast, OraclePosition.initial(options)


def from_the_middle(players: int, dice: random.Random) -> Pair:
    """A first deployment to which later rounds have been added by hand."""
    slow = OraclePosition.initial({**random_options(players, dice), "round_limit": 30})
    while slow.phase != "deploy":
        slow.apply(dice.choice(slow.legal_actions() or list(slow.chance_outcomes())))
    document = later(slow.to_json(), dice)
    return GAME.from_json(document), OraclePosition.from_json(document)


def later(document: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    """Components built, tiles flooded, goods, cards and recruits handed out."""
    blueprint = document["blueprint"]
    built = dice.sample(blueprint[:-1], dice.choice([2, 5, 8, 9, 9]))
    document["built"] = built
    document["blueprint"] = [name for name in blueprint if name not in built]
    document["round"], document["wrath"] = dice.randint(2, 9), dice.randint(0, 5)
    wet = dice.choice([1, 3, 6])
    document["flooded"] = {name: dice.randint(0, wet) for name in data.PENINSULAS}
    open_ones = [name for name, count in document["flooded"].items() if count < 6]
    document["barriers"] = [name for name in open_ones if dice.random() < 0.3]
    for seat in document["seats"]:
        for good in data.GOODS:
            seat[good] = dice.choice([0, 0, 1, 2, 5])
        recruits = dice.randint(0, seat["reserve"])
        seat["reserve"] -= recruits
        seat["home"]["follower"] += recruits
        volunteers = dice.choice([0, 0, 1])
        if volunteers <= document["volunteers"]:
            seat["home"]["volunteer"] += volunteers
            document["volunteers"] -= volunteers
        deal(document, seat, dice)
    return document


def deal(document: dict[str, Any], seat: dict[str, Any], dice: random.Random) -> None:
    """Some cards of the deck, and artifacts from wherever they are, go to a seat; others to the discard."""
    deck, share = document["library"]["deck"], dice.choice([0.05, 0.3])
    for card in list(deck):
        if dice.random() < share:
            deck[card] -= 1
            if card in data.ARTIFACTS:
                seat["artifacts"].append(card)
            elif dice.random() < 0.7:
                seat["hand"][card] = seat["hand"].get(card, 0) + 1
            else:
                document["library"]["discard"][card] = document["library"]["discard"].get(card, 0) + 1
            if deck[card] == 0:
                del deck[card]
    for artifact in list(document["unused_artifacts"]):
        if dice.random() < 0.15 and artifact in data.ARTIFACTS[6:]:  # two with the symbol stay for the scholar
            document["unused_artifacts"].remove(artifact)
            seat["artifacts"].append(artifact)
    for part in (document["library"]["discard"], seat["hand"]):
        ordered = {card: part[card] for card in data.CARDS if card in part}
        part.clear()
        part.update(ordered)
    seat["artifacts"].sort(key=data.ARTIFACTS.index)


def from_the_gate(players: int, dice: random.Random) -> Pair:
    """An action phase in which much can be built and most component spaces are in use."""
    fast, _ = from_the_middle(players, dice)
    document = fast.to_json()
    document["phase"] = "actions"
    rich = dice.choice([1, 2, 9])
    free = spaces(document)
    placed: dict[tuple[int, int, int], int] = {}
    for number, seat in enumerate(document["seats"]):
        for good in data.GOODS[1:]:
            seat[good] += dice.randint(0, rich)
        for kind in ("leader", "hologram", "follower", "volunteer"):
            while seat["home"][kind]:
                seat["home"][kind] -= 1
                at = dice.choice(["gate 1", "gate 1", "gate 2"]) if kind == "leader" else dice.choice(list(free))
                if free.get(at, 9) == 0 or (at == "spirit seal" and kind != "follower"):
                    at = "centre"
                free[at] = free.get(at, 9) - 1
                key = (data.LOCATIONS.index(at), number, data.KINDS.index(kind))
                placed[key] = placed.get(key, 0) + 1
        seat["home"]["automaton"] = 0
    document["placed"] = [
        {"at": data.LOCATIONS[at], "seat": seat, "kind": data.KINDS[kind], "ready": count, "done": 0}
        for (at, seat, kind), count in sorted(placed.items())
    ]
    return GAME.from_json(document), OraclePosition.from_json(document)


def spaces(document: dict[str, Any]) -> dict[str, int]:
    """How many pieces the tiles above water and the built components hold."""
    tiles = {
        f"{name} {position}": 2 if name == "cities" else 1
        for name, wet in document["flooded"].items()
        for position in range(wet + 1, 7)
    }
    built = {name: data.SPACES[data.COMPONENTS.index(name)] for name in document["built"] if name in data.LOCATIONS}
    return {**tiles, **built, "centre": 99}


def from_a_game_in_play(players: int, dice: random.Random) -> Pair:
    """Wherever a random fast game happens to be."""
    fast, _ = from_the_root(players, dice)
    for _ in range(dice.randrange(400)):
        offered = fast.legal_actions() or list(fast.chance_outcomes())
        if not offered:
            break
        fast.apply(dice.choice(offered))
    return fast, OraclePosition.from_json(fast.to_json())


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


@pytest.mark.skipif(not FULL, reason="takes minutes")
def test_together_the_starts_reach_every_node_and_action() -> None:
    driver = Driver("reach")
    while driver.compared < 400_000:
        driver.run(*driver.dice.choice(STARTS)(driver.dice.randint(1, 7), driver.dice), limit=600)
    assert set(NODES) - {"over"} <= set(driver.nodes)
    assert set(GAME.actions) <= set(driver.moves)
