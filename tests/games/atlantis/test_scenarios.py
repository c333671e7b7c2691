"""Atlantis keeps every scenario of its rules file: the fast one, and the slow one that it is compared with.

Of the fast one every position on the way is sound and survives JSON.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers import atlantis_scenarios
from helpers.atlantis_scenarios import Scenario
from helpers.scenarios import Engine
from oracles.atlantis import OraclePosition

import atlantis_envs
from atlantis_envs.engine.position import Position

SCENARIOS = atlantis_scenarios.load()
SLOW = Engine(OraclePosition.from_json, OraclePosition.initial)


class Checked:
    """A position that checks itself after every move."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.check()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.position, name)

    def check(self) -> None:
        assert self.position.faults() == []
        assert self.position.game.from_json(json.loads(json.dumps(self.position.to_json()))) == self.position

    def apply(self, move: str) -> None:
        self.position.apply(move)
        self.check()


def initial(players: int, options: dict[str, Any]) -> Checked:
    return Checked(atlantis_envs.game("atlantis", players=players, **options).initial_position())


def from_json(document: dict[str, Any]) -> Checked:
    return Checked(atlantis_envs.game("atlantis").from_json(document))


@pytest.fixture(params=["fast", "slow"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return SLOW if request.param == "slow" else Engine(from_json, initial)


def test_every_scenario_is_here() -> None:
    assert [scenario.id for scenario in SCENARIOS] == [f"T-{number:02}" for number in range(1, 144)]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario, engine: Engine) -> None:
    atlantis_scenarios.run(scenario, engine)


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
        atlantis_scenarios.run(Scenario(right.id, right.title, right.start, play, end), SLOW)


def test_16_3_example_position(engine: Engine) -> None:
    [block] = re.findall(r"^```json\n(.*?)^```", atlantis_scenarios.TEXT, re.DOTALL | re.MULTILINE)
    data = json.loads(block)
    position = engine.from_json(data)
    assert position.to_json() == data
    assert position.legal_actions() == ["pay tile 1", "pay card ring", "pay card olive", "pay card flag"]


@pytest.mark.parametrize(
    ("moves", "end"),
    [
        (
            2,
            "turn S0; S0 hand ring,olive,flag tiles 4,5; legal {bridge 3, bridge 8, bridge 11, pawn 0, pawn 1, pawn 2}",
        ),
        (4, "pay S0 due 8; legal {pay tile 5}"),
        (5, "pay S0 due 3; legal {pay tile 4}"),
        (6, "after S0; S0 @16,9,A tiles 3; legal {bridge 3, bridge 8, done}; path 13 ~; gaps 3:1, 8:4, 11:0"),
        (8, "turn S1; S0 hand olive,flag,crown tiles 3"),
    ],
)
def test_16_4_a_turn_in_full(moves: int, end: str, engine: Engine) -> None:
    """The transcript of 16.4, stopped after so many moves."""
    play = ["sell 3", "card olive", "pawn 0", "play ring", "pay tile 5", "pay tile 4", "done", "card crown"]
    start = "n3; EX2; S0 @0,9,A hand ring,flag tiles 5,4,3; S1 @1,4,15; S2 @2,7,A"
    [scenario] = atlantis_scenarios.load(f"```\nT-0 16.4 : {start} > {', '.join(play[:moves])} = {end}\n```\n")
    atlantis_scenarios.run(scenario, engine)
