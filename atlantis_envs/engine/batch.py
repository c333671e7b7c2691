"""Many games at once: NumPy arrays in, NumPy arrays out, one compiled call per step."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.engine.contract import OVER, Definition
from atlantis_envs.engine.loops import FINE
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import as_records, plain, records
from atlantis_envs.engine.values import shown
from atlantis_envs.errors import IllegalActionError

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

CHUNK = 65_536  # lanes per compiled call: far below 0.2 s, so Ctrl-C is seen
THREAD_MINIMUM = 2048  # lanes per thread below which threads cost more than they give
MAX_SEED = 2**64 - 1
MAX_GAME = 2**62


class Scratch(NamedTuple):
    """Work memory of one thread."""

    weights: NDArray[np.int64]
    pay: NDArray[np.float64]
    points: NDArray[np.int64]


class Lanes:
    """The arrays of ``count`` lanes; the engine's own, not yet protected against writing."""

    def __init__(self, definition: Definition, players: int, count: int) -> None:
        """Allocate zeroed arrays."""
        self.definition = definition
        features, actions = definition.observation.size, len(definition.actions)
        self.states = records(count, definition.state_dtype)
        self.counters = np.zeros((count, len(definition.streams)), np.uint32)
        self.games = np.zeros(count, np.int64)
        self.plies = np.zeros(count, np.int64)
        self.seats = np.zeros(count, np.int8)
        self.observations = np.zeros((count, features), np.uint8)
        self.masks = np.zeros((count, actions), np.int8)
        self.rewards = np.zeros((count, players), np.float32)
        self.over = np.zeros(count, np.bool_)
        self.final_states = records(count, definition.state_dtype)
        self.final_observations = np.zeros((count, features), np.uint8)
        self.final_scores = np.zeros((count, players), np.int64)

    def game_arrays(self) -> tuple[Any, ...]:
        """What makes up the games themselves."""
        return plain(self.states), self.counters, self.games, self.plies

    def views(self) -> tuple[Any, ...]:
        """What the seat to decide is shown."""
        return self.seats, self.observations, self.masks

    def step_arrays(self) -> tuple[Any, ...]:
        """Everything a step reads and writes, in the order of the step loop."""
        results = (self.rewards, self.over, plain(self.final_states), self.final_observations, self.final_scores)
        return (*self.game_arrays(), *self.views(), *results)

    def scratch(self) -> Scratch:
        """Work memory for one thread."""
        return Scratch(
            np.zeros(len(self.definition.outcomes), np.int64),
            np.zeros(self.definition.max_players, np.float64),
            np.zeros(self.definition.max_players, np.int64),
        )


class _FromPositions:
    """``Batch.from_positions(list)`` makes a batch; on a batch, ``from_positions(list)`` fills its lanes."""

    def __get__(self, batch: Batch | None, owner: type[Batch]) -> Callable[..., Batch]:
        return _batch_of if batch is None else batch.load


def _batch_of(positions: Sequence[Position], seed: int = 0, threads: int = 1) -> Batch:
    if not positions:
        raise ValueError("positions: none; allowed: at least 1")
    return Batch(positions[0].game, len(positions), seed, threads).load(positions)


class Batch:
    """N games of one kind, stepped together; a finished game is replaced by the lane's next one in the same step.

    Lane i plays games i, i + N, i + 2N, ... of the seed, so a batch of N equals N single games bit for bit. All array
    attributes are read-only views that the next step overwrites; copy what you keep, or step with ``copy=True``.

    Attributes:
        game: the Game.
        states: recarray (N,) of the game's state dtype; the vectorised state.
        games: int64 (N,), the number of the game each lane is playing.
        plies: int64 (N,), decisions taken so far in that game.
        seats: int8 (N,), the seat to decide.
        observations: uint8 (N, F), what that seat sees.
        action_masks: int8 (N, A), 1 = legal for that seat.
        rewards: float32 (N, P), of the last step: 0, and the returns where a game ended.
        over: bool (N,), where the last step ended a game.
        final_observations: uint8 (N, F), valid where ``over``: the ended game as the seat that moved last sees it.
        final_scores: int64 (N, P), valid where ``over``.
        final_states: recarray (N,), valid where ``over``: the ended position.
    """

    def __init__(self, game: Game, num_games: int, seed: int = 0, threads: int = 1) -> None:
        """Start ``num_games`` games; see Game.batch."""
        self.game = game
        self.num_games = _integer("num_games", num_games, 1, 2**31 - 1)
        self.threads = _integer("threads", threads, 1, 1024)
        self._loops = game.loops
        self._constants = (game.plain_rules, plain(game.root))
        self._lanes = Lanes(game.definition, game.players, self.num_games)
        self._stepping = (*self._constants, *self._lanes.step_arrays())  # gathered once: a step of few lanes is short
        self._all = np.arange(self.num_games, dtype=np.int64)
        self._scratch = [self._lanes.scratch() for _ in range(self.threads)]
        self._pool: ThreadPoolExecutor | None = None
        self._pool_owner = 0
        self._expose()
        self.reset(seed=_integer("seed", seed, 0, MAX_SEED))

    def _expose(self) -> None:
        lanes = self._lanes
        for public, array in (
            ("games", lanes.games), ("plies", lanes.plies), ("seats", lanes.seats),
            ("observations", lanes.observations), ("action_masks", lanes.masks), ("rewards", lanes.rewards),
            ("over", lanes.over), ("final_observations", lanes.final_observations),
            ("final_scores", lanes.final_scores), ("states", lanes.states), ("final_states", lanes.final_states),
        ):  # fmt: skip
            view = array.view()
            view.flags.writeable = False
            setattr(self, public, view)

    games: NDArray[np.int64]
    plies: NDArray[np.int64]
    seats: NDArray[np.int8]
    observations: NDArray[np.uint8]
    action_masks: NDArray[np.int8]
    rewards: NDArray[np.float32]
    over: NDArray[np.bool_]
    final_observations: NDArray[np.uint8]
    final_scores: NDArray[np.int64]
    states: Any
    final_states: Any

    def __len__(self) -> int:
        """The number of lanes."""
        return self.num_games

    # ------------------------------------------------------------------------------------------------- resetting

    def reset(self, seed: int | None = None, games: ArrayLike | None = None) -> None:
        """Start a new game in every lane.

        Args:
            seed: 0..2**64-1; None keeps the present one.
            games: game numbers, int (N,), 0..2**62; None gives lane i game i. A lane's next game is its number + N.

        Raises:
            ValueError: naming the argument; nothing has changed.
        """
        new_seed = self.seed if seed is None else _integer("seed", seed, 0, MAX_SEED)
        numbers = self._all if games is None else self._game_numbers(games)
        self.seed = new_seed
        self._key = np.uint64(new_seed)
        lanes = self._lanes
        lanes.games[:] = numbers
        lanes.over[:] = False
        lanes.rewards[:] = 0
        self._run(
            self._loops.start,
            (*self._constants, *lanes.game_arrays()),
            1,
            (self._key,),
            self._all,
        )
        self._view(self._all)

    seed: int = 0

    def _game_numbers(self, games: ArrayLike) -> NDArray[np.int64]:
        numbers = _integers(games)
        if numbers is None or numbers.shape != (self.num_games,) or numbers.min() < 0 or numbers.max() > MAX_GAME:
            raise ValueError(f"games: {shown(games)}; allowed: {self.num_games} integers 0..2**62")
        return numbers

    def _view(self, lanes: NDArray[np.int64]) -> None:
        self._run(self._loops.view, (self._constants[0], plain(self._lanes.states), *self._lanes.views()), 0, (), lanes)

    # -------------------------------------------------------------------------------------------------- stepping

    def step(
        self, actions: ArrayLike, lanes: ArrayLike | None = None, copy: bool = False
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Play one action in every lane, or in ``lanes`` only.

        Args:
            actions: action ids, integers (N,); with lanes (len(lanes),), or (N,) of which those lanes count.
            lanes: distinct lane numbers; only these games move. None means all.
            copy: return copies instead of views that the next step overwrites.

        Returns:
            rewards float32 (N, P) and over bool (N,); zero and False for lanes that did not move.

        Raises:
            IllegalActionError: for the first row at fault; no lane has moved.
        """
        chosen = self._all if lanes is None else self._lane_numbers(lanes)
        ids = self._action_ids(actions, chosen)
        own = self._lanes
        own.over[:] = False
        own.rewards[:] = 0
        self._run(self._loops.step, self._stepping, 3, (self._key, self.num_games, ids), chosen)
        return (self.rewards.copy(), self.over.copy()) if copy else (self.rewards, self.over)

    def abandon(self, lanes: ArrayLike) -> None:
        """Give up the games of these lanes: each begins its next one, and ``final_states`` keeps what was given up.

        Nobody is paid: ``over``, ``rewards`` and the other results stay as the last step left them.
        """
        chosen = self._lane_numbers(lanes)
        own = self._lanes
        own.final_states[chosen] = own.states[chosen]
        own.games[chosen] += self.num_games
        before = (*self._constants, *own.game_arrays())
        self._run(self._loops.start, before, 1, (self._key,), chosen)
        self._view(chosen)

    def _lane_numbers(self, lanes: ArrayLike) -> NDArray[np.int64]:
        numbers = _integers(lanes)
        allowed = f"allowed: distinct integers 0..{self.num_games - 1}"
        if numbers is None or numbers.ndim != 1:
            raise ValueError(f"lanes: {shown(lanes)}; {allowed}")
        if numbers.size and numbers[0] >= 0 and numbers[-1] < self.num_games and (numbers[1:] > numbers[:-1]).all():
            return numbers  # rising, as lanes mostly are: no more to look at
        if numbers.size and (numbers.min() < 0 or numbers.max() >= self.num_games):
            raise ValueError(f"lanes: {shown(lanes)}; {allowed}")
        if np.bincount(numbers, minlength=1).max() > 1:
            raise ValueError(f"lanes: {shown(lanes)} names a lane twice; {allowed}")
        return numbers

    def _action_ids(self, actions: ArrayLike, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        ids = _integers(actions)
        if ids is None:
            raise IllegalActionError(f"actions: {shown(actions)}; allowed: integer action ids, one per lane")
        if ids.shape == (self.num_games,) != lanes.shape:
            ids = ids[lanes]
        if ids.shape != lanes.shape:
            raise IllegalActionError(f"actions: shape {ids.shape}; allowed: {lanes.shape}, one action per lane")
        faults: list[int] = []

        def look(part: int, start: int, stop: int) -> None:
            found = int(self._loops.first_fault(self._lanes.masks, ids[start:stop], lanes[start:stop]))
            if found != FINE:
                faults.append(start + found)

        self._in_parts(look, len(ids))
        if faults:
            fault = min(faults)
            lane = int(lanes[fault])
            raise IllegalActionError(f"actions[{fault}]: {self.game.fault_text(ids[fault], self._lanes.masks[lane])}")
        return ids

    def _run(
        self,
        loop: Callable[..., Any],
        before: tuple[Any, ...],
        scratch: int,
        after: tuple[Any, ...],
        lanes: Any,
    ) -> None:
        """Call a loop over slices of ``lanes``; ``scratch`` = how many of a thread's work arrays it takes."""

        def work(part: int, start: int, stop: int) -> None:
            memory = self._scratch[part][:scratch]
            for first in range(start, stop, CHUNK):
                loop(*before, *memory, *after, lanes, first, min(first + CHUNK, stop))

        self._in_parts(work, len(lanes))

    def _in_parts(self, work: Callable[[int, int, int], None], count: int) -> None:
        """Call ``work(part, start, stop)`` for slices of ``count`` rows, one for each thread that pays."""
        parts = min(self.threads, max(1, count // THREAD_MINIMUM))
        bounds = [count * part // parts for part in range(parts + 1)]
        waiting = [self._threads().submit(work, part, bounds[part], bounds[part + 1]) for part in range(1, parts)]
        work(0, 0, bounds[1])
        for future in waiting:
            future.result()

    def _threads(self) -> ThreadPoolExecutor:
        """The pool, made on first need and again after a fork, where threads do not survive."""
        if self._pool is None or self._pool_owner != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="atlantis-envs")
            self._pool_owner = os.getpid()
        return self._pool

    # ------------------------------------------------------------------------------------------------ everything else

    def noise(self, seed: int, lanes: ArrayLike | None = None) -> NDArray[np.uint64]:
        """One random word per lane for agents' own choices: a function of (seed, game number, ply) alone."""
        chosen = self._all if lanes is None else self._lane_numbers(lanes)
        words = np.zeros(len(chosen), np.uint64)
        key = np.uint64(_integer("seed", seed, 0, MAX_SEED))
        self._loops.noise(key, self._lanes.games, self._lanes.plies, chosen, words)
        return words

    def position(self, lane: int) -> Position:
        """A copy of the position of one lane; its chance goes on as the lane's would."""
        index = _integer("lane", lane, 0, self.num_games - 1)
        own = self._lanes
        position = Position(self.game, own.states[index : index + 1])
        position.attach_chance(self.seed, int(own.games[index]), own.counters[index])
        return position

    def final_position(self, lane: int) -> Position:
        """A copy of the ended position of one lane; valid where ``over``."""
        index = _integer("lane", lane, 0, self.num_games - 1)
        return Position(self.game, self._lanes.final_states[index : index + 1])

    from_positions = _FromPositions()

    def load(self, positions: Sequence[Position], seed: int | None = None) -> Batch:
        """Put these positions into the lanes, in order, and play pending chance, as game number = lane.

        Returns:
            This batch. ``Batch.from_positions(positions)`` makes a new one instead.

        Raises:
            ValueError: wrong number of positions, another game or other options, or a position that is over.
        """
        if len(positions) != self.num_games:
            raise ValueError(f"positions: {len(positions)}; allowed: {self.num_games}, one per lane")
        for index, position in enumerate(positions):
            if not isinstance(position, Position) or position.game != self.game:
                raise ValueError(f"positions[{index}]: {shown(position)}; allowed: positions of {self.game}")
        key = self._key if seed is None else np.uint64(_integer("seed", seed, 0, MAX_SEED))
        begun = Lanes(self.game.definition, self.game.players, self.num_games)
        for index, position in enumerate(positions):
            begun.states[index] = position.state[0]
        arguments = (plain(begun.states), begun.counters, self._all)
        self._run(self._loops.settle, (self._constants[0], *arguments), 1, (key,), self._all)
        for index in range(self.num_games):
            if self._loops.node(self._constants[0], plain(begun.states[index : index + 1])) == OVER:
                raise ValueError(f"positions[{index}]: the game is over, or ends by chance; allowed: games in play")
        self.reset(seed=seed)
        self._lanes.counters[:] = begun.counters
        self._lanes.states[:] = begun.states
        self._view(self._all)
        return self

    def clone(self) -> Batch:
        """An independent copy, chance included."""
        return self._copy_from(Batch(self.game, self.num_games, self.seed, self.threads))

    def _copy_from(self, other: Batch) -> Batch:
        for name, array in vars(self._lanes).items():
            if isinstance(array, np.ndarray):
                getattr(other._lanes, name)[:] = array
        return other

    def __copy__(self) -> Batch:
        """Same as clone: two batches never share games."""
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Batch:
        """Same as clone."""
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as game, sizes and plain arrays; kernels are never pickled."""
        arrays = {
            name: np.ascontiguousarray(array).view(np.uint8).copy() if array.dtype.names else array
            for name, array in vars(self._lanes).items()
            if isinstance(array, np.ndarray)
        }
        return _restore, (self.game, self.num_games, self.seed, self.threads, arrays)


def _restore(game: Game, num_games: int, seed: int, threads: int, arrays: dict[str, Any]) -> Batch:
    batch = Batch(game, num_games, seed, threads)
    for name, array in arrays.items():
        own = getattr(batch._lanes, name)
        own[:] = as_records(array.view(game.definition.state_dtype)) if own.dtype.names else array
    return batch


def _integers(values: Any) -> NDArray[np.int64] | None:
    """int64 array out of integers of any kind; None if they are anything else, a single bool included."""
    if isinstance(values, (list, tuple)) and any(isinstance(value, (bool, np.bool_)) for value in values):
        return None
    try:
        numbers = np.asarray(values)
    except (ValueError, TypeError, RecursionError, OverflowError):
        return None
    if isinstance(values, np.ma.MaskedArray) or (numbers.size and numbers.dtype.kind not in "iu"):
        return None
    if numbers.dtype == np.uint64:
        numbers = np.minimum(numbers, np.uint64(2**63 - 1))
    return numbers.astype(np.int64, order="C", copy=False)


def _integer(name: str, value: Any, low: int, high: int) -> int:
    """A Python or NumPy integer in low..high.

    Raises:
        ValueError: naming the argument.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise ValueError(f"{name}: {shown(value)}; allowed: an integer {low}..{high}")
    return int(value)
