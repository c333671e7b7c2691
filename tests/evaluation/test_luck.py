"""Luck and skill: Sobol indices of a planted function, who sits where, games that tell, and runs that go on."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_training.cli.app import app
from atlantis_training.evaluation.luck import (
    INPUTS,
    NOISE,
    SHARES,
    Values,
    by_order,
    luck,
    pairs_of,
    stream_indices,
    stream_kinds,
    values_of,
    with_intervals,
)
from atlantis_training.evaluation.measure import measure

GAMES = 4000


def test_indices_of_a_planted_function_are_within_2_in_100() -> None:
    dice = np.random.default_rng(1)
    place = np.array([1.0, -1.0])[:, None, None, None]
    own = np.array([-1.0, 0.0, 1.0])[:, None, None]
    others = np.array([0.5, 0.0, -0.5])[:, None]
    number = dice.normal(size=(2, GAMES))
    values = 0.5 * place + 2 * own + others + own * others + place * number[0] + own * place * number[1]
    parts = {"seat": 0.25, "own": 8 / 3, "others": 1 / 6, "both": 1 / 9, "luck": 1.0, "rest": 2 / 3}
    whole = sum(parts.values())
    alone = [parts[key] / whole for key in ("own", "others", "both", "seat", "luck", "rest")]
    truth = {
        **dict(zip(SHARES, alone, strict=True)),
        "total own skill": (parts["own"] + parts["both"] + parts["rest"]) / whole,
        "total skill of the others": (parts["others"] + parts["both"]) / whole,
        "total seat": (parts["seat"] + parts["luck"] + parts["rest"]) / whole,
        "total game number": (parts["luck"] + parts["rest"]) / whole,
    }
    names = [*SHARES, *(f"first {name}" for name in INPUTS), *(f"total {name}" for name in INPUTS)]
    named = dict(zip(names, with_intervals(values), strict=True))
    for name, value in truth.items():
        assert abs(named[name].value - value) < 0.02, name
        assert named[name].high - named[name].low < 0.1
    assert named["first own skill"].value == named["own skill"].value
    assert abs(sum(named[name].value for name in SHARES) - 1) < 1e-9


def test_streams_of_a_planted_function_are_within_2_in_100() -> None:
    dice = np.random.default_rng(4)
    place, own = np.array([1.0, -1.0])[:, None, None, None], np.array([-1.0, 0.0, 1.0])[:, None, None]
    plain, other = dice.normal(size=(2, 2, GAMES))  # stream, number

    def played(first: Values, second: Values) -> Values:
        return place * (2 * first + second + first * second) + own * (1 + second) + np.zeros((2, 3, 1, GAMES))

    values = [played(*plain), played(other[0], plain[1]), played(plain[0], other[1]),
              played(plain[0], other[1]), played(other[0], plain[1])]  # fmt: skip
    whole = 4 + 1 + 1 + 2 / 3 + 2 / 3  # first, second, both, own, own with the second
    truth = [6 + 2 / 3, 4, 1 + 2 / 3, 5, 2 + 2 / 3]
    found = with_intervals(np.stack(values), stream_indices)
    for one, share in zip(found, truth, strict=True):
        assert abs(one.value - share / whole) < 0.02 and one.low < share / whole + 0.02 and one.high - one.low < 0.1


def test_streams_split_the_luck_of_games() -> None:
    game = atlantis_envs.game("atlantis", players=2)
    assert list(stream_kinds(game)) == ["first player", "tops", "under tiles", "cards", NOISE]
    found = luck(game, ["heuristic", "random"], 64, seed=2, streams=True)
    assert found.luck is not None and abs(found.streams["first player"][1].value) < 1e-9  # seat 0 begins
    alone, whole = (
        sum(one.value for one, _ in found.streams.values()),
        sum(each.value for _, each in found.streams.values()),
    )
    assert alone < found.luck.value < whole and found.streams[NOISE][1].value > 0


def test_intervals_hold_the_truth() -> None:
    runs, held = 200, np.zeros(3)
    truth = {0: 1 / 3, 4: 5 / 12, 5: 1 / 4}  # own skill, luck (a quarter of the noise by agents with it), the rest
    for seed in range(runs):
        dice = np.random.default_rng(seed)
        own = np.array([-1.0, 1.0])[:, None, None]
        found = with_intervals(own + dice.normal(size=(2, 1, 1, 100)) + dice.normal(size=(2, 2, 2, 100)))
        held += [found[index].low <= share <= found[index].high for index, share in truth.items()]
    assert (held >= 0.9 * runs).all() and (held <= 0.99 * runs).all()


def test_values_are_those_of_the_players_in_turn_order() -> None:
    game, population = atlantis_envs.game("atlandice", players=3), ("random", "heuristic")
    line_ups = [(a, b, c) for a in population for b in population for c in population]
    measured = measure(game, line_ups, 20, seed=3)
    values = values_of(by_order(measured, 2))
    for line_up, results in zip(line_ups, measured.results, strict=True):
        for number, (starter, shares) in enumerate(zip(results.starters, results.win_shares, strict=True)):
            for place in range(3):
                own, *others = (population.index(line_up[(starter + place + step) % 3]) for step in range(3))
                assert values[place, own, 2 * others[0] + others[1], number] == shares[(starter + place) % 3]


@pytest.mark.parametrize("chance", [0.52, 0.6, 0.9])
def test_the_better_one_is_ahead_after_as_many_games(chance: float) -> None:
    wins = np.random.default_rng(2).random(200_000) < chance
    ordered = np.full((2, 2, len(wins), 2), 0.5)
    ordered[0, 1, :, 0] = ordered[1, 0, :, 1] = wins
    ordered[0, 1, :, 1] = ordered[1, 0, :, 0] = ~wins
    (pair,) = pairs_of(ordered, ("strong", "weak"))
    assert (pair.better, pair.worse) == ("strong", "weak") and abs(pair.share - chance) < 0.01
    assert pair.games is not None
    ahead = 2 * np.random.default_rng(3).binomial(pair.games, chance, 20_000) - pair.games
    assert 0.93 < (ahead > 0).mean() < (0.98 if chance > 0.8 else 0.97)  # of three games of 0.9 two are 0.972


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("atlandice --population random", "two different agents"),
        ("atlantis_rising --population random,heuristic", "opponents"),
        ("atlandice -n 4 --population a,b,c,d,e,f", "at most 5 at 4 seats"),
    ],
)
def test_questions_without_an_answer_are_refused(words: str, named: str) -> None:
    result = CliRunner().invoke(app, ["luck", *words.split()])
    assert result.exit_code == 2 and named in result.output
