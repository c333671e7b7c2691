"""Which components to build this round, and whose pieces it takes: every seat finds the same plan (section 8)."""

from __future__ import annotations

from atlantis_agents.heuristics.atlantis_rising.work import ABSENT
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.data import (
    MAX_PLAYERS,
    NUM_GATES,
    NUM_PRICE_TYPES,
    Component,
    Councilor,
    Good,
)

# What building a component early is worth, in actions, by component (2.4).
EARLY = (
    3.0, 5.0, 3.0, 3.0, 6.0, 6.0, 1.0, 2.0, 4.0, 6.0, 4.0, 6.0, 7.0, 7.0, 5.0, 1.0, 3.0, 4.0, 4.0, 4.0, 50.0,
)  # fmt: skip


@kernel
def seat_in_turn(work: Record, step: int) -> int:
    """The seat so many after the first player: an order on which all seats agree."""
    place = int(work.first) + step
    return place - int(work.players) if place >= int(work.players) else place


@kernel
def plan_builds(weights: Record, work: Record) -> None:
    """Fill ``plan`` and ``builders`` from what the seats own now."""
    for place in range(int(work.players)):
        for kind in range(NUM_PRICE_TYPES):
            work.purse[place, kind] = work.goods[place, Good.GOLD + kind]
    for gate in range(NUM_GATES):
        work.plan[gate] = ABSENT
        work.builders[gate] = 0
    if work.left == 0:
        plan_core(weights, work)
        return
    for gate in range(int(work.gates)):
        if not plan_gate(weights, work, gate):
            break  # nothing is spent, so nothing can be paid at the next gate
    if work.left == 1 and work.plan[0] != ABSENT:
        plan_last_two(weights, work)


@kernel
def plan_last_two(weights: Record, work: Record) -> None:
    """The last component on the second gate and the core on the first, if everything can be paid."""
    component = int(work.plan[0])
    for place in range(int(work.players)):
        for kind in range(NUM_PRICE_TYPES):
            work.purse[place, kind] = work.goods[place, Good.GOLD + kind]
    fill_pool(work)
    builders = cover(work, component, 0, 0)
    if builders == 0:
        return
    spend(work, component, builders)
    if core_payable(work):
        work.plan[1] = component
        work.builders[1] = builders
        work.plan[0] = Component.POWER_CORE
        work.builders[0] = (1 << int(work.players)) - 1


@kernel
def plan_core(weights: Record, work: Record) -> None:
    """All leaders on the first gate, if the price is covered and every seat has something to give."""
    if core_payable(work):
        work.plan[0] = Component.POWER_CORE
        work.builders[0] = (1 << int(work.players)) - 1


@kernel
def core_payable(work: Record) -> bool:
    """8.4: the purses cover the price, less the discount where it is short, and every seat can give (Hall)."""
    spare = 1 if work.keeper[Councilor.ARTIFICER] != ABSENT else 0
    for kind in range(NUM_PRICE_TYPES):
        total = 0
        for place in range(int(work.players)):
            total += int(work.purse[place, kind])
        work.due[kind] = int(work.price[Component.POWER_CORE, kind])
        if total < work.due[kind] and spare > 0:
            work.due[kind] -= 1
            spare = 0
        if total < work.due[kind]:
            return False
    for types in range(1 << NUM_PRICE_TYPES):
        room = 0
        for kind in range(NUM_PRICE_TYPES):
            if types >> kind & 1:
                room += int(work.due[kind])
        for place in range(int(work.players)):
            if givable(work, place) & ~types == 0:
                room -= 1
        if room < 0:
            return False
    return True


@kernel
def givable(work: Record, place: int) -> int:
    """The types of which a seat can give something to the core, as bits."""
    types = 0
    for kind in range(NUM_PRICE_TYPES):
        if work.purse[place, kind] > 0 and work.due[kind] > 0:
            types |= 1 << kind
    return types


@kernel
def plan_gate(weights: Record, work: Record, gate: int) -> bool:
    """The component that is worth most for the pieces it takes; whether there is one."""
    best, found, found_builders = 0.0, ABSENT, 0
    artificer = int(work.keeper[Councilor.ARTIFICER]) if gate == 0 else ABSENT
    fill_pool(work)
    for number in range(int(work.left)):
        component = int(work.parts[number])
        if component == work.plan[0] or component == work.plan[1]:
            continue
        for with_artificer in range(2 if artificer != ABSENT else 1):
            score = weights.gate + weights.early * EARLY[component] + with_artificer * weights.raw
            if weights.helper >= 0.0 and score - weights.helper <= best:  # it takes a helper at least
                continue
            builders = cover(work, component, with_artificer, 1 << artificer if with_artificer != 0 else 0)
            if builders == 0:
                continue
            for place in range(int(work.players)):
                if builders >> place & 1:
                    score -= weights.helper
            if score > best:
                best, found, found_builders = score, component, builders
    if found != ABSENT:
        work.plan[gate] = found
        work.builders[gate] = found_builders
        spend(work, found, found_builders)
    return found != ABSENT


@kernel
def is_hopeless(work: Record, component: int, discount: int) -> bool:
    """Whether all purses together do not cover the price."""
    lacking = 0
    for kind in range(NUM_PRICE_TYPES):
        lacking += max(0, int(work.price[component, kind]) - int(work.pool[kind]))
    return lacking > discount


@kernel
def fill_pool(work: Record) -> None:
    """All purses together."""
    for kind in range(NUM_PRICE_TYPES):
        work.pool[kind] = 0
        for place in range(int(work.players)):
            work.pool[kind] += work.purse[place, kind]


@kernel
def cover(work: Record, component: int, discount: int, builders: int) -> int:
    """Seats, as bits, whose purses cover the price; few of them; 0 if all together do not."""
    if is_hopeless(work, component, discount):
        return 0
    missing = 0
    for kind in range(NUM_PRICE_TYPES):
        work.short[kind] = work.price[component, kind]
        missing += int(work.price[component, kind])
    for place in range(MAX_PLAYERS):
        if builders >> place & 1:
            missing -= take_from(work, place)
    while missing > discount:
        best, chosen = 0, ABSENT
        for step in range(int(work.players)):
            place = seat_in_turn(work, step)
            if builders >> place & 1 == 0:
                gain = 0
                for kind in range(NUM_PRICE_TYPES):
                    gain += min(int(work.purse[place, kind]), int(work.short[kind]))
                if gain > best:
                    best, chosen = gain, place
        if chosen == ABSENT:
            return 0
        builders |= 1 << chosen
        missing -= take_from(work, chosen)
    return builders


@kernel
def take_from(work: Record, place: int) -> int:
    """A seat covers what it can of ``short``; how many items that is."""
    total = 0
    for kind in range(NUM_PRICE_TYPES):
        amount = min(int(work.purse[place, kind]), int(work.short[kind]))
        work.short[kind] -= amount
        total += amount
    return total


@kernel
def spend(work: Record, component: int, builders: int) -> None:
    """Take the price out of the builders' purses."""
    for kind in range(NUM_PRICE_TYPES):
        rest = int(work.price[component, kind])
        for step in range(int(work.players)):
            place = seat_in_turn(work, step)
            if builders >> place & 1:
                amount = min(rest, int(work.purse[place, kind]))
                work.purse[place, kind] -= amount
                rest -= amount
