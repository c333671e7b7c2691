"""Atlantis Rising: what is missing, which floods are likely, what a piece brings where, what can be built.

Most of it is what the heuristic (heuristics.atlantis_rising) works out before it chooses: its survey of the locations,
in actions of one Atlantean, its odds of floods, and its plan of what to build, on which all seats agree.
"""

from __future__ import annotations

from atlantis_agents.features import MOST, Features, byte
from atlantis_agents.heuristics.atlantis_rising import cards, deploy, floods, gates, places, turns
from atlantis_agents.heuristics.atlantis_rising.scratch import ABSENT, SCRATCH, givers, see, unpack_table, which
from atlantis_agents.heuristics.atlantis_rising.weights import RULES_2, make_weights, weights_by_players
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.layout import Field, Layout
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Councilor, Good, Kind
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.games.atlantis_rising.state import Column, Node
from atlantis_envs.kernels.kernel import kernel

EVEN = 100  # the byte of 0 where numbers may be negative
FINE = 16  # steps of an action
RANKS = 4  # of pieces that a plan may ask for, from the first on
CLOSED = 0  # the byte of a location where no piece fits; of one that is worth nothing it is 1

LAYOUT = Layout(
    Field("need", data.NUM_GOODS, MOST, "good -> what all that is not built costs"),
    Field("have", data.NUM_GOODS, MOST, "good -> what all seats own"),
    Field("coming", data.NUM_GOODS, MOST, "good -> what pieces on the board will bring, in quarters; 100: nothing"),
    Field("missing", data.NUM_GOODS, MOST, "good -> need less the others, in quarters; 100: just enough"),
    Field("worth", data.NUM_GOODS, MOST, "good -> what one more is worth, in sixteenths of an action"),
    Field("givers", data.NUM_PRICE_TYPES - 1, data.MAX_PLAYERS, "gold, crystal, atlantium -> seats that own some"),
    Field("left", 1, data.NUM_COMPONENTS, "components not built, the core apart"),
    Field("own", 4, MOST, "what forges give; cards to come, room for them, ore to forge; 100: none"),
    Field(
        "value", data.NUM_LOCATIONS, MOST, "location -> what the piece in hand brings, in sixteenths, plus 1; 0 closed"
    ),
    Field("gate", data.NUM_GATES, RANKS, "gate -> how much the plan asks for the piece in hand; 0: not at all"),
    Field("wanted", data.NUM_KINDS, RANKS, "kind of own piece at home -> the same at any gate"),
    Field("best", data.NUM_KINDS, MOST, "kind of own piece at home -> value of the best place for it"),
    Field("stays", data.NUM_TILES, MOST, "tile -> chance, in 255ths, that a piece there still acts"),
    Field("calm", data.NUM_PENINSULAS, MOST, "peninsula -> chance that no tile of it is flooded before it acts"),
    Field("loss", data.NUM_PENINSULAS, MOST, "peninsula -> what its next flood costs, in sixteenths"),
    Field(
        "flooding", data.NUM_PENINSULAS, MOST, "peninsula -> the same plus 16 for a choice at hand; 0: a barrier holds"
    ),
    Field("ward", data.NUM_PENINSULAS, MOST, "peninsula -> what a barrier is good for, in sixteenths"),
    Field("spare", 2, MOST, "energy less plan, reserve and price of a barrier, of a drain, in quarters; 100: none"),
    Field("drain", data.NUM_PENINSULAS, MOST, "peninsula -> what a tile drained there is good for, in 64ths"),
    Field(
        "plan",
        data.NUM_GATES * data.NUM_COMPONENTS,
        1,
        "gate x component -> 1: can be paid, and is the first to be built",
    ),
    Field("builder", data.NUM_GATES, 1, "gate -> 1: an own piece is needed for it"),
    Field("builders", data.NUM_GATES, data.MAX_PLAYERS, "gate -> seats whose pieces are needed"),
    Field("again", data.MAX_PLAYERS + 1, MOST, "place -> worth of its leader's action once more, in 64ths; the most"),
    Field("chart", data.NUM_WILD, MOST, "wild peninsula -> pieces there times what they roll for, in eighths"),
    Field("hit", 1, MOST, "pieces on the tile that is about to be flooded"),
    Field("cards", 4, MOST, "swaps that help, most tiles flooded together, cards to fetch, dice an atlas helps"),
    Field("energy", data.MAX_PLAYERS, MOST, "seat, from seat 0 on -> its energy"),
    Field("offer", data.MAX_PLAYERS, MOST, "seat, from seat 0 on -> worth of its best raw good, in sixteenths"),
    Field("reserve", data.MAX_PLAYERS, MOST, "seat, from seat 0 on -> its followers in reserve"),
    Field("asked", data.LAST_CONTRIBUTION + 1, 1, "one-hot: what one owns of a good that is to be paid"),
    Field("elsewhere", 1, data.NUM_GATES, "gates on which one stands"),
    Field("gap", 2, MOST, "what a die lacks; own energy less that; 100: none"),
)
To = LAYOUT.starts("To")


@kernel
def describe(weights: Row, scratch: Record, observation: Row, out: Row) -> None:
    """Write all features of an observation."""
    for index in range(len(out)):
        out[index] = 0
    scratch.remembering = scratch.remembered = scratch.ranking = 0
    unpack_table(observation, scratch)
    own = weights[min(len(weights), int(scratch.players)) - 1]
    deploy.unpack_home(scratch, observation)
    places.appraise(own, scratch, observation)
    draws = floods.draws_left(observation)
    floods.foresee(scratch, observation, draws if draws > 0 else max(floods.LEAST_DRAWS, int(scratch.players)))
    gates.plan_builds(own, scratch)
    describe_goods(scratch, out)
    describe_water(own, scratch, observation, out)
    describe_plan(scratch, out)
    describe_energy(own, scratch, observation, out)
    describe_cards(own, scratch, observation, out)
    describe_seats(scratch, observation, out)
    describe_payment(scratch, observation, out)
    deploy.survey(own, scratch, observation)
    describe_kinds(own, scratch, observation, out)
    describe_places(own, scratch, observation, out)


@kernel
def describe_goods(scratch: Record, out: Row) -> None:
    """Write what is needed and what there is."""
    for good in range(data.NUM_GOODS):
        out[To.NEED + good] = byte(scratch.need[good])
        out[To.HAVE + good] = byte(scratch.have[good])
        out[To.COMING + good] = byte(EVEN + 4 * scratch.coming[good])
        out[To.MISSING + good] = byte(EVEN + 4 * scratch.missing[good])
        out[To.WORTH + good] = byte(FINE * scratch.worth[good])
    for good in range(Good.GOLD, Good.ATLANTIUM + 1):
        out[To.GIVERS + good - Good.GOLD] = givers(scratch, good)
    out[To.LEFT] = scratch.left
    out[To.OWN] = byte(FINE * scratch.forge)
    out[To.OWN + 1] = byte(EVEN + int(scratch.cards))
    out[To.OWN + 2] = byte(EVEN + int(scratch.room))
    out[To.OWN + 3] = byte(EVEN + 4 * scratch.ores)


@kernel
def describe_water(weights: Record, scratch: Record, observation: Row, out: Row) -> None:
    """Write where the sea is likely to come, and what that costs."""
    for tile in range(data.NUM_TILES):
        out[To.STAYS + tile] = byte(MOST * floods.survival(scratch, tile))
    for peninsula in range(data.NUM_PENINSULAS):
        cost = floods.loss(weights, scratch, observation, peninsula, True)
        out[To.CALM + peninsula] = byte(MOST * scratch.calm[peninsula, 0])
        out[To.LOSS + peninsula] = byte(FINE * cost)
        out[To.FLOODING + peninsula] = byte(FINE * (1.0 - turns.flood_score(weights, scratch, observation, peninsula)))
        out[To.WARD + peninsula] = byte(FINE * (1.0 - scratch.calm[peninsula, 0]) * (1.0 + cost))
        if scratch.flooded[peninsula] > 0:
            out[To.DRAIN + peninsula] = byte(64 * deploy.drain_gain(weights, scratch, observation, peninsula))


@kernel
def describe_plan(scratch: Record, out: Row) -> None:
    """Write what can be built at once, and by whom."""
    for gate in range(data.NUM_GATES):
        if scratch.plan[gate] != ABSENT:
            builders = int(scratch.builders[gate])
            out[To.PLAN + data.NUM_COMPONENTS * gate + int(scratch.plan[gate])] = 1
            out[To.BUILDER + gate] = builders & 1
            count = 0
            for place in range(data.MAX_PLAYERS):
                count += builders >> place & 1
            out[To.BUILDERS + gate] = count


@kernel
def describe_energy(weights: Record, scratch: Record, observation: Row, out: Row) -> None:
    """Write what is left for barriers and drains when the plan is paid."""
    spare = int(scratch.have[Good.ENERGY])
    for gate in range(data.NUM_GATES):
        if scratch.plan[gate] != ABSENT:
            spare -= int(scratch.price[scratch.plan[gate], Good.ENERGY - 1])
    players = int(scratch.players)
    out[To.SPARE] = byte(EVEN + 4 * (spare - see(observation, At.COSTS) - weights.ward_reserve * players))
    out[To.SPARE + 1] = byte(EVEN + 4 * (spare - see(observation, At.COSTS + 1) - weights.drain_reserve * players))


@kernel
def describe_cards(weights: Record, scratch: Record, observation: Row, out: Row) -> None:
    """Write what library cards would do."""
    for place in range(int(scratch.players)):
        out[To.AGAIN + place] = byte(64 * cards.repeat_worth(weights, scratch, observation, place))
        out[To.AGAIN + data.MAX_PLAYERS] = max(int(out[To.AGAIN + data.MAX_PLAYERS]), int(out[To.AGAIN + place]))
    for peninsula in range(data.NUM_WILD):
        out[To.CHART + peninsula] = byte(8 * scratch.worth[peninsula] * turns.crowd_on(observation, peninsula))
    out[To.CARDS] = byte(places.swaps_of(scratch))
    out[To.CARDS + 1] = cards.most_flooded(scratch)
    out[To.CARDS + 2] = byte(cards.in_discard(observation))
    out[To.CARDS + 3] = byte(cards.best_atlas(observation))


@kernel
def describe_seats(scratch: Record, observation: Row, out: Row) -> None:
    """Write what is owned, in the order of the actions that name a seat; observations begin with the own one."""
    own, players = which(observation, At.OWN, data.MAX_PLAYERS), int(scratch.players)
    for seat in range(players):
        place = (seat - own) % players
        out[To.ENERGY + seat] = byte(scratch.goods[place, Good.ENERGY])
        out[To.OFFER + seat] = byte(FINE * turns.best_offer(scratch, place))
        out[To.RESERVE + seat] = see(observation, At.RESERVE + place)


@kernel
def describe_payment(scratch: Record, observation: Row, out: Row) -> None:
    """Write what is asked for where something is due."""
    node = which(observation, At.NODE, Node.C1_FIRST)
    for gate in range(data.NUM_GATES):
        out[To.ELSEWHERE] += places.own_at(observation, data.GATE + gate) > 0
    if node == Node.SHARE:
        own = int(scratch.goods[0, turns.detail(observation, Column.GOOD)])
        out[To.ASKED + min(own, data.LAST_CONTRIBUTION)] = 1
    elif node == Node.REACT:
        tile = turns.detail(observation, Column.TILES)
        out[To.HIT] = see(observation, At.CROWD + tile) if tile >= 0 else 1
    elif node == Node.FAIL or node == Node.REROLL:
        gap = turns.detail(observation, Column.TARGET) - turns.detail(observation, Column.VALUE)
        out[To.GAP] = byte(EVEN + gap)
        out[To.GAP + 1] = byte(EVEN + int(scratch.goods[0, Good.ENERGY]) - gap)


@kernel
def describe_kinds(weights: Record, scratch: Record, observation: Row, out: Row) -> None:
    """Write what each own piece at home is good for."""
    for kind in range(data.NUM_KINDS):
        if scratch.home[kind] > 0:
            out[To.WANTED + kind] = rank_of(deploy.gate_value(scratch, observation, kind))
            out[To.BEST + kind] = value_of(deploy.best_place(weights, scratch, observation, kind))


@kernel
def describe_places(weights: Record, scratch: Record, observation: Row, out: Row) -> None:
    """Write what the piece in hand is good for, and where; in no hand, a follower."""
    node, kind = which(observation, At.NODE, Node.C1_FIRST), int(Kind.FOLLOWER)
    if node == Node.PLACE:
        kind = turns.detail(observation, Column.KIND)
    elif node == Node.LATE:
        kind = int(Kind.HOLOGRAM) if scratch.hologram == Councilor.ASTROLOGER else int(Kind.LEADER)
    for gate in range(data.NUM_GATES):
        out[To.GATE + gate] = rank_of(deploy.wanted_at_gate(scratch, observation, kind, gate))
    deploy.score_locations(weights, scratch, observation, kind, deploy.councilor_of(scratch, observation, kind))
    for location in range(data.NUM_LOCATIONS):
        out[To.VALUE + location] = value_of(scratch.value[location])


@kernel
def rank_of(wanted: float) -> int:
    """Return how much a plan asks for a piece, 1..RANKS; 0 if it does not."""
    return 0 if wanted == deploy.IMPOSSIBLE else int(1 + wanted - deploy.PLANNED)


@kernel
def value_of(worth: float) -> int:
    """Return the byte of what a piece brings."""
    return CLOSED if worth == deploy.IMPOSSIBLE else byte(1 + FINE * worth)


EDITIONS = (
    Features(LAYOUT, describe, make_weights(RULES_2), SCRATCH),
    Features(LAYOUT, describe, weights_by_players(), SCRATCH, edition=2),  # as the heuristic weighs with rules 3
)
