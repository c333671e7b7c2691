"""One game in play, as fast as Python allows: what an environment steps.

It is lane 0 of a batch of one without the arrays only a batch needs: same seed, same game index, same moves, same
bytes. Unlike a batch it stays at the end of its game until somebody starts the next one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.engine.definition import MOST_PLIES, OVER
from atlantis_envs.engine.loops import ILLEGAL
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import plain, records
from atlantis_envs.engine.setup import Setup
from atlantis_envs.engine.threads import PROCESS, exclusive, in_use, shared


class Single:
    """One game in play; chance is played as soon as it is due.

    It is for one thread at a time: a call that comes while another thread is at work on it raises InUseError.

    Attributes:
        game: the Game.
        seed: seed of its chance.
        game_index: index of the game under its seed.
        seat: the seat to decide, or OVER.
        plies: decisions so far.
        observation: uint8 (F,), what that seat sees; the next step overwrites it.
        mask: int8 (A,), what that seat may do; a copy.
    """

    _held: object | None = None  # engine.threads

    def __init__(self, game: Setup) -> None:
        """Allocate; nothing is in play before ``start``."""
        definition = game.definition
        self.game, self._calls = game, game.for_one_game
        self.seed, self.game_index, self.seat, self.plies = 0, 0, OVER, 0
        self._cut = False
        self.observation = np.zeros(game.observation_size, np.uint8)
        self._mask = np.zeros(game.num_actions, np.int8)
        self._num_actions = game.num_actions
        self._state = records(1, definition.state_dtype)
        self._counters = np.zeros(len(definition.streams), np.uint32)
        self._rules, self._root = game.plain_rules, game.root
        weights = np.zeros(len(game.outcomes), np.int64)
        self._work = (plain(self._state), self._counters, weights, self.observation, self._mask)
        self._arguments: tuple[Any, ...] = ()
        self._address()
        self._step = self._calls.single_step

    @property
    def mask(self) -> NDArray[np.int8]:
        """Return what the seat to decide may do, int8 (A,); a copy, since a step believes its own alone."""
        return self._mask.copy()

    def _address(self) -> None:
        self._arguments = (self._rules, *self._work, np.uint64(self.seed), self.game_index)

    @exclusive
    def start(self, seed: int, game_index: int) -> None:
        """Begin game ``game_index`` of ``seed``."""
        self.seed, self.game_index, self.plies, self._cut = seed, game_index, 0, False
        self._address()
        self.seat = self._calls.single_start(self._rules, self._root, *self._arguments[1:])

    def step(self, action: int) -> int:
        """Play an action id; the next seat to decide, OVER, or ILLEGAL and nothing has changed."""
        if not 0 <= action < self._num_actions:
            return ILLEGAL
        token = PROCESS.token  # engine.threads, written out: this is the shortest of all calls
        if self._held is token:
            raise in_use(self, "step")
        try:
            self._held = token
            seat: int = self._step(*self._arguments, action)
            if seat != ILLEGAL:
                self.plies += 1
                if self.plies >= MOST_PLIES and seat != OVER:
                    self._cut, seat = True, OVER
                    self._mask[:] = 0
                self.seat = seat
            return seat
        finally:
            self._held = None

    @shared
    def observe(self, seat: int) -> NDArray[np.uint8]:
        """Return the observation of any seat."""
        out = np.zeros(self.game.observation_size, np.uint8)
        self._calls.observe(self._rules, self._work[0], seat, out)
        return out

    @shared
    def returns(self) -> list[float]:
        """Return the return of each seat, at the end.

        Raises:
            ValueError: the game is not over.
        """
        if self.seat != OVER:
            raise ValueError(f"returns: seat {self.seat} is to decide; allowed: only when the game is over")
        out = np.zeros(self.game.definition.max_players, np.float64)
        if not self._cut:
            self._calls.returns(self._rules, self._work[0], out)
        return [float(value) for value in out[: self.game.players]]

    @shared
    def truncated(self) -> bool:
        """Return whether the game is over because a safety bound cut it off."""
        return self._cut or (self.seat == OVER and bool(self._calls.truncated(self._rules, self._work[0])))

    @shared
    def position(self) -> Position:
        """Return a copy of the position; its chance goes on as this game's would."""
        position = Position(self.game, self._state)
        position.attach_chance(self.seed, self.game_index, self._counters, self.plies)
        return position

    @shared
    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as game and plain values; kernels are never pickled."""
        numbers = {name: getattr(self, name) for name in ("seed", "game_index", "seat", "plies", "_cut")}
        arrays = {name: getattr(self, name).copy() for name in ("_counters", "observation", "_mask")}
        return _restore, (self.game, numbers, arrays, self._state.tobytes())


def _restore(game: Setup, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]], state: bytes) -> Single:
    single = Single(game)
    vars(single).update(numbers)
    for name, array in arrays.items():
        getattr(single, name)[:] = array
    single._state[:] = np.frombuffer(state, game.definition.state_dtype)
    single._address()
    return single
