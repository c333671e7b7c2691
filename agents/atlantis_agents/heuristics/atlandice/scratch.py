"""The observation, unpacked once per decision into whole numbers with names, and what is derived from it."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics import which
from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.actions import ACTIONS
from atlantis_envs.games.atlandice.data import Sector
from atlantis_envs.games.atlandice.layout import At
from atlantis_envs.games.atlandice.state import NONE, Node
from atlantis_envs.kernels.kernel import kernel

DICE_2, DICE_3, DICE_4 = data.DICE[2], data.DICE[3], data.DICE[4]
AT_MIN_TO_RANK = At.OPTIONS + 1
AT_NEUTRAL_IN_DISTRICT = At.OPTIONS + 6
AT_NEUTRAL_IN_FINAL = At.OPTIONS + 8
GIVER = data.MAX_PARTICIPANTS  # taker GIVER + seat: that seat takes for neutral (9.2); taker = seat: for itself
TAKERS = GIVER + 2  # only two seats give
MOST_NEEDLES = 4  # needles are 1..3 (2.7)
UNRANKED = -100  # a stock that never counts
EVERYBODY = sum(1 << data.NUM_TYPES * taker for taker in range(TAKERS))  # the bits of kind 0 in "fresh"

# Participants are counted from the own seat, which is 0; with two seats neutral is 2. The second record of an array
# keeps, while something is tried out in the first, what trying out may change: the fields from "stock" to "own".
SCRATCH = np.dtype(
    [
        ("node", np.int64),
        ("players", np.int64),
        ("participants", np.int64),
        ("visits", np.int64),  # of a round (2.2)
        ("visit", np.int64),  # of this round that are over
        ("first", np.int64),  # first player
        ("taker", np.int64),  # who takes, and for whom, in the present visit; NONE outside
        ("here", np.int64),  # Sector being visited; NONE
        ("choice_type", np.int64),
        ("choice_sector", np.int64),
        ("to_end", np.int64),
        ("unranked", np.float64),  # 1: holders of none are ranked too (option min_to_rank 0)
        ("to_come", np.float64),  # visits until the end of the game, roughly
        ("piece", np.float64),  # worth of any piece, apart from the races
        ("to_event", np.int64, (data.NUM_EVENTS,)),
        ("tile", np.int64, (data.NUM_SECTORS,)),  # visible tile; NONE
        ("needles", np.int64, (data.NUM_SECTORS,)),  # in force at each Sector (8.1)
        ("prize", np.float64, (data.NUM_TYPES,)),  # points of the first, Inventories ahead included
        ("total", np.float64, (data.MAX_PARTICIPANTS,)),  # points on the table and expected ones
        # seat, opponent -> what its points count; 0 elsewhere
        ("rivalry", np.float64, (data.MAX_PLAYERS, data.MAX_PLAYERS)),
        ("clock", np.float64, (data.MAX_PLAYERS, MOST_NEEDLES)),  # seat, needles -> what the hand's move means to it
        ("change", np.float64, (data.MAX_PARTICIPANTS,)),  # for one calculation
        ("stock", np.int8, (data.MAX_PARTICIPANTS, data.NUM_TYPES)),
        ("resources", np.int8, (data.NUM_SECTORS, data.NUM_TYPES)),
        ("pieces", np.int8, (data.NUM_SECTORS,)),  # of any type
        ("dice", np.int8, (data.NUM_SECTORS,)),
        ("tiles", np.int8, (data.NUM_SECTORS,)),  # visible and hidden ones; 0: exhausted, but the market has 1
        ("given", np.int8, (data.MAX_PLAYERS,)),
        ("submarine", np.int64),
        ("bank", np.float64),  # what trying out has brought the own seat, apart from the races
        ("level", np.int64, (data.NUM_TYPES,)),  # how soon each race is scored
        ("now", np.float64, (data.NUM_TYPES, data.MAX_PARTICIPANTS)),  # expected points of each race
        ("worth", np.float64, (data.NUM_TYPES,)),  # what they mean to the own seat
        ("fresh", np.int64),  # which of "own" are as the races are: bit NUM_TYPES * taker + kind
        ("races", np.int64),  # bits: races that were tried out, so that "own" and "stock" have to be taken back
        ("places", np.int64),  # bits: Sectors at which something was tried out
        # what one more piece means to the seat that takes it; see own_of
        ("own", np.float64, (data.NUM_TYPES, TAKERS)),
        ("legal", np.int64, (len(ACTIONS),)),  # the legal actions in rising order
        ("score", np.float64, (len(ACTIONS),)),
    ],
    align=True,
)


@kernel
def keep(scratch: Row) -> None:
    """Remember how things are before something is tried out."""
    scratch[0].races = 0
    scratch[0].places = 0
    kept, tried = scratch[1], scratch[0]
    kept.submarine = tried.submarine
    kept.bank = tried.bank
    kept.fresh = tried.fresh
    for seat in range(data.MAX_PLAYERS):
        kept.given[seat] = tried.given[seat]
    for kind in range(data.NUM_TYPES):
        copy_race(tried, kept, kind, int(tried.fresh))
    for sector in range(data.NUM_SECTORS):
        copy_place(tried, kept, sector)


@kernel
def undo(scratch: Row) -> None:
    """Take back everything that was tried out."""
    kept, tried = scratch[1], scratch[0]
    tried.submarine = kept.submarine
    tried.bank = kept.bank
    for seat in range(data.MAX_PLAYERS):
        tried.given[seat] = kept.given[seat]
    races, places = int(tried.races), int(tried.places)
    while races != 0:
        kind = lowest(races)
        copy_race(kept, tried, kind, int(kept.fresh))
        tried.fresh = int(tried.fresh) & ~(EVERYBODY << kind) | int(kept.fresh) & EVERYBODY << kind
        races &= races - 1
    while places != 0:
        copy_place(kept, tried, lowest(places))
        places &= places - 1
    tried.races = 0
    tried.places = 0


@kernel
def copy_race(source: Record, target: Record, kind: int, fresh: int) -> None:
    """Copy what concerns one race; of what a piece more means, which is asked anew else, only what is ``fresh``."""
    for place in range(data.MAX_PARTICIPANTS):
        target.stock[place, kind] = source.stock[place, kind]
        target.now[kind, place] = source.now[kind, place]
    target.level[kind] = source.level[kind]
    target.worth[kind] = source.worth[kind]
    if fresh & EVERYBODY << kind != 0:
        for taker in range(TAKERS):
            target.own[kind, taker] = source.own[kind, taker]


@kernel
def copy_place(source: Record, target: Record, sector: int) -> None:
    """Copy what lies on and beside one Sector."""
    for kind in range(data.NUM_TYPES):
        target.resources[sector, kind] = source.resources[sector, kind]
    target.pieces[sector] = source.pieces[sector]
    target.dice[sector] = source.dice[sector]
    target.tiles[sector] = source.tiles[sector]


@kernel
def unpack(observation: Row, scratch: Record) -> None:
    """Fill the part of the record that is plain observation."""
    scratch.node = which(observation, At.NODE, Node.REVEAL)
    players = which(observation, At.PLAYERS, data.MAX_PLAYERS - 1) + 2
    scratch.players = players
    scratch.participants = max(3, players)
    scratch.visits = (DICE_2 if players == 2 else DICE_3 if players == 3 else DICE_4) - 1
    scratch.visit = int(observation[At.VISIT])
    scratch.first = which(observation, At.FIRST, data.MAX_PLAYERS)
    scratch.here = which(observation, At.HERE, data.NUM_SECTORS)
    scratch.choice_type = which(observation, At.CHOICE_TYPE, data.NUM_TYPES)
    scratch.choice_sector = which(observation, At.CHOICE_SECTOR, data.NUM_SECTORS)
    scratch.submarine = which(observation, At.SUBMARINE, data.NUM_SECTORS)
    scratch.to_end = int(observation[At.TO_END])
    scratch.unranked = 1.0 - int(observation[AT_MIN_TO_RANK])
    scratch.bank = 0.0
    beneficiary = which(observation, At.BENEFICIARY, data.MAX_PARTICIPANTS)
    scratch.taker = GIVER if beneficiary > 0 else beneficiary
    for event in range(data.NUM_EVENTS):
        scratch.to_event[event] = int(observation[At.TO_EVENT + event])
    for seat in range(data.MAX_PLAYERS):
        scratch.given[seat] = int(observation[At.GIVEN + seat])
    unpack_pieces(observation, scratch)
    unpack_tiles(observation, scratch)


@kernel
def unpack_pieces(observation: Row, scratch: Record) -> None:
    """Read stocks, points, and what lies on and beside the Sectors."""
    for participant in range(data.MAX_PARTICIPANTS):
        for kind in range(data.NUM_TYPES):
            scratch.stock[participant, kind] = int(observation[At.STOCK + data.NUM_TYPES * participant + kind])
        tiles = int(observation[At.TILES_WON + participant])
        scratch.total[participant] = int(observation[At.POINTS + participant]) + data.TILE_POINTS * tiles
        half = int(observation[At.HANDICAP + participant]) & 1  # the rest is in the points
        scratch.total[participant] += 0.5 * half
    neutral_ranked = int(observation[AT_NEUTRAL_IN_DISTRICT]) + int(observation[AT_NEUTRAL_IN_FINAL])
    if int(scratch.players) == 2 and neutral_ranked == 0:
        for kind in range(data.NUM_TYPES):
            scratch.stock[2, kind] = UNRANKED
    for sector in range(data.NUM_SECTORS):
        pieces = 0
        for kind in range(data.NUM_TYPES):
            number = int(observation[At.RESOURCES + data.NUM_TYPES * sector + kind])
            scratch.resources[sector, kind] = number
            pieces += number
        scratch.pieces[sector] = pieces
        scratch.dice[sector] = int(observation[At.DICE + sector])


@kernel
def unpack_tiles(observation: Row, scratch: Record) -> None:
    """Read the visible tiles, how many are left, and the needles in force."""
    market_needles = int(observation[At.NEEDLES + data.NUM_TILES])
    scratch.tile[Sector.MARKET] = NONE
    scratch.tiles[Sector.MARKET] = 1
    scratch.needles[Sector.MARKET] = market_needles
    for district in range(data.NUM_DISTRICTS):
        start = data.TILES_PER_DISTRICT * district
        number = which(observation, At.TILE + start, data.TILES_PER_DISTRICT)
        tiles = 0 if number == NONE else 1
        for hidden in range(data.TILES_PER_DISTRICT):
            tiles += int(observation[At.HIDDEN + start + hidden])
        scratch.tiles[district] = tiles
        scratch.tile[district] = NONE if number == NONE else start + number
        scratch.needles[district] = market_needles if number == NONE else int(observation[At.NEEDLES + start + number])


assert NONE == -1
