"""The numbers behind the Atlandice heuristic: named, explained, and found by playing variants against each other.

Values are prestige points unless said otherwise. ``make_weights`` turns the table into the record that kernels read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.heuristics import Weight, filled, record_of, values_of
from atlantis_envs.games.atlandice import data

WEIGHTS = (
    Weight("sharpness", 2.4, "how much a lead of one piece decides a race in which one more piece will be taken"),
    Weight("blur", 0.5, "pieces of uncertainty that are always left before a race is scored"),
    Weight("tie", 0.4, "a tied participant is treated as this many pieces ahead, since all tied are first (7.4)"),
    Weight("tie_slope", 0.0, "less for every piece still to come"),
    Weight("entry", 1.0, "chance, per piece still to come, that a participant without any gets one (7.3)"),
    Weight("flow", 0.15, "pieces of one type taken per visit"),
    Weight("pace", 2.0, "spaces the hand moves in a round"),
    Weight("inventory", 0.7, "chance that the hand stops on a given space ahead (8.4)"),
    Weight("inventory_fade", 0.95, "what each space of distance leaves of an Inventory"),
    Weight("spare", 0.2, "worth of a piece at a later Donation (8.5)"),
    Weight("spare_total", 0.1, "worth of a piece at a later Inventory of the total"),
    Weight("focus", 0.6, "how much more the leading opponent counts, per point and root of rounds to go"),
    Weight("certainty", 0.9, "what a point of lead is worth in the log odds of winning, per root of rounds to go"),
    Weight("second", 0.9, "worth of a second piece of the same type, relative to the first"),
    Weight("draft", 0.0, "visits of the round that are looked ahead; each makes the choice slower and better"),
    Weight("trust", 1.0, "trust in each further visit that is looked ahead"),
    Weight("lead_pace", 0.03, "worth of one space of the hand, per point of lead"),
    Weight("donation_now", 0.1, "worth of a piece when the hand stops on a Donation"),
    Weight("stay", 0.2, "worth to a seat of the submarine, per point of the second piece there, next round"),
    Weight("effect_J2", 0.2, "J2, to the visitor (6.5)"),
    Weight("effect_L2", 0.1, "L2 (6.8)"),
    Weight("effect_I2", 0.0, "I2 (6.11)"),
    Weight("effect_I3", 0.3, "I3 (6.12)"),
    Weight("effect_M", 0.2, "M1, M2, M3 (6.13)"),
    Weight("effect_F2", 0.1, "F2 (6.15)"),
    Weight("refill", 5.0, "pieces on a District after its next tile is revealed (7.6)"),
)

DEEP = {"draft": 2.0}  # for the player that takes its time

LEVELS = 17  # how soon a race is scored: level l stands for (l + 0.5) / GRAIN pieces still to come; the last is "now"
GRAIN = 2
NOW = LEVELS - 1
REACH = 5  # leads beyond this many pieces are all the same
SPAN = 2 * REACH + 1
ABSENT = SPAN  # in place of a lead: no such participant
CERTAIN = 40.0
MOST_PIECES = data.MAX_PIECES_OF_TYPE * data.NUM_TYPES  # on one Sector

RECORD = np.dtype(
    [
        *record_of(WEIGHTS).descr,
        ("soon", np.float64, (data.FAR + 1,)),  # spaces to an Inventory -> how much it counts
        ("entry_chance", np.float64, (LEVELS,)),  # chance to be ranked although owning none yet
        # four players, spaces to the end, visits over, pieces of a District -> level, how soon its race is scored
        ("level", np.int8, (2, data.FAR + 1, data.MAX_DICE, MOST_PIECES + 1)),
        # lead of the third, level, lead of the first, of the second opponent -> chance to be first, to be second
        ("odds", np.float32, (SPAN + 1, LEVELS, SPAN, SPAN, 2)),
    ],
    align=True,
)


def make_weights(changes: Mapping[str, float] | None = None) -> Any:
    """Return the record kernels read (array of one), with some values changed."""
    table = values_of(WEIGHTS, changes)
    weights = filled(RECORD, table)
    weights.soon[0, : data.FAR] = table["inventory"] * table["inventory_fade"] ** np.arange(data.FAR)
    for number, players in enumerate((data.MAX_PLAYERS - 1, data.MAX_PLAYERS)):
        weights.level[0, number] = race_levels(data.DICE[players] - 1, table["pace"], table["flow"])
    for level in range(LEVELS):
        to_come = (level + 0.5) / GRAIN
        steepness = CERTAIN if level == NOW else table["sharpness"] / math.sqrt(to_come + table["blur"])
        weights.entry_chance[0, level] = 0.0 if level == NOW else 1.0 - math.exp(-to_come * table["entry"])
        first, second = race_odds(steepness, 0.5 if level == NOW else table["tie"] - table["tie_slope"] * to_come)
        weights.odds[0, :, level, :, :, 0] = first
        weights.odds[0, :, level, :, :, 1] = second
    weights.flags.writeable = False
    return weights


def race_levels(visits: int, pace: float, flow: float) -> NDArray[np.int64]:
    """Return how soon races are scored in a game of so many visits a round: when a District is emptied, or at the end.

    Returns:
        int64 (FAR + 1, MAX_DICE, MOST_PIECES + 1): by spaces to the end, visits of the round over, pieces left.
    """
    rounds = np.maximum(0.0, (np.arange(data.FAR + 1) - 1.0) / pace)
    to_come = visits * (rounds[:, None] + 1.0) - np.arange(data.MAX_DICE)
    until_end = (flow * to_come + 0.01)[:, :, None]
    until_empty = np.arange(MOST_PIECES + 1) + 0.01
    until = until_end * until_empty / np.sqrt(until_end * until_end + until_empty * until_empty)
    return np.minimum(NOW - 1, (GRAIN * until).astype(np.int64))


def race_odds(steepness: float, tie: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return chances to be first (or tied for it), and second below a sole first, by the opponents' leads.

    Each piece multiplies a participant's odds by ``e ** steepness``; with a large steepness this is the rule (7.4).

    Returns:
        two arrays float64 (SPAN + 1, SPAN, SPAN): lead of the third opponent, of the first, of the second.
    """
    leads = np.arange(-REACH, REACH + 1)
    power = np.exp(steepness * leads)
    third = np.append(power, 0.0)
    powers = (third[:, None, None], power[None, :, None], power[None, None, :])
    everyone = 1.0 + sum(powers)
    bias = math.exp(-steepness * tie)
    first = np.asarray(1.0 / (1.0 + bias * (everyone - 1.0)))
    second = np.zeros_like(first)
    for above in powers:
        sole = bias * above / (bias * above + everyone - above)
        second += sole / (1.0 + bias * (everyone - 1.0 - above))
    return first, second
