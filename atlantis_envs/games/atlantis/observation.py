"""What a seat sees (section 11): all but the cards of the pile, of other hands, and those that others have bought."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis.data import NUM_OBJECTS, NUM_PAWNS, NUM_SPACES, NUM_TILES, NUM_VALUES
from atlantis_envs.games.atlantis.layout import MOST_BRIDGES, OBSERVATION_SIZE, RUNS, At
from atlantis_envs.games.atlantis.path import lowest
from atlantis_envs.games.atlantis.state import NONE, NOWHERE


@kernel
def seats_ahead(rules: Record, seat: int, other: int) -> int:
    """How many seats clockwise from ``seat`` the other one sits."""
    return other - seat if other >= seat else other - seat + int(rules.players)


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the position as ``seat`` sees it (11.1)."""
    for index in range(OBSERVATION_SIZE):
        out[index] = rules.observed_options[index]
    observe_path(state, out)
    observe_seats(rules, state, seat, out)
    observe_turn(rules, state, seat, out)


@kernel
def observe_path(state: Record, out: Row) -> None:
    """Write tops, under tiles, bridges and both bags, which are open to all."""
    for space in range(NUM_SPACES):
        out[At.OBJECT + space] = state.kind[space]
        out[At.VALUE + space] = state.worth[space]
    at: int = At.COVERED
    for start, stop in RUNS:
        for space in range(start, stop):
            out[at + space - start] = state.covered[space]
        at += stop - start
    for tile in range(NUM_TILES):
        out[At.BAG + tile] = state.bag[0, tile]
        out[At.BAG + NUM_TILES + tile] = state.bag[1, tile]
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
            out[At.KNOWN + NUM_OBJECTS * place + thing] = state.known[other, thing]
        out[At.HAND_SIZE + place] = cards
        for index in range(NUM_VALUES):
            out[At.TILES + NUM_VALUES * place + index] = state.tiles[other, index]
        out[At.BRIDGE + place] = state.bridge[other]
    cards = 0
    for thing in range(NUM_OBJECTS):
        out[At.HAND + thing] = state.hand[seat, thing]
        out[At.DISCARD + thing] = state.discard[thing]
        out[At.BOX + thing] = state.box[thing]
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
        for thing in range(NUM_OBJECTS):
            out[At.BOUGHT + thing] = state.bought[thing]
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
