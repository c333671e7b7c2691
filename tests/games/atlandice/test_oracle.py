"""The slow Atlandice: its actions are those of 10.3, and its random games obey sections 16 and 17."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from helpers.atlandice_checks import check_position, node_bound, pieces_on_table
from helpers.atlandice_random import random_options, sparse_table
from oracles.atlandice import ACTIONS, OraclePosition


def test_action_table() -> None:
    """Ids of 10.3 where its rows begin and end."""
    texts = [text for text, _, _ in ACTIONS]
    assert len(texts) == len(set(texts)) == 72
    rows = {
        0: "visit jeweler",
        11: "visit market for neutral",
        12: "take gem",
        17: "raid jeweler",
        18: "raid inn",
        20: "raid forge",
        21: "swap out gem",
        26: "swap with library",
        30: "swap in gem",
        35: "move gem",
        40: "move to jeweler",
        45: "die from jeweler",
        51: "die to jeweler",
        57: "submarine to jeweler",
        62: "submarine to market",
        63: "pay gem",
        68: "stop paying",
        69: "use effect",
        70: "decline effect",
        71: "decline bonus",
    }
    assert {number: texts[number] for number in rows} == rows


def step(position: OraclePosition, dice: random.Random) -> None:
    """One random action or outcome; exactly one kind of thing is offered, and it agrees with the node."""
    legal, outcomes = position.legal_actions(), position.chance_outcomes()
    assert (position.node == "decision") == bool(legal) == (position.seat is not None)
    assert (position.node == "chance") == bool(outcomes)
    position.apply(dice.choice(legal or list(outcomes)))


def check_faces(position: OraclePosition, data: dict[str, Any], dice: random.Random) -> None:
    """JSON and clones are the same position, and a refused move leaves no trace."""
    again, copied = OraclePosition.from_json(json.loads(json.dumps(data))), position.clone()
    assert json.dumps(again.to_json()) == json.dumps(data)
    refused = dice.choice([text for text, _, _ in ACTIONS])
    if refused not in position.legal_actions():
        with pytest.raises(ValueError, match="not offered"):
            position.apply(refused)
    assert position.to_json() == data
    if position.node != "over":
        seed = dice.random()
        step(again, random.Random(seed))
        step(copied, random.Random(seed))
        assert again.to_json() == copied.to_json() != data
        assert position.to_json() == data


@pytest.mark.parametrize("number", range(30))
@pytest.mark.parametrize("sparse", [False, True], ids=["full", "sparse"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_game(players: int, sparse: bool, number: int) -> None:
    dice = random.Random(f"{players} {sparse} {number}")
    position = OraclePosition.initial(random_options(players, dice))
    assert set(pieces_on_table(position.to_json()).values()) == {12 if players == 4 else 10}
    if sparse:
        position = sparse_table(position, dice)
    in_play = pieces_on_table(position.to_json())
    bound = node_bound(position.to_json())
    nodes = 0
    while position.node != "over":
        data = position.to_json()
        check_position(data, in_play)
        if nodes % 7 == 0:
            check_faces(position, data, dice)
        step(position, dice)
        nodes += 1
        assert nodes <= bound
    check_end(position)


def check_end(position: OraclePosition) -> None:
    """The end lies on the last space and pays out nothing in sum (8.2, 13.4)."""
    data = position.to_json()
    check_position(data)
    assert data["hand"] == len(position.spaces) - 1 >= data["round"]
    assert position.legal_actions() == [] and position.chance_outcomes() == {}
    assert sum(position.returns()) == pytest.approx(0)
    best = max(position.scores())
    for gain, score in zip(position.returns(), position.scores(), strict=True):
        assert gain == 0 or (gain > 0) == (score == best)
