"""README.md: the size of the wheel is that of the build, and the training snippet shows how far it is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.support import ROOT, run_python

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BUILD = "import os, sys; os.environ.pop('ATLANTIS_ENVS_WHEEL_KERNELS', 0); from hatchling.build import build_wheel; "


def test_the_size_of_the_wheel_is_that_of_the_build(tmp_path: Path) -> None:
    code = f"{BUILD}build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    (told,) = re.findall(r"without kernels ([\d.]+) MB", TEXT)
    assert wheel.stat().st_size / 1e6 == pytest.approx(float(told), rel=0.05)


def test_the_training_snippet_shows_its_progress() -> None:
    pytest.importorskip("sb3_contrib")
    (snippet,) = [code for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL) if "MaskablePPO" in code]
    fewer = re.sub(r"learn\([\d_]+\)", "learn(1)", snippet)
    assert fewer != snippet
    made = 'import atlantis_envs\ngame = atlantis_envs.game("atlandice")\n'
    assert "total_timesteps" in run_python("-c", made + fewer).stdout
