"""The numbers behind the Atlandice heuristic: named, explained, and found by playing variants against each other.

Values are prestige points unless said otherwise. ``make_weights`` turns the table into the record that kernels read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from atlantis_envs.engine.records import records
from atlantis_envs.games.atlandice.data import NUM_TILES


class Weight(NamedTuple):
    """One number of the heuristic."""

    name: str
    value: float
    about: str


WEIGHTS = (
    Weight("sharpness", 1.6, "how much a lead of one piece decides a race in which one more piece will be taken"),
    Weight("blur", 0.5, "pieces of uncertainty that are always left before a race is scored"),
    Weight("tie", 0.5, "a tied participant is treated as this many pieces ahead, since all tied are first (7.4)"),
    Weight("entry", 0.5, "chance, per piece still to come, that a participant without any gets one (7.3)"),
    Weight("flow", 0.2, "pieces of one type taken per visit"),
    Weight("pace", 2.0, "spaces the hand moves in a round"),
    Weight("inventory", 0.5, "chance that the hand stops on a given space ahead (8.4)"),
    Weight("inventory_fade", 0.95, "what each space of distance leaves of an Inventory"),
    Weight("spare", 0.15, "worth of a piece at a later Donation (8.5)"),
    Weight("spare_total", 0.1, "worth of a piece at a later Inventory of the total"),
    Weight("focus", 0.6, "how much more the leading opponent counts, per point and root of rounds to go"),
    Weight("repeat", 0.8, "worth of a second piece of the same type, relative to the first"),
    Weight("draft", 1.0, "trust in the predicted rest of the round"),
    Weight("lead_pace", 0.03, "worth of one space of the hand, per point of lead"),
    Weight("donation_now", 0.25, "worth of a piece when the hand stops on a Donation"),
    Weight("deny", 0.5, "trust in the next visitor's choice among the pieces left"),
    Weight("stay", 0.1, "worth to a seat of the submarine, per point of the second piece there, next round"),
    Weight("effect_J2", 0.2, "J2, to the visitor (6.5)"),
    Weight("effect_L2", 0.1, "L2 (6.8)"),
    Weight("effect_I2", 0.2, "I2 (6.11)"),
    Weight("effect_I3", 0.3, "I3 (6.12)"),
    Weight("effect_M", 0.2, "M1, M2, M3 (6.13)"),
    Weight("effect_F2", 0.1, "F2 (6.15)"),
)  # fmt: skip

LEVELS = 37  # how soon a race is scored, in steps of 1 / GRAIN pieces still to come; the last level is "now"
GRAIN = 3
NOW = LEVELS - 1
LONGEST_LEAD = 16
CERTAIN = 40.0

RECORD = np.dtype(
    [
        *((weight.name, np.float64) for weight in WEIGHTS),
        ("odds", np.float64, (LEVELS, LONGEST_LEAD)),  # level, pieces behind the best -> e ** -(steepness * pieces)
        ("tie_odds", np.float64, (LEVELS,)),  # e ** -(steepness * tie)
        ("entry_odds", np.float64, (LEVELS,)),  # chance to be ranked without a piece yet
    ],
    align=True,
)


def make_weights(changes: Mapping[str, float] | None = None) -> Any:
    """The record kernels read (array of one), with some values changed."""
    table = {weight.name: weight.value for weight in WEIGHTS} | dict(changes or {})
    weights = records(1, RECORD)
    for name, value in table.items():
        weights[name] = value
    for level in range(LEVELS):
        to_come = (level + 0.5) / GRAIN
        steepness = CERTAIN if level == NOW else table["sharpness"] / math.sqrt(to_come + table["blur"])
        weights.odds[0, level] = [math.exp(-steepness * behind) for behind in range(LONGEST_LEAD)]
        weights.tie_odds[0, level] = math.exp(-steepness * table["tie"])
        weights.entry_odds[0, level] = 0.0 if level == NOW else 1.0 - math.exp(-to_come * table["entry"])
    weights.flags.writeable = False
    return weights


assert NUM_TILES == 15
