"""Water (6.3 - 6.5, 6.8) and misfortunes (6): barriers, tiles that sink, pieces that have to leave, cards drawn."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import Basic, Councilor, Good, Misfortune
from atlantis_envs.games.atlantis_rising.rules import board
from atlantis_envs.games.atlantis_rising.state import (
    FOLLOWER_MASK,
    MAX_DISPLACED,
    MAX_DRAWS,
    NONE,
    Column,
    Frame,
    Node,
    Result,
)
from atlantis_envs.kernels.kernel import kernel


@kernel
def sunk(state: Record) -> bool:
    """Tell whether all six peninsulas are fully flooded: the next flood of choice sinks the centre (6.8)."""
    for peninsula in range(data.NUM_PENINSULAS):
        if state.flooded[peninsula] < data.TILES_PER_PENINSULA:
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
    flipped = data.TILES_PER_PENINSULA * peninsula + int(state.flooded[peninsula]) - 1
    top = NONE
    found = 0
    last = int(state.flooded[peninsula]) if rules.divers_on_flooded != 0 else data.TILES_PER_PENINSULA + 1
    for step in range(last):  # 6.4: the flipped tile, then the divers' tiles by position
        tile = flipped if step == 0 else data.TILES_PER_PENINSULA * peninsula + step - 1
        if state.crowd[tile] > 0 and (step == 0 or (tile != flipped and board.opened_by_diver(state, tile))):
            if top == NONE:
                top = board.push(state, Frame.DISPLACE, 0)
                board.set_none(state, top, Column.TILES, Column.ORDER + data.MAX_PLAYERS)
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
            board.send_home(state, tile)
        next_tile(state, top)
    board.pop(state)


@kernel
def next_tile(state: Record, top: int) -> None:
    """Remove the first tile of the frame: it is dealt with."""
    for number in range(MAX_DISPLACED - 1):
        state.frames[top, Column.TILES + number] = state.frames[top, Column.TILES + number + 1]
    state.frames[top, Column.TILES + MAX_DISPLACED - 1] = NONE
    board.set_none(state, top, Column.ORDER, Column.ORDER + data.MAX_PLAYERS)


@kernel
def run_displacement(rules: Record, state: Record, top: int) -> bool:
    """Wait for the next holder (D9), or go on when nobody is left to ask."""
    if state.frames[top, Column.ORDER] != NONE:
        return board.wait(state, Node.REACT, int(state.frames[top, Column.ORDER]))
    if state.frames[top, Column.TILES] != NONE:
        board.send_home(state, int(state.frames[top, Column.TILES]))
        next_tile(state, top)
    begin_displacement(rules, state)
    return board.RUNNING


@kernel
def apply_react(rules: Record, state: Record, top: int, action: int) -> None:
    """Keep all pieces on the tile by swift evacuation, or decline (D9; 6.5, 12.5)."""
    seat = int(state.frames[top, Column.ORDER])
    if action == Act.DECLINE:
        for number in range(Column.ORDER, Column.ORDER + data.MAX_PLAYERS - 1):
            state.frames[top, number] = state.frames[top, number + 1]
        state.frames[top, Column.ORDER + data.MAX_PLAYERS - 1] = NONE
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


# ------------------------------------------------------------------------------------------------------ misfortunes (6)


@kernel
def begin_draws(rules: Record, state: Record) -> None:
    """List the drawing seats of the round (2.2)."""
    for number in range(int(rules.num_draws)):
        state.draws[number] = (int(state.first) + int(rules.draw_order[number])) % int(rules.players)


@kernel
def refill_misfortunes(state: Record) -> None:
    """Make the discard the deck (6.11)."""
    for kind in range(data.NUM_MISFORTUNES):
        state.misfortune_deck[kind] += state.misfortune_discard[kind]
        state.misfortune_discard[kind] = 0


@kernel
def drop_top(state: Record, place: int) -> None:
    """Remove a known top card."""
    for number in range(place, data.MAX_TOP - 1):
        state.misfortune_top[number] = state.misfortune_top[number + 1]
    state.misfortune_top[data.MAX_TOP - 1] = NONE


@kernel
def apply_misfortune(rules: Record, state: Record, outcome: int) -> None:
    """Turn the card up and resolve it as far as nobody has to choose (C8; 6.1)."""
    card = outcome - Outcome.MISFORTUNE
    if state.misfortune_top[0] != NONE:
        drop_top(state, 0)
    else:
        state.misfortune_deck[card] -= 1
    seat = int(state.draws[0])
    for number in range(MAX_DRAWS - 1):
        state.draws[number] = state.draws[number + 1]
    state.draws[MAX_DRAWS - 1] = NONE
    top = board.push(state, Frame.MISFORTUNE, seat)
    state.frames[top, Column.CARD] = card
    state.frames[top, Column.EXCEPT] = NONE
    if card < data.NUM_PENINSULAS:
        if state.flooded[card] < data.TILES_PER_PENINSULA:
            flood(rules, state, card, False)
        else:
            state.frames[top, Column.CHOICES] = 2
    elif card == Misfortune.CONTROLLED_FLOODING or card == Misfortune.TIDAL_WAVE:
        state.frames[top, Column.CHOICES] = 1
    elif card == Misfortune.STORM_SURGE or card == Misfortune.PLAGUE:
        state.frames[top, Column.CHOICES] = 2
    elif card == Misfortune.EARTHQUAKE:
        state.earthquake = min(data.MOST_EFFECTS, int(state.earthquake) + 1)
    elif card >= Misfortune.PANIC and card <= Misfortune.MYSTIC_DROUGHT:
        state.closed = int(state.closed) | 1 << (card - Misfortune.PANIC)
    elif card == Misfortune.UNSTABLE_GATE:
        state.build_limit = 1
    elif card == Misfortune.BROKEN_WARDS:
        break_wards(state, top)
    elif card == Misfortune.MYSTIC_LEAK:
        for other in range(int(rules.players)):
            if state.goods[other, Good.ENERGY] > 0:
                state.goods[other, Good.ENERGY] -= 1
    elif card == Misfortune.MAELSTROM:
        for number in range(MAX_DRAWS - 1, data.MAELSTROM_DRAWS - 1, -1):
            state.draws[number] = state.draws[number - data.MAELSTROM_DRAWS]
        for number in range(data.MAELSTROM_DRAWS):
            state.draws[number] = seat
    elif card == Misfortune.DIVINE_FURY:
        state.extra_floods = min(data.MOST_EFFECTS, int(state.extra_floods) + 1)


@kernel
def break_wards(state: Record, top: int) -> None:
    """Remove all barriers or, if there are none, flood one peninsula of choice (6.9)."""
    broken = 0
    for peninsula in range(data.NUM_PENINSULAS):
        broken += int(state.barriers[peninsula])
        state.barriers[peninsula] = 0
    if broken == 0:
        state.frames[top, Column.CHOICES] = 1


@kernel
def named_by_plague(rules: Record, state: Record, top: int) -> int:
    """Return the seat that loses a follower now: the drawing seat, then the next one (6.9)."""
    seat = int(state.frames[top, Column.SEAT])
    return seat if state.frames[top, Column.CHOICES] == 2 else (seat + 1) % int(rules.players)


@kernel
def may_flood(state: Record, top: int, peninsula: int) -> bool:
    """Tell whether D8 may name a peninsula for the misfortune on top of the stack (6.6 - 6.9)."""
    if state.flooded[peninsula] >= data.TILES_PER_PENINSULA or state.frames[top, Column.EXCEPT] == peninsula:
        return False
    if state.frames[top, Column.CARD] == Misfortune.TIDAL_WAVE:
        for other in range(data.NUM_PENINSULAS):
            if state.flooded[other] < state.flooded[peninsula]:
                return False
    return True


@kernel
def run_misfortune(rules: Record, state: Record, top: int) -> bool:
    """Wait at D8 or D10 while choices are left; then discard the card."""
    seat = int(state.frames[top, Column.SEAT])
    card = int(state.frames[top, Column.CARD])
    for _ in range(int(state.frames[top, Column.CHOICES])):
        if card == Misfortune.PLAGUE:
            named = named_by_plague(rules, state, top)
            for location in range(data.NUM_LOCATIONS):
                if int(state.pieces[location, named]) & FOLLOWER_MASK:
                    return board.wait(state, Node.PLAGUE, seat)
        elif sunk(state):
            if state.frames[top, Column.EXCEPT] == NONE:
                state.misfortune_discard[card] += 1
                board.finish_game(state, Result.SUNK)
                return board.WAITING
        else:
            for peninsula in range(data.NUM_PENINSULAS):
                if may_flood(state, top, peninsula):
                    return board.wait(state, Node.FLOOD, seat)
        state.frames[top, Column.CHOICES] -= 1
    state.misfortune_discard[card] += 1
    board.pop(state)
    if state.draws[0] != NONE:  # 6.2
        state.window_open = 1
        state.turn = state.first
        state.passes = 0
    return board.RUNNING


@kernel
def apply_misfortune_flood(rules: Record, state: Record, top: int, action: int) -> None:
    """Flood the peninsula that was named for a misfortune (D8)."""
    peninsula = action - Act.FLOOD
    state.frames[top, Column.CHOICES] -= 1
    card = int(state.frames[top, Column.CARD])
    if card == Misfortune.STORM_SURGE:
        state.frames[top, Column.EXCEPT] = peninsula
    flood(rules, state, peninsula, card == Misfortune.CONTROLLED_FLOODING)


@kernel
def apply_plague(rules: Record, state: Record, top: int, action: int) -> None:
    """Send home a follower from the location that was named (D10; 6.9)."""
    board.follower_home(state, named_by_plague(rules, state, top), action - Act.AT)
    state.frames[top, Column.CHOICES] -= 1


@kernel
def apply_look(state: Record, outcome: int) -> None:
    """Turn one more card of the deck into a known top card (C8b; 12.7)."""
    kind = outcome - Outcome.LOOK
    state.misfortune_deck[kind] -= 1
    place = 0
    while place < data.MAX_TOP - 1 and state.misfortune_top[place] != NONE:
        place += 1
    state.misfortune_top[place] = kind
