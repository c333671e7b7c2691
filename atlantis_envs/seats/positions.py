"""Agents that see positions instead of observations, and what they are shown: nothing that their seat cannot know.

Search needs positions to play on from. Whoever asks such an agent redraws first what the seat to decide does not know,
by the game's own ``resample``, so that true hidden cards never reach an agent. The draw is a function of the
agent's random word and of what the seat knows: positions that look the same to a seat give the same choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import fresh_seed
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import NOWHERE
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.seats.agents import Agent, Capabilities, Positions
from atlantis_envs.seats.step import FORFEIT

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.setup import Setup

SHUFFLE = np.uint64(0x5DEECE66D)  # parts the draw of hidden cards from what the agent makes of the same word


def check_resample(game: Setup) -> None:
    """Refuse a game whose positions nobody may be shown.

    Raises:
        OptionError: the game does not say what a seat cannot know.
    """
    if game.definition.resample_nodes == NOWHERE:
        raise OptionError(
            f"agent: it sees positions, and {game.name!r} declares no resample; allowed: agents that see observations, "
            "or games that say what a seat cannot know"
        )


def determinize(
    game: Setup,
    states: Any,
    seats: NDArray[Any],
    observations: NDArray[np.uint8],
    masks: NDArray[np.int8],
    noise: NDArray[np.uint64],
) -> Positions:
    """Return positions as the seats to decide may know them.

    Args:
        game: whose positions.
        states: N states at decision nodes, true hidden cards and all; they stay as they are.
        seats: (N,), who is to decide.
        observations: uint8 (N, F), of these seats.
        masks: int8 (N, A).
        noise: uint64 (N,), what is redrawn is a function of.

    Raises:
        OptionError: the game does not say how to sample what these seats cannot know.
    """
    check_resample(game)
    drawn = np.array(states, game.record_dtype)
    for row, seat in enumerate(seats):
        rng = np.array([noise[row] ^ SHUFFLE, 0], np.uint64)
        possible = game.loops.resample(game.plain_rules, drawn[row : row + 1], int(seat), rng)
        if possible is not None and not possible:
            raise OptionError(f"agent: it sees positions; allowed in {game.name!r}: {game.definition.resample_nodes}")
    return Positions(game, drawn.view(np.recarray), np.asarray(seats, np.int64), observations, masks)


def ask(
    agent: Agent, batch: Batch, lanes: NDArray[np.int64], noise: NDArray[np.uint64], forfeits: bool = False
) -> NDArray[np.int64]:
    """Return what an agent plays in these lanes of a batch, whatever it needs to see.

    Args:
        agent: any agent.
        batch: the games.
        lanes: int64 (N,), where it is to move.
        noise: uint64 (N,), its random words.
        forfeits: whether FORFEIT may be among the answers.

    Raises:
        IllegalActionError: the agent gave something else than an integer for every lane, or forfeits.
        OptionError: it sees positions, and the game does not say what a seat cannot know.
    """
    own = batch._lanes  # which nobody else can have written to
    seen = own.observations[lanes], own.masks[lanes], noise
    return _answers(agent, batch.game, own.states, lanes, own.seats[lanes], *seen, forfeits)


def ask_at(agent: Agent, position: Position, noise: int | None = None, forfeits: bool = False) -> int:
    """Return the action id that an agent plays at a position, for the seat to decide there.

    Args:
        agent: any agent.
        position: a decision node.
        noise: 0..2**64-1, the agent's random word; None: fresh entropy.
        forfeits: whether the answer may be FORFEIT.

    Raises:
        ValueError: nobody decides there.
        IllegalActionError: the agent gave something else than an integer, or forfeits.
        OptionError: it sees positions, and the game does not say what a seat cannot know.
    """
    seat = position.seat
    if seat is None:
        raise ValueError(f"ask_at: the node is {position.node!r}; allowed: only where a seat decides")
    random_words = np.array([fresh_seed() if noise is None else noise], np.uint64)
    seen = position.observation(seat)[None], position._mask()[None], random_words
    own = position.game, position.state, np.zeros(1, np.int64), np.array([seat])
    return int(_answers(agent, *own, *seen, forfeits)[0])


def _answers(
    agent: Agent,
    game: Setup,
    states: Any,
    rows: NDArray[np.int64],
    seats: NDArray[Any],
    observations: NDArray[np.uint8],
    masks: NDArray[np.int8],
    noise: NDArray[np.uint64],
    forfeits: bool,
) -> NDArray[np.int64]:
    """Ask about these rows of ``states`` in the way the agent wants to be asked."""
    count, at_positions = len(rows), Capabilities(agent).act_positions
    if at_positions is None:
        answer = agent.act(observations, masks, noise)
    else:
        answer = at_positions(determinize(game, states[rows], seats, observations, masks, noise), noise)
    chosen = np.asarray(answer)
    if chosen.dtype.kind not in "iu" or chosen.shape != (count,):
        method = "act" if at_positions is None else "act_positions"
        result = f"{chosen.dtype} {chosen.shape}" if isinstance(answer, np.ndarray) else repr_short(answer)
        raise IllegalActionError(f"agent {agent!r}: {method}() returned {result}; allowed: {count} integers")
    if not forfeits and (chosen == FORFEIT).any():
        why = getattr(agent, "failure", "") or f"{FORFEIT} is no action"
        raise IllegalActionError(f"agent {agent!r} forfeits ({why}); allowed: a legal action")
    return chosen
