"""A position as plain text, for any game, and the board and the picture of a game that has none of its own.

An onlooker is shown the whole position. A seat is shown its own observation, piece by piece: that is what it may know,
whatever the game hides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from atlantis_envs.drawing.letters import fitted
from atlantis_envs.drawing.look import WIDE, Board, Look, View
from atlantis_envs.drawing.pen import DO, buttons, heading, panel, words
from atlantis_envs.drawing.phrases import Clauses, refuse, score_news
from atlantis_envs.drawing.shapes import WIDTH, Drawing, Group

if TYPE_CHECKING:
    from atlantis_envs.engine.position import Position
if TYPE_CHECKING:
    from atlantis_envs.engine.position import Position


HEIGHT = 700
LINE, SIZE = 15, 11.0


def plain_document(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the position, or what the seat observes."""
    if seat is None:
        return position.to_json()
    pieces = position.game.definition.observation.view(position.observation(seat))
    return {name: values.tolist() for name, values in pieces.items()}


def plain_text(position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
    """Return the document in lines; of an observation, what is not zero."""
    if seat is None:
        return "\n".join(fitted_lines(position_text(position).splitlines(), width)) + "\n"
    game = position.game
    about = {piece.name: piece.about for piece in game.definition.observation}
    lines = [
        f"{game.definition.title}, {game.players} players, as seat {seat} sees it",
        f"scores: {position.scores()}",
        "",
    ]
    for name, values in plain_document(position, seat).items():
        if any(values):
            lines.append(f"{name:<14} {_shown(values):<40} {about[name]}")
    return "\n".join(fitted_lines(lines, width)) + "\n"


def _shown(values: Sequence[int]) -> str:
    """Return a value, or "place:value" of what is not zero."""
    if len(values) == 1:
        return str(values[0])
    return " ".join(f"{index}:{value}" if value != 1 else str(index) for index, value in enumerate(values) if value)


def in_columns(cells: Sequence[str], width: int) -> list[str]:
    """Set cells side by side, as many as fit into a line."""
    room = max(map(len, cells)) + 1
    per_line = max(1, (width + 1) // room)
    starts = range(0, len(cells), per_line)
    return ["".join(cell.ljust(room) for cell in cells[start : start + per_line]).rstrip() for start in starts]


BOARD = Board(is_open=lambda game: False, text=plain_text)


# --------------------------------------------------------------------------------------------------------- the picture


def view(position: Position, seat: int | None) -> dict[str, Any]:
    """Return the lines of the board, and who is to decide."""
    own = seat is None or seat == position.seat
    return {
        "title": position.game.definition.title,
        "lines": plain_text(position, seat, []).splitlines(),
        "node": position.node,
        "scores": position.scores(),
        "seat": seat,
        "to_decide": position.seat,
        "legal": position.legal_actions() if own else [],
    }


def draw(view: View, names: Sequence[str]) -> Drawing:
    """Draw the text in a panel, as far as it goes."""
    seat = view["to_decide"]
    asked = {"decision": "to move", "chance": "chance decides", "over": "the game is over"}[view["node"]]
    head = heading(view["title"], "", seat, "" if seat is None else names[seat], asked, WIDTH)
    room = (HEIGHT - 75) // LINE
    shown = view["lines"] if len(view["lines"]) <= room else [*view["lines"][: room - 1], "and more"]
    lines = [words(24, 68 + LINE * index, fitted(text, WIDTH - 48, SIZE), SIZE) for index, text in enumerate(shown)]
    board = Group("board", "the position as text", (panel(10, 44, WIDTH - 20, HEIGHT - 54), *lines))
    moves = buttons(view, area, 10, HEIGHT, WIDTH - 20)
    return Drawing(WIDTH, HEIGHT + 60, view["title"], " ".join(shown), (head, board, moves))


def area(view: View, action: str) -> str:
    """Return the button that means the action."""
    return f"{DO}{action}"


# ----------------------------------------------------------------------------------------------------------- the words

CLAUSES = Clauses(actions="", chance="", over="")


def refusal(position: Position, action: str) -> str:
    """Return why an action cannot be played; there is no rules file to cite."""
    return refuse(position, action, CLAUSES, lambda position, action: (f"{action} is not legal here", ""))


def news(before: View, text: str, after: View) -> tuple[str, ...]:
    """Return every change of a score."""
    return tuple(score_news(before, after, "point"))


LOOK = Look(
    view=view,
    draw=draw,
    area=area,
    roles={},
    goal=lambda: (),
    question=lambda view: "",
    clauses=lambda view: (),
    explain=lambda position, action: "",
    refusal=refusal,
    news=news,
    board=BOARD,
)


# ---------------------------------------------------------------------------------------------------------------- text


COLUMNS = 100
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
        if len(line) <= COLUMNS or not isinstance(item, (Mapping, list)):
            yield line
        elif _is_flat(item):
            yield from wrap(line, COLUMNS, subsequent_indent=indent + INDENT)
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
