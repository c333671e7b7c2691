"""Who plays against the learner, game by game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.step import RANDOM

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

LEARNER = -1  # stands in ``SeatBatch.sitting`` where the learner sits

Opponents = str | Agent | Sequence[str | Agent]


@runtime_checkable
class Seating(Protocol):
    """Who plays against the learner. An opponent has an id, its own as long as it may sit somewhere."""

    def seat(self, random_words: NDArray[np.uint64], seats: NDArray[np.int8]) -> NDArray[np.int32]:
        """Choose who sits where in games that now begin.

        Args:
            random_words: uint64 (k, P), a function of seed and game index alone.
            seats: int8 (k,), the learner's.

        Returns:
            int32 (k, P), the opponents' ids; that in the learner's seat is ignored.
        """
        ...

    def opponents(self) -> Mapping[int, Agent]:
        """Return every agent that may play now, by id."""
        ...

    def record(self, sitting: NDArray[np.int32], seats: NDArray[np.int8], returns: NDArray[np.float32]) -> None:
        """Take note of games that ended: who sat where, int32 (k, P), learner's seats (k,), returns (k, P)."""
        ...


class FixedSeating:
    """The same opponents in every game.

    Args:
        game: what is played.
        opponents: an agent (object or text, see ``make_agent``) for all other seats, or one per other seat: the first
            plays the seat after the learner's, and so on round the table.

    Attributes:
        agents: the opponents, in turn after the learner; one alone plays every other seat.
    """

    def __init__(self, game: Game, opponents: Opponents) -> None:
        """Find the agents."""
        one = isinstance(opponents, str) or not isinstance(opponents, Sequence)
        given: Sequence[Any] = (opponents,) if one else opponents  # type: ignore[assignment]
        if len(given) not in {1, game.players - 1}:
            allowed = f"1 for all other seats, or {game.players - 1}, one per seat"
            raise OptionError(f"opponents: {len(given)} agents; allowed: {allowed}")
        self.agents = tuple(make_agent(who, game) for who in given)

    def seat(self, random_words: NDArray[np.uint64], seats: NDArray[np.int8]) -> NDArray[np.int32]:
        """Seat the opponents in turn after the learner."""
        players = random_words.shape[1]
        after_learner = (np.arange(players) - seats[:, None] - 1) % players
        ids: NDArray[np.int32] = (after_learner % len(self.agents)).astype(np.int32)
        return ids

    def opponents(self) -> Mapping[int, Agent]:
        """Number the opponents in turn after the learner."""
        return dict(enumerate(self.agents))

    def record(self, sitting: NDArray[np.int32], seats: NDArray[np.int8], returns: NDArray[np.float32]) -> None:
        """Do nothing: no statistics are kept."""


class NoSeating:
    """No opponents: the learner plays all seats.

    Args:
        opponents: the default stands for nobody.

    Raises:
        OptionError: an opponent is named, who would have no seat.
    """

    agents: tuple[Agent, ...] = ()

    def __init__(self, opponents: Any = RANDOM) -> None:
        """Refuse opponents, who would be ignored."""
        if not (isinstance(opponents, str) and opponents == RANDOM):
            allowed = "the default, as learner_seat 'all' leaves no seat"
            raise OptionError(f"opponents: {repr_short(opponents)}; allowed: {allowed}")

    def seat(self, random_words: NDArray[np.uint64], seats: NDArray[np.int8]) -> NDArray[np.int32]:
        """Give every seat to the learner."""
        return np.full(random_words.shape, LEARNER, np.int32)

    def opponents(self) -> Mapping[int, Agent]:
        """Return no agents."""
        return {}

    def record(self, sitting: NDArray[np.int32], seats: NDArray[np.int8], returns: NDArray[np.float32]) -> None:
        """Do nothing: no statistics are kept."""
