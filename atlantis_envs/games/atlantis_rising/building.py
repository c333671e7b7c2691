"""Building components on the gates (section 8)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import BUILD, DISCOUNT
from atlantis_envs.games.atlantis_rising.board import owner_of, reshuffle_library, send_home
from atlantis_envs.games.atlantis_rising.data import (
    AEGIS_BARRIERS,
    AEGIS_EMITTER,
    ARTIFICER,
    BLUEPRINT_SIZE,
    ENERGY,
    ENTROPY_DRIVE,
    GOLD,
    LEADER,
    MATRIX_ENERGY,
    MAX_PLAYERS,
    MEMORY_CRYSTAL,
    MUSTER_ARRAY,
    MUSTER_RECRUITS,
    NUM_COMPONENTS,
    NUM_PRICE_TYPES,
    POWER_CORE,
    REGULATOR_DRAINS,
    SOLAR_MATRIX,
    TIDAL_REGULATOR,
)
from atlantis_envs.games.atlantis_rising.payment import begin_share, forget_build
from atlantis_envs.games.atlantis_rising.stack import RUNNING, WAITING, finish_game, pop, push, set_none, wait
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    BY_CORE,
    COMPONENT,
    DONE_SHIFT,
    FOR_BUILD,
    FRAME_BUILD,
    FRAME_EBB,
    FRAME_MEMORY,
    FRAME_MUSTER,
    FRAME_WARD,
    LEFT,
    MAY,
    NODE_BUILD,
    NODE_DISCOUNT,
    NONE,
    ORDER,
    PLACE_AT,
    PRICE,
    READY_SHIFT,
    SEAT,
)

NO_DISCOUNT = -1
ANY_DISCOUNT = -2  # one item of some type less
LEADER_BITS = 1 << READY_SHIFT[LEADER] | 1 << DONE_SHIFT[LEADER]


@kernel
def takes_part(state: Record, gate: int, seat: int) -> bool:
    """A piece other than the automaton stands on the gate (8.1)."""
    return int(state.pieces[gate, seat]) & ~AUTOMATON_BIT != 0


@kernel
def participants(state: Record, gate: int) -> int:
    """How many seats take part."""
    count = 0
    for seat in range(MAX_PLAYERS):
        if takes_part(state, gate, seat):
            count += 1
    return count


@kernel
def gate_resolvable(rules: Record, state: Record, gate: int, seat: int) -> bool:
    """8.2."""
    if state.build_limit != 0 and state.built_this_round >= 1:
        return False
    if state.barred[seat] != 0 and participants(state, gate) > 1:
        return False
    cover = covered(rules, state, gate)
    artificer = state.special_at[ARTIFICER] == gate
    for component in range(POWER_CORE):
        if state.blueprint[component] != 0:
            missing = 0
            for kind in range(NUM_PRICE_TYPES):
                missing += max(0, int(rules.price[component, kind]) - (cover >> 16 * kind & 0x7FFF))
            if missing == 0 or (missing == 1 and artificer):
                return True
    return core_buildable(rules, state, gate, ANY_DISCOUNT if artificer else NO_DISCOUNT)


@kernel
def covered(rules: Record, state: Record, gate: int) -> int:
    """The participants' holdings of the four price types, 15 bits each, large ones cut off."""
    packed = 0
    for kind in range(NUM_PRICE_TYPES):
        total = 0
        for seat in range(MAX_PLAYERS):
            if takes_part(state, gate, seat):
                total += int(state.goods[seat, GOLD + kind])
        packed |= min(total, 0x7FFF) << 16 * kind
    return packed


@kernel
def buildable(rules: Record, state: Record, gate: int, component: int, discount: int) -> bool:
    """8.3, 8.4 with no discount, a discount of one type, or ANY_DISCOUNT."""
    if state.blueprint[component] == 0:
        return False
    if component == POWER_CORE:
        return core_buildable(rules, state, gate, discount)
    cover = covered(rules, state, gate)
    missing = 0
    for kind in range(NUM_PRICE_TYPES):
        price = int(rules.price[component, kind])
        if kind == discount:
            if price == 0:
                return False
            price -= 1
        missing += max(0, price - (cover >> 16 * kind & 0x7FFF))
    return missing == 0 or (missing == 1 and discount == ANY_DISCOUNT)


@kernel
def core_buildable(rules: Record, state: Record, gate: int, discount: int) -> bool:
    """8.4: the other nine are built, all leaders are here, and everybody can give something."""
    if state.blueprint[POWER_CORE] == 0 or state.num_built < BLUEPRINT_SIZE - 1:
        return False
    for seat in range(int(rules.players)):
        if int(state.pieces[gate, seat]) & LEADER_BITS == 0:
            return False
    if discount != ANY_DISCOUNT:
        return core_payable(rules, state, discount)
    for kind in range(NUM_PRICE_TYPES):
        if core_payable(rules, state, kind):
            return True
    return False


@kernel
def core_payable(rules: Record, state: Record, discount: int) -> bool:
    """Every type is covered, and Hall's condition: every seat finds an item to give (8.4)."""
    players = int(rules.players)
    if discount >= 0 and rules.price[POWER_CORE, discount] == 0:
        return False
    for types in range(1 << NUM_PRICE_TYPES):
        room = 0
        for kind in range(NUM_PRICE_TYPES):
            if types >> kind & 1:
                room += int(rules.price[POWER_CORE, kind]) - int(kind == discount)
        for seat in range(players):
            open_types = 0
            for kind in range(NUM_PRICE_TYPES):
                price = int(rules.price[POWER_CORE, kind]) - int(kind == discount)
                if price > 0 and state.goods[seat, GOLD + kind] > 0:
                    open_types |= 1 << kind
            if open_types & ~types == 0:
                room -= 1
        if room < 0:
            return False
    for kind in range(NUM_PRICE_TYPES):
        total = 0
        for seat in range(players):
            total += int(state.goods[seat, GOLD + kind])
        if total < int(rules.price[POWER_CORE, kind]) - int(kind == discount):
            return False
    return True


@kernel
def mark_build(rules: Record, state: Record, top: int, mask: Row) -> None:
    """D20."""
    gate = int(state.frames[top, PLACE_AT])
    discount = ANY_DISCOUNT if state.special_at[ARTIFICER] == gate else NO_DISCOUNT
    for component in range(NUM_COMPONENTS):
        mask[BUILD + component] = buildable(rules, state, gate, component, discount)


@kernel
def mark_discount(rules: Record, state: Record, top: int, mask: Row) -> None:
    """D21."""
    gate, component = int(state.frames[top, PLACE_AT]), int(state.frames[top, COMPONENT])
    for kind in range(NUM_PRICE_TYPES):
        mask[DISCOUNT + kind] = buildable(rules, state, gate, component, kind)


@kernel
def begin_build(state: Record, seat: int, gate: int) -> None:
    """A gate is resolved (8.1)."""
    top = push(state, FRAME_BUILD, seat)
    state.frames[top, PLACE_AT] = gate
    state.frames[top, COMPONENT] = NONE
    set_none(state, top, PRICE, PRICE + NUM_PRICE_TYPES)


@kernel
def apply_build(rules: Record, state: Record, top: int, action: int) -> None:
    """D20: the printed price, which an artificer piece may still lower (8.5)."""
    state.frames[top, COMPONENT] = action - BUILD
    set_price(rules, state, top, NO_DISCOUNT)


@kernel
def discount_due(rules: Record, state: Record, top: int) -> bool:
    """An artificer piece is on the gate and the price is still the printed one (8.5)."""
    if state.special_at[ARTIFICER] != int(state.frames[top, PLACE_AT]):
        return False
    for kind in range(NUM_PRICE_TYPES):
        if state.frames[top, PRICE + kind] != rules.price[int(state.frames[top, COMPONENT]), kind]:
            return False
    return True


@kernel
def set_price(rules: Record, state: Record, top: int, discount: int) -> None:
    """The price of the component, less one item of the discounted type (8.5)."""
    component = int(state.frames[top, COMPONENT])
    for kind in range(NUM_PRICE_TYPES):
        state.frames[top, PRICE + kind] = int(rules.price[component, kind]) - int(kind == discount)


@kernel
def run_build(rules: Record, state: Record, top: int) -> bool:
    """D20, D21, then one payment per type; all agreed: the component is completed (8.5, 8.6)."""
    if state.frames[top, COMPONENT] == NONE:
        return wait(state, NODE_BUILD, int(state.frames[top, SEAT]))
    if discount_due(rules, state, top):
        return wait(state, NODE_DISCOUNT, owner_of(state, ARTIFICER))
    gate, opener = int(state.frames[top, PLACE_AT]), int(state.frames[top, SEAT])
    players = int(rules.players)
    for kind in range(NUM_PRICE_TYPES):
        left = int(state.frames[top, PRICE + kind])
        for seat in range(players):
            left -= int(state.paid[seat, kind])
        if left > 0:
            share = begin_share(rules, state, FOR_BUILD, opener, NONE, GOLD + kind, left)
            found = 0
            for step in range(players):
                seat = (opener + step) % players
                if takes_part(state, gate, seat):
                    state.frames[share, ORDER + found] = seat
                    found += 1
            set_none(state, share, ORDER + found, ORDER + MAX_PLAYERS)
            return RUNNING
    return complete(rules, state, top, gate, opener)


@kernel
def complete(rules: Record, state: Record, top: int, gate: int, opener: int) -> bool:
    """Everybody pays, the component is built, the pieces go home, a one-time benefit happens (8.6)."""
    component = int(state.frames[top, COMPONENT])
    players = int(rules.players)
    for seat in range(players):
        for kind in range(NUM_PRICE_TYPES):
            state.goods[seat, GOLD + kind] -= int(state.paid[seat, kind])
    forget_build(state)
    pop(state)
    state.blueprint[component] = 0
    state.is_built[component] = 1
    state.built[int(state.num_built)] = component
    state.num_built += 1
    state.built_this_round += 1
    send_home(state, gate)
    if component == POWER_CORE:
        finish_game(state, BY_CORE)
        return WAITING
    if component == SOLAR_MATRIX:
        for seat in range(players):
            state.goods[seat, ENERGY] += MATRIX_ENERGY
    elif component == AEGIS_EMITTER:
        push_series(state, FRAME_WARD, opener, AEGIS_BARRIERS, True)
    elif component == TIDAL_REGULATOR:
        push_series(state, FRAME_EBB, opener, REGULATOR_DRAINS, True)
    elif component == MUSTER_ARRAY:
        push_series(state, FRAME_MUSTER, opener, MUSTER_RECRUITS, False)
    elif component == ENTROPY_DRIVE:
        state.wrath = max(0, int(state.wrath) - 1)
    elif component == MEMORY_CRYSTAL:
        reshuffle_library(state)
        memory = push(state, FRAME_MEMORY, 0)
        set_none(state, memory, ORDER, ORDER + MAX_PLAYERS)
        for step in range(players):
            state.frames[memory, ORDER + step] = (int(state.first) + step) % players
    return RUNNING


@kernel
def push_series(state: Record, frame: int, seat: int, times: int, may: bool) -> None:
    """A frame for several choices in a row; ``may``: declining is offered from the first on."""
    top = push(state, frame, seat)
    state.frames[top, LEFT] = times
    state.frames[top, MAY] = may
