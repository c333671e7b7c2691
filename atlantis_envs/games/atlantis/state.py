"""The position of Atlantis as one record, and the vocabulary of its nodes.

Every field is a function of the JSON position of section 16: equal positions have equal bytes. The path is held twice,
by space (what lies there) and by object (a bitboard: bit s is space s), and with it what its gaps cost, since legal
moves are questions about "the next olive" and "the toll to there".
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis import data
from atlantis_envs.kernels.vocabulary import Vocabulary

NONE = -1
NOWHERE = -2  # x while no pawn is chosen; -1 is Atlantis


class Phase(Vocabulary):
    """Where a game stops (16.1), in the order of a game."""

    FIRST = 0
    LAY = 1
    DEAL = 2
    TURN = 3
    PLAY = 4
    PAY = 5
    UNCOVER = 6
    AFTER = 7
    DRAW = 8
    OVER = 9


class Then(Vocabulary):
    """What follows the last card of a draw (16.2)."""

    TURN = 0
    NEXT = 1
    END = 2


PHASES = Phase.texts()
THEN = Then.texts()

# The items of a payment in their order (9.2): tiles 7 to 1, then cards.
ITEMS = (*(f"tile {value}" for value in range(data.NUM_VALUES, 0, -1)), *(f"card {thing}" for thing in data.OBJECTS))
ITEM_CARD = data.NUM_VALUES  # first card; a tile of value v is item 7 - v

_SEATS = data.MAX_PLAYERS
_SPACES = data.NUM_SPACES

STATE = packed(
    [
        ("boards", np.int64, (data.NUM_OBJECTS,)),  # object -> spaces whose top shows it
        ("gaps", np.int64),  # first spaces of the unbridged gaps; 0 while the path is incomplete (lay, uncover)
        ("bridges", np.int64),  # spaces of the bridges between the lowest and the highest tile (6.10)
        ("due", np.int16),  # still to pay, 0..MAX_TOLL; 0 in PAY if more may be given than is due
        ("draws", np.int16),  # cards still to come, 0..26
        ("sold", np.int16),  # sales this turn, 0..84
        ("final", np.int16, (_SEATS,)),  # seat -> score; 0 before the end
        ("phase", np.int8),  # a Phase
        ("first", np.int8),  # first seat; NONE before it is drawn
        ("seat", np.int8),  # whose turn it is, in DEAL who is dealt to; NONE in FIRST, LAY, OVER
        ("idle", np.int8),  # idle turns in a row, 0..players
        ("bridged", np.int8),  # 1: this seat has placed its bridge this turn
        ("pawn", np.int8),  # chosen pawn 0..2; NONE
        ("x", np.int8),  # where it is while cards are played, -1..53; NOWHERE
        ("last", np.int8),  # item given last, index of ITEMS; NONE
        ("space", np.int8),  # to be filled (LAY) or turned up (UNCOVER); NONE
        ("then", np.int8),  # a Then; NONE
        ("bought", np.int8, (data.NUM_OBJECTS,)),  # object -> cards bought this turn and not yet played (5.5)
        ("kind", np.int8, (_SPACES,)),  # space -> 0 no tile, else 1 + object of its top
        ("worth", np.int8, (_SPACES,)),  # space -> 0 no tile, else value of its top
        ("covered", np.int8, (_SPACES,)),  # space -> 1: an under tile lies there
        ("toll", np.uint8, (_SPACES + 2,)),  # 1 + place -> price of all gaps before it (6.3); 0 as gaps
        ("bag", np.int8, (2, data.NUM_TILES)),  # side, tile -> unseen ones
        ("pile", np.int8, (data.NUM_OBJECTS,)),  # object -> cards
        ("discard", np.int8, (data.NUM_OBJECTS,)),
        ("box", np.int8, (data.NUM_OBJECTS,)),
        ("pawns", np.int8, (_SEATS, data.NUM_PAWNS)),  # seat, pawn -> place -1..53
        ("hand", np.int8, (_SEATS, data.NUM_OBJECTS)),  # seat, object -> cards
        ("known", np.int8, (_SEATS, data.NUM_OBJECTS)),  # seat, object -> cards all know to be in that hand (11.3)
        ("tiles", np.int8, (_SEATS, data.NUM_VALUES)),  # seat, value - 1 -> collected tiles
        ("bridge", np.int8, (_SEATS,)),  # seat -> 1: bridge unused
    ]
)

# No byte of padding, so that a copy made field by field has equal bytes too.
assert sum(STATE[name].itemsize for name in STATE.names or ()) == STATE.itemsize
