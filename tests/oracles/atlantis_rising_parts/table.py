"""What lies on the table: the position of section 20, how it is read and written, and what can be seen on it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from . import tables as t

Frame = dict[str, Any]
# who is asked (None: chance) and what is offered, with weights
Menu = tuple[int | None, dict[str, int]]
PIECE_ORDER = ["leader", "hologram", "follower", "volunteer"]  # after an orator piece (7.4)


def asked(seat: int | None, texts: Iterable[str]) -> Menu | None:
    """A decision among texts, or equal chances; None where nothing is offered."""
    offered = dict.fromkeys(texts, 1)
    return (seat, offered) if offered else None


def separate(data: dict[str, Any]) -> dict[str, Any]:
    """A copy of JSON that shares nothing with it."""
    copied: dict[str, Any] = json.loads(json.dumps(data))
    return copied


def new_seat(row: dict[str, Any], energy: int) -> dict[str, Any]:
    """A seat as 3g leaves it; lifts and yields come with the round (4.1)."""
    home = dict.fromkeys(t.KINDS, 0) | {"leader": 1, "follower": row["followers"], "automaton": int(row["automaton"])}
    return {
        "councilor": None,
        **dict.fromkeys(t.RESOURCES, 0),
        "energy": energy,
        "hand": {},
        "artifacts": [],
        "scholar_artifact": None,
        "home": home,
        "spent_volunteers": 0,
        "reserve": row["reserve"],
        "removed": 0,
        "lifts": 0,
        "yields": 0,
        "declines": 0,
        "barred": False,
        "used": [],
        "shown": {},
    }


class Table:
    """The state, and questions about it that many clauses ask."""

    def __init__(self, players: int, level: int, options: dict[str, Any]) -> None:
        """The root: what needs neither chance nor choice is laid out at once (3)."""
        self.n, self.level = players, level
        self.options = t.complete(level, options)
        t.check_options(players, level, self.options)
        row, rank = t.seats_row(players), t.level_row(level)
        self.phase = "setup"
        self.round = 0
        self.first = 0 if self.options["first_player"] == "random" else int(self.options["first_player"])
        self.turn, self.passes = self.first, 0
        self.flooded = dict.fromkeys(t.PENINSULAS, 0)
        self.barriers: list[str] = []
        self.wrath = self.track_energy_taken = 0
        fixed = rank["fixed"] or (self.options["blueprint"] if self.options["blueprint"] != "random" else [])
        self.blueprint: list[str] = [*fixed, t.CORE]
        self.built: list[str] = []
        self.built_this_round = 0
        self.seats = [new_seat(row, rank["energy_per_seat"]) for _ in range(players)]
        self.placed: dict[tuple[str, int, str], dict[str, int]] = {}
        self.volunteers = t.VOLUNTEERS
        deck = {name: int(card["copies"]) for name, card in t.CARDS.items()}
        self.library: dict[str, Any] = {"deck": deck, "bottom": [], "discard": {}}
        self.unused_artifacts = list(t.ARTIFACTS)
        self.misfortunes: dict[str, Any] = {"deck": t.copies(level), "top": [], "discard": {}}
        few = row["hologram"]
        self.councilors: dict[str, list[str]] | None = {"stack": [], "discard": []} if few else None
        self.hologram: dict[str, str | None] | None = {"councilor": None, "artifact": None} if few else None
        self.effects = self._no_effects()
        self.draws: list[int] = []
        self.window = False
        self.call = False  # the first player has to name the next seat (5.4)
        self.held: dict[str, Any] | None = None
        self.floods = 0
        self.pending: list[Frame] = [{"do": "setup", "step": "first"}]
        self.result: dict[str, Any] | None = None

    @staticmethod
    def _no_effects() -> dict[str, Any]:
        """Nothing special happens this round (4.1)."""
        atlas = dict.fromkeys(t.WILD, 0)
        return {"earthquake": 0, "atlas": atlas, "closed": [], "build_limit": None, "extra_floods": 0}

    # ---- JSON (20)

    def _read(self, data: dict[str, Any]) -> None:
        """Take over a position; the input is trusted."""
        data = separate(data)
        names = ["phase", "round", "first", "turn", "passes", "flooded", "barriers", "wrath", "track_energy_taken"]
        names += ["blueprint", "built", "built_this_round", "volunteers", "library", "unused_artifacts", "misfortunes"]
        names += ["councilors", "hologram", "effects", "draws", "window", "held", "floods", "pending", "result"]
        for name in names:
            setattr(self, name, data[name])
        self.call = data.get("call", False)
        self.seats = [{**seat, "shown": seat.get("shown", {})} for seat in data["seats"]]
        self.placed = {
            (entry["at"], entry["seat"], entry["kind"]): {"ready": entry["ready"], "done": entry["done"]}
            for entry in data["placed"]
        }

    def to_json(self) -> dict[str, Any]:
        """The position as section 20 writes it."""
        data = {
            "game": "atlantis_rising",
            "players": self.n,
            "level": self.level,
            "options": t.differing(self.level, self.options),
            "phase": self.phase,
            "round": self.round,
            "first": self.first,
            "turn": self.turn,
            "passes": self.passes,
            "flooded": self.flooded,
            "barriers": sorted(self.barriers, key=t.PENINSULAS.index),
            "wrath": self.wrath,
            "track_energy_taken": self.track_energy_taken,
            "blueprint": sorted(self.blueprint, key=list(t.COMPONENTS).index),
            "built": self.built,
            "built_this_round": self.built_this_round,
            "seats": [self._seat_json(seat) for seat in self.seats],
            "placed": self._placed_json(),
            "volunteers": self.volunteers,
            "library": self._pile_json(self.library, ["deck", "bottom", "discard"], t.LIBRARY),
            "unused_artifacts": sorted(self.unused_artifacts, key=list(t.ARTIFACTS).index),
            "misfortunes": self._pile_json(self.misfortunes, ["deck", "top", "discard"], list(t.MISFORTUNES)),
            "councilors": self._boards_json(),
            "hologram": self.hologram,
            "effects": {**self.effects, "closed": sorted(self.effects["closed"], key=t.CLOSABLE.index)},
            "draws": self.draws,
            "window": self.window,
            **({"call": self.call} if self.options["casting_vote"] else {}),
            "held": self.held,
            "floods": self.floods,
            "pending": self.pending,
            "result": self.result,
        }
        return separate(data)

    def _seat_json(self, seat: dict[str, Any]) -> dict[str, Any]:
        """One seat; `shown` only with hidden hands."""
        data = {
            **seat,
            "hand": t.show(seat["hand"], list(t.CARDS)),
            "artifacts": sorted(seat["artifacts"], key=list(t.ARTIFACTS).index),
            "used": [name for name in t.ARTIFACTS if name in seat["used"]],
            "shown": t.show(seat["shown"], list(t.CARDS)),
        }
        if self.options["hands_open"]:
            del data["shown"]
        return data

    def _placed_json(self) -> list[dict[str, Any]]:
        """Pieces on the board by location, seat, kind."""
        order = sorted(self.placed, key=lambda key: (t.LOCATIONS.index(key[0]), key[1], t.KINDS.index(key[2])))
        return [{"at": at, "seat": seat, "kind": kind, **self.placed[at, seat, kind]} for at, seat, kind in order]

    @staticmethod
    def _pile_json(pile: dict[str, Any], keys: list[str], order: list[str]) -> dict[str, Any]:
        """Deck, known part and discard."""
        return {key: t.show(pile[key], order) if isinstance(pile[key], dict) else pile[key] for key in keys}

    def _boards_json(self) -> dict[str, list[str]] | None:
        """The councilor boards of one or two seats."""
        if self.councilors is None:
            return None
        return {key: sorted(self.councilors[key], key=t.COUNCILORS.index) for key in ("stack", "discard")}

    # ---- seats and pieces

    def clockwise(self, start: int) -> list[int]:
        """All seats from one on."""
        return [(start + k) % self.n for k in range(self.n)]

    def is_piece_of(self, councilor: str, seat: int, kind: str) -> bool:
        """Whether a piece is the one that has the ability of a councilor (11)."""
        if kind == "leader":
            return bool(self.seats[seat]["councilor"] == councilor)
        return kind == "hologram" and self.hologram is not None and self.hologram["councilor"] == councilor

    def pieces(self, at: str) -> Iterator[tuple[int, str, dict[str, int]]]:
        """Seat, kind and numbers of the pieces at a location, in canonical order."""
        here = [key for key in self.placed if key[0] == at]
        for key in sorted(here, key=lambda key: (key[1], t.KINDS.index(key[2]))):
            yield key[1], key[2], self.placed[key]

    def count(self, at: str) -> int:
        """How many pieces stand at a location."""
        return sum(sum(numbers.values()) for _, _, numbers in self.pieces(at))

    def owner_of(self, councilor: str, at: str) -> int | None:
        """The owner of a councilor's piece at a location, None without one."""
        for seat, kind, _ in self.pieces(at):
            if self.is_piece_of(councilor, seat, kind):
                return seat
        return None

    def owners(self, at: str, opener: int) -> list[int]:
        """Seats with a piece other than the automaton there, clockwise from the opener (7.7, 8.1)."""
        present = {seat for seat, kind, _ in self.pieces(at) if kind != "automaton"}
        return [seat for seat in self.clockwise(opener) if seat in present]

    def put(self, at: str, seat: int, kind: str) -> None:
        """A piece leaves home and stands ready."""
        self.seats[seat]["home"][kind] -= 1
        self.placed.setdefault((at, seat, kind), {"ready": 0, "done": 0})["ready"] += 1

    def take_off(self, at: str, seat: int, kind: str) -> None:
        """One piece leaves its location, a ready one first."""
        numbers = self.placed[at, seat, kind]
        numbers["ready" if numbers["ready"] else "done"] -= 1
        if sum(numbers.values()) == 0:
            del self.placed[at, seat, kind]

    def send_home(self, at: str) -> None:
        """All pieces of a location go home; volunteers are used up (6.5, 7.13, 8.6)."""
        for seat, kind, numbers in list(self.pieces(at)):
            number = sum(numbers.values())
            del self.placed[at, seat, kind]
            if kind == "volunteer":
                self.seats[seat]["spent_volunteers"] += number
            else:
                self.seats[seat]["home"][kind] += number

    def gain_volunteers(self, seat: int, number: int) -> None:
        """As many volunteers as the supply has (R-32)."""
        number = min(number, self.volunteers)
        self.volunteers -= number
        self.seats[seat]["home"]["volunteer"] += number

    def recruit(self, seat: int) -> None:
        """One follower from the reserve (7.7)."""
        self.seats[seat]["reserve"] -= 1
        self.seats[seat]["home"]["follower"] += 1

    # ---- cards

    def in_play(self, seat: int, artifact: str) -> bool:
        """Whether a seat has an artifact in play, in whatever way (12.9)."""
        of_hologram = self.hologram is not None and self.hologram["artifact"] == artifact and seat == self.first
        return (
            artifact in self.seats[seat]["artifacts"] or self.seats[seat]["scholar_artifact"] == artifact or of_hologram
        )

    def library_left(self) -> bool:
        """A library card can be drawn: bottom cards belong to the deck (7.3, C10)."""
        return any(self.library["deck"].values()) or bool(self.library["bottom"])

    def misfortune_left(self) -> bool:
        """The misfortune deck is not empty, known cards on top included (6.11)."""
        return any(self.misfortunes["deck"].values()) or bool(self.misfortunes["top"])

    def library_outcomes(self) -> Menu | None:
        """C10: a card of the unknown part, then the bottom cards in order."""
        deck = t.show(self.library["deck"], t.LIBRARY)
        if deck:
            return None, {f"library {name}": number for name, number in deck.items()}
        return asked(None, [f"library {name}" for name in self.library["bottom"][:1]])

    def draw_library(self, card: str) -> None:
        """The drawn card leaves the deck."""
        if any(self.library["deck"].values()):
            self.library["deck"][card] -= 1
        else:
            self.library["bottom"].pop(0)

    def reshuffle_library(self) -> None:
        """Discard and bottom cards join the unknown part (12.8)."""
        for card, number in self.library["discard"].items():
            self._add(self.library["deck"], card, number)
        for card in self.library["bottom"]:
            self._add(self.library["deck"], card)
        self.library["discard"], self.library["bottom"] = {}, []

    def keep_card(self, seat: int, card: str) -> None:
        """A card to the hand, an artifact openly into play (7.9)."""
        if card in t.ARTIFACTS:
            self.seats[seat]["artifacts"].append(card)
        else:
            self._add(self.seats[seat]["hand"], card)

    def leave_hand(self, seat: int, card: str) -> None:
        """A card leaves the hand; a shown copy goes first (15.2)."""
        self.seats[seat]["hand"][card] -= 1
        if self.seats[seat]["shown"].get(card):
            self.seats[seat]["shown"][card] -= 1

    @staticmethod
    def _add(heap: dict[str, int], name: str, number: int = 1) -> None:
        """More of something in a multiset."""
        heap[name] = heap.get(name, 0) + number

    # ---- water

    def may_ward(self) -> list[str]:
        """Peninsulas on which a barrier can be put (9.2)."""
        return [p for p in t.PENINSULAS if p not in self.barriers and self.flooded[p] < t.LAST]

    def may_drain(self) -> list[str]:
        """Peninsulas with a flooded tile (9.3)."""
        return [p for p in t.PENINSULAS if self.flooded[p] >= 1]

    def floodable(self) -> list[str]:
        """Peninsulas with an open tile (D8)."""
        return [p for p in t.PENINSULAS if self.flooded[p] < t.LAST]

    def lose(self, reason: str) -> None:
        """The end without the core; a misfortune in resolution is discarded (16.2, 20)."""
        self._end(False, reason)

    def _end(self, win: bool, reason: str) -> None:
        """The game is over; all else stays as it is (20)."""
        for frame in self.pending:
            if frame["do"] == "misfortune":
                self._add(self.misfortunes["discard"], frame["card"])
        self.phase, self.pending = "over", []
        self.result = {"win": win, "reason": reason}
