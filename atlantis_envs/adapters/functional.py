"""A batch as pure functions, in the manner of pgx: ``state = env.init(keys)``, ``state = env.step(state, actions)``.

Nothing changes what it is given or remembers anything: a state may be kept, stepped from twice, pickled, cut and
repeated. That costs a copy in every step (docs/guide/learners.md); ``game.batch`` works in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.base.arguments import check_arrays, integer_array
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.batch import CHUNK
from atlantis_envs.engine.lanes import Lanes, checked_seeds
from atlantis_envs.engine.loops import FINE
from atlantis_envs.engine.records import as_records, read_only
from atlantis_envs.engine.setup import Setup, no_game
from atlantis_envs.errors import IllegalActionError


class State(NamedTuple):
    """N games side by side: read-only arrays whose first axis is the game. Made by FunctionalBatch.

    >>> from atlantis_envs.adapters.functional import FunctionalBatch
    >>> state = FunctionalBatch(atlantis_envs.game("atlandice", players=3)).init([7, 8])
    >>> state.observation.shape, state.rows([1]).keys
    ((2, 225), array([8], dtype=uint64))

    NumPy refuses to make them writable. A step works out anew what it believes of seats and masks, from the records.

    Attributes:
        current_player: int8 (N,), the seat to decide; of a game that is over, the one that decided last.
        observation: uint8 (N, F), what that seat sees.
        legal_action_mask: bool (N, A); all True where the game is over, so that something can be drawn.
        rewards: float32 (N, P), of the step that led here: 0, and the returns where it ended a game.
        terminated: bool (N,), the game is over.
        truncated: bool (N,), a safety bound cut the game off; nobody has won or lost.
        scores: int64 (N, P), of games that are over; 0 before.
        step_count: int64 (N,), decisions taken so far.
        keys: uint64 (N,), the seeds.
        chance: uint32 (N, streams), how many random words of each stream are used up.
        records: records (N,), the positions as kernels take them, unchecked: never make up their bytes.
    """

    current_player: NDArray[np.int8]
    observation: NDArray[np.uint8]
    legal_action_mask: NDArray[np.bool_]
    rewards: NDArray[np.float32]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    scores: NDArray[np.int64]
    step_count: NDArray[np.int64]
    keys: NDArray[np.uint64]
    chance: NDArray[np.uint32]
    records: Any

    @property
    def over(self) -> NDArray[np.bool_]:
        """Return which games are over, bool (N,): terminated or truncated."""
        return self.terminated | self.truncated

    def rows(self, index: Any) -> State:
        """Return the games that an index of NumPy picks, in its order and as often: numbers, a mask or a slice."""
        return _frozen(State(*(array[index] for array in self)))


class FunctionalBatch:
    """A game as pure functions over N games: ``step`` returns a new State and leaves the old one as it was.

    >>> from atlantis_envs.adapters.functional import FunctionalBatch
    >>> game = FunctionalBatch(atlantis_envs.game("atlandice", players=3))
    >>> state = game.init([7, 8])
    >>> after = game.step(state, state.legal_action_mask.argmax(axis=1))
    >>> state.step_count, after.step_count
    (array([0, 0]), array([1, 1]))

    Game i of ``init(keys)`` is game 0 of seed ``keys[i]``: what ``game.batch(N)`` plays after ``reset(seed=keys)``. A
    game that is over stays as it is, whatever action is given for it; its rewards are 0.
    """

    def __init__(self, game: Setup) -> None:
        """Take a game from ``atlantis_envs.game``; OptionError for anything else."""
        if not isinstance(game, Setup):
            raise no_game(game)
        self.game = game
        self._calls = game.for_batches
        self._constants = (game.plain_rules, game.root)

    def init(self, keys: ArrayLike) -> State:
        """Start a game for each of N seeds 0..2**64-1; ValueError for anything else."""
        if np.ndim(keys) != 1 or not np.size(keys):
            raise ValueError(f"keys: {repr_short(keys)}; allowed: a row of seeds 0..2**64-1")
        seeds = checked_seeds(keys, np.size(keys))
        own, lanes = Lanes(self.game.definition, self.game.players, len(seeds)), np.arange(len(seeds))
        _run(self._calls.start, (*self._constants, *own.of_games, own.scratch.weights, seeds), lanes)
        _run(self._calls.view, (self._constants[0], own.of_games[0], *own.of_views), lanes)
        return _state(own, seeds, np.zeros(len(seeds), np.bool_), np.zeros(len(seeds), np.bool_))

    def step(self, state: State, actions: ArrayLike) -> State:
        """Play one action, of integers (N,), in every game that is not over.

        Raises:
            IllegalActionError: for the first game at fault.
            ValueError: a state of another game, or of arrays that do not fit each other.
        """
        own, keys = Lanes(self.game.definition, self.game.players, len(state.keys)), state.keys.copy()
        given = {
            "states": state.records, "counters": state.chance, "plies": state.step_count,
            "shown_seats": state.current_player, "observations": state.observation,
            "shown_masks": state.legal_action_mask.view(np.int8), "final_scores": state.scores, "over": state.over,
        }  # fmt: skip
        check_arrays(given, {name: getattr(own, name) for name in given})
        for name, array in given.items():
            getattr(own, name)[...] = array
        moving = np.flatnonzero(~own.over)
        own.shown_plies[:] = own.plies
        _run(self._calls.view, (self._constants[0], own.of_games[0], *own.of_views), moving)
        ids = self._checked(own, actions, moving)
        _run(self._calls.step, (*self._constants, *own.of_steps, *own.scratch, keys, 1, ids), moving)
        ended = np.flatnonzero(own.over)  # there the loop has begun the next game; wanted is the one that ended
        for array, final in ((own.states, own.final_states), (own.observations, own.final_observations)):
            array[ended] = final[ended]
        own.shown_plies[ended], own.shown_seats[ended] = state.step_count[ended] + 1, state.current_player[ended]
        own.shown_masks[ended], cut = 1, own.over & own.truncated
        return _state(own, keys, state.terminated | (own.over & ~cut), state.truncated | cut)

    def renewed(self, state: State, keys: ArrayLike) -> State:
        """Return the same with a new game in place of each that is over, of these seeds, one for each in turn."""
        over = state.over
        if np.shape(keys) != (over.sum(),):
            raise ValueError(f"keys: {repr_short(keys)}; allowed: {over.sum()} seeds, one for each game that is over")
        arrays: list[Any] = [array.copy() for array in state]
        for array, fresh in zip(arrays, self.init(keys) if over.any() else (), strict=False):
            array[over] = fresh
        return _frozen(State(*arrays))

    def _checked(self, own: Lanes, actions: ArrayLike, moving: NDArray[np.int64]) -> NDArray[np.int64]:
        given = integer_array(actions)
        if given is None or given.shape != own.plies.shape:
            raise IllegalActionError(f"actions: {repr_short(actions)}; allowed: {len(own.plies)} integer action ids")
        ids = given[moving]
        fault = int(self._calls.admit(own.masks, ids, moving, own.rewards, own.over))
        if fault != FINE:
            lane = int(moving[fault])
            raise IllegalActionError(f"actions[{lane}]: {self.game.fault_text(ids[fault], own.masks[lane])}")
        return ids


def _run(loop: Callable[..., Any], arguments: tuple[Any, ...], lanes: NDArray[np.int64]) -> None:
    """Call a loop for all lanes, in parts short enough for Ctrl-C to be seen."""
    for start in range(0, len(lanes), CHUNK):
        loop(*arguments, lanes, start, min(start + CHUNK, len(lanes)))


def _state(own: Lanes, keys: Any, terminated: NDArray[np.bool_], truncated: NDArray[np.bool_]) -> State:
    shows = (own.shown_seats, own.observations, own.shown_masks.view(np.bool_), own.rewards, terminated, truncated)
    return _frozen(State(*shows, own.final_scores, own.shown_plies, keys, own.counters, as_records(own.states)))


def _frozen(state: State) -> State:
    return State(*(read_only(array if array.flags.c_contiguous else array.copy()) for array in state))
