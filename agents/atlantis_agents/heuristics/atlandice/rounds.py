"""Trying things out: visits as they are likely to go, to the end of the round, and what the board is worth then."""

from __future__ import annotations

from atlantis_agents.heuristics.atlandice.race import FIRST, own_of, race, review, utility
from atlantis_agents.heuristics.atlandice.weights import NOW
from atlantis_agents.heuristics.atlandice.work import GIVER, MOST_NEEDLES
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.data import (
    INVENTORY_POINTS,
    L3_ORDINAL,
    NUM_DISTRICTS,
    NUM_SECTORS,
    NUM_TYPES,
    Sector,
    Space,
    Tile,
)
from atlantis_envs.games.atlandice.state import NONE

LOW = -1e9
SEVERAL = -2
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
    """Which of its dice a seat takes at a visit: 1 for its first this round (5.1)."""
    return visit // int(work.players) + 1


# --------------------------------------------------------------------------------------------------- one visit


@kernel
def best_type(weights: Record, work: Record, taker: int, sector: int, without: int) -> int:
    """The type a taker likes best on a Sector from which one piece of ``without`` is gone; NONE if it is empty."""
    only = single_type(work, sector, without)
    if only != SEVERAL:
        return only
    best = LOW
    found = NONE
    for kind in range(NUM_TYPES):
        number = int(work.resources[sector, kind]) - (1 if kind == without else 0)
        if number > 0:
            value = own_of(weights, work, taker, kind)
            if value > best:
                best, found = value, kind
    return found


@kernel
def single_type(work: Record, sector: int, without: int) -> int:
    """The one type left on a Sector, which then needs no appraisal; NONE if it is empty, SEVERAL if there are more."""
    found, types = 0, 0
    for kind in range(NUM_TYPES):
        if int(work.resources[sector, kind]) - (1 if kind == without else 0) > 0:
            found += kind + 1
            types += 1
    return found - 1 if types <= 1 else SEVERAL


@kernel
def chance_of_extra(work: Record, sector: int, ordinal: int) -> float:
    """Chance that the effect gives one more piece of the Sector: J1, F1, L3."""
    tile = int(work.tile[sector])
    if tile == Tile.J1 or tile == Tile.F1:
        return HALF
    if tile == Tile.L3 and ordinal == L3_ORDINAL:
        return 1.0
    return 0.0


@kernel
def likes(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> float:
    """What a visit means to the visitor: take, bonus, effect, and the District emptied by them."""
    result = value_effect(weights, work, taker, sector)
    pieces = int(work.pieces[sector])
    if pieces == 0:
        return result
    first = best_type(weights, work, taker, sector, NONE)
    result += own_of(weights, work, taker, first)
    more = chance_of_extra(work, sector, ordinal) + (1.0 if int(work.submarine) == sector else 0.0)
    if pieces > 1 and more > 0.0:
        second = best_type(weights, work, taker, sector, first)
        result += more * own_of(weights, work, taker, second) * (weights.second if second == first else 1.0)
    if sector != Sector.MARKET and pieces <= 2:
        tile = int(work.tile[sector])
        chance = 1.0 if pieces == 1 or tile == Tile.L2 or tile == Tile.F2 else min(1.0, more)
        if chance > 0.0:
            taken = 1 if first == sector else 0
            value_scoring(weights, work, place_of(work, taker), sector, taken)
            result += chance * utility(work, seat_of(taker))
            if taken > 0:
                result -= chance * own_of(weights, work, taker, sector)
    return result


@kernel
def value_scoring(weights: Record, work: Record, place: int, district: int, taken: int) -> None:
    """Change of everybody's expected points when a District is scored now, into ``work.change`` (7.3 - 7.5).

    ``place`` is thought to own ``taken`` more pieces. The next race begins level for all.
    """
    race(weights, work, district, place, taken, NOW, FIRST)
    for other in range(int(work.participants)):
        work.change[other] -= work.now[district, other]


@kernel
def value_effect(weights: Record, work: Record, taker: int, sector: int) -> float:
    """What a tile's effect means to the visitor, apart from further pieces of the same Sector."""
    tile = int(work.tile[sector])
    if tile == NONE or tile == Tile.J1 or tile == Tile.F1 or tile == Tile.L3:
        return 0.0
    if tile == Tile.L1 or tile == Tile.F3 or tile == Tile.J3:
        return value_elsewhere(weights, work, taker, tile)
    if tile == Tile.I1:
        return TWO_THIRDS * weights.lead_pace * lead(work, seat_of(taker))
    if tile == Tile.J2:
        return weights.effect_J2
    if tile == Tile.L2:
        return weights.effect_L2
    if tile == Tile.I2:
        return weights.effect_I2
    if tile == Tile.I3:
        return weights.effect_I3
    if tile == Tile.F2:
        return weights.effect_F2
    return weights.effect_M


@kernel
def value_elsewhere(weights: Record, work: Record, taker: int, tile: int) -> float:
    """A piece from another Sector, where a roll allows it: L1, F3, J3."""
    result, best = 0.0, 0.0
    for sector in range(NUM_SECTORS):
        if int(work.pieces[sector]) == 0 or (tile == Tile.F3 and sector != Sector.MARKET):
            continue
        if tile == Tile.L1 and (sector == Sector.LIBRARY or sector == Sector.MARKET):
            continue
        value = own_of(weights, work, taker, best_type(weights, work, taker, sector, NONE))
        result += value
        best = max(best, value)
    if tile == Tile.J3:
        return SIXTH * SIXTH * result
    return (THIRD if tile == Tile.L1 else SIXTH) * best


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
def take(weights: Record, work: Record, taker: int, sector: int, kind: int) -> None:
    """One piece goes from a Sector to a taker's stock."""
    place = place_of(work, taker)
    work.stock[place, kind] += 1
    if place < int(work.players):
        work.bank += work.piece * side(work, place)
    if kind != sector:  # else lifting it does that
        review(weights, work, kind)
    lift(weights, work, sector, kind)


@kernel
def lift(weights: Record, work: Record, sector: int, kind: int) -> None:
    """One piece leaves a Sector."""
    work.places |= 1 << sector
    work.resources[sector, kind] -= 1
    work.pieces[sector] -= 1
    if sector != Sector.MARKET:
        review(weights, work, sector)


@kernel
def lay(weights: Record, work: Record, sector: int, kind: int) -> None:
    """One piece is laid on a Sector."""
    work.places |= 1 << sector
    work.resources[sector, kind] += 1
    work.pieces[sector] += 1
    if sector != Sector.MARKET:
        review(weights, work, sector)


@kernel
def try_visit(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> None:
    """A whole visit, as its seat is likely to make it."""
    work.places |= 1 << sector
    work.dice[sector] -= 1
    if int(work.pieces[sector]) > 0:
        take(weights, work, taker, sector, best_type(weights, work, taker, sector, NONE))
    try_bonus(weights, work, taker, sector, ordinal)


@kernel
def try_bonus(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> None:
    """A visit from the submarine's bonus on (5.5)."""
    if int(work.submarine) == sector and int(work.pieces[sector]) > 0:
        take(weights, work, taker, sector, best_type(weights, work, taker, sector, NONE))
    try_effect(weights, work, taker, sector, ordinal)


@kernel
def try_effect(weights: Record, work: Record, taker: int, sector: int, ordinal: int) -> None:
    """A visit from the effect on (5.6); what depends on a roll is counted by its chance and not carried out."""
    chance = chance_of_extra(work, sector, ordinal)
    seat = seat_of(taker)
    if chance > 0.0 and int(work.pieces[sector]) > 0:
        kind = best_type(weights, work, taker, sector, NONE)
        if chance == 1.0:
            take(weights, work, taker, sector, kind)
        else:
            work.bank += chance * mean_to_me(weights, work, taker, kind)
            if int(work.pieces[sector]) == 1:
                value_scoring(weights, work, place_of(work, taker), sector, 1 if kind == sector else 0)
                work.bank += chance * utility(work, 0)
                if kind == sector:
                    work.bank -= chance * mean_to_me(weights, work, taker, kind)
    work.bank += side(work, seat) * value_effect(weights, work, taker, sector)
    try_check(weights, work, sector)


@kernel
def mean_to_me(weights: Record, work: Record, taker: int, kind: int) -> float:
    """What a taker's next piece of a type means to the own seat."""
    if seat_of(taker) == 0:
        return own_of(weights, work, taker, kind)
    return side(work, seat_of(taker)) * own_of(weights, work, taker, kind)


@kernel
def try_check(weights: Record, work: Record, sector: int) -> None:
    """The stock check of one District: its points, and a new race in which nobody owns anything (7)."""
    if sector == Sector.MARKET or int(work.pieces[sector]) > 0 or work.tiles[sector] == 0:
        return
    race(weights, work, sector, NONE, 0, NOW, FIRST)
    work.bank += utility(work, 0)
    work.places |= 1 << sector
    work.tiles[sector] -= 1
    for place in range(int(work.participants)):
        work.stock[place, sector] = min(0, int(work.stock[place, sector]))
    if work.tiles[sector] > 0:
        work.pieces[sector] = int(weights.refill)
        work.resources[sector, sector] = int(weights.refill)
    review(weights, work, sector)


# ---------------------------------------------------------------------------------------------------- rest of the round


@kernel
def try_rest(weights: Record, work: Record, visit: int) -> float:
    """What the table is worth after the round, if from a visit on every seat makes the visit it likes best."""
    if weights.draft == 0.0:
        return settle(weights, work, 0 if visit < int(work.visits) else last_needles(work, NONE))
    stop = min(int(work.visits), visit + int(weights.draft))
    result, trust = 0.0, 1.0
    for later in range(visit, stop):
        if weights.trust < 1.0:
            result += trust * (1.0 - weights.trust) * settle(weights, work, 0)
            trust *= weights.trust
        taker, sector = favourite(weights, work, seat_at(work, later), later)
        if taker >= GIVER:
            work.given[seat_of(taker)] = 1
        try_visit(weights, work, taker, sector, ordinal_at(work, later))
    if stop < int(work.visits):
        return result + trust * settle(weights, work, 0)
    return result + trust * settle(weights, work, last_needles(work, NONE))


@kernel
def favourite(weights: Record, work: Record, seat: int, visit: int) -> tuple[int, int]:
    """The taker and the Sector a seat likes best at a visit; the last one also thinks of the Clock."""
    last = visit == int(work.visits) - 1
    best, best_taker, best_sector = LOW, seat, int(Sector.MARKET)
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
    return int(work.needles[Sector.MARKET])


# ---------------------------------------------------------------------------------------------------------- clock


@kernel
def settle(weights: Record, work: Record, needles: int) -> float:
    """What the table means to the own seat once the hand has moved (8.1 - 8.5, 13)."""
    result = work.bank
    if needles >= int(work.to_end):
        return result + final_utility(weights, work, 0)
    for kind in range(NUM_TYPES):
        result += work.worth[kind]
    if needles == 0 and work.to_event[Space.TOTAL] != 0 and work.to_event[Space.DONATION] != 0:
        return result  # the hand stays where it is
    return result + event_utility(weights, work, needles, 0)


@kernel
def final_utility(weights: Record, work: Record, seat: int) -> float:
    """The final scoring (13.1)."""
    result = 0.0
    for kind in range(NUM_TYPES):
        if work.tiles[kind] != 0:
            race(weights, work, kind, NONE, 0, NOW, FIRST)
            result += utility(work, seat)
    return result


@kernel
def event_utility(weights: Record, work: Record, needles: int, seat: int) -> float:
    """The Inventory or Donation on the space where the hand stops, and the pace of the game."""
    result = weights.lead_pace * needles * lead(work, seat)
    for kind in range(NUM_TYPES):
        distance = int(work.to_event[kind])
        if 0 < distance <= needles and work.tiles[kind] != 0:
            # The race counts this Inventory as likely; now it is certain, or over.
            race(weights, work, kind, NONE, 0, NOW, 1.0)
            exact = utility(work, seat) if distance == needles else 0.0
            result += exact
    if int(work.to_event[Space.TOTAL]) == needles:
        best = 1
        for place in range(int(work.participants)):
            best = max(best, owned(work, place))
        for place in range(int(work.participants)):
            work.change[place] = 1.0 if owned(work, place) == best else 0.0
        result += INVENTORY_POINTS * utility(work, seat)
    if int(work.to_event[Space.DONATION]) == needles:
        for place in range(int(work.participants)):
            work.change[place] = weights.donation_now * owned(work, place)
        result += utility(work, seat)
    return result


@kernel
def value_clock(weights: Record, work: Record) -> None:
    """What the hand's move by 1..3 spaces means to every seat, as stocks are now."""
    for seat in range(int(work.players)):
        worth = 0.0
        for kind in range(NUM_TYPES):
            worth += work.now[kind, seat]
            for other in range(int(work.players)):
                if other != seat:
                    worth -= work.rivalry[seat, other] * work.now[kind, other]
        for needles in range(1, MOST_NEEDLES):
            if needles >= int(work.to_end):
                work.clock[seat, needles] = final_utility(weights, work, seat) - worth
            else:
                work.clock[seat, needles] = event_utility(weights, work, needles, seat)


@kernel
def owned(work: Record, place: int) -> int:
    """Pieces of all types a participant owns."""
    count = 0
    for kind in range(NUM_TYPES):
        count += max(0, int(work.stock[place, kind]))
    return count


assert Tile.M1 + Tile.M2 + Tile.M3 + Tile.I2 + Tile.J2 > 0 and NUM_DISTRICTS == NUM_TYPES
