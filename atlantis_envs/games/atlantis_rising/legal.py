"""The legal options of every decision node (the table of section 13) and the weights of chance (section 14)."""

from __future__ import annotations

from atlantis_envs.engine.contract import Record, Row
from atlantis_envs.engine.kernel import kernel
from atlantis_envs.games.atlantis_rising.actions import (
    AT,
    BARRIER,
    CHART,
    CHOOSE_COUNCILOR,
    DECLINE,
    DRAIN,
    FLOOD,
    GIVE,
    KEEP,
    LIFT,
    NAME_SEAT,
    PASS,
    PEEK,
    PLACE,
    PLAY,
    READY,
    REMOVE,
    REROLL_BOTH,
    REROLL_FIRST,
    REROLL_SECOND,
    RESOLVE,
    TAKE,
    YIELD,
)
from atlantis_envs.games.atlantis_rising.board import (
    fits,
    has_in_play,
    is_special,
    may_lift,
    may_place,
    misfortunes_left,
)
from atlantis_envs.games.atlantis_rising.building import mark_build, mark_discount
from atlantis_envs.games.atlantis_rising.cards import (
    has_done_chief,
    mark_cards,
    mark_discards,
    num_drawn,
    playable,
    repeating_seat,
)
from atlantis_envs.games.atlantis_rising.data import (
    ARCHIVE_RECOVERY,
    ARTIFICER,
    ASTROLOGER,
    AUTOMATON,
    CRYSTAL,
    EMISSARY,
    GOLD,
    IN_ACTIONS,
    IN_DEPLOYMENT,
    IN_WINDOW,
    NUM_BASIC,
    NUM_COUNCILORS,
    NUM_KINDS,
    NUM_LOCATIONS,
    NUM_PENINSULAS,
    NUM_RAW,
    NUM_TILES,
    NUM_WILD,
    SWIFT_EVACUATION,
    TIDEWATCH_GLASS,
    TILES_PER_PENINSULA,
    USED_GLASS,
    WINDOWS,
)
from atlantis_envs.games.atlantis_rising.dice import is_owner_here, mark_fail
from atlantis_envs.games.atlantis_rising.misfortunes import may_flood, named_by_plague
from atlantis_envs.games.atlantis_rising.payment import affordable, barrier_cost, mark_share, may_drain
from atlantis_envs.games.atlantis_rising.resolve import mark_resolvable, some_resolvable
from atlantis_envs.games.atlantis_rising.series import has_raw, known_on_top
from atlantis_envs.games.atlantis_rising.state import (
    CHIEF_DONE_MASK,
    COUNT_MASK,
    DEPTH,
    DO,
    DRAWN,
    FOLLOWER_MASK,
    FRAME_AMPLIFY,
    FRAME_LATTICE,
    FRAME_WILD,
    GIVEN,
    KIND,
    MAY,
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
    PLACE_AT,
    READY_SHIFT,
    SEAT,
    SEEN,
    TARGET,
)


@kernel
def legal(rules: Record, state: Record, mask: Row) -> None:
    """Mark the legal actions of the seat to decide; all zeros at chance nodes and at the end."""
    mask[:] = 0
    at = int(state.node)
    top = int(state.num_frames) - 1
    if at == NODE_DEPLOY:
        mark_deployment(rules, state, int(state.turn), mask)
    elif at == NODE_PLACE:
        seat, kind = int(state.frames[top, SEAT]), int(state.frames[top, KIND])
        for location in range(NUM_LOCATIONS):
            if fits(rules, state, seat, kind, location):
                mask[AT + location] = may_place(rules, state, seat, kind, location)
    elif at == NODE_ACT:
        mask[PASS] = 1
        mask[RESOLVE] = some_resolvable(rules, state, int(state.turn))
        mark_energy(rules, state, int(state.turn), True, mask)
        mark_cards(rules, state, int(state.turn), IN_ACTIONS, mask)
    elif at == NODE_RESOLVE:
        mark_resolvable(rules, state, int(state.frames[top, SEAT]), mask)
    elif at == NODE_SHARE:
        mark_share(rules, state, top, mask)
    elif at == NODE_FLOOD:
        for peninsula in range(NUM_PENINSULAS):
            if top >= 0:
                mask[FLOOD + peninsula] = may_flood(state, top, peninsula)
            else:
                mask[FLOOD + peninsula] = state.flooded[peninsula] < TILES_PER_PENINSULA
    elif at == NODE_LIFT:
        seat, kind = int(state.frames[top, SEAT]), int(state.frames[top, KIND])
        where = int(state.where[seat])
        for location in range(NUM_LOCATIONS):
            if where >> location & 1:
                mask[AT + location] = may_lift(state, seat, kind, location)
    elif at == NODE_FAIL:
        mark_fail(state, top, mask)
    elif at == NODE_WINDOW:
        mask[PASS] = 1
        mark_energy(rules, state, int(state.turn), False, mask)
        mark_cards(rules, state, int(state.turn), IN_WINDOW, mask)
    elif at <= NODE_OVERFLOW:
        mark_rare(rules, state, at, top, mask)


@kernel
def mark_deployment(rules: Record, state: Record, seat: int, mask: Row) -> None:
    """D4 (5.5)."""
    others = 0  # pieces at home that are not an astrologer piece
    held_back = 0
    for kind in range(NUM_KINDS):
        count = int(state.home[seat, kind])
        if count > 0:
            if is_special(state, seat, kind, ASTROLOGER):
                held_back = 1
            else:
                others += count
            if kind != AUTOMATON:
                mask[PLACE + kind] = 1  # the centre is always free (5.3)
            else:
                for location in range(NUM_LOCATIONS):
                    if state.crowd[location] > 0 and fits(rules, state, seat, kind, location):
                        mask[PLACE + kind] = 1
                        break
    ready = others <= held_back
    mask[READY] = ready
    mask[YIELD] = not ready and int(rules.players) >= 2 and state.yields[seat] > 0
    where = int(state.where[seat])
    if state.lifts[seat] > 0 and where != 0:
        for location in range(NUM_LOCATIONS):
            if where >> location & 1:
                packed = int(state.pieces[location, seat])
                for kind in range(NUM_KINDS):
                    if packed >> READY_SHIFT[kind] & COUNT_MASK[kind] and mask[LIFT + kind] == 0:
                        mask[LIFT + kind] = may_lift(state, seat, kind, location)
    mark_energy(rules, state, seat, True, mask)
    mark_cards(rules, state, seat, IN_DEPLOYMENT, mask)
    if has_in_play(state, seat, TIDEWATCH_GLASS) and int(state.used[seat]) & USED_GLASS == 0:
        mask[PEEK] = state.misfortune_top[0] == NONE and misfortunes_left(state)


@kernel
def mark_energy(rules: Record, state: Record, seat: int, wards: bool, mask: Row) -> None:
    """``barrier p`` and ``drain p`` (9.1 - 9.4)."""
    if wards and affordable(rules, state, seat, barrier_cost(rules, state, seat)):
        for peninsula in range(NUM_PENINSULAS):
            free = state.barriers[peninsula] == 0 and state.flooded[peninsula] < TILES_PER_PENINSULA
            mask[BARRIER + peninsula] = free
    if may_drain(rules, state, seat):
        for peninsula in range(NUM_PENINSULAS):
            mask[DRAIN + peninsula] = state.flooded[peninsula] > 0


@kernel
def may_act_in_window(rules: Record, state: Record, seat: int) -> bool:
    """A seat is asked iff it has a choice other than ``pass`` (6.2)."""
    if may_drain(rules, state, seat):
        return True
    for card in range(NUM_BASIC):
        if WINDOWS[card] & IN_WINDOW and state.hand[seat, card] > 0 and playable(rules, state, seat, card):
            return True
    return False


@kernel
def mark_rare(rules: Record, state: Record, at: int, top: int, mask: Row) -> None:
    """The nodes that are met less often."""
    if at == NODE_REROLL:
        mask[REROLL_FIRST] = 1
        mask[DECLINE] = 1
        if state.frames[top, DO] != FRAME_WILD:
            mask[REROLL_SECOND] = 1
            mask[REROLL_BOTH] = 1
    elif at == NODE_KEEP or at == NODE_MORE:
        for place in range(num_drawn(state, top)):
            mask[KEEP + int(state.frames[top, DRAWN + place])] = 1
        mask[DECLINE] = at == NODE_MORE
    elif at == NODE_RECRUIT or at == NODE_MUSTER:
        for seat in range(int(rules.players)):
            here = at == NODE_MUSTER or is_owner_here(state, int(state.frames[top, PLACE_AT]), seat)
            mask[NAME_SEAT + seat] = here and state.reserve[seat] > 0
    elif at == NODE_WARD or at == NODE_EBB:
        mask[DECLINE] = state.frames[top, MAY]
        for peninsula in range(NUM_PENINSULAS):
            if at == NODE_EBB:
                mask[DRAIN + peninsula] = state.flooded[peninsula] > 0
            else:
                free = state.barriers[peninsula] == 0 and state.flooded[peninsula] < TILES_PER_PENINSULA
                mask[BARRIER + peninsula] = free
    elif at == NODE_REACT:
        mask[PLAY + SWIFT_EVACUATION] = 1
        mask[DECLINE] = 1
    elif at == NODE_BUILD:
        mark_build(rules, state, top, mask)
    elif at == NODE_DISCOUNT:
        mark_discount(rules, state, top, mask)
    elif at == NODE_PLAGUE:
        named = named_by_plague(rules, state, top)
        for location in range(NUM_LOCATIONS):
            mask[AT + location] = int(state.pieces[location, named]) & FOLLOWER_MASK != 0
    elif at == NODE_LATE:
        for location in range(NUM_LOCATIONS):
            mask[AT + location] = may_come_late(rules, state, location)
    elif at == NODE_GIVE:
        mask[DECLINE] = state.frames[top, MAY]
        for good in range(NUM_RAW):
            mask[GIVE + good] = state.goods[int(state.frames[top, SEAT]), good] > 0
    elif at == NODE_TAKE:
        for good in range(NUM_RAW):
            mask[TAKE + good] = state.frames[top, GIVEN] != good
    elif at == NODE_LOOK:
        mask[DECLINE] = 1
        for place in range(min(int(state.frames[top, DEPTH]), known_on_top(state))):
            mask[REMOVE + int(state.misfortune_top[place])] = 1
    elif at == NODE_OVERFLOW:
        mark_cards(rules, state, int(state.actor), IN_ACTIONS, mask)
        mark_discards(state, int(state.actor), mask)
    elif at == NODE_AMPLIFY or at == NODE_GAIN:
        mark_gain(rules, state, at, top, mask)
    elif at == NODE_SACRIFICE:
        location = int(state.frames[top, PLACE_AT])
        for seat in range(int(rules.players)):
            mask[NAME_SEAT + seat] = int(state.pieces[location, seat]) & FOLLOWER_MASK != 0
    elif at == NODE_BOARD:
        mask[CHOOSE_COUNCILOR + int(state.frames[top, SEEN])] = 1
        mask[CHOOSE_COUNCILOR + int(state.frames[top, SEEN + 1])] = 1
    elif at == NODE_SCHOLAR:
        mask[KEEP + NUM_BASIC + int(state.frames[top, SEEN])] = 1
        mask[KEEP + NUM_BASIC + int(state.frames[top, SEEN + 1])] = 1
    elif at == NODE_DRAFT:
        must = rules.force_artificer != 0 and int(state.actor) == int(rules.players) - 1
        must = must and state.keeper[ARTIFICER] == NONE
        for councilor in range(NUM_COUNCILORS):
            free = state.keeper[councilor] == NONE and (not must or councilor == ARTIFICER)
            mask[CHOOSE_COUNCILOR + councilor] = free
    else:
        mark_card_choice(rules, state, at, top, mask)


@kernel
def mark_gain(rules: Record, state: Record, at: int, top: int, mask: Row) -> None:
    """D32, D33."""
    if at == NODE_AMPLIFY:
        for seat in range(int(rules.players)):
            mask[NAME_SEAT + seat] = has_raw(state, seat)
    elif state.frames[top, DO] == FRAME_AMPLIFY:
        for good in range(NUM_RAW):
            mask[TAKE + good] = state.goods[int(state.frames[top, TARGET]), good] > 0
    else:
        mask[TAKE] = state.frames[top, DO] == FRAME_LATTICE
        mask[TAKE + GOLD] = 1
        mask[TAKE + CRYSTAL] = 1


@kernel
def mark_card_choice(rules: Record, state: Record, at: int, top: int, mask: Row) -> None:
    """D24 - D27, D31."""
    if at == NODE_CHART:
        for peninsula in range(NUM_WILD):
            mask[CHART + peninsula] = 1
    elif at == NODE_REPEAT_SEAT or at == NODE_FONT:
        for seat in range(int(rules.players)):
            mask[NAME_SEAT + seat] = at == NODE_FONT or has_done_chief(state, seat)
    elif at == NODE_REPEAT_AT:
        seat = repeating_seat(state, top)
        for location in range(NUM_LOCATIONS):
            mask[AT + location] = int(state.pieces[location, seat]) & CHIEF_DONE_MASK != 0
    elif at == NODE_ARCHIVE:
        mask[DECLINE] = 1
        for card in range(NUM_BASIC):
            mask[KEEP + card] = state.library_discard[card] > 0 and card != ARCHIVE_RECOVERY


@kernel
def may_come_late(rules: Record, state: Record, location: int) -> bool:
    """D11: the location accepts first the held piece and then its companion (11.9)."""
    seat, kind, companion = int(state.held_seat), int(state.held_kind), int(state.held_companion)
    if not fits(rules, state, seat, kind, location):
        return False
    if companion == NONE:
        return True
    room = int(rules.capacity[location]) - int(state.crowd[location]) - 2
    if location < NUM_TILES and (
        state.special_at[EMISSARY] == location or is_special(state, seat, companion, EMISSARY)
    ):
        room += 1
    return room >= 0 and (companion == AUTOMATON or fits(rules, state, seat, companion, location))
