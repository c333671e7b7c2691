"""What the bytes of an observation mean: named pieces and where they start.

Participants are counted from the observing seat clockwise; with two seats neutral is the third. Absent participants are
zero, so one network can serve two to four players.
"""

from __future__ import annotations

from atlantis_envs.engine.layout import Field, Layout
from atlantis_envs.engine.options import MOST_HANDICAP
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.state import NODES

MOST_POINTS = 127  # points are capped here
MOST_VISITS = 8
MOST_ROUNDS = 255
NUM_OPTIONS = 10

LAYOUT = Layout(
    Field("node", len(NODES), 1, "one-hot: the present node, in the order of state.NODES"),
    Field("resources", data.NUM_SECTORS * data.NUM_TYPES, data.MAX_PIECES_OF_TYPE, "Sector x type -> pieces"),
    Field("dice", data.NUM_SECTORS, data.MAX_DICE, "Sector -> dice beside it"),
    Field("tile", data.NUM_TILES, 1, "1: this tile is visible"),
    Field("hidden", data.NUM_TILES, 1, "1: this tile is still to be revealed"),
    Field(
        "stock",
        data.MAX_PARTICIPANTS * data.NUM_TYPES,
        data.MAX_PIECES_OF_TYPE,
        "participant from the own seat x type -> pieces",
    ),
    Field("points", data.MAX_PARTICIPANTS, MOST_POINTS, "participant -> points without tiles, capped at 127"),
    Field("tiles_won", data.MAX_PARTICIPANTS, data.NUM_TILES, "participant -> tiles won"),
    Field("owner", data.NUM_TILES, data.MAX_PARTICIPANTS, "0 nobody, else 1 + participant that won the tile"),
    Field("submarine", data.NUM_SECTORS, 1, "one-hot: where the submarine is"),
    Field("here", data.NUM_SECTORS, 1, "one-hot: the Sector being visited, if any"),
    Field("beneficiary", data.MAX_PARTICIPANTS, 1, "one-hot: who gets the pieces of this visit, if any"),
    Field("actor", data.MAX_PLAYERS, 1, "one-hot: the seat to decide, if any"),
    Field("first", data.MAX_PLAYERS, 1, "one-hot: the first player, once drawn"),
    Field("choice_type", data.NUM_TYPES, 1, "one-hot: the type named so far, if any"),
    Field("choice_sector", data.NUM_SECTORS, 1, "one-hot: the Sector named so far, if any"),
    Field("bare", data.NUM_DISTRICTS, 1, "1: refilled with nothing and still empty"),
    Field("given", data.MAX_PLAYERS, 1, "1: this seat has given its die to neutral this round"),
    Field("blocked", data.MAX_PLAYERS, 1, "1: no bonus at the machinery for this seat this round"),
    Field("visit", 1, MOST_VISITS, "visits of this round that are over"),
    Field("chain", 1, data.DEFAULT_CHAIN_CAP, "chained visits begun in this visit"),
    Field("to_end", 1, data.FAR, "clock spaces to the last one, capped at 63"),
    Field(
        "to_event",
        data.NUM_EVENTS,
        data.FAR,
        "spaces to the next Inventory of each type, of the total, Donation; capped at 63",
    ),
    Field("needles", data.NUM_TILES + 1, data.MAX_NEEDLES, "needles of every tile and of the market"),
    Field("players", data.MAX_PLAYERS - 1, 1, "one-hot: 2, 3, 4 players"),
    Field(
        "options",
        NUM_OPTIONS,
        1,
        "optional_effects, min_to_rank, orphan dice stay, same_type_exchange, block round, l3 counts beneficiary, "
        "neutral ranked in district, in inventory, in final, bare Districts spared",
    ),
    Field("chain_cap", 1, data.DEFAULT_CHAIN_CAP, "option chain_cap"),
    Field("round", 1, MOST_ROUNDS, "number of the round, capped at 255"),
    Field("handicap", data.MAX_PLAYERS, 2 * MOST_HANDICAP, "seat -> half points it began with; 0 before that"),
)
OBSERVATION_SIZE = LAYOUT.size
At = LAYOUT.starts("At")  # where each piece starts
