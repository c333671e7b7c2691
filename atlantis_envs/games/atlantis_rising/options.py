"""The options of Atlantis Rising (section 17) and the rules record they fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from atlantis_envs.base.values import Reader, shown
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.records import packed
from atlantis_envs.errors import OptionError
from atlantis_envs.games.atlantis_rising import data
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

RANDOM, DRAFT, LISTED = "random", "draft", "listed"
SOLO_ENERGY = ("track", "every round")
SOLO_PRICES = ("printed", "reduced")
AUTOMATON_DICE = ("once", "per die")
DIVERS = ("any tile", "flooded tile")
DECLINES = 3
TRUNCATION = 100
OPTION_NAMES = (
    "players", "level", "first_player", "councilors", "blueprint", "force_artificer", "hands_open", "lift_budget",
    "yield_budget", "decline_budget", "casting_vote", "must_act", "round_limit", "truncation", "solo_energy",
    "solo_prices", "automaton_dice", "divers", "data",
)  # fmt: skip
NUMBERS = {  # options that are integers -> allowed values
    "lift_budget": CONSTANTS["lift_budget"],
    "yield_budget": CONSTANTS["yield_budget"],
    "decline_budget": (0, 10_000),
    "truncation": (1, 1_000_000),
}
MOST_ROUNDS = 1_000_000
DRAW_ORDERS = {1: (0, 0, 0, 0), 2: (0, 0, 1, 1), 3: (0, 1, 2, 0)}  # 2.2, counted from the first player
MAX_ROUND_DRAWS = 7


@dataclass(frozen=True)
class AtlantisRisingOptions:
    """Every option, with JSON values.

    Attributes:
        players: 1 to 7 seats (2.2).
        level: difficulty, 1 to 5 (2.10).
        first_player: a seat, or "random" (3a).
        councilors: "random", "draft", or the councilor of every seat (3f).
        blueprint: "random", or nine components (3e).
        force_artificer: somebody gets the artificer (3f).
        hands_open: False for the variant without talk (15.2).
        lift_budget: lifts per seat and round (5.5).
        yield_budget: yields per seat and round (5.5).
        decline_budget: refused payments per seat and phase before their opener is barred (9.5).
        casting_vote: the first player says whose turn comes next in deployment and action phase (5.4).
        must_act: no action that can do something may be waived (7.2).
        round_limit: the game is lost at the end of this round (10.4); None: there is no limit.
        truncation: the game is cut off, neither won nor lost, at the end of this round (10.4).
        solo_energy: how a single seat gets the energy of the track (4.2).
        solo_prices: which prices a single seat pays (2.4).
        automaton_dice: the automaton's +2 in cities, once or per die (7.7).
        divers: the tiles on which a navigator or aquanaut piece suffers a flood of its peninsula (6.4).
        changes: replaced tables, as canonical text (tables.py); "" if none.
    """

    players: int
    level: int
    first_player: int | str
    councilors: str | tuple[str, ...]
    blueprint: str | tuple[str, ...]
    force_artificer: bool
    hands_open: bool
    lift_budget: int
    yield_budget: int
    decline_budget: int
    casting_vote: bool
    must_act: bool
    round_limit: int | None
    truncation: int
    solo_energy: str
    solo_prices: str
    automaton_dice: str
    divers: str
    changes: str

    @property
    def tables(self) -> Tables:
        """The printed numbers in play."""
        return tables_of(self.changes)

    def to_json(self) -> dict[str, Any]:
        """All options in the order of section 17."""
        lists = {"councilors": self.councilors, "blueprint": self.blueprint}
        return {
            "players": self.players,
            "level": self.level,
            "first_player": self.first_player,
            **{name: value if isinstance(value, str) else list(value) for name, value in lists.items()},
            "force_artificer": self.force_artificer,
            "hands_open": self.hands_open,
            "lift_budget": self.lift_budget,
            "yield_budget": self.yield_budget,
            "decline_budget": self.decline_budget,
            "casting_vote": self.casting_vote,
            "must_act": self.must_act,
            "round_limit": self.round_limit,
            "truncation": self.truncation,
            "solo_energy": self.solo_energy,
            "solo_prices": self.solo_prices,
            "automaton_dice": self.automaton_dice,
            "divers": self.divers,
            "data": changes_to_json(self.changes),
        }

    def differing(self) -> dict[str, Any]:
        """The options of a position: those that are not the default, players and level apart (20)."""
        standard = default_options(self.players, self.level, self.changes).to_json()
        own = {name: value for name, value in self.to_json().items() if standard[name] != value}
        if self.changes:
            own["data"] = changes_to_json(self.changes)
        return own

    def fill(self, rules: Record) -> None:
        """Write the rules record the kernels read."""
        rules.players = self.players
        rules.level = self.level
        rules.first_player = NONE if isinstance(self.first_player, str) else self.first_player
        rules.draft = self.councilors == DRAFT
        rules.councilors_listed = not isinstance(self.councilors, str)
        rules.councilor_list[:] = NONE
        if not isinstance(self.councilors, str):
            rules.councilor_list[: self.players] = [data.COUNCILORS.index(name) for name in self.councilors]
        rules.force_artificer = self.force_artificer
        rules.hands_open = self.hands_open
        rules.lift_budget = self.lift_budget
        rules.yield_budget = self.yield_budget
        rules.decline_budget = self.decline_budget
        rules.casting_vote = self.casting_vote and self.players > 1
        rules.must_act = self.must_act
        rules.round_limit = self.round_limit or 0
        rules.truncation = self.truncation
        rules.automaton_per_die = self.automaton_dice == "per die"
        rules.divers_on_flooded = self.divers == "flooded tile"
        rules.energy_every_round = self.solo_energy == "every round"
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
            if name in (RULES.names or ()) and name not in NUMBERS:
                rules[name] = tables["constants"][name]["value"]
        own = tables["players"][self.players]
        rules.followers, rules.reserve, rules.gates = own["followers"], own["reserve"], own["gates"]
        level = tables["levels"][self.level]
        rules.starting_energy = level["energy_per_seat"]
        for kind, name in enumerate(data.MISFORTUNES):
            rules.misfortunes[kind] = tables["misfortunes"][name]["copies"]
        rules.misfortunes[data.CALM_SEAS] = level["calm_seas"]
        rules.misfortunes[data.CONTROLLED_FLOODING] = level["controlled_flooding"]
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
            rules.letter[number] = NONE if number == data.POWER_CORE else data.LETTERS.index(entry["letter"])
        rules.letters_wanted[:] = [level["components"][letter] for letter in data.LETTERS]
        fixed = level["fixed"] if isinstance(self.blueprint, str) else self.blueprint
        rules.blueprint_known = fixed is not None
        for name in fixed or ():
            rules.blueprint_list[data.COMPONENTS.index(name)] = 1
        rules.blueprint_list[data.POWER_CORE] = 1

    def _fill_locations(self, rules: Record) -> None:
        tables = self.tables
        for number in range(data.NUM_TILES):
            tile = tables["tiles"][data.LOCATIONS[number]]
            peninsula = number // data.TILES_PER_PENINSULA
            wild = peninsula < data.NUM_WILD
            rules.does[number] = data.DO_WILD if wild else data.DO_CITY + peninsula - data.CITIES
            rules.capacity[number] = 2 * tile["spaces"] if peninsula == data.CITIES else tile["spaces"]
            rules.is_double[number] = peninsula == data.CITIES
            symbol = data.SYMBOLS.index(tile["symbol"]) if peninsula == data.LIBRARIES else 0
            rules.tile_value[number] = tile["rate"] if peninsula == data.FORGES else tile.get("target", symbol)
        rules.does[data.CENTRE] = data.DO_CENTRE
        rules.does[data.GATE : data.SPACE] = data.DO_GATE
        rules.capacity[data.CENTRE : data.SPACE] = data.UNLIMITED
        for offset, (component, spaces) in enumerate(data.SPACES.items()):
            rules.does[data.SPACE + offset] = data.DO_SEAL + offset
            rules.capacity[data.SPACE + offset] = spaces
            rules.is_double[data.SPACE + offset] = component in data.DOUBLE_COMPONENTS
            rules.component_at[data.SPACE + offset] = component


# Everything an option or a table can change, read-only.
RULES = packed(
    [
        ("round_limit", np.int32),  # 0: none
        ("truncation", np.int32),
        ("capacity", np.int16, (data.NUM_LOCATIONS,)),  # pieces that fit, without an emissary
        ("lift_budget", np.int16),
        ("yield_budget", np.int16),
        ("decline_budget", np.int16),
        ("scholar_symbols", np.int16),  # bit a: artifact a has the symbol
        ("players", np.int8),
        ("level", np.int8),
        ("first_player", np.int8),  # NONE: drawn
        ("draft", np.int8),
        ("councilors_listed", np.int8),
        ("councilor_list", np.int8, (data.MAX_PLAYERS,)),
        ("force_artificer", np.int8),
        ("hands_open", np.int8),
        ("energy_every_round", np.int8),
        ("casting_vote", np.int8),  # 0 with one seat
        ("must_act", np.int8),
        ("automaton_per_die", np.int8),
        ("divers_on_flooded", np.int8),
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


def default_options(players: int, level: int, changes: str) -> AtlantisRisingOptions:
    """The options nobody has chosen."""
    constants = tables_of(changes)["constants"]
    return AtlantisRisingOptions(
        players=players,
        level=level,
        first_player=0,
        councilors=RANDOM,
        blueprint=RANDOM,
        force_artificer=level == 1,
        hands_open=True,
        lift_budget=constants["lift_budget"]["value"],
        yield_budget=constants["yield_budget"]["value"],
        decline_budget=DECLINES,
        casting_vote=False,
        must_act=False,
        round_limit=None,
        truncation=TRUNCATION,
        solo_energy=SOLO_ENERGY[0],
        solo_prices=SOLO_PRICES[0],
        automaton_dice=AUTOMATON_DICE[0],
        divers=DIVERS[0],
        changes=changes,
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
    parsed = read_options(reader, "", given)
    if reader.faults:
        raise OptionError("; ".join(f"{path}: {text}" for path, text in reader.faults))
    return parsed


def read_options(reader: Reader, path: str, given: Any) -> AtlantisRisingOptions:
    """Options out of a JSON object; faults go to the reader."""
    prefix = f"{path}." if path else ""
    values = reader.mapping(path, given, OPTION_NAMES, required=("players",))
    changes = read_changes(reader, f"{prefix}data", values.get("data"))
    if reader.faults:
        changes = ""
    players = reader.integer(
        f"{prefix}players", values.get("players", data.MIN_PLAYERS), data.MIN_PLAYERS, data.MAX_PLAYERS
    )
    level = reader.integer(f"{prefix}level", values.get("level", 1), 1, 5)
    standard = default_options(players, level, changes)
    numbers = {
        name: reader.integer(f"{prefix}{name}", values.get(name, getattr(standard, name)), *limits)
        for name, limits in NUMBERS.items()
    }
    words = {
        name: reader.choice(f"{prefix}{name}", values.get(name, allowed[0]), allowed)
        for name, allowed in (
            ("solo_energy", SOLO_ENERGY), ("solo_prices", SOLO_PRICES), ("automaton_dice", AUTOMATON_DICE),
            ("divers", DIVERS),
        )
    }  # fmt: skip
    limit = values.get("round_limit")
    return AtlantisRisingOptions(
        players=players,
        level=level,
        first_player=reader.choice(f"{prefix}first_player", values.get("first_player", 0), (*range(players), RANDOM)),
        councilors=_read_councilors(reader, f"{prefix}councilors", values.get("councilors", RANDOM), players),
        blueprint=_read_blueprint(reader, f"{prefix}blueprint", values.get("blueprint", RANDOM), standard),
        force_artificer=reader.boolean(
            f"{prefix}force_artificer", values.get("force_artificer", standard.force_artificer)
        ),
        hands_open=reader.boolean(f"{prefix}hands_open", values.get("hands_open", True)),
        casting_vote=reader.boolean(f"{prefix}casting_vote", values.get("casting_vote", False)),
        must_act=reader.boolean(f"{prefix}must_act", values.get("must_act", False)),
        round_limit=None if limit is None else reader.integer(f"{prefix}round_limit", limit, 1, MOST_ROUNDS),
        lift_budget=numbers["lift_budget"],
        yield_budget=numbers["yield_budget"],
        decline_budget=numbers["decline_budget"],
        truncation=numbers["truncation"],
        solo_energy=words["solo_energy"],
        solo_prices=words["solo_prices"],
        automaton_dice=words["automaton_dice"],
        divers=words["divers"],
        changes=changes,
    )


def _read_councilors(reader: Reader, path: str, value: Any, players: int) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return str(reader.choice(path, value, (RANDOM, DRAFT)))
    given = reader.sequence(path, value, players, players)
    names = [reader.choice(f"{path}[{seat}]", name, data.COUNCILORS) for seat, name in enumerate(given)]
    if len(names) != players:
        return RANDOM
    if len(set(names)) < players:
        reader.fault(path, f"{shown(given)}; allowed: different councilors")
    return tuple(names)


def _read_blueprint(reader: Reader, path: str, value: Any, standard: AtlantisRisingOptions) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return str(reader.choice(path, value, (RANDOM,)))
    given = reader.sequence(path, value, data.BLUEPRINT_SIZE - 1, data.BLUEPRINT_SIZE - 1)
    allowed = data.COMPONENTS[: data.POWER_CORE]
    names = [reader.choice(f"{path}[{number}]", name, allowed) for number, name in enumerate(given)]
    if not names:
        return RANDOM
    if len(set(names)) < len(names):
        reader.fault(path, f"{shown(given)}; allowed: different components")
    level = standard.tables["levels"][standard.level]
    letters = [standard.tables["components"][name]["letter"] for name in names]
    if level["fixed"] is not None:
        if sorted(names) != sorted(level["fixed"]):
            reader.fault(path, f"allowed at level {standard.level}: {', '.join(level['fixed'])}")
    elif {letter: letters.count(letter) for letter in data.LETTERS} != level["components"]:
        wanted = ", ".join(f"{count} of letter {letter}" for letter, count in level["components"].items())
        reader.fault(path, f"letters {''.join(sorted(letters))}; allowed at level {standard.level}: {wanted}")
    return tuple(names)
