"""Expert iteration: recorded lessons, runs that fit them, rounds that a kill does not change."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.support import scaled
from numpy.typing import NDArray
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.networks.policy import PolicyAgent, load_policy, save_policy
from atlantis_agents.networks.tensors import read_tensors, write_tensors
from atlantis_agents.search.agent import SearchAgent
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import determinize
from atlantis_training.cli.app import app
from atlantis_training.cli.train import _by_playing
from atlantis_training.selfplay import learner as learning
from atlantis_training.selfplay.checkpoint import ARRAYS, CheckpointError, generations
from atlantis_training.selfplay.dataset import (
    Dataset,
    Demonstrations,
    finish,
    load_dataset,
    read_dataset,
    shard_name,
    write_shard,
)
from atlantis_training.selfplay.expert import (
    ExpertSettings,
    Iteration,
    Recording,
    dataset_of,
    enough,
    epsilon_greedy,
    record,
    record_shard,
    recording_of,
    saved_settings,
    seconds_of,
)
from atlantis_training.selfplay.fitting import Fit, rows_of, weights_of
from atlantis_training.selfplay.network import take_layers
from atlantis_training.selfplay.run import CHECKPOINTS, Run
from atlantis_training.selfplay.settings import SelfPlaySettings, policy_of
from atlantis_training.selfplay.warm_start import expert_started
from atlantis_training.shipping.origin import origin_of

GAME = atlantis_envs.game("atlandice", players=2)
LESSON = Recording(GAME, "heuristic", 5, 0.1)
HEURISTIC = {"heuristic": make_agent("heuristic", GAME)}
SMALL: dict[str, Any] = {"num_envs": 4, "num_steps": 8, "batch_size": 16, "hidden": (32,), "imitate": 0, "steps": 0}


def fingerprint(directory: Path) -> dict[str, str]:
    """SHA-256 of every file in a directory of lessons."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(directory.iterdir())}


def newest(run: Path) -> str:
    """SHA-256 of all that is an array in the newest checkpoint."""
    return hashlib.sha256((generations(run / CHECKPOINTS)[-1] / ARRAYS).read_bytes()).hexdigest()


def quiet(_: int) -> None:
    """Nobody wants to know."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """Lessons of the heuristic, three shards of them."""
    found = record(LESSON, tmp_path_factory.mktemp("lessons"), 2500, 1, quiet)
    assert found is not None and len(found.shards) >= 2
    return found


# ------------------------------------------------------------------------------------------------------------ recording


def test_lessons_are_the_choices_of_the_teacher_and_what_their_games_paid() -> None:
    watched = record_shard(LESSON, HEURISTIC, 0)
    assert (watched.masks.sum(axis=1) > 1).all()  # forced decisions teach nothing
    assert watched.masks[np.arange(len(watched.actions)), watched.actions].all()
    assert set(np.unique(watched.returns)) <= {-1.0, 0.0, 1.0} and len(np.unique(watched.returns)) > 1
    batch = GAME.batch(16, LESSON.seed)
    first = batch.action_masks.sum(axis=1) > 1
    told = make_agent("heuristic", GAME).act(batch.observations, batch.action_masks, batch.noise(LESSON.seed))
    assert np.array_equal(watched.obs[: first.sum()], batch.observations[first])
    assert np.array_equal(watched.actions[: first.sum()], told[first])
    again = record_shard(LESSON, HEURISTIC, 1)
    assert not np.array_equal(again.obs[:50], watched.obs[:50])


def test_something_else_is_played_now_and_then_and_always_something_legal() -> None:
    generator = np.random.default_rng(3)
    masks = (generator.random((20_000, 9)) < 0.4).astype(np.int8)
    masks[:, 2] = 1
    told, words = np.full(len(masks), 2), generator.integers(0, 2**63, len(masks), np.uint64)
    played = epsilon_greedy(told, masks, words, 0.25)
    assert masks[np.arange(len(masks)), played].all()
    expected = 0.25 * np.mean(1 - 1 / masks.sum(axis=1))
    assert abs((played != 2).mean() - expected) < 0.01
    full = epsilon_greedy(told[:3000], np.ones((3000, 9), np.int8), words[:3000], 1.0)
    assert np.bincount(full, minlength=9).min() > 250  # each about equally often
    assert np.array_equal(epsilon_greedy(told, masks, words, 0.0), told)


def test_as_many_shards_as_it_takes_in_their_order() -> None:
    assert enough({0: 5, 1: 5, 2: 5}, 10) == 2
    assert enough({0: 5, 2: 50}, 10) == 0
    assert enough({}, 1) == 0


def test_two_processes_record_what_one_does(source: Dataset, tmp_path: Path) -> None:
    found = record(LESSON, tmp_path, 2500, 2, quiet)
    assert found is not None and found.digest == source.digest
    assert fingerprint(tmp_path) == fingerprint(source.path)


def test_an_interrupted_recording_goes_on_to_the_same_bytes(source: Dataset, tmp_path: Path) -> None:
    def interrupt(count: int) -> None:
        if count:
            raise KeyboardInterrupt

    assert record(LESSON, tmp_path, 2500, 1, interrupt) is None
    assert [path.name for path in tmp_path.iterdir()] == ["00000.safetensors"]
    (tmp_path / ".00001.safetensors.77").write_bytes(b"half of a shard")
    seen: list[int] = []
    found = record(LESSON, tmp_path, 2500, 1, seen.append)
    assert found is not None and seen[0] == found.shards[0][2]  # the first shard was not recorded again
    assert fingerprint(tmp_path) == fingerprint(source.path)


def test_afterstates_are_recorded_where_they_are_asked_for(tmp_path: Path) -> None:
    lesson = Recording(atlantis_envs.game("atlantis", players=2), "random", 1, 0.0, True)
    watched = record_shard(lesson, {"random": make_agent("random", lesson.game)}, 0)
    assert watched.afterstates is not None and len(watched.afterstates) == watched.masks.sum()
    write_shard(tmp_path, 0, watched)
    kept = load_dataset([finish(tmp_path, lesson.game, 1, {})], lesson.game, True)
    assert kept.afterstates is not None and np.array_equal(kept.afterstates, watched.afterstates)
    assert np.array_equal(kept.masks, watched.masks) and np.array_equal(kept.actions, watched.actions)


GUMBEL = "search:root=gumbel,noise=1,gate=0,horizon=2"


def test_a_search_teaches_odds_and_what_every_seat_got(tmp_path: Path) -> None:
    lesson = Recording(GAME, GUMBEL, 5, budgets=(4, 12), large_share=0.5)
    assert lesson.teachers == (f"{GUMBEL},simulations=4", f"{GUMBEL},simulations=12")
    watched = record_shard(lesson, {text: make_agent(text, GAME) for text in lesson.texts}, 0)
    targets = watched.targets
    assert targets is not None and np.allclose(targets.policies.sum(axis=1), 1, atol=1e-5)
    assert (targets.policies[~watched.masks] == 0).all() and (targets.surprise >= 0).all() and targets.surprise.any()
    assert np.allclose(targets.shares[:, :2].sum(axis=1), 1) and (targets.shares[:, 2:] == 0).all()
    assert np.allclose(targets.shares[:, 0], (1 + watched.returns) / 2)
    values = targets.values
    assert values is not None and (values[~watched.masks] == 0).all() and (values[watched.masks] <= 1).all()
    best = np.where(watched.masks, values, -1).argmax(axis=1)
    assert 0.5 < (best == watched.actions).mean() <= 1 and len(np.unique(values)) > 100
    write_shard(tmp_path, 0, watched)
    kept = load_dataset([finish(tmp_path, GAME, 1, {})], GAME, False).targets
    assert kept is not None and kept.values is not None and np.array_equal(kept.values, values)
    assert np.allclose(kept.policies, targets.policies, atol=1e-3)
    assert np.array_equal(kept.shares, targets.shares) and np.array_equal(kept.surprise, targets.surprise)
    wrong = watched._replace(targets=targets._replace(policies=np.ones_like(targets.policies)))
    write_shard(tmp_path, 0, wrong)
    with pytest.raises(OptionError, match=r"allowed: odds of legal actions, and numbers from 0$"):
        load_dataset([finish(tmp_path, GAME, 1, {})], GAME, False)


def test_what_was_not_simulated_counts_as_the_mean_of_what_was() -> None:
    agent = make_agent(f"{GUMBEL},simulations=2,considered=1", GAME)
    assert isinstance(agent, SearchAgent)
    batch = GAME.batch(16, 3)
    batch.reset(games=np.arange(16))
    lanes = np.arange(16)
    seen = batch.states, batch.seats, batch.observations, batch.action_masks
    found = agent.study(determinize(GAME, *seen, batch.noise(3, lanes)), batch.noise(3, lanes))
    other = replace(found, log_priors=np.full_like(found.log_priors, np.nan))  # as a root that halves leaves them
    for lane in lanes:
        tried = found.counts[lane] > 0
        assert 0 < tried.sum() < (batch.action_masks[lane] != 0).sum()
        odds, means = np.exp(found.log_priors[lane][tried]), found.means[lane][tried]
        assert np.allclose(found.completed[lane][tried], means)
        assert np.allclose(found.completed[lane][~tried], (odds * means).sum() / odds.sum())
        assert np.allclose(other.completed[lane][~tried], means.mean())


def test_company_sits_in_all_seats_but_one() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    lesson = Recording(game, "heuristic", 5, company=("random", "planner"), company_share=0.5)
    tables = np.concatenate([lesson.tables(shard) for shard in range(40)])
    own = (tables == -1).sum(axis=1)
    assert set(own) == {1, 3} and 0.4 < (own == 1).mean() < 0.6
    assert {int(who) for who in np.unique(tables)} == {-1, 0, 1}
    agents = {text: make_agent(text, game) for text in lesson.texts}
    watched = record_shard(lesson, agents, 0)
    alone = record_shard(Recording(game, "heuristic", 5), agents, 0)
    assert 0 < len(watched.actions) < len(alone.actions)
    team = Recording(atlantis_envs.game("atlantis_rising"), "heuristic", 5, company=("random",), company_share=1.0)
    assert (team.tables(0) == -1).all()


def test_a_pupil_plays_and_the_teacher_says_what_it_would_do() -> None:
    lesson = Recording(GAME, "heuristic", 5, pupil="random", pupil_share=0.5)
    agents = {text: make_agent(text, GAME) for text in lesson.texts}
    assert set(agents) == {"heuristic", "random"}
    games = np.concatenate([lesson.of_pupil(shard) for shard in range(40)])
    assert 0.4 < games.mean() < 0.6 and not replace(lesson, pupil="").of_pupil(0).any()
    watched = record_shard(replace(lesson, pupil_share=1.0), agents, 0)
    played = record_shard(Recording(GAME, "random", 5), agents, 0)
    assert np.array_equal(watched.obs, played.obs) and np.array_equal(watched.returns, played.returns)
    assert (watched.actions != played.actions).mean() > 0.3
    mixed, plain = (record_shard(one, agents, 0) for one in (lesson, replace(lesson, pupil_share=0.0)))
    assert plain.obs.shape != mixed.obs.shape != played.obs.shape


def test_the_policy_before_is_the_pupil_of_later_rounds(tmp_path: Path) -> None:
    settings = ExpertSettings(game="atlandice", players=2, pupil_share=0.9)
    first, second = (recording_of(settings, GAME, number, tmp_path) for number in (1, 2))
    assert first.pupil == "" and second.pupil == str(policy_of(tmp_path, 1)) and second.pupil_share == 0.9
    assert recording_of(replace(settings, pupil_share=0.0), GAME, 2, tmp_path).pupil == ""
    begun = replace(settings, start="network")
    assert [recording_of(begun, GAME, number, tmp_path).pupil for number in (1, 2)] == ["network", second.pupil]
    assert recording_of(replace(begun, pupil_share=0.0), GAME, 1, tmp_path).pupil == ""


def test_surprise_weighs_a_part() -> None:
    surprise = np.array([0, 0, 0, 1, 3], np.float32)
    weights = weights_of(surprise, 0.5)
    assert np.allclose(weights.mean(), 1) and np.allclose(weights, 0.5 + 0.5 * surprise / surprise.mean())
    assert (weights_of(np.zeros(4, np.float32), 0.5) == 1).all() and (weights_of(surprise, 0.0) == 1).all()


# -------------------------------------------------------------------------------------------------------------- reading


def test_damaged_and_foreign_lessons_are_refused_in_a_line(source: Dataset, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"^dataset: .*cannot be read.*; allowed: a finished directory"):
        read_dataset(tmp_path, GAME)
    with pytest.raises(OptionError, match=r"^dataset: .*: game is 'atlandice'; here it is 'atlantis'$"):
        read_dataset(source.path, atlantis_envs.game("atlantis"))
    watched = load_dataset([source], GAME, False)
    with pytest.raises(OptionError, match=r"^dataset: .*: after is None; allowed: uint8"):
        load_dataset([source], GAME, True)
    wrong = watched._replace(actions=np.where(watched.masks.all(axis=1), 0, watched.masks.argmin(axis=1)))
    write_shard(tmp_path, 0, wrong)
    with pytest.raises(OptionError, match=r"actions or returns; allowed: legal actions, finite returns$"):
        load_dataset([finish(tmp_path, GAME, 1, {})], GAME, False)
    raw = bytearray((tmp_path / "00000.safetensors").read_bytes())
    raw[-1] ^= 1
    (tmp_path / "00000.safetensors").write_bytes(raw)
    with pytest.raises(OptionError, match=r"^dataset: .*SHA-256 differs"):
        load_dataset([read_dataset(tmp_path, GAME)], GAME, False)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    for change, message in (
        ({"shards": [["../x", "0", 3]]}, r"shards\[0\]: allowed: 00000.safetensors"),
        ({"shards": []}, "shards"),
        ({"more": 1}, "more"),
    ):
        (tmp_path / "manifest.json").write_text(json.dumps({**manifest, **change}))
        with pytest.raises(OptionError, match=f"^dataset: .*{message}"):
            read_dataset(tmp_path, GAME)


def test_what_was_recorded_in_format_1_is_read(source: Dataset, tmp_path: Path) -> None:
    rows = load_dataset([source], GAME, False)
    write_shard(tmp_path, 0, rows)
    arrays = read_tensors(tmp_path / shard_name(0), hashlib.sha256((tmp_path / shard_name(0)).read_bytes()).hexdigest())
    arrays["seen"] = arrays.pop("obs")
    write_tensors(tmp_path / shard_name(0), arrays)
    finish(tmp_path, GAME, 1, {})
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "format": "atlantis-envs lessons 1"}))
    assert np.array_equal(load_dataset([read_dataset(tmp_path, GAME)], GAME, False).obs, rows.obs)


# -------------------------------------------------------------------------------------------------------------- fitting


def dataset_settings(source: Dataset, **more: Any) -> SelfPlaySettings:
    return SelfPlaySettings(game="atlandice", players=2, dataset=(str(source.path),), **{**SMALL, **more})


def test_a_run_learns_from_lessons_again_and_again(
    source: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "DATASET_ROWS", 1000)
    reports: list[Any] = []
    run = Run.begin(tmp_path / "run", dataset_settings(source, dataset_epochs=8))
    outcome = run.go(reports.append)
    assert not outcome.interrupted and outcome.steps == 0
    assert {report.phase for report in reports} == {"dataset"} and reports[-1].done == 1.0
    assert run.learner.dataset_rows == 8 * source.decisions
    agreement = [report.figures["agreement"] for report in reports]
    assert np.mean(agreement[-3:]) > np.mean(agreement[:3]) + 0.1
    lessons = load_dataset([source], GAME, False)
    chosen = PolicyAgent(GAME, outcome.policy).act(lessons.obs, lessons.masks.astype(np.int8))
    assert (chosen == lessons.actions).mean() > np.mean(agreement[:3])
    again = Run.resume(tmp_path / "run").go()
    assert again.nothing_left == "nothing left to do: --steps 0 are done; give more with --steps"
    more = Run.resume(tmp_path / "run", steps=64).go(reports.append)
    assert more.steps == 64 and reports[-1].phase == "play"


def test_every_pass_takes_every_row_once_in_another_order(
    source: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "DATASET_ROWS", 1000)
    run, orders = Run.begin(tmp_path / "run", dataset_settings(source, dataset_epochs=2)), []
    fit = run.learner._fit_rows
    monkeypatch.setattr(run.learner, "_fit_rows", lambda rows, order: (orders.append(order), fit(rows, order))[1])
    run.go()
    rows = np.concatenate([order.numpy() for order in orders])
    first, second = rows[: source.decisions], rows[source.decisions :]
    for order in (first, second):
        assert np.array_equal(np.sort(order), np.arange(source.decisions))
    assert not np.array_equal(first, second)


def test_a_run_with_lessons_resumes_bit_for_bit(
    source: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "DATASET_ROWS", 1000)
    settings = dataset_settings(source, dataset_epochs=3, imitate=500, checkpoint_every=2, steps=96)
    Run.begin(tmp_path / "whole", settings).go()
    Run.begin(tmp_path / "parts", settings)
    for _ in range(30):
        part = Run.resume(tmp_path / "parts")
        for _ in range(3):  # the third one is lost and done again
            if not part.finished:
                part._round()
        if part.finished:
            part.save()
            break
    assert part.finished and part.learner.rounds == 3
    assert newest(tmp_path / "parts") == newest(tmp_path / "whole")


def test_a_run_keeps_to_the_lessons_it_began_with(source: Dataset, tmp_path: Path) -> None:
    lessons = tmp_path / "lessons"
    record(LESSON, lessons, 1000, 1, quiet)
    copy = Dataset(lessons, (), "")
    Run.begin(tmp_path / "run", dataset_settings(copy))
    (lessons / "manifest.json").unlink()
    record(Recording(GAME, "random", 5, 0.1), lessons, 5000, 1, quiet)
    with pytest.raises(CheckpointError, match="dataset holds other decisions now; allowed: those it began with"):
        Run.resume(tmp_path / "run")


# ----------------------------------------------------------------------------------------------------- from a policy


def test_a_run_begins_with_a_policy_and_plays_as_it_does(source: Dataset, tmp_path: Path) -> None:
    Run.begin(tmp_path / "first", dataset_settings(source, dataset_epochs=2)).go()
    policy = load_policy(tmp_path / "first" / "policy")
    plain = tmp_path / "copy"
    save_policy(plain, GAME, policy.layers, activation=policy.activation)  # nothing but the policy
    run = Run.begin(tmp_path / "second", SelfPlaySettings(game="atlandice", players=2, start=str(plain), **SMALL))
    seen = load_dataset([source], GAME, False).obs[:500]
    assert np.allclose(run.learner.agent().logits(seen), policy.logits(seen), atol=1e-3)
    assert bool(run.learner.model.policy.features_extractor.measured)
    written = PolicyAgent(GAME, run.export())
    assert np.allclose(written.logits(seen), policy.logits(seen), atol=1e-3)
    for settings, message in (
        ({"hidden": (16,)}, r"hidden: \[16\]; allowed: \[32\], that of start"),
        ({"advice": True}, "its advice is ''; allowed: 'heuristic'"),
        ({"start": "nowhere"}, "start: 'nowhere'; allowed: the directory of a policy or a run, or 'network'"),
    ):
        values = {"game": "atlandice", "players": 2, **SMALL, "start": str(plain), **settings}
        with pytest.raises(OptionError, match=message):
            Run.begin(tmp_path / "third", SelfPlaySettings(**values))
    assert not (tmp_path / "third").exists()


# ------------------------------------------------------------------------------------------------------------ iteration

TINY: dict[str, Any] = {
    "game": "atlandice", "players": 2, "teacher": GUMBEL, "guided": f"{GUMBEL},guide=POLICY,leaf=POLICY",
    "budgets": (2, 4), "decisions": 1500, "rounds": 2, "epochs": 2, "hidden": (16,), "games": 4, "seed": 3,
    "company": ("heuristic",),
}  # fmt: skip


class Stopped(Exception):
    """Somebody pulled the plug."""


def stop_late(done: float, text: str) -> None:
    """Pull it before the last passes."""
    if done > 0.6:
        raise Stopped


def outcome_of(out: Path) -> list[Any]:
    """All that an iteration leaves, but for the times."""
    lessons = [fingerprint(dataset_of(out, number)) for number in (1, 2)]
    policies = [(path / "weights.safetensors").read_bytes() for path in (out / "policy", policy_of(out, 2))]
    rows = [
        {**row, "teacher": row["teacher"].partition("guide")[0]}
        for row in json.loads((out / "rounds.json").read_text())
    ]
    return [lessons, policies, rows]


def test_a_fit_learns_and_goes_on_to_the_same_bytes(source: Dataset, tmp_path: Path) -> None:
    settings = ExpertSettings(**{**TINY, "epochs": 4, "rate": 0.005, "batch_size": 256})
    rows = rows_of(GAME, settings, load_dataset([source], GAME, False))
    whole = Fit(GAME, settings, 1, None)
    whole.go(rows, tmp_path / "whole", lambda done, text: None)
    assert [len(whole.figures), whole.epoch] == [4, 4]
    for name in ("policy_loss", "value_loss"):
        assert whole.figures[-1][name] < whole.figures[0][name]
    agent = PolicyAgent(GAME, whole.export(tmp_path / "policy"))
    found = load_dataset([source], GAME, False)
    played = agent.act(found.obs, found.masks.astype(np.int8))
    assert (played == found.actions).mean() > whole.figures[0]["agreement"]

    with pytest.raises(Stopped):
        Fit(GAME, settings, 1, None).go(rows, tmp_path / "parts", stop_late)
    again = Fit(GAME, settings, 1, None)
    again.go(rows, tmp_path / "parts", lambda done, text: None)
    assert again.figures == whole.figures
    parts = [path / "weights.safetensors" for path in (tmp_path / "policy", again.export(tmp_path / "again"))]
    assert parts[0].read_bytes() == parts[1].read_bytes()
    later = Fit(GAME, settings, 2, agent.layers)  # begins where the other ended
    later.network.trunk.measure(rows.inputs)
    take_layers(later.network.trunk, later.network.head, agent.layers)
    with torch.no_grad():
        outputs = later.network(torch.from_numpy(found.obs[:200])).numpy()
    assert np.allclose(outputs, agent.outputs(found.obs[:200]), atol=1e-3)


def test_afterstates_learn_the_shares_of_what_was_played(tmp_path: Path) -> None:
    game = atlantis_envs.game("atlantis", players=2)
    settings = ExpertSettings(game="atlantis", players=2, afterstates=True, epochs=2, hidden=(16,), batch_size=64)
    lesson = Recording(game, "heuristic", 1, afterstates=True)
    found = record_shard(lesson, {"heuristic": make_agent("heuristic", game)}, 0)
    fit = Fit(game, settings, 1, None)
    rows = rows_of(game, settings, found)
    fit.go(rows, tmp_path / "fit", lambda done, text: None)
    agent = PolicyAgent(game, fit.export(tmp_path / "policy"))
    assert agent.sees_positions and agent.value == "seat shares" and fit.figures[1]["policy_loss"] > 0
    batch = np.arange(7)
    logits, values = fit._outputs(fit.network, rows, batch, torch.from_numpy(rows.masks[batch]))
    for index in batch:
        legal = np.flatnonzero(rows.masks[index])
        own = found.afterstates[rows.first[index] : rows.first[index] + len(legal)]  # type: ignore[index]
        outputs = agent.outputs(own)
        assert np.allclose(logits[index].detach().numpy()[legal], outputs[:, 0], atol=0.05)
        played = int(np.flatnonzero(legal == rows.actions[index])[0])
        assert np.allclose(values[index].detach().numpy(), outputs[played, 1:], atol=0.05)


def test_win_shares_are_learned_as_odds_and_their_errors_average_out(source: Dataset) -> None:
    found = load_dataset([source], GAME, False)
    lesson = Recording(GAME, "search:4", 5)
    taught = record_shard(lesson, {text: make_agent(text, GAME) for text in lesson.texts}, 0)
    settings = ExpertSettings(**{**TINY, "value_temperature": 0.1})
    with pytest.raises(OptionError, match=r"^value_temperature: the dataset knows no win shares; allowed: 0, or"):
        rows_of(GAME, settings, found)
    rows = rows_of(GAME, settings, taught)
    fit, few = Fit(GAME, settings, 1, None), np.arange(40)
    masks = torch.from_numpy(rows.masks[few])
    assert rows.targets.values is not None

    def losses(logits: torch.Tensor, values: NDArray[Any]) -> torch.Tensor:
        noisy = replace(rows, targets=rows.targets._replace(values=values))
        logs = torch.log_softmax(logits.masked_fill(~masks, -1e9), dim=1)
        return fit._policy_losses(noisy, few, logs, torch.zeros(0))

    values = rows.targets.values.astype(np.float32)
    wanted = torch.from_numpy(values[few]) / 0.1
    assert torch.allclose(losses(wanted, values), torch.zeros(40), atol=1e-4)  # the policy is what it learns
    assert (losses(torch.zeros_like(wanted), values) >= -1e-6).all()
    assert losses(torch.zeros_like(wanted), values).max() > 0.1
    noise = np.random.default_rng(1).normal(0, 0.2, (300, *values.shape)).astype(np.float32)
    slopes = []
    for shifted in (values, *(values + part - noise.mean(axis=0) for part in noise)):
        logits = torch.zeros_like(wanted, requires_grad=True)
        losses(logits, shifted).sum().backward()
        assert logits.grad is not None
        slopes.append(logits.grad)
    assert torch.allclose(torch.stack(slopes[1:]).mean(dim=0), slopes[0], atol=1e-4)
    assert (slopes[1] - slopes[0]).abs().max() > 0.1


def test_win_shares_move_a_policy_from_where_it_was_and_only_where_they_differ(tmp_path: Path) -> None:
    start = {"start": "network@1", "hidden": (256, 256), "batch_size": 128, "rate": 3e-4, "epochs": 2}
    settings, layers = expert_started(
        ExpertSettings(**{**TINY, **start, "value_temperature": 0.01, "prior_temperature": 4.0})
    )
    lesson = Recording(GAME, "search:4,spread=even", 5)
    taught = record_shard(lesson, {text: make_agent(text, GAME) for text in lesson.texts}, 0)
    agent = make_agent("network@1", GAME)
    assert isinstance(agent, PolicyAgent) and not agent.sees_positions
    before = np.where(taught.masks, agent.logits(taught.obs), -np.inf)

    def learned(values: NDArray[Any], name: str) -> tuple[Fit, NDArray[np.float32]]:
        assert taught.targets is not None
        targets = taught.targets._replace(values=np.where(taught.masks, values, 0).astype(np.float16))
        fit = Fit(GAME, settings, 1, layers)
        fit.go(rows_of(GAME, settings, taught._replace(targets=targets)), tmp_path / name, lambda done, text: None)
        after = PolicyAgent(GAME, fit.export(tmp_path / f"{name}-policy"))
        return fit, np.where(taught.masks, after.logits(taught.obs), -np.inf)

    alike, same = learned(np.full(taught.masks.shape, 0.5), "alike")
    assert alike.figures[-1]["policy_loss"] < 1e-3 and (same.argmax(axis=1) == before.argmax(axis=1)).mean() > 0.98
    second = np.argsort(before, axis=1)[:, -2]
    better, moved = learned(np.eye(before.shape[1])[second] * 0.5, "better")  # the second-best action wins more
    rows = np.arange(len(second))
    first = before.argmax(axis=1)
    gain = moved[rows, second] - before[rows, second] - moved[rows, first] + before[rows, first]
    assert gain.mean() > 0.5 and better.figures[0]["policy_loss"] > better.figures[1]["policy_loss"] > 0

    with pytest.raises(Stopped):
        Fit(GAME, settings, 1, layers).go(rows_of(GAME, settings, taught), tmp_path / "parts", stop_late)
    ends = [Fit(GAME, settings, 1, layers) for _ in range(2)]
    for fit, name in zip(ends, ("parts", "whole"), strict=True):
        fit.go(rows_of(GAME, settings, taught), tmp_path / name, lambda done, text: None)
    assert ends[0].figures == ends[1].figures  # what it was before is the same after a kill


@pytest.mark.parametrize("given", [{"value_temperature": 0.1}, {"start": "network@1"}, {}])
def test_a_prior_needs_a_policy_and_win_shares(given: dict[str, Any]) -> None:
    allowed = r"^prior_temperature: 4.0; allowed: 0, or more with start and with value_temperature above 0$"
    with pytest.raises(OptionError, match=allowed):
        ExpertSettings(**{**TINY, **given, "prior_temperature": 4.0})


@pytest.mark.parametrize(("game", "start"), [("atlandice", "network@1"), ("atlantis", "network@2")])
def test_it_begins_with_a_policy_that_tells_no_shares_of_seats(game: str, start: str, tmp_path: Path) -> None:
    settings, layers = expert_started(ExpertSettings(game=game, players=2, start=start, epochs=1))
    made = atlantis_envs.game(game, players=2)
    agent = make_agent(start, made)
    assert isinstance(agent, PolicyAgent) and agent.value != "seat shares" and layers is not None
    assert settings.hidden == (256, 256) and settings.afterstates == agent.sees_positions
    assert settings.features == (agent.features is not None)
    lesson = Recording(made, "heuristic", 1, afterstates=settings.afterstates)
    found = record_shard(lesson, {"heuristic": make_agent("heuristic", made)}, 0)
    fit, rows = Fit(made, settings, 1, layers), rows_of(made, settings, found)
    fit.begin(rows.inputs)
    written = PolicyAgent(made, fit.export(tmp_path / "policy"))
    seen = found.obs[:200] if found.afterstates is None else found.afterstates[:200]
    own, before = written.outputs(seen), agent.outputs(seen)
    logits = before.shape[1]
    scale = own[:, :logits].std() / before.std()
    assert np.allclose(own[:, :logits], scale * before, atol=2e-3) and scale == pytest.approx(scale_of(agent), 1e-3)
    assert written.value == "seat shares" and np.allclose(own[:, logits:], 0, atol=1e-6)
    again, same = expert_started(replace(settings, start=str(tmp_path / "policy")))
    assert again.hidden == settings.hidden and same is not None
    assert all(np.array_equal(one, other) for one, other in zip(same[-1], written.layers[-1], strict=True))


def test_it_learns_from_what_another_one_recorded(source: Dataset, tmp_path: Path) -> None:
    begun = Iteration.begin(tmp_path / "begun", ExpertSettings(**{**TINY, "rounds": 1, "games": 0}))
    assert begun.go(lambda phase, done, text: None)
    before = dataset_of(begun.out, 1)
    more = {**TINY, "rounds": 1, "games": 0, "decisions": 1, "seed": 4}
    shown: dict[str, list[str]] = {}
    for name, datasets in (("alone", ()), ("both", (str(before),))):
        shown[name] = []
        settings = ExpertSettings(**{**more, "dataset": datasets})
        made = Iteration.begin(tmp_path / name, settings)
        assert made.go(lambda phase, done, text, name=name: shown[name].append(text))
        assert saved_settings(tmp_path / name) == settings
    counts = {name: read_dataset(dataset_of(tmp_path / name, 1), GAME).decisions for name in shown}
    assert counts["alone"] == counts["both"]
    total = counts["both"] + read_dataset(before, GAME).decisions
    assert f"0 of {total:,} decisions, pass 1" in shown["both"]
    assert f"0 of {counts['alone']:,} decisions, pass 1" in shown["alone"]
    for dataset, message in (
        (str(tmp_path), r"^dataset: .*; allowed: a finished directory of recorded decisions$"),
        (str(source.path), r"^value_temperature: the dataset knows no win shares; allowed: 0, or a teacher that"),
    ):
        with pytest.raises(OptionError, match=message):
            Iteration.begin(
                tmp_path / "third", ExpertSettings(**{**more, "value_temperature": 0.1, "dataset": (dataset,)})
            )
    assert not (tmp_path / "third").exists()


def test_wider_layers_begin_as_the_policy_plays(tmp_path: Path) -> None:
    narrow = Fit(GAME, ExpertSettings(**TINY), 1, None)
    found = record_shard(Recording(GAME, "heuristic", 1), {"heuristic": make_agent("heuristic", GAME)}, 0)
    narrow.begin(found.obs)
    agent = PolicyAgent(GAME, narrow.export(tmp_path / "narrow"))
    wide = ExpertSettings(**{**TINY, "start": str(tmp_path / "narrow"), "hidden": (40,), "rate": 0.01})
    settings, layers = expert_started(wide)
    assert settings.hidden == (40,) and layers is not None
    fit, rows = Fit(GAME, settings, 1, layers), rows_of(GAME, settings, found)
    fit.begin(found.obs)
    written = PolicyAgent(GAME, fit.export(tmp_path / "wide"))
    assert written.layers[0][0].shape[0] == 40
    assert np.allclose(written.outputs(found.obs), agent.outputs(found.obs), atol=1e-4)
    fit.go(rows, tmp_path / "fit", lambda done, text: None)
    head = fit.network.head.weight.detach().numpy()
    assert (np.abs(head[:, 16:]).max(axis=0) > 0).all()  # what was added learns too


def test_a_device_that_is_not_there_is_refused() -> None:
    with pytest.raises(OptionError, match=r"^device: 'gpu'; allowed: cpu"):
        Fit(GAME, ExpertSettings(**TINY), 1, None, "gpu")
    if not torch.cuda.is_available():
        with pytest.raises(OptionError, match=r"^device: 'cuda' \(torch sees no GPU here\); allowed: cpu$"):
            Fit(GAME, ExpertSettings(**TINY), 1, None, "cuda")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_a_gpu_fits_about_the_same_network(source: Dataset, tmp_path: Path) -> None:
    settings = ExpertSettings(**{**TINY, "epochs": 3, "rate": 0.005, "batch_size": 256})
    rows = rows_of(GAME, settings, load_dataset([source], GAME, False))
    fits = {device: Fit(GAME, settings, 1, None, device) for device in ("cpu", "cuda")}
    for device, fit in fits.items():
        fit.go(rows, tmp_path / device, lambda done, text: None)
    losses = [[figures["policy_loss"] for figures in fit.figures] for fit in fits.values()]
    assert np.allclose(*losses, rtol=0.05)


def scale_of(agent: PolicyAgent) -> float:
    """Return by how much the logits of a policy are sharper than its last layer."""
    return float(agent.policy_layers[-1][0].std() / agent.layers[-1][0].std())


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_killed_at_random_moments_it_comes_to_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "whole")
    whole = Iteration.begin(Path("out"), ExpertSettings(**TINY))
    assert whole.go(lambda phase, done, text: shown.append(phase))
    phases = list(dict.fromkeys(shown))
    assert phases == ["record 1", "fit 1", "measure 1", "record 2", "fit 2", "measure 2"]
    monkeypatch.chdir(tmp_path / "killed")
    Iteration.begin(Path("out"), ExpertSettings(**TINY))
    dice = random.Random(5)
    command = [sys.executable, "-m", "atlantis_training.cli.app", "expert", "--out", "out", "--resume", "-w", "2"]
    killed = 0
    for number in range(scaled(2, 10)):
        with Path(f"log-{number}").open("wb") as stream:
            before = files_below(Path("out"))
            child = subprocess.Popen(command, stdout=stream, stderr=stream)
            while child.poll() is None and files_below(Path("out")) == before:
                time.sleep(0.02)
            time.sleep(dice.random())  # at work by now, on fast machines and slow ones
            child.send_signal(signal.SIGKILL)
            killed += child.wait() == -signal.SIGKILL
        assert child.returncode in {0, -signal.SIGKILL}, Path(f"log-{number}").read_text()
    assert killed
    assert Iteration.resume(Path("out")).go(lambda phase, done, text: None, workers=2)
    assert outcome_of(tmp_path / "killed" / "out") == outcome_of(tmp_path / "whole" / "out")


def files_below(directory: Path) -> set[Path]:
    try:
        return set(directory.rglob("*"))
    except FileNotFoundError:  # renamed meanwhile
        return set()


def run_cli(*words: str) -> Any:
    return CliRunner().invoke(app, list(words), prog_name="atlantis", terminal_width=200)


def test_the_command_refuses_and_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    few = ("--decisions", "200", "--rounds", "1", "--hidden", "8", "--games", "0", "--epochs", "1")
    for words, message in (
        ((), "GAME: missing; allowed: a name, or --resume"),
        (("--resume",), "expert.json: cannot be read"),
        (("atlandice", "--teacher", "nobody"), "agent: 'nobody'; allowed:"),
        (("atlandice", "--teacher", "search:4,guide=POLICY"), "no POLICY, there is none in the first round"),
        (("atlandice", "--rounds", "0"), "rounds: 0; allowed: 1.."),
        (("atlandice", "--epsilon", "2"), "epsilon: 2.0; allowed: 0..1"),
        (("atlandice", "--hidden", "x"), "hidden: 'x'; allowed: whole numbers"),
        (("atlandice", "--epochs", "0"), "Error: epochs: 0; allowed: 1..1000"),
        (("atlandice", "--rate", "2"), "Error: rate: 2.0; allowed: 0..1"),
        (("atlandice", "--hidden", "9999999"), "hidden: "),
        (("atlandice", "--guided", "search:64,giude=POLICY"), "guided: 'search:64,giude=POLICY': agent: "),
        (
            ("atlandice", "--teacher", "search:64,root=gumbel"),
            "allowed: a search without a number or ms, which budgets",
        ),
        (("atlandice", "--guided", "search:ms=5"), "Error: guided: 'search:ms=5'; allowed: a search without a number"),
        (("atlandice", "--budgets", "0,16"), "budgets: [0, 16]; allowed: one or more numbers"),
        (("atlandice", "--company", "nobody"), "agent: 'nobody'; allowed:"),
        (
            ("atlandice", "--value-temperature", "0.1", "--teacher", "heuristic"),
            "allowed: 0, or a teacher that searches",
        ),
        (
            ("atlandice", "--value-temperature", "0.1", "--guided", "heuristic"),
            "allowed: 0, or a teacher that searches",
        ),
        (("atlandice", "--start", "nowhere"), "start: 'nowhere'; allowed: the directory of a policy or a run"),
        (("atlandice", "--start", "network@1", "--hidden", "16"), "hidden: [16]; allowed: [256, 256], that of start"),
        (("atlandice", "--start", "network@1", "--afterstates"), "afterstates: True; allowed: False, start has none"),
    ):
        found = run_cli("expert", *words, "--out", "e")
        assert found.exit_code == 2 and message in found.output and not Path("e").exists(), found.output
    done = run_cli("expert", "atlandice", "--out", "e", "-w", "1", "--teacher", "heuristic", *few)
    assert done.exit_code == 0, done.output
    assert "decisions of heuristic" in done.output
    assert "--start e/round-1/policy --hidden 8 --imitate 0 --out DIR" in done.output.replace("\n", "")
    assert load_policy("e/policy").game.players == 3
    command = "atlantis expert atlandice --teacher heuristic --decisions 200 --rounds 1 --epochs 1 --hidden 8 --games 0"
    whole = origin_of(Path("e"))
    assert whole.commands == (command,) and whole.minutes == round(seconds_of(Path("e")) / 60, 1)
    started = {**SMALL, "hidden": (8,), "steps": 32}
    Run.begin("f", SelfPlaySettings(game="atlandice", start="e/round-1/policy", **started)).go()
    later = origin_of(Path("f"))
    assert later.commands[0] == command and "--start e/round-1/policy" in later.commands[1]
    assert later.steps == 32 and later.minutes >= whole.minutes
    words = ("--start", "e/round-1/policy", "--pupil-share", "1", "--teacher", "heuristic", "--rate", "0", *few)
    assert run_cli("expert", "atlandice", "--out", "g", "-w", "1", *words).exit_code == 0
    begun, after = load_policy("e/policy"), load_policy("g/policy")  # it learned nothing: it is what it began with
    seen = np.random.default_rng(1).integers(0, 3, (50, begun.game.observation_size), np.uint8)
    assert np.allclose(after.logits(seen), begun.logits(seen), atol=1e-3) and begun.logits(seen).std() > 0.01
    assert saved_settings(Path("g")).hidden == (8,) and len(origin_of(Path("g")).commands) == 2
    assert origin_of(Path("g")).commands[0] == command
    here = Path.cwd()
    more = ("--start", str(here / "g"), "--teacher", f"search:guide={here}/e/policy", "--budgets", "1", *few)
    more += ("--dataset", str(here / "e" / "round-1" / "dataset"))
    assert run_cli("expert", "atlandice", "--out", "h", "-w", "1", *more).exit_code == 0
    last = origin_of(Path("h"))
    assert last.commands[:2] == origin_of(Path("g")).commands and len(last.commands) == 3  # e is counted once
    assert last.minutes == round(origin_of(Path("g")).minutes + seconds_of(Path("h")) / 60, 1)
    assert "--teacher search:guide=e/policy --" in last.commands[2] and str(here) not in last.commands[2]
    assert "--start g --" in last.commands[2] and "--dataset e/round-1/dataset" in last.commands[2]
    more = ("--teacher", "search", "--budgets", "1", "--dataset", str(here / "e" / "round-1" / "dataset"), *few)
    assert run_cli("expert", "atlandice", "--out", "i", "-w", "1", *more).exit_code == 0
    learned = origin_of(Path("i"))
    assert learned.commands[0] == command and len(learned.commands) == 2 and learned.minutes >= whole.minutes
    assert run_cli("expert", "--out", "g", "--resume", *words).exit_code == 0
    changed = run_cli("expert", "--out", "e", "--resume", "--decisions", "300")
    assert changed.exit_code == 2 and "decisions: fixed when it began" in changed.output
    again = run_cli("expert", "atlandice", "--out", "e", *few)
    assert again.exit_code == 2 and "holds an expert iteration" in again.output
    assert run_cli("expert", "--out", "e", "--resume", *few).exit_code == 0


FEW: dict[str, Any] = {
    "game": "atlandice", "teacher": "heuristic", "decisions": 200, "rounds": 2, "epochs": 1, "company": ("heuristic",),
    "hidden": (8,), "games": 0,
}  # fmt: skip
GUIDED = ("search:guide=POLICY", "search:rollout=POLICY", "POLICY", "heuristic")


@pytest.mark.parametrize("guided", GUIDED)
def test_a_comma_in_the_directory_is_refused_where_it_would_break_the_teacher(guided: str, tmp_path: Path) -> None:
    out, settings = tmp_path / "ex,4", ExpertSettings(**{**FEW, "guided": guided})
    assert Iteration.begin(tmp_path / "ex 4=", settings).settings == settings
    if "=" in guided:
        with pytest.raises(
            OptionError, match=r"^out: .*ex,4 cannot stand for POLICY in .search:.*; allowed: a directory"
        ):
            Iteration.begin(out, settings)
        assert not out.exists()
        settings = ExpertSettings(**{**FEW, "guided": guided, "rounds": 1})
    assert Iteration.begin(out, settings).settings == settings


def test_the_teacher_of_later_rounds_may_be_repaired_until_it_has_played(tmp_path: Path) -> None:
    Iteration.begin(tmp_path, ExpertSettings(**{**FEW, "guided": GUIDED[0]}))
    path = tmp_path / "expert.json"
    path.write_text(path.read_text().replace("guide=POLICY", "giude=POLICY"))  # as it could be begun once
    with pytest.raises(OptionError, match=r"^guided: 'search:giude=POLICY': agent: "):
        Iteration.resume(tmp_path)
    with pytest.raises(OptionError, match=r"^guided: 'nobody': agent: 'nobody'; allowed: "):
        Iteration.resume(tmp_path, "nobody")
    assert Iteration.resume(tmp_path, GUIDED[1]).settings.guided == GUIDED[1]
    assert Iteration.resume(tmp_path).settings.guided == GUIDED[1]
    dataset_of(tmp_path, 2).mkdir(parents=True)
    assert Iteration.resume(tmp_path, GUIDED[0]).settings.guided == GUIDED[0]
    (dataset_of(tmp_path, 2) / "00000.safetensors").touch()
    assert Iteration.resume(tmp_path, GUIDED[0]).settings.guided == GUIDED[0]
    with pytest.raises(OptionError, match=r"^guided: fixed, round 2 has begun"):
        Iteration.resume(tmp_path, GUIDED[1])
    assert Iteration.resume(tmp_path).settings.guided == GUIDED[0]


def test_going_on_compares_with_what_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Iteration.begin(Path("e"), ExpertSettings(**FEW))
    monkeypatch.setattr(Iteration, "go", lambda *given: True)
    for line in ("--players 3", "atlandice -n 3 --epochs 1 --company heuristic", "--guided POLICY"):
        found = run_cli("expert", *line.split(), "--out", "e", "--resume", "-w", "1")
        assert found.exit_code == 0, found.output
    refused: dict[str, tuple[str, ...]] = {
        "players": ("-n", "2"),
        "game": ("atlantis",),
        "epochs, players, options": ("-n", "3", "-o", "optional_effects=true", "--epochs", "2"),
    }
    for names, words in refused.items():
        found = run_cli("expert", *words, "--out", "e", "--resume", "-w", "1")
        assert found.exit_code == 2 and f"Error: {names}: fixed when it began" in found.output, found.output


def test_the_command_to_go_on_by_playing_has_the_options_of_the_game(tmp_path: Path) -> None:
    options = {"optional_effects": True}
    iteration = Iteration.begin(tmp_path / "e x", ExpertSettings(**{**FEW, "options": options, "rounds": 1}))
    words = shlex.split(_by_playing(iteration))
    assert words[words.index("--option") + 1] == "optional_effects=true"
    assert words[words.index("--start") + 1] == str(policy_of(tmp_path / "e x", 1))


@pytest.mark.parametrize("number", [1, 2])
def test_it_goes_on_from_another_working_directory_and_after_a_move(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, first, second = ExpertSettings(**{**FEW, "guided": "heuristic"}), tmp_path / "a", tmp_path / "b"
    first.mkdir()
    second.mkdir()
    monkeypatch.chdir(first)
    iteration = Iteration.begin(Path("out"), settings)
    for earlier in range(1, number):
        assert iteration._round(earlier, unseen, 1, "cpu")
    iteration._record(number, unseen, 1)
    monkeypatch.chdir(second)
    shutil.move(first / "out", "moved")
    assert Iteration.resume(Path("moved")).go(unseen)
    assert len(json.loads(Path("moved/rounds.json").read_text())) == 2


def unseen(phase: str, done: float, text: str) -> None:
    """Nobody looks."""


def test_the_teacher_of_later_rounds_is_the_search_with_the_policy_before(tmp_path: Path) -> None:
    settings = ExpertSettings(**TINY)
    before = policy_of(tmp_path, 1)
    assert settings.teacher_of(1, tmp_path) == GUMBEL
    assert settings.teacher_of(2, tmp_path) == f"{GUMBEL},guide={before},leaf={before}"
    assert recording_of(settings, GAME, 2, tmp_path).company == ("heuristic", str(before))
    usual = recording_of(ExpertSettings(game="atlandice"), GAME, 1, tmp_path)
    assert usual.company == ("heuristic", "planner", "search:16")


def test_watched_rows_survive_the_file(source: Dataset, tmp_path: Path) -> None:
    whole = load_dataset([source, source], GAME, False)
    once: Demonstrations = load_dataset([source], GAME, False)
    assert np.array_equal(whole.obs, np.concatenate([once.obs] * 2))
    direct = record_shard(LESSON, HEURISTIC, 1)
    part = slice(source.shards[0][2], source.shards[0][2] + len(direct.actions))
    for name in ("obs", "masks", "actions", "returns"):
        assert np.array_equal(getattr(once, name)[part], getattr(direct, name))
