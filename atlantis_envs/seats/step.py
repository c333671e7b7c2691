"""What a learner gets back from a step, what shaping adds to it, and the words that arguments take.

Potential-based shaping is a reward in every step that leaves the best policies as they are. With potential P and
discount g every step is paid ``weight * (g * P(after) - P(before))``, where P after the end is 0 (Ng, Harada and
Russell 1999). Without discount that adds ``-weight * P(first decision)`` to a whole game, however it is played, so the
best policies are the same. A game that was cut off has not ended: there P(after) is that of the position it was cut off
in. For learning only: an evaluation looks at returns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import number
from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.game import Game

RAISE, TERMINATE = ILLEGAL_MODES = ("raise", "terminate")  # what an illegal action does
ILLEGAL_REWARD = -1.0
FORFEIT = -1  # in place of an action: the agent gives the game up
MOST_WEIGHT = 1e6  # of shaping
RANDOM, ROTATE, ALL = "random", "rotate", "all"


def forfeit_returns(players: int, seat: int, cooperative: bool) -> list[float]:
    """Return the returns of all seats where one forfeits: it is paid as for an illegal action, and so is its team."""
    return [ILLEGAL_REWARD if cooperative or other == seat else 0.0 for other in range(players)]


class SeatStep(NamedTuple):
    """The result of a step. Fresh arrays; ``final_...`` and ``lengths`` are 0 except where ``over``.

    Attributes:
        observations: uint8 (N, F), of the learner, at its next decision.
        masks: int8 (N, A), what it may do there.
        seats: int8 (N,), the seat it has there.
        rewards: float32 (N,), the return of the learner's seat where its game ended, else 0; plus shaping, if any.
        over: bool (N,), where a game ended; the lane's next one has begun.
        truncated: bool (N,), where a safety bound cut it off: no end by the rules, so a learner may value what follows.
        illegal: bool (N,), where it ended because the learner's action was not legal.
        final_observations: uint8 (N, F), the end as the learner sees it.
        final_seats: int8 (N,), the seat it had.
        final_scores: int64 (N, P), per seat.
        final_returns: float32 (N, P), per seat.
        lengths: int64 (N,), decisions the learner took in the game.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    seats: NDArray[np.int8]
    rewards: NDArray[np.float32]
    over: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    illegal: NDArray[np.bool_]
    final_observations: NDArray[np.uint8]
    final_seats: NDArray[np.int8]
    final_scores: NDArray[np.int64]
    final_returns: NDArray[np.float32]
    lengths: NDArray[np.int64]


def checked_rule(rule: Any, game: Game) -> int | str:
    """Return a rule for the learner's seat.

    Raises:
        OptionError: it is not a rule, or is "all" in a game that is not cooperative.
    """
    together = game.cooperative
    words = (RANDOM, ROTATE, ALL) if together else (RANDOM, ROTATE)
    if isinstance(rule, str) and rule in words:
        return rule
    if isinstance(rule, (int, np.integer)) and not isinstance(rule, bool) and 0 <= rule < game.players:
        return int(rule)
    allowed = ", ".join([f"0..{game.players - 1}", *map(repr, words)])
    note = "" if together or rule != ALL else f" ({ALL!r} needs a cooperative game; in {game.name!r} seats compete)"
    raise OptionError(f"learner_seat: {repr_short(rule)}; allowed: {allowed}{note}")


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
