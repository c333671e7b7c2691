"""The course of Atlantis, top to bottom as in docs/rules/atlantis.md: setup, the turn, moving, landing, draw, end.

Left to other files: the path, its gaps and which cards may be played (path.py), payments and the settlement
(payment.py), what seats know (observation.py). The legal options of every decision node (9.1) come last.
"""

from __future__ import annotations

from atlantis_envs.engine.bits import lowest
from atlantis_envs.engine.definition import CHANCE, OVER, Record, Row
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.actions import Act, Outcome, Stream
from atlantis_envs.games.atlantis.rules import observation, path, payment
from atlantis_envs.games.atlantis.state import ITEM_CARD, NONE, NOWHERE, Phase, Then
from atlantis_envs.kernels.kernel import kernel

# ------------------------------------------------------------------------------------------------------ setup (3)


@kernel
def reset(rules: Record, state: Record) -> None:
    """Set up the root: no tile laid, all cards in the pile, pawns on Atlantis (3.3, 3.5). ``state`` comes zeroed."""
    for side in range(2):
        for tile in range(data.NUM_TILES):
            state.bag[side, tile] = rules.tiles[side, tile]
    for thing in range(data.NUM_OBJECTS):
        state.pile[thing] = rules.cards[thing]
    for seat in range(int(rules.players)):
        state.bridge[seat] = rules.bridges
        for pawn in range(data.NUM_PAWNS):
            state.pawns[seat, pawn] = data.ATLANTIS if pawn < int(rules.pawns) else data.MAINLAND
    clear_turn(state)
    state.seat = NONE
    if rules.random_first != 0:
        state.phase = Phase.FIRST
        state.first = NONE
    else:
        state.phase = Phase.LAY
        state.space = space_to_lay(rules, 0)


@kernel
def space_to_lay(rules: Record, space: int) -> int:
    """Return the lowest space from ``space`` on where tiles are laid; NUM_SPACES if there is none (2.2, 18.1)."""
    while space < data.NUM_SPACES and rules.heights[space] == 0:
        space += 1
    return space


@kernel
def deal(rules: Record, state: Record, turn_index: int) -> None:
    """Give the seat with this index in turn order its hand, or the next that is due any; then begin play (3.4, 3.6)."""
    players = int(rules.players)
    while turn_index < players and rules.start_hand[turn_index] == 0:
        turn_index += 1
    if turn_index == players:
        begin_turn(rules, state, int(state.first))
        return
    state.phase = Phase.DEAL
    state.seat = (int(state.first) + turn_index) % players
    state.draws = rules.start_hand[turn_index]


# ------------------------------------------------------------------------------------------------- nodes (9, 10)


@kernel
def node(rules: Record, state: Record) -> int:
    """Return the seat to decide, CHANCE or OVER."""
    phase = int(state.phase)
    if phase == Phase.TURN or phase == Phase.PLAY or phase == Phase.PAY or phase == Phase.AFTER:
        return int(state.seat)
    return OVER if phase == Phase.OVER else CHANCE


@kernel
def phase(rules: Record, state: Record) -> int:
    """Return the seat whose turn it is, NONE where it is nobody's: comparisons are fair where it changes."""
    return int(state.seat)


@kernel
def chance(rules: Record, state: Record, weights: Row) -> tuple[int, int, int]:
    """Weigh outcomes by the counts of bag or pile, seats equally (C1 - C5); no order is fixed early (10.4, 10.5)."""
    phase = int(state.phase)
    if phase == Phase.DRAW or phase == Phase.DEAL:
        for thing in range(data.NUM_OBJECTS):
            weights[Outcome.CARD + thing] = state.pile[thing]
        return Stream.CARDS + int(state.seat), Outcome.CARD, Outcome.CARD + data.NUM_OBJECTS
    if phase == Phase.FIRST:
        stop = Outcome.SEAT + int(rules.players)
        weights[Outcome.SEAT : stop] = 1
        return Stream.FIRST, Outcome.SEAT, stop
    side = path.side_of(int(state.space))
    for tile in range(data.NUM_TILES):
        weights[Outcome.TOP + tile] = state.bag[side, tile]
    return Stream.TOPS if phase == Phase.LAY else Stream.UNDER + side, Outcome.TOP, Outcome.TOP + data.NUM_TILES


@kernel
def apply(rules: Record, state: Record, index: int) -> None:
    """Play an action id at a decision node, an outcome id at a chance node."""
    phase = int(state.phase)
    if phase == Phase.TURN:
        if index == Act.PASS:
            apply_pass(rules, state)
        elif index == Act.SELL_ONE:
            sell(rules, state, 1)
        elif index >= Act.BRIDGE:
            place_bridge(state, index - Act.BRIDGE)
        elif index >= Act.PAWN:
            state.pawn = index - Act.PAWN
            state.x = state.pawns[int(state.seat), index - Act.PAWN]
            state.phase = Phase.PLAY
        else:
            sell(rules, state, index - Act.SELL)
    elif phase == Phase.PLAY:
        play(rules, state, index - Act.PLAY)
    elif phase == Phase.DRAW:
        draw_card(rules, state, index - Outcome.CARD)
    elif phase == Phase.PAY:
        if index == Act.DONE:
            land(rules, state)
        else:
            pay(rules, state, index)
    elif phase == Phase.AFTER:
        if index != Act.DONE:
            place_bridge(state, index - Act.BRIDGE)
        end_move(rules, state)
    elif phase == Phase.UNCOVER:
        path.put_top(state, int(state.space), index - Outcome.TOP)
        state.space = NONE
        path.survey(state)
        second_window(rules, state)
    elif phase == Phase.LAY:
        lay_top(rules, state, index - Outcome.TOP)
    elif phase == Phase.DEAL:
        deal_card(rules, state, index - Outcome.CARD)
    else:
        state.first = index - Outcome.SEAT
        state.phase = Phase.LAY
        state.space = space_to_lay(rules, 0)


@kernel
def lay_top(rules: Record, state: Record, tile: int) -> None:
    """Lay the next top, in ascending order; after the last, deal the hands (C2; 3.2)."""
    space = int(state.space)
    path.put_top(state, space, tile)
    state.covered[space] = rules.heights[space] == 2
    space = space_to_lay(rules, space + 1)
    if space < data.NUM_SPACES:
        state.space = space
        return
    state.space = NONE
    path.survey(state)
    deal(rules, state, 0)


@kernel
def deal_card(rules: Record, state: Record, thing: int) -> None:
    """Deal a card to the seat that is dealt to; its hand full, go on to the next seat (C3; 3.4)."""
    seat = int(state.seat)
    state.pile[thing] -= 1
    state.hand[seat, thing] += 1
    state.draws -= 1
    if state.draws == 0:
        deal(rules, state, (seat - int(state.first)) % int(rules.players) + 1)


# --------------------------------------------------------------------------------------------------- the turn (4)


@kernel
def sell(rules: Record, state: Record, value: int) -> None:
    """Give up a tile for half its value in cards (4.3)."""
    state.tiles[int(state.seat), value - 1] -= 1
    state.sold += 1
    begin_draw(rules, state, value // 2, Then.TURN)


@kernel
def place_bridge(state: Record, space: int) -> None:
    """Place the seat's bridge on the first space of a gap, in either window (6.9)."""
    state.bridge[int(state.seat)] = 0
    state.bridged = 1
    state.bridges = int(state.bridges) | 1 << space
    path.survey(state)


@kernel
def apply_pass(rules: Record, state: Record) -> None:
    """Show the hand and draw cards; n turns in a row with nothing done at all end the game (4.5, 8.2, 11.3)."""
    seat = int(state.seat)
    observation.show_hand(state, seat)
    if state.sold == 0 and state.bridged == 0 and cards_to_draw(state) == 0:
        state.idle += 1
        if int(state.idle) == int(rules.players):
            finish(rules, state)
            return
    else:
        state.idle = 0
    bonus = pawns_home(rules, state, seat) if rules.pass_bonus != 0 else 0
    begin_draw(rules, state, data.PASS_CARDS + bonus, Then.NEXT)


# ---------------------------------------------------------------------------------------- moving and paying (5, 6)


@kernel
def play(rules: Record, state: Record, thing: int) -> None:
    """Carry the chosen pawn on with a card; on a free place the way is paid (5.4, 6.4)."""
    seat = int(state.seat)
    observation.card_leaves_hand(state, seat, thing)
    state.discard[thing] += 1
    renew_pile(rules, state)
    if state.bought[thing] > 0:
        state.bought[thing] -= 1
    target = path.next_space(state, int(state.x), thing)
    state.x = target
    if path.occupied_spaces(rules, state) >> target & 1:
        return
    due = path.toll_between(state, int(state.pawns[seat, int(state.pawn)]), target)
    if due > 0:
        state.due = due
        state.phase = Phase.PAY
    else:
        land(rules, state)


@kernel
def pay(rules: Record, state: Record, action: int) -> None:
    """Give one item of the payment; the last one needed, or wished for, lets the pawn land (6.6 - 6.8, 9.2)."""
    seat = int(state.seat)
    if action >= Act.PAY_CARD:
        thing = action - Act.PAY_CARD
        observation.card_leaves_hand(state, seat, thing)
        if rules.paid_to_discard != 0:
            state.discard[thing] += 1
            renew_pile(rules, state)
        else:
            state.box[thing] += 1
        if state.bought[thing] > state.hand[seat, thing]:
            state.bought[thing] -= 1
        state.last = ITEM_CARD + thing
        worth = 1
    else:
        worth = action - Act.PAY_TILE
        state.tiles[seat, worth - 1] -= 1
        state.last = data.NUM_VALUES - worth
    state.due = max(0, int(state.due) - worth)
    if state.due == 0 and (rules.overpay_at_will == 0 or not payment.more_to_give(rules, state)):
        land(rules, state)


# ------------------------------------------------------------------------------------------------------- landing (7)


@kernel
def land(rules: Record, state: Record) -> None:
    """Move the pawn and take a tile; what lay below it is turned up (7.1 - 7.4)."""
    seat = int(state.seat)
    state.due = 0
    state.last = NONE
    state.idle = 0
    state.pawns[seat, int(state.pawn)] = state.x
    space = path.tile_behind(state, int(state.x), path.occupied_spaces(rules, state))
    if space != NONE:
        state.tiles[seat, path.lift_top(state, space) - 1] += 1
        if state.covered[space] != 0:
            state.covered[space] = 0
            state.space = space
            state.phase = Phase.UNCOVER
            path.forget_survey(state)
            return
        path.survey(state)
    second_window(rules, state)


@kernel
def second_window(rules: Record, state: Record) -> None:
    """Offer to place a bridge after the move (9.3)."""
    if rules.bridge_after_move != 0 and state.bridge[int(state.seat)] != 0 and state.gaps != 0:
        state.phase = Phase.AFTER
    else:
        end_move(rules, state)


@kernel
def end_move(rules: Record, state: Record) -> None:
    """Draw cards for the move: one, and one more for each own pawn at home (7.5, 7.6)."""
    home = pawns_home(rules, state, int(state.seat))
    begin_draw(rules, state, data.MOVE_CARDS + home, Then.END if home == int(rules.pawns) else Then.NEXT)


# ------------------------------------------------------------------------------------------------------ turns (4.1)


@kernel
def clear_turn(state: Record) -> None:
    """Set all turn data to their defaults (16.2)."""
    state.sold = 0
    state.bridged = 0
    state.pawn = NONE
    state.x = NOWHERE
    state.due = 0
    state.last = NONE
    state.space = NONE
    state.draws = 0
    state.then = NONE
    for thing in range(data.NUM_OBJECTS):
        state.bought[thing] = 0


@kernel
def begin_turn(rules: Record, state: Record, seat: int) -> None:
    """Begin the turn of a seat, at node D1 (4.1, 4.2)."""
    clear_turn(state)
    state.seat = seat
    state.phase = Phase.TURN


@kernel
def pawns_home(rules: Record, state: Record, seat: int) -> int:
    """Return how many pawns of a seat are on the mainland, those that do not play left out (18.4)."""
    home = 0
    for pawn in range(int(rules.pawns)):
        if state.pawns[seat, pawn] == data.MAINLAND:
            home += 1
    return home


# ---------------------------------------------------------------------------------------------------------- draw (7.7)


@kernel
def cards_to_draw(state: Record) -> int:
    """Return how many cards there are in pile and discard together."""
    cards = 0
    for thing in range(data.NUM_OBJECTS):
        cards += int(state.pile[thing]) + int(state.discard[thing])
    return cards


@kernel
def begin_draw(rules: Record, state: Record, due: int, then: int) -> None:
    """Begin to draw so many cards, or fewer if there are no more (10.3)."""
    state.draws = min(due, cards_to_draw(state))
    state.then = then
    go_on(rules, state)


@kernel
def draw_card(rules: Record, state: Record, thing: int) -> None:
    """Draw a card into the hand and go on; a bought card is remembered as such (C4; 4.4)."""
    state.pile[thing] -= 1
    state.hand[int(state.seat), thing] += 1
    if state.then == Then.TURN:
        state.bought[thing] += 1
    state.draws -= 1
    renew_pile(rules, state)
    go_on(rules, state)


@kernel
def go_on(rules: Record, state: Record) -> None:
    """Draw the next card, from the discard if the pile is empty; after the last, do what follows (7.7, 16.2)."""
    if state.draws > 0:
        state.phase = Phase.DRAW
        if is_empty(state.pile):
            reshuffle(rules, state)
    elif state.then == Then.TURN:
        state.then = NONE
        state.phase = Phase.TURN
    elif state.then == Then.NEXT:
        following = int(state.seat) + 1
        begin_turn(rules, state, following if following < int(rules.players) else 0)
    else:
        finish(rules, state)


@kernel
def is_empty(heap: Row) -> bool:
    """Tell whether a multiset of objects holds nothing."""
    for thing in range(data.NUM_OBJECTS):
        if heap[thing] != 0:
            return False
    return True


@kernel
def renew_pile(rules: Record, state: Record) -> None:
    """Rebuild a used-up pile at once, if it can be, after a card has left it or come to the discard (7.7)."""
    if rules.reshuffle_at_once != 0 and is_empty(state.pile) and not is_empty(state.discard):
        reshuffle(rules, state)


@kernel
def reshuffle(rules: Record, state: Record) -> None:
    """Make the discard the pile (10.3); two seats can then count each other's hands (11.3)."""
    for thing in range(data.NUM_OBJECTS):
        state.pile[thing] = state.discard[thing]
        state.discard[thing] = 0
    if int(rules.players) == 2:
        observation.all_hands_known(rules, state)


# ------------------------------------------------------------------------------------------------------ end (8, 12)


@kernel
def finish(rules: Record, state: Record) -> None:
    """End the game with the settlement of all seats; the position stays as it is (8.3, 12.1)."""
    clear_turn(state)
    state.phase = Phase.OVER
    state.seat = NONE
    for seat in range(int(rules.players)):
        state.final[seat] = payment.settlement(rules, state, seat)


# --------------------------------------------------------------------------------------------------------------- legal


@kernel
def legal(rules: Record, state: Record, mask: Row) -> None:
    """Mark the legal actions of the seat to decide; all zeros at chance nodes and at the end."""
    mask[:] = 0
    phase = int(state.phase)
    if phase == Phase.TURN:
        mark_turn(rules, state, mask)
    elif phase == Phase.PLAY:
        found = path.playable_now(rules, state, path.occupied_spaces(rules, state))
        for thing in range(data.NUM_OBJECTS):
            mask[Act.PLAY + thing] = found >> thing & 1
    elif phase == Phase.PAY:
        payment.mark_payments(rules, state, mask)
    elif phase == Phase.AFTER:
        mask[Act.DONE] = 1
        mark_bridges(state, mask)


@kernel
def mark_turn(rules: Record, state: Record, mask: Row) -> None:
    """Mark sales, bridges, and a pawn or else a pass, so that something is always legal (D1; 9.4)."""
    seat = int(state.seat)
    if state.bridged == 0 and int(state.sold) < int(rules.sales):
        for value in range(data.SMALLEST_SALE, data.NUM_VALUES + 1):
            mask[Act.SELL + value] = state.tiles[seat, value - 1] > 0
        if rules.sell_ones != 0:
            mask[Act.SELL_ONE] = state.tiles[seat, 0] > 0
    mark_bridges(state, mask)
    occupied = path.occupied_spaces(rules, state)
    hand, bought = path.packed(state.hand[seat]), path.bought_of(rules, state)
    funds = path.funds_of(rules, state, seat)
    stuck = 1
    for pawn in range(data.NUM_PAWNS):
        if path.choosable(state, pawn, occupied, hand, bought, funds):
            mask[Act.PAWN + pawn] = 1
            stuck = 0
    mask[Act.PASS] = stuck


@kernel
def mark_bridges(state: Record, mask: Row) -> None:
    """Mark all unbridged gaps for a seat that still has its bridge (6.9)."""
    if state.bridge[int(state.seat)] != 0:
        gaps = int(state.gaps)
        while gaps != 0:
            mask[Act.BRIDGE + lowest(gaps)] = 1
            gaps &= gaps - 1
