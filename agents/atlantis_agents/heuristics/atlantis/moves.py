"""What a move is worth: its tile, its toll, its cards, and the gap it leaves for others (5 - 7)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis.scratch import HOME, LONGEST, owes
from atlantis_envs.engine.bits import lowest, size
from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis import data
from atlantis_envs.kernels.kernel import kernel

LOW = -1e9
ALL = LOW * 2.0  # as ``floor``: every score is wanted in full
SLACK = 1e-6  # far above what rounding does to a value, far below what makes a difference
END_CARDS = 4  # drawn by the seat that ends the game (7.6)


@kernel
def next_place(scratch: Record, place: int, thing: int) -> int:
    """Return where a card leads (5.2)."""
    return place + 1 + lowest(int(scratch.boards[thing + 1]) >> (place + 1))


@kernel
def taken_at(scratch: Record, start: int, target: int) -> int:
    """Return the place whose tile a pawn takes that comes from ``start`` to ``target`` (7.2); 0 if there is none."""
    place = int(scratch.free_before[target])
    return max(place, start) if int(scratch.tops) >> start & 1 != 0 else place


@kernel
def rarity_of(weights: Record, scratch: Record, size: int) -> float:
    """Return what any card of a hand of so many is worth above its point; of an empty hand, nothing of use."""
    return scratch.card + weights.scarce / max(1, size)


@kernel
def card_cost(weights: Record, scratch: Record, thing: int, rarity: float) -> float:
    """Return what this card of such a hand is worth to its owner."""
    return 1.0 + scratch.early * (rarity + weights.fit * scratch.fit[thing])


@kernel
def progress(weights: Record, scratch: Record, place: int, target: int) -> float:
    """Return what it is worth to be further on; the first spaces are worth most."""
    first, second = HOME - place, HOME - target
    result = weights.space * (first - second) + weights.behind * (first * first - second * second) / HOME
    if target == HOME:
        result += weights.home * (1.0 - scratch.late)
    return result


@kernel
def survey_gains(scratch: Record) -> None:
    """Find, pawn by pawn, the tile that a card of each object in hand wins at its first landing, less the toll."""
    scratch.seen = 0
    for thing in range(data.NUM_OBJECTS):
        scratch.fit[thing] = 0.0
    for number in range(data.NUM_PAWNS):
        place = int(scratch.pawns[0, number])
        twin = twin_of(scratch, number)
        for index in range(int(scratch.kinds)):
            thing = int(scratch.things[index])
            gain = 0.0
            if twin < number:
                gain = scratch.gain[twin, thing]
            elif place < HOME:
                gain = gain_of(scratch, place, thing)
            scratch.gain[number, thing] = gain
            scratch.fit[thing] = max(scratch.fit[thing], gain)


@kernel
def twin_of(scratch: Record, number: int) -> int:
    """Return the first own pawn that stands where this one stands: all that holds for one holds for the other."""
    for other in range(number):
        if scratch.pawns[0, other] == scratch.pawns[0, number]:
            return other
    return number


@kernel
def gain_of(scratch: Record, place: int, thing: int) -> float:
    """Return the tile one card wins for a pawn, less the toll; nothing on an occupied place."""
    target = next_place(scratch, place, thing)
    space = taken_at(scratch, place, target)
    gain = max(0.0, float(int(scratch.worth[space]) - int(scratch.toll[target]) + int(scratch.toll[place])))
    return 0.0 if int(scratch.occupied) >> target & 1 != 0 else gain


@kernel
def opened(weights: Record, scratch: Record, space: int) -> float:
    """Return by how much the price of the path rises at a place once its top is taken (6.1, 6.2)."""
    bridges = int(scratch.bridges)
    above = int(scratch.tops) >> (space + 1)
    front, back = space, space
    if scratch.before[space] != 0:
        front = int(scratch.before[space])
    if above != 0:
        back = space + 1 + lowest(above)
    worth = int(scratch.worth[space])
    price, before = 0.0, 0.0
    left_free = bridges >> front & (1 << (space - front)) - 1 != 0
    right_free = bridges >> space & (1 << (back - space)) - 1 != 0
    covered = int(scratch.covered) >> space & 1 != 0
    if front < space - 1 and not left_free:
        before += min(worth, int(scratch.worth[front]))
        if covered:
            price += min(weights.under, float(scratch.worth[front]))
    if back > space + 1 and not right_free:
        before += min(worth, int(scratch.worth[back]))
        if covered:
            price += min(weights.under, float(scratch.worth[back]))
    if not covered and front < space and back > space and not left_free and not right_free:
        price = float(min(int(scratch.worth[front]), int(scratch.worth[back])))
    return price - before


@kernel
def own_before(scratch: Record, space: int) -> int:
    """Return how many own pawns have a place still before them."""
    return int(scratch.own_waiting) + size(int(scratch.own_at) & (1 << space) - 1)


@kernel
def others_before(scratch: Record, space: int) -> int:
    """Return how many pawns of the opponents have a place still before them."""
    return int(scratch.others_waiting) + size(int(scratch.others_at) & (1 << space) - 1)


@kernel
def still_to_pay(scratch: Record, seat: int, space: int) -> int:
    """Return how many pawns of a seat would owe a place still before them if the game ended now (8.3)."""
    count = 0
    for number in range(data.NUM_PAWNS):
        place = int(scratch.pawns[seat, number])
        if place < space and (place > 0 or scratch.start_pays != 0):
            count += 1
    return count


@kernel
def outlook(scratch: Record, target: int) -> float:
    """Return the best tile that the cards left could win next time, for a pawn then at ``target`` or another."""
    if target < HOME and int(scratch.seen) >> target & 1 == 0:
        scratch.seen |= 1 << target
        for index in range(int(scratch.kinds)):
            thing = int(scratch.things[index])
            scratch.next_gain[target, thing] = gain_of(scratch, target, thing)
    best = 0.0
    for index in range(int(scratch.kinds)):
        thing = int(scratch.things[index])
        gain = float(scratch.rest[thing])
        if target < HOME:
            gain = max(gain, float(scratch.next_gain[target, thing]))
        best = max(best, gain if scratch.hand[thing] > 0 else 0.0)
    return best


@kernel
def move_value(weights: Record, scratch: Record, number: int, target: int, cost: float, cards: int) -> float:
    """Return what an own pawn on a free place or at home is worth, its tile taken and the toll paid."""
    start = int(scratch.pawns[0, number])
    space = taken_at(scratch, start, target)
    toll = int(scratch.toll[target]) - int(scratch.toll[start])
    worth = int(scratch.worth[space])
    if target == HOME and int(scratch.home) == data.NUM_PAWNS - 1:
        rise = opened(weights, scratch, space) if space > 0 else 0.0
        return ending_value(weights, scratch, worth - toll - cards, rise, space)
    own = own_before(scratch, space) - (1 if start < space else 0)
    others = others_before(scratch, space)
    value = worth - cost - toll * (1.0 - scratch.debt)
    ahead = progress(weights, scratch, start, target) + weights.stand * int(scratch.worth[target])
    share = weights.outlook * (1.0 - scratch.late)
    most_outlook = share * data.NUM_VALUES
    gap = scratch.rival * others - scratch.debt * own
    most = (
        value
        + ahead
        + most_outlook
        + (gap * max(float(data.NUM_VALUES), 2.0 * weights.under) if gap > 0.0 else -2.0 * gap * worth)
    )
    if most < scratch.floor - SLACK:
        return most
    if space > 0:
        value += opened(weights, scratch, space) * gap
    value += ahead
    if share > 0.0 and value + most_outlook >= scratch.floor:
        value += share * outlook(scratch, target)
    return value


@kernel
def ending_value(weights: Record, scratch: Record, change: int, rise: float, space: int) -> float:
    """Return what it is worth that the own third pawn ends the game: everybody else pays (8.3), and somebody wins."""
    own = int(scratch.owned[0]) + scratch.handicap[0] + change + min(END_CARDS, int(scratch.left) + 1)
    best = LOW
    for seat in range(1, int(scratch.players)):
        owned = int(scratch.owned[seat]) + scratch.handicap[seat]
        best = max(best, owned - owes(scratch, seat) - rise * still_to_pay(scratch, seat, space))
    lead = own - best
    if lead > 0.0:
        return weights.ending + lead
    return lead - weights.ending


@kernel
def try_pawn(weights: Record, scratch: Record, number: int, x: int) -> None:
    """Try all chains of a pawn that stands at x by now: keep the best by first card, and the best of all."""
    for thing in range(data.NUM_OBJECTS):
        scratch.chain[thing] = LOW
    for index in range(int(scratch.kinds)):
        thing = int(scratch.things[index])
        rest = 0.0
        for other in range(data.NUM_PAWNS):
            rest = max(rest, float(scratch.gain[other, thing]) if other != number else 0.0)
        scratch.rest[thing] = rest
    credit = int(scratch.funds) + int(scratch.toll[int(scratch.pawns[0, number])])
    rarity = rarity_of(weights, scratch, int(scratch.hand_size))
    for index in range(int(scratch.kinds)):
        thing = int(scratch.things[index])
        target = next_place(scratch, x, thing)
        if int(scratch.toll[target]) > credit - 1:
            continue
        cost = card_cost(weights, scratch, thing, rarity)
        scratch.hand[thing] -= 1
        if int(scratch.occupied) >> target & 1 == 0:
            note(scratch, number, thing, target, move_value(weights, scratch, number, target, cost, 1))
        else:
            follow(weights, scratch, number, thing, target, cost, credit)
        scratch.hand[thing] += 1


@kernel
def note(scratch: Record, number: int, first: int, target: int, value: float) -> None:
    """Remember a chain that begins with this card and ends at ``target``, if there was none better."""
    if value > scratch.chain[first]:
        scratch.chain[first] = value
    if value > scratch.best:
        scratch.best = value
        scratch.start = int(scratch.pawns[0, number])
        scratch.target = target
        if scratch.floor >= LOW:
            scratch.floor = value


@kernel
def follow(weights: Record, scratch: Record, number: int, first: int, x: int, paid: float, credit: int) -> None:
    """Try all chains of a pawn on an occupied place that its first card led it to (5.3)."""
    depth = 1
    scratch.place[1] = x
    scratch.index[1] = 0
    scratch.cost[1] = paid
    while depth > 0:
        index = int(scratch.index[depth])
        if index == int(scratch.kinds):
            depth -= 1
            if depth > 0:
                scratch.hand[int(scratch.things[int(scratch.index[depth]) - 1])] += 1
            continue
        scratch.index[depth] += 1
        thing = int(scratch.things[index])
        if scratch.hand[thing] == 0:
            continue
        target = next_place(scratch, int(scratch.place[depth]), thing)
        if int(scratch.toll[target]) > credit - depth - 1:
            continue
        cost = scratch.cost[depth] + card_cost(
            weights, scratch, thing, rarity_of(weights, scratch, int(scratch.hand_size) - depth)
        )
        scratch.hand[thing] -= 1
        if int(scratch.occupied) >> target & 1 == 0:
            note(scratch, number, first, target, move_value(weights, scratch, number, target, cost, depth + 1))
            scratch.hand[thing] += 1
        elif depth < LONGEST:
            depth += 1
            scratch.place[depth] = target
            scratch.index[depth] = 0
            scratch.cost[depth] = cost
        else:
            scratch.hand[thing] += 1
