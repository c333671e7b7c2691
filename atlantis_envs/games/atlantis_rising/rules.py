"""What a choice or an outcome does: it is played into the top frame, then the machine of flow.py runs on."""

from __future__ import annotations

from atlantis_envs.engine.definition import CHANCE, OVER, Record
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import NUM_BASIC, Councilor, Good, Used
from atlantis_envs.games.atlantis_rising.flow import run
from atlantis_envs.games.atlantis_rising.mechanics.board import put_piece, take_piece
from atlantis_envs.games.atlantis_rising.mechanics.building import apply_build, set_price
from atlantis_envs.games.atlantis_rising.mechanics.cards import (
    apply_card,
    apply_keep,
    apply_library,
    begin_look,
    discard_card,
    play_card,
)
from atlantis_envs.games.atlantis_rising.mechanics.dice import apply_die, apply_fail, apply_recruit, apply_reroll
from atlantis_envs.games.atlantis_rising.mechanics.floods import apply_react, flood
from atlantis_envs.games.atlantis_rising.mechanics.locations import apply_resolve
from atlantis_envs.games.atlantis_rising.mechanics.misfortunes import (
    apply_look,
    apply_misfortune,
    apply_misfortune_flood,
    apply_plague,
)
from atlantis_envs.games.atlantis_rising.mechanics.payment import apply_share, barrier_cost, begin_share
from atlantis_envs.games.atlantis_rising.mechanics.rounds import (
    apply_board,
    apply_scholar,
    apply_seen,
    most_passes,
    next_without_councilor,
    set_councilor,
)
from atlantis_envs.games.atlantis_rising.mechanics.small_choices import (
    apply_gain,
    apply_muster,
    apply_removal,
    apply_swap,
    apply_ward_or_ebb,
    sacrifice,
)
from atlantis_envs.games.atlantis_rising.mechanics.stack import pop, push
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Node, Purpose, Step
from atlantis_envs.kernels.kernel import kernel


@kernel
def node(rules: Record, state: Record) -> int:
    """The seat to decide, CHANCE or OVER."""
    at = int(state.node)
    if at < Node.C1_FIRST:
        return int(state.actor)
    return CHANCE if at <= Node.C10_LIBRARY else OVER


@kernel
def apply(rules: Record, state: Record, index: int) -> None:
    """Play an action id at a decision node, an outcome id at a chance node."""
    at = int(state.node)
    top = int(state.num_frames) - 1
    if at >= Node.C1_FIRST:
        apply_outcome(rules, state, at, top, index)
    elif at == Node.DEPLOY or at == Node.ACT or at == Node.WINDOW:
        apply_turn(rules, state, index)
    elif at == Node.PLACE:
        seat, kind = int(state.frames[top, Column.SEAT]), int(state.frames[top, Column.KIND])
        pop(state)
        put_piece(state, seat, kind, index - Act.AT)
    elif at == Node.RESOLVE:
        apply_resolve(rules, state, int(state.frames[top, Column.SEAT]), index - Act.AT)
    elif at == Node.LIFT:
        seat, kind = int(state.frames[top, Column.SEAT]), int(state.frames[top, Column.KIND])
        pop(state)
        take_piece(state, seat, kind, index - Act.AT)
        state.home[seat, kind] += 1
        state.lifts[seat] -= 1
    elif at == Node.SHARE:
        apply_share(rules, state, top, index)
    elif at == Node.FLOOD:
        if top >= 0:
            apply_misfortune_flood(rules, state, top, index)
        else:
            state.floods -= 1
            flood(rules, state, index - Act.FLOOD, False)
    elif at == Node.FAIL:
        apply_fail(state, top, index)
    else:
        apply_rare(rules, state, at, top, index)
    run(rules, state)


@kernel
def apply_turn(rules: Record, state: Record, action: int) -> None:
    """Pass, or open a turn (D4, D7, D12; 5.4, 6.2, 7.1)."""
    seat = int(state.turn)
    if action == Act.READY or action == Act.PASS:
        state.passes = min(int(state.passes) + 1, most_passes(rules))
        state.turn = (seat + 1) % int(rules.players)
        return
    state.passes = 0
    push(state, Frame.TURN, 0)
    if action >= Act.PLACE and action < Act.LIFT:
        top = push(state, Frame.PLACE, seat)
        state.frames[top, Column.KIND] = action - Act.PLACE
    elif action >= Act.LIFT and action < Act.PLAY:
        top = push(state, Frame.LIFT, seat)
        state.frames[top, Column.KIND] = action - Act.LIFT
    elif action == Act.RESOLVE:
        push(state, Frame.RESOLVE, seat)
    elif action == Act.YIELD:
        state.yields[seat] -= 1
    elif action == Act.PEEK:
        state.used[seat] = int(state.used[seat]) | Used.TIDEWATCH_GLASS
        begin_look(state, seat, 1, 0)
    elif action < Act.AT:
        play_card(rules, state, seat, action - Act.PLAY)
    elif action < Act.DRAIN:
        cost = barrier_cost(rules, state, seat)
        begin_share(rules, state, Purpose.BARRIER, seat, action - Act.BARRIER, Good.ENERGY, cost)
    else:
        begin_share(rules, state, Purpose.DRAIN, seat, action - Act.DRAIN, Good.ENERGY, int(rules.drain_cost))


@kernel
def apply_rare(rules: Record, state: Record, at: int, top: int, action: int) -> None:
    """Carry out the remaining decisions of section 13."""
    if at == Node.REROLL:
        apply_reroll(rules, state, top, action)
    elif at == Node.KEEP or at == Node.MORE:
        apply_keep(rules, state, top, action)
    elif at == Node.RECRUIT:
        apply_recruit(state, action)
    elif at == Node.WARD or at == Node.EBB:
        apply_ward_or_ebb(state, top, action)
    elif at == Node.REACT:
        apply_react(rules, state, top, action)
    elif at == Node.BUILD:
        apply_build(rules, state, top, action)
    elif at == Node.DISCOUNT:
        set_price(rules, state, top, action - Act.DISCOUNT)
    elif at == Node.PLAGUE:
        apply_plague(rules, state, top, action)
    elif at == Node.LATE:
        apply_late(state, action - Act.AT)
    elif at == Node.GIVE or at == Node.TAKE:
        apply_swap(state, top, action)
    elif at == Node.LOOK:
        apply_removal(state, top, action)
    elif at == Node.OVERFLOW:
        if action >= Act.DISCARD:
            discard_card(state, int(state.actor), action - Act.DISCARD)
        else:
            play_card(rules, state, int(state.actor), action - Act.PLAY)
    elif at == Node.CALL:
        state.call = 0
        state.turn = action - Act.SEAT
    elif at == Node.AMPLIFY:
        state.frames[top, Column.TARGET] = action - Act.SEAT
    elif at == Node.GAIN:
        apply_gain(state, top, int(state.frames[top, Column.DO]), action)
    elif at == Node.MUSTER:
        apply_muster(state, top, action)
    elif at == Node.SACRIFICE:
        sacrifice(state, top, action - Act.SEAT)
    elif at == Node.BOARD:
        apply_board(state, top, action - Act.COUNCILOR)
    elif at == Node.SCHOLAR:
        apply_scholar(state, top, action - Act.KEEP - NUM_BASIC)
    elif at == Node.DRAFT:
        set_councilor(state, int(state.actor), action - Act.COUNCILOR)
    else:
        apply_card(rules, state, top, action)


@kernel
def apply_late(state: Record, location: int) -> None:
    """Place the held piece and its companion (D11; 11.9)."""
    seat, companion = int(state.held_seat), int(state.held_companion)
    put_piece(state, seat, int(state.held_kind), location)
    if companion != NONE:
        put_piece(state, seat, companion, location)
    state.held_seat = state.held_kind = state.held_companion = NONE


@kernel
def apply_outcome(rules: Record, state: Record, at: int, top: int, outcome: int) -> None:
    """Carry out a chance outcome (C1 - C10)."""
    if at == Node.C8_MISFORTUNE:
        apply_misfortune(rules, state, outcome)
    elif at == Node.C9_DIE:
        apply_die(state, top, outcome)
    elif at == Node.C10_LIBRARY:
        apply_library(rules, state, top, outcome)
    elif at == Node.C8B_LOOK:
        apply_look(state, outcome)
    elif at == Node.C7_BOARD:
        apply_seen(state, top, outcome - Outcome.BOARD)
    elif at == Node.C6_SCHOLAR:
        apply_seen(state, top, outcome - Outcome.ARTIFACT)
    elif at == Node.C2_ARTIFACT:
        state.library_deck[NUM_BASIC + outcome - Outcome.ARTIFACT] = 1
        state.unused_artifacts = int(state.unused_artifacts) & ~(1 << outcome - Outcome.ARTIFACT)
    elif at == Node.C3_COMPONENT:
        state.blueprint[outcome - Outcome.COMPONENT] = 1
    elif at == Node.C4_ARTIFICER:
        set_councilor(state, outcome - Outcome.ARTIFICER, Councilor.ARTIFICER)
        state.frames[top, Column.STEP] = Step.COUNCILOR
    elif at == Node.C5_COUNCILOR:
        set_councilor(state, next_without_councilor(rules, state), outcome - Outcome.COUNCILOR)
    else:
        state.first = outcome - Outcome.FIRST
        state.turn = state.first
        state.frames[top, Column.STEP] = Step.ARTIFACT
