"""Whether a shared payment and a build in progress are such as play leads to (sections 8 and 9)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.data import (
    BLUEPRINT_SIZE,
    GATE,
    LAST_CONTRIBUTION,
    MAX_PLAYERS,
    NUM_PRICE_TYPES,
    TILES_PER_PENINSULA,
    Component,
    Councilor,
    Good,
)
from atlantis_envs.games.atlantis_rising.mechanics.building import (
    LEADER_BITS,
    buildable,
    gate_resolvable,
    participants,
    takes_part,
)
from atlantis_envs.games.atlantis_rising.mechanics.dice import city_gap, is_owner_here
from atlantis_envs.games.atlantis_rising.mechanics.payment import (
    MOST_CITY_GIVERS,
    barrier_cost,
    holding,
    may_contribute,
    num_given,
    num_payers,
)
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Phase, Purpose
from atlantis_envs.kernels.kernel import kernel


@kernel
def no_gap(state: Record, top: int, start: int) -> bool:
    """Seven columns that hold nothing after the first that holds nothing."""
    for place in range(start + 1, start + MAX_PLAYERS):
        if state.frames[top, place] != NONE and state.frames[top, place - 1] == NONE:
            return False
    return True


@kernel
def order_sound(state: Record, top: int) -> bool:
    """The order of a frame has no gap and names no seat twice."""
    seen = 0
    for place in range(Column.ORDER, Column.ORDER + MAX_PLAYERS):
        seat = int(state.frames[top, place])
        if seat != NONE:
            if seen >> seat & 1:
                return False
            seen |= 1 << seat
    return no_gap(state, top, Column.ORDER)


@kernel
def share_sound(rules: Record, state: Record, top: int) -> bool:
    """Purpose, type, target and order of a payment belong together, and it can be paid (9.5)."""
    below = int(state.frames[top - 1, Column.DO])
    purpose, good, target = (
        int(state.frames[top, Column.PURPOSE]),
        int(state.frames[top, Column.GOOD]),
        int(state.frames[top, Column.TARGET]),
    )
    if (purpose == Purpose.BUILD) != (below == Frame.BUILD) or (purpose == Purpose.CITIES) != (below == Frame.CITY):
        return False
    if (good != Good.ENERGY and purpose != Purpose.BUILD) or (target == NONE) != (purpose >= Purpose.CITIES):
        return False
    if purpose == Purpose.BARRIER and (
        state.phase == Phase.MISFORTUNE or state.barriers[target] != 0 or state.flooded[target] == TILES_PER_PENINSULA
    ):
        return False
    if purpose == Purpose.DRAIN and state.flooded[target] == 0:
        return False
    if (
        not order_sound(state, top)
        or not no_gap(state, top, Column.GIVES)
        or not payers_sound(rules, state, top, purpose)
    ):
        return False
    given = num_given(state, top)
    if given >= num_payers(state, top):
        return False
    total, givers = int(state.frames[top, Column.REST]), 0
    for place in range(given):
        amount = int(state.frames[top, Column.GIVES + place])
        if amount > holding(state, top, place):
            return False
        total += amount
        givers += int(amount > 0)
    if total != cost_of(rules, state, top, purpose) or (purpose == Purpose.CITIES and givers > MOST_CITY_GIVERS):
        return False
    if purpose == Purpose.BUILD and not types_sound(rules, state, top):
        return False
    for amount in range(LAST_CONTRIBUTION + 1):
        if may_contribute(rules, state, top, given, amount):
            return True
    return False


@kernel
def cost_of(rules: Record, state: Record, top: int, purpose: int) -> int:
    """What is to be paid in all, of this type (7.7, 8.5, 9.1, 9.3)."""
    if purpose == Purpose.BARRIER:
        return barrier_cost(rules, state, int(state.turn))
    if purpose == Purpose.DRAIN:
        return int(rules.drain_cost)
    if purpose == Purpose.CITIES:
        return city_gap(rules, state, top - 1)
    return int(state.frames[top - 1, Column.PRICE + int(state.frames[top, Column.GOOD]) - Good.GOLD])


@kernel
def payers_sound(rules: Record, state: Record, top: int, purpose: int) -> bool:
    """All who pay, clockwise from the opener; in the cities some may have left the order (9.4, 9.5)."""
    players, opener = int(rules.players), int(state.turn)
    at = int(state.frames[top - 1, Column.PLACE_AT])
    found = 0
    for step in range(players):
        seat = (opener + step) % players
        due = True
        if purpose == Purpose.BUILD:
            due = takes_part(state, at, seat)
        elif purpose == Purpose.CITIES:
            due = is_owner_here(state, at, seat)
        if found < MAX_PLAYERS and int(state.frames[top, Column.ORDER + found]) == seat:
            if not due:
                return False
            found += 1
        elif due and purpose != Purpose.CITIES:
            return False
    return found > 0 and found == num_payers(state, top)


@kernel
def types_sound(rules: Record, state: Record, top: int) -> bool:
    """Types before this one are agreed in full, this one and those after it not at all, and they can be paid (8.5)."""
    build, current = top - 1, int(state.frames[top, Column.GOOD]) - Good.GOLD
    for kind in range(NUM_PRICE_TYPES):
        agreed = held = 0
        for seat in range(int(rules.players)):
            amount = int(state.paid[seat, kind])
            if amount > int(state.goods[seat, Good.GOLD + kind]):
                return False
            if takes_part(state, int(state.frames[build, Column.PLACE_AT]), seat):
                held += int(state.goods[seat, Good.GOLD + kind])
            elif amount > 0:
                return False
            agreed += amount
        price = int(state.frames[build, Column.PRICE + kind])
        if agreed != (price if kind < current else 0) or (kind > current and held < price):
            return False
    return True


@kernel
def build_sound(rules: Record, state: Record, top: int, is_top: bool) -> bool:
    """A gate its opener can resolve; then a component at its price, less the discount once it is named (8.2 - 8.5)."""
    gate, component = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.COMPONENT])
    seat = int(state.frames[top, Column.SEAT])
    if gate - GATE >= int(rules.gates) or not takes_part(state, gate, seat):
        return False
    if is_top:
        for payer in range(int(rules.players)):
            for kind in range(NUM_PRICE_TYPES):
                if state.paid[payer, kind] != 0:
                    return False
    elif state.frames[top + 1, Column.DO] != Frame.SHARE:
        return False
    if component == NONE:
        for kind in range(NUM_PRICE_TYPES):
            if state.frames[top, Column.PRICE + kind] != NONE:
                return False
        return is_top and gate_resolvable(rules, state, gate, seat)
    if state.blueprint[component] == 0 or (state.barred[seat] != 0 and participants(state, gate) > 1):
        return False
    if component == Component.POWER_CORE and not leaders_here(rules, state, gate):
        return False
    discounts = 0
    for kind in range(NUM_PRICE_TYPES):
        less = int(rules.price[component, kind]) - int(state.frames[top, Column.PRICE + kind])
        if less < 0 or less > 1 or state.frames[top, Column.PRICE + kind] < 0:
            return False
        discounts += less
    artificer = state.special_at[Councilor.ARTIFICER] == gate
    if not is_top:
        return discounts == int(artificer)
    if discounts > 0 or not artificer:
        return False
    for kind in range(NUM_PRICE_TYPES):
        if buildable(rules, state, gate, component, kind):
            return True
    return False


@kernel
def leaders_here(rules: Record, state: Record, gate: int) -> bool:
    """8.4: the other nine are built and every seat's leader stands on the gate."""
    if state.num_built < BLUEPRINT_SIZE - 1:
        return False
    for seat in range(int(rules.players)):
        if int(state.pieces[gate, seat]) & LEADER_BITS == 0:
            return False
    return True
