"""Whether the frames of ``pending`` fit the phase, each other and the board (section 20).

Tables say what a frame of each kind can hold, where it can lie and which nodes it leads to: ``LOW`` and ``HIGH`` bound
every column; a column that is not named holds 0. ``PARENTS`` has the frames that one may lie on, ``PHASES_OF`` the
phases it occurs in, ``NODES_OF`` the nodes at which it is on top, all as bits. The kernels say what a frame can hold in
this position. The top frame is at a node, and at a decision something can be chosen.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Basic, Component, Councilor, Good, Misfortune, Symbol
from atlantis_envs.games.atlantis_rising.rules import board, building, cards, locations
from atlantis_envs.games.atlantis_rising.state import (
    FOLLOWER_MASK,
    FRAME_DEPTH,
    FRAME_WIDTH,
    FRAMES,
    MAX_DISPLACED,
    NONE,
    PHASES,
    PURPOSES,
    STEPS,
    CityStage,
    Column,
    Frame,
    LibraryStage,
    Node,
    Phase,
    Purpose,
    WildStage,
)
from atlantis_envs.kernels.kernel import kernel

Bounds = dict[int, tuple[int, int]]  # column -> lowest, highest

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
    """Return the same bounds for several columns."""
    return dict.fromkeys(range(first, first + size), (low, high))


def _series(most: int) -> Bounds:
    return {**SEAT, Column.LEFT: (1, most), Column.MAY: (0, 1)}


def _place(first: int, stop: int) -> Bounds:
    """Return a seat at one of these locations."""
    return {**SEAT, Column.PLACE_AT: (first, stop - 1)}


# Frame -> parents, phases, nodes, columns.
KINDS_OF_FRAMES: dict[int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Bounds]] = {
    Frame.SETUP: (
        (BOTTOM,), (Phase.SETUP,),
        (Node.C1_FIRST, Node.C2_ARTIFACT, Node.C3_COMPONENT, Node.C4_ARTIFICER, Node.C5_COUNCILOR, Node.DRAFT),
        {Column.STEP: (0, len(STEPS) - 1)},
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
            Column.PURPOSE: (0, len(PURPOSES) - 1), Column.TARGET: (NONE, data.NUM_PENINSULAS - 1),
            Column.GOOD: (Good.GOLD, Good.ENERGY), Column.REST: (1, data.LAST_CONTRIBUTION),
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
        {**_row(Column.TILES, MAX_DISPLACED, NONE, data.NUM_TILES - 1), **ORDER},
    ),
    Frame.WILD: (
        IN_TURN, ACTIONS, (Node.C9_DIE, Node.REROLL, Node.FAIL),
        {
            **_place(0, data.NUM_WILD * data.TILES_PER_PENINSULA), Column.TARGET: (1, LAST_SEAT - 1),
            Column.BONUS: (0, LAST_SEAT - 1), Column.VALUE: (NONE, LAST_SEAT - 1), Column.MAY_REROLL: (0, 1),
            Column.STAGE: (0, WildStage.ROLLER),
        },
    ),
    Frame.CITY: (
        IN_TURN, ACTIONS, (Node.C9_DIE, Node.REROLL, Node.RECRUIT),
        {
            **_place(data.CITIES_START, data.CITIES_STOP), **_row(Column.DIE, 2, 0, data.DICE_FACES),
            Column.MAY_REROLL: (0, 1), Column.STAGE: (0, CityStage.RECRUIT),
        },
    ),
    Frame.LIBRARY: (
        IN_TURN, ACTIONS, (Node.C10_LIBRARY, Node.KEEP, Node.MORE),
        {
            **SEAT, Column.SYMBOL: (0, len(data.SYMBOLS) - 1), Column.TO_DRAW: (0, data.MAX_SEEN),
            Column.ALLOWANCE: (0, 2), Column.STAGE: (0, LibraryStage.MORE),
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
    Misfortune.CONTROLLED_FLOODING: 1,
    Misfortune.PLAGUE: 2,
    Misfortune.TIDAL_WAVE: 1,
    Misfortune.STORM_SURGE: 2,
    Misfortune.BROKEN_WARDS: 1,
}
EFFECT_FRAMES: dict[int, int] = {  # basic card -> the frame its effect has above the card's own, 0: none
    Basic.WARDING_RITE: Frame.WARD,
    Basic.EBBING_TIDE: Frame.EBB,
    Basic.TRANSMUTATION: Frame.SWAP,
    Basic.AUGURY: Frame.LOOK,
}
ASKING_CARDS = (  # at their own frame
    Basic.CRYPTOGRAPHIC_EXPERTISE,
    Basic.ENIGMA_OF_FERVOUR,
    Basic.ANCIENT_ATLAS,
    Basic.MYSTIC_FONT,
    Basic.ARCHIVE_RECOVERY,
)


def _bits(numbers: tuple[int, ...]) -> int:
    return sum(1 << number for number in numbers)


def _bounds(side: int) -> np.ndarray:
    table = np.zeros((len(FRAMES), FRAME_WIDTH), np.int16)
    for frame, (_, _, _, columns) in KINDS_OF_FRAMES.items():
        table[frame, Column.DO] = frame
        for column, bounds in columns.items():
            table[frame, column] = bounds[side]
    return table


def _column(part: int) -> np.ndarray:
    table = np.zeros(len(FRAMES), np.int64)
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
NODES_IN = np.array([_bits(BASE_NODES.get(phase, ())) for phase in range(len(PHASES))], np.int64)
CHOICES_OF = _listed(MOST_CHOICES, data.NUM_MISFORTUNES)
EFFECT_OF = _listed(EFFECT_FRAMES, data.NUM_BASIC)
ASKS = _bits(ASKING_CARDS)


# ------------------------------------------------------------------------------------------------------------- payments


@kernel
def no_gap(state: Record, top: int, start: int) -> bool:
    """Tell whether, of seven columns, all hold nothing after the first that holds nothing."""
    for place in range(start + 1, start + data.MAX_PLAYERS):
        if state.frames[top, place] != NONE and state.frames[top, place - 1] == NONE:
            return False
    return True


@kernel
def order_sound(state: Record, top: int) -> bool:
    """Tell whether the order of a frame has no gap and names no seat twice."""
    seen = 0
    for place in range(Column.ORDER, Column.ORDER + data.MAX_PLAYERS):
        seat = int(state.frames[top, place])
        if seat != NONE:
            if seen >> seat & 1:
                return False
            seen |= 1 << seat
    return no_gap(state, top, Column.ORDER)


@kernel
def share_sound(rules: Record, state: Record, top: int) -> bool:
    """Tell whether purpose, type, target and order of a payment belong together, and it can be paid (9.5)."""
    below = int(state.frames[top - 1, Column.DO])
    purpose, good, target = (
        int(state.frames[top, Column.PURPOSE]),
        int(state.frames[top, Column.GOOD]),
        int(state.frames[top, Column.TARGET]),
    )
    if (purpose == Purpose.BUILD) != (below == Frame.BUILD) or (purpose == Purpose.CITIES) != (below == Frame.CITY):
        return False
    if (good != Good.ENERGY and purpose != Purpose.BUILD) or (target == NONE) != (purpose >= Purpose.CITIES):
        return False
    if purpose == Purpose.BARRIER and (
        state.phase == Phase.MISFORTUNE
        or state.barriers[target] != 0
        or state.flooded[target] == data.TILES_PER_PENINSULA
    ):
        return False
    if purpose == Purpose.DRAIN and state.flooded[target] == 0:
        return False
    if (
        not order_sound(state, top)
        or not no_gap(state, top, Column.GIVES)
        or not payers_sound(rules, state, top, purpose)
    ):
        return False
    given = building.num_given(state, top)
    if given >= building.num_payers(state, top):
        return False
    total, givers = int(state.frames[top, Column.REST]), 0
    for place in range(given):
        amount = int(state.frames[top, Column.GIVES + place])
        if amount > building.holding(state, top, place):
            return False
        total += amount
        givers += int(amount > 0)
    if total != cost_of(rules, state, top, purpose) or (
        purpose == Purpose.CITIES and givers > building.MOST_CITY_GIVERS
    ):
        return False
    if purpose == Purpose.BUILD and not types_sound(rules, state, top):
        return False
    for amount in range(data.LAST_CONTRIBUTION + 1):
        if building.may_contribute(rules, state, top, given, amount):
            return True
    return False


@kernel
def cost_of(rules: Record, state: Record, top: int, purpose: int) -> int:
    """Return what is to be paid in all, of this type (7.7, 8.5, 9.1, 9.3)."""
    if purpose == Purpose.BARRIER:
        return building.barrier_cost(rules, state, int(state.turn))
    if purpose == Purpose.DRAIN:
        return int(rules.drain_cost)
    if purpose == Purpose.CITIES:
        return locations.city_gap(rules, state, top - 1)
    return int(state.frames[top - 1, Column.PRICE + int(state.frames[top, Column.GOOD]) - Good.GOLD])


@kernel
def payers_sound(rules: Record, state: Record, top: int, purpose: int) -> bool:
    """Tell whether all pay, clockwise from the opener; in the cities some may have left the order (9.4, 9.5)."""
    players, opener = int(rules.players), int(state.turn)
    at = int(state.frames[top - 1, Column.PLACE_AT])
    found = 0
    for step in range(players):
        seat = (opener + step) % players
        due = True
        if purpose == Purpose.BUILD:
            due = building.takes_part(state, at, seat)
        elif purpose == Purpose.CITIES:
            due = locations.is_owner_here(state, at, seat)
        if found < data.MAX_PLAYERS and int(state.frames[top, Column.ORDER + found]) == seat:
            if not due:
                return False
            found += 1
        elif due and purpose != Purpose.CITIES:
            return False
    return found > 0 and found == building.num_payers(state, top)


@kernel
def types_sound(rules: Record, state: Record, top: int) -> bool:
    """Tell whether types before this one are agreed in full, it and those after it not at all, and they can be paid
    (8.5).
    """
    build, current = top - 1, int(state.frames[top, Column.GOOD]) - Good.GOLD
    for kind in range(data.NUM_PRICE_TYPES):
        agreed = held = 0
        for seat in range(int(rules.players)):
            amount = int(state.paid[seat, kind])
            if amount > int(state.goods[seat, Good.GOLD + kind]):
                return False
            if building.takes_part(state, int(state.frames[build, Column.PLACE_AT]), seat):
                held += int(state.goods[seat, Good.GOLD + kind])
            elif amount > 0:
                return False
            agreed += amount
        price = int(state.frames[build, Column.PRICE + kind])
        if agreed != (price if kind < current else 0) or (kind > current and held < price):
            return False
    return True


@kernel
def build_sound(rules: Record, state: Record, top: int, is_top: bool) -> bool:
    """Tell whether the opener can resolve the gate, and a component has its price, less the discount once it is named
    (8.2 - 8.5).
    """
    gate, component = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.COMPONENT])
    seat = int(state.frames[top, Column.SEAT])
    if gate - data.GATE >= int(rules.gates) or not building.takes_part(state, gate, seat):
        return False
    if is_top:
        for payer in range(int(rules.players)):
            for kind in range(data.NUM_PRICE_TYPES):
                if state.paid[payer, kind] != 0:
                    return False
    elif state.frames[top + 1, Column.DO] != Frame.SHARE:
        return False
    if component == NONE:
        for kind in range(data.NUM_PRICE_TYPES):
            if state.frames[top, Column.PRICE + kind] != NONE:
                return False
        return is_top and building.gate_resolvable(rules, state, gate, seat)
    if state.blueprint[component] == 0 or (state.barred[seat] != 0 and building.participants(state, gate) > 1):
        return False
    if component == Component.POWER_CORE and not leaders_here(rules, state, gate):
        return False
    discounts = 0
    for kind in range(data.NUM_PRICE_TYPES):
        less = int(rules.price[component, kind]) - int(state.frames[top, Column.PRICE + kind])
        if less < 0 or less > 1 or state.frames[top, Column.PRICE + kind] < 0:
            return False
        discounts += less
    artificer = state.special_at[Councilor.ARTIFICER] == gate
    if not is_top:
        return discounts == int(artificer)
    if discounts > 0 or not artificer:
        return False
    for kind in range(data.NUM_PRICE_TYPES):
        if building.buildable(rules, state, gate, component, kind):
            return True
    return False


@kernel
def leaders_here(rules: Record, state: Record, gate: int) -> bool:
    """Tell whether the other nine are built and every seat's leader stands on the gate (8.4)."""
    if state.num_built < data.BLUEPRINT_SIZE - 1:
        return False
    for seat in range(int(rules.players)):
        if int(state.pieces[gate, seat]) & building.LEADER_BITS == 0:
            return False
    return True


# --------------------------------------------------------------------------------------------------------------- frames


@kernel
def rows_sound(rules: Record, state: Record) -> bool:
    """Tell whether every column of the stack is in its bounds; what no frame uses is zero, agreed amounts apart from a
    build too.
    """
    building = False
    for top in range(FRAME_DEPTH):
        do = int(state.frames[top, Column.DO])
        if do < 0 or do >= len(PARENTS) or (do == 0) != (top >= int(state.num_frames)):
            return False
        building = building or do == Frame.BUILD
        for column in range(FRAME_WIDTH):
            value, high = int(state.frames[top, column]), int(HIGH[do, column])
            if high == LAST_SEAT:
                high = int(rules.players) - 1
            if value < int(LOW[do, column]) or value > high:
                return False
    for seat in range(data.MAX_PLAYERS):
        for kind in range(len(state.paid[0])):
            if state.paid[seat, kind] != 0 and not building:
                return False
    return True


@kernel
def nodes_of(state: Record) -> int:
    """Return the nodes at which the machine can wait with this stack in this phase, as bits."""
    top = int(state.num_frames) - 1
    return int(NODES_IN[int(state.phase)]) if top < 0 else int(NODES_OF[int(state.frames[top, Column.DO])])


@kernel
def frames_sound(rules: Record, state: Record) -> bool:
    """Tell whether every frame lies where it can lie and holds what it can hold."""
    phase = int(state.phase)
    for top in range(int(state.num_frames)):
        do = int(state.frames[top, Column.DO])
        below = BOTTOM if top == 0 else int(state.frames[top - 1, Column.DO])
        if int(PARENTS[do]) >> below & 1 == 0 or int(PHASES_OF[do]) >> phase & 1 == 0:
            return False
        if top == 0 and not bottom_sound(state, do, phase):
            return False
        if not seat_sound(state, top, do) or not frame_sound(rules, state, top, do):
            return False
    return True


@kernel
def bottom_sound(state: Record, do: int, phase: int) -> bool:
    """Tell whether the lowest frame can be there: a card alone at D36, a turn of phase 2 in a window, a misfortune in
    none (6.2, 20).
    """
    if do == Frame.CARD:
        return phase == Phase.ACTIONS
    if do == Frame.MISFORTUNE:
        return state.window_open == 0
    if do != Frame.TURN:
        return True
    return state.num_frames > 1 and state.passes == 0 and (phase != Phase.MISFORTUNE or state.window_open != 0)


@kernel
def seat_sound(state: Record, top: int, do: int) -> bool:
    """Tell whether the seat is right: in a turn the one whose turn it is, on a card its player, at a start the
    first.
    """
    seat = int(state.frames[top, Column.SEAT])
    if do == Frame.BOARD:
        return seat == int(state.first)
    if do == Frame.TURN or do == Frame.SHARE or do == Frame.MEMORY or do == Frame.LATTICE or top == 0:
        return True
    if do == Frame.DISPLACE:
        return True
    return (
        seat == int(state.turn)
        if state.frames[0, Column.DO] == Frame.TURN
        else seat == int(state.frames[0, Column.SEAT])
    )


@kernel
def frame_sound(rules: Record, state: Record, top: int, do: int) -> bool:
    """Tell whether one frame holds what it can hold in this position."""
    seat = int(state.frames[top, Column.SEAT])
    is_top = top == int(state.num_frames) - 1
    if do == Frame.SETUP or do == Frame.TURN or do == Frame.PRISM:
        return True
    if do == Frame.SCHOLAR:
        return scholar_sound(rules, state, top, seat)
    if do == Frame.BOARD:
        seen, also = int(state.frames[top, Column.SEEN]), int(state.frames[top, Column.SEEN + 1])
        return int(rules.players) <= 2 and state.hologram == NONE and (seen != NONE or also == NONE)
    if do == Frame.PLACE or do == Frame.LIFT:
        return move_sound(rules, state, seat, int(state.frames[top, Column.KIND]), do)
    if do == Frame.RESOLVE:
        return locations.some_resolvable(rules, state, seat)
    if do == Frame.SHARE:
        return share_sound(rules, state, top)
    if do == Frame.BUILD:
        return build_sound(rules, state, top, is_top)
    if do == Frame.CARD:
        return card_sound(rules, state, top, is_top)
    if do == Frame.WARD or do == Frame.EBB or do == Frame.SWAP:
        return series_sound(state, top, do, seat)
    if do == Frame.LOOK:
        return look_sound(state, top)
    if do == Frame.MISFORTUNE:
        return misfortune_sound(state, top, is_top)
    if do == Frame.DISPLACE:
        return displacement_sound(rules, state, top)
    if do == Frame.WILD:
        return wild_sound(rules, state, top, seat)
    if do == Frame.CITY:
        return city_sound(state, top, seat, is_top)
    if do == Frame.LIBRARY:
        return drawing_sound(rules, state, top, seat)
    return gain_sound(rules, state, top, do)


@kernel
def gain_sound(rules: Record, state: Record, top: int, do: int) -> bool:
    """Check memory crystal, muster array, amplification chamber, chronal lattice, soul terraformer (2.4, 7.11)."""
    if do == Frame.MEMORY:
        return order_sound(state, top) and state.frames[top, Column.ORDER] != NONE and board.library_left(state)
    if do == Frame.LATTICE:  # the opener and another owner, or the opener twice
        return (
            state.frames[top, Column.ORDER] != NONE
            and state.frames[top, Column.ORDER + 2] == NONE
            and no_gap(state, top, Column.ORDER)
        )
    found = 0
    for seat in range(int(rules.players)):
        if do == Frame.MUSTER:
            found += int(state.reserve[seat] > 0)
        elif do == Frame.AMPLIFY:
            target = int(state.frames[top, Column.TARGET])
            found += int((target == NONE or target == seat) and cards.has_raw(state, seat))
        else:
            found += int(int(state.pieces[int(state.frames[top, Column.PLACE_AT]), seat]) & FOLLOWER_MASK != 0)
    if (
        do == Frame.SACRIFICE
        and rules.component_at[int(state.frames[top, Column.PLACE_AT])] != Component.SOUL_TERRAFORMER
    ):
        return False
    return found > 0


@kernel
def scholar_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """Tell whether two different unused artifacts with the symbol are drawn, for the scholar's seat or the hologram
    (11.7).
    """
    free = int(state.unused_artifacts) & int(rules.scholar_symbols)
    seen, also = int(state.frames[top, Column.SEEN]), int(state.frames[top, Column.SEEN + 1])
    if (seen == NONE and also != NONE) or (seen != NONE and (seen == also or free >> seen & 1 == 0)):
        return False
    if also != NONE and free >> also & 1 == 0:
        return False
    if state.phase == Phase.SETUP:
        return state.frames[top, Column.PURPOSE] == 0 and state.councilor[seat] == Councilor.SCHOLAR
    if state.frames[top, Column.PURPOSE] == 0 or state.hologram != Councilor.SCHOLAR or state.hologram_artifact != NONE:
        return False
    return seat == int(state.first)


@kernel
def move_sound(rules: Record, state: Record, seat: int, kind: int, do: int) -> bool:
    """Tell whether there is such a piece and a location for it (D5, D6)."""
    if (do == Frame.PLACE and state.home[seat, kind] == 0) or (do == Frame.LIFT and state.lifts[seat] == 0):
        return False
    for location in range(data.NUM_LOCATIONS):
        if do == Frame.PLACE:
            if board.may_place(rules, state, seat, kind, location):
                return True
        elif board.may_lift(state, seat, kind, location):
            return True
    return False


@kernel
def card_sound(rules: Record, state: Record, top: int, is_top: bool) -> bool:
    """Tell whether the card may be played now, and asks something itself or has its effect above it (12.1 - 12.4)."""
    card, target = int(state.frames[top, Column.CARD]), int(state.frames[top, Column.TARGET])
    phase = int(state.phase)
    window = 1 if phase == Phase.DEPLOY else 2 if phase == Phase.MISFORTUNE else 4
    if int(data.WINDOWS[card]) & window == 0 or (target != NONE and card != Basic.ENIGMA_OF_FERVOUR):
        return False
    if not is_top:
        return int(state.frames[top + 1, Column.DO]) == int(EFFECT_OF[card])
    if ASKS >> card & 1 == 0:
        return False
    if card == Basic.CRYPTOGRAPHIC_EXPERTISE:
        return cards.has_done_chief(state, int(state.frames[top, Column.SEAT]))
    if card != Basic.ENIGMA_OF_FERVOUR:
        return True
    for seat in range(int(rules.players)):
        if (target == NONE or target == seat) and cards.has_done_chief(state, seat):
            return True
    return False


@kernel
def series_sound(state: Record, top: int, do: int, seat: int) -> bool:
    """Check D22, D23, D28, D29: as often as card or component allows; a further choice may be declined (2.4, 7.8)."""
    by_card = state.frames[top - 1, Column.DO] == Frame.CARD
    left, may = int(state.frames[top, Column.LEFT]), int(state.frames[top, Column.MAY])
    if not by_card and state.phase != Phase.ACTIONS:
        return False
    if do == Frame.SWAP:
        given = int(state.frames[top, Column.GIVEN])
        if given == NONE and not cards.has_raw(state, seat):
            return False
        if given != NONE and state.goods[seat, given] == 0:
            return False
        return not by_card or left <= data.TRANSMUTATION_SWAPS
    if by_card and (left > 1 or may != 0):
        return False
    return board.any_ward(state) if do == Frame.WARD else board.any_flooded(state)


@kernel
def look_sound(state: Record, top: int) -> bool:
    """Check C8b, D30: cards are still turned up, or some of those looked at may be removed (12.6, 12.7)."""
    depth, removes = int(state.frames[top, Column.DEPTH]), int(state.frames[top, Column.REMOVES])
    if state.frames[top - 1, Column.DO] == Frame.CARD:
        if depth > data.AUGURY_DEPTH or removes > data.AUGURY_REMOVES:
            return False
    elif state.phase == Phase.MISFORTUNE or (state.phase == Phase.DEPLOY and (depth > 1 or removes > 0)):
        return False
    known = cards.known_on_top(state)
    if state.frames[top, Column.OPEN] != 0:
        unknown = 0
        for kind in range(len(state.misfortune_deck)):
            unknown += int(state.misfortune_deck[kind])
        return known < depth and unknown > 0
    return removes > 0 and depth <= known


@kernel
def misfortune_sound(state: Record, top: int, is_top: bool) -> bool:
    """Check D8, D10: no more choices than the card leaves, and one if nothing else is going on (6.6 - 6.9)."""
    card, left = int(state.frames[top, Column.CARD]), int(state.frames[top, Column.CHOICES])
    if left > int(CHOICES_OF[card]) or (is_top and left == 0):
        return False
    return state.frames[top, Column.EXCEPT] == NONE or (card == Misfortune.STORM_SURGE and left < 2)


@kernel
def displacement_sound(rules: Record, state: Record, top: int) -> bool:
    """Check D9: tiles of one peninsula with pieces, under water or a diver's; who is still to be asked has the card."""
    first = int(state.frames[top, Column.TILES])
    if first == NONE or state.frames[top, Column.ORDER] == NONE or not order_sound(state, top):
        return False
    peninsula = first // data.TILES_PER_PENINSULA
    seen = 0
    for number in range(Column.TILES, Column.TILES + MAX_DISPLACED):
        tile = int(state.frames[top, number])
        if tile == NONE:
            if number + 1 < Column.TILES + MAX_DISPLACED and state.frames[top, number + 1] != NONE:
                return False
            continue
        if tile // data.TILES_PER_PENINSULA != peninsula or seen >> tile & 1 or state.crowd[tile] == 0:
            return False
        dry = tile % data.TILES_PER_PENINSULA >= int(state.flooded[peninsula])
        if dry and (rules.divers_on_flooded != 0 or not board.opened_by_diver(state, tile)):
            return False
        seen |= 1 << tile
    for place in range(Column.ORDER, Column.ORDER + data.MAX_PLAYERS):
        seat = int(state.frames[top, place])
        if seat != NONE and state.hand[seat, Basic.SWIFT_EVACUATION] == 0:
            return False
    return True


@kernel
def wild_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """Check C9, D14, D15: the target and the bonus of this round; a value that one die can have given (7.6)."""
    at, value = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.VALUE])
    bonus, stage = int(state.frames[top, Column.BONUS]), int(state.frames[top, Column.STAGE])
    if int(state.frames[top, Column.TARGET]) != locations.wild_target(rules, state, at):
        return False
    if bonus != locations.wild_bonus(rules, state, seat, at):
        return False
    if (value != NONE) != (stage != WildStage.ROLL):
        return False
    if value != NONE and (value <= bonus or value > bonus + data.DICE_FACES):
        return False
    priest = state.frames[top, Column.MAY_REROLL] != 0
    return (priest or stage != WildStage.PRIEST) and (not priest or state.special_at[Councilor.PRIEST] == at)


@kernel
def city_sound(state: Record, top: int, seat: int, is_top: bool) -> bool:
    """Check C9, D14, D17, and D16 in the frame above (7.7)."""
    at, stage = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.STAGE])
    missing = state.frames[top, Column.DIE] == 0 or state.frames[top, Column.DIE + 1] == 0
    if (
        missing != (stage == CityStage.ROLL)
        or (stage == CityStage.SHARE) == is_top
        or not locations.is_owner_here(state, at, seat)
    ):
        return False
    priest = state.frames[top, Column.MAY_REROLL] != 0
    return (priest or stage != CityStage.PRIEST) and (not priest or state.special_at[Councilor.PRIEST] == at)


@kernel
def drawing_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """Check C10, D18, D19: not more cards than an action draws, and something to draw, to choose or to buy (7.9)."""
    stage, left = int(state.frames[top, Column.STAGE]), cards.num_drawn(state, top)
    to_draw, allowance = int(state.frames[top, Column.TO_DRAW]), int(state.frames[top, Column.ALLOWANCE])
    for place in range(Column.DRAWN + left, Column.DRAWN + data.MAX_SEEN):
        if state.frames[top, place] != NONE:
            return False
    most = 2 if state.frames[top, Column.SYMBOL] == Symbol.KEEP_BOTH else 1
    if allowance > most or to_draw + left > data.MAX_SEEN:
        return False
    if stage == LibraryStage.DRAW:
        return to_draw > 0 and allowance == most and board.library_left(state)
    if to_draw > 0:
        return False
    if stage == LibraryStage.KEEP:
        return allowance > 0 and left > allowance
    return allowance == 0 and left > 0
