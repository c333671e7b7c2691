"""Games seen from one seat, slow and plain: every opponent is asked in Python. What SeatBatch is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from atlantis_envs.base.arguments import checked_seed, choice, fresh_seed
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.threads import exclusive
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.seats.agents import Agent, make_agent
from atlantis_envs.seats.step import ALL, ILLEGAL_MODES, ILLEGAL_REWARD, RANDOM, ROTATE, SeatStep, Shaping, checked_rule

if TYPE_CHECKING:
    from atlantis_envs.engine.game import Game

SEAT_PLY = 2**32 - 1  # the word of noise that draws the learner's seat; no game has so many plies

Opponents = str | Agent | Sequence[str | Agent]


class SlowSeatBatch:
    """N games, one learner in each. ``reset`` first; a finished game is replaced within the step that ended it.

    A game that ends before the learner's first decision in it is passed over: nobody learns from it.

    One thread at a time: ``reset``, ``restart`` and ``step`` raise InUseError while another of them is at work.

    In a cooperative game the learner may play all seats (``learner_seat="all"``): a step is the decision of whoever is
    to move, seen with the eyes of that seat, and the reward is the return that all share.

    Attributes:
        game: the Game.
        num_games: N.
        batch: the Batch underneath.
        seats: int8 (N,), the learner's seat in each lane; with "all" the seat to move.
        opponents: the agents, in turn order after the learner; one alone plays every other seat. () with "all".
        shaping: what rewards are helped with (engine.shaping).
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        learner_seat: int | str = RANDOM,
        opponents: Opponents = "random",
        illegal: str = "raise",
        threads: int = 1,
        shaping: float = 0.0,
        discount: float = 1.0,
    ) -> None:
        """Set up; ``reset`` starts the games.

        Args:
            game: what is played.
            num_games: lanes.
            learner_seat: a seat; "random", drawn for every game; "rotate", game number modulo players; or, in a
                cooperative game, "all".
            opponents: an agent (object or name) for all other seats, or a list of one per other seat: the first plays
                the seat after the learner's, and so on round the table. With "all" nobody is left to name.
            illegal: "raise": IllegalActionError, no lane has moved. "terminate": that game ends, the learner gets -1.
            threads: see Game.batch.
            shaping: potential-based reward beside the return, per unit of potential (engine.shaping); 0: none.
            discount: of the learner, for shaping.

        Raises:
            OptionError: a value that is not allowed.
            ValueError: a bad number of games or threads.
        """
        self.game = game
        self._rule = checked_rule(learner_seat, game)
        self.opponents = _agents(opponents, game) if self._rule != ALL else _nobody(opponents)
        self._illegal = choice("illegal", illegal, ILLEGAL_MODES)
        self.batch = game.batch(num_games, 0, threads)
        self.num_games = self.batch.num_games
        self.shaping = Shaping(game, self.num_games, shaping, discount)
        self.seats = np.zeros(self.num_games, np.int8)
        self._lengths = np.zeros(self.num_games, np.int64)
        self._all = np.arange(self.num_games)
        self._seeded = False
        self._ready = False

    # ----------------------------------------------------------------------------------------------------- starting

    _held: object | None = None  # engine.threads

    @exclusive
    def reset(self, seed: int | None = None, games: ArrayLike | None = None) -> None:
        """Start a game in every lane and let the opponents play up to the learner's first decision.

        Args:
            seed: 0..2**64-1; None keeps the present one, or draws one from fresh entropy if there is none yet.
            games: game numbers, int (N,). None: with a new seed lane i gets game i, with the present seed its next.

        Raises:
            ValueError: naming the argument; nothing has changed.
        """
        if seed is None and self._seeded:
            numbers = self.batch.games + self.num_games if games is None else games
            self.batch.reset(games=numbers)
        else:
            self.batch.reset(fresh_seed() if seed is None else checked_seed(seed), games)
        self._seeded = True
        self._lengths[:] = 0
        self._draw_seats(self._all)
        self._let_opponents_play(None)
        self.shaping.begin(self.batch, self.seats)

    def _draw_seats(self, lanes: NDArray[np.int64]) -> None:
        """The learner's seat in the games these lanes now play."""
        games = self.batch.games[lanes]
        players = self.game.players
        if self._rule == ALL:
            self.seats[lanes] = self.batch.seats[lanes]
        elif self._rule == ROTATE:
            self.seats[lanes] = games % players
        elif self._rule == RANDOM:
            words = np.zeros(len(lanes), np.uint64)
            plies = np.full(len(lanes), SEAT_PLY, np.int64)
            self.game.loops.noise(np.full(len(games), self.batch.seed, np.uint64), games, plies, words)
            self.seats[lanes] = words % np.uint64(players)
        else:
            self.seats[lanes] = self._rule

    # ----------------------------------------------------------------------------------------------------- stepping

    @property
    def observations(self) -> NDArray[np.uint8]:
        """uint8 (N, F): what the learner sees; a copy."""
        return self.batch.observations.copy()

    @property
    def masks(self) -> NDArray[np.int8]:
        """int8 (N, A): what the learner may do; a copy."""
        return self.batch.action_masks.copy()

    @exclusive
    def restart(self, lanes: NDArray[np.int64]) -> None:
        """Give up the games of these lanes: each begins its next one, up to the learner's first decision.

        Raises:
            RuntimeError: before ``reset``, or after an opponent failed.
        """
        self._need_ready("restart")
        if not lanes.size:
            return
        self.batch.abandon(lanes)
        self._lengths[lanes] = 0
        self._draw_seats(lanes)
        self._let_opponents_play(None)
        self.shaping.begin(self.batch, self.seats)

    def _need_ready(self, what: str) -> None:
        if not self._ready:
            raise RuntimeError(f"{what}: the learner is not to move in every lane; call reset() first")

    @exclusive
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
        """
        self._need_ready("step")
        result = self._nothing_yet()
        lanes = self._all if still is None else np.flatnonzero(~still)
        if self._illegal != "raise":
            self._play_legal(lanes, actions, result)
        elif lanes.size:
            self._play(lanes, actions, result, by_learner=True)
        self._let_opponents_play(result)
        paid = self.shaping.pay(self.batch, self.seats, result)
        result.rewards[:] += paid if still is None else np.where(still, 0.0, paid)
        return result._replace(observations=self.observations, masks=self.masks, seats=self.seats.copy())

    def _nothing_yet(self) -> SeatStep:
        number, players = self.num_games, self.game.players
        return SeatStep(
            observations=np.zeros((0, 0), np.uint8),
            masks=np.zeros((0, 0), np.int8),
            seats=np.zeros(0, np.int8),
            rewards=np.zeros(number, np.float32),
            over=np.zeros(number, np.bool_),
            truncated=np.zeros(number, np.bool_),
            illegal=np.zeros(number, np.bool_),
            final_observations=np.zeros((number, self.game.observation_size), np.uint8),
            final_seats=np.zeros(number, np.int8),
            final_scores=np.zeros((number, players), np.int64),
            final_returns=np.zeros((number, players), np.float32),
            lengths=np.zeros(number, np.int64),
        )

    def _play_legal(self, lanes: NDArray[np.int64], actions: ArrayLike, result: SeatStep) -> None:
        """End those of these games in which the action is not legal, play it in the others."""
        ids = np.asarray(actions)
        if ids.shape != (self.num_games,) or ids.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions: shape {ids.shape}, {ids.dtype}; allowed: {self.num_games} integer action ids"
            )
        named = (ids >= 0) & (ids < self.game.num_actions)
        legal = named & (self.batch.action_masks[self._all, np.where(named, ids, 0)] != 0)
        good, bad = lanes[legal[lanes]], lanes[~legal[lanes]]
        if bad.size:
            self._forfeit(bad, result)
        if good.size:
            self._play(good, ids[good], result, by_learner=True)

    def _forfeit(self, lanes: NDArray[np.int64], result: SeatStep) -> None:
        self._lengths[lanes] += 1
        for lane in lanes:
            result.final_scores[lane] = self.batch.position(lane).scores()
        seats = self.seats[lanes]
        result.final_observations[lanes] = self.batch.observations[lanes]
        if self.game.definition.utility == IDENTICAL:
            result.final_returns[lanes] = ILLEGAL_REWARD
        else:
            result.final_returns[lanes, seats] = ILLEGAL_REWARD
        result.illegal[lanes] = True
        self._end(lanes, result)
        self.batch.abandon(lanes)
        self._draw_seats(lanes)

    def _play(self, lanes: NDArray[np.int64], actions: ArrayLike, result: SeatStep | None, by_learner: bool) -> None:
        """One decision in each of these lanes."""
        rewards, over = self.batch.step(actions, lanes)
        if by_learner:
            self._lengths[lanes] += 1
        ended = np.flatnonzero(over)
        if not ended.size:
            return
        # A lane whose game ended earlier in this step has been paid; its new game ended without the learner.
        news = ended if result is None else ended[~result.over[ended]]
        if result is not None and news.size:
            result.final_scores[news] = self.batch.final_scores[news]
            result.final_returns[news] = rewards[news]
            result.truncated[news] = self.batch.truncated[news]
            for lane in news:
                seen = self.batch.final_position(lane).observation(int(self.seats[lane]))
                result.final_observations[lane] = seen
            self._end(news, result)
        self._lengths[ended] = 0
        self._draw_seats(ended)

    def _end(self, lanes: NDArray[np.int64], result: SeatStep) -> None:
        """What every kind of end has in common, before the seats are drawn anew."""
        seats = self.seats[lanes]
        result.over[lanes] = True
        result.final_seats[lanes] = seats
        result.rewards[lanes] = result.final_returns[lanes, seats]
        result.lengths[lanes] = self._lengths[lanes]
        self._lengths[lanes] = 0

    # ---------------------------------------------------------------------------------------------------- opponents

    def _let_opponents_play(self, result: SeatStep | None) -> None:
        """Until the learner is to move in every lane; ``result`` is None while nobody is paid."""
        self._ready = False
        if self._rule == ALL:
            self._draw_seats(self._all)
        while True:
            waiting = np.flatnonzero(self.batch.seats != self.seats)
            if not waiting.size:
                break
            self._play(waiting, self._answers(waiting), result, by_learner=False)
        self._ready = True

    def _answers(self, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The opponents' actions in these lanes: one call for each agent that is to move somewhere."""
        batch = self.batch
        if len(self.opponents) == 1:
            return self._ask(self.opponents[0], lanes)
        after_learner = (batch.seats[lanes] - self.seats[lanes] - 1) % self.game.players
        actions = np.zeros(len(lanes), np.int64)
        for number in np.unique(after_learner):
            rows = np.flatnonzero(after_learner == number)
            actions[rows] = self._ask(self.opponents[number], lanes[rows])
        return actions

    def _ask(self, agent: Agent, lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        batch = self.batch
        noise = batch.noise(batch.seed, lanes)
        actions = np.asarray(agent.act(batch.observations[lanes], batch.action_masks[lanes], noise))
        if actions.dtype.kind not in "iu" or actions.shape != lanes.shape:
            raise IllegalActionError(
                f"opponent {agent!r}: act() returned {actions.dtype} {actions.shape}; allowed: {len(lanes)} integers"
            )
        return actions


def _nobody(opponents: Any) -> tuple[Agent, ...]:
    """No opponents: the default stands for none, anything else would be ignored."""
    if isinstance(opponents, str) and opponents == RANDOM:
        return ()
    raise OptionError(
        f"opponents: {repr_short(opponents)}; allowed: the default, as learner_seat {ALL!r} leaves no seat"
    )


def _agents(opponents: Any, game: Game) -> tuple[Agent, ...]:
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return (make_agent(opponents, game),)
    if len(opponents) not in {1, game.players - 1}:
        raise OptionError(
            f"opponents: {len(opponents)} agents; allowed: 1 for all other seats, or {game.players - 1}, one per seat"
        )
    return tuple(make_agent(agent, game) for agent in opponents)
