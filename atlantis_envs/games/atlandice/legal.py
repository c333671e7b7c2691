"""The legal options of every decision node (the table of 10.1)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlandice.actions import (
    DECLINE_BONUS,
    DECLINE_EFFECT,
    DIE_FROM,
    DIE_TO,
    MOVE,
    MOVE_TO,
    PAY,
    RAID,
    STOP_PAYING,
    SUBMARINE,
    SWAP_IN,
    SWAP_OUT,
    SWAP_WITH,
    TAKE,
    USE_EFFECT,
    VISIT,
    VISIT_NEUTRAL,
)
from atlantis_envs.games.atlandice.board import is_live, ordinal
from atlantis_envs.games.atlandice.data import JEWELER, NUM_DISTRICTS, NUM_SECTORS, NUM_TYPES
from atlantis_envs.games.atlandice.effects import (
    can_move_to,
    can_put_die,
    can_raid,
    can_swap_out,
    can_swap_with,
    extra_source,
    may_swap,
    move_source,
    raid_district,
)
from atlantis_envs.games.atlandice.state import (
    NODE_BONUS,
    NODE_DIE_FROM,
    NODE_DIE_TO,
    NODE_DONATE,
    NODE_DONATE_MORE,
    NODE_EFFECT,
    NODE_EXTRA,
    NODE_MOVE_TO,
    NODE_MOVE_TYPE,
    NODE_RAID,
    NODE_RAID_TAKE,
    NODE_SUBMARINE,
    NODE_SWAP_IN,
    NODE_SWAP_OUT,
    NODE_SWAP_WITH,
    NODE_TAKE,
    NODE_VISIT,
)

GIVING_ORDINAL_LIMIT = 3  # a seat's third die must be given if none has been (9.2)
NUM_RAIDS = 4


@kernel
def legal(rules: Record, state: Record, mask: Row) -> None:
    """Mark the legal actions of the seat to decide; all zeros at chance nodes and at the end."""
    mask[:] = 0
    at = int(state.node)
    if at == NODE_VISIT:
        mark_visits(rules, state, mask)
    elif at == NODE_TAKE:
        mark_pieces(state, int(state.here), mask, TAKE)
    elif at == NODE_BONUS:
        mark_pieces(state, int(state.here), mask, TAKE)
        mask[DECLINE_BONUS] = rules.optional_effects
    elif at == NODE_EFFECT:
        mask[USE_EFFECT] = 1
        mask[DECLINE_EFFECT] = 1
    elif at == NODE_EXTRA:
        mark_pieces(state, extra_source(state), mask, TAKE)
    elif at == NODE_RAID:
        for number in range(NUM_RAIDS):
            mask[RAID + number] = can_raid(state, raid_district(RAID + number))
    elif at == NODE_RAID_TAKE:
        mark_pieces(state, int(state.choice_sector), mask, TAKE)
    elif at >= NODE_SWAP_OUT and at <= NODE_SWAP_IN:
        mark_swap(rules, state, at, mask)
    elif at == NODE_MOVE_TYPE:
        mark_pieces(state, move_source(state), mask, MOVE)
    elif at == NODE_MOVE_TO:
        for district in range(NUM_DISTRICTS):
            mask[MOVE_TO + district] = can_move_to(state, district)
    elif at == NODE_DIE_FROM:
        mark_dice(state, mask, DIE_FROM)
    elif at == NODE_DIE_TO:
        for sector in range(NUM_SECTORS):
            mask[DIE_TO + sector] = can_put_die(state, int(state.choice_sector), sector)
    elif at == NODE_SUBMARINE:
        for sector in range(NUM_SECTORS):
            mask[SUBMARINE + sector] = is_live(state, sector) and sector != int(state.submarine)
    elif at == NODE_DONATE or at == NODE_DONATE_MORE:
        for kind in range(NUM_TYPES):
            mask[PAY + kind] = state.stock[int(state.actor), kind] > 0
        mask[STOP_PAYING] = at == NODE_DONATE


@kernel
def mark_pieces(state: Record, sector: int, mask: Row, start: int) -> None:
    """Every type lying on a Sector."""
    for kind in range(NUM_TYPES):
        mask[start + kind] = state.resources[sector, kind] > 0


@kernel
def mark_dice(state: Record, mask: Row, start: int) -> None:
    """Every Sector with a die beside it."""
    for sector in range(NUM_SECTORS):
        mask[start + sector] = state.dice[sector] > 0


@kernel
def mark_visits(rules: Record, state: Record, mask: Row) -> None:
    """D1: for itself; with two players also, or only, for neutral (5.3, 9.2)."""
    if int(rules.participants) == int(rules.players):
        mark_dice(state, mask, VISIT)
        return
    given = state.given[int(state.actor)] != 0
    if given or ordinal(rules, state) < GIVING_ORDINAL_LIMIT:
        mark_dice(state, mask, VISIT)
    if not given:
        mark_dice(state, mask, VISIT_NEUTRAL)


@kernel
def mark_swap(rules: Record, state: Record, at: int, mask: Row) -> None:
    """D8 - D10, the exchange of J2 (6.5)."""
    out_kind = int(state.choice_type)
    if at == NODE_SWAP_OUT:
        for kind in range(NUM_TYPES):
            mask[SWAP_OUT + kind] = can_swap_out(rules, state, kind)
    elif at == NODE_SWAP_WITH:
        for district in range(JEWELER + 1, NUM_DISTRICTS):
            mask[SWAP_WITH + district - 1] = can_swap_with(rules, state, out_kind, district)
    else:
        partner = int(state.choice_sector)
        for kind in range(NUM_TYPES):
            mask[SWAP_IN + kind] = state.resources[partner, kind] > 0 and may_swap(rules, out_kind, kind)
