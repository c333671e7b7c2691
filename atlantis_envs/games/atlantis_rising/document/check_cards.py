"""Whether cards, artifacts, boards and components are those of one game, each in one place (2.4 - 2.8)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record
from atlantis_envs.games.atlantis_rising.data import (
    BLUEPRINT_SIZE,
    BY_HOLOGRAM,
    LETTERS,
    MAX_SEEN,
    MAX_TOP,
    NUM_ARTIFACTS,
    NUM_BASIC,
    NUM_COMPONENTS,
    NUM_COUNCILORS,
    NUM_MISFORTUNES,
    Basic,
    Component,
    Councilor,
)
from atlantis_envs.games.atlantis_rising.state import NONE, Column, Frame, Phase, Step
from atlantis_envs.kernels.kernel import kernel

NUM_LETTERS = len(LETTERS)


@kernel
def hands_sound(rules: Record, state: Record) -> bool:
    """No hand has more copies than there are with those of the other hands; what it shows, it has (15.2)."""
    players = int(rules.players)
    for card in range(NUM_BASIC):
        total = 0
        for seat in range(players):
            total += int(state.hand[seat, card])
            shown = int(state.public_hand[seat, card])
            if shown < 0 or shown > int(state.hand[seat, card]) or (shown > 0 and rules.hands_open != 0):
                return False
        lying = int(state.library_deck[card]) + int(state.library_discard[card])
        if total > 0 and total + lying > int(rules.library[card]):
            return False
    return True


@kernel
def in_the_library(rules: Record, state: Record, card: int) -> int:
    """How often a card lies in the library, in a hand, in play by the library, or is just being drawn or played."""
    total = int(state.library_deck[card]) + int(state.library_discard[card])
    for number in range(int(state.num_bottom)):
        total += int(state.library_bottom[number] == card)
    for top in range(int(state.num_frames)):
        do = int(state.frames[top, Column.DO])
        total += int(do == Frame.CARD and state.frames[top, Column.CARD] == card)
        if do == Frame.LIBRARY:
            for place in range(Column.DRAWN, Column.DRAWN + MAX_SEEN):
                total += int(state.frames[top, place] == card)
    for seat in range(int(rules.players)):
        if card < NUM_BASIC:
            total += int(state.hand[seat, card])
        else:
            total += int(state.artifacts[seat]) >> (card - NUM_BASIC) & 1
    return total


@kernel
def library_sound(rules: Record, state: Record) -> bool:
    """Whether every basic card occurs as often as there are copies; some may have left a game in play (2.6, 12.4)."""
    for card in range(NUM_BASIC):
        left = int(rules.library[card]) - in_the_library(rules, state, card)
        if left < 0 or (left > 0 and (card != Basic.ARCHIVE_RECOVERY or state.phase == Phase.SETUP)):
            return False
    return True


@kernel
def artifacts_sound(rules: Record, state: Record) -> bool:
    """Every artifact once, as many of them in the library as belong there; a seat's own is the scholar's (3c, 11.7).

    So two with the symbol are always left for a scholar's draw (2.7).
    """
    in_library = 0
    for artifact in range(NUM_ARTIFACTS):
        own = in_the_library(rules, state, NUM_BASIC + artifact)
        in_library += own
        total = own + (int(state.unused_artifacts) >> artifact & 1) + int(state.hologram_artifact == artifact)
        for seat in range(int(rules.players)):
            if state.scholar_artifact[seat] == artifact:
                total += 1
                if state.councilor[seat] != Councilor.SCHOLAR or int(rules.scholar_symbols) >> artifact & 1 == 0:
                    return False
        if total != 1:
            return False
    wanted = int(rules.artifacts_in_library)
    if state.phase == Phase.SETUP and state.num_frames > 0 and state.frames[0, Column.STEP] <= Step.ARTIFACT:
        return in_library <= wanted
    return in_library == wanted


@kernel
def misfortunes_sound(rules: Record, state: Record) -> bool:
    """Whether every misfortune occurs as often as there are copies (2.8, 2.10)."""
    for kind in range(NUM_MISFORTUNES):
        total = int(state.misfortune_deck[kind]) + int(state.misfortune_discard[kind])
        for number in range(MAX_TOP):
            total += int(state.misfortune_top[number] == kind)
        if state.num_frames > 0 and state.frames[0, Column.DO] == Frame.MISFORTUNE:
            total += int(state.frames[0, Column.CARD] == kind)
        if total != int(rules.misfortunes[kind]):
            return False
    return True


@kernel
def boards_sound(rules: Record, state: Record) -> bool:
    """Every councilor board in one place, and who plays it known both ways (3f, 3i, 4.4)."""
    players = int(rules.players)
    piles = players <= 2 and state.phase != Phase.SETUP
    if not piles and (int(state.stack_boards) | int(state.discarded_boards)) != 0:
        return False
    for seat in range(players):
        councilor = int(state.councilor[seat])
        if councilor == NONE:
            if state.phase != Phase.SETUP:
                return False
        elif state.keeper[councilor] != seat:
            return False
    if state.hologram != NONE and (not piles or state.keeper[int(state.hologram)] != BY_HOLOGRAM):
        return False
    for councilor in range(NUM_COUNCILORS):
        keeper = int(state.keeper[councilor])
        if keeper == BY_HOLOGRAM:
            if state.hologram != councilor:
                return False
        elif keeper != NONE and (keeper < 0 or keeper >= players or state.councilor[keeper] != councilor):
            return False
        places = (int(state.stack_boards) >> councilor & 1) + (int(state.discarded_boards) >> councilor & 1)
        places += int(keeper != NONE)
        if state.num_frames > 0 and state.frames[0, Column.DO] == Frame.BOARD:
            places += int(state.frames[0, Column.SEEN] == councilor)
            places += int(state.frames[0, Column.SEEN + 1] == councilor)
        if places > 1 or (piles and places == 0):
            return False
    return True


@kernel
def components_sound(rules: Record, state: Record) -> bool:
    """The core and nine others of the level's letters, each on the blueprint or built; in setup perhaps fewer (3e)."""
    built = 0
    for component in range(NUM_COMPONENTS):
        known = int(state.blueprint[component]) + int(state.is_built[component])
        built += int(state.is_built[component])
        if known > 1 or (component == Component.POWER_CORE and known == 0):
            return False
        if rules.blueprint_known != 0 and known != int(rules.blueprint_list[component]):
            return False
    if state.is_built[Component.POWER_CORE] != 0 and built < BLUEPRINT_SIZE:
        return False
    return rules.blueprint_known != 0 or letters_sound(rules, state)


@kernel
def built_sound(state: Record) -> bool:
    """The list of what is built, each component once; nothing is before the first round (8.6)."""
    built = 0
    for component in range(NUM_COMPONENTS):
        built += int(state.is_built[component])
    if built != int(state.num_built) or (built > 0 and state.phase == Phase.SETUP):
        return False
    for number in range(built):
        component = int(state.built[number])
        if state.is_built[component] == 0:
            return False
        for earlier in range(number):
            if state.built[earlier] == component:
                return False
    return True


@kernel
def letters_sound(rules: Record, state: Record) -> bool:
    """As many components of every letter as the level says; in setup they are drawn letter by letter (3e)."""
    complete = True
    for letter in range(NUM_LETTERS):
        found = 0
        for component in range(Component.POWER_CORE):
            if rules.letter[component] == letter:
                found += int(state.blueprint[component]) + int(state.is_built[component])
        wanted = int(rules.letters_wanted[letter])
        if found > wanted or (found > 0 and not complete):
            return False
        complete = complete and found == wanted
    return complete or state.phase == Phase.SETUP
