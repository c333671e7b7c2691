"""``--browser``: what is refused, and what is served, by the command as it is installed."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.pictures import walk
from helpers.support import ROOT
from typer.testing import CliRunner

import atlantis_envs
from atlantis_envs.engine.position import Position
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.replay import load_recorded, load_replay, save_replay
from atlantis_envs.seats.agents import make_agent
from atlantis_training.cli import play
from atlantis_training.cli.app import app
from atlantis_training.evaluation import review

pytest.importorskip("starlette")


def begun(*said: str) -> tuple[subprocess.Popen[str], int, str]:
    """The command, the port it listens on, and the path with the token."""
    paths = os.pathsep.join(str(ROOT / part) for part in ("", "agents", "training"))
    code = "from atlantis_training.cli.app import app; app()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, *said], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    )
    assert process.stdout is not None
    for line in process.stdout:
        found = re.match(r"Open http://127\.0\.0\.1:(\d+)(/\?token=\S+)$", line.strip())
        if found:
            return process, int(found[1]), found[2]
    raise AssertionError("no address was printed")


def page_of(port: int, path: str) -> str:
    """What a browser is shown that opens the address."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 303
    cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
    connection.request("GET", "/", headers={"Cookie": cookie})
    answer = connection.getresponse()
    assert answer.status == 200
    return answer.read().decode()


ENDINGS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@pytest.mark.parametrize(("sign", "times"), list(zip(ENDINGS, (1, 1, 3), strict=False)))
def test_a_table_is_served_until_a_signal_and_saved(sign: signal.Signals, times: int, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    process, port, path = begun("play", "atlandice", "--players", "2", "--browser", "--no-open", "--save", str(file))
    assert "<title>Atlandice</title>" in page_of(port, path)
    for _ in range(times):  # a terminal that is closed may send several
        process.send_signal(sign)
    told = process.communicate(timeout=60)[0]
    assert process.returncode == 0 and f"Saved: {file}" in told
    assert load_replay(file).game.name == "atlandice"


def test_a_game_is_saved_when_nobody_hears_any_more(tmp_path: Path) -> None:
    """The terminal is gone: what is printed comes to nobody."""
    file = tmp_path / "a.jsonl"
    process, _, _ = begun("play", "atlandice", "--players", "2", "--browser", "--no-open", "--save", str(file))
    assert process.stdout is not None
    process.stdout.close()
    process.send_signal(ENDINGS[-1])
    process.wait(60)
    assert load_replay(file).game.name == "atlandice"


def test_a_replay_is_served(tmp_path: Path) -> None:
    save_replay(tmp_path / "a.jsonl", list(walk("atlandice", 2, 1, 30))[-1])
    process, port, path = begun("replay", str(tmp_path / "a.jsonl"), "--browser", "--no-open")
    assert 'data-event="-1"' in page_of(port, path)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_what_does_not_go_together_is_refused() -> None:
    for said, told in (
        (["--port", "8000"], "--port, --no-open: go with --browser"),
        (["--no-open"], "--port, --no-open: go with --browser"),
        (["--browser", "--port", "65536"], "--port"),
    ):
        done = CliRunner().invoke(app, ["play", "atlandice", *said])
        assert done.exit_code == 2 and told in " ".join(done.output.split()), done.output


def test_a_port_that_is_taken_is_named() -> None:
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    port = taken.getsockname()[1]
    done = CliRunner().invoke(app, ["play", "atlandice", "--browser", "--no-open", "--port", str(port)])
    taken.close()
    assert done.exit_code == 2 and f"--port {port}: cannot be listened on" in done.output


class Deaf:
    """A server that ends at once."""

    def handle_exit(self, *_: object) -> None: ...

    def run(self, sockets: list[socket.socket]) -> None:
        sockets[0].close()


@pytest.mark.parametrize("said", [["play"], ["play", "atlandice", "--browser"]])
def test_the_address_that_is_told_is_opened_unless_that_is_not_wanted(
    said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("atlantis_envs.play.server.make_server", lambda _: Deaf())
    done = CliRunner().invoke(app, said)
    assert done.exit_code == 0 and f"Open {opened[0]}\n" in done.output and len(opened) == 1
    file = tmp_path / "a.jsonl"
    done = CliRunner().invoke(app, [*said, "--no-open", "--save", str(file)])
    assert done.exit_code == 0 and len(opened) == 1
    assert file.exists() == (f"Saved: {file}" in done.output) == ("atlandice" in said)  # no game was begun else


def test_without_its_packages_the_browser_is_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "uvicorn" else name)
    for said in (["play"], ["play", "atlandice", "--browser"], ["replay", "a.jsonl", "--browser"]):
        done = CliRunner().invoke(app, said)
        assert done.exit_code == 2 and "--browser: needs starlette and uvicorn: pip install" in done.output


def test_a_save_that_cannot_be_written_is_told_after_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("atlantis_envs.play.server.make_server", lambda _: Deaf())
    file = tmp_path / "none" / "a.jsonl"
    done = CliRunner().invoke(app, ["play", "atlandice", "--browser", "--no-open", "--save", str(file)])
    assert done.exit_code == 2 and "cannot be written (No such file or directory)" in done.output


def test_people_have_the_names_they_are_given(tmp_path: Path) -> None:
    file, later = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    seats = ["-n", "3", "-s", "human", "-s", "random", "-s", "human", "--seed", "1", "--name", "Ada", "--name", "Bo"]
    shown = CliRunner().invoke(app, ["play", "atlandice", *seats], input=f"s {file}\nq\n")
    assert shown.exit_code == 0 and load_recorded(file).names == ["Ada", "random", "Bo"]
    going_on = ["play", "atlandice", "--load", str(file), "--name", "Cy"]
    again = CliRunner().invoke(app, going_on, input=f"s {later}\nq\n")
    assert again.exit_code == 0 and load_recorded(later).names == ["Cy", "random", "Bo"]
    refused = CliRunner().invoke(app, ["play", "atlandice", "--name", "Ada", "--name", "Bo"])
    assert refused.exit_code == 2 and "--name: 2 names; allowed: one for each of 1 people" in refused.output


@pytest.mark.parametrize("seats", [[], [1]])
def test_a_game_is_looked_through_seat_by_seat(seats: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page tells after a game: shares of what was played, and how much of the result was luck."""
    monkeypatch.setattr(play, "SIMULATIONS", 1)
    monkeypatch.setattr(play, "LANES", 1)
    asked, real = set(), review.analyse
    monkeypatch.setattr(
        review, "analyse", lambda position, agent, *rest: asked.add(agent) or real(position, agent, *rest)
    )
    game = atlantis_envs.game("atlandice", players=2)
    session = GameSession(game, [make_agent("random", game)] * 2, seed=4)
    while session.step():
        pass
    told = list(play.costly_decisions(session.position, None, seats))
    several = [event for event in session.events if event.before.seat in (seats or (0, 1)) and chosen(event.before)]
    assert asked == {"analyst"}  # as hints and atlantis analyse do
    assert [one[:2] for one in told] == [(number + 1, len(several)) for number in range(len(several))]
    luck = " ".join(told[-1][2].luck)
    assert luck.endswith("Moves are compared with those of the heuristic.") and ("seat 0" in luck.lower()) == (
        not seats
    )
    cut = session.events[40].before.clone()
    cut.cut_off()
    assert next(iter(play.costly_decisions(cut, None, seats)))[2].luck == ()


def chosen(position: Position) -> bool:
    """Whether there was a choice."""
    return len(position.legal_actions()) > 1
