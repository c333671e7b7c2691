"""The machine: what runs by itself until somebody has to decide or chance does.

The top frame of the stack either sets a node and waits, or goes on; without frames the phase does (section 20: base
nodes). A position at a node stays as it is.
"""

from __future__ import annotations

from atlantis_envs.engine.contract import Record
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.board import misfortunes_left
from atlantis_envs.games.atlantis_rising.building import run_build
from atlantis_envs.games.atlantis_rising.cards import (
    over_limit,
    run_card,
    run_library,
    run_memory,
)
from atlantis_envs.games.atlantis_rising.dice import (
    run_city,
    run_wild,
)
from atlantis_envs.games.atlantis_rising.floods import run_displacement, sunk
from atlantis_envs.games.atlantis_rising.legal import may_act_in_window
from atlantis_envs.games.atlantis_rising.misfortunes import (
    refill_misfortunes,
    run_misfortune,
)
from atlantis_envs.games.atlantis_rising.payment import run_share
from atlantis_envs.games.atlantis_rising.rounds import (
    begin_actions,
    end_actions,
    end_deployment,
    end_round,
    end_setup,
    run_board,
    run_scholar,
    run_setup,
)
from atlantis_envs.games.atlantis_rising.series import (
    run_gain,
    run_look,
    run_muster,
    run_sacrifice,
    run_series,
)
from atlantis_envs.games.atlantis_rising.stack import RUNNING, WAITING, finish_game, pop, wait
from atlantis_envs.games.atlantis_rising.state import (
    ACTIONS_PHASE,
    BY_SEA,
    CHANCE_MISFORTUNE,
    DEPLOY,
    DO,
    FRAME_BOARD,
    FRAME_BUILD,
    FRAME_CARD,
    FRAME_CITY,
    FRAME_DISPLACE,
    FRAME_EBB,
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
    MISFORTUNE,
    NODE_ACT,
    NODE_DEPLOY,
    NODE_FLOOD,
    NODE_LATE,
    NODE_LIFT,
    NODE_OVERFLOW,
    NODE_PLACE,
    NODE_RESOLVE,
    NODE_WINDOW,
    NONE,
    SEAT,
    SETUP,
    START,
    WRATH,
)


@kernel
def run(rules: Record, state: Record) -> None:
    """Go on until a node is reached. A position at a node stays as it is."""
    waiting = state.result != 0
    while not waiting:
        top = int(state.num_frames) - 1
        waiting = run_phase(rules, state) if top < 0 else run_frame(rules, state, top, int(state.frames[top, DO]))


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
        end_setup(rules, state)
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
