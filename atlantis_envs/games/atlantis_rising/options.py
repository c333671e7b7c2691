"""The options of Atlantis Rising (section 17), the printed numbers, and the rules record they fill.

The numbers are read from ``data.json``, checked, and replaced by a user's file. A replacement has the shape of
``data.json`` and may leave out everything it does not change. What a table says about effects or names is prose; only
the fields listed here reach the rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import Reader, child, listed, repr_short
from atlantis_envs.engine.definition import Record
from atlantis_envs.engine.options import NEEDED, Between, Custom, GameOptions, Known, accepted, option
from atlantis_envs.engine.records import packed
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Component, Do, Misfortune, Peninsula
from atlantis_envs.games.atlantis_rising.layout import OBSERVATION_SIZE, fill_observed
from atlantis_envs.games.atlantis_rising.state import NONE

Tables = dict[str, dict[Any, dict[str, Any]]]  # table -> key -> field -> value

# Table -> the field that names an entry.
KEYED = {
    "tiles": "id",
    "components": "id",
    "library": "id",
    "artifacts": "id",
    "misfortunes": "id",
    "levels": "level",
    "players": "players",
}
CONSTANTS = {  # name -> allowed values
    "barrier_cost": (1, data.LAST_CONTRIBUTION),
    "drain_cost": (1, data.LAST_CONTRIBUTION),
    "hand_limit": (1, 20),
    "keep_extra_card_cost": (1, 9),
    "die_boost_cost": (1, 1),
    "volunteers": (0, 15),
    "barriers": (data.NUM_PENINSULAS, data.NUM_PENINSULAS),
    "artifacts_in_library": (0, 9),
    "centre_energy": (0, 9),
    "automaton_bonus": (0, 9),
    "lift_budget": (0, 10_000),
    "yield_budget": (0, 10_000),
}
OTHER_KEYS = ("game", "edition", "note_on_names", "tags", "order", "gates", "councilors", "colours", "actions")
MAX_TRACK = 12
MAX_WRATH = 9
NUMBERS = {  # table -> field -> allowed integers
    "tiles": {"spaces": (1, 9), "target": (1, 12), "rate": (0, 9)},
    "library": {"copies": (0, 9)},
    "misfortunes": {"copies": (0, 20)},
    "levels": {"calm_seas": (0, 20), "controlled_flooding": (0, 20), "energy_per_seat": (0, 99)},
    "players": {"followers": (0, 7), "reserve": (0, 7), "gates": (1, data.NUM_GATES)},
}


@cache
def shipped() -> Tables:
    """Return the tables that come with the library."""
    text = resources.files(__package__).joinpath("data.json").read_text("utf-8")
    document = parse_json(text)
    reader = Reader()
    tables = _read(reader, "data", document, {})
    assert not reader.faults, reader.faults
    return tables


@cache
def tables_of(changes: str) -> Tables:
    """Return the shipped tables with the changes of a text that ``read_changes`` made."""
    tables: Tables = json.loads(json.dumps({name: list(entries.values()) for name, entries in shipped().items()}))
    merged = {name: _keyed(name, entries) for name, entries in tables.items()}
    for name, entries in json.loads(changes or "{}").items():
        for key, entry in _keyed(name, entries).items():
            merged[name][key].update(entry)
    return merged


def _keyed(name: str, entries: Any) -> dict[Any, dict[str, Any]]:
    return {entry[KEYED.get(name, "id")]: entry for entry in entries}


def read_changes(reader: Reader, path: str, given: Any) -> str:
    """Read what a document changes, as canonical text, "" if nothing; faults go to the reader."""
    if given is None:
        return ""
    before = len(reader.faults)
    tables = _read(reader, path, given, shipped())
    changes: dict[str, list[dict[str, Any]]] = {}
    for name, entries in tables.items():
        for key, entry in entries.items():
            named = KEYED.get(name, "id")
            other = {field: value for field, value in entry.items() if shipped()[name][key].get(field) != value}
            if other:
                changes.setdefault(name, []).append({named: key, **other})
    text = json.dumps(changes, sort_keys=True) if changes else ""
    if len(reader.faults) == before:
        _check_together(reader, path, tables_of(text))
    return text


def changes_to_json(changes: str) -> dict[str, Any]:
    """Return the changes in the shape of the data file."""
    document: dict[str, Any] = json.loads(changes or "{}")
    for entry in document.pop("wrath", []):
        document["wrath"] = {"values": entry["values"]}
    constants = document.pop("constants", [])
    if constants:
        document["constants"] = {entry["id"]: {"value": entry["value"]} for entry in constants}
    return document


def _read(reader: Reader, path: str, given: Any, known: Tables) -> Tables:
    """Read every entry of a document that has a field the rules read."""
    document = reader.mapping(path, given, (*KEYED, *OTHER_KEYS, "constants", "wrath"))
    if "game" in document and document["game"] not in ("atlantis_rising", "Atlantis Rising"):
        reader.fault(f"{path}.game", f"{repr_short(document['game'])}; allowed: 'atlantis_rising'")
    tables: Tables = {}
    for name, named in KEYED.items():
        if name in document:
            tables[name] = _read_table(reader, f"{path}.{name}", name, named, document[name], known)
    if "constants" in document:
        tables["constants"] = _read_constants(reader, f"{path}.constants", document["constants"])
    if "wrath" in document:
        track = reader.mapping(f"{path}.wrath", document["wrath"], ("values", "fr", "source", "note"))
        values = reader.sequence(f"{path}.wrath.values", track.get("values", []), 1, MAX_TRACK)
        numbers = [
            reader.integer(f"{path}.wrath.values[{number}]", value, 0, MAX_WRATH) for number, value in enumerate(values)
        ]
        tables["wrath"] = {"track": {"id": "track", "values": numbers}}
    return tables


def _read_table(
    reader: Reader, path: str, name: str, named: str, given: Any, known: Tables
) -> dict[Any, dict[str, Any]]:
    entries: dict[Any, dict[str, Any]] = {}
    for number, item in enumerate(reader.sequence(path, given, 0, 100)):
        at = f"{path}[{number}]"
        if not isinstance(item, Mapping):
            reader.fault(at, f"{repr_short(item)}; allowed: an object")
            continue
        key = item.get(named)
        allowed = known.get(name)
        if isinstance(key, bool) or not isinstance(key, (str, int)) or (allowed is not None and key not in allowed):
            reader.fault(f"{at}.{named}", f"{repr_short(key)}; allowed: {listed(allowed or ())}")
            continue
        if key in entries:
            reader.fault(f"{at}.{named}", f"{repr_short(key)} occurs twice")
            continue
        entries[key] = {named: key, **_read_entry(reader, at, name, key, item, known)}
    return entries


def _read_entry(reader: Reader, at: str, name: str, key: Any, item: Mapping[Any, Any], known: Tables) -> dict[str, Any]:
    """Read the fields of an entry that reach the rules, each in its range."""
    entry: dict[str, Any] = {}
    fields = known[name][key] if known else item
    for field, value in item.items():
        where = child(at, field)
        limits = NUMBERS.get(name, {}).get(field)
        if limits is not None and field in fields and value is not None:
            entry[field] = reader.integer(where, value, *limits)
        elif field == "symbol" and name == "tiles" and field in fields:
            entry[field] = reader.choice(where, value, data.SYMBOLS)
        elif field in ("price", "price_solo"):
            price = reader.mapping(where, value, data.PRICE_TYPES, required=data.PRICE_TYPES)
            entry[field] = {
                kind: reader.integer(f"{where}.{kind}", price.get(kind, 0), 0, data.LAST_CONTRIBUTION)
                for kind in data.PRICE_TYPES
            }
        elif field == "letter" and key != data.COMPONENTS[Component.POWER_CORE]:
            entry[field] = reader.choice(where, value, tuple(data.LETTERS))
        elif field == "scholar_symbol":
            entry[field] = reader.boolean(where, value)
        elif field == "components" and name == "levels":
            letters = reader.mapping(where, value, tuple(data.LETTERS), required=tuple(data.LETTERS))
            entry[field] = {x: reader.integer(f"{where}.{x}", letters.get(x, 0), 0, 9) for x in data.LETTERS}
        elif field == "fixed" and name == "levels":
            entry[field] = value if value is None else _read_fixed(reader, where, value)
    return entry


def _read_fixed(reader: Reader, where: str, value: Any) -> list[str]:
    ids = reader.sequence(where, value, data.BLUEPRINT_SIZE - 1, data.BLUEPRINT_SIZE - 1)
    return [
        str(reader.choice(f"{where}[{number}]", component, data.COMPONENTS[: Component.POWER_CORE]))
        for number, component in enumerate(ids)
    ]


def _read_constants(reader: Reader, path: str, given: Any) -> dict[Any, dict[str, Any]]:
    entries: dict[Any, dict[str, Any]] = {}
    for name, value in reader.mapping(path, given, tuple(CONSTANTS)).items():
        number = value.get("value") if isinstance(value, Mapping) else value
        entries[name] = {"id": name, "value": reader.integer(f"{path}.{name}", number, *CONSTANTS[name])}
    return entries


def _check_together(reader: Reader, path: str, tables: Tables) -> None:
    """Check what no single number shows: letters that add up, enough symbols, copies that fit."""
    letters = [entry.get("letter") for entry in tables["components"].values()]
    for level, entry in tables["levels"].items():
        wanted = entry["components"]
        if sum(wanted.values()) != data.BLUEPRINT_SIZE - 1:
            reader.fault(f"{path}.levels", f"level {level}: the letters add up to {sum(wanted.values())}; allowed: 9")
        for letter, number in wanted.items():
            if number > letters.count(letter):
                reader.fault(f"{path}.levels", f"level {level}: {number} of letter {letter}; there are too few")
        if entry["fixed"] is not None and len(set(entry["fixed"])) != data.BLUEPRINT_SIZE - 1:
            reader.fault(f"{path}.levels", f"level {level}: fixed names a component twice")
    for name, entry in tables["components"].items():
        for field in ("price", "price_solo"):
            if sum(entry[field].values()) == 0:
                reader.fault(f"{path}.components", f"{name}: {field} is nothing; allowed: at least one item")
    symbols = sum(entry["scholar_symbol"] for entry in tables["artifacts"].values())
    if symbols - tables["constants"]["artifacts_in_library"]["value"] < 2:
        reader.fault(f"{path}.artifacts", f"{symbols} scholar symbols; allowed: 2 more than artifacts in the library")
    for number, entry in tables["players"].items():
        if entry["followers"] + entry["reserve"] > 15:
            reader.fault(f"{path}.players", f"{number} players: more than 15 followers per seat")
    copies = sum(entry["copies"] for entry in tables["library"].values())
    if copies > 50:
        reader.fault(f"{path}.library", f"{copies} cards; allowed: at most 50")
    maelstrom = tables["misfortunes"]["maelstrom"]["copies"]
    special = sum(tables["misfortunes"][name]["copies"] for name in data.MISFORTUNES[Misfortune.EARTHQUAKE :])
    basic = sum(tables["misfortunes"][name]["copies"] for name in data.PENINSULAS)
    if maelstrom > 1 or not 30 <= basic + special <= 100:
        reader.fault(f"{path}.misfortunes", "allowed: at most one maelstrom and 30 to 100 basic and special cards")


# -------------------------------------------------------------------------------------------------------------- options


RANDOM, DRAFT = "random", "draft"
DECLINES = 3  # R-47
TRUNCATION = 100  # R-36
MOST_ROUNDS = 1_000_000
DRAW_ORDERS = {1: (0, 0, 0, 0), 2: (0, 0, 1, 1), 3: (0, 1, 2, 0)}  # 2.2, counted from the first player
MAX_ROUND_DRAWS = 7


def read_councilors(reader: Reader, path: str, value: Any, known: Known) -> str | tuple[str, ...]:
    """Read a way to deal councilors, or the councilor of every seat (3f)."""
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
    """Read the word "random", or nine components with the letters of the level (3e)."""
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
    """Declare a default that stands in the tables in play."""
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
    """Every option, with JSON values; replaced tables as canonical text, "" if none."""

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
        """Return the printed numbers in play."""
        return tables_of(self.changes)

    def differing(self) -> dict[str, Any]:
        """Return the options of a position: those that are not the default, players and level apart (20)."""
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
    """Make options from keywords, over tables that replace the shipped ones, over the defaults.

    Raises:
        OptionError: naming every option or table at fault and what it allows.
    """
    reader = Reader()
    given = {"players": 4 if players is None else players, **options}
    if tables is not None:
        given["data"] = tables
    return accepted(reader, read_options(reader, "", given))


def read_options(reader: Reader, path: str, given: Any) -> AtlantisRisingOptions:
    """Read options out of a JSON object; faults go to the reader. Tables first: defaults stand in them."""
    own = given.get("data") if isinstance(given, Mapping) else None
    changes = read_changes(reader, f"{path}.data" if path else "data", own)
    return AtlantisRisingOptions.read(reader, path, given, changes="" if reader.faults else changes)
