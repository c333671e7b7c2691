"""Water: barriers, flipping tiles, and the pieces that have to leave (6.3 - 6.5, 6.8)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import (
    MAX_PLAYERS,
    NUM_PENINSULAS,
    TILES_PER_PENINSULA,
    Basic,
    Councilor,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import opened_by_diver, send_home
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, pop, push, set_none, wait
from atlantis_envs.games.atlantis_rising.state import MAX_DISPLACED, NONE, Column, Frame, Node
from atlantis_envs.kernels.kernel import kernel


@kernel
def sunk(state: Record) -> bool:
    """Whether all six peninsulas are fully flooded: the next flood of choice sinks the centre (6.8)."""
    for peninsula in range(NUM_PENINSULAS):
        if state.flooded[peninsula] < TILES_PER_PENINSULA:
            return False
    return True


@kernel
def flood(rules: Record, state: Record, peninsula: int, through: bool) -> None:
    """Flood a peninsula, unless a barrier absorbs it (6.3); ``through``: barrier and tile are both lost (6.7)."""
    guarded = state.barriers[peninsula] != 0
    state.barriers[peninsula] = 0
    if guarded and not through:
        return
    state.flooded[peninsula] += 1
    flipped = TILES_PER_PENINSULA * peninsula + int(state.flooded[peninsula]) - 1
    top = NONE
    found = 0
    last = int(state.flooded[peninsula]) if rules.divers_on_flooded != 0 else TILES_PER_PENINSULA + 1
    for step in range(last):  # 6.4: the flipped tile, then the divers' tiles by position
        tile = flipped if step == 0 else TILES_PER_PENINSULA * peninsula + step - 1
        if state.crowd[tile] > 0 and (step == 0 or (tile != flipped and opened_by_diver(state, tile))):
            if top == NONE:
                top = push(state, Frame.DISPLACE, 0)
                set_none(state, top, Column.TILES, Column.ORDER + MAX_PLAYERS)
            state.frames[top, Column.TILES + found] = tile
            found += 1
    if top != NONE:
        begin_displacement(rules, state)


@kernel
def begin_displacement(rules: Record, state: Record) -> None:
    """Deal with the frame's tiles: a champion keeps its pieces, card holders are asked, others go home (6.5)."""
    top = int(state.num_frames) - 1
    players = int(rules.players)
    for _ in range(MAX_DISPLACED):
        tile = int(state.frames[top, Column.TILES])
        if tile == NONE:
            break
        if state.special_at[Councilor.CHAMPION] != tile:
            queried = 0
            for step in range(players):
                seat = (int(state.first) + step) % players
                if state.hand[seat, Basic.SWIFT_EVACUATION] > 0:
                    state.frames[top, Column.ORDER + queried] = seat
                    queried += 1
            if queried > 0:
                return
            send_home(state, tile)
        next_tile(state, top)
    pop(state)


@kernel
def next_tile(state: Record, top: int) -> None:
    """Remove the first tile of the frame: it is dealt with."""
    for number in range(MAX_DISPLACED - 1):
        state.frames[top, Column.TILES + number] = state.frames[top, Column.TILES + number + 1]
    state.frames[top, Column.TILES + MAX_DISPLACED - 1] = NONE
    set_none(state, top, Column.ORDER, Column.ORDER + MAX_PLAYERS)


@kernel
def run_displacement(rules: Record, state: Record, top: int) -> bool:
    """Wait for the next holder (D9), or go on when nobody is left to ask."""
    if state.frames[top, Column.ORDER] != NONE:
        return wait(state, Node.REACT, int(state.frames[top, Column.ORDER]))
    if state.frames[top, Column.TILES] != NONE:
        send_home(state, int(state.frames[top, Column.TILES]))
        next_tile(state, top)
    begin_displacement(rules, state)
    return RUNNING


@kernel
def apply_react(rules: Record, state: Record, top: int, action: int) -> None:
    """Keep all pieces on the tile by swift evacuation, or decline (D9; 6.5, 12.5)."""
    seat = int(state.frames[top, Column.ORDER])
    if action == Act.DECLINE:
        for number in range(Column.ORDER, Column.ORDER + MAX_PLAYERS - 1):
            state.frames[top, number] = state.frames[top, number + 1]
        state.frames[top, Column.ORDER + MAX_PLAYERS - 1] = NONE
        return
    leave_hand(state, seat, Basic.SWIFT_EVACUATION)
    state.library_discard[Basic.SWIFT_EVACUATION] += 1
    next_tile(state, top)
    begin_displacement(rules, state)


@kernel
def leave_hand(state: Record, seat: int, card: int) -> None:
    """Take a basic card from a hand; a shown copy first, which the others know (15.2)."""
    state.hand[seat, card] -= 1
    if state.public_hand[seat, card] > 0:
        state.public_hand[seat, card] -= 1
