"""A table in a browser: what the page asks for and sends, the documents it gets, and who is let in.

Only requests of the page of this server are, opened by the person who started it. It listens on 127.0.0.1 alone. Every
request has to name this host, and to bring a cookie that only the address printed at the start sets; what changes
something has to come from our own page, as JSON.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from html import escape
from typing import Any

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import repr_short
from atlantis_envs.play.help import clause, signs
from atlantis_envs.play.lobby import Lobby
from atlantis_envs.play.page_session import OvertakenError, PageSession, RefusedError, StaleError
from atlantis_envs.play.replay_page import filled, part, script, style

MOST_BYTES = 4096  # of what is posted
MOST_FILE = 4_000_000  # of a replay that is opened
BODY_SECONDS = 10  # until what is posted has to be here
STALE, UNREADABLE, ILLEGAL, TOO_LARGE, TOO_SLOW = 409, 400, 422, 413, 408


def routes_of(lobby: Lobby) -> list[Route]:
    """Return what is served: pages, what they ask for, and what they post, which changes something."""

    def start_page() -> Response:
        parts = {
            "STYLE": style({}, "start.css"),
            "SCRIPT": script("start.js"),
            "BACK": "" if lobby.page is None else "1",
        }
        return guarded_page(part("start.html"), parts)

    async def page(request: Request) -> Response:
        return start_page() if lobby.page is None else _game_page(lobby.page)

    async def start(request: Request) -> Response:
        return start_page()

    async def replay(request: Request) -> Response:
        try:
            name, text = await run_in_threadpool(lobby.table.replay)
        except StaleError as error:
            return _fault(STALE, error)
        return PlainTextResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})

    def whole(work: Callable[[], str]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            try:
                return own_page(await run_in_threadpool(work))
            except StaleError as error:
                return _fault(STALE, error)

        return answer

    async def hint(request: Request) -> Response:
        stop = threading.Event()
        try:
            return Growing(await run_in_threadpool(lobby.table.hint, stop), stop)
        except StaleError as error:
            return _fault(STALE, error)
        except RefusedError as error:
            return _fault(ILLEGAL, error)

    def asked(work: Callable[[Request], Any]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await _answer(lambda: work(request))

        return answer

    def posted(
        fields: dict[str, Any], work: Callable[..., Any], most: int = MOST_BYTES
    ) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await _posted(request, fields, work, most)

        return answer

    def why(request: Request) -> dict[str, str]:
        keys, action = request.query_params.getlist("key"), request.query_params.get("action")
        return {"why": lobby.table.why(keys, action, _number(request, "ply", None))}

    def state(request: Request) -> dict[str, Any]:
        narrow = {"0": False, "1": True}.get(request.query_params.get("narrow", ""))
        return lobby.table.state(_number(request, "ply", None), narrow)

    def preview(request: Request) -> dict[str, Any]:
        return lobby.table.preview(request.query_params.get("action", ""), _number(request, "ply", None))

    def rule(request: Request) -> dict[str, Any]:
        return clause(lobby.table.session.game.name, request.query_params.get("clause", ""))

    served = {
        "/": page,
        "/start": start,
        "/look": whole(lobby.look_through),
        "/opened": whole(lobby.opened_page),
        "/api/offers": asked(lambda request: lobby.offers()),
        "/api/reviewed": asked(lambda request: lobby.reviewed()),
        "/api/progress": asked(lambda request: lobby.progress()),
        "/api/state": asked(state),
        "/api/at": asked(lambda request: lobby.table.at(_number(request, "event", 0) or 0)),
        "/api/standing": asked(lambda request: lobby.table.standing(_number(request, "ply", None))),
        "/api/history": asked(lambda request: lobby.table.history(_number(request, "since", 0) or 0)),
        "/api/rule": asked(rule),
        "/api/preview": asked(preview),
        "/api/why": asked(why),
        "/api/hint": hint,
        "/api/text": asked(lambda request: {"text": lobby.table.text()}),
        "/api/replay": replay,
    }
    seating = {"game": str, "players": list, "options": dict, "seed": (int, type(None)), "go_on": bool}
    changing = {
        "/api/begin": posted(seating, lobby.begin),
        "/api/review": posted({}, lobby.review),
        "/api/again": posted({"turned": bool}, lobby.again),
        "/api/open": posted({"text": str}, lobby.open, MOST_FILE),
        "/api/move": posted({"ply": int, "action": str}, lambda **given: lobby.table.move(**given)),
        "/api/go": posted({"ply": int, "once": bool}, lambda **given: lobby.table.go(**given)),
        "/api/follow": posted({"ply": int, "seat": (int, type(None))}, lambda **given: lobby.table.follow(**given)),
        "/api/undo": posted({"ply": int}, lambda **given: lobby.table.undo(**given)),
        "/api/uncover": posted({"ply": int, "seat": (int, type(None))}, lambda **given: lobby.table.uncover(**given)),
    }
    return [
        *(Route(path, work) for path, work in served.items()),
        *(Route(path, work, methods=["POST"]) for path, work in changing.items()),
    ]


def _game_page(session: PageSession) -> Response:
    """Return the page of a game in play."""
    title, goal = session.session.game.definition.title, session.look.goal()
    parts = {"TITLE": escape(title), "GOAL": "".join(f"<li>{escape(line)}</li>" for line in goal)}
    parts["GAME"] = session.session.game.name
    parts |= {"LEGEND": "".join(f"<li>{svg}<span>{escape(text)}</span></li>" for svg, text in signs(session.look))}
    parts |= {"STYLE": style(session.look.roles, "page.css"), "SCRIPT": script("page.js")}
    return guarded_page(part("page.html"), parts)


class Growing(Response):
    """Documents line by line, as they come.

    Args:
        documents: what comes; it is asked for in another thread.
        stop: set when the client goes; ends the work.
    """

    media_type = "application/x-ndjson"

    def __init__(self, documents: Iterator[Any], stop: threading.Event) -> None:
        """Prepare; nothing is asked for yet."""
        super().__init__()
        del self.headers["content-length"]
        self.documents, self.stop = documents, stop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until there is no more, or nobody reads it."""

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            self.stop.set()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async for document in iterate_in_threadpool(self.documents):
                line = json.dumps(document).encode() + b"\n"
                await send({"type": "http.response.body", "body": line, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
            group.cancel_scope.cancel()


def _fault(status: int, error: object) -> Response:
    return JSONResponse({"error": str(error)}, status)


def _number(request: Request, name: str, default: int | None) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default


async def _answer(work: Callable[[], Any]) -> Response:
    """Return the document that work in another thread gives, or its error."""
    try:
        return JSONResponse(await run_in_threadpool(work))
    except OvertakenError:
        return JSONResponse({"overtaken": True})
    except StaleError as error:
        return _fault(STALE, error)
    except RefusedError as error:
        return _fault(ILLEGAL, error)


async def _body(request: Request, most: int) -> bytes:
    """Return what is posted; not much more than is allowed."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            break
    return bytes(body)


async def _posted(request: Request, fields: dict[str, Any], work: Callable[..., Any], most: int) -> Response:
    """Return the answer to a posted object of ``most`` bytes that has exactly these fields."""
    try:
        with anyio.fail_after(BODY_SECONDS):
            body = await _body(request, most)
    except ClientDisconnect:  # nobody hears the answer
        return _fault(UNREADABLE, "body: not whole")
    except TimeoutError:
        return _fault(TOO_SLOW, f"body: not whole after {BODY_SECONDS} s")
    if len(body) > most:
        return _fault(TOO_LARGE, f"body: more than {most} bytes")
    try:
        document = parse_json(body.decode("utf-8"))
    except ValueError as error:
        return _fault(UNREADABLE, f"body: {error}")
    fits = isinstance(document, dict) and set(document) == set(fields)
    if not fits or not all(_is_of(document[key], kind) for key, kind in fields.items()):
        return _fault(UNREADABLE, f"body: {repr_short(document)}; allowed: an object with {', '.join(fields)}")
    return await _answer(lambda: work(**document))


def _is_of(value: Any, kind: Any) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


# ------------------------------------------------------------------------------------------------------------ starting


def make_app(lobby: Lobby, port: int, token: str) -> ASGIApp:
    """Return the pages of a lobby, guarded."""
    return Guard(Starlette(routes=routes_of(lobby)), port, token)


def make_page_app(html: str, port: int, token: str) -> ASGIApp:
    """Return a page that needs nothing else, such as a replay, guarded."""

    async def page(request: Request) -> Response:
        return own_page(html)

    return Guard(Starlette(routes=[Route("/", page)]), port, token)


# --------------------------------------------------------------------------------------------------------------- guard


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


def own_page(html: str) -> Response:
    """Return a page that needs nothing else; what may run in it it says itself."""
    own = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    policy = f"{own[1] if own else CLOSED}; frame-ancestors 'none'"
    return HTMLResponse(html, headers={"content-security-policy": policy})


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
