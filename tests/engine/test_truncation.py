"""Games that a safety bound cuts off: over, neither won nor lost, and distinguished from an end everywhere."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from helpers.support import noise_actions
from helpers.toy_game import CARDS, DONE, SEATS, STATE, STOP, TOY, ToyOptions

import atlantis_envs
from atlantis_envs.adapters.gymnasium_env import SeatEnv, SeatVectorEnv
from atlantis_envs.adapters.pettingzoo_env import BoardGameEnv
from atlantis_envs.adapters.sb3_vecenv import SeatVecEnv
from atlantis_envs.engine import loops, position, single
from atlantis_envs.engine.definition import CHANCE, MOST_PLIES, OVER
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.layout import Field, Layout
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import IllegalActionError
from atlantis_envs.kernels.kernel import kernel
from atlantis_envs.seats.batch import SeatBatch
from atlantis_training.evaluation.evaluate import evaluate, evaluation_json, evaluation_report
from atlantis_training.evaluation.levels import levels
from atlantis_training.evaluation.measure import play_games

PASS = STOP + 1
CUT_OFF, STOPPED = 2, 3  # turns: both seats have passed, or one has stopped
SEED = 7


# The toy game, but that nobody has won where nobody stops: then it is cut off.


@kernel
def node(rules, state):
    if state.cards[0] == 0 or state.cards[1] == 0:
        return CHANCE
    return OVER if int(state.turn) >= CUT_OFF else int(state.turn)


@kernel
def legal(rules, state, mask):
    mask[:] = 1 if node(rules, state) >= 0 else 0


@kernel
def apply(rules, state, index):
    if state.cards[0] == 0:
        state.cards[0] = index + 1
    elif state.cards[1] == 0:
        state.cards[1] = index + 1
    else:
        state.turn = STOPPED if index == STOP else int(state.turn) + 1


@kernel
def returns(rules, state, out):
    lead = int(state.cards[0]) - int(state.cards[1])
    out[0] = 0.0 if state.turn == CUT_OFF else 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
    out[1] = -out[0]


@kernel
def truncated(rules, state):
    return state.turn == CUT_OFF


LAYOUT = Layout(
    Field("card", 1, CARDS, "own card"), Field("turn", 1, STOPPED, "turn"), Field("seat", 1, SEATS, "own seat")
)
ENDLESS = replace(
    TOY, name="endless toy", observation=LAYOUT, node=node, legal=legal, apply=apply, returns=returns,
    truncated=truncated, from_json=lambda document: (ToyOptions(), np.zeros(1, STATE)),
)  # fmt: skip


def endless() -> Game:
    return Game(ENDLESS, ToyOptions())


class Passing:
    """Always passes, so that every game reaches seat 1."""

    def act(self, observations: Any, masks: Any, noise: Any = None) -> Any:
        return np.full(len(masks), PASS)


class Wavering:
    """Passes with a chance of 1/2, by the noise of the lane."""

    def act(self, observations: Any, masks: Any, noise: Any = None) -> Any:
        return np.asarray(noise >> np.uint64(40) & np.uint64(1)).astype(np.int64)


def test_a_position_says_whether_it_was_cut_off() -> None:
    for moves, expected in (((PASS, PASS), True), ((STOP,), False), ((PASS, STOP), False)):
        position = endless().initial_position()
        position.apply("card 1")
        position.apply("card 3")
        for move in moves:
            assert not position.truncated
            position.apply(move)
        assert position.node == "over" and position.truncated is expected
        assert position.returns() == ([0.0, 0.0] if expected else [-1.0, 1.0])


def test_a_game_without_such_a_kernel_is_never_cut_off() -> None:
    position = Game(TOY, ToyOptions()).initial_position()
    for move in ("card 1", "card 3", PASS, PASS):
        position.apply(move)
    assert position.node == "over" and position.truncated is False
    assert "truncated" not in TOY.kernels() and "truncated" in ENDLESS.kernels()


def test_a_batch_says_it_of_every_game_that_ended() -> None:
    batch = endless().batch(64, SEED)
    seen = set()
    for _ in range(40):
        _, over = batch.step(noise_actions(batch.action_masks, batch.noise(SEED)))
        for lane in np.flatnonzero(over):
            position = batch.final_position(lane)
            assert batch.truncated[lane] == position.truncated
            assert not position.truncated or not batch.rewards[lane].any()
            seen.add(bool(batch.truncated[lane]))
    assert seen == {False, True} and batch.truncated.dtype == np.bool_ and not batch.truncated.flags.writeable
    assert (batch.clone().truncated == batch.truncated).all()


def test_an_aec_environment_truncates_or_terminates() -> None:
    env = BoardGameEnv(endless())
    for moves, cut_off in (((PASS, PASS), True), ((PASS, STOP), False)):
        env.reset(seed=SEED)
        for move in moves:
            env.step(move)
        assert set(env.truncations.values()) == {cut_off} and set(env.terminations.values()) == {not cut_off}
        shown = [(agent, env.last()[2:4]) for agent in iter_dead(env)]
        assert shown == [(agent, (not cut_off, cut_off)) for agent in env.possible_agents]
        assert env.agents == []


def iter_dead(env: BoardGameEnv) -> Any:
    """The agents that are stepped once more."""
    for agent in env.agent_iter():
        yield agent
        env.step(None)


@pytest.mark.parametrize("action", [PASS, STOP])
def test_a_gymnasium_environment_truncates_or_terminates(action: int) -> None:
    env = SeatEnv(endless(), learner_seat=1, opponents=[Passing()])
    seen = set()
    for number in range(40):
        env.reset(seed=SEED) if number == 0 else env.reset()
        observation, reward, terminated, cut_off, info = env.step(action)
        assert (terminated, cut_off) == (action == STOP, action == PASS)
        assert env.position().truncated is cut_off and (observation == env.position().observation(1)).all()
        assert reward == 0 or not cut_off
        assert not info["action_mask"].any()
        seen.add(float(reward))
    assert seen == ({0.0} if action == PASS else {-1.0, 0.0, 1.0})


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_vector_environment_truncates_or_terminates(mode: AutoresetMode) -> None:
    envs = SeatVectorEnv(16, game=endless(), learner_seat=1, opponents=[Passing()], autoreset_mode=mode)
    envs.reset(seed=SEED)
    kinds = set()
    for number in range(12):
        actions = np.arange(16) + number & 1
        shows_end = envs._ended.copy()
        _, rewards, terminated, cut_off, infos = envs.step(actions)
        moved = ~shows_end
        assert (terminated == (moved & (actions == STOP))).all() and (cut_off == (moved & (actions == PASS))).all()
        assert not rewards[cut_off].any()
        kinds |= {*terminated.tolist(), *(2 * cut_off).tolist()}
        if mode == AutoresetMode.SAME_STEP:
            ends = infos["final_obs"]
            assert all(ends[lane][1] == CUT_OFF for lane in np.flatnonzero(cut_off))
        if mode == AutoresetMode.DISABLED:
            assert all(envs.position(int(lane)).truncated for lane in np.flatnonzero(cut_off))
            envs.reset(options={"reset_mask": terminated | cut_off})
    assert kinds == {0, 1, 2}


def test_a_seat_batch_says_it_and_shaping_goes_on_where_the_game_would() -> None:
    """An end has no potential (Ng, Harada and Russell 1999); a game that is cut off has the one it stands at."""
    seats = SeatBatch(endless(), 32, learner_seat=1, opponents=[Passing()], shaping=2.0, discount=0.5)
    seats.reset(SEED)
    kinds = set()
    for number in range(20):
        before = seats.shaping.potential.copy()
        assert before.any()
        result = seats.step(np.arange(32) + number & 1)
        assert (result.truncated <= result.over).all()
        won = result.final_returns[np.arange(32), 1]
        expected = np.where(result.truncated, -0.5 * before, won - before)  # cards stay: 0.5 P - P, or 0 - P
        assert np.allclose(result.rewards, expected.astype(np.float32))
        kinds |= {bool(kind) for kind in result.truncated}
    assert kinds == {False, True}


def test_sb3_is_told_and_values_what_would_have_followed() -> None:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback

    class Look(BaseCallback):
        def __init__(self) -> None:
            super().__init__()
            self.infos: list[list[dict[str, Any]]] = []

        def _on_step(self) -> bool:
            self.infos.append(self.locals["infos"])
            return True

        def _on_rollout_end(self) -> None:
            buffer = self.model.rollout_buffer
            for step, infos in enumerate(self.infos):
                for lane, info in enumerate(infos):
                    if info.get("TimeLimit.truncated"):
                        last = self.model.policy.obs_to_tensor(info["terminal_observation"])[0]
                        value = float(self.model.policy.predict_values(last).detach()[0])
                        assert buffer.rewards[step, lane] == pytest.approx(0.5 * value, abs=1e-6) and value != 0
                        assert "win_share" not in info and info["episode"]["r"] == 0
                    elif info:
                        assert buffer.rewards[step, lane] == info["episode"]["r"] and "win_share" in info

    env = SeatVecEnv(endless(), 8, opponents="random", seed=SEED)
    look = Look()
    MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, gamma=0.5, seed=1, device="cpu").learn(1, callback=look)
    told = [info["TimeLimit.truncated"] for infos in look.infos for info in infos if info]
    assert set(told) == {True, False} and len(env.won) == told.count(False)


def test_evaluations_count_them_apart() -> None:
    results = play_games(endless(), [Wavering(), Wavering()], 200, SEED)
    assert 20 < results.truncated.sum() < 100
    assert not results.win_shares[results.truncated].any()
    assert (results.win_shares[~results.truncated].sum(axis=1) == 1).all()
    drawn = (results.returns == 0).all(axis=1) & ~results.truncated
    assert results.ties == drawn.mean() > 0


@pytest.mark.parametrize("players", [1, 3])
def test_a_team_that_was_cut_off_has_neither_won_nor_lost(players: int) -> None:
    game = atlantis_envs.game("atlantis_rising", players=players, truncation=1)
    cell = evaluate(game, ("random",) * players, 20)
    assert cell.team is not None and (cell.truncated, cell.blocks) == (20, 20)
    assert cell.team.share.value == cell.team.lost.value == cell.team.returns.value == 0
    assert evaluation_json(cell)["truncated"] == 20
    told = "20 of 20 games were cut off by a safety bound: neither won nor lost."
    assert (
        told in evaluation_report(cell).markdown() and told in levels([game], ("random",), games=20).report().markdown()
    )


def test_a_team_that_was_not_cut_off_has_won_or_lost() -> None:
    game = atlantis_envs.game("atlantis_rising", players=2, round_limit=1)
    cell = evaluate(game, ("random",) * 2, 20)
    assert cell.team is not None and cell.truncated == 0
    assert cell.team.share.value + cell.team.lost.value == 1 and "cut off" not in evaluation_report(cell).markdown()


# ------------------------------------------------------------------------------- a game that does not end by itself


@kernel
def apply_in_circles(rules, state, index):
    if state.cards[0] == 0:
        state.cards[0] = index + 1
    elif state.cards[1] == 0:
        state.cards[1] = index + 1
    else:
        state.turn = DONE if index == STOP else 1 - int(state.turn)


ROUND_AND_ROUND = replace(
    TOY, name="toy in circles", apply=apply_in_circles, from_json=lambda document: (ToyOptions(), np.zeros(1, STATE))
)
FEW = 20


@pytest.fixture
def in_circles(monkeypatch):
    assert MOST_PLIES == 1_000_000
    monkeypatch.setattr(loops, "MOST_PLIES", FEW)  # kernels take it when they are built
    monkeypatch.setattr(single, "MOST_PLIES", FEW)
    monkeypatch.setattr(position, "MOST_PLIES", FEW)
    return Game(ROUND_AND_ROUND, ToyOptions())


def test_a_batch_cuts_off_a_game_that_goes_on_for_ever(in_circles):
    batch = in_circles.batch(2, SEED)
    for ply in range(1, FEW + 1):
        stops = ply == 7  # in lane 1 alone
        rewards, over = batch.step(np.array([STOP + 1, STOP if stops else STOP + 1]))
        assert over.tolist() == [ply == FEW, stops]
        assert not batch.truncated[1] and batch.truncated[0] == (ply == FEW)
    assert not rewards.any() and batch.plies.tolist() == [0, FEW - 7] and batch.games.tolist() == [2, 3]


def test_so_does_an_environment_at_the_same_decision(in_circles):
    env = BoardGameEnv(in_circles)
    env.reset(seed=SEED)
    for ply in range(1, FEW + 1):
        assert env.agents and not any(env.truncations.values()), ply
        env.step(STOP + 1)
    assert all(env.truncations.values()) and not any(env.terminations.values()) and not any(env.rewards.values())
    assert not env.last()[0]["action_mask"].any()


def dealt(game):
    start = game.initial_position()
    for card in ("card 1", "card 3"):
        start.apply(card)  # chance is no decision
    return start


def test_so_does_a_position_and_its_copies_count_on(in_circles):
    here = dealt(in_circles)
    for ply in range(FEW):
        assert here.node == "decision" and not here.truncated and here.legal_action_ids(), ply
        copied = (Position.clone, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one)))[ply % 3]
        here = copied(here)
        here.apply(STOP + 1)
    before = here.key()
    assert here.node == "over" and here.truncated and here.seat is None and here.returns() == [0.0, 0.0]
    assert here.legal_actions() == [] and here.chance_outcomes() == {} and not here.action_mask(0).any()
    assert all(one.truncated for one in (here.clone(), pickle.loads(pickle.dumps(here)), here.resample(0, SEED)))
    with pytest.raises(IllegalActionError, match="the game is over"):
        here.apply(STOP)
    assert here.key() == before and len(here.log) == 2 + FEW


def test_a_game_that_ends_with_its_last_decision_is_not_cut_off(in_circles):
    here = dealt(in_circles)
    for _ in range(FEW - 1):
        here.apply(STOP + 1)
    here.apply(STOP)
    assert here.node == "over" and not here.truncated and here.returns() == [-1.0, 1.0]


def test_positions_of_a_game_in_play_count_on_from_there(in_circles):
    batch, env = in_circles.batch(2, SEED), BoardGameEnv(in_circles)
    env.reset(seed=SEED)
    for _ in range(FEW - 3):
        batch.step(np.array([STOP + 1, STOP + 1]))
        env.step(STOP + 1)
    for here in (batch.position(1), env.position()):
        for left in (3, 2, 1):
            assert here.node == "decision", left
            here.apply(STOP + 1)
        assert here.truncated
    for _ in range(3):
        batch.step(np.array([STOP + 1, STOP + 1]))
    last = batch.final_position(0)
    assert batch.truncated.all() and last.truncated and last.node == "over" and last.returns() == [0.0, 0.0]


def test_so_does_an_openspiel_game_and_its_clones(monkeypatch):
    """The clock of a real game, wound on to the last decisions: a bound of the engine, so one game stands for all."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: extra openspiel")
    from atlantis_envs.adapters import openspiel

    monkeypatch.setattr(position, "MOST_PLIES", FEW)
    state = openspiel.load("atlantis_rising", players=3).new_initial_state()
    rng, decisions = np.random.default_rng(SEED), 0
    while not state.is_terminal():
        chance = state.is_chance_node()
        moves = [move for move, _ in state.chance_outcomes()] if chance else state.legal_actions()
        decisions += not chance
        state = state.clone()
        state.apply_action(int(rng.choice(moves)))
    assert decisions == FEW and state.position.truncated
    assert state.current_player() == pyspiel.PlayerId.TERMINAL
    assert state.returns() == [0.0] * 3 and state.legal_actions() == []
    assert state.clone().is_terminal()
