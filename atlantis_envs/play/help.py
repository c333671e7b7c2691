"""What a player looks up: a clause of the rules, and what the signs on the board mean."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from atlantis_envs.drawing.look import Look
from atlantis_envs.drawing.pen import placed
from atlantis_envs.drawing.shapes import Drawing, Group
from atlantis_envs.drawing.svg import page_colours, to_svg
from atlantis_envs.drawing.theme import COMMON
from atlantis_envs.registry import GAMES, rules_file

HEADING = re.compile(r"## (\d+) (.*)")
CLAUSE = re.compile(r"(\d+)\.(\d+)[a-z]? ")
TAG = re.compile(r" ?\[(?:book|inferred|source|ruling|reconstructed)[^\]]*\]")  # where a rule comes from
SIGN = 40  # units across


def clause(game: str, number: str) -> dict[str, Any]:
    """Return a clause of the rules of a game, {"title", "text"}: its section and its words, or where they are."""
    found = _clauses(game).get(number)
    if found is None:
        return {"title": number, "text": "The rules that came with the game have no such clause."}
    return {"title": found[0], "text": found[1]}


@cache
def _clauses(game: str) -> dict[str, tuple[str, str]]:
    """Return number of a clause -> the heading of its section, its text."""
    file = rules_file(game) if game in GAMES else None
    section, heading, number = "", "", ""
    found: dict[str, tuple[str, str]] = {}
    for line in [] if file is None else file.read_text("utf-8").splitlines():
        head, begins = HEADING.match(line), CLAUSE.match(line)
        if head:
            section, heading, number = head[1], f"{head[1]} {head[2]}", ""
        elif begins and begins[1] == section:
            number = begins[0].strip()
            found[number] = heading, line
        elif number:
            found[number] = heading, f"{found[number][1]}\n{line}"
    return {number: (heading, _plain(text)) for number, (heading, text) in found.items()}


def _plain(text: str) -> str:
    """Return a clause without marks of where it comes from; its lines joined where they are no table or list."""
    lines: list[str] = []
    for line in TAG.sub("", text).replace("**", "").replace("`", "").strip().splitlines():
        whole = not line or line[0] in "|-*" or not lines or not lines[-1] or lines[-1][0] == "|"
        lines = [*lines, line] if whole else [*lines[:-1], f"{lines[-1]} {line.strip()}"]
    return "\n".join(line for line in lines if not line.startswith("|---"))


def signs(look: Look) -> list[tuple[str, str]]:
    """Return what signs on the board of a game mean: a picture as SVG, and words."""
    colours = page_colours([*COMMON, *look.roles])
    found = []
    for icon, text in look.legend():
        sign = Group("sign", text, placed(icon, SIGN / 2, SIGN / 2))
        found.append((to_svg(Drawing(SIGN, SIGN, text, text, (sign,)), colours), text))
    return found
