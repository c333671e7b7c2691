"""What can be seen to be broken from the position alone (17.2 - 17.5), as bits; 0 = sound."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.data import Sector, Space, Tile
from atlantis_envs.games.atlandice.rules import board, effects
from atlantis_envs.games.atlandice.state import NONE, Node
from atlantis_envs.kernels.kernel import kernel

FLAGS = (
    ("node", "a field is outside its range"),
    ("sectors", "more than 12 of a type, a negative number, or a type that is not live (17.3, 17.4)"),
    (
        "sectors",
        "a tile occurs twice, or a District without visible tile has unrevealed ones away from a reveal (17.2, 17.3)",
    ),
    ("sectors", "the number of dice lying does not fit the node, or dice lie on an exhausted District (17.4)"),
    ("bare", "the bare Districts are not the live empty ones (17.4)"),
    ("actor", "not the seat whose turn it is (17.4)"),
    ("node", "round, first player, visit or hand do not fit the node (17.1, 17.5)"),
    ("context", "Sector, beneficiary, chain or choice do not fit the node (10.1, 17.1)"),
    ("given", "given or blocked are set where the rules never set them (9.2, 14.2)"),
)
BAD_RANGE, BAD_PIECES, BAD_TILES, BAD_DICE, BAD_BARE, BAD_ACTOR, BAD_PHASE, BAD_CONTEXT, BAD_GIVEN = (
    1, 2, 4, 8, 16, 32, 64, 128, 256,
)  # fmt: skip


@kernel
def check(rules: Record, state: Record) -> int:
    """Return bits of FLAGS; fields out of range are reported alone, since nothing else can be judged then."""
    if not ranges_sound(rules, state):
        return BAD_RANGE
    flags = 0
    flags |= 0 if pieces_sound(rules, state) else BAD_PIECES
    flags |= 0 if tiles_sound(rules, state) else BAD_TILES
    flags |= 0 if phase_sound(rules, state) else BAD_PHASE
    if flags != 0:
        return flags
    flags |= 0 if dice_sound(rules, state) else BAD_DICE
    flags |= 0 if bare_sound(rules, state) else BAD_BARE
    flags |= 0 if actor_sound(rules, state) else BAD_ACTOR
    flags |= 0 if given_sound(rules, state) else BAD_GIVEN
    flags |= BAD_CONTEXT if flags == 0 and not context_sound(rules, state) else 0
    return flags


@kernel
def within(value: int, low: int, high: int) -> bool:
    """Tell whether low <= value <= high."""
    return value >= low and value <= high


@kernel
def ranges_sound(rules: Record, state: Record) -> bool:
    """Tell whether every field is in its range."""
    players, participants = int(rules.players), int(rules.participants)
    sound = within(int(state.node), Node.VISIT, Node.OVER) and within(int(state.actor), NONE, players - 1)
    sound = sound and within(int(state.first), NONE, players - 1)
    sound = sound and within(int(state.visit), 0, int(rules.visits)) and within(int(state.hand), 0, int(rules.last))
    sound = sound and within(int(state.here), NONE, Sector.MARKET) and within(int(state.submarine), 0, Sector.MARKET)
    sound = sound and within(int(state.beneficiary), NONE, participants - 1)
    sound = sound and within(int(state.chain), 0, int(rules.chain_cap)) and int(state.round_number) >= 0
    sound = sound and within(int(state.choice_type), NONE, data.NUM_TYPES - 1)
    sound = sound and within(int(state.choice_sector), NONE, Sector.MARKET)
    for district in range(data.NUM_DISTRICTS):
        sound = sound and within(int(state.tile[district]), 0, data.TILES_PER_DISTRICT)
        sound = sound and within(int(state.hidden[district]), 0, (1 << data.TILES_PER_DISTRICT) - 1)
        sound = sound and within(int(state.bare[district]), 0, 1)
    if state.first != NONE:
        for seat in range(players):  # points are never lost, those of the start neither (14.7)
            sound = sound and int(state.points[seat]) >= board.handicap(rules, state, seat) // 2
    for participant in range(data.MAX_PLAYERS):
        present = participant < participants
        sound = sound and (int(state.points[participant]) == 0 or (present and state.points[participant] > 0))
        sound = sound and (present or board.stock_total(state, participant) == 0)
        sound = sound and within(int(state.given[participant]), 0, 1) and within(int(state.blocked[participant]), 0, 1)
        sound = sound and (participant < players or (state.given[participant] == 0 and state.blocked[participant] == 0))
    for tile in range(data.NUM_DISTRICTS * data.TILES_PER_DISTRICT):
        sound = sound and within(int(state.owner[tile]), NONE, participants - 1)
    return sound


@kernel
def pieces_sound(rules: Record, state: Record) -> bool:
    """Tell whether no type has more than 12 pieces, a negative number, pieces while not live, or pieces on an exhausted
    District.
    """
    for kind in range(data.NUM_TYPES):
        count = 0
        for sector in range(data.NUM_SECTORS):
            if state.resources[sector, kind] < 0 or (
                state.resources[sector, kind] > 0 and not board.is_live(state, sector)
            ):
                return False
            count += int(state.resources[sector, kind])
        for participant in range(int(rules.participants)):
            if state.stock[participant, kind] < 0:
                return False
            count += int(state.stock[participant, kind])
        if count > data.MAX_PIECES_OF_TYPE or (count > 0 and not board.is_live(state, kind)):
            return False
    return True


@kernel
def tiles_sound(rules: Record, state: Record) -> bool:
    """Tell whether each tile is in one place, and only Districts waiting for a reveal show none of theirs (17.2)."""
    waiting = 0
    for district in range(data.NUM_DISTRICTS):
        tile, hidden = int(state.tile[district]), int(state.hidden[district])
        if tile != 0 and hidden >> (tile - 1) & 1:
            return False
        for index in range(data.TILES_PER_DISTRICT):
            owned = state.owner[data.TILES_PER_DISTRICT * district + index] != NONE
            if owned and (tile == index + 1 or hidden >> index & 1):
                return False
        if tile == 0 and hidden != 0:
            waiting += 1
            if hidden & (hidden - 1) == 0:  # a single tile is revealed without a node (7.7)
                return False
    if state.node != Node.REVEAL:
        return waiting == 0
    return waiting == 1 or (waiting > 1 and state.round_number == 0)


@kernel
def in_setup(state: Record) -> bool:
    """Tell whether the position is before the first opening (3.2, 3.3)."""
    return state.node == Node.FIRST_PLAYER or (state.node == Node.REVEAL and state.round_number == 0)


@kernel
def phase_sound(rules: Record, state: Record) -> bool:
    """Tell whether round, first player, visit and hand fit the node (17.1, 17.5)."""
    at = int(state.node)
    if in_setup(state):
        return state.round_number == 0 and state.first == NONE and state.visit == 0
    if state.round_number == 0 or state.first == NONE:
        return False
    if at == Node.DIE:
        return state.visit == 0
    if at == Node.DONATE or at == Node.DONATE_MORE:
        space = int(rules.clock[int(state.hand)])
        return state.visit == rules.visits and space == Space.DONATION and state.hand != rules.last
    if at == Node.OVER:
        return state.visit == rules.visits and state.hand == rules.last
    return state.visit < rules.visits


@kernel
def dice_due(rules: Record, state: Record) -> int:
    """Return the dice that must lie at this node; at ``die`` the most that may lie (17.4)."""
    at = int(state.node)
    if in_setup(state):
        return 0
    if at == Node.DIE:
        return int(rules.num_dice) - 1
    if at == Node.VISIT or state.visit == rules.visits:
        return int(rules.num_dice) - int(state.visit)
    return int(rules.num_dice) - int(state.visit) - 1


@kernel
def dice_sound(rules: Record, state: Record) -> bool:
    """Tell whether as many dice lie as must, none beside an exhausted District unless orphans stay (17.4)."""
    lying = 0
    for sector in range(data.NUM_SECTORS):
        if state.dice[sector] < 0 or (
            state.dice[sector] > 0 and not (board.is_live(state, sector) or rules.orphans_stay)
        ):
            return False
        lying += int(state.dice[sector])
    due = dice_due(rules, state)
    return lying <= due if state.node == Node.DIE else lying == due


@kernel
def inside_visit(state: Record) -> bool:
    """Tell whether the node lies in step (b) or (c) of a visit or in the stock check."""
    at = int(state.node)
    return state.here != NONE or (at == Node.REVEAL and state.round_number > 0)


@kernel
def bare_sound(rules: Record, state: Record) -> bool:
    """Tell whether bare Districts are live and empty: some, in a stock check; if spared, all outside a visit (17.4)."""
    in_check = state.node == Node.REVEAL and state.round_number > 0
    for district in range(data.NUM_DISTRICTS):
        empty = board.is_live(state, district) and board.pieces_on(state, district) == 0
        bare = state.bare[district] != 0
        if bare and not (empty and (in_check or rules.bare_spared != 0)):
            return False
        if empty and not bare and rules.bare_spared != 0 and not inside_visit(state):
            return False
    return True


@kernel
def actor_sound(rules: Record, state: Record) -> bool:
    """Tell whether the actor is nobody at chance and at the end, a donor that can pay, else the visitor (17.4)."""
    at, actor = int(state.node), int(state.actor)
    if at >= Node.REVEAL:
        return actor == NONE
    if actor == NONE:
        return False
    if at == Node.DONATE:
        return board.stock_total(state, actor) >= data.DONATION_PRICE
    if at == Node.DONATE_MORE:
        return board.stock_total(state, actor) >= 1
    return actor == board.visitor(rules, state)


@kernel
def given_sound(rules: Record, state: Record) -> bool:
    """Tell whether ``given`` is set with two players only, ``blocked`` with that option only, neither in setup and
    opening (9.2, 14.2).
    """
    opening = in_setup(state) or state.node == Node.DIE
    for seat in range(int(rules.players)):
        if state.given[seat] and (opening or int(rules.participants) == int(rules.players)):
            return False
        if state.blocked[seat] and (opening or not rules.block_round):
            return False
    return True


# ------------------------------------------------------------------------------------------------- context (17.1)


@kernel
def context_sound(rules: Record, state: Record) -> bool:
    """Tell whether Sector, beneficiary and choice belong to the node, and the node has something to decide."""
    at = int(state.node)
    visiting = (at > Node.VISIT and at <= Node.SUBMARINE) or at == Node.ROLL or at == Node.REROLL
    if not visiting:
        return state.here == NONE and state.beneficiary == NONE and state.chain == 0 and choice_is(state, False, False)
    if state.here == NONE or not beneficiary_sound(rules, state) or not choice_sound(rules, state, at):
        return False
    here = int(state.here)
    if at == Node.TAKE:
        return board.pieces_on(state, here) > 0
    if at == Node.BONUS:
        blocked = here == Sector.MACHINERY and state.blocked[board.visitor(rules, state)] != 0
        return state.submarine == here and not blocked and board.pieces_on(state, here) > 0
    if at == Node.EFFECT:
        return rules.optional_effects != 0 and effects.effect_applies(rules, state)
    return effect_node_sound(rules, state, at, board.visible_tile(state, here))


@kernel
def beneficiary_sound(rules: Record, state: Record) -> bool:
    """Tell whether the beneficiary is the visitor, or neutral once the visitor has given (9.2)."""
    seat = board.visitor(rules, state)
    if state.beneficiary == seat:
        return True
    return state.beneficiary == rules.players and state.given[seat] != 0


@kernel
def choice_is(state: Record, has_type: bool, has_sector: bool) -> bool:
    """Tell whether exactly these parts of a choice have been named."""
    return (state.choice_type != NONE) == has_type and (state.choice_sector != NONE) == has_sector


@kernel
def choice_sound(rules: Record, state: Record, at: int) -> bool:
    """Tell whether the part chosen so far fits the node and can be completed (10.2)."""
    kind, sector = int(state.choice_type), int(state.choice_sector)
    if at == Node.RAID_TAKE:
        return choice_is(state, False, True) and sector != Sector.MARKET and effects.can_raid(state, sector)
    if at == Node.SWAP_WITH:
        return choice_is(state, True, False) and effects.can_swap_out(rules, state, kind)
    if at == Node.SWAP_IN:
        if not choice_is(state, True, True) or sector == Sector.MARKET:
            return False
        return state.resources[Sector.JEWELER, kind] > 0 and effects.can_swap_with(rules, state, kind, sector)
    if at == Node.MOVE_TO:
        return choice_is(state, True, False) and state.resources[effects.move_source(state), kind] > 0
    if at == Node.DIE_TO:
        return choice_is(state, False, True) and state.dice[sector] > 0
    return choice_is(state, False, False)


@kernel
def effect_node_sound(rules: Record, state: Record, at: int, tile: int) -> bool:
    """Tell whether the visible tile has this node, and the node has an option (6.4 - 6.16)."""
    if at == Node.ROLL:
        return (
            tile == Tile.J1
            or tile == Tile.L1
            or tile == Tile.I1
            or tile == Tile.F1
            or tile == Tile.F3
            or can_chain(rules, state, tile)
        )
    if at == Node.REROLL:
        return can_chain(rules, state, tile)
    if at == Node.EXTRA:
        taking = (
            tile == Tile.J1
            or tile == Tile.F1
            or tile == Tile.F3
            or (tile == Tile.L3 and effects.is_second_die(rules, state))
        )
        return taking and board.pieces_on(state, effects.extra_source(state)) > 0
    if at == Node.RAID:
        return tile == Tile.L1 and some_raid(state)
    if at == Node.RAID_TAKE:
        return tile == Tile.L1
    if at == Node.SWAP_OUT or at == Node.SWAP_WITH or at == Node.SWAP_IN:
        return tile == Tile.J2 and effects.effect_applies(rules, state)
    if at == Node.MOVE_TYPE:
        return (tile == Tile.L2 or tile == Tile.I2 or tile == Tile.F2) and effects.effect_applies(rules, state)
    if at == Node.MOVE_TO:
        return (tile == Tile.I2 or tile == Tile.F2) and effects.effect_applies(rules, state)
    if at == Node.DIE_FROM or at == Node.DIE_TO:
        return tile == Tile.I3
    return tile == Tile.M1 or tile == Tile.M2 or tile == Tile.M3


@kernel
def can_chain(rules: Record, state: Record, tile: int) -> bool:
    """Tell whether J3 may chain once more: its cap is not reached (6.6)."""
    return tile == Tile.J3 and state.chain < rules.chain_cap


@kernel
def some_raid(state: Record) -> bool:
    """Tell whether L1 has a District to name (6.7)."""
    for district in range(data.NUM_DISTRICTS):
        if effects.can_raid(state, district):
            return True
    return False


assert Sector.LIBRARY < Sector.MACHINERY
