"""The numbers behind the Atlantis Rising heuristic: named, explained, and found by playing many games with each.

Values are actions of one Atlantean unless said otherwise. ``make_weights`` turns a table into the record that kernels
read. ``python -m benchmarks weights`` found them by CMA-ES: those of a team in games of two to seven players at level
5, those of one player alone at levels 1, 3 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from atlantis_agents.heuristics import Weight, filled, record_of, values_of
from atlantis_envs.engine.records import as_records
from atlantis_envs.games.atlantis_rising import data

WEIGHTS = (
    Weight("raw", 2.07, "a gold or a crystal that is still needed"),
    Weight("spare", 0.408, "what is left of a good's worth once there is enough of it"),
    Weight("slope", 0.525, "by how much a good is worth more if nothing of it is there"),
    Weight("ore", 2.64, "an ore that is still needed"),
    Weight("forging", 0.609, "the action that turns an ore into atlantium"),
    Weight("energy", 1.09, "an energy of a seat that has some"),
    Weight("glut", 0.0191, "the part of that lost for each energy per seat above one"),
    Weight("plenty", 0.218, "the part that is never lost"),
    Weight("empty", 3.0, "a good for a seat that has nothing to give to the core, when the end is near"),
    Weight("lifeline", 1.88, "the last open tile of a peninsula whose goods are still missing, on top"),
    Weight("first_energy", 0.259, "the first energy of a seat, above that: it pays for dice"),
    Weight("flood", 2.67, "a flood that does not happen"),
    Weight("sixth", 9.46, "the last tile of a peninsula, on top: later cards for it flood two"),
    Weight("standing", 0.865, "an Atlantean sent home by a flood"),
    Weight("card", 1.65, "a library card"),
    Weight("card_growth", 0.236, "by how much more in each round: the tiles of the other peninsulas get worse sooner"),
    Weight("crowded_card", 0.191, "what is left of that when the hand is full"),
    Weight("follower", 0.88, "a follower, per round it will still act"),
    Weight("volunteer", 0.682, "a volunteer"),
    Weight("rounds", 1.52, "rounds a game lasts"),
    Weight("remove", 1.08, "a misfortune taken out of the deck"),
    Weight("swap", 0.205, "a swap of two goods"),
    Weight("leader_first", -0.219, "by how much the leader precedes followers to equal places"),
    Weight("recovery", 13.8, "cards in the discard for which archive recovery is played"),
    Weight("repetition", 0.521, "the least an action must be worth for a card that repeats it"),
    Weight("gate", 4.28, "a component that can be built, above what its effect is worth"),
    Weight("early", 1.13, "how much the order of components matters (gates.py)"),
    Weight("helper", 1.08, "an Atlantean on a gate"),
    Weight("ward_reserve", 0.544, "energy per seat that is kept when barriers are bought"),
    Weight("drain_reserve", 1.06, "energy per seat that is kept when tiles are drained"),
    Weight("component", (
        0.32, 3.08, 3.57, 2.1, 2.68, 6.48, 2.5, 3.16, 5.09, 5.65, 1.95, 5.11, 8.25, 6.6, 6.27, 5.91, 5.6, 3.61, 0.68,
        2.73, 49.4,
    ), "what building a component early is worth, by component (2.4)"),
    Weight("councilor", (
        5.78, 3.1, 4.21, 4.07, 0.07, 3.16, -1.03, 0.73, 0.7, 4.85,
    ), "a councilor, by what it does (2.5)"),
    Weight("keep", (
        1.86, 1.25, 1.21, -0.31, 2.09, 2.42, 4.25, 2.08, 0.15, 1.19, 1.67, 1.51, 1.14, 0.74, 0.83, 1.39, 0.37, 1.09,
        3.37, 0.91, 0.71, 1.01,
    ), "a card that may be kept: basic cards, then artifacts (2.6, 2.7)"),
    Weight("harm", (
        3.76, 2.46, 3.41, 5.1, 4.62, 1.72, -0.16, 3.58, 2.94, 2.53, 2.39, 1.38, -1.65, 1.67, 1.38, 3.59, 4.97, 3.39,
        2.0, 3.67, 3.01,
    ), "the harm that a misfortune does beside its flood (2.8)"),
)  # fmt: skip
# What one player alone weighs otherwise: nobody else acts, and all prices are its own.
ALONE: Mapping[str, Any] = {
    "raw": 2.28, "spare": 0.0916, "slope": 1.74, "ore": 2.65, "forging": 0.787, "energy": 1.73, "glut": 0.0424,
    "plenty": 0.873, "empty": 3.57, "lifeline": 2.16, "first_energy": 1.52, "flood": 4.36, "sixth": 9.53,
    "standing": 2.96, "card": 4.76, "card_growth": 0.062, "crowded_card": 0.567, "follower": 0.41, "volunteer": 1.59,
    "rounds": 4.34, "remove": 0.206, "swap": 0.18, "leader_first": 0.213, "recovery": 19.4, "repetition": 0.466,
    "gate": 2.25, "early": 0.575, "helper": 1.27, "ward_reserve": 1.44, "drain_reserve": 1.27,
    "component": (
        2.13, 3.22, 4.19, 5.02, 2.77, 6.23, 3.24, 4.08, 5.34, 8.86, 1.2, 6.29, 8.81, 7.02, 3.48, 3.11, 3.55, 4.76,
        2.02, 4.17, 52.0,
    ),
    "councilor": (
        4.71, 1.03, 2.76, 3.66, 0.11, 2.57, 2.68, 2.49, -1.26, 4.99,
    ),
    "keep": (
        2.98, 3.49, 1.36, 0.12, 2.29, 2.24, 2.06, 2.78, 0.29, 0.06, 2.68, 1.07, 1.68, 1.06, -0.08, -0.95, -0.52,
        2.11, 2.2, 1.28, 1.39, 0.35,
    ),
    "harm": (
        3.47, 0.85, 0.63, 3.83, 1.27, 4.42, -0.41, 0.63, 1.37, 3.42, -0.16, 2.23, 4.02, 0.15, 2.44, 0.65, 4.98, 1.54,
        1.18, 4.1, 4.05,
    ),
}  # fmt: skip
# The numbers found with rules 2. The first edition of the features is computed with them: older networks learned so. A
# search of one player plays rollouts with them, and wins more so (docs/results/search.md).
RULES_2: Mapping[str, Any] = {
    "raw": 1.5, "spare": 0.25, "slope": 0.2, "ore": 1.7, "forging": 0.85, "energy": 0.9, "glut": 0.1, "plenty": 0.18,
    "empty": 3.5, "lifeline": 5.0, "first_energy": 0.6, "flood": 2.5, "sixth": 2.8, "standing": 1.0, "card": 1.7,
    "card_growth": 0.2, "crowded_card": 0.3, "follower": 0.68, "volunteer": 0.9, "rounds": 8.5, "remove": 1.2,
    "swap": 0.4, "leader_first": -0.1, "recovery": 12.0, "repetition": 1.8, "gate": 3.0, "early": 1.0, "helper": 1.2,
    "ward_reserve": 1.2, "drain_reserve": 1.3,
    "component": (
        3.0, 5.0, 3.0, 3.0, 6.0, 6.0, 1.0, 2.0, 4.0, 6.0, 4.0, 6.0, 7.0, 7.0, 5.0, 1.0, 3.0, 4.0, 4.0, 4.0, 50.0,
    ),
    "councilor": (
        6.0, 3.0, 4.0, 3.5, 2.5, 3.5, 3.0, 2.0, 1.0, 5.0,
    ),
    "keep": (
        1.5, 1.6, 1.2, 0.6, 2.0, 2.6, 2.6, 2.2, 1.4, 0.5, 1.3, 1.2, 1.2, 1.2, 0.6, 1.0, 0.5, 1.0, 2.2, 1.6, 0.4, 1.2,
    ),
    "harm": (
        3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 0.0, 2.5, 2.0, 1.5, 1.5, 1.5, 1.5, 1.0, 1.5, 3.0, 5.0, 2.5, 2.0, 5.0, 2.5,
    ),
}  # fmt: skip


def weights_of(players: int) -> dict[str, Any]:
    """Return the numbers by name that a team of so many plays with."""
    return values_of(WEIGHTS, ALONE if players == 1 else None)


def make_weights(changes: Mapping[str, Any] | None = None, players: int = data.MAX_PLAYERS) -> Any:
    """Return the record that kernels read with so many players (array of one), with some values changed."""
    weights = filled(record_of(WEIGHTS), weights_of(players) | dict(changes or {}))
    weights.flags.writeable = False
    return weights


def weights_by_players(alone: Mapping[str, Any] = ALONE) -> Any:
    """Return the records of one player, of two and so on, as an array; ``alone``: what the first weighs otherwise."""
    rows = [make_weights(alone, 1), *(make_weights(players=players) for players in range(2, data.MAX_PLAYERS + 1))]
    weights = np.concatenate(rows)
    weights.flags.writeable = False
    return as_records(weights)
