"""Atlandice again, slowly, from the rules file alone: the yardstick that the fast game is held against.

Nothing here is clever. A position is plain dicts and lists, everything that can be recomputed is recomputed,
and the legal actions are found by trying each of the 72 conceivable ones against the clause that allows it.
Clause numbers in brackets refer to docs/rules/atlandice.md. Input is trusted; only moves are checked.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

TYPES = ["gem", "book", "provision", "tool", "weapon"]
DISTRICTS = ["jeweler", "library", "inn", "machinery", "forge"]
MARKET = "market"
SECTORS = [*DISTRICTS, MARKET]
LINKED = dict(zip(DISTRICTS, TYPES, strict=True))
HOME = {kind: district for district, kind in LINKED.items()}
STACKS = {district: [f"{district[0].upper()}{k}" for k in (1, 2, 3)] for district in DISTRICTS}
TILES = [tile for stack in STACKS.values() for tile in stack]
FACES = [str(face) for face in range(1, 7)]
NEUTRAL = 2  # its place among the participants of two seats (1.8)

CLOCKS = {
    "A20": "start none none donation gem none book none total none"
    " provision donation none tool none weapon donation none total end",
    "B24": "start none none donation none gem none book none total none provision donation"
    " none tool none weapon none donation none total none none end",
    "C16": "start none none donation gem book none total provision none donation tool weapon none total end",
}
NEEDLES = {tile: int(tile[1]) for tile in TILES} | {MARKET: 2}
DEFAULTS: dict[str, Any] = {
    "players": None,
    "clock": "A20",
    "needles": NEEDLES,
    "optional_effects": False,
    "min_to_rank": 1,
    "orphan_dice": "market",
    "same_type_exchange": True,
    "machinery_block": "visit",
    "l3_counts": "seat",
    "neutral_ranked": ["district", "inventory", "final"],
    "chain_cap": 10,
    "bare_districts": "scored",
}

SUCCESS = {"J1": "135", "J3": "6", "L1": "56", "I1": "1234", "F1": "246", "F3": "6"}
FIRST_NODE = {
    **dict.fromkeys(SUCCESS, "roll"),
    **dict.fromkeys(["L2", "I2", "F2"], "move_type"),
    **dict.fromkeys(["M1", "M2", "M3"], "submarine"),
    **{"J2": "swap_out", "L3": "extra", "I3": "die_from"},
}
CHANCE_NODES = ["reveal", "first_player", "die", "roll", "reroll"]
DONATIONS = ["donate", "donate_more"]


def _all_actions() -> list[tuple[str, str, str]]:
    """The 72 actions as (text, verb, value), in the order of their ids (10.3)."""
    plain = [
        ("take", TYPES),
        ("raid", [x for x in DISTRICTS if x != "library"]),
        ("swap out", TYPES),
        ("swap with", [x for x in DISTRICTS if x != "jeweler"]),
        ("swap in", TYPES),
        ("move", TYPES),
        ("move to", DISTRICTS),
        ("die from", SECTORS),
        ("die to", SECTORS),
        ("submarine to", SECTORS),
        ("pay", TYPES),
    ]
    actions = [(f"visit {s}", "visit", s) for s in SECTORS]
    actions += [(f"visit {s} for neutral", "give", s) for s in SECTORS]
    actions += [(f"{verb} {value}", verb, value) for verb, values in plain for value in values]
    return actions + [(v, v, "") for v in ("stop paying", "use effect", "decline effect", "decline bonus")]


ACTIONS = _all_actions()


def nothing() -> dict[str, int]:
    """An empty heap of pieces."""
    return dict.fromkeys(TYPES, 0)


def heap(shown: dict[str, int]) -> dict[str, int]:
    """A heap read from JSON, where an absent type counts 0 (17.1)."""
    return {kind: shown.get(kind, 0) for kind in TYPES}


def show(pieces: dict[str, int]) -> dict[str, int]:
    """A heap as JSON: no zeros, types in order (17.1)."""
    return {kind: pieces[kind] for kind in TYPES if pieces[kind]}


def complete(options: dict[str, Any]) -> dict[str, Any]:
    """All options of section 14 in the order of its table, defaults filled in."""
    full = {name: copy.deepcopy(options.get(name, default)) for name, default in DEFAULTS.items()}
    full["needles"] = {**NEEDLES, **full["needles"]}
    handicap = options.get("handicap", [])[: full["players"]]
    return full | ({"handicap": handicap} if any(handicap) else {})


class OraclePosition:
    """A position of section 17 that knows what may happen next and what it leads to."""

    def __init__(self, options: dict[str, Any]) -> None:
        """The table of 3.1, before any tile is revealed (3.4)."""
        self.options = complete(options)
        self.players: int = self.options["players"]
        self.sides = 3 if self.players == 2 else self.players
        self.total_dice = 9 if self.players == 4 else 7
        clock = self.options["clock"]
        self.spaces: list[str] = CLOCKS[clock].split() if isinstance(clock, str) else clock
        self.round = 0
        self.first: int | None = None
        self.visit = 0
        self.step = "reveal"
        self.donor: int | None = None
        self.here = ""
        self.beneficiary = 0
        self.chain = 0
        self.choice: dict[str, str] = {}
        self.hand = 0
        self.submarine = "machinery"
        self.tile: dict[str, str | None] = dict.fromkeys(DISTRICTS)
        self.hidden = {x: list(STACKS[x]) for x in DISTRICTS}
        stocked = 9 if self.players == 4 else 7
        self.lying = {x: nothing() | {LINKED[x]: stocked} for x in DISTRICTS}
        self.lying[MARKET] = dict.fromkeys(TYPES, 3)
        self.dice = dict.fromkeys(SECTORS, 0)
        self.bare: list[str] = []
        self.stock = [nothing() for _ in range(self.sides)]
        self.points = [0] * self.sides
        self.won: list[list[str]] = [[] for _ in range(self.sides)]
        self.given = [False] * self.players if self.players == 2 else []
        self.blocked: list[int] = []

    # ---- the public face

    @classmethod
    def initial(cls, options: dict[str, Any]) -> OraclePosition:
        """The root position (3.4)."""
        return cls(options)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> OraclePosition:
        """The position that section 17 describes; the input is trusted."""
        self = cls(data["options"])
        data = copy.deepcopy(data)
        self.round, self.first, self.visit = data["round"], data["first"], data["visit"]
        self.step, self.hand = data["node"], data["hand"]
        self.donor = data["actor"] if data["node"] in DONATIONS else None
        self.submarine, self.bare = data["submarine"], data["bare"]
        self.given, self.blocked = data["given"], data["blocked"]
        for name, sector in data["sectors"].items():
            self.lying[name], self.dice[name] = heap(sector["resources"]), sector["dice"]
            if name != MARKET:
                self.tile[name], self.hidden[name] = sector["tile"], sector["hidden"]
        self.stock = [heap(side["stock"]) for side in data["participants"]]
        self.points = [side["points"] for side in data["participants"]]
        self.won = [side["tiles"] for side in data["participants"]]
        if data["context"] is not None:
            context = data["context"]
            self.here, self.chain, self.choice = context["sector"], context["chain"], context["choice"]
            self.beneficiary = NEUTRAL if context["for"] == "neutral" else context["for"]
        return self

    def to_json(self) -> dict[str, Any]:
        """The position as section 17 writes it."""
        data = {
            "game": "atlandice",
            "options": self.options,
            "round": self.round,
            "first": self.first,
            "visit": self.visit,
            "node": self.step,
            "actor": self.seat,
            "context": self._context(),
            "hand": self.hand,
            "submarine": self.submarine,
            "sectors": {name: self._sector(name) for name in SECTORS},
            "bare": [x for x in DISTRICTS if x in self.bare],
            "participants": [self._side(p) for p in range(self.sides)],
            "given": self.given,
            "blocked": sorted(self.blocked),
        }
        return copy.deepcopy(data)

    def _context(self) -> dict[str, Any] | None:
        """What is going on inside steps (b) and (c); null elsewhere (17.1)."""
        if not self.here:
            return None
        keys = [key for key in ("type", "district", "sector") if key in self.choice]
        return {
            "sector": self.here,
            "for": "neutral" if self.beneficiary == self.players else self.beneficiary,
            "chain": self.chain,
            "choice": {key: self.choice[key] for key in keys},
        }

    def _sector(self, name: str) -> dict[str, Any]:
        """One Sector as JSON; the market has no tile (17.1)."""
        common = {"resources": show(self.lying[name]), "dice": self.dice[name]}
        if name == MARKET:
            return common
        return {"tile": self.tile[name], "hidden": sorted(self.hidden[name]), **common}

    def _side(self, p: int) -> dict[str, Any]:
        """One participant as JSON, tiles in the order of 2.3 (17.1)."""
        tiles = [tile for tile in TILES if tile in self.won[p]]
        return {"stock": show(self.stock[p]), "points": self.points[p], "tiles": tiles}

    @property
    def node(self) -> str:
        """Who comes next: a seat ("decision"), the dice or stacks ("chance"), or nobody ("over")."""
        if self.step == "over":
            return "over"
        return "chance" if self.step in CHANCE_NODES else "decision"

    @property
    def seat(self) -> int | None:
        """The seat that decides, None where none does (10.1)."""
        return self._acting() if self.node == "decision" else None

    def legal_actions(self) -> list[str]:
        """Every action that its clause allows now, in id order (10.1, 10.3)."""
        return list(self._offered())

    def chance_outcomes(self) -> dict[str, int]:
        """Every outcome of a chance node with its weight (section 11)."""
        return dict.fromkeys(self._drawn(), 1)

    def apply(self, text: str) -> None:
        """Take an offered action or outcome and go on to the next node (10.4)."""
        menu = self._offered() | self._drawn()
        if text not in menu:
            raise ValueError(f"{text!r} is not offered at node {self.step}")
        verb, value = menu[text]
        CONSEQUENCES[self.step](self, verb, value)

    def clone(self) -> OraclePosition:
        """An independent copy."""
        return copy.deepcopy(self)

    def totals(self) -> list[int]:
        """Points and tiles of each participant (13.2)."""
        return [points + 3 * len(tiles) for points, tiles in zip(self.points, self.won, strict=True)]

    def scores(self) -> list[int]:
        """The totals of the seats, neutral left out (13.3)."""
        return self.totals()[: self.players]

    def ranks(self) -> list[float]:
        """The totals of the seats with the half points that break ties (14.7)."""
        n, handicap = self.players, self.options.get("handicap", [0] * self.players)
        assert self.first is not None
        opener = (self.first - self.round + 1) % n  # the first player of round 1 (8.6)
        return [score + handicap[(s - opener) % n] % 1 for s, score in enumerate(self.scores())]

    def returns(self) -> list[float]:
        """What the end pays each seat (13.4)."""
        if self.step != "over":
            raise ValueError("the game is not over")
        ranks, n = self.ranks(), self.players
        winners = [s for s in range(n) if ranks[s] == max(ranks)]
        shares = [1 / len(winners) if s in winners else 0.0 for s in range(n)]
        return [(n * share - 1) / (n - 1) for share in shares]

    def _offered(self) -> dict[str, tuple[str, str]]:
        """Text -> (verb, value) of the actions whose test at this node holds (10.1)."""
        tests = OFFERS.get(self.step, {})
        return {text: (verb, value) for text, verb, value in ACTIONS if verb in tests and tests[verb](self, value)}

    def _drawn(self) -> dict[str, tuple[str, str]]:
        """Text -> (verb, value) of the outcomes at this node (section 11)."""
        word, values = "", list[str]()
        if self.step == "reveal":
            word, values = "reveal", sorted(self.hidden[self._revealing()])
        elif self.step == "first_player":
            word, values = "first player", [str(s) for s in range(self.players)]
        elif self.step in CHANCE_NODES:
            word, values = ("die" if self.step == "die" else "roll"), FACES
        return {f"{word} {value}": (word, value) for value in values}

    # ---- what the table shows

    def _live(self, sector: str) -> bool:
        """A District with a visible or hidden tile, or the market (1.9)."""
        return sector == MARKET or self.tile[sector] is not None or bool(self.hidden[sector])

    def _holds(self, sector: str) -> bool:
        """Some piece of any type lies there (1.10)."""
        return any(self.lying[sector].values())

    def _place(self, face: str) -> str:
        """The Sector that a face means: its live District, else the market (4.3)."""
        sector = SECTORS[int(face) - 1]
        return sector if self._live(sector) else MARKET

    def _tile_here(self) -> str | None:
        """The tile in force at the visited Sector, if any (5.6, 6.17, 14.1)."""
        return None if self.here == MARKET else self.tile[self.here]

    def _revealing(self) -> str:
        """The District whose tile is being drawn (17.2)."""
        return next(x for x in DISTRICTS if self.tile[x] is None and self.hidden[x])

    def _seat_after_first(self, k: int) -> int:
        """The k-th seat clockwise from the first player (5.1)."""
        assert self.first is not None
        return (self.first + k) % self.players

    def _ordinal(self) -> int:
        """Which die of this seat in this round the visit is (5.1)."""
        return self.visit // self.players + 1

    def _second_die(self) -> bool:
        """Whether L3 sees a second die, counted for the seat or for the beneficiary (6.9, 14.3)."""
        if self.options["l3_counts"] == "seat" or self.players != 2:
            return self._ordinal() == 2
        if self.beneficiary == NEUTRAL:
            return sum(self.given) == 2
        return self._ordinal() - self.given[self.beneficiary] == 2

    def _extra_source(self) -> str:
        """Where the further piece of J1, L3, F1 or F3 comes from (6.4, 6.9, 6.14, 6.16)."""
        return MARKET if self._tile_here() == "F3" else self.here

    def _places(self, counts: list[int], purpose: str) -> tuple[list[int], list[int]]:
        """Participants in first and second place; second is empty when first is tied (2.4, 7.3, 14.4)."""
        ranked = list(range(self.players))
        if self.players == 2 and purpose in self.options["neutral_ranked"]:
            ranked.append(NEUTRAL)
        ranked = [p for p in ranked if counts[p] >= self.options["min_to_rank"]]
        levels = sorted({counts[p] for p in ranked}, reverse=True)
        leaders = [p for p in ranked if counts[p] == levels[0]]
        seconds = [p for p in ranked if counts[p] in levels[1:2]] if len(leaders) == 1 else []
        return leaders, seconds

    # ---- what may be chosen: one test per row of 10.1

    def _may_keep(self, sector: str) -> bool:
        """D1: a die for oneself; the third only after one was given (5.3, 9.2)."""
        bound = self.players == 2 and self._ordinal() == 3 and not self.given[self._acting()]
        return self.dice[sector] > 0 and not bound

    def _may_give(self, sector: str) -> bool:
        """D1: a die for neutral, once a round (9.2)."""
        return self.dice[sector] > 0 and self.players == 2 and not self.given[self._acting()]

    def _acting(self) -> int:
        """The donating seat, else the one whose visit it is (5.1, 10.1)."""
        return self._seat_after_first(self.visit) if self.donor is None else self.donor

    def _lies_here(self, kind: str) -> bool:
        """D2, D3: a type lying at the visited Sector (5.4, 5.5)."""
        return self.lying[self.here][kind] > 0

    def _may_decline(self, _: str) -> bool:
        """D3: the bonus may be refused only under the option (5.5, section 14)."""
        return bool(self.options["optional_effects"])

    def _always(self, _: str) -> bool:
        """D4, D16: open whenever the node is."""
        return True

    def _lies_at_source(self, kind: str) -> bool:
        """D5: a type lying where the further piece comes from."""
        return self.lying[self._extra_source()][kind] > 0

    def _may_raid(self, district: str) -> bool:
        """D6: another live District that holds a piece (6.7)."""
        return district != "library" and self._live(district) and self._holds(district)

    def _lies_at_choice(self, kind: str) -> bool:
        """D7: a type on the raided District."""
        return self.lying[self.choice["district"]][kind] > 0

    def _swappable(self, out: str, district: str, back: str) -> bool:
        """Whether one whole exchange may be made (6.5, note (a) of 10.1)."""
        if district == "jeweler" or not self._live(district):
            return False
        there = self.lying["jeweler"][out] > 0 and self.lying[district][back] > 0
        return there and (out != back or self.options["same_type_exchange"])

    def _may_swap_out(self, kind: str) -> bool:
        """D8: a type that some exchange can send away."""
        return any(self._swappable(kind, x, back) for x in DISTRICTS for back in TYPES)

    def _may_swap_with(self, district: str) -> bool:
        """D9: a partner for the type named."""
        return any(self._swappable(self.choice["type"], district, back) for back in TYPES)

    def _may_swap_in(self, kind: str) -> bool:
        """D10: a type that the partner can send."""
        return self._swappable(self.choice["type"], self.choice["district"], kind)

    def _may_move(self, kind: str) -> bool:
        """D11: a type on the library (L2), the market (I2) or the forge (F2)."""
        return self.lying[MARKET if self._tile_here() == "I2" else self.here][kind] > 0

    def _may_move_to(self, district: str) -> bool:
        """D12: a live District other than the one of the effect (6.11, 6.15)."""
        return district != self.here and self._live(district)

    def _has_die(self, sector: str) -> bool:
        """D13: a Sector with a die beside it (6.12)."""
        return self.dice[sector] > 0

    def _may_die_to(self, sector: str) -> bool:
        """D14: another live Sector; a market die may stay once a number is dead (6.12, R-10)."""
        if sector == self.choice["sector"]:
            return sector == MARKET and not all(self._live(x) for x in DISTRICTS)
        return self._live(sector)

    def _may_dive(self, sector: str) -> bool:
        """D15: a live Sector where the submarine is not (6.13)."""
        return sector != self.submarine and self._live(sector)

    def _owns(self, kind: str) -> bool:
        """D16, D17: a type in the stock of the donating seat (8.5)."""
        return self.stock[self._acting()][kind] > 0

    # ---- moving pieces

    def _gain(self, sector: str, kind: str) -> None:
        """A piece goes from a Sector to the beneficiary (5.3)."""
        self.lying[sector][kind] -= 1
        self.stock[self.beneficiary][kind] += 1

    def _put(self, sector: str, kind: str, number: int = 1) -> None:
        """Pieces come to lie on a Sector, which is then not bare (7.1)."""
        self.lying[sector][kind] += number
        self.bare = [x for x in self.bare if not self._holds(x)]

    def _shift(self, source: str, target: str, kind: str) -> None:
        """A piece goes from one Sector to another (6.8, 6.11, 6.15)."""
        self.lying[source][kind] -= 1
        self._put(target, kind)

    # ---- setup and opening

    def _after_reveal(self, _: str, tile: str) -> None:
        """A tile becomes visible, at setup or in a stock check (3.2, 7.7)."""
        district = self._revealing()
        self.hidden[district].remove(tile)
        self.tile[district] = tile
        if self.round > 0:
            self._stock_check()
        elif None not in self.tile.values():
            self.step = "first_player"

    def _after_first_player(self, _: str, seat: str) -> None:
        """The first player is drawn; the first round begins (3.3, 3.4)."""
        self.first = int(seat)
        for place, points in enumerate(self.options.get("handicap", [])):
            self.points[(self.first + place) % self.players] += int(points)
        self._open()

    def _open(self) -> None:
        """All dice are taken back; what belonged to one round is cleared (4.2, 10.4)."""
        self.round += 1
        self.visit = 0
        self.dice = dict.fromkeys(SECTORS, 0)
        self.given = [False for _ in self.given]
        self.blocked = []
        self.step, self.donor = "die", None

    def _after_die(self, _: str, face: str) -> None:
        """A die comes to lie beside its place; after the last the visits begin (4.2)."""
        self.dice[self._place(face)] += 1
        if sum(self.dice.values()) == self.total_dice:
            self._begin_visit()

    # ---- visits

    def _begin_visit(self) -> None:
        """The next seat visits, or the Clock follows when one die is left (5.1, 5.7)."""
        if self.visit == self.total_dice - 1:
            self._turn_clock()
        else:
            self.step = "visit"

    def _after_visit(self, verb: str, sector: str) -> None:
        """Step (a): a die is taken, for the seat itself or for neutral (5.3, 9.2)."""
        self.dice[sector] -= 1
        self.beneficiary = self._acting()
        if verb == "give":
            self.given[self._acting()] = True
            self.beneficiary = NEUTRAL
        self.chain = 0
        self._arrive(sector)

    def _arrive(self, sector: str) -> None:
        """Step (b) at the Sector visited by a die or by a chain (5.4, 6.6)."""
        self.here, self.choice = sector, {}
        if self._holds(sector):
            self.step = "take"
        else:
            self._consider_effect()

    def _after_take(self, _: str, kind: str) -> None:
        """The piece of step (b), then the bonus of the submarine if there is one (5.4, 5.5, 14.2)."""
        self._gain(self.here, kind)
        refused = self.here == "machinery" and self._acting() in self.blocked
        if self.submarine == self.here and self._holds(self.here) and not refused:
            self.step = "bonus"
        else:
            self._consider_effect()

    def _after_bonus(self, verb: str, kind: str) -> None:
        """The second piece of step (b), unless declined (5.5)."""
        if verb == "take":
            self._gain(self.here, kind)
        self._consider_effect()

    def _consider_effect(self) -> None:
        """Step (c): skip, ask or begin (5.6, 6.1, D4)."""
        if not self._effect_possible():
            self._leave()
        elif self.options["optional_effects"]:
            self.step = "effect"
        else:
            self._begin_effect()

    def _effect_possible(self) -> bool:
        """The condition of the tile in force; rolling tiles, I3 and M have none (6.1, 6.2, 10.4)."""
        conditions: dict[str | None, Callable[[], bool]] = {
            None: lambda: False,
            "J2": lambda: any(map(self._may_swap_out, TYPES)),
            "J3": lambda: self.chain < self.options["chain_cap"],
            "L2": lambda: self._holds("library"),
            "L3": lambda: self._second_die() and self._holds("library"),
            "I2": lambda: self._holds(MARKET) and any(map(self._may_move_to, DISTRICTS)),
            "F2": lambda: self._holds("forge") and any(map(self._may_move_to, DISTRICTS)),
        }
        return conditions.get(self._tile_here(), lambda: True)()

    def _begin_effect(self) -> None:
        """The first node of the effect in force (6.4-6.16)."""
        tile = self._tile_here()
        assert tile is not None
        self.step = FIRST_NODE[tile]

    def _after_effect(self, verb: str, _: str) -> None:
        """The effect is used or declined (D4)."""
        if verb == "use effect":
            self._begin_effect()
        else:
            self._leave()

    def _go(self, step: str, useful: bool = True) -> None:
        """Stop at a further node of the effect, or end the visit where nothing would be offered (10.2)."""
        if useful:
            self.step = step
        else:
            self._leave()

    # ---- effects

    def _after_roll(self, _: str, face: str) -> None:
        """The roll of an effect: outside its success faces nothing happens (6.2)."""
        tile = self._tile_here()
        assert tile is not None
        if face not in SUCCESS[tile]:
            self._leave()
        elif tile == "J3":
            self._go("reroll")
        elif tile == "L1":
            self._go("raid", any(map(self._may_raid, DISTRICTS)))
        elif tile == "I1":
            self._advance(1)
            self._leave()
        else:
            self._go("extra", self._holds(self._extra_source()))

    def _after_reroll(self, _: str, face: str) -> None:
        """The chained visit of J3 (6.6)."""
        self.chain += 1
        self._arrive(self._place(face))

    def _after_extra(self, _: str, kind: str) -> None:
        """One more piece (J1, L3, F1, F3)."""
        self._gain(self._extra_source(), kind)
        self._leave()

    def _after_raid(self, _: str, district: str) -> None:
        """The raided District is named (6.7)."""
        self.choice = {"district": district}
        self._go("raid_take")

    def _after_raid_take(self, _: str, kind: str) -> None:
        """The raided piece goes to the beneficiary (6.7)."""
        self._gain(self.choice["district"], kind)
        self._leave()

    def _after_swap_out(self, _: str, kind: str) -> None:
        """The type leaving the jeweler is named (6.5)."""
        self.choice = {"type": kind}
        self._go("swap_with")

    def _after_swap_with(self, _: str, district: str) -> None:
        """The partner of the exchange is named (6.5)."""
        self.choice = {**self.choice, "district": district}
        self._go("swap_in")

    def _after_swap_in(self, _: str, kind: str) -> None:
        """Both pieces change place (6.5)."""
        self._shift("jeweler", self.choice["district"], self.choice["type"])
        self._shift(self.choice["district"], "jeweler", kind)
        self._leave()

    def _after_move_type(self, _: str, kind: str) -> None:
        """L2 moves to the market at once; I2 and F2 name a District next (6.8, 6.11, 6.15)."""
        if self._tile_here() == "L2":
            self._shift("library", MARKET, kind)
            self._leave()
        else:
            self.choice = {"type": kind}
            self._go("move_to")

    def _after_move_to(self, _: str, district: str) -> None:
        """The piece moves (6.11, 6.15)."""
        self._shift(MARKET if self._tile_here() == "I2" else "forge", district, self.choice["type"])
        self._leave()

    def _after_die_from(self, _: str, sector: str) -> None:
        """The die to change is named (6.12)."""
        self.choice = {"sector": sector}
        self._go("die_to")

    def _after_die_to(self, _: str, sector: str) -> None:
        """The die lies elsewhere, or again where it lay (6.12)."""
        self.dice[self.choice["sector"]] -= 1
        self.dice[sector] += 1
        self._leave()

    def _after_submarine(self, _: str, sector: str) -> None:
        """The submarine moves; the option may block its mover at the machinery (6.13, 14.2)."""
        self.submarine = sector
        if sector == "machinery" and self.options["machinery_block"] == "round":
            self.blocked = sorted({*self.blocked, self._acting()})
        self._leave()

    # ---- stock check

    def _leave(self) -> None:
        """Step (d): the visited Sector is left and all stocks are looked at (5.7, 10.4)."""
        self.here, self.beneficiary, self.chain, self.choice = "", 0, 0, {}
        self._stock_check()

    def _stock_check(self) -> None:
        """Score empty Districts one by one, looking again from the first each time (7.2)."""
        while True:
            ripe = [x for x in DISTRICTS if self._live(x) and not self._holds(x) and x not in self.bare]
            if not ripe:
                break
            self._score(ripe[0])
            if len(self.hidden[ripe[0]]) > 1:
                self.step = "reveal"
                return
            if self.hidden[ripe[0]]:
                self.tile[ripe[0]] = self.hidden[ripe[0]].pop()
        if self.options["bare_districts"] == "scored":
            self.bare = []
        self.visit += 1
        self._begin_visit()

    def _score(self, district: str) -> None:
        """One emptied District: rank, pay, give back, refill or exhaust (7.3-7.8)."""
        kind = LINKED[district]
        self._award(district, [stock[kind] for stock in self.stock])
        returned = sum(stock[kind] for stock in self.stock)
        for stock in self.stock:
            stock[kind] = 0
        self.tile[district] = None
        if self.hidden[district]:
            self._refill(district, kind, returned)
        else:
            self._exhaust(district, kind)

    def _award(self, district: str, counts: list[int]) -> None:
        """The tile to the earliest leader, points to the others placed (7.4)."""
        leaders, seconds = self._places(counts, "district")
        tile = self.tile[district]
        assert tile is not None
        order = [self._seat_after_first(k) for k in range(self.players)] + [NEUTRAL] * (self.players == 2)
        for rank, p in enumerate(p for p in order if p in leaders):
            if rank == 0:
                self.won[p].append(tile)
            else:
                self.points[p] += 3
        for p in seconds:
            self.points[p] += 1

    def _refill(self, district: str, kind: str, returned: int) -> None:
        """Given-back pieces fill the market up to three, the rest the District (7.6)."""
        for _ in range(returned):
            self._put(MARKET if self.lying[MARKET][kind] < 3 else district, kind)
        if not self._holds(district):
            self.bare.append(district)

    def _exhaust(self, district: str, kind: str) -> None:
        """The linked type leaves the game, orphan dice go to the market (7.8, 14.1)."""
        for pieces in self.lying.values():
            pieces[kind] = 0
        if self.options["orphan_dice"] == "market":
            self.dice[MARKET] += self.dice[district]
            self.dice[district] = 0

    # ---- Clock, event, end

    def _advance(self, spaces: int) -> None:
        """The hand moves and stops on the last space (6.10, 8.1)."""
        self.hand = min(len(self.spaces) - 1, self.hand + spaces)

    def _turn_clock(self) -> None:
        """The last die turns the Clock: its end, or the event of the space (8.1-8.5, 14.1)."""
        [last] = [s for s in SECTORS if self.dice[s]]
        self._advance(self.options["needles"][self.tile.get(last) or MARKET])
        event = self.spaces[self.hand]
        if event == "end":
            self._finish()
        elif event == "donation":
            self._seek_donor(range(self.players))
        else:
            self._inventory(event)
            self._next_round()

    def _inventory(self, event: str) -> None:
        """A point for each holder of the most, of a live type or of all pieces (8.4)."""
        counts = [0] * self.sides
        if event == "total":
            counts = [sum(stock.values()) for stock in self.stock]
        elif event in TYPES and self._live(HOME[event]):
            counts = [stock[event] for stock in self.stock]
        else:
            return
        for p in self._places(counts, "inventory")[0]:
            self.points[p] += 1

    def _seek_donor(self, turns: Iterable[int]) -> None:
        """The next seat in turn order that owns two pieces donates; after the last, the next round (8.5)."""
        for seat in map(self._seat_after_first, turns):
            if sum(self.stock[seat].values()) >= 2:
                self.step, self.donor = "donate", seat
                return
        self._next_round()

    def _turns_from(self, offset: int) -> range:
        """The places in turn order from the donating seat on, or from the one after it (8.5)."""
        place = [self._seat_after_first(k) for k in range(self.players)].index(self._acting())
        return range(place + offset, self.players)

    def _after_donate(self, verb: str, kind: str) -> None:
        """A first piece is paid, or the seat is done (8.5)."""
        if verb == "pay":
            self._pay(kind)
            self.step = "donate_more"
        else:
            self._seek_donor(self._turns_from(1))

    def _after_donate_more(self, _: str, kind: str) -> None:
        """The second piece is paid and earns a point (8.5)."""
        self._pay(kind)
        self.points[self._acting()] += 1
        self._seek_donor(self._turns_from(0))

    def _pay(self, kind: str) -> None:
        """A piece goes back to the District of its type (8.5)."""
        self.stock[self._acting()][kind] -= 1
        self._put(HOME[kind], kind)

    def _next_round(self) -> None:
        """The next seat clockwise is first (8.6)."""
        self.first = self._seat_after_first(1)
        self._open()

    def _finish(self) -> None:
        """The final scoring of every live type (8.2, 13.1)."""
        for district, kind in LINKED.items():
            if self._live(district):
                leaders, seconds = self._places([stock[kind] for stock in self.stock], "final")
                for p in leaders:
                    self.points[p] += 3
                for p in seconds:
                    self.points[p] += 1
        self.step = "over"


Test = Callable[[OraclePosition, str], bool]
P = OraclePosition

OFFERS: dict[str, dict[str, Test]] = {
    "visit": {"visit": P._may_keep, "give": P._may_give},
    "take": {"take": P._lies_here},
    "bonus": {"take": P._lies_here, "decline bonus": P._may_decline},
    "effect": {"use effect": P._always, "decline effect": P._always},
    "extra": {"take": P._lies_at_source},
    "raid": {"raid": P._may_raid},
    "raid_take": {"take": P._lies_at_choice},
    "swap_out": {"swap out": P._may_swap_out},
    "swap_with": {"swap with": P._may_swap_with},
    "swap_in": {"swap in": P._may_swap_in},
    "move_type": {"move": P._may_move},
    "move_to": {"move to": P._may_move_to},
    "die_from": {"die from": P._has_die},
    "die_to": {"die to": P._may_die_to},
    "submarine": {"submarine to": P._may_dive},
    "donate": {"pay": P._owns, "stop paying": P._always},
    "donate_more": {"pay": P._owns},
}

CONSEQUENCES: dict[str, Callable[[OraclePosition, str, str], None]] = {
    step: getattr(OraclePosition, f"_after_{step}") for step in [*CHANCE_NODES, *OFFERS]
}
