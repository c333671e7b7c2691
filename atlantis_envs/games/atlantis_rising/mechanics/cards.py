"""Library cards: when they can be played and what they do (7.9, 7.12, 12)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import (
    AID_VOLUNTEERS,
    AUGURY_DEPTH,
    AUGURY_REMOVES,
    BY_HOLOGRAM,
    FONT_ENERGY,
    MAX_PLAYERS,
    MAX_SEEN,
    MOST_ATLASES,
    NUM_ARTIFACTS,
    NUM_BASIC,
    NUM_LOCATIONS,
    SATCHEL_LIMIT,
    TRANSMUTATION_SWAPS,
    WINDOWS,
    Artifact,
    Basic,
    Councilor,
    Good,
    Kind,
    Symbol,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import (
    any_flooded,
    any_ward,
    gain,
    has_in_play,
    library_left,
    misfortunes_left,
    reshuffle_library,
    take_volunteers,
)
from atlantis_envs.games.atlantis_rising.mechanics.building import push_series
from atlantis_envs.games.atlantis_rising.mechanics.floods import leave_hand
from atlantis_envs.games.atlantis_rising.mechanics.small_choices import begin_swaps, has_raw
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, pop, push, wait
from atlantis_envs.games.atlantis_rising.state import (
    CHIEF_DONE_MASK,
    DONE_MASK,
    DONE_SHIFT,
    NONE,
    READY_BITS,
    Column,
    Frame,
    LibraryStage,
    Node,
)
from atlantis_envs.kernels.kernel import kernel


@kernel
def has_done_chief(state: Record, seat: int) -> bool:
    """Whether a leader or hologram of the seat is done somewhere (12.2)."""
    for location in range(NUM_LOCATIONS):
        if int(state.pieces[location, seat]) & CHIEF_DONE_MASK:
            return True
    return False


@kernel
def playable(rules: Record, state: Record, seat: int, card: int) -> bool:
    """Whether the card's effect has something to work on (12.2 - 12.4)."""
    if card == Basic.CRYPTOGRAPHIC_EXPERTISE:
        return has_done_chief(state, seat)
    if card == Basic.ENIGMA_OF_FERVOUR:
        for other in range(int(rules.players)):
            if has_done_chief(state, other):
                return True
        return False
    if card == Basic.TRANSMUTATION:
        return has_raw(state, seat)
    if card == Basic.CALL_FOR_AID:
        return state.volunteers > 0
    if card == Basic.WARDING_RITE:
        return any_ward(state)
    if card == Basic.EBBING_TIDE:
        return any_flooded(state)
    if card == Basic.AUGURY:
        return misfortunes_left(state)
    if card == Basic.ARCHIVE_RECOVERY:
        for other in range(len(state.library_discard)):
            if state.library_discard[other] > 0:
                return True
        return False
    return True


@kernel
def mark_cards(rules: Record, state: Record, seat: int, window: int, mask: Row) -> None:
    """Mark the cards that a seat may play in a window (12.1)."""
    for card in range(NUM_BASIC):
        if state.hand[seat, card] > 0 and WINDOWS[card] & window:
            mask[Act.PLAY + card] = playable(rules, state, seat, card)


@kernel
def play_card(rules: Record, state: Record, seat: int, card: int) -> None:
    """Take the card from the hand and begin its effect (12.1)."""
    leave_hand(state, seat, card)
    top = push(state, Frame.CARD, seat)
    state.frames[top, Column.CARD] = card
    state.frames[top, Column.TARGET] = NONE
    if card == Basic.TRANSMUTATION:
        begin_swaps(state, seat, TRANSMUTATION_SWAPS)
    elif card == Basic.CALL_FOR_AID:
        take_volunteers(state, seat, AID_VOLUNTEERS)
        discard_played(state, top)
    elif card == Basic.WARDING_RITE:
        push_series(state, Frame.WARD, seat, 1, False)
    elif card == Basic.EBBING_TIDE:
        push_series(state, Frame.EBB, seat, 1, False)
    elif card == Basic.AUGURY:
        begin_look(state, seat, AUGURY_DEPTH, AUGURY_REMOVES)


@kernel
def discard_played(state: Record, top: int) -> None:
    """Put the card away, its effect is over: into the discard, archive recovery out of the game (12.1, 12.4)."""
    card = int(state.frames[top, Column.CARD])
    if card != Basic.ARCHIVE_RECOVERY:
        state.library_discard[card] += 1
    pop(state)


@kernel
def begin_look(state: Record, seat: int, depth: int, removes: int) -> None:
    """Look at the top misfortunes (12.7)."""
    top = push(state, Frame.LOOK, seat)
    state.frames[top, Column.OPEN] = 1
    state.frames[top, Column.DEPTH] = depth
    state.frames[top, Column.REMOVES] = removes


@kernel
def run_card(rules: Record, state: Record, top: int) -> bool:
    """Wait for the choice of a card (D24 - D27, D31); finish one whose effect had a frame of its own."""
    seat, card = int(state.frames[top, Column.SEAT]), int(state.frames[top, Column.CARD])
    if card == Basic.CRYPTOGRAPHIC_EXPERTISE:
        return wait(state, Node.REPEAT_AT, seat)
    if card == Basic.ENIGMA_OF_FERVOUR:
        return wait(state, Node.REPEAT_SEAT if state.frames[top, Column.TARGET] == NONE else Node.REPEAT_AT, seat)
    if card == Basic.ANCIENT_ATLAS:
        return wait(state, Node.CHART, seat)
    if card == Basic.MYSTIC_FONT:
        return wait(state, Node.FONT, seat)
    if card == Basic.ARCHIVE_RECOVERY:
        return wait(state, Node.ARCHIVE, seat)
    discard_played(state, top)
    return RUNNING


@kernel
def repeating_seat(state: Record, top: int) -> int:
    """The seat whose leader or hologram a repeat card makes ready again (12.2)."""
    return int(
        state.frames[
            top, Column.SEAT if state.frames[top, Column.CARD] == Basic.CRYPTOGRAPHIC_EXPERTISE else Column.TARGET
        ]
    )


@kernel
def apply_card(rules: Record, state: Record, top: int, action: int) -> None:
    """Carry out the choice of a card (D24 - D27, D31)."""
    card = int(state.frames[top, Column.CARD])
    if card == Basic.ENIGMA_OF_FERVOUR and state.frames[top, Column.TARGET] == NONE:
        state.frames[top, Column.TARGET] = action - Act.SEAT
        return
    if card == Basic.CRYPTOGRAPHIC_EXPERTISE or card == Basic.ENIGMA_OF_FERVOUR:
        make_ready(rules, state, repeating_seat(state, top), action - Act.AT)
    elif card == Basic.ANCIENT_ATLAS:
        state.atlas[action - Act.CHART] = min(MOST_ATLASES, int(state.atlas[action - Act.CHART]) + 1)
    elif card == Basic.MYSTIC_FONT:
        gain(state, action - Act.SEAT, Good.ENERGY, FONT_ENERGY)
    else:
        if action != Act.DECLINE:
            seat = int(state.frames[top, Column.SEAT])
            state.library_discard[action - Act.KEEP] -= 1
            state.hand[seat, action - Act.KEEP] += 1
            if rules.hands_open == 0:
                state.public_hand[seat, action - Act.KEEP] += 1
        reshuffle_library(state)
    discard_played(state, top)


@kernel
def make_ready(rules: Record, state: Record, seat: int, location: int) -> None:
    """Make a leader or hologram ready again; on a double space everybody (12.2)."""
    if rules.is_double[location] != 0:
        for other in range(int(rules.players)):
            packed = int(state.pieces[location, other])
            done = packed & DONE_MASK
            state.pieces[location, other] = packed - done + (done >> READY_BITS)
        return
    packed = int(state.pieces[location, seat])
    kind = Kind.LEADER
    if packed >> DONE_SHIFT[Kind.LEADER] & 1 == 0 or (
        packed >> DONE_SHIFT[Kind.HOLOGRAM] & 1 != 0 and state.keeper[Councilor.ORATOR] == BY_HOLOGRAM
    ):
        kind = Kind.HOLOGRAM
    state.pieces[location, seat] = packed - (1 << DONE_SHIFT[kind]) + (1 << DONE_SHIFT[kind] - READY_BITS)


# --------------------------------------------------------------------------------------- drawing and keeping (7.9)


@kernel
def gain_card(state: Record, seat: int, card: int) -> None:
    """Keep a card: artifacts come into play at once (7.9)."""
    if card >= NUM_BASIC:
        state.artifacts[seat] = int(state.artifacts[seat]) | 1 << (card - NUM_BASIC)
    else:
        state.hand[seat, card] += 1


@kernel
def apply_library(rules: Record, state: Record, top: int, outcome: int) -> None:
    """Draw a card for a libraries action or for the memory crystal (C10)."""
    card = outcome - Outcome.LIBRARY
    if state.library_deck[card] > 0:
        state.library_deck[card] -= 1
    else:
        state.num_bottom -= 1
        for number in range(int(state.num_bottom)):
            state.library_bottom[number] = state.library_bottom[number + 1]
        state.library_bottom[int(state.num_bottom)] = NONE
    if state.frames[top, 0] == Frame.LIBRARY:
        state.frames[top, Column.DRAWN + min(num_drawn(state, top), MAX_SEEN - 1)] = card
        state.frames[top, Column.TO_DRAW] -= 1
        return
    gain_card(state, int(state.frames[top, Column.ORDER]), card)
    for number in range(Column.ORDER, Column.ORDER + MAX_PLAYERS - 1):
        state.frames[top, number] = state.frames[top, number + 1]
    state.frames[top, Column.ORDER + MAX_PLAYERS - 1] = NONE


@kernel
def run_memory(rules: Record, state: Record, top: int) -> bool:
    """Let every seat draw and keep one card while there are any (2.4)."""
    if state.frames[top, Column.ORDER] != NONE and library_left(state):
        return wait(state, Node.C10_LIBRARY, NONE)
    pop(state)
    return RUNNING


@kernel
def num_drawn(state: Record, top: int) -> int:
    """How many cards are drawn and not yet kept."""
    count = 0
    while count < MAX_SEEN and state.frames[top, Column.DRAWN + count] != NONE:
        count += 1
    return count


@kernel
def run_library(rules: Record, state: Record, top: int) -> bool:
    """Draw (C10), keep (D18) and perhaps buy one more (D19); then put the rest away (7.9)."""
    seat = int(state.frames[top, Column.SEAT])
    if state.frames[top, Column.STAGE] == LibraryStage.DRAW:
        if state.frames[top, Column.TO_DRAW] > 0 and library_left(state):
            return wait(state, Node.C10_LIBRARY, NONE)
        state.frames[top, Column.TO_DRAW] = 0
        state.frames[top, Column.STAGE] = LibraryStage.KEEP
    left = num_drawn(state, top)
    if state.frames[top, Column.STAGE] == LibraryStage.KEEP:
        allowance = int(state.frames[top, Column.ALLOWANCE])
        if allowance > 0:
            if left > allowance:
                return wait(state, Node.KEEP, seat)
            for place in range(left):
                gain_card(state, seat, int(state.frames[top, Column.DRAWN + place]))
            pop(state)
            return RUNNING
        state.frames[top, Column.STAGE] = LibraryStage.MORE
    if left > 0 and state.goods[seat, Good.ENERGY] >= int(rules.keep_extra_card_cost):
        return wait(state, Node.MORE, seat)
    put_away(state, top)
    return RUNNING


@kernel
def put_away(state: Record, top: int) -> None:
    """Put the cards not kept into the discard or under the deck, in drawing order (7.9)."""
    discarding = state.frames[top, Column.SYMBOL] == Symbol.KEEP_DISCARD
    for place in range(num_drawn(state, top)):
        card = int(state.frames[top, Column.DRAWN + place])
        if discarding:
            state.library_discard[card] += 1
        else:
            state.library_bottom[int(state.num_bottom)] = card
            state.num_bottom += 1
    pop(state)


@kernel
def apply_keep(rules: Record, state: Record, top: int, action: int) -> None:
    """Keep a drawn card, the extra one for energy, or put the rest away (D18, D19)."""
    if action == Act.DECLINE:
        put_away(state, top)
        return
    seat, card = int(state.frames[top, Column.SEAT]), action - Act.KEEP
    place = 0
    while place < MAX_SEEN - 1 and state.frames[top, Column.DRAWN + place] != card:
        place += 1
    for number in range(Column.DRAWN + place, Column.DRAWN + MAX_SEEN - 1):
        state.frames[top, number] = state.frames[top, number + 1]
    state.frames[top, Column.DRAWN + MAX_SEEN - 1] = NONE
    gain_card(state, seat, card)
    if state.frames[top, Column.STAGE] == LibraryStage.KEEP:
        state.frames[top, Column.ALLOWANCE] -= 1
    else:
        state.goods[seat, Good.ENERGY] -= int(rules.keep_extra_card_cost)


# ------------------------------------------------------------------------------------------------ card limit (7.12)


@kernel
def over_limit(rules: Record, state: Record) -> int:
    """The first seat, clockwise from the first player, above its card limit; NONE if there is none."""
    players = int(rules.players)
    for step in range(players):
        seat = (int(state.first) + step) % players
        cards = int(state.scholar_artifact[seat] != NONE)
        for card in range(NUM_BASIC):
            cards += int(state.hand[seat, card])
        in_play = int(state.artifacts[seat])
        while in_play != 0:
            cards += 1
            in_play &= in_play - 1
        if cards > int(rules.hand_limit):
            limit = int(rules.hand_limit)
            if has_in_play(state, seat, Artifact.BOTTOMLESS_SATCHEL):
                limit = max(limit, SATCHEL_LIMIT)
            if cards > limit:
                return seat
    return NONE


@kernel
def mark_discards(state: Record, seat: int, mask: Row) -> None:
    """Mark every different card in hand and every artifact but the hologram's (D36)."""
    for card in range(NUM_BASIC):
        mask[Act.DISCARD + card] = state.hand[seat, card] > 0
    for artifact in range(NUM_ARTIFACTS):
        own = int(state.artifacts[seat]) >> artifact & 1 != 0 or state.scholar_artifact[seat] == artifact
        mask[Act.DISCARD + NUM_BASIC + artifact] = own


@kernel
def discard_card(state: Record, seat: int, card: int) -> None:
    """Discard a card to the library discard; a scholar's artifact returns to the unused ones (D36; 11.7)."""
    artifact = card - NUM_BASIC
    if artifact < 0:
        leave_hand(state, seat, card)
        state.library_discard[card] += 1
    elif state.scholar_artifact[seat] == artifact:
        state.scholar_artifact[seat] = NONE
        state.unused_artifacts = int(state.unused_artifacts) | 1 << artifact
    else:
        state.artifacts[seat] = int(state.artifacts[seat]) & ~(1 << artifact)
        state.library_discard[card] += 1
