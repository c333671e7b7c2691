"""The printed components of Atlantis as tables (section 2 of docs/rules/atlantis.md); no logic.

Numbers that kernels use are plain ints. The distribution of the tiles is printed nowhere; the reconstructed one stands
in ``reconstructed.json`` beside this file, and a user replaces it with ``data=`` or with the option ``tile_set``.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.definition import Provenance

MIN_PLAYERS, MAX_PLAYERS = 2, 4
NUM_PAWNS = 3

# Objects, always in this order (1.5); a card is an object, a tile an object and a value.
OBJECTS = ("ring", "amphora", "olive", "helmet", "flag", "statue", "crown")
NUM_OBJECTS = 7
NUM_VALUES = 7
TILES = tuple(f"{thing} {value}" for thing in OBJECTS for value in range(1, NUM_VALUES + 1))
NUM_TILES = len(TILES)  # different ones; tile "object o, value v" has index 7 * o + v - 1
CARDS_PER_OBJECT = 15
NUM_CARDS = 105

# The path (2.2). As places, Atlantis is -1 and the mainland 53 (1.4).
NUM_SPACES = 53
ATLANTIS, MAINLAND = -1, 53
STRAIT = 26  # the space that is water from the start
SIDES = ("A", "B")
TILES_PER_SIDE = 42
HEIGHTS = np.array([2] * 10 + [1] * 10 + [2] * 6 + [0] + [2] * 6 + [1] * 10 + [2] * 10, np.int64)

MAX_START_HAND = 26
SMALLEST_SALE = 2  # that brings a card (4.3)
PASS_CARDS = 2
MOVE_CARDS = 1
MAX_TOLL = 26 * NUM_VALUES  # a gap on every other space, between tiles of value 7

# The one value of 1..7 that an object lacks in tile set ``uniform`` (2.4).
UNIFORM_LACKS = {"A": (1, 2, 3, 4, 5, 6, 7), "B": (4, 5, 6, 7, 1, 2, 3)}

PROVENANCE = (
    Provenance("numbers of tiles, cards, pawns and bridges", "book", "2.1"),
    Provenance("shape of the path", "book", "2.2"),
    Provenance("objects and values of the 84 tiles", "reconstructed", "2.3", "tile_set"),
    Provenance("hands at the start of 4, 5 and 6 cards", "book", "3.4", "start_hand"),
    Provenance("hand of 7 cards for the fourth seat", "inferred", "3.4", "start_hand"),
)
