"""The slow Atlandice keeps every scenario of its rules file; its random games obey sections 16 and 17."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from helpers import atlandice_scenarios
from helpers.atlandice_checks import check_position, node_bound, pieces_on_table
from helpers.atlandice_random import random_options, sparse_table
from helpers.scenarios import Scenario
from oracles.atlandice import ACTIONS, OraclePosition

SCENARIOS = atlandice_scenarios.load()
ALL_SCENARIOS = SCENARIOS + atlandice_scenarios.load_further()


# ---- scenarios (section 18)


def test_the_rules_file_has_129_scenarios() -> None:
    assert [scenario.id for scenario in SCENARIOS] == [f"T{number:03}" for number in range(1, 130)]


@pytest.mark.parametrize("scenario", ALL_SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario) -> None:
    atlandice_scenarios.run(scenario, OraclePosition.from_json, OraclePosition.initial)


@pytest.mark.parametrize("scenario", ALL_SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario_start_is_valid(scenario: Scenario) -> None:
    if "root" not in scenario.start:
        position = OraclePosition.from_json(atlandice_scenarios.start_position(scenario))
        check_position(position.to_json())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hand 3", "hand 4"),
        ("node donate", "node visit"),
        ("actor 0", "actor 1"),
        ("F{W4}", "F{W5}"),
        ("s0{W2,G1}", "s0{W2}"),
        ("dice F0 M1", "dice F0 M2"),
        ("take gem", "take book"),
        ("roll 6", "[chance roll 6]"),
    ],
)
def test_a_scenario_that_is_wrong_fails(old: str, new: str) -> None:
    """The runner sees a difference in any part of the first scenario."""
    right = SCENARIOS[0]
    play, end = (tuple(new if item == old else item for item in part) for part in (right.play, right.end))
    assert (play, end) != (right.play, right.end)
    scenario = Scenario(right.id, right.title, right.heading, right.start, play, end)
    with pytest.raises(AssertionError, match="T001"):
        atlandice_scenarios.run(scenario, OraclePosition.from_json, OraclePosition.initial)


def test_example_position_of_17_6() -> None:
    """The position printed in the rules file survives, and goes on as its caption says."""
    text = atlandice_scenarios.RULES_FILE.read_text(encoding="utf-8")
    [block] = re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    position = OraclePosition.from_json(json.loads(block))
    assert position.to_json() == json.loads(block)
    for node, chosen in [("take", "take book"), ("bonus", "take gem"), ("extra", "take book")]:
        assert position.to_json()["node"] == node
        assert position.legal_actions() == (["take book"] if node == "extra" else ["take gem", "take book"])
        position.apply(chosen)


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


# ---- random games (sections 16, 17)


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
