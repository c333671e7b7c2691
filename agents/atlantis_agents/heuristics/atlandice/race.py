"""What stocks are worth: every type is a race for its next scoring (7, 8.4, 13), seen from each participant."""

from __future__ import annotations

import math

from atlantis_agents.heuristics.atlandice.weights import ABSENT, GRAIN, NOW, REACH
from atlantis_agents.heuristics.atlandice.work import GIVER
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.data import (
    FAR,
    FINAL_FIRST_POINTS,
    FINAL_SECOND_POINTS,
    INVENTORY_POINTS,
    NUM_TYPES,
    Space,
)
from atlantis_envs.games.atlandice.state import NONE

FIRST = float(FINAL_FIRST_POINTS)  # a tile is worth the same (2.4)
SECOND = float(FINAL_SECOND_POINTS)


@kernel
def lead_of(work: Record, other: int, kind: int, own: int, holder: int, change: int) -> int:
    """By how many pieces a participant is ahead of ``own`` pieces, as an index 0..2 * REACH."""
    lead = int(work.stock[other, kind]) - own
    if other == holder:
        lead += change
    return min(max(lead, -REACH), REACH) + REACH


@kernel
def race(weights: Record, work: Record, kind: int, holder: int, change: int, level: int, prize: float) -> None:
    """Expected points of every participant when a type is scored, into ``work.change``.

    ``holder`` is thought to own ``change`` pieces more. Being first or tied for first pays ``prize``, being second
    below a sole first pays SECOND. Level NOW gives the exact rule (7.4, 13.1).
    """
    count = int(work.participants)
    for place in range(count):
        own = int(work.stock[place, kind])
        if place == holder:
            own += change
        one = lead_of(work, 1 if place == 0 else 0, kind, own, holder, change)
        two = lead_of(work, 1 if place == 2 or place == 3 else 2, kind, own, holder, change)
        third = ABSENT
        if count == 4:
            third = lead_of(work, 2 if place == 3 else 3, kind, own, holder, change)
        first = float(weights.odds[third, level, one, two, 0])  # uncompiled, a product of float32 would stay one
        second = float(weights.odds[third, level, one, two, 1])
        expected = prize * first + SECOND * second
        if own <= 0:
            expected *= max(float(work.unranked), weights.entry_chance[level])
        work.change[place] = expected


@kernel
def utility(work: Record, seat: int) -> float:
    """What ``work.change`` means to a seat: its own points less those of its rivals; neutral's do not matter (9.6)."""
    result = work.change[seat]
    for other in range(int(work.players)):
        if other != seat:
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
        work.change[seat] = math.exp(focus * (work.total[seat] - best))
        everyone += work.change[seat]
    for seat in range(players):
        for other in range(players):
            work.rivalry[seat, other] = work.change[other] / (everyone - work.change[seat] + 1e-9)


@kernel
def level_of(weights: Record, work: Record, kind: int, pieces: int) -> int:
    """How soon a race is scored if its District held so many pieces: when it is emptied, or at the end."""
    until_end = weights.flow * work.to_come + 0.01
    until_empty = pieces + 0.01
    until = until_end * until_empty / math.sqrt(until_end * until_end + until_empty * until_empty)
    return min(NOW - 1, int(GRAIN * until))


@kernel
def run(weights: Record, work: Record, kind: int) -> None:
    """Expected points of a race as things stand, into ``work.now``."""
    if work.tiles[kind] == 0:
        for place in range(int(work.participants)):
            work.now[kind, place] = 0.0
        return
    race(weights, work, kind, NONE, 0, level_of(weights, work, kind, int(work.pieces[kind])), work.prize[kind])
    for place in range(int(work.participants)):
        work.now[kind, place] = work.change[place]


@kernel
def appraise(weights: Record, work: Record, kind: int) -> None:
    """What a race means to the own seat, and what one more piece means to everybody who may take it."""
    players = int(work.players)
    worth = work.now[kind, 0]
    for other in range(1, players):
        worth -= work.rivalry[0, other] * work.now[kind, other]
    work.worth[kind] = worth
    level = level_of(weights, work, kind, int(work.pieces[kind]))
    for place in range(int(work.participants)):
        if work.tiles[kind] != 0:
            race(weights, work, kind, place, 1, level, work.prize[kind])
            for other in range(int(work.participants)):
                work.change[other] -= work.now[kind, other]
        else:
            for other in range(int(work.participants)):
                work.change[other] = 0.0
        if place < players:
            work.own[place, kind] = utility(work, place) + work.piece
        else:
            for seat in range(players):
                work.own[GIVER + seat, kind] = utility(work, seat)


@kernel
def review(weights: Record, work: Record, kind: int) -> None:
    """A race anew, after a change of stocks or of the pieces on its District."""
    run(weights, work, kind)
    appraise(weights, work, kind)
