"""Changed documents are refused or played to their end: a sample of what ``python tests/fuzz.py`` does at length.

And that the fuzzer would notice: every sort of fault, crashes, loops without end, and writing outside an array.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import fuzz
import numpy as np
import pytest
from helpers import mutants, toy_game, trial
from helpers.support import moves, play, scaled
from helpers.toy_game import TOY, ToyOptions

import atlantis_envs
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.records import packed
from atlantis_envs.errors import PositionError
from atlantis_envs.kernels.kernel import kernel

NAMES = ("atlandice", "atlantis")
SAMPLE = scaled(150, 20_000)


def given(*words: str) -> argparse.Namespace:
    return fuzz.parse([*words, "--documents", "24", "--variants", str(scaled(2, 8)), "--seed", "11"])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_accepted_can_be_played(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.run(given(name, "--accepted", str(SAMPLE))) == [], capsys.readouterr().out
    assert f"{SAMPLE:,} of" in capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_uncompiled_play_agree(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.run(given(name, "--accepted", str(scaled(3, 60)), "--mode", "both")) == [], capsys.readouterr().out


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_what_is_accepted_can_be_played_within_its_arrays(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.run(given(name, "--accepted", "20000", "--mode", "bounds")) == [], capsys.readouterr().out


# ---- what it found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_atlandice_the_largest_numbers_leave_room_for_the_rest_of_the_game(players: int) -> None:
    """The largest round and points that are read, at any node: the game goes on, and can be read to its end."""
    for number in range(scaled(3, 40)):
        dice = random.Random(number)
        game = atlantis_envs.game("atlandice", players=players)
        document = play(game.initial_position(), 30 + 150 * number, dice).to_json()
        for kind, _, high in mutants.limits(game, [document]):
            if kind == ["round"]:
                document["round"] = high
            elif kind[-1] == "points":
                for person in document["participants"]:
                    person["points"] = high
        document["participants"][0]["points"] += 1
        with pytest.raises(PositionError, match=r"participants\[0\].points: .*allowed: an integer 0\.\."):
            game.from_json(document)
        document["participants"][0]["points"] -= 1
        position = game.from_json(document)
        assert position.to_json()["round"] > 900_000
        while moves(position):
            play(position, 1, dice)
            assert game.from_json(position.to_json()) == position


def test_atlantis_11_4_where_there_is_no_law_the_message_says_where_there_is_one() -> None:
    position = atlantis_envs.game("atlantis", players=3).initial_position()
    asked = set()
    for _ in range(200):
        for seat in range(3):
            phase, turn = position.to_json()["phase"], position.to_json()["turn"]
            if position.seat == seat or (phase == "turn" and not turn["sold"] and not turn["bridged"]):
                position.resample(seat, 1)
                continue
            asked.add(phase)
            with pytest.raises(
                ValueError, match=rf"nothing can be drawn for seat {seat} at this node; allowed: .*decides.*11\.4"
            ):
                position.resample(seat, 1)
        play(position, 1, random.Random(7))
    assert asked >= {"lay", "deal", "draw"}


# ---- what it would find


FAULTS = (
    ("nothing", 0),
    ("nothing is legal", trial.NO_LEGAL),
    ("legal twice", trial.BAD_MASK),
    ("nothing is drawn", trial.NOTHING_HAPPENS),
    ("less than nothing is drawn", trial.BAD_WEIGHTS),
    ("a stream of its own", trial.BAD_WEIGHTS),
    ("a third seat", trial.BAD_NODE),
    ("a byte too high", trial.BAD_OBSERVATION),
    ("both win", trial.BAD_RETURNS),
    ("no number", trial.BAD_RETURNS),
    ("broken in the middle", 1),
)
NOTHING_LEGAL, TWICE, NOTHING_DRAWN, LESS, OWN_STREAM, THIRD_SEAT, TOO_HIGH, BOTH_WIN, NO_NUMBER, LATE = range(1, 11)
toy_node, toy_legal, toy_chance, toy_observe, toy_returns = (
    toy_game.node,
    toy_game.legal,
    toy_game.chance,
    toy_game.observe,
    toy_game.returns,
)
BROKEN_RULES = packed([("players", np.int16), ("broken", np.int16)])


@dataclass(frozen=True)
class Broken(ToyOptions):
    broken: int = 0

    def fill(self, rules: Any) -> None:
        super().fill(rules)
        rules.broken = self.broken


@kernel
def node(rules, state):
    seat = toy_node(rules, state)
    return 2 if seat == 1 and rules.broken == THIRD_SEAT else seat


@kernel
def legal(rules, state, mask):
    toy_legal(rules, state, mask)
    if rules.broken == NOTHING_LEGAL:
        mask[:] = 0
    elif rules.broken == TWICE:
        mask[:] = 2


@kernel
def chance(rules, state, weights):
    stream, first, stop = toy_chance(rules, state, weights)
    if rules.broken == NOTHING_DRAWN:
        weights[:] = 0
    elif rules.broken == LESS:
        weights[2] = -1
    elif rules.broken == OWN_STREAM:
        stream = 2
    return stream, first, stop


@kernel
def observe(rules, state, seat, out):
    toy_observe(rules, state, seat, out)
    if rules.broken == TOO_HIGH:
        out[0] += 3


@kernel
def returns(rules, state, out):
    toy_returns(rules, state, out)
    if rules.broken == BOTH_WIN:
        out[:] = 1.0
    elif rules.broken == NO_NUMBER:
        out[0] = np.nan


@kernel
def check(rules, state):
    return 1 if rules.broken == LATE and state.turn > 0 else 0


BREAKABLE = replace(
    TOY,
    rules_dtype=BROKEN_RULES,
    flags=(("turn", "too late"),),
    node=node,
    legal=legal,
    chance=chance,
    observe=observe,
    returns=returns,
    check=check,
)


@pytest.mark.parametrize("broken", range(len(FAULTS)), ids=[name for name, _ in FAULTS])
def test_every_sort_of_fault_is_found(broken: int) -> None:
    game = Game(BREAKABLE, Broken(broken=broken))
    play_out = trial.make_play_out(BREAKABLE)
    found = set()
    for number in range(12):
        states = np.zeros(3, BREAKABLE.state_dtype)
        arrays = [np.zeros(size, kind) for size, kind in ((5, np.int64), (2, np.int8), (3, np.uint8))]
        ends = np.zeros(2, np.float64), np.zeros(2, np.int64)
        own = (*arrays, game.observation_high, *ends)
        fault, _, over = play_out(game.plain_rules, states, 1, 2, *own, 2, np.uint64(0), number, 0, 50)
        found.add(int(fault))
        assert over or fault
    expected = FAULTS[broken][1]
    assert expected in found and found <= {0, expected}
    assert trial.words_of(BREAKABLE, expected) == trial.FAULTS.get(expected, "turn: too late" if expected else "")


def test_a_game_that_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    game = atlantis_envs.game("atlandice", players=2)
    attempt = fuzz.Trial(game)
    position = play(game.initial_position(), 40, random.Random(1))
    assert attempt(position, 3)[0] == ""
    monkeypatch.setattr(attempt, "definition", replace(game.definition, bound=lambda options: 10))
    assert attempt(position, 3)[0].startswith("a game longer than its bound")


@pytest.mark.parametrize("row", [0, 2])
def test_what_is_written_beside_an_array_is_noticed(row: int) -> None:
    arrays = np.zeros((3, 4), np.int64), np.zeros((3, 5), np.int8)
    around = fuzz.Between(*arrays)
    arrays[1][1, :] = 7
    assert not around.touched()
    arrays[1][row, 4 - 2 * row] += 1
    assert around.touched()


WORKER = """#!{python}
import os, struct, sys, time
from pathlib import Path
given = dict(zip(sys.argv[3::2], sys.argv[4::2]))  # after the file and the game
first = int(given["--first"])
board = Path(given["--worker"]) / given["--board"]
def at(number, accepted):
    with board.open("r+b") as file:
        file.write(struct.pack("<qq", number, accepted))
if first == 0:
    print('{{"hit": 3, "fault": "seen"}}', flush=True)
    at(7, 2)
    time.sleep(600)
if first == 8:
    at(9, 1)
    os.abort()
assert first == 10 and given["--accepted"] == "7"
at(20, 7)
print('{{"tried": 20, "accepted": 7}}')
"""


def test_a_loop_without_end_and_a_crash_are_hits_and_the_work_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watch sees which mutant was in work, and begins anew behind it."""
    program = tmp_path / "worker"
    program.write_text(WORKER.format(python=sys.executable))
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setitem(fuzz.PATIENCE, "compiled", 2.0)
    [watch] = fuzz.fuzz(given("atlantis", "--accepted", "10"), tmp_path, "compiled")
    assert watch.hits == [(3, "seen"), (7, "no end within 2 s"), (9, "the process ended with code -6")]
    assert (watch.accepted, watch.tried) == (10, 20)


def test_a_mutant_is_a_function_of_seed_and_number() -> None:
    game = atlantis_envs.game("atlantis", players=2)
    documents = json.loads(json.dumps(mutants.collected(game, 12, 3)))
    known = mutants.limits(game, documents)
    assert (["turn", "due"], 0, 182) in known
    one, two = mutants.Mutator(documents, known), mutants.Mutator(documents, known)
    for number in (5, 1, 9, 1):
        document, changes = one.mutant(2, number, number % len(documents))
        assert (document, changes) == two.mutant(2, number, number % len(documents))
        assert changes and document != documents[number % len(documents)]
