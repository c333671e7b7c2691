"""The record the Atlantis heuristic thinks in: the observation unpacked, what it costs to travel, and scores."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics import which
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.actions import ACTIONS
from atlantis_envs.games.atlantis.layout import MOST_BRIDGES, NUM_OPTIONS, RUNS, At
from atlantis_envs.kernels.kernel import kernel

HOME = data.NUM_SPACES + 1  # places as in the observation: 0 Atlantis, 1 + s space s, 54 the mainland
PLACES = HOME + 1
LONGEST = 5  # occupied places a chain is followed over; longer ones are left to the mask
MOST_DUE = 40  # tolls above are paid as they come

SCRATCH = packed(
    [
        # 1 + object -> places a card leads to, bit p is place p; 0: water
        ("boards", np.int64, (data.NUM_OBJECTS + 1,)),
        ("tops", np.int64),  # places with a tile
        ("covered", np.int64),  # places with an under tile
        ("bridges", np.int64),
        ("occupied", np.int64),
        ("toll", np.int64, (PLACES,)),  # place -> price of all gaps before it (6.3)
        ("worth", np.int64, (PLACES,)),  # place -> value of its top, 0 none
        ("before", np.int64, (PLACES,)),  # place -> the next place below with a tile, 0 none
        ("free_before", np.int64, (PLACES,)),  # the same, without the places of pawns
        ("players", np.int64),
        ("pawns", np.int64, (data.MAX_PLAYERS, data.NUM_PAWNS)),  # HOME where nobody sits
        ("home", np.int64),  # own pawns at home
        ("own_at", np.int64),  # places of own pawns, bit p is place p; at most one on each between Atlantis and home
        ("others_at", np.int64),  # the same of the opponents,
        ("own_waiting", np.int64),  # own pawns on Atlantis
        ("others_waiting", np.int64),  # and those of the opponents
        ("hand", np.int64, (data.NUM_OBJECTS,)),
        ("things", np.int64, (data.NUM_OBJECTS + 1,)),  # the objects in hand in rising order,
        ("kinds", np.int64),  # ... and how many; those that are being tried out included
        ("hand_size", np.int64),  # cards in the own hand
        ("funds", np.int64),  # funds(H, B) of 5.5
        ("owned", np.int64, (data.MAX_PLAYERS,)),  # seat -> tiles and cards, T of 8.4
        ("handicap", np.float64, (data.MAX_PLAYERS,)),  # seat -> points at the start, which pay nothing
        ("start_pays", np.int64),  # 1: pawns on Atlantis owe the way at the end (8.3)
        ("left", np.int64),  # cards in pile and discard
        ("late", np.float64),  # 0 at the start .. 1 when a seat is about to end the game
        ("debt", np.float64),  # what a point of toll before an own pawn counts
        ("rival", np.float64),  # ... before a pawn of an opponent
        ("card", np.float64),  # what a card of a large hand counts above a point
        ("early", np.float64),  # how much more than a point a card still counts
        ("place", np.int64, (LONGEST + 1,)),  # the chain being tried: where it stands,
        ("index", np.int64, (LONGEST + 1,)),  # which of "things" to try next there,
        ("cost", np.float64, (LONGEST + 1,)),  # and what the cards so far cost
        # pawn, object -> the tile one card wins, less its toll
        ("gain", np.float64, (data.NUM_PAWNS, data.NUM_OBJECTS)),
        ("fit", np.float64, (data.NUM_OBJECTS,)),  # object -> the best of these
        ("rest", np.float64, (data.NUM_OBJECTS,)),  # object -> the best of these for the pawns that stay
        ("seen", np.int64),  # bits: places whose ``next_gain`` is known
        # place, object -> the same for a pawn that will stand there
        ("next_gain", np.float64, (PLACES, data.NUM_OBJECTS)),
        ("start", np.int64),  # the best move found: from
        ("target", np.int64),  # ... to
        ("best", np.float64),  # ... and its value
        ("floor", np.float64),  # moves that cannot be worth as much need no exact value
        ("chain", np.float64, (data.NUM_OBJECTS,)),  # first card -> value of the best chain it begins
        ("price", np.float64, (MOST_DUE + 1,)),  # due -> the least a payment costs
        ("legal", np.int64, (len(ACTIONS),)),  # the best actions in rising order
        ("score", np.float64, (len(ACTIONS),)),
    ]
)


@kernel
def unpack_cards(observation: Row, scratch: Record) -> None:
    """Read the own hand, what it may pay, and what everybody owns."""
    size, bought, kinds = 0, 0, 0
    left = int(observation[At.PILE])
    for thing in range(data.NUM_OBJECTS):
        number = int(observation[At.HAND + thing])
        scratch.hand[thing] = number
        size += number
        scratch.things[kinds] = thing
        kinds += 1 if number > 0 else 0
        bought += int(observation[At.BOUGHT + thing])
        left += int(observation[At.DISCARD + thing])
    scratch.hand_size = size
    scratch.kinds = kinds
    scratch.left = left
    scratch.players = which(observation, At.PLAYERS, data.MAX_PLAYERS - 1) + 2
    for seat in range(int(scratch.players)):
        total = int(observation[At.HAND_SIZE + seat])
        for index in range(data.NUM_VALUES):
            total += (index + 1) * int(observation[At.TILES + data.NUM_VALUES * seat + index])
        scratch.owned[seat] = total
        scratch.handicap[seat] = 0.5 * int(observation[At.HANDICAP + seat])
    scratch.funds = int(scratch.owned[0]) - bought


@kernel
def unpack_pawns(weights: Record, observation: Row, scratch: Record) -> None:
    """Read the pawns, and how late it is: how far the seat has come that is nearest to ending the game."""
    scratch.start_pays = int(observation[At.OPTIONS + NUM_OPTIONS - 1])
    occupied, furthest, own, waiting, own_waiting = 0, 0, 0, 0, 0
    for seat in range(int(scratch.players)):
        way = 0
        for number in range(data.NUM_PAWNS):
            place = int(observation[At.PAWNS + data.NUM_PAWNS * seat + number])
            scratch.pawns[seat, number] = place
            way += place
            occupied |= 1 << place
            waiting += 1 if place == 0 else 0
        furthest = max(furthest, way)
        own = occupied if seat == 0 else own
        own_waiting = waiting if seat == 0 else own_waiting
    occupied &= ~(1 | 1 << HOME)
    own &= occupied
    scratch.own_at = own
    scratch.others_at = occupied ^ own
    scratch.own_waiting = own_waiting
    scratch.others_waiting = waiting - own_waiting
    for seat in range(int(scratch.players), data.MAX_PLAYERS):
        for number in range(data.NUM_PAWNS):
            scratch.pawns[seat, number] = HOME
    scratch.occupied = occupied
    scratch.home = 0
    for number in range(data.NUM_PAWNS):
        if scratch.pawns[0, number] == HOME:
            scratch.home += 1
    scratch.late = weights.late_at[furthest]
    scratch.debt = weights.debt + weights.late_debt * scratch.late
    scratch.rival = weights.rival * (1.0 + scratch.late) / weights.spread_over[int(scratch.players) - 1]
    scratch.card = weights.card * (1.0 - weights.crowd * (int(scratch.players) - 3))
    scratch.early = 1.0 - weights.late_card * scratch.late


@kernel
def unpack_path(observation: Row, scratch: Record) -> None:
    """Read tops, under tiles, bridges, and the tolls (6.1 - 6.3).

    Where tiles are is as good as chance to a processor, so here it chooses values and not ways.
    """
    for thing in range(data.NUM_OBJECTS + 1):
        scratch.boards[thing] = 1 << HOME
    bridges = 0
    for number in range(MOST_BRIDGES):
        bridges |= 1 << int(observation[At.BRIDGES + number])
    scratch.bridges = bridges & -2
    tops, total, last, water, free, top, open_top = 0, 0, 0, 0, 0, 0, 0
    vacant = ~int(scratch.occupied)
    scratch.toll[0] = 0
    scratch.worth[0] = 0
    scratch.before[0] = 0
    scratch.free_before[0] = 0
    for place in range(1, HOME):
        worth = int(np.int64(observation[At.VALUE + place - 1]))
        land = 1 if worth != 0 else 0
        scratch.worth[place] = worth
        scratch.before[place] = top
        scratch.free_before[place] = open_top
        scratch.boards[int(np.int64(observation[At.OBJECT + place - 1])) * land] |= 1 << place
        tops |= land << place
        price = min(last, worth)  # 0 on water, and before the first tile
        total += price if water > free else 0
        scratch.toll[place] = total
        last = worth if land != 0 else last
        top = place if land != 0 else top
        open_top = place if (vacant >> place & land) != 0 else open_top
        free = 0 if land != 0 else free | bridges >> place & 1
        water = 1 - land
    scratch.before[HOME] = top
    scratch.free_before[HOME] = open_top
    scratch.toll[HOME] = total
    scratch.worth[HOME] = 0
    scratch.tops = tops
    covered = 0
    at: int = At.COVERED
    for start, stop in RUNS:
        for space in range(start, stop):
            covered |= int(observation[at + space - start]) << space + 1
        at += stop - start
    scratch.covered = covered


@kernel
def owes(scratch: Record, seat: int) -> int:
    """Return what a seat would owe if the game ended now (8.3)."""
    total = 0
    for number in range(data.NUM_PAWNS):
        place = int(scratch.pawns[seat, number])
        if place > 0 or scratch.start_pays != 0:
            total += int(scratch.toll[HOME]) - int(scratch.toll[place])
    return total
