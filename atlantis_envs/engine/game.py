"""A game with its options chosen: the public object everything else is made from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from atlantis_envs.base.files import MAX_FILE_BYTES, parse_json
from atlantis_envs.base.values import repr_short, visible
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.definition import Definition, Provenance, Versions
from atlantis_envs.engine.layout import Texts
from atlantis_envs.engine.options import explained, in_force
from atlantis_envs.engine.position import Position, checked_positions
from atlantis_envs.engine.setup import Setup, no_game
from atlantis_envs.errors import OptionError, PositionError, UnknownOptionError

MOST_VALUE = 70  # characters of an option's value that a description prints
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

    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> game.num_actions, game.observation_size
    (72, 225)

    Attributes:
        name: the name of the game in lower case.
        players: number of seats, P.
        options: the options dataclass; ``options.to_json()`` gives plain values.
        num_actions: A, the length of every action mask.
        actions: action texts, index = id.
        outcomes: chance outcome texts, index = id.
        observation_size: F, the length of every observation.
        observation_high: the largest value of each observation byte, uint8 (F,).
        cooperative: whether the seats win and lose together.
        definition: the declaration.
    """

    def initial_position(self) -> Position:
        """Return the position before any chance; setup itself is a series of chance nodes."""
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
        """Return ``num_games`` games stepped together.

        Args:
            num_games: lanes, at least 1.
            seed: 0..2**64-1; lane i plays games i, i + num_games, ... of it.
            threads: worth more than 1 from about 4,096 lanes on.

        Raises:
            ValueError: naming the argument.
        """
        return Batch(self, num_games, seed, threads)

    def batch_from_positions(self, positions: Iterable[Position], seed: int = 0, threads: int = 1) -> Batch:
        """Return a batch whose lanes begin at these positions; see Batch.from_positions."""
        given = checked_positions(positions, self)
        return Batch(self, len(given), seed, threads).load(given)

    def describe(self) -> Description:
        """Return everything a reader or a program may want to know about the game as it is set up."""
        definition = self.definition
        return Description(
            name=definition.name,
            title=definition.title,
            versions=definition.versions,
            players=self.players,
            player_range=(definition.min_players, definition.max_players),
            utility=definition.utility,
            options=in_force(self.options),
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

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the description."""
        return self.describe()._repr_html_()

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
    """Return the Game behind a position, a batch or a single game: nearly always the very object it was made from."""
    return setup if isinstance(setup, Game) else Game(setup.definition, setup.options)


def make_game(
    definition: Definition, players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> Game:
    """Return a game from keywords.

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


# ---------------------------------------------------------------------------------------------------- description


@dataclass(frozen=True)
class Description:
    """What a game is, as data; made by ``Game.describe``. ``print`` shows it as a table.

    >>> about = atlantis_envs.game("atlandice", players=3).describe()
    >>> about.player_range, about.options["chain_cap"], about.actions[0]
    ((2, 4), 10, (0, 5, 'visit jeweler ... visit market'))

    Attributes:
        options: every option as it is set, by its name in documents.
        observation: name, first byte, number of bytes, largest value and meaning of every piece.
        meanings: option -> what it means and may be, where it is declared.
        actions: first id, last id and texts of every span of actions.
        outcomes: the same of chance outcomes.
    """

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
    meanings: dict[str, str]
    actions: tuple[tuple[int, int, str], ...]
    outcomes: tuple[tuple[int, int, str], ...]

    @property
    def reconstructed(self) -> tuple[str, ...]:
        """Return the data that are reconstructed, not printed."""
        return tuple(entry.datum for entry in self.provenance if entry.tag == "reconstructed")

    def to_json(self) -> dict[str, Any]:
        """Return the description as plain values, for JSON."""
        return asdict(self)

    def _head(self) -> str:
        low, high = self.player_range
        seats = f"{self.players} player{'' if self.players == 1 else 's'}"
        return f"{self.title}, {seats} ({low}-{high} possible), {self.utility}"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: options with their values and meanings, and sizes."""
        from atlantis_envs.drawing.notebook import table

        rows = [(key, _short(value), self.meanings.get(key, "")) for key, value in self.options.items()]
        sizes = (
            f"{self.num_actions} actions, {self.num_outcomes} chance outcomes, observations of {self.observation_size} "
            f"bytes, at most {self.node_bound:,} nodes a game; rules {self.versions.rules}"
        )
        return table(self._head(), ("option", "value", "meaning"), rows, sizes)

    def __str__(self) -> str:
        """Return the table that ``atlantis describe`` prints."""
        versions = ", ".join(f"{key} {value}" for key, value in asdict(self.versions).items())
        meanings = {key: f": {self.meanings[key]}" if key in self.meanings else "" for key in self.options}
        pieces = [
            (_span(start, start + size - 1), f"{name}, 0..{most}: {text}")
            for name, start, size, most, text in self.observation
        ]
        return "\n".join([
            self._head(),
            f"versions: {versions}",
            f"at most {self.node_bound:,} nodes a game: {self.bound_reason}",
            *_section("options, as now", [(key, _short(value) + meanings[key]) for key, value in self.options.items()]),
            *_section(f"actions, {self.num_actions}", _rows(self.actions)),
            *_section(f"chance outcomes, {self.num_outcomes}", _rows(self.outcomes)),
            *_section(f"observation, {self.observation_size} bytes", pieces),
            *_section("where the data come from", [(e.tag, f"{e.datum} ({e.source})") for e in self.provenance]),
        ])  # fmt: skip


def spans(texts: Texts) -> tuple[tuple[int, int, str], ...]:
    """Return first id, last id and texts of each span: 0, 5 and "visit jeweler ... visit market"."""
    rows = []
    for first, stop in pairwise([*texts.starts.values(), len(texts)]):
        last = stop - 1
        if last < first:
            continue
        named = texts.texts[first] if first == last else f"{texts.texts[first]} ... {texts.texts[last]}"
        rows.append((first, last, named))
    return tuple(rows)


def _rows(rows: tuple[tuple[int, int, str], ...]) -> list[tuple[str, str]]:
    return [(_span(first, last), text) for first, last, text in rows]


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _section(title: str, rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(left) for left, _ in rows), default=0)
    return ["", title, *(f"  {left:<{width}}  {right}" for left, right in rows)]


def _short(value: Any) -> str:
    text = visible(json.dumps(value))
    return text if len(text) <= MOST_VALUE else f"{text[: MOST_VALUE - 3]}..."
