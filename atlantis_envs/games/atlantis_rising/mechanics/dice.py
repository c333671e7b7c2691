"""Rolls: the wild peninsulas and the cities (7.6, 7.7)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import ATLAS_EASE, TILES_PER_PENINSULA, Artifact, Councilor, Good, Used
from atlantis_envs.games.atlantis_rising.mechanics.board import gain, has_in_play, owner_of, recruit, wrath_value
from atlantis_envs.games.atlantis_rising.mechanics.payment import begin_share, richest
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, pop, push, set_none, wait
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    FRAME_WIDTH,
    NONE,
    CityStage,
    Column,
    Frame,
    Node,
    Purpose,
    WildStage,
)
from atlantis_envs.kernels.kernel import kernel

CITY_DICE = 2

# ------------------------------------------------------------------------------------------ wild peninsulas (7.6)


@kernel
def wild_target(rules: Record, state: Record, location: int) -> int:
    """The number to reach there this round; below 1 nobody has to roll."""
    peninsula = location // TILES_PER_PENINSULA
    target = int(rules.tile_value[location]) + int(state.earthquake) - ATLAS_EASE * int(state.atlas[peninsula])
    return target - int(state.special_at[Councilor.EXPLORER] == location)


@kernel
def wild_bonus(rules: Record, state: Record, seat: int, location: int) -> int:
    """What is added to the die of a seat there: its artifact, the automaton."""
    bonus = int(has_in_play(state, seat, Artifact.MINER_IDOL + location // TILES_PER_PENINSULA))
    if int(state.pieces[location, 0]) & AUTOMATON_BIT:
        bonus += int(rules.automaton_bonus)
    return bonus


@kernel
def begin_wild(rules: Record, state: Record, seat: int, location: int) -> None:
    """Succeed without a die, or begin a roll against the present target."""
    peninsula = location // TILES_PER_PENINSULA
    target = wild_target(rules, state, location)
    if target < 1:
        gain(state, seat, peninsula, 1)
        return
    top = push(state, Frame.WILD, seat)
    state.frames[top, Column.PLACE_AT] = location
    state.frames[top, Column.TARGET] = target
    state.frames[top, Column.BONUS] = wild_bonus(rules, state, seat, location)
    state.frames[top, Column.VALUE] = NONE
    state.frames[top, Column.MAY_REROLL] = state.special_at[Councilor.PRIEST] == location


@kernel
def may_use_knuckle(state: Record, seat: int) -> bool:
    """Whether an unused fate knuckle is in play (2.7)."""
    return has_in_play(state, seat, Artifact.FATE_KNUCKLE) and int(state.used[seat]) & Used.FATE_KNUCKLE == 0


@kernel
def run_wild(rules: Record, state: Record, top: int) -> bool:
    """Roll (C9), offer to roll again (D14) or to pay (D15), and give the good on success (7.6)."""
    seat = int(state.frames[top, Column.SEAT])
    value, target = int(state.frames[top, Column.VALUE]), int(state.frames[top, Column.TARGET])
    if value == NONE:
        return wait(state, Node.C9_DIE, NONE)
    if value >= target:
        gain(state, seat, int(state.frames[top, Column.PLACE_AT]) // TILES_PER_PENINSULA, 1)
        pop(state)
        return RUNNING
    if state.frames[top, Column.STAGE] != WildStage.ROLLER:
        if state.frames[top, Column.MAY_REROLL] != 0:
            state.frames[top, Column.STAGE] = WildStage.PRIEST
            return wait(state, Node.REROLL, owner_of(state, Councilor.PRIEST))
        state.frames[top, Column.STAGE] = WildStage.ROLLER
    if state.goods[seat, Good.ENERGY] >= target - value or may_use_knuckle(state, seat):
        return wait(state, Node.FAIL, seat)
    pop(state)
    return RUNNING


@kernel
def roll_wild_again(state: Record, top: int) -> None:
    """Roll the die once more."""
    state.frames[top, Column.VALUE] = NONE
    state.frames[top, Column.STAGE] = WildStage.ROLL


@kernel
def mark_fail(state: Record, top: int, mask: Row) -> None:
    """Mark what can be done about a failed roll: pay energy, use the knuckle, decline (D15)."""
    seat = int(state.frames[top, Column.SEAT])
    gap = int(state.frames[top, Column.TARGET]) - int(state.frames[top, Column.VALUE])
    mask[Act.PAY] = state.goods[seat, Good.ENERGY] >= gap
    mask[Act.KNUCKLE] = may_use_knuckle(state, seat)
    mask[Act.DECLINE] = 1


@kernel
def apply_fail(state: Record, top: int, action: int) -> None:
    """Pay for a failed roll, use the knuckle on it, or let it fail (D15)."""
    seat = int(state.frames[top, Column.SEAT])
    if action == Act.PAY:
        state.goods[seat, Good.ENERGY] -= int(state.frames[top, Column.TARGET]) - int(state.frames[top, Column.VALUE])
        state.frames[top, Column.VALUE] = state.frames[top, Column.TARGET]
    elif action == Act.KNUCKLE:
        state.used[seat] = int(state.used[seat]) | Used.FATE_KNUCKLE
        roll_wild_again(state, top)
    else:
        pop(state)


# ------------------------------------------------------------------------------------------------- cities (7.7)


@kernel
def is_owner_here(state: Record, location: int, seat: int) -> bool:
    """Whether the seat has a piece other than the automaton there."""
    return int(state.pieces[location, seat]) & ~AUTOMATON_BIT != 0


@kernel
def city_gap(rules: Record, state: Record, top: int) -> int:
    """By how much the two dice miss the target; <= 0 is success."""
    location = int(state.frames[top, Column.PLACE_AT])
    total = int(state.frames[top, Column.DIE]) + int(state.frames[top, Column.DIE + 1]) + wrath_value(rules, state)
    for seat in range(int(rules.players)):
        if is_owner_here(state, location, seat) and has_in_play(state, seat, Artifact.MASK_OF_VOICES):
            total += 1
            break
    if int(state.pieces[location, 0]) & AUTOMATON_BIT:
        total += int(rules.automaton_bonus) * (CITY_DICE if rules.automaton_per_die != 0 else 1)
    return int(rules.tile_value[location]) - total


@kernel
def run_city(rules: Record, state: Record, top: int) -> bool:
    """Roll twice (C9), offer to roll again (D14), share the gap (D16), and recruit (D17; 7.7)."""
    if state.frames[top, Column.DIE] == 0 or state.frames[top, Column.DIE + 1] == 0:
        return wait(state, Node.C9_DIE, NONE)
    location, opener = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.SEAT])
    players = int(rules.players)
    stage = int(state.frames[top, Column.STAGE])
    gap = city_gap(rules, state, top)
    if stage < CityStage.SHARE and gap > 0:
        if state.frames[top, Column.MAY_REROLL] != 0 and stage <= CityStage.PRIEST:
            state.frames[top, Column.STAGE] = CityStage.PRIEST
            return wait(state, Node.REROLL, owner_of(state, Councilor.PRIEST))
        ask_for_energy(rules, state, top, gap)
        return RUNNING
    candidates = 0
    last = NONE
    for seat in range(players):
        if is_owner_here(state, location, seat) and state.reserve[seat] > 0:
            candidates += 1
            last = seat
    if candidates > 1:
        state.frames[top, Column.STAGE] = CityStage.RECRUIT
        return wait(state, Node.RECRUIT, opener)
    if candidates == 1:
        recruit(state, last)
    pop(state)
    return RUNNING


@kernel
def ask_for_energy(rules: Record, state: Record, top: int, gap: int) -> None:
    """Share the gap among the owners present, if two of them have the energy; else fail (7.7)."""
    location, opener = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.SEAT])
    players = int(rules.players)
    state.frames[top, Column.STAGE] = CityStage.SHARE
    share = begin_share(rules, state, Purpose.CITIES, opener, NONE, Good.ENERGY, gap)
    found = 0
    for step in range(players):
        seat = (opener + step) % players
        if is_owner_here(state, location, seat):
            state.frames[share, Column.ORDER + found] = seat
            found += 1
    set_none(state, share, Column.ORDER + found, FRAME_WIDTH)
    if richest(state, share, 0, found, 2) < gap:
        pop(state)
        pop(state)


@kernel
def apply_recruit(state: Record, action: int) -> None:
    """Recruit a follower for the seat that was named (D17)."""
    recruit(state, action - Act.SEAT)
    pop(state)


# --------------------------------------------------------------------------------------------- dice for both


@kernel
def apply_die(state: Record, top: int, outcome: int) -> None:
    """Enter the face that was rolled (C9)."""
    face = outcome - Outcome.DIE + 1
    if state.frames[top, 0] == Frame.WILD:
        state.frames[top, Column.VALUE] = face + int(state.frames[top, Column.BONUS])
    elif state.frames[top, Column.DIE] == 0:
        state.frames[top, Column.DIE] = face
    else:
        state.frames[top, Column.DIE + 1] = face


@kernel
def apply_reroll(rules: Record, state: Record, top: int, action: int) -> None:
    """Roll the dice that the priest chose once more, or none (D14)."""
    wild = state.frames[top, 0] == Frame.WILD
    if action == Act.DECLINE:
        if wild:
            state.frames[top, Column.STAGE] = WildStage.ROLLER
        else:
            ask_for_energy(rules, state, top, city_gap(rules, state, top))
        return
    state.frames[top, Column.MAY_REROLL] = 0
    if wild:
        roll_wild_again(state, top)
        return
    state.frames[top, Column.STAGE] = CityStage.ROLL
    if action == Act.REROLL_FIRST or action == Act.REROLL_BOTH:
        state.frames[top, Column.DIE] = 0
    if action == Act.REROLL_SECOND or action == Act.REROLL_BOTH:
        state.frames[top, Column.DIE + 1] = 0
