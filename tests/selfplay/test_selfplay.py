"""Self-play: opponents, settings, the learner, and whole small runs."""

from __future__ import annotations

import json
import shutil
import signal
import tomllib
from dataclasses import fields

import numpy as np
import pytest
from helpers.outsiders import Shifted, learner_actions
from helpers.toy_game import toy_game

import atlantis_envs
from atlantis_agents.networks.policy import PolicyAgent, save_policy
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import GAMES
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.opponents import LEARNER, FixedSeating
from atlantis_training.selfplay.pool import SNAPSHOT, Pool

pytest.importorskip("sb3_contrib")
from atlantis_training.cli.flags import given_settings
from atlantis_training.selfplay.learner import SelfPlayVecEnv
from atlantis_training.selfplay.network import policy_layers
from atlantis_training.selfplay.run import DivergedError, Run
from atlantis_training.selfplay.settings import SelfPlaySettings, read_toml, settings_from, to_toml

TINY = {
    "num_envs": 8,
    "num_steps": 16,
    "batch_size": 64,
    "num_epochs": 1,
    "hidden": (16,),
    "snapshot_every": 2,
    "imitate": 0,
    "share_random": 0.1,
    "share_snapshots": 0.5,
}


# ------------------------------------------------------------------------------------------------------------ pool


def a_pool(**more):
    game = atlantis_envs.game("atlandice", players=3)
    return game, Pool(game, {"random": 1.0, "heuristic": 1.0, SNAPSHOT: 1.0}, **more)


def test_odds_follow_what_a_game_teaches():
    _, pool = a_pool()
    random, heuristic = pool.entries.values()
    random.share, heuristic.share = 0.99, 0.4
    numbers, odds = pool.odds()
    assert numbers.tolist() == [0, 1] and odds.sum() == pytest.approx(1) and odds[1] > 0.9
    pool.priority = "hard"
    random.share, heuristic.share = 0.5, 0.01
    assert pool.odds()[1][1] > pool.odds()[1][0] > 0


def test_draws_follow_the_odds_and_depend_on_the_game_alone():
    game, pool = a_pool(mixed=True)
    tables = SeatBatch(game, 3000, "rotate", pool)
    tables.reset(1)
    seated = tables.sitting[tables.sitting != LEARNER]
    assert np.abs(np.bincount(seated, minlength=2) / len(seated) - pool.odds()[1]).max() < 0.05
    assert (tables.sitting == LEARNER).sum(axis=1).tolist() == [1] * 3000
    few = SeatBatch(game, 10, "rotate", a_pool(mixed=True)[1])
    few.reset(1)
    assert np.array_equal(few.sitting, tables.sitting[:10])
    pool.mixed = False
    tables.reset(2)
    for row in tables.sitting:
        assert len(set(row.tolist()) - {LEARNER}) == 1


def test_share_against_an_opponent_is_remembered():
    _, pool = a_pool()
    sitting = np.array([[LEARNER, 0, 1]], np.int32)
    for _ in range(2000):
        pool.record(sitting, np.array([0], np.int8), np.array([[0.1, -0.6, 0.5]], np.float32))
    assert pool.entries[0].share > 0.99 and pool.entries[1].share < 0.01 and pool.entries[0].games == 2000


def test_the_most_beaten_snapshot_retires_and_leaves_when_nobody_plays_it():
    _, pool = a_pool(max_snapshots=2)
    nobody = np.full((1, 3), LEARNER, np.int32)
    for number in range(2):
        pool.add_snapshot(f"s{number}", Shifted(), nobody)
    pool.entries[2].share, pool.entries[3].share = 0.4, 0.9
    pool.add_snapshot("s2", Shifted(), np.array([[LEARNER, 3, 3]], np.int32))
    assert not pool.entries[3].active and 3 not in pool.odds()[0] and 3 in pool.opponents()
    pool.add_snapshot("s3", Shifted(), nobody)
    assert 3 not in pool.entries and len(pool.odds()[0]) == 4


def test_a_game_without_heuristic_is_played_against_random():
    game = toy_game()
    pool = Pool(game, {"heuristic": 1.0})
    assert [entry.name for entry in pool.entries.values()] == ["random"] and pool.odds()[1].tolist() == [1.0]
    table = SeatBatch(game, 2, "rotate", pool)
    assert [type(agent).__name__ for agent in table.compiled] == ["RandomAgent"]


# -------------------------------------------------------------------------------------------------------- settings


def test_settings_survive_toml_and_explain_themselves(tmp_path):
    settings = settings_from(
        {**TINY, "options": {"neutral_ranked": [2], "needles": {"market": 2}}, "policies": ["a b"], "share_policies": 1}
    )
    path = tmp_path / "s.toml"
    path.write_text(to_toml(settings))
    assert settings_from(read_toml(path)) == settings
    assert all(item.metadata["about"] for item in fields(SelfPlaySettings))
    assert tomllib.loads(to_toml(SelfPlaySettings()))["hidden"] == [256, 128]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"stepz": 1}, "unknown 'stepz'"),
        ({"steps": -1}, "steps: -1; allowed: 0"),
        ({"steps": 1.5}, "steps: 1.5; allowed: int"),
        ({"steps": True}, "steps: True; allowed: int"),
        ({"learning_rate": "x"}, "learning_rate"),
        ({"learning_rate": float("nan")}, "learning_rate: nan"),
        ({"learning_rate": 1e30}, "learning_rate: 1e+30; allowed: 0..1".replace("+", r"\+")),
        ({"imitate_rate": 2}, "imitate_rate: 2.0; allowed: 0..1"),
        ({"margin": 1e300}, "margin: .*; allowed: 0..1000000"),
        ({"share_random": 1e300}, "share_random: .*; allowed: 0..1000000"),
        ({"hidden": [0]}, "hidden"),
        ({"hidden": ["a"]}, "hidden"),
        ({"seconds": float("inf")}, "seconds: inf; allowed: 0 or more"),
        ({"options": {"a": None}}, "options: {'a': None}; allowed: a table"),
        ({"data": [1]}, "data: "),
        ({"priority": "best"}, "priority: 'best'; allowed: 'even', 'hard'"),
        ({"policies": ["x"]}, "policies and share_policies"),
        ([], "settings: "),
    ],
)
def test_bad_settings_are_refused_by_name(values, message):
    with pytest.raises(OptionError, match=message.replace("(", r"\(")):
        settings_from(values)


def test_a_flag_of_thousands_of_digits_is_refused_in_one_line():
    with pytest.raises(OptionError, match=r"^hidden: '1+\.\.\.; allowed: whole numbers") as caught:
        given_settings({"hidden": "1" * 5000}, SelfPlaySettings)
    assert len(str(caught.value)) < 200
    assert given_settings({"hidden": "16,8"}, SelfPlaySettings) == {"hidden": (16, 8)}


def test_unreadable_toml_is_refused_in_one_line(tmp_path):
    path = tmp_path / "s.toml"
    for raw in (b"a = ", b"\xff", b"a = [" * 5000):
        path.write_bytes(raw)
        with pytest.raises(OptionError, match=r"^settings: ") as caught:
            read_toml(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(OptionError, match="cannot be read"):
        read_toml(tmp_path / "none.toml")


# ------------------------------------------------------------------------------------------------------ rewards


def rewards_of_games(**settings):
    """Per finished game: sum of rewards, result, final lead, lead at the first decision."""
    game = atlantis_envs.game("atlandice", players=3)
    chosen = SelfPlaySettings(num_envs=6, **settings)
    environment = SelfPlayVecEnv(game, chosen, FixedSeating(game, "random"))
    environment.reset()
    first = environment.core.batch.potentials(environment.core.seats).copy()
    total, rows = np.zeros(6), []
    for _ in range(150):
        environment.step_async(learner_actions(environment.core))
        _, rewards, over, _ = environment.step_wait()
        total += rewards
        played = environment.played
        for lane in np.flatnonzero(over):
            scores = played.final_scores[lane].tolist()
            own = scores.pop(played.final_seats[lane])
            rows.append(
                (
                    total[lane],
                    float(played.final_returns[lane, played.final_seats[lane]]),
                    own - max(scores),
                    first[lane],
                )
            )
            total[lane], first[lane] = 0.0, environment.core.batch.potentials(environment.core.seats)[lane]
    assert len(rows) > 5
    return rows


def test_rewards_are_results_only_unless_asked_for():
    assert all(total == pytest.approx(result) for total, result, _, _ in rewards_of_games())


def test_shaping_adds_the_same_to_every_way_of_playing():
    for total, result, _, first in rewards_of_games(shaping=0.25):
        assert total == pytest.approx(result - 0.25 * first, abs=1e-4)


def test_margin_counts_the_final_lead():
    for total, result, lead, _ in rewards_of_games(margin=0.1):
        assert total == pytest.approx(result + 0.1 * lead, abs=1e-5)


# ------------------------------------------------------------------------------------------------------------- runs


def test_a_run_imitates_plays_snapshots_and_reports(tmp_path):
    reports = []
    settings = settings_from({**TINY, "steps": 1024, "imitate": 50_000, "checkpoint_every": 2, "max_snapshots": 2})
    run = Run.begin(tmp_path / "run", settings)
    outcome = run.go(reports.append)
    assert reports[0].imitating and not reports[-1].imitating and reports[-1].steps == outcome.steps == 1024
    assert [report.done for report in reports][-1] == 1.0 and 0 < outcome.environment < 1
    kinds = [entry.kind for entry in run.pool.entries.values() if entry.active]
    assert kinds.count(SNAPSHOT) == 2 and any((tmp_path / "run" / "tensorboard").iterdir())
    assert json.loads((tmp_path / "run" / "curve.json").read_text())[-1]["steps"] == 1024
    agent = make_agent(PolicyAgent(run.game, outcome.policy), run.game)
    batch = run.game.batch(16)
    assert (batch.action_masks[np.arange(16), agent.act(batch.observations, batch.action_masks)] == 1).all()
    with pytest.raises(OptionError, match="holds a run"):
        Run.begin(tmp_path / "run", settings)


def test_imitation_comes_to_agree_with_the_heuristic(tmp_path):
    settings = settings_from({**TINY, "hidden": (64,), "steps": 1, "imitate": 400_000})
    reports = []
    run = Run.begin(tmp_path / "run", settings)
    while run.learner.phase != "play":
        reports.append(run._round())
    assert reports[-1].figures["agreement"] > max(0.5, reports[0].figures["agreement"])


def test_warm_up_leaves_the_imitated_policy_alone(tmp_path):
    run = Run.begin(tmp_path / "run", settings_from({**TINY, "imitate": 1, "warmup": 1, "steps": 10_000}))
    run._round()
    before = [layer.copy() for pair in policy_layers(run.learner.model) for layer in pair]
    run._round()
    after = [layer for pair in policy_layers(run.learner.model) for layer in pair]
    assert all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))
    run._round()
    moved = [layer for pair in policy_layers(run.learner.model) for layer in pair]
    assert not all(np.array_equal(old, new) for old, new in zip(before, moved, strict=True))


def test_another_game_trains_without_a_word_about_it(tmp_path):
    names = [name for name in GAMES if name != "atlandice"]
    if not names:
        pytest.skip("one game only")
    run = Run.begin(tmp_path / "run", settings_from({**TINY, "game": names[0], "steps": 256, "share_random": 1.0}))
    assert run.go().steps >= 256


def test_an_advised_policy_may_follow_the_heuristic(tmp_path):
    game = atlantis_envs.game("atlandice", players=3)
    actions = game.num_actions
    weights = np.concatenate([np.zeros((actions, game.observation_size)), np.eye(actions)], axis=1).astype(np.float32)
    path = save_policy(tmp_path / "p", game, [(weights, np.zeros(actions, np.float32))], advice="heuristic")
    batch = game.batch(64, seed=3)
    seen = batch.observations, batch.action_masks, batch.noise(1)
    agent = PolicyAgent(game, path)
    assert np.array_equal(agent.act(*seen), make_agent("heuristic", game).act(*seen))
    assert agent.act(*seen[:2]).shape == (64,)
    with pytest.raises(OptionError, match="layers: shapes"):
        save_policy(tmp_path / "q", game, [(weights, np.zeros(actions, np.float32))])
    manifest = path / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"advice": ""}))
    with pytest.raises(OptionError, match=r"0\.weight is float32"):
        PolicyAgent(game, path)


def test_going_on_needs_the_settings_it_began_with(tmp_path):
    settings = settings_from({**TINY, "steps": 128, "options": {"chain_cap": 3}})
    Run.begin(tmp_path / "run", settings).go()
    same = Run.resume(tmp_path / "run", steps=256, seed=0, hidden=[16], options={"chain_cap": 3})
    assert same.settings.steps == 256 and not same.finished
    for change in ({"seed": 2}, {"hidden": [8]}, {"options": {"chain_cap": 4}}, {"data": {"needles": {"market": 3}}}):
        with pytest.raises(OptionError, match=f"^{next(iter(change))}: fixed when the run began; allowed: steps"):
            Run.resume(tmp_path / "run", **change)


def test_options_and_data_of_a_run_are_those_of_its_game(tmp_path):
    tables = {"needles": {"market": 3}}
    values = {**TINY, "steps": 128, "options": {"needles": {"market": 2}, "chain_cap": 3}, "data": tables}
    run = Run.begin(tmp_path / "run", settings_from(values))
    assert run.game == atlantis_envs.game("atlandice", data=tables, chain_cap=3, needles={"market": 2})
    assert settings_from(read_toml(tmp_path / "run" / "settings.toml")) == run.settings
    assert Run.resume(tmp_path / "run").game == run.game
    for options in ({"players": 3}, {"data": {}}, {"name": "atlantis"}):
        with pytest.raises(OptionError, match=f"options: {next(iter(options))}; allowed"):
            Run.begin(tmp_path / "other", settings_from({**TINY, "options": options}))


def test_a_teacher_that_the_game_lacks_is_refused_before_anything_is_written(tmp_path):
    for how in ({"imitate": 1000}, {"advice": True}):
        with pytest.raises(OptionError, match=r"^game: 'atlantis' has no planner"):
            Run.begin(tmp_path / "run", settings_from({**TINY, "game": "atlantis", "teacher": "planner", **how}))
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("value", "imitate"), [(np.nan, 0), (1e38, 0), (np.nan, 1000), (1e38, 1000)])
def test_divergence_is_one_line_and_leaves_the_last_checkpoint(tmp_path, value, imitate):
    run = Run.begin(tmp_path / "run", settings_from({**TINY, "steps": 1024, "imitate": imitate, "warmup": 0}))
    for parameter in run.learner.model.policy.parameters():
        parameter.data.fill_(value)
    rate = "imitate_rate" if imitate else "learning_rate"
    told = rf"^training diverged at \d+ steps: .*; the last checkpoint is sound; allowed: a smaller {rate}$"
    with pytest.raises(DivergedError, match=told):
        run.go()
    assert Run.resume(tmp_path / "run").go().steps == 1024


def test_ctrl_c_keeps_the_run(tmp_path):
    def stop(report):
        raise KeyboardInterrupt

    run = Run.begin(tmp_path / "run", settings_from({**TINY, "steps": 1024, "checkpoint_every": 5}))
    outcome = run.go(stop)
    assert outcome.interrupted and outcome.steps == 128
    resumed = Run.resume(tmp_path / "run")
    assert resumed.learner.steps == 128 and policy_is_that_of(resumed)


def policy_is_that_of(run):
    """Whether the exported policy is the one of the run."""
    layers = PolicyAgent(run.game, run.out / "policy").layers
    return all(np.array_equal(one, other) for pairs in zip(layers, policy_layers(run.learner.model), strict=True)
               for one, other in zip(*pairs, strict=True))  # fmt: skip


def interrupted_in_round(run, number, times):
    """Go, with Ctrl-C so many times in the middle of a round."""
    play = run.learner.play_round

    def play_round():
        figures = play()
        for _ in range(times if run.learner.rounds == number else 0):
            signal.raise_signal(signal.SIGINT)
        return figures

    run.learner.play_round = play_round
    return run.go()


@pytest.mark.parametrize(("times", "steps"), [(1, 3 * 128), (2, 2 * 128)])
def test_ctrl_c_waits_for_the_round_and_a_second_one_does_not(tmp_path, capsys, times, steps):
    settings = settings_from({**TINY, "steps": 1024, "checkpoint_every": 2})
    Run.begin(tmp_path / "whole", settings).go()
    run = Run.begin(tmp_path / "run", settings)
    outcome = interrupted_in_round(run, 3, times)
    assert outcome.interrupted and outcome.steps == steps
    assert capsys.readouterr().err.startswith("Interrupted: finishing the round in hand")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    resumed = Run.resume(tmp_path / "run")
    assert resumed.learner.steps == steps and policy_is_that_of(resumed)
    if times > 1:
        with pytest.raises(OptionError, match="in the middle of a round; allowed: resuming it anew"):
            run.go()
    resumed.go()
    weights = "policy/weights.safetensors"
    assert (tmp_path / "run" / weights).read_bytes() == (tmp_path / "whole" / weights).read_bytes()


@pytest.mark.parametrize("limit", ["steps", "seconds"])
def test_a_run_with_nothing_left_to_do_is_left_alone(tmp_path, limit):
    out = tmp_path / "run"
    values = {"steps": 128} if limit == "steps" else {"steps": 10**9, "seconds": 0.2}
    first = Run.begin(out, settings_from({**TINY, **values})).go()
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    outcome = Run.resume(out).go()
    told = {"steps": "--steps 128 are done; give more with --steps", "seconds": "--seconds 0.2 is used up; give more"}
    assert outcome.nothing_left.startswith(f"nothing left to do: {told[limit]}")
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before
    shutil.rmtree(out / "policy")  # as after a kill between checkpoint and policy
    assert Run.resume(out).go().policy.is_dir()
    more = {"steps": 256} if limit == "steps" else {"seconds": first.seconds + 0.2}  # a busy machine was late already
    assert not Run.resume(out, **more).go().nothing_left


def test_win_share_in_the_log_is_the_one_of_the_games():
    game = atlantis_envs.game("atlandice", players=3)
    environment = SelfPlayVecEnv(game, SelfPlaySettings(num_envs=8), FixedSeating(game, "random"))
    environment.reset()
    shares = []
    for _ in range(120):
        environment.step_async(learner_actions(environment.core))
        shares += [info["win_share"] for info in environment.step_wait()[3] if info]
    assert environment.recent_win_share(10_000) == pytest.approx(np.mean(shares)) and environment.won.tolist() == shares
    assert environment.seconds > 0
