"""The record the Atlantis Rising heuristic thinks in: the observation unpacked, what goods are worth, and scores."""

from __future__ import annotations

import numpy as np

from atlantis_agents.heuristics import WORD
from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import ACTIONS
from atlantis_envs.games.atlantis_rising.data import Component, Good
from atlantis_envs.games.atlantis_rising.layout import OBSERVATION_SIZE, At
from atlantis_envs.kernels.copying import eight, move
from atlantis_envs.kernels.kernel import kernel

DIVERS_ON_FLOODED = 6  # place in the piece "costs"
PASSES = At.ROUND + 1
ABSENT = -1  # a councilor nobody plays, or a piece that is at home

SCRATCH = packed(
    [
        ("players", np.int64),
        ("first", np.int64),  # place of the first player, counted from the own seat
        ("round_number", np.int64),
        ("wrath", np.int64),  # value of the marker's space
        ("gates", np.int64),
        ("flooded", np.int64, (data.NUM_PENINSULAS,)),
        ("barriers", np.int64, (data.NUM_PENINSULAS,)),
        ("goods", np.int64, (data.MAX_PLAYERS, data.NUM_GOODS)),
        ("have", np.int64, (data.NUM_GOODS,)),  # goods of all seats
        ("keeper", np.int64, (data.NUM_COUNCILORS,)),  # councilor -> place of its owner, or ABSENT
        ("stands", np.int64, (data.NUM_COUNCILORS,)),  # councilor -> location of its piece, or ABSENT
        ("hologram", np.int64),  # councilor of the hologram, or ABSENT
        ("risky", np.int64),  # 1: a navigator or aquanaut piece suffers every flood of its peninsula (6.4)
        ("left", np.int64),  # components not built, the core apart
        ("parts", np.int64, (data.BLUEPRINT_SIZE,)),  # ... and which
        ("price", np.int64, (data.NUM_COMPONENTS, data.NUM_PRICE_TYPES)),  # of those and of the core
        ("need", np.int64, (data.NUM_GOODS,)),  # what all of them cost
        ("coming", np.float64, (data.NUM_GOODS,)),  # what the pieces on the board are expected to bring
        ("missing", np.float64, (data.NUM_GOODS,)),  # need - have - coming
        ("worth", np.float64, (data.NUM_GOODS,)),  # one more of a good
        ("forge", np.float64),  # atlantium an ore gives at present
        ("cards", np.int64),  # library cards that can be drawn, less two for every piece that will
        ("room", np.int64),  # cards the own hand has room for, less two for every own piece that will draw
        ("ores", np.float64),  # own ore no own piece will forge; half for every own piece that will roll for one
        ("hit_at_most", np.float64, (5,)),  # chance that at most so many of the cards to come are of a peninsula
        ("calm", np.float64, (data.NUM_PENINSULAS, 4)),  # chance that at most so many cards of this round hit it
        ("value", np.float64, (data.NUM_LOCATIONS,)),  # one more piece there
        ("open", np.int64, (data.NUM_LOCATIONS,)),  # the locations where one fits
        ("num_open", np.int64),
        ("best", np.float64),  # the highest value
        ("best_unsealed", np.float64),  # ... without the spirit seal
        ("plan", np.int64, (data.NUM_GATES,)),  # gate -> component to build there, or ABSENT
        ("builders", np.int64, (data.NUM_GATES,)),  # gate -> bit s: a piece of the seat at place s is wanted
        ("purse", np.int64, (data.MAX_PLAYERS, data.NUM_PRICE_TYPES)),  # goods not yet planned for
        ("pool", np.int64, (data.NUM_PRICE_TYPES,)),  # all purses together
        ("short", np.int64, (data.NUM_PRICE_TYPES,)),  # what the builders found so far lack
        ("due", np.int64, (data.NUM_PRICE_TYPES,)),  # price of the core, less a discount
        ("home", np.int64, (data.NUM_KINDS,)),
        ("wanted", np.float64, (data.NUM_KINDS,)),  # the best the plan asks of a kind that may be placed
        ("remembering", np.int64),  # 1: the next call comes with the same weights
        ("remembered", np.int64),  # 1: ``seen`` has been studied, pieces at home and all
        ("seen", np.uint8, (OBSERVATION_SIZE,)),
        ("ranking", np.int64),  # 1: all scores are asked for, not only the best action
        ("legal", np.int64, (len(ACTIONS),)),  # the legal actions in rising order
        ("listed", np.int64),  # how many they are
        ("score", np.float64, (len(ACTIONS),)),
    ]
)


@kernel
def see(observation: Row, index: int) -> int:
    """Return a byte of the observation as a number that can be subtracted: compiled, ``int`` of a byte has no sign."""
    return int(np.int64(observation[index]))


@kernel
def which(observation: Row, start: int, size: int) -> int:
    """Return the place of the 1 in a one-hot piece, but for the last seven bytes of the row; -1 if it is empty."""
    for before in range(0, size, WORD):
        word = eight(observation, start + before)
        if word != 0:
            place = before + (lowest(word) >> 3)
            return place if place < size else -1
    return -1


@kernel
def remember(scratch: Record, observation: Row) -> None:
    """Keep what has been studied, where it may be asked for again."""
    scratch.remembered = scratch.remembering
    if scratch.remembering != 0:
        move(scratch.seen, 0, observation, 0, OBSERVATION_SIZE)


@kernel
def remembers(scratch: Record, observation: Row) -> bool:
    """Return whether this is what has been studied, apart from node, passes and the top frame."""
    return (
        is_same(scratch, observation, At.READY, PASSES)
        and is_same(scratch, observation, PASSES + 1, At.FRAME)
        and is_same(scratch, observation, At.PRICE, OBSERVATION_SIZE)
    )


@kernel
def is_same(scratch: Record, observation: Row, start: int, stop: int) -> bool:
    """Return whether a piece of eight bytes or more of the observation is as it was."""
    for place in range(start, stop - WORD, WORD):
        if eight(scratch.seen, place) != eight(observation, place):
            return False
    return eight(scratch.seen, stop - WORD) == eight(observation, stop - WORD)


@kernel
def unpack_table(observation: Row, scratch: Record) -> None:
    """Read seats, water, councilors."""
    scratch.players = which(observation, At.PLAYERS, data.MAX_PLAYERS) + 1
    scratch.first = max(0, which(observation, At.FIRST, data.MAX_PLAYERS))
    scratch.round_number = see(observation, At.ROUND)
    scratch.wrath = see(observation, At.WRATH + 1)
    scratch.risky = 1 - see(observation, At.COSTS + DIVERS_ON_FLOODED)
    scratch.gates = data.NUM_GATES if scratch.players >= 5 else data.NUM_GATES - 1
    for peninsula in range(data.NUM_PENINSULAS):
        scratch.flooded[peninsula] = see(observation, At.FLOODED + peninsula)
        scratch.barriers[peninsula] = see(observation, At.BARRIERS + peninsula)
    for councilor in range(data.NUM_COUNCILORS):
        scratch.keeper[councilor] = ABSENT
        scratch.stands[councilor] = ABSENT
    for place in range(int(scratch.players)):
        councilor = see(observation, At.COUNCILOR + place) - 1
        if councilor >= 0:
            scratch.keeper[councilor] = place
            scratch.stands[councilor] = see(observation, At.CHIEF + place) - 1
    scratch.hologram = ABSENT
    if scratch.players <= 2:
        board = which(observation, At.HOLOGRAM, data.NUM_COUNCILORS)
        scratch.hologram = board
        if board >= 0:
            scratch.keeper[board] = scratch.first
            scratch.stands[board] = see(observation, At.CHIEF + data.MAX_PLAYERS) - 1


@kernel
def unpack_goods(observation: Row, scratch: Record) -> None:
    """Read what everybody owns, and what is still to be paid."""
    for good in range(data.NUM_GOODS):
        scratch.have[good] = 0
        scratch.need[good] = 0
    for place in range(int(scratch.players)):
        for good in range(data.NUM_GOODS):
            amount = see(observation, At.GOODS + data.NUM_GOODS * place + good)
            scratch.goods[place, good] = amount
            scratch.have[good] += amount
    scratch.left = 0
    for component in range(data.NUM_COMPONENTS):
        if observation[At.COMPONENT + component] == 1:
            for kind in range(data.NUM_PRICE_TYPES):
                amount = see(observation, At.PRICE + data.NUM_PRICE_TYPES * component + kind)
                scratch.price[component, kind] = amount
                scratch.need[Good.GOLD + kind] += amount
            if component != Component.POWER_CORE:
                scratch.parts[scratch.left] = component
                scratch.left += 1


@kernel
def value_goods(weights: Record, scratch: Record) -> None:
    """Find out what one more of each good is worth to the team."""
    for good in range(data.NUM_GOODS):
        scratch.missing[good] = scratch.need[good] - scratch.have[good] - scratch.coming[good]
    share = scratch.have[Good.ENERGY] / scratch.players
    ease = max(weights.plenty, 1.0 - weights.glut * max(0.0, share - 1.0))
    scratch.worth[Good.ENERGY] = weights.energy * ease
    for good in range(Good.GOLD, Good.CRYSTAL + 1):
        scratch.worth[good] = weights.raw * still_needed(weights, scratch.missing[good], scratch.need[good])
    rate = max(1.0, scratch.forge)
    lacking = scratch.missing[Good.ATLANTIUM]
    scratch.worth[Good.ATLANTIUM] = (
        (weights.raw + weights.forging) / rate * still_needed(weights, lacking, scratch.need[Good.ATLANTIUM])
    )
    after = lacking - rate * (scratch.have[Good.ORE] + scratch.coming[Good.ORE])
    scratch.worth[Good.ORE] = weights.ore * still_needed(weights, after / rate, scratch.need[Good.ATLANTIUM] / rate)
    if scratch.forge == 0.0:
        scratch.worth[Good.ORE] *= 0.5
    if scratch.left <= 2:
        spread_goods(weights, scratch)


@kernel
def owned(scratch: Record, place: int) -> int:
    """Count the goods of a seat that pay for components, energy apart."""
    return (
        int(scratch.goods[place, Good.GOLD])
        + int(scratch.goods[place, Good.CRYSTAL])
        + int(scratch.goods[place, Good.ATLANTIUM])
    )


@kernel
def spread_goods(weights: Record, scratch: Record) -> None:
    """Weigh goods for the core, to which every seat gives: who finds no room wants what few can give (8.4)."""
    redundant = True
    for good in range(Good.GOLD, Good.ATLANTIUM + 1):
        if (
            scratch.goods[0, good] > 0
            and givers(scratch, good) <= scratch.price[Component.POWER_CORE, good - Good.GOLD]
        ):
            redundant = False
    if owned(scratch, 0) > 0 and (not redundant or scratch.players <= 4):
        return
    for good in range(Good.GOLD, Good.ATLANTIUM + 1):
        if givers(scratch, good) < scratch.price[Component.POWER_CORE, good - Good.GOLD] or owned(scratch, 0) == 0:
            scratch.worth[good] = max(scratch.worth[good], weights.empty)


@kernel
def givers(scratch: Record, good: int) -> int:
    """Count the seats that own something of a good."""
    total = 0
    for place in range(int(scratch.players)):
        if scratch.goods[place, good] > 0:
            total += 1
    return total


@kernel
def still_needed(weights: Record, missing: float, need: float) -> float:
    """Return 1 and more while goods are missing, the more the smaller the stock; less once there are enough."""
    if missing >= 1.0:
        return 1.0 + weights.slope * missing / need
    if missing <= 0.0:
        return weights.spare
    return weights.spare + (1.0 - weights.spare) * missing
