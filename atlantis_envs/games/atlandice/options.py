"""The options of Atlandice (section 14) and the rules record they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import Reader, shown
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.records import packed
from atlantis_envs.errors import OptionError
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.layout import (
    AT_CHAIN_CAP,
    AT_NEEDLES,
    AT_OPTIONS,
    AT_PLAYERS,
    LAYOUT,
    NUM_OPTIONS,
    OBSERVATION_SIZE,
)

ORPHAN_DICE = ("market", "stay")
MACHINERY_BLOCK = ("visit", "round")
L3_COUNTS = ("seat", "beneficiary")
BARE_DISTRICTS = ("scored", "spared")
SCORINGS = ("district", "inventory", "final")
DATA_KEYS = ("game", "about", "clock", "clocks", "needles")


@dataclass(frozen=True)
class AtlandiceOptions:
    """Every option, with JSON values; ``to_json`` writes them all.

    Attributes:
        players: 2, 3 or 4 seats (2.2).
        clock: name of a track, or a tuple of spaces (2.5).
        spaces: the track itself.
        needles: needle symbols of the 15 tiles and the market, 1..3 each (2.6, 2.7).
        optional_effects: bonus and effects may be declined (5.2).
        min_to_rank: pieces needed to be ranked, 0 or 1 (7.3).
        orphan_dice: what becomes of dice beside an exhausted District (7.8).
        same_type_exchange: J2 with equal types (6.5).
        machinery_block: how long a submarine called to the machinery pays nothing (6.13).
        l3_counts: whose second die L3 asks for (6.9).
        neutral_ranked: where neutral is ranked (9.5).
        chain_cap: chained visits allowed in one visit, 1..10 (6.6).
        bare_districts: whether a District that was refilled with nothing is scored after every visit (7.1).
    """

    players: int
    clock: str | tuple[str, ...]
    spaces: tuple[str, ...]
    needles: tuple[int, ...]
    optional_effects: bool
    min_to_rank: int
    orphan_dice: str
    same_type_exchange: bool
    machinery_block: str
    l3_counts: str
    neutral_ranked: tuple[str, ...]
    chain_cap: int
    bare_districts: str

    @property
    def participants(self) -> int:
        """Seats, plus neutral when there are two (1.8)."""
        return 3 if self.players == 2 else self.players

    @property
    def dice(self) -> int:
        """Dice rolled each round (2.2)."""
        return data.DICE[self.players]

    @property
    def visits(self) -> int:
        """Visits per round (2.2)."""
        return self.dice - 1

    @property
    def last(self) -> int:
        """The last clock space (2.5)."""
        return len(self.spaces) - 1

    def to_json(self) -> dict[str, Any]:
        """All options in the order of section 14."""
        return {
            "players": self.players,
            "clock": self.clock if isinstance(self.clock, str) else list(self.clock),
            "needles": dict(zip(data.NEEDLE_KEYS, self.needles, strict=True)),
            "optional_effects": self.optional_effects,
            "min_to_rank": self.min_to_rank,
            "orphan_dice": self.orphan_dice,
            "same_type_exchange": self.same_type_exchange,
            "machinery_block": self.machinery_block,
            "l3_counts": self.l3_counts,
            "neutral_ranked": list(self.neutral_ranked),
            "chain_cap": self.chain_cap,
            "bare_districts": self.bare_districts,
        }

    def fill(self, rules: Record) -> None:
        """Write the rules record the kernels read."""
        rules.players = self.players
        rules.participants = self.participants
        rules.num_dice = self.dice
        rules.visits = self.visits
        rules.last = self.last
        rules.district_pieces = data.DISTRICT_PIECES[self.players]
        rules.chain_cap = self.chain_cap
        rules.min_to_rank = self.min_to_rank
        rules.optional_effects = self.optional_effects
        rules.orphans_stay = self.orphan_dice == "stay"
        rules.same_type_exchange = self.same_type_exchange
        rules.block_round = self.machinery_block == "round"
        rules.bare_spared = self.bare_districts == "spared"
        rules.l3_counts_beneficiary = self.l3_counts == "beneficiary"
        rules.neutral_in_district = "district" in self.neutral_ranked
        rules.neutral_in_inventory = "inventory" in self.neutral_ranked
        rules.neutral_in_final = "final" in self.neutral_ranked
        rules.needles[:] = self.needles
        codes = [data.SPACES.index(space) for space in self.spaces]
        rules.clock[:] = data.SPACE_NONE
        rules.clock[: len(codes)] = codes
        rules.observed_options[:] = observed_options(self)
        self._fill_distances(rules, codes)

    def _fill_distances(self, rules: Record, codes: list[int]) -> None:
        """For every space and event, how many spaces ahead the next one of its kind is."""
        rules.to_event[:] = data.FAR
        for space in range(len(codes) - 2, -1, -1):
            for event in range(data.NUM_EVENTS):
                further = 0 if codes[space + 1] == event else int(rules.to_event[space + 1, event])
                rules.to_event[space, event] = min(data.FAR, further + 1)


# Everything an option can change (section 14), read-only.
RULES = packed(
    [
        ("players", np.int16),
        ("participants", np.int16),  # seats, plus neutral when there are two
        ("num_dice", np.int16),
        ("visits", np.int16),  # per round
        ("last", np.int16),  # last clock space
        ("district_pieces", np.int16),
        ("chain_cap", np.int16),
        ("min_to_rank", np.int8),
        ("optional_effects", np.int8),
        ("orphans_stay", np.int8),
        ("same_type_exchange", np.int8),
        ("block_round", np.int8),
        ("l3_counts_beneficiary", np.int8),
        ("bare_spared", np.int8),
        ("neutral_in_district", np.int8),
        ("neutral_in_inventory", np.int8),
        ("neutral_in_final", np.int8),
        ("needles", np.int8, (data.NUM_TILES + 1,)),  # tiles, then the market
        ("clock", np.int8, (data.MAX_CLOCK,)),  # space -> SPACE_*
        (
            "observed_options",
            np.uint8,
            (OBSERVATION_SIZE,),
        ),  # the part of every observation that options determine
        (
            "to_event",
            np.uint8,
            (data.MAX_CLOCK, data.NUM_EVENTS),
        ),  # space, event -> spaces to the next one, capped
    ]
)


def observed_options(options: AtlandiceOptions) -> NDArray[np.uint8]:
    """What options change (section 14), as an observation that is zero elsewhere; it never changes during a game."""
    out = np.zeros(LAYOUT.size, np.uint8)
    out[AT_NEEDLES : AT_NEEDLES + data.NUM_TILES + 1] = options.needles
    out[AT_PLAYERS + options.players - 2] = 1
    out[AT_OPTIONS : AT_OPTIONS + NUM_OPTIONS] = (
        options.optional_effects,
        options.min_to_rank,
        options.orphan_dice == "stay",
        options.same_type_exchange,
        options.machinery_block == "round",
        options.l3_counts == "beneficiary",
        *(scoring in options.neutral_ranked for scoring in SCORINGS),
        options.bare_districts == "spared",
    )
    out[AT_CHAIN_CAP] = options.chain_cap
    return out


OPTION_NAMES = tuple(field.name for field in fields(AtlandiceOptions) if field.name != "spaces")


@cache
def shipped_data() -> dict[str, Any]:
    """The reconstructed tables that come with the library (``reconstructed.json``)."""
    text = resources.files(__package__).joinpath("reconstructed.json").read_text("utf-8")
    document: dict[str, Any] = parse_json(text)
    return document


def parse_options(
    players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> AtlandiceOptions:
    """Options from keywords, over tables that replace the reconstructed ones, over the defaults.

    Raises:
        OptionError: naming every option or table at fault and what it allows.
    """
    reader = Reader()
    parsed = read_options(reader, "", {"players": 3 if players is None else players, **options}, tables)
    if reader.faults:
        raise OptionError("; ".join(f"{path}: {text}" for path, text in reader.faults))
    return parsed


def read_options(reader: Reader, path: str, given: Any, tables: Mapping[str, Any] | None = None) -> AtlandiceOptions:
    """Options out of a JSON object; faults go to the reader."""
    prefix = f"{path}." if path else ""
    values = reader.mapping(path, given, OPTION_NAMES, required=("players",))
    clocks, default_clock, default_needles = read_tables(reader, tables)
    players = reader.integer(
        f"{prefix}players", values.get("players", data.MIN_PLAYERS), data.MIN_PLAYERS, data.MAX_PLAYERS
    )
    clock, spaces = read_clock(reader, f"{prefix}clock", values.get("clock", default_clock), clocks)
    ranked = reader.sequence(f"{prefix}neutral_ranked", values.get("neutral_ranked", SCORINGS), 0, len(SCORINGS))
    known = all(isinstance(scoring, str) for scoring in ranked)
    if not known or ranked != [scoring for scoring in SCORINGS if scoring in ranked]:
        reader.fault(f"{prefix}neutral_ranked", f"{shown(ranked)}; allowed: any part, in order, of {list(SCORINGS)}")
    return AtlandiceOptions(
        players=players,
        clock=clock,
        spaces=spaces,
        needles=read_needles(reader, f"{prefix}needles", values.get("needles", {}), default_needles),
        optional_effects=reader.boolean(f"{prefix}optional_effects", values.get("optional_effects", False)),
        min_to_rank=reader.integer(f"{prefix}min_to_rank", values.get("min_to_rank", 1), 0, 1),
        orphan_dice=reader.choice(f"{prefix}orphan_dice", values.get("orphan_dice", "market"), ORPHAN_DICE),
        same_type_exchange=reader.boolean(f"{prefix}same_type_exchange", values.get("same_type_exchange", True)),
        machinery_block=reader.choice(
            f"{prefix}machinery_block", values.get("machinery_block", "visit"), MACHINERY_BLOCK
        ),
        l3_counts=reader.choice(f"{prefix}l3_counts", values.get("l3_counts", "seat"), L3_COUNTS),
        neutral_ranked=tuple(ranked),
        chain_cap=reader.integer(
            f"{prefix}chain_cap", values.get("chain_cap", data.DEFAULT_CHAIN_CAP), 1, data.DEFAULT_CHAIN_CAP
        ),
        bare_districts=reader.choice(f"{prefix}bare_districts", values.get("bare_districts", "scored"), BARE_DISTRICTS),
    )


def read_tables(
    reader: Reader, tables: Mapping[str, Any] | None
) -> tuple[dict[str, Any], str | list[str], tuple[int, ...]]:
    """Named clocks, the clock in play and the needles: the user's tables over the shipped ones."""
    shipped = shipped_data()
    needles = read_needles(reader, "needles", shipped["needles"], (1,) * len(data.NEEDLE_KEYS))
    clocks, clock = dict(shipped["clocks"]), shipped["clock"]
    if tables is not None:
        given = reader.mapping("data", tables, DATA_KEYS)
        if "game" in given:
            reader.choice("data.game", given["game"], ("atlandice",))
        own = given.get("clocks", {})
        for name, track in reader.mapping("data.clocks", own, tuple(own) if isinstance(own, Mapping) else ()).items():
            clocks[name] = read_clock(reader, f"data.clocks.{name}", track, {})[1]
        clock = given.get("clock", clock)
        read_clock(reader, "data.clock", clock, clocks)
        needles = read_needles(reader, "data.needles", given.get("needles", {}), needles)
    return clocks, clock, needles


def read_clock(
    reader: Reader, path: str, value: Any, clocks: Mapping[str, Any]
) -> tuple[str | tuple[str, ...], tuple[str, ...]]:
    """A track by name or as a list of spaces (2.5)."""
    if isinstance(value, str):
        if value in clocks:
            spaces = tuple(clocks[value])
            known = tuple(shipped_data()["clocks"].get(value, ()))
            return (value if spaces == known else spaces), spaces  # a name that others do not know is written out
        reader.fault(path, f"{value!r}; allowed: {', '.join(map(repr, clocks))} or a list of spaces")
        return ("start", "end"), ("start", "end")
    track = reader.sequence(path, value, 2, data.MAX_CLOCK)
    last = len(track) - 1
    for index, space in enumerate(track):
        inner = data.SPACES[: data.SPACE_START]
        reader.choice(f"{path}[{index}]", space, ("start",) if index == 0 else ("end",) if index == last else inner)
    if not track:
        track = ["start", "end"]
    return tuple(track), tuple(track)


def read_needles(reader: Reader, path: str, value: Any, default: tuple[int, ...]) -> tuple[int, ...]:
    """Needle symbols by tile; an absent one keeps its default (2.7)."""
    given = reader.mapping(path, value, data.NEEDLE_KEYS)
    return tuple(
        reader.integer(f"{path}.{key}", given.get(key, standard), data.MIN_NEEDLES, data.MAX_NEEDLES)
        for key, standard in zip(data.NEEDLE_KEYS, default, strict=True)
    )
