"""The text board of Atlantis Rising: every node fits 80 columns, says what is there, and tells no secrets."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.support import play, scaled
from reach_play import Observer, late_position

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.show import phrases
from atlantis_envs.games.atlantis_rising.show.phrases import explain
from atlantis_envs.games.atlantis_rising.state import NODES
from atlantis_envs.games.atlantis_rising.view import view
from atlantis_envs.registry import definition

pytest.importorskip("typer")
from typer.testing import CliRunner

from atlantis_training.cli.app import app

BOARD = definition("atlantis_rising").look().board
CHANCE = NODES.index("C1 first")
HEAD = ("game", "players", "level", "options")  # keys of a document that say which game it is


def positions(count: int, seed: int, **changes: Any) -> Iterator[Position]:
    """Positions of late rounds and what follows from them."""
    observer = Observer(seed, eager=True)
    for number in range(count):
        document = late_position(1 + number % 7, observer).to_json()
        document["options"] |= changes
        for person in document["seats"]:
            person.pop("shown", None)
            if not document["options"].get("hands_open", True):
                person["shown"] = {}
        position = atlantis_envs.game("atlantis_rising").from_json(document)
        for _ in range(12):
            yield play(position, 3, observer.dice)


def lines_of(position: Position, seat: int | None) -> list[str]:
    names = [f"name{number}" for number in range(position.game.players)]
    text = BOARD.text(position, seat, names, 78)
    assert all(name in text for name in names) or position.to_json()["phase"] == "setup"
    return text.splitlines()


def test_every_node_fits_eighty_columns_and_says_what_is_decided() -> None:
    met = set()
    for number, position in enumerate(positions(scaled(40, 1_000), 1)):
        seat = number % position.game.players
        for viewer in (seat, None):
            lines = lines_of(position, viewer)
            assert max(map(len, lines)) <= 78, max(lines, key=len)
            assert "\N{NO-BREAK SPACE}" not in "".join(lines)
        met.add(int(position.state.node[0]))
        if position.seat is not None:  # the last lines are those of an onlooker, who is told what others are asked
            told = " ".join(" ".join(lines).split())
            assert f"Seat {position.seat}: {phrases.NODES[NODES[int(position.state.node[0])]][0]}" in told
    assert len([node for node in met if node < CHANCE]) > 15


def test_a_whole_game_is_shown_from_the_setup_to_the_end() -> None:
    for players in (1, 2, 5):
        dice = random.Random(players)
        position = atlantis_envs.game(
            "atlantis_rising", players=players, level=players, round_limit=2
        ).initial_position()
        assert lines_of(position, 0)[0] == f"Setup, level {players}"
        while position.node != "over":
            lines = lines_of(position, 0)
            play(position, 5, dice)
        assert any(line.startswith("LOST: ") for line in lines_of(position, None))
        assert lines != lines_of(position, None)


def test_the_picture_is_the_position() -> None:
    """Floods, barriers, prices, pieces and goods as the document has them."""
    for position in positions(scaled(10, 200), 2):
        document, lines = position.to_json(), lines_of(position, None)
        top = next(number for number, line in enumerate(lines) if line.startswith(" " * 12 + "1"))
        rows = dict(zip(data.PENINSULAS, lines[top + 1 :], strict=False))
        for name, row in rows.items():
            assert row.startswith(name)
            assert row.count("~~~") == document["flooded"][name]
            assert ("#" in row) == (name in document["barriers"])
        pictured = "\n".join(lines)
        for entry in document["placed"]:
            letter = {"automaton": "A"}.get(entry["kind"], entry["kind"][0].upper()) + str(entry["seat"])
            assert letter in pictured or letter.lower() in pictured or " pcs" in pictured
        for name in document["blueprint"]:
            assert any(line.startswith(name) or f" {name} " in line for line in lines)
        for person in document["seats"]:
            goods = " ".join(f"{person[good]}{good[0]}" for good in data.GOODS)
            assert goods in pictured


def test_15_2_a_seat_is_shown_nothing_it_cannot_know() -> None:
    changed = 0
    for number, position in enumerate(positions(scaled(25, 300), 3, hands_open=False)):
        seat = number % position.game.players
        twin = position.resample(seat, number)
        changed += twin != position
        names = ["x"] * position.game.players
        assert BOARD.text(twin, seat, names) == BOARD.text(position, seat, names)
        assert view(twin, seat) == view(position, seat)
    assert changed > 50


def test_15_2_what_another_seat_draws_is_a_number() -> None:
    observer = Observer(6, eager=True)
    game = atlantis_envs.game("atlantis_rising", players=3, hands_open=False)
    met = 0
    for _ in range(scaled(150, 2_000)):
        position = play(game.initial_position(), 150, observer.dice)
        for _ in range(40):
            drawn = [frame["drawn"] for frame in position.to_json()["pending"] if frame["do"] == "library"]
            if position.seat is not None and drawn:
                mover = position.seat
                told = lines_of(position, (mover + 1) % 3)[-1]
                assert told.endswith(f"drawn: {len(drawn[0])}") and not any(card in told for card in drawn[0])
                assert ", ".join(drawn[0]) in " ".join(" ".join(lines_of(position, None)).split())
                met += 1
            play(position, 1, observer.dice)
        if met > 5:
            break
    assert met > 5


def test_everything_has_words() -> None:
    assert set(phrases.NODES) == set(NODES[:CHANCE])
    assert set(phrases.CARDS) == set(data.BASIC_CARDS)
    assert set(phrases.ARTIFACTS) == set(data.ARTIFACTS)
    assert set(phrases.COMPONENTS) == set(data.COMPONENTS)
    assert set(phrases.COUNCILORS) == set(data.COUNCILORS) and set(phrases.MISFORTUNES) == set(data.MISFORTUNES)
    for position in positions(scaled(10, 200), 4):
        for action in position.legal_actions():
            told = explain(position, action)
            assert (told[0].isupper() or told[0].isdecimal()) and told.endswith(".") and "\n" not in told
            assert not action.startswith("play") or phrases.CARDS[action[5:]] in told


def test_hands_that_are_open_hide_nothing() -> None:
    game = atlantis_envs.game("atlantis_rising", players=3)
    assert BOARD.is_open(game) and not BOARD.is_open(atlantis_envs.game("atlantis_rising", hands_open=False))
    position = next(positions(1, 5, hands_open=True))
    place = view(position, 0)["place"]
    assert place == view(position, None)["place"]
    assert place == {key: value for key, value in position.to_json().items() if key not in HEAD}


def test_atlantis_play_shows_it() -> None:
    said = ["play", "atlantis_rising", "--seat", "human", "--seat", "random", "-n", "2", "--seed", "3"]
    done = CliRunner().invoke(app, said, input="b\n? 1\n1\n1\nl\nq\nn\n")
    assert done.exit_code == 0, done.output
    for part in ("libraries   both", "Built 0 of 10", "power core            2g 2c 2a 2e", "Wrath: [0] 1"):
        assert part in done.output
