"""The adapters against the libraries they adapt to: ``python tests/learners.py [openspiel torchrl rllib tianshou]``.

The libraries' pins contradict each other, so each gets a virtual environment of its own in a temporary directory, with
the versions named below, where the tests of its adapter and of its snippet in docs/guide/learners.md run. One that
cannot be had for this interpreter fails. ``PIP_ARGS`` is passed to pip; ``--on FOLDER`` takes what is installed in the
``site-packages`` there as given and adds the library alone, which saves gigabytes; ``--keep FOLDER`` makes the
environments there and leaves them.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTED = {
    "openspiel": ["open_spiel==2.0.2"],
    "torchrl": ["torchrl==0.14.1", "tensordict==0.14.3", "torch==2.13.0"],
    "rllib": ["ray[rllib]==2.60.0", "gymnasium==1.2.2", "torch==2.13.0"],
    "tianshou": ["tianshou==2.0.1", "torch==2.13.0"],
}
BESIDE = {"openspiel": ("test_efg.py",)}  # further tests with a library


def install(library: str, folder: Path, given: Path | None) -> Path:
    """Make the environment; its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", *shlex.split(os.environ.get("PIP_ARGS", ""))]
    if given is None:
        subprocess.run([*pip, *TESTED[library], "-e", f"{ROOT}[{library}]", "pytest"], check=True)
        return python
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "given.pth").write_text(f"{given.resolve()}\n", encoding="utf-8")
    subprocess.run([*pip, *TESTED[library]], check=True)
    return python


def test(library: str, python: Path) -> bool:
    """Run the adapter's tests in its environment; whether all ran and passed."""
    own = (f"test_{library}.py", *BESIDE.get(library, ()))
    paths = [*(ROOT / "tests" / "adapters" / name for name in own), ROOT / "tests" / "docs" / "test_learners_page.py"]
    sources = os.pathsep.join(str(ROOT / part) for part in (".", "agents", "training", "tests"))
    told = {**os.environ, "PYTHONPATH": sources, "ATLANTIS_LEARNER": library}
    done = subprocess.run([python, "-m", "pytest", "-q", "--no-header", *paths], cwd=ROOT, env=told, check=False)
    return done.returncode == 0


def main() -> None:
    """Test the libraries that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("libraries", nargs="*", metavar="library", help=f"of {', '.join(TESTED)}; none: all")
    parser.add_argument("--on", type=Path, metavar="FOLDER", help="site-packages that are taken as given")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the environments are made and left")
    arguments = parser.parse_args()
    unknown = set(arguments.libraries) - set(TESTED)
    if unknown:
        parser.error(f"library: {', '.join(sorted(unknown))}; allowed: {', '.join(TESTED)}")
    failed = []
    with tempfile.TemporaryDirectory() as temporary:
        for library in arguments.libraries or TESTED:
            started = time.perf_counter()
            python = install(library, Path(arguments.keep or temporary) / library, arguments.on)
            passed = test(library, python)
            failed += [] if passed else [library]
            verdict = "passed" if passed else "FAILED"
            print(
                f"{library} ({', '.join(TESTED[library])}): {verdict}, {time.perf_counter() - started:.0f} s",
                flush=True,
            )
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
