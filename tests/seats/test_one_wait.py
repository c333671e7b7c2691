"""What a face needs is compiled at its start, under one line, and nothing later in the game."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.support import run_python

from atlantis_envs.kernels.kernel import JIT

pytestmark = pytest.mark.skipif(not JIT, reason="nothing is compiled")

LEARNER = """
import sys
import numpy as np
from helpers.toy_game import toy_game
from atlantis_envs.seats.batch import SeatBatch

games = SeatBatch(toy_game(), 4, 0, "random", skip_forced=True)
print("ready", file=sys.stderr)
games.reset(1)
for _ in range(4):
    games.step(games.masks.argmax(axis=1))
"""
ENVIRONMENT = """
import sys
from helpers.toy_game import toy_game
from atlantis_envs.adapters.pettingzoo_env import BoardGameEnv

env = BoardGameEnv(toy_game())
print("ready", file=sys.stderr)
env.reset(1)
for agent in env.agent_iter():
    observation, _, over, cut, _ = env.last()
    env.step(None if over or cut else int(observation["action_mask"].argmax()))
"""
POSITION = """
import sys
from helpers.toy_game import toy_game

position = toy_game().initial_position()
print("ready", file=sys.stderr)
while position.node != "over":
    position.apply(position.sample_chance(1) if position.node == "chance" else position.legal_actions()[0])
print(position.scores(), position.returns(), position.truncated, position.clone().key()[:1])
"""
MATCH = """
from helpers.toy_game import toy_game
from atlantis_training.evaluation.measure import tried_agents

tried_agents(toy_game(), ["random", "search:4"])
"""


def lines(code: str, cache: Path) -> list[str]:
    result = run_python("-c", code, ATLANTIS_ENVS_CACHE=str(cache), ATLANTIS_ENVS_PREBUILT="0")
    assert result.returncode == 0, result.stderr
    return result.stderr.splitlines()


@pytest.mark.parametrize("code", [LEARNER, ENVIRONMENT, POSITION], ids=["learner", "environment", "position"])
def test_a_face_is_ready_before_it_is_used(code: str, tmp_path: Path) -> None:
    told = lines(code, tmp_path / "cache")
    assert len(told) == 2 and told[0].startswith("atlantis-envs: compiling Toy") and told[1] == "ready", told
    assert lines(code, tmp_path / "cache") == ["ready"]


def test_a_match_waits_once_for_the_game_and_all_its_players(tmp_path: Path) -> None:
    (told,) = lines(MATCH, tmp_path / "cache")
    assert told.startswith("atlantis-envs: compiling Toy with players (first use only, then cached): ")
    assert lines(MATCH, tmp_path / "cache") == []
