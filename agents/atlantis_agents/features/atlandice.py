"""Atlandice: who leads in which type and what that pays, how far the next turns are, what lies where one is.

Besides, what the heuristic's odds (heuristics.atlandice.race) expect every type to pay. The second edition adds the
rest of the round (heuristics.atlandice.rounds): what each Sector offers to each seat, and what the table is worth once
every seat has made the visits that it likes best.
"""

from __future__ import annotations

from atlantis_agents.features import MOST, Features, byte
from atlantis_agents.heuristics.atlandice import race, rounds
from atlantis_agents.heuristics.atlandice.scratch import GIVER, MOST_NEEDLES, SCRATCH, UNRANKED, unpack
from atlantis_agents.heuristics.atlandice.weights import make_weights
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.engine.layout import Field, Layout
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.layout import At
from atlantis_envs.games.atlandice.state import NONE, Node
from atlantis_envs.kernels.kernel import kernel

EVEN = 100  # the byte of 0 where numbers may be negative
NEAR = 3  # the most needles of a Sector: so far the hand may go at the end of a round
CLOSE = 2  # leads up to this many pieces have a byte each
LEADS = 2 * CLOSE + 1
RACES = data.NUM_TYPES * data.MAX_PARTICIPANTS
FINE = 30  # steps of a point that is expected
ZERO = 128  # the byte of 0 of a lead,
LEAD = 20  # whose steps are so many to a point
STAGES = ("now", "visit", "two", "round")
SOON = 2  # visits after the present one that are looked at for themselves
PRIZE = max(data.FINAL_FIRST_POINTS, data.FINAL_SECOND_POINTS)

FIELDS = (
    Field("lead", RACES, MOST, "type x participant -> pieces more than the best other has; 100: even"),
    Field("close", RACES * LEADS, 1, "the same, one-hot: -2 or less .. 2 or more"),
    Field("pays", RACES, PRIZE, "type x participant -> points if that type were scored now"),
    Field("pays_more", RACES, PRIZE, "... if that participant alone had a piece more"),
    Field("pays_less", RACES, PRIZE, "... if the own seat alone had a piece more"),
    Field("expected", RACES, MOST, "type x participant -> points that type is expected to pay, in thirtieths"),
    Field(
        "another", data.NUM_TYPES, MOST, "type -> what another piece would mean to the own seat, the same; 100: nothing"
    ),
    Field("tiles", data.NUM_TYPES, data.NUM_TILES, "type -> tiles of its District still to win"),
    Field("pieces", data.NUM_SECTORS, MOST, "Sector -> pieces of any type"),
    Field("needles", data.NUM_SECTORS, MOST, "Sector -> needles in force"),
    Field("total", data.MAX_PARTICIPANTS, MOST, "participant -> points, tiles included"),
    Field("hopes", data.MAX_PARTICIPANTS, MOST, "... and what all types would pay now"),
    Field("ahead", 2, MOST, "own points before the best other seat, as they are and hoped for; 100: even"),
    Field("event", data.NUM_EVENTS * NEAR, 1, "event x spaces 1..3 -> 1: the next such space is so far away"),
    Field("end", NEAR, 1, "spaces 1..3 -> 1: the last one is so far away"),
    Field("visits", data.MAX_PLAYERS, MOST, "seat -> visits it still makes this round, the present one included"),
    Field("wait", data.MAX_PLAYERS, MOST, "seat -> visits of others before its next one this round; 255 none"),
    Field("here", data.NUM_TYPES, MOST, "type -> pieces on the Sector being visited"),
    Field("there", data.NUM_TYPES, MOST, "type -> pieces on the Sector named"),
    Field("tile", data.NUM_TILES, 1, "one-hot: the tile in force where one is"),
)
REST = (
    Field(
        "offer",
        data.MAX_PLAYERS * data.NUM_SECTORS,
        MOST,
        "seat x Sector -> points that its next visit there means to it, in thirtieths; 100: nothing; 0: no die",
    ),
    Field("piece", data.MAX_PLAYERS * data.NUM_TYPES, MOST, "seat x type -> what a piece more means to it, the same"),
    Field(
        "hand", data.MAX_PLAYERS * NEAR, MOST, "seat x 1..3 spaces -> what that move of the hand means to it, the same"
    ),
    Field("table", len(STAGES), MOST, "now, after this visit, two and all visits of the round -> own lead; 128: even"),
    Field("change", len(STAGES) - 1, MOST, "... and by how much it is more than now, in thirtieths; 128: the same"),
    Field("coming", RACES, MOST, "type x participant -> points it is expected to pay after the round, in thirtieths"),
    Field("pace", MOST_NEEDLES, 1, "one-hot: needles of the die that will be left"),
)
LAYOUT = Layout(*FIELDS)
LAYOUT_2 = Layout(*FIELDS, *REST)
To = LAYOUT_2.starts("To")


@kernel
def describe(weights: Row, scratch: Record, observation: Row, out: Row) -> None:
    """Write all features of an observation."""
    for index in range(len(out)):
        out[index] = 0
    unpack(observation, scratch)
    for kind in range(data.NUM_TYPES):
        for participant in range(int(scratch.participants)):
            describe_race(scratch, kind, participant, out)
        out[To.TILES + kind] = scratch.tiles[kind]
    describe_points(scratch, out)
    describe_hopes(weights[0], scratch, out)  # afterwards: it adds to the points
    describe_time(scratch, out)
    for sector in range(data.NUM_SECTORS):
        out[To.PIECES + sector] = byte(int(scratch.pieces[sector]))
        out[To.NEEDLES + sector] = byte(int(scratch.needles[sector]))
    describe_place(scratch, out)


@kernel
def describe_race(scratch: Record, kind: int, participant: int, out: Row) -> None:
    """Write how a participant stands in a type."""
    at = data.MAX_PARTICIPANTS * kind + participant
    own, best = int(scratch.stock[participant, kind]), 0
    for other in range(int(scratch.participants)):
        if other != participant:
            best = max(best, int(scratch.stock[other, kind]))
    lead = own - best
    out[To.LEAD + at] = byte(EVEN + lead)
    out[To.CLOSE + LEADS * at + min(CLOSE, max(-CLOSE, lead)) + CLOSE] = 1
    if scratch.tiles[kind] > 0:
        out[To.PAYS + at] = pays(scratch, kind, participant, participant, 0)
        out[To.PAYS_MORE + at] = pays(scratch, kind, participant, participant, 1)
        out[To.PAYS_LESS + at] = pays(scratch, kind, participant, 0, 1)


@kernel
def pays(scratch: Record, kind: int, participant: int, holder: int, more: int) -> int:
    """Return points of a participant if a type were scored now and ``holder`` had so many pieces more (7.4, 13.1)."""
    own = int(scratch.stock[participant, kind]) + (more if holder == participant else 0)
    best = own
    for other in range(int(scratch.participants)):
        best = max(best, int(scratch.stock[other, kind]) + (more if holder == other else 0))
    firsts, between = 0, 0
    for other in range(int(scratch.participants)):
        pieces = int(scratch.stock[other, kind]) + (more if holder == other else 0)
        firsts += 1 if pieces == best else 0
        between += 1 if own < pieces < best else 0
    if own <= 0 and (scratch.unranked == 0.0 or own <= UNRANKED):
        return 0
    if own == best:
        return data.FINAL_FIRST_POINTS
    return data.FINAL_SECOND_POINTS if firsts == 1 and between == 0 else 0


@kernel
def describe_hopes(weights: Record, scratch: Record, out: Row) -> None:
    """Write what every type is expected to pay, and what a piece more would change for the own seat."""
    race.foresee(weights, scratch)
    scratch.fresh = 0
    for kind in range(data.NUM_TYPES):
        for participant in range(int(scratch.participants)):
            expected = int(FINE * scratch.now[kind, participant])
            out[To.EXPECTED + data.MAX_PARTICIPANTS * kind + participant] = byte(expected)
        out[To.ANOTHER + kind] = byte(EVEN + int(FINE * race.own_of(weights, scratch, 0, kind)))


@kernel
def describe_points(scratch: Record, out: Row) -> None:
    """Write the points on the table, and with what all types would pay now."""
    best, hoped = 0, 0
    for participant in range(int(scratch.participants)):
        total = int(scratch.total[participant])
        hopes = total
        for kind in range(data.NUM_TYPES):
            hopes += int(out[To.PAYS + data.MAX_PARTICIPANTS * kind + participant])
        out[To.TOTAL + participant] = byte(total)
        out[To.HOPES + participant] = byte(hopes)
        if 0 < participant < int(scratch.players):
            best, hoped = max(best, total), max(hoped, hopes)
    out[To.AHEAD] = byte(EVEN + int(scratch.total[0]) - best)
    out[To.AHEAD + 1] = byte(EVEN + int(out[To.HOPES]) - hoped)


@kernel
def describe_time(scratch: Record, out: Row) -> None:
    """Write what the hand may reach, and who visits when."""
    for event in range(data.NUM_EVENTS):
        spaces = int(scratch.to_event[event])
        if 1 <= spaces <= NEAR:
            out[To.EVENT + NEAR * event + spaces - 1] = 1
    if 1 <= int(scratch.to_end) <= NEAR:
        out[To.END + int(scratch.to_end) - 1] = 1
    for seat in range(int(scratch.players)):
        out[To.WAIT + seat] = MOST
    for visit in range(int(scratch.visits) - 1, int(scratch.visit) - 1, -1):
        seat = (int(scratch.first) + visit) % int(scratch.players)
        out[To.VISITS + seat] += 1
        out[To.WAIT + seat] = visit - int(scratch.visit)


@kernel
def describe_place(scratch: Record, out: Row) -> None:
    """Write what lies on the Sectors that the decision is about."""
    here, there = int(scratch.here), int(scratch.choice_sector)
    for kind in range(data.NUM_TYPES):
        if here >= 0:
            out[To.HERE + kind] = byte(int(scratch.resources[here, kind]))
        if there >= 0:
            out[To.THERE + kind] = byte(int(scratch.resources[there, kind]))
    if 0 <= here < data.NUM_DISTRICTS and scratch.tile[here] >= 0:
        out[To.TILE + int(scratch.tile[here])] = 1


# ------------------------------------------------------------------------------------------- the rest of the round


@kernel
def describe_2(weights: Row, scratch: Record, observation: Row, out: Row) -> None:
    """Write all features of the second edition, those of the first before them."""
    describe(weights, scratch, observation, out)
    for kind in range(data.NUM_TYPES):
        race.appraise(scratch, kind)
    rounds.value_clock(weights[0], scratch)
    describe_offers(weights[0], scratch, out)
    describe_rest(weights[0], scratch, observation, out)  # last: it plays on


@kernel
def describe_offers(weights: Record, scratch: Record, out: Row) -> None:
    """Write what pieces, visits and moves of the hand mean to every seat as things are."""
    players = int(scratch.players)
    for seat in range(players):
        for kind in range(data.NUM_TYPES):
            out[To.PIECE + data.NUM_TYPES * seat + kind] = byte(EVEN + FINE * race.own_of(weights, scratch, seat, kind))
        for needles in range(1, MOST_NEEDLES):
            out[To.HAND + NEAR * seat + needles - 1] = byte(EVEN + FINE * scratch.clock[seat, needles])
        visit = next_visit(scratch, seat)
        for sector in range(data.NUM_SECTORS):
            if int(scratch.dice[sector]) > 0:
                likes = rounds.likes(weights, scratch, seat, sector, rounds.ordinal_at(scratch, visit))
                out[To.OFFER + data.NUM_SECTORS * seat + sector] = byte(EVEN + FINE * likes)


@kernel
def next_visit(scratch: Record, seat: int) -> int:
    """Return the visit of this round that a seat makes next, the present one included; its last one if none is left."""
    players = int(scratch.players)
    visit = int(scratch.visit)
    visit += (seat - int(scratch.first) - visit) % players
    return visit if visit < int(scratch.visits) else visit - players


@kernel
def describe_rest(weights: Record, scratch: Record, observation: Row, out: Row) -> None:
    """Write what the table is worth now and later in the round, if every seat makes the visits it likes best."""
    now = rounds.value_table(weights, scratch, 0)
    before = int(scratch.visit) if int(scratch.here) == NONE else int(scratch.visit) + 1
    finish_visit(weights, scratch, observation)
    after = rounds.value_table(weights, scratch, 0)
    soon = after
    for visit in range(before, int(scratch.visits) if dice_lie(scratch) else 0):
        seat = (int(scratch.first) + visit) % int(scratch.players)
        taker, sector = rounds.best_visit(weights, scratch, seat, visit)
        if taker >= GIVER:
            scratch.given[seat] = 1
        rounds.try_visit(weights, scratch, taker, sector, rounds.ordinal_at(scratch, visit))
        if visit < before + SOON:
            soon = rounds.value_table(weights, scratch, 0)
    needles = 0
    if dice_lie(scratch) and (before < int(scratch.visits) or int(scratch.here) != NONE):
        needles = rounds.last_needles(scratch, NONE)
    describe_lead(out, 0, now, now)
    describe_lead(out, 1, after, now)
    describe_lead(out, 2, soon, now)
    describe_lead(out, 3, rounds.value_table(weights, scratch, needles), now)
    out[To.PACE + needles] = 1
    for kind in range(data.NUM_TYPES):
        for participant in range(int(scratch.participants)):
            at = To.COMING + data.MAX_PARTICIPANTS * kind + participant
            out[at] = byte(FINE * scratch.now[kind, participant])


@kernel
def describe_lead(out: Row, stage: int, lead: float, now: float) -> None:
    """Write what the table is worth at a stage."""
    out[To.TABLE + stage] = byte(ZERO + LEAD * lead)
    if stage > 0:
        out[To.CHANGE + stage - 1] = byte(ZERO + FINE * (lead - now))


@kernel
def dice_lie(scratch: Record) -> bool:
    """Return whether any die lies beside a Sector: not while they are rolled."""
    dice = 0
    for sector in range(data.NUM_SECTORS):
        dice += int(scratch.dice[sector])
    return dice > 0


@kernel
def finish_visit(weights: Record, scratch: Record, observation: Row) -> None:
    """Play the present visit, if there is one, to its end as its seat likes best, chance counted by its odds."""
    here = int(scratch.here)
    if here == NONE:
        return
    seat = (int(scratch.first) + int(scratch.visit)) % int(scratch.players)
    taker = seat if observation[At.BENEFICIARY + seat] != 0 else GIVER + seat
    ordinal = rounds.ordinal_at(scratch, int(scratch.visit))
    node = int(scratch.node)
    if node == Node.TAKE:
        if int(scratch.pieces[here]) > 0:
            rounds.take(weights, scratch, taker, here, rounds.best_type(weights, scratch, taker, here, NONE))
        rounds.try_bonus(weights, scratch, taker, here, ordinal)
    elif node == Node.BONUS:
        rounds.try_bonus(weights, scratch, taker, here, ordinal)
    elif node == Node.EFFECT or observation[At.NODE + Node.ROLL] != 0:
        rounds.try_effect(weights, scratch, taker, here, ordinal)
    elif node == Node.EXTRA:
        source = data.Sector.MARKET if int(scratch.tile[here]) == data.Tile.F3 else here
        if int(scratch.pieces[source]) > 0:
            rounds.take(weights, scratch, taker, source, rounds.best_type(weights, scratch, taker, source, NONE))
        rounds.try_check(weights, scratch, here)
    elif node == Node.RAID_TAKE:
        source = max(0, int(scratch.choice_sector))
        if int(scratch.pieces[source]) > 0:
            rounds.take(weights, scratch, taker, source, rounds.best_type(weights, scratch, taker, source, NONE))
        rounds.try_check(weights, scratch, source)
        rounds.try_check(weights, scratch, here)
    else:
        rounds.try_check(weights, scratch, here)


EDITIONS = (
    Features(LAYOUT, describe, make_weights(), SCRATCH),
    Features(LAYOUT_2, describe_2, make_weights(), SCRATCH, edition=2),
)
