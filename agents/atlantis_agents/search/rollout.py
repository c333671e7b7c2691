"""One rollout: an action, luck of its own, and who plays on, up to the horizon.

A policy may play the root seat alone, while others play as ever, or every seat; and a network of afterstates that knows
values may say what a game that was cut is worth. A rollout that plays the root seat better is worth more than one that
plays everybody better (Tesauro & Galperin 1996) where the others are what they are in rollouts. Kernels ask the network
themselves, so nothing waits for NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.features import Features, find_features
from atlantis_agents.heuristics import UNSEEN, Heuristic
from atlantis_agents.networks.compiled import CompiledNetwork, enter, finish, for_kernels, forget, remember
from atlantis_agents.networks.policy import NetworkAgent
from atlantis_agents.random import random_action
from atlantis_agents.search.memory import NO_SCRATCH, Horizon, Leaf, Plays, Rollout
from atlantis_envs.engine.chance import make_chances, noise_word
from atlantis_envs.engine.definition import IDENTICAL, OVER, Definition
from atlantis_envs.engine.records import plain, records
from atlantis_envs.kernels.kernel import kernel

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


class RootPolicy(NamedTuple):
    """A policy for rollouts, with memory for one thread to ask it in."""

    network: CompiledNetwork
    sees_after: NDArray[np.int64]  # (1,), 1: it scores afterstates
    plays: NDArray[np.int64]  # (1,), whom it plays: a Plays
    values: NDArray[np.int64]  # (1,), 1: it says what games that were cut are worth
    state: Any  # array of one state, an afterstate
    observation: NDArray[np.uint8]  # (F,)
    features: NDArray[np.uint8]  # (D,); D = 0 without
    feature_params: Any
    scratch: Any  # array of one record, for the features


class RootKernels(NamedTuple):
    """The kernels of a policy that plays the root seat (not yet compiled).

    Attributes:
        reset: ``(rules, state, seat, root_policy)``; before a decision is searched: what is seen there is remembered,
            since what is seen in rollouts is much like it.
        choose: ``(rules, state, mover, mask, root_policy) -> action``, the policy's first choice.
        value: ``(rules, state, mover, mask, root_policy) -> share``, what the best afterstate is worth to the mover.
    """

    reset: Callable[..., Any]
    choose: Callable[..., Any]
    value: Callable[..., Any]


def features_of(agent: NetworkAgent) -> Features | None:
    """Return the features that a policy sees, if it does."""
    return find_features(agent.game.name) if agent.features else None


def make_root_policy(agent: NetworkAgent, plays: int = Plays.ROOT, values: bool = False) -> RootPolicy:
    """Make the policy with memory of its own."""
    definition, features = agent.game.definition, features_of(agent)
    return RootPolicy(
        network=for_kernels(agent),
        sees_after=np.array([agent.sees_positions], np.int64),
        plays=np.array([plays], np.int64),
        values=np.array([values], np.int64),
        state=plain(records(1, definition.state_dtype)),
        observation=np.zeros(definition.observation.size, np.uint8),
        features=np.zeros(0 if features is None else features.layout.size, np.uint8),
        feature_params=plain(records(1, NO_SCRATCH) if features is None else features.weights),
        scratch=plain(records(1, NO_SCRATCH if features is None else features.scratch_dtype)),
    )


@cache
def make_root_kernels(definition: Definition, features: Features | None) -> RootKernels:
    """Build (not yet compile) the kernels of policies that see these features."""
    apply, observe = definition.apply, definition.observe
    describe = None if features is None else features.describe

    @kernel
    def first_layer(rules, state, mover, policy):
        """Take what the mover sees through the first layer."""
        observe(rules, state, mover, policy.observation)
        if describe is not None:  # settled when compiling
            describe(policy.feature_params[0], policy.scratch[0], policy.observation, policy.features)
        enter(policy.network, policy.observation, policy.features)

    @kernel
    def reset(rules, state, seat, policy):
        forget(policy.network)
        first_layer(rules, state, seat, policy)
        remember(policy.network, policy.observation, policy.features)

    @kernel
    def best_after(rules, state, mover, mask, policy):
        """Return the action with the best afterstate, and its logit."""
        choice, best = -1, -math.inf
        for action in range(len(mask)):
            if mask[action] != 0:
                policy.state[0] = state
                apply(rules, policy.state[0], action)
                first_layer(rules, policy.state[0], mover, policy)
                finish(policy.network)
                if choice < 0 or policy.network.there[0] > best:
                    choice, best = action, policy.network.there[0]
        return choice, best

    @kernel
    def value(rules, state, mover, mask, policy):
        return 1.0 / (1.0 + math.exp(-best_after(rules, state, mover, mask, policy)[1]))

    @kernel
    def choose(rules, state, mover, mask, policy):
        legal, choice = 0, -1
        for action in range(len(mask) - 1, -1, -1):
            if mask[action] != 0:
                legal += 1
                choice = action
        if legal == 1:
            return choice
        if policy.sees_after[0] != 0:
            return best_after(rules, state, mover, mask, policy)[0]
        first_layer(rules, state, mover, policy)
        finish(policy.network)
        logits = policy.network.there
        for action in range(choice + 1, len(mask)):
            if mask[action] != 0 and logits[action] > logits[choice]:
                choice = action
        return choice

    return RootKernels(reset, choose, value)


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
    definition: Definition, heuristic: Heuristic | None, policy_kernels: RootKernels | None = None
) -> Callable[..., Any]:
    """Make the kernel that plays a rollout (not yet compiled), with the kernels of a policy if there is one.

    ``play_on(rules, seat, players, before, decisions, key, sample, memory, root_policy) -> decisions``: from the node
    in ``memory.state``, which is not chance, after so many decisions, to the end or the horizon; what it was worth to
    every seat stands in ``memory.shares`` then. ``before`` is the phase at the decision that led to this node.
    """
    node, legal, apply = definition.node, definition.legal, definition.apply
    play_chance = make_chances(definition).play
    choose, is_cut, phase = make_choose(definition, heuristic), make_is_cut(definition), make_phase(definition)
    leaf, end = make_leaf(definition, heuristic), make_end(definition)
    together = definition.utility == IDENTICAL
    choose_root = None if policy_kernels is None else policy_kernels.choose
    value = None if policy_kernels is None else policy_kernels.value

    @kernel
    def ask_value(rules, state, mover, seat, players, memory, policy):
        """Write what a network says that the game is worth, if it says so and is asked; return whether it does.

        It was fitted to what a seat sees after a choice of its own, so it is asked when the root seat is to choose.
        """
        if value is not None:  # settled when compiling
            asked = policy.values[0] != 0
            if asked:
                legal(rules, state, memory.mask)
                share = value(rules, state, mover, memory.mask, policy)
                for other in range(players):
                    memory.shares[other] = share if together or other == seat else (1.0 - share) / (players - 1)
                return True
        return False

    @kernel
    def goes_on(mover, seat, decisions, policy):
        """Return whether a game that would be cut goes on, since the network is asked at the root seat's choice."""
        if value is not None:  # settled when compiling
            asked = policy.values[0] != 0
            return asked and not (together or mover == seat) and decisions < LONGEST
        return False

    @kernel
    def play_on(rules, seat, players, before, decisions, key, sample, memory, root_policy):
        state = memory.state[0]
        policy = int(memory.config[0].rollout)
        if policy == Rollout.MIXED:
            policy = sample & 1
        while True:
            mover = node(rules, state)
            if mover == OVER:
                end(rules, state, players, memory)
                return decisions
            cut = is_cut(rules, state, before, decisions, memory)
            if cut and not goes_on(mover, seat, decisions, root_policy):
                if not ask_value(rules, state, mover, seat, players, memory, root_policy):
                    leaf(rules, state, seat, players, memory.observation, memory)
                return decisions
            before = phase(rules, state)
            legal(rules, state, memory.mask)
            noise, action = noise_word(key, sample, decisions), -1
            if choose_root is not None:  # settled when compiling
                plays = int(root_policy.plays[0])
                own_turn = plays == Plays.ALL or (plays == Plays.ROOT and (together or mover == seat))
                if own_turn:
                    action = choose_root(rules, state, mover, memory.mask, root_policy)
            if action < 0:
                action = choose(policy, rules, state, mover, noise, memory)
            apply(rules, state, action)
            play_chance(rules, state, memory.counters, memory.weights, key, sample)
            decisions += 1

    return play_on


@cache
def make_simulate(
    definition: Definition, heuristic: Heuristic | None, policy_kernels: RootKernels | None = None
) -> Callable[..., Any]:
    """Build (not yet compile) the kernel of one simulation that begins with an action.

    ``simulate(rules, root, seat, players, action, key, sample, memory, root_policy) -> decisions``, and the win shares
    in ``memory.shares``. Everything random in it is a function of ``key`` and ``sample`` alone, so the same sample
    means the same luck for every action, as far as chance is asked in the same way.
    """
    apply, phase = definition.apply, make_phase(definition)
    play_chance, draw_sample = make_chances(definition).play, make_draw_sample(definition)
    play_on = make_play_on(definition, heuristic, policy_kernels)

    @kernel
    def simulate(rules, root, seat, players, action, key, sample, memory, root_policy):
        draw_sample(rules, root, seat, key, sample, memory.state, memory.counters, memory.rng)
        state = memory.state[0]
        before = phase(rules, state)
        apply(rules, state, action)
        play_chance(rules, state, memory.counters, memory.weights, key, sample)
        return play_on(rules, seat, players, before, 0, key, sample, memory, root_policy)

    return simulate
