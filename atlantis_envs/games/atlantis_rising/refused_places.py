"""Why a place of Atlantis Rising cannot be named, with its clause."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_envs.drawing.phrases import Reason
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlantis_rising.data import COMPONENTS, DOUBLE_COMPONENTS, PENINSULAS

View = Mapping[str, Any]
DOUBLE = {COMPONENTS[component] for component in DOUBLE_COMPONENTS}


def at(position: Position, seen: View, name: str) -> Reason:
    """Why the place cannot be named at the present node."""
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
    """How many pieces stand at a place, of a seat, of a kind."""
    return sum(
        entry["ready"] + entry["done"]
        for entry in seen["place"]["placed"]
        if entry["at"] == name and seat in (None, entry["seat"]) and kind in ("", entry["kind"])
    )


def _missing(seen: View, name: str) -> Reason | None:
    """A place that this game does not have, or not yet."""
    if name.startswith("gate") and int(name[-1]) > seen["gates"]:
        return f"there is no {name} with {seen['players']} players", "2.1"
    if name in COMPONENTS and name not in seen["place"]["built"]:
        return f"the {name} is not built", "5.2"
    return None


def _no_room(seen: View, name: str) -> Reason:
    missing = _missing(seen, name)
    if missing is not None:
        return missing
    peninsula, _, number = name.rpartition(" ")
    if peninsula in PENINSULAS and int(number) <= seen["place"]["flooded"][peninsula] and not _standing(seen, name):
        return f"{name} is under water", "5.3"
    if _standing(seen, name) >= seen["capacity"][name]:
        return f"{name} is full: it has room for {seen['capacity'][name]}", "5.3"
    frame = seen["place"]["pending"][-1] if seen["place"]["pending"] else {}
    if frame.get("kind") == "automaton":
        return f"the automaton needs company, and nobody is at {name}", "5.3"
    if peninsula in PENINSULAS and int(number) <= seen["place"]["flooded"][peninsula]:
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
