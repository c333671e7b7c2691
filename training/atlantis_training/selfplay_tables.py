"""Games with one learner each and opponents chosen anew for every game.

``Tables`` shows what ``engine.seats.SeatBatch`` shows, byte for byte for the same opponents, and differs in two ways:
opponents that are kernels play in compiled code, and who sits at a table is asked of a ``Seating`` game by game. All
other opponents are asked together for all lanes in which they are to move, so networks work on batches.
"""

from __future__ import annotations

import time
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.engine.advance import OUTSIDE, Advance
from atlantis_envs.engine.agents import Agent
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.seats import ALL, RANDOM, ROTATE, SEAT_PLY, SeatStep, checked_rule
from atlantis_envs.engine.shaping import potentials
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_training.kernel_players import kernel_players

LEARNER = -1  # stands in ``Tables.sitting`` where the learner sits


@runtime_checkable
class Seating(Protocol):
    """Who plays against the learner."""

    def seat(self, tables: Tables, lanes: NDArray[np.int64]) -> NDArray[np.int32]:
        """Opponents' numbers, int32 (len(lanes), P), for the games these lanes now begin; the learner's is ignored."""
        ...

    def code(self, number: int) -> int:
        """The code of an opponent that is a kernel (kernel_players), or OUTSIDE."""
        ...

    def agent(self, number: int) -> Agent:
        """An opponent that is no kernel."""
        ...

    def record(self, sitting: NDArray[np.int32], seats: NDArray[np.int8], returns: NDArray[np.float32]) -> None:
        """Games that ended: who sat where, int32 (k, P), the learner's seats (k,) and the returns (k, P)."""
        ...


class Tables:
    """N games, one learner in each. ``reset`` first; a finished game is replaced within the step that ended it.

    A game that ends before the learner's first decision in it is passed over: nobody learns from it.

    Attributes:
        game: the Game.
        num_games: N.
        batch: the Batch underneath.
        seats: int8 (N,), the learner's seat in each lane; the seat to move where the learner plays all of them.
        sitting: int32 (N, P), the opponents' numbers, LEARNER in the learner's seat or seats.
        lengths: int64 (N,), decisions the learner has taken in the present game.
        thinking: seconds spent in opponents that are no kernels.
    """

    def __init__(self, game: Game, num_games: int, seating: Seating, learner_seat: int | str = ROTATE) -> None:
        """Set up; see SeatBatch."""
        self.game = game
        self.seating = seating
        self._rule = checked_rule(learner_seat, game)
        self.batch = game.batch(num_games)
        self.num_games = num_games
        self.seats = np.zeros(num_games, np.int8)
        self.sitting = np.full((num_games, game.players), LEARNER, np.int32)
        self.lengths = np.zeros(num_games, np.int64)
        self.thinking = 0.0
        self._codes = np.full((num_games, game.players), OUTSIDE, np.int8)
        self._all = np.arange(num_games)
        players, names = kernel_players(game)
        self._advance = Advance(self.batch, players, len(names))
        self._ready = False

    @property
    def asked(self) -> NDArray[np.int64]:
        """int64, decisions taken so far by the kernel player of each code."""
        return self._advance.asked

    # ----------------------------------------------------------------------------------------------------- starting

    def reset(self, seed: int | None = None, games: ArrayLike | None = None) -> None:
        """Start a game in every lane, up to the learner's first decision; None keeps the seed and goes on with the
        next games.
        """
        if seed is None:
            self.batch.reset(games=self.batch.games + self.num_games if games is None else games)
        else:
            self.batch.reset(seed, games)
        self.lengths[:] = 0
        self._begin(self._all)
        self._opponents_play(None)

    def _begin(self, lanes: NDArray[np.int64]) -> None:
        """Seat the learner and its opponents in the games these lanes now play."""
        games, players = self.batch.games[lanes], self.game.players
        if self._rule == ALL:
            self.seats[lanes] = self.batch.seats[lanes]
            self.sitting[lanes] = LEARNER
            return
        if self._rule == ROTATE:
            self.seats[lanes] = games % players
        elif self._rule == RANDOM:
            self.seats[lanes] = self.words(lanes, SEAT_PLY) % np.uint64(players)
        else:
            self.seats[lanes] = self._rule
        sitting = self.seating.seat(self, lanes)
        sitting[np.arange(len(lanes)), self.seats[lanes]] = LEARNER
        self.sitting[lanes] = sitting
        self._encode(lanes)

    def _encode(self, lanes: NDArray[np.int64]) -> None:
        code = self.seating.code  # few games begin at a time: a plain loop is the fastest
        rows = self.sitting[lanes].tolist()
        self._codes[lanes] = [[OUTSIDE if number == LEARNER else code(number) for number in row] for row in rows]

    def words(self, lanes: NDArray[np.int64], ply: int) -> NDArray[np.uint64]:
        """One random word per lane, a function of (seed, game number, ``ply``); plies from 2**31 on are no game's."""
        words = np.zeros(len(lanes), np.uint64)
        games = np.ascontiguousarray(self.batch.games[lanes])
        plies = np.full(len(lanes), ply, np.int64)
        self.game.loops.noise(np.uint64(self.batch.seed), games, plies, np.arange(len(lanes)), words)
        return words

    # ----------------------------------------------------------------------------------------------------- stepping

    @property
    def observations(self) -> NDArray[np.uint8]:
        """uint8 (N, F): what the learner sees; a copy."""
        return self.batch.observations.copy()

    @property
    def masks(self) -> NDArray[np.int8]:
        """int8 (N, A): what the learner may do; a copy."""
        return self.batch.action_masks.copy()

    def standing(self) -> NDArray[np.float64]:
        """float64 (N,): how the games stand for the learner (engine.shaping.potentials)."""
        return potentials(self.batch, self.seats)

    def step(self, actions: ArrayLike) -> SeatStep:
        """Play the learner's action in every lane, and the opponents' answers.

        Raises:
            IllegalActionError: an action is not legal; no lane has moved.
            RuntimeError: before ``reset``, or after an opponent failed.
        """
        if not self._ready:
            raise RuntimeError("step: the learner is not to move in every lane; call reset() first")
        result = self._nothing_yet()
        self.batch.step(actions)
        self.lengths += 1
        self._take_ends(result)
        self._opponents_play(result)
        return result._replace(observations=self.observations, masks=self.masks, seats=self.seats.copy())

    def _nothing_yet(self) -> SeatStep:
        number, players = self.num_games, self.game.players
        return SeatStep(
            observations=np.zeros((0, 0), np.uint8),
            masks=np.zeros((0, 0), np.int8),
            seats=np.zeros(0, np.int8),
            rewards=np.zeros(number, np.float32),
            over=np.zeros(number, np.bool_),
            illegal=np.zeros(number, np.bool_),
            final_observations=np.zeros((number, self.game.observation_size), np.uint8),
            final_seats=np.zeros(number, np.int8),
            final_scores=np.zeros((number, players), np.int64),
            final_returns=np.zeros((number, players), np.float32),
            lengths=np.zeros(number, np.int64),
        )

    def _take_ends(self, result: SeatStep | None) -> None:
        """Pay for the games that just ended and seat those that began; ``result`` is None while nobody is paid."""
        if not self.batch.over.any():
            return
        ended = np.flatnonzero(self.batch.over)
        # A lane whose game ended earlier in this step has been paid; its new game ended without the learner.
        news = ended if result is None else ended[~result.over[ended]]
        if result is not None and news.size:
            seats = self.seats[news]
            result.over[news] = True
            result.final_seats[news] = seats
            result.final_scores[news] = self.batch.final_scores[news]
            result.final_returns[news] = self.batch.rewards[news]
            result.final_observations[news] = self._advance.final_observations(self.seats, news)
            result.rewards[news] = result.final_returns[news, seats]
            result.lengths[news] = self.lengths[news]
            self.seating.record(self.sitting[news], seats, result.final_returns[news])
        self.lengths[ended] = 0
        self._begin(ended)

    # ---------------------------------------------------------------------------------------------------- opponents

    def _opponents_play(self, result: SeatStep | None) -> None:
        """Until the learner is to move in every lane: kernels first, then all others in one move of each lane."""
        self._ready = self._rule == ALL
        if self._ready:
            self.seats[:] = self.batch.seats
            return
        while True:
            movers = self._codes[self._all, self.batch.seats]
            waiting = np.flatnonzero(movers != OUTSIDE)
            if waiting.size:
                self._advance.play(self._codes, waiting)
                self._take_ends(result)
                continue
            waiting = np.flatnonzero(self.batch.seats != self.seats)
            if not waiting.size:
                break
            self.batch.step(self._answers(waiting), waiting)
            self._take_ends(result)
        self._ready = True

    def _answers(self, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Actions of the opponents to move in these lanes: one call for each."""
        started = time.perf_counter()
        numbers = self.sitting[lanes, self.batch.seats[lanes]]
        noise = self.batch.noise(self.batch.seed, lanes)
        actions = np.zeros(len(lanes), np.int64)
        for number in np.unique(numbers):
            rows = np.flatnonzero(numbers == number)
            actions[rows] = self._ask(self.seating.agent(int(number)), lanes[rows], noise[rows])
        self.thinking += time.perf_counter() - started
        return actions

    def _ask(self, agent: Agent, lanes: NDArray[np.int64], noise: NDArray[np.uint64]) -> NDArray[np.int64]:
        chosen = np.asarray(agent.act(self.batch.observations[lanes], self.batch.action_masks[lanes], noise))
        if chosen.dtype.kind not in "iu" or chosen.shape != lanes.shape:
            raise IllegalActionError(
                f"opponent {agent!r}: act() returned {chosen.dtype} {chosen.shape}; allowed: {len(lanes)} integers"
            )
        return chosen

    # -------------------------------------------------------------------------------------------------------- state

    def save(self) -> dict[str, NDArray[Any]]:
        """Everything that makes the games what they are, as plain arrays; the seating keeps its own state."""
        arrays: dict[str, NDArray[Any]] = self.batch.__reduce__()[1][4]
        own: dict[str, NDArray[Any]] = {"seats": self.seats, "sitting": self.sitting, "lengths": self.lengths}
        seed = np.array([self.batch.seed], np.uint64)
        return {f"batch.{name}": array for name, array in arrays.items()} | own | {"seed": seed}

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Go on from ``save``; ``reset`` is not needed.

        Raises:
            OptionError: arrays of another game or size, or positions that cannot be.
        """
        for name, array in self.save().items():
            found = saved.get(name)
            if found is None or found.shape != array.shape or found.dtype != array.dtype:
                told = None if found is None else f"{found.dtype} {found.shape}"
                raise OptionError(f"tables: {name} is {told}; allowed: {array.dtype} {array.shape}")
        make, (game, number, _, threads, arrays) = self.batch.__reduce__()
        fresh = {name: saved[f"batch.{name}"] for name in arrays}
        batch = make(game, number, int(saved["seed"][0]), threads, fresh)
        self._check(batch, saved)
        self.batch = batch
        players, names = kernel_players(self.game)
        self._advance = Advance(batch, players, len(names))
        self.seats[:], self.sitting[:], self.lengths[:] = saved["seats"], saved["sitting"], saved["lengths"]
        self._encode(self._all)
        self._ready = True

    def _check(self, batch: Any, saved: dict[str, NDArray[Any]]) -> None:
        """Kernels trust states, so states from a file are checked before a kernel sees them."""
        for lane in range(self.num_games):
            if int(self.game.loops.check(self.game.rules, batch.states[lane : lane + 1])) != 0:
                raise OptionError(f"tables: lane {lane} holds a position that cannot be")
        seats, sitting = saved["seats"], saved["sitting"]
        learner = sitting == LEARNER
        if not (
            batch.games.min() >= 0
            and batch.plies.min() >= 0
            and np.array_equal(batch.seats, seats)
            and 0 <= seats.min() <= seats.max() < self.game.players
            and (learner.sum(axis=1) == (self.game.players if self._rule == ALL else 1)).all()
            and learner[self._all, seats].all()
        ):
            raise OptionError("tables: the learner is not to move in every lane")
        shown = batch.seats.copy(), batch.observations.copy(), batch.action_masks.copy()
        batch._view(self._all)
        if not all(
            np.array_equal(old, new)
            for old, new in zip(shown, (batch.seats, batch.observations, batch.action_masks), strict=True)
        ):
            raise OptionError("tables: what the learner sees does not fit the positions")
