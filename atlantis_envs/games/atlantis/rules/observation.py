"""What a seat sees and knows (section 11), and how the rest is redrawn.

A seat sees all but the cards of the pile, of other hands, and those that others have bought; ``known`` is the part of
a hand that all know.
"""

from __future__ import annotations

from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.chance import sample_kind
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis import data, layout
from atlantis_envs.games.atlantis.layout import At
from atlantis_envs.games.atlantis.rules import payment
from atlantis_envs.games.atlantis.state import NONE, NOWHERE, Phase
from atlantis_envs.kernels.copying import move
from atlantis_envs.kernels.kernel import kernel


@kernel
def seats_ahead(rules: Record, seat: int, other: int) -> int:
    """Return how many seats clockwise from ``seat`` the other one sits."""
    return other - seat if other >= seat else other - seat + int(rules.players)


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the position as ``seat`` sees it (11.1)."""
    move(out, 0, rules.observed_options, 0, layout.OBSERVATION_SIZE)
    observe_path(state, out)
    observe_seats(rules, state, seat, out)
    observe_turn(rules, state, seat, out)
    if rules.has_handicap != 0:
        for slot in range(int(rules.players)):
            out[At.HANDICAP + slot] = payment.handicap(rules, state, (seat + slot) % int(rules.players))


@kernel
def observe_path(state: Record, out: Row) -> None:
    """Write tops, under tiles, bridges and both bags, which are open to all."""
    move(out, At.OBJECT, state.kind, 0, data.NUM_SPACES)
    move(out, At.VALUE, state.worth, 0, data.NUM_SPACES)
    at: int = At.COVERED
    for start, stop in layout.RUNS:
        move(out, at, state.covered, start, stop - start)
        at += stop - start
    move(out, At.BAG, state.bag, 0, 2 * data.NUM_TILES)
    bridges = int(state.bridges)
    for index in range(layout.MOST_BRIDGES):
        if bridges != 0:
            out[At.BRIDGES + index] = lowest(bridges) + 1
            bridges &= bridges - 1


@kernel
def observe_seats(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write pawns, tiles, bridges, hand sizes and known cards of all, the own hand, and the piles of cards."""
    players = int(rules.players)
    for slot in range(players):
        other = seat + slot if seat + slot < players else seat + slot - players
        for pawn in range(data.NUM_PAWNS):
            out[At.PAWNS + data.NUM_PAWNS * slot + pawn] = int(state.pawns[other, pawn]) + 1
        cards = 0
        for thing in range(data.NUM_OBJECTS):
            cards += int(state.hand[other, thing])
        out[At.HAND_SIZE + slot] = cards
        move(out, At.KNOWN + data.NUM_OBJECTS * slot, state.known, data.NUM_OBJECTS * other, data.NUM_OBJECTS)
        move(out, At.TILES + data.NUM_VALUES * slot, state.tiles, data.NUM_VALUES * other, data.NUM_VALUES)
        out[At.BRIDGE + slot] = state.bridge[other]
    move(out, At.HAND, state.hand, data.NUM_OBJECTS * seat, data.NUM_OBJECTS)
    move(out, At.DISCARD, state.discard, 0, data.NUM_OBJECTS)
    move(out, At.BOX, state.box, 0, data.NUM_OBJECTS)
    cards = 0
    for thing in range(data.NUM_OBJECTS):
        cards += int(state.pile[thing])
    out[At.PILE] = cards


@kernel
def observe_turn(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write all turn data; what was bought only if the own seat bought it."""
    out[At.PHASE + int(state.phase)] = 1
    if state.seat != NONE:
        out[At.SEAT + seats_ahead(rules, seat, int(state.seat))] = 1
    if state.first != NONE:
        out[At.FIRST + seats_ahead(rules, seat, int(state.first))] = 1
    out[At.IDLE] = state.idle
    out[At.SOLD] = state.sold
    out[At.BRIDGED] = state.bridged
    if state.seat == seat:
        move(out, At.BOUGHT, state.bought, 0, data.NUM_OBJECTS)
    if state.pawn != NONE:
        out[At.PAWN + int(state.pawn)] = 1
    if state.x != NOWHERE:
        out[At.CHOSEN] = 1
        out[At.X] = int(state.x) + 1
    out[At.DUE] = state.due
    out[At.LAST] = int(state.last) + 1
    out[At.SPACE] = int(state.space) + 1
    out[At.DRAWS] = state.draws
    if state.then != NONE:
        out[At.THEN + int(state.then)] = 1


# -------------------------------------------------------------------------------------- knowledge of cards (11.3, 11.4)


@kernel
def show_hand(state: Record, seat: int) -> None:
    """Make the whole hand known to all (11.3)."""
    for thing in range(data.NUM_OBJECTS):
        state.known[seat, thing] = state.hand[seat, thing]


@kernel
def all_hands_known(rules: Record, state: Record) -> None:
    """Make both hands known when the discard becomes the pile with two seats (11.3)."""
    for seat in range(int(rules.players)):
        show_hand(state, seat)


@kernel
def card_leaves_hand(state: Record, seat: int, thing: int) -> None:
    """Take a played or paid card out of the hand; a known one is no longer known (11.3)."""
    state.hand[seat, thing] -= 1
    if state.known[seat, thing] > 0:
        state.known[seat, thing] -= 1


@kernel
def resample(rules: Record, state: Record, seat: int, rng: Row) -> bool:
    """Redraw the pile and what ``seat`` does not know of the other hands (11.4).

    Possible at the seat's own decisions and before anything is done in another's turn; elsewhere the rules file
    does not say how, nothing changes, and the answer is False.
    """
    phase = int(state.phase)
    deciding = phase == Phase.TURN or phase == Phase.PLAY or phase == Phase.PAY or phase == Phase.AFTER
    own = state.seat == seat and deciding
    fresh = phase == Phase.TURN and state.sold == 0 and state.bridged == 0
    if not own and not fresh:
        return False
    players = int(rules.players)
    unseen = 0  # the unknown cards all lie in the pile while the hands are dealt out anew
    for thing in range(data.NUM_OBJECTS):
        for other in range(players):
            if other != seat:
                state.pile[thing] += state.hand[other, thing] - state.known[other, thing]
        unseen += int(state.pile[thing])
    for other in range(players):
        if other != seat:
            unknown = 0
            for thing in range(data.NUM_OBJECTS):
                unknown += int(state.hand[other, thing]) - int(state.known[other, thing])
                state.hand[other, thing] = state.known[other, thing]
            for _ in range(unknown):
                state.hand[other, sample_kind(rng, state.pile, unseen)] += 1
                unseen -= 1
    return True
