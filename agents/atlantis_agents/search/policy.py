"""Policies that kernels of a search ask themselves: who ranks actions and plays rollouts, and who values positions.

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
NETWORK_CONFIG = packed(
    [
        ("sees_after", np.int64),  # 1: it scores afterstates
        ("value", np.int64),  # NOTHING, WIN_SHARE or SEATS
        ("potential", np.float64),  # above 0: what a unit of the game's potential adds to its output
        ("first_share", np.int64),  # the output that tells the mover's share, the others' behind it
    ]
)
POLICY_CONFIG = packed(
    [
        ("plays", np.int64),  # whom the player plays: a Plays
        ("ranks", np.int64),  # 1: it ranks the actions of a decision
        ("values", np.int64),  # 1: the valuer says what games that were cut are worth
        ("apart", np.int64),  # 1: the valuer is another network than the player
        ("tree", np.int64),  # 1: both are asked in a tree, at every seat's choice
    ]
)


class AskedNetwork(NamedTuple):
    """A network, with memory for one thread to ask it in."""

    network: CompiledNetwork
    config: Any  # array of one NETWORK_CONFIG
    state: Any  # array of one state, an afterstate
    observation: NDArray[np.uint8]  # (F,)
    features: NDArray[np.uint8]  # (D,); D = 0 without
    feature_params: Any
    scratch: Any  # array of one record, for the features
    outputs: NDArray[np.float32]  # (O,), those that were asked for: of the best afterstate all


class SearchPolicy(NamedTuple):
    """Who plays and who values, with memory for one thread to ask them in."""

    player: AskedNetwork
    valuer: AskedNetwork  # the same memory where one network does both
    config: Any  # array of one POLICY_CONFIG


class NetworkKernels(NamedTuple):
    """The kernels that ask a network (not yet compiled); ``mask``: what is legal to the mover.

    Attributes:
        reset: ``(rules, state, seat, asked)``; before a decision is searched: what is seen there is kept.
        begin: ``(asked)``; before a simulation: back to what was kept.
        see: ``(rules, state, seat, asked)``; takes what a seat sees through it, then ``output`` tells.
        see_after: ``(rules, state, mover, action, asked) -> logit`` of the afterstate of an action.
        best_after: ``(rules, state, mover, mask, asked) -> action``; outputs of its afterstate are in ``asked``.
    """

    reset: Callable[..., Any]
    begin: Callable[..., Any]
    see: Callable[..., Any]
    see_after: Callable[..., Any]
    best_after: Callable[..., Any]


class PolicyKernels(NamedTuple):
    """The kernels of a policy in a search (not yet compiled); ``mask``: what is legal to the mover.

    Attributes:
        reset: ``(rules, state, seat, policy)``; before a decision is searched: what is seen there is kept.
        begin: ``(policy)``; before a simulation: back to what was kept.
        choose: ``(rules, state, mover, mask, policy) -> action``, the player's first choice.
        rank: ``(rules, state, mover, mask, policy, scores)``; writes the player's logit of every legal action.
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
    player: NetworkAgent,
    valuer: NetworkAgent | None = None,
    plays: int = Plays.NOBODY,
    ranks: bool = False,
    tree: bool = False,
) -> SearchPolicy:
    """Make the policy with memory of its own; without a valuer nobody says what games are worth."""
    config = records(1, POLICY_CONFIG)
    config.plays, config.ranks, config.tree = plays, ranks, tree
    config.values, config.apart = valuer is not None, valuer is not None and valuer is not player
    asked = _asked(player)
    return SearchPolicy(asked, asked if valuer is None or valuer is player else _asked(valuer), plain(config))


def _asked(agent: NetworkAgent) -> AskedNetwork:
    definition, features = agent.game.definition, agent.features
    config = records(1, NETWORK_CONFIG)
    config.sees_after, config.value = agent.sees_positions, VALUES.index(agent.value)
    config.potential = agent.potential
    config.first_share = 1 if agent.sees_positions else agent.game.num_actions
    network = for_kernels(agent)
    return AskedNetwork(
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
def make_network_kernels(definition: Definition, features: Features | None) -> NetworkKernels:
    """Build (not yet compile) the kernels of networks that see these features."""
    apply, observe = definition.apply, definition.observe
    has_potential, potential = definition.potential is not None, cast("Callable[..., Any]", definition.potential)
    describe = None if features is None else features.describe

    @kernel
    def first_layer(rules, state, seat, asked):
        """Take what a seat sees through the first layer."""
        observe(rules, state, seat, asked.observation)
        if describe is not None:  # settled when compiling
            describe(asked.feature_params, asked.scratch[0], asked.observation, asked.features)
        enter(asked.network, asked.observation, asked.features)

    @kernel
    def reset(rules, state, seat, asked):
        forget(asked.network)
        first_layer(rules, state, seat, asked)
        keep(asked.network)

    @kernel
    def begin(asked):
        go_back(asked.network)

    @kernel
    def see(rules, state, seat, asked):
        first_layer(rules, state, seat, asked)
        finish(asked.network)

    @kernel
    def see_after(rules, state, mover, action, asked):
        """Take the afterstate of an action through the network; return by what it is compared."""
        asked.state[0] = state
        apply(rules, asked.state[0], action)
        see(rules, asked.state[0], mover, asked)
        logit = float(output(asked.network, 0))
        if has_potential:  # settled when compiling
            weight = asked.config[0].potential
            if weight > 0.0:
                return SHARP * (logit + weight * potential(rules, asked.state[0]))
        return logit

    @kernel
    def best_after(rules, state, mover, mask, asked):
        choice, best = -1, -math.inf
        for action in range(len(mask)):
            if mask[action] != 0:
                logit = see_after(rules, state, mover, action, asked)
                if choice < 0 or logit > best:
                    choice, best = action, logit
                    for index in range(len(asked.outputs)):
                        asked.outputs[index] = output(asked.network, index)
        return choice

    return NetworkKernels(reset, begin, see, see_after, best_after)


@cache
def make_policy_kernels(definition: Definition, features: Features | None, of_valuer: Features | None) -> PolicyKernels:
    """Build (not yet compile) the kernels of policies whose player and valuer see these features."""
    reset_player, begin_player, see, see_after, best_after = make_network_kernels(definition, features)
    reset_valuer, begin_valuer, see_value, _, best_value = make_network_kernels(definition, of_valuer)
    together = definition.utility == IDENTICAL

    @kernel
    def reset(rules, state, seat, policy):
        reset_player(rules, state, seat, policy.player)
        if policy.config[0].apart != 0:
            reset_valuer(rules, state, seat, policy.valuer)

    @kernel
    def begin(policy):
        begin_player(policy.player)
        if policy.config[0].apart != 0:
            begin_valuer(policy.valuer)

    @kernel
    def value_others(rules, state, mover, own, players, policy, shares):
        """Share out what the mover does not expect among the others, by what they expect of what they see."""
        total = 0.0
        for ahead in range(1, players):
            other = (mover + ahead) % players
            if policy.config[0].tree != 0 and players > 2:
                see_value(rules, state, other, policy.valuer)
                shares[other] = sigmoid(output(policy.valuer.network, 0))
            else:
                shares[other] = 1.0
            total += shares[other]
        for ahead in range(1, players):
            shares[(mover + ahead) % players] *= (1.0 - own) / total
        shares[mover] = own

    @kernel
    def value(rules, state, mover, mask, players, policy, shares):
        valuer = policy.valuer
        config, outputs = valuer.config[0], valuer.outputs
        first = int(config.first_share) if config.value == SEATS else 0
        if config.sees_after != 0:
            best_value(rules, state, mover, mask, valuer)
        else:
            see_value(rules, state, mover, valuer)
            for index in range(first, len(outputs)):
                outputs[index] = output(valuer.network, index)
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
        player = policy.player
        after = player.config[0].sees_after != 0
        if not after:
            see(rules, state, mover, player)
        for action in range(len(mask)):
            if mask[action] != 0:
                if after:
                    scores[action] = see_after(rules, state, mover, action, player)
                else:
                    scores[action] = output(player.network, action)

    @kernel
    def choose(rules, state, mover, mask, policy):
        legal, choice = 0, -1
        for action in range(len(mask) - 1, -1, -1):
            if mask[action] != 0:
                legal += 1
                choice = action
        if legal == 1:
            return choice
        player = policy.player
        if player.config[0].sees_after != 0:
            return best_after(rules, state, mover, mask, player)
        see(rules, state, mover, player)
        best = output(player.network, choice)
        for action in range(choice + 1, len(mask)):
            if mask[action] != 0:
                logit = output(player.network, action)
                if logit > best:
                    choice, best = action, logit
        return choice

    return PolicyKernels(reset, begin, choose, rank, value)
