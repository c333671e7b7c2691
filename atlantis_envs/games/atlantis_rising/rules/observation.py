"""What a seat sees: everything but, with closed hands, the cards of others; and redrawing what it cannot know (15)."""

from __future__ import annotations

from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.chance import sample_below
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Basic
from atlantis_envs.games.atlantis_rising.layout import MOST, OBSERVATION_SIZE, At
from atlantis_envs.games.atlantis_rising.rules import play
from atlantis_envs.games.atlantis_rising.state import MAX_DRAWS, NONE, NUM_DETAILS, READY_BITS, Column, Frame, Node
from atlantis_envs.kernels.copying import move
from atlantis_envs.kernels.kernel import kernel

FOUR_BITS, FIVE_BITS = 15, 31


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the position as ``seat`` sees it."""
    move(out, 0, rules.observed_options, 0, OBSERVATION_SIZE)
    out[At.NODE + int(state.node)] = 1
    out[At.OWN + seat] = 1
    where = int(state.where[seat])
    while where != 0:
        location = lowest(where)
        packed = int(state.pieces[location, seat])
        out[At.READY + location] = pieces_in(packed)
        out[At.DONE + location] = pieces_in(packed >> READY_BITS)
        where &= where - 1
    move(out, At.CROWD, state.crowd, 0, data.NUM_LOCATIONS)
    move(out, At.FLOODED, state.flooded, 0, data.NUM_PENINSULAS)
    move(out, At.BARRIERS, state.barriers, 0, data.NUM_PENINSULAS)
    observe_seats(rules, state, seat, out)
    observe_table(rules, state, seat, out)
    observe_frame(rules, state, seat, out)


@kernel
def pieces_in(packed: int) -> int:
    """Count leader, hologram, followers and volunteers of the low eleven bits."""
    return (packed & 1) + (packed >> 1 & 1) + (packed >> 2 & FIVE_BITS) + (packed >> 7 & FOUR_BITS)


@kernel
def observe_seats(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write every seat from the own one on."""
    players = int(rules.players)
    open_hands = rules.hands_open != 0
    for place in range(players):
        other = seat + place
        if other >= players:
            other -= players
        for good in range(data.NUM_GOODS):
            out[At.GOODS + data.NUM_GOODS * place + good] = min(MOST, int(state.goods[other, good]))
        move(out, At.HOME + data.NUM_KINDS * place, state.home, data.NUM_KINDS * other, data.NUM_KINDS)
        out[At.COUNCILOR + place] = state.councilor[other] + 1
        if state.councilor[other] != NONE:
            out[At.CHIEF + place] = state.special_at[int(state.councilor[other])] + 1
        out[At.RESERVE + place] = state.reserve[other]
        out[At.SPENT + place] = state.spent[other]
        out[At.BARRED + place] = state.barred[other]
        out[At.USED + place] = state.used[other]
        cards = 0
        for card in range(data.NUM_BASIC):
            cards += int(state.hand[other, card])
        out[At.HAND_SIZE + place] = cards
        if open_hands or place == 0:
            move(out, At.HAND + data.NUM_BASIC * place, state.hand, data.NUM_BASIC * other, data.NUM_BASIC)
        else:
            move(out, At.HAND + data.NUM_BASIC * place, state.public_hand, data.NUM_BASIC * other, data.NUM_BASIC)
        in_play = int(state.artifacts[other])
        if state.scholar_artifact[other] != NONE:
            in_play |= 1 << int(state.scholar_artifact[other])
        if in_play != 0:
            for artifact in range(data.NUM_ARTIFACTS):
                if in_play >> artifact & 1:
                    out[At.ARTIFACT + artifact] = place + 1
    if state.hologram_artifact != NONE:
        out[At.ARTIFACT + int(state.hologram_artifact)] = data.MAX_PLAYERS + 1
    out[At.BUDGET] = min(MOST, int(state.lifts[seat]))
    out[At.BUDGET + 1] = min(MOST, int(state.yields[seat]))
    out[At.BUDGET + 2] = min(MOST, int(state.declines[seat]))
    if state.actor != NONE:
        out[At.SEAT + (int(state.actor) + players - seat) % players] = 1
    out[At.FIRST + (int(state.first) + players - seat) % players] = 1
    out[At.TURN + (int(state.turn) + players - seat) % players] = 1
    for number in range(MAX_DRAWS):
        if state.draws[number] == NONE:
            break
        out[At.DRAWS + (int(state.draws[number]) + players - seat) % players] += 1


@kernel
def observe_table(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write blueprint, decks, and the effects of the round."""
    for component in range(data.NUM_COMPONENTS):
        out[At.COMPONENT + component] = int(state.blueprint[component]) + 2 * int(state.is_built[component])
    move(out, At.DECK, state.library_deck, 0, data.NUM_CARDS)
    move(out, At.DISCARD, state.library_discard, 0, data.NUM_BASIC)
    if rules.hands_open == 0:
        observe_unseen(rules, state, seat, out)
    out[At.BOTTOM] = state.num_bottom
    move(out, At.MISFORTUNES, state.misfortune_deck, 0, data.NUM_MISFORTUNES)
    for number in range(data.MAX_TOP):
        out[At.TOP + number] = state.misfortune_top[number] + 1
    if state.hologram != NONE:
        out[At.HOLOGRAM + int(state.hologram)] = 1
        out[At.CHIEF + data.MAX_PLAYERS] = state.special_at[int(state.hologram)] + 1
    out[At.WRATH] = state.wrath
    out[At.WRATH + 1] = rules.wrath_values[int(state.wrath)]
    move(out, At.ATLAS, state.atlas, 0, data.NUM_WILD)
    for place in range(len(data.CLOSABLE)):
        out[At.CLOSED + place] = int(state.closed) >> place & 1
    out[At.ROUND] = min(MOST, int(state.round_number))
    out[At.ROUND + 1] = state.passes
    out[At.ROUND + 2] = state.volunteers
    out[At.ROUND + 3] = state.track_energy_taken
    out[At.ROUND + 4] = state.built_this_round
    out[At.ROUND + 5] = state.earthquake
    out[At.ROUND + 6] = state.build_limit
    out[At.ROUND + 7] = state.extra_floods
    out[At.ROUND + 8] = state.floods
    out[At.ROUND + 9] = state.window_open
    out[At.ROUND + 10] = state.call


@kernel
def observe_unseen(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Count whatever this seat cannot place as unseen, where hands are closed (15.2)."""
    for other in range(int(rules.players)):
        if other != seat:
            for card in range(data.NUM_BASIC):
                out[At.DECK + card] += int(state.hand[other, card]) - int(state.public_hand[other, card])
    for number in range(int(state.num_bottom)):
        out[At.DECK + int(state.library_bottom[number])] += 1
    top = int(state.num_frames) - 1
    if top >= 0 and state.frames[top, Column.DO] == Frame.LIBRARY and state.frames[top, Column.SEAT] != seat:
        for place in range(Column.DRAWN, Column.DRAWN + 3):
            if state.frames[top, place] != NONE:
                out[At.DECK + int(state.frames[top, place])] += 1


@kernel
def observe_frame(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the top frame, but for cards that are somebody else's business."""
    top = int(state.num_frames) - 1
    out[At.DETAIL + NUM_DETAILS - 1] = state.held_seat + 1
    if top < 0:
        out[At.FRAME] = 1
        return
    do = int(state.frames[top, Column.DO])
    out[At.FRAME + do] = 1
    last = NUM_DETAILS
    if rules.hands_open == 0:
        if do == Frame.LIBRARY and state.frames[top, Column.SEAT] != seat:
            last = Column.DRAWN
        elif do == Frame.DISPLACE:
            last = Column.ORDER
    for column in range(Column.SEAT, last):
        out[At.DETAIL + column - Column.SEAT] = state.frames[top, column] + 1
    players = int(rules.players)
    if state.frames[top, Column.SEAT] >= 0:
        out[At.DETAIL] = (int(state.frames[top, Column.SEAT]) + players - seat) % players + 1


# ------------------------------------------------------------------------------------------ what seats cannot know (15)


MOST_DEALS = 2_000  # of 60 cards at most one at least makes a deal fit: none of them would with less than 1e-14


@kernel
def resample(rules: Record, state: Record, seat: int, rng: Row) -> None:
    """Deal the cards that ``seat`` cannot place anew, where hands are closed (15.2).

    A seat that has a turn in a window has a card or energy for it, so deals that contradict this are dealt again.
    """
    if rules.hands_open != 0:
        return
    for _ in range(MOST_DEALS):
        deal_again(rules, state, seat, rng)
        if state.node != Node.WINDOW or play.may_act_in_window(rules, state, int(state.turn)):
            return


@kernel
def deal_again(rules: Record, state: Record, seat: int, rng: Row) -> None:
    """Redraw other hands from the unknown basic cards, then drawn and bottom cards; the rest is the deck."""
    players = int(rules.players)
    top = int(state.num_frames) - 1
    drawn = top >= 0 and state.frames[top, Column.DO] == Frame.LIBRARY and int(state.frames[top, Column.SEAT]) != seat
    for other in range(players):
        if other != seat:
            for card in range(data.NUM_BASIC):
                hidden = int(state.hand[other, card]) - known_in_hand(state, other, card)
                state.library_deck[card] += hidden
    for number in range(int(state.num_bottom)):
        state.library_deck[int(state.library_bottom[number])] += 1
    if drawn:
        for place in range(Column.DRAWN, Column.DRAWN + 3):
            if state.frames[top, place] != NONE:
                state.library_deck[int(state.frames[top, place])] += 1
    for other in range(players):
        if other != seat:
            count = 0
            for card in range(data.NUM_BASIC):
                known = known_in_hand(state, other, card)
                count += int(state.hand[other, card]) - known
                state.hand[other, card] = known
            for _ in range(count):
                state.hand[other, unknown_card(state, data.NUM_BASIC, rng)] += 1
    if drawn:
        for place in range(Column.DRAWN, Column.DRAWN + 3):
            if state.frames[top, place] != NONE:
                state.frames[top, place] = unknown_card(state, data.NUM_CARDS, rng)
    for number in range(int(state.num_bottom)):
        state.library_bottom[number] = unknown_card(state, data.NUM_CARDS, rng)


@kernel
def known_in_hand(state: Record, seat: int, card: int) -> int:
    """Return the copies in a hand that everybody knows: shown ones, a swift evacuation whose holder is to choose."""
    known = int(state.public_hand[seat, card])
    top = int(state.num_frames) - 1
    if card == Basic.SWIFT_EVACUATION and state.node == Node.REACT and state.frames[top, Column.DO] == Frame.DISPLACE:
        for number in range(Column.ORDER, Column.ORDER + len(state.hand)):
            if state.frames[top, number] == seat:
                return max(1, known)
    return known


@kernel
def unknown_card(state: Record, kinds: int, rng: Row) -> int:
    """Draw a card of the unknown part, uniformly among those of the first ``kinds`` kinds; it leaves it."""
    total = 0
    for card in range(kinds):
        total += int(state.library_deck[card])
    left = sample_below(rng, total)
    card = 0
    while card < kinds - 1 and left >= int(state.library_deck[card]):
        left -= int(state.library_deck[card])
        card += 1
    state.library_deck[card] -= 1
    return card
