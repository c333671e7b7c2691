"""What can be seen to be broken from the position alone (sections 20 and 23), as bits; 0 = sound.

From a sound position every sequence of legal play stays sound. So cards, boards and components add up to what the game
has, every counter has a bound that play keeps, and a frame lies only where play can have put it. Of pieces, which no
loop and no draw depends on, a study may leave some out.

Tables say what a frame of each kind can hold, where it can lie and which nodes it leads to: ``LOW`` and ``HIGH`` bound
every column; a column that is not named holds 0. ``PARENTS`` has the frames that one may lie on, ``PHASES_OF`` the
phases it occurs in, ``NODES_OF`` the nodes at which it is on top, all as bits. The kernels say what a frame can hold in
this position. The top frame is at a node, and at a decision something can be chosen.

Long because every field and every kind of frame has a rule of its own.
"""

from __future__ import annotations

import numpy as np

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Basic, Component, Councilor, Good, Kind, Misfortune, Symbol
from atlantis_envs.games.atlantis_rising.rules import board, building, cards, locations, play
from atlantis_envs.games.atlantis_rising.state import (
    COUNT_MASK,
    DONE_SHIFT,
    FOLLOWER_MASK,
    FRAME_DEPTH,
    FRAME_WIDTH,
    FRAMES,
    MAX_BOTTOM,
    MAX_DISPLACED,
    MAX_DRAWS,
    NONE,
    PHASES,
    PURPOSES,
    READY_SHIFT,
    STEPS,
    CityStage,
    Column,
    Frame,
    LibraryStage,
    Node,
    Phase,
    Purpose,
    Result,
    Step,
    WildStage,
)
from atlantis_envs.kernels.kernel import kernel

FLAGS = (
    ("phase", "a field is outside its range"),
    ("phase", "turn, passes, draws, window, held, floods or result do not fit the phase"),
    ("barriers", "a barrier on a fully flooded peninsula (9.2)"),
    ("placed", "a piece where none of its kind can stand or act, or more pieces than there are"),
    ("seats", "a seat has more cards than there are, or shows cards it does not have"),
    ("misfortunes", "deck, top, discard and the card being resolved are not the misfortunes of the game"),
    ("councilors", "a councilor occurs twice, or is missing"),
    ("blueprint", "not the components of one game"),
    ("pending", "a frame that cannot be there, or holds what it cannot hold"),
    ("library", "deck, bottom, discard, hands and the cards being drawn or played are not the library of the game"),
    ("unused_artifacts", "an artifact is nowhere or twice, or the library has more or fewer of them than it should"),
    ("draws", "not the seats that can still have to draw (2.2)"),
    ("hologram", "its piece belongs to the first player, its artifact to the scholar (4.4, 11.7)"),
    ("volunteers", "more volunteers than there are"),
    ("phase", "a game in setup has only what setup deals out (3)"),
    ("pending", "the node is not one that these frames lead to"),
    ("built", "not every component once that is built, or one before the first round"),
)
(
    BAD_RANGE, BAD_PHASE, BAD_WATER, BAD_PIECES, BAD_CARDS, BAD_MISFORTUNES, BAD_BOARDS, BAD_COMPONENTS, BAD_PENDING,
    BAD_LIBRARY, BAD_ARTIFACTS, BAD_DRAWS, BAD_HOLOGRAM, BAD_VOLUNTEERS, BAD_SETUP, BAD_NODE, BAD_BUILT,
) = (1 << bit for bit in range(17))  # fmt: skip


@kernel
def check(rules: Record, state: Record) -> int:
    """Return bits of FLAGS; fields out of range are reported alone, since nothing else can be judged then."""
    flags = check_position(rules, state)
    if flags == 0 and not node_sound(state):
        return BAD_NODE
    return flags


@kernel
def check_position(rules: Record, state: Record) -> int:
    """Return bits of FLAGS for a position whose node is not yet known."""
    if not scalars_sound(rules, state) or not seats_in_range(rules, state) or not lists_in_range(rules, state):
        return BAD_RANGE
    if not rows_sound(rules, state):
        return BAD_PENDING
    flags = 0
    flags |= 0 if phase_sound(rules, state) else BAD_PHASE
    for peninsula in range(data.NUM_PENINSULAS):
        if state.barriers[peninsula] != 0 and state.flooded[peninsula] == data.TILES_PER_PENINSULA:
            flags |= BAD_WATER
    flags |= 0 if pieces_sound(rules, state) else BAD_PIECES
    flags |= 0 if hologram_sound(rules, state) else BAD_HOLOGRAM
    flags |= 0 if volunteers_sound(rules, state) else BAD_VOLUNTEERS
    flags |= 0 if hands_sound(rules, state) else BAD_CARDS
    flags |= 0 if library_sound(rules, state) else BAD_LIBRARY
    flags |= 0 if artifacts_sound(rules, state) else BAD_ARTIFACTS
    flags |= 0 if misfortunes_sound(rules, state) else BAD_MISFORTUNES
    flags |= 0 if boards_sound(rules, state) else BAD_BOARDS
    flags |= 0 if components_sound(rules, state) else BAD_COMPONENTS
    flags |= 0 if built_sound(state) else BAD_BUILT
    flags |= 0 if draws_sound(rules, state) else BAD_DRAWS
    flags |= BAD_SETUP if state.phase == Phase.SETUP and not setup_sound(rules, state) else 0
    flags |= BAD_PENDING if flags == 0 and not frames_sound(rules, state) else 0
    return flags


@kernel
def between(value: int, low: int, high: int) -> bool:
    """Tell whether a value is ``low`` to ``high``, both included."""
    return low <= value and value <= high


@kernel
def scalars_sound(rules: Record, state: Record) -> bool:
    """Tell whether every field that is one number is in its range."""
    players = int(rules.players)
    last = players - 1
    sound = between(int(state.node), 0, Node.OVER) and between(int(state.actor), NONE, last)
    sound = sound and between(int(state.phase), 0, Phase.OVER) and between(int(state.result), 0, Result.TRUNCATED)
    sound = sound and between(int(state.first), 0, last) and between(int(state.turn), 0, last)
    sound = sound and between(int(state.passes), 0, play.most_passes(rules))
    sound = sound and between(int(state.wrath), 0, int(rules.wrath_last))
    sound = sound and between(int(state.track_energy_taken), 0, int(rules.wrath_last) + 1)
    sound = sound and between(int(state.volunteers), 0, int(rules.volunteers))
    sound = sound and between(int(state.num_frames), 0, FRAME_DEPTH)
    sound = sound and between(int(state.num_bottom), 0, MAX_BOTTOM)
    sound = sound and between(int(state.num_built), 0, data.BLUEPRINT_SIZE)
    sound = sound and between(int(state.built_this_round), 0, int(state.num_built))
    sound = sound and between(int(state.hologram), NONE, data.NUM_COUNCILORS - 1)
    sound = sound and between(int(state.hologram_artifact), NONE, data.NUM_ARTIFACTS - 1)
    sound = sound and between(int(state.held_seat), NONE, last) and between(int(state.held_kind), NONE, Kind.HOLOGRAM)
    sound = sound and between(int(state.held_companion), NONE, Kind.AUTOMATON)
    sound = sound and between(int(state.unused_artifacts), 0, (1 << data.NUM_ARTIFACTS) - 1)
    sound = sound and between(int(state.stack_boards), 0, (1 << data.NUM_COUNCILORS) - 1)
    sound = sound and between(int(state.discarded_boards), 0, (1 << data.NUM_COUNCILORS) - 1)
    sound = sound and between(int(state.closed), 0, (1 << len(data.CLOSABLE)) - 1)
    sound = sound and between(int(state.call), 0, int(rules.casting_vote))
    sound = sound and between(int(state.build_limit), 0, 1) and between(int(state.window_open), 0, 1)
    sound = sound and between(int(state.earthquake), 0, data.MOST_EFFECTS)
    sound = sound and between(int(state.extra_floods), 0, data.MOST_EFFECTS)
    return sound and state.floods >= 0


@kernel
def seats_in_range(rules: Record, state: Record) -> bool:
    """Tell whether what is kept for every seat is in its range; seats that are not in the game have nothing."""
    players = int(rules.players)
    for seat in range(data.MAX_PLAYERS):
        here = int(seat < players)
        sound = between(int(state.councilor[seat]), NONE, data.NUM_COUNCILORS * here - 1)
        sound = sound and between(int(state.scholar_artifact[seat]), NONE, data.NUM_ARTIFACTS * here - 1)
        sound = sound and between(int(state.artifacts[seat]), 0, here * ((1 << data.NUM_ARTIFACTS) - 1))
        sound = sound and between(int(state.lifts[seat]), 0, here * int(rules.lift_budget))
        sound = sound and between(int(state.yields[seat]), 0, here * int(rules.yield_budget))
        sound = sound and between(int(state.declines[seat]), 0, here * int(rules.decline_budget))
        sound = sound and between(int(state.reserve[seat]), 0, here * int(rules.reserve))
        sound = sound and between(int(state.removed[seat]), 0, here * (int(rules.followers) + int(rules.reserve)))
        sound = sound and between(int(state.spent[seat]), 0, here * int(rules.volunteers))
        sound = sound and between(int(state.barred[seat]), 0, here)
        sound = sound and between(int(state.used[seat]), 0, here * ((1 << len(data.USES)) - 1))
        if not sound:
            return False
        for good in range(data.NUM_GOODS):
            if not between(int(state.goods[seat, good]), 0, here * data.MOST_GOODS):
                return False
        for kind in range(data.NUM_KINDS):
            most = int(rules.volunteers) + int(rules.followers) + int(rules.reserve) + 1
            if not between(int(state.home[seat, kind]), 0, here * most):
                return False
        for kind in range(data.NUM_PRICE_TYPES):
            if not between(int(state.paid[seat, kind]), 0, here * data.MOST_GOODS):
                return False
        for card in range(data.NUM_BASIC):
            if not between(int(state.hand[seat, card]), 0, here * int(rules.library[card])):
                return False
        if here == 0 and state.where[seat] != 0:
            return False
        for location in range(data.NUM_LOCATIONS):
            if here == 0 and state.pieces[location, seat] != 0:
                return False
    return True


@kernel
def lists_in_range(rules: Record, state: Record) -> bool:
    """Tell whether decks, heaps and lists have each entry in its range and none beyond the end."""
    for peninsula in range(data.NUM_PENINSULAS):
        if not between(int(state.flooded[peninsula]), 0, data.TILES_PER_PENINSULA):
            return False
        if not between(int(state.barriers[peninsula]), 0, 1):
            return False
    for peninsula in range(data.NUM_WILD):
        if not between(int(state.atlas[peninsula]), 0, data.MOST_ATLASES):
            return False
    for councilor in range(data.NUM_COUNCILORS):
        keeper, last = int(state.keeper[councilor]), int(rules.players) - 1
        if not between(int(state.special_at[councilor]), NONE, data.NUM_LOCATIONS - 1):
            return False
        if not between(keeper, NONE, last) and keeper != data.BY_HOLOGRAM:
            return False
    for component in range(data.NUM_COMPONENTS):
        if not between(int(state.blueprint[component]), 0, 1) or not between(int(state.is_built[component]), 0, 1):
            return False
    for number in range(data.BLUEPRINT_SIZE):
        known = number < int(state.num_built)
        if not between(int(state.built[number]), 0 if known else NONE, data.NUM_COMPONENTS - 1 if known else NONE):
            return False
    for card in range(data.NUM_CARDS):
        most = int(rules.library[card]) if card < data.NUM_BASIC else 1
        if not between(int(state.library_deck[card]), 0, most) or not between(
            int(state.library_discard[card]), 0, most
        ):
            return False
    for number in range(MAX_BOTTOM):
        known = number < int(state.num_bottom)
        if not between(int(state.library_bottom[number]), 0 if known else NONE, data.NUM_CARDS - 1 if known else NONE):
            return False
    for kind in range(data.NUM_MISFORTUNES):
        most = int(rules.misfortunes[kind])
        if not between(int(state.misfortune_deck[kind]), 0, most):
            return False
        if not between(int(state.misfortune_discard[kind]), 0, most):
            return False
    for number in range(data.MAX_TOP):
        open_end = number > 0 and state.misfortune_top[number - 1] == NONE
        if not between(int(state.misfortune_top[number]), NONE, NONE if open_end else data.NUM_MISFORTUNES - 1):
            return False
    for number in range(MAX_DRAWS):
        open_end = number > 0 and state.draws[number - 1] == NONE
        if not between(int(state.draws[number]), NONE, NONE if open_end else int(rules.players) - 1):
            return False
    return True


@kernel
def phase_sound(rules: Record, state: Record) -> bool:
    """Tell whether what belongs to one phase is there in it only; the pointer is at the first player outside turns
    (20).
    """
    phase = int(state.phase)
    if (phase == Phase.OVER) != (state.result != 0) or (phase == Phase.OVER and state.num_frames > 0):
        return False
    if (state.result == Result.CORE) != (state.is_built[Component.POWER_CORE] != 0):
        return False
    if state.result == Result.SUNK and not board.sunk(state):
        return False
    if not held_sound(state):
        return False
    if phase == Phase.SETUP:
        alone = state.num_frames == 1 and state.turn == state.first and state.passes == 0
        return state.round_number == 0 and alone and state.call == 0
    if state.round_number <= 0 or state.round_number > rules.truncation:
        return False
    if rules.round_limit != 0 and state.round_number > rules.round_limit:
        return False
    if phase == Phase.OVER:
        return True
    if state.passes > rules.players and phase != Phase.ACTIONS:
        return False
    if state.call != 0:
        if rules.casting_vote == 0 or (phase != Phase.DEPLOY and phase != Phase.ACTIONS):
            return False
        if state.turn != state.first or state.passes != 0:
            return False
    if state.window_open != 0 and (phase != Phase.MISFORTUNE or state.draws[0] == NONE):
        return False
    turns = phase == Phase.DEPLOY or phase == Phase.ACTIONS or state.window_open != 0
    if not turns and (state.turn != state.first or state.passes != 0):
        return False
    if phase != Phase.MISFORTUNE and state.draws[0] != NONE:
        return False
    due = int(rules.wrath_values[int(state.wrath)]) + int(state.extra_floods) if phase == Phase.WRATH else 0
    return int(state.floods) <= due and (phase == Phase.MISFORTUNE or state.held_seat == NONE)


@kernel
def held_sound(state: Record) -> bool:
    """Tell whether the held piece is an astrologer piece at home, with another piece there or none (5.9)."""
    seat, kind, companion = int(state.held_seat), int(state.held_kind), int(state.held_companion)
    if seat == NONE or kind == NONE:
        return seat == kind and companion == NONE
    if not board.is_special(state, seat, kind, Councilor.ASTROLOGER) or state.home[seat, kind] == 0:
        return False
    return companion == NONE or (companion != kind and state.home[seat, companion] > 0)


@kernel
def draws_sound(rules: Record, state: Record) -> bool:
    """Tell whether the last seats of the round's order are to draw, and before them the seat of a maelstrom as often as
    it still has to.
    """
    count = 0
    for number in range(MAX_DRAWS):
        count += int(state.draws[number] != NONE)
    if count == 0 or (state.phase != Phase.MISFORTUNE and state.phase != Phase.OVER):
        return count == 0
    order = int(rules.num_draws)
    drawing = state.num_frames > 0 and state.frames[0, Column.DO] == Frame.MISFORTUNE
    for more in range(count + 1):
        done = order - (count - more)
        if done < 0 or done > order or (done == 0 and (more > 0 or drawing or state.window_open != 0)):
            continue
        before = drawing_seat(rules, state, max(0, done - 1))
        fits = not drawing or state.frames[0, Column.SEAT] == before
        for number in range(count):
            due = before if number < more else drawing_seat(rules, state, done + number - more)
            fits = fits and int(state.draws[number]) == due
        if fits:
            return True
    return False


@kernel
def drawing_seat(rules: Record, state: Record, place: int) -> int:
    """Return the seat at a place of the round's order (2.2)."""
    return (int(state.first) + int(rules.draw_order[place])) % int(rules.players)


@kernel
def node_sound(state: Record) -> bool:
    """Tell whether the top frame or the phase can lead to the node, and somebody decides just where one has to."""
    node = int(state.node)
    if nodes_of(state) >> node & 1 == 0:
        return False
    if (node == Node.CALL and state.call == 0) or ((node == Node.DEPLOY or node == Node.ACT) and state.call != 0):
        return False
    return (state.actor == NONE) == (node >= Node.C1_FIRST)


# --------------------------------------------------------------------------------------------------------------- pieces


@kernel
def pieces_sound(rules: Record, state: Record) -> bool:
    """Tell whether every piece is where its kind can stand, none twice, and what is kept about places true (5.2,
    5.3).
    """
    players = int(rules.players)
    for seat in range(players):
        leaders, automatons = int(state.home[seat, Kind.LEADER]), int(state.home[seat, Kind.AUTOMATON])
        followers = int(state.home[seat, Kind.FOLLOWER]) + int(state.reserve[seat]) + int(state.removed[seat])
        where = 0
        for location in range(data.NUM_LOCATIONS):
            packed = int(state.pieces[location, seat])
            if packed == 0:
                continue
            where |= 1 << location
            if not stand_there(rules, state, seat, location, packed):
                return False
            leaders += board.count_of(packed, Kind.LEADER)
            automatons += board.count_of(packed, Kind.AUTOMATON)
            followers += board.count_of(packed, Kind.FOLLOWER)
        if where != int(state.where[seat]) or leaders > 1 or automatons > int(players == 1):
            return False
        if followers > int(rules.followers) + int(rules.reserve):
            return False
    return crowds_sound(rules, state) and automaton_has_a_place(rules, state)


@kernel
def stand_there(rules: Record, state: Record, seat: int, location: int, packed: int) -> bool:
    """Tell whether the pieces of a seat at a location can stand there, and are known as what they are."""
    if packed < 0 or packed >> DONE_SHIFT[Kind.AUTOMATON] != 0 or not location_exists(rules, state, location):
        return False
    if state.phase == Phase.SETUP or state.phase == Phase.START or state.phase == Phase.WRATH:  # 4.1, 7.13
        return False
    for kind in range(data.NUM_KINDS):
        done = 0 if kind == Kind.AUTOMATON else packed >> DONE_SHIFT[kind] & COUNT_MASK[kind]
        count = (packed >> READY_SHIFT[kind] & COUNT_MASK[kind]) + done
        if done > 0 and kind != Kind.FOLLOWER and location == data.AT_SPIRIT_SEAL:  # it cannot have acted there (7.3)
            return False
        special = int(state.councilor[seat]) if kind == Kind.LEADER else int(state.hologram)
        if count > 0 and kind <= Kind.HOLOGRAM and (special == NONE or state.special_at[special] != location):
            return False
    return True


@kernel
def location_exists(rules: Record, state: Record, location: int) -> bool:
    """Tell whether there is such a location: a tile, the centre, a gate in use, a built component (5.2)."""
    if location >= data.SPACE:
        return bool(state.is_built[int(rules.component_at[location])] != 0)
    return location <= data.CENTRE or location - data.GATE < int(rules.gates)


@kernel
def crowds_sound(rules: Record, state: Record) -> bool:
    """Tell whether the number of pieces at every location is right, and where the special ones are (5.2)."""
    players = int(rules.players)
    for location in range(data.NUM_LOCATIONS):
        total = 0
        for seat in range(players):
            for kind in range(data.NUM_KINDS):
                total += board.count_of(int(state.pieces[location, seat]), kind)
        room = int(rules.capacity[location])
        room += int(location < data.NUM_TILES and state.special_at[Councilor.EMISSARY] == location)
        if total != int(state.crowd[location]) or total > room:
            return False
    for councilor in range(data.NUM_COUNCILORS):
        location, keeper = int(state.special_at[councilor]), int(state.keeper[councilor])
        if location == NONE:
            continue
        if keeper == NONE:
            return False
        seat = int(state.first) if keeper == data.BY_HOLOGRAM else keeper
        if (
            board.count_of(
                int(state.pieces[location, seat]), Kind.HOLOGRAM if keeper == data.BY_HOLOGRAM else Kind.LEADER
            )
            == 0
        ):
            return False
    return True


@kernel
def automaton_has_a_place(rules: Record, state: Record) -> bool:
    """Tell whether, in deployment, an automaton left alone at home has a location to take it (5.8)."""
    if int(rules.players) > 1 or state.phase != Phase.DEPLOY or state.home[0, Kind.AUTOMATON] == 0:
        return True
    if state.num_frames > 1 and state.frames[1, Column.DO] == Frame.LIFT:  # another piece is coming home
        return True
    for kind in range(Kind.AUTOMATON):
        if state.home[0, kind] > 0:
            return True
    for location in range(data.NUM_LOCATIONS):
        if board.fits(rules, state, 0, Kind.AUTOMATON, location):
            return True
    return False


@kernel
def hologram_sound(rules: Record, state: Record) -> bool:
    """Tell whether its piece is the first player's, there only with its board, and an artifact the scholar's (4.4,
    11.7).
    """
    holograms = 0
    for seat in range(int(rules.players)):
        own = int(state.home[seat, Kind.HOLOGRAM])
        for location in range(data.NUM_LOCATIONS):
            own += board.count_of(int(state.pieces[location, seat]), Kind.HOLOGRAM)
        if own > 0 and seat != int(state.first):
            return False
        holograms += own
    councilor = int(state.hologram)
    if holograms > int(councilor != NONE) or (councilor != NONE and int(rules.players) > 2):
        return False
    artifact = int(state.hologram_artifact)
    return artifact == NONE or (councilor == Councilor.SCHOLAR and int(rules.scholar_symbols) >> artifact & 1 != 0)


@kernel
def volunteers_sound(rules: Record, state: Record) -> bool:
    """Tell whether supply, homes, board and spent ones have no more than there are (2.1)."""
    volunteers = int(state.volunteers)
    for seat in range(int(rules.players)):
        volunteers += int(state.home[seat, Kind.VOLUNTEER]) + int(state.spent[seat])
        for location in range(data.NUM_LOCATIONS):
            volunteers += board.count_of(int(state.pieces[location, seat]), Kind.VOLUNTEER)
    return volunteers <= int(rules.volunteers)


# ----------------------------------------------------------------------------------------------------- cards and boards


NUM_LETTERS = len(data.LETTERS)


@kernel
def hands_sound(rules: Record, state: Record) -> bool:
    """Tell whether no hand has more copies than there are with those of the other hands; what it shows, it has
    (15.2).
    """
    players = int(rules.players)
    for card in range(data.NUM_BASIC):
        total = 0
        for seat in range(players):
            total += int(state.hand[seat, card])
            shown = int(state.public_hand[seat, card])
            if shown < 0 or shown > int(state.hand[seat, card]) or (shown > 0 and rules.hands_open != 0):
                return False
        lying = int(state.library_deck[card]) + int(state.library_discard[card])
        if total > 0 and total + lying > int(rules.library[card]):
            return False
    return True


@kernel
def in_the_library(rules: Record, state: Record, card: int) -> int:
    """Return how often a card lies in the library, in a hand, in play by it, or is just being drawn or played."""
    total = int(state.library_deck[card]) + int(state.library_discard[card])
    for number in range(int(state.num_bottom)):
        total += int(state.library_bottom[number] == card)
    for top in range(int(state.num_frames)):
        do = int(state.frames[top, Column.DO])
        total += int(do == Frame.CARD and state.frames[top, Column.CARD] == card)
        if do == Frame.LIBRARY:
            for place in range(Column.DRAWN, Column.DRAWN + data.MAX_SEEN):
                total += int(state.frames[top, place] == card)
    for seat in range(int(rules.players)):
        if card < data.NUM_BASIC:
            total += int(state.hand[seat, card])
        else:
            total += int(state.artifacts[seat]) >> (card - data.NUM_BASIC) & 1
    return total


@kernel
def library_sound(rules: Record, state: Record) -> bool:
    """Tell whether every basic card occurs as often as there are copies; some may have left a game in play (2.6,
    12.4).
    """
    for card in range(data.NUM_BASIC):
        left = int(rules.library[card]) - in_the_library(rules, state, card)
        if left < 0 or (left > 0 and (card != Basic.ARCHIVE_RECOVERY or state.phase == Phase.SETUP)):
            return False
    return True


@kernel
def artifacts_sound(rules: Record, state: Record) -> bool:
    """Tell whether every artifact is there once, as many in the library as belong there, a seat's own only a scholar's
    (3c, 11.7).

    So two with the symbol are always left for a scholar's draw (2.7).
    """
    in_library = 0
    for artifact in range(data.NUM_ARTIFACTS):
        own = in_the_library(rules, state, data.NUM_BASIC + artifact)
        in_library += own
        total = own + (int(state.unused_artifacts) >> artifact & 1) + int(state.hologram_artifact == artifact)
        for seat in range(int(rules.players)):
            if state.scholar_artifact[seat] == artifact:
                total += 1
                if state.councilor[seat] != Councilor.SCHOLAR or int(rules.scholar_symbols) >> artifact & 1 == 0:
                    return False
        if total != 1:
            return False
    wanted = int(rules.artifacts_in_library)
    if state.phase == Phase.SETUP and state.num_frames > 0 and state.frames[0, Column.STEP] <= Step.ARTIFACT:
        return in_library <= wanted
    return in_library == wanted


@kernel
def misfortunes_sound(rules: Record, state: Record) -> bool:
    """Tell whether every misfortune occurs as often as there are copies (2.8, 2.10)."""
    for kind in range(data.NUM_MISFORTUNES):
        total = int(state.misfortune_deck[kind]) + int(state.misfortune_discard[kind])
        for number in range(data.MAX_TOP):
            total += int(state.misfortune_top[number] == kind)
        if state.num_frames > 0 and state.frames[0, Column.DO] == Frame.MISFORTUNE:
            total += int(state.frames[0, Column.CARD] == kind)
        if total != int(rules.misfortunes[kind]):
            return False
    return True


@kernel
def boards_sound(rules: Record, state: Record) -> bool:
    """Tell whether every councilor board is in one place, and who plays it known both ways (3f, 3i, 4.4)."""
    players = int(rules.players)
    piles = players <= 2 and state.phase != Phase.SETUP
    if not piles and (int(state.stack_boards) | int(state.discarded_boards)) != 0:
        return False
    for seat in range(players):
        councilor = int(state.councilor[seat])
        if councilor == NONE:
            if state.phase != Phase.SETUP:
                return False
        elif state.keeper[councilor] != seat:
            return False
    if state.hologram != NONE and (not piles or state.keeper[int(state.hologram)] != data.BY_HOLOGRAM):
        return False
    for councilor in range(data.NUM_COUNCILORS):
        keeper = int(state.keeper[councilor])
        if keeper == data.BY_HOLOGRAM:
            if state.hologram != councilor:
                return False
        elif keeper != NONE and state.councilor[keeper] != councilor:
            return False
        places = (int(state.stack_boards) >> councilor & 1) + (int(state.discarded_boards) >> councilor & 1)
        places += int(keeper != NONE)
        if state.num_frames > 0 and state.frames[0, Column.DO] == Frame.BOARD:
            places += int(state.frames[0, Column.SEEN] == councilor)
            places += int(state.frames[0, Column.SEEN + 1] == councilor)
        if places > 1 or (piles and places == 0):
            return False
    return True


@kernel
def components_sound(rules: Record, state: Record) -> bool:
    """Tell whether the core and nine others of the level's letters are on the blueprint or built; in setup perhaps
    fewer (3e).
    """
    built = 0
    for component in range(data.NUM_COMPONENTS):
        known = int(state.blueprint[component]) + int(state.is_built[component])
        built += int(state.is_built[component])
        if known > 1 or (component == Component.POWER_CORE and known == 0):
            return False
        if rules.blueprint_known != 0 and known != int(rules.blueprint_list[component]):
            return False
    if state.is_built[Component.POWER_CORE] != 0 and built < data.BLUEPRINT_SIZE:
        return False
    return rules.blueprint_known != 0 or letters_sound(rules, state)


@kernel
def built_sound(state: Record) -> bool:
    """Tell whether the list of what is built has each component once; nothing is before the first round (8.6)."""
    built = 0
    for component in range(data.NUM_COMPONENTS):
        built += int(state.is_built[component])
    if built != int(state.num_built) or (built > 0 and state.phase == Phase.SETUP):
        return False
    for number in range(built):
        component = int(state.built[number])
        if state.is_built[component] == 0:
            return False
        for earlier in range(number):
            if state.built[earlier] == component:
                return False
    return True


@kernel
def letters_sound(rules: Record, state: Record) -> bool:
    """Tell whether there are as many components of every letter as the level says; in setup they are drawn letter by
    letter (3e).
    """
    complete = True
    for letter in range(NUM_LETTERS):
        found = 0
        for component in range(Component.POWER_CORE):
            if rules.letter[component] == letter:
                found += int(state.blueprint[component]) + int(state.is_built[component])
        wanted = int(rules.letters_wanted[letter])
        if found > wanted or (found > 0 and not complete):
            return False
        complete = complete and found == wanted
    return complete or state.phase == Phase.SETUP


# ---------------------------------------------------------------------------------------------------------------- setup


@kernel
def setup_sound(rules: Record, state: Record) -> bool:
    """Tell whether what ``reset`` lays out is there, nothing else has begun, and the step fits what is decided
    already.
    """
    return untouched(rules, state) and seats_dealt(rules, state) and step_sound(rules, state)


@kernel
def untouched(rules: Record, state: Record) -> bool:
    """Tell whether nothing has begun: no water, no effects, nothing built or discarded, nobody's turn."""
    sound = state.wrath == 0 and state.track_energy_taken == 0 and state.num_built == 0 and state.num_bottom == 0
    sound = sound and state.earthquake == 0 and state.closed == 0 and state.build_limit == 0
    sound = sound and state.extra_floods == 0 and state.floods == 0 and state.window_open == 0
    sound = sound and state.held_seat == NONE and state.hologram_artifact == NONE
    sound = sound and state.draws[0] == NONE and state.volunteers == rules.volunteers
    for peninsula in range(data.NUM_PENINSULAS):
        sound = sound and state.flooded[peninsula] == 0 and state.barriers[peninsula] == 0
    for peninsula in range(data.NUM_WILD):
        sound = sound and state.atlas[peninsula] == 0
    for card in range(data.NUM_CARDS):
        sound = sound and state.library_discard[card] == 0
        sound = sound and (card >= data.NUM_BASIC or state.library_deck[card] == rules.library[card])
    for kind in range(data.NUM_MISFORTUNES):
        sound = sound and state.misfortune_deck[kind] == rules.misfortunes[kind]
    return sound


@kernel
def seats_dealt(rules: Record, state: Record) -> bool:
    """Tell whether every seat has its pieces at home, the energy of the level, and nothing else (3g)."""
    players = int(rules.players)
    for seat in range(players):
        sound = state.home[seat, Kind.LEADER] == 1 and state.home[seat, Kind.HOLOGRAM] == 0
        sound = sound and state.home[seat, Kind.FOLLOWER] == rules.followers and state.home[seat, Kind.VOLUNTEER] == 0
        sound = sound and state.home[seat, Kind.AUTOMATON] == int(players == 1)
        sound = sound and state.reserve[seat] == rules.reserve and state.removed[seat] == 0
        sound = sound and state.lifts[seat] == 0 and state.yields[seat] == 0 and state.barred[seat] == 0
        sound = sound and state.used[seat] == 0 and state.artifacts[seat] == 0 and state.scholar_artifact[seat] == NONE
        for good in range(data.NUM_GOODS):
            sound = sound and int(state.goods[seat, good]) == (int(rules.starting_energy) if good == Good.ENERGY else 0)
        if not sound:
            return False
    return True


@kernel
def step_sound(rules: Record, state: Record) -> bool:
    """Tell whether the steps before are done, those after are not, and this one has something left to do (3a - 3h)."""
    if rules.first_player != NONE and state.first != rules.first_player:
        return False
    in_library = 0
    for artifact in range(data.NUM_ARTIFACTS):
        in_library += int(state.library_deck[data.NUM_BASIC + artifact])
    components_due = play.letter_due(rules, state) != NONE
    councilors = 0
    for councilor in range(data.NUM_COUNCILORS):
        councilors += int(state.keeper[councilor] != NONE)
    if state.frames[0, Column.DO] != Frame.SETUP:  # the scholar's draw comes last (3h)
        return (
            in_library == int(rules.artifacts_in_library)
            and not components_due
            and councilors == int(rules.players)
            and state.keeper[Councilor.SCHOLAR] == state.frames[0, Column.SEAT]
        )
    step = int(state.frames[0, Column.STEP])
    if step <= Step.ARTIFACT:
        begun = rules.blueprint_known == 0 and blueprint_begun(state)
        if step == Step.FIRST and (rules.first_player != NONE or state.first != 0 or in_library > 0):
            return False
        return councilors == 0 and not begun and (step == Step.FIRST or in_library < int(rules.artifacts_in_library))
    if step == Step.COMPONENT:
        return councilors == 0 and components_due
    drawn = rules.councilors_listed == 0 and not components_due
    if step == Step.DRAFT:
        return drawn and rules.draft != 0 and play.next_without_councilor(rules, state) != NONE
    drawn = drawn and rules.draft == 0
    if step == Step.ARTIFICER:
        return drawn and rules.force_artificer != 0 and councilors == 0
    if step != Step.COUNCILOR or (rules.force_artificer != 0 and state.keeper[Councilor.ARTIFICER] == NONE):
        return False
    return drawn and play.next_without_councilor(rules, state) != NONE


@kernel
def blueprint_begun(state: Record) -> bool:
    """Tell whether a component besides the core is on the blueprint."""
    for component in range(Component.POWER_CORE):
        if state.blueprint[component] != 0:
            return True
    return False


# -------------------------------------------------------------------------------------------------------- check_frames


Bounds = dict[int, tuple[int, int]]  # column -> lowest, highest

BOTTOM = 0  # in PARENTS: no frame below
LAST_SEAT = 127  # in HIGH: the number of players less one
ACTING = (Phase.DEPLOY, Phase.MISFORTUNE, Phase.ACTIONS)
ACTIONS = (Phase.ACTIONS,)
IN_TURN = (Frame.TURN,)
BY_CARD_TOO = (Frame.TURN, Frame.CARD)
SEAT: Bounds = {Column.SEAT: (0, LAST_SEAT)}
ORDER: Bounds = {Column.ORDER + place: (NONE, LAST_SEAT) for place in range(data.MAX_PLAYERS)}
KIND: Bounds = {**SEAT, Column.KIND: (0, data.NUM_KINDS - 1)}


def _row(first: int, size: int, low: int, high: int) -> Bounds:
    """Return the same bounds for several columns."""
    return dict.fromkeys(range(first, first + size), (low, high))


def _series(most: int) -> Bounds:
    return {**SEAT, Column.LEFT: (1, most), Column.MAY: (0, 1)}


def _place(first: int, stop: int) -> Bounds:
    """Return a seat at one of these locations."""
    return {**SEAT, Column.PLACE_AT: (first, stop - 1)}


# Frame -> parents, phases, nodes, columns.
KINDS_OF_FRAMES: dict[int, tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], Bounds]] = {
    Frame.SETUP: (
        (BOTTOM,), (Phase.SETUP,),
        (Node.C1_FIRST, Node.C2_ARTIFACT, Node.C3_COMPONENT, Node.C4_ARTIFICER, Node.C5_COUNCILOR, Node.DRAFT),
        {Column.STEP: (0, len(STEPS) - 1)},
    ),
    Frame.SCHOLAR: (
        (BOTTOM,), (Phase.SETUP, Phase.START), (Node.C6_SCHOLAR, Node.SCHOLAR),
        {**SEAT, Column.PURPOSE: (0, 1), **_row(Column.SEEN, 2, NONE, data.NUM_ARTIFACTS - 1)},
    ),
    Frame.BOARD: (
        (BOTTOM,), (Phase.START,), (Node.C7_BOARD, Node.BOARD),
        {**SEAT, **_row(Column.SEEN, 2, NONE, data.NUM_COUNCILORS - 1)},
    ),
    Frame.TURN: ((BOTTOM,), ACTING, (), {}),
    Frame.PLACE: (IN_TURN, (Phase.DEPLOY,), (Node.PLACE,), KIND),
    Frame.LIFT: (IN_TURN, (Phase.DEPLOY,), (Node.LIFT,), KIND),
    Frame.RESOLVE: (IN_TURN, ACTIONS, (Node.RESOLVE,), SEAT),
    Frame.SHARE: (
        (Frame.TURN, Frame.CITY, Frame.BUILD), ACTING, (Node.SHARE,),
        {
            Column.PURPOSE: (0, len(PURPOSES) - 1), Column.TARGET: (NONE, data.NUM_PENINSULAS - 1),
            Column.GOOD: (Good.GOLD, Good.ENERGY), Column.REST: (1, data.LAST_CONTRIBUTION),
            **ORDER, **_row(Column.GIVES, data.MAX_PLAYERS, NONE, data.LAST_CONTRIBUTION),
        },
    ),
    Frame.CARD: (
        (BOTTOM, Frame.TURN), ACTING, (Node.REPEAT_AT, Node.REPEAT_SEAT, Node.CHART, Node.FONT, Node.ARCHIVE),
        {**SEAT, Column.CARD: (0, data.NUM_BASIC - 1), Column.TARGET: (NONE, LAST_SEAT)},
    ),
    Frame.WARD: (BY_CARD_TOO, ACTING, (Node.WARD,), _series(data.AEGIS_BARRIERS)),
    Frame.EBB: (BY_CARD_TOO, ACTING, (Node.EBB,), _series(data.TERRAFORMER_DRAINS)),
    Frame.SWAP: (
        BY_CARD_TOO, ACTING, (Node.GIVE, Node.TAKE),
        {**_series(data.CONVERTER_SWAPS), Column.GIVEN: (NONE, data.NUM_RAW - 1)},
    ),
    Frame.LOOK: (
        BY_CARD_TOO, ACTING, (Node.C8B_LOOK, Node.LOOK),
        {
            **SEAT, Column.OPEN: (0, 1), Column.DEPTH: (1, data.ORRERY_DEPTH), Column.REMOVES: (0, data.ORRERY_REMOVES),
        },
    ),
    Frame.MISFORTUNE: (
        (BOTTOM,), (Phase.MISFORTUNE,), (Node.FLOOD, Node.PLAGUE),
        {
            **SEAT, Column.CARD: (0, data.NUM_MISFORTUNES - 1), Column.CHOICES: (0, 2),
            Column.EXCEPT: (NONE, data.NUM_PENINSULAS - 1),
        },
    ),
    Frame.DISPLACE: (
        (Frame.MISFORTUNE,), (Phase.MISFORTUNE,), (Node.REACT,),
        {**_row(Column.TILES, MAX_DISPLACED, NONE, data.NUM_TILES - 1), **ORDER},
    ),
    Frame.WILD: (
        IN_TURN, ACTIONS, (Node.C9_DIE, Node.REROLL, Node.FAIL),
        {
            **_place(0, data.NUM_WILD * data.TILES_PER_PENINSULA), Column.TARGET: (1, LAST_SEAT - 1),
            Column.BONUS: (0, LAST_SEAT - 1), Column.VALUE: (NONE, LAST_SEAT - 1), Column.MAY_REROLL: (0, 1),
            Column.STAGE: (0, WildStage.ROLLER),
        },
    ),
    Frame.CITY: (
        IN_TURN, ACTIONS, (Node.C9_DIE, Node.REROLL, Node.RECRUIT),
        {
            **_place(data.CITIES_START, data.CITIES_STOP), **_row(Column.DIE, 2, 0, data.DICE_FACES),
            Column.MAY_REROLL: (0, 1), Column.STAGE: (0, CityStage.RECRUIT),
        },
    ),
    Frame.LIBRARY: (
        IN_TURN, ACTIONS, (Node.C10_LIBRARY, Node.KEEP, Node.MORE),
        {
            **SEAT, Column.SYMBOL: (0, len(data.SYMBOLS) - 1), Column.TO_DRAW: (0, data.MAX_SEEN),
            Column.ALLOWANCE: (0, 2), Column.STAGE: (0, LibraryStage.MORE),
            **_row(Column.DRAWN, data.MAX_SEEN, NONE, data.NUM_CARDS - 1),
        },
    ),
    Frame.BUILD: (
        IN_TURN, ACTIONS, (Node.BUILD, Node.DISCOUNT),
        {
            **_place(data.GATE, data.SPACE), Column.COMPONENT: (NONE, data.NUM_COMPONENTS - 1),
            **_row(Column.PRICE, data.NUM_PRICE_TYPES, NONE, data.LAST_CONTRIBUTION),
        },
    ),
    Frame.MEMORY: (IN_TURN, ACTIONS, (Node.C10_LIBRARY,), ORDER),
    Frame.MUSTER: (IN_TURN, ACTIONS, (Node.MUSTER,), {**SEAT, Column.LEFT: (1, data.MUSTER_RECRUITS)}),
    Frame.AMPLIFY: (IN_TURN, ACTIONS, (Node.AMPLIFY, Node.GAIN), {**SEAT, Column.TARGET: (NONE, LAST_SEAT)}),
    Frame.PRISM: (IN_TURN, ACTIONS, (Node.GAIN,), SEAT),
    Frame.LATTICE: (IN_TURN, ACTIONS, (Node.GAIN,), ORDER),
    Frame.SACRIFICE: (IN_TURN, ACTIONS, (Node.SACRIFICE,), _place(data.SPACE, data.NUM_LOCATIONS)),
}  # fmt: skip
# Phase -> nodes without a frame.
BASE_NODES: dict[int, tuple[int, ...]] = {
    Phase.DEPLOY: (Node.DEPLOY, Node.CALL),
    Phase.MISFORTUNE: (Node.WINDOW, Node.C8_MISFORTUNE, Node.LATE),
    Phase.ACTIONS: (Node.ACT, Node.CALL, Node.OVERFLOW),
    Phase.WRATH: (Node.FLOOD,),
    Phase.OVER: (Node.OVER,),
}
MOST_CHOICES = {  # of a misfortune (6.6 - 6.9); the others leave none
    **dict.fromkeys(range(data.NUM_PENINSULAS), 2),
    Misfortune.CONTROLLED_FLOODING: 1,
    Misfortune.PLAGUE: 2,
    Misfortune.TIDAL_WAVE: 1,
    Misfortune.STORM_SURGE: 2,
    Misfortune.BROKEN_WARDS: 1,
}
EFFECT_FRAMES: dict[int, int] = {  # basic card -> the frame its effect has above the card's own, 0: none
    Basic.WARDING_RITE: Frame.WARD,
    Basic.EBBING_TIDE: Frame.EBB,
    Basic.TRANSMUTATION: Frame.SWAP,
    Basic.AUGURY: Frame.LOOK,
}
ASKING_CARDS = (  # at their own frame
    Basic.CRYPTOGRAPHIC_EXPERTISE,
    Basic.ENIGMA_OF_FERVOUR,
    Basic.ANCIENT_ATLAS,
    Basic.MYSTIC_FONT,
    Basic.ARCHIVE_RECOVERY,
)


def _bits(numbers: tuple[int, ...]) -> int:
    return sum(1 << number for number in numbers)


def _bounds(side: int) -> np.ndarray:
    table = np.zeros((len(FRAMES), FRAME_WIDTH), np.int16)
    for frame, (_, _, _, columns) in KINDS_OF_FRAMES.items():
        table[frame, Column.DO] = frame
        for column, bounds in columns.items():
            table[frame, column] = bounds[side]
    return table


def _column(part: int) -> np.ndarray:
    table = np.zeros(len(FRAMES), np.int64)
    for frame, kind in KINDS_OF_FRAMES.items():
        table[frame] = _bits(kind[part])  # type: ignore[arg-type]
    return table


def _listed(entries: dict[int, int], size: int) -> np.ndarray:
    table = np.zeros(size, np.int8)
    for number, value in entries.items():
        table[number] = value
    return table


LOW, HIGH = _bounds(0), _bounds(1)
PARENTS, PHASES_OF, NODES_OF = (_column(part) for part in range(3))
NODES_IN = np.array([_bits(BASE_NODES.get(phase, ())) for phase in range(len(PHASES))], np.int64)
CHOICES_OF = _listed(MOST_CHOICES, data.NUM_MISFORTUNES)
EFFECT_OF = _listed(EFFECT_FRAMES, data.NUM_BASIC)
ASKS = _bits(ASKING_CARDS)


# ------------------------------------------------------------------------------------------------------------- payments


@kernel
def no_gap(state: Record, top: int, start: int) -> bool:
    """Tell whether, of seven columns, all hold nothing after the first that holds nothing."""
    for place in range(start + 1, start + data.MAX_PLAYERS):
        if state.frames[top, place] != NONE and state.frames[top, place - 1] == NONE:
            return False
    return True


@kernel
def order_sound(state: Record, top: int) -> bool:
    """Tell whether the order of a frame has no gap and names no seat twice."""
    seen = 0
    for place in range(Column.ORDER, Column.ORDER + data.MAX_PLAYERS):
        seat = int(state.frames[top, place])
        if seat != NONE:
            if seen >> seat & 1:
                return False
            seen |= 1 << seat
    return no_gap(state, top, Column.ORDER)


@kernel
def share_sound(rules: Record, state: Record, top: int) -> bool:
    """Tell whether purpose, type, target and order of a payment belong together, and it can be paid (9.5)."""
    below = int(state.frames[top - 1, Column.DO])
    purpose, good, target = (
        int(state.frames[top, Column.PURPOSE]),
        int(state.frames[top, Column.GOOD]),
        int(state.frames[top, Column.TARGET]),
    )
    if (purpose == Purpose.BUILD) != (below == Frame.BUILD) or (purpose == Purpose.CITIES) != (below == Frame.CITY):
        return False
    if (good != Good.ENERGY and purpose != Purpose.BUILD) or (target == NONE) != (purpose >= Purpose.CITIES):
        return False
    if purpose == Purpose.BARRIER and (
        state.phase == Phase.MISFORTUNE
        or state.barriers[target] != 0
        or state.flooded[target] == data.TILES_PER_PENINSULA
    ):
        return False
    if purpose == Purpose.DRAIN and state.flooded[target] == 0:
        return False
    if (
        not order_sound(state, top)
        or not no_gap(state, top, Column.GIVES)
        or not payers_sound(rules, state, top, purpose)
    ):
        return False
    given = building.num_given(state, top)
    if given >= building.num_payers(state, top):
        return False
    total, givers = int(state.frames[top, Column.REST]), 0
    for place in range(given):
        amount = int(state.frames[top, Column.GIVES + place])
        if amount > building.holding(state, top, place):
            return False
        total += amount
        givers += int(amount > 0)
    if total != cost_of(rules, state, top, purpose) or (
        purpose == Purpose.CITIES and givers > building.MOST_CITY_GIVERS
    ):
        return False
    if purpose == Purpose.BUILD and not types_sound(rules, state, top):
        return False
    for amount in range(data.LAST_CONTRIBUTION + 1):
        if building.may_contribute(rules, state, top, given, amount):
            return True
    return False


@kernel
def cost_of(rules: Record, state: Record, top: int, purpose: int) -> int:
    """Return what is to be paid in all, of this type (7.7, 8.5, 9.1, 9.3)."""
    if purpose == Purpose.BARRIER:
        return building.barrier_cost(rules, state, int(state.turn))
    if purpose == Purpose.DRAIN:
        return int(rules.drain_cost)
    if purpose == Purpose.CITIES:
        return locations.city_gap(rules, state, top - 1)
    return int(state.frames[top - 1, Column.PRICE + int(state.frames[top, Column.GOOD]) - Good.GOLD])


@kernel
def payers_sound(rules: Record, state: Record, top: int, purpose: int) -> bool:
    """Tell whether all pay, clockwise from the opener; in the cities some may have left the order (9.4, 9.5)."""
    players, opener = int(rules.players), int(state.turn)
    at = int(state.frames[top - 1, Column.PLACE_AT])
    found = 0
    for step in range(players):
        seat = (opener + step) % players
        due = True
        if purpose == Purpose.BUILD:
            due = building.takes_part(state, at, seat)
        elif purpose == Purpose.CITIES:
            due = locations.is_owner_here(state, at, seat)
        if found < data.MAX_PLAYERS and int(state.frames[top, Column.ORDER + found]) == seat:
            if not due:
                return False
            found += 1
        elif due and purpose != Purpose.CITIES:
            return False
    return found > 0 and found == building.num_payers(state, top)


@kernel
def types_sound(rules: Record, state: Record, top: int) -> bool:
    """Tell whether types before this one are agreed in full, it and those after it not at all, and they can be paid
    (8.5).
    """
    build, current = top - 1, int(state.frames[top, Column.GOOD]) - Good.GOLD
    for kind in range(data.NUM_PRICE_TYPES):
        agreed = held = 0
        for seat in range(int(rules.players)):
            amount = int(state.paid[seat, kind])
            if amount > int(state.goods[seat, Good.GOLD + kind]):
                return False
            if building.takes_part(state, int(state.frames[build, Column.PLACE_AT]), seat):
                held += int(state.goods[seat, Good.GOLD + kind])
            elif amount > 0:
                return False
            agreed += amount
        price = int(state.frames[build, Column.PRICE + kind])
        if agreed != (price if kind < current else 0) or (kind > current and held < price):
            return False
    return True


@kernel
def build_sound(rules: Record, state: Record, top: int, is_top: bool) -> bool:
    """Tell whether the opener can resolve the gate, and a component has its price, less the discount once it is named
    (8.2 - 8.5).
    """
    gate, component = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.COMPONENT])
    seat = int(state.frames[top, Column.SEAT])
    if gate - data.GATE >= int(rules.gates) or not building.takes_part(state, gate, seat):
        return False
    if is_top:
        for payer in range(int(rules.players)):
            for kind in range(data.NUM_PRICE_TYPES):
                if state.paid[payer, kind] != 0:
                    return False
    if component == NONE:
        for kind in range(data.NUM_PRICE_TYPES):
            if state.frames[top, Column.PRICE + kind] != NONE:
                return False
        return is_top and building.gate_resolvable(rules, state, gate, seat)
    if state.blueprint[component] == 0 or (state.barred[seat] != 0 and building.participants(state, gate) > 1):
        return False
    if component == Component.POWER_CORE and not leaders_here(rules, state, gate):
        return False
    discounts = 0
    for kind in range(data.NUM_PRICE_TYPES):
        less = int(rules.price[component, kind]) - int(state.frames[top, Column.PRICE + kind])
        if less < 0 or less > 1 or state.frames[top, Column.PRICE + kind] < 0:
            return False
        discounts += less
    artificer = state.special_at[Councilor.ARTIFICER] == gate
    if not is_top:
        return discounts == int(artificer)
    if discounts > 0 or not artificer:
        return False
    for kind in range(data.NUM_PRICE_TYPES):
        if building.buildable(rules, state, gate, component, kind):
            return True
    return False


@kernel
def leaders_here(rules: Record, state: Record, gate: int) -> bool:
    """Tell whether the other nine are built and every seat's leader stands on the gate (8.4)."""
    if state.num_built < data.BLUEPRINT_SIZE - 1:
        return False
    for seat in range(int(rules.players)):
        if int(state.pieces[gate, seat]) & building.LEADER_BITS == 0:
            return False
    return True


# --------------------------------------------------------------------------------------------------------------- frames


@kernel
def rows_sound(rules: Record, state: Record) -> bool:
    """Tell whether every column of the stack is in its bounds; what no frame uses is zero, agreed amounts apart from a
    build too.
    """
    building = False
    for top in range(FRAME_DEPTH):
        do = int(state.frames[top, Column.DO])
        if do < 0 or do >= len(PARENTS) or (do == 0) != (top >= int(state.num_frames)):
            return False
        building = building or do == Frame.BUILD
        for column in range(FRAME_WIDTH):
            value, high = int(state.frames[top, column]), int(HIGH[do, column])
            if high == LAST_SEAT:
                high = int(rules.players) - 1
            if value < int(LOW[do, column]) or value > high:
                return False
    for seat in range(data.MAX_PLAYERS):
        for kind in range(len(state.paid[0])):
            if state.paid[seat, kind] != 0 and not building:
                return False
    return True


@kernel
def nodes_of(state: Record) -> int:
    """Return the nodes at which the machine can wait with this stack in this phase, as bits."""
    top = int(state.num_frames) - 1
    return int(NODES_IN[int(state.phase)]) if top < 0 else int(NODES_OF[int(state.frames[top, Column.DO])])


@kernel
def frames_sound(rules: Record, state: Record) -> bool:
    """Tell whether every frame lies where it can lie and holds what it can hold."""
    phase = int(state.phase)
    for top in range(int(state.num_frames)):
        do = int(state.frames[top, Column.DO])
        below = BOTTOM if top == 0 else int(state.frames[top - 1, Column.DO])
        if int(PARENTS[do]) >> below & 1 == 0 or int(PHASES_OF[do]) >> phase & 1 == 0:
            return False
        if top == 0 and not bottom_sound(state, do, phase):
            return False
        if not seat_sound(state, top, do) or not frame_sound(rules, state, top, do):
            return False
    return True


@kernel
def bottom_sound(state: Record, do: int, phase: int) -> bool:
    """Tell whether the lowest frame can be there: a card alone at D36, a turn of phase 2 in a window, a misfortune in
    none (6.2, 20).
    """
    if do == Frame.CARD:
        return phase == Phase.ACTIONS
    if do == Frame.MISFORTUNE:
        return state.window_open == 0
    if do != Frame.TURN:
        return True
    return state.num_frames > 1 and state.passes == 0 and (phase != Phase.MISFORTUNE or state.window_open != 0)


@kernel
def seat_sound(state: Record, top: int, do: int) -> bool:
    """Tell whether the seat is right: in a turn the one whose turn it is, on a card its player, at a start the
    first.
    """
    seat = int(state.frames[top, Column.SEAT])
    if do == Frame.BOARD:
        return seat == int(state.first)
    if do == Frame.TURN or do == Frame.SHARE or do == Frame.MEMORY or do == Frame.LATTICE or top == 0:
        return True
    if do == Frame.DISPLACE:
        return True
    return (
        seat == int(state.turn)
        if state.frames[0, Column.DO] == Frame.TURN
        else seat == int(state.frames[0, Column.SEAT])
    )


@kernel
def frame_sound(rules: Record, state: Record, top: int, do: int) -> bool:
    """Tell whether one frame holds what it can hold in this position."""
    seat = int(state.frames[top, Column.SEAT])
    is_top = top == int(state.num_frames) - 1
    if do == Frame.SETUP or do == Frame.TURN or do == Frame.PRISM:
        return True
    if do == Frame.SCHOLAR:
        return scholar_sound(rules, state, top, seat)
    if do == Frame.BOARD:
        seen, also = int(state.frames[top, Column.SEEN]), int(state.frames[top, Column.SEEN + 1])
        return int(rules.players) <= 2 and state.hologram == NONE and (seen != NONE or also == NONE)
    if do == Frame.PLACE or do == Frame.LIFT:
        return move_sound(rules, state, seat, int(state.frames[top, Column.KIND]), do)
    if do == Frame.RESOLVE:
        return locations.some_resolvable(rules, state, seat)
    if do == Frame.SHARE:
        return share_sound(rules, state, top)
    if do == Frame.BUILD:
        return build_sound(rules, state, top, is_top)
    if do == Frame.CARD:
        return card_sound(rules, state, top, is_top)
    if do == Frame.WARD or do == Frame.EBB or do == Frame.SWAP:
        return series_sound(state, top, do, seat)
    if do == Frame.LOOK:
        return look_sound(state, top)
    if do == Frame.MISFORTUNE:
        return misfortune_sound(state, top, is_top)
    if do == Frame.DISPLACE:
        return displacement_sound(rules, state, top)
    if do == Frame.WILD:
        return wild_sound(rules, state, top, seat)
    if do == Frame.CITY:
        return city_sound(state, top, seat, is_top)
    if do == Frame.LIBRARY:
        return drawing_sound(rules, state, top, seat)
    return gain_sound(rules, state, top, do)


@kernel
def gain_sound(rules: Record, state: Record, top: int, do: int) -> bool:
    """Check memory crystal, muster array, amplification chamber, chronal lattice, soul terraformer (2.4, 7.11)."""
    if do == Frame.MEMORY:
        return order_sound(state, top) and state.frames[top, Column.ORDER] != NONE and board.library_left(state)
    if do == Frame.LATTICE:  # the opener and another owner, or the opener twice
        return (
            state.frames[top, Column.ORDER] != NONE
            and state.frames[top, Column.ORDER + 2] == NONE
            and no_gap(state, top, Column.ORDER)
        )
    found = 0
    for seat in range(int(rules.players)):
        if do == Frame.MUSTER:
            found += int(state.reserve[seat] > 0)
        elif do == Frame.AMPLIFY:
            target = int(state.frames[top, Column.TARGET])
            found += int((target == NONE or target == seat) and cards.has_raw(state, seat))
        else:
            found += int(int(state.pieces[int(state.frames[top, Column.PLACE_AT]), seat]) & FOLLOWER_MASK != 0)
    if (
        do == Frame.SACRIFICE
        and rules.component_at[int(state.frames[top, Column.PLACE_AT])] != Component.SOUL_TERRAFORMER
    ):
        return False
    return found > 0


@kernel
def scholar_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """Tell whether two different unused artifacts with the symbol are drawn, for the scholar's seat or the hologram
    (11.7).
    """
    free = int(state.unused_artifacts) & int(rules.scholar_symbols)
    seen, also = int(state.frames[top, Column.SEEN]), int(state.frames[top, Column.SEEN + 1])
    if (seen == NONE and also != NONE) or (seen != NONE and (seen == also or free >> seen & 1 == 0)):
        return False
    if also != NONE and free >> also & 1 == 0:
        return False
    if state.phase == Phase.SETUP:
        return state.frames[top, Column.PURPOSE] == 0 and state.councilor[seat] == Councilor.SCHOLAR
    if state.frames[top, Column.PURPOSE] == 0 or state.hologram != Councilor.SCHOLAR or state.hologram_artifact != NONE:
        return False
    return seat == int(state.first)


@kernel
def move_sound(rules: Record, state: Record, seat: int, kind: int, do: int) -> bool:
    """Tell whether there is such a piece and a location for it (D5, D6)."""
    if (do == Frame.PLACE and state.home[seat, kind] == 0) or (do == Frame.LIFT and state.lifts[seat] == 0):
        return False
    for location in range(data.NUM_LOCATIONS):
        if do == Frame.PLACE:
            if board.may_place(rules, state, seat, kind, location):
                return True
        elif board.may_lift(state, seat, kind, location):
            return True
    return False


@kernel
def card_sound(rules: Record, state: Record, top: int, is_top: bool) -> bool:
    """Tell whether the card may be played now, and asks something itself or has its effect above it (12.1 - 12.4)."""
    card, target = int(state.frames[top, Column.CARD]), int(state.frames[top, Column.TARGET])
    phase = int(state.phase)
    window = 1 if phase == Phase.DEPLOY else 2 if phase == Phase.MISFORTUNE else 4
    if int(data.WINDOWS[card]) & window == 0 or (target != NONE and card != Basic.ENIGMA_OF_FERVOUR):
        return False
    if not is_top:
        return int(state.frames[top + 1, Column.DO]) == int(EFFECT_OF[card])
    if ASKS >> card & 1 == 0:
        return False
    if card == Basic.CRYPTOGRAPHIC_EXPERTISE:
        return cards.has_done_chief(state, int(state.frames[top, Column.SEAT]))
    if card != Basic.ENIGMA_OF_FERVOUR:
        return True
    for seat in range(int(rules.players)):
        if (target == NONE or target == seat) and cards.has_done_chief(state, seat):
            return True
    return False


@kernel
def series_sound(state: Record, top: int, do: int, seat: int) -> bool:
    """Check D22, D23, D28, D29: as often as card or component allows; a further choice may be declined (2.4, 7.8)."""
    by_card = state.frames[top - 1, Column.DO] == Frame.CARD
    left, may = int(state.frames[top, Column.LEFT]), int(state.frames[top, Column.MAY])
    if not by_card and state.phase != Phase.ACTIONS:
        return False
    if do == Frame.SWAP:
        given = int(state.frames[top, Column.GIVEN])
        if given == NONE and not cards.has_raw(state, seat):
            return False
        if given != NONE and state.goods[seat, given] == 0:
            return False
        return not by_card or left <= data.TRANSMUTATION_SWAPS
    if by_card and (left > 1 or may != 0):
        return False
    return board.any_ward(state) if do == Frame.WARD else board.any_flooded(state)


@kernel
def look_sound(state: Record, top: int) -> bool:
    """Check C8b, D30: cards are still turned up, or some of those looked at may be removed (12.6, 12.7)."""
    depth, removes = int(state.frames[top, Column.DEPTH]), int(state.frames[top, Column.REMOVES])
    if state.frames[top - 1, Column.DO] == Frame.CARD:
        if depth > data.AUGURY_DEPTH or removes > data.AUGURY_REMOVES:
            return False
    elif state.phase == Phase.MISFORTUNE or (state.phase == Phase.DEPLOY and (depth > 1 or removes > 0)):
        return False
    known = cards.known_on_top(state)
    if state.frames[top, Column.OPEN] != 0:
        unknown = 0
        for kind in range(len(state.misfortune_deck)):
            unknown += int(state.misfortune_deck[kind])
        return known < depth and unknown > 0
    return removes > 0 and depth <= known


@kernel
def misfortune_sound(state: Record, top: int, is_top: bool) -> bool:
    """Check D8, D10: no more choices than the card leaves, and one if nothing else is going on (6.6 - 6.9)."""
    card, left = int(state.frames[top, Column.CARD]), int(state.frames[top, Column.CHOICES])
    if left > int(CHOICES_OF[card]) or (is_top and left == 0):
        return False
    return state.frames[top, Column.EXCEPT] == NONE or (card == Misfortune.STORM_SURGE and left < 2)


@kernel
def displacement_sound(rules: Record, state: Record, top: int) -> bool:
    """Check D9: tiles of one peninsula with pieces, under water or a diver's; who is still to be asked has the card."""
    first = int(state.frames[top, Column.TILES])
    if first == NONE or state.frames[top, Column.ORDER] == NONE or not order_sound(state, top):
        return False
    peninsula = first // data.TILES_PER_PENINSULA
    seen = 0
    for number in range(Column.TILES, Column.TILES + MAX_DISPLACED):
        tile = int(state.frames[top, number])
        if tile == NONE:
            if number + 1 < Column.TILES + MAX_DISPLACED and state.frames[top, number + 1] != NONE:
                return False
            continue
        if tile // data.TILES_PER_PENINSULA != peninsula or seen >> tile & 1 or state.crowd[tile] == 0:
            return False
        dry = tile % data.TILES_PER_PENINSULA >= int(state.flooded[peninsula])
        if dry and (rules.divers_on_flooded != 0 or not board.opened_by_diver(state, tile)):
            return False
        seen |= 1 << tile
    for place in range(Column.ORDER, Column.ORDER + data.MAX_PLAYERS):
        seat = int(state.frames[top, place])
        if seat != NONE and state.hand[seat, Basic.SWIFT_EVACUATION] == 0:
            return False
    return True


@kernel
def wild_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """Check C9, D14, D15: the target and the bonus of this round; a value that one die can have given (7.6)."""
    at, value = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.VALUE])
    bonus, stage = int(state.frames[top, Column.BONUS]), int(state.frames[top, Column.STAGE])
    if int(state.frames[top, Column.TARGET]) != locations.wild_target(rules, state, at):
        return False
    if bonus != locations.wild_bonus(rules, state, seat, at):
        return False
    if (value != NONE) != (stage != WildStage.ROLL):
        return False
    if value != NONE and (value <= bonus or value > bonus + data.DICE_FACES):
        return False
    priest = state.frames[top, Column.MAY_REROLL] != 0
    return (priest or stage != WildStage.PRIEST) and (not priest or state.special_at[Councilor.PRIEST] == at)


@kernel
def city_sound(state: Record, top: int, seat: int, is_top: bool) -> bool:
    """Check C9, D14, D17, and D16 in the frame above (7.7)."""
    at, stage = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.STAGE])
    missing = state.frames[top, Column.DIE] == 0 or state.frames[top, Column.DIE + 1] == 0
    if (
        missing != (stage == CityStage.ROLL)
        or (stage == CityStage.SHARE) == is_top
        or not locations.is_owner_here(state, at, seat)
    ):
        return False
    priest = state.frames[top, Column.MAY_REROLL] != 0
    return (priest or stage != CityStage.PRIEST) and (not priest or state.special_at[Councilor.PRIEST] == at)


@kernel
def drawing_sound(rules: Record, state: Record, top: int, seat: int) -> bool:
    """Check C10, D18, D19: not more cards than an action draws, and something to draw, to choose or to buy (7.9)."""
    stage, left = int(state.frames[top, Column.STAGE]), cards.num_drawn(state, top)
    to_draw, allowance = int(state.frames[top, Column.TO_DRAW]), int(state.frames[top, Column.ALLOWANCE])
    for place in range(Column.DRAWN + left, Column.DRAWN + data.MAX_SEEN):
        if state.frames[top, place] != NONE:
            return False
    most = 2 if state.frames[top, Column.SYMBOL] == Symbol.KEEP_BOTH else 1
    if allowance > most or to_draw + left > data.MAX_SEEN:
        return False
    if stage == LibraryStage.DRAW:
        return to_draw > 0 and allowance == most and board.library_left(state)
    if to_draw > 0:
        return False
    if stage == LibraryStage.KEEP:
        return allowance > 0 and left > allowance
    return allowance == 0 and left > 0
