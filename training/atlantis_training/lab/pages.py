"""What pages of results have in common: Markdown for people, JSON for programs, pictures beside them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from atlantis_envs.base.files import write_atomically

PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")  # in the order of play


def write_page(
    out: Path, name: str, page: str, document: dict[str, Any], draw: Callable[[Sequence[Path]], None] | None = None
) -> list[Path]:
    """Write ``name.md`` and ``name.json``, and where ``draw`` draws them ``name.png`` and ``name.svg``.

    Returns:
        The paths of what was written.
    """
    out.mkdir(parents=True, exist_ok=True)
    text, data, *pictures = [out / f"{name}.{ending}" for ending in ("md", "json", "png", "svg")]
    write_atomically(text, page)
    write_atomically(data, json.dumps(document, indent=1) + "\n")
    if draw is None:
        return [text, data]
    draw(pictures)
    return [text, data, *pictures]


def truncated_lines(truncated: int, games: int) -> list[str]:
    """Report the games that a safety bound cut off; nothing if there are none."""
    message = f"{truncated:,} of {games:,} games were cut off by a safety bound: neither won nor lost."
    return [message, ""] if truncated else []
