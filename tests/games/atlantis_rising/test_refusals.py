"""What is handed to Atlantis Rising wrongly is refused in one clear line, and nothing has changed."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from helpers import atlantis_rising_scenarios
from helpers.atlantis_rising_starts import from_the_gate
from helpers.support import play, scaled, to_decision

import atlantis_envs
from atlantis_envs import atlantis_rising_v2
from atlantis_envs.engine.game import Game
from atlantis_envs.errors import AtlantisError, IllegalActionError, OptionError, PositionError
from atlantis_envs.games import atlantis_rising
from atlantis_envs.games.atlantis_rising.show.refusals import refusal as refused

ENV = "atlantis_envs/AtlantisRising-v2"
SEED = 20_191_019
GAME = atlantis_envs.game("atlantis_rising")
SHIPPED = json.loads((Path(atlantis_rising.__file__).parent / "data.json").read_text(encoding="utf-8"))


def refusal(kind: type[Exception], action: Callable[[], Any], *words: str) -> None:
    """The call fails with this kind of error, in one line that has these words."""
    with pytest.raises(kind) as caught:
        action()
    text = str(caught.value)
    assert len(text.splitlines()) == 1 and len(text) < 2_000, text
    for part in words:
        assert part in text, text


JUNK: list[Any] = [None, True, 1.0, b"ready", [], {}, float("nan"), -1, 231, 2**63, -(10**400), "", "ready ", "Ready"]


@pytest.mark.parametrize("move", JUNK, ids=lambda move: str(move)[:12])
def test_no_junk_is_an_action(move: Any) -> None:
    position = to_decision(GAME.initial_position(), random.Random(1))
    before = position.key()
    refusal(IllegalActionError, lambda: position.apply(move), "allowed")
    assert position.key() == before


@pytest.mark.parametrize("face", ["aec", "batch", "gym", "vector"])
def test_an_illegal_action_changes_nothing_on_any_face(face: str) -> None:
    illegal = GAME.actions.index("flood hills")  # nothing floods in the first deployment
    if face == "aec":
        env = atlantis_rising_v2.raw_env()
        env.reset(seed=SEED)
        before = env.position().key()
        refusal(IllegalActionError, lambda: env.step(illegal), "flood hills", "allowed")
        assert env.position().key() == before
    elif face == "batch":
        batch = GAME.batch(3, seed=SEED)
        legal = batch.action_masks.argmax(axis=1)
        states = batch.states.tobytes()
        for row in ([legal[0], illegal, legal[2]], [legal[0], 231, legal[2]], [legal[0], -1, legal[2]], legal[:2]):
            refusal(IllegalActionError, lambda row=row: batch.step(np.array(row)), "allowed")
            assert batch.states.tobytes() == states
    elif face == "gym":
        single = gymnasium.make(ENV, illegal="raise").unwrapped
        single.reset(seed=SEED)
        before = single.position().key()
        refusal(IllegalActionError, lambda: single.step(illegal), "flood hills", "allowed")
        assert single.position().key() == before
    else:
        many = gymnasium.make_vec(ENV, num_envs=2, vectorization_mode="vector_entry_point", illegal="raise")
        _, infos = many.reset(seed=SEED)
        before = many.position(0).key(), many.position(1).key()
        actions = [int(infos["action_mask"][0].argmax()), illegal]
        refusal(IllegalActionError, lambda: many.step(actions), "flood hills", "allowed")
        assert (many.position(0).key(), many.position(1).key()) == before


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True, [1]])
def test_a_seed_is_an_integer_of_64_bits(seed: Any) -> None:
    env = atlantis_rising_v2.env()
    refusal(ValueError, lambda: GAME.batch(2, seed=seed), "seed", "allowed")
    refusal(ValueError, lambda: env.reset(seed=seed), "seed", "allowed")
    refusal(ValueError, lambda: gymnasium.make(ENV).unwrapped.reset(seed=seed), "seed", "allowed")


OPTIONS: list[tuple[str, Any]] = [
    *[("players", value) for value in (0, 8, -1, True, 2.0, "2", [2])],
    *[("level", value) for value in (0, 6, True, 1.5, "1", None, [1], 10**400)],
    *[("first_player", value) for value in (4, -1, True, "first", None, 0.0)],
    *[
        ("councilors", value)
        for value in ("all", 3, None, [], ["priest"], ["priest"] * 4, ["baker", "a", "b", "c"], {})
    ],
    *[("blueprint", value) for value in ("all", 9, None, [], ["solar matrix"] * 9, ["power core"], {})],
    *[("force_artificer", value) for value in (1, "yes", None)],
    *[("hands_open", value) for value in (0, "no", None, [])],
    *[("lift_budget", value) for value in (-1, 1.0, True, "3", None, 10**400)],
    *[("yield_budget", value) for value in (-1, 1.0, True, "3", None)],
    *[("round_limit", value) for value in (0, -1, True, 2.5, "none", 10**400)],
    *[("truncation", value) for value in (0, -1, True, 2.5, None, 10**400)],
    *[("decline_budget", value) for value in (-1, 1.0, True, "3", None, 10**400)],
    *[("casting_vote", value) for value in (1, "yes", None)],
    *[("must_act", value) for value in (1, "yes", None)],
    *[("automaton_dice", value) for value in ("twice", None, 2)],
    *[("divers", value) for value in ("all", None, 1)],
    *[("solo_energy", value) for value in ("never", None, 1)],
    *[("solo_prices", value) for value in ("free", None, 1)],
    *[("colour", value) for value in ("red", None)],
]


@pytest.mark.parametrize(("name", "value"), OPTIONS, ids=lambda part: str(part)[:24])
def test_17_options_outside_their_values(name: str, value: Any) -> None:
    refusal(OptionError, lambda: atlantis_envs.game("atlantis_rising", **{name: value}), name, "allowed")
    refusal(OptionError, lambda: atlantis_rising_v2.env(**{name: value}), name, "allowed")


TEXTS = [
    "",
    "[]",
    "3",
    "{",
    '{"tiles": {}}',
    '{"tiles": [',
    '{"a": NaN}',
    "\ud800",
    '{"constants": {"barrier_cost": 1e9}}',
]


@pytest.mark.parametrize("text", TEXTS)
def test_2_a_data_file_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    refusal(OptionError, lambda: atlantis_envs.game("atlantis_rising", data=path), "data")
    refusal(OptionError, lambda: atlantis_envs.game("atlantis_rising", data=tmp_path / "missing.json"), "data")
    refusal(OptionError, lambda: atlantis_envs.game("atlantis_rising", data=tmp_path), "data")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The place of every value in a document."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [place for key, item in items for place in leaves(item, (*path, key))]


def spoiled(document: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """A copy with one value replaced, or left out (``...``)."""
    made = copy.deepcopy(document)
    target = made
    for step in path[:-1]:
        target = target[step]
    if junk is ...:
        del target[path[-1]]
    else:
        target[path[-1]] = junk
    return made


WRONG: list[Any] = [None, "seaweed", -7, 10**9, 10**400, 1.5, True, [], {}, [[]], {"x": 1}, ...]


@pytest.mark.parametrize("junk", WRONG, ids=lambda junk: str(junk)[:12])
def test_2_junk_anywhere_in_a_data_file_is_refused_or_plays(junk: Any) -> None:
    """Every value of the shipped tables, one after the other."""
    places = leaves(SHIPPED)[:: scaled(29, 1)]
    refused = 0
    for path in places:
        tables = spoiled(SHIPPED, path, junk)
        try:
            game = atlantis_envs.game("atlantis_rising", data=tables)
        except OptionError as error:
            refused += 1
            text = str(error)
            assert "data" in text and len(text.splitlines()) == 1 and len(text) < 2_000, text
        else:
            assert play(game.initial_position(), 40, random.Random(1)).faults() == []
    assert refused > len(places) // 9


@pytest.mark.parametrize("junk", WRONG, ids=lambda junk: str(junk)[:12])
def test_20_junk_anywhere_in_a_position_is_refused_or_means_a_sound_position(junk: Any) -> None:
    """Every value of a document, one after the other, is replaced by junk or left out (``...``)."""
    document = play(from_the_gate(3, random.Random(4))[0], 9, random.Random(4)).to_json()
    places = leaves(document)
    refused = 0
    for path in places:
        try:
            sound = GAME.from_json(spoiled(document, path, junk))
        except PositionError as error:
            refused += 1
            assert error.faults and all(len(words.splitlines()) == 1 for _, words in error.faults)
        else:
            assert sound.faults() == [] and GAME.from_json(sound.to_json()) == sound
    assert refused > 0.7 * len(places)


@pytest.mark.parametrize("document", [None, 3, "x", [], {}, {"game": "atlantis"}, {"game": 1}, [{}]])
def test_20_no_document_at_all(document: Any) -> None:
    with pytest.raises(PositionError):
        GAME.from_json(document)


@pytest.mark.parametrize("seat", [-1, 4, True, 1.0, "0", None])
def test_no_junk_is_a_seat(seat: Any) -> None:
    position = to_decision(GAME.initial_position(), random.Random(1))
    for look in (position.observation, position.action_mask):
        refusal(ValueError, lambda look=look: look(seat), "seat", "allowed")
    refusal(ValueError, lambda: position.resample(seat, 1), "seat", "allowed")


def test_errors_are_of_one_family() -> None:
    for kind in (IllegalActionError, OptionError, PositionError):
        assert issubclass(kind, AtlantisError)


def test_games_of_equal_options_are_equal() -> None:
    twin = pickle.loads(pickle.dumps(GAME))
    assert isinstance(twin, Game) and twin == GAME and hash(twin) == hash(GAME)
    assert atlantis_envs.game("atlantis_rising", level=2) != GAME


def first_deployment(**options: Any) -> dict[str, Any]:
    """The first deployment of a game with three seats as a document."""
    game = atlantis_envs.game("atlantis_rising", players=3, **options)
    position = game.initial_position()
    dice = random.Random(1)
    while position.to_json()["phase"] != "deploy":
        position.apply(dice.choice(position.legal_actions() or list(position.chance_outcomes())))
    return position.to_json()


OPTIONED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"call": False}, "call"),
    ({"casting_vote": True}, {"call": 1}, "call"),
    ({"casting_vote": True}, {"call": True, "turn": 1}, "phase"),
    ({"casting_vote": True}, {"call": True, "passes": 1}, "phase"),
    ({"must_act": True}, {"passes": 4}, "phase"),
    ({"must_act": True}, {"passes": 6, "phase": "actions"}, "passes"),
    ({}, {"passes": 4, "phase": "actions"}, "passes"),
    ({"truncation": 4}, {"round": 5}, "phase"),
    ({"round_limit": 4}, {"round": 5}, "phase"),
]


@pytest.mark.parametrize(("options", "changed", "path"), OPTIONED, ids=lambda part: str(part)[:40])
def test_20_what_the_options_exclude_is_refused(options: dict[str, Any], changed: dict[str, Any], path: str) -> None:
    document = first_deployment(**options)
    game = GAME.from_json(document).game
    assert GAME.from_json(document).check() == 0
    document |= changed
    refusal(PositionError, lambda: GAME.from_json(document), path)
    assert game == atlantis_envs.game("atlantis_rising", players=3, **options)


def test_20_a_call_belongs_to_its_option() -> None:
    document = first_deployment(casting_vote=True)
    assert document["call"] is True
    del document["call"]
    refusal(PositionError, lambda: GAME.from_json(document), "call", "allowed")


def test_20_nobody_is_called_in_setup() -> None:
    game = atlantis_envs.game("atlantis_rising", players=2, casting_vote=True)
    document = game.initial_position().to_json()
    assert document["phase"] == "setup" and game.from_json(document).check() == 0
    refusal(PositionError, lambda: game.from_json({**document, "call": True}), "phase")


def test_20_no_more_declines_than_the_budget() -> None:
    for budget in (0, 3):
        document = first_deployment(decline_budget=budget)
        assert document["seats"][2]["declines"] == budget
        document["seats"][2]["declines"] = budget + 1
        refusal(PositionError, lambda document=document: GAME.from_json(document), "seats[2].declines", f"0..{budget}")


SEAL = [
    ("L0@spirit seal", "only followers can activate the spirit seal"),
    ("V0,L0@spirit seal", "only followers can activate the spirit seal"),
    ("F1,L0@spirit seal", "only followers can activate the spirit seal"),
]


@pytest.mark.parametrize(("pieces", "told"), SEAL)
def test_7_3_who_cannot_activate_the_spirit_seal_is_told_so(pieces: str, told: str) -> None:
    """Placing there is free; the reason belongs to the action alone."""
    items = atlantis_rising_scenarios._start_items(f"built spirit seal; {pieces}; F0@centre")
    position = GAME.from_json(atlantis_rising_scenarios.start_position("act", items))
    position.apply("resolve")
    assert "at spirit seal" not in position.legal_actions()
    assert told in refused(position, "at spirit seal")


def test_5_3_nobody_is_told_that_the_spirit_seal_takes_followers_alone() -> None:
    items = atlantis_rising_scenarios._start_items("built spirit seal; F1,F2@spirit seal; home L0")
    position = GAME.from_json(atlantis_rising_scenarios.start_position("deploy", items))
    position.apply("place leader")
    assert "spirit seal is full: it has room for 2" in refused(position, "at spirit seal")
