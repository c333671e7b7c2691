"""Whether the wheel works by itself: ``python tests/wheel.py python3.11 python3.12 ...`` (default: this interpreter).

The wheel is built from the working tree. For each interpreter an empty virtual environment gets it with what it depends
on, and nothing else. There, away from the source and with a kernel cache of its own, run ``atlantis --version``, the
first snippet of README.md and a game of heuristics. ``--lowest`` takes the lowest version of every dependency that
pyproject.toml allows. ``PIP_ARGS`` is passed to pip.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLOSING = """
import sys, atlantis_envs, gymnasium, numba, numpy, pettingzoo, safetensors
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.play.game_session import GameSession
game = atlantis_envs.game("atlandice")
assert all(make_agent(name, game) for name in ("network", "champion"))
assert env.agents == [] and "site-packages" in atlantis_envs.__file__
session = GameSession(game, [make_agent("heuristic", game)] * game.players, seed=1)
while session.step():
    pass
assert max(session.position.scores()) > 10
modules = (numpy, numba, gymnasium, pettingzoo, safetensors)
versions = [f"{module.__name__} {module.__version__}" for module in modules]
print("Python", sys.version.split()[0], *versions)
"""


def first_snippet(readme: str) -> str:
    """The first Python block of a Markdown text."""
    found = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    if found is None:
        raise ValueError("README.md: no Python block; allowed: at least one")
    return found.group(1)


def lowest_versions(project: str) -> list[str]:
    """What a pyproject.toml depends on, each at its lowest version, as pip takes it."""
    return [re.sub(r">=([^,]+).*", r"==\1", text) for text in tomllib.loads(project)["project"]["dependencies"]]


def run(*command: str | Path, **more: object) -> str:
    """Run a command and give its output; on failure that is printed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)  # type: ignore[call-overload]
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        raise SystemExit(f"failed: {shlex.join(map(str, command))}")
    return str(done.stdout)


def build(folder: Path) -> Path:
    """Build the wheel of the working tree."""
    extra = shlex.split(os.environ.get("PIP_ARGS", ""))
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", *extra, "-w", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def programs(folder: Path) -> Path:
    """Where an environment has its programs."""
    return folder / ("Scripts" if os.name == "nt" else "bin")


def check(interpreter: str, wheel: Path, folder: Path, versions: list[str]) -> str:
    """Install the wheel into an empty environment of that interpreter and use it there."""
    started = time.perf_counter()
    run(interpreter, "-m", "venv", folder)
    python = programs(folder) / "python"
    run(python, "-m", "pip", "install", "-q", *shlex.split(os.environ.get("PIP_ARGS", "")), wheel, *versions)
    run(python, "-m", "pip", "check")
    script = folder / "snippet.py"
    script.write_text(first_snippet((ROOT / "README.md").read_text("utf-8")) + CLOSING, "utf-8")
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ATLANTIS", "NUMBA"))}
    own = plain | {"ATLANTIS_ENVS_CACHE": str(folder / "kernels")}
    version = run(programs(folder) / "atlantis", "--version", cwd=folder, env=own).strip()
    path = Path(
        run(programs(folder) / "atlantis", "rules", "atlantis", "--path", cwd=folder, env=own).strip()
    ).resolve()
    assert path.is_relative_to(folder) and path.is_file(), path
    used = run(python, script, cwd=folder, env=own).strip()
    return f"{version} on {used}: first snippet, a game of heuristics, rules ({time.perf_counter() - started:.0f} s)"


def main(arguments: list[str]) -> None:
    """Check every interpreter and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("interpreters", nargs="*", default=[sys.executable])
    parser.add_argument("--lowest", action="store_true", help="with the lowest versions that are allowed")
    given = parser.parse_args(arguments)
    versions = lowest_versions((ROOT / "pyproject.toml").read_text("utf-8")) if given.lowest else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()  # a short name or a link elsewhere, but a path is compared below
        wheel = build(folder)
        for number, interpreter in enumerate(given.interpreters):
            print(check(interpreter, wheel, folder / f"env{number}", versions), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
