"""Where games of Atlantis Rising begin that are to meet late rules as often as early ones, with options of every kind.

A start is a pair: the fast position and the slow one. Later rounds are made by hand: components built, tiles flooded,
cards and goods in hand.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from oracles.atlantis_rising import OraclePosition

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising import data

IDLE = ("ready", "pass", "yield", "decline")
GAME = atlantis_envs.game("atlantis_rising")

Pair = tuple[Position, OraclePosition]


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
        "decline_budget": lambda: dice.randint(0, 4),
        "casting_vote": lambda: True,
        "must_act": lambda: True,
        "round_limit": lambda: dice.randint(1, 9),
        "truncation": lambda: dice.randint(1, 9),
        "solo_energy": lambda: "every round",
        "solo_prices": lambda: "reduced",
        "automaton_dice": lambda: "per die",
        "divers": lambda: "flooded tile",
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


def from_the_root(players: int, dice: random.Random) -> Pair:
    options = random_options(players, dice)
    fast = atlantis_envs.game("atlantis_rising", **options).initial_position()
    return fast, OraclePosition.initial(options)


def from_the_middle(players: int, dice: random.Random) -> Pair:
    """A first deployment to which later rounds have been added by hand."""
    slow = OraclePosition.initial({**random_options(players, dice), "round_limit": 30, "truncation": 30})
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
    unused = document["unused_artifacts"]
    for artifact in list(unused):  # for one of the deck, so that the library keeps as many as it should (3c)
        others = [name for name in deck if name in data.ARTIFACTS]
        if dice.random() < 0.15 and others:
            del deck[others[0]]
            unused[unused.index(artifact)] = others[0]
            unused.sort(key=data.ARTIFACTS.index)
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
                if free.get(at, 9) == 0:
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
