"""Why something cannot be done in Atlandice, with its clause. What can be done is asked of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_envs.drawing.phrases import Clauses, Reason, refuse
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.show.phrases import clauses, question
from atlantis_envs.games.atlandice.view import view

CLAUSES = Clauses(actions="10.3", chance="11.1", over="8.2")
# The words an action begins with, longest first, and the nodes where it can be played.
NODES = {
    "decline effect": {"effect"},
    "use effect": {"effect"},
    "decline bonus": {"bonus"},
    "stop paying": {"donate", "donate_more"},
    "submarine to": {"submarine"},
    "swap with": {"swap_with"},
    "swap out": {"swap_out"},
    "swap in": {"swap_in"},
    "die from": {"die_from"},
    "die to": {"die_to"},
    "move to": {"move_to"},
    "visit": {"visit"},
    "take": {"take", "bonus", "extra", "raid_take"},
    "raid": {"raid"},
    "move": {"move_type"},
    "pay": {"donate", "donate_more"},
}
OPTIONAL = {"use effect", "decline effect", "decline bonus"}


def refusal(position: Position, action: str) -> str:
    """Tell why an action cannot be played now; "" if it can."""
    return refuse(position, action, CLAUSES, _reason)


def _reason(position: Position, action: str) -> Reason:
    seen = view(position, position.seat)
    doc = seen["place"]
    word = next(known for known in NODES if f"{action} ".startswith(f"{known} "))
    if word in OPTIONAL and not seen["optional_effects"]:
        return "effects and the second piece are not optional", "5.2"
    if doc["node"] not in NODES[word]:
        return f"not now: you are to {question(seen)}", clauses(seen)[0]
    if word == "visit":
        return _visit(seen, action.split()[1], action.endswith("for neutral"))
    if word in {"take", "move", "swap out", "swap in"}:
        kind, where = action.split()[-1], source(doc)
        if doc["sectors"][where]["resources"].get(kind, 0) == 0:
            return f"no {kind} lies at the {where}", clauses(seen)[0]
        return "the two pieces that are swapped must be of different types", clauses(seen)[0]
    return _named(doc, word, action.split()[-1])


def _visit(seen: Mapping[str, Any], name: str, for_neutral: bool) -> Reason:
    if seen["place"]["sectors"][name]["dice"] == 0:
        return f"no die lies at the {name}", "5.3"
    if not for_neutral:
        return "this is your third die, and it must go to neutral, which has none of yours yet", "9.2"
    if seen["players"] > 2:
        return "there is a neutral with two players only", "9.1"
    return "you have given neutral a die this round", "9.2"


def source(doc: Mapping[str, Any]) -> str:
    """Return the sector that a piece is taken from, moved from, or swapped at."""
    context, node = doc["context"], doc["node"]
    if node in {"raid_take", "swap_in"}:
        return str(context["choice"]["district"])
    tile = doc["sectors"][context["sector"]].get("tile")
    by_market = (node == "extra" and tile == "F3") or (node == "move_type" and tile == "I2")
    return "market" if by_market else str(context["sector"])


# Why a place or a piece that is named cannot be meant, with the clause, by the words of the action.
NAMED: Mapping[str, Reason] = {
    "raid": ("no piece can be taken from the {}", "6.7"),
    "swap with": ("the {} holds no piece of another type", "6.5"),
    "move to": ("the piece goes to another district than the {}", "6.15"),
    "die from": ("no die lies at the {}", "6.12"),
    "die to": ("the die must leave the {}", "6.12"),
    "submarine to": ("the submarine is at the {} already and must move", "6.13"),
    "pay": ("you own no {}", "8.5"),
    "stop paying": ("one piece is paid, and a point costs two", "8.5"),
}


def _named(doc: Mapping[str, Any], word: str, name: str) -> Reason:
    """Tell why what is named cannot be meant."""
    message, clause = NAMED[word]
    if name in data.DISTRICTS and word != "die from":
        sector = doc["sectors"][name]
        if sector["tile"] is None and not sector["hidden"]:
            return f"the {name} is exhausted", "6.3"
        if word in {"raid", "swap with"} and not sector["resources"]:
            return f"no piece lies at the {name}", clause
    return message.format(name), "6.11" if word == "move to" and name == "inn" else clause
