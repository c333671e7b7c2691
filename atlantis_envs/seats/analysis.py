"""Analysis of one decision: what every legal action is worth, with intervals and with what is mere noise.

>>> import atlantis_envs
>>> found = atlantis_envs.analyse(position, agent="search", simulations=128)
>>> print(found.best.text, found.best.share, found.best.low, found.best.high)

In trials every legal action is played and the game simulated on, with the same luck for all of them. An agent that
simulates games itself (search) is asked for them; with any other one, games are played on to their end by that agent in
every seat. Row i is a function of the decision, as its seat knows it, and of random word i alone.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.arguments import checked_seed, integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import game_of
from atlantis_envs.engine.position import Position
from atlantis_envs.seats.agents import Agent, Capabilities, Positions, make_agent
from atlantis_envs.seats.positions import ask, check_resample, determinize

if TYPE_CHECKING:
    from atlantis_envs.engine.setup import Setup

USUAL = 128  # simulations of every action
MOST = 100_000
AT_ONCE = 0.1  # seconds of work between two looks at whether somebody wants it to stop
TOGETHER = 16  # games that an agent plays on at a time
ANALYSIS_PLY = 2**31 + 1  # whose random words are for analyses; no game has so many plies
FEWEST = 8  # rows, below which no difference is claimed
LEAST = 4  # rows, below which nothing is said about what was lost: two in each half
LEVEL = 0.05
WILSON, NORMAL = "wilson", "normal"
TWO_SIDED = NormalDist().inv_cdf(1 - LEVEL / 2)


@dataclass(frozen=True)
class Judged:
    """What was found out about one action; an entry of ``Analysis.actions``.

    >>> position = atlantis_envs.game("atlandice", players=3).batch(1, seed=2).position(0)
    >>> found = atlantis_envs.analyse(position, simulations=16, seed=0)
    >>> 0 <= found.best.low <= found.best.share <= found.best.high <= 1
    True

    Attributes:
        action: its id.
        text: its text.
        share: mean win share of the seat to decide, 0..1.
        low: lower end of the 95 % interval.
        high: upper end.
        interval: "wilson" where every simulation was won, lost or tied in halves; "normal" (mean and standard error)
            where shares lie between.
        simulations: how many there were of this action.
        rank: 1 for what the agent's rule of thumb likes best; None: it was not asked.
        level: not worse than the best one beyond noise: the 95 % interval of the paired difference to it holds 0.
    """

    action: int
    text: str
    share: float
    low: float
    high: float
    interval: str
    simulations: int
    rank: int | None
    level: bool


@dataclass(frozen=True)
class Loss:
    """What an action gave away; made by ``Analysis.loss``.

    >>> position = atlantis_envs.game("atlandice", players=3).batch(1, seed=2).position(0)
    >>> found = atlantis_envs.analyse(position, simulations=64, seed=0)
    >>> loss = found.loss(found.actions[-1].action)
    >>> loss.error > 0
    True

    Attributes:
        share: win share lost against the best action, which is picked with one half of the simulations and compared in
            the other, both ways: its mean is not above the true loss, whatever the noise. May be below 0. NaN where
            there were too few simulations to say anything (``Analysis.least``): not known, and not nothing.
        error: its standard error; NaN with it.
        sure: the action is worse than the best one beyond noise.
    """

    share: float
    error: float
    sure: bool


@dataclass(frozen=True, eq=False)
class Analysis:
    """What every legal action of a decision is worth; made by ``analyse``.

    >>> position = atlantis_envs.game("atlandice", players=3).batch(1, seed=2).position(0)
    >>> found = atlantis_envs.analyse(position, simulations=16, seed=0)
    >>> found.seat == position.seat, found.simulations
    (True, 16)
    >>> found.samples.shape[1] == len(found.actions)
    True

    Attributes:
        seat: who is to decide.
        agent: who simulated the games.
        seed: of their luck.
        wanted: simulations of every action that were asked for.
        actions: the legal ones, best first.
        samples: float64 (rows, legal actions in id order), win shares; one row is one luck, so rows pair actions.
    """

    seat: int
    agent: str
    seed: int
    wanted: int
    actions: tuple[Judged, ...]
    samples: NDArray[np.float64] = field(repr=False)

    @property
    def best(self) -> Judged:
        """Return the action with the highest win share; the lowest id among equals."""
        return self.actions[0]

    @property
    def simulations(self) -> int:
        """Return the simulations of every action, so far."""
        return self.best.simulations

    @property
    def complete(self) -> bool:
        """Return whether that is all that was asked for."""
        return self.simulations >= self.wanted

    @property
    def least(self) -> int:
        """Return simulations of every action, below which ``loss`` says nothing."""
        return (LEAST - 1) * (self.simulations // len(self.samples)) + 1

    @property
    def difference(self) -> bool:
        """Return whether some action is worse than the best one beyond noise."""
        return not all(judged.level for judged in self.actions)

    def of(self, action: int | str) -> Judged:
        """Return what was found out about an action, by id or text.

        Raises:
            ValueError: it is not legal there.
        """
        for judged in self.actions:
            if action in (judged.text, judged.action):
                return judged
        allowed = ", ".join(judged.text for judged in self.actions)
        raise ValueError(f"action: {repr_short(action)}; allowed: {allowed}")

    def loss(self, action: int | str) -> Loss:
        """Return what an action gave away; NaN below ``least`` simulations, but for an action that is the only one.

        Raises:
            ValueError: it is not legal there.
        """
        judged = self.of(action)
        ids = sorted(each.action for each in self.actions)
        own = self.samples[:, ids.index(judged.action)]
        halves = [np.arange(len(own)) % 2 == half for half in (0, 1)]
        if len(ids) < 2:
            return Loss(0.0, 0.0, False)
        if len(own) < LEAST:
            return Loss(math.nan, math.nan, False)
        lost = np.concatenate(
            [
                self.samples[there, int(np.argmax(self.samples[here].mean(axis=0)))] - own[there]
                for here, there in (halves, halves[::-1])
            ]
        )
        return Loss(float(lost.mean()), float(lost.std(ddof=1)) / math.sqrt(len(lost)), not judged.level)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the actions, best first, with their intervals."""
        from atlantis_envs.drawing.notebook import interval, table

        rows = [
            (
                judged.text,
                f"{judged.share:.1%}",
                interval(judged.share, judged.low, judged.high),
                f"{judged.low:.1%} to {judged.high:.1%}",
                "best, or not worse beyond noise" if judged.level else "",
            )
            for judged in self.actions
        ]
        caption = f"Win shares of seat {self.seat}: {self.agent}, {self.simulations} simulations of every move"
        return table(caption, ("move", "share", "0 to 1", "95 % interval", ""), rows)


def analyse(
    position: Position,
    agent: str | Agent = "search",
    simulations: int | None = None,
    seed: int = 0,
    seat: int | None = None,
) -> Analysis:
    """Say what every legal action of a decision is worth.

    >>> position = atlantis_envs.game("atlandice", players=3).batch(1, seed=2).position(0)
    >>> found = atlantis_envs.analyse(position, simulations=16, seed=0)
    >>> sorted(action.text for action in found.actions) == sorted(position.legal_actions())
    True

    Args:
        position: a decision node; what the seat to decide cannot know is redrawn, so it does not count.
        agent: who simulates how games go on: search, or any other agent, which then plays every seat to the end.
        simulations: of every action, 1..100,000; None: as many as the agent's name says for a decision
            (``search:256``), or 128. Where rollouts come in two kinds, an odd number is rounded up.
        seed: 0..2**64-1, of all luck: the same seed gives the same numbers.
        seat: who is to decide, if you want to be sure; None: whoever it is.

    Raises:
        ValueError: nobody decides there, another seat does, or no such number.
        OptionError: no such agent, or the game does not say what a seat cannot know.
    """
    found = None
    for found in analysing(position, agent, simulations, seed, seat):  # noqa: B007  the last one is the answer
        pass
    assert found is not None, "nobody has stopped it"
    return found


def analysing(
    position: Position,
    agent: str | Agent = "search",
    simulations: int | None = None,
    seed: int = 0,
    seat: int | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Analysis]:
    """Return the same, yielding what is known as it grows; the last one is what ``analyse`` returns.

    The position is copied at once, so it may move on. Set ``stop``, from any thread, to end the work within half a
    second; nothing more is yielded then.

    Raises:
        ValueError, OptionError: as ``analyse``, at the call.
    """
    mover = position.seat
    if mover is None:
        raise ValueError(f"analyse: the node is {position.node!r}; allowed: only where a seat decides")
    if seat not in (None, mover):
        raise ValueError(f"seat: {repr_short(seat)}; allowed: {mover}, who is to decide, or None")
    game = game_of(position.game)
    check_resample(game)
    key = checked_seed(seed)
    judge = make_agent(agent, game)
    analyst = Capabilities(judge).analyst
    usual = (0 if analyst is None else analyst.budget) or USUAL
    number = usual if simulations is None else integer("simulations", simulations, 1, MOST)
    random_words = np.zeros(number, np.uint64)  # one for every row: a function of seed and row
    plies = np.full(number, ANALYSIS_PLY)
    position.game.loops.noise(np.full(number, key, np.uint64), np.arange(number), plies, random_words)
    called = agent if isinstance(agent, str) else type(agent).__name__
    known = determinize_position(position, mover, random_words[0])
    return _grow(
        Analysis(mover, called, key, number, (), np.zeros((0, 0))),
        judge,
        known,
        random_words,
        stop or threading.Event(),
    )


def _grow(
    asked: Analysis, judge: Agent, known: Positions, random_words: NDArray[np.uint64], stop: threading.Event
) -> Iterator[Analysis]:
    """Yield analyses of more and more rows, until there are as many simulations as were asked for."""
    legal = np.flatnonzero(known.masks[0])
    rows = np.zeros((0, len(legal)))
    each, size = 1, 1
    analyst = Capabilities(judge).analyst
    while len(rows) * each < asked.wanted and not stop.is_set():
        began = time.perf_counter()
        scores = None
        if analyst is not None:
            left = -(-asked.wanted // each) - len(rows)
            part = random_words[len(rows) : len(rows) + min(size, left)]
            shares, each, scores = analyst.try_all(repeated(known, len(part)), part)
        else:
            part = random_words[len(rows) : len(rows) + TOGETHER]
            found = played_on(judge, known, part, stop)
            if found is None:
                return
            shares = found
        rows = np.ascontiguousarray(np.concatenate([rows, shares[:, legal]]))  # sums depend on the order in memory
        taken = max(1e-6, time.perf_counter() - began) / len(part)
        size = max(1, min(4 * size, int(AT_ONCE / taken)))
        yield _judged(asked, known, legal, rows, each, scores)


def _judged(
    asked: Analysis,
    known: Positions,
    legal: NDArray[Any],
    rows: NDArray[np.float64],
    each: int,
    scores: NDArray[np.float64] | None,
) -> Analysis:
    """Make an analysis of rows."""
    means = rows.mean(axis=0)
    best = int(np.argmax(means))
    level = _level(rows, best)
    made = []
    for column in np.argsort(-means, kind="stable"):
        action = int(legal[column])
        low, high, interval = _interval(rows[:, column], each)
        rank = None if scores is None else 1 + int((scores[legal] > scores[action]).sum())
        text = known.game.actions[action]
        share = float(means[column])
        made.append(Judged(action, text, share, low, high, interval, len(rows) * each, rank, bool(level[column])))
    return Analysis(asked.seat, asked.agent, asked.seed, asked.wanted, tuple(made), rows)


def _level(rows: NDArray[np.float64], best: int) -> NDArray[np.bool_]:
    """Return which columns are not worse than the best one beyond noise.

    Paired differences; 95 % for all comparisons of the decision together (Bonferroni), since the best one was picked.
    """
    number, columns = rows.shape
    if number < FEWEST:
        return np.ones(columns, np.bool_)
    gaps = rows[:, best, None] - rows
    errors = gaps.std(axis=0, ddof=1) / math.sqrt(number)
    z = NormalDist().inv_cdf(1 - LEVEL / 2 / max(1, columns - 1))
    return np.asarray(gaps.mean(axis=0) <= z * errors)


def _interval(shares: NDArray[np.float64], each: int) -> tuple[float, float, str]:
    """Return a 95 % interval and how it was made.

    Wilson (1927) for wins and losses; with ties in halves the variance is at most that of wins, so it errs on the wide
    side.
    """
    number, mean = len(shares) * each, float(shares.mean())
    if (shares * 2 % 1 == 0).all():
        z = TWO_SIDED
        centre = (mean + z * z / (2 * number)) / (1 + z * z / number)
        half = z / (1 + z * z / number) * math.sqrt(mean * (1 - mean) / number + z * z / (4 * number * number))
        return max(0.0, min(mean, centre - half)), min(1.0, max(mean, centre + half)), WILSON
    if len(shares) < 2:
        return 0.0, 1.0, NORMAL
    half = TWO_SIDED * float(shares.std(ddof=1)) / math.sqrt(len(shares))
    return max(0.0, mean - half), min(1.0, mean + half), NORMAL


# ------------------------------------------------------------------------------------------------------ trials


def determinize_position(position: Position, seat: int, word: np.uint64) -> Positions:
    """Return the decision as its seat may know it, what it cannot know redrawn: one row.

    Raises:
        OptionError: the game does not say what a seat cannot know.
    """
    observations, masks = position.observation(seat)[None], position.action_mask(seat)[None]
    return determinize(
        position.game, position.state, np.array([seat]), observations, masks, np.array([word], np.uint64)
    )


def repeated(known: Positions, count: int) -> Positions:
    """Return the same row ``count`` times."""
    rows = np.zeros(count, np.int64)
    states = np.array(known.states)[rows].view(np.recarray)
    return Positions(known.game, states, known.seats[rows], known.observations[rows], known.masks[rows])


def played_on(
    agent: Agent, known: Positions, random_words: NDArray[np.uint64], stop: threading.Event
) -> NDArray[np.float64] | None:
    """Let an agent play on in every seat, to the end; return float64 (N, A), or None once ``stop`` is set.

    Args:
        agent: any agent.
        known: one decision.
        random_words: uint64 (N,); what the seat cannot know is drawn anew for every word, the first is the luck of all.
        stop: set by whoever does not want to know any more.
    """
    game, seat = known.game, int(known.seats[0])
    legal = np.flatnonzero(known.masks[0])
    many = repeated(known, len(random_words))
    drawn = determinize(game, many.states, many.seats, many.observations, many.masks, random_words)
    start = Batch(game, len(random_words), int(random_words[0]))
    start.load([Position(game, drawn.states[row : row + 1]) for row in range(len(random_words))])
    batch = _side_by_side(start, len(legal))
    seed = batch.seed
    ended = _to_the_end(
        batch,
        np.repeat(legal, len(random_words)),
        lambda lanes: ask(agent, batch, lanes, batch.noise(seed, lanes)),
        stop,
    )
    if ended is None:
        return None
    shares = np.full((len(random_words), game.num_actions), np.nan)
    shares[:, legal] = _win_shares(game, ended[:, seat]).reshape(len(legal), len(random_words)).T
    return shares


def standing(position: Position, agent: Agent, seat: int | None, games: int, seed: int = 0) -> NDArray[np.float64]:
    """Return the share of wins of every seat, 0..1, float64 (P,), of games that an agent plays on in all of them.

    Args:
        position: a decision.
        agent: any agent.
        seat: whose knowledge counts: what it cannot know is redrawn for every game; None: everything is known.
        games: how many.
        seed: of redrawing and luck.
    """
    batch = Batch(position.game, games, seed)
    batch.load([position.clone() if seat is None else position.resample(seat, seed + n) for n in range(games)])

    def play(lanes: NDArray[np.int64]) -> NDArray[np.int64]:
        return ask(agent, batch, lanes, batch.noise(seed, lanes))

    ended = _to_the_end(batch, play(np.arange(games)), play, threading.Event())
    assert ended is not None, "nobody stops it"
    shares: NDArray[np.float64] = _win_shares(position.game, ended).mean(axis=0)
    return shares


def _side_by_side(batch: Batch, times: int) -> Batch:
    """Return copies of all lanes one after the other: the same positions, games and luck."""
    arrays = {name: np.concatenate([array] * times) for name, array in batch.to_arrays().items()}
    wide = Batch(batch.game, batch.num_games * times, batch.seed)
    wide.from_arrays(arrays, batch.seed)
    return wide


def _to_the_end(
    batch: Batch,
    first: NDArray[np.int64],
    play: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    stop: threading.Event,
) -> NDArray[np.float64] | None:
    """Play to the end; the returns of all lanes, float64 (N, P). ``first`` is played before anybody is asked."""
    returns = np.zeros((len(batch), batch.game.players))
    live, actions = np.arange(len(batch)), first
    while len(live):
        if stop.is_set():
            return None
        rewards, over = batch.step(actions, live)
        ended = live[over[live]]
        returns[ended] = rewards[ended]
        live = live[~over[live]]
        actions = play(live) if len(live) else actions
    return returns


def _win_shares(game: Setup, returns: NDArray[np.float64]) -> Any:
    """Compute win shares from returns: equal returns of everybody are a tie. Rewards of a batch are float32."""
    if game.cooperative:
        return np.round(0.5 + 0.5 * returns, 6)
    return np.round((1.0 + (game.players - 1) * returns) / game.players, 6)
