"""The board and the picture of a game that has none of its own: text.

An onlooker is shown the whole position. A seat is shown its own observation, piece by piece: that is what it may know,
whatever the game hides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from atlantis_envs.drawing.letters import fitted
from atlantis_envs.drawing.look import WIDE, Board, Look, View
from atlantis_envs.drawing.pen import heading, panel, words
from atlantis_envs.drawing.phrases import Clauses, refuse, score_news
from atlantis_envs.drawing.shapes import WIDTH, Drawing, Group
from atlantis_envs.drawing.text import fitted_lines, position_text

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
    return Drawing(WIDTH, HEIGHT, view["title"], " ".join(shown), (head, board))


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
    area=lambda view, action: None,
    roles={},
    goal=lambda: (),
    question=lambda view: "",
    clauses=lambda view: (),
    explain=lambda position, action: "",
    refusal=refusal,
    news=news,
    board=BOARD,
)
