"""Whether turn data fit the phase (16.2), with something to decide or to draw at the node; a part of check.py."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis.chains import playable_now
from atlantis_envs.games.atlantis.data import (
    ATLANTIS,
    MAINLAND,
    MOVE_CARDS,
    NUM_OBJECTS,
    NUM_VALUES,
    PASS_CARDS,
)
from atlantis_envs.games.atlantis.path import occupied_spaces, toll_between
from atlantis_envs.games.atlantis.payment import cards_left, more_to_give
from atlantis_envs.games.atlantis.state import ITEM_CARD, NONE, NOWHERE, Phase, Then
from atlantis_envs.games.atlantis.turns import cards_to_draw, pawns_home


@kernel
def turn_sound(rules: Record, state: Record) -> bool:
    """Whether the right turn data are set in each phase, with something to decide or to draw at the node."""
    phase = int(state.phase)
    if (state.space != NONE) != (phase == Phase.LAY or phase == Phase.UNCOVER):
        return False
    if (state.draws != 0) != (phase == Phase.DEAL or phase == Phase.DRAW):
        return False
    if (state.then != NONE) != (phase == Phase.DRAW):
        return False
    if (state.due != 0 and phase != Phase.PAY) or (state.last != NONE and phase != Phase.PAY):
        return False
    if (state.pawn != NONE) != (state.x != NOWHERE):
        return False
    if phase <= Phase.DEAL or phase == Phase.OVER:
        return state.sold == 0 and state.bridged == 0 and state.pawn == NONE and opening_sound(rules, state)
    seat = int(state.seat)
    if state.bridged != 0 and state.bridge[seat] != 0:
        return False
    for other in range(int(rules.players)):
        if pawns_home(rules, state, other) == int(rules.pawns):
            drawing_last = phase == Phase.DRAW and state.then == Then.END
            last_turn = drawing_last or phase == Phase.UNCOVER or phase == Phase.AFTER
            if other != seat or not last_turn:
                return False
    if phase == Phase.TURN:
        return state.pawn == NONE
    if phase == Phase.DRAW:
        return draw_sound(rules, state)
    if state.pawn == NONE:
        return False
    if phase == Phase.PLAY:
        return play_sound(rules, state)
    if phase == Phase.PAY:
        return payment_sound(rules, state)
    return landed_sound(rules, state)


@kernel
def opening_sound(rules: Record, state: Record) -> bool:
    """Whether there is a space to fill, or a card to deal."""
    phase = int(state.phase)
    if phase == Phase.LAY:
        return rules.heights[int(state.space)] != 0
    if phase == Phase.DEAL:
        place = (int(state.seat) - int(state.first)) % int(rules.players)
        return int(state.draws) <= int(rules.start_hand[place])
    return True


@kernel
def may_be_chosen(state: Record) -> bool:
    """The chosen pawn is not home, and has the lowest number of those on its place (5.1)."""
    seat, number = int(state.seat), int(state.pawn)
    place = int(state.pawns[seat, number])
    for lower in range(number):
        if place == int(state.pawns[seat, lower]):
            return False
    return place != MAINLAND


@kernel
def play_sound(rules: Record, state: Record) -> bool:
    """The place x is the pawn's own or an occupied space ahead, and some card is playable (D2)."""
    x, place = int(state.x), int(state.pawns[int(state.seat), int(state.pawn)])
    occupied = occupied_spaces(rules, state)
    if x != place and (x < place or x == MAINLAND or occupied >> x & 1 == 0):
        return False
    return may_be_chosen(state) and playable_now(rules, state, occupied) != 0


@kernel
def payment_sound(rules: Record, state: Record) -> bool:
    """A part of the toll to a free place ahead is open, and the means suffice (9.2)."""
    seat, x, last = int(state.seat), int(state.x), int(state.last)
    place = int(state.pawns[seat, int(state.pawn)])
    if x <= place or not may_be_chosen(state) or occupied_spaces(rules, state) >> x & 1:
        return False
    if x != MAINLAND and state.kind[x] == 0:
        return False
    toll = toll_between(state, place, x)
    paid = toll - int(state.due)
    if state.due == 0:  # the toll is paid, by any items, and more may be given
        return rules.overpay_at_will != 0 and toll > 0 and last != NONE and more_to_give(rules, state)
    if last == NONE:
        if paid != 0:
            return False
    elif paid < (1 if last >= ITEM_CARD else NUM_VALUES - last):
        return False
    means = 0
    for thing in range(NUM_OBJECTS):
        if ITEM_CARD + thing >= last:
            means += cards_left(rules, state, seat, thing)
    for value in range(1, NUM_VALUES + 1):
        if NUM_VALUES - value >= last:
            means += value * int(state.tiles[seat, value - 1])
    return means >= int(state.due)


@kernel
def landed_sound(rules: Record, state: Record) -> bool:
    """Whether the pawn has arrived, with a tile to turn up behind it or a bridge to place (9.3)."""
    seat = int(state.seat)
    place = int(state.pawns[seat, int(state.pawn)])
    if place != int(state.x) or place == ATLANTIS or state.idle != 0:
        return False
    if int(state.phase) == Phase.AFTER:
        return rules.bridge_after_move != 0 and state.bridge[seat] != 0 and state.gaps != 0
    space = int(state.space)
    return space < place and state.kind[space] == 0 and rules.heights[space] == 2


@kernel
def draw_sound(rules: Record, state: Record) -> bool:
    """Whether cards are to come for a sale, a pass or a move (10.3, 16.2)."""
    seat, draws, then = int(state.seat), int(state.draws), int(state.then)
    cards = 0
    for thing in range(NUM_OBJECTS):
        cards += int(state.pile[thing])
    if cards == 0 or draws > cards_to_draw(state):
        return False
    home = pawns_home(rules, state, seat)
    if then == Then.TURN:
        return state.pawn == NONE and state.sold > 0 and state.bridged == 0 and draws <= NUM_VALUES // 2
    if state.pawn == NONE:
        bonus = home if rules.pass_bonus != 0 else 0
        return then == Then.NEXT and draws <= PASS_CARDS + bonus and state.idle == 0
    if state.pawns[seat, int(state.pawn)] != state.x or state.x == ATLANTIS or state.idle != 0:
        return False
    return draws <= MOVE_CARDS + home and (then == Then.END) == (home == int(rules.pawns))
