"""What a second worker of a Ray cluster adds: games by one worker and by two, by turns, on a cluster of this machine.

Of each turn: games per second; the cores that the workers got; games per second of their processor time; the share of
their time that they had games in hand, the rest being what handing out costs; and processor time of the command per
task. Where cores are shared with other work the first figure says little. The others hold all the same, and with them

    speed-up where cores allow = 2 x (share in hand x games per second of processor time, two workers over one),

of each two turns that follow each other; printed are the median and the middle half.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import atlantis_envs
from atlantis_training.evaluation.cluster import LOCAL, Cluster, RayPool, joined
from atlantis_training.evaluation.measure import Task, play_task, tasks_of, tried_agents
from atlantis_training.evaluation.worker_pool import Notes
from atlantis_training.signals import Stop

NOTES = Notes("stopping", "workers were lost three times at the same games")
EMPTY = 3000  # tasks of nothing
Spent = tuple[int, int, float, float, float]  # of a task: whose process, games, processor time, when it began and ended


class Turn(NamedTuple):
    """What came of one turn."""

    games: float  # per second
    cores: float
    per_processor: float  # games per second of processor time
    in_hand: float
    command: float  # seconds of processor time per task


def timed(name: str, line_up: tuple[str, ...]) -> Callable[[Task], Spent]:
    """Return, in a worker, what plays a task and says what it took."""
    game = atlantis_envs.game(name, len(line_up))
    agents = tried_agents(game, line_up)

    def work(task: Task) -> Spent:
        began, before = time.time(), time.process_time()
        games = sum(len(results.plies) for results in play_task(game, agents, 1, task))
        return os.getpid(), games, time.process_time() - before, began, time.time()

    return work


def turn(pool: RayPool[Task, Spent], workers: int, tasks: list[Task]) -> Turn:
    """Let one worker of a pool of two play these tasks, one at a time, or both of them.

    The clock stops at the mean of the workers' last answers: that one has nothing left while another still plays is
    the number of tasks, and not what handing out costs.
    """
    before = time.process_time()
    shares = [tasks] if workers == 2 else [[task] for task in tasks]
    spent = [found for share in shares for _, found in pool.work(share)]
    command = (time.process_time() - before) / len(tasks)
    _, games, processor, began, ended = (list(column) for column in zip(*spent, strict=True))
    last = {one[0]: one[4] for one in sorted(spent, key=lambda one: one[4])}
    wall = statistics.mean(last.values()) - min(began)
    in_hand = (sum(ended) - sum(began)) / (workers * wall)
    return Turn(sum(games) / wall, sum(processor) / wall, sum(games) / sum(processor), in_hand, command)


def idle() -> Callable[[int], int]:
    """Return, in a worker, what does nothing."""
    return lambda task: task


def handing_out(workers: int, count: int) -> tuple[float, float]:
    """Return milliseconds of an empty task, and of the command's processor time for it."""
    pool: RayPool[int, int] = RayPool(Cluster(workers), idle, (), Stop(), NOTES, stay=True)
    try:
        for _ in pool.work(range(100)):
            pass
        started, before = time.perf_counter(), time.process_time()
        found = sum(1 for _ in pool.work(range(count)))
        passed, spent = time.perf_counter() - started, time.process_time() - before
    finally:
        pool.close()
    return 1e3 * passed / found, 1e3 * spent / found


def medians(turns: list[Turn]) -> Turn:
    """Return the median of every column by itself."""
    return Turn(*(statistics.median(column) for column in zip(*turns, strict=True)))


def allowed(one: Turn, two: Turn) -> float:
    """Return how many times the games of one worker two play where each has a core to itself."""
    return 2 * (two.in_hand * two.per_processor) / (one.in_hand * one.per_processor)


def pairs(ones: list[Turn], twos: list[Turn]) -> list[float]:
    """Return ``allowed`` of each two turns that followed each other, sorted: other work hits both alike."""
    return sorted(allowed(one, two) for one, two in zip(ones, twos, strict=True))


def cells(workers: int, turn: Turn) -> str:
    """Return a line of the table."""
    played = f"{turn.games:,.0f} | {turn.cores:.2f} | {turn.per_processor:,.0f}"
    return f"| {workers} | {played} | {turn.in_hand:.1%} | {1e3 * turn.command:.1f} ms |"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 where two workers would be less than 1.8 times one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cluster", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("game", nargs="?", default="atlantis_rising")
    parser.add_argument("--agent", default="heuristic", help="in every seat (default: heuristic)")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--games", type=int, default=1024, help="of a turn, in 16 tasks or more (default: 1024)")
    parser.add_argument("--turns", type=int, default=9, help="of one worker and of two (default: 9)")
    given = parser.parse_args(arguments)
    line_up = (given.agent,) * given.players
    tried_agents(atlantis_envs.game(given.game, given.players), line_up)  # compiled here, if anything is
    tasks, turns = tasks_of([line_up], given.games), {workers: list[Turn]() for workers in (1, 2)}
    with joined(LOCAL):
        pool: RayPool[Task, Spent] = RayPool(Cluster(2), timed, (given.game, line_up), Stop(), NOTES, stay=True)
        try:
            turn(pool, 2, tasks)
            for number in range(given.turns):
                for workers in (1, 2) if number % 2 == 0 else (2, 1):
                    turns[workers].append(turn(pool, workers, tasks))
                    print(".", end="", file=sys.stderr, flush=True)
        finally:
            pool.close()
        empty = {workers: handing_out(workers, EMPTY) for workers in (1, 2)}
    print(f"\n{given.game}, {given.players} x {given.agent}, {given.games} games in {len(tasks)} tasks, ", end="")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| workers | games/s | cores got | games/s of processor time | games in hand | the command, a task |")
    print("|---|---|---|---|---|---|")
    one, two = medians(turns[1]), medians(turns[2])
    print(cells(1, one), cells(2, two), sep="\n")
    print()
    for workers, (passed, spent) in empty.items():
        print(f"an empty task, workers {workers}: {passed:.2f} ms, {spent:.2f} ms of it the command's processor time")
    ratios = pairs(turns[1], turns[2])
    low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
    expected = statistics.median(ratios)
    print(
        f"two over one: {two.games / one.games:.2f} measured; where cores allow {expected:.2f} ({low:.2f}-{high:.2f})"
    )
    return int(expected < 1.8)
