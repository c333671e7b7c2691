"""A policy for the seat to decide alone: how it would play on in imagined games, while others play as ever.

A rollout that plays the own seat better is worth more than one that plays everybody better (Tesauro & Galperin 1996):
the others are what they are. Kernels ask the network themselves, so nothing waits for NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.features import Features, find_features
from atlantis_agents.networks.compiled import CompiledNetwork, enter, finish, for_kernels, forget, remember
from atlantis_agents.networks.policy import NetworkAgent
from atlantis_agents.search.memory import NO_WORK
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.records import plain, records


class Own(NamedTuple):
    """A policy, and room for one thread to ask it in.

    Attributes:
        network: its network.
        after: int64 (1,), 1: it scores afterstates.
        trial: array of one state, an afterstate.
        seen: uint8 (F,), the observation.
        described: uint8 (D,), its features; D = 0 without.
        weights: of the features; work: array of one record for them.
    """

    network: CompiledNetwork
    after: NDArray[np.int64]
    trial: Any
    seen: NDArray[np.uint8]
    described: NDArray[np.uint8]
    weights: Any
    work: Any


def features_of(agent: NetworkAgent) -> Features | None:
    """The features that a policy sees, if it does."""
    return find_features(agent.game.name) if agent.features else None


def make_own(agent: NetworkAgent) -> Own:
    """The policy with room of its own."""
    definition, features = agent.game.definition, features_of(agent)
    return Own(
        network=for_kernels(agent),
        after=np.array([hasattr(agent, "act_positions")], np.int64),
        trial=plain(records(1, definition.state_dtype)),
        seen=np.zeros(definition.observation.size, np.uint8),
        described=np.zeros(0 if features is None else features.layout.size, np.uint8),
        weights=plain(records(1, NO_WORK) if features is None else features.weights),
        work=plain(records(1, NO_WORK if features is None else features.work_dtype)),
    )


class Playing(NamedTuple):
    """The kernels of a policy that plays the own seat on (not yet compiled).

    Attributes:
        settle: ``(rules, state, seat, own)``; before a decision is searched: what is seen there is remembered, since
            what is seen in imagined games is much like it.
        choose: ``(rules, place, mover, mask, own) -> action``, the policy's first choice.
    """

    settle: Callable[..., Any]
    choose: Callable[..., Any]


@cache
def make_playing(definition: Definition, features: Features | None) -> Playing:
    """Build (not yet compile) the kernels of policies that see these features."""
    apply, observe = definition.apply, definition.observe
    describe = None if features is None else features.describe

    @kernel
    def look(rules, state, mover, own):
        """What the mover sees, through the first layer."""
        observe(rules, state, mover, own.seen)
        if describe is not None:  # settled when compiling
            describe(own.weights[0], own.work[0], own.seen, own.described)
        enter(own.network, own.seen, own.described)

    @kernel
    def settle(rules, state, seat, own):
        forget(own.network)
        look(rules, state, seat, own)
        remember(own.network, own.seen, own.described)

    @kernel
    def choose_after(rules, place, mover, mask, own):
        choice, best = -1, -math.inf
        for action in range(len(mask)):
            if mask[action] != 0:
                own.trial[0] = place
                apply(rules, own.trial[0], action)
                look(rules, own.trial[0], mover, own)
                finish(own.network)
                if choice < 0 or own.network.there[0] > best:
                    choice, best = action, own.network.there[0]
        return choice

    @kernel
    def choose(rules, place, mover, mask, own):
        legal, choice = 0, -1
        for action in range(len(mask) - 1, -1, -1):
            if mask[action] != 0:
                legal += 1
                choice = action
        if legal == 1:
            return choice
        if own.after[0] != 0:
            return choose_after(rules, place, mover, mask, own)
        look(rules, place, mover, own)
        finish(own.network)
        logits = own.network.there
        for action in range(choice + 1, len(mask)):
            if mask[action] != 0 and logits[action] > logits[choice]:
                choice = action
        return choice

    return Playing(settle, choose)
