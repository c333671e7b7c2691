"""What stocks are worth: every type is a race for its next scoring (7, 8.4, 13), seen from each participant."""

from __future__ import annotations

import math

from atlantis_agents.heuristics.atlandice.weights import ABSENT, MOST_PIECES, REACH
from atlantis_agents.heuristics.atlandice.work import EVERYBODY, GIVER
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.data import (
    FAR,
    FINAL_FIRST_POINTS,
    FINAL_SECOND_POINTS,
    INVENTORY_POINTS,
    MAX_PARTICIPANTS,
    MAX_PLAYERS,
    NUM_TYPES,
    Space,
)
from atlantis_envs.games.atlandice.state import NONE

FIRST = float(FINAL_FIRST_POINTS)  # a tile is worth the same (2.4)
SECOND = float(FINAL_SECOND_POINTS)


@kernel
def lead_of(other: int, own: int) -> int:
    """By how many pieces a participant is ahead of ``own`` pieces, as an index 0..2 * REACH."""
    return min(max(other - own, -REACH), REACH) + REACH


@kernel
def race(weights: Record, work: Record, kind: int, holder: int, change: int, level: int, prize: float) -> None:
    """Expected points of every participant when a type is scored, into ``work.change``.

    ``holder`` is thought to own ``change`` pieces more. Being first or tied for first pays ``prize``, being second
    below a sole first pays SECOND. Level NOW gives the exact rule (7.4, 13.1).
    """
    one = int(work.stock[0, kind]) + (change if holder == 0 else 0)
    two = int(work.stock[1, kind]) + (change if holder == 1 else 0)
    three = int(work.stock[2, kind]) + (change if holder == 2 else 0)
    entry = max(float(work.unranked), float(weights.entry_chance[level]))
    if int(work.participants) == 4:
        four = int(work.stock[3, kind]) + (change if holder == 3 else 0)
        work.change[0] = expected(
            weights, entry, level, prize, one, lead_of(two, one), lead_of(three, one), lead_of(four, one)
        )
        work.change[1] = expected(
            weights, entry, level, prize, two, lead_of(one, two), lead_of(three, two), lead_of(four, two)
        )
        work.change[2] = expected(
            weights, entry, level, prize, three, lead_of(one, three), lead_of(two, three), lead_of(four, three)
        )
        work.change[3] = expected(
            weights, entry, level, prize, four, lead_of(one, four), lead_of(two, four), lead_of(three, four)
        )
    else:
        work.change[0] = expected(weights, entry, level, prize, one, lead_of(two, one), lead_of(three, one), ABSENT)
        work.change[1] = expected(weights, entry, level, prize, two, lead_of(one, two), lead_of(three, two), ABSENT)
        work.change[2] = expected(weights, entry, level, prize, three, lead_of(one, three), lead_of(two, three), ABSENT)
        work.change[3] = 0.0


@kernel
def expected(
    weights: Record, entry: float, level: int, prize: float, own: int, one: int, two: int, third: int
) -> float:
    """Points a participant with ``own`` pieces may expect, from the leads of the others."""
    first = float(weights.odds[third, level, one, two, 0])  # uncompiled, a product of float32 would stay one
    second = float(weights.odds[third, level, one, two, 1])
    result = prize * first + SECOND * second
    return result if own > 0 else result * entry


@kernel
def utility(work: Record, seat: int) -> float:
    """What ``work.change`` means to a seat: its own points less those of its rivals; neutral's do not matter (9.6)."""
    result = work.change[seat]
    for other in range(MAX_PLAYERS):  # rivalry is 0 with oneself and with nobody
        result -= work.rivalry[seat, other] * work.change[other]
    return result


@kernel
def foresee(weights: Record, work: Record) -> None:
    """How soon every race is scored, what it pays, what it is worth now, and who rivals whom."""
    rounds = max(0.0, (int(work.to_end) - 1.0) / weights.pace)
    work.to_come = int(work.visits) * (rounds + 1.0) - int(work.visit)
    work.piece = weights.spare if int(work.to_event[Space.DONATION]) < FAR else 0.0
    work.piece += weights.spare_total * reached(weights, work, Space.TOTAL)
    for kind in range(NUM_TYPES):
        work.prize[kind] = FIRST + INVENTORY_POINTS * reached(weights, work, kind)
        run(weights, work, kind)
        for place in range(int(work.participants)):
            work.total[place] += work.now[kind, place]
    rank_opponents(weights, work)


@kernel
def reached(weights: Record, work: Record, event: int) -> float:
    """How much the next space of a kind counts: 0 if there is none."""
    return weights.soon[int(work.to_event[event])]


@kernel
def rank_opponents(weights: Record, work: Record) -> None:
    """A point taken from an opponent counts as much as it is likely to win: its share of e ** (focus * total)."""
    players = int(work.players)
    focus = weights.focus / math.sqrt(1.0 + work.to_come / int(work.visits))
    best = work.total[0]
    for seat in range(1, players):
        best = max(best, work.total[seat])
    everyone = 0.0
    for seat in range(players):
        work.change[seat] = 1.0 if work.total[seat] == best else math.exp(focus * (work.total[seat] - best))
        everyone += work.change[seat]
    for seat in range(players):  # with nobody it stays 0
        rest = everyone - work.change[seat] + 1e-9
        work.rivalry[seat, seat] = 0.0
        for other in range(seat):
            work.rivalry[seat, other] = work.change[other] / rest
        for other in range(seat + 1, players):
            work.rivalry[seat, other] = work.change[other] / rest


@kernel
def level_of(weights: Record, work: Record, pieces: int) -> int:
    """How soon a race is scored if its District held so many pieces: when it is emptied, or at the end."""
    big = 0 if int(work.players) < MAX_PLAYERS else 1
    return int(weights.level[big, int(work.to_end), int(work.visit), min(pieces, MOST_PIECES)])


@kernel
def run(weights: Record, work: Record, kind: int) -> None:
    """Expected points of a race as things stand, into ``work.now``."""
    if work.tiles[kind] == 0:
        for place in range(MAX_PARTICIPANTS):
            work.now[kind, place] = 0.0
        return
    level = level_of(weights, work, int(work.pieces[kind]))
    work.level[kind] = level
    race(weights, work, kind, NONE, 0, level, work.prize[kind])
    for place in range(MAX_PARTICIPANTS):
        work.now[kind, place] = work.change[place]


@kernel
def appraise(work: Record, kind: int) -> None:
    """What a race means to the own seat; what one more piece means is asked anew."""
    worth = work.now[kind, 0]
    for other in range(1, MAX_PLAYERS):
        worth -= work.rivalry[0, other] * work.now[kind, other]
    work.worth[kind] = worth
    work.fresh &= ~(EVERYBODY << kind)
    work.races |= 1 << kind


@kernel
def own_of(weights: Record, work: Record, taker: int, kind: int) -> float:
    """What one more piece means to the seat that takes it: most are never asked for, some several times."""
    bit = 1 << NUM_TYPES * taker + kind
    if work.fresh & bit == 0:
        work.fresh |= bit
        seat, place = (taker - GIVER, int(work.players)) if taker >= GIVER else (taker, taker)
        if work.tiles[kind] != 0:
            race(weights, work, kind, place, 1, int(work.level[kind]), work.prize[kind])
            for other in range(MAX_PARTICIPANTS):
                work.change[other] -= work.now[kind, other]
        else:
            for other in range(MAX_PARTICIPANTS):
                work.change[other] = 0.0
        work.own[kind, taker] = utility(work, seat) + (0.0 if taker >= GIVER else work.piece)
    return float(work.own[kind, taker])


@kernel
def review(weights: Record, work: Record, kind: int) -> None:
    """A race anew, after a change of stocks or of the pieces on its District."""
    run(weights, work, kind)
    appraise(work, kind)
