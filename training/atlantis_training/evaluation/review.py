"""A recorded game looked through: at every decision, what was played against what would have been best.

Each decision is judged from what its seat knew then: what it could not know is redrawn for every imagined game.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from atlantis_envs.engine.definition import IDENTICAL
from atlantis_envs.engine.position import Position
from atlantis_envs.play.graph import Evaluation, Mistake
from atlantis_envs.seats.agents import Agent
from atlantis_envs.seats.analysis import TWO_SIDED, Analysis, Judged, Loss, analyse


@dataclass(frozen=True)
class Decision:
    """A decision with an alternative.

    Attributes:
        event: how many events went before it.
        position: where it was taken.
        played: the text of what was played.
    """

    event: int
    position: Position
    played: str


@dataclass(frozen=True)
class Reviewed:
    """A decision that has been looked at.

    Attributes:
        event: how many events went before it.
        seat: who decided.
        played: what was found out about what was played.
        best: what was found out about the best action.
        loss: what was given away.
    """

    event: int
    seat: int
    played: Judged
    best: Judged
    loss: Loss

    @property
    def number(self) -> int:
        """Return which event it is, 1 the first: as pages and commands count."""
        return self.event + 1


@dataclass(frozen=True)
class Total:
    """What one seat gave away in all.

    Attributes:
        seat: whose.
        decisions: how many were looked at.
        mistakes: how many of them were worse than the best action beyond noise.
        lost: win share given away, summed over its decisions.
        margin: half of its 95 % interval.
    """

    seat: int
    decisions: int
    mistakes: int
    lost: float
    margin: float


def decisions_of(end: Position, start: Position, seat: int | None = None) -> list[Decision]:
    """Return decisions of a seat, of all if None, that had an alternative."""
    position, found = start.clone(), []
    for event, text in enumerate(end.log):
        mover = position.seat
        if mover is not None and seat in (None, mover) and len(position.legal_actions()) > 1:
            found.append(Decision(event, position.clone(), text))
        position.apply(text)
    return found


def review(
    decisions: Sequence[Decision], agent: str | Agent, simulations: int | None = None, seed: int = 0
) -> Iterator[Reviewed]:
    """Look at decisions one after the other.

    Args:
        decisions: see ``decisions_of``.
        agent: see ``analyse``.
        simulations: of every action; see ``analyse``.
        seed: decision number k of the list has the luck of seed + k, so that decisions err independently.
    """
    for number, decision in enumerate(decisions):
        found = analyse(decision.position, agent, simulations, seed + number)
        yield _reviewed(decision, found)


def _reviewed(decision: Decision, found: Analysis) -> Reviewed:
    played = found.of(decision.played)
    return Reviewed(decision.event, found.seat, played, found.best, found.loss(decision.played))


def mistakes_of(reviewed: Sequence[Reviewed]) -> list[Reviewed]:
    """Return those worse than the best action beyond noise, the largest first."""
    return sorted((one for one in reviewed if one.loss.sure), key=lambda one: (-one.loss.share, one.event))


def totals_of(reviewed: Sequence[Reviewed]) -> list[Total]:
    """Return what each seat gave away, by seat."""
    totals = []
    for seat in sorted({one.seat for one in reviewed}):
        own = [one.loss for one in reviewed if one.seat == seat]
        margin = TWO_SIDED * math.sqrt(sum(loss.error**2 for loss in own))
        mistakes = sum(loss.sure for loss in own)
        totals.append(Total(seat, len(own), mistakes, sum(loss.share for loss in own), margin))
    return totals


def mistake_text(one: Reviewed) -> str:
    """Tell a mistake in words."""
    return (
        f"gave away {percent(one.loss.share, TWO_SIDED * one.loss.error)}: {one.played.text} {_share(one.played)}, "
        f"{one.best.text} {_share(one.best)}"
    )


def percent(share: float, margin: float) -> str:
    """Return a share as 12 % ± 4."""
    return f"{share * 100:.0f} % ± {margin * 100:.0f}"


def _share(judged: Judged) -> str:
    return percent(judged.share, _margin(judged))


def _margin(judged: Judged) -> float:
    return max(judged.high - judged.share, judged.share - judged.low)


def curve(reviewed: Sequence[Reviewed], position: Position, caption: str, most: int) -> Evaluation:
    """Return the win share of what was played, at every decision for its seat, and the ``most`` largest mistakes.

    Args:
        reviewed: in the order of the game.
        position: any of the game.
        caption: how the shares were taken.
        most: mistakes to be marked, numbered as ``mistakes_of`` lists them.
    """
    together = position.game.definition.utility == IDENTICAL
    seats = 1 if together else position.game.players
    nothing = math.nan

    def row(one: Reviewed, value: float) -> tuple[float, ...]:
        return tuple(value if together or one.seat == seat else nothing for seat in range(seats))

    marked = tuple(
        Mistake(one.event, one.seat, str(number), one.played.share, one.best.share, mistake_text(one))
        for number, one in enumerate(mistakes_of(reviewed)[:most], 1)
    )
    return Evaluation(
        tuple(one.number for one in reviewed),  # the share of what was played is that after it
        tuple(row(one, one.played.share) for one in reviewed),
        tuple(row(one, _margin(one.played)) for one in reviewed),
        caption,
        together,
        marked,
    )
