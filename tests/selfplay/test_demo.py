"""The demo: it replaces nothing but a demo, and measures a team where a game is won together."""

from __future__ import annotations

import math
import re
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation import measure as measuring
from atlantis_training.evaluation.evaluate import SeatTable, evaluate_by_seat, evaluate_team
from atlantis_training.evaluation.measure import Results
from atlantis_training.evaluation.seats import OrderRow, OrderTable
from atlantis_training.evaluation.statistics import Share

pytest.importorskip("sb3_contrib")

from atlantis_training.demo import run as demo
from atlantis_training.demo.page import DemoResult, Duels, Games, Teams, measure, write_report
from atlantis_training.demo.run import demo_settings, make_way
from atlantis_training.selfplay.checkpoint import ARRAYS, generations, locked
from atlantis_training.selfplay.report import Outcome
from atlantis_training.selfplay.run import CHECKPOINTS, SETTINGS, Run
from atlantis_training.selfplay.settings import SelfPlaySettings
from atlantis_training.signals import reporting

SMALL: dict[str, Any] = {"num_envs": 4, "num_steps": 8, "batch_size": 16, "hidden": (8,), "imitate": 0, "steps": 32}


class NoBars:
    """Bars that nobody looks at."""

    def __init__(self) -> None:
        """Nothing was told yet."""
        self.told: list[tuple[str, int]] = []

    def add_task(self, text: str, total: int) -> int:
        self.told.append((text, total))
        return 0

    def advance(self, task: int, count: int) -> None:
        pass


# ---------------------------------------------------------------------------------------------------------- directory


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A demo of a small network, made in no time."""

    def settings(game: Any, seconds: float) -> SelfPlaySettings:
        return SelfPlaySettings(game=game.name, players=game.players, seconds=seconds, **SMALL)

    monkeypatch.setattr(demo, "demo_settings", settings)
    return settings


def test_a_demo_gives_way_to_the_next_one(small: Any, tmp_path: Path) -> None:
    make_way(tmp_path / "none")
    Run.begin(tmp_path, small(atlantis_envs.game("atlandice", players=2), 5.0))
    make_way(tmp_path)
    assert not (tmp_path / CHECKPOINTS).exists()
    Run.begin(tmp_path, small(atlantis_envs.game("atlantis", players=3), 7.0))  # of another game, for another time
    make_way(tmp_path)
    assert not (tmp_path / CHECKPOINTS).exists()


def test_a_run_of_the_user_stays(small: Any, tmp_path: Path) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    changes: dict[str, Any] = {"hidden": (16,), "seed": 1, "options": {"optional_effects": True}}
    for name, value in changes.items():
        values = {**SMALL, "seconds": 5.0, "players": 2, name: value}
        Run.begin(tmp_path / name, SelfPlaySettings(game="atlandice", **values))
    for name in ("prolonged", "damaged", "lost"):
        Run.begin(tmp_path / name, small(game, 5.0))
    Run.resume(tmp_path / "prolonged", seconds=9.0).save()
    (generations(tmp_path / "damaged" / CHECKPOINTS)[-1] / ARRAYS).write_bytes(b"torn")
    (tmp_path / "lost" / SETTINGS).unlink()
    for directory in sorted(tmp_path.iterdir()):
        before = generations(directory / CHECKPOINTS)
        expected = (
            rf"^out: {re.escape(str(directory))} holds a run .*; allowed: another directory \(--out\), or removing"
        )
        with pytest.raises(OptionError, match=expected):
            make_way(directory)
        assert generations(directory / CHECKPOINTS) == before != []


def test_a_run_in_use_stays(small: Any, tmp_path: Path) -> None:
    Run.begin(tmp_path, small(atlantis_envs.game("atlandice", players=2), 5.0))
    with locked(tmp_path), pytest.raises(OptionError, match="in use by another process"):
        make_way(tmp_path)
    assert generations(tmp_path / CHECKPOINTS)


def test_a_refusal_is_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Run.begin(tmp_path, SelfPlaySettings(game="atlandice", players=2, **SMALL))
    monkeypatch.setattr("sys.argv", ["demo", "--out", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        demo.main()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"Error: out: {tmp_path} holds a run")


# --------------------------------------------------------------------------------------------------------- cooperation


def played(returns: Any, truncated: Any = None) -> Results:
    """Finished games that paid this."""
    paid = np.array(returns, np.float64)
    number = len(paid)
    cut = np.zeros(number, np.bool_) if truncated is None else np.array(truncated)
    counts = np.zeros(number, np.int64)
    return Results(paid, np.zeros(paid.shape, np.int64), counts, counts, cut, np.arange(number), counts - 1)


def test_games_won_together_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    team, duel = atlantis_envs.game("atlantis_rising", players=2), atlantis_envs.game("atlandice", players=2)
    found = played([[1, 1], [-1, -1], [1, 1], [1, 1]], [False, False, False, True])
    monkeypatch.setattr(measuring, "play_games", lambda game, agents, games, *_: found.some(list(games)))
    agent = make_agent("random", team)
    table = evaluate_by_seat(team, agent, agent, 4)
    assert [share.value for share in table.seats] == [0.5, 0.5] and math.isnan(table.fair)
    assert (table.overall.value, table.overall.games) == (0.5, 8) and evaluate_team(team, agent, 4).value == 0.5
    rivals = played([[1, -1], [0, 0], [1, -1], [-1, 1]])
    monkeypatch.setattr(measuring, "play_games", lambda game, agents, games, *_: rivals.some(list(games)))
    rival = evaluate_by_seat(duel, agent, agent, 4)
    assert [share.value for share in rival.seats] == [0.625, 0.375] and rival.fair == 0.5


def test_a_team_that_always_loses_has_won_nothing() -> None:
    game = atlantis_envs.game("atlantis_rising", players=2, round_limit=1)
    table = evaluate_by_seat(game, make_agent("heuristic", game), make_agent("random", game), 3)
    assert table.overall.value == 0.0


def test_the_demo_of_a_cooperative_game_trains_and_measures_a_team() -> None:
    game = atlantis_envs.game("atlantis_rising", players=2, round_limit=1)
    assert demo_settings(game, 5.0).learner_seat == "all"
    assert demo_settings(atlantis_envs.game("atlandice"), 5.0).learner_seat == "rotate"
    bars: Any = NoBars()
    found = measure(game, make_agent("random", game), Games(3, 5), bars)
    assert isinstance(found, Teams) and list(found.won) == ["the agent", "heuristic", "random"]
    assert {share.games for share in found.won.values()} == {3} and [total for _, total in bars.told] == [3, 3, 3]
    duel = atlantis_envs.game("atlandice", players=2)
    rival = measure(duel, make_agent("random", duel), Games(2, 5), bars)
    assert isinstance(rival, Duels) and rival.order.games == 5 and list(rival.against) == ["random", "heuristic"]


# -------------------------------------------------------------------------------------------------------------- report


class Interrupted(NoBars):
    """Bars under which Ctrl-C is pressed in the second part."""

    def advance(self, task: int, count: int) -> None:
        if len(self.told) == 2:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_after_a_signal_the_report_has_what_was_measured(tmp_path: Path) -> None:
    duel, team = atlantis_envs.game("atlandice", players=2), atlantis_envs.game("atlantis_rising", players=2)
    found = {}
    for game in (duel, team):
        bars: Any = Interrupted()
        with reporting() as stop:
            found[game.name] = measure(game, make_agent("random", game), Games(3, 5), bars)
        assert stop.asked and found[game.name].interrupted
        text = write_report(result_of(game.name, found[game.name], tmp_path), tmp_path).read_text()
        assert "Interrupted: fewer games were played to measure it than were to be." in text
        assert "| 0 |\n" not in text and "Who profits" not in text
    rivals, teams = found["atlandice"], found["atlantis_rising"]
    assert isinstance(rivals, Duels) and rivals.against["random"].overall.games == 6 and rivals.order is None
    assert isinstance(teams, Teams) and teams.won["the agent"].games == 3 and "random" not in teams.won


def test_the_demo_says_that_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["demo", "--out", str(tmp_path)])
    monkeypatch.setattr(demo, "run", lambda *_: (tmp_path / "report.md", True))
    with pytest.raises(SystemExit, match="130"):
        demo.main()
    told = capsys.readouterr()
    assert f"Report: {tmp_path / 'report.md'}" in told.out and told.err.startswith("Interrupted: the report has what")


def result_of(name: str, measured: Any, out: Path) -> DemoResult:
    game = atlantis_envs.game(name, players=2)
    curve = [{"seconds": 1.0, "steps": 0, "agreement": 0.5}, {"seconds": 2.0, "steps": 64, "share": 0.4}]
    outcome = Outcome(64, 5.0, out / "policy")
    return DemoResult(game, demo_settings(game, 5.0), outcome, 100, curve, measured, 9.0, "a machine")


def test_the_report_of_a_team_says_games_won_and_nothing_of_rivals(tmp_path: Path) -> None:
    won = {
        "the agent": Share(0.25, 0.1, 0.5, 12),
        "heuristic": Share(1.0, 0.8, 1.0, 12),
        "random": Share(0, 0, 0.2, 12),
    }
    text = write_report(result_of("atlantis_rising", Teams(won), tmp_path), tmp_path).read_text()
    assert "| the agent | 0.250 | 0.100 - 0.500 | 12 |" in text and "## Games won by teams" in text
    for absent in ("equal player", "first", "opponents", "win share", "Play against"):
        assert absent not in text, absent
    assert (tmp_path / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_the_report_of_rivals_has_seats_and_the_order_of_play(tmp_path: Path) -> None:
    share = Share(0.5, 0.4, 0.6, 10)
    table, row = SeatTable((share, share), share, 0.5), OrderRow(share, 20.0, 1.0, 0.0, 1.0)
    duels = Duels({"random": table, "heuristic": table}, OrderTable((row, row), 10, 0.1, 0.5, 100.0))
    lines = write_report(result_of("atlandice", duels, tmp_path), tmp_path).read_text().splitlines()
    assert "An equal player would win 0.500. Intervals are 95 % Wilson intervals; ties are split." in lines
    headings = ["## The agent against random opponents", "## The agent against heuristic opponents"]
    assert [line for line in lines if line.startswith("##")] == [*headings, "## Who profits from going first"]
    assert (
        "| all | 0.500 | 0.400 - 0.600 | 10 |" in lines
        and "| first | 0.5000 | 0.4000 - 0.6000 | 20.00 +- 1.00 |" in lines
    )
    assert "![learning curve and turn order](demo.png)" in lines and "Play against it, or let it learn on:" in lines
