"""The position of Atlantis Rising as one record, and the vocabulary of its phases, nodes and frames.

Every field is a function of the JSON position of section 20: equal positions have equal bytes. What runs is a small
stack of frames, the ``pending`` of the JSON position; a frame is one row of bytes, its columns are named here.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.kernels.vocabulary import Vocabulary

NONE = -1


class Phase(Vocabulary):
    """The phases of a game (4, 5)."""

    SETUP = 0
    START = 1
    DEPLOY = 2
    MISFORTUNE = 3
    ACTIONS = 4
    WRATH = 5
    OVER = 6


PHASES = Phase.texts()


class Result(Vocabulary):
    """Whether a game is over, and why (16)."""

    UNDECIDED = 0
    CORE = 1
    SUNK = 2
    ROUND_LIMIT = 3
    TRUNCATED = 4


REASONS = Result.texts()[1:]


class Node(Vocabulary):
    """Where a game stops: decisions D1 ... D37 as in section 13, chance as in section 14, then the end."""

    DRAFT = 0
    SCHOLAR = 1
    BOARD = 2
    DEPLOY = 3
    PLACE = 4
    LIFT = 5
    WINDOW = 6
    FLOOD = 7
    REACT = 8
    PLAGUE = 9
    LATE = 10
    ACT = 11
    RESOLVE = 12
    REROLL = 13
    FAIL = 14
    SHARE = 15
    RECRUIT = 16
    KEEP = 17
    MORE = 18
    BUILD = 19
    DISCOUNT = 20
    WARD = 21
    EBB = 22
    CHART = 23
    REPEAT_SEAT = 24
    REPEAT_AT = 25
    FONT = 26
    GIVE = 27
    TAKE = 28
    LOOK = 29
    ARCHIVE = 30
    AMPLIFY = 31
    GAIN = 32
    MUSTER = 33
    SACRIFICE = 34
    OVERFLOW = 35
    CALL = 36
    C1_FIRST = 37
    C2_ARTIFACT = 38
    C3_COMPONENT = 39
    C4_ARTIFICER = 40
    C5_COUNCILOR = 41
    C6_SCHOLAR = 42
    C7_BOARD = 43
    C8_MISFORTUNE = 44
    C8B_LOOK = 45
    C9_DIE = 46
    C10_LIBRARY = 47
    OVER = 48


_TEXTS = Node.texts()
_CHANCE = tuple(text.capitalize() for text in _TEXTS[Node.C1_FIRST : Node.OVER])
NODES = (*_TEXTS[: Node.C1_FIRST], *_CHANCE, *_TEXTS[Node.OVER :])


class Frame(Vocabulary):
    """The frames of ``pending``, in the order of section 20; 0 is an unused row."""

    SETUP = 1
    SCHOLAR = 2
    BOARD = 3
    TURN = 4
    PLACE = 5
    LIFT = 6
    RESOLVE = 7
    SHARE = 8
    CARD = 9
    WARD = 10
    EBB = 11
    SWAP = 12
    LOOK = 13
    MISFORTUNE = 14
    DISPLACE = 15
    WILD = 16
    CITY = 17
    LIBRARY = 18
    BUILD = 19
    MEMORY = 20
    MUSTER = 21
    AMPLIFY = 22
    PRISM = 23
    LATTICE = 24
    SACRIFICE = 25


FRAMES = ("", *Frame.texts())


class Column(Vocabulary):
    """The columns of a frame; two names of one column never occur in one kind of frame."""

    DO = 0  # Frame
    SEAT = 1
    STEP = 2  # setup: Step
    KIND = 2  # place, lift
    PLACE_AT = 2  # wild, city, build, sacrifice: location
    PURPOSE = 2  # share: Purpose; scholar: 1 for the hologram
    CARD = 2  # card: basic card; misfortune: kind
    LEFT = 2  # ward, ebb, swap, muster: how often still
    OPEN = 2  # look: 1 while cards are still turned up
    SYMBOL = 2  # library: Symbol
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
    VALUE = 5  # wild: die + bonus, NONE before the roll
    REST = 5  # share: still to pay
    MAY_REROLL = 6  # wild, city: the priest piece may still be asked
    ORDER = 7  # share, memory, lattice: seven columns of seats or NONE; displace: seats still to ask
    STAGE = 7  # wild, city, library: a stage of its own
    DRAWN = 8  # library: three columns of cards or NONE
    GIVES = 14  # share: seven columns of amounts or NONE


MAX_DISPLACED = 3
FRAME_WIDTH = 21
FRAME_DEPTH = 4


class Step(Vocabulary):
    """The steps of the setup."""

    FIRST = 0
    ARTIFACT = 1
    COMPONENT = 2
    ARTIFICER = 3
    COUNCILOR = 4
    DRAFT = 5


class Purpose(Vocabulary):
    """What a shared payment is for."""

    BARRIER = 0
    DRAIN = 1
    CITIES = 2
    BUILD = 3


class WildStage(Vocabulary):
    """The stages of a roll on a wild peninsula."""

    ROLL = 0
    PRIEST = 1
    ROLLER = 2


class CityStage(Vocabulary):
    """The stages of an action in the cities."""

    ROLL = 0
    PRIEST = 1
    SHARE = 2
    RECRUIT = 3


class LibraryStage(Vocabulary):
    """The stages of an action in a library."""

    DRAW = 0
    KEEP = 1
    MORE = 2


STEPS = Step.texts()
PURPOSES = Purpose.texts()
WILD_STAGES = WildStage.texts()
CITY_STAGES = CityStage.texts()
LIBRARY_STAGES = LibraryStage.texts()

# A seat's pieces at a location are packed into one integer: counts of ready and of done pieces by kind.
READY_SHIFT = (0, 1, 2, 7, 11)  # leader, hologram, follower, volunteer, automaton (always ready)
DONE_SHIFT = (12, 13, 14, 19, 23)
COUNT_MASK = (1, 1, 31, 15, 1)
READY_BITS = 12  # a done count lies so many bits above the ready count of its kind
AUTOMATON_BIT = 1 << 11
READY_MASK = AUTOMATON_BIT - 1  # all ready pieces but the automaton
DONE_MASK = READY_MASK << READY_BITS
CHIEF_DONE_MASK = 3 << READY_BITS  # leader and hologram
FOLLOWER_READY_MASK = 31 << 2
FOLLOWER_MASK = FOLLOWER_READY_MASK | FOLLOWER_READY_MASK << READY_BITS

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
        ("declines", np.int16, (data.MAX_PLAYERS,)),  # refused payments left this phase that do not bar (9.5)
        ("passes", np.int16),  # consecutive ready or pass
        ("unused_artifacts", np.int16),  # bit a: artifact a is in no game zone
        ("artifacts", np.int16, (data.MAX_PLAYERS,)),  # bit a: in play by a card of the library
        ("stack_boards", np.int16),  # bit c: board c is in the councilor stack (n <= 2)
        ("discarded_boards", np.int16),  # bit c: board c is in the councilor discard
        ("node", np.int8),  # a Node
        ("actor", np.int8),  # seat to decide; NONE at chance nodes and at the end
        ("phase", np.int8),
        ("result", np.int8),  # a Result
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
        ("used", np.int8, (data.MAX_PLAYERS,)),  # bits of Used
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
        ("call", np.int8),  # 1: the first player says whose turn comes next (5.4, option casting_vote)
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
