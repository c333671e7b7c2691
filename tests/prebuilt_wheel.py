"""The wheel that carries compiled kernels: ``python tests/prebuilt_wheel.py`` builds it into dist/ and tries it.

The kernels are compiled from the working tree, for this version of Python and of numba and for processors of the last
ten years. Then an empty virtual environment gets the wheel, with the versions of constraints.txt; there every game
takes its first step and plays its first game of the heuristic with an empty cache, and must not compile anything. At
last one byte of one installed entry is changed: that kernel, and no other, must be compiled, and a line must say so.
``PIP_ARGS`` is passed to pip; ``--try WHEEL`` tries one that is there already.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from wheel import ROOT, first_snippet, run

from atlantis_envs.registry import GAMES, environment_name
from atlantis_envs.warm import compile_for_wheels

SHARES = (("atlantis_rising",), ("atlandice", "atlantis"))  # of two processes: about as much work for each
FIRST_STEP = """
import time; started = time.perf_counter(), time.process_time()
from atlantis_envs import {name}
env = {name}.env()
env.reset(seed=1)
env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
"""
FIRST_GAME = """
import time; started = time.perf_counter(), time.process_time()
import numpy, atlantis_envs
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.agents import make_agent
game = atlantis_envs.game({game!r})
games = SeatBatch(game, 1, 0, "heuristic")
learner = make_agent("heuristic", game)
games.reset(1)
while not games.step(learner.act(games.observations, games.masks, numpy.zeros(1, numpy.uint64))).over.any():
    pass
"""
LIMITS = {"first step": (FIRST_STEP, 3.0), "first heuristic game": (FIRST_GAME, 4.0)}  # processor seconds
OPENED = """
import sys
sys.addaudithook(lambda event, given: event == "open" and str(given[0]).endswith(".nbz") and print(given[0]))
"""
CLOSING = "print(time.perf_counter() - started[0], time.process_time() - started[1])\n"


def snapshot(place: Path) -> Path:
    """Copy what a wheel is built of: what is edited meanwhile must not come in, nor into the digests of kernels."""
    for name in ("atlantis_envs", "agents", "training"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__", "prebuilt"))
    shutil.copytree(ROOT / "docs" / "rules", place / "docs" / "rules")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, place / name)
    return place


def compile_kernels(source: Path, place: Path) -> str:
    """Compile all kernels into a directory that a wheel can carry; how many there are."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "ATLANTIS"))}
    with tempfile.TemporaryDirectory() as cache:
        path = os.pathsep.join(str(source / part) for part in ("", "agents", "training"))
        own = {"ATLANTIS_ENVS_CACHE": cache, "ATLANTIS_ENVS_PREBUILT": "0"}
        variables = plain | compile_for_wheels() | own | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        warm = [sys.executable, "-m", "atlantis_envs.warm"]
        processes = [subprocess.Popen([*warm, *share], env=variables, cwd=source) for share in SHARES]
        if any([process.wait() for process in processes]):
            raise SystemExit("failed: python -m atlantis_envs.warm")
        code = "from pathlib import Path; from atlantis_envs.warm import pack; print(pack(Path({!r})))"
        return run(sys.executable, "-c", code.format(str(place)), env=variables, cwd=source).strip()


def build(source: Path, place: Path) -> Path:
    """Build the wheel with these kernels into dist/."""
    with tempfile.TemporaryDirectory() as folder:
        extra = shlex.split(os.environ.get("PIP_ARGS", ""))
        own = os.environ | {"ATLANTIS_ENVS_WHEEL_KERNELS": str(place)}
        run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", *extra, "-w", folder, source, env=own)
        (made,) = Path(folder).glob("*.whl")
        (ROOT / "dist").mkdir(exist_ok=True)
        wheel = ROOT / "dist" / made.name
        wheel.write_bytes(made.read_bytes())
        return wheel


def try_out(wheel: Path, folder: Path) -> bool:
    """Install the wheel into an empty environment and time what a user does first; whether it was fast enough."""
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    constraints = ("-c", ROOT / "constraints.txt", *shlex.split(os.environ.get("PIP_ARGS", "")))
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *constraints, wheel)
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ATLANTIS", "NUMBA"))}
    good = True
    for game in GAMES:
        for what, (code, limit) in LIMITS.items():
            cache = folder / "kernels" / game / what
            variables = plain | {"ATLANTIS_ENVS_CACHE": str(cache)}
            script = code.format(game=game, name=environment_name(game)) + CLOSING
            command = [str(python), "-c", script]
            done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=folder)
            if done.returncode or done.stderr or list(cache.rglob("*.nb*")):
                print(f"{game}, {what}: not from the wheel\n{done.stderr}", file=sys.stderr)
                good = False
                continue
            seconds, processor = map(float, done.stdout.split())
            good &= processor <= limit
            print(f"{game:16} {what:21} {seconds:5.2f} s, {processor:5.2f} s of the processor (limit {limit:g})")
    return good


def damage(folder: Path) -> bool:
    """Change one byte of one entry that the first snippet of README.md uses; whether that is found, told and mended."""
    cache, snippet = folder / "kernels" / "damaged", first_snippet((ROOT / "README.md").read_text("utf-8"))
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ATLANTIS", "NUMBA"))}

    def play(code: str) -> subprocess.CompletedProcess[str]:
        command = [str(folder / "bin" / "python"), "-c", code]
        variables = plain | {"ATLANTIS_ENVS_CACHE": str(cache)}
        return subprocess.run(command, capture_output=True, text=True, env=variables, cwd=folder)

    opened = play(OPENED + snippet).stdout.splitlines()
    entry = max(map(Path, opened), key=lambda path: path.stat().st_size)
    raw = bytearray(entry.read_bytes())
    raw[len(raw) // 2] ^= 1
    entry.write_bytes(raw)
    started = time.perf_counter()
    done = play(snippet)
    seconds = time.perf_counter() - started
    print(f"{len(opened)} entries in use, one byte of {entry.name} changed: {seconds:.1f} s, on standard error:")
    print(done.stderr, end="")
    told = f"atlantis-envs: prebuilt/{entry.name} is not as it was built: it is not used, its kernel is compiled."
    made = [path.name.partition(".")[0] for path in cache.rglob("*.nbc")]
    good = done.returncode == 0 and done.stderr.splitlines().count(told) == 1 and made == [entry.name.partition(".")[0]]
    if not good:
        print(f"not told once, or compiled: {made}; allowed: {entry.name} alone", file=sys.stderr)
    return good


def main(arguments: list[str]) -> int:
    """Build and try, or try what is there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments[:1] == ["--try"]:
            wheel = Path(arguments[1])
        else:
            started = time.perf_counter()
            source = snapshot(folder / "source")
            count = compile_kernels(source, folder / "prebuilt")
            wheel = build(source, folder / "prebuilt")
            size = wheel.stat().st_size / 1e6
            print(f"{wheel.relative_to(ROOT)}: {size:.1f} MB, {count} entries, {time.perf_counter() - started:.0f} s")
        tried = try_out(wheel, folder / "env")
        return 0 if damage(folder / "env") and tried else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
