"""The stack of frames (``pending`` of section 20), pieces (5.2, 5.3, 7.13, 11), water and misfortunes (6)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import Basic, Councilor, Good, Kind, Misfortune
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    COUNT_MASK,
    DONE_SHIFT,
    FOLLOWER_MASK,
    FRAME_WIDTH,
    MAX_DISPLACED,
    MAX_DRAWS,
    NONE,
    READY_SHIFT,
    Column,
    Frame,
    Node,
    Phase,
    Result,
)
from atlantis_envs.kernels.kernel import kernel

WAITING = True  # what a running frame returns: a node is set
RUNNING = False  # ... or the program goes on


@kernel
def push(state: Record, do: int, seat: int) -> int:
    """Put a frame on top; return its row, whose other columns are 0."""
    top = int(state.num_frames)
    state.num_frames = top + 1
    state.frames[top, Column.DO] = do
    state.frames[top, Column.SEAT] = seat
    return top


@kernel
def pop(state: Record) -> None:
    """Take the top frame away."""
    top = int(state.num_frames) - 1
    state.num_frames = top
    for column in range(FRAME_WIDTH):
        state.frames[top, column] = 0


@kernel
def set_none(state: Record, top: int, start: int, stop: int) -> None:
    """Set columns that hold nothing yet to NONE."""
    for column in range(start, stop):
        state.frames[top, column] = NONE


@kernel
def wait(state: Record, node: int, actor: int) -> bool:
    """Stop at a node: a decision of ``actor``, or chance (NONE)."""
    state.node = node
    state.actor = actor
    return WAITING


@kernel
def finish_game(state: Record, result: int) -> None:
    """End the game; everything else stays as it is at this moment (16, 20)."""
    state.result = result
    state.phase = Phase.OVER
    state.node = Node.OVER
    state.actor = NONE
    for _ in range(int(state.num_frames)):
        pop(state)


# ------------------------------------------------------------------------------------------ pieces (5.2, 5.3, 7.13, 11)


ALL_LOCATIONS = (1 << data.NUM_LOCATIONS) - 1


@kernel
def count_of(packed: int, kind: int) -> int:
    """Return how many pieces of a kind are among packed ones, ready and done."""
    count = packed >> READY_SHIFT[kind] & COUNT_MASK[kind]
    if kind != Kind.AUTOMATON:
        count += packed >> DONE_SHIFT[kind] & COUNT_MASK[kind]
    return count


@kernel
def put_piece(state: Record, seat: int, kind: int, location: int) -> None:
    """Move a piece from home to a location, where it stands ready."""
    state.home[seat, kind] -= 1
    state.pieces[location, seat] += 1 << READY_SHIFT[kind]
    state.crowd[location] += 1
    state.where[seat] = int(state.where[seat]) | 1 << location
    move_special(state, seat, kind, location)


@kernel
def take_piece(state: Record, seat: int, kind: int, location: int) -> None:
    """Take a piece, a ready one if there is one, from its location; where it goes is up to the caller."""
    packed = int(state.pieces[location, seat])
    shift = READY_SHIFT[kind]
    if packed >> shift & COUNT_MASK[kind] == 0:
        shift = DONE_SHIFT[kind]
    packed -= 1 << shift
    state.pieces[location, seat] = packed
    state.crowd[location] -= 1
    if packed == 0:
        state.where[seat] = int(state.where[seat]) & ~(1 << location)
    move_special(state, seat, kind, NONE)


@kernel
def move_special(state: Record, seat: int, kind: int, location: int) -> None:
    """Note where the piece of a councilor stands (11)."""
    if kind == Kind.LEADER and state.councilor[seat] != NONE:
        state.special_at[int(state.councilor[seat])] = location
    elif kind == Kind.HOLOGRAM and state.hologram != NONE:
        state.special_at[int(state.hologram)] = location


@kernel
def send_home(state: Record, location: int) -> None:
    """Send all pieces on a location home; volunteers are spent (6.5, 7.13, 8.6)."""
    if state.crowd[location] == 0:
        return
    for seat in range(data.MAX_PLAYERS):
        packed = int(state.pieces[location, seat])
        if packed != 0:
            for kind in range(Kind.AUTOMATON + 1):
                count = count_of(packed, kind)
                if count > 0:
                    if kind == Kind.VOLUNTEER:
                        state.spent[seat] += count
                    else:
                        state.home[seat, kind] += count
                    move_special(state, seat, kind, NONE)
            state.pieces[location, seat] = 0
            state.where[seat] = int(state.where[seat]) & ~(1 << location)
    state.crowd[location] = 0


@kernel
def follower_home(state: Record, seat: int, location: int) -> None:
    """Send a follower home, and an automaton that would be left alone (6.9)."""
    take_piece(state, seat, Kind.FOLLOWER, location)
    state.home[seat, Kind.FOLLOWER] += 1
    if state.crowd[location] == 1 and int(state.pieces[location, 0]) == AUTOMATON_BIT:
        send_home(state, location)


# ------------------------------------------------------------------------------------------------ councilors (11)


@kernel
def owner_of(state: Record, councilor: int) -> int:
    """Return the seat a councilor's piece belongs to; the hologram is the first player's (11)."""
    keeper = int(state.keeper[councilor])
    return int(state.first) if keeper == data.BY_HOLOGRAM else keeper


@kernel
def is_special(state: Record, seat: int, kind: int, councilor: int) -> bool:
    """Tell whether a seat's piece of this kind is the councilor's piece (11)."""
    if kind == Kind.LEADER:
        return int(state.councilor[seat]) == councilor
    return kind == Kind.HOLOGRAM and int(state.hologram) == councilor


# ---------------------------------------------------------------------------------------- where pieces fit (5.2, 5.3)


@kernel
def is_flooded(state: Record, location: int) -> bool:
    """Tell whether a location is a tile under water."""
    if location >= data.NUM_TILES:
        return False
    return location % data.TILES_PER_PENINSULA < int(state.flooded[location // data.TILES_PER_PENINSULA])


@kernel
def opened_by_diver(state: Record, location: int) -> bool:
    """Tell whether a navigator or aquanaut piece stands there (11.5, 11.6)."""
    return divers(state) >> location & 1 != 0


@kernel
def divers(state: Record) -> int:
    """Return where the navigator's and the aquanaut's pieces stand, as bits."""
    return bit_at(int(state.special_at[Councilor.NAVIGATOR])) | bit_at(int(state.special_at[Councilor.AQUANAUT]))


@kernel
def bit_at(location: int) -> int:
    """Return the set of one location; of none, if it is NONE."""
    return 1 << location if location >= 0 else 0


@kernel
def roomy_for(state: Record, seat: int, kind: int) -> int:
    """Return the tiles that hold one piece more than they usually do, as bits: the emissary's (11)."""
    if is_special(state, seat, kind, Councilor.EMISSARY):
        return ALL_LOCATIONS
    return bit_at(int(state.special_at[Councilor.EMISSARY]))


@kernel
def open_to(state: Record, seat: int, kind: int) -> int:
    """Return the tiles that a piece may stand on though they are under water, as bits: the divers' (11.5, 11.6)."""
    if is_special(state, seat, kind, Councilor.AQUANAUT):
        return ALL_LOCATIONS
    tiles = divers(state)
    if is_special(state, seat, kind, Councilor.NAVIGATOR):
        for peninsula in range(data.NUM_PENINSULAS):
            if state.flooded[peninsula] > 0:  # the last tile to have sunk
                tiles |= bit_at(data.TILES_PER_PENINSULA * peninsula + int(state.flooded[peninsula]) - 1)
    return tiles


@kernel
def fits(rules: Record, state: Record, seat: int, kind: int, location: int) -> bool:
    """Tell whether a piece fits by 5.3 (a) to (c): capacity, water, the automaton's company."""
    room = int(rules.capacity[location]) - int(state.crowd[location])
    if location < data.NUM_TILES:
        if room < 0 or (room == 0 and roomy_for(state, seat, kind) >> location & 1 == 0):
            return False
        if is_flooded(state, location) and open_to(state, seat, kind) >> location & 1 == 0:
            return False
    elif location >= data.SPACE:
        if state.is_built[int(rules.component_at[location])] == 0 or room <= 0:
            return False
    elif location > data.CENTRE and location - data.GATE >= int(rules.gates):
        return False
    return kind != Kind.AUTOMATON or has_company(state, location)


@kernel
def has_company(state: Record, location: int) -> bool:
    """Tell whether a piece other than the automaton stands there (5.3 d)."""
    return int(state.crowd[location]) > (int(state.pieces[location, 0]) >> READY_SHIFT[Kind.AUTOMATON] & 1)


@kernel
def is_before_automaton(state: Record, seat: int, kind: int) -> bool:
    """Tell whether an automaton is at home, and this piece the last one to be placed before it (5.3 d)."""
    if kind == Kind.AUTOMATON or state.home[seat, Kind.AUTOMATON] == 0:
        return False
    others = 0
    for other in range(Kind.AUTOMATON):
        count = int(state.home[seat, other])
        if other == kind:
            count -= 1
        elif is_special_held_back(state, seat, other):
            count = 0
        others += count
    return others <= 0


@kernel
def leaves_automaton_a_place(rules: Record, state: Record, seat: int, kind: int, location: int) -> bool:
    """Tell whether the automaton can follow, if this is the last other piece at home (5.3 d)."""
    if not is_before_automaton(state, seat, kind):
        return True
    room = int(rules.capacity[location])
    if location < data.NUM_TILES:
        room += roomy_for(state, seat, kind) >> location & 1
    if int(state.crowd[location]) + 1 < room:
        return True
    for other in range(data.NUM_LOCATIONS):
        if other != location and state.crowd[other] > 0 and fits(rules, state, seat, Kind.AUTOMATON, other):
            return True
    return False


@kernel
def is_special_held_back(state: Record, seat: int, kind: int) -> bool:
    """Tell whether a piece is the astrologer's, which may stay at home (5.7)."""
    return is_special(state, seat, kind, Councilor.ASTROLOGER)


@kernel
def may_place(rules: Record, state: Record, seat: int, kind: int, location: int) -> bool:
    """Tell whether a piece may be placed in deployment (5.3, (d) included)."""
    return fits(rules, state, seat, kind, location) and leaves_automaton_a_place(rules, state, seat, kind, location)


@kernel
def may_lift(state: Record, seat: int, kind: int, location: int) -> bool:
    """Tell whether a piece may be lifted: no automaton stays alone, nothing on a flooded tile without its diver
    (5.6).
    """
    packed = int(state.pieces[location, seat])
    if packed >> READY_SHIFT[kind] & COUNT_MASK[kind] == 0:
        return False
    left = int(state.crowd[location]) - 1
    if left == 0:
        return True
    if left == 1 and kind != Kind.AUTOMATON and int(state.pieces[location, 0]) & AUTOMATON_BIT:
        return False
    if not is_flooded(state, location):
        return True
    there = int(state.special_at[Councilor.NAVIGATOR] == location)
    there += int(state.special_at[Councilor.AQUANAUT] == location)
    if is_special(state, seat, kind, Councilor.NAVIGATOR) or is_special(state, seat, kind, Councilor.AQUANAUT):
        there -= 1
    return there > 0


# ----------------------------------------------------------------------------------------------- small counts


@kernel
def total_energy(rules: Record, state: Record) -> int:
    """Return the energy of all seats together."""
    total = 0
    for seat in range(int(rules.players)):
        total += int(state.goods[seat, Good.ENERGY])
    return total


@kernel
def any_flooded(state: Record) -> bool:
    """Tell whether some tile can be drained (9.3)."""
    for peninsula in range(data.NUM_PENINSULAS):
        if state.flooded[peninsula] > 0:
            return True
    return False


@kernel
def any_ward(state: Record) -> bool:
    """Tell whether some peninsula can get a barrier (9.2)."""
    for peninsula in range(data.NUM_PENINSULAS):
        if state.barriers[peninsula] == 0 and state.flooded[peninsula] < data.TILES_PER_PENINSULA:
            return True
    return False


@kernel
def wrath_value(rules: Record, state: Record) -> int:
    """Return the value of the marker's space (2.9)."""
    return int(rules.wrath_values[int(state.wrath)])


@kernel
def gain(state: Record, seat: int, good: int, count: int) -> None:
    """Give a seat goods from the supply, which has no end (2.1); our count has one."""
    state.goods[seat, good] = min(data.MOST_GOODS, int(state.goods[seat, good]) + count)


@kernel
def recruit(state: Record, seat: int) -> None:
    """Take a follower from the reserve (7.7, muster array)."""
    state.reserve[seat] -= 1
    state.home[seat, Kind.FOLLOWER] += 1


@kernel
def take_volunteers(state: Record, seat: int, wanted: int) -> None:
    """Take volunteers from the supply, as far as it goes."""
    count = min(wanted, int(state.volunteers))
    state.volunteers -= count
    state.home[seat, Kind.VOLUNTEER] += count


@kernel
def has_in_play(state: Record, seat: int, artifact: int) -> bool:
    """Tell whether a seat has an artifact in play: by a card, as scholar, or with the hologram (12.9, R-29)."""
    if int(state.artifacts[seat]) >> artifact & 1 or state.scholar_artifact[seat] == artifact:
        return True
    return state.hologram_artifact == artifact and state.first == seat


@kernel
def misfortunes_left(state: Record) -> bool:
    """Tell whether the misfortune deck, known top cards included, is not empty (6.11)."""
    return state.misfortune_top[0] != NONE or unknown_misfortunes(state) > 0


@kernel
def unknown_misfortunes(state: Record) -> int:
    """Return how many cards are in the unknown part of the misfortune deck."""
    total = 0
    for kind in range(len(state.misfortune_deck)):
        total += int(state.misfortune_deck[kind])
    return total


@kernel
def library_left(state: Record) -> bool:
    """Tell whether the library deck, bottom cards included, is not empty (7.3)."""
    if state.num_bottom > 0:
        return True
    for card in range(len(state.library_deck)):
        if state.library_deck[card] > 0:
            return True
    return False


@kernel
def reshuffle_library(state: Record) -> None:
    """Add discard and bottom cards to the unknown part of the library (12.8)."""
    for card in range(len(state.library_deck)):
        state.library_deck[card] += state.library_discard[card]
        state.library_discard[card] = 0
    for number in range(int(state.num_bottom)):
        state.library_deck[int(state.library_bottom[number])] += 1
        state.library_bottom[number] = NONE
    state.num_bottom = 0


# -------------------------------------------------------------------------------------------------------------- floods


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
        if state.crowd[tile] > 0 and (step == 0 or (tile != flipped and opened_by_diver(state, tile))):
            if top == NONE:
                top = push(state, Frame.DISPLACE, 0)
                set_none(state, top, Column.TILES, Column.ORDER + data.MAX_PLAYERS)
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
    set_none(state, top, Column.ORDER, Column.ORDER + data.MAX_PLAYERS)


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
    top = push(state, Frame.MISFORTUNE, seat)
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
                    return wait(state, Node.PLAGUE, seat)
        elif sunk(state):
            if state.frames[top, Column.EXCEPT] == NONE:
                state.misfortune_discard[card] += 1
                finish_game(state, Result.SUNK)
                return WAITING
        else:
            for peninsula in range(data.NUM_PENINSULAS):
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
    while place < data.MAX_TOP - 1 and state.misfortune_top[place] != NONE:
        place += 1
    state.misfortune_top[place] = kind
