"""How long a step takes, in units of a fixed loop that is timed beside it: what test_speed compares with speed.json.

``python tests/speed.py`` prints the figures; ``--record`` writes them. Record on a quiet machine, at a commit whose
speed is as it should be. Times are processor time, and the shortest of many rounds counts, so other work on the machine
changes little; another kind of processor may change a figure by a fifth.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import atlantis_envs
from atlantis_envs.kernels.kernel import entry
from atlantis_envs.seats.agents import make_agent

RECORD = Path(__file__).with_name("speed.json")
ROUNDS = 25
LANES, STEPS = 256, 6
NAMES = ("atlandice", "atlantis", "atlantis_rising")
Work = Callable[[], None]


@entry
def _fixed_loop(table: np.ndarray) -> int:
    """Do a fixed amount of integer work with loads, stores and branches, as rules have them."""
    word, odd = np.uint64(88172645463325252), 0
    for _ in range(100_000):
        word ^= word << np.uint64(13)
        word ^= word >> np.uint64(7)
        word ^= word << np.uint64(17)
        slot = int(word & np.uint64(1023))
        if table[slot] & 1:
            odd += 1
            table[slot] += 3
        else:
            table[slot] += 1
    return odd


def compiled_loop() -> Work:
    """The unit of what is compiled."""
    table = np.zeros(1024, np.int64)
    return lambda: _fixed_loop(table)


def python_loop() -> Work:
    """The unit of what Python does: calls, attributes, dictionaries."""

    def work() -> None:
        found: dict[int, str] = {}
        for number in range(3_000):
            found[number & 255] = str(number)

    return work


def step(name: str) -> Work:
    """Random games in a batch: rules, masks, observations and chance."""
    game = atlantis_envs.game(name)
    batch, agent = game.batch(LANES, seed=1), make_agent("random", game)

    def work() -> None:
        for _ in range(STEPS):
            batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(1)))

    return work


def heuristic(name: str) -> Work:
    """The heuristic chooses in positions of random games."""
    game = atlantis_envs.game(name)
    batch, agent, random = game.batch(LANES, seed=1), make_agent("heuristic", game), make_agent("random", game)
    for _ in range(30):
        batch.step(random.act(batch.observations, batch.action_masks, batch.noise(1)))
    words = batch.noise(1)

    def work() -> None:
        agent.act(batch.observations, batch.action_masks, words)

    return work


def position(name: str) -> Work:
    """A position is copied, asked and played on from."""
    start = atlantis_envs.game(name).batch(1, seed=1).position(0)

    def work() -> None:
        for _ in range(60):
            other = start.clone()
            other.apply(other.legal_action_ids()[0])

    return work


WORKS: dict[str, tuple[Callable[[], Work], Callable[[str], Work]]] = {
    "step": (compiled_loop, step),
    "heuristic": (compiled_loop, heuristic),
    "position": (python_loop, position),
}


def ratio(unit: Work, work: Work, rounds: int = ROUNDS) -> float:
    """The shortest time of the work divided by the shortest time of the unit, timed in turn."""
    unit(), work()  # compiled, or loaded, by now
    times = [(_seconds(unit), _seconds(work)) for _ in range(rounds)]
    return min(own for _, own in times) / min(fixed for fixed, _ in times)


def _seconds(work: Work) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def figures() -> dict[str, float]:
    """Every figure, by ``work game``."""
    return {
        f"{kind} {name}": round(ratio(unit(), make(name)), 3) for kind, (unit, make) in WORKS.items() for name in NAMES
    }


if __name__ == "__main__":
    measured = figures()
    print("\n".join(f"{name:26}{value:8.3f}" for name, value in measured.items()))
    if "--record" in sys.argv[1:]:
        RECORD.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
