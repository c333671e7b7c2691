"""Seats by skill: what is played, what is tested, and how often the tests and intervals are right."""

from __future__ import annotations

import json
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.evaluation import extent, report, statistics
from atlantis_training.evaluation import measure as measuring
from atlantis_training.evaluation.extent import share_out
from atlantis_training.evaluation.ladder import Ladder, Outcomes, make_table
from atlantis_training.evaluation.measure import Results, measure
from atlantis_training.evaluation.seats import (
    draw_seats,
    rate_neighbours,
    seats,
    seats_arrays,
    seats_json,
    skills,
    tabulate,
)

TWO = atlantis_envs.game("atlandice", players=2)
THREE = atlantis_envs.game("atlandice", players=3)
AGENTS = ("random", "eps:0.3:heuristic", "heuristic")


@pytest.fixture(scope="module")
def found():
    return seats((TWO, THREE), AGENTS, games=120, rating_blocks=8, seed=1)


def test_every_agent_and_question_is_there(found):
    for table in found.tables:
        assert [entry.agent for entry in table.agents] == list(AGENTS) and table.reference == "heuristic"
        for entry in table.agents:
            assert sum(row.share.value for row in entry.table.rows) == pytest.approx(1)
            assert sum(entry.winners.values()) == entry.table.games == entry.requested == 120
        assert table.ratings[2].value == 0 > table.ratings[1].value > table.ratings[0].value
        assert table.rating_blocks == (8, 8) and table.trend is not None
    asked = [(test.question, test.players, test.agent) for test in found.tests]
    assert len(asked) == len(set(asked)) == 12 and "12 tests" in found.report().markdown()
    assert all(test.corrected >= test.p > 0 for test in found.tests) and not found.interrupted
    assert [test.corrected for test in found.tests] == statistics.holm([test.p for test in found.tests])


def test_files_say_the_same_and_are_the_same_twice(found, tmp_path):
    paths, again = (found.report().write(tmp_path / name) for name in "ab")
    assert [path.suffix for path in paths] == [".md", ".json", ".npz", ".png", ".svg", ".pdf"]
    assert all(one.read_bytes() == other.read_bytes() for one, other in zip(paths, again, strict=True))
    with np.load(paths[2]) as kept:  # without pickles
        games, agents = kept["games"], kept["agents"].tolist()
    own = games[(games["players"] == 2) & (games["agent"] == agents.index("heuristic"))]
    won = own["returns"][:, :2] == own["returns"][:, :2].max(axis=1, keepdims=True)
    first = (won / won.sum(axis=1, keepdims=True))[np.arange(120), own["starter"]].mean()
    document = json.loads(paths[1].read_text("utf-8"))
    entry = document["tables"][0]["seats"][2]
    assert entry["rows"][0]["share"]["value"] == pytest.approx(first) and own["number"].tolist() == list(range(120))
    assert np.isnan(own["returns"][:, 2]).all() and not np.isnan(seats_arrays(found)["games"]["returns"][-1]).any()
    counted = entry["winners"].get("first", 0) + entry["winners"].get("first+second", 0) / 2
    assert counted / 120 == pytest.approx(first)


def test_a_notebook_shows_tables_and_the_figure(found):
    page = found._repr_markdown_()
    assert "](data:image/png;base64,iVBOR" in page and page.count("\n|---") == 4


def test_names_of_places_do_not_stand_on_each_other_in_the_figure(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    real, boxes = report.figure, []

    @contextmanager
    def seen(*paths, **given):
        with real(*paths, **given) as (whole, axes):
            yield whole, axes
            whole.canvas.draw()
            boxes.extend([text.get_window_extent() for text in axis.texts] for axis in axes)

    monkeypatch.setattr(report, "figure", seen)
    tables = [atlantis_envs.game("atlantis", players=players) for players in (2, 4)]  # the first one's axis is longer
    draw_seats(seats(tables, ("heuristic", "random"), games=100, rating_blocks=0, seed=6), [tmp_path / "seats.png"])
    assert [len(each) for each in boxes] == [2, 4]
    assert not any(one.overlaps(other) for each in boxes for one, other in combinations(each, 2))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"precision": 0}, "^precision: 0"),
        ({"games": 50}, "^games: 50"),
        ({"minutes": 0}, "^minutes: 0"),
        ({"minutes": 1, "games": 200}, "^minutes: given with games"),
        ({"agents": ("random", "random")}, "^agents: .*different"),
        ({"agents": ("nobody",)}, "^agent: 'nobody'"),
        ({"tables": atlantis_envs.game("atlantis_rising")}, "^game: .*opponents"),
    ],
)
def test_what_has_no_answer_is_refused(given, message):
    with pytest.raises(OptionError, match=message):
        seats(**{"tables": TWO, "agents": ("random",), **given})


def test_skills_are_those_that_play_the_game():
    assert skills(TWO)[0] == "random" and {"planner", "network", "champion"} <= set(skills(TWO))
    assert "planner" not in skills(atlantis_envs.game("atlantis", players=2))


def test_only_games_that_count_are_played(monkeypatch):
    played, real = [], measuring.play_games
    monkeypatch.setattr(measuring, "play_games", lambda *given: (played.extend(given[2]), real(*given))[1])
    for given in ({"games": 120}, {"precision": 0.06}):
        played.clear()
        entry = seats(TWO, ("random",), **given).tables[0].agents[0]
        assert sorted(played) == list(range(entry.table.games))
    share = entry.table.rows[0].share
    assert 0.055 < (share.high - share.low) / 2 < 0.065


def test_an_agent_whose_places_differ_ends_early():
    found = seats(
        atlantis_envs.game("atlantis", players=2), ("heuristic", "random"), decide=True, games=1600, rating_blocks=0
    )
    heuristic, random = found.tables[0].agents
    assert heuristic.table.games < random.table.games <= 1600
    low, high = heuristic.sequences[0]
    assert 0.5 < low < heuristic.table.rows[0].share.value < high
    assert {test.question for test in found.tests} == {"places"} and found.tests[0].corrected < 0.05


def test_minutes_buy_games_in_proportion_to_spread_over_the_root_of_cost():
    counts = share_out([1, 4, 100], [1, 1, 1], [1, 1, 1], [10**6] * 3, 13_000)
    assert counts == [1000, 500, 100]
    assert share_out([1, 4, 100], [1, 1, 1], [2, 2, 2], [200, 10**6, 10**6], 3_200)[0] == 200
    assert share_out([1, 4], [1, 1], [30, 30], [40, 40], 1) == [30, 30]  # what was played already counts


def test_a_plan_for_minutes_is_played_to_the_same_after_an_interruption(tmp_path, monkeypatch):
    given = {"tables": TWO, "agents": ("random", "heuristic"), "minutes": 9, "rating_blocks": 3, "seed": 2}
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    monkeypatch.setattr(extent, "TIMED_GAMES", 8)
    monkeypatch.setattr(extent, "share_out", lambda *_: [120, 80, 3])
    found = seats(**given, out=whole)
    assert [entry.table.games for entry in found.tables[0].agents] == [120, 80] and not found.interrupted
    real, left = measuring.play_task, 0

    def interrupted(*arguments):
        nonlocal left
        left -= 1
        if not left:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(extent, "TASK_SECONDS", 1e-9)
    with monkeypatch.context() as patched:
        patched.setattr(measuring, "play_task", interrupted)
        for left in (7, 40):  # while it is measured what a game costs; in the middle of the plan
            ended = seats(**given, out=parts, resume=left > 7)
            assert ended.interrupted and 2 <= ended.tables[0].agents[0].table.games < 100
    monkeypatch.setattr(extent.Play, "_seconds", lambda self: pytest.fail("what a game costs was measured again"))
    again = seats(**given, out=parts, resume=True)
    assert seats_json(again) == seats_json(found) and (again.report().markdown()) == found.report().markdown()
    plan = parts / "plan.json"
    plan.write_text(plan.read_text().replace('"games": [', '"games": ["x", '))
    with pytest.raises(OptionError, match=r"^resume: .*plan\.json.*damaged"):
        seats(**given, out=parts, resume=True)


def test_games_of_shorter_lists_of_agents_all_count_where_minutes_join_them(tmp_path, monkeypatch):
    given = {"tables": TWO, "seed": 2, "out": tmp_path}
    seats(**given, agents=("random", "eps:0.5:heuristic"), games=300, rating_blocks=40)
    agents = ("random", "eps:0.5:heuristic", "heuristic")
    seats(**given, agents=agents, games=150, rating_blocks=20, resume=True)
    monkeypatch.setattr(extent, "TIMED_GAMES", 2)
    (table,) = seats(**given, agents=agents, minutes=1e-3, rating_blocks=5, resume=True).tables
    assert [entry.table.games >= games for entry, games in zip(table.agents, (300, 300, 150), strict=True)] == [
        True
    ] * 3
    assert table.rating_blocks == (40, 20) and len(table.ratings) == 3


def test_neighbours_are_rated_as_a_ladder_of_two_rates_them():
    ladder = Ladder(THREE, ("random", "heuristic"), 5)
    measured = measure(THREE, ladder.matchups[0], 30, 5)
    known = make_table(ladder, Outcomes.of(ladder, measured)).ratings
    found = rate_neighbours(("random", "heuristic"), "random", [measured])
    assert [one.value for one in found.agents] == pytest.approx([one.value for one in known.agents])
    assert [one.error for one in found.agents] == pytest.approx([one.error for one in known.agents])
    turned = rate_neighbours(("random", "heuristic"), "heuristic", [measured])
    assert turned.agents[0].value == pytest.approx(-found.agents[1].value, rel=1e-4)


# ------------------------------------------------------------------------------------- how often statistics are right


def planted(generator, games, players, skew, luck=None):
    """Return win shares of made-up games, a fifth or so of them shared, in which the first place has an advantage."""
    luck = generator.normal(size=(games, players)) if luck is None else luck[:games]
    values = 0.5 * luck + generator.normal(size=(games, players)) + np.linspace(skew, 0, players)
    return statistics.shares_of_wins(np.round(2 * values))


def rate_within(hits, runs, low, high):
    """Whether a rate lies between two bounds, but for three standard errors of so many runs."""
    return low - 3 * np.sqrt(low * (1 - low) / runs) <= hits / runs <= high + 3 * np.sqrt(high * (1 - high) / runs)


@pytest.mark.parametrize("players", [2, 4])
def test_intervals_of_split_shares_hold_the_truth_in_0_94_to_0_96_of_runs(players):
    generator, runs = np.random.default_rng(players), 1500
    truth = planted(generator, 400_000, players, 0.4).mean(axis=0)
    hits = np.zeros(players)
    for _ in range(runs):
        found = statistics.split_shares(planted(generator, 200, players, 0.4))
        hits += [one.low <= value <= one.high for one, value in zip(found, truth, strict=True)]
    assert all(rate_within(hit, runs, 0.94, 0.96) for hit in hits)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_test_between_agents_rejects_0_04_to_0_06_of_nulls_with_luck_in_common(players):
    generator, runs = np.random.default_rng(10 + players), 1500
    found = []
    for _ in range(runs):
        luck = generator.normal(size=(240, players))
        one, other = (planted(generator, games, players, 0.3, luck) for games in (120, 240))
        found.append(statistics.difference_p_value(one, other))
    assert rate_within(np.sum(np.array(found) < 0.05), runs, 0.04, 0.06)
    luck = generator.normal(size=(1500, players))
    one, other = (planted(generator, 1500, players, skew, luck) for skew in (0.0, 0.6))
    assert statistics.difference_p_value(one, other) < 1e-4
    assert statistics.difference_p_value(one, one) == 1


def test_families_err_at_most_one_time_in_twenty_after_holm():
    """Runs of six agents that are equals with advantages alike: 6 + 5 tests and a trend."""
    generator, runs, wrong, strengths = np.random.default_rng(5), 120, 0, range(0, 600, 100)
    for number in range(runs):
        luck = generator.normal(size=(300, 3))
        shares = [planted(generator, games, 3, 0, luck) for games in (300, 250, 200, 150, 150, 150)]
        found = [statistics.exact_equality_p_value(one, number, 999) for one in shares]
        found += [statistics.difference_p_value(one, shares[0]) for one in shares[1:]]
        found.append(statistics.trend(shares, strengths).p_value)
        wrong += min(statistics.holm(found)) < 0.05
    assert wrong <= runs * 0.05 + 3 * np.sqrt(runs * 0.05 * 0.95)


def test_a_trend_is_seen_and_its_slope_is_what_was_planted():
    """Log-odds of the first place of two that grow by 0.2 a unit of strength."""
    generator, strengths = np.random.default_rng(6), [-2.0, -1.0, 0.0, 1.0, 2.0]
    slopes, missed = [], 0
    for _ in range(200):
        firsts = [generator.random(400) < 1 / (1 + np.exp(-0.2 * one)) for one in strengths]
        found = statistics.trend([np.stack([won, ~won], axis=1).astype(float) for won in firsts], strengths)
        slopes.append(found.slope)
        missed += abs(found.slope - 0.2) > 1.96 * found.error
    assert np.mean(slopes) == pytest.approx(0.2, abs=0.01) and missed <= 10 + 3 * np.sqrt(9.5) and found.p_value < 1e-3
    bent = [np.repeat([[1.0, 0.0], [0.0, 1.0]], [first, 400 - first], axis=0) for first in (120, 280, 120)]
    assert statistics.trend(bent, [0, 1, 2]).misfit > 50 and statistics.trend(bent, [0, 1, 2]).p_value > 0.5
    assert statistics.trend(bent[:2], [0, 1]) is None


def test_whoever_stops_when_places_seem_to_differ_errs_at_most_one_time_in_twenty():
    """Looks after every game; a test that is made for one look would err far more often."""
    generator, runs = np.random.default_rng(8), 300
    wrong = sum(statistics.anytime_p_value(planted(generator, 600, 3, 0)) < 0.05 for _ in range(runs))
    assert wrong <= runs * 0.05 + 3 * np.sqrt(runs * 0.05 * 0.95)
    looks = [planted(generator, 600, 3, 0) for _ in range(100)]
    peeking = np.mean([
        min(statistics.equality_p_value(rows[:games]) for games in range(50, 600, 25)) < 0.05 for rows in looks
    ])  # fmt: skip
    assert peeking > 0.12 and statistics.anytime_p_value(planted(generator, 600, 3, 1.0)) < 1e-4


def test_the_intervals_of_scores_and_margins_hold_the_truth_19_times_in_20():
    """Studies of made-up games whose means are known: seat 0 scores 1 more than seat 1."""
    generator = np.random.default_rng(11)
    hits, studies, games = np.zeros(4), 400, 250
    for _ in range(studies):
        scores = np.array([1, 0]) + generator.integers(0, 21, size=(games, 2))
        returns = np.sign(scores - scores[:, ::-1]).astype(float)
        numbers = np.zeros(games, np.int64)
        rows = tabulate(
            Results(returns, scores, numbers, numbers + 1, np.zeros(games, bool), np.arange(games), numbers - 1)
        ).rows
        for seat, row in enumerate(rows):
            hits[seat] += abs(row.score - (11, 10)[seat]) <= row.score_error
            hits[2 + seat] += abs(row.margin - (1, -1)[seat]) <= row.margin_error
    assert (hits / studies >= 0.92).all() and (hits / studies <= 0.98).all()
