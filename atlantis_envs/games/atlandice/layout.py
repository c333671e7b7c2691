"""What the bytes of an observation mean: named pieces and where they start.

Participants are counted from the observing seat clockwise; with two seats neutral is the third. Absent participants are
zero, so one network can serve two to four players.
"""

from __future__ import annotations

from atlantis_envs.engine.layout import Layout, Piece
from atlantis_envs.games.atlandice.data import (
    DEFAULT_CHAIN_CAP,
    FAR,
    MAX_DICE,
    MAX_NEEDLES,
    MAX_PARTICIPANTS,
    MAX_PIECES_OF_TYPE,
    MAX_PLAYERS,
    NUM_DISTRICTS,
    NUM_EVENTS,
    NUM_SECTORS,
    NUM_TILES,
    NUM_TYPES,
)
from atlantis_envs.games.atlandice.state import NODES

MOST_POINTS = 127  # points are capped here
MOST_VISITS = 8
MOST_ROUNDS = 255
NUM_OPTIONS = 9

LAYOUT = Layout(
    Piece("node", len(NODES), 1, "one-hot: the present node, in the order of state.NODES"),
    Piece("resources", NUM_SECTORS * NUM_TYPES, MAX_PIECES_OF_TYPE, "Sector x type -> pieces"),
    Piece("dice", NUM_SECTORS, MAX_DICE, "Sector -> dice beside it"),
    Piece("tile", NUM_TILES, 1, "1: this tile is visible"),
    Piece("hidden", NUM_TILES, 1, "1: this tile is still to be revealed"),
    Piece(
        "stock",
        MAX_PARTICIPANTS * NUM_TYPES,
        MAX_PIECES_OF_TYPE,
        "participant from the own seat x type -> pieces",
    ),
    Piece("points", MAX_PARTICIPANTS, MOST_POINTS, "participant -> points without tiles, capped at 127"),
    Piece("tiles_won", MAX_PARTICIPANTS, NUM_TILES, "participant -> tiles won"),
    Piece("owner", NUM_TILES, MAX_PARTICIPANTS, "0 nobody, else 1 + participant that won the tile"),
    Piece("submarine", NUM_SECTORS, 1, "one-hot: where the submarine is"),
    Piece("here", NUM_SECTORS, 1, "one-hot: the Sector being visited, if any"),
    Piece("beneficiary", MAX_PARTICIPANTS, 1, "one-hot: who gets the pieces of this visit, if any"),
    Piece("actor", MAX_PLAYERS, 1, "one-hot: the seat to decide, if any"),
    Piece("first", MAX_PLAYERS, 1, "one-hot: the first player, once drawn"),
    Piece("choice_type", NUM_TYPES, 1, "one-hot: the type named so far, if any"),
    Piece("choice_sector", NUM_SECTORS, 1, "one-hot: the Sector named so far, if any"),
    Piece("bare", NUM_DISTRICTS, 1, "1: refilled with nothing and still empty"),
    Piece("given", MAX_PLAYERS, 1, "1: this seat has given its die to neutral this round"),
    Piece("blocked", MAX_PLAYERS, 1, "1: no bonus at the machinery for this seat this round"),
    Piece("visit", 1, MOST_VISITS, "visits of this round that are over"),
    Piece("chain", 1, DEFAULT_CHAIN_CAP, "chained visits begun in this visit"),
    Piece("to_end", 1, FAR, "clock spaces to the last one, capped at 63"),
    Piece(
        "to_event",
        NUM_EVENTS,
        FAR,
        "spaces to the next Inventory of each type, of the total, Donation; capped at 63",
    ),
    Piece("needles", NUM_TILES + 1, MAX_NEEDLES, "needles of every tile and of the market"),
    Piece("players", MAX_PLAYERS - 1, 1, "one-hot: 2, 3, 4 players"),
    Piece(
        "options",
        NUM_OPTIONS,
        1,
        "optional_effects, min_to_rank, orphan dice stay, same_type_exchange, block round, l3 counts beneficiary, "
        "neutral ranked in district, in inventory, in final",
    ),
    Piece("chain_cap", 1, DEFAULT_CHAIN_CAP, "option chain_cap"),
    Piece("round", 1, MOST_ROUNDS, "number of the round, capped at 255"),
)
AT_NODE = LAYOUT["node"]
AT_RESOURCES = LAYOUT["resources"]
AT_DICE = LAYOUT["dice"]
AT_TILE = LAYOUT["tile"]
AT_HIDDEN = LAYOUT["hidden"]
AT_STOCK = LAYOUT["stock"]
AT_POINTS = LAYOUT["points"]
AT_TILES_WON = LAYOUT["tiles_won"]
AT_OWNER = LAYOUT["owner"]
AT_SUBMARINE = LAYOUT["submarine"]
AT_HERE = LAYOUT["here"]
AT_BENEFICIARY = LAYOUT["beneficiary"]
AT_ACTOR = LAYOUT["actor"]
AT_FIRST = LAYOUT["first"]
AT_CHOICE_TYPE = LAYOUT["choice_type"]
AT_CHOICE_SECTOR = LAYOUT["choice_sector"]
AT_BARE = LAYOUT["bare"]
AT_GIVEN = LAYOUT["given"]
AT_BLOCKED = LAYOUT["blocked"]
AT_VISIT = LAYOUT["visit"]
AT_CHAIN = LAYOUT["chain"]
AT_TO_END = LAYOUT["to_end"]
AT_TO_EVENT = LAYOUT["to_event"]
AT_NEEDLES = LAYOUT["needles"]
AT_PLAYERS = LAYOUT["players"]
AT_OPTIONS = LAYOUT["options"]
AT_CHAIN_CAP = LAYOUT["chain_cap"]
AT_ROUND = LAYOUT["round"]
OBSERVATION_SIZE = LAYOUT.size
