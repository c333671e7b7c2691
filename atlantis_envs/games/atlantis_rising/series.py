"""Choices that come in rows: barriers, drains, swaps, looks, recruits and gains (2.4, 7.8, 7.11, 12.7)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import (
    BARRIER,
    DECLINE,
    DRAIN,
    GIVE,
    NAME_SEAT,
    REMOVE,
    TAKE,
)
from atlantis_envs.games.atlantis_rising.board import any_flooded, any_ward, recruit, take_piece, unknown_misfortunes
from atlantis_envs.games.atlantis_rising.data import (
    AMPLIFY_GOODS,
    FOLLOWER,
    MAX_PLAYERS,
    MAX_TOP,
    TERRAFORMER_DRAINS,
)
from atlantis_envs.games.atlantis_rising.misfortunes import drop_top
from atlantis_envs.games.atlantis_rising.stack import RUNNING, pop, push, wait
from atlantis_envs.games.atlantis_rising.state import (
    CHANCE_LOOK,
    DEPTH,
    FOLLOWER_MASK,
    FRAME_AMPLIFY,
    FRAME_EBB,
    FRAME_LATTICE,
    FRAME_SWAP,
    FRAME_WARD,
    GIVEN,
    LEFT,
    MAY,
    NODE_AMPLIFY,
    NODE_EBB,
    NODE_GAIN,
    NODE_GIVE,
    NODE_LOOK,
    NODE_MUSTER,
    NODE_SACRIFICE,
    NODE_TAKE,
    NODE_WARD,
    NONE,
    OPEN,
    ORDER,
    PLACE_AT,
    REMOVES,
    SEAT,
    TARGET,
)


@kernel
def has_raw(state: Record, seat: int) -> bool:
    """The seat owns ore, gold or crystal."""
    return state.goods[seat, 0] > 0 or state.goods[seat, 1] > 0 or state.goods[seat, 2] > 0


@kernel
def run_series(rules: Record, state: Record, top: int, do: int) -> bool:
    """D22, D23, D28, D29, while something is left and can be done."""
    seat = int(state.frames[top, SEAT])
    if do == FRAME_SWAP and state.frames[top, GIVEN] != NONE:
        return wait(state, NODE_TAKE, seat)
    if state.frames[top, LEFT] > 0:
        if do == FRAME_WARD and any_ward(state):
            return wait(state, NODE_WARD, seat)
        if do == FRAME_EBB and any_flooded(state):
            return wait(state, NODE_EBB, seat)
        if do == FRAME_SWAP and has_raw(state, seat):
            return wait(state, NODE_GIVE, seat)
    pop(state)
    return RUNNING


@kernel
def apply_ward_or_ebb(state: Record, top: int, action: int) -> None:
    """D22, D23."""
    if action == DECLINE:
        pop(state)
        return
    if action >= DRAIN:
        state.flooded[action - DRAIN] -= 1
    else:
        state.barriers[action - BARRIER] = 1
    state.frames[top, LEFT] -= 1
    state.frames[top, MAY] = 1


@kernel
def begin_swaps(state: Record, seat: int, swaps: int) -> None:
    """Matter converter and transmutation (7.8)."""
    top = push(state, FRAME_SWAP, seat)
    state.frames[top, LEFT] = swaps
    state.frames[top, GIVEN] = NONE


@kernel
def apply_swap(state: Record, top: int, action: int) -> None:
    """D28, then D29."""
    seat = int(state.frames[top, SEAT])
    if action == DECLINE:
        pop(state)
    elif action < TAKE:
        state.frames[top, GIVEN] = action - GIVE
    else:
        state.goods[seat, int(state.frames[top, GIVEN])] -= 1
        state.goods[seat, action - TAKE] += 1
        state.frames[top, GIVEN] = NONE
        state.frames[top, LEFT] -= 1
        state.frames[top, MAY] = 1


# ------------------------------------------------------------------------------------------------- looks (12.7)


@kernel
def known_on_top(state: Record) -> int:
    """How many misfortunes are known on top."""
    known = 0
    while known < MAX_TOP and state.misfortune_top[known] != NONE:
        known += 1
    return known


@kernel
def run_look(rules: Record, state: Record, top: int) -> bool:
    """C8b until enough is known, then D30 while something may be removed."""
    known = known_on_top(state)
    if state.frames[top, OPEN] != 0:
        if known < int(state.frames[top, DEPTH]) and unknown_misfortunes(state) > 0:
            return wait(state, CHANCE_LOOK, NONE)
        state.frames[top, OPEN] = 0
        state.frames[top, DEPTH] = min(known, int(state.frames[top, DEPTH]))
    if state.frames[top, REMOVES] > 0 and min(known, int(state.frames[top, DEPTH])) > 0:
        return wait(state, NODE_LOOK, int(state.frames[top, SEAT]))
    pop(state)
    return RUNNING


@kernel
def apply_removal(state: Record, top: int, action: int) -> None:
    """D30: the topmost card of that kind among the looked-at ones goes to the discard."""
    if action == DECLINE:
        pop(state)
        return
    kind = action - REMOVE
    place = 0
    while state.misfortune_top[place] != kind:
        place += 1
    drop_top(state, place)
    state.misfortune_discard[kind] += 1
    state.frames[top, DEPTH] -= 1
    state.frames[top, REMOVES] -= 1


# -------------------------------------------------------------------------------------- recruits, gains, sacrifice


@kernel
def run_muster(rules: Record, state: Record, top: int) -> bool:
    """Muster array: D34 if several seats have a reserve."""
    candidates = 0
    last = NONE
    for seat in range(int(rules.players)):
        if state.reserve[seat] > 0:
            candidates += 1
            last = seat
    if state.frames[top, LEFT] == 0 or candidates == 0:
        pop(state)
    elif candidates > 1:
        return wait(state, NODE_MUSTER, int(state.frames[top, SEAT]))
    else:
        recruit(state, last)
        state.frames[top, LEFT] -= 1
    return RUNNING


@kernel
def apply_muster(state: Record, top: int, action: int) -> None:
    """D34."""
    recruit(state, action - NAME_SEAT)
    state.frames[top, LEFT] -= 1


@kernel
def run_gain(rules: Record, state: Record, top: int, do: int) -> bool:
    """Amplification chamber, prism lens, chronal lattice: D32, D33 (7.11)."""
    if do == FRAME_AMPLIFY and state.frames[top, TARGET] == NONE:
        return wait(state, NODE_AMPLIFY, int(state.frames[top, SEAT]))
    if do != FRAME_LATTICE:
        return wait(state, NODE_GAIN, int(state.frames[top, SEAT]))
    if state.frames[top, ORDER] == NONE:
        pop(state)
        return RUNNING
    return wait(state, NODE_GAIN, int(state.frames[top, ORDER]))


@kernel
def apply_gain(state: Record, top: int, do: int, action: int) -> None:
    """D33."""
    good = action - TAKE
    if do == FRAME_AMPLIFY:
        state.goods[int(state.frames[top, TARGET]), good] += AMPLIFY_GOODS
        pop(state)
    elif do == FRAME_LATTICE:
        state.goods[int(state.frames[top, ORDER]), good] += 1
        for number in range(ORDER, ORDER + MAX_PLAYERS - 1):
            state.frames[top, number] = state.frames[top, number + 1]
        state.frames[top, ORDER + MAX_PLAYERS - 1] = NONE
    else:
        state.goods[int(state.frames[top, SEAT]), good] += 1
        pop(state)


@kernel
def run_sacrifice(rules: Record, state: Record, top: int) -> bool:
    """Soul terraformer: D35 if followers of two seats are there (7.11)."""
    location = int(state.frames[top, PLACE_AT])
    found = NONE
    for seat in range(int(rules.players)):
        if int(state.pieces[location, seat]) & FOLLOWER_MASK:
            if found != NONE:
                return wait(state, NODE_SACRIFICE, int(state.frames[top, SEAT]))
            found = seat
    sacrifice(state, top, found)
    return RUNNING


@kernel
def sacrifice(state: Record, top: int, seat: int) -> None:
    """The follower leaves the game; then up to three drains (2.4)."""
    opener = int(state.frames[top, SEAT])
    take_piece(state, seat, FOLLOWER, int(state.frames[top, PLACE_AT]))
    state.removed[seat] += 1
    pop(state)
    ebb = push(state, FRAME_EBB, opener)
    state.frames[ebb, LEFT] = TERRAFORMER_DRAINS
