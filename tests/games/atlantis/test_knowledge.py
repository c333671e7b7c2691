"""What seats of Atlantis know (section 11): observations, what is remembered, and redrawing what is not known."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from itertools import permutations
from math import sqrt
from typing import Any

import numpy as np
import pytest
from helpers import atlantis_scenarios
from helpers.atlantis_random import random_options, random_position
from helpers.atlantis_scenarios import OBJECTS
from helpers.support import moves, play, scaled
from oracles.atlantis import OraclePosition

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis.layout import LAYOUT

PLAYERS = [2, 3, 4]


def walk(players: int, number: int, nodes: int) -> list[Position]:
    """Positions of one random game."""
    dice = random.Random(f"{players} {number}")
    options = {**random_options(dice, players), "start_hand": [7, 3, 9, 5]}
    position = atlantis_envs.game("atlantis", players=players, **options).initial_position()
    found = []
    for _ in range(nodes):
        if not moves(position):
            break
        found.append(position.clone())
        position.apply(dice.choice(moves(position)))
    return found


def may_resample(position: Position, seat: int) -> bool:
    """Where 11.4 defines a law for this seat."""
    document = position.to_json()
    fresh = document["phase"] == "turn" and not document["turn"]["sold"] and not document["turn"]["bridged"]
    return position.seat == seat or fresh


def public(document: dict[str, Any], seat: int) -> dict[str, Any]:
    """What 11.1 leaves of a position for a seat."""
    seen = {**document, "pile": sum(document["pile"].values())}
    seen["seats"] = [
        holder if number == seat else {**holder, "hand": sum(holder["hand"].values())}
        for number, holder in enumerate(document["seats"])
    ]
    if document["seat"] != seat:
        seen["turn"] = {key: value for key, value in document["turn"].items() if key != "bought"}
    return seen


@pytest.mark.parametrize("players", PLAYERS)
def test_11_4_a_seat_cannot_tell_a_resampled_position_from_the_real_one(players: int) -> None:
    changed = 0
    walks = [walk(players, number, 450)[75:] for number in range(1, 1 + scaled(1, 12))]
    for position in itertools.chain.from_iterable(walks):
        for seat in range(players):
            if not may_resample(position, seat):
                before = position.key()
                with pytest.raises(ValueError, match="nothing can be drawn"):
                    position.resample(seat, 7)
                assert position.key() == before
                continue
            twin = position.resample(seat, 7)
            assert twin.faults() == []
            assert public(twin.to_json(), seat) == public(position.to_json(), seat)
            assert (twin.observation(seat) == position.observation(seat)).all()
            assert (twin.action_mask(seat) == position.action_mask(seat)).all()
            changed += twin != position
            assert position.resample(seat, 7) == twin
    assert changed > 100


@pytest.mark.parametrize("players", PLAYERS)
def test_11_1_observations_differ_where_what_a_seat_may_know_differs(players: int) -> None:
    """Over one game, options fixed: equal bytes mean equal knowledge, and the other way round."""
    positions = walk(players, 2, 500)
    for seat in range(players):
        by_bytes: dict[bytes, Any] = {}
        for position in positions:
            seen = public(position.to_json(), seat)
            assert by_bytes.setdefault(position.observation(seat).tobytes(), seen) == seen


@pytest.mark.parametrize("players", PLAYERS)
def test_observations_stay_below_their_highs_and_start_with_the_own_seat(players: int) -> None:
    high = LAYOUT.high()
    for position in walk(players, 3, 400):
        document = position.to_json()
        for seat in range(players):
            observation = position.observation(seat)
            assert (observation <= high).all()
            view = LAYOUT.view(observation)
            own = document["seats"][seat]
            assert view["hand"].tolist() == [own["hand"].get(thing, 0) for thing in OBJECTS]
            assert view["pawns"][:3].tolist() == [place + 1 for place in own["pawns"]]
            sizes = [sum(document["seats"][(seat + k) % players]["hand"].values()) for k in range(players)]
            assert view["hand_size"].tolist() == sizes + [0] * (4 - players)
            assert (view["bought"].sum() > 0) == (document["seat"] == seat and bool(document["turn"]["bought"]))


def law(document: dict[str, Any], seat: int) -> dict[tuple[Any, ...], float]:
    """The law of 11.4, letter by letter: all orders of the unseen cards, then pile and hands."""
    unseen = list(OraclePosition.from_json(document).unseen(seat).elements())
    pile = sum(document["pile"].values())
    counts: Counter[tuple[Any, ...]] = Counter()
    orders = 0
    for order in permutations(unseen):
        orders += 1
        left = list(order[pile:])
        hands = []
        for number, holder in enumerate(document["seats"]):
            if number != seat:
                unknown = sum(holder["hand"].values()) - sum(holder["known"].values())
                hand = Counter(holder["known"]) + Counter(left[:unknown])
                left = left[unknown:]
                hands.append(tuple(hand[thing] for thing in OBJECTS))
        counts[tuple(hands)] += 1
    return {hands: number / orders for hands, number in counts.items()}


@pytest.mark.parametrize(
    "start",
    [
        "ROW; S0 hand olive; S1 hand ring,helmet known helmet; pile ring,flag",  # T-108
        "n3; ROW; S0 hand olive; S1 hand ring:2,flag known ring; S2 hand flag,crown; pile ring:2",
        "n3; ROW; S0 hand olive; S1 hand ring; S2 hand flag:2,crown:2; pile ring,helmet; turn S1",
    ],
)
def test_11_4_law(start: str) -> None:
    """Chi-square against the law, for the seat to decide and for another."""
    [scenario] = atlantis_scenarios.load(f"```\nT-0 law : {start} > - = idle 0\n```\n")
    document = atlantis_scenarios.start_position(scenario)
    position = atlantis_envs.game("atlantis").from_json(document)
    for seat in (0, 1):
        expected = law(document, seat)
        draws = 4000
        found: Counter[tuple[Any, ...]] = Counter()
        for seed in range(draws):
            twin = position.resample(seat, seed)
            others = [number for number in range(document["players"]) if number != seat]
            found[tuple(tuple(twin.state.hand[0][number].tolist()) for number in others)] += 1
        assert set(found) <= set(expected)
        statistic = sum((found[hands] - draws * p) ** 2 / (draws * p) for hands, p in expected.items())
        freedom = len(expected) - 1
        assert statistic < freedom + 4 * sqrt(2 * freedom) + 4


def histories(position: Position, script: list[str], seat: int) -> list[tuple[str, dict[str, Any], float]]:
    """Every way through a script, `?` being any outcome: what ``seat`` saw of it, where it leads, how likely it is."""
    document = position.to_json()
    view = repr(public(document, seat))
    if not script:
        return [(view, document, 1.0)]
    outcomes = position.chance_outcomes() if script[0] == "?" else {script[0]: 1}
    found = []
    for text, weight in outcomes.items():
        twin = position.clone()
        twin.apply(text)
        share = weight / sum(outcomes.values())
        found += [(view + seen, end, share * part) for seen, end, part in histories(twin, script[1:], seat)]
    return found


SELLING = "LAKE; S0 hand statue; S1 @0,A,A tiles 7 nobridge; turn S1; discard crown:2,olive,ring"


@pytest.mark.parametrize("reshuffle", ["at once", "when wanted"])
@pytest.mark.parametrize(
    ("start", "script"),
    [
        ("ROW; S0 hand olive; S1; pile flag; discard ring,olive,crown; turn S1", "pass,?,?"),
        ("ROW; S0 hand olive; S1; pile flag,ring; discard ring,olive,crown; turn S1", "pass,?,?"),
        (f"{SELLING}; pile flag:2,helmet", "sell 7,?,?,?,pass,?,?"),
        (f"{SELLING}; pile flag,helmet", "sell 7,?,?,?,pass,?,?"),
        ("n3; ROW; S0 hand olive; S1; S2 hand crown known crown; pile flag:2,ring; turn S1", "pass,?,?"),
    ],
)
def test_11_5_the_law_is_what_the_history_leaves(reshuffle: str, start: str, script: str) -> None:
    """Exact for two seats through every reshuffle, for three until the first: at the start only the pile is hidden."""
    [scenario] = atlantis_scenarios.load(f"```\nT-0 law : opt reshuffle={reshuffle}; {start} > - = idle 0\n```\n")
    position = atlantis_envs.game("atlantis").from_json(atlantis_scenarios.start_position(scenario))
    seen: dict[str, list[tuple[dict[str, Any], float]]] = {}
    for view, end, share in histories(position, script.split(","), 0):
        assert end["phase"] == "turn"
        seen.setdefault(view, []).append((end, share))
    assert max(len(ends) for ends in seen.values()) > 1
    for ends in seen.values():
        hands: Counter[tuple[Any, ...]] = Counter()
        for end, share in ends:
            others = [holder["hand"] for holder in end["seats"][1:]]
            hands[tuple(tuple(hand.get(thing, 0) for thing in OBJECTS) for hand in others)] += share
        total = sum(hands.values())
        assert law(ends[0][0], 0) == pytest.approx({hand: share / total for hand, share in hands.items()})


def test_11_3_known_never_exceeds_the_hand() -> None:
    for number in range(20):
        dice = random.Random(number)
        players = dice.choice(PLAYERS)
        document = random_position(dice, players, random_options(dice, players))
        position = play(atlantis_envs.game("atlantis").from_json(document), 40, dice)
        for holder in position.to_json()["seats"]:
            assert Counter(holder["known"]) <= Counter(holder["hand"])


def test_11_2_others_cards_shift_nothing() -> None:
    """Another way of playing by one seat leaves the order of another seat's cards as it was (common random numbers)."""
    game = atlantis_envs.game("atlantis", players=3)
    drawn: list[list[str]] = []
    for choice in (0, -1):
        position = game.initial_position()
        position.attach_chance(5, 0, np.zeros(len(game.definition.streams), np.uint32))
        cards = []
        while position.node != "over" and len(cards) < 12:
            if position.node == "chance":
                outcome = position.sample_chance()
                if outcome.startswith("card") and position.to_json()["seat"] == 1:
                    cards.append(outcome)
                position.apply(outcome)
            else:
                position.apply(position.legal_actions()[choice if position.seat == 0 else 0])
        drawn.append(cards)
    assert drawn[0][:5] == drawn[1][:5]
