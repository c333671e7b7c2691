"""What lets requests in: only those of the page of this server, opened by the person who started it.

It listens on 127.0.0.1 alone. Every request has to name this host, and to bring a cookie that only the address printed
at the start sets; what changes something has to come from our own page, as JSON.
"""

from __future__ import annotations

import asyncio
import secrets
import socket

import uvicorn
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from atlantis_envs.play.pages import filled

HERE = "127.0.0.1"
MOST_CONNECTIONS = 32  # those that wait for a request are closed where there are more
MOST_AT_WORK = 64
REQUEST_SECONDS = 10  # until a request has to be here
CLOSED = "default-src 'none'"
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}


class Guard:
    """Lets through what comes from the page of this server and refuses everything else.

    Args:
        app: what is guarded.
        port: it listens on.
        token: what only the person who started it knows.
    """

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        """Remember what is allowed."""
        self.app, self.token, self.cookie = app, token, f"atlantis-{port}"
        self.hosts = {f"{name}:{port}" for name in (HERE, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with the headers that every answer has."""
        if scope["type"] != "http":
            return  # neither web sockets nor events of a life span are served

        async def careful(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                policy = {b"content-security-policy": f"{CLOSED}; frame-ancestors 'none'".encode()}
                added = [(name, value) for name, value in {**HEADERS, **policy}.items() if name not in there]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        answer = self._refusal(Request(scope)) or self._greeting(Request(scope)) or self.app
        await answer(scope, receive, careful)

    def _refusal(self, request: Request) -> Response | None:
        """Return why a request is not served, or None."""
        hosts = request.headers.getlist("host")  # the raw header: request.url is made from what it says
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return PlainTextResponse("host: not this server", 400)
        if self._brings_token(request):
            return None
        if not self._same(request.cookies.get(self.cookie, "")):
            message = "This address needs the token that atlantis printed at its start: open the whole address."
            return PlainTextResponse(message, 403)
        if request.method != "POST":
            return None
        if request.headers.getlist("origin") != [f"http://{hosts[0].lower()}"]:
            return PlainTextResponse("origin: not this server", 403)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return PlainTextResponse("content-type: allowed: application/json", 415)
        return None

    def _brings_token(self, request: Request) -> bool:
        given = request.query_params.getlist("token")
        return request.method == "GET" and request.url.path == "/" and len(given) == 1 and self._same(given[0])

    def _same(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())

    def _greeting(self, request: Request) -> Response | None:
        """Answer a right token with a cookie and the address without the token."""
        if not self._brings_token(request):
            return None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self.token, path="/", httponly=True, samesite="strict")
        return answer


def guarded_page(template: str, parts: dict[str, str]) -> Response:
    """Return a page whose style and script may run because this answer's nonce says so."""
    nonce = secrets.token_urlsafe(18)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; font-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(filled(template, {**parts, "NONCE": nonce}), headers={"content-security-policy": policy})


# ------------------------------------------------------------------------------------------------------------ starting


def listen(port: int) -> socket.socket:
    """Return a socket of this machine alone; port 0: any that is free.

    Raises:
        OSError: the port is taken.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HERE, port))
        found.listen()  # who opens the address before the server has started is kept waiting
    except OSError:
        found.close()
        raise
    return found


class Connection(H11Protocol):
    """A connection that is closed where nothing is asked on it: after a while, and at once where there are too many.

    Anybody on this machine can open connections and ask nothing; those never keep the player's own from being served.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, and close the oldest connections that wait for one if there are too many."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._patience: asyncio.TimerHandle | None = None
        self._wait()
        others = [other for other in self.connections if isinstance(other, Connection) and other is not self]
        waiting = sorted((other for other in others if other._waits), key=lambda other: other._since)
        for other in waiting[: max(0, len(others) + 1 - MOST_CONNECTIONS)]:
            other.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read on; whoever sends a request bit by bit has no longer than whoever sends none."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._patience is not None:
            self._patience.cancel()
        super().connection_lost(exc)

    @property
    def _waits(self) -> bool:
        """Return whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        if not self._waits and self._patience is not None:
            self._patience.cancel()
            self._patience = None
        elif self._waits and self._patience is None:
            self._patience = self.loop.call_later(REQUEST_SECONDS, self._give_up)

    def _give_up(self) -> None:
        self._patience = None
        if self._waits and not self.transport.is_closing():
            self.transport.abort()


def make_server(app: ASGIApp) -> uvicorn.Server:
    """Return what answers; ``run(sockets=[...])`` starts it."""
    settings = uvicorn.Config(
        app, log_level="error", access_log=False, server_header=False, lifespan="off", ws="none", http=Connection,
        limit_concurrency=MOST_AT_WORK, timeout_graceful_shutdown=1,
    )  # fmt: skip
    return uvicorn.Server(settings)


def new_token() -> str:
    """Return 24 random bytes, as text."""
    return secrets.token_urlsafe(24)


def address(port: int, token: str) -> str:
    """Return what to open in a browser."""
    return f"http://{HERE}:{port}/?token={token}"
