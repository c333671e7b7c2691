"""The fast Atlandice keeps every scenario of its rules file (section 18)."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers import atlandice_scenarios
from helpers.scenarios import Scenario

import atlantis_envs
from atlantis_envs.engine.position import Position

SCENARIOS = atlandice_scenarios.load() + atlandice_scenarios.load_further()
GAME = atlantis_envs.game("atlandice")


def initial(options: dict[str, Any]) -> Position:
    return atlantis_envs.game("atlandice", **options).initial_position()


def test_every_scenario_is_here() -> None:
    ids = [scenario.id for scenario in SCENARIOS]
    assert ids[:129] == [f"T{number:03}" for number in range(1, 130)]
    assert len(ids) > 139 and all(name.startswith("X") for name in ids[129:])


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.id)
def test_scenario(scenario: Scenario) -> None:
    atlandice_scenarios.run(scenario, GAME.from_json, initial)


def test_17_6_the_printed_position_goes_on_as_its_caption_says() -> None:
    text = atlandice_scenarios.RULES_FILE.read_text(encoding="utf-8")
    [block] = re.findall(r"^```json\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    position = GAME.from_json(json.loads(block))
    assert position.to_json() == json.loads(block)
    for node, legal, chosen in [
        ("take", ["take gem", "take book"], "take book"),
        ("bonus", ["take gem", "take book"], "take gem"),
        ("extra", ["take book"], "take book"),
    ]:
        assert (position.to_json()["node"], position.legal_actions()) == (node, legal)
        position.apply(chosen)
    assert position.log == ["take book", "take gem", "take book"]


def test_10_5_the_worked_visit_leaves_its_log() -> None:
    [scenario] = [scenario for scenario in SCENARIOS if scenario.id == "T001"]
    position = GAME.from_json(atlandice_scenarios.start_position(scenario))
    visit = ["visit forge", "take weapon", "take gem", "roll 6", "take weapon"]
    for text in visit:
        position.apply(text)
    assert position.log == visit
