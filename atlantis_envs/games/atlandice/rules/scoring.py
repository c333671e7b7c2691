"""Who is first and second, and the points for it: District emptied (7), Inventory (8.4), final scoring (13)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.data import Sector, Space
from atlantis_envs.games.atlandice.rules import board
from atlantis_envs.games.atlandice.state import NONE
from atlantis_envs.kernels.kernel import kernel

TOTAL = Space.TOTAL  # in place of a type: all pieces


@kernel
def ranked_count(rules: Record, state: Record, participant: int, kind: int, neutral: int) -> int:
    """Return the pieces that rank a participant, or NONE (7.3, 9.5, options min_to_rank, neutral_ranked)."""
    if participant == int(rules.players) and neutral == 0:
        return NONE
    count = board.stock_total(state, participant) if kind == TOTAL else int(state.stock[participant, kind])
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
        board.put_piece(state, district, district)


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
    if kind != TOTAL and not board.is_live(state, kind):
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
        if not board.is_live(state, kind):
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
def scores(rules: Record, state: Record, out: Row) -> None:
    """Write the totals of the seats as things stand now (13.2)."""
    for seat in range(int(rules.players)):
        out[seat] = total_points(state, seat)


@kernel
def returns(rules: Record, state: Record, out: Row) -> None:
    """Write the shared victory rescaled to sum to zero: (n w - 1) / (n - 1), w = 1/k for k winners (13.3, 13.4)."""
    players = int(rules.players)
    best = total_points(state, 0)
    winners = 0
    for seat in range(players):
        total = total_points(state, seat)
        if total > best:
            best, winners = total, 1
        elif total == best:
            winners += 1
    for seat in range(players):
        share = 1.0 / winners if total_points(state, seat) == best else 0.0
        out[seat] = (players * share - 1.0) / (players - 1)


assert data.NUM_TYPES == data.NUM_DISTRICTS  # type t is linked to District t (1.5)
