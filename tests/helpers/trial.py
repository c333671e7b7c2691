"""Random play from any position that checks all that callers rely on: for tests of what is accepted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from atlantis_envs.engine.chance import LOW_32, noise_word
from atlantis_envs.engine.definition import CHANCE, OVER, ZERO_SUM, Definition
from atlantis_envs.engine.loops import NO_LEGAL, NOTHING_HAPPENS, TOO_LONG
from atlantis_envs.kernels.kernel import entry, kernel

NO_INDEX = -1
BAD_WEIGHTS = 1 << 43
BAD_MASK = 1 << 44
BAD_NODE = 1 << 45
BAD_OBSERVATION = 1 << 46
BAD_RETURNS = 1 << 47
FAULTS = {
    NO_LEGAL: "a decision without a legal action",
    TOO_LONG: "a game longer than its bound",
    NOTHING_HAPPENS: "a chance node without outcomes",
    BAD_WEIGHTS: "a negative weight, or a stream or outcome that does not exist",
    BAD_MASK: "a mask with values other than 0 and 1",
    BAD_NODE: "a seat to decide that does not exist",
    BAD_OBSERVATION: "an observation above observation_high",
    BAD_RETURNS: "returns that do not add up",
}


def words_of(definition: Definition, fault: int) -> str:
    """Say in words what is broken; "" for 0."""
    own = [f"{path}: {text}" for bit, (path, text) in enumerate(definition.flags) if fault >> bit & 1]
    return "; ".join([*own, *(text for bit, text in FAULTS.items() if fault & bit)])


@cache
def make_play_out(definition: Definition) -> Callable[..., Any]:
    """Build (not yet compile) the loop that plays a position to its end."""
    node, legal, chance, apply = definition.node, definition.legal, definition.chance, definition.apply
    observe, scores, returns, check = definition.observe, definition.scores, definition.returns, definition.check
    zero_sum = definition.utility == ZERO_SUM

    @kernel
    def outcome_at_random(rules, state, weights, streams, choice):
        """Draw an outcome that can happen, all equally likely: (fault, outcome)."""
        stream, first, stop = chance(rules, state, weights)
        if stream < 0 or stream >= streams or first < 0 or stop > len(weights):
            return BAD_WEIGHTS, NO_INDEX
        possible = 0
        for outcome in range(first, stop):
            if weights[outcome] < 0:
                return BAD_WEIGHTS, NO_INDEX
            possible += 1 if weights[outcome] > 0 else 0
        if possible == 0:
            return NOTHING_HAPPENS, NO_INDEX
        left = np.int64((choice * np.uint64(possible)) >> np.uint64(32))
        for outcome in range(first, stop):
            if weights[outcome] > 0:
                if left == 0:
                    return 0, outcome
                left -= 1
        return NOTHING_HAPPENS, NO_INDEX

    @kernel
    def action_at_random(rules, state, mask, choice):
        """Draw a legal action, all equally likely: (fault, action)."""
        legal(rules, state, mask)
        possible = 0
        for action in range(len(mask)):
            if mask[action] != 0 and mask[action] != 1:
                return BAD_MASK, 0
            possible += int(mask[action])
        if possible == 0:
            return NO_LEGAL, 0
        left = np.int64((choice * np.uint64(possible)) >> np.uint64(32))
        for action in range(len(mask)):
            if mask[action] != 0:
                if left == 0:
                    return 0, action
                left -= 1
        return NO_LEGAL, 0

    @kernel
    def end_fault(rules, state, pay, points, players):
        """Whether the returns of a game that is over can be right."""
        returns(rules, state, pay)
        scores(rules, state, points)
        total = 0.0
        for seat in range(players):
            if not (pay[seat] >= -1.0 and pay[seat] <= 1.0):
                return BAD_RETURNS
            total += pay[seat]
        if zero_sum and abs(total) > 1e-9:
            return BAD_RETURNS
        return 0

    @entry
    def play_out_loop(
        rules, states, lane, streams, weights, mask, observation, high, pay, points, players, key, game, start, steps
    ):  # fmt: skip
        """Play ``states[lane]`` at random, all moves equally likely, and check everything that callers rely on.

        Node number ``start`` is the first; after ``steps`` nodes or at the end it stops. Returns (fault, nodes, over):
        bits of ``check`` or of FAULTS at the first fault, else 0.
        """
        state = states[lane]
        for done in range(steps):
            flags = check(rules[0], state)
            if flags != 0:
                return flags, done, False
            seat = node(rules[0], state)
            if seat < OVER or seat >= players:
                return BAD_NODE, done, False
            word = noise_word(key, game, start + done)
            observe(rules[0], state, seat if seat >= 0 else np.int64(word % np.uint64(players)), observation)
            for index in range(len(observation)):
                if observation[index] > high[index]:
                    return BAD_OBSERVATION, done, False
            if seat == OVER:
                return end_fault(rules[0], state, pay, points, players), done, True
            if seat == CHANCE:
                fault, index = outcome_at_random(rules[0], state, weights, streams, word & LOW_32)
            else:
                fault, index = action_at_random(rules[0], state, mask, word & LOW_32)
            if fault != 0:
                return fault, done, False
            apply(rules[0], state, index)
        return 0, steps, False

    return play_out_loop
