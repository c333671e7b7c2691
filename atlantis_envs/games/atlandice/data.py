"""The printed components of Atlandice as tables (section 2 of docs/rules/atlandice.md); no logic.

Numbers that kernels use are plain ints. Data that could not be read off a printed copy stand in ``reconstructed.json``
beside this file; a user replaces them with ``data=`` or with the options ``clock`` and ``needles``.
"""

from __future__ import annotations

from atlantis_envs.engine.contract import Provenance

# Sectors, always in this order (1.5); the five Districts come first, each linked to the type of the same number.
SECTORS = ("jeweler", "library", "inn", "machinery", "forge", "market")
DISTRICTS = SECTORS[:5]
JEWELER, LIBRARY, INN, MACHINERY, FORGE, MARKET = range(6)
NUM_SECTORS = 6
NUM_DISTRICTS = 5

# Resource types, always in this order (1.6).
TYPES = ("gem", "book", "provision", "tool", "weapon")
NUM_TYPES = 5

# Tiles (2.3): three per District; tile number t of District d has index 3 * d + t - 1.
TILES_PER_DISTRICT = 3
TILES = tuple(f"{letter}{number}" for letter in "JLIMF" for number in (1, 2, 3))
NUM_TILES = 15
J1, J2, J3, L1, L2, L3, I1, I2, I3, M1, M2, M3, F1, F2, F3 = range(NUM_TILES)
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

# Successful faces of the tiles that roll (2.3), as bit masks over faces 1..6.
J1_SUCCESS = 1 << 1 | 1 << 3 | 1 << 5
J3_SUCCESS = 1 << 6
L1_SUCCESS = 1 << 5 | 1 << 6
I1_SUCCESS = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4
F1_SUCCESS = 1 << 2 | 1 << 4 | 1 << 6
F3_SUCCESS = 1 << 6
L3_ORDINAL = 2

# Clock spaces (2.5): codes 0..4 are the Inventory of that type.
SPACE_TOTAL, SPACE_DONATION, SPACE_NONE, SPACE_START, SPACE_END = 5, 6, 7, 8, 9
SPACES = (*TYPES, "total", "donation", "none", "start", "end")
NUM_EVENTS = SPACE_DONATION + 1  # the five types, the total, Donation
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
