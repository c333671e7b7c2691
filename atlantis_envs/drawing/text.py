"""A position as plain text, for any game: the lines of its JSON document, short values on one line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atlantis_envs.engine.position import Position

WIDTH = 100
INDENT = "  "
GLUE = "\N{NO-BREAK SPACE}"  # stands for a space inside a name until lines are broken


def fitted_lines(lines: Iterable[str], width: int, indent: str = INDENT) -> list[str]:
    """Return the lines, those that are too long broken between words; what belongs together is held by GLUE."""
    found: list[str] = []
    for line in lines:
        if len(line) <= width:
            found.append(line)
        else:
            start = line[: len(line) - len(line.lstrip())]
            found += wrap(
                line.lstrip(), width, initial_indent=start, subsequent_indent=start + indent, break_on_hyphens=False
            )
    return [line.replace(GLUE, " ") for line in found]


def glued(text: str) -> str:
    """Return a name that is not to be broken."""
    return text.replace(" ", GLUE)


def position_text(position: Position) -> str:
    """Return who is to decide, the scores, and the whole position as an onlooker sees it, hidden parts included."""
    game = position.game
    head = [f"{game.definition.title}, {game.players} players", f"scores: {_inline(position.scores())}"]
    head.append(f"to decide: seat {position.seat}" if position.seat is not None else f"node: {position.node}")
    document = {key: value for key, value in position.to_json().items() if key not in {"game", "options"}}
    return "\n".join([*head, "", *_lines(document, "")]) + "\n"


def _lines(value: Any, indent: str) -> Iterator[str]:
    items = value.items() if isinstance(value, Mapping) else ((index, item) for index, item in enumerate(value))
    for key, item in items:
        line = f"{indent}{key}: {_inline(item)}"
        if len(line) <= WIDTH or not isinstance(item, (Mapping, list)):
            yield line
        elif _is_flat(item):
            yield from wrap(line, WIDTH, subsequent_indent=indent + INDENT)
        else:
            yield f"{indent}{key}:"
            yield from _lines(item, indent + INDENT)


def _is_flat(item: Any) -> bool:
    values = item.values() if isinstance(item, Mapping) else item
    return not any(isinstance(value, (Mapping, list)) for value in values)


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_inline(item)}" for key, item in value.items()) or "-"
    if isinstance(value, Sequence) and not isinstance(value, str):
        bare = all(isinstance(item, (str, int)) for item in value)
        return (" ".join(map(_inline, value)) if bare else "; ".join(map(_inline, value))) or "-"
    return value if isinstance(value, str) else json.dumps(value)
