"""Two versions of the source by turns in one run, since a machine's moods hit both alike: heuristics, and faces.

With ``--limit`` the command fails where this version takes longer than that many times what the other takes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path

import atlantis_envs
from benchmarks.measure import Process

ABOUT = "Heuristic games of two versions of the source, by turns in one run."
HERE = Path(__file__).resolve().parents[1]
HEURISTIC_LANES, FACE_LANES = 1024, 512
Pairs = list[tuple[float, float]]  # the other version's time and this one's, turn by turn
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

    def __init__(self, tree: Path, name: str, steps: int, code: str = WORKER, lanes: int = HEURISTIC_LANES) -> None:
        """Start it and wait until it has compiled."""
        paths = os.pathsep.join(str(path) for path in (tree, tree / "agents", tree / "training"))
        command = [sys.executable, "-c", code, name, str(lanes), str(steps)]
        super().__init__(command, f"this library as in {tree}", tree, {"PYTHONPATH": paths})


class Slower:
    """What takes longer than a limit allows, in times of the other version.

    Args:
        limit: as many times the other version's time are allowed; None: any.
    """

    def __init__(self, limit: float | None) -> None:
        """Begin with nothing found."""
        self.limit, self.found = limit, list[str]()

    def judge(self, what: str, pairs: Pairs) -> None:
        """Keep what takes too long, by the median of (other, this) times."""
        times = 1 / median_ratio(pairs) if all(min(pair) > 0 for pair in pairs) else 0.0
        if self.limit is not None and times > self.limit:
            self.found.append(f"{what}: x {times:.2f}")

    def report(self) -> int:
        """Print what was found; return the exit code."""
        if self.found:
            print(f"slower than {self.limit} times the other version: {'; '.join(self.found)}")
        return 1 if self.found else 0


def limit_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--limit``."""
    parser.add_argument("--limit", type=float, help="fail where this version takes as many times the other's time")


def compare(other: Path, name: str, pairs: int, steps: int, slower: Slower) -> str:
    """Return one row: nanoseconds of both, and how many times as many decisions this version takes in the same time."""
    old, new = Worker(other, name, steps), Worker(HERE, name, steps)
    try:
        played = [(old.play(), new.play()) for _ in range(pairs)]
    finally:
        old.stop()
        new.stop()
    parts = [[(before[part], after[part]) for before, after in played] for part in (0, 1)]
    slower.judge(f"{name}, the choice", parts[0])
    slower.judge(f"{name}, choice and step", parts[1])
    cells = [ratio_cells(part) for part in parts]
    return f"| {name} | " + " | ".join(cells) + " |"


def median_ratio(pairs: Pairs) -> float:
    """Return the median of what the first is to the second."""
    return statistics.median(first / second for first, second in pairs)


def ratio_cells(pairs: Pairs) -> str:
    """Return medians of both, and the median of what the first is to the second by pairs, 10th-90th percentile."""
    before, after = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = sorted(first / second for first, second in pairs)
    low, high = ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]
    return f"{before:,.0f} -> {after:,.0f} | x {median_ratio(pairs):.3f} ({low:.2f}-{high:.2f})"


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks paired", description=ABOUT)
    parser.add_argument("other", type=Path, help="directory of another version of the source, for example a worktree")
    parser.add_argument("games", nargs="*", default=list(atlantis_envs.game_names()), help="which games (default: all)")
    parser.add_argument("--pairs", type=int, default=40, help="how often each version has its turn (default: 40)")
    parser.add_argument("--steps", type=int, default=60, help="steps of 1,024 lanes in a turn (default: 60)")
    limit_option(parser)
    chosen = parser.parse_args(arguments)
    print("| game | the choice, ns | median ratio (10th-90th percentile) | choice and step, ns | median ratio |")
    print("|---|---|---|---|---|")
    slower = Slower(chosen.limit)
    for name in chosen.games:
        print(compare(chosen.other.resolve(), name, chosen.pairs, chosen.steps, slower), flush=True)
    return slower.report()


# ---------------------------------------------------------------------------------------------------------------- faces

FACES_ABOUT = "A step of every face in two versions of the source, by turns in one run."
FACES = (
    "batch",
    "raw_env, whole games",
    "Gymnasium vector",
    "VecEnv",
    "Gymnasium vector, flat",
    "Position.clone",
    "Position.legal_actions",
    "Position.apply",
    "batch, noise and random choice included",
)
VECENV, FLAT = 3, 4
# Run in a process per version, with names both have; where a class has moved, both places are tried. A line that comes
# in is the number of a face; printed are nanoseconds of processor time of a step alone, the choice left out, divided
# by lanes or moves, or 0 where a version has no such face. PettingZoo plays the same recorded games in both. The flat
# face does a VecEnv's work: floats, and masks asked for. The three of positions take decisions of recorded games.
FACE_WORKER = """
import importlib, sys, time
import gymnasium, numpy as np
import atlantis_envs
try:
    from atlantis_envs.seats.agents import make_agent
    from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
except ImportError:
    from atlantis_envs.engine.agents import make_agent
    from atlantis_training.vecenv import SeatVecEnv
name, lanes, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
game = atlantis_envs.game(name)
agent = make_agent("random", game)
words = np.random.default_rng(0).integers(0, 2**64, lanes, dtype=np.uint64)
version = getattr(importlib.import_module("atlantis_envs.registry"), "ENVIRONMENTS", {}).get(name, 0)
identifier = f"atlantis_envs:atlantis_envs/{name.title().replace('_', '')}-v{version}"
bytes_of = np.zeros((lanes, game.observation_size), np.uint8)

def timed(step, choose, size, count):
    spent = 0.0
    for _ in range(count):
        action = choose()
        began = time.process_time()
        step(action)
        spent += time.process_time() - began
    return spent / size / count

def of_batch():
    batch = game.batch(lanes, seed=1)
    return batch.step, lambda: agent.act(batch.observations, batch.action_masks, batch.noise(2)), lanes

def of_aec():
    env = importlib.import_module(f"atlantis_envs.{name}_v{version}").raw_env()
    games, size = [], 0
    for seed in range(20):
        env.reset(seed=seed)
        games.append([])
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            legal = env.observe(env.agent_selection)["action_mask"].nonzero()[0]
            games[-1].append(int(legal[int(shuffled()[0]) % len(legal)]))
            env.step(games[-1][-1])
        size += len(games[-1])
    def play(games):
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            for action in actions:
                env.step(action)
    return play, lambda: games, size

def shuffled():
    words[:] = words * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return words

def of_vector(**options):
    env = gymnasium.make_vec(identifier, num_envs=lanes, vectorization_mode="vector_entry_point", opponents="random",
                             learner_seat=0, **options)
    masks = env.reset(seed=1)[1]["action_mask"]
    def step(actions):
        nonlocal masks
        masks = env.step(actions)[4]["action_mask"]
    return step, lambda: agent.act(bytes_of, masks, shuffled()), lanes

def of_vecenv():
    env = SeatVecEnv(game, lanes, opponents="random", learner_seat=0)
    env.reset()
    masks = np.stack(env.env_method("action_masks"))
    def step(actions):
        nonlocal masks
        env.step(actions)
        masks = np.stack(env.env_method("action_masks"))
    return step, lambda: agent.act(bytes_of, np.asarray(masks, np.int8), shuffled()), lanes

def decisions(wanted=200):
    found, position = [], None
    while len(found) < wanted:
        if position is None or position.node == "over":
            position = game.initial_position()
        while position.node == "chance":
            position.apply(position.sample_chance(int(shuffled()[0])))
        if position.node == "decision":
            legal = position.legal_action_ids()
            found.append((position.clone(), legal[int(shuffled()[0]) % len(legal)]))
            position.apply(found[-1][1])
    return found

def of_positions(step, choose=None):
    found = decisions()
    return step, (lambda: found) if choose is None else lambda: choose(found), len(found)

def clone(pairs):
    for position, _ in pairs:
        position.clone()

def legal_actions(pairs):
    for position, _ in pairs:
        position.legal_actions()

def apply(pairs):
    for position, move in pairs:
        position.apply(move)

def with_copies(found):
    return [(position.clone(), move) for position, move in found]

def of_play():
    batch = game.batch(lanes, seed=1)
    def play(_):
        batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(2)))
    return play, lambda: None, lanes

makers = [of_batch, of_aec, of_vector, of_vecenv, lambda: of_vector(flat=True), lambda: of_positions(clone),
          lambda: of_positions(legal_actions), lambda: of_positions(apply, with_copies), of_play]
faces = {}

def face(number):
    if number not in faces:
        try:
            faces[number] = makers[number]()
            timed(*faces[number], 20)
        except (AttributeError, TypeError, ValueError):
            faces[number] = None
    return faces[number]

print("ready", flush=True)
for line in sys.stdin:
    asked = face(int(line))
    print(1e9 * timed(*asked, steps) if asked else 0.0, flush=True)
"""


def face_times(other: Path, worker: tuple[str, int, int], turns: int, numbers: list[int]) -> dict[int, Pairs]:
    """Return nanoseconds of the other version and of this one, for each face and turn.

    Args:
        other: the tree of the other version.
        worker: the game, steps of all lanes in a turn, and lanes.
        turns: of each version.
        numbers: which faces.
    """
    name, steps, lanes = worker
    old, new = (Worker(tree, name, steps, FACE_WORKER, lanes) for tree in (other, HERE))
    spent: dict[int, Pairs] = {number: [] for number in numbers}
    try:
        for turn in range(turns):
            for number in numbers:
                first, second = (old, new) if turn % 2 else (new, old)
                times = {id(worker): worker.play(str(number))[0] for worker in (first, second)}
                spent[number].append((times[id(old)], times[id(new)]))
    finally:
        old.stop()
        new.stop()
    return spent


def face_rows(name: str, spent: dict[int, Pairs]) -> list[str]:
    """Return one row per face, and one for the two vector views of this version on the same work."""
    rows = [f"| {name} | {FACES[number]} | {ratio_cells(pairs)} |" for number, pairs in spent.items() if number != FLAT]
    views = [(vecenv[1], flat[1]) for vecenv, flat in zip(spent.get(VECENV, []), spent.get(FLAT, []), strict=False)]
    return [*rows, f"| {name} | VecEnv -> {FACES[FLAT]}, this version | {ratio_cells(views)} |"] if views else rows


def faces_main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks faces", description=FACES_ABOUT)
    parser.add_argument("other", type=Path, help="directory of another version of the source, for example a worktree")
    parser.add_argument("games", nargs="*", default=list(atlantis_envs.game_names()), help="which games (default: all)")
    parser.add_argument("--face", action="append", choices=FACES, help="one of these alone; may be repeated")
    parser.add_argument("--turns", type=int, default=40, help="how often each version has its turn (default: 40)")
    parser.add_argument("--steps", type=int, default=60, help="steps of all lanes in a turn (default: 60)")
    parser.add_argument("--lanes", type=int, default=FACE_LANES, help=f"games side by side (default: {FACE_LANES})")
    limit_option(parser)
    chosen = parser.parse_args(arguments)
    numbers = [number for number, face in enumerate(FACES) if not chosen.face or face in chosen.face]
    print("| game | face | ns a step and lane, or a call, before -> after | median ratio (10th-90th percentile) |")
    print("|---|---|---|---|")
    slower = Slower(chosen.limit)
    for name in chosen.games:
        spent = face_times(chosen.other.resolve(), (name, chosen.steps, chosen.lanes), chosen.turns, numbers)
        for number in numbers:
            slower.judge(f"{name}, {FACES[number]}", spent[number])
        print("\n".join(face_rows(name, spent)), flush=True)
    return slower.report()
