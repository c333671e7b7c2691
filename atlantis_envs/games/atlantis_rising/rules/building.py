"""Shared payments - barriers, drains, dice in the cities, builds (9) - and components built on the gates (8)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Artifact, Component, Councilor, Good, Kind
from atlantis_envs.games.atlantis_rising.rules import board
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    DONE_SHIFT,
    FRAME_WIDTH,
    NONE,
    READY_SHIFT,
    CityStage,
    Column,
    Frame,
    Node,
    Purpose,
    Result,
)
from atlantis_envs.kernels.kernel import kernel

NO_AMOUNT = 0
MOST_CITY_GIVERS = 2  # only two dice are rolled


@kernel
def barrier_cost(rules: Record, state: Record, seat: int) -> int:
    """Return what a barrier costs the seat that opens the purchase (9.1)."""
    return data.KEYSTONE_COST if board.has_in_play(state, seat, Artifact.KEYSTONE_OF_WARDS) else int(rules.barrier_cost)


@kernel
def affordable(rules: Record, state: Record, seat: int, cost: int) -> bool:
    """Tell whether all seats together, or a barred seat alone, have the energy (9.4)."""
    if state.goods[seat, Good.ENERGY] >= cost:
        return True
    return state.barred[seat] == 0 and board.total_energy(rules, state) >= cost


@kernel
def may_drain(rules: Record, state: Record, seat: int) -> bool:
    """Tell whether some drain can be bought (9.3, 9.4)."""
    for peninsula in range(len(state.flooded)):
        if state.flooded[peninsula] > 0:
            return affordable(rules, state, seat, int(rules.drain_cost))
    return False


@kernel
def begin_share(rules: Record, state: Record, purpose: int, opener: int, target: int, good: int, cost: int) -> int:
    """Open a payment by all seats clockwise from the opener (9.4); the row, whose order the caller may change."""
    top = board.push(state, Frame.SHARE, 0)
    state.frames[top, Column.PURPOSE] = purpose
    state.frames[top, Column.TARGET] = target
    state.frames[top, Column.GOOD] = good
    state.frames[top, Column.REST] = cost
    board.set_none(state, top, Column.ORDER, FRAME_WIDTH)
    players = int(rules.players)
    for step in range(players):
        state.frames[top, Column.ORDER + step] = (opener + step) % players
    return top


@kernel
def holding(state: Record, top: int, place: int) -> int:
    """Return what the payer at a place of the order owns of the type."""
    return int(state.goods[int(state.frames[top, Column.ORDER + place]), int(state.frames[top, Column.GOOD])])


@kernel
def num_payers(state: Record, top: int) -> int:
    """Return the length of the order."""
    count = 0
    while count < data.MAX_PLAYERS and state.frames[top, Column.ORDER + count] != NONE:
        count += 1
    return count


@kernel
def num_given(state: Record, top: int) -> int:
    """Return how many payers have answered."""
    count = 0
    while count < data.MAX_PLAYERS and state.frames[top, Column.GIVES + count] != NONE:
        count += 1
    return count


@kernel
def may_contribute(rules: Record, state: Record, top: int, place: int, amount: int) -> bool:
    """Tell whether the payer at ``place`` can give this much and the rest still be paid (9.5)."""
    rest = int(state.frames[top, Column.REST])
    if amount > rest or amount > holding(state, top, place):
        return False
    purpose = int(state.frames[top, Column.PURPOSE])
    payers = num_payers(state, top)
    rest -= amount
    if purpose == Purpose.CITIES:
        givers = 1 if amount > 0 else 0
        for earlier in range(place):
            if state.frames[top, Column.GIVES + earlier] > 0:
                givers += 1
        if givers > MOST_CITY_GIVERS:
            return False
        return rest <= richest(state, top, place + 1, payers, MOST_CITY_GIVERS - givers)
    if place == 0 and state.barred[int(state.frames[top, Column.ORDER])] != 0:
        return rest == 0
    if purpose == Purpose.BUILD and state.frames[top - 1, Column.COMPONENT] == Component.POWER_CORE:
        return core_can_be_split(rules, state, top, place, amount)
    later = 0
    for other in range(place + 1, payers):
        later += holding(state, top, other)
    return rest <= later


@kernel
def richest(state: Record, top: int, start: int, stop: int, count: int) -> int:
    """Return the sum of the ``count`` (0 to 2) largest holdings in order[start:stop]."""
    first, second = 0, 0
    for place in range(start, stop):
        own = holding(state, top, place)
        if own > first:
            first, second = own, first
        elif own > second:
            second = own
    if count == 0:
        return 0
    return first + second if count == 2 else first


@kernel
def core_can_be_split(rules: Record, state: Record, top: int, place: int, amount: int) -> bool:
    """Tell whether, after this amount, every seat can still give an item to the core (8.4, 9.5).

    Seats that have given nothing yet need a type that still takes an item from them; Hall's condition over the sets of
    open types says whether all can be served. The rest of each type then comes from whoever has more.
    """
    good = int(state.frames[top, Column.GOOD])
    current = good - Good.GOLD
    rest = int(state.frames[top, Column.REST]) - amount
    payers = num_payers(state, top)
    later = 0
    for other in range(place + 1, payers):
        later += holding(state, top, other)
    if rest > later:
        return False
    build = top - 1
    for types in range(1 << data.NUM_PRICE_TYPES):
        room = 0
        for kind in range(current, data.NUM_PRICE_TYPES):
            if types >> kind & 1:
                room += rest if kind == current else int(state.frames[build, Column.PRICE + kind])
        for other in range(payers):
            seat = int(state.frames[top, Column.ORDER + other])
            given = amount if other == place else 0
            if other < place:
                given = int(state.frames[top, Column.GIVES + other])
            for kind in range(data.NUM_PRICE_TYPES):
                given += int(state.paid[seat, kind])
            if given > 0:
                continue
            open_types = 0
            for kind in range(current, data.NUM_PRICE_TYPES):
                left = int(state.frames[build, Column.PRICE + kind]) if kind > current else rest
                reached = kind > current or other > place
                if reached and left > 0 and state.goods[seat, Good.GOLD + kind] > 0:
                    open_types |= 1 << kind
            if open_types & ~types == 0:
                room -= 1
        if room < 0:
            return False
    return True


@kernel
def run_share(rules: Record, state: Record, top: int) -> bool:
    """Ask the next payer (D16); seats without a choice give at once."""
    for place in range(num_given(state, top), data.MAX_PLAYERS + 1):
        if state.frames[top, Column.REST] == 0:
            finish_share(rules, state, top)
            return board.RUNNING
        if place == num_payers(state, top):  # only in positions written by hand
            break
        own = holding(state, top, place)
        amount = NO_AMOUNT
        if own > 0:
            purpose = int(state.frames[top, Column.PURPOSE])
            ways = 2
            if place == 0 and purpose != Purpose.CITIES:
                ways = 0
                for candidate in range(min(own, data.LAST_CONTRIBUTION) + 1):
                    if may_contribute(rules, state, top, place, candidate):
                        ways += 1
                        amount = candidate
            if ways != 1:
                return board.wait(state, Node.SHARE, int(state.frames[top, Column.ORDER + place]))
        state.frames[top, Column.GIVES + place] = amount
        state.frames[top, Column.REST] -= amount
    void_share(rules, state, top)
    return board.RUNNING


@kernel
def mark_share(rules: Record, state: Record, top: int, mask: Row) -> None:
    """Mark the amounts that the next payer may give, and declining (D16)."""
    place = num_given(state, top)
    for amount in range(data.LAST_CONTRIBUTION + 1):
        mask[Act.CONTRIBUTE + amount] = may_contribute(rules, state, top, place, amount)
    mask[Act.DECLINE] = place > 0 or state.frames[top, Column.PURPOSE] == Purpose.CITIES


@kernel
def apply_share(rules: Record, state: Record, top: int, action: int) -> None:
    """Note what a payer gives; declining drops it from a city's payment and ends any other (D16)."""
    place = num_given(state, top)
    if action != Act.DECLINE:
        state.frames[top, Column.GIVES + place] = action - Act.CONTRIBUTE
        state.frames[top, Column.REST] -= action - Act.CONTRIBUTE
    elif state.frames[top, Column.PURPOSE] == Purpose.CITIES:
        leave_order(state, top, place)
    else:
        void_share(rules, state, top)


@kernel
def leave_order(state: Record, top: int, place: int) -> None:
    """Let a seat of the cities decline; the others are asked again if two of them can pay (9.5)."""
    for number in range(place):
        state.frames[top, Column.REST] += state.frames[top, Column.GIVES + number]
    board.set_none(state, top, Column.GIVES, FRAME_WIDTH)
    for number in range(Column.ORDER + place, Column.ORDER + data.MAX_PLAYERS - 1):
        state.frames[top, number] = state.frames[top, number + 1]
    state.frames[top, Column.ORDER + data.MAX_PLAYERS - 1] = NONE
    if richest(state, top, 0, num_payers(state, top), MOST_CITY_GIVERS) < int(state.frames[top, Column.REST]):
        board.pop(state)
        board.pop(state)  # the city: failure


@kernel
def void_share(rules: Record, state: Record, top: int) -> None:
    """End a refused payment and the turn; bar the opener if its refusals of the phase are used up (9.5, 8.7)."""
    purpose = int(state.frames[top, Column.PURPOSE])
    opener = int(state.frames[top, Column.ORDER])
    board.pop(state)
    if purpose == Purpose.BUILD:
        forget_build(state)
        board.pop(state)
    elif purpose == Purpose.CITIES:
        board.pop(state)
        return
    if state.declines[opener] > 0:
        state.declines[opener] -= 1
    else:
        state.barred[opener] = 1


@kernel
def forget_build(state: Record) -> None:
    """Clear the agreed amounts of a build: they are void or paid."""
    for seat in range(data.MAX_PLAYERS):
        for kind in range(data.NUM_PRICE_TYPES):
            state.paid[seat, kind] = 0


@kernel
def finish_share(rules: Record, state: Record, top: int) -> None:
    """Pay energy at once, the items of a build when its last type is complete: all is agreed (9.5)."""
    purpose = int(state.frames[top, Column.PURPOSE])
    target = int(state.frames[top, Column.TARGET])
    good = int(state.frames[top, Column.GOOD])
    for place in range(num_given(state, top)):
        seat = int(state.frames[top, Column.ORDER + place])
        amount = int(state.frames[top, Column.GIVES + place])
        if purpose == Purpose.BUILD:
            state.paid[seat, good - Good.GOLD] += amount
        else:
            state.goods[seat, good] -= amount
    board.pop(state)
    if purpose == Purpose.BARRIER:
        state.barriers[target] = 1
    elif purpose == Purpose.DRAIN:
        state.flooded[target] -= 1
    elif purpose == Purpose.CITIES:
        state.frames[top - 1, Column.STAGE] = CityStage.RECRUIT


# ------------------------------------------------------------------------------------------------------- components (8)


NO_DISCOUNT = -1
ANY_DISCOUNT = -2  # one item of some type less
LEADER_BITS = 1 << READY_SHIFT[Kind.LEADER] | 1 << DONE_SHIFT[Kind.LEADER]


@kernel
def takes_part(state: Record, gate: int, seat: int) -> bool:
    """Tell whether a piece other than the automaton stands on the gate (8.1)."""
    return int(state.pieces[gate, seat]) & ~AUTOMATON_BIT != 0


@kernel
def participants(state: Record, gate: int) -> int:
    """Return how many seats take part."""
    count = 0
    for seat in range(data.MAX_PLAYERS):
        if takes_part(state, gate, seat):
            count += 1
    return count


@kernel
def gate_resolvable(rules: Record, state: Record, gate: int, seat: int) -> bool:
    """Tell whether the seat may build on the gate: some component is payable, the discount counted (8.2)."""
    if state.build_limit != 0 and state.built_this_round >= 1:
        return False
    if state.barred[seat] != 0 and participants(state, gate) > 1:
        return False
    cover = covered(rules, state, gate)
    artificer = state.special_at[Councilor.ARTIFICER] == gate
    for component in range(Component.POWER_CORE):
        if state.blueprint[component] != 0:
            missing = 0
            for kind in range(data.NUM_PRICE_TYPES):
                missing += max(0, int(rules.price[component, kind]) - (cover >> 16 * kind & 0x7FFF))
            if missing == 0 or (missing == 1 and artificer):
                return True
    return core_buildable(rules, state, gate, ANY_DISCOUNT if artificer else NO_DISCOUNT)


@kernel
def covered(rules: Record, state: Record, gate: int) -> int:
    """Return the participants' holdings of the four price types, 15 bits each, large ones cut off."""
    packed = 0
    for kind in range(data.NUM_PRICE_TYPES):
        total = 0
        for seat in range(data.MAX_PLAYERS):
            if takes_part(state, gate, seat):
                total += int(state.goods[seat, Good.GOLD + kind])
        packed |= min(total, 0x7FFF) << 16 * kind
    return packed


@kernel
def buildable(rules: Record, state: Record, gate: int, component: int, discount: int) -> bool:
    """Tell whether a component can be built, with no discount, one type's, or ANY_DISCOUNT (8.3, 8.4)."""
    if state.blueprint[component] == 0:
        return False
    if component == Component.POWER_CORE:
        return core_buildable(rules, state, gate, discount)
    cover = covered(rules, state, gate)
    missing = 0
    for kind in range(data.NUM_PRICE_TYPES):
        price = int(rules.price[component, kind])
        if kind == discount:
            if price == 0:
                return False
            price -= 1
        missing += max(0, price - (cover >> 16 * kind & 0x7FFF))
    return missing == 0 or (missing == 1 and discount == ANY_DISCOUNT)


@kernel
def core_buildable(rules: Record, state: Record, gate: int, discount: int) -> bool:
    """Tell whether the other nine are built, all leaders are here, and everybody can give something (8.4)."""
    if state.blueprint[Component.POWER_CORE] == 0 or state.num_built < data.BLUEPRINT_SIZE - 1:
        return False
    for seat in range(int(rules.players)):
        if int(state.pieces[gate, seat]) & LEADER_BITS == 0:
            return False
    if discount != ANY_DISCOUNT:
        return core_payable(rules, state, discount)
    for kind in range(data.NUM_PRICE_TYPES):
        if core_payable(rules, state, kind):
            return True
    return False


@kernel
def core_payable(rules: Record, state: Record, discount: int) -> bool:
    """Tell whether every type is covered and, by Hall's condition, every seat has an item to give (8.4)."""
    players = int(rules.players)
    if discount >= 0 and rules.price[Component.POWER_CORE, discount] == 0:
        return False
    for types in range(1 << data.NUM_PRICE_TYPES):
        room = 0
        for kind in range(data.NUM_PRICE_TYPES):
            if types >> kind & 1:
                room += int(rules.price[Component.POWER_CORE, kind]) - int(kind == discount)
        for seat in range(players):
            open_types = 0
            for kind in range(data.NUM_PRICE_TYPES):
                price = int(rules.price[Component.POWER_CORE, kind]) - int(kind == discount)
                if price > 0 and state.goods[seat, Good.GOLD + kind] > 0:
                    open_types |= 1 << kind
            if open_types & ~types == 0:
                room -= 1
        if room < 0:
            return False
    for kind in range(data.NUM_PRICE_TYPES):
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
    for component in range(data.NUM_COMPONENTS):
        mask[Act.BUILD + component] = buildable(rules, state, gate, component, discount)


@kernel
def mark_discount(rules: Record, state: Record, top: int, mask: Row) -> None:
    """Mark the types on which the artificer can save an item (D21)."""
    gate, component = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.COMPONENT])
    for kind in range(data.NUM_PRICE_TYPES):
        mask[Act.DISCOUNT + kind] = buildable(rules, state, gate, component, kind)


@kernel
def begin_build(state: Record, seat: int, gate: int) -> None:
    """Begin to build on a gate (8.1)."""
    top = board.push(state, Frame.BUILD, seat)
    state.frames[top, Column.PLACE_AT] = gate
    state.frames[top, Column.COMPONENT] = NONE
    board.set_none(state, top, Column.PRICE, Column.PRICE + data.NUM_PRICE_TYPES)


@kernel
def apply_build(rules: Record, state: Record, top: int, action: int) -> None:
    """Choose the component at its printed price, which an artificer piece may still lower (D20; 8.5)."""
    state.frames[top, Column.COMPONENT] = action - Act.BUILD
    set_price(rules, state, top, NO_DISCOUNT)


@kernel
def discount_due(rules: Record, state: Record, top: int) -> bool:
    """Tell whether an artificer piece is on the gate and the price is still the printed one (8.5)."""
    if state.special_at[Councilor.ARTIFICER] != int(state.frames[top, Column.PLACE_AT]):
        return False
    for kind in range(data.NUM_PRICE_TYPES):
        if state.frames[top, Column.PRICE + kind] != rules.price[int(state.frames[top, Column.COMPONENT]), kind]:
            return False
    return True


@kernel
def set_price(rules: Record, state: Record, top: int, discount: int) -> None:
    """Set the price of the component, less one item of the discounted type (8.5)."""
    component = int(state.frames[top, Column.COMPONENT])
    for kind in range(data.NUM_PRICE_TYPES):
        state.frames[top, Column.PRICE + kind] = int(rules.price[component, kind]) - int(kind == discount)


@kernel
def run_build(rules: Record, state: Record, top: int) -> bool:
    """Ask for component and discount (D20, D21), then for one payment per type; then complete it (8.5, 8.6)."""
    if state.frames[top, Column.COMPONENT] == NONE:
        return board.wait(state, Node.BUILD, int(state.frames[top, Column.SEAT]))
    if discount_due(rules, state, top):
        return board.wait(state, Node.DISCOUNT, board.owner_of(state, Councilor.ARTIFICER))
    gate, opener = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.SEAT])
    players = int(rules.players)
    for kind in range(data.NUM_PRICE_TYPES):
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
            board.set_none(state, share, Column.ORDER + found, Column.ORDER + data.MAX_PLAYERS)
            return board.RUNNING
    return complete(rules, state, top, gate, opener)


@kernel
def complete(rules: Record, state: Record, top: int, gate: int, opener: int) -> bool:
    """Take all payments, build the component, send the pieces home, apply a one-time benefit (8.6)."""
    component = int(state.frames[top, Column.COMPONENT])
    players = int(rules.players)
    for seat in range(players):
        for kind in range(data.NUM_PRICE_TYPES):
            state.goods[seat, Good.GOLD + kind] -= int(state.paid[seat, kind])
    forget_build(state)
    board.pop(state)
    state.blueprint[component] = 0
    state.is_built[component] = 1
    state.built[int(state.num_built)] = component
    state.num_built += 1
    state.built_this_round += 1
    board.send_home(state, gate)
    if component == Component.POWER_CORE:
        board.finish_game(state, Result.CORE)
        return board.WAITING
    if component == Component.SOLAR_MATRIX:
        for seat in range(players):
            board.gain(state, seat, Good.ENERGY, data.MATRIX_ENERGY)
    elif component == Component.AEGIS_EMITTER:
        push_series(state, Frame.WARD, opener, data.AEGIS_BARRIERS, True)
    elif component == Component.TIDAL_REGULATOR:
        push_series(state, Frame.EBB, opener, data.REGULATOR_DRAINS, True)
    elif component == Component.MUSTER_ARRAY:
        push_series(state, Frame.MUSTER, opener, data.MUSTER_RECRUITS, False)
    elif component == Component.ENTROPY_DRIVE:
        state.wrath = max(0, int(state.wrath) - 1)
    elif component == Component.MEMORY_CRYSTAL:
        board.reshuffle_library(state)
        memory = board.push(state, Frame.MEMORY, 0)
        board.set_none(state, memory, Column.ORDER, Column.ORDER + data.MAX_PLAYERS)
        for step in range(players):
            state.frames[memory, Column.ORDER + step] = (int(state.first) + step) % players
    return board.RUNNING


@kernel
def push_series(state: Record, frame: int, seat: int, times: int, may: bool) -> None:
    """Push a frame for several choices in a row; with ``may``, declining is offered from the first on."""
    top = board.push(state, frame, seat)
    state.frames[top, Column.LEFT] = times
    state.frames[top, Column.MAY] = may
