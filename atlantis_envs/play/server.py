"""A table in a browser: a small server for one person at one machine.

It listens on 127.0.0.1 alone. Every request has to name this host, and to bring a cookie that only the address printed
at the start sets; what changes something has to come from our own page, as JSON, and small.
"""

from __future__ import annotations

import json
import secrets
import socket
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import shown
from atlantis_envs.drawing.look import find_look
from atlantis_envs.play.pages import filled, part, script, style
from atlantis_envs.play.sitting import RefusedError, Sitting, StaleError

HERE = "127.0.0.1"
MOST_BYTES = 4096  # of what is posted
CLOSED = "default-src 'none'; frame-ancestors 'none'"
STALE, UNREADABLE, ILLEGAL, TOO_LARGE = 409, 400, 422, 413
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
                policy = {b"content-security-policy": CLOSED.encode()}
                added = [(name, value) for name, value in {**HEADERS, **policy}.items() if name not in there]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        answer = self._refusal(Request(scope)) or self._greeting(Request(scope)) or self.app
        await answer(scope, receive, careful)

    def _refusal(self, request: Request) -> Response | None:
        """Why a request is not served, or None."""
        hosts = request.headers.getlist("host")  # the raw header: request.url is made from what it says
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return PlainTextResponse("host: not this server", 400)
        if self._brings_token(request):
            return None
        if not self._same(request.cookies.get(self.cookie, "")):
            told = "This address needs the token that atlantis printed at its start: open the whole address."
            return PlainTextResponse(told, 403)
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
        """To a right token: a cookie, and the address without the token."""
        if not self._brings_token(request):
            return None
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self.cookie, self.token, path="/", httponly=True, samesite="strict")
        return answer


class Server:
    """Requests of the page and their answers."""

    def __init__(self, sitting: Sitting) -> None:
        """Prepare the page; its text is the same every time but for the nonce."""
        self.sitting = sitting

    def routes(self) -> list[Route]:
        """What is served."""
        return [
            Route("/", self.page),
            Route("/api/state", self.state),
            Route("/api/at", self.at),
            Route("/api/preview", self.preview),
            Route("/api/why", self.why),
            Route("/api/hint", self.hint),
            Route("/api/text", self.text),
            Route("/api/replay", self.replay),
            Route("/api/move", self.move, methods=["POST"]),
            Route("/api/go", self.go, methods=["POST"]),
            Route("/api/undo", self.undo, methods=["POST"]),
            Route("/api/uncover", self.uncover, methods=["POST"]),
        ]

    # ---------------------------------------------------------------------------------------------------------- asking

    async def page(self, request: Request) -> Response:
        game = self.sitting.table.game
        parts = {
            "TITLE": escape(game.definition.title),
            "STYLE": style(find_look(game.definition), "page.css"),
            "SCRIPT": script("page.js"),
            "GOAL": "".join(f"<li>{escape(line)}</li>" for line in self.sitting.look.goal()),
        }
        return guarded_page(part("page.html"), parts)

    async def state(self, request: Request) -> Response:
        ply = _number(request, "ply", None)
        return await _answer(lambda: self.sitting.state(ply))

    async def at(self, request: Request) -> Response:
        event = _number(request, "event", 0)
        return await _answer(lambda: self.sitting.at(event or 0))

    async def preview(self, request: Request) -> Response:
        return await _answer(lambda: self.sitting.preview(request.query_params.get("action", "")))

    async def why(self, request: Request) -> Response:
        keys, action = request.query_params.getlist("key"), request.query_params.get("action")
        return await _answer(lambda: {"why": self.sitting.why(keys, action)})

    async def text(self, request: Request) -> Response:
        return await _answer(lambda: {"text": self.sitting.text()})

    async def replay(self, request: Request) -> Response:
        name = f"{self.sitting.table.game.name}.jsonl"
        try:
            told = await run_in_threadpool(self.sitting.replay)
        except StaleError as error:
            return _fault(STALE, error)
        return PlainTextResponse(told, headers={"content-disposition": f'attachment; filename="{name}"'})

    async def hint(self, request: Request) -> Response:
        lines = self.sitting.hint()
        try:
            first = await run_in_threadpool(next, lines, None)
        except StaleError as error:
            return _fault(STALE, error)

        async def told() -> Any:
            try:
                if first is not None:
                    yield json.dumps(first) + "\n"
                    async for line in iterate_in_threadpool(lines):
                        yield json.dumps(line) + "\n"
            finally:  # also when the client has gone
                await run_in_threadpool(_close, lines)

        from starlette.responses import StreamingResponse

        return StreamingResponse(told(), media_type="application/x-ndjson")

    # ----------------------------------------------------------------------------------------------------------- doing

    async def move(self, request: Request) -> Response:
        return await _posted(request, {"ply": int, "action": str}, self.sitting.move)

    async def go(self, request: Request) -> Response:
        return await _posted(request, {"ply": int}, self.sitting.go)

    async def undo(self, request: Request) -> Response:
        return await _posted(request, {"ply": int}, self.sitting.undo)

    async def uncover(self, request: Request) -> Response:
        return await _posted(request, {"ply": int, "seat": (int, type(None))}, self.sitting.uncover)


def guarded_page(template: str, parts: dict[str, str]) -> Response:
    """A page whose style and script may run because this answer's nonce says so."""
    nonce = secrets.token_urlsafe(18)
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; font-src data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return HTMLResponse(filled(template, {**parts, "NONCE": nonce}), headers={"content-security-policy": policy})


def _close(lines: Iterator[Any]) -> None:
    close = getattr(lines, "close", None)
    if close is not None:
        close()


def _fault(status: int, error: object) -> Response:
    return JSONResponse({"error": str(error)}, status)


def _number(request: Request, name: str, default: int | None) -> int | None:
    text = request.query_params.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default


async def _answer(work: Callable[[], Any]) -> Response:
    """The document that work in another thread gives, or its error."""
    try:
        return JSONResponse(await run_in_threadpool(work))
    except StaleError as error:
        return _fault(STALE, error)
    except RefusedError as error:
        return _fault(ILLEGAL, error)


async def _posted(request: Request, fields: dict[str, Any], work: Callable[..., Any]) -> Response:
    """The answer to a posted object that has exactly these fields."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            return _fault(TOO_LARGE, f"body: more than {MOST_BYTES} bytes")
    try:
        document = parse_json(body.decode("utf-8"))
    except ValueError as error:
        return _fault(UNREADABLE, f"body: {error}")
    fits = isinstance(document, dict) and set(document) == set(fields)
    if not fits or any(isinstance(document[key], bool) or not isinstance(document[key], fields[key]) for key in fields):
        return _fault(UNREADABLE, f"body: {shown(document)}; allowed: an object with {', '.join(fields)}")
    return await _answer(lambda: work(**document))


# ------------------------------------------------------------------------------------------------------------ starting


def make_app(sitting: Sitting, port: int, token: str) -> ASGIApp:
    """The page of a table, guarded."""
    return Guard(Starlette(routes=Server(sitting).routes()), port, token)


def listen(port: int) -> socket.socket:
    """A socket of this machine alone; port 0: any that is free.

    Raises:
        OSError: the port is taken.
    """
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HERE, port))
    except OSError:
        found.close()
        raise
    return found


def serve(app: ASGIApp, listening: socket.socket) -> None:
    """Answer until Ctrl-C."""
    settings = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, lifespan="off", ws="none", http="h11",
        limit_concurrency=64, timeout_graceful_shutdown=1,
    )  # fmt: skip
    uvicorn.Server(settings).run(sockets=[listening])


def new_token() -> str:
    """24 random bytes, as text."""
    return secrets.token_urlsafe(24)


def address(port: int, token: str) -> str:
    """What to open in a browser."""
    return f"http://{HERE}:{port}/?token={token}"
