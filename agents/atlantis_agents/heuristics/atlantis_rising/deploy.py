"""Phase 1: where each Atlantean goes, and what energy buys before the sea comes (5, 9)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising.floods import foresee, loss, survival
from atlantis_agents.heuristics.atlantis_rising.gates import plan_builds
from atlantis_agents.heuristics.atlantis_rising.places import (
    SEAL,
    count_own,
    expect_goods,
    is_double,
    own_at,
    room_at,
    worth_at,
)
from atlantis_agents.heuristics.atlantis_rising.work import ABSENT, see, unpack_goods, value_goods
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import (
    CENTRE,
    GATE,
    NUM_GATES,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_PENINSULAS,
    NUM_TILES,
    NUM_WILD,
    SPACE,
    SPACES,
    TILES_PER_PENINSULA,
    Component,
    Councilor,
    Good,
    Kind,
)
from atlantis_envs.games.atlantis_rising.layout import At

IMPOSSIBLE = -1e6
PLANNED = 40.0  # a place on a gate that the plan asks for
COMPONENT_AT = tuple(SPACES)  # component spaces in the order of the locations
UNFIT = -100.0  # legal, but not seen to be open
BEFORE_PLACING = 50.0


@kernel
def think(weights: Record, work: Record, observation: Row, draws: int) -> None:
    """Pieces at home, goods, what they are worth, the sea."""
    for kind in range(NUM_KINDS):
        work.home[kind] = see(observation, At.HOME + kind)
    unpack_goods(observation, work)
    expect_goods(weights, work, observation)
    value_goods(weights, work)
    count_own(work, observation)
    foresee(work, observation, draws)


@kernel
def survey(weights: Record, work: Record, observation: Row, mask: Row, everywhere: bool) -> None:
    """Fill ``value``: one more ordinary piece of the own seat at every location; IMPOSSIBLE where none fits.

    Unless asked for everywhere, only where the mask lets a piece go.
    """
    at_home = 0
    for kind in range(NUM_KINDS):
        if kind != Kind.AUTOMATON:
            at_home += int(work.home[kind])
    for location in range(NUM_LOCATIONS):
        work.value[location] = IMPOSSIBLE
        if not everywhere and mask[Act.AT + location] == 0:
            continue
        if is_open(work, observation, location) and room_at(work, observation, location) > 0:
            work.value[location] = value_here(weights, work, observation, location, at_home)


@kernel
def is_open(work: Record, observation: Row, location: int) -> bool:
    """Above water, or built."""
    if location < NUM_TILES:
        return location % TILES_PER_PENINSULA >= work.flooded[location // TILES_PER_PENINSULA]
    if location >= SPACE:
        return observation[At.COMPONENT + COMPONENT_AT[location - SPACE]] == 2
    return location == CENTRE


@kernel
def value_here(weights: Record, work: Record, observation: Row, location: int, at_home: int) -> float:
    """Worth of an action there times the chance that it comes to it; a pair counts when it is complete."""
    result = worth_at(weights, work, observation, location, see(observation, At.READY + location))
    result *= survival(work, location)
    if is_double(location):
        crowd = see(observation, At.CROWD + location)
        if crowd == 1:
            result *= 2.0
        elif crowd == 0:
            result *= 0.95 if at_home >= 2 else 0.5
        else:
            result = 0.0
    return result


@kernel
def special_value(weights: Record, work: Record, observation: Row, location: int, councilor: int) -> float:
    """What the piece of a councilor adds at a location (11)."""
    crowd = see(observation, At.CROWD + location)
    if location > CENTRE and location < SPACE:
        return 0.0
    if councilor == Councilor.ORATOR:
        return weights.volunteer * survival(work, location)
    if location < NUM_WILD * TILES_PER_PENINSULA and (councilor == Councilor.EXPLORER or councilor == Councilor.PRIEST):
        return 0.17 * work.worth[location // TILES_PER_PENINSULA] * (1 + crowd)
    if councilor == Councilor.CHAMPION and location < NUM_TILES:
        return (1.0 - survival(work, location)) * (1.0 + crowd)
    if councilor == Councilor.EMISSARY and location < NUM_TILES and not is_double(location):
        return 0.2 * work.value[location]
    return 0.0


@kernel
def diver_value(weights: Record, work: Record, observation: Row, location: int, councilor: int) -> float:
    """A flooded tile the navigator or aquanaut may stand on (11.5, 11.6); IMPOSSIBLE for all others."""
    if location >= NUM_TILES or room_at(work, observation, location) <= 0:
        return IMPOSSIBLE
    depth = int(work.flooded[location // TILES_PER_PENINSULA]) - 1 - location % TILES_PER_PENINSULA
    if (
        depth < 0
        or is_double(location)
        or (councilor != Councilor.AQUANAUT and (councilor != Councilor.NAVIGATOR or depth > 0))
    ):
        return IMPOSSIBLE
    calm = work.calm[location // TILES_PER_PENINSULA, 0]
    return calm * (0.2 + worth_at(weights, work, observation, location, see(observation, At.READY + location)))


@kernel
def councilor_of(work: Record, observation: Row, kind: int) -> int:
    """The councilor a kind of own piece is; ABSENT if none."""
    if kind == Kind.LEADER:
        return see(observation, At.COUNCILOR) - 1
    return int(work.hologram) if kind == Kind.HOLOGRAM else ABSENT


@kernel
def piece_value(weights: Record, work: Record, observation: Row, kind: int, location: int) -> float:
    """One more piece of a kind there."""
    wanted = wanted_at_gate(work, observation, kind, location)
    if wanted != 0.0:
        return wanted
    councilor = councilor_of(work, observation, kind)
    if work.value[location] == IMPOSSIBLE:
        if councilor == Councilor.NAVIGATOR or councilor == Councilor.AQUANAUT:
            return diver_value(weights, work, observation, location, councilor)
        return IMPOSSIBLE
    if location == SEAL and kind != Kind.FOLLOWER:
        return IMPOSSIBLE
    if kind == Kind.AUTOMATON:
        return automaton_value(work, observation, location)
    result = work.value[location]
    if councilor != ABSENT:
        result += special_value(weights, work, observation, location, councilor)
        if (
            work.risky != 0
            and location < NUM_TILES
            and (councilor == Councilor.NAVIGATOR or councilor == Councilor.AQUANAUT)
        ):
            result *= work.calm[location // TILES_PER_PENINSULA, 0] / max(0.01, survival(work, location))
    return result


@kernel
def automaton_value(work: Record, observation: Row, location: int) -> float:
    """It helps dice and completes pairs."""
    if observation[At.CROWD + location] == 0:
        return IMPOSSIBLE
    if location < NUM_WILD * TILES_PER_PENINSULA:
        return 0.33 * work.worth[location // TILES_PER_PENINSULA] * see(observation, At.CROWD + location)
    return work.value[location] if is_double(location) else 0.1


@kernel
def wanted_at_gate(work: Record, observation: Row, kind: int, location: int) -> float:
    """What the plan asks of the own seat; 0 if nothing."""
    if location <= CENTRE or location >= SPACE:
        return 0.0
    gate = location - GATE
    component = work.plan[gate]
    if component == ABSENT or work.builders[gate] & 1 == 0 or kind == Kind.AUTOMATON:
        return IMPOSSIBLE
    if component == Component.POWER_CORE:
        return PLANNED if kind == Kind.LEADER else IMPOSSIBLE
    if gate == 0 and work.keeper[Councilor.ARTIFICER] == 0:
        special = Kind.HOLOGRAM if work.hologram == Councilor.ARTIFICER else Kind.LEADER
        if work.home[special] > 0 or work.stands[Councilor.ARTIFICER] == location:
            return PLANNED if kind == special else IMPOSSIBLE
    if own_at(observation, location) > 0:
        return IMPOSSIBLE
    if kind == Kind.LEADER and work.plan[0] == Component.POWER_CORE:
        return IMPOSSIBLE
    rank = 3.0 if kind == Kind.VOLUNTEER else 2.0 if kind == Kind.FOLLOWER else 1.0
    return PLANNED + rank


@kernel
def score_deployment(weights: Record, work: Record, observation: Row, mask: Row) -> None:
    """Score the choices of a turn in deployment (D4)."""
    work.score[Act.PEEK] = BEFORE_PLACING
    work.score[Act.READY] = 0.0
    plan_builds(weights, work)
    placing = False
    for kind in range(NUM_KINDS):
        placing = placing or mask[Act.PLACE + kind] != 0
    if not placing:
        score_wards(weights, work, observation, mask)
        return
    if mask[Act.READY] != 0:
        work.score[Act.READY] = PLANNED - 1.0
    survey(weights, work, observation, mask, True)
    for kind in range(NUM_KINDS):
        if mask[Act.PLACE + kind] != 0:
            best = gate_value(work, observation, kind)
            if best < PLANNED:
                special = kind == Kind.LEADER or kind == Kind.HOLOGRAM
                councilor = councilor_of(work, observation, kind)
                diving = councilor == Councilor.NAVIGATOR or councilor == Councilor.AQUANAUT
                for location in range(NUM_LOCATIONS):
                    if work.value[location] > best or (special and (diving or work.value[location] != IMPOSSIBLE)):
                        best = max(best, piece_value(weights, work, observation, kind, location))
            work.score[Act.PLACE + kind] = best + (
                -20.0 if kind == Kind.AUTOMATON else weights.leader_first if kind == Kind.LEADER else 0.0
            )


@kernel
def gate_value(work: Record, observation: Row, kind: int) -> float:
    """The best the plan asks of a kind."""
    best = IMPOSSIBLE
    for gate in range(NUM_GATES):
        if work.plan[gate] != ABSENT:
            best = max(best, wanted_at_gate(work, observation, kind, GATE + gate))
    return best


@kernel
def score_wards(weights: Record, work: Record, observation: Row, mask: Row) -> None:
    """Score barriers and drains when everybody stands; READY is worth 0 (9.1, 9.3)."""
    planned = 0
    for gate in range(NUM_GATES):
        if work.plan[gate] != ABSENT:
            planned += int(work.price[work.plan[gate], Good.ENERGY - 1])
    spare = int(work.have[Good.ENERGY]) - planned
    cost = see(observation, At.COSTS)
    drain_cost = see(observation, At.COSTS + 1)
    players = int(work.players)
    for peninsula in range(NUM_PENINSULAS):
        if mask[Act.BARRIER + peninsula] != 0 and spare - cost >= weights.ward_reserve * players:
            risk = 1.0 - work.calm[peninsula, 0]
            work.score[Act.BARRIER + peninsula] = 0.1 + risk * (1.0 + loss(weights, work, observation, peninsula, True))
        if mask[Act.DRAIN + peninsula] != 0 and spare - drain_cost >= weights.drain_reserve * players:
            work.score[Act.DRAIN + peninsula] = drain_gain(weights, work, observation, peninsula)


@kernel
def drain_gain(weights: Record, work: Record, observation: Row, peninsula: int) -> float:
    """How useful the tile is that comes up again; small numbers, to choose between peninsulas."""
    work.flooded[peninsula] -= 1
    result = 0.05 + 0.1 * loss(weights, work, observation, peninsula, False)
    work.flooded[peninsula] += 1
    return result


@kernel
def score_place(weights: Record, work: Record, observation: Row, mask: Row, kind: int) -> None:
    """Score the locations for a piece of a kind (D5, D11)."""
    plan_builds(weights, work)
    if gate_value(work, observation, kind) < PLANNED:
        survey(weights, work, observation, mask, False)
    else:
        for location in range(NUM_LOCATIONS):
            work.value[location] = IMPOSSIBLE
    for location in range(NUM_LOCATIONS):
        if mask[Act.AT + location] != 0:
            score = piece_value(weights, work, observation, kind, location)
            work.score[Act.AT + location] = score if score != IMPOSSIBLE else UNFIT
