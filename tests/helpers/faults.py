"""JSON documents with faults in them: places, changes, and what a position read from one must be able to do."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from hypothesis import strategies as st

import atlantis_envs
from atlantis_envs.engine.position import Position
from helpers.support import moves, scattered

Path = tuple[Any, ...]
PLACES = st.integers(0, 10**9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


@cache
def exchange() -> dict[str, Any]:
    """In the middle of an exchange: context, choice, stocks and tiles are all there."""
    for position in scattered(atlantis_envs.game("atlandice", players=2), 5_000, seed=2):
        data = position.to_json()
        if data["node"] == "swap_in" and data["bare"] == [] and data["participants"][0]["tiles"]:
            return data
    raise AssertionError("no such position")


@cache
def endless() -> list[Any]:
    """A list too deep for repr."""
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


def paths(value: Any, path: Path = ()) -> list[Path]:
    """The places of a document, objects and lists included."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in items for place in paths(item, (*path, key)))]


def value_at(path: Path, root: Any) -> Any:
    for key in path:
        root = root[key]
    return root


def text_of(path: Path) -> str:
    """A place as messages write it: `seats[0].hand.ring`."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")


def mutated(data: dict[str, Any], place: int, kind: int, value: Any) -> None:
    """One change at one place: another value, one more, one less, gone, or swapped with a neighbour."""
    found = [path for path in paths(data) if path]
    path = found[place % len(found)]
    holder = value_at(path[:-1], data)
    present = holder[path[-1]]
    if kind == 0:
        holder[path[-1]] = value
    elif kind in (1, 2) and isinstance(present, int) and not isinstance(present, bool):
        holder[path[-1]] = present + (1 if kind == 1 else -1)
    elif kind == 3:
        holder.pop(path[-1])
    else:
        others = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        other = others[place // 7 % len(others)]
        holder[path[-1]], holder[other] = holder[other], present


def play_out(position: Position, dice: random.Random) -> None:
    """To the end: every node sound, every decision with a choice, within the bound."""
    for _ in range(position.game.describe().node_bound + 1):
        assert position.check() == 0, position.faults()
        if position.node == "over":
            position.returns()
            return
        offered = moves(position)
        assert offered, position.to_json()
        position.apply(dice.choice(offered))
    raise AssertionError("longer than its bound")
