"""Whether the frames of ``pending`` fit the phase, each other and the board (section 20)."""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.data import (
    CITIES_START,
    CITIES_STOP,
    ENERGY,
    GATE,
    GOLD,
    MAX_PLAYERS,
    NUM_PRICE_TYPES,
    NUM_WILD,
    SPACE,
    TILES_PER_PENINSULA,
)
from atlantis_envs.games.atlantis_rising.state import (
    ACTIONS_PHASE,
    COMPONENT,
    DEPLOY,
    DIE,
    DO,
    FOLLOWER_MASK,
    FOR_BUILD,
    FOR_CITIES,
    FRAME_BOARD,
    FRAME_BUILD,
    FRAME_CARD,
    FRAME_CITY,
    FRAME_DISPLACE,
    FRAME_EBB,
    FRAME_LIFT,
    FRAME_LOOK,
    FRAME_MEMORY,
    FRAME_MISFORTUNE,
    FRAME_PLACE,
    FRAME_SACRIFICE,
    FRAME_SCHOLAR,
    FRAME_SETUP,
    FRAME_SHARE,
    FRAME_SWAP,
    FRAME_TURN,
    FRAME_WARD,
    FRAME_WILD,
    FRAMES,
    GIVEN,
    GIVES,
    GOOD,
    KIND,
    MISFORTUNE,
    NONE,
    ORDER,
    PLACE_AT,
    PRICE,
    PURPOSE,
    REST,
    SEAT,
    SETUP,
    STAGE,
    STAGE_ROLL,
    STAGE_SHARE,
    START,
    TARGET,
    TILES,
    VALUE,
)

BOTTOM = 0  # in PARENTS: no frame below


def _tables() -> tuple[np.ndarray, np.ndarray]:
    """For every frame the frames it may lie on, and the phases it occurs in, as bits."""
    parents = np.full(len(FRAMES), 1 << FRAME_TURN, np.int64)
    phases = np.full(len(FRAMES), 1 << ACTIONS_PHASE, np.int64)
    acting = 1 << DEPLOY | 1 << MISFORTUNE | 1 << ACTIONS_PHASE
    for frame, phase in (
        (FRAME_SETUP, 1 << SETUP),
        (FRAME_SCHOLAR, 1 << SETUP | 1 << START),
        (FRAME_BOARD, 1 << START),
        (FRAME_TURN, acting),
        (FRAME_MISFORTUNE, 1 << MISFORTUNE),
    ):
        parents[frame], phases[frame] = 1 << BOTTOM, phase
    parents[FRAME_DISPLACE], phases[FRAME_DISPLACE] = 1 << FRAME_MISFORTUNE, 1 << MISFORTUNE
    phases[FRAME_PLACE] = phases[FRAME_LIFT] = 1 << DEPLOY
    for frame in (FRAME_SHARE, FRAME_CARD, FRAME_WARD, FRAME_EBB, FRAME_SWAP, FRAME_LOOK):
        phases[frame] = acting
    parents[FRAME_SHARE] |= 1 << FRAME_CITY | 1 << FRAME_BUILD
    parents[FRAME_CARD] |= 1 << BOTTOM
    for frame in (FRAME_WARD, FRAME_EBB, FRAME_SWAP, FRAME_LOOK):
        parents[frame] |= 1 << FRAME_CARD
    return parents, phases


PARENTS, PHASES_OF = _tables()


@kernel
def frames_sound(rules: Record, state: Record) -> bool:
    """Every frame lies where it can lie and holds what it can hold."""
    phase = int(state.phase)
    for top in range(int(state.num_frames)):
        do = int(state.frames[top, DO])
        below = BOTTOM if top == 0 else int(state.frames[top - 1, DO])
        if int(PARENTS[do]) >> below & 1 == 0 or int(PHASES_OF[do]) >> phase & 1 == 0:
            return False
        if do == FRAME_CARD and top == 0 and phase != ACTIONS_PHASE:
            return False
        if do == FRAME_TURN and phase == MISFORTUNE and state.window_open == 0:
            return False
        if not frame_sound(rules, state, top, do):
            return False
    return True


@kernel
def frame_sound(rules: Record, state: Record, top: int, do: int) -> bool:
    """What one frame holds."""
    seat = int(state.frames[top, SEAT])
    at = int(state.frames[top, PLACE_AT])
    is_top = top == int(state.num_frames) - 1
    if do == FRAME_PLACE:
        return state.home[seat, int(state.frames[top, KIND])] > 0
    if do == FRAME_WILD:
        rolled = state.frames[top, VALUE] != NONE
        return at < NUM_WILD * TILES_PER_PENINSULA and rolled == (state.frames[top, STAGE] != STAGE_ROLL)
    if do == FRAME_CITY:
        if at < CITIES_START or at >= CITIES_STOP:
            return False
        if (state.frames[top, DIE] == 0 or state.frames[top, DIE + 1] == 0) != (state.frames[top, STAGE] == STAGE_ROLL):
            return False
        return (state.frames[top, STAGE] == STAGE_SHARE) != is_top
    if do == FRAME_SHARE:
        return share_sound(rules, state, top)
    if do == FRAME_BUILD:
        return build_sound(rules, state, top, at)
    if do == FRAME_SACRIFICE:
        followers = 0
        for owner in range(int(rules.players)):
            followers += int(state.pieces[at, owner]) & FOLLOWER_MASK
        return followers > 0
    if do == FRAME_SWAP:
        given = int(state.frames[top, GIVEN])
        return given == NONE or state.goods[seat, given] > 0
    if do == FRAME_DISPLACE:
        return state.frames[top, TILES] != NONE and seats_differ(state, top)
    if do == FRAME_MEMORY:
        return seats_differ(state, top)
    return True


@kernel
def seats_differ(state: Record, top: int) -> bool:
    """The order of a frame names no seat twice."""
    seen = 0
    for place in range(ORDER, ORDER + MAX_PLAYERS):
        seat = int(state.frames[top, place])
        if seat != NONE:
            if seen >> seat & 1:
                return False
            seen |= 1 << seat
    return True


@kernel
def share_sound(rules: Record, state: Record, top: int) -> bool:
    """Purpose, type, target and order of a payment belong together (9.5)."""
    below = int(state.frames[top - 1, DO])
    purpose, good = int(state.frames[top, PURPOSE]), int(state.frames[top, GOOD])
    if (purpose == FOR_BUILD) != (below == FRAME_BUILD) or (purpose == FOR_CITIES) != (below == FRAME_CITY):
        return False
    if good < GOLD or (good != ENERGY and purpose != FOR_BUILD):
        return False
    if (state.frames[top, TARGET] == NONE) != (purpose >= FOR_CITIES) or not seats_differ(state, top):
        return False
    if state.frames[top, REST] == 0 or state.frames[top, ORDER] == NONE:
        return False
    if purpose < FOR_CITIES and state.frames[top, ORDER] != state.turn:
        return False
    for place in range(MAX_PLAYERS):
        given = int(state.frames[top, GIVES + place])
        if given != NONE:
            seat = int(state.frames[top, ORDER + place])
            if seat == NONE or given > int(state.goods[seat, good]):
                return False
    return not (purpose == FOR_BUILD and state.frames[top - 1, PRICE] == NONE)


@kernel
def build_sound(rules: Record, state: Record, top: int, gate: int) -> bool:
    """A gate; the component is on the blueprint and priced, what is agreed is owned (8.5)."""
    if gate < GATE or gate >= SPACE:
        return False
    component = int(state.frames[top, COMPONENT])
    if component == NONE:
        return state.frames[top, PRICE] == NONE
    if state.blueprint[component] == 0 or state.frames[top, PRICE] == NONE:
        return False
    for kind in range(NUM_PRICE_TYPES):
        agreed = 0
        for seat in range(int(rules.players)):
            amount = int(state.paid[seat, kind])
            agreed += amount
            if amount > int(state.goods[seat, GOLD + kind]):
                return False
        if agreed > int(state.frames[top, PRICE + kind]):
            return False
    return True
