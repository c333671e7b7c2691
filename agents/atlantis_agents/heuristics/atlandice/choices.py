"""One small function per kind of node: the score of every legal action, and the pick of the best."""

from __future__ import annotations

import math

import numpy as np

from atlantis_agents.heuristics.atlandice.race import foresee, level_with, race, utility, value_pieces
from atlantis_agents.heuristics.atlandice.visits import (
    LOW,
    begin_draft,
    best_type,
    draft,
    place_of,
    seat_at,
    value_clock,
    value_effect,
    value_emptied,
    value_visit,
    value_visits,
)
from atlantis_agents.heuristics.atlandice.work import GIVER, unpack
from atlantis_agents.random import bounded
from atlantis_agents.rows import NO_ACTION
from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.actions import (
    ACTIONS,
    DECLINE_BONUS,
    DECLINE_EFFECT,
    DIE_FROM,
    DIE_TO,
    MOVE,
    MOVE_TO,
    PAY,
    RAID,
    STOP_PAYING,
    SUBMARINE,
    SWAP_IN,
    SWAP_OUT,
    SWAP_WITH,
    TAKE,
    USE_EFFECT,
    VISIT,
    VISIT_NEUTRAL,
)
from atlantis_envs.games.atlandice.data import (
    DONATION_POINTS,
    F3,
    I2,
    LIBRARY,
    MARKET,
    NUM_DISTRICTS,
    NUM_SECTORS,
    NUM_TYPES,
)
from atlantis_envs.games.atlandice.state import (
    NODE_BONUS,
    NODE_DIE_FROM,
    NODE_DIE_TO,
    NODE_DONATE,
    NODE_DONATE_MORE,
    NODE_EFFECT,
    NODE_EXTRA,
    NODE_MOVE_TO,
    NODE_MOVE_TYPE,
    NODE_RAID,
    NODE_RAID_TAKE,
    NODE_SUBMARINE,
    NODE_SWAP_IN,
    NODE_SWAP_OUT,
    NODE_SWAP_WITH,
    NODE_TAKE,
    NODE_VISIT,
    NONE,
)

NUM_ACTIONS = len(ACTIONS)
SAME = 1e-9  # scores closer than this are tied


@kernel
def decide(weights: Record, work: Record, observation: Row, mask: Row, noise: np.uint64) -> int:
    """The action for one observation and mask."""
    only = only_action(mask)
    if only >= 0:
        return only
    unpack(observation, work)
    foresee(weights, work)
    for action in range(NUM_ACTIONS):
        work.score[action] = 0.0
    score_actions(weights, work, mask)
    return pick(work, mask, noise)


SEVERAL = -2


@kernel
def only_action(mask: Row) -> int:
    """The single legal action; NO_ACTION if there is none, SEVERAL if there are more."""
    found = NO_ACTION
    for action in range(NUM_ACTIONS):
        if mask[action] != 0:
            if found != NO_ACTION:
                return SEVERAL
            found = action
    return found


@kernel
def pick(work: Record, mask: Row, noise: np.uint64) -> int:
    """A legal action of the highest score; ``noise`` chooses among equals."""
    best = LOW
    for action in range(NUM_ACTIONS):
        if mask[action] != 0:
            best = max(best, work.score[action])
    equal = 0
    for action in range(NUM_ACTIONS):
        if mask[action] != 0 and work.score[action] > best - SAME:
            equal += 1
    number = bounded(noise, equal)
    for action in range(NUM_ACTIONS):
        if mask[action] != 0 and work.score[action] > best - SAME:
            if number == 0:
                return action
            number -= 1
    return NO_ACTION


@kernel
def score_actions(weights: Record, work: Record, mask: Row) -> None:
    """Scores of the actions of the present node (10.1)."""
    node = int(work.node)
    if node == NODE_DONATE or node == NODE_DONATE_MORE:
        score_donation(weights, work)
        return
    value_pieces(weights, work)
    if node == NODE_VISIT:
        score_visits(weights, work, mask)
    elif node == NODE_TAKE or node == NODE_BONUS:
        score_takes(weights, work, mask, int(work.here))
    elif node == NODE_EXTRA:
        here = int(work.here)
        score_takes(weights, work, mask, MARKET if int(work.tile[here]) == F3 else here)
    elif node == NODE_RAID:
        score_raids(weights, work, mask)
    elif node == NODE_RAID_TAKE:
        score_takes(weights, work, mask, int(work.choice_sector))
    elif node == NODE_MOVE_TYPE or node == NODE_MOVE_TO:
        score_moves(weights, work, mask, node)
    elif node == NODE_SUBMARINE:
        score_submarine(weights, work, mask)
    elif node == NODE_DIE_FROM or node == NODE_DIE_TO:
        score_dice(weights, work, mask, node)
    elif node == NODE_EFFECT:
        work.score[USE_EFFECT] = value_effect(weights, work, int(work.taker), int(work.here))[0]


@kernel
def ordinal(work: Record) -> int:
    """The how-manieth die the visitor takes (5.1)."""
    return int(work.visit) // int(work.players) + 1


# --------------------------------------------------------------------------------------------------------- visit


@kernel
def score_visits(weights: Record, work: Record, mask: Row) -> None:
    """A visit is worth what it brings, and the rest of the round it leaves."""
    value_visits(weights, work, ordinal(work))
    value_clock(weights, work)
    for sector in range(NUM_SECTORS):
        if mask[VISIT + sector] != 0:
            work.score[VISIT + sector] = score_visit(weights, work, 0, sector)
        if mask[VISIT_NEUTRAL + sector] != 0:
            work.score[VISIT_NEUTRAL + sector] = score_visit(weights, work, GIVER, sector)


@kernel
def score_visit(weights: Record, work: Record, taker: int, sector: int) -> float:
    """Worth of a visit and of the rest of the round after it."""
    begin_draft(work)
    work.left[sector] -= 1
    if taker == GIVER:
        work.gave[0] = 1
    return work.visit_mine[taker, sector] + weights.draft * draft(work, int(work.visit) + 1)


# -------------------------------------------------------------------------------------------------------- taking


@kernel
def score_takes(weights: Record, work: Record, mask: Row, sector: int) -> None:
    """A piece is worth what it changes in its race, the District it empties, and what is left for the next."""
    for kind in range(NUM_TYPES):
        if mask[TAKE + kind] != 0:
            score = work.own[int(work.taker), kind] + value_last_piece(weights, work, sector, kind)
            work.score[TAKE + kind] = score - weights.deny * left_for_next(work, sector, kind)


@kernel
def value_last_piece(weights: Record, work: Record, sector: int, kind: int) -> float:
    """What scoring a District means if this is its last piece, else 0."""
    if sector == MARKET or int(work.pieces[sector]) != 1:
        return 0.0
    value_emptied(weights, work, place_of(work, int(work.taker)), sector, 1 if kind == sector else 0)
    return utility(work, 0)


@kernel
def left_for_next(work: Record, sector: int, kind: int) -> float:
    """What the next visitor's best piece here costs the own seat once ``kind`` is taken; 0 if it cannot come."""
    if int(work.visit) + 1 >= int(work.visits) or int(work.dice[sector]) == 0:
        return 0.0
    seat = seat_at(work, int(work.visit) + 1)
    other = best_type(work, seat, sector, kind)
    return 0.0 if other == NONE else -work.mine[seat, other]


@kernel
def score_raids(weights: Record, work: Record, mask: Row) -> None:
    """L1: the District with the best piece (6.7)."""
    for number in range(NUM_DISTRICTS - 1):
        if mask[RAID + number] != 0:
            district = number if number < LIBRARY else number + 1
            best = LOW
            for kind in range(NUM_TYPES):
                if int(work.resources[district, kind]) > 0:
                    value = work.own[int(work.taker), kind] + value_last_piece(weights, work, district, kind)
                    best = max(best, value)
            work.score[RAID + number] = best


# -------------------------------------------------------------------------------------------------------- moving


@kernel
def score_moves(weights: Record, work: Record, mask: Row, node: int) -> None:
    """L2, I2, F2: how fast the two Districts empty afterwards (6.8, 6.11, 6.15)."""
    here = int(work.here)
    source = MARKET if int(work.tile[here]) == I2 else here
    if node == NODE_MOVE_TO:
        for district in range(NUM_DISTRICTS):
            if mask[MOVE_TO + district] != 0:
                work.score[MOVE_TO + district] = value_pieces_on(weights, work, district, 1)
        return
    for kind in range(NUM_TYPES):
        if mask[MOVE + kind] != 0:
            work.score[MOVE + kind] = -left_for_next(work, source, kind)


@kernel
def value_pieces_on(weights: Record, work: Record, district: int, more: int) -> float:
    """What it means that a District holds ``more`` pieces."""
    if work.live[district] == 0:
        return 0.0
    pieces = int(work.pieces[district]) + more
    if pieces == 0:
        value_emptied(weights, work, NONE, district, 0)
        return utility(work, 0)
    race(weights, work, district, NONE, 0, level_with(weights, work, district, pieces), work.prize[district])
    for place in range(int(work.participants)):
        work.change[place] -= work.now[district, place]
    return utility(work, 0)


# --------------------------------------------------------------------------------------------- submarine and dice


@kernel
def score_submarine(weights: Record, work: Record, mask: Row) -> None:
    """The rest of the round with the submarine there, and the first visits of the next one (6.13)."""
    value_clock(weights, work)
    value_visits(weights, work, ordinal(work))
    before = int(work.submarine)
    for sector in range(NUM_SECTORS):
        if mask[SUBMARINE + sector] != 0:
            work.submarine = sector
            revalue(weights, work, before)
            revalue(weights, work, sector)
            begin_draft(work)
            score = draft(work, int(work.visit) + 1)
            work.score[SUBMARINE + sector] = score + next_round_bonus(weights, work, sector)
            work.submarine = before
            revalue(weights, work, sector)


@kernel
def revalue(weights: Record, work: Record, sector: int) -> None:
    """Visits to one Sector anew."""
    for seat in range(int(work.players)):
        if work.live[sector] != 0:
            value_visit(weights, work, seat, sector, ordinal(work))
            if int(work.players) == 2:
                value_visit(weights, work, GIVER + seat, sector, ordinal(work))


@kernel
def next_round_bonus(weights: Record, work: Record, sector: int) -> float:
    """Second pieces in the next round, the earlier visitors counting more."""
    if int(work.pieces[sector]) < 2:
        return 0.0
    result = 0.0
    for step in range(int(work.players)):
        seat = (int(work.first) + 1 + step) % int(work.players)
        kind = best_type(work, seat, sector, best_type(work, seat, sector, NONE))
        result += weights.stay * work.mine[seat, kind] / (1.0 + step)
    return result


@kernel
def score_dice(weights: Record, work: Record, mask: Row, node: int) -> None:
    """I3: the rest of the round with the die moved (6.12)."""
    value_visits(weights, work, ordinal(work))
    value_clock(weights, work)
    if node == NODE_DIE_TO:
        for sector in range(NUM_SECTORS):
            if mask[DIE_TO + sector] != 0:
                work.score[DIE_TO + sector] = draft_with(work, int(work.choice_sector), sector)
        return
    for source in range(NUM_SECTORS):
        if mask[DIE_FROM + source] != 0:
            best = LOW
            for sector in range(NUM_SECTORS):
                if sector != source and work.live[sector] != 0:
                    best = max(best, draft_with(work, source, sector))
            work.score[DIE_FROM + source] = best


@kernel
def draft_with(work: Record, source: int, sector: int) -> float:
    """The rest of the round if a die changes its place."""
    begin_draft(work)
    work.left[source] -= 1
    work.left[sector] += 1
    return draft(work, int(work.visit) + 1)


# ------------------------------------------------------------------------------------------------------- donation


@kernel
def score_donation(weights: Record, work: Record) -> None:
    """The cheapest pair of pieces against the point it buys (8.5)."""
    first, second, cheapest = NONE, NONE, -LOW
    for kind in range(NUM_TYPES):
        owned = int(work.stock[0, kind])
        if owned == 0:
            continue
        single = cost_of(weights, work, kind, 1)
        work.score[PAY + kind] = -single
        if owned > 1 and cost_of(weights, work, kind, 2) < cheapest:
            cheapest = cost_of(weights, work, kind, 2)
            first, second = kind, kind
        for other in range(kind):
            if int(work.stock[0, other]) > 0 and single - work.score[PAY + other] < cheapest:
                cheapest = single - work.score[PAY + other]
                first, second = kind, other
    if int(work.node) == NODE_DONATE_MORE:
        return
    for kind in range(NUM_TYPES):
        work.score[PAY + kind] = -cheapest if kind == first or kind == second else LOW
    work.score[STOP_PAYING] = -DONATION_POINTS


@kernel
def cost_of(weights: Record, work: Record, kind: int, pieces: int) -> float:
    """Utility lost with some pieces of a type."""
    if work.live[kind] == 0:
        return 0.0
    race(weights, work, kind, 0, -pieces, int(work.level[kind]), work.prize[kind])
    for place in range(int(work.participants)):
        work.change[place] -= work.now[kind, place]
    return -utility(work, 0) + pieces * weights.spare


assert math.isfinite(LOW) and DECLINE_EFFECT > USE_EFFECT and DECLINE_BONUS > 0
assert SWAP_OUT + SWAP_WITH + SWAP_IN + NODE_SWAP_OUT + NODE_SWAP_WITH + NODE_SWAP_IN > 0
