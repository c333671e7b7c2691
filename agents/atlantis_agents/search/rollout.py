"""One imagined game: an action, luck of its own, and who plays on, up to the horizon."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from atlantis_agents.heuristics import UNSEEN, Heuristic
from atlantis_agents.random import random_action
from atlantis_agents.search.memory import Horizon, Leaf, Rollout
from atlantis_envs.engine.chancing import make_chances
from atlantis_envs.engine.definition import IDENTICAL, OVER, Definition
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.philox import noise_word

LIGHT_SHIFT = np.uint64(62)  # the two highest bits of a random word: a light rollout thinks in one case of four
LONGEST = 10_000  # decisions: rounds could take more (docs/rules/atlantis_rising.md, 19), no search may
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
    """The kernel that says what a game in play is worth to every seat, as win shares (not yet compiled).

    Leaves that the game does not have are never asked for (see settings); there the score stands in.
    """
    observe, scores, value = definition.observe, definition.scores, definition.value
    opinion = None if heuristic is None else heuristic.value

    @kernel
    def leaf(rules, state, seat, players, orders, knobs, work, observation, pay, points, shares):
        kind = int(orders.leaf)
        if value is not None:  # settled when compiling
            declared = kind == Leaf.VALUE
            if declared:
                value(rules, state, pay)
                for other in range(players):
                    shares[other] = pay[other]
                return
        if opinion is not None:
            asked = kind == Leaf.HEURISTIC
            if asked:
                observe(rules, state, seat, observation)
                opinion(knobs[0], work, observation, pay)
                for ahead in range(players):
                    shares[(seat + ahead) % players] = pay[ahead]
                return
        scores(rules, state, points)
        for other in range(players):
            shares[other] = share_of_score(points, other, players, orders.temperature)

    return leaf


@cache
def make_end(definition: Definition) -> Callable[..., Any]:
    """The kernel that says what a game that is over was worth to every seat, as win shares (not yet compiled).

    With ``margin`` a part of it is what the final scores would give: a game that is nearly won counts for more than one
    that is lost clearly, which says more than won or lost where games are few.
    """
    returns, scores = definition.returns, definition.scores
    together = definition.utility == IDENTICAL

    @kernel
    def end(rules, state, players, orders, pay, points, shares):
        returns(rules, state, pay)
        for seat in range(players):
            if together:
                shares[seat] = 0.5 + 0.5 * pay[seat]
            else:
                shares[seat] = (1.0 + (players - 1) * pay[seat]) / players
        if orders.margin > 0.0:
            scores(rules, state, points)
            for seat in range(players):
                close = share_of_score(points, seat, players, orders.temperature)
                shares[seat] += orders.margin * (close - shares[seat])

    return end


@cache
def make_choose(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """The kernel of who plays imagined games on (not yet compiled): ``(policy, rules, ...) -> action``."""
    observe = definition.observe
    if heuristic is None:

        @kernel
        def choose(policy, rules, state, mover, knobs, work, observation, mask, noise):
            return random_action(knobs, work, observation, mask, noise)

        return choose
    decide, glance = heuristic.decide, heuristic.glance
    think: Any = heuristic.think

    @kernel
    def choose_well(policy, rules, state, mover, knobs, work, observation, mask, noise):
        if policy == Rollout.RANDOM or (policy == Rollout.LIGHT and noise >> LIGHT_SHIFT != 0):
            return random_action(knobs, work, observation, mask, noise)
        weights = 0 if policy == Rollout.LIGHT else policy
        if glance is not None:  # settled when compiling
            action = glance(rules, state, work, mask, noise)
            if action == UNSEEN:
                observe(rules, state, mover, observation)
                action = think(knobs[weights], work, observation, mask, noise)
            return action
        observe(rules, state, mover, observation)
        return decide(knobs[weights], work, observation, mask, noise)

    return choose_well


@cache
def make_phase(definition: Definition) -> Callable[..., Any]:
    """The game's ``phase``, or one that never changes."""
    if definition.phase is not None:
        return definition.phase

    @kernel
    def phase(rules, state):
        return 0

    return phase


@cache
def make_lay_out(definition: Definition) -> Callable[..., Any]:
    """The kernel that lays out imagined game ``number`` on the table, hidden cards redrawn (not yet compiled)."""
    resample = definition.resample

    @kernel
    def lay_out(rules, state, seat, key, number, table, counters, rng):
        table[0] = state
        rng[0] = noise_word(key, number, HIDDEN_PLY)
        rng[1] = 0
        resample(rules, table[0], seat, rng)
        for stream in range(len(counters)):
            counters[stream] = 0

    return lay_out


@cache
def make_is_cut(definition: Definition) -> Callable[..., Any]:
    """The kernel that says whether a game is cut here (not yet compiled); ``before``: the phase one decision ago."""
    phase = make_phase(definition)

    @kernel
    def is_cut(rules, place, before, decisions, orders):
        if decisions >= LONGEST:
            return True
        horizon = int(orders.horizon)
        if horizon == Horizon.END or decisions < orders.limit:
            return False
        return horizon == Horizon.DECISIONS or phase(rules, place) != before

    return is_cut


@cache
def make_play_on(
    definition: Definition, heuristic: Heuristic | None, choose_own: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """The kernel that plays an imagined game on (not yet compiled); ``choose_own`` for the seat to decide, or its team.

    ``play_on(rules, place, seat, players, before, decisions, key, number, orders, knobs, ..., own) -> decisions``:
    from a node that is not chance, after so many decisions, to the end or the horizon; what it was worth to every seat
    stands in ``shares`` then. ``before`` is the phase at the decision that led to this node.
    """
    node, legal, apply = definition.node, definition.legal, definition.apply
    play_chance = make_chances(definition).play
    choose, is_cut, phase = make_choose(definition, heuristic), make_is_cut(definition), make_phase(definition)
    leaf, end = make_leaf(definition, heuristic), make_end(definition)
    together = definition.utility == IDENTICAL

    @kernel
    def play_on(
        rules, place, seat, players, before, decisions, key, number, orders, knobs,
        counters, weights, observation, mask, pay, points, work, shares, own,
    ):  # fmt: skip
        policy = int(orders.rollout)
        if policy == Rollout.MIXED:
            policy = number & 1
        while True:
            mover = node(rules, place)
            if mover == OVER:
                end(rules, place, players, orders, pay, points, shares)
                return decisions
            if is_cut(rules, place, before, decisions, orders):
                leaf(rules, place, seat, players, orders, knobs, work, observation, pay, points, shares)
                return decisions
            before = phase(rules, place)
            legal(rules, place, mask)
            noise, action = noise_word(key, number, decisions), -1
            if choose_own is not None:  # settled when compiling
                own_turn = together or mover == seat
                if own_turn:
                    action = choose_own(rules, place, mover, mask, own)
            if action < 0:
                action = choose(policy, rules, place, mover, knobs, work, observation, mask, noise)
            apply(rules, place, action)
            play_chance(rules, place, counters, weights, key, number)
            decisions += 1

    return play_on


@cache
def make_simulate(
    definition: Definition, heuristic: Heuristic | None, choose_own: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Build (not yet compile) the kernel that imagines one game.

    ``simulate(rules, state, seat, players, action, key, number, orders, knobs, table, ...) -> decisions``, and the win
    shares in ``shares``. Everything random in it is a function of ``key`` and ``number`` alone, so the same number
    means the same luck for every action, as far as chance is asked in the same way.
    """
    apply, phase = definition.apply, make_phase(definition)
    play_chance, lay_out = make_chances(definition).play, make_lay_out(definition)
    play_on = make_play_on(definition, heuristic, choose_own)

    @kernel
    def simulate(
        rules, state, seat, players, action, key, number, orders, knobs,
        table, counters, weights, observation, mask, pay, points, rng, work, shares, own,
    ):  # fmt: skip
        lay_out(rules, state, seat, key, number, table, counters, rng)
        place = table[0]
        before = phase(rules, place)
        apply(rules, place, action)
        play_chance(rules, place, counters, weights, key, number)
        return play_on(
            rules, place, seat, players, before, 0, key, number, orders, knobs,
            counters, weights, observation, mask, pay, points, work, shares, own,
        )  # fmt: skip

    return simulate
