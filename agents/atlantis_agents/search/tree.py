"""Tree search: PUCT (Rosin 2011; Silver et al. 2017) with explicit chance, what is hidden redrawn per simulation.

A node is where somebody decides after the same actions and the same outcomes of chance since the root; its children are
kept by action. So whoever decides after a die knows what it showed, and the mean over simulations, drawn by the game's
own weights, is the expectation. Of hidden cards nothing enters a node: who decides there does not see them either, and
only what is legal this time is chosen from (Cowling, Powley & Whitehouse 2012). There is one table for nodes and edges,
a slot each, found by a 64-bit fingerprint of the way there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.halving import order_actions
from atlantis_agents.search.opinion import make_begin_decision, make_favour
from atlantis_agents.search.rollout import make_end, make_is_cut, make_lay_out, make_leaf, make_phase, make_play_on
from atlantis_envs.engine.chancing import make_chances
from atlantis_envs.engine.definition import CHANCE, OVER, Definition
from atlantis_envs.engine.kernel import entry, kernel
from atlantis_envs.engine.philox import noise_word

ROOT = np.uint64(1)
ODD = np.uint64(1)  # no fingerprint is 0: that is an empty slot
AFTER_ACTION, AFTER_OUTCOME, AT_NODE = 2**31 + 1, 2**31 + 2, 2**31 + 3  # in place of a ply: no game has so many
FULL = 0.75  # of the table; then nothing is added, and what is there is still improved


@kernel
def onward(way, number, kind):
    """The fingerprint of a way that goes on."""
    return noise_word(way, number, kind) | ODD


@kernel
def find_slot(keys, way):
    """Where a fingerprint stands, or the empty slot where it would."""
    last = len(keys) - 1
    slot = np.int64(way & np.uint64(last))
    while keys[slot] != 0 and keys[slot] != way:
        slot = (slot + 1) & last
    return slot


@kernel
def find_or_add(study, keys, visits, totals, way):
    """Where a fingerprint stands, newly if need be; -1 if the table is full."""
    slot = find_slot(keys, way)
    if keys[slot] == 0:
        if study.used >= FULL * len(keys):
            return -1
        study.used += 1
        keys[slot] = way
        visits[slot] = 0
        totals[slot] = 0.0
    return slot


@kernel
def select(keys, visits, totals, way, order, bonus, count, explore):
    """The action of the highest mean plus a bonus for what the heuristic likes and what was seldom tried (PUCT).

    An action not yet tried counts as good as the mean of the others.
    """
    number, total, priors = 0, 0.0, 0.0
    for place in range(count):
        slot = find_slot(keys, onward(way, order[place], AFTER_ACTION))
        priors += bonus[order[place]]
        if keys[slot] != 0:
            number += visits[slot]
            total += totals[slot]
    usual = total / number if number > 0 else 0.0
    reach = explore * math.sqrt(1.0 + number) / priors
    choice, best = int(order[0]), -1.0
    for place in range(count):
        action = int(order[place])
        slot = find_slot(keys, onward(way, action, AFTER_ACTION))
        tried = visits[slot] if keys[slot] != 0 else 0
        mean = totals[slot] / tried if tried > 0 else usual
        own = mean + reach * bonus[action] / (1.0 + tried)
        if own > best:
            choice, best = action, own
    return choice


@kernel
def back_up(visits, totals, path, movers, depth, shares):
    """Tell every edge of the way what it was worth to who chose it."""
    for step in range(depth):
        if path[step] >= 0:
            visits[path[step]] += 1
            totals[path[step]] += shares[movers[step]]


@kernel
def is_clear(action, favourite, gate, counts, sums, squares):
    """The action beats the favourite by more than ``gate`` standard errors of the difference of two means."""
    if counts[action] < 2 or counts[favourite] < 2:
        return False
    variance = 0.0
    for one in (action, favourite):
        mean = sums[one] / counts[one]
        variance += max(0.0, squares[one] / counts[one] - mean * mean) / (counts[one] - 1)
    return sums[action] / counts[action] - sums[favourite] / counts[favourite] > gate * math.sqrt(variance)


@kernel
def conclude(study, orders, order, counts, sums, squares):
    """Choose what was tried most, the better mean among equals."""
    best = int(order[0])
    for place in range(1, int(study.legal)):
        action = int(order[place])
        if counts[action] > counts[best] or (counts[action] == counts[best] and sums[action] > sums[best]):
            best = action
    study.finished = 1
    study.choice = best
    if orders.gate > 0.0 and not is_clear(best, int(study.favourite), orders.gate, counts, sums, squares):
        study.choice = study.favourite


@cache
def make_descend(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """The kernel of one simulation (not yet compiled): ``descend(...) -> (action at the root, decisions after it)``."""
    node, legal, apply, observe = definition.node, definition.legal, definition.apply, definition.observe
    draw, lay_out, phase = make_chances(definition).draw, make_lay_out(definition), make_phase(definition)
    leaf, end, is_cut = make_leaf(definition, heuristic), make_end(definition), make_is_cut(definition)
    play_on, favour = make_play_on(definition, heuristic), make_favour(heuristic)

    @kernel
    def pass_chance(rules, place, counters, weights, key, number, way):
        """Play chance until somebody decides; the way to there."""
        while node(rules, place) == CHANCE:
            outcome = draw(rules, place, counters, weights, key, number)
            apply(rules, place, outcome)
            way = onward(way, outcome, AFTER_OUTCOME)
        return onward(way, 0, AT_NODE)

    @kernel
    def descend(
        rules, state, seat, players, key, number, orders, knobs, study, order, bonus,
        table, counters, weights, observation, mask, pay, points, rng, work, shares, own,
        keys, visits, totals, path, movers, node_order, node_scores, node_bonus,
    ):  # fmt: skip
        lay_out(rules, state, seat, key, number, table, counters, rng)
        place = table[0]
        before, way, root_action, depth = phase(rules, place), ROOT, -1, 0
        while True:
            mover = node(rules, place)
            if mover == OVER:
                end(rules, place, players, orders, pay, points, shares)
                decisions = depth - 1
                break
            if depth > 0:
                if is_cut(rules, place, before, depth - 1, orders):
                    leaf(rules, place, seat, players, orders, knobs, work, observation, pay, points, shares)
                    decisions = depth - 1
                    break
                before = phase(rules, place)
                if keys[find_slot(keys, way)] == 0 or depth == len(path):
                    find_or_add(study, keys, visits, totals, way)
                    decisions = play_on(
                        rules, place, seat, players, before, depth - 1, key, number, orders, knobs,
                        counters, weights, observation, mask, pay, points, work, shares, own,
                    )  # fmt: skip
                    break
                legal(rules, place, mask)
                observe(rules, place, mover, observation)
                favourite = favour(knobs, work, observation, mask, way, node_scores)
                count = order_actions(favourite, node_order, node_scores, node_bonus, mask, 1.0)
                action = select(keys, visits, totals, way, node_order, node_bonus, count, orders.explore)
            else:
                action = select(keys, visits, totals, way, order, bonus, int(study.legal), orders.explore)
                root_action = action
            edge = onward(way, action, AFTER_ACTION)
            path[depth] = find_or_add(study, keys, visits, totals, edge)
            movers[depth] = mover
            depth += 1
            apply(rules, place, action)
            way = pass_chance(rules, place, counters, weights, key, number, edge)
        back_up(visits, totals, path, movers, depth, shares)
        return root_action, decisions

    return descend


@cache
def make_grow(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """Build (not yet compile) the loop that searches one decision by a tree for a while; called as ``make_think``'s."""
    begin_decision, descend = make_begin_decision(definition, heuristic), make_descend(definition, heuristic)

    @entry
    def grow_loop(
        rules, states, lane, seat, players, key, allowance, all_orders, knobs,
        studies, order, counts, sums, squares, latest, gains, gain_squares, scores, bonus, root_mask,
        table, counters, weights, observation, mask, pay, points, rng, work, shares, own,
        keys, visits, totals, path, movers, node_order, node_scores, node_bonus,
    ):  # fmt: skip
        study, orders, state = studies[0], all_orders[0], states[lane]
        if study.begun == 0:
            begin_decision(
                rules[0], state, seat, key, 1.0, knobs, study, order, counts, sums, squares, gains, gain_squares,
                scores, bonus, root_mask, observation, work,
            )  # fmt: skip
            keys[:] = 0
            study.used = 0
            study.rounds = 1
            study.hurry = 0
            if study.legal < 2:
                study.finished = 1
        taken = 0
        while study.finished == 0 and taken < allowance:
            action, decisions = descend(
                rules[0], state, seat, players, key, int(study.simulations), orders, knobs, study, order, bonus,
                table, counters, weights, observation, mask, pay, points, rng, work, shares, own,
                keys, visits, totals, path, movers, node_order, node_scores, node_bonus,
            )  # fmt: skip
            taken += decisions + 1
            counts[action] += 1
            sums[action] += shares[seat]
            squares[action] += shares[seat] * shares[seat]
            study.simulations += 1
            study.decisions += decisions
            if study.simulations == orders.simulations or study.hurry != 0:
                conclude(study, orders, order, counts, sums, squares)

    return grow_loop
