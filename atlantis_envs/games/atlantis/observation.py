"""What a seat sees (section 11): the whole position but the make-up of the pile, of other hands and of others' purchases.

Seats are counted clockwise from the observing one; absent seats are zero, so one network can serve two to four
players. Places are counted from Atlantis: 0 is Atlantis, 1 + s space s, 54 the mainland.
"""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.layout import Layout, Piece
from atlantis_envs.games.atlantis.data import (
    CARDS_PER_OBJECT,
    HEIGHTS,
    MAINLAND,
    MAX_PLAYERS,
    MAX_TOLL,
    NUM_CARDS,
    NUM_OBJECTS,
    NUM_PAWNS,
    NUM_SPACES,
    NUM_TILES,
    NUM_VALUES,
    TILES_PER_SIDE,
)
from atlantis_envs.games.atlantis.path import lowest
from atlantis_envs.games.atlantis.state import ITEMS, NONE, NOWHERE, PHASES, THEN

MOST_BRIDGES = 4
NUM_OPTIONS = 8
MOST_DRAWS = 26
MAX_TILES = 2 * TILES_PER_SIDE
LAST_PLACE = MAINLAND + 1
STACKS = tuple(space for space in range(NUM_SPACES) if HEIGHTS[space] == 2)  # only these can have an under tile
RUNS = ((0, 10), (20, 26), (27, 33), (43, 53))  # the same as ranges

LAYOUT = Layout(
    Piece("phase", len(PHASES), 1, "one-hot: the present phase, in the order of state.PHASES"),
    Piece("object", NUM_SPACES, NUM_OBJECTS, "space -> 0 no tile, else 1 + object of its top"),
    Piece("value", NUM_SPACES, NUM_VALUES, "space -> 0 no tile, else value of its top"),
    Piece("covered", len(STACKS), 1, "space 0-9, 20-25, 27-32, 43-52 -> 1: an under tile lies there"),
    Piece("bridges", MOST_BRIDGES, LAST_PLACE, "places of the first four bridges, ascending; 0 none"),
    Piece("bag", 2 * NUM_TILES, TILES_PER_SIDE, "side x object x value -> tiles not seen yet"),
    Piece("pawns", MAX_PLAYERS * NUM_PAWNS, LAST_PLACE, "seat x pawn -> place"),
    Piece("hand", NUM_OBJECTS, CARDS_PER_OBJECT, "object -> cards of the own hand"),
    Piece("known", MAX_PLAYERS * NUM_OBJECTS, CARDS_PER_OBJECT, "seat x object -> cards all know to be in that hand"),
    Piece("hand_size", MAX_PLAYERS, NUM_CARDS, "seat -> cards in hand"),
    Piece("tiles", MAX_PLAYERS * NUM_VALUES, MAX_TILES, "seat x value -> collected tiles"),
    Piece("bridge", MAX_PLAYERS, 1, "seat -> 1: bridge unused"),
    Piece("discard", NUM_OBJECTS, CARDS_PER_OBJECT, "object -> cards in the discard"),
    Piece("box", NUM_OBJECTS, CARDS_PER_OBJECT, "object -> cards out of the game"),
    Piece("pile", 1, NUM_CARDS, "cards in the pile"),
    Piece("seat", MAX_PLAYERS, 1, "one-hot: whose turn it is, if anybody's"),
    Piece("first", MAX_PLAYERS, 1, "one-hot: the first seat, once drawn"),
    Piece("idle", 1, MAX_PLAYERS, "idle turns in a row"),
    Piece("sold", 1, MAX_TILES, "sales this turn"),
    Piece("bridged", 1, 1, "1: a bridge was placed this turn"),
    Piece("bought", NUM_OBJECTS, CARDS_PER_OBJECT, "object -> own cards bought this turn and not yet played"),
    Piece("pawn", NUM_PAWNS, 1, "one-hot: the chosen pawn, if any"),
    Piece("chosen", 1, 1, "1: a pawn is chosen, and x is meant"),
    Piece("x", 1, LAST_PLACE, "place of the chosen pawn while cards are played"),
    Piece("due", 1, MAX_TOLL, "still to pay"),
    Piece("last", 1, len(ITEMS), "1 + item given last, in the order of 9.2; 0 none"),
    Piece("space", 1, LAST_PLACE, "place to be filled or turned up; 0 none"),
    Piece("draws", 1, MOST_DRAWS, "cards still to come"),
    Piece("then", len(THEN), 1, "one-hot: what follows the draw, if there is one"),
    Piece("players", MAX_PLAYERS - 1, 1, "one-hot: 2, 3, 4 players"),
    Piece(
        "options",
        NUM_OPTIONS,
        1,
        "several sales, bought cards pay, exact_first, paid cards to the discard, bridge after move, pass bonus, "
        "settlement by subtraction, random first player",
    ),
)
AT_PHASE = LAYOUT["phase"]
AT_OBJECT = LAYOUT["object"]
AT_VALUE = LAYOUT["value"]
AT_COVERED = LAYOUT["covered"]
AT_BRIDGES = LAYOUT["bridges"]
AT_BAG = LAYOUT["bag"]
AT_PAWNS = LAYOUT["pawns"]
AT_HAND = LAYOUT["hand"]
AT_KNOWN = LAYOUT["known"]
AT_HAND_SIZE = LAYOUT["hand_size"]
AT_TILES = LAYOUT["tiles"]
AT_BRIDGE = LAYOUT["bridge"]
AT_DISCARD = LAYOUT["discard"]
AT_BOX = LAYOUT["box"]
AT_PILE = LAYOUT["pile"]
AT_SEAT = LAYOUT["seat"]
AT_FIRST = LAYOUT["first"]
AT_IDLE = LAYOUT["idle"]
AT_SOLD = LAYOUT["sold"]
AT_BRIDGED = LAYOUT["bridged"]
AT_BOUGHT = LAYOUT["bought"]
AT_PAWN = LAYOUT["pawn"]
AT_CHOSEN = LAYOUT["chosen"]
AT_X = LAYOUT["x"]
AT_DUE = LAYOUT["due"]
AT_LAST = LAYOUT["last"]
AT_SPACE = LAYOUT["space"]
AT_DRAWS = LAYOUT["draws"]
AT_THEN = LAYOUT["then"]
AT_PLAYERS = LAYOUT["players"]
AT_OPTIONS = LAYOUT["options"]


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the position as ``seat`` sees it (11.1)."""
    out[:] = 0
    observe_path(state, out)
    observe_seats(rules, state, seat, out)
    observe_turn(rules, state, seat, out)
    observe_options(rules, out)


@kernel
def observe_path(state: Record, out: Row) -> None:
    """Tops, under tiles, bridges and both bags: open to all."""
    for space in range(NUM_SPACES):
        out[AT_OBJECT + space] = state.kind[space]
        out[AT_VALUE + space] = state.worth[space]
    at = AT_COVERED
    for start, stop in RUNS:
        for space in range(start, stop):
            out[at + space - start] = state.covered[space]
        at += stop - start
    for tile in range(NUM_TILES):
        out[AT_BAG + tile] = state.bag[0, tile]
        out[AT_BAG + NUM_TILES + tile] = state.bag[1, tile]
    bridges = int(state.bridges)
    for number in range(MOST_BRIDGES):
        if bridges != 0:
            out[AT_BRIDGES + number] = lowest(bridges) + 1
            bridges &= bridges - 1


@kernel
def observe_seats(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Pawns, tiles, bridges, hand sizes and known cards of all; the own hand; the piles of cards."""
    players = int(rules.players)
    for place in range(players):
        other = (seat + place) % players
        for number in range(NUM_PAWNS):
            out[AT_PAWNS + NUM_PAWNS * place + number] = int(state.pawns[other, number]) + 1
        cards = 0
        for thing in range(NUM_OBJECTS):
            cards += int(state.hand[other, thing])
            out[AT_KNOWN + NUM_OBJECTS * place + thing] = state.known[other, thing]
        out[AT_HAND_SIZE + place] = cards
        for index in range(NUM_VALUES):
            out[AT_TILES + NUM_VALUES * place + index] = state.tiles[other, index]
        out[AT_BRIDGE + place] = state.bridge[other]
    cards = 0
    for thing in range(NUM_OBJECTS):
        out[AT_HAND + thing] = state.hand[seat, thing]
        out[AT_DISCARD + thing] = state.discard[thing]
        out[AT_BOX + thing] = state.box[thing]
        cards += int(state.pile[thing])
    out[AT_PILE] = cards


@kernel
def observe_turn(rules: Record, state: Record, seat: int, out: Row) -> None:
    """All turn data; what was bought only if the own seat bought it."""
    players = int(rules.players)
    out[AT_PHASE + int(state.phase)] = 1
    if state.seat != NONE:
        out[AT_SEAT + (int(state.seat) - seat) % players] = 1
    if state.first != NONE:
        out[AT_FIRST + (int(state.first) - seat) % players] = 1
    out[AT_IDLE] = state.idle
    out[AT_SOLD] = state.sold
    out[AT_BRIDGED] = state.bridged
    if state.seat == seat:
        for thing in range(NUM_OBJECTS):
            out[AT_BOUGHT + thing] = state.bought[thing]
    if state.pawn != NONE:
        out[AT_PAWN + int(state.pawn)] = 1
    if state.x != NOWHERE:
        out[AT_CHOSEN] = 1
        out[AT_X] = int(state.x) + 1
    out[AT_DUE] = state.due
    out[AT_LAST] = int(state.last) + 1
    out[AT_SPACE] = int(state.space) + 1
    out[AT_DRAWS] = state.draws
    if state.then != NONE:
        out[AT_THEN + int(state.then)] = 1


@kernel
def observe_options(rules: Record, out: Row) -> None:
    """What options change (section 13); tile sets show in the bags."""
    out[AT_PLAYERS + int(rules.players) - 2] = 1
    out[AT_OPTIONS] = int(rules.sales) != 1
    out[AT_OPTIONS + 1] = rules.bought_pay
    out[AT_OPTIONS + 2] = rules.exact_first
    out[AT_OPTIONS + 3] = rules.paid_to_discard
    out[AT_OPTIONS + 4] = rules.bridge_after_move
    out[AT_OPTIONS + 5] = rules.pass_bonus
    out[AT_OPTIONS + 6] = rules.subtract
    out[AT_OPTIONS + 7] = rules.random_first


assert NOWHERE < NONE
assert sum(stop - start for start, stop in RUNS) == len(STACKS)
