"""Going through a list of tasks: here, in processes of this machine, or on the workers of a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from socket import gethostname
from typing import Any, Generic, TypeVar

from atlantis_envs.base.values import repr_short
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation.cluster import GAVE_UP as GAVE_UP_CLUSTER
from atlantis_training.evaluation.cluster import Cluster, RayPool
from atlantis_training.evaluation.report import agent_json
from atlantis_training.evaluation.worker_pool import Notes, WorkerPool
from atlantis_training.signals import Stop

FEW_GAMES = 2000  # that one process plays before others have begun
STOPPING = "Interrupted: finishing the games in hand; Ctrl-C again stops at once."
GAVE_UP = "A process that plays was killed twice at the same games (for want of memory?): finishing those in hand."

Workers = int | Cluster | None  # so many processes, those of a cluster, or a sensible number
Task = TypeVar("Task")
Result = TypeVar("Result")
Steps = Generator[tuple[int, Result], None, None]  # number of a task, its result


@dataclass(frozen=True)
class Work(Generic[Task, Result]):
    """What is done with a task, here and in another process.

    Attributes:
        here: turns a task into its result.
        begin: makes such a function in another process.
        arguments: of ``begin``; they can be pickled.
        agents: games and the texts of agents at work in them, which must be the same wherever it is done.
    """

    here: Callable[[Task], Result]
    begin: Callable[..., Callable[[Task], Result]]
    arguments: tuple[Any, ...]
    agents: tuple[tuple[Game, str], ...]


def default_workers(games: int) -> int:
    """Return one process for a short run, else one per core."""
    return 1 if games < FEW_GAMES else max(1, os.cpu_count() or 1)


def work_through(
    work: Work[Task, Result], tasks: Sequence[Task], workers: int | Cluster, take: Callable[[int, Result], bool]
) -> bool:
    """Hand the results of all tasks to ``take(number, result)`` as they come in; return whether it was interrupted.

    It ends early where ``take`` answers True (enough), and at Ctrl-C and SIGTERM. With one process the task in hand is
    lost. With several the first signal waits for the tasks in hand; the second one waits for nothing. A process that is
    killed costs a retry of its task; where that is killed too, it ends with the tasks that are finished, and a line. In
    a cluster, where machines may be lost, there is one retry more.
    """
    stop = Stop()
    with stop.heard():
        if isinstance(workers, Cluster) or workers > 1:
            _take_from_others(work, tasks, workers, stop, take)
            return stop.requests > 0
        try:
            for index, task in enumerate(tasks):
                if stop.requests:
                    break
                with stop.breaking():  # the game at hand is given up; what is finished is taken in peace
                    result = work.here(task)
                if take(index, result):
                    break
        except KeyboardInterrupt:  # in the game at hand, or from somebody else's handler
            stop.ask()
    return stop.requests > 0


def _take_from_others(
    work: Work[Task, Result],
    tasks: Sequence[Task],
    workers: int | Cluster,
    stop: Stop,
    take: Callable[[int, Result], bool],
) -> None:
    """Hand over what several processes find, until it is enough or nothing is waited for any more."""
    with closing(_together(work, tasks, workers, stop)) as steps:
        while not stop.now:
            try:
                if take(*next(steps)):
                    break
            except StopIteration:
                break
            except KeyboardInterrupt:  # from somebody else's handler
                stop.ask()


def _together(work: Work[Task, Result], tasks: Sequence[Task], workers: int | Cluster, stop: Stop) -> Steps[Result]:
    """Do the tasks in several processes; results come as they are ready."""
    if stop.requests:  # earlier, of the command as a whole: no process is begun
        return
    pool: WorkerPool[Task, Result] | RayPool[Task, Result]
    if isinstance(workers, Cluster):
        known = [(game, text, agent_json(text, game)) for game, text in work.agents]
        arguments = (work.begin, work.arguments, os.getcwd(), known)
        pool = RayPool(workers, begin_remote, arguments, stop, Notes(STOPPING, GAVE_UP_CLUSTER))
    else:
        pool = WorkerPool(workers, work.begin, work.arguments, stop, Notes(STOPPING, GAVE_UP))
    yield from pool.work(tasks)


def begin_remote(
    begin: Callable[..., Callable[[Task], Result]],
    arguments: tuple[Any, ...],
    directory: str,
    known: Sequence[tuple[Game, str, Any]],
) -> Callable[[Task], Result]:
    """Begin on another machine, where a path may lead to another policy.

    Raises:
        OptionError: it does, or to none.
    """
    with suppress(OSError):
        os.chdir(directory)  # paths may be relative
    work = begin(*arguments)
    for game, text, expected in known:
        if agent_json(text, game) != expected:
            raise OptionError(
                f"agents: {repr_short(text)} on {gethostname()} is not that of here; allowed: the same files"
            )
    return work
