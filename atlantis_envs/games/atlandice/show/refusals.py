"""Why something cannot be done in Atlandice, with its clause. What can be done is asked of the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from atlantis_envs.drawing.phrases import Clauses, Reason, refuse
from atlantis_envs.engine.position import Position
from atlantis_envs.games.atlandice import data
from atlantis_envs.games.atlandice.show.phrases import clauses, question, source
from atlantis_envs.games.atlandice.view import view

CLAUSES = Clauses(actions="10.3", chance="11.1", over="8.2")
OPTIONAL = {"use effect", "decline effect", "decline bonus"}


def refusal(position: Position, action: str) -> str:
    """Tell why an action cannot be played now; "" if it can."""
    return refuse(position, action, CLAUSES, _reason)


def _reason(position: Position, action: str) -> Reason:
    seen = view(position, position.seat)
    doc = seen["place"]
    word, name = _parts(action)
    if action in OPTIONAL and not seen["optional_effects"]:
        return "effects and the second piece are not optional", "5.2"
    if word == "stop" and doc["node"] == "donate_more":
        return "one piece is paid, and a point costs two", "8.5"
    if action in OPTIONAL or word not in {_parts(legal)[0] for legal in seen["legal"]}:
        return f"not now: you are to {question(seen)}", clauses(seen)[0]
    if word == "visit":
        return _visit(seen, name, action.endswith("for neutral"))
    if word in {"take", "move", "swap out", "swap in"}:
        if doc["sectors"][source(doc)]["resources"].get(name, 0) == 0:
            return f"no {name} lies at the {source(doc)}", clauses(seen)[0]
        return "the two pieces that are swapped must be of different types", clauses(seen)[0]
    return _named(doc, word, name)


def _parts(action: str) -> tuple[str, str]:
    """Return the words an action begins with, and what it names: swap with, inn."""
    word, _, name = action.removesuffix(" for neutral").rpartition(" ")
    return word, name


def _visit(seen: Mapping[str, Any], name: str, for_neutral: bool) -> Reason:
    if seen["place"]["sectors"][name]["dice"] == 0:
        return f"no die lies at the {name}", "5.3"
    if not for_neutral:
        return "this is your third die, and it must go to neutral, which has none of yours yet", "9.2"
    if seen["players"] > 2:
        return "there is a neutral with two players only", "9.1"
    return "you have given neutral a die this round", "9.2"


# Why a place or a piece that is named cannot be meant, with the clause, by the words of the action.
NAMED: Mapping[str, Reason] = {
    "raid": ("no piece can be taken from the {}", "6.7"),
    "swap with": ("the {} holds no piece of another type", "6.5"),
    "move to": ("the piece goes to another district than the {}", "6.15"),
    "die from": ("no die lies at the {}", "6.12"),
    "die to": ("the die must leave the {}", "6.12"),
    "submarine to": ("the submarine is at the {} already and must move", "6.13"),
    "pay": ("you own no {}", "8.5"),
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
