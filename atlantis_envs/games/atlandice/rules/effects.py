"""The tile effects (section 6): when they can be carried out, how they begin, and what each choice does."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.actions import Act
from atlantis_envs.games.atlandice.data import Sector, Success, Tile
from atlantis_envs.games.atlandice.rules import board
from atlantis_envs.games.atlandice.state import NONE, Node
from atlantis_envs.kernels.kernel import kernel

DONE = True  # an effect step says whether the effect is over
WAITING = False


@kernel
def effect_applies(rules: Record, state: Record) -> bool:
    """Tell whether there is an effect here that can be carried out now; the market has none (6.1, 6.2, 6.17, 10.4)."""
    tile = board.visible_tile(state, int(state.here))
    if tile == board.NO_TILE:
        return False
    if tile == Tile.J2:
        return can_exchange(rules, state)
    if tile == Tile.J3:
        return int(state.chain) < int(rules.chain_cap)
    if tile == Tile.L2:
        return board.pieces_on(state, Sector.LIBRARY) > 0
    if tile == Tile.L3:
        return is_second_die(rules, state) and board.pieces_on(state, Sector.LIBRARY) > 0
    if tile == Tile.I2:
        return board.pieces_on(state, Sector.MARKET) > 0 and board.live_districts(state) > 1
    if tile == Tile.F2:
        return board.pieces_on(state, int(state.here)) > 0 and board.live_districts(state) > 1
    return True


@kernel
def is_second_die(rules: Record, state: Record) -> bool:
    """Tell whether the die that was taken meets L3's condition (6.9, 9.4, 14.3)."""
    if not rules.l3_counts_beneficiary:
        return board.ordinal(rules, state) == data.L3_ORDINAL
    if int(state.beneficiary) == int(rules.players):
        return int(state.given[0]) + int(state.given[1]) == data.L3_ORDINAL
    return board.ordinal(rules, state) - int(state.given[board.visitor(rules, state)]) == data.L3_ORDINAL


@kernel
def begin_effect(rules: Record, state: Record) -> None:
    """Stop at the first node of the effect of the tile visible here (6.4 - 6.16)."""
    tile = board.visible_tile(state, int(state.here))
    state.actor = board.visitor(rules, state)
    if tile == Tile.J2:
        state.node = Node.SWAP_OUT
    elif tile == Tile.L2 or tile == Tile.I2 or tile == Tile.F2:
        state.node = Node.MOVE_TYPE
    elif tile == Tile.L3:
        state.node = Node.EXTRA
    elif tile == Tile.I3:
        state.node = Node.DIE_FROM
    elif tile == Tile.M1 or tile == Tile.M2 or tile == Tile.M3:
        state.node = Node.SUBMARINE
    else:
        state.node = Node.ROLL
        state.actor = NONE


@kernel
def extra_source(state: Record) -> int:
    """Return the Sector node ``extra`` takes from: the market for F3, else the one visited (6.4, 6.9, 6.14, 6.16)."""
    here = int(state.here)
    return Sector.MARKET if board.visible_tile(state, here) == Tile.F3 else here


# ----------------------------------------------------------------------------------------------- rolls (6.2, 5.8)


@kernel
def roll_succeeds(tile: int, face: int) -> bool:
    """Tell whether a face is a success for a tile that rolls (2.3)."""
    bit = 1 << face
    if tile == Tile.J1:
        return bit & Success.J1 != 0
    if tile == Tile.J3:
        return bit & Success.J3 != 0
    if tile == Tile.L1:
        return bit & Success.L1 != 0
    if tile == Tile.I1:
        return bit & Success.I1 != 0
    if tile == Tile.F1:
        return bit & Success.F1 != 0
    return bit & Success.F3 != 0


@kernel
def after_roll(rules: Record, state: Record, face: int) -> bool:
    """Carry out what the roll of an effect leads to (6.4, 6.6, 6.7, 6.10, 6.14, 6.16)."""
    tile = board.visible_tile(state, int(state.here))
    if not roll_succeeds(tile, face):
        return DONE
    if tile == Tile.J3:
        state.node = Node.REROLL
        return WAITING
    if tile == Tile.I1:
        state.hand = min(int(rules.last), int(state.hand) + 1)
        return DONE
    if tile == Tile.L1:
        return begin_raid(rules, state)
    if board.pieces_on(state, extra_source(state)) == 0:
        return DONE
    state.node = Node.EXTRA
    state.actor = board.visitor(rules, state)
    return WAITING


# ------------------------------------------------------------------------------------------------- taking (6.7)


@kernel
def take_from(state: Record, sector: int, kind: int) -> None:
    """Move one piece from a Sector to the beneficiary (5.3)."""
    state.resources[sector, kind] -= 1
    state.stock[int(state.beneficiary), kind] += 1


@kernel
def can_raid(state: Record, district: int) -> bool:
    """Tell whether a District other than the library holds a piece; an exhausted one holds none (6.7)."""
    return district != Sector.LIBRARY and board.pieces_on(state, district) > 0


@kernel
def begin_raid(rules: Record, state: Record) -> bool:
    """Begin L1's raid after a successful roll, if there is a District to raid (6.7)."""
    for district in range(data.NUM_DISTRICTS):
        if can_raid(state, district):
            state.node = Node.RAID
            state.actor = board.visitor(rules, state)
            return WAITING
    return DONE


@kernel
def raid_district(action: int) -> int:
    """Return the District that an action ``raid X`` names."""
    index = action - Act.RAID
    return index if index < Sector.LIBRARY else index + 1


@kernel
def apply_raid(state: Record, action: int) -> bool:
    """Name the District that L1 takes from (6.7)."""
    state.choice_sector = raid_district(action)
    state.node = Node.RAID_TAKE
    return WAITING


@kernel
def apply_raid_take(state: Record, action: int) -> bool:
    """Take the piece that L1 takes (6.7)."""
    take_from(state, int(state.choice_sector), action - Act.TAKE)
    return DONE


# ----------------------------------------------------------------------------------------------- exchange (6.5)


@kernel
def may_swap(rules: Record, out_kind: int, in_kind: int) -> bool:
    """Tell whether two types may be exchanged: equal ones only with option same_type_exchange (6.5)."""
    return out_kind != in_kind or rules.same_type_exchange != 0


@kernel
def can_swap_with(rules: Record, state: Record, out_kind: int, district: int) -> bool:
    """Tell whether a District holds a piece the type may be exchanged for (6.5)."""
    if district == Sector.JEWELER:
        return False
    for in_kind in range(data.NUM_TYPES):
        if state.resources[district, in_kind] > 0 and may_swap(rules, out_kind, in_kind):
            return True
    return False


@kernel
def can_swap_out(rules: Record, state: Record, out_kind: int) -> bool:
    """Tell whether a type on the jeweler can be exchanged at all (6.5)."""
    if state.resources[Sector.JEWELER, out_kind] == 0:
        return False
    for district in range(data.NUM_DISTRICTS):
        if can_swap_with(rules, state, out_kind, district):
            return True
    return False


@kernel
def can_exchange(rules: Record, state: Record) -> bool:
    """Tell whether some exchange of J2 is possible (6.5)."""
    for out_kind in range(data.NUM_TYPES):
        if can_swap_out(rules, state, out_kind):
            return True
    return False


@kernel
def apply_swap_out(state: Record, action: int) -> bool:
    """Name the type that leaves the jeweler (J2, 6.5)."""
    state.choice_type = action - Act.SWAP_OUT
    state.node = Node.SWAP_WITH
    return WAITING


@kernel
def apply_swap_with(state: Record, action: int) -> bool:
    """Name the District that J2 exchanges with (6.5)."""
    state.choice_sector = action - Act.SWAP_WITH + 1
    state.node = Node.SWAP_IN
    return WAITING


@kernel
def apply_swap_in(state: Record, action: int) -> bool:
    """Exchange the two pieces of J2 at once (6.5)."""
    out_kind, in_kind, partner = int(state.choice_type), action - Act.SWAP_IN, int(state.choice_sector)
    state.resources[Sector.JEWELER, out_kind] -= 1
    state.resources[partner, in_kind] -= 1
    board.put_piece(state, Sector.JEWELER, in_kind)
    board.put_piece(state, partner, out_kind)
    return DONE


# ------------------------------------------------------------------------------------- moving pieces (6.8, 6.11, 6.15)


@kernel
def move_source(state: Record) -> int:
    """Return where node ``move_type`` takes from: the market for I2, else the Sector visited (6.8, 6.11, 6.15)."""
    here = int(state.here)
    return Sector.MARKET if board.visible_tile(state, here) == Tile.I2 else here


@kernel
def can_move_to(state: Record, district: int) -> bool:
    """Tell whether a District is live and not the one visited: the inn for I2, the forge for F2 (6.11, 6.15)."""
    return district != int(state.here) and board.is_live(state, district)


@kernel
def apply_move_type(state: Record, action: int) -> bool:
    """Move L2's piece to the market at once; for I2 and F2, go on to ask where to (6.8, 6.11, 6.15)."""
    kind = action - Act.MOVE
    if int(state.here) == Sector.LIBRARY:
        state.resources[Sector.LIBRARY, kind] -= 1
        board.put_piece(state, Sector.MARKET, kind)
        return DONE
    state.choice_type = kind
    state.node = Node.MOVE_TO
    return WAITING


@kernel
def apply_move_to(state: Record, action: int) -> bool:
    """Move the piece of I2 or F2 (6.11, 6.15)."""
    kind = int(state.choice_type)
    state.resources[move_source(state), kind] -= 1
    board.put_piece(state, action - Act.MOVE_TO, kind)
    return DONE


# ----------------------------------------------------------------------------------- dice and submarine (6.12, 6.13)


@kernel
def can_put_die(state: Record, source: int, sector: int) -> bool:
    """Tell whether a die may go there: another live Sector, or the market again if it has several values (6.12)."""
    if sector == source:
        return sector == Sector.MARKET and board.live_districts(state) < data.NUM_DISTRICTS
    return board.is_live(state, sector)


@kernel
def apply_die_from(state: Record, action: int) -> bool:
    """Name the die that I3 moves by where it lies (6.12)."""
    state.choice_sector = action - Act.DIE_FROM
    state.node = Node.DIE_TO
    return WAITING


@kernel
def apply_die_to(state: Record, action: int) -> bool:
    """Move the die of I3 (6.12)."""
    state.dice[int(state.choice_sector)] -= 1
    state.dice[action - Act.DIE_TO] += 1
    return DONE


@kernel
def apply_submarine(rules: Record, state: Record, action: int) -> bool:
    """Move the submarine (M1, M2, M3; 6.13, 14.2)."""
    sector = action - Act.SUBMARINE
    state.submarine = sector
    if sector == Sector.MACHINERY and rules.block_round:
        state.blocked[board.visitor(rules, state)] = 1
    return DONE
