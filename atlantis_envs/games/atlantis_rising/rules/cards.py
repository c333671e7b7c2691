"""Library cards: when they can be played, what they do (7.9, 7.12, 12); choices that come in rows (7.8, 7.11)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import Artifact, Basic, Councilor, Good, Kind, Symbol
from atlantis_envs.games.atlantis_rising.rules import board, building
from atlantis_envs.games.atlantis_rising.state import (
    CHIEF_DONE_MASK,
    DONE_MASK,
    DONE_SHIFT,
    FOLLOWER_MASK,
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
    """Tell whether a leader or hologram of the seat is done somewhere (12.2)."""
    for location in range(data.NUM_LOCATIONS):
        if int(state.pieces[location, seat]) & CHIEF_DONE_MASK:
            return True
    return False


@kernel
def playable(rules: Record, state: Record, seat: int, card: int) -> bool:
    """Tell whether the card's effect has something to work on (12.2 - 12.4)."""
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
        return board.any_ward(state)
    if card == Basic.EBBING_TIDE:
        return board.any_flooded(state)
    if card == Basic.AUGURY:
        return board.misfortunes_left(state)
    if card == Basic.ARCHIVE_RECOVERY:
        for other in range(len(state.library_discard)):
            if state.library_discard[other] > 0:
                return True
        return False
    return True


@kernel
def mark_cards(rules: Record, state: Record, seat: int, window: int, mask: Row) -> None:
    """Mark the cards that a seat may play in a window (12.1)."""
    for card in range(data.NUM_BASIC):
        if state.hand[seat, card] > 0 and data.WINDOWS[card] & window:
            mask[Act.PLAY + card] = playable(rules, state, seat, card)


@kernel
def play_card(rules: Record, state: Record, seat: int, card: int) -> None:
    """Take the card from the hand and begin its effect (12.1)."""
    board.leave_hand(state, seat, card)
    top = board.push(state, Frame.CARD, seat)
    state.frames[top, Column.CARD] = card
    state.frames[top, Column.TARGET] = NONE
    if card == Basic.TRANSMUTATION:
        begin_swaps(state, seat, data.TRANSMUTATION_SWAPS)
    elif card == Basic.CALL_FOR_AID:
        board.take_volunteers(state, seat, data.AID_VOLUNTEERS)
        discard_played(state, top)
    elif card == Basic.WARDING_RITE:
        building.push_series(state, Frame.WARD, seat, 1, False)
    elif card == Basic.EBBING_TIDE:
        building.push_series(state, Frame.EBB, seat, 1, False)
    elif card == Basic.AUGURY:
        begin_look(state, seat, data.AUGURY_DEPTH, data.AUGURY_REMOVES)


@kernel
def discard_played(state: Record, top: int) -> None:
    """Put the card away, its effect is over: into the discard, archive recovery out of the game (12.1, 12.4)."""
    card = int(state.frames[top, Column.CARD])
    if card != Basic.ARCHIVE_RECOVERY:
        state.library_discard[card] += 1
    board.pop(state)


@kernel
def begin_look(state: Record, seat: int, depth: int, removes: int) -> None:
    """Look at the top misfortunes (12.7)."""
    top = board.push(state, Frame.LOOK, seat)
    state.frames[top, Column.OPEN] = 1
    state.frames[top, Column.DEPTH] = depth
    state.frames[top, Column.REMOVES] = removes


@kernel
def run_card(rules: Record, state: Record, top: int) -> bool:
    """Wait for the choice of a card (D24 - D27, D31); finish one whose effect had a frame of its own."""
    seat, card = int(state.frames[top, Column.SEAT]), int(state.frames[top, Column.CARD])
    if card == Basic.CRYPTOGRAPHIC_EXPERTISE:
        return board.wait(state, Node.REPEAT_AT, seat)
    if card == Basic.ENIGMA_OF_FERVOUR:
        return board.wait(state, Node.REPEAT_SEAT if state.frames[top, Column.TARGET] == NONE else Node.REPEAT_AT, seat)
    if card == Basic.ANCIENT_ATLAS:
        return board.wait(state, Node.CHART, seat)
    if card == Basic.MYSTIC_FONT:
        return board.wait(state, Node.FONT, seat)
    if card == Basic.ARCHIVE_RECOVERY:
        return board.wait(state, Node.ARCHIVE, seat)
    discard_played(state, top)
    return board.RUNNING


@kernel
def repeating_seat(state: Record, top: int) -> int:
    """Return the seat whose leader or hologram a repeat card makes ready again (12.2)."""
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
        state.atlas[action - Act.CHART] = min(data.MOST_ATLASES, int(state.atlas[action - Act.CHART]) + 1)
    elif card == Basic.MYSTIC_FONT:
        board.gain(state, action - Act.SEAT, Good.ENERGY, data.FONT_ENERGY)
    else:
        if action != Act.DECLINE:
            seat = int(state.frames[top, Column.SEAT])
            state.library_discard[action - Act.KEEP] -= 1
            state.hand[seat, action - Act.KEEP] += 1
            if rules.hands_open == 0:
                state.public_hand[seat, action - Act.KEEP] += 1
        board.reshuffle_library(state)
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
        packed >> DONE_SHIFT[Kind.HOLOGRAM] & 1 != 0 and state.keeper[Councilor.ORATOR] == data.BY_HOLOGRAM
    ):
        kind = Kind.HOLOGRAM
    state.pieces[location, seat] = packed - (1 << DONE_SHIFT[kind]) + (1 << DONE_SHIFT[kind] - READY_BITS)


# --------------------------------------------------------------------------------------- drawing and keeping (7.9)


@kernel
def gain_card(state: Record, seat: int, card: int) -> None:
    """Keep a card: artifacts come into play at once (7.9)."""
    if card >= data.NUM_BASIC:
        state.artifacts[seat] = int(state.artifacts[seat]) | 1 << (card - data.NUM_BASIC)
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
        state.frames[top, Column.DRAWN + min(num_drawn(state, top), data.MAX_SEEN - 1)] = card
        state.frames[top, Column.TO_DRAW] -= 1
        return
    gain_card(state, int(state.frames[top, Column.ORDER]), card)
    for number in range(Column.ORDER, Column.ORDER + data.MAX_PLAYERS - 1):
        state.frames[top, number] = state.frames[top, number + 1]
    state.frames[top, Column.ORDER + data.MAX_PLAYERS - 1] = NONE


@kernel
def run_memory(rules: Record, state: Record, top: int) -> bool:
    """Let every seat draw and keep one card while there are any (2.4)."""
    if state.frames[top, Column.ORDER] != NONE and board.library_left(state):
        return board.wait(state, Node.C10_LIBRARY, NONE)
    board.pop(state)
    return board.RUNNING


@kernel
def num_drawn(state: Record, top: int) -> int:
    """Return how many cards are drawn and not yet kept."""
    count = 0
    while count < data.MAX_SEEN and state.frames[top, Column.DRAWN + count] != NONE:
        count += 1
    return count


@kernel
def run_library(rules: Record, state: Record, top: int) -> bool:
    """Draw (C10), keep (D18) and perhaps buy one more (D19); then put the rest away (7.9)."""
    seat = int(state.frames[top, Column.SEAT])
    if state.frames[top, Column.STAGE] == LibraryStage.DRAW:
        if state.frames[top, Column.TO_DRAW] > 0 and board.library_left(state):
            return board.wait(state, Node.C10_LIBRARY, NONE)
        state.frames[top, Column.TO_DRAW] = 0
        state.frames[top, Column.STAGE] = LibraryStage.KEEP
    left = num_drawn(state, top)
    if state.frames[top, Column.STAGE] == LibraryStage.KEEP:
        allowance = int(state.frames[top, Column.ALLOWANCE])
        if allowance > 0:
            if left > allowance:
                return board.wait(state, Node.KEEP, seat)
            for place in range(left):
                gain_card(state, seat, int(state.frames[top, Column.DRAWN + place]))
            board.pop(state)
            return board.RUNNING
        state.frames[top, Column.STAGE] = LibraryStage.MORE
    if left > 0 and state.goods[seat, Good.ENERGY] >= int(rules.keep_extra_card_cost):
        return board.wait(state, Node.MORE, seat)
    put_away(state, top)
    return board.RUNNING


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
    board.pop(state)


@kernel
def apply_keep(rules: Record, state: Record, top: int, action: int) -> None:
    """Keep a drawn card, the extra one for energy, or put the rest away (D18, D19)."""
    if action == Act.DECLINE:
        put_away(state, top)
        return
    seat, card = int(state.frames[top, Column.SEAT]), action - Act.KEEP
    place = 0
    while place < data.MAX_SEEN - 1 and state.frames[top, Column.DRAWN + place] != card:
        place += 1
    for number in range(Column.DRAWN + place, Column.DRAWN + data.MAX_SEEN - 1):
        state.frames[top, number] = state.frames[top, number + 1]
    state.frames[top, Column.DRAWN + data.MAX_SEEN - 1] = NONE
    gain_card(state, seat, card)
    if state.frames[top, Column.STAGE] == LibraryStage.KEEP:
        state.frames[top, Column.ALLOWANCE] -= 1
    else:
        state.goods[seat, Good.ENERGY] -= int(rules.keep_extra_card_cost)


# ------------------------------------------------------------------------------------------------ card limit (7.12)


@kernel
def over_limit(rules: Record, state: Record) -> int:
    """Return the first seat, clockwise from the first player, above its card limit; NONE if there is none."""
    players = int(rules.players)
    for step in range(players):
        seat = (int(state.first) + step) % players
        cards = int(state.scholar_artifact[seat] != NONE)
        for card in range(data.NUM_BASIC):
            cards += int(state.hand[seat, card])
        in_play = int(state.artifacts[seat])
        while in_play != 0:
            cards += 1
            in_play &= in_play - 1
        if cards > int(rules.hand_limit):
            limit = int(rules.hand_limit)
            if board.has_in_play(state, seat, Artifact.BOTTOMLESS_SATCHEL):
                limit = max(limit, data.SATCHEL_LIMIT)
            if cards > limit:
                return seat
    return NONE


@kernel
def mark_discards(state: Record, seat: int, mask: Row) -> None:
    """Mark every different card in hand and every artifact but the hologram's (D36)."""
    for card in range(data.NUM_BASIC):
        mask[Act.DISCARD + card] = state.hand[seat, card] > 0
    for artifact in range(data.NUM_ARTIFACTS):
        own = int(state.artifacts[seat]) >> artifact & 1 != 0 or state.scholar_artifact[seat] == artifact
        mask[Act.DISCARD + data.NUM_BASIC + artifact] = own


@kernel
def discard_card(state: Record, seat: int, card: int) -> None:
    """Discard a card to the library discard; a scholar's artifact returns to the unused ones (D36; 11.7)."""
    artifact = card - data.NUM_BASIC
    if artifact < 0:
        board.leave_hand(state, seat, card)
        state.library_discard[card] += 1
    elif state.scholar_artifact[seat] == artifact:
        state.scholar_artifact[seat] = NONE
        state.unused_artifacts = int(state.unused_artifacts) | 1 << artifact
    else:
        state.artifacts[seat] = int(state.artifacts[seat]) & ~(1 << artifact)
        state.library_discard[card] += 1


# ------------------------------------------------------------------------------- choices in rows (2.4, 7.8, 7.11, 12.7)


@kernel
def has_raw(state: Record, seat: int) -> bool:
    """Tell whether the seat owns ore, gold or crystal."""
    return state.goods[seat, 0] > 0 or state.goods[seat, 1] > 0 or state.goods[seat, 2] > 0


@kernel
def run_series(rules: Record, state: Record, top: int, do: int) -> bool:
    """Wait for the next of several choices (D22, D23, D28, D29) while something is left and can be done."""
    seat = int(state.frames[top, Column.SEAT])
    if do == Frame.SWAP and state.frames[top, Column.GIVEN] != NONE:
        return board.wait(state, Node.TAKE, seat)
    if state.frames[top, Column.LEFT] > 0:
        if do == Frame.WARD and board.any_ward(state):
            return board.wait(state, Node.WARD, seat)
        if do == Frame.EBB and board.any_flooded(state):
            return board.wait(state, Node.EBB, seat)
        if do == Frame.SWAP and has_raw(state, seat):
            return board.wait(state, Node.GIVE, seat)
    board.pop(state)
    return board.RUNNING


@kernel
def apply_ward_or_ebb(state: Record, top: int, action: int) -> None:
    """Put a free barrier or drain a tile, or stop (D22, D23)."""
    if action == Act.DECLINE:
        board.pop(state)
        return
    if action >= Act.DRAIN:
        state.flooded[action - Act.DRAIN] -= 1
    else:
        state.barriers[action - Act.BARRIER] = 1
    state.frames[top, Column.LEFT] -= 1
    state.frames[top, Column.MAY] = 1


@kernel
def begin_swaps(state: Record, seat: int, swaps: int) -> None:
    """Begin the swaps of matter converter and transmutation (7.8)."""
    top = board.push(state, Frame.SWAP, seat)
    state.frames[top, Column.LEFT] = swaps
    state.frames[top, Column.GIVEN] = NONE


@kernel
def apply_swap(state: Record, top: int, action: int) -> None:
    """Name the good to give (D28), then take another for it (D29), or stop."""
    seat = int(state.frames[top, Column.SEAT])
    if action == Act.DECLINE:
        board.pop(state)
    elif action < Act.TAKE:
        state.frames[top, Column.GIVEN] = action - Act.GIVE
    else:
        state.goods[seat, int(state.frames[top, Column.GIVEN])] -= 1
        board.gain(state, seat, action - Act.TAKE, 1)
        state.frames[top, Column.GIVEN] = NONE
        state.frames[top, Column.LEFT] -= 1
        state.frames[top, Column.MAY] = 1


# ------------------------------------------------------------------------------------------------- looks (12.7)


@kernel
def known_on_top(state: Record) -> int:
    """Return how many misfortunes are known on top."""
    known = 0
    while known < data.MAX_TOP and state.misfortune_top[known] != NONE:
        known += 1
    return known


@kernel
def run_look(rules: Record, state: Record, top: int) -> bool:
    """Turn cards up (C8b) until enough are known, then wait at D30 while something may be removed."""
    known = known_on_top(state)
    if state.frames[top, Column.OPEN] != 0:
        if known < int(state.frames[top, Column.DEPTH]) and board.unknown_misfortunes(state) > 0:
            return board.wait(state, Node.C8B_LOOK, NONE)
        state.frames[top, Column.OPEN] = 0
        state.frames[top, Column.DEPTH] = min(known, int(state.frames[top, Column.DEPTH]))
    if state.frames[top, Column.REMOVES] > 0 and min(known, int(state.frames[top, Column.DEPTH])) > 0:
        return board.wait(state, Node.LOOK, int(state.frames[top, Column.SEAT]))
    board.pop(state)
    return board.RUNNING


@kernel
def apply_removal(state: Record, top: int, action: int) -> None:
    """Discard the topmost card of that kind among the looked-at ones (D30)."""
    if action == Act.DECLINE:
        board.pop(state)
        return
    kind = action - Act.REMOVE
    place = 0
    while place < data.MAX_TOP - 1 and state.misfortune_top[place] != kind:
        place += 1
    board.drop_top(state, place)
    state.misfortune_discard[kind] += 1
    state.frames[top, Column.DEPTH] -= 1
    state.frames[top, Column.REMOVES] -= 1


# -------------------------------------------------------------------------------------- recruits, gains, sacrifice


@kernel
def run_muster(rules: Record, state: Record, top: int) -> bool:
    """Recruit for the muster array; wait at D34 if several seats have a reserve."""
    candidates = 0
    last = NONE
    for seat in range(int(rules.players)):
        if state.reserve[seat] > 0:
            candidates += 1
            last = seat
    if state.frames[top, Column.LEFT] == 0 or candidates == 0:
        board.pop(state)
    elif candidates > 1:
        return board.wait(state, Node.MUSTER, int(state.frames[top, Column.SEAT]))
    else:
        board.recruit(state, last)
        state.frames[top, Column.LEFT] -= 1
    return board.RUNNING


@kernel
def apply_muster(state: Record, top: int, action: int) -> None:
    """Recruit a follower for the seat that was named (D34)."""
    board.recruit(state, action - Act.SEAT)
    state.frames[top, Column.LEFT] -= 1


@kernel
def run_gain(rules: Record, state: Record, top: int, do: int) -> bool:
    """Wait for seat and good of amplification chamber, prism lens or chronal lattice (D32, D33; 7.11)."""
    if do == Frame.AMPLIFY and state.frames[top, Column.TARGET] == NONE:
        return board.wait(state, Node.AMPLIFY, int(state.frames[top, Column.SEAT]))
    if do != Frame.LATTICE:
        return board.wait(state, Node.GAIN, int(state.frames[top, Column.SEAT]))
    if state.frames[top, Column.ORDER] == NONE:
        board.pop(state)
        return board.RUNNING
    return board.wait(state, Node.GAIN, int(state.frames[top, Column.ORDER]))


@kernel
def apply_gain(state: Record, top: int, do: int, action: int) -> None:
    """Add the good that was chosen (D33)."""
    good = action - Act.TAKE
    if do == Frame.AMPLIFY:
        board.gain(state, int(state.frames[top, Column.TARGET]), good, data.AMPLIFY_GOODS)
        board.pop(state)
    elif do == Frame.LATTICE:
        board.gain(state, int(state.frames[top, Column.ORDER]), good, 1)
        for number in range(Column.ORDER, Column.ORDER + data.MAX_PLAYERS - 1):
            state.frames[top, number] = state.frames[top, number + 1]
        state.frames[top, Column.ORDER + data.MAX_PLAYERS - 1] = NONE
    else:
        board.gain(state, int(state.frames[top, Column.SEAT]), good, 1)
        board.pop(state)


@kernel
def run_sacrifice(rules: Record, state: Record, top: int) -> bool:
    """Let a follower leave for the soul terraformer; wait at D35 if two seats have one there (7.11)."""
    location = int(state.frames[top, Column.PLACE_AT])
    found = NONE
    for seat in range(int(rules.players)):
        if int(state.pieces[location, seat]) & FOLLOWER_MASK:
            if found != NONE:
                return board.wait(state, Node.SACRIFICE, int(state.frames[top, Column.SEAT]))
            found = seat
    sacrifice(state, top, found)
    return board.RUNNING


@kernel
def sacrifice(state: Record, top: int, seat: int) -> None:
    """Remove the follower from the game, then allow up to three drains (2.4)."""
    opener = int(state.frames[top, Column.SEAT])
    board.take_piece(state, seat, Kind.FOLLOWER, int(state.frames[top, Column.PLACE_AT]))
    state.removed[seat] += 1
    board.pop(state)
    ebb = board.push(state, Frame.EBB, opener)
    state.frames[ebb, Column.LEFT] = data.TERRAFORMER_DRAINS
