"""What one more ordinary piece is worth at every location; what is the same for many of them is found once."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising import floods, places
from atlantis_agents.heuristics.atlantis_rising.scratch import see
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Good, Kind, Peninsula, Symbol
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.kernels.kernel import kernel

IMPOSSIBLE = -1e6
COMPONENT_AT = tuple(data.SPACES)  # component spaces in the order of the locations


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
    survey_forges(weights, scratch, observation)
    enter(scratch, data.CENTRE, places.energy_of(weights, scratch, 1))
    survey_components(weights, scratch, observation, pair)


@kernel
def clear_survey(scratch: Record) -> None:
    """No location is open."""
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
    """Return a pair counts when it is complete."""
    return value * 2.0 if crowd == 1 else value * pair if crowd == 0 else 0.0


@kernel
def has_room(scratch: Record, observation: Row, location: int) -> bool:
    """Return whether a tile has a free space."""
    return places.spaces_on(scratch, location) > see(observation, At.CROWD + location)


@kernel
def survey_wild(scratch: Record, observation: Row, peninsula: int) -> None:
    """The tiles of a wild peninsula above water."""
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
    """The cities above water."""
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
    """The libraries above water."""
    both, one = places.library_worth(weights, scratch, True), places.library_worth(weights, scratch, False)
    for position in range(int(scratch.flooded[Peninsula.LIBRARIES]), data.TILES_PER_PENINSULA):
        location = data.TILES_PER_PENINSULA * Peninsula.LIBRARIES + position
        if has_room(scratch, observation, location):
            value = both if observation[At.TILE + location] == Symbol.KEEP_BOTH else one
            enter(scratch, location, value * floods.survival(scratch, location))


@kernel
def survey_forges(weights: Record, scratch: Record, observation: Row) -> None:
    """The forges above water."""
    for position in range(int(scratch.flooded[Peninsula.FORGES]), data.TILES_PER_PENINSULA):
        location = data.TILES_PER_PENINSULA * Peninsula.FORGES + position
        if has_room(scratch, observation, location):
            value = places.forge_at(weights, scratch, observation, float(observation[At.TILE + location]))
            enter(scratch, location, value * floods.survival(scratch, location))


@kernel
def survey_components(weights: Record, scratch: Record, observation: Row, pair: float) -> None:
    """The spaces of components that are built."""
    for number in range(data.NUM_LOCATIONS - data.SPACE):
        if observation[At.COMPONENT + COMPONENT_AT[number]] == 2:
            location = data.SPACE + number
            crowd = see(observation, At.CROWD + location)
            if crowd < places.SPACES_AT[number]:
                value = places.component_at(weights, scratch, observation, location)
                enter(scratch, location, paired(value, crowd, pair) if places.is_double(location) else value)
