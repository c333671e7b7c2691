"""Runs that are stopped, moved and gone on with, and what is refused before a directory is made."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_training.selfplay.checkpoint import CheckpointError, newest_generation
from atlantis_training.selfplay.expert import Recording, record
from atlantis_training.selfplay.network import policy_layers
from atlantis_training.selfplay.pool import make_game, make_pool
from atlantis_training.selfplay.report import IMITATION
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import settings_from

TINY = {"num_envs": 8, "num_steps": 16, "batch_size": 64, "num_epochs": 1, "hidden": (16,), "steps": 256}
PLAIN = {**TINY, "players": 2, "imitate": 0}


def quiet(*_):
    """No progress bar."""


@pytest.fixture
def lessons(tmp_path):
    game = atlantis_envs.game("atlandice", players=2)
    record(Recording(game, "random", 3, 0.1), tmp_path / "lessons", 600, 1, quiet)
    return tmp_path / "lessons"


@pytest.mark.parametrize("name", ["heuristic", "random"])
def test_an_agent_of_the_settings_may_have_the_name_of_one_everybody_knows(tmp_path, name):
    run = Run.begin(tmp_path / "run", settings_from({**PLAIN, "policies": (name,), "share_policies": 0.5}))
    run._round()
    run.save()
    again = Run.resume(tmp_path / "run")
    kinds = [(entry.number, entry.kind, entry.name) for entry in run.pool.entries.values()]
    assert kinds == [(entry.number, entry.kind, entry.name) for entry in again.pool.entries.values()]
    assert [kind for _, kind, _ in kinds] == ["random", "heuristic", "policy"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"imitate_players": ()}, r"imitate_players: \[\]; allowed: one or more player counts"),
        ({"num_envs": 1, "num_steps": 1}, "num_envs, num_steps: 1, 1; allowed: a product of 2 or more"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_by_name(values, message):
    with pytest.raises(OptionError, match=message):
        settings_from({**PLAIN, **values})


@pytest.mark.parametrize("broken", ["afterstates", "byte"])
def test_lessons_that_do_not_fit_are_refused_before_anything_is_made(tmp_path, lessons, broken):
    values = {**PLAIN, "imitate": 500, "dataset": (str(lessons),), "afterstates": broken == "afterstates"}
    if broken == "byte":
        shard = lessons / "00000.safetensors"
        shard.write_bytes(shard.read_bytes() + b"\0")
    with pytest.raises(OptionError, match=r"dataset: .*00000.safetensors"):
        Run.begin(tmp_path / "run", settings_from(values))
    assert not (tmp_path / "run").exists()


def test_a_run_goes_on_where_its_lessons_were_moved_to(tmp_path, lessons):
    run = Run.begin(tmp_path / "run", settings_from({**PLAIN, "dataset": (str(lessons),), "dataset_epochs": 2}))
    run._round()
    run.save()
    elsewhere = tmp_path / "elsewhere"
    shutil.move(lessons, elsewhere)
    with pytest.raises(OptionError, match=r"^dataset: "):
        Run.resume(tmp_path / "run")
    again = Run.resume(tmp_path / "run", moved={"dataset": (str(elsewhere),)})
    again.go()
    assert again.learner.dataset_share == 1 and again.learner.steps >= 256
    (elsewhere / "manifest.json").unlink()
    record(Recording(again.game, "random", 4, 0.1), elsewhere, 600, 1, quiet)
    with pytest.raises(CheckpointError, match="dataset holds other decisions now"):
        Run.resume(tmp_path / "run", moved={"dataset": (str(elsewhere),)})


def test_a_run_goes_on_against_the_policies_that_it_began_with(tmp_path):
    rival = tmp_path / "rival"
    Run.begin(rival, settings_from(PLAIN)).export()
    run = Run.begin(tmp_path / "run", settings_from({**PLAIN, "policies": (str(rival),), "share_policies": 1.0}))
    run._round()
    run.save()
    Run.resume(tmp_path / "run")
    shutil.rmtree(rival)
    Run.begin(rival, settings_from({**PLAIN, "seed": 99})).export()
    with pytest.raises(CheckpointError, match="policies have other weights now; allowed: those it began with"):
        Run.resume(tmp_path / "run")


def test_every_checkpoint_has_its_policy(tmp_path):
    run = Run.begin(tmp_path / "run", settings_from({**PLAIN, "checkpoint_every": 1}))
    written = tmp_path / "run" / "policy" / "weights.safetensors"
    seen = [written.read_bytes()]
    for _ in range(2):
        run._round()
        seen.append(written.read_bytes())
    assert len(set(seen)) == 3 and len(json.loads((tmp_path / "run" / "curve.json").read_text())) == 2


def test_the_command_that_began_with_a_policy_goes_on_with_the_run(tmp_path):
    first = Run.begin(tmp_path / "first", settings_from(PLAIN))
    began = {**TINY, "players": 2, "start": str(tmp_path / "first"), "hidden": (256, 128), "imitate": 3_000_000}
    run = Run.begin(tmp_path / "second", settings_from(began))
    assert run.settings.hidden == (16,) and run.settings.imitate == 0
    again = Run.resume(tmp_path / "second", **began)
    assert again.settings == run.settings and first.settings.hidden == (16,)
    with pytest.raises(OptionError, match="hidden: fixed when the run began"):
        Run.resume(tmp_path / "second", **{**began, "hidden": (32,)})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"imitate": 1000}, "imitate: 1000; allowed: 0 with start"),
        ({"features": True}, "features: True; allowed: False"),
        ({"afterstates": True}, "afterstates: True; allowed: False"),
    ],
)
def test_what_contradicts_the_start_is_refused(tmp_path, values, message):
    Run.begin(tmp_path / "first", settings_from(PLAIN))
    began = {**TINY, "players": 2, "start": str(tmp_path / "first"), **values}
    with pytest.raises(OptionError, match=message):
        Run.begin(tmp_path / "second", settings_from(began))
    assert not (tmp_path / "second").exists()


def test_before_a_game_has_ended_there_is_no_win_share(tmp_path):
    run = Run.begin(tmp_path / "run", settings_from({**PLAIN, "num_steps": 2, "batch_size": 16, "checkpoint_every": 1}))
    report = run._round()
    assert report.share is None and "no game has ended" in report.text and "share" not in run.curve[0]
    for _ in range(100):
        report = run._round()
    assert report.share is not None and run.curve[-1]["share"] == report.share


def test_team_mates_are_nobody_to_win_against():
    settings = settings_from({"game": "atlantis_rising", "players": 2})
    pool = make_pool(make_game(settings), settings)
    pool.record(np.zeros((1, 2), np.int32), np.zeros(1, np.int8), np.ones((1, 2), np.float32))
    assert [entry.games for entry in pool.entries.values()] == [0, 0]


def test_the_time_of_all_calls_counts(tmp_path):
    run = Run.begin(tmp_path / "run", settings_from({**PLAIN, "steps": 10**9, "seconds": 0.5}))
    run.go()
    assert run.seconds >= 0.5 and run.go().nothing_left


def test_imitation_that_time_ended_between_two_rounds_is_over(tmp_path):
    run = Run.begin(tmp_path / "run", settings_from({**PLAIN, "imitate": 10**9, "seconds": 1e6}))
    run._round()
    memory = run.learner.model.policy.optimizer.state
    assert run.learner.phase != "play" and memory and not run.learner.imitation_ms
    run.learner.clock = lambda: 0.9e6
    assert run.learner.phase == "play"
    run._learn("play")
    assert run.learner.imitation_ms == round(0.9e9)


def test_imitation_and_playing_have_logs_of_their_own(tmp_path):
    Run.begin(tmp_path / "run", settings_from({**PLAIN, "imitate": 1000})).go()
    place = tmp_path / "run" / "tensorboard"
    assert [len(list(directory.glob("events.*"))) for directory in (place, place / IMITATION)] == [1, 1]


@pytest.mark.parametrize("seconds", [None, "long", -1.0, True])
def test_a_checkpoint_without_its_time_is_refused_in_one_line(tmp_path, seconds, monkeypatch):
    run = Run.begin(tmp_path / "run", settings_from(PLAIN))
    path, manifest, arrays, warnings = newest_generation(tmp_path / "run" / "checkpoints")
    manifest["state"]["extra"]["seconds"] = seconds
    found = (path, manifest, arrays, warnings)
    monkeypatch.setattr("atlantis_training.selfplay.run.newest_generation", lambda _: found)
    with pytest.raises(CheckpointError, match=r"seconds .*; allowed: a time"):
        Run.resume(tmp_path / "run")
    assert len(policy_layers(run.learner.model)) == 2
