"""Scenarios as a rules file writes them: `id title :: start :: play :: end`, long ones over several lines.

A continuation begins with two spaces; a line without an id is a heading. What the items mean is each game's
affair.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

START_OF_SCENARIO = re.compile(r"([A-Z]+\d+) (.*)")


@dataclass(frozen=True)
class Scenario:
    """One scenario, its three parts cut into items."""

    id: str
    title: str
    heading: str
    start: tuple[str, ...]
    play: tuple[str, ...]
    end: tuple[str, ...]


def split_scenarios(text: str) -> list[Scenario]:
    """The scenarios of every fenced block of a rules file that names no language and has some."""
    scenarios: list[Scenario] = []
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        if not language and " :: " in block:
            scenarios += _split_block(block)
    ids = [scenario.id for scenario in scenarios]
    if len(set(ids)) != len(ids):
        raise ValueError("two scenarios have the same id")
    return scenarios


def _split_block(block: str) -> list[Scenario]:
    """The scenarios of one block, each with the heading above it."""
    heading = ""
    scenarios: list[Scenario] = []
    for line in re.sub(r"\n  +", " ", block).splitlines():
        match = START_OF_SCENARIO.fullmatch(line)
        if match:
            scenarios.append(_split_line(match[1], match[2], heading))
        else:
            heading = line.strip()
    return scenarios


def _split_line(name: str, rest: str, heading: str) -> Scenario:
    """One scenario from its joined line."""
    parts = [part.strip() for part in re.split(r"(?:^|\s)::(?:\s|$)", rest)]
    if len(parts) != 4:
        raise ValueError(f"{name}: {len(parts)} parts instead of title, start, play and end")
    title, *lists = parts
    start, play, end = (tuple(item.strip() for item in part.split(";") if item.strip()) for part in lists)
    return Scenario(name, title, heading, start, play, end)
