"""Atlandice keeps every scenario of its rules file (section 18): the fast one, and the slow one it is compared with."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers import atlandice_scenarios
from helpers.atlandice_checks import check_position
from helpers.scenarios import Engine, Scenario
from oracles.atlandice import OraclePosition

import atlantis_envs
from atlantis_envs.engine.position import Position

SCENARIOS = atlandice_scenarios.load() + atlandice_scenarios.load_further()
BY_ID = {scenario.id: scenario for scenario in SCENARIOS}
SLOW = Engine(OraclePosition.from_json, OraclePosition.initial)


def initial(options: dict[str, Any]) -> Position:
    return atlantis_envs.game("atlandice", **options).initial_position()


@pytest.fixture(params=["fast", "slow"])
def engine(request: pytest.FixtureRequest) -> Engine:
    return SLOW if request.param == "slow" else Engine(atlantis_envs.game("atlandice").from_json, initial)


def test_every_scenario_is_here() -> None:
    ids = [scenario.id for scenario in SCENARIOS]
    assert ids[:129] == [f"T{number:03}" for number in range(1, 130)]
    assert len(ids) > 139 and all(name.startswith("X") for name in ids[129:])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario, engine: Engine) -> None:
    atlandice_scenarios.run(scenario, engine)


def test_every_start_is_valid() -> None:
    for scenario in SCENARIOS:
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
    right = BY_ID["T001"]
    play, end = (tuple(new if item == old else item for item in part) for part in (right.play, right.end))
    assert (play, end) != (right.play, right.end)
    scenario = Scenario(right.id, right.title, right.heading, right.start, play, end)
    with pytest.raises(AssertionError, match="T001"):
        atlandice_scenarios.run(scenario, SLOW)


def test_17_6_the_printed_position_goes_on_as_its_caption_says(engine: Engine) -> None:
    text = atlandice_scenarios.RULES_FILE.read_text(encoding="utf-8")
    [block] = re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    position = engine.from_json(json.loads(block))
    assert position.to_json() == json.loads(block)
    for node, legal, chosen in [
        ("take", ["take gem", "take book"], "take book"),
        ("bonus", ["take gem", "take book"], "take gem"),
        ("extra", ["take book"], "take book"),
    ]:
        assert (position.to_json()["node"], position.legal_actions()) == (node, legal)
        position.apply(chosen)


def test_10_5_the_worked_visit_leaves_its_log() -> None:
    position = atlantis_envs.game("atlandice").from_json(atlandice_scenarios.start_position(BY_ID["T001"]))
    visit = ["visit forge", "take weapon", "take gem", "roll 6", "take weapon"]
    for text in visit:
        position.apply(text)
    assert position.log == visit
