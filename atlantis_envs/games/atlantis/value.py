"""How likely each seat is to win from here: a small network over features of the position, for search.

Every seat's features give a number, and the odds are their exponentials. It was fitted to how games end, at the
beginnings of turns: ``python -m benchmarks leaf atlantis`` fits it anew and writes ``value.json``.
"""

from __future__ import annotations

import math

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.network import make_output, read_network
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.rules import path, payment
from atlantis_envs.kernels.kernel import kernel

NUM_FEATURES = 30
WAY = data.NUM_PAWNS * (data.NUM_SPACES + 1)  # of the pawns of a seat, from Atlantis to the mainland
WEALTH, LEAD, TOLL = 60.0, 20.0, 30.0  # points that count as 1: what a seat owns, differences, what it owes


NETWORK = read_network(str(__package__))
_output = make_output(NETWORK)


@kernel
def owes(state: Record, seat: int) -> int:
    """Return what the pawns of a seat would pay to the mainland as the path is now (8.3)."""
    total = 0
    for pawn in range(data.NUM_PAWNS):
        total += path.toll_between(state, int(state.pawns[seat, pawn]), data.MAINLAND)
    return total


@kernel
def way_of(state: Record, seat: int) -> int:
    """Return how far the pawns of a seat have come, together."""
    way = 0
    for pawn in range(data.NUM_PAWNS):
        way += int(state.pawns[seat, pawn]) - data.ATLANTIS
    return way


@kernel
def home_of(state: Record, seat: int) -> int:
    """Return how many pawns of a seat are home."""
    count = 0
    for pawn in range(data.NUM_PAWNS):
        count += 1 if int(state.pawns[seat, pawn]) == data.MAINLAND else 0
    return count


@kernel
def gain(state: Record, occupied: int, start: int, thing: int) -> int:
    """Return the tile a pawn wins with one card, less the toll (5.2, 7.2); 0 on an occupied space."""
    target = path.next_space(state, start, thing)
    if target < data.MAINLAND and occupied >> target & 1:
        return 0
    space = target - 1
    while space >= 0 and space != start and (state.worth[space] == 0 or occupied >> space & 1):
        space -= 1
    worth = int(state.worth[space]) if space >= 0 else 0
    return max(0, worth - path.toll_between(state, start, target))


@kernel
def describe_hand(state: Record, seat: int, occupied: int, out: Row) -> None:
    """Write features 0..5: cards, their kinds, what one of them wins for the best pawns, and twice."""
    cards, kinds, best, second, last = 0, 0, 0, 0, 0
    for thing in range(data.NUM_OBJECTS):
        count = int(state.hand[seat, thing])
        cards += count
        kinds += 1 if count > 0 else 0
    for pawn in range(data.NUM_PAWNS):
        start = int(state.pawns[seat, pawn])
        most = 0
        for thing in range(data.NUM_OBJECTS):
            if start < data.MAINLAND and state.hand[seat, thing] > 0:
                most = max(most, gain(state, occupied, start, thing))
        last = max(last, min(second, most))
        second = max(second, min(best, most))
        best = max(best, most)
    out[0] = cards / 10
    out[1] = min(cards, 4) / 4
    out[2] = kinds / data.NUM_OBJECTS
    out[3] = best / data.NUM_VALUES
    out[4] = second / data.NUM_VALUES
    out[5] = last / data.NUM_VALUES


@kernel
def describe_pawns(state: Record, seat: int, out: Row) -> None:
    """Write features 6..11: places of the pawns, the furthest first, the whole way, pawns home, pawns on Atlantis."""
    first, second, third, waiting = 0, 0, 0, 0
    for pawn in range(data.NUM_PAWNS):
        place = int(state.pawns[seat, pawn]) - data.ATLANTIS
        waiting += 1 if place == 0 else 0
        third = max(third, min(second, place))
        second = max(second, min(first, place))
        first = max(first, place)
    out[6] = first / (data.NUM_SPACES + 1)
    out[7] = second / (data.NUM_SPACES + 1)
    out[8] = third / (data.NUM_SPACES + 1)
    out[9] = (first + second + third) / WAY
    out[10] = home_of(state, seat) / data.NUM_PAWNS
    out[11] = waiting / data.NUM_PAWNS


@kernel
def describe_wealth(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write features 12..23: what the seat owns and owes, and how that compares with the others."""
    players = int(rules.players)
    own, debt = payment.owned(state, seat), owes(state, seat)
    start = payment.handicap(rules, state, seat) / 2
    rich, net, ahead, way, total, debts = -1000.0, -1000.0, 0, 0, 0.0, 0
    for other in range(players):
        if other != seat:
            theirs, due = payment.owned(state, other) + payment.handicap(rules, state, other) / 2, owes(state, other)
            rich, net = max(rich, theirs), max(net, theirs - due)
            ahead, way = max(ahead, home_of(state, other)), max(way, way_of(state, other))
            total += theirs
            debts += due
    out[12] = own / WEALTH
    out[13] = debt / TOLL
    out[14] = (own - debt) / WEALTH
    out[15] = (own + start - rich) / LEAD
    out[16] = (own + start - debt - net) / LEAD
    out[17] = (own + start - total / (players - 1)) / LEAD
    out[18] = (debt - debts / (players - 1)) / TOLL
    out[19] = ahead / data.NUM_PAWNS
    out[20] = way / WAY
    out[21] = (way / WAY) ** 3
    out[22] = out[16] * max(out[21], out[9] ** 3)
    out[23] = out[15] * max(out[21], out[9] ** 3)


@kernel
def features(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write NUM_FEATURES numbers of about -1..1 on a seat into ``out``."""
    players = int(rules.players)
    describe_hand(state, seat, path.occupied_spaces(rules, state), out)
    describe_pawns(state, seat, out)
    describe_wealth(rules, state, seat, out)
    pile = 0
    for thing in range(data.NUM_OBJECTS):
        pile += int(state.pile[thing])
    turn = (seat - int(state.seat)) % players
    out[24] = players / data.MAX_PLAYERS
    out[25] = 1.0 if turn == 0 else 0.0
    out[26] = turn / (players - 1)
    out[27] = 1.0 if state.bridge[seat] != 0 else 0.0
    out[28] = int(state.toll[data.MAINLAND + 1]) / TOLL
    out[29] = pile / data.NUM_CARDS


@kernel
def value(rules: Record, state: Record, out: Row) -> None:
    """Write the win share that each seat may hope for."""
    players = int(rules.players)
    seen = out[data.MAX_PLAYERS :]
    total = 0.0
    for seat in range(players):
        features(rules, state, seat, seen)
        odds = _output(seen[:NUM_FEATURES])
        out[seat] = math.exp(min(30.0, max(-30.0, odds)))
        total += out[seat]
    for seat in range(players):
        out[seat] /= total
