"""Choices that come in rows: barriers, drains, swaps, looks, recruits and gains (2.4, 7.8, 7.11, 12.7)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import AMPLIFY_GOODS, MAX_PLAYERS, MAX_TOP, TERRAFORMER_DRAINS, Kind
from atlantis_envs.games.atlantis_rising.mechanics.board import (
    any_flooded,
    any_ward,
    gain,
    recruit,
    take_piece,
    unknown_misfortunes,
)
from atlantis_envs.games.atlantis_rising.mechanics.misfortunes import drop_top
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, pop, push, wait
from atlantis_envs.games.atlantis_rising.state import FOLLOWER_MASK, NONE, Column, Frame, Node
from atlantis_envs.kernels.kernel import kernel


@kernel
def has_raw(state: Record, seat: int) -> bool:
    """Whether the seat owns ore, gold or crystal."""
    return state.goods[seat, 0] > 0 or state.goods[seat, 1] > 0 or state.goods[seat, 2] > 0


@kernel
def run_series(rules: Record, state: Record, top: int, do: int) -> bool:
    """Wait for the next of several choices (D22, D23, D28, D29) while something is left and can be done."""
    seat = int(state.frames[top, Column.SEAT])
    if do == Frame.SWAP and state.frames[top, Column.GIVEN] != NONE:
        return wait(state, Node.TAKE, seat)
    if state.frames[top, Column.LEFT] > 0:
        if do == Frame.WARD and any_ward(state):
            return wait(state, Node.WARD, seat)
        if do == Frame.EBB and any_flooded(state):
            return wait(state, Node.EBB, seat)
        if do == Frame.SWAP and has_raw(state, seat):
            return wait(state, Node.GIVE, seat)
    pop(state)
    return RUNNING


@kernel
def apply_ward_or_ebb(state: Record, top: int, action: int) -> None:
    """Put a free barrier or drain a tile, or stop (D22, D23)."""
    if action == Act.DECLINE:
        pop(state)
        return
    if action >= Act.DRAIN:
        state.flooded[action - Act.DRAIN] -= 1
    else:
        state.barriers[action - Act.BARRIER] = 1
    state.frames[top, Column.LEFT] -= 1
    state.frames[top, Column.MAY] = 1


@kernel
def begin_swaps(state: Record, seat: int, swaps: int) -> None:
    """Begin the swaps of matter converter and transmutation (7.8)."""
    top = push(state, Frame.SWAP, seat)
    state.frames[top, Column.LEFT] = swaps
    state.frames[top, Column.GIVEN] = NONE


@kernel
def apply_swap(state: Record, top: int, action: int) -> None:
    """Name the good to give (D28), then take another for it (D29), or stop."""
    seat = int(state.frames[top, Column.SEAT])
    if action == Act.DECLINE:
        pop(state)
    elif action < Act.TAKE:
        state.frames[top, Column.GIVEN] = action - Act.GIVE
    else:
        state.goods[seat, int(state.frames[top, Column.GIVEN])] -= 1
        gain(state, seat, action - Act.TAKE, 1)
        state.frames[top, Column.GIVEN] = NONE
        state.frames[top, Column.LEFT] -= 1
        state.frames[top, Column.MAY] = 1


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
    """Turn cards up (C8b) until enough are known, then wait at D30 while something may be removed."""
    known = known_on_top(state)
    if state.frames[top, Column.OPEN] != 0:
        if known < int(state.frames[top, Column.DEPTH]) and unknown_misfortunes(state) > 0:
            return wait(state, Node.C8B_LOOK, NONE)
        state.frames[top, Column.OPEN] = 0
        state.frames[top, Column.DEPTH] = min(known, int(state.frames[top, Column.DEPTH]))
    if state.frames[top, Column.REMOVES] > 0 and min(known, int(state.frames[top, Column.DEPTH])) > 0:
        return wait(state, Node.LOOK, int(state.frames[top, Column.SEAT]))
    pop(state)
    return RUNNING


@kernel
def apply_removal(state: Record, top: int, action: int) -> None:
    """Discard the topmost card of that kind among the looked-at ones (D30)."""
    if action == Act.DECLINE:
        pop(state)
        return
    kind = action - Act.REMOVE
    place = 0
    while place < MAX_TOP - 1 and state.misfortune_top[place] != kind:
        place += 1
    drop_top(state, place)
    state.misfortune_discard[kind] += 1
    state.frames[top, Column.DEPTH] -= 1
    state.frames[top, Column.REMOVES] -= 1


# -------------------------------------------------------------------------------------- recruits, gains, sacrifice


@kernel
def run_muster(rules: Record, state: Record, top: int) -> bool:
    """Recruit for the muster array; wait at D34 if several seats have a reserve."""
    candidates = 0
    last = NONE
    for seat in range(int(rules.players)):
        if state.reserve[seat] > 0:
            candidates += 1
            last = seat
    if state.frames[top, Column.LEFT] == 0 or candidates == 0:
        pop(state)
    elif candidates > 1:
        return wait(state, Node.MUSTER, int(state.frames[top, Column.SEAT]))
    else:
        recruit(state, last)
        state.frames[top, Column.LEFT] -= 1
    return RUNNING


@kernel
def apply_muster(state: Record, top: int, action: int) -> None:
    """Recruit a follower for the seat that was named (D34)."""
    recruit(state, action - Act.SEAT)
    state.frames[top, Column.LEFT] -= 1


@kernel
def run_gain(rules: Record, state: Record, top: int, do: int) -> bool:
    """Wait for seat and good of amplification chamber, prism lens or chronal lattice (D32, D33; 7.11)."""
    if do == Frame.AMPLIFY and state.frames[top, Column.TARGET] == NONE:
        return wait(state, Node.AMPLIFY, int(state.frames[top, Column.SEAT]))
    if do != Frame.LATTICE:
        return wait(state, Node.GAIN, int(state.frames[top, Column.SEAT]))
    if state.frames[top, Column.ORDER] == NONE:
        pop(state)
        return RUNNING
    return wait(state, Node.GAIN, int(state.frames[top, Column.ORDER]))


@kernel
def apply_gain(state: Record, top: int, do: int, action: int) -> None:
    """Add the good that was chosen (D33)."""
    good = action - Act.TAKE
    if do == Frame.AMPLIFY:
        gain(state, int(state.frames[top, Column.TARGET]), good, AMPLIFY_GOODS)
        pop(state)
    elif do == Frame.LATTICE:
        gain(state, int(state.frames[top, Column.ORDER]), good, 1)
        for number in range(Column.ORDER, Column.ORDER + MAX_PLAYERS - 1):
            state.frames[top, number] = state.frames[top, number + 1]
        state.frames[top, Column.ORDER + MAX_PLAYERS - 1] = NONE
    else:
        gain(state, int(state.frames[top, Column.SEAT]), good, 1)
        pop(state)


@kernel
def run_sacrifice(rules: Record, state: Record, top: int) -> bool:
    """Let a follower leave for the soul terraformer; wait at D35 if two seats have one there (7.11)."""
    location = int(state.frames[top, Column.PLACE_AT])
    found = NONE
    for seat in range(int(rules.players)):
        if int(state.pieces[location, seat]) & FOLLOWER_MASK:
            if found != NONE:
                return wait(state, Node.SACRIFICE, int(state.frames[top, Column.SEAT]))
            found = seat
    sacrifice(state, top, found)
    return RUNNING


@kernel
def sacrifice(state: Record, top: int, seat: int) -> None:
    """Remove the follower from the game, then allow up to three drains (2.4)."""
    opener = int(state.frames[top, Column.SEAT])
    take_piece(state, seat, Kind.FOLLOWER, int(state.frames[top, Column.PLACE_AT]))
    state.removed[seat] += 1
    pop(state)
    ebb = push(state, Frame.EBB, opener)
    state.frames[ebb, Column.LEFT] = TERRAFORMER_DRAINS
