"""Connections that ask nothing, half a request, or leave in the middle of one: the player goes on playing."""

from __future__ import annotations

import logging
import socket
import struct
import time
from collections.abc import Iterator

import pytest
from helpers.served import TOKEN, Served, page_session, served

pytest.importorskip("starlette")

from atlantis_envs.play import server

MANY = 80


@pytest.fixture(scope="module")
def table() -> Iterator[Served]:
    with served(page_session("atlandice", ["human", "heuristic"])) as found:
        yield found


def opened(table: Served, said: bytes = b"") -> socket.socket:
    found = socket.create_connection(("127.0.0.1", table.port), timeout=20)
    found.sendall(said)
    return found


def post(table: Served, body: bytes, length: int) -> bytes:
    """The beginning of what our page posts."""
    return (
        f"POST /api/go HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\nCookie: atlantis-{table.port}={TOKEN}\r\n"
        f"Origin: http://127.0.0.1:{table.port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode() + body


def is_closed(one: socket.socket) -> bool:
    """Whether the other side ends it while we wait."""
    try:
        return one.recv(1000) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127"], ids=["nothing", "half a request"])
def test_many_half_open_connections_do_not_lock_the_player_out(table: Served, said: bytes) -> None:
    others = [opened(table, said) for _ in range(MANY)]
    for _ in range(3):
        assert table.ask("GET", "/api/state")[0] == 200
    assert is_closed(others[0])  # the oldest made room
    for other in others:
        other.close()


def test_pages_that_keep_their_connection_are_served_beside_them(table: Served) -> None:
    own = opened(table)
    others = [opened(table) for _ in range(10)]
    request = (
        f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\nCookie: atlantis-{table.port}={TOKEN}\r\n\r\n"
    )
    own.sendall(request.encode())
    assert own.recv(100).startswith(b"HTTP/1.1 200 ")
    for one in (own, *others):
        one.close()


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127"], ids=["nothing", "half a request"])
def test_who_asks_nothing_is_shown_out(said: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "REQUEST_SECONDS", 0.3)
    with served(page_session("atlandice", ["human", "heuristic"])) as table:
        began = time.monotonic()
        assert is_closed(opened(table, said)) and time.monotonic() - began < 10
        drop_by_drop = opened(table, b"GET")
        with pytest.raises(OSError):  # a letter now and then buys no time
            for _ in range(100):
                drop_by_drop.sendall(b"x")
                time.sleep(0.05)
        again = opened(table)
        again.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\n\r\n".encode())
        assert again.recv(100).startswith(b"HTTP/1.1 403 ")
        again.sendall(b"G")  # half of the next request on the same connection
        while again.recv(1000):
            pass


def test_half_a_post_is_not_waited_for_for_ever(table: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "BODY_SECONDS", 0.3)
    one = opened(table, post(table, b'{"ply"', 20))
    assert one.recv(100).startswith(b"HTTP/1.1 408 ")
    one.close()


@pytest.mark.parametrize("rude", [False, True], ids=["closed", "reset"])
def test_a_page_that_leaves_in_mid_post_says_nothing_in_the_terminal(
    table: Served, rude: bool, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("uvicorn.error", "uvicorn", "asyncio"):
        monitor = logging.getLogger(name)
        monitor.addHandler(caplog.handler)
    before = table.page_session.ply
    for _ in range(3):
        one = opened(table, post(table, b'{"ply"', 2000))
        time.sleep(0.1)
        if rude:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.close()
    time.sleep(0.3)
    assert table.ask("GET", "/api/state")[0] == 200 and table.page_session.ply == before
    for name in ("uvicorn.error", "uvicorn", "asyncio"):
        logging.getLogger(name).removeHandler(caplog.handler)
    said = capfd.readouterr()
    assert "Traceback" not in said.out + said.err and "ClientDisconnect" not in said.out + said.err
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR], caplog.text
