"""What seats cannot know, closed hands and the piles, and redrawing it (section 15)."""

from __future__ import annotations

from atlantis_envs.engine.chance import sample_below
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising.data import NUM_BASIC, NUM_CARDS, Basic
from atlantis_envs.games.atlantis_rising.legal import may_act_in_window
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Node
from atlantis_envs.kernels.kernel import kernel

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
        if state.node != Node.WINDOW or may_act_in_window(rules, state, int(state.turn)):
            return


@kernel
def deal_again(rules: Record, state: Record, seat: int, rng: Row) -> None:
    """Redraw other hands from the unknown basic cards, then drawn and bottom cards; the rest is the deck."""
    players = int(rules.players)
    top = int(state.num_frames) - 1
    drawn = top >= 0 and state.frames[top, Column.DO] == Frame.LIBRARY and int(state.frames[top, Column.SEAT]) != seat
    for other in range(players):
        if other != seat:
            for card in range(NUM_BASIC):
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
            for card in range(NUM_BASIC):
                known = known_in_hand(state, other, card)
                count += int(state.hand[other, card]) - known
                state.hand[other, card] = known
            for _ in range(count):
                state.hand[other, unknown_card(state, NUM_BASIC, rng)] += 1
    if drawn:
        for place in range(Column.DRAWN, Column.DRAWN + 3):
            if state.frames[top, place] != NONE:
                state.frames[top, place] = unknown_card(state, NUM_CARDS, rng)
    for number in range(int(state.num_bottom)):
        state.library_bottom[number] = unknown_card(state, NUM_CARDS, rng)


@kernel
def known_in_hand(state: Record, seat: int, card: int) -> int:
    """Copies in a hand that everybody knows: shown ones, and a swift evacuation whose holder is to choose."""
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
