"""The numbers behind the Atlantis heuristic: named, explained, and found by playing variants against each other.

Values are points at the end of the game unless said otherwise. ``make_weights`` turns the table into the record that
kernels read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from atlantis_agents.heuristics import Weight, filled, record_of, values_of
from atlantis_envs.games.atlantis import data

WEIGHTS = (
    Weight("card", 0.6, "a card of a large hand above the point it is at the end (8.4)"),
    Weight("crowd", 0.1, "how much less of that with each player above three, more with two"),
    Weight("scarce", 4.5, "how much more the only card of a hand is worth; the k-th card a k-th of it"),
    Weight("late_card", 0.4, "how much of all that is gone when the end is near"),
    Weight("space", 0.25, "a space nearer to the mainland"),
    Weight("behind", 0.02, "the same, for a pawn on Atlantis, on top: the last pawns move first"),
    Weight("home", 4.5, "a pawn at home, for the cards it brings (7.6); less as the end nears"),
    Weight("stand", 0.1, "each point of the tile one stands on: nobody else can take it (7.2)"),
    Weight("debt", 0.25, "each point of toll before a pawn that is not home, early in the game (8.3)"),
    Weight("late_debt", 0.25, "the same on top when the end is near"),
    Weight("rival", 0.45, "each point of toll before a pawn of an opponent"),
    Weight("spread", 1.2, "power of the number of opponents by which that is divided"),
    Weight("under", 3.4, "what a tile still covered is thought to show (C5)"),
    Weight("lateness", 3.0, "power of the way of the seat nearest to the end that makes it late"),
    Weight("ending", 40.0, "ending the game as the winner, and the reverse (8.1)"),
    Weight("reserve", 2.0, "an unused bridge, early in the game (6.9)"),
    Weight("growth", 0.65, "how much dearer a gap will be for the pawns still behind it, thanks to its bridge"),
    Weight("stuck_bridge", 1.0, "a bridge when no pawn can move"),
    Weight("sale", -0.65, "a sale as such (4.3)"),
    Weight("stuck_sale", 1.0, "a card of a sale when no pawn can move"),
    Weight("change", 0.3, "a tile of value 1, above its value: it pays small tolls"),
    Weight("fit", 0.15, "how much of the tile a card could win now it keeps as its worth"),
    Weight("outlook", 0.3, "how much the best tile of the next move counts"),
)


MOST_WAY = data.NUM_PAWNS * (data.NUM_SPACES + 1)  # of the pawns of a seat, from Atlantis to the mainland

RECORD = np.dtype(
    [
        *record_of(WEIGHTS).descr,
        ("late_at", np.float64, (MOST_WAY + 1,)),  # way of the furthest seat -> how late it is
        ("spread_over", np.float64, (data.MAX_PLAYERS,)),  # opponents -> what the weight "rival" is divided by
    ]
)


def make_weights(changes: Mapping[str, float] | None = None) -> Any:
    """Return the record kernels read (array of one), with some values changed."""
    values = values_of(WEIGHTS, changes)
    weights = filled(RECORD, values)
    weights.late_at[0] = [(way / MOST_WAY) ** values["lateness"] for way in range(MOST_WAY + 1)]
    weights.spread_over[0] = [opponents ** values["spread"] for opponents in range(data.MAX_PLAYERS)]
    weights.flags.writeable = False
    return weights
