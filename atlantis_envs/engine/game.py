"""A game with its options chosen: the public object everything else is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.contract import Definition, Options, Provenance, Versions
from atlantis_envs.engine.loops import Loops, prepare
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import plain, records
from atlantis_envs.engine.values import shown
from atlantis_envs.errors import OptionError, PositionError


@dataclass(frozen=True)
class Description:
    """What a game is, as data; see Game.describe."""

    name: str
    title: str
    versions: Versions
    players: int
    player_range: tuple[int, int]
    utility: str
    options: dict[str, Any]
    num_actions: int
    num_outcomes: int
    observation_size: int
    observation: tuple[tuple[str, int, int, int, str], ...]
    node_bound: int
    bound_reason: str
    provenance: tuple[Provenance, ...]

    @property
    def reconstructed(self) -> tuple[str, ...]:
        """The data that are reconstructed, not printed."""
        return tuple(entry.datum for entry in self.provenance if entry.tag == "reconstructed")

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


class Game:
    """A game with fixed options. Made by ``atlantis_envs.game``; immutable; equal games are interchangeable.

    Attributes:
        definition: the declaration.
        options: the options dataclass.
        players: number of seats.
        actions: action texts, index = id.
        outcomes: chance outcome texts, index = id.
    """

    def __init__(self, definition: Definition, options: Options) -> None:
        """Fill the rules record."""
        self.definition = definition
        self.options = options
        self.players = options.players
        self.actions = definition.actions.texts
        self.outcomes = definition.outcomes.texts
        self.rules = records(1, definition.rules_dtype)
        options.fill(self.rules[0])
        self.rules.flags.writeable = False
        self.plain_rules = plain(self.rules)
        self.record_dtype = records(0, definition.state_dtype).dtype

    @property
    def name(self) -> str:
        """Lower-case name."""
        return self.definition.name

    @property
    def num_actions(self) -> int:
        """A, the length of every action mask."""
        return len(self.actions)

    @property
    def observation_size(self) -> int:
        """F, the length of every observation."""
        return self.definition.observation.size

    @cached_property
    def observation_high(self) -> NDArray[np.uint8]:
        """The largest value of each observation byte, uint8 (F,); divide by it to scale to 0..1."""
        high = self.definition.observation.high()
        high.flags.writeable = False
        return high

    @cached_property
    def loops(self) -> Loops:
        """The compiled loops; the first use in a process compiles them or loads them from the cache."""
        return prepare(self.definition, self.rules)

    @cached_property
    def root(self) -> Any:
        """Array of one record: the position before any chance."""
        root = records(1, self.definition.state_dtype)
        self.loops.root(self.rules, root)
        root.flags.writeable = False
        return root

    def initial_position(self) -> Position:
        """The position before any chance; setup itself is a series of chance nodes."""
        return Position(self, self.root)

    def from_json(self, document: Any) -> Position:
        """A position from its JSON document; its own options rule, whatever this game's are.

        Raises:
            PositionError: every fault with its JSON path.
        """
        options, states = self.definition.from_json(document)
        game = self if options == self.options else Game(self.definition, options)
        position = Position(game, states)
        faults = position.faults()
        if faults:
            raise PositionError(faults)
        return position

    def batch(self, num_games: int, seed: int = 0, threads: int = 1) -> Batch:
        """``num_games`` games stepped together.

        Args:
            num_games: lanes, at least 1.
            seed: 0..2**64-1; lane i plays games i, i + num_games, ... of it.
            threads: worth more than 1 from about 4,096 lanes on.

        Raises:
            ValueError: naming the argument.
        """
        return Batch(self, num_games, seed, threads)

    def batch_from_positions(self, positions: Sequence[Position], seed: int = 0, threads: int = 1) -> Batch:
        """A batch whose lanes begin at these positions; see Batch.from_positions."""
        return Batch(self, len(positions), seed, threads).load(positions)

    def describe(self) -> Description:
        """Everything a reader or a program may want to know about the game as it is set up."""
        definition = self.definition
        return Description(
            name=definition.name,
            title=definition.title,
            versions=definition.versions,
            players=self.players,
            player_range=(definition.min_players, definition.max_players),
            utility=definition.utility,
            options=self.options.to_json(),
            num_actions=len(self.actions),
            num_outcomes=len(self.outcomes),
            observation_size=definition.observation.size,
            observation=tuple((p.name, p.start, p.size, p.high, p.about) for p in definition.observation),
            node_bound=definition.bound(self.options),
            bound_reason=definition.bound_reason,
            provenance=definition.provenance,
        )

    def fault_text(self, action: Any, mask: NDArray[np.int8]) -> str:
        """Why an action id is not legal, and what is."""
        legal = ", ".join(self.actions[index] for index in np.flatnonzero(mask)) or "none"
        number = int(action)
        if not 0 <= number < len(self.actions):
            return f"{shown(number)} is no action id; allowed: 0..{len(self.actions) - 1}, legal here: {legal}"
        return f"{number} ({self.actions[number]!r}) is not legal; allowed: {legal}"

    def __eq__(self, other: object) -> bool:
        """Same declaration, same options."""
        return isinstance(other, Game) and (self.name, self.options) == (other.name, other.options)

    def __hash__(self) -> int:
        """By name and players."""
        return hash((self.name, self.players))

    def __repr__(self) -> str:
        """As it could be made again, default options left out."""
        standard = self.definition.parse_options(self.players, None, {}).to_json()
        own = {key: value for key, value in self.options.to_json().items() if standard[key] != value}
        extra = "".join(f", {key}={value!r}" for key, value in own.items())
        return f"game({self.name!r}, players={self.players}{extra})"

    def __copy__(self) -> Game:
        """Itself: a game is immutable."""
        return self

    def __deepcopy__(self, memo: Any) -> Game:
        """Itself: a game is immutable."""
        return self

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Any, ...]]:
        """Pickle by name and options; kernels are never pickled."""
        return _restore, (self.name, self.options)


def _restore(name: str, options: Options) -> Game:
    from atlantis_envs.registry import definition

    return Game(definition(name), options)


def checked_game(game: Any) -> Game:
    """The game itself.

    Raises:
        OptionError: it is no Game, but a name, for instance.
    """
    if not isinstance(game, Game):
        raise OptionError(f"game: {shown(game)}; allowed: a Game, as atlantis_envs.game(...) makes it")
    return game


def make_game(
    definition: Definition, players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> Game:
    """A game from keywords.

    Raises:
        OptionError: naming the option and its allowed values.
    """
    return Game(definition, definition.parse_options(players, tables, options))
