"""What the moves of Atlantis Rising bring: the benefit of a place and its room, prices, what a card does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from atlantis_envs.drawing.phrases import a, counted, listed
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising.data import (
    GOODS,
    NUM_WILD,
    PENINSULAS,
    TILES_PER_PENINSULA,
    UNLIMITED,
)
from atlantis_envs.games.atlantis_rising.view import view
from atlantis_envs.games.atlantis_rising.words import ARTIFACTS, CARDS, COMPONENTS, COUNCILORS, MISFORTUNES, WORDS

View = Mapping[str, Any]
SYMBOLS = ("keep both", "keep one, the other goes under the deck", "keep one, the other is discarded")
COMPANY = "A double place: two pieces must stand there to act."


def explain(position: Position, action: str) -> str:
    """What a move brings and costs, as far as no card is turned up and no die is rolled for it."""
    seen = view(position, position.seat)
    word, _, rest = action.partition(" ")
    if word in TOLD:
        return TOLD[word](position, seen, rest)
    return WORDS[action] if action in WORDS else f"{rest.capitalize()}: {_known(rest)}."


def _known(name: str) -> str:
    return {**CARDS, **ARTIFACTS, **COMPONENTS, **COUNCILORS, **MISFORTUNES}[name]


# --------------------------------------------------------------------------------------------------------------- places


def benefit(position: Position, seen: View, name: str) -> str:
    """What a piece that acts at a place brings."""
    place, kind = seen["place"], name.rpartition(" ")[0]
    value = seen["values"][name]
    if kind in PENINSULAS[:NUM_WILD]:
        good = GOODS[PENINSULAS.index(kind)]
        return f"Roll a die, {value} or more{_eased(place, kind)} brings 1 {good}; energy makes up for what is missing."
    if kind == "cities":
        wrath = seen["wrath"][place["wrath"]]
        return f"Two dice and Wrath ({wrath}) must reach {value}: a follower joins. {COMPANY}"
    if kind == "libraries":
        return f"Draw 2 cards: {SYMBOLS[value]}."
    if kind == "forges":
        return f"1 ore becomes {value} atlantium."
    if name == "centre":
        return f"{int(position.game.rules[0].centre_energy)} energy for a piece."
    if kind == "gate":
        return "A component is built here, paid for by all who stand here; the pieces go home then."
    return f"{_known(name).capitalize()}."


def _eased(place: View, kind: str) -> str:
    """How this round changes a target."""
    effects = place["effects"]
    told = [f"1 more for the earthquake{_times(effects['earthquake'])}"] if effects["earthquake"] else []
    atlas = effects["atlas"][kind]
    told += [f"2 less for the atlas{_times(atlas)}"] if atlas else []
    return f" ({', '.join(told)})" if told else ""


def _times(count: int) -> str:
    return f", {count} times" if count > 1 else ""


def room(seen: View, name: str) -> str:
    """How many pieces fit at a place, and how many stand there."""
    capacity = seen["capacity"][name]
    there = sum(entry["ready"] + entry["done"] for entry in seen["place"]["placed"] if entry["at"] == name)
    if capacity >= UNLIMITED:
        return f"Room for any number; {there} there."
    return f"Room for {counted(capacity, 'piece')}; {there} there."


def _at(position: Position, seen: View, name: str) -> str:
    if seen["name"] in {"place", "late"}:
        return f"{benefit(position, seen, name)} {room(seen, name)}{_flood_risk(seen, name)}"
    if seen["name"] == "resolve":
        return benefit(position, seen, name)
    return {
        "lift": f"The piece comes home from {name} and is placed anew.",
        "plague": f"A follower at {name} goes home and does not act this round.",
        "repeat at": f"The leader at {name} is ready again. {benefit(position, seen, name)}",
    }[seen["name"]]


def _flood_risk(seen: View, name: str) -> str:
    """Whether the tile is the next to sink."""
    peninsula, _, number = name.rpartition(" ")
    if peninsula not in PENINSULAS or int(number) != seen["place"]["flooded"][peninsula] + 1:
        return ""
    kept = peninsula in seen["place"]["barriers"]
    return " A barrier guards it." if kept else " It is the next tile there to sink."


# --------------------------------------------------------------------------------------------------------------- energy


def _barrier(position: Position, seen: View, name: str) -> str:
    told = f"The next flood of the {name} takes the barrier instead of a tile."
    return f"{told} {_cost(position, seen, 'barrier_cost')}" if seen["name"] != "ward" else told


def _drain(position: Position, seen: View, name: str) -> str:
    told = f"{name.capitalize()} {seen['place']['flooded'][name]} comes up again."
    return f"{told} {_cost(position, seen, 'drain_cost')}" if seen["name"] != "ebb" else told


def _cost(position: Position, seen: View, name: str) -> str:
    own = seen["place"]["seats"][seen["to_decide"]]
    cheap = name == "barrier_cost" and "keystone of wards" in own["artifacts"]
    price = "less, by the keystone of wards" if cheap else f"{int(position.game.rules[0][name])} energy"
    return f"It costs {price}, which all seats may share."


def _flood(position: Position, seen: View, name: str) -> str:
    place = seen["place"]
    controlled = bool(place["pending"]) and place["pending"][-1].get("card") == "controlled flooding"
    if name in place["barriers"] and not controlled:
        return f"The barrier of the {name} is spent; no tile sinks."
    tile = f"{name} {min(TILES_PER_PENINSULA, place['flooded'][name] + 1)}"
    there = sum(entry["ready"] + entry["done"] for entry in place["placed"] if entry["at"] == tile)
    return f"{tile.capitalize()} sinks, with {counted(there, 'piece') if there else 'nobody'} on it."


# ---------------------------------------------------------------------------------------------------- pieces and goods


def _place(position: Position, seen: View, kind: str) -> str:
    after = position.clone()
    after.apply(f"place {kind}")
    return f"You put the {kind} on the board: {counted(len(after.legal_actions()), 'place')} to choose from."


def _lift(position: Position, seen: View, kind: str) -> str:
    lifts = seen["place"]["seats"][seen["to_decide"]]["lifts"]
    return f"You take {a(kind)} home to place it anew; you may do so {counted(lifts, 'time')} more this round."


def _build(position: Position, seen: View, name: str) -> str:
    return f"{name.capitalize()}: {COMPONENTS[name]}. Its price: {listed(seen['prices'][name])}."


def _contribute(position: Position, seen: View, amount: str) -> str:
    frame = seen["place"]["pending"][-1]
    rest = frame["rest"] - int(amount)
    return f"You promise {amount} {frame['type']}, {rest} are left for others; nothing is paid until all is promised."


def _seat(position: Position, seen: View, number: str) -> str:
    told = {
        "recruit": "Seat {} gets the recruit.",
        "repeat seat": "A leader of seat {} will be ready again.",
        "font": "Seat {} gains 3 energy.",
        "amplify": "Seat {} gains 2 of a good that it has.",
        "muster": "Seat {} gets a follower.",
        "sacrifice": "A follower of seat {} leaves the game.",
        "call": "The next turn is that of seat {}.",
    }
    return told[seen["name"]].format(number)


def _take(position: Position, seen: View, good: str) -> str:
    if seen["name"] == "take":
        return f"The {seen['place']['pending'][-1]['given']} becomes 1 {good}."
    return f"{counted(2, good, plural=good) if _amplifies(seen) else f'1 {good}'} is gained."


def _amplifies(seen: View) -> bool:
    return bool(seen["place"]["pending"][-1]["do"] == "amplify")


def _short(told: str) -> Callable[[Position, View, str], str]:
    """A sentence with the rest of the action in it."""
    return lambda position, seen, rest: told.format(rest)


TOLD: Mapping[str, Callable[[Position, View, str], str]] = {
    "at": _at,
    "barrier": _barrier,
    "drain": _drain,
    "flood": _flood,
    "place": _place,
    "lift": _lift,
    "build": _build,
    "contribute": _contribute,
    "seat": _seat,
    "take": _take,
    "give": _short("1 {} is swapped away; you name next what it becomes."),
    "chart": _short("Targets in the {} are 2 lower this round."),
    "discount": _short("The artificer saves 1 {}."),
    "remove": _short("The misfortune {} is discarded and not drawn for now."),
    "reroll": _short("Roll once more: {}."),
}
