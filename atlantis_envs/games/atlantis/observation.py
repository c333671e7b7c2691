"""What a seat sees (section 11): all but the cards of the pile, of other hands, and those that others have bought."""

from __future__ import annotations

from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.moving import move
from atlantis_envs.games.atlantis.data import NUM_OBJECTS, NUM_PAWNS, NUM_SPACES, NUM_TILES, NUM_VALUES
from atlantis_envs.games.atlantis.layout import MOST_BRIDGES, OBSERVATION_SIZE, RUNS, At
from atlantis_envs.games.atlantis.state import NONE, NOWHERE


@kernel
def seats_ahead(rules: Record, seat: int, other: int) -> int:
    """How many seats clockwise from ``seat`` the other one sits."""
    return other - seat if other >= seat else other - seat + int(rules.players)


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the position as ``seat`` sees it (11.1)."""
    move(out, 0, rules.observed_options, 0, OBSERVATION_SIZE)
    observe_path(state, out)
    observe_seats(rules, state, seat, out)
    observe_turn(rules, state, seat, out)


@kernel
def observe_path(state: Record, out: Row) -> None:
    """Write tops, under tiles, bridges and both bags, which are open to all."""
    move(out, At.OBJECT, state.kind, 0, NUM_SPACES)
    move(out, At.VALUE, state.worth, 0, NUM_SPACES)
    at: int = At.COVERED
    for start, stop in RUNS:
        move(out, at, state.covered, start, stop - start)
        at += stop - start
    move(out, At.BAG, state.bag, 0, 2 * NUM_TILES)
    bridges = int(state.bridges)
    for number in range(MOST_BRIDGES):
        if bridges != 0:
            out[At.BRIDGES + number] = lowest(bridges) + 1
            bridges &= bridges - 1


@kernel
def observe_seats(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write pawns, tiles, bridges, hand sizes and known cards of all, the own hand, and the piles of cards."""
    players = int(rules.players)
    for place in range(players):
        other = seat + place if seat + place < players else seat + place - players
        for number in range(NUM_PAWNS):
            out[At.PAWNS + NUM_PAWNS * place + number] = int(state.pawns[other, number]) + 1
        cards = 0
        for thing in range(NUM_OBJECTS):
            cards += int(state.hand[other, thing])
        out[At.HAND_SIZE + place] = cards
        move(out, At.KNOWN + NUM_OBJECTS * place, state.known, NUM_OBJECTS * other, NUM_OBJECTS)
        move(out, At.TILES + NUM_VALUES * place, state.tiles, NUM_VALUES * other, NUM_VALUES)
        out[At.BRIDGE + place] = state.bridge[other]
    move(out, At.HAND, state.hand, NUM_OBJECTS * seat, NUM_OBJECTS)
    move(out, At.DISCARD, state.discard, 0, NUM_OBJECTS)
    move(out, At.BOX, state.box, 0, NUM_OBJECTS)
    cards = 0
    for thing in range(NUM_OBJECTS):
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
        move(out, At.BOUGHT, state.bought, 0, NUM_OBJECTS)
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
