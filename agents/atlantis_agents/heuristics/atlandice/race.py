"""What stocks are worth: every type is a race for its next scoring (7, 8.4, 13), seen from each participant."""

from __future__ import annotations

import math

from atlantis_agents.heuristics.atlandice.weights import GRAIN, NOW
from atlantis_agents.heuristics.atlandice.work import GIVER
from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.data import (
    FAR,
    FINAL_FIRST_POINTS,
    FINAL_SECOND_POINTS,
    INVENTORY_POINTS,
    MAX_PARTICIPANTS,
    NUM_TYPES,
    SPACE_DONATION,
    SPACE_TOTAL,
)

FIRST = float(FINAL_FIRST_POINTS)  # a tile is worth the same (2.4)
SECOND = float(FINAL_SECOND_POINTS)
NOBODY = -1


@kernel
def race(weights: Record, work: Record, kind: int, holder: int, change: int, level: int, prize: float) -> None:
    """Expected points of every participant when a type is scored, into ``work.change``.

    ``holder`` is thought to own ``change`` pieces more. Being first or tied for first pays ``prize``, being second
    below a sole first pays SECOND. Each piece of lead multiplies the odds; level NOW gives the exact rule (7.4, 13.1).
    """
    count = int(work.participants)
    most = 0
    for place in range(count):
        number = int(work.stock[place, kind]) + (change if place == holder else 0)
        most = max(most, number)
    total = 0.0
    for place in range(count):
        number = int(work.stock[place, kind]) + (change if place == holder else 0)
        power = weights.odds[level, most - number]
        work.power[place] = power
        total += power
    tie = weights.tie_odds[level]
    for place in range(count):
        power = work.power[place]
        expected = prize * power / (power + tie * (total - power))
        for other in range(count):
            if other != place:
                above = work.power[other]
                sole = above * tie / (above * tie + total - above)
                expected += SECOND * sole * power / (power + tie * (total - power - above))
        if int(work.stock[place, kind]) + (change if place == holder else 0) == 0:
            expected *= max(float(work.unranked), weights.entry_odds[level])
        work.change[place] = expected


@kernel
def foresee(weights: Record, work: Record) -> None:
    """How soon every race is scored, what it pays, what it is worth now, and who rivals whom."""
    rounds = max(0.0, (int(work.to_end) - 1.0) / weights.pace)
    work.to_come = int(work.visits) * (rounds + 1.0) - int(work.visit)
    for kind in range(NUM_TYPES):
        work.level[kind] = level_with(weights, work, kind, int(work.pieces[kind]))
        work.prize[kind] = FIRST + INVENTORY_POINTS * reached(weights, work, kind)
        for place in range(MAX_PARTICIPANTS):
            work.now[kind, place] = 0.0
        if work.live[kind] != 0:
            race(weights, work, kind, NOBODY, 0, int(work.level[kind]), work.prize[kind])
            for place in range(int(work.participants)):
                work.now[kind, place] = work.change[place]
                work.total[place] += work.change[place]
    rank_opponents(weights, work)


@kernel
def level_with(weights: Record, work: Record, kind: int, pieces: int) -> int:
    """How soon a race is scored if the District held so many pieces: when it is emptied, or at the end."""
    until_end = weights.flow * work.to_come + 0.01
    until_empty = pieces + 0.01
    until = until_end * until_empty / math.sqrt(until_end * until_end + until_empty * until_empty)
    return min(NOW - 1, int(GRAIN * until))


@kernel
def reached(weights: Record, work: Record, event: int) -> float:
    """How much the next space of a kind counts: 0 if there is none."""
    distance = int(work.to_event[event])
    if distance >= FAR:
        return 0.0
    return weights.inventory * weights.inventory_fade**distance


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
        work.power[seat] = math.exp(focus * (work.total[seat] - best))
        everyone += work.power[seat]
    for seat in range(players):
        for other in range(players):
            work.rivalry[seat, other] = work.power[other] / (everyone - work.power[seat] + 1e-9)


@kernel
def utility(work: Record, seat: int) -> float:
    """What ``work.change`` means to a seat: its own points less those of its rivals; neutral's do not matter (9.6)."""
    result = work.change[seat]
    for other in range(int(work.players)):
        if other != seat:
            result -= work.rivalry[seat, other] * work.change[other]
    return result


@kernel
def value_pieces(weights: Record, work: Record) -> None:
    """What one more piece of each type means, to the taker and to the own seat, for everybody who may take one."""
    piece = weights.spare if int(work.to_event[SPACE_DONATION]) < FAR else 0.0
    piece += weights.spare_total * reached(weights, work, SPACE_TOTAL)
    for kind in range(NUM_TYPES):
        for place in range(int(work.participants)):
            value_piece(weights, work, place, kind, piece)
            if place < int(work.players):
                work.own[place, kind] = utility(work, place)
                work.mine[place, kind] = utility(work, 0)
            else:
                for seat in range(int(work.players)):
                    work.own[GIVER + seat, kind] = utility(work, seat)
                    work.mine[GIVER + seat, kind] = utility(work, 0)


@kernel
def value_piece(weights: Record, work: Record, place: int, kind: int, piece: float) -> None:
    """Change of everybody's expected points when a participant gets one piece, into ``work.change``."""
    if work.live[kind] == 0:
        for other in range(MAX_PARTICIPANTS):
            work.change[other] = 0.0
        return
    race(weights, work, kind, place, 1, int(work.level[kind]), work.prize[kind])
    for other in range(int(work.participants)):
        work.change[other] -= work.now[kind, other]
    work.change[place] += piece
    for other in range(int(work.participants)):
        work.gain[place, kind, other] = work.change[other]
