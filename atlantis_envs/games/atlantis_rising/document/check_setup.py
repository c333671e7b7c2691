"""Whether a game in setup has only what setup deals out, as far as it has come (section 3)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.data import (
    NUM_ARTIFACTS,
    NUM_BASIC,
    NUM_CARDS,
    NUM_COUNCILORS,
    NUM_GOODS,
    NUM_MISFORTUNES,
    NUM_PENINSULAS,
    NUM_WILD,
    Component,
    Councilor,
    Good,
    Kind,
)
from atlantis_envs.games.atlantis_rising.mechanics.rounds import letter_due, next_without_councilor
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Step
from atlantis_envs.kernels.kernel import kernel


@kernel
def setup_sound(rules: Record, state: Record) -> bool:
    """What ``reset`` lays out is there, nothing else has begun, and the step fits what is decided already."""
    return untouched(rules, state) and seats_dealt(rules, state) and step_sound(rules, state)


@kernel
def untouched(rules: Record, state: Record) -> bool:
    """Whether nothing has begun: no water, no effects, nothing built or discarded, nobody's turn."""
    sound = state.wrath == 0 and state.track_energy_taken == 0 and state.num_built == 0 and state.num_bottom == 0
    sound = sound and state.earthquake == 0 and state.closed == 0 and state.build_limit == 0
    sound = sound and state.extra_floods == 0 and state.floods == 0 and state.window_open == 0
    sound = sound and state.held_seat == NONE and state.hologram_artifact == NONE
    sound = sound and state.draws[0] == NONE and state.volunteers == rules.volunteers
    for peninsula in range(NUM_PENINSULAS):
        sound = sound and state.flooded[peninsula] == 0 and state.barriers[peninsula] == 0
    for peninsula in range(NUM_WILD):
        sound = sound and state.atlas[peninsula] == 0
    for card in range(NUM_CARDS):
        sound = sound and state.library_discard[card] == 0
        sound = sound and (card >= NUM_BASIC or state.library_deck[card] == rules.library[card])
    for kind in range(NUM_MISFORTUNES):
        sound = sound and state.misfortune_deck[kind] == rules.misfortunes[kind]
    return sound


@kernel
def seats_dealt(rules: Record, state: Record) -> bool:
    """Whether every seat has its pieces at home, the energy of the level, and nothing else (3g)."""
    players = int(rules.players)
    for seat in range(players):
        sound = state.home[seat, Kind.LEADER] == 1 and state.home[seat, Kind.HOLOGRAM] == 0
        sound = sound and state.home[seat, Kind.FOLLOWER] == rules.followers and state.home[seat, Kind.VOLUNTEER] == 0
        sound = sound and state.home[seat, Kind.AUTOMATON] == int(players == 1)
        sound = sound and state.reserve[seat] == rules.reserve and state.removed[seat] == 0
        sound = sound and state.lifts[seat] == 0 and state.yields[seat] == 0 and state.barred[seat] == 0
        sound = sound and state.used[seat] == 0 and state.artifacts[seat] == 0 and state.scholar_artifact[seat] == NONE
        for good in range(NUM_GOODS):
            sound = sound and int(state.goods[seat, good]) == (int(rules.starting_energy) if good == Good.ENERGY else 0)
        if not sound:
            return False
    return True


@kernel
def step_sound(rules: Record, state: Record) -> bool:
    """3a - 3h: the steps before are done, the steps after are not, and this one has something left to do."""
    if rules.first_player != NONE and state.first != rules.first_player:
        return False
    in_library = 0
    for artifact in range(NUM_ARTIFACTS):
        in_library += int(state.library_deck[NUM_BASIC + artifact])
    components_due = letter_due(rules, state) != NONE
    councilors = 0
    for councilor in range(NUM_COUNCILORS):
        councilors += int(state.keeper[councilor] != NONE)
    if state.frames[0, Column.DO] != Frame.SETUP:  # the scholar's draw comes last (3h)
        return (
            in_library == int(rules.artifacts_in_library)
            and not components_due
            and councilors == int(rules.players)
            and state.keeper[Councilor.SCHOLAR] == state.frames[0, Column.SEAT]
        )
    step = int(state.frames[0, Column.STEP])
    if step <= Step.ARTIFACT:
        begun = rules.blueprint_known == 0 and blueprint_begun(state)
        if step == Step.FIRST and (rules.first_player != NONE or state.first != 0 or in_library > 0):
            return False
        return councilors == 0 and not begun and (step == Step.FIRST or in_library < int(rules.artifacts_in_library))
    if step == Step.COMPONENT:
        return councilors == 0 and components_due
    drawn = rules.councilors_listed == 0 and not components_due
    if step == Step.DRAFT:
        return drawn and rules.draft != 0 and next_without_councilor(rules, state) != NONE
    drawn = drawn and rules.draft == 0
    if step == Step.ARTIFICER:
        return drawn and rules.force_artificer != 0 and councilors == 0
    if step != Step.COUNCILOR or (rules.force_artificer != 0 and state.keeper[Councilor.ARTIFICER] == NONE):
        return False
    return drawn and next_without_councilor(rules, state) != NONE


@kernel
def blueprint_begun(state: Record) -> bool:
    """Whether a component besides the core is on the blueprint."""
    for component in range(Component.POWER_CORE):
        if state.blueprint[component] != 0:
            return True
    return False
