"""Playing on in compiled code: every lane goes on until somebody outside it is to decide.

A batch steps all lanes together, so with opponents that take several decisions in a row most calls serve a few lanes
each. Players that are kernels need no Python between two of their moves: one call plays a lane up to the next seat that
is not theirs. The games are the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.contract import Definition
from atlantis_envs.engine.kernel import compiling, entry
from atlantis_envs.engine.loops import FINE, make_loops
from atlantis_envs.engine.philox import noise_word
from atlantis_envs.errors import IllegalActionError

if TYPE_CHECKING:
    from atlantis_envs.engine.batch import Batch

OUTSIDE = -1  # the code of a seat whose player is not a kernel
CHUNK = 1024  # lanes per compiled call: slow players stay far below 0.2 s, so Ctrl-C is seen


@dataclass(frozen=True, eq=False)
class Players:
    """Players that are kernels.

    Attributes:
        decide: kernel ``(code, knobs, work, observation, mask, noise) -> action id``; ``code`` says which player.
        knobs: what the kernel reads.
        work: what it may write to as it likes.
    """

    decide: Callable[..., Any]
    knobs: Any
    work: Any


@dataclass(frozen=True, eq=False)
class _Loops:
    advance: Callable[..., Any]
    witness: Callable[..., Any]


@cache
def _make_loops(definition: Definition, decide: Callable[..., Any]) -> _Loops:
    step, observe = make_loops(definition).step, definition.observe

    @entry
    def advance_loop(  # type: ignore[no-untyped-def]
        rules, root, states, counters, games, plies, seats, observations, masks, rewards, over,
        final_states, final_observations, final_scores, weights, pay, points, key, stride, actions, lanes, start, stop,
        codes, knobs, work, asked,
    ):  # fmt: skip
        """Play lanes[start:stop] on until an outsider is to decide or the game has ended; the first fault, or FINE."""
        for index in range(start, stop):
            lane = lanes[index]
            while not over[lane]:
                code = int(codes[lane, seats[lane]])
                if code < 0:
                    break
                noise = noise_word(key, games[lane], plies[lane])  # type: ignore[no-untyped-call]
                action = int(decide(code, knobs, work, observations[lane], masks[lane], noise))
                actions[index] = action
                if action < 0 or action >= masks.shape[1] or masks[lane, action] == 0:
                    return index
                asked[code] += 1
                step(
                    rules, root, states, counters, games, plies, seats, observations, masks, rewards, over,
                    final_states, final_observations, final_scores, weights, pay, points, key, stride, actions, lanes,
                    index, index + 1,
                )  # fmt: skip
        return FINE

    @entry
    def witness_loop(rules, states, seats, lanes, out):  # type: ignore[no-untyped-def]
        """Row by row, what ``seats[lane]`` sees of the state of that lane."""
        for index in range(len(lanes)):
            lane = lanes[index]
            observe(rules[0], states[lane], int(seats[lane]), out[index])

    made = locals()
    return _Loops(**{f.name: made[f"{f.name}_loop"] for f in fields(_Loops)})


_prepared: set[_Loops] = set()


class Advance:
    """Lets players that are kernels play a batch on.

    Attributes:
        asked: int64, how many decisions the player of each code has taken.
    """

    def __init__(self, batch: Batch, players: Players, num_codes: int) -> None:
        """Bind to a batch; codes are 0..num_codes-1."""
        self._batch = batch
        self._players = players
        self._loops = _make_loops(batch.game.definition, players.decide)
        self.asked = np.zeros(num_codes, np.int64)
        if self._loops not in _prepared:
            with compiling(f"{batch.game.definition.title} with players", [self._loops.advance, self._loops.witness]):
                self._touch()
            _prepared.add(self._loops)

    def _touch(self) -> None:
        """Call the loops for no lane, which compiles them."""
        seats, nobody = np.zeros((self._batch.num_games, self._batch.game.players), np.int8), np.zeros(0, np.int64)
        self._advance(seats, nobody, nobody.copy(), 0, 0)
        self.final_observations(seats[:, 0].copy(), nobody)

    def play(self, codes: NDArray[np.int8], lanes: NDArray[np.int64]) -> None:
        """Play these lanes on until a seat with the code OUTSIDE is to decide, or a game ended.

        The batch's ``over``, ``rewards`` and other results speak of this call, as after ``Batch.step``; where a game
        ended, the lane's next one has begun and nobody has decided in it.

        Args:
            codes: int8 (N, P), who sits where.
            lanes: distinct lane numbers, int64.

        Raises:
            IllegalActionError: a player chose an action that is not legal.
        """
        own = self._batch._lanes
        own.over[:] = False
        own.rewards[:] = 0
        actions = np.zeros(len(lanes), np.int64)
        for start in range(0, len(lanes), CHUNK):
            fault = self._advance(codes, lanes, actions, start, min(start + CHUNK, len(lanes)))
            if fault != FINE:
                text = self._batch.game.fault_text(actions[fault], own.masks[lanes[fault]])
                raise IllegalActionError(f"a player in the loop: {text}")

    def _advance(
        self, codes: NDArray[np.int8], lanes: NDArray[np.int64], actions: NDArray[np.int64], start: int, stop: int
    ) -> int:
        batch, players = self._batch, self._players
        part = (batch._key, batch.num_games, actions, lanes, start, stop)
        thinking = (codes, players.knobs, players.work, self.asked)
        return int(self._loops.advance(*batch._stepping, *batch._scratch[0], *part, *thinking))

    def final_observations(self, seats: NDArray[np.int8], lanes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """uint8 (len(lanes), F): the ended game of these lanes as ``seats[lane]`` sees it; valid where ``over``."""
        batch = self._batch
        out = np.zeros((len(lanes), batch.game.observation_size), np.uint8)
        self._loops.witness(batch.game.rules, batch._lanes.final_states, seats, lanes, out)
        return out
