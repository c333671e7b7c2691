"""Trying things out: visits as they are likely to go, to the end of the round, and what the table is worth then."""

from __future__ import annotations

import math

from atlantis_agents.heuristics.atlandice.race import FIRST, SECOND, appraise, level_of, race, review, utility
from atlantis_agents.heuristics.atlandice.weights import CERTAIN, NOW
from atlantis_agents.heuristics.atlandice.work import GIVER, MOST_NEEDLES
from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.data import (
    F1,
    F2,
    F3,
    I1,
    I2,
    I3,
    INVENTORY_POINTS,
    J1,
    J2,
    J3,
    L1,
    L2,
    L3,
    L3_ORDINAL,
    LIBRARY,
    M1,
    M2,
    M3,
    MARKET,
    NUM_DISTRICTS,
    NUM_SECTORS,
    NUM_TYPES,
    SPACE_DONATION,
    SPACE_TOTAL,
)
from atlantis_envs.games.atlandice.state import NONE

LOW = -1e9
HALF = 1.0 / 2.0  # J1, F1 (2.3)
THIRD = 1.0 / 3.0  # L1
SIXTH = 1.0 / 6.0  # J3, F3
TWO_THIRDS = 2.0 / 3.0  # I1


@kernel
def seat_of(taker: int) -> int:
    """The seat that makes a taker's visits."""
    return taker - GIVER if taker >= GIVER else taker


@kernel
def place_of(work: Record, taker: int) -> int:
    """The participant that gets a taker's pieces: neutral comes after the seats."""
    return int(work.players) if taker >= GIVER else taker


@kernel
def seat_at(work: Record, visit: int) -> int:
    """The seat that makes a visit of this round (5.1)."""
    return (int(work.first) + visit) % int(work.players)


@kernel
def side(work: Record, seat: int) -> float:
    """What a point of a seat means to the own seat."""
    return 1.0 if seat == 0 else -work.rivalry[0, seat]


@kernel
def ordinal_at(work: Record, visit: int) -> int:
    """The how-manieth die its seat takes (5.1)."""
    return visit // int(work.players) + 1


# --------------------------------------------------------------------------------------------------- one visit


@kernel
def best_type(work: Record, taker: int, sector: int, without: int) -> int:
    """The type a taker likes best on a Sector from which one piece of ``without`` is gone; NONE if it is empty."""
    best = LOW
    found = NONE
    for kind in range(NUM_TYPES):
        number = int(work.resources[sector, kind]) - (1 if kind == without else 0)
        if number > 0 and work.own[taker, kind] > best:
            best = work.own[taker, kind]
            found = kind
    return found


@kernel
def chance_of_extra(work: Record, sector: int, ordinal: int) -> float:
    """Chance that the effect gives one more piece of the Sector: J1, F1, L3."""
    tile = int(work.tile[sector])
    if tile == J1 or tile == F1:
        return HALF
    if tile == L3 and ordinal == L3_ORDINAL:
        return 1.0
    return 0.0


@kernel
def likes(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> float:
    """What a visit means to the visitor: take, bonus, effect, and the District emptied by them."""
    result = value_effect(weights, work, taker, sector)
    pieces = int(work.pieces[sector])
    if pieces == 0:
        return result
    first = best_type(work, taker, sector, NONE)
    result += work.own[taker, first]
    more = chance_of_extra(work, sector, ordinal) + (1.0 if int(work.submarine) == sector else 0.0)
    if pieces > 1 and more > 0.0:
        second = best_type(work, taker, sector, first)
        result += more * work.own[taker, second] * (weights.repeat if second == first else 1.0)
    if sector != MARKET and pieces <= 2:
        tile = int(work.tile[sector])
        chance = 1.0 if pieces == 1 or tile == L2 or tile == F2 else min(1.0, more)
        if chance > 0.0:
            taken = 1 if first == sector else 0
            value_scoring(weights, work, place_of(work, taker), sector, taken)
            result += chance * (utility(work, seat_of(taker)) - weights.empty)
            if taken > 0:
                result -= chance * work.own[taker, sector]
    return result


@kernel
def value_scoring(weights: Record, work: Record, place: int, district: int, taken: int) -> None:
    """Change of everybody's expected points when a District is scored now, into ``work.change`` (7.3 - 7.5).

    ``place`` is thought to own ``taken`` more pieces. The next race begins level for all.
    """
    race(weights, work, district, place, taken, NOW, FIRST, SECOND)
    for other in range(int(work.participants)):
        work.change[other] -= work.now[district, other] + work.piece * max(0, int(work.stock[other, district]))


@kernel
def value_effect(weights: Record, work: Record, taker: int, sector: int) -> float:
    """What a tile's effect means to the visitor, apart from further pieces of the same Sector."""
    tile = int(work.tile[sector])
    if tile == NONE or tile == J1 or tile == F1 or tile == L3:
        return 0.0
    if tile == L1 or tile == F3 or tile == J3:
        return value_elsewhere(work, taker, tile)
    if tile == I1:
        return TWO_THIRDS * weights.lead_pace * lead(work, seat_of(taker))
    if tile == J2:
        return weights.effect_J2
    if tile == L2:
        return weights.effect_L2
    if tile == I2:
        return weights.effect_I2
    if tile == I3:
        return weights.effect_I3
    if tile == F2:
        return weights.effect_F2
    return weights.effect_M


@kernel
def value_elsewhere(work: Record, taker: int, tile: int) -> float:
    """A piece from another Sector, where a roll allows it: L1, F3, J3."""
    result, best = 0.0, 0.0
    for sector in range(NUM_SECTORS):
        if int(work.pieces[sector]) == 0 or (tile == F3 and sector != MARKET):
            continue
        if tile == L1 and (sector == LIBRARY or sector == MARKET):
            continue
        value = work.own[taker, best_type(work, taker, sector, NONE)]
        result += value
        best = max(best, value)
    if tile == J3:
        return SIXTH * SIXTH * result
    return (THIRD if tile == L1 else SIXTH) * best


@kernel
def lead(work: Record, seat: int) -> float:
    """Expected points ahead of the rivals."""
    result = work.total[seat]
    for other in range(int(work.players)):
        if other != seat:
            result -= work.rivalry[seat, other] * work.total[other]
    return result


# ---------------------------------------------------------------------------------------------------- trying out


@kernel
def take(weights: Record, work: Record, taker: int, sector: int, kind: int, more: bool) -> None:
    """One piece goes from a Sector to a taker's stock; ``more``: the taker may take another in this visit."""
    place = place_of(work, taker)
    work.stock[place, kind] += 1
    work.purse[place] += work.piece
    work.resources[sector, kind] -= 1
    work.pieces[sector] -= 1
    visit = int(work.visit) + (0 if more else 1)
    renew(weights, work, kind, visit)
    if sector != MARKET and sector != kind:
        renew(weights, work, sector, visit)


@kernel
def renew(weights: Record, work: Record, kind: int, visit: int) -> None:
    """A race, and what its pieces mean from a visit on, after a change."""
    review(weights, work, kind)
    appraise(weights, work, kind, visit)


@kernel
def shift(weights: Record, work: Record, sector: int, kind: int, change: int) -> None:
    """One piece is laid on a Sector (1) or leaves it (-1)."""
    work.resources[sector, kind] += change
    work.pieces[sector] += change
    if sector != MARKET:
        renew(weights, work, sector, int(work.visit) + 1)


@kernel
def try_visit(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> None:
    """A whole visit, as its seat is likely to make it."""
    work.dice[sector] -= 1
    if int(work.pieces[sector]) > 0:
        more = int(work.submarine) == sector or chance_of_extra(work, sector, ordinal) > 0.0
        take(weights, work, taker, sector, best_type(work, taker, sector, NONE), more)
    try_bonus(weights, work, taker, sector, ordinal)


@kernel
def try_bonus(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> None:
    """A visit from the submarine's bonus on (5.5)."""
    if int(work.submarine) == sector and int(work.pieces[sector]) > 0:
        more = chance_of_extra(work, sector, ordinal) > 0.0
        take(weights, work, taker, sector, best_type(work, taker, sector, NONE), more)
    try_effect(weights, work, taker, sector, ordinal)


@kernel
def try_effect(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> None:
    """A visit from the effect on (5.6); what depends on a roll is counted by its chance and not carried out."""
    tile = int(work.tile[sector])
    seat = seat_of(taker)
    work.purse[seat] += value_effect(weights, work, taker, sector)
    if int(work.pieces[sector]) > 0:
        if tile == J1 or tile == F1:
            try_chance(weights, work, taker, sector)
        elif tile == L3 and ordinal == L3_ORDINAL:
            take(weights, work, taker, sector, best_type(work, taker, sector, NONE), False)
        elif tile == L2 or tile == F2:
            try_move(weights, work, taker, sector, tile)
    if tile == M1 or tile == M2 or tile == M3:
        work.submarine = NONE  # it goes where nobody knows yet
    try_check(weights, work, sector, seat)


@kernel
def try_chance(weights: Record, work: Record, taker: int, sector: int) -> None:
    """J1, F1: half of what one more piece would change."""
    kind = best_type(work, taker, sector, NONE)
    place = place_of(work, taker)
    if int(work.pieces[sector]) == 1:
        value_scoring(weights, work, place, sector, 1 if kind == sector else 0)
        scale = HALF
    elif work.tiles[kind] != 0:
        race(weights, work, kind, place, 1, level_of(weights, work, kind), work.prize[kind], SECOND)
        for other in range(int(work.participants)):
            work.change[other] -= work.now[kind, other]
        work.change[place] += work.piece
        scale = HALF * work.patience
    else:
        return
    for other in range(int(work.participants)):
        work.purse[other] += scale * work.change[other]


@kernel
def try_move(weights: Record, work: Record, taker: int, sector: int, tile: int) -> None:
    """L2, F2: the piece the visitor likes least goes to the market, or to a District that is not next to be visited."""
    if weights.moves == 0:
        return
    least, moved = -LOW, NONE
    for kind in range(NUM_TYPES):
        if int(work.resources[sector, kind]) > 0 and work.own[taker, kind] < least:
            least = work.own[taker, kind]
            moved = kind
    shift(weights, work, sector, moved, -1)
    shift(weights, work, MARKET, moved, 1)


@kernel
def try_check(weights: Record, work: Record, sector: int, seat: int) -> None:
    """The stock check of one District: its points, and a new race in which nobody owns anything (7)."""
    if sector == MARKET or int(work.pieces[sector]) > 0 or work.tiles[sector] == 0:
        return
    race(weights, work, sector, NONE, 0, NOW, FIRST, SECOND)
    for place in range(int(work.participants)):
        work.purse[place] += work.change[place] - work.piece * max(0, int(work.stock[place, sector]))
        work.stock[place, sector] = min(0, int(work.stock[place, sector]))
    work.purse[0] -= (1.0 - work.patience) * work.base[sector]
    work.purse[seat] -= weights.empty
    work.tiles[sector] -= 1
    work.tile[sector] = NONE  # the next one is not known
    work.needles[sector] = 2
    if work.tiles[sector] > 0:
        work.pieces[sector] = int(weights.refill)
        work.resources[sector, sector] = int(weights.refill)
    renew(weights, work, sector, int(work.visit) + 1)


# ---------------------------------------------------------------------------------------------------- rest of the round


@kernel
def try_rest(weights: Record, work: Record) -> float:
    """What the table is worth after the round, if from the present visit on every seat makes the one it likes best.

    A mean over how far the prediction is followed, since each further visit is less sure.
    """
    result, trust = 0.0, 1.0
    while int(work.visit) < int(work.horizon):
        result += trust * (1.0 - weights.trust) * settle(weights, work, 0)
        trust *= weights.trust
        visit = int(work.visit)
        taker, sector = favourite(weights, work, seat_at(work, visit), visit)
        if taker >= GIVER:
            work.given[seat_of(taker)] = 1
        try_visit(weights, work, taker, sector, ordinal_at(work, visit))
        work.visit += 1
    needles = last_needles(work, NONE) if int(work.visit) == int(work.visits) else 0
    return result + trust * settle(weights, work, needles)


@kernel
def favourite(weights: Record, work: Record, seat: int, visit: int) -> tuple[int, int]:
    """The taker and the Sector a seat likes best at a visit; the last one also thinks of the Clock."""
    last = visit == int(work.visits) - 1
    best, best_taker, best_sector = LOW, seat, MARKET
    may_give = int(work.players) == 2 and work.given[seat] == 0
    must_give = may_give and visit + 2 >= int(work.visits)
    ordinal = ordinal_at(work, visit)
    for sector in range(NUM_SECTORS):
        if int(work.dice[sector]) == 0:
            continue
        clock = work.clock[seat, last_needles(work, sector)] if last else 0.0
        if not must_give:
            value = likes(weights, work, seat, sector, ordinal) + clock
            if value > best:
                best, best_taker, best_sector = value, seat, sector
        if may_give:
            value = likes(weights, work, GIVER + seat, sector, ordinal) + clock
            if value > best:
                best, best_taker, best_sector = value, GIVER + seat, sector
    return best_taker, best_sector


@kernel
def last_needles(work: Record, taken: int) -> int:
    """Needles of the die that is left when one of ``taken`` is gone (8.1)."""
    for sector in range(NUM_SECTORS):
        if int(work.dice[sector]) - (1 if sector == taken else 0) > 0:
            return int(work.needles[sector])
    return int(work.needles[MARKET])


# ---------------------------------------------------------------------------------------------------------- clock


@kernel
def settle(weights: Record, work: Record, needles: int) -> float:
    """What the table means to the own seat once the hand has moved (8.1 - 8.5, 13)."""
    for place in range(int(work.participants)):
        work.sum[place] = work.purse[place]
    if needles >= int(work.to_end):
        add_final(weights, work)
        if int(work.to_end) <= weights.endgame:
            return weights.stakes * winning(work, CERTAIN)
    else:
        add_event(weights, work, needles)
        if int(work.to_end) <= weights.endgame:
            for kind in range(NUM_TYPES):
                for place in range(int(work.participants)):
                    work.sum[place] += work.now[kind, place]
            return weights.stakes * winning(work, work.focus)
    result = work.sum[0]
    for other in range(1, int(work.players)):
        result -= work.rivalry[0, other] * work.sum[other]
    if needles < int(work.to_end):
        for kind in range(NUM_TYPES):
            result += work.base[kind] + work.patience * (work.worth[kind] - work.base[kind])
        result += weights.lead_pace * needles * lead(work, 0)
    return result


@kernel
def winning(work: Record, focus: float) -> float:
    """Chance that the own seat wins with the points of ``work.sum`` added to those scored."""
    everyone = 0.0
    for seat in range(int(work.players)):
        ahead = work.scored[seat] + work.sum[seat] - work.scored[0] - work.sum[0]
        everyone += math.exp(min(40.0, focus * ahead))
    return 1.0 / everyone


@kernel
def add_final(weights: Record, work: Record) -> None:
    """The final scoring (13.1), onto ``work.sum``."""
    for kind in range(NUM_TYPES):
        if work.tiles[kind] != 0:
            race(weights, work, kind, NONE, 0, NOW, FIRST, SECOND)
            for place in range(int(work.participants)):
                work.sum[place] += work.change[place]


@kernel
def add_event(weights: Record, work: Record, needles: int) -> None:
    """The Inventory or Donation on the space where the hand stops, onto ``work.sum``."""
    for kind in range(NUM_TYPES):
        distance = int(work.to_event[kind])
        if distance <= needles and work.tiles[kind] != 0:
            # The race counts this Inventory as likely; now it is certain, or over.
            level = level_of(weights, work, kind)
            race(weights, work, kind, NONE, 0, level, weights.reach[distance], 0.0)
            for place in range(int(work.participants)):
                work.sum[place] -= weights.recount * work.change[place]
            if distance == needles:
                race(weights, work, kind, NONE, 0, NOW, 1.0, 0.0)
                for place in range(int(work.participants)):
                    work.sum[place] += work.change[place]
    if int(work.to_event[SPACE_TOTAL]) == needles:
        best = 1
        for place in range(int(work.participants)):
            best = max(best, owned(work, place))
        for place in range(int(work.participants)):
            if owned(work, place) == best:
                work.sum[place] += INVENTORY_POINTS
    if int(work.to_event[SPACE_DONATION]) == needles:
        for place in range(int(work.players)):
            work.sum[place] += weights.donation_now * owned(work, place)


@kernel
def value_clock(weights: Record, work: Record) -> None:
    """What the hand's move by 1..3 spaces means to every seat, as stocks are now."""
    players = int(work.players)
    for needles in range(1, MOST_NEEDLES):
        for place in range(int(work.participants)):
            work.sum[place] = 0.0
        ends = needles >= int(work.to_end)
        if ends:
            add_final(weights, work)
        else:
            add_event(weights, work, needles)
        for seat in range(players):
            for place in range(int(work.participants)):
                work.change[place] = work.sum[place]
                if ends:
                    work.change[place] += work.scored[place] - work.total[place]
            pace = 0.0 if ends else weights.lead_pace * needles * lead(work, seat)
            work.clock[seat, needles] = utility(work, seat) + pace


@kernel
def owned(work: Record, place: int) -> int:
    """Pieces of all types a participant owns."""
    count = 0
    for kind in range(NUM_TYPES):
        count += max(0, int(work.stock[place, kind]))
    return count


assert M1 + M2 + M3 + I2 + J2 > 0 and NUM_DISTRICTS == NUM_TYPES
