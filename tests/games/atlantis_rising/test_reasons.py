"""Why something cannot be done is told by what is missing, with its clause.

Starts are written as in section 23 of the rules file, then played on.
"""

from __future__ import annotations

from typing import Any

import pytest
from helpers import atlantis_rising_scenarios as scenarios

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising.show.refusals import refusal

GAME = atlantis_envs.game("atlantis_rising")
HOME = ("deploy", "home F0, L0", "")
WARD = ("act", "hand0 warding rite", "play warding rite")
GATE = ("act", "built spirit seal; F0,F1@gate 1; crystal0=2; crystal1=2", "resolve > at gate 1")
SHARE = ("deploy", "E0=2; E1=3; fl hills=2", "barrier forests")
POOR = ("deploy", "E0=1; E1=9; fl hills=2", "barrier forests")
ENIGMA = (
    "act",
    "L0,L1@centre; hand0 enigma of fervour",
    "resolve > at centre > pass > pass > pass > play enigma of fervour",
)
SWAP = ("act", "hand0 transmutation; gold0=1", "play transmutation")
ACTED = ("act", "F0@centre; F0@hills 5", "resolve > at centre > pass > pass > pass > resolve")
PLACES = ("act", "F0@centre; F1@hills 1; F0@cities 3; F0@forges 6; F0@gate 1", "resolve")
RAIN = ("draw", "F0@centre", "misfortune controlled flooding")

REASONS: list[tuple[tuple[str, str, str], dict[str, Any], str, str]] = [
    (("deploy", "n=1; home F0; L0@centre; A@centre", ""), {}, "yield", "there is nobody to yield to (5.5)"),
    (HOME, {"yields": 0}, "yield", "you have yielded as often as a round allows (5.5)"),
    (("deploy", "L0@centre", ""), {}, "yield", "nothing of yours has to be placed: you can be ready (5.5)"),
    (HOME, {}, "peek", "you have no tidewatch glass in play (12.6)"),
    (
        ("deploy", "home F0; art0 tidewatch glass", ""),
        {"used": ["tidewatch glass"]},
        "peek",
        "the tidewatch glass is used this round (12.6)",
    ),
    (HOME, {}, "place volunteer", "you have no volunteer at home (5.5)"),
    (
        ("deploy", "home F0; fl hills=2; bar hills; E0=9", ""),
        {},
        "barrier hills",
        "the hills have a barrier already (9.2)",
    ),
    (("deploy", "home F0; fl hills=6; E0=9", ""), {}, "barrier hills", "the hills are all under water (9.2)"),
    (
        ("draw", "hand0 warding rite; F0@centre", "misfortune calm seas"),
        {},
        "barrier hills",
        "barriers are bought in deployment and in the phase of actions (9.1)",
    ),
    (
        ("deploy", "home F0; E1=9; fl hills=2", ""),
        {"barred": True},
        "drain hills",
        "you are barred and have less than 5 energy yourself (9.5)",
    ),
    (
        ("deploy", "home F0; fl hills=2", ""),
        {},
        "drain hills",
        "all seats together have too little energy: it costs 5 (9.4)",
    ),
    (
        ("draw", "hand2 swift evacuation; F0@hills 1", "misfortune hills"),
        {},
        "play augury",
        "only swift evacuation saves pieces from a flood (6.5)",
    ),
    (HOME, {}, "play augury", "you do not hold augury (12.1)"),
    (SHARE, {}, "decline", "who opens a payment cannot decline it (9.5)"),
    (WARD, {}, "decline", "the first one is not optional (13.2)"),
    (SHARE, {}, "contribute 5", "4 energy are still to pay, not 5 (9.5)"),
    (POOR, {}, "contribute 2", "you have 1 energy (9.5)"),
    (
        ("draw", "fl hills=3; F0@centre", "misfortune tidal wave"),
        {},
        "flood hills",
        "a tidal wave takes a peninsula with the fewest flooded tiles (6.9)",
    ),
    (
        ("draw", "F0@centre", "misfortune storm surge > flood hills"),
        {},
        "flood hills",
        "the hills were named just now, and another peninsula must be (6.9)",
    ),
    (("draw", "fl hills=6; F0@centre", RAIN[2]), {}, "flood hills", "the hills are all under water (6.6)"),
    (GATE, {}, "build prism lens", "the prism lens is not in the blueprint (8.3)"),
    (GATE, {}, "build spirit seal", "the spirit seal is built already (8.3)"),
    (GATE, {}, "build aegis emitter", "those at the gate cannot pay for the aegis emitter (8.3)"),
    (
        GATE,
        {},
        "build power core",
        "the power core needs all nine others, every leader at the gate, and a gift of every seat (8.4)",
    ),
    (ENIGMA, {}, "seat 1", "no leader of seat 1 has acted (12.2)"),
    (ENIGMA, {}, "seat 5", "there is no seat 5 in this game (2.2)"),
    (
        ("act", SWAP[1], f"{SWAP[2]} > give gold"),
        {},
        "take gold",
        "gold is what you give: it becomes another good (7.8)",
    ),
    (("deploy", "F0@hills 1", "lift follower"), {}, "at hills 2", "you have no follower at hills 2 (5.5)"),
    (
        ("deploy", "home F0; F1@hills 1", "place follower"),
        {},
        "at hills 1",
        "hills 1 is full: it has room for 1 (5.3)",
    ),
    (("deploy", "home F0; fl hills=1", "place follower"), {}, "at hills 1", "hills 1 is under water (5.3)"),
    (PLACES, {}, "at hills 1", "you have no piece at hills 1 (7.3)"),
    (PLACES, {}, "at gate 3", "there is no gate 3 with 4 players (2.1)"),
    (PLACES, {}, "at gate 1", "nothing can be built at gate 1 now by those who stand there (8.2)"),
    (PLACES, {}, "at prism lens", "the prism lens is not built (5.2)"),
    (PLACES, {}, "at cities 3", "cities 3 is a double place, and one piece alone cannot act there (7.3)"),
    (PLACES, {}, "at forges 6", "the action of forges 6 could do nothing (7.3)"),
    (ACTED, {}, "at centre", "your pieces at centre have acted (7.3)"),
]


def played(phase: str, start: str, way: str, own: dict[str, Any]) -> Position:
    """A start of section 23, with other values of the first seat, played on."""
    document = scenarios.start_position(phase, scenarios._start_items(start))
    document["seats"][0] |= own
    position = GAME.from_json(document)
    for text in way.split(" > ") if way else []:
        position.apply(text)
    return position


@pytest.mark.parametrize(("start", "own", "action", "told"), REASONS, ids=lambda part: str(part)[:60])
def test_13_2_what_cannot_be_done_is_told_by_what_is_missing(
    start: tuple[str, str, str], own: dict[str, Any], action: str, told: str
) -> None:
    position = played(*start, own)
    assert action not in position.legal_actions() and position.legal_actions()
    assert refusal(position, action) == told


def test_6_9_what_is_closed_is_told_as_closed() -> None:
    document = scenarios.start_position("act", scenarios._start_items("F0@centre; F0@mountains 1"))
    document["effects"]["closed"] = ["centre"]
    position = GAME.from_json(document)
    position.apply("resolve")
    assert refusal(position, "at centre") == "centre is closed this round (6.9)"


def test_12_6_what_is_known_need_not_be_looked_at() -> None:
    document = scenarios.start_position("deploy", scenarios._start_items("home F0; art0 tidewatch glass"))
    assert "peek" in GAME.from_json(document).legal_actions()
    document["misfortunes"]["top"] = ["hills"]
    document["misfortunes"]["deck"]["hills"] -= 1
    told = refusal(GAME.from_json(document), "peek")
    assert told == "the next misfortune is known, or there is none (12.6)"


def test_4_4_boards_and_councilors_that_cannot_be_named() -> None:
    drafted = atlantis_envs.game("atlantis_rising", players=2, councilors="draft").initial_position()
    while "councilor explorer" not in drafted.legal_actions():
        drafted.apply(drafted.sample_chance(1))
    drafted.apply("councilor explorer")
    assert refusal(drafted, "councilor explorer") == "the explorer is taken (3)"
    assert refusal(drafted, "councilor priest") == "the last seat must take the artificer (3)"
    turned = atlantis_envs.game("atlantis_rising", players=2, councilors=["priest", "orator"]).initial_position()
    while turned.node == "chance":
        turned.apply(turned.sample_chance(1))
    others = [name for name in turned.game.actions if name.startswith("councilor") and refusal(turned, name)]
    assert len(turned.legal_actions()) == 2 and "councilor priest" in others
    assert refusal(turned, "councilor priest") == "priest is not one of the two boards turned up (4.4)"
