"""Policies as ONNX files: they play what the policy plays, and are complete or not there."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from helpers.policies import valuing
from typer.testing import CliRunner

import atlantis_envs
from atlantis_agents.features import features_of, find_features
from atlantis_agents.networks.policy import PolicyAgent, load_policy, network_sizes, one_hot, save_policy
from atlantis_envs.errors import OptionError
from atlantis_envs.registry import GAMES
from atlantis_envs.seats.agents import make_agent
from atlantis_envs.seats.positions import ask, determinize
from atlantis_training.cli.app import app

pytest.importorskip("onnx")
import onnx
from onnx.reference import ReferenceEvaluator

from atlantis_agents.networks import onnx as onnx_export
from atlantis_agents.networks.onnx import write_onnx

ROWS = 1000


def a_policy(path, name="atlandice", hidden=(32, 16), advice=""):
    """A policy with random weights, whose choices differ from row to row."""
    game = atlantis_envs.game(name)
    dice = np.random.default_rng(3)
    inputs = game.observation_size + (game.num_actions if advice else 0)
    sizes = [inputs, *hidden, game.num_actions]
    layers = [
        (dice.normal(0, 0.3, (wide, narrow)).astype(np.float32), dice.normal(0, 0.3, wide).astype(np.float32))
        for narrow, wide in pairwise(sizes)
    ]
    return PolicyAgent(game, save_policy(path, game, layers, "of dice", advice))


def positions(game):
    """Observations, masks and noise of ROWS decisions in games of the random player."""
    batch, player, seen = game.batch(50, seed=4), make_agent("random", game), []
    while len(seen) * 50 < ROWS:
        noise = batch.noise(1)
        seen.append((batch.observations.copy(), batch.action_masks.copy(), noise))
        for _ in range(7):
            batch.step(player.act(batch.observations, batch.action_masks, batch.noise(1)))
    return [np.concatenate(column) for column in zip(*seen, strict=True)]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("hidden", [(), (32, 16)])
def test_the_model_plays_what_the_policy_plays(tmp_path, name, hidden):
    agent = a_policy(tmp_path / "p", name, hidden)
    path = write_onnx(agent, tmp_path / "p.onnx")
    observations, masks, noise = positions(agent.game)
    assert len(observations) == ROWS
    given = {"observations": observations, "action_masks": masks}
    logits, actions = ReferenceEvaluator(str(path)).run(["logits", "actions"], given)
    assert logits.dtype == np.float32 and actions.dtype == np.int64
    assert np.allclose(logits, np.where(masks != 0, agent.logits(observations), -1e9), rtol=1e-4, atol=1e-4)
    assert np.array_equal(actions, agent.act(observations, masks, noise))
    assert len(np.unique(actions)) > 5 and (masks[np.arange(ROWS), actions] == 1).all()


@pytest.mark.parametrize("advice", ["heuristic", "planner"])
def test_an_advised_model_is_told_what_its_adviser_would_play(tmp_path, advice):
    agent = a_policy(tmp_path / "p", advice=advice)
    path = write_onnx(agent, tmp_path / "p.onnx")
    observations, masks, noise = (column[:200] for column in positions(agent.game))
    advised = make_agent(advice, agent.game).act(observations, masks, noise)
    given = {"observations": observations, "action_masks": masks, "advised": advised}
    logits, actions = ReferenceEvaluator(str(path)).run(None, given)
    assert np.allclose(logits, np.where(masks != 0, agent.logits(observations, advised), -1e9), rtol=1e-4, atol=1e-4)
    assert np.array_equal(actions, agent.act(observations, masks, noise))
    other = ReferenceEvaluator(str(path)).run(["logits"], given | {"advised": (advised + 1) % agent.game.num_actions})
    assert not np.array_equal(other[0], logits) and one_hot(advised, 2 + advised.max()).sum() == 200


def test_a_model_with_features_takes_them_as_an_input(tmp_path):
    game, dice = atlantis_envs.game("atlandice"), np.random.default_rng(1)
    shape = game.num_actions, network_sizes(game, (), features=find_features(game.name))[0]
    layers = [(dice.normal(0, 0.3, shape).astype(np.float32), np.zeros(game.num_actions, np.float32))]
    agent = PolicyAgent(game, save_policy(tmp_path / "p", game, layers, features=find_features(game.name)))
    path = write_onnx(agent, tmp_path / "p.onnx")
    observations, masks, noise = (column[:200] for column in positions(game))
    given = {"observations": observations, "action_masks": masks, "features": features_of(game, observations)}
    logits, actions = ReferenceEvaluator(str(path)).run(None, given)
    assert np.allclose(logits, np.where(masks != 0, agent.logits(observations), -1e9), rtol=1e-4, atol=1e-4)
    assert np.array_equal(actions, agent.act(observations, masks, noise))
    told = {item.key: item.value for item in onnx.load(path).metadata_props}
    assert told["features"] == agent.manifest["features"] != ""


@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize("value", ["", "win share"])
def test_a_model_of_afterstates_scores_them(tmp_path, described, value):
    game, dice = atlantis_envs.game("atlantis"), np.random.default_rng(1)
    features = find_features("atlantis") if described else None
    width = network_sizes(game, (), inputs="afterstates", features=features)[0]
    layer = dice.normal(0, 0.3, (1, width)).astype(np.float32), np.zeros(1, np.float32)
    saved = save_policy(tmp_path / "p", game, [layer], inputs="afterstates", features=features, value=value)
    agent = PolicyAgent(game, saved)
    path = write_onnx(agent, tmp_path / "p.onnx")
    batch = game.batch(20, seed=3)
    after = batch.afterstates()
    given = {"afterstates": after.observations}
    if features:
        given["features"] = features_of(game, after.observations)
    logits, *values = ReferenceEvaluator(str(path)).run(None, given)
    assert np.allclose(logits, agent.logits(after.observations)[:, 0], rtol=1e-4, atol=1e-4) and logits.std() > 0.1
    best = [int(after.actions[after.rows == row][logits[after.rows == row].argmax()]) for row in range(20)]
    assert best == ask(agent, batch, np.arange(20), batch.noise(1)).tolist()
    assert len(values) == bool(value)
    if value:
        assert np.allclose(values[0], 1 / (1 + np.exp(-logits)), atol=1e-6)


def test_a_policy_that_needs_the_potential_is_not_exported(tmp_path):
    """A model says what follows from an afterstate alone."""
    game = atlantis_envs.game("atlantis_rising")
    layer = np.zeros((1, game.observation_size), np.float32), np.zeros(1, np.float32)
    agent = PolicyAgent(game, save_policy(tmp_path / "p", game, [layer], inputs="afterstates", potential=5.0))
    with pytest.raises(OptionError, match="policy: its actions are compared by the game's potential too; allowed: a n"):
        write_onnx(agent, tmp_path / "p.onnx")
    assert not (tmp_path / "p.onnx").exists()


@pytest.mark.parametrize("inputs", ["observations", "afterstates"])
@pytest.mark.parametrize("name", ["atlandice", "atlantis_rising"])
def test_a_model_tells_the_shares_of_all_seats(tmp_path, inputs, name):
    game = atlantis_envs.game(name, players=3)
    agent = PolicyAgent(game, valuing(tmp_path / "p", game, scale=0.1, inputs=inputs, value="seat shares"))
    path = write_onnx(agent, tmp_path / "p.onnx")
    batch = game.batch(20, seed=3)
    seen = determinize(game, batch.states, batch.seats, batch.observations, batch.action_masks, batch.noise(1))
    rows = batch.afterstates().observations if agent.sees_positions else batch.observations
    given = {inputs: rows} if agent.sees_positions else {inputs: rows, "action_masks": batch.action_masks}
    logits, values = ReferenceEvaluator(str(path)).run(["logits", "values"], given)
    if agent.sees_positions:
        assert np.allclose(logits, agent.logits(rows)[:, 0], rtol=1e-4, atol=1e-4)
        wanted = agent.action_values(seen)[batch.action_masks != 0]
        assert np.allclose(values[:, 0], wanted, atol=1e-5) and wanted.std() > 0.001
    else:
        assert np.array_equal(logits.argmax(axis=1), agent.act(batch.observations, batch.action_masks, batch.noise(1)))
        own = agent.position_values(seen)[np.arange(20), batch.seats]
        assert np.allclose(values[:, 0], own, atol=1e-5) and own.std() > 0.001
    assert values.shape[1] == (1 if game.cooperative else 3)


@pytest.mark.parametrize("learner", ["ppo", "td"])
def test_what_a_first_training_leaves_can_be_exported(tmp_path, learner):
    """The README's first training ends in a policy; its file plays as it does, features and all."""
    pytest.importorskip("sb3_contrib")

    def run(*arguments):
        return CliRunner().invoke(app, list(arguments), prog_name="atlantis", terminal_width=200)

    out, path = str(tmp_path / "run"), tmp_path / "p.onnx"
    sizes = ["--num-envs=8", "--batch-size=64", "--hidden=16", "--steps=300", "--features"]
    sizes += ["--imitate=300", "--num-steps=16"] if learner == "ppo" else ["--evaluation-games=0"]
    trained = run("train", "atlandice", f"--learner={learner}", f"--out={out}", *sizes)
    assert trained.exit_code == 0, trained.output
    written = run("export", out, str(path))
    assert written.exit_code == 0 and "features uint8" in written.output, written.output
    agent = load_policy(tmp_path / "run" / "policy")
    batch = agent.game.batch(30, seed=2)
    if learner == "ppo":
        seen = {"observations": batch.observations.copy(), "action_masks": batch.action_masks.copy()}
        seen["features"] = features_of(agent.game, seen["observations"], agent.features.edition)
        actions = ReferenceEvaluator(str(path)).run(["actions"], seen)[0]
        assert np.array_equal(actions, agent.act(batch.observations, batch.action_masks, batch.noise(1)))
    else:
        after = batch.afterstates().observations
        seen = {"afterstates": after, "features": features_of(agent.game, after, agent.features.edition)}
        logits = ReferenceEvaluator(str(path)).run(["logits"], seen)[0]
        assert np.allclose(logits, agent.logits(after)[:, 0], rtol=1e-4, atol=1e-4)


def test_the_model_says_what_it_is_for(tmp_path):
    agent = a_policy(tmp_path / "p")
    model = onnx.load(write_onnx(agent, tmp_path / "p.onnx"))
    told = {item.key: item.value for item in model.metadata_props}
    assert told["game"] == "atlandice" and told["about"] == "of dice" and told["advice"] == ""
    assert json.loads(told["versions"]) == agent.manifest["versions"] and told["sha256"] == agent.manifest["sha256"]
    assert told["observation"] == agent.manifest["observation"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    agent, path = a_policy(tmp_path / "p"), tmp_path / "p.onnx"
    path.write_bytes(b"old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_onnx(agent, path)
    assert path.read_bytes() == b"old" and sorted(item.name for item in tmp_path.iterdir()) == ["p", "p.onnx"]
    monkeypatch.undo()
    assert write_onnx(agent, path).read_bytes() != b"old"


def test_a_policy_knows_its_game(tmp_path):
    a_policy(tmp_path / "p", "atlantis")
    assert load_policy(tmp_path / "p").game == atlantis_envs.game("atlantis")
    chosen = atlantis_envs.game("atlandice", players=2, optional_effects=True)
    weights = np.zeros((chosen.num_actions, chosen.observation_size), np.float32)
    save_policy(tmp_path / "q", chosen, [(weights, weights[:, 0])])
    assert load_policy(tmp_path / "q").game == chosen != atlantis_envs.game("atlandice", players=2)
    manifest = tmp_path / "q" / "manifest.json"
    sound = json.loads(manifest.read_text())
    for wrong, message in (
        ({"options": {"wings": 2}}, "wings: unknown key"),
        ({"options": [1]}, r"options: .*; allowed: an object"),
        ({"players": 9}, "players: 9; allowed: an integer 2..4"),
        ({"versions": {}, "options": {"wings": 2}}, "versions is"),
    ):
        manifest.write_text(json.dumps(sound | wrong))
        with pytest.raises(OptionError, match=message):
            load_policy(tmp_path / "q")
    manifest = tmp_path / "p" / "manifest.json"
    for name in ("chess", ["atlantis"], None):
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"game": name}))
        with pytest.raises(OptionError, match=r"game is .*; this library has 'atlandice', 'atlantis'"):
            load_policy(tmp_path / "p")


def test_layers_that_do_not_fit_are_not_written(tmp_path):
    game = atlantis_envs.game("atlandice")
    weights = np.zeros((game.num_actions, game.observation_size - 1), np.float32)
    with pytest.raises(OptionError, match=r"layers: shapes .*; allowed: "):
        save_policy(tmp_path / "p", game, [(weights, weights[:, 0])])
    assert not (tmp_path / "p").exists()


def test_the_command_takes_policies_and_runs_and_refuses_in_one_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a_policy(tmp_path / "run" / "policy", advice="heuristic")

    def run(*arguments):
        return CliRunner().invoke(app, ["export", *arguments], prog_name="atlantis", terminal_width=200)

    for policy in ("run", "run/policy"):
        result = run(policy, f"{policy.replace('/', '-')}.onnx")
        assert result.exit_code == 0 and "Written: " in result.output
        assert "observations uint8 (N, 2" in result.output and "advised int64 (N)" in result.output
    assert (tmp_path / "run.onnx").read_bytes() == (tmp_path / "run-policy.onnx").read_bytes()
    (tmp_path / "run" / "policy" / "weights.safetensors").write_bytes(b"\x80\x04")
    for refused in (run("run", "x.onnx"), run("nowhere", "x.onnx"), run("run-policy.onnx", "x.onnx")):
        assert refused.exit_code == 2 and refused.stderr.startswith("Error: policy: ")
        assert len(refused.stderr.strip().splitlines()) == 1
    assert run("run", "no/such/place.onnx").exit_code == 2
    monkeypatch.setattr("atlantis_training.cli.common.importlib.util.find_spec", lambda name: None)
    assert run("run", "x.onnx").stderr == "Error: onnx not installed: pip install 'atlantis-envs[export]'\n"
    assert onnx_export.OPSET == 17 and not (tmp_path / "x.onnx").exists()
