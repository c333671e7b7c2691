"""docs/guide/learners.md: the snippets run where their library is installed, with the versions that are tested."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib

import pytest
from helpers.support import ROOT

sys.path.insert(0, str(ROOT / "tests"))
from learners import TESTED

PAGE = (ROOT / "docs" / "guide" / "learners.md").read_text(encoding="utf-8")
MODULES = {"openspiel": "pyspiel", "torchrl": "torchrl", "rllib": "ray.rllib", "tianshou": "tianshou"}
ADAPTERS = ROOT / "atlantis_envs" / "adapters"


def installed(library: str) -> bool:
    """Whether it can be imported; Ray may be there without what RLlib needs."""
    try:
        importlib.import_module(MODULES[library])
    except ImportError:
        return False
    return True


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run in a process of its own."""
    told = {"RAY_raylet_start_wait_time_s": "300", **os.environ}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=900, env=told, check=False
    )


@pytest.mark.parametrize("library", TESTED)
def test_the_snippet_runs(library: str) -> None:
    wanted = os.environ.get("ATLANTIS_LEARNER", library)
    if wanted != library:
        pytest.skip(f"the environment is for {wanted}")
    if not installed(library):
        pytest.skip(f"{library} is not installed: extra {library}")
    sections = {head.lower(): text for head, text in re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE)}
    (snippet,) = re.findall(r"```python\n(.*?)```", sections[library], re.DOTALL)
    done = run(snippet)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_page_names_the_versions_that_are_tested() -> None:
    for library, requirements in TESTED.items():
        (row,) = [line for line in PAGE.splitlines() if line.startswith("|") and f"| `{library}` |" in line]
        for requirement in requirements:
            name, version = re.sub(r"\[.*\]", "", requirement).split("==")
            assert f"{name} {version}" in row


def test_every_adapter_has_its_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(TESTED) == set(MODULES) <= set(project["optional-dependencies"])
    assert all((ADAPTERS / f"{library}.py").exists() for library in TESTED)


@pytest.mark.parametrize("library", TESTED)
def test_a_missing_library_is_named_with_its_extra(library: str) -> None:
    hidden = MODULES[library].split(".")[0]
    done = run(f"import sys; sys.modules[{hidden!r}] = None; import atlantis_envs.adapters.{library}")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("atlantis_envs.errors.MissingPackageError: ")
    assert "is not installed" in last and f"pip install 'atlantis-envs[{library}]'" in last


def test_nothing_is_imported_unless_asked_for() -> None:
    code = "import sys, atlantis_envs, atlantis_envs.atlantis_v1; print(sorted(sys.modules))"
    loaded = set(re.findall(r"'([\w.]+)'", run(code).stdout))
    assert "atlantis_envs.atlantis_v1" in loaded
    assert not loaded & {*MODULES.values(), "ray", "torch", *(f"atlantis_envs.adapters.{name}" for name in TESTED)}
