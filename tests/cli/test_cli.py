"""The command line as a user meets it: examples, a game in the terminal, saved games, mistakes."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.catalogue import agent_names
from atlantis_agents.networks.policy import save_policy
from atlantis_envs.play.game_session import GameSession, Run
from atlantis_envs.play.replay import load_replay, replay_lines
from atlantis_envs.play.terminal import Terminal, event_lines
from atlantis_envs.seats.agents import make_agent
from atlantis_training.cli.app import EXAMPLES, app
from atlantis_training.cli.plain import EXTRAS

SCRIPT = "1\n" * 400


def run(*arguments: str, typed: str = ""):
    return CliRunner().invoke(app, list(arguments), input=typed, prog_name="atlantis", terminal_width=200)


def an_empty_policy(place):
    game = atlantis_envs.game("atlandice")
    weights = np.zeros((game.num_actions, game.observation_size), np.float32)
    save_policy(place, game, [(weights, np.zeros(game.num_actions, np.float32))])


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


# ------------------------------------------------------------------------------------------------------------ examples


def test_without_a_command_the_help_is_shown():
    shown = run()
    assert shown.exit_code == 0 and shown.stderr == ""
    assert shown.output.rstrip() == run("--help").output.rstrip()


def test_the_version_is_told():
    assert run("--version").output == f"atlantis-envs {atlantis_envs.__version__}\n"


def test_every_command_has_its_extra():
    assert ["games", "describe", "rules", *EXTRAS] == list(EXAMPLES)


def test_every_command_is_listed_with_help_and_an_example():
    listed = re.findall(r"^  ([a-z]+) ", run("--help").output.partition("Commands:")[2], re.MULTILINE)
    assert listed == list(EXAMPLES)
    for command in listed:
        shown = run(command, "--help")
        assert shown.exit_code == 0
        assert f"Example: {EXAMPLES[command]}" in " ".join(shown.output.split())


@pytest.mark.parametrize("command", [name for name in EXAMPLES if name not in {"train", "serve", "bench"}])
def test_the_example_of_a_command_runs(command):
    if command == "ladder":
        pytest.importorskip("statsmodels")
    if command in {"replay", "analyse"}:
        run("play", "atlandice", "--seed", "5", typed="1\n1\n1\ns game.jsonl\nq\n")
    if command == "export":
        an_empty_policy("runs/first/policy")
    result = run(*shlex.split(EXAMPLES[command])[1:], typed="h\n1\nq\n")
    assert result.exit_code == 0, result.output
    assert len(result.output.splitlines()) >= 3
    if command in {"seats", "levels", "ladder"}:
        endings = [".json", ".jsonl", ".md", *[".npz"] * (command == "seats"), ".pdf", ".png", ".svg"]
        assert sorted(path.suffix for path in Path(f"runs/{command}").iterdir()) == endings


def test_ctrl_c_is_a_line_and_130_whenever_it_comes(monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("atlantis_training.evaluation.measure.work_through", stop)
    levels = run("levels", "atlantis_rising", "random", "--levels", "1", "-g", "100", "-w", "1")
    assert levels.exit_code == 130
    assert levels.stderr.endswith("Interrupted: no game was finished.\n")
    monkeypatch.setattr("atlantis_training.cli.common.make_directory", stop)
    early = run("evaluate", "atlandice", "random", "--out", "new")
    assert early.exit_code == 130 and early.stderr == "Interrupted.\n"


def test_the_time_left_is_what_the_games_so_far_took():
    rich = pytest.importorskip("rich.progress")
    from atlantis_training.bars import TimeLeft

    task = rich.Task(rich.TaskID(0), "", 400, 0, _get_time=lambda: 30.0)
    task.start_time = 0.0
    shown = []
    for task.completed in (0, 100, 400):
        shown.append(str(TimeLeft().render(task)))
    assert shown == ["-:--:--", "0:01:30", "0:00:00"]


def test_bench_calls_the_benchmarks_of_the_checkout(monkeypatch):
    called = []

    def record(command, cwd, check):
        called.append((command[1:], cwd))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", record)
    assert run(*shlex.split(EXAMPLES["bench"])[1:]).exit_code == 0
    ((command, root),) = called
    assert command == ["-m", "benchmarks", "atlandice", "--no-peers"] and (Path(root) / "benchmarks").is_dir()


# ------------------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["dance"], "No such command 'dance'. See: "),
        (["game"], " See: atlantis --help"),
        (["play", "--seed", "5"], "GAME: missing"),
        (["play", "chess"], "allowed: 'atlandice'"),
        (["play", "atlandice", "--players", "9"], "players: 9; allowed: an integer 2..4"),
        (["play", "atlandice", "--seat", "bob"], f"'bob'; allowed: {', '.join(agent_names())}"),
        (["play", "atlandice", *["--seat", "random"] * 5], "agents: 5; allowed: 1..3"),
        (["play", "atlandice", "--seed", "-1"], "--seed"),
        (["play", "atlandice", "--seed", "x"], "--seed"),
        (["play", "atlandice", "--option", "clock"], "allowed: KEY=VALUE"),
        (["play", "atlandice", "--option", "players=3"], "allowed: KEY=VALUE"),
        (["play", "atlandice", "--option", "clock=D1"], "'D1'; allowed"),
        (["play", "atlandice", "--data", "none.json"], "none.json: cannot be read"),
        (["play", "atlandice", "--load", "none.jsonl"], "none.jsonl: cannot be read"),
        (["play", "atlandice", "--load", "bad.jsonl"], "Error: bad.jsonl: line 1: "),
        (["play", "atlantis", "--load", "good.jsonl"], "allowed: that game"),
        (["play", "atlandice", "--load", "good.jsonl", "-n", "2"], "allowed: that game"),
        (["replay", "bad.jsonl"], "Error: bad.jsonl: line 1: "),
        (["replay", "binary.jsonl"], "Error: binary.jsonl: not UTF-8"),
        (["replay", "good.jsonl", "--at", "9999"], "allowed: 0.."),
        (["describe", "atlandice", "--option", "wings=2"], "wings: unknown key"),
        (["evaluate", "atlandice"], "AGENT"),
        (["evaluate", "atlandice", *["random"] * 4], "agents: 4; allowed: 1..3"),
        (["evaluate", "atlandice", "random", "--blocks", "0"], "--blocks"),
        (["evaluate", "atlandice", "random", "--workers", "0"], "--workers"),
        (["evaluate", "atlandice", "random", "--out", "good.jsonl"], "out: good.jsonl is a file; allowed: a directory"),
        (["train", "--out", "x"], "GAME: missing; allowed: a name, --settings"),
        (["train", "chess", "--out", "x"], "allowed: 'atlandice'"),
        (["train", "atlandice"], "--out"),
        (["train", "atlandice", "--out", "x", "--steps", "-1"], "steps: -1; allowed: 0 or more"),
        (["train", "atlandice", "--out", "x", "--steps", "many"], "--steps"),
        (["train", "atlandice", "--out", "x", "--hidden", "16,x"], "hidden: '16,x'; allowed: whole numbers"),
        (["train", "atlandice", "--out", "x", "--clip", "nan"], "--clip 'nan'; allowed: a number in plain digits"),
        (["train", "atlandice", "--out", "x", "--option", "players=2"], "allowed: KEY=VALUE"),
        (["train", "atlandice", "--out", "x", "--option", "wings=2"], "wings: unknown key"),
        (["train", "atlandice", "--out", "x", "--data", "none.json"], "none.json: cannot be read"),
        (["train", "--out", "x", "--settings", "none.toml"], "none.toml: cannot be read"),
        (["train", "--out", "x", "--settings", "binary.jsonl"], "settings: binary.jsonl"),
        (["train", "--out", "x", "--resume"], "holds no checkpoint"),
        (["train", "atlandice", "--out", "x", "--policies", "no", "--share-policies", "1"], "agent: 'no'"),
        (["export", "nowhere", "x.onnx"], "policy: 'nowhere'; allowed: the directory of a policy or a run"),
        (["export", "nowhere"], "OUT.onnx"),
        (["export", "policy", "."], "OUT.onnx: . is a directory; allowed: a file"),
        (["export", "policy", "no/such/place.onnx"], "OUT.onnx: no/such/place.onnx cannot be written (No such file"),
        (["seats", "atlandice", "random", "--players", "two"], "allowed: a number"),
        (["seats", "atlandice", "random", "--players", "2,5"], "players: 5"),
        (["seats", "atlandice", "random", "--precision", "0"], "precision: 0"),
        (["seats", "atlandice", "random", "--games", "5"], "--games"),
        (["levels", "atlandice"], "allowed: 'atlantis_rising'"),
        (["levels", "atlantis_rising", "--levels", "6"], "level: 6"),
        (["levels", "atlantis_rising", "--levels", "all"], "--levels 'all'; allowed: a number"),
        (["levels", "atlantis_rising", "--players", "8"], "players: 8"),
        (["levels", "atlantis_rising", "--option", "level=2"], "--option level: given twice; allowed: --levels"),
        (["bench", "chess"], "allowed: 'atlandice'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_costs_one_plain_line(arguments, told):
    Path("bad.jsonl").write_text("{}\n")
    Path("binary.jsonl").write_bytes(b"\xff\xfe")
    Path("good.jsonl").write_text(
        "".join(f"{line}\n" for line in replay_lines(atlantis_envs.game("atlandice").initial_position()))
    )
    if arguments[:2] == ["export", "policy"]:
        pytest.importorskip("onnx")
        an_empty_policy("policy")
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ") and len(result.stderr.strip().splitlines()) == 1
    assert told in result.stderr and "Traceback" not in result.output and "?." not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--players", "99"], "players: 99; allowed: an integer 2..4"),
        (["--seconds", "nan"], "'nan'; allowed: more than 0"),
        (["--seconds", "0"], "'0'; allowed: more than 0"),
        (["--games", "1"], "'1'; allowed: 2 or more"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_demo_refuses_in_a_line(arguments, told, monkeypatch, capsys):
    pytest.importorskip("sb3_contrib")
    from atlantis_training.demo import run as demo

    monkeypatch.setattr("sys.argv", ["demo", *arguments])
    monkeypatch.setattr(demo, "run", None)
    with pytest.raises(SystemExit, match="2"):
        demo.main()
    assert told in capsys.readouterr().err.splitlines()[-1]


# --------------------------------------------------------------------------------------------------- a game, terminal


@pytest.mark.parametrize(("name", "players"), [("atlandice", 2), ("atlandice", 3), ("atlantis", 2)])
def test_a_whole_game_with_scripted_input(name, players):
    result = run("play", name, "-n", str(players), "--seed", "3", "--seat", "human", "--seat", "random", typed=SCRIPT)
    assert result.exit_code == 0
    assert "The game is over." in result.output and "wins" in result.output.partition("The game is over.")[2]
    assert "- chance: " in result.output and "seat 1, random" in result.output


def test_agents_alone_play_without_a_question():
    result = run("play", "atlandice", "--seed", "3", "--seat", "random")
    assert result.exit_code == 0 and "The game is over." in result.output and ">" not in result.output.split("wins")[-1]


def test_commands_at_the_prompt():
    typed = "?\n? 1\n? 99\nh\nb\nl\nrules\nhelp\nu\nzz\n0\ns a.jsonl\ns a.jsonl\n1\nu\nq\n"
    output = run("play", "atlandice", "--seed", "5", typed=typed).output
    for told in (
        "explain a move", "You take the die, then one of ", "Then you are asked again: ",
        "99 is no move here: there are 1",
        "The heuristic would play", "what wins:", "docs/rules/atlandice.md",
        "Nothing to take back", "'zz' is no move of Atlandice (10.3)", "0 is no move here", "Saved. To go on",
        "Taken back", "Left.",
    ):  # fmt: skip
        assert told in output, told
    assert load_replay("a.jsonl").seat == 0


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
def test_every_question_says_what_it_is_about(name):
    game = atlantis_envs.game(name, players=2)
    session, lines = GameSession(game, [None, make_agent("random", game)], 5), []
    answers = iter(SCRIPT.split() * 2)
    read = lambda prompt: "" if "Enter" in prompt else next(answers)  # noqa: E731
    Terminal(session, ["you", "b"], lines.append, read, Path("x")).run()
    asked = [line for line in lines if line.startswith("Seat 0, you: ")]
    assert len(asked) > 20 and not any(line.endswith("you: to move") for line in asked)
    boards = [line for line in lines if line.startswith("\n") and len(line) > 100]
    assert boards and not any("Seat 0: " in board for board in boards)


def test_lines_fit_the_terminal_and_break_between_moves(monkeypatch):
    moves = [f"move number {number}" for number in range(30)]
    start = atlantis_envs.game("atlandice").initial_position()
    for columns, width in (("30", 60), ("75", 75), ("300", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        lines = event_lines(Run("seat 0", tuple(moves), False, start, start), ["you"])
        assert width - 20 < max(map(len, lines)) <= width
        assert [text for line in lines for text in re.findall(r"move number \d+", line)] == moves


@pytest.mark.parametrize("line", ["s " + "a" * 300, "s a\0b", "9" * 5_000, "? " + "9" * 5_000, "s " + "a/" * 3_000])
def test_odd_lines_do_not_lose_the_game(line):
    game = atlantis_envs.game("atlandice", players=2)
    told, typed = [], iter([line, "1", "q"])
    session = GameSession(game, [None, make_agent("random", game)], 5)
    assert not Terminal(session, ["you", "b"], told.append, lambda prompt: next(typed), Path("x")).run()
    assert any("cannot be written" in text or "is no move" in text for text in told)
    assert any(event.chosen for event in session.events) and "Left; the game is not saved." in told


def test_a_file_of_somebody_else_is_not_overwritten():
    Path("mine.jsonl").write_text("precious")
    output = run("play", "atlandice", "--seed", "5", typed="s mine.jsonl\ns no/such/place\nq\n").output
    assert "mine.jsonl exists" in output and "cannot be written" in output and "not saved" in output
    assert Path("mine.jsonl").read_text() == "precious"


def test_the_text_of_a_move_is_as_good_as_its_number():
    by_number = run("play", "atlandice", "--seed", "5", typed="1\ns a.jsonl\nq\n")
    text = re.search(r"  1  (visit \w+)", by_number.output)[1]
    run("play", "atlandice", "--seed", "5", typed=f"{text}\ns b.jsonl\nq\n")
    assert Path("a.jsonl").read_text() == Path("b.jsonl").read_text()


def test_a_saved_game_goes_on_as_if_it_had_not_been_left():
    run("play", "atlandice", "--seed", "5", typed="1\n1\n1\n1\ns half.jsonl\nq\n")
    run("play", "atlandice", "--seed", "5", "--load", "half.jsonl", typed="1\n" * 5 + "s resumed.jsonl\nq\n")
    run("play", "atlandice", "--seed", "5", typed="1\n" * 9 + "s straight.jsonl\nq\n")
    assert Path("resumed.jsonl").read_text() == Path("straight.jsonl").read_text()
    assert len(load_replay("half.jsonl").log) < len(load_replay("straight.jsonl").log)


def test_what_is_taken_back_leaves_no_trace():
    run("play", "atlandice", "--seed", "5", typed="2\n1\nu\nu\n1\n1\n2\nu\n1\ns a.jsonl\nq\n")
    run("play", "atlandice", "--seed", "5", typed="1\n1\n1\ns b.jsonl\nq\n")
    assert Path("a.jsonl").read_text() == Path("b.jsonl").read_text()


def test_two_people_at_one_screen_hand_it_over_where_hands_are_hidden():
    typed = "\n".join(["1", "1", "1", ""] * 20)
    output = run("play", "atlantis", "-n", "2", "--seat", "human", "--seat", "human", "--seed", "1", typed=typed).output
    assert "press Enter when you alone look" in output
    output = run(
        "play", "atlandice", "-n", "2", "--seat", "human", "--seat", "human", "--seed", "1", typed=SCRIPT
    ).output
    assert "press Enter" not in output and "The game is over." in output


def test_replay_shows_steps_and_boards():
    run("play", "atlandice", "--seed", "5", "--seat", "human", "--seat", "random", typed=SCRIPT.strip() + "\n")
    run("play", "atlandice", "--seed", "5", typed="1\n1\ns game.jsonl\nq\n")
    whole = run("replay", "game.jsonl")
    assert whole.exit_code == 0 and "- chance: reveal" in whole.output and "sector" in whole.output
    assert "0/" in run("replay", "game.jsonl", "--step", typed="q\n").output
    steps = run("replay", "game.jsonl", "--step", typed="\n\nb\n").output
    assert [line.split("/")[0] for line in steps.splitlines() if re.match(r"\d+/\d+  chance", line)] == [
        "0",
        "1",
        "2",
        "1",
    ]
    assert "events" in run("replay", "game.jsonl", "--at", "0").output


def test_games_and_describe_speak_json_too():
    listed = json.loads(run("games", "--json").output)
    assert [entry["game"] for entry in listed] == list(atlantis_envs.game_names())
    for row in listed:
        usual = atlantis_envs.game(row["game"]).players
        for name in row["agents"]:  # `critic` of Atlantis comes for two players alone
            players = 2 if (row["game"], name) == ("atlantis", "critic") else usual
            make_agent(name, atlantis_envs.game(row["game"], players=players))
    assert [row["game"] for row in listed if "planner" in row["agents"]] == ["atlandice"]
    described = json.loads(run("describe", "atlandice", "-n", "2", "--option", "chain_cap=3", "--json").output)
    assert described["options"]["chain_cap"] == 3 and described["players"] == 2


# ------------------------------------------------------------------------------------------ what comes with the library


@pytest.mark.parametrize("name", ["network", "champion"])
def test_what_comes_with_the_library_is_known_by_name_to_every_command(name):
    played = run("play", "atlandice", "-n", "3", "--seat", "human", "--seat", name, "--seed", "5", typed="q\n")
    assert played.exit_code == 0 and name in played.output
    measured = run("evaluate", "atlandice", name, "heuristic", "-n", "3", "-b", "2", "-w", "2", "--out", "e")
    assert measured.exit_code == 0, measured.output
    agents = json.loads(Path("e/evaluation.json").read_text())["agents"]
    assert agents[0]["agent"] == name and {"plays", "sha256"} & set(agents[0])
    ladder = run(
        "ladder", "atlandice", name, "random", "-n", "2" if name == "champion" else "3", "-b", "2", "--out", "l"
    )
    assert ladder.exit_code == 0 and name in ladder.output


def test_policies_that_come_with_the_library_are_opponents_in_training():
    pytest.importorskip("sb3_contrib")
    shares = ("--share-policies", "1", "--policies", "network", "--share-heuristic", "0", "--imitate", "0")
    small = ("--num-envs", "4", "--num-steps", "8", "--batch-size", "16", "--hidden", "8", "--steps", "32")
    trained = run("train", "atlandice", "-n", "3", "--out", "t", *shares, *small)
    assert trained.exit_code == 0, trained.output
