"""The frames of ``pending`` as plain values: one table says what every kind holds, and both ways follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from atlantis_envs.base.values import Reader
from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.state import (
    CITY_STAGES,
    FRAMES,
    LIBRARY_STAGES,
    MAX_DISPLACED,
    NONE,
    PURPOSES,
    STEPS,
    WILD_STAGES,
    Column,
    Frame,
    Step,
)

BIG = 99  # of counts in frames, our limit


@dataclass(frozen=True)
class Number:
    """An integer in one column; ``optional``: null is NONE."""

    column: int
    high: int = BIG
    optional: bool = False

    def write(self, state: Record, row: Any) -> Any:
        """Write the column as JSON."""
        return None if self.optional and row[self.column] == NONE else int(row[self.column])

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the column from JSON."""
        row[self.column] = NONE if self.optional and value is None else reader.integer(path, value, 0, self.high)


@dataclass(frozen=True)
class Name:
    """A text out of a list in one column; ``optional``: null is NONE."""

    column: int
    names: tuple[str, ...]
    optional: bool = False

    def write(self, state: Record, row: Any) -> Any:
        """Write the column as JSON."""
        return None if row[self.column] == NONE else self.names[row[self.column]]

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the column from JSON."""
        empty = self.optional and value is None
        row[self.column] = NONE if empty else self.names.index(reader.choice(path, value, self.names))


@dataclass(frozen=True)
class Flag:
    """True or false in one column."""

    column: int

    def write(self, state: Record, row: Any) -> Any:
        """Write the column as JSON."""
        return bool(row[self.column])

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the column from JSON."""
        row[self.column] = reader.boolean(path, value)


@dataclass(frozen=True)
class Items:
    """A list in several columns, NONE beyond its end: texts if there are names, else integers."""

    column: int
    size: int
    names: tuple[str, ...] = ()
    high: int = BIG

    def write(self, state: Record, row: Any) -> Any:
        """Write the columns as JSON."""
        values = [int(value) for value in row[self.column : self.column + self.size] if value != NONE]
        return [self.names[value] for value in values] if self.names else values

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the columns from JSON."""
        row[self.column : self.column + self.size] = NONE
        for number, item in enumerate(reader.sequence(path, value, 0, self.size)):
            at = f"{path}[{number}]"
            code = (
                self.names.index(reader.choice(at, item, self.names))
                if self.names
                else reader.integer(at, item, 0, self.high)
            )
            row[self.column + number] = code


@dataclass(frozen=True)
class Dice:
    """Two dice, null while to be rolled."""

    column: int

    def write(self, state: Record, row: Any) -> Any:
        """Write the columns as JSON."""
        return [int(value) or None for value in row[self.column : self.column + 2]]

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the columns from JSON."""
        for number, die in enumerate(reader.sequence(path, value, 2, 2)):
            known = 0 if die is None else reader.integer(f"{path}[{number}]", die, 1, data.DICE_FACES)
            row[self.column + number] = known


@dataclass(frozen=True)
class Price:
    """Four amounts, or null."""

    column: int

    def write(self, state: Record, row: Any) -> Any:
        """Write the columns as JSON."""
        amounts = row[self.column : self.column + data.NUM_PRICE_TYPES]
        if amounts[0] == NONE:
            return None
        return {kind: int(amount) for kind, amount in zip(data.PRICE_TYPES, amounts, strict=True)}

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the columns from JSON."""
        row[self.column : self.column + data.NUM_PRICE_TYPES] = NONE
        if value is not None:
            price = reader.mapping(path, value, data.PRICE_TYPES, required=data.PRICE_TYPES)
            for number, kind in enumerate(data.PRICE_TYPES):
                amount = reader.integer(f"{path}.{kind}", price.get(kind, 0), 0, data.LAST_CONTRIBUTION)
                row[self.column + number] = amount


@dataclass(frozen=True)
class Paid:
    """The agreed amounts of every seat, which lie outside the frame."""

    players: int = data.MAX_PLAYERS

    def write(self, state: Record, row: Any) -> Any:
        """Write the agreed amounts of the state as JSON."""
        rows = state.paid[: self.players]
        return [
            {kind: int(amount) for kind, amount in zip(data.PRICE_TYPES, own, strict=True) if amount} for own in rows
        ]

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the agreed amounts into the state from JSON."""
        for seat, own in enumerate(reader.sequence(path, value, self.players, self.players)):
            amounts = reader.mapping(f"{path}[{seat}]", own, data.PRICE_TYPES)
            for number, kind in enumerate(data.PRICE_TYPES):
                amount = reader.integer(f"{path}[{seat}].{kind}", amounts.get(kind, 0), 0, data.LAST_CONTRIBUTION)
                state.paid[seat, number] = amount


Codec = Number | Name | Flag | Items | Dice | Price | Paid


def keys_of(do: int, players: int) -> dict[str, Codec]:
    """Return the keys of a frame besides ``do``, in the order they are written."""
    last = players - 1
    seat = Number(Column.SEAT, last)
    order = Items(Column.ORDER, data.MAX_PLAYERS, high=last)
    series: dict[str, Codec] = {"seat": seat, "left": Number(Column.LEFT), "may": Flag(Column.MAY)}
    table: dict[int, dict[str, Codec]] = {
        Frame.SETUP: {"step": Name(Column.STEP, STEPS)},
        Frame.SCHOLAR: {
            "seat": seat,
            "for": Name(Column.PURPOSE, ("seat", "hologram")),
            "seen": Items(Column.SEEN, 2, data.ARTIFACTS),
        },
        Frame.BOARD: {"seen": Items(Column.SEEN, 2, data.COUNCILORS)},
        Frame.TURN: {},
        Frame.PLACE: {"seat": seat, "kind": Name(Column.KIND, data.KINDS)},
        Frame.LIFT: {"seat": seat, "kind": Name(Column.KIND, data.KINDS)},
        Frame.RESOLVE: {"seat": seat},
        Frame.SHARE: {
            "for": Name(Column.PURPOSE, PURPOSES),
            "target": Name(Column.TARGET, data.PENINSULAS, optional=True),
            "type": Name(Column.GOOD, data.GOODS),
            "rest": Number(Column.REST),
            "order": order,
            "gives": Items(Column.GIVES, data.MAX_PLAYERS),
        },
        Frame.CARD: {
            "seat": seat,
            "card": Name(Column.CARD, data.BASIC_CARDS),
            "target": Number(Column.TARGET, last, optional=True),
        },
        Frame.WARD: series,
        Frame.EBB: series,
        Frame.SWAP: {**series, "given": Name(Column.GIVEN, data.GOODS[: data.NUM_RAW], optional=True)},
        Frame.LOOK: {
            "seat": seat,
            "open": Flag(Column.OPEN),
            "depth": Number(Column.DEPTH, data.MAX_TOP),
            "left": Number(Column.REMOVES),
        },
        Frame.MISFORTUNE: {
            "seat": seat,
            "card": Name(Column.CARD, data.MISFORTUNES),
            "left": Number(Column.CHOICES, 2),
            "not": Name(Column.EXCEPT, data.PENINSULAS, optional=True),
        },
        Frame.DISPLACE: {
            "tiles": Items(Column.TILES, MAX_DISPLACED, data.LOCATIONS[: data.NUM_TILES]),
            "ask": order,
        },
        Frame.WILD: {
            "seat": seat,
            "at": Name(Column.PLACE_AT, data.LOCATIONS),
            "target": Number(Column.TARGET),
            "bonus": Number(Column.BONUS),
            "value": Number(Column.VALUE, optional=True),
            "priest": Flag(Column.MAY_REROLL),
            "stage": Name(Column.STAGE, WILD_STAGES),
        },
        Frame.CITY: {
            "seat": seat,
            "at": Name(Column.PLACE_AT, data.LOCATIONS),
            "dice": Dice(Column.DIE),
            "priest": Flag(Column.MAY_REROLL),
            "stage": Name(Column.STAGE, CITY_STAGES),
        },
        Frame.LIBRARY: {
            "seat": seat,
            "symbol": Name(Column.SYMBOL, data.SYMBOLS),
            "draw": Number(Column.TO_DRAW, data.MAX_SEEN),
            "drawn": Items(Column.DRAWN, data.MAX_SEEN, data.CARDS),
            "keep": Number(Column.ALLOWANCE, 2),
            "stage": Name(Column.STAGE, LIBRARY_STAGES),
        },
        Frame.BUILD: {
            "seat": seat,
            "at": Name(Column.PLACE_AT, data.LOCATIONS),
            "component": Name(Column.COMPONENT, data.COMPONENTS, optional=True),
            "price": Price(Column.PRICE),
            "paid": Paid(players),
        },
        Frame.MEMORY: {"order": order},
        Frame.MUSTER: {"seat": seat, "left": Number(Column.LEFT)},
        Frame.AMPLIFY: {"seat": seat, "target": Number(Column.TARGET, last, optional=True)},
        Frame.PRISM: {"seat": seat},
        Frame.LATTICE: {"order": order},
        Frame.SACRIFICE: {"seat": seat, "at": Name(Column.PLACE_AT, data.LOCATIONS)},
    }
    return table[do]


def frame_to_json(players: int, state: Record, row: Any) -> dict[str, Any]:
    """Write a frame as in section 20."""
    codecs = keys_of(int(row[Column.DO]), players)
    return {"do": FRAMES[row[Column.DO]], **{key: codec.write(state, row) for key, codec in codecs.items()}}


def read_frame(reader: Reader, path: str, value: Any, players: int, state: Record, row: Any) -> None:
    """Read a frame from JSON; faults go to the reader."""
    named = value.get("do") if isinstance(value, Mapping) else None
    do = reader.choice(f"{path}.do", named, FRAMES[1:])
    row[Column.DO] = FRAMES.index(do)
    codecs = keys_of(int(row[Column.DO]), players)
    given = reader.mapping(path, value, ("do", *codecs), required=tuple(codecs))
    for key, codec in codecs.items():
        if key in given:
            codec.read(reader, f"{path}.{key}", given[key], state, row)
    if row[Column.DO] == Frame.BOARD:
        row[Column.SEAT] = state.first
    if row[Column.DO] == Frame.SETUP and not given:
        row[Column.STEP] = Step.FIRST
