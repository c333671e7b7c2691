"""The path: where a card leads, what gaps cost, which tile a pawn takes (5.2, 5.3, 6.1 - 6.3, 7.2).

Sets of spaces are bitboards in an int64: bit s is space s. 53 bits leave room, so no shift here overflows.
"""

from __future__ import annotations

from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import Record
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
