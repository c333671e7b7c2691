"""Phase 2: drawing misfortunes and what they do (section 6)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import AT, DRAW_LOOK, DRAW_MISFORTUNE, FLOOD
from atlantis_envs.games.atlantis_rising.board import follower_home
from atlantis_envs.games.atlantis_rising.data import (
    BROKEN_WARDS,
    CONTROLLED_FLOODING,
    DIVINE_FURY,
    EARTHQUAKE,
    ENERGY,
    MAELSTROM,
    MAELSTROM_DRAWS,
    MAX_TOP,
    MYSTIC_DROUGHT,
    MYSTIC_LEAK,
    NUM_LOCATIONS,
    NUM_MISFORTUNES,
    NUM_PENINSULAS,
    PANIC,
    PLAGUE,
    STORM_SURGE,
    TIDAL_WAVE,
    TILES_PER_PENINSULA,
    UNSTABLE_GATE,
)
from atlantis_envs.games.atlantis_rising.floods import flood, sunk
from atlantis_envs.games.atlantis_rising.stack import RUNNING, WAITING, finish_game, pop, push, wait
from atlantis_envs.games.atlantis_rising.state import (
    BY_SEA,
    CARD,
    CHOICES,
    EXCEPT,
    FOLLOWER_MASK,
    FRAME_MISFORTUNE,
    MAX_DRAWS,
    NODE_FLOOD,
    NODE_PLAGUE,
    NONE,
    SEAT,
)


@kernel
def begin_draws(rules: Record, state: Record) -> None:
    """The drawing seats of the round (2.2)."""
    for number in range(int(rules.num_draws)):
        state.draws[number] = (int(state.first) + int(rules.draw_order[number])) % int(rules.players)


@kernel
def refill_misfortunes(state: Record) -> None:
    """The discard becomes the deck (6.11)."""
    for kind in range(NUM_MISFORTUNES):
        state.misfortune_deck[kind] += state.misfortune_discard[kind]
        state.misfortune_discard[kind] = 0


@kernel
def drop_top(state: Record, place: int) -> None:
    """A known top card leaves its place."""
    for number in range(place, MAX_TOP - 1):
        state.misfortune_top[number] = state.misfortune_top[number + 1]
    state.misfortune_top[MAX_TOP - 1] = NONE


@kernel
def apply_misfortune(rules: Record, state: Record, outcome: int) -> None:
    """C8: the card is turned up and resolved as far as nobody has to choose (6.1)."""
    card = outcome - DRAW_MISFORTUNE
    if state.misfortune_top[0] != NONE:
        drop_top(state, 0)
    else:
        state.misfortune_deck[card] -= 1
    seat = int(state.draws[0])
    for number in range(MAX_DRAWS - 1):
        state.draws[number] = state.draws[number + 1]
    state.draws[MAX_DRAWS - 1] = NONE
    top = push(state, FRAME_MISFORTUNE, seat)
    state.frames[top, CARD] = card
    state.frames[top, EXCEPT] = NONE
    if card < NUM_PENINSULAS:
        if state.flooded[card] < TILES_PER_PENINSULA:
            flood(rules, state, card, False)
        else:
            state.frames[top, CHOICES] = 2
    elif card == CONTROLLED_FLOODING or card == TIDAL_WAVE:
        state.frames[top, CHOICES] = 1
    elif card == STORM_SURGE or card == PLAGUE:
        state.frames[top, CHOICES] = 2
    elif card == EARTHQUAKE:
        state.earthquake += 1
    elif card >= PANIC and card <= MYSTIC_DROUGHT:
        state.closed = int(state.closed) | 1 << (card - PANIC)
    elif card == UNSTABLE_GATE:
        state.build_limit = 1
    elif card == BROKEN_WARDS:
        break_wards(state, top)
    elif card == MYSTIC_LEAK:
        for other in range(int(rules.players)):
            if state.goods[other, ENERGY] > 0:
                state.goods[other, ENERGY] -= 1
    elif card == MAELSTROM:
        for number in range(MAX_DRAWS - 1, MAELSTROM_DRAWS - 1, -1):
            state.draws[number] = state.draws[number - MAELSTROM_DRAWS]
        for number in range(MAELSTROM_DRAWS):
            state.draws[number] = seat
    elif card == DIVINE_FURY:
        state.extra_floods += 1


@kernel
def break_wards(state: Record, top: int) -> None:
    """Broken wards: all barriers, or one flood of choice if there are none (6.9)."""
    broken = 0
    for peninsula in range(NUM_PENINSULAS):
        broken += int(state.barriers[peninsula])
        state.barriers[peninsula] = 0
    if broken == 0:
        state.frames[top, CHOICES] = 1


@kernel
def named_by_plague(rules: Record, state: Record, top: int) -> int:
    """The seat whose follower goes home now: the drawing seat, then the next one (6.9)."""
    seat = int(state.frames[top, SEAT])
    return seat if state.frames[top, CHOICES] == 2 else (seat + 1) % int(rules.players)


@kernel
def may_flood(state: Record, top: int, peninsula: int) -> bool:
    """D8 for the misfortune on top of the stack (6.6 - 6.9)."""
    if state.flooded[peninsula] >= TILES_PER_PENINSULA or state.frames[top, EXCEPT] == peninsula:
        return False
    if state.frames[top, CARD] == TIDAL_WAVE:
        for other in range(NUM_PENINSULAS):
            if state.flooded[other] < state.flooded[peninsula]:
                return False
    return True


@kernel
def run_misfortune(rules: Record, state: Record, top: int) -> bool:
    """D8 or D10 while choices are left; then the card goes to the discard."""
    seat = int(state.frames[top, SEAT])
    card = int(state.frames[top, CARD])
    while state.frames[top, CHOICES] > 0:
        if card == PLAGUE:
            named = named_by_plague(rules, state, top)
            for location in range(NUM_LOCATIONS):
                if int(state.pieces[location, named]) & FOLLOWER_MASK:
                    return wait(state, NODE_PLAGUE, seat)
        elif sunk(state):
            if state.frames[top, EXCEPT] == NONE:
                state.misfortune_discard[card] += 1
                finish_game(state, BY_SEA)
                return WAITING
        else:
            for peninsula in range(NUM_PENINSULAS):
                if may_flood(state, top, peninsula):
                    return wait(state, NODE_FLOOD, seat)
        state.frames[top, CHOICES] -= 1
    state.misfortune_discard[card] += 1
    pop(state)
    if state.draws[0] != NONE:  # 6.2
        state.window_open = 1
        state.turn = state.first
        state.passes = 0
    return RUNNING


@kernel
def apply_misfortune_flood(rules: Record, state: Record, top: int, action: int) -> None:
    """D8 on a misfortune."""
    peninsula = action - FLOOD
    state.frames[top, CHOICES] -= 1
    card = int(state.frames[top, CARD])
    if card == STORM_SURGE:
        state.frames[top, EXCEPT] = peninsula
    flood(rules, state, peninsula, card == CONTROLLED_FLOODING)


@kernel
def apply_plague(rules: Record, state: Record, top: int, action: int) -> None:
    """D10."""
    follower_home(state, named_by_plague(rules, state, top), action - AT)
    state.frames[top, CHOICES] -= 1


@kernel
def apply_look(state: Record, outcome: int) -> None:
    """C8b: one more card of the deck is known on top (12.7)."""
    kind = outcome - DRAW_LOOK
    state.misfortune_deck[kind] -= 1
    place = 0
    while state.misfortune_top[place] != NONE:
        place += 1
    state.misfortune_top[place] = kind
