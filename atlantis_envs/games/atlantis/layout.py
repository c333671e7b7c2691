"""What the bytes of an observation mean: named pieces and where they start.

Seats are counted clockwise from the observing one; absent seats are zero, so one network can serve two to four
players. Places are counted from Atlantis: 0 is Atlantis, 1 + s space s, 54 the mainland.
"""

from __future__ import annotations

from atlantis_envs.engine.layout import Field, Layout
from atlantis_envs.engine.options import MOST_HANDICAP
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.state import ITEMS, PHASES, THEN

MOST_BRIDGES = 4
NUM_OPTIONS = 12
MOST_DRAWS = 26
MAX_TILES = 2 * data.TILES_PER_SIDE
LAST_PLACE = data.MAINLAND + 1
STACKS = tuple(
    space for space in range(data.NUM_SPACES) if data.HEIGHTS[space] == 2
)  # only these can have an under tile
RUNS = ((0, 10), (20, 26), (27, 33), (43, 53))  # the same as ranges

LAYOUT = Layout(
    Field("phase", len(PHASES), 1, "one-hot: the present phase, in the order of state.PHASES"),
    Field("object", data.NUM_SPACES, data.NUM_OBJECTS, "space -> 0 no tile, else 1 + object of its top"),
    Field("value", data.NUM_SPACES, data.NUM_VALUES, "space -> 0 no tile, else value of its top"),
    Field("covered", len(STACKS), 1, "space 0-9, 20-25, 27-32, 43-52 -> 1: an under tile lies there"),
    Field("bridges", MOST_BRIDGES, LAST_PLACE, "places of the first four bridges, ascending; 0 none"),
    Field("bag", 2 * data.NUM_TILES, data.TILES_PER_SIDE, "side x object x value -> tiles not seen yet"),
    Field("pawns", data.MAX_PLAYERS * data.NUM_PAWNS, LAST_PLACE, "seat x pawn -> place"),
    Field("hand", data.NUM_OBJECTS, data.CARDS_PER_OBJECT, "object -> cards of the own hand"),
    Field(
        "known",
        data.MAX_PLAYERS * data.NUM_OBJECTS,
        data.CARDS_PER_OBJECT,
        "seat x object -> cards all know to be in that hand",
    ),
    Field("hand_size", data.MAX_PLAYERS, data.NUM_CARDS, "seat -> cards in hand"),
    Field("tiles", data.MAX_PLAYERS * data.NUM_VALUES, MAX_TILES, "seat x value -> collected tiles"),
    Field("bridge", data.MAX_PLAYERS, 1, "seat -> 1: bridge unused"),
    Field("discard", data.NUM_OBJECTS, data.CARDS_PER_OBJECT, "object -> cards in the discard"),
    Field("box", data.NUM_OBJECTS, data.CARDS_PER_OBJECT, "object -> cards out of the game"),
    Field("pile", 1, data.NUM_CARDS, "cards in the pile"),
    Field("seat", data.MAX_PLAYERS, 1, "one-hot: whose turn it is, if anybody's"),
    Field("first", data.MAX_PLAYERS, 1, "one-hot: the first seat, once drawn"),
    Field("idle", 1, data.MAX_PLAYERS, "idle turns in a row"),
    Field("sold", 1, MAX_TILES, "sales this turn"),
    Field("bridged", 1, 1, "1: a bridge was placed this turn"),
    Field("bought", data.NUM_OBJECTS, data.CARDS_PER_OBJECT, "object -> own cards bought this turn and not yet played"),
    Field("pawn", data.NUM_PAWNS, 1, "one-hot: the chosen pawn, if any"),
    Field("chosen", 1, 1, "1: a pawn is chosen, and x is meant"),
    Field("x", 1, LAST_PLACE, "place of the chosen pawn while cards are played"),
    Field("due", 1, data.MAX_TOLL, "still to pay"),
    Field("last", 1, len(ITEMS), "1 + item given last, in the order of 9.2; 0 none"),
    Field("space", 1, LAST_PLACE, "place to be filled or turned up; 0 none"),
    Field("draws", 1, MOST_DRAWS, "cards still to come"),
    Field("then", len(THEN), 1, "one-hot: what follows the draw, if there is one"),
    Field("players", data.MAX_PLAYERS - 1, 1, "one-hot: 2, 3, 4 players"),
    Field(
        "options",
        NUM_OPTIONS,
        1,
        "several sales, bought cards pay, exact_first, paid cards to the discard, bridge after move, pass bonus, "
        "settlement by subtraction, random first player, pile rebuilt at once, overpaying at will, tiles of value 1 "
        "sold, pawns on Atlantis pay in the settlement",
    ),
    Field("handicap", data.MAX_PLAYERS, 2 * MOST_HANDICAP, "seat -> half points it began with; 0 before that"),
)
OBSERVATION_SIZE = LAYOUT.size
At = LAYOUT.starts("At")  # where each piece starts


assert sum(stop - start for start, stop in RUNS) == len(STACKS)
