"""The options of Atlantis (section 13), its reductions for theory (section 18), and the rules record they fill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.options import Between, Custom, GameOptions, Known, accepted, handicap_option, option
from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis import data, layout
from atlantis_envs.games.atlantis.layout import At

PRESETS: dict[str, dict[str, Any]] = {
    "amigo": {},
    "brettspielwelt": {"settlement": "subtract", "settlement_pawns": "all", "overpay": "any"},
}
DATA_KEYS = ("game", "about", "tile_set")
ANY_NUMBER = 84  # of sales: as many as there are tiles
MAX_START_HANDS = 1000  # length limit of the list, ours

Tiles = tuple[tuple[int, ...], tuple[int, ...]]  # side, tile -> how many


def tiles_to_json(tiles: Tiles) -> dict[str, dict[str, int]]:
    """Return both sides as multisets of tile names (16.1)."""
    return {
        side: {name: count for name, count in zip(data.TILES, counts, strict=True) if count}
        for side, counts in zip(data.SIDES, tiles, strict=True)
    }


@cache
def shipped_tiles() -> Tiles:
    """Return the reconstructed tile set that comes with the library (2.3)."""
    text = resources.files(__package__).joinpath("reconstructed.json").read_text("utf-8")
    sides: dict[str, dict[str, int]] = parse_json(text)["tile_set"]
    counts = [tuple(sides[side].get(name, 0) for name in data.TILES) for side in data.SIDES]
    return counts[0], counts[1]


@cache
def uniform_tiles() -> Tiles:
    """Return six of the seven values of each object on each side (2.4)."""
    counts = [
        tuple(int(value != lacking) for lacking in data.UNIFORM_LACKS[side] for value in range(1, data.NUM_VALUES + 1))
        for side in data.SIDES
    ]
    return counts[0], counts[1]


def read_start_hand(reader: Reader, path: str, value: Any, known: Known) -> tuple[int, ...]:
    """Read a number of cards for each seat in turn order (3.4)."""
    hands = reader.sequence(path, value, known["players"], MAX_START_HANDS)
    read = [reader.integer(f"{path}[{index}]", hand, 0, data.MAX_START_HAND) for index, hand in enumerate(hands)]
    return tuple(read) or (0,) * known["players"]


def read_tile_set(reader: Reader, path: str, value: Any, known: Known) -> str | Tiles:
    """Read a tile set by name, or two multisets, each of as many tiles as the path holds there (2.3 - 2.5, 18.2)."""
    places = places_of(known.get("path", FULL))
    full = places_of(FULL)
    if isinstance(value, str) and value in TILE_SETS and places == full:
        return value
    if not isinstance(value, Mapping):
        named = "'reconstructed', 'uniform', or " if places == full else ""
        reader.fault(path, f"{repr_short(value)}; allowed: {named}an object with keys A, B")
        return "reconstructed"
    sides = reader.mapping(path, value, data.SIDES, required=data.SIDES)
    counts = [read_tiles(reader, f"{path}.{side}", sides.get(side, {})) for side in data.SIDES]
    for side, row, due in zip(data.SIDES, counts, places, strict=True):
        if sum(row) != due and side in sides:
            reader.fault(f"{path}.{side}", f"{sum(row)} tiles; allowed: exactly {due}")
    return counts[0], counts[1]


def places_of(path: str | tuple[int, ...]) -> tuple[int, int]:
    """Return how many tiles a path holds on side A, and on side B (2.2, 18.1)."""
    heights = heights_of(path)
    return sum(heights[: data.STRAIT]), sum(heights[data.STRAIT :])


def heights_of(path: str | tuple[int, ...]) -> tuple[int, ...]:
    """Return how many tiles lie on each of the 53 spaces (2.2, 18.1)."""
    if isinstance(path, str):
        return tuple(data.HEIGHTS.tolist())
    return (*path, *(0,) * (data.NUM_SPACES - len(path)))


def read_path(reader: Reader, path: str, value: Any, known: Known) -> str | tuple[int, ...]:
    """Read the printed path, or how many tiles lie on spaces 0, 1, 2, ...; the others are water (18.1)."""
    if value == FULL:
        return FULL
    if isinstance(value, str) or not isinstance(value, Sequence):
        reader.fault(path, f"{repr_short(value)}; allowed: {PATH.text}")
        return FULL
    given = reader.sequence(path, value, 1, data.NUM_SPACES)
    most, before = data.HEIGHTS.tolist(), len(reader.faults)
    heights = tuple(reader.integer(f"{path}[{space}]", height, 0, most[space]) for space, height in enumerate(given))
    if len(reader.faults) == before and not any(heights):
        reader.fault(path, f"{repr_short(value)}; allowed: at least one tile")
    return heights if any(heights) else FULL


def read_cards(reader: Reader, path: str, value: Any, known: Known) -> str | tuple[int, ...]:
    """Read all cards, or a multiset of objects that is enough for the hands at the start (18.3)."""
    if value == FULL:
        return FULL
    if not isinstance(value, Mapping):
        reader.fault(path, f"{repr_short(value)}; allowed: {CARDS.text}")
        return FULL
    before = len(reader.faults)
    given = reader.mapping(path, value, data.OBJECTS)
    cards = tuple(
        reader.integer(f"{path}.{thing}", given[thing], 1, data.CARDS_PER_OBJECT) if thing in given else 0
        for thing in data.OBJECTS
    )
    due = sum(known["start_hand"][: known["players"]])
    if len(reader.faults) == before and sum(cards) < due:
        reader.fault(path, f"{sum(cards)} cards; allowed: at least the {due} of the hands at the start")
    return cards


def read_tiles(reader: Reader, path: str, value: Any) -> tuple[int, ...]:
    """Read a multiset of tile names (16.1)."""
    given = reader.mapping(path, value, data.TILES)
    return tuple(
        reader.integer(f"{path}.{name}", given[name], 1, data.TILES_PER_SIDE) if name in given else 0
        for name in data.TILES
    )


FULL = "full"
TILE_SETS = {"reconstructed": shipped_tiles, "uniform": uniform_tiles}
HANDS = Custom(f"a list of an integer 0..{data.MAX_START_HAND} for each seat or more", read_start_hand)
TILE_SET = Custom(
    f'"reconstructed", "uniform", or an object: A and B -> an object: tile -> number, {data.TILES_PER_SIDE} in all or '
    "as many as option path asks for",
    read_tile_set,
    lambda value: value if isinstance(value, str) else tiles_to_json(value),
)
OVERPAY = ("exact_first", "irredundant", "any")
OVERPAYING = {"exact_first": "exact_first", "overpay_at_will": "any"}
RESHUFFLE = ("at once", "when wanted")
PATH = Custom('"full", or a list of 1..53 heights of spaces 0, 1, ..., each 0 up to the printed one', read_path)
CARDS = Custom(
    f'"full", or an object: object -> 1..{data.CARDS_PER_OBJECT}, no fewer in all than the hands at the start',
    read_cards,
    lambda value: (
        value if isinstance(value, str) else {name: n for name, n in zip(data.OBJECTS, value, strict=True) if n}
    ),
)
SEATS = Between(data.MIN_PLAYERS, data.MAX_PLAYERS)
PAWNS = ("path", "all")
SETTLEMENT = ("items", "subtract")


@dataclass(frozen=True)
class AtlantisOptions(GameOptions):
    """Every option, with JSON values; the number of players has a key of its own in a position."""

    players: int = option(4, "number of seats", SEATS, "1.1", "players", key=None)
    first_player: str = option("seat0", "who starts", ("seat0", "random"), "3.1", {"random_first": "random"})
    start_hand: tuple[int, ...] = option((4, 5, 6, 7), "cards of the seats in turn order", HANDS, "3.4")
    path: str | tuple[int, ...] = option(FULL, "reduction: tiles of each space", PATH, "18.1", rare=True)
    tile_set: str | tuple[tuple[int, ...], tuple[int, ...]] = option(
        "reconstructed", "the tiles in the bags", TILE_SET, "2.3 - 2.5"
    )
    sells_per_turn: int | str = option(1, "sales per turn", (1, "any"), "4.3")
    sell_ones: bool = option(True, "a tile of value 1 may be sold, for nothing", bool, "4.3", "sell_ones")
    bought_cards_pay: bool = option(False, "bought cards may pay in the same turn", bool, "5.5, 6.6", "bought_pay")
    overpay: str = option("exact_first", "which payments are legal", OVERPAY, "6.7, 9.2", OVERPAYING)
    paid_cards: str = option("box", "where paid cards go", ("box", "discard"), "6.8", {"paid_to_discard": "discard"})
    bridge_after_move: bool = option(True, "the second window exists", bool, "6.9", "bridge_after_move")
    reshuffle: str = option(
        "at once", "when the discard becomes the pile", RESHUFFLE, "7.7", {"reshuffle_at_once": "at once"}
    )
    pass_bonus: bool = option(False, "a pass draws a card more for each own pawn at home", bool, "4.5", "pass_bonus")
    settlement: str = option("items", "the final payment", SETTLEMENT, "8.4, 8.5", {"subtract": "subtract"})
    settlement_pawns: str = option(
        "path", "whether pawns on Atlantis owe the way in the settlement", PAWNS, "8.3", {"start_pawns_pay": "all"}
    )
    cards: str | tuple[int, ...] = option(FULL, "reduction: the cards in the game", CARDS, "18.3", rare=True)
    pawns: int = option(
        data.NUM_PAWNS, "reduction: pawns of a seat", Between(1, data.NUM_PAWNS), "18.4", "pawns", rare=True
    )
    handicap: tuple[float, ...] = handicap_option("13.4")
    bridges: bool = option(True, "reduction: seats have a bridge", bool, "18.5", "bridges", rare=True)

    @property
    def tiles(self) -> Tiles:
        """Return the tiles themselves, by side (2.3 - 2.5)."""
        return TILE_SETS[self.tile_set]() if isinstance(self.tile_set, str) else self.tile_set

    def fill(self, rules: Record) -> None:
        """Write the rules record the kernels read."""
        super().fill(rules)
        rules.start_hand[: self.players] = self.start_hand[: self.players]
        rules.has_handicap = bool(self.handicap)
        rules.handicap[: len(self.handicap)] = [int(2 * points) for points in self.handicap]
        rules.sales = ANY_NUMBER if self.sells_per_turn == "any" else self.sells_per_turn
        rules.tiles[:] = self.tiles
        rules.heights[:] = heights_of(self.path)
        rules.cards[:] = data.CARDS_PER_OBJECT if isinstance(self.cards, str) else self.cards
        out = rules.observed_options
        out[:] = 0
        out[At.PLAYERS + self.players - data.MIN_PLAYERS] = 1
        several, others = self.sells_per_turn == "any", [rules[name] for name in OBSERVED]
        out[At.OPTIONS : At.OPTIONS + layout.NUM_OPTIONS] = (several, *others)


# Everything an option can change (section 13), read-only.
RULES = packed(
    [
        ("players", np.int16),
        ("sales", np.int16),  # per turn
        ("handicap", np.int16, (data.MAX_PLAYERS,)),  # place in turn order -> half points at the start (13.4)
        ("has_handicap", np.int16),  # 1: somebody has one
        *AtlantisOptions.numbers("random_first"),
        ("start_hand", np.int8, (data.MAX_PLAYERS,)),  # place in turn order -> cards
        *AtlantisOptions.numbers(
            "bought_pay", "sell_ones", "exact_first", "overpay_at_will", "paid_to_discard", "bridge_after_move",
            "reshuffle_at_once", "pass_bonus", "subtract", "start_pawns_pay",
        ),
        *AtlantisOptions.numbers("pawns", "bridges"),
        ("cards", np.int8, (data.NUM_OBJECTS,)),  # object -> how many in the game
        ("heights", np.int8, (data.NUM_SPACES,)),  # space -> tiles at the start
        ("tiles", np.int8, (2, data.NUM_TILES)),  # side, tile -> how many
        ("observed_options", np.uint8, (layout.OBSERVATION_SIZE,)),  # the part of every observation that options set
    ]
)  # fmt: skip
OBSERVED = (  # after whether several sales are allowed; tile sets show in the bags
    "bought_pay", "exact_first", "paid_to_discard", "bridge_after_move", "pass_bonus", "subtract", "random_first",
    "reshuffle_at_once", "overpay_at_will", "sell_ones", "start_pawns_pay",
)  # fmt: skip


def parse_options(players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]) -> AtlantisOptions:
    """Return options from keywords, over a table that replaces the reconstructed one, over the preset.

    Raises:
        OptionError: naming every option or table at fault and what it allows.
    """
    reader = Reader()
    count = reader.integer("players", data.MAX_PLAYERS if players is None else players, SEATS.low, SEATS.high)
    own = dict(options)
    preset = reader.choice("preset", own.pop("preset", "amigo"), tuple(PRESETS))
    default: dict[str, Any] = {}
    if tables is not None:
        given = reader.mapping("data", tables, DATA_KEYS)
        if "game" in given:
            reader.choice("data.game", given["game"], ("atlantis",))
        if "tile_set" in given and read_tile_set(reader, "data.tile_set", given["tile_set"], {}) != shipped_tiles():
            default = {"tile_set": given["tile_set"]}
    return accepted(reader, read_options(reader, "", {**default, **PRESETS[preset], **own}, count))


def read_options(reader: Reader, path: str, given: Any, players: int) -> AtlantisOptions:
    """Read options out of a JSON object, absent ones at their default; faults go to the reader."""
    return AtlantisOptions.read(reader, path, given, also=() if path else ("preset",), players=players)
