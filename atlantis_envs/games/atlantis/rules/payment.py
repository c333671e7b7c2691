"""Paying a toll item by item (6.5 - 6.7, 9.2) the settlement at the end (8.3 - 8.5), and scores.

Payments need the totals that some of the items can have. Totals 0..191 are bits of four words of 48.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.actions import Act
from atlantis_envs.games.atlantis.rules import path
from atlantis_envs.games.atlantis.state import ITEM_CARD, NONE, Phase
from atlantis_envs.kernels.kernel import kernel

WORD = 48
FULL = (1 << WORD) - 1


@kernel
def unit_totals(count: int, word: int) -> int:
    """Return word ``word`` of the totals 0..count, which ``count`` items of value 1 have."""
    return (1 << min(WORD, max(0, count + 1 - WORD * word))) - 1


@kernel
def with_item(a: int, b: int, c: int, d: int, value: int) -> tuple[int, int, int, int]:
    """Return the totals that are possible once one more item of this value may be given."""
    carried = WORD - value
    return (
        a | a << value & FULL,
        b | b << value & FULL | a >> carried,
        c | c << value & FULL | b >> carried,
        d | d << value & FULL | c >> carried,
    )


@kernel
def has_total(a: int, b: int, c: int, d: int, total: int) -> bool:
    """Tell whether a total is possible."""
    word, bit = total // WORD, total % WORD
    if word == 0:
        return a >> bit & 1 != 0
    if word == 1:
        return b >> bit & 1 != 0
    if word == 2:
        return c >> bit & 1 != 0
    return d >> bit & 1 != 0


@kernel
def cards_left(rules: Record, state: Record, seat: int, thing: int) -> int:
    """Return how many cards of an object may pay (6.6)."""
    if rules.bought_pay != 0:
        return int(state.hand[seat, thing])
    return int(state.hand[seat, thing]) - int(state.bought[thing])


@kernel
def mark_payments(rules: Record, state: Record, mask: Row) -> None:
    """Mark the items that may be given next, from the last in the order on; `done` once nothing is due (9.2)."""
    seat, due, last = int(state.seat), int(state.due), int(state.last)
    if due == 0:
        mask[Act.DONE] = 1
    cards = 0  # that may be given at this item or later
    for thing in range(data.NUM_OBJECTS - 1, -1, -1):
        left = cards_left(rules, state, seat, thing) if ITEM_CARD + thing >= last else 0
        cards += left
        mask[Act.PAY_CARD + thing] = left > 0 and cards >= due
    if last >= ITEM_CARD:
        return
    highest = data.NUM_VALUES if last < 0 else data.NUM_VALUES - last
    a, b, c, d = unit_totals(cards, 0), unit_totals(cards, 1), unit_totals(cards, 2), unit_totals(cards, 3)
    worth = cards
    legal, legal_exactly = 0, 0  # bits: values of tiles
    for value in range(1, highest + 1):
        left = int(state.tiles[seat, value - 1])
        worth += value * left
        if left > 0 and worth >= due:
            legal |= 1 << value
        if rules.exact_first != 0:
            useful = min(left, due // value)  # an exact payment holds no more of them
            for _ in range(useful - 1):
                a, b, c, d = with_item(a, b, c, d, value)
            if useful > 0:
                if has_total(a, b, c, d, due - value):
                    legal_exactly |= 1 << value
                a, b, c, d = with_item(a, b, c, d, value)
    if rules.exact_first != 0 and has_total(a, b, c, d, due):
        legal = legal_exactly
    for value in range(1, highest + 1):
        mask[Act.PAY_TILE + value] = legal >> value & 1


@kernel
def more_to_give(rules: Record, state: Record) -> bool:
    """Tell whether an item is left that the order of the payment still allows (9.2)."""
    seat, last = int(state.seat), int(state.last)
    for thing in range(data.NUM_OBJECTS):
        if ITEM_CARD + thing >= last and cards_left(rules, state, seat, thing) > 0:
            return True
    for value in range(1, data.NUM_VALUES + 1):
        if data.NUM_VALUES - value >= last and state.tiles[seat, value - 1] > 0:
            return True
    return False


@kernel
def owned(state: Record, seat: int) -> int:
    """Return the value of all collected tiles and cards of the hand: T (8.4)."""
    total = 0
    for thing in range(data.NUM_OBJECTS):
        total += int(state.hand[seat, thing])
    for index in range(data.NUM_VALUES):
        total += (index + 1) * int(state.tiles[seat, index])
    return total


@kernel
def handicap(rules: Record, state: Record, seat: int) -> int:
    """Return the half points that a seat began with, 0 before the first seat is drawn (13.4)."""
    if rules.has_handicap == 0 or state.first == NONE:
        return 0
    return int(rules.handicap[(seat - int(state.first)) % int(rules.players)])


@kernel
def settlement(rules: Record, state: Record, seat: int) -> int:
    """Return the score of a seat at the end (8.3 - 8.6, 13.4)."""
    cost, points = 0, handicap(rules, state, seat) // 2
    for pawn in range(data.NUM_PAWNS):
        place = int(state.pawns[seat, pawn])
        if place != data.ATLANTIS or rules.start_pawns_pay != 0:
            cost += path.toll_between(state, place, data.MAINLAND)
    total = owned(state, seat)
    if total < cost or rules.subtract != 0:
        return total - cost + points
    return total - least_payment(state, seat, cost) + points


@kernel
def least_payment(state: Record, seat: int, cost: int) -> int:
    """Return the least total >= ``cost`` of some tiles and cards; the seat owns enough (8.4).

    Large costs are first made small. Take, among the cheapest payments, the one with the most 7s, of these the one with
    the most 6s, and so on. If it leaves at least v - 1 items of value v, it has fewer than v items below v: among v of
    them some would total a multiple of v, at most v - 1 times v, and could be exchanged for items of value v. So it has
    all but v - 2 of these items, or more than cost - above - (v - 1)**2 points of them, where ``above`` is the total of
    the higher items; that many may be given without a question. What is left to pay is then below 113, the sum of
    v (v - 1) over all v, plus 1.
    """
    given, above = 0, 0
    kept = 0  # how many of each value are still to be looked at, 8 bits each
    for value in range(data.NUM_VALUES, 0, -1):
        count = int(state.tiles[seat, value - 1])
        if value == 1:
            for thing in range(data.NUM_OBJECTS):
                count += int(state.hand[seat, thing])
        sure = max(0, min(count - (value - 1), (cost - given - above - (value - 1) * (value - 1)) // value))
        given += sure * value
        above += (count - sure) * value
        kept |= (count - sure) << 8 * (value - 1)
    cost -= given
    units = kept & 255
    a, b, c, d = unit_totals(units, 0), unit_totals(units, 1), unit_totals(units, 2), unit_totals(units, 3)
    for value in range(2, data.NUM_VALUES + 1):
        for _ in range(min(kept >> 8 * (value - 1) & 255, cost // value + 1)):
            a, b, c, d = with_item(a, b, c, d, value)
    while not has_total(a, b, c, d, cost):
        cost += 1
    return given + cost


assert data.MAX_TOLL < 4 * WORD


# ----------------------------------------------------------------------------------------- scores and returns (8.7, 12)


@kernel
def scores(rules: Record, state: Record, out: Row) -> None:
    """Write the final scores; before the end what each seat owns, T of 8.4, with its handicap (13.4)."""
    for seat in range(int(rules.players)):
        so_far = owned(state, seat) + handicap(rules, state, seat) // 2
        out[seat] = state.final[seat] if state.phase == Phase.OVER else so_far


@kernel
def standing(rules: Record, state: Record, seat: int) -> int:
    """Return twice the final score, and 1 for a half point: who has most wins (8.7, 13.4)."""
    return 2 * int(state.final[seat]) + handicap(rules, state, seat) % 2


@kernel
def returns(rules: Record, state: Record, out: Row) -> None:
    """Write the shared victory rescaled to sum to zero: (n w - 1) / (n - 1), w = 1/k for k winners (8.7, 12.2)."""
    players = int(rules.players)
    best = standing(rules, state, 0)
    winners = 0
    for seat in range(players):
        score = standing(rules, state, seat)
        if score > best:
            best, winners = score, 1
        elif score == best:
            winners += 1
    for seat in range(players):
        share = 1.0 / winners if standing(rules, state, seat) == best else 0.0
        out[seat] = (players * share - 1.0) / (players - 1)
