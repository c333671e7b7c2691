"""The legal options of every decision node (the table of section 13) and the weights of chance (section 14)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act
from atlantis_envs.games.atlantis_rising.data import Artifact, Basic, Councilor, Good, Kind, Used, Window
from atlantis_envs.games.atlantis_rising.rules import board, building, cards, floods, locations
from atlantis_envs.games.atlantis_rising.state import (
    CHIEF_DONE_MASK,
    COUNT_MASK,
    FOLLOWER_MASK,
    NONE,
    READY_SHIFT,
    Column,
    Frame,
    Node,
)
from atlantis_envs.kernels.kernel import kernel


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
                mask[Act.FLOOD + peninsula] = floods.may_flood(state, top, peninsula)
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
        named = floods.named_by_plague(rules, state, top)
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
