"""What lies where in Atlantis Rising, as plain values: documents, phrases and pictures are made of it.

While hands are open everybody sees everything (15.1); else what others hold, draw and put under the deck is a number
(15.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from atlantis_envs.base.values import Reader
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.setup import Setup
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Kind
from atlantis_envs.games.atlantis_rising.options import AtlantisRisingOptions
from atlantis_envs.games.atlantis_rising.state import (
    CITY_STAGES,
    COUNT_MASK,
    DONE_SHIFT,
    FRAMES,
    LIBRARY_STAGES,
    MAX_DISPLACED,
    NODES,
    NONE,
    PHASES,
    PURPOSES,
    READY_SHIFT,
    REASONS,
    STEPS,
    WILD_STAGES,
    Column,
    Frame,
    Result,
    Step,
)

SEAT_NUMBERS = {"spent_volunteers": "spent", "reserve": "reserve", "removed": "removed"}


def is_open(game: Setup) -> bool:
    """Return whether hands are open (option ``hands_open``)."""
    return cast(AtlantisRisingOptions, game.options).hands_open


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return what a seat may know.

    ``place`` says what lies where, in the words of the JSON document; ``legal`` has the texts of what can be done now,
    for those who may know the hand it follows from; ``values`` the target, symbol or rate of every place, ``capacity``
    how many pieces fit there, ``prices`` what components cost.
    """
    options, rules = cast(AtlantisRisingOptions, position.game.options), position.game.rules[0]
    state, node = position.state[0], position.node
    place = contents(options, state)
    if seat is not None and not options.hands_open:
        _hide(place, position, seat)
    return {
        "seat": seat,
        "players": options.players,
        "level": options.level,
        "round_limit": options.round_limit,
        "node": node,
        "name": NODES[state.node],
        "to_decide": position.seat,
        "legal": position.legal_actions() if options.hands_open or seat in (None, position.seat) else [],
        "scores": position.scores(),
        "returns": position.returns() if node == "over" else None,
        "truncated": node == "over" and position.truncated,
        "place": place,
        "values": dict(zip(data.LOCATIONS, rules.tile_value.tolist(), strict=False)),
        "capacity": dict(zip(data.LOCATIONS, rules.capacity.tolist(), strict=False)),
        "prices": {
            name: _counts(data.PRICE_TYPES, row) for name, row in zip(data.COMPONENTS, rules.price, strict=True)
        },
        "wrath": rules.wrath_values[: int(rules.wrath_last) + 1].tolist(),
        "gates": int(rules.gates),
    }


def _hide(place: dict[str, Any], position: Position, seat: int) -> None:
    """Take out what ``seat`` may not know while hands are closed (15.2)."""
    for other, person in enumerate(place["seats"]):
        if other != seat:
            person["hand"] = sum(person["hand"].values())
    unseen = position.game.definition.observation.view(position.observation(seat))["deck"]
    place["library"]["deck"] = _counts(data.CARDS, unseen)
    place["library"]["bottom"] = len(place["library"]["bottom"])
    for frame in place["pending"]:
        if frame["do"] == "library" and frame["seat"] != seat:
            frame["drawn"] = len(frame["drawn"])


def contents(options: AtlantisRisingOptions, state: Record) -> dict[str, Any]:
    """Return what a record holds, hidden cards included, keys in the order of section 20."""
    players = options.players
    boards, hologram, held = None, None, None
    if players <= 2:
        stack, discard = int(state.stack_boards), int(state.discarded_boards)
        boards = {"stack": _bits(data.COUNCILORS, stack), "discard": _bits(data.COUNCILORS, discard)}
        artifact = _name(data.ARTIFACTS, int(state.hologram_artifact))
        hologram = {"councilor": _name(data.COUNCILORS, int(state.hologram)), "artifact": artifact}
    if state.held_seat != NONE:
        kind, companion = data.KINDS[state.held_kind], _name(data.KINDS, int(state.held_companion))
        held = {"seat": int(state.held_seat), "kind": kind, "companion": companion}
    return {
        "phase": PHASES[state.phase],
        "round": int(state.round_number),
        "first": int(state.first),
        "turn": int(state.turn),
        "passes": int(state.passes),
        "flooded": dict(zip(data.PENINSULAS, state.flooded.tolist(), strict=True)),
        "barriers": list(_counts(data.PENINSULAS, state.barriers)),
        "wrath": int(state.wrath),
        "track_energy_taken": int(state.track_energy_taken),
        "blueprint": list(_counts(data.COMPONENTS, state.blueprint)),
        "built": _names(data.COMPONENTS, state.built),
        "built_this_round": int(state.built_this_round),
        "seats": [_seat(options, state, seat) for seat in range(players)],
        "placed": _placed(players, state),
        "volunteers": int(state.volunteers),
        "library": {
            "deck": _counts(data.CARDS, state.library_deck),
            "bottom": _names(data.CARDS, state.library_bottom),
            "discard": _counts(data.CARDS, state.library_discard),
        },
        "unused_artifacts": _bits(data.ARTIFACTS, int(state.unused_artifacts)),
        "misfortunes": {
            "deck": _counts(data.MISFORTUNES, state.misfortune_deck),
            "top": _names(data.MISFORTUNES, state.misfortune_top),
            "discard": _counts(data.MISFORTUNES, state.misfortune_discard),
        },
        "councilors": boards,
        "hologram": hologram,
        "effects": {
            "earthquake": int(state.earthquake),
            "atlas": dict(zip(data.PENINSULAS, state.atlas.tolist(), strict=False)),
            "closed": _bits(data.CLOSABLE, int(state.closed)),
            "build_limit": 1 if state.build_limit else None,
            "extra_floods": int(state.extra_floods),
        },
        "draws": [seat for seat in state.draws.tolist() if seat != NONE],
        "window": bool(state.window_open),
        **({"call": bool(state.call)} if options.casting_vote else {}),
        "held": held,
        "floods": int(state.floods),
        "pending": [frame_to_json(players, state, state.frames[number]) for number in range(state.num_frames)],
        "result": {"win": bool(state.result == Result.CORE), "reason": REASONS[state.result - 1]}
        if state.result
        else None,
    }


def _name(names: Sequence[str], number: int) -> str | None:
    return None if number == NONE else names[number]


def _names(names: Sequence[str], row: Any) -> list[str]:
    return [names[number] for number in row.tolist() if number != NONE]


def _counts(names: Sequence[str], row: Any) -> dict[str, int]:
    return {name: count for name, count in zip(names, row.tolist(), strict=True) if count}


def _bits(names: Sequence[str], bits: int) -> list[str]:
    return [name for number, name in enumerate(names) if bits >> number & 1]


def _seat(options: AtlantisRisingOptions, state: Record, seat: int) -> dict[str, Any]:
    document = {
        "councilor": _name(data.COUNCILORS, int(state.councilor[seat])),
        **dict(zip(data.GOODS, state.goods[seat].tolist(), strict=True)),
        "hand": _counts(data.BASIC_CARDS, state.hand[seat]),
        "artifacts": _bits(data.ARTIFACTS, int(state.artifacts[seat])),
        "scholar_artifact": _name(data.ARTIFACTS, int(state.scholar_artifact[seat])),
        "home": dict(zip(data.KINDS, state.home[seat].tolist(), strict=True)),
        **{key: int(state[field][seat]) for key, field in SEAT_NUMBERS.items()},
        "lifts": int(state.lifts[seat]),
        "yields": int(state.yields[seat]),
        "declines": int(state.declines[seat]),
        "barred": bool(state.barred[seat]),
        "used": _bits(data.USES, int(state.used[seat])),
    }
    if not options.hands_open:
        document["shown"] = _counts(data.BASIC_CARDS, state.public_hand[seat])
    return document


def _placed(players: int, state: Record) -> list[dict[str, Any]]:
    entries = []
    for location, seat in zip(*state.pieces[:, :players].nonzero(), strict=True):
        packed = int(state.pieces[location, seat])
        for kind, name in enumerate(data.KINDS):
            ready = packed >> READY_SHIFT[kind] & COUNT_MASK[kind]
            done = 0 if kind == Kind.AUTOMATON else packed >> DONE_SHIFT[kind] & COUNT_MASK[kind]
            if ready or done:
                at = data.LOCATIONS[location]
                entries.append({"at": at, "seat": int(seat), "kind": name, "ready": ready, "done": done})
    return entries


# -------------------------------------------------------------------------------------------------------------- frames


BIG = 99  # of counts in frames, our limit


@dataclass(frozen=True)
class Cell:
    """One column, or with a ``size`` a list in several, NONE beyond its end: integers, or texts if there are names.

    ``optional``: null is NONE.
    """

    column: int
    high: int = BIG
    names: tuple[str, ...] = ()
    size: int = 0
    optional: bool = False

    def write(self, state: Record, row: Any) -> Any:
        """Write the columns as JSON."""
        values = row[self.column : self.column + max(1, self.size)].tolist()
        found = [self.names[value] if self.names else value for value in values if value != NONE]
        return found if self.size else found[0] if found else None

    def read(self, reader: Reader, path: str, value: Any, state: Record, row: Any) -> None:
        """Read the columns from JSON."""
        row[self.column : self.column + max(1, self.size)] = NONE
        if self.optional and value is None:
            return
        for number, item in enumerate(reader.sequence(path, value, 0, self.size) if self.size else (value,)):
            at = f"{path}[{number}]" if self.size else path
            named = self.names.index(reader.choice(at, item, self.names)) if self.names else None
            row[self.column + number] = reader.integer(at, item, 0, self.high) if named is None else named


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


Codec = Cell | Flag | Dice | Price | Paid


@cache
def keys_of(do: int, players: int) -> dict[str, Codec]:
    """Return the keys of a frame besides ``do``, in the order they are written."""
    last = players - 1
    seat = Cell(Column.SEAT, last)
    order = Cell(Column.ORDER, last, size=data.MAX_PLAYERS)
    series: dict[str, Codec] = {"seat": seat, "left": Cell(Column.LEFT), "may": Flag(Column.MAY)}
    table: dict[int, dict[str, Codec]] = {
        Frame.SETUP: {"step": Cell(Column.STEP, names=STEPS)},
        Frame.SCHOLAR: {
            "seat": seat,
            "for": Cell(Column.PURPOSE, names=("seat", "hologram")),
            "seen": Cell(Column.SEEN, names=data.ARTIFACTS, size=2),
        },
        Frame.BOARD: {"seen": Cell(Column.SEEN, names=data.COUNCILORS, size=2)},
        Frame.TURN: {},
        Frame.PLACE: {"seat": seat, "kind": Cell(Column.KIND, names=data.KINDS)},
        Frame.LIFT: {"seat": seat, "kind": Cell(Column.KIND, names=data.KINDS)},
        Frame.RESOLVE: {"seat": seat},
        Frame.SHARE: {
            "for": Cell(Column.PURPOSE, names=PURPOSES),
            "target": Cell(Column.TARGET, names=data.PENINSULAS, optional=True),
            "type": Cell(Column.GOOD, names=data.GOODS),
            "rest": Cell(Column.REST),
            "order": order,
            "gives": Cell(Column.GIVES, size=data.MAX_PLAYERS),
        },
        Frame.CARD: {
            "seat": seat,
            "card": Cell(Column.CARD, names=data.BASIC_CARDS),
            "target": Cell(Column.TARGET, last, optional=True),
        },
        Frame.WARD: series,
        Frame.EBB: series,
        Frame.SWAP: {**series, "given": Cell(Column.GIVEN, names=data.GOODS[: data.NUM_RAW], optional=True)},
        Frame.LOOK: {
            "seat": seat,
            "open": Flag(Column.OPEN),
            "depth": Cell(Column.DEPTH, data.MAX_TOP),
            "left": Cell(Column.REMOVES),
        },
        Frame.MISFORTUNE: {
            "seat": seat,
            "card": Cell(Column.CARD, names=data.MISFORTUNES),
            "left": Cell(Column.CHOICES, 2),
            "not": Cell(Column.EXCEPT, names=data.PENINSULAS, optional=True),
        },
        Frame.DISPLACE: {
            "tiles": Cell(Column.TILES, names=data.LOCATIONS[: data.NUM_TILES], size=MAX_DISPLACED),
            "ask": order,
        },
        Frame.WILD: {
            "seat": seat,
            "at": Cell(Column.PLACE_AT, names=data.LOCATIONS),
            "target": Cell(Column.TARGET),
            "bonus": Cell(Column.BONUS),
            "value": Cell(Column.VALUE, optional=True),
            "priest": Flag(Column.MAY_REROLL),
            "stage": Cell(Column.STAGE, names=WILD_STAGES),
        },
        Frame.CITY: {
            "seat": seat,
            "at": Cell(Column.PLACE_AT, names=data.LOCATIONS),
            "dice": Dice(Column.DIE),
            "priest": Flag(Column.MAY_REROLL),
            "stage": Cell(Column.STAGE, names=CITY_STAGES),
        },
        Frame.LIBRARY: {
            "seat": seat,
            "symbol": Cell(Column.SYMBOL, names=data.SYMBOLS),
            "draw": Cell(Column.TO_DRAW, data.MAX_SEEN),
            "drawn": Cell(Column.DRAWN, names=data.CARDS, size=data.MAX_SEEN),
            "keep": Cell(Column.ALLOWANCE, 2),
            "stage": Cell(Column.STAGE, names=LIBRARY_STAGES),
        },
        Frame.BUILD: {
            "seat": seat,
            "at": Cell(Column.PLACE_AT, names=data.LOCATIONS),
            "component": Cell(Column.COMPONENT, names=data.COMPONENTS, optional=True),
            "price": Price(Column.PRICE),
            "paid": Paid(players),
        },
        Frame.MEMORY: {"order": order},
        Frame.MUSTER: {"seat": seat, "left": Cell(Column.LEFT)},
        Frame.AMPLIFY: {"seat": seat, "target": Cell(Column.TARGET, last, optional=True)},
        Frame.PRISM: {"seat": seat},
        Frame.LATTICE: {"order": order},
        Frame.SACRIFICE: {"seat": seat, "at": Cell(Column.PLACE_AT, names=data.LOCATIONS)},
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
