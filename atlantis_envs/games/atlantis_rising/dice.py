"""Rolls: the wild peninsulas and the cities (7.6, 7.7)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import (
    DECLINE,
    DRAW_DIE,
    KNUCKLE,
    NAME_SEAT,
    PAY,
    REROLL_BOTH,
    REROLL_FIRST,
    REROLL_SECOND,
)
from atlantis_envs.games.atlantis_rising.board import has_in_play, owner_of, recruit, wrath_value
from atlantis_envs.games.atlantis_rising.data import (
    ATLAS_EASE,
    ENERGY,
    EXPLORER,
    FATE_KNUCKLE,
    MASK_OF_VOICES,
    MINER_IDOL,
    PRIEST,
    TILES_PER_PENINSULA,
    USED_KNUCKLE,
)
from atlantis_envs.games.atlantis_rising.payment import begin_share, richest
from atlantis_envs.games.atlantis_rising.stack import RUNNING, pop, push, set_none, wait
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    BONUS,
    CHANCE_DIE,
    DIE,
    FOR_CITIES,
    FRAME_WIDTH,
    FRAME_WILD,
    MAY_REROLL,
    NODE_FAIL,
    NODE_RECRUIT,
    NODE_REROLL,
    NONE,
    ORDER,
    PLACE_AT,
    SEAT,
    STAGE,
    STAGE_PRIEST,
    STAGE_RECRUIT,
    STAGE_ROLL,
    STAGE_ROLLER,
    STAGE_SHARE,
    TARGET,
    VALUE,
)

# ------------------------------------------------------------------------------------------ wild peninsulas (7.6)


@kernel
def begin_wild(rules: Record, state: Record, seat: int, location: int) -> None:
    """Success without a die, or a roll against the target of the moment."""
    peninsula = location // TILES_PER_PENINSULA
    target = int(rules.tile_value[location]) + int(state.earthquake) - ATLAS_EASE * int(state.atlas[peninsula])
    if state.special_at[EXPLORER] == location:
        target -= 1
    if target < 1:
        state.goods[seat, peninsula] += 1
        return
    top = push(state, FRAME_WILD, seat)
    bonus = int(has_in_play(state, seat, MINER_IDOL + peninsula))
    if int(state.pieces[location, 0]) & AUTOMATON_BIT:
        bonus += int(rules.automaton_bonus)
    state.frames[top, PLACE_AT] = location
    state.frames[top, TARGET] = target
    state.frames[top, BONUS] = bonus
    state.frames[top, VALUE] = NONE
    state.frames[top, MAY_REROLL] = state.special_at[PRIEST] == location


@kernel
def may_use_knuckle(state: Record, seat: int) -> bool:
    """An unused fate knuckle is in play (2.7)."""
    return has_in_play(state, seat, FATE_KNUCKLE) and int(state.used[seat]) & USED_KNUCKLE == 0


@kernel
def run_wild(rules: Record, state: Record, top: int) -> bool:
    """C9, D14, D15, success or failure."""
    seat = int(state.frames[top, SEAT])
    value, target = int(state.frames[top, VALUE]), int(state.frames[top, TARGET])
    if value == NONE:
        return wait(state, CHANCE_DIE, NONE)
    if value >= target:
        state.goods[seat, int(state.frames[top, PLACE_AT]) // TILES_PER_PENINSULA] += 1
        pop(state)
        return RUNNING
    if state.frames[top, STAGE] != STAGE_ROLLER:
        if state.frames[top, MAY_REROLL] != 0:
            state.frames[top, STAGE] = STAGE_PRIEST
            return wait(state, NODE_REROLL, owner_of(state, PRIEST))
        state.frames[top, STAGE] = STAGE_ROLLER
    if state.goods[seat, ENERGY] >= target - value or may_use_knuckle(state, seat):
        return wait(state, NODE_FAIL, seat)
    pop(state)
    return RUNNING


@kernel
def roll_wild_again(state: Record, top: int) -> None:
    """The die is rolled once more."""
    state.frames[top, VALUE] = NONE
    state.frames[top, STAGE] = STAGE_ROLL


@kernel
def mark_fail(state: Record, top: int, mask: Row) -> None:
    """D15."""
    seat = int(state.frames[top, SEAT])
    gap = int(state.frames[top, TARGET]) - int(state.frames[top, VALUE])
    mask[PAY] = state.goods[seat, ENERGY] >= gap
    mask[KNUCKLE] = may_use_knuckle(state, seat)
    mask[DECLINE] = 1


@kernel
def apply_fail(state: Record, top: int, action: int) -> None:
    """D15."""
    seat = int(state.frames[top, SEAT])
    if action == PAY:
        state.goods[seat, ENERGY] -= int(state.frames[top, TARGET]) - int(state.frames[top, VALUE])
        state.frames[top, VALUE] = state.frames[top, TARGET]
    elif action == KNUCKLE:
        state.used[seat] = int(state.used[seat]) | USED_KNUCKLE
        roll_wild_again(state, top)
    else:
        pop(state)


# ------------------------------------------------------------------------------------------------- cities (7.7)


@kernel
def is_owner_here(state: Record, location: int, seat: int) -> bool:
    """The seat has a piece other than the automaton there."""
    return int(state.pieces[location, seat]) & ~AUTOMATON_BIT != 0


@kernel
def city_gap(rules: Record, state: Record, top: int) -> int:
    """What the two dice are short of the target; <= 0 is success."""
    location = int(state.frames[top, PLACE_AT])
    total = int(state.frames[top, DIE]) + int(state.frames[top, DIE + 1]) + wrath_value(rules, state)
    for seat in range(int(rules.players)):
        if is_owner_here(state, location, seat) and has_in_play(state, seat, MASK_OF_VOICES):
            total += 1
            break
    if int(state.pieces[location, 0]) & AUTOMATON_BIT:
        total += int(rules.automaton_bonus)
    return int(rules.tile_value[location]) - total


@kernel
def run_city(rules: Record, state: Record, top: int) -> bool:
    """C9 twice, D14, D16, D17."""
    if state.frames[top, DIE] == 0 or state.frames[top, DIE + 1] == 0:
        return wait(state, CHANCE_DIE, NONE)
    location, opener = int(state.frames[top, PLACE_AT]), int(state.frames[top, SEAT])
    players = int(rules.players)
    stage = int(state.frames[top, STAGE])
    gap = city_gap(rules, state, top)
    if stage < STAGE_SHARE and gap > 0:
        if state.frames[top, MAY_REROLL] != 0 and stage <= STAGE_PRIEST:
            state.frames[top, STAGE] = STAGE_PRIEST
            return wait(state, NODE_REROLL, owner_of(state, PRIEST))
        ask_for_energy(rules, state, top, gap)
        return RUNNING
    candidates = 0
    last = NONE
    for seat in range(players):
        if is_owner_here(state, location, seat) and state.reserve[seat] > 0:
            candidates += 1
            last = seat
    if candidates > 1:
        state.frames[top, STAGE] = STAGE_RECRUIT
        return wait(state, NODE_RECRUIT, opener)
    if candidates == 1:
        recruit(state, last)
    pop(state)
    return RUNNING


@kernel
def ask_for_energy(rules: Record, state: Record, top: int, gap: int) -> None:
    """Shared payment of the gap by the owners present, if two of them have it; else failure (7.7)."""
    location, opener = int(state.frames[top, PLACE_AT]), int(state.frames[top, SEAT])
    players = int(rules.players)
    state.frames[top, STAGE] = STAGE_SHARE
    share = begin_share(rules, state, FOR_CITIES, opener, NONE, ENERGY, gap)
    found = 0
    for step in range(players):
        seat = (opener + step) % players
        if is_owner_here(state, location, seat):
            state.frames[share, ORDER + found] = seat
            found += 1
    set_none(state, share, ORDER + found, FRAME_WIDTH)
    if richest(state, share, 0, found, 2) < gap:
        pop(state)
        pop(state)


@kernel
def apply_recruit(state: Record, action: int) -> None:
    """D17."""
    recruit(state, action - NAME_SEAT)
    pop(state)


# --------------------------------------------------------------------------------------------- dice for both


@kernel
def apply_die(state: Record, top: int, outcome: int) -> None:
    """C9."""
    face = outcome - DRAW_DIE + 1
    if state.frames[top, 0] == FRAME_WILD:
        state.frames[top, VALUE] = face + int(state.frames[top, BONUS])
    elif state.frames[top, DIE] == 0:
        state.frames[top, DIE] = face
    else:
        state.frames[top, DIE + 1] = face


@kernel
def apply_reroll(rules: Record, state: Record, top: int, action: int) -> None:
    """D14."""
    wild = state.frames[top, 0] == FRAME_WILD
    if action == DECLINE:
        if wild:
            state.frames[top, STAGE] = STAGE_ROLLER
        else:
            ask_for_energy(rules, state, top, city_gap(rules, state, top))
        return
    state.frames[top, MAY_REROLL] = 0
    if wild:
        roll_wild_again(state, top)
        return
    state.frames[top, STAGE] = STAGE_ROLL
    if action == REROLL_FIRST or action == REROLL_BOTH:
        state.frames[top, DIE] = 0
    if action == REROLL_SECOND or action == REROLL_BOTH:
        state.frames[top, DIE + 1] = 0
