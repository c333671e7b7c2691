"""The options of Atlantis Rising (section 17) and the rules record they fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from atlantis_envs.base.values import Reader, repr_short
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.options import NEEDED, Between, Custom, GameOptions, Known, accepted, option
from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Component, Do, Misfortune, Peninsula
from atlantis_envs.games.atlantis_rising.layout import OBSERVATION_SIZE, fill_observed
from atlantis_envs.games.atlantis_rising.state import NONE
from atlantis_envs.games.atlantis_rising.tables import (
    CONSTANTS,
    MAX_TRACK,
    Tables,
    changes_to_json,
    read_changes,
    tables_of,
)

RANDOM, DRAFT = "random", "draft"
DECLINES = 3  # R-47
TRUNCATION = 100  # R-36
MOST_ROUNDS = 1_000_000
DRAW_ORDERS = {1: (0, 0, 0, 0), 2: (0, 0, 1, 1), 3: (0, 1, 2, 0)}  # 2.2, counted from the first player
MAX_ROUND_DRAWS = 7


def read_councilors(reader: Reader, path: str, value: Any, known: Known) -> str | tuple[str, ...]:
    """A way to deal councilors, or the councilor of every seat (3f)."""
    if isinstance(value, str):
        return str(reader.choice(path, value, (RANDOM, DRAFT)))
    players = known["players"]
    given = reader.sequence(path, value, players, players)
    names = [reader.choice(f"{path}[{seat}]", name, data.COUNCILORS) for seat, name in enumerate(given)]
    if len(names) != players:
        return RANDOM
    if len(set(names)) < players:
        reader.fault(path, f"{repr_short(given)}; allowed: different councilors")
    return tuple(names)


def read_blueprint(reader: Reader, path: str, value: Any, known: Known) -> str | tuple[str, ...]:
    """The word "random", or nine components with the letters of the level (3e)."""
    if isinstance(value, str):
        return str(reader.choice(path, value, (RANDOM,)))
    given = reader.sequence(path, value, data.BLUEPRINT_SIZE - 1, data.BLUEPRINT_SIZE - 1)
    allowed = data.COMPONENTS[: Component.POWER_CORE]
    names = [reader.choice(f"{path}[{place}]", name, allowed) for place, name in enumerate(given)]
    if not names:
        return RANDOM
    if len(set(names)) < len(names):
        reader.fault(path, f"{repr_short(given)}; allowed: different components")
    tables, number = tables_of(known["changes"]), known["level"]
    level = tables["levels"][number]
    letters = [tables["components"][name]["letter"] for name in names]
    if level["fixed"] is not None:
        if sorted(names) != sorted(level["fixed"]):
            reader.fault(path, f"allowed at level {number}: {', '.join(level['fixed'])}")
    elif {letter: letters.count(letter) for letter in data.LETTERS} != level["components"]:
        wanted = ", ".join(f"{count} of letter {letter}" for letter, count in level["components"].items())
        reader.fault(path, f"letters {''.join(sorted(letters))}; allowed at level {number}: {wanted}")
    return tuple(names)


def constant(name: str) -> Callable[[Known], int]:
    """A default that stands in the tables in play."""
    return lambda known: int(tables_of(known["changes"])["constants"][name]["value"])


SEATS, LEVELS = Between(data.MIN_PLAYERS, data.MAX_PLAYERS), Between(1, 5)
FIRST = Custom(
    'a seat, or "random"',
    lambda reader, path, value, known: reader.choice(path, value, (*range(known["players"]), RANDOM)),
)
BOARDS = Custom('"random", "draft", or a list of a councilor for each seat', read_councilors)
BLUEPRINT = Custom(f'"random", or a list of {data.BLUEPRINT_SIZE - 1} components', read_blueprint)
LIMIT = Custom(
    f"null, 1..{MOST_ROUNDS}",
    lambda reader, path, value, known: None if value is None else reader.integer(path, value, 1, MOST_ROUNDS),
)
CHANGES = Custom(
    "an object in the shape of data.json",
    lambda reader, path, value, known: read_changes(reader, path, value),
    changes_to_json,
)
LIFTS, YIELDS = Between(*CONSTANTS["lift_budget"]), Between(*CONSTANTS["yield_budget"])
REFUSALS, ROUNDS = Between(0, 10_000), Between(1, MOST_ROUNDS)
ENERGY, PRICES = ("track", "every round"), ("printed", "reduced")
BONUS, DIVERS = ("once", "per die"), ("any tile", "flooded tile")


@dataclass(frozen=True)
class AtlantisRisingOptions(GameOptions):
    """Every option, with JSON values; replaced tables as canonical text (tables.py), "" if none."""

    players: int = option(NEEDED, "number of seats", SEATS, "2.2", "players")
    level: int = option(1, "difficulty", LEVELS, "2.10", "level")
    first_player: int | str = option(0, "who is the first player", FIRST, "3a")
    councilors: str | tuple[str, ...] = option(RANDOM, "how councilors are dealt", BOARDS, "3f", {"draft": DRAFT})
    blueprint: str | tuple[str, ...] = option(RANDOM, "the components, power core apart", BLUEPRINT, "3e")
    force_artificer: bool = option(
        lambda known: known["level"] == 1,
        "somebody gets the artificer; by default at level 1",
        bool,
        "3f",
        "force_artificer",
    )
    hands_open: bool = option(True, "false for the variant without talk", bool, "15.2", "hands_open")
    lift_budget: int = option(constant("lift_budget"), "lifts per seat and round", LIFTS, "5.5", "lift_budget")
    yield_budget: int = option(constant("yield_budget"), "yields per seat and round", YIELDS, "5.5", "yield_budget")
    decline_budget: int = option(
        DECLINES, "refused payments per seat and phase before their opener is barred", REFUSALS, "9.5", "decline_budget"
    )
    casting_vote: bool = option(False, "the first player says whose turn comes next", bool, "5.4")
    must_act: bool = option(False, "no action that can do something may be waived", bool, "7.2", "must_act")
    round_limit: int | None = option(None, "the game is lost at the end of this round", LIMIT, "10.4", "round_limit")
    truncation: int = option(TRUNCATION, "the game is cut off at the end of this round", ROUNDS, "10.4", "truncation")
    solo_energy: str = option(
        "track", "how a single seat gets the energy of the track", ENERGY, "4.2", {"energy_every_round": "every round"}
    )
    solo_prices: str = option("printed", "which prices a single seat pays", PRICES, "2.4")
    automaton_dice: str = option(
        "once", "how the automaton's +2 counts in cities", BONUS, "7.7", {"automaton_per_die": "per die"}
    )
    divers: str = option(
        "any tile",
        "where a navigator or aquanaut suffers a flood of its peninsula",
        DIVERS,
        "6.4",
        {"divers_on_flooded": "flooded tile"},
    )
    changes: str = option("", "replaced tables", CHANGES, key="data")

    @property
    def tables(self) -> Tables:
        """The printed numbers in play."""
        return tables_of(self.changes)

    def differing(self) -> dict[str, Any]:
        """The options of a position: those that are not the default, players and level apart (20)."""
        given = {"players": self.players, "level": self.level}
        standard = AtlantisRisingOptions.read(Reader(), "", given, changes=self.changes).to_json()
        own = self.to_json()
        return {name: own[name] for name in own if own[name] != standard[name] or (name == "data" and self.changes)}

    def fill(self, rules: Record) -> None:
        """Write the rules record the kernels read."""
        super().fill(rules)
        rules.first_player = NONE if isinstance(self.first_player, str) else self.first_player
        rules.councilors_listed = not isinstance(self.councilors, str)
        rules.councilor_list[:] = NONE
        if not isinstance(self.councilors, str):
            rules.councilor_list[: self.players] = [data.COUNCILORS.index(name) for name in self.councilors]
        rules.casting_vote = self.casting_vote and self.players > 1
        order = DRAW_ORDERS.get(self.players, tuple(range(self.players)))
        rules.num_draws = len(order)
        rules.draw_order[: len(order)] = order
        self._fill_numbers(rules)
        self._fill_components(rules)
        self._fill_locations(rules)
        fill_observed(rules)

    def _fill_numbers(self, rules: Record) -> None:
        tables = self.tables
        for name in CONSTANTS:
            if name in (RULES.names or ()) and name not in self.declared():
                rules[name] = tables["constants"][name]["value"]
        own = tables["players"][self.players]
        rules.followers, rules.reserve, rules.gates = own["followers"], own["reserve"], own["gates"]
        level = tables["levels"][self.level]
        rules.starting_energy = level["energy_per_seat"]
        for kind, name in enumerate(data.MISFORTUNES):
            rules.misfortunes[kind] = tables["misfortunes"][name]["copies"]
        rules.misfortunes[Misfortune.CALM_SEAS] = level["calm_seas"]
        rules.misfortunes[Misfortune.CONTROLLED_FLOODING] = level["controlled_flooding"]
        rules.library[: data.NUM_BASIC] = [tables["library"][name]["copies"] for name in data.BASIC_CARDS]
        rules.scholar_symbols = sum(
            1 << number for number, name in enumerate(data.ARTIFACTS) if tables["artifacts"][name]["scholar_symbol"]
        )
        values = tables["wrath"]["track"]["values"]
        rules.wrath_last = len(values) - 1
        rules.wrath_values[: len(values)] = values

    def _fill_components(self, rules: Record) -> None:
        tables = self.tables
        level = tables["levels"][self.level]
        price = "price_solo" if self.players == 1 and self.solo_prices == "reduced" else "price"
        for number, name in enumerate(data.COMPONENTS):
            entry = tables["components"][name]
            rules.price[number] = [entry[price][kind] for kind in data.PRICE_TYPES]
            rules.letter[number] = NONE if number == Component.POWER_CORE else data.LETTERS.index(entry["letter"])
        rules.letters_wanted[:] = [level["components"][letter] for letter in data.LETTERS]
        fixed = level["fixed"] if isinstance(self.blueprint, str) else self.blueprint
        rules.blueprint_known = fixed is not None
        for name in fixed or ():
            rules.blueprint_list[data.COMPONENTS.index(name)] = 1
        rules.blueprint_list[Component.POWER_CORE] = 1

    def _fill_locations(self, rules: Record) -> None:
        tables = self.tables
        for number in range(data.NUM_TILES):
            tile = tables["tiles"][data.LOCATIONS[number]]
            peninsula = number // data.TILES_PER_PENINSULA
            wild = peninsula < data.NUM_WILD
            rules.does[number] = Do.WILD if wild else Do.CITY + peninsula - Peninsula.CITIES
            rules.capacity[number] = 2 * tile["spaces"] if peninsula == Peninsula.CITIES else tile["spaces"]
            rules.is_double[number] = peninsula == Peninsula.CITIES
            symbol = data.SYMBOLS.index(tile["symbol"]) if peninsula == Peninsula.LIBRARIES else 0
            rules.tile_value[number] = tile["rate"] if peninsula == Peninsula.FORGES else tile.get("target", symbol)
        rules.does[data.CENTRE] = Do.CENTRE
        rules.does[data.GATE : data.SPACE] = Do.GATE
        rules.capacity[data.CENTRE : data.SPACE] = data.UNLIMITED
        for offset, (component, spaces) in enumerate(data.SPACES.items()):
            rules.does[data.SPACE + offset] = Do.SEAL + offset
            rules.capacity[data.SPACE + offset] = spaces
            rules.is_double[data.SPACE + offset] = component in data.DOUBLE_COMPONENTS
            rules.component_at[data.SPACE + offset] = component


# Everything an option or a table can change, read-only.
RULES = packed(
    [
        ("round_limit", np.int32),  # 0: none
        *AtlantisRisingOptions.numbers("truncation"),
        ("capacity", np.int16, (data.NUM_LOCATIONS,)),  # pieces that fit, without an emissary
        *AtlantisRisingOptions.numbers("lift_budget", "yield_budget", "decline_budget"),
        ("scholar_symbols", np.int16),  # bit a: artifact a has the symbol
        *AtlantisRisingOptions.numbers("players", "level"),
        ("first_player", np.int8),  # NONE: drawn
        *AtlantisRisingOptions.numbers("draft"),
        ("councilors_listed", np.int8),
        ("councilor_list", np.int8, (data.MAX_PLAYERS,)),
        *AtlantisRisingOptions.numbers("force_artificer", "hands_open", "energy_every_round"),
        ("casting_vote", np.int8),  # 0 with one seat
        *AtlantisRisingOptions.numbers("must_act", "automaton_per_die", "divers_on_flooded"),
        ("num_draws", np.int8),
        ("draw_order", np.int8, (MAX_ROUND_DRAWS,)),  # seats from the first player
        ("followers", np.int8),
        ("reserve", np.int8),
        ("gates", np.int8),
        ("starting_energy", np.int8),
        ("barrier_cost", np.int8),
        ("drain_cost", np.int8),
        ("hand_limit", np.int8),
        ("keep_extra_card_cost", np.int8),
        ("volunteers", np.int8),
        ("artifacts_in_library", np.int8),
        ("centre_energy", np.int8),
        ("automaton_bonus", np.int8),
        ("misfortunes", np.int8, (data.NUM_MISFORTUNES,)),  # copies
        ("library", np.int8, (data.NUM_CARDS,)),  # copies of basic cards
        ("wrath_last", np.int8),
        ("wrath_values", np.int8, (MAX_TRACK,)),
        ("price", np.int8, (data.NUM_COMPONENTS, data.NUM_PRICE_TYPES)),
        ("letter", np.int8, (data.NUM_COMPONENTS,)),
        ("letters_wanted", np.int8, (len(data.LETTERS),)),
        ("blueprint_known", np.int8),
        ("blueprint_list", np.int8, (data.NUM_COMPONENTS,)),
        ("does", np.int8, (data.NUM_LOCATIONS,)),  # DO_*
        ("is_double", np.int8, (data.NUM_LOCATIONS,)),
        ("component_at", np.int8, (data.NUM_LOCATIONS,)),
        ("tile_value", np.int8, (data.NUM_LOCATIONS,)),  # target, symbol or rate
        ("observed_options", np.uint8, (OBSERVATION_SIZE,)),  # the part of every observation that options determine
    ]
)


def parse_options(
    players: int | None, tables: Mapping[str, Any] | None, options: Mapping[str, Any]
) -> AtlantisRisingOptions:
    """Options from keywords, over tables that replace the shipped ones, over the defaults.

    Raises:
        OptionError: naming every option or table at fault and what it allows.
    """
    reader = Reader()
    given = {"players": 4 if players is None else players, **options}
    if tables is not None:
        given["data"] = tables
    return accepted(reader, read_options(reader, "", given))


def read_options(reader: Reader, path: str, given: Any) -> AtlantisRisingOptions:
    """Options out of a JSON object; faults go to the reader. Tables first: defaults stand in them."""
    own = given.get("data") if isinstance(given, Mapping) else None
    changes = read_changes(reader, f"{path}.data" if path else "data", own)
    return AtlantisRisingOptions.read(reader, path, given, changes="" if reader.faults else changes)
