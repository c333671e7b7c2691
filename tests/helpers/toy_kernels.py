"""A package of kernels in a directory of its own, which other processes compile and find again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from atlantis_envs.kernels.cache import OURS
from helpers.support import ROOT, run_python

CONSTANTS = """
    SCALE = 3
    TABLE = (1, 2, 3)
"""
INNER = """
    import numpy as np
    from atlantis_envs.kernels.kernel import kernel
    from toy.constants import SCALE

    OFFSETS = np.array([10, 20, 30])

    @kernel
    def step(x):
        return SCALE * x + OFFSETS[0]
"""
OUTER = """
    from atlantis_envs.kernels.kernel import entry, kernel
    from toy.inner import step

    @entry
    def run(x):
        return step(step(x))

    def factory(bonus, inner):
        @kernel
        def play(x):
            return inner(x) + bonus

        @entry
        def loop(x):
            return play(play(x))
        return loop
"""
FILES = {"__init__.py": "", "constants.py": CONSTANTS, "inner.py": INNER, "outer.py": OUTER}
RUN = "from toy.outer import run; print(run(2))"


class Toy:
    """A package of kernels in a directory of its own, with a cache of its own."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.cache = place / "cache"
        self.kernels = self.cache / OURS
        (place / "toy").mkdir()
        for name, text in FILES.items():
            (place / "toy" / name).write_text(dedent(text))

    def edit(self, name: str, old: str, new: str) -> None:
        """Change a file; compiled byte code of the old one must not be used."""
        path = self.place / "toy" / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def run(self, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Another process; its warnings are errors."""
        return run_python("-c", dedent(code), **self.variables(**variables))

    def start(self, code: str, **variables: str) -> subprocess.Popen[str]:
        """Another process, not waited for."""
        command = [sys.executable, "-W", "error", "-c", dedent(code)]
        own = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
        environment = {**own, **self.variables(**variables)}
        return subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
        )

    def variables(self, **more: str) -> dict[str, str]:
        """What the environment of another process says."""
        wanted = {"ATLANTIS_ENVS_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1", **more}
        return {**wanted, "PYTHONPATH": f"{self.place}{os.pathsep}{ROOT}"}

    def says(self, code: str, **variables: str) -> tuple[str, bool]:
        """What a process prints, and whether it had to compile."""
        result = self.run(code, **variables)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip(), "compiling" in result.stderr

    def machine_code(self) -> dict[str, int]:
        """The compiled entries and which file each is: writing one anew makes another file."""
        return {path.name: path.stat().st_ino for path in self.kernels.glob("*.nbc")}
