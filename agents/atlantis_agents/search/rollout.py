"""One rollout: an action, luck of its own, and who plays on, up to the horizon.

A policy may play the root seat alone, while others play as ever, or every seat; and one that knows values may say what
a game that was cut is worth. A rollout that plays the root seat better is worth more than one that
plays everybody better (Tesauro & Galperin 1996) where the others are what they are in rollouts. Kernels ask the network
themselves, so nothing waits for NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from atlantis_agents.heuristics import UNSEEN, Heuristic
from atlantis_agents.random import random_action
from atlantis_agents.search.memory import Horizon, Leaf, Plays, Rollout
from atlantis_agents.search.policy import WIN_SHARE, PolicyKernels
from atlantis_envs.engine.chance import make_chances, noise_word
from atlantis_envs.engine.definition import IDENTICAL, OVER, Definition
from atlantis_envs.kernels.kernel import entry, kernel

LIGHT_SHIFT = np.uint64(62)  # the two highest bits of a random word: a light rollout thinks in one case of four
LONGEST = 10_000  # decisions: rounds could take more (docs/rules/atlantis_rising.md, 19), no search may
HIDDEN_PLY = 2**31  # whose random word redraws hidden cards; no game has so many plies

# ----------------------------------------------------------------------------------------------------- what it is worth


@kernel
def share_of_score(points, seat, players, temperature):
    """Return the win share that scores give a seat: a softmax."""
    best = points[0]
    for other in range(1, players):
        best = max(best, points[other])
    everyone = 0.0
    for other in range(players):
        everyone += math.exp((points[other] - best) / temperature)
    return math.exp((points[seat] - best) / temperature) / everyone


@cache
def make_leaf(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """Make the kernel that values a game in play for every seat, as win shares (not yet compiled).

    Leaves that the game does not have are never asked for (see settings); there the score stands in.
    """
    observe, scores, value = definition.observe, definition.scores, definition.value
    heuristic_value = None if heuristic is None else heuristic.value

    @kernel
    def leaf(rules, state, seat, players, observation, memory):
        config, shares = memory.config[0], memory.shares
        kind = int(config.leaf)
        if value is not None:  # settled when compiling
            declared = kind == Leaf.VALUE
            if declared:
                value(rules, state, memory.values)
                for other in range(players):
                    shares[other] = memory.values[other]
                return
        if heuristic_value is not None:
            asked = kind == Leaf.HEURISTIC
            if asked:
                observe(rules, state, seat, observation)
                heuristic_value(memory.params[0], memory.scratch, observation, memory.values)
                for ahead in range(players):
                    shares[(seat + ahead) % players] = memory.values[ahead]
                return
        scores(rules, state, memory.points)
        for other in range(players):
            shares[other] = share_of_score(memory.points, other, players, config.temperature)

    return leaf


@cache
def make_leaf_values(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """Build (not yet compile) the entry that values N positions for every seat, into ``out``, float64 (N, P)."""
    leaf = make_leaf(definition, heuristic)

    @entry
    def leaf_values_loop(rules, states, seats, memory, out):
        players = out.shape[1]
        for row in range(len(out)):
            leaf(rules[0], states[row], seats[row], players, memory.observation, memory)
            for seat in range(players):
                out[row, seat] = memory.shares[seat]

    return leaf_values_loop


@cache
def make_end(definition: Definition) -> Callable[..., Any]:
    """Make the kernel that writes what a game that is over was worth to every seat, as win shares (not yet compiled).

    With ``margin`` a part of it is what the final scores would give: a game that is nearly won counts for more than one
    that is lost clearly, which says more than won or lost where games are few.
    """
    returns, scores = definition.returns, definition.scores
    together = definition.utility == IDENTICAL

    @kernel
    def end(rules, state, players, memory):
        config, shares = memory.config[0], memory.shares
        returns(rules, state, memory.values)
        for seat in range(players):
            if together:
                shares[seat] = 0.5 + 0.5 * memory.values[seat]
            else:
                shares[seat] = (1.0 + (players - 1) * memory.values[seat]) / players
        if config.margin > 0.0:
            scores(rules, state, memory.points)
            for seat in range(players):
                close = share_of_score(memory.points, seat, players, config.temperature)
                shares[seat] += config.margin * (close - shares[seat])

    return end


# --------------------------------------------------------------------------------------------------------- who plays on


@kernel
def who_plays(rollout, sample):
    """Return who plays this simulation; MIXED: heuristic and planner in turn."""
    if rollout == Rollout.MIXED:
        return int(sample & 1)
    return rollout


@cache
def make_choose(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """Make the kernel of who plays rollouts (not yet compiled): ``(policy, rules, ...) -> action``."""
    observe = definition.observe
    if heuristic is None:

        @kernel
        def choose(policy, rules, state, mover, noise, memory):
            return random_action(memory.params, memory.scratch, memory.observation, memory.mask, noise)

        return choose
    decide, fast_decide = heuristic.decide, heuristic.fast_decide
    decide_rest: Any = heuristic.decide_rest

    @kernel
    def choose_well(policy, rules, state, mover, noise, memory):
        params, scratch, observation, mask = memory.params, memory.scratch, memory.observation, memory.mask
        if policy == Rollout.RANDOM or (policy == Rollout.LIGHT and noise >> LIGHT_SHIFT != 0):
            return random_action(params, scratch, observation, mask, noise)
        index = 0 if policy == Rollout.LIGHT else policy
        if fast_decide is not None:  # settled when compiling
            action = fast_decide(rules, state, scratch, mask, noise)
            if action == UNSEEN:
                observe(rules, state, mover, observation)
                action = decide_rest(params[index], scratch, observation, mask, noise)
            return action
        observe(rules, state, mover, observation)
        return decide(params[index], scratch, observation, mask, noise)

    return choose_well


# ---------------------------------------------------------------------------------------------------------- one rollout


@cache
def make_phase(definition: Definition) -> Callable[..., Any]:
    """Return the game's ``phase``, or one that never changes."""
    if definition.phase is not None:
        return definition.phase

    @kernel
    def phase(rules, state):
        return 0

    return phase


@cache
def make_draw_sample(definition: Definition) -> Callable[..., Any]:
    """Make the kernel that writes sample number ``sample`` of the root to ``states[0]`` (not yet compiled).

    What ``seat`` cannot know is redrawn, and no outcome of chance has been drawn yet.
    """
    resample = definition.resample

    @kernel
    def draw_sample(rules, root, seat, key, sample, states, counters, rng):
        states[0] = root
        rng[0] = noise_word(key, sample, HIDDEN_PLY)
        rng[1] = 0
        resample(rules, states[0], seat, rng)
        for stream in range(len(counters)):
            counters[stream] = 0

    return draw_sample


@cache
def make_is_cut(definition: Definition) -> Callable[..., Any]:
    """Make the kernel that says whether a game is cut here (not yet compiled); ``before``: the phase a decision ago."""
    phase = make_phase(definition)

    @kernel
    def is_cut(rules, state, before, decisions, memory):
        config = memory.config[0]
        if decisions >= LONGEST:
            return True
        horizon = int(config.horizon)
        if horizon == Horizon.END or decisions < config.limit:
            return False
        return horizon == Horizon.DECISIONS or phase(rules, state) != before

    return is_cut


@cache
def make_play_on(
    definition: Definition, heuristic: Heuristic | None, kernels: PolicyKernels | None = None
) -> Callable[..., Any]:
    """Make the kernel that plays a rollout (not yet compiled), with the kernels of a policy if there is one.

    ``play_on(rules, seat, players, before, decisions, key, sample, memory, policy) -> decisions``: from the node
    in ``memory.state``, which is not chance, after so many decisions, to the end or the horizon; what it was worth to
    every seat stands in ``memory.shares`` then. ``before`` is the phase at the decision that led to this node.
    """
    node, legal, apply = definition.node, definition.legal, definition.apply
    play_chance = make_chances(definition).play
    choose, is_cut, phase = make_choose(definition, heuristic), make_is_cut(definition), make_phase(definition)
    leaf, end = make_leaf(definition, heuristic), make_end(definition)
    together = definition.utility == IDENTICAL
    choose_by_policy = None if kernels is None else kernels.choose
    value = None if kernels is None else kernels.value

    @kernel
    def ask_value(rules, state, mover, players, memory, policy):
        """Write what a network says that the game is worth, if it is asked; return whether it is."""
        if value is not None:  # settled when compiling
            asked = policy.config[0].values != 0
            if asked:
                legal(rules, state, memory.mask)
                value(rules, state, mover, memory.mask, players, policy, memory.shares)
                return True
        return False

    @kernel
    def goes_on(mover, seat, decisions, policy):
        """Return whether a game that would be cut goes on.

        A network that knows one share was fitted to what a seat sees after a choice of its own, so a flat search asks
        it when the root seat is to choose.
        """
        if value is not None:  # settled when compiling
            config, known = policy.config[0], policy.valuer.config[0].value
            waits = config.values != 0 and known == WIN_SHARE and config.tree == 0
            return waits and not (together or mover == seat) and decisions < LONGEST
        return False

    @kernel
    def play_on(rules, seat, players, before, decisions, key, sample, memory, policy):
        state = memory.state[0]
        who = who_plays(int(memory.config[0].rollout), sample)
        while True:
            mover = node(rules, state)
            if mover == OVER:
                end(rules, state, players, memory)
                return decisions
            cut = is_cut(rules, state, before, decisions, memory)
            if cut and not goes_on(mover, seat, decisions, policy):
                if not ask_value(rules, state, mover, players, memory, policy):
                    leaf(rules, state, seat, players, memory.observation, memory)
                return decisions
            before = phase(rules, state)
            legal(rules, state, memory.mask)
            noise, action = noise_word(key, sample, decisions), -1
            if choose_by_policy is not None:  # settled when compiling
                plays = int(policy.config[0].plays)
                own_turn = plays == Plays.ALL or (plays == Plays.ROOT and (together or mover == seat))
                if own_turn:
                    action = choose_by_policy(rules, state, mover, memory.mask, policy)
            if action < 0:
                action = choose(who, rules, state, mover, noise, memory)
            apply(rules, state, action)
            play_chance(rules, state, memory.counters, memory.weights, key, sample)
            decisions += 1

    return play_on


@cache
def make_simulate(
    definition: Definition, heuristic: Heuristic | None, kernels: PolicyKernels | None = None
) -> Callable[..., Any]:
    """Build (not yet compile) the kernel of one simulation that begins with an action.

    ``simulate(rules, root, seat, players, action, key, sample, memory, policy) -> decisions``, and the win shares in
    ``memory.shares``. Everything random in it is a function of ``key`` and ``sample`` alone, so the same sample
    means the same luck for every action, as far as chance is asked in the same way.
    """
    apply, phase = definition.apply, make_phase(definition)
    play_chance, draw_sample = make_chances(definition).play, make_draw_sample(definition)
    play_on = make_play_on(definition, heuristic, kernels)
    begin = None if kernels is None else kernels.begin

    @kernel
    def simulate(rules, root, seat, players, action, key, sample, memory, policy):
        if begin is not None:  # settled when compiling
            begin(policy)
        draw_sample(rules, root, seat, key, sample, memory.state, memory.counters, memory.rng)
        state = memory.state[0]
        before = phase(rules, state)
        apply(rules, state, action)
        play_chance(rules, state, memory.counters, memory.weights, key, sample)
        return play_on(rules, seat, players, before, 0, key, sample, memory, policy)

    return simulate
