"""Phases 2 to 4: what to resolve first, what dice are worth, who pays, which tile to give up (6, 7, 9, 10)."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics.atlantis_rising import floods, places
from atlantis_agents.heuristics.atlantis_rising.scratch import see
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Good, Misfortune, Peninsula
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.games.atlantis_rising.state import Column, Frame, Purpose
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
    """D13: energy, cards, dice, forges, recruits, the rest; builds last."""
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
def score_act(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """Score the choices of a turn in the action phase (D12)."""
    scratch.score[Act.PASS] = 0.0
    scratch.score[Act.RESOLVE] = AGAIN


@kernel
def score_flood(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """D8: a barrier if it holds, else the tile that is worth least."""
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
def score_fail(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """D15: pay small gaps for what is needed."""
    peninsula = detail(observation, Column.PLACE_AT) // data.TILES_PER_PENINSULA
    gap = detail(observation, Column.TARGET) - detail(observation, Column.VALUE)
    scratch.score[Act.DECLINE] = 0.0
    scratch.score[Act.PAY] = scratch.worth[peninsula] - gap * scratch.worth[Good.ENERGY]
    if scratch.goods[0, Good.ENERGY] == gap:
        scratch.score[Act.PAY] -= 0.1
    scratch.score[Act.KNUCKLE] = 0.5 * scratch.worth[peninsula]


@kernel
def score_share(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """D16: give as much as one can, unless another gate wants it too."""
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
        keep_some(scratch, observation, detail(observation, Column.GOOD))


@kernel
def keep_some(scratch: Record, observation: Row, good: int) -> None:
    """Everybody keeps one if that is enough: energy pays for dice, and goods for the core come from every seat."""
    own = see(observation, At.GOODS + good)
    for amount in range(data.LAST_CONTRIBUTION + 1):
        scratch.score[Act.CONTRIBUTE + amount] = -abs(own - 1 - amount)
