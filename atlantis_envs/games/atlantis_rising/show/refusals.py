"""Why something cannot be done in Atlantis Rising, with its clause. What can be done is asked of the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from atlantis_envs.drawing.phrases import Clauses, Reason, refuse
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising import data
from atlantis_envs.games.atlantis_rising.data import Window
from atlantis_envs.games.atlantis_rising.show.phrases import clauses, question
from atlantis_envs.games.atlantis_rising.view import view

CLAUSES = Clauses(actions="13.2", chance="14", over="16.2")
# The word an action begins with, and the nodes where some action with it can be played.
NODES = {
    "ready": {"deploy"},
    "yield": {"deploy"},
    "peek": {"deploy"},
    "place": {"deploy"},
    "lift": {"deploy"},
    "pass": {"window", "act"},
    "resolve": {"act"},
    "play": {"deploy", "window", "act", "react", "overflow"},
    "barrier": {"deploy", "act", "ward"},
    "drain": {"deploy", "window", "act", "ebb"},
    "at": {"place", "lift", "plague", "late", "resolve", "repeat at"},
    "decline": {"react", "reroll", "fail", "share", "more", "ward", "ebb", "give", "look", "archive"},
    "pay": {"fail"},
    "knuckle": {"fail"},
    "reroll": {"reroll"},
    "flood": {"flood"},
    "chart": {"chart"},
    "build": {"build"},
    "discount": {"discount"},
    "contribute": {"share"},
    "seat": {"recruit", "repeat seat", "font", "amplify", "muster", "sacrifice", "call"},
    "keep": {"scholar", "keep", "more", "archive"},
    "discard": {"overflow"},
    "remove": {"look"},
    "councilor": {"draft", "board"},
    "give": {"give"},
    "take": {"take", "gain"},
}
FIXED: Mapping[str, Reason] = {  # the same wherever the action can be played, but for the name in it
    "ready": ("you have pieces at home that must be placed", "5.7"),
    "pass": ("you have an action that must be taken", "7.2"),
    "resolve": ("no piece of yours can act anywhere", "7.3"),
    "knuckle": ("you have no unused fate knuckle in play", "7.6"),
    "reroll": ("there is one die here: reroll {} is for the cities", "7.6"),
    "discount": ("the price has no {} to save, or could not be paid then", "8.5"),
    "discard": ("you have no {}", "7.12"),
    "remove": ("{} is not among the misfortunes looked at", "12.7"),
    "give": ("you have no {}", "7.8"),
}
NEVER_AGAIN = {"barrier": ("barriers are bought in deployment and in the phase of actions", "9.1")}
View = Mapping[str, Any]


def refusal(position: Position, action: str) -> str:
    """Say why an action cannot be played now; "" if it can."""
    return refuse(position, action, CLAUSES, _reason)


def _reason(position: Position, action: str) -> Reason:
    seen = view(position, position.seat)
    word, _, rest = action.partition(" ")
    if seen["name"] not in NODES[word]:
        if word in NEVER_AGAIN and seen["name"] == "window":
            return NEVER_AGAIN[word]
        return f"not now: you are to {question(seen)}", clauses(seen)[0]
    fixed = KEPT[seen["name"]] if word == "keep" else FIXED.get(word)
    if fixed is not None:
        return fixed[0].format(rest), fixed[1]
    return REASONS[word](position, seen, rest)


def _own(seen: View) -> View:
    own: View = seen["place"]["seats"][seen["to_decide"]]
    return own


# ---------------------------------------------------------------------------------------------------------- deployment


def _yield(position: Position, seen: View, rest: str) -> Reason:
    if seen["players"] == 1:
        return "there is nobody to yield to", "5.5"
    if not _own(seen)["yields"]:
        return "you have yielded as often as a round allows", "5.5"
    return "nothing of yours has to be placed: you can be ready", "5.5"


def _peek(position: Position, seen: View, rest: str) -> Reason:
    own = _own(seen)
    if "tidewatch glass" in own["used"]:
        return "the tidewatch glass is used this round", "12.6"
    if "tidewatch glass" not in [*own["artifacts"], own["scholar_artifact"]]:
        return "you have no tidewatch glass in play", "12.6"
    return "the next misfortune is known, or there is none", "12.6"


def _place(position: Position, seen: View, kind: str) -> Reason:
    if not _own(seen)["home"][kind]:
        return f"you have no {kind} at home", "5.5"
    return f"there is no place for the {kind} now", "5.3"


def _lift(position: Position, seen: View, kind: str) -> Reason:
    mine = [entry for entry in seen["place"]["placed"] if entry["seat"] == seen["to_decide"] and entry["kind"] == kind]
    if not mine:
        return f"you have no {kind} on the board", "5.5"
    if not _own(seen)["lifts"]:
        return "you have lifted as many pieces as a round allows", "5.5"
    return f"no {kind} can leave: an automaton or a flooded tile needs it", "5.6"


# --------------------------------------------------------------------------------------------- energy, cards, passing


def _barrier(position: Position, seen: View, name: str) -> Reason:
    place = seen["place"]
    if name in place["barriers"]:
        return f"the {name} have a barrier already", "9.2"
    if place["flooded"][name] == data.TILES_PER_PENINSULA:
        return f"the {name} are all under water", "9.2"
    return _energy(position, seen, "barrier_cost")


def _drain(position: Position, seen: View, name: str) -> Reason:
    if seen["place"]["flooded"][name] == 0:
        return f"no tile of the {name} is under water", "9.3"
    return _energy(position, seen, "drain_cost")


def _energy(position: Position, seen: View, name: str) -> Reason:
    cost = int(position.game.rules[0][name])
    if _own(seen)["barred"]:
        return f"you are barred and have less than {cost} energy yourself", "9.5"
    return f"all seats together have too little energy: it costs {cost}", "9.4"


def _play(position: Position, seen: View, card: str) -> Reason:
    if seen["name"] == "react":
        return "only swift evacuation saves pieces from a flood", "6.5"
    if not _own(seen)["hand"].get(card):
        return f"you do not hold {card}", "12.1"
    windows = {"deploy": Window.DEPLOYMENT, "window": Window.WINDOW}
    if not data.WINDOWS[data.BASIC_CARDS.index(card)] & windows.get(seen["name"], Window.ACTIONS):
        return f"{card} is not played at this moment", "12.1"
    return f"{card} has nothing to work on", "12.2" if data.BASIC_CARDS.index(card) < 2 else "12.3"


def _decline(position: Position, seen: View, rest: str) -> Reason:
    if seen["name"] == "share":
        return "who opens a payment cannot decline it", "9.5"
    return "the first one is not optional", "13.2"


# ----------------------------------------------------------------------------------------------- dice, floods, building


def _fail(position: Position, seen: View, rest: str) -> Reason:
    frame = seen["place"]["pending"][-1]
    return f"you have less energy than the {frame['target'] - frame['value']} that are missing", "7.6"


def _flood(position: Position, seen: View, name: str) -> Reason:
    place = seen["place"]
    if place["flooded"][name] == data.TILES_PER_PENINSULA:
        return f"the {name} are all under water", "6.6"
    card = place["pending"][-1]["card"] if place["pending"] else ""
    if card == "tidal wave":
        return "a tidal wave takes a peninsula with the fewest flooded tiles", "6.9"
    return f"the {name} were named just now, and another peninsula must be", "6.9"


def _build(position: Position, seen: View, name: str) -> Reason:
    place = seen["place"]
    if name in place["built"]:
        return f"the {name} is built already", "8.3"
    if name not in place["blueprint"]:
        return f"the {name} is not in the blueprint", "8.3"
    if name == "power core":
        return "the power core needs all nine others, every leader at the gate, and a gift of every seat", "8.4"
    return f"those at the gate cannot pay for the {name}", "8.3"


def _contribute(position: Position, seen: View, amount: str) -> Reason:
    frame = seen["place"]["pending"][-1]
    held = _own(seen)[frame["type"]]
    if int(amount) > frame["rest"]:
        return f"{frame['rest']} {frame['type']} are still to pay, not {amount}", "9.5"
    if int(amount) > held:
        return f"you have {held} {frame['type']}", "9.5"
    return "the rest could not be paid as it should be", "9.5"


# ------------------------------------------------------------------------------------------------------ names of things

SEATS = {
    "recruit": ("seat {} has no piece there, or no follower in reserve", "7.7"),
    "repeat seat": ("no leader of seat {} has acted", "12.2"),
    "amplify": ("seat {} has no ore, gold or crystal", "7.11"),
    "muster": ("seat {} has no follower in reserve", "2.4"),
    "sacrifice": ("seat {} has no follower there", "7.11"),
}
KEPT = {
    "scholar": ("{} was not drawn", "11.7"),
    "keep": ("{} was not drawn, or is kept already", "7.9"),
    "more": ("{} was not drawn, or is kept already", "7.9"),
    "archive": ("{} is no card of the discard that can be taken", "12.4"),
}


def _seat(position: Position, seen: View, number: str) -> Reason:
    if int(number) >= seen["players"]:
        return f"there is no seat {number} in this game", "2.2"
    message, clause = SEATS[seen["name"]]
    return message.format(number), clause


def _councilor(position: Position, seen: View, name: str) -> Reason:
    if seen["name"] == "board":
        return f"{name} is not one of the two boards turned up", "4.4"
    if any(person["councilor"] == name for person in seen["place"]["seats"]):
        return f"the {name} is taken", "3"
    return "the last seat must take the artificer", "3"


def _take(position: Position, seen: View, good: str) -> Reason:
    if seen["name"] == "take":
        return f"{good} is what you give: it becomes another good", "7.8"
    frame = seen["place"]["pending"][-1]
    if frame["do"] == "amplify":
        return f"seat {frame['target']} has no {good}", "7.11"
    return f"{good} is not to be had there", "7.11"


DOUBLE = {data.COMPONENTS[component] for component in data.DOUBLE_COMPONENTS}


def at(position: Position, seen: View, name: str) -> Reason:
    """Say why the place cannot be named at the present node."""
    node = seen["name"]
    if node in {"place", "late"}:
        return _no_room(seen, name)
    if node == "resolve":
        return _no_action(seen, name)
    if node == "lift":
        kind = seen["place"]["pending"][-1]["kind"]
        if not _standing(seen, name, seen["to_decide"], kind):
            return f"you have no {kind} at {name}", "5.5"
        return f"the {kind} cannot leave {name}: an automaton or a flooded tile needs it", "5.6"
    if node == "plague":
        return f"the seat that falls ill has no follower at {name}", "6.9"
    return f"no leader or hologram of that seat has acted at {name}", "12.2"


def _standing(seen: View, name: str, seat: int | None = None, kind: str = "") -> int:
    """Return how many pieces stand at a place, of a seat, of a kind."""
    return sum(
        entry["ready"] + entry["done"]
        for entry in seen["place"]["placed"]
        if entry["at"] == name and seat in (None, entry["seat"]) and kind in ("", entry["kind"])
    )


def _missing(seen: View, name: str) -> Reason | None:
    """Refuse a place that this game does not have, or not yet."""
    if name.startswith("gate") and int(name[-1]) > seen["gates"]:
        return f"there is no {name} with {seen['players']} players", "2.1"
    if name in data.COMPONENTS and name not in seen["place"]["built"]:
        return f"the {name} is not built", "5.2"
    return None


def _no_room(seen: View, name: str) -> Reason:
    missing = _missing(seen, name)
    if missing is not None:
        return missing
    peninsula, _, number = name.rpartition(" ")
    if (
        peninsula in data.PENINSULAS
        and int(number) <= seen["place"]["flooded"][peninsula]
        and not _standing(seen, name)
    ):
        return f"{name} is under water", "5.3"
    if _standing(seen, name) >= seen["capacity"][name]:
        return f"{name} is full: it has room for {seen['capacity'][name]}", "5.3"
    frame = seen["place"]["pending"][-1] if seen["place"]["pending"] else {}
    if frame.get("kind") == "automaton":
        return f"the automaton needs company, and nobody is at {name}", "5.3"
    if peninsula in data.PENINSULAS and int(number) <= seen["place"]["flooded"][peninsula]:
        return f"{name} is under water", "5.3"
    return f"{name} has no room for all who would have to stand there", "5.3"


def _no_action(seen: View, name: str) -> Reason:
    missing = _missing(seen, name)
    if missing is not None:
        return missing
    own = _standing(seen, name, seen["to_decide"]) - _standing(seen, name, seen["to_decide"], "automaton")
    if not own:
        return f"you have no piece at {name}", "7.3"
    if name.startswith("gate"):
        return f"nothing can be built at {name} now by those who stand there", "8.2"
    here = [entry for entry in seen["place"]["placed"] if entry["at"] == name and entry["seat"] == seen["to_decide"]]
    ready = {entry["kind"] for entry in here if entry["ready"]} - {"automaton"}
    if name == "spirit seal" and not any(entry["kind"] == "follower" for entry in here):
        return "only followers can activate the spirit seal", "7.3"
    if not (ready & {"follower"} if name == "spirit seal" else ready):
        return f"your {'followers' if name == 'spirit seal' else 'pieces'} at {name} have acted", "7.3"
    if name.rpartition(" ")[0] in seen["place"]["effects"]["closed"] or name in seen["place"]["effects"]["closed"]:
        return f"{name} is closed this round", "6.9"
    if (name in DOUBLE or name.startswith("cities")) and _standing(seen, name) < 2:
        return f"{name} is a double place, and one piece alone cannot act there", "7.3"
    return f"the action of {name} could do nothing", "7.3"


REASONS: Mapping[str, Callable[[Position, View, str], Reason]] = {
    "yield": _yield, "peek": _peek, "place": _place, "lift": _lift, "play": _play, "barrier": _barrier,
    "drain": _drain, "at": at, "decline": _decline, "pay": _fail, "flood": _flood, "build": _build,
    "contribute": _contribute, "seat": _seat, "councilor": _councilor, "take": _take,
}  # fmt: skip
