"""Every effect of Atlantis Rising is counted and reached; the counters see nothing that did not happen."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from helpers.reach import CARD_EFFECTS, COMPONENT_EFFECTS, GROUPS, MISFORTUNE_EFFECTS, effects
from helpers.support import scaled
from reach_play import FILE, WANTED, Observer, late_position, late_rounds, random_games, report

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising import data


def test_every_named_effect_is_counted_and_reached() -> None:
    found = random_games(scaled(20_000, 400_000)).counts + late_rounds(scaled(50_000, 1_000_000)).counts
    assert set(found) == set(effects()), "an effect that nobody named, or one that was never seen"


def test_the_effects_are_all_cards_councilors_components_and_misfortunes() -> None:
    assert {group: len(names) for group, names in GROUPS.items()} == {
        "library card": 11,
        "artifact": 11,
        "councilor": 10,
        "component built": 21,
        "component at work": 21,
        "misfortune": 21,
    }
    assert set(CARD_EFFECTS) == set(data.BASIC_CARDS)
    assert set(COMPONENT_EFFECTS) == set(data.COMPONENTS)
    assert set(MISFORTUNE_EFFECTS) == set(data.MISFORTUNES)


def test_the_table_of_the_documentation_names_every_effect_often_enough() -> None:
    rows = re.findall(
        r"^\| ([\w ]+) \| ([\w ]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", FILE.read_text("utf-8"), re.M
    )
    assert [(group, name) for group, name, *_ in rows] == effects()
    for _, name, *counts in rows:
        one, two, together = (int(count.replace(",", "")) for count in counts)
        assert one + two == together >= WANTED, name


def test_a_report_is_the_same_for_the_same_seed() -> None:
    assert report(1_500, 1_500, seed=3) == report(1_500, 1_500, seed=3)
    assert report(1_500, 1_500, seed=3) != report(1_500, 1_500, seed=4)


# ---- counters on play whose effects are known


class Scripted(Observer):
    """Plays the decisions and outcomes of a script."""

    def __init__(self, *texts: str) -> None:
        super().__init__(0)
        self.texts = list(texts)

    def _choose(self, game: Any, own: Any, seat: int, mask: Any, weights: Any) -> tuple[int, str]:
        offered = game.actions if seat >= 0 else game.outcomes
        text = self.texts.pop(0)
        return offered.index(text), text


def deployed(changes: dict[str, Any], **options: Any) -> Position:
    """A first deployment of two seats, changed by hand."""
    councilors = ["artificer", "priest"]
    game = atlantis_envs.game("atlantis_rising", players=2, councilors=councilors, **options)
    position = game.initial_position()
    dice = random.Random(3)
    while position.to_json()["phase"] != "deploy":
        position.apply(dice.choice(position.legal_actions() or list(position.chance_outcomes())))
    document = position.to_json()
    for path, value in changes.items():
        *way, last = path.split(".")
        target: Any = document
        for step in way:
            target = target[int(step) if step.isdigit() else step]
        target[last] = value
    return game.from_json(document)


IN_LIBRARY = ("golden sieve", "keystone of wards", "bottomless satchel", "index of ages")
BASIC = dict.fromkeys(data.BASIC_CARDS, 2)
HOME = {"leader": 0, "hologram": 0, "follower": 0, "volunteer": 0, "automaton": 0}
ROLL = {
    "phase": "actions",
    "seats.0.home": HOME,
    "seats.1.home": HOME,
    "placed": [{"at": "hills 3", "seat": 0, "kind": "follower", "ready": 1, "done": 0}],
    "unused_artifacts": [name for name in data.ARTIFACTS if name not in IN_LIBRARY],
    "seats.0.artifacts": ["golden sieve"],
    "library.deck": BASIC | dict.fromkeys(IN_LIBRARY[1:], 1),
}


@pytest.mark.parametrize(("face", "counted"), [(1, 0), (2, 0), (3, 1), (4, 0), (6, 0)])
def test_an_artifact_counts_only_where_its_point_decides(face: int, counted: int) -> None:
    """Target 4, with golden sieve a 3 is enough; a 4 is enough without it."""
    observer = Scripted("resolve", "at hills 3", f"die {face}")
    observer.play(deployed(ROLL), 3)
    assert observer.counts["artifact", "golden sieve"] == counted
    assert sum(observer.counts.values()) == counted


def test_a_card_counts_once_and_where_it_did_something() -> None:
    library = {
        "library.deck": BASIC | {"warding rite": 1} | dict.fromkeys(IN_LIBRARY, 1),
        "unused_artifacts": ROLL["unused_artifacts"],
    }
    start = {"seats.0.hand": {"warding rite": 1}, **library, "seats.0.energy": 9}
    observer = Scripted("play warding rite", "barrier hills", "yield", "barrier cities")
    observer.play(deployed(start), 4)
    assert observer.counts == {("library card", "warding rite"): 1}


def test_an_action_that_is_tried_and_declined_counts_nothing() -> None:
    library = {"library.deck": BASIC | dict.fromkeys(IN_LIBRARY, 1)}
    start = {**ROLL, "seats.0.artifacts": [], **library, "seats.0.energy": 9}
    observer = Scripted("resolve", "at hills 3", "die 1", "decline")
    observer.play(deployed(start), 4)
    assert not observer.counts


def test_late_positions_are_sound_and_of_both_phases() -> None:
    observer = Observer(1, eager=True)
    phases = set()
    for number in range(40):
        position = late_position(1 + number % 7, observer)
        assert position.faults() == [] and position.node == "decision"
        phases.add(position.to_json()["phase"])
    assert phases == {"deploy", "actions"}
