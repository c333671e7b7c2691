"""The weights of every chance node (section 14)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import (
    DRAW_ARTIFACT,
    DRAW_ARTIFICER,
    DRAW_BOARD,
    DRAW_COMPONENT,
    DRAW_COUNCILOR,
    DRAW_DIE,
    DRAW_FIRST,
    DRAW_LIBRARY,
    DRAW_LOOK,
    DRAW_MISFORTUNE,
    STREAM_ARTIFACT,
    STREAM_ARTIFICER,
    STREAM_BOARD,
    STREAM_COMPONENT,
    STREAM_COUNCILOR,
    STREAM_DIE,
    STREAM_FIRST,
    STREAM_LIBRARY,
    STREAM_LOOK,
    STREAM_MISFORTUNE,
    STREAM_SCHOLAR,
)
from atlantis_envs.games.atlantis_rising.data import (
    DICE_FACES,
    NUM_ARTIFACTS,
    NUM_CARDS,
    NUM_COUNCILORS,
    NUM_MISFORTUNES,
    POWER_CORE,
)
from atlantis_envs.games.atlantis_rising.rounds import letter_due
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
    DO,
    FRAME_LIBRARY,
    NONE,
    ORDER,
    SEAT,
    SEEN,
)


@kernel
def chance(rules: Record, state: Record, weights: Row) -> tuple[int, int, int]:
    """Weights of the outcomes in a range, and the stream they are drawn from (C1 - C10)."""
    at = int(state.node)
    top = int(state.num_frames) - 1
    if at == CHANCE_MISFORTUNE:
        known = int(state.misfortune_top[0])
        for kind in range(NUM_MISFORTUNES):
            weight = int(state.misfortune_deck[kind])
            weights[DRAW_MISFORTUNE + kind] = weight if known == NONE else int(kind == known)
        return STREAM_MISFORTUNE, DRAW_MISFORTUNE, DRAW_MISFORTUNE + NUM_MISFORTUNES
    if at == CHANCE_DIE:
        weights[DRAW_DIE : DRAW_DIE + DICE_FACES] = 1
        return STREAM_DIE + int(state.frames[top, SEAT]), DRAW_DIE, DRAW_DIE + DICE_FACES
    if at == CHANCE_LIBRARY:
        total = 0
        for card in range(NUM_CARDS):
            weights[DRAW_LIBRARY + card] = int(state.library_deck[card])
            total += int(state.library_deck[card])
        if total == 0:
            weights[DRAW_LIBRARY + int(state.library_bottom[0])] = 1
        column = SEAT if state.frames[top, DO] == FRAME_LIBRARY else ORDER
        return STREAM_LIBRARY + int(state.frames[top, column]), DRAW_LIBRARY, DRAW_LIBRARY + NUM_CARDS
    if at == CHANCE_LOOK:
        for kind in range(NUM_MISFORTUNES):
            weights[DRAW_LOOK + kind] = int(state.misfortune_deck[kind])
        return STREAM_LOOK, DRAW_LOOK, DRAW_LOOK + NUM_MISFORTUNES
    return setup_chance(rules, state, weights, at, top)


@kernel
def setup_chance(rules: Record, state: Record, weights: Row, at: int, top: int) -> tuple[int, int, int]:
    """Equal weights over what is left to draw (C1 - C7)."""
    if at == CHANCE_BOARD:
        for councilor in range(NUM_COUNCILORS):
            weights[DRAW_BOARD + councilor] = int(state.stack_boards) >> councilor & 1
        return STREAM_BOARD, DRAW_BOARD, DRAW_BOARD + NUM_COUNCILORS
    if at == CHANCE_ARTIFACT:
        for artifact in range(NUM_ARTIFACTS):
            weights[DRAW_ARTIFACT + artifact] = int(state.unused_artifacts) >> artifact & 1
        return STREAM_ARTIFACT, DRAW_ARTIFACT, DRAW_ARTIFACT + NUM_ARTIFACTS
    if at == CHANCE_COMPONENT:
        letter = letter_due(rules, state)
        for component in range(POWER_CORE):
            free = state.blueprint[component] == 0 and rules.letter[component] == letter
            weights[DRAW_COMPONENT + component] = int(free)
        return STREAM_COMPONENT, DRAW_COMPONENT, DRAW_COMPONENT + POWER_CORE
    if at == CHANCE_COUNCILOR:
        for councilor in range(NUM_COUNCILORS):
            weights[DRAW_COUNCILOR + councilor] = int(state.keeper[councilor] == NONE)
        return STREAM_COUNCILOR, DRAW_COUNCILOR, DRAW_COUNCILOR + NUM_COUNCILORS
    if at == CHANCE_FIRST or at == CHANCE_ARTIFICER:
        first = DRAW_FIRST if at == CHANCE_FIRST else DRAW_ARTIFICER
        stop = first + int(rules.players)
        weights[first:stop] = 1
        return STREAM_FIRST if at == CHANCE_FIRST else STREAM_ARTIFICER, first, stop
    for artifact in range(NUM_ARTIFACTS):  # C6
        free = int(state.unused_artifacts) & int(rules.scholar_symbols)
        weights[DRAW_ARTIFACT + artifact] = free >> artifact & 1
    if state.frames[top, SEEN] != NONE:
        weights[DRAW_ARTIFACT + int(state.frames[top, SEEN])] = 0
    return STREAM_SCHOLAR, DRAW_ARTIFACT, DRAW_ARTIFACT + NUM_ARTIFACTS
