"""The nodes that are met less often: each gets a simple answer (the table of section 13)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising.cards import CARD_WORTH, score_overflow
from atlantis_agents.heuristics.atlantis_rising.deploy import drain_gain
from atlantis_agents.heuristics.atlantis_rising.floods import loss
from atlantis_agents.heuristics.atlantis_rising.gates import EARLY
from atlantis_agents.heuristics.atlantis_rising.places import is_double, worth_at
from atlantis_agents.heuristics.atlantis_rising.turns import detail
from atlantis_agents.heuristics.atlantis_rising.work import see, which
from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import (
    AT,
    BARRIER,
    BUILD,
    CHART,
    CHOOSE_COUNCILOR,
    DECLINE,
    DISCARD,
    DISCOUNT,
    DRAIN,
    GIVE,
    KEEP,
    NAME_SEAT,
    PLAY,
    REMOVE,
    REROLL_BOTH,
    REROLL_FIRST,
    REROLL_SECOND,
    TAKE,
)
from atlantis_envs.games.atlantis_rising.data import (
    ENERGY,
    GOLD,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_COMPONENTS,
    NUM_COUNCILORS,
    NUM_LOCATIONS,
    NUM_MISFORTUNES,
    NUM_PENINSULAS,
    NUM_PRICE_TYPES,
    NUM_RAW,
    NUM_WILD,
    SWIFT_EVACUATION,
    TILES_PER_PENINSULA,
)
from atlantis_envs.games.atlantis_rising.layout import AT_CROWD, AT_OWN, AT_RESERVE
from atlantis_envs.games.atlantis_rising.state import (
    DIE,
    NODE_AMPLIFY,
    NODE_ARCHIVE,
    NODE_BOARD,
    NODE_BUILD,
    NODE_CHART,
    NODE_DISCOUNT,
    NODE_DRAFT,
    NODE_EBB,
    NODE_FONT,
    NODE_GAIN,
    NODE_GIVE,
    NODE_KEEP,
    NODE_LOOK,
    NODE_MORE,
    NODE_OVERFLOW,
    NODE_PLAGUE,
    NODE_REACT,
    NODE_REPEAT_AT,
    NODE_REROLL,
    NODE_SCHOLAR,
    NODE_TAKE,
    NODE_WARD,
    TARGET,
    TILES,
    VALUE,
)

# Councilors by what they are worth to the team (2.5), and misfortunes by the harm they do beside floods (2.8).
COUNCILOR_WORTH = (6.0, 3.0, 4.0, 3.5, 2.5, 3.5, 3.0, 2.0, 1.0, 5.0)
HARM = (
    3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 0.0, 2.5, 2.0, 1.5, 1.5, 1.5, 1.5, 1.0, 1.5, 3.0, 5.0, 2.5, 2.0, 5.0, 2.5,
)  # fmt: skip


@kernel
def score_rare(weights: Record, work: Record, observation: Row, mask: Row, node: int) -> None:
    """Everything but deployment, actions, payments, dice and floods."""
    if node == NODE_KEEP or node == NODE_MORE or node == NODE_ARCHIVE or node == NODE_SCHOLAR:
        for card in range(NUM_CARDS):
            work.score[KEEP + card] = CARD_WORTH[card]
        work.score[DECLINE] = work.worth[ENERGY] if node == NODE_MORE else 0.0
    elif node == NODE_OVERFLOW:
        for card in range(NUM_CARDS):
            work.score[DISCARD + card] = -CARD_WORTH[card]
        score_overflow(weights, work, observation, mask)
    elif node == NODE_BUILD:
        for component in range(NUM_COMPONENTS):
            work.score[BUILD + component] = EARLY[component]
    elif node == NODE_DISCOUNT:
        for kind in range(NUM_PRICE_TYPES):
            work.score[DISCOUNT + kind] = work.worth[GOLD + kind]
    elif node == NODE_WARD or node == NODE_EBB:
        work.score[DECLINE] = -1.0
        for peninsula in range(NUM_PENINSULAS):
            work.score[BARRIER + peninsula] = 0.1 + loss(weights, work, observation, peninsula, True)
            if mask[DRAIN + peninsula] != 0:
                work.score[DRAIN + peninsula] = drain_gain(weights, work, observation, peninsula)
    elif node == NODE_REACT:
        tile = detail(observation, TILES)
        standing = see(observation, AT_CROWD + tile) if tile >= 0 else 1
        work.score[PLAY + SWIFT_EVACUATION] = 1.0
        work.score[DECLINE] = 2.0 if standing <= 1 else 0.0
    elif node == NODE_DRAFT or node == NODE_BOARD:
        for councilor in range(NUM_COUNCILORS):
            work.score[CHOOSE_COUNCILOR + councilor] = COUNCILOR_WORTH[councilor]
    elif node == NODE_LOOK:
        score_look(weights, work, observation)
    elif node == NODE_PLAGUE or node == NODE_REPEAT_AT:
        for location in range(NUM_LOCATIONS):
            if mask[AT + location] != 0:
                worth = worth_at(weights, work, observation, location, 0)
                if is_double(location):
                    worth *= 2.0
                work.score[AT + location] = -worth if node == NODE_PLAGUE else worth
    else:
        score_goods(weights, work, observation, mask, node)


@kernel
def score_look(weights: Record, work: Record, observation: Row) -> None:
    """D30: the worst goes."""
    work.score[DECLINE] = 0.5
    for kind in range(NUM_MISFORTUNES):
        harm = HARM[kind]
        if kind < NUM_PENINSULAS:
            harm = weights.flood + 0.5 * loss(weights, work, observation, kind, True)
            if work.flooded[kind] >= TILES_PER_PENINSULA:
                harm = 2.0 * weights.flood
            elif work.barriers[kind] != 0:
                harm = 0.8 * weights.flood
        work.score[REMOVE + kind] = harm


@kernel
def score_goods(weights: Record, work: Record, observation: Row, mask: Row, node: int) -> None:
    """Nodes that name a seat or a good, and second throws."""
    if node == NODE_REROLL:
        score_reroll(weights, work, observation, mask)
    elif node == NODE_CHART:
        for peninsula in range(NUM_WILD):
            total = 0
            for tile in range(TILES_PER_PENINSULA * peninsula, TILES_PER_PENINSULA * (peninsula + 1)):
                total += see(observation, AT_CROWD + tile)
            work.score[CHART + peninsula] = total * work.worth[peninsula]
    elif node == NODE_GIVE:
        work.score[DECLINE] = 0.0
        for good in range(NUM_RAW):
            work.score[GIVE + good] = best_good(work) - work.worth[good] - 0.2
    elif node == NODE_TAKE or node == NODE_GAIN:
        for good in range(NUM_RAW):
            work.score[TAKE + good] = work.worth[good]
    else:
        own = which(observation, AT_OWN, MAX_PLAYERS)  # ``seat j`` counts from seat 0, observations from the own
        for seat in range(int(work.players)):
            place = (seat - own) % int(work.players)
            score = 0.0
            if node == NODE_FONT:
                score = -float(work.goods[place, ENERGY])
            elif node == NODE_AMPLIFY:
                for good in range(NUM_RAW):
                    if work.goods[place, good] > 0:
                        score = max(score, work.worth[good])
            else:
                score = float(observation[AT_RESERVE + place])
            work.score[NAME_SEAT + seat] = score


@kernel
def best_good(work: Record) -> float:
    """The worth of the raw good that is worth most."""
    return max(work.worth[0], max(work.worth[1], work.worth[2]))


@kernel
def score_reroll(weights: Record, work: Record, observation: Row, mask: Row) -> None:
    """D14: second throws are free; a gap of one is paid instead where there is energy."""
    work.score[DECLINE] = 0.0
    work.score[REROLL_FIRST] = 1.0
    if mask[REROLL_BOTH] == 0:
        if detail(observation, TARGET) - detail(observation, VALUE) == 1 and work.goods[0, ENERGY] > 0:
            work.score[DECLINE] = 2.0
        return
    first, second = detail(observation, DIE), detail(observation, DIE + 1)
    work.score[REROLL_FIRST] = 3.5 - first
    work.score[REROLL_SECOND] = 3.5 - second
    work.score[REROLL_BOTH] = 7.0 - first - second if first <= 3 and second <= 3 else -1.0
