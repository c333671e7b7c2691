"""The legal options of every decision node (the table of 10.1)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.actions import Act
from atlantis_envs.games.atlandice.data import Sector
from atlantis_envs.games.atlandice.rules import board, effects
from atlantis_envs.games.atlandice.state import Node
from atlantis_envs.kernels.kernel import kernel

GIVING_ORDINAL_LIMIT = 3  # a seat's third die must be given if none has been (9.2)
NUM_RAIDS = 4


@kernel
def legal(rules: Record, state: Record, mask: Row) -> None:
    """Mark the legal actions of the seat to decide; all zeros at chance nodes and at the end."""
    mask[:] = 0
    at = int(state.node)
    if at == Node.VISIT:
        mark_visits(rules, state, mask)
    elif at == Node.TAKE:
        mark_pieces(state, int(state.here), mask, Act.TAKE)
    elif at == Node.BONUS:
        mark_pieces(state, int(state.here), mask, Act.TAKE)
        mask[Act.DECLINE_BONUS] = rules.optional_effects
    elif at == Node.EFFECT:
        mask[Act.USE_EFFECT] = 1
        mask[Act.DECLINE_EFFECT] = 1
    elif at == Node.EXTRA:
        mark_pieces(state, effects.extra_source(state), mask, Act.TAKE)
    elif at == Node.RAID:
        for index in range(NUM_RAIDS):
            mask[Act.RAID + index] = effects.can_raid(state, effects.raid_district(Act.RAID + index))
    elif at == Node.RAID_TAKE:
        mark_pieces(state, int(state.choice_sector), mask, Act.TAKE)
    elif at >= Node.SWAP_OUT and at <= Node.SWAP_IN:
        mark_swap(rules, state, at, mask)
    elif at == Node.MOVE_TYPE:
        mark_pieces(state, effects.move_source(state), mask, Act.MOVE)
    elif at == Node.MOVE_TO:
        for district in range(data.NUM_DISTRICTS):
            mask[Act.MOVE_TO + district] = effects.can_move_to(state, district)
    elif at == Node.DIE_FROM:
        mark_dice(state, mask, Act.DIE_FROM)
    elif at == Node.DIE_TO:
        for sector in range(data.NUM_SECTORS):
            mask[Act.DIE_TO + sector] = effects.can_put_die(state, int(state.choice_sector), sector)
    elif at == Node.SUBMARINE:
        for sector in range(data.NUM_SECTORS):
            mask[Act.SUBMARINE + sector] = board.is_live(state, sector) and sector != int(state.submarine)
    elif at == Node.DONATE or at == Node.DONATE_MORE:
        for kind in range(data.NUM_TYPES):
            mask[Act.PAY + kind] = state.stock[int(state.actor), kind] > 0
        mask[Act.STOP_PAYING] = at == Node.DONATE


@kernel
def mark_pieces(state: Record, sector: int, mask: Row, start: int) -> None:
    """Mark every type that lies on a Sector."""
    for kind in range(data.NUM_TYPES):
        mask[start + kind] = state.resources[sector, kind] > 0


@kernel
def mark_dice(state: Record, mask: Row, start: int) -> None:
    """Mark every Sector with a die beside it."""
    for sector in range(data.NUM_SECTORS):
        mask[start + sector] = state.dice[sector] > 0


@kernel
def mark_visits(rules: Record, state: Record, mask: Row) -> None:
    """Mark visits for the seat itself and, with two players, also or only for neutral (D1; 5.3, 9.2)."""
    if int(rules.participants) == int(rules.players):
        mark_dice(state, mask, Act.VISIT)
        return
    given = state.given[int(state.actor)] != 0
    if given or board.ordinal(rules, state) < GIVING_ORDINAL_LIMIT:
        mark_dice(state, mask, Act.VISIT)
    if not given:
        mark_dice(state, mask, Act.VISIT_NEUTRAL)


@kernel
def mark_swap(rules: Record, state: Record, at: int, mask: Row) -> None:
    """Mark what the exchange of J2 may name next (D8 - D10; 6.5)."""
    out_kind = int(state.choice_type)
    if at == Node.SWAP_OUT:
        for kind in range(data.NUM_TYPES):
            mask[Act.SWAP_OUT + kind] = effects.can_swap_out(rules, state, kind)
    elif at == Node.SWAP_WITH:
        for district in range(Sector.JEWELER + 1, data.NUM_DISTRICTS):
            mask[Act.SWAP_WITH + district - 1] = effects.can_swap_with(rules, state, out_kind, district)
    else:
        partner = int(state.choice_sector)
        for kind in range(data.NUM_TYPES):
            mask[Act.SWAP_IN + kind] = state.resources[partner, kind] > 0 and effects.may_swap(rules, out_kind, kind)
