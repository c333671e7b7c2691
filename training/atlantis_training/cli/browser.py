"""Tables and replays in the browser: what ``--browser`` of ``atlantis play`` and ``atlantis replay`` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from atlantis_training.cli.common import fail
from atlantis_training.signals import heard_by

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from atlantis_envs.play.game_session import GameSession

Browser = Annotated[bool, typer.Option("--browser", help="in the browser (extra `play`)")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="with --browser: where to listen [default: any]")]
NoOpen = Annotated[bool, typer.Option("--no-open", help="with --browser: print the address and open nothing")]


def check_browser(browser: bool, port: int, no_open: bool) -> None:
    """Refuse what goes with --browser alone, and --browser without its packages."""
    from importlib.util import find_spec

    if not browser and (port or no_open):
        fail("--port, --no-open: go with --browser")
    if browser and not (find_spec("starlette") and find_spec("uvicorn")):
        fail("--browser: needs starlette and uvicorn: pip install 'atlantis-envs[play]'")


def open_table(
    session: GameSession, names: Sequence[str], ask_forced: bool, port: int, opening: bool, at_end: Callable[[], None]
) -> None:
    """Serve a table until Ctrl-C, SIGTERM or SIGHUP; ``at_end`` is called then, whatever ended it."""
    from atlantis_envs.play.page_session import PageSession
    from atlantis_envs.play.server import make_app

    page_session = PageSession(session, names, ask_forced, warm=True)
    _serve(lambda at, token: make_app(page_session, at, token), port, opening, at_end)


def open_page(html: str, port: int, opening: bool) -> None:
    """Serve a page that needs nothing else until Ctrl-C."""
    from atlantis_envs.play.server import make_page_app

    _serve(lambda at, token: make_page_app(html, at, token), port, opening)


def _serve(
    app: Callable[[int, str], ASGIApp], port: int, opening: bool, at_end: Callable[[], None] = lambda: None
) -> None:
    """Serve what is made for a port and a token, and say where."""
    import webbrowser

    from atlantis_envs.play.guard import address, listen, make_server, new_token

    try:
        listening = listen(port)
    except OSError as error:
        fail(f"--port {port}: cannot be listened on ({error.strerror or error}); allowed: a free port, or 0 for any")
    at, token = listening.getsockname()[1], new_token()
    server = make_server(app(at, token))
    with heard_by(server.handle_exit):  # also before it runs, and while the game is saved
        try:
            typer.echo(f"Open {address(at, token)}\nCtrl-C ends it.")
            if opening:
                webbrowser.open(address(at, token))
            with suppress(KeyboardInterrupt):  # which uvicorn raises again where somebody else handles Ctrl-C
                server.run(sockets=[listening])
        finally:
            at_end()
