"""Trying things out: visits as they are likely to go, to the end of the round, and what the board is worth then."""

from __future__ import annotations

from atlantis_agents.heuristics.atlandice import race
from atlantis_agents.heuristics.atlandice.scratch import GIVER, MOST_NEEDLES
from atlantis_agents.heuristics.atlandice.weights import NOW
from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.data import Sector, Space, Tile
from atlantis_envs.games.atlandice.state import NONE
from atlantis_envs.kernels.kernel import kernel

LOW = -1e9
SEVERAL = -2
HALF = 1.0 / 2.0  # J1, F1 (2.3)
THIRD = 1.0 / 3.0  # L1
SIXTH = 1.0 / 6.0  # J3, F3
TWO_THIRDS = 2.0 / 3.0  # I1


@kernel
def seat_of(taker: int) -> int:
    """Return the seat that makes a taker's visits."""
    return taker - GIVER if taker >= GIVER else taker


@kernel
def place_of(scratch: Record, taker: int) -> int:
    """Return the participant that gets a taker's pieces: neutral comes after the seats."""
    return int(scratch.players) if taker >= GIVER else taker


@kernel
def side(scratch: Record, seat: int) -> float:
    """Return what a point of a seat means to the own seat."""
    return 1.0 if seat == 0 else -scratch.rivalry[0, seat]


@kernel
def ordinal_at(scratch: Record, visit: int) -> int:
    """Return which of its dice a seat takes at a visit: 1 for its first this round (5.1)."""
    return visit // int(scratch.players) + 1


# --------------------------------------------------------------------------------------------------- one visit


@kernel
def best_type(weights: Record, scratch: Record, taker: int, sector: int, without: int) -> int:
    """Return the type a taker likes best on a Sector without one piece of ``without``; NONE if it is empty."""
    only = single_type(scratch, sector, without)
    if only != SEVERAL:
        return only
    best = LOW
    found = NONE
    for kind in range(data.NUM_TYPES):
        number = int(scratch.resources[sector, kind]) - (1 if kind == without else 0)
        if number > 0:
            value = race.own_of(weights, scratch, taker, kind)
            if value > best:
                best, found = value, kind
    return found


@kernel
def single_type(scratch: Record, sector: int, without: int) -> int:
    """Return the one type left on a Sector, which needs no appraisal; NONE if it is empty, SEVERAL for more."""
    found, types = 0, 0
    for kind in range(data.NUM_TYPES):
        if int(scratch.resources[sector, kind]) - (1 if kind == without else 0) > 0:
            found += kind + 1
            types += 1
    return found - 1 if types <= 1 else SEVERAL


@kernel
def chance_of_extra(scratch: Record, sector: int, ordinal: int) -> float:
    """Return the chance that the effect gives one more piece of the Sector: J1, F1, L3."""
    tile = int(scratch.tile[sector])
    if tile == Tile.J1 or tile == Tile.F1:
        return HALF
    if tile == Tile.L3 and ordinal == data.L3_ORDINAL:
        return 1.0
    return 0.0


@kernel
def likes(weights: Record, scratch: Record, taker: int, sector: int, ordinal: int) -> float:
    """Return what a visit means to the visitor: take, bonus, effect, and the District emptied by them."""
    result = value_effect(weights, scratch, taker, sector)
    pieces = int(scratch.pieces[sector])
    if pieces == 0:
        return result
    first = best_type(weights, scratch, taker, sector, NONE)
    result += race.own_of(weights, scratch, taker, first)
    more = chance_of_extra(scratch, sector, ordinal) + (1.0 if int(scratch.submarine) == sector else 0.0)
    if pieces > 1 and more > 0.0:
        second = best_type(weights, scratch, taker, sector, first)
        result += more * race.own_of(weights, scratch, taker, second) * (weights.second if second == first else 1.0)
    if sector != Sector.MARKET and pieces <= 2:
        tile = int(scratch.tile[sector])
        chance = 1.0 if pieces == 1 or tile == Tile.L2 or tile == Tile.F2 else min(1.0, more)
        if chance > 0.0:
            taken = 1 if first == sector else 0
            value_scoring(weights, scratch, place_of(scratch, taker), sector, taken)
            result += chance * race.utility(scratch, seat_of(taker))
            if taken > 0:
                result -= chance * race.own_of(weights, scratch, taker, sector)
    return result


@kernel
def value_scoring(weights: Record, scratch: Record, place: int, district: int, taken: int) -> None:
    """Write how everybody's expected points change when a District is scored now into ``scratch.change`` (7.3 - 7.5).

    ``place`` is thought to own ``taken`` more pieces. The next race begins level for all.
    """
    race.race(weights, scratch, district, place, taken, NOW, race.FIRST)
    for other in range(int(scratch.participants)):
        scratch.change[other] -= scratch.now[district, other]


@kernel
def value_effect(weights: Record, scratch: Record, taker: int, sector: int) -> float:
    """Return what a tile's effect means to the visitor, apart from further pieces of the same Sector."""
    tile = int(scratch.tile[sector])
    if tile == NONE or tile == Tile.J1 or tile == Tile.F1 or tile == Tile.L3:
        return 0.0
    if tile == Tile.L1 or tile == Tile.F3 or tile == Tile.J3:
        return value_elsewhere(weights, scratch, taker, tile)
    if tile == Tile.I1:
        return TWO_THIRDS * weights.lead_pace * lead(scratch, seat_of(taker))
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
def value_elsewhere(weights: Record, scratch: Record, taker: int, tile: int) -> float:
    """Return what a piece from another Sector means, where a roll allows it: L1, F3, J3."""
    result, best = 0.0, 0.0
    for sector in range(data.NUM_SECTORS):
        if int(scratch.pieces[sector]) == 0 or (tile == Tile.F3 and sector != Sector.MARKET):
            continue
        if tile == Tile.L1 and (sector == Sector.LIBRARY or sector == Sector.MARKET):
            continue
        value = race.own_of(weights, scratch, taker, best_type(weights, scratch, taker, sector, NONE))
        result += value
        best = max(best, value)
    if tile == Tile.J3:
        return SIXTH * SIXTH * result
    return (THIRD if tile == Tile.L1 else SIXTH) * best


@kernel
def lead(scratch: Record, seat: int) -> float:
    """Return the expected points ahead of the rivals."""
    result = scratch.total[seat]
    for other in range(int(scratch.players)):
        if other != seat:
            result -= scratch.rivalry[seat, other] * scratch.total[other]
    return result


# ---------------------------------------------------------------------------------------------------- trying out


@kernel
def take(weights: Record, scratch: Record, taker: int, sector: int, kind: int) -> None:
    """Move one piece from a Sector to a taker's stock."""
    place = place_of(scratch, taker)
    scratch.stock[place, kind] += 1
    if place < int(scratch.players):
        scratch.bank += scratch.piece * side(scratch, place)
    if kind != sector:  # else lifting it does that
        race.review(weights, scratch, kind)
    lift(weights, scratch, sector, kind)


@kernel
def lift(weights: Record, scratch: Record, sector: int, kind: int) -> None:
    """Remove one piece from a Sector."""
    scratch.places |= 1 << sector
    scratch.resources[sector, kind] -= 1
    scratch.pieces[sector] -= 1
    if sector != Sector.MARKET:
        race.review(weights, scratch, sector)


@kernel
def lay(weights: Record, scratch: Record, sector: int, kind: int) -> None:
    """Lay one piece on a Sector."""
    scratch.places |= 1 << sector
    scratch.resources[sector, kind] += 1
    scratch.pieces[sector] += 1
    if sector != Sector.MARKET:
        race.review(weights, scratch, sector)


@kernel
def try_visit(weights: Record, scratch: Record, taker: int, sector: int, ordinal: int) -> None:
    """Play a whole visit, as its seat is likely to make it."""
    scratch.places |= 1 << sector
    scratch.dice[sector] -= 1
    if int(scratch.pieces[sector]) > 0:
        take(weights, scratch, taker, sector, best_type(weights, scratch, taker, sector, NONE))
    try_bonus(weights, scratch, taker, sector, ordinal)


@kernel
def try_bonus(weights: Record, scratch: Record, taker: int, sector: int, ordinal: int) -> None:
    """Play a visit from the submarine's bonus on (5.5)."""
    if int(scratch.submarine) == sector and int(scratch.pieces[sector]) > 0:
        take(weights, scratch, taker, sector, best_type(weights, scratch, taker, sector, NONE))
    try_effect(weights, scratch, taker, sector, ordinal)


@kernel
def try_effect(weights: Record, scratch: Record, taker: int, sector: int, ordinal: int) -> None:
    """Play a visit from the effect on (5.6); what depends on a roll is counted by its chance and not carried out."""
    chance = chance_of_extra(scratch, sector, ordinal)
    seat = seat_of(taker)
    if chance > 0.0 and int(scratch.pieces[sector]) > 0:
        kind = best_type(weights, scratch, taker, sector, NONE)
        if chance == 1.0:
            take(weights, scratch, taker, sector, kind)
        else:
            scratch.bank += chance * mean_to_me(weights, scratch, taker, kind)
            if int(scratch.pieces[sector]) == 1:
                value_scoring(weights, scratch, place_of(scratch, taker), sector, 1 if kind == sector else 0)
                scratch.bank += chance * race.utility(scratch, 0)
                if kind == sector:
                    scratch.bank -= chance * mean_to_me(weights, scratch, taker, kind)
    scratch.bank += side(scratch, seat) * value_effect(weights, scratch, taker, sector)
    try_check(weights, scratch, sector)


@kernel
def mean_to_me(weights: Record, scratch: Record, taker: int, kind: int) -> float:
    """Return what a taker's next piece of a type means to the own seat."""
    if seat_of(taker) == 0:
        return race.own_of(weights, scratch, taker, kind)
    return side(scratch, seat_of(taker)) * race.own_of(weights, scratch, taker, kind)


@kernel
def try_check(weights: Record, scratch: Record, sector: int) -> None:
    """Score one District in its stock check, and begin a new race in which nobody owns anything (7)."""
    if sector == Sector.MARKET or int(scratch.pieces[sector]) > 0 or scratch.tiles[sector] == 0:
        return
    race.race(weights, scratch, sector, NONE, 0, NOW, race.FIRST)
    scratch.bank += race.utility(scratch, 0)
    scratch.places |= 1 << sector
    scratch.tiles[sector] -= 1
    for place in range(int(scratch.participants)):
        scratch.stock[place, sector] = min(0, int(scratch.stock[place, sector]))
    if scratch.tiles[sector] > 0:
        scratch.pieces[sector] = int(weights.refill)
        scratch.resources[sector, sector] = int(weights.refill)
    race.review(weights, scratch, sector)


# ---------------------------------------------------------------------------------------------------- rest of the round


@kernel
def try_rest(weights: Record, scratch: Record, visit: int) -> float:
    """Return what the table is worth after the round, if from a visit on every seat makes the visit it likes best."""
    if weights.draft == 0.0:
        return value_table(weights, scratch, 0 if visit < int(scratch.visits) else last_needles(scratch, NONE))
    stop = min(int(scratch.visits), visit + int(weights.draft))
    result, trust = 0.0, 1.0
    for later in range(visit, stop):
        if weights.trust < 1.0:
            result += trust * (1.0 - weights.trust) * value_table(weights, scratch, 0)
            trust *= weights.trust
        taker, sector = best_visit(weights, scratch, (int(scratch.first) + later) % int(scratch.players), later)
        if taker >= GIVER:
            scratch.given[seat_of(taker)] = 1
        try_visit(weights, scratch, taker, sector, ordinal_at(scratch, later))
    if stop < int(scratch.visits):
        return result + trust * value_table(weights, scratch, 0)
    return result + trust * value_table(weights, scratch, last_needles(scratch, NONE))


@kernel
def best_visit(weights: Record, scratch: Record, seat: int, visit: int) -> tuple[int, int]:
    """Return the taker and the Sector a seat likes best at a visit; the last one also thinks of the Clock."""
    last = visit == int(scratch.visits) - 1
    best, best_taker, best_sector = LOW, seat, int(Sector.MARKET)
    may_give = int(scratch.players) == 2 and scratch.given[seat] == 0
    must_give = may_give and visit + 2 >= int(scratch.visits)
    ordinal = ordinal_at(scratch, visit)
    for sector in range(data.NUM_SECTORS):
        if int(scratch.dice[sector]) == 0:
            continue
        clock = scratch.clock[seat, last_needles(scratch, sector)] if last else 0.0
        if not must_give:
            value = likes(weights, scratch, seat, sector, ordinal) + clock
            if value > best:
                best, best_taker, best_sector = value, seat, sector
        if may_give:
            value = likes(weights, scratch, GIVER + seat, sector, ordinal) + clock
            if value > best:
                best, best_taker, best_sector = value, GIVER + seat, sector
    return best_taker, best_sector


@kernel
def last_needles(scratch: Record, taken: int) -> int:
    """Return the needles of the die that is left when one of ``taken`` is gone (8.1)."""
    for sector in range(data.NUM_SECTORS):
        if int(scratch.dice[sector]) - (1 if sector == taken else 0) > 0:
            return int(scratch.needles[sector])
    return int(scratch.needles[Sector.MARKET])


# ---------------------------------------------------------------------------------------------------------- clock


@kernel
def value_table(weights: Record, scratch: Record, needles: int) -> float:
    """Return what the table means to the own seat once the hand has moved (8.1 - 8.5, 13)."""
    result = scratch.bank
    if needles >= int(scratch.to_end):
        return result + final_utility(weights, scratch, 0)
    for kind in range(data.NUM_TYPES):
        result += scratch.worth[kind]
    if needles == 0 and scratch.to_event[Space.TOTAL] != 0 and scratch.to_event[Space.DONATION] != 0:
        return result  # the hand stays where it is
    return result + event_utility(weights, scratch, needles, 0)


@kernel
def final_utility(weights: Record, scratch: Record, seat: int) -> float:
    """Return what the final scoring means to a seat (13.1)."""
    result = 0.0
    for kind in range(data.NUM_TYPES):
        if scratch.tiles[kind] != 0:
            race.race(weights, scratch, kind, NONE, 0, NOW, race.FIRST)
            result += race.utility(scratch, seat)
    return result


@kernel
def event_utility(weights: Record, scratch: Record, needles: int, seat: int) -> float:
    """Return what the space where the hand stops means, by Inventory or Donation, and the pace of the game."""
    result = weights.lead_pace * needles * lead(scratch, seat)
    for kind in range(data.NUM_TYPES):
        distance = int(scratch.to_event[kind])
        if 0 < distance <= needles and scratch.tiles[kind] != 0:
            # The race counts this Inventory as likely; now it is certain, or over.
            race.race(weights, scratch, kind, NONE, 0, NOW, 1.0)
            exact = race.utility(scratch, seat) if distance == needles else 0.0
            result += exact
    if int(scratch.to_event[Space.TOTAL]) == needles:
        best = 1
        for place in range(int(scratch.participants)):
            best = max(best, owned(scratch, place))
        for place in range(int(scratch.participants)):
            scratch.change[place] = 1.0 if owned(scratch, place) == best else 0.0
        result += data.INVENTORY_POINTS * race.utility(scratch, seat)
    if int(scratch.to_event[Space.DONATION]) == needles:
        for place in range(int(scratch.participants)):
            scratch.change[place] = weights.donation_now * owned(scratch, place)
        result += race.utility(scratch, seat)
    return result


@kernel
def value_clock(weights: Record, scratch: Record) -> None:
    """Find out what the hand's move by 1..3 spaces means to every seat, as stocks are now."""
    for seat in range(int(scratch.players)):
        worth = 0.0
        for kind in range(data.NUM_TYPES):
            worth += scratch.now[kind, seat]
            for other in range(int(scratch.players)):
                if other != seat:
                    worth -= scratch.rivalry[seat, other] * scratch.now[kind, other]
        for needles in range(1, MOST_NEEDLES):
            if needles >= int(scratch.to_end):
                scratch.clock[seat, needles] = final_utility(weights, scratch, seat) - worth
            else:
                scratch.clock[seat, needles] = event_utility(weights, scratch, needles, seat)


@kernel
def owned(scratch: Record, place: int) -> int:
    """Return how many pieces of all types a participant owns."""
    count = 0
    for kind in range(data.NUM_TYPES):
        count += max(0, int(scratch.stock[place, kind]))
    return count
