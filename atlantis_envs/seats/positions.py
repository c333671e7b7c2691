"""Agents that see positions instead of observations, and what they are shown: nothing that their seat cannot know.

Search needs positions to play on from. Whoever asks such an agent redraws first what the seat to decide does not know,
by the game's own law (``resample``), so that true hidden cards never reach an agent. The draw is a function of the
agent's random word and of what the seat knows: positions that look the same to a seat give the same choice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import fresh_seed
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import NOWHERE
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.seats.agents import Agent

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.setup import Setup

SHUFFLE = np.uint64(0x5DEECE66D)  # parts the draw of hidden cards from what the agent makes of the same word


@dataclass(frozen=True, eq=False)
class Positions:
    """Decision nodes of one game, as the seat to decide in each may know them.

    Attributes:
        game: whose positions.
        states: recarray (N,), what the seat cannot know redrawn; copies, the agent may write to them.
        seats: int64 (N,), who is to decide.
        observations: uint8 (N, F), what that seat sees.
        masks: int8 (N, A), what it may do.
    """

    game: Setup
    states: Any
    seats: NDArray[np.int64]
    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]

    def __len__(self) -> int:
        """N."""
        return len(self.seats)


@runtime_checkable
class PositionAgent(Agent, Protocol):
    """An agent that is asked at positions. Its ``act`` may refuse: observations are not enough for it."""

    def act_positions(self, positions: Positions, noise: NDArray[np.uint64] | None = None) -> NDArray[np.int64]:
        """One legal action per position.

        Args:
            positions: N of them.
            noise: uint64 (N,), the only randomness the agent may use; see ``Agent.act``.

        Returns:
            int64 (N,) action ids.
        """
        ...


def check_law(game: Setup) -> None:
    """Refuse a game whose positions nobody may be shown.

    Raises:
        OptionError: the game does not say what a seat cannot know.
    """
    if game.definition.resampled == NOWHERE:
        raise OptionError(
            f"agent: it sees positions, and {game.name!r} declares no resample; allowed: agents that see observations, "
            "or games that say what a seat cannot know"
        )


def known_to(
    game: Setup,
    states: Any,
    seats: NDArray[Any],
    observations: NDArray[np.uint8],
    masks: NDArray[np.int8],
    noise: NDArray[np.uint64],
) -> Positions:
    """Positions as the seats to decide may know them.

    Args:
        game: whose positions.
        states: N states at decision nodes, true hidden cards and all; they stay as they are.
        seats: (N,), who is to decide.
        observations: uint8 (N, F), of these seats.
        masks: int8 (N, A).
        noise: uint64 (N,), what is redrawn is a function of.

    Raises:
        OptionError: the game has no law for what these seats cannot know.
    """
    check_law(game)
    drawn = np.array(states, game.record_dtype)
    for row, seat in enumerate(seats):
        rng = np.array([noise[row] ^ SHUFFLE, 0], np.uint64)
        lawful = game.loops.resample(game.plain_rules, drawn[row : row + 1], int(seat), rng)
        if lawful is not None and not lawful:
            raise OptionError(f"agent: it sees positions; allowed in {game.name!r}: {game.definition.resampled}")
    return Positions(game, drawn.view(np.recarray), np.asarray(seats, np.int64), observations, masks)


def ask(agent: Agent, batch: Batch, lanes: NDArray[np.int64], noise: NDArray[np.uint64]) -> NDArray[np.int64]:
    """What an agent plays in these lanes of a batch, whatever it needs to see.

    Raises:
        IllegalActionError: the agent gave something else than an integer for every lane.
        OptionError: it sees positions, and the game does not say what a seat cannot know.
    """
    own = batch._lanes  # which nobody else can have written to
    observations, masks, seats = own.observations[lanes], own.masks[lanes], own.seats[lanes]
    return _answers(
        agent,
        len(lanes),
        observations,
        masks,
        noise,
        lambda: known_to(batch.game, own.states[lanes], seats, observations, masks, noise),
    )


def ask_at(agent: Agent, position: Position, noise: int | None = None) -> int:
    """The action id that an agent plays at a position, for the seat to decide there.

    Args:
        agent: any agent.
        position: a decision node.
        noise: 0..2**64-1, the agent's random word; None: fresh entropy.

    Raises:
        ValueError: nobody decides there.
        IllegalActionError: the agent gave something else than an integer.
        OptionError: it sees positions, and the game does not say what a seat cannot know.
    """
    seat = position.seat
    if seat is None:
        raise ValueError(f"ask_at: the node is {position.node!r}; allowed: only where a seat decides")
    observations, masks = position.observation(seat)[None], position.action_mask(seat)[None]
    words = np.array([fresh_seed() if noise is None else noise], np.uint64)
    seats = np.array([seat])
    chosen = _answers(
        agent,
        1,
        observations,
        masks,
        words,
        lambda: known_to(position.game, position.state, seats, observations, masks, words),
    )
    return int(chosen[0])


def _answers(
    agent: Agent,
    count: int,
    observations: NDArray[np.uint8],
    masks: NDArray[np.int8],
    noise: NDArray[np.uint64],
    positions: Callable[[], Positions],
) -> NDArray[np.int64]:
    """Ask in the way the agent wants to be asked."""
    at_positions = getattr(agent, "act_positions", None)
    answer = at_positions(positions(), noise) if callable(at_positions) else agent.act(observations, masks, noise)
    chosen = np.asarray(answer)
    if chosen.dtype.kind not in "iu" or chosen.shape != (count,):
        method = "act_positions" if callable(at_positions) else "act"
        told = f"{chosen.dtype} {chosen.shape}" if isinstance(answer, np.ndarray) else repr_short(answer)
        raise IllegalActionError(f"agent {agent!r}: {method}() returned {told}; allowed: {count} integers")
    return chosen
