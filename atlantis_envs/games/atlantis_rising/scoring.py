"""Scores, returns, and redrawing what a seat cannot know (sections 15, 16)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.sampling import sample_below
from atlantis_envs.games.atlantis_rising.data import (
    NUM_BASIC,
    NUM_CARDS,
    NUM_COMPONENTS,
    NUM_PENINSULAS,
    NUM_PRICE_TYPES,
    NUM_TILES,
    Basic,
    Good,
)
from atlantis_envs.games.atlantis_rising.legal import may_act_in_window
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Node, Result

MOST_DEALS = 2_000  # of 60 cards at most one at least makes a deal fit: none of them would with less than 1e-14


@kernel
def scores(rules: Record, state: Record, out: Row) -> None:
    """Components built, the same for every seat."""
    for seat in range(int(rules.players)):
        out[seat] = int(state.num_built)


@kernel
def phase(rules: Record, state: Record) -> int:
    """The round being played: comparisons of positions are fair where it changes."""
    return int(state.round_number)


@kernel
def returns(rules: Record, state: Record, out: Row) -> None:
    """+1 for everybody on a win, -1 on a loss, 0 where the game was cut off (16.3)."""
    for seat in range(int(rules.players)):
        out[seat] = 1.0 if state.result == Result.CORE else 0.0 if state.result == Result.TRUNCATED else -1.0


@kernel
def truncated(rules: Record, state: Record) -> bool:
    """The game was cut off: neither won nor lost (16.4)."""
    return state.result == Result.TRUNCATED


@kernel
def potential(rules: Record, state: Record) -> float:
    """Share of the blueprint's price paid, plus half of what everybody's goods cover of the rest, less the sea.

    An ore counts as an atlantium, the least a forge makes of it (7.10). Half the island flooded costs a quarter.
    """
    total = 0
    paid = 0
    covered = 0
    for kind in range(NUM_PRICE_TYPES):
        rest = 0
        for component in range(NUM_COMPONENTS):
            if state.is_built[component] != 0:
                paid += int(rules.price[component, kind])
            elif state.blueprint[component] != 0:
                rest += int(rules.price[component, kind])
        total += rest
        held = 0
        for seat in range(int(rules.players)):
            held += int(state.goods[seat, kind + 1])
            if kind + 1 == Good.ATLANTIUM:
                held += int(state.goods[seat, Good.ORE])
        covered += min(held, rest)
    total += paid
    flooded = 0
    for peninsula in range(NUM_PENINSULAS):
        flooded += int(state.flooded[peninsula])
    built = (2 * paid + covered) / (2 * total) if total > 0 else 0.0
    return built - flooded / (2 * NUM_TILES)


@kernel
def resample(rules: Record, state: Record, seat: int, rng: Row) -> None:
    """Closed hands: deal the cards ``seat`` cannot place anew (15.2).

    A seat that is asked in a window has a card or energy for it, so deals that contradict this are dealt again.
    """
    if rules.hands_open != 0:
        return
    for _ in range(MOST_DEALS):
        deal_again(rules, state, seat, rng)
        if state.node != Node.WINDOW or may_act_in_window(rules, state, int(state.turn)):
            return


@kernel
def deal_again(rules: Record, state: Record, seat: int, rng: Row) -> None:
    """First other hands from the unknown basic cards, then drawn and bottom cards; the rest is the deck."""
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
    """Copies in a hand that everybody knows: shown ones, and a swift evacuation whose holder is being asked."""
    known = int(state.public_hand[seat, card])
    top = int(state.num_frames) - 1
    if card == Basic.SWIFT_EVACUATION and state.node == Node.REACT and state.frames[top, Column.DO] == Frame.DISPLACE:
        for number in range(Column.ORDER, Column.ORDER + len(state.hand)):
            if state.frames[top, number] == seat:
                return max(1, known)
    return known


@kernel
def unknown_card(state: Record, kinds: int, rng: Row) -> int:
    """A card of the unknown part, uniformly among those of the first ``kinds`` kinds; it leaves it."""
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
