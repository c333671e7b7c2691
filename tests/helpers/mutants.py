"""Documents of positions in the middle of games, and small changes to them that keep their shape.

A *kind of place* is the path of a value with list indices left out: values at places of one kind may stand for each
other. Everything is a function of a seed and a number.
"""

from __future__ import annotations

import json
import pickle
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from atlantis_envs.engine.game import Game
from atlantis_envs.engine.position import Position
from atlantis_envs.errors import PositionError
from atlantis_envs.seats.agents import make_agent
from helpers.support import Walk, moves, word

Document = dict[str, Any]
Path = tuple[Any, ...]
Kind = tuple[Any, ...]
NUMBERS = (0, 1, 2, 3, 5, 7, 8, 13, 15, 16, 26, 31, 32, 63, 64, 105, 127, 128, 255, 256, 32767, 2**31 - 1, -1, -2)


# ---------------------------------------------------------------------------------------------------- documents


def by_heuristic(game: Game, seed: int) -> Iterator[Position]:
    """Every node of games that the heuristic plays, one after the other without end."""
    agent = make_agent("heuristic", game)
    number = 0
    while True:
        position = game.initial_position()
        position.attach_chance(seed, number, np.zeros(len(game.definition.streams), np.uint32))
        number += 1
        ply = 0
        while position.node != "over":
            yield position
            ply += 1
            if position.node == "chance":
                position.apply(position.sample_chance())
                continue
            seat = position.seat
            assert seat is not None
            shown = position.observation(seat)[None], position.action_mask(seat)[None]
            position.apply(int(agent.act(*shown, np.array([word(seed, number, ply)], np.uint64))[0]))
        yield position


def by_chance(game: Game, seed: int) -> Iterator[Position]:
    """Nodes of random games, a few nodes apart, without end."""
    walk = Walk(game, seed)
    step = 0
    while True:
        step += 1
        assert walk.advance(1 + word(seed, step) % 5) == 0
        yield walk.position()


def kind_of_node(position: Position) -> tuple[Any, ...]:
    """Nodes of one kind offer the same sort of thing."""
    offered = moves(position)
    document = position.to_json()
    return (document.get("phase"), document.get("node"), offered[0].split(" ")[0] if offered else "over")


def collected(game: Game, count: int, seed: int) -> list[Document]:
    """So many documents of random and of heuristic play, half of each, kinds of nodes as evenly as they come."""
    found: list[Document] = []
    for source in (by_chance, by_heuristic):
        cap = max(1, count // 16)
        seen: dict[tuple[Any, ...], int] = defaultdict(int)
        own: list[Document] = []
        for looked, position in enumerate(source(game, seed)):
            kind = kind_of_node(position)
            if seen[kind] < cap + looked // 400 and word(seed, looked) % (1 + 3 * seen[kind]) == 0:
                seen[kind] += 1
                own.append(position.to_json())
            if len(own) >= count // 2 or looked > 200 * count:
                break
        found += own
    return found


# ------------------------------------------------------------------------------------------------------ changes


def kind_of(path: Path) -> Kind:
    return tuple("*" if isinstance(key, int) else key for key in path)


def at(root: Any, path: Path) -> Any:
    for key in path:
        root = root[key]
    return root


def found(root: Any, path: Path) -> Any:
    """What is at a place, None if an earlier change took it away."""
    try:
        return at(root, path)
    except (KeyError, IndexError, TypeError):
        return None


def is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every place of a document below the root, with what is there."""
    if path:
        yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def heap_items(value: Any) -> list[str] | None:
    """What can be taken out of a place: names of a multiset, texts of a list; None if it is no heap."""
    if isinstance(value, dict) and all(is_number(item) for item in value.values()):
        return [key for key, number in value.items() if number > 0]
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return list(value)
    return None


def limits(game: Game, documents: list[Document]) -> list[tuple[list[Any], int, int]]:
    """The least and the largest number that is read at each kind of place, as the messages tell them."""
    found: dict[Kind, tuple[int, int]] = {}
    for document in documents:
        for path, value in list(places(document)):
            kind = kind_of(path)
            if not is_number(value) or kind in found:
                continue
            holder = at(document, path[:-1])
            holder[path[-1]] = 10**30
            try:
                game.from_json(document)
            except PositionError as error:
                told = re.search(r"an integer (-?\d+)\.\.(\d+)", str(error))
                found[kind] = (int(told[1]), int(told[2])) if told else (0, 0)
            holder[path[-1]] = value
    return [(list(kind), low, high) for kind, (low, high) in found.items()]


class Mutator:
    """Changes documents of one game in the light of many of them, and of the limits of its numbers."""

    def __init__(self, documents: list[Document], known_limits: list[tuple[list[Any], int, int]]) -> None:
        self.limits = {tuple(kind): (low, high) for kind, low, high in known_limits}
        self.heaps: dict[int, list[Path]] = {}
        self.near: list[Path] = []
        self.documents = [pickle.dumps(document) for document in documents]
        self.values: dict[Kind, list[Any]] = defaultdict(list)
        self.keys: dict[Kind, list[str]] = defaultdict(list)
        seen: set[tuple[Kind, str]] = set()
        for document in documents:
            for path, value in places(document):
                kind = kind_of(path)
                text = json.dumps(value)
                if (kind, text) not in seen and len(self.values[kind]) < 400:
                    seen.add((kind, text))
                    self.values[kind].append(value)
                if isinstance(value, dict):
                    self.keys[kind] += [key for key in value if key not in self.keys[kind]]
        self.names: dict[Kind, set[str]] = defaultdict(set)  # what heaps of this kind hold somewhere
        for kind, keys in self.keys.items():
            self.names[kind] |= set(keys)
        for kind, known in list(self.values.items()):
            if kind[-1] == "*":
                self.names[kind[:-1]] |= {value for value in known if isinstance(value, str)}
        self.changes: tuple[tuple[int, Callable[[Document, random.Random], str | None]], ...] = (
            (12, self.move), (5, self.count), (4, self.transplant), (3, self.edit_list), (1, self.edit_keys),
            (2, self.shift), (2, self.swap),
        )  # fmt: skip

    def mutant(self, seed: int, number: int, base: int) -> tuple[Document, list[str]]:
        """A document with 1 to 3 changes, and the changes in words."""
        dice = random.Random(f"{seed} {number}")
        document: Document = pickle.loads(self.documents[base])
        if base not in self.heaps:
            self.heaps[base] = [
                path for path, value in places(document) if path[0] != "options" and heap_items(value) is not None
            ]
        self.near = self.heaps[base]
        done: list[str] = []
        weights = [weight for weight, _ in self.changes]
        for _ in range(dice.choice((1, 1, 1, 2, 2, 3))):
            for _ in range(20):
                change = dice.choices(self.changes, weights)[0][1]
                said = change(document, dice)
                if said is not None:
                    done.append(said)
                    break
        return document, done

    def place(
        self, document: Document, dice: random.Random, wanted: Callable[[Any], bool]
    ) -> tuple[Path, Any] | tuple[None, None]:
        """A place holding what is wanted: first the field, then down, so that long lists do not take all."""
        path: Path = ()
        value: Any = document
        for _ in range(12):
            if path and wanted(value) and dice.random() < 0.5:
                return path, value
            keys = (
                list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
            )
            if not path and dice.random() < 0.9:
                keys = [key for key in keys if key not in ("options", "game", "data")]
            if not keys:
                return (path, value) if path and wanted(value) else (None, None)
            key = dice.choice(keys)
            path, value = (*path, key), value[key]
        return None, None

    def move(self, document: Document, dice: random.Random) -> str | None:
        """Some of one heap to another, as many down as up."""
        heaps = [(path, heap) for path in self.near if heap_items(heap := found(document, path)) is not None]
        full = [(path, heap) for path, heap in heaps if heap_items(heap)]
        if not full:
            return None
        source, heap = dice.choice(full)
        name = dice.choice(heap_items(heap) or [])
        amount = 1 if isinstance(heap, list) else dice.choice((1, 1, 1, 2, heap[name]))
        targets = []
        for path, value in heaps:
            kind = kind_of(path)
            known = name in self.names[kind]
            if path != source and (known or dice.random() < 0.02):
                targets.append((path, value))
        if not targets:
            return None
        target, other = dice.choice(targets)
        if isinstance(heap, list):
            heap.remove(name)
        else:
            heap[name] -= amount
            if heap[name] == 0 and dice.random() < 0.8:
                del heap[name]
        if isinstance(other, list):
            for _ in range(min(amount, 20) if amount > 0 else 0):
                other.insert(dice.randint(0, len(other)), name)
        else:
            other[name] = other.get(name, 0) + amount if is_number(other.get(name, 0)) else amount
        return f"move {amount} {name}: {source} -> {target}"

    def count(self, document: Document, dice: random.Random) -> str | None:
        """A number, a little or much larger or smaller; a truth turned round."""
        path, value = self.place(document, dice, lambda value: isinstance(value, int))
        if path is None:
            return None
        if isinstance(value, bool):
            new: Any = not value
        elif dice.random() < 0.6:
            new = value + dice.choice((-1, 1, 1, 2, -2))
        else:
            low, high = self.limits.get(kind_of(path), (0, 60))
            edge = dice.choice((low, low + 1, high - 1, high, (low + high) // 2))
            new = dice.choice((edge, edge, dice.choice(NUMBERS), dice.randint(0, 60)))
        at(document, path[:-1])[path[-1]] = new
        return f"{path}: {value!r} -> {new!r}"

    def shift(self, document: Document, dice: random.Random) -> str | None:
        """One number down, another one up."""
        first, _ = self.place(document, dice, is_number)
        second, _ = self.place(document, dice, is_number)
        if first is None or second is None or first == second:
            return None
        amount = dice.choice((1, 1, 1, 2, 3))
        at(document, first[:-1])[first[-1]] -= amount
        at(document, second[:-1])[second[-1]] += amount
        return f"shift {amount}: {first} -> {second}"

    def transplant(self, document: Document, dice: random.Random) -> str | None:
        """What another document, or another place of the same kind, has."""
        path, value = self.place(document, dice, lambda value: True)
        if path is None:
            return None
        known = self.values.get(kind_of(path), [])
        if not known:
            return None
        new = pickle.loads(pickle.dumps(dice.choice(known)))
        if new == value:
            return None
        at(document, path[:-1])[path[-1]] = new
        return f"{path}: {json.dumps(value)[:80]} -> {json.dumps(new)[:80]}"

    def swap(self, document: Document, dice: random.Random) -> str | None:
        """Two places of one kind, or of one object, change what they hold."""
        path, value = self.place(document, dice, lambda value: True)
        if path is None:
            return None
        kind = kind_of(path)
        alike = [other for other, _ in places(document) if kind_of(other) == kind or other[:-1] == path[:-1]]
        other = dice.choice(alike)
        if other == path or other[: len(path)] == path or path[: len(other)] == other:
            return None
        there = at(document, other)
        at(document, path[:-1])[path[-1]], at(document, other[:-1])[other[-1]] = there, value
        return f"swap {path} and {other}"

    def edit_list(self, document: Document, dice: random.Random) -> str | None:
        """An item more, fewer, twice or elsewhere; or another order."""
        path, value = self.place(document, dice, lambda value: isinstance(value, list))
        if path is None:
            return None
        what = dice.choice(("insert", "insert", "delete", "double", "exchange", "reorder"))
        index = dice.randrange(len(value)) if value else 0
        if what == "insert":
            known = self.values.get((*kind_of(path), "*"), [])
            if not known:
                return None
            value.insert(dice.randint(0, len(value)), pickle.loads(pickle.dumps(dice.choice(known))))
        elif not value:
            return None
        elif what == "delete":
            del value[index]
        elif what == "double":
            value.insert(index, pickle.loads(pickle.dumps(value[index])))
        elif what == "exchange":
            other = dice.randrange(len(value))
            value[index], value[other] = value[other], value[index]
        else:
            dice.shuffle(value)
        return f"{what} in {path}"

    def edit_keys(self, document: Document, dice: random.Random) -> str | None:
        """A key of an object less, or one more that such objects have elsewhere."""
        path, value = self.place(document, dice, lambda value: isinstance(value, dict))
        if path is None:
            return None
        kind = kind_of(path)
        missing = [key for key in self.keys[kind] if key not in value]
        if missing and dice.random() < 0.6:
            key = dice.choice(missing)
            value[key] = pickle.loads(pickle.dumps(dice.choice(self.values[(*kind, key)])))
            return f"new {(*path, key)}: {json.dumps(value[key])[:80]}"
        if not value:
            return None
        key = dice.choice(list(value))
        del value[key]
        return f"without {(*path, key)}"
