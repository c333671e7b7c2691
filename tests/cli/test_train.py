"""``atlantis train`` as a user meets it."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from helpers.support import ROOT
from typer.testing import CliRunner

import atlantis_envs
from atlantis_training.cli.app import EXAMPLES, app
from atlantis_training.cli.flags import ELSEWHERE, given_settings
from atlantis_training.selfplay.settings import SelfPlaySettings, TDSettings, read_toml, settings_from

FEW = ["--num-envs", "8", "--num-steps", "16", "--batch-size", "64", "--hidden", "16", "--imitate", "0"]


def run(*arguments: str, typed: str = ""):
    return CliRunner().invoke(app, list(arguments), input=typed, prog_name="atlantis", terminal_width=200)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_example_of_train_runs_and_its_policy_plays():
    pytest.importorskip("sb3_contrib")
    result = run(*shlex.split(EXAMPLES["train"])[1:])
    assert result.exit_code == 0, result.output
    policy = "runs/first/policy"
    assert f"Policy: {policy}. Measure it: atlantis evaluate atlandice {policy} heuristic" in result.output
    played = run("play", "atlandice", "--seat", "human", "--seat", policy, "--seed", "5", typed="q\n")
    assert played.exit_code == 0 and "policy" in played.output
    measured = [
        run("evaluate", "atlandice", who, "heuristic", "-b", "3", "-w", "1", "--out", "e")
        for who in (policy, "runs/first")
    ]
    assert [result.exit_code for result in measured] == [0, 0]
    shown = [re.sub(r"\d:\d\d:\d\d", "TIME", result.output.replace(policy, "runs/first")) for result in measured]
    assert shown[0] == shown[1]
    assert "sha256" in json.loads(Path("e/evaluation.json").read_text())["agents"][0]
    assert run("evaluate", "atlandice", policy, "random", "-n", "2", "-b", "3", "-w", "1").exit_code == 0


@pytest.mark.parametrize(
    ("settings", "data", "told"),
    [
        ({}, None, "atlandice 'runs/my first/policy' heuristic"),
        ({"players": 3}, None, "atlandice 'runs/my first/policy' heuristic"),
        ({"players": 2}, None, "atlandice 'runs/my first/policy' heuristic --players 2"),
        (
            {"options": {"optional_effects": True, "a b": "c"}},
            None,
            """atlandice 'runs/my first/policy' heuristic --option optional_effects=true --option 'a b="c"'""",
        ),
        ({"data": {"tiles": []}}, None, "atlandice 'runs/my first/policy' heuristic --data FILE"),
        (
            {"data": {"tiles": []}},
            Path("my tiles.json"),
            "atlandice 'runs/my first/policy' heuristic --data 'my tiles.json'",
        ),
        ({"game": "atlantis_rising", "learner_seat": "all"}, None, "atlantis_rising 'runs/my first/policy'"),
        ({"game": "atlantis_rising"}, None, "atlantis_rising 'runs/my first/policy' heuristic"),
        ({"game": "atlantis_rising", "players": 1}, None, "atlantis_rising 'runs/my first/policy' --players 1"),
    ],
)
def test_the_command_that_measures_a_policy_is_of_its_game(settings, data, told):
    from atlantis_training.cli.train import measuring
    from atlantis_training.selfplay.settings import SelfPlaySettings

    values = SelfPlaySettings(**settings)
    game = atlantis_envs.game(values.game, players=values.players or None)
    assert measuring(values, game, Path("runs/my first/policy"), data) == f"atlantis evaluate {told}"


def test_train_tells_how_to_measure_what_it_trained():
    pytest.importorskip("sb3_contrib")
    played = ["-n", "2", "-o", "optional_effects=true", "--out", "my run", "--steps", "64", *FEW]
    result = run("train", "atlandice", *played)
    assert result.exit_code == 0, result.output
    told = result.output.partition("Measure it: ")[2].splitlines()[0]
    assert told == "atlantis evaluate atlandice 'my run/policy' heuristic --players 2 --option optional_effects=true"
    assert run(*shlex.split(told)[1:], "-b", "2", "-w", "1").exit_code == 0


def test_train_has_a_flag_for_every_setting():
    shown = run("train", "--help").output
    for item in (*fields(SelfPlaySettings), *fields(TDSettings)):
        if item.name not in ELSEWHERE:
            assert f"--{item.name.replace('_', '-')} " in shown.replace("/", " "), item.name
    flags = {"hidden": "3,4", "advice": False, "steps": None, "policies": []}
    assert given_settings(flags, SelfPlaySettings, TDSettings) == {"hidden": (3, 4), "advice": False}


def test_train_takes_settings_from_a_file_and_flags_win():
    pytest.importorskip("sb3_contrib")
    Path("s.toml").write_text('game = "atlandice"\nsteps = 64\nentropy = 0.5\n[options]\nchain_cap = 3\n')
    Path("tables.json").write_text('{"needles": {"market": 3}}')
    flags = ["--steps", "128", "--option", "orphan_dice=market", "--data", "tables.json", "-n", "2", "--no-advice"]
    result = run("train", "--settings", "s.toml", "--out", "a", *FEW, *flags)
    assert result.exit_code == 0, result.output
    written = settings_from(read_toml("a/settings.toml"))
    assert (written.steps, written.entropy, written.players, written.hidden) == (128, 0.5, 2, (16,))
    assert written.options == {"chain_cap": 3, "orphan_dice": "market"} and written.data == {"needles": {"market": 3}}


def test_the_docs_of_training_say_what_train_understands(monkeypatch):
    pytest.importorskip("sb3_contrib")
    text = (ROOT / "docs" / "guide" / "training.md").read_text(encoding="utf-8")
    asked = []
    monkeypatch.setattr(
        "atlantis_training.selfplay.run.Run.begin", lambda out, settings, cluster: asked.append(settings)
    )
    strong = r"^    (atlantis train atlandice --out runs/strong(?:.*\\\n)*.*)$"
    command = re.search(strong, text, re.MULTILINE)[1].replace("\\\n", " ")
    run(*shlex.split(command)[1:])
    Path("s.toml").write_text(re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1])
    run("train", "--settings", "s.toml", "--out", "runs/second")
    first, second = asked
    assert (first.game, first.hidden, first.teacher, first.share_random) == ("atlandice", (256, 256), "planner", 0)
    assert first.features and first.steps == 112_000_000
    game = atlantis_envs.game(second.game, second.players, data=second.data, **second.options)
    assert game.options.to_json()["chain_cap"] == 3 and game.options.to_json()["needles"]["market"] == 3


def test_train_goes_on_and_refuses_in_one_line():
    pytest.importorskip("sb3_contrib")
    assert run("train", "atlandice", "--out", "a", "--steps", "128", *FEW).exit_code == 0
    again = run("train", "atlandice", "--out", "a", "--steps", "256", *FEW)
    assert again.exit_code == 2 and again.stderr.startswith("Error: out: a holds a run; allowed: ")
    # The command it began with, with --resume, goes on.
    more = run("train", "atlandice", "--out", "a", "--steps", "256", *FEW, "--resume")
    assert more.exit_code == 0 and "256 steps" in more.output
    assert run("train", "--out", "a", "--resume").exit_code == 0
    for changed in (["--seed", "2"], ["atlantis"], ["--advice"]):
        refused = run("train", *changed, "--out", "a", "--resume")
        assert refused.exit_code == 2 and "fixed when the run began; allowed: steps" in refused.stderr


def test_ctrl_c_ends_training_with_a_line_and_130(monkeypatch):
    pytest.importorskip("sb3_contrib")

    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("rich.progress.Progress.add_task", stop)
    result = run("train", "atlandice", "--out", "a", "--checkpoint-every", "1", *FEW)
    assert result.exit_code == 130 and "Traceback" not in result.output
    assert "Interrupted. To go on: atlantis train --out a --resume" in result.stderr
    assert Path("a/policy/manifest.json").exists()
    monkeypatch.setattr("atlantis_training.selfplay.run.Run.begin", stop)
    early = run("train", "atlandice", "--out", "b")
    assert early.exit_code == 130 and early.stderr == "Interrupted before the first round.\n"
