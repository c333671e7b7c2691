"""The slow Atlantis keeps every scenario of its rules file."""

from __future__ import annotations

import json
import random
import re

import pytest
from helpers import atlantis_scenarios
from helpers.atlantis_scenarios import Scenario
from oracles.atlantis import ACTIONS, OUTCOMES, OraclePosition

SCENARIOS = atlantis_scenarios.load()


def test_the_rules_file_has_143_scenarios() -> None:
    assert [scenario.id for scenario in SCENARIOS] == [f"T-{number:02}" for number in range(1, 144)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario) -> None:
    atlantis_scenarios.run(scenario, OraclePosition.from_json, OraclePosition.initial)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("turn S1", "turn S0"),
        ("S0 @4,7,A hand crown tiles 4", "S0 @4,7,A hand crown tiles 5"),
        ("path 6 ~", "path 6 olive4"),
        ("gaps 6:1", "gaps 6:2"),
        ("discard flag", "discard crown"),
        ("play flag", "play ring"),
    ],
)
def test_a_scenario_that_is_wrong_fails(old: str, new: str) -> None:
    """The runner sees a difference in any part of the first scenario."""
    right = SCENARIOS[0]
    play, end = (tuple(new if item == old else item for item in part) for part in (right.play, right.end))
    assert (play, end) != (right.play, right.end)
    with pytest.raises(AssertionError, match="T-01"):
        atlantis_scenarios.run(
            Scenario(right.id, right.title, right.start, play, end),
            OraclePosition.from_json,
            OraclePosition.initial,
        )


def test_16_3_example_position() -> None:
    text = atlantis_scenarios.TEXT
    [block] = re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    data = json.loads(block)
    position = OraclePosition.from_json(data)
    assert position.to_json() == data
    assert position.legal_actions() == ["pay tile 1", "pay card ring", "pay card olive", "pay card flag"]


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
