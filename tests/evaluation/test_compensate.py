"""Compensation: verdicts on planted games, the race, and runs that go on."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_training.cli.app import app
from atlantis_training.evaluation import report
from atlantis_training.evaluation.compensate import (
    FAIR,
    LAST_RUNG,
    MARGIN,
    NOT,
    Choice,
    Lottery,
    Play,
    Shares,
    _draw_path,
    looks_at,
    race,
    recounted,
    verdict,
    with_options,
)
from atlantis_training.evaluation.measure import measure

AGENTS = ("one", "other")
LOOKS = (500, 1000, 2000, 4000)


def planted(truth: dict[str, list[tuple[float, ...]]], seed: int, ties: float = 0.15) -> Play:
    """Games that places win with these chances, by choice and agent; some are shared by all."""

    def shares(choice: Choice, number: int, numbers: range) -> Shares:
        chances = np.array(truth[choice.name][number])
        dice = np.random.default_rng([seed, *choice.name.encode(), number, numbers.start])
        solo = 1 / len(chances) + (chances - 1 / len(chances)) / (1 - ties)
        wins = np.eye(len(chances))[np.searchsorted(solo.cumsum()[:-1], dice.random(len(numbers)))]
        return np.where(dice.random(len(numbers))[:, None] < ties, 1 / len(chances), wins)

    return lambda choices, numbers: {
        (choice, agent): shares(choice, number, numbers) for choice in choices for number, agent in enumerate(AGENTS)
    }


def answer(truth: dict[str, list[tuple[float, ...]]], seed: int, most: int = 4000) -> tuple[str, Lottery]:
    """The whole way: race, lotteries and fresh games."""
    play = planted(truth, seed)
    _, survivors = race([Choice(name, {}) for name in truth], AGENTS, play)
    found, _ = verdict(survivors, AGENTS, play, MARGIN, LAST_RUNG, looks_at(most))
    return found[0].answer, found[0].lottery


@pytest.mark.parametrize("players", [2, 3])
def test_fair_is_wrong_in_at_most_5_in_100_unfair_games_and_right_in_most_fair_ones(players: int) -> None:
    equal, runs = 1 / players, 300

    def places(off: float) -> tuple[float, ...]:
        return (equal + off, equal - off, *[equal] * (players - 2))

    even, edge = places(0.0), places(MARGIN)  # at the margin itself: the hardest unfair game
    unfair = {
        "a": [edge, even],
        "b": [edge, places(0.01)],
        "c": [places(1.5 * MARGIN), even],
    }  # no lottery is fair for the first agent
    wrong = sum(answer(unfair, seed)[0] == FAIR for seed in range(runs))
    assert wrong <= 0.05 * runs
    apart = {"a": [places(0.06)] * 2, "b": [places(-0.05)] * 2, "c": [edge, places(0.03)]}
    told = [answer(apart, seed, 16_000) for seed in range(runs // 10)]  # only lotteries with b are fair
    right = sum(found == FAIR and "b" in [choice.name for choice in each.choices] for found, each in told)
    assert right >= 0.8 * len(told)


def test_more_games_change_no_claim_that_fewer_made() -> None:
    lottery = Lottery(Choice("a", {}), Choice("a", {}))
    for seed in range(20):
        play = planted({"a": [(0.503, 0.497)] * 2}, seed)
        (short, *_), (long, *_) = (
            verdict([lottery], AGENTS, play, MARGIN, LAST_RUNG, looks_at(games))[0] for games in (16_000, 256_000)
        )
        assert long.answer == FAIR and long.looks[: len(short.looks)] == short.looks
        assert (long.cells == short.cells) == (short.answer == FAIR)


def test_what_is_far_off_is_told_to_be_unfair() -> None:
    found, stopped = verdict(
        [Lottery(Choice("a", {}), Choice("a", {}))], AGENTS, planted({"a": [(0.6, 0.4)] * 2}, 1), MARGIN, 0, LOOKS
    )
    assert found[0].answer == NOT and found[0].cells[0].games < LOOKS[-1] and not stopped


def test_the_race_finds_the_fair_one_among_many() -> None:
    points = [Choice(f"{half / 2:g}", {"handicap": (0.0, half / 2)} if half else {}) for half in range(12)]
    truth = {choice.name: [(0.58 - 0.03 * half, 0.42 + 0.03 * half)] * 2 for half, choice in enumerate(points)}
    order, (best, *_) = race(points, AGENTS, planted(truth, 3))
    assert {each.name for each in order} == set(truth) and {"1", "1.5"} <= {each.name for each in order[:5]}
    chances = np.array([truth[choice.name][0][0] for choice in best.choices])
    assert abs(chances @ [best.weight, 1 - best.weight][: len(chances)] - 0.5) < 0.01
    assert all(each.games == LAST_RUNG for each in order[:4]) and order[-1].games < LAST_RUNG


def test_names_of_places_do_not_stand_on_each_other_in_the_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    play, third = planted({"a": [(1 / 3, 1 / 3, 1 / 3)] * 2}, 1), [Lottery(Choice("a", {}), Choice("a", {}))]
    (found, *_), _ = verdict(third, AGENTS, play, MARGIN, 0, LOOKS)
    with report.figure(tmp_path / "path.png", size=(8.4, 2.7), panels=2) as (drawn, axes):
        for axis, cell in zip(axes, found.cells, strict=True):
            _draw_path(axis, found, cell, MARGIN)
        drawn.canvas.draw()
        boxes = [[text.get_window_extent() for text in axis.texts] for axis in axes]
    assert [len(each) for each in boxes] == [3, 3]
    assert not any(one.overlaps(other) for each in boxes for one, other in itertools.combinations(each, 2))


def test_every_game_that_was_asked_for_is_played() -> None:
    assert looks_at(100) == [100] and looks_at(5000) == [1000, 2000, 4000, 5000] and looks_at(4000)[-2:] == [2000, 4000]


def test_other_options_keep_the_tables() -> None:
    track = ["start", "none", "none", "donation", "book", "gem", "none", "total", "provision", "none", "donation",
             "tool", "weapon", "none", "total", "end"]  # fmt: skip
    plain = atlantis_envs.game(
        "atlandice", players=2, data={"clock": "own", "clocks": {"own": track}, "needles": {"market": 3}}, chain_cap=3
    )
    given = with_options(plain, {"handicap": (0.5, 0.0)})
    own, other = (each.options.to_json() for each in (plain, given))
    assert other.pop("handicap")[:2] == [0.5, 0] and own == other and own["needles"]["market"] == 3


def test_points_that_play_knew_not_of_are_counted_as_the_engine_counts_them() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    given = atlantis_envs.game("atlandice", players=3, handicap=(0, 0.5, 2))
    plain, known = (measure(each, [("random",) * 3], 60, seed=4).results[0] for each in (game, given))
    assert (recounted(plain, (0, 0.5, 2)) == known.by_order(known.win_shares)).all()  # random play looks at no points


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("atlandice --by start_hand", "start_hand"),
        ("atlantis --by luck", "allowed: start_hand"),
        ("atlantis_rising --by points", "opponents"),
        ("atlantis --by ties --margin 0.6", "margin"),
    ],
)
def test_questions_without_an_answer_are_refused(words: str, named: str) -> None:
    result = CliRunner().invoke(app, ["compensate", *words.split(), "--at", "random"])
    assert result.exit_code == 2 and named in result.output
