"""Shared payments: barriers, drains, dice in the cities, builds (section 9)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import (
    KEYSTONE_COST,
    LAST_CONTRIBUTION,
    MAX_PLAYERS,
    NUM_PRICE_TYPES,
    Artifact,
    Component,
    Good,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import has_in_play, total_energy
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, pop, push, set_none, wait
from atlantis_envs.games.atlantis_rising.state import FRAME_WIDTH, NONE, CityStage, Column, Frame, Node, Purpose
from atlantis_envs.kernels.kernel import kernel

NO_AMOUNT = 0
MOST_CITY_GIVERS = 2  # only two dice are rolled


@kernel
def barrier_cost(rules: Record, state: Record, seat: int) -> int:
    """What a barrier costs the seat that opens the purchase (9.1)."""
    return KEYSTONE_COST if has_in_play(state, seat, Artifact.KEYSTONE_OF_WARDS) else int(rules.barrier_cost)


@kernel
def affordable(rules: Record, state: Record, seat: int, cost: int) -> bool:
    """Whether all seats together, or a barred seat alone, have the energy (9.4)."""
    if state.goods[seat, Good.ENERGY] >= cost:
        return True
    return state.barred[seat] == 0 and total_energy(rules, state) >= cost


@kernel
def may_drain(rules: Record, state: Record, seat: int) -> bool:
    """Whether some drain can be bought (9.3, 9.4)."""
    for peninsula in range(len(state.flooded)):
        if state.flooded[peninsula] > 0:
            return affordable(rules, state, seat, int(rules.drain_cost))
    return False


@kernel
def begin_share(rules: Record, state: Record, purpose: int, opener: int, target: int, good: int, cost: int) -> int:
    """Open a payment by all seats clockwise from the opener (9.4); the row, whose order the caller may change."""
    top = push(state, Frame.SHARE, 0)
    state.frames[top, Column.PURPOSE] = purpose
    state.frames[top, Column.TARGET] = target
    state.frames[top, Column.GOOD] = good
    state.frames[top, Column.REST] = cost
    set_none(state, top, Column.ORDER, FRAME_WIDTH)
    players = int(rules.players)
    for step in range(players):
        state.frames[top, Column.ORDER + step] = (opener + step) % players
    return top


@kernel
def holding(state: Record, top: int, place: int) -> int:
    """What the payer at a place of the order owns of the type."""
    return int(state.goods[int(state.frames[top, Column.ORDER + place]), int(state.frames[top, Column.GOOD])])


@kernel
def num_payers(state: Record, top: int) -> int:
    """The length of the order."""
    count = 0
    while count < MAX_PLAYERS and state.frames[top, Column.ORDER + count] != NONE:
        count += 1
    return count


@kernel
def num_given(state: Record, top: int) -> int:
    """How many payers have answered."""
    count = 0
    while count < MAX_PLAYERS and state.frames[top, Column.GIVES + count] != NONE:
        count += 1
    return count


@kernel
def may_contribute(rules: Record, state: Record, top: int, place: int, amount: int) -> bool:
    """Whether the payer at ``place`` can give this much and the rest still be paid (9.5)."""
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
    """The sum of the ``count`` (0 to 2) largest holdings in order[start:stop]."""
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
    """9.5 for the core: after this amount every seat can still give at least one item in all (8.4).

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
    for types in range(1 << NUM_PRICE_TYPES):
        room = 0
        for kind in range(current, NUM_PRICE_TYPES):
            if types >> kind & 1:
                room += rest if kind == current else int(state.frames[build, Column.PRICE + kind])
        for other in range(payers):
            seat = int(state.frames[top, Column.ORDER + other])
            given = amount if other == place else 0
            if other < place:
                given = int(state.frames[top, Column.GIVES + other])
            for kind in range(NUM_PRICE_TYPES):
                given += int(state.paid[seat, kind])
            if given > 0:
                continue
            open_types = 0
            for kind in range(current, NUM_PRICE_TYPES):
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
    for place in range(num_given(state, top), MAX_PLAYERS + 1):
        if state.frames[top, Column.REST] == 0:
            finish_share(rules, state, top)
            return RUNNING
        if place == num_payers(state, top):  # only in positions written by hand
            break
        own = holding(state, top, place)
        amount = NO_AMOUNT
        if own > 0:
            purpose = int(state.frames[top, Column.PURPOSE])
            ways = 2
            if place == 0 and purpose != Purpose.CITIES:
                ways = 0
                for candidate in range(min(own, LAST_CONTRIBUTION) + 1):
                    if may_contribute(rules, state, top, place, candidate):
                        ways += 1
                        amount = candidate
            if ways != 1:
                return wait(state, Node.SHARE, int(state.frames[top, Column.ORDER + place]))
        state.frames[top, Column.GIVES + place] = amount
        state.frames[top, Column.REST] -= amount
    void_share(rules, state, top)
    return RUNNING


@kernel
def mark_share(rules: Record, state: Record, top: int, mask: Row) -> None:
    """Mark the amounts that the next payer may give, and declining (D16)."""
    place = num_given(state, top)
    for amount in range(LAST_CONTRIBUTION + 1):
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
    set_none(state, top, Column.GIVES, FRAME_WIDTH)
    for number in range(Column.ORDER + place, Column.ORDER + MAX_PLAYERS - 1):
        state.frames[top, number] = state.frames[top, number + 1]
    state.frames[top, Column.ORDER + MAX_PLAYERS - 1] = NONE
    if richest(state, top, 0, num_payers(state, top), MOST_CITY_GIVERS) < int(state.frames[top, Column.REST]):
        pop(state)
        pop(state)  # the city: failure


@kernel
def void_share(rules: Record, state: Record, top: int) -> None:
    """End a refused payment and the turn; bar the opener if its refusals of the phase are used up (9.5, 8.7)."""
    purpose = int(state.frames[top, Column.PURPOSE])
    opener = int(state.frames[top, Column.ORDER])
    pop(state)
    if purpose == Purpose.BUILD:
        forget_build(state)
        pop(state)
    elif purpose == Purpose.CITIES:
        pop(state)
        return
    if state.declines[opener] > 0:
        state.declines[opener] -= 1
    else:
        state.barred[opener] = 1


@kernel
def forget_build(state: Record) -> None:
    """Clear the agreed amounts of a build: they are void or paid."""
    for seat in range(MAX_PLAYERS):
        for kind in range(NUM_PRICE_TYPES):
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
    pop(state)
    if purpose == Purpose.BARRIER:
        state.barriers[target] = 1
    elif purpose == Purpose.DRAIN:
        state.flooded[target] -= 1
    elif purpose == Purpose.CITIES:
        state.frames[top - 1, Column.STAGE] = CityStage.RECRUIT
