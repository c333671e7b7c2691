"""Atlantis: where every card would take every own pawn, what that wins and costs, and what everybody owns and owes.

The second edition adds what is likely to come: what the own cards are worth next turn (heuristics.atlantis.moves), what
a card would win for every pawn of the others, how likely they hold it, and so which tiles may be gone by then.
"""

from __future__ import annotations

from atlantis_agents.features import MOST, Features, byte
from atlantis_agents.heuristics import which
from atlantis_agents.heuristics.atlantis import moves
from atlantis_agents.heuristics.atlantis.scratch import (
    HOME,
    SCRATCH,
    owes,
    unpack_cards,
    unpack_path,
    unpack_pawns,
)
from atlantis_agents.heuristics.atlantis.weights import make_weights
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.layout import Field, Layout
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.layout import At
from atlantis_envs.games.atlantis.state import Phase
from atlantis_envs.kernels.kernel import kernel

EVEN = 100  # the byte of 0 where numbers may be negative
FINE = 4  # steps of a point in them
NOTHING = EVEN - FINE * 12  # a card that wins nothing at once: it is not in hand, or the space is occupied
MOST_WAY = data.NUM_PAWNS * (data.NUM_SPACES + 1)
CARDS = data.NUM_PAWNS * data.NUM_OBJECTS
LANDING = 8  # numbers that tell of a pawn on its way
RARE = 120  # over the number of cards in hand: what one of them is to its owner

OTHERS = data.MAX_PLAYERS - 1
THREATS = OTHERS * CARDS

FIELDS = (
    Field("target", CARDS, HOME, "own pawn x object -> where one card leads"),
    Field("toll", CARDS, MOST, "own pawn x object -> the toll to there"),
    Field("tile", CARDS, data.NUM_VALUES, "own pawn x object -> the tile it wins"),
    Field("occupied", CARDS, 1, "own pawn x object -> 1: a pawn stands there"),
    Field("gain", CARDS, MOST, "own pawn x object -> tile less toll, with a card in hand and a free space; 100: even"),
    Field("twice", CARDS, MOST, "own pawn x object -> the same of the best second card, where the space is occupied"),
    Field("rise", CARDS, MOST, "own pawn x object -> by how much the path becomes dearer without that tile; 100: even"),
    Field("stand", CARDS, data.NUM_VALUES, "own pawn x object -> the tile the pawn would stand on"),
    Field("best", data.NUM_PAWNS, MOST, "own pawn -> the highest gain of a card in hand"),
    Field("fit", data.NUM_OBJECTS, MOST, "object -> the highest gain of one such card, if it is in hand"),
    Field("fits", 1, MOST, "their sum over all cards in hand"),
    Field("rare", 1, MOST, "120 / cards in hand"),
    Field(
        "landing",
        LANDING,
        MOST,
        "of the chosen pawn: occupied, tile, tile less what is due, own, the tile it stands on, the rise, own pawns "
        "that will pay it, pawns of others",
    ),
    Field("ahead", data.MAX_PLAYERS * data.NUM_PAWNS, MOST, "seat x pawn -> toll to the mainland"),
    Field("under", data.MAX_PLAYERS * data.NUM_PAWNS, data.NUM_VALUES, "seat x pawn -> the tile it stands on"),
    Field("owned", data.MAX_PLAYERS, MOST, "seat -> tiles and cards"),
    Field("debt", data.MAX_PLAYERS, MOST, "seat -> what it would pay at the end"),
    Field("way", data.MAX_PLAYERS, MOST_WAY, "seat -> how far its pawns have come, together"),
    Field("home", data.MAX_PLAYERS, data.NUM_PAWNS, "seat -> pawns at home"),
    Field("lead", 2, MOST, "own points before the best other, with debts and without; 100: even"),
    Field("late", 1, MOST, "how near the end is"),
    Field("late_lead", 1, MOST, "the lead with debts times that; 100: even"),
)
COMING = (
    Field("chain", CARDS, MOST, "own pawn x object -> points of the best move that begins with such a card; 0: none"),
    Field("next", 2, MOST, "the best of all of them, and the best of any other pawn; 0: none"),
    Field("threat", THREATS, MOST, "opponent x pawn x object -> tile less toll with one such card; 100: even"),
    Field("odds", OTHERS * data.NUM_OBJECTS, MOST, "opponent x object -> chance to hold such a card; 255: certain"),
    Field("expected", OTHERS, MOST, "opponent -> the most that one card is expected to win for it, in quarters"),
    Field("danger", CARDS, MOST, "own pawn x object -> chance that others can win the tile of that card first"),
)
LAYOUT = Layout(*FIELDS)
LAYOUT_2 = Layout(*FIELDS, *COMING)
To = LAYOUT_2.starts("To")


@kernel
def signed(points: float) -> int:
    """Return points, which may be negative, as a byte."""
    return byte(EVEN + FINE * points)


@kernel
def describe(weights: Row, scratch: Record, observation: Row, out: Row) -> None:
    """Write all features of an observation."""
    for index in range(len(out)):
        out[index] = 0
    unpack_cards(observation, scratch)
    unpack_pawns(weights[0], observation, scratch)
    unpack_path(observation, scratch)
    chosen = which(observation, At.PAWN, data.NUM_PAWNS)
    for number in range(data.NUM_PAWNS):
        x = int(observation[At.X]) if number == chosen else int(scratch.pawns[0, number])
        describe_pawn(weights[0], scratch, number, x, out)
    describe_hand(scratch, out)
    if chosen >= 0:
        describe_landing(weights[0], scratch, observation, chosen, out)
    describe_seats(scratch, out)


@kernel
def describe_pawn(weights: Record, scratch: Record, number: int, x: int, out: Row) -> None:
    """Write what each card would do for an own pawn that is at x by now."""
    start, best = int(scratch.pawns[0, number]), NOTHING
    for thing in range(data.NUM_OBJECTS):
        at = data.NUM_OBJECTS * number + thing
        gain, twice = NOTHING, NOTHING
        if start < HOME and x < HOME:  # one that has just come home goes nowhere
            target = moves.next_place(scratch, x, thing)
            space = moves.taken_at(scratch, start, target)
            toll = int(scratch.toll[target]) - int(scratch.toll[start])
            occupied = int(scratch.occupied) >> target & 1
            out[To.TARGET + at] = target
            out[To.TOLL + at] = byte(toll)
            out[To.TILE + at] = scratch.worth[space]
            out[To.OCCUPIED + at] = occupied
            out[To.STAND + at] = scratch.worth[target]
            if space > 0:
                out[To.RISE + at] = signed(moves.opened(weights, scratch, space))
            if scratch.hand[thing] > 0:
                if occupied == 0:
                    gain = signed(int(scratch.worth[space]) - toll)
                else:
                    twice = second(scratch, start, thing, target)
        out[To.GAIN + at] = gain
        out[To.TWICE + at] = twice
        best = max(best, gain, twice)
    out[To.BEST + number] = best


@kernel
def second(scratch: Record, start: int, first: int, x: int) -> int:
    """Return the most that a second card wins at once for a pawn that the first one took to x."""
    best = NOTHING
    for thing in range(data.NUM_OBJECTS):
        if scratch.hand[thing] > (1 if thing == first else 0):
            target = moves.next_place(scratch, x, thing)
            if int(scratch.occupied) >> target & 1 == 0:
                toll = int(scratch.toll[target]) - int(scratch.toll[start])
                best = max(best, signed(int(scratch.worth[moves.taken_at(scratch, start, target)]) - toll))
    return best


@kernel
def describe_hand(scratch: Record, out: Row) -> None:
    """Write what the cards in hand are good for."""
    total = 0
    for thing in range(data.NUM_OBJECTS):
        best: int = EVEN
        for number in range(data.NUM_PAWNS):
            best = max(best, int(out[To.GAIN + data.NUM_OBJECTS * number + thing]))
        out[To.FIT + thing] = best - EVEN if scratch.hand[thing] > 0 else 0
        total += (best - EVEN) * int(scratch.hand[thing])
    out[To.FITS] = byte(total / FINE)
    out[To.RARE] = RARE // max(1, int(scratch.hand_size))


@kernel
def describe_landing(weights: Record, scratch: Record, observation: Row, number: int, out: Row) -> None:
    """Write what the chosen pawn is about to win, where it is by now."""
    start, x = int(scratch.pawns[0, number]), int(observation[At.X])
    if x == start:
        return
    occupied = int(scratch.occupied) >> x & 1
    space = moves.taken_at(scratch, start, x)
    worth = int(scratch.worth[space])
    out[To.LANDING] = occupied
    out[To.LANDING + 1] = worth * (1 - occupied)
    out[To.LANDING + 2] = signed(worth - int(observation[At.DUE])) if occupied == 0 else NOTHING
    out[To.LANDING + 3] = byte(observation[At.DUE])
    out[To.LANDING + 4] = scratch.worth[x]
    if occupied == 0 and space > 0:
        rise = moves.opened(weights, scratch, space)
        own = moves.own_before(scratch, space) - (1 if start < space else 0)
        others = moves.others_before(scratch, space)
        out[To.LANDING + 5] = signed(rise)
        out[To.LANDING + 6] = signed(rise * own)
        out[To.LANDING + 7] = signed(rise * others)


@kernel
def describe_seats(scratch: Record, out: Row) -> None:
    """Write what everybody owns and owes, and how far everybody is."""
    net, rich, furthest = -1000.0, -1000.0, 0
    for seat in range(int(scratch.players)):
        way, home = 0, 0
        for number in range(data.NUM_PAWNS):
            place = int(scratch.pawns[seat, number])
            way += place
            home += 1 if place == HOME else 0
            out[To.AHEAD + data.NUM_PAWNS * seat + number] = byte(int(scratch.toll[HOME]) - int(scratch.toll[place]))
            out[To.UNDER + data.NUM_PAWNS * seat + number] = scratch.worth[place]
        due, owned = owes(scratch, seat), int(scratch.owned[seat])
        out[To.OWNED + seat] = byte(owned)
        out[To.DEBT + seat] = byte(due)
        out[To.WAY + seat] = way
        out[To.HOME + seat] = home
        furthest = max(furthest, way)
        if seat > 0:
            total = owned + scratch.handicap[seat]
            net, rich = max(net, total - due), max(rich, total)
    total = int(scratch.owned[0]) + scratch.handicap[0]
    lead = total - owes(scratch, 0) - net
    late = (furthest / MOST_WAY) ** 3
    out[To.LEAD] = byte(EVEN + lead)
    out[To.LEAD + 1] = byte(EVEN + total - rich)
    out[To.LATE] = byte(MOST * late)
    out[To.LATE_LEAD] = byte(EVEN + lead * late * FINE)


# ------------------------------------------------------------------------------------------------- what may come


@kernel
def describe_2(weights: Row, scratch: Record, observation: Row, out: Row) -> None:
    """Write all features of the second edition, those of the first before them."""
    describe(weights, scratch, observation, out)
    describe_chains(weights[0], scratch, observation, out)
    describe_odds(scratch, observation, out)
    for seat in range(1, int(scratch.players)):
        describe_threats(scratch, seat, out)
    describe_danger(scratch, out)


@kernel
def describe_chains(weights: Record, scratch: Record, observation: Row, out: Row) -> None:
    """Write what the own cards are worth to every own pawn, and the best of it."""
    chosen = which(observation, At.PAWN, data.NUM_PAWNS)
    paying = observation[At.PHASE + Phase.PAY] != 0
    best, second_best = moves.LOW, moves.LOW
    scratch.floor = moves.ALL
    moves.survey_gains(scratch)
    for number in range(data.NUM_PAWNS):
        start = int(scratch.pawns[0, number])
        x = int(observation[At.X]) if number == chosen else start
        if start >= HOME or x >= HOME or (number == chosen and paying):  # home, or about to land
            continue
        scratch.best = moves.LOW
        moves.try_pawn(weights, scratch, number, x)
        for thing in range(data.NUM_OBJECTS):
            if scratch.chain[thing] > moves.LOW:
                out[To.CHAIN + data.NUM_OBJECTS * number + thing] = max(1, signed(scratch.chain[thing]))
        if scratch.best > best:
            best, second_best = float(scratch.best), best
        else:
            second_best = max(second_best, float(scratch.best))
    if best > moves.LOW:
        out[To.NEXT] = max(1, signed(best))
    if second_best > moves.LOW:
        out[To.NEXT + 1] = max(1, signed(second_best))


@kernel
def describe_odds(scratch: Record, observation: Row, out: Row) -> None:
    """Write how likely every opponent holds a card of an object: known ones, and its share of those nobody saw."""
    unseen = 0
    for thing in range(data.NUM_OBJECTS):
        unseen += unseen_of(observation, thing)
    for seat in range(1, int(scratch.players)):
        hidden = int(observation[At.HAND_SIZE + seat])
        for thing in range(data.NUM_OBJECTS):
            hidden -= int(observation[At.KNOWN + data.NUM_OBJECTS * seat + thing])
        for thing in range(data.NUM_OBJECTS):
            without = (1.0 - unseen_of(observation, thing) / max(1, unseen)) ** max(0, hidden)
            if observation[At.KNOWN + data.NUM_OBJECTS * seat + thing] != 0:
                without = 0.0
            out[To.ODDS + data.NUM_OBJECTS * (seat - 1) + thing] = byte(MOST * (1.0 - without))


@kernel
def unseen_of(observation: Row, thing: int) -> int:
    """Return how many cards of an object are in the pile or in hands, as far as the own seat cannot tell which."""
    count = data.CARDS_PER_OBJECT - int(observation[At.HAND + thing])
    count -= int(observation[At.DISCARD + thing]) + int(observation[At.BOX + thing])
    for seat in range(1, data.MAX_PLAYERS):
        count -= int(observation[At.KNOWN + data.NUM_OBJECTS * seat + thing])
    return max(0, count)


@kernel
def describe_threats(scratch: Record, seat: int, out: Row) -> None:
    """Write what one card would win for every pawn of an opponent, and what it may expect of its best card."""
    missing, expected = 1.0, 0.0
    for thing in range(data.NUM_OBJECTS):
        scratch.fit[thing] = 0.0
    for number in range(data.NUM_PAWNS):
        place = int(scratch.pawns[seat, number])
        for thing in range(data.NUM_OBJECTS):
            gain: float = 0.0
            if place < HOME:
                gain = moves.gain_of(scratch, place, thing)
            out[To.THREAT + CARDS * (seat - 1) + data.NUM_OBJECTS * number + thing] = signed(gain)
            scratch.fit[thing] = max(scratch.fit[thing], gain)
    for _ in range(data.NUM_OBJECTS):  # from the best card down: it is played if it is in hand
        best = 0
        for thing in range(data.NUM_OBJECTS):
            best = thing if scratch.fit[thing] > scratch.fit[best] else best
        holds = out[To.ODDS + data.NUM_OBJECTS * (seat - 1) + best] / float(MOST)
        expected += missing * holds * max(0.0, float(scratch.fit[best]))
        missing *= 1.0 - holds
        scratch.fit[best] = -1.0
    out[To.EXPECTED + seat - 1] = byte(FINE * expected)


@kernel
def describe_danger(scratch: Record, out: Row) -> None:
    """Write for every own card how likely others hold one that wins the same tile."""
    for number in range(data.NUM_PAWNS):
        start = int(scratch.pawns[0, number])
        if start >= HOME:
            continue
        for thing in range(data.NUM_OBJECTS):
            space = moves.taken_at(scratch, start, moves.next_place(scratch, start, thing))
            safe = 1.0
            for seat in range(1, int(scratch.players)):
                safe *= 1.0 - reach_of(scratch, seat, space, out)
            out[To.DANGER + data.NUM_OBJECTS * number + thing] = byte(MOST * (1.0 - safe)) if space > 0 else 0


@kernel
def reach_of(scratch: Record, seat: int, space: int, out: Row) -> float:
    """Return how likely an opponent holds a card that wins the tile of a place."""
    most = 0
    for number in range(data.NUM_PAWNS):
        place = int(scratch.pawns[seat, number])
        if place >= HOME:
            continue
        for thing in range(data.NUM_OBJECTS):
            target = moves.next_place(scratch, place, thing)
            if int(scratch.occupied) >> target & 1 == 0 and moves.taken_at(scratch, place, target) == space:
                most = max(most, int(out[To.ODDS + data.NUM_OBJECTS * (seat - 1) + thing]))
    return most / float(MOST)


EDITIONS = (
    Features(LAYOUT, describe, make_weights(), SCRATCH),
    Features(LAYOUT_2, describe_2, make_weights(), SCRATCH, edition=2),
)
