"""A real browser for the tests beside: Debian's chromium, driven by playwright.

Every test that asks for ``chromium`` or ``page`` is marked ``browser``. Where chromium or playwright is missing these
tests are skipped, but not where the environment variable ``CI`` is set: there they fail.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium")


def pytest_itemcollected(item: pytest.Item) -> None:
    if {"chromium", "page", "telephone"} & set(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.browser)


def missing() -> str:
    """What a browser lacks here; empty: nothing."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: pip install playwright"
    return "" if CHROMIUM.exists() else f"{CHROMIUM} is missing: apt-get install chromium"


# Not one for the whole session: while playwright runs, no other test of this process could use asyncio.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a file; every test opens a page or a context of its own."""
    lacking = missing()
    if lacking and not os.environ.get("CI"):
        pytest.skip(lacking)
    assert not lacking, lacking
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root, as in a container, chromium starts only without its sandbox.
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """An empty page, closed after the test."""
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    yield context.new_page()
    context.close()
