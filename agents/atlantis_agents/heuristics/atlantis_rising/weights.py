"""The numbers behind the Atlantis Rising heuristic: named, explained, and found by playing many games with each.

Values are actions of one Atlantean unless said otherwise. ``make_weights`` turns the table into the record that kernels
read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_agents.heuristics import Weight, filled, record_of, values_of

WEIGHTS = (
    Weight("raw", 1.5, "a gold or a crystal that is still needed"),
    Weight("spare", 0.25, "what is left of a good's worth once there is enough of it"),
    Weight("slope", 0.2, "by how much a good is worth more if nothing of it is there"),
    Weight("ore", 1.7, "an ore that is still needed"),
    Weight("forging", 0.85, "the action that turns an ore into atlantium"),
    Weight("energy", 0.9, "an energy of a seat that has some"),
    Weight("glut", 0.1, "the part of that lost for each energy per seat above one"),
    Weight("plenty", 0.18, "the part that is never lost"),
    Weight("empty", 3.5, "a good for a seat that has nothing to give to the core, when the end is near"),
    Weight("lifeline", 5.0, "the last open tile of a peninsula whose goods are still missing, on top"),
    Weight("first_energy", 0.6, "the first energy of a seat, above that: it pays for dice"),
    Weight("flood", 2.5, "a flood that does not happen"),
    Weight("sixth", 2.8, "the last tile of a peninsula, on top: later cards for it flood two"),
    Weight("standing", 1.0, "an Atlantean sent home by a flood"),
    Weight("card", 1.7, "a library card"),
    Weight("card_growth", 0.2, "by how much more in each round: the tiles of the other peninsulas get worse sooner"),
    Weight("crowded_card", 0.3, "what is left of that when the hand is full"),
    Weight("follower", 0.68, "a follower, per round it will still act"),
    Weight("volunteer", 0.9, "a volunteer"),
    Weight("rounds", 8.5, "rounds a game lasts"),
    Weight("remove", 1.2, "a misfortune taken out of the deck"),
    Weight("swap", 0.4, "a swap of two goods"),
    Weight("leader_first", -0.1, "by how much the leader precedes followers to equal places"),
    Weight("recovery", 12.0, "cards in the discard for which archive recovery is played"),
    Weight("repetition", 1.8, "the least an action must be worth for a card that repeats it"),
    Weight("gate", 3.0, "a component that can be built, above what its effect is worth"),
    Weight("early", 1.0, "how much the order of components matters (gates.py)"),
    Weight("helper", 1.2, "an Atlantean on a gate"),
    Weight("ward_reserve", 1.2, "energy per seat that is kept when barriers are bought"),
    Weight("drain_reserve", 1.3, "energy per seat that is kept when tiles are drained"),
)


def make_weights(changes: Mapping[str, float] | None = None) -> Any:
    """Return the record kernels read (array of one), with some values changed."""
    weights = filled(record_of(WEIGHTS), values_of(WEIGHTS, changes))
    weights.flags.writeable = False
    return weights
