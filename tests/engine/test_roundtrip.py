"""Every position survives JSON, copies, pickle and batches: equal bytes, and an equal future under equal moves."""

from __future__ import annotations

import copy
import json
import pickle
import random
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers import atlandice_random, atlandice_scenarios, atlantis_random
from helpers import atlantis_rising_starts as rising
from helpers.support import Walk, moves, noise_actions, play, run_python, scaled, scattered, snapshot, word

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position

POSITIONS = {  # of all numbers of players together
    "atlandice": scaled(6_000, 300_000),
    "atlantis": scaled(3_000, 100_000),
    "atlantis_rising": scaled(1_400, 100_000),
}
FUTURE = 50  # nodes
READERS = {  # with other options, so that nothing but a document can carry those of a position
    "atlandice": atlantis_envs.game("atlandice", players=4, clock="C16"),
    "atlantis": atlantis_envs.game("atlantis", players=4, preset="brettspielwelt"),
    "atlantis_rising": atlantis_envs.game("atlantis_rising", players=7, level=5),
}
READER = READERS["atlandice"]
FEW = [
    ("atlandice", 2),
    ("atlandice", 3),
    ("atlandice", 4),
    ("atlantis", 3),
    ("atlantis_rising", 1),
    ("atlantis_rising", 5),
]
TABLES = [
    (name, players)
    for name, game in READERS.items()
    for players in range(game.definition.min_players, game.definition.max_players + 1)
]
Copier = Callable[[Position], Position]


def shuffled(value: Any, dice: random.Random) -> Any:
    """The same document with the keys of every object in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled(item, dice)) for key, item in value.items()]
        dice.shuffle(items)
        return dict(items)
    return [shuffled(item, dice) for item in value] if isinstance(value, list) else value


def through_json(position: Position) -> Position:
    return position.game.from_json(position.to_json())


def through_json_text(position: Position) -> Position:
    """A game with other options reads it, so that nothing but the text can carry them."""
    reader = READERS[position.game.name]
    return reader.from_json(json.loads(json.dumps(shuffled(position.to_json(), random.Random(1)))))


def through_sorted_json_text(position: Position) -> Position:
    return READERS[position.game.name].from_json(json.loads(json.dumps(position.to_json(), sort_keys=True)))


def through_pickle(position: Position) -> Position:
    restored: Position = pickle.loads(pickle.dumps(position))
    return restored


COPIERS: list[Copier] = [
    through_json,
    through_json_text,
    through_sorted_json_text,
    Position.clone,
    copy.copy,
    copy.deepcopy,
    through_pickle,
]
FORGETS_LOG = (through_json, through_json_text, through_sorted_json_text)


def games(name: str, players: int) -> list[Game]:
    """The default game and a few with random options."""
    dice = random.Random(players)
    options: list[dict[str, Any]] = [{}]
    for _ in range(3):
        if name == "atlandice":
            options.append(atlandice_random.random_options(players, dice))
        elif name == "atlantis":
            options.append(atlantis_random.random_options(dice, players))
        else:
            options.append(rising.random_options(players, dice))
    options += [{"optional_effects": True}] if name == "atlandice" else []
    return [atlantis_envs.game(name, **{**given, "players": players}) for given in options]


def everywhere(name: str, players: int, number: int, count: int) -> list[Position]:
    """Positions of random games, of Atlantis Rising some of late rounds too."""
    game = games(name, players)[number]
    found = scattered(game, count, seed=number)
    if name == "atlantis_rising":
        starts = [rising.from_the_middle, rising.from_the_gate]
        for number in range(count // 20):
            walk = Walk((start := starts[number % 2](players, random.Random(number))[0]).game, number)
            walk.place(start.state)
            for _ in range(10):
                assert walk.advance(1 + number % 25) == 0
                found.append(walk.position())
    return found


# ---- many positions, their futures in compiled code


def future(position: Position, number: int) -> bytes:
    """What fifty more nodes of compiled play do to a position."""
    walk = Walk(position.game, number)
    walk.place(position.state)
    assert walk.advance(FUTURE) == 0
    return walk.trail()


def all_through_json_text(positions: list[Position]) -> list[Position]:
    """Read back by a second game of the same options, every tenth by one of other options."""
    twin, reader = pickle.loads(pickle.dumps(positions[0].game)), READERS[positions[0].game.name]
    dice = random.Random(0)
    texts = [json.dumps(shuffled(position.to_json(), dice)) for position in positions]
    return [(twin if n % 10 else reader).from_json(json.loads(text)) for n, text in enumerate(texts)]


def all_through_pickle(positions: list[Position]) -> list[Position]:
    restored: list[Position] = pickle.loads(pickle.dumps(positions))
    return restored


@pytest.mark.parametrize("copier", [all_through_json_text, all_through_pickle], ids=["json", "pickle"])
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_thousands_of_positions_return_with_equal_bytes_and_futures(
    name: str, players: int, copier: Callable[[list[Position]], list[Position]]
) -> None:
    variants = len(games(name, players))
    kinds = set()
    for index in range(variants):
        count = POSITIONS[name] // variants // sum(name == other for other, _ in TABLES)
        positions = everywhere(name, players, index, count)
        for number, (position, again) in enumerate(zip(positions, copier(positions), strict=True)):
            assert again.key() == position.key() and again.game == position.game
            assert future(again, number) == future(position, number)
            kinds.add(int(position.state.node[0]) if name != "atlantis" else position.to_json()["phase"])
    assert len(kinds) >= {"atlandice": 23, "atlantis": 9, "atlantis_rising": 12}[name], "a node was never met"


def test_json_is_written_in_one_way_only(players: int) -> None:
    """Equal positions write equal text, whatever text they were read from."""
    dice = random.Random(players)
    for _ in range(scaled(100, 5_000)):
        position = READER.from_json(atlandice_random.random_document(players, dice))
        text = json.dumps(position.to_json())
        assert json.dumps(through_json_text(position).to_json()) == text
        assert json.dumps(json.loads(text)) == text


# ---- fewer positions, their futures through the public names


def scripted(position: Position, number: int) -> list[Any]:
    """Snapshots along fifty more nodes of forced moves."""
    seen = [snapshot(position)]
    for ply in range(FUTURE):
        offered = moves(position)
        if not offered:
            break
        position.apply(offered[word(number, ply) % len(offered)])
        seen.append(snapshot(position))
    return seen


def without_log(seen: list[Any]) -> list[Any]:
    return [entry[:-1] for entry in seen]


@pytest.mark.parametrize("copier", COPIERS, ids=lambda copier: copier.__name__)
@pytest.mark.parametrize(("name", "players"), FEW)
def test_a_copy_is_equal_now_and_later_and_independent(copier: Copier, name: str, players: int) -> None:
    for number, game in enumerate(games(name, players)):
        position = play(game.initial_position(), 40 + 60 * number, random.Random(number))
        before = snapshot(position)
        again = copier(position)
        assert again == position and again is not position
        assert not np.shares_memory(again.state, position.state)
        later = scripted(again, number)
        assert snapshot(position) == before, "moving the copy moved the original"
        expected = scripted(position, number)
        if copier in FORGETS_LOG:
            later, expected = without_log(later), without_log(expected)
        assert later == expected


def test_a_copy_draws_the_same_chance_as_its_original(game: Game) -> None:
    """A position out of a batch lane goes on with that lane's dice, and so do its copies."""
    batch = game.batch(3, seed=9)
    for lane in range(3):
        origin = batch.position(lane)
        for copier in (Position.clone, copy.copy, copy.deepcopy, through_pickle):
            one, two = origin.clone(), copier(origin)
            for ply in range(FUTURE):
                for position in (one, two):
                    text = position.sample_chance() if position.node == "chance" else moves(position)[0]
                    position.apply(text)
                assert one == two, ply
        assert batch.position(lane) == origin


# ---- batches


@pytest.mark.parametrize(("name", "players"), FEW)
def test_positions_go_into_a_batch_and_come_back(name: str, players: int) -> None:
    game = games(name, players)[0]
    positions = [p for p in scattered(game, POSITIONS[name] // 15, seed=3) if p.node == "decision"]
    batch = game.batch_from_positions(positions, seed=4)
    for lane, position in enumerate(positions):
        back = batch.position(lane)
        assert back == position
        assert int(batch.seats[lane]) == position.seat
    assert np.array_equal(batch.action_masks, [p.action_mask(p.seat or 0) for p in positions])
    assert np.array_equal(batch.observations, [p.observation(p.seat or 0) for p in positions])
    assert batch.games.tolist() == list(range(len(positions)))
    assert not batch.plies.any() and not batch.over.any() and not batch.rewards.any()


@pytest.mark.parametrize("copier", ["clone", "copy", "deepcopy", "pickle"])
def test_a_copied_batch_is_equal_now_and_later_and_independent(game: Game, copier: str) -> None:
    copiers: dict[str, Callable[[Any], Any]] = {
        "clone": lambda batch: batch.clone(),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
        "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
    }
    batch = game.batch(64, seed=6)
    advance(batch, 150)
    again = copiers[copier](batch)
    assert batch_bytes(again) == batch_bytes(batch)
    before = batch_bytes(batch)
    advance(again, FUTURE)
    assert batch_bytes(batch) == before, "stepping the copy moved the original"
    advance(batch, FUTURE)
    assert batch_bytes(again) == batch_bytes(batch)
    assert again.seed == batch.seed


def advance(batch: Any, steps: int) -> None:
    """Legal actions that differ from lane to lane and from step to step."""
    for _ in range(steps):
        batch.step(noise_actions(batch.action_masks, batch.noise(11)))


def batch_bytes(batch: Any) -> tuple[bytes, ...]:
    """All that a batch shows."""
    shown = (batch.states, batch.games, batch.plies, batch.seats, batch.observations, batch.action_masks)
    results = (batch.rewards, batch.over, batch.final_observations, batch.final_scores, batch.final_states)
    return tuple(array.tobytes() for array in (*shown, *results))


# ---- what equality means


def test_equal_positions_have_equal_bytes_whatever_their_path() -> None:
    """Two orders of the same Donation lead to one position; the logs differ, the positions do not."""
    [scenario] = [s for s in atlandice_scenarios.load() if s.id == "T091"]
    game = atlantis_envs.game("atlandice")
    ends = []
    for order in (["pay gem", "pay book", "pay book", "pay weapon"], ["pay weapon", "pay book", "pay book", "pay gem"]):
        position = game.from_json(atlandice_scenarios.start_position(scenario))
        for text in ["visit market", "take gem", *order]:
            position.apply(text)
        ends.append(position)
    assert ends[0] == ends[1] and ends[0].key() == ends[1].key() and ends[0].log != ends[1].log


def test_positions_of_other_options_are_never_equal(game: Game, players: int) -> None:
    other = atlantis_envs.game("atlandice", players=players, chain_cap=9)
    one, two = game.initial_position(), other.initial_position()
    assert one.state.tobytes() == two.state.tobytes()
    assert one != two and one.key() != two.key()


OTHER_PROCESS = """
import pickle, sys
position = pickle.load(open(sys.argv[1], "rb"))
print(position.key().hex(), position.log[-1], position.legal_actions() or list(position.chance_outcomes()))
"""


def test_a_pickle_is_read_by_another_process(game: Game, tmp_path: Any) -> None:
    position = play(game.initial_position(), 60, random.Random(4))
    (tmp_path / "position").write_bytes(pickle.dumps(position))
    result: subprocess.CompletedProcess[str] = run_python("-c", OTHER_PROCESS, tmp_path / "position")
    assert result.returncode == 0, result.stderr
    assert result.stdout.split("\n")[0] == f"{position.key().hex()} {position.log[-1]} {moves(position)}"
