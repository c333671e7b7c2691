"""The path (5.2, 5.3, 6.1 - 6.3, 7.2): where a card leads and whether it may be played, gaps, which tile a pawn takes.

Sets of spaces are bitboards in an int64: bit s is space s. 53 bits leave room, so no shift here overflows.

A card may be played if its chain can be finished and paid (5.1, 5.5), exactly. It leads to one space, which shows the
card's object; so a chain is an ascending set of occupied spaces and a target, at most 2**(3n - 1) sets. Hands are
packed, four bits an object, and the search keeps its path in integers.
"""

from __future__ import annotations

from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.state import NONE
from atlantis_envs.kernels.kernel import kernel


@kernel
def next_space(state: Record, x: int, thing: int) -> int:
    """Return the lowest space above x whose top shows the object, or the mainland: next(x, o) (5.2)."""
    ahead = int(state.boards[thing]) >> (x + 1)
    if ahead == 0:
        return data.MAINLAND
    return x + 1 + lowest(ahead)


@kernel
def toll_between(state: Record, start: int, target: int) -> int:
    """Return the price of all gaps between two places that have no water under them: toll(a, y) (6.3)."""
    return int(state.toll[target + 1]) - int(state.toll[start + 1])


@kernel
def occupied_spaces(rules: Record, state: Record) -> int:
    """Return the spaces with a pawn (5.3); the chosen pawn's own changes nothing, since cards lead ahead."""
    board = 0
    for seat in range(int(rules.players)):
        for pawn in range(data.NUM_PAWNS):
            place = int(state.pawns[seat, pawn])
            if place >= 0 and place < data.NUM_SPACES:
                board |= 1 << place
    return board


@kernel
def survey(state: Record) -> None:
    """Work out tolls, open gaps and bridges that are out, after every change of the path (6.1, 6.2, 6.10)."""
    tops = 0
    for thing in range(data.NUM_OBJECTS):
        tops |= int(state.boards[thing])
    bridges, inside = int(state.bridges), 0
    total, gaps, done = 0, 0, 0
    starts = ~tops & tops << 1  # first spaces of all runs without tiles, the one behind the highest tile included
    while starts != 0:
        first = lowest(starts)
        starts &= starts - 1
        ahead = tops >> first
        if ahead == 0:
            inside = (1 << first) - (tops & -tops)
        else:
            behind = first + lowest(ahead)
            if bridges >> first & (1 << (behind - first)) - 1 == 0:
                gaps |= 1 << first
                for place in range(done, behind + 1):
                    state.toll[place] = total
                done = behind + 1
                total += min(int(state.worth[first - 1]), int(state.worth[behind]))
    for place in range(done, data.NUM_SPACES + 2):
        state.toll[place] = total
    state.gaps = gaps
    state.bridges = bridges & inside


@kernel
def forget_survey(state: Record) -> None:
    """Clear tolls and gaps: while a tile is being turned up the path is incomplete and costs nothing."""
    for place in range(data.NUM_SPACES + 2):
        state.toll[place] = 0
    state.gaps = 0


@kernel
def side_of(space: int) -> int:
    """Return the side of a space: 0 for A, 1 for B (10.1)."""
    return 1 if space > data.STRAIT else 0


@kernel
def put_top(state: Record, space: int, tile: int) -> None:
    """Take a tile out of the bag of its side and make it the top of a space (C2, C5)."""
    state.bag[side_of(space), tile] -= 1
    thing = tile // data.NUM_VALUES
    state.kind[space] = thing + 1
    state.worth[space] = tile % data.NUM_VALUES + 1
    state.boards[thing] = int(state.boards[thing]) | 1 << space


@kernel
def lift_top(state: Record, space: int) -> int:
    """Take the top of a space away; return its value."""
    value = int(state.worth[space])
    thing = int(state.kind[space]) - 1
    state.boards[thing] = int(state.boards[thing]) & ~(1 << space)
    state.kind[space] = 0
    state.worth[space] = 0
    return value


@kernel
def tile_behind(state: Record, target: int, occupied: int) -> int:
    """Return the highest space below ``target`` with a tile and no pawn; NONE if there is none (7.2 - 7.4)."""
    space = target - 1
    while space >= 0:
        if state.kind[space] != 0 and occupied >> space & 1 == 0:
            return space
        space -= 1
    return NONE


assert data.NUM_TILES == data.NUM_OBJECTS * data.NUM_VALUES


# -------------------------------------------------------------------------------------------------------------- chains


COUNT_BITS = 4  # a hand holds at most 15 cards of an object
COUNT = 15
SPACE_BITS = 6
SPACE = 63


@kernel
def packed(cards: Row) -> int:
    """Return a multiset of objects in one integer."""
    total = 0
    for thing in range(data.NUM_OBJECTS):
        total |= int(cards[thing]) << COUNT_BITS * thing
    return total


@kernel
def count_of(cards: int, thing: int) -> int:
    """Return how many of an object a packed multiset has."""
    return cards >> COUNT_BITS * thing & COUNT


@kernel
def funds_of(rules: Record, state: Record, seat: int) -> int:
    """Return funds(H, B): collected tiles, and cards that were not bought this turn (5.5)."""
    funds = 0
    for index in range(data.NUM_VALUES):
        funds += (index + 1) * int(state.tiles[seat, index])
    for thing in range(data.NUM_OBJECTS):
        funds += int(state.hand[seat, thing])
    if rules.bought_pay == 0:
        for thing in range(data.NUM_OBJECTS):
            funds -= int(state.bought[thing])
    return funds


@kernel
def bought_of(rules: Record, state: Record) -> int:
    """Return the cards whose play costs no funds, packed: B, or none if bought cards may pay (5.5)."""
    return 0 if rules.bought_pay != 0 else packed(state.bought)


@kernel
def playable(state: Record, x: int, occupied: int, hand: int, bought: int, credit: int, enough: bool) -> int:
    """Return the objects playable at x as bits; if ``enough``, the first found alone (5.5).

    ``credit`` is the funds plus the toll to the pawn's starting place, so that a place is affordable if the toll to
    it from Atlantis is not above the credit. A target that is too dear excludes itself only (5.7). Cards that lead
    to a free place are tried before the others.
    """
    found, leading_on = 0, 0
    for thing in range(data.NUM_OBJECTS):
        if count_of(hand, thing) != 0:
            target = next_space(state, x, thing)
            left = credit if count_of(bought, thing) != 0 else credit - 1
            if int(state.toll[target + 1]) <= left:
                if occupied >> target & 1:
                    leading_on |= 1 << thing
                else:
                    found |= 1 << thing
    if leading_on == 0 or (enough and found != 0):
        return found
    for thing in range(data.NUM_OBJECTS):
        if leading_on >> thing & 1:
            one = 1 << COUNT_BITS * thing
            target = next_space(state, x, thing)
            if count_of(bought, thing) != 0:
                finished = can_finish(state, target, occupied, hand - one, bought - one, credit)
            else:
                finished = can_finish(state, target, occupied, hand - one, bought, credit - 1)
            if finished:
                found |= 1 << thing
                if enough:
                    return found
    return found


@kernel
def can_finish(state: Record, y: int, occupied: int, hand: int, bought: int, credit: int) -> bool:
    """Return ok(y, H, B) for an occupied y: depth-first over the occupied spaces ahead (5.5).

    Tolls only grow along a chain and credit only falls, so a place that is too dear now stays so. The way back is kept
    in two integers: ``trail`` holds the spaces before y, ``spared`` one bit for each card, 1 if a bought one was used.
    At most 11 pawns can stand in the way (5.6), so at most 10 spaces lie on the trail.
    """
    trail, spared, depth, thing = 0, 0, 0, 0
    while True:
        if thing == data.NUM_OBJECTS:
            if depth == 0:
                return False
            depth -= 1
            thing = int(state.kind[y]) - 1
            one = 1 << COUNT_BITS * thing
            hand += one
            if spared & 1:
                bought += one
            else:
                credit += 1
            spared >>= 1
            y = trail & SPACE
            trail >>= SPACE_BITS
        elif count_of(hand, thing) != 0:
            target = next_space(state, y, thing)
            was_bought = count_of(bought, thing) != 0
            left = credit if was_bought else credit - 1
            if int(state.toll[target + 1]) <= left:
                if occupied >> target & 1 == 0:
                    return True
                one = 1 << COUNT_BITS * thing
                hand -= one
                spared <<= 1
                if was_bought:
                    bought -= one
                    spared |= 1
                credit = left
                trail = trail << SPACE_BITS | y
                depth += 1
                y = target
                thing = -1
        thing += 1


@kernel
def playable_now(rules: Record, state: Record, occupied: int) -> int:
    """Return the objects playable at a ``play`` node, as bits (D2)."""
    seat = int(state.seat)
    credit = funds_of(rules, state, seat) + int(state.toll[int(state.pawns[seat, int(state.pawn)]) + 1])
    hand, bought = packed(state.hand[seat]), bought_of(rules, state)
    return playable(state, int(state.x), occupied, hand, bought, credit, False)


@kernel
def choosable(state: Record, pawn: int, occupied: int, hand: int, bought: int, funds: int) -> bool:
    """Tell whether a pawn may be chosen (5.1)."""
    seat = int(state.seat)
    place = int(state.pawns[seat, pawn])
    if place == data.MAINLAND:
        return False
    if place == data.ATLANTIS:
        for lower in range(pawn):
            if state.pawns[seat, lower] == data.ATLANTIS:
                return False
    credit = funds + int(state.toll[place + 1])
    return playable(state, place, occupied, hand, bought, credit, True) != 0
