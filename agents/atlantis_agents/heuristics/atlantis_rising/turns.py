"""Phases 2 to 4: what to resolve first, what dice are worth, who pays, which tile to give up (6, 7, 9, 10).

The nodes that are met less often get a simple answer each (the table of section 13).
"""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics.atlantis_rising import cards, deploy, floods, places
from atlantis_agents.heuristics.atlantis_rising.scratch import see, which
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Basic, Good, Misfortune, Peninsula
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.games.atlantis_rising.state import Column, Frame, Node, Purpose
from atlantis_envs.kernels.kernel import kernel

# Which action comes first (component spaces in the order of their locations).
ORDER_OF_SPACES = (98, 45, 97, 40, 61, 44, 77, 46, 76, 42, 42, 78, 43, 96)
AGAIN = 5.0  # worth of having something to resolve


@kernel
def detail(observation: Row, column: int) -> int:
    """Return a column of the top frame."""
    return see(observation, At.DETAIL + column - Column.SEAT) - 1


@kernel
def score_resolve(scratch: Record) -> None:
    """Score by the order energy, cards, dice, forges, recruits, the rest; builds last (D13)."""
    for number in range(int(scratch.listed)):
        action = int(scratch.legal[number])
        if action >= Act.AT and action < Act.AT + data.NUM_LOCATIONS:
            scratch.score[action] = ORDER[action - Act.AT]


def order_of(location: int) -> float:
    """Return the order of actions within a seat's round."""
    if location < data.NUM_TILES:
        peninsula = location // data.TILES_PER_PENINSULA
        if peninsula < data.NUM_WILD:
            return 80.0 - peninsula
        return 90.0 if peninsula == Peninsula.LIBRARIES else 60.0 if peninsula == Peninsula.FORGES else 50.0
    if location == data.CENTRE:
        return 99.0
    if location < data.GATE + data.NUM_GATES:
        return 10.0 + data.GATE + data.NUM_GATES - location
    return float(ORDER_OF_SPACES[location - data.SPACE])


ORDER = np.array([order_of(location) for location in range(data.NUM_LOCATIONS)])


@kernel
def score_flood(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """Score floods: a barrier if it holds, else the tile that is worth least (D8)."""
    for peninsula in range(data.NUM_PENINSULAS):
        if mask[Act.FLOOD + peninsula] != 0:
            scratch.score[Act.FLOOD + peninsula] = flood_score(weights, scratch, observation, peninsula)


@kernel
def flood_score(weights: Record, scratch: Record, observation: Row, peninsula: int) -> float:
    """Return what is left of 0 when a peninsula is flooded; 1 where a barrier takes it."""
    cost = floods.loss(weights, scratch, observation, peninsula, True)
    if scratch.barriers[peninsula] != 0:
        pierced = (
            observation[At.FRAME + Frame.MISFORTUNE] != 0
            and detail(observation, Column.CARD) == Misfortune.CONTROLLED_FLOODING
        )
        cost = cost + weights.flood if pierced else -1.0
    return -cost


@kernel
def score_fail(scratch: Record, observation: Row) -> None:
    """Score failed dice: small gaps are paid for what is needed (D15)."""
    peninsula = detail(observation, Column.PLACE_AT) // data.TILES_PER_PENINSULA
    gap = detail(observation, Column.TARGET) - detail(observation, Column.VALUE)
    scratch.score[Act.DECLINE] = 0.0
    scratch.score[Act.PAY] = scratch.worth[peninsula] - gap * scratch.worth[Good.ENERGY]
    if scratch.goods[0, Good.ENERGY] == gap:
        scratch.score[Act.PAY] -= 0.1
    scratch.score[Act.KNUCKLE] = 0.5 * scratch.worth[peninsula]


@kernel
def score_share(scratch: Record, observation: Row) -> None:
    """Score contributions: as much as one can, unless another gate wants it too (D16)."""
    purpose = detail(observation, Column.PURPOSE)
    elsewhere = 0
    for gate in range(data.NUM_GATES):
        if places.own_at(observation, data.GATE + gate) > 0:
            elsewhere += 1
    sign = 1.0
    if purpose == Purpose.BUILD and elsewhere >= 2:
        sign = -1.0
    for amount in range(data.LAST_CONTRIBUTION + 1):
        scratch.score[Act.CONTRIBUTE + amount] = 1.0 + sign * amount
    scratch.score[Act.DECLINE] = -100.0
    if purpose != Purpose.CITIES and (purpose != Purpose.BUILD or (sign > 0.0 and scratch.players >= 5)):
        # Everybody keeps one if that is enough: energy pays for dice, and goods for the core come from every seat.
        own = see(observation, At.GOODS + detail(observation, Column.GOOD))
        for amount in range(data.LAST_CONTRIBUTION + 1):
            scratch.score[Act.CONTRIBUTE + amount] = -abs(own - 1 - amount)


# ------------------------------------------------------------------------------------ nodes met less often


@kernel
def score_known(weights: Record, scratch: Record, observation: Row, mask: Row, node: int) -> bool:
    """Score a node at which goods do not count; return whether it is one."""
    if node == Node.KEEP or node == Node.ARCHIVE or node == Node.SCHOLAR:
        for card in range(data.NUM_CARDS):
            scratch.score[Act.KEEP + card] = weights.keep[card]
        scratch.score[Act.DECLINE] = 0.0
    elif node == Node.OVERFLOW:
        for card in range(data.NUM_CARDS):
            scratch.score[Act.DISCARD + card] = -weights.keep[card]
        cards.score_overflow(weights, scratch, observation, mask)
    elif node == Node.BUILD:
        for component in range(data.NUM_COMPONENTS):
            scratch.score[Act.BUILD + component] = weights.component[component]
    elif node == Node.REACT:
        tile = detail(observation, Column.TILES)
        standing = see(observation, At.CROWD + tile) if tile >= 0 else 1
        scratch.score[Act.PLAY + Basic.SWIFT_EVACUATION] = 1.0
        scratch.score[Act.DECLINE] = 2.0 if standing <= 1 else 0.0
    elif node == Node.DRAFT or node == Node.BOARD:
        for councilor in range(data.NUM_COUNCILORS):
            scratch.score[Act.COUNCILOR + councilor] = weights.councilor[councilor]
    else:
        return False
    return True


@kernel
def score_rare(weights: Record, scratch: Record, observation: Row, mask: Row, node: int) -> None:
    """Score everything but deployment, actions, payments, dice and floods."""
    if node == Node.MORE:
        for card in range(data.NUM_CARDS):
            scratch.score[Act.KEEP + card] = weights.keep[card]
        scratch.score[Act.DECLINE] = scratch.worth[Good.ENERGY]
    elif node == Node.DISCOUNT:
        for kind in range(data.NUM_PRICE_TYPES):
            scratch.score[Act.DISCOUNT + kind] = scratch.worth[Good.GOLD + kind]
    elif node == Node.WARD or node == Node.EBB:
        scratch.score[Act.DECLINE] = -1.0
        for peninsula in range(data.NUM_PENINSULAS):
            if mask[Act.BARRIER + peninsula] != 0:
                scratch.score[Act.BARRIER + peninsula] = 0.1 + floods.loss(
                    weights, scratch, observation, peninsula, True
                )
            if mask[Act.DRAIN + peninsula] != 0:
                scratch.score[Act.DRAIN + peninsula] = deploy.drain_gain(weights, scratch, observation, peninsula)
    elif node == Node.LOOK:
        score_look(weights, scratch, observation, mask)
    elif node == Node.PLAGUE or node == Node.REPEAT_AT:
        for location in range(data.NUM_LOCATIONS):
            if mask[Act.AT + location] != 0:
                worth = places.worth_at(weights, scratch, observation, location, 0)
                if places.is_double(location):
                    worth *= 2.0
                scratch.score[Act.AT + location] = -worth if node == Node.PLAGUE else worth
    else:
        score_goods(weights, scratch, observation, mask, node)


@kernel
def score_look(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """Score misfortunes so that the worst goes (D30)."""
    scratch.score[Act.DECLINE] = 0.5
    for kind in range(data.NUM_MISFORTUNES):
        harm = weights.harm[kind]
        if kind < data.NUM_PENINSULAS and mask[Act.REMOVE + kind] != 0:
            harm = weights.flood + 0.5 * floods.loss(weights, scratch, observation, kind, True)
            if scratch.flooded[kind] >= data.TILES_PER_PENINSULA:
                harm = 2.0 * weights.flood
            elif scratch.barriers[kind] != 0:
                harm = 0.8 * weights.flood
        scratch.score[Act.REMOVE + kind] = harm


@kernel
def score_goods(weights: Record, scratch: Record, observation: Row, mask: Row, node: int) -> None:
    """Score nodes that name a seat or a good, and second throws."""
    if node == Node.REROLL:
        score_reroll(scratch, observation, mask)
    elif node == Node.CHART:
        for peninsula in range(data.NUM_WILD):
            scratch.score[Act.CHART + peninsula] = crowd_on(observation, peninsula) * scratch.worth[peninsula]
    elif node == Node.GIVE:
        scratch.score[Act.DECLINE] = 0.0
        best = max(scratch.worth[0], max(scratch.worth[1], scratch.worth[2]))
        for good in range(data.NUM_RAW):
            scratch.score[Act.GIVE + good] = best - scratch.worth[good] - 0.2
    elif node == Node.TAKE or node == Node.GAIN:
        for good in range(data.NUM_RAW):
            scratch.score[Act.TAKE + good] = scratch.worth[good]
    else:
        own = which(observation, At.OWN, data.MAX_PLAYERS)  # ``seat j`` counts from seat 0, observations from the own
        for seat in range(int(scratch.players)):
            place = (seat - own) % int(scratch.players)
            score = 0.0
            if node == Node.FONT:
                score = -float(scratch.goods[place, Good.ENERGY])
            elif node == Node.AMPLIFY:
                score = best_offer(scratch, place)
            else:
                score = float(observation[At.RESERVE + place])
            scratch.score[Act.SEAT + seat] = score


@kernel
def crowd_on(observation: Row, peninsula: int) -> int:
    """Count the pieces of all seats on a peninsula."""
    total = 0
    for tile in range(data.TILES_PER_PENINSULA * peninsula, data.TILES_PER_PENINSULA * (peninsula + 1)):
        total += see(observation, At.CROWD + tile)
    return total


@kernel
def best_offer(scratch: Record, place: int) -> float:
    """Return the worth of the best raw good that a seat has; 0 if it has none."""
    best = 0.0
    for good in range(data.NUM_RAW):
        if scratch.goods[place, good] > 0:
            best = max(best, scratch.worth[good])
    return best


@kernel
def score_reroll(scratch: Record, observation: Row, mask: Row) -> None:
    """Score second throws, which are free; a gap of one is paid instead where there is energy (D14)."""
    scratch.score[Act.DECLINE] = 0.0
    scratch.score[Act.REROLL_FIRST] = 1.0
    if mask[Act.REROLL_BOTH] == 0:
        if (
            detail(observation, Column.TARGET) - detail(observation, Column.VALUE) == 1
            and scratch.goods[0, Good.ENERGY] > 0
        ):
            scratch.score[Act.DECLINE] = 2.0
        return
    first, second = detail(observation, Column.DIE), detail(observation, Column.DIE + 1)
    scratch.score[Act.REROLL_FIRST] = 3.5 - first
    scratch.score[Act.REROLL_SECOND] = 3.5 - second
    scratch.score[Act.REROLL_BOTH] = 7.0 - first - second if first <= 3 and second <= 3 else -1.0
