"""What can be seen to be broken from the position alone, as bits; 0 = sound.

Tiles out of the game are not recorded, so which tiles lie on the path is not held against the tile set; how many there
are is.
"""

from __future__ import annotations

from atlantis_envs.engine.definition import Record, Row
from atlantis_envs.games.atlantis import data
from atlantis_envs.games.atlantis.rules import path, payment, play
from atlantis_envs.games.atlantis.state import ITEM_CARD, ITEMS, NONE, NOWHERE, THEN, Phase, Then
from atlantis_envs.kernels.kernel import kernel

FLAGS = (
    ("phase", "a field is outside its range, or an absent seat owns something"),
    ("path", "a tile where none can lie, or the record of the path does not agree with itself (2.2)"),
    ("bag", "the number of unseen tiles is not that of the places for them, or there are too many tiles (10.1)"),
    ("pile", "not 15 cards of each object, or as many as option cards says (2.1, 18.3)"),
    ("seats", "a pawn on water, or two on a space (7.1)"),
    ("seats", "more cards known, or bought, than the hand holds (5.5, 11.3)"),
    ("bridges", "a bridge on a tile, or tolls and gaps that are not those of the path (6.1 - 6.10)"),
    ("turn", "turn data that do not fit the phase (16.2)"),
    ("phase", "seat, first seat or idle turns do not fit the phase (8.2, 16.1)"),
    ("scores", "not the scores of this position (8.4)"),
    ("pile", "empty while cards lie in the discard: such a pile was rebuilt at once (7.7, option reshuffle)"),
)
BAD_RANGE, BAD_PATH, BAD_BAG, BAD_CARDS, BAD_PAWNS, BAD_KNOWN, BAD_GAPS, BAD_TURN, BAD_PHASE, BAD_SCORES, BAD_PILE = (
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024,
)  # fmt: skip


@kernel
def check(rules: Record, state: Record) -> int:
    """Return bits of FLAGS; what depends on a broken part is not looked at."""
    if not ranges_sound(rules, state):
        return BAD_RANGE
    flags = 0
    flags |= 0 if path_sound(rules, state) else BAD_PATH
    flags |= 0 if bag_sound(rules, state) else BAD_BAG
    flags |= 0 if cards_sound(rules, state) else BAD_CARDS
    if rules.reshuffle_at_once != 0 and play.is_empty(state.pile) and not play.is_empty(state.discard):
        flags |= BAD_PILE
    flags |= 0 if pawns_sound(rules, state) else BAD_PAWNS
    flags |= 0 if known_sound(rules, state) else BAD_KNOWN
    flags |= 0 if gaps_sound(state) else BAD_GAPS
    flags |= 0 if phase_sound(rules, state) else BAD_PHASE
    flags |= BAD_TURN if flags == 0 and not turn_sound(rules, state) else 0
    flags |= BAD_SCORES if flags == 0 and not scores_sound(rules, state) else 0
    return flags


@kernel
def within(value: int, low: int, high: int) -> bool:
    """Tell whether low <= value <= high."""
    return value >= low and value <= high


@kernel
def all_within(row: Row, low: int, high: int) -> bool:
    """Tell whether every entry is in low..high."""
    for index in range(len(row)):
        if row[index] < low or row[index] > high:
            return False
    return True


@kernel
def ranges_sound(rules: Record, state: Record) -> bool:
    """Tell whether every field is in its range, with nothing at absent seats."""
    players = int(rules.players)
    sound = within(int(state.phase), Phase.FIRST, Phase.OVER) and within(int(state.first), NONE, players - 1)
    sound = sound and within(int(state.seat), NONE, players - 1) and within(int(state.idle), 0, players)
    sound = sound and within(int(state.sold), 0, int(rules.sales)) and within(int(state.bridged), 0, 1)
    sound = sound and within(int(state.pawn), NONE, data.NUM_PAWNS - 1) and within(int(state.x), NOWHERE, data.MAINLAND)
    sound = sound and within(int(state.due), 0, data.MAX_TOLL) and within(int(state.last), NONE, len(ITEMS) - 1)
    sound = sound and within(int(state.space), NONE, data.NUM_SPACES - 1)
    sound = sound and within(int(state.draws), 0, data.MAX_START_HAND) and within(int(state.then), NONE, len(THEN) - 1)
    sound = sound and all_within(state.kind, 0, data.NUM_OBJECTS) and all_within(state.worth, 0, data.NUM_VALUES)
    sound = sound and all_within(state.covered, 0, 1) and all_within(state.bought, 0, data.CARDS_PER_OBJECT)
    sound = (
        sound and all_within(state.bag[0], 0, data.TILES_PER_SIDE) and all_within(state.bag[1], 0, data.TILES_PER_SIDE)
    )
    sound = (
        sound
        and all_within(state.pile, 0, data.CARDS_PER_OBJECT)
        and all_within(state.discard, 0, data.CARDS_PER_OBJECT)
    )
    sound = sound and all_within(state.box, 0, data.CARDS_PER_OBJECT)
    for seat in range(data.MAX_PLAYERS):
        present = 1 if seat < players else 0
        sound = sound and within(int(state.bridge[seat]), 0, present * int(rules.bridges))
        sound = sound and all_within(state.pawns[seat], data.ATLANTIS * present, data.MAINLAND * present)
        sound = sound and all_within(state.hand[seat], 0, data.CARDS_PER_OBJECT * present)
        sound = sound and all_within(state.known[seat], 0, data.CARDS_PER_OBJECT * present)
        sound = sound and all_within(state.tiles[seat], 0, 2 * data.TILES_PER_SIDE * present)
        sound = sound and (present == 1 or state.final[seat] == 0)
    return sound


@kernel
def path_sound(rules: Record, state: Record) -> bool:
    """Tell whether tiles lie only where they can, both records of the path agree, and a laid part has no holes."""
    for space in range(data.NUM_SPACES):
        kind = int(state.kind[space])
        if (kind != 0) != (state.worth[space] != 0) or (kind != 0 and rules.heights[space] == 0):
            return False
        if state.covered[space] != 0 and (kind == 0 or rules.heights[space] != 2):
            return False
        for thing in range(data.NUM_OBJECTS):
            if int(state.boards[thing]) >> space & 1 != (1 if kind == thing + 1 else 0):
                return False
        laid = int(state.phase) == Phase.DEAL or (int(state.phase) == Phase.LAY and space < int(state.space))
        if laid and rules.heights[space] != (0 if kind == 0 else 1 + int(state.covered[space])):
            return False
        if int(state.phase) <= Phase.LAY and not laid and kind != 0:
            return False
    return True


@kernel
def bag_sound(rules: Record, state: Record) -> bool:
    """Tell whether an unseen tile is left for each under tile and each tile to be laid, and the set holds them all."""
    seen, all_tiles = 0, 0
    for seat in range(int(rules.players)):
        for index in range(data.NUM_VALUES):
            seen += int(state.tiles[seat, index])
    unseen_of_all = 0
    for side in range(2):
        expected, tops, unseen, tiles = 0, 0, 0, 0
        for space in range(data.NUM_SPACES):
            if path.side_of(space) == side:
                expected += int(state.covered[space])
                tops += 1 if state.kind[space] != 0 else 0
                if int(state.phase) == Phase.FIRST or (int(state.phase) == Phase.LAY and space >= int(state.space)):
                    expected += int(rules.heights[space])
                if int(state.phase) == Phase.UNCOVER and space == int(state.space):
                    expected += 1
        for tile in range(data.NUM_TILES):
            unseen += int(state.bag[side, tile])
            tiles += int(rules.tiles[side, tile])
            if state.bag[side, tile] > rules.tiles[side, tile]:
                expected = NONE if int(state.phase) <= Phase.DEAL else expected
        if unseen != expected or tops + unseen > tiles:
            return False
        unseen_of_all += tops + unseen
        all_tiles += tiles
    return seen + unseen_of_all <= all_tiles


@kernel
def cards_sound(rules: Record, state: Record) -> bool:
    """Tell whether there are 15 cards of each object in all."""
    for thing in range(data.NUM_OBJECTS):
        count = int(state.pile[thing]) + int(state.discard[thing]) + int(state.box[thing])
        for seat in range(int(rules.players)):
            count += int(state.hand[seat, thing])
        if count != int(rules.cards[thing]):
            return False
    return True


@kernel
def pawns_sound(rules: Record, state: Record) -> bool:
    """Tell whether each pawn on the path stands alone, on a tile; those that do not play are home (18.4)."""
    standing = 0
    for seat in range(int(rules.players)):
        for pawn in range(data.NUM_PAWNS):
            place = int(state.pawns[seat, pawn])
            if place != data.MAINLAND and pawn >= int(rules.pawns):
                return False
            if place != data.ATLANTIS and place != data.MAINLAND:
                if state.kind[place] == 0 or standing >> place & 1:
                    return False
                standing |= 1 << place
    return True


@kernel
def known_sound(rules: Record, state: Record) -> bool:
    """Tell whether known cards are in the hand, and bought ones in the hand of the seat whose turn it is."""
    for thing in range(data.NUM_OBJECTS):
        for seat in range(int(rules.players)):
            if state.known[seat, thing] > state.hand[seat, thing]:
                return False
        if state.bought[thing] > 0 and (
            state.seat == NONE or state.sold == 0 or state.bought[thing] > state.hand[int(state.seat), thing]
        ):
            return False
    return True


@kernel
def gaps_sound(state: Record) -> bool:
    """Tell whether bridges lie on water between two tiles, and gaps and tolls are those of 6.1 - 6.3, none while the
    path is incomplete.
    """
    incomplete = int(state.phase) == Phase.LAY or int(state.phase) == Phase.UNCOVER
    before, total, gaps, bridged, spanned = NONE, 0, 0, 0, False
    bridges = int(state.bridges)
    for space in range(data.NUM_SPACES):
        if bridges >> space & 1:
            spanned = True
            bridged += 1
            if before == NONE or state.kind[space] != 0 or (int(state.phase) == Phase.UNCOVER and state.space == space):
                return False
        if state.kind[space] != 0:
            if before != NONE and space - before > 1 and not spanned:
                gaps |= 1 << (before + 1)
                total += min(int(state.worth[before]), int(state.worth[space]))
            before = space
            spanned = False
        elif int(state.phase) == Phase.UNCOVER and state.space == space:
            before = space  # a tile will lie there
            spanned = False
        if int(state.toll[space + 1]) != (0 if incomplete else total):
            return False
    ends = state.toll[0] == 0 and int(state.toll[data.MAINLAND + 1]) == (0 if incomplete else total)
    return ends and not spanned and int(state.gaps) == (0 if incomplete else gaps) and bridges >> data.NUM_SPACES == 0


@kernel
def phase_sound(rules: Record, state: Record) -> bool:
    """Tell whether turn, first seat and idle turns fit the phase; at the start nothing is anybody's yet (3.3, 16.1)."""
    players, phase = int(rules.players), int(state.phase)
    if (state.seat == NONE) != (phase == Phase.FIRST or phase == Phase.LAY or phase == Phase.OVER):
        return False
    if (state.first == NONE) != (phase == Phase.FIRST) or (phase == Phase.FIRST and rules.random_first == 0):
        return False
    if rules.random_first == 0 and state.first != 0:
        return False
    if phase > Phase.DEAL:
        return int(state.idle) < players or phase == Phase.OVER
    if state.idle != 0 or state.bridges != 0:
        return False
    for seat in range(players):
        turn_index = (seat - int(state.first)) % players
        due = 0
        if phase == Phase.DEAL:
            at = (int(state.seat) - int(state.first)) % players
            due = int(rules.start_hand[turn_index]) if turn_index <= at else 0
            due -= int(state.draws) if turn_index == at else 0
        if not untouched(rules, state, seat, due):
            return False
    for thing in range(data.NUM_OBJECTS):
        if state.discard[thing] != 0 or state.box[thing] != 0:
            return False
    return True


@kernel
def untouched(rules: Record, state: Record, seat: int, due: int) -> bool:
    """Tell whether a seat is as before the game begins, with this many cards."""
    cards = 0
    for thing in range(data.NUM_OBJECTS):
        cards += int(state.hand[seat, thing])
        if state.known[seat, thing] != 0:
            return False
    for index in range(data.NUM_VALUES):
        if state.tiles[seat, index] != 0:
            return False
    for pawn in range(data.NUM_PAWNS):
        if state.pawns[seat, pawn] != (data.ATLANTIS if pawn < int(rules.pawns) else data.MAINLAND):
            return False
    return cards == due and state.bridge[seat] == rules.bridges


@kernel
def scores_sound(rules: Record, state: Record) -> bool:
    """Tell whether, at the end, every seat has its settlement and there is a reason for the end (8.1, 8.2)."""
    if int(state.phase) != Phase.OVER:
        return True
    ended = int(state.idle) == int(rules.players)
    for seat in range(int(rules.players)):
        if int(state.final[seat]) != payment.settlement(rules, state, seat):
            return False
        ended = ended or play.pawns_home(rules, state, seat) == int(rules.pawns)
    return ended


# ----------------------------------------------------------------------------------------------------- turn data (16.2)


@kernel
def turn_sound(rules: Record, state: Record) -> bool:
    """Tell whether the right turn data are set in each phase, with something to decide or to draw at the node."""
    phase = int(state.phase)
    if (state.space != NONE) != (phase == Phase.LAY or phase == Phase.UNCOVER):
        return False
    if (state.draws != 0) != (phase == Phase.DEAL or phase == Phase.DRAW):
        return False
    if (state.then != NONE) != (phase == Phase.DRAW):
        return False
    if (state.due != 0 and phase != Phase.PAY) or (state.last != NONE and phase != Phase.PAY):
        return False
    if (state.pawn != NONE) != (state.x != NOWHERE):
        return False
    if phase <= Phase.DEAL or phase == Phase.OVER:
        return state.sold == 0 and state.bridged == 0 and state.pawn == NONE and opening_sound(rules, state)
    seat = int(state.seat)
    if state.bridged != 0 and state.bridge[seat] != 0:
        return False
    for other in range(int(rules.players)):
        if play.pawns_home(rules, state, other) == int(rules.pawns):
            drawing_last = phase == Phase.DRAW and state.then == Then.END
            last_turn = drawing_last or phase == Phase.UNCOVER or phase == Phase.AFTER
            if other != seat or not last_turn:
                return False
    if phase == Phase.TURN:
        return state.pawn == NONE
    if phase == Phase.DRAW:
        return draw_sound(rules, state)
    if state.pawn == NONE:
        return False
    if phase == Phase.PLAY:
        return play_sound(rules, state)
    if phase == Phase.PAY:
        return payment_sound(rules, state)
    return landed_sound(rules, state)


@kernel
def opening_sound(rules: Record, state: Record) -> bool:
    """Tell whether there is a space to fill, or a card to deal."""
    phase = int(state.phase)
    if phase == Phase.LAY:
        return rules.heights[int(state.space)] != 0
    if phase == Phase.DEAL:
        turn_index = (int(state.seat) - int(state.first)) % int(rules.players)
        return int(state.draws) <= int(rules.start_hand[turn_index])
    return True


@kernel
def may_be_chosen(state: Record) -> bool:
    """Tell whether the chosen pawn is not home, and the lowest of those on its place (5.1)."""
    seat, pawn = int(state.seat), int(state.pawn)
    place = int(state.pawns[seat, pawn])
    for lower in range(pawn):
        if place == int(state.pawns[seat, lower]):
            return False
    return place != data.MAINLAND


@kernel
def play_sound(rules: Record, state: Record) -> bool:
    """Tell whether the place x is the pawn's own or an occupied space ahead, and some card is playable (D2)."""
    x, place = int(state.x), int(state.pawns[int(state.seat), int(state.pawn)])
    occupied = path.occupied_spaces(rules, state)
    if x != place and (x < place or x == data.MAINLAND or occupied >> x & 1 == 0):
        return False
    return may_be_chosen(state) and path.playable_now(rules, state, occupied) != 0


@kernel
def payment_sound(rules: Record, state: Record) -> bool:
    """Tell whether a part of the toll to a free place ahead is open, and the means suffice (9.2)."""
    seat, x, last = int(state.seat), int(state.x), int(state.last)
    place = int(state.pawns[seat, int(state.pawn)])
    if x <= place or not may_be_chosen(state) or path.occupied_spaces(rules, state) >> x & 1:
        return False
    if x != data.MAINLAND and state.kind[x] == 0:
        return False
    toll = path.toll_between(state, place, x)
    paid = toll - int(state.due)
    if state.due == 0:  # the toll is paid, by any items, and more may be given
        return rules.overpay_at_will != 0 and toll > 0 and last != NONE and payment.more_to_give(rules, state)
    if last == NONE:
        if paid != 0:
            return False
    elif paid < (1 if last >= ITEM_CARD else data.NUM_VALUES - last):
        return False
    means = 0
    for thing in range(data.NUM_OBJECTS):
        if ITEM_CARD + thing >= last:
            means += payment.cards_left(rules, state, seat, thing)
    for value in range(1, data.NUM_VALUES + 1):
        if data.NUM_VALUES - value >= last:
            means += value * int(state.tiles[seat, value - 1])
    return means >= int(state.due)


@kernel
def landed_sound(rules: Record, state: Record) -> bool:
    """Tell whether the pawn has arrived, with a tile to turn up behind it or a bridge to place (9.3)."""
    seat = int(state.seat)
    place = int(state.pawns[seat, int(state.pawn)])
    if place != int(state.x) or place == data.ATLANTIS or state.idle != 0:
        return False
    if int(state.phase) == Phase.AFTER:
        return rules.bridge_after_move != 0 and state.bridge[seat] != 0 and state.gaps != 0
    space = int(state.space)
    return space < place and state.kind[space] == 0 and rules.heights[space] == 2


@kernel
def draw_sound(rules: Record, state: Record) -> bool:
    """Tell whether cards are to come for a sale, a pass or a move (10.3, 16.2)."""
    seat, draws, then = int(state.seat), int(state.draws), int(state.then)
    cards = 0
    for thing in range(data.NUM_OBJECTS):
        cards += int(state.pile[thing])
    if cards == 0 or draws > play.cards_to_draw(state):
        return False
    home = play.pawns_home(rules, state, seat)
    if then == Then.TURN:
        return state.pawn == NONE and state.sold > 0 and state.bridged == 0 and draws <= data.NUM_VALUES // 2
    if state.pawn == NONE:
        bonus = home if rules.pass_bonus != 0 else 0
        return then == Then.NEXT and draws <= data.PASS_CARDS + bonus and state.idle == 0
    if state.pawns[seat, int(state.pawn)] != state.x or state.x == data.ATLANTIS or state.idle != 0:
        return False
    return draws <= data.MOVE_CARDS + home and (then == Then.END) == (home == int(rules.pawns))
