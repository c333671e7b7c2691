"""The fast Atlantis Rising keeps every scenario of its rules file (section 23)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers import atlantis_rising_scenarios
from helpers.atlantis_rising_scenarios import Scenario

import atlantis_envs
from atlantis_envs.engine.position import Position

SCENARIOS = atlantis_rising_scenarios.load()
GAME = atlantis_envs.game("atlantis_rising")


def initial(options: dict[str, Any]) -> Position:
    return atlantis_envs.game("atlantis_rising", **options).initial_position()


def test_every_scenario_is_here() -> None:
    ids = {re.sub(r"[a-z]$", "", scenario.id) for scenario in SCENARIOS}
    assert ids == {f"T{number:02}" for number in range(1, 213)}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario) -> None:
    atlantis_rising_scenarios.run(scenario, GAME.from_json, initial)


def test_20_the_printed_position_goes_on_as_the_worked_log_says() -> None:
    text = atlantis_rising_scenarios.RULES_FILE.read_text(encoding="utf-8")
    [block] = re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    position = GAME.from_json(json.loads(block))
    assert position.to_json() == json.loads(block)
    assert (position.seat, position.legal_actions()) == (1, ["decline", "contribute 2"])
    position.apply("contribute 2")
    assert position.to_json()["built"] == ["spirit seal"]
    assert [seat["home"]["leader"] for seat in position.to_json()["seats"]] == [1, 1, 0]
    for text in ("pass", "resolve", "at forests 3", "die 2", "pass", "pass", "pass"):
        position.apply(text)
    document = position.to_json()
    assert (document["phase"], document["floods"], document["seats"][2]["home"]["volunteer"]) == ("wrath", 1, 1)
