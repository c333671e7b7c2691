"""What a seat sees (section 11): all but the make-up of the pile, of other hands and of what others have bought."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis.data import NUM_OBJECTS, NUM_PAWNS, NUM_SPACES, NUM_TILES, NUM_VALUES
from atlantis_envs.games.atlantis.layout import (
    AT_BAG,
    AT_BOUGHT,
    AT_BOX,
    AT_BRIDGE,
    AT_BRIDGED,
    AT_BRIDGES,
    AT_CHOSEN,
    AT_COVERED,
    AT_DISCARD,
    AT_DRAWS,
    AT_DUE,
    AT_FIRST,
    AT_HAND,
    AT_HAND_SIZE,
    AT_IDLE,
    AT_KNOWN,
    AT_LAST,
    AT_OBJECT,
    AT_PAWN,
    AT_PAWNS,
    AT_PHASE,
    AT_PILE,
    AT_SEAT,
    AT_SOLD,
    AT_SPACE,
    AT_THEN,
    AT_TILES,
    AT_VALUE,
    AT_X,
    MOST_BRIDGES,
    OBSERVATION_SIZE,
    RUNS,
)
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
    """Tops, under tiles, bridges and both bags: open to all."""
    for space in range(NUM_SPACES):
        out[AT_OBJECT + space] = state.kind[space]
        out[AT_VALUE + space] = state.worth[space]
    at = AT_COVERED
    for start, stop in RUNS:
        for space in range(start, stop):
            out[at + space - start] = state.covered[space]
        at += stop - start
    for tile in range(NUM_TILES):
        out[AT_BAG + tile] = state.bag[0, tile]
        out[AT_BAG + NUM_TILES + tile] = state.bag[1, tile]
    bridges = int(state.bridges)
    for number in range(MOST_BRIDGES):
        if bridges != 0:
            out[AT_BRIDGES + number] = lowest(bridges) + 1
            bridges &= bridges - 1


@kernel
def observe_seats(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Pawns, tiles, bridges, hand sizes and known cards of all; the own hand; the piles of cards."""
    players = int(rules.players)
    for place in range(players):
        other = seat + place if seat + place < players else seat + place - players
        for number in range(NUM_PAWNS):
            out[AT_PAWNS + NUM_PAWNS * place + number] = int(state.pawns[other, number]) + 1
        cards = 0
        for thing in range(NUM_OBJECTS):
            cards += int(state.hand[other, thing])
            out[AT_KNOWN + NUM_OBJECTS * place + thing] = state.known[other, thing]
        out[AT_HAND_SIZE + place] = cards
        for index in range(NUM_VALUES):
            out[AT_TILES + NUM_VALUES * place + index] = state.tiles[other, index]
        out[AT_BRIDGE + place] = state.bridge[other]
    cards = 0
    for thing in range(NUM_OBJECTS):
        out[AT_HAND + thing] = state.hand[seat, thing]
        out[AT_DISCARD + thing] = state.discard[thing]
        out[AT_BOX + thing] = state.box[thing]
        cards += int(state.pile[thing])
    out[AT_PILE] = cards


@kernel
def observe_turn(rules: Record, state: Record, seat: int, out: Row) -> None:
    """All turn data; what was bought only if the own seat bought it."""
    out[AT_PHASE + int(state.phase)] = 1
    if state.seat != NONE:
        out[AT_SEAT + seats_ahead(rules, seat, int(state.seat))] = 1
    if state.first != NONE:
        out[AT_FIRST + seats_ahead(rules, seat, int(state.first))] = 1
    out[AT_IDLE] = state.idle
    out[AT_SOLD] = state.sold
    out[AT_BRIDGED] = state.bridged
    if state.seat == seat:
        for thing in range(NUM_OBJECTS):
            out[AT_BOUGHT + thing] = state.bought[thing]
    if state.pawn != NONE:
        out[AT_PAWN + int(state.pawn)] = 1
    if state.x != NOWHERE:
        out[AT_CHOSEN] = 1
        out[AT_X] = int(state.x) + 1
    out[AT_DUE] = state.due
    out[AT_LAST] = int(state.last) + 1
    out[AT_SPACE] = int(state.space) + 1
    out[AT_DRAWS] = state.draws
    if state.then != NONE:
        out[AT_THEN + int(state.then)] = 1
