"""The weights of every chance node (section 14)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising.actions import Outcome, Stream
from atlantis_envs.games.atlantis_rising.data import (
    DICE_FACES,
    NUM_ARTIFACTS,
    NUM_CARDS,
    NUM_COUNCILORS,
    NUM_MISFORTUNES,
    Component,
)
from atlantis_envs.games.atlantis_rising.mechanics.rounds import letter_due
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Node
from atlantis_envs.kernels.kernel import kernel


@kernel
def chance(rules: Record, state: Record, weights: Row) -> tuple[int, int, int]:
    """Weights of the outcomes in a range, and the stream they are drawn from (C1 - C10)."""
    at = int(state.node)
    top = int(state.num_frames) - 1
    if at == Node.C8_MISFORTUNE:
        known = int(state.misfortune_top[0])
        for kind in range(NUM_MISFORTUNES):
            weight = int(state.misfortune_deck[kind])
            weights[Outcome.MISFORTUNE + kind] = weight if known == NONE else int(kind == known)
        return Stream.MISFORTUNE, Outcome.MISFORTUNE, Outcome.MISFORTUNE + NUM_MISFORTUNES
    if at == Node.C9_DIE:
        weights[Outcome.DIE : Outcome.DIE + DICE_FACES] = 1
        return Stream.DIE + int(state.frames[top, Column.SEAT]), Outcome.DIE, Outcome.DIE + DICE_FACES
    if at == Node.C10_LIBRARY:
        total = 0
        for card in range(NUM_CARDS):
            weights[Outcome.LIBRARY + card] = int(state.library_deck[card])
            total += int(state.library_deck[card])
        if total == 0:
            weights[Outcome.LIBRARY + int(state.library_bottom[0])] = 1
        column = Column.SEAT if state.frames[top, Column.DO] == Frame.LIBRARY else Column.ORDER
        return Stream.LIBRARY + int(state.frames[top, column]), Outcome.LIBRARY, Outcome.LIBRARY + NUM_CARDS
    if at == Node.C8B_LOOK:
        for kind in range(NUM_MISFORTUNES):
            weights[Outcome.LOOK + kind] = int(state.misfortune_deck[kind])
        return Stream.LOOK, Outcome.LOOK, Outcome.LOOK + NUM_MISFORTUNES
    return setup_chance(rules, state, weights, at, top)


@kernel
def setup_chance(rules: Record, state: Record, weights: Row, at: int, top: int) -> tuple[int, int, int]:
    """Equal weights over what is left to draw (C1 - C7)."""
    if at == Node.C7_BOARD:
        for councilor in range(NUM_COUNCILORS):
            weights[Outcome.BOARD + councilor] = int(state.stack_boards) >> councilor & 1
        return Stream.BOARD, Outcome.BOARD, Outcome.BOARD + NUM_COUNCILORS
    if at == Node.C2_ARTIFACT:
        for artifact in range(NUM_ARTIFACTS):
            weights[Outcome.ARTIFACT + artifact] = int(state.unused_artifacts) >> artifact & 1
        return Stream.ARTIFACT, Outcome.ARTIFACT, Outcome.ARTIFACT + NUM_ARTIFACTS
    if at == Node.C3_COMPONENT:
        letter = letter_due(rules, state)
        for component in range(Component.POWER_CORE):
            free = state.blueprint[component] == 0 and rules.letter[component] == letter
            weights[Outcome.COMPONENT + component] = int(free)
        return Stream.COMPONENT, Outcome.COMPONENT, Outcome.COMPONENT + Component.POWER_CORE
    if at == Node.C5_COUNCILOR:
        for councilor in range(NUM_COUNCILORS):
            weights[Outcome.COUNCILOR + councilor] = int(state.keeper[councilor] == NONE)
        return Stream.COUNCILOR, Outcome.COUNCILOR, Outcome.COUNCILOR + NUM_COUNCILORS
    if at == Node.C1_FIRST or at == Node.C4_ARTIFICER:
        first = Outcome.FIRST if at == Node.C1_FIRST else Outcome.ARTIFICER
        stop = first + int(rules.players)
        weights[first:stop] = 1
        return Stream.FIRST if at == Node.C1_FIRST else Stream.ARTIFICER, first, stop
    for artifact in range(NUM_ARTIFACTS):  # C6
        free = int(state.unused_artifacts) & int(rules.scholar_symbols)
        weights[Outcome.ARTIFACT + artifact] = free >> artifact & 1
    if state.frames[top, Column.SEEN] != NONE:
        weights[Outcome.ARTIFACT + int(state.frames[top, Column.SEEN])] = 0
    return Stream.SCHOLAR, Outcome.ARTIFACT, Outcome.ARTIFACT + NUM_ARTIFACTS
