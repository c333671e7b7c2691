"""What every game says in words: refusals that agree with the rules (A15), news that add up (A14), goals, questions."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from helpers.golden_games import SOURCES
from helpers.pictures import TABLES
from helpers.support import FULL, ROOT, moves, scaled
from helpers.toy_game import TOY
from reach_play import Observer, late_position

import atlantis_envs
from atlantis_envs.drawing.look import Look
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising.show.refusals import NODES
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.registry import GAMES, definition
from atlantis_envs.seats.agents import make_agent

SCORE = re.compile(
    r"(?:seat (?P<seat>\d+)|all seats): (?P<change>[+-]\d+) (?:point|component)s?, (?P<now>-?\d+) in all"
)
CITED = re.compile(r" \((\d+(?:\.\d+)?)\)$")
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "atlandice": [{}, {"optional_effects": True, "same_type_exchange": False}],
    "atlantis": [{}, {"overpay": "any"}, {"overpay": "irredundant", "sell_ones": False}],
    "atlantis_rising": [{}, {"must_act": True, "hands_open": False}, {"councilors": "draft", "level": 5}],
}
SOME_TABLES = [each for each in TABLES if each[0] != "atlantis_rising" or each[1] in (1, 4, 7)]
NO_MOVES = ["", " ", "visit", "fly to the moon", "?", "12", "VISIT INN", "x" * 200, "seat 3\nseat 4"]


def clauses(name: str) -> set[str]:
    """Chapters and clauses of a rules file."""
    text = (ROOT / "docs" / "rules" / f"{name}.md").read_text(encoding="utf-8")
    return set(re.findall(r"^(?:#+ )?(\d+(?:\.\d+)?)(?= )", text, re.MULTILINE))


def positions(name: str, number: int) -> Iterator[Position]:
    """As many positions of random games of all tables and several options, ends and chance nodes among them."""
    sizes = [players for game, players in TABLES if game == name]
    dice, found = random.Random(name), 0
    late = Observer(1, eager=True)
    while found < number:
        options = OPTIONS[name][found % len(OPTIONS[name])]
        players = sizes[found % len(sizes)]
        if name == "atlantis_rising" and found % 3 == 0:
            yield late_position(players, late)
            found += 1
        position = atlantis_envs.game(name, players=players, **options).initial_position()
        while found < number and position.node != "over":
            position.apply(dice.choice(moves(position)))
            if position.node == "over" or dice.random() < 1 / 9:
                yield position.clone()
                found += 1


def look_of(name: str) -> Look:
    return definition(name).look()


# ----------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("name", GAMES)
def test_what_is_not_legal_is_refused_with_a_clause_of_the_rules(name: str) -> None:
    look, known, dice, refused = look_of(name), clauses(name), random.Random(1), 0
    assert {"2.4", "8"} <= known
    for position in positions(name, scaled(60, 1_000)):
        legal = set(position.legal_actions())
        some = [*position.game.actions] if FULL else dice.sample(position.game.actions, 40)
        for action in {*some, *legal, dice.choice(NO_MOVES)}:
            refused += told(look, position, action, legal, known)
    assert refused > 1_000


def told(look: Look, position: Position, action: str, legal: set[str], known: set[str]) -> bool:
    """Whether an action is refused: if it is not legal, in one line with a clause of the rules."""
    output = look.refusal(position, action)
    assert (output == "") == (action in legal), (action, output)
    cited = CITED.search(output)
    assert not output or (cited and cited[1] in known and "\n" not in output and 10 < len(output) < 150), output
    return bool(output)


def test_every_node_of_atlantis_rising_refuses_what_it_could_have_offered() -> None:
    """Of every kind of action that some position of a node offers: a few that this one does not."""
    name, few, tried, dice = "atlantis_rising", 12, Counter[tuple[str, str]](), random.Random(1)
    look, known, reasons = look_of(name), clauses(name), set[str]()
    for document in islice(SOURCES[name].starts(), 0, None, 2):
        position = atlantis_envs.game(name).from_json(document)
        for _ in range(16):
            if position.node == "over":
                break
            legal = set(position.legal_actions())
            node = look.view(position, position.seat)["name"] if legal else ""
            for action in position.game.actions if legal else ():
                kind = node, action.partition(" ")[0]
                if action not in legal and node in NODES[kind[1]] and tried[kind] < few:
                    tried[kind] += told(look, position, action, legal, known)
                    reasons.add(CITED.sub("", look.refusal(position, action)))
            position.apply(dice.choice(moves(position)))
    assert len(reasons) > 120 and len(tried) > 40


@pytest.mark.parametrize("name", GAMES)
def test_texts_that_are_no_moves_are_refused_as_such(name: str) -> None:
    look = look_of(name)
    for position in positions(name, 3):
        for text in NO_MOVES:
            assert "is no move of Atlan" in look.refusal(position, text)


def at_the_end(name: str) -> Position:
    dice, position = random.Random(4), atlantis_envs.game(name, players=2).initial_position()
    while position.node != "over":
        position.apply(dice.choice(moves(position)))
    return position


@pytest.mark.parametrize("name", GAMES)
def test_nothing_can_be_played_at_chance_nodes_and_after_the_end(name: str) -> None:
    look, begun, ended = look_of(name), atlantis_envs.game(name, players=2).initial_position(), at_the_end(name)
    for action in begun.game.actions:
        assert look.refusal(begun, action).startswith("chance decides now (")
        assert look.refusal(ended, action).startswith("the game is over (")


def first(name: str, asked: str, players: int = 3, seed: int = 1) -> Position:
    """The first position of a random game whose question begins so."""
    dice, position = random.Random(seed), atlantis_envs.game(name, players=players).initial_position()
    look = look_of(name)
    while not look.question(look.view(position, position.seat)).startswith(asked):
        position.apply(dice.choice(moves(position)))
    return position


def test_reasons_say_what_is_missing() -> None:
    output = {}
    for name, asked, action in (
        ("atlandice", "choose the sector", "visit market for neutral"),
        ("atlandice", "choose the sector", "take gem"),
        ("atlantis", "choose a pawn", "pass"),
        ("atlantis", "choose a pawn", "bridge 3"),
        ("atlantis", "choose a pawn", "pawn 1"),
        ("atlantis_rising", "place or lift", "lift leader"),
        ("atlantis_rising", "place or lift", "drain hills"),
        ("atlantis_rising", "name the place for", "at gate 3"),
        ("atlantis_rising", "name the place for", "at prism lens"),
    ):
        output[action] = look_of(name).refusal(first(name, asked), action)
    assert output == {
        "visit market for neutral": "there is a neutral with two players only (9.1)",
        "take gem": "not now: you are to choose the sector whose die to take (5.3)",
        "pass": "one of your pawns can move, so you cannot pass (4.5)",
        "bridge 3": "there is no gap at space 3 (6.1)",
        "pawn 1": "pawn 0 stands on Atlantis too, and the lowest number moves first (5.1)",
        "lift leader": "you have no leader on the board (5.5)",
        "drain hills": "no tile of the hills is under water (9.3)",
        "at gate 3": "there is no gate 3 with 3 players (2.1)",
        "at prism lens": "the prism lens is not built (5.2)",
    }


def test_a_sector_without_dice_is_refused_by_name() -> None:
    position = first("atlandice", "choose the sector")
    empty = [name for name, sector in position.to_json()["sectors"].items() if sector["dice"] == 0]
    assert empty
    for name in empty:
        assert look_of("atlandice").refusal(position, f"visit {name}") == f"no die lies at the {name} (5.3)"


# --------------------------------------------------------------------------------------------------------------- news


def told_changes(lines: tuple[str, ...], players: int) -> list[int]:
    """What the lines say about every seat's score, added up."""
    changes = [0] * players
    for line in lines:
        found = SCORE.fullmatch(line)
        if found:
            for seat in range(players) if found["seat"] is None else [int(found["seat"])]:
                changes[seat] += int(found["change"])
        assert found or "in all" not in line, line
    return changes


@pytest.mark.parametrize(("name", "players"), TABLES if FULL else SOME_TABLES)
def test_news_name_every_change_of_a_score_between_two_questions(name: str, players: int) -> None:
    """Event by event and in one go, as each seat and as an onlooker, whatever happens in between."""
    look, changed = look_of(name), 0
    for seed in range(scaled(1, 10)):
        game = atlantis_envs.game(name, players=players)
        agent = make_agent(("random", "heuristic")[seed % 2], game)
        session = GameSession(game, [None, *[agent] * (players - 1)], seed)
        viewer = (None, 0, players - 1)[seed % 3]
        asked, step, output = look.view(session.position, viewer), look.view(session.position, viewer), [0] * players
        dice, texts = random.Random(seed), []
        while session.position.node != "over":
            if session.person is None:
                session.advance()
            else:
                session.play(dice.choice(session.position.legal_actions()))
            texts.append(session.events[-1].text)
            now = look.view(session.position, viewer)
            output = [
                a + b for a, b in zip(output, told_changes(look.news(step, texts[-1], now), players), strict=True)
            ]
            step = now
            if session.person is not None or session.position.node == "over":
                real = [new - old for old, new in zip(asked["scores"], session.position.scores(), strict=True)]
                assert output == real
                assert told_changes(look.news(asked, ", ".join(texts), now), players) == real
                changed += any(real)
                asked, output, texts = now, [0] * players, []
        assert changed or name == "atlantis_rising"


def test_news_say_how_the_points_came_about() -> None:
    look, found = look_of("atlandice"), set()
    for seed in range(6):
        dice, position = random.Random(seed), atlantis_envs.game("atlandice", players=3).initial_position()
        while position.node != "over":
            before = look.view(position, 0)
            text = dice.choice(moves(position))
            position.apply(text)
            lines = look.news(before, text, look.view(position, 0))
            for seat, (old, new) in enumerate(
                zip(before["place"]["participants"], position.to_json()["participants"], strict=True)
            ):
                for tile in set(new["tiles"]) - set(old["tiles"]):
                    assert any(f"seat {seat}, first in " in line and f"tile {tile}" in line for line in lines)
                    found.add("tile")
            if position.to_json()["hand"] != before["place"]["hand"]:
                assert any(line.startswith("the hand moves ") for line in lines)
                found.add("hand")
            if any("gives back" in line for line in lines):
                found.add("back")
        assert any("the game is over: seat" in line for line in lines)
    assert found == {"tile", "hand", "back"}


def test_news_of_the_path_and_of_the_island() -> None:
    found: set[str] = set()
    for name in ("atlantis", "atlantis_rising"):
        look = look_of(name)
        dice, position = random.Random(5), atlantis_envs.game(name, players=2).initial_position()
        while position.node != "over":
            before, text = look.view(position, 1), dice.choice(moves(position))
            position.apply(text)
            after = look.view(position, 1)
            lines = look.news(before, text, after)
            if name == "atlantis":
                pawns = [[person["pawns"] for person in seen["place"]["seats"]] for seen in (before, after)]
                assert any(" moves " in line for line in lines) == (pawns[0] != pawns[1])
            else:
                assert sum(" sinks" in line for line in lines) == max(
                    0, sum(after["place"]["flooded"].values()) - sum(before["place"]["flooded"].values())
                )
            found |= {word for line in lines for word in line.split()}
    assert {"wins", "water", "costs", "home", "sinks", "gains", "Wrath", "begins,"} <= found


@pytest.mark.parametrize("options", [{}, {"hands_open": False}])
def test_news_tell_a_seat_nothing_it_cannot_know(options: dict[str, bool]) -> None:
    """The same views give the same news, and those of a seat are the same whatever is hidden from it."""
    name = "atlantis_rising" if options else "atlantis"
    look, compared = look_of(name), 0
    dice, position = random.Random(3), atlantis_envs.game(name, players=3, **options).initial_position()
    for number in range(scaled(400, 2_000)):
        if position.node == "over":
            break
        seat = position.seat
        text = dice.choice(moves(position))
        if seat is not None and number % 5 == 0:
            twin = position.resample(seat, number)
            if text in twin.legal_actions():
                output = []
                for one in (position.clone(), twin):
                    before = look.view(one, seat)
                    one.apply(text)
                    output.append(look.news(before, text, look.view(one, seat)))
                assert output[0] == output[1]
                compared += 1
        position.apply(text)
    assert compared > 20


# ------------------------------------------------------------------------------------------- goals, questions, moves


@pytest.mark.parametrize("name", GAMES)
def test_the_goal_is_a_few_lines(name: str) -> None:
    goal = look_of(name).goal()
    assert 4 <= len(goal) <= 8 and max(map(len, goal)) <= 78 and re.search("points|win", goal[0])


@pytest.mark.parametrize("name", GAMES)
def test_every_decision_is_asked_about_and_every_move_explained_in_plain_words(name: str) -> None:
    look, known, asked = look_of(name), clauses(name), 0
    for position in positions(name, scaled(60, 600)):
        seen = look.view(position, position.seat)
        question = look.question(seen)
        assert bool(question) == (position.node == "decision") == bool(look.clauses(seen))
        assert set(look.clauses(seen)) <= known
        assert not re.search(r"\(\d+(\.\d+)?\)", question)
        for action in position.legal_actions():
            output = look.explain(position, action)
            assert output.endswith(".") and not output[0].islower() and not re.search(r"\d\.\d|None|[{}]", output), (
                output
            )
            asked += 1
    assert asked > 50


def test_a_place_says_its_benefit_and_its_room() -> None:
    position = first("atlantis_rising", "name the place for")
    output = {action: look_of("atlantis_rising").explain(position, action) for action in position.legal_actions()}
    assert output["at forges 6"].startswith("1 ore becomes 1 atlantium. Room for 3 pieces; 0 there.")
    assert output["at hills 6"].startswith("Roll a die, 6 or more brings 1 gold;")
    assert output["at centre"].startswith("1 energy for a piece. Room for any number;")


def test_a_game_without_words_of_its_own_has_plain_ones() -> None:
    look = TOY.look()
    position = atlantis_envs.game("atlandice", players=2).initial_position()
    assert look.goal() == () and look.question({}) == "" and look.clauses({}) == ()
    assert look.refusal(position, "fly") == "'fly' is no move of Atlandice"
    assert look.refusal(position, "visit inn") == "chance decides now"
    before = {"scores": [1, 2]}
    assert look.news(before, "", {"scores": [1, 4]}) == ("seat 1: +2 points, 4 in all",)
