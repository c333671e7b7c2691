"""What the position alone can show to be broken (section 20 and the properties of section 23), as bits; 0 = sound.

Totals are upper bounds here, so that a study may leave pieces and cards out; that nothing appears or vanishes during
play is for the tests to say.
"""

from __future__ import annotations

from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.board import count_of, is_special
from atlantis_envs.games.atlantis_rising.check_frames import frames_sound
from atlantis_envs.games.atlantis_rising.data import (
    ASTROLOGER,
    AT_SPIRIT_SEAL,
    AUTOMATON,
    BLUEPRINT_SIZE,
    BY_HOLOGRAM,
    CENTRE,
    FOLLOWER,
    GATE,
    HOLOGRAM,
    LEADER,
    MAX_TOP,
    NUM_ARTIFACTS,
    NUM_BASIC,
    NUM_COMPONENTS,
    NUM_COUNCILORS,
    NUM_GOODS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_MISFORTUNES,
    NUM_PENINSULAS,
    NUM_TILES,
    POWER_CORE,
    SCHOLAR,
    SPACE,
    TILES_PER_PENINSULA,
    VOLUNTEER,
)
from atlantis_envs.games.atlantis_rising.state import (
    ACTIONS_PHASE,
    CARD,
    COUNT_MASK,
    DEPLOY,
    DO,
    DONE_SHIFT,
    DRAWN,
    ENDED,
    FRAME_BOARD,
    FRAME_CARD,
    FRAME_DEPTH,
    FRAME_LIBRARY,
    FRAME_MISFORTUNE,
    MAX_BOTTOM,
    MAX_DRAWS,
    MISFORTUNE,
    NODE_OVER,
    NONE,
    READY_SHIFT,
    SEEN,
    SETUP,
    WRATH,
)

FLAGS = (
    ("phase", "a field is outside its range"),
    ("phase", "turn, passes, draws, window, held, floods or result do not fit the phase"),
    ("barriers", "a barrier on a fully flooded peninsula (9.2)"),
    ("placed", "a piece where none of its kind can stand, or more pieces than there are"),
    ("seats", "a card or an artifact occurs more often than it exists, or too few are left for the scholar"),
    ("misfortunes", "a misfortune occurs more often than it exists"),
    ("councilors", "a councilor occurs twice, or is missing"),
    ("blueprint", "not the components of one game"),
    ("pending", "a frame that cannot be there, or holds what it cannot hold"),
)
(
    BAD_RANGE, BAD_PHASE, BAD_WATER, BAD_PIECES, BAD_CARDS, BAD_MISFORTUNES, BAD_BOARDS, BAD_COMPONENTS, BAD_PENDING,
) = (1 << bit for bit in range(9))  # fmt: skip
MOST_PIECES = 31  # of one kind and seat, our limit
MOST_VOLUNTEERS = 15


@kernel
def check(rules: Record, state: Record) -> int:
    """Bits of FLAGS; fields out of range are reported alone, since nothing else can be judged then."""
    if not ranges_sound(rules, state):
        return BAD_RANGE
    flags = 0
    if not phase_sound(rules, state):
        flags |= BAD_PHASE
    for peninsula in range(NUM_PENINSULAS):
        if state.barriers[peninsula] != 0 and state.flooded[peninsula] == TILES_PER_PENINSULA:
            flags |= BAD_WATER
    if not pieces_sound(rules, state):
        flags |= BAD_PIECES
    if not cards_sound(rules, state):
        flags |= BAD_CARDS
    if not misfortunes_sound(rules, state):
        flags |= BAD_MISFORTUNES
    if not boards_sound(rules, state):
        flags |= BAD_BOARDS
    if not components_sound(state):
        flags |= BAD_COMPONENTS
    if flags == 0 and not frames_sound(rules, state):
        flags |= BAD_PENDING
    return flags


@kernel
def ranges_sound(rules: Record, state: Record) -> bool:
    """Every field in its range."""
    players = int(rules.players)
    last = players - 1
    sound = state.node >= 0 and state.node <= NODE_OVER and state.actor >= NONE and state.actor <= last
    sound = sound and state.phase >= 0 and state.phase <= ENDED and state.first >= 0 and state.first <= last
    sound = sound and state.turn >= 0 and state.turn <= last and state.passes >= 0 and state.passes <= players
    sound = sound and state.wrath >= 0 and state.wrath <= rules.wrath_last and state.volunteers >= 0
    sound = sound and state.num_frames >= 0 and state.num_frames <= FRAME_DEPTH and state.floods >= 0
    sound = sound and state.num_bottom >= 0 and state.num_bottom <= MAX_BOTTOM
    sound = sound and state.num_built >= 0 and state.num_built <= BLUEPRINT_SIZE
    if not sound:
        return False
    for peninsula in range(NUM_PENINSULAS):
        if state.flooded[peninsula] < 0 or state.flooded[peninsula] > TILES_PER_PENINSULA:
            return False
    for seat in range(players):
        if state.councilor[seat] < NONE or state.councilor[seat] >= NUM_COUNCILORS:
            return False
        for good in range(NUM_GOODS):
            if state.goods[seat, good] < 0:
                return False
        for kind in range(NUM_KINDS):
            if state.home[seat, kind] < 0 or state.home[seat, kind] > MOST_PIECES:
                return False
        for card in range(NUM_BASIC):
            if state.public_hand[seat, card] < 0 or state.public_hand[seat, card] > state.hand[seat, card]:
                return False
        if state.spent[seat] < 0 or state.reserve[seat] < 0 or state.lifts[seat] < 0 or state.yields[seat] < 0:
            return False
    for number in range(MAX_DRAWS):
        if state.draws[number] < NONE or state.draws[number] > last:
            return False
    return True


@kernel
def phase_sound(rules: Record, state: Record) -> bool:
    """What belongs to one phase only; the pointer at the first player outside turns (20)."""
    phase = int(state.phase)
    if (phase == ENDED) != (state.result != 0) or (phase == ENDED and state.num_frames > 0):
        return False
    if phase == SETUP:
        return state.round_number == 0 and state.num_frames <= 1
    if state.round_number == 0 or state.round_number > rules.round_limit:
        return False
    if phase == ENDED:
        return True
    if state.window_open != 0 and (phase != MISFORTUNE or state.draws[0] == NONE):
        return False
    turns = phase == DEPLOY or phase == ACTIONS_PHASE or state.window_open != 0
    if not turns and (state.turn != state.first or state.passes != 0):
        return False
    if (phase != MISFORTUNE and state.draws[0] != NONE) or (phase != WRATH and state.floods != 0):
        return False
    seat = int(state.held_seat)
    if seat == NONE:
        return True
    kind, companion = int(state.held_kind), int(state.held_companion)
    if phase != MISFORTUNE or not is_special(state, seat, kind, ASTROLOGER) or state.home[seat, kind] == 0:
        return False
    return companion == NONE or (companion != kind and state.home[seat, companion] > 0)


@kernel
def pieces_sound(rules: Record, state: Record) -> bool:
    """Every piece where its kind can stand, none twice, and what is kept about places true (5.2, 5.3)."""
    players = int(rules.players)
    volunteers = int(state.volunteers)
    holograms = 0
    for seat in range(players):
        leaders, automatons = int(state.home[seat, LEADER]), int(state.home[seat, AUTOMATON])
        followers = int(state.home[seat, FOLLOWER]) + int(state.reserve[seat]) + int(state.removed[seat])
        holograms += int(state.home[seat, HOLOGRAM])
        volunteers += int(state.home[seat, VOLUNTEER]) + int(state.spent[seat])
        where = 0
        for location in range(NUM_LOCATIONS):
            packed = int(state.pieces[location, seat])
            if packed == 0:
                continue
            where |= 1 << location
            if packed < 0 or packed >> DONE_SHIFT[AUTOMATON] != 0 or not location_exists(rules, state, location):
                return False
            for kind in range(NUM_KINDS):
                done = 0 if kind == AUTOMATON else packed >> DONE_SHIFT[kind] & COUNT_MASK[kind]
                count = (packed >> READY_SHIFT[kind] & COUNT_MASK[kind]) + done
                if count > 0 and kind != FOLLOWER and location == AT_SPIRIT_SEAL:
                    return False
                leaders += count if kind == LEADER else 0
                automatons += count if kind == AUTOMATON else 0
                holograms += count if kind == HOLOGRAM else 0
                volunteers += count if kind == VOLUNTEER else 0
                followers += count if kind == FOLLOWER else 0
                special = int(state.councilor[seat]) if kind == LEADER else int(state.hologram)
                if count > 0 and kind <= HOLOGRAM and special != NONE and state.special_at[special] != location:
                    return False
        if where != int(state.where[seat]) or leaders > 1 or followers > MOST_PIECES:
            return False
        if automatons > 1 or (automatons == 1 and players > 1):
            return False
    if volunteers > MOST_VOLUNTEERS or holograms > 1 or (holograms == 1 and state.hologram == NONE):
        return False
    return crowds_sound(rules, state)


@kernel
def location_exists(rules: Record, state: Record, location: int) -> bool:
    """A tile, the centre, a gate in use, or the space of a built component (5.2)."""
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
        room = int(rules.capacity[location]) + int(location < NUM_TILES)
        if total != int(state.crowd[location]) or total > room:
            return False
    for councilor in range(NUM_COUNCILORS):
        location = int(state.special_at[councilor])
        if location == NONE:
            continue
        keeper = int(state.keeper[councilor])
        if keeper == NONE:
            return False
        found = False
        for seat in range(players):
            kind = HOLOGRAM if keeper == BY_HOLOGRAM else LEADER
            if keeper == BY_HOLOGRAM or keeper == seat:
                found = found or count_of(int(state.pieces[location, seat]), kind) > 0
        if not found:
            return False
    return True


@kernel
def cards_sound(rules: Record, state: Record) -> bool:
    """No library card more often than it exists (2.6, 2.7)."""
    players = int(rules.players)
    for card in range(NUM_BASIC + NUM_ARTIFACTS):
        total = int(state.library_deck[card]) + int(state.library_discard[card])
        for number in range(int(state.num_bottom)):
            total += int(state.library_bottom[number] == card)
        for top in range(int(state.num_frames)):
            do = int(state.frames[top, DO])
            total += int(do == FRAME_CARD and state.frames[top, CARD] == card)
            if do == FRAME_LIBRARY:
                for place in range(DRAWN, DRAWN + 3):
                    total += int(state.frames[top, place] == card)
        most = int(rules.library[card])
        if card < NUM_BASIC:
            for seat in range(players):
                total += int(state.hand[seat, card])
        else:
            artifact = card - NUM_BASIC
            most = 1
            total += int(state.unused_artifacts) >> artifact & 1
            total += int(state.hologram_artifact == artifact)
            for seat in range(players):
                total += int(state.artifacts[seat]) >> artifact & 1
                total += int(state.scholar_artifact[seat] == artifact)
        if total > most:
            return False
    return scholar_sound(rules, state)


@kernel
def scholar_sound(rules: Record, state: Record) -> bool:
    """Where the hologram may be the scholar, two artifacts with the symbol are left to draw (2.7, 11.7)."""
    keeper = int(state.keeper[SCHOLAR])
    if int(rules.players) > 2 or (keeper != NONE and keeper != BY_HOLOGRAM):
        return True
    symbols = 0
    for artifact in range(NUM_ARTIFACTS):
        free = int(state.unused_artifacts) >> artifact & 1 != 0 or state.hologram_artifact == artifact
        symbols += int(free and int(rules.scholar_symbols) >> artifact & 1 != 0)
    return symbols >= 2


@kernel
def misfortunes_sound(rules: Record, state: Record) -> bool:
    """No misfortune more often than it exists (2.8); known cards without a gap."""
    for number in range(1, MAX_TOP):
        if state.misfortune_top[number] != NONE and state.misfortune_top[number - 1] == NONE:
            return False
    for kind in range(NUM_MISFORTUNES):
        total = int(state.misfortune_deck[kind]) + int(state.misfortune_discard[kind])
        for number in range(MAX_TOP):
            total += int(state.misfortune_top[number] == kind)
        if state.num_frames > 0 and state.frames[0, DO] == FRAME_MISFORTUNE:
            total += int(state.frames[0, CARD] == kind)
        if total > int(rules.misfortunes[kind]):
            return False
    return True


@kernel
def boards_sound(rules: Record, state: Record) -> bool:
    """Every councilor board in one place (3f, 3i, 4.4)."""
    for seat in range(int(rules.players)):
        if state.councilor[seat] == NONE and state.phase != SETUP:
            return False
    for councilor in range(NUM_COUNCILORS):
        places = (int(state.stack_boards) >> councilor & 1) + (int(state.discarded_boards) >> councilor & 1)
        places += int(state.keeper[councilor] != NONE)
        if state.num_frames > 0 and state.frames[0, DO] == FRAME_BOARD:
            places += int(state.frames[0, SEEN] == councilor) + int(state.frames[0, SEEN + 1] == councilor)
        if places > 1 or (places == 0 and int(rules.players) <= 2 and state.phase != SETUP):
            return False
    return True


@kernel
def components_sound(state: Record) -> bool:
    """The core and at most nine others, each on the blueprint or built (3e)."""
    total = 0
    for component in range(NUM_COMPONENTS):
        if state.blueprint[component] != 0 and state.is_built[component] != 0:
            return False
        total += int(state.blueprint[component]) + int(state.is_built[component])
    if total > BLUEPRINT_SIZE or (total < BLUEPRINT_SIZE and state.phase != SETUP):
        return False
    return state.blueprint[POWER_CORE] + state.is_built[POWER_CORE] == 1
