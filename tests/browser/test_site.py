"""The documentation site, opened page by page: nothing is asked for elsewhere, and phones scroll one way."""

from __future__ import annotations

import functools
import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers.support import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytest.importorskip("sphinx")
pytest.importorskip("myst_nb")
BROAD = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[str]]]:
    """The built site: where it is served, and its pages."""
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-q", "-W", "--keep-going"]
    done = subprocess.run([*command, str(ROOT / "docs"), str(target)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    files = [path.relative_to(target) for path in Path(target).rglob("*.html")]
    pages = sorted(str(path) for path in files if "_static" not in path.parts)
    handler = functools.partial(Quiet, directory=str(target))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", pages
        server.shutdown()


def test_every_page_is_whole_by_itself(page: Page, site: tuple[str, list[str]]) -> None:
    base, pages = site
    assert len(pages) > 60
    elsewhere, failed, broad = set(), [], []
    page.on("request", lambda request: elsewhere.add(request.url) if not request.url.startswith((base, "data:")) else 0)
    page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    page.set_viewport_size({"width": 390, "height": 844})
    for name in pages:
        page.goto(base + name)
        if page.evaluate(BROAD) > 0:
            broad.append(name)
    assert (elsewhere, failed, broad) == (set(), [], [])
