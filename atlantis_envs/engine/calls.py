"""The entries of a game as machine code, for the arrays that the engine itself makes.

An entry looks up the types of what it is called with, and of records that takes longer than most of what is done with
them. The engine's own arrays always have the same types, so their machine code is called as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.lanes import Lanes
from atlantis_envs.engine.loops import Loops
from atlantis_envs.kernels.kernel import direct

# What each way to play needs, compiled together before its first use. An environment plays one game and never needs the
# loops over many, nor a batch those of a position; the rest is for few and is compiled when it is asked for.
OF_BATCHES = ("step", "start", "view", "admit", "noise", "witness")
OF_ONE_GAME = ("single_step", "single_start", "observe", "returns", "truncated")
OF_POSITIONS = ("apply", "node", "legal", "chance", "sample", "observe", "scores", "returns", "truncated")


class Calls:
    """Every entry of ``Loops`` under its name; compiled, or loaded, when it is first asked for.

    Arguments have to be those of a batch, of a single game or of a position: nothing looks at their types. Arrays of
    numbers from outside come in through ``integer_array``, which settles theirs.
    """

    def __init__(self, definition: Definition, rules: Any, root: Any, loops: Loops) -> None:
        """Compile nothing yet."""
        self._arguments = _arguments(definition, rules, root)
        self._loops = loops

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all entries that may be asked for."""
        return tuple(self._arguments)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Find the machine code of an entry, once."""
        if name not in self.__dict__.get("_arguments", ()):
            raise AttributeError(name)
        call: Callable[..., Any] = direct(getattr(self._loops, name), *self._arguments[name])
        self.__dict__[name] = call
        return call


def _arguments(definition: Definition, rules: Any, root: Any) -> dict[str, tuple[Any, ...]]:
    """Arguments of the types that each entry is called with."""
    lanes = Lanes(definition, definition.min_players, 1)
    work = lanes.scratch()
    keys, numbers, key = np.zeros(1, np.uint64), np.zeros(1, np.int64), np.uint64(0)
    one = (rules, lanes.of_games[0])
    rows = (numbers, 0, 1)  # lane numbers, from which to which
    alone = (lanes.counters[0], work.weights, lanes.observations[0], lanes.masks[0], key, 0)
    return {
        "node": one,
        "legal": (*one, lanes.masks[0]),
        "chance": (*one, work.weights),
        "apply": (*one, 0),
        "observe": (*one, 0, lanes.observations[0]),
        "scores": (*one, work.points),
        "returns": (*one, work.pay),
        "truncated": one,
        "check": one,
        "resample": (*one, 0, keys),
        "sample": (*one, lanes.counters[0], work.weights, key, 0),
        "settle": (*one, lanes.counters, numbers, work.weights, keys, *rows),
        "start": (rules, root, *lanes.of_games, work.weights, keys, *rows),
        "view": (*one, *lanes.of_views, *rows),
        "admit": (lanes.masks, numbers, numbers, lanes.rewards, lanes.over),
        "step": (rules, root, *lanes.of_steps, *work, keys, 1, numbers, *rows),
        "noise": (keys, numbers, numbers, keys),
        "witness": (*one, lanes.shown_seats, numbers, lanes.observations),
        "potential": (*one, lanes.shown_seats, 1, work.points, work.pay),
        "single_start": (rules, root, lanes.of_games[0], *alone),
        "single_step": (*one, *alone, 0),
    }
