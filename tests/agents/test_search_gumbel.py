"""A Gumbel root, and trees with a network: what a plain version finds, and nothing accidental in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.policies import last_legal_policy, valuing
from helpers.searches import row_of, single_samples

import atlantis_envs
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_agents.search.agent import Found, SearchAgent
from atlantis_envs.engine.batch import Batch
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import Positions
from atlantis_envs.seats.positions import determinize

SEED, FIRST_VISITS = 7, 50
FOUND = ("choices", "prior_choices", "counts", "means", "errors", "decisions", "scores", "log_priors")


@pytest.fixture(scope="module")
def dice() -> Batch:
    game = atlantis_envs.game("atlandice", players=3)
    batch, agent = game.batch(6, SEED), HeuristicAgent(game)
    for _ in range(40):
        batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(SEED)))
    return batch


def shown(batch: Batch) -> tuple[Positions, Any]:
    noise = batch.noise(SEED)
    seen = determinize(batch.game, batch.states, batch.seats, batch.observations, batch.action_masks, noise)
    return seen, noise


def study(batch: Batch, argument: str) -> Found:
    return SearchAgent.from_argument(batch.game, argument).study(*shown(batch))


def halved(samples: Any, bonus: Any, simulations: int, most: int, scale: float) -> tuple[int, Any]:
    """Sequential halving by mean + bonus / ((50 + visits) * scale); ``samples``: (rows, A), NaN where not legal."""
    legal = np.flatnonzero(np.isfinite(samples[0]))
    counts, alive = np.zeros(samples.shape[1], int), sorted(legal, key=lambda action: -bonus[action])[:most]
    stages, left = 0, len(alive)
    while left > 1:
        stages, left = stages + 1, (left + 1) // 2
    while True:
        counts[alive] += max(1, simulations // (stages * len(alive)))
        worth = {a: samples[: counts[a], a].mean() + bonus[a] / ((FIRST_VISITS + counts[a]) * scale) for a in alive}
        alive = sorted(alive, key=lambda action: -worth[action])
        if len(alive) <= 2:
            return int(alive[0]), counts
        alive = alive[: (len(alive) + 1) // 2]


@pytest.mark.parametrize("scale", [0.05, 0.5])
def test_it_finds_what_a_plain_version_finds(dice: Batch, scale: float) -> None:
    """Root, counts and the improved policy, from the shares of single simulations."""
    seen, noise = shown(dice)
    more = f"root=gumbel,value_scale={scale},horizon=8,considered=3"
    agent = SearchAgent.from_argument(dice.game, f"24,{more}")
    found = agent.study(seen, noise)
    compared = 0
    for row in range(len(seen)):
        legal = np.flatnonzero(seen.masks[row])
        if len(legal) < 2:
            continue
        samples = single_samples(agent, seen, noise, row, 24)
        scores = found.scores[row]
        ranks = np.array([(scores > scores[action]).sum() if action in legal else 0 for action in range(len(scores))])
        odds = np.where(np.isfinite(scores), 1 / (1.0 + ranks), 0)
        prior = np.log(odds / odds.sum(), where=odds > 0, out=np.full(len(odds), -np.inf))
        assert np.allclose(found.log_priors[row][legal], prior[legal])
        choice, counts = halved(samples, prior, 24, 8, scale)
        assert choice == found.choices[row] and np.array_equal(counts, found.counts[row])
        tried = counts > 0
        q = np.where(
            tried, np.nan_to_num(found.means[row]), (odds[tried] * found.means[row][tried]).sum() / odds[tried].sum()
        )
        wanted = np.exp(prior + (FIRST_VISITS + counts.max()) * scale * q)
        assert np.allclose(found.policies[row], wanted / wanted.sum())
        compared += 1
    assert compared > 3


def test_noise_draws_from_the_prior(dice: Batch) -> None:
    """Where shares hardly count, the first of the Gumbel order is a draw from the prior."""
    seen, _ = shown(dice)
    row = int(np.argmax(seen.masks.sum(axis=1)))
    parts = (seen.states, seen.seats, seen.observations, seen.masks)
    many = Positions(seen.game, *(np.repeat(part[[row]], 2000, axis=0) for part in parts))
    words = np.random.default_rng(SEED).integers(0, 2**64, 2000, np.uint64)
    agent = SearchAgent(dice.game, simulations=2, root="gumbel", noise=1.0, value_scale=0.001, horizon=0)
    found = agent.study(many, words)
    shares = np.bincount(found.choices, minlength=dice.game.num_actions) / 2000
    assert np.abs(shares - np.exp(found.log_priors).mean(axis=0)).max() < 0.05 and (shares > 0.05).sum() > 1
    quiet = SearchAgent(dice.game, simulations=2, root="gumbel", value_scale=0.001, horizon=0).study(many, words)
    assert (quiet.choices == quiet.prior_choices).all()


def settings_with(policy: Path) -> dict[str, str]:
    """Ways to ask one network."""
    return {
        "flat": f"24,root=gumbel,noise=1,guide={policy},leaf={policy},horizon=4",
        "tree": f"24,tree=puct,guide={policy},leaf={policy},horizon=0",
        "gumbel tree": f"24,tree=puct,root=gumbel,guide={policy},leaf={policy},horizon=0",
        "rollouts in a tree": f"24,tree=puct,leaf={policy},horizon=3",
    }


@pytest.mark.parametrize("way", settings_with(Path()))
def test_lanes_and_threads_do_not_matter(dice: Batch, way: str, tmp_path: Path) -> None:
    text = settings_with(valuing(tmp_path, dice.game, scale=1.0))[way]
    agent, (seen, noise) = SearchAgent.from_argument(dice.game, text), shown(dice)
    together = agent.study(seen, noise)
    several = SearchAgent.from_argument(dice.game, f"{text},threads=3").study(seen, noise)
    rows = [agent.study(row_of(seen, row), noise[[row]]) for row in range(len(seen))]
    for name in FOUND:
        one_by_one = np.concatenate([getattr(found, name) for found in rows])
        for other in (getattr(several, name), one_by_one):
            assert np.array_equal(getattr(together, name), other, equal_nan=True), name
    chosen = seen.masks[np.arange(len(seen)), together.choices]
    assert chosen.all() and np.nanstd(together.means) > 0.01


@pytest.mark.parametrize(
    ("inputs", "value", "share"),
    [
        ("observations", "seat shares", 1 / 3),
        ("afterstates", "seat shares", 1 / 3),
        ("afterstates", "win share", 1 / (1 + np.exp(-1.0))),
    ],
)
def test_a_new_node_is_worth_what_the_network_says(
    dice: Batch, inputs: str, value: str, share: float, tmp_path: Path
) -> None:
    """Nothing ends so soon: with horizon 0 no rollout is played, and every seat gets the same from equal outputs."""
    policy = valuing(tmp_path, dice.game, 1.0, 0.0, inputs, value)
    found = study(dice, f"30,tree=puct,leaf={policy},guide={policy},horizon=0")
    tried = found.means[found.counts > 0]
    if value == "seat shares":
        assert np.allclose(tried, share)
    else:  # the mover's share at new nodes of the own seat, a part of the rest at those of others
        assert (tried <= share + 1e-6).all() and (tried >= (1 - share) / 2 - 1e-6).all() and tried.std() > 0.001
    assert (found.counts.sum(axis=1)[dice.action_masks.sum(axis=1) > 1] == 30).all()


def test_a_policy_that_ranks_is_followed_in_the_tree(dice: Batch, tmp_path: Path) -> None:
    """Equal values: what it likes is tried most, and nearly always where it is sure."""
    policy = last_legal_policy(tmp_path, dice.game)
    found = study(dice, f"40,tree=puct,guide={policy}")
    last = dice.action_masks.shape[1] - 1 - dice.action_masks[:, ::-1].argmax(axis=1)
    assert np.array_equal(found.prior_choices, last)
    by_ranks = study(dice, "40,tree=puct")
    rows = np.arange(len(last))
    assert found.counts[rows, last].sum() > by_ranks.counts[rows, last].sum()


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("2,root=puct", "root='puct'; allowed: halving, gumbel$"),
        ("2,noise=-1", "noise=-1; allowed: a number 0..10$"),
        ("2,value_scale=0", "value_scale=0; allowed: a number 0.001..1000$"),
    ],
)
def test_other_settings_are_refused(dice: Batch, text: str, allowed: str) -> None:
    with pytest.raises(OptionError, match=allowed):
        SearchAgent.from_argument(dice.game, text)
