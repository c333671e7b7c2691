"""The printed numbers of Atlantis Rising: read from ``data.json``, checked, and replaced by a user's file.

A replacement has the shape of ``data.json`` and may leave out everything it does not change. What a table says about
effects or names is prose; only the fields listed here reach the rules.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from atlantis_envs.base.files import parse_json
from atlantis_envs.base.values import Reader, child, listed, repr_short
from atlantis_envs.games.atlantis_rising import data

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
    """The tables that come with the library."""
    text = resources.files(__package__).joinpath("data.json").read_text("utf-8")
    document = parse_json(text)
    reader = Reader()
    tables = _read(reader, "data", document, {})
    assert not reader.faults, reader.faults
    return tables


@cache
def tables_of(changes: str) -> Tables:
    """The shipped tables with the changes of a text that ``read_changes`` made."""
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
    """The changes in the shape of the data file."""
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
        elif field == "letter" and key != data.COMPONENTS[data.Component.POWER_CORE]:
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
        str(reader.choice(f"{where}[{number}]", component, data.COMPONENTS[: data.Component.POWER_CORE]))
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
    special = sum(tables["misfortunes"][name]["copies"] for name in data.MISFORTUNES[data.Misfortune.EARTHQUAKE :])
    basic = sum(tables["misfortunes"][name]["copies"] for name in data.PENINSULAS)
    if maelstrom > 1 or not 30 <= basic + special <= 100:
        reader.fault(f"{path}.misfortunes", "allowed: at most one maelstrom and 30 to 100 basic and special cards")
