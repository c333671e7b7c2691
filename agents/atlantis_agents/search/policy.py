"""A policy that kernels of a search ask themselves: it ranks actions, plays seats in rollouts and values positions.

One policy may do all of it; nothing waits for NumPy. What the first layer makes of the position to be decided is kept:
every simulation goes back to it, and from there on a row costs only where it differs from the one before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.features import Features
from atlantis_agents.networks.compiled import CompiledNetwork, enter, finish, for_kernels, forget, go_back, keep, output
from atlantis_agents.networks.policy import GAIN_SHARPNESS, SEAT_SHARES, VALUES, NetworkAgent
from atlantis_agents.search.memory import NO_SCRATCH, Plays, Prior
from atlantis_envs.engine.definition import IDENTICAL, Definition
from atlantis_envs.engine.records import packed, plain, records
from atlantis_envs.kernels.kernel import kernel

NOTHING, WIN_SHARE, SEATS = range(len(VALUES))  # what a policy knows of values
SHARP = float(GAIN_SHARPNESS)
POLICY_CONFIG = packed(
    [
        ("sees_after", np.int64),  # 1: it scores afterstates
        ("value", np.int64),  # NOTHING, WIN_SHARE or SEATS
        ("potential", np.float64),  # above 0: what a unit of the game's potential adds to its output
        ("first_share", np.int64),  # the output that tells the mover's share, the others' behind it
        ("plays", np.int64),  # whom it plays: a Plays
        ("values", np.int64),  # 1: it says what games that were cut are worth
        ("ranks", np.int64),  # 1: it ranks the actions of a decision
        ("tree", np.int64),  # 1: it is asked in a tree, at every seat's choice
    ]
)


class SearchPolicy(NamedTuple):
    """A policy, with memory for one thread to ask it in."""

    network: CompiledNetwork
    config: Any  # array of one POLICY_CONFIG
    state: Any  # array of one state, an afterstate
    observation: NDArray[np.uint8]  # (F,)
    features: NDArray[np.uint8]  # (D,); D = 0 without
    feature_params: Any
    scratch: Any  # array of one record, for the features
    outputs: NDArray[np.float32]  # (O,), those that were asked for: of the best afterstate all


class PolicyKernels(NamedTuple):
    """The kernels of a policy in a search (not yet compiled); ``mask``: what is legal to the mover.

    Attributes:
        reset: ``(rules, state, seat, policy)``; before a decision is searched: what is seen there is kept.
        begin: ``(policy)``; before a simulation: back to what was kept.
        choose: ``(rules, state, mover, mask, policy) -> action``, the policy's first choice.
        rank: ``(rules, state, mover, mask, policy, scores)``; writes the logit of every legal action.
        value: ``(rules, state, mover, mask, players, policy, shares)``; writes what every seat may expect.
    """

    reset: Callable[..., Any]
    begin: Callable[..., Any]
    choose: Callable[..., Any]
    rank: Callable[..., Any]
    value: Callable[..., Any]


def prior_of(agent: NetworkAgent) -> Prior:
    """Return what the scores of an agent are where they are to be log odds."""
    return Prior.VALUES if agent.value and agent.value != SEAT_SHARES else Prior.LOGITS


def make_search_policy(
    agent: NetworkAgent, plays: int = Plays.NOBODY, values: bool = False, ranks: bool = False, tree: bool = False
) -> SearchPolicy:
    """Make the policy with memory of its own."""
    definition, features = agent.game.definition, agent.features
    config = records(1, POLICY_CONFIG)
    config.sees_after, config.value = agent.sees_positions, VALUES.index(agent.value)
    config.potential = agent.potential
    config.first_share = 1 if agent.sees_positions else agent.game.num_actions
    config.plays, config.values, config.ranks, config.tree = plays, values, ranks, tree
    network = for_kernels(agent)
    return SearchPolicy(
        network=network,
        config=plain(config),
        state=plain(records(1, definition.state_dtype)),
        observation=np.zeros(definition.observation.size, np.uint8),
        features=np.zeros(0 if features is None else features.layout.size, np.uint8),
        feature_params=plain(records(1, NO_SCRATCH) if features is None else features.weights),
        scratch=plain(records(1, NO_SCRATCH if features is None else features.scratch_dtype)),
        outputs=np.zeros(network.sizes[-1], np.float32),
    )


@kernel
def sigmoid(logit):
    """Return the share that a logit tells."""
    return 1.0 / (1.0 + math.exp(-min(500.0, max(-500.0, logit))))


@kernel
def soften(outputs, first, mover, players, shares):
    """Write the softmax of the outputs of the seats at the table, the mover's first, by seat."""
    best, total = outputs[first], 0.0
    for ahead in range(1, players):
        best = max(best, outputs[first + ahead])
    for ahead in range(players):
        total += math.exp(outputs[first + ahead] - best)
    for ahead in range(players):
        shares[(mover + ahead) % players] = math.exp(outputs[first + ahead] - best) / total


@cache
def make_policy_kernels(definition: Definition, features: Features | None) -> PolicyKernels:
    """Build (not yet compile) the kernels of policies that see these features."""
    apply, observe = definition.apply, definition.observe
    has_potential, potential = definition.potential is not None, cast("Callable[..., Any]", definition.potential)
    describe = None if features is None else features.describe
    together = definition.utility == IDENTICAL

    @kernel
    def first_layer(rules, state, seat, policy):
        """Take what a seat sees through the first layer."""
        observe(rules, state, seat, policy.observation)
        if describe is not None:  # settled when compiling
            describe(policy.feature_params, policy.scratch[0], policy.observation, policy.features)
        enter(policy.network, policy.observation, policy.features)

    @kernel
    def reset(rules, state, seat, policy):
        forget(policy.network)
        first_layer(rules, state, seat, policy)
        keep(policy.network)

    @kernel
    def begin(policy):
        go_back(policy.network)

    @kernel
    def see_after(rules, state, mover, action, policy):
        """Take the afterstate of an action through the network; return by what it is compared."""
        policy.state[0] = state
        apply(rules, policy.state[0], action)
        first_layer(rules, policy.state[0], mover, policy)
        finish(policy.network)
        logit = float(output(policy.network, 0))
        if has_potential:  # settled when compiling
            weight = policy.config[0].potential
            if weight > 0.0:
                return SHARP * (logit + weight * potential(rules, policy.state[0]))
        return logit

    @kernel
    def best_after(rules, state, mover, mask, policy):
        """Return the action with the best afterstate; its outputs stand in ``policy.outputs``."""
        choice, best = -1, -math.inf
        for action in range(len(mask)):
            if mask[action] != 0:
                logit = see_after(rules, state, mover, action, policy)
                if choice < 0 or logit > best:
                    choice, best = action, logit
                    for index in range(len(policy.outputs)):
                        policy.outputs[index] = output(policy.network, index)
        return choice

    @kernel
    def see(rules, state, seat, policy):
        """Take what a seat sees through the network."""
        first_layer(rules, state, seat, policy)
        finish(policy.network)

    @kernel
    def value_others(rules, state, mover, own, players, policy, shares):
        """Share out what the mover does not expect among the others, by what they expect of what they see."""
        total = 0.0
        for ahead in range(1, players):
            other = (mover + ahead) % players
            if policy.config[0].tree != 0 and players > 2:
                see(rules, state, other, policy)
                shares[other] = sigmoid(output(policy.network, 0))
            else:
                shares[other] = 1.0
            total += shares[other]
        for ahead in range(1, players):
            shares[(mover + ahead) % players] *= (1.0 - own) / total
        shares[mover] = own

    @kernel
    def value(rules, state, mover, mask, players, policy, shares):
        config, outputs = policy.config[0], policy.outputs
        first = int(config.first_share) if config.value == SEATS else 0
        if config.sees_after != 0:
            best_after(rules, state, mover, mask, policy)
        else:
            see(rules, state, mover, policy)
            for index in range(first, len(outputs)):
                outputs[index] = output(policy.network, index)
        if together:
            share = sigmoid(outputs[first])
            for other in range(players):
                shares[other] = share
        elif config.value == SEATS:
            soften(outputs, first, mover, players, shares)
        else:
            value_others(rules, state, mover, sigmoid(outputs[0]), players, policy, shares)

    @kernel
    def rank(rules, state, mover, mask, policy, scores):
        after = policy.config[0].sees_after != 0
        if not after:
            see(rules, state, mover, policy)
        for action in range(len(mask)):
            if mask[action] != 0:
                if after:
                    scores[action] = see_after(rules, state, mover, action, policy)
                else:
                    scores[action] = output(policy.network, action)

    @kernel
    def choose(rules, state, mover, mask, policy):
        legal, choice = 0, -1
        for action in range(len(mask) - 1, -1, -1):
            if mask[action] != 0:
                legal += 1
                choice = action
        if legal == 1:
            return choice
        if policy.config[0].sees_after != 0:
            return best_after(rules, state, mover, mask, policy)
        see(rules, state, mover, policy)
        best = output(policy.network, choice)
        for action in range(choice + 1, len(mask)):
            if mask[action] != 0:
                logit = output(policy.network, action)
                if logit > best:
                    choice, best = action, logit
        return choice

    return PolicyKernels(reset, begin, choose, rank, value)
