"""Options of a game, each declared once, as a field of the game's frozen dataclass.

From the declaration come documents, reading with errors that name the option and what is allowed, the numbers of the
rules record, the help of the command line and docs/reference/options.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Self, TypeVar

import numpy as np

from atlantis_envs.base.values import Reader
from atlantis_envs.errors import OptionError, fault_text

NEEDED = object()  # the default of an option that every document has to name
WHOLE = object()  # a field of the rules record holds the value itself

T = TypeVar("T")
Known = Mapping[str, Any]  # fields read so far, and what the game adds


@dataclass(frozen=True)
class Between:
    """Integers from ``low`` to ``high``, both allowed, as what an option may be.

    >>> from atlantis_envs.authoring import Between, option
    >>> cards = option(5, "different cards", Between(2, 9))
    """

    low: int
    high: int


def plain(value: Any) -> Any:
    """Return a value as JSON holds it."""
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Custom:
    """Values of an option that the game reads itself.

    >>> from atlantis_envs.authoring import Custom, option
    >>> def read_even(reader, path, value, known):
    ...     return reader.choice(path, value, (0, 2, 4, 6, 8))
    >>> coins = option(2, "coins of each seat", Custom("an even integer 0..8", read_even))

    Attributes:
        text: what is allowed, in words.
        read: (reader, path, value, known) -> the value as the dataclass holds it. Faults go to the reader; ``known``
            has the options read so far.
        write: that value -> JSON.
    """

    text: str
    read: Callable[[Reader, str, Any, Known], Any]
    write: Callable[[Any], Any] = plain


@dataclass(frozen=True)
class Option:
    """What is declared of an option; see ``option``."""

    default: Any
    about: str
    allowed: type[bool] | Between | tuple[Any, ...] | Custom
    clause: str
    record: Mapping[str, Any]
    key: str | None
    rare: bool

    def read(self, reader: Reader, path: str, value: Any, known: Known) -> Any:
        """Return the value as the dataclass holds it, or a harmless one after noting a fault."""
        if isinstance(self.allowed, Custom):
            return self.allowed.read(reader, path, value, known)
        if isinstance(self.allowed, Between):
            return reader.integer(path, value, self.allowed.low, self.allowed.high)
        return (
            reader.choice(path, value, self.allowed) if isinstance(self.allowed, tuple) else reader.boolean(path, value)
        )

    def written(self, value: Any) -> Any:
        """Return the value as JSON."""
        return (self.allowed.write if isinstance(self.allowed, Custom) else plain)(value)

    def number(self, name: str) -> np.dtype[Any]:
        """Return the type of a field of the rules record: the smallest one that holds every allowed value."""
        if self.record[name] is WHOLE and isinstance(self.allowed, Between):
            return np.min_scalar_type(min(self.allowed.low, -1 - self.allowed.high))
        return np.dtype(np.int8)

    @property
    def allowed_text(self) -> str:
        """Return what the option may be, in words of JSON."""
        if isinstance(self.allowed, Custom):
            return self.allowed.text
        if isinstance(self.allowed, Between):
            return f"{self.allowed.low}..{self.allowed.high}"
        return ", ".join(map(json.dumps, self.allowed if isinstance(self.allowed, tuple) else (True, False)))


def option(
    default: Any,
    about: str,
    allowed: type[bool] | Between | tuple[Any, ...] | Custom,
    clause: str = "",
    record: str | Mapping[str, Any] = "",
    key: str | None = "",
    rare: bool = False,
) -> Any:
    """Return a field of a dataclass of options: one option of a game, declared.

    >>> from dataclasses import dataclass
    >>> from atlantis_envs.authoring import Between, GameOptions, option
    >>> @dataclass(frozen=True)
    ... class CardOptions(GameOptions):
    ...     players: int = option(2, "number of seats", (2,))
    ...     cards: int = option(5, "different cards", Between(2, 9), record="cards")
    >>> CardOptions.parse(None, None, {"cards": 3}).to_json()
    {'players': 2, 'cards': 3}

    Args:
        default: a value, or a function of the options read so far.
        about: what the option means.
        allowed: ``bool``, ``Between``, a tuple of values, or ``Custom``.
        clause: of the rules file.
        record: the field of the rules record that holds the value (0 for None). Or a mapping field -> value: the field
            is 1 where that value is chosen, or is among the chosen ones, else 0.
        key: its name in documents, if it is not that of the field; None if it stands beside the options there.
        rare: whether documents leave it out where it has its default, which is then a value.
    """
    record_fields = {record: WHOLE} if isinstance(record, str) and record else record or {}
    return field(metadata={"option": Option(default, about, allowed, clause, dict(record_fields), key, rare)})


MOST_HANDICAP = 50  # points, ours
MOST_LISTED = 1000  # seats, ours


def read_handicap(reader: Reader, path: str, value: Any, known: Known) -> tuple[float, ...]:
    """Read points for each seat in turn order, in halves; () where nobody has any."""
    none = isinstance(value, (list, tuple)) and not value
    given = [] if none else reader.sequence(path, value, known["players"], MOST_LISTED)
    for index, points in enumerate(given):
        number = isinstance(points, (int, float)) and not isinstance(points, bool)
        if not number or not 0 <= points <= MOST_HANDICAP or points * 2 % 1:
            reader.fault(f"{path}[{index}]", f"{points!r}; allowed: 0, 0.5, 1, ... {MOST_HANDICAP}")
            return ()
    own = tuple(float(points) for points in given[: known["players"]])
    return own if any(own) else ()


def handicap_option(clause: str) -> Any:
    """Return the option that gives seats points at the start, in turn order."""
    text = f"a list of 0, 0.5, 1, ... {MOST_HANDICAP} for each seat or more, or [] for none"
    allowed = Custom(text, read_handicap, lambda given: [points if points % 1 else int(points) for points in given])
    return option((), "points that seats begin with, in turn order; a half breaks ties", allowed, clause, rare=True)


@dataclass(frozen=True)
class GameOptions:
    """Options that are all declared with ``option``; a game's own frozen dataclass derives from this one.

    >>> import atlantis_envs
    >>> options = atlantis_envs.game("atlandice", players=2, chain_cap=7).options
    >>> from atlantis_envs.authoring import GameOptions
    >>> isinstance(options, GameOptions), options.to_json()["chain_cap"]
    (True, 7)
    """

    @classmethod
    @cache
    def declared(cls) -> dict[str, Option]:
        """Return every option by the name of its field, in order."""
        return {item.name: item.metadata["option"] for item in fields(cls)}

    @classmethod
    @cache
    def keys(cls) -> dict[str, str]:
        """Return the name of an option in documents -> its field."""
        keys = {name: declared.key for name, declared in cls.declared().items()}
        return {name if key == "" else key: name for name, key in keys.items() if key is not None}

    def to_json(self, with_rare: bool = False) -> dict[str, Any]:
        """Return the options in the order of the declaration.

        Args:
            with_rare: all of them; otherwise, as in documents, rare ones only where they are not the default.
        """
        written = {}
        for key, name in self.keys().items():
            declared, value = self.declared()[name], getattr(self, name)
            if with_rare or not declared.rare or value != declared.default:
                written[key] = declared.written(value)
        return written

    def fill(self, rules: Any) -> None:
        """Write the fields of the rules record that hold or tell the value of one option."""
        for name, declared in self.declared().items():
            value = getattr(self, name)
            for entry, when in declared.record.items():
                if when is WHOLE:
                    rules[entry] = 0 if value is None else value
                else:
                    rules[entry] = when in value if isinstance(value, tuple) else value == when

    @classmethod
    def numbers(cls, *names: str) -> list[tuple[str, np.dtype[Any]]]:
        """Return fields of the rules record that options set, for ``packed``: these, or all, the widest first."""
        found = {name: declared.number(name) for declared in cls.declared().values() for name in declared.record}
        return [(name, found[name]) for name in names or sorted(found, key=lambda name: -found[name].itemsize)]

    @classmethod
    def parse(cls, players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Self:
        """Return options from keywords, for a game without tables; what a declaration calls ``parse_options``.

        Raises:
            OptionError: naming every option at fault and what it allows.
        """
        reader = Reader()
        reader.choice("data", tables, (None,))
        seats = {} if players is None else {"players": players}
        return accepted(reader, cls.read(reader, "", {**seats, **options}))

    @classmethod
    def read(cls, reader: Reader, path: str, given: Any, also: Collection[str] = (), **known: Any) -> Self:
        """Return options out of a JSON object, absent ones at their default; faults go to the reader.

        Args:
            reader: collects the faults.
            path: of the object, "" at the top.
            given: the object.
            also: keys that are allowed and read elsewhere.
            **known: fields that have been read already, and whatever else the readers of the game want to know.
        """
        declared, keys = cls.declared(), cls.keys()
        needed = [key for key, name in keys.items() if declared[name].default is NEEDED]
        values = reader.mapping(path, given, (*keys, *also), needed)
        for key, name in keys.items():
            if name not in known:
                path_of_key = f"{path}.{key}" if path else key
                value = values[key] if key in values else declared[name].default
                if key not in values and callable(value):
                    value = value(known)
                heard = Reader() if value is NEEDED else reader  # it is missing, which is a fault already
                known[name] = declared[name].read(heard, path_of_key, value, known)
        return cls(**{name: known[name] for name in declared})


def explained(options: Any) -> dict[str, str]:
    """Return what each option means and may be, by its name in documents; {} for options not made by ``option``."""
    if not isinstance(options, GameOptions):
        return {}
    declared = ((key, options.declared()[name]) for key, name in options.keys().items())
    return {key: f"{item.about}; allowed: {item.allowed_text}" for key, item in declared}


def in_force(options: Any) -> dict[str, Any]:
    """Return every option as JSON, rare ones too; those of documents for options not made by ``option``."""
    return options.to_json(with_rare=True) if isinstance(options, GameOptions) else dict(options.to_json())


def accepted(reader: Reader, options: T) -> T:
    """Return the options, if they were read without a fault.

    Raises:
        OptionError: naming every option at fault and what it allows.
    """
    if reader.faults:
        raise OptionError(fault_text(reader.faults))
    return options
