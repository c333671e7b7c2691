"""A table in a browser: what the page asks for and sends, and the documents it gets. Who is let in: ``guard``."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import repr_short
from atlantis_envs.play.guard import CLOSED, Guard, guarded_page
from atlantis_envs.play.page_session import OvertakenError, PageSession, RefusedError, StaleError
from atlantis_envs.play.pages import part, script, style

MOST_BYTES = 4096  # of what is posted
BODY_SECONDS = 10  # until what is posted has to be here
STALE, UNREADABLE, ILLEGAL, TOO_LARGE, TOO_SLOW = 409, 400, 422, 413, 408


class Server:
    """Requests of the page and their answers."""

    def __init__(self, page_session: PageSession) -> None:
        """Prepare the page; its text is the same every time but for the nonce."""
        self.page_session = page_session

    def routes(self) -> list[Route]:
        """Return what is served."""
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
        """Answer with the page; the game's goal is in it."""
        game = self.page_session.session.game
        parts = {
            "TITLE": escape(game.definition.title),
            "STYLE": style(self.page_session.look, "page.css"),
            "SCRIPT": script("page.js"),
            "GOAL": "".join(f"<li>{escape(line)}</li>" for line in self.page_session.look.goal()),
        }
        return guarded_page(part("page.html"), parts)

    async def state(self, request: Request) -> Response:
        """Tell where the game stands."""
        ply = _number(request, "ply", None)
        return await _answer(lambda: self.page_session.state(ply))

    async def at(self, request: Request) -> Response:
        """Tell what it looked like earlier."""
        event = _number(request, "event", 0)
        return await _answer(lambda: self.page_session.at(event or 0))

    async def preview(self, request: Request) -> Response:
        """Tell what a move would do."""
        action, ply = request.query_params.get("action", ""), _number(request, "ply", None)
        return await _answer(lambda: self.page_session.preview(action, ply))

    async def why(self, request: Request) -> Response:
        """Tell why nothing can be done at a place."""
        keys, action = request.query_params.getlist("key"), request.query_params.get("action")
        ply = _number(request, "ply", None)
        return await _answer(lambda: {"why": self.page_session.why(keys, action, ply)})

    async def text(self, request: Request) -> Response:
        """Answer with the board as text."""
        return await _answer(lambda: {"text": self.page_session.text()})

    async def replay(self, request: Request) -> Response:
        """Answer with the replay file."""
        name = f"{self.page_session.session.game.name}.jsonl"
        try:
            replay = await run_in_threadpool(self.page_session.replay)
        except StaleError as error:
            return _fault(STALE, error)
        return PlainTextResponse(replay, headers={"content-disposition": f'attachment; filename="{name}"'})

    async def hint(self, request: Request) -> Response:
        """Tell what an agent would play, line by line as it comes; the work ends when the client goes."""
        stop = threading.Event()
        try:
            return Growing(await run_in_threadpool(self.page_session.hint, stop), stop)
        except StaleError as error:
            return _fault(STALE, error)
        except RefusedError as error:
            return _fault(ILLEGAL, error)

    # ----------------------------------------------------------------------------------------------------------- doing

    async def move(self, request: Request) -> Response:
        """Play a move."""
        return await _posted(request, {"ply": int, "action": str}, self.page_session.move)

    async def go(self, request: Request) -> Response:
        """Let others play on."""
        return await _posted(request, {"ply": int}, self.page_session.go)

    async def undo(self, request: Request) -> Response:
        """Take back."""
        return await _posted(request, {"ply": int}, self.page_session.undo)

    async def uncover(self, request: Request) -> Response:
        """Show the screen to a seat, or cover it."""
        return await _posted(request, {"ply": int, "seat": (int, type(None))}, self.page_session.uncover)


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


async def _body(request: Request) -> bytes:
    """Return what is posted; not much more than is allowed."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            break
    return body


async def _posted(request: Request, fields: dict[str, Any], work: Callable[..., Any]) -> Response:
    """Return the answer to a posted object that has exactly these fields."""
    try:
        with anyio.fail_after(BODY_SECONDS):
            body = await _body(request)
    except ClientDisconnect:  # nobody hears the answer
        return _fault(UNREADABLE, "body: not whole")
    except TimeoutError:
        return _fault(TOO_SLOW, f"body: not whole after {BODY_SECONDS} s")
    if len(body) > MOST_BYTES:
        return _fault(TOO_LARGE, f"body: more than {MOST_BYTES} bytes")
    try:
        document = parse_json(body.decode("utf-8"))
    except ValueError as error:
        return _fault(UNREADABLE, f"body: {error}")
    fits = isinstance(document, dict) and set(document) == set(fields)
    if not fits or any(isinstance(document[key], bool) or not isinstance(document[key], fields[key]) for key in fields):
        return _fault(UNREADABLE, f"body: {repr_short(document)}; allowed: an object with {', '.join(fields)}")
    return await _answer(lambda: work(**document))


# ------------------------------------------------------------------------------------------------------------ starting


def make_app(page_session: PageSession, port: int, token: str) -> ASGIApp:
    """Return the page of a table, guarded."""
    return Guard(Starlette(routes=Server(page_session).routes()), port, token)


def make_page_app(html: str, port: int, token: str) -> ASGIApp:
    """Return a page that needs nothing else, such as a replay, guarded; what may run in it it says itself."""
    own = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    policy = f"{own[1] if own else CLOSED}; frame-ancestors 'none'"

    async def page(request: Request) -> Response:
        return HTMLResponse(html, headers={"content-security-policy": policy})

    return Guard(Starlette(routes=[Route("/", page)]), port, token)
