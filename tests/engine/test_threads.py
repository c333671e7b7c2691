"""One thread at a time: a second call is refused with an error, and no game is torn."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
from helpers.support import noise_actions

import atlantis_envs
from atlantis_envs import atlandice_v1
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.single import Single
from atlantis_envs.engine.threads import PROCESS
from atlantis_envs.errors import AtlantisError, IllegalActionError, InUseError
from atlantis_envs.kernels.kernel import JIT
from atlantis_envs.seats.batch import SeatBatch


@pytest.fixture
def game() -> Game:
    return atlantis_envs.game("atlandice", players=3)


def first_legal(batch: Batch) -> np.ndarray[Any, Any]:
    return noise_actions(batch.action_masks, batch.noise(7))


# ---- real threads


@pytest.mark.skipif(not JIT, reason="plain Python keeps its lock")
def test_four_threads_on_one_batch_get_an_error_and_every_lane_stays_sound(game: Game) -> None:
    batch = game.batch(4096, seed=3)
    refused: list[InUseError] = []
    others: list[BaseException] = []
    stop = time.monotonic() + 1.0

    def play() -> None:
        while time.monotonic() < stop:
            try:
                batch.step(first_legal(batch))
            except InUseError as error:
                refused.append(error)
            except IllegalActionError:
                pass  # the other thread has moved since this one looked
            except BaseException as error:
                others.append(error)

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not others
    assert refused and "another call is at work on this Batch; allowed: one thread at a time" in str(refused[0])
    assert all(batch.position(lane).check() == 0 for lane in range(0, 4096, 16))
    batch.step(first_legal(batch))  # free again
    lane = batch.position(5)  # what the lane shows is what its position shows
    assert np.array_equal(batch.observations[5], lane.observation(int(batch.seats[5])))


def test_a_thread_each_is_fine(game: Game) -> None:
    batches = [game.batch(64, seed=seed) for seed in (1, 2, 1)]

    def play(batch: Batch) -> None:
        for _ in range(30):
            batch.step(first_legal(batch))

    threads = [threading.Thread(target=play, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert batches[0].states.tobytes() == batches[2].states.tobytes() != batches[1].states.tobytes()


# ---- every call, while another is at work


def in_the_middle(owner: Any, call: Callable[[], Any]) -> BaseException | None:
    """What ``call`` raises in a thread of its own while another call has hold of the owner."""
    raised: list[BaseException | None] = []

    def other() -> None:
        try:
            call()
            raised.append(None)
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=other)
    owner._held = PROCESS.token
    try:
        thread.start()
        thread.join()
    finally:
        owner._held = None
    return raised[0]


CALLS: dict[str, Callable[[Batch], Any]] = {
    "reset": lambda batch: batch.reset(seed=1),
    "step": lambda batch: batch.step([0, 0]),
    "abandon": lambda batch: batch.abandon([0]),
    "load": lambda batch: batch.load([batch.game.initial_position()] * 2),
    "noise": lambda batch: batch.noise(1),
    "position": lambda batch: batch.position(0),
    "final_position": lambda batch: batch.final_position(0),
    "clone": lambda batch: batch.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": pickle.dumps,
    "from_positions": lambda batch: batch.from_positions([batch.game.initial_position()] * 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_call_on_a_batch_is_refused_while_another_is_at_work(game: Game, name: str) -> None:
    batch = game.batch(2, seed=4)
    before = pickle.dumps(batch)
    error = in_the_middle(batch, lambda: CALLS[name](batch))
    assert isinstance(error, InUseError) and isinstance(error, (AtlantisError, RuntimeError))
    assert "allowed: one thread at a time for a Batch" in str(error)
    assert pickle.dumps(batch) == before
    if name != "step":
        CALLS[name](batch)


def test_single_games_positions_and_seats_are_guarded_alike(game: Game) -> None:
    single = Single(game)
    single.start(1, 0)
    for call in (lambda: single.start(2, 0), lambda: single.step(0), single.position, lambda: single.observe(0)):
        assert isinstance(in_the_middle(single, call), InUseError)
    position = game.initial_position()
    move = next(iter(position.chance_outcomes()))
    for call in (lambda: position.apply(move), position.clone, position.to_json, lambda: pickle.dumps(position)):
        assert isinstance(in_the_middle(position, call), InUseError)
    assert position == game.initial_position() and position.log == []
    seats = SeatBatch(game, 2)
    seats.reset(1)
    for call in (lambda: seats.reset(2), lambda: seats.step([0, 0]), lambda: seats.restart(np.arange(1))):
        assert isinstance(in_the_middle(seats, call), InUseError)


def test_two_threads_apply_one_move_each_or_are_told(game: Game) -> None:
    """Positions: whatever was applied is in the log, and the log leads to the position."""
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for seed in range(30):
            position = game.initial_position()
            known: list[BaseException] = []

            def play(position=position, known=known, seed=seed):  # type: ignore[no-untyped-def]
                for step in range(12):
                    try:
                        moves = list(position.chance_outcomes()) or position.legal_actions()
                        position.apply(moves[(seed + step) % len(moves)])
                    except (AtlantisError, ZeroDivisionError) as error:
                        known.append(error)

            threads = [threading.Thread(target=play) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            again = game.initial_position()
            for text in position.log:
                again.apply(text)
            assert again == position and position.check() == 0
    finally:
        sys.setswitchinterval(switch)


# ---- let go of


class Stop(BaseException):
    """An exception that nobody expects."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, Stop, ValueError])
def test_after_an_exception_inside_the_batch_is_free(game: Game, error: type[BaseException]) -> None:
    batch = game.batch(2, seed=1)
    calls = batch._calls

    def fail(*_: Any) -> None:
        raise error

    for name, call in (("step", lambda: batch.step(first_legal(batch))), ("start", batch.reset)):
        batch._calls = copy.copy(calls)
        object.__setattr__(batch._calls, name, fail)
        with pytest.raises(error):
            call()
        batch._calls = calls
        call()
    with pytest.raises(IllegalActionError):
        batch.step([-1, -1])
    batch.step(first_legal(batch))


def test_real_signals_in_the_middle_leave_it_free(game: Game) -> None:
    """Ctrl-C at three hundred moments of stepping; a signal that comes while one is being counted is passed over."""
    batch, process = game.batch(1, seed=1), os.getpid()
    caught, armed = 0, False

    def interrupted(*_: Any) -> None:
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt

    def shoot() -> None:
        for _ in range(300):
            time.sleep(0.0007)
            os.kill(process, signal.SIGINT)

    before = signal.signal(signal.SIGINT, interrupted)
    thread = threading.Thread(target=shoot)
    thread.start()
    while thread.is_alive():
        try:
            armed = True
            while thread.is_alive():
                batch.step([int(batch.action_masks[0].argmax())])
            armed = False
        except KeyboardInterrupt:
            caught += 1
    thread.join()
    signal.signal(signal.SIGINT, before)
    assert caught > 50
    batch.step([int(batch.action_masks[0].argmax())])


def test_a_batch_is_not_free_before_its_own_threads_are_done(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while they are at work waits for them: a later call must not meet them."""
    batch = game.batch(8192, seed=1, threads=2)
    batch.step(first_legal(batch))
    slow = threading.Event()
    submit = batch._parts.others().submit

    def late(work: Callable[..., None], *arguments: Any) -> Future[None]:
        def later() -> None:
            slow.wait(10)
            work(*arguments)

        return submit(later)

    monkeypatch.setattr(batch._parts.pool, "submit", late)
    timers = [threading.Timer(wait, act) for wait, act in ((0.2, interrupt), (0.4, interrupt), (0.6, slow.set))]
    for timer in timers:
        timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        batch.step(first_legal(batch))
    assert time.monotonic() - started > 0.5
    for timer in timers:
        timer.join()
    monkeypatch.undo()
    batch.step(first_legal(batch))


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_after_a_fork_and_in_pickles_it_is_free(game: Game) -> None:
    batch, single = game.batch(1, seed=1), Single(game)
    single.start(1, 0)
    seats = SeatBatch(game, 1)
    seats.reset(1)
    batch._held = single._held = seats._held = PROCESS.token  # as if another thread were in the middle of a step
    child = os.fork()
    if child == 0:
        try:
            batch.step([int(batch.action_masks[0].argmax())])
            single.step(int(single.mask.argmax()))
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    with pytest.raises(InUseError):
        batch.noise(1)
    twin = copy.deepcopy(seats.__dict__["_held"])
    assert twin is not PROCESS.token and pickle.loads(pickle.dumps(seats._held)) is not PROCESS.token
    batch._held = None
    pickle.loads(pickle.dumps(batch)).step([int(batch.action_masks[0].argmax())])


def test_environments_say_it_too() -> None:
    environment = atlandice_v1.raw_env()
    environment.reset(seed=1)
    call = lambda: environment.step(int(environment.last()[0]["action_mask"].argmax()))  # noqa: E731
    assert isinstance(in_the_middle(environment._single, call), InUseError)
    call()
