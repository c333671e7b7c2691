"""What seats know of each other's cards (section 11): the ``known`` part of a hand, and redrawing the rest."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.sampling import sample_kind
from atlantis_envs.games.atlantis.data import NUM_OBJECTS
from atlantis_envs.games.atlantis.state import Phase


@kernel
def show_hand(state: Record, seat: int) -> None:
    """Make the whole hand known to all (11.3)."""
    for thing in range(NUM_OBJECTS):
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

    Possible at the seat's own decisions and before anything is done in another's turn; elsewhere the rules file has
    no law, nothing changes, and the answer is False.
    """
    phase = int(state.phase)
    deciding = phase == Phase.TURN or phase == Phase.PLAY or phase == Phase.PAY or phase == Phase.AFTER
    own = state.seat == seat and deciding
    fresh = phase == Phase.TURN and state.sold == 0 and state.bridged == 0
    if not own and not fresh:
        return False
    players = int(rules.players)
    unseen = 0  # the unknown cards all lie in the pile while the hands are dealt out anew
    for thing in range(NUM_OBJECTS):
        for other in range(players):
            if other != seat:
                state.pile[thing] += state.hand[other, thing] - state.known[other, thing]
        unseen += int(state.pile[thing])
    for other in range(players):
        if other != seat:
            unknown = 0
            for thing in range(NUM_OBJECTS):
                unknown += int(state.hand[other, thing]) - int(state.known[other, thing])
                state.hand[other, thing] = state.known[other, thing]
            for _ in range(unknown):
                state.hand[other, sample_kind(rng, state.pile, unseen)] += 1
                unseen -= 1
    return True
