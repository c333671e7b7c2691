"""What a seat sees: everything, since Atlandice has no hidden information (12.1); seats in order from the own one."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.data import (
    FAR,
    NUM_DISTRICTS,
    NUM_EVENTS,
    NUM_SECTORS,
    NUM_TILES,
    NUM_TYPES,
    TILES_PER_DISTRICT,
)
from atlantis_envs.games.atlandice.layout import MOST_POINTS, MOST_ROUNDS, OBSERVATION_SIZE, At
from atlantis_envs.games.atlandice.state import NONE


@kernel
def relative(rules: Record, seat: int, participant: int) -> int:
    """A participant's place counted from ``seat``; neutral stays last."""
    players = int(rules.players)
    if participant >= players or participant >= seat:
        return participant if participant >= players else participant - seat
    return participant - seat + players


@kernel
def mark(out: Row, start: int, value: int) -> None:
    """Set a byte of a one-hot piece, unless the value is NONE."""
    if value != NONE:
        out[start + value] = 1


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the whole position as ``seat`` sees it."""
    for index in range(OBSERVATION_SIZE):
        out[index] = rules.observed_options[index]
    out[At.NODE + int(state.node)] = 1
    observe_sectors(state, out)
    observe_tiles(rules, state, seat, out)
    observe_participants(rules, state, seat, out)
    observe_visit(rules, state, seat, out)
    observe_clock(rules, state, out)


@kernel
def observe_sectors(state: Record, out: Row) -> None:
    """Write pieces, dice, bare Districts and the submarine."""
    for sector in range(NUM_SECTORS):
        for kind in range(NUM_TYPES):
            out[At.RESOURCES + NUM_TYPES * sector + kind] = state.resources[sector, kind]
        out[At.DICE + sector] = state.dice[sector]
    for district in range(NUM_DISTRICTS):
        out[At.BARE + district] = state.bare[district]
    out[At.SUBMARINE + int(state.submarine)] = 1


@kernel
def observe_tiles(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write visible, unrevealed and won tiles; never an order of the unrevealed ones (12.2)."""
    for district in range(NUM_DISTRICTS):
        tile = int(state.tile[district])
        if tile != 0:
            out[At.TILE + TILES_PER_DISTRICT * district + tile - 1] = 1
        hidden = int(state.hidden[district])
        for number in range(TILES_PER_DISTRICT):
            out[At.HIDDEN + TILES_PER_DISTRICT * district + number] = hidden >> number & 1
    for tile in range(NUM_TILES):
        owner = int(state.owner[tile])
        if owner != NONE:
            place = relative(rules, seat, owner)
            out[At.OWNER + tile] = place + 1
            out[At.TILES_WON + place] += 1


@kernel
def observe_participants(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write stocks and points, from the own seat on."""
    for participant in range(int(rules.participants)):
        place = relative(rules, seat, participant)
        for kind in range(NUM_TYPES):
            out[At.STOCK + NUM_TYPES * place + kind] = state.stock[participant, kind]
        out[At.POINTS + place] = min(MOST_POINTS, int(state.points[participant]))
    for other in range(int(rules.players)):
        place = relative(rules, seat, other)
        out[At.GIVEN + place] = state.given[other]
        out[At.BLOCKED + place] = state.blocked[other]


@kernel
def observe_visit(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write who acts, where, for whom, and what has been named so far."""
    mark(out, At.HERE, int(state.here))
    mark(out, At.CHOICE_TYPE, int(state.choice_type))
    mark(out, At.CHOICE_SECTOR, int(state.choice_sector))
    if state.beneficiary != NONE:
        mark(out, At.BENEFICIARY, relative(rules, seat, int(state.beneficiary)))
    if state.actor != NONE:
        mark(out, At.ACTOR, relative(rules, seat, int(state.actor)))
    if state.first != NONE:
        mark(out, At.FIRST, relative(rules, seat, int(state.first)))
    out[At.VISIT] = state.visit
    out[At.CHAIN] = state.chain
    out[At.ROUND] = min(MOST_ROUNDS, int(state.round_number))


@kernel
def observe_clock(rules: Record, state: Record, out: Row) -> None:
    """Write how far the hand is from the end and from the next space of each kind, from the options' table."""
    hand = int(state.hand)
    out[At.TO_END] = min(FAR, int(rules.last) - hand)
    for event in range(NUM_EVENTS):
        out[At.TO_EVENT + event] = rules.to_event[hand, event]
