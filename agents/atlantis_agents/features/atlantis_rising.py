"""Atlantis Rising: what is missing, which floods are likely, what a piece brings where, what can be built.

Most of it is what the heuristic (heuristics.atlantis_rising) works out before it chooses: its survey of the locations,
in actions of one Atlantean, its odds of floods, and its plan of what to build, on which all seats agree.
"""

from __future__ import annotations

from atlantis_agents.features import MOST, Features, byte
from atlantis_agents.heuristics.atlantis_rising.deploy import drain_gain, unpack_home
from atlantis_agents.heuristics.atlantis_rising.floods import LEAST_DRAWS, draws_left, foresee, loss, survival
from atlantis_agents.heuristics.atlantis_rising.gates import plan_builds
from atlantis_agents.heuristics.atlantis_rising.places import appraise
from atlantis_agents.heuristics.atlantis_rising.survey import IMPOSSIBLE, survey
from atlantis_agents.heuristics.atlantis_rising.weights import make_weights
from atlantis_agents.heuristics.atlantis_rising.work import ABSENT, WORK, givers, unpack_table
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.layout import Layout, Piece
from atlantis_envs.engine.vocabulary import Vocabulary
from atlantis_envs.games.atlantis_rising.data import (
    MAX_PLAYERS,
    NUM_COMPONENTS,
    NUM_GATES,
    NUM_GOODS,
    NUM_LOCATIONS,
    NUM_PENINSULAS,
    NUM_PRICE_TYPES,
    NUM_TILES,
    Good,
)

EVEN = 100  # the byte of 0 where numbers may be negative
FINE = 16  # steps of an action
CLOSED = 0  # the byte of a location where no piece fits; of one that is worth nothing it is 1

LAYOUT = Layout(
    Piece("need", NUM_GOODS, MOST, "good -> what all that is not built costs"),
    Piece("have", NUM_GOODS, MOST, "good -> what all seats own"),
    Piece("coming", NUM_GOODS, MOST, "good -> what pieces on the board will bring, in quarters; 100: nothing"),
    Piece("missing", NUM_GOODS, MOST, "good -> need less the others, in quarters; 100: just enough"),
    Piece("worth", NUM_GOODS, MOST, "good -> what one more is worth, in sixteenths of an action"),
    Piece("givers", NUM_PRICE_TYPES - 1, MAX_PLAYERS, "gold, crystal, atlantium -> seats that own some"),
    Piece("left", 1, NUM_COMPONENTS, "components not built, the core apart"),
    Piece("own", 4, MOST, "what forges give; cards to come, room for them, ore to forge; 100: none"),
    Piece("value", NUM_LOCATIONS, MOST, "location -> what one more piece brings, in sixteenths, plus 1; 0 closed"),
    Piece("stays", NUM_TILES, MOST, "tile -> chance, in 255ths, that a piece there still acts"),
    Piece("calm", NUM_PENINSULAS, MOST, "peninsula -> chance that no tile of it is flooded before it acts"),
    Piece("loss", NUM_PENINSULAS, MOST, "peninsula -> what its next flood costs, in sixteenths"),
    Piece("drain", NUM_PENINSULAS, MOST, "peninsula -> what a tile drained there is good for, in 64ths"),
    Piece("plan", NUM_GATES * NUM_COMPONENTS, 1, "gate x component -> 1: can be paid, and is the first to be built"),
    Piece("builder", NUM_GATES, 1, "gate -> 1: an own piece is needed for it"),
    Piece("builders", NUM_GATES, MAX_PLAYERS, "gate -> seats whose pieces are needed"),
)


class To(Vocabulary):
    """Where each piece starts."""

    NEED = LAYOUT["need"]
    HAVE = LAYOUT["have"]
    COMING = LAYOUT["coming"]
    MISSING = LAYOUT["missing"]
    WORTH = LAYOUT["worth"]
    GIVERS = LAYOUT["givers"]
    LEFT = LAYOUT["left"]
    OWN = LAYOUT["own"]
    VALUE = LAYOUT["value"]
    STAYS = LAYOUT["stays"]
    CALM = LAYOUT["calm"]
    LOSS = LAYOUT["loss"]
    DRAIN = LAYOUT["drain"]
    PLAN = LAYOUT["plan"]
    BUILDER = LAYOUT["builder"]
    BUILDERS = LAYOUT["builders"]


@kernel
def describe(weights: Record, work: Record, observation: Row, out: Row) -> None:
    """Write all features of an observation."""
    for index in range(len(out)):
        out[index] = 0
    work.remembering = work.remembered = work.ranking = 0
    unpack_table(observation, work)
    unpack_home(work, observation)
    appraise(weights, work, observation)
    draws = draws_left(observation)
    foresee(work, observation, draws if draws > 0 else max(LEAST_DRAWS, int(work.players)))
    describe_goods(work, out)
    describe_water(weights, work, observation, out)
    survey(weights, work, observation)
    for location in range(NUM_LOCATIONS):
        value = work.value[location]
        out[To.VALUE + location] = CLOSED if value == IMPOSSIBLE else byte(1 + FINE * value)
    plan_builds(weights, work)
    describe_plan(work, out)


@kernel
def describe_goods(work: Record, out: Row) -> None:
    """What is needed and what there is."""
    for good in range(NUM_GOODS):
        out[To.NEED + good] = byte(work.need[good])
        out[To.HAVE + good] = byte(work.have[good])
        out[To.COMING + good] = byte(EVEN + 4 * work.coming[good])
        out[To.MISSING + good] = byte(EVEN + 4 * work.missing[good])
        out[To.WORTH + good] = byte(FINE * work.worth[good])
    for good in range(Good.GOLD, Good.ATLANTIUM + 1):
        out[To.GIVERS + good - Good.GOLD] = givers(work, good)
    out[To.LEFT] = work.left
    out[To.OWN] = byte(FINE * work.forge)
    out[To.OWN + 1] = byte(EVEN + int(work.cards))
    out[To.OWN + 2] = byte(EVEN + int(work.room))
    out[To.OWN + 3] = byte(EVEN + 4 * work.ores)


@kernel
def describe_water(weights: Record, work: Record, observation: Row, out: Row) -> None:
    """Where the sea is likely to come, and what that costs."""
    for tile in range(NUM_TILES):
        out[To.STAYS + tile] = byte(MOST * survival(work, tile))
    for peninsula in range(NUM_PENINSULAS):
        out[To.CALM + peninsula] = byte(MOST * work.calm[peninsula, 0])
        out[To.LOSS + peninsula] = byte(FINE * loss(weights, work, observation, peninsula, True))
        if work.flooded[peninsula] > 0:
            out[To.DRAIN + peninsula] = byte(64 * drain_gain(weights, work, observation, peninsula))


@kernel
def describe_plan(work: Record, out: Row) -> None:
    """What can be built at once, and by whom."""
    for gate in range(NUM_GATES):
        if work.plan[gate] != ABSENT:
            builders = int(work.builders[gate])
            out[To.PLAN + NUM_COMPONENTS * gate + int(work.plan[gate])] = 1
            out[To.BUILDER + gate] = builders & 1
            count = 0
            for place in range(MAX_PLAYERS):
                count += builders >> place & 1
            out[To.BUILDERS + gate] = count


FEATURES = Features(LAYOUT, describe, make_weights(), WORK)
