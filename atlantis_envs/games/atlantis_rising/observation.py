"""What a seat sees: everything but, with closed hands, the cards of others (section 15)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.data import (
    CLOSABLE,
    MAX_PLAYERS,
    MAX_TOP,
    NUM_ARTIFACTS,
    NUM_BASIC,
    NUM_COMPONENTS,
    NUM_GOODS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_MISFORTUNES,
    NUM_PENINSULAS,
    NUM_WILD,
)
from atlantis_envs.games.atlantis_rising.layout import (
    AT_ARTIFACT,
    AT_ATLAS,
    AT_BARRED,
    AT_BARRIERS,
    AT_BOTTOM,
    AT_BUDGET,
    AT_CHIEF,
    AT_CLOSED,
    AT_COMPONENT,
    AT_COUNCILOR,
    AT_CROWD,
    AT_DECK,
    AT_DETAIL,
    AT_DISCARD,
    AT_DONE,
    AT_DRAWS,
    AT_FIRST,
    AT_FLOODED,
    AT_FRAME,
    AT_GOODS,
    AT_HAND,
    AT_HAND_SIZE,
    AT_HOLOGRAM,
    AT_HOME,
    AT_MISFORTUNES,
    AT_NODE,
    AT_OWN,
    AT_READY,
    AT_RESERVE,
    AT_ROUND,
    AT_SEAT,
    AT_SPENT,
    AT_TOP,
    AT_TURN,
    AT_USED,
    AT_WRATH,
    MOST,
    OBSERVATION_SIZE,
)
from atlantis_envs.games.atlantis_rising.state import (
    DO,
    DRAWN,
    FRAME_DISPLACE,
    FRAME_LIBRARY,
    MAX_DRAWS,
    NONE,
    NUM_DETAILS,
    ORDER,
    READY_BITS,
    SEAT,
)

FOUR_BITS, FIVE_BITS = 15, 31


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the position as ``seat`` sees it."""
    for index in range(OBSERVATION_SIZE):
        out[index] = rules.observed_options[index]
    out[AT_NODE + int(state.node)] = 1
    out[AT_OWN + seat] = 1
    where = int(state.where[seat])
    for location in range(NUM_LOCATIONS):
        out[AT_CROWD + location] = state.crowd[location]
        if where >> location & 1:
            packed = int(state.pieces[location, seat])
            out[AT_READY + location] = pieces_in(packed)
            out[AT_DONE + location] = pieces_in(packed >> READY_BITS)
    for peninsula in range(NUM_PENINSULAS):
        out[AT_FLOODED + peninsula] = state.flooded[peninsula]
        out[AT_BARRIERS + peninsula] = state.barriers[peninsula]
    observe_seats(rules, state, seat, out)
    observe_table(rules, state, seat, out)
    observe_frame(rules, state, seat, out)


@kernel
def pieces_in(packed: int) -> int:
    """Leader, hologram, followers and volunteers of the low eleven bits."""
    return (packed & 1) + (packed >> 1 & 1) + (packed >> 2 & FIVE_BITS) + (packed >> 7 & FOUR_BITS)


@kernel
def observe_seats(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Every seat from the own one on."""
    players = int(rules.players)
    open_hands = rules.hands_open != 0
    for place in range(players):
        other = seat + place
        if other >= players:
            other -= players
        for good in range(NUM_GOODS):
            out[AT_GOODS + NUM_GOODS * place + good] = min(MOST, int(state.goods[other, good]))
        for kind in range(NUM_KINDS):
            out[AT_HOME + NUM_KINDS * place + kind] = state.home[other, kind]
        out[AT_COUNCILOR + place] = state.councilor[other] + 1
        if state.councilor[other] != NONE:
            out[AT_CHIEF + place] = state.special_at[int(state.councilor[other])] + 1
        out[AT_RESERVE + place] = state.reserve[other]
        out[AT_SPENT + place] = state.spent[other]
        out[AT_BARRED + place] = state.barred[other]
        out[AT_USED + place] = state.used[other]
        cards = 0
        for card in range(NUM_BASIC):
            count = int(state.hand[other, card])
            cards += count
            if not open_hands and place > 0:
                count = int(state.public_hand[other, card])
            out[AT_HAND + NUM_BASIC * place + card] = count
        out[AT_HAND_SIZE + place] = cards
        in_play = int(state.artifacts[other])
        if state.scholar_artifact[other] != NONE:
            in_play |= 1 << int(state.scholar_artifact[other])
        if in_play != 0:
            for artifact in range(NUM_ARTIFACTS):
                if in_play >> artifact & 1:
                    out[AT_ARTIFACT + artifact] = place + 1
    if state.hologram_artifact != NONE:
        out[AT_ARTIFACT + int(state.hologram_artifact)] = MAX_PLAYERS + 1
    out[AT_BUDGET] = min(MOST, int(state.lifts[seat]))
    out[AT_BUDGET + 1] = min(MOST, int(state.yields[seat]))
    if state.actor != NONE:
        out[AT_SEAT + (int(state.actor) + players - seat) % players] = 1
    out[AT_FIRST + (int(state.first) + players - seat) % players] = 1
    out[AT_TURN + (int(state.turn) + players - seat) % players] = 1
    for number in range(MAX_DRAWS):
        if state.draws[number] == NONE:
            break
        out[AT_DRAWS + (int(state.draws[number]) + players - seat) % players] += 1


@kernel
def observe_table(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Blueprint, decks, and the effects of the round."""
    for component in range(NUM_COMPONENTS):
        out[AT_COMPONENT + component] = int(state.blueprint[component]) + 2 * int(state.is_built[component])
    for card in range(len(state.library_deck)):
        out[AT_DECK + card] = state.library_deck[card]
    for card in range(NUM_BASIC):
        out[AT_DISCARD + card] = state.library_discard[card]
    if rules.hands_open == 0:
        observe_unseen(rules, state, seat, out)
    out[AT_BOTTOM] = state.num_bottom
    for kind in range(NUM_MISFORTUNES):
        out[AT_MISFORTUNES + kind] = state.misfortune_deck[kind]
    for number in range(MAX_TOP):
        out[AT_TOP + number] = state.misfortune_top[number] + 1
    if state.hologram != NONE:
        out[AT_HOLOGRAM + int(state.hologram)] = 1
        out[AT_CHIEF + MAX_PLAYERS] = state.special_at[int(state.hologram)] + 1
    out[AT_WRATH] = state.wrath
    out[AT_WRATH + 1] = rules.wrath_values[int(state.wrath)]
    for peninsula in range(NUM_WILD):
        out[AT_ATLAS + peninsula] = state.atlas[peninsula]
    for place in range(len(CLOSABLE)):
        out[AT_CLOSED + place] = int(state.closed) >> place & 1
    out[AT_ROUND] = min(MOST, int(state.round_number))
    out[AT_ROUND + 1] = state.passes
    out[AT_ROUND + 2] = state.volunteers
    out[AT_ROUND + 3] = state.track_energy_taken
    out[AT_ROUND + 4] = state.built_this_round
    out[AT_ROUND + 5] = state.earthquake
    out[AT_ROUND + 6] = state.build_limit
    out[AT_ROUND + 7] = state.extra_floods
    out[AT_ROUND + 8] = state.floods
    out[AT_ROUND + 9] = state.window_open


@kernel
def observe_unseen(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Closed hands: whatever this seat cannot place counts as unseen (15.2)."""
    for other in range(int(rules.players)):
        if other != seat:
            for card in range(NUM_BASIC):
                out[AT_DECK + card] += int(state.hand[other, card]) - int(state.public_hand[other, card])
    for number in range(int(state.num_bottom)):
        out[AT_DECK + int(state.library_bottom[number])] += 1
    top = int(state.num_frames) - 1
    if top >= 0 and state.frames[top, DO] == FRAME_LIBRARY and state.frames[top, SEAT] != seat:
        for place in range(DRAWN, DRAWN + 3):
            if state.frames[top, place] != NONE:
                out[AT_DECK + int(state.frames[top, place])] += 1


@kernel
def observe_frame(rules: Record, state: Record, seat: int, out: Row) -> None:
    """What is going on: the top frame, but for cards that are somebody else's business."""
    top = int(state.num_frames) - 1
    out[AT_DETAIL + NUM_DETAILS - 1] = state.held_seat + 1
    if top < 0:
        out[AT_FRAME] = 1
        return
    do = int(state.frames[top, DO])
    out[AT_FRAME + do] = 1
    last = NUM_DETAILS
    if rules.hands_open == 0:
        if do == FRAME_LIBRARY and state.frames[top, SEAT] != seat:
            last = DRAWN
        elif do == FRAME_DISPLACE:
            last = ORDER
    for column in range(SEAT, last):
        out[AT_DETAIL + column - SEAT] = state.frames[top, column] + 1
    players = int(rules.players)
    if state.frames[top, SEAT] >= 0:
        out[AT_DETAIL] = (int(state.frames[top, SEAT]) + players - seat) % players + 1
