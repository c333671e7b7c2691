"""How a game looks: the functions that every game's ``drawing`` module puts together as ``LOOK``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from atlantis_envs.drawing.shapes import Drawing
from atlantis_envs.drawing.theme import Roles
from atlantis_envs.engine.definition import Definition
from atlantis_envs.engine.position import Position

View = Mapping[str, Any]
PLAIN = "atlantis_envs.drawing.plain"


@dataclass(frozen=True)
class Look:
    """What a game has to say about its pictures, and in words.

    Sentences have no full stop at the end and begin with a small letter, so that they can be put together; clauses are
    those of the game's rules file. A view is what ``view(position, seat)`` gives; words made of views tell that seat
    nothing it may not know.

    Attributes:
        view: (position, seat) -> what that seat may know, as plain values; seat None: everything.
        draw: (view, names of the seats) -> the picture. It sees nothing but these.
        area: (view, action text) -> key of the group where a click means the action; None: it has no place there.
        roles: colours beside those that all games share.
        goal: () -> what wins, in at most 8 lines of at most 78 characters.
        question: (view) -> what the seat to decide is to do, to be read after "you are to": "choose the sector whose
            die to take"; "" where nobody decides or there is nothing to say.
        clauses: (view) -> the clauses that the question comes from, as "5.3".
        explain: (position, action text) -> what a legal action does, in sentences with full stops: its benefit, its
            price, how much room a place has, as the seat to decide may know it; "" if there is nothing to say.
        refusal: (position, text) -> "" if the text is a legal action, else why not, with the clause at the end: "no die
            lies at the inn (5.3)". Any text is answered, at any position.
        news: (view before, text, view after) -> results that no event says, a sentence each: points, tiles won, pieces
            given back, the hand moved, a tile sank. The two views are of the same seat at any two moments of a game,
            one event apart or many; ``text`` is the text of what happened between, several joined with ", ".
            Every change of a score has a line "seat 1: +3 points, 7 in all" of its own, with the unit of the game, and
            these lines add up over the pieces of a stretch.
    """

    view: Callable[[Position, int | None], dict[str, Any]]
    draw: Callable[[View, Sequence[str]], Drawing]
    area: Callable[[View, str], str | None]
    roles: Roles
    goal: Callable[[], tuple[str, ...]]
    question: Callable[[View], str]
    clauses: Callable[[View], tuple[str, ...]]
    explain: Callable[[Position, str], str]
    refusal: Callable[[Position, str], str]
    news: Callable[[View, str, View], tuple[str, ...]]


def find_look(definition: Definition) -> Look:
    """How a game looks; one that says nothing about it is shown as text."""
    found: Look = import_module(definition.look or PLAIN).LOOK
    return found
