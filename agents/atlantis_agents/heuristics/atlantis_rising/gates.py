"""Which components to build this round, and whose pieces it takes: every seat finds the same plan (section 8)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising.scratch import ABSENT
from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Component, Councilor, Good
from atlantis_envs.kernels.kernel import kernel


@kernel
def seat_in_turn(scratch: Record, step: int) -> int:
    """Return the seat so many after the first player: an order on which all seats agree."""
    place = int(scratch.first) + step
    return place - int(scratch.players) if place >= int(scratch.players) else place


@kernel
def plan_builds(weights: Record, scratch: Record) -> None:
    """Fill ``plan`` and ``builders`` from what the seats own now."""
    for place in range(int(scratch.players)):
        for kind in range(data.NUM_PRICE_TYPES):
            scratch.purse[place, kind] = scratch.goods[place, Good.GOLD + kind]
    for gate in range(data.NUM_GATES):
        scratch.plan[gate] = ABSENT
        scratch.builders[gate] = 0
    if scratch.left == 0:
        plan_core(scratch)
        return
    for gate in range(int(scratch.gates)):
        if not plan_gate(weights, scratch, gate):
            break  # nothing is spent, so nothing can be paid at the next gate
    if scratch.left == 1 and scratch.plan[0] != ABSENT:
        plan_last_two(scratch)


@kernel
def plan_last_two(scratch: Record) -> None:
    """Plan the last component on the second gate and the core on the first, if everything can be paid."""
    component = int(scratch.plan[0])
    for place in range(int(scratch.players)):
        for kind in range(data.NUM_PRICE_TYPES):
            scratch.purse[place, kind] = scratch.goods[place, Good.GOLD + kind]
    fill_pool(scratch)
    builders = cover(scratch, component, 0, 0)
    if builders == 0:
        return
    spend(scratch, component, builders)
    if plan_core(scratch):
        scratch.plan[1] = component
        scratch.builders[1] = builders


@kernel
def plan_core(scratch: Record) -> bool:
    """Plan all leaders on the first gate, if that pays for the core; return whether it does."""
    if not core_payable(scratch):
        return False
    scratch.plan[0] = Component.POWER_CORE
    scratch.builders[0] = (1 << int(scratch.players)) - 1
    return True


@kernel
def core_payable(scratch: Record) -> bool:
    """Return whether the purses cover the price, less the discount, and every seat can give (8.4, Hall's condition)."""
    spare = 1 if scratch.keeper[Councilor.ARTIFICER] != ABSENT else 0
    for kind in range(data.NUM_PRICE_TYPES):
        total = 0
        for place in range(int(scratch.players)):
            total += int(scratch.purse[place, kind])
        scratch.due[kind] = int(scratch.price[Component.POWER_CORE, kind])
        if total < scratch.due[kind] and spare > 0:
            scratch.due[kind] -= 1
            spare = 0
        if total < scratch.due[kind]:
            return False
    for types in range(1 << data.NUM_PRICE_TYPES):
        room = 0
        for kind in range(data.NUM_PRICE_TYPES):
            if types >> kind & 1:
                room += int(scratch.due[kind])
        for place in range(int(scratch.players)):
            if givable(scratch, place) & ~types == 0:
                room -= 1
        if room < 0:
            return False
    return True


@kernel
def givable(scratch: Record, place: int) -> int:
    """Return the types of which a seat can give something to the core, as bits."""
    types = 0
    for kind in range(data.NUM_PRICE_TYPES):
        if scratch.purse[place, kind] > 0 and scratch.due[kind] > 0:
            types |= 1 << kind
    return types


@kernel
def plan_gate(weights: Record, scratch: Record, gate: int) -> bool:
    """Plan the component that is worth most for the pieces it takes; return whether there is one."""
    best, found, found_builders = 0.0, ABSENT, 0
    artificer = int(scratch.keeper[Councilor.ARTIFICER]) if gate == 0 else ABSENT
    fill_pool(scratch)
    for number in range(int(scratch.left)):
        component = int(scratch.parts[number])
        if component == scratch.plan[0] or component == scratch.plan[1]:
            continue
        for with_artificer in range(2 if artificer != ABSENT else 1):
            score = weights.gate + weights.early * weights.component[component] + with_artificer * weights.raw
            if weights.helper >= 0.0 and score - weights.helper <= best:  # it takes a helper at least
                continue
            builders = cover(scratch, component, with_artificer, 1 << artificer if with_artificer != 0 else 0)
            if builders == 0:
                continue
            for place in range(int(scratch.players)):
                if builders >> place & 1:
                    score -= weights.helper
            if score > best:
                best, found, found_builders = score, component, builders
    if found != ABSENT:
        scratch.plan[gate] = found
        scratch.builders[gate] = found_builders
        spend(scratch, found, found_builders)
    return found != ABSENT


@kernel
def fill_pool(scratch: Record) -> None:
    """Add up all purses."""
    for kind in range(data.NUM_PRICE_TYPES):
        scratch.pool[kind] = 0
        for place in range(int(scratch.players)):
            scratch.pool[kind] += scratch.purse[place, kind]


@kernel
def cover(scratch: Record, component: int, discount: int, builders: int) -> int:
    """Return seats, as bits, whose purses cover the price; few of them; 0 if all together do not."""
    lacking, missing = 0, 0
    for kind in range(data.NUM_PRICE_TYPES):
        lacking += max(0, int(scratch.price[component, kind]) - int(scratch.pool[kind]))
    if lacking > discount:  # all purses together do not cover the price
        return 0
    for kind in range(data.NUM_PRICE_TYPES):
        scratch.short[kind] = scratch.price[component, kind]
        missing += int(scratch.price[component, kind])
    for place in range(data.MAX_PLAYERS):
        if builders >> place & 1:
            missing -= take_from(scratch, place)
    while missing > discount:
        best, chosen = 0, ABSENT
        for step in range(int(scratch.players)):
            place = seat_in_turn(scratch, step)
            if builders >> place & 1 == 0:
                gain = 0
                for kind in range(data.NUM_PRICE_TYPES):
                    gain += min(int(scratch.purse[place, kind]), int(scratch.short[kind]))
                if gain > best:
                    best, chosen = gain, place
        if chosen == ABSENT:
            return 0
        builders |= 1 << chosen
        missing -= take_from(scratch, chosen)
    return builders


@kernel
def take_from(scratch: Record, place: int) -> int:
    """Let a seat cover what it can of ``short``; return how many items that is."""
    total = 0
    for kind in range(data.NUM_PRICE_TYPES):
        amount = min(int(scratch.purse[place, kind]), int(scratch.short[kind]))
        scratch.short[kind] -= amount
        total += amount
    return total


@kernel
def spend(scratch: Record, component: int, builders: int) -> None:
    """Take the price out of the builders' purses."""
    for kind in range(data.NUM_PRICE_TYPES):
        rest = int(scratch.price[component, kind])
        for step in range(int(scratch.players)):
            place = seat_in_turn(scratch, step)
            if builders >> place & 1:
                amount = min(rest, int(scratch.purse[place, kind]))
                scratch.purse[place, kind] -= amount
                rest -= amount
