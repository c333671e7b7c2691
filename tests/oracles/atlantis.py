"""Atlantis again, slowly, from the rules file alone: the yardstick that the fast game is held against.

A position is plain dicts and lists, every quantity is recomputed when it is needed, chains are searched by recursion
and payments by sets of sums. Clause numbers in brackets refer to docs/rules/atlantis.md. Input is trusted; only moves
are checked.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

OBJECTS = ["ring", "amphora", "olive", "helmet", "flag", "statue", "crown"]
VALUES = range(1, 8)
SPACES = range(53)
ATLANTIS, MAINLAND = -1, 53
PAWNS = range(3)
TILE_NAMES = [f"{thing} {value}" for thing in OBJECTS for value in VALUES]
ITEMS = [f"tile {value}" for value in reversed(VALUES)] + [f"card {thing}" for thing in OBJECTS]  # 9.2

# The one value of 1..7 that an object lacks on a side (2.3, 2.4).
LACKING = {
    "reconstructed": {"A": [7, 6, 6, 7, 6, 7, 7], "B": [6, 7, 7, 6, 7, 6, 6]},
    "uniform": {"A": [1, 2, 3, 4, 5, 6, 7], "B": [4, 5, 6, 7, 1, 2, 3]},
}
DEFAULTS: dict[str, Any] = {
    "first_player": "seat0",
    "start_hand": [4, 5, 6, 7],
    "tile_set": "reconstructed",
    "sells_per_turn": 1,
    "sell_ones": True,
    "bought_cards_pay": False,
    "overpay": "exact_first",
    "paid_cards": "box",
    "bridge_after_move": True,
    "reshuffle": "at once",
    "pass_bonus": False,
    "settlement": "items",
    "settlement_pawns": "path",
}
PRESETS: dict[str, dict[str, Any]] = {
    "amigo": {},
    "brettspielwelt": {"settlement": "subtract", "settlement_pawns": "all", "overpay": "any"},
}
DECISIONS = ("turn", "play", "pay", "after")
ACTIONS = [
    "pass",
    "done",
    *(f"sell {value}" for value in range(2, 8)),
    *(f"pawn {k}" for k in PAWNS),
    *(f"play {thing}" for thing in OBJECTS),
    *(f"pay tile {value}" for value in VALUES),
    *(f"pay card {thing}" for thing in OBJECTS),
    *(f"bridge {space}" for space in range(1, 52)),
    "sell 1",
]
OUTCOMES = [
    *(f"seat {s}" for s in range(4)),
    *(f"top {tile}" for tile in TILE_NAMES),
    *(f"card {thing}" for thing in OBJECTS),
]


def side(space: int) -> str:
    """A for 0-25, B for 27-52 (10.1)."""
    return "A" if space < 26 else "B"


def height(space: int) -> int:
    """Tiles laid on a space at the start (2.2)."""
    if space == 26:
        return 0
    return 1 if 10 <= space <= 19 or 33 <= space <= 42 else 2


def tile_set(option: Any) -> dict[str, Counter[str]]:
    """The tiles of both sides (2.3 - 2.5)."""
    if not isinstance(option, str):
        return {which: Counter(option[which]) for which in "AB"}
    lacking = LACKING[option]
    return {
        which: Counter(
            f"{thing} {value}"
            for thing, missing in zip(OBJECTS, lacking[which], strict=True)
            for value in VALUES
            if value != missing
        )
        for which in "AB"
    }


def listed(heap: Counter[str], order: Iterable[str]) -> dict[str, int]:
    """A multiset as JSON: names in order, none with count 0 (16.1)."""
    return {name: heap[name] for name in order if heap[name]}


def sums(parts: list[int]) -> set[int]:
    """Every total that some part of the list has."""
    totals = {0}
    for part in parts:
        totals |= {total + part for total in totals}
    return totals


def item_value(item: str) -> int:
    """A tile is worth its value, a card 1 (6.5)."""
    kind, name = item.split()
    return int(name) if kind == "tile" else 1


class Seat:
    """What belongs to one seat (16.1)."""

    def __init__(self) -> None:
        """Give a seat its pawns on Atlantis and its bridge, and nothing else (3.3)."""
        self.pawns = [ATLANTIS] * 3
        self.hand: Counter[str] = Counter()
        self.tiles: Counter[int] = Counter()
        self.bridge = True
        self.known: Counter[str] = Counter()

    def home(self) -> int:
        """How many pawns are on the mainland."""
        return self.pawns.count(MAINLAND)

    def worth(self) -> int:
        """V: the sum of the collected tiles."""
        return sum(value * number for value, number in self.tiles.items())

    def lose(self, thing: str) -> None:
        """A card leaves the hand; if it was known, one less is (11.3)."""
        self.hand[thing] -= 1
        if self.known[thing] >= 1:
            self.known[thing] -= 1

    def to_json(self) -> dict[str, Any]:
        return {
            "pawns": list(self.pawns),
            "hand": listed(self.hand, OBJECTS),
            "tiles": {str(value): self.tiles[value] for value in VALUES if self.tiles[value]},
            "bridge": self.bridge,
            "known": listed(self.known, OBJECTS),
        }


class OraclePosition:
    """A position of section 16 that knows what may happen next and what it leads to."""

    def __init__(self, players: int, options: dict[str, Any]) -> None:
        """The empty table of section 3, before its first node."""
        options = dict(options)
        preset = PRESETS[options.pop("preset", "amigo")]
        self.options: dict[str, Any] = {**DEFAULTS, **preset, **copy.deepcopy(options)}
        handicap = self.options.pop("handicap", [])[:players]
        self.options |= {"handicap": handicap} if any(handicap) else {}
        self.players = players
        self.phase = "lay"
        self.first: int | None = 0
        self.seat_to_act: int | None = None
        self.top: list[str | None] = [None] * 53
        self.covered = [False] * 53
        self.bag = tile_set(self.options["tile_set"])
        self.bridges: set[int] = set()
        self.pile = Counter(dict.fromkeys(OBJECTS, 15))
        self.discard: Counter[str] = Counter()
        self.box: Counter[str] = Counter()
        self.seats = [Seat() for _ in range(players)]
        self.idle = 0
        self.final: list[int] | None = None
        self._new_turn()
        self.space: int | None = 0
        if self.options["first_player"] == "random":
            self.phase, self.first, self.space = "first", None, None

    def _new_turn(self) -> None:
        """The defaults of 16.2."""
        self.sold = 0
        self.bridged = False
        self.bought: Counter[str] = Counter()
        self.pawn: int | None = None
        self.x: int | None = None
        self.due = 0
        self.last: str | None = None
        self.space = None
        self.draws = 0
        self.then: str | None = None

    # ---- the public face

    @classmethod
    def initial(cls, players: int, options: dict[str, Any]) -> OraclePosition:
        """The root position."""
        return cls(players, options)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OraclePosition:
        """The position that section 16 describes; the input is trusted."""
        self = cls(data["players"], data["options"])
        data = copy.deepcopy(data)
        self.phase, self.first, self.seat_to_act = data["phase"], data["first"], data["seat"]
        for space, text in enumerate(data["path"]):
            known = text not in (None, "?")
            self.top[space] = text.rstrip("+") if known else None
            self.covered[space] = known and text.endswith("+")
        self.bag = {which: Counter(data["bag"][which]) for which in "AB"}
        self.bridges = set(data["bridges"])
        self.pile, self.discard, self.box = (Counter(data[heap]) for heap in ("pile", "discard", "box"))
        for seat, given in zip(self.seats, data["seats"], strict=True):
            seat.pawns, seat.bridge = given["pawns"], given["bridge"]
            seat.hand, seat.known = Counter(given["hand"]), Counter(given["known"])
            seat.tiles = Counter({int(value): number for value, number in given["tiles"].items()})
        turn = data["turn"]
        self.sold, self.bridged, self.bought = turn["sold"], turn["bridged"], Counter(turn["bought"])
        self.pawn, self.x, self.due, self.last = turn["pawn"], turn["x"], turn["due"], turn["last"]
        self.space, self.draws, self.then = turn["space"], turn["draws"], turn["then"]
        self.idle, self.final = data["idle"], data["scores"]
        return self

    def to_json(self) -> dict[str, Any]:
        """The position as section 16 writes it."""
        return {
            "game": "atlantis",
            "options": copy.deepcopy(self.options),
            "players": self.players,
            "phase": self.phase,
            "first": self.first,
            "seat": self.seat_to_act,
            "path": [self._place_text(space) for space in SPACES],
            "bag": {which: listed(self.bag[which], TILE_NAMES) for which in "AB"},
            "bridges": sorted(self.bridges),
            "pile": listed(self.pile, OBJECTS),
            "discard": listed(self.discard, OBJECTS),
            "box": listed(self.box, OBJECTS),
            "seats": [seat.to_json() for seat in self.seats],
            "turn": {
                "sold": self.sold,
                "bridged": self.bridged,
                "bought": listed(self.bought, OBJECTS),
                "pawn": self.pawn,
                "x": self.x,
                "due": self.due,
                "last": self.last,
                "space": self.space,
                "draws": self.draws,
                "then": self.then,
            },
            "idle": self.idle,
            "scores": None if self.final is None else list(self.final),
        }

    def _place_text(self, space: int) -> str | None:
        """One entry of `path` (16.1)."""
        top = self.top[space]
        if top is None:
            return "?" if self.phase == "uncover" and space == self.space else None
        return top + "+" * self.covered[space]

    @property
    def node(self) -> str:
        """Who comes next: a seat ("decision"), cards or tiles ("chance"), or nobody ("over")."""
        if self.phase == "over":
            return "over"
        return "decision" if self.phase in DECISIONS else "chance"

    @property
    def seat(self) -> int | None:
        """The seat that decides (9.1)."""
        return self.seat_to_act if self.phase in DECISIONS else None

    def legal_actions(self) -> list[str]:
        """Every legal action, in id order (9.1, 9.5)."""
        offers: dict[str, Callable[[], set[str]]] = {
            "turn": self._turn_actions,
            "play": lambda: {f"play {thing}" for thing in OBJECTS if self._playable_now(thing)},
            "pay": self._payments,
            "after": lambda: {"done"} | self._bridge_actions(),
        }
        legal = offers[self.phase]() if self.phase in offers else set()
        return [action for action in ACTIONS if action in legal]

    def chance_outcomes(self) -> dict[str, int]:
        """Every outcome with its weight (section 10)."""
        weights: dict[str, int] = {}
        if self.phase == "first":
            weights = {f"seat {s}": 1 for s in range(self.players)}
        elif self.phase in ("lay", "uncover"):
            assert self.space is not None
            weights = {f"top {tile}": number for tile, number in self.bag[side(self.space)].items()}
        elif self.phase in ("deal", "draw"):
            weights = {f"card {thing}": number for thing, number in self.pile.items()}
        return {name: weights[name] for name in OUTCOMES if weights.get(name)}

    def apply(self, text: str) -> None:
        """Take an offered action or outcome and go on to the next node."""
        if text not in self.legal_actions() and text not in self.chance_outcomes():
            raise ValueError(f"{text!r} is not offered in phase {self.phase}")
        word, _, rest = text.partition(" ")
        steps: dict[str, Callable[[str], None]] = {
            "seat": self._seat_drawn,
            "top": self._top_drawn,
            "card": self._card_drawn,
            "sell": self._sell,
            "bridge": self._bridge,
            "pawn": self._choose,
            "pass": self._pass,
            "play": self._play,
            "pay": self._pay,
            "done": self._done,
        }
        steps[word](rest)

    def clone(self) -> OraclePosition:
        """An independent copy."""
        return copy.deepcopy(self)

    def scores(self) -> list[int]:
        """Final scores (8.4); before the end T, tiles and cards."""
        if self.final is not None:
            return list(self.final)
        return [seat.worth() + seat.hand.total() + int(self._start(s)) for s, seat in enumerate(self.seats)]

    def _start(self, s: int) -> float:
        """The points a seat began with; none before the first seat is drawn (13.4)."""
        given = self.options.get("handicap")
        return 0 if given is None or self.first is None else given[(s - self.first) % self.players]

    def returns(self) -> list[float]:
        """What the end pays each seat (12.2)."""
        if self.final is None:
            raise ValueError("the game is not over")
        n = self.players
        ranks = [score + self._start(s) % 1 for s, score in enumerate(self.final)]
        best = max(ranks)
        shares = [1 / ranks.count(best) if rank == best else 0.0 for rank in ranks]
        return [(n * share - 1) / (n - 1) for share in shares]

    def unseen(self, p: int) -> Counter[str]:
        """U of 11.4: the cards that seat p cannot place."""
        cards: Counter[str] = Counter(dict.fromkeys(OBJECTS, 15))
        cards -= self.seats[p].hand
        cards -= self.discard
        cards -= self.box
        for q, seat in enumerate(self.seats):
            if q != p:
                cards -= seat.known
        return cards

    # ---- the path (section 6)

    def tile_spaces(self) -> list[int]:
        """Spaces with a tile, ascending."""
        return [space for space in SPACES if self.top[space] is not None]

    def gaps(self) -> list[tuple[int, int, int]]:
        """First space, last space and price of every gap (6.1, 6.2)."""
        with_tile = self.tile_spaces()
        found = []
        for before, behind in pairwise(with_tile):
            if behind - before > 1:
                first, last = before + 1, behind - 1
                spanned = any(first <= bridge <= last for bridge in self.bridges)
                price = 0 if spanned else min(self.value(before), self.value(behind))
                found.append((first, last, price))
        return found

    def value(self, space: int) -> int:
        """The value of a visible tile."""
        top = self.top[space]
        assert top is not None
        return int(top.split()[1])

    def unbridged(self) -> list[int]:
        """First spaces of the gaps that have no bridge (6.9)."""
        return [first for first, last, _ in self.gaps() if not any(first <= bridge <= last for bridge in self.bridges)]

    def toll(self, a: int, y: int) -> int:
        """The price of all gaps between two places (6.3)."""
        return sum(price for first, last, price in self.gaps() if first > a and last < y)

    def next(self, x: int, thing: str) -> int:
        """Where a card leads from x (5.2)."""
        for space in SPACES:
            top = self.top[space]
            if space > x and top is not None and top.split()[0] == thing:
                return space
        return MAINLAND

    def occupied(self, space: int) -> bool:
        """Whether a pawn other than the chosen one stands there (5.3)."""
        if space in (ATLANTIS, MAINLAND):
            return False
        return any(
            place == space and (s, k) != (self.seat_to_act, self.pawn)
            for s, seat in enumerate(self.seats)
            for k, place in enumerate(seat.pawns)
        )

    # ---- legal actions (section 9)

    def me(self) -> Seat:
        """The seat whose turn it is."""
        assert self.seat_to_act is not None
        return self.seats[self.seat_to_act]

    def _turn_actions(self) -> set[str]:
        """The actions of a turn: sales, bridges, pawns or else a pass (D1)."""
        me = self.me()
        legal = self._bridge_actions()
        limit = self.options["sells_per_turn"]
        if not self.bridged and (limit == "any" or self.sold < limit):
            least = 1 if self.options["sell_ones"] else 2
            legal |= {f"sell {value}" for value in range(least, 8) if me.tiles[value]}
        pawns = {f"pawn {k}" for k in PAWNS if self._choosable(k)}
        return legal | (pawns or {"pass"})

    def _bridge_actions(self) -> set[str]:
        """Bridges that may be placed (6.9)."""
        return {f"bridge {first}" for first in self.unbridged()} if self.me().bridge else set()

    def _choosable(self, k: int) -> bool:
        """Whether a pawn may be chosen (5.1)."""
        me = self.me()
        place = me.pawns[k]
        if place == MAINLAND or place in me.pawns[:k]:
            return False
        self.pawn = k  # "the chosen pawn itself does not count" (5.3)
        found = any(self._playable(place, place, thing, me.hand, self.bought, {}) for thing in OBJECTS)
        self.pawn = None
        return found

    def _playable_now(self, thing: str) -> bool:
        """Whether a card may be played at the present node (5.5)."""
        assert self.pawn is not None and self.x is not None
        me = self.me()
        return self._playable(me.pawns[self.pawn], self.x, thing, me.hand, self.bought, {})

    def _playable(
        self, a: int, x: int, thing: str, hand: Counter[str], bought: Counter[str], seen: dict[Any, bool]
    ) -> bool:
        """H[o] >= 1 and ok(next(x, o), use(H, B, o)) (5.5)."""
        if hand[thing] < 1:
            return False
        hand, bought = hand.copy(), bought.copy()
        hand[thing] -= 1
        if bought[thing] >= 1:
            bought[thing] -= 1
        y = self.next(x, thing)
        key = (y, tuple(hand[o] for o in OBJECTS), tuple(bought[o] for o in OBJECTS))
        if key not in seen:
            seen[key] = self._ok(a, y, hand, bought, seen)
        return seen[key]

    def _ok(self, a: int, y: int, hand: Counter[str], bought: Counter[str], seen: dict[Any, bool]) -> bool:
        """Whether a chain that has come to y can be finished and paid (5.5)."""
        if self.occupied(y):
            return any(self._playable(a, y, thing, hand, bought, seen) for thing in OBJECTS)
        funds = self.me().worth() + hand.total()
        if not self.options["bought_cards_pay"]:
            funds -= bought.total()
        return self.toll(a, y) <= funds

    def _available(self, item: str) -> int:
        """How many of an item may still be given (6.6)."""
        me = self.me()
        kind, name = item.split()
        if kind == "tile":
            return me.tiles[int(name)]
        if self.options["bought_cards_pay"]:
            return me.hand[name]
        return me.hand[name] - self.bought[name]

    def _means_from(self, item: str) -> list[int]:
        """The value of every single item at `item` or later in the order of 9.2."""
        later = ITEMS[ITEMS.index(item) :]
        return [item_value(other) for other in later for _ in range(self._available(other))]

    def _payments(self) -> set[str]:
        """D3: items, and an end once nothing is due (9.2)."""
        return {f"pay {item}" for item in ITEMS if self._may_pay(item)} | ({"done"} if self.due == 0 else set())

    def _may_pay(self, item: str) -> bool:
        """Whether an item may be given next (9.2)."""
        if self._available(item) < 1:
            return False
        if self.last is not None and ITEMS.index(item) < ITEMS.index(self.last):
            return False
        value = item_value(item)
        others = self._means_from(item)
        others.remove(value)
        if self.options["overpay"] == "exact_first" and self.due in sums(self._means_from(self.last or ITEMS[0])):
            return value == self.due or (value < self.due and self.due - value in sums(others))
        return value + sum(others) >= self.due

    # ---- the turn (sections 4 to 7)

    def _seat_drawn(self, text: str) -> None:
        """Make the seat that was drawn the first one (C1)."""
        self.first, self.phase, self.space = int(text), "lay", 0

    def _top_drawn(self, tile: str) -> None:
        """Lay a tile, or turn it up (C2, C5; 10.1)."""
        space = self.space
        assert space is not None
        self.bag[side(space)][tile] -= 1
        self.top[space] = tile
        if self.phase == "uncover":
            self.space = None
            self._second_window()
            return
        self.covered[space] = height(space) == 2
        self.space = space + 1 if space + 1 != 26 else 27
        if self.space > SPACES[-1]:
            self.space = None
            self._deal(0)

    def _deal(self, nth: int) -> None:
        """The nth seat in turn order gets its hand (3.4)."""
        assert self.first is not None
        if nth == self.players:
            self._begin_turn(self.first)
            return
        self.seat_to_act, self.draws = (self.first + nth) % self.players, self.options["start_hand"][nth]
        self.phase = "deal"
        if self.draws == 0:
            self._deal(nth + 1)

    def _begin_turn(self, s: int) -> None:
        """Begin a new turn at D1."""
        self._new_turn()
        self.phase, self.seat_to_act = "turn", s

    def _card_drawn(self, thing: str) -> None:
        """Deal or draw a card (C3, C4)."""
        me = self.me()
        self.pile[thing] -= 1
        me.hand[thing] += 1
        self.draws -= 1
        self._replenish()
        if self.phase == "deal":
            if self.draws == 0:
                assert self.seat_to_act is not None and self.first is not None
                self._deal((self.seat_to_act - self.first) % self.players + 1)
            return
        if self.then == "turn":
            self.bought[thing] += 1  # 4.4
        self._go_on_drawing()

    def _draw(self, due: int, then: str) -> None:
        """So many cards are due (10.3)."""
        self.draws, self.then = min(due, self.pile.total() + self.discard.total()), then
        self._go_on_drawing()

    def _go_on_drawing(self) -> None:
        """The next card, or what follows the last one (7.7, 10.3)."""
        if self.draws == 0:
            then, self.then = self.then, None
            assert self.seat_to_act is not None
            if then == "turn":
                self.phase = "turn"
            elif then == "next":
                self._begin_turn((self.seat_to_act + 1) % self.players)
            else:
                self._finish()
            return
        self.phase = "draw"
        if self.pile.total() == 0:
            self._discard_becomes_pile()

    def _replenish(self) -> None:
        """7.7: "as soon as the pile is used up", if there is anything to rebuild it from."""
        if self.options["reshuffle"] == "at once" and self.pile.total() == 0 and self.discard.total() > 0:
            self._discard_becomes_pile()

    def _discard_becomes_pile(self) -> None:
        """7.7; two seats can count what the other has (11.3)."""
        self.pile, self.discard = self.discard, Counter()
        if self.players == 2:
            for seat in self.seats:
                seat.known = seat.hand.copy()

    def _sell(self, text: str) -> None:
        """Give up a tile for cards (4.3)."""
        value = int(text)
        self.me().tiles[value] -= 1
        self.sold += 1
        self._draw(value // 2, "turn")

    def _bridge(self, text: str) -> None:
        """Place a bridge (6.9)."""
        self.me().bridge = False
        self.bridged = True
        self.bridges.add(int(text))
        if self.phase == "after":
            self._end_of_move()

    def _choose(self, text: str) -> None:
        """Choose the pawn that moves (D1, `pawn k`)."""
        self.pawn = int(text)
        self.x = self.me().pawns[self.pawn]
        self.phase = "play"

    def _pass(self, _: str) -> None:
        """Show the hand and draw; enough idle turns end the game (4.5, 8.2, 11.3)."""
        me = self.me()
        me.known = me.hand.copy()
        idle = self.sold == 0 and not self.bridged and self.pile.total() + self.discard.total() == 0
        self.idle = self.idle + 1 if idle else 0
        if self.idle == self.players:
            self._finish()
            return
        self._draw(2 + (me.home() if self.options["pass_bonus"] else 0), "next")

    def _play(self, thing: str) -> None:
        """Play a card and carry the pawn on (5.4)."""
        me = self.me()
        assert self.pawn is not None and self.x is not None
        me.lose(thing)
        self.discard[thing] += 1
        self._replenish()
        if self.bought[thing] >= 1:
            self.bought[thing] -= 1
        self.x = self.next(self.x, thing)
        if self.occupied(self.x):
            return
        self.due = self.toll(me.pawns[self.pawn], self.x)
        if self.due > 0:
            self.phase = "pay"
        else:
            self._land()

    def _pay(self, item: str) -> None:
        """Give one item of the payment (6.4 to 6.8, 9.2)."""
        me = self.me()
        kind, name = item.split()
        if kind == "tile":
            me.tiles[int(name)] -= 1
        else:
            me.lose(name)
            (self.box if self.options["paid_cards"] == "box" else self.discard)[name] += 1
            self.bought[name] = min(self.bought[name], me.hand[name])
            self._replenish()
        self.due = max(0, self.due - item_value(item))
        self.last = item
        at_will = self.options["overpay"] == "any"
        if self.due == 0 and not (at_will and self._payments() != {"done"}):
            self._land()

    def _done(self, _: str) -> None:
        """The end of a payment, or of the second window (9.1)."""
        if self.phase == "pay":
            self._land()
        else:
            self._end_of_move()

    def _land(self) -> None:
        """Move the pawn and take a tile (7.1 to 7.4, 9.3)."""
        me = self.me()
        assert self.pawn is not None and self.x is not None
        self.due, self.last, self.idle = 0, None, 0
        me.pawns[self.pawn] = self.x
        standing = {place for seat in self.seats for place in seat.pawns}
        free = [space for space in self.tile_spaces() if space < self.x and space not in standing]
        if free:
            space = max(free)
            me.tiles[self.value(space)] += 1
            self.top[space] = None
            if self.covered[space]:
                self.covered[space] = False
                self.space, self.phase = space, "uncover"
                return
        self._second_window()

    def _second_window(self) -> None:
        """Drop bridges that are out, then offer to place one (6.10, 9.3)."""
        with_tile = self.tile_spaces()
        self.bridges = {b for b in self.bridges if with_tile and with_tile[0] < b < with_tile[-1]}
        if self.options["bridge_after_move"] and self.me().bridge and self.unbridged():
            self.phase = "after"
        else:
            self._end_of_move()

    def _end_of_move(self) -> None:
        """Draw the cards for the move (7.5, 7.6)."""
        home = self.me().home()
        self._draw(1 + home, "end" if home == len(PAWNS) else "next")

    # ---- the end (section 8)

    def _finish(self) -> None:
        """8.3 to 8.6, 12.1."""
        self._new_turn()
        self.phase, self.seat_to_act = "over", None
        self.final = [self._settle(seat) + int(self._start(s)) for s, seat in enumerate(self.seats)]

    def _settle(self, seat: Seat) -> int:
        """The final score of a seat (8.3, 8.4, 8.5)."""
        travellers = [place for place in seat.pawns if place != MAINLAND]
        if self.options["settlement_pawns"] == "path":
            travellers = [place for place in travellers if place != ATLANTIS]
        cost = sum(self.toll(place, MAINLAND) for place in travellers)
        total = seat.worth() + seat.hand.total()
        if total < cost or self.options["settlement"] == "subtract":
            return total - cost
        owned = [value for value in VALUES for _ in range(seat.tiles[value])] + [1] * seat.hand.total()
        return total - min(given for given in sums(owned) if given >= cost)
