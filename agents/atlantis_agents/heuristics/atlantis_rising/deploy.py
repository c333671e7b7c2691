"""Phase 1: where each Atlantean goes, and what energy buys before the sea comes (5, 9).

A survey says what one more ordinary piece is worth at every location; what is the same for many is found once.
"""

from __future__ import annotations

from atlantis_agents.heuristics import some
from atlantis_agents.heuristics.atlantis_rising import cards, floods, gates, places
from atlantis_agents.heuristics.atlantis_rising.scratch import ABSENT, remember, see, unpack_goods
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Component, Councilor, Good, Kind, Peninsula, Symbol
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.kernels.kernel import kernel

IMPOSSIBLE = -1e6
COMPONENT_AT = tuple(data.SPACES)  # component spaces in the order of the locations
PLANNED = 40.0  # a place on a gate that the plan asks for
UNFIT = -100.0  # legal, but not seen to be open
BEFORE_PLACING = 50.0


@kernel
def survey(weights: Record, scratch: Record, observation: Row) -> None:
    """Fill ``value``, IMPOSSIBLE where no piece fits; the places where one does stand in ``open``.

    ``best`` is the highest value of all, ``best_unsealed`` that without the spirit seal.
    """
    clear_survey(scratch)
    for peninsula in range(data.NUM_WILD):
        survey_wild(scratch, observation, peninsula)
    pair = pair_chance(scratch)
    survey_cities(weights, scratch, observation, pair)
    survey_libraries(weights, scratch, observation)
    survey_forges(scratch, observation)
    enter(scratch, data.CENTRE, places.energy_of(weights, scratch, 1))
    survey_components(weights, scratch, observation, pair)


@kernel
def clear_survey(scratch: Record) -> None:
    """Clear the survey: no location is open."""
    for location in range(data.NUM_LOCATIONS):
        scratch.value[location] = IMPOSSIBLE
    scratch.num_open = 0
    scratch.best = scratch.best_unsealed = IMPOSSIBLE


@kernel
def enter(scratch: Record, location: int, value: float) -> None:
    """Write down what a piece is worth at an open location."""
    scratch.value[location] = value
    scratch.open[scratch.num_open] = location
    scratch.num_open += 1
    scratch.best = max(scratch.best, value)
    if location != places.SEAL:
        scratch.best_unsealed = max(scratch.best_unsealed, value)


@kernel
def pair_chance(scratch: Record) -> float:
    """Return the part of a pair's worth that the first piece of two has."""
    at_home = 0
    for kind in range(data.NUM_KINDS):
        if kind != Kind.AUTOMATON:
            at_home += int(scratch.home[kind])
    return 0.95 if at_home >= 2 else 0.5


@kernel
def paired(value: float, crowd: int, pair: float) -> float:
    """Return the worth of a location for pairs, which count when they are complete."""
    return value * 2.0 if crowd == 1 else value * pair if crowd == 0 else 0.0


@kernel
def has_room(scratch: Record, observation: Row, location: int) -> bool:
    """Return whether a tile has a free space."""
    spaces = 2 if places.is_double(location) else places.SPACES_OF[location % data.TILES_PER_PENINSULA]
    if scratch.stands[Councilor.EMISSARY] == location:
        spaces += 1
    return spaces > see(observation, At.CROWD + location)


@kernel
def survey_wild(scratch: Record, observation: Row, peninsula: int) -> None:
    """Enter the tiles of a wild peninsula above water."""
    energy = int(scratch.goods[0, Good.ENERGY])
    gaps, shift = places.gaps_paid(scratch, peninsula, energy), places.shift_of(scratch, observation, peninsula)
    for position in range(int(scratch.flooded[peninsula]), data.TILES_PER_PENINSULA):
        location = data.TILES_PER_PENINSULA * peninsula + position
        if has_room(scratch, observation, location):
            own = see(observation, At.READY + location)
            paid = gaps if own == 0 else min(gaps, max(0, energy - own))
            value = places.roll(scratch, observation, peninsula, location, shift, paid)
            enter(scratch, location, value * floods.survival(scratch, location))


@kernel
def survey_cities(weights: Record, scratch: Record, observation: Row, pair: float) -> None:
    """Enter the cities above water."""
    recruit = places.follower_worth(weights, scratch) if observation[At.RESERVE] != 0 else 0.0
    gaps, ease = places.city_gaps(scratch, recruit), places.city_ease(scratch, observation)
    for position in range(int(scratch.flooded[Peninsula.CITIES]), data.TILES_PER_PENINSULA):
        location = data.TILES_PER_PENINSULA * Peninsula.CITIES + position
        if has_room(scratch, observation, location):
            value = 0.0
            if recruit > 0.0:
                value = places.recruiting(scratch, recruit, see(observation, At.TILE + location) - ease, gaps)
            value *= floods.survival(scratch, location)
            enter(scratch, location, paired(value, see(observation, At.CROWD + location), pair))


@kernel
def survey_libraries(weights: Record, scratch: Record, observation: Row) -> None:
    """Enter the libraries above water."""
    both, one = places.library_worth(weights, scratch, True), places.library_worth(weights, scratch, False)
    for position in range(int(scratch.flooded[Peninsula.LIBRARIES]), data.TILES_PER_PENINSULA):
        location = data.TILES_PER_PENINSULA * Peninsula.LIBRARIES + position
        if has_room(scratch, observation, location):
            value = both if observation[At.TILE + location] == Symbol.KEEP_BOTH else one
            enter(scratch, location, value * floods.survival(scratch, location))


@kernel
def survey_forges(scratch: Record, observation: Row) -> None:
    """Enter the forges above water."""
    for position in range(int(scratch.flooded[Peninsula.FORGES]), data.TILES_PER_PENINSULA):
        location = data.TILES_PER_PENINSULA * Peninsula.FORGES + position
        if has_room(scratch, observation, location):
            value = places.forge_at(scratch, float(observation[At.TILE + location]))
            enter(scratch, location, value * floods.survival(scratch, location))


@kernel
def survey_components(weights: Record, scratch: Record, observation: Row, pair: float) -> None:
    """Enter the spaces of components that are built."""
    for number in range(data.NUM_LOCATIONS - data.SPACE):
        if observation[At.COMPONENT + COMPONENT_AT[number]] == 2:
            location = data.SPACE + number
            crowd = see(observation, At.CROWD + location)
            if crowd < places.SPACES_AT[number]:
                value = places.component_at(weights, scratch, observation, location)
                enter(scratch, location, paired(value, crowd, pair) if places.is_double(location) else value)


# ------------------------------------------------------------------------------------------------ one piece


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
    """Return the worth of a flooded tile to the navigator or aquanaut (11.5, 11.6); IMPOSSIBLE for all others."""
    if location >= data.NUM_TILES or not has_room(scratch, observation, location):
        return IMPOSSIBLE
    depth = int(scratch.flooded[location // data.TILES_PER_PENINSULA]) - 1 - location % data.TILES_PER_PENINSULA
    if (
        depth < 0
        or places.is_double(location)
        or (councilor != Councilor.AQUANAUT and (councilor != Councilor.NAVIGATOR or depth > 0))
    ):
        return IMPOSSIBLE
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
    """Return the worth of a councilor's piece at an open location."""
    result = scratch.value[location] + special_value(weights, scratch, observation, location, councilor)
    if scratch.risky != 0 and location < data.NUM_TILES and is_diver(councilor):
        result *= scratch.calm[location // data.TILES_PER_PENINSULA, 0] / max(0.01, floods.survival(scratch, location))
    return result


@kernel
def automaton_value(scratch: Record, observation: Row, location: int) -> float:
    """Return the automaton's worth at a location: it helps dice and completes pairs."""
    if observation[At.CROWD + location] == 0:
        return IMPOSSIBLE
    if location < data.NUM_WILD * data.TILES_PER_PENINSULA:
        return 0.33 * scratch.worth[location // data.TILES_PER_PENINSULA] * see(observation, At.CROWD + location)
    return scratch.value[location] if places.is_double(location) else 0.1


@kernel
def wanted_at_gate(scratch: Record, observation: Row, kind: int, gate: int) -> float:
    """Return what the plan asks of the own seat; IMPOSSIBLE if nothing."""
    location = data.GATE + gate
    component = scratch.plan[gate]
    if component == ABSENT or scratch.builders[gate] & 1 == 0 or kind == Kind.AUTOMATON:
        return IMPOSSIBLE
    if component == Component.POWER_CORE:
        return PLANNED if kind == Kind.LEADER else IMPOSSIBLE
    if gate == 0 and scratch.keeper[Councilor.ARTIFICER] == 0:
        special = Kind.HOLOGRAM if scratch.hologram == Councilor.ARTIFICER else Kind.LEADER
        if scratch.home[special] > 0 or scratch.stands[Councilor.ARTIFICER] == location:
            return PLANNED if kind == special else IMPOSSIBLE
    if places.own_at(observation, location) > 0:
        return IMPOSSIBLE
    if kind == Kind.LEADER and scratch.plan[0] == Component.POWER_CORE:
        return IMPOSSIBLE
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
    """Read the own pieces at home."""
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
        scratch.wanted[kind] = gate_value(scratch, observation, kind) if mask[Act.PLACE + kind] != 0 else IMPOSSIBLE
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
                    survey(weights, scratch, observation)
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
        if scratch.wanted[kind] != IMPOSSIBLE:
            return False
    for kind in range(Kind.FOLLOWER):
        if mask[Act.PLACE + kind] != 0 and counts_places(councilor_of(scratch, observation, kind)):
            return False
    return mask[Act.PLACE + Kind.AUTOMATON] == 0


@kernel
def best_place(weights: Record, scratch: Record, observation: Row, kind: int) -> float:
    """Return what a piece of a kind that no gate asks for is worth where it is worth most."""
    best = IMPOSSIBLE
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
            if scratch.value[location] == IMPOSSIBLE:
                best = max(best, diver_value(weights, scratch, observation, location, councilor))
    return best


@kernel
def is_diver(councilor: int) -> bool:
    """Return whether a councilor's piece may stand on flooded tiles."""
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
    best = IMPOSSIBLE
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
def score_place(weights: Record, scratch: Record, observation: Row, kind: int, draws: int) -> None:
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
        clear_survey(scratch)
    else:
        survey(weights, scratch, observation)
    score_surveyed(weights, scratch, observation, kind)


@kernel
def score_studied(weights: Record, scratch: Record, observation: Row, kind: int) -> None:
    """Score the same for a seat whose turn has been studied with this piece at home."""
    scratch.remembered = 0
    if gate_value(scratch, observation, kind) >= PLANNED:
        clear_survey(scratch)
    score_surveyed(weights, scratch, observation, kind)


@kernel
def score_surveyed(weights: Record, scratch: Record, observation: Row, kind: int) -> None:
    """Score the same where plan and survey are made."""
    score_locations(weights, scratch, observation, kind, councilor_of(scratch, observation, kind))
    for gate in range(data.NUM_GATES):
        wanted = wanted_at_gate(scratch, observation, kind, gate)
        scratch.score[Act.AT + data.GATE + gate] = wanted if wanted != IMPOSSIBLE else UNFIT
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
                if scratch.value[location] == IMPOSSIBLE:
                    scratch.value[location] = diver_value(weights, scratch, observation, location, councilor)
    for location in range(data.NUM_LOCATIONS):
        value = scratch.value[location]
        scratch.score[Act.AT + location] = UNFIT if value == IMPOSSIBLE else value
