"""What can be seen to be broken from the position alone (sections 20 and 23), as bits; 0 = sound.

From a sound position every sequence of legal play stays sound. So cards, boards and components add up to what the game
has, every counter has a bound that play keeps, and a frame lies only where play can have put it. Of pieces, which no
loop and no draw depends on, a study may leave some out.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import check_frames, data
from atlantis_envs.games.atlantis_rising.data import Basic, Component, Councilor, Good, Kind
from atlantis_envs.games.atlantis_rising.rules import board, floods, play
from atlantis_envs.games.atlantis_rising.state import (
    COUNT_MASK,
    DONE_SHIFT,
    FRAME_DEPTH,
    MAX_BOTTOM,
    MAX_DRAWS,
    NONE,
    READY_SHIFT,
    Column,
    Frame,
    Node,
    Phase,
    Result,
    Step,
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
    if not check_frames.rows_sound(rules, state):
        return BAD_PENDING
    flags = 0
    if not phase_sound(rules, state):
        flags |= BAD_PHASE
    for peninsula in range(data.NUM_PENINSULAS):
        if state.barriers[peninsula] != 0 and state.flooded[peninsula] == data.TILES_PER_PENINSULA:
            flags |= BAD_WATER
    if not pieces_sound(rules, state):
        flags |= BAD_PIECES
    if not hologram_sound(rules, state):
        flags |= BAD_HOLOGRAM
    if not volunteers_sound(rules, state):
        flags |= BAD_VOLUNTEERS
    if not hands_sound(rules, state):
        flags |= BAD_CARDS
    if not library_sound(rules, state):
        flags |= BAD_LIBRARY
    if not artifacts_sound(rules, state):
        flags |= BAD_ARTIFACTS
    if not misfortunes_sound(rules, state):
        flags |= BAD_MISFORTUNES
    if not boards_sound(rules, state):
        flags |= BAD_BOARDS
    if not components_sound(rules, state):
        flags |= BAD_COMPONENTS
    if not built_sound(state):
        flags |= BAD_BUILT
    if not draws_sound(rules, state):
        flags |= BAD_DRAWS
    if state.phase == Phase.SETUP and not setup_sound(rules, state):
        flags |= BAD_SETUP
    if flags == 0 and not check_frames.frames_sound(rules, state):
        flags |= BAD_PENDING
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
    if state.result == Result.SUNK and not floods.sunk(state):
        return False
    if not held_sound(state):
        return False
    if phase == Phase.SETUP:
        return state.round_number == 0 and state.num_frames == 1 and state.turn == state.first and state.passes == 0
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
    if check_frames.nodes_of(state) >> node & 1 == 0:
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
        if location < 0 or location >= data.NUM_LOCATIONS or keeper == NONE:
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
        elif keeper != NONE and (keeper < 0 or keeper >= players or state.councilor[keeper] != councilor):
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
