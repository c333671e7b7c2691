"""What can be seen to be broken from the position alone (sections 20 and 23), as bits; 0 = sound.

From a sound position every sequence of legal play stays sound. So cards, boards and components add up to what the game
has, every counter has a bound that play keeps, and a frame lies only where play can have put it. Of pieces, which no
loop and no draw depends on, a study may leave some out.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.data import (
    BLUEPRINT_SIZE,
    CLOSABLE,
    MAX_PLAYERS,
    MAX_TOP,
    MOST_ATLASES,
    MOST_EFFECTS,
    MOST_GOODS,
    NUM_ARTIFACTS,
    NUM_BASIC,
    NUM_CARDS,
    NUM_COMPONENTS,
    NUM_COUNCILORS,
    NUM_GOODS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_MISFORTUNES,
    NUM_PENINSULAS,
    NUM_PRICE_TYPES,
    NUM_WILD,
    TILES_PER_PENINSULA,
    USES,
    Component,
    Councilor,
    Kind,
)
from atlantis_envs.games.atlantis_rising.document.check_cards import (
    artifacts_sound,
    boards_sound,
    built_sound,
    components_sound,
    hands_sound,
    library_sound,
    misfortunes_sound,
)
from atlantis_envs.games.atlantis_rising.document.check_frames import frames_sound, nodes_of, rows_sound
from atlantis_envs.games.atlantis_rising.document.check_pieces import hologram_sound, pieces_sound, volunteers_sound
from atlantis_envs.games.atlantis_rising.document.check_setup import setup_sound
from atlantis_envs.games.atlantis_rising.mechanics.board import is_special
from atlantis_envs.games.atlantis_rising.mechanics.floods import sunk
from atlantis_envs.games.atlantis_rising.mechanics.rounds import most_passes
from atlantis_envs.games.atlantis_rising.state import (
    FRAME_DEPTH,
    MAX_BOTTOM,
    MAX_DRAWS,
    NONE,
    Column,
    Frame,
    Node,
    Phase,
    Result,
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
    """Bits of FLAGS; fields out of range are reported alone, since nothing else can be judged then."""
    flags = check_position(rules, state)
    if flags == 0 and not node_sound(state):
        return BAD_NODE
    return flags


@kernel
def check_position(rules: Record, state: Record) -> int:
    """Bits of FLAGS for a position whose node is not yet known."""
    if not scalars_sound(rules, state) or not seats_in_range(rules, state) or not lists_in_range(rules, state):
        return BAD_RANGE
    if not rows_sound(rules, state):
        return BAD_PENDING
    flags = 0
    if not phase_sound(rules, state):
        flags |= BAD_PHASE
    for peninsula in range(NUM_PENINSULAS):
        if state.barriers[peninsula] != 0 and state.flooded[peninsula] == TILES_PER_PENINSULA:
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
    if flags == 0 and not frames_sound(rules, state):
        flags |= BAD_PENDING
    return flags


@kernel
def between(value: int, low: int, high: int) -> bool:
    """Whether a value is ``low`` to ``high``, both included."""
    return low <= value and value <= high


@kernel
def scalars_sound(rules: Record, state: Record) -> bool:
    """Whether every field that is one number is in its range."""
    players = int(rules.players)
    last = players - 1
    sound = between(int(state.node), 0, Node.OVER) and between(int(state.actor), NONE, last)
    sound = sound and between(int(state.phase), 0, Phase.OVER) and between(int(state.result), 0, Result.TRUNCATED)
    sound = sound and between(int(state.first), 0, last) and between(int(state.turn), 0, last)
    sound = sound and between(int(state.passes), 0, most_passes(rules))
    sound = sound and between(int(state.wrath), 0, int(rules.wrath_last))
    sound = sound and between(int(state.track_energy_taken), 0, int(rules.wrath_last) + 1)
    sound = sound and between(int(state.volunteers), 0, int(rules.volunteers))
    sound = sound and between(int(state.num_frames), 0, FRAME_DEPTH)
    sound = sound and between(int(state.num_bottom), 0, MAX_BOTTOM)
    sound = sound and between(int(state.num_built), 0, BLUEPRINT_SIZE)
    sound = sound and between(int(state.built_this_round), 0, int(state.num_built))
    sound = sound and between(int(state.hologram), NONE, NUM_COUNCILORS - 1)
    sound = sound and between(int(state.hologram_artifact), NONE, NUM_ARTIFACTS - 1)
    sound = sound and between(int(state.held_seat), NONE, last) and between(int(state.held_kind), NONE, Kind.HOLOGRAM)
    sound = sound and between(int(state.held_companion), NONE, Kind.AUTOMATON)
    sound = sound and between(int(state.unused_artifacts), 0, (1 << NUM_ARTIFACTS) - 1)
    sound = sound and between(int(state.stack_boards), 0, (1 << NUM_COUNCILORS) - 1)
    sound = sound and between(int(state.discarded_boards), 0, (1 << NUM_COUNCILORS) - 1)
    sound = sound and between(int(state.closed), 0, (1 << len(CLOSABLE)) - 1)
    sound = sound and between(int(state.call), 0, int(rules.casting_vote))
    sound = sound and between(int(state.build_limit), 0, 1) and between(int(state.window_open), 0, 1)
    sound = sound and between(int(state.earthquake), 0, MOST_EFFECTS)
    sound = sound and between(int(state.extra_floods), 0, MOST_EFFECTS)
    return sound and state.floods >= 0


@kernel
def seats_in_range(rules: Record, state: Record) -> bool:
    """What is kept for every seat, each in its range; seats that are not in the game have nothing."""
    players = int(rules.players)
    for seat in range(MAX_PLAYERS):
        here = int(seat < players)
        sound = between(int(state.councilor[seat]), NONE, NUM_COUNCILORS * here - 1)
        sound = sound and between(int(state.scholar_artifact[seat]), NONE, NUM_ARTIFACTS * here - 1)
        sound = sound and between(int(state.artifacts[seat]), 0, here * ((1 << NUM_ARTIFACTS) - 1))
        sound = sound and between(int(state.lifts[seat]), 0, here * int(rules.lift_budget))
        sound = sound and between(int(state.yields[seat]), 0, here * int(rules.yield_budget))
        sound = sound and between(int(state.declines[seat]), 0, here * int(rules.decline_budget))
        sound = sound and between(int(state.reserve[seat]), 0, here * int(rules.reserve))
        sound = sound and between(int(state.removed[seat]), 0, here * (int(rules.followers) + int(rules.reserve)))
        sound = sound and between(int(state.spent[seat]), 0, here * int(rules.volunteers))
        sound = sound and between(int(state.barred[seat]), 0, here)
        sound = sound and between(int(state.used[seat]), 0, here * ((1 << len(USES)) - 1))
        if not sound:
            return False
        for good in range(NUM_GOODS):
            if not between(int(state.goods[seat, good]), 0, here * MOST_GOODS):
                return False
        for kind in range(NUM_KINDS):
            most = int(rules.volunteers) + int(rules.followers) + int(rules.reserve) + 1
            if not between(int(state.home[seat, kind]), 0, here * most):
                return False
        for kind in range(NUM_PRICE_TYPES):
            if not between(int(state.paid[seat, kind]), 0, here * MOST_GOODS):
                return False
        for card in range(NUM_BASIC):
            if not between(int(state.hand[seat, card]), 0, here * int(rules.library[card])):
                return False
        if here == 0 and state.where[seat] != 0:
            return False
        for location in range(NUM_LOCATIONS):
            if here == 0 and state.pieces[location, seat] != 0:
                return False
    return True


@kernel
def lists_in_range(rules: Record, state: Record) -> bool:
    """Decks, heaps and lists, each entry in its range and none beyond the end."""
    for peninsula in range(NUM_PENINSULAS):
        if not between(int(state.flooded[peninsula]), 0, TILES_PER_PENINSULA):
            return False
        if not between(int(state.barriers[peninsula]), 0, 1):
            return False
    for peninsula in range(NUM_WILD):
        if not between(int(state.atlas[peninsula]), 0, MOST_ATLASES):
            return False
    for component in range(NUM_COMPONENTS):
        if not between(int(state.blueprint[component]), 0, 1) or not between(int(state.is_built[component]), 0, 1):
            return False
    for number in range(BLUEPRINT_SIZE):
        known = number < int(state.num_built)
        if not between(int(state.built[number]), 0 if known else NONE, NUM_COMPONENTS - 1 if known else NONE):
            return False
    for card in range(NUM_CARDS):
        most = int(rules.library[card]) if card < NUM_BASIC else 1
        if not between(int(state.library_deck[card]), 0, most) or not between(
            int(state.library_discard[card]), 0, most
        ):
            return False
    for number in range(MAX_BOTTOM):
        known = number < int(state.num_bottom)
        if not between(int(state.library_bottom[number]), 0 if known else NONE, NUM_CARDS - 1 if known else NONE):
            return False
    for kind in range(NUM_MISFORTUNES):
        most = int(rules.misfortunes[kind])
        if not between(int(state.misfortune_deck[kind]), 0, most):
            return False
        if not between(int(state.misfortune_discard[kind]), 0, most):
            return False
    for number in range(MAX_TOP):
        open_end = number > 0 and state.misfortune_top[number - 1] == NONE
        if not between(int(state.misfortune_top[number]), NONE, NONE if open_end else NUM_MISFORTUNES - 1):
            return False
    for number in range(MAX_DRAWS):
        open_end = number > 0 and state.draws[number - 1] == NONE
        if not between(int(state.draws[number]), NONE, NONE if open_end else int(rules.players) - 1):
            return False
    return True


@kernel
def phase_sound(rules: Record, state: Record) -> bool:
    """What belongs to one phase only; the pointer at the first player outside turns (20)."""
    phase = int(state.phase)
    if (phase == Phase.OVER) != (state.result != 0) or (phase == Phase.OVER and state.num_frames > 0):
        return False
    if (state.result == Result.CORE) != (state.is_built[Component.POWER_CORE] != 0):
        return False
    if state.result == Result.SUNK and not sunk(state):
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
    """Whether the held piece is an astrologer piece at home, with another piece there or none (5.9)."""
    seat, kind, companion = int(state.held_seat), int(state.held_kind), int(state.held_companion)
    if seat == NONE or kind == NONE:
        return seat == kind and companion == NONE
    if not is_special(state, seat, kind, Councilor.ASTROLOGER) or state.home[seat, kind] == 0:
        return False
    return companion == NONE or (companion != kind and state.home[seat, companion] > 0)


@kernel
def draws_sound(rules: Record, state: Record) -> bool:
    """The last seats of the round's order, before them the seat of a maelstrom as often as it still has to draw."""
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
    """The seat at a place of the round's order (2.2)."""
    return (int(state.first) + int(rules.draw_order[place])) % int(rules.players)


@kernel
def node_sound(state: Record) -> bool:
    """The node is one of those the top frame or the phase can lead to, and somebody decides just where one has to."""
    node = int(state.node)
    if nodes_of(state) >> node & 1 == 0:
        return False
    if (node == Node.CALL and state.call == 0) or ((node == Node.DEPLOY or node == Node.ACT) and state.call != 0):
        return False
    return (state.actor == NONE) == (node >= Node.C1_FIRST)
