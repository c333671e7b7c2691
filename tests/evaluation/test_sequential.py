"""The sequential test: how often it errs, how soon it answers, and what its intervals cover."""

from __future__ import annotations

import numpy as np
import pytest

from atlantis_training.evaluation.statistics import (
    BETTER,
    OPEN,
    WORSE,
    confidence_sequence,
    first_answer,
    judge,
    log_capital,
)

LEADS = np.array([-1, -1 / 3, 0, 1 / 3, 1])  # of a block


def test_equals_are_told_apart_less_often_than_the_level_however_long_one_looks():
    generator = np.random.default_rng(1)
    for chances in ([0.2] * 5, [0.5, 0, 0, 0, 0.5], [0.05, 0.1, 0.7, 0.1, 0.05]):
        answers = [first_answer(generator.choice(LEADS, 400, p=chances), level=0.2)[0] for _ in range(300)]
        assert 300 * 0.2 + 3 * np.sqrt(300 * 0.2 * 0.8) > 300 - answers.count(OPEN) > 0


def test_an_ordinary_interval_would_err_far_more_often():
    """The fault that the test is there for: the same looks with a fixed-sample bound."""
    generator = np.random.default_rng(2)
    values = generator.choice(LEADS, (300, 400))
    count = np.arange(1, 401)
    means = values.cumsum(axis=1) / count
    wrong = (np.abs(means) > 1.96 * LEADS.std() / np.sqrt(count))[:, 20:].any(axis=1).mean()
    right = np.mean([first_answer(row)[0] != OPEN for row in values])
    assert wrong > 0.2 > 0.08 > right


@pytest.mark.parametrize(("chances", "answer"), [([0, 0.1, 0.3, 0.3, 0.3], BETTER), ([0.3, 0.3, 0.3, 0.1, 0], WORSE)])
def test_a_clear_lead_is_seen_early(chances, answer):
    generator = np.random.default_rng(3)
    found = [first_answer(generator.choice(LEADS, 1000, p=chances)) for _ in range(40)]
    assert {said for said, _ in found} == {answer}
    assert np.mean([block for _, block in found]) < 100


def test_an_answer_does_not_depend_on_what_comes_after_it():
    differences = np.random.default_rng(4).choice(LEADS, 500, p=[0, 0.1, 0.3, 0.3, 0.3])
    answer, block = first_answer(differences)
    assert answer == BETTER and block > 1
    assert first_answer(differences[:block]) == (BETTER, block)
    assert first_answer(differences[: block - 1]) == (OPEN, block - 1)
    assert judge(differences).block == block


def test_a_confidence_sequence_covers_the_mean_at_all_times_and_narrows():
    generator = np.random.default_rng(5)
    chances = np.array([0.1, 0.1, 0.2, 0.3, 0.3])
    truth, missed = float(LEADS @ chances), 0
    for _ in range(60):
        low, high = confidence_sequence(generator.choice(LEADS, 200, p=chances), level=0.2)
        assert (np.diff(low) >= 0).all() and (np.diff(high) <= 0).all() and low[0] < high[0]
        missed += bool((low > truth).any() or (high < truth).any())
    assert 0 < missed <= 60 * 0.2 + 3 * np.sqrt(60 * 0.2 * 0.8)
    assert high[-1] - low[-1] < 0.5


def test_the_verdict_and_its_interval_agree():
    differences = np.random.default_rng(6).choice(LEADS, 500, p=[0, 0.1, 0.3, 0.3, 0.3])
    verdict = judge(differences)
    assert verdict.answer == BETTER and 0 <= verdict.low < verdict.mean < verdict.high
    assert judge(-differences).answer == WORSE and judge(-differences).high <= 0
    assert judge(np.zeros(300)).answer == OPEN and judge(np.zeros(0)).block == 0


def test_a_bet_begins_with_one_and_loses_no_more():
    up, down = log_capital(np.array([1.0, -1.0]), np.array([-1.0, 0.0, 1.0]))
    assert up.shape == down.shape == (2, 3)
    assert up[0, 1] > 0 > down[0, 1] and np.isfinite(up).all() and np.isfinite(down).all()
    with pytest.raises(ValueError, match=r"differences: outside -1\.\.1"):
        log_capital(np.array([1.5]), np.zeros(1))


def test_a_bet_does_not_know_the_block_it_is_on():
    before, means = np.tile([1.0, -1.0], 30), np.zeros(1)  # long enough for bets below the cut
    bets = []
    for last in (1.0, 0.2, -0.7):
        up, _ = log_capital(np.append(before, last), means)
        bets.append(np.expm1(up[-1, 0] - up[-2, 0]) / (last / 2))
    assert bets == pytest.approx([bets[0]] * 3, rel=1e-9) and bets[0] > 0
