"""The course of Atlandice, top to bottom as in docs/rules/atlandice.md: setup, rounds, visits, stock check, clock.

Left to other files: section 6 (effects.py), who earns what in sections 7, 8 and 13 (board.py). The control flow is that
of 10.4; the legal options of every decision node (10.1) come last.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import CHANCE, OVER, Record, Row
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.actions import Act, Outcome, Stream
from atlantis_envs.games.atlandice.data import Sector, Space
from atlantis_envs.games.atlandice.rules import board, effects
from atlantis_envs.games.atlandice.state import NONE, Node
from atlantis_envs.kernels.kernel import kernel

ALL_HIDDEN = (1 << data.TILES_PER_DISTRICT) - 1

# ------------------------------------------------------------------------------------------------------ setup (3)


@kernel
def reset(rules: Record, state: Record) -> None:
    """Set up the root: pieces laid out, no tile visible, before any chance (3.1, 3.4). ``state`` comes zeroed."""
    for district in range(data.NUM_DISTRICTS):
        state.resources[district, district] = int(rules.district_pieces)
        state.resources[Sector.MARKET, district] = data.MARKET_PIECES
        state.hidden[district] = ALL_HIDDEN
    for tile in range(data.NUM_TILES):
        state.owner[tile] = NONE
    state.submarine = Sector.MACHINERY
    state.first = NONE
    leave_visit(state)
    state.node = Node.REVEAL
    state.actor = NONE


@kernel
def node(rules: Record, state: Record) -> int:
    """Return the seat to decide, CHANCE or OVER."""
    if state.node < Node.REVEAL:
        return int(state.actor)
    return OVER if state.node == Node.OVER else CHANCE


@kernel
def phase(rules: Record, state: Record) -> int:
    """Return the number of the round being played (4.1): comparisons of positions are fair where it changes."""
    return int(state.round_number)


# ----------------------------------------------------------------------------------------------------- chance (11)


@kernel
def chance(rules: Record, state: Record, weights: Row) -> tuple[int, int, int]:
    """Give equal weights to the tiles of a reveal, the first players, or the faces of a die (C1 - C5)."""
    if state.node == Node.DIE:
        weights[Outcome.DIE : Outcome.DIE + data.FACES] = 1
        return Stream.DIE, Outcome.DIE, Outcome.DIE + data.FACES
    if state.node == Node.REVEAL:
        district = board.first_unrevealed(state)
        start = Outcome.REVEAL + data.TILES_PER_DISTRICT * district
        for index in range(data.TILES_PER_DISTRICT):
            weights[start + index] = int(state.hidden[district]) >> index & 1
        return district, start, start + data.TILES_PER_DISTRICT
    if state.node == Node.FIRST_PLAYER:
        stop = Outcome.FIRST_PLAYER + int(rules.players)
        weights[Outcome.FIRST_PLAYER : stop] = 1
        return Stream.FIRST_PLAYER, Outcome.FIRST_PLAYER, stop
    weights[Outcome.ROLL : Outcome.ROLL + data.FACES] = 1
    return Stream.ROLL + board.visitor(rules, state), Outcome.ROLL, Outcome.ROLL + data.FACES


# ------------------------------------------------------------------------------------------------------- dispatch


@kernel
def apply(rules: Record, state: Record, index: int) -> None:
    """Play an action id at a decision node, an outcome id at a chance node."""
    at = int(state.node)
    if at == Node.DIE:
        apply_die(rules, state, index - Outcome.DIE + 1)
    elif at == Node.VISIT:
        apply_visit(rules, state, index)
    elif at == Node.TAKE:
        effects.take_from(state, int(state.here), index - Act.TAKE)
        offer_bonus(rules, state)
    elif at == Node.ROLL:
        finish_effect(rules, state, effects.after_roll(rules, state, index - Outcome.ROLL + 1))
    elif at == Node.BONUS:
        if index != Act.DECLINE_BONUS:
            effects.take_from(state, int(state.here), index - Act.TAKE)
        offer_effect(rules, state)
    elif at == Node.EFFECT:
        if index == Act.USE_EFFECT:
            effects.begin_effect(rules, state)
        else:
            end_visit(rules, state)
    elif at == Node.REROLL:
        visit_again(rules, state, index - Outcome.ROLL + 1)
    elif at == Node.DONATE:
        apply_donate(rules, state, index)
    elif at == Node.DONATE_MORE:
        apply_donate_more(rules, state, index - Act.PAY)
    elif at == Node.REVEAL:
        apply_reveal(rules, state, index - Outcome.REVEAL)
    elif at == Node.FIRST_PLAYER:
        state.first = index - Outcome.FIRST_PLAYER
        give_handicap(rules, state)
        open_round(rules, state)
    else:
        finish_effect(rules, state, apply_effect_choice(rules, state, at, index))


@kernel
def apply_effect_choice(rules: Record, state: Record, at: int, action: int) -> bool:
    """Carry out a choice that belongs to an effect (D5 - D15); return whether the effect is over."""
    if at == Node.EXTRA:
        effects.take_from(state, effects.extra_source(state), action - Act.TAKE)
        return True
    if at == Node.RAID:
        return effects.apply_raid(state, action)
    if at == Node.RAID_TAKE:
        return effects.apply_raid_take(state, action)
    if at == Node.SWAP_OUT:
        return effects.apply_swap_out(state, action)
    if at == Node.SWAP_WITH:
        return effects.apply_swap_with(state, action)
    if at == Node.SWAP_IN:
        return effects.apply_swap_in(state, action)
    if at == Node.MOVE_TYPE:
        return effects.apply_move_type(state, action)
    if at == Node.MOVE_TO:
        return effects.apply_move_to(state, action)
    if at == Node.DIE_FROM:
        return effects.apply_die_from(state, action)
    if at == Node.DIE_TO:
        return effects.apply_die_to(state, action)
    return effects.apply_submarine(rules, state, action)


@kernel
def apply_reveal(rules: Record, state: Record, tile: int) -> None:
    """Make a tile visible, at setup or in a stock check (C1; 3.2, 7.7)."""
    show_tile(state, tile // data.TILES_PER_DISTRICT, tile % data.TILES_PER_DISTRICT)
    if state.round_number > 0:
        stock_check(rules, state)
    elif board.first_unrevealed(state) == NONE:
        state.node = Node.FIRST_PLAYER


@kernel
def show_tile(state: Record, district: int, index: int) -> None:
    """Turn up the tile with this index, 0..2, of a District."""
    state.tile[district] = index + 1
    state.hidden[district] = int(state.hidden[district]) & ~(1 << index)


@kernel
def give_handicap(rules: Record, state: Record) -> None:
    """Give the whole points that the seats begin with; a half stays an option, and breaks ties (14.7)."""
    for place in range(int(rules.players)):
        state.points[(int(state.first) + place) % int(rules.players)] += int(rules.handicap[place]) // 2


# ------------------------------------------------------------------------------------- round and opening (4)


@kernel
def open_round(rules: Record, state: Record) -> None:
    """Take all dice back and roll them (step 1; 4.1, 4.2)."""
    state.round_number += 1
    state.visit = 0
    for sector in range(data.NUM_SECTORS):
        state.dice[sector] = 0
    for seat in range(data.MAX_PLAYERS):
        state.given[seat] = 0
        state.blocked[seat] = 0
    state.node = Node.DIE
    state.actor = NONE


@kernel
def apply_die(rules: Record, state: Record, face: int) -> None:
    """Lay one die of the opening beside its Sector (C3; 4.2, 4.3)."""
    state.dice[board.sector_of_face(state, face)] += 1
    lying = 0
    for sector in range(data.NUM_SECTORS):
        lying += int(state.dice[sector])
    if lying == int(rules.num_dice):
        begin_visit(rules, state)


# --------------------------------------------------------------------------------------------------- visits (5)


@kernel
def begin_visit(rules: Record, state: Record) -> None:
    """Let the next seat choose a Sector (5.1)."""
    state.node = Node.VISIT
    state.actor = board.visitor(rules, state)


@kernel
def apply_visit(rules: Record, state: Record, action: int) -> None:
    """Take a die, for the seat or for neutral (step (a); 5.3, 9.2)."""
    seat = int(state.actor)
    if action >= Act.VISIT_NEUTRAL:
        state.here = action - Act.VISIT_NEUTRAL
        state.beneficiary = int(rules.players)
        state.given[seat] = 1
    else:
        state.here = action - Act.VISIT
        state.beneficiary = seat
    state.dice[int(state.here)] -= 1
    state.chain = 0
    enter_sector(rules, state)


@kernel
def enter_sector(rules: Record, state: Record) -> None:
    """Take a piece if there is one (step (b); 5.4)."""
    if board.pieces_on(state, int(state.here)) > 0:
        state.node = Node.TAKE
        state.actor = board.visitor(rules, state)
    else:
        offer_bonus(rules, state)


@kernel
def offer_bonus(rules: Record, state: Record) -> None:
    """Offer the submarine's second piece (5.5, 14.2)."""
    here = int(state.here)
    seat = board.visitor(rules, state)
    blocked = here == Sector.MACHINERY and state.blocked[seat] != 0
    if state.submarine == here and not blocked and board.pieces_on(state, here) > 0:
        state.node = Node.BONUS
        state.actor = seat
    else:
        offer_effect(rules, state)


@kernel
def offer_effect(rules: Record, state: Record) -> None:
    """Begin or offer the effect, if it can be carried out (step (c); 5.6, 6.1, option optional_effects)."""
    if not effects.effect_applies(rules, state):
        end_visit(rules, state)
    elif rules.optional_effects:
        state.node = Node.EFFECT
        state.actor = board.visitor(rules, state)
    else:
        effects.begin_effect(rules, state)


@kernel
def finish_effect(rules: Record, state: Record, done: bool) -> None:
    """Go on to step (d) once the effect is over."""
    if done:
        end_visit(rules, state)


@kernel
def visit_again(rules: Record, state: Record, face: int) -> None:
    """Visit another Sector by J3's chain, steps (b) and (c) (6.6)."""
    state.here = board.sector_of_face(state, face)
    state.chain += 1
    enter_sector(rules, state)


@kernel
def leave_visit(state: Record) -> None:
    """Forget what belongs to one visit."""
    state.here = NONE
    state.beneficiary = NONE
    state.chain = 0
    state.choice_type = NONE
    state.choice_sector = NONE


@kernel
def end_visit(rules: Record, state: Record) -> None:
    """End the visit (step (d); 5.7)."""
    leave_visit(state)
    stock_check(rules, state)


# ---------------------------------------------------------------------------------------------- stock check (7)


@kernel
def next_emptied(state: Record) -> int:
    """Return the first District that is live, empty and not bare (7.2); NONE if there is none."""
    for district in range(data.NUM_DISTRICTS):
        if board.is_live(state, district) and state.bare[district] == 0 and board.pieces_on(state, district) == 0:
            return district
    return NONE


@kernel
def stock_check(rules: Record, state: Record) -> None:
    """Score every emptied District, each once; stop where a reveal is a matter of chance (7.1 - 7.8)."""
    state.actor = NONE
    district = next_emptied(state)
    while district != NONE:
        board.score_district(rules, state, district)
        returned = board.give_back(rules, state, district)
        hidden = int(state.hidden[district])
        if hidden == 0:
            board.exhaust(rules, state, district)
        else:
            board.refill(state, district, returned)
            if hidden & (hidden - 1) != 0:
                state.node = Node.REVEAL
                return
            show_tile(state, district, hidden >> 1)  # the bit of tile 1, 2, 3 is 1, 2, 4: its number is bit >> 1
        district = next_emptied(state)
    if rules.bare_spared == 0:
        for bare in range(data.NUM_DISTRICTS):
            state.bare[bare] = 0
    state.visit += 1
    if int(state.visit) < int(rules.visits):
        begin_visit(rules, state)
    else:
        advance_clock(rules, state)


# ----------------------------------------------------------------------------------- clock and next round (8)


@kernel
def needles_of_last_die(rules: Record, state: Record) -> int:
    """Return the needles of the Sector where the last die lies; an orphan place counts as the market (8.1, 14.1)."""
    for sector in range(data.NUM_DISTRICTS):
        if state.dice[sector] > 0 and state.tile[sector] != 0:
            return int(rules.needles[board.visible_tile(state, sector)])
    return int(rules.needles[data.NUM_TILES])


@kernel
def advance_clock(rules: Record, state: Record) -> None:
    """Move the hand, then end the game or carry out the event of the space (step 3; 8.1 - 8.5)."""
    last = int(rules.last)
    state.hand = min(last, int(state.hand) + needles_of_last_die(rules, state))
    if state.hand == last:
        board.final_scoring(rules, state)
        state.node = Node.OVER
        return
    space = int(rules.clock[int(state.hand)])
    if space == Space.DONATION:
        next_donor(rules, state, 0)
        return
    if space != Space.NONE:
        board.inventory(rules, state, space)
    end_round(rules, state)


@kernel
def end_round(rules: Record, state: Record) -> None:
    """Pass the first player on (step 4; 8.6)."""
    state.first = (int(state.first) + 1) % int(rules.players)
    open_round(rules, state)


@kernel
def next_donor(rules: Record, state: Record, step: int) -> None:
    """Let the next seat that owns enough donate, from the first player on; without one, end the round (8.5)."""
    players = int(rules.players)
    for later in range(step, players):
        seat = (int(state.first) + later) % players
        if board.stock_total(state, seat) >= data.DONATION_PRICE:
            state.node = Node.DONATE
            state.actor = seat
            return
    end_round(rules, state)


@kernel
def pay_piece(state: Record, kind: int) -> None:
    """Put a paid piece on the District linked to its type; no stock check follows (7.9, 8.5)."""
    state.stock[int(state.actor), kind] -= 1
    board.put_piece(state, kind, kind)


@kernel
def apply_donate(rules: Record, state: Record, action: int) -> None:
    """Pay the first piece of a pair, or stop (D16; 8.5)."""
    if action == Act.STOP_PAYING:
        donor_done(rules, state)
    else:
        pay_piece(state, action - Act.PAY)
        state.node = Node.DONATE_MORE


@kernel
def apply_donate_more(rules: Record, state: Record, kind: int) -> None:
    """Pay the second piece of a pair for one point (D17; 8.5)."""
    pay_piece(state, kind)
    seat = int(state.actor)
    state.points[seat] += data.DONATION_POINTS
    state.node = Node.DONATE
    if board.stock_total(state, seat) < data.DONATION_PRICE:
        donor_done(rules, state)


@kernel
def donor_done(rules: Record, state: Record) -> None:
    """Go on to the next seat that may donate (8.5)."""
    players = int(rules.players)
    next_donor(rules, state, (int(state.actor) - int(state.first)) % players + 1)


assert data.NUM_TYPES == data.NUM_DISTRICTS


# --------------------------------------------------------------------------------------------------------------- legal


GIVING_ORDINAL_LIMIT = 3  # a seat's third die must be given if none has been (9.2)
NUM_RAIDS = 4


@kernel
def legal(rules: Record, state: Record, mask: Row) -> None:
    """Mark the legal actions of the seat to decide; all zeros at chance nodes and at the end."""
    mask[:] = 0
    at = int(state.node)
    if at == Node.VISIT:
        mark_visits(rules, state, mask)
    elif at == Node.TAKE:
        mark_pieces(state, int(state.here), mask, Act.TAKE)
    elif at == Node.BONUS:
        mark_pieces(state, int(state.here), mask, Act.TAKE)
        mask[Act.DECLINE_BONUS] = rules.optional_effects
    elif at == Node.EFFECT:
        mask[Act.USE_EFFECT] = 1
        mask[Act.DECLINE_EFFECT] = 1
    elif at == Node.EXTRA:
        mark_pieces(state, effects.extra_source(state), mask, Act.TAKE)
    elif at == Node.RAID:
        for index in range(NUM_RAIDS):
            mask[Act.RAID + index] = effects.can_raid(state, effects.raid_district(Act.RAID + index))
    elif at == Node.RAID_TAKE:
        mark_pieces(state, int(state.choice_sector), mask, Act.TAKE)
    elif at >= Node.SWAP_OUT and at <= Node.SWAP_IN:
        mark_swap(rules, state, at, mask)
    elif at == Node.MOVE_TYPE:
        mark_pieces(state, effects.move_source(state), mask, Act.MOVE)
    elif at == Node.MOVE_TO:
        for district in range(data.NUM_DISTRICTS):
            mask[Act.MOVE_TO + district] = effects.can_move_to(state, district)
    elif at == Node.DIE_FROM:
        mark_dice(state, mask, Act.DIE_FROM)
    elif at == Node.DIE_TO:
        for sector in range(data.NUM_SECTORS):
            mask[Act.DIE_TO + sector] = effects.can_put_die(state, int(state.choice_sector), sector)
    elif at == Node.SUBMARINE:
        for sector in range(data.NUM_SECTORS):
            mask[Act.SUBMARINE + sector] = board.is_live(state, sector) and sector != int(state.submarine)
    elif at == Node.DONATE or at == Node.DONATE_MORE:
        for kind in range(data.NUM_TYPES):
            mask[Act.PAY + kind] = state.stock[int(state.actor), kind] > 0
        mask[Act.STOP_PAYING] = at == Node.DONATE


@kernel
def mark_pieces(state: Record, sector: int, mask: Row, start: int) -> None:
    """Mark every type that lies on a Sector."""
    for kind in range(data.NUM_TYPES):
        mask[start + kind] = state.resources[sector, kind] > 0


@kernel
def mark_dice(state: Record, mask: Row, start: int) -> None:
    """Mark every Sector with a die beside it."""
    for sector in range(data.NUM_SECTORS):
        mask[start + sector] = state.dice[sector] > 0


@kernel
def mark_visits(rules: Record, state: Record, mask: Row) -> None:
    """Mark visits for the seat itself and, with two players, also or only for neutral (D1; 5.3, 9.2)."""
    if int(rules.participants) == int(rules.players):
        mark_dice(state, mask, Act.VISIT)
        return
    given = state.given[int(state.actor)] != 0
    if given or board.ordinal(rules, state) < GIVING_ORDINAL_LIMIT:
        mark_dice(state, mask, Act.VISIT)
    if not given:
        mark_dice(state, mask, Act.VISIT_NEUTRAL)


@kernel
def mark_swap(rules: Record, state: Record, at: int, mask: Row) -> None:
    """Mark what the exchange of J2 may name next (D8 - D10; 6.5)."""
    out_kind = int(state.choice_type)
    if at == Node.SWAP_OUT:
        for kind in range(data.NUM_TYPES):
            mask[Act.SWAP_OUT + kind] = effects.can_swap_out(rules, state, kind)
    elif at == Node.SWAP_WITH:
        for district in range(Sector.JEWELER + 1, data.NUM_DISTRICTS):
            mask[Act.SWAP_WITH + district - 1] = effects.can_swap_with(rules, state, out_kind, district)
    else:
        partner = int(state.choice_sector)
        for kind in range(data.NUM_TYPES):
            mask[Act.SWAP_IN + kind] = state.resources[partner, kind] > 0 and effects.may_swap(rules, out_kind, kind)
