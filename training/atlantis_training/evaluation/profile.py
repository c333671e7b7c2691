"""Profile of a game, with one agent in every seat: choices, length, changes of lead, comebacks, what decisions matter.

Every decision of a game is looked at: copies of the position are played on by the agent, once after its own move and
once, with the same luck, after a random one. Where the lowest or the highest of several estimates is asked for, one
half of the copies picks the place and the other half says how high it is there, so that noise is not taken for drama.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.positions import ask, determinize
from atlantis_training.evaluation import report
from atlantis_training.evaluation.calibration import Said
from atlantis_training.evaluation.measure import (
    LineUp,
    Measured,
    Progress,
    identity,
    measure,
    open_store,
    tried_agents,
)
from atlantis_training.evaluation.review import copies_of, play_on
from atlantis_training.evaluation.seats import game_rows
from atlantis_training.evaluation.statistics import Mean, block_means
from atlantis_training.evaluation.store import Part, Store
from atlantis_training.evaluation.workers import Work, Workers, default_workers, work_through

GAMES, PLAYOUTS = 200, 16
FEWEST = 10
STEP = 4  # games of a task
TENTHS = 10  # of a game, in the figure
LOW = 0.1  # win share that a comeback begins below
VALUER = "search:16"  # of an agent that says no values itself: what its leaf says
Decisions = NDArray[Any]  # one record each, of ``decision_dtype``


def decision_dtype(players: int, columns: int) -> np.dtype[Any]:
    """Return the dtype of a decision; ``columns`` is 1 where all win together.

    Fields: ``number`` of the game, ``ply``, ``seat``, ``options``; ``scores`` then; win shares after the agent's own
    move as two halves of the copies have them, ``one`` and ``other``, and after a random move, ``random``; ``cost`` and
    ``moved``: how much lower the final scores are after a random move, and by how much they differ. Where there is no
    choice the last five are NaN. ``value``: the share that was said.
    """
    wins, points = (columns,), (players,)
    return np.dtype([
        ("number", "i8"), ("ply", "i4"), ("seat", "i1"), ("options", "i4"), ("scores", "i8", points),
        ("one", "f8", wins), ("other", "f8", wins), ("random", "f8", wins), ("cost", "f8", points),
        ("moved", "f8", points), ("value", "f8", wins),
    ])  # fmt: skip


@dataclass(frozen=True)
class Question:
    """What tasks have in common.

    Attributes:
        game: the game.
        agent: in every seat.
        valuer: says values.
        seed: of chance and agents.
        playouts: copies of every decision that is looked at.
        every: one of so many decisions is looked at.
    """

    game: Game
    agent: str
    valuer: str
    seed: int
    playouts: int
    every: int

    @property
    def line_up(self) -> LineUp:
        """Return the line-up."""
        return (self.agent,) * self.game.players

    def identities(self) -> list[Part]:
        """Return what a store calls the games, and what it calls their decisions."""
        games = identity(self.game, self.line_up, self.seed)
        return [games, {**games, "playouts": self.playouts, "every": self.every, "value": self.valuer}]

    def begin(self) -> Callable[[range], Decisions]:
        """Find the agents and return what looks at the games of a task."""
        found = tried_agents(self.game, [self.agent, self.valuer])
        agent, valuer = found[self.agent], found[self.valuer]
        return lambda task: np.concatenate([look_at(self, agent, valuer, number) for number in task])


@dataclass(frozen=True)
class Profile:
    """What a game is like; made by ``profile``.

    >>> from atlantis_training.evaluation.profile import profile
    >>> game = atlantis_envs.game("atlandice", players=2)
    >>> found = profile(game, "random", games=10, playouts=2, every=500, value="search:2")
    >>> found.agent, found.valuer
    ('random', 'search:2')

    Attributes:
        measured: the games.
        decisions: of these games, in their order.
        question: what was asked.
        figures: what came out, by FIGURES, those that the game has; intervals over games.
        by_tenth: of every tenth of a game: options where there is a choice, and the share that a random move costs.
    """

    measured: Measured
    decisions: Decisions = field(repr=False)
    question: Question
    figures: Mapping[str, Mean]
    by_tenth: tuple[tuple[Mean, Mean], ...]

    @property
    def agent(self) -> str:
        """Return the agent in every seat."""
        return self.question.agent

    @property
    def valuer(self) -> str:
        """Return who said values."""
        return self.question.valuer

    @property
    def said(self) -> Said:
        """Return what was said of decisions, by the playouts and by the value, and what came of them."""
        rows = self.decisions[~np.isnan(self.decisions["one"][:, 0])]
        wins = _wins(self.measured)
        got = wins[np.searchsorted(self.measured.results[0].numbers, rows["number"])]
        return Said(rows["number"], {"playouts": (rows["one"] + rows["other"]) / 2, self.valuer: rows["value"]}, got)

    def report(self) -> report.Report:
        """Return it as a report, with raw games."""
        measured, game, said = self.measured, self.measured.game, self.said
        scores = [
            (report.markdown(name), *(f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
                                      for one in (said.brier(name), said.gain(name, "playouts"))))
            for name in said.values
        ]  # fmt: skip
        return report.Report(
            "profile",
            (
                f"# {game.definition.title}, {report.seats_text(game.players)}: profile",
                f"{report.markdown(self.agent)} in every seat, {measured.games:,} games, seed {measured.seed}. From "
                f"{_which(self.question.every)} with a choice {self.question.playouts} copies are played on after the "
                "agent's own move, and as many, with the same luck, after a random move. 95 % intervals, by a "
                "bootstrap over games.",
                report.Table(
                    ("figure", "mean", "that is"),
                    [(name, f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]", FIGURES[name])
                     for name, one in self.figures.items()],
                ),
                "Half of the copies picks who is ahead and where a share is lowest; the other half measures it.",
                report.Figure("options, importance and calibration", partial(draw_profile, self)),
                "## Calibration",
                "Brier score: mean squared difference between the share that was said and the one that was got. "
                "Playouts take the true position, the value what the seat to decide knows.",
                report.Table(("who says it", "Brier score", "lower than playouts by"), scores),
                report.cautions(int(measured.results[0].truncated.sum()), measured.games, measured.games),
            ),
            partial(profile_json, self),
            partial(profile_arrays, self),
        )  # fmt: skip

    def _repr_markdown_(self) -> str:
        return self.report()._repr_markdown_()


def _wins(measured: Measured) -> NDArray[np.float64]:
    results = measured.results[0]
    return results.won[:, :1] if measured.game.cooperative else results.win_shares


# ----------------------------------------------------------------------------------------------------- looking at games


def look_at(question: Question, agent: Agent, valuer: Any, number: int) -> Decisions:
    """Play a game of a seed again and look at its decisions; the same wherever and beside whatever it is done."""
    game, seed, playouts = question.game, question.seed, question.playouts
    batch, lane = game.batch(1, seed), np.arange(1)
    batch.reset(games=np.array([number]))
    own = np.random.SeedSequence([seed, number])
    generator, key = np.random.default_rng(own), int(own.generate_state(1, np.uint64)[0] >> 1)
    columns = 1 if game.cooperative else game.players
    rows, positions, moves, others = [], [], [], []
    while True:
        action = ask(agent, batch, lane, batch.noise(seed, lane))
        legal = np.flatnonzero(batch.action_masks[0])
        row = np.zeros((), decision_dtype(game.players, columns))
        row["number"], row["ply"], row["seat"], row["options"] = number, batch.plies[0], batch.seats[0], len(legal)
        row["scores"] = batch.position(0).scores()
        for name in ("one", "other", "random", "cost", "moved", "value"):
            row[name] = math.nan
        rows.append(row)
        if len(legal) > 1 and (number + len(rows)) % question.every == 0:
            seen = batch.states, batch.seats, batch.observations, batch.action_masks
            row["value"] = valuer.position_values(determinize(game, *seen, batch.noise(seed, lane)))[0, :columns]
            positions.append(batch.position(0))
            moves.append(action.repeat(playouts))
            others.append(generator.choice(legal, playouts))
        _, over = batch.step(action)
        if over[0]:
            break
    decisions = np.array(rows)
    if positions:
        _play_copies(decisions, copies_of(positions, playouts, key), agent, key, np.array(moves), np.array(others))
    return decisions


def _play_copies(
    decisions: Decisions, batch: Any, agent: Agent, seed: int, moves: NDArray[np.int64], others: NDArray[np.int64]
) -> None:
    """Fill in what copies of the decisions with a choice came to, (decisions, playouts) of them."""
    lanes, twin = np.arange(len(batch)), batch.clone()
    own, other = (
        [found.reshape(*moves.shape, -1) for found in play_on(each, agent, seed, lanes, first.ravel())]
        for each, first in ((batch, moves), (twin, others))
    )
    rows, half = ~np.isnan(decisions["value"][:, 0]), moves.shape[1] // 2
    decisions["one"][rows], decisions["other"][rows] = own[0][:, :half].mean(axis=1), own[0][:, half:].mean(axis=1)
    decisions["random"][rows] = other[0].mean(axis=1)
    decisions["cost"][rows], decisions["moved"][rows] = (
        (own[1] - other[1]).mean(axis=1),
        np.abs(own[1] - other[1]).mean(axis=1),
    )


def _begin(question: Question) -> Callable[[range], Decisions]:
    return question.begin()


def _part(first: int, decisions: Decisions) -> Part:
    """Return decisions as a part of a store, which knows no NaN."""
    columns = {name: np.nan_to_num(decisions[name], nan=-1e9).tolist() for name in decisions.dtype.names or ()}
    return {"first": first, **columns}


def _decisions_of(part: Part, players: int, columns: int) -> Decisions:
    """Read the decisions of a part.

    Raises:
        OptionError: a column is missing or is not what it should be.
    """
    try:
        found = np.zeros(len(part["number"]), decision_dtype(players, columns))
        for name in found.dtype.names or ():
            values = np.array(part[name])
            if values.shape != found[name].shape or values.dtype.kind not in "if":
                raise ValueError(f"{name}: of shape {values.shape}; allowed: {found[name].shape}")
            found[name] = np.where(values == -1e9, math.nan, values) if found[name].dtype.kind == "f" else values
        return found
    except (KeyError, ValueError, TypeError) as error:
        raise OptionError(f"decisions from game {part['first']}: {error}; allowed: what a run wrote") from None


def _look(question: Question, games: range, workers: Workers, progress: Progress | None, store: Store,
          ends: float) -> Decisions:  # fmt: skip
    """Look at games that the store does not have, until the time is over; return all decisions, in order."""
    columns, what = 1 if question.game.cooperative else question.game.players, question.identities()[1]
    found = [_decisions_of(part, question.game.players, columns) for part in store.of(what)]
    have = {int(number) for part in found for number in np.unique(part["number"])}
    tasks = [
        range(missing[0], missing[-1] + 1)
        for start in games[::STEP]
        if (missing := [number for number in games[start : start + STEP] if number not in have])
    ]
    if progress:
        progress(len(have))

    def take(index: int, decisions: Decisions) -> bool:
        store.add(what, _part(tasks[index].start, decisions))
        found.append(decisions)
        if progress:
            progress(len(tasks[index]))
        return time.monotonic() > ends

    if tasks and time.monotonic() < ends:
        texts = ((question.game, question.agent), (question.game, question.valuer))
        work = Work(question.begin(), _begin, (question,), texts)
        work_through(work, tasks, workers or default_workers(len(games) * question.playouts), take)
    every = np.concatenate([np.zeros(0, decision_dtype(question.game.players, columns)), *found])
    return every[np.lexsort((every["ply"], every["number"]))]


# -------------------------------------------------------------------------------------------------------------- figures

FIGURES = {
    "decisions": "decisions of a game",
    "forced": "share of decisions with a single option",
    "options": "options of a decision with a choice",
    "ties": "share of games with several winners",
    "margin": "final score of the winner less the next one's",
    "lead changes": "how often somebody else alone has the highest score",
    "drama": "mean win share by which the later winner lags behind whoever is ahead",
    "lowest": "win share of the later winner where it is lowest",
    "comebacks": f"share of winners that once were below {LOW:.0%}",
    "importance": "win share that a random move costs, at a decision with a choice",
    "own cost": "points that a random move costs whoever makes it",
    "others' cost": "points that it costs each other seat; below 0, it gains them",
    "interaction": "by how many points it moves the final score of another seat, over what it moves the own one",
}


def lead_changes(scores: NDArray[np.int64]) -> int:
    """Return how often another seat alone has the highest score, (plies, P)."""
    alone = (scores == scores.max(axis=1, keepdims=True)).sum(axis=1) == 1
    leaders = scores.argmax(axis=1)[alone]
    return int((leaders[1:] != leaders[:-1]).sum())


def lag(one: NDArray[np.float64], other: NDArray[np.float64], winner: int) -> tuple[float, float]:
    """Return how far a winner lags behind on average, and its share where it is lowest, (decisions, P) each."""
    leaders, lowest = one.argmax(axis=1), int(one[:, winner].argmin())
    behind = other[np.arange(len(other)), leaders] - other[:, winner]
    return float(behind.mean()), float(other[lowest, winner])


def game_figures(decisions: Decisions, wins: NDArray[np.float64], scores: NDArray[np.int64]) -> list[float]:
    """Return the figures of a game in the order of FIGURES; NaN where it has none, float.

    Args:
        decisions: of the game.
        wins: float64 (P,), or (1,) where all win together.
        scores: int64 (P,), at the end.
    """
    options, players = decisions["options"][decisions["options"] > 1], len(scores)
    choices, forced = decisions[~np.isnan(decisions["one"][:, 0])], 1 - len(options) / len(decisions)
    found = dict.fromkeys(FIGURES, math.nan) | {"decisions": float(len(decisions)), "forced": forced}
    if len(options):
        found["options"] = float(options.mean())
    if len(choices):
        movers, rows = choices["seat"].astype(np.int64), np.arange(len(choices))
        own = movers if len(wins) == players else np.zeros_like(movers)
        shares = (choices["one"] + choices["other"]) / 2
        found["importance"] = float((shares - choices["random"])[rows, own].mean())
    if len(wins) < players or players == 1:
        return list(found.values())
    found["ties"] = float((wins > 0).sum() > 1)
    found["lead changes"] = lead_changes(np.vstack([decisions["scores"], scores[None]]))
    found["margin"] = float(np.sort(scores)[-1] - np.sort(scores)[-2])
    if len(choices):
        if wins.max() == 1:
            found["drama"], found["lowest"] = lag(choices["one"], choices["other"], int(wins.argmax()))
            found["comebacks"] = float(found["lowest"] < LOW)
        cost, moved = choices["cost"].mean(axis=0), choices["moved"]
        found["own cost"] = float(choices["cost"][rows, own].mean())
        found["others' cost"] = float((cost.sum() - found["own cost"]) / (players - 1))
        mine = float(moved[rows, own].mean())
        found["interaction"] = float((moved.sum(axis=1).mean() - mine) / (players - 1) / mine) if mine else math.nan
    return list(found.values())


def _means(values: NDArray[np.float64], seed: int) -> Mean:
    """Return the mean over the games that have a value, with its bootstrap interval."""
    return block_means(values[~np.isnan(values)][:, None], seed)[0]


def _by_tenth(decisions: Decisions, numbers: NDArray[np.int64], seed: int) -> tuple[tuple[Mean, Mean], ...]:
    """Return options and importance by tenths of a game, which are by its plies."""
    plies = np.array([decisions["ply"][decisions["number"] == number].max() + 1 for number in numbers])
    games = np.searchsorted(numbers, decisions["number"])
    tenths = decisions["ply"] * TENTHS // plies[games]
    rows, columns = np.arange(len(decisions)), decisions["one"].shape[1]
    own = decisions["seat"].astype(np.int64) if columns > 1 else np.zeros(len(rows), np.int64)
    costs = ((decisions["one"] + decisions["other"]) / 2 - decisions["random"])[rows, own]
    options = np.where(decisions["options"] > 1, decisions["options"], math.nan)
    found = []
    for tenth in range(TENTHS):
        means = []
        for values in (options, costs):
            some = (tenths == tenth) & ~np.isnan(values)
            counts = np.bincount(games[some], minlength=len(numbers))
            sums = np.bincount(games[some], values[some], len(numbers))
            means.append(_means(np.divide(sums, counts, out=np.full(len(numbers), math.nan), where=counts > 0), seed))
        found.append((means[0], means[1]))
    return tuple(found)


# -------------------------------------------------------------------------------------------------------------- profile


def question_of(
    game: Game, agent: str, playouts: int = PLAYOUTS, every: int = 1, seed: int = 0, value: str | None = None
) -> Question:
    """Return what is asked.

    Args:
        game: any game.
        agent: in every seat.
        playouts: copies of every decision that is looked at, an even number.
        every: one of so many decisions is looked at.
        seed: of chance and agents.
        value: an agent that says values of positions; None: the agent itself if it does, else VALUER.

    Raises:
        OptionError: no such agent, or it says no values; too few playouts.
    """
    if playouts < 2 or playouts % 2:
        raise OptionError(f"playouts: {repr_short(playouts)}; allowed: even numbers from 2")
    if every < 1:
        raise OptionError(f"every: {repr_short(every)}; allowed: 1 or more")
    (found,) = tried_agents(game, [agent]).values()
    valuer = value or (agent if hasattr(found, "position_values") else VALUER)
    (said,) = tried_agents(game, [valuer]).values()
    if not hasattr(said, "position_values"):
        raise OptionError(f"value: {repr_short(valuer)}; allowed: agents that say what positions are worth ({VALUER})")
    return Question(game, agent, valuer, seed, playouts, every)


def open_games(path: Path, question: Question, resume: bool) -> Store:
    """Return the store of a run; see measure.open_store."""
    return open_store(path, question.identities(), resume)


def profile(
    game: Game,
    agent: str,
    games: int = GAMES,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    *,
    playouts: int = PLAYOUTS,
    every: int = 1,
    value: str | None = None,
    minutes: float | None = None,
    store: Store | None = None,
) -> Profile:
    """Measure what a game is like with an agent in every seat: choices, length, leads, what decisions matter.

    >>> from atlantis_training.evaluation.profile import profile
    >>> game = atlantis_envs.game("atlandice", players=2)
    >>> found = profile(game, "random", games=10, playouts=2, every=500, value="search:2")
    >>> 0 < found.figures["forced"].value < 1
    True

    Args:
        game: any game.
        agent: its text.
        games: 10 or more.
        seed: of chance and agents, 0..2**64-1.
        workers: processes, or a cluster; the result does not depend on it. None: a sensible number.
        progress: called with the number of games examined since the last call.
        playouts: copies of every decision with a choice that are played on, twice.
        every: examine one of so many decisions.
        value: an agent that values positions; None: the agent itself if it does, else "search:16".
        minutes: when to stop; None: when all games are examined.
        store: keeps finished games and decisions; None keeps nothing.

    Raises:
        OptionError: an argument is not allowed, an agent does not fit, or ``value`` names one that values no positions.
        KeyboardInterrupt: it was stopped before 10 games were examined.
    """
    ends = math.inf if minutes is None else time.monotonic() + 60 * minutes
    if games < FEWEST:
        raise OptionError(f"games: {repr_short(games)}; allowed: {FEWEST} or more")
    question, kept = question_of(game, agent, playouts, every, seed, value), store or Store()
    measured = measure(game, [question.line_up], games, seed, workers, store=kept).whole()
    decisions = _look(question, range(measured.games), workers, progress, kept, ends)
    numbers = np.unique(decisions["number"])
    count = int((numbers == np.arange(len(numbers))).sum())
    if count < FEWEST:
        raise KeyboardInterrupt
    measured, decisions, numbers = measured.first(count), decisions[decisions["number"] < count], numbers[:count]
    results, wins = measured.results[0], _wins(measured)
    values = np.array([
        game_figures(decisions[decisions["number"] == number], wins[number], results.scores[number])
        for number in numbers
    ])  # fmt: skip
    figures = {
        name: _means(column, seed) for name, column in zip(FIGURES, values.T, strict=True) if not np.isnan(column).all()
    }
    return Profile(measured, decisions, question, figures, _by_tenth(decisions, numbers, seed))


# --------------------------------------------------------------------------------------------------------------- report


def _which(every: int) -> str:
    return "every decision" if every == 1 else f"one of {every} decisions"


def profile_json(found: Profile) -> dict[str, Any]:
    """Return it as plain values, the same whatever the number of processes."""
    said = found.said
    return {
        "format": "atlantis-envs profile 1",
        **report.provenance(found.measured.game, [found.agent, found.valuer], found.measured.seed),
        "games": found.measured.games,
        "playouts": found.question.playouts,
        "every": found.question.every,
        "figures": {name: asdict(one) for name, one in found.figures.items()},
        "by_tenth": [{"options": _plain(one), "importance": _plain(other)} for one, other in found.by_tenth],
        "calibration": {
            name: {"brier": asdict(said.brier(name)), "reliability": said.reliability(name)} for name in said.values
        },
    }


def _plain(one: Mean) -> dict[str, float] | None:
    return None if math.isnan(one.value) else asdict(one)


def profile_arrays(found: Profile) -> dict[str, NDArray[Any]]:
    """Return the games as arrays: ``games``, as ``seats`` has them, ``agents``, and ``decisions``, a record each."""
    games = game_rows(found.measured.results[0], found.measured.game.players)
    return {"games": games, "agents": np.array([found.agent]), "decisions": found.decisions}


def draw_profile(found: Profile, paths: Sequence[Path]) -> None:
    """Draw options and importance over a game, and what came of what was said."""
    with report.figure(*paths, size=(8.6, 2.7), panels=3) as (_, axes):
        where = [100 * (tenth + 0.5) / TENTHS for tenth in range(TENTHS)]
        texts = ("options where there is a choice", "win share that a random move costs")
        for number, (axis, text) in enumerate(zip(axes, texts, strict=False)):
            means = [pair[number] for pair in found.by_tenth]
            ends = [[one.value - one.low for one in means], [one.high - one.value for one in means]]
            axis.errorbar(where, [one.value for one in means], yerr=ends, **report.look(number))
            axis.set(xlabel="part of the game, per cent", ylabel=text, xlim=(0, 100))
        axes[0].set_ylim(bottom=0)
        axes[1].axhline(0, color="0.4", linewidth=0.8, zorder=0)
        axes[2].plot([0, 1], [0, 1], color="0.4", linewidth=0.8, linestyle="--", zorder=0)
        for number, name in enumerate(found.said.values):
            points = found.said.reliability(name)
            axes[2].plot([point[0] for point in points], [point[1] for point in points], color=report.SERIES[number][0],
                         marker=report.SERIES[number][1], markersize=4, linewidth=1,
                         label=report.pictured(name))  # fmt: skip
        axes[2].set(xlabel="win share that was said", ylabel="win share that was got", xlim=(0, 1), ylim=(0, 1))
        axes[2].legend()
