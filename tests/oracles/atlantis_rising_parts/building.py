"""The Cosmic Gate: who builds, what it costs, and what a finished component does at once (section 8)."""

from __future__ import annotations

from . import tables as t
from .cards import Cards
from .payment import can_split
from .table import Frame, Menu, asked

Price = dict[str, int]


class Building(Cards):
    """Clauses 8.1 to 8.8, nodes D20, D21, D34 and the draws of the memory crystal."""

    # ---- what can be built

    def price(self, component: str) -> Price:
        """The printed price, or the reduced one of a lone seat (2.4)."""
        reduced = self.n == 1 and self.options["solo_prices"] == "reduced"
        row = t.COMPONENTS[component]["price_solo" if reduced else "price"]
        return {kind: int(row[kind]) for kind in t.PRICE_TYPES}

    def gate_resolvable(self, seat: int, gate: str) -> bool:
        """Whether the seat may build on the gate (8.2)."""
        limit = self.effects["build_limit"]
        if limit is not None and self.built_this_round >= limit:
            return False
        alone = self.owners(gate, seat) == [seat]
        return (alone or not self.seats[seat]["barred"]) and bool(self.buildable(gate, seat))

    def buildable(self, gate: str, opener: int) -> list[str]:
        """D20: 8.3 and 8.4."""
        return [name for name in t.COMPONENTS if name in self.blueprint and self._can_build(name, gate, opener)]

    def _can_build(self, component: str, gate: str, opener: int) -> bool:
        """For its price, or with an artificer piece for some price one lower."""
        if component == t.CORE and not self._core_ready(gate):
            return False
        price = self.price(component)
        if self.owner_of("artificer", gate) is not None:
            return bool(self._discounts(component, price, gate, opener))
        return self._payable(component, price, gate, opener)

    def _core_ready(self, gate: str) -> bool:
        """All others are built and all leaders stand here (8.4)."""
        return self.blueprint == [t.CORE] and all((gate, seat, "leader") in self.placed for seat in range(self.n))

    def _payable(self, component: str, price: Price, gate: str, opener: int) -> bool:
        """The participants have it; for the core every seat must be able to give an item (8.3, 8.4)."""
        payers = self.owners(gate, opener)
        stocks = {kind: {seat: self.seats[seat][kind] for seat in payers} for kind in t.PRICE_TYPES}
        return can_split(price, stocks, payers if component == t.CORE else [])

    def _discounts(self, component: str, price: Price, gate: str, opener: int) -> list[str]:
        """D21: types of which one item less makes it payable."""
        kinds = [kind for kind in t.PRICE_TYPES if price[kind] >= 1]
        return [k for k in kinds if self._payable(component, {**price, k: price[k] - 1}, gate, opener)]

    # ---- the build (8.5)

    def open_build(self, seat: int, gate: str) -> None:
        """A gate is resolved."""
        frame = {"do": "build", "seat": seat, "at": gate, "component": None, "price": None}
        self.pending.append({**frame, "paid": [{} for _ in range(self.n)]})

    def _discount_due(self, frame: Frame) -> bool:
        """The artificer has not yet named the item: the price is still the printed one."""
        return self.owner_of("artificer", frame["at"]) is not None and frame["price"] == self.price(frame["component"])

    def ask_build(self, frame: Frame) -> Menu | None:
        """Offer components (D20), then discounts (D21)."""
        seat, gate, component = frame["seat"], frame["at"], frame["component"]
        if component is None:
            return asked(seat, [f"build {name}" for name in self.buildable(gate, seat)])
        if self._discount_due(frame):
            discounts = self._discounts(component, frame["price"], gate, seat)
            return asked(self.owner_of("artificer", gate), [f"discount {kind}" for kind in discounts])
        return None

    def take_build(self, frame: Frame, text: str) -> None:
        """The component, or the item that it costs less."""
        word, _, name = text.partition(" ")
        if word == "build":
            frame["component"], frame["price"] = name, self.price(name)
        else:
            frame["price"][name] -= 1

    def go_build(self, frame: Frame) -> None:
        """The next type is shared, or everybody pays (8.5, 8.6)."""
        for kind, amount in frame["price"].items():
            if sum(paid.get(kind, 0) for paid in frame["paid"]) < amount:
                self.open_share("build", None, kind, amount, self.owners(frame["at"], frame["seat"]))
                return
        self._pay_build(frame)
        if frame["component"] == t.CORE:
            self._end(True, "core")
        else:
            self._benefit(frame["component"], frame["seat"])

    def _pay_build(self, frame: Frame) -> None:
        """All is paid, the component stands, the gate is left (8.6)."""
        self.pending.pop()
        for seat, paid in enumerate(frame["paid"]):
            for kind, amount in paid.items():
                self.seats[seat][kind] -= amount
        self.blueprint.remove(frame["component"])
        self.built.append(frame["component"])
        self.built_this_round += 1
        self.send_home(frame["at"])

    def _benefit(self, component: str, opener: int) -> None:
        """What happens once (2.4, 8.6)."""
        if component == "solar matrix":
            for seat in self.seats:
                seat["energy"] += 1
        elif component == "aegis emitter":
            self.open_series("ward", opener, 2, optional=True)
        elif component == "tidal regulator":
            self.open_series("ebb", opener, 2, optional=True)
        elif component == "memory crystal":
            self.reshuffle_library()
            self.pending.append({"do": "memory", "order": self.clockwise(self.first)})
        elif component == "muster array":
            self.pending.append({"do": "muster", "seat": opener, "left": 2})
        elif component == "entropy drive":
            self.wrath = max(0, self.wrath - 1)

    # ---- memory crystal, muster array

    def ask_memory(self, frame: Frame) -> Menu | None:
        """C10 for each seat while cards remain."""
        return self.library_outcomes() if frame["order"] else None

    def take_memory(self, frame: Frame, text: str) -> None:
        """The card is kept."""
        card = text.partition(" ")[2]
        self.draw_library(card)
        self.keep_card(frame["order"].pop(0), card)

    go_memory = Cards.go_ward

    def _musters(self) -> list[int]:
        """Seats with a follower in the reserve."""
        return [seat for seat in range(self.n) if self.seats[seat]["reserve"] >= 1]

    def ask_muster(self, frame: Frame) -> Menu | None:
        """D34, if there is a choice."""
        seats = self._musters() if frame["left"] else []
        return asked(frame["seat"], [f"seat {seat}" for seat in seats]) if len(seats) > 1 else None

    def go_muster(self, frame: Frame) -> None:
        """The only seat recruits, or it is over."""
        seats = self._musters() if frame["left"] else []
        if seats:
            self.take_muster(frame, f"seat {seats[0]}")
        else:
            self.pending.pop()

    def take_muster(self, frame: Frame, text: str) -> None:
        """One follower for that seat."""
        self.recruit(int(text.split()[1]))
        frame["left"] -= 1
