"""The legal options of every decision node (9.1)."""

from __future__ import annotations

from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.actions import Act
from atlantis_envs.games.atlantis.rules import chains, path, payment
from atlantis_envs.games.atlantis.state import Phase
from atlantis_envs.kernels.kernel import kernel


@kernel
def legal(rules: Record, state: Record, mask: Row) -> None:
    """Mark the legal actions of the seat to decide; all zeros at chance nodes and at the end."""
    mask[:] = 0
    phase = int(state.phase)
    if phase == Phase.TURN:
        mark_turn(rules, state, mask)
    elif phase == Phase.PLAY:
        found = chains.playable_now(rules, state, path.occupied_spaces(rules, state))
        for thing in range(data.NUM_OBJECTS):
            mask[Act.PLAY + thing] = found >> thing & 1
    elif phase == Phase.PAY:
        payment.mark_payments(rules, state, mask)
    elif phase == Phase.AFTER:
        mask[Act.DONE] = 1
        mark_bridges(state, mask)


@kernel
def mark_turn(rules: Record, state: Record, mask: Row) -> None:
    """Mark sales, bridges, and a pawn or else a pass, so that something is always legal (D1; 9.4)."""
    seat = int(state.seat)
    if state.bridged == 0 and int(state.sold) < int(rules.sales):
        for value in range(data.SMALLEST_SALE, data.NUM_VALUES + 1):
            mask[Act.SELL + value] = state.tiles[seat, value - 1] > 0
        if rules.sell_ones != 0:
            mask[Act.SELL_ONE] = state.tiles[seat, 0] > 0
    mark_bridges(state, mask)
    occupied = path.occupied_spaces(rules, state)
    hand, bought = chains.packed(state.hand[seat]), chains.bought_of(rules, state)
    funds = chains.funds_of(rules, state, seat)
    stuck = 1
    for pawn in range(data.NUM_PAWNS):
        if chains.choosable(state, pawn, occupied, hand, bought, funds):
            mask[Act.PAWN + pawn] = 1
            stuck = 0
    mask[Act.PASS] = stuck


@kernel
def mark_bridges(state: Record, mask: Row) -> None:
    """Mark all unbridged gaps for a seat that still has its bridge (6.9)."""
    if state.bridge[int(state.seat)] != 0:
        gaps = int(state.gaps)
        while gaps != 0:
            mask[Act.BRIDGE + lowest(gaps)] = 1
            gaps &= gaps - 1
