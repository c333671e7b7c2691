"""Games of an evaluation that are kept as replays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_envs.errors import ReplayError
from atlantis_envs.play.replay import load_recorded
from atlantis_training.cli.app import app
from atlantis_training.evaluation import evaluate as evaluating
from atlantis_training.evaluation.evaluate import evaluate, play_again, save_games, tabulate, wanted
from atlantis_training.evaluation.measure import Measured, measure, tried_agents

BLOCKS = 5
TWO = atlantis_envs.game("atlandice", players=2)


@pytest.mark.parametrize(
    ("name", "line_up"),
    [
        ("atlandice", ("heuristic", "random", "random")),
        ("atlantis", ("random", "heuristic")),
        ("atlantis_rising", ("heuristic", "random")),
    ],
)
def test_the_best_and_the_last_games_are_kept_as_they_were_played(
    name: str, line_up: tuple[str, ...], tmp_path: Path
) -> None:
    game = atlantis_envs.game(name, players=len(line_up))
    agents = tried_agents(game, line_up)
    evaluation = evaluate(game, line_up, BLOCKS, seed=7)
    games = wanted(evaluation, 4)
    assert [(one.why, one.place) for one in games] == [("best", 1), ("best", 2), ("last", 1), ("last", 2)]
    assert len({(one.rotation, one.number) for one in games}) == 4
    assert max(one.number for one in games[2:]) == BLOCKS - 1
    paths = save_games(evaluation, agents, 4, tmp_path / "new" / "place")
    for one, path in zip(games, paths, strict=True):
        end = load_recorded(path).end
        results = evaluation.results[one.rotation]
        assert end.node == "over" and end.returns() == pytest.approx(results.returns[one.number])
        assert end.scores() == results.scores[one.number].tolist()


def test_best_is_best_for_the_first_agent() -> None:
    evaluation = evaluate(TWO, ("random", "heuristic"), 20, seed=1)
    first = wanted(evaluation, 1)[0]
    own = evaluation.tables[first.rotation].index("random")
    shares = [
        (results.win_shares[number, table.index("random")], results.margins[number, table.index("random")])
        for results, table in zip(evaluation.results, evaluation.tables, strict=True)
        for number in range(20)
    ]
    results = evaluation.results[first.rotation]
    assert (results.win_shares[first.number, own], results.margins[first.number, own]) == max(shares)


def test_there_are_no_more_replays_than_games() -> None:
    evaluation = evaluate(TWO, ("random", "random"), 3)
    games = wanted(evaluation, 100)
    assert len(games) == 3 and len({(game.rotation, game.number) for game in games}) == 3


def test_games_keep_their_numbers_where_some_are_missing(tmp_path: Path) -> None:
    """A run that was interrupted may have finished later games and not earlier ones."""
    line_up = ("random", "heuristic")
    measured = measure(TWO, [line_up, line_up[::-1]], 6, seed=2)
    gap = Measured(TWO, measured.line_ups, 2, 6, tuple(found.some([0, 1, 4, 5]) for found in measured.results))
    agents, evaluation = tried_agents(TWO, line_up), tabulate(gap)
    assert {game.number for game in wanted(evaluation, 8)} == {0, 1, 4, 5}
    assert len(save_games(evaluation, agents, 8, tmp_path)) == 8


def test_a_game_played_otherwise_is_not_kept(tmp_path: Path) -> None:
    agents = tried_agents(TWO, ("random", "heuristic"))
    evaluation = evaluate(TWO, ("random", "heuristic"), 2, agents=agents)
    evaluation.results[0].scores[:] += 1
    evaluation.results[1].scores[:] += 1
    assert save_games(evaluation, agents, 1, tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_the_command_says_which_games_came_out_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(evaluating, "play_again", lambda *rest: play_again(*rest[:-1], rest[-1] + 100))  # other games
    arguments = ["evaluate", "atlandice", "heuristic", "random", "-n", "2", "-b", "3", "-w", "1", "--replays", "4"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    said = [line for line in done.stderr.splitlines() if "replay" in line]
    assert len(said) == 1 and "an agent here is no function of what it sees (heuristic, random)" in said[0]
    assert "No replay of 4 of 4 games" in said[0] and list(Path("replays").iterdir()) == []


def test_the_command_keeps_replays_that_the_other_command_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["evaluate", "atlandice", "heuristic", "random", "-n", "2", "-b", "3", "-w", "1", "--replays", "4"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    files = sorted(Path("replays").iterdir())
    assert len(files) == 4 and f"atlantis replay {files[0]}" in " ".join(done.output.split())
    shown = CliRunner().invoke(app, ["replay", str(files[0])])
    assert shown.exit_code == 0 and "The game is over." in shown.output
    assert CliRunner().invoke(app, [*arguments, "--out", "e", "--replay-dir", "r"]).exit_code == 0
    assert [path.name for path in sorted(Path("r").iterdir())] == [path.name for path in files]
    assert not (Path("e") / "replays").exists()
    refused = CliRunner().invoke(app, [*arguments[:-2], "--replay-dir", "r"])
    assert refused.exit_code == 2 and "goes with --replays" in refused.stderr


def test_a_replay_becomes_a_page_from_a_file_or_a_position(tmp_path: Path) -> None:
    agents = tried_agents(TWO, ["random"])
    end = play_again(TWO, [agents["random"]] * 2, 3, 1)
    path = save_games(evaluate(TWO, ("random", "random"), 2, seed=3), agents, 2, tmp_path)[0]
    page = atlantis_envs.replay_html(path, names=["<a>", "b"])
    assert page.lower().startswith("<!doctype html>") and "&lt;a&gt;" in page and "<a>" not in page
    assert atlantis_envs.replay_html(end) != page and atlantis_envs.replay_html(str(path), seat=1) != page
    with pytest.raises(ValueError, match="replay: 7; allowed: a path or a position"):
        atlantis_envs.replay_html(7)
    with pytest.raises(ReplayError, match="cannot be read"):
        atlantis_envs.replay_html(tmp_path / "none")
    with pytest.raises(ValueError, match="seat"):
        atlantis_envs.replay_html(end, seat=5)


def test_importing_the_package_loads_nothing_of_this() -> None:
    asked = (
        "import sys, atlantis_envs; print([name for name in sys.modules if name.startswith(('atlantis_envs.play', "
        "'atlantis_envs.drawing'))]); atlantis_envs.replay_html; print('atlantis_envs.play.replay_page' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "True"]
