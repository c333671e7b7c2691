"""The flow of the game: what runs by itself until somebody has to decide, and what a choice does.

``run`` is a small machine over the stack of frames. The top frame either sets a node and waits, or goes on; without
frames the phase does (section 20: base nodes). ``apply`` plays a choice into the top frame and lets the machine run.
"""

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
from atlantis_envs.games.atlantis_rising.board import misfortunes_left, put_piece, take_piece
from atlantis_envs.games.atlantis_rising.building import apply_build, run_build, set_price
from atlantis_envs.games.atlantis_rising.cards import (
    apply_card,
    apply_keep,
    apply_library,
    begin_look,
    discard_card,
    over_limit,
    play_card,
    run_card,
    run_library,
    run_memory,
)
from atlantis_envs.games.atlantis_rising.data import ARTIFICER, ENERGY, NUM_BASIC, USED_GLASS
from atlantis_envs.games.atlantis_rising.dice import (
    apply_die,
    apply_fail,
    apply_recruit,
    apply_reroll,
    run_city,
    run_wild,
)
from atlantis_envs.games.atlantis_rising.floods import apply_react, flood, run_displacement, sunk
from atlantis_envs.games.atlantis_rising.legal import may_act_in_window
from atlantis_envs.games.atlantis_rising.misfortunes import (
    apply_look,
    apply_misfortune,
    apply_misfortune_flood,
    apply_plague,
    refill_misfortunes,
    run_misfortune,
)
from atlantis_envs.games.atlantis_rising.payment import apply_share, barrier_cost, begin_share, run_share
from atlantis_envs.games.atlantis_rising.resolve import apply_resolve
from atlantis_envs.games.atlantis_rising.rounds import (
    apply_board,
    apply_scholar,
    apply_seen,
    begin_actions,
    end_actions,
    end_deployment,
    end_round,
    run_board,
    run_scholar,
    run_setup,
    set_councilor,
    start_round,
)
from atlantis_envs.games.atlantis_rising.series import (
    apply_gain,
    apply_muster,
    apply_removal,
    apply_swap,
    apply_ward_or_ebb,
    run_gain,
    run_look,
    run_muster,
    run_sacrifice,
    run_series,
    sacrifice,
)
from atlantis_envs.games.atlantis_rising.stack import RUNNING, WAITING, finish_game, pop, push, wait
from atlantis_envs.games.atlantis_rising.state import (
    ACTIONS_PHASE,
    BY_SEA,
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
    DEPLOY,
    DO,
    FOR_BARRIER,
    FOR_DRAIN,
    FRAME_AMPLIFY,
    FRAME_BOARD,
    FRAME_BUILD,
    FRAME_CARD,
    FRAME_CITY,
    FRAME_DISPLACE,
    FRAME_EBB,
    FRAME_LATTICE,
    FRAME_LIBRARY,
    FRAME_LIFT,
    FRAME_LOOK,
    FRAME_MEMORY,
    FRAME_MISFORTUNE,
    FRAME_MUSTER,
    FRAME_PLACE,
    FRAME_RESOLVE,
    FRAME_SACRIFICE,
    FRAME_SCHOLAR,
    FRAME_SETUP,
    FRAME_SHARE,
    FRAME_SWAP,
    FRAME_TURN,
    FRAME_WARD,
    FRAME_WILD,
    KIND,
    MISFORTUNE,
    NODE_ACT,
    NODE_AMPLIFY,
    NODE_ARCHIVE,
    NODE_BOARD,
    NODE_BUILD,
    NODE_CHART,
    NODE_DEPLOY,
    NODE_DISCOUNT,
    NODE_DRAFT,
    NODE_EBB,
    NODE_FAIL,
    NODE_FLOOD,
    NODE_FONT,
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
    NODE_REPEAT_AT,
    NODE_REPEAT_SEAT,
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
    SETUP,
    START,
    STEP,
    STEP_ARTIFACT,
    STEP_COUNCILOR,
    TARGET,
    WRATH,
)


@kernel
def node(rules: Record, state: Record) -> int:
    """The seat to decide, CHANCE or OVER."""
    at = int(state.node)
    if at < CHANCE_FIRST:
        return int(state.actor)
    return CHANCE if at <= CHANCE_LIBRARY else OVER


# ---------------------------------------------------------------------------------------------------- the machine


@kernel
def run(rules: Record, state: Record) -> None:
    """Go on until a node is reached. A position at a node stays as it is."""
    waiting = state.result != 0
    while not waiting:
        top = int(state.num_frames) - 1
        if top < 0:
            waiting = run_phase(rules, state)
        else:
            waiting = run_frame(rules, state, top, int(state.frames[top, DO]))


@kernel
def run_frame(rules: Record, state: Record, top: int, do: int) -> bool:
    """Let the top frame wait or go on."""
    if do == FRAME_TURN:
        pop(state)
        state.turn = (int(state.turn) + 1) % int(rules.players)
        return RUNNING
    if do == FRAME_WILD:
        return run_wild(rules, state, top)
    if do == FRAME_SHARE:
        return run_share(rules, state, top)
    if do == FRAME_PLACE or do == FRAME_LIFT or do == FRAME_RESOLVE:
        at = NODE_PLACE if do == FRAME_PLACE else NODE_LIFT if do == FRAME_LIFT else NODE_RESOLVE
        return wait(state, at, int(state.frames[top, SEAT]))
    if do == FRAME_MISFORTUNE:
        return run_misfortune(rules, state, top)
    if do == FRAME_LIBRARY:
        return run_library(rules, state, top)
    if do == FRAME_CITY:
        return run_city(rules, state, top)
    if do == FRAME_CARD:
        return run_card(rules, state, top)
    if do == FRAME_WARD or do == FRAME_EBB or do == FRAME_SWAP:
        return run_series(rules, state, top, do)
    if do == FRAME_LOOK:
        return run_look(rules, state, top)
    if do == FRAME_BUILD:
        return run_build(rules, state, top)
    if do == FRAME_DISPLACE:
        return run_displacement(rules, state, top)
    if do == FRAME_SETUP:
        return run_setup(rules, state, top)
    if do == FRAME_SCHOLAR:
        return run_scholar(rules, state, top)
    if do == FRAME_BOARD:
        return run_board(rules, state, top)
    if do == FRAME_MEMORY:
        return run_memory(rules, state, top)
    if do == FRAME_MUSTER:
        return run_muster(rules, state, top)
    if do == FRAME_SACRIFICE:
        return run_sacrifice(rules, state, top)
    return run_gain(rules, state, top, do)


@kernel
def run_phase(rules: Record, state: Record) -> bool:
    """The base node of the phase, or its end (section 20)."""
    players = int(rules.players)
    phase = int(state.phase)
    if phase == DEPLOY:
        if state.passes < players:
            return wait(state, NODE_DEPLOY, int(state.turn))
        end_deployment(rules, state)
        return RUNNING
    if phase == ACTIONS_PHASE:
        if state.passes >= players:
            end_actions(rules, state)
            return RUNNING
        seat = over_limit(rules, state)
        if seat != NONE:
            return wait(state, NODE_OVERFLOW, seat)
        return wait(state, NODE_ACT, int(state.turn))
    if phase == MISFORTUNE:
        return run_misfortunes(rules, state, players)
    if phase == WRATH:
        if state.floods == 0:
            return end_round(rules, state)
        if sunk(state):
            finish_game(state, BY_SEA)
            return WAITING
        return wait(state, NODE_FLOOD, int(state.first))
    if phase == SETUP:
        start_round(rules, state)
    elif phase == START:
        state.phase = DEPLOY
    return RUNNING


@kernel
def run_misfortunes(rules: Record, state: Record, players: int) -> bool:
    """Windows, draws, the held pieces, the end of phase 2 (6.2, 6.10, 6.11)."""
    while state.window_open != 0:
        if state.passes >= players:
            state.window_open = 0
            state.turn = state.first
            state.passes = 0
        elif may_act_in_window(rules, state, int(state.turn)):
            return wait(state, NODE_WINDOW, int(state.turn))
        else:
            state.passes += 1
            state.turn = (int(state.turn) + 1) % players
    if state.draws[0] != NONE:
        if not misfortunes_left(state):
            refill_misfortunes(state)
        return wait(state, CHANCE_MISFORTUNE, NONE)
    if state.held_seat != NONE:
        return wait(state, NODE_LATE, int(state.held_seat))
    begin_actions(state)
    return RUNNING


# -------------------------------------------------------------------------------------------------------- apply


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
        state.lifts[seat] -= 1
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
        apply_reroll(state, top, action)
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
        state.unused = int(state.unused) & ~(1 << outcome - DRAW_ARTIFACT)
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


assert NODE_ARCHIVE > NODE_CHART > NODE_EBB and NODE_FONT and NODE_REPEAT_AT and NODE_REPEAT_SEAT
assert FRAME_AMPLIFY < FRAME_LATTICE
