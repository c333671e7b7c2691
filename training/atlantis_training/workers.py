"""Playing many games in several processes, with the same results whatever their number.

The work is cut into tasks by the number of games alone; a task names its games and who sits where, and what it gives
depends on nothing else. Agents travel as texts: a name, or the path of a policy or of
a training run.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path

from atlantis_agents.policy import MANIFEST, PolicyAgent
from atlantis_envs.engine.agents import Agent, agent_names, make_agent
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_training.evaluate import Results, play_games
from atlantis_training.settings import POLICY_DIRECTORY
from atlantis_training.threads import THREAD_VARIABLES

MOST_GAMES = 1024  # of a task and line-up: an interruption waits for tasks, but few games at once are slow games
FEWEST_TASKS = 16  # so that a progress bar moves
STOPPING = "Interrupted: finishing the games in hand; Ctrl-C again stops at once."

LineUp = tuple[str, ...]  # one agent per seat
Steps = Generator[tuple[int, tuple[Results, ...]], None, None]  # number of a task, its results by line-up


def policy_directory(spec: str) -> Path | None:
    """The policy that a text means: its directory, or that of the run it comes from; None for anything else."""
    for directory in (Path(spec), Path(spec) / POLICY_DIRECTORY):
        if (directory / MANIFEST).exists():
            return directory
    return None


def find_agent(spec: str, game: Game) -> Agent:
    """The agent that a text means: an installed agent's name, or the path of a policy or a training run.

    Raises:
        OptionError: it is neither, or does not fit the game.
    """
    if spec in agent_names():
        return make_agent(spec, game)
    directory = policy_directory(spec)
    if directory is not None:
        return PolicyAgent(game, directory)
    raise OptionError(f"agent: {spec!r}; allowed: {', '.join(agent_names())}, or the directory of a policy or a run")


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
    """Tasks for ``count`` games of each line-up."""
    size = min(MOST_GAMES, max(1, -(-count // FEWEST_TASKS)))
    starts = range(first, first + count, size)
    return [Task(tuple(line_ups), start, min(size, first + count - start)) for start in starts]


class Player:
    """Everybody who plays, at one seed."""

    def __init__(self, game: Game, specs: Sequence[str], seed: int) -> None:
        """Find the agents and let each answer once, so that what is missing or does not fit shows now."""
        self.game, self.seed = game, seed
        self.agents = {spec: find_agent(spec, game) for spec in specs}
        batch = game.batch(1)
        for agent in self.agents.values():
            agent.act(batch.observations, batch.action_masks, batch.noise(0))

    def play(self, task: Task) -> tuple[Results, ...]:
        """The results of each line-up."""
        tables = [[self.agents[spec] for spec in line_up] for line_up in task.line_ups]
        return tuple(play_games(self.game, table, task.count, self.seed, first=task.first) for table in tables)


@dataclass(frozen=True)
class Finished:
    """What came of a list of tasks.

    Attributes:
        results: by line-up, the finished games in order.
        count: finished games of each line-up.
        interrupted: whether Ctrl-C ended it early.
    """

    results: tuple[Results, ...]
    count: int
    interrupted: bool


def default_workers(games: int) -> int:
    """One process for a short run, else one per core."""
    return 1 if games < 2000 else max(1, os.cpu_count() or 1)


def run_tasks(
    game: Game,
    tasks: Sequence[Task],
    seed: int = 0,
    workers: int | None = 1,
    progress: Callable[[int], None] | None = None,
) -> Finished:
    """Play all tasks. Ctrl-C ends it with the tasks that are finished.

    Args:
        game: the game.
        tasks: at least one; all with the same line-ups.
        seed: of chance and agents.
        workers: processes; the results do not depend on it. None: a sensible number.
        progress: called with the number of games finished since the last call.

    Raises:
        OptionError: an agent is unknown or does not fit the game.
    """
    specs = sorted({spec for task in tasks for line_up in task.line_ups for spec in line_up})
    player = Player(game, specs, seed)
    done: dict[int, tuple[Results, ...]] = {}
    count = default_workers(sum(task.games for task in tasks)) if workers is None else workers
    steps = _alone(player, tasks) if count <= 1 else _together(player, specs, tasks, count)
    interrupted = _collect(steps, tasks, done, progress)
    columns = zip(*(done[index] for index in sorted(done)), strict=True)
    joined = tuple(Results.join(column) for column in columns)
    if not joined:
        joined = tuple(Results.empty(0, game.players) for _ in tasks[0].line_ups)
    return Finished(joined, len(joined[0].plies), interrupted)


def _collect(
    steps: Steps, tasks: Sequence[Task], done: dict[int, tuple[Results, ...]], progress: Callable[[int], None] | None
) -> bool:
    """Fill ``done`` from ``steps``; whether Ctrl-C ended it early."""
    interrupted, following = False, steps.__next__
    try:
        while True:
            try:
                index, results = following()
                following = steps.__next__
                done[index] = results
                if progress:
                    progress(tasks[index].games)
            except KeyboardInterrupt:
                # Where it did not reach the generator, the generator is told: it has games in hand.
                following, again = partial(steps.throw, KeyboardInterrupt()), interrupted
                interrupted = True
                if again:
                    return interrupted
    except StopIteration:
        return interrupted
    finally:
        steps.close()


def _alone(player: Player, tasks: Sequence[Task]) -> Steps:
    for index, task in enumerate(tasks):
        yield index, player.play(task)


# ------------------------------------------------------------------------------------------------------ other processes

_player: Player | None = None


def _begin(game: Game, specs: Sequence[str], seed: int) -> None:
    global _player
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _player = Player(game, specs, seed)


def _end_with_parent() -> None:
    """A parent that is killed tells nobody, and its children would wait for tasks for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _play(task: Task) -> tuple[Results, ...]:
    assert _player is not None
    return _player.play(task)


def _together(player: Player, specs: Sequence[str], tasks: Sequence[Task], workers: int) -> Steps:
    """As results come in. An interruption lets the tasks in hand finish and hands them out, then goes on its way.

    A second one ends the processes and what they have in hand.
    """
    begin = (player.game, specs, player.seed)
    workers = min(workers, len(tasks))
    others = set(active_children())
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_begin, initargs=begin)
    with pool:
        with _calm_children():
            waiting: dict[Future[tuple[Results, ...]], int] = {pool.submit(_play, t): i for i, t in enumerate(tasks)}
        children = set(active_children()) - others
        try:
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except KeyboardInterrupt:
            print(STOPPING, file=sys.stderr, flush=True)
            _finish(pool, children)
            for future, index in waiting.items():
                if not future.cancelled():
                    yield index, future.result()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _finish(pool: ProcessPoolExecutor, children: Iterable[BaseProcess]) -> None:
    """Wait for the tasks in hand, unless interrupted again."""
    try:
        pool.shutdown(wait=True, cancel_futures=True)
    except KeyboardInterrupt:
        for child in children:
            child.kill()
        raise


@contextmanager
def _calm_children() -> Iterator[None]:
    """Children begun here leave Ctrl-C to their parent and use one thread each."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update({name: value or "1" for name, value in before.items()})
    here = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if here else None
    try:
        yield
    finally:
        if here:
            signal.signal(signal.SIGINT, handler)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)


def rotations(line_up: LineUp) -> tuple[LineUp, ...]:
    """The different tables that moving everybody on by one seat, again and again, gives."""
    return tuple(dict.fromkeys(line_up[-shift:] + line_up[:-shift] for shift in range(len(line_up))))
