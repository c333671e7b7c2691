"""``spread=race``: actions leave that are not ahead of the first-ranked one; compared with a plain version."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from helpers.searches import single_samples

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.search.agent import SearchAgent
from atlantis_agents.search.searcher import AT_ONCE_TIMED
from atlantis_envs.engine.batch import Batch
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Positions
from atlantis_envs.seats.positions import determinize

SEED, LONGEST_GAME = 23, 400
HORIZON = {"atlandice": ",horizon=8", "atlantis_rising": ""}


def midgame(name: str, players: int) -> Batch:
    game = atlantis_envs.game(name, players=players)
    batch, agent = game.batch(8, SEED), HeuristicAgent(game)
    for _ in range(30):
        batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(SEED)))
    return batch


def shown(batch: Batch) -> tuple[Positions, Any]:
    noise = batch.noise(SEED + 1)
    own = batch.states, batch.seats, batch.observations, batch.action_masks, noise
    return determinize(batch.game, *own), noise


def raced(samples: Any, given: dict[int, float], simulations: int, gate: float) -> tuple[int, Any]:
    """Race by mean win shares and what is given in advance, the first-ranked action first: the plain version."""
    counts, alive = np.zeros(samples.shape[1], int), list(given)
    first = alive[0]

    def worth(action: int) -> float:
        return float(samples[: counts[action], action].mean() + given[action])

    while True:
        counts[alive] += 1
        alive = [action for action in alive if action == first or worth(action) > worth(first)]
        if len(alive) < 2 or counts.sum() + len(alive) > simulations:
            break
    best = max(alive, key=worth)
    gains = samples[: counts[best], best] - samples[: counts[best], first]
    if gate and (len(gains) < 2 or gains.mean() <= gate * gains.std(ddof=1) / math.sqrt(len(gains))):
        best = first
    return best, counts


@pytest.mark.parametrize(("gate", "bonus"), [(0.0, 0.0), (1.0, 0.0), (0.0, 0.01)])
@pytest.mark.parametrize(("name", "players"), [("atlandice", 3), ("atlantis_rising", 4)])
def test_it_finds_what_a_plain_version_finds(name: str, players: int, gate: float, bonus: float) -> None:
    batch = midgame(name, players)
    seen, noise = shown(batch)
    more = f"30,spread=race,considered=5,gate={gate},prior={bonus}{HORIZON[name]}"
    agent = SearchAgent.from_argument(batch.game, more)
    found = agent.study(seen, noise)
    early, changed = 0, 0
    for row in np.flatnonzero(seen.masks.sum(axis=1) > 1):
        tried = np.flatnonzero(found.counts[row])
        others = sorted(
            set(tried) - {found.prior_choices[row]}, key=lambda action, row=row: (-found.scores[row][action], action)
        )
        ranked = [int(found.prior_choices[row]), *map(int, others)]
        assert len(ranked) == min(6, seen.masks[row].sum())
        scores = found.scores[row][ranked]
        ranks = [0, *(0 if score == scores[0] else int((scores > score).sum()) for score in scores[1:])]
        given = {action: bonus / (1 + rank) for action, rank in zip(ranked, ranks, strict=True)}
        choice, counts = raced(single_samples(agent, seen, noise, row, 15), given, 30, gate)
        assert np.array_equal(counts, found.counts[row])
        assert choice == found.choices[row]
        early += counts.sum() + 2 <= 30 - len(ranked)
        changed += choice != ranked[0]
    assert early, "no race ended before its simulations were spent"
    assert changed or gate or bonus, "no race changed a choice"


def test_only_one_legal_action_needs_no_race() -> None:
    batch = midgame("atlantis_rising", 4)
    found = SearchAgent(batch.game, simulations=8, spread="race").study(*shown(batch))
    forced = batch.action_masks.sum(axis=1) == 1
    assert (found.counts.sum(axis=1) == 0)[forced].all()
    assert (found.counts.sum(axis=1) > 0)[~forced].all()


def test_a_race_by_the_clock_ends_in_time() -> None:
    """It ends with the pass in which the time is over."""
    batch = midgame("atlandice", 3)
    seen, noise = shown(batch)
    settings: dict[str, Any] = {"considered": 0.001, "horizon": "end", "spread": "race"}
    found = SearchAgent(batch.game, ms=0.1, **settings).study(seen, noise)
    free = SearchAgent(batch.game, simulations=2000, **settings).study(seen, noise)
    assert (found.choices >= 0).all()
    assert (found.decisions <= AT_ONCE_TIMED + LONGEST_GAME * (1 + seen.masks.sum(axis=1))).all()
    assert found.decisions.sum() < free.decisions.sum()


@pytest.mark.parametrize(
    ("argument", "allowed"),
    [
        ("8,spread=race,root=gumbel", "root='gumbel'; allowed with spread=race: halving$"),
        ("8,spread=race,tree=puct", "spread='race'; allowed with tree=puct: halving$"),
    ],
)
def test_what_does_not_go_with_a_race_is_refused(argument: str, allowed: str) -> None:
    with pytest.raises(OptionError, match=allowed):
        SearchAgent.from_argument(atlantis_envs.game("atlandice", players=3), argument)
