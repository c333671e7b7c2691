"""What the sea will do: the chance that a tile outlives the misfortunes of a round, and which tile to give up (6)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising import places
from atlantis_agents.heuristics.atlantis_rising.scratch import see
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Councilor, Good, Peninsula, Symbol
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.kernels.kernel import kernel

LEAST_DRAWS = 4  # cards of a round with one to four seats (2.2)
USUAL_SHARE = 0.1  # of a peninsula among the misfortunes, when the deck is about to be renewed
DEPTHS = 4  # beyond it a tile is safe; a barrier spares one more


@kernel
def draws_left(observation: Row) -> int:
    """Count the misfortunes still to come in this round; before phase 2 all of them."""
    total = 0
    for place in range(data.MAX_PLAYERS):
        total += see(observation, At.DRAWS + place)
    return total


@kernel
def foresee(scratch: Record, observation: Row, draws: int) -> None:
    """Fill ``calm``: the chance of at most k floods on each peninsula in so many draws, its barrier included."""
    unseen = 0
    for kind in range(data.NUM_MISFORTUNES):
        unseen += see(observation, At.MISFORTUNES + kind)
    known = 0
    while known < min(draws, data.MAX_TOP) and observation[At.TOP + known] != 0:
        known += 1
    for peninsula in range(data.NUM_PENINSULAS):
        sure = 0
        for place in range(known):
            if see(observation, At.TOP + place) == peninsula + 1:
                sure += 1
        share = USUAL_SHARE
        if unseen > draws - known:
            share = see(observation, At.MISFORTUNES + peninsula) / unseen
        count_hits(scratch, share, draws - known)
        spared = int(scratch.barriers[peninsula]) - sure
        for depth in range(DEPTHS):
            hits = min(depth + spared, min(DEPTHS, draws - known))
            scratch.calm[peninsula, depth] = min(1.0, scratch.hit_at_most[hits]) if hits >= 0 else 0.0


@kernel
def count_hits(scratch: Record, share: float, cards: int) -> None:
    """Fill ``hit_at_most`` for so many cards to come of which a peninsula has this share."""
    term, total = 1.0, 0.0
    for _ in range(cards):
        term *= 1.0 - share
    odds = share / max(0.01, 1.0 - share)
    for hits in range(min(DEPTHS, cards) + 1):
        total += term
        scratch.hit_at_most[hits] = total
        term *= odds * (cards - hits) / (hits + 1)


@kernel
def survival(scratch: Record, location: int) -> float:
    """Return the chance that a piece at a location still acts this round."""
    if location >= data.NUM_TILES:
        return 1.0
    depth = location % data.TILES_PER_PENINSULA - int(scratch.flooded[location // data.TILES_PER_PENINSULA])
    if depth < 0 or scratch.stands[Councilor.CHAMPION] == location:
        return 0.9
    if scratch.risky != 0 and (
        scratch.stands[Councilor.NAVIGATOR] == location or scratch.stands[Councilor.AQUANAUT] == location
    ):
        return scratch.calm[location // data.TILES_PER_PENINSULA, 0]
    if depth >= DEPTHS:
        return 1.0
    return scratch.calm[location // data.TILES_PER_PENINSULA, depth]


@kernel
def loss(weights: Record, scratch: Record, observation: Row, peninsula: int, pieces: bool) -> float:
    """Return what the next flood of a peninsula costs, above what every flood does."""
    if scratch.flooded[peninsula] >= data.TILES_PER_PENINSULA:
        return 0.0
    tile = data.TILES_PER_PENINSULA * peninsula + int(scratch.flooded[peninsula])
    use = max(0.0, use_of(weights, scratch, observation, peninsula, tile) - scratch.worth[Good.ENERGY])
    result = use * places.SPACES_OF[tile % data.TILES_PER_PENINSULA]
    if scratch.flooded[peninsula] == data.TILES_PER_PENINSULA - 1:
        result += weights.sixth
        if is_lifeline(scratch, peninsula):
            result += weights.lifeline
    if pieces:
        result += weights.standing * see(observation, At.CROWD + tile)
    return result


@kernel
def use_of(weights: Record, scratch: Record, observation: Row, peninsula: int, tile: int) -> float:
    """Return an action's worth on a tile to the team: whoever comes there will have an ore, or room for cards."""
    value = see(observation, At.TILE + tile)
    if peninsula == Peninsula.CITIES:
        return 0.5 * places.follower_worth(weights, scratch) * min(1.0, max(0.0, (13 - value + scratch.wrath) / 9.0))
    if peninsula == Peninsula.LIBRARIES:
        cards = min(2, max(0, int(scratch.cards)))
        return 0.5 * cards * weights.card * (2.0 if value == Symbol.KEEP_BOTH else 1.4)
    if peninsula == Peninsula.FORGES:
        return value * scratch.worth[Good.ATLANTIUM] - 0.5 * scratch.worth[Good.ORE]
    return min(6, max(0, 8 - value)) / 6.0 * scratch.worth[peninsula]


@kernel
def is_lifeline(scratch: Record, peninsula: int) -> bool:
    """Return whether the components cannot be paid without a peninsula."""
    if peninsula == Peninsula.FORGES or peninsula == Peninsula.MOUNTAINS:
        return scratch.missing[Good.ATLANTIUM] > 0.0
    return peninsula < data.NUM_WILD and scratch.missing[peninsula] > 0.0
