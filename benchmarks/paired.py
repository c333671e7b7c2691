"""Heuristic games of two versions of the source, by turns in one run: a machine's moods hit both alike."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path

import atlantis_envs
from benchmarks.measure import Process

HERE = Path(__file__).resolve().parents[1]
LANES = 1024
# Run in a process per version, with names both have; where a function has moved, both places are tried. A warm-up, then
# a stretch of play for every line that comes in. Prints nanoseconds of processor time per decision: the heuristic's
# choice, everything.
WORKER = """
import sys, time
import atlantis_envs
try:
    from atlantis_envs.seats.agents import make_agent
except ImportError:
    from atlantis_envs.engine.agents import make_agent
game = atlantis_envs.game(sys.argv[1])
agent = make_agent("heuristic", game)
batch = game.batch(int(sys.argv[2]), seed=1)
steps = int(sys.argv[3])
def play(count):
    chosen = 0.0
    began = time.process_time()
    for _ in range(count):
        noise = batch.noise(2)
        asked = time.process_time()
        actions = agent.act(batch.observations, batch.action_masks, noise)
        chosen += time.process_time() - asked
        batch.step(actions)
    return chosen, time.process_time() - began
play(60)
print("ready", flush=True)
for _ in sys.stdin:
    print(*(1e9 * seconds / steps / len(batch.seats) for seconds in play(steps)), flush=True)
"""


class Worker(Process):
    """A process that plays in one version of the source; its kernels have a cache of their own beside it.

    By default it answers a line with nanoseconds of the choice and of everything.
    """

    def __init__(self, tree: Path, name: str, steps: int, code: str = WORKER, lanes: int = LANES) -> None:
        """Start it and wait until it has compiled."""
        paths = os.pathsep.join(str(path) for path in (tree, tree / "agents", tree / "training"))
        command = [sys.executable, "-c", code, name, str(lanes), str(steps)]
        super().__init__(command, f"this library as in {tree}", tree, {"PYTHONPATH": paths})


def compare(other: Path, name: str, pairs: int, steps: int) -> str:
    """One row: nanoseconds of both, and how many times as many decisions this version takes in the same time."""
    old, new = Worker(other, name, steps), Worker(HERE, name, steps)
    try:
        played = [(old.play(), new.play()) for _ in range(pairs)]
    finally:
        old.stop()
        new.stop()
    cells = [ratio_cells([(before[part], after[part]) for before, after in played]) for part in (0, 1)]
    return f"| {name} | " + " | ".join(cells) + " |"


def ratio_cells(pairs: list[tuple[float, float]]) -> str:
    """Medians of both, and the median of what the first is to the second, pair by pair, 10th-90th percentile."""
    before, after = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = sorted(first / second for first, second in pairs)
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    return f"{before:,.0f} -> {after:,.0f} | x {statistics.median(ratios):.3f} ({low:.2f}-{high:.2f})"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks paired", description=__doc__)
    parser.add_argument("other", type=Path, help="directory of another version of the source, for example a worktree")
    parser.add_argument("games", nargs="*", default=list(atlantis_envs.game_names()), help="which games (default: all)")
    parser.add_argument("--pairs", type=int, default=40, help="how often each version has its turn (default: 40)")
    parser.add_argument("--steps", type=int, default=60, help="steps of 1,024 lanes in a turn (default: 60)")
    chosen = parser.parse_args(arguments)
    print("| game | the choice, ns | median ratio (10th-90th percentile) | choice and step, ns | median ratio |")
    print("|---|---|---|---|---|")
    for name in chosen.games:
        print(compare(chosen.other.resolve(), name, chosen.pairs, chosen.steps), flush=True)
    return 0
