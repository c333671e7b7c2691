"""Many games at once: NumPy arrays in, NumPy arrays out, one compiled call per step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.base.arguments import check_arrays, checked_seed, integer, integer_array
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import OVER, Definition
from atlantis_envs.engine.lanes import SAVED, Lanes, Seeds, lane_indices
from atlantis_envs.engine.loops import FINE
from atlantis_envs.engine.position import Position, checked_positions
from atlantis_envs.engine.records import as_records, plain, read_only
from atlantis_envs.engine.setup import Setup, no_game
from atlantis_envs.engine.threads import PROCESS, Parts, exclusive, in_use, shared
from atlantis_envs.errors import IllegalActionError
from atlantis_envs.kernels.kernel import compiling, direct, entry

CHUNK = 65_536  # lanes per compiled call: far below 0.2 s, so Ctrl-C is seen
ADVANCE_CHUNK = 1024  # lanes per call of players' loops: slow players stay far below 0.2 s, so Ctrl-C is seen


class FromPositions:
    """One name for two ways: ``Batch.from_positions(list)`` makes a batch, ``batch.from_positions(list)`` loads it."""

    def __get__(self, batch: Any, owner: Any) -> Callable[..., Any]:
        """Return the way that fits what it was asked of."""
        if batch is not None:
            load: Callable[..., Any] = batch.load
            return load

        def make(positions: Iterable[Position], seed: int = 0, threads: int = 1) -> Any:
            given = checked_positions(positions)
            return owner(given[0].game, len(given), seed, threads).load(given)

        return make


class Batch:
    """N games of one kind, stepped together; a finished game is replaced by the lane's next one in the same step.

    >>> batch = atlantis_envs.game("atlandice", players=3).batch(2, seed=0)
    >>> rewards, over = batch.step(batch.action_masks.argmax(axis=1))
    >>> rewards.shape, over.shape
    ((2, 3), (2,))

    Lane i plays games i, i + N, i + 2N, ... of the seed, so a batch of N equals N single games bit for bit; or, reset
    with a seed for every lane, games 0, 1, 2, ... of its own. All array attributes are read-only views that the next
    step overwrites; copy what you keep, or step with ``copy=True``.

    NumPy refuses to make them writable. torch and ctypes do not ask (``torch.from_numpy(batch.action_masks)`` is a
    writable tensor), and yet no step believes what they write: games, plies, seats, masks and chance are kept
    elsewhere, and what is shown of them is written anew by the next step of the lane. Only ``states`` is the memory
    that is played on: bytes written there by way of torch or ctypes make up a position that nobody has checked, with
    which a step may do anything, end the process included. To change a position, load one that was checked.

    A batch is for one thread at a time. ``reset``, ``step``, ``abandon`` and ``load`` change it: while one of them is
    at work, it and every other method raise InUseError in all other threads, and nothing is changed. Methods that only
    look (``noise``, ``position``, ``final_position``, ``clone``, copying, pickling) may overlap each other. The
    attributes are plain arrays and are not guarded. The batch's own ``threads`` do not count as others.

    Attributes:
        game: the Game.
        states: recarray (N,) of the game's state dtype; the vectorised state.
        games: int64 (N,), the index of the game each lane is playing.
        plies: int64 (N,), decisions taken so far in that game.
        seats: int8 (N,), the seat to decide.
        observations: uint8 (N, F), what that seat sees.
        action_masks: int8 (N, A), 1 = legal for that seat.
        rewards: float32 (N, P), of the last step: 0, and the returns where a game ended.
        over: bool (N,), where the last step ended a game.
        truncated: bool (N,), valid where ``over``: a safety bound cut the game off; nobody has won or lost.
        final_observations: uint8 (N, F), valid where ``over``: the ended game as the seat that moved last sees it.
        final_scores: int64 (N, P), valid where ``over``.
        final_states: recarray (N,), valid where ``over``: the ended position.
    """

    def __init__(self, game: Setup, num_games: int, seed: int = 0, threads: int = 1) -> None:
        """Start ``num_games`` games; see Game.batch."""
        if not isinstance(game, Setup):
            raise no_game(game)
        self.game = game
        self.num_games = integer("num_games", num_games, 1, 2**31 - 1)
        self.threads = integer("threads", threads, 1, 1024)
        self._calls = game.for_batches
        self._constants = (game.plain_rules, game.root)
        self._lanes = own = Lanes(game.definition, game.players, self.num_games)
        self._stepping = (*self._constants, *own.of_steps)  # gathered once: a step of few lanes is short
        self._all = np.arange(self.num_games, dtype=np.int64)
        self._scratch = [tuple(map(np.copy, own.scratch)) for _ in range(self.threads)]
        self._parts = Parts(self.threads) if self.threads > 1 else None
        self._seeds = Seeds(np.zeros(self.num_games, np.uint64), self.num_games)
        shown = {name: getattr(own, name) for name in SAVED if name not in ("counters", "masks")}
        shown |= {"games": own.shown_games, "plies": own.shown_plies, "seats": own.shown_seats}
        for name, array in (shown | {"action_masks": own.shown_masks}).items():
            setattr(self, name, read_only(array))
        self.reset(seed=checked_seed(seed))

    games: NDArray[np.int64]
    plies: NDArray[np.int64]
    seats: NDArray[np.int8]
    observations: NDArray[np.uint8]
    action_masks: NDArray[np.int8]
    rewards: NDArray[np.float32]
    over: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.uint8]
    final_scores: NDArray[np.int64]
    states: Any
    final_states: Any
    _held: object | None = None  # engine.threads

    def __len__(self) -> int:
        """Return the number of lanes."""
        return self.num_games

    # ------------------------------------------------------------------------------------------------- resetting

    @exclusive
    def reset(
        self, seed: int | ArrayLike | None = None, games: ArrayLike | None = None, drawn: ArrayLike | None = None
    ) -> None:
        """Start a new game in every lane.

        Args:
            seed: 0..2**64-1; or N of them, one for every lane; None keeps what there is.
            games: game indices, int (N,), 0..2**62; None gives lane i game i, or game 0 of its own seed. A lane's next
                game is its number + ``stride``.
            drawn: events of every chance stream that count as drawn before these games begin, int (S,), 0..2**31:
                another number is other luck in that stream alone. None: 0. Later games of a lane begin at 0.

        Raises:
            ValueError: naming the argument; nothing has changed.
            InUseError: another thread is at work on this batch.
        """
        own = self._lanes
        before = None if drawn is None else self._checked_drawn(drawn)
        own.games[:], own.over[:], own.rewards[:] = self._seeds.set(seed, games), False, 0
        self._run(self._calls.start, (*self._constants, *own.of_games), 1, (self._seeds.keys,), self._all)
        if before is not None:
            own.states[:], own.counters[:] = as_records(self.game.root)[0], before
            begun = (self._constants[0], *own.of_games[:2], own.games)
            self._run(self._calls.play_chance_rows, begun, 1, (self._seeds.keys,), self._all)
        self._view(self._all)

    def _checked_drawn(self, drawn: ArrayLike) -> NDArray[np.int64]:
        count, numbers = len(self.game.definition.streams), integer_array(drawn)
        if numbers is None or numbers.shape != (count,) or numbers.min() < 0 or numbers.max() > 2**31:
            raise ValueError(f"drawn: {repr_short(drawn)}; allowed: {count} integers 0..2**31, one for each stream")
        return numbers

    @property
    def seed(self) -> int:
        """Return the seed of the games; where every lane has its own, that of lane 0."""
        return int(self._seeds.keys[0])

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """Return the seed of every lane's games, uint64 (N,); a copy."""
        return self._seeds.keys.copy()

    @property
    def stride(self) -> int:
        """Return how much a lane's game index grows by from game to game: N, or 1 where every lane has its own seed."""
        return self._seeds.stride

    def _view(self, lanes: NDArray[np.int64]) -> None:
        own = self._lanes
        self._run(self._calls.view, (self._constants[0], own.of_games[0], *own.of_views), 0, (), lanes)

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
            InUseError: another thread is at work on this batch; this call has moved no lane.
        """
        token = PROCESS.token  # engine.threads, written out: a wrapper costs more than all the rest of it
        if self._held is token:
            raise in_use(self, "step")
        try:
            self._held = token
            chosen = self._all if lanes is None else lane_indices(lanes, self.num_games)
            ids = self._action_ids(actions, chosen)
            self._run(self._calls.step, self._stepping, 3, (self._seeds.keys, self._seeds.stride, ids), chosen)
            return (self.rewards.copy(), self.over.copy()) if copy else (self.rewards, self.over)
        finally:
            self._held = None

    @exclusive
    def abandon(self, lanes: ArrayLike, seeds: ArrayLike | None = None) -> None:
        """Give up the games of these lanes: each begins its next one, and ``final_states`` keeps what was given up.

        Nobody is paid: ``over``, ``rewards`` and the other results stay as the last step left them.

        Args:
            lanes: distinct lane numbers.
            seeds: (len(lanes),), where lanes have seeds of their own: they begin game 0 of these instead.

        Raises:
            ValueError: no such lanes or seeds; nothing has changed.
        """
        chosen = lane_indices(lanes, self.num_games)
        own = self._lanes
        own.games[chosen] = self._seeds.next_games(own.games[chosen], chosen, seeds)
        own.final_states[chosen] = own.states[chosen]
        self._run(self._calls.start, (*self._constants, *own.of_games), 1, (self._seeds.keys,), chosen)
        self._view(chosen)

    def _action_ids(self, actions: ArrayLike, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return legal action ids for these lanes, and clear the results of the last step."""
        ids = integer_array(actions)
        if ids is None:
            raise IllegalActionError(f"actions: {repr_short(actions)}; allowed: integer action ids, one per lane")
        if ids.shape == (self.num_games,) != lanes.shape:
            ids = ids[lanes]
        if ids.shape != lanes.shape:
            raise IllegalActionError(f"actions: shape {ids.shape}; allowed: {lanes.shape}, one action per lane")
        own = self._lanes
        # On one thread: a look takes a nanosecond or two, sharing it out as long as 20,000 looks.
        fault = int(self._calls.admit(own.masks, ids, lanes, own.rewards, own.over))
        if fault != FINE:
            lane = int(lanes[fault])
            raise IllegalActionError(f"actions[{fault}]: {self.game.fault_text(ids[fault], own.masks[lane])}")
        return ids

    def _run(
        self, loop: Callable[..., Any], before: tuple[Any, ...], scratch: int, after: tuple[Any, ...], lanes: Any
    ) -> None:
        """Call a loop over slices of ``lanes``; ``scratch`` = how many of a thread's work arrays it takes."""
        if self._parts is None and len(lanes) <= CHUNK:
            loop(*before, *self._scratch[0][:scratch], *after, lanes, 0, len(lanes))
            return

        def work(part: int, start: int, stop: int) -> None:
            memory = self._scratch[part][:scratch]
            for first in range(start, stop, CHUNK):
                loop(*before, *memory, *after, lanes, first, min(first + CHUNK, stop))

        if self._parts is None:
            work(0, 0, len(lanes))
        else:
            self._parts.run(work, len(lanes))

    def advancing(self, loop: Callable[..., Any], players: tuple[Any, ...]) -> Callable[..., Any]:
        """Return the machine code of a loop of players of these types, for ``advance``; compile it if needed."""
        rows = (self._all, self._all, 0, 0)
        return direct(loop, *self._stepping, *self._scratch[0], self._seeds.keys, 1, *rows, *players)

    def advance(
        self, loop: Callable[..., Any], lanes: NDArray[np.int64], players: tuple[Any, ...], seen: bool = False
    ) -> None:
        """Let a compiled loop of players play on in these lanes (atlantis_envs.seats.compiled).

        ``over``, ``rewards`` and the other results are those of this call, as after ``step``; where a game ended, the
        lane's next one has begun and nobody has decided in it.

        Args:
            loop: from ``advancing``; takes what the step loop does and ``players``; the first row at fault, or FINE.
            lanes: distinct lane numbers.
            players: the further arguments of the loop.
            seen: the caller's own last call showed these lanes, and nobody can have written to their observations
                since. Otherwise they are shown anew, since players trust what they see.

        Raises:
            IllegalActionError: a player chose an action that is not legal.
            InUseError: another thread is at work on this batch.
        """
        token = PROCESS.token  # written out, as in step
        if self._held is token:
            raise in_use(self, "advance")
        try:
            self._held = token
            own = self._lanes
            own.over[:], own.rewards[:] = False, 0
            lanes = np.ascontiguousarray(lanes, np.int64)
            if not seen:
                self._view(lanes)
            actions = np.zeros(len(lanes), np.int64)
            for start in range(0, max(1, len(lanes)), ADVANCE_CHUNK):
                stop = min(start + ADVANCE_CHUNK, len(lanes))
                part = (self._seeds.keys, self._seeds.stride, actions, lanes, start, stop)
                fault = int(loop(*self._stepping, *self._scratch[0], *part, *players))
                if fault != FINE:
                    text = self.game.fault_text(actions[fault], own.masks[lanes[fault]])
                    raise IllegalActionError(f"a player in the loop: {text}")
        finally:
            self._held = None

    # ------------------------------------------------------------------------------------------------ everything else

    def afterstates(self, lanes: NDArray[np.int64] | None = None) -> Afterstates:
        """See what the seats to decide would see after each legal action; rows count within ``lanes`` (None: all)."""
        chosen = self._all if lanes is None else lanes
        own = self._lanes
        return afterstates(self.game, own.states[chosen], own.seats[chosen], own.masks[chosen])

    def random_words(self, lanes: NDArray[np.int64], plies: Sequence[int]) -> NDArray[np.uint64]:
        """Return random words of the games that lanes play, uint64 (len(lanes), len(plies)).

        Functions of (seed, game index, ply) alone. No game has a ply from 2**31 on, so those are free for other
        draws, such as who plays whom.
        """
        games = self._lanes.games[lanes].repeat(len(plies))
        addresses = np.array([plies], np.int64).repeat(len(lanes), 0).ravel()
        out = np.zeros((len(lanes), len(plies)), np.uint64)
        keys = self._seeds.keys[lanes].repeat(len(plies))
        self._calls.noise(keys, games, addresses, out.ravel())
        return out

    def potentials(self, seats: NDArray[np.integer[Any]], final: bool = False) -> NDArray[np.float64]:
        """Return the potential of each game for ``seats[lane]``, float64 (N,); with ``final``, of games just ended.

        The potential that the game declares, else the score of that seat less the best other one.

        Raises:
            ValueError: not a seat for every lane.
        """
        out = np.zeros(self.num_games, np.float64)
        points = np.zeros(self.game.definition.max_players, np.int64)
        states = plain(self._lanes.final_states if final else self._lanes.states)
        viewers = self._checked_seats(seats)
        self._calls.potential(self._constants[0], states, viewers, self.game.players, points, out)
        return out

    def observe_final(self, seats: NDArray[np.int8], lanes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return uint8 (len(lanes), F): the ended game of these lanes as ``seats[lane]`` sees it; valid where ``over``.

        Raises:
            ValueError: no such seats or lanes.
        """
        rows = self._checked_seats(seats), lane_indices(lanes, self.num_games)
        return self._observe_rows(self._lanes.final_states, *rows)

    def _observe_rows(self, states: Any, seats: NDArray[np.int8], lanes: NDArray[np.int64]) -> NDArray[np.uint8]:
        out = np.zeros((len(lanes), self.game.observation_size), np.uint8)
        self._calls.observe_rows(self._constants[0], plain(states), seats, lanes, out)
        return out

    def _checked_seats(self, seats: NDArray[np.integer[Any]]) -> NDArray[np.int8]:
        """Return seats for every lane, as kernels take them: they index memory by them."""
        given = integer_array(seats)
        last = self.game.players - 1
        if given is None or given.shape != (self.num_games,) or given.min() < 0 or given.max() > last:
            raise ValueError(f"seats: {repr_short(seats)}; allowed: {self.num_games} integers 0..{last}")
        return given.astype(np.int8)

    def noise(self, seed: int | None, lanes: ArrayLike | None = None) -> NDArray[np.uint64]:
        """Return one random word per lane for agents' own choices: a function of (seed, game index, ply) alone.

        Args:
            seed: 0..2**64-1; None: that of each lane's games.
            lanes: distinct lane numbers; None means all.
        """
        if self._held is PROCESS.token:
            raise in_use(self, "noise")
        own, keys = self._lanes, self._seeds.keys
        rows = (own.games, own.plies)
        if lanes is not None:
            chosen = lane_indices(lanes, self.num_games)
            keys, rows = keys[chosen], (own.games[chosen], own.plies[chosen])
        random_words = np.empty(len(keys), np.uint64)
        keys = keys if seed is None else np.full(len(keys), checked_seed(seed), np.uint64)
        self._calls.noise(keys, *rows, random_words)
        return random_words

    @shared
    def position(self, lane: int) -> Position:
        """Return a copy of the position of one lane; its chance goes on as the lane's would."""
        index = integer("lane", lane, 0, self.num_games - 1)
        own = self._lanes
        position = Position(self.game, own.states[index : index + 1])
        key, game_index, plies = int(self._seeds.keys[index]), int(own.games[index]), int(own.plies[index])
        position.attach_chance(key, game_index, own.counters[index], plies)
        return position

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the boards of the first lanes."""
        from atlantis_envs.drawing.notebook import MOST_BOARDS, grid

        boards = []
        for lane in range(min(MOST_BOARDS, self.num_games)):
            position = self.position(lane)
            where = f"lane {lane}: game {self.games[lane]}, ply {self.plies[lane]}, seat {self.seats[lane]}"
            boards.append((position.svg(), where))
        more = f", the first {len(boards)}" if self.num_games > len(boards) else ""
        return grid(f"Batch of {self.num_games:,} games of {self.game!r}{more}", boards)

    @shared
    def final_position(self, lane: int) -> Position:
        """Return a copy of the ended position of one lane; valid where ``over``."""
        index = integer("lane", lane, 0, self.num_games - 1)
        position = Position(self.game, self._lanes.final_states[index : index + 1])
        if self.truncated[index]:
            position.cut_off()
        return position

    from_positions = FromPositions()

    @exclusive
    def load(self, positions: Iterable[Position], seed: int | None = None) -> Batch:
        """Put these positions into the lanes, in order, and play pending chance, as game index = lane.

        Returns:
            This batch. ``Batch.from_positions(positions)`` makes a new one instead.

        Raises:
            ValueError: no positions, the wrong number of them, another game or other options, or a position that is
                broken or over; nothing has changed.
            InUseError: another thread is at work on this batch.
        """
        given = checked_positions(positions, self.game)
        if len(given) != self.num_games:
            raise ValueError(f"positions: {len(given)}; allowed: {self.num_games}, one per lane")
        keys = self._seeds.keys if seed is None else np.full(self.num_games, checked_seed(seed), np.uint64)
        begun = Lanes(self.game.definition, self.game.players, self.num_games)
        for index, position in enumerate(given):
            begun.states[index] = position.state[0]
        arguments = (plain(begun.states), begun.counters, self._all)
        self._run(self._calls.play_chance_rows, (self._constants[0], *arguments), 1, (keys,), self._all)
        for index in range(self.num_games):
            if self._calls.node(self._constants[0], plain(begun.states[index : index + 1])) == OVER:
                raise ValueError(f"positions[{index}]: the game is over, or ends by chance; allowed: games in play")
        own = self._lanes
        own.games[:], own.plies[:], own.over[:], own.rewards[:] = self._seeds.set(seed), 0, False, 0
        own.counters[:], own.states[:] = begun.counters, begun.states
        self._view(self._all)
        return self

    @shared
    def clone(self) -> Batch:
        """Return an independent copy, chance included."""
        return self._copy_to(Batch(self.game, self.num_games, 0, self.threads))

    def _copy_to(self, other: Batch) -> Batch:
        other._seeds.keys[:], other._seeds.stride = self._seeds.keys, self._seeds.stride
        for name, array in vars(self._lanes).items():
            if isinstance(array, np.ndarray):
                getattr(other._lanes, name)[:] = array
        return other

    def __deepcopy__(self, memo: Any = None) -> Batch:
        """Return a clone: two batches never share games."""
        return self.clone()

    __copy__ = __deepcopy__

    @shared
    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything but the seed that makes up the games: plain arrays by name, copies; see ``from_arrays``."""
        own = self._lanes
        # Made anew: somebody may have written to those that were shown.
        return own.to_arrays() | {"observations": self._observe_rows(own.states, own.seats.astype(np.int8), self._all)}

    @exclusive
    def from_arrays(self, arrays: Mapping[str, NDArray[Any]], seed: int | ArrayLike) -> None:
        """Go on from ``to_arrays``, with one seed or one for every lane.

        Kernels trust states, so arrays, which may be a file's, are checked first.

        Raises:
            ValueError: naming the array, its shape or the lane that cannot be; nothing has changed.
        """
        fresh = Batch(self.game, self.num_games)
        fresh._seeds.set(seed)
        check_arrays(arrays, fresh.to_arrays())
        fresh._fill(arrays)
        fresh._check()
        fresh._copy_to(self)

    def _fill(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        for name, array in arrays.items():
            own = getattr(self._lanes, name)
            own[:] = as_records(array.view(self.game.definition.state_dtype)) if own.dtype.names else array
        self._lanes.show()

    def _check(self) -> None:
        for lane in range(self.num_games):
            if int(self._calls.check(self._constants[0], plain(self._lanes.states[lane : lane + 1]))) != 0:
                raise ValueError(f"lane {lane} holds an impossible position")
        own = self._lanes
        if own.games.min() < 0 or own.plies.min() < 0:
            raise ValueError("games, plies: negative; allowed: 0 or more")
        shown_before = own.seats.copy(), own.observations.copy(), own.masks.copy()
        self._view(self._all)
        pairs: list[tuple[NDArray[Any], NDArray[Any]]] = list(
            zip(shown_before, (own.seats, own.observations, own.masks), strict=True)
        )
        if not all(np.array_equal(old, new) for old, new in pairs):
            raise ValueError("observations do not fit the positions")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as game, sizes and plain arrays; kernels are never pickled."""
        return _restore, (self.game, self.num_games, self._seeds.plain(), self.threads, self.to_arrays())


def _restore(game: Setup, num_games: int, seed: Any, threads: int, arrays: dict[str, Any]) -> Batch:
    batch = Batch(game, num_games, 0, threads)
    batch._seeds.set(seed)
    batch._fill(arrays)
    return batch


# ---------------------------------------------------------------------------------------------------- afterstates

_prepared: set[Callable[..., Any]] = set()


class Afterstates(NamedTuple):
    """What each legal action leads to, before chance: K rows, those of the first decision first, by action id.

    >>> batch = atlantis_envs.game("atlandice", players=3).batch(2, seed=0)
    >>> found = batch.afterstates()
    >>> found.observations.shape, found.rows.tolist()
    ((8, 225), [0, 0, 0, 0, 1, 1, 1, 1])

    Attributes:
        observations: uint8 (K, F), what the seat that decided sees.
        rows: int64 (K,), which decision.
        actions: int64 (K,), which action.
        potentials: float64 (K,), how far the team has come there, by the game's potential; 0 where it declares none.
    """

    observations: NDArray[np.uint8]
    rows: NDArray[np.int64]
    actions: NDArray[np.int64]
    potentials: NDArray[np.float64]


@cache
def _make_loop(definition: Definition) -> Callable[..., Any]:
    apply, observe = definition.apply, definition.observe
    has_potential, potential = definition.potential is not None, cast("Callable[..., Any]", definition.potential)

    @entry
    def afterstates_loop(rules, states, trial, seats, rows, actions, out, potentials):  # type: ignore[no-untyped-def]
        """Play each action on a copy of its state and show the mover what came of it."""
        for index in range(len(rows)):
            row = rows[index]
            trial[0] = states[row]
            apply(rules[0], trial[0], int(actions[index]))
            observe(rules[0], trial[0], int(seats[row]), out[index])
            if has_potential:  # settled when compiling
                potentials[index] = potential(rules[0], trial[0])

    return afterstates_loop


def afterstates(game: Setup, states: Any, seats: NDArray[Any], masks: NDArray[np.int8]) -> Afterstates:
    """See what each legal action leads to.

    Args:
        game: whose positions.
        states: recarray (N,), decision nodes; they stay as they are.
        seats: (N,), who is to decide.
        masks: int8 (N, A), what it may do.

    Returns:
        Afterstates; K is the number of legal actions of all decisions together.
    """
    loop = _make_loop(game.definition)
    rows, actions = map(np.ascontiguousarray, np.nonzero(masks))  # else they are columns: other types to the loop
    out, potentials = np.zeros((len(rows), game.observation_size), np.uint8), np.zeros(len(rows))
    records = np.ascontiguousarray(states)
    call = (game.plain_rules, plain(records), plain(np.zeros(1, game.record_dtype)), np.asarray(seats, np.int64))
    if loop not in _prepared:
        with compiling(f"{game.definition.title}, afterstates", [loop]):
            loop(*call, rows[:0], actions[:0], out[:0], potentials[:0])
        _prepared.add(loop)
    loop(*call, rows, actions, out, potentials)
    return Afterstates(out, rows, actions, potentials)
