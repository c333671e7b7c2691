"""One policy that learns to play all seats of a cooperative game."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from helpers.slow_seats import SlowSeatBatch
from helpers.support import noise_actions, scaled

import atlantis_envs
from atlantis_agents.networks.policy import PolicyAgent
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.opponents import LEARNER, FixedSeating
from atlantis_envs.seats.positions import determinize
from atlantis_training.evaluation.measure import play_games
from atlantis_training.selfplay.pool import SNAPSHOT

pytest.importorskip("sb3_contrib")
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
from atlantis_training.selfplay import network
from atlantis_training.selfplay.checkpoint import newest_generation
from atlantis_training.selfplay.learner import SelfPlayVecEnv
from atlantis_training.selfplay.run import CHECKPOINTS, Run
from atlantis_training.selfplay.settings import ExpertSettings, SelfPlaySettings, settings_from
from atlantis_training.selfplay.warm_start import expert_started

SEED = 9
KEY = np.uint64(0x9E3779B97F4A7C15)
TEAM: dict[str, Any] = {
    "game": "atlantis_rising", "players": 2, "learner_seat": "all", "options": {"round_limit": 1}, "shaping": 0.5,
    "num_envs": 4, "num_steps": 64, "batch_size": 64, "num_epochs": 1, "hidden": (8,), "snapshot_every": 1,
    "imitate": 4096,
}  # fmt: skip


def short_game(players: int = 3):
    return atlantis_envs.game("atlantis_rising", players=players, round_limit=1)


def chosen(tables):
    observations = tables.observations.astype(np.uint64)
    words = (observations * np.arange(1, observations.shape[1] + 1, dtype=np.uint64)).sum(axis=1)
    return noise_actions(tables.masks, words * KEY >> np.uint64(20))


@pytest.mark.parametrize("players", [1, 2, 5])
def test_tables_show_what_seat_batch_shows_byte_for_byte(players):
    game = short_game(players)
    plain = SlowSeatBatch(game, 6, "all")
    fast = SeatBatch(game, 6, "all", FixedSeating(game, "random"))
    plain.reset(SEED)
    fast.reset(SEED)
    ended = 0
    for _ in range(scaled(250, 2_000)):
        assert np.array_equal(plain.observations, fast.observations) and np.array_equal(plain.masks, fast.masks)
        assert np.array_equal(plain.seats, fast.seats) and (fast.sitting == LEARNER).all()
        actions = chosen(plain)
        one, other = plain.step(actions), fast.step(actions)
        for name, left, right in zip(one._fields, one, other, strict=True):
            assert left.dtype == right.dtype and np.array_equal(left, right), name
        ended += int(one.over.sum())
    assert ended > 3


def test_tables_restored_from_arrays_go_on_the_same():
    game = short_game()
    first, second = (SeatBatch(game, 4, "all", FixedSeating(game, "random")) for _ in range(2))
    first.reset(SEED)
    for _ in range(30):
        first.step(chosen(first))
    second.from_arrays({name: array.copy() for name, array in first.to_arrays().items()})
    for _ in range(60):
        actions = chosen(first)
        for left, right in zip(first.step(actions), second.step(actions), strict=True):
            assert np.array_equal(left, right)


@pytest.mark.parametrize("seat", ["all", "rotate"])
def test_a_team_wins_together_or_not_at_all(seat):
    environment = SeatVecEnv(short_game(), 4, learner_seat=seat, seed=SEED)
    environment.reset()
    infos = []
    while len(infos) < 6:
        environment.step_async(chosen(environment.core))
        infos += [info for info in environment.step_wait()[3] if info]
    assert {info["win_share"] for info in infos} == {0.0}, "one round is not enough to win"
    assert environment.recent_win_share(10) == 0.0
    played = environment.played._replace(final_returns=np.ones((4, 3), np.float32), final_seats=np.zeros(4, np.int8))
    assert environment._win_shares(played, np.arange(4)).tolist() == [1.0] * 4


def test_shaping_is_paid_by_the_vecenv_and_never_counted_as_the_result():
    shaped = SeatVecEnv(short_game(), 4, learner_seat="all", seed=SEED, shaping=3.0, discount=0.9)
    batch = SeatBatch(short_game(), 4, "all", shaping=3.0, discount=0.9)
    shaped.reset()
    batch.reset(SEED)
    results = []
    for _ in range(300):
        actions = chosen(batch)
        shaped.step_async(actions)
        _, rewards, over, infos = shaped.step_wait()
        assert np.allclose(rewards, batch.step(actions).rewards, atol=1e-6)
        results += [infos[lane]["episode"]["r"] for lane in np.flatnonzero(over)]
    assert len(results) > 3 and set(results) == {-1.0}


def test_an_evaluation_knows_no_shaping(tmp_path):
    run = Run.begin(tmp_path / "run", settings_from({**TEAM, "steps": 1}))
    agent = PolicyAgent(run.game, run.export())
    returns = play_games(run.game, [agent, agent], 12, seed=1).returns
    assert np.isin(returns, (-1.0, 1.0)).all()


def test_the_margin_of_a_team_is_its_score():
    game = short_game()
    environment = SelfPlayVecEnv(
        game, SelfPlaySettings(num_envs=4, learner_seat="all", margin=0.1), FixedSeating(game, "random")
    )
    environment.reset()
    environment.step_async(chosen(environment.core))
    environment.step_wait()
    over = np.array([True, False, True, False])
    scores = np.repeat(np.array([[3], [0], [5], [0]]), 3, axis=1)
    environment.played = environment.played._replace(over=over, final_scores=scores)
    assert environment._final_margins().tolist() == pytest.approx([0.3, 0.0, 0.5, 0.0])


def test_a_team_learns_is_saved_and_goes_on_bit_for_bit(tmp_path):
    reports = []
    settings = settings_from({**TEAM, "steps": 1024, "checkpoint_every": 1})
    whole = Run.begin(tmp_path / "whole", settings)
    outcome = whole.go(reports.append)
    assert outcome.steps == 1024 and outcome.networks == 0.0
    assert not [entry for entry in whole.pool.entries.values() if entry.kind == SNAPSHOT]
    assert reports[-1].against == {}
    Run.begin(tmp_path / "parts", settings)
    part = Run.resume(tmp_path / "parts")
    part._round()
    part._round()
    Run.resume(tmp_path / "parts").go()
    one, other = (newest_generation(tmp_path / name / CHECKPOINTS)[2] for name in ("whole", "parts"))
    assert set(one) == set(other)
    assert all(np.array_equal(one[name], other[name]) for name in one)
    manifest = json.loads((outcome.policy / "manifest.json").read_text())
    assert (manifest["game"], manifest["players"]) == ("atlantis_rising", 2)


def test_a_team_needs_a_cooperative_game(tmp_path):
    with pytest.raises(OptionError, match=r"^learner_seat: 'all'; allowed: .*needs a cooperative game"):
        Run.begin(tmp_path / "run", settings_from({"learner_seat": "all", "num_envs": 2}))
    with pytest.raises(OptionError, match=r"^learner_seat: 'some'; allowed: 'rotate', 'random', 'all'"):
        settings_from({"learner_seat": "some"})


def played_policy(tmp_path, **changes):
    settings = settings_from({**TEAM, "shaping": 0.0, "imitate": 0, "steps": 512, **changes})
    run = Run.begin(tmp_path / "run", settings)
    assert PolicyAgent(run.game, run.out / "policy").value == ""  # it has not played yet
    run.go()
    return run, PolicyAgent(run.game, run.out / "policy")


def test_the_policy_of_a_team_tells_the_share_of_the_win_that_its_learner_expects(tmp_path):
    run, agent = played_policy(tmp_path)
    batch = run.game.batch(8, SEED)
    seen = batch.states, batch.seats, batch.observations, batch.action_masks
    positions = determinize(run.game, *seen, batch.noise(SEED))
    shares = agent.position_values(positions)
    expected = run.learner.model.values_of(batch.observations.copy())
    assert agent.value == "seat shares" and shares.shape == (8, 2)
    assert np.allclose(shares, (1 / (1 + np.exp(-3 * expected)))[:, None], atol=0.02)  # bfloat16 in the learner
    assert np.abs(expected).max() > 0.02
    plain = network.policy_layers(run.learner.model)
    assert all(np.array_equal(one, other) for one, other in zip(agent.policy_layers[-1], plain[-1], strict=True))
    assert make_agent(f"search:4,leaf={run.out},guide={run.out}", run.game).act_positions(positions).shape == (8,)


def test_odds_of_a_straight_line_are_near_the_share_that_an_expected_return_stands_for():
    share = np.linspace(0, 1, 1001)
    said = 1 / (1 + np.exp(-network.SHARE_SLOPE * (2 * share - 1)))
    assert np.abs(said - share).max() < 0.07 and said[500] == 0.5


@pytest.mark.parametrize(
    "changes",
    [{"shaping": 0.5}, {"margin": 0.1}, {"discount": 0.99}, {"afterstates": True}, {"advice": True}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_policy_whose_learner_expects_something_else_tells_no_share(tmp_path, changes):
    assert played_policy(tmp_path, **changes)[1].value == ""


def test_a_policy_of_a_game_with_winners_and_losers_tells_no_share(tmp_path):
    changes = {"game": "atlantis", "learner_seat": "rotate", "options": {}}
    assert played_policy(tmp_path, **changes)[1].value == ""


def test_a_policy_that_tells_a_share_begins_a_run_and_an_expert_iteration(tmp_path):
    run, agent = played_policy(tmp_path)
    later = Run.begin(tmp_path / "later", settings_from({**TEAM, "shaping": 0.0, "imitate": 0, "start": str(run.out)}))
    assert np.array_equal(later.learner.layers()[-1][0], agent.policy_layers[-1][0])
    settings = ExpertSettings(game="atlantis_rising", players=2, options={"round_limit": 1}, start=str(run.out))
    layers = expert_started(settings)[1]
    assert layers is not None and np.array_equal(layers[-1][0], agent.layers[-1][0])
