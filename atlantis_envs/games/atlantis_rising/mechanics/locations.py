"""Phase 3: which locations can be resolved, who acts, and how each action begins (7.3 - 7.5, 7.9 - 7.11)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import (
    AT_SPIRIT_SEAL,
    BEACON_DEPTH,
    BEACON_REMOVES,
    BY_HOLOGRAM,
    CENTRE,
    CONDUIT_VOLUNTEERS,
    CONVERTER_SWAPS,
    CRUCIBLE_ATLANTIUM,
    INDEX_DRAWS,
    MAX_PLAYERS,
    MAX_SEEN,
    NUM_LOCATIONS,
    ORRERY_DEPTH,
    ORRERY_REMOVES,
    PLAIN_DRAWS,
    SEAL_ENERGY,
    SIPHON_ENERGY,
    TILES_PER_PENINSULA,
    VAULT_ENERGY,
    Artifact,
    Councilor,
    Do,
    Good,
    Kind,
    Peninsula,
    Symbol,
    Used,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import (
    any_flooded,
    any_ward,
    gain,
    has_in_play,
    library_left,
    misfortunes_left,
    owner_of,
    take_volunteers,
    wrath_value,
)
from atlantis_envs.games.atlantis_rising.mechanics.building import begin_build, gate_resolvable, push_series
from atlantis_envs.games.atlantis_rising.mechanics.cards import begin_look
from atlantis_envs.games.atlantis_rising.mechanics.dice import begin_wild
from atlantis_envs.games.atlantis_rising.mechanics.small_choices import begin_swaps, has_raw
from atlantis_envs.games.atlantis_rising.mechanics.stack import pop, push, set_none
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    COUNT_MASK,
    DONE_SHIFT,
    FOLLOWER_MASK,
    FOLLOWER_READY_MASK,
    NONE,
    READY_BITS,
    READY_MASK,
    READY_SHIFT,
    Column,
    Frame,
)
from atlantis_envs.kernels.kernel import kernel


@kernel
def is_closed(state: Record, location: int) -> bool:
    """Whether no action may be taken there this round (6.9)."""
    closed = int(state.closed)
    if closed == 0 or location > CENTRE:
        return False
    place = 3 if location == CENTRE else location // TILES_PER_PENINSULA - Peninsula.CITIES
    return place >= 0 and closed >> place & 1 != 0


@kernel
def orator_speaks(rules: Record, state: Record, seat: int, location: int) -> bool:
    """Whether the acting piece, on a double space some piece there, is the orator piece (7.4, 7.5)."""
    if state.special_at[Councilor.ORATOR] != location:
        return False
    if rules.is_double[location] != 0:
        return True
    if location == AT_SPIRIT_SEAL or owner_of(state, Councilor.ORATOR) != seat:
        return False
    kind = Kind.HOLOGRAM if state.keeper[Councilor.ORATOR] == BY_HOLOGRAM else Kind.LEADER
    return int(state.pieces[location, seat]) >> READY_SHIFT[kind] & 1 != 0


@kernel
def can_act(rules: Record, state: Record, seat: int, location: int) -> bool:
    """Whether the location's action can do something for the seat (7.3)."""
    does = int(rules.does[location])
    if does == Do.CITY:
        for owner in range(int(rules.players)):
            if int(state.pieces[location, owner]) & ~AUTOMATON_BIT and state.reserve[owner] > 0:
                return True
        return False
    if does == Do.LIBRARY:
        return library_left(state)
    if does == Do.FORGE or does == Do.CRUCIBLE:
        return state.goods[seat, Good.ORE] > 0
    if does == Do.CONDUIT:
        return state.volunteers > 0
    if does == Do.CONVERTER:
        return has_raw(state, seat)
    if does == Do.BEACON or does == Do.ORRERY:
        return misfortunes_left(state)
    if does == Do.AMPLIFY:
        for other in range(int(rules.players)):
            if has_raw(state, other):
                return True
        return False
    if does == Do.ANCHOR:
        return any_ward(state)
    if does == Do.TECTONIC:
        return any_flooded(state)
    if does == Do.TERRAFORMER:
        followers = 0
        for other in range(int(rules.players)):
            followers += int(state.pieces[location, other]) & FOLLOWER_MASK
        return followers > 0 and any_flooded(state)
    return True


@kernel
def actors(location: int) -> int:
    """The ready pieces that can activate a location, as a mask: on the spirit seal followers alone (7.3)."""
    return FOLLOWER_READY_MASK if location == AT_SPIRIT_SEAL else READY_MASK


@kernel
def resolvable(rules: Record, state: Record, seat: int, location: int) -> bool:
    """Whether a seat may take the action of a location (7.3)."""
    packed = int(state.pieces[location, seat])
    if rules.does[location] == Do.GATE:
        return packed & ~AUTOMATON_BIT != 0 and gate_resolvable(rules, state, location, seat)
    if packed & actors(location) == 0 or (rules.is_double[location] != 0 and state.crowd[location] < 2):
        return False
    if is_closed(state, location):
        return False
    return can_act(rules, state, seat, location) or (
        state.volunteers > 0 and orator_speaks(rules, state, seat, location)
    )


@kernel
def mark_resolvable(rules: Record, state: Record, seat: int, mask: Row) -> None:
    """Mark the locations whose action the seat may take (D13)."""
    where = int(state.where[seat])
    for location in range(NUM_LOCATIONS):
        if where >> location & 1 and resolvable(rules, state, seat, location):
            mask[Act.AT + location] = 1


@kernel
def some_resolvable(rules: Record, state: Record, seat: int) -> bool:
    """Whether D12 offers ``resolve`` (7.1)."""
    where = int(state.where[seat])
    for location in range(NUM_LOCATIONS):
        if where >> location & 1 and resolvable(rules, state, seat, location):
            return True
    return False


@kernel
def has_duty(rules: Record, state: Record, seat: int) -> bool:
    """Whether the seat has an action it may not waive (7.2, option must_act); builds are always free."""
    if rules.must_act == 0:
        return False
    where = int(state.where[seat])
    for location in range(NUM_LOCATIONS):
        if where >> location & 1 and rules.does[location] != Do.GATE and resolvable(rules, state, seat, location):
            return True
    return False


@kernel
def some_duty(rules: Record, state: Record) -> bool:
    """Whether somebody has an action that may not be waived, so that phase 3 goes on (7.2)."""
    for seat in range(int(rules.players)):
        if has_duty(rules, state, seat):
            return True
    return False


@kernel
def lay_down(rules: Record, state: Record, seat: int, location: int, orator_first: bool) -> None:
    """Make the acting piece done, on a double space all pieces (7.4)."""
    if rules.is_double[location] != 0:
        for owner in range(int(rules.players)):
            packed = int(state.pieces[location, owner])
            ready = packed & READY_MASK
            state.pieces[location, owner] = packed - ready + (ready << READY_BITS)
        return
    packed = int(state.pieces[location, seat])
    able = packed & actors(location)
    acting = int(Kind.HOLOGRAM)
    if not orator_first or state.keeper[Councilor.ORATOR] != BY_HOLOGRAM:
        acting = int(Kind.LEADER)
        while able >> READY_SHIFT[acting] & COUNT_MASK[acting] == 0 and acting < Kind.VOLUNTEER:
            acting += 1
    state.pieces[location, seat] = packed - (1 << READY_SHIFT[acting]) + (1 << DONE_SHIFT[acting])


@kernel
def apply_resolve(rules: Record, state: Record, seat: int, location: int) -> None:
    """Replace the top frame by the action (D13; 7.4 - 7.11)."""
    pop(state)
    does = int(rules.does[location])
    if does == Do.GATE:
        begin_build(state, seat, location)
        return
    speaks = orator_speaks(rules, state, seat, location)
    acts = can_act(rules, state, seat, location)
    lay_down(rules, state, seat, location, speaks)
    if speaks:
        take_volunteers(state, owner_of(state, Councilor.ORATOR), 1)
    if not acts:
        return
    if does == Do.WILD:
        begin_wild(rules, state, seat, location)
    elif does == Do.CENTRE:
        gain(state, seat, Good.ENERGY, int(rules.centre_energy))
    elif does == Do.CITY:
        top = push(state, Frame.CITY, seat)
        state.frames[top, Column.PLACE_AT] = location
        state.frames[top, Column.MAY_REROLL] = state.special_at[Councilor.PRIEST] == location
    elif does == Do.FORGE:
        state.goods[seat, Good.ORE] -= 1
        gain(state, seat, Good.ATLANTIUM, int(rules.tile_value[location]))
        if (
            has_in_play(state, seat, Artifact.EVERBURNING_BELLOWS)
            and int(state.used[seat]) & Used.EVERBURNING_BELLOWS == 0
        ):
            state.used[seat] = int(state.used[seat]) | Used.EVERBURNING_BELLOWS
            gain(state, seat, Good.ATLANTIUM, 1)
    elif does == Do.LIBRARY:
        top = push(state, Frame.LIBRARY, seat)
        state.frames[top, Column.SYMBOL] = int(rules.tile_value[location])
        state.frames[top, Column.TO_DRAW] = (
            INDEX_DRAWS if has_in_play(state, seat, Artifact.INDEX_OF_AGES) else PLAIN_DRAWS
        )
        state.frames[top, Column.ALLOWANCE] = 2 if rules.tile_value[location] == Symbol.KEEP_BOTH else 1
        set_none(state, top, Column.DRAWN, Column.DRAWN + MAX_SEEN)
    else:
        begin_component(rules, state, seat, location, does)


@kernel
def begin_component(rules: Record, state: Record, seat: int, location: int, does: int) -> None:
    """Begin the action of a built component (2.4, 7.11)."""
    if does == Do.SEAL:
        gain(state, seat, Good.ENERGY, SEAL_ENERGY)
    elif does == Do.SIPHON:
        gain(state, seat, Good.ENERGY, SIPHON_ENERGY + wrath_value(rules, state))
    elif does == Do.CONDUIT:
        take_volunteers(state, seat, CONDUIT_VOLUNTEERS)
    elif does == Do.CONVERTER:
        begin_swaps(state, seat, CONVERTER_SWAPS)
    elif does == Do.CRUCIBLE:
        state.goods[seat, Good.ORE] -= 1
        gain(state, seat, Good.ATLANTIUM, CRUCIBLE_ATLANTIUM)
    elif does == Do.BEACON:
        begin_look(state, seat, BEACON_DEPTH, BEACON_REMOVES)
    elif does == Do.ORRERY:
        begin_look(state, seat, ORRERY_DEPTH, ORRERY_REMOVES)
    elif does == Do.AMPLIFY:
        top = push(state, Frame.AMPLIFY, seat)
        state.frames[top, Column.TARGET] = NONE
    elif does == Do.ANCHOR:
        push_series(state, Frame.WARD, seat, 1, False)
    elif does == Do.PRISM:
        push(state, Frame.PRISM, seat)
    elif does == Do.TERRAFORMER:
        top = push(state, Frame.SACRIFICE, seat)
        state.frames[top, Column.PLACE_AT] = location
    elif does == Do.TECTONIC:
        push_series(state, Frame.EBB, seat, 1, False)
    else:
        partner = other_owner(rules, state, seat, location)
        if does == Do.LATTICE:
            top = push(state, Frame.LATTICE, 0)
            set_none(state, top, Column.ORDER, Column.ORDER + MAX_PLAYERS)
            state.frames[top, Column.ORDER] = seat
            state.frames[top, Column.ORDER + 1] = partner
        else:
            gain(state, seat, Good.ENERGY, VAULT_ENERGY)
            gain(state, partner, Good.ENERGY, VAULT_ENERGY)


@kernel
def other_owner(rules: Record, state: Record, seat: int, location: int) -> int:
    """The owner of the other piece on a double space; the opener if it is alone or with the automaton (7.11)."""
    for owner in range(int(rules.players)):
        if owner != seat and int(state.pieces[location, owner]) & ~AUTOMATON_BIT:
            return owner
    return seat
