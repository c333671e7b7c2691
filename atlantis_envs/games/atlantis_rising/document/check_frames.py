"""Whether the frames of ``pending`` fit the phase, each other and the board (section 20).

What a frame can hold at all stands in check_tables.py; here is what it can hold in this position. The top frame is at a
node, and at a decision something can be chosen.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.data import (
    AUGURY_DEPTH,
    AUGURY_REMOVES,
    DICE_FACES,
    MAX_PLAYERS,
    MAX_SEEN,
    NUM_LOCATIONS,
    TILES_PER_PENINSULA,
    TRANSMUTATION_SWAPS,
    WINDOWS,
    Basic,
    Component,
    Councilor,
    Misfortune,
    Symbol,
)
from atlantis_envs.games.atlantis_rising.document.check_payment import build_sound, no_gap, order_sound, share_sound
from atlantis_envs.games.atlantis_rising.document.check_tables import (
    ASKS,
    BOTTOM,
    CHOICES_OF,
    EFFECT_OF,
    HIGH,
    LAST_SEAT,
    LOW,
    NODES_IN,
    NODES_OF,
    PARENTS,
    PHASES_OF,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import (
    any_flooded,
    any_ward,
    library_left,
    may_lift,
    may_place,
    opened_by_diver,
)
from atlantis_envs.games.atlantis_rising.mechanics.cards import has_done_chief, num_drawn
from atlantis_envs.games.atlantis_rising.mechanics.dice import is_owner_here, wild_bonus, wild_target
from atlantis_envs.games.atlantis_rising.mechanics.locations import some_resolvable
from atlantis_envs.games.atlantis_rising.mechanics.small_choices import has_raw, known_on_top
from atlantis_envs.games.atlantis_rising.state import (
    FOLLOWER_MASK,
    FRAME_DEPTH,
    FRAME_WIDTH,
    MAX_DISPLACED,
    NONE,
    CityStage,
    Column,
    Frame,
    LibraryStage,
    Phase,
    WildStage,
)
from atlantis_envs.kernels.kernel import kernel


@kernel
def rows_sound(rules: Record, state: Record) -> bool:
    """Every column of the stack in its bounds; what no frame uses is zero, agreed amounts apart from a build too."""
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
    for seat in range(MAX_PLAYERS):
        for kind in range(len(state.paid[0])):
            if state.paid[seat, kind] != 0 and not building:
                return False
    return True


@kernel
def nodes_of(state: Record) -> int:
    """The nodes at which the machine can wait with this stack in this phase, as bits."""
    top = int(state.num_frames) - 1
    return int(NODES_IN[int(state.phase)]) if top < 0 else int(NODES_OF[int(state.frames[top, Column.DO])])


@kernel
def frames_sound(rules: Record, state: Record) -> bool:
    """Every frame lies where it can lie and holds what it can hold."""
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
    """A card alone is played at D36, a turn in phase 2 needs a window, a misfortune none (6.2, 20)."""
    if do == Frame.CARD:
        return phase == Phase.ACTIONS
    if do == Frame.MISFORTUNE:
        return state.window_open == 0
    if do != Frame.TURN:
        return True
    return state.num_frames > 1 and state.passes == 0 and (phase != Phase.MISFORTUNE or state.window_open != 0)


@kernel
def seat_sound(state: Record, top: int, do: int) -> bool:
    """In a turn everything is done by the seat whose turn it is, on a card by its player, at a start by the first."""
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
    """Whether one frame holds what it can hold in this position."""
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
        return some_resolvable(rules, state, seat)
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
    """Memory crystal, muster array, amplification chamber, chronal lattice, soul terraformer (2.4, 7.11)."""
    if do == Frame.MEMORY:
        return order_sound(state, top) and state.frames[top, Column.ORDER] != NONE and library_left(state)
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
            found += int((target == NONE or target == seat) and has_raw(state, seat))
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
    """Two different unused artifacts with the symbol are drawn, for the scholar's seat or the hologram (11.7)."""
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
    """Whether there is such a piece and a location for it (D5, D6)."""
    if (do == Frame.PLACE and state.home[seat, kind] == 0) or (do == Frame.LIFT and state.lifts[seat] == 0):
        return False
    for location in range(NUM_LOCATIONS):
        if do == Frame.PLACE:
            if may_place(rules, state, seat, kind, location):
                return True
        elif may_lift(state, seat, kind, location):
            return True
    return False


@kernel
def card_sound(rules: Record, state: Record, top: int, is_top: bool) -> bool:
    """The card may be played now; it asks something itself, or its effect lies above it (12.1 - 12.4)."""
    card, target = int(state.frames[top, Column.CARD]), int(state.frames[top, Column.TARGET])
    phase = int(state.phase)
    window = 1 if phase == Phase.DEPLOY else 2 if phase == Phase.MISFORTUNE else 4
    if int(WINDOWS[card]) & window == 0 or (target != NONE and card != Basic.ENIGMA_OF_FERVOUR):
        return False
    if not is_top:
        return int(state.frames[top + 1, Column.DO]) == int(EFFECT_OF[card])
    if ASKS >> card & 1 == 0:
        return False
    if card == Basic.CRYPTOGRAPHIC_EXPERTISE:
        return has_done_chief(state, int(state.frames[top, Column.SEAT]))
    if card != Basic.ENIGMA_OF_FERVOUR:
        return True
    for seat in range(int(rules.players)):
        if (target == NONE or target == seat) and has_done_chief(state, seat):
            return True
    return False


@kernel
def series_sound(state: Record, top: int, do: int, seat: int) -> bool:
    """D22, D23, D28, D29: as often as the card or the component allows; a further choice may be declined (2.4, 7.8)."""
    by_card = state.frames[top - 1, Column.DO] == Frame.CARD
    left, may = int(state.frames[top, Column.LEFT]), int(state.frames[top, Column.MAY])
    if not by_card and state.phase != Phase.ACTIONS:
        return False
    if do == Frame.SWAP:
        given = int(state.frames[top, Column.GIVEN])
        if given == NONE and not has_raw(state, seat):
            return False
        if given != NONE and state.goods[seat, given] == 0:
            return False
        return not by_card or left <= TRANSMUTATION_SWAPS
    if by_card and (left > 1 or may != 0):
        return False
    return any_ward(state) if do == Frame.WARD else any_flooded(state)


@kernel
def look_sound(state: Record, top: int) -> bool:
    """C8b, D30: cards are still turned up, or some of those looked at may be removed (12.6, 12.7)."""
    depth, removes = int(state.frames[top, Column.DEPTH]), int(state.frames[top, Column.REMOVES])
    if state.frames[top - 1, Column.DO] == Frame.CARD:
        if depth > AUGURY_DEPTH or removes > AUGURY_REMOVES:
            return False
    elif state.phase == Phase.MISFORTUNE or (state.phase == Phase.DEPLOY and (depth > 1 or removes > 0)):
        return False
    known = known_on_top(state)
    if state.frames[top, Column.OPEN] != 0:
        unknown = 0
        for kind in range(len(state.misfortune_deck)):
            unknown += int(state.misfortune_deck[kind])
        return known < depth and unknown > 0
    return removes > 0 and depth <= known


@kernel
def misfortune_sound(state: Record, top: int, is_top: bool) -> bool:
    """D8, D10: no more choices than the card leaves, and one if nothing else is going on (6.6 - 6.9)."""
    card, left = int(state.frames[top, Column.CARD]), int(state.frames[top, Column.CHOICES])
    if left > int(CHOICES_OF[card]) or (is_top and left == 0):
        return False
    return state.frames[top, Column.EXCEPT] == NONE or (card == Misfortune.STORM_SURGE and left < 2)


@kernel
def displacement_sound(rules: Record, state: Record, top: int) -> bool:
    """D9: tiles of one peninsula with pieces, under water or a diver's; who is still to be asked has the card."""
    first = int(state.frames[top, Column.TILES])
    if first == NONE or state.frames[top, Column.ORDER] == NONE or not order_sound(state, top):
        return False
    peninsula = first // TILES_PER_PENINSULA
    seen = 0
    for number in range(Column.TILES, Column.TILES + MAX_DISPLACED):
        tile = int(state.frames[top, number])
        if tile == NONE:
            if number + 1 < Column.TILES + MAX_DISPLACED and state.frames[top, number + 1] != NONE:
                return False
            continue
        if tile // TILES_PER_PENINSULA != peninsula or seen >> tile & 1 or state.crowd[tile] == 0:
            return False
        dry = tile % TILES_PER_PENINSULA >= int(state.flooded[peninsula])
        if dry and (rules.divers_on_flooded != 0 or not opened_by_diver(state, tile)):
            return False
        seen |= 1 << tile
    for place in range(Column.ORDER, Column.ORDER + MAX_PLAYERS):
        seat = int(state.frames[top, place])
        if seat != NONE and state.hand[seat, Basic.SWIFT_EVACUATION] == 0:
            return False
    return True


@kernel
def wild_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """C9, D14, D15: the target and the bonus of this round; a value that one die can have given (7.6)."""
    at, value = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.VALUE])
    bonus, stage = int(state.frames[top, Column.BONUS]), int(state.frames[top, Column.STAGE])
    if int(state.frames[top, Column.TARGET]) != wild_target(rules, state, at):
        return False
    if bonus != wild_bonus(rules, state, seat, at):
        return False
    if (value != NONE) != (stage != WildStage.ROLL):
        return False
    if value != NONE and (value <= bonus or value > bonus + DICE_FACES):
        return False
    priest = state.frames[top, Column.MAY_REROLL] != 0
    return (priest or stage != WildStage.PRIEST) and (not priest or state.special_at[Councilor.PRIEST] == at)


@kernel
def city_sound(state: Record, top: int, seat: int, is_top: bool) -> bool:
    """C9, D14, D17, and D16 in the frame above (7.7)."""
    at, stage = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.STAGE])
    missing = state.frames[top, Column.DIE] == 0 or state.frames[top, Column.DIE + 1] == 0
    if (
        missing != (stage == CityStage.ROLL)
        or (stage == CityStage.SHARE) == is_top
        or not is_owner_here(state, at, seat)
    ):
        return False
    priest = state.frames[top, Column.MAY_REROLL] != 0
    return (priest or stage != CityStage.PRIEST) and (not priest or state.special_at[Councilor.PRIEST] == at)


@kernel
def drawing_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """C10, D18, D19: not more cards than an action draws, and something to draw, to choose or to buy (7.9)."""
    stage, left = int(state.frames[top, Column.STAGE]), num_drawn(state, top)
    to_draw, allowance = int(state.frames[top, Column.TO_DRAW]), int(state.frames[top, Column.ALLOWANCE])
    for place in range(Column.DRAWN + left, Column.DRAWN + MAX_SEEN):
        if state.frames[top, place] != NONE:
            return False
    most = 2 if state.frames[top, Column.SYMBOL] == Symbol.KEEP_BOTH else 1
    if allowance > most or to_draw + left > MAX_SEEN:
        return False
    if stage == LibraryStage.DRAW:
        return to_draw > 0 and allowance == most and library_left(state)
    if to_draw > 0:
        return False
    if stage == LibraryStage.KEEP:
        return allowance > 0 and left > allowance
    return allowance == 0 and left > 0
