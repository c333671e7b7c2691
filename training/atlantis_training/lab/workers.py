"""Playing many games in several processes, with the same results whatever their number.

The work is cut into tasks by the number of games alone; a task names its games and who sits where, and what it gives
depends on nothing else. Agents are sent as texts: a name, or the path of a policy or of
a training run.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from socket import gethostname
from typing import Any, Generic, TypeVar

import numpy as np

from atlantis_agents.catalogue import find_agent
from atlantis_envs.base.values import shown
from atlantis_envs.engine.game import Game, checked_game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.compiled import compiling_for
from atlantis_envs.seats.positions import ask
from atlantis_training.lab.cluster import GAVE_UP as GAVE_UP_FAR
from atlantis_training.lab.cluster import Cluster, RayCrew
from atlantis_training.lab.crew import Crew, Notes
from atlantis_training.lab.limits import GAMES_LIMIT
from atlantis_training.lab.matches import Progress, Results, play_games
from atlantis_training.lab.pages import agent_json
from atlantis_training.signals import Stop, heard_by

MOST_GAMES = 1024  # of a task and line-up: an interruption waits for tasks, but few games at once are slow games
FEWEST_TASKS = 16  # so that a progress bar moves
STOPPING = "Interrupted: finishing the games in hand; Ctrl-C again stops at once."
GAVE_UP = "A process that plays was killed twice at the same games (for want of memory?): finishing those in hand."

LineUp = tuple[str, ...]  # one agent per seat
Workers = int | Cluster | None  # so many processes, those of a cluster, or a sensible number
Job = TypeVar("Job")
Fruit = TypeVar("Fruit")
Steps = Generator[tuple[int, Fruit], None, None]  # number of a task, what came of it


@dataclass(frozen=True)
class Task:
    """Games ``first`` .. ``first + count - 1``, played once by each line-up."""

    line_ups: tuple[LineUp, ...]
    first: int
    count: int

    @property
    def games(self) -> int:
        """How many games it takes."""
        return self.count * len(self.line_ups)


def cut(line_ups: Sequence[LineUp], count: int, first: int = 0) -> list[Task]:
    """Tasks for ``count`` games of each line-up.

    Raises:
        OptionError: more games than anybody can keep.
    """
    if count > GAMES_LIMIT:
        raise OptionError(f"games: {shown(count)}; allowed: at most {GAMES_LIMIT} of each line-up")
    size = min(MOST_GAMES, max(1, -(-count // FEWEST_TASKS)))
    starts = range(first, first + count, size)
    return [Task(tuple(line_ups), start, min(size, first + count - start)) for start in starts]


class Players:
    """A game and who plays it: found, compiled and tried once, for everything that is then measured with them.

    Args:
        game: the game.
        line_up: one text per seat: an agent's name, or the path of a policy or a training run.

    Attributes:
        agents: by text.

    Raises:
        OptionError: the texts are not one per seat, or an agent is unknown or does not fit the game.
    """

    def __init__(self, game: Game, line_up: Sequence[str]) -> None:
        """Find the agents and let each answer once, so that what is missing or does not fit shows now."""
        self.game, self.line_up = checked_game(game), tuple(line_up)
        if len(self.line_up) != game.players:
            raise OptionError(f"agents: {len(self.line_up)}; allowed: {game.players}, one per seat")
        self.agents = tried_agents(game, self.line_up)

    def play(self, task: Task, seed: int) -> tuple[Results, ...]:
        """The results of each line-up of a task."""
        return play_task(self.game, self.agents, task, seed)


def tried_agents(game: Game, texts: Sequence[str]) -> dict[str, Agent]:
    """Agents by text, each found and let answer once, so that what is missing or does not fit shows now.

    Raises:
        OptionError: an agent is unknown or does not fit the game.
    """
    agents = {text: find_agent(text, game) for text in texts}
    with compiling_for(game, agents.values()):
        batch = game.batch(1)
        for agent in agents.values():
            ask(agent, batch, np.arange(1), batch.noise(0))
    return agents


def play_task(game: Game, agents: Mapping[str, Agent], task: Task, seed: int) -> tuple[Results, ...]:
    """The results of each line-up of a task."""
    tables = [[agents[text] for text in line_up] for line_up in task.line_ups]
    return tuple(play_games(game, table, task.count, seed, first=task.first) for table in tables)


@dataclass(frozen=True)
class Finished:
    """What came of a list of tasks.

    Attributes:
        results: by line-up, the finished games in order.
        count: finished games of each line-up.
        interrupted: whether it ended early: by Ctrl-C, by SIGTERM, or because processes were killed.
    """

    results: tuple[Results, ...]
    count: int
    interrupted: bool


def default_workers(games: int) -> int:
    """One process for a short run, else one per core."""
    return 1 if games < 2000 else max(1, os.cpu_count() or 1)


def run_tasks(
    players: Players,
    tasks: Sequence[Task],
    seed: int = 0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Finished:
    """Play all tasks. Ctrl-C and SIGTERM end it with the tasks that are finished.

    With one process the task in hand is lost. With several the first one waits for the tasks in hand; the second one
    waits for nothing. A process that is killed costs a retry of its task; where that is killed too, it ends with the
    tasks that are finished, and a line. In a cluster, where machines may be lost, there is one retry more.

    Args:
        players: everybody who sits in a line-up.
        tasks: at least one; all with the same line-ups.
        seed: of chance and agents.
        workers: processes, or a cluster; the results do not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.
    """
    done: dict[int, tuple[Results, ...]] = {}

    def take(index: int, results: tuple[Results, ...]) -> bool:
        done[index] = results
        if progress:
            progress(tasks[index].games)
        return False

    count = default_workers(sum(task.games for task in tasks)) if workers is None else workers
    interrupted = work_through(play_work(players, seed), tasks, count, take)
    columns = zip(*(done[index] for index in sorted(done)), strict=True)
    joined = tuple(Results.join(column) for column in columns)
    if not joined:
        joined = tuple(Results.empty(0, players.game.players) for _ in tasks[0].line_ups)
    return Finished(joined, len(joined[0].plies), interrupted or len(done) < len(tasks))


# ------------------------------------------------------------------------------------------------- here or elsewhere


@dataclass(frozen=True)
class Work(Generic[Job, Fruit]):
    """What is done with a task, here and in another process.

    Attributes:
        here: turns a task into its results.
        begin: makes such a function in another process.
        arguments: of ``begin``, the game first; they can be pickled.
        texts: the agents at work, which must be the same wherever it is done.
    """

    here: Callable[[Job], Fruit]
    begin: Callable[..., Callable[[Job], Fruit]]
    arguments: tuple[Any, ...]
    texts: tuple[str, ...]


def play_work(players: Players, seed: int) -> Work[Task, tuple[Results, ...]]:
    """Playing tasks of these players, for ``work_through``."""
    arguments = (players.game, players.line_up, seed)
    return Work(partial(players.play, seed=seed), _begin, arguments, players.line_up)


def work_through(
    work: Work[Job, Fruit], tasks: Sequence[Job], workers: int | Cluster, take: Callable[[int, Fruit], bool]
) -> bool:
    """Hand the results of all tasks to ``take(number, results)`` as they come in; whether it was interrupted.

    It ends early where ``take`` answers True (enough), and at Ctrl-C and SIGTERM as ``run_tasks`` says.
    """
    stop = Stop()
    alone = isinstance(workers, int) and workers <= 1
    here = ((index, work.here(task)) for index, task in enumerate(tasks) if not stop.requests)
    steps: Steps[Fruit] = here if alone else _together(work, tasks, workers, stop)
    with heard_by(signal.default_int_handler if alone else stop.ask), closing(steps):
        while not stop.now:
            try:
                if take(*next(steps)):
                    break
            except StopIteration:
                break
            except KeyboardInterrupt:  # in the game at hand, in ``take``, or from somebody else's handler
                stop.ask()
    return bool(stop.requests)


def _begin(game: Game, line_up: LineUp, seed: int) -> Callable[[Task], tuple[Results, ...]]:
    return partial(Players(game, line_up).play, seed=seed)


def begin_far(
    begin: Callable[..., Callable[[Job], Fruit]],
    arguments: tuple[Any, ...],
    directory: str,
    known: Mapping[str, Any],
) -> Callable[[Job], Fruit]:
    """Begin on another machine, where a path may lead to another policy.

    Raises:
        OptionError: it does, or to none.
    """
    with suppress(OSError):
        os.chdir(directory)  # paths may be relative
    work = begin(*arguments)
    for text, expected in known.items():
        if agent_json(text, arguments[0]) != expected:
            raise OptionError(f"agents: {shown(text)} on {gethostname()} is not that of here; allowed: the same files")
    return work


def _together(work: Work[Job, Fruit], tasks: Sequence[Job], workers: int | Cluster, stop: Stop) -> Steps[Fruit]:
    """Do the tasks in several processes; results come as they are ready."""
    crew: Crew[Job, Fruit] | RayCrew[Job, Fruit]
    if isinstance(workers, Cluster):
        known = {text: agent_json(text, work.arguments[0]) for text in dict.fromkeys(work.texts)}
        arguments = (work.begin, work.arguments, os.getcwd(), known)
        crew = RayCrew(workers, begin_far, arguments, stop, Notes(STOPPING, GAVE_UP_FAR))
    else:
        crew = Crew(workers, work.begin, work.arguments, stop, Notes(STOPPING, GAVE_UP))
    yield from crew.work(tasks)


def rotations(line_up: LineUp) -> tuple[LineUp, ...]:
    """The different tables that moving everybody on by one seat, again and again, gives."""
    return tuple(dict.fromkeys(line_up[-shift:] + line_up[:-shift] for shift in range(len(line_up))))
