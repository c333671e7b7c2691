"""``python -m benchmarks allocation``: what a search gains at decisions that others simulated more."""

from __future__ import annotations

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.search.agent import SearchAgent
from atlantis_envs.errors import OptionError
from benchmarks.experiments import allocation

SEARCH = "search:6,considered=2,horizon=4,guide=network@1"  # whose first-ranked action is no matter of luck


def kept_decisions(games: int = 2) -> tuple[SearchAgent, allocation.Kept]:
    agent = SearchAgent.from_argument(atlantis_envs.game("atlandice", players=2), SEARCH.partition(":")[2])
    return agent, allocation.keep_decisions(agent, games, 0.2, 5)


def test_decisions_are_kept_where_there_is_a_choice() -> None:
    _, kept = kept_decisions()
    masks = kept.positions.masks
    assert (masks.sum(axis=1) > 1).all()
    assert 0.1 < len(masks) / (2 * kept.decisions) < 0.3


def test_a_gain_is_that_of_the_choice_over_the_first_ranked_action() -> None:
    agent, kept = kept_decisions()
    truth = np.where(kept.positions.masks > 0, 0.0, np.nan)
    first = agent.study(kept.positions, np.zeros(len(truth), np.uint64)).prior_choices
    truth[np.arange(len(truth)), first] = -1.0  # all others are better by 1
    gain = allocation.gain_of(agent, kept, truth, 3, np.random.default_rng(1))
    assert gain.each.mean() == pytest.approx(gain.departs)
    assert 0 < gain.departs < 1
    assert 0 < gain.simulations <= 8
    gated = SearchAgent.from_argument(agent.game, f"{SEARCH.partition(':')[2]},gate=100")
    less = allocation.gain_of(gated, kept, truth, 3, np.random.default_rng(1))
    assert less.departs < gain.departs


def test_truth_comes_from_every_legal_action(capsys: pytest.CaptureFixture[str]) -> None:
    agent, kept = kept_decisions()
    truth = allocation.judge(agent, kept, 64, np.random.default_rng(1))
    assert np.array_equal(np.isfinite(truth), kept.positions.masks > 0)
    allocation.main(["atlandice", SEARCH, f"{SEARCH},spread=race", "-n", "2", "--games", "2", "--simulations", "64"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| `search")]
    assert len(rows) == 2


@pytest.mark.parametrize(
    ("more", "named"), [(["heuristic"], "agents: 'heuristic'"), ([SEARCH, "--share", "0"], "share")]
)
def test_bad_input_is_named(more: list[str], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        allocation.main(["atlandice", *more, "-n", "2", "--games", "1"])
