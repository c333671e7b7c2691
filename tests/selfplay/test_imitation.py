"""Imitating what a teacher thinks of every action."""

from __future__ import annotations

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent, PlannerAgent
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.selfplay.dataset import demonstrate
from atlantis_training.selfplay.settings import settings_from

torch = pytest.importorskip("torch")

from atlantis_training.selfplay.dataset import (  # noqa: E402
    Demonstrations,
    distance,
    odds_of,
)
from atlantis_training.selfplay.run import Run  # noqa: E402


@pytest.mark.parametrize(("name", "agent"), [
    ("atlandice", HeuristicAgent), ("atlandice", PlannerAgent),
    ("atlantis", HeuristicAgent), ("atlantis_rising", HeuristicAgent),
])  # fmt: skip
def test_scores_are_of_legal_actions_and_what_is_chosen_is_among_the_best(name, agent):
    game = atlantis_envs.game(name, players=3)
    watched = demonstrate(game, agent(game), np.arange(6), 3, scored=True)
    assert np.array_equal(np.isfinite(watched.scores), watched.masks)
    chosen = watched.scores[np.arange(len(watched.actions)), watched.actions]
    assert np.array_equal(chosen, watched.scores.max(axis=1))
    lowest = np.where(watched.masks, watched.scores, np.inf).min(axis=1)
    assert (chosen > lowest).mean() > 0.3  # they do tell actions apart


def test_scores_refuse_other_rows():
    game = atlantis_envs.game("atlandice", players=3)
    batch = game.batch(4, 1)
    with pytest.raises(ValueError, match="masks: int8 of shape"):
        HeuristicAgent(game).scores(batch.observations, batch.action_masks[:, :-1])


def lesson(scores, actions):
    scores = np.asarray(scores, np.float32)
    seen, returns = np.zeros((len(scores), 1), np.uint8), np.zeros(len(scores), np.float32)
    return Demonstrations(seen, np.isfinite(scores), np.asarray(actions), returns, None, scores)


def test_odds_follow_scores_and_choices_where_scores_say_nothing():
    none = -np.inf
    watched = lesson([[1.0, 2.0, none], [-50.0, -50.0, -50.0], [0.0, 0.0, -1.0]], [1, 2, 0])
    odds = odds_of(watched, 0.5)
    assert torch.allclose(odds.sum(dim=1), torch.ones(3))
    assert odds[0, 1] / odds[0, 0] == pytest.approx(np.exp(2.0), rel=1e-5)
    assert odds[0, 2] == 0
    assert odds[1].tolist() == [0, 0, 1]  # all are equal: only the choice is known
    assert odds[2, 0] == odds[2, 1] > odds[2, 2]  # equally good, equally often
    assert odds_of(watched, 0.0) is None
    assert odds_of(watched._replace(scores=None), 0.5) is None


@pytest.mark.parametrize("doubt", [0.0, 0.25])
def test_distance_to_certain_odds_is_that_to_the_choice(doubt):
    legal = torch.tensor([[True, True, False], [True, True, True]])
    logs = torch.log_softmax(torch.tensor([[0.1, 0.7, -1e9], [0.3, -0.2, 0.5]]), dim=1)
    wanted = torch.tensor([1, 0])
    certain = torch.nn.functional.one_hot(wanted, 3).float()
    expected = (1 - doubt) * -logs[[0, 1], wanted].mean() - doubt * (logs[0, :2].mean() + logs[1].mean()) / 2
    assert distance(logs, wanted, legal, certain, doubt) == pytest.approx(float(expected), rel=1e-5)
    assert distance(logs, wanted, legal, None, doubt) == pytest.approx(float(expected), rel=1e-5)


def test_a_teacher_without_scores_is_refused():
    with pytest.raises(OptionError, match="teacher: 'search:16'; allowed: 'heuristic', 'planner'"):
        settings_from({"game": "atlandice", "teacher": "search:16", "imitate_temperature": 0.1})
    with pytest.raises(OptionError, match=r"imitate_temperature: -1\.0; allowed: 0"):
        settings_from({"game": "atlandice", "imitate_temperature": -1.0})


def test_scores_teach_what_choices_teach(tmp_path):
    """The same decisions, imitated by scores: another network, which agrees with the teacher about as often."""
    agrees, weights = {}, {}
    for temperature in (0.0, 0.3):
        settings = settings_from({
            "game": "atlandice", "imitate": 60_000, "steps": 0, "hidden": (64, 64), "num_envs": 64, "num_steps": 16,
            "imitate_temperature": temperature,
        })  # fmt: skip
        run = Run.begin(tmp_path / str(temperature), settings)
        run.go()
        watched = demonstrate(run.game, make_agent("heuristic", run.game), np.arange(64), 99, scored=True)
        chosen = run.learner.agent(greedy=True).act(watched.obs, watched.masks.astype(np.int8))
        best = watched.scores.max(axis=1)
        agrees[temperature] = (watched.scores[np.arange(len(best)), chosen] == best).mean()
        weights[temperature] = run.learner.model.policy.action_net.weight.detach().numpy()
    assert not np.array_equal(weights[0.0], weights[0.3])
    assert min(agrees.values()) > 0.45
    assert abs(agrees[0.0] - agrees[0.3]) < 0.15
