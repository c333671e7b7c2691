"""The position of Atlandice as one record, and the vocabulary of its nodes.

Every field is a function of the JSON position of section 17: equal positions have equal bytes.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlandice import data

NONE = -1

# Nodes (10.1, 11). Decisions first, then chance, then the end.
NODES = (
    "visit", "take", "bonus", "effect", "extra", "raid", "raid_take", "swap_out", "swap_with", "swap_in",
    "move_type", "move_to", "die_from", "die_to", "submarine", "donate", "donate_more",
    "reveal", "first_player", "die", "roll", "reroll", "over",
)  # fmt: skip
NODE_VISIT, NODE_TAKE, NODE_BONUS, NODE_EFFECT, NODE_EXTRA, NODE_RAID, NODE_RAID_TAKE = range(7)
NODE_SWAP_OUT, NODE_SWAP_WITH, NODE_SWAP_IN, NODE_MOVE_TYPE, NODE_MOVE_TO = range(7, 12)
NODE_DIE_FROM, NODE_DIE_TO, NODE_SUBMARINE, NODE_DONATE, NODE_DONATE_MORE = range(12, 17)
NODE_REVEAL, NODE_FIRST_PLAYER, NODE_DIE, NODE_ROLL, NODE_REROLL, NODE_OVER = range(17, 23)

STATE = packed(
    [
        ("points", np.int32, (data.MAX_PARTICIPANTS,)),  # participant -> prestige points
        ("round_number", np.int32),  # 0 during setup
        ("hand", np.int16),  # clock space, 0..LAST
        ("node", np.int8),  # NODE_*
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
        ("bare", np.int8, (data.NUM_DISTRICTS,)),  # 1: refilled with nothing and still empty (7.1)
        ("stock", np.int8, (data.MAX_PARTICIPANTS, data.NUM_TYPES)),  # participant, type -> pieces
        ("owner", np.int8, (data.NUM_TILES,)),  # participant that won the tile; NONE
        ("given", np.int8, (data.MAX_PLAYERS,)),  # 1: seat has given its die to neutral this round (n = 2)
        ("blocked", np.int8, (data.MAX_PLAYERS,)),  # 1: no bonus at the machinery this round (14.2)
    ]
)
