"""Tables of a learner and its opponents: the same games whoever plays them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.outsiders import Shifted, learner_actions
from helpers.slow_seats import SlowSeatBatch
from helpers.support import scaled
from helpers.toy_game import toy_game

import atlantis_envs
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.kernels.kernel import kernel
from atlantis_envs.seats.agents import Compiled, make_agent
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.compiled import Advance
from atlantis_envs.seats.opponents import LEARNER, FixedSeating
from atlantis_envs.seats.step import SeatStep

pytest.importorskip("sb3_contrib")


@pytest.mark.parametrize("learner_seat", ["rotate", "random", 1])
@pytest.mark.parametrize("line_up", ["random", "heuristic", "both", "outsider", "none compiled"])
def test_tables_show_what_seat_batch_shows_byte_for_byte(game, line_up, learner_seat):
    opponents = {
        "random": "random",
        "heuristic": "heuristic",
        "both": ["random", "heuristic", "random"][: game.players - 1],
        "outsider": ["heuristic", Shifted(), "random"][: game.players - 1],
        "none compiled": make_agent("heuristic", game),
    }[line_up]
    plain = SlowSeatBatch(game, 9, learner_seat, opponents)
    fast = SeatBatch(game, 9, learner_seat, FixedSeating(game, opponents))
    plain.reset(3)
    fast.reset(3)
    ended = 0
    for _ in range(scaled(80, 600)):
        assert np.array_equal(plain.observations, fast.observations)
        assert np.array_equal(plain.masks, fast.masks) and np.array_equal(plain.seats, fast.seats)
        assert plain.batch.states.tobytes() == fast.batch.states.tobytes()
        actions = learner_actions(plain)
        for name, old, new in zip(SeatStep._fields, plain.step(actions), fast.step(actions), strict=True):
            assert old.dtype == new.dtype and np.array_equal(old, new), name
        ended += int(plain.batch.games.max())
    assert ended > 0


def test_a_game_that_ends_before_the_learner_plays_is_passed_over():
    game = toy_game()
    plain, fast = SlowSeatBatch(game, 6, "rotate", "random"), SeatBatch(game, 6, "rotate", FixedSeating(game, "random"))
    plain.reset(1)
    fast.reset(1)
    for _ in range(200):
        actions = learner_actions(plain)
        for old, new in zip(plain.step(actions), fast.step(actions), strict=True):
            assert np.array_equal(old, new)


def test_a_player_that_chooses_an_illegal_action_is_stopped():
    @kernel
    def never_legal(params, work, observation, mask, noise):
        return -1

    game = toy_game()
    batch = game.batch(4)
    nothing = np.zeros(1, np.float64)
    advance = Advance(batch, [Compiled(never_legal, nothing, nothing)])
    before = batch.states.tobytes()
    with pytest.raises(IllegalActionError, match="a player in the loop"):
        advance.play(np.zeros((4, 2), np.int8), np.arange(4))
    assert batch.states.tobytes() == before


def test_illegal_actions_of_the_learner_move_nothing(game):
    tables = SeatBatch(game, 5, "rotate", FixedSeating(game, "random"))
    with pytest.raises(RuntimeError, match="reset"):
        tables.step(np.zeros(5, np.int64))
    tables.reset(0)
    before = tables.batch.states.tobytes()
    with pytest.raises(IllegalActionError, match=r"actions\[0\]"):
        tables.step((tables.masks == 0).argmax(axis=1))
    assert tables.batch.states.tobytes() == before


def test_learner_seat_rotates_and_a_trajectory_never_mixes_seats(game):
    tables = SeatBatch(game, 7, "rotate", FixedSeating(game, "random"))
    tables.reset(0)
    seats = tables.seats.copy()
    for _ in range(60):
        assert np.array_equal(tables.seats, tables.batch.games % game.players)
        assert np.array_equal(tables.batch.seats, tables.seats)
        step = tables.step(learner_actions(tables))
        assert np.array_equal(step.seats[~step.over], seats[~step.over])
        assert np.array_equal(step.final_seats[step.over], seats[step.over])
        seats = step.seats


def test_tables_restored_from_arrays_go_on_the_same(game):
    first, second = (SeatBatch(game, 6, "rotate", FixedSeating(game, "heuristic")) for _ in range(2))
    first.reset(4)
    for _ in range(20):
        first.step(learner_actions(first))
    saved = {name: array.copy() for name, array in first.to_arrays().items()}
    second.from_arrays(saved)
    for _ in range(40):
        actions = learner_actions(first)
        for old, new in zip(first.step(actions), second.step(actions), strict=True):
            assert np.array_equal(old, new)


@pytest.mark.parametrize("how", ["bytes", "seat", "sitting", "shape", "shown", "missing"])
def test_tables_that_cannot_be_are_refused(how):
    game = atlantis_envs.game("atlandice", players=3)
    tables = SeatBatch(game, 4, "rotate", FixedSeating(game, "random"))
    tables.reset(4)
    saved = {name: array.copy() for name, array in tables.to_arrays().items()}
    if how == "bytes":
        saved["batch.states"][:] = 255
    elif how == "seat":
        saved["seats"][:] = 7
    elif how == "sitting":
        saved["sitting"][:] = LEARNER
    elif how == "shape":
        saved["lengths"] = saved["lengths"][:2]
    elif how == "shown":
        saved["batch.masks"][:] = 1
    else:
        del saved["batch.games"]
    before = tables.batch.states.tobytes()
    with pytest.raises(OptionError, match=r"^tables: "):
        tables.from_arrays(saved)
    assert tables.batch.states.tobytes() == before
