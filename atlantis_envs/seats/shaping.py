"""Potential-based shaping: a reward in every step that leaves the best policies as they are.

With potential P and discount g every step is paid ``weight * (g * P(after) - P(before))``, where P after the end is 0
(Ng, Harada and Russell 1999). Without discount that adds ``-weight * P(first decision)`` to a whole game, however it is
played, so the best policies are the same. A game that was cut off has not ended: there P(after) is that of the position
it was cut off in. For learning only: an evaluation looks at returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import number

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.game import Game
    from atlantis_envs.seats.step import SeatStep

MOST_WEIGHT = 1e6


class Shaping:
    """Pays N lanes a potential-based reward beside the returns.

    Attributes:
        weight: reward for one unit of potential; 0 turns shaping off.
        discount: that of the learner, per decision.
        potential: float64 (N,), weighted, as the lanes stood when they were last looked at; 0 while off.
    """

    def __init__(self, game: Game, num_games: int, weight: float = 0.0, discount: float = 1.0) -> None:
        """Set up.

        Raises:
            OptionError: ``shaping`` is not a number 0..1e6, or ``discount`` not one 0..1.
        """
        self.game = game
        self.weight = number("shaping", weight, 0.0, MOST_WEIGHT)
        self.discount = number("discount", discount, 0.0, 1.0)
        self.potential = np.zeros(num_games, np.float64)

    def begin(self, batch: Batch, seats: NDArray[np.integer[Any]]) -> None:
        """Take the potential of games that have just begun."""
        if self.weight:
            self.potential[:] = self.weight * batch.potentials(seats)

    def pay(self, batch: Batch, seats: NDArray[np.integer[Any]], step: SeatStep) -> NDArray[np.float64]:
        """Return the reward of the step played, float64 (N,); where ``step.over``, the lane plays its next game."""
        if not self.weight:
            return np.zeros(len(step.over), np.float64)
        before = self.potential.copy()
        self.begin(batch, seats)
        after = np.where(step.over, 0.0, self.potential)
        if step.truncated.any():
            ends = self.weight * batch.potentials(step.final_seats, final=True)
            after = np.where(step.truncated, ends, after)
        return self.discount * after - before
