"""Playing chance: the kernels that every loop over a game's nodes shares."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from atlantis_envs.engine.definition import CHANCE, Definition
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.philox import draw_below


class Chances(NamedTuple):
    """Two kernels closed over a game's own.

    Attributes:
        draw: ``(rules, state, counters, weights, key, game) -> outcome`` of this chance node.
        play: the same arguments; plays chance up to a decision or the end, and says how many outcomes that were.
    """

    draw: Callable[..., Any]
    play: Callable[..., Any]


@cache
def make_chances(definition: Definition) -> Chances:
    """Build (not yet compile) the kernels of a game."""
    node, chance, apply = definition.node, definition.chance, definition.apply

    @kernel
    def draw_outcome(rules, state, counters, weights, key, game):
        """The outcome a chance node takes in this game: addressed by stream and count, then counted.

        Never one outside the range of the node, whatever its weights are. If they add up to something, the sum up to
        the last outcome is above what is drawn, so the walk ends in its range, at a positive weight; if they do not,
        the position is broken, which the faces refuse before they come here, and the first outcome stands in.
        """
        stream, first, stop = chance(rules, state, weights)
        total = 0
        for outcome in range(first, stop):
            total += int(weights[outcome])
        if total <= 0:
            return first
        left = draw_below(key, game, counters[stream], stream, total)
        counters[stream] += 1
        outcome = first
        while left >= weights[outcome]:
            left -= int(weights[outcome])
            outcome += 1
        return outcome

    @kernel
    def play_chance(rules, state, counters, weights, key, game):
        """Play chance until somebody decides or the game is over; how many outcomes were played."""
        played = 0
        while node(rules, state) == CHANCE:
            apply(rules, state, draw_outcome(rules, state, counters, weights, key, game))
            played += 1
        return played

    return Chances(draw_outcome, play_chance)
