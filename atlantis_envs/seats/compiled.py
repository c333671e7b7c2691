"""Agents that are kernels, playing on in compiled code until somebody else is to decide.

A batch steps all lanes together, so with opponents that take several decisions in a row most calls serve a few lanes
each. Agents that are kernels need no Python between two of their moves: one call plays a lane up to the next seat that
is not theirs. The games are the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.chance import noise_word
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.lanes import GAME, PLY, SEAT
from atlantis_envs.engine.loops import FINE, OF_BATCHES, make_loops
from atlantis_envs.engine.records import plain
from atlantis_envs.kernels.kernel import compiling, entry, kernel
from atlantis_envs.seats.agents import Capabilities, Compiled

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch
    from atlantis_envs.engine.setup import Setup

OUTSIDE = -1  # the code of a seat whose agent is not a kernel
CHOOSING = -2  # of one that is asked only where it has a choice: a single legal action is played for it


@kernel
def nobody(code, params, scratch, observation, mask, noise):  # type: ignore[no-untyped-def]
    """Return no action: it stands where no agent is a kernel, and is never asked."""
    return -1


@kernel
def only_legal(mask):  # type: ignore[no-untyped-def]
    """Return the one legal action; -1 where there are several, or none."""
    found = -1
    for action in range(len(mask)):
        if mask[action] != 0:
            if found >= 0:
                return -1
            found = action
    return found


@cache
def _choose(decides: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    """Make the kernel that lets the agent of a code choose; code 0 is the first of ``decides``."""
    if not decides:
        return nobody
    first = decides[0]
    if len(decides) == 1:

        @kernel
        def ask_last(code, params, scratch, observation, mask, noise):  # type: ignore[no-untyped-def]
            return int(first(params[0], scratch[0], observation, mask, noise))

        return ask_last
    others = _choose(decides[1:])

    @kernel
    def ask(code, params, scratch, observation, mask, noise):  # type: ignore[no-untyped-def]
        if code == 0:
            return int(first(params[0], scratch[0], observation, mask, noise))
        return int(others(code - 1, params[1:], scratch[1:], observation, mask, noise))

    return ask


@cache
def _make_loop(definition: Definition, decides: tuple[Callable[..., Any], ...]) -> Callable[..., Any]:
    step, choose = make_loops(definition).step, _choose(decides)

    @entry
    def advance_loop(  # type: ignore[no-untyped-def]
        rules, root, states, counters, turns, masks, games, plies, seats, observations, shown_masks, rewards, over,
        truncated, final_states, final_observations, final_scores, weights, pay, points, keys, stride, actions, lanes,
        start, stop, codes, params, scratch, decisions,
    ):  # fmt: skip
        """Play lanes[start:stop] on until an outsider is to decide or the game has ended; the first fault, or FINE."""
        for index in range(start, stop):
            lane = lanes[index]
            while not over[lane]:
                code = int(codes[lane, turns[SEAT, lane]])
                if code >= 0:
                    noise = noise_word(keys[lane], turns[GAME, lane], turns[PLY, lane])  # type: ignore[no-untyped-call]
                    action = int(choose(code, params, scratch, observations[lane], masks[lane], noise))
                    if action < 0 or action >= masks.shape[1] or masks[lane, action] == 0:
                        actions[index] = action
                        return index
                    decisions[code] += 1
                else:
                    action = int(only_legal(masks[lane])) if code == CHOOSING else -1  # type: ignore[no-untyped-call]
                    if action < 0:
                        break
                actions[index] = action
                step(
                    rules, root, states, counters, turns, masks, games, plies, seats, observations, shown_masks,
                    rewards, over, truncated, final_states, final_observations, final_scores, weights, pay, points,
                    keys, stride, actions, lanes, index, index + 1,
                )  # fmt: skip
        return FINE

    return advance_loop


def compiling_for(game: Setup, agents: Iterable[object], together: bool = False) -> AbstractContextManager[None]:
    """Report what a batch of this game and these agents compile inside as one line, counted beforehand.

    Args:
        game: the game.
        agents: what they compile, their Capabilities say.
        together: whether those that are kernels play on in one loop (Advance).
    """
    entries = [getattr(game.loops, name) for name in ("root", *OF_BATCHES)]
    decides: dict[str, Callable[..., Any]] = {}
    for agent in agents:
        capable = Capabilities(agent)
        form = capable.compiled if together else None
        if form is None:
            entries += capable.entries
        else:
            decides[form.name] = form.decide
    if decides:
        entries.append(_make_loop(game.definition, tuple(decides[name] for name in sorted(decides))))
    return compiling(f"{game.definition.title} with players", entries)


_prepared: set[Callable[..., Any]] = set()


class Advance:
    """Plays a batch on with agents that are kernels.

    Args:
        batch: the games.
        agents: the code of an agent is its place here. There may be none, for seats that are CHOOSING.

    Attributes:
        decisions: int64, how many decisions the agent of each code has taken.
    """

    def __init__(self, batch: Batch, agents: Sequence[Compiled]) -> None:
        """Bind to a batch; compiles if needed."""
        self._batch = batch
        loop = _make_loop(batch.game.definition, tuple(agent.decide for agent in agents))
        self._params = tuple(plain(agent.params) for agent in agents)
        self._scratch = tuple(plain(agent.scratch) for agent in agents)
        self.decisions = np.zeros(len(agents), np.int64)
        codes = np.zeros((batch.num_games, batch.game.players), np.int8)
        players = (codes, self._params, self._scratch, self.decisions)
        if loop not in _prepared:
            with compiling(f"{batch.game.definition.title} with players", [loop]):
                batch.advancing(loop, players)
            _prepared.add(loop)
        self._loop = batch.advancing(loop, players)

    def play(self, codes: NDArray[np.int8], lanes: NDArray[np.int64], seen: bool = False) -> None:
        """Play these lanes on until an outsider is to decide, or a game ended; see Batch.advance.

        Outsiders are seats with the code OUTSIDE, and those with the code CHOOSING where several actions are legal.

        Args:
            codes: int8 (N, P), who sits where.
            lanes: distinct lane numbers, int64.
            seen: see Batch.advance.

        Raises:
            IllegalActionError: an agent chose an action that is not legal.
            InUseError: another thread is at work on the batch.
        """
        codes = np.ascontiguousarray(codes, np.int8)
        self._batch.advance(self._loop, lanes, (codes, self._params, self._scratch, self.decisions), seen)
