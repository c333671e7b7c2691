"""Potential-based shaping: a learner is told early how it stands, and the aim stays what it was.

With potential P and discount g every step is paid ``weight * (g * P(after) - P(before))``, where P after the end is 0
(Ng, Harada and Russell 1999). Without discount that adds ``-weight * P(first decision)`` to a whole game, however it is
played, so the best policies are the same. For learning only: an evaluation looks at returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.arguments import number
from atlantis_envs.engine.records import plain

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.game import Game

MOST_WEIGHT = 1e6


def potentials(batch: Batch, seats: NDArray[np.int8]) -> NDArray[np.float64]:
    """How the games of a batch stand for ``seats[lane]``, float64 (N,).

    The potential that the game declares, else the score of that seat less the best other one.
    """
    game = batch.game
    out = np.zeros(batch.num_games, np.float64)
    points = np.zeros(game.definition.max_players, np.int64)
    game.loops.potential(game.plain_rules, plain(batch._lanes.states), seats, game.players, points, out)
    return out


class Shaping:
    """What N lanes are paid beside the returns.

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

    def begin(self, batch: Batch, seats: NDArray[np.int8]) -> None:
        """Look at games that have just begun."""
        if self.weight:
            self.potential[:] = self.weight * potentials(batch, seats)

    def pay(self, batch: Batch, seats: NDArray[np.int8], over: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Reward of the step that was just played, float64 (N,); where ``over``, the lane plays its next game."""
        if not self.weight:
            return np.zeros(len(over), np.float64)
        before = self.potential.copy()
        self.begin(batch, seats)
        return np.where(over, 0.0, self.discount * self.potential) - before
