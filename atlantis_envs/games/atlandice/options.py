"""The options of Atlandice (section 14) and the rules record they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import Reader, child, listed, repr_short
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.options import NEEDED, Between, Custom, GameOptions, Known, accepted, handicap_option, option
from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlandice import data, layout
from atlantis_envs.games.atlandice.data import Space
from atlantis_envs.games.atlandice.layout import At

SCORINGS = ("district", "inventory", "final")
DATA_KEYS = ("game", "about", "clock", "clocks", "needles")


class Tables(NamedTuple):
    """The reconstructed tables in play: named clocks, the clock if none is chosen, needles by tile."""

    clocks: Mapping[str, Any]
    clock: Any
    needles: tuple[int, ...]


@cache
def shipped_data() -> dict[str, Any]:
    """Return the reconstructed tables that come with the library (``reconstructed.json``)."""
    text = resources.files(__package__).joinpath("reconstructed.json").read_text("utf-8")
    document: dict[str, Any] = parse_json(text)
    return document


def read_clock(reader: Reader, path: str, value: Any, clocks: Mapping[str, Any]) -> str | tuple[str, ...]:
    """Read a track by name or as a list of spaces (2.5); a name that others do not know is written out."""
    if isinstance(value, str):
        if value in clocks:
            spaces = tuple(clocks[value])
            return value if spaces == tuple(shipped_data()["clocks"].get(value, ())) else spaces
        reader.fault(path, f"{repr_short(value)}; allowed: {listed(clocks)} or a list of spaces")
        return "start", "end"
    track = reader.sequence(path, value, 2, data.MAX_CLOCK)
    last = len(track) - 1
    for index, space in enumerate(track):
        inner = data.SPACES[: Space.START]
        reader.choice(f"{path}[{index}]", space, ("start",) if index == 0 else ("end",) if index == last else inner)
    return tuple(track) or ("start", "end")


def read_needles(reader: Reader, path: str, value: Any, default: tuple[int, ...]) -> tuple[int, ...]:
    """Read needle symbols by tile; an absent one keeps its default (2.7)."""
    given = reader.mapping(path, value, data.NEEDLE_KEYS)
    return tuple(
        reader.integer(f"{path}.{key}", given.get(key, standard), data.MIN_NEEDLES, data.MAX_NEEDLES)
        for key, standard in zip(data.NEEDLE_KEYS, default, strict=True)
    )


def read_ranked(reader: Reader, path: str, value: Any, known: Known) -> tuple[str, ...]:
    """Read scorings in their order (9.5)."""
    ranked = reader.sequence(path, value, 0, len(SCORINGS))
    texts = all(isinstance(scoring, str) for scoring in ranked)
    if not texts or ranked != [scoring for scoring in SCORINGS if scoring in ranked]:
        reader.fault(path, f"{repr_short(ranked)}; allowed: any part, in order, of {list(SCORINGS)}")
    return tuple(ranked)


CLOCK = Custom(
    f'the name of a clock, or a list of 2..{data.MAX_CLOCK} spaces, "start" to "end"',
    lambda reader, path, value, known: read_clock(reader, path, value, known["tables"].clocks),
)
NEEDLES = Custom(
    f'an object: a tile or "market" -> {data.MIN_NEEDLES}..{data.MAX_NEEDLES}',
    lambda reader, path, value, known: read_needles(reader, path, value, known["tables"].needles),
    lambda needles: dict(zip(data.NEEDLE_KEYS, needles, strict=True)),
)
CHAIN = Between(1, data.DEFAULT_CHAIN_CAP)
BLOCKS, COUNTS, BARE = ("visit", "round"), ("seat", "beneficiary"), ("scored", "spared")
RANKED = Custom('any part, in order, of ["district", "inventory", "final"]', read_ranked)


@dataclass(frozen=True)
class AtlandiceOptions(GameOptions):
    """Every option, with JSON values."""

    players: int = option(NEEDED, "number of seats", Between(data.MIN_PLAYERS, data.MAX_PLAYERS), "2.2", "players")
    clock: str | tuple[str, ...] = option(lambda known: known["tables"].clock, "the track of the clock", CLOCK, "2.5")
    needles: tuple[int, ...] = option({}, "needle symbols of the tiles and the market", NEEDLES, "2.6, 2.7")
    optional_effects: bool = option(False, "bonus and effects may be declined", bool, "5.2", "optional_effects")
    min_to_rank: int = option(1, "pieces needed to be ranked", Between(0, 1), "7.3", "min_to_rank")
    orphan_dice: str = option(
        "market", "dice beside an exhausted District", ("market", "stay"), "7.8", {"orphans_stay": "stay"}
    )
    same_type_exchange: bool = option(True, "J2 with equal types", bool, "6.5", "same_type_exchange")
    machinery_block: str = option(
        "visit", "how long a submarine called to the machinery pays nothing", BLOCKS, "6.13", {"block_round": "round"}
    )
    l3_counts: str = option(
        "seat", "whose second die L3 asks for", COUNTS, "6.9", {"l3_counts_beneficiary": "beneficiary"}
    )
    neutral_ranked: tuple[str, ...] = option(
        SCORINGS, "where neutral is ranked", RANKED, "9.5", {f"neutral_in_{scoring}": scoring for scoring in SCORINGS}
    )
    chain_cap: int = option(data.DEFAULT_CHAIN_CAP, "chained visits allowed in one visit", CHAIN, "6.6", "chain_cap")
    bare_districts: str = option(
        "scored", "a District refilled with nothing, after every visit", BARE, "7.1", {"bare_spared": "spared"}
    )
    handicap: tuple[float, ...] = handicap_option("14.7")

    @cached_property
    def spaces(self) -> tuple[str, ...]:
        """Return the track itself (2.5)."""
        return tuple(shipped_data()["clocks"][self.clock]) if isinstance(self.clock, str) else self.clock

    @cached_property
    def participants(self) -> int:
        """Return seats, plus neutral when there are two (1.8)."""
        return 3 if self.players == 2 else self.players

    @cached_property
    def dice(self) -> int:
        """Return the dice rolled each round (2.2)."""
        return data.DICE[self.players]

    @cached_property
    def visits(self) -> int:
        """Return the visits per round (2.2)."""
        return self.dice - 1

    @cached_property
    def last(self) -> int:
        """Return the last clock space (2.5)."""
        return len(self.spaces) - 1

    def fill(self, rules: Record) -> None:
        """Write the rules record the kernels read."""
        super().fill(rules)
        for name in ("participants", "visits", "last"):
            rules[name] = getattr(self, name)
        rules.num_dice = self.dice
        rules.district_pieces = data.DISTRICT_PIECES[self.players]
        rules.needles[:] = self.needles
        rules.has_handicap = bool(self.handicap)
        rules.handicap[: len(self.handicap)] = [int(2 * points) for points in self.handicap]
        codes = [data.SPACES.index(space) for space in self.spaces]
        rules.clock[:] = Space.NONE
        rules.clock[: len(codes)] = codes
        out = rules.observed_options  # what options change, as an observation that is zero elsewhere
        out[:] = 0
        out[At.NEEDLES : At.NEEDLES + len(self.needles)] = self.needles
        out[At.PLAYERS + self.players - data.MIN_PLAYERS] = 1
        out[At.OPTIONS : At.OPTIONS + layout.NUM_OPTIONS] = [rules[name] for name in OBSERVED]
        out[At.CHAIN_CAP] = self.chain_cap
        ahead = rules.to_event  # for every space and event, how many spaces ahead the next one of its kind is
        ahead[:] = data.FAR
        for space in range(len(codes) - 2, -1, -1):
            ahead[space] = np.minimum(ahead[space + 1], data.FAR - 1) + 1
            if codes[space + 1] < data.NUM_EVENTS:
                ahead[space, codes[space + 1]] = 1


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
        ("handicap", np.int16, (data.MAX_PLAYERS,)),  # place in turn order -> half points at the start (14.7)
        ("has_handicap", np.int16),  # 1: somebody has one
        *AtlandiceOptions.numbers(
            "min_to_rank", "optional_effects", "orphans_stay", "same_type_exchange", "block_round",
            "l3_counts_beneficiary", "bare_spared", "neutral_in_district", "neutral_in_inventory", "neutral_in_final",
        ),
        ("needles", np.int8, (data.NUM_TILES + 1,)),  # tiles, then the market
        ("clock", np.int8, (data.MAX_CLOCK,)),  # space -> Space
        ("observed_options", np.uint8, (layout.OBSERVATION_SIZE,)),  # the part of every observation that options set
        ("to_event", np.uint8, (data.MAX_CLOCK, data.NUM_EVENTS)),  # space, event -> spaces to the next one, capped
    ]
)  # fmt: skip
OBSERVED = (
    "optional_effects", "min_to_rank", "orphans_stay", "same_type_exchange", "block_round", "l3_counts_beneficiary",
    "neutral_in_district", "neutral_in_inventory", "neutral_in_final", "bare_spared",
)  # fmt: skip


def parse_options(
    players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> AtlandiceOptions:
    """Return options from keywords, over tables that replace the reconstructed ones, over the defaults.

    Raises:
        OptionError: naming every option or table at fault and what it allows.
    """
    reader = Reader()
    given = {"players": 3 if players is None else players, **options}
    return accepted(reader, AtlandiceOptions.read(reader, "", given, tables=read_tables(reader, tables)))


def read_tables(reader: Reader, tables: Mapping[str, Any] | None = None) -> Tables:
    """Return the user's tables, if there are any, over the shipped ones."""
    shipped = shipped_data()
    needles = read_needles(reader, "needles", shipped["needles"], (1,) * len(data.NEEDLE_KEYS))
    clocks, clock = dict(shipped["clocks"]), shipped["clock"]
    if tables is not None:
        given = reader.mapping("data", tables, DATA_KEYS)
        if "game" in given:
            reader.choice("data.game", given["game"], ("atlandice",))
        own = given.get("clocks", {})
        for name, track in reader.mapping("data.clocks", own, tuple(own) if isinstance(own, Mapping) else ()).items():
            clocks[name] = read_clock(reader, child("data.clocks", name), track, {})
        clock = given.get("clock", clock)
        read_clock(reader, "data.clock", clock, clocks)
        needles = read_needles(reader, "data.needles", given.get("needles", {}), needles)
    return Tables(clocks, clock, needles)
