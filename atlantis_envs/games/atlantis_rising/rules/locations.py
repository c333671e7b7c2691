"""Phase 3: which locations can be resolved, who acts, how each action begins (7.3 - 7.11), and rolls (7.6, 7.7)."""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.actions import Act, Outcome
from atlantis_envs.games.atlantis_rising.data import Artifact, Councilor, Do, Good, Kind, Peninsula, Symbol, Used
from atlantis_envs.games.atlantis_rising.rules import board, building, cards
from atlantis_envs.games.atlantis_rising.state import (
    AUTOMATON_BIT,
    COUNT_MASK,
    DONE_SHIFT,
    FOLLOWER_MASK,
    FOLLOWER_READY_MASK,
    FRAME_WIDTH,
    NONE,
    READY_BITS,
    READY_MASK,
    READY_SHIFT,
    CityStage,
    Column,
    Frame,
    Node,
    Purpose,
    WildStage,
)
from atlantis_envs.kernels.kernel import kernel


@kernel
def is_closed(state: Record, location: int) -> bool:
    """Tell whether no action may be taken there this round (6.9)."""
    closed = int(state.closed)
    if closed == 0 or location > data.CENTRE:
        return False
    place = 3 if location == data.CENTRE else location // data.TILES_PER_PENINSULA - Peninsula.CITIES
    return place >= 0 and closed >> place & 1 != 0


@kernel
def orator_speaks(rules: Record, state: Record, seat: int, location: int) -> bool:
    """Tell whether the acting piece, on a double space some piece there, is the orator piece (7.4, 7.5)."""
    if state.special_at[Councilor.ORATOR] != location:
        return False
    if rules.is_double[location] != 0:
        return True
    if location == data.AT_SPIRIT_SEAL or board.owner_of(state, Councilor.ORATOR) != seat:
        return False
    kind = Kind.HOLOGRAM if state.keeper[Councilor.ORATOR] == data.BY_HOLOGRAM else Kind.LEADER
    return int(state.pieces[location, seat]) >> READY_SHIFT[kind] & 1 != 0


@kernel
def can_act(rules: Record, state: Record, seat: int, location: int) -> bool:
    """Tell whether the location's action can do something for the seat (7.3)."""
    does = int(rules.does[location])
    if does == Do.CITY:
        for owner in range(int(rules.players)):
            if int(state.pieces[location, owner]) & ~AUTOMATON_BIT and state.reserve[owner] > 0:
                return True
        return False
    if does == Do.LIBRARY:
        return board.library_left(state)
    if does == Do.FORGE or does == Do.CRUCIBLE:
        return state.goods[seat, Good.ORE] > 0
    if does == Do.CONDUIT:
        return state.volunteers > 0
    if does == Do.CONVERTER:
        return cards.has_raw(state, seat)
    if does == Do.BEACON or does == Do.ORRERY:
        return board.misfortunes_left(state)
    if does == Do.AMPLIFY:
        for other in range(int(rules.players)):
            if cards.has_raw(state, other):
                return True
        return False
    if does == Do.ANCHOR:
        return board.any_ward(state)
    if does == Do.TECTONIC:
        return board.any_flooded(state)
    if does == Do.TERRAFORMER:
        followers = 0
        for other in range(int(rules.players)):
            followers += int(state.pieces[location, other]) & FOLLOWER_MASK
        return followers > 0 and board.any_flooded(state)
    return True


@kernel
def actors(location: int) -> int:
    """Return the ready pieces that can activate a location, as a mask: on the spirit seal followers alone (7.3)."""
    return FOLLOWER_READY_MASK if location == data.AT_SPIRIT_SEAL else READY_MASK


@kernel
def resolvable(rules: Record, state: Record, seat: int, location: int) -> bool:
    """Tell whether a seat may take the action of a location (7.3)."""
    packed = int(state.pieces[location, seat])
    if rules.does[location] == Do.GATE:
        return packed & ~AUTOMATON_BIT != 0 and building.gate_resolvable(rules, state, location, seat)
    if packed & actors(location) == 0 or (rules.is_double[location] != 0 and state.crowd[location] < 2):
        return False
    if is_closed(state, location):
        return False
    return can_act(rules, state, seat, location) or (
        state.volunteers > 0 and orator_speaks(rules, state, seat, location)
    )


@kernel
def mark_resolvable(rules: Record, state: Record, seat: int, mask: Row) -> None:
    """Mark the locations whose action the seat may take (D13)."""
    where = int(state.where[seat])
    for location in range(data.NUM_LOCATIONS):
        if where >> location & 1 and resolvable(rules, state, seat, location):
            mask[Act.AT + location] = 1


@kernel
def some_resolvable(rules: Record, state: Record, seat: int) -> bool:
    """Tell whether D12 offers ``resolve`` (7.1)."""
    where = int(state.where[seat])
    for location in range(data.NUM_LOCATIONS):
        if where >> location & 1 and resolvable(rules, state, seat, location):
            return True
    return False


@kernel
def has_duty(rules: Record, state: Record, seat: int) -> bool:
    """Tell whether the seat has an action it may not waive (7.2, option must_act); builds are always free."""
    if rules.must_act == 0:
        return False
    where = int(state.where[seat])
    for location in range(data.NUM_LOCATIONS):
        if where >> location & 1 and rules.does[location] != Do.GATE and resolvable(rules, state, seat, location):
            return True
    return False


@kernel
def some_duty(rules: Record, state: Record) -> bool:
    """Tell whether somebody has an action that may not be waived, so that phase 3 goes on (7.2)."""
    for seat in range(int(rules.players)):
        if has_duty(rules, state, seat):
            return True
    return False


@kernel
def lay_down(rules: Record, state: Record, seat: int, location: int, orator_first: bool) -> None:
    """Make the acting piece done, on a double space all pieces (7.4)."""
    if rules.is_double[location] != 0:
        for owner in range(int(rules.players)):
            packed = int(state.pieces[location, owner])
            ready = packed & READY_MASK
            state.pieces[location, owner] = packed - ready + (ready << READY_BITS)
        return
    packed = int(state.pieces[location, seat])
    able = packed & actors(location)
    acting = int(Kind.HOLOGRAM)
    if not orator_first or state.keeper[Councilor.ORATOR] != data.BY_HOLOGRAM:
        acting = int(Kind.LEADER)
        while able >> READY_SHIFT[acting] & COUNT_MASK[acting] == 0 and acting < Kind.VOLUNTEER:
            acting += 1
    state.pieces[location, seat] = packed - (1 << READY_SHIFT[acting]) + (1 << DONE_SHIFT[acting])


@kernel
def apply_resolve(rules: Record, state: Record, seat: int, location: int) -> None:
    """Replace the top frame by the action (D13; 7.4 - 7.11)."""
    board.pop(state)
    does = int(rules.does[location])
    if does == Do.GATE:
        building.begin_build(state, seat, location)
        return
    speaks = orator_speaks(rules, state, seat, location)
    acts = can_act(rules, state, seat, location)
    lay_down(rules, state, seat, location, speaks)
    if speaks:
        board.take_volunteers(state, board.owner_of(state, Councilor.ORATOR), 1)
    if not acts:
        return
    if does == Do.WILD:
        begin_wild(rules, state, seat, location)
    elif does == Do.CENTRE:
        board.gain(state, seat, Good.ENERGY, int(rules.centre_energy))
    elif does == Do.CITY:
        top = board.push(state, Frame.CITY, seat)
        state.frames[top, Column.PLACE_AT] = location
        state.frames[top, Column.MAY_REROLL] = state.special_at[Councilor.PRIEST] == location
    elif does == Do.FORGE:
        state.goods[seat, Good.ORE] -= 1
        board.gain(state, seat, Good.ATLANTIUM, int(rules.tile_value[location]))
        if (
            board.has_in_play(state, seat, Artifact.EVERBURNING_BELLOWS)
            and int(state.used[seat]) & Used.EVERBURNING_BELLOWS == 0
        ):
            state.used[seat] = int(state.used[seat]) | Used.EVERBURNING_BELLOWS
            board.gain(state, seat, Good.ATLANTIUM, 1)
    elif does == Do.LIBRARY:
        top = board.push(state, Frame.LIBRARY, seat)
        state.frames[top, Column.SYMBOL] = int(rules.tile_value[location])
        state.frames[top, Column.TO_DRAW] = (
            data.INDEX_DRAWS if board.has_in_play(state, seat, Artifact.INDEX_OF_AGES) else data.PLAIN_DRAWS
        )
        state.frames[top, Column.ALLOWANCE] = 2 if rules.tile_value[location] == Symbol.KEEP_BOTH else 1
        board.set_none(state, top, Column.DRAWN, Column.DRAWN + data.MAX_SEEN)
    else:
        begin_component(rules, state, seat, location, does)


@kernel
def begin_component(rules: Record, state: Record, seat: int, location: int, does: int) -> None:
    """Begin the action of a built component (2.4, 7.11)."""
    if does == Do.SEAL:
        board.gain(state, seat, Good.ENERGY, data.SEAL_ENERGY)
    elif does == Do.SIPHON:
        board.gain(state, seat, Good.ENERGY, data.SIPHON_ENERGY + board.wrath_value(rules, state))
    elif does == Do.CONDUIT:
        board.take_volunteers(state, seat, data.CONDUIT_VOLUNTEERS)
    elif does == Do.CONVERTER:
        cards.begin_swaps(state, seat, data.CONVERTER_SWAPS)
    elif does == Do.CRUCIBLE:
        state.goods[seat, Good.ORE] -= 1
        board.gain(state, seat, Good.ATLANTIUM, data.CRUCIBLE_ATLANTIUM)
    elif does == Do.BEACON:
        cards.begin_look(state, seat, data.BEACON_DEPTH, data.BEACON_REMOVES)
    elif does == Do.ORRERY:
        cards.begin_look(state, seat, data.ORRERY_DEPTH, data.ORRERY_REMOVES)
    elif does == Do.AMPLIFY:
        top = board.push(state, Frame.AMPLIFY, seat)
        state.frames[top, Column.TARGET] = NONE
    elif does == Do.ANCHOR:
        building.push_series(state, Frame.WARD, seat, 1, False)
    elif does == Do.PRISM:
        board.push(state, Frame.PRISM, seat)
    elif does == Do.TERRAFORMER:
        top = board.push(state, Frame.SACRIFICE, seat)
        state.frames[top, Column.PLACE_AT] = location
    elif does == Do.TECTONIC:
        building.push_series(state, Frame.EBB, seat, 1, False)
    else:
        partner = other_owner(rules, state, seat, location)
        if does == Do.LATTICE:
            top = board.push(state, Frame.LATTICE, 0)
            board.set_none(state, top, Column.ORDER, Column.ORDER + data.MAX_PLAYERS)
            state.frames[top, Column.ORDER] = seat
            state.frames[top, Column.ORDER + 1] = partner
        else:
            board.gain(state, seat, Good.ENERGY, data.VAULT_ENERGY)
            board.gain(state, partner, Good.ENERGY, data.VAULT_ENERGY)


@kernel
def other_owner(rules: Record, state: Record, seat: int, location: int) -> int:
    """Return the owner of the other piece on a double space; the opener if it is alone or with the automaton (7.11)."""
    for owner in range(int(rules.players)):
        if owner != seat and int(state.pieces[location, owner]) & ~AUTOMATON_BIT:
            return owner
    return seat


# ----------------------------------------------------------------------------------------------------- dice (7.5 - 7.7)


CITY_DICE = 2

# ------------------------------------------------------------------------------------------ wild peninsulas (7.6)


@kernel
def wild_target(rules: Record, state: Record, location: int) -> int:
    """Return the number to reach there this round; below 1 nobody has to roll."""
    peninsula = location // data.TILES_PER_PENINSULA
    target = int(rules.tile_value[location]) + int(state.earthquake) - data.ATLAS_EASE * int(state.atlas[peninsula])
    return target - int(state.special_at[Councilor.EXPLORER] == location)


@kernel
def wild_bonus(rules: Record, state: Record, seat: int, location: int) -> int:
    """Return what is added to the die of a seat there: its artifact, the automaton."""
    bonus = int(board.has_in_play(state, seat, Artifact.MINER_IDOL + location // data.TILES_PER_PENINSULA))
    if int(state.pieces[location, 0]) & AUTOMATON_BIT:
        bonus += int(rules.automaton_bonus)
    return bonus


@kernel
def begin_wild(rules: Record, state: Record, seat: int, location: int) -> None:
    """Succeed without a die, or begin a roll against the present target."""
    peninsula = location // data.TILES_PER_PENINSULA
    target = wild_target(rules, state, location)
    if target < 1:
        board.gain(state, seat, peninsula, 1)
        return
    top = board.push(state, Frame.WILD, seat)
    state.frames[top, Column.PLACE_AT] = location
    state.frames[top, Column.TARGET] = target
    state.frames[top, Column.BONUS] = wild_bonus(rules, state, seat, location)
    state.frames[top, Column.VALUE] = NONE
    state.frames[top, Column.MAY_REROLL] = state.special_at[Councilor.PRIEST] == location


@kernel
def may_use_knuckle(state: Record, seat: int) -> bool:
    """Tell whether an unused fate knuckle is in play (2.7)."""
    return board.has_in_play(state, seat, Artifact.FATE_KNUCKLE) and int(state.used[seat]) & Used.FATE_KNUCKLE == 0


@kernel
def run_wild(rules: Record, state: Record, top: int) -> bool:
    """Roll (C9), offer to roll again (D14) or to pay (D15), and give the good on success (7.6)."""
    seat = int(state.frames[top, Column.SEAT])
    value, target = int(state.frames[top, Column.VALUE]), int(state.frames[top, Column.TARGET])
    if value == NONE:
        return board.wait(state, Node.C9_DIE, NONE)
    if value >= target:
        board.gain(state, seat, int(state.frames[top, Column.PLACE_AT]) // data.TILES_PER_PENINSULA, 1)
        board.pop(state)
        return board.RUNNING
    if state.frames[top, Column.STAGE] != WildStage.ROLLER:
        if state.frames[top, Column.MAY_REROLL] != 0:
            state.frames[top, Column.STAGE] = WildStage.PRIEST
            return board.wait(state, Node.REROLL, board.owner_of(state, Councilor.PRIEST))
        state.frames[top, Column.STAGE] = WildStage.ROLLER
    if state.goods[seat, Good.ENERGY] >= target - value or may_use_knuckle(state, seat):
        return board.wait(state, Node.FAIL, seat)
    board.pop(state)
    return board.RUNNING


@kernel
def roll_wild_again(state: Record, top: int) -> None:
    """Roll the die once more."""
    state.frames[top, Column.VALUE] = NONE
    state.frames[top, Column.STAGE] = WildStage.ROLL


@kernel
def mark_fail(state: Record, top: int, mask: Row) -> None:
    """Mark what can be done about a failed roll: pay energy, use the knuckle, decline (D15)."""
    seat = int(state.frames[top, Column.SEAT])
    gap = int(state.frames[top, Column.TARGET]) - int(state.frames[top, Column.VALUE])
    mask[Act.PAY] = state.goods[seat, Good.ENERGY] >= gap
    mask[Act.KNUCKLE] = may_use_knuckle(state, seat)
    mask[Act.DECLINE] = 1


@kernel
def apply_fail(state: Record, top: int, action: int) -> None:
    """Pay for a failed roll, use the knuckle on it, or let it fail (D15)."""
    seat = int(state.frames[top, Column.SEAT])
    if action == Act.PAY:
        state.goods[seat, Good.ENERGY] -= int(state.frames[top, Column.TARGET]) - int(state.frames[top, Column.VALUE])
        state.frames[top, Column.VALUE] = state.frames[top, Column.TARGET]
    elif action == Act.KNUCKLE:
        state.used[seat] = int(state.used[seat]) | Used.FATE_KNUCKLE
        roll_wild_again(state, top)
    else:
        board.pop(state)


# ------------------------------------------------------------------------------------------------- cities (7.7)


@kernel
def is_owner_here(state: Record, location: int, seat: int) -> bool:
    """Tell whether the seat has a piece other than the automaton there."""
    return int(state.pieces[location, seat]) & ~AUTOMATON_BIT != 0


@kernel
def city_gap(rules: Record, state: Record, top: int) -> int:
    """Return by how much the two dice miss the target; <= 0 is success."""
    location = int(state.frames[top, Column.PLACE_AT])
    total = (
        int(state.frames[top, Column.DIE]) + int(state.frames[top, Column.DIE + 1]) + board.wrath_value(rules, state)
    )
    for seat in range(int(rules.players)):
        if is_owner_here(state, location, seat) and board.has_in_play(state, seat, Artifact.MASK_OF_VOICES):
            total += 1
            break
    if int(state.pieces[location, 0]) & AUTOMATON_BIT:
        total += int(rules.automaton_bonus) * (CITY_DICE if rules.automaton_per_die != 0 else 1)
    return int(rules.tile_value[location]) - total


@kernel
def run_city(rules: Record, state: Record, top: int) -> bool:
    """Roll twice (C9), offer to roll again (D14), share the gap (D16), and recruit (D17; 7.7)."""
    if state.frames[top, Column.DIE] == 0 or state.frames[top, Column.DIE + 1] == 0:
        return board.wait(state, Node.C9_DIE, NONE)
    location, opener = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.SEAT])
    players = int(rules.players)
    stage = int(state.frames[top, Column.STAGE])
    gap = city_gap(rules, state, top)
    if stage < CityStage.SHARE and gap > 0:
        if state.frames[top, Column.MAY_REROLL] != 0 and stage <= CityStage.PRIEST:
            state.frames[top, Column.STAGE] = CityStage.PRIEST
            return board.wait(state, Node.REROLL, board.owner_of(state, Councilor.PRIEST))
        ask_for_energy(rules, state, top, gap)
        return board.RUNNING
    candidates = 0
    last = NONE
    for seat in range(players):
        if is_owner_here(state, location, seat) and state.reserve[seat] > 0:
            candidates += 1
            last = seat
    if candidates > 1:
        state.frames[top, Column.STAGE] = CityStage.RECRUIT
        return board.wait(state, Node.RECRUIT, opener)
    if candidates == 1:
        board.recruit(state, last)
    board.pop(state)
    return board.RUNNING


@kernel
def ask_for_energy(rules: Record, state: Record, top: int, gap: int) -> None:
    """Share the gap among the owners present, if two of them have the energy; else fail (7.7)."""
    location, opener = int(state.frames[top, Column.PLACE_AT]), int(state.frames[top, Column.SEAT])
    players = int(rules.players)
    state.frames[top, Column.STAGE] = CityStage.SHARE
    share = building.begin_share(rules, state, Purpose.CITIES, opener, NONE, Good.ENERGY, gap)
    found = 0
    for step in range(players):
        seat = (opener + step) % players
        if is_owner_here(state, location, seat):
            state.frames[share, Column.ORDER + found] = seat
            found += 1
    board.set_none(state, share, Column.ORDER + found, FRAME_WIDTH)
    if building.richest(state, share, 0, found, 2) < gap:
        board.pop(state)
        board.pop(state)


@kernel
def apply_recruit(state: Record, action: int) -> None:
    """Recruit a follower for the seat that was named (D17)."""
    board.recruit(state, action - Act.SEAT)
    board.pop(state)


# --------------------------------------------------------------------------------------------- dice for both


@kernel
def apply_die(state: Record, top: int, outcome: int) -> None:
    """Enter the face that was rolled (C9)."""
    face = outcome - Outcome.DIE + 1
    if state.frames[top, 0] == Frame.WILD:
        state.frames[top, Column.VALUE] = face + int(state.frames[top, Column.BONUS])
    elif state.frames[top, Column.DIE] == 0:
        state.frames[top, Column.DIE] = face
    else:
        state.frames[top, Column.DIE + 1] = face


@kernel
def apply_reroll(rules: Record, state: Record, top: int, action: int) -> None:
    """Roll the dice that the priest chose once more, or none (D14)."""
    wild = state.frames[top, 0] == Frame.WILD
    if action == Act.DECLINE:
        if wild:
            state.frames[top, Column.STAGE] = WildStage.ROLLER
        else:
            ask_for_energy(rules, state, top, city_gap(rules, state, top))
        return
    state.frames[top, Column.MAY_REROLL] = 0
    if wild:
        roll_wild_again(state, top)
        return
    state.frames[top, Column.STAGE] = CityStage.ROLL
    if action == Act.REROLL_FIRST or action == Act.REROLL_BOTH:
        state.frames[top, Column.DIE] = 0
    if action == Act.REROLL_SECOND or action == Act.REROLL_BOTH:
        state.frames[top, Column.DIE + 1] = 0
