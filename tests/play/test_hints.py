"""Hints at a table: a move at once, lines as they grow, words while they get ready, an end when nobody wants them."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.toy_game import toy_game

import atlantis_envs
from atlantis_envs.errors import OptionError
from atlantis_envs.kernels import kernel as kernels
from atlantis_envs.kernels.kernel import entry, in_background
from atlantis_envs.play import hints
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.hints import NO_DIFFERENCE, Hint
from atlantis_envs.play.terminal import Terminal
from atlantis_envs.seats.agents import make_agent


def table_of(name: str, players: int = 3, people: int = 1, plies: int = 30, **given: Any) -> GameSession:
    """A game that has been going on for a while; a person is to decide among several moves."""
    game = atlantis_envs.game(name, players=players)
    heuristic = make_agent("heuristic", game)
    session = GameSession(game, [None] * people + [heuristic] * (players - people), 5, **given)
    while True:
        if session.person is None:
            session.advance()
        elif len(session.events) < plies or len(session.position.legal_actions()) < 3:
            session.play(session.choice_of(heuristic))
        else:
            return session


# --------------------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize("name", ["atlandice", "atlantis", "atlantis_rising"])
def test_first_a_move_then_lines_that_grow(name: str) -> None:
    session = table_of(name)
    before, events = session.position.key(), len(session.events)
    found = list(session.hint(24))
    assert found[0] == Hint(session.choice_of(make_agent("heuristic", session.game)), "heuristic")
    assert all(hint.move == found[0].move for hint in found)
    assert [hint.complete for hint in found].index(True) == len(found) - 1
    last = found[-1]
    assert last.analysis is not None and last.analysis.simulations == 24
    legal = session.position.legal_actions()
    assert sorted(line.rpartition(": ")[0] for line in last.lines) == sorted(legal)
    for line, judged in zip(last.lines, last.analysis.actions, strict=True):
        margin = max(judged.high - judged.share, judged.share - judged.low)
        mark = ", best" if last.analysis.difference and judged.level else ""
        assert line == f"{judged.text}: {100 * judged.share:.0f} % ± {100 * margin:.0f}{mark}"
    assert (last.note == NO_DIFFERENCE) == (not last.analysis.difference)
    assert (session.position.key(), len(session.events)) == (before, events)
    assert list(session.hint(24))[-1].lines == last.lines


def test_ties_share_the_mark_and_without_a_difference_there_is_none() -> None:
    session = table_of("atlandice")
    marked = [line.endswith(", best") for line in list(session.hint(400))[-1].lines]
    assert 0 < sum(marked) < len(marked) and marked == sorted(marked, reverse=True)
    toy = GameSession(toy_game(), [None, None], 1)
    while toy.position.seat is None:
        toy.advance()
    last = list(toy.hint(16))[-1]
    assert last.move is None and last.note == NO_DIFFERENCE
    assert len(last.lines) == 2 and not any("best" in line for line in last.lines)


def test_what_is_not_finished_says_how_far_it_is() -> None:
    found = [hint for hint in table_of("atlantis").hint(48) if hint.analysis is not None]
    assert len(found) > 1
    for hint in found[:-1]:
        assert hint.analysis is not None
        assert hint.note == f"{hint.analysis.simulations} of 48 simulations of every move"


def test_the_table_may_go_on_meanwhile() -> None:
    session = table_of("atlandice")
    wanted = list(session.hint(32))[-1].lines
    growing = session.hint(32)
    session.play(session.position.legal_actions()[0])
    assert list(growing)[-1].lines == wanted


def test_nobody_is_helped_where_nobody_decides() -> None:
    game = atlantis_envs.game("atlandice")
    with pytest.raises(ValueError, match="hint: the node is 'chance'"):
        GameSession(game, [None] * 3, 1).hint()


# ------------------------------------------------------------------------------------------------------- getting ready


def test_there_are_words_while_it_gets_ready_and_an_end_when_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    held = threading.Event()
    monkeypatch.setattr(hints, "_ask_once", lambda *_: held.wait(20))
    monkeypatch.setattr(hints, "NOTE_SECONDS", 0.05)
    session, stop = table_of("atlandice"), threading.Event()
    growing = session.hint(8, stop)
    first, *words = itertools.islice(growing, 4)
    assert first.move is not None and not first.note
    assert all(hint.note.startswith("getting ready, first use only: ") and not hint.complete for hint in words)
    assert not session.warm_hints().ready and session.warm_hints() is session.warm_hints()
    stop.set()
    began = time.perf_counter()
    assert list(growing) == [] and time.perf_counter() - began < 0.5
    held.set()
    assert list(session.hint(8))[-1].complete and session.warm_hints().status == "ready"


def test_where_there_can_be_no_win_shares_it_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OptionError("agent: no such thing")

    monkeypatch.setattr(hints, "_ask_once", refuse)
    *_, last = table_of("atlandice").hint(8)
    assert last.complete and last.lines == () and last.note == "no win shares: agent: no such thing"
    assert last.move is not None


@pytest.mark.skipif(not kernels.JIT, reason="nothing is compiled")
def test_the_background_says_nothing_and_gives_up_between_two_kernels(capfd: pytest.CaptureFixture[str]) -> None:
    token = time.time_ns()  # so that no cache knows the kernels

    def fresh(number: int) -> Any:
        salt = token + number

        @entry
        def adding(value):  # type: ignore[no-untyped-def]
            return value + salt

        return adding

    stop, output = threading.Event(), []

    def work() -> None:
        with in_background(stop):
            output.append(fresh(0)(1))
            stop.set()
            try:
                fresh(1)(1)
            except KeyboardInterrupt:
                output.append("given up")
        fresh(2)(1)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert output == [token + 1, "given up"]
    assert capfd.readouterr().err.count("compiling") == 1  # the one outside


# -------------------------------------------------------------------------------------------------------- the terminal


def asked(session: GameSession) -> list[str]:
    lines: list[str] = []
    answers = iter(["h", "q"])
    Terminal(session, ["a", "b", "c"], lines.append, lambda _: next(answers), Path("x")).run()
    return lines


def test_the_terminal_shows_the_move_and_numbered_lines() -> None:
    session = table_of("atlandice")
    legal, lines = session.position.legal_actions(), asked(session)
    best = session.choice_of(make_agent("heuristic", session.game))
    place = lines.index(f"The heuristic would play {legal.index(best) + 1}, {best}.")
    shown = [line for line in lines[place + 1 :] if " % ± " in line]
    numbered = {int(line.split()[0]): line.split(None, 1)[1].partition(":")[0] for line in shown}
    assert numbered == dict(enumerate(legal, 1))


def test_ctrl_c_keeps_the_lines_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    session = table_of("atlandice")
    some = next(hint for hint in session.hint() if hint.lines)

    def interrupted(*_: Any, **__: Any) -> Iterator[Hint]:
        yield some
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "hint", interrupted)
    lines = asked(session)
    assert "Stopped." in lines and sum(" % ± " in line for line in lines) == len(some.lines)
    assert lines[-1].startswith("Left") and f"{some.note}." in lines


def test_several_people_get_hints_only_if_they_want_them() -> None:
    assert any(line.startswith("No hint: several people play") for line in asked(table_of("atlandice", people=2)))
    output = asked(table_of("atlandice", people=2, hints=True))
    assert any(" % ± " in line for line in output)
