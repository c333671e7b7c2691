"""Trials: every legal action of one decision is played and the game simulated on, with the same luck for all of them.

An agent that simulates games itself (search) is asked for them; with any other one, games are played on to their end by
that agent in every seat. Row i of the result is a function of the decision, as its seat knows it, and of word i alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.position import Position
from atlantis_envs.seats.agents import Agent, Positions
from atlantis_envs.seats.positions import ask, determinize

if TYPE_CHECKING:
    from atlantis_envs.engine.setup import Setup


def determinize_position(position: Position, seat: int, word: np.uint64) -> Positions:
    """Return the decision as its seat may know it, what it cannot know redrawn: one row.

    Raises:
        OptionError: the game does not say what a seat cannot know.
    """
    observations, masks = position.observation(seat)[None], position.action_mask(seat)[None]
    return determinize(
        position.game, position.state, np.array([seat]), observations, masks, np.array([word], np.uint64)
    )


def repeated(known: Positions, count: int) -> Positions:
    """Return the same row ``count`` times."""
    rows = np.zeros(count, np.int64)
    states = np.array(known.states)[rows].view(np.recarray)
    return Positions(known.game, states, known.seats[rows], known.observations[rows], known.masks[rows])


def played_on(
    agent: Agent, known: Positions, random_words: NDArray[np.uint64], stop: threading.Event
) -> NDArray[np.float64] | None:
    """Let an agent play on in every seat, to the end; return float64 (N, A), or None once ``stop`` is set.

    Args:
        agent: any agent.
        known: one decision.
        random_words: uint64 (N,); what the seat cannot know is drawn anew for every word, the first is the luck of all.
        stop: set by whoever does not want to know any more.
    """
    game, seat = known.game, int(known.seats[0])
    legal = np.flatnonzero(known.masks[0])
    many = repeated(known, len(random_words))
    drawn = determinize(game, many.states, many.seats, many.observations, many.masks, random_words)
    start = Batch(game, len(random_words), int(random_words[0]))
    start.load([Position(game, drawn.states[row : row + 1]) for row in range(len(random_words))])
    batch = _side_by_side(start, len(legal))
    ended = _to_the_end(batch, np.repeat(legal, len(random_words)), _player(agent, batch), stop)
    if ended is None:
        return None
    shares = np.full((len(random_words), game.num_actions), np.nan)
    shares[:, legal] = _win_shares(game, ended[:, seat]).reshape(len(legal), len(random_words)).T
    return shares


def _side_by_side(batch: Batch, times: int) -> Batch:
    """Return copies of all lanes one after the other: the same positions, games and luck."""
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
    """Play to the end; the returns of all lanes, float64 (N, P). ``first`` is played before anybody is asked."""
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
    """Compute win shares from returns: equal returns of everybody are a tie. Rewards of a batch are float32."""
    if game.definition.utility == IDENTICAL:
        return np.round(0.5 + 0.5 * returns, 6)
    return np.round((1.0 + (game.players - 1) * returns) / game.players, 6)
