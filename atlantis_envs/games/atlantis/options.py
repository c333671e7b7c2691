"""The options of Atlantis (section 13) and the rules record they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import Reader, shown
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.records import packed
from atlantis_envs.errors import OptionError
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.layout import AT_OPTIONS, AT_PLAYERS, NUM_OPTIONS, OBSERVATION_SIZE

PRESETS: dict[str, dict[str, Any]] = {
    "amigo": {},
    "brettspielwelt": {"settlement": "subtract", "settlement_pawns": "all", "overpay": "any"},
}
FIRST_PLAYER = ("seat0", "random")
TILE_SETS = ("reconstructed", "uniform")
SELLS_PER_TURN = (1, "any")
OVERPAY = ("exact_first", "irredundant", "any")
PAID_CARDS = ("box", "discard")
RESHUFFLE = ("at once", "when wanted")
SETTLEMENT = ("items", "subtract")
SETTLEMENT_PAWNS = ("path", "all")
OPTION_NAMES = (
    "first_player", "start_hand", "tile_set", "sells_per_turn", "sell_ones", "bought_cards_pay", "overpay",
    "paid_cards", "bridge_after_move", "reshuffle", "pass_bonus", "settlement", "settlement_pawns",
)  # fmt: skip
DATA_KEYS = ("game", "about", "tile_set")
ANY_NUMBER = 84  # of sales: as many as there are tiles
MAX_START_HANDS = 1000  # length limit of the list, ours

Tiles = tuple[tuple[int, ...], tuple[int, ...]]  # side, tile -> how many


@dataclass(frozen=True)
class AtlantisOptions:
    """Every option, with JSON values; ``to_json`` writes them all.

    Attributes:
        players: 2, 3 or 4 seats (1.1).
        first_player: who starts (3.1).
        start_hand: cards of the i-th seat in turn order; entries beyond the players are ignored (3.4).
        tile_set: "reconstructed", "uniform" or "custom" (2.3 - 2.5).
        tiles: the tiles themselves, by side.
        sells_per_turn: 1 or "any" (4.3).
        sell_ones: a tile of value 1 may be sold, for nothing (4.3).
        bought_cards_pay: bought cards may pay in the same turn (6.6).
        overpay: which payments are legal (6.7).
        paid_cards: where paid cards go (6.8).
        bridge_after_move: the second window exists (6.9).
        reshuffle: when the discard becomes the pile (7.7).
        pass_bonus: a pass draws a card more for each own pawn at home (4.5).
        settlement: the final payment (8.4, 8.5).
        settlement_pawns: whether pawns on Atlantis owe the way in the settlement (8.3).
    """

    players: int
    first_player: str
    start_hand: tuple[int, ...]
    tile_set: str
    tiles: Tiles
    sells_per_turn: int | str
    sell_ones: bool
    bought_cards_pay: bool
    overpay: str
    paid_cards: str
    bridge_after_move: bool
    reshuffle: str
    pass_bonus: bool
    settlement: str
    settlement_pawns: str

    def to_json(self) -> dict[str, Any]:
        """All options in the order of section 13; the number of players has a key of its own in a position."""
        return {
            "first_player": self.first_player,
            "start_hand": list(self.start_hand),
            "tile_set": self.tile_set if self.tile_set in TILE_SETS else tiles_to_json(self.tiles),
            "sells_per_turn": self.sells_per_turn,
            "sell_ones": self.sell_ones,
            "bought_cards_pay": self.bought_cards_pay,
            "overpay": self.overpay,
            "paid_cards": self.paid_cards,
            "bridge_after_move": self.bridge_after_move,
            "reshuffle": self.reshuffle,
            "pass_bonus": self.pass_bonus,
            "settlement": self.settlement,
            "settlement_pawns": self.settlement_pawns,
        }

    def fill(self, rules: Record) -> None:
        """Write the rules record the kernels read."""
        rules.players = self.players
        rules.random_first = self.first_player == "random"
        rules.start_hand[: self.players] = self.start_hand[: self.players]
        rules.sales = ANY_NUMBER if self.sells_per_turn == "any" else self.sells_per_turn
        rules.bought_pay = self.bought_cards_pay
        rules.sell_ones = self.sell_ones
        rules.exact_first = self.overpay == "exact_first"
        rules.overpay_at_will = self.overpay == "any"
        rules.paid_to_discard = self.paid_cards == "discard"
        rules.bridge_after_move = self.bridge_after_move
        rules.reshuffle_at_once = self.reshuffle == "at once"
        rules.pass_bonus = self.pass_bonus
        rules.subtract = self.settlement == "subtract"
        rules.start_pawns_pay = self.settlement_pawns == "all"
        rules.tiles[:] = self.tiles
        rules.observed_options[:] = observed_options(self)


# Everything an option can change (section 13), read-only.
RULES = packed(
    [
        ("players", np.int16),
        ("sales", np.int16),  # per turn
        ("random_first", np.int8),
        ("start_hand", np.int8, (data.MAX_PLAYERS,)),  # place in turn order -> cards
        ("bought_pay", np.int8),
        ("sell_ones", np.int8),
        ("exact_first", np.int8),
        ("overpay_at_will", np.int8),
        ("paid_to_discard", np.int8),
        ("bridge_after_move", np.int8),
        ("reshuffle_at_once", np.int8),
        ("pass_bonus", np.int8),
        ("subtract", np.int8),
        ("start_pawns_pay", np.int8),
        ("tiles", np.int8, (2, data.NUM_TILES)),  # side, tile -> how many
        ("observed_options", np.uint8, (OBSERVATION_SIZE,)),  # the part of every observation that options set
    ]
)


def observed_options(options: AtlantisOptions) -> NDArray[np.uint8]:
    """What options change (section 13), as an observation that is zero elsewhere; tile sets show in the bags."""
    out = np.zeros(OBSERVATION_SIZE, np.uint8)
    out[AT_PLAYERS + options.players - 2] = 1
    out[AT_OPTIONS : AT_OPTIONS + NUM_OPTIONS] = (
        options.sells_per_turn == "any",
        options.bought_cards_pay,
        options.overpay == "exact_first",
        options.paid_cards == "discard",
        options.bridge_after_move,
        options.pass_bonus,
        options.settlement == "subtract",
        options.first_player == "random",
        options.reshuffle == "at once",
        options.overpay == "any",
        options.sell_ones,
        options.settlement_pawns == "all",
    )
    return out


def tiles_to_json(tiles: Tiles) -> dict[str, dict[str, int]]:
    """Both sides as multisets of tile names (16.1)."""
    return {
        side: {name: count for name, count in zip(data.TILES, counts, strict=True) if count}
        for side, counts in zip(data.SIDES, tiles, strict=True)
    }


@cache
def shipped_tiles() -> Tiles:
    """The reconstructed tile set that comes with the library (2.3)."""
    text = resources.files(__package__).joinpath("reconstructed.json").read_text("utf-8")
    sides: dict[str, dict[str, int]] = parse_json(text)["tile_set"]
    counts = [tuple(sides[side].get(name, 0) for name in data.TILES) for side in data.SIDES]
    return counts[0], counts[1]


@cache
def uniform_tiles() -> Tiles:
    """Six of the seven values of each object on each side (2.4)."""
    counts = [
        tuple(int(value != lacking) for lacking in data.UNIFORM_LACKS[side] for value in range(1, data.NUM_VALUES + 1))
        for side in data.SIDES
    ]
    return counts[0], counts[1]


def parse_options(players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]) -> AtlantisOptions:
    """Options from keywords, over a table that replaces the reconstructed one, over the preset.

    Raises:
        OptionError: naming every option or table at fault and what it allows.
    """
    reader = Reader()
    seats = data.MAX_PLAYERS if players is None else players
    number = reader.integer("players", seats, data.MIN_PLAYERS, data.MAX_PLAYERS)
    own = dict(options)
    preset = reader.choice("preset", own.pop("preset", "amigo"), tuple(PRESETS))
    default_tiles: Any = "reconstructed"
    if tables is not None:
        given = reader.mapping("data", tables, DATA_KEYS)
        if "game" in given:
            reader.choice("data.game", given["game"], ("atlantis",))
        default_tiles = given.get("tile_set", default_tiles)
        name, tiles = read_tile_set(reader, "data.tile_set", default_tiles)
        if name == "custom" and tiles == shipped_tiles():
            default_tiles = "reconstructed"
    parsed = read_options(reader, "", {"tile_set": default_tiles, **PRESETS[preset], **own}, number)
    if reader.faults:
        raise OptionError("; ".join(f"{path}: {text}" for path, text in reader.faults))
    return parsed


def read_options(reader: Reader, path: str, given: Any, players: int) -> AtlantisOptions:
    """Options out of a JSON object, absent ones at their default; faults go to the reader."""
    prefix = f"{path}." if path else ""
    values = reader.mapping(path, given, OPTION_NAMES if path else (*OPTION_NAMES, "preset"))

    def choice(name: str, allowed: tuple[Any, ...]) -> Any:
        return reader.choice(f"{prefix}{name}", values.get(name, allowed[0]), allowed)

    def flag(name: str, default: bool) -> bool:
        return reader.boolean(f"{prefix}{name}", values.get(name, default))

    tile_set, tiles = read_tile_set(reader, f"{prefix}tile_set", values.get("tile_set", "reconstructed"))
    return AtlantisOptions(
        players=players,
        first_player=choice("first_player", FIRST_PLAYER),
        start_hand=read_start_hand(reader, f"{prefix}start_hand", values.get("start_hand", (4, 5, 6, 7)), players),
        tile_set=tile_set,
        tiles=tiles,
        sells_per_turn=choice("sells_per_turn", SELLS_PER_TURN),
        sell_ones=flag("sell_ones", True),
        bought_cards_pay=flag("bought_cards_pay", False),
        overpay=choice("overpay", OVERPAY),
        paid_cards=choice("paid_cards", PAID_CARDS),
        bridge_after_move=flag("bridge_after_move", True),
        reshuffle=choice("reshuffle", RESHUFFLE),
        pass_bonus=flag("pass_bonus", False),
        settlement=choice("settlement", SETTLEMENT),
        settlement_pawns=choice("settlement_pawns", SETTLEMENT_PAWNS),
    )


def read_start_hand(reader: Reader, path: str, value: Any, players: int) -> tuple[int, ...]:
    """A number of cards for each seat in turn order (3.4)."""
    hands = reader.sequence(path, value, players, MAX_START_HANDS)
    read = [reader.integer(f"{path}[{index}]", hand, 0, data.MAX_START_HAND) for index, hand in enumerate(hands)]
    return tuple(read) or (0,) * players


def read_tile_set(reader: Reader, path: str, value: Any) -> tuple[str, Tiles]:
    """A tile set by name, or two multisets of 42 tiles (2.3 - 2.5)."""
    if isinstance(value, str) and value in TILE_SETS:
        return value, uniform_tiles() if value == "uniform" else shipped_tiles()
    if not isinstance(value, Mapping):
        reader.fault(path, f"{shown(value)}; allowed: 'reconstructed', 'uniform', or an object with keys A, B")
        return "reconstructed", shipped_tiles()
    sides = reader.mapping(path, value, data.SIDES, required=data.SIDES)
    counts = [read_tiles(reader, f"{path}.{side}", sides.get(side, {})) for side in data.SIDES]
    for side, row in zip(data.SIDES, counts, strict=True):
        if sum(row) != data.TILES_PER_SIDE and side in sides:
            reader.fault(f"{path}.{side}", f"{sum(row)} tiles; allowed: exactly {data.TILES_PER_SIDE}")
    return "custom", (counts[0], counts[1])


def read_tiles(reader: Reader, path: str, value: Any) -> tuple[int, ...]:
    """A multiset of tile names (16.1)."""
    given = reader.mapping(path, value, data.TILES)
    return tuple(
        reader.integer(f"{path}.{name}", given[name], 1, data.TILES_PER_SIDE) if name in given else 0
        for name in data.TILES
    )
