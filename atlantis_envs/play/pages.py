"""What our pages are put together from: files of ``page/``, the palettes of a game, the letters."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache
from importlib import resources

from atlantis_envs.drawing.letters import font_file
from atlantis_envs.drawing.look import Look
from atlantis_envs.drawing.svg import css_name
from atlantis_envs.drawing.theme import THEMES, palette

FONTS = (("FONT_PLAIN", False), ("FONT_BOLD", True))


def part(name: str) -> str:
    """Return a file of ``page/``."""
    return resources.files(__package__).joinpath("page", name).read_text("utf-8")


def style(look: Look, name: str) -> str:
    """Return what all pages share, both palettes of a game, and the style of one page."""
    css = part("look.css")
    for theme in THEMES:
        colours = " ".join(f"--{css_name(role)}: {colour};" for role, colour in palette(look.roles, theme).items())
        css = css.replace(theme.upper(), colours)
    for mark, bold in FONTS:
        css = css.replace(mark, _letters(bold))
    return css + part(name)


def script(name: str) -> str:
    """Return how pictures are patched, and the script of one page."""
    return part("look.js") + part(name)


def filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill a template: every mark such as <!--NAME--> gets its part, and what is put in is never looked through."""
    parts_found = []
    for piece in template.split("<!--"):
        name, closed, rest = piece.partition("-->")
        parts_found.append(parts[name] + rest if closed else piece)
    return "".join(parts_found)


@cache
def _letters(bold: bool) -> str:
    return base64.b64encode(font_file(bold).read_bytes()).decode()
