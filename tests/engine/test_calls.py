"""Machine code called as it stands: the same results as the uncompiled source, whatever arrays come from outside."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import atlantis_envs
from atlantis_envs.engine.chance import noise_word
from atlantis_envs.engine.loops import Calls
from atlantis_envs.engine.position import Position
from atlantis_envs.kernels.copying import move
from atlantis_envs.kernels.kernel import JIT, entry

SIZE = 40


@entry
def moved(to, at, source, start, count):  # type: ignore[no-untyped-def]
    """Reach ``move`` from Python."""
    move(to, at, source, start, count)


@entry
def one_word(key, game, ply):  # type: ignore[no-untyped-def]
    """Reach ``noise_word`` from Python."""
    return noise_word(key, game, ply)


@pytest.mark.parametrize(("at", "start", "count"), [(0, 0, SIZE), (3, 7, 5), (39, 0, 1), (0, 39, 1), (8, 8, 0)])
@pytest.mark.parametrize("shape", [(SIZE,), (5, 8)])
def test_bytes_are_moved_and_nothing_else_changes(at: int, start: int, count: int, shape: tuple[int, ...]) -> None:
    source = np.arange(-20, SIZE - 20, dtype=np.int8).reshape(shape)
    to = np.full(SIZE, 200, np.uint8)
    wanted = to.copy()
    wanted[at : at + count] = source.ravel().view(np.uint8)[start : start + count]
    moved(to, at, source, start, count)
    assert np.array_equal(to, wanted)


@pytest.mark.skipif(not JIT, reason="uncompiled, arrays of any size of number can be moved")
@pytest.mark.parametrize("rows", [(np.int16, np.uint8), (np.uint8, np.int32)])
def test_only_bytes_are_moved(rows: tuple[Any, Any]) -> None:
    to, source = (np.zeros(4, kind) for kind in rows)
    with pytest.raises(Exception, match="allowed: rows of bytes"):
        moved(to, 0, source, 0, 1)


def test_noise_of_many_rows_is_that_of_each_row() -> None:
    batch = atlantis_envs.game("atlandice").batch(37, seed=2**64 - 5)
    for _ in range(3):
        batch.step(batch.action_masks.argmax(axis=1))
    for seed in (None, 0, 2**63 + 11):
        keys = batch.seeds if seed is None else np.full(37, seed, np.uint64)
        wanted = [int(one_word(keys[row], batch.games[row], batch.plies[row])) for row in range(37)]
        assert batch.noise(seed).tolist() == wanted
        assert batch.noise(seed, [30, 4]).tolist() == [wanted[30], wanted[4]]


def odd_arrays(ids: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The same action ids in arrays of every kind that callers may bring."""
    unaligned = np.zeros(8 * len(ids) + 1, np.uint8)[1:].view(np.int64)
    unaligned[:] = ids
    frozen = ids.copy()
    frozen.flags.writeable = False
    return {
        "strided": np.repeat(ids, 3)[::3],
        "reversed": ids[::-1].copy()[::-1],
        "unaligned": unaligned,
        "read-only": frozen,
        "other byte order": ids.astype(ids.dtype.newbyteorder()),
        "narrow": ids.astype(np.int16),
        "subclass": np.asarray(ids).view(np.recarray),
        "list": ids.tolist(),
    }


@pytest.mark.parametrize("name", odd_arrays(np.zeros(3, np.int64)))
def test_actions_and_lanes_in_any_array_play_the_same(name: str) -> None:
    game = atlantis_envs.game("atlandice")
    plain, odd = game.batch(6, seed=3), game.batch(6, seed=3)
    lanes = np.array([0, 2, 5])
    for _ in range(20):
        ids = plain.action_masks[lanes].argmax(axis=1)
        plain.step(ids, lanes)
        odd.step(odd_arrays(ids)[name], odd_arrays(lanes)[name])
        assert np.array_equal(plain.observations, odd.observations) and plain.states.tobytes() == odd.states.tobytes()


def test_a_clone_shares_nothing_that_changes() -> None:
    batch = atlantis_envs.game("atlantis").batch(1, seed=4)
    position = batch.position(0)
    before = position.key(), position.log
    twin = position.clone()
    for _ in range(12):
        if twin.node == "over":
            break
        twin.apply(twin.legal_action_ids()[0] if twin.node == "decision" else twin.sample_chance())
    assert (position.key(), position.log) == before and twin.key() != position.key()
    again = position.clone()  # its chance goes on where the first clone's began
    for text in twin.log:
        assert again.node != "chance" or again.sample_chance() == text
        again.apply(text)
    assert again == twin


def test_machine_code_is_found_once_and_by_name_only() -> None:
    calls = atlantis_envs.game("atlandice").calls
    assert isinstance(calls, Calls) and calls.node is calls.node
    with pytest.raises(AttributeError):
        _ = calls.no_such_entry


def test_positions_are_cloned_and_looked_at_by_many_threads_at_once() -> None:
    position: Position = atlantis_envs.game("atlantis").batch(1, seed=4).position(0)
    wanted, found = (position.key(), position.legal_actions()), []

    def look() -> None:
        found.extend((position.clone().key(), position.legal_actions()) for _ in range(300))

    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 900 and all(pair == wanted for pair in found)
