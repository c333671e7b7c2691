"""What a choice or an outcome does: it is played into the top frame, then the machine of flow.py runs on."""

from __future__ import annotations

from atlantis_envs.engine.contract import CHANCE, OVER, Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import (
    AT,
    BARRIER,
    CHOOSE_COUNCILOR,
    DISCARD,
    DISCOUNT,
    DRAIN,
    DRAW_ARTIFACT,
    DRAW_ARTIFICER,
    DRAW_BOARD,
    DRAW_COMPONENT,
    DRAW_COUNCILOR,
    DRAW_FIRST,
    FLOOD,
    KEEP,
    LIFT,
    NAME_SEAT,
    PASS,
    PEEK,
    PLACE,
    PLAY,
    READY,
    RESOLVE,
    YIELD,
)
from atlantis_envs.games.atlantis_rising.board import put_piece, take_piece
from atlantis_envs.games.atlantis_rising.building import apply_build, set_price
from atlantis_envs.games.atlantis_rising.cards import (
    apply_card,
    apply_keep,
    apply_library,
    begin_look,
    discard_card,
    play_card,
)
from atlantis_envs.games.atlantis_rising.data import ARTIFICER, ENERGY, NUM_BASIC, USED_GLASS
from atlantis_envs.games.atlantis_rising.dice import (
    apply_die,
    apply_fail,
    apply_recruit,
    apply_reroll,
)
from atlantis_envs.games.atlantis_rising.floods import apply_react, flood
from atlantis_envs.games.atlantis_rising.flow import run
from atlantis_envs.games.atlantis_rising.misfortunes import (
    apply_look,
    apply_misfortune,
    apply_misfortune_flood,
    apply_plague,
)
from atlantis_envs.games.atlantis_rising.payment import apply_share, barrier_cost, begin_share
from atlantis_envs.games.atlantis_rising.resolve import apply_resolve
from atlantis_envs.games.atlantis_rising.rounds import (
    apply_board,
    apply_scholar,
    apply_seen,
    set_councilor,
)
from atlantis_envs.games.atlantis_rising.series import (
    apply_gain,
    apply_muster,
    apply_removal,
    apply_swap,
    apply_ward_or_ebb,
    sacrifice,
)
from atlantis_envs.games.atlantis_rising.stack import pop, push
from atlantis_envs.games.atlantis_rising.state import (
    CHANCE_ARTIFACT,
    CHANCE_ARTIFICER,
    CHANCE_BOARD,
    CHANCE_COMPONENT,
    CHANCE_COUNCILOR,
    CHANCE_DIE,
    CHANCE_FIRST,
    CHANCE_LIBRARY,
    CHANCE_LOOK,
    CHANCE_MISFORTUNE,
    CHANCE_SCHOLAR,
    DO,
    FOR_BARRIER,
    FOR_DRAIN,
    FRAME_LIFT,
    FRAME_PLACE,
    FRAME_RESOLVE,
    FRAME_TURN,
    KIND,
    NODE_ACT,
    NODE_AMPLIFY,
    NODE_BOARD,
    NODE_BUILD,
    NODE_DEPLOY,
    NODE_DISCOUNT,
    NODE_DRAFT,
    NODE_EBB,
    NODE_FAIL,
    NODE_FLOOD,
    NODE_GAIN,
    NODE_GIVE,
    NODE_KEEP,
    NODE_LATE,
    NODE_LIFT,
    NODE_LOOK,
    NODE_MORE,
    NODE_MUSTER,
    NODE_OVERFLOW,
    NODE_PLACE,
    NODE_PLAGUE,
    NODE_REACT,
    NODE_RECRUIT,
    NODE_REROLL,
    NODE_RESOLVE,
    NODE_SACRIFICE,
    NODE_SCHOLAR,
    NODE_SHARE,
    NODE_TAKE,
    NODE_WARD,
    NODE_WINDOW,
    NONE,
    SEAT,
    STEP,
    STEP_ARTIFACT,
    STEP_COUNCILOR,
    TARGET,
)


@kernel
def node(rules: Record, state: Record) -> int:
    """The seat to decide, CHANCE or OVER."""
    at = int(state.node)
    if at < CHANCE_FIRST:
        return int(state.actor)
    return CHANCE if at <= CHANCE_LIBRARY else OVER


@kernel
def apply(rules: Record, state: Record, index: int) -> None:
    """Play an action id at a decision node, an outcome id at a chance node."""
    at = int(state.node)
    top = int(state.num_frames) - 1
    if at >= CHANCE_FIRST:
        apply_outcome(rules, state, at, top, index)
    elif at == NODE_DEPLOY or at == NODE_ACT or at == NODE_WINDOW:
        apply_turn(rules, state, index)
    elif at == NODE_PLACE:
        seat, kind = int(state.frames[top, SEAT]), int(state.frames[top, KIND])
        pop(state)
        put_piece(state, seat, kind, index - AT)
    elif at == NODE_RESOLVE:
        apply_resolve(rules, state, int(state.frames[top, SEAT]), index - AT)
    elif at == NODE_LIFT:
        seat, kind = int(state.frames[top, SEAT]), int(state.frames[top, KIND])
        pop(state)
        take_piece(state, seat, kind, index - AT)
        state.home[seat, kind] += 1
        state.lifts[seat] -= 1
    elif at == NODE_SHARE:
        apply_share(rules, state, top, index)
    elif at == NODE_FLOOD:
        if top >= 0:
            apply_misfortune_flood(rules, state, top, index)
        else:
            state.floods -= 1
            flood(rules, state, index - FLOOD, False)
    elif at == NODE_FAIL:
        apply_fail(state, top, index)
    else:
        apply_rare(rules, state, at, top, index)
    run(rules, state)


@kernel
def apply_turn(rules: Record, state: Record, action: int) -> None:
    """D4, D7, D12: pass, or open a turn (5.4, 6.2, 7.1)."""
    seat = int(state.turn)
    if action == READY or action == PASS:
        state.passes += 1
        state.turn = (seat + 1) % int(rules.players)
        return
    state.passes = 0
    push(state, FRAME_TURN, 0)
    if action >= PLACE and action < LIFT:
        top = push(state, FRAME_PLACE, seat)
        state.frames[top, KIND] = action - PLACE
    elif action >= LIFT and action < PLAY:
        top = push(state, FRAME_LIFT, seat)
        state.frames[top, KIND] = action - LIFT
    elif action == RESOLVE:
        push(state, FRAME_RESOLVE, seat)
    elif action == YIELD:
        state.yields[seat] -= 1
    elif action == PEEK:
        state.used[seat] = int(state.used[seat]) | USED_GLASS
        begin_look(state, seat, 1, 0)
    elif action < AT:
        play_card(rules, state, seat, action - PLAY)
    elif action < DRAIN:
        cost = barrier_cost(rules, state, seat)
        begin_share(rules, state, FOR_BARRIER, seat, action - BARRIER, ENERGY, cost)
    else:
        begin_share(rules, state, FOR_DRAIN, seat, action - DRAIN, ENERGY, int(rules.drain_cost))


@kernel
def apply_rare(rules: Record, state: Record, at: int, top: int, action: int) -> None:
    """The remaining decisions of section 13."""
    if at == NODE_REROLL:
        apply_reroll(rules, state, top, action)
    elif at == NODE_KEEP or at == NODE_MORE:
        apply_keep(rules, state, top, action)
    elif at == NODE_RECRUIT:
        apply_recruit(state, action)
    elif at == NODE_WARD or at == NODE_EBB:
        apply_ward_or_ebb(state, top, action)
    elif at == NODE_REACT:
        apply_react(rules, state, top, action)
    elif at == NODE_BUILD:
        apply_build(rules, state, top, action)
    elif at == NODE_DISCOUNT:
        set_price(rules, state, top, action - DISCOUNT)
    elif at == NODE_PLAGUE:
        apply_plague(rules, state, top, action)
    elif at == NODE_LATE:
        apply_late(state, action - AT)
    elif at == NODE_GIVE or at == NODE_TAKE:
        apply_swap(state, top, action)
    elif at == NODE_LOOK:
        apply_removal(state, top, action)
    elif at == NODE_OVERFLOW:
        if action >= DISCARD:
            discard_card(state, int(state.actor), action - DISCARD)
        else:
            play_card(rules, state, int(state.actor), action - PLAY)
    elif at == NODE_AMPLIFY:
        state.frames[top, TARGET] = action - NAME_SEAT
    elif at == NODE_GAIN:
        apply_gain(state, top, int(state.frames[top, DO]), action)
    elif at == NODE_MUSTER:
        apply_muster(state, top, action)
    elif at == NODE_SACRIFICE:
        sacrifice(state, top, action - NAME_SEAT)
    elif at == NODE_BOARD:
        apply_board(state, top, action - CHOOSE_COUNCILOR)
    elif at == NODE_SCHOLAR:
        apply_scholar(state, top, action - KEEP - NUM_BASIC)
    elif at == NODE_DRAFT:
        set_councilor(state, int(state.actor), action - CHOOSE_COUNCILOR)
    else:
        apply_card(rules, state, top, action)


@kernel
def apply_late(state: Record, location: int) -> None:
    """D11: the held piece and its companion (11.9)."""
    seat, companion = int(state.held_seat), int(state.held_companion)
    put_piece(state, seat, int(state.held_kind), location)
    if companion != NONE:
        put_piece(state, seat, companion, location)
    state.held_seat = state.held_kind = state.held_companion = NONE


@kernel
def apply_outcome(rules: Record, state: Record, at: int, top: int, outcome: int) -> None:
    """C1 - C10."""
    if at == CHANCE_MISFORTUNE:
        apply_misfortune(rules, state, outcome)
    elif at == CHANCE_DIE:
        apply_die(state, top, outcome)
    elif at == CHANCE_LIBRARY:
        apply_library(rules, state, top, outcome)
    elif at == CHANCE_LOOK:
        apply_look(state, outcome)
    elif at == CHANCE_BOARD:
        apply_seen(state, top, outcome - DRAW_BOARD)
    elif at == CHANCE_SCHOLAR:
        apply_seen(state, top, outcome - DRAW_ARTIFACT)
    elif at == CHANCE_ARTIFACT:
        state.library_deck[NUM_BASIC + outcome - DRAW_ARTIFACT] = 1
        state.unused_artifacts = int(state.unused_artifacts) & ~(1 << outcome - DRAW_ARTIFACT)
    elif at == CHANCE_COMPONENT:
        state.blueprint[outcome - DRAW_COMPONENT] = 1
    elif at == CHANCE_ARTIFICER:
        set_councilor(state, outcome - DRAW_ARTIFICER, ARTIFICER)
        state.frames[top, STEP] = STEP_COUNCILOR
    elif at == CHANCE_COUNCILOR:
        seat = 0
        while state.councilor[seat] != NONE:
            seat += 1
        set_councilor(state, seat, outcome - DRAW_COUNCILOR)
    else:
        state.first = outcome - DRAW_FIRST
        state.turn = state.first
        state.frames[top, STEP] = STEP_ARTIFACT
