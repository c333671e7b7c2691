"""A replay lists what happened, needs no generator, and is believed in nothing: every line is played and checked."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.atlandice_random import random_document, random_options
from helpers.support import play, scaled
from hypothesis import given, settings
from hypothesis import strategies as st

import atlantis_envs
from atlantis_envs.base.files import MAX_FILE_BYTES
from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import ReplayError
from atlantis_envs.play.replay import load_replay, read_replay, replay_lines, save_replay

GAME = atlantis_envs.game("atlandice", players=2)
TO_THE_END = 100_000


def lines_of(nodes: int = TO_THE_END) -> list[str]:
    """One game, or the beginning of it."""
    return list(replay_lines(play(GAME.initial_position(), nodes, random.Random(7))))


WHOLE = lines_of()


# ---- right ones


def test_a_replay_leads_to_the_same_position_and_text(players: int, tmp_path: Path) -> None:
    dice = random.Random(players)
    for number in range(scaled(8, 300)):
        game = atlantis_envs.game("atlandice", **random_options(players, dice))
        position = play(game.initial_position(), dice.choice([0, 1, 30, 200, TO_THE_END]), dice)
        path = tmp_path / f"{number}.jsonl"
        save_replay(path, position)
        again = load_replay(path)
        assert again == position and again.log == position.log and again.game == game
        assert path.read_text("utf-8").splitlines() == list(replay_lines(again))


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_a_replay_says_how_many_play(name: str) -> None:
    for players in (2, 3):
        game = atlantis_envs.game(name, players=players)
        position = play(game.initial_position(), 100, random.Random(players))
        again = read_replay(list(replay_lines(position)))
        assert again.game == game and again == position


def test_a_replay_may_begin_anywhere() -> None:
    dice = random.Random(3)
    for _ in range(20):
        start = GAME.from_json(random_document(2, dice))
        position = play(start.clone(), 60, dice)
        lines = list(replay_lines(position, start))
        assert read_replay(lines) == position


def test_every_beginning_of_a_replay_is_a_replay() -> None:
    position = GAME.initial_position()
    for length in range(1, len(WHOLE) - 1):
        again = read_replay(WHOLE[:length])
        assert again == position
        if position.node != "over":
            position.apply(json.loads(WHOLE[length]).get("chance") or json.loads(WHOLE[length])["action"])


def test_a_saved_replay_replaces_the_old_one_whole(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("old")
    save_replay(path, play(game.initial_position(), 30, random.Random(1)))
    assert load_replay(path).log and [found.name for found in tmp_path.iterdir()] == ["game.jsonl"]


def test_a_failed_save_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("old")

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save_replay(path, GAME.initial_position())
    assert path.read_text() == "old" and [found.name for found in tmp_path.iterdir()] == ["game.jsonl"]


# ---- wrong ones


def refused(lines: list[str]) -> str:
    with pytest.raises(ReplayError) as caught:
        read_replay(lines)
    return str(caught.value)


def header(**changes: Any) -> str:
    return json.dumps({**json.loads(WHOLE[0]), **changes})


def options(**changes: Any) -> dict[str, Any]:
    return {**json.loads(WHOLE[0])["options"], **changes}


WRONG_HEADERS: list[tuple[str, str]] = [
    ("", "Expecting value"),
    ("[]", "format, game"),
    ("{}", "format, game"),
    ("[" * 100_000, "nested too deeply"),
    (header(format="atlantis-envs replay 2"), "format"),
    (header(format=None), "format"),
    (header(game="chess"), "game: 'chess'; allowed: 'atlandice'"),
    (header(game=["atlandice"]), "game"),
    (header(more=1), "format, game"),
    (header(options=None), "options"),
    (header(options=[]), "options"),
    (header(options=options(players=7)), "players"),
    (header(options=options(chain_cap=True)), "chain_cap"),
    (header(options=options(tint=1)), "tint"),
    (header(options=options(name="atlandice")), "name: unknown"),
    (header(options=options(data="/etc/hostname")), "data: unknown"),
    (header(versions=None), "versions"),
    (header(versions={}), "versions"),
    (header(versions={"rules": 999}), "versions"),
    (header(start={}), "missing"),
    (header(start=3), "allowed"),
    (header(start=atlantis_envs.game("atlandice", players=4).initial_position().to_json()), "start"),
    (header()[:-1] + ', "game": "atlandice"}', "duplicate key"),
    (header().replace('"A20"', "NaN"), "NaN"),
]


@pytest.mark.parametrize(("line", "word"), WRONG_HEADERS, ids=[str(n) for n in range(len(WRONG_HEADERS))])
def test_a_wrong_header_is_refused(line: str, word: str) -> None:
    message = refused([line, *WHOLE[1:]])
    assert message.startswith("line 1: ") and word in message and len(message) < 2_000


FIRST_DECISION = next(n for n, line in enumerate(WHOLE) if '"action":' in line)
FIRST_CHANCE = 1
WRONG_LINES: list[tuple[int, str, str]] = [
    (FIRST_CHANCE, '{"chance": "reveal J4"}', "reveal J1"),
    (FIRST_CHANCE, '{"chance": "roll 1"}', "allowed"),
    (FIRST_CHANCE, '{"chance": 0}', "a text"),
    (FIRST_CHANCE, '{"chance": null}', "a text"),
    (FIRST_CHANCE, '{"seat": null, "action": "reveal J1"}', "'chance'"),
    (FIRST_CHANCE, '{"action": "reveal J1"}', "seat, action"),
    (FIRST_CHANCE, "{}", "seat, action"),
    (FIRST_CHANCE, "", "Expecting value"),
    (FIRST_DECISION, '{"chance": "die 1"}', "'decision'"),
    (FIRST_DECISION, '{"seat": 0, "action": "stop paying"}', "seat|not legal"),
    (FIRST_DECISION, '{"seat": 9, "action": "visit inn"}', "seat 9"),
    (FIRST_DECISION, '{"seat": null, "action": "visit inn"}', "seat None"),
    (FIRST_DECISION, '{"end": [0, 0], "returns": [0, 0]}', "'decision'"),
    (len(WHOLE) - 1, '{"end": [0, 0], "returns": [1, -1]}', "the game gives"),
    (len(WHOLE) - 1, '{"end": [], "returns": []}', "the game gives"),
    (len(WHOLE) - 1, '{"seat": 0, "action": "visit inn"}', "'over'"),
    (len(WHOLE) - 1, WHOLE[-1].replace("[", "[true, ", 1), "the game gives"),
    (len(WHOLE) - 1, '{"chance": "die 1"}', "'over'"),
]


@pytest.mark.parametrize(("place", "line", "word"), WRONG_LINES, ids=[str(n) for n in range(len(WRONG_LINES))])
def test_the_first_wrong_line_is_named(place: int, line: str, word: str) -> None:
    message = refused([*WHOLE[:place], line, *WHOLE[place + 1 :]])
    assert message.startswith(f"line {place + 1}: ")
    assert any(part in message for part in word.split("|"))


@pytest.mark.parametrize("change", [lambda seat: 1 - seat, bool, float, str, lambda seat: None])
def test_another_seat_is_refused(change: Callable[[int], Any]) -> None:
    """Neither the other seat, nor the same one as another type."""
    document = json.loads(WHOLE[FIRST_DECISION])
    document["seat"] = change(document["seat"])
    message = refused([*WHOLE[:FIRST_DECISION], json.dumps(document), *WHOLE[FIRST_DECISION + 1 :]])
    assert message.startswith(f"line {FIRST_DECISION + 1}: seat")


def test_a_whole_game_must_be_written_to_its_end_and_no_further() -> None:
    assert "last line is missing" in refused(WHOLE[:-1])
    assert f"line {len(WHOLE) + 1}: after the end" in refused([*WHOLE, WHOLE[-1]])
    assert "line 1: missing" in refused([])


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    large, binary = tmp_path / "large", tmp_path / "binary"
    with large.open("wb") as stream:
        stream.seek(MAX_FILE_BYTES)
        stream.write(b"\n")
    binary.write_bytes(b"\x80\x04cos\nsystem\n")
    for path in (tmp_path / "missing", tmp_path, large, binary):
        with pytest.raises(ReplayError, match=path.name):
            load_replay(path)


@settings(max_examples=scaled(250, 20_000))
@given(place=st.integers(0, len(WHOLE) - 1), edit=st.integers(0, 4), at=st.integers(0, 10**6), text=st.text(max_size=3))
def test_a_damaged_replay_is_refused_or_is_another_replay(place: int, edit: int, at: int, text: str) -> None:
    """Characters changed, lines lost, doubled or swapped: a ReplayError, or a game that can be written again."""
    lines = list(WHOLE)
    line = lines[place]
    cut = at % (len(line) + 1)
    changes: dict[int, list[str]] = {
        0: [line[:cut] + text + line[cut:]],
        1: [line[:cut] + text + line[cut + 1 :]],
        2: [],
        3: [line, line],
        4: [lines[at % len(lines)]],
    }
    lines[place : place + 1] = changes[edit]
    try:
        position: Position = read_replay(lines)
    except ReplayError as error:
        assert str(error).startswith(("line ", "the last line"))
        return
    assert position.check() == 0
    again = list(replay_lines(position))
    assert len(again) == len(lines) and read_replay(again) == position
