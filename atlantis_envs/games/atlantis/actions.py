"""The 84 actions and 60 chance outcomes of Atlantis, numbered as in 9.5 and 10.2."""

from __future__ import annotations

from atlantis_envs.engine.layout import Texts
from atlantis_envs.games.atlantis import data
from atlantis_envs.kernels.vocabulary import Vocabulary

ACTIONS = Texts(
    ("pass", ["pass"]),
    ("done", ["done"]),
    ("sell", [f"sell {value}" for value in range(data.SMALLEST_SALE, data.NUM_VALUES + 1)]),
    ("pawn", [f"pawn {number}" for number in range(data.NUM_PAWNS)]),
    ("play", [f"play {thing}" for thing in data.OBJECTS]),
    ("pay_tile", [f"pay tile {value}" for value in range(1, data.NUM_VALUES + 1)]),
    ("pay_card", [f"pay card {thing}" for thing in data.OBJECTS]),
    ("bridge", [f"bridge {space}" for space in range(1, data.NUM_SPACES - 1)]),
    ("sell_one", ["sell 1"]),  # an id of its own: it brings no card
)
# The first id of every kind of action.
Act = ACTIONS.first_ids(
    "Act",
    SELL=ACTIONS["sell"] - data.SMALLEST_SALE,  # + value
    PAY_TILE=ACTIONS["pay_tile"] - 1,  # + value
    BRIDGE=ACTIONS["bridge"] - 1,  # + space
)

OUTCOMES = Texts(
    ("seat", [f"seat {seat}" for seat in range(data.MAX_PLAYERS)]),
    ("top", [f"top {tile}" for tile in data.TILES]),
    ("card", [f"card {thing}" for thing in data.OBJECTS]),
)
Outcome = OUTCOMES.first_ids("Outcome")

# Chance streams: the cards of each seat and the under tiles of each side stand apart, so that another move neither
# shifts another seat's cards nor the tiles of the other side.
STREAMS = (
    "first player",
    "tops",
    *(f"under tiles, side {side}" for side in data.SIDES),
    *(f"cards, seat {seat}" for seat in range(data.MAX_PLAYERS)),
)


class Stream(Vocabulary):
    """The number of every stream, or of its first."""

    FIRST = 0
    TOPS = 1
    UNDER = 2  # + side
    CARDS = 4  # + seat
