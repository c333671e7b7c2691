"""The table: small questions that several rules ask; who is first and second, and what they get (7, 8.4, 13)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.data import Sector, Space
from atlantis_envs.games.atlandice.state import NONE
from atlantis_envs.kernels.kernel import kernel

NO_TILE = -1


@kernel
def is_live(state: Record, sector: int) -> bool:
    """Tell whether a Sector is live: the market, or a District with a visible tile or tiles still to reveal (1.9)."""
    return sector == Sector.MARKET or state.tile[sector] != 0 or state.hidden[sector] != 0


@kernel
def live_districts(state: Record) -> int:
    """Return how many Districts are live (1.9)."""
    count = 0
    for district in range(data.NUM_DISTRICTS):
        if is_live(state, district):
            count += 1
    return count


@kernel
def pieces_on(state: Record, sector: int) -> int:
    """Return how many pieces of any type lie on a Sector (1.10)."""
    count = 0
    for kind in range(data.NUM_TYPES):
        count += int(state.resources[sector, kind])
    return count


@kernel
def stock_total(state: Record, participant: int) -> int:
    """Return how many pieces a participant owns."""
    count = 0
    for kind in range(data.NUM_TYPES):
        count += int(state.stock[participant, kind])
    return count


@kernel
def put_piece(state: Record, sector: int, kind: int) -> None:
    """Lay a piece on a Sector; a District that was bare no longer is (7.1)."""
    state.resources[sector, kind] += 1
    if sector != Sector.MARKET:
        state.bare[sector] = 0


@kernel
def visible_tile(state: Record, sector: int) -> int:
    """Return the tile whose effect a visit to the Sector has; NO_TILE for the market and exhausted Districts."""
    if sector == Sector.MARKET or state.tile[sector] == 0:
        return NO_TILE
    return data.TILES_PER_DISTRICT * sector + int(state.tile[sector]) - 1


@kernel
def sector_of_face(state: Record, face: int) -> int:
    """Return where a die that shows ``face`` lies (4.3)."""
    if face == data.FACES or not is_live(state, face - 1):
        return Sector.MARKET
    return face - 1


@kernel
def visitor(rules: Record, state: Record) -> int:
    """Return the seat that makes the present visit (5.1)."""
    return (int(state.first) + int(state.visit)) % int(rules.players)


@kernel
def ordinal(rules: Record, state: Record) -> int:
    """Return which of its dice the visitor takes: 1 for its first this round (5.1)."""
    return int(state.visit) // int(rules.players) + 1


@kernel
def first_unrevealed(state: Record) -> int:
    """Return the District a reveal node is about: the first without a visible tile that has tiles left (17.2)."""
    for district in range(data.NUM_DISTRICTS):
        if state.tile[district] == 0 and state.hidden[district] != 0:
            return district
    return NONE


# ------------------------------------------------------------------------------------------------------------- scoring


TOTAL = Space.TOTAL  # in place of a type: all pieces


@kernel
def ranked_count(rules: Record, state: Record, participant: int, kind: int, neutral: int) -> int:
    """Return the pieces that rank a participant, or NONE (7.3, 9.5, options min_to_rank, neutral_ranked)."""
    if participant == int(rules.players) and neutral == 0:
        return NONE
    count = stock_total(state, participant) if kind == TOTAL else int(state.stock[participant, kind])
    return count if count >= int(rules.min_to_rank) else NONE


@kernel
def best_count(rules: Record, state: Record, kind: int, neutral: int, below: int) -> int:
    """Return the highest ranking count smaller than ``below``; NONE if nobody has one."""
    best = NONE
    for participant in range(int(rules.participants)):
        count = ranked_count(rules, state, participant, kind, neutral)
        if best < count < below:
            best = count
    return best


@kernel
def holders(rules: Record, state: Record, kind: int, neutral: int, count: int) -> int:
    """Return how many ranked participants hold exactly ``count``."""
    tied = 0
    for participant in range(int(rules.participants)):
        if ranked_count(rules, state, participant, kind, neutral) == count:
            tied += 1
    return tied


@kernel
def pay_holders(rules: Record, state: Record, kind: int, neutral: int, count: int, points: int) -> None:
    """Give points to each ranked participant that holds exactly ``count``."""
    for participant in range(int(rules.participants)):
        if ranked_count(rules, state, participant, kind, neutral) == count:
            state.points[participant] += points


MORE_THAN_ANY = 1_000_000


@kernel
def pay_second(rules: Record, state: Record, kind: int, neutral: int, best: int, points: int) -> None:
    """Give points for second place, which exists only below a sole first (2.4)."""
    second = best_count(rules, state, kind, neutral, best)
    if second != NONE:
        pay_holders(rules, state, kind, neutral, second, points)


@kernel
def tile_winner(rules: Record, state: Record, kind: int, neutral: int, best: int) -> int:
    """Return the first of the tied, from the first player clockwise, neutral last (7.4)."""
    players = int(rules.players)
    for step in range(players):
        seat = (int(state.first) + step) % players
        if ranked_count(rules, state, seat, kind, neutral) == best:
            return seat
    return players


@kernel
def score_district(rules: Record, state: Record, district: int) -> None:
    """Give the tile and points of an emptied District; the tile leaves the table (7.3, 7.4)."""
    neutral = int(rules.neutral_in_district)
    tile = data.TILES_PER_DISTRICT * district + int(state.tile[district]) - 1
    state.tile[district] = 0
    best = best_count(rules, state, district, neutral, MORE_THAN_ANY)
    if best == NONE:
        return
    winner = tile_winner(rules, state, district, neutral, best)
    state.owner[tile] = winner
    if holders(rules, state, district, neutral, best) == 1:
        pay_second(rules, state, district, neutral, best, data.SECOND_POINTS)
    else:
        pay_holders(rules, state, district, neutral, best, data.FIRST_TIE_POINTS)
        state.points[winner] -= data.FIRST_TIE_POINTS


@kernel
def give_back(rules: Record, state: Record, kind: int) -> int:
    """Take the pieces of a type back from all participants; return how many those are (7.5)."""
    returned = 0
    for participant in range(int(rules.participants)):
        returned += int(state.stock[participant, kind])
        state.stock[participant, kind] = 0
    return returned


@kernel
def refill(state: Record, district: int, returned: int) -> None:
    """Refill the market up to three of the type, the District with the rest; without a rest it is bare (7.6)."""
    to_market = min(returned, max(0, data.REFILL_MARKET_TO - int(state.resources[Sector.MARKET, district])))
    state.resources[Sector.MARKET, district] += to_market
    state.bare[district] = 1
    for _ in range(returned - to_market):
        put_piece(state, district, district)


@kernel
def exhaust(rules: Record, state: Record, district: int) -> None:
    """Take the type of a District without tiles out of the game; orphan dice go to the market (7.8, 14.1)."""
    for sector in range(data.NUM_SECTORS):
        state.resources[sector, district] = 0
    state.bare[district] = 0
    if not rules.orphans_stay:
        state.dice[Sector.MARKET] += int(state.dice[district])
        state.dice[district] = 0


@kernel
def inventory(rules: Record, state: Record, kind: int) -> None:
    """Give one point to every participant with the most; a type that is not live scores nothing (8.4)."""
    if kind != TOTAL and not is_live(state, kind):
        return
    neutral = int(rules.neutral_in_inventory)
    best = best_count(rules, state, kind, neutral, MORE_THAN_ANY)
    if best != NONE:
        pay_holders(rules, state, kind, neutral, best, data.INVENTORY_POINTS)


@kernel
def final_scoring(rules: Record, state: Record) -> None:
    """Give points for first and second place in every live type (13.1)."""
    neutral = int(rules.neutral_in_final)
    for kind in range(data.NUM_DISTRICTS):
        if not is_live(state, kind):
            continue
        best = best_count(rules, state, kind, neutral, MORE_THAN_ANY)
        if best == NONE:
            continue
        sole = holders(rules, state, kind, neutral, best) == 1
        if sole:
            pay_second(rules, state, kind, neutral, best, data.FINAL_SECOND_POINTS)
        pay_holders(rules, state, kind, neutral, best, data.FINAL_FIRST_POINTS)


@kernel
def total_points(state: Record, participant: int) -> int:
    """Return points, and three more for each tile (13.2)."""
    total = int(state.points[participant])
    for tile in range(data.NUM_TILES):
        if state.owner[tile] == participant:
            total += data.TILE_POINTS
    return total


@kernel
def handicap(rules: Record, state: Record, seat: int) -> int:
    """Return the half points that a seat began with, 0 before the first player is drawn (14.7)."""
    if rules.has_handicap == 0 or state.first == NONE:
        return 0
    place = seat - int(state.first) + int(state.round_number) - 1  # the first player passes on every round (8.6)
    return int(rules.handicap[place % int(rules.players)])


@kernel
def standing(rules: Record, state: Record, seat: int) -> int:
    """Return twice the total, and 1 for a half point: who has most wins (13.3, 14.7)."""
    return 2 * total_points(state, seat) + handicap(rules, state, seat) % 2


@kernel
def scores(rules: Record, state: Record, out: Row) -> None:
    """Write the totals of the seats as things stand now (13.2)."""
    for seat in range(int(rules.players)):
        out[seat] = total_points(state, seat)


@kernel
def returns(rules: Record, state: Record, out: Row) -> None:
    """Write the shared victory rescaled to sum to zero: (n w - 1) / (n - 1), w = 1/k for k winners (13.3, 13.4)."""
    players = int(rules.players)
    best = standing(rules, state, 0)
    winners = 0
    for seat in range(players):
        total = standing(rules, state, seat)
        if total > best:
            best, winners = total, 1
        elif total == best:
            winners += 1
    for seat in range(players):
        share = 1.0 / winners if standing(rules, state, seat) == best else 0.0
        out[seat] = (players * share - 1.0) / (players - 1)


assert data.NUM_TYPES == data.NUM_DISTRICTS  # type t is linked to District t (1.5)
