"""Agents play each other: game by game, with the same luck for every line-up, in as many processes as there are.

The chance of game number g is the same whoever plays it, and agents' own randomness is a function of (seed, game
number, ply): line-ups measured on the same seed meet the same luck, and results depend neither on batching nor on the
number of processes. The work is cut into tasks by the number of games alone. Agents are sent as texts: a name, or the
path of a policy or of a training run.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from atlantis_agents.catalogue import find_agent
from atlantis_envs.base.values import one_line, repr_short
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game, checked_game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.compiled import compiling_for
from atlantis_envs.seats.positions import ask
from atlantis_envs.seats.step import FORFEIT, forfeit_returns
from atlantis_training import GAMES_LIMIT
from atlantis_training.evaluation.report import provenance
from atlantis_training.evaluation.statistics import shares_of_wins
from atlantis_training.evaluation.store import Part, Store, code_hash
from atlantis_training.evaluation.workers import Work, Workers, default_workers, work_through

LANES = 1024
MOST_GAMES = 1024  # of a task and line-up: an interruption waits for tasks, but few games at once are slow games
FEWEST_TASKS = 16  # so that a progress bar moves
MANY_TASKS = 64  # of several cells together: fewer games at once play slower
NOBODY = -1  # in place of a seat
LineUp = tuple[str, ...]  # one agent per seat
Number = TypeVar("Number", bound=np.generic)
Progress = Callable[[int], None]  # called with the number of games finished since the last call
# Shows how far something is: text, total, unit; its context is the function that advances it.
Bar = Callable[[str, int, str], AbstractContextManager[Callable[[float], None]]]


@dataclass(frozen=True)
class Results:
    """Finished games of one line-up.

    Attributes:
        returns: float64 (G, P), by seat.
        scores: int64 (G, P), by seat.
        starters: int64 (G,), the seat that decided first.
        plies: int64 (G,), decisions in the game.
        truncated: bool (G,), where a safety bound cut the game off: neither won nor lost by anybody.
        numbers: int64 (G,), game numbers, rising.
        forfeits: int64 (G,), the seat that gave the game up, -1 where nobody did.
    """

    returns: NDArray[np.float64]
    scores: NDArray[np.int64]
    starters: NDArray[np.int64]
    plies: NDArray[np.int64]
    truncated: NDArray[np.bool_]
    numbers: NDArray[np.int64]
    forfeits: NDArray[np.int64]

    @classmethod
    def empty(cls, numbers: range, players: int) -> Results:
        """Make room for these games."""
        count = len(numbers)
        counts = (np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.bool_))
        games = (np.array(numbers, np.int64), np.full(count, NOBODY))
        return cls(np.zeros((count, players)), np.zeros((count, players), np.int64), *counts, *games)

    @classmethod
    def join(cls, parts: Sequence[Results], which: Any = slice(None)) -> Results:
        """Return the games of all parts, in order; or those of them that an index of NumPy picks."""
        return cls(*(np.concatenate([getattr(part, item.name) for part in parts])[which] for item in fields(cls)))

    def some(self, which: Any) -> Results:
        """Return the games that an index of NumPy picks."""
        return Results(*(getattr(self, item.name)[which] for item in fields(self)))

    @property
    def win_shares(self) -> NDArray[np.float64]:
        """Return float64 (G, P): 1 for a win, 1/k for each of k winners; 0 for everybody where a game was cut off."""
        return np.where(self.truncated[:, None], 0.0, shares_of_wins(self.returns))

    @property
    def won(self) -> NDArray[np.float64]:
        """Return float64 (G, P): 1 where a game paid, which in a cooperative one is winning it; else 0."""
        return np.where(self.truncated[:, None], 0.0, self.returns > 0)

    @property
    def ties(self) -> float:
        """Return the share of games with several winners."""
        several = (self.win_shares.max(axis=1) < 1) & ~self.truncated
        return float(several.mean()) if len(several) else 0.0

    @property
    def places(self) -> NDArray[np.float64]:
        """Return float64 (G, P): 1 is best, by returns, then by scores; equals share the mean of their places."""
        higher = self.returns[:, None, :] > self.returns[:, :, None]
        same = self.returns[:, None, :] == self.returns[:, :, None]
        better = higher | same & (self.scores[:, None, :] > self.scores[:, :, None])
        equal = same & (self.scores[:, None, :] == self.scores[:, :, None])
        return np.asarray(0.5 + better.sum(axis=2) + equal.sum(axis=2) / 2)

    @property
    def margins(self) -> NDArray[np.int64]:
        """Return int64 (G, P): the score less that of the best opponent; 0 where there is none."""
        players = self.scores.shape[1]
        if players == 1:
            return np.zeros_like(self.scores)
        others = [np.delete(self.scores, seat, axis=1).max(axis=1) for seat in range(players)]
        return np.asarray(self.scores - np.stack(others, axis=1))

    def by_order(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return columns by turn order instead of by seat: column 0 is the seat that decided first."""
        seats = (self.starters[:, None] + np.arange(values.shape[1])) % values.shape[1]
        return np.take_along_axis(values, seats, axis=1)


def silent_bar(text: str, total: int, unit: str) -> AbstractContextManager[Callable[[float], None]]:
    """Show nothing."""
    return nullcontext(lambda amount: None)


# ------------------------------------------------------------------------------------------------------------- line-ups


def rotations(line_up: LineUp) -> tuple[LineUp, ...]:
    """Return the different line-ups that arise when everybody moves on by one seat, again and again.

    >>> from atlantis_training.evaluation.measure import rotations
    >>> rotations(("heuristic", "random", "random"))
    (('heuristic', 'random', 'random'), ('random', 'heuristic', 'random'), ('random', 'random', 'heuristic'))
    """
    return tuple(dict.fromkeys(line_up[-shift:] + line_up[:-shift] for shift in range(len(line_up))))


def fill_line_up(agents: Sequence[str], players: int) -> LineUp:
    """Return a line-up of ``players`` agents: the last one named takes the seats that are left.

    Raises:
        OptionError: none or too many.
    """
    if not 1 <= len(agents) <= players:
        raise OptionError(f"agents: {len(agents)}; allowed: 1..{players}, the last one takes the seats that are left")
    return tuple(agents) + (agents[-1],) * (players - len(agents))


def tried_agents(game: Game, texts: Sequence[str]) -> dict[str, Agent]:
    """Return agents by text, each found and let answer once, so that what is missing or does not fit shows now.

    Raises:
        OptionError: an agent is unknown or does not fit the game.
    """
    agents = {text: find_agent(text, game) for text in texts}
    with compiling_for(game, agents.values()):
        batch = game.batch(1)
        for agent in agents.values():
            ask(agent, batch, np.arange(1), batch.noise(0), forfeits=True)
    return agents


# --------------------------------------------------------------------------------------------------------------- games


def play_games(
    game: Game, agents: Sequence[Agent], games: int | range, seed: int = 0, moved: Sequence[int] = ()
) -> Results:
    """Play games of a seed, numbers 0.. or a range of step 1; ``agents[s]`` sits in seat s.

    Every one of these games is played to its end, so short games are not favoured. ``moved``: see Cell.

    Raises:
        ValueError: the number of agents is not the number of seats.
    """
    if len(agents) != game.players:
        raise ValueError(f"agents: {len(agents)}; allowed: {game.players}, one per seat")
    numbers = range(games) if isinstance(games, int) else games
    first, count = numbers.start, len(numbers)
    lanes = count if moved else min(LANES, count)
    batch = game.batch(lanes, seed)
    if first or moved:
        batch.reset(games=first + np.arange(lanes), drawn=moved[:-1] if moved else None)
    noise_seed = (seed + moved[-1]) % 2**64 if moved else seed
    results = Results.empty(numbers, game.players)
    results.starters[:lanes] = batch.seats
    playing = np.arange(lanes)
    actions = np.zeros(lanes, np.int64)
    held = {id(agent): (agent, [seat for seat, other in enumerate(agents) if other is agent]) for agent in agents}
    while len(playing):
        indices, plies, seats = batch.games[playing] - first, batch.plies[playing], batch.seats[playing]
        for agent, own in held.values():  # every agent chooses in one call, in all lanes where it is to move
            asked = playing[np.isin(seats, own)]
            if len(asked):
                actions[asked] = ask(agent, batch, asked, batch.noise(noise_seed, asked), forfeits=True)
        gone = actions[playing] == FORFEIT
        rewards, over = batch.step(actions[playing[~gone]], playing[~gone])
        ended = over[playing] & ~gone
        if gone.any():
            _forfeit(batch, playing[gone], seats[gone], results, indices[gone], plies[gone])
        if ended.any():
            done = indices[ended]
            results.returns[done] = rewards[playing[ended]]
            results.scores[done] = batch.final_scores[playing[ended]]
            results.plies[done] = plies[ended] + 1
            results.truncated[done] = batch.truncated[playing[ended]]
        ended |= gone
        if ended.any():
            following = batch.games[playing] - first
            begun = ended & (following < count)
            results.starters[following[begun]] = batch.seats[playing[begun]]
            playing = playing[following < count]
    return results


def _forfeit(
    batch: Batch,
    lanes: NDArray[np.int64],
    seats: NDArray[np.int8],
    results: Results,
    rows: NDArray[np.int64],
    plies: NDArray[np.int64],
) -> None:
    """Note the results of games that agents gave up, and begin the next ones."""
    for lane, seat, row in zip(lanes, seats, rows, strict=True):
        results.returns[row] = forfeit_returns(batch.game.players, int(seat), batch.game.cooperative)
        results.scores[row] = batch.position(lane).scores()
    results.plies[rows], results.forfeits[rows] = plies + 1, seats
    batch.abandon(lanes)


# --------------------------------------------------------------------------------------------------------------- tasks


@dataclass(frozen=True)
class Task:
    """Games, played once by each line-up."""

    line_ups: tuple[LineUp, ...]
    games: range
    moved: tuple[int, ...] = ()


def tasks_of(
    line_ups: Sequence[LineUp], games: int | range, step: int | None = None, moved: tuple[int, ...] = ()
) -> list[Task]:
    """Return the tasks for games of each line-up.

    Args:
        line_ups: all of them play in every task.
        games: their number, or the range of their numbers.
        step: games of a task; None: by their number alone.
        moved: see Cell.

    Raises:
        OptionError: more games than anybody can keep.
    """
    numbers = range(games) if isinstance(games, int) else games
    if len(numbers) > GAMES_LIMIT:
        raise OptionError(f"games: {repr_short(len(numbers))}; allowed: at most {GAMES_LIMIT} of each line-up")
    size = step or min(MOST_GAMES, max(1, -(-len(numbers) // FEWEST_TASKS)))
    return [Task(tuple(line_ups), numbers[start : start + size], moved) for start in range(0, len(numbers), size)]


def play_task(game: Game, agents: Mapping[str, Agent], seed: int, task: Task) -> tuple[Results, ...]:
    """Return the results of each line-up of a task."""
    return tuple(
        play_games(game, [agents[text] for text in line_up], task.games, seed, task.moved) for line_up in task.line_ups
    )


def _begin(games: tuple[Game, ...], seed: int) -> Callable[[tuple[int, Task]], tuple[Results, ...]]:
    """Play tasks of cells, whose games these are, in another process, where agents are found as they are needed."""
    found: dict[tuple[int, str], Agent] = {}

    def play(numbered: tuple[int, Task]) -> tuple[Results, ...]:
        number, task = numbered
        game, texts = games[number], {text for line_up in task.line_ups for text in line_up}
        for text in texts:
            if (id(game), text) not in found:
                found[id(game), text] = tried_agents(game, [text])[text]
        return play_task(game, {text: found[id(game), text] for text in texts}, seed, task)

    return play


# ------------------------------------------------------------------------------------------------------------- measure


@dataclass(frozen=True)
class Measured:
    """Games that line-ups have played.

    Attributes:
        game: the game.
        line_ups: who sat where.
        seed: of chance and agents.
        requested: games requested of each line-up.
        results: of each line-up, the games that all of them have finished.
    """

    game: Game
    line_ups: tuple[LineUp, ...]
    seed: int
    requested: int
    results: tuple[Results, ...]

    @property
    def forfeits(self) -> dict[str, int]:
        """Return how many games each agent gave up, for those that gave up any."""
        gave_up = Counter[str]()
        for line_up, found in zip(self.line_ups, self.results, strict=True):
            gave_up.update(line_up[seat] for seat in found.forfeits[found.forfeits != NOBODY])
        return {agent: gave_up[agent] for agent in dict.fromkeys(self.line_ups[0]) if gave_up[agent]}

    @property
    def games(self) -> int:
        """Return the number of finished games of each line-up."""
        return len(self.results[0].numbers)

    @property
    def interrupted(self) -> bool:
        """Return whether it ended before all games were played."""
        return self.games < self.requested

    def first(self, count: int) -> Measured:
        """Return the first so many games of each line-up."""
        return Measured(
            self.game,
            self.line_ups,
            self.seed,
            self.requested,
            tuple(found.some(slice(count)) for found in self.results),
        )

    def then(self, later: Measured) -> Measured:
        """Return these games and later ones of the same line-ups."""
        results = tuple(Results.join(pair) for pair in zip(self.results, later.results, strict=True))
        return Measured(self.game, self.line_ups, self.seed, self.requested + later.requested, results)

    def whole(self, first: int = 0) -> Measured:
        """Return the games from number ``first`` on without a gap."""
        numbers = self.results[0].numbers
        return self.first(int((numbers == first + np.arange(len(numbers))).sum()))


@dataclass(frozen=True)
class Cell:
    """Games of one game that several line-ups play, all of them the same ones.

    Attributes:
        game: the game.
        line_ups: who sits where; agents by text.
        games: the numbers of the games.
        group: line-ups of a task; None: all of them.
        step: games of a task; None: by their number alone.
        moved: events of every chance stream that count as drawn before a game begins, and by how much the seed of the
            agents' noise is higher: other luck in what is moved alone. Empty: nothing is.
    """

    game: Game
    line_ups: tuple[LineUp, ...]
    games: range
    group: int | None = None
    step: int | None = None
    moved: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check game and line-ups.

        Raises:
            OptionError: it is no Game, or a line-up has too few or too many agents.
        """
        checked_game(self.game)
        for line_up in self.line_ups or ((),):
            if len(line_up) != self.game.players:
                raise OptionError(f"agents: {len(line_up)}; allowed: {self.game.players}, one per seat")

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the agents, each once."""
        return tuple(dict.fromkeys(text for line_up in self.line_ups for text in line_up))


class _Gathered:
    """What a cell has played so far.

    Args:
        cell: which.
        seed: of chance and agents.
        store: holds finished games and keeps further ones; None keeps nothing.
        aliases: what the store calls a text, where this tells more than the text.
    """

    def __init__(self, cell: Cell, seed: int, store: Store | None, aliases: Mapping[str, str] | None) -> None:
        self.cell, self.seed, self.store = cell, seed, store
        self.copies = Counter(cell.line_ups)
        self.whats: dict[LineUp, Part] = {}
        self.parts: dict[LineUp, list[Results]] = {line_up: [] for line_up in self.copies}
        if store is not None:
            for line_up in self.copies:
                self.whats[line_up] = identity(cell.game, line_up, seed, aliases, cell.moved)
                kept = store.of(self.whats[line_up])
                self.parts[line_up] = [results_of(part, cell.game.players, store.path) for part in kept]

    def tasks(self) -> list[Task]:
        """Return what is missing, early games first; who sits the same plays once.

        Raises:
            OptionError: too many games.
        """
        cell = self.cell
        size = cell.group or len(cell.line_ups)
        starts = range(0, len(cell.line_ups), size)
        groups = [tuple(dict.fromkeys(cell.line_ups[start : start + size])) for start in starts]
        cut = [tasks_of(some, cell.games, cell.step, cell.moved) for some in groups]
        return [rest for stretch in zip(*cut, strict=True) for task in stretch for rest in _missing(task, self.parts)]

    def size(self, task: Task) -> int:
        """Return the games of a task, those of line-ups named twice twice."""
        return len(task.games) * sum(self.copies[line_up] for line_up in task.line_ups)

    def add(self, task: Task, results: tuple[Results, ...]) -> None:
        """Keep the results of a task."""
        for line_up, result in zip(task.line_ups, results, strict=True):
            self.parts[line_up].append(result)
            if self.store is not None:
                self.store.add(self.whats[line_up], part_of(result))

    def measured(self) -> Measured:
        """Return the games that all line-ups have finished, every game once."""
        game, line_ups, numbers = self.cell.game, self.cell.line_ups, self.cell.games
        found = {line_up: [Results.empty(range(0), game.players), *own] for line_up, own in self.parts.items()}
        rows = {
            line_up: np.unique(np.concatenate([part.numbers for part in own]), return_index=True)
            for line_up, own in found.items()
        }
        common = rows[line_ups[0]][0]
        common = common[(common >= numbers.start) & (common < numbers.stop)]
        for own, _ in rows.values():
            common = np.intersect1d(common, own, assume_unique=True)
        results = {
            line_up: Results.join(found[line_up], index[np.searchsorted(own, common)])
            for line_up, (own, index) in rows.items()
        }
        return Measured(game, line_ups, self.seed, len(numbers), tuple(results[line_up] for line_up in line_ups))


def measure_cells(
    cells: Sequence[Cell],
    seed: int = 0,
    workers: Workers = 1,
    progress: Callable[[int, int], None] | None = None,
    *,
    agents: Sequence[Mapping[str, Agent]] | None = None,
    store: Store | None = None,
    aliases: Mapping[str, str] | None = None,
    enough: Callable[[Callable[[], list[Measured]]], bool] | None = None,
) -> list[Measured]:
    """Play the games of several cells, perhaps of different games, in the same processes, all cells side by side.

    Args:
        cells: what to play.
        seed: of chance and agents.
        workers: processes, or a cluster; the results do not depend on it. None: a sensible number.
        progress: called with the number of a cell and of the games that it has finished since the last call.
        agents: what the texts of each cell name, found before. None: they are found here.
        store: keeps finished games, with those that are there already; None keeps nothing.
        aliases: what the store calls a text, where this tells more than the text.
        enough: asked after every task, with a function that returns what was played so far.

    Returns:
        What each cell has played. Ctrl-C and SIGTERM end it as they end ``measure``.

    Raises:
        OptionError: an agent does not fit the game, or there are too many games.
    """
    found = [tried_agents(cell.game, cell.texts) for cell in cells] if agents is None else agents
    together = -(-sum(len(cell.games) for cell in cells) // MANY_TASKS) if len(cells) > 1 else 1
    cells = [
        replace(cell, step=cell.step or min(MOST_GAMES, max(together, -(-len(cell.games) // FEWEST_TASKS), 1)))
        for cell in cells
    ]
    gathered = [_Gathered(cell, seed, store, aliases) for cell in cells]
    lists = [one.tasks() for one in gathered]
    tasks = [(number, task) for number, some in enumerate(lists) for task in some]
    tasks.sort(key=lambda one: _progress(cells[one[0]].games, one[1]))  # early games of all cells first

    def collected() -> list[Measured]:
        return [one.measured() for one in gathered]

    def take(index: int, results: tuple[Results, ...]) -> bool:
        number, task = tasks[index]
        gathered[number].add(task, results)
        if progress:
            progress(number, gathered[number].size(task))
        return enough is not None and enough(collected)

    for number, (cell, one) in enumerate(zip(cells, gathered, strict=True)):
        there = len(cell.games) * len(cell.line_ups) - sum(map(one.size, lists[number]))
        if progress and there:
            progress(number, there)
    if not (store is not None and enough and enough(collected)):
        games = tuple(cell.game for cell in cells)
        texts = {(id(cell.game), text): (cell.game, text) for cell in cells for text in cell.texts}
        work = Work(lambda some: play_task(games[some[0]], found[some[0]], seed, some[1]),
                    _begin, (games, seed), tuple(texts.values()))  # fmt: skip
        total = sum(gathered[number].size(task) for number, task in tasks)
        work_through(work, tasks, workers or default_workers(total), take)
    return collected()


def _progress(games: range, task: Task) -> float:
    """Return which part of the games of a cell comes before a task, whatever else of it is played already."""
    return (task.games.start - games.start) / len(games)


def measure(
    game: Game,
    line_ups: Sequence[LineUp],
    games: int | range,
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
    *,
    agents: Mapping[str, Agent] | None = None,
    store: Store | None = None,
    aliases: Mapping[str, str] | None = None,
    group: int | None = None,
    step: int | None = None,
    enough: Callable[[Measured], bool] | None = None,
) -> Measured:
    """Let every line-up play the same games.

    >>> from atlantis_training.evaluation.measure import measure, rotations
    >>> game = atlantis_envs.game("atlandice", players=2)
    >>> measured = measure(game, rotations(("heuristic", "random")), games=4, seed=1)
    >>> measured.line_ups
    (('heuristic', 'random'), ('random', 'heuristic'))
    >>> measured.results[0].win_shares.shape
    (4, 2)

    Ctrl-C and SIGTERM end it with the tasks that are finished. With one process the task in hand is lost. With several
    the first one waits for the tasks in hand; the second one waits for nothing.

    Args:
        game: the game.
        line_ups: who sits where; agents by text.
        games: how many, or the range of their numbers.
        seed: of chance and agents, 0..2**64-1.
        workers: processes, or a cluster; the results do not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.
        agents: agent objects by their text in ``line_ups``; with one process any text will do. None: they are looked
            up.
        store: keeps finished games, with those that are there already; None keeps nothing.
        aliases: text -> the name under which the store keeps it, for texts that do not identify an agent.
        group: line-ups of a task; None: all of them.
        step: games of a task; None: chosen by the number of games.
        enough: called with the result so far after every task; True ends the measurement.

    Returns:
        A Measured: ``results[k]`` holds the games of ``line_ups[k]``: float64 (G, P) returns and so on.

    Raises:
        OptionError: a line-up or an agent does not fit the game, or there are too many games.
    """
    numbers = range(games) if isinstance(games, int) else games
    (measured,) = measure_cells(
        [Cell(game, tuple(line_ups), numbers, group, step)], seed, workers,
        (lambda _, count: progress(count)) if progress else None,
        agents=None if agents is None else [agents], store=store, aliases=aliases,
        enough=(lambda found: enough(found()[0])) if enough else None,
    )  # fmt: skip
    return measured


def identity(
    game: Game, line_up: LineUp, seed: int, aliases: Mapping[str, str] | None = None, moved: Sequence[int] = ()
) -> Part:
    """Return what tells games from all others: games with the same identity and number are the same."""
    known = aliases or {}
    own = [text for text in line_up if text not in known]
    return {
        **provenance(game, own, seed),
        "line_up": [known.get(text, text) for text in line_up],
        "code": code_hash(),
        **({"moved": list(moved)} if moved else {}),
    }


def open_store(path: Path, identities: Sequence[Part], resume: bool) -> Store:
    """Return the store of a measurement.

    Args:
        path: of its file, in a directory that exists.
        identities: of the games of all its line-ups; the first one is that of the line-up which is named in errors.
        resume: go on with the file that is there; else an older one is replaced.

    Raises:
        OptionError: there is nothing to go on with, or it is of other games, or it is damaged.
        OSError: it cannot be written.
    """
    if not resume:
        path.unlink(missing_ok=True)
    elif not os.path.lexists(path):
        raise OptionError(f"resume: {repr_short(path)}: there is no such file; allowed: without --resume")
    store, first = Store(path), identities[0]
    for what in store.whats():
        if what not in identities:
            key = next((key for key, value in first.items() if key != "line_up" and what.get(key) != value), "agents")
            was, now = repr_short(what.get(key)), repr_short(first[key])
            raise OptionError(
                f"resume: {repr_short(path)} was played with {key} {was}; allowed: the same as now, {now}"
            )
    if not store.parts:  # says whose file it is before the first game is finished
        store.add(first, part_of(Results.empty(range(0), 1)))
    return store


def part_of(results: Results) -> Part:
    """Return results as a part of a store; the column of forfeits only where there are some."""
    left_out = {"numbers"} if (results.forfeits != NOBODY).any() else {"numbers", "forfeits"}
    columns = {item.name: getattr(results, item.name).tolist() for item in fields(results) if item.name not in left_out}
    return {"first": int(results.numbers[0]) if len(results.numbers) else 0, **columns}


def results_of(part: Part, players: int, path: Path | None = None) -> Results:
    """Read the results of a part; ``path`` is that of its file, for the error.

    Raises:
        OptionError: a column is missing or is not what it should be.
    """
    try:
        returns, scores = np.array(part["returns"], np.float64), np.array(part["scores"])
        starters, plies, truncated = (np.array(part[name]) for name in ("starters", "plies", "truncated"))
        count = len(plies)
        if not count:
            return Results.empty(range(part["first"], part["first"]), players)
        forfeits = np.array(part.get("forfeits", [NOBODY] * count))
        kinds = [column.dtype.kind for column in (scores, starters, plies, forfeits, truncated)]
        shapes = [column.shape for column in (returns, scores, starters, plies, truncated, forfeits)]
        if kinds != ["i", "i", "i", "i", "b"] or shapes != [(count, players)] * 2 + [(count,)] * 4:
            raise ValueError(f"columns of other games; allowed: {count} games of {players} seats in each")
        if not NOBODY <= forfeits.min() <= forfeits.max() < players:
            raise ValueError(f"forfeits; allowed: seats 0..{players - 1}, {NOBODY} for nobody")
        if not np.isfinite(returns).all() or not 0 <= starters.min() <= starters.max() < players or plies.min() < 1:
            raise ValueError(f"allowed: finite returns, starters 0..{players - 1}, plies from 1")
        numbers = part["first"] + np.arange(count, dtype=np.int64)
        return Results(returns, scores, starters, plies, truncated, numbers, forfeits)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        where = f"{repr_short(path)}, games from {part['first']}"
        raise OptionError(f"{where}: {one_line(error)}; allowed: what a measurement wrote, or no such file") from None


def _missing(task: Task, parts: Mapping[LineUp, list[Results]]) -> list[Task]:
    """Return what is left of a task: line-ups that lack the same games stay together."""
    left: dict[range, list[LineUp]] = {}
    for line_up in task.line_ups:
        played = np.concatenate([np.arange(0), *(found.numbers for found in parts[line_up])])
        gaps = np.flatnonzero(~np.isin(np.array(task.games), played))
        if len(gaps):
            left.setdefault(task.games[gaps[0] : gaps[-1] + 1], []).append(line_up)
    return [Task(tuple(line_ups), games, task.moved) for games, line_ups in left.items()]
