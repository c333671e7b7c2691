"""The terminal at 80 x 24 and 120 x 50 (A19): lines fit, cells keep apart, numbers play what they stand for."""

from __future__ import annotations

import fcntl
import os
import random
import re
import select
import struct
import sys
import termios
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from helpers.pictures import TABLES, heuristic_game, sampled
from helpers.support import ROOT, scaled

import atlantis_envs
from atlantis_envs.games.atlandice.data import SECTORS
from atlantis_envs.games.atlantis_rising.data import PENINSULAS
from atlantis_envs.games.atlantis_rising.show.phrases import CELL
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.terminal import Terminal, board_width, broken, marked, move_pages
from atlantis_envs.registry import GAMES, definition
from atlantis_envs.seats.agents import make_agent

SIZES = [(80, 24), (120, 50)]
NUMBERED = re.compile(r"(?:^ {0,2}|  +)(\d+)  (\S+(?: \S+)*)")  # a cell of the moves
LONG_NAME = "a policy with a name that does not end"


@pytest.fixture(params=SIZES, ids=["80x24", "120x50"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    columns, rows = request.param
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", str(rows))
    return columns, rows


# ------------------------------------------------------------------------------------------------------------- boards


def cells_of(game: str, line: str, width: int) -> Iterator[str]:
    """The cells of a row of the board's table, each with what is between it and the next; nothing for other lines."""
    if game == "atlantis" and re.match(r"[ |\\/]\d+( @\d)? |[\\/ ](\w+\d\+?|~+|=+|\?) ", line):
        cell = 10 if width >= 95 else 7
        yield from (f"{line[start : start + cell - 1]} ".lstrip() for start in range(1, len(line), cell))
    elif game == "atlantis_rising" and re.match(rf"({'|'.join(PENINSULAS)}) *#? +(~~~|both|\d)", line):
        yield line[:12]
        yield from (line[start : start + CELL] for start in range(12, len(line), CELL))
    elif game == "atlandice" and re.match(rf"({'|'.join(SECTORS)})\b", line):
        starts = [0, 11, 16, *(21 + 5 * kind for kind in range(6)), 57]
        ends = [*starts[1:-1], 57]
        yield from (f"{line[start:end].strip()} " for start, end in zip(starts, ends, strict=False))


SHORT_LINES = {"atlandice": 18, "atlantis": 20, "atlantis_rising": 20}


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_boards_fit_and_cells_keep_apart(name: str, players: int, size: tuple[int, int]) -> None:
    board, width, rows = definition(name).look().board, board_width(), 0
    assert width == size[0] - 2
    for number, position in enumerate(sampled(name, players, players + 20)):
        for viewer in (None, number % players):
            names = [LONG_NAME, *["heuristic"] * (players - 1)]
            lines = board.text(position, viewer, names, width).splitlines()
            assert max(map(len, lines)) <= width, max(lines, key=len)
            for line in lines:
                cells = [*cells_of(name, line, width)]
                rows += bool(cells)
                assert all(cell.endswith(" ") for cell in cells[:-1]), line
                if name == "atlantis" and cells:
                    assert all(re.fullmatch(r"(\d+( @\d)?|[a-z]+\d\+?|~+|=+|\?)? *[|]? *", cell) for cell in cells), (
                        line
                    )
            assert not any(re.match(r"[ >]*\d+ +[a-z]+\*? ", line) for line in lines if name == "atlandice")
            if board.short is not None:
                lines = board.short(position, viewer, names, width).splitlines()
                assert max(map(len, lines)) <= width and len(lines) <= SHORT_LINES[name], lines
    assert rows > 10


def test_a_board_with_many_pieces_on_a_tile_keeps_its_cells_apart() -> None:
    """The emissary makes room for four pieces in the innermost tile (Atlantis Rising, 11.4)."""
    position = atlantis_envs.game("atlantis_rising", players=4, level=1).initial_position()
    dice = random.Random(1)
    while position.to_json()["phase"] != "deploy":
        position.apply(dice.choice(position.legal_actions() or list(position.chance_outcomes())))
    seen = position.game.definition.look().view(position, None)
    for seat, person in enumerate(seen["place"]["seats"]):
        person["home"]["leader"] = 0
        seen["place"]["placed"].append({"at": "libraries 6", "seat": seat, "kind": "leader", "ready": 1, "done": 0})
    from atlantis_envs.games.atlantis_rising.show.phrases import _island

    row = next(line for line in _island(seen) if line.startswith("libraries"))
    cells = [*cells_of("atlantis_rising", row, 78)]
    assert cells[-1].strip() == "dis 4 pcs" and all(cell.endswith(" ") for cell in cells[:-1])


def test_what_has_changed_is_marked() -> None:
    assert marked("a\nb\n", None) == "  a\n  b\n"
    assert marked("a\nc\n\n", "a\nb\n\n") == "  a\n| c\n\n"


# -------------------------------------------------------------------------------------------------------------- moves


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_number_plays_the_move_beside_it(name: str, players: int, size: tuple[int, int]) -> None:
    met = 0
    for position in sampled(name, players, players + 30, 3):
        actions = position.legal_actions()
        if not actions:
            continue
        rows = [row for page in move_pages(range(1, len(actions) + 1), actions, 12) for row in page]
        assert max(map(len, rows)) <= size[0]
        found = [(int(number), text) for row in rows for number, text in NUMBERED.findall(row)]
        assert found == list(enumerate(actions, 1))
        met += 1
    assert met > 3


def test_more_moves_than_fit_are_paged(size: tuple[int, int]) -> None:
    actions = [f"at a place {number}" for number in range(1, 301)]
    pages = move_pages(range(1, 301), actions, size[1] - 12)
    assert len(pages) > 1 and max(map(len, pages)) <= size[1] - 12
    assert pages == move_pages(range(1, 301), actions, size[1] - 12)


def page_session(name: str, typed: list[str], players: int = 2, seed: int = 3) -> list[str]:
    """What is shown to somebody who types these lines."""
    game, output, lines = atlantis_envs.game(name, players=players), [], iter(typed)

    def read(prompt: str) -> str:
        try:
            output.append("PROMPT")
            return next(lines)
        except StopIteration:
            raise EOFError from None

    session = GameSession(game, [None, *[make_agent("random", game)] * (players - 1)], seed)
    Terminal(session, ["you", *[LONG_NAME] * (players - 1)], output.append, read, Path("x")).run()
    return "\n".join(output).splitlines()


@pytest.mark.parametrize("name", atlantis_envs.game_names())
def test_names_cannot_steer_a_terminal(name: str) -> None:
    evil = '\x1b[2Jgone\r\n\x07<img onerror=x>&"\u202e'
    game, output = atlantis_envs.game(name, players=2), []
    session = GameSession(game, [None, make_agent("random", game)], 3)
    typed = iter(["1"] * 30 + ["l", "b"])
    Terminal(
        session, [evil, evil], output.append, lambda prompt: output.append(prompt) or next(typed, "q"), Path("x")
    ).run()
    shown = "\n".join(output)
    assert "gone" in shown and "<img onerror=x>" in shown
    assert all(letter.isprintable() or letter == "\n" for letter in shown)
    assert all(len(line) <= 120 for line in shown.splitlines())


@pytest.mark.parametrize(
    ("name", "players"), [("atlandice", 2), ("atlandice", 4), ("atlantis", 3), ("atlantis_rising", 2)]
)
def test_a_game_is_shown_in_lines_that_fit(name: str, players: int, size: tuple[int, int]) -> None:
    typed = [
        "rules",
        "help",
        "? 1",
        "fly to the moon and back again, and then once more to the moon and back",
        "b",
        "l",
    ]
    lines = page_session(name, [*typed, *["1"] * scaled(60, 600)], players)
    assert max(map(len, lines)) <= size[0], max(lines, key=len)
    assert any(line.startswith("| ") for line in lines) and any(line.startswith("  = ") for line in lines)


def test_moves_are_paged_with_enter_and_filtered_by_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    lines = page_session("atlantis_rising", ["1", "place leader", "", "centre", "at centre"], 2, 5)
    shown = " ".join(lines).split("PROMPT")
    assert "Page 1 of 2" in shown[2] and "at mountains 1" in shown[2] and "at centre" not in shown[2]
    assert "Page 2 of 2" in shown[3] and "at centre" in shown[3] and "at mountains 1" not in shown[3]
    assert NUMBERED.findall(lines[lines.index("PROMPT", [n for n, t in enumerate(lines) if t == "PROMPT"][3]) + 1]) == [
        ("37", "at centre")
    ]
    assert "leader" not in shown[5].partition("home:")[2].partition(";")[0]


def test_refused_moves_get_their_reason_and_their_clause() -> None:
    lines = page_session("atlandice", ["take gem", "TAKE  Gem", "use effect", "gems please", "77"], 2, 3)
    answers = [lines[number + 1] for number, line in enumerate(lines[:-1]) if line == "PROMPT"]
    assert answers[0] == answers[1]
    assert answers[0].startswith("Not now: you are to choose the sector whose die to take (5.3).")
    assert answers[2].startswith("Effects and the second piece are not optional (5.2).")
    assert answers[3].startswith("'gems please' is no move of Atlandice (10.3).")
    assert answers[4].startswith("77 is no move here: there are 1 to ")


@pytest.mark.parametrize("name", GAMES)
def test_the_goal_and_the_rules_file_are_named(name: str) -> None:
    lines = page_session(name, ["rules"])
    for goal in definition(name).look().goal():
        assert lines.count(f"  {goal}") == 2  # at the start, and when asked
    assert str(ROOT / "docs" / "rules" / f"{name}.md") in " ".join(lines)


# -------------------------------------------------------------------------------------------------- a pseudo terminal

pty = pytest.importorskip("pty")
STEERING = re.compile(r"\x1b\[[0-9;]*m")
COMMAND = "from atlantis_training.cli.command import main; main()"


def at_a_terminal(columns: int, rows: int, arguments: list[str], answers: list[str], **environment: str) -> str:
    """What a program shows on a terminal of this size; every prompt gets the next answer."""
    child, ours = pty.fork()
    if child == 0:
        os.environ.update({"TERM": "xterm-256color", **environment})
        for name in ("COLUMNS", "LINES"):
            os.environ.pop(name, None)
        os.execv(sys.executable, [sys.executable, "-c", COMMAND, *arguments])
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    shown, asked, left = "", 0, list(answers)
    while select.select([ours], [], [], 300)[0]:
        try:
            shown += os.read(ours, 65_536).decode("utf-8", "replace")
        except OSError:  # the program has ended
            break
        if shown[asked:].endswith("> "):
            asked = len(shown)
            os.write(ours, f"{left.pop(0) if left else 'q'}\n".encode())
    os.close(ours)
    os.waitpid(child, 0)
    return shown.replace("\r", "")


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("name", GAMES)
def test_a_real_terminal_of_that_size_is_kept_within(name: str, columns: int, rows: int) -> None:
    arguments = ["play", name, "--seed", "5", "--seat", "human", "--seat", "random"]
    coloured = at_a_terminal(columns, rows, arguments, ["help", "rules", "? 1", *["1"] * scaled(12, 400)])
    shown = STEERING.sub("", coloured)
    assert shown != coloured
    lines = [line for line in shown.splitlines() if not line.startswith("seat 0> ")]
    assert "what wins:" in shown and "seat 0> " in shown and len(lines) > 80
    assert max(map(len, lines)) <= columns, max(lines, key=len)
    assert max(map(len, lines)) > min(columns - 12, 96)  # and it is made use of


@pytest.mark.parametrize("name", GAMES)
def test_board_and_question_are_on_a_screen_of_24_lines_together(name: str) -> None:
    arguments = ["play", name, "--players", "4", "--seed", "5", "--seat", "human", "--seat", "random"]
    shown = at_a_terminal(80, 24, arguments, ["1"] * 8, NO_COLOR="1")
    assert "\x1b[" not in shown
    for asked in shown.split("seat 0> ")[3:-1]:
        head = max(map(asked.rfind, ("Turn of seat", "Level 1, round", " Round ")))
        if head >= 0:
            assert asked[head:].count("\n") < 24, asked[head:]


@pytest.mark.parametrize(("name", "players"), [("atlandice", 4), ("atlantis", 4), ("atlantis_rising", 7)])
def test_a_short_board_leaves_room_for_the_question_and_moves(
    name: str, players: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for position in islice(heuristic_game(name, players, 0), scaled(120, 3000)):
        if position.seat is not None:
            look = position.game.definition.look()
            assert look.board.short is not None
            board = look.board.short(position, position.seat, ["heuristic"] * players, board_width())
            view = look.view(position, position.seat)
            asked = f"Seat 0, heuristic: {look.question(view)} (rules {', '.join(look.clauses(view))})"
            lines = board.count("\n") + len(broken(asked))
            assert lines + 5 <= 24, board  # a blank line, two lines of moves, the number of the page, the prompt
