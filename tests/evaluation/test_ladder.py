"""Ladders: who plays whom, tables, keeping and going on, any number of processes, early stops, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.networks.policy import save_policy
from atlantis_envs.errors import OptionError
from atlantis_training.cli.app import app
from atlantis_training.evaluation import ladder as playing
from atlantis_training.evaluation.ladder import (
    LOG,
    Ladder,
    Outcomes,
    budgets_of,
    by_order,
    draw_ladder,
    hero_shares,
    ladder_json,
    ladder_store,
    lead,
    make_table,
    play_ladder,
    two_named,
)
from atlantis_training.evaluation.statistics import BETTER

pytest.importorskip("statsmodels")

AGENTS = ("heuristic", "random")


@pytest.fixture(scope="module")
def ladder():
    return Ladder(atlantis_envs.game("atlandice", players=3), AGENTS, seed=3)


@pytest.fixture(scope="module")
def played(ladder):
    return play_ladder(ladder, 8)


def text(played) -> str:
    return json.dumps(ladder_json(played, make_table(played.ladder, played.outcomes)), allow_nan=False)


# ----------------------------------------------------------------------------------------------------------------- plan


def test_every_agent_is_hero_in_every_seat(ladder):
    assert ladder.matchups == (
        (
            ("heuristic", "random", "random"),
            ("random", "heuristic", "random"),
            ("random", "random", "heuristic"),
            ("random", "heuristic", "heuristic"),
            ("heuristic", "random", "heuristic"),
            ("heuristic", "heuristic", "random"),
        ),
    )
    two = Ladder(atlantis_envs.game("atlandice", players=2), ("heuristic", "random", "planner"))
    assert [len(tables) for tables in two.matchups] == [2, 2, 2] and two.games_a_block == 6
    team = Ladder(atlantis_envs.game("atlantis_rising", players=2), AGENTS)
    assert team.matchups == ((("heuristic",) * 2,), (("random",) * 2,))


def test_names_with_colons_are_told_apart():
    assert two_named("search:4:heuristic", ("heuristic", "search:4")) == ("search:4", "heuristic")
    assert two_named("search:4:search:16", ("search:4", "search:16")) == ("search:4", "search:16")


def test_one_search_with_several_budgets_makes_a_curve(tmp_path):
    agents = ("network", "search:64,gate=0", "search:gate=0,simulations=16", "search:256,gate=0", "search:16", "search")
    assert budgets_of(agents) == {16: 2, 64: 1, 256: 3}
    assert budgets_of(("search:16", "search:64", "heuristic")) == {}
    texts = ("random", *(f"search:{number},rollout=random,horizon=0,leaf=score" for number in (2, 4, 8)))
    own = Ladder(atlantis_envs.game("atlandice", players=2), texts)
    played = play_ladder(own, 2)
    paths = [tmp_path / "curve.png", tmp_path / "curve.svg"]
    draw_ladder(played, make_table(own, played.outcomes), paths)
    assert "simulations" in paths[1].read_text()
    assert paths[0].stat().st_size > 1000


# ---------------------------------------------------------------------------------------------------------------- table


def made_up(ladder, winners, starters):
    tables = len(ladder.matchups[0])
    shape = (1, tables, 1)
    return Outcomes(np.array(winners, np.int16).reshape(shape), np.array(starters, np.int16).reshape(shape))


def test_pay_offs_of_a_hand_made_block(ladder):
    # The heuristic as hero wins in seat 0, shares with one of two others in seat 1, loses in seat 2;
    # the random one shares with both others in seat 0, and wins nothing elsewhere.
    outcomes = made_up(ladder, [0b001, 0b011, 0b001, 0b111, 0b001, 0], [0, 0, 0, 0, 0, 0])
    cells = hero_shares(ladder, outcomes)
    assert cells[0, 0, 1] == pytest.approx((1 + 1 / 2) / 3) and cells[0, 1, 0] == pytest.approx(1 / 9)
    assert lead(ladder, outcomes, "random", "heuristic") == pytest.approx([1 / 2 - 1 / 9])
    assert lead(ladder, outcomes, "heuristic", "random") == pytest.approx([1 / 9 - 1 / 2])
    table = make_table(ladder, outcomes)
    assert table.ties == pytest.approx(2 / 6) and table.unwon == 1 and table.ratings is None


def test_a_mean_rests_on_the_games_against_all_opponents():
    three = Ladder(atlantis_envs.game("atlandice", players=3), ("heuristic", "random", "planner"))
    everything = np.ones((3, 6, 2), np.int16)
    table = make_table(three, Outcomes(everything, np.zeros_like(everything)))
    assert [share.games for share in table.payoffs[0]] == [0, 2 * 3, 2 * 3]
    assert [mean.games for mean in table.means] == [2 * 3 * 2] * 3
    team = Ladder(atlantis_envs.game("atlantis_rising", players=2), AGENTS)
    both = make_table(team, Outcomes(everything[:2, :1], np.zeros((2, 1, 2), np.int16)))
    assert [mean.games for mean in both.means] == [2, 2]


def test_tables_are_turned_to_the_order_of_play(ladder):
    tables, shares = by_order(ladder, made_up(ladder, [0b100, 1, 1, 1, 1, 1], [2, 0, 0, 0, 0, 0]))
    # Seat 2 began and won the first table, where seat 0 held the hero: by turn order random, heuristic, random.
    row = tables.index((1, 0, 1))
    assert shares[0, row].tolist() == [2, 0, 0]  # with the second table, which seat 0 began and won
    assert (0, 1, 1) not in tables and shares.sum() == 6


def test_the_luck_is_the_same_at_every_table(ladder, played):
    starters = played.outcomes.starters
    assert (starters == starters[:1, :1]).all() and len(np.unique(starters)) > 1


def test_the_table_of_a_real_ladder(ladder, played):
    table = make_table(ladder, played.outcomes)
    assert [row[place].value for place, row in enumerate(table.payoffs)] == [pytest.approx(1 / 3)] * 2
    strong, weak = table.payoffs[0][1], table.payoffs[1][0]
    assert strong.value > 0.9 and weak.value < 0.1 and strong.games == 24
    assert strong.low <= strong.value <= strong.high and strong.low < 1 and weak.high > 0
    assert table.ratings is not None and table.ratings.agents[1].value < -300 and len(table.ratings.places) == 3
    page = played.report().markdown()
    assert "8 blocks of 6 games with the same luck: 48 games; seed 3" in page
    assert f"| heuristic | 0.333 | {strong} | {strong} |" in page


def test_a_block_is_the_same_games_that_an_evaluation_plays(ladder, played):
    from atlantis_training.evaluation.evaluate import evaluate

    found = evaluate(ladder.game, ("heuristic", "random", "random"), 8, seed=3)
    assert make_table(ladder, played.outcomes).payoffs[0][1].value == pytest.approx(found.agents[0].share.value)


def test_teams_have_a_row_each(tmp_path):
    game = atlantis_envs.game("atlantis_rising", players=2, level=1)
    played = play_ladder(Ladder(game, AGENTS, seed=1), 10)
    table = make_table(played.ladder, played.outcomes)
    assert [len(row) for row in table.payoffs] == [1, 1]
    assert table.payoffs[0][0].value > table.payoffs[1][0].value
    assert "| team of | games won |" in played.report().markdown()
    assert len(played.report().write(tmp_path)) == 5


# -------------------------------------------------------------------------------------------------------- going on


def interrupting(after: int):
    finished = 0

    def advance(count: int) -> None:
        nonlocal finished
        finished += count
        if finished >= after:
            raise KeyboardInterrupt

    return advance


def test_a_resumed_ladder_equals_an_undisturbed_one(ladder, played, tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "STEP", 2)
    broken = play_ladder(ladder, 8, ladder_store(tmp_path, ladder, resume=False), progress=interrupting(24))
    assert broken.interrupted and broken.blocks == 4
    with (tmp_path / LOG).open("ab") as stream:
        stream.write(b'{"what":{"game":"atlan')  # torn off
    told: list[int] = []
    whole = play_ladder(ladder, 8, ladder_store(tmp_path, ladder, resume=True), progress=told.append)
    assert told == [24, 12, 12] and text(whole) == text(played)
    lines = (tmp_path / LOG).read_bytes().split(b"\n")
    assert len(lines) == 1 + 4 * 6 + 1 and all(json.loads(line) for line in lines[:-1])
    kept = ladder_store(tmp_path, ladder, resume=True)
    assert text(play_ladder(ladder, 5, kept)) == text(play_ladder(ladder, 5))  # fewer blocks than are there


def test_more_blocks_may_be_added(ladder, played, tmp_path):
    play_ladder(ladder, 3, ladder_store(tmp_path, ladder, resume=False))
    assert text(play_ladder(ladder, 8, ladder_store(tmp_path, ladder, resume=True))) == text(played)


def test_more_agents_may_be_added(ladder, tmp_path):
    play_ladder(ladder, 3, ladder_store(tmp_path, ladder, resume=False))
    three, told = Ladder(ladder.game, (*AGENTS, "planner"), seed=3), list[int]()
    found = play_ladder(three, 3, ladder_store(tmp_path, three, resume=True), progress=told.append)
    assert told[0] == 3 * 6 and text(found) == text(play_ladder(three, 3))


def test_the_number_of_processes_changes_nothing(ladder, played, monkeypatch):
    monkeypatch.setattr(playing, "STEP", 3)
    assert text(play_ladder(ladder, 8, workers=2)) == text(played)


# ------------------------------------------------------------------------------------------------------- early stops


def test_a_test_stops_as_soon_as_it_knows_whatever_was_played(ladder, monkeypatch):
    monkeypatch.setattr(playing, "STEP", 4)
    found = play_ladder(ladder, 60, better=("random", "heuristic"))
    assert found.verdict is not None and found.verdict.answer == BETTER
    assert found.decided and not found.interrupted and found.blocks == found.verdict.block < 40
    monkeypatch.setattr(playing, "STEP", 30)
    assert text(play_ladder(ladder, 60, better=("random", "heuristic"))) == text(found)
    page = found.report().markdown()
    assert f"Is heuristic better than random? Heuristic is better than random, known after {found.blocks}" in page


def test_a_test_may_end_without_an_answer(ladder):
    found = play_ladder(ladder, 2, better=("random", "heuristic"))
    assert not found.decided and not found.interrupted and found.blocks == 2
    page = found.report().markdown()
    assert "Is heuristic better than random? Not known after 2 blocks." in page


# ---------------------------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["random", "random"], "agents: 'random' is named twice; allowed: different agents"),
        (["random"], "agents: 1; allowed: 2..32"),
        (["random", "nobody"], "nobody"),
        (["random", "heuristic", "-b", "1"], "--blocks"),
        (["random", "heuristic", "--better", "random:planner"], "better: 'random:planner' with agents 'random', 'heur"),
        (["random", "heuristic", "planner", "--better", "random:planner"], "allowed: A:B, with A and B the agents"),
        (["random", "heuristic", "--better", "random"], "better: 'random' with agents"),
        (["random", "heuristic", "--resume"], "--resume: goes with --out DIR"),
        (["random", "heuristic", "--resume", "--out", "new"], "resume: new/ladder.jsonl: there is no such file"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(flags, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["ladder", "atlandice", *flags], prog_name="atlantis")
    assert result.exit_code == 2 and message in result.stderr and result.stderr.count("\n") == 1
    assert [path for path in Path().rglob("*") if path.is_file()] == []


def test_another_ladder_is_neither_overwritten_nor_mixed(ladder, tmp_path):
    play_ladder(ladder, 2, ladder_store(tmp_path, ladder, resume=False))
    before = (tmp_path / LOG).read_bytes()
    with pytest.raises(OptionError, match="there is a ladder already; allowed: --resume, or another directory"):
        ladder_store(tmp_path, ladder, resume=False)
    with pytest.raises(OptionError, match="was played with seed 3; allowed: the same as now, 4"):
        ladder_store(tmp_path, Ladder(ladder.game, AGENTS, seed=4), resume=True)
    with pytest.raises(OptionError, match="was played with agents"):
        ladder_store(tmp_path, Ladder(ladder.game, ("random", "planner"), seed=3), resume=True)
    assert (tmp_path / LOG).read_bytes() == before


@pytest.mark.parametrize("content", [b"my diary", b'{"format": "mine"', b'{"matchup":0'])
def test_a_file_of_something_else_is_refused_and_stays(content, ladder, tmp_path):
    (tmp_path / LOG).write_bytes(content)
    with pytest.raises(OptionError, match=r"ladder.jsonl, last line: b'.*; allowed: lines that begin with"):
        ladder_store(tmp_path, ladder, resume=True)
    assert (tmp_path / LOG).read_bytes() == content


def test_whose_file_it_is_shows_before_the_first_game(ladder, tmp_path):
    ladder_store(tmp_path, ladder, resume=False)
    head = (tmp_path / LOG).read_bytes()
    ladder_store(tmp_path, ladder, resume=True)
    assert head.count(b"\n") == 1 and (tmp_path / LOG).read_bytes() == head
    with pytest.raises(OptionError, match="was played with seed 3"):
        ladder_store(tmp_path, Ladder(ladder.game, AGENTS, seed=4), resume=True)


def test_a_policy_that_was_replaced_makes_another_ladder(ladder, tmp_path):
    sizes, where = (ladder.game.observation_size, ladder.game.num_actions), tmp_path / "policy"

    def stored(weight):
        save_policy(where, ladder.game, [(np.full(sizes[::-1], weight, np.float32), np.zeros(sizes[1], np.float32))])

    guided = Ladder(ladder.game, ("random", f"search:2,guide={where}"), seed=3)
    stored(0.0)
    ladder_store(tmp_path, guided, resume=False)
    ladder_store(tmp_path, guided, resume=True)
    stored(1.0)
    with pytest.raises(OptionError, match="was played with agents"):
        ladder_store(tmp_path, guided, resume=True)
