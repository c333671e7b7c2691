"""What a visit is worth to the visitor and to the own seat, and how the rest of a round may go."""

from __future__ import annotations

from atlantis_agents.heuristics.atlandice.race import FIRST, SECOND, race, utility
from atlantis_agents.heuristics.atlandice.weights import NOW
from atlantis_agents.heuristics.atlandice.work import GIVER, MOST_NEEDLES, TAKERS
from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.data import (
    F1,
    F2,
    F3,
    FACES,
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
def second_share(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> float:
    """How many pieces beyond the first a visit is expected to take from its Sector, the submarine's included."""
    share = 0.0
    if int(work.submarine) == sector:
        share = 1.0
    tile = int(work.tile[sector])
    if tile == J1 or tile == F1:
        share += HALF
    elif tile == L3 and ordinal == L3_ORDINAL:
        share += 1.0
    return share


@kernel
def value_visits(weights: Record, work: Record, ordinal: int) -> None:
    """Worth of a visit to each Sector with a die, for everybody."""
    for taker in range(TAKERS):
        seat = seat_of(taker)
        if seat < int(work.players) and (taker < GIVER or int(work.players) == 2):
            for sector in range(NUM_SECTORS):
                if work.live[sector] != 0:
                    value_visit(weights, work, taker, sector, ordinal)
                else:
                    work.visit_own[taker, sector] = 0.0
                    work.visit_mine[taker, sector] = 0.0


@kernel
def value_visit(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> None:
    """Take, bonus and effect, then the District emptied by them."""
    own, mine = 0.0, 0.0
    first = NONE
    if int(work.pieces[sector]) > 0:
        first = best_type(work, taker, sector, NONE)
        own += work.own[taker, first]
        mine += work.mine[taker, first]
    if int(work.pieces[sector]) > 1:
        share = second_share(weights, work, taker, sector, ordinal)
        if share > 0.0:
            second = best_type(work, taker, sector, first)
            if second == first:
                share *= weights.repeat
            own += share * work.own[taker, second]
            mine += share * work.mine[taker, second]
    own_effect, mine_effect = value_effect(weights, work, taker, sector)
    own += own_effect
    mine += mine_effect
    if sector < NUM_DISTRICTS and 0 < int(work.pieces[sector]) <= 2:
        chance = empties(weights, work, taker, sector, ordinal)
        if chance > 0.0:
            value_emptied(weights, work, place_of(work, taker), sector, 1 if first == sector else 0)
            own += chance * utility(work, seat_of(taker))
            mine += chance * utility(work, 0)
    work.visit_own[taker, sector] = own
    work.visit_mine[taker, sector] = mine


@kernel
def empties(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> float:
    """Chance that a visit empties a District that holds one or two pieces (7.2)."""
    if int(work.pieces[sector]) == 1 or int(work.submarine) == sector:
        return 1.0
    tile = int(work.tile[sector])
    if tile == L2 or tile == F2:
        return 1.0
    return second_share(weights, work, taker, sector, ordinal)


@kernel
def value_emptied(weights: Record, work: Record, place: int, district: int, taken: int) -> None:
    """Change of everybody's expected points when a District is scored now, into ``work.change`` (7.3 - 7.5).

    Relative to the race going on with the ``taken`` pieces already counted. The new race begins level for all.
    """
    race(weights, work, district, place, taken, NOW, FIRST)
    for other in range(int(work.participants)):
        work.change[other] -= work.now[district, other]
        if taken > 0:
            work.change[other] -= work.gain[place, district, other]


@kernel
def value_effect(weights: Record, work: Record, taker: int, sector: int) -> tuple[float, float]:
    """Worth of a tile's effect to the visitor and to the own seat, apart from further pieces of the same Sector."""
    tile = int(work.tile[sector])
    if tile == NONE:
        return 0.0, 0.0
    own, mine = 0.0, 0.0
    if tile == L1 or tile == F3 or tile == J3:
        return value_elsewhere(work, taker, tile)
    seat = seat_of(taker)
    if tile == J2:
        own = weights.effect_J2
    elif tile == L2:
        own = weights.effect_L2
    elif tile == I2:
        own = weights.effect_I2
    elif tile == I3:
        own = weights.effect_I3
    elif tile == M1 or tile == M2 or tile == M3:
        own = weights.effect_M
    elif tile == F2:
        own = weights.effect_F2
    elif tile == I1:
        own = TWO_THIRDS * weights.lead_pace * lead(work, seat)
        mine = TWO_THIRDS * weights.lead_pace * lead(work, 0)
        return own, mine
    mine = own if seat == 0 else -work.rivalry[0, seat] * own
    return own, mine


@kernel
def value_elsewhere(work: Record, taker: int, tile: int) -> tuple[float, float]:
    """A piece from another Sector, where a roll allows it: L1, F3, J3."""
    own, mine, best = 0.0, 0.0, LOW
    for sector in range(NUM_SECTORS):
        if int(work.pieces[sector]) == 0 or (tile == F3 and sector != MARKET):
            continue
        if tile == L1 and (sector == LIBRARY or sector == MARKET):
            continue
        kind = best_type(work, taker, sector, NONE)
        if tile == J3:
            own += SIXTH * work.own[taker, kind]
            mine += SIXTH * work.mine[taker, kind]
        elif work.own[taker, kind] > best:
            best = work.own[taker, kind]
            own, mine = best, work.mine[taker, kind]
    chance = THIRD if tile == L1 else SIXTH
    return chance * own, chance * mine


@kernel
def lead(work: Record, seat: int) -> float:
    """Expected points ahead of the rivals."""
    result = work.total[seat]
    for other in range(int(work.players)):
        if other != seat:
            result -= work.rivalry[seat, other] * work.total[other]
    return result


# ---------------------------------------------------------------------------------------------------------- clock


@kernel
def value_clock(weights: Record, work: Record) -> None:
    """What the hand's move by 1..3 spaces means to every seat (8.1 - 8.5)."""
    for needles in range(1, MOST_NEEDLES):
        for place in range(int(work.participants)):
            work.change[place] = 0.0
        if needles >= int(work.to_end):
            value_end(weights, work)
        else:
            value_events(weights, work, needles)
        pace = 0.0 if needles >= int(work.to_end) else weights.lead_pace * needles
        for seat in range(int(work.players)):
            work.clock_own[seat, needles] = utility(work, seat) + pace * lead(work, seat)
        work.clock_mine[needles] = work.clock_own[0, needles]


@kernel
def value_end(weights: Record, work: Record) -> None:
    """The final scoring instead of the expected one (13.1), into ``work.change``."""
    for place in range(int(work.participants)):
        work.sum[place] = 0.0
    for kind in range(NUM_TYPES):
        if work.live[kind] != 0:
            race(weights, work, kind, NONE, 0, NOW, FIRST)
            for place in range(int(work.participants)):
                work.sum[place] += work.change[place] - work.now[kind, place]
    for place in range(int(work.participants)):
        work.change[place] = work.sum[place]


@kernel
def value_events(weights: Record, work: Record, needles: int) -> None:
    """The Inventory or Donation on the space where the hand stops, into ``work.change``."""
    for kind in range(NUM_TYPES):
        if int(work.to_event[kind]) == needles and work.live[kind] != 0:
            best = 1
            for place in range(int(work.participants)):
                best = max(best, int(work.stock[place, kind]))
            for place in range(int(work.participants)):
                if int(work.stock[place, kind]) == best:
                    work.change[place] += INVENTORY_POINTS
    if int(work.to_event[SPACE_TOTAL]) == needles:
        best = 1
        for place in range(int(work.participants)):
            best = max(best, owned(work, place))
        for place in range(int(work.participants)):
            if owned(work, place) == best:
                work.change[place] += INVENTORY_POINTS
    if int(work.to_event[SPACE_DONATION]) == needles:
        for place in range(int(work.players)):
            work.change[place] += weights.donation_now * owned(work, place)


@kernel
def owned(work: Record, place: int) -> int:
    """Pieces of all types a participant owns."""
    count = 0
    for kind in range(NUM_TYPES):
        count += int(work.stock[place, kind])
    return count


# ---------------------------------------------------------------------------------------------------------- draft


@kernel
def begin_draft(work: Record) -> None:
    """The dice and the gifts as they are."""
    for sector in range(NUM_SECTORS):
        work.left[sector] = int(work.dice[sector])
    for seat in range(int(work.players)):
        work.gave[seat] = int(work.given[seat])


@kernel
def draft(work: Record, visit: int) -> float:
    """Utility to the own seat of the rest of the round from a visit on, if every seat takes what it likes best.

    Uses up ``work.left`` and ``work.gave``.
    """
    result = 0.0
    for later in range(visit, int(work.visits)):
        taker, sector = favourite(work, seat_at(work, later), later)
        result += work.visit_mine[taker, sector]
        work.left[sector] -= 1
        if taker >= GIVER:
            work.gave[seat_of(taker)] = 1
    return result + work.clock_mine[last_needles(work, NONE)]


@kernel
def favourite(work: Record, seat: int, visit: int) -> tuple[int, int]:
    """The taker and the Sector a seat likes best at a visit; the last one also thinks of the Clock."""
    last = visit == int(work.visits) - 1
    best, best_taker, best_sector = LOW, seat, MARKET
    may_give = int(work.players) == 2 and work.gave[seat] == 0
    must_give = may_give and visit + 2 >= int(work.visits)
    for sector in range(NUM_SECTORS):
        if int(work.left[sector]) == 0:
            continue
        clock = work.clock_own[seat, last_needles(work, sector)] if last else 0.0
        if not must_give and work.visit_own[seat, sector] + clock > best:
            best, best_taker, best_sector = work.visit_own[seat, sector] + clock, seat, sector
        if may_give and work.visit_own[GIVER + seat, sector] + clock > best:
            best, best_taker, best_sector = work.visit_own[GIVER + seat, sector] + clock, GIVER + seat, sector
    return best_taker, best_sector


@kernel
def last_needles(work: Record, taken: int) -> int:
    """Needles of the die that is left when one of ``taken`` is gone (8.1)."""
    for sector in range(NUM_SECTORS):
        if int(work.left[sector]) - (1 if sector == taken else 0) > 0:
            return int(work.needles[sector])
    return int(work.needles[MARKET])


assert SECOND == 1.0 and FACES == 6
