"""TD(lambda) on afterstates: targets, exact continuation, checkpoints from anywhere, and that it learns."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.features import find_features, with_features
from atlantis_agents.networks.policy import AFTERSTATES, WIN_SHARE, NetworkAgent, PolicyAgent, load_policy
from atlantis_agents.networks.tensors import read_tensors, write_tensors
from atlantis_envs.engine.game import make_game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask
from atlantis_training.cli.app import app
from atlantis_training.evaluation.measure import play_games
from atlantis_training.selfplay import td, td_run
from atlantis_training.selfplay.checkpoint import ARRAYS, MANIFEST, CheckpointError, generations
from atlantis_training.selfplay.exploit import measure_response
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import SelfPlaySettings, TDSettings, settings_from
from atlantis_training.selfplay.td import GAIN_SCALE, NONE, Chosen, Replay, TDLearner
from atlantis_training.selfplay.td_run import TDRun
from atlantis_training.selfplay.warm_start import warm_started

SMALL: dict[str, Any] = {
    "num_envs": 32,
    "hidden": (16,),
    "batch_size": 256,
    "replay": 10_000,
    "checkpoint_every": 3,
    "evaluation_games": 6,
}


def small(game: str = "atlandice", **more: Any) -> TDSettings:
    """Return settings of a run of seconds."""
    return TDSettings(game=game, **{**SMALL, "steps": 12_000, **more})


def chosen(values: list[float], explored: list[bool]) -> Chosen:
    """Return choices of one chain each, whose rows are not looked at."""
    count = len(values)
    return Chosen(
        np.zeros(count, np.int64), np.zeros((count, 1), np.uint8), np.array(values, np.float32), np.array(explored)
    )


def lambda_returns(values: list[float], explored: list[bool], outcome: float, lam: float) -> list[float]:
    """Return the targets of a chain by their definition: from each afterstate forward, one term after the other."""
    targets = []
    for start in range(len(values)):
        total, weight = 0.0, 1.0
        for after in range(start + 1, len(values)):
            share = 1.0 if explored[after] else 1 - lam
            total, weight = total + weight * share * values[after], weight * (1 - share)
        targets.append(total + weight * outcome)
    return targets


@pytest.mark.parametrize("lam", [0.0, 0.7, 1.0])
def test_targets_are_lambda_returns(lam: float) -> None:
    generator = np.random.default_rng(3)
    replay = Replay(1000, 1, 4)
    values, explored = generator.random((20, 4)), generator.random((20, 4)) < 0.2
    for row, marks in zip(values, explored, strict=True):
        replay.add(np.arange(4), chosen(row.tolist(), marks.tolist()))
    assert not replay.ready.any()
    replay.finish(np.array([0, 2]), np.array([1.0, 0.25], np.float32), lam)
    for chain, outcome in ((0, 1.0), (2, 0.25)):
        slots = np.arange(20) * 4 + chain
        wanted = lambda_returns(values[:, chain].tolist(), explored[:, chain].tolist(), outcome, lam)
        assert replay.ready[slots].all() and np.allclose(replay.targets[slots], wanted, atol=1e-6)
    assert replay.ready.sum() == 40 and replay.latest.tolist() == [NONE, 77, NONE, 79]


def gains(progress: list[float], values: list[float], explored: list[bool], discounts: tuple[float, float]) -> Any:
    """What is gained after each afterstate of a won game, by its definition; ``progress`` has the end too."""
    discount, lam = discounts
    found, later = list[float](), 0.25  # what a win is worth
    for index in reversed(range(len(values))):
        found.insert(0, discount * (progress[index + 1] - progress[index] + later))
        value = values[index] / GAIN_SCALE
        later = value if explored[index] else (1 - lam) * value + lam * found[0]
    return GAIN_SCALE * np.array(found)


@pytest.mark.parametrize("discounts", [(1.0, 1.0), (0.9, 1.0), (0.9, 0.5)])
def test_a_team_learns_what_is_gained_later(discounts: tuple[float, float]) -> None:
    generator = np.random.default_rng(4)
    progress = np.cumsum(generator.normal(0, 0.01, 31)).tolist()
    values, explored = generator.uniform(-0.2, 0.2, 30).tolist(), (generator.random(30) < 0.1).tolist()
    replay = Replay(100, 1, 1)
    for row in zip(values, explored, progress[:-1], strict=True):
        replay.add(np.arange(1), replace(chosen([row[0]], [row[1]]), progress=np.array([row[2]])))
    replay.finish_gains(np.array([0]), np.float32([[progress[-1], 0.25]]), *discounts)
    assert replay.ready[:30].all() and replay.latest.tolist() == [NONE]
    assert np.allclose(replay.targets[:30], gains(progress, values, explored, discounts), atol=1e-5)


TEAM: dict[str, Any] = {"options": {"level": 1}, "discount": 0.9, "progress_weight": 0.5}


def team(**more: Any) -> TDLearner:
    """A learner of Atlantis Rising at level 1 whose progress counts."""
    kind: dict[str, Any] = {**TEAM, **more}
    return TDLearner(atlantis_envs.game("atlantis_rising", level=1), small("atlantis_rising", **kind))


def totals(progress: list[float], discount: float) -> Any:
    """What actions are compared by, in afterstates of one chain whose last one has no later gain."""
    replay = Replay(100, 1, 1)
    for reached in progress:
        replay.add(np.arange(1), replace(chosen([0.0], [False]), progress=np.array([reached])))
    replay.finish_gains(np.array([0]), np.float32([[progress[-1], 0.0]]), discount, 1.0)
    return replay.targets[: len(progress)] + GAIN_SCALE * np.float32(progress)


def test_to_wait_with_a_gain_costs_something() -> None:
    """The same gain, taken at once, after one other choice and after two: the discount is of every choice between."""
    found = [float(totals(progress, 0.9)[0]) for progress in ([0.1, 0.1, 0.1], [0.0, 0.1, 0.1], [0.0, 0.0, 0.1])]
    assert found == pytest.approx([GAIN_SCALE * 0.1, GAIN_SCALE * 0.09, GAIN_SCALE * 0.081], abs=1e-5)


def test_a_random_choice_cuts_the_chain() -> None:
    """What was before learns from what the best choice was worth, whichever was taken instead."""
    targets = []
    for taken in (0.02, 0.3):
        replay = Replay(100, 1, 1)
        replay.add(np.arange(1), replace(chosen([0.0], [False]), progress=np.array([0.1])))
        best = GAIN_SCALE * np.float32(0.25)  # the progress of the best afterstate and what it expects
        given = replace(chosen([float(best - GAIN_SCALE * taken)], [True]), progress=np.array([taken]))
        replay.add(np.arange(1), given)
        replay.finish_gains(np.array([0]), np.float32([[0.5, 0.0]]), 0.9, 1.0)
        targets.append(float(replay.targets[0]))
    assert targets == pytest.approx([GAIN_SCALE * 0.9 * 0.15] * 2, abs=1e-5)


def test_what_an_action_gains_is_added_to_what_comes_after_it() -> None:
    """Of equal values the action is taken that brings the most progress, and the chain keeps how far that is."""
    learner = team(temperature=1e-6, epsilon=0.0)
    group = learner.groups[0]
    while not learner.measured:
        learner._play(group)
    learner.values = lambda rows: np.full(len(rows), 0.5, np.float32)  # type: ignore[method-assign]
    differ = 0
    for _ in range(200):
        batch = group.batch
        lanes = np.flatnonzero(batch.action_masks.sum(axis=1) > 1)
        after, head = batch.afterstates(lanes), learner.replay.head
        learner._play(group)
        kept = learner.replay.progress[(head + np.arange(len(lanes))) % len(learner.replay.ready)]
        for index in range(len(lanes)):
            own = after.potentials[after.rows == index]
            assert kept[index] == pytest.approx(0.25 * (1 + own.max()), abs=1e-6)
            differ += int(own.max() > own.min())
    assert differ > 100


def test_a_random_choice_hands_on_what_the_best_one_was_worth() -> None:
    """Seen from the afterstate that was chosen: its own progress is counted once."""
    learner = team(epsilon=1.0)
    group = learner.groups[0]
    while not learner.measured:
        learner._play(group)
    for _ in range(50):
        lanes = np.flatnonzero(group.batch.action_masks.sum(axis=1) > 1)
        after, rows, starts = learner._afterstates(group.batch, lanes)
        totals = learner.values(rows) + GAIN_SCALE * 0.25 * (1 + after.potentials)
        found = learner._choose(group, lanes)
        wanted = np.maximum.reduceat(totals, starts) - GAIN_SCALE * found.progress
        assert found.explored.all() and np.allclose(found.values, wanted, atol=1e-4)
        learner._play(group)


def test_a_discount_is_of_progress_and_of_teams() -> None:
    """Elsewhere there is no progress that could be gained."""
    with pytest.raises(OptionError, match=r"^discount: 0.5; allowed: 1, or less with progress_weight above 0$"):
        small("atlantis_rising", discount=0.5)
    learner = TDLearner(atlantis_envs.game("atlandice"), small(discount=0.5, progress_weight=0.5))
    learner.round(0.0)
    assert not learner.gains and not learner.replay.progress.any()


def test_the_learner_and_its_policy_choose_alike(tmp_path: Path) -> None:
    """With a network that has learned something; its values are computed in few bits, which may decide ties."""
    run = TDRun.begin(tmp_path / "run", small("atlantis_rising", steps=24_000, evaluation_games=0, **TEAM))
    outcome, learner = run.go(), run.learner
    assert learner.measured and learner.updates
    learner.settings = replace(learner.settings, temperature=1e-6, epsilon=0.0)
    learner._fast, saved, same, rows = False, load_policy(outcome.policy), 0, 0
    assert saved.potential == GAIN_SCALE / 4
    batch = learner.groups[0].batch
    for _ in range(30):
        lanes = np.flatnonzero(batch.action_masks.sum(axis=1) > 1)
        own = learner._choose(learner.groups[0], lanes).actions
        same += int((ask(saved, batch, lanes, batch.noise(1)[lanes]) == own).sum())
        rows += len(lanes)
        learner._play(learner.groups[0])
    assert same / rows > 0.98


def test_gains_are_not_mistaken_for_chances(tmp_path: Path) -> None:
    """A run begins with a policy of its own kind alone; PPO with none that learned gains."""
    steps: dict[str, Any] = {"steps": 3000, "evaluation_games": 0}
    gains_of = TDRun.begin(tmp_path / "gains", small("atlantis_rising", **steps, **TEAM)).go().policy
    without: dict[str, Any] = {"options": {"level": 1}}
    chances = TDRun.begin(tmp_path / "chances", small("atlantis_rising", **steps, **without)).go().policy
    begun = TDRun.begin(tmp_path / "on", small("atlantis_rising", **steps, **TEAM, start=str(gains_of)))
    assert begun.settings.start and begun.learner.first is not None
    for start, kind, allowed in (
        (gains_of, without, "one that learned win shares$"),
        (chances, TEAM, "one that learned gains, with this progress_weight$"),
        (gains_of, {**TEAM, "progress_weight": 0.25}, "one that learned gains, with this progress_weight$"),
    ):
        with pytest.raises(OptionError, match=f"allowed: a policy of `--learner td`, {allowed}"):
            TDRun.begin(tmp_path / "no", small("atlantis_rising", **steps, **kind, start=str(start)))
    settings = SelfPlaySettings(game="atlantis_rising", learner_seat="all", start=str(gains_of), options={"level": 1})
    with pytest.raises(OptionError, match=r"it learned gains, no odds; allowed: with `--learner td` alone$"):
        warm_started(settings)


def test_a_game_without_a_potential_has_no_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    definition = replace(atlantis_envs.game("atlantis_rising").definition, potential=None)
    monkeypatch.setattr(td_run, "make_game", lambda _: make_game(definition, 4, None, {}))
    with pytest.raises(OptionError, match=r"^progress_weight: 0.5; allowed: 0, the game declares no potential$"):
        TDRun.begin(tmp_path / "run", small("atlantis_rising", progress_weight=0.5))


def test_the_curve_tells_how_far_teams_come(tmp_path: Path) -> None:
    """And how many of the games they win, while they learn; a run that goes on knows it."""
    out = tmp_path / "run"
    run = TDRun.begin(out, small("atlantis_rising", steps=3000, evaluation_games=0, **TEAM))
    run.learner.reached, run.learner.recent = [-0.25, 0.5], [0.0, 1.0, 1.0, 1.0]
    run._add_to_curve({"loss": 0.5})
    assert run.curve[-1]["potential"] == 0.125
    assert run.curve[-1]["share"] == 0.75
    run.save()
    assert TDRun.resume(out).learner.reached == [-0.25, 0.5]


def test_gains_of_an_older_version_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "run"
    TDRun.begin(out, small("atlantis_rising", steps=3000, evaluation_games=0, **TEAM)).go()
    path = generations(out / "checkpoints")[-1] / MANIFEST
    manifest = json.loads(path.read_text("utf-8"))
    for value, message in (
        (["much"], "reached: 'much'; allowed: a finite number"),
        (None, "gains of an older version"),
    ):
        manifest["state"]["reached"] = value
        if value is None:
            del manifest["state"]["reached"]
        path.write_text(json.dumps(manifest), "utf-8")
        with pytest.raises(CheckpointError, match=message):
            TDRun.resume(out)


def test_the_discount_rises_to_one() -> None:
    learner = team()
    found = [learner.discount]
    for progress in (0.0, 0.5, 1.0):
        learner.round(progress)
        found.append(learner.discount)
    assert found == pytest.approx([0.9, 0.9, 0.975, 1.0])
    assert learner.potential == learner.agent().potential == GAIN_SCALE / 4


def test_a_lost_game_counts_by_how_far_the_team_came() -> None:
    """The potential of a lost game is below 0: the sea took the island."""
    settings = small("atlantis_rising", options={"level": 1}, progress_weight=0.5, discount=0.9)
    learner = TDLearner(atlantis_envs.game("atlantis_rising", level=1), settings)
    group, found = learner.groups[0], list[Any]()

    def finish_gains(chains: Any, finals: Any, discount: float, lam: float) -> None:
        assert (discount, lam) == (0.9, 0.7) and len(chains) == len(finals)
        found.extend(finals.tolist())

    learner.replay.finish_gains = finish_gains  # type: ignore[method-assign]
    while len(found) < 20:
        learner._play(group)
    reached = [progress for progress, _ in found]
    assert 0 < min(reached) < max(reached) < 0.5
    assert {won for _, won in found} == {0.0}  # random teams win nothing
    assert len(learner.reached) == len(found) and -1 < min(learner.reached) < max(learner.reached) < 0
    known = learner.replay.progress[: learner.replay.head]
    assert 0 < known.min() < known.max() < 0.5 and len(set(known.tolist())) > 10  # of every choice


def test_a_policy_of_win_shares_samples_about_as_td_plays(tmp_path: Path) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    weights = np.ones((1, game.observation_size), np.float32)
    policies = [
        NetworkAgent(game, [(weights, np.zeros(1, np.float32))], False, inputs=AFTERSTATES, value=value)
        for value in ("", WIN_SHARE)
    ]
    logits, masks = np.log(np.float32([[1, 2, 1]])), np.ones((4000, 3), np.int8)
    words = np.random.default_rng(1).integers(0, 2**64, 4000, np.uint64, endpoint=False)
    shares = [(agent._chosen(logits.repeat(4000, 0), masks, words) == 1).mean() for agent in policies]
    assert abs(shares[0] - 0.5) < 0.03 and shares[1] > 0.99
    assert (policies[0].policy_layers[-1][0] == 1).all()
    assert (policies[1].policy_layers[-1][0] == 20).all()  # as a run of PPO begins with it


def test_a_chain_ends_where_it_was_overwritten() -> None:
    replay = Replay(8, 1, 2)
    for number in range(6):
        replay.add(np.arange(2), chosen([0.1 * number] * 2, [False] * 2))
    replay.finish(np.array([0]), np.array([1.0], np.float32), 0.5)
    assert sorted(np.flatnonzero(replay.ready)) == [0, 2, 4, 6]  # the four that are left of chain 0


def test_a_run_that_was_stopped_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    TDRun.begin(whole, small(features=True)).go()
    run = TDRun.begin(parts, small(features=True))
    rounds: list[int] = []

    def stop(report: Any) -> None:
        rounds.append(report.steps)
        run._stop = len(rounds) == 4

    assert run.go(stop).interrupted
    assert not TDRun.resume(parts).go().interrupted
    for name in ("policy/weights.safetensors",):
        assert (whole / name).read_bytes() == (parts / name).read_bytes()
    newest = [generations(out / "checkpoints")[-1] / ARRAYS for out in (whole, parts)]
    assert newest[0].read_bytes() == newest[1].read_bytes()


def test_several_numbers_of_players_are_learned_by_one_network(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    settings = small(player_counts=(2, 0, 4), evaluation_games=0)
    TDRun.begin(whole, settings).go()
    run = TDRun.begin(parts, settings)
    groups = run.learner.groups
    assert [(group.game.players, len(group.batch)) for group in groups] == [(2, 10), (3, 10), (4, 10)]
    chains = np.concatenate([
        group.of(np.arange(10)[:, None], np.arange(group.chains)[None, :]).ravel() for group in groups
    ])  # fmt: skip
    assert np.array_equal(chains, np.arange(90))  # every seat of every game has one of its own

    def stop(_: Any) -> None:
        run._stop = True

    run.go(stop)
    TDRun.resume(parts).go()
    assert (whole / "policy/weights.safetensors").read_bytes() == (parts / "policy/weights.safetensors").read_bytes()


@pytest.mark.parametrize("name", ["atlantis", "atlantis_rising"])
def test_every_game_can_be_learned(name: str, tmp_path: Path) -> None:
    """A team learns one value for all of its seats."""
    more: dict[str, Any] = {"progress_weight": 0.5, "options": {"level": 1}} if name == "atlantis_rising" else {}
    run = TDRun.begin(tmp_path / "run", small(name, steps=6000, **more))
    assert run.learner.team == (name == "atlantis_rising")
    outcome = run.go()
    agent = load_policy(outcome.policy)
    assert agent.sees_positions and outcome.steps >= 6000
    if run.learner.team:
        assert (run.learner.replay.latest < run.learner.replay.head).all()
        assert len(run.learner.replay.latest) == 32


def test_it_learns_from_the_rules_alone(tmp_path: Path) -> None:
    settings = small(num_envs=128, hidden=(64,), steps=250_000, replay=100_000, evaluation_games=0)
    outcome = TDRun.begin(tmp_path / "run", settings).go()
    game = atlantis_envs.game("atlandice")
    agents = [load_policy(outcome.policy), make_agent("random", game), make_agent("random", game)]
    assert play_games(game, agents, 300, 5).win_shares[:, 0].mean() > 0.45  # an equal player: 0.333


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has learned a little."""
    out = tmp_path_factory.mktemp("td") / "run"
    TDRun.begin(out, small(evaluation_games=0)).go()
    return out


def damage(out: Path, name: str, value: Any) -> None:
    """Change an array or a value of the newest checkpoint, whose checksum then fits again."""
    path = generations(out / "checkpoints")[-1]
    manifest = json.loads((path / MANIFEST).read_text("utf-8"))
    if "." in name:
        arrays = dict(read_tensors(path / ARRAYS, manifest["sha256"]))
        arrays[name] = np.full_like(arrays[name], value)
        manifest["sha256"] = write_tensors(path / ARRAYS, arrays)
    else:
        manifest["state"][name] = value
    (path / MANIFEST).write_text(json.dumps(manifest), "utf-8")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("replay.previous", 10**5),  # a chain that comes back to itself would be followed for ever
        ("replay.previous", -2),
        ("replay.latest", 10**6),
        ("replay.targets", np.nan),
        ("replay.values", 2.0),
        ("network.head.bias", np.inf),
        ("optimizer.0.exp_avg_sq", np.nan),
        ("games.0.games", -1),
        ("head", -1),
        ("head", 10**17),
        ("owed", -1),
        ("owed", "1"),
        ("generator", ["x", "0", "0", "0"]),
        ("generator", ["1"]),
        ("generator", ["1", "2", "3", str(10**40)]),
        ("recent", 7),
        ("extra", []),
        ("counters", {"num_timesteps": 1}),
    ],
)
def test_a_damaged_checkpoint_is_refused(name: str, value: Any, ended: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    shutil.copytree(ended, out)
    damage(out, name, value)
    with pytest.raises((CheckpointError, OptionError)) as error:
        TDRun.resume(out, steps=10**6)
    assert "\n" not in str(error.value)


def test_settings_belong_to_their_learner() -> None:
    assert isinstance(settings_from({"learner": "td", "td_lambda": 0.5}), TDSettings)
    for values, text in (
        ({"learner": "td", "num_steps": 5}, "unknown 'num_steps'; allowed with td"),
        ({"td_lambda": 0.5}, "unknown 'td_lambda'; allowed with ppo"),
        ({"learner": "sarsa"}, "allowed: 'ppo', 'td'"),
        ({"learner": "td", "td_lambda": 2}, "td_lambda: 2"),
    ):
        with pytest.raises(OptionError, match=text):
            settings_from(values)


def test_replay_must_fit_into_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="replay: 10000000; allowed: at most"):
        TDRun.begin(tmp_path / "run", small(replay=10_000_000))
    assert not (tmp_path / "run").exists()


def invoke(*arguments: str) -> Any:
    """Return what a command line came to."""
    return CliRunner().invoke(app, list(arguments), prog_name="atlantis", terminal_width=200)


def test_the_command_trains_and_goes_on(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items() if name != "hidden"]
    first = invoke("train", "atlandice", "--learner=td", f"--out={out}", "--hidden=16", "--steps=9000", *flags)
    assert first.exit_code == 0 and "atlantis evaluate atlandice" in first.stdout
    rows = json.loads((tmp_path / "run" / "curve.json").read_text("utf-8"))
    assert rows and {"steps", "seconds", "cpu_seconds", "share"} <= set(rows[-1])
    again = invoke("train", f"--out={out}", "--resume", "--steps=12000")
    assert again.exit_code == 0 and "12," in again.stdout
    refused = invoke("train", f"--out={out}", "--resume", "--td-lambda=0.1")
    assert refused.exit_code != 0 and "td_lambda: fixed when the run began" in refused.output + str(refused.exception)


# --------------------------------------------------------------------------------------------------------- exploitation


def test_a_best_response_is_learned_and_measured(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    flags = ["--minutes=0.05", "--games=40", "--players=2"]
    found = invoke("exploit", "atlandice", "random", f"--out={out}", *flags)
    assert found.exit_code == 0 and "a best response to random" in found.stdout
    document = json.loads((tmp_path / "run" / "exploit.json").read_text("utf-8"))
    assert len(document["seats"]) == 2 and document["overall"]["games"] == 80
    mean = np.mean([seat["value"] for seat in document["seats"]])
    assert document["overall"]["value"] == pytest.approx(mean) and document["agents"][1]["agent"] == "random"
    longer = f"--minutes={document['minutes'] + 0.15}"  # a round that was begun before the end may have taken longer
    again = invoke("exploit", "atlandice", "random", f"--out={out}", "--resume", longer, *flags[1:])
    assert again.exit_code == 0
    page = (tmp_path / "run" / "exploit.json").read_text("utf-8")
    assert json.loads(page)["steps"] > document["steps"]
    for agent, more, name in (
        ("heuristic", [], "against"),
        ("random", ["--players=3"], "players"),
        ("random", ["--no-features"], "features"),
        ("random", ["--start=critic"], "start"),
    ):
        other = invoke("exploit", "atlandice", agent, f"--out={out}", "--resume", "--games=4", *more)
        assert other.exit_code == 2 and name in other.output and "fixed when the run began" in other.output
    assert (tmp_path / "run" / "exploit.json").read_text("utf-8") == page


def test_a_run_against_nobody_is_no_best_response(ended: Path) -> None:
    steps = TDRun.resume(ended).learner.steps
    found = invoke("exploit", "atlandice", "heuristic", f"--out={ended}", "--resume", "--minutes=5")
    assert found.exit_code == 2 and "fixed when the run began" in found.output
    assert TDRun.resume(ended).learner.steps == steps


def test_half_a_measurement_of_what_it_began_with_is_left_out(ended: Path, tmp_path: Path) -> None:
    run = TDRun.begin(tmp_path / "run", small(start=str(ended), against="random", evaluation_games=0, players=3))
    run.go()
    finished = 0

    def progress(count: int) -> None:
        nonlocal finished
        finished += count
        if finished > 3 * 40 + 3:
            raise KeyboardInterrupt

    found = measure_response(run, 40, 0, 1, progress)
    assert found.interrupted and found.begun is None and found.games == 40
    whole = measure_response(run, 40)
    assert not whole.interrupted and whole.begun is not None and whole.found == found.found


def test_a_best_response_is_compared_with_the_policy_that_it_began_with(tmp_path: Path) -> None:
    """What it began with is a response too: the better of both bounds how exploitable the agent is."""
    flags = ["--minutes=0.05", "--games=40", "--players=2", "--start=critic", "--replay-passes=5"]
    found = invoke("exploit", "atlandice", "random", f"--out={tmp_path / 'run'}", *flags)
    assert found.exit_code == 0 and "the policy it began with, over all seats" in found.stdout
    document = json.loads((tmp_path / "run" / "exploit.json").read_text("utf-8"))
    assert document["begun"]["games"] == 80 and document["begun"]["value"] > 0.95
    settings = TDRun.resume(tmp_path / "run").settings
    assert (settings.learning_rate, settings.learning_rate_end, settings.temperature) == (5e-5, 1e-5, 0.003)
    assert (settings.replay_passes, settings.evaluation_games) == (5.0, 0)


def test_nobody_is_exploited_in_a_team(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    found = invoke("exploit", "atlantis_rising", "heuristic", f"--out={out}")
    assert found.exit_code != 0 and "all seats win together" in found.output + str(found.exception)
    assert not (tmp_path / "run").exists()


def test_a_learner_alone_among_others_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    """It sits in every seat in turn, and the others are not learned from."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    TDRun.begin(whole, small(against="heuristic", players=2)).go()
    run = TDRun.begin(parts, small(against="heuristic", players=2))
    assert len(run.learner.replay.latest) == 32

    def stop(_: Any) -> None:
        run._stop = True

    run.go(stop)
    TDRun.resume(parts).go()
    assert (whole / "policy/weights.safetensors").read_bytes() == (parts / "policy/weights.safetensors").read_bytes()


def test_the_agent_to_beat_is_not_asked_before_the_inputs_are_normalised(tmp_path: Path) -> None:
    """It may think for milliseconds, and 20,000 random choices against it would take minutes of the time."""
    learner = TDRun.begin(tmp_path / "run", small(against="heuristic", players=2)).learner
    learner.play_ply()
    assert learner.measured and learner.steps == 32
    assert not learner.replay.explored[:32].all()


def test_a_round_with_a_limit_of_time_ends_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is saved, where rounds are long: an interruption loses no more than that."""
    monkeypatch.setattr(td, "ROUND_SECONDS", 1e-9)
    monkeypatch.setattr(td_run, "MOST_UNSAVED", 0.0)
    run = TDRun.begin(tmp_path / "run", small(against="random", players=2, seconds=1000.0, evaluation_games=0))
    run._round()
    assert run.learner.steps == 32  # one choice in each game
    assert [row["steps"] for row in run.curve] == [32]
    assert TDRun.resume(tmp_path / "run").learner.steps == 32
    monkeypatch.setattr(td_run, "MOST_UNSAVED", 600.0)
    run._round()
    assert len(run.curve) == 1 and run.learner.steps == 64


def test_a_run_may_begin_with_what_another_learned(ended: Path, tmp_path: Path) -> None:
    first = TDRun.begin(tmp_path / "run", small(start=str(ended), hidden=TDSettings.hidden, against="random"))
    assert first.settings.hidden == (16,)  # that of the policy
    while not first.learner.measured:
        first.learner.play_ply()
    rows = first.learner.replay.rows[:50]
    wanted = load_policy(ended / "policy").logits(rows[:, : first.game.observation_size])[:, 0]
    found = first.learner.values(rows)
    assert np.allclose(found, 1 / (1 + np.exp(-wanted)), atol=0.02)  # multiplied in bfloat16
    for message, more in (
        (r"start: .*; allowed: a policy that `--learner td` made", {"start": "network@1"}),
        (r"hidden: \[8\]; allowed: \[16\], that of start", {"hidden": (8,)}),
        (r"features: True; allowed: False, start has none", {"features": True}),
        (r"progress_weight: 0.5; allowed: 0 where seats compete", {"progress_weight": 0.5}),
    ):
        with pytest.raises(OptionError, match=message):
            TDRun.begin(tmp_path / "other", small(**{"start": str(ended), **more}))
        assert not (tmp_path / "other").exists()


def test_a_run_may_see_more_than_the_policy_it_begins_with(tmp_path: Path) -> None:
    """Until it has learned more, the values are those of the policy."""
    first = tmp_path / "first"
    TDRun.begin(first, small(features=True, features_edition=1, evaluation_games=0)).go()
    run = TDRun.begin(tmp_path / "run", small(start=str(first), features_edition=2, evaluation_games=0))
    assert run.settings.features and run.settings.features_edition == 2
    while not run.learner.measured:
        run.learner.play_ply()
    seen, old = run.learner.replay.rows[:50], find_features("atlandice", 1)
    narrow = seen[:, : run.game.observation_size + old.layout.size]
    assert np.array_equal(narrow, with_features(run.game, seen[:, : run.game.observation_size], 1))
    wanted = load_policy(first / "policy").logits(seen[:, : run.game.observation_size])[:, 0]
    assert np.allclose(run.learner.values(seen), 1 / (1 + np.exp(-wanted)), atol=0.02)
    run.go()
    assert PolicyAgent(run.game, run.out / "policy").features is find_features("atlandice", 2)
    assert TDRun.begin(tmp_path / "same", small(start=str(first), evaluation_games=0)).settings.features_edition == 1
    with pytest.raises(OptionError, match="features_edition: 1; allowed: 2, that of start, or 0"):
        TDRun.begin(tmp_path / "back", small(start=str(run.out), features_edition=1))
    with pytest.raises(OptionError, match="features_edition: 3; allowed: 1, that of start, 2, which shows more, or 0"):
        TDRun.begin(tmp_path / "on", small(start=str(first), features_edition=3))


def test_a_run_goes_on_without_what_it_began_with(ended: Path, tmp_path: Path) -> None:
    first = tmp_path / "first"
    shutil.copytree(ended, first)
    TDRun.begin(tmp_path / "run", small(start=str(first), evaluation_games=0)).go()
    shutil.rmtree(first)
    run = TDRun.resume(tmp_path / "run", hidden=[16], start=str(first), steps=16_000)
    assert run.go().interrupted is False and run.learner.steps >= 16_000


def test_another_learner_cannot_go_on_with_a_run(ended: Path, tmp_path: Path) -> None:
    for flags in ("--learner ppo", "--learner ppo --imitate 0"):
        found = invoke("train", "--out", str(ended), "--resume", *flags.split())
        assert found.exit_code == 2 and "learner: 'ppo'; allowed here: 'td'" in found.output, found.output
    out = tmp_path / "ppo"
    settings = {"num_envs": 4, "num_steps": 8, "batch_size": 16, "hidden": (8,), "imitate": 1, "steps": 32}
    Run.begin(out, SelfPlaySettings(game="atlandice", players=2, **settings)).go()
    found = invoke("train", "--out", str(out), "--resume", "--learner", "td", "--td-lambda", "0.5")
    assert found.exit_code == 2 and "learner: 'td'; allowed here: 'ppo'" in found.output, found.output
    found = invoke("exploit", "atlandice", "heuristic", f"--out={out}", "--resume", "--minutes=0.05")
    assert found.exit_code == 2 and "its learner is 'ppo'; allowed: 'td'" in found.output, found.output
