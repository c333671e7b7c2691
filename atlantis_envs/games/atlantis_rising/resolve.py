"""Phase 3: which locations can be resolved, who acts, and how each action begins (7.3 - 7.5, 7.9 - 7.11)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import AT
from atlantis_envs.games.atlantis_rising.board import (
    any_flooded,
    any_ward,
    has_in_play,
    library_left,
    misfortunes_left,
    owner_of,
    take_volunteers,
    wrath_value,
)
from atlantis_envs.games.atlantis_rising.building import begin_build, gate_resolvable, push_series
from atlantis_envs.games.atlantis_rising.cards import begin_look
from atlantis_envs.games.atlantis_rising.data import (
    ATLANTIUM,
    BEACON_DEPTH,
    BEACON_REMOVES,
    BY_HOLOGRAM,
    CENTRE,
    CITIES,
    CONDUIT_VOLUNTEERS,
    CONVERTER_SWAPS,
    CRUCIBLE_ATLANTIUM,
    DO_AMPLIFY,
    DO_ANCHOR,
    DO_BEACON,
    DO_CENTRE,
    DO_CITY,
    DO_CONDUIT,
    DO_CONVERTER,
    DO_CRUCIBLE,
    DO_FORGE,
    DO_GATE,
    DO_LATTICE,
    DO_LIBRARY,
    DO_ORRERY,
    DO_PRISM,
    DO_SEAL,
    DO_SIPHON,
    DO_TECTONIC,
    DO_TERRAFORMER,
    DO_WILD,
    ENERGY,
    EVERBURNING_BELLOWS,
    HOLOGRAM,
    INDEX_DRAWS,
    INDEX_OF_AGES,
    KEEP_BOTH,
    LEADER,
    MAX_PLAYERS,
    MAX_SEEN,
    NUM_LOCATIONS,
    ORATOR,
    ORE,
    ORRERY_DEPTH,
    ORRERY_REMOVES,
    PLAIN_DRAWS,
    PRIEST,
    SEAL_ENERGY,
    SIPHON_ENERGY,
    TILES_PER_PENINSULA,
    USED_BELLOWS,
    VAULT_ENERGY,
    VOLUNTEER,
)
from atlantis_envs.games.atlantis_rising.dice import begin_wild
from atlantis_envs.games.atlantis_rising.series import begin_swaps, has_raw
from atlantis_envs.games.atlantis_rising.stack import pop, push, set_none
from atlantis_envs.games.atlantis_rising.state import (
    ALLOWANCE,
    AUTOMATON_BIT,
    COUNT_MASK,
    DONE_SHIFT,
    DRAWN,
    FOLLOWER_MASK,
    FRAME_AMPLIFY,
    FRAME_CITY,
    FRAME_EBB,
    FRAME_LATTICE,
    FRAME_LIBRARY,
    FRAME_PRISM,
    FRAME_SACRIFICE,
    FRAME_WARD,
    MAY_REROLL,
    NONE,
    ORDER,
    PLACE_AT,
    READY_BITS,
    READY_MASK,
    READY_SHIFT,
    SYMBOL,
    TARGET,
    TO_DRAW,
)


@kernel
def is_closed(state: Record, location: int) -> bool:
    """No action there this round (6.9)."""
    closed = int(state.closed)
    if closed == 0 or location > CENTRE:
        return False
    place = 3 if location == CENTRE else location // TILES_PER_PENINSULA - CITIES
    return place >= 0 and closed >> place & 1 != 0


@kernel
def orator_speaks(rules: Record, state: Record, seat: int, location: int) -> bool:
    """The acting piece (double space: a piece there) is the orator piece (7.4, 7.5)."""
    if state.special_at[ORATOR] != location:
        return False
    if rules.is_double[location] != 0:
        return True
    if owner_of(state, ORATOR) != seat:
        return False
    kind = HOLOGRAM if state.keeper[ORATOR] == BY_HOLOGRAM else LEADER
    return int(state.pieces[location, seat]) >> READY_SHIFT[kind] & 1 != 0


@kernel
def can_act(rules: Record, state: Record, seat: int, location: int) -> bool:
    """The location's action can do something for the seat (7.3)."""
    does = int(rules.does[location])
    if does == DO_CITY:
        for owner in range(int(rules.players)):
            if int(state.pieces[location, owner]) & ~AUTOMATON_BIT and state.reserve[owner] > 0:
                return True
        return False
    if does == DO_LIBRARY:
        return library_left(state)
    if does == DO_FORGE or does == DO_CRUCIBLE:
        return state.goods[seat, ORE] > 0
    if does == DO_CONDUIT:
        return state.volunteers > 0
    if does == DO_CONVERTER:
        return has_raw(state, seat)
    if does == DO_BEACON or does == DO_ORRERY:
        return misfortunes_left(state)
    if does == DO_AMPLIFY:
        for other in range(int(rules.players)):
            if has_raw(state, other):
                return True
        return False
    if does == DO_ANCHOR:
        return any_ward(state)
    if does == DO_TECTONIC:
        return any_flooded(state)
    if does == DO_TERRAFORMER:
        followers = 0
        for other in range(int(rules.players)):
            followers += int(state.pieces[location, other]) & FOLLOWER_MASK
        return followers > 0 and any_flooded(state)
    return True


@kernel
def resolvable(rules: Record, state: Record, seat: int, location: int) -> bool:
    """7.3."""
    packed = int(state.pieces[location, seat])
    if rules.does[location] == DO_GATE:
        return packed & ~AUTOMATON_BIT != 0 and gate_resolvable(rules, state, location, seat)
    if packed & READY_MASK == 0 or (rules.is_double[location] != 0 and state.crowd[location] < 2):
        return False
    if is_closed(state, location):
        return False
    return can_act(rules, state, seat, location) or (
        state.volunteers > 0 and orator_speaks(rules, state, seat, location)
    )


@kernel
def mark_resolvable(rules: Record, state: Record, seat: int, mask: Row) -> None:
    """D13."""
    where = int(state.where[seat])
    for location in range(NUM_LOCATIONS):
        if where >> location & 1 and resolvable(rules, state, seat, location):
            mask[AT + location] = 1


@kernel
def some_resolvable(rules: Record, state: Record, seat: int) -> bool:
    """D12 offers ``resolve`` (7.1)."""
    where = int(state.where[seat])
    for location in range(NUM_LOCATIONS):
        if where >> location & 1 and resolvable(rules, state, seat, location):
            return True
    return False


@kernel
def lay_down(rules: Record, state: Record, seat: int, location: int, orator_first: bool) -> None:
    """The acting piece, or on a double space all pieces, become done (7.4)."""
    if rules.is_double[location] != 0:
        for owner in range(int(rules.players)):
            packed = int(state.pieces[location, owner])
            ready = packed & READY_MASK
            state.pieces[location, owner] = packed - ready + (ready << READY_BITS)
        return
    packed = int(state.pieces[location, seat])
    acting = HOLOGRAM
    if not orator_first or state.keeper[ORATOR] != BY_HOLOGRAM:
        acting = LEADER
        while packed >> READY_SHIFT[acting] & COUNT_MASK[acting] == 0 and acting < VOLUNTEER:
            acting += 1
    state.pieces[location, seat] = packed - (1 << READY_SHIFT[acting]) + (1 << DONE_SHIFT[acting])


@kernel
def apply_resolve(rules: Record, state: Record, seat: int, location: int) -> None:
    """D13: the top frame gives way to the action (7.4 - 7.11)."""
    pop(state)
    does = int(rules.does[location])
    if does == DO_GATE:
        begin_build(state, seat, location)
        return
    speaks = orator_speaks(rules, state, seat, location)
    acts = can_act(rules, state, seat, location)
    lay_down(rules, state, seat, location, speaks)
    if speaks:
        take_volunteers(state, owner_of(state, ORATOR), 1)
    if not acts:
        return
    if does == DO_WILD:
        begin_wild(rules, state, seat, location)
    elif does == DO_CENTRE:
        state.goods[seat, ENERGY] += int(rules.centre_energy)
    elif does == DO_CITY:
        top = push(state, FRAME_CITY, seat)
        state.frames[top, PLACE_AT] = location
        state.frames[top, MAY_REROLL] = state.special_at[PRIEST] == location
    elif does == DO_FORGE:
        state.goods[seat, ORE] -= 1
        state.goods[seat, ATLANTIUM] += int(rules.tile_value[location])
        if has_in_play(state, seat, EVERBURNING_BELLOWS) and int(state.used[seat]) & USED_BELLOWS == 0:
            state.used[seat] = int(state.used[seat]) | USED_BELLOWS
            state.goods[seat, ATLANTIUM] += 1
    elif does == DO_LIBRARY:
        top = push(state, FRAME_LIBRARY, seat)
        state.frames[top, SYMBOL] = int(rules.tile_value[location])
        state.frames[top, TO_DRAW] = INDEX_DRAWS if has_in_play(state, seat, INDEX_OF_AGES) else PLAIN_DRAWS
        state.frames[top, ALLOWANCE] = 2 if rules.tile_value[location] == KEEP_BOTH else 1
        set_none(state, top, DRAWN, DRAWN + MAX_SEEN)
    else:
        begin_component(rules, state, seat, location, does)


@kernel
def begin_component(rules: Record, state: Record, seat: int, location: int, does: int) -> None:
    """The action of a built component (2.4, 7.11)."""
    if does == DO_SEAL:
        state.goods[seat, ENERGY] += SEAL_ENERGY
    elif does == DO_SIPHON:
        state.goods[seat, ENERGY] += SIPHON_ENERGY + wrath_value(rules, state)
    elif does == DO_CONDUIT:
        take_volunteers(state, seat, CONDUIT_VOLUNTEERS)
    elif does == DO_CONVERTER:
        begin_swaps(state, seat, CONVERTER_SWAPS)
    elif does == DO_CRUCIBLE:
        state.goods[seat, ORE] -= 1
        state.goods[seat, ATLANTIUM] += CRUCIBLE_ATLANTIUM
    elif does == DO_BEACON:
        begin_look(state, seat, BEACON_DEPTH, BEACON_REMOVES)
    elif does == DO_ORRERY:
        begin_look(state, seat, ORRERY_DEPTH, ORRERY_REMOVES)
    elif does == DO_AMPLIFY:
        top = push(state, FRAME_AMPLIFY, seat)
        state.frames[top, TARGET] = NONE
    elif does == DO_ANCHOR:
        push_series(state, FRAME_WARD, seat, 1, False)
    elif does == DO_PRISM:
        push(state, FRAME_PRISM, seat)
    elif does == DO_TERRAFORMER:
        top = push(state, FRAME_SACRIFICE, seat)
        state.frames[top, PLACE_AT] = location
    elif does == DO_TECTONIC:
        push_series(state, FRAME_EBB, seat, 1, False)
    else:
        partner = other_owner(rules, state, seat, location)
        if does == DO_LATTICE:
            top = push(state, FRAME_LATTICE, 0)
            set_none(state, top, ORDER, ORDER + MAX_PLAYERS)
            state.frames[top, ORDER] = seat
            state.frames[top, ORDER + 1] = partner
        else:
            state.goods[seat, ENERGY] += VAULT_ENERGY
            state.goods[partner, ENERGY] += VAULT_ENERGY


@kernel
def other_owner(rules: Record, state: Record, seat: int, location: int) -> int:
    """Who owns the other piece on a double space; the opener if it is alone or with the automaton (7.11)."""
    for owner in range(int(rules.players)):
        if owner != seat and int(state.pieces[location, owner]) & ~AUTOMATON_BIT:
            return owner
    return seat
