"""One decision of Atlantis Rising: the legal actions of the node get scores, the best is played."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics import UNSEEN, WORD, copy_scores, list_among, list_legal, some
from atlantis_agents.heuristics.atlantis_rising import cards, deploy, floods, places, turns
from atlantis_agents.heuristics.atlantis_rising.scratch import remembers, see, unpack_table, which
from atlantis_agents.rows import NO_ACTION
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Basic, Councilor, Kind
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.games.atlantis_rising.state import Column, Node
from atlantis_envs.kernels.kernel import kernel

UNKNOWN = -50.0  # legal, but not looked into
NODES_OF_DECISIONS = 37
LOCATION_BYTES = WORD * -(-data.NUM_LOCATIONS // WORD)  # whole words; what follows the locations is legal elsewhere


@kernel
def decide(weights: Record, scratch: Row, observation: Row, mask: Row, noise: int) -> int:
    """Return the best action; NO_ACTION if none is legal."""
    own = scratch[0]
    choice = choose_blind(own, which(observation, At.NODE, NODES_OF_DECISIONS), mask, noise)
    if choice == UNSEEN:
        own.remembering = own.remembered = 0
        choice = study(weights, own, observation, mask, noise)
    return choice


@kernel
def fast_decide(rules: Record, state: Record, scratch: Row, mask: Row, noise: int) -> int:
    """Return the action of ``decide`` where the mask alone tells it, else UNSEEN; ``decide_rest`` finds it then."""
    return choose_blind(scratch[0], int(state.node), mask, noise)


@kernel
def decide_rest(weights: Record, scratch: Row, observation: Row, mask: Row, noise: int) -> int:
    """Return the best action that ``fast_decide`` has listed; what the last call found out may serve this one."""
    scratch[0].remembering = 1
    return study(weights, scratch[0], observation, mask, noise)


@kernel
def study(weights: Record, own: Record, observation: Row, mask: Row, noise: int) -> int:
    """Return the best of the actions that ``choose_blind`` has listed."""
    node = which(observation, At.NODE, NODES_OF_DECISIONS)
    if node == Node.PLACE and own.remembered != 0 and remembers(own, observation):
        deploy.score_studied(weights, own, observation, see(observation, At.DETAIL + Column.KIND - Column.SEAT) - 1)
        return best_action(own, int(own.listed), noise)
    own.remembered = 0
    unpack_table(observation, own)
    if node == Node.SHARE:
        turns.score_share(own, observation)
    else:
        score_node(weights, own, observation, mask, node)
    return best_action(own, int(own.listed), noise)


@kernel
def score_actions(weights: Record, scratch: Row, observation: Row, mask: Row, noise: int, out: Row) -> int:
    """Return the action that ``decide`` gives, and the scores it is chosen by; without a choice they say nothing."""
    own = scratch[0]
    for action in range(len(mask)):
        own.score[action] = UNKNOWN
    own.ranking = 1
    choice = decide(weights, scratch, observation, mask, noise)
    own.ranking = 0
    copy_scores(own.score, mask, choice, out)
    return choice


@kernel
def choose_blind(scratch: Record, node: int, mask: Row, noise: int) -> int:
    """Return the best action where it takes no look at the table; else UNSEEN, and the legal actions are listed."""
    if node == Node.WINDOW:
        if mask[Act.PASS] != 0:
            return Act.PASS
    elif node == Node.ACT:
        if not is_act_open(mask):
            if mask[Act.RESOLVE] != 0:
                return Act.RESOLVE
            if mask[Act.PASS] != 0:
                return Act.PASS
    elif node == Node.DEPLOY and not some(mask, Act.PLAY, Act.PLAY + data.NUM_BASIC) and mask[Act.PEEK] == 0:
        if mask[Act.READY] == 0:
            kind = only_kind(mask)
            if kind != NO_ACTION:
                return kind
        elif not some(mask, Act.PLACE, Act.LIFT) and not some(mask, Act.BARRIER, Act.FLOOD):
            return Act.READY  # everybody stands, and there is no energy to spend
    if node == Node.RESOLVE or node == Node.PLACE:
        scratch.listed = list_among(scratch, mask, UNKNOWN, Act.AT, Act.AT + LOCATION_BYTES)
    elif node == Node.DEPLOY:
        scratch.listed = list_among(scratch, mask, UNKNOWN, 0, Act.FLOOD)
    else:
        scratch.listed = list_legal(scratch, mask, UNKNOWN)
    if scratch.listed <= 1:
        return int(scratch.legal[0]) if scratch.listed == 1 else NO_ACTION
    if node == Node.RESOLVE:
        turns.score_resolve(scratch)
        return best_action(scratch, int(scratch.listed), noise)
    return UNSEEN


@kernel
def is_act_open(mask: Row) -> bool:
    """Return whether a library card may be played of which it is not clear that it waits."""
    return (
        mask[Act.PLAY + Basic.CRYPTOGRAPHIC_EXPERTISE] != 0
        or mask[Act.PLAY + Basic.ENIGMA_OF_FERVOUR] != 0
        or mask[Act.PLAY + Basic.ANCIENT_ATLAS] != 0
    )


@kernel
def only_kind(mask: Row) -> int:
    """Return the action that places the only kind at home; NO_ACTION if there are several."""
    found = NO_ACTION
    for action in range(Act.PLACE, Act.LIFT):
        if mask[action] != 0:
            if found != NO_ACTION:
                return NO_ACTION
            found = action
    return found


@kernel
def score_node(weights: Record, scratch: Record, observation: Row, mask: Row, node: int) -> None:
    """Score the nodes at which goods and water count."""
    if node == Node.DEPLOY:
        deploy.score_deployment(weights, scratch, observation, mask)
    elif node == Node.PLACE:
        kind = see(observation, At.DETAIL + Column.KIND - Column.SEAT) - 1
        deploy.score_place(weights, scratch, observation, kind, max(floods.LEAST_DRAWS, int(scratch.players)))
    elif node == Node.LATE:
        kind = Kind.HOLOGRAM if scratch.hologram == Councilor.ASTROLOGER else Kind.LEADER
        deploy.score_place(weights, scratch, observation, kind, floods.draws_left(observation))
    elif node == Node.ACT:
        scratch.score[Act.PASS] = 0.0
        scratch.score[Act.RESOLVE] = turns.AGAIN
        cards.score_cards(weights, scratch, observation, mask, False, True)
    elif node == Node.FLOOD:
        places.appraise(weights, scratch, observation)
        turns.score_flood(weights, scratch, observation, mask)
    elif node == Node.FAIL:
        places.appraise(weights, scratch, observation)
        turns.score_fail(scratch, observation)
    elif not turns.score_known(weights, scratch, observation, mask, node):
        places.appraise(weights, scratch, observation)
        turns.score_rare(weights, scratch, observation, mask, node)


@kernel
def best_action(scratch: Record, legal: int, noise: int) -> int:
    """Return the legal action of the highest score; among equal ones, noise decides."""
    best, count = -1e30, 0
    for number in range(legal):
        score = scratch.score[scratch.legal[number]]
        if score > best:
            best, count = score, 1
        elif score == best:
            count += 1
    left = int(np.int64(noise) % count)
    for number in range(legal):
        action = int(scratch.legal[number])
        if scratch.score[action] == best:
            if left == 0:
                return action
            left -= 1
    return NO_ACTION
