"""What a seat sees after each of its legal actions, before chance and before anybody answers.

Some decisions are easier to judge by where they lead than by their names (Sutton & Barto 2018, 6.8). Nothing leaks:
what a seat sees of an afterstate is a function of what it knows now, so redrawing hidden cards changes no byte of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.records import plain
from atlantis_envs.kernels.kernel import compiling, entry

if TYPE_CHECKING:
    from atlantis_envs.engine.definition import Definition
    from atlantis_envs.engine.setup import Setup

_prepared: set[Callable[..., Any]] = set()


class Afterstates(NamedTuple):
    """K afterstates: those of the first decision in the order of its actions, then those of the second, ...

    Attributes:
        observations: uint8 (K, F), what the seat that decided sees.
        rows: int64 (K,), which decision.
        actions: int64 (K,), which action.
    """

    observations: NDArray[np.uint8]
    rows: NDArray[np.int64]
    actions: NDArray[np.int64]


@cache
def _make_loop(definition: Definition) -> Callable[..., Any]:
    apply, observe = definition.apply, definition.observe

    @entry
    def afterstates_loop(rules, states, trial, seats, rows, actions, out):  # type: ignore[no-untyped-def]
        """Play each action on a copy of its state and show the mover what came of it."""
        for index in range(len(rows)):
            row = rows[index]
            trial[0] = states[row]
            apply(rules[0], trial[0], int(actions[index]))
            observe(rules[0], trial[0], int(seats[row]), out[index])

    return afterstates_loop


def afterstates(game: Setup, states: Any, seats: NDArray[Any], masks: NDArray[np.int8]) -> Afterstates:
    """See what each legal action leads to.

    Args:
        game: whose positions.
        states: recarray (N,), decision nodes; they stay as they are.
        seats: (N,), who is to decide.
        masks: int8 (N, A), what it may do.

    Returns:
        Afterstates; K is the number of legal actions of all decisions together.
    """
    loop = _make_loop(game.definition)
    rows, actions = map(np.ascontiguousarray, np.nonzero(masks))  # else they are columns: other types to the loop
    out = np.zeros((len(rows), game.observation_size), np.uint8)
    records = np.ascontiguousarray(states)
    call = (game.plain_rules, plain(records), plain(np.zeros(1, game.record_dtype)), np.asarray(seats, np.int64))
    if loop not in _prepared:
        with compiling(f"{game.definition.title}, afterstates", [loop]):
            loop(*call, rows[:0], actions[:0], out[:0])
        _prepared.add(loop)
    loop(*call, rows, actions, out)
    return Afterstates(out, rows, actions)
