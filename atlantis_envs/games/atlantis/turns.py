"""From turn to turn: a turn's data, the draw that closes it, and the end of the game (4.1, 7.7, 8, 12)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis.data import MAINLAND, NUM_OBJECTS
from atlantis_envs.games.atlantis.knowledge import all_hands_known
from atlantis_envs.games.atlantis.payment import settlement
from atlantis_envs.games.atlantis.state import NONE, NOWHERE, Phase, Then

# ------------------------------------------------------------------------------------------------------ turns (4.1)


@kernel
def clear_turn(state: Record) -> None:
    """Set all turn data to their defaults (16.2)."""
    state.sold = 0
    state.bridged = 0
    state.pawn = NONE
    state.x = NOWHERE
    state.due = 0
    state.last = NONE
    state.space = NONE
    state.draws = 0
    state.then = NONE
    for thing in range(NUM_OBJECTS):
        state.bought[thing] = 0


@kernel
def begin_turn(rules: Record, state: Record, seat: int) -> None:
    """Begin the turn of a seat, at node D1 (4.1, 4.2)."""
    clear_turn(state)
    state.seat = seat
    state.phase = Phase.TURN


@kernel
def pawns_home(rules: Record, state: Record, seat: int) -> int:
    """How many pawns of a seat are on the mainland, those that do not play left out (18.4)."""
    home = 0
    for number in range(int(rules.pawns)):
        if state.pawns[seat, number] == MAINLAND:
            home += 1
    return home


# ---------------------------------------------------------------------------------------------------------- draw (7.7)


@kernel
def cards_to_draw(state: Record) -> int:
    """How many cards there are in pile and discard together."""
    cards = 0
    for thing in range(NUM_OBJECTS):
        cards += int(state.pile[thing]) + int(state.discard[thing])
    return cards


@kernel
def begin_draw(rules: Record, state: Record, due: int, then: int) -> None:
    """Begin to draw so many cards, or fewer if there are no more (10.3)."""
    state.draws = min(due, cards_to_draw(state))
    state.then = then
    go_on(rules, state)


@kernel
def draw_card(rules: Record, state: Record, thing: int) -> None:
    """Draw a card into the hand and go on; a bought card is remembered as such (C4; 4.4)."""
    state.pile[thing] -= 1
    state.hand[int(state.seat), thing] += 1
    if state.then == Then.TURN:
        state.bought[thing] += 1
    state.draws -= 1
    renew_pile(rules, state)
    go_on(rules, state)


@kernel
def go_on(rules: Record, state: Record) -> None:
    """Draw the next card, from the discard if the pile is empty; after the last, do what follows (7.7, 16.2)."""
    if state.draws > 0:
        state.phase = Phase.DRAW
        if is_empty(state.pile):
            reshuffle(rules, state)
    elif state.then == Then.TURN:
        state.then = NONE
        state.phase = Phase.TURN
    elif state.then == Then.NEXT:
        following = int(state.seat) + 1
        begin_turn(rules, state, following if following < int(rules.players) else 0)
    else:
        finish(rules, state)


@kernel
def is_empty(heap: Row) -> bool:
    """Whether a multiset of objects holds nothing."""
    for thing in range(NUM_OBJECTS):
        if heap[thing] != 0:
            return False
    return True


@kernel
def renew_pile(rules: Record, state: Record) -> None:
    """Rebuild a used-up pile at once, if it can be, after a card has left it or come to the discard (7.7)."""
    if rules.reshuffle_at_once != 0 and is_empty(state.pile) and not is_empty(state.discard):
        reshuffle(rules, state)


@kernel
def reshuffle(rules: Record, state: Record) -> None:
    """Make the discard the pile (10.3); two seats can then count each other's hands (11.3)."""
    for thing in range(NUM_OBJECTS):
        state.pile[thing] = state.discard[thing]
        state.discard[thing] = 0
    if int(rules.players) == 2:
        all_hands_known(rules, state)


# ------------------------------------------------------------------------------------------------------ end (8, 12)


@kernel
def finish(rules: Record, state: Record) -> None:
    """End the game with the settlement of all seats; the position stays as it is (8.3, 12.1)."""
    clear_turn(state)
    state.phase = Phase.OVER
    state.seat = NONE
    for seat in range(int(rules.players)):
        state.final[seat] = settlement(rules, state, seat)
