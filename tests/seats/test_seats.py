"""SeatBatch: one learner among opponents, against the same games played by hand."""

from __future__ import annotations

import copy
import pickle
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from helpers.support import noise_actions, scaled
from helpers.toy_game import toy_game
from numpy.typing import NDArray

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.seats.batch import SeatBatch

SEED = 77
LEARNER_KEY = np.uint64(0x9E3779B97F4A7C15)


class Shifted:
    """Plays the legal action its noise points at, shifted by a number of its own; each instance plays differently."""

    def __init__(self, shift: int) -> None:
        self.shift = np.uint64(shift)
        self.calls = 0

    def act(self, observations: Any, masks: Any, noise: Any = None) -> NDArray[np.int64]:
        assert len(observations) == len(masks) == len(noise) > 0
        self.calls += 1
        return noise_actions(masks, noise + self.shift)


def learner_actions(observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """A function of what the learner sees alone."""
    words = (observations.astype(np.uint64) * np.arange(1, observations.shape[1] + 1, dtype=np.uint64)).sum(axis=1)
    return noise_actions(masks, words * LEARNER_KEY >> np.uint64(20))


class Story(NamedTuple):
    """What a learner lived through in one game."""

    seat: int
    seen: tuple[bytes, ...]  # observation and mask at each of its decisions, then the final observation
    reward: float
    scores: tuple[int, ...]
    length: int


def by_hand(game: Game, number: int, seat: int, opponents: list[Shifted]) -> tuple[Story, bool]:
    """The story of one game, played with a bare Batch; also whether the learner's own move ended it."""
    batch = game.batch(1, SEED)
    batch.reset(games=[number])
    seen = []
    while True:
        mover = int(batch.seats[0])
        if mover == seat:
            seen += [batch.observations[0].tobytes(), batch.action_masks[0].tobytes()]
            action = learner_actions(batch.observations, batch.action_masks)
        else:
            agent = opponents[(mover - seat - 1) % game.players % len(opponents)]
            action = agent.act(batch.observations, batch.action_masks, batch.noise(SEED))
        rewards, over = batch.step(action)
        if over[0]:
            seen.append(batch.final_position(0).observation(seat).tobytes())
            scores = tuple(int(score) for score in batch.final_scores[0])
            return Story(seat, tuple(seen), float(rewards[0, seat]), scores, len(seen) // 2), mover == seat


def stories(seats: SeatBatch, steps: int) -> dict[int, Story]:
    """Step a SeatBatch and sort what happened by game number. Checks on the way what is true of every step."""
    seen: dict[int, list[bytes]] = defaultdict(list)
    found: dict[int, Story] = {}
    observations, masks = seats.observations, seats.masks
    for _ in range(steps):
        games = seats.batch.games.copy()
        for lane, number in enumerate(games):
            seen[number] += [observations[lane].tobytes(), masks[lane].tobytes()]
        result = seats.step(learner_actions(observations, masks))
        observations, masks = result.observations, result.masks
        assert (result.seats == seats.batch.seats).all() and (result.seats == seats.seats).all()
        assert masks.any(axis=1).all() and not result.illegal.any()
        assert not result.rewards[~result.over].any() and not result.lengths[~result.over].any()
        assert not result.final_observations[~result.over].any()
        for lane in np.flatnonzero(result.over):
            number = int(games[lane])
            assert number not in found  # paid once
            assert result.final_returns[lane, result.final_seats[lane]] == result.rewards[lane]
            found[number] = Story(
                int(result.final_seats[lane]),
                (*seen[number], result.final_observations[lane].tobytes()),
                float(result.rewards[lane]),
                tuple(int(score) for score in result.final_scores[lane]),
                int(result.lengths[lane]),
            )
    return found


def seat_batch(game: Game, lanes: int, seed: int = SEED, **settings: Any) -> SeatBatch:
    settings.setdefault("opponents", Shifted(0))
    seats = SeatBatch(game, lanes, **settings)
    seats.reset(seed)
    return seats


@pytest.mark.parametrize("rule", ["random", "rotate", 1])
@pytest.mark.parametrize("crowd", ["one", "each"])
def test_stories_are_those_of_single_games(game: Game, rule: Any, crowd: str) -> None:
    """Whatever the number of lanes, game g is the game a bare batch of one plays, seat by seat."""
    opponents = [Shifted(n) for n in range(1 if crowd == "one" else game.players - 1)]
    told: dict[int, Story] = {}
    for lanes in (1, 3, 5):
        found = stories(seat_batch(game, lanes, learner_seat=rule, opponents=opponents), scaled(250, 1000))
        assert len(found) >= lanes
        for number, story in found.items():
            assert told.setdefault(number, story) == story
    own_ends = 0
    for number, story in told.items():
        by_myself, own_end = by_hand(game, number, story.seat, opponents)
        assert story == by_myself
        own_ends += own_end
        if rule != "random":
            assert story.seat == (1 if rule == 1 else number % game.players)
    assert own_ends < len(told)  # some games are ended by an opponent, and are paid all the same
    assert any(story.reward for story in told.values())


def test_lanes_end_at_different_times() -> None:
    seats = seat_batch(atlantis_envs.game("atlandice", players=3), 4)
    ends = []
    for _ in range(300):
        result = seats.step(learner_actions(seats.observations, seats.masks))
        ends.append(result.over.sum())
    assert sum(ends) > 4
    assert max(ends) < 4


def test_random_seats_depend_on_seed_and_game_alone() -> None:
    game = atlantis_envs.game("atlandice", players=4)
    wide = seat_batch(game, 400)
    assert np.bincount(wide.seats).min() > 70
    narrow = seat_batch(game, 1)
    for number in (0, 7, 399):
        narrow.reset(SEED, games=[number])
        assert narrow.seats[0] == wide.seats[number]
    other = seat_batch(game, 400, seed=SEED + 1)
    assert (other.seats != wide.seats).mean() > 0.5


def test_reset_goes_on_with_each_lanes_next_game() -> None:
    game = atlantis_envs.game("atlandice", players=2)
    seats = seat_batch(game, 3)
    assert list(seats.batch.games) == [0, 1, 2]
    seats.reset()
    assert list(seats.batch.games) == [3, 4, 5]
    again = seat_batch(game, 3)
    again.reset(games=[3, 4, 5])
    assert np.array_equal(seats.observations, again.observations)
    assert stories(seats, 150) == stories(again, 150)
    drawn = set()
    for _ in range(3):
        fresh = SeatBatch(game, 1, opponents=Shifted(0))
        fresh.reset()
        drawn.add(fresh.batch.seed)
    assert len(drawn) == 3


# ---- games without a decision of the learner


def test_games_without_the_learner_are_passed_over() -> None:
    """In the toy seat 0 may stop at once; a learner in seat 1 is only ever shown games in which it decides."""
    game = toy_game()
    seats = seat_batch(game, 4, learner_seat=1)
    found = stories(seats, 100)
    assert len(found) == 400  # each of its decisions ends a game
    numbers = set(found)
    assert len(set(range(max(numbers))) - numbers) > 100  # passed over
    for number in sorted(numbers)[:50]:
        story, own_end = by_hand(game, number, 1, [Shifted(0)])
        assert own_end and story == found[number]


def test_an_opponents_stop_pays_the_learner() -> None:
    game = toy_game()
    found = stories(seat_batch(game, 4, learner_seat=0), 200)
    ends = [by_hand(game, number, 0, [Shifted(0)]) for number in sorted(found)[:60]]
    assert [story for story, _ in ends] == [found[number] for number in sorted(found)[:60]]
    assert {own_end for _, own_end in ends} == {True, False}
    assert {story.reward for story, _ in ends} == {-1.0, 0.0, 1.0}


# ---- opponents


def test_each_agent_is_asked_once_for_all_its_lanes() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    one = Shifted(0)
    seat_batch(game, 32, opponents=one)
    assert 0 < one.calls < 60


def test_agents_by_name_and_misfits() -> None:
    game = atlantis_envs.game("atlandice", players=4)
    assert len(SeatBatch(game, 1, opponents="random").opponents) == 1
    assert len(SeatBatch(game, 1, opponents=["random", Shifted(1), "random"]).opponents) == 3
    for opponents in (["random", "random"], [], "nobody", 3, [object()] * 3, None):
        with pytest.raises(OptionError):
            SeatBatch(game, 1, opponents=opponents)  # type: ignore[arg-type]
    for seat in (4, -1, True, 1.0, "first", None):
        with pytest.raises(OptionError, match="learner_seat"):
            SeatBatch(game, 1, seat, Shifted(0))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="illegal"):
        SeatBatch(game, 1, 0, Shifted(0), illegal="ignore")
    with pytest.raises(ValueError, match="num_games"):
        SeatBatch(game, 0, 0, Shifted(0))


class Cheat:
    """Answers with the actions it was given."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self.answer = answer

    def act(self, observations: Any, masks: Any, noise: Any = None) -> Any:
        return self.answer(masks)


@pytest.mark.parametrize(
    "answer",
    [
        lambda masks: np.argmin(masks, axis=1),
        lambda masks: masks.argmax(axis=1).astype(float),
        lambda masks: masks.argmax(axis=1)[:-1],
        lambda masks: np.full(len(masks), -1),
    ],
)
def test_a_failing_opponent_stops_the_games(answer: Callable[[Any], Any]) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    cheat = Cheat(lambda masks: masks.argmax(axis=1))
    seats = SeatBatch(game, 6, 0, cheat)
    seats.reset(SEED)
    cheat.answer = answer
    with pytest.raises(IllegalActionError):
        while True:
            seats.step(learner_actions(seats.observations, seats.masks))
    with pytest.raises(RuntimeError, match="reset"):
        seats.step(learner_actions(seats.observations, seats.masks))
    cheat.answer = lambda masks: masks.argmax(axis=1)
    seats.reset()
    seats.step(learner_actions(seats.observations, seats.masks))


def test_step_before_reset() -> None:
    seats = SeatBatch(toy_game(), 2, opponents=Shifted(0))
    with pytest.raises(RuntimeError, match="reset"):
        seats.step([0, 0])


# ---- illegal actions


def test_illegal_raises_and_nothing_moves() -> None:
    seats = seat_batch(atlantis_envs.game("atlandice", players=3), 4)
    twin = copy.deepcopy(seats)
    actions: Any
    good = learner_actions(seats.observations, seats.masks)
    bad = good.copy()
    bad[2] = int(np.flatnonzero(seats.masks[2] == 0)[0])
    for actions in (bad, good.astype(float), good[:3], good.astype(bool), np.full(4, 2**63, np.uint64), [-1] * 4, None):
        with pytest.raises(IllegalActionError):
            seats.step(actions)
    assert stories(seats, 150) == stories(twin, 150)


def test_illegal_terminates_its_own_game_only() -> None:
    game = atlantis_envs.game("atlandice", players=3)
    seats = seat_batch(game, 4, illegal="terminate")
    twin = seat_batch(game, 4)
    for _ in range(3):
        actions = learner_actions(seats.observations, seats.masks)
        seats.step(actions)
        twin.step(actions)
    before, position, games = seats.observations, seats.batch.position(1), seats.batch.games.copy()
    learner = seats.seats.copy()
    good = learner_actions(before, seats.masks)
    bad = good.copy()
    bad[1], bad[3] = int(np.flatnonzero(seats.masks[1] == 0)[0]), game.num_actions
    result = seats.step(bad)
    expected = twin.step(good)
    hit, spared = [1, 3], [0, 2]
    assert list(result.over) == list(result.illegal) == [False, True, False, True]
    assert list(result.rewards) == [0, -1, 0, -1]
    assert list(result.lengths) == [0, 4, 0, 4]
    assert list(result.final_seats[hit]) == list(learner[hit])
    assert np.array_equal(result.final_observations[hit], before[hit])
    assert list(result.final_scores[1]) == position.scores()
    assert result.final_returns[1].sum() == -1 and result.final_returns[1, learner[1]] == -1
    assert np.array_equal(result.observations[spared], expected.observations[spared])
    assert seats.batch.final_position(1) == position
    assert list(seats.batch.games - games) == [0, 4, 0, 4]
    fresh = seat_batch(game, 4)
    fresh.reset(SEED, games=seats.batch.games)
    assert np.array_equal(result.observations[hit], fresh.observations[hit])
    assert np.array_equal(result.masks[hit], fresh.masks[hit])
    assert list(result.seats[hit]) == list(fresh.seats[hit])
    after, reference = stories(seats, 200), stories(fresh, 200)
    for lane in hit:
        assert after[int(games[lane]) + 4] == reference[int(games[lane]) + 4]
    everything = seats.step(np.full(4, -1))
    assert everything.illegal.all() and everything.over.all()
    with pytest.raises(IllegalActionError):
        seats.step(np.zeros(4))
    with pytest.raises(IllegalActionError):
        seats.step(np.zeros(3, np.int64))


# ---- arrays and copies


def test_results_never_change_later() -> None:
    seats = seat_batch(atlantis_envs.game("atlandice", players=2), 3)
    kept: list[tuple[Any, bytes]] = []
    for _ in range(120):
        result = seats.step(learner_actions(seats.observations, seats.masks))
        kept += [(array, array.tobytes()) for array in (*result, seats.observations, seats.masks)]
    assert all(array.tobytes() == content for array, content in kept)
    assert all(array.flags.writeable for array, _ in kept)


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda seats: pickle.loads(pickle.dumps(seats))])
def test_copies_go_on_alike(twin_of: Callable[[Any], Any]) -> None:
    seats = seat_batch(atlantis_envs.game("atlandice", players=3), 3)
    for _ in range(10):
        seats.step(learner_actions(seats.observations, seats.masks))
    twin = twin_of(seats)
    told = stories(seats, 150)
    assert told and stories(twin, 150) == told


@pytest.mark.parametrize("opponents", ["random", "heuristic"])
def test_pickles_hold_no_kernels(opponents: str) -> None:
    seats = seat_batch(atlantis_envs.game("atlandice", players=3), 3, opponents=opponents)
    pickled = pickle.dumps(seats)
    assert b"numba" not in pickled and b"advance_loop" not in pickled
    twin = pickle.loads(pickled)
    assert stories(twin, 50) == stories(seats, 50)
    assert seats.advance is not None and seats.advance.decisions.sum() > 0
    assert np.array_equal(twin.advance.decisions, seats.advance.decisions)
