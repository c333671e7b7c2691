"""Building components on the gates (section 8)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import (
    AEGIS_BARRIERS,
    BLUEPRINT_SIZE,
    MATRIX_ENERGY,
    MAX_PLAYERS,
    MUSTER_RECRUITS,
    NUM_COMPONENTS,
    NUM_PRICE_TYPES,
    REGULATOR_DRAINS,
    Component,
    Councilor,
    Good,
    Kind,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import gain, owner_of, reshuffle_library, send_home
from atlantis_envs.games.atlantis_rising.mechanics.payment import begin_share, forget_build
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, WAITING, finish_game, pop, push, set_none, wait
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    DONE_SHIFT,
    NONE,
    READY_SHIFT,
    Column,
    Frame,
    Node,
    Purpose,
    Result,
)
from atlantis_envs.kernels.kernel import kernel

NO_DISCOUNT = -1
ANY_DISCOUNT = -2  # one item of some type less
LEADER_BITS = 1 << READY_SHIFT[Kind.LEADER] | 1 << DONE_SHIFT[Kind.LEADER]


@kernel
def takes_part(state: Record, gate: int, seat: int) -> bool:
    """Whether a piece other than the automaton stands on the gate (8.1)."""
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
    """Whether the seat may build on the gate: some component is payable, the discount counted (8.2)."""
    if state.build_limit != 0 and state.built_this_round >= 1:
        return False
    if state.barred[seat] != 0 and participants(state, gate) > 1:
        return False
    cover = covered(rules, state, gate)
    artificer = state.special_at[Councilor.ARTIFICER] == gate
    for component in range(Component.POWER_CORE):
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
                total += int(state.goods[seat, Good.GOLD + kind])
        packed |= min(total, 0x7FFF) << 16 * kind
    return packed


@kernel
def buildable(rules: Record, state: Record, gate: int, component: int, discount: int) -> bool:
    """Whether a component can be built, with no discount, one type's, or ANY_DISCOUNT (8.3, 8.4)."""
    if state.blueprint[component] == 0:
        return False
    if component == Component.POWER_CORE:
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
    """Whether the other nine are built, all leaders are here, and everybody can give something (8.4)."""
    if state.blueprint[Component.POWER_CORE] == 0 or state.num_built < BLUEPRINT_SIZE - 1:
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
    """Whether every type is covered and, by Hall's condition, every seat has an item to give (8.4)."""
    players = int(rules.players)
    if discount >= 0 and rules.price[Component.POWER_CORE, discount] == 0:
        return False
    for types in range(1 << NUM_PRICE_TYPES):
        room = 0
        for kind in range(NUM_PRICE_TYPES):
            if types >> kind & 1:
                room += int(rules.price[Component.POWER_CORE, kind]) - int(kind == discount)
        for seat in range(players):
            open_types = 0
            for kind in range(NUM_PRICE_TYPES):
                price = int(rules.price[Component.POWER_CORE, kind]) - int(kind == discount)
                if price > 0 and state.goods[seat, Good.GOLD + kind] > 0:
                    open_types |= 1 << kind
            if open_types & ~types == 0:
                room -= 1
        if room < 0:
            return False
    for kind in range(NUM_PRICE_TYPES):
        total = 0
        for seat in range(players):
            total += int(state.goods[seat, Good.GOLD + kind])
        if total < int(rules.price[Component.POWER_CORE, kind]) - int(kind == discount):
            return False
    return True


@kernel
def mark_build(rules: Record, state: Record, top: int, mask: Row) -> None:
    """Mark the components that can be built on this gate (D20)."""
    gate = int(state.frames[top, Column.PLACE_AT])
    discount = ANY_DISCOUNT if state.special_at[Councilor.ARTIFICER] == gate else NO_DISCOUNT
    for component in range(NUM_COMPONENTS):
        mask[Act.BUILD + component] = buildable(rules, state, gate, component, discount)


@kernel
def mark_discount(rules: Record, state: Record, top: int, mask: Row) -> None:
    """Mark the types on which the artificer can save an item (D21)."""
    gate, component = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.COMPONENT])
    for kind in range(NUM_PRICE_TYPES):
        mask[Act.DISCOUNT + kind] = buildable(rules, state, gate, component, kind)


@kernel
def begin_build(state: Record, seat: int, gate: int) -> None:
    """Begin to build on a gate (8.1)."""
    top = push(state, Frame.BUILD, seat)
    state.frames[top, Column.PLACE_AT] = gate
    state.frames[top, Column.COMPONENT] = NONE
    set_none(state, top, Column.PRICE, Column.PRICE + NUM_PRICE_TYPES)


@kernel
def apply_build(rules: Record, state: Record, top: int, action: int) -> None:
    """Choose the component at its printed price, which an artificer piece may still lower (D20; 8.5)."""
    state.frames[top, Column.COMPONENT] = action - Act.BUILD
    set_price(rules, state, top, NO_DISCOUNT)


@kernel
def discount_due(rules: Record, state: Record, top: int) -> bool:
    """Whether an artificer piece is on the gate and the price is still the printed one (8.5)."""
    if state.special_at[Councilor.ARTIFICER] != int(state.frames[top, Column.PLACE_AT]):
        return False
    for kind in range(NUM_PRICE_TYPES):
        if state.frames[top, Column.PRICE + kind] != rules.price[int(state.frames[top, Column.COMPONENT]), kind]:
            return False
    return True


@kernel
def set_price(rules: Record, state: Record, top: int, discount: int) -> None:
    """Set the price of the component, less one item of the discounted type (8.5)."""
    component = int(state.frames[top, Column.COMPONENT])
    for kind in range(NUM_PRICE_TYPES):
        state.frames[top, Column.PRICE + kind] = int(rules.price[component, kind]) - int(kind == discount)


@kernel
def run_build(rules: Record, state: Record, top: int) -> bool:
    """Ask for component and discount (D20, D21), then for one payment per type; then complete it (8.5, 8.6)."""
    if state.frames[top, Column.COMPONENT] == NONE:
        return wait(state, Node.BUILD, int(state.frames[top, Column.SEAT]))
    if discount_due(rules, state, top):
        return wait(state, Node.DISCOUNT, owner_of(state, Councilor.ARTIFICER))
    gate, opener = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.SEAT])
    players = int(rules.players)
    for kind in range(NUM_PRICE_TYPES):
        left = int(state.frames[top, Column.PRICE + kind])
        for seat in range(players):
            left -= int(state.paid[seat, kind])
        if left > 0:
            share = begin_share(rules, state, Purpose.BUILD, opener, NONE, Good.GOLD + kind, left)
            found = 0
            for step in range(players):
                seat = (opener + step) % players
                if takes_part(state, gate, seat):
                    state.frames[share, Column.ORDER + found] = seat
                    found += 1
            set_none(state, share, Column.ORDER + found, Column.ORDER + MAX_PLAYERS)
            return RUNNING
    return complete(rules, state, top, gate, opener)


@kernel
def complete(rules: Record, state: Record, top: int, gate: int, opener: int) -> bool:
    """Take all payments, build the component, send the pieces home, apply a one-time benefit (8.6)."""
    component = int(state.frames[top, Column.COMPONENT])
    players = int(rules.players)
    for seat in range(players):
        for kind in range(NUM_PRICE_TYPES):
            state.goods[seat, Good.GOLD + kind] -= int(state.paid[seat, kind])
    forget_build(state)
    pop(state)
    state.blueprint[component] = 0
    state.is_built[component] = 1
    state.built[int(state.num_built)] = component
    state.num_built += 1
    state.built_this_round += 1
    send_home(state, gate)
    if component == Component.POWER_CORE:
        finish_game(state, Result.CORE)
        return WAITING
    if component == Component.SOLAR_MATRIX:
        for seat in range(players):
            gain(state, seat, Good.ENERGY, MATRIX_ENERGY)
    elif component == Component.AEGIS_EMITTER:
        push_series(state, Frame.WARD, opener, AEGIS_BARRIERS, True)
    elif component == Component.TIDAL_REGULATOR:
        push_series(state, Frame.EBB, opener, REGULATOR_DRAINS, True)
    elif component == Component.MUSTER_ARRAY:
        push_series(state, Frame.MUSTER, opener, MUSTER_RECRUITS, False)
    elif component == Component.ENTROPY_DRIVE:
        state.wrath = max(0, int(state.wrath) - 1)
    elif component == Component.MEMORY_CRYSTAL:
        reshuffle_library(state)
        memory = push(state, Frame.MEMORY, 0)
        set_none(state, memory, Column.ORDER, Column.ORDER + MAX_PLAYERS)
        for step in range(players):
            state.frames[memory, Column.ORDER + step] = (int(state.first) + step) % players
    return RUNNING


@kernel
def push_series(state: Record, frame: int, seat: int, times: int, may: bool) -> None:
    """Push a frame for several choices in a row; with ``may``, declining is offered from the first on."""
    top = push(state, frame, seat)
    state.frames[top, Column.LEFT] = times
    state.frames[top, Column.MAY] = may
