"""Tree search: PUCT (Rosin 2011; Silver et al. 2017) with explicit chance, what is hidden redrawn per simulation.

A node is where somebody decides after the same actions and the same outcomes of chance since the root; its children are
kept by action. So whoever decides after a die knows what it showed, and the mean over simulations, drawn by the game's
own weights, is the expectation. Of hidden cards nothing enters a node: who decides there does not see them either, and
only what is legal this time is chosen from (Cowling, Powley & Whitehouse 2012). There is one table for nodes and edges,
a slot each, found by a 64-bit hash of the path there.

Every seat goes for its own win share (max^n; Luckhardt & Irani 1986). With ``answers`` that is so in some simulations;
in the others all but the searching seat answer as in rollouts, so that the tree expects both. A policy may rank
actions, asked once when a node is seen again, and value positions for every seat; then the horizon counts from the new
node on, so 0 means no rollout.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.networks.policy import TO_UNIT
from atlantis_agents.search.flat import (
    add_result,
    best_score,
    end_simulation,
    make_begin_decision,
    make_prior,
    order_actions,
    write_log_prior,
)
from atlantis_agents.search.memory import Plays, Prior
from atlantis_agents.search.policy import PolicyKernels
from atlantis_agents.search.rollout import (
    make_choose,
    make_draw_sample,
    make_end,
    make_is_cut,
    make_leaf,
    make_phase,
    make_play_on,
    who_plays,
)
from atlantis_envs.engine.chance import make_chances, noise_word
from atlantis_envs.engine.definition import CHANCE, IDENTICAL, OVER, Definition
from atlantis_envs.kernels.kernel import entry, kernel

ROOT = np.uint64(1)
ODD = np.uint64(1)  # no path hash is 0: that is an empty slot
AFTER_ACTION, AFTER_OUTCOME, AT_NODE = 2**31 + 1, 2**31 + 2, 2**31 + 3  # in place of a ply: no game has so many
ANSWER_PLY = 2**31 + 4  # whose random word says who answers in a simulation
FULL = 0.75  # of the table; then nothing is added, and what is there is still improved


@kernel
def extend(path_hash, index, kind):
    """Return the hash of a path that goes on."""
    return noise_word(path_hash, index, kind) | ODD


@kernel
def find_slot(keys, path_hash):
    """Return where a path hash stands, or the empty slot where it would."""
    last = len(keys) - 1
    slot = np.int64(path_hash & np.uint64(last))
    while keys[slot] != 0 and keys[slot] != path_hash:
        slot = (slot + 1) & last
    return slot


@kernel
def find_or_add(search, tree, path_hash):
    """Return where a path hash stands, newly if need be; -1 if the table is full."""
    slot = find_slot(tree.keys, path_hash)
    if tree.keys[slot] == 0:
        if search.used >= FULL * len(tree.keys):
            return -1
        search.used += 1
        tree.keys[slot] = path_hash
        tree.visits[slot] = 0
        tree.totals[slot] = 0.0
        tree.priors[slot] = 0.0
    return slot


@kernel
def select(tree, path_hash, order, bonus, count, explore):
    """Return the action of the highest mean plus a bonus for a high prior and for being seldom tried (PUCT).

    An action not yet tried counts as good as the mean of the others.
    """
    keys, visits, totals = tree.keys, tree.visits, tree.totals
    all_visits, total, priors = 0, 0.0, 0.0
    for index in range(count):
        slot = find_slot(keys, extend(path_hash, order[index], AFTER_ACTION))
        priors += bonus[order[index]]
        if keys[slot] != 0:
            all_visits += visits[slot]
            total += totals[slot]
    usual = total / all_visits if all_visits > 0 else 0.0
    reach = explore * math.sqrt(1.0 + all_visits) / priors
    choice, best = int(order[0]), -1.0
    for index in range(count):
        action = int(order[index])
        slot = find_slot(keys, extend(path_hash, action, AFTER_ACTION))
        tried = visits[slot] if keys[slot] != 0 else 0
        mean = totals[slot] / tried if tried > 0 else usual
        worth = mean + reach * bonus[action] / (1.0 + tried)
        if worth > best:
            choice, best = action, worth
    return choice


@kernel
def back_up(tree, depth, shares):
    """Add to every edge of the path what it was worth to who chose it."""
    for step in range(depth):
        if tree.path[step] >= 0:
            tree.visits[tree.path[step]] += 1
            tree.totals[tree.path[step]] += shares[tree.movers[step]]


@kernel
def is_clear(memory, action, prior_choice):
    """Return whether it beats the prior choice by more than ``gate`` standard errors of the difference of two means."""
    counts, sums, squares = memory.counts, memory.sums, memory.squares
    if counts[action] < 2 or counts[prior_choice] < 2:
        return False
    variance = 0.0
    for one in (action, prior_choice):
        mean = sums[one] / counts[one]
        variance += max(0.0, squares[one] / counts[one] - mean * mean) / (counts[one] - 1)
    difference = sums[action] / counts[action] - sums[prior_choice] / counts[prior_choice]
    return difference > memory.config[0].gate * math.sqrt(variance)


@kernel
def conclude(memory):
    """Choose what was tried most, the better mean among equals."""
    search, order, counts, sums = memory.search[0], memory.order, memory.counts, memory.sums
    best = int(order[0])
    for index in range(1, int(search.legal)):
        action = int(order[index])
        if counts[action] > counts[best] or (counts[action] == counts[best] and sums[action] > sums[best]):
            best = action
    search.finished = 1
    search.choice = best
    if memory.config[0].gate > 0.0 and not is_clear(memory, best, int(search.prior_choice)):
        search.choice = search.prior_choice


@kernel
def to_odds(order, log_prior, bonus, count):
    """Write the odds of actions whose log odds are known."""
    for index in range(count):
        bonus[order[index]] = math.exp(log_prior[order[index]])


@kernel
def read_odds(tree, path_hash, mask):
    """Write the legal actions, and the odds that they were given when this node was new; return their count.

    What was not legal then, as other cards were hidden, has the mean of the others.
    """
    count, known, total = 0, 0, 0.0
    for action in range(len(mask)):
        if mask[action] != 0:
            slot = find_slot(tree.keys, extend(path_hash, action, AFTER_ACTION))
            odds = tree.priors[slot] if tree.keys[slot] != 0 else 0.0
            tree.order[count], tree.bonus[action] = action, odds
            count += 1
            if odds > 0.0:
                known += 1
                total += odds
    for index in range(count):
        if tree.bonus[tree.order[index]] <= 0.0:
            tree.bonus[tree.order[index]] = total / known if known > 0 else 1.0
    return count


@cache
def make_descend(
    definition: Definition, heuristic: Heuristic | None, kernels: PolicyKernels | None = None
) -> Callable[..., Any]:
    """Make the kernel of one simulation (not yet compiled): ``descend(...) -> (root action, decisions after it)``."""
    node, legal, apply, observe = definition.node, definition.legal, definition.apply, definition.observe
    draw, draw_sample, phase = make_chances(definition).draw, make_draw_sample(definition), make_phase(definition)
    leaf, end, is_cut = make_leaf(definition, heuristic), make_end(definition), make_is_cut(definition)
    choose, together = make_choose(definition, heuristic), definition.utility == IDENTICAL
    play_on, ranked_first = make_play_on(definition, heuristic, kernels), make_prior(heuristic)
    begin = None if kernels is None else kernels.begin
    rank = None if kernels is None else kernels.rank
    choose_by_policy = None if kernels is None else kernels.choose

    @kernel
    def pass_chance(rules, state, memory, key, sample, path_hash):
        """Play chance until somebody decides; return the hash of the path to there."""
        while node(rules, state) == CHANCE:
            outcome = draw(rules, state, memory.counters, memory.weights, key, sample)
            apply(rules, state, outcome)
            path_hash = extend(path_hash, outcome, AFTER_OUTCOME)
        return extend(path_hash, 0, AT_NODE)

    @kernel
    def ranks(policy):
        """Return whether a policy ranks the actions."""
        if rank is not None:  # settled when compiling
            return policy.config[0].ranks != 0
        return False

    @kernel
    def values(policy):
        """Return whether a policy values positions: then the tree is not cut, and the horizon counts from new nodes."""
        if rank is not None:  # settled when compiling
            return policy.config[0].values != 0
        return False

    @kernel
    def rank_node(rules, state, mover, memory, tree, policy, path_hash):
        """Note what a policy that ranks thinks of the actions of a node, which ``memory.mask`` has.

        Not before a second simulation comes there: most nodes see one, and to rank is the dearest part of it.
        """
        if rank is not None:  # settled when compiling
            node_slot = find_slot(tree.keys, path_hash)
            if tree.priors[node_slot] > 0.0:
                return
            tree.priors[node_slot] = 1.0
            rank(rules, state, mover, memory.mask, policy, tree.scores)
            first, kind = best_score(memory.mask, tree.scores), int(memory.config[0].prior_kind)
            count = order_actions(first, tree.order, tree.scores, tree.bonus, memory.mask, 1.0, False)
            write_log_prior(kind, tree.order, tree.scores, count, tree.log_prior)
            for index in range(count):
                action = int(tree.order[index])
                slot = find_or_add(memory.search[0], tree, extend(path_hash, action, AFTER_ACTION))
                if slot >= 0:
                    tree.priors[slot] = math.exp(tree.log_prior[action])

    @kernel
    def choose_at_node(rules, state, mover, memory, tree, policy, path_hash):
        """Choose in the tree, below the root."""
        legal(rules, state, memory.mask)
        if ranks(policy):
            rank_node(rules, state, mover, memory, tree, policy, path_hash)
            count = read_odds(tree, path_hash, memory.mask)
        else:
            observe(rules, state, mover, memory.observation)
            prior_choice = ranked_first(memory, memory.mask, path_hash, tree.scores)
            count = order_actions(prior_choice, tree.order, tree.scores, tree.bonus, memory.mask, 1.0, True)
        return select(tree, path_hash, tree.order, tree.bonus, count, memory.config[0].explore)

    @kernel
    def plays_as_rollouts(key, sample, answers):
        """Return whether the others answer as in rollouts in this simulation; a team has no others."""
        return not together and answers > 0.0 and noise_word(key, sample, ANSWER_PLY) * TO_UNIT < answers

    @kernel
    def choose_answer(rules, state, mover, memory, key, sample, depth, policy):
        """Choose below the root as a rollout would."""
        legal(rules, state, memory.mask)
        if choose_by_policy is not None:  # settled when compiling
            by_policy = policy.config[0].plays == Plays.ALL
            if by_policy:
                return int(choose_by_policy(rules, state, mover, memory.mask, policy))
        who = who_plays(int(memory.config[0].rollout), sample)
        return int(choose(who, rules, state, mover, noise_word(key, sample, depth), memory))

    @kernel
    def choose_at_root(memory, tree):
        """Choose at the root: by turns with a Gumbel root, else in the tree."""
        search, config = memory.search[0], memory.config[0]
        if config.gumbel != 0:
            return int(memory.order[search.next_index])
        return select(tree, ROOT, memory.order, memory.bonus, int(search.legal), config.explore)

    @kernel
    def descend(rules, root, seat, players, key, sample, memory, tree, policy):
        draw_sample(rules, root, seat, key, sample, memory.state, memory.counters, memory.rng)
        if begin is not None:  # settled when compiling
            begin(policy)
        state, search, to_the_node = memory.state[0], memory.search[0], values(policy)
        before, path_hash, root_action, depth = phase(rules, state), ROOT, -1, 0
        others_by_rollout = plays_as_rollouts(key, sample, memory.config[0].answers)
        while True:
            mover = node(rules, state)
            if mover == OVER:
                end(rules, state, players, memory)
                decisions = depth - 1
                break
            if depth > 0:
                if not to_the_node and is_cut(rules, state, before, depth - 1, memory):
                    leaf(rules, state, seat, players, memory.observation, memory)
                    decisions = depth - 1
                    break
                if tree.keys[find_slot(tree.keys, path_hash)] == 0 or depth == len(tree.path):
                    find_or_add(search, tree, path_hash)
                    if to_the_node:
                        decisions = depth - 1 + play_on(rules, seat, players, before, 0, key, sample, memory, policy)
                    else:
                        before = phase(rules, state)
                        decisions = play_on(rules, seat, players, before, depth - 1, key, sample, memory, policy)
                    break
                before = phase(rules, state)
                if others_by_rollout and mover != seat:
                    action = choose_answer(rules, state, mover, memory, key, sample, depth, policy)
                else:
                    action = choose_at_node(rules, state, mover, memory, tree, policy, path_hash)
            else:
                action = choose_at_root(memory, tree)
                root_action = action
            edge = extend(path_hash, action, AFTER_ACTION)
            tree.path[depth] = find_or_add(search, tree, edge)
            tree.movers[depth] = mover
            depth += 1
            apply(rules, state, action)
            path_hash = pass_chance(rules, state, memory, key, sample, edge)
        back_up(tree, depth, memory.shares)
        return root_action, decisions

    return descend


@cache
def make_grow(
    definition: Definition, heuristic: Heuristic | None, kernels: PolicyKernels | None = None
) -> Callable[..., Any]:
    """Build (not yet compile) the loop that searches one decision by a tree for a while; called as ``make_flat``'s."""
    begin_decision = make_begin_decision(definition, heuristic, kernels)
    descend = make_descend(definition, heuristic, kernels)
    reset = None if kernels is None else kernels.reset

    @kernel
    def begin_tree(rules, root, seat, key, memory, tree, policy):
        """Begin a decision; what was begun by logits keeps them."""
        search, config = memory.search[0], memory.config[0]
        if search.begun == 0:
            begin_decision(rules, root, seat, key, 1.0, memory, policy)
        if config.gumbel == 0:
            if config.prior_kind != Prior.RANKS:
                to_odds(memory.order, memory.log_prior, memory.bonus, int(search.legal))
            search.stages = 1
        tree.keys[:] = 0
        search.used = 0
        search.ends = 0
        search.begun = 2
        search.finished = 1 if search.legal < 2 else 0

    @entry
    def grow_loop(rules, states, lane, seat, players, key, allowance, memory, extra):
        tree, policy = extra
        search, config, root = memory.search[0], memory.config[0], states[lane]
        if reset is not None:  # settled when compiling
            reset(rules[0], root, seat, policy)
        if search.begun < 2:
            begin_tree(rules[0], root, seat, key, memory, tree, policy)
        taken = 0
        while search.finished == 0 and taken < allowance:
            sample = int(search.simulations)
            if config.gumbel != 0:
                sample = int(memory.counts[memory.order[search.next_index]])
            action, decisions = descend(rules[0], root, seat, players, key, sample, memory, tree, policy)
            taken += decisions + 1
            if config.gumbel != 0:
                end_simulation(memory, action, memory.shares[seat], decisions)
                continue
            add_result(memory, action, memory.shares[seat], decisions)
            if search.simulations == config.simulations or search.ends != 0:
                conclude(memory)

    return grow_loop
