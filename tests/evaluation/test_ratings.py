"""Ratings: players whose strengths are known give them back within the errors stated."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from atlantis_training.evaluation.ratings import ELO, fit_ratings, fit_teams

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


def independent(won):
    """Variances of log-odds of independent games, with the one that is drawn, in Elo points squared."""
    games = len(won) + 1
    chances = (won.sum(axis=0) + 0.5) / games
    return ELO**2 / (games * chances * (1 - chances))


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_no_difference_of_teams_is_surer_than_independent_games_make_it(order):
    luck = np.random.default_rng(8).random((60, 1))
    won = (luck < np.array([0.5, 1.0, 0.0, 0.6])).astype(float)[:, order]  # two teams whose blocks are all alike
    found = fit_teams(won)
    covariance, alone = np.array(found.covariance), independent(won)
    assert np.isfinite(covariance).all() and (covariance == covariance.T).all()
    assert np.linalg.eigvalsh(covariance).min() > -1e-6
    for one, other in permutations(range(4), 2):
        spread = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
        assert spread >= (alone[one] + alone[other]) * (1 - 1e-6)
    assert all(np.isfinite(estimate.error) and estimate.error > 0 for estimate in found.agents[1:])


def test_errors_of_differences_do_not_depend_on_who_is_named_first():
    won = (np.random.default_rng(9).random((60, 1)) < np.array([0.5, 0.7, 0.3])).astype(float)
    one, other = (np.array(fit_teams(won[:, order]).covariance) for order in ([0, 1, 2], [2, 1, 0]))
    assert one[1, 1] == pytest.approx(other[1, 1] + other[2, 2] - 2 * other[1, 2])


def test_blocks_that_are_all_alike_leave_errors_of_differences():
    cycle = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)]
    found = fit_ratings(cycle, np.tile(np.array([[1, 0], [0, 1]] * 3, dtype=float), (30, 1, 1)), 3)
    covariance = np.array(found.covariance)
    difference = covariance[1, 1] + covariance[2, 2] - 2 * covariance[1, 2]
    assert difference == pytest.approx(covariance[1, 1], rel=1e-3)  # all three are as sure of each other
    assert all(np.isfinite(estimate.error) and estimate.error > 0 for estimate in (*found.agents[1:], found.places[1]))
