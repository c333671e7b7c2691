"""``python -m benchmarks values``: what it plays, what it learns from it and what it writes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.policies import valuing

import atlantis_envs
from atlantis_agents.networks.policy import NetworkAgent
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent
from benchmarks.experiments import values
from benchmarks.experiments.values import (
    ALL,
    GAMES,
    LAST,
    Errors,
    Sample,
    ValueNetwork,
    chosen_start,
    fit,
    held_back,
    play_shard,
    with_values,
)

SEED = 11


@pytest.fixture(scope="module")
def alone() -> NetworkAgent:
    return chosen_start("network", atlantis_envs.game("atlantis_rising", players=1))


@pytest.fixture(scope="module")
def shard(alone: NetworkAgent) -> Sample:
    """Games of a weak player, of which some are won."""
    return play_shard(alone.game, make_agent("heuristic", alone.game), alone, SEED, 0, rounds=3)


def test_a_shard_is_a_function_of_its_number(alone: NetworkAgent, shard: Sample) -> None:
    again = play_shard(alone.game, make_agent("heuristic", alone.game), alone, SEED, 0, rounds=3)
    other = play_shard(alone.game, make_agent("heuristic", alone.game), alone, SEED, 1, rounds=3)
    assert np.array_equal(shard.obs, again.obs) and np.array_equal(shard.shares, again.shares)
    assert not np.array_equal(shard.obs[:50], other.obs[:50])
    assert set(shard.games) <= set(range(GAMES)) and set(other.games) <= set(range(GAMES, 2 * GAMES))


def test_a_game_is_kept_once_a_round_and_ends_one_way(shard: Sample) -> None:
    assert shard.shares.shape == (len(shard.obs), 1) and 0 < shard.shares.mean() < 1
    for number in range(GAMES):
        mine = shard.games == number
        assert len(np.unique(shard.shares[mine])) <= 1
        assert len(np.unique(shard.obs[mine], axis=0)) == mine.sum()


def test_errors_are_legal_and_end_with_their_rounds(alone: NetworkAgent) -> None:
    """One half of the games samples the policy, the other errs now and then."""
    errors = Errors(alone, SEED, 0, rounds=3)
    batch, lanes = alone.game.batch(GAMES, SEED), np.arange(GAMES)
    errs, shares = np.zeros(GAMES), []
    for _ in range(12):
        free = batch.action_masks.sum(axis=1) > 1
        actions = np.full(GAMES, -1)
        errors.put_in(actions, batch, lanes)
        put_in = actions >= 0
        assert batch.action_masks[put_in, actions[put_in]].all()
        assert not put_in[~free | (batch.states.round_number >= errors.until)].any()
        errs += put_in
        shares.append(put_in[free & (batch.states.round_number < errors.until)].mean())
        batch.step(np.where(put_in, actions, batch.action_masks.argmax(axis=1)))
    assert 0.45 < np.mean(shares) < 0.65  # a half, and 0.057 of the other one
    assert 0.15 < (errors.until == 0).mean() < 0.35 and not errs[errors.until == 0].any()


@pytest.mark.parametrize("layers", [ALL, LAST])
def test_what_is_fitted_fits_better_and_is_what_the_policy_says(
    layers: str, alone: NetworkAgent, shard: Sample, tmp_path: Path
) -> None:
    from atlantis_agents.features import with_features

    assert alone.features is not None
    seen = replace(shard, obs=with_features(alone.game, shard.obs, alone.features.edition))
    learned = fit(alone, seen, layers, rate=1e-3, epochs=3, seed=SEED)
    every = replace(seen, games=np.zeros_like(seen.games))  # few games teach little about others
    assert held_back(learned, alone.game, every).mean() < held_back(ValueNetwork(alone), alone.game, every).mean()
    saved = make_agent(str(with_values(alone, learned, layers, tmp_path / "policy", "")), alone.game)
    assert isinstance(saved, NetworkAgent)
    logits, before = saved.logits(shard.obs[:40]), alone.logits(shard.obs[:40])
    assert np.array_equal(logits, before) if layers == LAST else not logits.any()
    said = saved.outputs(shard.obs)[:, -1].astype(np.float64)
    chosen = shard.games % values.HELD_BACK == 0
    entropy = np.logaddexp(0, said) - shard.shares[:, 0] * said
    assert np.allclose(entropy[chosen], held_back(learned, alone.game, seen), atol=0.1)  # stored in 16 bits


def test_the_mover_comes_first_where_seats_compete(tmp_path: Path) -> None:
    game = atlantis_envs.game("atlandice", players=3)
    start = chosen_start(str(valuing(tmp_path, game, inputs="observations", value="seat shares")), game)
    found = play_shard(game, make_agent("heuristic", game), start, SEED, 0, rounds=2)
    assert np.allclose(found.shares[:, :3].sum(axis=1), 1) and not found.shares[:, 3:].any()
    assert np.isfinite(held_back(ValueNetwork(start), game, found)).all()


def test_a_command_that_was_stopped_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Shards that are there are not played again, and other settings are refused."""
    played: list[int] = []
    shown = play_shard

    def counted(game: Game, *arguments: object, shard: int, rounds: int) -> Sample:
        played.append(shard)
        if shard == 1 and len(played) == 2:
            raise KeyboardInterrupt
        return shown(game, *arguments, shard=shard, rounds=rounds)  # type: ignore[arg-type]

    monkeypatch.setattr(values, "play_shard", counted)
    command = ["atlantis_rising", "heuristic", "--start", "network", "-n", "1", "--rounds", "2", "--epochs", "1"]
    command += ["--games", str(2 * GAMES), "--out", str(tmp_path)]
    with pytest.raises(KeyboardInterrupt):
        values.main(command)
    values.main(command)
    assert played == [0, 1, 1] and "held back" in capsys.readouterr().out
    assert (tmp_path / "policy" / "manifest.json").exists()
    with pytest.raises(OptionError, match="games of other settings"):
        values.main([*command, "--seed", "9"])
    with pytest.raises(OptionError, match=f"games: 7; allowed: a multiple of {GAMES}"):
        values.main([*command, "--games", "7"])


def test_networks_that_cannot_begin_are_refused(tmp_path: Path) -> None:
    dice = atlantis_envs.game("atlandice", players=3)
    for text in ("heuristic", "network", str(valuing(tmp_path, dice))):
        with pytest.raises(OptionError, match="allowed: a network of observations, with ReLU"):
            chosen_start(text, dice)
