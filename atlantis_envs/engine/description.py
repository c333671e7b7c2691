"""What a game is, told as data and as the table that people read."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from atlantis_envs.base.values import visible
from atlantis_envs.engine.definition import Provenance, Versions
from atlantis_envs.engine.layout import Texts

MOST_VALUE = 70  # characters of an option's value


@dataclass(frozen=True)
class Description:
    """What a game is, as data; see Game.describe. ``print`` shows it as a table.

    Attributes:
        observation: name, first byte, number of bytes, largest value and meaning of every piece.
        meanings: option -> what it means and may be, where it is declared.
        actions: first id, last id and texts of every span of actions.
        outcomes: the same of chance outcomes.
    """

    name: str
    title: str
    versions: Versions
    players: int
    player_range: tuple[int, int]
    utility: str
    options: dict[str, Any]
    num_actions: int
    num_outcomes: int
    observation_size: int
    observation: tuple[tuple[str, int, int, int, str], ...]
    node_bound: int
    bound_reason: str
    provenance: tuple[Provenance, ...]
    meanings: dict[str, str]
    actions: tuple[tuple[int, int, str], ...]
    outcomes: tuple[tuple[int, int, str], ...]

    @property
    def reconstructed(self) -> tuple[str, ...]:
        """The data that are reconstructed, not printed."""
        return tuple(entry.datum for entry in self.provenance if entry.tag == "reconstructed")

    def to_json(self) -> dict[str, Any]:
        """The description as plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Return the table that ``atlantis describe`` prints."""
        low, high = self.player_range
        seats = f"{self.players} player{'' if self.players == 1 else 's'}"
        versions = ", ".join(f"{key} {value}" for key, value in asdict(self.versions).items())
        told = {key: f": {self.meanings[key]}" if key in self.meanings else "" for key in self.options}
        pieces = [
            (_span(start, start + size - 1), f"{name}, 0..{most}: {text}")
            for name, start, size, most, text in self.observation
        ]
        return "\n".join([
            f"{self.title}, {seats} ({low}-{high} possible), {self.utility}",
            f"versions: {versions}",
            f"at most {self.node_bound:,} nodes a game: {self.bound_reason}",
            *_section("options, as now", [(key, _short(value) + told[key]) for key, value in self.options.items()]),
            *_section(f"actions, {self.num_actions}", _told(self.actions)),
            *_section(f"chance outcomes, {self.num_outcomes}", _told(self.outcomes)),
            *_section(f"observation, {self.observation_size} bytes", pieces),
            *_section("where the data come from", [(e.tag, f"{e.datum} ({e.source})") for e in self.provenance]),
        ])  # fmt: skip


def spans(texts: Texts) -> tuple[tuple[int, int, str], ...]:
    """Return first id, last id and texts of each span: 0, 5 and "visit jeweler ... visit market"."""
    rows = []
    for first, stop in pairwise([*texts.starts.values(), len(texts)]):
        last = stop - 1
        if last < first:
            continue
        named = texts.texts[first] if first == last else f"{texts.texts[first]} ... {texts.texts[last]}"
        rows.append((first, last, named))
    return tuple(rows)


def _told(rows: tuple[tuple[int, int, str], ...]) -> list[tuple[str, str]]:
    return [(_span(first, last), text) for first, last, text in rows]


def _span(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _section(title: str, rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(left) for left, _ in rows), default=0)
    return ["", title, *(f"  {left:<{width}}  {right}" for left, right in rows)]


def _short(value: Any) -> str:
    text = visible(json.dumps(value))
    return text if len(text) <= MOST_VALUE else f"{text[: MOST_VALUE - 3]}..."
