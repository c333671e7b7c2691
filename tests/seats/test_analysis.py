"""Analysis of a decision: right, stable, paired, from what the seat may know, and stopped at once."""

from __future__ import annotations

import dataclasses
import threading
import time
from functools import cache
from typing import Any

import numpy as np
import pytest
from helpers.support import ROOT
from helpers.toy_game import TOY, ToyOptions, toy_game

import atlantis_envs
from atlantis_agents.catalogue import agent_names
from atlantis_agents.heuristic import HeuristicAgent
from atlantis_envs.engine.defaults import no_resample
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError
from atlantis_envs.seats import analysis
from atlantis_envs.seats.analysis import NORMAL, WILSON, Analysis, Judged, analyse, analysing

SEED = 11
PLAYERS = {"atlandice": 3, "atlantis": 3, "atlantis_rising": 2}


@cache
def game_of(name: str) -> Game:
    return atlantis_envs.game(name, players=PLAYERS[name])


@cache
def decisions(name: str, count: int = 2, plies: int = 40, lane: int = 0) -> tuple[Position, ...]:
    """Decisions with several moves in a game of the heuristic that has been going on for a while."""
    game = game_of(name)
    batch, agent = game.batch(2, SEED), HeuristicAgent(game)
    found: list[Position] = []
    for ply in range(1000):
        position = batch.position(lane)
        if ply > plies and 2 < len(position.legal_actions()) < 9:
            found.append(position)
        if len(found) == count:
            break
        batch.step(agent.act(batch.observations, batch.action_masks, batch.noise(SEED)))
    return tuple(found)


def numbers(found: Analysis) -> Any:
    return found.actions, found.samples.tobytes()


# ----------------------------------------------------------------------------------------------------------- the answer


@pytest.mark.parametrize("agent", ["search", "heuristic"])
@pytest.mark.parametrize("name", PLAYERS)
def test_every_legal_action_is_judged_the_same_for_the_same_seed(name: str, agent: str) -> None:
    if name == "atlantis_rising" and agent == "heuristic":
        pytest.skip("whole games of Atlantis Rising take too long")
    for position in decisions(name):
        before = position.key()
        found = analyse(position, agent, 24, seed=3)
        assert position.key() == before
        assert sorted(judged.text for judged in found.actions) == sorted(position.legal_actions())
        shares = [judged.share for judged in found.actions]
        assert shares == sorted(shares, reverse=True) and found.best.level and found.complete
        for judged in found.actions:
            assert judged.text == position.game.actions[judged.action] and judged.simulations == 24
            assert 0 <= judged.low <= judged.share <= judged.high <= 1
            assert (judged.rank is None) == (agent == "heuristic")
        assert numbers(analyse(position, agent, 24, seed=3)) == numbers(found)
        assert analyse(position, agent, 24, seed=4).samples.tobytes() != found.samples.tobytes()


@pytest.mark.parametrize("agent", ["search", "heuristic"])
def test_what_grows_ends_the_same_in_small_steps_and_in_large_ones(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    position = decisions("atlandice")[0]
    ended = []
    for seconds, fewest, most in ((0.0, 3, 40), (100.0, 2, 5)):
        monkeypatch.setattr(analysis, "AT_ONCE", seconds)
        grown = list(analysing(position, agent, 40, seed=3))
        assert fewest <= len(grown) <= most
        sizes = [found.simulations for found in grown]
        assert sizes == sorted(set(sizes)) and [found.complete for found in grown].index(True) == len(grown) - 1
        assert (grown[-1].samples[: len(grown[0].samples)] == grown[0].samples).all()
        ended.append(numbers(grown[-1]))
    assert ended[0] == ended[1]


def test_the_shares_are_right_where_they_are_known() -> None:
    """In the toy game the higher card wins whatever is played."""
    game = toy_game()
    for cards, share in ((("card 4", "card 2"), 1.0), (("card 2", "card 4"), 0.0), (("card 3", "card 3"), 0.5)):
        position = game.initial_position()
        for card in cards:
            position.apply(card)
        for agent in ("search", "random"):
            found = analyse(position, agent, 32)
            assert [judged.share for judged in found.actions] == [share, share], agent
            assert not found.difference and found.loss("stop") == analysis.Loss(0.0, 0.0, False)


def test_games_played_on_agree_with_imagined_ones() -> None:
    """Two ways with no line in common: a batch that the heuristic plays on, and the compiled search."""
    for position in decisions("atlantis"):
        one = analyse(position, "heuristic", 200, seed=1)
        other = analyse(position, "search:rollout=heuristic,horizon=end", 200, seed=2)
        spread = 0.0
        for judged in one.actions:
            shares = judged.share, other.of(judged.action).share
            error = np.sqrt(sum(share * (1 - share) + 0.01 for share in shares) / 200)
            assert abs(shares[0] - shares[1]) < 4 * error, judged
            spread = max(spread, abs(judged.share - one.best.share))
        assert one.samples.shape == other.samples.shape == (200, len(one.actions))
        assert spread > 0.02  # else the comparison would say little


def test_a_name_says_how_many_simulations() -> None:
    position = decisions("atlandice")[0]
    assert analyse(position, "search:12").simulations == 12
    assert analyse(position, "search:13").simulations == 14  # heuristic and planner by turns
    assert analyse(position, "search:13,rollout=heuristic").simulations == 13
    assert analyse(position, "search:12", 20).simulations == 20
    assert analyse(position, "search:ms=1").wanted == analysis.USUAL
    assert {judged.rank for judged in analyse(position, "search:2").actions} >= {1}


def test_an_agent_is_named_by_its_text_or_its_kind() -> None:
    position = decisions("atlandice")[0]
    assert analyse(position, "search:2").agent == "search:2"
    assert analyse(position, HeuristicAgent(game_of("atlandice")), 2).agent == "HeuristicAgent"
    assert atlantis_envs.analyse is analyse


def test_the_page_on_search_tells_how(capsys: pytest.CaptureFixture[str]) -> None:
    section = (ROOT / "docs" / "guide" / "search.md").read_text("utf-8").partition("## Analysis and hints")[2]
    names: dict[str, Any] = {}
    exec(compile(section.split("```python")[1].split("```")[0], "search.md", "exec"), names)
    assert len(capsys.readouterr().out.splitlines()) == len(names["found"].actions) + 1 > 2


# -------------------------------------------------------------------------------------------------------------- hidden


@pytest.mark.parametrize("agent", ["search", "heuristic"])
def test_what_the_seat_cannot_know_does_not_count(agent: str) -> None:
    position = decisions("atlantis")[0]
    seat = position.seat
    assert seat is not None
    twins = [position.resample(seat, seed) for seed in range(3)]
    assert len({twin.key() for twin in twins}) == 3
    found = {numbers(analyse(twin, agent, 16))[1] for twin in [position, *twins]}
    assert len(found) == 1


# ----------------------------------------------------------------------------------------------------------- statistics


def judged_of(rows: Any) -> tuple[Judged, ...]:
    """What is made of win shares, (rows, actions)."""
    position = toy_game().initial_position()
    position.apply("card 1")
    position.apply("card 2")
    shares = np.asarray(rows, float)
    known = analysis.determinize_position(position, 0, np.uint64(0))
    asked = Analysis(0, "", 0, len(shares), (), shares)
    return analysis._judged(asked, known, np.arange(2), shares, 1, None).actions


def test_intervals_of_wins_are_wilsons_and_those_of_shares_normal() -> None:
    best, other = judged_of([[1.0, 0.0]] * 10)
    assert (best.interval, other.interval) == (WILSON, WILSON)
    assert (other.low, round(other.high, 4)) == (0.0, 0.2775) and round(best.low, 4) == 0.7225  # Wilson 1927
    best, other = judged_of([[0.6, 0.1], [0.8, 0.3]] * 8)
    assert best.interval == NORMAL and best.share == pytest.approx(0.7)
    half = 1.959964 * np.std([0.6, 0.8] * 8, ddof=1) / 4
    assert (best.low, best.high) == pytest.approx((0.7 - half, 0.7 + half))


def test_the_same_luck_shows_what_separate_intervals_hide() -> None:
    luck = np.random.default_rng(1).uniform(0, 0.9, 64)
    best, other = judged_of(np.stack([luck, luck + 0.02 + 0.01 * np.sin(np.arange(64))], axis=1))
    assert other.high > best.low and not other.level
    swapped = np.stack([luck, luck[::-1] + 0.02], axis=1)  # as much worse, without being paired
    assert judged_of(swapped)[1].level


def test_nothing_is_claimed_from_a_handful() -> None:
    assert all(judged.level for judged in judged_of([[0.9, 0.1], [0.8, 0.2]]))
    assert not all(judged.level for judged in judged_of([[0.9, 0.1], [0.8, 0.2]] * 4))


def test_among_equals_hardly_any_is_called_a_mistake() -> None:
    """And what they seem to have lost is nothing on average, though the best of ten always looks better."""
    luck = np.random.default_rng(2)
    alarms, losses, naive = 0, [], []
    for _ in range(300):
        rows = luck.uniform(0, 1, (64, 10))
        actions = tuple(
            Judged(n, str(n), float(m), 0, 1, NORMAL, 64, None, True) for n, m in enumerate(rows.mean(axis=0))
        )
        best = int(np.argmax(rows.mean(axis=0)))
        alarms += not analysis._level(rows, best)[0]
        losses.append(Analysis(0, "", 0, 64, actions, rows).loss(0).share)
        naive.append(actions[best].share - actions[0].share)
    assert alarms / 300 < 0.03
    assert abs(np.mean(losses)) < 3 * np.std(losses) / np.sqrt(300)
    assert np.mean(naive) > 10 * np.std(naive) / np.sqrt(300)


def test_a_clear_loss_is_found() -> None:
    luck = np.random.default_rng(3)
    rows = luck.uniform(0, 0.8, (200, 3)) + np.array([0.0, 0.2, 0.1])
    actions = tuple(Judged(n, str(n), 0, 0, 1, NORMAL, 200, None, n == 1) for n in range(3))
    loss = Analysis(0, "", 0, 200, actions, rows).loss("0")
    assert abs(loss.share - 0.2) < 3 * loss.error and loss.error == pytest.approx(0.8 * np.sqrt(2 / 12 / 200), rel=0.2)
    assert loss.sure and Analysis(0, "", 0, 200, actions, rows).loss(1).share == pytest.approx(0.0, abs=1e-12)


def test_nothing_is_said_of_a_loss_from_less_than_two_rows_in_each_half() -> None:
    rows = np.array([[0.9, 0.1], [0.8, 0.3], [0.7, 0.2], [0.9, 0.0]])
    for number in (1, 3, 4):
        actions = tuple(Judged(n, str(n), 0.5, 0, 1, NORMAL, 2 * number, None, True) for n in range(2))
        found = Analysis(0, "", 0, 2 * number, actions, rows[:number])  # rows of two simulations each
        loss = found.loss("1")
        assert found.least == 7 and np.isnan(loss.share) == np.isnan(loss.error) == (number < 4) and not loss.sure
        alone = Analysis(0, "", 0, 2 * number, actions[:1], rows[:number, :1])
        assert alone.loss("0") == analysis.Loss(0.0, 0.0, False)
    assert loss.share == pytest.approx(0.675)


# ------------------------------------------------------------------------------------------------------------ refusals


def test_what_cannot_be_analysed_is_refused() -> None:
    game = game_of("atlandice")
    position = decisions("atlandice")[0]
    other = (position.seat or 0) + 1
    with pytest.raises(ValueError, match="the node is 'chance'; allowed: only where a seat decides"):
        analyse(game.initial_position())
    with pytest.raises(ValueError, match=rf"seat: {other}; allowed: {position.seat}, who is to decide"):
        analyse(position, seat=other)
    with pytest.raises(ValueError, match=r"simulations: 0; allowed: an integer 1\.\.100000"):
        analysing(position, simulations=0)  # at the call, not at the first step
    with pytest.raises(OptionError, match=f"agent: 'searh'; allowed: {', '.join(agent_names())}"):
        analyse(position, "searh")
    found = analyse(position, "search:2")
    with pytest.raises(ValueError, match="action: 'fly'; allowed: "):
        found.of("fly")
    with pytest.raises(ValueError, match="action: 'fly'"):
        found.loss("fly")


def test_a_game_must_say_what_a_seat_cannot_know() -> None:
    position = Game(dataclasses.replace(TOY, resample=no_resample, resample_nodes=""), ToyOptions()).initial_position()
    position.apply("card 1")
    position.apply("card 2")
    with pytest.raises(OptionError, match="declares no resample"):
        analyse(position, "random", 2)


# ------------------------------------------------------------------------------------------------------------- stopping


@pytest.mark.parametrize("agent", ["search", "heuristic"])
@pytest.mark.parametrize("name", PLAYERS)
def test_it_stops_within_half_a_second(name: str, agent: str) -> None:
    for _ in range(2):  # the first time loads what is compiled
        lateness, grown = stopped(decisions(name)[0], agent)
    assert lateness < 0.5
    assert not any(found.complete for found in grown)


def stopped(position: Position, agent: str) -> tuple[float, list[Analysis]]:
    """How long it works on after somebody stopped it, and what it said before."""
    stop = threading.Event()
    growing = analysing(position, agent, 100_000, stop=stop)
    asked: list[float] = []

    def end() -> None:
        asked.append(time.perf_counter())
        stop.set()

    timer = threading.Timer(0.3, end)
    timer.start()
    grown = list(growing)
    lateness = time.perf_counter() - asked[0]
    assert list(analysing(position, agent, 4, stop=stop)) == []
    return lateness, grown
