"""What a seat sees: everything, since Atlandice has no hidden information (12.1, 12.3); seats from the own one on."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlandice import data, layout
from atlantis_envs.games.atlandice.layout import At
from atlantis_envs.games.atlandice.rules import board
from atlantis_envs.games.atlandice.state import NONE
from atlantis_envs.kernels.copying import move
from atlantis_envs.kernels.kernel import kernel

BITS, LOW = 8, 255  # of a byte


@kernel
def relative(rules: Record, seat: int, participant: int) -> int:
    """Return the slot of a participant, counted from ``seat``; neutral stays last, and NONE is NONE."""
    players = int(rules.players)
    slot = participant - seat if participant >= seat else participant - seat + players
    slot = participant if participant >= players else slot
    return slot if participant >= 0 else NONE


@kernel
def mark(out: Row, start: int, value: int) -> None:
    """Set a byte of a one-hot piece, unless the value is NONE."""
    out[start + max(value, 0)] = value >= 0


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the whole position as ``seat`` sees it."""
    move(out, 0, rules.observed_options, 0, layout.OBSERVATION_SIZE)
    out[At.NODE + int(state.node)] = 1
    observe_sectors(state, out)
    observe_tiles(rules, state, seat, out)
    observe_participants(rules, state, seat, out)
    observe_visit(rules, state, seat, out)
    observe_clock(rules, state, out)
    if rules.has_handicap != 0:
        for slot in range(int(rules.players)):
            out[At.HANDICAP + slot] = board.handicap(rules, state, (seat + slot) % int(rules.players))


@kernel
def observe_sectors(state: Record, out: Row) -> None:
    """Write pieces, dice, bare Districts and the submarine."""
    move(out, At.RESOURCES, state.resources, 0, data.NUM_SECTORS * data.NUM_TYPES)
    move(out, At.DICE, state.dice, 0, data.NUM_SECTORS)
    move(out, At.BARE, state.bare, 0, data.NUM_DISTRICTS)
    out[At.SUBMARINE + int(state.submarine)] = 1


@kernel
def observe_tiles(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write visible, unrevealed and won tiles; never an order of the unrevealed ones (12.2)."""
    for district in range(data.NUM_DISTRICTS):
        mark(out, At.TILE + data.TILES_PER_DISTRICT * district, int(state.tile[district]) - 1)
        hidden = int(state.hidden[district])
        for index in range(data.TILES_PER_DISTRICT):
            out[At.HIDDEN + data.TILES_PER_DISTRICT * district + index] = hidden >> index & 1
    slots, won = slots_of(rules, seat), 0  # a byte for nobody, then one for each participant
    for tile in range(data.NUM_TILES):
        at = BITS * (int(state.owner[tile]) + 1)
        out[At.OWNER + tile] = slots >> at & LOW
        won += 1 << at
    for participant in range(int(rules.participants)):
        at = BITS * (participant + 1)
        out[At.TILES_WON + (slots >> at & LOW) - 1] = won >> at & LOW


@kernel
def slots_of(rules: Record, seat: int) -> int:
    """Return 1 + the slot of every participant, in bytes from that of NONE, which is 0, on: a table in a number."""
    slots = 0
    for participant in range(int(rules.participants)):
        slots |= (relative(rules, seat, participant) + 1) << BITS * (participant + 1)
    return slots


@kernel
def observe_participants(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write stocks and points, from the own seat on."""
    players = int(rules.players)
    for slot in range(int(rules.participants)):
        participant = seat + slot if seat + slot < players else seat + slot - players
        participant = slot if slot >= players else participant  # neutral stays last
        move(out, At.STOCK + data.NUM_TYPES * slot, state.stock, data.NUM_TYPES * participant, data.NUM_TYPES)
        out[At.POINTS + slot] = min(layout.MOST_POINTS, int(state.points[participant]))
    for slot in range(players):
        other = seat + slot if seat + slot < players else seat + slot - players
        out[At.GIVEN + slot] = state.given[other]
        out[At.BLOCKED + slot] = state.blocked[other]


@kernel
def observe_visit(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write who acts, where, for whom, and what has been named so far."""
    mark(out, At.HERE, int(state.here))
    mark(out, At.CHOICE_TYPE, int(state.choice_type))
    mark(out, At.CHOICE_SECTOR, int(state.choice_sector))
    mark(out, At.BENEFICIARY, relative(rules, seat, int(state.beneficiary)))
    mark(out, At.ACTOR, relative(rules, seat, int(state.actor)))
    mark(out, At.FIRST, relative(rules, seat, int(state.first)))
    out[At.VISIT] = state.visit
    out[At.CHAIN] = state.chain
    out[At.ROUND] = min(layout.MOST_ROUNDS, int(state.round_number))


@kernel
def observe_clock(rules: Record, state: Record, out: Row) -> None:
    """Write how far the hand is from the end and from the next space of each kind, from the options' table."""
    hand = int(state.hand)
    out[At.TO_END] = min(data.FAR, int(rules.last) - hand)
    move(out, At.TO_EVENT, rules.to_event, data.NUM_EVENTS * hand, data.NUM_EVENTS)


# -------------------------------------------------------------------------------------------------- what is hidden (12)


@kernel
def resample(rules: Record, state: Record, seat: int, rng: Row) -> None:
    """Do nothing: with perfect information there is nothing to redraw (12.3)."""
