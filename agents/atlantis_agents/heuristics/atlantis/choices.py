"""One decision of Atlantis: every legal action gets a score, the best is played, chance only breaks ties (9.1)."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics import copy_scores, which
from atlantis_agents.heuristics.atlantis import moves
from atlantis_agents.heuristics.atlantis.scratch import MOST_DUE, unpack_cards, unpack_path, unpack_pawns
from atlantis_agents.rows import NO_ACTION
from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.actions import Act
from atlantis_envs.games.atlantis.layout import At
from atlantis_envs.games.atlantis.state import ITEM_CARD, PHASES, Phase
from atlantis_envs.kernels.kernel import kernel

UNKNOWN = -1e6  # legal, but not looked into
HIGH = Act.BRIDGE + 1  # legal actions are held in two sets of bits, from here on in the second
BRIDGES = (1 << data.NUM_SPACES - 2) - 1  # of the second


@kernel
def decide(weights: Record, scratch: Row, observation: Row, mask: Row, noise: int) -> int:
    """Return the best action; NO_ACTION if none is legal."""
    return choose(weights, scratch[0], observation, mask, noise, moves.LOW)


@kernel
def choose(weights: Record, own: Record, observation: Row, mask: Row, noise: int, floor: float) -> int:
    """Return the best action, with exact scores for whatever may be worth ``floor``; NO_ACTION if none is legal."""
    own.floor = floor
    phase = which(observation, At.PHASE, len(PHASES))
    low, high = legal_bits(mask, 0, HIGH), 0
    if phase != Phase.PLAY and phase != Phase.PAY:
        high = legal_bits(mask, HIGH, len(mask))
    if low & low - 1 == 0 and high & high - 1 == 0 and (low == 0 or high == 0):
        return lowest(low) if low != 0 else HIGH + lowest(high) if high != 0 else NO_ACTION
    unpack_cards(observation, own)
    unpack_pawns(weights, observation, own)
    unpack_path(observation, own)
    if phase != Phase.AFTER:
        moves.survey_gains(own)
    if phase == Phase.PLAY:
        score_cards(weights, own, observation)
    elif phase == Phase.PAY:
        score_payment(weights, own, observation)
    elif phase == Phase.AFTER:
        own.score[Act.DONE] = 0.0
        own.start = 0
        own.target = 0
        score_bridges(weights, own, high & BRIDGES, mask[Act.PASS] != 0, 0.0)
    else:
        score_turn(weights, own, high & BRIDGES, mask)
    return best_action(own, low, high, noise)


@kernel
def score_actions(weights: Record, scratch: Row, observation: Row, mask: Row, noise: int, out: Row) -> int:
    """Return the action that ``decide`` gives, and the scores it is chosen by; without a choice they say nothing."""
    choice = choose(weights, scratch[0], observation, mask, noise, moves.ALL)
    copy_scores(scratch[0].score, mask, choice, out)
    return choice


@kernel
def legal_bits(mask: Row, start: int, stop: int) -> int:
    """Return the legal ones of these actions: bit a is action start + a."""
    bits = 0
    for action in range(start, stop):
        bits |= (1 if mask[action] != 0 else 0) << action - start
    return bits


@kernel
def best_action(scratch: Record, low: int, high: int, noise: int) -> int:
    """Return the legal action of the highest score; among equal ones, noise decides."""
    best, count = moves.ALL, 0
    for start, bits in ((0, low), (HIGH, high)):
        while bits != 0:
            action = start + lowest(bits)
            bits &= bits - 1
            score = scratch.score[action]
            if score > best:
                best, count = score, 0
            if score == best:
                scratch.legal[count] = action
                count += 1
    return int(scratch.legal[int(np.int64(noise) % count)]) if count > 1 else int(scratch.legal[0])


@kernel
def score_cards(weights: Record, scratch: Record, observation: Row) -> None:
    """Score each card by the best chain that it begins (D2)."""
    scratch.best = moves.LOW
    number = which(observation, At.PAWN, data.NUM_PAWNS)
    moves.try_pawn(weights, scratch, number, int(observation[At.X]))
    for thing in range(data.NUM_OBJECTS):
        scratch.score[Act.PLAY + thing] = max(UNKNOWN, scratch.chain[thing])


@kernel
def score_turn(weights: Record, scratch: Record, bridges: int, mask: Row) -> None:
    """Score the best move of each pawn, and whether a sale or a bridge would make it better (D1)."""
    scratch.best = moves.LOW
    scratch.start = 0
    scratch.target = 0
    for number in range(data.NUM_PAWNS):
        twin = moves.twin_of(scratch, number)
        if mask[Act.PAWN + number] == 0:
            continue
        if twin < number and mask[Act.PAWN + twin] != 0:
            scratch.score[Act.PAWN + number] = scratch.score[Act.PAWN + twin]
        else:
            moves.try_pawn(weights, scratch, number, int(scratch.pawns[0, number]))
            score = UNKNOWN
            for thing in range(data.NUM_OBJECTS):
                score = max(score, scratch.chain[thing])
            scratch.score[Act.PAWN + number] = score
    best = scratch.best
    if mask[Act.PASS] != 0 or best == moves.LOW:
        best = 0.0
        scratch.score[Act.PASS] = 0.0
    for value in range(data.SMALLEST_SALE, data.NUM_VALUES + 1):
        if mask[Act.SELL + value] != 0:
            scratch.score[Act.SELL + value] = best + sale_value(weights, scratch, value, mask[Act.PASS] != 0)
    if mask[Act.SELL_ONE] != 0:
        scratch.score[Act.SELL_ONE] = best + sale_value(weights, scratch, 1, mask[Act.PASS] != 0)
    score_bridges(weights, scratch, bridges, mask[Act.PASS] != 0, best)


@kernel
def sale_value(weights: Record, scratch: Record, value: int, stuck: bool) -> float:
    """Return what it is worth to give a tile for half its value in cards (4.3)."""
    cards = value // 2
    result = weights.sale - value
    size = int(scratch.hand_size) + (data.PASS_CARDS if stuck else 0)
    for number in range(cards):
        result += 1.0 + scratch.early * (scratch.card + weights.scarce / (size + number + 1))
    if stuck:
        result += weights.stuck_sale * cards
    return result


@kernel
def score_bridges(weights: Record, scratch: Record, bridges: int, stuck: bool, best: float) -> None:
    """Score bridges by what a gap without price saves, own pawns against those of others (6.10)."""
    if scratch.home == data.NUM_PAWNS:
        for space in range(1, data.NUM_SPACES - 1):
            scratch.score[Act.BRIDGE + space] = -1.0
        return
    while bridges != 0:
        space = lowest(bridges) + 1
        bridges &= bridges - 1
        place = space + 1
        price = min(int(scratch.worth[place - 1]), int(scratch.worth[place + lowest(int(scratch.tops) >> place)]))
        own = moves.own_before(scratch, place)
        others = moves.others_before(scratch, place)
        value = price * weights.growth * (scratch.debt * own - scratch.rival * others)
        if scratch.start < place and scratch.target > place:
            value += price * (1.0 - scratch.debt)
        if stuck:
            value += weights.stuck_bridge
        scratch.score[Act.BRIDGE + space] = best + value - weights.reserve * (1.0 - scratch.late)


@kernel
def score_payment(weights: Record, scratch: Record, observation: Row) -> None:
    """Score the items by the cheapest payment of what is due that they begin (D3, 6.7, 9.2)."""
    due = int(observation[At.DUE])
    last = int(observation[At.LAST]) - 1
    scratch.score[Act.DONE] = 0.0
    rarity = moves.rarity_of(weights, scratch, int(scratch.hand_size))
    if due > MOST_DUE:
        for value in range(1, data.NUM_VALUES + 1):
            scratch.score[Act.PAY_TILE + value] = float(value)
        for thing in range(data.NUM_OBJECTS):
            scratch.score[Act.PAY_CARD + thing] = -moves.card_cost(weights, scratch, thing, rarity)
        return
    scratch.price[0] = 0.0
    for total in range(1, due + 1):
        scratch.price[total] = -moves.LOW
    for thing in range(data.NUM_OBJECTS - 1, -1, -1):
        if ITEM_CARD + thing >= last:
            left = int(observation[At.HAND + thing]) - int(observation[At.BOUGHT + thing])
            cost = moves.card_cost(weights, scratch, thing, rarity)
            scratch.score[Act.PAY_CARD + thing] = -add_items(scratch, due, 1, cost, left)
    for value in range(1, data.NUM_VALUES + 1):
        if data.NUM_VALUES - value >= last:
            cost = value + (weights.change if value == 1 else 0.0)
            left = int(observation[At.TILES + value - 1])
            scratch.score[Act.PAY_TILE + value] = -add_items(scratch, due, value, cost, left)


@kernel
def add_items(scratch: Record, due: int, value: int, cost: float, number: int) -> float:
    """Add so many equal items that may be given; return the price of what is due if one of them is given next."""
    result = -moves.LOW
    for copy in range(number):
        if copy == number - 1:
            result = cost + scratch.price[max(0, due - value)]
        if value * copy < due:
            for total in range(due, 0, -1):
                scratch.price[total] = min(scratch.price[total], cost + scratch.price[max(0, total - value)])
    return result
