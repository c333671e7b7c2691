"""Whether every piece stands where its kind can stand, and none is there twice (5.2, 5.3)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.data import (
    AT_SPIRIT_SEAL,
    BY_HOLOGRAM,
    CENTRE,
    GATE,
    NUM_COUNCILORS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_TILES,
    SPACE,
    Councilor,
    Kind,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import count_of, fits
from atlantis_envs.games.atlantis_rising.state import COUNT_MASK, DONE_SHIFT, NONE, READY_SHIFT, Column, Frame, Phase
from atlantis_envs.kernels.kernel import kernel


@kernel
def pieces_sound(rules: Record, state: Record) -> bool:
    """Every piece where its kind can stand, none twice, and what is kept about places true (5.2, 5.3)."""
    players = int(rules.players)
    for seat in range(players):
        leaders, automatons = int(state.home[seat, Kind.LEADER]), int(state.home[seat, Kind.AUTOMATON])
        followers = int(state.home[seat, Kind.FOLLOWER]) + int(state.reserve[seat]) + int(state.removed[seat])
        where = 0
        for location in range(NUM_LOCATIONS):
            packed = int(state.pieces[location, seat])
            if packed == 0:
                continue
            where |= 1 << location
            if not stand_there(rules, state, seat, location, packed):
                return False
            leaders += count_of(packed, Kind.LEADER)
            automatons += count_of(packed, Kind.AUTOMATON)
            followers += count_of(packed, Kind.FOLLOWER)
        if where != int(state.where[seat]) or leaders > 1 or automatons > int(players == 1):
            return False
        if followers > int(rules.followers) + int(rules.reserve):
            return False
    return crowds_sound(rules, state) and automaton_has_a_place(rules, state)


@kernel
def stand_there(rules: Record, state: Record, seat: int, location: int, packed: int) -> bool:
    """The pieces of a seat at a location are of kinds that can stand there, and known as what they are."""
    if packed < 0 or packed >> DONE_SHIFT[Kind.AUTOMATON] != 0 or not location_exists(rules, state, location):
        return False
    if state.phase == Phase.SETUP or state.phase == Phase.START or state.phase == Phase.WRATH:  # 4.1, 7.13
        return False
    for kind in range(NUM_KINDS):
        done = 0 if kind == Kind.AUTOMATON else packed >> DONE_SHIFT[kind] & COUNT_MASK[kind]
        count = (packed >> READY_SHIFT[kind] & COUNT_MASK[kind]) + done
        if done > 0 and kind != Kind.FOLLOWER and location == AT_SPIRIT_SEAL:  # it cannot have acted there (7.3)
            return False
        special = int(state.councilor[seat]) if kind == Kind.LEADER else int(state.hologram)
        if count > 0 and kind <= Kind.HOLOGRAM and (special == NONE or state.special_at[special] != location):
            return False
    return True


@kernel
def location_exists(rules: Record, state: Record, location: int) -> bool:
    """Whether there is such a location: a tile, the centre, a gate in use, a built component (5.2)."""
    if location >= SPACE:
        return bool(state.is_built[int(rules.component_at[location])] != 0)
    return location <= CENTRE or location - GATE < int(rules.gates)


@kernel
def crowds_sound(rules: Record, state: Record) -> bool:
    """The number of pieces at every location, and where the special ones are (5.2)."""
    players = int(rules.players)
    for location in range(NUM_LOCATIONS):
        total = 0
        for seat in range(players):
            for kind in range(NUM_KINDS):
                total += count_of(int(state.pieces[location, seat]), kind)
        room = int(rules.capacity[location])
        room += int(location < NUM_TILES and state.special_at[Councilor.EMISSARY] == location)
        if total != int(state.crowd[location]) or total > room:
            return False
    for councilor in range(NUM_COUNCILORS):
        location, keeper = int(state.special_at[councilor]), int(state.keeper[councilor])
        if location == NONE:
            continue
        if location < 0 or location >= NUM_LOCATIONS or keeper == NONE:
            return False
        seat = int(state.first) if keeper == BY_HOLOGRAM else keeper
        if count_of(int(state.pieces[location, seat]), Kind.HOLOGRAM if keeper == BY_HOLOGRAM else Kind.LEADER) == 0:
            return False
    return True


@kernel
def automaton_has_a_place(rules: Record, state: Record) -> bool:
    """5.8: in deployment, the automaton is not the only piece left at home with no location to take it."""
    if int(rules.players) > 1 or state.phase != Phase.DEPLOY or state.home[0, Kind.AUTOMATON] == 0:
        return True
    if state.num_frames > 1 and state.frames[1, Column.DO] == Frame.LIFT:  # another piece is coming home
        return True
    for kind in range(Kind.AUTOMATON):
        if state.home[0, kind] > 0:
            return True
    for location in range(NUM_LOCATIONS):
        if fits(rules, state, 0, Kind.AUTOMATON, location):
            return True
    return False


@kernel
def hologram_sound(rules: Record, state: Record) -> bool:
    """Its piece is the first player's and there only with its board; an artifact is the scholar's (4.4, 11.7)."""
    holograms = 0
    for seat in range(int(rules.players)):
        own = int(state.home[seat, Kind.HOLOGRAM])
        for location in range(NUM_LOCATIONS):
            own += count_of(int(state.pieces[location, seat]), Kind.HOLOGRAM)
        if own > 0 and seat != int(state.first):
            return False
        holograms += own
    board = int(state.hologram)
    if holograms > int(board != NONE) or (board != NONE and int(rules.players) > 2):
        return False
    artifact = int(state.hologram_artifact)
    return artifact == NONE or (board == Councilor.SCHOLAR and int(rules.scholar_symbols) >> artifact & 1 != 0)


@kernel
def volunteers_sound(rules: Record, state: Record) -> bool:
    """Not more than there are in the supply, at home, on the board and spent (2.1)."""
    volunteers = int(state.volunteers)
    for seat in range(int(rules.players)):
        volunteers += int(state.home[seat, Kind.VOLUNTEER]) + int(state.spent[seat])
        for location in range(NUM_LOCATIONS):
            volunteers += count_of(int(state.pieces[location, seat]), Kind.VOLUNTEER)
    return volunteers <= int(rules.volunteers)
