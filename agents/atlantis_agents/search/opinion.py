"""What the heuristic thinks of a decision before anything is imagined, and the clean table every search begins with."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.heuristics import Heuristic
from atlantis_agents.search.halving import order_actions
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.kernel import kernel

if TYPE_CHECKING:
    from atlantis_agents.search.memory import Memory


def prefer(memory: Memory, opinion: NDArray[np.float32], prior: float) -> None:
    """Put a policy's opinion in the place of the heuristic's, in a decision that was begun and not yet searched.

    Args:
        memory: of the search.
        opinion: float32 (A,), logits; equals are ranked by their numbers.
        prior: see Settings.
    """
    ranked = np.flatnonzero(memory.root_mask)
    ranked = ranked[np.argsort(-opinion[ranked], kind="stable")]
    memory.order[: len(ranked)] = ranked
    memory.bonus[ranked] = prior / (1.0 + np.arange(len(ranked)))
    memory.scores[:] = opinion
    memory.study["favourite"] = memory.study["choice"] = ranked[0]


@cache
def make_favour(heuristic: Heuristic | None) -> Callable[..., Any]:
    """The kernel ``(knobs, work, observation, mask, noise, scores) -> favourite`` (not yet compiled)."""
    if heuristic is None:

        @kernel
        def first_legal(knobs, work, observation, mask, noise, scores):
            """Nobody has an opinion: the first legal action stands in."""
            first = -1
            for action in range(len(mask) - 1, -1, -1):
                scores[action] = 0.0
                if mask[action] != 0:
                    first = action
            return first

        return first_legal
    rank = heuristic.rank

    @kernel
    def favour(knobs, work, observation, mask, noise, scores):
        return rank(knobs[0], work, observation, mask, noise, scores)

    return favour


@cache
def make_begin_decision(definition: Definition, heuristic: Heuristic | None) -> Callable[..., Any]:
    """The kernel that clears a search's numbers and orders the legal actions by what the heuristic thinks of them."""
    legal, observe, favour = definition.legal, definition.observe, make_favour(heuristic)

    @kernel
    def begin_decision(
        rules, state, seat, key, prior, knobs, study, order, counts, sums, squares, gains, gain_squares,
        scores, bonus, root_mask, observation, work,
    ):  # fmt: skip
        for action in range(len(counts)):
            counts[action] = 0
            sums[action] = 0.0
            squares[action] = 0.0
            gains[action] = 0.0
            gain_squares[action] = 0.0
        legal(rules, state, root_mask)
        observe(rules, state, seat, observation)
        study.favourite = favour(knobs, work, observation, root_mask, key, scores)
        study.choice = study.favourite
        study.finished = 0
        study.simulations = 0
        study.decisions = 0
        study.begun = 1
        study.legal = order_actions(int(study.favourite), order, scores, bonus, root_mask, prior)

    return begin_decision
