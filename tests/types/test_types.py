"""Types reach users: mypy finds the installed packages, accepts what is right and finds what is wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import options_page
import pytest
from helpers.support import ROOT

import atlantis_envs
from atlantis_envs.adapters.pettingzoo_env import EnvKeywords
from atlantis_envs.engine.options import Between, Custom
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import environment_name

GAMES = ("atlandice", "atlantis", "atlantis_rising")
HERE = Path(__file__).parent
SCRIPTS = ("user_script.py", "user_mistakes.py")
PACKAGES = ("atlantis_envs", "agents/atlantis_agents", "training/atlantis_training")
# What the types of the packages do not need, and what would take minutes to read.
HEAVY = ("torch", "numba", "llvmlite", "matplotlib", "scipy", "onnx", "stable_baselines3", "sb3_contrib", "rich", "PIL")
BUILD = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"


def run(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command that knows nothing of this checkout but what is installed."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    return subprocess.run(arguments, cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with an editable installation, made as pip makes one."""
    place = tmp_path_factory.mktemp("user")
    built = run(sys.executable, "-c", BUILD, str(place), folder=ROOT)
    assert built.returncode == 0, built.stderr
    venv.create(place / "venv", symlinks=True)
    interpreter = place / "venv" / "bin" / "python"
    if not interpreter.exists():
        pytest.skip("no POSIX virtual environment")
    site = next((place / "venv" / "lib").glob("python*/site-packages"))
    (wheel,) = place.glob("*.whl")
    shutil.unpack_archive(wheel, site, "zip")
    (site / "needed.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return interpreter


def test_an_editable_installation_names_the_folders(installed: Path) -> None:
    code = "import json, sys; import atlantis_agents, atlantis_envs, atlantis_training; print(json.dumps(sys.path))"
    done = run(installed, "-c", code, folder=installed.parent)
    assert {str(ROOT), str(ROOT / "agents"), str(ROOT / "training")} <= set(json.loads(done.stdout))


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_says_that_it_is_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_mypy_accepts_what_is_right_and_finds_what_is_wrong(installed: Path, tmp_path: Path) -> None:
    skipped = ",".join(f"{name}.*" for name in HEAVY)
    (tmp_path / "mypy.ini").write_text(f"[mypy]\n[mypy-{skipped}]\nfollow_imports = skip\n", encoding="utf-8")
    for script in SCRIPTS:
        shutil.copy(HERE / script, tmp_path)
    options = ["--strict", "--no-incremental", "--python-executable", str(installed)]
    done = run(sys.executable, "-m", "mypy", *options, *SCRIPTS, folder=tmp_path)
    found = re.findall(r"^(\S+):(\d+): error", done.stdout, re.MULTILINE)
    lines = enumerate((HERE / "user_mistakes.py").read_text(encoding="utf-8").splitlines(), 1)
    wrong = [("user_mistakes.py", str(number)) for number, line in lines if line.endswith("# wrong")]
    assert len(wrong) > 5 and found == wrong, done.stdout + done.stderr


# ---- the keywords are the options


def keywords_of(game: str) -> dict[str, Any]:
    """The options of a game as a type checker knows them."""
    return get_type_hints(import_module(f"atlantis_envs.{environment_name(game)}").Options)


@pytest.mark.parametrize("game", GAMES)
def test_the_keywords_are_those_that_a_game_takes(game: str) -> None:
    with pytest.raises(OptionError) as caught:
        atlantis_envs.game(game, nonsense=1)
    taken = str(caught.value).split("allowed: ")[1].split(" (got")[0].split(", ")
    assert len(taken) > 10 and set(keywords_of(game)) == set(taken) - {"players", "data"}


@pytest.mark.parametrize("game", GAMES)
def test_the_types_of_the_keywords_are_those_of_the_declaration(game: str) -> None:
    declared, defaults = options_page.declaration(game).declared(), atlantis_envs.game(game).options.to_json()
    seen = set()
    for name, hint in keywords_of(game).items():
        if name == "preset":
            assert get_args(hint) == tuple(import_module(f"atlantis_envs.games.{game}.options").PRESETS)
            continue
        allowed = declared[name].allowed
        seen.add(type(allowed))
        if isinstance(allowed, Custom):
            parts = get_args(hint) if get_origin(hint) in (UnionType, Union) else (hint,)
            assert any(fits(defaults.get(name, declared[name].default), part) for part in parts), name
        elif isinstance(allowed, tuple):
            assert hint == Literal[allowed], name
        else:
            assert hint is (int if isinstance(allowed, Between) else bool), name
    assert {type, tuple, Custom} <= seen


def fits(value: Any, hint: Any) -> bool:
    """Whether a value may be of a type, its items left alone."""
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    return isinstance(value, get_origin(hint) or hint)


def test_the_keywords_of_environments_are_those_they_take() -> None:
    own = {"data", "render_mode", "render_seat", "illegal", "max_cycles", "flat"}
    assert set(get_type_hints(EnvKeywords)) == own
    for game in GAMES:
        module = import_module(f"atlantis_envs.{environment_name(game)}")
        assert set(get_type_hints(module.Keywords)) == {*keywords_of(game), *get_type_hints(EnvKeywords)}
        made = module.game(players=2)
        assert made == atlantis_envs.game(game, players=2) != module.game(players=3)
        assert module.env(players=2, render_mode="ansi", illegal="terminate", data=None).game == made
        assert np.array_equal(module.game(players=2, data={}).rules, made.rules)
