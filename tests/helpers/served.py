"""A table behind its server, in this process, and plain requests to it."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import atlantis_envs
from atlantis_envs.play.game_session import GameSession
from atlantis_envs.play.lobby import Lobby
from atlantis_envs.play.page_session import PageSession
from atlantis_envs.play.server import address, listen, make_app, make_server
from atlantis_envs.seats.agents import make_agent

TOKEN = "token-of-the-tests"


def page_session(
    name: str, who: Sequence[str], seed: int = 1, events: int = 0, ask_forced: bool = False, **options: Any
) -> PageSession:
    """A table with "human" and agents, after so many events that the heuristic has chosen for everybody."""
    game = atlantis_envs.game(name, players=len(who), **options)
    agents = [make_agent("heuristic", game)] * len(who)
    played = GameSession(game, agents, seed)
    while len(played.events) < events and played.position.node != "over":
        played.advance()
    session = GameSession(game, [None if each == "human" else make_agent(each, game) for each in who], seed)
    session.replay([event.text for event in played.events])
    return PageSession(
        session, ["you" if each == "human" and who.count("human") == 1 else each for each in who], ask_forced
    )


@dataclass(frozen=True)
class Served:
    """Where games are served."""

    lobby: Lobby
    port: int

    @property
    def page_session(self) -> PageSession:
        return self.lobby.table

    @property
    def url(self) -> str:
        return address(self.port, TOKEN)

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        changed: Mapping[str, str | None] | None = None,
        more: Sequence[tuple[str, str]] = (),
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of what our page would ask, with some headers changed (None: left out) or more."""
        raw = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        headers = {"Host": f"127.0.0.1:{self.port}", "Cookie": f"atlantis-{self.port}={TOKEN}"}
        if method == "POST":
            headers |= {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        headers = {name: value for name, value in {**headers, **(changed or {})}.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in [*headers.items(), *more]:
            connection.putheader(name, value)
        if raw is not None:
            connection.putheader("Content-Length", str(len(raw)))
        connection.endheaders(raw)
        answer = connection.getresponse()
        told = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
        connection.close()
        return told

    def get(self, path: str) -> Any:
        return json.loads(self.ask("GET", path)[2])

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        status, _, text = self.ask("POST", path, body)
        return status, json.loads(text)


@contextmanager
def served(at: PageSession | Lobby) -> Iterator[Served]:
    """Serve a game, or a lobby, at a free port."""
    lobby = at if isinstance(at, Lobby) else Lobby(at)
    listening = listen(0)
    port = listening.getsockname()[1]
    server = make_server(make_app(lobby, port, TOKEN))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield Served(lobby, port)
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()
