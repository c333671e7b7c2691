"""What a move is worth: its tile, its toll, its cards, and the gap it leaves for others (5 - 7)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis.work import HOME, LONGEST, owes
from atlantis_envs.engine.bits import lowest, size
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis.data import NUM_OBJECTS, NUM_PAWNS, NUM_VALUES

LOW = -1e9
ALL = LOW * 2.0  # as ``floor``: every score is wanted in full
SLACK = 1e-6  # far above what rounding does to a value, far below what makes a difference
END_CARDS = 4  # drawn by the seat that ends the game (7.6)


@kernel
def next_place(work: Record, place: int, thing: int) -> int:
    """Where a card leads (5.2)."""
    return place + 1 + lowest(int(work.boards[thing + 1]) >> (place + 1))


@kernel
def taken_at(work: Record, start: int, target: int) -> int:
    """The place whose tile a pawn takes that comes from ``start`` to ``target`` (7.2); 0 if there is none."""
    place = int(work.free_before[target])
    return max(place, start) if int(work.tops) >> start & 1 != 0 else place


@kernel
def rarity_of(weights: Record, work: Record, size: int) -> float:
    """What any card of a hand of so many is worth above its point; of an empty hand, a number that nobody uses."""
    return work.card + weights.scarce / max(1, size)


@kernel
def card_cost(weights: Record, work: Record, thing: int, rarity: float) -> float:
    """What this card of such a hand is worth to its owner."""
    return 1.0 + work.early * (rarity + weights.fit * work.fit[thing])


@kernel
def progress(weights: Record, work: Record, place: int, target: int) -> float:
    """What it is worth to be further on; the first spaces are worth most."""
    first, second = HOME - place, HOME - target
    result = weights.space * (first - second) + weights.behind * (first * first - second * second) / HOME
    if target == HOME:
        result += weights.home * (1.0 - work.late)
    return result


@kernel
def survey_gains(work: Record) -> None:
    """Pawn by pawn the tile one card of each object in hand wins at its first landing, less the toll."""
    work.seen = 0
    for thing in range(NUM_OBJECTS):
        work.fit[thing] = 0.0
    for number in range(NUM_PAWNS):
        place = int(work.pawns[0, number])
        twin = twin_of(work, number)
        for index in range(int(work.kinds)):
            thing = int(work.things[index])
            gain = 0.0
            if twin < number:
                gain = work.gain[twin, thing]
            elif place < HOME:
                gain = gain_of(work, place, thing)
            work.gain[number, thing] = gain
            work.fit[thing] = max(work.fit[thing], gain)


@kernel
def twin_of(work: Record, number: int) -> int:
    """The first own pawn that stands where this one stands: all that holds for one holds for the other."""
    for other in range(number):
        if work.pawns[0, other] == work.pawns[0, number]:
            return other
    return number


@kernel
def gain_of(work: Record, place: int, thing: int) -> float:
    """The tile one card wins for a pawn, less the toll; nothing on an occupied place."""
    target = next_place(work, place, thing)
    space = taken_at(work, place, target)
    gain = max(0.0, float(int(work.worth[space]) - int(work.toll[target]) + int(work.toll[place])))
    return 0.0 if int(work.occupied) >> target & 1 != 0 else gain


@kernel
def opened(weights: Record, work: Record, space: int) -> float:
    """By how much the price of the path rises at a place once its top is taken (6.1, 6.2)."""
    bridges = int(work.bridges)
    above = int(work.tops) >> (space + 1)
    front, back = space, space
    if work.before[space] != 0:
        front = int(work.before[space])
    if above != 0:
        back = space + 1 + lowest(above)
    worth = int(work.worth[space])
    price, before = 0.0, 0.0
    left_free = bridges >> front & (1 << (space - front)) - 1 != 0
    right_free = bridges >> space & (1 << (back - space)) - 1 != 0
    covered = int(work.covered) >> space & 1 != 0
    if front < space - 1 and not left_free:
        before += min(worth, int(work.worth[front]))
        if covered:
            price += min(weights.under, float(work.worth[front]))
    if back > space + 1 and not right_free:
        before += min(worth, int(work.worth[back]))
        if covered:
            price += min(weights.under, float(work.worth[back]))
    if not covered and front < space and back > space and not left_free and not right_free:
        price = float(min(int(work.worth[front]), int(work.worth[back])))
    return price - before


@kernel
def own_before(work: Record, space: int) -> int:
    """How many own pawns have a place still before them."""
    return int(work.own_waiting) + size(int(work.own_at) & (1 << space) - 1)


@kernel
def others_before(work: Record, space: int) -> int:
    """How many pawns of the opponents have a place still before them."""
    return int(work.others_waiting) + size(int(work.others_at) & (1 << space) - 1)


@kernel
def still_to_pay(work: Record, seat: int, space: int) -> int:
    """How many pawns of a seat would owe a place still before them if the game ended now (8.3)."""
    count = 0
    for number in range(NUM_PAWNS):
        place = int(work.pawns[seat, number])
        if place < space and (place > 0 or work.start_pays != 0):
            count += 1
    return count


@kernel
def outlook(work: Record, target: int) -> float:
    """The best tile the cards that are left could win next time, for a pawn then at ``target`` or another one."""
    if target < HOME and int(work.seen) >> target & 1 == 0:
        work.seen |= 1 << target
        for index in range(int(work.kinds)):
            thing = int(work.things[index])
            work.next_gain[target, thing] = gain_of(work, target, thing)
    best = 0.0
    for index in range(int(work.kinds)):
        thing = int(work.things[index])
        gain = float(work.rest[thing])
        if target < HOME:
            gain = max(gain, float(work.next_gain[target, thing]))
        best = max(best, gain if work.hand[thing] > 0 else 0.0)
    return best


@kernel
def move_value(weights: Record, work: Record, number: int, target: int, cost: float, cards: int) -> float:
    """A pawn of the own seat on a free place or at home, its tile taken and the toll paid."""
    start = int(work.pawns[0, number])
    space = taken_at(work, start, target)
    toll = int(work.toll[target]) - int(work.toll[start])
    worth = int(work.worth[space])
    if target == HOME and int(work.home) == NUM_PAWNS - 1:
        rise = opened(weights, work, space) if space > 0 else 0.0
        return ending_value(weights, work, worth - toll - cards, rise, space)
    own = own_before(work, space) - (1 if start < space else 0)
    others = others_before(work, space)
    value = worth - cost - toll * (1.0 - work.debt)
    ahead = progress(weights, work, start, target) + weights.stand * int(work.worth[target])
    share = weights.outlook * (1.0 - work.late)
    most_outlook = share * NUM_VALUES
    gap = work.rival * others - work.debt * own
    most = (
        value
        + ahead
        + most_outlook
        + (gap * max(float(NUM_VALUES), 2.0 * weights.under) if gap > 0.0 else -2.0 * gap * worth)
    )
    if most < work.floor - SLACK:
        return most
    if space > 0:
        value += opened(weights, work, space) * gap
    value += ahead
    if share > 0.0 and value + most_outlook >= work.floor:
        value += share * outlook(work, target)
    return value


@kernel
def ending_value(weights: Record, work: Record, change: int, rise: float, space: int) -> float:
    """The game ended by the own third pawn: everybody else pays (8.3), and somebody wins."""
    own = float(int(work.owned[0]) + change + min(END_CARDS, int(work.left) + 1))
    best = LOW
    for seat in range(1, int(work.players)):
        best = max(best, int(work.owned[seat]) - owes(work, seat) - rise * still_to_pay(work, seat, space))
    lead = own - best
    if lead > 0.0:
        return weights.ending + lead
    return lead - weights.ending


@kernel
def try_pawn(weights: Record, work: Record, number: int, x: int) -> None:
    """All chains of a pawn that stands at x by now: the best by first card, and the best of all."""
    for thing in range(NUM_OBJECTS):
        work.chain[thing] = LOW
    for index in range(int(work.kinds)):
        thing = int(work.things[index])
        rest = 0.0
        for other in range(NUM_PAWNS):
            rest = max(rest, float(work.gain[other, thing]) if other != number else 0.0)
        work.rest[thing] = rest
    credit = int(work.funds) + int(work.toll[int(work.pawns[0, number])])
    rarity = rarity_of(weights, work, int(work.hand_size))
    for index in range(int(work.kinds)):
        thing = int(work.things[index])
        target = next_place(work, x, thing)
        if int(work.toll[target]) > credit - 1:
            continue
        cost = card_cost(weights, work, thing, rarity)
        work.hand[thing] -= 1
        if int(work.occupied) >> target & 1 == 0:
            note(work, number, thing, target, move_value(weights, work, number, target, cost, 1))
        else:
            follow(weights, work, number, thing, target, cost, credit)
        work.hand[thing] += 1


@kernel
def note(work: Record, number: int, first: int, target: int, value: float) -> None:
    """A chain that begins with this card ends at ``target``: remember it if there was none better."""
    if value > work.chain[first]:
        work.chain[first] = value
    if value > work.best:
        work.best = value
        work.start = int(work.pawns[0, number])
        work.target = target
        if work.floor >= LOW:
            work.floor = value


@kernel
def follow(weights: Record, work: Record, number: int, first: int, x: int, paid: float, credit: int) -> None:
    """All chains of a pawn on an occupied place that its first card led it to (5.3)."""
    depth = 1
    work.place[1] = x
    work.index[1] = 0
    work.cost[1] = paid
    while depth > 0:
        index = int(work.index[depth])
        if index == int(work.kinds):
            depth -= 1
            if depth > 0:
                work.hand[int(work.things[int(work.index[depth]) - 1])] += 1
            continue
        work.index[depth] += 1
        thing = int(work.things[index])
        if work.hand[thing] == 0:
            continue
        target = next_place(work, int(work.place[depth]), thing)
        if int(work.toll[target]) > credit - depth - 1:
            continue
        cost = work.cost[depth] + card_cost(weights, work, thing, rarity_of(weights, work, int(work.hand_size) - depth))
        work.hand[thing] -= 1
        if int(work.occupied) >> target & 1 == 0:
            note(work, number, first, target, move_value(weights, work, number, target, cost, depth + 1))
            work.hand[thing] += 1
        elif depth < LONGEST:
            depth += 1
            work.place[depth] = target
            work.index[depth] = 0
            work.cost[depth] = cost
        else:
            work.hand[thing] += 1
