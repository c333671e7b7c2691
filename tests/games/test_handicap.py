"""The option ``handicap`` (14.7 of Atlandice, 13.4 of Atlantis); `test_lockstep` compares whole games with it."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from helpers.support import moves

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import OptionError, PositionError

GAMES = {"atlandice": {}, "atlantis": {"first_player": "random"}}


def played(position: Position, seed: int) -> list[Position]:
    """All positions of a random game, the same moves and luck whatever the handicap is."""
    dice, seen = random.Random(seed), [position.clone()]
    while position.node != "over":
        position.apply(dice.choice(sorted(moves(position))))
        seen.append(position.clone())
    return seen


@pytest.mark.parametrize("name", GAMES)
def test_points_at_the_start_are_in_scores_observations_documents_and_returns(name: str) -> None:
    for seed in range(4):
        games = [atlantis_envs.game(name, players=3, handicap=given, **GAMES[name]) for given in ([], [0, 7.5, 2])]
        plain, given = (played(game.initial_position(), seed) for game in games)
        size = games[0].observation_size
        for before, after in zip(plain, given, strict=True):
            opener = opener_of(after)
            halves = [0, 0, 0] if opener is None else [[0, 15, 4][(seat - opener) % 3] for seat in range(3)]
            more = np.array(after.scores()) - before.scores()
            assert more.tolist() == [half // 2 for half in halves]
            for seat in range(3):
                assert after.observation(seat)[size - 4 : size - 1].tolist() == [*halves[seat:], *halves[:seat]]
                assert not before.observation(seat)[size - 4 :].any()
        assert games[1].from_json(json.dumps(given[-1].to_json())) == given[-1]
        ranks = np.array(given[-1].scores()) + np.array(halves) % 2 / 2
        assert (np.array(given[-1].returns()) > 0).tolist() == (ranks == ranks.max()).tolist()


def opener_of(position: Position) -> int | None:
    """The seat that went first in the first round."""
    document: dict[str, Any] = position.to_json()
    first = document["first"]
    return None if first is None else (first - document.get("round", 1) + 1) % 3


@pytest.mark.parametrize("name", GAMES)
def test_a_half_point_breaks_a_tie(name: str) -> None:
    tied = 0
    for seed in range(60):
        game = atlantis_envs.game(name, players=2)
        end = played(game.initial_position(), seed)[-1]
        if max(end.returns()) == 0:
            tied += 1
            document = end.to_json()
            document["options"]["handicap"] = [0.5, 0]
            half = game.from_json(document)
            winner = int(half.observation(0)[-4] == 0)
            assert half.scores() == end.scores()
            assert half.returns() == ([1, -1] if winner == 0 else [-1, 1])
            assert f"{end.scores()[winner]}½" in str(half)
    assert tied


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("value", [[1], [0, 0.25], [0, -1], [0, 51], [0, "1"], [0, True], [0, float("nan")], 3, "0,1"])
def test_bad_handicaps_are_refused(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=r"handicap.*allowed"):
        atlantis_envs.game(name, players=2, handicap=value)


def test_documents_leave_an_empty_handicap_out_and_refuse_points_that_are_too_few() -> None:
    game = atlantis_envs.game("atlandice", players=2, handicap=[0, 0])
    assert game == atlantis_envs.game("atlandice", players=2) and "handicap" not in game.options.to_json()
    document = played(atlantis_envs.game("atlandice", players=2).initial_position(), 0)[25].to_json()
    document["options"]["handicap"] = [40, 40]
    with pytest.raises(PositionError):
        game.from_json(document)
