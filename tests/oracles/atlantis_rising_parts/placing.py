"""Where pieces may stand, and the turns of the deployment (section 5)."""

from __future__ import annotations

from . import tables as t
from .table import Frame, Menu, Table, asked

DIVERS = ("navigator", "aquanaut")


class Placing(Table):
    """Clauses 5.2 to 5.9, nodes D4 to D6."""

    def locations(self) -> list[str]:
        """Every place there is in this game now (5.2)."""
        gates = t.GATES[: t.seats_row(self.n)["gates"]]
        return [
            *t.TILES,
            *gates,
            *[name for name in t.COMPONENTS if name in self.built and t.COMPONENTS[name]["space"]],
        ]

    def is_flooded(self, at: str) -> bool:
        """A tile that has been turned over."""
        tile = t.TILES.get(at)
        return (
            tile is not None and tile["peninsula"] is not None and tile["position"] <= self.flooded[tile["peninsula"]]
        )

    def has_diver(self, at: str) -> bool:
        """A navigator or aquanaut piece stands there (11.5, 11.6)."""
        return any(self.owner_of(diver, at) is not None for diver in DIVERS)

    def _is_open(self, at: str, seat: int, kind: str) -> bool:
        """5.3(b): not flooded, or opened by a diver, or the diver itself."""
        if not self.is_flooded(at) or self.has_diver(at):
            return True
        tile = t.TILES[at]
        nearest = tile["position"] == self.flooded[tile["peninsula"]]
        return self.is_piece_of("aquanaut", seat, kind) or (nearest and self.is_piece_of("navigator", seat, kind))

    def _has_room(self, at: str, seat: int, kind: str) -> bool:
        """5.3(a), as if the piece stood there already."""
        room = t.capacity_printed(at)
        if room is None:
            return True
        emissary = self.owner_of("emissary", at) is not None or self.is_piece_of("emissary", seat, kind)
        return self.count(at) < room + (emissary and at in t.TILES)

    def accepts(self, at: str, seat: int, kind: str) -> bool:
        """Whether a location accepts a piece (5.3 (a) to (c))."""
        if kind == "automaton" and not any(other != "automaton" for _, other, _ in self.pieces(at)):
            return False
        return self._is_open(at, seat, kind) and self._has_room(at, seat, kind)

    def _astrologers_home(self, seat: int) -> list[str]:
        """Astrologer pieces that a seat has at home (5.7)."""
        home = self.seats[seat]["home"]
        return [kind for kind in ("leader", "hologram") if home[kind] and self.is_piece_of("astrologer", seat, kind)]

    def _must_leave_room(self, seat: int, kind: str) -> bool:
        """5.3(d): the automaton is at home and nothing else that has to be placed would be left there."""
        home = self.seats[seat]["home"]
        if kind == "automaton" or not home["automaton"]:
            return False
        left = {other: number for other, number in home.items() if other != "automaton"}
        left[kind] -= 1
        for other in self._astrologers_home(seat):
            left[other] = 0
        return sum(left.values()) == 0

    def _room_for_automaton(self, at: str, seat: int, kind: str) -> bool:
        """5.3(d): with the piece placed, some location accepts the automaton."""
        self.put(at, seat, kind)
        found = any(self.accepts(other, seat, "automaton") for other in self.locations())
        self.take_off(at, seat, kind)
        self.seats[seat]["home"][kind] += 1
        return found

    def places_for(self, seat: int, kind: str) -> list[str]:
        """D5: where a piece may be placed in deployment (5.3)."""
        places = [at for at in self.locations() if self.accepts(at, seat, kind)]
        if self._must_leave_room(seat, kind):
            places = [at for at in places if self._room_for_automaton(at, seat, kind)]
        return places

    def lifts_of(self, seat: int, kind: str) -> list[str]:
        """D6: from where a piece may be lifted (5.6)."""
        return [at for at in self.locations() if (at, seat, kind) in self.placed and self._may_leave(at, seat, kind)]

    def _may_leave(self, at: str, seat: int, kind: str) -> bool:
        """No automaton is left alone, no piece on a flooded tile without its diver (5.6)."""
        left = [
            other
            for other, what, numbers in self.pieces(at)
            for _ in range(sum(numbers.values()))
            if what != "automaton"
        ]
        others = len(left) - (kind != "automaton")
        automaton = kind != "automaton" and any(what == "automaton" for _, what, _ in self.pieces(at))
        if automaton and others == 0:
            return False
        if not self.is_flooded(at) or others + automaton == 0:
            return True
        divers = [(s, k) for s, k, _ in self.pieces(at) if any(self.is_piece_of(d, s, k) for d in DIVERS)]
        return any(diver != (seat, kind) for diver in divers)

    def may_be_ready(self, seat: int) -> bool:
        """Whether a seat may be ready: nothing but a held piece is at home (5.7)."""
        home = sum(self.seats[seat]["home"].values())
        return home == 0 or (home <= 2 and bool(self._astrologers_home(seat)))

    # ---- D4

    def ask_deploy(self) -> Menu | None:
        """D4; nobody is asked once all are ready (5.4)."""
        if self.passes == self.n:
            return None
        seat = self.turn
        me = self.seats[seat]
        texts = ["ready"] if self.may_be_ready(seat) else []
        if self.n >= 2 and me["yields"] >= 1 and not texts:
            texts.append("yield")
        if self._may_peek(seat):
            texts.append("peek")
        texts += [f"place {kind}" for kind in t.KINDS if me["home"][kind] and self.places_for(seat, kind)]
        if me["lifts"] >= 1:
            texts += [f"lift {kind}" for kind in t.KINDS if self.lifts_of(seat, kind)]
        return asked(seat, texts + self.common_texts(seat, "D"))

    def _may_peek(self, seat: int) -> bool:
        """Whether the tidewatch glass may be used (12.6)."""
        known = self.misfortunes["top"] or not self.misfortune_left()
        glass = "tidewatch glass"
        return self.in_play(seat, glass) and glass not in self.seats[seat]["used"] and not known

    def take_deploy(self, text: str) -> None:
        """One turn of the deployment (5.4, 5.5)."""
        if text == "ready":
            self.idle()
            return
        self.open_turn()
        word, _, kind = text.partition(" ")
        if text == "yield":
            self.seats[self.turn]["yields"] -= 1
        elif text == "peek":
            self.seats[self.turn]["used"].append("tidewatch glass")
            self.pending.append({"do": "look", "seat": self.turn, "open": True, "depth": 1, "left": 0})
        elif word in ("place", "lift"):
            self.pending.append({"do": word, "seat": self.turn, "kind": kind})
        else:
            self.take_common(text)

    def ask_place(self, frame: Frame) -> Menu | None:
        """Offer locations for the piece (D5)."""
        return asked(frame["seat"], [f"at {at}" for at in self.places_for(frame["seat"], frame["kind"])])

    def take_place(self, frame: Frame, text: str) -> None:
        """The piece stands ready."""
        self.pending.pop()
        self.put(text[3:], frame["seat"], frame["kind"])

    def ask_lift(self, frame: Frame) -> Menu | None:
        """Offer locations to lift from (D6)."""
        return asked(frame["seat"], [f"at {at}" for at in self.lifts_of(frame["seat"], frame["kind"])])

    def take_lift(self, frame: Frame, text: str) -> None:
        """The piece is home again (5.5)."""
        self.pending.pop()
        self.take_off(text[3:], frame["seat"], frame["kind"])
        self.seats[frame["seat"]]["home"][frame["kind"]] += 1
        self.seats[frame["seat"]]["lifts"] -= 1

    # ---- turns in general (5.4, 6.2, 7.1)

    def idle(self) -> None:
        """`ready`, `pass`, or a seat that is not asked."""
        self.passes += 1
        self.turn = (self.turn + 1) % self.n

    def open_turn(self) -> None:
        """Any other choice resets the count and is a turn in progress (5.4, 20)."""
        self.passes = 0
        self.pending.append({"do": "turn"})

    def go_turn(self, _: Frame) -> None:
        """The turn is over; the next seat is the next clockwise, or the first player names it (5.4)."""
        self.pending.pop()
        if self.has_call():
            self.rewind()
            self.call = True
        else:
            self.turn = (self.turn + 1) % self.n

    def has_call(self) -> bool:
        """Whether the first player names the seats of this phase (5.4, 7.1)."""
        return self.n >= 2 and self.options["casting_vote"] and self.phase in ("deploy", "actions")

    def ask_call(self) -> Menu | None:
        """Offer the seats that may be called (D37)."""
        return asked(self.first, [f"seat {seat}" for seat in range(self.n)])

    def take_call(self, text: str) -> None:
        """The next turn is that seat's."""
        self.call = False
        self.turn = int(text.split()[1])

    def rewind(self) -> None:
        """Turns begin, or end, at the first player (20)."""
        self.turn, self.passes = self.first, 0

    def common_texts(self, seat: int, window: str) -> list[str]:
        """Cards, barriers and drains, as the window allows them."""
        raise NotImplementedError

    def take_common(self, text: str) -> None:
        """A card, a barrier or a drain of the seat in turn."""
        raise NotImplementedError

    # ---- D11

    def ask_late(self) -> Menu | None:
        """D11: a location that accepts first the held piece, then its companion (11.9)."""
        assert self.held is not None
        seat, kind, companion = (self.held[key] for key in ("seat", "kind", "companion"))
        places = [at for at in self.locations() if self.accepts(at, seat, kind)]
        return asked(seat, [f"at {at}" for at in places if companion is None or self._accepts_both(at)])

    def _accepts_both(self, at: str) -> bool:
        """The companion, with the held piece there."""
        assert self.held is not None
        seat, kind, companion = (self.held[key] for key in ("seat", "kind", "companion"))
        self.put(at, seat, kind)
        accepted = self.accepts(at, seat, companion)
        self.take_off(at, seat, kind)
        self.seats[seat]["home"][kind] += 1
        return accepted

    def take_late(self, text: str) -> None:
        """Both are placed (11.9)."""
        assert self.held is not None
        self.put(text[3:], self.held["seat"], self.held["kind"])
        if self.held["companion"]:
            self.put(text[3:], self.held["seat"], self.held["companion"])
        self.held = None

    def hold_back(self) -> None:
        """5.9: an astrologer piece still at home is held, with what else is there."""
        for seat in range(self.n):
            for kind in self._astrologers_home(seat):
                others = [other for other in t.KINDS if self.seats[seat]["home"][other] and other != kind]
                self.held = {"seat": seat, "kind": kind, "companion": others[0] if others else None}
