"""Masks of Atlantis where they are hard: many pawns in the way, bought cards, long payments, the settlement."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.atlantis_scenarios import NEW_TURN, OBJECTS, effective
from oracles.atlantis import ITEMS, OraclePosition, item_value, sums

import atlantis_envs
from atlantis_envs.errors import PositionError

GAME = atlantis_envs.game("atlantis")


def position(path: list[str | None], seats: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A document with all cards nobody holds in the pile; ``turn`` is completed."""
    held = Counter[str]()
    for seat in seats:
        held.update(seat.get("hand", {}))
    blank = {"pawns": [-1, -1, -1], "hand": {}, "tiles": {}, "bridge": False, "known": {}}
    return {
        "game": "atlantis",
        "options": effective(more.pop("options", {})),
        "players": len(seats),
        "phase": "turn",
        "first": 0,
        "seat": 0,
        "path": path + [None] * (53 - len(path)),
        "bag": {"A": {}, "B": {}},
        "bridges": [],
        "pile": {thing: 15 - held[thing] for thing in OBJECTS if held[thing] < 15},
        "discard": {},
        "box": {},
        "seats": [{**blank, **seat} for seat in seats],
        "idle": 0,
        "scores": None,
        **more,
        "turn": {**NEW_TURN, **more.get("turn", {})},
    }


def crowded(dice: random.Random) -> dict[str, Any]:
    """Pawns in a row, few objects, few cards, little money, and cards bought this turn."""
    objects = dice.sample(OBJECTS, dice.choice([2, 3, 5, 7]))
    values = dice.choice([[1], [1, 7], [2, 3]])
    density = dice.choice([0.6, 0.8, 1.0])
    path: list[str | None] = [
        f"{dice.choice(objects)} {dice.choice(values)}" if dice.random() < density else None for _ in range(20)
    ]
    tops = [space for space, tile in enumerate(path) if tile][:12]
    places = [tops.pop(dice.randrange(min(2, len(tops)))) if tops and dice.random() < 0.9 else -1 for _ in range(12)]
    seats = [{"pawns": places[number::4]} for number in range(4)]
    hand = Counter(dice.choices(objects, k=dice.randint(1, 9)))
    bought = Counter(dice.sample(list(hand.elements()), dice.randint(0, min(3, hand.total()))))
    seats[0].update(hand=dict(hand), tiles=dict(Counter(dice.choices("123", k=dice.randint(0, 2)))))
    options = {"bought_cards_pay": dice.random() < 0.3}
    return position(path, seats, options=options, turn={"sold": 1, "bought": dict(bought)})


@pytest.mark.parametrize("block", range(6))
def test_5_5_crowded_paths(block: int) -> None:
    """The choosable pawns, and for each of them the playable cards, then on along the chain."""
    chains = 0
    for number in range(80):
        dice = random.Random(f"{block} {number}")
        document = crowded(dice)
        fast, slow = GAME.from_json(document), OraclePosition.from_json(document)
        while slow.node == "decision" and slow.seat == 0:
            assert fast.legal_actions() == slow.legal_actions()
            chains += slow.phase == "play" and slow.x != slow.seats[0].pawns[slow.pawn or 0]
            forward = [move for move in slow.legal_actions() if move.split()[0] in ("pawn", "play", "pay")]
            if not forward:
                break
            move = dice.choice(forward)
            fast.apply(move)
            slow.apply(move)
    assert chains > 20


def paying(dice: random.Random) -> dict[str, Any]:
    """In the middle of a payment, with up to 24 tiles and 20 cards."""
    tiles = Counter(dice.choices(dice.sample("1234567", dice.randint(1, 5)), k=dice.choice([0, 2, 6, 24])))
    hand = Counter(dice.choices(OBJECTS, k=dice.choice([0, 1, 3, 6, 20])))
    bought = Counter(card for card in hand.elements() if dice.random() < 0.2)
    value = dice.randint(1, 7)
    path: list[str | None] = [None if space % 2 else f"ring {value}" for space in range(2 * dice.randint(2, 13))]
    target = 2 * dice.randint(1, (len(path) - 1) // 2)
    toll = value * target // 2
    last = dice.choice([None, None, *ITEMS])
    least = 0 if last is None else item_value(last)
    due = toll if last is None else dice.randint(0, toll - least) if toll > least else 0
    turn = {"sold": 1, "bought": dict(bought), "pawn": 0, "x": target, "due": due, "last": last}
    options = {
        "overpay": dice.choice(["exact_first", "irredundant", "any"]),
        "bought_cards_pay": dice.random() < 0.3,
    }
    seat = {"pawns": [0, -1, -1], "hand": dict(hand), "tiles": dict(tiles)}
    return position(path, [seat, {}], options=options, phase="pay", turn=turn)


def test_9_2_long_payments() -> None:
    """Every item of every node; and at the end exactly the toll, or more only if nothing fits."""
    nodes = 0
    for number in range(1500):
        dice = random.Random(number)
        try:
            document = paying(dice)
            fast, slow = GAME.from_json(document), OraclePosition.from_json(document)
        except PositionError:  # nothing due, or not enough to pay it
            continue
        while slow.phase == "pay":
            nodes += 1
            legal = slow.legal_actions()
            assert legal and fast.legal_actions() == legal
            move = dice.choice(legal)
            fast.apply(move)
            slow.apply(move)
    assert nodes > 1000


@pytest.mark.parametrize("overpay", ["exact_first", "irredundant", "any"])
def test_9_2_each_legal_payment_once(overpay: str) -> None:
    """The sequences the masks allow are, each once, all irredundant multisets; all exact ones if there are any; or all
    that reach the toll (6.7)."""
    for number in range(25):
        dice = random.Random(number)
        tiles = Counter(dice.choices("1234567", k=dice.randint(0, 4)))
        hand = Counter(dice.choices(OBJECTS[:3], k=dice.randint(0, 3)))
        owned = [int(value) for value in tiles.elements()] + [1] * hand.total()
        value = dice.randint(1, 7)
        if sum(owned) < value:
            continue
        turn = {"pawn": 0, "x": 2, "due": value}
        seat = {"pawns": [0, -1, -1], "hand": dict(hand), "tiles": dict(tiles)}
        document = position(
            [f"ring {value}", None, "olive 7", "flag 1"],
            [seat, {}],
            options={"overpay": overpay},
            phase="pay",
            turn=turn,
        )
        sequences = [[move for move in given if move != "done"] for given in _payments(GAME.from_json(document), ())]
        found = Counter(frozenset(Counter(given).items()) for given in sequences)
        assert set(found.values()) == {1}
        items = [f"pay tile {v}" for v in tiles.elements()] + [f"pay card {thing}" for thing in hand.elements()]
        expected, enough = set(), set()
        for chosen in range(1 << len(items)):
            given = [item for index, item in enumerate(items) if chosen >> index & 1]
            amounts = [item_value(item[4:]) for item in given]
            if sum(amounts) >= value > sum(amounts) - min(amounts, default=0):
                expected.add(frozenset(Counter(given).items()))
            if sum(amounts) >= value:
                enough.add(frozenset(Counter(given).items()))
        exact = {e for e in expected if sum(item_value(i[4:]) * n for i, n in e) == value}
        legal = {"any": enough, "irredundant": expected, "exact_first": exact or expected}
        assert set(found) == legal[overpay]


def _payments(node: Any, given: tuple[str, ...]) -> list[tuple[str, ...]]:
    if node.to_json()["phase"] != "pay":
        return [given]
    found = []
    for move in node.legal_actions():
        after = node.clone()
        after.apply(move)
        found += _payments(after, (*given, move))
    return found


def test_8_4_settlement_gives_the_least_total() -> None:
    """Large and odd collections of tiles against all sums they have."""
    for number in range(300):
        dice = random.Random(number)
        pool = dice.sample("1234567", dice.randint(1, 4))
        tiles = Counter(dice.choices(pool, k=dice.choice([1, 5, 12, 40])))
        cards = {"ring": cards} if (cards := dice.choice([0, 0, 1, 3, 8])) else {}
        value = dice.randint(1, 7)
        path: list[str | None] = [None if space % 2 else f"olive {value}" for space in range(2 * dice.randint(2, 9))]
        seats = [{"pawns": [dice.choice([-1, 53]) for _ in range(2)] + [-1], "hand": cards, "tiles": dict(tiles)}, {}]
        options = {"settlement_pawns": "all"}
        box = {t: 15 - cards.get(t, 0) for t in OBJECTS}
        document = position(path, seats, options=options, seat=1, pile={}, box=box, idle=1)
        fast = GAME.from_json(document)
        fast.apply("pass")
        assert fast.node == "over"
        cost = seats[0]["pawns"].count(-1) * value * (len([t for t in path if t]) - 1)
        owned = [int(v) for v in tiles.elements()] + [1] * sum(cards.values())
        given = [total for total in sums(owned) if total >= cost]
        assert fast.scores()[0] == (sum(owned) - min(given) if given else sum(owned) - cost)


def adversarial() -> list[dict[str, Any]]:
    """Eleven pawns in a row before a pawn on Atlantis, nothing to pay with what lies behind them, 10 to 60 cards."""
    documents = []
    for cards in (10, 21, 35, 60):
        for values in ((1, 7), (7, 7), (1, 1)):
            path: list[str | None] = [f"{OBJECTS[space % 7]} {values[space % 2]}" for space in range(11)]
            path += [None, *(f"{OBJECTS[space // 2 % 7]} 7" if space % 2 else None for space in range(27))]
            pawns = [[-1, 0, 1], [2, 3, 4], [5, 6, 7], [8, 9, 10]]
            hand = {thing: min(15, cards // 7 + (number < cards % 7)) for number, thing in enumerate(OBJECTS)}
            seats: list[dict[str, Any]] = [{"pawns": places} for places in pawns]
            seats[0]["hand"] = hand
            some = {thing: number - 1 for thing, number in hand.items() if number > 1}
            turns = [{}, {"sold": 1, "bought": some}, {"sold": 1, "bought": hand}]
            documents += [position(path, seats, turn=turn) for turn in turns]
    return documents


def test_the_worst_mask_is_fast() -> None:
    """Exact in all of them, and none takes long even when searched in vain."""
    worst = 0.0
    mask = np.zeros(GAME.num_actions, np.int8)
    for document in adversarial():
        fast, slow = GAME.from_json(document), OraclePosition.from_json(document)
        assert fast.legal_actions() == slow.legal_actions()
        times = []
        for _ in range(5):
            start = time.perf_counter()
            fast.game.loops.legal(fast.game.rules, fast.state, mask)
            times.append(time.perf_counter() - start)
        worst = max(worst, min(times))
    assert worst < 0.005  # 0.1 ms where it was measured
