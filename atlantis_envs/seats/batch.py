"""Games seen from one seat: a learner plays it, given opponents play the others.

The base of every single-agent view: Gymnasium, stable-baselines3, self-play. A step is one decision of the
learner in every lane; the opponents answer until it is the learner's turn again everywhere. Opponents that are kernels
play in compiled code, all others choose in one call for all lanes in which they are to move, so networks work on
batches. What happens in a game depends on the seed, the game's index, who sits there and the learner's actions alone,
never on how games are batched.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.base.arguments import check_arrays, choice, fresh_seed
from atlantis_envs.engine.threads import PROCESS, exclusive, in_use
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.seats.agents import Agent, Capabilities, Compiled
from atlantis_envs.seats.compiled import CHOOSING, OUTSIDE, Advance, compiling_for
from atlantis_envs.seats.opponents import LEARNER, FixedSeating, NoSeating, Opponents, Seating
from atlantis_envs.seats.positions import ask
from atlantis_envs.seats.step import (
    ALL,
    ILLEGAL_MODES,
    ILLEGAL_REWARD,
    RAISE,
    RANDOM,
    ROTATE,
    SeatStep,
    Shaping,
    checked_rule,
)

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

SEAT_PLY = 2**32 - 1  # the ply whose word draws the learner's seat; those below it draw its opponents


class SeatBatch:
    """N games, one learner in each. ``reset`` first; a finished game is replaced within the step that ended it.

    >>> game = atlantis_envs.game("atlandice", players=3)
    >>> batch = atlantis_envs.SeatBatch(game, 8, opponents="heuristic")
    >>> batch.reset(seed=0)
    >>> batch.step(batch.masks.argmax(axis=1)).rewards.shape
    (8,)

    A game that ends before the learner's first decision in it is passed over: nobody learns from it.

    One thread at a time: ``reset``, ``restart`` and ``step`` raise InUseError while another of them is at work.

    In a cooperative game the learner may play all seats (``learner_seat="all"``): a step is the decision of whoever is
    to move, with the observation of that seat, and the reward is the return that all share.

    Attributes:
        game: the Game.
        num_games: the number of games, N.
        batch: the Batch underneath.
        seats: int8 (N,), the learner's seat in each lane; with "all" the seat to move. A copy.
        seating: who plays against it.
        sitting: int32 (N, P), the opponents' ids, LEARNER in the learner's seat or seats. A copy.
        lengths: int64 (N,), decisions the learner has taken in the present game. A copy.
        shaping: what is added to the rewards (atlantis_envs.seats.step).
        compiled: the opponents that are kernels, by code.
        advance: plays those opponents; None if there are none.
        decisions: decisions taken so far by opponents that are not kernels.
        thinking: seconds those took.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        learner_seat: int | str = RANDOM,
        opponents: Opponents | Seating = "random",
        illegal: str = RAISE,
        threads: int = 1,
        shaping: float = 0.0,
        discount: float = 1.0,
        skip_forced: bool = False,
    ) -> None:
        """Set up; ``reset`` starts the games.

        Args:
            game: what is played.
            num_games: lanes.
            learner_seat: a seat; "random", drawn for every game; "rotate", game index modulo players; or, in a
                cooperative game, "all".
            opponents: an agent (object or text, see ``make_agent``) for all other seats; or a list of one per other
                seat: the first plays the seat after the learner's, and so on round the table; or a Seating, which
                chooses them for every game. With "all" there are none.
            illegal: "raise": IllegalActionError, no lane has moved. "terminate": that game ends, the learner gets -1.
            threads: see Game.batch.
            shaping: potential-based reward beside the return, per unit of potential; 0: none.
            discount: of the learner, for shaping.
            skip_forced: play the learner's only legal action for it, so that every step is a choice.

        Raises:
            OptionError: a value that is not allowed.
            ValueError: a bad number of games or threads.
        """
        self.game = game
        self._rule = checked_rule(learner_seat, game)
        if isinstance(opponents, Seating) and not isinstance(opponents, Agent):
            self.seating: Seating = opponents
        else:
            self.seating = NoSeating(opponents) if self._rule == ALL else FixedSeating(game, opponents)
        self._illegal = choice("illegal", illegal, ILLEGAL_MODES)
        with compiling_for(game, () if self._rule == ALL else self.opponents, together=True):
            self.batch = game.batch(num_games, 0, threads)
            self.num_games = self.batch.num_games
            self.shaping = Shaping(game, self.num_games, shaping, discount)
            self._seats = np.zeros(self.num_games, np.int64)  # as the batch keeps its own: compared in every step
            self._sitting = np.full((self.num_games, game.players), LEARNER, np.int32)
            self._lengths = np.zeros(self.num_games, np.int64)
            self.decisions, self.thinking = 0, 0.0
            self._agents: Mapping[int, Agent] = {}
            self._codes_of: dict[int, int] = {}
            self.compiled: list[Agent] = []
            self.advance: Advance | None = None
            self._forms: list[Compiled] = []
            self._learner_code = CHOOSING if skip_forced else OUTSIDE
            self._codes = np.full((self.num_games, game.players), self._learner_code, np.int8)
            self._all = np.arange(self.num_games)
            self._seeded = self._ready = False
            if self._rule != ALL:
                self._meet()
            if skip_forced and self.advance is None:
                self.advance = Advance(self.batch, ())

    @property
    def opponents(self) -> tuple[Agent, ...]:
        """Return the agents that may play now, in turn after the learner; one alone plays every other seat."""
        return tuple(self.seating.opponents().values())

    def _meet(self) -> None:
        """Find out which agents may play; those that are kernels are compiled together."""
        self._agents = self.seating.opponents()
        before = len(self._forms)
        forms = {opponent: Capabilities(agent).compiled for opponent, agent in self._agents.items()}
        for opponent, form in sorted(forms.items(), key=lambda item: "" if item[1] is None else item[1].name):
            if opponent not in self._codes_of:
                self._codes_of[opponent] = OUTSIDE if form is None else self._code(form, self._agents[opponent])
        if len(self._forms) > before:
            self.advance = Advance(self.batch, self._forms)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs; compiled code is never pickled, and copies find it again through their agents."""
        decisions = None if self.advance is None else self.advance.decisions
        return {**self.__dict__, "_forms": [], "advance": decisions}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become what was pickled; compiles if needed."""
        decisions = state.pop("advance")
        self.__dict__.update(state, advance=None)
        self._forms = [form for agent in self.compiled if (form := Capabilities(agent).compiled) is not None]
        if decisions is not None:
            self.advance = Advance(self.batch, self._forms)
            self.advance.decisions[:] = decisions

    def _code(self, form: Compiled, agent: Agent) -> int:
        """Return the code of a kernel; the same for agents that play alike."""
        for code, other in enumerate(self._forms):
            if other.plays_like(form):
                return code
        self.compiled.append(agent)
        self._forms.append(form)
        return len(self._forms) - 1

    # ----------------------------------------------------------------------------------------------------- starting

    _held: object | None = None  # engine.threads

    @exclusive
    def reset(self, seed: int | ArrayLike | None = None, games: ArrayLike | None = None) -> None:
        """Start a game in every lane and let the opponents play up to the learner's first decision.

        Args:
            seed: 0..2**64-1; or N of them, one for every lane; None keeps the present one, or draws one from fresh
                entropy if there is none yet.
            games: game indices, int (N,). None: with a new seed lane i gets game i (game 0 of a seed of its own), with
                the present seed its next.

        Raises:
            ValueError: naming the argument; nothing has changed.
            InUseError: another thread is at work.
        """
        if seed is None and self._seeded:
            self.batch.reset(games=self.batch._lanes.games + self.batch.stride if games is None else games)
        else:
            self.batch.reset(fresh_seed() if seed is None else seed, games)
        self._seeded = True
        self._begin_all(self._all)

    @exclusive
    def restart(self, lanes: NDArray[np.int64], seeds: ArrayLike | None = None) -> None:
        """Give up the games of these lanes: each begins its next one, up to the learner's first decision.

        Args:
            lanes: distinct lane numbers.
            seeds: (len(lanes),), where every lane has a seed of its own: they begin game 0 of these instead.

        Raises:
            ValueError: see Batch.abandon; nothing has changed.
            RuntimeError: before ``reset``, or after an opponent failed.
            InUseError: another thread is at work.
        """
        if not self._ready:
            raise _not_ready("restart")
        if lanes.size:
            self.batch.abandon(lanes, seeds)
            self._begin_all(lanes)

    def _begin_all(self, lanes: NDArray[np.int64]) -> None:
        self._lengths[lanes] = 0
        self._begin(lanes)
        self._opponents_play(None)
        self.shaping.begin(self.batch, self._seats)

    def _begin(self, lanes: NDArray[np.int64]) -> None:
        """Seat the learner and its opponents in the games these lanes now play."""
        if self._rule == ALL:
            self._seats[lanes] = self.batch._lanes.seats[lanes]
            return
        players = self.game.players
        if self._rule == ROTATE:
            self._seats[lanes] = self.batch._lanes.games[lanes] % players
        elif self._rule == RANDOM:
            self._seats[lanes] = self.batch.random_words(lanes, [SEAT_PLY])[:, 0] % np.uint64(players)
        else:
            self._seats[lanes] = self._rule
        random_words = self.batch.random_words(lanes, range(SEAT_PLY - 1, SEAT_PLY - 1 - players, -1))
        sitting = self.seating.seat(random_words, self._seats[lanes].astype(np.int8))
        sitting[np.arange(len(lanes)), self._seats[lanes]] = LEARNER
        self._sitting[lanes] = sitting
        self._encode(lanes)

    def _encode(self, lanes: NDArray[np.int64]) -> None:
        rows = self._sitting[lanes].tolist()
        if any(opponent not in self._codes_of for row in rows for opponent in row if opponent != LEARNER):
            self._meet()
        codes = self._codes_of  # few games begin at a time: a plain loop is the fastest
        self._codes[lanes] = [
            [self._learner_code if opponent == LEARNER else codes[opponent] for opponent in row] for row in rows
        ]

    # ----------------------------------------------------------------------------------------------------- stepping

    @property
    def seats(self) -> NDArray[np.int8]:
        """Return the learner's seat in each lane, int8 (N,); a copy."""
        return self._seats.astype(np.int8)

    @property
    def sitting(self) -> NDArray[np.int32]:
        """Return the opponents' ids, int32 (N, P), LEARNER in the learner's seat or seats; a copy."""
        return self._sitting.copy()

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Return how many decisions the learner has taken in the present game, int64 (N,); a copy."""
        return self._lengths.copy()

    @property
    def observations(self) -> NDArray[np.uint8]:
        """Return what the learner sees, uint8 (N, F); a copy."""
        return self.batch.observations.copy()

    @property
    def masks(self) -> NDArray[np.int8]:
        """Return the mask of what the learner may do, int8 (N, A), 1 = legal; a copy."""
        return self.batch._lanes.masks.copy()

    def step(self, actions: ArrayLike, still: NDArray[np.bool_] | None = None) -> SeatStep:
        """Play the learner's action in every lane, and the opponents' answers.

        Args:
            actions: action ids, integers (N,).
            still: bool (N,), lanes that do not move: their actions are not looked at and they are paid nothing. None:
                there are none.

        Raises:
            IllegalActionError: not integers, the wrong number of them, or (``illegal="raise"``) one is not legal. No
                lane has moved.
            RuntimeError: before ``reset``, or after an opponent failed.
            InUseError: another thread is at work.
        """
        token = PROCESS.token  # engine.threads, written out
        if self._held is token:
            raise in_use(self, "step")
        try:
            self._held = token
            if not self._ready:
                raise _not_ready("step")
            result = self._nothing_yet()
            lanes = self._all if still is None else np.flatnonzero(~still)
            if self._illegal != RAISE:
                lanes, actions = self._end_illegal(lanes, actions, result)
            if lanes.size:
                self.batch.step(actions, None if lanes is self._all else lanes)
                self._lengths[lanes] += 1
                self._take_ends(result)
            self._opponents_play(result)
            if self.shaping.weight:
                paid = self.shaping.pay(self.batch, self._seats, result)
                result.rewards[:] += paid if still is None else np.where(still, 0.0, paid)
            return result._replace(
                observations=self.batch.observations.copy(),
                masks=self.batch._lanes.masks.copy(),
                seats=self._seats.astype(np.int8),
            )
        finally:
            self._held = None

    def _nothing_yet(self) -> SeatStep:
        """Return a step in which nothing has happened; what the learner sees is put in at its end."""
        size, players = self.num_games, self.game.players
        return SeatStep(
            observations=np.zeros((0, 0), np.uint8),
            masks=np.zeros((0, 0), np.int8),
            seats=np.zeros(0, np.int8),
            rewards=np.zeros(size, np.float32),
            over=np.zeros(size, np.bool_),
            truncated=np.zeros(size, np.bool_),
            illegal=np.zeros(size, np.bool_),
            final_observations=np.zeros((size, self.game.observation_size), np.uint8),
            final_seats=np.zeros(size, np.int8),
            final_scores=np.zeros((size, players), np.int64),
            final_returns=np.zeros((size, players), np.float32),
            lengths=np.zeros(size, np.int64),
        )

    def _end_illegal(
        self, lanes: NDArray[np.int64], actions: ArrayLike, result: SeatStep
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """End those of these games whose action is not legal; return the lanes that are left, and their actions."""
        ids = np.asarray(actions)
        if ids.shape != (self.num_games,) or ids.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions: shape {ids.shape}, {ids.dtype}; allowed: {self.num_games} integer action ids"
            )
        named = (ids >= 0) & (ids < self.game.num_actions)
        legal = named & (self.batch._lanes.masks[self._all, np.where(named, ids, 0)] != 0)
        good, bad = lanes[legal[lanes]], lanes[~legal[lanes]]
        if bad.size:
            self._forfeit(bad, result)
        return good, ids[good]

    def _forfeit(self, lanes: NDArray[np.int64], result: SeatStep) -> None:
        self._lengths[lanes] += 1
        for lane in lanes:
            result.final_scores[lane] = self.batch.position(lane).scores()
        seats = self._seats[lanes]
        result.final_observations[lanes] = self.batch.observations[lanes]
        if self.game.cooperative:
            result.final_returns[lanes] = ILLEGAL_REWARD
        else:
            result.final_returns[lanes, seats] = ILLEGAL_REWARD
        result.illegal[lanes] = True
        self._pay(lanes, result)
        self.batch.abandon(lanes)
        self._begin(lanes)

    def _take_ends(self, result: SeatStep | None) -> None:
        """Pay for the games that just ended and seat those that began; ``result`` is None while nobody is paid."""
        batch = self.batch
        if not batch.over.any():
            return
        ended = np.flatnonzero(batch.over)
        # A lane whose game ended earlier in this step has been paid; its new game ended without the learner.
        news = ended if result is None else ended[~result.over[ended]]
        if result is not None and news.size:
            result.final_scores[news] = batch.final_scores[news]
            result.final_returns[news] = batch.rewards[news]
            result.truncated[news] = batch.truncated[news]
            # Lanes and seats are this object's own: ``observe_final`` would look at all of them again.
            result.final_observations[news] = batch._observe_rows(batch._lanes.final_states, self.seats, news)
            self._pay(news, result)
            self.seating.record(self._sitting[news], result.final_seats[news], result.final_returns[news])
        self._lengths[ended] = 0
        self._begin(ended)

    def _pay(self, lanes: NDArray[np.int64], result: SeatStep) -> None:
        """Fill in what every kind of end has in common, before the seats are drawn anew."""
        seats = self._seats[lanes]
        result.over[lanes] = True
        result.final_seats[lanes] = seats
        result.rewards[lanes] = result.final_returns[lanes, seats]
        result.lengths[lanes] = self._lengths[lanes]
        self._lengths[lanes] = 0

    # ---------------------------------------------------------------------------------------------------- opponents

    def _opponents_play(self, result: SeatStep | None) -> None:
        """Play until the learner is to choose in every lane: first the kernels, then one move of all others."""
        self._ready, lanes = False, self._all
        while lanes.size:
            if self.advance is not None:
                lanes = lanes[self._codes[lanes, self.batch._lanes.seats[lanes]] != OUTSIDE]
                if lanes.size:
                    self.advance.play(self._codes, lanes, seen=True)
                    lanes = lanes[self.batch.over[lanes]]
                    self._take_ends(result)
                    if lanes.size:  # their next games have begun
                        continue
            if self._rule == ALL:
                self._seats[:] = self.batch._lanes.seats
                break
            lanes = np.flatnonzero(self.batch._lanes.seats != self._seats)
            if lanes.size:
                self.batch.step(self._answers(lanes), lanes)
                self._take_ends(result)
        self._ready = True

    def _answers(self, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return actions of the opponents to move in these lanes: one call for each."""
        started = time.perf_counter()
        opponents = self._sitting[lanes, self.batch._lanes.seats[lanes]]
        noise = self.batch.noise(None, lanes)
        actions = np.zeros(len(lanes), np.int64)
        for opponent in np.unique(opponents):
            rows = np.flatnonzero(opponents == opponent)
            actions[rows] = ask(self._agents[int(opponent)], self.batch, lanes[rows], noise[rows])
        self.decisions += len(lanes)
        self.thinking += time.perf_counter() - started
        return actions

    # -------------------------------------------------------------------------------------------------------- state

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything that makes the games what they are, as plain arrays; the seating keeps its own state."""
        own: dict[str, NDArray[Any]] = {"seats": self.seats, "sitting": self.sitting, "lengths": self.lengths}
        seeds = self.batch.seeds if self.batch.stride == 1 else self.batch.seeds[:1]
        return {f"batch.{name}": array for name, array in self.batch.to_arrays().items()} | own | {"seed": seeds}

    def from_arrays(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Go on from ``to_arrays``; ``reset`` is not needed.

        Raises:
            OptionError: arrays of another game or size, or impossible positions; nothing has changed.
        """
        own = {name.removeprefix("batch."): array for name, array in saved.items() if name.startswith("batch.")}
        try:
            check_arrays(saved, self.to_arrays())
            self._check_seats(saved)
            self.batch.from_arrays(own, saved["seed"] if len(saved["seed"]) > 1 else int(saved["seed"][0]))
        except ValueError as error:
            raise OptionError(f"tables: {error}") from None
        self._seats[:], self._sitting[:], self._lengths[:] = saved["seats"], saved["sitting"], saved["lengths"]
        self._encode(self._all)
        self._seeded = self._ready = True

    def _check_seats(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Refuse arrays unless the learner is to move in every lane and sits where they say."""
        seats, learner = saved["seats"], saved["sitting"] == LEARNER
        if not (
            np.array_equal(saved["batch.seats"], seats)
            and 0 <= seats.min() <= seats.max() < self.game.players
            and (learner.sum(axis=1) == (self.game.players if self._rule == ALL else 1)).all()
            and learner[self._all, seats].all()
        ):
            raise ValueError("the learner is not to move in every lane")
        unknown = set(np.unique(saved["sitting"]).tolist()) - {LEARNER} - set(self.seating.opponents())
        if unknown:
            raise ValueError(f"opponents {sorted(unknown)} sit there; allowed: agents that may play")


def _not_ready(what: str) -> RuntimeError:
    return RuntimeError(f"{what}: the learner is not to move in every lane; call reset() first")
