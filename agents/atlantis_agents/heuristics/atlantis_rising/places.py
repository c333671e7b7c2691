"""What one action at a location is worth, before chance, crowd and company are counted (7.6 - 7.11)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising.scratch import see, unpack_goods, value_goods
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Artifact, Councilor, Good, Peninsula, Symbol
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.kernels.kernel import kernel

SPACES_OF = (1, 1, 2, 2, 2, 3)  # island tiles by position (2.3); the mask knows better where data are replaced
SEAL, CONDUIT, SIPHON, CONVERTER, CRUCIBLE, BEACON, AMPLIFY, ANCHOR, PRISM = range(data.SPACE, data.SPACE + 9)
TERRAFORMER, TECTONIC, LATTICE, ORRERY, VAULT = range(data.SPACE + 9, data.SPACE + 14)
SPACES_AT = (2, 1, 1, 2, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2)  # component spaces in the order of the locations
CARD_LIMIT = 4
SIXTHS = tuple(faces / 6.0 for faces in range(7))
STEPS = (*((1.0 - chance) / (6 - faces) for faces, chance in enumerate(SIXTHS[:6])), 0.0)  # the chance of each gap
MOST_GAPS, MOST_CITY_GAPS = 6, 20  # more than any die lacks, and than two dice lack
WAYS = tuple(max(0, 6 - abs(7 - total)) / 36.0 for total in range(13))  # the chance of a total of two dice


@kernel
def is_double(location: int) -> bool:
    """Return whether two pieces act together at a location (2.3, 2.4)."""
    return location >= TERRAFORMER or (location >= data.CITIES_START and location < data.CITIES_STOP)


@kernel
def has_artifact(scratch: Record, observation: Row, artifact: int) -> bool:
    """Return whether it works for the own seat; what the hologram has works for the first player (R-29)."""
    keeper = see(observation, At.ARTIFACT + artifact)
    return keeper == 1 or (keeper == data.MAX_PLAYERS + 1 and scratch.first == 0)


@kernel
def worth_at(weights: Record, scratch: Record, observation: Row, location: int, own: int) -> float:
    """Return one action's worth there to the seat, ``own`` of its pieces there already; half on double spaces."""
    if location < data.NUM_WILD * data.TILES_PER_PENINSULA:
        return roll_at(scratch, observation, location, own)
    if location < data.CITIES_STOP:
        return city_at(weights, scratch, observation, location)
    if location < Peninsula.LIBRARIES * data.TILES_PER_PENINSULA + data.TILES_PER_PENINSULA:
        return library_worth(weights, scratch, observation[At.TILE + location] == Symbol.KEEP_BOTH)  # 7.9
    if location < data.NUM_TILES:
        return forge_at(scratch, float(observation[At.TILE + location]))
    if location == data.CENTRE:
        return energy_of(weights, scratch, 1)
    if location < data.GATE + data.NUM_GATES:
        return 0.0
    return component_at(weights, scratch, observation, location)


@kernel
def energy_of(weights: Record, scratch: Record, amount: int) -> float:
    """Return the worth of energy to the own seat; its first is worth more."""
    result = scratch.worth[Good.ENERGY] * amount
    if scratch.goods[0, Good.ENERGY] == 0:
        result += weights.first_energy
    return result


@kernel
def roll_at(scratch: Record, observation: Row, location: int, own: int) -> float:
    """Return the worth of a die, and of the energy that is worth adding (7.6)."""
    peninsula = location // data.TILES_PER_PENINSULA
    energy = int(scratch.goods[0, Good.ENERGY]) - own
    shift = shift_of(scratch, observation, peninsula)
    return roll(scratch, observation, peninsula, location, shift, gaps_paid(scratch, peninsula, energy))


@kernel
def shift_of(scratch: Record, observation: Row, peninsula: int) -> int:
    """Return what earthquakes, atlases and the idol add to the targets of a wild peninsula."""
    shift = see(observation, At.ROUND + 5) - data.ATLAS_EASE * see(observation, At.ATLAS + peninsula)
    return shift - 1 if has_artifact(scratch, observation, Artifact.MINER_IDOL + peninsula) else shift


@kernel
def gaps_paid(scratch: Record, peninsula: int, energy: int) -> int:
    """Return the largest gap between die and target that is worth its energy, as far as there is some."""
    good, price = scratch.worth[peninsula], scratch.worth[Good.ENERGY]
    gap = 0
    while gap < energy and gap < MOST_GAPS and good - (gap + 1) * price > 0.0:
        gap += 1
    return gap


@kernel
def roll(scratch: Record, observation: Row, peninsula: int, location: int, shift: int, gaps: int) -> float:
    """Return the worth of the good that a die brings, where gaps up to ``gaps`` are paid."""
    target = see(observation, At.TILE + location) + shift
    if scratch.stands[Councilor.EXPLORER] == location:
        target -= 1
    good = scratch.worth[peninsula]
    faces = min(6, max(0, 7 - target))
    chance, step = SIXTHS[faces], STEPS[faces]
    if scratch.stands[Councilor.PRIEST] == location:
        chance += (1.0 - chance) * chance
        step = (1.0 - chance) / max(1, 6 - faces)
    result = chance * good
    for gap in range(1, min(gaps, 6 - faces) + 1):
        result += step * (good - gap * scratch.worth[Good.ENERGY])
    return result


@kernel
def follower_worth(weights: Record, scratch: Record) -> float:
    """Return the worth of a follower, which acts in every round to come."""
    return weights.follower * max(0.0, weights.rounds - int(scratch.round_number))


@kernel
def city_at(weights: Record, scratch: Record, observation: Row, location: int) -> float:
    """Return the worth of a city, per piece (7.7)."""
    if observation[At.RESERVE] == 0:
        return 0.0
    recruit = follower_worth(weights, scratch)
    target = see(observation, At.TILE + location) - city_ease(scratch, observation)
    return recruiting(scratch, recruit, target, city_gaps(scratch, recruit))


@kernel
def city_ease(scratch: Record, observation: Row) -> int:
    """Return what Wrath and the mask of voices take off the targets of cities."""
    ease = int(scratch.wrath)
    return ease + 1 if has_artifact(scratch, observation, Artifact.MASK_OF_VOICES) else ease


@kernel
def city_gaps(scratch: Record, recruit: float) -> int:
    """Return the largest gap between two dice and their target that is worth its energy, as far as there is some."""
    energy, price = int(scratch.goods[0, Good.ENERGY]), scratch.worth[Good.ENERGY]
    gap = 0
    while gap < energy and gap < MOST_CITY_GAPS and recruit - (gap + 1) * price > 0.0:
        gap += 1
    return gap


@kernel
def recruiting(scratch: Record, recruit: float, target: int, gaps: int) -> float:
    """Return what two dice bring to a piece, where gaps up to ``gaps`` are paid."""
    result = 0.0
    for total in range(max(2, target - gaps), 13):
        gap = max(0, target - total)
        result += WAYS[total] * max(0.0, recruit - gap * scratch.worth[Good.ENERGY])
    return 0.5 * result


@kernel
def library_worth(weights: Record, scratch: Record, both: bool) -> float:
    """Return the worth of the cards kept, less energy for the second, as far as deck and hand have room."""
    if scratch.cards <= 0:
        return 0.0
    room = int(scratch.room)
    card = weights.card + weights.card_growth * int(scratch.round_number)
    first = card if room >= 1 else card * weights.crowded_card
    second = card if room >= 2 else card * weights.crowded_card
    if both:
        return first + second
    if scratch.goods[0, Good.ENERGY] > 0:
        return first + max(0.2, second - scratch.worth[Good.ENERGY])
    return first + 0.2


@kernel
def count_own(scratch: Record, observation: Row) -> None:
    """Count cards nobody stands for yet, room in the own hand, own ore nobody will forge."""
    cards = see(observation, At.BOTTOM)
    for card in range(data.NUM_CARDS):
        cards += see(observation, At.DECK + card)
    room = CARD_LIMIT
    for card in range(data.NUM_BASIC):
        room -= see(observation, At.HAND + card)
    for tile in range(Peninsula.LIBRARIES * data.TILES_PER_PENINSULA, Peninsula.FORGES * data.TILES_PER_PENINSULA):
        cards -= 2 * see(observation, At.CROWD + tile)
        room -= 2 * see(observation, At.READY + tile)
    ore = float(scratch.goods[0, Good.ORE])
    for tile in range(Peninsula.FORGES * data.TILES_PER_PENINSULA, data.NUM_TILES):
        ore -= see(observation, At.READY + tile)
    ore -= see(observation, At.READY + CRUCIBLE)
    for tile in range(data.TILES_PER_PENINSULA):
        ore += 0.5 * see(observation, At.READY + tile)
    scratch.cards = cards
    scratch.room = room
    scratch.ores = ore


@kernel
def forge_at(scratch: Record, rate: float) -> float:
    """Return the worth of forging an own ore that no other own piece will use; one still to come counts half (7.10)."""
    ore = float(scratch.ores)
    if ore <= 0.0:
        return 0.0
    return min(1.0, ore) * rate * scratch.worth[Good.ATLANTIUM]


@kernel
def component_at(weights: Record, scratch: Record, observation: Row, location: int) -> float:
    """Return the worth of a component's space, half on double spaces (7.11)."""
    if location == SEAL:
        return energy_of(weights, scratch, data.SEAL_ENERGY)
    if location == SIPHON:
        return energy_of(weights, scratch, data.SIPHON_ENERGY + int(scratch.wrath))
    if location == CONDUIT:
        return weights.volunteer * min(data.CONDUIT_VOLUNTEERS, see(observation, At.ROUND + 2))
    if location == CONVERTER:
        return weights.swap * min(data.CONVERTER_SWAPS, swaps_of(scratch))
    if location == CRUCIBLE:
        return forge_at(scratch, float(data.CRUCIBLE_ATLANTIUM))
    if location == BEACON:
        return weights.remove * data.BEACON_REMOVES
    if location == AMPLIFY:
        return data.AMPLIFY_GOODS * max(
            scratch.worth[Good.ORE], max(scratch.worth[Good.GOLD], scratch.worth[Good.CRYSTAL])
        )
    if location == ANCHOR or location == TECTONIC:
        return weights.flood if location == ANCHOR else 0.5 * weights.flood
    if location == PRISM:
        return max(scratch.worth[Good.GOLD], scratch.worth[Good.CRYSTAL])
    if location == TERRAFORMER:
        return 0.5 * (data.TERRAFORMER_DRAINS * weights.flood - follower_worth(weights, scratch))
    if location == LATTICE:
        return max(scratch.worth[Good.ORE], max(scratch.worth[Good.GOLD], scratch.worth[Good.CRYSTAL]))
    if location == ORRERY:
        return 0.5 * data.ORRERY_REMOVES * weights.remove
    return scratch.worth[Good.ENERGY] * data.VAULT_ENERGY


@kernel
def swaps_of(scratch: Record) -> int:
    """Return own goods there are too many of, as far as another is missing."""
    extra = 0
    for good in range(Good.ORE, Good.CRYSTAL + 1):
        if scratch.goods[0, good] > 0 and scratch.missing[good] < 0.0:
            extra += min(int(scratch.goods[0, good]), int(-scratch.missing[good]))
    return extra


@kernel
def appraise(weights: Record, scratch: Record, observation: Row) -> None:
    """Find out what there is of goods, what they are worth, what the own seat has room for."""
    unpack_goods(observation, scratch)
    weigh_goods(weights, scratch, observation)


@kernel
def weigh_goods(weights: Record, scratch: Record, observation: Row) -> None:
    """Find out the same where goods are unpacked already."""
    expect_goods(scratch, observation)
    value_goods(weights, scratch)
    count_own(scratch, observation)


@kernel
def expect_goods(scratch: Record, observation: Row) -> None:
    """Fill ``coming``: what the pieces on the wild peninsulas will bring on average."""
    for peninsula in range(data.NUM_WILD):
        coming = 0.0
        for tile in range(data.TILES_PER_PENINSULA * peninsula, data.TILES_PER_PENINSULA * (peninsula + 1)):
            chance = SIXTHS[min(6, max(0, 8 - see(observation, At.TILE + tile)))]
            coming += 0.9 * chance * see(observation, At.CROWD + tile)
        scratch.coming[peninsula] = coming
    ore, atlantium, best = scratch.coming[Good.ORE], 0.0, 0
    for position in range(int(scratch.flooded[Peninsula.FORGES]), data.TILES_PER_PENINSULA):
        tile = data.TILES_PER_PENINSULA * Peninsula.FORGES + position
        number, rate = see(observation, At.CROWD + tile), see(observation, At.TILE + tile)
        atlantium += 0.8 * number * rate
        ore -= 0.8 * number
        best = max(best, rate)
    scratch.coming[Good.ORE] = ore
    scratch.coming[Good.ATLANTIUM] = atlantium
    scratch.coming[Good.ENERGY] = 0.0
    scratch.forge = min(2.5, float(best))


@kernel
def own_at(observation: Row, location: int) -> int:
    """Return own pieces at a location, the automaton apart."""
    return see(observation, At.READY + location) + see(observation, At.DONE + location)
