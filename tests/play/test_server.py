"""The server of the page: whom it lets in, what it refuses, and with which status."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from helpers.served import TOKEN, Served, page_session, served

pytest.importorskip("starlette")


@pytest.fixture(scope="module")
def table() -> Iterator[Served]:
    with served(page_session("atlandice", ["human", "heuristic"])) as found:
        state = found.get("/api/state")
        while state["busy"]:
            state = found.post("/api/go", ply=state["ply"], once=False)[1]
        yield found


def test_it_listens_on_this_machine_alone(table: Served) -> None:
    with served(table.page_session) as another:
        probe = socket.create_connection(("127.0.0.1", another.port))
        assert probe.getpeername()[0] == "127.0.0.1"
        probe.close()
        from atlantis_envs.play.server import listen

        listening = listen(0)
        assert listening.getsockname()[0] == "127.0.0.1"
        listening.close()
        own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
        for outside in own:
            with pytest.raises(OSError):
                socket.create_connection((outside, another.port), timeout=2)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "[::1]:{port}", None]
)
def test_the_host_is_ours(table: Served, method: str, host: str | None) -> None:
    named = None if host is None else host.format(port=table.port)
    assert table.ask(method, "/api/state", changed={"Host": named})[0] == 400


def test_a_host_named_twice_is_refused(table: Served) -> None:
    assert table.ask("GET", "/api/state", more=[("Host", f"127.0.0.1:{table.port}")])[0] == 400
    assert table.ask("GET", "/api/state", changed={"Host": f"localhost:{table.port}"})[0] == 200


@pytest.mark.parametrize(
    "path", ["/", "/api/state", "/api/replay", "/nowhere", "/?token=wrong", "/api/state?token=" + TOKEN]
)
def test_without_the_cookie_nothing_is_served(table: Served, path: str) -> None:
    assert table.ask("GET", path, changed={"Cookie": None})[0] == 403
    assert table.ask("GET", path, changed={"Cookie": f"atlantis-{table.port}=wrong"})[0] == 403
    assert table.ask("GET", path, changed={"Cookie": f"atlantis-1={TOKEN}"})[0] == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(table: Served) -> None:
    status, headers, _ = table.ask("GET", f"/?token={TOKEN}", changed={"Cookie": None})
    assert status == 303 and headers["location"] == "/"
    cookie = headers["set-cookie"]
    assert cookie.startswith(f"atlantis-{table.port}={TOKEN};")
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert table.ask("POST", f"/?token={TOKEN}", {}, {"Cookie": None})[0] == 403


@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://127.0.0.1:1", "http://localhost:{port}"]
)
def test_what_changes_something_comes_from_our_page(table: Served, origin: str | None) -> None:
    before = table.page_session.ply
    named = None if origin is None else origin.format(port=table.port)
    assert table.ask("POST", "/api/undo", {"ply": before}, {"Origin": named})[0] == 403
    assert table.page_session.ply == before


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
def test_what_is_posted_is_json(table: Served, kind: str | None) -> None:
    assert table.ask("POST", "/api/go", {"ply": 0}, {"Content-Type": kind})[0] == 415


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"1", b'{"ply": 1, "ply": 2}', b'{"ply": NaN}', b'{"ply": true}', b'{"ply": "1"}',
        b'{"ply": 1, "x": 1}', b"\xff",
    ],
)  # fmt: skip
def test_malformed_bodies_are_refused(table: Served, body: bytes) -> None:
    assert table.ask("POST", "/api/go", body)[0] == 400


def test_bodies_are_small(table: Served) -> None:
    fits = json.dumps({"ply": table.page_session.ply, "action": "x" * 3_000})
    assert table.ask("POST", "/api/move", fits.encode())[0] == 422
    assert table.ask("POST", "/api/move", json.dumps({"ply": 0, "action": "x" * 4_100}).encode())[0] == 413


def test_other_methods_and_paths_are_refused(table: Served) -> None:
    assert table.ask("GET", "/nowhere")[0] == 404
    assert table.ask("GET", "/api/move")[0] == 405
    for method in ("PUT", "DELETE", "POST", "OPTIONS"):
        assert table.ask(method, "/api/state", {"ply": 0})[0] == 405


def test_every_answer_is_closed_to_others(table: Served) -> None:
    for path, cookie in (("/", True), ("/api/state", True), ("/nowhere", True), ("/", False)):
        _, headers, _ = table.ask("GET", path, changed={} if cookie else {"Cookie": None})
        assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer" and "server" not in headers
        assert "access-control-allow-origin" not in headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "frame-ancestors 'none'" in policy and "unsafe" not in policy


def test_only_the_nonce_of_the_answer_lets_script_run(table: Served) -> None:
    nonces = set()
    for _ in range(2):
        _, headers, text = table.ask("GET", "/")
        found = re.search(r"script-src 'nonce-([^']+)'", headers["content-security-policy"])
        assert found is not None and f'<script nonce="{found[1]}">' in text and f'<style nonce="{found[1]}">' in text
        assert TOKEN not in text and found[1] not in TOKEN
        assert text.count("<script") == 1 and not re.search(r"\son\w+=|javascript:|style=", text.split("<script")[0])
        nonces.add(found[1])
    assert len(nonces) == 2


def test_a_stale_ply_is_refused_and_an_illegal_move_has_a_reason(table: Served) -> None:
    state = table.get("/api/state")
    legal = state["moves"][0]["text"]
    for ply in (state["ply"] - 1, state["ply"] + 1):
        assert table.post("/api/move", ply=ply, action=legal)[0] == 409
    status, output = table.post("/api/move", ply=state["ply"], action="take gem")
    assert status == 422 and re.search(r"\(\d+(\.\d+)?", output["error"])
    assert table.ask("GET", "/api/preview?action=take+gem")[0] == 422
    assert table.ask("GET", f"/api/preview?ply={state['ply']}&action=take+gem")[0] == 422
    assert table.get("/api/state") == {**state, "steps": table.get("/api/state")["steps"]}


def test_a_question_that_a_move_overtook_is_no_fault(table: Served) -> None:
    state = table.get("/api/state")
    ply, legal = state["ply"], state["moves"][0]["text"]
    assert table.get(f"/api/preview?ply={ply}&action={legal.replace(' ', '+')}")["action"] == legal
    assert table.post("/api/move", ply=ply, action=legal)[0] == 200
    for question in ("preview?action=take+gem", "preview?action=" + legal.replace(" ", "+"), "why?key=sector.inn"):
        assert table.get(f"/api/{question}&ply={ply}") == {"overtaken": True}


def test_of_two_moves_at_once_one_is_played(table: Served) -> None:
    state = table.get("/api/state")
    found: list[int] = []
    gate = threading.Barrier(2)

    def move() -> None:
        gate.wait()
        found.append(table.post("/api/move", ply=state["ply"], action=state["moves"][0]["text"])[0])

    threads = [threading.Thread(target=move) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [200, 409]


def test_a_hint_stops_when_the_client_goes(table: Served) -> None:
    stopped = threading.Event()
    begun = threading.Event()
    true_hint = table.page_session.hint

    def endless(stop: threading.Event) -> Iterator[dict[str, int]]:
        while not stop.is_set():
            begun.set()
            yield {"line": 1}
            time.sleep(0.05)
        stopped.set()

    table.page_session.hint = endless  # type: ignore[assignment, method-assign]
    try:
        probe = socket.create_connection(("127.0.0.1", table.port))
        head = (
            f"GET /api/hint HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\nCookie: atlantis-{table.port}={TOKEN}\r\n\r\n"
        )
        probe.sendall(head.encode())
        assert begun.wait(10) and probe.recv(100).startswith(b"HTTP/1.1 200")
        assert not stopped.is_set()
        probe.close()
        assert stopped.wait(0.5)
    finally:
        table.page_session.hint = true_hint  # type: ignore[method-assign]
