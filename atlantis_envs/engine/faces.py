"""The loops of a game by who calls them: each face is compiled at once, before its first use, and no more than that.

An environment steps one game and never needs the loops over many; a batch needs no position. What is left over is for
few (checking a document, drawing hidden cards anew) and compiles when it is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.kernel import compiling, direct
from atlantis_envs.engine.lanes import Lanes
from atlantis_envs.engine.loops import Loops, make_loops
from atlantis_envs.engine.records import plain, records

Calls = list[
    tuple[Callable[..., Any], tuple[Any, ...]]
]  # entry points, with arguments of the types they are called with

KEY, NUMBER = np.uint64(0), 0


def prepare_batch(definition: Definition, rules: Any) -> Loops:
    """Compile the loops of a game, or load them from the cache, as far as a batch needs them."""
    return _prepared(definition, rules, _of_a_batch, "")


def prepare_single(definition: Definition, rules: Any) -> Loops:
    """Compile or load what an environment needs, which plays one game."""
    return _prepared(definition, rules, _of_one_game, "")


def prepare_positions(definition: Definition, rules: Any) -> Loops:
    """Compile or load what positions need."""
    return _prepared(definition, rules, _of_positions, ", positions")


def _prepared(definition: Definition, rules: Any, calls_of: Callable[..., Calls], more: str) -> Loops:
    loops = make_loops(definition)
    if (definition, calls_of) not in _ready:
        calls = calls_of(definition, loops, plain(rules))
        with compiling(f"{definition.title}{more}", [loop for loop, _ in calls]):
            for loop, arguments in calls:
                direct(loop, *arguments)
        _ready.add((definition, calls_of))
    return loops


_ready: set[tuple[Definition, Callable[..., Calls]]] = set()


def _root(definition: Definition) -> Any:
    root = records(1, definition.state_dtype)
    root.flags.writeable = False
    return plain(root)


def _of_a_batch(definition: Definition, loops: Loops, rules: Any) -> Calls:
    lanes, root = Lanes(definition, definition.min_players, 1), _root(definition)
    scratch, states = lanes.scratch(), plain(lanes.states)
    keys, some, part = np.zeros(1, np.uint64), np.zeros(1, np.int64), (np.zeros(1, np.int64), 0, 1)
    return [
        (loops.root, (rules, records(1, definition.state_dtype))),
        (loops.step, (rules, root, *lanes.of_steps, *scratch, keys, 1, some, *part)),
        (loops.start, (rules, root, *lanes.of_games, scratch.weights, keys, *part)),
        (loops.view, (rules, states, *lanes.of_views, *part)),
        (loops.first_fault, (lanes.masks, some, some)),
        (loops.noise, (keys, lanes.games, lanes.plies, some, keys)),
        (loops.witness, (rules, plain(lanes.final_states), lanes.seats, some, lanes.observations)),
    ]


def _of_one_game(definition: Definition, loops: Loops, rules: Any) -> Calls:
    lanes, root = Lanes(definition, definition.min_players, 1), _root(definition)
    scratch, states = lanes.scratch(), plain(lanes.states)
    shown = (lanes.observations[0], lanes.masks[0])
    game = (states, lanes.counters[0], scratch.weights, *shown, KEY, NUMBER)
    return [
        (loops.root, (rules, records(1, definition.state_dtype))),
        (loops.single_step, (rules, *game, 0)),
        (loops.single_start, (rules, root, *game)),
        (loops.observe, (rules, states, 0, shown[0])),
        (loops.returns, (rules, states, scratch.pay)),
        (loops.truncated, (rules, states)),
    ]


def _of_positions(definition: Definition, loops: Loops, rules: Any) -> Calls:
    lanes = Lanes(definition, definition.min_players, 1)
    scratch, where = lanes.scratch(), (rules, plain(lanes.states))
    return [
        (loops.root, (rules, records(1, definition.state_dtype))),
        (loops.apply, (*where, 0)),
        (loops.node, where),
        (loops.legal, (*where, lanes.masks[0])),
        (loops.chance, (*where, scratch.weights)),
        (loops.sample, (*where, lanes.counters[0], scratch.weights, KEY, NUMBER)),
        (loops.observe, (*where, 0, lanes.observations[0])),
        (loops.scores, (*where, scratch.points)),
        (loops.returns, (*where, scratch.pay)),
        (loops.truncated, where),
    ]
