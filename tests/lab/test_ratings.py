"""Ratings: players whose strengths are known give them back within the errors stated."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from atlantis_training.lab.ratings import ELO, fit_ratings, fit_teams

pytest.importorskip("statsmodels")

STRENGTHS = np.array([0.0, 0.7, -1.0, 0.3])
PLACES = np.array([0.0, -0.2, -0.4])
TABLES = sorted({tuple(a if k == p else b for k in range(3)) for a, b in permutations(range(4), 2) for p in range(3)})
BLOCKS = 80


def drawn(generator, blocks=BLOCKS):
    """Games of players whose choice model is known, float64 (blocks, tables, places)."""
    shares = np.zeros((blocks, len(TABLES), 3))
    for number, table in enumerate(TABLES):
        weights = np.exp(STRENGTHS[list(table)] + PLACES)
        shares[np.arange(blocks), number, generator.choice(3, blocks, p=weights / weights.sum())] = 1
    return shares


def test_known_players_give_back_their_ratings_within_errors():
    generator = np.random.default_rng(1)
    truth = ELO * np.concatenate([STRENGTHS[1:], PLACES[1:]])
    off = []
    for _ in range(24):
        found = fit_ratings(TABLES, drawn(generator), 4)
        estimates = (*found.agents[1:], *found.places[1:])
        off.append([(e.value - t) / e.error for e, t in zip(estimates, truth, strict=True)])
    assert np.abs(np.mean(off, axis=0)).max() < 3 / np.sqrt(24)
    assert 0.7 < np.std(off) < 1.25
    assert np.mean(np.abs(off) < 1.96) > 0.9


def test_the_first_agent_and_place_are_zero_and_errors_of_differences_can_be_had():
    found = fit_ratings(TABLES, drawn(np.random.default_rng(2)), 4)
    assert (found.agents[0].value, found.agents[0].error) == (found.places[0].value, found.places[0].error) == (0, 0)
    covariance = np.array(found.covariance)
    assert np.sqrt(np.diag(covariance)) == pytest.approx([e.error for e in found.agents])
    difference = np.sqrt(covariance[1, 1] + covariance[3, 3] - 2 * covariance[1, 3])
    assert 0 < difference < np.hypot(found.agents[1].error, found.agents[3].error)


def test_games_that_repeat_within_a_block_make_nothing_surer():
    shares = drawn(np.random.default_rng(3))
    once, often = fit_ratings(TABLES, shares, 4), fit_ratings(TABLES, 9 * shares, 4)
    for one, many in zip(once.agents[1:], often.agents[1:], strict=True):
        assert many.error == pytest.approx(one.error, rel=0.1)
        assert many.value == pytest.approx(one.value, abs=5)


def test_a_shared_victory_is_half_of_one():
    generator = np.random.default_rng(4)
    won = np.zeros((200, 1, 2))
    won[np.arange(200), 0, generator.choice(2, 200, p=[0.7, 0.3])] = 1
    halves = won / 2 + won.mean() / 2
    tied = fit_ratings([(0, 1), (1, 0)], np.concatenate([halves, halves[:, :, ::-1]], axis=1), 2)
    mean = float(halves[:, 0, 1].mean())
    assert tied.agents[1].value == pytest.approx(ELO * np.log(mean / (1 - mean)), abs=3)
    assert tied.places[1].value == pytest.approx(0, abs=1e-6)


def test_who_never_wins_has_a_rating_far_down_and_not_sure():
    shares = np.zeros((50, 2, 2))
    shares[:, 0, 0] = shares[:, 1, 1] = 1
    found = fit_ratings([(0, 1), (1, 0)], shares, 2)
    assert -1200 < found.agents[1].value < -600 and found.agents[1].error > 100


def test_a_model_that_does_not_fit_says_so():
    cycle = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)]  # each beats the next one
    shares = np.tile(np.array([[1, 0], [0, 1]] * 3, dtype=float), (30, 1, 1))
    found = fit_ratings(cycle, shares, 3)
    assert max(abs(e.value) for e in found.agents) < 1e-3 and found.misfit == pytest.approx(0.5, abs=1e-3)
    assert fit_ratings(TABLES, drawn(np.random.default_rng(5), 2000), 4).misfit < 0.06


def test_known_teams_give_back_their_odds_within_errors():
    generator = np.random.default_rng(6)
    chances = np.array([0.5, 0.8, 0.15])
    odds = ELO * np.log(chances / (1 - chances))
    off = []
    for _ in range(60):
        found = fit_teams((generator.random((200, 3)) < chances).astype(float))
        assert found.places == ()
        pairs = zip(found.agents[1:], (odds - odds[0])[1:], strict=True)
        off.append([(estimate.value - truth) / estimate.error for estimate, truth in pairs])
    assert np.abs(np.mean(off, axis=0)).max() < 3 / np.sqrt(60) and 0.75 < np.std(off) < 1.25


def test_the_same_luck_makes_the_difference_of_teams_surer():
    generator = np.random.default_rng(7)
    luck = generator.random((400, 1))
    together = fit_teams((luck < np.array([0.5, 0.6])).astype(float))
    apart = fit_teams((generator.random((400, 2)) < np.array([0.5, 0.6])).astype(float))
    # Errors are never below those of independent games, so common luck is not counted in favour.
    assert together.agents[1].error == pytest.approx(apart.agents[1].error, rel=0.15)
