"""Phase 3: what pieces do (section 7)."""

from __future__ import annotations

from . import tables as t
from .building import Building
from .table import PIECE_ORDER, Frame, Menu, asked

ALWAYS = ("spirit seal", "mystic siphon", "prism lens", "chronal lattice", "resonance vault")
SYMBOLS = {"keep both": 2, "keep 1, bottom 1": 1, "keep 1, discard 1": 1}


class Actions(Building):
    """Clauses 7.1 to 7.11, nodes D12 to D15, D17 to D19, D32, D33, D35."""

    # ---- what can be resolved (7.3)

    def resolvable(self, seat: int) -> list[str]:
        """The locations whose action the seat may take (D13)."""
        return [at for at in self.locations() if self._can_resolve(seat, at)]

    def _can_resolve(self, seat: int, at: str) -> bool:
        """Whether the seat may take the action of a location (7.3)."""
        mine = {kind: numbers for owner, kind, numbers in self.pieces(at) if owner == seat and kind != "automaton"}
        if not mine or at in t.GATES:
            return bool(mine) and self.gate_resolvable(seat, at)
        if not any(numbers["ready"] and self._may_act(at, kind) for kind, numbers in mine.items()):
            return False
        if (t.is_double(at) and self.count(at) < 2) or self._closed(at):
            return False
        return self._does_something(seat, at) or (self._orator_acts(seat, at) is not None and self.volunteers >= 1)

    @staticmethod
    def _may_act(at: str, kind: str) -> bool:
        """7.3: on a space for followers nobody else acts."""
        return kind == "follower" or not (at in t.COMPONENTS and t.COMPONENTS[at]["followers_only"])

    def _closed(self, at: str) -> bool:
        """6.9: no actions there this round."""
        return (t.TILES[at]["peninsula"] or at if at in t.TILES else "") in self.effects["closed"]

    def _does_something(self, seat: int, at: str) -> bool:
        """The conditions of 7.3; wild tiles and the centre have none."""
        place = t.TILES[at]["peninsula"] if at in t.TILES else at
        if place in (*t.WILD, None, *ALWAYS):
            return True
        me = self.seats[seat]
        follower = any(kind == "follower" for _, kind, _ in self.pieces(at))
        conditions = {
            "cities": any(self.seats[owner]["reserve"] >= 1 for owner in self.owners(at, seat)),
            "libraries": self.library_left(),
            "forges": me["ore"] >= 1,
            "foundry crucible": me["ore"] >= 1,
            "summoning conduit": self.volunteers >= 1,
            "matter converter": any(me[good] for good in t.RAW),
            "numinous beacon": self.misfortune_left(),
            "celestial orrery": self.misfortune_left(),
            "amplification chamber": any(other[good] for other in self.seats for good in t.RAW),
            "stasis anchor": bool(self.may_ward()),
            "tectonic engine": bool(self.may_drain()),
            "soul terraformer": bool(self.may_drain()) and follower,
        }
        return conditions[place]

    def _acting_kind(self, seat: int, at: str) -> str:
        """The piece that acts on a single space (7.4)."""
        kinds = [kind for kind in PIECE_ORDER if self._may_act(at, kind)]
        ready = [kind for kind in kinds if self.placed.get((at, seat, kind), {"ready": 0})["ready"]]
        return min(ready, key=lambda kind: not self.is_piece_of("orator", seat, kind))

    def _orator_acts(self, seat: int, at: str) -> int | None:
        """The owner of the orator piece that acts, or that is on the double space (7.5)."""
        if t.is_double(at):
            return self.owner_of("orator", at)
        return seat if self.is_piece_of("orator", seat, self._acting_kind(seat, at)) else None

    # ---- D12, D13

    def ask_act(self) -> Menu | None:
        """D12; nobody is asked once all have passed and nobody has a duty."""
        all_passed = self.passes >= self.n
        if all_passed and not any(self._has_duty(seat) for seat in range(self.n)):
            return None
        texts = [] if all_passed and self._has_duty(self.turn) else ["pass"]
        texts += ["resolve"] if self.resolvable(self.turn) else []
        return asked(self.turn, [*texts, *self.common_texts(self.turn, "A")])

    def _has_duty(self, seat: int) -> bool:
        """7.2: something that is no build has to be resolved."""
        return self.options["must_act"] and any(at not in t.GATES for at in self.resolvable(seat))

    def take_act(self, text: str) -> None:
        """Open one turn (7.1)."""
        if text == "pass":
            self.idle()
            return
        self.open_turn()
        if text == "resolve":
            self.pending.append({"do": "resolve", "seat": self.turn})
        else:
            self.take_common(text)

    def ask_resolve(self, frame: Frame) -> Menu | None:
        """Offer the locations whose action may be taken (D13)."""
        return asked(frame["seat"], [f"at {at}" for at in self.resolvable(frame["seat"])])

    def take_resolve(self, frame: Frame, text: str) -> None:
        """The action begins (7.4, 7.5)."""
        self.pending.pop()
        seat, at = frame["seat"], text[3:]
        if at in t.GATES:
            self.open_build(seat, at)
            return
        useful, orator = self._does_something(seat, at), self._orator_acts(seat, at)
        self._lay_down(seat, at)
        if orator is not None:
            self.gain_volunteers(orator, 1)
        if useful:
            self._act(seat, at)

    def _lay_down(self, seat: int, at: str) -> None:
        """One piece, or all of a double space but the automaton, is done (7.4)."""
        if not t.is_double(at):
            numbers = self.placed[at, seat, self._acting_kind(seat, at)]
            numbers["ready"] -= 1
            numbers["done"] += 1
            return
        for _, kind, numbers in self.pieces(at):
            if kind != "automaton":
                numbers["ready"], numbers["done"] = 0, numbers["ready"] + numbers["done"]

    def _act(self, seat: int, at: str) -> None:
        """The effect of the location."""
        if at in t.COMPONENTS:
            self._use_component(seat, at)
            return
        peninsula, me = t.TILES[at]["peninsula"], self.seats[seat]
        if peninsula is None:
            me["energy"] += t.CENTRE_ENERGY
        elif peninsula in t.WILD:
            self._open_wild(seat, at)
        elif peninsula == "cities":
            priest = self.owner_of("priest", at) is not None
            frame = {"do": "city", "seat": seat, "at": at, "dice": [None, None], "priest": priest, "stage": "roll"}
            self.pending.append(frame)
        elif peninsula == "libraries":
            symbol = t.TILES[at]["symbol"]
            draw = 3 if self.in_play(seat, "index of ages") else 2
            frame = {"do": "library", "seat": seat, "symbol": symbol, "draw": draw, "drawn": []}
            self.pending.append({**frame, "keep": SYMBOLS[symbol], "stage": "draw"})
        else:
            self._forge(seat, t.TILES[at]["rate"])

    def _forge(self, seat: int, rate: int) -> None:
        """Forge atlantium (7.10)."""
        me, bellows = self.seats[seat], "everburning bellows"
        me["ore"] -= 1
        if self.in_play(seat, bellows) and bellows not in me["used"]:
            me["used"].append(bellows)
            rate += 1
        me["atlantium"] += rate

    # ---- the wild peninsulas (7.6)

    def _automaton_bonus(self, at: str) -> int:
        """+2 if an automaton is there."""
        return t.AUTOMATON_BONUS * any(kind == "automaton" for _, kind, _ in self.pieces(at))

    def _open_wild(self, seat: int, at: str) -> None:
        """The target; below 1 no roll is needed."""
        tile = t.TILES[at]
        peninsula = tile["peninsula"]
        target = tile["target"] + self.effects["earthquake"] - 2 * self.effects["atlas"][peninsula]
        target -= self.owner_of("explorer", at) is not None
        if target < 1:
            self.seats[seat][tile["resource"]] += 1
            return
        bonus = self.in_play(seat, t.ROLL_ARTIFACTS[peninsula]) + self._automaton_bonus(at)
        frame = {"do": "wild", "seat": seat, "at": at, "target": target, "bonus": bonus, "value": None}
        self.pending.append({**frame, "priest": self.owner_of("priest", at) is not None, "stage": "roll"})

    def _roller_texts(self, frame: Frame) -> list[str]:
        """D15: `pay` exactly the gap, `knuckle`; without either the roll has failed."""
        me, knuckle = self.seats[frame["seat"]], "fate knuckle"
        texts = ["pay"] if me["energy"] >= frame["target"] - frame["value"] else []
        if self.in_play(frame["seat"], knuckle) and knuckle not in me["used"]:
            texts.append("knuckle")
        return ["decline", *texts] if texts else []

    def ask_wild(self, frame: Frame) -> Menu | None:
        """Roll (C9), then offer to roll again (D14) or to pay (D15)."""
        if frame["stage"] == "roll":
            return self._die()
        if frame["stage"] == "priest":
            return asked(self.owner_of("priest", frame["at"]), ["decline", "reroll first"])
        return asked(frame["seat"], self._roller_texts(frame))

    @staticmethod
    def _die() -> Menu | None:
        """Roll a die (C9)."""
        return asked(None, [f"die {face}" for face in range(1, 7)])

    def go_wild(self, _: Frame) -> None:
        """Nothing more can be done: failure."""
        self.pending.pop()

    def take_wild(self, frame: Frame, text: str) -> None:
        """A roll, or what is done about a failed one."""
        me, word = self.seats[frame["seat"]], text.split()[0]
        if word == "die":
            frame["value"] = int(text.split()[1]) + frame["bonus"]
            frame["stage"] = "priest" if frame["priest"] else "roller"
            if frame["value"] >= frame["target"]:
                self._succeed(frame)
        elif word == "pay":
            me["energy"] -= frame["target"] - frame["value"]
            self._succeed(frame)
        elif word == "decline" and frame["stage"] == "priest":
            frame["stage"] = "roller"
        elif word == "decline":
            self.pending.pop()
        else:
            if word == "knuckle":
                me["used"].append("fate knuckle")
            else:
                frame["priest"] = False
            frame["value"], frame["stage"] = None, "roll"

    def _succeed(self, frame: Frame) -> None:
        """One of the tile's resource, never more."""
        self.pending.pop()
        self.seats[frame["seat"]][t.TILES[frame["at"]]["resource"]] += 1

    # ---- cities (7.7)

    def _gap(self, frame: Frame) -> int:
        """How much the total is short; 0 or less is a success."""
        owners = self.owners(frame["at"], frame["seat"])
        mask = any(self.in_play(owner, "mask of voices") for owner in owners)
        times = len(frame["dice"]) if self.options["automaton_dice"] == "per die" else 1
        total = sum(frame["dice"]) + t.WRATH[self.wrath] + mask + times * self._automaton_bonus(frame["at"])
        return int(t.TILES[frame["at"]]["target"] - total)

    def _recruits(self, frame: Frame) -> list[int]:
        """Owners present who have a follower in the reserve."""
        return [seat for seat in self.owners(frame["at"], frame["seat"]) if self.seats[seat]["reserve"] >= 1]

    def ask_city(self, frame: Frame) -> Menu | None:
        """C9 twice, D14, D17; the payment is a frame of its own."""
        if frame["stage"] == "roll":
            return self._die()
        if frame["stage"] == "priest":
            rerolls = ["reroll first", "reroll second", "reroll both"]
            return asked(self.owner_of("priest", frame["at"]), ["decline", *rerolls])
        if frame["stage"] == "recruit":
            return asked(frame["seat"], [f"seat {seat}" for seat in self._recruits(frame)])
        return None

    def take_city(self, frame: Frame, text: str) -> None:
        """A die, a reroll, or who gets the recruit."""
        word, _, value = text.partition(" ")
        dice: list[int | None] = frame["dice"]
        if word == "die":
            dice[dice.index(None)] = int(value)
            if None not in dice:
                self._judge(frame)
        elif word == "reroll":
            for place, name in enumerate(("first", "second")):
                dice[place] = None if value in (name, "both") else dice[place]
            frame["priest"], frame["stage"] = False, "roll"
        elif word == "decline":
            self._ask_for_energy(frame)
        else:
            self.pending.pop()
            self.recruit(int(value))

    def _judge(self, frame: Frame) -> None:
        """Compare both dice with the target."""
        if self._gap(frame) <= 0:
            self._recruit_one(frame)
        elif frame["priest"]:
            frame["stage"] = "priest"
        else:
            self._ask_for_energy(frame)

    def _ask_for_energy(self, frame: Frame) -> None:
        """Shared payment of the gap, if two seats have it (7.7)."""
        order, gap = self.owners(frame["at"], frame["seat"]), self._gap(frame)
        if self.two_can_pay(order, gap):
            frame["stage"] = "share"
            self.open_share("cities", None, "energy", gap, order)
        else:
            self.pending.pop()

    def go_city(self, frame: Frame) -> None:
        """The payment above is complete."""
        self._recruit_one(frame)

    def _recruit_one(self, frame: Frame) -> None:
        """Success: at once, or by choice of the opener (D17)."""
        seats = self._recruits(frame)
        if len(seats) > 1:
            frame["stage"] = "recruit"
        else:
            self.pending.pop()
            self.recruit(seats[0])

    # ---- libraries (7.9)

    def ask_library(self, frame: Frame) -> Menu | None:
        """Draw (C10), then offer to keep (D18) and to keep one more (D19)."""
        seat, stage, drawn = frame["seat"], frame["stage"], frame["drawn"]
        texts = [f"keep {card}" for card in drawn]
        if stage == "draw":
            return self.library_outcomes() if frame["draw"] else None
        if stage == "keep":
            return asked(seat, texts) if 0 < frame["keep"] < len(drawn) else None
        return asked(seat, ["decline", *texts]) if drawn and self.seats[seat]["energy"] >= 1 else None

    def go_library(self, frame: Frame) -> None:
        """The next step of 7.9."""
        if frame["stage"] == "draw":
            frame["draw"], frame["stage"] = 0, "keep"
        elif frame["stage"] == "keep":
            for card in frame["drawn"][:] if frame["keep"] else []:
                self._keep(frame, card)
            frame["stage"] = "more"
        else:
            self._put_away(frame)

    def take_library(self, frame: Frame, text: str) -> None:
        """A card is drawn, kept, or paid for; `decline` puts the rest away."""
        word, _, card = text.partition(" ")
        if word == "library":
            self.draw_library(card)
            frame["drawn"].append(card)
            frame["draw"] -= 1
        elif word == "decline":
            self._put_away(frame)
        else:
            if frame["stage"] == "keep":
                frame["keep"] -= 1
            else:
                self.seats[frame["seat"]]["energy"] -= 1
            self._keep(frame, card)

    def _keep(self, frame: Frame, card: str) -> None:
        """A drawn card is kept."""
        frame["drawn"].remove(card)
        self.keep_card(frame["seat"], card)

    def _put_away(self, frame: Frame) -> None:
        """The rest goes to the discard or under the deck, in drawing order."""
        self.pending.pop()
        for card in frame["drawn"]:
            if frame["symbol"] == "keep 1, discard 1":
                self._add(self.library["discard"], card)
            else:
                self.library["bottom"].append(card)

    # ---- component spaces (2.4, 7.11)

    def _use_component(self, seat: int, at: str) -> None:
        """The effect of a component space."""
        me = self.seats[seat]
        if at == "spirit seal":
            me["energy"] += 2
        elif at == "summoning conduit":
            self.gain_volunteers(seat, 2)
        elif at == "mystic siphon":
            me["energy"] += 1 + t.WRATH[self.wrath]
        elif at == "matter converter":
            self.open_swaps(seat, 3)
        elif at == "foundry crucible":
            me["ore"] -= 1
            me["atlantium"] += 3
        elif at == "numinous beacon":
            self.open_look(seat, 3, 1)
        elif at == "celestial orrery":
            self.open_look(seat, 4, 2)
        elif at == "stasis anchor":
            self.open_series("ward", seat, 1, optional=False)
        elif at == "tectonic engine":
            self.open_series("ebb", seat, 1, optional=False)
        else:
            self._open_component(seat, at)

    def _pair(self, seat: int, at: str) -> list[int]:
        """The two gainers of a double space, the opener first; beside an automaton one gains twice (7.11)."""
        owners = self.owners(at, seat)
        return owners if len(owners) == 2 else [seat, seat]

    def _open_component(self, seat: int, at: str) -> None:
        """Components with frames of their own."""
        if at == "amplification chamber":
            self.pending.append({"do": "amplify", "seat": seat, "target": None})
        elif at == "prism lens":
            self.pending.append({"do": "prism", "seat": seat})
        elif at == "chronal lattice":
            self.pending.append({"do": "lattice", "order": self._pair(seat, at)})
        elif at == "resonance vault":
            for owner in self._pair(seat, at):
                self.seats[owner]["energy"] += 2
        else:
            self.pending.append({"do": "sacrifice", "seat": seat, "at": at})

    def _own_raw(self, seat: int) -> list[str]:
        """Which of ore, gold, crystal a seat has."""
        return [good for good in t.RAW if self.seats[seat][good]]

    def ask_amplify(self, frame: Frame) -> Menu | None:
        """Offer seats (D32), then goods (D33)."""
        if frame["target"] is None:
            return asked(frame["seat"], [f"seat {other}" for other in range(self.n) if self._own_raw(other)])
        return asked(frame["seat"], [f"take {good}" for good in self._own_raw(frame["target"])])

    def take_amplify(self, frame: Frame, text: str) -> None:
        """The seat, then two more of what it has."""
        word, _, value = text.partition(" ")
        if word == "seat":
            frame["target"] = int(value)
        else:
            self.pending.pop()
            self.seats[frame["target"]][value] += 2

    def ask_prism(self, frame: Frame) -> Menu | None:
        """Offer the goods of the prism lens (D33)."""
        return asked(frame["seat"], ["take gold", "take crystal"])

    def take_prism(self, frame: Frame, text: str) -> None:
        """Gain one of the good chosen."""
        self.pending.pop()
        self.seats[frame["seat"]][text.split()[1]] += 1

    def ask_lattice(self, frame: Frame) -> Menu | None:
        """D33 for each taker in order."""
        return asked(frame["order"][0], [f"take {good}" for good in t.RAW]) if frame["order"] else None

    def take_lattice(self, frame: Frame, text: str) -> None:
        """Gain one of the good chosen, for the next owner."""
        self.seats[frame["order"].pop(0)][text.split()[1]] += 1

    go_lattice = Building.go_ward

    def _followers_on(self, at: str) -> list[int]:
        """Seats with a follower on a space."""
        return [seat for seat, kind, _ in self.pieces(at) if kind == "follower"]

    def ask_sacrifice(self, frame: Frame) -> Menu | None:
        """D35, if there is a choice."""
        seats = self._followers_on(frame["at"])
        return asked(frame["seat"], [f"seat {seat}" for seat in seats]) if len(seats) > 1 else None

    def go_sacrifice(self, frame: Frame) -> None:
        """The only seat with a follower there."""
        self.take_sacrifice(frame, f"seat {self._followers_on(frame['at'])[0]}")

    def take_sacrifice(self, frame: Frame, text: str) -> None:
        """A follower leaves the game, 1 to 3 tiles are drained (7.11)."""
        self.pending.pop()
        seat = int(text.split()[1])
        self.take_off(frame["at"], seat, "follower")
        self.seats[seat]["removed"] += 1
        self.open_series("ebb", frame["seat"], 3, optional=False)
