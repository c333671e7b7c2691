"""What a frame of each kind can hold, where it can lie and which nodes it leads to (section 20), as tables.

``LOW`` and ``HIGH`` bound every column; a column that is not named holds 0. ``PARENTS`` has the frames that one may lie
on, ``PHASES_OF`` the phases it occurs in, ``NODES_OF`` the nodes at which it is on top, all as bits.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising import state as s

Bounds = dict[int, tuple[int, int]]  # column -> lowest, highest

BOTTOM = 0  # in PARENTS: no frame below
LAST_SEAT = 127  # in HIGH: the number of players less one
ACTING = (s.Phase.DEPLOY, s.Phase.MISFORTUNE, s.Phase.ACTIONS)
IN_TURN = (s.Frame.TURN,)
BY_CARD_TOO = (s.Frame.TURN, s.Frame.CARD)
SEAT_COLUMN: Bounds = {s.Column.SEAT: (0, LAST_SEAT)}
ORDER_COLUMNS = {s.Column.ORDER + place: (s.NONE, LAST_SEAT) for place in range(data.MAX_PLAYERS)}


def _row(first: int, size: int, low: int, high: int) -> Bounds:
    """The same bounds for several columns."""
    return dict.fromkeys(range(first, first + size), (low, high))


def _series(most: int) -> Bounds:
    return {**SEAT_COLUMN, s.Column.LEFT: (1, most), s.Column.MAY: (0, 1)}


# Frame -> parents, phases, nodes, columns.
KINDS_OF_FRAMES: dict[int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Bounds]] = {
    s.Frame.SETUP: (
        (BOTTOM,),
        (s.Phase.SETUP,),
        (
            s.Node.C1_FIRST,
            s.Node.C2_ARTIFACT,
            s.Node.C3_COMPONENT,
            s.Node.C4_ARTIFICER,
            s.Node.C5_COUNCILOR,
            s.Node.DRAFT,
        ),
        {s.Column.STEP: (0, len(s.STEPS) - 1)},
    ),
    s.Frame.SCHOLAR: (
        (BOTTOM,),
        (s.Phase.SETUP, s.Phase.START),
        (s.Node.C6_SCHOLAR, s.Node.SCHOLAR),
        {**SEAT_COLUMN, s.Column.PURPOSE: (0, 1), **_row(s.Column.SEEN, 2, s.NONE, data.NUM_ARTIFACTS - 1)},
    ),
    s.Frame.BOARD: (
        (BOTTOM,),
        (s.Phase.START,),
        (s.Node.C7_BOARD, s.Node.BOARD),
        {**SEAT_COLUMN, **_row(s.Column.SEEN, 2, s.NONE, data.NUM_COUNCILORS - 1)},
    ),
    s.Frame.TURN: ((BOTTOM,), ACTING, (), {}),
    s.Frame.PLACE: (
        IN_TURN,
        (s.Phase.DEPLOY,),
        (s.Node.PLACE,),
        {**SEAT_COLUMN, s.Column.KIND: (0, data.NUM_KINDS - 1)},
    ),
    s.Frame.LIFT: (IN_TURN, (s.Phase.DEPLOY,), (s.Node.LIFT,), {**SEAT_COLUMN, s.Column.KIND: (0, data.NUM_KINDS - 1)}),
    s.Frame.RESOLVE: (IN_TURN, (s.Phase.ACTIONS,), (s.Node.RESOLVE,), SEAT_COLUMN),
    s.Frame.SHARE: (
        (s.Frame.TURN, s.Frame.CITY, s.Frame.BUILD),
        ACTING,
        (s.Node.SHARE,),
        {
            s.Column.PURPOSE: (0, len(s.PURPOSES) - 1),
            s.Column.TARGET: (s.NONE, data.NUM_PENINSULAS - 1),
            s.Column.GOOD: (data.Good.GOLD, data.Good.ENERGY),
            s.Column.REST: (1, data.LAST_CONTRIBUTION),
            **ORDER_COLUMNS,
            **_row(s.Column.GIVES, data.MAX_PLAYERS, s.NONE, data.LAST_CONTRIBUTION),
        },
    ),
    s.Frame.CARD: (
        (BOTTOM, s.Frame.TURN),
        ACTING,
        (s.Node.REPEAT_AT, s.Node.REPEAT_SEAT, s.Node.CHART, s.Node.FONT, s.Node.ARCHIVE),
        {**SEAT_COLUMN, s.Column.CARD: (0, data.NUM_BASIC - 1), s.Column.TARGET: (s.NONE, LAST_SEAT)},
    ),
    s.Frame.WARD: (BY_CARD_TOO, ACTING, (s.Node.WARD,), _series(data.AEGIS_BARRIERS)),
    s.Frame.EBB: (BY_CARD_TOO, ACTING, (s.Node.EBB,), _series(data.TERRAFORMER_DRAINS)),
    s.Frame.SWAP: (
        BY_CARD_TOO,
        ACTING,
        (s.Node.GIVE, s.Node.TAKE),
        {**_series(data.CONVERTER_SWAPS), s.Column.GIVEN: (s.NONE, data.NUM_RAW - 1)},
    ),
    s.Frame.LOOK: (
        BY_CARD_TOO,
        ACTING,
        (s.Node.C8B_LOOK, s.Node.LOOK),
        {
            **SEAT_COLUMN,
            s.Column.OPEN: (0, 1),
            s.Column.DEPTH: (1, data.ORRERY_DEPTH),
            s.Column.REMOVES: (0, data.ORRERY_REMOVES),
        },
    ),
    s.Frame.MISFORTUNE: (
        (BOTTOM,),
        (s.Phase.MISFORTUNE,),
        (s.Node.FLOOD, s.Node.PLAGUE),
        {
            **SEAT_COLUMN,
            s.Column.CARD: (0, data.NUM_MISFORTUNES - 1),
            s.Column.CHOICES: (0, 2),
            s.Column.EXCEPT: (s.NONE, data.NUM_PENINSULAS - 1),
        },
    ),
    s.Frame.DISPLACE: (
        (s.Frame.MISFORTUNE,),
        (s.Phase.MISFORTUNE,),
        (s.Node.REACT,),
        {**_row(s.Column.TILES, s.MAX_DISPLACED, s.NONE, data.NUM_TILES - 1), **ORDER_COLUMNS},
    ),
    s.Frame.WILD: (
        IN_TURN,
        (s.Phase.ACTIONS,),
        (s.Node.C9_DIE, s.Node.REROLL, s.Node.FAIL),
        {
            **SEAT_COLUMN,
            s.Column.PLACE_AT: (0, data.NUM_WILD * data.TILES_PER_PENINSULA - 1),
            s.Column.TARGET: (1, LAST_SEAT - 1),
            s.Column.BONUS: (0, LAST_SEAT - 1),
            s.Column.VALUE: (s.NONE, LAST_SEAT - 1),
            s.Column.MAY_REROLL: (0, 1),
            s.Column.STAGE: (0, s.WildStage.ROLLER),
        },
    ),
    s.Frame.CITY: (
        IN_TURN,
        (s.Phase.ACTIONS,),
        (s.Node.C9_DIE, s.Node.REROLL, s.Node.RECRUIT),
        {
            **SEAT_COLUMN,
            s.Column.PLACE_AT: (data.CITIES_START, data.CITIES_STOP - 1),
            **_row(s.Column.DIE, 2, 0, data.DICE_FACES),
            s.Column.MAY_REROLL: (0, 1),
            s.Column.STAGE: (0, s.CityStage.RECRUIT),
        },
    ),
    s.Frame.LIBRARY: (
        IN_TURN,
        (s.Phase.ACTIONS,),
        (s.Node.C10_LIBRARY, s.Node.KEEP, s.Node.MORE),
        {
            **SEAT_COLUMN,
            s.Column.SYMBOL: (0, len(data.SYMBOLS) - 1),
            s.Column.TO_DRAW: (0, data.MAX_SEEN),
            s.Column.ALLOWANCE: (0, 2),
            s.Column.STAGE: (0, s.LibraryStage.MORE),
            **_row(s.Column.DRAWN, data.MAX_SEEN, s.NONE, data.NUM_CARDS - 1),
        },
    ),
    s.Frame.BUILD: (
        IN_TURN,
        (s.Phase.ACTIONS,),
        (s.Node.BUILD, s.Node.DISCOUNT),
        {
            **SEAT_COLUMN,
            s.Column.PLACE_AT: (data.GATE, data.SPACE - 1),
            s.Column.COMPONENT: (s.NONE, data.NUM_COMPONENTS - 1),
            **_row(s.Column.PRICE, data.NUM_PRICE_TYPES, s.NONE, data.LAST_CONTRIBUTION),
        },
    ),
    s.Frame.MEMORY: (IN_TURN, (s.Phase.ACTIONS,), (s.Node.C10_LIBRARY,), ORDER_COLUMNS),
    s.Frame.MUSTER: (
        IN_TURN,
        (s.Phase.ACTIONS,),
        (s.Node.MUSTER,),
        {**SEAT_COLUMN, s.Column.LEFT: (1, data.MUSTER_RECRUITS)},
    ),
    s.Frame.AMPLIFY: (
        IN_TURN,
        (s.Phase.ACTIONS,),
        (s.Node.AMPLIFY, s.Node.GAIN),
        {**SEAT_COLUMN, s.Column.TARGET: (s.NONE, LAST_SEAT)},
    ),
    s.Frame.PRISM: (IN_TURN, (s.Phase.ACTIONS,), (s.Node.GAIN,), SEAT_COLUMN),
    s.Frame.LATTICE: (IN_TURN, (s.Phase.ACTIONS,), (s.Node.GAIN,), ORDER_COLUMNS),
    s.Frame.SACRIFICE: (
        IN_TURN,
        (s.Phase.ACTIONS,),
        (s.Node.SACRIFICE,),
        {**SEAT_COLUMN, s.Column.PLACE_AT: (data.SPACE, data.NUM_LOCATIONS - 1)},
    ),
}
# Phase -> nodes without a frame.
BASE_NODES: dict[int, tuple[int, ...]] = {
    s.Phase.DEPLOY: (s.Node.DEPLOY, s.Node.CALL),
    s.Phase.MISFORTUNE: (s.Node.WINDOW, s.Node.C8_MISFORTUNE, s.Node.LATE),
    s.Phase.ACTIONS: (s.Node.ACT, s.Node.CALL, s.Node.OVERFLOW),
    s.Phase.WRATH: (s.Node.FLOOD,),
    s.Phase.OVER: (s.Node.OVER,),
}
MOST_CHOICES = {  # of a misfortune (6.6 - 6.9); the others leave none
    **dict.fromkeys(range(data.NUM_PENINSULAS), 2),
    data.Misfortune.CONTROLLED_FLOODING: 1,
    data.Misfortune.PLAGUE: 2,
    data.Misfortune.TIDAL_WAVE: 1,
    data.Misfortune.STORM_SURGE: 2,
    data.Misfortune.BROKEN_WARDS: 1,
}
EFFECT_FRAMES: dict[int, int] = {  # basic card -> the frame its effect has above the card's own, 0: none
    data.Basic.WARDING_RITE: s.Frame.WARD,
    data.Basic.EBBING_TIDE: s.Frame.EBB,
    data.Basic.TRANSMUTATION: s.Frame.SWAP,
    data.Basic.AUGURY: s.Frame.LOOK,
}
ASKING_CARDS = (  # at their own frame
    data.Basic.CRYPTOGRAPHIC_EXPERTISE,
    data.Basic.ENIGMA_OF_FERVOUR,
    data.Basic.ANCIENT_ATLAS,
    data.Basic.MYSTIC_FONT,
    data.Basic.ARCHIVE_RECOVERY,
)


def _bits(numbers: tuple[int, ...]) -> int:
    return sum(1 << number for number in numbers)


def _bounds(side: int) -> np.ndarray:
    table = np.zeros((len(s.FRAMES), s.FRAME_WIDTH), np.int16)
    for frame, (_, _, _, columns) in KINDS_OF_FRAMES.items():
        table[frame, s.Column.DO] = frame
        for column, bounds in columns.items():
            table[frame, column] = bounds[side]
    return table


def _column(part: int) -> np.ndarray:
    table = np.zeros(len(s.FRAMES), np.int64)
    for frame, kind in KINDS_OF_FRAMES.items():
        table[frame] = _bits(kind[part])  # type: ignore[arg-type]
    return table


def _listed(entries: dict[int, int], size: int) -> np.ndarray:
    table = np.zeros(size, np.int8)
    for number, value in entries.items():
        table[number] = value
    return table


LOW, HIGH = _bounds(0), _bounds(1)
PARENTS, PHASES_OF, NODES_OF = (_column(part) for part in range(3))
NODES_IN = np.array([_bits(BASE_NODES.get(phase, ())) for phase in range(len(s.PHASES))], np.int64)
CHOICES_OF = _listed(MOST_CHOICES, data.NUM_MISFORTUNES)
EFFECT_OF = _listed(EFFECT_FRAMES, data.NUM_BASIC)
ASKS = _bits(ASKING_CARDS)
