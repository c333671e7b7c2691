"""What a second worker of a Ray cluster adds: games by one worker and by two, by turns, on a cluster of this machine.

Of each turn: games per second; the cores that the workers got; games per second of their processor time; the share of
their time that they had games in hand, the rest being what handing out costs; and processor time of the command per
task. Where cores are shared with other work the first figure says little. The others hold all the same, and with them

    speed-up where cores allow = 2 x (share in hand x games per second of processor time, two workers over one).
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
from atlantis_training.lab.cluster import LOCAL, Cluster, RayCrew, joined
from atlantis_training.lab.crew import Notes
from atlantis_training.lab.workers import Players, Task, cut
from atlantis_training.signals import Stop

NOTES = Notes("stopping", "workers were lost three times at the same games")
Spent = tuple[int, int, float, float, float]  # of a task: whose process, games, processor time, when it began and ended


class Turn(NamedTuple):
    """What came of one turn."""

    games: float  # per second
    cores: float
    per_processor: float  # games per second of processor time
    in_hand: float
    command: float  # seconds of processor time per task


def timed(name: str, line_up: tuple[str, ...]) -> Callable[[Task], Spent]:
    """In a worker: play a task and say what it took."""
    players = Players(atlantis_envs.game(name, len(line_up)), line_up)

    def work(task: Task) -> Spent:
        began, before = time.time(), time.process_time()
        games = sum(len(results.plies) for results in players.play(task, 1))
        return os.getpid(), games, time.process_time() - before, began, time.time()

    return work


def turn(name: str, line_up: tuple[str, ...], workers: int, tasks: list[Task]) -> Turn:
    """Begin the workers, let them play some games, and measure the rest.

    The clock stops at the mean of the workers' last answers: that one has nothing left while another still plays is
    the number of tasks, and not what handing out costs.
    """
    crew: RayCrew[Task, Spent] = RayCrew(Cluster(workers), timed, (name, line_up), Stop(), NOTES, stay=True)
    try:
        for _ in crew.work(tasks[: 4 * workers]):
            pass
        before = time.process_time()
        spent = [found for _, found in crew.work(tasks)]
        command = (time.process_time() - before) / len(tasks)
    finally:
        crew.close()
    _, games, processor, began, ended = (list(column) for column in zip(*spent, strict=True))
    last = {one[0]: one[4] for one in sorted(spent, key=lambda one: one[4])}
    wall = statistics.mean(last.values()) - min(began)
    in_hand = (sum(ended) - sum(began)) / (workers * wall)
    return Turn(sum(games) / wall, sum(processor) / wall, sum(games) / sum(processor), in_hand, command)


def medians(turns: list[Turn]) -> Turn:
    """Of every column by itself."""
    return Turn(*(statistics.median(column) for column in zip(*turns, strict=True)))


def allowed(one: Turn, two: Turn) -> float:
    """How many times the games of one worker two play where each has a core to itself."""
    return 2 * (two.in_hand * two.per_processor) / (one.in_hand * one.per_processor)


def cells(workers: int, turn: Turn) -> str:
    """A line of the table."""
    played = f"{turn.games:,.0f} | {turn.cores:.2f} | {turn.per_processor:,.0f}"
    return f"| {workers} | {played} | {turn.in_hand:.1%} | {1e3 * turn.command:.1f} ms |"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 where two workers would be less than 1.8 times one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks cluster", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("game", nargs="?", default="atlantis_rising")
    parser.add_argument("--agent", default="heuristic", help="in every seat (default: heuristic)")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--games", type=int, default=4096, help="of a turn, in 16 tasks or more (default: 4096)")
    parser.add_argument("--turns", type=int, default=3, help="of one worker and of two (default: 3)")
    given = parser.parse_args(arguments)
    line_up = (given.agent,) * given.players
    Players(atlantis_envs.game(given.game, given.players), line_up)  # compiled here, if anything is
    tasks, turns = cut([line_up], given.games), {workers: list[Turn]() for workers in (1, 2)}
    with joined(LOCAL):
        for number in range(given.turns):
            for workers in (1, 2) if number % 2 == 0 else (2, 1):
                turns[workers].append(turn(given.game, line_up, workers, tasks))
                print(".", end="", file=sys.stderr, flush=True)
    print(f"\n{given.game}, {given.players} x {given.agent}, {given.games} games in {len(tasks)} tasks, ", end="")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| workers | games/s | cores got | games/s of processor time | games in hand | the command, a task |")
    print("|---|---|---|---|---|---|")
    one, two = medians(turns[1]), medians(turns[2])
    print(cells(1, one), cells(2, two), sep="\n")
    print(f"\ntwo over one: {two.games / one.games:.2f} measured, {allowed(one, two):.2f} where cores allow")
    return int(allowed(one, two) < 1.8)
