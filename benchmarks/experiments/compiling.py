"""What an edit costs: ``python -m benchmarks compile``.

A copy of the library in a temporary directory gets its own, empty kernel cache. Fresh processes then take a first step:
with nothing compiled (cold), with everything compiled (warm), and with one expression of one rules file changed, each
edit starting from the caches of the unedited copy. A first step is all from the start of the import to the end of one
``Batch.step``. Beside its seconds stand those of the processor, which a busy machine changes less, and how many kernels
were compiled anew: the edited one and those that call it, however indirectly.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import atlantis_envs
from benchmarks.measure import FIRST_STEP

# An edit is (file, expression, what it becomes): every one changes what the compiled code does, none its length.
Edit = tuple[str, str, str]
EDITS: dict[str, tuple[Edit, ...]] = {
    "atlandice": (("rules/board.py", "(players * share - 1.0)", "(players * share - 2.0)"),),
    "atlantis": (("rules/payment.py", "(players * share - 1.0)", "(players * share - 2.0)"),),
    "atlantis_rising": (
        ("rules/play.py", "else -1.0", "else -0.5"),
        ("rules/observation.py", "state.councilor[other] + 1", "state.councilor[other] + 2"),
        ("rules/play.py", "(int(state.first) + 1)", "(int(state.first) + 2)"),
        ("rules/board.py", "(seat + 1) % int(rules.players)", "(seat + 2) % int(rules.players)"),
        ("rules/building.py", "int(state.wrath) - 1)", "int(state.wrath) - 2)"),
        ("rules/locations.py", "outcome - Outcome.DIE + 1", "outcome - Outcome.DIE + 2"),
        ("rules/board.py", "rules.wrath_values[int(state.wrath)]", "rules.wrath_values[int(state.wrath) - 1]"),
    ),
}
WARM_RUNS = 5


@dataclass(frozen=True)
class Cost:
    """What one first step took.

    Attributes:
        seconds: from the start of the import to the end of the step.
        processor: seconds of the processor, the start of the interpreter included.
        compiled: kernels compiled in it.
    """

    seconds: float
    processor: float
    compiled: int


class Copy:
    """The library in a directory of its own, with a cache of its own."""

    def __init__(self, root: Path) -> None:
        """Copy the checkout's package."""
        self.root, self.cache = root / "code", root / "cache"
        source = Path(atlantis_envs.__file__).parent
        shutil.copytree(source, self.root / source.name, ignore=shutil.ignore_patterns("__pycache__"))
        self.cache.mkdir()

    def edit(self, game: str, change: Edit) -> None:
        """Change one expression, which must be there once.

        Raises:
            ValueError: it is not.
        """
        name, old, new = change
        path = self.root / "atlantis_envs" / "games" / game / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise ValueError(f"{game}/{name}: {old!r} is there {text.count(old)} times; allowed: once")
        path.write_text(text.replace(old, new), encoding="utf-8")

    def first_step(self, game: str) -> Cost:
        """Take a first step in a fresh process that knows this copy alone."""
        before = self._kernels()
        environment = {**os.environ, "PYTHONPATH": str(self.root), "ATLANTIS_ENVS_CACHE": str(self.cache)}
        environment["ATLANTIS_ENVS_PREBUILT"] = "0"
        code = f"{FIRST_STEP.format(name=game)}; print(time.process_time()); print(atlantis_envs.__file__)"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=self.root)
        seconds, processor, path = done.stdout.splitlines()
        if not Path(path).is_relative_to(self.root):
            raise RuntimeError(f"the process imported {path}; allowed: the copy in {self.root}")
        return Cost(float(seconds), float(processor), self._kernels() - before)

    def _kernels(self) -> int:
        """Count the entries of the cache, one for each kernel and its types."""
        return len(list(self.cache.rglob("*.nbc")))


@dataclass(frozen=True)
class Study:
    """All first steps of a game: cold, warm (median), and after each edit."""

    cold: Cost
    warm: Cost
    edited: tuple[tuple[Edit, Cost], ...]


def study(game: str, warm_runs: int = WARM_RUNS) -> Study:
    """Measure one game."""
    with tempfile.TemporaryDirectory() as directory:
        plain = Copy(Path(directory) / "plain")
        cold = plain.first_step(game)
        warm = [plain.first_step(game) for _ in range(warm_runs)]
        middle = sorted(warm, key=lambda cost: cost.seconds)[len(warm) // 2]
        edited = []
        for number, change in enumerate(EDITS[game]):
            copy = Copy(Path(directory) / str(number))
            shutil.copytree(plain.cache, copy.cache, dirs_exist_ok=True)
            copy.edit(game, change)
            edited.append((change, copy.first_step(game)))
        return Study(cold, middle, tuple(edited))


def main(arguments: list[str] | None = None) -> int:
    """Print the table; 1 if an edit costs as much as a cold start, or a warm start more than the limit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks compile", description=__doc__)
    parser.add_argument("games", nargs="*", help=f"which games (default: {' '.join(EDITS)})")
    parser.add_argument("--warm-limit", type=float, default=1.5, help="seconds allowed for a warm first step")
    given = parser.parse_args(arguments)
    unknown = sorted(set(given.games) - set(EDITS))
    if unknown:
        parser.error(f"games: {', '.join(unknown)}; allowed: {', '.join(EDITS)}")
    late = False
    for game in given.games or EDITS:
        found = study(game)
        row(f"{game}, cold", found.cold, found.cold)
        row(f"{game}, warm", found.warm, found.cold)
        for (name, old, new), cost in found.edited:
            row(f"{game}, {name}: {old} -> {new}", cost, found.cold)
            late |= cost.seconds >= found.cold.seconds
        late |= found.warm.seconds > given.warm_limit
    return int(late)


def row(label: str, cost: Cost, cold: Cost) -> None:
    """Print one line of the table."""
    share = f"{cost.seconds / cold.seconds:.0%} of cold"
    times = f"{cost.seconds:7.2f} s  {cost.processor:7.2f} s of processor"
    print(f"{label:<100} {times}  {share:>12}  {cost.compiled:>4} kernels compiled", flush=True)


if __name__ == "__main__":
    sys.exit(main())
