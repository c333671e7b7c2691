"""Statistics, evaluation, the stable-baselines3 VecEnv and saved policies."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import atlantis_envs
from atlantis_agents.networks.policy import MANIFEST, WEIGHTS, PolicyAgent, save_policy
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.seats.agents import make_agent
from atlantis_training.evaluation import measure
from atlantis_training.evaluation.evaluate import evaluate_by_seat
from atlantis_training.evaluation.measure import play_games
from atlantis_training.evaluation.seats import tabulate
from atlantis_training.evaluation.statistics import equality_p_value, shares_of_wins, wilson, win_share

torch = pytest.importorskip("torch")
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv  # noqa: E402
from atlantis_training.selfplay.run import Run  # noqa: E402
from atlantis_training.selfplay.settings import settings_from  # noqa: E402


@pytest.fixture(scope="module")
def game():
    return atlantis_envs.game("atlandice", players=3)


# ------------------------------------------------------------------------------------------------------ statistics


def test_wilson_interval_matches_published_values():
    low, high = wilson(0.5, 100)
    assert (round(low, 4), round(high, 4)) == (0.4038, 0.5962)
    assert wilson(0.0, 10)[0] == 0.0 and 0.27 < wilson(0.0, 10)[1] < 0.28
    assert wilson(0.3, 0) == (0.0, 1.0)


def test_ties_split_the_win():
    shares = shares_of_wins(np.array([[1.0, -0.5, -0.5], [0.25, 0.25, -0.5], [0.0, 0.0, 0.0]]))
    assert shares.tolist() == [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]


def test_equality_test_is_calibrated_and_sees_a_difference():
    generator = np.random.default_rng(5)

    def shares(odds):
        return np.eye(3)[generator.choice(3, 2000, p=odds)]

    null = [equality_p_value(shares([1 / 3] * 3)) for _ in range(200)]
    assert 0.02 <= np.mean(np.array(null) < 0.05) <= 0.09
    assert equality_p_value(shares([0.39, 0.31, 0.30])) < 1e-4


# ------------------------------------------------------------------------------------------------------ evaluation


def test_every_game_number_is_played_once_whatever_the_lanes(game, monkeypatch):
    agents = [make_agent("random", game), make_agent("heuristic", game), make_agent("random", game)]
    wide = play_games(game, agents, 90, seed=3)
    monkeypatch.setattr(measure, "LANES", 7)
    narrow = play_games(game, agents, 90, seed=3)
    for field in ("returns", "scores", "starters", "plies"):
        assert np.array_equal(getattr(wide, field), getattr(narrow, field))
    assert (wide.plies > 50).all() and abs(wide.returns.sum(axis=1)).max() < 1e-6


def test_starters_are_the_drawn_first_players(game):
    results = play_games(game, [make_agent("random", game)] * 3, 40, seed=9)
    for number in range(40):
        batch = game.batch(1, seed=9)
        batch.reset(games=[number])
        assert results.starters[number] == batch.states[0].first
    shares = results.by_order(results.win_shares)
    assert shares[0, 0] == results.win_shares[0, results.starters[0]]


def test_wrong_number_of_agents_is_refused(game):
    with pytest.raises(ValueError, match="agents: 2; allowed: 3"):
        play_games(game, [make_agent("random", game)] * 2, 10)


def test_heuristic_beats_random_and_equals_itself(game):
    heuristic, random = make_agent("heuristic", game), make_agent("random", game)
    table = evaluate_by_seat(game, heuristic, random, 200, seed=4)
    assert all(share.low > 1 / 3 for share in table.seats)
    order = tabulate(play_games(game, [heuristic] * 3, 2000, seed=4))
    assert abs(sum(row.share.value for row in order.rows) - 1) < 1e-9
    assert order.games == 2000 and 0 <= order.p_value <= 1


# ----------------------------------------------------------------------------------------------------------- VecEnv


def test_vecenv_speaks_stable_baselines3(game):
    environment = SeatVecEnv(game, 8, ("random", "heuristic"), seed=2)
    observations = environment.reset()
    assert observations.shape == (8, game.observation_size) and observations.dtype == np.float32
    assert observations.min() >= 0 and observations.max() <= 1
    generator = np.random.default_rng(0)
    ended = 0
    for _ in range(150):
        masks = np.stack(environment.env_method("action_masks"))
        assert masks.dtype == np.bool_ and masks.any(axis=1).all()
        actions = (generator.random(masks.shape) * masks).argmax(axis=1)
        observations, rewards, dones, infos = environment.step(actions)
        for lane in np.flatnonzero(dones):
            ended += 1
            assert infos[lane]["terminal_observation"].shape == observations[lane].shape
            assert infos[lane]["episode"]["r"] == pytest.approx(rewards[lane])
        assert not rewards[~dones].any()
    assert ended >= 8
    assert 0 <= environment.recent_win_share(100) <= 1


def test_an_end_is_the_learners_last_position_and_no_truncation(game):
    """What stable-baselines3 learns of an end, and what its learner makes of it: the reward is the return alone."""
    from sb3_contrib import MaskablePPO

    class Recorded(SeatVecEnv):
        rewards: list[np.ndarray]
        ends = 0

        def step_wait(self):
            told = super().step_wait()
            self.rewards.append(told[1].copy())
            for lane in np.flatnonzero(told[2]):
                position, seat = self.core.batch.final_position(int(lane)), int(self.played.final_seats[lane])
                assert position.node == "over" and told[1][lane] == np.float32(position.returns()[seat])
                seen = self.scaled(position.observation(seat))
                assert np.array_equal(told[3][lane]["terminal_observation"], seen)
                assert told[3][lane]["TimeLimit.truncated"] is False
                self.ends += 1
            return told

    environment = Recorded(game, 6, "random", seed=4)
    environment.rewards = []
    model = MaskablePPO("MlpPolicy", environment, n_steps=96, batch_size=96, n_epochs=1, seed=1)
    model.learn(6 * 96)
    assert environment.ends >= 6
    assert np.array_equal(model.rollout_buffer.rewards.reshape(96, 6), np.stack(environment.rewards))


@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_shaping_adds_up_to_the_start_of_the_game_and_nothing_else(name):
    """Without discount a whole game pays its return less the potential of its first decision, hand sizes included."""
    game = atlantis_envs.game(name, players=3)
    environment = SeatVecEnv(game, 5, "random", seed=6, shaping=0.25)
    environment.reset()
    begun, paid = environment.shaping.potential.copy(), np.zeros(5)
    starts = []
    for _ in range(400):
        masks = environment.action_masks()
        _, rewards, dones, infos = environment.step(masks.argmax(axis=1))
        paid += rewards
        for lane in np.flatnonzero(dones):
            assert paid[lane] == pytest.approx(infos[lane]["episode"]["r"] - begun[lane], abs=1e-4)
            starts.append(begun[lane])
            begun[lane], paid[lane] = environment.shaping.potential[lane], 0.0
    assert len(starts) >= 8 and (name == "atlandice" or any(starts))


def test_vecenv_refuses_illegal_actions_and_moves_nothing(game):
    environment = SeatVecEnv(game, 4, "random", seed=2)
    before = environment.reset()
    masks = environment.action_masks()
    with pytest.raises(IllegalActionError, match=r"actions\[0\]"):
        environment.step((~masks).argmax(axis=1))
    assert np.array_equal(environment.action_masks(), masks)
    assert np.array_equal(environment.scaled(environment.core.observations), before)


def test_same_seed_same_games(game):
    first, second = (SeatVecEnv(game, 5, "random", seed=7).reset() for _ in range(2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, SeatVecEnv(game, 5, "random", seed=8).reset())


# --------------------------------------------------------------------------------------------------------- policies


@pytest.fixture(scope="module")
def trained(game, tmp_path_factory):
    tiny = {"num_envs": 16, "num_steps": 16, "batch_size": 128, "hidden": (32, 16), "imitate": 5_000, "steps": 512}
    run = Run.begin(tmp_path_factory.mktemp("run") / "r", settings_from(tiny))
    return run.learner.model, run.go().policy


def test_exported_policy_plays_what_the_model_plays(game, trained):
    model, path = trained
    batch = game.batch(64, seed=5)
    agent = PolicyAgent(game, path)
    scaled = batch.observations / game.observation_high.astype(np.float32)
    with torch.no_grad():
        features = model.policy.extract_features(torch.as_tensor(scaled, dtype=torch.float32))
        logits = model.policy.action_net(features).numpy()
    assert np.allclose(agent.logits(batch.observations), logits, atol=1e-3)
    actions = agent.act(batch.observations, batch.action_masks)
    assert np.array_equal(actions, np.where(batch.action_masks != 0, logits, -np.inf).argmax(axis=1))
    played, _ = model.predict(scaled.astype(np.float32), deterministic=True, action_masks=batch.action_masks)
    assert np.array_equal(actions, played)


def test_sampled_policy_is_legal_repeatable_and_follows_its_odds(game, trained):
    agent = PolicyAgent(game, trained[1], greedy=False)
    batch = game.batch(512, seed=5)
    noise = batch.noise(1)
    actions = agent.act(batch.observations, batch.action_masks, noise)
    assert (batch.action_masks[np.arange(512), actions] == 1).all()
    assert np.array_equal(actions, agent.act(batch.observations, batch.action_masks, noise))
    row, mask = batch.observations[:1].repeat(20_000, axis=0), batch.action_masks[:1].repeat(20_000, axis=0)
    drawn = np.bincount(agent.act(row, mask), minlength=game.num_actions) / 20_000
    logits = np.where(mask[0] != 0, agent.logits(row[:1])[0], -np.inf)
    odds = np.exp(logits - logits.max())
    assert np.abs(drawn - odds / odds.sum()).max() < 0.02


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a file was unpickled",))


def damage(path: Path, how: str) -> None:
    manifest = json.loads((path / MANIFEST).read_text())
    raw = (path / WEIGHTS).read_bytes()
    if how == "no manifest":
        (path / MANIFEST).unlink()
    elif how == "not JSON":
        (path / MANIFEST).write_text("{")
    elif how == "unknown key":
        (path / MANIFEST).write_text(json.dumps({**manifest, "code": "x"}))
    elif how == "missing key":
        (path / MANIFEST).write_text(json.dumps({key: manifest[key] for key in manifest if key != "hidden"}))
    elif how == "truncated":
        (path / WEIGHTS).write_bytes(raw[:-10])
    elif how == "flipped":
        (path / WEIGHTS).write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    elif how == "pickle":
        evil = pickle.dumps(Bomb())
        import hashlib

        (path / WEIGHTS).write_bytes(evil)
        digest = hashlib.sha256(evil).hexdigest()
        (path / MANIFEST).write_text(json.dumps({**manifest, "sha256": digest}))
    else:
        key, value = {
            "other version": ("versions", {**manifest["versions"], "rules": 99}),
            "other observation": ("observation", "0" * 16),
            "other game": ("game", "chess"),
            "other sizes": ("hidden", [5]),
            "negative size": ("hidden", [-5]),
            "escaping": ("hidden", ["../../etc/passwd"]),
        }[how]
        (path / MANIFEST).write_text(json.dumps({**manifest, key: value}))


@pytest.mark.parametrize(
    "how",
    [
        "no manifest", "not JSON", "unknown key", "missing key", "truncated", "flipped", "pickle", "other version",
        "other observation", "other game", "other sizes", "negative size", "escaping",
    ],
)  # fmt: skip
def test_damaged_or_foreign_policies_are_refused_in_one_line(game, tmp_path, how):
    layers = [(np.zeros((7, game.observation_size), np.float32), np.zeros(7, np.float32))]
    layers.append((np.zeros((game.num_actions, 7), np.float32), np.zeros(game.num_actions, np.float32)))
    path = save_policy(tmp_path / "p", game, layers)
    PolicyAgent(game, path)
    damage(path, how)
    with pytest.raises(OptionError, match=r"^policy: ") as caught:
        PolicyAgent(game, path)
    assert "\n" not in str(caught.value)


def test_infinite_weights_are_refused(game, tmp_path):
    weights = np.full((game.num_actions, game.observation_size), np.inf, np.float32)
    path = save_policy(tmp_path / "p", game, [(weights, np.zeros(game.num_actions, np.float32))])
    with pytest.raises(OptionError, match="finite"):
        PolicyAgent(game, path)


def test_win_share_counts_games():
    share = win_share(np.array([1.0, 0.5, 0.0, 0.5]))
    assert share.value == 0.5 and share.games == 4 and share.low < 0.5 < share.high
