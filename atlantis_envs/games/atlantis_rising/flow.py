"""The machine: what runs by itself until somebody has to decide or chance does.

The top frame of the stack either sets a node and waits, or goes on; without frames the phase does (section 20: base
nodes). A position at a node stays as it is.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.legal import may_act_in_window
from atlantis_envs.games.atlantis_rising.mechanics.board import misfortunes_left
from atlantis_envs.games.atlantis_rising.mechanics.building import run_build
from atlantis_envs.games.atlantis_rising.mechanics.cards import over_limit, run_card, run_library, run_memory
from atlantis_envs.games.atlantis_rising.mechanics.dice import run_city, run_wild
from atlantis_envs.games.atlantis_rising.mechanics.floods import run_displacement, sunk
from atlantis_envs.games.atlantis_rising.mechanics.locations import some_duty
from atlantis_envs.games.atlantis_rising.mechanics.misfortunes import refill_misfortunes, run_misfortune
from atlantis_envs.games.atlantis_rising.mechanics.payment import run_share
from atlantis_envs.games.atlantis_rising.mechanics.rounds import (
    begin_actions,
    end_actions,
    end_deployment,
    end_round,
    end_setup,
    run_board,
    run_scholar,
    run_setup,
)
from atlantis_envs.games.atlantis_rising.mechanics.small_choices import (
    run_gain,
    run_look,
    run_muster,
    run_sacrifice,
    run_series,
)
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, WAITING, finish_game, pop, wait
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Node, Phase, Result
from atlantis_envs.kernels.kernel import kernel

MOST_STEPS = 100  # between two nodes; the longest way, from a last pass to the next deployment, takes about 20


@kernel
def run(rules: Record, state: Record) -> None:
    """Go on until a node is reached. A position at a node stays as it is."""
    waiting = state.result != 0
    for _ in range(MOST_STEPS):
        if waiting:
            return
        top = int(state.num_frames) - 1
        waiting = (
            run_phase(rules, state) if top < 0 else run_frame(rules, state, top, int(state.frames[top, Column.DO]))
        )


@kernel
def run_frame(rules: Record, state: Record, top: int, do: int) -> bool:
    """Let the top frame wait or go on."""
    if do == Frame.TURN:
        pop(state)
        if rules.casting_vote != 0 and state.phase != Phase.MISFORTUNE:
            state.turn = state.first
            state.call = 1
        else:
            state.turn = (int(state.turn) + 1) % int(rules.players)
        return RUNNING
    if do == Frame.WILD:
        return run_wild(rules, state, top)
    if do == Frame.SHARE:
        return run_share(rules, state, top)
    if do == Frame.PLACE or do == Frame.LIFT or do == Frame.RESOLVE:
        at = Node.PLACE if do == Frame.PLACE else Node.LIFT if do == Frame.LIFT else Node.RESOLVE
        return wait(state, at, int(state.frames[top, Column.SEAT]))
    if do == Frame.MISFORTUNE:
        return run_misfortune(rules, state, top)
    if do == Frame.LIBRARY:
        return run_library(rules, state, top)
    if do == Frame.CITY:
        return run_city(rules, state, top)
    if do == Frame.CARD:
        return run_card(rules, state, top)
    if do == Frame.WARD or do == Frame.EBB or do == Frame.SWAP:
        return run_series(rules, state, top, do)
    if do == Frame.LOOK:
        return run_look(rules, state, top)
    if do == Frame.BUILD:
        return run_build(rules, state, top)
    if do == Frame.DISPLACE:
        return run_displacement(rules, state, top)
    if do == Frame.SETUP:
        return run_setup(rules, state, top)
    if do == Frame.SCHOLAR:
        return run_scholar(rules, state, top)
    if do == Frame.BOARD:
        return run_board(rules, state, top)
    if do == Frame.MEMORY:
        return run_memory(rules, state, top)
    if do == Frame.MUSTER:
        return run_muster(rules, state, top)
    if do == Frame.SACRIFICE:
        return run_sacrifice(rules, state, top)
    return run_gain(rules, state, top, do)


@kernel
def run_phase(rules: Record, state: Record) -> bool:
    """Go to the base node of the phase, or to its end (section 20)."""
    players = int(rules.players)
    phase = int(state.phase)
    if phase == Phase.DEPLOY:
        if state.call != 0:
            return wait(state, Node.CALL, int(state.first))
        if state.passes < players:
            return wait(state, Node.DEPLOY, int(state.turn))
        end_deployment(rules, state)
        return RUNNING
    if phase == Phase.ACTIONS:
        if state.passes >= players and not some_duty(rules, state):
            end_actions(rules, state)
            return RUNNING
        seat = over_limit(rules, state)
        if seat != NONE:
            return wait(state, Node.OVERFLOW, seat)
        if state.call != 0:
            return wait(state, Node.CALL, int(state.first))
        return wait(state, Node.ACT, int(state.turn))
    if phase == Phase.MISFORTUNE:
        return run_misfortunes(rules, state, players)
    if phase == Phase.WRATH:
        if state.floods == 0:
            return end_round(rules, state)
        if sunk(state):
            finish_game(state, Result.SUNK)
            return WAITING
        return wait(state, Node.FLOOD, int(state.first))
    if phase == Phase.SETUP:
        end_setup(rules, state)
    elif phase == Phase.START:
        state.phase = Phase.DEPLOY
        state.call = rules.casting_vote
    return RUNNING


@kernel
def run_misfortunes(rules: Record, state: Record, players: int) -> bool:
    """Go through phase 2: windows, draws, the held pieces, the end (6.2, 6.10, 6.11)."""
    for _ in range(players + 1):
        if state.window_open == 0:
            break
        if state.passes >= players:
            state.window_open = 0
            state.turn = state.first
            state.passes = 0
        elif may_act_in_window(rules, state, int(state.turn)):
            return wait(state, Node.WINDOW, int(state.turn))
        else:
            state.passes += 1
            state.turn = (int(state.turn) + 1) % players
    if state.draws[0] != NONE:
        if not misfortunes_left(state):
            refill_misfortunes(state)
        return wait(state, Node.C8_MISFORTUNE, NONE)
    if state.held_seat != NONE:
        return wait(state, Node.LATE, int(state.held_seat))
    begin_actions(rules, state)
    return RUNNING
