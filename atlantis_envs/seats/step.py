"""What a learner gets back from a step, and the words that arguments take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.errors import OptionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

RAISE, TERMINATE = ILLEGAL_MODES = ("raise", "terminate")  # what an illegal action does
ILLEGAL_REWARD = -1.0
RANDOM, ROTATE, ALL = "random", "rotate", "all"


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
    together = game.definition.utility == IDENTICAL
    words = (RANDOM, ROTATE, ALL) if together else (RANDOM, ROTATE)
    if isinstance(rule, str) and rule in words:
        return rule
    if isinstance(rule, (int, np.integer)) and not isinstance(rule, bool) and 0 <= rule < game.players:
        return int(rule)
    allowed = ", ".join([f"0..{game.players - 1}", *map(repr, words)])
    note = "" if together or rule != ALL else f" ({ALL!r} needs a cooperative game; in {game.name!r} seats compete)"
    raise OptionError(f"learner_seat: {repr_short(rule)}; allowed: {allowed}{note}")
