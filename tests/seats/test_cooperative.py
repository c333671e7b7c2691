"""One policy in all seats of a cooperative game, and shaping: what a team of learners is shown and paid."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from helpers.support import noise_actions, scaled
from numpy.typing import NDArray

import atlantis_envs
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import IllegalActionError, OptionError
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.seats.batch import SeatBatch, SeatStep

ENV = "atlantis_envs/AtlantisRising-v2"
SEED = 31
TABLES = [1, 2, 4, 7]
KEY = np.uint64(0x9E3779B97F4A7C15)


def cooperative(players: int, **options: Any) -> Game:
    return atlantis_envs.game("atlantis_rising", players=players, **{"round_limit": 2, **options})


def chosen(observations: NDArray[np.uint8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """One policy: a function of what the seat to move sees alone."""
    words = (observations.astype(np.uint64) * np.arange(1, observations.shape[1] + 1, dtype=np.uint64)).sum(axis=1)
    return noise_actions(masks, words * KEY >> np.uint64(20))


def same(one: SeatStep, other: SeatStep) -> None:
    for name, left, right in zip(one._fields, one, other, strict=True):
        assert left.dtype == right.dtype and np.array_equal(left, right), name


# ---- one policy in all seats


@pytest.mark.parametrize("players", TABLES)
def test_every_decision_is_the_learners_with_the_eyes_of_the_seat_to_move(players: int) -> None:
    """Against a bare batch: nothing is played in between, and the common return is paid once."""
    game = cooperative(players)
    team = SeatBatch(game, 5, learner_seat="all")
    bare = game.batch(5, SEED)
    team.reset(SEED)
    assert team.opponents == ()
    ended, movers = 0, set()
    lengths = np.zeros(5, np.int64)
    for _ in range(scaled(800, 5_000)):
        assert np.array_equal(team.observations, bare.observations) and np.array_equal(team.masks, bare.action_masks)
        assert np.array_equal(team.seats, bare.seats)
        movers |= set(team.seats.tolist())
        before = bare.seats.copy()
        actions = chosen(team.observations, team.masks)
        result = team.step(actions)
        rewards, over = bare.step(actions)
        lengths += 1
        assert np.array_equal(result.over, over) and np.array_equal(result.rewards, rewards[:, 0])
        assert (rewards == rewards[:, :1]).all()
        assert np.array_equal(result.final_seats[over], before[over])
        assert np.array_equal(result.final_observations[over], bare.final_observations[over])
        assert np.array_equal(result.final_returns[over], rewards[over])
        assert np.array_equal(result.lengths[over], lengths[over])
        lengths[over] = 0
        ended += int(over.sum())
    assert ended >= 3 and movers == set(range(players))


@pytest.mark.parametrize("players", TABLES)
def test_gymnasium_all_seats(players: int) -> None:
    env = gymnasium.make(ENV, players=players, learner_seat="all", round_limit=1)
    check_env(env.unwrapped)
    observation, info = env.reset(seed=SEED)
    ended, seats = 0, set()
    while ended < 3:
        seats.add(info["learner_seat"])
        assert env.unwrapped.position().seat == info["learner_seat"]
        assert np.array_equal(env.unwrapped.position().observation(info["learner_seat"]), observation)
        action = chosen(observation[None], info["action_mask"][None])[0]
        observation, reward, over, _, info = env.step(action)
        assert reward in ((-1.0, 1.0) if over else (0.0,))
        if over:
            assert info["returns"].tolist() == [reward] * players
            observation, info = env.reset()
            ended += 1
    assert seats == set(range(players))


def test_the_vector_environment_shows_what_the_seat_batch_shows() -> None:
    settings: dict[str, Any] = {"players": 3, "learner_seat": "all", "round_limit": 1, "shaping": 0.5, "discount": 0.9}
    many = gymnasium.make_vec(ENV, num_envs=4, vectorization_mode="vector_entry_point", **settings)
    team = SeatBatch(cooperative(3, round_limit=1), 4, learner_seat="all", shaping=0.5, discount=0.9)
    observations, infos = many.reset(seed=SEED)
    team.reset([SEED + lane for lane in range(4)])
    ended = 0
    for _ in range(300):
        assert np.array_equal(observations, team.observations)
        assert np.array_equal(infos["learner_seat"], team.seats)
        actions = chosen(team.observations, team.masks)
        observations, rewards, over, _, infos = many.step(actions)
        result = team.step(actions)
        assert np.array_equal(rewards, result.rewards) and np.array_equal(over, result.over)
        ended += int(over.sum())
    assert ended > 3


def test_an_illegal_action_costs_everybody_and_the_next_game_begins() -> None:
    team = SeatBatch(cooperative(3), 2, learner_seat="all", illegal="terminate")
    team.reset(SEED)
    actions = chosen(team.observations, team.masks)
    actions[1] = int((team.masks[1] == 0).argmax())
    result = team.step(actions)
    assert result.over.tolist() == result.illegal.tolist() == [False, True]
    assert result.final_returns.tolist() == [[0, 0, 0], [-1, -1, -1]] and result.rewards.tolist() == [0, -1]
    assert np.array_equal(team.seats, team.batch.seats)
    strict = SeatBatch(cooperative(3), 2, learner_seat="all")
    strict.reset(SEED)
    before = strict.batch.states.tobytes()
    with pytest.raises(IllegalActionError):
        strict.step(actions)
    assert strict.batch.states.tobytes() == before


@pytest.mark.parametrize("name", ["atlandice", "atlantis"])
def test_all_seats_of_a_competitive_game_are_nobodys(name: str) -> None:
    with pytest.raises(OptionError, match=r"^learner_seat: 'all'; allowed: 0\.\.2, 'random', 'rotate' \('all' needs"):
        SeatBatch(atlantis_envs.game(name, players=3), 2, learner_seat="all")


@pytest.mark.parametrize("opponents", ["heuristic", ["random"], [], None])
def test_all_seats_leave_none_for_opponents(opponents: Any) -> None:
    with pytest.raises(OptionError, match=r"^opponents: .*allowed: the default"):
        SeatBatch(cooperative(3), 2, learner_seat="all", opponents=opponents)


# ---- shaping


def games_paid(team: SeatBatch, steps: int) -> list[tuple[float, float, float]]:
    """Of every game: discounted sum of rewards, discounted return, potential at the learner's first decision."""
    found = []
    team.reset(SEED)
    discount = team.shaping.discount
    first = team.batch.potentials(team.seats)
    total, factor = np.zeros(team.num_games), np.ones(team.num_games)
    for _ in range(steps):
        result = team.step(chosen(team.observations, team.masks))
        total += factor * result.rewards
        for lane in np.flatnonzero(result.over):
            plain = float(result.final_returns[lane, result.final_seats[lane]] * factor[lane])
            found.append((float(total[lane]), plain, float(first[lane])))
            total[lane], factor[lane] = 0.0, 1.0
            first[lane] = team.batch.potentials(team.seats)[lane]
        factor[~result.over] *= discount
    return found


@pytest.mark.parametrize("discount", [1.0, 0.99])
@pytest.mark.parametrize(
    ("name", "seat"), [("atlantis_rising", "all"), ("atlantis_rising", 0), ("atlandice", "rotate")]
)
def test_shaping_adds_the_same_to_every_way_of_playing(name: str, seat: Any, discount: float) -> None:
    """The discounted sum differs from the return by what the first position was worth, whatever happened then."""
    options = {"round_limit": 2} if name == "atlantis_rising" else {}
    game = atlantis_envs.game(name, players=3, **options)
    team = SeatBatch(game, 4, learner_seat=seat, shaping=0.25, discount=discount)
    found = games_paid(team, 400)
    assert len(found) > 5
    for total, plain, first in found:
        assert total == pytest.approx(plain - 0.25 * first, abs=1e-4)


def test_shaping_is_off_unless_asked_for_and_changes_no_game() -> None:
    plain, shaped = (SeatBatch(cooperative(4), 3, "all", shaping=weight) for weight in (0.0, 2.0))
    plain.reset(SEED)
    shaped.reset(SEED)
    paid = 0
    for _ in range(300):
        actions = chosen(plain.observations, plain.masks)
        one, other = plain.step(actions), shaped.step(actions)
        assert not one.rewards[~one.over].any()
        paid += int((other.rewards[~other.over] != 0).sum())
        same(one._replace(rewards=other.rewards), other)
    assert paid > 10


@pytest.mark.parametrize(("name", "value"), [("shaping", -1), ("shaping", "1"), ("shaping", True), ("discount", 1.5)])
def test_shaping_is_a_number(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=rf"^{name}: .*allowed: a number"):
        SeatBatch(cooperative(3), 2, "all", **{name: value})
    with pytest.raises(OptionError, match=rf"^{name}: "):
        gymnasium.make(ENV, **{name: value})


def standing(document_changes: dict[str, Any]) -> float:
    """The potential of the first deployment with some things changed."""
    game = atlantis_envs.game("atlantis_rising", players=2)
    position = game.initial_position()
    while position.node == "chance" or position.to_json()["phase"] != "deploy":
        position.apply((position.legal_actions() or list(position.chance_outcomes()))[0])
    document = position.to_json()
    for path, value in document_changes.items():
        *way, last = path.split(".")
        target: Any = document
        for step in way:
            target = target[int(step) if step.isdigit() else step]
        target[last] = value
    batch = Batch.from_positions([game.from_json(document)])
    return float(batch.potentials(np.zeros(1, np.int8))[0])


def test_the_potential_of_atlantis_rising_follows_goods_buildings_and_the_sea() -> None:
    """At the start of level 1 only the 2 energy of each seat cover something, each one half of what it is."""
    game = atlantis_envs.game("atlantis_rising", players=2)
    document = game.initial_position().to_json()
    parts = [data.COMPONENTS.index(name) for name in document["blueprint"]]
    price = int(game.rules[0].price[parts].sum())
    energy = int(game.rules[0].price[parts, 3].sum())
    start = standing({})
    assert start == pytest.approx(min(energy, 4) / (2 * price))
    assert standing({"seats.0.gold": 1}) == pytest.approx(start + 1 / (2 * price))
    assert standing({"seats.1.ore": 1}) == standing({"seats.0.atlantium": 1}) > start
    assert standing({"seats.0.crystal": 200}) == standing({"seats.0.crystal": 250}) < 0.5
    assert standing({"flooded.hills": 3}) == pytest.approx(start - 3 / 72)


def test_an_illegal_action_of_one_seat_costs_the_team() -> None:
    """Whoever learns: all share what the game returns."""
    table = SeatBatch(cooperative(3), 2, learner_seat=0, illegal="terminate")
    table.reset(seed=4)
    actions = table.masks.argmax(axis=1)
    actions[1] = int(np.flatnonzero(table.masks[1] == 0)[0])
    result = table.step(actions)
    assert result.illegal.tolist() == [False, True] and (result.final_returns[1] == -1).all()
