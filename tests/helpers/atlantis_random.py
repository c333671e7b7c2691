"""Random options and random positions of Atlantis, for tests that compare or that look for what must always hold."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from helpers.atlandice_random import random_handicap
from helpers.atlantis_scenarios import NEW_TURN, OBJECTS, effective

TILES = [f"{thing} {value}" for thing in OBJECTS for value in range(1, 8)]
STACKS = [space for space in range(53) if not 10 <= space <= 19 and not 33 <= space <= 42 and space != 26]


def random_options(dice: random.Random, players: int) -> dict[str, Any]:
    """Options of section 13, each left out or drawn from all its values."""
    choices: dict[str, list[Any]] = {
        "preset": ["amigo", "brettspielwelt"],
        "first_player": ["seat0", "random"],
        "start_hand": [[4, 5, 6, 7], [0] * players, [dice.randint(0, 26) for _ in range(players)]],
        "tile_set": ["reconstructed", "uniform", random_tile_set(dice)],
        "sells_per_turn": [1, "any"],
        "sell_ones": [False, True],
        "bought_cards_pay": [False, True],
        "overpay": ["exact_first", "irredundant", "any"],
        "paid_cards": ["box", "discard"],
        "bridge_after_move": [True, False],
        "reshuffle": ["at once", "when wanted"],
        "pass_bonus": [False, True],
        "settlement": ["items", "subtract"],
        "settlement_pawns": ["path", "all"],
        "handicap": [random_handicap(players, dice)],
    }
    return {name: dice.choice(values) for name, values in choices.items() if dice.random() < 0.6}


def random_tile_set(dice: random.Random) -> dict[str, dict[str, int]]:
    """42 tiles a side, few different ones or many (2.5)."""
    pool = dice.sample(TILES, dice.choice([1, 3, 10, 49]))
    return {side: dict(Counter(dice.choices(pool, k=42))) for side in "AB"}


def random_position(dice: random.Random, players: int, options: dict[str, Any]) -> dict[str, Any]:
    """A D1 node in the middle of a game, with any path, hands, tiles and pawns; pawns like to stand close together."""
    low = dice.randrange(53)
    high = min(53, low + dice.choice([1, 5, 12, 20, 53]))
    density, pool = dice.choice([0.4, 0.7, 1.0]), dice.choices(TILES, k=dice.choice([4, 12, 49]))
    path: list[str | None] = [None] * 53
    bag: dict[str, Counter[str]] = {"A": Counter(), "B": Counter()}
    for space in range(low, high):
        if space != 26 and dice.random() < density:
            covered = space in STACKS and dice.random() < 0.2
            path[space] = dice.choice(pool) + "+" * covered
            if covered:
                bag["A" if space < 26 else "B"][dice.choice(TILES)] += 1
    tops = [space for space in range(53) if path[space]]
    water = [space for space in range(tops[0], tops[-1]) if not path[space]] if tops else []
    free = tops[: dice.choice([12, 53])]
    dice.shuffle(free)
    seats = []
    for _ in range(players):
        pawns = [free.pop() if free and dice.random() < 0.8 else dice.choice([-1, -1, 53]) for _ in range(3)]
        if pawns == [53, 53, 53]:
            pawns[dice.randrange(3)] = -1
        tiles = Counter(str(dice.randint(1, 7)) for _ in range(dice.choice([0, 1, 3, 6])))
        seats.append({"pawns": pawns, "tiles": dict(tiles), "bridge": dice.random() < 0.6})
    heaps = random_cards(dice, players)
    for seat, hand in zip(seats, heaps[3:], strict=True):
        known = Counter(card for card in hand.elements() if dice.random() < 0.2)
        seat.update(hand=dict(hand), known=dict(known))
    if not heaps[0] and options.get("reshuffle") != "when wanted":
        heaps[:2] = heaps[1::-1]  # a used up pile was rebuilt at once (7.7)
    pile, discard, box = (dict(heap) for heap in heaps[:3])
    bridges = sorted(dice.sample(water, min(len(water), dice.choice([0, 0, 1, 2]))))
    return {
        "game": "atlantis",
        "options": effective(options),
        "players": players,
        "phase": "turn",
        "first": 0 if options.get("first_player") != "random" else dice.randrange(players),
        "seat": dice.randrange(players),
        "path": path,
        "bag": {side: dict(tiles) for side, tiles in bag.items()},
        "bridges": bridges,
        "pile": pile,
        "discard": discard,
        "box": box,
        "seats": seats,
        "turn": dict(NEW_TURN),
        "idle": 0 if pile or discard else dice.randrange(players),  # no cards to draw: idle turns may lie behind
        "scores": None,
    }


def random_cards(dice: random.Random, players: int) -> list[Counter[str]]:
    """All 105 cards over pile, discard, box and hands; sometimes nothing is left to draw."""
    weights = [
        dice.choice([0, 1, 20]),
        dice.choice([0, 1, 10]),
        5,
        *(dice.choice([0.5, 3, 10]) for _ in range(players)),
    ]
    heaps: list[Counter[str]] = [Counter() for _ in weights]
    for thing in OBJECTS:
        for heap in dice.choices(heaps, weights, k=15):
            heap[thing] += 1
    return heaps
