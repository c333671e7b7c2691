"""The nodes that are met less often: each gets a simple answer (the table of section 13)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising import cards, deploy, floods, gates, places, turns
from atlantis_agents.heuristics.atlantis_rising.scratch import see, which
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Basic, Good
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.games.atlantis_rising.state import Column, Node
from atlantis_envs.kernels.kernel import kernel

# Councilors by what they are worth to the team (2.5), and misfortunes by the harm they do beside floods (2.8).
COUNCILOR_WORTH = (6.0, 3.0, 4.0, 3.5, 2.5, 3.5, 3.0, 2.0, 1.0, 5.0)
HARM = (
    3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 0.0, 2.5, 2.0, 1.5, 1.5, 1.5, 1.5, 1.0, 1.5, 3.0, 5.0, 2.5, 2.0, 5.0, 2.5,
)  # fmt: skip


@kernel
def score_known(scratch: Record, observation: Row, mask: Row, node: int) -> bool:
    """Return where goods do not count; whether it is such a node."""
    if node == Node.KEEP or node == Node.ARCHIVE or node == Node.SCHOLAR:
        for card in range(data.NUM_CARDS):
            scratch.score[Act.KEEP + card] = cards.CARD_WORTH[card]
        scratch.score[Act.DECLINE] = 0.0
    elif node == Node.OVERFLOW:
        for card in range(data.NUM_CARDS):
            scratch.score[Act.DISCARD + card] = -cards.CARD_WORTH[card]
        cards.score_overflow(scratch, observation, mask)
    elif node == Node.BUILD:
        for component in range(data.NUM_COMPONENTS):
            scratch.score[Act.BUILD + component] = gates.EARLY[component]
    elif node == Node.REACT:
        tile = turns.detail(observation, Column.TILES)
        standing = see(observation, At.CROWD + tile) if tile >= 0 else 1
        scratch.score[Act.PLAY + Basic.SWIFT_EVACUATION] = 1.0
        scratch.score[Act.DECLINE] = 2.0 if standing <= 1 else 0.0
    elif node == Node.DRAFT or node == Node.BOARD:
        for councilor in range(data.NUM_COUNCILORS):
            scratch.score[Act.COUNCILOR + councilor] = COUNCILOR_WORTH[councilor]
    else:
        return False
    return True


@kernel
def score_rare(weights: Record, scratch: Record, observation: Row, mask: Row, node: int) -> None:
    """Everything but deployment, actions, payments, dice and floods."""
    if node == Node.MORE:
        for card in range(data.NUM_CARDS):
            scratch.score[Act.KEEP + card] = cards.CARD_WORTH[card]
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
    """D30: the worst goes."""
    scratch.score[Act.DECLINE] = 0.5
    for kind in range(data.NUM_MISFORTUNES):
        harm = HARM[kind]
        if kind < data.NUM_PENINSULAS and mask[Act.REMOVE + kind] != 0:
            harm = weights.flood + 0.5 * floods.loss(weights, scratch, observation, kind, True)
            if scratch.flooded[kind] >= data.TILES_PER_PENINSULA:
                harm = 2.0 * weights.flood
            elif scratch.barriers[kind] != 0:
                harm = 0.8 * weights.flood
        scratch.score[Act.REMOVE + kind] = harm


@kernel
def score_goods(weights: Record, scratch: Record, observation: Row, mask: Row, node: int) -> None:
    """Nodes that name a seat or a good, and second throws."""
    if node == Node.REROLL:
        score_reroll(weights, scratch, observation, mask)
    elif node == Node.CHART:
        for peninsula in range(data.NUM_WILD):
            scratch.score[Act.CHART + peninsula] = crowd_on(observation, peninsula) * scratch.worth[peninsula]
    elif node == Node.GIVE:
        scratch.score[Act.DECLINE] = 0.0
        for good in range(data.NUM_RAW):
            scratch.score[Act.GIVE + good] = best_good(scratch) - scratch.worth[good] - 0.2
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
    """Pieces of all seats on a peninsula."""
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
def best_good(scratch: Record) -> float:
    """Return the worth of the raw good that is worth most."""
    return max(scratch.worth[0], max(scratch.worth[1], scratch.worth[2]))


@kernel
def score_reroll(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """D14: second throws are free; a gap of one is paid instead where there is energy."""
    scratch.score[Act.DECLINE] = 0.0
    scratch.score[Act.REROLL_FIRST] = 1.0
    if mask[Act.REROLL_BOTH] == 0:
        if (
            turns.detail(observation, Column.TARGET) - turns.detail(observation, Column.VALUE) == 1
            and scratch.goods[0, Good.ENERGY] > 0
        ):
            scratch.score[Act.DECLINE] = 2.0
        return
    first, second = turns.detail(observation, Column.DIE), turns.detail(observation, Column.DIE + 1)
    scratch.score[Act.REROLL_FIRST] = 3.5 - first
    scratch.score[Act.REROLL_SECOND] = 3.5 - second
    scratch.score[Act.REROLL_BOTH] = 7.0 - first - second if first <= 3 and second <= 3 else -1.0
