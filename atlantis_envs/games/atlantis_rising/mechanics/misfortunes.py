"""Phase 2: drawing misfortunes and what they do (section 6)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import (
    MAELSTROM_DRAWS,
    MAX_TOP,
    MOST_EFFECTS,
    NUM_LOCATIONS,
    NUM_MISFORTUNES,
    NUM_PENINSULAS,
    TILES_PER_PENINSULA,
    Good,
    Misfortune,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import follower_home
from atlantis_envs.games.atlantis_rising.mechanics.floods import flood, sunk
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, WAITING, finish_game, pop, push, wait
from atlantis_envs.games.atlantis_rising.state import FOLLOWER_MASK, MAX_DRAWS, NONE, Column, Frame, Node, Result
from atlantis_envs.kernels.kernel import kernel


@kernel
def begin_draws(rules: Record, state: Record) -> None:
    """List the drawing seats of the round (2.2)."""
    for number in range(int(rules.num_draws)):
        state.draws[number] = (int(state.first) + int(rules.draw_order[number])) % int(rules.players)


@kernel
def refill_misfortunes(state: Record) -> None:
    """Make the discard the deck (6.11)."""
    for kind in range(NUM_MISFORTUNES):
        state.misfortune_deck[kind] += state.misfortune_discard[kind]
        state.misfortune_discard[kind] = 0


@kernel
def drop_top(state: Record, place: int) -> None:
    """Remove a known top card."""
    for number in range(place, MAX_TOP - 1):
        state.misfortune_top[number] = state.misfortune_top[number + 1]
    state.misfortune_top[MAX_TOP - 1] = NONE


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
    top = push(state, Frame.MISFORTUNE, seat)
    state.frames[top, Column.CARD] = card
    state.frames[top, Column.EXCEPT] = NONE
    if card < NUM_PENINSULAS:
        if state.flooded[card] < TILES_PER_PENINSULA:
            flood(rules, state, card, False)
        else:
            state.frames[top, Column.CHOICES] = 2
    elif card == Misfortune.CONTROLLED_FLOODING or card == Misfortune.TIDAL_WAVE:
        state.frames[top, Column.CHOICES] = 1
    elif card == Misfortune.STORM_SURGE or card == Misfortune.PLAGUE:
        state.frames[top, Column.CHOICES] = 2
    elif card == Misfortune.EARTHQUAKE:
        state.earthquake = min(MOST_EFFECTS, int(state.earthquake) + 1)
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
        for number in range(MAX_DRAWS - 1, MAELSTROM_DRAWS - 1, -1):
            state.draws[number] = state.draws[number - MAELSTROM_DRAWS]
        for number in range(MAELSTROM_DRAWS):
            state.draws[number] = seat
    elif card == Misfortune.DIVINE_FURY:
        state.extra_floods = min(MOST_EFFECTS, int(state.extra_floods) + 1)


@kernel
def break_wards(state: Record, top: int) -> None:
    """Remove all barriers or, if there are none, flood one peninsula of choice (6.9)."""
    broken = 0
    for peninsula in range(NUM_PENINSULAS):
        broken += int(state.barriers[peninsula])
        state.barriers[peninsula] = 0
    if broken == 0:
        state.frames[top, Column.CHOICES] = 1


@kernel
def named_by_plague(rules: Record, state: Record, top: int) -> int:
    """The seat that loses a follower now: the drawing seat, then the next one (6.9)."""
    seat = int(state.frames[top, Column.SEAT])
    return seat if state.frames[top, Column.CHOICES] == 2 else (seat + 1) % int(rules.players)


@kernel
def may_flood(state: Record, top: int, peninsula: int) -> bool:
    """Whether D8 may name a peninsula for the misfortune on top of the stack (6.6 - 6.9)."""
    if state.flooded[peninsula] >= TILES_PER_PENINSULA or state.frames[top, Column.EXCEPT] == peninsula:
        return False
    if state.frames[top, Column.CARD] == Misfortune.TIDAL_WAVE:
        for other in range(NUM_PENINSULAS):
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
            for location in range(NUM_LOCATIONS):
                if int(state.pieces[location, named]) & FOLLOWER_MASK:
                    return wait(state, Node.PLAGUE, seat)
        elif sunk(state):
            if state.frames[top, Column.EXCEPT] == NONE:
                state.misfortune_discard[card] += 1
                finish_game(state, Result.SUNK)
                return WAITING
        else:
            for peninsula in range(NUM_PENINSULAS):
                if may_flood(state, top, peninsula):
                    return wait(state, Node.FLOOD, seat)
        state.frames[top, Column.CHOICES] -= 1
    state.misfortune_discard[card] += 1
    pop(state)
    if state.draws[0] != NONE:  # 6.2
        state.window_open = 1
        state.turn = state.first
        state.passes = 0
    return RUNNING


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
    follower_home(state, named_by_plague(rules, state, top), action - Act.AT)
    state.frames[top, Column.CHOICES] -= 1


@kernel
def apply_look(state: Record, outcome: int) -> None:
    """Turn one more card of the deck into a known top card (C8b; 12.7)."""
    kind = outcome - Outcome.LOOK
    state.misfortune_deck[kind] -= 1
    place = 0
    while place < MAX_TOP - 1 and state.misfortune_top[place] != NONE:
        place += 1
    state.misfortune_top[place] = kind
