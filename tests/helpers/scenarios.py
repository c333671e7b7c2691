"""Scenarios as a rules file writes them: `id title :: start :: play :: end`, long ones over several lines.

A continuation begins with two spaces; a line without an id is a heading. What the items mean is each game's
affair. Whoever plays them is an `Engine`: the fast game or its slow reference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

START_OF_SCENARIO = re.compile(r"([A-Z]+\d+) (.*)")


class Position(Protocol):
    """What a scenario needs of a position."""

    @property
    def node(self) -> str: ...
    @property
    def seat(self) -> int | None: ...
    @property
    def truncated(self) -> bool: ...
    def legal_actions(self) -> list[str]: ...
    def chance_outcomes(self) -> dict[str, int]: ...
    def apply(self, text: str, /) -> object: ...
    def to_json(self) -> dict[str, Any]: ...
    def scores(self) -> Iterable[int]: ...
    def returns(self) -> Iterable[float]: ...


class Engine(NamedTuple):
    """What plays scenarios: positions out of documents, and the first position of a game with these options."""

    from_json: Callable[[dict[str, Any]], Any]
    initial: Callable[..., Any]


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
