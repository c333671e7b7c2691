"""What a frame of each kind can hold, where it can lie and which nodes it leads to (section 20), as tables.

``LOW`` and ``HIGH`` bound every column; a column that is not named holds 0. ``PARENTS`` has the frames that one may lie
on, ``PHASES_OF`` the phases it occurs in, ``NODES_OF`` the nodes at which it is on top, all as bits.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising import state as s

Bounds = dict[int, tuple[int, int]]  # column -> lowest, highest

Column, Frame, Node, Phase, NONE = s.Column, s.Frame, s.Node, s.Phase, s.NONE
BOTTOM = 0  # in PARENTS: no frame below
LAST_SEAT = 127  # in HIGH: the number of players less one
ACTING = (Phase.DEPLOY, Phase.MISFORTUNE, Phase.ACTIONS)
ACTIONS = (Phase.ACTIONS,)
IN_TURN = (Frame.TURN,)
BY_CARD_TOO = (Frame.TURN, Frame.CARD)
SEAT: Bounds = {Column.SEAT: (0, LAST_SEAT)}
ORDER: Bounds = {Column.ORDER + place: (NONE, LAST_SEAT) for place in range(data.MAX_PLAYERS)}
KIND: Bounds = {**SEAT, Column.KIND: (0, data.NUM_KINDS - 1)}


def _row(first: int, size: int, low: int, high: int) -> Bounds:
    """The same bounds for several columns."""
    return dict.fromkeys(range(first, first + size), (low, high))


def _series(most: int) -> Bounds:
    return {**SEAT, Column.LEFT: (1, most), Column.MAY: (0, 1)}


def _place(first: int, stop: int) -> Bounds:
    """A seat at one of these locations."""
    return {**SEAT, Column.PLACE_AT: (first, stop - 1)}


# Frame -> parents, phases, nodes, columns.
KINDS_OF_FRAMES: dict[int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Bounds]] = {
    Frame.SETUP: (
        (BOTTOM,), (Phase.SETUP,),
        (Node.C1_FIRST, Node.C2_ARTIFACT, Node.C3_COMPONENT, Node.C4_ARTIFICER, Node.C5_COUNCILOR, Node.DRAFT),
        {Column.STEP: (0, len(s.STEPS) - 1)},
    ),
    Frame.SCHOLAR: (
        (BOTTOM,), (Phase.SETUP, Phase.START), (Node.C6_SCHOLAR, Node.SCHOLAR),
        {**SEAT, Column.PURPOSE: (0, 1), **_row(Column.SEEN, 2, NONE, data.NUM_ARTIFACTS - 1)},
    ),
    Frame.BOARD: (
        (BOTTOM,), (Phase.START,), (Node.C7_BOARD, Node.BOARD),
        {**SEAT, **_row(Column.SEEN, 2, NONE, data.NUM_COUNCILORS - 1)},
    ),
    Frame.TURN: ((BOTTOM,), ACTING, (), {}),
    Frame.PLACE: (IN_TURN, (Phase.DEPLOY,), (Node.PLACE,), KIND),
    Frame.LIFT: (IN_TURN, (Phase.DEPLOY,), (Node.LIFT,), KIND),
    Frame.RESOLVE: (IN_TURN, ACTIONS, (Node.RESOLVE,), SEAT),
    Frame.SHARE: (
        (Frame.TURN, Frame.CITY, Frame.BUILD), ACTING, (Node.SHARE,),
        {
            Column.PURPOSE: (0, len(s.PURPOSES) - 1), Column.TARGET: (NONE, data.NUM_PENINSULAS - 1),
            Column.GOOD: (data.Good.GOLD, data.Good.ENERGY), Column.REST: (1, data.LAST_CONTRIBUTION),
            **ORDER, **_row(Column.GIVES, data.MAX_PLAYERS, NONE, data.LAST_CONTRIBUTION),
        },
    ),
    Frame.CARD: (
        (BOTTOM, Frame.TURN), ACTING, (Node.REPEAT_AT, Node.REPEAT_SEAT, Node.CHART, Node.FONT, Node.ARCHIVE),
        {**SEAT, Column.CARD: (0, data.NUM_BASIC - 1), Column.TARGET: (NONE, LAST_SEAT)},
    ),
    Frame.WARD: (BY_CARD_TOO, ACTING, (Node.WARD,), _series(data.AEGIS_BARRIERS)),
    Frame.EBB: (BY_CARD_TOO, ACTING, (Node.EBB,), _series(data.TERRAFORMER_DRAINS)),
    Frame.SWAP: (
        BY_CARD_TOO, ACTING, (Node.GIVE, Node.TAKE),
        {**_series(data.CONVERTER_SWAPS), Column.GIVEN: (NONE, data.NUM_RAW - 1)},
    ),
    Frame.LOOK: (
        BY_CARD_TOO, ACTING, (Node.C8B_LOOK, Node.LOOK),
        {
            **SEAT, Column.OPEN: (0, 1), Column.DEPTH: (1, data.ORRERY_DEPTH), Column.REMOVES: (0, data.ORRERY_REMOVES),
        },
    ),
    Frame.MISFORTUNE: (
        (BOTTOM,), (Phase.MISFORTUNE,), (Node.FLOOD, Node.PLAGUE),
        {
            **SEAT, Column.CARD: (0, data.NUM_MISFORTUNES - 1), Column.CHOICES: (0, 2),
            Column.EXCEPT: (NONE, data.NUM_PENINSULAS - 1),
        },
    ),
    Frame.DISPLACE: (
        (Frame.MISFORTUNE,), (Phase.MISFORTUNE,), (Node.REACT,),
        {**_row(Column.TILES, s.MAX_DISPLACED, NONE, data.NUM_TILES - 1), **ORDER},
    ),
    Frame.WILD: (
        IN_TURN, ACTIONS, (Node.C9_DIE, Node.REROLL, Node.FAIL),
        {
            **_place(0, data.NUM_WILD * data.TILES_PER_PENINSULA), Column.TARGET: (1, LAST_SEAT - 1),
            Column.BONUS: (0, LAST_SEAT - 1), Column.VALUE: (NONE, LAST_SEAT - 1), Column.MAY_REROLL: (0, 1),
            Column.STAGE: (0, s.WildStage.ROLLER),
        },
    ),
    Frame.CITY: (
        IN_TURN, ACTIONS, (Node.C9_DIE, Node.REROLL, Node.RECRUIT),
        {
            **_place(data.CITIES_START, data.CITIES_STOP), **_row(Column.DIE, 2, 0, data.DICE_FACES),
            Column.MAY_REROLL: (0, 1), Column.STAGE: (0, s.CityStage.RECRUIT),
        },
    ),
    Frame.LIBRARY: (
        IN_TURN, ACTIONS, (Node.C10_LIBRARY, Node.KEEP, Node.MORE),
        {
            **SEAT, Column.SYMBOL: (0, len(data.SYMBOLS) - 1), Column.TO_DRAW: (0, data.MAX_SEEN),
            Column.ALLOWANCE: (0, 2), Column.STAGE: (0, s.LibraryStage.MORE),
            **_row(Column.DRAWN, data.MAX_SEEN, NONE, data.NUM_CARDS - 1),
        },
    ),
    Frame.BUILD: (
        IN_TURN, ACTIONS, (Node.BUILD, Node.DISCOUNT),
        {
            **_place(data.GATE, data.SPACE), Column.COMPONENT: (NONE, data.NUM_COMPONENTS - 1),
            **_row(Column.PRICE, data.NUM_PRICE_TYPES, NONE, data.LAST_CONTRIBUTION),
        },
    ),
    Frame.MEMORY: (IN_TURN, ACTIONS, (Node.C10_LIBRARY,), ORDER),
    Frame.MUSTER: (IN_TURN, ACTIONS, (Node.MUSTER,), {**SEAT, Column.LEFT: (1, data.MUSTER_RECRUITS)}),
    Frame.AMPLIFY: (IN_TURN, ACTIONS, (Node.AMPLIFY, Node.GAIN), {**SEAT, Column.TARGET: (NONE, LAST_SEAT)}),
    Frame.PRISM: (IN_TURN, ACTIONS, (Node.GAIN,), SEAT),
    Frame.LATTICE: (IN_TURN, ACTIONS, (Node.GAIN,), ORDER),
    Frame.SACRIFICE: (IN_TURN, ACTIONS, (Node.SACRIFICE,), _place(data.SPACE, data.NUM_LOCATIONS)),
}  # fmt: skip
# Phase -> nodes without a frame.
BASE_NODES: dict[int, tuple[int, ...]] = {
    Phase.DEPLOY: (Node.DEPLOY, Node.CALL),
    Phase.MISFORTUNE: (Node.WINDOW, Node.C8_MISFORTUNE, Node.LATE),
    Phase.ACTIONS: (Node.ACT, Node.CALL, Node.OVERFLOW),
    Phase.WRATH: (Node.FLOOD,),
    Phase.OVER: (Node.OVER,),
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
    data.Basic.WARDING_RITE: Frame.WARD,
    data.Basic.EBBING_TIDE: Frame.EBB,
    data.Basic.TRANSMUTATION: Frame.SWAP,
    data.Basic.AUGURY: Frame.LOOK,
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
        table[frame, Column.DO] = frame
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
