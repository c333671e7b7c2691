"""Trials: every legal action of one decision is played and the game imagined on, with the same luck for all of them.

An agent that imagines games itself (search) is asked for them; with any other one, games are played on to their end by
that agent in every seat. Row i of the result is a function of the decision, as its seat knows it, and of word i alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.position import Position
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.positions import Positions, ask, known_to

if TYPE_CHECKING:
    from atlantis_envs.engine.setup import Setup


class Trials(NamedTuple):
    """What came out of N trials of every legal action.

    Attributes:
        shares: float64 (N, A), win share of the seat to decide, 0..1; NaN for actions that are not legal.
        each: simulations that one row is the mean of.
        scores: float64 (A,), what a rule of thumb thinks of the actions; None: nobody was asked.
    """

    shares: NDArray[np.float64]
    each: int
    scores: NDArray[np.float64] | None


@runtime_checkable
class Analyst(Agent, Protocol):
    """An agent that imagines games itself."""

    @property
    def budget(self) -> int:
        """Simulations that it was told to make for a decision; 0: something else limits it."""
        ...

    def try_all(self, positions: Positions, noise: NDArray[np.uint64]) -> Trials:
        """Try every legal action once per row.

        Args:
            positions: N of them, alike: the same seat, the same legal actions.
            noise: uint64 (N,), the only randomness: the same word is the same luck for every action.
        """
        ...


def known_once(position: Position, seat: int, word: np.uint64) -> Positions:
    """The decision as its seat may know it, what it cannot know redrawn: one row.

    Raises:
        OptionError: the game does not say what a seat cannot know.
    """
    observations, masks = position.observation(seat)[None], position.action_mask(seat)[None]
    return known_to(position.game, position.state, np.array([seat]), observations, masks, np.array([word], np.uint64))


def repeated(known: Positions, count: int) -> Positions:
    """The same row ``count`` times."""
    rows = np.zeros(count, np.int64)
    states = np.array(known.states)[rows].view(np.recarray)
    return Positions(known.game, states, known.seats[rows], known.observations[rows], known.masks[rows])


def played_on(
    agent: Agent, known: Positions, words: NDArray[np.uint64], stop: threading.Event
) -> NDArray[np.float64] | None:
    """Trials by an agent that plays on in every seat, to the end; float64 (N, A), or None once ``stop`` is set.

    Args:
        agent: any agent.
        known: one decision.
        words: uint64 (N,); what the seat cannot know is drawn anew for every word, the first one is the luck of all.
        stop: set by whoever does not want to know any more.
    """
    game, seat = known.game, int(known.seats[0])
    legal = np.flatnonzero(known.masks[0])
    many = repeated(known, len(words))
    drawn = known_to(game, many.states, many.seats, many.observations, many.masks, words)
    start = Batch(game, len(words), int(words[0]))
    start.load([Position(game, drawn.states[row : row + 1]) for row in range(len(words))])
    batch = _side_by_side(start, len(legal))
    ended = _to_the_end(batch, np.repeat(legal, len(words)), _player(agent, batch), stop)
    if ended is None:
        return None
    shares = np.full((len(words), game.num_actions), np.nan)
    shares[:, legal] = _win_shares(game, ended[:, seat]).reshape(len(legal), len(words)).T
    return shares


def _side_by_side(batch: Batch, times: int) -> Batch:
    """Copies of all lanes one after the other: the same positions, games and luck."""
    arrays = {name: np.concatenate([array] * times) for name, array in batch.to_arrays().items()}
    wide = Batch(batch.game, batch.num_games * times, batch.seed)
    wide.from_arrays(arrays, batch.seed)
    return wide


def _player(agent: Agent, batch: Batch) -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    return lambda lanes: ask(agent, batch, lanes, batch.noise(batch.seed, lanes))


def _to_the_end(
    batch: Batch,
    first: NDArray[np.int64],
    play: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    stop: threading.Event,
) -> NDArray[np.float64] | None:
    """Returns of all lanes, float64 (N, P); ``first`` is played before anybody is asked."""
    returns = np.zeros((len(batch), batch.game.players))
    live, actions = np.arange(len(batch)), first
    while len(live):
        if stop.is_set():
            return None
        rewards, over = batch.step(actions, live)
        ended = live[over[live]]
        returns[ended] = rewards[ended]
        live = live[~over[live]]
        actions = play(live) if len(live) else actions
    return returns


def _win_shares(game: Setup, returns: NDArray[np.float64]) -> Any:
    """Win shares out of returns: equal returns of everybody are a tie of all. Rewards of a batch are float32."""
    if game.definition.utility == IDENTICAL:
        return np.round(0.5 + 0.5 * returns, 6)
    return np.round((1.0 + (game.players - 1) * returns) / game.players, 6)
