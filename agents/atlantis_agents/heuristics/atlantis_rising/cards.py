"""Library cards: when to play them, what to keep and what to throw away (12)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising import places
from atlantis_agents.heuristics.atlantis_rising.scratch import see
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Basic
from atlantis_envs.games.atlantis_rising.layout import At
from atlantis_envs.kernels.kernel import kernel

NOT_NOW = -10.0


@kernel
def score_cards(weights: Record, scratch: Record, observation: Row, mask: Row, deploying: bool, placed: bool) -> None:
    """Score PLAY in deployment, where goods are unpacked already, and in the action phase; above 0 means now."""
    for card in range(data.NUM_BASIC):
        if mask[Act.PLAY + card] != 0:
            scratch.score[Act.PLAY + card] = NOT_NOW
    if deploying:
        scratch.score[Act.PLAY + Basic.AUGURY] = 60.0
        if in_discard(observation) >= weights.recovery:  # it leaves the game (12.4), so it is not spent on a few cards
            scratch.score[Act.PLAY + Basic.ARCHIVE_RECOVERY] = 59.0
        scratch.score[Act.PLAY + Basic.CALL_FOR_AID] = 58.0
        scratch.score[Act.PLAY + Basic.MYSTIC_FONT] = 57.0
        if most_flooded(scratch) >= 2:
            scratch.score[Act.PLAY + Basic.EBBING_TIDE] = 56.0
        if mask[Act.PLAY + Basic.TRANSMUTATION] != 0:
            places.weigh_goods(weights, scratch, observation)
            if places.swaps_of(scratch) >= 1:  # too many of one own good, while another is missing
                scratch.score[Act.PLAY + Basic.TRANSMUTATION] = 55.0
        if placed:
            scratch.score[Act.PLAY + Basic.WARDING_RITE] = 30.0
        return
    if mask[Act.PLAY + Basic.ANCIENT_ATLAS] != 0 and best_atlas(observation) >= 3:
        scratch.score[Act.PLAY + Basic.ANCIENT_ATLAS] = 20.0
    own, any_seat = Act.PLAY + Basic.CRYPTOGRAPHIC_EXPERTISE, Act.PLAY + Basic.ENIGMA_OF_FERVOUR
    if mask[own] == 0 and mask[any_seat] == 0:
        return
    places.appraise(weights, scratch, observation)
    for place in range(int(scratch.players) if mask[any_seat] != 0 else 1):
        if repeat_worth(weights, scratch, observation, place) >= weights.repetition:
            scratch.score[any_seat] = 10.0
            if place == 0:
                scratch.score[own] = 10.0


@kernel
def score_overflow(weights: Record, scratch: Record, observation: Row, mask: Row) -> None:
    """Score cards that would be thrown away: one that does anything at all is played (D36)."""
    for card in range(data.NUM_BASIC):
        if mask[Act.PLAY + card] != 0:
            scratch.score[Act.PLAY + card] = weights.keep[card] - 2.0
    scratch.score[Act.PLAY + Basic.WARDING_RITE] = 3.0
    scratch.score[Act.PLAY + Basic.MYSTIC_FONT] = 2.9
    scratch.score[Act.PLAY + Basic.CALL_FOR_AID] = 2.8
    scratch.score[Act.PLAY + Basic.EBBING_TIDE] = 2.7 if most_flooded(scratch) >= 1 else NOT_NOW
    scratch.score[Act.PLAY + Basic.AUGURY] = 2.6
    if best_atlas(observation) >= 2:
        scratch.score[Act.PLAY + Basic.ANCIENT_ATLAS] = 3.1


@kernel
def in_discard(observation: Row) -> int:
    """Count the cards that archive recovery could fetch."""
    total = 0
    for card in range(Basic.ARCHIVE_RECOVERY):
        total += see(observation, At.DISCARD + card)
    return total


@kernel
def most_flooded(scratch: Record) -> int:
    """Return the flooded tiles of the peninsula that has most."""
    most = 0
    for peninsula in range(data.NUM_PENINSULAS):
        most = max(most, int(scratch.flooded[peninsula]))
    return most


@kernel
def best_atlas(observation: Row) -> int:
    """Return how many pieces an atlas would help, while nothing of the own seat has acted."""
    for location in range(data.NUM_LOCATIONS):
        if observation[At.DONE + location] != 0:
            return 0
    most = 0
    for peninsula in range(data.NUM_WILD):
        waiting = 0  # on it, as far as one can see, that have not rolled yet
        for tile in range(data.TILES_PER_PENINSULA * peninsula, data.TILES_PER_PENINSULA * (peninsula + 1)):
            waiting += see(observation, At.CROWD + tile) - see(observation, At.DONE + tile)
        most = max(most, waiting)
    return most


@kernel
def repeat_worth(weights: Record, scratch: Record, observation: Row, place: int) -> float:
    """Return the worth of a second action of a seat's leader; the own eyes judge for the others too."""
    location = see(observation, At.CHIEF + place) - 1
    if location < 0 or (place == 0 and observation[At.DONE + location] == 0):
        return 0.0
    if place > 0 and observation[At.READY + location] != 0:
        return 0.0
    worth = places.worth_at(weights, scratch, observation, location, 0)
    return 2.0 * worth if places.is_double(location) else worth
