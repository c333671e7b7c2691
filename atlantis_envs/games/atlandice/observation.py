"""What a seat sees: everything, since Atlandice has no hidden information (12.1); seats in order from the own one.

Participants are counted from the observing seat clockwise; with two seats neutral is the third. Absent participants are
zero, so one network can serve two to four players.
"""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.engine.layout import Layout, Piece
from atlantis_envs.games.atlandice.board import is_live, visible_tile
from atlantis_envs.games.atlandice.data import (
    DEFAULT_CHAIN_CAP,
    FAR,
    MARKET,
    MAX_DICE,
    MAX_NEEDLES,
    MAX_PARTICIPANTS,
    MAX_PIECES_OF_TYPE,
    MAX_PLAYERS,
    NUM_DISTRICTS,
    NUM_EVENTS,
    NUM_SECTORS,
    NUM_TILES,
    NUM_TYPES,
    TILE_POINTS,
    TILES_PER_DISTRICT,
)
from atlantis_envs.games.atlandice.state import NODES, NONE

MOST_POINTS = 127  # points are capped here
MOST_VISITS = 8
NUM_OPTIONS = 9

LAYOUT = Layout(
    Piece("node", len(NODES), 1, "one-hot: the present node, in the order of state.NODES"),
    Piece("resources", NUM_SECTORS * NUM_TYPES, MAX_PIECES_OF_TYPE, "Sector x type -> pieces"),
    Piece("dice", NUM_SECTORS, MAX_DICE, "Sector -> dice beside it"),
    Piece("tile", NUM_TILES, 1, "1: this tile is visible"),
    Piece("hidden", NUM_TILES, 1, "1: this tile is still to be revealed"),
    Piece("stock", MAX_PARTICIPANTS * NUM_TYPES, MAX_PIECES_OF_TYPE, "participant from the own seat x type -> pieces"),
    Piece("points", MAX_PARTICIPANTS, MOST_POINTS, "participant -> points without tiles, capped at 127"),
    Piece("tiles_won", MAX_PARTICIPANTS, NUM_TILES, "participant -> tiles won"),
    Piece("owner", NUM_TILES, MAX_PARTICIPANTS, "0 nobody, else 1 + participant that won the tile"),
    Piece("submarine", NUM_SECTORS, 1, "one-hot: where the submarine is"),
    Piece("here", NUM_SECTORS, 1, "one-hot: the Sector being visited, if any"),
    Piece("beneficiary", MAX_PARTICIPANTS, 1, "one-hot: who gets the pieces of this visit, if any"),
    Piece("actor", MAX_PLAYERS, 1, "one-hot: the seat to decide, if any"),
    Piece("first", MAX_PLAYERS, 1, "one-hot: the first player, once drawn"),
    Piece("choice_type", NUM_TYPES, 1, "one-hot: the type named so far, if any"),
    Piece("choice_sector", NUM_SECTORS, 1, "one-hot: the Sector named so far, if any"),
    Piece("bare", NUM_DISTRICTS, 1, "1: refilled with nothing and still empty"),
    Piece("given", MAX_PLAYERS, 1, "1: this seat has given its die to neutral this round"),
    Piece("blocked", MAX_PLAYERS, 1, "1: no bonus at the machinery for this seat this round"),
    Piece("visit", 1, MOST_VISITS, "visits of this round that are over"),
    Piece("chain", 1, DEFAULT_CHAIN_CAP, "chained visits begun in this visit"),
    Piece("to_end", 1, FAR, "clock spaces to the last one, capped at 63"),
    Piece("to_event", NUM_EVENTS, FAR, "spaces to the next Inventory of each type, of the total, Donation; capped at 63"),
    Piece("needles", NUM_TILES + 1, MAX_NEEDLES, "needles of every tile and of the market"),
    Piece("players", MAX_PLAYERS - 1, 1, "one-hot: 2, 3, 4 players"),
    Piece(
        "options",
        NUM_OPTIONS,
        1,
        "optional_effects, min_to_rank, orphan dice stay, same_type_exchange, block round, l3 counts beneficiary, "
        "neutral ranked in district, in inventory, in final",
    ),
    Piece("chain_cap", 1, DEFAULT_CHAIN_CAP, "option chain_cap"),
    Piece("round", 1, 255, "number of the round, capped at 255"),
)
AT_NODE = LAYOUT["node"]
AT_RESOURCES = LAYOUT["resources"]
AT_DICE = LAYOUT["dice"]
AT_TILE = LAYOUT["tile"]
AT_HIDDEN = LAYOUT["hidden"]
AT_STOCK = LAYOUT["stock"]
AT_POINTS = LAYOUT["points"]
AT_TILES_WON = LAYOUT["tiles_won"]
AT_OWNER = LAYOUT["owner"]
AT_SUBMARINE = LAYOUT["submarine"]
AT_HERE = LAYOUT["here"]
AT_BENEFICIARY = LAYOUT["beneficiary"]
AT_ACTOR = LAYOUT["actor"]
AT_FIRST = LAYOUT["first"]
AT_CHOICE_TYPE = LAYOUT["choice_type"]
AT_CHOICE_SECTOR = LAYOUT["choice_sector"]
AT_BARE = LAYOUT["bare"]
AT_GIVEN = LAYOUT["given"]
AT_BLOCKED = LAYOUT["blocked"]
AT_VISIT = LAYOUT["visit"]
AT_CHAIN = LAYOUT["chain"]
AT_TO_END = LAYOUT["to_end"]
AT_TO_EVENT = LAYOUT["to_event"]
AT_NEEDLES = LAYOUT["needles"]
AT_PLAYERS = LAYOUT["players"]
AT_OPTIONS = LAYOUT["options"]
AT_CHAIN_CAP = LAYOUT["chain_cap"]
AT_ROUND = LAYOUT["round"]


@kernel
def relative(rules: Record, seat: int, participant: int) -> int:
    """A participant's place counted from ``seat``; neutral stays last."""
    players = int(rules.players)
    if participant >= players:
        return participant
    return (participant - seat) % players


@kernel
def mark(out: Row, start: int, value: int) -> None:
    """One-hot unless NONE."""
    if value != NONE:
        out[start + value] = 1


@kernel
def observe(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Write the whole position as ``seat`` sees it."""
    out[:] = 0
    out[AT_NODE + int(state.node)] = 1
    observe_sectors(state, out)
    observe_tiles(rules, state, seat, out)
    observe_participants(rules, state, seat, out)
    observe_visit(rules, state, seat, out)
    observe_clock(rules, state, out)
    observe_options(rules, out)


@kernel
def observe_sectors(state: Record, out: Row) -> None:
    """Pieces, dice, bare Districts and the submarine."""
    for sector in range(NUM_SECTORS):
        for kind in range(NUM_TYPES):
            out[AT_RESOURCES + NUM_TYPES * sector + kind] = state.resources[sector, kind]
        out[AT_DICE + sector] = state.dice[sector]
    for district in range(NUM_DISTRICTS):
        out[AT_BARE + district] = state.bare[district]
    out[AT_SUBMARINE + int(state.submarine)] = 1


@kernel
def observe_tiles(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Visible, unrevealed and won tiles; never an order of the unrevealed ones (12.2)."""
    for district in range(NUM_DISTRICTS):
        tile = int(state.tile[district])
        if tile != 0:
            out[AT_TILE + TILES_PER_DISTRICT * district + tile - 1] = 1
        hidden = int(state.hidden[district])
        for number in range(TILES_PER_DISTRICT):
            out[AT_HIDDEN + TILES_PER_DISTRICT * district + number] = hidden >> number & 1
    for tile in range(NUM_TILES):
        owner = int(state.owner[tile])
        if owner != NONE:
            place = relative(rules, seat, owner)
            out[AT_OWNER + tile] = place + 1
            out[AT_TILES_WON + place] += 1


@kernel
def observe_participants(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Stocks and points, from the own seat on."""
    for participant in range(int(rules.participants)):
        place = relative(rules, seat, participant)
        for kind in range(NUM_TYPES):
            out[AT_STOCK + NUM_TYPES * place + kind] = state.stock[participant, kind]
        out[AT_POINTS + place] = min(MOST_POINTS, int(state.points[participant]))
    for other in range(int(rules.players)):
        place = relative(rules, seat, other)
        out[AT_GIVEN + place] = state.given[other]
        out[AT_BLOCKED + place] = state.blocked[other]


@kernel
def observe_visit(rules: Record, state: Record, seat: int, out: Row) -> None:
    """Who does what, where, for whom, and what has been named so far."""
    mark(out, AT_HERE, int(state.here))
    mark(out, AT_CHOICE_TYPE, int(state.choice_type))
    mark(out, AT_CHOICE_SECTOR, int(state.choice_sector))
    if state.beneficiary != NONE:
        mark(out, AT_BENEFICIARY, relative(rules, seat, int(state.beneficiary)))
    if state.actor != NONE:
        mark(out, AT_ACTOR, relative(rules, seat, int(state.actor)))
    if state.first != NONE:
        mark(out, AT_FIRST, relative(rules, seat, int(state.first)))
    out[AT_VISIT] = state.visit
    out[AT_CHAIN] = state.chain
    out[AT_ROUND] = min(255, int(state.round_number))


@kernel
def observe_clock(rules: Record, state: Record, out: Row) -> None:
    """How far the hand is from the end and from the next space of each kind; the table is made by the options."""
    hand = int(state.hand)
    out[AT_TO_END] = min(FAR, int(rules.last) - hand)
    for event in range(NUM_EVENTS):
        out[AT_TO_EVENT + event] = rules.to_event[hand, event]


@kernel
def observe_options(rules: Record, out: Row) -> None:
    """What options change (section 14)."""
    for tile in range(NUM_TILES + 1):
        out[AT_NEEDLES + tile] = rules.needles[tile]
    out[AT_PLAYERS + int(rules.players) - 2] = 1
    out[AT_OPTIONS] = rules.optional_effects
    out[AT_OPTIONS + 1] = rules.min_to_rank
    out[AT_OPTIONS + 2] = rules.orphans_stay
    out[AT_OPTIONS + 3] = rules.same_type_exchange
    out[AT_OPTIONS + 4] = rules.block_round
    out[AT_OPTIONS + 5] = rules.l3_counts_beneficiary
    out[AT_OPTIONS + 6] = rules.neutral_in_district
    out[AT_OPTIONS + 7] = rules.neutral_in_inventory
    out[AT_OPTIONS + 8] = rules.neutral_in_final
    out[AT_CHAIN_CAP] = rules.chain_cap


assert MARKET == NUM_SECTORS - 1 and TILE_POINTS == 3
