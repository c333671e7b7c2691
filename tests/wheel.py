"""Whether the wheel works by itself: ``python tests/wheel.py python3.11 python3.12 ...`` (default: this interpreter).

The wheel is built from the working tree. For each interpreter an empty virtual environment gets it with what it depends
on, and nothing else; there the first snippet of README.md runs, away from the source, with a kernel cache of its own.
``PIP_ARGS`` is passed to pip.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLOSING = """
import sys, atlantis_envs, gymnasium, numba, numpy, pettingzoo
from atlantis_envs.seats.agents import make_agent
assert all(make_agent(name, atlantis_envs.game("atlandice")) for name in ("network", "champion"))
assert env.agents == [] and "site-packages" in atlantis_envs.__file__
versions = [f"{module.__name__} {module.__version__}" for module in (numpy, numba, gymnasium, pettingzoo)]
print("Python", sys.version.split()[0], *versions)
"""


def first_snippet(readme: str) -> str:
    """The first Python block of a Markdown text."""
    found = re.search(r"```python\n(.*?)```", readme, re.DOTALL)
    if found is None:
        raise ValueError("README.md: no Python block; allowed: at least one")
    return found.group(1)


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


def check(interpreter: str, wheel: Path, folder: Path) -> str:
    """Install the wheel into an empty environment of that interpreter and run the snippet there."""
    started = time.perf_counter()
    run(interpreter, "-m", "venv", folder)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "-q", *shlex.split(os.environ.get("PIP_ARGS", "")), wheel)
    run(python, "-m", "pip", "check")
    script = folder / "snippet.py"
    script.write_text(first_snippet((ROOT / "README.md").read_text()) + CLOSING)
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "ATLANTIS", "NUMBA"))}
    versions = run(python, script, cwd=folder, env=plain | {"ATLANTIS_ENVS_CACHE": str(folder / "kernels")})
    return f"{versions.strip()}: plays the first snippet of README.md ({time.perf_counter() - started:.0f} s)"


def main(interpreters: list[str]) -> None:
    """Check every interpreter and print a line each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        for number, interpreter in enumerate(interpreters):
            print(check(interpreter, wheel, folder / f"env{number}"), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
