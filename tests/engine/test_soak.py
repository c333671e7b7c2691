"""Long random play: nothing is ever broken, everything is reached, pieces are conserved, games end in time."""

from __future__ import annotations

import random
from typing import Any

import pytest
import soak
from helpers.atlandice_checks import check_position, node_bound, pieces_on_table
from helpers.atlandice_random import random_options
from helpers.support import Walk, play, scaled

import atlantis_envs
from atlantis_envs.engine.game import Game

NODES = scaled(1_000_000, 100_000_000)  # per number of players and variant of the options
LOOKS = scaled(600, 20_000)  # documents counted by hand per number of players


def variant_id(options: dict[str, Any]) -> str:
    return "-".join(options) or "default"


@pytest.mark.parametrize("options", soak.VARIANTS, ids=variant_id)
def test_random_play_is_sound_ends_and_reaches_everything(players: int, options: dict[str, Any]) -> None:
    game = atlantis_envs.game("atlandice", players=players, **options)
    report = soak.soak(game, NODES, seed=players)
    assert report.fault == ""
    assert report.nodes == NODES
    assert report.games > NODES // 3_000
    assert 0 < report.longest <= report.bound == node_bound(game.initial_position().to_json())
    texts = (*game.actions, *game.outcomes)
    reached = {text for text, n in zip(texts, [*report.used, *report.drawn], strict=True) if n}
    assert reached == set(texts) - soak.unreachable(game)


def test_together_the_variants_reach_every_id() -> None:
    """No action and no outcome is out of reach of all variants."""
    games = [atlantis_envs.game("atlandice", players=n, **options) for n in (2, 3, 4) for options in soak.VARIANTS]
    assert set.intersection(*map(soak.unreachable, games)) == set()


@pytest.mark.parametrize(
    ("flag", "field", "value"),
    [
        ("node", "hand", 100),
        ("sectors", "resources", -1),
        ("actor", "actor", 1),
        ("sectors", "dice", 5),
        ("bare", "bare", 1),
    ],
)
def test_the_soak_stops_at_a_planted_fault(flag: str, field: str, value: int) -> None:
    """Each is planted at a decision of seat 0 in the middle of a visit round."""
    walk = Walk(atlantis_envs.game("atlandice", players=2), 5)
    while walk.position().to_json()["node"] != "visit" or walk.position().seat != 0:
        assert walk.advance(1) == 0
    walk.states[field] = value
    fault = walk.advance(1)
    assert flag in [
        path for path, _ in (part.split(": ", 1) for part in soak.words_of(walk.game.definition, fault).split("; "))
    ]


def test_the_soak_stops_at_a_game_without_end(game: Game) -> None:
    walk = Walk(game, 1)
    walk.bound = 40
    assert soak.words_of(game.definition, walk.advance(10_000)) == "a game longer than its bound"


# ---- counted by hand, in plain Python, out of the documents


def conserved(data: dict[str, Any], players: int) -> None:
    """17.3: the pieces of a live type never change in number; a dead type has none."""
    per_type = 12 if players == 4 else 10
    check_position(data, dict.fromkeys(pieces_on_table(data), per_type))


def test_17_3_pieces_dice_and_tiles_are_conserved(players: int) -> None:
    dice = random.Random(players + 8)
    seen_dead = 0
    for number in range(LOOKS // 30):
        options = random_options(players, dice)
        walk = Walk(atlantis_envs.game("atlandice", **options), number)
        for _ in range(60):
            assert walk.advance(dice.randint(1, 9)) == 0
            data = walk.position().to_json()
            conserved(data, players)
            dead = [x for x in data["sectors"].values() if "tile" in x and not x["tile"] and not x["hidden"]]
            seen_dead += bool(dead)
        while walk.position().node != "over":
            assert walk.advance(1) == 0
        conserved(walk.position().to_json(), players)
    assert seen_dead


def test_the_count_sees_a_lost_piece(game: Game, players: int) -> None:
    position = play(game.initial_position(), 80, random.Random(2))
    data = position.to_json()
    conserved(data, players)
    stock = next(person["stock"] for person in data["participants"] if person["stock"])
    stock[next(iter(stock))] += 1
    with pytest.raises(AssertionError):
        conserved(data, players)
