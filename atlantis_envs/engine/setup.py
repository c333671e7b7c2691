"""A game with its options chosen, as data: the kernels, the rules record and the root that everything in play needs.

Positions, batches and single games are made from a ``Setup``; ``Game`` is a Setup that can also make them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import IDENTICAL, Definition, Options
from atlantis_envs.engine.loops import OF_BATCHES, OF_ONE_GAME, OF_POSITIONS, Calls, make_loops
from atlantis_envs.engine.records import plain, read_only, records, with_records
from atlantis_envs.errors import OptionError
from atlantis_envs.kernels.kernel import compiling


class Setup:
    """A declaration with fixed options; immutable; equal setups are interchangeable.

    Attributes:
        definition: the declaration.
        options: the options dataclass.
        players: number of seats.
        actions: action texts, index = id.
        outcomes: chance outcome texts, index = id.
        rules: array of one rules record, read-only.
        plain_rules: the same memory, as the compiled loops take it.
        record_dtype: dtype of a state in a recarray.
        name: the name of the game in lower case.
        cooperative: whether the seats win and lose together.
        num_actions: A, the length of every action mask.
        observation_size: F, the length of every observation.
        observation_high: the largest value of each observation byte, uint8 (F,).
    """

    def __init__(self, definition: Definition, options: Options) -> None:
        """Fill the rules record."""
        self.definition = definition
        self.name = definition.name
        self.options = options
        self.players = options.players
        self.cooperative = definition.utility == IDENTICAL
        self.actions = definition.actions.texts
        self.outcomes = definition.outcomes.texts
        self.num_actions = len(self.actions)
        self.observation_size = definition.observation.size
        rules = records(1, definition.rules_dtype)
        options.fill(rules[0])
        self.rules = read_only(rules)  # kernels trust it
        self.plain_rules = plain(self.rules)
        self.record_dtype = with_records(definition.state_dtype)

    @cached_property
    def observation_high(self) -> NDArray[np.uint8]:
        """Return the largest value of each observation byte, uint8 (F,); divide by it to scale to 0..1."""
        high: NDArray[np.uint8] = read_only(self.definition.observation.high())
        return high

    @cached_property
    def fingerprint(self) -> bytes:
        """Return 16 bytes that tell games apart: a digest of name, versions, players, options and rules record."""
        identity = (self.name, asdict(self.definition.versions), self.players, self.options.to_json())
        return blake2b(repr(identity).encode() + self.rules.tobytes(), digest_size=16).digest()

    @cached_property
    def loops(self) -> Any:
        """Return the entry points; each is compiled, or loaded from the cache, when it is first called."""
        return make_loops(self.definition)

    @cached_property
    def calls(self) -> Calls:
        """Return the loops as machine code for the engine's own arrays; each is compiled when first asked for."""
        return Calls(self.definition, self.plain_rules, self.root, self.loops)

    @cached_property
    def for_batches(self) -> Calls:
        """Return the same, with what batches need compiled, or loaded from the cache, by now."""
        return self._ready(OF_BATCHES, ", batch")

    @cached_property
    def for_one_game(self) -> Calls:
        """Return the same, with what environments need compiled by now: they play one game."""
        return self._ready(OF_ONE_GAME, ", environment")

    @cached_property
    def for_positions(self) -> Calls:
        """Return the same, with what positions need compiled by now."""
        return self._ready(OF_POSITIONS, ", positions")

    @cached_property
    def for_documents(self) -> Calls:
        """Return the same, with what reading a position needs compiled by now."""
        return self._ready((*OF_POSITIONS, "check"), ", positions and their check")

    def _ready(self, names: tuple[str, ...], more: str) -> Calls:
        entries = [getattr(self.loops, name) for name in ("root", *names)]
        with compiling(f"{self.definition.title}{more}", entries):
            for name in names:
                getattr(self.calls, name)
        return self.calls

    @cached_property
    def root(self) -> Any:
        """Return the position before any chance, an array of one record as the compiled loops take it."""
        root = np.zeros(1, self.record_dtype)
        self.loops.root(self.plain_rules, root)
        return read_only(root)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse changes once the rules are filled in: one game is handed to everybody who asks for it.

        Raises:
            AttributeError: always, from then on.
        """
        if "record_dtype" in self.__dict__:  # the last attribute that is set
            raise AttributeError(
                f"{name}: a game never changes; allowed: another, atlantis_envs.game({self.name!r}, ...)"
            )
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        """Refuse as ``__setattr__`` does.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{name}: a game never changes")

    def fault_text(self, action: Any, mask: NDArray[np.int8]) -> str:
        """Say why an action id is not legal, and which are."""
        legal = ", ".join(self.actions[index] for index in np.flatnonzero(mask)) or "none"
        index = int(action)
        if not 0 <= index < len(self.actions):
            return f"{repr_short(index)} is no action id; allowed: 0..{len(self.actions) - 1}, legal here: {legal}"
        return f"{index} ({self.actions[index]!r}) is not legal; allowed: {legal}"

    def __eq__(self, other: object) -> bool:
        """Return whether declaration and options are the same."""
        if not isinstance(other, Setup):
            return NotImplemented
        same = self.definition is other.definition or self.definition == other.definition
        return same and self.options == other.options

    def __hash__(self) -> int:
        """Hash by name and players."""
        return hash((self.name, self.players))

    def __repr__(self) -> str:
        """Return the call that would make it again, default options left out."""
        standard = self.definition.parse_options(self.players, None, {}).to_json()
        values = self.options.to_json().items()
        own = {key: value for key, value in values if key not in standard or standard[key] != value}
        extra = "".join(f", {key}={value!r}" for key, value in own.items())
        return f"game({self.name!r}, players={self.players}{extra})"

    def __deepcopy__(self, memo: Any = None) -> Setup:
        """Return itself: a setup is immutable."""
        return self

    __copy__ = __deepcopy__

    def __reduce__(self) -> tuple[Callable[..., Setup], tuple[Any, ...]]:
        """Pickle as declaration and options; a declaration is found again where it stands, kernels never travel."""
        return type(self), (self.definition, self.options)


def no_game(value: Any) -> OptionError:
    """Make the error of an argument that should have been a Game."""
    return OptionError(f"game: {repr_short(value)}; allowed: a Game, as atlantis_envs.game(...) makes it")
