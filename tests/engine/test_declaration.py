"""What a declaration must say, what it need not, and how it is found again by other processes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import copy, deepcopy
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np
import pytest
from helpers.support import ROOT
from helpers.toy_game import CARDS, DONE, SEATS, TOY, ToyOptions

import atlantis_envs
from atlantis_envs.engine.batch import Batch
from atlantis_envs.engine.definition import Definition, Versions, find_definition
from atlantis_envs.engine.game import Game, game_of
from atlantis_envs.engine.position import Position
from atlantis_envs.engine.records import packed
from atlantis_envs.engine.setup import Setup
from atlantis_envs.engine.single import Single
from atlantis_envs.errors import OptionError, PositionError
from atlantis_envs.kernels.kernel import kernel

NEEDED = (
    "name", "title", "min_players", "max_players", "utility", "state_dtype", "rules_dtype", "parse_options", "actions",
    "outcomes", "observation", "bound", "reset", "node", "legal", "chance", "apply", "observe", "returns",
)  # fmt: skip


@kernel
def one_stream(rules, state, weights):
    """The chance of the toy game, out of the only stream there is by default."""
    weights[:] = 1
    return 0, 0, len(weights)


@kernel
def in_range(rules, state):
    """Bit 0 is set where a card or the turn is none."""
    for seat in range(SEATS):
        if int(state.cards[seat]) < 0 or int(state.cards[seat]) > CARDS:
            return 1
    return 0 if 0 <= int(state.turn) <= DONE else 1


LEAST = Definition(**{name: getattr(TOY, name) for name in NEEDED if name != "chance"}, chance=one_stream)
CHECKED = replace(LEAST, check=in_range, flags=(("state", "out of range"),))


def made_elsewhere() -> Definition:
    return replace(TOY, title="Made by a function")


BY_A_FUNCTION = made_elsewhere()


def test_nineteen_fields_are_needed_and_the_rest_has_defaults() -> None:
    needed = [f.name for f in fields(Definition) if f.init and f.default is MISSING and f.default_factory is MISSING]
    assert tuple(needed) == NEEDED
    assert LEAST.versions == Versions(1, 1, 1, 1) and LEAST.default_players == LEAST.min_players == 2
    assert LEAST.streams == ("chance",) and LEAST.resample_nodes == "nowhere" and LEAST.bound_reason
    for name in NEEDED:
        with pytest.raises(TypeError, match=name):
            Definition(**{key: getattr(LEAST, key) for key in NEEDED if key != name})  # type: ignore[arg-type]


def test_a_game_of_nineteen_fields_is_played() -> None:
    game = Game(LEAST, ToyOptions())
    batch = game.batch(500, seed=4)
    ended = np.zeros(500, bool)
    for _ in range(3):
        _, over = batch.step(batch.noise(9) % np.uint64(2))
        ended |= over
    assert ended.all() and (batch.final_scores == 0).all() and not batch.truncated.any()
    position = batch.position(0)
    assert position.check() == 0 and position.scores() == [0, 0] and not position.truncated
    with pytest.raises(ValueError, match="resample: nothing can be drawn for seat 1 at this node; allowed: nowhere"):
        position.resample(1, 0)
    described = game.describe().to_json()
    assert described["bound_reason"] and described["provenance"] == ()


def test_documents_follow_from_the_dtype() -> None:
    game = Game(CHECKED, ToyOptions())
    position = game.initial_position()
    for move in ("card 2", "card 5", "pass"):
        position.apply(move)
    document = position.to_json()
    assert document == {"game": "toy", "options": {"players": 2}, "state": {"turn": 1, "cards": [2, 5]}}
    again = game.from_json(document)
    assert again == position and again.key() == position.key()
    with pytest.raises(PositionError, match="state: out of range"):
        game.from_json({**document, "state": {"turn": 1, "cards": [2, 6]}})
    for broken in (None, [], {}, {**document, "more": 1}, {**document, "state": 3}, {**document, "options": 3}):
        with pytest.raises(PositionError):
            game.from_json(broken)


def test_without_a_check_no_document_is_read() -> None:
    game = Game(LEAST, ToyOptions())
    with pytest.raises(PositionError, match="toy declares no check, and so none of its positions can be read"):
        game.from_json(game.initial_position().to_json())


def test_every_kind_of_field_comes_back() -> None:
    dtype = packed([
        ("words", np.uint64, (2,)), ("small", np.int8, (2, 3)), ("flag", np.bool_), ("marks", np.bool_, (2,)),
        ("turn", np.int8),
    ])  # fmt: skip
    made = replace(CHECKED, state_dtype=dtype)
    assert "unused" in (dtype.names or ())
    state = np.zeros(1, dtype)
    state["words"], state["flag"], state["marks"] = [[2**64 - 1, 0]], True, [[False, True]]
    state["small"] = [[[-128, 0, 127], [1, 2, 3]]]
    document = made.write(ToyOptions(), state[0])
    assert list(document["state"]) == ["words", "small", "flag", "marks", "turn"]
    assert document["state"]["flag"] is True and document["state"]["words"] == [2**64 - 1, 0]
    _, again = made.read(document)
    assert again.tobytes() == state.tobytes()
    for key, value in (("words", [-1, 0]), ("small", [[1, 2, 3], [1, 2]]), ("flag", 1), ("marks", [True, None])):
        with pytest.raises(PositionError, match=f"^state.{key}"):
            made.read({**document, "state": {**document["state"], key: value}})


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"to_json": lambda options, state: {}}, "go together"),
        ({"state_dtype": packed([("share", np.float64)])}, "state.share: float64; allowed"),
        ({"min_players": 3, "default_players": 2}, "3, 2, 2; allowed: 1 or more, rising"),
        ({"min_players": 0}, "allowed: 1 or more"),
        ({"default_players": 5}, "rising"),
    ],
)
def test_what_would_go_wrong_later_is_refused(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        replace(LEAST, **changes)


def test_a_field_may_not_be_called_like_the_filling() -> None:
    with pytest.raises(ValueError, match="'unused'"):
        packed([("turn", np.int16), ("unused", np.int8)])


# ------------------------------------------------------------------------------------------------------------ pickling


@pytest.mark.parametrize("made", [TOY, LEAST, CHECKED, BY_A_FUNCTION], ids=["toy", "least", "replaced", "function"])
def test_a_declaration_is_pickled_as_its_place(made: Definition) -> None:
    text = pickle.dumps(made)
    assert pickle.loads(text) is made and len(text) < 200
    assert copy(made) is made and deepcopy(made) is made


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_our_own_games_too(name: str) -> None:
    game = atlantis_envs.game(name)
    again = pickle.loads(pickle.dumps(game))
    assert type(again) is Game and again == game and again.definition is game.definition


def test_what_stands_nowhere_is_not_pickled() -> None:
    hidden = replace(TOY, title="Hidden")
    with pytest.raises(pickle.PicklingError, match=r"toy: no name in .*test_declaration.* means this declaration"):
        pickle.dumps(Game(hidden, ToyOptions()).initial_position())
    assert deepcopy(hidden) is hidden


@pytest.mark.parametrize(
    ("module", "name", "fault"),
    [
        ("no_such_module_at_all", "GAME", "no_such_module_at_all:GAME cannot be found here"),
        ("helpers.toy_game", "GAME", "helpers.toy_game:GAME cannot be found here"),
        ("helpers.toy_game", "SEATS", "helpers.toy_game:SEATS is 2; allowed: a Definition"),
    ],
)
def test_what_cannot_be_found_again_is_named(module: str, name: str, fault: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match=fault):
        find_definition(module, name)


def test_a_script_is_a_module_too() -> None:
    script = (
        "import pickle; from dataclasses import replace; from helpers.toy_game import TOY;"
        "GAME = replace(TOY, title='Of a script'); assert pickle.loads(pickle.dumps(GAME)) is GAME"
    )
    paths = [str(ROOT / part) for part in ("", "agents", "training", "tests")]
    subprocess.run([sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}; {script}"], check=True, timeout=120)


# -------------------------------------------------------------------------------------------------------------- setups


def test_everything_in_play_is_made_from_a_setup() -> None:
    setup, game = Setup(TOY, ToyOptions()), Game(TOY, ToyOptions())
    assert setup == game and hash(setup) == hash(game) and game_of(game) is game
    assert type(game_of(setup)) is Game and game_of(setup) == setup
    assert type(pickle.loads(pickle.dumps(setup))) is Setup
    assert (Batch(setup, 5, 2).states == game.batch(5, 2).states).all()
    assert Position(setup, setup.root) == game.initial_position()
    one, other = Single(setup), Single(game)
    one.start(7, 3)
    other.start(7, 3)
    assert one.position() == other.position()
    with pytest.raises(OptionError, match="game: 'toy'; allowed: a Game"):
        Batch("toy", 1)  # type: ignore[arg-type]


def test_games_of_other_declarations_differ() -> None:
    mine = Game(CHECKED, ToyOptions())
    toy = Game(TOY, ToyOptions())
    assert mine != toy and mine == Game(CHECKED, ToyOptions()) and toy != "toy"
    with pytest.raises(ValueError, match=r"positions\[0\]"):
        toy.batch_from_positions([mine.initial_position()])
