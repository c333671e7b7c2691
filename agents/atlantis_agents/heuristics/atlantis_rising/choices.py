"""One decision of Atlantis Rising: the legal actions of the node get scores, the best is played."""

from __future__ import annotations

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
from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import BARRIER, FLOOD, LIFT, PASS, PEEK, PLACE, PLAY, READY, RESOLVE
from atlantis_envs.games.atlantis_rising.data import (
    ASTROLOGER,
    ATLAS,
    ENIGMA,
    EXPERTISE,
    HOLOGRAM,
    LEADER,
    NUM_BASIC,
    NUM_KINDS,
)
from atlantis_envs.games.atlantis_rising.layout import AT_DETAIL, AT_NODE
from atlantis_envs.games.atlantis_rising.state import (
    KIND,
    NODE_ACT,
    NODE_DEPLOY,
    NODE_FAIL,
    NODE_FLOOD,
    NODE_LATE,
    NODE_LIFT,
    NODE_PLACE,
    NODE_RESOLVE,
    NODE_SHARE,
    NODE_WINDOW,
    SEAT,
)

UNKNOWN = -50.0  # legal, but not looked into
NODES_OF_DECISIONS = 36


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
    node = which(observation, AT_NODE, NODES_OF_DECISIONS)
    if node == NODE_WINDOW:
        return PASS
    if node == NODE_RESOLVE:
        score_resolve(weights, own, observation, mask)
        return best_action(own, legal, noise)
    if node == NODE_ACT and mask[PLAY + EXPERTISE] == 0 and mask[PLAY + ENIGMA] == 0 and mask[PLAY + ATLAS] == 0:
        return RESOLVE if mask[RESOLVE] != 0 else PASS
    if node == NODE_DEPLOY and not some_card(mask) and mask[PEEK] == 0:
        if mask[READY] != 0:
            if nothing_to_do(mask):
                return READY
        elif only_kind(mask) != NO_ACTION:
            return only_kind(mask)
    unpack_table(observation, own)
    if node == NODE_SHARE:
        score_share(weights, own, observation, mask)
    else:
        draws = draws_left(observation)
        if node == NODE_DEPLOY or node == NODE_PLACE or node == NODE_LIFT:
            draws = max(LEAST_DRAWS, int(own.players))
        think(weights, own, observation, draws)
        score_node(weights, own, observation, mask, node)
    return best_action(own, legal, noise)


@kernel
def some_card(mask: Row) -> bool:
    """A library card may be played."""
    for card in range(NUM_BASIC):
        if mask[PLAY + card] != 0:
            return True
    return False


@kernel
def nothing_to_do(mask: Row) -> bool:
    """Everybody stands, and there is no energy to spend."""
    for action in range(PLACE, LIFT):
        if mask[action] != 0:
            return False
    for action in range(BARRIER, FLOOD):
        if mask[action] != 0:
            return False
    return True


@kernel
def only_kind(mask: Row) -> int:
    """Placing the only kind that is at home; NO_ACTION if there are several."""
    found = NO_ACTION
    for action in range(PLACE, LIFT):
        if mask[action] != 0:
            if found != NO_ACTION:
                return NO_ACTION
            found = action
    return found


@kernel
def score_node(weights: Record, work: Record, observation: Row, mask: Row, node: int) -> None:
    """The nodes at which goods and water count."""
    if node == NODE_DEPLOY:
        placed = True
        for kind in range(NUM_KINDS):
            if mask[PLACE + kind] != 0:
                placed = False
        score_deployment(weights, work, observation, mask)
        score_cards(weights, work, observation, mask, True, placed)
    elif node == NODE_PLACE:
        kind = see(observation, AT_DETAIL + KIND - SEAT) - 1
        score_place(weights, work, observation, mask, kind)
    elif node == NODE_LATE:
        score_place(weights, work, observation, mask, HOLOGRAM if work.hologram == ASTROLOGER else LEADER)
    elif node == NODE_ACT:
        score_act(weights, work, observation, mask)
        score_cards(weights, work, observation, mask, False, True)
    elif node == NODE_FLOOD:
        score_flood(weights, work, observation, mask)
    elif node == NODE_FAIL:
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
    left = int(noise % count)
    for number in range(legal):
        action = int(work.legal[number])
        if work.score[action] == best:
            if left == 0:
                return action
            left -= 1
    return NO_ACTION
