"""Setup, misfortunes, Wrath and the way from phase to phase (sections 3, 4, 6, 10)."""

from __future__ import annotations

from collections.abc import Callable

from . import tables as t
from .actions import Actions
from .placing import DIVERS
from .table import Frame, Menu, asked

SETUP_STEPS = ["first", "artifact", "component", "artificer", "councilor", "draft"]


class Rounds(Actions):
    """Nodes D1 to D3, D7 to D10, C1 to C8, and what the program does between nodes."""

    # ---- setup (3)

    def ask_setup(self, frame: Frame) -> Menu | None:
        """C1 to C5, D1: the step still to be done, None where it has no node or is over."""
        asks: dict[str, Callable[[], Menu | None]] = {
            "first": self._ask_first,
            "artifact": self._ask_artifact,
            "component": self._ask_component,
            "artificer": self._ask_artificer,
            "councilor": self._ask_councilor,
            "draft": self._ask_draft,
        }
        return asks[frame["step"]]()

    def _ask_first(self) -> Menu | None:
        """Draw the first player (C1, 3a)."""
        return asked(None, [f"first {seat}" for seat in range(self.n)] if self._random("first_player") else [])

    def _random(self, option: str) -> bool:
        """An option left to chance."""
        return bool(self.options[option] == "random")

    def _ask_artifact(self) -> Menu | None:
        """Draw an artifact for the library (C2, 3c)."""
        drawn = sum(number for name, number in self.library["deck"].items() if name in t.ARTIFACTS)
        due = drawn < t.ARTIFACTS_IN_LIBRARY
        return asked(None, [f"artifact {name}" for name in self.unused_artifacts] if due else [])

    def _ask_component(self) -> Menu | None:
        """C3: letter by letter (3e)."""
        for letter, number in t.level_row(self.level)["components"].items():
            mine = [name for name, row in t.COMPONENTS.items() if row["letter"] == letter]
            left = [name for name in mine if name not in self.blueprint]
            if len(mine) - len(left) < number:
                return asked(None, [f"component {name}" for name in left])
        return None

    def _councilors_left(self) -> list[str]:
        """Boards that no seat has."""
        taken = [seat["councilor"] for seat in self.seats]
        return [name for name in t.COUNCILORS if name not in taken]

    def _without(self) -> list[int]:
        """Seats without a councilor."""
        return [seat for seat in range(self.n) if self.seats[seat]["councilor"] is None]

    def _ask_artificer(self) -> Menu | None:
        """Draw the seat of the artificer (C4, 3f)."""
        due = self._random("councilors") and self.options["force_artificer"] and len(self._without()) == self.n
        return asked(None, [f"artificer {seat}" for seat in range(self.n)] if due else [])

    def _ask_councilor(self) -> Menu | None:
        """Draw a councilor (C5, 3f)."""
        due = self._random("councilors") and self._without()
        return asked(None, [f"councilor {name}" for name in self._councilors_left()] if due else [])

    def _ask_draft(self) -> Menu | None:
        """D1 (3f): the last seat may have to be the artificer."""
        waiting, left = self._without(), self._councilors_left()
        if self.options["councilors"] != "draft" or not waiting:
            return None
        if self.options["force_artificer"] and len(waiting) == 1 and "artificer" in left:
            left = ["artificer"]
        return asked(waiting[0], [f"councilor {name}" for name in left])

    def take_setup(self, frame: Frame, text: str) -> None:
        """One outcome or choice of setup."""
        word, _, value = text.partition(" ")
        if word == "first":
            self.first = self.turn = int(value)
            self.go_setup(frame)
        elif word == "artifact":
            self.unused_artifacts.remove(value)
            self._add(self.library["deck"], value)
        elif word == "component":
            self.blueprint.append(value)
        elif word == "artificer":
            self.seats[int(value)]["councilor"] = "artificer"
        else:
            self.seats[self._without()[0]]["councilor"] = value

    def go_setup(self, frame: Frame) -> None:
        """The next step; a list of councilors is dealt when its step comes (3f)."""
        if frame["step"] == SETUP_STEPS[-1]:
            self.pending.pop()
            return
        frame["step"] = SETUP_STEPS[SETUP_STEPS.index(frame["step"]) + 1]
        if frame["step"] == "artificer" and isinstance(self.options["councilors"], list):
            for seat, name in zip(self.seats, self.options["councilors"], strict=True):
                seat["councilor"] = name

    def go_after_setup(self) -> None:
        """Draw for the scholar, stack the boards left, and begin round 1 (3h to 3j)."""
        for seat in range(self.n):
            if self.seats[seat]["councilor"] == "scholar" and self.seats[seat]["scholar_artifact"] is None:
                self.pending.append({"do": "scholar", "seat": seat, "for": "seat", "seen": []})
                return
        if self.councilors is not None:
            self.councilors["stack"] = self._councilors_left()
        self._begin_round()

    # ---- the start of a round (4)

    def _begin_round(self) -> None:
        """Begin a round: budgets, energy, the hologram's boards (4.1 to 4.4)."""
        self.round += 1
        self.phase = "start"
        self._forgive()
        self.effects, self.built_this_round = self._no_effects(), 0
        for number, seat in enumerate(self.seats):
            seat["lifts"], seat["yields"] = self.options["lift_budget"], self.options["yield_budget"]
            seat["used"] = []
            seat["energy"] += self._round_energy() + self.in_play(number, "mystic conduit")
        if self.n == 1 and self.options["solo_energy"] == "track":
            self.track_energy_taken = min(self.round, t.TRACK_SPACES)
        if self.councilors is not None:
            self.pending.append({"do": "board", "seen": []})

    def _round_energy(self) -> int:
        """The energy of a round (4.2)."""
        if self.n > 1:
            return 0
        return int(self.options["solo_energy"] == "every round" or self.round <= t.TRACK_SPACES)

    def ask_board(self, frame: Frame) -> Menu | None:
        """C7 twice, then D3 (4.4)."""
        assert self.councilors is not None
        if len(frame["seen"]) < 2:
            return asked(None, [f"board {name}" for name in t.COUNCILORS if name in self.councilors["stack"]])
        return asked(self.first, [f"councilor {name}" for name in frame["seen"]])

    def go_board(self, _: Frame) -> None:
        """The stack is empty: the discard becomes it (4.4)."""
        assert self.councilors is not None
        self.councilors = {"stack": self.councilors["discard"], "discard": []}

    def take_board(self, frame: Frame, text: str) -> None:
        """A board is turned up; or one is chosen, and the hologram joins the first player (4.4)."""
        assert self.councilors is not None
        word, _, name = text.partition(" ")
        if word == "board":
            self.councilors["stack"].remove(name)
            frame["seen"].append(name)
            return
        self.pending.pop()
        self.councilors["discard"] += [other for other in frame["seen"] if other != name]
        self.hologram = {"councilor": name, "artifact": None}
        self.seats[self.first]["home"]["hologram"] = 1
        if name == "scholar":
            self.pending.append({"do": "scholar", "seat": self.first, "for": "hologram", "seen": []})

    def ask_scholar(self, frame: Frame) -> Menu | None:
        """C6 twice, then D2 (11.7)."""
        if len(frame["seen"]) == 2:
            return asked(frame["seat"], [f"keep {name}" for name in frame["seen"]])
        fitting = [name for name, row in t.ARTIFACTS.items() if name in self.unused_artifacts and row["scholar_symbol"]]
        return asked(None, [f"artifact {name}" for name in fitting if name not in frame["seen"]])

    def take_scholar(self, frame: Frame, text: str) -> None:
        """Shown, or kept by the seat or the hologram."""
        word, _, name = text.partition(" ")
        if word == "artifact":
            frame["seen"].append(name)
            return
        self.pending.pop()
        self.unused_artifacts.remove(name)
        if frame["for"] == "seat":
            self.seats[frame["seat"]]["scholar_artifact"] = name
        else:
            assert self.hologram is not None
            self.hologram["artifact"] = name

    # ---- from phase to phase

    def _enter(self, phase: str) -> None:
        """Turns begin at the first player; bars end with a phase (9.5, 20)."""
        self.phase = phase
        self.rewind()
        self._forgive()
        self.call = self.has_call()

    def _forgive(self) -> None:
        """Bars and declines are of one phase (9.5)."""
        for seat in self.seats:
            seat["declines"], seat["barred"] = self.options["decline_budget"], False

    def go_start(self) -> None:
        """Enter deployment (4.5)."""
        self._enter("deploy")

    def go_deploy(self) -> None:
        """All are ready: misfortunes (5.9, 6.1)."""
        self.hold_back()
        self._enter("misfortune")
        other = (self.first + 1) % self.n
        few = [self.first, self.first, other, other]
        self.draws = few if self.n <= 2 else [*self.clockwise(self.first), self.first][: max(self.n, 4)]

    def go_act(self) -> None:
        """7.13, then phase 4 (10.1)."""
        for at in t.LOCATIONS:
            self.send_home(at)
        for seat in self.seats:
            self.volunteers += seat["spent_volunteers"]
            seat["spent_volunteers"] = 0
        self._enter("wrath")
        self.floods = t.WRATH[self.wrath] + self.effects["extra_floods"]

    def go_wrath(self) -> None:
        """Nothing left to flood, or the round is over (6.8, 10.2 to 10.4)."""
        if self.floods:
            self.lose("sunk")
            return
        self.wrath = min(self.wrath + 1, t.TRACK_SPACES - 1)
        self._dismiss_hologram()
        self.first = (self.first + 1) % self.n
        self.rewind()
        limit = self.options["round_limit"]
        if limit is not None and self.round >= limit:
            self.lose("round limit")
        elif self.round >= self.options["truncation"]:
            self.lose("truncated")
        else:
            self._begin_round()

    def _dismiss_hologram(self) -> None:
        """Send the hologram away at the end of the round (10.3)."""
        if self.hologram is None or self.councilors is None:
            return
        self.seats[self.first]["home"]["hologram"] = 0
        if self.hologram["councilor"]:
            self.councilors["discard"].append(self.hologram["councilor"])
        if self.hologram["artifact"]:
            self.unused_artifacts.append(self.hologram["artifact"])
        self.hologram = {"councilor": None, "artifact": None}

    # ---- windows and draws (6.1, 6.2)

    def ask_window(self) -> Menu | None:
        """D7, for a seat that can do something."""
        texts = self.common_texts(self.turn, "W")
        return asked(self.turn, ["pass", *texts]) if texts and self.passes < self.n else None

    def go_window(self) -> None:
        """A seat is not asked; or the window closes."""
        if self.passes < self.n:
            self.idle()
        else:
            self.window = False
            self.rewind()

    def take_window(self, text: str) -> None:
        """One turn in a window."""
        if text == "pass":
            self.idle()
        else:
            self.open_turn()
            self.take_common(text)

    def ask_draw(self) -> Menu | None:
        """Draw a misfortune (C8)."""
        top, deck = self.misfortunes["top"], t.show(self.misfortunes["deck"], list(t.MISFORTUNES))
        if top:
            return asked(None, [f"misfortune {top[0]}"])
        return (None, {f"misfortune {name}": number for name, number in deck.items()}) if deck else None

    def go_draw(self) -> None:
        """The deck is empty: the discard becomes it (6.11)."""
        self.misfortunes["deck"], self.misfortunes["discard"] = self.misfortunes["discard"], {}

    def take_draw(self, text: str) -> None:
        """The card is drawn and resolved."""
        card = text.partition(" ")[2]
        if self.misfortunes["top"]:
            self.misfortunes["top"].pop(0)
        else:
            self.misfortunes["deck"][card] -= 1
        frame = {"do": "misfortune", "seat": self.draws.pop(0), "card": card, "left": 0, "not": None}
        self.pending.append(frame)
        self._resolve(frame)

    def go_late(self) -> None:
        """The last card is resolved and nothing is held: actions (6.10)."""
        self._enter("actions")

    # ---- misfortunes (6.3 to 6.9)

    def _resolve(self, frame: Frame) -> None:
        """What a card does without a choice, and how many choices it brings."""
        card = frame["card"]
        choices = {"controlled flooding": 1, "plague": 2, "tidal wave": 1, "storm surge": 2}
        frame["left"] = choices.get(card, 0)
        if card in t.PENINSULAS and self.flooded[card] == t.LAST:
            frame["left"] = 2
        elif card in t.PENINSULAS:
            self.flood(card)
        elif card == "broken wards":
            frame["left"] = 0 if self.barriers else 1
            self.barriers = []
        else:
            self._resolve_special(card, frame["seat"])

    def _resolve_special(self, card: str, seat: int) -> None:
        """Resolve a special misfortune (6.9)."""
        if card in t.CLOSES:
            self.effects["closed"].append(t.CLOSES[card])
        elif card == "earthquake":
            self.effects["earthquake"] += 1
        elif card == "unstable gate":
            self.effects["build_limit"] = 1
        elif card == "mystic leak":
            for other in self.seats:
                other["energy"] -= other["energy"] >= 1
        elif card == "maelstrom":
            self.draws = [seat, seat, *self.draws]
        elif card == "divine fury":
            self.effects["extra_floods"] += 1

    def _plagued(self, frame: Frame) -> int:
        """The drawing seat, then the next one (6.9)."""
        seat: int = frame["seat"]
        return seat if frame["left"] == 2 else (seat + 1) % self.n

    def ask_misfortune(self, frame: Frame) -> Menu | None:
        """Offer peninsulas to flood (D8) or followers to send home (D10)."""
        if not frame["left"]:
            return None
        if frame["card"] == "plague":
            seat = self._plagued(frame)
            return asked(frame["seat"], [f"at {at}" for at in t.LOCATIONS if (at, seat, "follower") in self.placed])
        choices = [p for p in self.floodable() if p != frame["not"]]
        if frame["card"] == "tidal wave":
            choices = [p for p in choices if self.flooded[p] == min(self.flooded.values())]
        return asked(frame["seat"], [f"flood {p}" for p in choices])

    def go_misfortune(self, frame: Frame) -> None:
        """The card is over; or there is nothing to choose from (6.8, 6.9)."""
        if frame["left"] and frame["card"] == "plague":
            frame["left"] -= 1
        elif frame["left"] and frame["not"] is None:
            self.lose("sunk")
        elif frame["left"]:
            frame["left"] = 0
        else:
            self.pending.pop()
            self._add(self.misfortunes["discard"], frame["card"])
            self.window = bool(self.draws)

    def take_misfortune(self, frame: Frame, text: str) -> None:
        """A flood of choice, or a follower sent home."""
        value = text.partition(" ")[2]
        if frame["card"] == "plague":
            self._strike(value, self._plagued(frame))
            frame["left"] -= 1
            return
        frame["left"] -= 1
        if frame["card"] == "storm surge":
            frame["not"] = value
        if frame["card"] == "controlled flooding":
            self.barriers = [p for p in self.barriers if p != value]
            self.flip(value)
        else:
            self.flood(value)

    def _strike(self, at: str, seat: int) -> None:
        """A follower goes home, and an automaton that it leaves alone."""
        self.take_off(at, seat, "follower")
        self.seats[seat]["home"]["follower"] += 1
        if all(kind == "automaton" for _, kind, _ in self.pieces(at)):
            self.send_home(at)

    def flood(self, peninsula: str) -> None:
        """6.3: a barrier absorbs it."""
        if peninsula in self.barriers:
            self.barriers.remove(peninsula)
        else:
            self.flip(peninsula)

    def flip(self, peninsula: str) -> None:
        """6.4: the tile that turns over, then the others with divers, under water or not."""
        self.flooded[peninsula] += 1
        turned = f"{peninsula} {self.flooded[peninsula]}"
        others = [f"{peninsula} {k}" for k in range(1, t.LAST + 1) if k != self.flooded[peninsula]]
        if self.options["divers"] == "flooded tile":
            others = [at for at in others if self.is_flooded(at)]
        tiles = [turned] + [at for at in others if any(self.owner_of(diver, at) is not None for diver in DIVERS)]
        self.pending.append({"do": "displace", "tiles": tiles, "ask": self._rescuers(tiles[0])})

    def _rescuers(self, at: str) -> list[int]:
        """Who is asked for a swift evacuation: nobody where nothing is at stake (6.5)."""
        if not self.count(at) or self.owner_of("champion", at) is not None:
            return []
        return [seat for seat in self.clockwise(self.first) if self.seats[seat]["hand"].get("swift evacuation")]

    def ask_displace(self, frame: Frame) -> Menu | None:
        """Ask the next holder of swift evacuation (D9)."""
        return asked(frame["ask"][0], ["decline", "play swift evacuation"]) if frame["ask"] else None

    def take_displace(self, frame: Frame, text: str) -> None:
        """The pieces of this tile stay, or the next seat is asked."""
        seat = frame["ask"].pop(0)
        if text == "decline":
            return
        self.leave_hand(seat, "swift evacuation")
        self._add(self.library["discard"], "swift evacuation")
        self._next_tile(frame)

    def go_displace(self, frame: Frame) -> None:
        """Nobody helps: home, unless a champion piece is there (6.5)."""
        if self.owner_of("champion", frame["tiles"][0]) is None:
            self.send_home(frame["tiles"][0])
        self._next_tile(frame)

    def _next_tile(self, frame: Frame) -> None:
        """The next affected tile."""
        frame["tiles"].pop(0)
        if frame["tiles"]:
            frame["ask"] = self._rescuers(frame["tiles"][0])
        else:
            self.pending.pop()

    # ---- Wrath (10.1)

    def ask_wrath(self) -> Menu | None:
        """D8 of the first player."""
        return asked(self.first, [f"flood {p}" for p in self.floodable()]) if self.floods else None

    def take_wrath(self, text: str) -> None:
        """A barrier absorbs it, and it counts."""
        self.floods -= 1
        self.flood(text.split()[1])
