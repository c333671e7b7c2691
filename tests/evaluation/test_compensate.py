"""Compensation: verdicts on planted games, the race, and runs that go on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_training.cli.app import app
from atlantis_training.evaluation.compensate import (
    FAIR,
    MARGIN,
    NOT,
    Choice,
    Lottery,
    Play,
    Shares,
    lotteries,
    race,
    recounted,
    verdict,
)
from atlantis_training.evaluation.measure import measure

AGENTS = ("one", "other")
LOOKS = (500, 1000, 2000, 4000)


def planted(truth: dict[str, tuple[float, ...]], seed: int, ties: float = 0.15) -> Play:
    """Games that places win with these chances; some are shared by all."""

    def play(choice: Choice, agent: str, numbers: range) -> Shares:
        chances = np.array(truth[choice.name])
        dice = np.random.default_rng([seed, *choice.name.encode(), *agent.encode(), numbers.start])
        solo = 1 / len(chances) + (chances - 1 / len(chances)) / (1 - ties)
        wins = np.eye(len(chances))[dice.choice(len(chances), len(numbers), p=solo)]
        return np.where(dice.random(len(numbers))[:, None] < ties, 1 / len(chances), wins)

    return play


@pytest.mark.parametrize("players", [2, 3])
def test_fair_is_wrong_in_at_most_5_in_100_unfair_games_and_right_in_most_fair_ones(players: int) -> None:
    equal, runs = 1 / players, 400
    off = (equal + MARGIN, equal - MARGIN, *[equal] * (players - 2))  # at the margin itself: the hardest unfair game
    unfair = {"a": off, "b": off[::-1]}
    fair = {"a": (equal,) * players, "b": off}
    survivors = [Lottery(choice, choice) for choice in (Choice("a", {}), Choice("b", {}))]
    wrong = right = 0
    for seed in range(runs):
        found, _ = verdict(survivors, AGENTS, planted(unfair, seed), MARGIN, 0, LOOKS)
        wrong += found[0].answer == FAIR
    for seed in range(runs // 8):
        found, _ = verdict(survivors, AGENTS, planted(fair, seed), MARGIN, 0, (*LOOKS, 16_000))
        right += found[0].answer == FAIR and found[0].lottery.name == "a"
    assert wrong <= 0.05 * runs
    assert right >= 0.8 * (runs // 8)


def test_what_is_far_off_is_told_to_be_unfair() -> None:
    found, stopped = verdict(
        [Lottery(Choice("a", {}), Choice("a", {}))], AGENTS, planted({"a": (0.6, 0.4)}, 1), MARGIN, 0, LOOKS
    )
    assert found[0].answer == NOT and found[0].cells[0].games < LOOKS[-1] and not stopped


def test_the_race_finds_the_fair_one_and_a_lottery_between_neighbours() -> None:
    points = [Choice(f"{half / 2:g}", {"handicap": (0.0, half / 2)} if half else {}) for half in range(12)]
    truth = {choice.name: (0.58 - 0.03 * half, 0.42 + 0.03 * half) for half, choice in enumerate(points)}
    play = planted(truth, 3)
    worst, used = race(points, AGENTS, play)
    assert set(worst) == set(points) and {"1", "1.5"} <= {choice.name for choice in list(worst)[-5:]}
    best = lotteries(list(worst)[-5:], AGENTS, lambda choice, agent: play(choice, agent, range(used)))[0]
    chances = np.array([truth[choice.name][0] for choice in best.choices])
    assert abs(chances @ [best.weight, 1 - best.weight][: len(chances)] - 0.5) < 0.02


def test_points_that_play_knew_not_of_are_counted_as_the_engine_counts_them() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    given = atlantis_envs.game("atlandice", players=3, handicap=(0, 0.5, 2))
    plain, known = (measure(each, [("random",) * 3], 60, seed=4).results[0] for each in (game, given))
    assert (recounted(plain, (0, 0.5, 2)) == known.by_order(known.win_shares)).all()  # random play looks at no points


def test_a_run_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    words = [
        "compensate",
        "atlandice",
        "-n",
        "2",
        "--at",
        "random",
        "--by",
        "ties",
        "--games",
        "100",
        "--workers",
        "1",
        "--seed",
        "5",
        "--out",
    ]
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert CliRunner().invoke(app, [*words, str(whole)]).exit_code == 0
    lines = (whole / "compensation.jsonl").read_bytes().splitlines(keepends=True)
    cut.mkdir()
    (cut / "compensation.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    assert CliRunner().invoke(app, [*words, str(cut), "--resume"]).exit_code == 0
    for name in ("compensation.json", "compensation.md", "compensation.svg"):
        assert (whole / name).read_bytes() == (cut / name).read_bytes()
    document = json.loads((whole / "compensation.json").read_text())
    assert document["findings"][0]["answer"] in ("fair", "not", "open")
    other = CliRunner().invoke(app, [*words[:-2], "6", "--out", str(cut), "--resume"])
    assert other.exit_code == 2 and "seed" in other.output


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
