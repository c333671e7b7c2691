"""A game with its options chosen: the public object everything else is made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from atlantis_envs.base.files import MAX_FILE_BYTES, parse_json
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.description import Description, spans
from atlantis_envs.engine.options import explained
from atlantis_envs.engine.position import Position, checked_positions
from atlantis_envs.engine.setup import Setup, no_game
from atlantis_envs.errors import OptionError, PositionError, UnknownOptionError

PUBLIC_ATTRIBUTES = (
    "actions",
    "definition",
    "name",
    "num_actions",
    "observation_high",
    "observation_size",
    "options",
    "outcomes",
    "players",
)


class Game(Setup):
    """A game with fixed options. Made by ``atlantis_envs.game``; immutable; equal games are interchangeable.

    Attributes:
        definition: the declaration.
        options: the options dataclass.
        players: number of seats.
        actions: action texts, index = id.
        outcomes: chance outcome texts, index = id.
        name: the name of the game in lower case.
        num_actions: A, the length of every action mask.
        observation_size: F, the length of every observation.
        observation_high: the largest value of each observation byte, uint8 (F,).
    """

    def initial_position(self) -> Position:
        """The position before any chance; setup itself is a series of chance nodes."""
        _ = self.for_positions  # compiled together; the root is one of them
        return Position(self, self.root)

    def from_json(self, document: Any) -> Position:
        """Read a position from its JSON document; its own options apply, whatever this game's are.

        Args:
            document: a dict, as ``Position.to_json`` gives it, or JSON text of one: str or UTF-8 bytes, at most 16 MiB.

        Raises:
            PositionError: every fault with its JSON path; or the text is no strict JSON.
        """
        options, states = self.definition.read(_document(document))
        game = self if options == self.options else Game(self.definition, options)
        _ = game.for_documents  # compiled together
        position = Position(game, states.astype(self.definition.state_dtype, copy=False))
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

    def batch_from_positions(self, positions: Iterable[Position], seed: int = 0, threads: int = 1) -> Batch:
        """A batch whose lanes begin at these positions; see Batch.from_positions."""
        given = checked_positions(positions, self)
        return Batch(self, len(given), seed, threads).load(given)

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
            meanings=explained(self.options),
            actions=spans(definition.actions),
            outcomes=spans(definition.outcomes),
        )

    def __dir__(self) -> list[str]:
        """Return the public names: methods, and the attributes that the class documents."""
        kinds = [kind for kind in type(self).__mro__ if issubclass(kind, Game)]
        methods = (name for kind in kinds for name in vars(kind) if not name.startswith("_"))
        return sorted({*PUBLIC_ATTRIBUTES, *methods})


def _document(given: Any) -> Any:
    """Parse JSON text; anything else is returned as it is.

    Raises:
        PositionError: too long, or no strict JSON.
    """
    if not isinstance(given, (str, bytes, bytearray)):
        return given
    if len(given) > MAX_FILE_BYTES:
        raise PositionError([("", f"JSON text of length {len(given):,}; allowed: at most {MAX_FILE_BYTES:,}")])
    try:
        return parse_json(given if isinstance(given, str) else given.decode("utf-8"))
    except ValueError as error:
        raise PositionError([("", f"no JSON text ({error}); allowed: a dict, or JSON text of an object")]) from None


def checked_game(game: Any) -> Game:
    """Return the game, if it is one.

    Raises:
        OptionError: it is not a Game but, for instance, a name.
    """
    if not isinstance(game, Game):
        raise no_game(game)
    return game


def game_of(setup: Setup) -> Game:
    """The Game behind a position, a batch or a single game: nearly always the very object it was made from."""
    return setup if isinstance(setup, Game) else Game(setup.definition, setup.options)


def make_game(
    definition: Definition, players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> Game:
    """A game from keywords.

    Raises:
        UnknownOptionError: a keyword that is no option of the game; also a TypeError.
        OptionError: naming the option and its allowed values.
    """
    try:
        return Game(definition, definition.parse_options(players, tables, options))
    except OptionError as error:
        standard = definition.parse_options(None, None, {})
        known = {*standard.to_json(), *explained(standard)}
        unknown = [name for name in options if name not in known]
        if unknown:
            raise unknown_keyword(str(error), unknown[0]) from None
        raise


def unknown_keyword(text: str, name: str) -> UnknownOptionError:
    """Make the error of an unknown keyword, in our words and in Python's, which other libraries look for."""
    return UnknownOptionError(f"{text} (got an unexpected keyword argument {repr_short(name)})")
