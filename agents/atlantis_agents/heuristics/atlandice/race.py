"""What stocks are worth: every type is a race for its next scoring (7, 8.4, 13), seen from each participant."""

from __future__ import annotations

import math

from atlantis_agents.heuristics.atlandice.scratch import EVERYBODY, GIVER, unpack
from atlantis_agents.heuristics.atlandice.weights import ABSENT, MOST_PIECES, REACH
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.data import Space
from atlantis_envs.games.atlandice.state import NONE
from atlantis_envs.kernels.kernel import kernel

FIRST = float(data.FINAL_FIRST_POINTS)  # a tile is worth the same (2.4)
SECOND = float(data.FINAL_SECOND_POINTS)


@kernel
def lead_of(other: int, own: int) -> int:
    """Return by how many pieces a participant is ahead of ``own`` pieces, as an index 0..2 * REACH."""
    return min(max(other - own, -REACH), REACH) + REACH


@kernel
def race(weights: Record, scratch: Record, kind: int, holder: int, change: int, level: int, prize: float) -> None:
    """Write everybody's expected points when a type is scored into ``scratch.change``.

    ``holder`` is thought to own ``change`` pieces more. Being first or tied for first pays ``prize``, being second
    below a sole first pays SECOND. Level NOW gives the exact rule (7.4, 13.1).
    """
    one = int(scratch.stock[0, kind]) + (change if holder == 0 else 0)
    two = int(scratch.stock[1, kind]) + (change if holder == 1 else 0)
    three = int(scratch.stock[2, kind]) + (change if holder == 2 else 0)
    entry = max(float(scratch.unranked), float(weights.entry_chance[level]))
    if int(scratch.participants) == 4:
        four = int(scratch.stock[3, kind]) + (change if holder == 3 else 0)
        scratch.change[0] = expected(
            weights, entry, level, prize, one, lead_of(two, one), lead_of(three, one), lead_of(four, one)
        )
        scratch.change[1] = expected(
            weights, entry, level, prize, two, lead_of(one, two), lead_of(three, two), lead_of(four, two)
        )
        scratch.change[2] = expected(
            weights, entry, level, prize, three, lead_of(one, three), lead_of(two, three), lead_of(four, three)
        )
        scratch.change[3] = expected(
            weights, entry, level, prize, four, lead_of(one, four), lead_of(two, four), lead_of(three, four)
        )
    else:
        scratch.change[0] = expected(weights, entry, level, prize, one, lead_of(two, one), lead_of(three, one), ABSENT)
        scratch.change[1] = expected(weights, entry, level, prize, two, lead_of(one, two), lead_of(three, two), ABSENT)
        scratch.change[2] = expected(
            weights, entry, level, prize, three, lead_of(one, three), lead_of(two, three), ABSENT
        )
        scratch.change[3] = 0.0


@kernel
def expected(
    weights: Record, entry: float, level: int, prize: float, own: int, one: int, two: int, third: int
) -> float:
    """Return the points that a participant with ``own`` pieces may expect, from the leads of the others."""
    first = float(weights.odds[third, level, one, two, 0])  # uncompiled, a product of float32 would stay one
    second = float(weights.odds[third, level, one, two, 1])
    result = prize * first + SECOND * second
    return result if own > 0 else result * entry


@kernel
def utility(scratch: Record, seat: int) -> float:
    """Return what ``scratch.change`` means to a seat: its points less those of its rivals, without neutral's (9.6)."""
    result = scratch.change[seat]
    for other in range(data.MAX_PLAYERS):  # rivalry is 0 with oneself and with nobody
        result -= scratch.rivalry[seat, other] * scratch.change[other]
    return result


@kernel
def foresee(weights: Record, scratch: Record) -> None:
    """Find out how soon every race is scored, what it pays, what it is worth now, and who rivals whom."""
    rounds = max(0.0, (int(scratch.to_end) - 1.0) / weights.pace)
    scratch.to_come = int(scratch.visits) * (rounds + 1.0) - int(scratch.visit)
    scratch.piece = weights.spare if int(scratch.to_event[Space.DONATION]) < data.FAR else 0.0
    scratch.piece += weights.spare_total * reached(weights, scratch, Space.TOTAL)
    for kind in range(data.NUM_TYPES):
        scratch.prize[kind] = FIRST + data.INVENTORY_POINTS * reached(weights, scratch, kind)
        run(weights, scratch, kind)
        for place in range(int(scratch.participants)):
            scratch.total[place] += scratch.now[kind, place]
    rank_opponents(weights, scratch)


@kernel
def reached(weights: Record, scratch: Record, event: int) -> float:
    """Return how much the next space of a kind counts: 0 if there is none."""
    return weights.soon[int(scratch.to_event[event])]


@kernel
def rank_opponents(weights: Record, scratch: Record) -> None:
    """Let a point taken from an opponent count as much as it is likely to win: its share of e ** (focus * total)."""
    players = int(scratch.players)
    focus = weights.focus / math.sqrt(1.0 + scratch.to_come / int(scratch.visits))
    best = scratch.total[0]
    for seat in range(1, players):
        best = max(best, scratch.total[seat])
    everyone = 0.0
    for seat in range(players):
        scratch.change[seat] = 1.0 if scratch.total[seat] == best else math.exp(focus * (scratch.total[seat] - best))
        everyone += scratch.change[seat]
    for seat in range(players):  # with nobody it stays 0
        rest = everyone - scratch.change[seat] + 1e-9
        scratch.rivalry[seat, seat] = 0.0
        for other in range(seat):
            scratch.rivalry[seat, other] = scratch.change[other] / rest
        for other in range(seat + 1, players):
            scratch.rivalry[seat, other] = scratch.change[other] / rest


@kernel
def level_of(weights: Record, scratch: Record, pieces: int) -> int:
    """Return how soon a race is scored if its District held so many pieces: when it is emptied, or at the end."""
    big = 0 if int(scratch.players) < data.MAX_PLAYERS else 1
    return int(weights.level[big, int(scratch.to_end), int(scratch.visit), min(pieces, MOST_PIECES)])


@kernel
def run(weights: Record, scratch: Record, kind: int) -> None:
    """Write the expected points of a race, as things stand, into ``scratch.now``."""
    if scratch.tiles[kind] == 0:
        for place in range(data.MAX_PARTICIPANTS):
            scratch.now[kind, place] = 0.0
        return
    level = level_of(weights, scratch, int(scratch.pieces[kind]))
    scratch.level[kind] = level
    race(weights, scratch, kind, NONE, 0, level, scratch.prize[kind])
    for place in range(data.MAX_PARTICIPANTS):
        scratch.now[kind, place] = scratch.change[place]


@kernel
def appraise(scratch: Record, kind: int) -> None:
    """Find out what a race means to the own seat; what one more piece means is asked anew."""
    worth = scratch.now[kind, 0]
    for other in range(1, data.MAX_PLAYERS):
        worth -= scratch.rivalry[0, other] * scratch.now[kind, other]
    scratch.worth[kind] = worth
    scratch.fresh &= ~(EVERYBODY << kind)
    scratch.races |= 1 << kind


@kernel
def own_of(weights: Record, scratch: Record, taker: int, kind: int) -> float:
    """Return what one more piece means to the seat that takes it: most are never asked for, some several times."""
    bit = 1 << data.NUM_TYPES * taker + kind
    if scratch.fresh & bit == 0:
        scratch.fresh |= bit
        seat, place = (taker - GIVER, int(scratch.players)) if taker >= GIVER else (taker, taker)
        if scratch.tiles[kind] != 0:
            race(weights, scratch, kind, place, 1, int(scratch.level[kind]), scratch.prize[kind])
            for other in range(data.MAX_PARTICIPANTS):
                scratch.change[other] -= scratch.now[kind, other]
        else:
            for other in range(data.MAX_PARTICIPANTS):
                scratch.change[other] = 0.0
        scratch.own[kind, taker] = utility(scratch, seat) + (0.0 if taker >= GIVER else scratch.piece)
    return float(scratch.own[kind, taker])


@kernel
def review(weights: Record, scratch: Record, kind: int) -> None:
    """Score a race anew, after a change of stocks or of the pieces on its District."""
    run(weights, scratch, kind)
    appraise(scratch, kind)


@kernel
def value(weights: Record, scratch: Row, observation: Row, out: Row) -> None:
    """Write win shares, own seat first: a softmax of the totals, the surer the fewer rounds are left."""
    own = scratch[0]
    unpack(observation, own)
    foresee(weights, own)
    players = int(own.players)
    scale = weights.certainty / math.sqrt(1.0 + own.to_come / int(own.visits))
    best = own.total[0]
    for seat in range(1, players):
        best = max(best, own.total[seat])
    everyone = 0.0
    for seat in range(players):
        out[seat] = math.exp(scale * (own.total[seat] - best))
        everyone += out[seat]
    for seat in range(players):
        out[seat] /= everyone
