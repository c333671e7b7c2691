"""One small function per kind of node: the score of every legal action, and the pick of the best."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics import UNSEEN, copy_scores, list_legal
from atlantis_agents.heuristics.atlandice import race, rounds
from atlantis_agents.heuristics.atlandice.scratch import GIVER, keep, undo, unpack
from atlantis_agents.random import bounded
from atlantis_agents.rows import NO_ACTION
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.actions import ACTIONS, Act
from atlantis_envs.games.atlandice.data import Sector, Tile
from atlantis_envs.games.atlandice.state import NONE, Node
from atlantis_envs.kernels.kernel import kernel

NUM_ACTIONS = len(ACTIONS)
SAME = 1e-9  # scores closer than this are tied


@kernel
def decide(weights: Record, scratch: Row, observation: Row, mask: Row, noise: np.uint64) -> int:
    """Return the action for one observation and mask; ``scratch`` is an array of two records."""
    legal = list_legal(scratch[0], mask, 0.0)
    if legal <= 1:
        return int(scratch[0].legal[0]) if legal == 1 else NO_ACTION
    return weigh(weights, scratch, observation, mask, noise, legal)


@kernel
def fast_decide(rules: Record, state: Record, scratch: Row, mask: Row, noise: np.uint64) -> int:
    """Return the legal action where there is one at most, else UNSEEN."""
    return only_action(mask) if count_legal(mask) <= 1 else UNSEEN


@kernel
def decide_rest(weights: Record, scratch: Row, observation: Row, mask: Row, noise: np.uint64) -> int:
    """Return the best of several actions."""
    return weigh(weights, scratch, observation, mask, noise, list_legal(scratch[0], mask, 0.0))


@kernel
def weigh(weights: Record, scratch: Row, observation: Row, mask: Row, noise: np.uint64, legal: int) -> int:
    """Return the best of the listed actions."""
    base = scratch[0]
    unpack(observation, base)
    race.foresee(weights, base)
    base.fresh = 0
    for kind in range(data.NUM_TYPES):
        race.appraise(base, kind)
    ahead = int(weights.draft)
    if ahead > 0 and int(base.visit) + ahead + 2 >= int(base.visits):  # the last visit, which sets the Clock, is seen
        rounds.value_clock(weights, base)
    if ahead > 0 or int(base.node) == Node.SUBMARINE:
        look_ahead(weights, base)
    keep(scratch)
    score_node(weights, scratch, mask)
    return pick(base, legal, noise)


@kernel
def look_ahead(weights: Record, scratch: Record) -> None:
    """Ask what a piece means to everybody, where every trial would ask it anew."""
    for taker in range(int(scratch.players)):
        for kind in range(data.NUM_TYPES):
            race.own_of(weights, scratch, taker, kind)
            if int(scratch.players) == 2:
                race.own_of(weights, scratch, GIVER + taker, kind)


@kernel
def score_actions(weights: Record, scratch: Row, observation: Row, mask: Row, noise: np.uint64, out: Row) -> int:
    """Return the action that ``decide`` gives, and the scores it is chosen by; without a choice they say nothing."""
    choice = decide(weights, scratch, observation, mask, noise)
    copy_scores(scratch[0].score, mask, choice, out)
    return choice


@kernel
def count_legal(mask: Row) -> int:
    """Return how many actions are legal."""
    count = 0
    for action in range(NUM_ACTIONS):
        count += 1 if mask[action] != 0 else 0
    return count


@kernel
def only_action(mask: Row) -> int:
    """Return the legal action where there is one at most; NO_ACTION if there is none."""
    found = 0
    for action in range(NUM_ACTIONS):
        found += action + 1 if mask[action] != 0 else 0
    return found + NO_ACTION


@kernel
def pick(scratch: Record, legal: int, noise: np.uint64) -> int:
    """Return a listed action of the highest score; ``noise`` chooses among equals."""
    best = rounds.LOW
    for index in range(legal):
        best = max(best, scratch.score[int(scratch.legal[index])])
    equal = 0
    for index in range(legal):
        if scratch.score[int(scratch.legal[index])] > best - SAME:
            equal += 1
    number = bounded(noise, equal)
    for index in range(legal):
        action = int(scratch.legal[index])
        if scratch.score[action] > best - SAME:
            if number == 0:
                return action
            number -= 1
    return NO_ACTION


@kernel
def score_node(weights: Record, scratch: Row, mask: Row) -> None:
    """Score the actions of the present node (10.1)."""
    node = int(scratch[0].node)
    if node == Node.DONATE or node == Node.DONATE_MORE:
        score_donation(weights, scratch[0])
    elif node == Node.VISIT:
        score_visits(weights, scratch, mask)
    elif node == Node.TAKE or node == Node.BONUS or node == Node.EXTRA:
        score_takes(weights, scratch, mask, node)
    elif node == Node.RAID or node == Node.RAID_TAKE:
        score_raids(weights, scratch, mask, node)
    elif node == Node.MOVE_TYPE or node == Node.MOVE_TO:
        score_moves(weights, scratch, mask, node)
    elif node == Node.SWAP_OUT or node == Node.SWAP_WITH or node == Node.SWAP_IN:
        score_swaps(weights, scratch, mask, node)
    elif node == Node.SUBMARINE:
        score_submarine(weights, scratch, mask)
    elif node == Node.DIE_FROM or node == Node.DIE_TO:
        score_dice(weights, scratch, mask, node)
    elif node == Node.EFFECT:
        scratch[0].score[Act.USE_EFFECT] = (
            rounds.value_effect(weights, scratch[0], int(scratch[0].taker), int(scratch[0].here)) + SAME
        )


@kernel
def ordinal(scratch: Record) -> int:
    """Return which of its dice the visitor takes: 1 for its first this round."""
    return rounds.ordinal_at(scratch, int(scratch.visit))


@kernel
def finish(weights: Record, scratch: Row) -> float:
    """End what is being tried out: what the table is worth after it, and everything is as before."""
    result = rounds.try_rest(weights, scratch[0], int(scratch[0].visit) + 1)
    undo(scratch)
    return result


# --------------------------------------------------------------------------------------------------------- visit


@kernel
def score_visits(weights: Record, scratch: Row, mask: Row) -> None:
    """Score every die, for oneself and for neutral, followed by the rest of the round."""
    for sector in range(data.NUM_SECTORS):
        if mask[Act.VISIT + sector] != 0:
            scratch[0].score[Act.VISIT + sector] = score_visit(weights, scratch, 0, sector)
        if mask[Act.VISIT_NEUTRAL + sector] != 0:
            scratch[0].score[Act.VISIT_NEUTRAL + sector] = score_visit(weights, scratch, GIVER, sector)


@kernel
def score_visit(weights: Record, scratch: Row, taker: int, sector: int) -> float:
    """Score one visit and the rest of the round."""
    trial = scratch[0]
    if taker == GIVER:
        trial.given[0] = 1
    rounds.try_visit(weights, trial, taker, sector, ordinal(trial))
    return finish(weights, scratch)


# -------------------------------------------------------------------------------------------------------- taking


@kernel
def score_takes(weights: Record, scratch: Row, mask: Row, node: int) -> None:
    """Score every type, followed by the rest of the visit and of the round."""
    here = int(scratch[0].here)
    source = Sector.MARKET if node == Node.EXTRA and int(scratch[0].tile[here]) == Tile.F3 else here
    taker = int(scratch[0].taker)
    for kind in range(data.NUM_TYPES):
        if mask[Act.TAKE + kind] != 0:
            rounds.take(weights, scratch[0], taker, source, kind)
            if node == Node.TAKE:
                rounds.try_bonus(weights, scratch[0], taker, here, ordinal(scratch[0]))
            elif node == Node.BONUS:
                rounds.try_effect(weights, scratch[0], taker, here, ordinal(scratch[0]))
            else:
                rounds.try_check(weights, scratch[0], here)
            scratch[0].score[Act.TAKE + kind] = finish(weights, scratch)
    if mask[Act.DECLINE_BONUS] != 0:
        rounds.try_effect(weights, scratch[0], taker, here, ordinal(scratch[0]))
        scratch[0].score[Act.DECLINE_BONUS] = finish(weights, scratch)


@kernel
def score_raids(weights: Record, scratch: Row, mask: Row, node: int) -> None:
    """Score every District and type of L1 (6.7)."""
    if node == Node.RAID_TAKE:
        for kind in range(data.NUM_TYPES):
            if mask[Act.TAKE + kind] != 0:
                scratch[0].score[Act.TAKE + kind] = score_raid(weights, scratch, int(scratch[0].choice_sector), kind)
        return
    for number in range(data.NUM_DISTRICTS - 1):
        if mask[Act.RAID + number] != 0:
            district = number if number < Sector.LIBRARY else number + 1
            best = rounds.LOW
            for kind in range(data.NUM_TYPES):
                if int(scratch[0].resources[district, kind]) > 0:
                    best = max(best, score_raid(weights, scratch, district, kind))
            scratch[0].score[Act.RAID + number] = best


@kernel
def score_raid(weights: Record, scratch: Row, district: int, kind: int) -> float:
    """Score one piece taken from another District."""
    trial = scratch[0]
    rounds.take(weights, trial, int(trial.taker), district, kind)
    rounds.try_check(weights, trial, district)
    rounds.try_check(weights, trial, Sector.LIBRARY)
    return finish(weights, scratch)


# -------------------------------------------------------------------------------------------------------- moving


@kernel
def score_moves(weights: Record, scratch: Row, mask: Row, node: int) -> None:
    """Score every type and target of L2, I2, F2 (6.8, 6.11, 6.15)."""
    here = int(scratch[0].here)
    source = Sector.MARKET if int(scratch[0].tile[here]) == Tile.I2 else here
    if node == Node.MOVE_TO:
        for district in range(data.NUM_DISTRICTS):
            if mask[Act.MOVE_TO + district] != 0:
                kind = int(scratch[0].choice_type)
                scratch[0].score[Act.MOVE_TO + district] = score_move(weights, scratch, source, district, kind)
        return
    for kind in range(data.NUM_TYPES):
        if mask[Act.MOVE + kind] == 0:
            continue
        if here == Sector.LIBRARY:
            scratch[0].score[Act.MOVE + kind] = score_move(weights, scratch, source, Sector.MARKET, kind)
            continue
        best = rounds.LOW
        for district in range(data.NUM_DISTRICTS):
            if district != here and scratch[0].tiles[district] != 0:
                best = max(best, score_move(weights, scratch, source, district, kind))
        scratch[0].score[Act.MOVE + kind] = best


@kernel
def score_move(weights: Record, scratch: Row, source: int, target: int, kind: int) -> float:
    """Score one piece moved."""
    trial = scratch[0]
    rounds.lift(weights, trial, source, kind)
    rounds.lay(weights, trial, target, kind)
    rounds.try_check(weights, trial, int(trial.here))
    return finish(weights, scratch)


@kernel
def score_swaps(weights: Record, scratch: Row, mask: Row, node: int) -> None:
    """Score every choice of J2 by its best completion (6.5)."""
    for out_kind in range(data.NUM_TYPES):
        named = int(scratch[0].choice_type) == out_kind
        if not (named if node != Node.SWAP_OUT else mask[Act.SWAP_OUT + out_kind] != 0):
            continue
        for partner in range(Sector.JEWELER + 1, data.NUM_DISTRICTS):
            if node == Node.SWAP_IN and int(scratch[0].choice_sector) != partner:
                continue
            if node == Node.SWAP_WITH and mask[Act.SWAP_WITH + partner - 1] == 0:
                continue
            for in_kind in range(data.NUM_TYPES):
                if int(scratch[0].resources[partner, in_kind]) == 0:
                    continue
                if node == Node.SWAP_IN and mask[Act.SWAP_IN + in_kind] == 0:
                    continue
                score = score_swap(weights, scratch, out_kind, partner, in_kind)
                action = Act.SWAP_OUT + out_kind
                if node == Node.SWAP_WITH:
                    action = Act.SWAP_WITH + partner - 1
                elif node == Node.SWAP_IN:
                    action = Act.SWAP_IN + in_kind
                if scratch[0].score[action] == 0.0 or score > scratch[0].score[action]:
                    scratch[0].score[action] = score


@kernel
def score_swap(weights: Record, scratch: Row, out_kind: int, partner: int, in_kind: int) -> float:
    """Score one exchange of J2."""
    trial = scratch[0]
    trial.places |= 1 << Sector.JEWELER | 1 << partner
    trial.resources[Sector.JEWELER, out_kind] -= 1
    trial.resources[partner, in_kind] -= 1
    trial.resources[Sector.JEWELER, in_kind] += 1
    trial.resources[partner, out_kind] += 1
    return finish(weights, scratch)


# --------------------------------------------------------------------------------------------- submarine and dice


@kernel
def score_submarine(weights: Record, scratch: Row, mask: Row) -> None:
    """Score the rest of the round with the submarine there, and the first visits of the next one (6.13)."""
    for sector in range(data.NUM_SECTORS):
        if mask[Act.SUBMARINE + sector] != 0:
            scratch[0].submarine = sector
            score = rounds.try_rest(weights, scratch[0], int(scratch[0].visit) + 1)
            scratch[0].score[Act.SUBMARINE + sector] = score + next_round_bonus(weights, scratch[0], sector)
            undo(scratch)


@kernel
def next_round_bonus(weights: Record, scratch: Record, sector: int) -> float:
    """Return what second pieces mean in the next round, the earlier visitors counting more."""
    if int(scratch.pieces[sector]) < 2:
        return 0.0
    result = 0.0
    for step in range(int(scratch.players)):
        seat = (int(scratch.first) + 1 + step) % int(scratch.players)
        kind = rounds.best_type(weights, scratch, seat, sector, rounds.best_type(weights, scratch, seat, sector, NONE))
        result += weights.stay * rounds.side(scratch, seat) * race.own_of(weights, scratch, seat, kind) / (1.0 + step)
    return result


@kernel
def score_dice(weights: Record, scratch: Row, mask: Row, node: int) -> None:
    """Score the rest of the round with the die moved by I3 (6.12)."""
    if node == Node.DIE_TO:
        for sector in range(data.NUM_SECTORS):
            if mask[Act.DIE_TO + sector] != 0:
                scratch[0].score[Act.DIE_TO + sector] = score_die(
                    weights, scratch, int(scratch[0].choice_sector), sector
                )
        return
    for source in range(data.NUM_SECTORS):
        if mask[Act.DIE_FROM + source] != 0:
            best = rounds.LOW
            for sector in range(data.NUM_SECTORS):
                if sector != source and scratch[0].tiles[sector] != 0:
                    best = max(best, score_die(weights, scratch, source, sector))
            scratch[0].score[Act.DIE_FROM + source] = best


@kernel
def score_die(weights: Record, scratch: Row, source: int, target: int) -> float:
    """Score the rest of the round if a die changes its place."""
    trial = scratch[0]
    trial.places |= 1 << source | 1 << target
    trial.dice[source] -= 1
    trial.dice[target] += 1
    rounds.try_check(weights, trial, int(trial.here))
    return finish(weights, scratch)


# ------------------------------------------------------------------------------------------------------- donation


@kernel
def score_donation(weights: Record, scratch: Record) -> None:
    """Score the cheapest pair of pieces against the point it buys (8.5)."""
    first, second, cheapest = NONE, NONE, -rounds.LOW
    for kind in range(data.NUM_TYPES):
        owned = int(scratch.stock[0, kind])
        if owned == 0:
            continue
        single = cost_of(weights, scratch, kind, 1)
        scratch.score[Act.PAY + kind] = -single
        if owned > 1 and cost_of(weights, scratch, kind, 2) < cheapest:
            cheapest = cost_of(weights, scratch, kind, 2)
            first, second = kind, kind
        for other in range(kind):
            if int(scratch.stock[0, other]) > 0 and single - scratch.score[Act.PAY + other] < cheapest:
                cheapest = single - scratch.score[Act.PAY + other]
                first, second = kind, other
    if int(scratch.node) == Node.DONATE_MORE:
        return
    for kind in range(data.NUM_TYPES):
        scratch.score[Act.PAY + kind] = -cheapest if kind == first or kind == second else rounds.LOW
    scratch.score[Act.STOP_PAYING] = -data.DONATION_POINTS


@kernel
def cost_of(weights: Record, scratch: Record, kind: int, pieces: int) -> float:
    """Return what losing some pieces of a type costs the own seat."""
    scratch.stock[0, kind] -= pieces
    race.race(
        weights,
        scratch,
        kind,
        NONE,
        0,
        race.level_of(weights, scratch, int(scratch.pieces[kind]) + pieces),
        scratch.prize[kind],
    )
    scratch.stock[0, kind] += pieces
    return scratch.worth[kind] - race.utility(scratch, 0) + pieces * weights.spare
