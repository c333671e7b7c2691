"""Setup, the start of a round and the passage from phase to phase (sections 3, 4, 5.4, 6.2, 7.13, 10)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.data import (
    BY_HOLOGRAM,
    LETTERS,
    MAX_PLAYERS,
    NUM_ARTIFACTS,
    NUM_BASIC,
    NUM_COMPONENTS,
    NUM_COUNCILORS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_MISFORTUNES,
    NUM_WILD,
    Artifact,
    Component,
    Councilor,
    Good,
    Kind,
)
from atlantis_envs.games.atlantis_rising.mechanics.board import count_of, gain, has_in_play, is_special
from atlantis_envs.games.atlantis_rising.mechanics.misfortunes import begin_draws
from atlantis_envs.games.atlantis_rising.mechanics.stack import RUNNING, WAITING, finish_game, pop, push, set_none, wait
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Node, Phase, Result, Step
from atlantis_envs.kernels.kernel import kernel

NUM_LETTERS = len(LETTERS)

# ------------------------------------------------------------------------------------------------------ setup (3)


@kernel
def reset(rules: Record, state: Record) -> None:
    """The root position: everything laid out that no chance and no choice decides. ``state`` comes zeroed."""
    state.hologram = state.hologram_artifact = NONE
    state.held_seat = state.held_kind = state.held_companion = NONE
    state.built[:] = NONE
    state.library_bottom[:] = NONE
    state.misfortune_top[:] = NONE
    state.draws[:] = NONE
    state.councilor[:] = NONE
    state.keeper[:] = NONE
    state.special_at[:] = NONE
    state.scholar_artifact[:] = NONE
    state.volunteers = rules.volunteers
    state.unused_artifacts = (1 << NUM_ARTIFACTS) - 1
    for card in range(NUM_BASIC):
        state.library_deck[card] = rules.library[card]
    for kind in range(NUM_MISFORTUNES):
        state.misfortune_deck[kind] = rules.misfortunes[kind]
    state.blueprint[Component.POWER_CORE] = 1
    if rules.blueprint_known != 0:
        for component in range(NUM_COMPONENTS):
            state.blueprint[component] = rules.blueprint_list[component]
    for seat in range(int(rules.players)):
        state.home[seat, Kind.LEADER] = 1
        state.home[seat, Kind.FOLLOWER] = rules.followers
        state.reserve[seat] = rules.reserve
        state.goods[seat, Good.ENERGY] = rules.starting_energy
    if int(rules.players) == 1:
        state.home[0, Kind.AUTOMATON] = 1
    top = push(state, Frame.SETUP, 0)
    state.frames[top, Column.STEP] = Step.FIRST
    if rules.first_player != NONE:
        state.first = rules.first_player
        state.turn = rules.first_player
        state.frames[top, Column.STEP] = Step.ARTIFACT
    run_setup(rules, state, top)


@kernel
def set_councilor(state: Record, seat: int, councilor: int) -> None:
    """Give a seat its councilor for the whole game."""
    state.councilor[seat] = councilor
    state.keeper[councilor] = seat


@kernel
def letter_due(rules: Record, state: Record) -> int:
    """The letter of the next component to be drawn (3e); NONE when the blueprint is complete."""
    for letter in range(NUM_LETTERS):
        found = 0
        for component in range(Component.POWER_CORE):
            if rules.letter[component] == letter:
                found += int(state.blueprint[component])
        if found < int(rules.letters_wanted[letter]):
            return letter
    return NONE


@kernel
def next_without_councilor(rules: Record, state: Record) -> int:
    """The first seat without a councilor; NONE if there is none."""
    for seat in range(int(rules.players)):
        if state.councilor[seat] == NONE:
            return seat
    return NONE


@kernel
def run_setup(rules: Record, state: Record, top: int) -> bool:
    """Go on to the next step that needs chance or a choice (3a - 3h)."""
    step = int(state.frames[top, Column.STEP])
    if step == Step.FIRST:
        return wait(state, Node.C1_FIRST, NONE)
    if step == Step.ARTIFACT:
        drawn = 0
        for artifact in range(NUM_ARTIFACTS):
            drawn += int(state.library_deck[NUM_BASIC + artifact])
        if drawn < int(rules.artifacts_in_library):
            return wait(state, Node.C2_ARTIFACT, NONE)
        state.frames[top, Column.STEP] = Step.COMPONENT
        step = Step.COMPONENT
    if step == Step.COMPONENT:
        if letter_due(rules, state) != NONE:
            return wait(state, Node.C3_COMPONENT, NONE)
        step = Step.DRAFT if rules.draft != 0 else Step.COUNCILOR
        if rules.councilors_listed != 0:
            for seat in range(int(rules.players)):
                set_councilor(state, seat, int(rules.councilor_list[seat]))
        elif step == Step.COUNCILOR and rules.force_artificer != 0:
            step = Step.ARTIFICER
        state.frames[top, Column.STEP] = step
    if step == Step.ARTIFICER:
        return wait(state, Node.C4_ARTIFICER, NONE)
    seat = next_without_councilor(rules, state)
    if seat != NONE:
        if step == Step.DRAFT:
            return wait(state, Node.DRAFT, seat)
        return wait(state, Node.C5_COUNCILOR, NONE)
    pop(state)
    if state.keeper[Councilor.SCHOLAR] != NONE:
        begin_scholar(state, int(state.keeper[Councilor.SCHOLAR]), False)
    return RUNNING


@kernel
def begin_scholar(state: Record, seat: int, for_hologram: bool) -> None:
    """Begin to draw two artifacts, of which one is kept (11.7)."""
    top = push(state, Frame.SCHOLAR, seat)
    state.frames[top, Column.PURPOSE] = for_hologram
    set_none(state, top, Column.SEEN, Column.SEEN + 2)


@kernel
def run_scholar(rules: Record, state: Record, top: int) -> bool:
    """Wait for the two artifacts (C6), then for the choice of one (D2)."""
    if state.frames[top, Column.SEEN + 1] == NONE:
        return wait(state, Node.C6_SCHOLAR, NONE)
    return wait(state, Node.SCHOLAR, int(state.frames[top, Column.SEAT]))


@kernel
def apply_seen(state: Record, top: int, item: int) -> None:
    """Show one more artifact or board (C6, C7)."""
    place = Column.SEEN if state.frames[top, Column.SEEN] == NONE else Column.SEEN + 1
    state.frames[top, place] = item
    if state.frames[top, Column.DO] == Frame.BOARD:
        state.stack_boards = int(state.stack_boards) & ~(1 << item)


@kernel
def apply_scholar(state: Record, top: int, artifact: int) -> None:
    """Keep the artifact that was chosen, for the scholar or the hologram (D2)."""
    state.unused_artifacts = int(state.unused_artifacts) & ~(1 << artifact)
    if state.frames[top, Column.PURPOSE] != 0:
        state.hologram_artifact = artifact
    else:
        state.scholar_artifact[int(state.frames[top, Column.SEAT])] = artifact
    pop(state)


# --------------------------------------------------------------------------------------------- start of a round (4)


@kernel
def end_setup(rules: Record, state: Record) -> None:
    """Stack the boards not used and start round 1 (3i, 3j)."""
    if int(rules.players) <= 2:
        for councilor in range(NUM_COUNCILORS):
            if state.keeper[councilor] == NONE:
                state.stack_boards = int(state.stack_boards) | 1 << councilor
    start_round(rules, state)


@kernel
def start_round(rules: Record, state: Record) -> None:
    """Start a round: effects end, energy is handed out, the hologram's boards are drawn (4.1 - 4.4)."""
    state.round_number += 1
    state.phase = Phase.START
    clear_turns(rules, state)
    state.earthquake = 0
    for peninsula in range(NUM_WILD):
        state.atlas[peninsula] = 0
    state.closed = 0
    state.build_limit = 0
    state.extra_floods = 0
    state.built_this_round = 0
    players = int(rules.players)
    for seat in range(players):
        state.lifts[seat] = rules.lift_budget
        state.yields[seat] = rules.yield_budget
        state.used[seat] = 0
    if players == 1:
        number = int(state.round_number)
        if rules.energy_every_round != 0:
            gain(state, 0, Good.ENERGY, 1)
        else:
            if number <= int(rules.wrath_last) + 1:
                gain(state, 0, Good.ENERGY, 1)
            state.track_energy_taken = min(number, int(rules.wrath_last) + 1)
    for seat in range(players):
        if has_in_play(state, seat, Artifact.MYSTIC_CONDUIT):
            gain(state, seat, Good.ENERGY, 1)
    if players <= 2:
        top = push(state, Frame.BOARD, int(state.first))
        set_none(state, top, Column.SEEN, Column.SEEN + 2)


@kernel
def most_passes(rules: Record) -> int:
    """How many turns in a row can be passes: with must_act everybody may be asked a second time (7.1, 7.2)."""
    players = int(rules.players)
    return 2 * players - 1 if rules.must_act != 0 else players


@kernel
def clear_turns(rules: Record, state: Record) -> None:
    """Set the turn to the first player and clear bars and refusals, which last a phase (9.5, 20)."""
    state.turn = state.first
    state.passes = 0
    for seat in range(MAX_PLAYERS):
        state.barred[seat] = 0
    for seat in range(int(rules.players)):
        state.declines[seat] = rules.decline_budget


@kernel
def run_board(rules: Record, state: Record, top: int) -> bool:
    """Wait for two boards (C7), then for the choice of one (D3; 4.4)."""
    if state.frames[top, Column.SEEN + 1] != NONE:
        return wait(state, Node.BOARD, int(state.first))
    if state.stack_boards == 0:  # a board already turned up is not in the discard
        state.stack_boards = state.discarded_boards
        state.discarded_boards = 0
    return wait(state, Node.C7_BOARD, NONE)


@kernel
def apply_board(state: Record, top: int, councilor: int) -> None:
    """Let the hologram join the first player for this round (D3)."""
    first, second = int(state.frames[top, Column.SEEN]), int(state.frames[top, Column.SEEN + 1])
    other = second if councilor == first else first
    state.discarded_boards = int(state.discarded_boards) | 1 << other
    state.hologram = councilor
    state.keeper[councilor] = BY_HOLOGRAM
    state.home[int(state.first), Kind.HOLOGRAM] = 1
    pop(state)
    if councilor == Councilor.SCHOLAR:
        begin_scholar(state, int(state.first), True)


# ------------------------------------------------------------------------------------- the ends of the phases


@kernel
def end_deployment(rules: Record, state: Record) -> None:
    """Hold an astrologer piece that stayed at home, with its companion, then begin phase 2 (5.9)."""
    for seat in range(int(rules.players)):
        for kind in range(Kind.HOLOGRAM + 1):
            if state.home[seat, kind] > 0 and is_special(state, seat, kind, Councilor.ASTROLOGER):
                state.held_seat = seat
                state.held_kind = kind
                for other in range(NUM_KINDS):
                    if other != kind and state.home[seat, other] > 0:
                        state.held_companion = other
    state.phase = Phase.MISFORTUNE
    clear_turns(rules, state)
    begin_draws(rules, state)


@kernel
def begin_actions(rules: Record, state: Record) -> None:
    """Begin phase 3, the actions (7.1)."""
    state.phase = Phase.ACTIONS
    clear_turns(rules, state)
    state.call = rules.casting_vote


@kernel
def end_actions(rules: Record, state: Record) -> None:
    """Send every placed piece home, return used volunteers to the supply, and begin phase 4 (7.13, 10.1)."""
    players = int(rules.players)
    for location in range(NUM_LOCATIONS):
        if state.crowd[location] > 0:
            for seat in range(players):
                packed = int(state.pieces[location, seat])
                if packed != 0:
                    for kind in range(NUM_KINDS):
                        count = count_of(packed, kind)
                        if kind == Kind.VOLUNTEER:
                            state.volunteers += count
                        else:
                            state.home[seat, kind] += count
                    state.pieces[location, seat] = 0
            state.crowd[location] = 0
    for councilor in range(NUM_COUNCILORS):
        state.special_at[councilor] = NONE
    for seat in range(players):
        state.where[seat] = 0
        state.volunteers += state.spent[seat]
        state.spent[seat] = 0
    state.phase = Phase.WRATH
    clear_turns(rules, state)
    state.floods = int(rules.wrath_values[int(state.wrath)]) + int(state.extra_floods)


@kernel
def end_round(rules: Record, state: Record) -> bool:
    """End the round and start the next one (10.2 - 10.4); WAITING if the game ends."""
    if int(state.wrath) < int(rules.wrath_last):
        state.wrath += 1
    if state.hologram != NONE:
        board = int(state.hologram)
        state.discarded_boards = int(state.discarded_boards) | 1 << board
        state.keeper[board] = NONE
        state.special_at[board] = NONE
        state.home[int(state.first), Kind.HOLOGRAM] = 0
        state.hologram = NONE
        if state.hologram_artifact != NONE:
            state.unused_artifacts = int(state.unused_artifacts) | 1 << int(state.hologram_artifact)
            state.hologram_artifact = NONE
    state.first = (int(state.first) + 1) % int(rules.players)
    state.turn = state.first
    if rules.round_limit != 0 and int(state.round_number) >= int(rules.round_limit):
        finish_game(state, Result.ROUND_LIMIT)
        return WAITING
    if int(state.round_number) >= int(rules.truncation):
        finish_game(state, Result.TRUNCATED)
        return WAITING
    start_round(rules, state)
    return RUNNING
