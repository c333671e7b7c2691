"""Whether values tell the truth: scores, reliability, and who analyses where a network's values are better."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.policies import valuing

import atlantis_envs
from atlantis_agents import shipped
from atlantis_agents.catalogue import find_agent
from atlantis_agents.search.agent import SearchAgent
from atlantis_envs.engine.position import Position
from atlantis_envs.seats.agents import Positions, make_agent
from atlantis_envs.seats.positions import ask_at
from atlantis_training.evaluation.calibration import Said, calibration_report, listen
from atlantis_training.evaluation.review import value_curve

GAME = atlantis_envs.game("atlandice", players=2)


class Equal:
    """Thinks that everybody is as likely to win."""

    def position_values(self, positions: Positions) -> np.ndarray:
        return np.full((len(positions), positions.game.players), 1 / positions.game.players)


def test_what_is_said_beside_what_came_of_it(tmp_path: Path) -> None:
    search = find_agent("search", GAME)
    assert isinstance(search, SearchAgent)
    said = listen(GAME, make_agent("heuristic", GAME), {"equal": Equal(), "search": search}, 60, 3)
    assert len(said.games) > 300 and set(said.games) == set(range(60))
    assert np.allclose(said.values["search"].sum(axis=1), 1) and np.allclose(said.shares.sum(axis=1), 1)
    won = said.shares[said.games == 7]
    assert (won == won[0]).all()  # every position of a game has its result
    assert said.brier("equal").value == pytest.approx(((said.shares - 0.5) ** 2).mean(), abs=0.02)
    assert said.brier("search").value < said.brier("equal").value and said.gain("search", "equal").low > 0
    assert [point[:2] for point in said.reliability("equal")] == [(0.5, pytest.approx(0.5))]
    points = said.reliability("search")
    assert sum(count for _, _, count in points) == 2 * len(said.games) and points[-1][1] > points[0][1]
    assert len(calibration_report(GAME, "heuristic", said, 3).write(tmp_path)) == 5


def test_gains_are_of_the_same_positions() -> None:
    shares = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    values = {"sure": np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]]), "wrong": shares[:, ::-1]}
    said = Said(np.array([0, 0, 1]), values, shares)
    assert said.brier("sure").value == pytest.approx(0.01) and said.brier("wrong").value == 1
    assert said.gain("sure", "wrong").value == pytest.approx(0.99)


@pytest.mark.parametrize("low", [-0.01, 0.01])
def test_the_analyst_asks_the_network_where_its_card_says_that_it_is_better(
    low: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    valuing(tmp_path / "atlandice-2" / "critic", GAME)
    (tmp_path / "atlandice-2" / "critic.json").write_text(json.dumps({"calibration": {"low": low}}))
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    agent = find_agent("analyst", GAME)
    assert isinstance(agent, SearchAgent)
    assert agent.settings.leaf == ("critic" if low > 0 else "heuristic")


@pytest.mark.parametrize(
    ("text", "analyst"),
    [
        ("search:24,rollout=network@6,leaf=network,guide=network@5,gate=1", "network@6 network network@5"),
        ("search:64", "heuristic value heuristic"),
        (None, "heuristic value heuristic"),
    ],
)
def test_a_team_is_analysed_as_its_champion_imagines(
    text: str | None, analyst: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, shelf = atlantis_envs.game("atlantis_rising", players=1), shipped.HERE
    texts = {"champion": {"atlantis_rising": {"1": ["search:2,rollout=random", text] if text else []}}}
    (tmp_path / "champions.json").write_text(json.dumps(texts))
    (tmp_path / "atlantis_rising-1").symlink_to(shelf / "atlantis_rising-1")
    monkeypatch.setattr(shipped, "HERE", tmp_path)
    agent, usual = find_agent("analyst", game), find_agent("search", game)
    assert isinstance(agent, SearchAgent) and isinstance(usual, SearchAgent)
    assert f"{agent.settings.rollout} {agent.settings.leaf} {agent.settings.guide}" == analyst
    own = usual.settings
    assert replace(agent.settings, rollout=own.rollout, leaf=own.leaf, guide=own.guide) == own  # the rest is as usual


def test_a_curve_of_values_is_what_the_network_says(tmp_path: Path) -> None:
    network = make_agent(str(valuing(tmp_path, GAME, scale=1.0)), GAME)
    end, agent = Position(GAME, GAME.root), make_agent("heuristic", GAME)
    for ply in range(60):
        chance = end.node == "chance"
        end.apply(end.sample_chance(ply) if chance else GAME.actions[ask_at(agent, end, ply)])
    curve = value_curve(end, None, network, "the network", 4, points=10)
    assert len(curve.events) == 10 and np.allclose(np.sum(curve.shares, axis=1), 1)
    assert np.ptp(curve.shares) > 0.01 and np.allclose(curve.margins, 0)  # nothing is hidden in this game
