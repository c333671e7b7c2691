"""What the words of all games have in common: how a refusal is put together, and how a change of score is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from atlantis_envs.engine.position import Position

MOST_SHOWN = 40
Reason = tuple[str, str]  # a sentence, and the clause it comes from


@dataclass(frozen=True)
class Clauses:
    """Where the rules file of a game says things that every game has to say.

    Attributes:
        actions: which actions there are.
        chance: where chance decides.
        over: when the game is over.
    """

    actions: str
    chance: str
    over: str


def cited(reason: Reason) -> str:
    """Return the sentence with its clause: no die lies at the inn (5.3)."""
    return f"{reason[0]} ({reason[1]})" if reason[1] else reason[0]


def refuse(position: Position, action: str, clauses: Clauses, reason: Callable[[Position, str], Reason]) -> str:
    """Return why an action cannot be played; "" if it can.

    Args:
        position: where it would be played.
        action: its text, or anything else that was typed.
        clauses: of the rules file.
        reason: (position, text) -> why an action that the game has is not legal at this decision.
    """
    game = position.game
    if action in position.legal_actions():
        return ""
    if action not in game.definition.actions.ids:
        return cited((f"{shortened(action)!r} is no move of {game.definition.title}", clauses.actions))
    if position.node == "over":
        return cited(("the game is over", clauses.over))
    if position.node == "chance":
        return cited(("chance decides now", clauses.chance))
    return cited(reason(position, action))


def shortened(text: str) -> str:
    """Return what was typed, on one line and not too long."""
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


def score_news(before: Mapping[str, Any], after: Mapping[str, Any], unit: str) -> Iterator[str]:
    """Yield a line for every seat whose score has changed: seat 1: +3 points, 7 in all."""
    for seat, (old, new) in enumerate(zip(before["scores"], after["scores"], strict=True)):
        if new != old:
            yield f"seat {seat}: {counted(new - old, unit, sign=True)}, {new} in all"


def with_half(score: int, half_points: int) -> str:
    """Return a score, with the half point that a handicap may hold."""
    return f"{score}½" if half_points % 2 else str(score)


def counted(count: int, name: str, sign: bool = False, plural: str = "") -> str:
    """Return a number of things: 1 point, 3 points, with ``sign`` +1 point; ``plural`` where it does not end in s."""
    return f"{count:{'+d' if sign else 'd'}} {name if abs(count) == 1 else plural or name + 's'}"


def listed(things: Mapping[str, int], plural: str = "") -> str:
    """Return counts of things: 2 ore, 1 gold; with the ending ``plural`` s 2 gems, 1 book; "nothing" for none."""
    reason = (counted(count, name, plural=name + plural) for name, count in things.items() if count)
    return ", ".join(reason) or "nothing"


def a(name: str) -> str:
    """Return a thing with its article: a ring, an olive."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def seats_listed(seats: list[int]) -> str:
    """Return seats in a sentence: seat 1; seats 0 and 2."""
    return f"seat {seats[0]}" if len(seats) == 1 else f"seats {' and '.join(map(str, seats))}"


CUT_OFF = "the game is cut off"  # by a safety bound, or since a seat gave it up: nobody has won by its rules


def winners(view: Mapping[str, Any]) -> list[int]:
    """Return the seats with the best return of a finished game."""
    best = max(view["returns"])
    return [seat for seat, value in enumerate(view["returns"]) if value == best]
