"""How a game looks: what every game's ``show`` puts together as ``LOOK``, and the pictures and texts made with it.

The declaration of a game hands its look down to the engine as a function, so that nothing is drawn, or even loaded,
before a position is to be seen. A board or a picture shows what a seat may know, never more: the view that it is made
of is already cut down to that. ``seat`` None means an onlooker who may see everything, as in a replay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from atlantis_envs.base.arguments import choice, integer
from atlantis_envs.base.values import repr_short
from atlantis_envs.drawing.shapes import Drawing, Shape
from atlantis_envs.drawing.svg import delta, group_marks, to_array, to_png, to_svg
from atlantis_envs.drawing.theme import THEMES, Roles, palette

if TYPE_CHECKING:  # drawing lies below the engine, which hands positions down to it
    import numpy as np
    from numpy.typing import NDArray

    from atlantis_envs.engine.position import Position
    from atlantis_envs.engine.setup import Setup

View = Mapping[str, Any]
WIDE = 110  # characters of a line where nobody says how many there are
MOST_PIXELS = 8_000
THEN = ", "  # between two actions that one click means


class Text(Protocol):
    """How a board becomes text."""

    def __call__(self, position: Position, seat: int | None, names: Sequence[str], width: int = WIDE) -> str:
        """Return the board as a seat may know it, in lines of at most ``width`` characters, at least 78."""


@dataclass(frozen=True)
class Board:
    """How a game is shown in a terminal.

    Attributes:
        is_open: (game) -> whether every seat knows everything.
        text: (position, seat, names of the seats, width) -> the board, in lines of at most ``width`` characters.
        short: the same in about 15 lines, with what the decision at hand needs; None: nothing shorter.
        tints: regular expression of signs on the board -> role whose colour lies behind them.
    """

    is_open: Callable[[Setup], bool]
    text: Text
    short: Text | None = None
    tints: Mapping[str, str] = field(default_factory=dict)


class Ending(NamedTuple):
    """How a game ended.

    Attributes:
        why: a sentence; "" if the scores say it all.
        points: by seat, the score taken apart: what brought how many points, in words; they add up to the score. () if
            the score needs no reasons.
    """

    why: str = ""
    points: tuple[tuple[tuple[str, int], ...], ...] = ()


Stretch = tuple[View, str, View]  # a view before, the texts of what happened, the view after


def plain_ending(stretches: Sequence[Stretch]) -> Ending:
    """Say nothing about how a game ended."""
    return Ending()


@dataclass(frozen=True)
class Look:
    """What a game has to say about its pictures, and in words.

    Sentences have no full stop at the end and begin with a small letter, so that they can be put together; clauses are
    those of the game's rules file. A view is what ``view(position, seat)`` gives; words made of views tell that seat
    nothing it may not know.

    Attributes:
        view: (position, seat) -> what that seat may know, as plain values; seat None: everything.
        draw: (view, names of the seats) -> the picture. It sees nothing but these.
        area: (view, action text) -> key of the group where a click means the action; what has no place of its own is a
            button there.
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
        board: how it is shown in a terminal.
        legend: () -> signs on the board, each drawn around (0, 0), at most 36 across, with what it means.
        ending: (stretches of a whole game, everything seen) -> how it ended, and where every point came from.
        draw_narrow: the same for a telephone, 390 wide; None: there is no such picture.
        leading: first words of actions that reveal nothing and lead to choosing a place: a click there may mean both.
    """

    view: Callable[[Position, int | None], dict[str, Any]]
    draw: Callable[[View, Sequence[str]], Drawing]
    area: Callable[[View, str], str]
    roles: Roles
    goal: Callable[[], tuple[str, ...]]
    question: Callable[[View], str]
    clauses: Callable[[View], tuple[str, ...]]
    explain: Callable[[Position, str], str]
    refusal: Callable[[Position, str], str]
    news: Callable[[View, str, View], tuple[str, ...]]
    board: Board
    ending: Callable[[Sequence[Stretch]], Ending] = plain_ending
    legend: Callable[[], tuple[tuple[tuple[Shape, ...], str], ...]] = tuple
    draw_narrow: Callable[[View, Sequence[str]], Drawing] | None = None
    leading: tuple[str, ...] = ()

    def picture(self, position: Position, seat: int | None = None, names: Sequence[str] | None = None) -> Drawing:
        """Draw a position as a seat sees it; None: everything."""
        return self.draw(self.view(position, checked_viewer(position, seat)), names_of(position, names))

    def moves_by_area(self, view: View, position: Position) -> dict[str, list[int]]:
        """Return for every area where a click may mean legal actions, by its key, their ids."""
        ids = position.game.definition.actions.ids
        found: dict[str, list[int]] = {}
        for action in view["legal"]:
            found.setdefault(self.area(view, action), []).append(ids[action])
        return found

    def leads(self, position: Position) -> Iterator[tuple[str, Position]]:
        """Yield legal actions that lead to a choice of a place, each with the position after it."""
        for action in position.legal_actions():
            if action.split()[0] in self.leading:
                after = position.clone()
                after.apply(action)
                yield action, after

    def pairs(self, position: Position) -> dict[str, str]:
        """Return pairs of actions that one click may mean, as "place leader, at hills 2", with the key of its area."""
        found: dict[str, str] = {}
        for action, after in self.leads(position):
            seen = self.view(after, after.seat)
            found |= {f"{action}{THEN}{text}": self.area(seen, text) for text in seen["legal"]}
        return found

    def svg(
        self,
        position: Position,
        seat: int | None = None,
        theme: str = "light",
        last: Position | None = None,
        legal: bool = False,
        names: Sequence[str] | None = None,
    ) -> str:
        """Return a picture as SVG; see ``Position.svg``."""
        choice("theme", theme, THEMES)
        viewer, called = checked_viewer(position, seat), names_of(position, names)
        view = self.view(position, viewer)
        drawing = self.draw(view, called)
        colours = palette(self.roles, theme)
        moves = self.moves_by_area(view, position) if legal else {}
        changed: dict[str, None] = {}
        if last is not None:
            if type(last) is not type(position) or last.game != position.game:
                raise ValueError(f"last: {repr_short(last)}; allowed: None, or a position of the same game")
            changed = dict.fromkeys(changed_keys(self.draw(self.view(last, viewer), called), drawing, colours))
        return to_svg(drawing, colours, moves, changed)

    def png(self, position: Position, width: int | None = None, **svg_options: Any) -> bytes:
        """Return a picture as a PNG file; see ``Position.png``."""
        wide = None if width is None else integer("width", width, 100, MOST_PIXELS)
        return to_png(self.svg(position, **svg_options), wide)

    def pixels(self, position: Position, seat: int | None = None) -> NDArray[np.uint8]:
        """Return a position as ``seat`` sees it (None: whole), uint8 (height, width, 3), as ``rgb_array``."""
        return to_array(self.png(position, seat=seat))

    def text(self, position: Position, seat: int | None = None) -> str:
        """Return the board as ``seat`` sees it (None: hidden parts included), and who is to decide."""
        names = ["player"] * position.game.players
        who = f"to decide: seat {position.seat}" if position.seat is not None else f"node: {position.node}"
        return f"{self.board.text(position, seat, names).rstrip()}\n\n{who}\n"


def names_of(position: Position, names: Sequence[str] | None) -> list[str]:
    """Return the names of the seats, or "seat 0" and so on.

    Raises:
        ValueError: not one text for every seat.
    """
    players = position.game.players
    if names is None:
        return [f"seat {seat}" for seat in range(players)]
    if isinstance(names, str) or len(names) != players or not all(isinstance(name, str) for name in names):
        raise ValueError(f"names: {repr_short(names)}; allowed: None, or {players} texts")
    return list(names)


def checked_viewer(position: Position, seat: Any) -> int | None:
    """Return the seat that looks.

    Raises:
        ValueError: no such seat.
    """
    return None if seat is None else integer("seat", seat, 0, position.game.players - 1)


def changed_keys(old: Drawing, new: Drawing, colours: Mapping[str, str]) -> frozenset[str]:
    """Return the keys of the areas in which something else is to be seen."""

    def marks(drawing: Drawing) -> dict[str, str]:
        parts = [part for group in drawing.groups for part in (*group.children, group)]
        return group_marks(Drawing(drawing.width, drawing.height, "", "", tuple(parts)), colours)

    return frozenset(delta(marks(old), marks(new)))
