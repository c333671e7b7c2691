"""The slow Atlantis: its ids are those of 9.5, and its random games end."""

from __future__ import annotations

import json
import random

import pytest
from oracles.atlantis import ACTIONS, OUTCOMES, OraclePosition


def test_9_5_ids() -> None:
    assert len(ACTIONS) == 84 and len(OUTCOMES) == 60
    rows = {
        0: "pass",
        2: "sell 2",
        8: "pawn 0",
        11: "play ring",
        18: "pay tile 1",
        25: "pay card ring",
        32: "bridge 1",
    }
    assert {number: ACTIONS[number] for number in rows} == rows and ACTIONS[82] == "bridge 51"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_game(players: int) -> None:
    """A random game ends, and every position on the way survives JSON."""
    dice = random.Random(players)
    position = OraclePosition.initial(players, {"first_player": "random"})
    while position.node != "over":
        data = position.to_json()
        assert OraclePosition.from_json(json.loads(json.dumps(data))).to_json() == data
        assert sum(sum(seat["hand"].values()) for seat in data["seats"]) <= 105
        outcomes = position.chance_outcomes()
        if outcomes:
            position.apply(dice.choices(list(outcomes), list(outcomes.values()))[0])
        else:
            position.apply(dice.choice(position.legal_actions()))
    assert sum(position.returns()) == pytest.approx(0)
