"""Replays in a browser: from a file, without a request, the same picture on every way to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from helpers.pictures import walk

from atlantis_envs.play.replay_page import replay_html

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_replay_opens_from_its_file(page: Page, tmp_path: Path) -> None:
    end = list(walk("atlandice", 2, 1, 40))[-1]
    (tmp_path / "a.html").write_text(replay_html(end), "utf-8")
    page.goto((tmp_path / "a.html").as_uri())
    page.wait_for_selector("body[data-event='0']")
    assert page.locator("#board svg").count() == 1
