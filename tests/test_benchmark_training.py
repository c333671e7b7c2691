"""The division of training time: complete, and the player that reads its moves plays the same games."""

from __future__ import annotations

import numpy as np
import pytest

import atlantis_envs

pytest.importorskip("sb3_contrib")
from atlantis_envs.engine.advance import Advance, Players
from atlantis_training.kernel_players import kernel_players
from atlantis_training.selfplay_pool import FixedSeating
from atlantis_training.selfplay_tables import Tables
from atlantis_training.settings import settings_from
from benchmarks.training import Call, Watch, actions_of, choosing_share, measure, read_on

FEW = {"num_envs": 16, "num_steps": 32, "batch_size": 256, "num_epochs": 1, "hidden": (16,), "share_snapshots": 1}


@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_a_player_that_reads_the_recorded_moves_plays_the_same_games(name):
    game = atlantis_envs.game(name, players=3)
    tables = Tables(game, 12, FixedSeating(game, ["heuristic", "random"]))
    tables.reset(3)
    for _ in range(6):
        own = np.flatnonzero(tables.batch.seats == tables.seats)
        tables.batch.step(tables.masks.argmax(axis=1), own)
    waiting = np.flatnonzero(tables.batch.seats != tables.seats)
    call = Call(tables.batch.clone(), tables._codes.copy(), waiting)
    players, names = kernel_players(game)
    actions, place, ends = actions_of(call, names), np.zeros(1, np.int64), []
    for who in (players, Players(read_on, actions, place)):
        twin = call.batch.clone()
        advance = Advance(twin, who, len(names))
        advance.play(call.codes, call.lanes)
        ends.append((twin.states.tobytes(), twin.seats.tobytes(), advance.asked.tolist()))
    assert ends[0] == ends[1] and place[0] == len(actions) > len(waiting)
    assert 0 <= choosing_share([call]) < 1
    with pytest.raises(RuntimeError, match="other games"):
        choosing_share([Call(Disturbed(call.batch), call.codes, waiting)])


class Disturbed:
    """A batch whose copies are not always the same games."""

    def __init__(self, batch):
        self.batch, self.game, self.copies = batch, batch.game, 0

    def clone(self):
        return self.batch.clone()

    def _copy_from(self, twin):
        self.copies += 1
        self.batch._copy_from(twin)
        if self.copies % 2:
            twin._lanes.games[:] += 1000  # other luck
        return twin


def test_the_parts_are_the_whole():
    shares = measure(settings_from(FEW), rounds=3)
    assert shares.steps == 3 * 16 * 32 and shares.plies > 2 * shares.steps
    assert all(seconds >= 0 for seconds in shares.parts.values()) and shares.parts["opponents: networks"] > 0
    assert sum(shares.parts.values()) == pytest.approx(shares.total, rel=0.02)


def test_a_watch_keeps_games_as_they_stood_and_does_not_count_that():
    batch = atlantis_envs.game("atlandice").batch(4)
    watch = Watch(lambda codes, lanes: batch.step(batch.action_masks.argmax(axis=1)), batch)
    before = batch.states.tobytes()
    watch(np.zeros((4, 3), np.int8), np.arange(4))
    assert watch.kept[0].batch.states.tobytes() == before != batch.states.tobytes()
    assert watch.calls == 1 and watch.rows == 4 and watch.seconds > 0 and watch.keeping > 0
