"""The position of Atlandice as one record, and the vocabulary of its nodes.

Every field is a function of the JSON position of section 17: equal positions have equal bytes.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlandice import data
from atlantis_envs.kernels.vocabulary import Vocabulary

NONE = -1


class Node(Vocabulary):
    """Where a game stops (10.1, 11): decisions first, then chance, then the end."""

    VISIT = 0
    TAKE = 1
    BONUS = 2
    EFFECT = 3
    EXTRA = 4
    RAID = 5
    RAID_TAKE = 6
    SWAP_OUT = 7
    SWAP_WITH = 8
    SWAP_IN = 9
    MOVE_TYPE = 10
    MOVE_TO = 11
    DIE_FROM = 12
    DIE_TO = 13
    SUBMARINE = 14
    DONATE = 15
    DONATE_MORE = 16
    REVEAL = 17
    FIRST_PLAYER = 18
    DIE = 19
    ROLL = 20
    REROLL = 21
    OVER = 22


NODES = Node.texts("_")

STATE = packed(
    [
        ("points", np.int32, (data.MAX_PARTICIPANTS,)),  # participant -> prestige points
        ("round_number", np.int32),  # 0 during setup
        ("hand", np.int16),  # clock space, 0..LAST
        ("node", np.int8),  # a Node
        ("actor", np.int8),  # seat to decide; NONE at chance and at the end
        ("first", np.int8),  # first player; NONE before it is drawn
        ("visit", np.int8),  # 0..V
        ("here", np.int8),  # Sector being visited; NONE outside steps (b), (c)
        ("beneficiary", np.int8),  # participant; NONE with here
        ("chain", np.int8),  # chained visits begun in this visit
        ("choice_type", np.int8),  # type named so far by a two-part effect, else NONE
        ("choice_sector", np.int8),  # Sector named so far, else NONE
        ("submarine", np.int8),  # Sector
        ("resources", np.int8, (data.NUM_SECTORS, data.NUM_TYPES)),  # Sector, type -> pieces
        ("dice", np.int8, (data.NUM_SECTORS,)),  # Sector -> dice beside it
        ("tile", np.int8, (data.NUM_DISTRICTS,)),  # visible tile number 1..3; 0 none
        ("hidden", np.int8, (data.NUM_DISTRICTS,)),  # bit t-1: tile number t is unrevealed
        (
            "bare",
            np.int8,
            (data.NUM_DISTRICTS,),
        ),  # 1: refilled with nothing and still empty; only in a stock check if not spared (7.1)
        ("stock", np.int8, (data.MAX_PARTICIPANTS, data.NUM_TYPES)),  # participant, type -> pieces
        ("owner", np.int8, (data.NUM_TILES,)),  # participant that won the tile; NONE
        ("given", np.int8, (data.MAX_PLAYERS,)),  # 1: seat has given its die to neutral this round (n = 2)
        ("blocked", np.int8, (data.MAX_PLAYERS,)),  # 1: no bonus at the machinery this round (14.2)
    ]
)
