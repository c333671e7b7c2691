"""What one more ordinary piece is worth at every location; what is the same for many of them is found once."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising.floods import survival
from atlantis_agents.heuristics.atlantis_rising.places import (
    SEAL,
    SPACES_AT,
    city_ease,
    city_gaps,
    component_at,
    energy_of,
    follower_worth,
    forge_at,
    gaps_paid,
    is_double,
    library_worth,
    recruiting,
    roll,
    shift_of,
    spaces_on,
)
from atlantis_agents.heuristics.atlantis_rising.work import see
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.data import (
    CENTRE,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_WILD,
    SPACE,
    SPACES,
    TILES_PER_PENINSULA,
    Good,
    Kind,
    Peninsula,
    Symbol,
)
from atlantis_envs.games.atlantis_rising.layout import At

IMPOSSIBLE = -1e6
COMPONENT_AT = tuple(SPACES)  # component spaces in the order of the locations


@kernel
def survey(weights: Record, work: Record, observation: Row) -> None:
    """Fill ``value``, IMPOSSIBLE where no piece fits; the places where one does stand in ``open``.

    ``best`` is the highest value of all, ``best_unsealed`` that without the spirit seal.
    """
    clear_survey(work)
    for peninsula in range(NUM_WILD):
        survey_wild(work, observation, peninsula)
    pair = pair_chance(work)
    survey_cities(weights, work, observation, pair)
    survey_libraries(weights, work, observation)
    survey_forges(weights, work, observation)
    enter(work, CENTRE, energy_of(weights, work, 1))
    survey_components(weights, work, observation, pair)


@kernel
def clear_survey(work: Record) -> None:
    """No location is open."""
    for location in range(NUM_LOCATIONS):
        work.value[location] = IMPOSSIBLE
    work.num_open = 0
    work.best = work.best_unsealed = IMPOSSIBLE


@kernel
def enter(work: Record, location: int, value: float) -> None:
    """Write down what a piece is worth at an open location."""
    work.value[location] = value
    work.open[work.num_open] = location
    work.num_open += 1
    work.best = max(work.best, value)
    if location != SEAL:
        work.best_unsealed = max(work.best_unsealed, value)


@kernel
def pair_chance(work: Record) -> float:
    """The part of a pair's worth that the first piece of two has."""
    at_home = 0
    for kind in range(NUM_KINDS):
        if kind != Kind.AUTOMATON:
            at_home += int(work.home[kind])
    return 0.95 if at_home >= 2 else 0.5


@kernel
def paired(value: float, crowd: int, pair: float) -> float:
    """A pair counts when it is complete."""
    return value * 2.0 if crowd == 1 else value * pair if crowd == 0 else 0.0


@kernel
def has_room(work: Record, observation: Row, location: int) -> bool:
    """Whether a tile has a free space."""
    return spaces_on(work, location) > see(observation, At.CROWD + location)


@kernel
def survey_wild(work: Record, observation: Row, peninsula: int) -> None:
    """The tiles of a wild peninsula above water."""
    energy = int(work.goods[0, Good.ENERGY])
    gaps, shift = gaps_paid(work, peninsula, energy), shift_of(work, observation, peninsula)
    for position in range(int(work.flooded[peninsula]), TILES_PER_PENINSULA):
        location = TILES_PER_PENINSULA * peninsula + position
        if has_room(work, observation, location):
            own = see(observation, At.READY + location)
            paid = gaps if own == 0 else min(gaps, max(0, energy - own))
            value = roll(work, observation, peninsula, location, shift, paid)
            enter(work, location, value * survival(work, location))


@kernel
def survey_cities(weights: Record, work: Record, observation: Row, pair: float) -> None:
    """The cities above water."""
    recruit = follower_worth(weights, work) if observation[At.RESERVE] != 0 else 0.0
    gaps, ease = city_gaps(work, recruit), city_ease(work, observation)
    for position in range(int(work.flooded[Peninsula.CITIES]), TILES_PER_PENINSULA):
        location = TILES_PER_PENINSULA * Peninsula.CITIES + position
        if has_room(work, observation, location):
            value = 0.0
            if recruit > 0.0:
                value = recruiting(work, recruit, see(observation, At.TILE + location) - ease, gaps)
            value *= survival(work, location)
            enter(work, location, paired(value, see(observation, At.CROWD + location), pair))


@kernel
def survey_libraries(weights: Record, work: Record, observation: Row) -> None:
    """The libraries above water."""
    both, one = library_worth(weights, work, True), library_worth(weights, work, False)
    for position in range(int(work.flooded[Peninsula.LIBRARIES]), TILES_PER_PENINSULA):
        location = TILES_PER_PENINSULA * Peninsula.LIBRARIES + position
        if has_room(work, observation, location):
            value = both if observation[At.TILE + location] == Symbol.KEEP_BOTH else one
            enter(work, location, value * survival(work, location))


@kernel
def survey_forges(weights: Record, work: Record, observation: Row) -> None:
    """The forges above water."""
    for position in range(int(work.flooded[Peninsula.FORGES]), TILES_PER_PENINSULA):
        location = TILES_PER_PENINSULA * Peninsula.FORGES + position
        if has_room(work, observation, location):
            value = forge_at(weights, work, observation, float(observation[At.TILE + location]))
            enter(work, location, value * survival(work, location))


@kernel
def survey_components(weights: Record, work: Record, observation: Row, pair: float) -> None:
    """The spaces of components that are built."""
    for number in range(NUM_LOCATIONS - SPACE):
        if observation[At.COMPONENT + COMPONENT_AT[number]] == 2:
            location = SPACE + number
            crowd = see(observation, At.CROWD + location)
            if crowd < SPACES_AT[number]:
                value = component_at(weights, work, observation, location)
                enter(work, location, paired(value, crowd, pair) if is_double(location) else value)
