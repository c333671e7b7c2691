"""The position of Atlantis Rising as one record, and the vocabulary of its phases, nodes and frames.

Every field is a function of the JSON position of section 20: equal positions have equal bytes. What runs is a small
stack of frames, the ``pending`` of the JSON position; a frame is one row of bytes, its columns are named here.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis_rising import data

NONE = -1

PHASES = ("setup", "start", "deploy", "misfortune", "actions", "wrath", "over")
SETUP, START, DEPLOY, MISFORTUNE, ACTIONS_PHASE, WRATH, ENDED = range(7)

REASONS = ("core", "sunk", "round limit")
UNDECIDED, BY_CORE, BY_SEA, BY_LIMIT = range(4)

# Decision nodes D1 ... D36 in the order of section 13, then chance nodes C1 ... C10 of section 14, then the end.
NODES = (
    "draft", "scholar", "board", "deploy", "place", "lift", "window", "flood", "react", "plague", "late", "act",
    "resolve", "reroll", "fail", "share", "recruit", "keep", "more", "build", "discount", "ward", "ebb", "chart",
    "repeat seat", "repeat at", "font", "give", "take", "look", "archive", "amplify", "gain", "muster", "sacrifice",
    "overflow",
    "C1 first", "C2 artifact", "C3 component", "C4 artificer", "C5 councilor", "C6 scholar", "C7 board",
    "C8 misfortune", "C8b look", "C9 die", "C10 library",
    "over",
)  # fmt: skip
(
    NODE_DRAFT, NODE_SCHOLAR, NODE_BOARD, NODE_DEPLOY, NODE_PLACE, NODE_LIFT, NODE_WINDOW, NODE_FLOOD, NODE_REACT,
    NODE_PLAGUE, NODE_LATE, NODE_ACT, NODE_RESOLVE, NODE_REROLL, NODE_FAIL, NODE_SHARE, NODE_RECRUIT, NODE_KEEP,
    NODE_MORE, NODE_BUILD, NODE_DISCOUNT, NODE_WARD, NODE_EBB, NODE_CHART, NODE_REPEAT_SEAT, NODE_REPEAT_AT, NODE_FONT,
    NODE_GIVE, NODE_TAKE, NODE_LOOK, NODE_ARCHIVE, NODE_AMPLIFY, NODE_GAIN, NODE_MUSTER, NODE_SACRIFICE, NODE_OVERFLOW,
) = range(36)  # fmt: skip
(
    CHANCE_FIRST, CHANCE_ARTIFACT, CHANCE_COMPONENT, CHANCE_ARTIFICER, CHANCE_COUNCILOR, CHANCE_SCHOLAR, CHANCE_BOARD,
    CHANCE_MISFORTUNE, CHANCE_LOOK, CHANCE_DIE, CHANCE_LIBRARY, NODE_OVER,
) = range(36, 48)  # fmt: skip

# Frames of ``pending``, in the order of section 20; 0 is an unused row.
FRAMES = (
    "", "setup", "scholar", "board", "turn", "place", "lift", "resolve", "share", "card", "ward", "ebb", "swap", "look",
    "misfortune", "displace", "wild", "city", "library", "build", "memory", "muster", "amplify", "prism", "lattice",
    "sacrifice",
)  # fmt: skip
(
    FRAME_SETUP, FRAME_SCHOLAR, FRAME_BOARD, FRAME_TURN, FRAME_PLACE, FRAME_LIFT, FRAME_RESOLVE, FRAME_SHARE,
    FRAME_CARD, FRAME_WARD, FRAME_EBB, FRAME_SWAP, FRAME_LOOK, FRAME_MISFORTUNE, FRAME_DISPLACE, FRAME_WILD, FRAME_CITY,
    FRAME_LIBRARY, FRAME_BUILD, FRAME_MEMORY, FRAME_MUSTER, FRAME_AMPLIFY, FRAME_PRISM, FRAME_LATTICE, FRAME_SACRIFICE,
) = range(1, 26)  # fmt: skip

# Columns of a frame. Two names of one column never occur in one kind of frame.
DO, SEAT = 0, 1
STEP = 2  # setup: STEP_*
KIND = 2  # place, lift
PLACE_AT = 2  # wild, city, build, sacrifice: location
PURPOSE = 2  # share: FOR_*; scholar: 1 for the hologram
CARD = 2  # card: basic card; misfortune: kind
LEFT = 2  # ward, ebb, swap, muster: how often still
OPEN = 2  # look: 1 while cards are still turned up
SYMBOL = 2  # library: KEEP_*
TARGET = 3  # share: peninsula; card, amplify: seat; wild: number to reach
MAY = 3  # ward, ebb, swap: 1 if declining is offered
DEPTH = 3  # look: how many of the known top cards are looked at
CHOICES = 3  # misfortune: choices still to make
TO_DRAW = 3  # library: cards still to draw
COMPONENT = 3  # build
GIVEN = 4  # swap: resource given, or NONE
EXCEPT = 4  # misfortune: peninsula excluded, or NONE
REMOVES = 4  # look: cards that may still be removed
BONUS = 4  # wild: added to the die
ALLOWANCE = 4  # library: cards that may still be kept
GOOD = 4  # share: goods
PRICE = 4  # build: four columns, price types
DIE = 4  # city: two columns, 0 = to be rolled
SEEN = 4  # scholar, board: two columns, NONE = to come
TILES = 4  # displace: three columns, locations or NONE
MAX_DISPLACED = 3
VALUE = 5  # wild: die + bonus, NONE before the roll
REST = 5  # share: still to pay
MAY_REROLL = 6  # wild, city: the priest piece may still be asked
ORDER = 7  # share, memory, lattice: seven columns of seats or NONE; displace: seats still to ask
STAGE = 7  # wild, city, library: STAGE_*
DRAWN = 8  # library: three columns of cards or NONE
GIVES = 14  # share: seven columns of amounts or NONE
FRAME_WIDTH = 21
FRAME_DEPTH = 4

STEPS = ("first", "artifact", "component", "artificer", "councilor", "draft")
STEP_FIRST, STEP_ARTIFACT, STEP_COMPONENT, STEP_ARTIFICER, STEP_COUNCILOR, STEP_DRAFT = range(6)
PURPOSES = ("barrier", "drain", "cities", "build")
FOR_BARRIER, FOR_DRAIN, FOR_CITIES, FOR_BUILD = range(4)
WILD_STAGES = ("roll", "priest", "roller")
CITY_STAGES = ("roll", "priest", "share", "recruit")
LIBRARY_STAGES = ("draw", "keep", "more")
STAGE_ROLL, STAGE_PRIEST, STAGE_ROLLER, STAGE_RECRUIT = range(4)
STAGE_SHARE = 2
STAGE_DRAW, STAGE_KEEP, STAGE_MORE = range(3)

# A seat's pieces at a location are packed into one integer: counts of ready and of done pieces by kind.
READY_SHIFT = (0, 1, 2, 7, 11)  # leader, hologram, follower, volunteer, automaton (always ready)
DONE_SHIFT = (12, 13, 14, 19, 23)
COUNT_MASK = (1, 1, 31, 15, 1)
READY_BITS = 12  # a done count lies so many bits above the ready count of its kind
AUTOMATON_BIT = 1 << 11
READY_MASK = AUTOMATON_BIT - 1  # all ready pieces but the automaton
DONE_MASK = READY_MASK << READY_BITS
CHIEF_DONE_MASK = 3 << READY_BITS  # leader and hologram
FOLLOWER_MASK = 31 << 2 | 31 << 14

MAX_DRAWS = 24  # 19: 7 seats and the two more of each maelstrom that one phase can bring
MAX_BOTTOM = 64

STATE = packed(
    [
        ("where", np.int64, (data.MAX_PLAYERS,)),  # seat -> bit l: it has a piece at location l
        ("goods", np.int32, (data.MAX_PLAYERS, data.NUM_GOODS)),  # seat -> ore, gold, crystal, atlantium, energy
        ("pieces", np.int32, (data.NUM_LOCATIONS, data.MAX_PLAYERS)),  # location, seat -> packed pieces
        ("round_number", np.int32),  # 0 during setup
        ("lifts", np.int16, (data.MAX_PLAYERS,)),  # left this round
        ("yields", np.int16, (data.MAX_PLAYERS,)),  # left this round
        ("passes", np.int16),  # consecutive ready or pass
        ("unused_artifacts", np.int16),  # bit a: artifact a is in no game zone
        ("artifacts", np.int16, (data.MAX_PLAYERS,)),  # bit a: in play by a card of the library
        ("stack_boards", np.int16),  # bit c: board c is in the councilor stack (n <= 2)
        ("discarded_boards", np.int16),  # bit c: board c is in the councilor discard
        ("node", np.int8),  # NODE_*, CHANCE_*
        ("actor", np.int8),  # seat to decide; NONE at chance nodes and at the end
        ("phase", np.int8),
        ("result", np.int8),  # UNDECIDED, BY_CORE, BY_SEA, BY_LIMIT
        ("first", np.int8),  # first player; 0 until known
        ("turn", np.int8),  # seat whose turn it is or is in progress, else first
        ("flooded", np.int8, (data.NUM_PENINSULAS,)),  # 0..6
        ("barriers", np.int8, (data.NUM_PENINSULAS,)),  # 1: has a barrier
        ("wrath", np.int8),  # index on the track
        ("track_energy_taken", np.int8),  # solo (4.2)
        ("blueprint", np.int8, (data.NUM_COMPONENTS,)),  # 1: on the blueprint, unbuilt
        ("built", np.int8, (data.BLUEPRINT_SIZE,)),  # components in order of completion, NONE beyond
        ("is_built", np.int8, (data.NUM_COMPONENTS,)),  # 1: built
        ("num_built", np.int8),
        ("built_this_round", np.int8),
        ("councilor", np.int8, (data.MAX_PLAYERS,)),  # seat -> councilor, or NONE
        ("hologram", np.int8),  # board of the hologram, or NONE
        ("hologram_artifact", np.int8),  # or NONE
        ("keeper", np.int8, (data.NUM_COUNCILORS,)),  # councilor -> seat, BY_HOLOGRAM, or NONE
        ("special_at", np.int8, (data.NUM_COUNCILORS,)),  # councilor -> location of its piece, or NONE
        ("crowd", np.int8, (data.NUM_LOCATIONS,)),  # location -> number of pieces
        ("hand", np.int8, (data.MAX_PLAYERS, data.NUM_BASIC)),  # seat, basic card -> number
        ("public_hand", np.int8, (data.MAX_PLAYERS, data.NUM_BASIC)),  # ``shown`` ones (15.2), hands closed only
        ("scholar_artifact", np.int8, (data.MAX_PLAYERS,)),  # seat -> artifact, or NONE
        ("home", np.int8, (data.MAX_PLAYERS, data.NUM_KINDS)),  # seat, kind -> pieces not placed
        ("spent", np.int8, (data.MAX_PLAYERS,)),  # volunteers sent home this round (7.13)
        ("reserve", np.int8, (data.MAX_PLAYERS,)),
        ("removed", np.int8, (data.MAX_PLAYERS,)),  # followers out of the game
        ("barred", np.int8, (data.MAX_PLAYERS,)),  # 1 until the end of the phase (9.5)
        ("used", np.int8, (data.MAX_PLAYERS,)),  # bits USED_*
        ("volunteers", np.int8),  # supply
        ("library_deck", np.int8, (data.NUM_CARDS,)),  # unknown part: card -> number
        ("library_discard", np.int8, (data.NUM_CARDS,)),
        ("library_bottom", np.int8, (MAX_BOTTOM,)),  # in drawing order, NONE beyond
        ("num_bottom", np.int8),
        ("misfortune_deck", np.int8, (data.NUM_MISFORTUNES,)),  # unknown part: kind -> number
        ("misfortune_discard", np.int8, (data.NUM_MISFORTUNES,)),
        ("misfortune_top", np.int8, (data.MAX_TOP,)),  # known, in drawing order, NONE beyond
        ("earthquake", np.int8),  # effects of the round from here
        ("atlas", np.int8, (data.NUM_WILD,)),
        ("closed", np.int8),  # bits: cities, libraries, forges, centre
        ("build_limit", np.int8),  # 1: at most one component this round
        ("extra_floods", np.int8),
        ("draws", np.int8, (MAX_DRAWS,)),  # drawing seats still to come, NONE beyond
        ("window_open", np.int8),
        ("held_seat", np.int8),  # 5.9: NONE, or the seat of the astrologer piece kept at home
        ("held_kind", np.int8),  # leader or hologram, NONE
        ("held_companion", np.int8),  # kind of the piece held with it, NONE
        ("floods", np.int8),  # Wrath floods still to choose
        ("num_frames", np.int8),
        ("frames", np.int8, (FRAME_DEPTH, FRAME_WIDTH)),  # the pending of section 20; zero beyond num_frames
        ("paid", np.int8, (data.MAX_PLAYERS, data.NUM_PRICE_TYPES)),  # agreed amounts of the running build
    ]
)

NUM_DETAILS = 14  # bytes of the top frame that an observation shows: columns 1 to 13, then the held seat
