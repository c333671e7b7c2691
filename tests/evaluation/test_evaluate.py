"""Evaluation in blocks, its statistics, and seat studies."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.catalogue import find_agent
from atlantis_agents.networks.policy import save_policy
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation import evaluate as strength
from atlantis_training.evaluation import statistics
from atlantis_training.evaluation.evaluate import _team, block_worth, evaluate, evaluation_json, evaluation_report
from atlantis_training.evaluation.measure import (
    NOBODY,
    Measured,
    Results,
    fill_line_up,
    play_games,
    rotations,
    tasks_of,
)
from atlantis_training.evaluation.seats import tabulate
from atlantis_training.evaluation.statistics import (
    block_means,
    exact_equality_p_value,
    games_for_advantage,
    games_for_precision,
    holm,
    shares_of_wins,
)


@pytest.fixture(scope="module")
def game():
    return atlantis_envs.game("atlandice", players=3)


@pytest.fixture(scope="module")
def policy(game, tmp_path_factory):
    """A policy with random weights: it plays oddly, but always the same."""
    generator = np.random.default_rng(1)
    sizes = (game.observation_size, 16, game.num_actions)
    layers = [
        (generator.normal(size=(to, from_)).astype(np.float32), np.zeros(to, np.float32))
        for from_, to in pairwise(sizes)
    ]
    return str(save_policy(tmp_path_factory.mktemp("policies") / "odd", game, layers))


# ------------------------------------------------------------------------------------------------------------- results


def test_places_and_margins_of_hand_made_games():
    returns = np.array([[1.0, -0.5, -0.5], [0.25, 0.25, -0.5], [0.0, 0.0, 0.0]])
    scores = np.array([[9, 4, 7], [5, 5, 5], [3, 3, 3]])
    results = Results(
        returns,
        scores,
        np.zeros(3, np.int64),
        np.ones(3, np.int64),
        np.zeros(3, bool),
        np.arange(3),
        np.full(3, NOBODY),
    )
    assert results.places.tolist() == [[1, 3, 2], [1.5, 1.5, 3], [2, 2, 2]]
    assert results.margins.tolist() == [[2, -5, -2], [0, 0, 0], [0, 0, 0]]


def test_the_order_of_play_starts_at_the_seat_that_decides_first():
    """Whatever stands in the columns of the seats, here their numbers, moves on with the one that starts."""
    starters = np.array([0, 1, 2])
    results = Results(
        np.zeros((3, 3)),
        np.zeros((3, 3), np.int64),
        starters,
        np.ones(3, np.int64),
        np.zeros(3, bool),
        np.arange(3),
        np.full(3, NOBODY),
    )
    assert results.by_order(np.tile(np.arange(3.0), (3, 1))).tolist() == [[0, 1, 2], [1, 2, 0], [2, 0, 1]]


def test_plies_are_the_decisions_of_each_game_from_the_first_to_the_last(game):
    """Counted by hand, one game at a time."""
    agents = [make_agent(name, game) for name in ("random", "heuristic", "random")]
    results = play_games(game, agents, 4, seed=8)
    for number in range(4):
        batch = game.batch(1, seed=8)
        batch.reset(games=[number])
        decisions, over = 0, False
        while not over:
            agent = agents[batch.seats[0]]
            _, ended = batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(8)))
            decisions, over = decisions + 1, bool(ended[0])
        assert results.plies[number] == decisions


def test_a_tie_is_a_game_with_several_winners_however_many(game, monkeypatch):
    """One sole winner, one tie of two, two ties of three, whoever counts."""
    returns = np.array([[1.0, -0.5, -0.5], [0.25, 0.25, -0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    results = Results(
        returns,
        (9 * returns).astype(np.int64),
        np.array([0, 1, 2, 0]),
        np.array([5, 6, 7, 10]),
        np.zeros(4, bool),
        np.arange(4),
        np.full(4, NOBODY),
    )
    monkeypatch.setattr(strength, "measure", lambda *_, **__: Measured(game, (("random",) * 3,), 0, 4, (results,)))
    evaluation = evaluate(game, ("random",) * 3, 4)
    assert evaluation.ties == tabulate(results).ties == 0.75
    assert evaluation.mean_plies == tabulate(results).mean_plies == 7


def test_the_name_of_a_game_is_no_game():
    with pytest.raises(OptionError, match="game: 'atlandice'; allowed: a Game"):
        evaluate("atlandice", ("random",) * 3, 4)


def test_games_from_the_middle_are_those_of_the_whole_run(game):
    agents = [make_agent("random", game)] * 3
    whole = play_games(game, agents, 40, seed=2)
    part = play_games(game, agents, range(20, 35), seed=2)
    for field in ("returns", "scores", "starters", "plies", "numbers"):
        assert np.array_equal(getattr(whole, field)[20:35], getattr(part, field))


# -------------------------------------------------------------------------------------------------------------- blocks


def test_rotations_move_everybody_on_and_leave_out_repetitions():
    assert rotations(("a", "b", "c")) == (("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a"))
    assert rotations(("a", "b", "a", "b")) == (("a", "b", "a", "b"), ("b", "a", "b", "a"))
    assert rotations(("a", "a", "a")) == (("a", "a", "a"),)


def test_tasks_hold_every_game_once_and_do_not_depend_on_workers():
    for count in (1, 15, 16, 17, 1000, 100_000):
        tasks = tasks_of([("a",)], range(3, 3 + count))
        assert [number for task in tasks for number in task.games] == list(range(3, 3 + count))


def test_rotations_of_a_block_share_its_chance(game):
    """Whoever sits where: the same tiles, first player and opening dice."""
    tables = rotations(("heuristic", "random", "random"))
    agents = {name: make_agent(name, game) for name in ("heuristic", "random")}
    starters = [play_games(game, [agents[name] for name in table], 30, seed=6).starters for table in tables]
    assert all(np.array_equal(starters[0], other) for other in starters[1:])
    assert len(set(starters[0])) == 3


def test_same_table_from_one_and_two_processes(game, policy, tmp_path):
    agents = (policy, "heuristic", "random")
    moved: list[int] = []
    one = evaluate(game, agents, 24, seed=3, workers=1)
    two = evaluate(game, agents, 24, seed=3, workers=2, progress=moved.append)
    assert one == two and sum(moved) == 72
    paths = [evaluation_report(entry).write(tmp_path / str(number)) for number, entry in enumerate((one, two))]
    for first, second in zip(*paths, strict=True):
        assert first.read_bytes() == second.read_bytes()
    document = json.loads(paths[0][1].read_text())
    assert document["agents"][0]["sha256"] and document["blocks"] == 24


def test_rows_add_up(game):
    result = evaluate(game, ("heuristic", "random", "random"), 30, seed=4)
    strong, weak = result.agents
    assert (strong.copies, weak.copies) == (1, 2)
    assert strong.share.value + 2 * weak.share.value == pytest.approx(1)
    assert strong.place.value + 2 * weak.place.value == pytest.approx(6)
    assert np.mean([share.value for share in strong.seats]) == pytest.approx(strong.share.value)
    assert np.mean([share.value for share in weak.order]) == pytest.approx(weak.share.value)
    assert strong.share.games == 90 and weak.share.games == 180
    assert strong.blocks.low > 1 / 3 > weak.blocks.high
    text = evaluation_report(result).markdown()
    assert "heuristic wins more than an equal share" in text and "random (2 seats)" in text


def test_equals_win_an_equal_share_exactly(game):
    result = evaluate(game, ("random",) * 3, 20, seed=4)
    assert len(result.tables) == 1
    assert result.agents[0].share.value == pytest.approx(1 / 3)
    assert "an equal share." not in evaluation_report(result).markdown().split("## ")[0].replace(
        "An equal share is", ""
    )


def test_interruption_keeps_what_is_finished(game):
    finished = 0

    def stop(count: int) -> None:
        nonlocal finished
        finished += count
        if finished >= 12:
            raise KeyboardInterrupt

    result = evaluate(game, ("heuristic", "random", "random"), 32, seed=4, progress=stop)
    assert result.interrupted and result.blocks == 4
    assert result.agents == evaluate(game, ("heuristic", "random", "random"), 4, seed=4).agents
    assert "4 blocks of 32, interrupted" in evaluation_report(result).markdown()


def test_a_cooperative_table_counts_games_won():
    def results(rows):
        returns = np.array(rows, float)
        numbers, cut_off = np.zeros(len(rows), np.int64), returns[:, 0] == 0
        return Results(
            returns, np.full(returns.shape, 5), numbers, numbers + 1, cut_off, np.arange(len(rows)), numbers + NOBODY
        )

    team = _team([results([[1, 1], [-1, -1]]), results([[1, 1], [1, 1]])], seed=0)
    assert team.share.value == 0.75 and team.share.games == 4
    assert team.returns.value == 0.5 and team.score.value == 5 and team.lost.value == 0.25


def test_games_that_were_cut_off_are_neither_won_nor_lost_nor_shared():
    returns = np.array([[1.0, 1.0], [-1.0, -1.0], [0.0, 0.0], [0.0, 0.0]])
    numbers = np.zeros(4, np.int64)
    results = Results(
        returns, np.zeros((4, 2), np.int64), numbers, numbers + 1, returns[:, 0] == 0, np.arange(4), numbers + NOBODY
    )
    team = _team([results], seed=0)
    assert (team.share.value, team.lost.value, team.share.games) == (0.25, 0.25, 4)
    assert results.win_shares.tolist() == [[0.5, 0.5], [0.5, 0.5], [0, 0], [0, 0]] and results.ties == 0.5


@pytest.mark.parametrize(
    ("name", "agents"), [("atlandice", ("heuristic", "random")), ("atlantis_rising", ("random",) * 2)]
)
def test_an_evaluation_is_drawn(name, agents, tmp_path):
    found = evaluate(atlantis_envs.game(name, players=2), agents, 3)
    paths = found.report().write(tmp_path)
    assert [path.name for path in paths if path.suffix in (".png", ".svg", ".pdf")] == [
        f"evaluation.{ending}" for ending in ("png", "svg", "pdf")
    ]
    svg = (tmp_path / "evaluation.svg").read_text("utf-8")
    assert all(word in svg for word in (("final score", "lost") if found.team else ("place in turn order", ">random<")))


def test_cooperative_report(game):
    result = evaluate(game, ("random",) * 3, 4)
    returns = np.ones((4, 3))
    team = _team(
        [
            Results(
                returns,
                np.ones((4, 3), int),
                *np.array([[0] * 4, [1] * 4]),
                np.zeros(4, bool),
                np.arange(4),
                np.full(4, NOBODY),
            )
        ],
        seed=0,
    )
    text = evaluation_report(replace(result, agents=(), team=team)).markdown()
    assert "games won" in text and "win share" not in text


@pytest.mark.parametrize("agents", [(), ("random",) * 2, ("random",) * 4, ("nobody",) * 3])
def test_wrong_tables_are_refused(game, agents):
    with pytest.raises(OptionError, match=r"^agents?: "):
        evaluate(game, agents, 10)


def test_the_last_agent_takes_the_seats_that_are_left():
    assert fill_line_up(["a", "b"], 4) == ("a", "b", "b", "b")
    with pytest.raises(OptionError, match=r"allowed: 1\.\.2"):
        fill_line_up(["a"] * 3, 2)


def test_agents_are_names_or_policy_directories(game, policy, tmp_path):
    assert find_agent("random", game) and find_agent(policy, game)
    for wrong in ("nobody", str(tmp_path), ""):
        with pytest.raises(OptionError, match=r"allowed: .*random"):
            find_agent(wrong, game)


# ---------------------------------------------------------------------------------------------------------- statistics


def test_block_bootstrap_covers_the_mean_where_games_of_a_block_agree(monkeypatch):
    monkeypatch.setattr(statistics, "RESAMPLES", 400)
    generator = np.random.default_rng(2)
    hits = 0
    for number in range(300):
        blocks = generator.normal(size=(120, 1)) + 0.1 * generator.normal(size=(120, 3))
        mean = block_means(blocks.mean(axis=1, keepdims=True), number)[0]
        hits += mean.low <= 0 <= mean.high
    assert 0.90 <= hits / 300 <= 0.98


def test_bootstrap_in_groups_has_the_same_width():
    values = np.random.default_rng(3).normal(size=(20_000, 1))
    mean = block_means(values)[0]
    assert mean.value == pytest.approx(values.mean())
    assert (mean.high - mean.low) / 2 == pytest.approx(1.96 / np.sqrt(20_000), rel=0.1)
    constant = block_means(np.full((50, 1), 0.25))[0]
    assert (constant.low, constant.high) == (0.25, 0.25)


def test_randomisation_test_is_calibrated_with_ties_and_sees_a_difference():
    generator = np.random.default_rng(7)
    null = []
    for number in range(300):
        shares = shares_of_wins(generator.integers(0, 6, size=(150, 3)).astype(float))
        null.append(exact_equality_p_value(shares, number, draws=999))
    assert 0.02 <= np.mean(np.array(null) < 0.05) <= 0.09 and 0.4 <= np.mean(null) <= 0.6
    unequal = np.eye(3)[generator.choice(3, 2000, p=[0.4, 0.3, 0.3])]
    assert exact_equality_p_value(unequal, draws=999) == 1 / 1000
    assert exact_equality_p_value(np.full((10, 3), 1 / 3), draws=99) == 1


@pytest.mark.parametrize("idle", [0, 1, 2])
def test_a_place_that_never_wins_is_seen(idle):
    generator = np.random.default_rng(4)
    for games in (150, 151, 1000):
        shares = np.insert(np.eye(2)[generator.integers(0, 2, games)], idle, 0.0, axis=1)
        assert statistics.equality_p_value(shares) == exact_equality_p_value(shares) < 1e-4
    assert statistics.equality_p_value(np.tile([1.0, 0.0, 0.0], (40, 1))) < 1e-4


def test_holm_matches_a_worked_example():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_sample_sizes():
    assert games_for_precision(0.5, 0.01) == 9604
    generator = np.random.default_rng(1)
    pilot = np.eye(3)[generator.integers(0, 3, 5000)]
    games = games_for_advantage(pilot, 0.05)
    odds = [1 / 3 + 0.05, 1 / 3 - 0.025, 1 / 3 - 0.025]
    seen = [statistics.equality_p_value(np.eye(3)[generator.choice(3, games, p=odds)]) < 0.05 for _ in range(400)]
    assert 0.72 <= np.mean(seen) <= 0.88
    assert games_for_advantage(np.tile([1.0, 0.0, 0.0], (50, 1)), 0.01) == 1


# ------------------------------------------------------------------------------------------------ what a block is worth


def test_evaluation_json_is_plain(game):
    text = json.dumps(evaluation_json(evaluate(game, ("random",) * 3, 3)), allow_nan=False)
    assert json.loads(text)["rows"][0]["agent"] == "random"


def test_a_block_is_worth_as_many_games_as_its_spread_says():
    """Independent games count one each; luck that cancels counts more, luck in common less."""
    generator = np.random.default_rng(3)
    luck, other = generator.random((2, 20_000)) < 0.5
    for second, worth in ((other, 2.0), (luck, 1.0), (np.where(other, ~luck, luck), 2.0)):
        results = [of_shares(won) for won in (luck, second)]
        found = replace(evaluation_of_two(), tables=(("a", "b"), ("a", "b")), results=tuple(results))
        assert block_worth(found, "a") == pytest.approx(worth, rel=0.03)
    half = np.where(generator.random(20_000) < 0.5, ~luck, other)
    found = replace(found, results=(of_shares(luck), of_shares(half)))
    assert block_worth(found, "b") == pytest.approx(4.0, rel=0.05)
    assert math.isnan(block_worth(replace(found, results=(of_shares(luck), of_shares(~luck))), "a"))


def of_shares(won):
    """Made-up games of two that seat 0 won or lost."""
    returns, numbers = np.where(np.stack([won, ~won], axis=1), 1.0, -1.0), np.arange(len(won))
    return Results(
        returns, returns.astype(np.int64), numbers * 0, numbers * 0 + 1, numbers < 0, numbers, numbers * 0 + NOBODY
    )


def evaluation_of_two():
    return evaluate(atlantis_envs.game("atlandice", players=2), ("random", "heuristic"), 2)
