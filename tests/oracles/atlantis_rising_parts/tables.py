"""The printed tables of Atlantis Rising, from docs/rules/atlantis_rising_data.json, and the defaults of section 17."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA_FILE = Path(__file__).parents[3] / "docs" / "rules" / "atlantis_rising_data.json"
DATA: dict[str, Any] = json.loads(DATA_FILE.read_text(encoding="utf-8"))

# canonical orders (1.6)
PENINSULAS: list[str] = DATA["order"]["peninsulas"]
WILD = PENINSULAS[:3]
RESOURCES: list[str] = DATA["order"]["resources"]
RAW = ["ore", "gold", "crystal"]
PRICE_TYPES: list[str] = DATA["order"]["price_types"]
HOLDINGS = [*RESOURCES, "energy"]
KINDS: list[str] = DATA["order"]["kinds"]
TILES: dict[str, dict[str, Any]] = {tile["id"]: tile for tile in DATA["tiles"]}
GATES: list[str] = DATA["gates"]["ids"]
COMPONENTS: dict[str, dict[str, Any]] = {item["id"]: item for item in DATA["components"]}
CORE = "power core"
LOCATIONS = [*TILES, *GATES, *COMPONENTS]
CARDS: dict[str, dict[str, Any]] = {card["id"]: card for card in DATA["library"]}
ARTIFACTS: dict[str, dict[str, Any]] = {card["id"]: card for card in DATA["artifacts"]}
LIBRARY = [*CARDS, *ARTIFACTS]
COUNCILORS: list[str] = [board["id"] for board in DATA["councilors"]]
MISFORTUNES: dict[str, dict[str, Any]] = {card["id"]: card for card in DATA["misfortunes"]}
ACTIONS: list[str] = DATA["actions"]
CLOSABLE = ["cities", "libraries", "forges", "centre"]
LAST = 6  # the innermost position of a peninsula

BARRIER_COST: int = DATA["constants"]["barrier_cost"]["value"]
DRAIN_COST: int = DATA["constants"]["drain_cost"]["value"]
HAND_LIMIT: int = DATA["constants"]["hand_limit"]["value"]
VOLUNTEERS: int = DATA["constants"]["volunteers"]["value"]
ARTIFACTS_IN_LIBRARY: int = DATA["constants"]["artifacts_in_library"]["value"]
CENTRE_ENERGY: int = DATA["constants"]["centre_energy"]["value"]
AUTOMATON_BONUS: int = DATA["constants"]["automaton_bonus"]["value"]
WRATH: list[int] = DATA["wrath"]["values"]
TRACK_SPACES = len(WRATH)

# artifacts that raise the rolls of one peninsula (2.7), cards of the windows of 12.1
ROLL_ARTIFACTS = {"mountains": "miner idol", "hills": "golden sieve", "forests": "singing shard"}
WINDOWS = {"D": ("deployment", "all"), "W": ("all",), "A": ("actions", "all")}
CLOSES = {"panic": "cities", "sealed archives": "libraries", "cold furnaces": "forges", "mystic drought": "centre"}


def level_row(level: int) -> dict[str, Any]:
    """The row of 2.10."""
    row: dict[str, Any] = DATA["levels"][level - 1]
    return row


def seats_row(players: int) -> dict[str, Any]:
    """The row of 2.2."""
    row: dict[str, Any] = DATA["players"][players - 1]
    return row


def capacity_printed(at: str) -> int | None:
    """Pieces that a location holds by itself, None for any number (5.2)."""
    if at in GATES:
        return None
    row = TILES.get(at) or COMPONENTS[at]
    spaces: int | None = row["spaces"]
    return spaces if spaces is None or row["space"] == "single" else 2 * spaces


def is_double(at: str) -> bool:
    """Cities and the components of letter D (5.2)."""
    row = TILES.get(at) or COMPONENTS.get(at)
    return row is not None and row["space"] == "double"


def copies(level: int) -> dict[str, int]:
    """The misfortunes of a level (3d)."""
    row = level_row(level)
    counts = {name: int(card["copies"]) for name, card in MISFORTUNES.items()}
    return counts | {"calm seas": row["calm_seas"], "controlled flooding": row["controlled_flooding"]}


def show(heap: dict[str, int], order: list[str]) -> dict[str, int]:
    """A multiset as JSON: in order, without zeros (20)."""
    return {name: heap[name] for name in order if heap.get(name)}


# ---- options (17)

DEFAULTS: dict[str, Any] = {
    "first_player": 0,
    "councilors": "random",
    "blueprint": "random",
    "force_artificer": None,  # true at level 1, else false
    "hands_open": True,
    "lift_budget": DATA["constants"]["lift_budget"]["value"],
    "yield_budget": DATA["constants"]["yield_budget"]["value"],
    "decline_budget": 3,
    "casting_vote": False,
    "must_act": False,
    "round_limit": None,
    "truncation": 100,
    "solo_energy": "track",
    "solo_prices": "printed",
    "automaton_dice": "once",
    "divers": "any tile",
}


def complete(level: int, options: dict[str, Any]) -> dict[str, Any]:
    """All options, those given first, then the defaults."""
    return options | {name: value for name, value in _usual(level).items() if name not in options}


def _usual(level: int) -> dict[str, Any]:
    """The defaults; one of them depends on the level."""
    return {**DEFAULTS, "force_artificer": level == 1}


def differing(level: int, options: dict[str, Any]) -> dict[str, Any]:
    """The options that are not at their default (20)."""
    usual = _usual(level)
    return {name: value for name, value in options.items() if value != usual[name]}


def check_options(players: int, level: int, options: dict[str, Any]) -> None:
    """Refuse what section 17 and clause 3e do not know."""
    if players not in range(1, 8) or level not in range(1, 6) or set(options) - set(DEFAULTS):
        raise ValueError("players, level or the name of an option is not known")
    first, councilors, blueprint = options["first_player"], options["councilors"], options["blueprint"]
    if first != "random" and first not in range(players):
        raise ValueError(f"first_player {first!r}")
    if isinstance(councilors, str):
        known = councilors in ("random", "draft")
    else:
        known = len(councilors) == players == len(set(councilors)) and set(councilors) <= set(COUNCILORS)
    if not known:
        raise ValueError(f"councilors {councilors!r}")
    if blueprint != "random" and not _fits(level, blueprint):
        raise ValueError(f"blueprint {blueprint!r} is not of level {level}")


def _fits(level: int, blueprint: Any) -> bool:
    """Nine different components with the letters of the level; level 1 has its own nine (3e)."""
    row = level_row(level)
    if not isinstance(blueprint, list) or len(set(blueprint)) != 9 or len(blueprint) != 9:
        return False
    if not set(blueprint) <= set(COMPONENTS) - {CORE}:
        return False
    if row["fixed"]:
        return set(blueprint) == set(row["fixed"])
    letters = [COMPONENTS[name]["letter"] for name in blueprint]
    return all(letters.count(letter) == number for letter, number in row["components"].items())
