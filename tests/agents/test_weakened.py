"""Agents that err on purpose: how often, how evenly, and by nothing but the word that they get."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import atlantis_envs
from atlantis_agents.catalogue import base_text, find_agent
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.weakened import derived_words
from atlantis_envs.engine.batch import Batch
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.evaluation.measure import play_games

ROWS = 4000
ERRING = ("eps:0.3:heuristic", "soft:1:heuristic", "eps:0.3:network", "soft:1:network", "eps:0.5:search:2")


@pytest.fixture(scope="module")
def one_decision() -> Batch:
    """The same decision, with several legal actions, in many games: only the words differ."""
    game = atlantis_envs.game("atlandice")
    batch, heuristic = game.batch(1, 8), make_agent("heuristic", game)
    while batch.action_masks.sum() < 5:
        batch.step(heuristic.act(batch.observations, batch.action_masks, batch.noise(1)))
    return Batch.from_positions([batch.position(0)] * ROWS)


def choices(text: str, batch: Batch, noise: Any = None) -> np.ndarray:
    words = np.random.default_rng(2).integers(0, 2**64 - 1, len(batch), np.uint64) if noise is None else noise
    return ask(find_agent(text, batch.game), batch, np.arange(len(batch)), words)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_it_errs_as_often_as_it_says_and_evenly(share: float, one_decision: Batch) -> None:
    words = np.random.default_rng(2).integers(0, 2**64 - 1, ROWS, np.uint64)
    right, found = (choices(text, one_decision, words) for text in ("heuristic", f"eps:{share}:heuristic"))
    legal = np.flatnonzero(one_decision.action_masks[0])
    expected = share * (1 - 1 / len(legal))
    assert abs((found != right).mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / ROWS) + 1e-9
    assert np.isin(found, legal).all()
    if share == 1.0:
        assert chisquare(np.bincount(found, minlength=legal.max() + 1)[legal]).pvalue > 1e-4


def test_soft_draws_by_the_scores(one_decision: Batch) -> None:
    agent = make_agent("heuristic", one_decision.game)
    assert isinstance(agent, HeuristicAgent)
    scores = agent.scores(one_decision.observations[:1], one_decision.action_masks[:1])[0]
    legal = np.flatnonzero(one_decision.action_masks[0])
    spread = float(scores[legal].max() - scores[legal].min())
    odds = np.exp((scores[legal] - scores[legal].max()) / spread)
    found = choices(f"soft:{spread}:heuristic", one_decision)
    assert chisquare(np.bincount(found, minlength=legal.max() + 1)[legal], ROWS * odds / odds.sum()).pvalue > 1e-4
    cold = choices(f"soft:{spread / 1e5:.9f}:heuristic", one_decision)
    assert (scores[cold] == scores[legal].max()).all()


@pytest.mark.parametrize(
    "text", ["eps:0.3:heuristic", "soft:1:heuristic", "eps:0.3:network", "soft:1:network", "eps:0.5:search:2"]
)
@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_choices_do_not_depend_on_batching(name: str, text: str) -> None:
    """Atlantis has a network of afterstates, which is asked at positions."""
    batch = atlantis_envs.game(name).batch(12, 3)
    agent, words = find_agent(text, batch.game), batch.noise(5)
    together = ask(agent, batch, np.arange(12), words)
    assert together.tolist() == [int(ask(agent, batch, np.array([lane]), words[[lane]])[0]) for lane in range(12)]


def test_words_of_different_numbers_are_independent() -> None:
    words = np.arange(20_000, dtype=np.uint64)
    first, second = (derived_words(words, number) * 2.0**-64 for number in (0, 1))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03 and abs(first.mean() - 0.5) < 0.01
    assert chisquare(np.histogram(first, 20, (0, 1))[0]).pvalue > 1e-4


def test_more_errors_win_less() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    shares = []
    for share in (0.1, 0.6):
        agents = [find_agent(f"eps:{share}:heuristic", game), make_agent("heuristic", game)]
        shares.append(play_games(game, agents, 400, 7).win_shares[:, 0].mean())
    assert 0.5 > shares[0] > shares[1] + 0.05


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eps:heuristic", "'eps:heuristic'; allowed: eps:NUMBER:AGENT, NUMBER 0..1"),
        ("eps", "'eps:'; allowed: eps:NUMBER:AGENT"),
        ("eps:2:heuristic", "eps:2.0; allowed: a number 0..1"),
        ("eps:0.1:", "allowed: eps:NUMBER:AGENT"),
        ("eps:0.1:nobody", "'nobody'; allowed: "),
        ("eps:0.1:eps:x:heuristic", "'eps:x:heuristic'; allowed"),
        ("soft:0:heuristic", "allowed: a number 1e-06.."),
        ("soft:1:random", "soft of 'random'; allowed: heuristic, planner, or a policy"),
        ("soft:1:search:4", "soft of 'search:4'; allowed: heuristic, planner, or a policy"),
    ],
)
def test_what_is_no_such_agent_is_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        find_agent(text, atlantis_envs.game("atlandice"))


def test_the_text_below() -> None:
    assert base_text("eps:0.1:soft:2:runs/x") == "runs/x" and base_text("search:64") == "search:64"
