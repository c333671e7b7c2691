"""One imagined game: an action, luck of its own, and who plays on, up to the horizon."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.random import random_action
from atlantis_agents.search.memory import Horizon, Leaf, Rollout
from atlantis_envs.engine.chancing import make_chances
from atlantis_envs.engine.definition import IDENTICAL, OVER, Definition
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.philox import noise_word

HIDDEN_PLY = 2**31  # whose random word redraws hidden cards; no game has so many plies


@kernel
def share_of_score(points, seat, players, temperature):
    """The win share that what lies on the table gives a seat: a softmax."""
    best = points[0]
    for other in range(1, players):
        best = max(best, points[other])
    everyone = 0.0
    for other in range(players):
        everyone += math.exp((points[other] - best) / temperature)
    return math.exp((points[seat] - best) / temperature) / everyone


@cache
def make_leaf(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """The kernel that says what a game in play is worth to a seat, as a win share (not yet compiled).

    Leaves that the game does not have are never asked for (see settings); there the score stands in.
    """
    observe, scores, value = definition.observe, definition.scores, definition.value
    opinion = None if heuristic is None else heuristic.value

    @kernel
    def leaf(rules, state, seat, players, orders, knobs, work, observation, pay, points):
        kind = int(orders.leaf)
        if value is not None:  # settled when compiling
            declared = kind == Leaf.VALUE
            if declared:
                value(rules, state, pay)
                return pay[seat]
        if opinion is not None:
            asked = kind == Leaf.HEURISTIC
            if asked:
                observe(rules, state, seat, observation)
                opinion(knobs[0], work, observation, pay)
                return pay[0]
        scores(rules, state, points)
        return share_of_score(points, seat, players, orders.temperature)

    return leaf


@cache
def make_end(definition: Definition) -> Callable[..., Any]:
    """The kernel that says what a game that is over was worth to a seat, as a win share (not yet compiled)."""
    returns = definition.returns
    together = definition.utility == IDENTICAL

    @kernel
    def end(rules, state, seat, players, pay):
        returns(rules, state, pay)
        if together:
            return 0.5 + 0.5 * pay[seat]
        return (1.0 + (players - 1) * pay[seat]) / players

    return end


@cache
def make_simulate(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """Build (not yet compile) the kernel that imagines one game.

    ``simulate(rules, state, seat, players, action, key, number, orders, knobs, table, ...) -> (share, decisions)``: the
    win share of ``seat``. Everything random in it is a function of ``key`` and ``number`` alone, so the same number
    means the same luck for every action, as far as chance is asked in the same way.
    """
    node, legal, apply, observe, resample = (
        definition.node,
        definition.legal,
        definition.apply,
        definition.observe,
        definition.resample,
    )
    play_chance = make_chances(definition).play
    leaf, end = make_leaf(definition, heuristic), make_end(definition)
    phase = definition.phase
    if phase is None:

        @kernel
        def phase(rules, state):
            return 0

    if heuristic is None:

        @kernel
        def choose(policy, rules, state, mover, knobs, work, observation, mask, noise):
            return random_action(knobs, work, observation, mask, noise)

    else:
        decide = heuristic.decide

        @kernel
        def choose(policy, rules, state, mover, knobs, work, observation, mask, noise):
            if policy == Rollout.RANDOM:
                return random_action(knobs, work, observation, mask, noise)
            observe(rules, state, mover, observation)
            return decide(knobs[policy], work, observation, mask, noise)

    @kernel
    def simulate(
        rules, state, seat, players, action, key, number, orders, knobs,
        table, counters, weights, observation, mask, pay, points, rng, work,
    ):  # fmt: skip
        table[0] = state
        place = table[0]
        rng[0] = noise_word(key, number, HIDDEN_PLY)
        rng[1] = 0
        resample(rules, place, seat, rng)
        for stream in range(len(counters)):
            counters[stream] = 0
        began = phase(rules, place)
        apply(rules, place, action)
        play_chance(rules, place, counters, weights, key, number)
        policy = int(orders.rollout)
        if policy == Rollout.MIXED:
            policy = number & 1
        horizon, limit = int(orders.horizon), int(orders.limit)
        decisions = 0
        while True:
            mover = node(rules, place)
            if mover == OVER:
                return end(rules, place, seat, players, pay), decisions
            if (horizon == Horizon.DECISIONS and decisions >= limit) or (
                horizon == Horizon.ROUND and phase(rules, place) != began
            ):
                return leaf(rules, place, seat, players, orders, knobs, work, observation, pay, points), decisions
            legal(rules, place, mask)
            noise = noise_word(key, number, decisions)
            apply(rules, place, choose(policy, rules, place, mover, knobs, work, observation, mask, noise))
            play_chance(rules, place, counters, weights, key, number)
            decisions += 1

    return simulate
