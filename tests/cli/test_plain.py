"""Without typer and rich: the list of games and their descriptions are there, the rest names its extra."""

from __future__ import annotations

import pytest
from helpers.support import run_python

import atlantis_envs

CODE = """
import sys
sys.modules["typer"] = sys.modules["rich"] = None
sys.argv = ["atlantis", *{!r}]
from atlantis_training.cli.command import main
try:
    main()
except SystemExit as end:
    print("code", end.code)
"""


def test_version_games_and_describe_need_no_extra() -> None:
    assert run_python("-c", CODE.format(["--version"])).stdout.startswith("atlantis-envs ")
    assert "atlantis_rising" in run_python("-c", CODE.format(["games"])).stdout
    described = run_python("-c", CODE.format(["describe", "atlandice", "-n", "2"])).stdout
    assert described.rstrip() == str(atlantis_envs.game("atlandice", players=2).describe()).rstrip()


@pytest.mark.parametrize(("command", "extra"), [("train", "train"), ("play", "play"), ("export", "export")])
def test_the_rest_names_its_extra(command: str, extra: str) -> None:
    done = run_python("-c", CODE.format([command]))
    assert "code 2" in done.stdout
    assert done.stderr.strip() == f"Error: {command}: typer not installed: pip install 'atlantis-envs[{extra}]'"
