"""The course of Atlantis Rising: what a choice or an outcome does, chance, and what runs by itself until the next node.

A choice is played into the top frame, then ``run`` goes on until somebody has to decide or chance does: the top frame
either sets a node and waits, or goes on; without frames the phase does (section 20: base nodes). A position at a node
stays as it is. Then come the legal options of every decision node (section 13), the weights of chance (section 14),
scores and returns (section 16). Long because all of them go through the 49 nodes one by one.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import CHANCE, OVER, Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome, Stream
from atlantis_envs.games.atlantis_rising.data import Artifact, Basic, Component, Councilor, Good, Kind, Used, Window
from atlantis_envs.games.atlantis_rising.rules import board, building, cards, locations
from atlantis_envs.games.atlantis_rising.state import (
    CHIEF_DONE_MASK,
    COUNT_MASK,
    FOLLOWER_MASK,
    NONE,
    READY_SHIFT,
    Column,
    Frame,
    Node,
    Phase,
    Purpose,
    Result,
    Step,
)
from atlantis_envs.kernels.kernel import kernel


@kernel
def node(rules: Record, state: Record) -> int:
    """Return the seat to decide, CHANCE or OVER."""
    at = int(state.node)
    if at < Node.C1_FIRST:
        return int(state.actor)
    return CHANCE if at <= Node.C10_LIBRARY else OVER


@kernel
def phase(rules: Record, state: Record) -> int:
    """Return the number of the round being played: comparisons of positions are fair where it changes."""
    return int(state.round_number)


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
        board.pop(state)
        board.put_piece(state, seat, kind, index - Act.AT)
    elif at == Node.RESOLVE:
        locations.apply_resolve(rules, state, int(state.frames[top, Column.SEAT]), index - Act.AT)
    elif at == Node.LIFT:
        seat, kind = int(state.frames[top, Column.SEAT]), int(state.frames[top, Column.KIND])
        board.pop(state)
        board.take_piece(state, seat, kind, index - Act.AT)
        state.home[seat, kind] += 1
        state.lifts[seat] -= 1
    elif at == Node.SHARE:
        building.apply_share(rules, state, top, index)
    elif at == Node.FLOOD:
        if top >= 0:
            board.apply_misfortune_flood(rules, state, top, index)
        else:
            state.floods -= 1
            board.flood(rules, state, index - Act.FLOOD, False)
    elif at == Node.FAIL:
        locations.apply_fail(state, top, index)
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
    board.push(state, Frame.TURN, 0)
    if action >= Act.PLACE and action < Act.LIFT:
        top = board.push(state, Frame.PLACE, seat)
        state.frames[top, Column.KIND] = action - Act.PLACE
    elif action >= Act.LIFT and action < Act.PLAY:
        top = board.push(state, Frame.LIFT, seat)
        state.frames[top, Column.KIND] = action - Act.LIFT
    elif action == Act.RESOLVE:
        board.push(state, Frame.RESOLVE, seat)
    elif action == Act.YIELD:
        state.yields[seat] -= 1
    elif action == Act.PEEK:
        state.used[seat] = int(state.used[seat]) | Used.TIDEWATCH_GLASS
        cards.begin_look(state, seat, 1, 0)
    elif action < Act.AT:
        cards.play_card(rules, state, seat, action - Act.PLAY)
    elif action < Act.DRAIN:
        cost = building.barrier_cost(rules, state, seat)
        building.begin_share(rules, state, Purpose.BARRIER, seat, action - Act.BARRIER, Good.ENERGY, cost)
    else:
        building.begin_share(rules, state, Purpose.DRAIN, seat, action - Act.DRAIN, Good.ENERGY, int(rules.drain_cost))


@kernel
def apply_rare(rules: Record, state: Record, at: int, top: int, action: int) -> None:
    """Carry out the remaining decisions of section 13."""
    if at == Node.REROLL:
        locations.apply_reroll(rules, state, top, action)
    elif at == Node.KEEP or at == Node.MORE:
        cards.apply_keep(rules, state, top, action)
    elif at == Node.RECRUIT:
        locations.apply_recruit(state, action)
    elif at == Node.WARD or at == Node.EBB:
        cards.apply_ward_or_ebb(state, top, action)
    elif at == Node.REACT:
        board.apply_react(rules, state, top, action)
    elif at == Node.BUILD:
        building.apply_build(rules, state, top, action)
    elif at == Node.DISCOUNT:
        building.set_price(rules, state, top, action - Act.DISCOUNT)
    elif at == Node.PLAGUE:
        board.apply_plague(rules, state, top, action)
    elif at == Node.LATE:
        apply_late(state, action - Act.AT)
    elif at == Node.GIVE or at == Node.TAKE:
        cards.apply_swap(state, top, action)
    elif at == Node.LOOK:
        cards.apply_removal(state, top, action)
    elif at == Node.OVERFLOW:
        if action >= Act.DISCARD:
            cards.discard_card(state, int(state.actor), action - Act.DISCARD)
        else:
            cards.play_card(rules, state, int(state.actor), action - Act.PLAY)
    elif at == Node.CALL:
        state.call = 0
        state.turn = action - Act.SEAT
    elif at == Node.AMPLIFY:
        state.frames[top, Column.TARGET] = action - Act.SEAT
    elif at == Node.GAIN:
        cards.apply_gain(state, top, int(state.frames[top, Column.DO]), action)
    elif at == Node.MUSTER:
        cards.apply_muster(state, top, action)
    elif at == Node.SACRIFICE:
        cards.sacrifice(state, top, action - Act.SEAT)
    elif at == Node.BOARD:
        apply_board(state, top, action - Act.COUNCILOR)
    elif at == Node.SCHOLAR:
        apply_scholar(state, top, action - Act.KEEP - data.NUM_BASIC)
    elif at == Node.DRAFT:
        set_councilor(state, int(state.actor), action - Act.COUNCILOR)
    else:
        cards.apply_card(rules, state, top, action)


@kernel
def apply_late(state: Record, location: int) -> None:
    """Place the held piece and its companion (D11; 11.9)."""
    seat, companion = int(state.held_seat), int(state.held_companion)
    board.put_piece(state, seat, int(state.held_kind), location)
    if companion != NONE:
        board.put_piece(state, seat, companion, location)
    state.held_seat = state.held_kind = state.held_companion = NONE


@kernel
def apply_outcome(rules: Record, state: Record, at: int, top: int, outcome: int) -> None:
    """Carry out a chance outcome (C1 - C10)."""
    if at == Node.C8_MISFORTUNE:
        board.apply_misfortune(rules, state, outcome)
    elif at == Node.C9_DIE:
        locations.apply_die(state, top, outcome)
    elif at == Node.C10_LIBRARY:
        cards.apply_library(rules, state, top, outcome)
    elif at == Node.C8B_LOOK:
        board.apply_look(state, outcome)
    elif at == Node.C7_BOARD:
        apply_seen(state, top, outcome - Outcome.BOARD)
    elif at == Node.C6_SCHOLAR:
        apply_seen(state, top, outcome - Outcome.ARTIFACT)
    elif at == Node.C2_ARTIFACT:
        state.library_deck[data.NUM_BASIC + outcome - Outcome.ARTIFACT] = 1
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


# ---------------------------------------------------------------------------------------------------------- chance (14)


@kernel
def chance(rules: Record, state: Record, weights: Row) -> tuple[int, int, int]:
    """Write the weights of the outcomes in a range; return it, and the stream they are drawn from (C1 - C10)."""
    at = int(state.node)
    top = int(state.num_frames) - 1
    if at == Node.C8_MISFORTUNE:
        known = int(state.misfortune_top[0])
        for kind in range(data.NUM_MISFORTUNES):
            weight = int(state.misfortune_deck[kind])
            weights[Outcome.MISFORTUNE + kind] = weight if known == NONE else int(kind == known)
        return Stream.MISFORTUNE, Outcome.MISFORTUNE, Outcome.MISFORTUNE + data.NUM_MISFORTUNES
    if at == Node.C9_DIE:
        weights[Outcome.DIE : Outcome.DIE + data.DICE_FACES] = 1
        return Stream.DIE + int(state.frames[top, Column.SEAT]), Outcome.DIE, Outcome.DIE + data.DICE_FACES
    if at == Node.C10_LIBRARY:
        total = 0
        for card in range(data.NUM_CARDS):
            weights[Outcome.LIBRARY + card] = int(state.library_deck[card])
            total += int(state.library_deck[card])
        if total == 0:
            weights[Outcome.LIBRARY + int(state.library_bottom[0])] = 1
        column = Column.SEAT if state.frames[top, Column.DO] == Frame.LIBRARY else Column.ORDER
        return Stream.LIBRARY + int(state.frames[top, column]), Outcome.LIBRARY, Outcome.LIBRARY + data.NUM_CARDS
    if at == Node.C8B_LOOK:
        for kind in range(data.NUM_MISFORTUNES):
            weights[Outcome.LOOK + kind] = int(state.misfortune_deck[kind])
        return Stream.LOOK, Outcome.LOOK, Outcome.LOOK + data.NUM_MISFORTUNES
    return setup_chance(rules, state, weights, at, top)


@kernel
def setup_chance(rules: Record, state: Record, weights: Row, at: int, top: int) -> tuple[int, int, int]:
    """Give equal weights over what is left to draw (C1 - C7)."""
    if at == Node.C7_BOARD:
        for councilor in range(data.NUM_COUNCILORS):
            weights[Outcome.BOARD + councilor] = int(state.stack_boards) >> councilor & 1
        return Stream.BOARD, Outcome.BOARD, Outcome.BOARD + data.NUM_COUNCILORS
    if at == Node.C2_ARTIFACT:
        for artifact in range(data.NUM_ARTIFACTS):
            weights[Outcome.ARTIFACT + artifact] = int(state.unused_artifacts) >> artifact & 1
        return Stream.ARTIFACT, Outcome.ARTIFACT, Outcome.ARTIFACT + data.NUM_ARTIFACTS
    if at == Node.C3_COMPONENT:
        letter = letter_due(rules, state)
        for component in range(Component.POWER_CORE):
            free = state.blueprint[component] == 0 and rules.letter[component] == letter
            weights[Outcome.COMPONENT + component] = int(free)
        return Stream.COMPONENT, Outcome.COMPONENT, Outcome.COMPONENT + Component.POWER_CORE
    if at == Node.C5_COUNCILOR:
        for councilor in range(data.NUM_COUNCILORS):
            weights[Outcome.COUNCILOR + councilor] = int(state.keeper[councilor] == NONE)
        return Stream.COUNCILOR, Outcome.COUNCILOR, Outcome.COUNCILOR + data.NUM_COUNCILORS
    if at == Node.C1_FIRST or at == Node.C4_ARTIFICER:
        first = Outcome.FIRST if at == Node.C1_FIRST else Outcome.ARTIFICER
        stop = first + int(rules.players)
        weights[first:stop] = 1
        return Stream.FIRST if at == Node.C1_FIRST else Stream.ARTIFICER, first, stop
    for artifact in range(data.NUM_ARTIFACTS):  # C6
        free = int(state.unused_artifacts) & int(rules.scholar_symbols)
        weights[Outcome.ARTIFACT + artifact] = free >> artifact & 1
    if state.frames[top, Column.SEEN] != NONE:
        weights[Outcome.ARTIFACT + int(state.frames[top, Column.SEEN])] = 0
    return Stream.SCHOLAR, Outcome.ARTIFACT, Outcome.ARTIFACT + data.NUM_ARTIFACTS


# ----------------------------------------------------------------------------------------------------- the machine (20)


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
        board.pop(state)
        if rules.casting_vote != 0 and state.phase != Phase.MISFORTUNE:
            state.turn = state.first
            state.call = 1
        else:
            state.turn = (int(state.turn) + 1) % int(rules.players)
        return board.RUNNING
    if do == Frame.WILD:
        return locations.run_wild(rules, state, top)
    if do == Frame.SHARE:
        return building.run_share(rules, state, top)
    if do == Frame.PLACE or do == Frame.LIFT or do == Frame.RESOLVE:
        at = Node.PLACE if do == Frame.PLACE else Node.LIFT if do == Frame.LIFT else Node.RESOLVE
        return board.wait(state, at, int(state.frames[top, Column.SEAT]))
    if do == Frame.MISFORTUNE:
        return board.run_misfortune(rules, state, top)
    if do == Frame.LIBRARY:
        return cards.run_library(rules, state, top)
    if do == Frame.CITY:
        return locations.run_city(rules, state, top)
    if do == Frame.CARD:
        return cards.run_card(rules, state, top)
    if do == Frame.WARD or do == Frame.EBB or do == Frame.SWAP:
        return cards.run_series(rules, state, top, do)
    if do == Frame.LOOK:
        return cards.run_look(rules, state, top)
    if do == Frame.BUILD:
        return building.run_build(rules, state, top)
    if do == Frame.DISPLACE:
        return board.run_displacement(rules, state, top)
    if do == Frame.SETUP:
        return run_setup(rules, state, top)
    if do == Frame.SCHOLAR:
        return run_scholar(rules, state, top)
    if do == Frame.BOARD:
        return run_board(rules, state, top)
    if do == Frame.MEMORY:
        return cards.run_memory(rules, state, top)
    if do == Frame.MUSTER:
        return cards.run_muster(rules, state, top)
    if do == Frame.SACRIFICE:
        return cards.run_sacrifice(rules, state, top)
    return cards.run_gain(rules, state, top, do)


@kernel
def run_phase(rules: Record, state: Record) -> bool:
    """Go to the base node of the phase, or to its end (section 20)."""
    players = int(rules.players)
    phase = int(state.phase)
    if phase == Phase.DEPLOY:
        if state.call != 0:
            return board.wait(state, Node.CALL, int(state.first))
        if state.passes < players:
            return board.wait(state, Node.DEPLOY, int(state.turn))
        end_deployment(rules, state)
        return board.RUNNING
    if phase == Phase.ACTIONS:
        if state.passes >= players and not locations.some_duty(rules, state):
            end_actions(rules, state)
            return board.RUNNING
        seat = cards.over_limit(rules, state)
        if seat != NONE:
            return board.wait(state, Node.OVERFLOW, seat)
        if state.call != 0:
            return board.wait(state, Node.CALL, int(state.first))
        return board.wait(state, Node.ACT, int(state.turn))
    if phase == Phase.MISFORTUNE:
        return run_misfortunes(rules, state, players)
    if phase == Phase.WRATH:
        if state.floods == 0:
            return end_round(rules, state)
        if board.sunk(state):
            board.finish_game(state, Result.SUNK)
            return board.WAITING
        return board.wait(state, Node.FLOOD, int(state.first))
    if phase == Phase.SETUP:
        end_setup(rules, state)
    elif phase == Phase.START:
        state.phase = Phase.DEPLOY
        state.call = rules.casting_vote
    return board.RUNNING


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
            return board.wait(state, Node.WINDOW, int(state.turn))
        else:
            state.passes += 1
            state.turn = (int(state.turn) + 1) % players
    if state.draws[0] != NONE:
        if not board.misfortunes_left(state):
            board.refill_misfortunes(state)
        return board.wait(state, Node.C8_MISFORTUNE, NONE)
    if state.held_seat != NONE:
        return board.wait(state, Node.LATE, int(state.held_seat))
    begin_actions(rules, state)
    return board.RUNNING


# ------------------------------------------------------------------------------------------ setup and rounds (3, 4, 10)


NUM_LETTERS = len(data.LETTERS)

# ------------------------------------------------------------------------------------------------------ setup (3)


@kernel
def reset(rules: Record, state: Record) -> None:
    """Lay out the root position: everything that no chance and no choice decides. ``state`` comes zeroed."""
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
    state.unused_artifacts = (1 << data.NUM_ARTIFACTS) - 1
    for card in range(data.NUM_BASIC):
        state.library_deck[card] = rules.library[card]
    for kind in range(data.NUM_MISFORTUNES):
        state.misfortune_deck[kind] = rules.misfortunes[kind]
    state.blueprint[Component.POWER_CORE] = 1
    if rules.blueprint_known != 0:
        for component in range(data.NUM_COMPONENTS):
            state.blueprint[component] = rules.blueprint_list[component]
    for seat in range(int(rules.players)):
        state.home[seat, Kind.LEADER] = 1
        state.home[seat, Kind.FOLLOWER] = rules.followers
        state.reserve[seat] = rules.reserve
        state.goods[seat, Good.ENERGY] = rules.starting_energy
    if int(rules.players) == 1:
        state.home[0, Kind.AUTOMATON] = 1
    top = board.push(state, Frame.SETUP, 0)
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
    """Return the letter of the next component to be drawn (3e); NONE when the blueprint is complete."""
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
    """Return the first seat without a councilor; NONE if there is none."""
    for seat in range(int(rules.players)):
        if state.councilor[seat] == NONE:
            return seat
    return NONE


@kernel
def run_setup(rules: Record, state: Record, top: int) -> bool:
    """Go on to the next step that needs chance or a choice (3a - 3h)."""
    step = int(state.frames[top, Column.STEP])
    if step == Step.FIRST:
        return board.wait(state, Node.C1_FIRST, NONE)
    if step == Step.ARTIFACT:
        drawn = 0
        for artifact in range(data.NUM_ARTIFACTS):
            drawn += int(state.library_deck[data.NUM_BASIC + artifact])
        if drawn < int(rules.artifacts_in_library):
            return board.wait(state, Node.C2_ARTIFACT, NONE)
        state.frames[top, Column.STEP] = Step.COMPONENT
        step = Step.COMPONENT
    if step == Step.COMPONENT:
        if letter_due(rules, state) != NONE:
            return board.wait(state, Node.C3_COMPONENT, NONE)
        step = Step.DRAFT if rules.draft != 0 else Step.COUNCILOR
        if rules.councilors_listed != 0:
            for seat in range(int(rules.players)):
                set_councilor(state, seat, int(rules.councilor_list[seat]))
        elif step == Step.COUNCILOR and rules.force_artificer != 0:
            step = Step.ARTIFICER
        state.frames[top, Column.STEP] = step
    if step == Step.ARTIFICER:
        return board.wait(state, Node.C4_ARTIFICER, NONE)
    seat = next_without_councilor(rules, state)
    if seat != NONE:
        if step == Step.DRAFT:
            return board.wait(state, Node.DRAFT, seat)
        return board.wait(state, Node.C5_COUNCILOR, NONE)
    board.pop(state)
    if state.keeper[Councilor.SCHOLAR] != NONE:
        begin_scholar(state, int(state.keeper[Councilor.SCHOLAR]), False)
    return board.RUNNING


@kernel
def begin_scholar(state: Record, seat: int, for_hologram: bool) -> None:
    """Begin to draw two artifacts, of which one is kept (11.7)."""
    top = board.push(state, Frame.SCHOLAR, seat)
    state.frames[top, Column.PURPOSE] = for_hologram
    board.set_none(state, top, Column.SEEN, Column.SEEN + 2)


@kernel
def run_scholar(rules: Record, state: Record, top: int) -> bool:
    """Wait for the two artifacts (C6), then for the choice of one (D2)."""
    if state.frames[top, Column.SEEN + 1] == NONE:
        return board.wait(state, Node.C6_SCHOLAR, NONE)
    return board.wait(state, Node.SCHOLAR, int(state.frames[top, Column.SEAT]))


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
    board.pop(state)


# --------------------------------------------------------------------------------------------- start of a round (4)


@kernel
def end_setup(rules: Record, state: Record) -> None:
    """Stack the boards not used and start round 1 (3i, 3j)."""
    if int(rules.players) <= 2:
        for councilor in range(data.NUM_COUNCILORS):
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
    for peninsula in range(data.NUM_WILD):
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
            board.gain(state, 0, Good.ENERGY, 1)
        else:
            if number <= int(rules.wrath_last) + 1:
                board.gain(state, 0, Good.ENERGY, 1)
            state.track_energy_taken = min(number, int(rules.wrath_last) + 1)
    for seat in range(players):
        if board.has_in_play(state, seat, Artifact.MYSTIC_CONDUIT):
            board.gain(state, seat, Good.ENERGY, 1)
    if players <= 2:
        top = board.push(state, Frame.BOARD, int(state.first))
        board.set_none(state, top, Column.SEEN, Column.SEEN + 2)


@kernel
def most_passes(rules: Record) -> int:
    """Return how many turns in a row can be passes: with must_act everybody may be asked a second time (7.1, 7.2)."""
    players = int(rules.players)
    return 2 * players - 1 if rules.must_act != 0 else players


@kernel
def clear_turns(rules: Record, state: Record) -> None:
    """Set the turn to the first player and clear bars and refusals, which last a phase (9.5, 20)."""
    state.turn = state.first
    state.passes = 0
    for seat in range(data.MAX_PLAYERS):
        state.barred[seat] = 0
    for seat in range(int(rules.players)):
        state.declines[seat] = rules.decline_budget


@kernel
def run_board(rules: Record, state: Record, top: int) -> bool:
    """Wait for two boards (C7), then for the choice of one (D3; 4.4)."""
    if state.frames[top, Column.SEEN + 1] != NONE:
        return board.wait(state, Node.BOARD, int(state.first))
    if state.stack_boards == 0:  # a board already turned up is not in the discard
        state.stack_boards = state.discarded_boards
        state.discarded_boards = 0
    return board.wait(state, Node.C7_BOARD, NONE)


@kernel
def apply_board(state: Record, top: int, councilor: int) -> None:
    """Let the hologram join the first player for this round (D3)."""
    first, second = int(state.frames[top, Column.SEEN]), int(state.frames[top, Column.SEEN + 1])
    other = second if councilor == first else first
    state.discarded_boards = int(state.discarded_boards) | 1 << other
    state.hologram = councilor
    state.keeper[councilor] = data.BY_HOLOGRAM
    state.home[int(state.first), Kind.HOLOGRAM] = 1
    board.pop(state)
    if councilor == Councilor.SCHOLAR:
        begin_scholar(state, int(state.first), True)


# ------------------------------------------------------------------------------------- the ends of the phases


@kernel
def end_deployment(rules: Record, state: Record) -> None:
    """Hold an astrologer piece that stayed at home, with its companion, then begin phase 2 (5.9)."""
    for seat in range(int(rules.players)):
        for kind in range(Kind.HOLOGRAM + 1):
            if state.home[seat, kind] > 0 and board.is_special(state, seat, kind, Councilor.ASTROLOGER):
                state.held_seat = seat
                state.held_kind = kind
                for other in range(data.NUM_KINDS):
                    if other != kind and state.home[seat, other] > 0:
                        state.held_companion = other
    state.phase = Phase.MISFORTUNE
    clear_turns(rules, state)
    board.begin_draws(rules, state)


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
    for location in range(data.NUM_LOCATIONS):
        if state.crowd[location] > 0:
            for seat in range(players):
                packed = int(state.pieces[location, seat])
                if packed != 0:
                    for kind in range(data.NUM_KINDS):
                        count = board.count_of(packed, kind)
                        if kind == Kind.VOLUNTEER:
                            state.volunteers += count
                        else:
                            state.home[seat, kind] += count
                    state.pieces[location, seat] = 0
            state.crowd[location] = 0
    for councilor in range(data.NUM_COUNCILORS):
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
        councilor = int(state.hologram)
        state.discarded_boards = int(state.discarded_boards) | 1 << councilor
        state.keeper[councilor] = NONE
        state.special_at[councilor] = NONE
        state.home[int(state.first), Kind.HOLOGRAM] = 0
        state.hologram = NONE
        if state.hologram_artifact != NONE:
            state.unused_artifacts = int(state.unused_artifacts) | 1 << int(state.hologram_artifact)
            state.hologram_artifact = NONE
    state.first = (int(state.first) + 1) % int(rules.players)
    state.turn = state.first
    if rules.round_limit != 0 and int(state.round_number) >= int(rules.round_limit):
        board.finish_game(state, Result.ROUND_LIMIT)
        return board.WAITING
    if int(state.round_number) >= int(rules.truncation):
        board.finish_game(state, Result.TRUNCATED)
        return board.WAITING
    start_round(rules, state)
    return board.RUNNING


# --------------------------------------------------------------------------------------------------------------- legal


@kernel
def legal(rules: Record, state: Record, mask: Row) -> None:
    """Mark the legal actions of the seat to decide; all zeros at chance nodes and at the end."""
    mask[:] = 0
    at = int(state.node)
    top = int(state.num_frames) - 1
    if at == Node.DEPLOY:
        mark_deployment(rules, state, int(state.turn), mask)
    elif at == Node.PLACE:
        seat, kind = int(state.frames[top, Column.SEAT]), int(state.frames[top, Column.KIND])
        mark_places(rules, state, seat, kind, mask)
    elif at == Node.ACT:
        mask[Act.PASS] = state.passes < int(rules.players) or not locations.has_duty(rules, state, int(state.turn))
        mask[Act.RESOLVE] = locations.some_resolvable(rules, state, int(state.turn))
        mark_energy(rules, state, int(state.turn), True, mask)
        cards.mark_cards(rules, state, int(state.turn), Window.ACTIONS, mask)
    elif at == Node.RESOLVE:
        locations.mark_resolvable(rules, state, int(state.frames[top, Column.SEAT]), mask)
    elif at == Node.SHARE:
        building.mark_share(rules, state, top, mask)
    elif at == Node.FLOOD:
        for peninsula in range(data.NUM_PENINSULAS):
            if top >= 0:
                mask[Act.FLOOD + peninsula] = board.may_flood(state, top, peninsula)
            else:
                mask[Act.FLOOD + peninsula] = state.flooded[peninsula] < data.TILES_PER_PENINSULA
    elif at == Node.LIFT:
        seat, kind = int(state.frames[top, Column.SEAT]), int(state.frames[top, Column.KIND])
        where = int(state.where[seat])
        for location in range(data.NUM_LOCATIONS):
            if where >> location & 1:
                mask[Act.AT + location] = board.may_lift(state, seat, kind, location)
    elif at == Node.FAIL:
        locations.mark_fail(state, top, mask)
    elif at == Node.WINDOW:
        mask[Act.PASS] = 1
        mark_energy(rules, state, int(state.turn), False, mask)
        cards.mark_cards(rules, state, int(state.turn), Window.WINDOW, mask)
    elif at <= Node.CALL:
        mark_rare(rules, state, at, top, mask)


@kernel
def mark_deployment(rules: Record, state: Record, seat: int, mask: Row) -> None:
    """Mark the choices of a turn in deployment (D4; 5.5)."""
    others = 0  # pieces at home that are not an astrologer piece
    held_back = 0
    for kind in range(data.NUM_KINDS):
        count = int(state.home[seat, kind])
        if count > 0:
            if board.is_special(state, seat, kind, Councilor.ASTROLOGER):
                held_back = 1
            else:
                others += count
            if kind != Kind.AUTOMATON:
                mask[Act.PLACE + kind] = 1  # the centre is always free (5.3)
            else:
                for location in range(data.NUM_LOCATIONS):
                    if state.crowd[location] > 0 and board.fits(rules, state, seat, kind, location):
                        mask[Act.PLACE + kind] = 1
                        break
    ready = others <= held_back
    mask[Act.READY] = ready
    mask[Act.YIELD] = not ready and int(rules.players) >= 2 and state.yields[seat] > 0
    where = int(state.where[seat])
    if state.lifts[seat] > 0 and where != 0:
        for location in range(data.NUM_LOCATIONS):
            if where >> location & 1:
                packed = int(state.pieces[location, seat])
                for kind in range(data.NUM_KINDS):
                    if packed >> READY_SHIFT[kind] & COUNT_MASK[kind] and mask[Act.LIFT + kind] == 0:
                        mask[Act.LIFT + kind] = board.may_lift(state, seat, kind, location)
    mark_energy(rules, state, seat, True, mask)
    cards.mark_cards(rules, state, seat, Window.DEPLOYMENT, mask)
    if board.has_in_play(state, seat, Artifact.TIDEWATCH_GLASS) and int(state.used[seat]) & Used.TIDEWATCH_GLASS == 0:
        mask[Act.PEEK] = state.misfortune_top[0] == NONE and board.misfortunes_left(state)


@kernel
def mark_places(rules: Record, state: Record, seat: int, kind: int, mask: Row) -> None:
    """Mark where a piece may be placed, ``may_place``; what is the same for all tiles is asked once (5.3)."""
    roomy, open_tiles = board.roomy_for(state, seat, kind), board.open_to(state, seat, kind)
    for peninsula in range(data.NUM_PENINSULAS):
        flooded = int(state.flooded[peninsula])
        for number in range(data.TILES_PER_PENINSULA):
            location = data.TILES_PER_PENINSULA * peninsula + number
            room = int(rules.capacity[location]) - int(state.crowd[location]) + (roomy >> location & 1)
            dry = int(number >= flooded) | open_tiles >> location & 1
            mask[Act.AT + location] = int(room > 0) & dry
    for location in range(data.NUM_TILES, data.NUM_LOCATIONS):
        mask[Act.AT + location] = board.fits(rules, state, seat, kind, location)
    if kind == Kind.AUTOMATON:
        for location in range(data.NUM_TILES):
            mask[Act.AT + location] &= board.has_company(state, location)
    elif board.is_before_automaton(state, seat, kind):
        for location in range(data.NUM_LOCATIONS):
            if mask[Act.AT + location] != 0:
                mask[Act.AT + location] = board.leaves_automaton_a_place(rules, state, seat, kind, location)


@kernel
def mark_energy(rules: Record, state: Record, seat: int, wards: bool, mask: Row) -> None:
    """Mark the barriers and drains that can be bought (9.1 - 9.4)."""
    if wards and building.affordable(rules, state, seat, building.barrier_cost(rules, state, seat)):
        for peninsula in range(data.NUM_PENINSULAS):
            free = state.barriers[peninsula] == 0 and state.flooded[peninsula] < data.TILES_PER_PENINSULA
            mask[Act.BARRIER + peninsula] = free
    if building.may_drain(rules, state, seat):
        for peninsula in range(data.NUM_PENINSULAS):
            mask[Act.DRAIN + peninsula] = state.flooded[peninsula] > 0


@kernel
def may_act_in_window(rules: Record, state: Record, seat: int) -> bool:
    """Tell whether a seat has a turn in the window: a choice other than ``pass`` (6.2)."""
    if building.may_drain(rules, state, seat):
        return True
    for card in range(data.NUM_BASIC):
        if (
            data.WINDOWS[card] & Window.WINDOW
            and state.hand[seat, card] > 0
            and cards.playable(rules, state, seat, card)
        ):
            return True
    return False


@kernel
def mark_rare(rules: Record, state: Record, at: int, top: int, mask: Row) -> None:
    """Mark the choices of the nodes that are met less often."""
    if at == Node.REROLL:
        mask[Act.REROLL_FIRST] = 1
        mask[Act.DECLINE] = 1
        if state.frames[top, Column.DO] != Frame.WILD:
            mask[Act.REROLL_SECOND] = 1
            mask[Act.REROLL_BOTH] = 1
    elif at == Node.KEEP or at == Node.MORE:
        for place in range(cards.num_drawn(state, top)):
            mask[Act.KEEP + int(state.frames[top, Column.DRAWN + place])] = 1
        mask[Act.DECLINE] = at == Node.MORE
    elif at == Node.RECRUIT or at == Node.MUSTER:
        for seat in range(int(rules.players)):
            here = at == Node.MUSTER or locations.is_owner_here(state, int(state.frames[top, Column.PLACE_AT]), seat)
            mask[Act.SEAT + seat] = here and state.reserve[seat] > 0
    elif at == Node.WARD or at == Node.EBB:
        mask[Act.DECLINE] = state.frames[top, Column.MAY]
        for peninsula in range(data.NUM_PENINSULAS):
            if at == Node.EBB:
                mask[Act.DRAIN + peninsula] = state.flooded[peninsula] > 0
            else:
                free = state.barriers[peninsula] == 0 and state.flooded[peninsula] < data.TILES_PER_PENINSULA
                mask[Act.BARRIER + peninsula] = free
    elif at == Node.REACT:
        mask[Act.PLAY + Basic.SWIFT_EVACUATION] = 1
        mask[Act.DECLINE] = 1
    elif at == Node.BUILD:
        building.mark_build(rules, state, top, mask)
    elif at == Node.DISCOUNT:
        building.mark_discount(rules, state, top, mask)
    elif at == Node.PLAGUE:
        named = board.named_by_plague(rules, state, top)
        for location in range(data.NUM_LOCATIONS):
            mask[Act.AT + location] = int(state.pieces[location, named]) & FOLLOWER_MASK != 0
    elif at == Node.LATE:
        for location in range(data.NUM_LOCATIONS):
            mask[Act.AT + location] = may_come_late(rules, state, location)
    elif at == Node.GIVE:
        mask[Act.DECLINE] = state.frames[top, Column.MAY]
        for good in range(data.NUM_RAW):
            mask[Act.GIVE + good] = state.goods[int(state.frames[top, Column.SEAT]), good] > 0
    elif at == Node.TAKE:
        for good in range(data.NUM_RAW):
            mask[Act.TAKE + good] = state.frames[top, Column.GIVEN] != good
    elif at == Node.LOOK:
        mask[Act.DECLINE] = 1
        for place in range(min(int(state.frames[top, Column.DEPTH]), cards.known_on_top(state))):
            mask[Act.REMOVE + int(state.misfortune_top[place])] = 1
    elif at == Node.OVERFLOW:
        cards.mark_cards(rules, state, int(state.actor), Window.ACTIONS, mask)
        cards.mark_discards(state, int(state.actor), mask)
    elif at == Node.AMPLIFY or at == Node.GAIN:
        mark_gain(rules, state, at, top, mask)
    elif at == Node.SACRIFICE:
        location = int(state.frames[top, Column.PLACE_AT])
        for seat in range(int(rules.players)):
            mask[Act.SEAT + seat] = int(state.pieces[location, seat]) & FOLLOWER_MASK != 0
    elif at == Node.CALL:
        for seat in range(int(rules.players)):
            mask[Act.SEAT + seat] = 1
    elif at == Node.BOARD:
        mask[Act.COUNCILOR + int(state.frames[top, Column.SEEN])] = 1
        mask[Act.COUNCILOR + int(state.frames[top, Column.SEEN + 1])] = 1
    elif at == Node.SCHOLAR:
        mask[Act.KEEP + data.NUM_BASIC + int(state.frames[top, Column.SEEN])] = 1
        mask[Act.KEEP + data.NUM_BASIC + int(state.frames[top, Column.SEEN + 1])] = 1
    elif at == Node.DRAFT:
        must = rules.force_artificer != 0 and int(state.actor) == int(rules.players) - 1
        must = must and state.keeper[Councilor.ARTIFICER] == NONE
        for councilor in range(data.NUM_COUNCILORS):
            free = state.keeper[councilor] == NONE and (not must or councilor == Councilor.ARTIFICER)
            mask[Act.COUNCILOR + councilor] = free
    else:
        mark_card_choice(rules, state, at, top, mask)


@kernel
def mark_gain(rules: Record, state: Record, at: int, top: int, mask: Row) -> None:
    """Mark the seats that may be named (D32) or the goods that may be gained (D33)."""
    if at == Node.AMPLIFY:
        for seat in range(int(rules.players)):
            mask[Act.SEAT + seat] = cards.has_raw(state, seat)
    elif state.frames[top, Column.DO] == Frame.AMPLIFY:
        for good in range(data.NUM_RAW):
            mask[Act.TAKE + good] = state.goods[int(state.frames[top, Column.TARGET]), good] > 0
    else:
        mask[Act.TAKE] = state.frames[top, Column.DO] == Frame.LATTICE
        mask[Act.TAKE + Good.GOLD] = 1
        mask[Act.TAKE + Good.CRYSTAL] = 1


@kernel
def mark_card_choice(rules: Record, state: Record, at: int, top: int, mask: Row) -> None:
    """Mark what a library card may name: peninsula, seat, location or card (D24 - D27, D31)."""
    if at == Node.CHART:
        for peninsula in range(data.NUM_WILD):
            mask[Act.CHART + peninsula] = 1
    elif at == Node.REPEAT_SEAT or at == Node.FONT:
        for seat in range(int(rules.players)):
            mask[Act.SEAT + seat] = at == Node.FONT or cards.has_done_chief(state, seat)
    elif at == Node.REPEAT_AT:
        seat = cards.repeating_seat(state, top)
        for location in range(data.NUM_LOCATIONS):
            mask[Act.AT + location] = int(state.pieces[location, seat]) & CHIEF_DONE_MASK != 0
    elif at == Node.ARCHIVE:
        mask[Act.DECLINE] = 1
        for card in range(data.NUM_BASIC):
            mask[Act.KEEP + card] = state.library_discard[card] > 0 and card != Basic.ARCHIVE_RECOVERY


@kernel
def may_come_late(rules: Record, state: Record, location: int) -> bool:
    """Tell whether the location accepts first the held piece and then its companion (D11; 11.9)."""
    seat, kind, companion = int(state.held_seat), int(state.held_kind), int(state.held_companion)
    if not board.fits(rules, state, seat, kind, location):
        return False
    if companion == NONE:
        return True
    room = int(rules.capacity[location]) - int(state.crowd[location]) - 2
    if location < data.NUM_TILES and (
        state.special_at[Councilor.EMISSARY] == location or board.is_special(state, seat, companion, Councilor.EMISSARY)
    ):
        room += 1
    return room >= 0 and (companion == Kind.AUTOMATON or board.fits(rules, state, seat, companion, location))


# ------------------------------------------------------------------------------------------------------------- scoring


@kernel
def scores(rules: Record, state: Record, out: Row) -> None:
    """Write the components built, the same for every seat."""
    for seat in range(int(rules.players)):
        out[seat] = int(state.num_built)


@kernel
def returns(rules: Record, state: Record, out: Row) -> None:
    """Write +1 for everybody on a win, -1 on a loss, 0 where the game was cut off (16.3)."""
    for seat in range(int(rules.players)):
        out[seat] = 1.0 if state.result == Result.CORE else 0.0 if state.result == Result.TRUNCATED else -1.0


@kernel
def truncated(rules: Record, state: Record) -> bool:
    """Tell whether the game was cut off: neither won nor lost (16.4)."""
    return state.result == Result.TRUNCATED


@kernel
def potential(rules: Record, state: Record) -> float:
    """Return the share of the blueprint's price paid, plus half of what everybody's goods cover of the rest, less the
    sea.

    An ore counts as an atlantium, the least a forge makes of it (7.10). Half the island flooded costs a quarter.
    """
    total = 0
    paid = 0
    covered = 0
    for kind in range(data.NUM_PRICE_TYPES):
        rest = 0
        for component in range(data.NUM_COMPONENTS):
            if state.is_built[component] != 0:
                paid += int(rules.price[component, kind])
            elif state.blueprint[component] != 0:
                rest += int(rules.price[component, kind])
        total += rest
        held = 0
        for seat in range(int(rules.players)):
            held += int(state.goods[seat, kind + 1])
            if kind + 1 == Good.ATLANTIUM:
                held += int(state.goods[seat, Good.ORE])
        covered += min(held, rest)
    total += paid
    flooded = 0
    for peninsula in range(data.NUM_PENINSULAS):
        flooded += int(state.flooded[peninsula])
    built = (2 * paid + covered) / (2 * total) if total > 0 else 0.0
    return built - flooded / (2 * data.NUM_TILES)
