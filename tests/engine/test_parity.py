"""The same seed and moves give the same bytes in every process, compiled or not, in batches of every size."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import warnings
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from typing import Any

import goldens
import numpy as np
import parity
import pytest
from helpers import fingerprint
from helpers.support import TESTS, moves, noise_actions, pick, run_python, scaled

import atlantis_envs
from atlantis_envs.engine import chance as philox
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.chance import philox_block
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.kernels.kernel import entry

# ---- processes of different kinds

LONG = (100_000, 10_000)  # nodes, batch steps
SHORT = scaled(10_000, 100_000), scaled(2_000, 10_000)
SLOW = scaled(1_000, 100_000), scaled(200, 10_000)  # the uncompiled process is some hundred times slower
PROCESSES: dict[str, tuple[tuple[int, int], dict[str, str]]] = {
    "bounds checked": (LONG, {"NUMBA_BOUNDSCHECK": "1"}),
    "uncompiled": (SLOW, {"NUMBA_DISABLE_JIT": "1"}),
    "hash seed 0": (SHORT, {"PYTHONHASHSEED": "0"}),
    "hash seed 1": (SHORT, {"PYTHONHASHSEED": "1"}),
    "random hash seed, another place": (SHORT, {"PYTHONHASHSEED": "random", "TZ": "Asia/Tokyo", "LC_ALL": "C"}),
}


@cache
def trails() -> tuple[parity.Trail, parity.Trail]:
    """This process, compiled."""
    return parity.Trail(parity.nodes()), parity.Trail(parity.steps())


@pytest.mark.parametrize("kind", PROCESSES)
def test_another_process_plays_the_same_games(kind: str) -> None:
    (nodes, steps), variables = PROCESSES[kind]
    result = run_python(TESTS / "parity.py", "--nodes", str(nodes), "--steps", str(steps), timeout=3_600, **variables)
    assert result.returncode == 0, result.stderr
    theirs, (own_nodes, own_steps) = json.loads(result.stdout), trails()
    assert theirs["nodes"] == own_nodes.upto(nodes)
    assert theirs["steps"] == own_steps.upto(steps)
    assert len(set(theirs["nodes"])) == nodes // parity.CHECKPOINT


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("atlantis", "NUMBA_DISABLE_JIT"),
        ("atlantis", "NUMBA_BOUNDSCHECK"),
        ("atlantis_rising", "NUMBA_DISABLE_JIT"),
        pytest.param("atlantis_rising", "NUMBA_BOUNDSCHECK", marks=pytest.mark.full),
    ],
)
def test_the_same_without_the_compiler_and_with_bounds_checked(name: str, variable: str) -> None:
    done = run_python(
        "-c", f"from helpers.fingerprint import {name}; print({name}())", timeout=3_600, **{variable: "1"}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == getattr(fingerprint, name)()


# ---- goldens


@pytest.mark.parametrize("name", goldens.GAMES)
def test_behaviour_changes_only_with_its_version(name: str) -> None:
    silent, raised = goldens.complaints(name, goldens.stored().get(name, {}), goldens.computed(name))
    assert not silent, "undo the change, or raise the version in the game's declaration"
    assert not raised, "run python tests/goldens.py --write"


def test_the_goldens_complain_about_a_silent_change_and_about_a_raised_number() -> None:
    old = {"rules": {"version": 1, "hash": "a"}, "chance": {"version": 1, "hash": "c"}}
    assert goldens.complaints("toy", old, old) == ([], [])
    silent, raised = goldens.complaints("toy", old, {"rules": {"version": 1, "hash": "b"}})
    assert len(silent) == 1 and not raised
    silent, raised = goldens.complaints("toy", old, {"rules": {"version": 2, "hash": "a"}})
    assert len(raised) == 1 and not silent


@pytest.mark.parametrize(("kind", "told"), [("observation", (0, 2)), ("chance", (0, 2)), ("actions", (1, 1))])
def test_other_rules_lead_to_other_documents_and_excuse_nothing_else(kind: str, told: tuple[int, int]) -> None:
    old = {"rules": {"version": 1, "hash": "a"}, kind: {"version": 1, "hash": "c"}}
    seen = {kind: {"version": 1, "hash": "d"}}
    silent, raised = goldens.complaints("toy", old, {"rules": {"version": 2, "hash": "b"}, **seen})
    assert (len(silent), len(raised)) == told
    silent, raised = goldens.complaints("toy", old, {"rules": old["rules"], **seen})
    assert (len(silent), len(raised)) == (1, 0)


# ---- batches of every size


GAMES_COMPARED = 40
SIZES = (1, 2, 3, 7, 64, 1024)


def play_until(batch: Batch, games: int) -> dict[int, str]:
    """Hash of the whole course of every game below ``games``, played in this batch to its end."""
    courses: dict[int, Any] = defaultdict(hashlib.sha256)
    ends: dict[int, str] = {}
    for _ in range(1_000 * games):
        if len(ends) == games:
            return ends
        numbers = batch.games.copy()
        for lane in np.flatnonzero(numbers < games):
            shown = (batch.states[lane], batch.observations[lane], batch.action_masks[lane], batch.seats[lane])
            courses[int(numbers[lane])].update(b"".join(part.tobytes() for part in shown))
        rewards, over = batch.step(noise_actions(batch.action_masks, batch.noise(5)))
        for lane in np.flatnonzero(over & (numbers < games)):
            number = int(numbers[lane])
            paid = (rewards[lane], batch.final_scores[lane], batch.final_observations[lane])
            courses[number].update(b"".join(part.tobytes() for part in paid))
            courses[number].update(batch.final_position(int(lane)).key())
            ends[number] = courses.pop(number).hexdigest()
    raise AssertionError(f"games {sorted(set(range(games)) - set(ends))} were never finished")


def test_a_game_is_the_same_in_a_batch_of_any_size(game: Game) -> None:
    expected = play_until(game.batch(1, seed=77), GAMES_COMPARED)
    assert len(set(expected.values())) == GAMES_COMPARED, "two games were the same"
    for size in SIZES[1:]:
        assert play_until(game.batch(size, seed=77), GAMES_COMPARED) == expected, size


def test_lanes_play_games_in_any_order_asked_for(game: Game) -> None:
    expected = play_until(game.batch(1, seed=77), 12)
    batch = game.batch(12, seed=77)
    batch.reset(games=np.arange(12)[::-1])
    assert play_until(batch, 12) == expected


def test_stepping_some_lanes_only_leaves_the_others_and_changes_no_game(game: Game) -> None:
    whole, some = game.batch(6, seed=3), game.batch(6, seed=3)
    for _ in range(60):
        actions = noise_actions(whole.action_masks, whole.noise(1))
        whole.step(actions)
        for lanes in ([5, 1], [0, 2, 3, 4]):
            rest = np.setdiff1d(np.arange(6), lanes)
            before = some.states.tobytes(), some.observations[rest].tobytes()
            rewards, over = some.step(actions[lanes], lanes=lanes)
            assert before[1] == some.observations[rest].tobytes()
            assert not rewards[rest].any() and not over[rest].any()
        assert some.states.tobytes() == whole.states.tobytes()
        assert some.observations.tobytes() == whole.observations.tobytes()


def test_actions_for_all_lanes_serve_a_step_of_some(game: Game) -> None:
    """One action per lane that moves, or one per lane of the batch of which the others do not count."""
    short, full = game.batch(6, seed=3), game.batch(6, seed=3)
    for lanes in ([4, 0], [5], [1, 2, 3]):
        actions = np.full(6, -1)
        actions[lanes] = short.action_masks[lanes].argmax(axis=1)
        short.step(actions[lanes], lanes=lanes)
        full.step(actions, lanes=lanes)
        assert short.states.tobytes() == full.states.tobytes()


def test_two_threads_play_the_same_games_as_one(players: int) -> None:
    """From 4,096 lanes on a step is really cut in two."""
    game = atlantis_envs.game("atlandice", players=players)
    one, two = game.batch(4_500, seed=8), game.batch(4_500, seed=8, threads=2)
    for _ in range(40):
        actions = noise_actions(one.action_masks, one.noise(2))
        for batch in (one, two):
            batch.step(actions)
        for name in ("states", "observations", "action_masks", "seats", "rewards", "over", "games"):
            assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name
    assert two._parts.pool is not None


FORK = """
import hashlib, os, threading
import atlantis_envs

GAME = atlantis_envs.game("atlandice", players=3)

def course(batch, steps):
    for _ in range(steps):
        batch.step(batch.action_masks.argmax(axis=1))
    return hashlib.sha256(batch.states.tobytes()).hexdigest()

def fork(batch):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, course(batch, 10).encode())
        os._exit(0)
    os.wait()
    return os.read(reader, 100).decode()

def concurrently(seeds):
    found = {}
    def work(seed):
        found[seed] = course(GAME.batch(50, seed=seed), 200)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found

batch = GAME.batch(4_500, seed=1, threads=2)
course(batch, 5)
assert batch._parts.pool is not None
assert fork(batch) == course(batch, 10), "after a fork"
assert concurrently(range(6)) == {seed: course(GAME.batch(50, seed=seed), 200) for seed in range(6)}, "in threads"
print("the same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_after_a_fork_and_in_threads_games_are_the_same() -> None:
    """The pool of threads does not survive a fork, and a batch of its own in each thread disturbs nobody."""
    result = run_python("-W", "ignore::DeprecationWarning", "-c", FORK)
    assert (result.stdout, result.returncode) == ("the same\n", 0), result.stderr


@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("atlandice", 2),
        ("atlandice", 3),
        ("atlandice", 4),
        ("atlantis", 3),
        *(("atlantis_rising", n) for n in (1, 4, 7)),
    ],
)
def test_a_position_goes_on_as_its_lane_does(name: str, players: int) -> None:
    """One game as positions with its own chance, against the same game in a batch."""
    game = atlantis_envs.game(name, players=players, **({"round_limit": 2} if name == "atlantis_rising" else {}))
    for number in range(4 if name == "atlandice" else 1):
        batch = game.batch(1, seed=21)
        batch.reset(games=[number])
        position = parity.root(game, number, seed=21)
        for _ in range(10_000):
            while position.node == "chance":
                position.apply(position.sample_chance())
            action = int(noise_actions(batch.action_masks, batch.noise(4))[0])
            if position.node == "over":
                break
            assert position == batch.position(0)
            position.apply(action)
            rewards, over = batch.step([action])
            if over[0]:
                while position.node == "chance":
                    position.apply(position.sample_chance())
                assert position == batch.final_position(0)
                assert position.scores() == batch.final_scores[0].tolist()
                assert np.float32(position.returns()).tolist() == rewards[0].tolist()
        assert position.node == "over"


# ---- seeds and game numbers


def opening(batch: Batch) -> list[bytes]:
    return [batch.states[lane].tobytes() for lane in range(len(batch))]


def test_games_and_seeds_begin_differently(game: Game) -> None:
    """A table that could be opened in millions of ways is opened in a thousand."""
    batch = game.batch(1_000, seed=0)
    first = opening(batch)
    batch.reset(seed=1)
    both = first + opening(batch)
    assert len(set(both)) > 1_990
    batch.reset(seed=0)
    assert opening(batch) == first


def test_every_bit_of_seed_and_game_number_matters(game: Game) -> None:
    batch = game.batch(1)
    seen = set()
    for bit in range(64):
        batch.reset(seed=1 << bit, games=[0])
        seen.add(opening(batch)[0])
    for bit in range(62):
        batch.reset(seed=0, games=[1 << bit])
        seen.add(opening(batch)[0])
    assert len(seen) >= 125


def test_neither_global_generator_matters(game: Game) -> None:
    import random

    def play_a_little(stir: bool) -> bytes:
        batch = game.batch(4, seed=1)
        for step in range(50):
            if stir:
                random.seed(step)
                np.random.seed(step)  # noqa: NPY002
            batch.step(noise_actions(batch.action_masks, batch.noise(0)))
        return batch.states.tobytes()

    state = random.getstate(), np.random.get_state()[1].tobytes()  # noqa: NPY002
    calm = play_a_little(stir=False)
    assert state == (random.getstate(), np.random.get_state()[1].tobytes())  # noqa: NPY002
    assert play_a_little(stir=True) == calm


# ---- common random numbers


def streams_of_a_game(game: Game, number: int, style: int) -> tuple[dict[Any, list[str]], list[str]]:
    """The outcomes of each kind of chance, in order, in one game played in one of two styles; and the log."""
    position = parity.root(game, number)
    drawn: dict[Any, list[str]] = defaultdict(list)
    for ply in range(100_000):
        if position.node == "over":
            break
        if position.node == "chance":
            data, text = position.to_json(), position.sample_chance()
            roller = data["first"] if data["first"] is None else (data["first"] + data["visit"]) % game.players
            kind = {"roll": ("roll", roller), "reroll": ("roll", roller), "reveal": text[:8]}
            drawn[kind.get(data["node"], data["node"])].append(text)
        else:
            text = pick(position.legal_actions(), number, ply, style)
        position.apply(text)
    return drawn, position.log


def test_a_different_move_shifts_no_later_dice(game: Game) -> None:
    """Opening dice, reveals of a District and rolls of a seat come in one order, however the game is played."""
    longest: Counter[str] = Counter()
    for number in range(6):
        (one, log), (two, other_log) = (streams_of_a_game(game, number, style) for style in (0, 1))
        assert log != other_log
        for kind in one.keys() & two.keys():
            shared = min(len(one[kind]), len(two[kind]))
            assert one[kind][:shared] == two[kind][:shared], kind
            longest[kind if isinstance(kind, str) else kind[0]] += shared
    assert longest["die"] > 200 and longest["roll"] > 60 and longest["reveal J"] > 6


# ---- Philox


VECTORS = [
    ("00000000 00000000 00000000 00000000 00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


def words(text: str) -> list[np.uint64]:
    return [np.uint64(int(word, 16)) for word in text.split()]


@entry
def block_entry(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    return philox_block(c0, c1, c2, c3, k0, k1)


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize(("inputs", "output"), VECTORS, ids=["zeros", "ones", "pi"])
def test_philox_gives_the_published_words(
    inputs: str, output: str, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        plain = getattr(philox.philox_round, "py_func", philox.philox_round)
        monkeypatch.setattr(philox, "philox_round", plain)
    function = block_entry if compiled else getattr(philox_block, "py_func", philox_block)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [int(word) for word in function(*words(inputs))] == [int(word) for word in words(output)]


# ---- the law of chance

DRAWS = scaled(6_000, 200_000)
CRITICAL = {1: 23.9, 2: 27.6, 3: 30.7, 5: 35.9, 25: 73.9, 35: 89.9}  # chi-square exceeded with p = 1e-6


def chi_square(counts: Counter[Any], weights: dict[Any, int]) -> tuple[float, int]:
    """The statistic and its degrees of freedom."""
    total, mass = sum(counts.values()), sum(weights.values())
    assert set(counts) <= set(weights)
    expected = {key: total * weight / mass for key, weight in weights.items()}
    return sum((counts[key] - wish) ** 2 / wish for key, wish in expected.items()), len(weights) - 1


def chance_position(game: Game, node: str) -> Position:
    """The first position of this kind in random play."""
    for number in range(1_000):
        position = parity.root(game, number)
        for ply in range(400):
            if position.to_json()["node"] == node and len(position.chance_outcomes()) > 1:
                return position
            if position.node == "over":
                break
            position.apply(pick(moves(position), number, ply))
    raise AssertionError(f"no {node} was met")


@pytest.mark.parametrize("node", ["reveal", "first_player", "die", "roll", "reroll"])
def test_sampled_chance_follows_its_weights(game: Game, node: str) -> None:
    """Over seeds with one count, and over counts with one seed."""
    position = chance_position(game, node)
    weights = position.chance_outcomes()
    by_seed = Counter(position.sample_chance(seed) for seed in range(DRAWS))
    by_count: Counter[str] = Counter()
    for count in range(DRAWS):
        position.attach_chance(1, 0, np.full(len(game.definition.streams), count, np.uint32))
        by_count[position.sample_chance()] += 1
    for counts in (by_seed, by_count):
        statistic, freedom = chi_square(counts, weights)
        assert statistic < CRITICAL[freedom], counts


def test_successive_dice_are_independent(game: Game) -> None:
    """Pairs of neighbours, by count, by game number and by seed."""
    position = chance_position(game, "die")
    width = len(game.definition.streams)

    def draw(seed: int, number: int, count: int) -> str:
        position.attach_chance(seed, number, np.full(width, count, np.uint32))
        return position.sample_chance()

    faces = position.chance_outcomes()
    pairs = {(one, two): 1 for one in faces for two in faces}
    for line in (
        [draw(3, 0, n) for n in range(DRAWS)],
        [draw(3, n, 0) for n in range(DRAWS)],
        [draw(n, 3, 0) for n in range(DRAWS)],
    ):
        statistic, freedom = chi_square(Counter(pairwise(line)), pairs)
        assert statistic < CRITICAL[freedom]


def test_the_chi_square_sees_a_loaded_die() -> None:
    loaded = Counter({"die 1": 1_250, **{f"die {face}": 950 for face in range(2, 7)}})
    statistic, freedom = chi_square(loaded, {f"die {face}": 1 for face in range(1, 7)})
    assert statistic > CRITICAL[freedom] and freedom == 5
    with pytest.raises(AssertionError):
        chi_square(Counter({"die 7": 1}), {"die 1": 1})


def test_versions_are_numbers() -> None:
    versions = dataclasses.asdict(atlantis_envs.game("atlandice").definition.versions)
    assert list(versions) == ["rules", "observation", "actions", "chance"]
    assert all(type(number) is int and number >= 1 for number in versions.values())
