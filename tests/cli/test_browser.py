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

from atlantis_envs.play.replay import load_replay, save_replay
from atlantis_training.cli.app import app

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
