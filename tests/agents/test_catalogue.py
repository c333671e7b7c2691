"""Texts that mean agents, wherever an agent may be named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents import catalogue
from atlantis_agents.catalogue import find_agent, names_for, usual_opponent
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.networks.policy import PolicyAgent, save_policy
from atlantis_agents.random import RandomAgent
from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import game_names
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.batch import SeatBatch

GAME = atlantis_envs.game("atlandice", players=3)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run with a policy in it."""
    directory = tmp_path_factory.mktemp("runs") / "first"
    generator = np.random.default_rng(5)
    shape = (GAME.num_actions, GAME.observation_size)
    layer = (generator.normal(size=shape).astype(np.float32), np.zeros(GAME.num_actions, np.float32))
    save_policy(directory / "policy", GAME, [layer])
    return directory


def test_names_directories_of_policies_and_of_runs(run: Path) -> None:
    assert isinstance(find_agent("random", GAME, seed=3), RandomAgent)
    assert isinstance(find_agent("heuristic", GAME), HeuristicAgent)
    for place in (run, run / "policy"):
        assert isinstance(find_agent(str(place), GAME), PolicyAgent)
        assert isinstance(make_agent(str(place), GAME), PolicyAgent)


def test_every_view_takes_every_text(run: Path) -> None:
    """The same games as with the agent itself."""
    text, agent = str(run), PolicyAgent(GAME, run / "policy")
    ends = []
    for opponents in (text, agent, [text, "heuristic"], [agent, HeuristicAgent(GAME)]):
        seats = SeatBatch(GAME, 3, 0, opponents)
        seats.reset(8)
        for _ in range(30):
            seats.step(seats.masks.argmax(axis=1))
        ends.append(seats.batch.states.tobytes())
    assert ends[0] == ends[1] != ends[2] == ends[3]
    environment = SeatEnv("atlandice", players=3, opponents=text)
    environment.reset(seed=1)
    environment.step(int(environment.action_masks().argmax()))
    assert isinstance(environment.opponents[0], PolicyAgent)
    assert isinstance(SeatVectorEnv(2, game=GAME, opponents=text).opponents[0], PolicyAgent)


@pytest.mark.parametrize("text", ["", "nobody", "random:7", "heuristic:", "no/such/run", ":", "\x00"])
def test_other_texts_are_refused_in_a_line_that_says_what_is_allowed(text: str) -> None:
    with pytest.raises(OptionError, match=r"^agent: .*; allowed: [^\n]*$"):
        find_agent(text, GAME)


def test_an_agent_may_take_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(RandomAgent):
        @classmethod
        def from_argument(cls, game, argument, **settings):  # type: ignore[no-untyped-def]
            built = cls(game, **settings)
            built.argument = argument
            return built

    class Point:
        name = "counted"

        @staticmethod
        def load() -> type:
            return Counted

    monkeypatch.setattr(catalogue, "entry_points", lambda group: [Point])
    agent = find_agent("counted:64,gate=0.1", GAME, seed=2)
    assert agent.argument == "64,gate=0.1" and agent.seed == 2  # type: ignore[attr-defined]
    assert agent.compiled is not None  # type: ignore[attr-defined]


def test_who_plays_which_game() -> None:
    always = ("champion", "critic", "grandmaster", "network")  # what comes with the library: test_shipped.py
    names = {game: tuple(name for name in names_for(game) if name not in always) for game in game_names()}
    assert names["atlandice"] == ("heuristic", "planner", "random", "search")
    assert names["atlantis"] == ("heuristic", "random", "search") == names["atlantis_rising"]
    assert names_for("a game from outside") == ("random",)
    assert (usual_opponent("atlantis"), usual_opponent("a game from outside")) == ("heuristic", "random")


def test_a_subclass_that_chooses_otherwise_is_no_kernel() -> None:
    class Last(RandomAgent):
        def _fill(self, observations, masks, noise, ids):  # type: ignore[no-untyped-def]
            ids[:] = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)

    assert RandomAgent(GAME).compiled is not None and Last(GAME).compiled is None
    seats = SeatBatch(GAME, 4, 0, Last(GAME))
    seats.reset(1)
    assert seats.advance is None and seats.decisions > 0
