"""The reductions for theory (section 18): off by default, and each does what its clause says."""

from __future__ import annotations

import random
from typing import Any

import pytest
import soak

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError, PositionError

TINY: dict[str, Any] = {
    "path": [1, 0, 1, 2],
    "tile_set": {"A": {"ring 1": 1, "crown 2": 1, "ring 2": 2}, "B": {}},
    "cards": {"ring": 3, "crown": 3},
    "start_hand": [2, 2],
}
REDUCED: list[dict[str, Any]] = [
    TINY,
    {**TINY, "pawns": 1},
    {**TINY, "pawns": 2, "bridges": False},
    {**TINY, "pawns": 1, "bridges": False, "first_player": "random", "pass_bonus": True, "reshuffle": "when wanted"},
    {"pawns": 2, "cards": {"ring": 15, "olive": 15, "flag": 1}, "bridges": False},
    {"path": [0] * 20 + [2] * 6 + [0] + [1, 2], "tile_set": {"A": {"ring 1": 12}, "B": {"crown 7": 3}}},
]


def made(**options: Any) -> Any:
    return atlantis_envs.game("atlantis", players=2, **options)


def walked(game: Any, seed: int) -> list[Position]:
    """Every position of a random game, sound and the same when read back."""
    dice, position, seen = random.Random(seed), game.initial_position(), []
    while True:
        assert position.faults() == []
        seen.append(position.clone())
        if position.node == "over":
            return seen
        position.apply(dice.choice(position.legal_actions() or list(position.chance_outcomes())))


@pytest.mark.parametrize("options", REDUCED)
def test_reduced_games_are_sound_and_end(options: dict[str, Any]) -> None:
    game = made(**options)
    report = soak.soak(game, 20_000, seed=1)
    assert report.fault == "" and report.games > 20 and report.longest <= report.bound
    for position in walked(game, 2):
        again = atlantis_envs.game("atlantis").from_json(position.to_json())
        assert again == position and again.game.options == game.options


def test_documents_name_only_what_is_reduced() -> None:
    assert not {"path", "cards", "pawns", "bridges"} & set(made().options.to_json())
    assert made(path="full", cards="full", pawns=3, bridges=True) == made()
    own = made(**TINY, pawns=1).options.to_json()
    assert own["path"] == [1, 0, 1, 2] and own["cards"] == {"ring": 3, "crown": 3} and own["pawns"] == 1
    assert "bridges" not in own and "pawns=1" in repr(made(pawns=1))


def test_18_1_tiles_lie_where_the_path_says_and_nowhere_else() -> None:
    position = made(**TINY).initial_position()
    laid = 0
    while position.to_json()["phase"] == "lay":
        position.apply(next(iter(position.chance_outcomes())))
        laid += 1
    path = position.to_json()["path"]
    assert laid == 3 and [space for space, tile in enumerate(path) if tile] == [0, 2, 3]
    assert [text.endswith("+") for text in path if text] == [False, False, True]
    assert sum(position.to_json()["bag"]["A"].values()) == 1


def test_18_3_the_cards_are_those_of_the_option() -> None:
    for position in walked(made(**TINY), 5):
        told = position.to_json()
        heaps = [told["pile"], told["discard"], told["box"], *(seat["hand"] for seat in told["seats"])]
        assert {thing: sum(heap.get(thing, 0) for heap in heaps) for thing in ("ring", "crown", "flag")} == {
            "ring": 3, "crown": 3, "flag": 0,
        }  # fmt: skip


def test_18_4_pawns_that_do_not_play_are_home_and_bring_no_cards() -> None:
    ended = draws = 0
    for seed in range(5):
        *_, before, last = seen = walked(made(**TINY, pawns=1), seed)
        assert all(seat["pawns"][1:] == [53, 53] for position in seen for seat in position.to_json()["seats"])
        ended += any(seat["pawns"][0] == 53 for seat in last.to_json()["seats"])
        draws = max(draws, *(position.to_json()["turn"]["draws"] for position in seen))
        assert before.node != "over"
    assert ended > 0 and draws == 2  # a pass, or a move home


def test_18_5_without_bridges() -> None:
    reached: set[bool] = set()
    for bridges in (True, False):
        for position in walked(made(**TINY, bridges=bridges), 3):
            offered = any(text.startswith("bridge") for text in position.legal_actions())
            assert bridges or not offered
            reached.add(offered)
    assert reached == {True, False}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"path": [3]}, r"path\[0\]: 3; allowed: an integer 0\.\.2"),
        ({"path": [0, 0]}, r"path: \[0, 0\]; allowed: at least one tile"),
        ({"path": [0] * 26 + [1]}, r"path\[26\]: 1; allowed: an integer 0\.\.0"),
        ({"path": "short"}, r"path: 'short'; allowed: \"full\", or a list"),
        ({"path": [1] * 54}, "path: .*allowed"),
        ({"path": [1]}, "tile_set: 'reconstructed'; allowed: an object with keys A, B"),
        ({"path": [1], "tile_set": {"A": {"ring 1": 2}, "B": {}}}, "tile_set.A: 2 tiles; allowed: exactly 1"),
        ({"cards": {"ring": 8}}, "cards: 8 cards; allowed: at least the 9 of the hands at the start"),
        ({"cards": {"ring": 16}}, r"cards\.ring: 16; allowed: an integer 1\.\.15"),
        ({"cards": 3}, r"cards: 3; allowed: \"full\""),
    ],
)
def test_what_is_not_allowed_is_named(options: dict[str, Any], told: str) -> None:
    with pytest.raises(OptionError, match=told):
        made(**options)


def test_positions_of_another_reduction_are_refused() -> None:
    document = walked(made(**TINY), 1)[-1].to_json()
    for name, value, told in (
        ("pawns", 1, "seats"),
        ("cards", {"ring": 3, "crown": 2}, "pile"),
        ("bridges", False, "phase"),
    ):
        with pytest.raises(PositionError, match=told):
            atlantis_envs.game("atlantis").from_json({**document, "options": {**document["options"], name: value}})
