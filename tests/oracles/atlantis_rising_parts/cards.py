"""Library cards, looks, and the small series of choices that cards and components share (sections 7.8, 12)."""

from __future__ import annotations

from . import tables as t
from .payment import Payment
from .table import Frame, Menu, asked

REPEATS = ("cryptographic expertise", "enigma of fervour")
OWN_NODES = (*REPEATS, "ancient atlas", "mystic font", "archive recovery")


class Cards(Payment):
    """Clauses 12.1 to 12.8, nodes D22 to D31 and D36."""

    # ---- what may be played

    def common_texts(self, seat: int, window: str) -> list[str]:
        """Cards, barriers and drains (5.5, 6.2, 7.1)."""
        return self.play_texts(seat, window) + self.paid_texts(seat, window)

    def play_texts(self, seat: int, window: str) -> list[str]:
        """Own cards of the window that can do something (12.1 to 12.4)."""
        hand = self.seats[seat]["hand"]
        usable = [card for card in t.CARDS if hand.get(card) and self._in_window(card, window)]
        return [f"play {card}" for card in usable if self._can_play(seat, card)]

    @staticmethod
    def _in_window(card: str, window: str) -> bool:
        """12.1: `all`, `actions`, `deployment, actions` or `reaction`."""
        named = t.CARDS[card]["window"].split(", ")
        return any(word in named for word in t.WINDOWS[window])

    def _can_play(self, seat: int, card: str) -> bool:
        """The conditions of 12.2 to 12.4; atlas and font always do something."""
        if card in REPEATS:
            seats = [seat] if card == REPEATS[0] else range(self.n)
            return any(self._done_leaders(other) for other in seats)
        conditions = {
            "transmutation": any(self.seats[seat][good] for good in t.RAW),
            "call for aid": self.volunteers >= 1,
            "warding rite": bool(self.may_ward()),
            "ebbing tide": bool(self.may_drain()),
            "augury": self.misfortune_left(),
            "archive recovery": any(self.library["discard"].values()),
        }
        return conditions.get(card, True)

    def _done_leaders(self, seat: int) -> list[str]:
        """Where a leader or hologram of a seat has acted (12.2)."""
        return [
            at
            for at in self.locations()
            if any(self.placed.get((at, seat, kind), {"done": 0})["done"] for kind in ("leader", "hologram"))
        ]

    def take_common(self, text: str) -> None:
        """A card, a barrier or a drain of the seat in turn."""
        word, _, name = text.partition(" ")
        if word == "play":
            self.play(self.turn, name)
        else:
            self.open_purchase(word, name, self.turn)

    def play(self, seat: int, card: str) -> None:
        """The card is in its frame until its effect is over (12.1, 20)."""
        self.leave_hand(seat, card)
        self.pending.append({"do": "card", "seat": seat, "card": card, "target": None})
        if card == "call for aid":
            self.gain_volunteers(seat, 2)
        elif card == "transmutation":
            self.open_swaps(seat, 2)
        elif card == "augury":
            self.open_look(seat, 3, 1)
        elif card in ("warding rite", "ebbing tide"):
            self.open_series("ward" if card == "warding rite" else "ebb", seat, 1, optional=False)

    # ---- the card itself: D24 to D27, D31

    def ask_card(self, frame: Frame) -> Menu | None:
        """The choices that belong to one card alone."""
        seat, card = frame["seat"], frame["card"]
        texts: list[str] = []
        if card == "ancient atlas":
            texts = [f"chart {p}" for p in t.WILD]
        elif card == "mystic font":
            texts = [f"seat {other}" for other in range(self.n)]
        elif card == "archive recovery":
            discard = self.library["discard"]
            fetched = [name for name in t.CARDS if discard.get(name) and name != card]
            texts = ["decline", *[f"keep {name}" for name in fetched]]
        elif card == "enigma of fervour" and frame["target"] is None:
            texts = [f"seat {other}" for other in range(self.n) if self._done_leaders(other)]
        elif card in REPEATS:
            texts = [f"at {at}" for at in self._done_leaders(self._repeater(frame))]
        return asked(seat, texts)

    @staticmethod
    def _repeater(frame: Frame) -> int:
        """The seat whose leader or hologram acts again (12.2)."""
        seat: int = frame["seat"] if frame["target"] is None else frame["target"]
        return seat

    def take_card(self, frame: Frame, text: str) -> None:
        """The choice is made; but for the seat of the enigma, the card is over."""
        card, (word, _, name) = frame["card"], text.partition(" ")
        if card == "enigma of fervour" and word == "seat":
            frame["target"] = int(name)
            return
        if card == "ancient atlas":
            self.effects["atlas"][name] += 1
        elif card == "mystic font":
            self.seats[int(name)]["energy"] += 3
        elif card == "archive recovery":
            self._recover(frame["seat"], name)
        else:
            self._make_ready(self._repeater(frame), name)
        self.go_card(frame)

    def go_card(self, frame: Frame) -> None:
        """The effect is over: into the discard (12.1), or out of the game (12.4)."""
        self.pending.pop()
        if frame["card"] != "archive recovery":
            self._add(self.library["discard"], frame["card"])

    def _recover(self, seat: int, card: str) -> None:
        """12.4: a card into the hand, where it is shown; the rest is reshuffled."""
        if card:
            self.library["discard"][card] -= 1
            self.keep_card(seat, card)
            self._add(self.seats[seat]["shown"], card)
        self.reshuffle_library()

    def _make_ready(self, seat: int, at: str) -> None:
        """12.2: one piece, or all on a double space."""
        if t.is_double(at):
            for _, kind, numbers in self.pieces(at):
                if kind != "automaton":
                    numbers["ready"], numbers["done"] = numbers["ready"] + numbers["done"], 0
            return
        done = [kind for kind in ("leader", "hologram") if self.placed.get((at, seat, kind), {"done": 0})["done"]]
        kind = min(done, key=lambda kind: not self.is_piece_of("orator", seat, kind))
        self.placed[at, seat, kind] = {"ready": 1, "done": 0}

    # ---- D22, D23: free barriers and drains

    def open_series(self, do: str, seat: int, left: int, *, optional: bool) -> None:
        """Up to so many barriers or drains; from the second on `decline` is always offered."""
        self.pending.append({"do": do, "seat": seat, "left": left, "may": optional})

    def _ask_series(self, frame: Frame, texts: list[str]) -> Menu | None:
        """One of the series, skipped when impossible."""
        if not frame["left"] or not texts:
            return None
        return asked(frame["seat"], texts + ["decline"] * frame["may"])

    def ask_ward(self, frame: Frame) -> Menu | None:
        """Offer free barriers (D22)."""
        return self._ask_series(frame, [f"barrier {p}" for p in self.may_ward()])

    def ask_ebb(self, frame: Frame) -> Menu | None:
        """Offer free drains (D23)."""
        return self._ask_series(frame, [f"drain {p}" for p in self.may_drain()])

    def take_ward(self, frame: Frame, text: str) -> None:
        """Put a free barrier."""
        if self._counts(frame, text):
            self.barriers.append(text.split()[1])

    def take_ebb(self, frame: Frame, text: str) -> None:
        """Drain a tile for nothing."""
        if self._counts(frame, text):
            self.flooded[text.split()[1]] -= 1

    @staticmethod
    def _counts(frame: Frame, text: str) -> bool:
        """One of a series is used up; `decline` ends it all (13.2)."""
        frame["left"] = 0 if text == "decline" else frame["left"] - 1
        frame["may"] = True
        return text != "decline"

    def go_ward(self, _: Frame) -> None:
        """The series is over."""
        self.pending.pop()

    go_ebb = go_ward

    # ---- D28, D29: swaps

    def open_swaps(self, seat: int, left: int) -> None:
        """Begin a series of swaps (7.8)."""
        self.pending.append({"do": "swap", "seat": seat, "left": left, "may": False, "given": None})

    def ask_swap(self, frame: Frame) -> Menu | None:
        """What is given, then what is taken."""
        if frame["given"]:
            return asked(frame["seat"], [f"take {good}" for good in t.RAW if good != frame["given"]])
        return self._ask_series(frame, [f"give {good}" for good in t.RAW if self.seats[frame["seat"]][good]])

    def take_swap(self, frame: Frame, text: str) -> None:
        """A swap is complete when something is taken."""
        word, _, good = text.partition(" ")
        me = self.seats[frame["seat"]]
        if word == "give":
            frame["given"] = good
        elif self._counts(frame, text):
            me[frame["given"]] -= 1
            me[good] += 1
            frame["given"] = None

    go_swap = go_ward

    # ---- D30: looks

    def open_look(self, seat: int, depth: int, left: int) -> None:
        """Begin a look at misfortunes (12.7)."""
        self.pending.append({"do": "look", "seat": seat, "open": True, "depth": depth, "left": left})

    def ask_look(self, frame: Frame) -> Menu | None:
        """C8b until enough is known, then what to discard."""
        top, deck = self.misfortunes["top"], t.show(self.misfortunes["deck"], list(t.MISFORTUNES))
        if frame["open"]:
            return (None, {f"look {name}": k for name, k in deck.items()}) if self._more_to_see(frame) else None
        if not frame["left"] or not frame["depth"]:
            return None
        return asked(frame["seat"], ["decline", *[f"remove {name}" for name in top[: frame["depth"]]]])

    def _more_to_see(self, frame: Frame) -> bool:
        """Fewer known on top than looked at, and the deck not used up."""
        return len(self.misfortunes["top"]) < frame["depth"] and any(self.misfortunes["deck"].values())

    def go_look(self, frame: Frame) -> None:
        """All is turned up; or the look is over."""
        if frame["open"]:
            frame["open"], frame["depth"] = False, min(frame["depth"], len(self.misfortunes["top"]))
        else:
            self.pending.pop()

    def take_look(self, frame: Frame, text: str) -> None:
        """A card is turned up, discarded, or no more is."""
        word, _, name = text.partition(" ")
        if word == "look":
            self.misfortunes["deck"][name] -= 1
            self.misfortunes["top"].append(name)
        elif word == "remove":
            self.misfortunes["top"].remove(name)  # the topmost of its kind
            self._add(self.misfortunes["discard"], name)
            frame["depth"] -= 1
            frame["left"] -= 1
        else:
            frame["left"] = 0

    # ---- D36: the card limit (7.12)

    def over_limit(self) -> int | None:
        """The first seat clockwise from the first player with too many library cards."""
        for seat in self.clockwise(self.first):
            me = self.seats[seat]
            limit = 6 if self.in_play(seat, "bottomless satchel") else t.HAND_LIMIT
            if sum(me["hand"].values()) + len(me["artifacts"]) + (me["scholar_artifact"] is not None) > limit:
                return seat
        return None

    def ask_overflow(self) -> Menu | None:
        """Offer to play or discard cards above the limit (D36)."""
        seat = self.over_limit()
        assert seat is not None
        me = self.seats[seat]
        held = [card for card in t.LIBRARY if me["hand"].get(card) or card in me["artifacts"]]
        held += [me["scholar_artifact"]] if me["scholar_artifact"] else []
        return asked(seat, self.play_texts(seat, "A") + [f"discard {card}" for card in held])

    def take_overflow(self, text: str) -> None:
        """A card is played or discarded; a scholar's artifact is unused again (11.7)."""
        seat = self.over_limit()
        assert seat is not None
        me, (word, _, card) = self.seats[seat], text.partition(" ")
        if word == "play":
            self.play(seat, card)
        elif card == me["scholar_artifact"]:
            me["scholar_artifact"] = None
            self.unused_artifacts.append(card)
        else:
            if card in t.ARTIFACTS:
                me["artifacts"].remove(card)
            else:
                self.leave_hand(seat, card)
            self._add(self.library["discard"], card)
