"""Phase 1: where each Atlantean goes, and what energy buys before the sea comes (5, 9)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising import cards, floods, gates, places, survey
from atlantis_agents.heuristics.atlantis_rising.scratch import ABSENT, remember, see, unpack_goods
from atlantis_agents.heuristics.listing import some
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Component, Councilor, Good, Kind
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.kernels.kernel import kernel

PLANNED = 40.0  # a place on a gate that the plan asks for
UNFIT = -100.0  # legal, but not seen to be open
BEFORE_PLACING = 50.0


@kernel
def special_value(weights: Record, scratch: Record, observation: Row, location: int, councilor: int) -> float:
    """Return what the piece of a councilor adds at a location (11)."""
    crowd = see(observation, At.CROWD + location)
    if location > data.CENTRE and location < data.SPACE:
        return 0.0
    if councilor == Councilor.ORATOR:
        return weights.volunteer * floods.survival(scratch, location)
    if location < data.NUM_WILD * data.TILES_PER_PENINSULA and (
        councilor == Councilor.EXPLORER or councilor == Councilor.PRIEST
    ):
        return 0.17 * scratch.worth[location // data.TILES_PER_PENINSULA] * (1 + crowd)
    if councilor == Councilor.CHAMPION and location < data.NUM_TILES:
        return (1.0 - floods.survival(scratch, location)) * (1.0 + crowd)
    if councilor == Councilor.EMISSARY and location < data.NUM_TILES and not places.is_double(location):
        return 0.2 * scratch.value[location]
    return 0.0


@kernel
def diver_value(weights: Record, scratch: Record, observation: Row, location: int, councilor: int) -> float:
    """Return a flooded tile the navigator or aquanaut may stand on (11.5, 11.6); IMPOSSIBLE for all others."""
    if location >= data.NUM_TILES or not survey.has_room(scratch, observation, location):
        return survey.IMPOSSIBLE
    depth = int(scratch.flooded[location // data.TILES_PER_PENINSULA]) - 1 - location % data.TILES_PER_PENINSULA
    if (
        depth < 0
        or places.is_double(location)
        or (councilor != Councilor.AQUANAUT and (councilor != Councilor.NAVIGATOR or depth > 0))
    ):
        return survey.IMPOSSIBLE
    calm = scratch.calm[location // data.TILES_PER_PENINSULA, 0]
    return calm * (
        0.2 + places.worth_at(weights, scratch, observation, location, see(observation, At.READY + location))
    )


@kernel
def councilor_of(scratch: Record, observation: Row, kind: int) -> int:
    """Return the councilor a kind of own piece is; ABSENT if none."""
    if kind == Kind.LEADER:
        return see(observation, At.COUNCILOR) - 1
    return int(scratch.hologram) if kind == Kind.HOLOGRAM else ABSENT


@kernel
def councilor_value(weights: Record, scratch: Record, observation: Row, location: int, councilor: int) -> float:
    """Return the piece of a councilor at an open location."""
    result = scratch.value[location] + special_value(weights, scratch, observation, location, councilor)
    if scratch.risky != 0 and location < data.NUM_TILES and is_diver(councilor):
        result *= scratch.calm[location // data.TILES_PER_PENINSULA, 0] / max(0.01, floods.survival(scratch, location))
    return result


@kernel
def automaton_value(scratch: Record, observation: Row, location: int) -> float:
    """It helps dice and completes pairs."""
    if observation[At.CROWD + location] == 0:
        return survey.IMPOSSIBLE
    if location < data.NUM_WILD * data.TILES_PER_PENINSULA:
        return 0.33 * scratch.worth[location // data.TILES_PER_PENINSULA] * see(observation, At.CROWD + location)
    return scratch.value[location] if places.is_double(location) else 0.1


@kernel
def wanted_at_gate(scratch: Record, observation: Row, kind: int, gate: int) -> float:
    """Return what the plan asks of the own seat; IMPOSSIBLE if nothing."""
    location = data.GATE + gate
    component = scratch.plan[gate]
    if component == ABSENT or scratch.builders[gate] & 1 == 0 or kind == Kind.AUTOMATON:
        return survey.IMPOSSIBLE
    if component == Component.POWER_CORE:
        return PLANNED if kind == Kind.LEADER else survey.IMPOSSIBLE
    if gate == 0 and scratch.keeper[Councilor.ARTIFICER] == 0:
        special = Kind.HOLOGRAM if scratch.hologram == Councilor.ARTIFICER else Kind.LEADER
        if scratch.home[special] > 0 or scratch.stands[Councilor.ARTIFICER] == location:
            return PLANNED if kind == special else survey.IMPOSSIBLE
    if places.own_at(observation, location) > 0:
        return survey.IMPOSSIBLE
    if kind == Kind.LEADER and scratch.plan[0] == Component.POWER_CORE:
        return survey.IMPOSSIBLE
    rank = 3.0 if kind == Kind.VOLUNTEER else 2.0 if kind == Kind.FOLLOWER else 1.0
    return PLANNED + rank


@kernel
def score_deployment(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """Score the choices of a turn in deployment (D4)."""
    scratch.score[Act.PEEK] = BEFORE_PLACING
    scratch.score[Act.READY] = 0.0
    unpack_goods(observation, scratch)
    placing, playing = some(mask, Act.PLACE, Act.LIFT), some(mask, Act.PLAY, Act.PLAY + data.NUM_BASIC)
    if placing:
        score_pieces(weights, scratch, observation, mask)
    elif may_ward(weights, scratch, observation, mask):
        score_wards(weights, scratch, observation, mask)
    if playing:
        cards.score_cards(weights, scratch, observation, mask, True, not placing)


@kernel
def unpack_home(scratch: Record, observation: Row) -> None:
    """Own pieces at home."""
    for kind in range(data.NUM_KINDS):
        scratch.home[kind] = see(observation, At.HOME + kind)


@kernel
def score_pieces(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """Score what to place next by the best place for it."""
    if mask[Act.READY] != 0:
        scratch.score[Act.READY] = PLANNED - 1.0
    unpack_home(scratch, observation)
    gates.plan_builds(weights, scratch)
    for kind in range(data.NUM_KINDS):
        scratch.wanted[kind] = (
            gate_value(scratch, observation, kind) if mask[Act.PLACE + kind] != 0 else survey.IMPOSSIBLE
        )
    if scratch.ranking == 0 and is_all_the_same(weights, scratch, observation, mask):
        for kind in range(data.NUM_KINDS):
            scratch.score[Act.PLACE + kind] = liking(weights, kind)
        return
    surveyed = False
    for kind in range(data.NUM_KINDS):
        if mask[Act.PLACE + kind] != 0:
            best = scratch.wanted[kind]
            if best < PLANNED:
                if not surveyed:
                    places.weigh_goods(weights, scratch, observation)
                    floods.foresee(scratch, observation, max(floods.LEAST_DRAWS, int(scratch.players)))
                    survey.survey(weights, scratch, observation)
                    remember(scratch, observation)
                    surveyed = True
                best = max(best, best_place(weights, scratch, observation, kind))
            scratch.score[Act.PLACE + kind] = best + liking(weights, kind)


@kernel
def liking(weights: Record, kind: int) -> float:
    """Return what is added to the worth of the best place for a kind."""
    return -20.0 if kind == Kind.AUTOMATON else weights.leader_first if kind == Kind.LEADER else 0.0


@kernel
def is_all_the_same(weights: Record, scratch: Record, observation: Row, mask: Row) -> bool:
    """Return whether it takes no survey to see that all kinds but the automaton are worth most at the same place.

    Then that worth, whatever it is, decides nothing, as long as it is not below 0 and nothing else is worth more.
    """
    if mask[Act.READY] != 0 or mask[Act.PEEK] != 0 or some(mask, Act.PLAY, Act.PLAY + data.NUM_BASIC):
        return False
    if observation[At.COMPONENT + Component.SPIRIT_SEAL] == 2 and mask[Act.PLACE + Kind.FOLLOWER] != 0:
        return False  # followers alone go there
    if weights.energy < 0.0 or weights.plenty < 0.0 or weights.first_energy < 0.0:
        return False  # the centre is always open
    for kind in range(data.NUM_KINDS):
        if scratch.wanted[kind] != survey.IMPOSSIBLE:
            return False
    for kind in range(Kind.FOLLOWER):
        if mask[Act.PLACE + kind] != 0 and counts_places(councilor_of(scratch, observation, kind)):
            return False
    return mask[Act.PLACE + Kind.AUTOMATON] == 0


@kernel
def best_place(weights: Record, scratch: Record, observation: Row, kind: int) -> float:
    """Return what a piece of a kind that no gate asks for is worth where it is worth most."""
    best = survey.IMPOSSIBLE
    if kind == Kind.FOLLOWER:
        return float(scratch.best)
    if kind == Kind.AUTOMATON:
        for number in range(int(scratch.num_open)):
            location = int(scratch.open[number])
            if scratch.value[location] > best and location != places.SEAL:
                best = max(best, automaton_value(scratch, observation, location))
        return best
    councilor = councilor_of(scratch, observation, kind)
    if not counts_places(councilor):
        return float(scratch.best_unsealed)
    for number in range(int(scratch.num_open)):
        location = int(scratch.open[number])
        if location != places.SEAL:
            best = max(best, councilor_value(weights, scratch, observation, location, councilor))
    if is_diver(councilor):
        for location in range(data.NUM_TILES):
            if scratch.value[location] == survey.IMPOSSIBLE:
                best = max(best, diver_value(weights, scratch, observation, location, councilor))
    return best


@kernel
def is_diver(councilor: int) -> bool:
    """May stand on flooded tiles."""
    return councilor == Councilor.NAVIGATOR or councilor == Councilor.AQUANAUT


@kernel
def counts_places(councilor: int) -> bool:
    """Return whether the piece of a councilor is worth more, or less, than others at some places (11)."""
    return (
        is_diver(councilor)
        or councilor == Councilor.EXPLORER
        or councilor == Councilor.PRIEST
        or councilor == Councilor.EMISSARY
        or councilor == Councilor.CHAMPION
        or councilor == Councilor.ORATOR
    )


@kernel
def gate_value(scratch: Record, observation: Row, kind: int) -> float:
    """Return the best the plan asks of a kind."""
    best = survey.IMPOSSIBLE
    for gate in range(data.NUM_GATES):
        if scratch.plan[gate] != ABSENT:
            best = max(best, wanted_at_gate(scratch, observation, kind, gate))
    return best


@kernel
def may_ward(weights: Record, scratch: Record, observation: Row, mask: Row) -> bool:
    """Return whether energy would be left after a barrier or a drain if nothing is built."""
    energy, players = int(scratch.have[Good.ENERGY]), int(scratch.players)
    barrier = energy - see(observation, At.COSTS) >= weights.ward_reserve * players
    drain = energy - see(observation, At.COSTS + 1) >= weights.drain_reserve * players
    return (barrier and some(mask, Act.BARRIER, Act.DRAIN)) or (drain and some(mask, Act.DRAIN, Act.FLOOD))


@kernel
def score_wards(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """Score barriers and drains when everybody stands; READY is worth 0 (9.1, 9.3)."""
    places.weigh_goods(weights, scratch, observation)
    gates.plan_builds(weights, scratch)
    planned = 0
    for gate in range(data.NUM_GATES):
        if scratch.plan[gate] != ABSENT:
            planned += int(scratch.price[scratch.plan[gate], Good.ENERGY - 1])
    spare = int(scratch.have[Good.ENERGY]) - planned
    players = int(scratch.players)
    if spare - see(observation, At.COSTS) >= weights.ward_reserve * players:
        floods.foresee(scratch, observation, max(floods.LEAST_DRAWS, players))
        for peninsula in range(data.NUM_PENINSULAS):
            if mask[Act.BARRIER + peninsula] != 0:
                risk = 1.0 - scratch.calm[peninsula, 0]
                worth = 0.1 + risk * (1.0 + floods.loss(weights, scratch, observation, peninsula, True))
                scratch.score[Act.BARRIER + peninsula] = worth
    if spare - see(observation, At.COSTS + 1) >= weights.drain_reserve * players:
        for peninsula in range(data.NUM_PENINSULAS):
            if mask[Act.DRAIN + peninsula] != 0:
                scratch.score[Act.DRAIN + peninsula] = drain_gain(weights, scratch, observation, peninsula)


@kernel
def drain_gain(weights: Record, scratch: Record, observation: Row, peninsula: int) -> float:
    """Return how useful the tile is that comes up again; small numbers, to choose between peninsulas."""
    scratch.flooded[peninsula] -= 1
    result = 0.05 + 0.1 * floods.loss(weights, scratch, observation, peninsula, False)
    scratch.flooded[peninsula] += 1
    return result


@kernel
def score_place(weights: Record, scratch: Record, observation: Row, mask: Row, kind: int, draws: int) -> None:
    """Score the locations for a piece of a kind (D5, D11), with so many misfortunes to come."""
    unpack_home(scratch, observation)
    unpack_goods(observation, scratch)
    gates.plan_builds(weights, scratch)
    councilor = councilor_of(scratch, observation, kind)
    planned = gate_value(scratch, observation, kind) >= PLANNED
    if not planned or is_diver(councilor):
        places.weigh_goods(weights, scratch, observation)
        floods.foresee(scratch, observation, draws)
    if planned:
        survey.clear_survey(scratch)
    else:
        survey.survey(weights, scratch, observation)
    score_surveyed(weights, scratch, observation, kind)


@kernel
def score_studied(weights: Record, scratch: Record, observation: Row, kind: int) -> None:
    """The same for a seat whose turn has been studied with this piece at home."""
    scratch.remembered = 0
    if gate_value(scratch, observation, kind) >= PLANNED:
        survey.clear_survey(scratch)
    score_surveyed(weights, scratch, observation, kind)


@kernel
def score_surveyed(weights: Record, scratch: Record, observation: Row, kind: int) -> None:
    """The same where plan and survey are made."""
    score_locations(weights, scratch, observation, kind, councilor_of(scratch, observation, kind))
    for gate in range(data.NUM_GATES):
        wanted = wanted_at_gate(scratch, observation, kind, gate)
        scratch.score[Act.AT + data.GATE + gate] = wanted if wanted != survey.IMPOSSIBLE else UNFIT
    if kind != Kind.FOLLOWER:
        scratch.score[Act.AT + places.SEAL] = UNFIT


@kernel
def score_locations(weights: Record, scratch: Record, observation: Row, kind: int, councilor: int) -> None:
    """Score the locations by what a piece of a kind that no gate asks for is worth there."""
    if kind == Kind.AUTOMATON:
        for number in range(int(scratch.num_open)):
            location = int(scratch.open[number])
            scratch.value[location] = automaton_value(scratch, observation, location)
    elif counts_places(councilor):
        for number in range(int(scratch.num_open)):
            location = int(scratch.open[number])
            scratch.value[location] = councilor_value(weights, scratch, observation, location, councilor)
        if is_diver(councilor):
            for location in range(data.NUM_TILES):
                if scratch.value[location] == survey.IMPOSSIBLE:
                    scratch.value[location] = diver_value(weights, scratch, observation, location, councilor)
    for location in range(data.NUM_LOCATIONS):
        value = scratch.value[location]
        scratch.score[Act.AT + location] = UNFIT if value == survey.IMPOSSIBLE else value
