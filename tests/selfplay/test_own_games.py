"""Imitation in games that the learner plays and the teacher corrects."""

from __future__ import annotations

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_envs.seats.agents import make_agent

pytest.importorskip("sb3_contrib")
from atlantis_training.selfplay.learner import IMITATION_GAMES, IMITATION_SEED
from atlantis_training.selfplay.run import Run
from atlantis_training.selfplay.settings import settings_from

SMALL = {"num_envs": 4, "num_steps": 8, "batch_size": 32, "hidden": (16,), "steps": 32, "players": 2}


def run_of(tmp_path, **changes):
    return Run.begin(tmp_path / "run", settings_from({**SMALL, "imitate": 20_000, **changes}))


def choices_of(game, player, games):
    """What a player sees where it has a choice, in these games against itself, as a set of bytes."""
    batch, lanes, seed = game.batch(games, IMITATION_SEED), np.arange(games), IMITATION_SEED
    batch.reset(games=lanes)
    seen = set()
    while len(lanes):
        masks = batch.action_masks[lanes]
        seen |= {row.tobytes() for row in batch.observations[lanes[masks.sum(axis=1) > 1]]}
        _, over = batch.step(player.act(batch.observations[lanes], masks, batch.noise(seed, lanes)), lanes)
        lanes = lanes[~over[lanes]]
    return seen


def test_the_learner_plays_and_the_teacher_says_what_it_would_do(tmp_path):
    learner = run_of(tmp_path).learner
    watched = learner._teacher_games("heuristic", 1.0)
    pupil = learner.agent(greedy=True)
    assert {row.tobytes() for row in watched.obs} == choices_of(learner.game, pupil, IMITATION_GAMES)
    wanted = make_agent("heuristic", learner.game).act(watched.obs, watched.masks.astype(np.int8))
    assert (wanted == watched.actions).mean() > 0.8  # the rest are ties, broken by other noise
    played = pupil.act(watched.obs, watched.masks.astype(np.int8))
    assert (played != watched.actions).mean() > 0.3  # an untrained learner differs


def test_some_games_are_the_learners_and_the_others_the_teachers(tmp_path):
    learner = run_of(tmp_path).learner
    teachers = choices_of(learner.game, make_agent("heuristic", learner.game), IMITATION_GAMES)
    own = IMITATION_GAMES // 2
    mixed = {row.tobytes() for row in learner._teacher_games("heuristic", 0.5).seen}
    rest = choices_of(learner.game, learner.agent(greedy=True), own)
    assert rest <= mixed and mixed - rest <= teachers and mixed - rest


def test_the_share_grows_from_none(tmp_path, monkeypatch):
    run, asked = run_of(tmp_path, imitate=60_000, imitate_own=0.5), []
    games = run.learner._teacher_games
    monkeypatch.setattr(run.learner, "_teacher_games", lambda name, own=0.0: asked.append(own) or games(name, own))
    while run.learner.phase != "play":
        done = run.learner.imitated_share
        run._round()
        assert asked[-1] == 0.5 * done
    assert asked[0] == 0 and 0 < asked[-1] < 0.5


def test_games_with_several_numbers_of_players_are_imitated_at_once(tmp_path):
    learner = run_of(tmp_path, imitate_players=(0, 4, 3)).learner
    watched, each = learner._teacher_games("heuristic"), IMITATION_GAMES // 3
    parts = []
    for players in (2, 4, 3):
        game = atlantis_envs.game("atlandice", players=players)
        parts.append(choices_of(game, make_agent("heuristic", game), each))
    assert {row.tobytes() for row in watched.obs} == set.union(*parts) and min(map(len, parts)) > each
    with pytest.raises(OptionError, match=r"players: 9; allowed: an integer 2\.\.4"):
        run_of(tmp_path / "other", imitate_players=(2, 9))


def test_a_share_is_a_share():
    with pytest.raises(OptionError, match=r"imitate_own: 1\.5; allowed: 0\.\.1"):
        settings_from({"game": "atlandice", "imitate_own": 1.5})
