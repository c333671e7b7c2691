"""The division of training time: complete, and the player that reads its moves plays the same games."""

from __future__ import annotations

import numpy as np
import pytest

import atlantis_envs

pytest.importorskip("sb3_contrib")
from atlantis_envs.seats.agents import Capabilities, Compiled
from atlantis_envs.seats.batch import SeatBatch
from atlantis_envs.seats.compiled import Advance
from atlantis_envs.seats.opponents import FixedSeating
from atlantis_training.selfplay.settings import settings_from
from benchmarks.training import Call, Watch, actions_of, choosing_share, measure, read_on

FEW = {
    "num_envs": 16,
    "num_steps": 32,
    "batch_size": 256,
    "num_epochs": 1,
    "hidden": (16,),
    "share_snapshots": 1,
    "imitate": 0,
}


@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_a_player_that_reads_the_recorded_moves_plays_the_same_games(name):
    game = atlantis_envs.game(name, players=3)
    tables = SeatBatch(game, 12, "rotate", FixedSeating(game, ["heuristic", "random"]))
    tables.reset(3)
    for _ in range(6):
        own = np.flatnonzero(tables.batch.seats == tables.seats)
        tables.batch.step(tables.masks.argmax(axis=1), own)
    waiting = np.flatnonzero(tables.batch.seats != tables.seats)
    call = Call(tables.batch.clone(), tables._codes.copy(), waiting)
    agents = tables.compiled
    actions, place, ends = actions_of(call, agents), np.zeros(1, np.int64), []
    for who in ([Capabilities(agent).compiled for agent in agents], [Compiled(read_on, actions, place)] * len(agents)):
        twin = call.batch.clone()
        advance = Advance(twin, who)
        advance.play(call.codes, call.lanes)
        ends.append((twin.states.tobytes(), twin.seats.tobytes(), advance.decisions.tolist()))
    assert ends[0] == ends[1] and place[0] == len(actions) > len(waiting)
    assert 0 <= choosing_share([call], agents) < 1
    with pytest.raises(RuntimeError, match="other games"):
        choosing_share([Call(Disturbed(call.batch), call.codes, waiting)], agents)


class Disturbed:
    """A batch whose copies are not always the same games."""

    def __init__(self, batch):
        self.batch, self.game, self.copies = batch, batch.game, 0

    def clone(self):
        return self.batch.clone()

    @property
    def seed(self):
        self.copies += 1
        return self.batch.seed + self.copies % 2  # other luck

    def to_arrays(self):
        return self.batch.to_arrays()


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
