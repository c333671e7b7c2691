"""The printed components of Atlandice as tables (section 2 of docs/rules/atlandice.md); no logic.

Numbers that kernels use are plain ints. Data that could not be read off a printed copy stand in ``reconstructed.json``
beside this file; a user replaces them with ``data=`` or with the options ``clock`` and ``needles``.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Provenance
from atlantis_envs.kernels.vocabulary import Vocabulary


class Sector(Vocabulary):
    """Always in this order (1.5); the five Districts come first, each linked to the type of the same number."""

    JEWELER = 0
    LIBRARY = 1
    INN = 2
    MACHINERY = 3
    FORGE = 4
    MARKET = 5


SECTORS = Sector.texts()
DISTRICTS = SECTORS[:5]
NUM_SECTORS = 6
NUM_DISTRICTS = 5

# Resource types, always in this order (1.6).
TYPES = ("gem", "book", "provision", "tool", "weapon")
NUM_TYPES = 5


class Tile(Vocabulary):
    """Three per District (2.3): tile number t of District d has index 3 * d + t - 1."""

    J1 = 0
    J2 = 1
    J3 = 2
    L1 = 3
    L2 = 4
    L3 = 5
    I1 = 6
    I2 = 7
    I3 = 8
    M1 = 9
    M2 = 10
    M3 = 11
    F1 = 12
    F2 = 13
    F3 = 14


TILES_PER_DISTRICT = 3
TILES = tuple(tile.name for tile in Tile)
NUM_TILES = 15
NEEDLE_KEYS = (*TILES, "market")
MIN_NEEDLES, MAX_NEEDLES = 1, 3

# Numbers by player count (2.2).
MIN_PLAYERS, MAX_PLAYERS = 2, 4
MAX_PARTICIPANTS = 4
DISTRICT_PIECES = {2: 7, 3: 7, 4: 9}
MARKET_PIECES = 3
DICE = {2: 7, 3: 7, 4: 9}
MAX_DICE = 9
MAX_PIECES_OF_TYPE = 12
FACES = 6

# Points (2.4).
TILE_POINTS = 3
FIRST_TIE_POINTS = 3
SECOND_POINTS = 1
INVENTORY_POINTS = 1
DONATION_POINTS = 1
DONATION_PRICE = 2
FINAL_FIRST_POINTS = 3
FINAL_SECOND_POINTS = 1
REFILL_MARKET_TO = 3  # 7.6


class Success(Vocabulary):
    """The successful faces of the tiles that roll (2.3), as bit masks over faces 1..6."""

    J1 = 1 << 1 | 1 << 3 | 1 << 5
    J3 = 1 << 6
    L1 = 1 << 5 | 1 << 6
    I1 = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4
    F1 = 1 << 2 | 1 << 4 | 1 << 6
    F3 = 1 << 6


L3_ORDINAL = 2


class Space(Vocabulary):
    """Clock spaces (2.5); codes 0..4 are the Inventory of that type."""

    TOTAL = 5
    DONATION = 6
    NONE = 7
    START = 8
    END = 9


SPACES = (*TYPES, *Space.texts())
NUM_EVENTS = Space.DONATION + 1  # the five types, the total, Donation
FAR = 63  # distances on the clock are observed up to this
MAX_CLOCK = 1024  # length limit of a custom clock, ours

DEFAULT_CHAIN_CAP = 10

PROVENANCE = (
    Provenance("pieces, dice and visits by player count", "book", "2.2"),
    Provenance("tiles and their effects", "book", "2.3"),
    Provenance("points", "book", "2.4"),
    Provenance("kinds of clock icons, first and last space", "book", "2.5"),
    Provenance("order and number of clock spaces (A20, B24, C16)", "reconstructed", "2.5", "clock"),
    Provenance("needles of M1, M2, M3", "book", "2.6", "needles"),
    Provenance("needles of the other tiles and of the market", "reconstructed", "2.7", "needles"),
)
