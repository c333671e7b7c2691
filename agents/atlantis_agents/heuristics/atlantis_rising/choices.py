"""One decision of Atlantis Rising: the legal actions of the node get scores, the best is played."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics import copy_scores
from atlantis_agents.heuristics.atlantis_rising.cards import score_cards
from atlantis_agents.heuristics.atlantis_rising.deploy import (
    score_deployment,
    score_place,
    think,
)
from atlantis_agents.heuristics.atlantis_rising.floods import LEAST_DRAWS, draws_left
from atlantis_agents.heuristics.atlantis_rising.rare import score_rare
from atlantis_agents.heuristics.atlantis_rising.turns import (
    score_act,
    score_fail,
    score_flood,
    score_resolve,
    score_share,
)
from atlantis_agents.heuristics.atlantis_rising.work import see, unpack_table, which
from atlantis_agents.rows import NO_ACTION
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import NUM_BASIC, NUM_KINDS, Basic, Councilor, Kind
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.games.atlantis_rising.state import Column, Node

UNKNOWN = -50.0  # legal, but not looked into
NODES_OF_DECISIONS = 37


@kernel
def decide(weights: Record, work: Row, observation: Row, mask: Row, noise: int) -> int:
    """The best action; NO_ACTION if none is legal."""
    own = work[0]
    legal, only = 0, NO_ACTION
    for action in range(len(mask)):
        if mask[action] != 0:
            own.legal[legal] = action
            own.score[action] = UNKNOWN
            legal += 1
            only = action
    if legal <= 1:
        return only
    node = which(observation, At.NODE, NODES_OF_DECISIONS)
    if node == Node.WINDOW:
        return Act.PASS
    if node == Node.RESOLVE:
        score_resolve(weights, own, observation, mask)
        return best_action(own, legal, noise)
    if (
        node == Node.ACT
        and mask[Act.PLAY + Basic.CRYPTOGRAPHIC_EXPERTISE] == 0
        and mask[Act.PLAY + Basic.ENIGMA_OF_FERVOUR] == 0
        and mask[Act.PLAY + Basic.ANCIENT_ATLAS] == 0
    ):
        return Act.RESOLVE if mask[Act.RESOLVE] != 0 else Act.PASS
    if node == Node.DEPLOY and not some_card(mask) and mask[Act.PEEK] == 0:
        if mask[Act.READY] != 0:
            if nothing_to_do(mask):
                return Act.READY
        elif only_kind(mask) != NO_ACTION:
            return only_kind(mask)
    unpack_table(observation, own)
    if node == Node.SHARE:
        score_share(weights, own, observation, mask)
    else:
        draws = draws_left(observation)
        if node == Node.DEPLOY or node == Node.PLACE or node == Node.LIFT:
            draws = max(LEAST_DRAWS, int(own.players))
        think(weights, own, observation, draws)
        score_node(weights, own, observation, mask, node)
    return best_action(own, legal, noise)


@kernel
def rank(weights: Record, work: Row, observation: Row, mask: Row, noise: int, out: Row) -> int:
    """The action that ``decide`` gives, and the scores it is chosen by; without a choice they say nothing."""
    choice = decide(weights, work, observation, mask, noise)
    copy_scores(work[0].score, mask, choice, out)
    return choice


@kernel
def some_card(mask: Row) -> bool:
    """A library card may be played."""
    for card in range(NUM_BASIC):
        if mask[Act.PLAY + card] != 0:
            return True
    return False


@kernel
def nothing_to_do(mask: Row) -> bool:
    """Everybody stands, and there is no energy to spend."""
    for action in range(Act.PLACE, Act.LIFT):
        if mask[action] != 0:
            return False
    for action in range(Act.BARRIER, Act.FLOOD):
        if mask[action] != 0:
            return False
    return True


@kernel
def only_kind(mask: Row) -> int:
    """Placing the only kind that is at home; NO_ACTION if there are several."""
    found = NO_ACTION
    for action in range(Act.PLACE, Act.LIFT):
        if mask[action] != 0:
            if found != NO_ACTION:
                return NO_ACTION
            found = action
    return found


@kernel
def score_node(weights: Record, work: Record, observation: Row, mask: Row, node: int) -> None:
    """The nodes at which goods and water count."""
    if node == Node.DEPLOY:
        placed = True
        for kind in range(NUM_KINDS):
            if mask[Act.PLACE + kind] != 0:
                placed = False
        score_deployment(weights, work, observation, mask)
        score_cards(weights, work, observation, mask, True, placed)
    elif node == Node.PLACE:
        kind = see(observation, At.DETAIL + Column.KIND - Column.SEAT) - 1
        score_place(weights, work, observation, mask, kind)
    elif node == Node.LATE:
        score_place(
            weights, work, observation, mask, Kind.HOLOGRAM if work.hologram == Councilor.ASTROLOGER else Kind.LEADER
        )
    elif node == Node.ACT:
        score_act(weights, work, observation, mask)
        score_cards(weights, work, observation, mask, False, True)
    elif node == Node.FLOOD:
        score_flood(weights, work, observation, mask)
    elif node == Node.FAIL:
        score_fail(weights, work, observation, mask)
    else:
        score_rare(weights, work, observation, mask, node)


@kernel
def best_action(work: Record, legal: int, noise: int) -> int:
    """The legal action of the highest score; among equal ones, noise decides."""
    best, count = -1e30, 0
    for number in range(legal):
        score = work.score[work.legal[number]]
        if score > best:
            best, count = score, 1
        elif score == best:
            count += 1
    left = int(np.int64(noise) % count)
    for number in range(legal):
        action = int(work.legal[number])
        if work.score[action] == best:
            if left == 0:
                return action
            left -= 1
    return NO_ACTION
